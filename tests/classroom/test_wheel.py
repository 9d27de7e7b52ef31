"""The built wheel outside a checkout: assignments and what chapters read travel inside, and nothing writes into it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import shared
from branched import Done, Trunk, trunk

from companion.classroom import source
from companion.pages.document import lessons
from companion.registry import RECORD

sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_ext"))

import companion_downloads


@pytest.fixture(scope="module")
def installed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared.installed(tmp_path_factory, root)


@pytest.fixture(scope="module")
def python(installed: Path) -> Iterator[Trunk]:
    """Python with the installed package, which has read other people's libraries and nothing of ours."""
    with trunk("import pandas, scipy.optimize, scipy.stats", {**os.environ, "PYTHONPATH": str(installed)}) as ready:
        yield ready


def companion(python: Trunk, folder: Path, *arguments: str) -> Done:
    """The command, called in a folder outside the checkout."""
    program = folder / "command.py"
    program.write_text("import sys\nfrom companion.cli import main\nsys.exit(main())\n", encoding="utf-8")
    return python.run(program, *arguments)


def assignment(python: Trunk, folder: Path, *arguments: str) -> str:
    done = companion(python, folder, "assignment", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not shutil.which("bwrap"), reason="bwrap is not installed")
def test_list_make_check_and_grade_from_the_wheel(python: Trunk, tmp_path: Path) -> None:
    listed = json.loads(assignment(python, tmp_path, "list", "--json"))
    assert [one["name"] for one in listed] == list(source.assignments())
    made = json.loads(assignment(python, tmp_path, "make", "ch3_sizes", "--json"))[0]
    assert all((tmp_path / name).is_file() for name in made["files"])
    folder = tmp_path / "build" / "assignments" / "ch3_sizes"
    shutil.copyfile(folder / "solution.ipynb", folder / "student" / "solution.ipynb")
    assignment(python, tmp_path, "check", str(folder / "student" / "solution.ipynb"))
    (tmp_path / "handed-in").mkdir()
    shutil.copyfile(folder / "solution.ipynb", tmp_path / "handed-in" / "ada.ipynb")
    (tmp_path / "roster.csv").write_text("id\nada\n", encoding="utf-8")
    said = assignment(
        python, tmp_path, "grade", "handed-in", "--assignment", "ch3_sizes", "--students", "roster.csv", "--json"
    )
    assert [one["score"] for one in json.loads(said)["results"]] == [12]


READ = """
from companion import papers, registry
from companion.core.files import carried, repository_root
from companion.judge.reported import load_margins, load_tables

root = repository_root()
assert carried(root), root
for paper in ("tsrsr", "compressed", "batched", "meanfield", "wdrbo"):
    assert registry.stored_runs(paper).load().tables
    assert load_tables(paper) and load_margins(paper)
"""


def test_what_chapters_read_is_in_the_wheel(installed: Path, python: Trunk, root: Path, tmp_path: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "data", "notebooks/profiles", "notebooks/ch*.py"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    wanted = {name for name in tracked if not name.endswith("README.md") and not name.startswith("data/current/")}
    assert len(wanted) > 100
    assert {name for name in wanted if not (installed / "companion" / name).is_file()} == set()
    (tmp_path / "read.py").write_text(READ, encoding="utf-8")
    done = python.run(tmp_path / "read.py")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", [("evidence", "3"), ("new-paper", "toy", "--title", "T"), ("verify", "batched")])
def test_nothing_is_written_into_an_installed_package(command: tuple[str, ...], python: Trunk, tmp_path: Path) -> None:
    done = companion(python, tmp_path, *command)
    assert done.returncode != 0
    assert "clone the repository" in done.stderr.lower()


def test_a_book_without_solutions_offers_a_package_without_them(root: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(companion_downloads.build_wheel(root, tmp_path / "wheel", solutions=False)) as packed:
        packed.extractall(site := tmp_path / "site")
    chapters = list((site / "companion" / "notebooks").glob("ch*.py"))
    assert len(chapters) == len(list((root / "notebooks").glob("ch*.py")))
    for path in chapters:
        text, whole = path.read_text(encoding="utf-8"), (root / "notebooks" / path.name).read_text(encoding="utf-8")
        for mark in ("{solution}", '"exercise-solution"'):
            assert mark in whole or path.stem.endswith(RECORD)
            assert mark not in text
    assert not list(site.rglob("assignments/*.py"))


def test_every_chapter_names_the_package_that_lies_beside_it(root: Path) -> None:
    line = f'`pip install "{companion_downloads.wheel_name(root)}[chapters]"`'
    for chapter in lessons(root):
        assert line in chapter.text, chapter.stem
