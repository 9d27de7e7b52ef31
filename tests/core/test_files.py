"""Files are replaced whole or not at all, and the repository is found from anywhere inside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.core.errors import DataError
from companion.core.files import reported_folder, repository_root, results_folder, write_atomic


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "deep" / "result.json"
    write_atomic(path, b"old")

    def fail(descriptor: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomic(path, b"new content")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in path.parent.iterdir()] == ["result.json"]


def test_an_atomic_write_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "result.bin"
    write_atomic(path, b"long old content")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"


def test_the_repository_is_found_from_below_and_refused_elsewhere(root: Path, tmp_path: Path) -> None:
    assert repository_root(root / "src" / "companion") == root
    assert results_folder("batched", root) == root / "data" / "results" / "batched"
    assert reported_folder("batched", root).is_dir()
    with pytest.raises(DataError, match="repository"):
        repository_root(tmp_path)


def test_an_error_of_the_disk_names_the_file_that_was_asked_for(tmp_path, monkeypatch):
    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left") as error:
        write_atomic(tmp_path / "a.csv", b"x")
    assert error.value.filename == str(tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []
