"""The tables of chapter 6 that are made whole, in parts that can each be made again: what ``companion verify across`` samples.

Each set of tables is stored by its own module (:mod:`~companion.papers.across.gains`,
:mod:`~companion.papers.across.lines`, :mod:`~companion.papers.across.sayings`, :mod:`~companion.papers.across.measured`,
:mod:`~companion.papers.across.steps`, :mod:`companion.papers.across.widths`), since its parts share little and take
seconds. Here every set is declared as runs, so that what compares a paper's stored runs compares these as well: a run is
one part, a setting or a block, and its result are the rows of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from companion.core.errors import ResultError
from companion.gp.kernels import KERNEL_NAMES
from companion.papers.across import common, gains, lines, measured, sayings, steps
from companion.papers.across.shifts import tables as shifts
from companion.papers.across.widths import arms, coverage, grid_runs, schedules, stored
from companion.papers.across.widths.rules import Rule
from companion.reproduce.runs import Item, StoredRuns
from companion.simulate.store import Task

PAPER = "across"
SETTING = ("kernel", "dim", "noise")
BLOCK = ("instance", "id", "points", "seed")


def _item(part: str, method: str, seed: int = 0, **parameters: Any) -> Item:
    return part, Task(f"{PAPER}/{part}", method, parameters, seed)


@cache
def every_run() -> tuple[Item, ...]:
    """The parts of all tables, each once."""
    found = [_item("gains", kernel, dim=dim) for kernel, dim in product((*KERNEL_NAMES, common.GAME), common.POINTS)]
    found += [_item("lines", kernel, dim=dim) for kernel, dim in lines.SETTINGS]
    found += [_item("games", common.GAME, dim=dim) for dim in gains.GAMES]
    places = product(common.KERNELS, common.DIMS, common.NOISES)
    found += [_item("sayings", kernel, dim=dim, noise=noise) for kernel, dim, noise in places]
    table = measured.load().tables["measured"]
    for row in table.to_dict("records"):
        place = {name: row[name] for name in SETTING[1:]}
        found.append(_item("measured", row["played"], kernel=row["kernel"], batch=row["batch"], **place))
    for row in steps.load().tables["steps"].to_dict("records"):
        found.append(_item("steps", row["played"], **{name: row[name] for name in SETTING}))
    found.append(_item("widths", "schedules"))
    for row in stored.load().tables["width_blocks"].to_dict("records"):
        found.append(_item("width_blocks", row["id"], row["seed"], instance=row["instance"], points=row["points"]))
    return tuple(found)


def compute(task: Task) -> dict[str, Any]:
    """The rows of a part."""
    part, p = task.experiment.removeprefix(f"{PAPER}/"), task.parameters
    made: dict[str, Any] = {
        # Of a lower end, which no page takes, the last of all its digits are no part of the result.
        "gains": lambda: [{**row, "lower": None} for row in gains.gain_rows(task.method, p["dim"])],
        "lines": lambda: lines.line_rows(task.method, p["dim"]),
        "games": lambda: gains.game_rows(p["dim"]),
        "sayings": lambda: sayings.setting_rows(task.method, p["dim"], p["noise"]),
        "measured": lambda: _measured(task.method, p),
        "steps": lambda: [steps.row(p["kernel"], p["dim"], p["noise"], task.method)],
        "widths": schedules.rows,
        "width_blocks": lambda: _block(task.method, p["instance"], p["points"], task.seed),
    }
    return {"rows": list(made[part]())}


def _measured(method: str, p: Mapping[str, Any]) -> list[dict[str, Any]]:
    here = measured.Instance(common.KERNELS[0] if p["kernel"] == common.GAME else p["kernel"], p["dim"], p["noise"])
    return [
        measured.row_of(here, *each) for each in measured.asked(here) if each[:3] == (p["kernel"], method, p["batch"])
    ]


def _rule(name: str, horizon: int) -> Rule:
    (found,) = (rule for rule in coverage.rules(stored.load().tables["width_defaults"], horizon) if rule.id == name)
    return found


def _block(name: str, place: str, points: str, seed: int) -> list[dict[str, Any]]:
    """One block of runs, as :func:`companion.papers.across.widths.coverage.block_rows` tells it."""
    key = (place, name, points)
    if place in coverage.GRID:
        rule = _rule(name, grid_runs.HORIZON)
        batched = rule.promise == "batches" and points == "batches"
        played = rule if batched or rule.promise != "batches" else grid_runs.without_promise(rule)
        found = grid_runs.block(played, coverage.GRID[place], seed)
        return list(coverage.block_rows({key: found.ratio}, {key: found.regret}, (seed,)))
    (instance,) = (each for each in arms.INSTANCES if each.name == place)
    rule = _rule(name, instance.horizon)
    return list(coverage.block_rows({key: arms.block(rule, instance, seed, arms.path(rule, instance))}, {}, (seed,)))


def frames(items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, pd.DataFrame]:
    """The tables of these parts."""
    rows: dict[str, list[Any]] = {}
    for (part, _), result in zip(items, results, strict=True):
        rows.setdefault(part, []).extend(result["rows"])
    return {name: pd.DataFrame(found).dropna(axis=1, how="all") for name, found in rows.items()}


SETS: Mapping[str, tuple[str, tuple[str, ...], Mapping[str, tuple[str, ...]]]] = {
    gains.NAME: (gains.COMMAND, gains.TABLES, {"gains": (*SETTING, "horizon"), "games": ("dim", "horizon")}),
    lines.NAME: (lines.COMMAND, lines.TABLES, {"lines": ("kernel", "dim", "model")}),
    sayings.NAME: (sayings.COMMAND, sayings.TABLES, {"sayings": (*SETTING, "id", "batch")}),
    measured.NAME: (measured.COMMAND, measured.TABLES, {"measured": (*SETTING, "played", "batch")}),
    steps.NAME: (steps.COMMAND, steps.TABLES, {"steps": (*SETTING, "played", "batch")}),
    stored.NAME: (stored.COMMAND, stored.TABLES, {"widths": (*SETTING, "id"), "width_blocks": BLOCK}),
}
"""By name: the command that makes them, the tables, and the columns that name a row of those that are made in parts. Of the other
tables, coverage and regret add up blocks, and defaults need the libraries: tests hold them to these."""


def store(root: Path | None = None) -> None:
    """Make the sets of tables that are missing or damaged; each needs those before it. About half an hour for all."""
    for made in (gains, lines, sayings, measured, steps, stored, shifts):
        try:
            made.load(root)
        except ResultError:
            made.store(root)


def table_sets() -> tuple[StoredRuns, ...]:
    """Every set of tables, as runs."""
    parts = tuple(
        StoredRuns(
            paper=PAPER,
            module=__name__,
            name=name,
            tables=tables,
            command=command,
            items=tuple(item for item in every_run() if item[0] in keys),
            compute=compute,
            frames=frames,
            keys=keys,
        )
        for name, (command, tables, keys) in SETS.items()
    )
    return (*parts, shifts.stored_runs())
