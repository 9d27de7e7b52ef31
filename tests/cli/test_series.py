"""Commands that are killed, told to end, or run out of disk: the next call ends as if nothing had happened, and nothing stays.

Every time a few are tried, of runs and of a small chapter. COMPANION_SERIES=SEED tries the whole series, at other moments: kills
and terminations of every command and of a whole chapter, full and read-only disks in 10 places; the last need to mount a file
system, and are left out where that is not allowed.
"""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
import time

import pytest
from cli.killed import LINUX, RNG, SERIES, check_words, ended, litter, results, start, stop
from cli.scratch import COMPUTED, copied, run, with_a_new_paper

FULL = pytest.mark.skipif(SERIES is None, reason="part of the whole series: COMPANION_SERIES=1")
#: How often each command gets the signal before it may end.
TIMES = {signal.SIGKILL: 7 if SERIES else 1, signal.SIGTERM: 4 if SERIES else 1}
PLAN = """seeds = "0-11"
[[runs]]
experiment = "batched/appendix-e"
settings = {horizon = 120, points_per_axis = 14}
"""
PAGE = """# %% [markdown]
# # A small chapter

# %% tags=["parameters"]
count = 8  # tasks, integer

# %%
import time

time.sleep(0.5)
print(sum(range(count)))
"""
TRIAL = ("trial", "batched", "appendix-e", "bpe", "--seeds", "0-11", "--set", "points_per_axis=14")
COMMANDS = {
    "sweep": [("sweep", "plan.toml", "--jobs", "2"), ("sweep", "plan.toml", "merge")],
    "trial": [(*TRIAL, "--set", "horizon=120", "--jobs", "2", "--out", "table.csv")],
    "export": [("export", "batched", "--out", "crate")],
    "page": [("run", "3")],
    "chapter": [("run", "3", "--profile", "smoke", "--jobs", "2")],
    "evidence": [("evidence", "nova", "--jobs", "2")],
}
NAMES = ["trial", "sweep", "export"]
TRIED = list(COMMANDS) if SERIES else ["trial", "page"]
PAGES = ("notebooks/ch3_batched.py", "notebooks/ch3_batched_record.py")
CHAPTER = (*PAGES, "notebooks/profiles/ch3_batched/smoke.yaml", "pyproject.toml", "_config.yml")
#: What a repository needs for one chapter.
SHOWN = ("book/_static/mathjax", "data/results/batched", "data/results/across", "data/reported", "data/sources.toml")
MADE = {"page": "runs", "chapter": "runs", "evidence": "data/results/nova"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory, root):
    """``prepared(folder, name)`` makes the folder, with what the commands of that name need."""
    kept = tmp_path_factory.mktemp("kept")

    def toy():
        if not (kept / "toy").is_dir():
            with_a_new_paper(copied(root, kept / "toy"))
            run(kept / "toy", "-c", COMPUTED)
        return kept / "toy"

    def prepare(folder, name="trial"):
        if name == "evidence":
            shutil.copytree(toy(), folder)
        (folder / "tmp").mkdir(parents=True)
        (folder / "plan.toml").write_text(PLAN)
        if name in ("page", "chapter"):
            for place in (*CHAPTER, *SHOWN):
                (folder / place).parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if (root / place).is_dir() else shutil.copy)(root / place, folder / place)
        if name == "page":
            (folder / CHAPTER[0]).write_text(PAGE)
        return folder

    return prepare


@pytest.fixture(scope="module")
def whole(tmp_path_factory, prepared):
    """What the commands make when nothing disturbs them, and how long they take."""
    found, kept = {}, tmp_path_factory.mktemp("whole")

    def of(name):
        if name not in found:
            folder = prepared(kept / name, name)
            began = time.monotonic()
            finish(name, folder)
            found[name] = (made(name, folder), time.monotonic() - began)
            assert found[name][0]
            assert litter(folder) == []
        return found[name]

    return of


def made(name, folder):
    """What the commands of that name have made."""
    return results(folder / MADE.get(name, "."))


def finish(name, folder):
    """The commands, to their end."""
    for words in COMMANDS[name]:
        code, _, err = ended(start(words, folder))
        assert code == 0, err


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize("name", TRIED)
@pytest.mark.parametrize("number", TIMES, ids=lambda number: number.name)
def test_stopped_again_and_again_a_command_leaves_no_process_and_can_be_repeated(
    number, name, whole, prepared, tmp_path
):
    if not SERIES and (name, number) == ("page", signal.SIGKILL):
        pytest.skip("part of the whole series")
    # The small chapter is not made a second time every day: what it shows is known.
    expected, seconds = whole(name) if SERIES or name != "page" else (None, 3.0)
    folder = prepared(tmp_path / "stopped", name)
    for _ in range(TIMES[number]):
        # Any time, mostly before the first call is through.
        code, _, err = stop(COMMANDS[name][0], folder, number, RNG.uniform(0.2, max(0.4, 0.8 * seconds)))
        check_words(number, code, err)
        for path, content in made(name, folder).items() if expected else ():
            assert content == expected[path], f"{path} is there in part"
        if number == signal.SIGTERM:
            assert litter(folder) == []
    finish(name, folder)
    if expected:
        assert made(name, folder) == expected
    else:
        assert made(name, folder)["ch3_batched/book.ipynb"][1][0]["text"] == ["28\n"]


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
def test_a_limit_on_the_size_of_files_is_one_line(name, whole, prepared, tmp_path):
    expected, _ = whole(name)
    folder = prepared(tmp_path / "limited")
    assert "too large" in refused(COMMANDS[name][0], folder, preexec_fn=small_files)
    finish(name, folder)
    assert made(name, folder) == expected


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
def test_on_a_full_disk_a_command_says_one_line_and_goes_on_later(name, whole, prepared, tmp_path, mounted):
    expected, _ = whole(name)
    folder = tmp_path / "disk"
    mounted(folder, "-t", "tmpfs", "-o", f"size={12 if name != 'export' else 100}k", "tmpfs")
    prepared(folder)
    assert "No space left on device" in refused(COMMANDS[name][0], folder)
    subprocess.run(["mount", "-o", "remount,size=50m", str(folder)], check=True)
    finish(name, folder)
    assert made(name, folder) == expected


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
def test_where_nothing_can_be_written_a_command_says_one_line(place, prepared, tmp_path, mounted, root):
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
