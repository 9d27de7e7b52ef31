"""What is left of a width's promise when the model is wrong.

``python -m companion.papers.across.experiments misspecified`` makes the tables, in a quarter of an hour on one core.

Fixed before the runs. Known then were single blocks at seed 99, made to see that the code works and how long it takes.

- Runs: those of :mod:`~.width_grid_runs` and :mod:`~.width_arms`, with the same functions, noise and seeds 0 to 9 (1,000 runs a
  row), but the model that plays and is judged is wrong in one thing: length-scale, noise, or norm is half or twice the true one;
  or the kernel is smoother than f's, the squared exponential in place of Matern 3/2, or rougher, Matern 1/2. Functions have the
  squared exponential or the Matern 3/2 kernel. Arms, which have no kernel, have the errors of noise and norm alone.
- Widths: all that run with the right model. A width computes norm, gain and number of rounds from what the model believes.
- Metric: share of runs in which the band holds f at every candidate in every round, with its exact interval of level 95 %, and
  the part of the width that would cover with probability 1 - delta, as in :mod:`~.width_coverage`.
- Analysis: under an error a promise survives where the whole interval lies at or above 1 - delta, breaks where it lies below, and
  is open otherwise. The rows of the right model have to be those stored by :mod:`~companion.papers.across.experiments.widths`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.judge.intervals import proportion_interval
from companion.papers.across.experiments import width_arms, width_coverage, width_grid_runs
from companion.papers.across.experiments import widths as stored
from companion.papers.across.experiments.width_rules import Rule
from companion.papers.across.problems.common import DELTA, stored_set
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, Result, Run, RunTable, by_key
from companion.stored.runs import PaperRuns

RIGHT, SMOOTHER, ROUGHER = "right", "smoother", "rougher"
FACTORS = {"/2": 0.5, "*2": 2.0}
ERRORS = (*(name + sign for name in ("lengthscale", "noise", "norm") for sign in FACTORS), SMOOTHER, ROUGHER)
KERNELS = ("se", "matern32")
PLACES = {each.name: each for each in width_arms.INSTANCES}
CELL = ("instance", "kernel", "model")


@dataclass(frozen=True)
class Cell:
    """An instance, the kernel of f (empty for arms), and what is wrong with the model."""

    instance: str
    kernel: str
    model: str = RIGHT

    @property
    def kind(self) -> width_grid_runs.Kind:
        """What f is."""
        return width_coverage.GRID[self.instance] if self.kernel else PLACES[self.instance].kind

    @property
    def possible(self) -> bool:
        """Whether the model can be wrong in this."""
        if self.model.startswith("norm"):
            return self.kind == "norm"
        if self.model == SMOOTHER:
            return self.kernel not in ("", "se")  # nothing is smoother than the squared exponential
        return bool(self.kernel) or self.model in (RIGHT, "noise/2", "noise*2")

    def believed(self, right: Any) -> Any:
        """The model, or the arms, with the error put in."""
        if self.model in (SMOOTHER, ROUGHER):
            return replace(right, kernel="se" if self.model == SMOOTHER else "matern12")
        for sign, factor in FACTORS.items():
            name, found, _ = self.model.partition(sign)
            if found:
                return replace(right, **{name: getattr(right, name) * factor})
        return right


def cells() -> list[Cell]:
    """All of them, those with the right model first."""
    places = [(place, kernel) for place in width_coverage.GRID for kernel in KERNELS] + [
        (place, "") for place in PLACES
    ]
    listed = [Cell(*place, model) for model in (RIGHT, *ERRORS) for place in places]
    return [cell for cell in listed if cell.possible]


def played(cell: Cell, seed: int) -> Iterator[tuple[Rule, str, width_grid_runs.Played]]:
    """Every width with how its points are chosen, and a block of runs."""
    if cell.kernel:
        model = cell.believed(width_grid_runs.Model(cell.kernel))
        for rule in width_coverage.rules(stored.load().tables["width_defaults"], width_grid_runs.HORIZON):
            batched = rule.promise == "batches"
            if not (batched and cell.kind == "prior"):
                way = "batches" if batched else "GP-UCB"
                yield rule, way, width_grid_runs.block(rule, cell.kind, seed, model=model, kernel=cell.kernel)
        return
    place = PLACES[cell.instance]
    for rule, widths in _paths(cell).items():
        ratio = width_arms.block(rule, place, seed, widths, cell.believed(place))
        way = "batches" if rule.promise == "batches" else "in turn"
        yield rule, way, width_grid_runs.Played(ratio, np.empty(0))


@cache
def _paths(cell: Cell) -> dict[Rule, Floats]:
    """Every width on arms, round by round, which no chance enters; Optuna's is stored for the rounds of the grid only."""
    model = cell.believed(PLACES[cell.instance])
    return {
        rule: width_arms.path(rule, model)
        for rule in width_coverage.rules(stored.load().tables["width_defaults"], model.horizon)
        if rule.id != "library/optuna" and not (rule.promise == "batches" and cell.kind == "prior")
    }


def blocks(plan: None = None) -> list[Block]:
    """A run is a block of 100 functions, with all widths."""
    listed = [{name: getattr(cell, name) for name in CELL} for cell in cells()]
    tasks = [Task("across/misspecified", "widths", each, seed) for each in listed for seed in width_coverage.SEEDS]
    return [Block("misspecified", tasks)]


def compute(task: Task) -> dict[str, Any]:
    """Of a block, by width: the part of it that every run needed, and the mean regret where a rule plays."""
    cell = Cell(**task.parameters)
    return {
        "widths": [
            {"id": rule.id, "points": way, "ratios": found.ratio.tolist()}
            | ({"regret": float(found.regret.mean())} if len(found.regret) else {})
            for rule, way, found in played(cell, task.seed)
        ]
    }


def block_rows(task: Task, result: Result) -> list[dict[str, Any]]:
    """What each block says by itself."""
    cell = {name: task.parameters[name] for name in CELL}
    return [
        {**cell, "id": each["id"], "points": each["points"], "largest": max(each["ratios"])}
        | {"failures": int((np.asarray(each["ratios"]) > 1.0).sum()), "regret": each.get("regret")}
        for each in result["widths"]
    ]


def together(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """All blocks of a cell: coverage, the part of the width that would have been enough, and the regret."""
    by_id = {
        rule.id: rule for rule in width_coverage.rules(stored.load().tables["width_defaults"], width_grid_runs.HORIZON)
    }
    for cell, found in by_key(runs, CELL):
        for place, first in enumerate(found[0]["widths"]):
            same = [result["widths"][place] for result in found]
            ratios = np.concatenate([each["ratios"] for each in same])
            share = proportion_interval(int((ratios <= 1.0).sum()), len(ratios))
            enough = width_coverage.quantile(ratios, 1.0 - DELTA)
            proved = width_coverage.kept(by_id[first["id"]], Cell(**cell).kind)
            row = {**cell, "id": first["id"], "points": first["points"], "proved": proved, "runs": len(ratios)}
            row |= {"covered": share.estimate, "low": share.low, "high": share.high, "enough": enough.estimate}
            row |= {"enough_low": enough.low, "enough_high": enough.high}
            yield row | {"regret": float(np.mean([each["regret"] for each in same])) if "regret" in first else None}


TABLES = {
    "misspecified_blocks": RunTable((*CELL, "id", "points", "seed"), block_rows, digits=12),
    "misspecified": RunTable((*CELL, "id", "points"), whole=together, digits=6),
}
STORED = stored_set("misspecified", "misspecified_blocks", "misspecified", module=__name__)
RUNS = PaperRuns(
    stored=STORED,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    seeds=lambda plan: width_coverage.SEEDS,
    settings=lambda plan: {"delta": DELTA, "runs": width_grid_runs.BLOCK},
)
store, load = RUNS.store, STORED.load


def verdict(low: float, high: float) -> str:
    """What is left of a promise: ``survives``, ``breaks``, or ``open``."""
    if low >= 1.0 - DELTA:
        return "survives"
    return "breaks" if high < 1.0 - DELTA else "open"
