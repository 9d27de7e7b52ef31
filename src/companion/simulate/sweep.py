"""Many runs, shared by any number of processes on any number of machines: no locks, no server, nothing to clean up.

A run's key says which shard it belongs to, and its stored result says that it is done. Shards have no run in common.
Processes that are given the same runs go through them in different orders and look at the store before each, so they
compute twice at most what both had begun.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from companion.core.errors import DataError, ParameterError, ResultError
from companion.core.files import finite
from companion.simulate.experiment import Experiment
from companion.simulate.plan import Plan
from companion.simulate.task_store import RunSummary, Task, read_failure, read_result, run_tasks

#: Folders of a sweep: one file a finished run, and one note a run that failed.
TASKS, FAILURES = "tasks", "failed"

_MOST_SHARDS = 1_000_000


@dataclass(frozen=True)
class Shard:
    """Part ``number`` of ``of`` parts, counted from 1.

    Examples
    --------
    >>> from companion.simulate import Shard, Task
    >>> quarter = Shard.parse("1/4")
    >>> tasks = [Task("mine/line", "gp-ucb", {}, seed) for seed in range(100)]
    >>> quarter, sum(quarter.holds(task) for task in tasks)
    (Shard(number=1, of=4), 25)
    """

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard written ``i/n``, from ``1/n`` to ``n/n``.

        Raises
        ------
        ParameterError
            for anything else
        """
        match = re.fullmatch(r"\s*([0-9]{1,7})\s*/\s*([0-9]{1,7})\s*", text)
        number, of = (int(match[1]), int(match[2])) if match else (0, 0)
        if not 1 <= number <= of <= _MOST_SHARDS:
            raise ParameterError("--shard", f"got {text!r}", "i/n with i from 1 to n, such as 1/4")
        return cls(number, of)

    def holds(self, task: Task) -> bool:
        """Whether the run belongs to this shard."""
        return int(task.key()[:16], 16) % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True)
class Progress:
    """Progress of one method's runs: done, failed at the last attempt, and missing."""

    experiment: str
    method: str
    done: int
    missing: int
    failed: int


@dataclass(frozen=True)
class Failure:
    """One run that failed: its label, the error, the line that raised it."""

    task: str
    error: str
    where: str


def run_trial(task: Task, experiments: Mapping[str, Experiment[Any]]) -> dict[str, Any]:
    """One run as JSON types, as :meth:`~companion.simulate.Trajectory.to_json` gives it; NaN and infinities become null.

    Raises
    ------
    DataError
        if the data here are not those that the task is about, as on a worker that sees another folder of data
    """
    experiment = experiments[task.experiment]
    used = experiment.data_used(task.values)
    here = "" if used is None else used.label
    if here != task.data:
        raise DataError(f"{task.label} is about the data {task.data!r}, and those found here are {here!r}")
    record: dict[str, Any] = finite(experiment.run(task.method, task.seed, task.values).to_json())
    return record


def run_sweep(
    plan: Plan,
    folder: str | Path,
    shard: Shard | None = None,
    jobs: int | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> RunSummary:
    """Compute what is missing of the plan, or of one shard of it. A run that fails leaves a note, and the others go on.

    Parameters
    ----------
    plan : what is asked for
    folder : of the sweep; may be shared with other processes and machines
    shard : part of the plan; all by default
    jobs, backend, scheduler : see :func:`companion.simulate.replicate.workers`

    Raises
    ------
    TaskError
        if a worker process dies or the disk refuses a result; what is finished stays

    Examples
    --------
    >>> import companion as cp, tempfile
    >>> from companion.simulate import RunRequest, Plan, progress, run_sweep
    >>> small = {"horizon": 20, "points_per_axis": 8}
    >>> plan = Plan.of([RunRequest(cp.experiment("batched", "appendix-e"), ["bpe"], seeds=[0, 1], settings=[small])])
    >>> folder = tempfile.mkdtemp()
    >>> run_sweep(plan, folder).computed
    2
    >>> cells, failures = progress(plan, folder)
    >>> cells[0].done, failures
    (2, [])
    """
    work, folder = partial(run_trial, experiments=plan.experiments), Path(folder)
    return run_part(plan.tasks, work, folder / TASKS, folder / FAILURES, shard, jobs, backend, scheduler)


def run_part(
    tasks: Iterable[Task],
    compute: Callable[[Task], Mapping[str, Any]],
    folder: Path,
    failures: Path,
    shard: Shard | None = None,
    jobs: int | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
    label: str = "runs",
) -> RunSummary:
    """Compute what is missing of the tasks, or of one shard of them; see :func:`~companion.simulate.task_store.run_tasks`.

    Parameters
    ----------
    tasks, compute : of the runs
    folder, failures : for results and for notes of runs that fail; may be shared with other processes and machines
    shard : part of the tasks; all by default
    jobs, backend, scheduler : see :func:`companion.simulate.replicate.workers`
    label : text of the progress bar
    """
    part = shard or Shard()
    mine = [task for task in tasks if part.holds(task)]
    # An order of its own for every process: two with the same runs then seldom begin the same one.
    own = uuid.uuid4().bytes
    mine.sort(key=lambda task: hashlib.sha256(own + task.key().encode()).digest())
    return run_tasks(mine, compute, folder, jobs, backend, scheduler, label, failures=failures)


def progress(plan: Plan, folder: str | Path, shard: Shard | None = None) -> tuple[list[Progress], list[Failure]]:
    """Progress of a sweep by experiment and method, in the order of the plan, with its failures.

    Examples
    --------
    >>> import companion as cp, tempfile
    >>> from companion.simulate import RunRequest, Plan, progress
    >>> plan = Plan.of([RunRequest(cp.experiment("batched", "appendix-e"), ["bpe"], seeds=[0, 1])])
    >>> cells, failures = progress(plan, tempfile.mkdtemp())
    >>> cells[0].missing, failures
    (2, [])
    """
    return progress_of(plan.tasks, Path(folder) / TASKS, Path(folder) / FAILURES, shard)


def progress_of(
    tasks: Iterable[Task], folder: Path, failures: Path, shard: Shard | None = None
) -> tuple[list[Progress], list[Failure]]:
    """:func:`progress` of tasks whose results and notes lie in these two folders."""
    part = shard or Shard()
    counts: dict[tuple[str, str], dict[str, int]] = {}
    failed = []
    for task in tasks:
        if not part.holds(task):
            continue
        cell = counts.setdefault((task.experiment, task.method), {"done": 0, "missing": 0, "failed": 0})
        if is_done(task, folder):
            cell["done"] += 1
        elif note := read_failure(task, failures):
            cell["failed"] += 1
            failed.append(Failure(task.label, note.get("error", ""), note.get("where", "")))
        else:
            cell["missing"] += 1
    return [Progress(name, method, **cell) for (name, method), cell in counts.items()], failed


def is_done(task: Task, folder: Path) -> bool:
    """Whether the folder has the intact result of a run."""
    try:
        read_result(task, folder)
    except (FileNotFoundError, ResultError):
        return False
    return True


def same_runs(tasks: Iterable[Task]) -> str:
    """SHA-256 of a set of runs: equal for equal runs, in whatever order."""
    return hashlib.sha256("".join(sorted(task.key() for task in tasks)).encode()).hexdigest()


def settings_of(tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Every parameter of every combination of experiment and settings, with methods, version and data; for a record."""
    found: dict[str, dict[str, Any]] = {}
    for task in tasks:
        entry = {key: value for key, value in task.to_json().items() if key not in ("method", "seed")}
        found.setdefault(repr(entry), {**entry, "methods": []})
        if task.method not in found[repr(entry)]["methods"]:
            found[repr(entry)]["methods"].append(task.method)
    return list(found.values())


def as_json(cells: Sequence[Progress], failures: Sequence[Failure]) -> dict[str, Any]:
    """:func:`progress` in JSON types."""
    total = {name: sum(getattr(cell, name) for cell in cells) for name in ("done", "missing", "failed")}
    return {**total, "cells": [asdict(cell) for cell in cells], "failures": [asdict(failure) for failure in failures]}
