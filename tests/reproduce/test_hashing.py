"""Content hashes of code and data: what counts, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.core.errors import ResultError
from companion.reproduce.hashing import data_hash, package_hash


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package with two papers."""
    for name in (
        "__init__.py",
        "gp/finite.py",
        "papers/__init__.py",
        "papers/batched/method/policy.py",
        "papers/tsrsr/method/policy.py",
    ):
        path = tmp_path / "companion" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n", encoding="utf-8")
    return tmp_path / "companion"


def test_every_byte_name_and_place_counts(package: Path) -> None:
    seen = {package_hash("batched", package)}
    (package / "gp" / "finite.py").write_text("# changed\n", encoding="utf-8")
    seen.add(package_hash("batched", package))
    (package / "gp" / "finite.py").rename(package / "gp" / "other.py")
    seen.add(package_hash("batched", package))
    (package / "papers" / "__init__.py").unlink()
    seen.add(package_hash("batched", package))
    assert len(seen) == 4


def test_only_the_papers_own_folder_counts(package: Path) -> None:
    before = {paper: package_hash(paper, package) for paper in ("batched", "tsrsr", "across", None)}
    (package / "papers" / "tsrsr" / "policy.py").write_text("# changed\n", encoding="utf-8")
    after = {paper: package_hash(paper, package) for paper in before}
    assert after["batched"] == before["batched"]
    assert after["tsrsr"] != before["tsrsr"]
    assert after["across"] != before["across"], "a chapter above the papers depends on all of them"
    assert after[None] != before[None]


@pytest.mark.parametrize("name", ["cli/run.py", "classroom/check.py", "gp/__pycache__/finite.pyc", "gp/.hidden"])
def test_what_never_changes_a_number_does_not_count(name: str, package: Path) -> None:
    before = package_hash("batched", package)
    (package / name).parent.mkdir(parents=True, exist_ok=True)
    (package / name).write_text("x", encoding="utf-8")
    assert package_hash("batched", package) == before


def test_moving_text_between_files_changes_the_hash(tmp_path: Path) -> None:
    for folder, (first, second) in {"one": ("ab", "c"), "two": ("a", "bc")}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text(first, encoding="utf-8")
        (tmp_path / folder / "a.py").write_text(second, encoding="utf-8")
    assert package_hash(None, tmp_path / "one") != package_hash(None, tmp_path / "two")


def test_the_hash_does_not_depend_on_where_the_package_lies(package: Path, tmp_path: Path) -> None:
    before = package_hash("batched", package)
    assert package_hash("batched", package.rename(tmp_path / "elsewhere")) == before


def test_a_folder_that_is_no_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="not a Python package"):
        package_hash(None, tmp_path)


def test_a_page_of_no_paper_loads_no_data(tmp_path: Path) -> None:
    before = data_hash(None, tmp_path)
    (tmp_path / "data" / "results" / "batched").mkdir(parents=True)
    (tmp_path / "data" / "results" / "batched" / "x.csv").write_text("1", encoding="utf-8")
    assert data_hash(None, tmp_path) == before


def test_stored_tables_count_and_the_single_runs_and_verifications_do_not(tmp_path: Path) -> None:
    results = tmp_path / "data" / "results" / "batched"
    (results / "tasks" / "ab").mkdir(parents=True)
    before = data_hash("batched", tmp_path)
    (results / "tasks" / "ab" / "one.json").write_text("1", encoding="utf-8")
    (results / "verified.json").write_text("1", encoding="utf-8")
    assert data_hash("batched", tmp_path) == before
    (results / "table.csv").write_text("1", encoding="utf-8")
    assert data_hash("batched", tmp_path) != before
