"""Many seeded tasks in parallel, through joblib or on a Dask cluster, with results that do not depend on the worker count.

Three things could make a result depend on how it was computed, and each is removed here: tasks receive their seed and
nothing else; results come back in the order of the seeds; and linear algebra runs on one thread per task, because a
product split over two threads adds in another order than on one. One thread per worker also avoids oversubscription.
"""

from __future__ import annotations

import os
import re
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from companion.core.errors import CompanionError, ParameterError, known_as

Item = TypeVar("Item")
Result = TypeVar("Result")

BACKENDS = ("loky", "threading", "dask", "multiprocessing", "sequential")
# These hand results over one by one, which the progress bar and an early stop need.
_STREAMING = {"loky", "threading", "sequential"}
#: Most workers that may be asked for, and most that are started for every core.
MOST_JOBS, PER_CORE = 1024, 4
#: Seconds between two looks of a worker at the process that started it.
WATCH = 1.0


class TaskError(CompanionError):
    """A task failed; the message names its seed and parameters, the error and the line that raised it."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message, exit_code)
        self.message, self.exit_code = message, exit_code

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Workers:
    """Distribution of tasks: worker count (-1: one per core), joblib backend, Dask scheduler's address or ``None``."""

    jobs: int
    backend: str
    scheduler: str | None


def workers(jobs: int | None = None, backend: str | None = None, scheduler: str | None = None) -> Workers:
    """Checked settings; what is ``None`` comes from COMPANION_JOBS, COMPANION_BACKEND and COMPANION_SCHEDULER.

    Without those either: one worker, ``loky``. A scheduler address implies the ``dask`` backend.

    Raises
    ------
    ParameterError
        naming the argument, or the environment variable when the value came from there
    """
    scheduler = scheduler or os.environ.get("COMPANION_SCHEDULER") or None
    origin = "backend"
    if backend is None:
        backend = os.environ.get("COMPANION_BACKEND") or ("dask" if scheduler else "loky")
        origin = "COMPANION_BACKEND" if "COMPANION_BACKEND" in os.environ else origin
    known_as(origin, backend, BACKENDS)
    if scheduler and backend != "dask":
        raise ParameterError("scheduler", f"was given with backend {backend!r}", "backend 'dask'")
    origin = "jobs"
    number: object = jobs
    if jobs is None:
        text = os.environ.get("COMPANION_JOBS") or "1"
        origin = "COMPANION_JOBS" if "COMPANION_JOBS" in os.environ else origin
        number = int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else text[:60]
    sound = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not sound or not (number == -1 or 1 <= int(number) <= MOST_JOBS):  # type: ignore[call-overload]
        expected = f"a positive integer up to {MOST_JOBS}, or -1 for one worker per core"
        raise ParameterError(origin, f"got {number!r}", expected)
    return Workers(int(number), backend, scheduler)  # type: ignore[call-overload]


def replicate(
    task: Callable[[int], Result],
    seeds: Iterable[int],
    jobs: int | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
    parameters: object = None,
    label: str = "replicates",
) -> list[Result]:
    """``[task(seed) for seed in seeds]``, in parallel; the same list for every worker count and backend.

    Parameters
    ----------
    task : called with a seed; everything random in it must come from ``companion.core.randomness.stream(seed, ...)``
    seeds : distinct non-negative integers
    jobs, backend, scheduler : see :func:`workers`
    parameters : only named in the message when a task fails
    label : text of the progress bar, which shows on a terminal only

    Raises
    ------
    ParameterError
        if a seed occurs twice: its copy would be counted as an independent replicate
    TaskError
        if a task fails, with its seed and the parameters

    Examples
    --------
    >>> import companion as cp
    >>> from companion.simulate import replicate
    >>> heights = replicate(lambda seed: float(cp.stream(seed, "f").normal()), seeds=range(3))
    >>> heights == [float(cp.stream(seed, "f").normal()) for seed in range(3)]
    True
    """
    seeds = [int(seed) for seed in seeds]
    if len(set(seeds)) < len(seeds):
        twice = next(seed for place, seed in enumerate(seeds) if seed in seeds[:place])
        raise ParameterError("seeds", f"{twice} occurs twice", "distinct seeds")
    detail = "" if parameters is None else f" with {parameters}"
    names = [f"seed {seed}{detail}" for seed in seeds]
    return parallel_map(task, seeds, names, workers(jobs, backend, scheduler), label)


def by_seed(task: Callable[[int], Result], first: int, count: int) -> Iterator[tuple[int, Result]]:
    """``(seed, task(seed))`` for ``count`` seeds from ``first`` on; see :func:`replicate`.

    Examples
    --------
    >>> from companion.simulate import by_seed
    >>> list(by_seed(lambda seed: seed**2, first=3, count=2))
    [(3, 9), (4, 16)]
    """
    seeds = range(first, first + count)
    return zip(seeds, replicate(task, seeds), strict=True)


def parallel_map(
    function: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str], how: Workers, label: str = "tasks"
) -> list[Result]:
    """``[function(item) for item in items]`` spread over ``how``; stops at the first failure.

    Raises
    ------
    TaskError
        if a call fails, naming the item by its entry in ``names``; or if a worker process dies
    SchedulerLostError
        if a Dask scheduler goes away
    """
    from tqdm import tqdm

    results: dict[int, Result] = {}
    with single_threaded(), tqdm(total=len(items), desc=label, disable=_quiet(items)) as bar:
        for place, result in _as_they_come(function, items, names, how):
            results[place] = result
            bar.update()
    return [results[place] for place in range(len(items))]


def _as_they_come(
    function: Callable[[Item], Result], items: Sequence[Item], names: Sequence[str], how: Workers
) -> Iterator[tuple[int, Result]]:
    """(place, result) of every item, in the order of completion where the backend allows."""
    if how.backend == "dask":
        from companion.simulate.cluster import on_cluster

        yield from on_cluster(partial(_call_there, function), items, names, how.jobs, how.scheduler)
        return
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    how = spread(how, len(items))
    limit_inside = how.backend == "multiprocessing"
    calls = (delayed(_call)(function, place, item, names[place], limit_inside) for place, item in enumerate(items))
    with _replaced_workers_allowed(), _backend(how) as jobs:
        pool = Parallel(n_jobs=jobs, return_as="generator_unordered" if how.backend in _STREAMING else "list")
        try:
            yield from pool(calls)
        except BrokenProcessPool as error:
            reason = str(error).splitlines()[0]
            raise TaskError(f"a worker process died ({reason}); it may have run out of memory") from error


def spread(how: Workers, tasks: int) -> Workers:
    """No more workers than there are tasks, nor than a few for every core: the results are the same, the machine stays usable."""
    from joblib import cpu_count

    cores = int(cpu_count())
    wanted = cores if how.jobs == -1 else min(how.jobs, PER_CORE * cores)
    return replace(how, jobs=max(1, min(wanted, tasks)))


@contextmanager
def _replaced_workers_allowed() -> Iterator[None]:
    """Keep loky alive where warnings are errors.

    loky replaces a worker whose memory has grown and says so by a warning, in the thread that feeds the workers. Turned
    into an error there, the warning ends that thread, and the call would wait for its results for ever.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs", category=UserWarning)
        yield


@contextmanager
def single_threaded() -> Iterator[None]:
    """Linear algebra on one thread, so that a result has the same bits with the same libraries and kernels."""
    import scipy.linalg  # noqa: F401 - SciPy brings its own BLAS; the limit reaches only what is already loaded
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield


def _quiet(items: Sequence[object]) -> bool | None:
    # None lets tqdm decide: it stays silent unless it writes to a terminal.
    return True if len(items) < 2 else None


@contextmanager
def _backend(how: Workers) -> Iterator[int]:
    """Enter the joblib backend and give the worker count to pass to ``Parallel``."""
    from joblib import parallel_config

    inside: dict[str, Any] = {}
    if how.backend == "loky":
        inside = {"inner_max_num_threads": 1, "initializer": _end_with_parent, "initargs": (os.getpid(),)}
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="joblib backend", category=UserWarning)
            chosen = parallel_config(backend=how.backend, **inside)
    except AssertionError:
        # Without semaphores (no /dev/shm, JOBLIB_MULTIPROCESSING=0) joblib has threads only, on which the limit cannot be set.
        how, chosen = replace(how, jobs=1), parallel_config(backend="sequential")
    with chosen:
        yield how.jobs


def _call_there(function: Callable[[Any], Result], place: int, item: object, name: str) -> tuple[int, Result]:
    return _call(function, place, item, name, True)


def _call(
    function: Callable[[Any], Result], place: int, item: object, name: str, limit_inside: bool
) -> tuple[int, Result]:
    """Run one item in a worker; a failure leaves as one picklable error that says which item it was."""
    if limit_inside:
        with single_threaded():
            return _call(function, place, item, name, False)
    try:
        return place, function(item)
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}, line {frame.lineno}"
        code = error.exit_code if isinstance(error, CompanionError) else 1
        raise TaskError(f"{name}: {type(error).__name__}: {error} ({where})", code) from error


def _end_with_parent(parent: int) -> None:
    """In a worker process, watch the process that started it and end when it is gone: killed, it could not say so itself.

    The worker is told its parent's number, which is another one if the parent was killed while the worker started.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH)
        os._exit(1)

    threading.Thread(target=watch, name="watch the parent", daemon=True).start()
