"""Runs of a paper computed again, and the rows that depend on them alone, in the words in which they would be stored.

Runs are drawn by cell: a cell is everything that shares experiment, method, parameters and data, hence problem, reading
and variant too. The cells stand in a fixed random order, a seed takes the next few of them and one run of each, so that
successive seeds go through all cells. For tables whose rows summarise a cell, one whole cell is computed besides.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from companion.core.errors import DataError, ResultError
from companion.core.randomness import stream
from companion.current.agreement import Rows
from companion.simulate.loop import plain
from companion.simulate.replicate import parallel_map, workers
from companion.simulate.task_store import Task
from companion.stored.blocks import Item, Result
from companion.stored.record import Record
from companion.stored.runs import PaperRuns, by_cell


@dataclass(frozen=True)
class Part:
    """Runs to compute: single ones, each for rows of its own, and whole cells by the table that summarises them."""

    single: Sequence[Item] = ()
    whole: Mapping[str, Sequence[Item]] = field(default_factory=dict)

    @property
    def items(self) -> list[Item]:
        """All of them."""
        return [*self.single, *(item for items in self.whole.values() for item in items)]

    def places(self, runs: PaperRuns[Any]) -> dict[str, Any]:
        """Positions among a paper's runs, for another process."""
        place = {id(item): number for number, item in enumerate(runs.items)}
        whole = {table: [place[id(item)] for item in items] for table, items in self.whole.items()}
        return {"single": [place[id(item)] for item in self.single], "whole": whole}

    @classmethod
    def at(cls, runs: PaperRuns[Any], places: Mapping[str, Any]) -> Part:
        """The runs that stand there."""
        whole = {table: [runs.items[number] for number in numbers] for table, numbers in places["whole"].items()}
        return cls([runs.items[number] for number in places["single"]], whole)


@dataclass(frozen=True)
class Sample:
    """Runs computed again.

    Parameters
    ----------
    rows : that depend on these runs alone, by table and key
    by_run : rows of each run that has some of its own, by the task's key, table and key
    empty : runs, by label, that gave no row
    absent : runs, by label, whose data are not here
    runs, cells : computed, and the cells they lie in
    """

    rows: Mapping[str, Rows]
    by_run: Mapping[str, Mapping[str, Rows]]
    empty: tuple[str, ...]
    absent: tuple[str, ...]
    runs: int
    cells: int


#: Computes runs with other kernels, which are named; see :func:`companion.current.verify.rows_of_other_instruction_sets`.
Under = Callable[[str, Part], Sample]


def current_runs(runs: PaperRuns[Any], record: Record) -> tuple[PaperRuns[Any], int]:
    """The runs that a record holds in their latest version, and how many it does not."""
    outdated = {id(item) for item in runs.outdated(record)}
    return replace(runs, only=tuple(item for item in runs.items if id(item) not in outdated)), len(outdated)


def sample(runs: PaperRuns[Any], rows: int, seed: int) -> tuple[list[Item], dict[str, list[Item]]]:
    """Runs to compute again.

    Returns
    -------
    single runs, each of another cell while there are cells; and for each summary a whole cell
    """
    cells = by_cell(item for item in runs.items if runs.single(*item))
    names = [list(cells)[place] for place in stream(0, "verify", runs.paper).permutation(len(cells))]
    draw = stream(seed, "verify", runs.paper, "runs")
    chosen: dict[str, Item] = {}
    # Where every table is a summary, no run has a row of its own.
    for number in range(rows if names else 0):
        members = cells[names[(seed * rows + number) % len(names)]]
        item = members[int(draw.integers(len(members)))]
        chosen.setdefault(item[1].key(), item)
    whole = {}
    for table, goes_in in runs.summaries.items():
        groups = list(by_cell(item for item in runs.items if goes_in(*item)).values())
        order = stream(0, "verify", runs.paper, table).permutation(len(groups))
        whole[table] = groups[order[seed % len(groups)]]
    return list(chosen.values()), whole


def computed_again(runs: PaperRuns[Any], part: Part, jobs: int | None = None) -> Sample:
    """Compute runs, and the rows that depend on them alone."""
    tasks = {task.key(): task for _, task in part.items}
    computed = parallel_map(
        partial(_computed, compute=runs.compute),
        list(tasks.values()),
        [task.label for task in tasks.values()],
        workers(jobs),
        f"{runs.paper} again",
    )
    return sample_of(runs, part, dict(zip(tasks, computed, strict=True)))


def sample_of(runs: PaperRuns[Any], part: Part, results: Mapping[str, Result | None]) -> Sample:
    """The rows that depend on these runs alone, from their results by key; ``None`` where data are not here."""
    ones = set(runs.keys) - set(runs.summaries)

    def rows_of(items: Sequence[Item], names: set[str]) -> dict[str, Rows] | None:
        given = [result for _, task in items if (result := results[task.key()]) is not None]
        if len(given) < len(items):
            return None
        frames = runs.frames(items, given)
        return {name: made_rows(frame, runs.keys[name]) for name, frame in frames.items() if name in names}

    found: dict[str, Rows] = {table: {} for table in runs.keys}
    by_run: dict[str, dict[str, Rows]] = {}
    empty = []
    parts = [([item], ones) for item in part.single] + [(list(items), {name}) for name, items in part.whole.items()]
    for items, names in parts:
        now = rows_of(items, names)
        if now is None:
            continue
        if not any(now.values()):
            empty += [task.label for _, task in items]
        for table, fresh in now.items():
            found[table] |= fresh
    for item in part.items:
        own = rows_of([item], ones) if runs.single(*item) else None
        for table, fresh in (own or {}).items():
            by_run.setdefault(item[1].key(), {}).setdefault(table, {}).update(fresh)
    here = [item for item in part.items if results[item[1].key()] is not None]
    return Sample(
        rows=found,
        by_run=by_run,
        empty=tuple(empty),
        absent=tuple(dict.fromkeys(task.label for _, task in part.items if results[task.key()] is None)),
        runs=len({task.key() for _, task in here}),
        cells=len(by_cell(here)),
    )


def _computed(task: Task, compute: Callable[[Task], Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Result in the types that a stored one has; ``None`` where the data of the run are not here."""
    try:
        found: Mapping[str, Any] = json.loads(json.dumps(plain(dict(compute(task)))))
    except DataError:
        return None
    return found


# -- rows as text ------------------------------------------------------------------------------------------------------


def stored_rows(path: Path, key: Sequence[str]) -> Rows:
    """Rows of a stored table, by their key.

    Raises
    ------
    ResultError
        where a row is there twice
    """
    return _parsed(path.read_text(encoding="utf-8"), key)


def made_rows(frame: pd.DataFrame, key: Sequence[str]) -> Rows:
    """Rows of a frame as they would be stored, by their key."""
    return _parsed(frame.to_csv(index=False, lineterminator="\n"), key)


def _parsed(text: str, key: Sequence[str]) -> Rows:
    found: Rows = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        place = ", ".join(f"{name}={row[name]}" for name in key)
        if place in found:
            raise ResultError(f"a stored table has two rows for {place}; make it again")
        found[place] = row
    return found
