"""Real data: found by the environment variable, checked, and replaced by a stand-in that says so."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from companion.core.errors import DataError, ParameterError
from companion.problems import datasets

CONTENT = b'2,13,,,,,,,,,,,,\n"CRIM","MEDV"\n' + b"\n".join(
    ",".join(str(13 * row + column) for column in range(14)).encode() for row in range(2)
)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with a two-row file, and a repository that lists its checksum."""
    (tmp_path / "data").mkdir()
    digest = hashlib.sha256(CONTENT).hexdigest()
    listing = f'[boston.files]\n"boston_house_prices.csv" = "{digest}"\n'
    (tmp_path / "data" / "sources.toml").write_text(listing, encoding="utf-8")
    (tmp_path / "shelf" / "boston").mkdir(parents=True)
    (tmp_path / "shelf" / "boston" / "boston_house_prices.csv").write_bytes(CONTENT)
    monkeypatch.setattr(datasets, "repository_root", lambda: tmp_path)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "shelf"))
    return tmp_path / "shelf"


def test_boston_is_read_past_its_two_header_lines(shelf: Path) -> None:
    data = datasets.regression_data()
    assert data.name == "boston"
    np.testing.assert_array_equal(data.inputs, np.array([np.arange(13), 13 + np.arange(13)]))
    np.testing.assert_array_equal(data.targets, [13, 26])
    assert "racial" in data.remark


def test_a_flipped_byte_is_noticed(shelf: Path) -> None:
    path = shelf / "boston" / "boston_house_prices.csv"
    path.write_bytes(CONTENT.replace(b"25", b"24"))
    for name in ("auto", "boston"):
        with pytest.raises(DataError, match=r"SHA-256.*unset COMPANION_DATA"):
            datasets.regression_data(name)


def test_an_unlisted_file_is_not_trusted(shelf: Path) -> None:
    (shelf / "boston" / "other.csv").write_bytes(b"1")
    with pytest.raises(DataError, match="does not list"):
        datasets.data_file("boston", "other.csv")


@pytest.mark.parametrize("place", [None, "empty"])
def test_without_the_file_the_stand_in_says_what_it_is(
    place: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COMPANION_DATA", raising=False)
    if place is not None:
        monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    data = datasets.regression_data("auto")
    assert data.name == "diabetes"
    assert data.inputs.shape == (442, 10)
    assert "stand-in" in data.remark
    with pytest.raises(DataError, match="set COMPANION_DATA"):
        datasets.regression_data("boston")


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(ParameterError):
        datasets.regression_data("bostn")
