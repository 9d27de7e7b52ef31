"""Tasks on the workers of a Dask cluster, and nowhere else.

Tasks go to the scheduler all at once and wait there: workers that arrive later take their share, a worker that dies is
replaced by another, and nothing is ever computed by the process that asks, which may be a cluster's login node.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any

from companion.core.errors import CompanionError, ParameterError

# A queue may take minutes to start the first worker; without any by then, something is wrong.
FIRST_WORKER_SECONDS = 600.0
# Connecting takes a fraction of a second where there is a scheduler.
CONNECT_SECONDS = 10.0
#: Between two looks at what has come in.
POLL_SECONDS = 0.05


class SchedulerLostError(CompanionError):
    """The scheduler went away while tasks were under way."""


def check_scheduler(address: str | None) -> None:
    """Refuse an address at which no Dask scheduler answers; ``None`` is accepted.

    Raises
    ------
    ParameterError
        naming the address and the reason
    """
    if address:
        with _client(address, 1):
            pass


def on_cluster(
    call: Callable[[int, Any, str], tuple[int, Any]],
    items: Sequence[Any],
    names: Sequence[str],
    jobs: int,
    scheduler: str | None,
) -> Iterator[tuple[int, Any]]:
    """``call(place, item, name)`` for every item, as results come in; stops at the first failure.

    Parameters
    ----------
    call : runs in a worker
    items, names : equally many
    jobs : workers of the local cluster that is started where there is neither an address nor a client
    scheduler : address, or ``None``

    Raises
    ------
    ParameterError
        if no scheduler answers at the address, or Dask is not installed
    SchedulerLostError
        if the scheduler goes away, or no worker comes; what workers have stored is kept
    Exception
        what a call raised
    """
    if not items:
        return
    failure: Exception | None = None
    with _client(scheduler, jobs) as client, _one_error_when_lost(client):
        _wait_for_a_worker(client)
        futures = client.map(call, range(len(items)), items, names, pure=False, batch_size=1000)
        try:
            for future in _as_they_end(futures, client):
                try:
                    result = future.result()
                except Exception as error:
                    if future.status != "error":
                        raise  # the connection's error
                    failure = error
                    break
                yield result
        finally:
            with suppress(Exception, asyncio.CancelledError):  # it is only cleaned up
                client.cancel(futures)
    if failure is not None:
        raise _without_the_death_of_workers(failure)


def _as_they_end(futures: Sequence[Any], client: Any) -> Iterator[Any]:
    """Futures in the order in which they end. Dask's own iterator would wait for ever where its reader of messages has died."""
    from distributed import as_completed

    ended = as_completed(futures, loop=client.loop)
    while not ended.is_empty():
        batch = ended.next_batch(block=False)
        if not batch:
            if not _connected(client):
                raise ConnectionError
            time.sleep(POLL_SECONDS)
        yield from batch


def _without_the_death_of_workers(failure: Exception) -> Exception:
    from distributed.scheduler import KilledWorker

    if not isinstance(failure, KilledWorker):
        return failure
    reason = str(failure).splitlines()[0]
    return CompanionError(f"workers died over and over on the same task ({reason}); they may have run out of memory")


def _connected(client: Any) -> bool:
    return client.status == "running" and not client.scheduler_comm.comm.closed()


@contextmanager
def _one_error_when_lost(client: Any) -> Iterator[None]:
    """Whatever comes out of the client when its connection breaks becomes one error.

    Sockets, Dask and Tornado have ``OSError`` and its kinds, futures are cancelled. A call that is under way is cancelled in
    asyncio's sense, and Dask then misses a local variable. A client that has given up has other errors still.
    """
    try:
        yield
    except CompanionError:
        raise
    except (Exception, asyncio.CancelledError) as error:
        broken = isinstance(error, OSError | CancelledError | asyncio.CancelledError | UnboundLocalError)
        if not broken and _connected(client):
            raise
        raise SchedulerLostError(
            "the Dask scheduler is gone. Results that workers have stored are kept: start a scheduler, and call again to go on"
        ) from None


def _wait_for_a_worker(client: Any) -> None:
    from distributed.exceptions import WorkerStartTimeoutError

    address = client.scheduler.address
    try:
        client.wait_for_workers(1, timeout=FIRST_WORKER_SECONDS)
    except WorkerStartTimeoutError:
        raise SchedulerLostError(
            f"the scheduler at {address} has had no worker for {FIRST_WORKER_SECONDS:g} seconds; start workers, then call again"
        ) from None


@contextmanager
def _client(scheduler: str | None, jobs: int) -> Iterator[Any]:
    """A connection to the given scheduler, the client that is already there, or a local cluster of ``jobs`` workers."""
    try:
        from distributed import Client, LocalCluster
        from distributed.comm.addressing import get_address_host_port
    except ImportError:
        raise ParameterError("backend", "dask is not installed", remedy="Install the extra 'dask'.") from None
    if scheduler:
        try:
            # A client would try what is no address for as long as one that does not answer, and print a traceback.
            if not scheduler.startswith("inproc://"):
                get_address_host_port(scheduler)
            client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (Exception, asyncio.CancelledError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise ParameterError("scheduler", f"cannot reach {scheduler!r} ({reason})") from None
        try:
            yield client
        finally:
            with suppress(Exception, asyncio.CancelledError):  # it is only cleaned up
                client.close()
        return
    try:
        there = Client.current()
    except ValueError:
        count = jobs if jobs > 0 else None
        with (
            LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            yield client
        return
    yield there
