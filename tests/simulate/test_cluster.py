"""A Dask cluster: workers do all the work, late ones take their share, and what goes wrong is one clear error."""

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from companion.errors import CompanionError, ParameterError
from companion.simulate import cluster
from companion.simulate.cluster import SchedulerLostError, check_scheduler
from companion.simulate.replicate import TaskError, replicate
from companion.simulate.store import Task, assemble, run_tasks

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")

SOURCE = Path(__file__).resolve().parents[2] / "src"


def local(workers, processes=True):
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=processes, dashboard_address=None
    )


def where(seconds):
    """A task that says which process it ran in; made here, it travels to workers by value."""

    def task(seed):
        time.sleep(seconds)
        return os.getpid()

    return task


@pytest.fixture(scope="module")
def pair():
    with local(2) as there:
        yield there


@pytest.fixture
def two_workers(pair):
    return pair.scheduler_address


def test_one_worker_with_one_thread_does_all_the_work():
    with local(1) as there:
        found = replicate(where(0), range(6), scheduler=there.scheduler_address)
    assert len(set(found)) == 1
    assert os.getpid() not in found


@pytest.mark.slow
def test_workers_that_arrive_late_take_their_share():
    with local(1) as there:
        timer = threading.Timer(0.5, lambda: there.scale(3))
        timer.start()
        found = replicate(where(0.25), range(48), scheduler=there.scheduler_address)
        timer.join()
    shares = sorted(found.count(process) for process in set(found))
    assert len(shares) == 3
    assert sum(shares[:2]) >= 12


def test_the_first_worker_may_come_after_the_call():
    with local(0) as there:
        timer = threading.Timer(0.5, lambda: there.scale(1))
        timer.start()
        assert os.getpid() not in replicate(where(0), range(3), scheduler=there.scheduler_address)
        timer.join()


def test_a_cluster_to_which_no_worker_comes_is_said_so(monkeypatch):
    monkeypatch.setattr(cluster, "FIRST_WORKER_SECONDS", 0.3)
    lonely = pytest.raises(SchedulerLostError, match=r"has had no worker for 0\.3 seconds; start workers")
    with local(0, processes=False) as there, lonely:
        replicate(where(0), range(3), scheduler=there.scheduler_address)


@pytest.mark.slow
def test_two_workers_are_busy_for_most_of_the_time(two_workers):
    replicate(where(0), range(4), scheduler=two_workers)  # both have loaded what they need
    began = time.monotonic()
    replicate(where(0.3), range(40), scheduler=two_workers)
    assert 40 * 0.3 / 2 / (time.monotonic() - began) >= 0.85


def test_a_task_that_fails_on_a_worker_is_named(two_workers):
    def fails(seed):
        if seed == 3:
            raise FileNotFoundError("no such table")
        return seed

    with pytest.raises(TaskError, match="seed 3: FileNotFoundError: no such table"):
        replicate(fails, range(5), scheduler=two_workers)


@pytest.mark.slow
def test_a_worker_that_dies_over_and_over_is_one_error(pair, two_workers, monkeypatch):
    # By default three; every death costs the start of another worker.
    monkeypatch.setattr(pair.scheduler, "allowed_failures", 1)

    def dies(seed):
        os._exit(1)

    with pytest.raises(CompanionError, match="workers died over and over on the same task"):
        replicate(dies, range(1), scheduler=two_workers)


def started(*words):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.slow
def test_a_lost_scheduler_is_one_error_and_the_store_goes_on(tmp_path):
    port, tasks = free_port(), [Task("toy/slow", "one", {}, seed) for seed in range(40)]
    address = f"tcp://127.0.0.1:{port}"

    def compute(task):
        time.sleep(0.1)
        return {"seed": task.seed}

    scheduler = started("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    worker = started("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                     "--death-timeout", "2", "--local-directory", str(tmp_path / "scratch"))  # fmt: skip

    def kill_when_some_are_done():
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob("store/*/*.json"))) < 5 and time.monotonic() < deadline:
            time.sleep(0.02)
        scheduler.kill()

    killer = threading.Thread(target=kill_when_some_are_done)
    killer.start()
    try:
        with pytest.raises(SchedulerLostError) as caught:
            run_tasks(tasks, compute, tmp_path / "store", scheduler=address)
    finally:
        killer.join()
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    assert str(caught.value).startswith("the Dask scheduler is gone. Results that workers have stored are kept")
    assert "\n" not in str(caught.value)
    kept = len(list(tmp_path.glob("store/*/*.json")))
    assert 5 <= kept < 40
    assert run_tasks(tasks, compute, tmp_path / "store").computed == 40 - kept
    assert assemble(tasks, tmp_path / "store") == [{"seed": seed} for seed in range(40)]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://there:1", "127.0.0.1:notaport", "--"])
def test_a_bad_address_is_refused_and_named(monkeypatch, address):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.3)
    made = []
    with pytest.raises(ParameterError, match="scheduler: cannot reach") as caught:
        replicate(made.append, range(3), scheduler=address)
    assert address in str(caught.value)
    assert made == []
    with pytest.raises(ParameterError, match="scheduler: cannot reach"):
        check_scheduler(address)
    check_scheduler(None)


def test_what_is_no_address_is_refused_without_a_try(monkeypatch):
    monkeypatch.setattr("distributed.Client", lambda *words, **more: pytest.fail("a client was started"))
    for address in ("nonsense", "--", "there:"):
        with pytest.raises(ParameterError, match="scheduler: cannot reach"):
            check_scheduler(address)
