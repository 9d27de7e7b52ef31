"""Whether the present code still gives the stored digits: a sample of the stored runs is computed again and compared.

Runs are drawn by cell: a cell is everything that shares experiment, method, parameters and data, hence problem, reading
and variant too. The cells stand in a fixed random order, a seed takes the next few of them and one run of each, so that
successive seeds go through all cells. For tables whose rows summarise a cell, one whole cell is computed besides. Times
are not compared.

When every digit agrees, ``data/results/<paper>/verified.json`` says so, with the meaning of the code, and the tables
count as results of this code; see :func:`standing`.

Digits depend on the linear algebra of the machine (:mod:`companion.arithmetic`). Where it is another than that of the
stored results, the sample is compared with what an older commit, whose code was verified, gives on the same machine; see
:mod:`companion.reproduce.baseline`.
"""

from __future__ import annotations

import csv
import datetime
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from companion import arithmetic
from companion.errors import DataError, ResultError, whole_number
from companion.files import results_folder, strict_json, write_atomic
from companion.randomness import stream
from companion.reproduce.hashing import VERIFIED
from companion.reproduce.provenance import INPUTS, git_commit, machine
from companion.reproduce.record import Record
from companion.reproduce.runs import Item, StoredRuns
from companion.simulate.loop import plain
from companion.simulate.replicate import parallel_map, workers
from companion.simulate.store import Task

ROWS = 40
"""Runs in a sample, and the fewest whose agreement is recorded, where a paper has so many cells."""

SAME, CHANGED, NEVER = "same", "changed", "never verified"

_SHORT = 12
"""Digits kept of a definition's hash: enough to name what changed."""

Rows = dict[str, dict[str, str]]
"""Rows by their key columns, in words."""


@dataclass(frozen=True)
class Difference:
    """A stored number that came out otherwise: table, row, column, stored and present text."""

    table: str
    row: str
    column: str
    stored: str
    now: str


@dataclass(frozen=True)
class Verification:
    """What a sample showed.

    Parameters
    ----------
    paper, seed : as asked for
    runs, cells, of : runs computed again, the cells they lie in, and all cells
    rows, equal : stored rows compared, and those of them with the same digits
    different : every number that is another
    outdated : stored runs of an older version than their experiment declares; they are not compared
    absent : runs of the sample whose data are not here, by label
    not_compared : stored tables without a row that can be compared
    recorded : whether :data:`~companion.reproduce.hashing.VERIFIED` was written
    against : commit whose code gave the other rows; empty where these are the stored ones
    """

    paper: str
    seed: int
    runs: int
    cells: int
    of: int
    rows: int
    equal: int
    different: tuple[Difference, ...]
    outdated: int
    absent: tuple[str, ...]
    not_compared: tuple[str, ...]
    recorded: bool
    against: str = ""

    @property
    def passed(self) -> bool:
        """Whether something was compared and everything agrees."""
        return self.rows > 0 and not self.different


def together(found: Sequence[Verification]) -> Verification:
    """Several sets of one paper as one: counts add up, and it is recorded if each of them is."""
    first = found[0]
    sums: dict[str, Any] = {
        name: sum(getattr(one, name) for one in found) for name in ("runs", "cells", "of", "rows", "equal", "outdated")
    }
    lists: dict[str, Any] = {
        name: tuple(item for one in found for item in getattr(one, name))
        for name in ("different", "absent", "not_compared")
    }
    return replace(first, **sums, **lists, recorded=all(one.recorded for one in found))


@dataclass(frozen=True)
class Sample:
    """A sample of the stored runs, computed again.

    Parameters
    ----------
    rows : that depend on these runs alone, by table and key
    empty : runs, by label, that gave no row
    absent : runs, by label, whose data are not here
    runs, cells, of, outdated : as in :class:`Verification`
    """

    rows: Mapping[str, Rows]
    empty: tuple[str, ...]
    absent: tuple[str, ...]
    runs: int
    cells: int
    of: int
    outdated: int


@dataclass(frozen=True)
class Baseline:
    """What an older commit gives for the same sample, on this machine.

    Parameters
    ----------
    commit : its full name
    rows : by table and key
    verified : whether its code was verified, for the very tables that are stored now
    """

    commit: str
    rows: Mapping[str, Rows]
    verified: bool


def verify(
    runs: StoredRuns,
    rows: int = ROWS,
    seed: int = 0,
    root: Path | None = None,
    jobs: int | None = None,
    against: Callable[[], Baseline] | None = None,
) -> Verification:
    """Compute a sample of the stored runs again and compare the digits.

    Parameters
    ----------
    runs : of one paper
    rows : runs in the sample, at most one of a cell while there are cells enough
    seed : which part of the cells, and which run of each
    root : repository; found from the current folder by default
    jobs : workers, see :func:`companion.simulate.replicate.workers`
    against : what to compare with; by default the stored tables

    Raises
    ------
    ParameterError
        if ``rows`` or ``seed`` is no such number
    ResultError
        if the stored tables are missing or damaged
    """
    whole_number("rows", rows, 1)
    whole_number("seed", seed, 0, 2**31 - 1)
    stored = runs.load(root)
    folder = results_folder(runs.paper, root)
    baseline = None if against is None else against()
    again = made_again(runs, stored.record, rows, seed, jobs)
    failures = stored.record.settings.get("failures", {})
    differences = [Difference("-", label, "-", "rows", "none") for label in again.empty if label not in failures]
    for table, fresh in again.rows.items():
        kept = _stored_rows(folder / f"{table}.csv", runs.keys[table]) if baseline is None else baseline.rows[table]
        differences += _compared(table, kept, fresh)
        if baseline is not None:
            differences += [Difference(table, name, "-", "a row", "no such row") for name in kept if name not in fresh]
    apart = {(difference.table, difference.row) for difference in differences}
    compared = {(table, row) for table, fresh in again.rows.items() for row in fresh}
    outcome = Verification(
        paper=runs.paper,
        seed=seed,
        runs=again.runs,
        cells=again.cells,
        of=again.of,
        rows=len(compared),
        equal=len(compared - apart),
        different=tuple(differences),
        outdated=again.outdated,
        absent=again.absent,
        not_compared=tuple(name for name in runs.tables if name not in runs.keys),
        recorded=False,
        against="" if baseline is None else baseline.commit,
    )
    enough = not again.absent and outcome.cells >= min(ROWS, outcome.of)
    if outcome.passed and enough and (baseline is None or baseline.verified):
        _write(runs, outcome, folder)
        outcome = replace(outcome, recorded=True)
    return outcome


def made_again(runs: StoredRuns, record: Record, rows: int, seed: int, jobs: int | None = None) -> Sample:
    """Draw a sample of the runs that a record holds in their latest version, and compute it."""
    outdated = {task.key() for _, task in runs.outdated(record)}
    current = replace(runs, items=tuple(item for item in runs.items if item[1].key() not in outdated))
    single, whole = sample(current, rows, seed)
    everything = [*single, *(item for items in whole.values() for item in items)]
    tasks = {task.key(): task for _, task in everything}
    computed = parallel_map(
        partial(_computed, compute=runs.compute),
        list(tasks.values()),
        [task.label for task in tasks.values()],
        workers(jobs),
        f"{runs.paper} again",
    )
    results = dict(zip(tasks, computed, strict=True))
    found: dict[str, Rows] = {table: {} for table in runs.keys}
    empty = []
    ones = set(runs.keys) - set(runs.summaries)
    parts = [([item], ones) for item in single] + [(items, {table}) for table, items in whole.items()]
    for items, names in parts:
        given = [result for _, task in items if (result := results[task.key()]) is not None]
        if len(given) < len(items):
            continue
        frames = runs.frames(items, given)
        now = {name: _rows(frame, runs.keys[name]) for name, frame in frames.items() if name in names}
        if not any(now.values()):
            empty += [task.label for _, task in items]
        for table, fresh in now.items():
            found[table] |= fresh
    here = [task for key, task in tasks.items() if results[key] is not None]
    return Sample(
        rows=found,
        empty=tuple(empty),
        absent=tuple(task.label for key, task in tasks.items() if results[key] is None),
        runs=len(here),
        cells=len({_cell(task) for task in here}),
        of=len(_by_cell(current.items)),
        outdated=len(outdated),
    )


def sample(runs: StoredRuns, rows: int, seed: int) -> tuple[list[Item], dict[str, list[Item]]]:
    """Runs to compute again.

    Returns
    -------
    single runs, each of another cell while there are cells; and for each summary a whole cell
    """
    cells = _by_cell(item for item in runs.items if runs.single(*item))
    names = [list(cells)[place] for place in stream(0, "verify", runs.paper).permutation(len(cells))]
    draw = stream(seed, "verify", runs.paper, "runs")
    chosen: dict[str, Item] = {}
    for number in range(rows):
        members = cells[names[(seed * rows + number) % len(names)]]
        item = members[int(draw.integers(len(members)))]
        chosen.setdefault(item[1].key(), item)
    whole = {}
    for table, goes_in in runs.summaries.items():
        groups = list(_by_cell(item for item in runs.items if goes_in(*item)).values())
        order = stream(0, "verify", runs.paper, table).permutation(len(groups))
        whole[table] = groups[order[seed % len(groups)]]
    return list(chosen.values()), whole


def standing(runs: StoredRuns, root: Path | None = None) -> str:
    """Whether the stored tables are those that the present code was seen to give.

    Returns
    -------
    ``"same"``; ``"changed"`` where code or tables are others than when they were verified; or ``"never verified"``
    """
    folder = results_folder(runs.paper, root)
    stored = noted(runs, folder)
    if stored is None:
        return NEVER
    same = stored["meaning"] == runs.meaning.digest and stored["tables"] == checksums(runs, folder)
    return SAME if same else CHANGED


OTHERS = "others"
"""Field of :data:`~companion.reproduce.hashing.VERIFIED` that has the sets of tables beside a paper's runs, by name."""


def _is_other(runs: StoredRuns) -> bool:
    """Whether these are tables made in parts, which some chapter has beside its runs."""
    return not runs.module.endswith(".plan.store") and runs.module.endswith(".tables")


def noted(runs: StoredRuns, folder: Path) -> dict[str, Any] | None:
    """What was noted when these runs were compared last; ``None`` if they never were.

    Raises
    ------
    ResultError
        if the file is damaged
    """
    try:
        content: dict[str, Any] = json.loads((folder / VERIFIED).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        raise ResultError(
            f"{folder / VERIFIED} is damaged; make it again with: companion verify {runs.paper}"
        ) from None
    found = content.get(OTHERS, {}).get(runs.name) if _is_other(runs) else content
    return found if found and "meaning" in found else None


def _kept_beside(runs: StoredRuns, content: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The whole file with the note on these runs in its place."""
    path = folder / VERIFIED
    before: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    others = before.get(OTHERS, {})
    if _is_other(runs):
        return {**before, OTHERS: {**others, runs.name: content}}
    return {**content, OTHERS: others} if others else content


def _write(runs: StoredRuns, outcome: Verification, folder: Path) -> None:
    commit, dirty = git_commit(inputs=INPUTS)
    content = {
        "paper": runs.paper,
        "meaning": runs.meaning.digest,
        "definitions": {name: value[:_SHORT] for name, value in runs.meaning.definitions.items()},
        "versions": dict(runs.meaning.versions),
        "sample": {
            name: getattr(outcome, name) for name in ("seed", "runs", "cells", "of", "rows", "equal", "outdated")
        },
        "tables": checksums(runs, folder),
        "against": outcome.against,
        "kernels": sorted(set(arithmetic.kernels())),
        "date": datetime.datetime.now(datetime.UTC).replace(microsecond=0).isoformat(),
        "commit": commit,
        "dirty": dirty,
        "machine": machine(),
    }
    whole = _kept_beside(runs, content, folder)
    write_atomic(folder / VERIFIED, (strict_json(whole, indent=1) + "\n").encode())


def checksums(runs: StoredRuns, folder: Path) -> dict[str, str]:
    """SHA-256 of each stored table."""
    return {name: hashlib.sha256((folder / f"{name}.csv").read_bytes()).hexdigest() for name in runs.tables}


def _computed(task: Task, compute: Callable[[Task], Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Result in the types that a stored one has; ``None`` where the data of the run are not here."""
    try:
        found: Mapping[str, Any] = json.loads(json.dumps(plain(dict(compute(task)))))
    except DataError:
        return None
    return found


def _by_cell(items: Iterable[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(_cell(item[1]), []).append(item)
    return found


def _cell(task: Task) -> str:
    return json.dumps({**task.to_json(), "seed": 0}, sort_keys=True)


# -- rows as text ------------------------------------------------------------------------------------------------------


def _rows(frame: pd.DataFrame, key: Sequence[str]) -> Rows:
    """Rows of a frame as they would be stored, by their key."""
    return _parsed(frame.to_csv(index=False, lineterminator="\n"), key)


def _stored_rows(path: Path, key: Sequence[str]) -> Rows:
    return _parsed(path.read_text(encoding="utf-8"), key)


def _parsed(text: str, key: Sequence[str]) -> Rows:
    found: Rows = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        place = ", ".join(f"{name}={row[name]}" for name in key)
        if place in found:
            raise ResultError(f"a stored table has two rows for {place}; make it again")
        found[place] = row
    return found


def _compared(table: str, stored: Rows, fresh: Rows) -> list[Difference]:
    found = []
    for name, row in fresh.items():
        if name not in stored:
            found.append(Difference(table, name, "-", "no such row", "a row"))
            continue
        found += [
            Difference(table, name, column, stored[name].get(column, ""), value)
            for column, value in row.items()
            if not _equal(stored[name].get(column, ""), value)
        ]
    return found


def _equal(stored: str, now: str) -> bool:
    """Same text; a column of whole numbers may have ``.0`` throughout, since one entry lacks."""
    return stored.removesuffix(".0") == now.removesuffix(".0")
