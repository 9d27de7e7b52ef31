"""Records point into the history of the checkout."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from companion.reproduce.history import EXCUSED, history, records, unchanged


def test_stored_records_name_commits_of_the_history(root: Path) -> None:
    known = history(root)
    if known.missing:
        pytest.skip(f"commits of the records are not looked up: {known.missing}")
    found = {
        path.relative_to(root).as_posix(): list(known.faults(json.loads(path.read_text(encoding="utf-8"))))
        for path in records(root)
        if path.is_relative_to(root / "data")
    }
    faults = {name: texts for name, texts in found.items() if texts}
    assert set(faults) == set(EXCUSED), (
        f"{faults}; make the tables again from a commit, and excuse no record without need"
    )


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two commits, and a record that names the first and, of an earlier call, nothing yet."""
    for name in ("GLOBAL", "SYSTEM"):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", os.devnull)
    (tmp_path / "data" / "results" / "one").mkdir(parents=True)
    git(tmp_path, "init", "-q")
    for name in "ab":
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", name)
    record(tmp_path, {"commit": git(tmp_path, "rev-parse", "HEAD~"), "dirty": False})
    return tmp_path


def git(folder: Path, *words: str) -> str:
    person = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.invalid"]
    run = subprocess.run(["git", "-C", str(folder), *person, *words], check=True, capture_output=True, text=True)
    return run.stdout.strip()


def record(folder: Path, content: dict[str, object]) -> Path:
    path = folder / "data" / "results" / "one" / "tables.record.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_record_is_refused_whose_commit_is_lost_or_was_not_all(checkout: Path) -> None:
    first = git(checkout, "rev-parse", "HEAD~")
    lost = "0123456789" * 4
    known = history(checkout)
    assert known.missing == ""
    assert list(known.faults({"commit": first, "dirty": False})) == []
    assert "uncommitted" in next(known.faults({"commit": first, "dirty": True}))
    # Of an earlier call, inside the record of a later one.
    nested = {"commit": first, "dirty": False, "settings": {"renewed": [{"commit": lost}]}}
    (fault,) = known.faults(nested)
    assert lost[:10] in fault
    # A commit that exists and is no ancestor.
    git(checkout, "commit", "-q", "--allow-empty", "-m", "aside")
    aside = git(checkout, "rev-parse", "HEAD")
    git(checkout, "reset", "-q", "--hard", "HEAD~")
    assert aside[:10] in next(history(checkout).faults({"commit": aside}))


def test_where_the_history_is_missing_nothing_is_refused(checkout: Path, tmp_path: Path) -> None:
    lost = {"commit": "0123456789" * 4, "dirty": False}
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{checkout}", str(shallow))
    assert "shallow" in history(shallow).missing
    (tmp_path / "none").mkdir()
    assert history(tmp_path / "none" / "nowhere").missing
    record(checkout, lost)
    other = history(checkout)
    assert "its own" in other.missing
    assert list(other.faults(lost)) == []


def test_a_file_is_unchanged_when_it_is_committed_as_it_stands(checkout: Path) -> None:
    path = checkout / "data" / "results" / "one" / "tables.record.json"
    assert not unchanged(path)
    git(checkout, "add", "-A")
    git(checkout, "commit", "-q", "-m", "c")
    assert unchanged(path)
    path.write_text("{}", encoding="utf-8")
    assert not unchanged(path)
