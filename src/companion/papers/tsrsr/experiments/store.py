"""Tables 1-4 at the paper's own scale, stored in ``data/results/tsrsr``; ``make paper CH=1`` makes them.

Six files are written: ``final.csv`` (simple regret after the last batch of every run),
``curves.csv`` (the regret after every batch, of the runs that the paper has too), ``variants.csv`` (BUCB with constant
widths; TS-RSR without resampling), ``batching.csv`` (the same number of evaluations in batches of different size),
``diversity.csv`` (batches on common posteriors) and their record.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from companion.papers.tsrsr.experiments.definitions import experiment
from companion.papers.tsrsr.experiments.runs import PAPER, TSRSRPlan, blocks, factor_blocks
from companion.papers.tsrsr.method import diversity
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.papers.tsrsr.problems.robot import box2d
from companion.problems.datasets import regression_data
from companion.simulate.loop import Trajectory
from companion.simulate.task_store import Task
from companion.stored.blocks import Item, Result, RunTable
from companion.stored.results import StoredSet
from companion.stored.runs import Need, PaperRuns

COMMAND = "make paper CH=1"
ROBOTS, BOSTON = ("robot-3d", "robot-4d"), ("boston-4d",)
RUN = ("problem", "method", "seed")


def compute(task: Task) -> dict[str, Any]:
    """Stored result of one run: simple regret and share of distinct points after each batch; no timing.

    ``failed`` counts the rounds left to chance, where there were any: see
    :meth:`companion.papers.tsrsr.method.policy.BoxPolicyByRule.diagnostics`.
    """
    name = task.experiment.removeprefix("tsrsr/")
    if name == "diversity":
        return diversity.compare(task.seed, dict(task.parameters))
    run = experiment(name).run(task.method, task.seed, task.values)
    if name == "theory":
        return {"mean_regret": float(run.cumulative_regret[-1]) / len(run)}
    found = {"function": int(run.meta["function"]), "regret": after_batches(run), "distinct": _distinct(run)}
    failed = run.diagnostics.get("failed", [])
    return found | ({"failed": len(failed)} if failed else {})


def after_batches(run: Trajectory) -> list[float]:
    """Simple regret after the design and after each batch, T + 1 numbers."""
    last = np.append(np.flatnonzero(np.diff(run.batch)), len(run) - 1)
    return [float(value) for value in run.simple_regret[last]]


def _distinct(run: Trajectory) -> list[float]:
    """Share of distinct points in each batch after the design."""
    points = run.query[:, None] if run.points is None else run.points
    batches = [points[run.batch == number] for number in range(2, int(run.batch[-1]) + 1)]
    return [len(np.unique(batch, axis=0)) / len(batch) for batch in batches]


# -- the tables --------------------------------------------------------------------------------------------------------


def last(task: Task, result: Result) -> dict[str, Any]:
    """Regret after the last batch, and the mean share of distinct points."""
    distinct = float(np.mean(result["distinct"]))
    return {"function": result["function"], "regret": result["regret"][-1], "distinct": distinct}


def by_batch(task: Task, result: Result) -> dict[str, Any]:
    """Both after every batch."""
    return {name: result[name] for name in ("regret", "distinct")}


def of_rules(task: Task, result: Result) -> list[dict[str, Any]]:
    """Choice of each rule on a common posterior."""
    return [
        {"method": method, "seed": task.seed, "distinct": found["distinct"], "distance": found["distance"]}
        for method, found in result.items()
    ]


TABLES = {
    "final": RunTable(("reading", *RUN), last, ("tables", "more")),
    "curves": RunTable(("reading", *RUN), by_batch, ("tables",)),
    "variants": RunTable(("variant", *RUN), last, ("variants",)),
    "batching": RunTable(("batch_size", "seed"), parts=("batching",)),
    "diversity": RunTable(("method", "seed"), of_rules, ("diversity",)),
}


def random_rounds(items: Sequence[Item], results: Sequence[Result]) -> dict[str, int]:
    """Rounds of the code's reading that were left to chance, by problem and method."""
    counts: dict[str, int] = {}
    for (_, task), result in zip(items, results, strict=True):
        if task.parameters.get("reading") == "code":
            name = f"{task.experiment.removeprefix('tsrsr/')}/{task.method}"
            counts[name] = counts.get(name, 0) + int(result.get("failed", 0))
    return counts


def here(names: Sequence[str], plan: TSRSRPlan) -> tuple[str, ...]:
    """Those that are columns of the plan."""
    return tuple(name for name in names if name in plan.problems)


STORED = StoredSet(
    paper="tsrsr",
    module=__name__,
    command=COMMAND,
    tables=(
        "final",
        "curves",
        "variants",
        "batching",
        "diversity",
    ),
)
RUNS = PaperRuns(
    stored=STORED,
    plan=PAPER,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    found=lambda items, results: {"random_rounds": random_rounds(items, results)},
    seeds=lambda plan: range(max(len(plan.seeds(name, "text")) for name in plan.problems)),
    settings=lambda plan: {"data": {"boston-4d": "boston"}} if here(BOSTON, plan) else {},
    # Factors are looked up among the problems.
    optional=(SETTINGS, "problems", "width_problems", "resample_problems"),
    needs=lambda plan: (
        Need(here(ROBOTS, plan), box2d, "column"),
        Need(here(BOSTON, plan), lambda: regression_data("boston"), "column"),
    ),
)
STORED_FACTORS = StoredSet(
    paper="tsrsr",
    module=__name__,
    command=COMMAND,
    tables=("factors",),
    name="factors",
)
#: A set of its own, with its own record: it is made after the tables, and the chapter reads well without it.
FACTORS = PaperRuns(
    stored=STORED_FACTORS,
    plan=PAPER,
    blocks=factor_blocks,
    compute=compute,
    tables={"factors": RunTable(("reading", "factor", *RUN), last)},
    seeds=lambda plan: range(plan.factor_seeds),
)
load = STORED.load


def every_set(plan: TSRSRPlan = PAPER, without: Sequence[str] = ()) -> tuple[PaperRuns[TSRSRPlan], ...]:
    """All that :func:`store` computes."""
    runs = RUNS.of(plan, without)
    factors = FACTORS.of(runs.plan)
    return (runs, *([factors] if factors.items else []))


def store(
    root: Path | None = None, jobs: int | None = None, *, without: Sequence[str] = (), plan: TSRSRPlan = PAPER
) -> Path:
    """Compute the missing results and write the tables and their records, see :meth:`companion.stored.runs.PaperRuns.store`.

    ``without`` names columns to leave out, for where Box2D or the Boston data are not to be had; their verdicts then say so.
    """
    folders = {runs.store(root, jobs) for runs in every_set(plan, without)}
    return folders.pop()
