"""All sets of stored tables of chapter 6, as runs: their computation, and the sample of ``companion verify across``.

The sets of the room of theory, gains and lines, bounds at common settings, measured regret and the steps of the proofs, are
tables of rows: a run is one part, a setting or a method in it, and its result are the rows of it. The others declare their runs
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from companion.core.errors import ResultError, known_as
from companion.papers.across.experiments import (
    box_study,
    fitted_model,
    fitted_stopping,
    misspecified_widths,
    settings,
    shifts,
    stopping,
    stopping_models,
    study,
    widths,
)
from companion.papers.across.problems import common
from companion.papers.across.theory import (
    bounds_at_settings,
    gains,
    longer_runs,
    measured_regret,
    proof_steps,
    trivial_lines,
)
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, RunTable, kept_rows
from companion.stored.results import StoredSet
from companion.stored.runs import PaperRuns

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """A table that is made part by part.

    Parameters
    ----------
    places : of the parts, each with its ``method``
    rows : of a part, from its place
    key : columns that name a row
    """

    places: Callable[[], Iterable[Row]]
    rows: Callable[..., Iterable[Row]]
    key: tuple[str, ...]


def _kernels() -> Iterable[Row]:
    return ({"method": kernel, "dim": dim} for kernel, dim in trivial_lines.SETTINGS)


def _settings() -> Iterable[Row]:
    places = product(common.KERNELS, common.DIMS, common.NOISES)
    return ({"method": kernel, "dim": dim, "noise": noise} for kernel, dim, noise in places)


#: By table.
PARTS = {
    "gains": Part(_kernels, lambda method, dim: gains.gain_rows(method, dim), ("kernel", "dim", "noise", "horizon")),
    "games": Part(
        lambda: ({"method": common.GAME, "dim": dim} for dim in gains.GAMES),
        lambda method, dim: gains.game_rows(dim),
        ("dim", "horizon"),
    ),
    "lines": Part(_kernels, lambda method, dim: trivial_lines.line_rows(method, dim), ("kernel", "dim", "model")),
    "sayings": Part(
        _settings,
        lambda method, dim, noise: bounds_at_settings.setting_rows(method, dim, noise),
        ("kernel", "dim", "noise", "id", "batch"),
    ),
    "measured": Part(
        measured_regret.places,
        lambda **place: [measured_regret.row(**place)],
        ("kernel", "dim", "noise", "played", "batch"),
    ),
    "steps": Part(
        proof_steps.places,
        lambda method, **place: [proof_steps.row(played=method, **place)],
        ("kernel", "dim", "noise", "played", "batch"),
    ),
}


def block(part: str) -> Block:
    """The parts of a table."""
    places = [dict(place) for place in PARTS[part].places()]
    return Block(part, [Task(f"across/{part}", place.pop("method"), place, 0) for place in places])


def compute(task: Task) -> dict[str, Any]:
    """The rows of a part."""
    part = PARTS[task.experiment.removeprefix("across/")]
    return {"rows": list(part.rows(method=task.method, **task.parameters))}


def _declared(stored: StoredSet) -> PaperRuns[Any]:
    """A set of such tables; what is random in it, draws behind a line or a game's constants, is from seed 0."""
    return PaperRuns(
        stored=stored,
        blocks=lambda plan: map(block, stored.tables),
        compute=compute,
        tables={table: RunTable(PARTS[table].key, kept_rows, (table,), digits=17) for table in stored.tables},
        seeds=lambda plan: (0,),
        roots=("PARTS", "compute", "kept_rows"),
    )


#: Each needs those before it. The runs of the settings, which need none of them, are :data:`.settings.RUNS`.
SETS = (
    *map(_declared, (each.STORED for each in (gains, trivial_lines, bounds_at_settings, measured_regret, proof_steps))),
    *(
        each.RUNS
        for each in (
            widths,
            shifts,
            study,
            misspecified_widths,
            stopping,
            stopping_models,
            fitted_model,
            fitted_stopping,
            box_study,
            longer_runs,
        )
    ),
)
RUNS = settings.RUNS


def table_sets() -> tuple[PaperRuns[Any], ...]:
    """Every set of tables, as runs."""
    return SETS


def store(root: Path | None = None, names: Sequence[str] = ()) -> None:
    """Make sets of tables: those with these names, or those that are missing or damaged. About four hours for all.

    Raises
    ------
    ParameterError
        for a name that no set has
    """
    known = {runs.name: runs for runs in SETS}
    for name in names:
        known_as("name", name, known)
    for name in names or [name for name, runs in known.items() if _is_missing(runs, root)]:
        (widths if name == "widths" else known[name]).store(root)


def _is_missing(runs: PaperRuns[Any], root: Path | None) -> bool:
    try:
        runs.load(root)
    except ResultError:
        return True
    return False
