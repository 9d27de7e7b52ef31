"""The experiments of Section 4 and the trade-off study, stored in ``data/results/compressed``; :func:`store` makes them.

Seven tables are written: ``runs.csv`` (every run's last numbers), ``curves.csv`` (means over
seeds along the rounds), ``growth.csv`` (dictionaries of BKB over 1,200 rounds), ``tradeoff.csv`` (regret and model order of
UCB over budgets and horizons up to 20,000), ``timings.csv`` (CPU times of methods run one after the other in one process),
``clock.csv`` (the time passed along the rounds, means over seeds) and ``steps.csv`` (time per round). The last three hold
times, so a second computation gives other numbers there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.papers.compressed.experiments.definitions import average_regret, checkpoints, experiment
from companion.papers.compressed.experiments.runs import DIGITS, PAPER, PARTS, PROBLEMS, ZERO, Plan, every_run, variants
from companion.papers.compressed.experiments.timing import compared_times, rounds_within, step_times
from companion.papers.compressed.problems import tuning_table
from companion.reproduce.runs import Item, Need, StoredRuns, leave_out
from companion.reproduce.runs import store as store_runs
from companion.reproduce.stored import StoredTables
from companion.simulate.loop import Trajectory
from companion.simulate.store import Task

COMMAND = "make paper CH=2"
TABLES = ("runs", "curves", "growth", "tradeoff", "timings", "clock", "steps")


def store(
    root: Path | None = None, jobs: int | None = None, *, without: Sequence[str] = (), plan: Plan = PAPER
) -> Path:
    """Compute what is missing and write the tables and their record; about ten minutes on four cores.

    See :func:`companion.reproduce.runs.store`. ``without`` names problems to leave out, as ``logistic-mnist`` where its
    trainings are not stored.
    """
    return store_runs(stored_runs(plan, without), root, jobs)


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.core.errors.ResultError` if they are missing or damaged."""
    return stored_runs().load(root)


def stored_runs(plan: Plan = PAPER, without: Sequence[str] = ()) -> StoredRuns:
    """The runs of a plan, those of the problems ``without`` left out, and the tables made from them."""
    plan = leave_out(plan, without, PROBLEMS, "problems")
    tuned = [PROBLEMS[name][1]["data"] for name in plan.problems if "data" in PROBLEMS[name][1]]
    run = ("problem", "method", "variant", "seed")
    return StoredRuns(
        paper="compressed",
        module=__name__,
        name="tables",
        tables=TABLES,
        command=COMMAND,
        items=every_run(plan),
        compute=compute,
        frames=frames,
        keys={
            "runs": run,
            "growth": run,
            "tradeoff": ("rule", "seed", "horizon"),
            "curves": ("problem", "method", "variant", "round"),
        },
        single=lambda part, task: part in ("runs", "growth", "tradeoff"),
        summaries={"curves": lambda part, task: part == "runs"},
        seeds=range(plan.seeds),
        settings={
            "problems": list(plan.problems),
            "left_out": sorted(without),
            "alphas": list(plan.alphas),
            "budgets": list(plan.budgets),
        },
        needs=(Need(plan.problems, lambda: [tuning_table.load(data) for data in tuned]),),
    )


def compute(task: Task) -> dict[str, Any]:
    """What is kept of a task."""
    part = task.experiment.removeprefix("compressed/")
    p = dict(task.parameters)
    if part.startswith("timing/"):
        name, own = PROBLEMS[part.removeprefix("timing/")]
        chosen = [entry for entry in variants(task.method) if entry[0] != ZERO]
        common = {**own, **p["overrides"], "posterior": p["posterior"]}
        horizon = experiment(name).parameters.resolve(common)["horizon"]
        return {"horizon": horizon, "rows": compared_times(name, task.seed, common, chosen)}
    if part == "steps":
        values = {**p["values"], "posterior": p["posterior"]}
        return step_times(*rounds_within("example-function", task.method, task.seed, values, p["limit"]))
    if part == "tradeoff":
        del p["rule"]
        at = [horizon for horizon in p.pop("at") if horizon <= p["horizon"]]
        run = experiment("example-function").run(task.method, task.seed, p)
        return {"rows": [_at(run, horizon) for horizon in (at if p["reading"] == "info-printed" else [p["horizon"]])]}
    del p["variant"]
    return summary_of(experiment(PROBLEMS[part][0]).run(task.method, task.seed, p))


def summary_of(run: Trajectory) -> dict[str, Any]:
    """Numbers of one run after its initial points.

    Last rounds are counted from 1. ``slope`` is the least-squares slope of the model order over the second half of the
    rounds; ``choices`` and ``start`` are digests of all points chosen, and of the initial points with their values.
    """
    first = int(run.meta["initial"])
    regret, order = average_regret(run), run.model_order[first:]
    rounds = checkpoints(len(regret))
    half = np.arange(len(order) // 2, len(order))
    slope = float(np.polyfit(half, order[half], 1)[0]) if len(half) > 1 else 0.0
    kept = run.diagnostics.get("kept_rounds")
    begun = run.query[:first].tobytes() + run.observation[:first].tobytes()
    return {
        "average_regret": float(regret[-1]),
        "last_regret": float(run.instantaneous_regret[-1]),
        "scale": float(run.meta["scale"]),
        "model_order": int(order[-1]),
        "first_rejection": run.diagnostics.get("first_rejection"),
        "last_kept": None if kept is None else (max(kept) if kept else 0),
        "evaluations": int(np.asarray(run.diagnostics["evaluated"])[first:].sum()),
        "slope": slope,
        "choices": hashlib.sha256(run.query.tobytes()).hexdigest()[:16],
        "start": hashlib.sha256(begun).hexdigest()[:16],
        "rounds": rounds,
        "regret_curve": regret[rounds - 1],
        "order_curve": order[rounds - 1],
    }


def _at(run: Trajectory, horizon: int) -> dict[str, Any]:
    """Regret and model order after ``horizon`` rounds, with the last round up to there at which a point was kept."""
    first = int(run.meta["initial"])
    kept = [number for number in run.diagnostics["kept_rounds"] if number <= horizon]
    return {
        "horizon": horizon,
        "average_regret": float(average_regret(run)[horizon - 1]),
        "model_order": int(run.model_order[first + horizon - 1]),
        "last_kept": max(kept, default=0),
        "threshold": float(run.meta["threshold"]),
    }


# -- the tables --------------------------------------------------------------------------------------------------------


def frames(items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, pd.DataFrame]:
    """The tables of these tasks."""
    pairs = [(part, task, result) for (part, task), result in zip(items, results, strict=True)]
    rows = {
        name: [row for part, task, result in pairs if part == name for row in _ROWS[name](task, result)]
        for name in PARTS
    }
    tables = {name: pd.DataFrame(found) for name, found in rows.items()}
    runs = [(task, result) for part, task, result in pairs if part == "runs"]
    tables["curves"] = _curves([task for task, _ in runs], [result for _, result in runs])
    if rows["timings"]:
        tables["clock"] = _clock(tables["timings"])
        tables["timings"] = tables["timings"].drop(columns="clock")
    return {name: tables.get(name, pd.DataFrame()) for name in TABLES}


def _run_rows(task: Task, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    kept = {name: value for name, value in result.items() if name not in ("rounds", "regret_curve", "order_curve")}
    whole = ("first_rejection", "last_kept")  # empty where nothing was rejected, and for BKB
    row = {name: "" if name in whole and value is None else _short(value) for name, value in kept.items()}
    return [{**_key(task), "horizon": task.parameters["horizon"], **row}]


def _key(task: Task) -> dict[str, Any]:
    problem = task.experiment.removeprefix("compressed/")
    return {"problem": problem, "method": task.method, "variant": task.parameters["variant"], "seed": task.seed}


def _tradeoff_rows(task: Task, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    key = {"rule": task.parameters["rule"], "seed": task.seed}
    return [{**key, **{name: _short(value) for name, value in row.items()}} for row in result["rows"]]


def _timing_rows(task: Task, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    key = {"problem": task.experiment.removeprefix("compressed/timing/"), "posterior": task.parameters["posterior"]}
    rows = [{name: _short(value, 6) for name, value in row.items()} for row in result["rows"]]
    return [{**key, "seed": task.seed, "horizon": result["horizon"], **row} for row in rows]


def _step_rows(task: Task, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    key = {"variant": task.parameters["variant"], "posterior": task.parameters["posterior"]}
    return [{**key, **{name: _short(value, 4) for name, value in row.items()}} for row in result["rows"]]


def _curves(tasks: Sequence[Task], results: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Mean and standard deviation over seeds of average regret and model order, along the rounds."""
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for task, result in zip(tasks, results, strict=True):
        key = _key(task)
        groups.setdefault((key["problem"], key["method"], key["variant"]), []).append(result)
    rows = []
    for (problem, method, variant), found in groups.items():
        regret = np.array([result["regret_curve"] for result in found])
        order = np.array([result["order_curve"] for result in found], dtype=np.float64)
        for place, number in enumerate(found[0]["rounds"]):
            values = {"average_regret": regret[:, place], "model_order": order[:, place]}
            row = {"problem": problem, "method": method, "variant": variant, "round": int(number)}
            for name, column in values.items():
                spread = float(column.std(ddof=1)) if len(column) > 1 else 0.0
                row |= {name: _short(float(column.mean()), 6), f"{name}_sd": _short(spread, 4)}
            rows.append(row)
    return pd.DataFrame(rows)


def _clock(timings: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds of the seconds, objective included, that have passed along the rounds."""
    rows = []
    for key, part in timings.groupby(["problem", "posterior", "method", "variant"], sort=False):
        mean = np.mean(part.clock.tolist(), axis=0)
        horizon = int(part.horizon.iloc[0])
        for number, seconds in zip(checkpoints(horizon), mean, strict=True):
            names = ("problem", "posterior", "method", "variant")
            rows.append(
                {**dict(zip(names, key, strict=True)), "round": int(number), "seconds": _short(float(seconds), 4)}
            )
    return pd.DataFrame(rows)


def _short(value: Any, digits: int = DIGITS) -> Any:
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


_ROWS = {
    "runs": _run_rows,
    "growth": _run_rows,
    "tradeoff": _tradeoff_rows,
    "timings": _timing_rows,
    "steps": _step_rows,
}
