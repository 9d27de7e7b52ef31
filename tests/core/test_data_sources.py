"""The list of data sets, and that of the repository itself."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from companion.core.data_sources import DataSet, data_folder, data_set, data_sets
from companion.core.errors import DataError, ParameterError


def listing(root: Path, text: str) -> Path:
    (root / "data").mkdir(exist_ok=True)
    (root / "data" / "sources.toml").write_text(text, encoding="utf-8")
    return root


GOOD = """
[toys]
title = "Toys"
publisher = "Nobody"
licence = ""
address = "https://example.org/"
columns = ["a"]
[toys.files]
"a.csv" = "00"
"""


def test_a_set_is_read_with_what_is_not_listed_left_empty(tmp_path: Path) -> None:
    found = data_sets(listing(tmp_path, GOOD))
    assert found == {"toys": DataSet("toys", "Toys", "Nobody", "", "https://example.org/", files={"a.csv": "00"})}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is missing"),
        ("[toys", "no valid TOML"),
        (GOOD + '[toys.urls]\n"b.csv" = "https://example.org/b.csv"\n', r"\[toys\]: b.csv"),
        (GOOD + '[toys.instead]\n"a.csv" = "b.csv"\n', r"\[toys\]: b.csv"),
        (GOOD + '[toys.decompressed]\n"b.gz" = "00"\n', r"\[toys\]: b.gz"),
        (GOOD.replace('"a.csv" = "00"', ""), r"\[toys\]: no file"),
    ],
)
def test_a_faulty_list_is_refused(text: str | None, message: str, tmp_path: Path) -> None:
    if text is not None:
        listing(tmp_path, text)
    with pytest.raises(DataError, match=message):
        data_sets(tmp_path)


def test_an_unknown_set_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"^NAME:"):
        data_set("toy", listing(tmp_path, GOOD))


def test_the_cache_is_used_only_while_the_variable_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "mine"))
    assert data_folder() == tmp_path / "mine"
    monkeypatch.setenv("COMPANION_DATA", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "companion" / "data"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    assert data_folder() == tmp_path / "home" / ".cache" / "companion" / "data"


def test_the_repositorys_list_is_complete(root: Path) -> None:
    found = data_sets(root)
    readme = (root / "data" / "README.md").read_text(encoding="utf-8")
    for name, chosen in found.items():
        assert f"| `{name}` |" in readme
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in chosen.files.values())
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in chosen.decompressed.values())
        assert all(address.startswith("https://") for address in chosen.urls.values())
        assert chosen.urls or chosen.by_hand  # nobody is left without a way to the files
        assert all(chosen.title and chosen.publisher and chosen.address for chosen in found.values())
        # A replacement works both ways, and at least one of the two can be fetched.
        for file, other in chosen.instead.items():
            assert chosen.instead[other] == file
            assert {file, other} & set(chosen.urls)
        assert set(chosen.files) <= set(chosen.urls) | set(chosen.instead) or chosen.by_hand


def test_every_key_of_the_repositorys_list_is_known(root: Path) -> None:
    content = tomllib.loads((root / "data" / "sources.toml").read_text(encoding="utf-8"))
    described = {"columns", "rows"}
    for entry in content.values():
        assert set(entry) <= set(DataSet.__dataclass_fields__) | described


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace('"a.csv" =', '"../../escape.bin" ='), "no plain name"),
        (GOOD.replace('"a.csv" =', '"/etc/passwd" ='), "no plain name"),
        (GOOD.replace("toys", '"../esc"'), "no plain name"),
        (GOOD + '[toys.urls]\n"a.csv" = "file:///etc/passwd"\n', "begins with http"),
        (GOOD + '[toys.urls]\n"a.csv" = "nonsense"\n', "begins with http"),
        ("toys = 3\n", "is no table"),
        ("[toys]\n", "lacks title"),
        (GOOD.replace('"00"', "0"), "files is no table of texts"),
        (GOOD.replace('"Toys"', "3"), "title is no text"),
    ],
)
def test_a_list_that_names_a_place_outside_its_folder_or_is_odd_is_refused(text, message, tmp_path) -> None:
    with pytest.raises(DataError, match=message):
        data_sets(listing(tmp_path, text))


def test_a_list_that_is_no_text_is_refused(tmp_path) -> None:
    listing(tmp_path, "")
    (tmp_path / "data" / "sources.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="no valid TOML"):
        data_sets(tmp_path)
