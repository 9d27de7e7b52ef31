"""A Dask cluster: workers do all the work, late ones take their share, and what goes wrong is one clear error."""

import asyncio
import concurrent.futures
import errno
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from companion.core.errors import CompanionError, ParameterError
from companion.simulate import cluster
from companion.simulate.cluster import SchedulerLostError, check_scheduler, on_cluster
from companion.simulate.replicate import TaskError, replicate
from companion.simulate.task_store import Task, assemble, run_tasks

distributed = pytest.importorskip("distributed")

from distributed.client import Client, ClosedClientError, Future, FutureCancelledError, FuturesCancelledError  # noqa: E402
from distributed.comm.core import CommClosedError, FatalCommClosedError  # noqa: E402
from distributed.comm.inproc import InProc  # noqa: E402
from distributed.core import RPCClosed  # noqa: E402
from tornado.iostream import StreamClosedError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

SOURCE = Path(__file__).resolve().parents[2] / "src"
#: Seconds after which what is waited for does not come any more.
LIMIT = 120.0


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


def begun(folder):
    """Processes in which a task of :func:`gated` has begun."""
    return len(list(folder.glob("begun-*")))


def gated(folder, count):
    """A task that notes its process, and goes on when tasks have begun in so many processes and there is a file ``open``."""

    def task(seed):
        (folder / f"begun-{os.getpid()}").touch()
        deadline = time.monotonic() + LIMIT
        while len(list(folder.glob("begun-*"))) < count or not (folder / "open").exists():
            if time.monotonic() > deadline:
                raise TimeoutError(f"only {len(list(folder.glob('begun-*')))} processes have begun a task")
            time.sleep(0.02)
        return os.getpid()

    return task


def once(condition, action):
    """A thread that waits for the condition, and then acts."""

    def wait():
        deadline = time.monotonic() + LIMIT
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.02)
        action()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_workers_that_arrive_late_take_their_share(tmp_path):
    (tmp_path / "open").touch()
    with local(1) as there:
        late = once(lambda: begun(tmp_path), lambda: there.scale(3))
        found = replicate(gated(tmp_path, 3), range(12), scheduler=there.scheduler_address)
        late.join()
    assert len(set(found)) == 3


def test_the_first_worker_may_come_after_the_call():
    with local(0) as there:
        timer = threading.Timer(0.5, lambda: there.scale(1))
        timer.start()
        assert os.getpid() not in replicate(where(0), range(3), scheduler=there.scheduler_address)
        timer.join()


def test_a_cluster_to_which_no_worker_comes_is_said_so(monkeypatch):
    monkeypatch.setattr(cluster, "FIRST_WORKER_SECONDS", 0.3)
    lonely = pytest.raises(SchedulerLostError)
    with local(0, processes=False) as there, lonely:
        replicate(where(0), range(3), scheduler=there.scheduler_address)


def test_all_tasks_wait_at_the_scheduler_while_two_workers_are_busy(pair, two_workers, tmp_path):
    seen = []

    def release():
        seen.append(len(pair.scheduler.tasks))
        (tmp_path / "open").touch()

    opened = once(lambda: begun(tmp_path) == 2 and len(pair.scheduler.tasks) == 40, release)
    assert len(set(replicate(gated(tmp_path, 2), range(40), scheduler=two_workers))) == 2
    opened.join()
    assert seen == [40]


def test_a_task_that_fails_on_a_worker_is_named(two_workers):
    def fails(seed):
        if seed == 3:
            raise FileNotFoundError("no such table")
        return seed

    with pytest.raises(TaskError):
        replicate(fails, range(5), scheduler=two_workers)


def test_a_worker_that_dies_over_and_over_is_one_error(pair, two_workers, monkeypatch):
    # By default three; every death costs the start of another worker.
    monkeypatch.setattr(pair.scheduler, "allowed_failures", 1)

    def dies(seed):
        os._exit(1)

    with pytest.raises(CompanionError):
        replicate(dies, range(1), scheduler=two_workers)


def started(*words):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_a_lost_scheduler_is_one_error_and_the_store_goes_on(tmp_path):
    place, gone = tmp_path / "scheduler.json", tmp_path / "gone"
    tasks = [Task("toy/slow", "one", {}, seed) for seed in range(40)]

    def compute(task):
        # The last tasks wait until the scheduler is gone, so that it never outlives them.
        deadline = time.monotonic() + LIMIT
        while task.seed >= 20 and not gone.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        return {"seed": task.seed}

    def stored():
        return len(list(tmp_path.glob("store/*/*.json")))

    where = ("--scheduler-file", str(place), "--no-dashboard")
    scheduler = started("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *where)
    worker = started("distributed.cli.dask_worker", *where, "--nthreads", "1", "--no-nanny", "--local-directory",
                     str(tmp_path / "scratch"))  # fmt: skip
    killer = once(lambda: stored() >= 5, scheduler.kill)
    try:
        with pytest.raises(SchedulerLostError) as caught:
            run_tasks(tasks, compute, tmp_path / "store", scheduler=address(place))
    finally:
        killer.join()
        for process in (worker, scheduler):
            process.kill()
            process.wait()
    assert "\n" not in str(caught.value)
    kept = stored()
    assert 5 <= kept <= 20
    gone.touch()
    assert run_tasks(tasks, compute, tmp_path / "store").computed == 40 - kept
    assert assemble(tasks, tmp_path / "store") == [{"seed": seed} for seed in range(40)]


def address(place):
    """What a scheduler has written about itself, as soon as it is there."""
    deadline = time.monotonic() + LIMIT
    while True:
        try:
            return json.loads(place.read_text())["address"]
        except (FileNotFoundError, ValueError):
            assert time.monotonic() < deadline, "no scheduler has started"
            time.sleep(0.05)


# What Dask's client was seen to raise, or raises by its source, when the scheduler goes away during a call.
BROKEN = {
    "reset": ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
    "refused": ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"),
    "pipe": BrokenPipeError(errno.EPIPE, "Broken pipe"),
    "no route": OSError(errno.EHOSTUNREACH, "No route to host"),
    "time-out": TimeoutError("timed out after 20 s."),
    "comm": CommClosedError("in <TCP (closed)>: Stream is closed"),
    "comm for good": FatalCommClosedError(),
    "rpc": RPCClosed("RPC Closed"),
    "stream": StreamClosedError(),
    "future": FutureCancelledError("task-1", "scheduler-connection-lost", "Client lost the connection"),
    "futures": FuturesCancelledError([]),
    "executor": concurrent.futures.CancelledError(),
    "call": asyncio.CancelledError(),
    "missed": UnboundLocalError("cannot access local variable 'result' where it is not associated with a value"),
}
# Errors of a client that has given up already.
GIVEN_UP = {
    "message": ClosedClientError("Client is closed. Can't send update-graph message."),
    "scheduler": AttributeError("'NoneType' object has no attribute 'identity'"),
    "pool": RuntimeError("ConnectionPool is closed"),
    "loop": RuntimeError("IOLoop is closed"),
}


@pytest.fixture(scope="module")
def within():
    """A worker and a scheduler in this process."""
    with local(1, processes=False) as there:
        yield there


@pytest.mark.parametrize(("owner", "step"), [(Client, "wait_for_workers"), (Client, "map"), (Future, "result")])
@pytest.mark.parametrize("form", [*BROKEN, *GIVEN_UP])
def test_every_form_of_a_lost_connection_is_one_error(monkeypatch, within, owner, step, form):
    def breaks(this, *words, **more):
        if form in GIVEN_UP:
            (this if owner is Client else this.client).close()
        raise (BROKEN | GIVEN_UP)[form]

    monkeypatch.setattr(owner, step, breaks)
    with pytest.raises(SchedulerLostError):
        replicate(where(0), range(2), scheduler=within.scheduler_address)


@pytest.mark.parametrize("form", BROKEN)
def test_a_connection_lost_while_cleaning_up_hides_nothing(monkeypatch, within, form):
    def breaks(this, *words, **more):
        raise BROKEN[form]

    def fails(seed):
        raise ValueError("no such luck")

    whole, closed = Client.close, []

    def closes(this):
        if this.status != "closed":  # Dask closes clients of other tests once more when they are forgotten
            whole(this)
            closed.append(this)
            raise BROKEN[form]

    monkeypatch.setattr(Client, "cancel", breaks)
    monkeypatch.setattr(Client, "close", closes)
    assert replicate(lambda seed: 2 * seed, range(3), scheduler=within.scheduler_address) == [0, 2, 4]
    with pytest.raises(TaskError, match="no such luck"):
        replicate(fails, range(1), scheduler=within.scheduler_address)
    check_scheduler(within.scheduler_address)
    assert len(closed) == 3


@pytest.mark.parametrize("form", BROKEN)
def test_a_connection_lost_while_it_is_made_is_said_so(monkeypatch, form):
    def breaks(*words, **more):
        raise BROKEN[form]

    monkeypatch.setattr("distributed.Client", breaks)
    with pytest.raises(ParameterError, match=r"^scheduler:"):
        check_scheduler("tcp://127.0.0.1:1")


def test_a_reader_of_messages_that_died_is_not_waited_for(monkeypatch, within):
    # An error that Tornado does not count among the ends of a connection: Dask's reader then ends without a word.
    read, counts = InProc.read, Counter()

    async def first_only(comm, deserializers="ignored"):
        if comm.name == "Client->Scheduler":
            counts[comm] += 1
            if counts[comm] == 2:
                comm.abort()
                raise BROKEN["no route"]
        return await read(comm, deserializers)

    monkeypatch.setattr(InProc, "read", first_only)
    with pytest.raises(SchedulerLostError):
        replicate(where(0), range(2), scheduler=within.scheduler_address)
    assert set(counts.values()) == {2}


def test_an_error_of_the_call_itself_is_not_taken_for_a_lost_connection(within):
    def call(place, item, name):
        raise ConnectionResetError("by the table's server")

    with pytest.raises(ConnectionResetError, match="by the table's server"):
        list(on_cluster(call, [1], ["one"], 1, within.scheduler_address))


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
