"""Replicates: the same bits for every worker count and backend, seed order, and failures that say where they are."""

import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from companion.core.errors import CompanionError, ParameterError
from companion.core.randomness import stream
from companion.simulate.replicate import TaskError, replicate, workers

SEEDS = [5, 0, 3, 9, 1, 2, 7, 4]


def make_task():
    """A task defined inside a function travels to workers by value, whatever they can import."""

    def task(seed):
        # Large enough that a multi-threaded product would round differently from a single-threaded one.
        matrix = stream(seed, "matrix").normal(size=(300, 300))
        gram = matrix @ matrix.T
        return seed, float(np.linalg.slogdet(gram + np.eye(300))[1]), np.linalg.solve(gram + np.eye(300), matrix[0])

    return task


def same(left, right):
    return all(a[0] == b[0] and a[1] == b[1] and np.array_equal(a[2], b[2]) for a, b in zip(left, right, strict=True))


@pytest.fixture(scope="module")
def reference():
    return replicate(make_task(), SEEDS)


def test_results_come_in_seed_order(reference):
    assert [result[0] for result in reference] == SEEDS


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_results_do_not_depend_on_worker_count_or_backend(reference, backend, jobs):
    assert same(replicate(make_task(), SEEDS, jobs=jobs, backend=backend), reference)


def test_order_of_completion_does_not_matter():
    def slow_first(seed):
        time.sleep(0.2 if seed == 0 else 0.0)
        return seed

    assert replicate(slow_first, range(6), jobs=3, backend="threading") == list(range(6))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_dask_gives_the_same_results(reference):
    pytest.importorskip("distributed")
    assert same(replicate(make_task(), SEEDS, jobs=2, backend="dask"), reference)


@pytest.mark.filterwarnings("ignore")
def test_a_dask_scheduler_is_reached_by_its_address(reference, monkeypatch):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        monkeypatch.setenv("COMPANION_SCHEDULER", cluster.scheduler_address)
        assert workers().backend == "dask"
        assert same(replicate(make_task(), SEEDS), reference)


@pytest.mark.slow
def test_workers_use_one_thread_each():
    def threads(seed):
        from threadpoolctl import threadpool_info

        np.zeros((2, 2)) @ np.zeros((2, 2))
        return max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")

    for backend in ("loky", "threading"):
        assert replicate(threads, range(4), jobs=2, backend=backend) == [1] * 4


@pytest.mark.slow
def test_workers_are_processes_with_loky():
    pids = set(replicate(lambda seed: os.getpid(), range(4), jobs=2, backend="loky"))
    assert os.getpid() not in pids


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "kind", "words", "code"),
    [
        ("loky", ParameterError, ("horizon", "got 3", "at least 4"), 2),
        ("threading", ZeroDivisionError, ("nothing to divide",), 1),
        ("sequential", ZeroDivisionError, ("nothing to divide",), 1),
    ],
)
def test_a_failing_task_reports_its_seed_parameters_and_line_and_keeps_its_exit_code(backend, kind, words, code):
    def fails(seed):
        if seed == 3:
            raise kind(*words)
        return seed

    with pytest.raises(TaskError) as caught:
        replicate(fails, range(5), jobs=2, backend=backend, parameters={"a": 0.4})
    text = str(caught.value)
    for part in ("seed 3", "{'a': 0.4}", f"{kind.__name__}: {kind(*words)}", "test_replicate.py, line"):
        assert part in text
    assert caught.value.exit_code == code


@pytest.mark.slow
def test_a_dying_worker_is_an_error_of_ours():
    def dies(seed):
        os._exit(1)

    with pytest.raises(CompanionError, match="worker process died"):
        replicate(dies, range(4), jobs=2, backend="loky")


def test_a_seed_twice_is_refused():
    with pytest.raises(ParameterError, match=r"^seeds:"):
        replicate(lambda seed: seed, [3, 4, 3])


def test_no_seeds_give_no_results():
    assert replicate(lambda seed: seed, []) == []


def test_progress_is_silent_without_a_terminal(capfd):
    replicate(lambda seed: seed, range(5))
    assert capfd.readouterr() == ("", "")


def test_progress_with_time_left_shows_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    replicate(lambda seed: time.sleep(0.15), range(3), label="toy runs")
    assert "toy runs: 100%" in terminal.getvalue()
    assert re.search(r"1/3 \[\d\d:\d\d<\d\d:\d\d,", terminal.getvalue())


def test_settings_come_from_arguments_then_environment(monkeypatch):
    for name in ("COMPANION_JOBS", "COMPANION_BACKEND", "COMPANION_SCHEDULER"):
        monkeypatch.delenv(name, raising=False)
    assert (workers().jobs, workers().backend, workers().scheduler) == (1, "loky", None)
    monkeypatch.setenv("COMPANION_JOBS", "3")
    monkeypatch.setenv("COMPANION_BACKEND", "threading")
    assert (workers().jobs, workers().backend) == (3, "threading")
    assert (workers(2, "loky").jobs, workers(2, "loky").backend) == (2, "loky")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [({"jobs": 0}, "jobs"), ({"jobs": -2}, "jobs"), ({"jobs": 1.5}, "jobs"), ({"jobs": True}, "jobs"),
     ({"backend": "lokky"}, "backend"), ({"backend": "loky", "scheduler": "tcp://x:1"}, "scheduler")],
)  # fmt: skip
def test_wrong_settings_are_refused(arguments, name):
    with pytest.raises(ParameterError) as caught:
        workers(**arguments)
    assert caught.value.name == name


def test_wrong_environment_is_named(monkeypatch):
    monkeypatch.setenv("COMPANION_JOBS", "many")
    with pytest.raises(ParameterError, match="COMPANION_JOBS: got 'many'"):
        workers()
    monkeypatch.setenv("COMPANION_JOBS", "1")
    monkeypatch.setenv("COMPANION_BACKEND", "lokky")
    with pytest.raises(ParameterError, match=r"^COMPANION_BACKEND:"):
        workers()


def test_no_more_workers_than_tasks_and_a_few_a_core():
    from joblib import cpu_count

    from companion.simulate.replicate import PER_CORE, spread

    cores = cpu_count()
    assert spread(workers(1000), 10**6).jobs == PER_CORE * cores
    assert spread(workers(-1), 10**6).jobs == cores
    assert [spread(workers(jobs), 1).jobs for jobs in (-1, 7, 1)] == [1, 1, 1]
    assert spread(workers(2), 0).jobs == 1


@pytest.mark.parametrize("text", ["--5", "1" * 5000, "1025", "0", "-2", "1.5", "\u0662"])
def test_numbers_of_workers_that_are_none_are_refused_in_short(monkeypatch, text):
    monkeypatch.setenv("COMPANION_JOBS", text)
    with pytest.raises(ParameterError, match="COMPANION_JOBS") as refused:
        workers()
    assert len(str(refused.value)) < 200


@pytest.mark.slow
def test_without_semaphores_one_process_does_the_work(tmp_path):
    code = "from companion.simulate.replicate import replicate; print(replicate(abs, [3, 1, 2], jobs=2))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"JOBLIB_MULTIPROCESSING": "0"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[3, 1, 2]\n", "")


LONG = """
import os, pathlib, sys, time
from companion.simulate.replicate import replicate

def task(seed):
    pathlib.Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(60)

replicate(task, range(4), jobs=2)
"""


@pytest.mark.slow
def test_workers_end_when_their_parent_is_killed(tmp_path):
    parent = subprocess.Popen([sys.executable, "-c", LONG, str(tmp_path)], stdout=subprocess.DEVNULL)
    _until(lambda: len(list(tmp_path.iterdir())) >= 2)
    workers_there = [int(path.name) for path in tmp_path.iterdir()]
    parent.kill()
    parent.wait()
    _until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() and _runs(pid) for pid in workers_there))


def _runs(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def _until(done, seconds=120.0):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)
