"""The commands from the built wheel, outside a checkout: the sources of the assignments travel inside."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from companion.classroom import source


@pytest.fixture(scope="module")
def installed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's content, as it lies in site-packages."""
    copy = tmp_path_factory.mktemp("build")
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copyfile(root / name, copy / name)
    ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("src", "notebooks/assignments"):
        shutil.copytree(root / name, copy / name, ignore=ignore)
    subprocess.run([sys.executable, "setup.py", "-q", "bdist_wheel"], cwd=copy, capture_output=True, check=True)
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(next((copy / "dist").glob("*.whl"))) as wheel:
        wheel.extractall(site)
    return site


def companion(site: Path, folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "companion", "assignment", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_list_make_check_and_grade_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    listed = json.loads(companion(installed, tmp_path, "list", "--json"))
    assert [one["name"] for one in listed] == list(source.assignments())
    made = json.loads(companion(installed, tmp_path, "make", "ch3_sizes", "--json"))[0]
    assert all((tmp_path / name).is_file() for name in made["files"])
    folder = tmp_path / "build" / "assignments" / "ch3_sizes"
    shutil.copyfile(folder / "solution.ipynb", folder / "student" / "solution.ipynb")
    companion(installed, tmp_path, "check", str(folder / "student" / "solution.ipynb"))
    (tmp_path / "handed-in").mkdir()
    shutil.copyfile(folder / "solution.ipynb", tmp_path / "handed-in" / "ada.ipynb")
    (tmp_path / "roster.csv").write_text("id\nada\n", encoding="utf-8")
    said = companion(
        installed, tmp_path, "grade", "handed-in", "--assignment", "ch3_sizes", "--students", "roster.csv", "--json"
    )
    assert [one["score"] for one in json.loads(said)["results"]] == [12]
