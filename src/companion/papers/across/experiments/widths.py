"""Comparison of widths: every schedule in one convention, libraries' defaults, coverage of each, and its cost.

A width is what multiplies the posterior standard deviation. :mod:`companion.papers.across.theory.width_schedules` evaluates all
of them over T at common settings, :mod:`companion.papers.across.method.library_widths` asks libraries for theirs,
:mod:`~companion.papers.across.experiments.width_grid_runs` and :mod:`~companion.papers.across.experiments.width_arms` run them,
:mod:`~companion.papers.across.experiments.width_coverage` judges the runs, and the tables are kept here.
:mod:`~companion.papers.across.experiments.misspecified_widths` repeats the runs with a wrong model.

``python -m companion.papers.across.experiments widths`` makes them, in a few minutes on one core. It calls the libraries of
the extra ``widths``; where one is not installed, its stored rows are kept. Computed again, blocks take the stored defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.core.errors import ResultError
from companion.core.files import results_folder
from companion.papers.across.experiments import width_coverage
from companion.papers.across.method import library_widths
from companion.papers.across.problems.common import DELTA, stored_set
from companion.papers.across.theory import width_schedules
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, Result, Run, RunTable, by_key, kept_rows
from companion.stored.runs import PaperRuns

#: Instance, width and how the points are chosen: what blocks are added up by.
CELL = ("instance", "method", "points")


def blocks(plan: pd.DataFrame | None = None) -> list[Block]:
    """Schedules, defaults, and blocks of runs with every width; ``plan`` has those of libraries, by default the stored ones."""
    libraries = load().tables["width_defaults"] if plan is None else plan
    # Block by block: what a block's runs need on arms is then computed once for all widths.
    order: dict[str, int] = {}
    runs = sorted(
        (
            Task("across/width_blocks", rule.id, {"instance": place, "points": points}, seed, values=rule)
            for place, points, rule in width_coverage.ways(libraries)
            for seed in width_coverage.SEEDS
        ),
        key=lambda task: (order.setdefault(task.parameters["instance"], len(order)), task.seed),
    )
    return [
        Block("widths", [Task("across/widths", "schedules", {}, 0)]),
        Block("width_defaults", [Task("across/width_defaults", "libraries", {}, 0, values=libraries)]),
        Block("width_blocks", runs),
    ]


def compute(task: Task) -> dict[str, Any]:
    """Rows; of a block, the part of the width that every run needed, and the regret of each where a rule plays."""
    match task.method:
        case "schedules":
            return {"rows": list(width_schedules.rows())}
        case "libraries":
            return {"rows": task.values.to_dict("records")}
    found = width_coverage.block(task.parameters["instance"], task.values, task.seed)
    return {"ratios": found.ratio.tolist(), "regrets": found.regret.tolist()}


def block_row(task: Task, result: Result) -> dict[str, Any]:
    """Row of a block by itself: largest ratio, failures and mean regret."""
    ratios, regrets = np.asarray(result["ratios"]), result["regrets"]
    numbers = {"largest": float(ratios.max()), "failures": int((ratios > 1.0).sum())}
    row = {"instance": task.parameters["instance"], "id": task.method, "points": task.parameters["points"]}
    return row | {"seed": task.seed, **numbers, "regret": float(np.mean(regrets)) if regrets else np.nan}


def _joined(runs: Sequence[Run], name: str) -> dict[tuple[str, str, str], Floats]:
    """Values of all runs of a cell, block after block, where there are any."""
    cells = ((cell, np.concatenate([each[name] for each in found])) for cell, found in by_key(runs, CELL))
    return {tuple(cell.values()): values for cell, values in cells if len(values)}


def coverage(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """Of all blocks of a width."""
    return width_coverage.coverage_rows(_joined(runs, "ratios"))


def regret(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """Of all blocks of a width, against those of the width of reference; without these there is none."""
    found = _joined(runs, "regrets")
    known = [key for key in found if (key[0], width_coverage.REFERENCE[key[0]], "GP-UCB") in found]
    return width_coverage.regret_rows({key: found[key] for key in known})


TABLES = {
    "widths": RunTable(("kernel", "dim", "noise", "id"), kept_rows, ("widths",), digits=17),
    # Defaults need the libraries, and coverage and regret add up blocks: tests hold them to these.
    "width_defaults": RunTable((), kept_rows, ("width_defaults",), compared=False, digits=17),
    "width_coverage": RunTable((), parts=("width_blocks",), whole=coverage, compared=False, digits=17),
    "width_regret": RunTable((), parts=("width_blocks",), whole=regret, compared=False, digits=17),
    "width_blocks": RunTable(("instance", "id", "points", "seed"), block_row, ("width_blocks",), digits=17),
}
STORED = stored_set("widths", *TABLES, module=__name__, whole=True)
load = cache(STORED.load)
RUNS = PaperRuns(
    stored=STORED,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    together=lambda block, task: (block.part, task.method, *task.parameters.values()),
    seeds=lambda plan: width_coverage.SEEDS,
)


def store(root: Path | None = None) -> Path:
    """Ask the libraries that are installed, compute all and write the tables with their record."""
    path = results_folder("across") / "width_defaults.csv"
    kept = pd.read_csv(path, float_precision="round_trip") if path.exists() else None
    return RUNS.store(root, plan=pd.DataFrame(list(library_widths.rows(kept))))


def broken_promises(covered: pd.DataFrame) -> list[str]:
    """Widths that promise to cover and do not: at full length, the upper end of the coverage is below 1 - delta."""
    own = covered[covered.promised & (covered.factor == 1.0)]
    return [f"{row.id} on {row.instance}" for row in own.itertuples() if row.high < 1.0 - DELTA]


def caught(covered: pd.DataFrame) -> dict[tuple[str, str, float], bool]:
    """For everything that must fail: whether the coverage is below 1 - delta with its whole interval."""
    found = covered.set_index(["instance", "id", "factor"])
    missing = [each for each in width_coverage.MUST_FAIL if each not in found.index]
    if missing:
        raise ResultError(f"no runs of {missing}; make them with: {STORED.command}")
    return {each: bool((found.loc[[each]].high < 1.0 - DELTA).all()) for each in width_coverage.MUST_FAIL}


def in_units_of(theorem: str, kernel: str, dim: int, noise: float) -> pd.DataFrame:
    """The libraries' defaults over the width of a theorem in one of the settings, by library and T."""
    tables = load().tables
    of = tables["widths"]
    (row,) = of[(of.id == theorem) & (of.kernel == kernel) & (of.dim == dim) & (of.noise == noise)].to_dict("records")
    found = tables["width_defaults"]
    found = found[(found.dim == dim) & found.t.isin(library_widths.SHOWN)]
    shares = found.width / found.t.map(lambda t: row[f"T={t}"])
    table = found.assign(share=shares).pivot(index="library", columns="t", values="share")
    return table.loc[found.library.unique()]
