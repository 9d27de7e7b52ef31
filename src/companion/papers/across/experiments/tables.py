"""The tables of chapter 6 that are made whole, in parts that can each be made again: what ``companion verify across`` samples.

Each set of tables is stored by its own module (:mod:`~companion.papers.across.gains`,
:mod:`~companion.papers.across.lines`, :mod:`~companion.papers.across.sayings`, :mod:`~companion.papers.across.measured`,
:mod:`~companion.papers.across.steps`, :mod:`companion.papers.across.widths`), since its parts share little and take
seconds. Here every set is declared as runs, so that what compares a paper's stored runs compares these as well: a run is
one part, a setting or a block, and its result are the rows of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from companion.core.errors import ResultError
from companion.gp.kernels import KERNEL_NAMES
from companion.papers.across import common, gains, lines, measured, sayings, steps
from companion.papers.across.shifts import tables as shifts
from companion.papers.across.stopping import models
from companion.papers.across.stopping import stored as stopping
from companion.papers.across.study import shipped
from companion.papers.across.study import stored as study
from companion.papers.across.widths import arms, coverage, grid_runs, misspecified, schedules, stored
from companion.papers.across.widths.rules import Rule
from companion.reproduce.blocks import Block, Result, RunTable
from companion.reproduce.runs import PaperRuns
from companion.reproduce.stored import StoredSet, TableSet
from companion.simulate.store import Task

PAPER = "across"
#: Modules that have the tables of a set; each needs those before it.
SETS = (gains, lines, sayings, measured, steps, stored)


def _block(part: str, places: Iterable[Mapping[str, Any]]) -> Block:
    """The parts of a table, each with its method, and its seed where it has one."""
    tasks = []
    for place in places:
        parameters = {name: value for name, value in place.items() if name not in ("method", "seed")}
        tasks.append(Task(f"{PAPER}/{part}", place["method"], parameters, place.get("seed", 0)))
    return Block(part, tasks)


def _played(found: TableSet, table: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """What a stored table has rows of."""
    rows = found.load().tables[table].rename(columns={"played": "method", "id": "method"})
    return rows[["method", *names]].to_dict("records")


@cache
def every_block() -> dict[str, Block]:
    """The parts of all tables, each once."""
    places = product(common.KERNELS, common.DIMS, common.NOISES)
    kernels = product((*KERNEL_NAMES, common.GAME), common.POINTS)
    parts = {
        "gains": [{"method": kernel, "dim": dim} for kernel, dim in kernels],
        "lines": [{"method": kernel, "dim": dim} for kernel, dim in lines.SETTINGS],
        "games": [{"method": common.GAME, "dim": dim} for dim in gains.GAMES],
        "sayings": [{"method": kernel, "dim": dim, "noise": noise} for kernel, dim, noise in places],
        "measured": _played(measured.SET, "measured", ("kernel", "batch", "dim", "noise")),
        "steps": _played(steps.SET, "steps", ("kernel", "dim", "noise")),
        "widths": [{"method": "schedules"}],
        "width_blocks": _played(stored.SET, "width_blocks", ("seed", "instance", "points")),
    }
    return {part: _block(part, listed) for part, listed in parts.items()}


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
        "width_blocks": lambda: _of_block(task.method, p["instance"], p["points"], task.seed),
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


def _of_block(name: str, place: str, points: str, seed: int) -> list[dict[str, Any]]:
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


def rows(task: Task, result: Result) -> list[dict[str, Any]]:
    """The rows of a part, without their empty cells."""
    return [
        {name: value for name, value in row.items() if value is not None and value == value} for row in result["rows"]
    ]


def store(root: Path | None = None) -> None:
    """Make the sets of tables that are missing or damaged. About three hours for all."""
    for made in (*SETS, shifts, study, misspecified, stopping, models, shipped):
        try:
            made.load(root)
        except ResultError:
            made.store(root)


def blocks(found: TableSet) -> list[Block]:
    """The parts of a set of tables."""
    return [block for part, block in every_block().items() if part in found.keys]


TABLES = {
    made.SET.name: {
        table: RunTable(key, rows, (table,), compared=bool(key), digits=17) for table, key in made.SET.keys.items()
    }
    for made in SETS
}


def table_sets() -> tuple[PaperRuns[Any], ...]:
    """Every set of tables, as runs."""
    parts = (
        PaperRuns(
            stored=StoredSet(PAPER, __name__, made.SET.command, tuple(made.SET.keys), made.SET.name),
            plan=made.SET,
            blocks=blocks,
            compute=compute,
            tables=TABLES[made.SET.name],
            roots=("every_block", "compute", "rows"),
        )
        for made in SETS
    )
    return (*parts, shifts.RUNS, study.RUNS, misspecified.RUNS, stopping.RUNS, models.RUNS, shipped.RUNS)
