"""Stored results: damage is detected byte by byte, killed runs finish to the same result, nothing is done twice."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sweeping import write_result

from companion.core.errors import ResultError
from companion.core.randomness import stream
from companion.simulate.replicate import TaskError
from companion.simulate.task_store import (
    Task,
    assemble,
    cost,
    read_result,
    result_path,
    run_tasks,
)

TASKS = [Task("toy/sum", method, {"a": 0.25, "n": 4}, seed) for method in ("one", "two") for seed in range(6)]


def compute(task):
    draws = stream(task.seed, task.method).normal(size=task.parameters["n"])
    return {"draws": draws, "total": float(draws.sum()), "count": np.int64(draws.size)}


def expected():
    return [{"draws": compute(t)["draws"].tolist(), "total": compute(t)["total"], "count": 4} for t in TASKS]


def recorded(task, log):
    """compute() that leaves one line per call."""
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{task.method} {task.seed}\n")
    return compute(task)


@pytest.mark.parametrize(("jobs", "backend"), [(1, "loky"), (2, "loky"), (4, "threading")])
def test_results_are_exact_and_in_task_order(tmp_path, jobs, backend):
    summary = run_tasks(TASKS[::-1], compute, tmp_path, jobs=jobs, backend=backend)
    assert (summary.tasks, summary.computed, summary.reused, summary.damaged) == (12, 12, 0, 0)
    assert assemble(TASKS, tmp_path) == expected()
    assert assemble(TASKS[3:5], tmp_path) == expected()[3:5]


def test_only_missing_tasks_are_computed_and_duplicates_once(tmp_path):
    log = tmp_path / "log"

    def logged(task):
        return recorded(task, log)

    run_tasks(TASKS[:4], logged, tmp_path / "store")
    summary = run_tasks([*TASKS, *TASKS], logged, tmp_path / "store")
    assert (summary.tasks, summary.computed, summary.reused) == (12, 8, 4)
    lines = log.read_text().splitlines()
    assert len(lines) == len(set(lines)) == 12
    assert len(list((tmp_path / "store").rglob("*.json"))) == 12


def test_the_key_depends_on_every_part():
    base = Task("toy/sum", "one", {"a": 0.25, "n": 4}, 0)
    others = [
        Task("toy/sun", "one", {"a": 0.25, "n": 4}, 0),
        Task("toy/sum", "two", {"a": 0.25, "n": 4}, 0),
        Task("toy/sum", "one", {"a": 0.5, "n": 4}, 0),
        Task("toy/sum", "one", {"a": 0.25, "n": 4, "m": None}, 0),
        Task("toy/sum", "one", {"a": 0.25, "n": 4}, 1),
    ]
    others += [replace(base, version=2), replace(base, data="boston d98212636026"), replace(base, data="diabetes")]
    assert len({task.key() for task in [base, *others]}) == 9
    assert Task("toy/sum", "one", {"n": 4, "a": 0.25}, 0).key() == base.key()


def test_a_result_of_another_version_or_of_other_data_is_left_alone_and_not_used(tmp_path):
    run_tasks(TASKS[:2], compute, tmp_path)
    for changed in ({"version": 2}, {"data": "diabetes"}):
        again = [replace(task, **changed) for task in TASKS[:2]]
        assert run_tasks(again, compute, tmp_path).computed == 2
    assert len(list(tmp_path.rglob("*.json"))) == 6
    assert len(assemble(TASKS[:2], tmp_path)) == 2


def test_the_cost_is_that_of_all_calls(tmp_path, monkeypatch):
    def seconds(tasks):
        return {name: value for name, value in cost(tasks, tmp_path).items() if name != "megabytes"}

    now = [0.0]
    monkeypatch.setattr("companion.simulate.task_store.time", SimpleNamespace(process_time=lambda: now[0]))

    def slow(task):
        now[0] += 0.25 * (1 + task.seed)
        return compute(task)

    run_tasks(TASKS[:5], slow, tmp_path)
    assert seconds(TASKS[:5]) == {"runs": 5, "core_seconds": 3.8, "longest": 1.2}
    run_tasks(TASKS[:8], slow, tmp_path)
    assert run_tasks(TASKS[:8], slow, tmp_path).computed == 0
    assert cost([*TASKS[:8], *TASKS[:8]], tmp_path) == cost(TASKS[:8], tmp_path)
    assert seconds(TASKS[:8]) == {"runs": 8, "core_seconds": 0.25 * (21 + 1 + 2), "longest": 1.5}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell it")
def test_the_most_memory_is_that_of_the_largest_task(tmp_path):
    """A task that holds 80 MB more; where the system can forget, the next one is not charged for it."""

    def large(task):
        return {"total": float(np.ones(10_000_000 if task.seed == 2 else 10)[0])}

    run_tasks(TASKS[:5], large, tmp_path, jobs=1)
    most = [cost([task], tmp_path)["megabytes"] for task in TASKS[:5]]
    assert most[1] + 75 < most[2] == cost(TASKS[:5], tmp_path)["megabytes"]
    assert most[4] < most[1] + 20 or sys.platform != "linux"


def test_every_damaged_byte_is_detected(tmp_path):
    task = TASKS[0]
    path = write_result(task, {"x": 1.5}, tmp_path)
    intact = path.read_bytes()
    for place in range(len(intact)):
        path.write_bytes(intact[:place] + bytes([intact[place] ^ 1]) + intact[place + 1 :])
        with pytest.raises(ResultError, match="damaged"):
            read_result(task, tmp_path)
    for content in (b"", intact[:-1], intact[: len(intact) // 2], intact + b"\n"):
        path.write_bytes(content)
        with pytest.raises(ResultError, match="damaged"):
            read_result(task, tmp_path)
    path.write_bytes(intact)
    assert read_result(task, tmp_path) == {"x": 1.5}


def test_a_damaged_result_is_computed_again(tmp_path):
    run_tasks(TASKS, compute, tmp_path)
    path = result_path(TASKS[5], tmp_path)
    content = bytearray(path.read_bytes())
    content[-20] ^= 4
    path.write_bytes(bytes(content))
    with pytest.raises(ResultError):
        assemble(TASKS, tmp_path)
    summary = run_tasks(TASKS, compute, tmp_path)
    assert (summary.computed, summary.reused, summary.damaged) == (1, 11, 1)
    assert assemble(TASKS, tmp_path) == expected()


def test_an_intact_file_of_another_task_is_not_accepted(tmp_path):
    first = write_result(TASKS[0], {"x": 1}, tmp_path)
    second = result_path(TASKS[1], tmp_path)
    second.parent.mkdir(parents=True, exist_ok=True)
    second.write_bytes(first.read_bytes())
    with pytest.raises(ResultError, match="another task"):
        read_result(TASKS[1], tmp_path)


def test_missing_results_are_counted_and_the_first_is_named(tmp_path):
    run_tasks(TASKS[:3], compute, tmp_path)
    with pytest.raises(ResultError):
        assemble(TASKS, tmp_path)


@pytest.mark.parametrize("result", [{"x": float("nan")}, {"x": np.array([np.inf])}, {"x": object()}, [1.0]])
def test_results_that_json_cannot_hold_are_refused_and_nothing_is_written(tmp_path, result):
    with pytest.raises(TaskError):
        run_tasks(TASKS[:1], lambda task: result, tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_failing_task_is_named_and_finished_ones_are_kept(tmp_path):
    def fails(task):
        if task.seed == 4:
            raise RuntimeError("out of luck")
        return compute(task)

    with pytest.raises(TaskError):
        run_tasks(TASKS[:6], fails, tmp_path, jobs=1)
    assert assemble(TASKS[:4], tmp_path) == expected()[:4]


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = write_result(TASKS[0], {"x": 1}, tmp_path)

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_result(TASKS[0], {"x": 2}, tmp_path)
    assert read_result(TASKS[0], tmp_path) == {"x": 1}
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_old_temporary_files_are_removed_and_young_ones_left(tmp_path):
    folder = tmp_path / "ab"
    folder.mkdir()
    old, young = folder / ".x.json.1.tmp", folder / ".y.json.2.tmp"
    old.write_text("")
    young.write_text("")
    os.utime(old, (time.time() - 3600,) * 2)
    run_tasks([], compute, tmp_path)
    assert not old.exists()
    assert young.exists()


PROGRAM = """
import multiprocessing, os, sys, time
from pathlib import Path
from companion.simulate.task_store import Task
from companion.simulate.sweep import run_part
from companion.core.randomness import stream

def main(folder, log, seconds, jobs):
    tasks = [Task("toy/sum", "slow", {"n": 50}, seed) for seed in range(240)]

    def compute(task):
        with open(log, "a") as file:
            file.write(f"{task.seed}\\n")
        time.sleep(float(seconds))
        return {"draws": stream(task.seed, "slow").normal(size=50)}

    print(run_part(tasks, compute, Path(folder), Path(folder + "-failed"), jobs=jobs).computed, flush=True)

for line in sys.stdin:
    *where, way = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        if way == "two programs":
            multiprocessing.get_context("fork").Process(target=main, args=(*where, 1)).start()
        main(*where, 2 if way == "two workers" else 1)
        os._exit(0)
    os.setpgid(child, child)
    print(child, flush=True)
    os.waitpid(child, 0)
"""
#: How many tasks may be in flight at a kill, by the way in which the tasks are done.
IN_FLIGHT = {"one worker": 1, "two programs": 2, "two workers": 2}


@pytest.fixture
def start(tmp_path):
    """Starts the tasks on a folder, in a process group of its own that a kill reaches whole; gives its number.

    The process that it branches off from has read the libraries.
    """
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def begin(*words):
            print(*words, sep="\t", file=process.stdin, flush=True)
            return int(process.stdout.readline())

        begin.answer = process.stdout.readline
        yield begin


@pytest.mark.slow
def test_twenty_kills_at_random_moments_lose_and_duplicate_nothing(tmp_path, start):
    """While it begins, while workers start, while tasks are done, and while results are being written."""
    tasks = [Task("toy/sum", "slow", {"n": 50}, seed) for seed in range(240)]
    killed, log, moments = tmp_path / "killed", tmp_path / "log", np.random.default_rng(0)
    ways, done, in_flight = ["one worker", "two programs"] * 2 + ["two workers"], 0, 0

    def begun():
        return len(log.read_text().splitlines()) if log.exists() else 0

    for number in range(20):
        way, before = ways[number % 5], begun()
        group = start(killed, log, 0.03, way)
        if number % 6:  # wait until work has begun, then some
            deadline = time.monotonic() + 120
            while begun() == before:
                assert time.monotonic() < deadline
                time.sleep(0.002)
        time.sleep(moments.uniform(0.0, 0.1))
        os.killpg(group, signal.SIGKILL)
        in_flight += IN_FLIGHT[way]
        intact = sum(readable(task, killed) for task in tasks)
        assert intact == len(list(killed.rglob("*.json"))) >= done
        done = intact
    assert 0 < done < 240
    start(killed, log, 0, "two workers")
    assert int(start.answer()) == 240 - done
    assert assemble(tasks, killed) == [{"draws": stream(seed, "slow").normal(size=50).tolist()} for seed in range(240)]
    assert set(killed.rglob("*.json")) == {result_path(task, killed) for task in tasks}
    # What was in flight at a kill is begun twice; two programs may have begun the same task besides.
    assert begun() <= 240 + 2 * in_flight


def test_a_flipped_byte_in_each_of_fifty_results_is_noticed_each_time(tmp_path):
    tasks = [Task("toy/sum", "slow", {"n": 50}, seed) for seed in range(50)]
    run_tasks(tasks, compute, tmp_path)
    random = stream(0, "test", "flips")
    for task in tasks:
        path = result_path(task, tmp_path)
        content = bytearray(path.read_bytes())
        content[int(random.integers(len(content)))] ^= 1 << int(random.integers(8))
        path.write_bytes(bytes(content))
        with pytest.raises(ResultError, match="damaged"):
            read_result(task, tmp_path)
    summary = run_tasks(tasks, compute, tmp_path)
    assert (summary.computed, summary.reused, summary.damaged) == (50, 0, 50)


def readable(task, folder):
    try:
        read_result(task, folder)
    except FileNotFoundError:
        return False
    return True
