"""The runs behind a paper's stored tables: which they are, and how they are computed, kept, written and read.

A paper declares its runs once, as :class:`PaperRuns`: blocks of runs that a plan asks for, what is kept of a run, and the tables
made from that (:mod:`companion.stored.blocks`). :meth:`PaperRuns.store` computes what is missing and writes the tables;
:mod:`companion.current.verify` computes a sample again and compares digits.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import pandas as pd

from companion.core import instruction_set
from companion.core.errors import DataError, ParameterError, ResultError, nearest
from companion.core.files import results_folder
from companion.simulate.replicate import parallel_map, workers
from companion.simulate.sweep import FAILURES, TASKS, Shard, run_part
from companion.simulate.task_store import RunSummary, Task, assemble, cost, read_failure
from companion.stored import blocks
from companion.stored.blocks import Block, Item, Result, RunTable
from companion.stored.record import Record
from companion.stored.results import StoredSet, StoredTables, store_tables

#: Setting of a record that lists the cells made with other kernels, or of another version, than the record says of all.
CELLS = "cells"

#: Says which runs are made: a frozen dataclass, or ``None`` where there is nothing to choose.
Plan = TypeVar("Plan")


@dataclass(frozen=True)
class Need:
    """Requirements of runs: data or a library that is not everywhere.

    Parameters
    ----------
    names : what can be left out where it is missing; without names nothing is needed
    look : raises :class:`~companion.core.errors.DataError` where it is missing
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


@dataclass(frozen=True, eq=False, kw_only=True)
class PaperRuns(Generic[Plan]):
    """The runs of one paper at its own scale, and the tables made from them.

    Parameters
    ----------
    stored : the tables as they are read; the :attr:`roots` in its module make the numbers
    blocks : the runs that a plan asks for, in the order in which they are computed
    compute : what is kept of a run, see :func:`companion.stored.blocks.kept`
    tables : by name; rows of blocks that agree in what ``together`` says stand together
    plan : which runs are made
    seeds, settings : of a plan, for the record
    found : what the record says of runs and their results: settings, each a mapping from labels or cells
    optional : names that can be left out, and the fields of the plan that have them
    left_out : those that are
    needs : of a plan, what has to be there before any work begins
    row : table and key columns of a row that a run has, known before it is computed, ``None`` for a run that has none;
        without it, what the plan has and the tables lack is not seen
    roots : names in the module that make the numbers
    only : these runs and no others
    """

    stored: StoredSet
    blocks: Callable[[Plan], Iterable[Block]]
    compute: Callable[[Task], Result]
    tables: Mapping[str, RunTable]
    together: Callable[[Any, Task], Hashable] | None = None
    plan: Plan = None  # type: ignore[assignment]
    seeds: Callable[[Plan], Iterable[int]] = lambda plan: ()
    settings: Callable[[Plan], Mapping[str, Any]] = lambda plan: {}
    found: Callable[[Sequence[Item], Sequence[Result]], Mapping[str, Mapping[str, Any]]] = lambda items, results: {}
    optional: tuple[Iterable[str], *tuple[str, ...]] | tuple[()] = ()
    left_out: Sequence[str] = ()
    needs: Callable[[Plan], Iterable[Need]] = lambda plan: ()
    row: Callable[[Any, Task], tuple[str, Mapping[str, Any]] | None] | None = None
    roots: tuple[str, ...] = ("blocks", "compute", "TABLES")
    only: tuple[Item, ...] | None = None

    def __post_init__(self) -> None:
        if sorted(self.tables) != sorted(self.stored.tables):
            raise ParameterError("tables", f"has {', '.join(self.tables)}", ", ".join(self.stored.tables))

    @property
    def paper(self) -> str:
        """Slug."""
        return self.stored.paper

    @property
    def module(self) -> str:
        """That declares the runs."""
        return self.stored.module

    @property
    def command(self) -> str:
        """Makes them."""
        return self.stored.command

    @property
    def name(self) -> str:
        """Of the set of tables."""
        return self.stored.name

    def of(self, plan: Plan | None = None, without: Sequence[str] = ()) -> PaperRuns[Plan]:
        """The runs of another plan, or those of this one, some names left out.

        Raises
        ------
        ParameterError
            if there is no such name
        """
        asked = self.plan if plan is None else plan
        known, *names = self.optional or ((),)
        gone = {*without, *(self.left_out if plan is None else ())}
        return replace(self, plan=leave_out(asked, without, known, *names), left_out=sorted(gone))

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Every run with its block; declared when they are asked for."""
        if self.only is not None:
            return self.only
        return tuple((block, task) for block in self.blocks(self.plan) for task in block.tasks)

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """The columns that name a row of each table whose digits can be compared."""
        return {name: table.key for name, table in self.tables.items() if table.compared}

    @property
    def summaries(self) -> dict[str, Callable[[Any, Task], bool]]:
        """The tables among these whose rows are made from all seeds of a cell, each with whether a run goes into it."""
        listed = {name: self.tables[name] for name in self.keys}
        return {name: table.takes for name, table in listed.items() if table.whole is not None and table.summary}

    def single(self, block: Any, task: Task) -> bool:
        """Whether a run has rows of its own that can be compared."""
        return any(self.tables[n].takes(block, task) for n in self.keys if self.tables[n].whole is None)

    def frames(self, items: Sequence[Item], results: Sequence[Result]) -> dict[str, pd.DataFrame]:
        """The tables of runs and their results; of some runs, those of the rows that depend on these alone."""
        return blocks.frames(self.tables, items, results, self.together)

    @property
    def told(self) -> dict[str, Any]:
        """Fields of the record on the plan."""
        return ({"left_out": list(self.left_out)} if self.optional else {}) | dict(self.settings(self.plan))

    @property
    def versions(self) -> dict[str, int]:
        """The latest declared version of the results in each reading; one that has no readings is called by none."""
        found: dict[str, int] = {}
        for _, task in self.items:
            found[reading_of(task)] = max(task.version, found.get(reading_of(task), 1))
        return found

    @property
    def compared(self) -> tuple[Item, ...]:
        """The runs with rows that can be compared: not those of times alone."""
        return tuple(item for item in self.items if self.single(*item) or self.summarised(item))

    def summarised(self, item: Item) -> bool:
        """Whether a run goes into a row that is made from all seeds of its cell."""
        return any(goes_in(*item) for goes_in in self.summaries.values())

    def outdated(self, record: Record) -> tuple[Item, ...]:
        """Runs with rows to compare whose stored result is of an older version than their experiment declares."""
        stored = record.settings.get("versions", {})
        known = {name: entry["version"] for entry in record.settings.get(CELLS, []) for name in entry["cells"]}

        def version(task: Task) -> int:
            return int((known and known.get(cell_name(task))) or stored.get(reading_of(task), 1))

        return tuple(item for item in self.compared if item[1].version > version(item[1]))

    def load(self, root: Path | None = None) -> StoredTables:
        """The stored tables and their record; :class:`~companion.core.errors.ResultError` if they are missing or damaged."""
        return self.stored.load(root)

    def store(
        self,
        root: Path | None = None,
        jobs: int | None = None,
        *,
        without: Sequence[str] = (),
        plan: Plan | None = None,
    ) -> Path:
        """Compute what is missing and write the tables and their record: :func:`store` of the runs :meth:`of` a plan."""
        return store(self.of(plan, without), root, jobs)


def reading_of(task: Task) -> str:
    """The reading that a run follows; empty where its experiment has none."""
    return str(task.parameters.get("reading", ""))


def cell_of(task: Task) -> str:
    """Key of a cell: everything but the seed and the version."""
    return json.dumps({**task.to_json(), "seed": 0, "version": 0}, sort_keys=True)


def by_cell(items: Iterable[Item]) -> dict[str, list[Item]]:
    """Runs by their cell, in order."""
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(cell_of(item[1]), []).append(item)
    return found


def cell_name(task: Task) -> str:
    """A cell's name in a record: experiment, method, reading, and eight digits for all parameters."""
    digits = hashlib.sha256(cell_of(task).encode()).hexdigest()[:8]
    return " ".join(word for word in (task.experiment, task.method, reading_of(task), digits) if word)


def instruction_set_of(runs: PaperRuns[Any], record: Record) -> Callable[[Task], str]:
    """Instruction set that made the stored rows of a run, by its cell."""
    common = instruction_set.recorded(record.blas)
    known = {name: entry["kernels"] for entry in record.settings.get(CELLS, []) for name in entry["cells"]}
    return lambda task: known.get(cell_name(task), common) if known else common


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
    return replace(plan, **kept) if kept else plan  # type: ignore[type-var]


def compute_runs(
    runs: PaperRuns[Any],
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
    for need in runs.needs(runs.plan):
        need.check(runs.module)
    folder = results_folder(runs.paper, root) / TASKS
    tasks, label = (task for _, task in runs.items), f"runs of {runs.paper}"
    return run_part(tasks, runs.compute, folder, folder / FAILURES, shard, jobs, backend, scheduler, label)


def _told(runs: PaperRuns[Any], folder: Path, summary: RunSummary) -> str:
    """First failed run and its error."""
    notes = ((task, read_failure(task, folder / TASKS / FAILURES)) for _, task in runs.items)
    task, note = next((task, note) for task, note in notes if note)
    return (
        f"{summary.failed} of {summary.tasks} runs of {runs.paper} failed; {task.label}: {note['error']} ({note['where']}). "
        "The others are kept, and the next call tries these again"
    )


#: Results of all runs, and what the record says of their number and cost.
Made = tuple[Sequence[Result], dict[str, Any]]


def _completed(runs: PaperRuns[Any], tasks: Sequence[Task], root: Path | None, jobs: int | None) -> Made:
    """All that are kept one by one, after those that are missing."""
    folder = results_folder(runs.paper, root)
    summary = compute_runs(runs, root, jobs)
    if summary.failed:
        raise ResultError(_told(runs, folder, summary))
    results = assemble(tasks, folder / TASKS)
    counted = {"runs": summary.tasks, "computed": summary.computed, "cost": cost(tasks, folder / TASKS)}
    return results, counted | {"versions": runs.versions}


def _computed(runs: PaperRuns[Any], tasks: Sequence[Task], root: Path | None, jobs: int | None) -> Made:
    """All of a set that is made whole."""
    names = [task.label for task in tasks]
    return parallel_map(runs.compute, tasks, names, workers(jobs), f"runs of {runs.paper}"), {}


def store(runs: PaperRuns[Any], root: Path | None = None, jobs: int | None = None) -> Path:
    """Compute what is missing and write the tables and their record, each whole or not at all.

    See :func:`compute_runs` for calls that are interrupted, or made by several processes. The record has what all
    runs cost together, whichever call computed them.

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
    began = time.monotonic()
    tasks = [task for _, task in runs.items]
    results, counted = (_computed if runs.stored.whole else _completed)(runs, tasks, root, jobs)
    record = Record.now(
        runs.command,
        profile="paper",
        seeds=runs.seeds(runs.plan),
        seconds=time.monotonic() - began,
        settings=counted | runs.told | dict(runs.found(runs.items, results)),
    )
    store_tables(folder, runs.name, runs.frames(runs.items, results), record)
    return folder
