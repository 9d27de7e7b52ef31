"""Commands that are killed, told to end, or run out of disk: the next call ends as if nothing had happened, and nothing stays.

One kill and one termination are tried every time. COMPANION_SERIES=SEED tries the whole series: 21 kills, 12 terminations, full
and read-only disks in 10 places; the last need to mount a file system, and are left out where that is not allowed.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

SERIES = os.environ.get("COMPANION_SERIES")
FULL = pytest.mark.skipif(SERIES is None, reason="part of the whole series: COMPANION_SERIES=1")
RNG = random.Random(int(SERIES or 0))
KILLS, ENDS = (7, 4) if SERIES else (1, 1)
"""Of each command."""
GONE = 15.0
"""Seconds within which everything that a killed command started has to be gone."""
MARK = "COMPANION_TEST_MARK"
PLAN = """seeds = "0-11"
[[runs]]
experiment = "batched/appendix-e"
settings = {horizon = 120, points_per_axis = 14}
"""
TRIAL = ("trial", "batched", "appendix-e", "bpe", "--seeds", "0-11", "--set", "points_per_axis=14")
COMMANDS = {
    "sweep": [("sweep", "plan.toml", "--jobs", "2"), ("sweep", "plan.toml", "merge")],
    "trial": [(*TRIAL, "--set", "horizon=120", "--jobs", "2", "--out", "table.csv")],
    "export": [("export", "batched", "--out", "crate")],
}
NAMES = ["trial", "sweep", "export"]
TRIED = NAMES if SERIES else NAMES[:1]


def start(words, folder, mark="", **more):
    """A command as a program of its own, which leaves its mark on everything that it starts."""
    environment = os.environ | {MARK: mark, "TMPDIR": str(folder / "tmp"), "PYTHONPATH": os.pathsep.join(sys.path)}
    for name in ("COMPANION_JOBS", "COMPANION_BACKEND"):
        environment.pop(name, None)
    return subprocess.Popen(
        [sys.executable, "-m", "companion", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def ended(process):
    """Exit code and what a command has said."""
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def prepared(folder):
    (folder / "tmp").mkdir(parents=True)
    (folder / "plan.toml").write_text(PLAN)
    return folder


def marked(mark):
    """Processes that have the mark."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                if f"{MARK}={mark}".encode() in (place / "environ").read_bytes() and (place / "cmdline").read_bytes():
                    found.append(int(place.name))
            except OSError:
                continue
    return found


def wait_until_gone(mark):
    until = time.monotonic() + GONE
    while marked(mark) and time.monotonic() < until:
        time.sleep(0.1)
    assert marked(mark) == []


def results(folder):
    """Everything that a command has made, without what says when and how long."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix in (".csv", ".jsonld", ".md", ".py")
        and "tmp" not in path.relative_to(folder).parts
    }


def litter(folder):
    """Files and folders that a command has begun and not finished."""
    begun = [str(path) for path in folder.rglob("*") if path.name.endswith(".tmp") or ".partial" in path.name]
    return begun + [str(path) for path in (folder / "tmp").iterdir()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What the commands make when nothing disturbs them, and how long they take."""
    made, kept = {}, tmp_path_factory.mktemp("whole")

    def of(name):
        if name not in made:
            folder, began = prepared(kept / name), time.monotonic()
            for words in COMMANDS[name]:
                code, _, err = ended(start(words, folder))
                assert code == 0, err
            made[name] = (results(folder), time.monotonic() - began)
            assert made[name][0]
            assert litter(folder) == []
        return made[name]

    return of


def finish(name, folder):
    """The same commands again, to their end."""
    for words in COMMANDS[name]:
        code, _, err = ended(start(words, folder))
        assert code == 0, err


def stop(name, folder, number, seconds):
    """Start the first of the commands, and send the signal after so many seconds; code and words."""
    mark = uuid.uuid4().hex
    process = start(COMMANDS[name][0], folder, mark)
    time.sleep(seconds)
    process.send_signal(number)
    try:
        return ended(process)
    finally:
        wait_until_gone(mark)


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def moments(name, whole, count):
    """When to send the signals: any time, mostly before the first call is through."""
    _, seconds = whole(name)
    return [RNG.uniform(0.2, max(0.4, 0.8 * seconds)) for _ in range(count)]


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize("name", TRIED)
def test_killed_again_and_again_a_command_leaves_no_process_and_can_be_repeated(name, whole, tmp_path):
    expected, _ = whole(name)
    folder = prepared(tmp_path / "killed")
    for seconds in moments(name, whole, KILLS):
        code, _, _ = stop(name, folder, signal.SIGKILL, seconds)
        assert code in (-signal.SIGKILL, 0)
        for path, content in results(folder).items():
            assert content == expected[path], f"{path} is there in part"
    finish(name, folder)
    assert results(folder) == expected


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize("name", TRIED)
def test_told_to_end_a_command_says_one_line_and_leaves_nothing(name, whole, tmp_path):
    expected, _ = whole(name)
    folder = prepared(tmp_path / "ended")
    for seconds in moments(name, whole, ENDS):
        code, _, err = stop(name, folder, signal.SIGTERM, seconds)
        # Before the program has begun, or after it has ended, there is nobody to say it.
        assert code in (143, 0) or (code, err) == (-signal.SIGTERM, "")
        if code == 143:
            assert err.splitlines()[-1].endswith(": terminated")
            assert "Traceback" not in err
        assert litter(folder) == []
    finish(name, folder)
    assert results(folder) == expected


def refused(words, folder, **more):
    """One line, no traceback, nothing begun left behind."""
    code, _, err = ended(start(words, folder, **more))
    assert code == 1, err
    assert err.count("\n") == 1, err
    assert err.startswith("companion "), err
    assert litter(folder) == []
    return err


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


@FULL
@pytest.mark.parametrize("name", NAMES)
def test_a_limit_on_the_size_of_files_is_one_line(name, whole, tmp_path):
    expected, _ = whole(name)
    folder = prepared(tmp_path / "limited")
    assert "too large" in refused(COMMANDS[name][0], folder, preexec_fn=small_files)
    finish(name, folder)
    assert results(folder) == expected


# -- other file systems ------------------------------------------------------------------------------------------------


@pytest.fixture
def mounted():
    """``mounted(folder, options)`` puts an empty file system there; the end takes all away."""
    there = []

    def mount(folder, *words):
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["mount", *words, str(folder)], capture_output=True, check=False)
        if done.returncode:
            pytest.skip("mounting is not allowed here")
        there.append(folder)

    yield mount
    for folder in reversed(there):
        subprocess.run(["umount", "-l", str(folder)], check=True)


def read_only(folder, mounted):
    """The folder as it is, but nothing can be written there."""
    mounted(folder, "--bind", str(folder))
    subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)


@FULL
@pytest.mark.parametrize("name", NAMES)
def test_on_a_full_disk_a_command_says_one_line_and_goes_on_later(name, whole, tmp_path, mounted):
    expected, _ = whole(name)
    folder = tmp_path / "disk"
    mounted(folder, "-t", "tmpfs", "-o", f"size={12 if name != 'export' else 100}k", "tmpfs")
    prepared(folder)
    assert "No space left on device" in refused(COMMANDS[name][0], folder)
    subprocess.run(["mount", "-o", "remount,size=50m", str(folder)], check=True)
    finish(name, folder)
    assert results(folder) == expected


#: A folder that cannot be written, and the commands before and in it.
PLACES = {
    "beside the plan": (".", (), COMMANDS["sweep"][0]),
    "folder of the sweep": ("plan", (), COMMANDS["sweep"][0]),
    "finished runs": ("plan/tasks", (), COMMANDS["sweep"][0]),
    "merged tables": ("plan", COMMANDS["sweep"][:1], COMMANDS["sweep"][1]),
    "folder of the table": (".", (), COMMANDS["trial"][0]),
    "folder of another table": ("deep", (), (*COMMANDS["trial"][0][:-1], "deep/er/table.csv")),
    "beside the crate": (".", (), COMMANDS["export"][0]),
    "the crate": ("crate", (), COMMANDS["export"][0]),
    "a crate that is there": ("crate", COMMANDS["export"], COMMANDS["export"][0]),
    "new paper": ("repository/src/companion/papers", (), ("new-paper", "fresh")),
}


@FULL
@pytest.mark.parametrize("place", PLACES)
def test_where_nothing_can_be_written_a_command_says_one_line(place, tmp_path, mounted, root):
    where, before, words = PLACES[place]
    folder = prepared(tmp_path / "work")
    if place == "new paper":
        tracked = subprocess.run(["git", "archive", "HEAD"], cwd=root, capture_output=True, check=True).stdout
        (folder / "repository").mkdir()
        subprocess.run(["tar", "-x", "-C", str(folder / "repository")], input=tracked, check=True)
        (folder / "repository" / "tmp").mkdir()
    for earlier in before:
        assert ended(start(earlier, folder))[0] == 0
    (folder / where).mkdir(parents=True, exist_ok=True)
    read_only(folder / where, mounted)
    if where == ".":
        mounted(folder / "tmp", "-t", "tmpfs", "tmpfs")
    there = results(folder)
    home = folder / "repository" if place == "new paper" else folder
    assert "Read-only file system" in refused(words, home)
    assert results(folder) == there
