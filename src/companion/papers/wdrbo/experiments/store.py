"""Figures 1-4 and Tables 1-2 at the paper's own scale, stored in ``data/results/wdrbo``; ``make paper CH=5``.

Five files are written: ``runs.csv`` (one line a run: cumulative regret at ten rounds, and the
mean regret of the first and of the last fifth; ``recommended`` is the regret of what the policy's own
:meth:`~companion.papers.wdrbo.method.policy.AcquisitionPolicy.recommend` names, which is no method's of the paper),
``curves.csv`` (mean and standard error of every cell by round, over the paper's number of seeds), ``coverage.csv``
(Wasserstein distances of samples), ``timings.csv`` (processor times of methods run one after the other), ``balls.csv``
(times of DRBO-MMD's inner problem) and their record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from companion.core.errors import CompanionError, DataError
from companion.papers.wdrbo.experiments import coverage
from companion.papers.wdrbo.experiments.definitions import experiment
from companion.papers.wdrbo.experiments.runs import PAPER, SEVEN, WDRBOPlan, blocks
from companion.papers.wdrbo.experiments.timing import PARTS, ball_times, compared_times
from companion.papers.wdrbo.problems.portfolio import portfolio_data
from companion.simulate.task_store import Task
from companion.stored.blocks import FAILURE, Item, Result, Run, RunTable, by_key, joined, short
from companion.stored.results import StoredSet
from companion.stored.runs import Need, PaperRuns

#: Significant digits of the points of a curve.
CURVE_DIGITS = 5
#: Rounds, equally spaced up to the last, after which the cumulative regret of a run is kept.
MARKS = 10


def failures(items: Sequence[Item], results: Sequence[Result]) -> dict[str, dict[str, str]]:
    """The runs that broke down, and how."""
    pairs = zip(items, results, strict=True)
    return {"failures": {task.label: result[FAILURE] for (_, task), result in pairs if FAILURE in result}}


def compute(task: Task) -> dict[str, Any]:
    """Stored result of one task; of a run the regret of every round and of the design, and no timing."""
    name, values = task.experiment.removeprefix("wdrbo/"), dict(task.parameters)
    if name == "coverage":
        return coverage.distances(task.method, task.seed, values["draws"])
    if name == "ball":
        return ball_times(task.seed, values["sizes"])
    if name.startswith("timing/"):
        return compared_times(name.removeprefix("timing/"), values.pop("methods"), task.seed, values)
    try:
        run = experiment(name).run(task.method, task.seed, task.values)
    except DataError:
        raise  # what is absent is no breakdown
    except (CompanionError, np.linalg.LinAlgError, ArithmeticError) as error:
        # A run that breaks down numerically is a result: the record names it, and the tables do without it.
        return {FAILURE: f"{type(error).__name__}: {error}"}
    return {
        "regret": [float(value) for value in run.instantaneous_regret],
        "design": float(np.sum(run.diagnostics["design_regret"])),
        "recommended": float(run.recommended_regret),
        "gap": max(run.diagnostics.get("gap", [0.0])),
        "distance": run.meta.get("distance"),
    }


# -- the tables --------------------------------------------------------------------------------------------------------

RUNS_OF = ("figure-1", "figures", "shift", "radius", "region", "ackley-2d", "grid")
CELL = ("block", "problem", "reading", "variant", "method")


def marks(horizon: int) -> np.ndarray:
    """The rounds, from 1, whose cumulative regret is kept."""
    return np.unique(np.ceil(horizon * np.arange(1, MARKS + 1) / MARKS).astype(int))


def one_run(task: Task, result: Result) -> dict[str, Any]:
    """Cumulative regret, all, of the first and of the last fifth, and at the marks."""
    regret = np.array(result["regret"])
    fifth = max(1, len(regret) // 5)
    return {
        "total": float(regret.sum()),
        "early": float(regret[:fifth].mean()),
        "late": float(regret[-fifth:].mean()),
        "design": result["design"],
        "recommended": result["recommended"],
        "gap": short(result["gap"], 3),
        "cumulative": joined(np.cumsum(regret)[marks(len(regret)) - 1], CURVE_DIGITS),
    }


def curves(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """Mean and standard error of every cell by round."""
    for cell, found in by_key(runs, CELL):
        regret = np.array([result["regret"] for result in found])
        row = {**cell, "runs": len(regret)}
        for name, values in (("instantaneous", regret), ("cumulative", np.cumsum(regret, axis=1))):
            spread = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])
            row |= {name: joined(values.mean(axis=0), CURVE_DIGITS)}
            row |= {f"{name}_se": joined(spread / np.sqrt(len(values)), CURVE_DIGITS)}
        yield row


def covered(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """Mean distance by law and sample size, the radius beside it, and the number of samples it covers."""
    for cell, found in by_key(runs, ("method",)):
        for number, count in enumerate(coverage.counts(cell["method"])):
            values, radius = np.concatenate([result["distances"][number] for result in found]), 0.3 / np.sqrt(count)
            yield {
                "law": cell["method"],
                "count": count,
                "draws": len(values),
                "mean": float(values.mean()),
                "sd": float(values.std(ddof=1)),
                "radius": float(radius),
                "covered": int((values <= radius).sum()),
            }


def method_times(task: Task, result: Result) -> list[dict[str, Any]]:
    """Of all methods in one process, in all and by part."""
    parts = ("total", *PARTS)
    return [
        {"method": method, "seed": task.seed, **{part: values[part] for part in parts}}
        for method, values in result.items()
    ]


def inner_times(task: Task, result: Result) -> list[dict[str, Any]]:
    """Of DRBO-MMD's inner problem, by kernel and number of contexts."""
    return [
        {"kernel": kernel, "size": size, "seed": task.seed, "seconds": value}
        for kernel, values in result.items()
        for size, value in zip(task.parameters["sizes"], values, strict=True)
    ]


TABLES = {
    "runs": RunTable((*CELL, "seed"), one_run, RUNS_OF),
    "curves": RunTable(
        CELL, parts=RUNS_OF, which=lambda block, task: task.seed < block.key["paper_runs"], whole=curves
    ),
    "coverage": RunTable(("law", "count"), parts=("coverage",), whole=covered),
    "timings": RunTable(("problem", "reading", "method", "seed"), method_times, ("timings",), compared=False, digits=6),
    "balls": RunTable(("kernel", "size", "seed"), inner_times, ("balls",), compared=False, digits=6),
}


def portfolios(plan: WDRBOPlan) -> tuple[str, ...]:
    """Problems of the plan that look their values up."""
    return tuple(sorted({name for name in (*plan.problems, *plan.region_problems) if name.startswith("portfolio")}))


STORED = StoredSet(
    paper="wdrbo",
    module=__name__,
    command="make paper CH=5",
    tables=(
        "runs",
        "curves",
        "coverage",
        "timings",
        "balls",
    ),
)
RUNS = PaperRuns(
    stored=STORED,
    plan=PAPER,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    found=failures,
    row=lambda block, task: ("runs", block.told(task, TABLES["runs"].key)) if block.part in RUNS_OF else None,
    seeds=lambda plan: range(max(plan.runs, plan.more)),
    settings=lambda plan: {
        "paper_runs": plan.runs,
        "code_runs": plan.code_runs,
        "data": dict.fromkeys(portfolios(plan), "evaluations"),
    },
    optional=(SEVEN, "problems", "region_problems", "radius_problems", "grid_problems", "timed"),
    needs=lambda plan: (Need(portfolios(plan), lambda: portfolio_data("evaluations")),),
)
store, load = RUNS.store, STORED.load
