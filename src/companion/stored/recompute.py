"""Stored rows brought up to what is declared, cell by cell: ``companion verify PAPER --renew``.

No cell is ever of two sets of kernels (:mod:`companion.core.instruction_set`): it is put in place whole, or gets seeds made with
its own. Several calls, days apart, may take some cells each. The record then lists, under
:data:`~companion.stored.runs.CELLS`, the cells that are not of its own kernels and versions, and under ``renewed`` what
each call did.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from companion.core import instruction_set
from companion.core.errors import ResultError
from companion.core.files import results_folder
from companion.simulate.sweep import TASKS
from companion.simulate.task_store import Task, assemble, cost, kernels_used, run_tasks
from companion.stored.blocks import Item
from companion.stored.record import Record
from companion.stored.results import StoredTables, store_tables
from companion.stored.runs import CELLS, PaperRuns, by_cell, cell_name, instruction_set_of, reading_of


@dataclass(frozen=True)
class Renewed:
    """Result of :func:`renew`: cells made anew, cells with more seeds, and the runs of both.

    ``waiting`` counts the cells of which some finished runs are there, and not all that are needed.
    """

    cells: int = 0
    extended: int = 0
    runs: int = 0
    waiting: int = 0


def renew(runs: PaperRuns[Any], root: Path | None = None, jobs: int | None = None, finished: bool = False) -> Renewed:
    """Make what is outdated or lacking, and put every cell in place whose runs are all there; all other rows stay.

    A cell is made anew where its runs are of an older version than declared. Seeds of the plan that are not stored are added to a
    cell made with the same kernels; where it was made with others, or a table summarises these seeds, the whole cell is made.
    Finished runs wait in ``tasks/`` as those of :func:`companion.stored.runs.store` do. A cell is put in place if they are
    all there, of one set of kernels, and newer than the stored ones or made with others. Tables whose rows have no key, those
    of times, stay.

    Parameters
    ----------
    runs, root, jobs : as of :func:`companion.stored.runs.store`
    finished : compute nothing, and take what is there

    Raises
    ------
    ResultError
        if the stored tables are missing or damaged, or finished runs of a cell that is to be made are of other kernels
    """
    stored, folder = runs.load(root), results_folder(runs.paper, root)
    tasks, began = folder / TASKS, time.monotonic()
    if not finished and (needed := _needed(runs, stored)):
        _check_kernels(needed, tasks)
        run_tasks(needed, runs.compute, tasks, jobs=jobs, label=f"runs of {runs.paper}")
    chosen = _finished(runs, stored, tasks)
    if not chosen.made:
        return Renewed(waiting=chosen.waiting)
    settings, tables = dict(stored.record.settings), dict(stored.tables)
    for items, names in (
        (chosen.whole, set(runs.keys)),
        (chosen.added, set(runs.keys) - set(runs.summaries)),
    ):
        results = assemble([task for _, task in items], tasks)
        rows = {name: frame for name, frame in runs.frames(items, results).items() if name in names} if items else {}
        tables = _without_broken(runs, items, rows, tables)
        tables = {name: _replaced(table, rows.get(name), runs.keys.get(name)) for name, table in tables.items()}
        settings = _found_again(runs, settings, items, results)
    made = Record.now(runs.command, profile="paper", seeds=[], seconds=time.monotonic() - began)
    settings["renewed"] = [*settings.get("renewed", []), *_notes(chosen, made, tasks)]
    record = _with_cells(runs, replace(stored.record, settings=settings), chosen.made, made)
    if runs.row is not None and not _lacking(runs, StoredTables(tables, record)):
        count = len({task.key() for _, task in runs.items})
        record = replace(
            record, seeds=tuple(runs.seeds(runs.plan)), settings={**record.settings, **runs.told, "runs": count}
        )
    store_tables(folder, runs.name, tables, record, anew=True)
    count = len({task.key() for _, task in (*chosen.whole, *chosen.added)})
    return Renewed(len(by_cell(chosen.whole)), len(by_cell(chosen.added)), count, chosen.waiting)


# -- what is to be done ------------------------------------------------------------------------------------------------


@dataclass
class _Chosen:
    """Runs of whole cells, runs that others are extended by, kernels and version by cell, and how many cells wait."""

    whole: list[Item] = field(default_factory=list)
    added: list[Item] = field(default_factory=list)
    made: dict[str, tuple[str, int]] = field(default_factory=dict)
    waiting: int = 0


def _lacking(runs: PaperRuns[Any], stored: StoredTables) -> set[int]:
    """Runs, by ``id``, without a stored row, as far as its place is declared."""
    broken = stored.record.settings.get("failures", {})
    known: dict[tuple[str, tuple[str, ...]], set[tuple[str, ...]]] = {}
    found = set()
    for item in runs.compared if runs.row is not None else ():
        place = runs.row(*item) if runs.row is not None else None
        if place is None or item[1].label in broken:
            continue
        table, columns = place[0], tuple(place[1])
        if (table, columns) not in known:
            known[table, columns] = set(_row_names(stored.tables[table], columns))
        if tuple(str(value) for value in place[1].values()) not in known[table, columns]:
            found.add(id(item))
    return found


def _needed(runs: PaperRuns[Any], stored: StoredTables) -> list[Task]:
    """What has to be computed with the kernels in use."""
    here, made = instruction_set.in_use(), instruction_set_of(runs, stored.record)
    outdated = {id(item) for item in runs.outdated(stored.record)}
    lacking = _lacking(runs, stored)
    found: list[Item] = []
    for items in by_cell(runs.compared).values():
        new = [item for item in items if id(item) in lacking]
        old = any(id(item) in outdated for item in items)
        whole = old or (new and (made(items[0][1]) != here or any(runs.summarised(item) for item in new)))
        found += items if whole else new
    return [task for _, task in found]


def _finished(runs: PaperRuns[Any], stored: StoredTables, folder: Path) -> _Chosen:
    """Finished runs that can be put in place."""
    made = instruction_set_of(runs, stored.record)
    outdated = {id(item) for item in runs.outdated(stored.record)}
    lacking = _lacking(runs, stored)
    chosen = _Chosen()
    for items in by_cell(runs.compared).values():
        used = {task.key(): _made_by(task, folder) for _, task in items}
        new = [item for item in items if id(item) in lacking]
        old = any(id(item) in outdated for item in items)
        before, complete = made(items[0][1]), None not in used.values() and len(set(used.values())) == 1
        summarised = any(runs.summarised(item) for item in new)
        if complete and (old or before not in used.values() or summarised):
            chosen.whole += items
        elif new and not old and not summarised and all(used[task.key()] == before for _, task in new):
            chosen.added += new
        else:
            fresh = (old or id(item) in lacking or used[item[1].key()] != before for item in items)
            there = (used[task.key()] is not None for _, task in items)
            chosen.waiting += not complete and any(map(all, zip(there, fresh, strict=True)))
            continue
        first = (new or items)[0][1]
        chosen.made[cell_name(first)] = (used[first.key()] or "", first.version)
    return chosen


def _made_by(task: Task, folder: Path) -> str | None:
    """The kernels of a finished run; those in use where its file is older and does not say; ``None`` where there is none."""
    try:
        return kernels_used(task, folder) or instruction_set.in_use()
    except (FileNotFoundError, ResultError):
        return None


def _check_kernels(tasks: Iterable[Task], folder: Path) -> None:
    here = instruction_set.in_use()
    for task in tasks:
        if (found := _made_by(task, folder)) not in (None, here):
            raise ResultError(
                f"{task.label} is finished, with the kernels {found}, and the others of its cell would be made with "
                f"{here or 'those used here'}: set {instruction_set.CHOICE}={found}, or remove the run from {folder}"
            )


# -- the record --------------------------------------------------------------------------------------------------------


def _found_again(
    runs: PaperRuns[Any], settings: Mapping[str, Any], items: Sequence[Item], results: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Settings with what was found of these runs in the place of what was found before."""
    labels, after = {task.label for _, task in items}, dict(settings)
    for name, values in runs.found(items, results).items() if items else ():
        kept = {label: value for label, value in settings.get(name, {}).items() if label not in labels}
        after[name] = kept | dict(values)
    return after


def _notes(chosen: _Chosen, made: Record, folder: Path) -> list[dict[str, Any]]:
    """Work of this call by instruction set."""
    notes = []
    for kernels in sorted({kernels for kernels, _ in chosen.made.values()}):
        own = {name for name, (of, _) in chosen.made.items() if of == kernels}
        whole, added = ([task for _, task in items if cell_name(task) in own] for items in (chosen.whole, chosen.added))
        tasks = list({task.key(): task for task in (*whole, *added)}.values())
        notes.append(
            {
                "date": made.date,
                "kernels": kernels,
                "packages": dict(made.versions),
                "versions": {reading_of(task): task.version for task in tasks},
                "cells": len({cell_name(task) for task in whole}),
                "extended": len({cell_name(task) for task in added}),
                "cost": cost(tasks, folder),
            }
        )
    return notes


def _with_cells(runs: PaperRuns[Any], record: Record, new: Mapping[str, tuple[str, int]], made: Record) -> Record:
    """The record with the kernels and versions of the cells as they are now; ``made`` is one of this process."""
    tasks = {cell_name(task): task for _, task in runs.compared}
    entries = record.settings.get(CELLS, [])
    listed = {name: (entry["kernels"], entry["version"]) for entry in entries for name in entry["cells"]}
    known = {name: made_by for name, made_by in {**listed, **new}.items() if name in tasks}
    record = replace(record, settings={**record.settings, CELLS: _grouped(known)})
    behind = {reading_of(task) for _, task in runs.outdated(record)}
    versions = {reading: version for reading, version in runs.versions.items() if reading not in behind}
    versions = {**record.settings.get("versions", {}), **versions}
    made_with = instruction_set_of(runs, record)
    if {made_with(task) for task in tasks.values()} == {instruction_set.in_use()}:
        record = replace(record, blas=made.blas)
    common = instruction_set.recorded(record.blas)
    apart = {
        name: (kernels, version)
        for name, (kernels, version) in known.items()
        if kernels != common or version > int(versions.get(reading_of(tasks[name]), 1))
    }
    settings = {name: value for name, value in record.settings.items() if name != CELLS}
    return replace(record, settings={**settings, "versions": versions, **({CELLS: _grouped(apart)} if apart else {})})


def _grouped(cells: Mapping[str, tuple[str, int]]) -> list[dict[str, Any]]:
    groups: dict[tuple[str, int], list[str]] = {}
    for name in sorted(cells):
        groups.setdefault(cells[name], []).append(name)
    return [
        {"kernels": kernels, "version": version, "cells": names} for (kernels, version), names in sorted(groups.items())
    ]


# -- rows --------------------------------------------------------------------------------------------------------------


def _without_broken(
    runs: PaperRuns[Any], items: Sequence[Item], rows: Mapping[str, pd.DataFrame], tables: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """The tables without the rows of runs that give none any more, which would be of what was before."""
    found = dict(tables)
    places: dict[tuple[str, tuple[str, ...]], set[tuple[str, ...]]] = {}
    for item in items:
        place = None if runs.row is None else runs.row(*item)
        if place is not None:
            table, values = place
            places.setdefault((table, tuple(values)), set()).add(tuple(str(value) for value in values.values()))
    for (table, columns), names in places.items():
        gone = names - (set(_row_names(rows[table], columns)) if len(rows[table]) else set())
        found[table] = found[table][[name not in gone for name in _row_names(found[table], columns)]]
    return found


def _replaced(stored: pd.DataFrame, rows: pd.DataFrame | None, key: tuple[str, ...] | None) -> pd.DataFrame:
    """The stored rows, those made again in the places of the old ones; rows that were not there come last."""
    if rows is None or rows.empty or key is None:
        return stored
    made = {name: len(stored) + place for place, name in enumerate(_row_names(rows, key))}
    places = [made.pop(name, place) for place, name in enumerate(_row_names(stored, key))]
    both = pd.concat([stored, rows[list(stored.columns)]], ignore_index=True)
    return both.iloc[[*places, *made.values()]].reset_index(drop=True)


def _row_names(table: pd.DataFrame, key: Sequence[str]) -> list[tuple[str, ...]]:
    """Key of each row as text: an empty cell, which pandas reads as NaN, is the empty text that was stored."""
    columns = [["" if pd.isna(value) else str(value) for value in table[name]] for name in key]
    return list(zip(*columns, strict=True))
