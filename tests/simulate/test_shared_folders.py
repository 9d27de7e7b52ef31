"""What network file systems do to a store: passing errors, and clocks that differ. Nothing is lost, nothing is done twice."""

import errno
import os
import time
from pathlib import Path

import numpy as np
import pytest
from sweeping import write_result

from companion.core import files
from companion.core.files import patiently, read_patiently, write_atomic
from companion.simulate import TaskError
from companion.simulate.task_store import Task, assemble, read_failure, read_result, run_tasks

TASKS = [Task("toy/sum", "one", {"n": 4}, seed) for seed in range(12)]
HOUR = 3600.0


def compute(task):
    return {"x": np.arange(4) + task.seed}


def expected():
    return [{"x": (np.arange(4) + task.seed).tolist()} for task in TASKS]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    waited = []
    monkeypatch.setattr(files.time, "sleep", waited.append)
    return waited


class Sometimes:
    """A function that fails at some of its calls, as a network file system does."""

    def __init__(self, real, number, every=3):
        self.real, self.number, self.every, self.calls = real, number, every, 0

    def __call__(self, *arguments, **named):
        self.calls += 1
        if self.calls % self.every == 0:
            raise OSError(self.number, os.strerror(self.number), str(arguments[0]))
        return self.real(*arguments, **named)


@pytest.mark.parametrize("number", [errno.ENOENT, errno.ESTALE])
@pytest.mark.parametrize("where", [(os, "replace"), (os, "fsync"), (os, "open")])
def test_passing_errors_while_writing_lose_nothing(tmp_path, monkeypatch, where, number):
    faulty = Sometimes(getattr(*where), number)
    monkeypatch.setattr(*where, faulty)
    assert run_tasks(TASKS, compute, tmp_path).computed == 12
    monkeypatch.setattr(*where, faulty.real)
    assert faulty.calls > 12
    assert assemble(TASKS, tmp_path) == expected()
    assert not list(tmp_path.rglob(".*"))


def test_a_rename_that_was_done_though_its_answer_was_lost(tmp_path, monkeypatch):
    """The client asks again, and the server says that the temporary file is not there: it has been renamed."""
    real, lost = os.replace, []

    def renames(source, target):
        real(source, target)
        if not lost:
            lost.append(target)
            real(source, target)  # raises FileNotFoundError

    monkeypatch.setattr(os, "replace", renames)
    write_result(TASKS[0], compute(TASKS[0]), tmp_path)
    assert lost
    assert read_result(TASKS[0], tmp_path) == expected()[0]


def test_passing_errors_while_reading_lose_nothing(tmp_path, monkeypatch):
    run_tasks(TASKS, compute, tmp_path)
    faulty = Sometimes(Path.read_bytes, errno.ESTALE)
    monkeypatch.setattr(Path, "read_bytes", lambda path: faulty(path))
    assert assemble(TASKS, tmp_path) == expected()
    assert faulty.calls == 12 + 12 // 2 - 1


def test_a_file_that_another_machine_has_just_written_is_found(tmp_path, monkeypatch):
    """A client remembers that a file was not there until it asks for the folder."""
    run_tasks(TASKS, compute, tmp_path)
    seen, real, look = set(), Path.read_bytes, os.listdir

    def reads(path):
        if path.parent not in seen:
            raise FileNotFoundError(errno.ENOENT, "remembered", str(path))
        return real(path)

    def lists(folder):
        seen.add(Path(folder))
        return look(folder)

    monkeypatch.setattr(Path, "read_bytes", reads)
    monkeypatch.setattr(os, "listdir", lists)
    summary = run_tasks(TASKS, compute, tmp_path)
    assert (summary.computed, summary.reused) == (0, 12)


def test_an_error_that_stays_is_raised_after_a_few_tries(tmp_path, monkeypatch, no_waiting):
    monkeypatch.setattr(os, "replace", Sometimes(os.replace, errno.ESTALE, every=1))
    with pytest.raises(OSError, match="Stale"):
        write_atomic(tmp_path / "x", b"1")
    assert no_waiting == list(files._WAITS)
    assert list(tmp_path.iterdir()) == []


def test_other_errors_are_not_tried_again(tmp_path, monkeypatch):
    faulty = Sometimes(os.replace, errno.ENOSPC, every=1)
    monkeypatch.setattr(os, "replace", faulty)
    with pytest.raises(OSError, match="No space"):
        write_atomic(tmp_path / "x", b"1")
    assert faulty.calls == 1
    with pytest.raises(ZeroDivisionError):
        patiently(lambda: 1 / 0, (errno.ESTALE,))


def test_a_file_that_is_not_there_is_asked_for_twice_and_not_waited_for(tmp_path, no_waiting):
    with pytest.raises(FileNotFoundError):
        read_patiently(tmp_path / "no" / "file")
    assert no_waiting == []


@pytest.mark.parametrize("error", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_flushes_no_folders_is_accepted(tmp_path, monkeypatch, error):
    real = os.fsync

    def flushes(descriptor):
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            raise OSError(error, os.strerror(error))
        return real(descriptor)

    monkeypatch.setattr(os, "fsync", flushes)
    write_atomic(tmp_path / "x", b"1")
    assert (tmp_path / "x").read_bytes() == b"1"


@pytest.mark.parametrize("off", [-HOUR, 0.0, HOUR])
def test_old_temporary_files_are_told_by_the_file_system_s_clock(tmp_path, monkeypatch, off):
    """The clock of this machine may be an hour off; that of the file system made the times that are compared."""
    folder = tmp_path / "ab"
    folder.mkdir()
    old, young = folder / ".x.json.1.tmp", folder / ".y.json.2.tmp"
    old.write_text("")
    young.write_text("")
    os.utime(old, (time.time() - HOUR / 2,) * 2)
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + off)
    run_tasks([], compute, tmp_path)
    assert (old.exists(), young.exists()) == (False, True)
    assert sorted(tmp_path.iterdir()) == [folder]


def test_a_result_that_comes_from_elsewhere_while_others_are_computed_is_not_computed(tmp_path):
    made = []

    def meanwhile(task):
        made.append(task.seed)
        if task.seed == 0:
            for other in TASKS[5:9]:
                write_result(other, compute(other), tmp_path)
        return compute(task)

    summary = run_tasks(TASKS, meanwhile, tmp_path)
    assert made == [0, 1, 2, 3, 4, 9, 10, 11]
    assert (summary.computed, summary.reused) == (8, 4)
    assert assemble(TASKS, tmp_path) == expected()


def test_a_failure_leaves_a_note_and_the_others_go_on(tmp_path):
    def fails(task):
        if task.seed % 4 == 1:
            raise RuntimeError(f"no luck with {task.seed}")
        return compute(task)

    notes = tmp_path / "failed"
    summary = run_tasks(TASKS, fails, tmp_path / "tasks", failures=notes)
    assert (summary.computed, summary.failed, summary.reused) == (9, 3, 0)
    note = read_failure(TASKS[5], notes)
    assert note["error"] == "RuntimeError: no luck with 5"
    assert note["where"].startswith("test_shared_folders.py, line ")
    assert read_failure(TASKS[4], notes) is None
    summary = run_tasks(TASKS, compute, tmp_path / "tasks", failures=notes)
    assert (summary.computed, summary.failed, summary.reused) == (3, 0, 9)
    assert list(notes.iterdir()) == []
    assert assemble(TASKS, tmp_path / "tasks") == expected()


def test_a_full_disk_is_no_failure_of_a_task(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "replace", Sometimes(os.replace, errno.ENOSPC, every=1))
    with pytest.raises(TaskError, match="No space"):
        run_tasks(TASKS, compute, tmp_path, failures=tmp_path / "failed")
    assert not (tmp_path / "failed").exists()
