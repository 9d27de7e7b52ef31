"""The runs behind a paper's stored tables: which they are, and how they are computed, kept and written.

A paper declares its runs once, as :class:`StoredRuns`, from a plan that says how many of what. :func:`store` computes what
is missing and writes the tables; :mod:`companion.reproduce.verify` computes a sample again and compares digits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from companion import arithmetic
from companion.errors import DataError, ParameterError, ResultError, nearest
from companion.files import results_folder
from companion.reproduce.hashing import TASKS, package_hash
from companion.reproduce.meaning import Meaning, meaning
from companion.reproduce.record import Record
from companion.reproduce.stored import StoredTables, load_tables, store_tables
from companion.simulate.store import RunSummary, Task, assemble, core_seconds, read_failure, run_tasks
from companion.simulate.sweep import FAILURES, Shard, run_part

Item = tuple[Any, Task]
"""What a run is made for, and the run."""

Frames = Mapping[str, pd.DataFrame]

Plan = TypeVar("Plan")
"""A frozen dataclass whose fields say which runs are made."""


@dataclass(frozen=True)
class Need:
    """What runs cannot be made without: data or a library that is not everywhere.

    Parameters
    ----------
    names : what can be left out where it is missing; without names nothing is needed
    look : raises :class:`~companion.errors.DataError` where it is missing
    what : to leave out, for the message
    """

    names: tuple[str, ...]
    look: Callable[[], object]
    what: str = "problems"

    def check(self, module: str) -> None:
        """Look; an hour later would be too late to say what is missing, and how to do without."""
        if not self.names:
            return
        try:
            self.look()
        except DataError as missing:
            names = ", ".join(repr(name) for name in self.names)
            call = f"{module}.store(without=[{names}])"
            raise DataError(f"{missing}. To leave the {self.what} out instead: {call}") from None


@dataclass(frozen=True, eq=False)
class StoredRuns:
    """The runs of one paper at its own scale, and the tables made from them.

    Parameters
    ----------
    paper : slug
    module : that declares the runs: its functions ``every_run``, ``compute`` and ``frames`` make the numbers
    name : of the set of tables, see :func:`~companion.reproduce.stored.store_tables`
    tables : their names
    command : makes them
    items : every run, in the order in which they are computed
    compute : result of one run
    frames : tables made from runs and their results; of some runs, tables of the rows that depend on these alone
    seeds, settings : for the record
    keys : for every table whose digits can be compared, the columns that name a row; times are in none of them
    single : whether a run has rows of its own in a table among ``keys``
    summaries : the tables among ``keys`` whose rows are made from all seeds of a cell, each with the test of whether a
        run goes into it; the other tables have rows of one run each
    found : what the record says of runs and their results: settings, each a mapping from labels or cells
    needs : what has to be there before any work begins
    """

    paper: str
    module: str
    name: str
    tables: tuple[str, ...]
    command: str
    items: tuple[Item, ...]
    compute: Callable[[Task], Mapping[str, Any]]
    frames: Callable[[Sequence[Item], Sequence[Mapping[str, Any]]], Frames]
    keys: Mapping[str, tuple[str, ...]]
    seeds: Iterable[int] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    single: Callable[[Any, Task], bool] = lambda made_for, task: True
    summaries: Mapping[str, Callable[[Any, Task], bool]] = field(default_factory=dict)
    found: Callable[[Sequence[Item], Sequence[Mapping[str, Any]]], Mapping[str, Mapping[str, Any]]] = (
        lambda items, results: {}
    )
    needs: tuple[Need, ...] = ()

    @property
    def meaning(self) -> Meaning:
        """Meaning of the code behind the numbers."""
        return _meaning(self.module)

    @property
    def versions(self) -> dict[str, int]:
        """The latest declared version of the results in each reading; one that has no readings is called by none."""
        found: dict[str, int] = {}
        for _, task in self.items:
            found[_reading(task)] = max(task.version, found.get(_reading(task), 1))
        return found

    def outdated(self, record: Record) -> tuple[Item, ...]:
        """Runs whose stored result is of an older version than their experiment declares: it waits to be made again."""
        stored = record.settings.get("versions", {})
        return tuple(item for item in self.items if item[1].version > int(stored.get(_reading(item[1]), 1)))

    def load(self, root: Path | None = None) -> StoredTables:
        """The stored tables and their record; :class:`~companion.errors.ResultError` if they are missing or damaged."""
        return load_tables(results_folder(self.paper, root), self.name, self.tables, self.command)


def _reading(task: Task) -> str:
    return str(task.parameters.get("reading", ""))


@cache
def _meaning(module: str) -> Meaning:
    return meaning(*(f"{module}:{name}" for name in ("every_run", "compute", "frames")))


def leave_out(plan: Plan, without: Sequence[str], known: Iterable[str], *fields: str) -> Plan:
    """The plan with the names ``without`` taken out of its ``fields``.

    Raises
    ------
    ParameterError
        if one of them is not among the ``known``
    """
    names = list(known)
    unknown = [name for name in without if name not in names]
    if unknown:
        raise ParameterError("without", f"names {unknown[0]!r}", ", ".join(names), nearest(unknown[0], names))
    kept = {field: tuple(name for name in getattr(plan, field) if name not in without) for field in fields}
    return replace(plan, **kept)  # type: ignore[type-var]


def compute_runs(
    runs: StoredRuns,
    root: Path | None = None,
    jobs: int | None = None,
    shard: Shard | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
) -> RunSummary:
    """Compute what is missing, or one shard of it, and write no tables.

    Finished runs wait in ``tasks/`` (not under version control), and any number of processes may share the work, as
    that of :func:`companion.simulate.sweep.run_sweep`: an interrupted call goes on where it stopped, a run that fails
    leaves a note beside them, and the others go on.

    Parameters
    ----------
    runs, root : as for :func:`store`
    shard : part of the runs; all by default
    jobs, backend, scheduler : see :func:`companion.simulate.replicate.workers`

    Raises
    ------
    DataError
        before any work, where something is missing that the runs need
    """
    for need in runs.needs:
        need.check(runs.module)
    folder = results_folder(runs.paper, root) / TASKS
    tasks, label = (task for _, task in runs.items), f"runs of {runs.paper}"
    return run_part(tasks, runs.compute, folder, folder / FAILURES, shard, jobs, backend, scheduler, label)


def _told(runs: StoredRuns, folder: Path, summary: RunSummary) -> str:
    """Which run failed first, and how."""
    notes = ((task, read_failure(task, folder / TASKS / FAILURES)) for _, task in runs.items)
    task, note = next((task, note) for task, note in notes if note)
    return (
        f"{summary.failed} of {summary.tasks} runs of {runs.paper} failed; {task.label}: {note['error']} ({note['where']}). "
        "The others are kept, and the next call tries these again"
    )


def store(runs: StoredRuns, root: Path | None = None, jobs: int | None = None) -> Path:
    """Compute what is missing and write the tables and their record, each whole or not at all.

    See :func:`compute_runs` for calls that are interrupted, or made by several processes. The record has the meaning of the
    code, and what all runs cost together, whichever call computed them.

    Parameters
    ----------
    runs : which
    root : repository; found from the current folder by default
    jobs : workers; ``COMPANION_JOBS`` by default

    Returns
    -------
    the folder written to

    Raises
    ------
    DataError
        before any work, where something is missing that the runs need
    ResultError
        where runs failed; the message counts them and names one
    """
    folder = results_folder(runs.paper, root)
    package, began = package_hash(runs.paper), time.monotonic()
    summary = compute_runs(runs, root, jobs)
    tasks = [task for _, task in runs.items]
    if summary.failed:
        raise ResultError(_told(runs, folder, summary))
    results = assemble(tasks, folder / TASKS)
    cost = {"runs": summary.tasks, "core_seconds": round(core_seconds(tasks, folder / TASKS), 1)}
    record = Record.now(
        runs.command,
        profile="paper",
        seeds=runs.seeds,
        seconds=time.monotonic() - began,
        paper=runs.paper,
        settings={"runs": summary.tasks, "computed": summary.computed, "cost": cost, "meaning": runs.meaning.digest}
        | {"versions": runs.versions}
        | dict(runs.settings)
        | dict(runs.found(runs.items, results)),
    )
    record = replace(record, package=package)  # of the code that ran, should a file have changed meanwhile
    store_tables(folder, runs.name, runs.frames(runs.items, results), record)
    return folder


def renew(runs: StoredRuns, root: Path | None = None, jobs: int | None = None) -> int:
    """Make the outdated runs again and put them in the place of what is stored; all other rows stay as they are.

    Tables whose rows have no key, which are those of times, keep what is stored. The record keeps the cost of these runs
    apart, under ``renewed``. Finished runs wait in ``tasks/`` as those of :func:`store` do.

    Returns
    -------
    how many runs were outdated

    Raises
    ------
    ResultError
        if the stored tables are missing or damaged, or rows that stay were made with other kernels
    """
    stored, folder = runs.load(root), results_folder(runs.paper, root)
    items = runs.outdated(stored.record)
    if not items:
        return 0
    before, here = arithmetic.recorded(stored.record.blas), arithmetic.in_use()
    if before != here and len(items) < len(runs.items):
        raise ResultError(
            f"{len(runs.items) - len(items)} stored runs of {runs.paper} stay, and were made with the kernels {before}, not "
            f"{here or 'those used here'}: where the processor has them, set {arithmetic.CHOICE}={before}"
        )
    package, began = package_hash(runs.paper), time.monotonic()
    tasks = [task for _, task in items]
    run_tasks(tasks, runs.compute, folder / TASKS, jobs=jobs, label=f"outdated runs of {runs.paper}")
    results = assemble(tasks, folder / TASKS)
    made = Record.now(runs.command, profile="paper", seeds=[], seconds=time.monotonic() - began, paper=runs.paper)
    cost = {"runs": len(tasks), "core_seconds": round(core_seconds(tasks, folder / TASKS), 1)}
    versions = {_reading(task): task.version for task in tasks}
    settings: dict[str, Any] = {**stored.record.settings, "versions": runs.versions}
    settings["renewed"] = [
        *settings.get("renewed", []),
        {"date": made.date, "commit": made.commit, "versions": versions, "packages": dict(made.versions), "cost": cost},
    ]
    labels = {task.label for task in tasks}
    for name, values in runs.found(items, results).items():
        kept = {label: value for label, value in settings.get(name, {}).items() if label not in labels}
        settings[name] = kept | dict(values)
    rows = runs.frames(items, results)
    tables = {name: _replaced(table, rows.get(name), runs.keys.get(name)) for name, table in stored.tables.items()}
    blas = made.blas if len(items) == len(runs.items) else stored.record.blas
    store_tables(folder, runs.name, tables, replace(stored.record, settings=settings, package=package, blas=blas))
    return len(items)


def _replaced(stored: pd.DataFrame, rows: pd.DataFrame | None, key: tuple[str, ...] | None) -> pd.DataFrame:
    """The stored rows, those made again in the places of the old ones; rows that were not there come last."""
    if rows is None or rows.empty or key is None:
        return stored
    made = {name: len(stored) + place for place, name in enumerate(_row_names(rows, key))}
    places = [made.pop(name, place) for place, name in enumerate(_row_names(stored, key))]
    both = pd.concat([stored, rows[list(stored.columns)]], ignore_index=True)
    return both.iloc[[*places, *made.values()]].reset_index(drop=True)


def _row_names(table: pd.DataFrame, key: tuple[str, ...]) -> list[tuple[str, ...]]:
    """What names each row, as text: an empty cell, which pandas reads as NaN, is the empty text that was stored."""
    columns = [["" if pd.isna(value) else str(value) for value in table[name]] for name in key]
    return list(zip(*columns, strict=True))
