"""Figures 1-4 and Tables 1-2 at the paper's own scale, stored in ``data/results/wdrbo``; ``make paper CH=5`` calls :func:`store`.

Five files are written: ``runs.csv`` (one line a run: cumulative regret at ten rounds, and the
mean regret of the first and of the last fifth; ``recommended`` is the regret of what the policy's own
:meth:`~companion.papers.wdrbo.method.policy.AcquisitionPolicy.recommend` names, which is no method's of the paper),
``curves.csv`` (mean and standard error of every cell by round, over the paper's number of seeds), ``coverage.csv``
(Wasserstein distances of samples), ``timings.csv`` (processor times of methods run one after the other), ``balls.csv``
(times of DRBO-MMD's inner problem) and their record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.core.errors import CompanionError, DataError
from companion.papers.wdrbo.experiments import coverage
from companion.papers.wdrbo.experiments.definitions import experiment
from companion.papers.wdrbo.experiments.runs import PAPER, Cell, Plan, every_run
from companion.papers.wdrbo.experiments.timing import PARTS, ball_times, compared_times
from companion.papers.wdrbo.problems.portfolio import portfolio_data
from companion.reproduce.runs import Item, Need, StoredRuns, leave_out
from companion.reproduce.runs import store as store_runs
from companion.reproduce.stored import StoredTables
from companion.simulate.store import Task

COMMAND = "make paper CH=5"
TABLES = ("runs", "curves", "coverage", "timings", "balls")
DIGITS, CURVE_DIGITS = 9, 5
"""Significant digits of a stored regret, and of the points of a curve."""
TIMING_COLUMNS = ("problem", "reading", "method", "seed", "total", *PARTS)
BY_PROBLEM = ("problems", "region_problems", "radius_problems", "grid_problems", "timed")
"""Fields of a plan that name problems."""
MARKS = 10
"""Rounds, equally spaced up to the last, after which the cumulative regret of a run is kept."""


def store(
    root: Path | None = None, jobs: int | None = None, *, without: Sequence[str] = (), plan: Plan = PAPER
) -> Path:
    """Compute what is missing and write the tables and their record, see :func:`companion.reproduce.runs.store`.

    ``without`` names problems to leave out, for where the portfolio's evaluations are not to be had.
    """
    return store_runs(stored_runs(plan, without), root, jobs)


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.core.errors.ResultError` if they are missing or damaged."""
    return stored_runs().load(root)


def stored_runs(plan: Plan = PAPER, without: Sequence[str] = ()) -> StoredRuns:
    """The runs of a plan, those of the problems ``without`` left out, and the tables made from them."""
    plan = leave_out(plan, without, plan.problems, *BY_PROBLEM)
    portfolios = tuple(
        sorted({name for name in (*plan.problems, *plan.region_problems) if name.startswith("portfolio")})
    )
    cell = ("block", "problem", "reading", "variant", "method")
    return StoredRuns(
        paper="wdrbo",
        module=__name__,
        name="tables",
        tables=TABLES,
        command=COMMAND,
        items=every_run(plan),
        compute=compute,
        frames=partial(frames, plan),
        keys={"runs": (*cell, "seed"), "curves": cell, "coverage": ("law", "count")},
        single=lambda made_for, task: isinstance(made_for, Cell),
        summaries={
            "curves": lambda made_for, task: isinstance(made_for, Cell) and task.seed < plan.runs,
            "coverage": lambda made_for, task: made_for == "coverage",
        },
        found=failures,
        row=lambda made_for, task: (
            ("runs", _key(made_for) | {"seed": task.seed}) if isinstance(made_for, Cell) else None
        ),
        seeds=range(max(plan.runs, plan.more)),
        settings={
            "left_out": sorted(without),
            "paper_runs": plan.runs,
            "code_runs": plan.code_runs,
            "data": dict.fromkeys(portfolios, "evaluations"),
        },
        needs=(Need(portfolios, lambda: portfolio_data("evaluations")),),
    )


def failures(items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """The runs that broke down, and how."""
    pairs = zip(items, results, strict=True)
    return {"failures": {task.label: result["failure"] for (_, task), result in pairs if "failure" in result}}


def compute(task: Task) -> dict[str, Any]:
    """What is kept of one task; of a run the regret of every round and of the design, and no timing."""
    name, values = task.experiment.removeprefix("wdrbo/"), dict(task.parameters)
    if name == "coverage":
        return coverage.distances(task.method, task.seed, values["draws"])
    if name == "ball":
        return ball_times(task.seed, values["sizes"])
    if name.startswith("timing/"):
        return compared_times(name.removeprefix("timing/"), values.pop("methods"), task.seed, values)
    try:
        run = experiment(name).run(task.method, task.seed, values)
    except DataError:
        raise  # what is absent is no breakdown
    except (CompanionError, np.linalg.LinAlgError, ArithmeticError) as error:
        # A run that breaks down numerically is a result: the record names it, and the tables do without it.
        return {"failure": f"{type(error).__name__}: {error}"}
    return {
        "regret": [float(value) for value in run.instantaneous_regret],
        "design": float(np.sum(run.diagnostics["design_regret"])),
        "recommended": float(run.recommended_regret),
        "gap": max(run.diagnostics.get("gap", [0.0])),
        "distance": run.meta.get("distance"),
    }


# -- the tables --------------------------------------------------------------------------------------------------------


def frames(plan: Plan, items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, pd.DataFrame]:
    """The tables of these tasks; runs that broke down are in none."""
    pairs = [(made_for, task, result) for (made_for, task), result in zip(items, results, strict=True)]
    whole = [(cell, result) for cell, _, result in pairs if isinstance(cell, Cell) and "failure" not in result]

    def part(name: str) -> Pairs:
        return [(task, result) for made_for, task, result in pairs if made_for == name]

    return {
        "runs": pd.DataFrame([_row(cell, result) for cell, result in whole]),
        "curves": _curves(plan, whole),
        "coverage": _coverage(part("coverage")),
        "timings": pd.DataFrame(_times(part("timings")), columns=TIMING_COLUMNS),
        "balls": pd.DataFrame(_balls(part("balls"))),
    }


def marks(horizon: int) -> np.ndarray:
    """The rounds, from 1, whose cumulative regret is kept."""
    return np.unique(np.ceil(horizon * np.arange(1, MARKS + 1) / MARKS).astype(int))


def _key(cell: Cell) -> dict[str, Any]:
    return {
        "block": cell.block,
        "problem": cell.problem,
        "reading": cell.task.parameters.get("reading", "text"),
        "variant": cell.variant,
        "method": cell.task.method,
    }


def _row(cell: Cell, result: Mapping[str, Any]) -> dict[str, Any]:
    regret = np.array(result["regret"])
    fifth = max(1, len(regret) // 5)
    return {
        **_key(cell),
        "seed": cell.task.seed,
        "total": _short(float(regret.sum())),
        "early": _short(float(regret[:fifth].mean())),
        "late": _short(float(regret[-fifth:].mean())),
        "design": _short(result["design"]),
        "recommended": _short(result["recommended"]),
        "gap": _short(result["gap"], 3),
        "cumulative": _joined(np.cumsum(regret)[marks(len(regret)) - 1]),
    }


def _curves(plan: Plan, pairs: Sequence[tuple[Cell, Mapping[str, Any]]]) -> pd.DataFrame:
    groups: dict[tuple[Any, ...], list[list[float]]] = {}
    for cell, result in pairs:
        if cell.task.seed < plan.runs:
            groups.setdefault(tuple(_key(cell).values()), []).append(result["regret"])
    rows = []
    for key, listed in groups.items():
        regret = np.array(listed)
        row = dict(zip(_key(pairs[0][0]), key, strict=True)) | {"runs": len(regret)}
        for name, values in (("instantaneous", regret), ("cumulative", np.cumsum(regret, axis=1))):
            spread = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])
            row |= {name: _joined(values.mean(axis=0)), f"{name}_se": _joined(spread / np.sqrt(len(values)))}
        rows.append(row)
    return pd.DataFrame(rows)


Pairs = Sequence[tuple[Task, Mapping[str, Any]]]


def _coverage(pairs: Pairs) -> pd.DataFrame:
    rows = []
    for law in dict.fromkeys(task.method for task, _ in pairs):
        parts = [result["distances"] for task, result in pairs if task.method == law]
        for number, count in enumerate(coverage.counts(law)):
            values = np.concatenate([part[number] for part in parts])
            radius = 0.3 / np.sqrt(count)
            rows.append(
                {
                    "law": law,
                    "count": count,
                    "draws": len(values),
                    "mean": _short(float(values.mean())),
                    "sd": _short(float(values.std(ddof=1))),
                    "radius": _short(float(radius)),
                    "covered": int((values <= radius).sum()),
                }
            )
    return pd.DataFrame(rows)


def _times(pairs: Pairs) -> list[dict[str, Any]]:
    return [
        {
            "problem": task.experiment.removeprefix("wdrbo/timing/"),
            "reading": task.parameters["reading"],
            "method": method,
            "seed": task.seed,
            **{part: _short(values[part], 6) for part in ("total", *PARTS)},
        }
        for task, result in pairs
        for method, values in result.items()
    ]


def _balls(pairs: Pairs) -> list[dict[str, Any]]:
    return [
        {"kernel": kernel, "size": size, "seed": task.seed, "seconds": _short(value, 6)}
        for task, result in pairs
        for kernel, values in result.items()
        for size, value in zip(task.parameters["sizes"], values, strict=True)
    ]


def _short(value: float, digits: int = DIGITS) -> float:
    return float(f"{value:.{digits}g}")


def _joined(values: Iterable[float]) -> str:
    return " ".join(f"{value:.{CURVE_DIGITS}g}" for value in values)
