"""Appendix E at the paper's own scale, stored in ``data/results/batched``; ``make paper CH=3`` makes it.

Four files are written: ``appendix_e.csv`` (200 functions per kernel, every rule of Tables
1-3), ``appendix_e_ties.csv`` (the same with ties broken at random), ``appendix_e_repeats.csv`` (ten trials on each of
twenty fixed functions, original rule) and their record.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from companion.papers.batched.experiments.definitions import EXPERIMENTS
from companion.papers.batched.experiments.runs import MAIN, REPEATS, RULES, SEEDS, TIES, blocks
from companion.simulate import Trajectory
from companion.simulate.task_store import Task
from companion.stored.blocks import Result, RunTable, kept
from companion.stored.results import StoredSet
from companion.stored.runs import PaperRuns

#: Rounds whose cumulative regret is kept.
CURVE = tuple(range(100, 1001, 100))
#: All of them.
DIGITS = 17


def curve(run: Trajectory) -> dict[str, float]:
    """Cumulative regret along the way."""
    return {str(t): float(run.cumulative_regret[t - 1]) for t in CURVE if t <= len(run)}


KEPT = {
    "sizes": lambda run: np.bincount(run.batch)[1:].tolist(),
    "curve": curve,
    "recommended_regret": lambda run: float(run.recommended_regret),
    "maximiser_kept": lambda run: bool(run.diagnostics["maximiser_kept"]),
    "mean_gap": lambda run: float(run.diagnostics["mean_gap"]),
}
compute = partial(kept, experiments=EXPERIMENTS, keep=KEPT)


def columns(task: Task, result: Result) -> dict[str, Any]:
    """Batches, sizes, R100 ... R1000, recommended_regret, maximiser_kept, mean_gap."""
    found = {"batches": len(result["sizes"]), "sizes": result["sizes"]}
    found |= {f"R{t}": value for t, value in result["curve"].items()}
    return found | {name: result[name] for name in ("recommended_regret", "maximiser_kept", "mean_gap")}


def last(task: Task, result: Result) -> dict[str, Any]:
    """Cumulative regret at the end alone."""
    return {"R1000": result["curve"]["1000"]}


TABLES = {
    MAIN: RunTable(("kernel", "rule", "seed"), columns, (MAIN,), digits=DIGITS),
    TIES: RunTable(("kernel", "rule", "seed"), last, (TIES,), digits=DIGITS),
    REPEATS: RunTable(("kernel", "function", "seed"), last, (REPEATS,), digits=DIGITS),
}
STORED = StoredSet(
    paper="batched",
    module=__name__,
    command="make paper CH=3",
    tables=(MAIN, TIES, REPEATS),
    name=MAIN,
)
RUNS = PaperRuns(
    stored=STORED,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    seeds=lambda plan: SEEDS,
    settings=lambda plan: {"kernels": list(RULES)},
)
store, load = RUNS.store, STORED.load
