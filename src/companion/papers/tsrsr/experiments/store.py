"""Tables 1-4 at the paper's own scale, stored in ``data/results/tsrsr``; ``make paper CH=1`` calls :func:`store`.

Six files are written: ``final.csv`` (simple regret after the last batch of every run),
``curves.csv`` (the regret after every batch, of the runs that the paper has too), ``variants.csv`` (BUCB with constant
widths; TS-RSR without resampling), ``batching.csv`` (the same number of evaluations in batches of different size),
``diversity.csv`` (batches on common posteriors) and their record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.core.files import results_folder
from companion.papers.tsrsr.experiments import factors
from companion.papers.tsrsr.experiments.definitions import experiment
from companion.papers.tsrsr.experiments.runs import PAPER, Plan, every_run, factor_tasks
from companion.papers.tsrsr.method import diversity
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.papers.tsrsr.problems.robot import box2d
from companion.problems.datasets import regression_data
from companion.reproduce.runs import Item, Need, StoredRuns, leave_out
from companion.reproduce.runs import store as store_runs
from companion.reproduce.stored import StoredTables, load_tables
from companion.simulate.loop import Trajectory
from companion.simulate.store import Task

COMMAND = "make paper CH=1"
TABLES = ("final", "curves", "variants", "batching", "diversity")
FACTOR_TABLE = "factors"
"""A set of its own, with its own record: it is made after the tables, and the chapter reads well without it."""
ROBOTS = ("robot-3d", "robot-4d")
BY_PROBLEM = ("problems", "width_problems", "resample_problems")
"""Fields of a plan that name columns; the factors' own are looked up among its problems."""
DIGITS, CURVE_DIGITS = 9, 6
"""Significant digits of a stored regret, and of the points of a curve."""


def store(
    root: Path | None = None, jobs: int | None = None, *, without: Sequence[str] = (), plan: Plan = PAPER
) -> Path:
    """Compute what is missing and write the tables and their record, see :func:`companion.reproduce.runs.store`.

    ``without`` names columns to leave out, for where Box2D or the Boston data are not to be had; their verdicts then say so.
    """
    folders = {store_runs(runs, root, jobs) for runs in every_set(plan, without)}
    return folders.pop()


def every_set(plan: Plan = PAPER, without: Sequence[str] = ()) -> tuple[StoredRuns, ...]:
    """All that :func:`store` computes."""
    single = factor_runs(plan, without)
    return (stored_runs(plan, without), *([single] if single.items else []))


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.core.errors.ResultError` if they are missing or damaged."""
    return stored_runs().load(root)


def stored_runs(plan: Plan = PAPER, without: Sequence[str] = ()) -> StoredRuns:
    """The runs of a plan, those of the columns ``without`` left out, and the tables made from them."""
    plan = leave_out(plan, without, SETTINGS, *BY_PROBLEM)
    robots, boston = (tuple(name for name in part if name in plan.problems) for part in (ROBOTS, ("boston-4d",)))
    run = ("problem", "method", "seed")
    return StoredRuns(
        paper="tsrsr",
        module=__name__,
        name="tables",
        tables=TABLES,
        command=COMMAND,
        items=every_run(plan),
        compute=compute,
        frames=partial(frames, plan),
        keys={
            "final": ("reading", *run),
            "curves": ("reading", *run),
            "variants": ("variant", *run),
            "batching": ("batch_size", "seed"),
            "diversity": ("method", "seed"),
        },
        found=lambda items, results: {"random_rounds": random_rounds(items, results)},
        seeds=range(max(len(plan.seeds(name, "text")) for name in plan.problems)),
        settings={"left_out": sorted(without)} | ({"data": {"boston-4d": "boston"}} if boston else {}),
        needs=(Need(robots, box2d, "column"), Need(boston, lambda: regression_data("boston"), "column")),
    )


def factor_runs(plan: Plan = PAPER, without: Sequence[str] = ()) -> StoredRuns:
    """The runs with one difference between the readings at a time, and their table."""
    plan = leave_out(plan, without, SETTINGS, *BY_PROBLEM)
    return StoredRuns(
        paper="tsrsr",
        module=__name__,
        name=FACTOR_TABLE,
        tables=(FACTOR_TABLE,),
        command=COMMAND,
        items=tuple((FACTOR_TABLE, task) for task in factor_tasks(plan)),
        compute=compute,
        frames=factor_frames,
        keys={FACTOR_TABLE: ("reading", "factor", "problem", "method", "seed")},
        seeds=range(plan.factor_seeds),
    )


def load_factors(root: Path | None = None) -> StoredTables | None:
    """The runs with one difference between the readings at a time, and their record; ``None`` before they were made.

    Raises
    ------
    ResultError
        if they are damaged
    """
    folder = results_folder("tsrsr", root)
    if not (folder / f"{FACTOR_TABLE}.record.json").exists():
        return None
    return load_tables(folder, FACTOR_TABLE, (FACTOR_TABLE,), COMMAND)


def compute(task: Task) -> dict[str, Any]:
    """What is kept of one run: simple regret and share of distinct points after each batch; no timing.

    ``failed`` counts the rounds left to chance, where there were any: see
    :meth:`companion.papers.tsrsr.method.policy.BoxPolicyByRule.diagnostics`.
    """
    name = task.experiment.removeprefix("tsrsr/")
    if name == "diversity":
        return diversity.compare(task.seed, dict(task.parameters))
    run = experiment(name).run(task.method, task.seed, dict(task.parameters))
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


def frames(plan: Plan, items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, pd.DataFrame]:
    """The tables of these runs."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for (part, task), result in zip(items, results, strict=True):
        if part == "tables":
            row = {"reading": task.parameters["reading"], **_row(task, result)}
            rows["final"].append(row)
            if task.seed < plan.paper_runs(row["problem"]):
                key = {name: row[name] for name in ("reading", "problem", "method", "seed")}
                lists = {name: _joined(result[name]) for name in ("regret", "distinct")}
                rows["curves"].append(key | lists)
        elif part == "variants":
            rows["variants"].append({"variant": _variant(task), **_row(task, result)})
        elif part == "batching":
            size, mean = task.parameters["batch_size"], _short(result["mean_regret"])
            rows["batching"].append({"batch_size": size, "seed": task.seed, "mean_regret": mean})
        else:
            rows["diversity"] += [
                {"method": method, "seed": task.seed, "distinct": v["distinct"], "distance": _short(v["distance"])}
                for method, v in result.items()
            ]
    return {name: pd.DataFrame(part) for name, part in rows.items()}


def factor_frames(items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, pd.DataFrame]:
    """One row a run: which setting was changed, from which reading, and the result."""
    rows = []
    for (_, task), result in zip(items, results, strict=True):
        reading = str(task.parameters["reading"])
        rows.append({"reading": reading, "factor": factors.changed(reading, task.parameters), **_row(task, result)})
    return {FACTOR_TABLE: pd.DataFrame(rows)}


def random_rounds(items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Rounds of the code's reading that were left to chance, by problem and method."""
    counts: dict[str, int] = {}
    for (_, task), result in zip(items, results, strict=True):
        if task.parameters.get("reading") == "code":
            name = f"{task.experiment.removeprefix('tsrsr/')}/{task.method}"
            counts[name] = counts.get(name, 0) + int(result.get("failed", 0))
    return counts


def _row(task: Task, result: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "problem": task.experiment.removeprefix("tsrsr/"),
        "method": task.method,
        "seed": task.seed,
        "function": result["function"],
        "regret": _short(result["regret"][-1]),
        "distinct": _short(float(np.mean(result["distinct"]))),
    }


def _variant(task: Task) -> str:
    return f"width={task.parameters['multiplier']:g}" if task.method == "bucb" else "resample=False"


def _short(value: float, digits: int = DIGITS) -> float:
    return float(f"{value:.{digits}g}")


def _joined(values: Iterable[float]) -> str:
    return " ".join(f"{value:.{CURVE_DIGITS}g}" for value in values)
