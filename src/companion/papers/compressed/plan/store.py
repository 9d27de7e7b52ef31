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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.papers.compressed.method.policy import ACQUISITIONS, POSTERIORS
from companion.papers.compressed.parameters import READINGS
from companion.papers.compressed.plan.experiments import average_regret, checkpoints, experiment
from companion.papers.compressed.plan.timing import compared_times, rounds_within, step_times
from companion.papers.compressed.problems import tuning_table
from companion.reproduce.runs import Item, Need, StoredRuns, leave_out
from companion.reproduce.runs import store as store_runs
from companion.reproduce.stored import StoredTables
from companion.simulate.loop import Trajectory
from companion.simulate.store import Task

COMMAND = "make paper CH=2"
TABLES = ("runs", "curves", "growth", "tradeoff", "timings", "clock", "steps")
PROBLEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "example-function": ("example-function", {}),
    "rosenbrock": ("rosenbrock", {}),
    "logistic-digits": ("logistic", {"data": "digits"}),
    "logistic-mnist": ("logistic", {"data": "mnist"}),
}
"""Experiment and parameters behind every name in the tables."""
DENSE, ZERO, DIGITS = "dense", "budget-zero", 9
SKETCHES: dict[str, dict[str, Any]] = {
    "bkb-5": {"oversampling": 5.0},
    "bkb-1": {"oversampling": 1.0},
    "bkb-5-own": {"oversampling": 5.0, "bkb_width": "own"},
    "bkb-1-own": {"oversampling": 1.0, "bkb_width": "own"},
}
TIMED = ("refit", "engine")
"""Posteriors under which whole runs are timed: what a plain program does, and what this one does."""


@dataclass(frozen=True)
class Plan:
    """Which runs are made; the default is what the stored tables hold.

    Parameters
    ----------
    problems : names of :data:`PROBLEMS`
    seeds : of every variant
    timing_seeds : of the comparisons of time
    growth_horizon : rounds of the runs that show whether BKB's dictionary levels off
    alphas, budgets : rules of the trade-off: budget log(1 + T^-alpha)/2 of the horizon, and fixed u = e^(2 epsilon) - 1
    horizons, tradeoff_seeds : of the trade-off
    step_horizon, step_limit : rounds and CPU seconds of the runs behind the time per round
    overrides : parameters other than the defaults, by problem, for small versions
    """

    problems: tuple[str, ...] = tuple(PROBLEMS)
    seeds: int = 20
    timing_seeds: int = 10
    growth_horizon: int = 1200
    alphas: tuple[float, ...] = (0.25, 0.5, 0.75, 1.0)
    budgets: tuple[float, ...] = (10.0, 1.0, 0.1, 0.01, 0.001)
    horizons: tuple[int, ...] = (100, 300, 1000, 3000, 10_000, 20_000)
    tradeoff_seeds: int = 10
    step_horizon: int = 20_000
    step_limit: float = 20.0
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def tasks(
        self, problem: str, method: str, more: Mapping[str, Any], labels: Mapping[str, Any], seeds: int
    ) -> list[Task]:
        """Runs on ``problem``, under its name in the tables."""
        name, own = PROBLEMS[problem]
        values = {**own, **self.overrides.get(problem, {}), **more}
        listed = experiment(name).tasks([method], range(seeds), values, labels)
        return [replace(task, experiment=f"compressed/{problem}") for task in listed]


PAPER = Plan()


def store(
    root: Path | None = None, jobs: int | None = None, *, without: Sequence[str] = (), plan: Plan = PAPER
) -> Path:
    """Compute what is missing and write the tables and their record; about ten minutes on four cores.

    See :func:`companion.reproduce.runs.store`. ``without`` names problems to leave out, as ``logistic-mnist`` where its
    trainings are not stored.
    """
    return store_runs(stored_runs(plan, without), root, jobs)


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.errors.ResultError` if they are missing or damaged."""
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


# -- the tasks ---------------------------------------------------------------------------------------------------------


def every_run(plan: Plan = PAPER) -> tuple[Item, ...]:
    """All tasks of a plan, each with the name of its part."""
    return tuple((name, task) for name, make in _TASKS.items() for task in make(plan))


def variants(acquisition: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Label, method and parameters of everything run under an acquisition; the dense method is the first."""
    listed: list[tuple[str, str, dict[str, Any]]] = [(DENSE, f"gp-{acquisition}", {})]
    listed += [(reading, f"cgp-{acquisition}", {"reading": reading}) for reading in READINGS]
    listed.append((ZERO, f"cgp-{acquisition}", {"reading": "info-printed", "epsilon": 0.0}))
    sketches = {name: own for name, own in SKETCHES.items() if acquisition == "ucb" or not name.endswith("own")}
    return listed + [(name, f"bkb-{acquisition}", own) for name, own in sketches.items()]


def run_list(plan: Plan) -> list[Task]:
    """Every variant on every problem and seed."""
    return [
        task
        for problem in plan.problems
        for acquisition in ACQUISITIONS
        for label, method, more in variants(acquisition)
        for task in plan.tasks(problem, method, more, {"variant": label}, plan.seeds)
    ]


def growth_list(plan: Plan) -> list[Task]:
    """BKB over many rounds on the example function."""
    problem, long = "example-function", {"horizon": plan.growth_horizon}
    return [
        task
        for acquisition in ACQUISITIONS
        for label in ("bkb-5", "bkb-1")
        for task in plan.tasks(
            problem, f"bkb-{acquisition}", {**SKETCHES[label], **long}, {"variant": label}, plan.seeds
        )
    ]


def tradeoff_list(plan: Plan) -> list[Task]:
    """UCB on the example function: a run for every alpha and horizon, one for every fixed budget, and the dense one."""
    longest = max(plan.horizons)
    rules: list[tuple[str, str, dict[str, Any]]] = [(DENSE, "gp-ucb", {"horizon": longest})]
    rules += [(f"u={u:g}", "cgp-ucb", {"horizon": longest, "epsilon": 0.5 * float(np.log1p(u))}) for u in plan.budgets]
    rules += [
        (f"alpha={alpha:g}", "cgp-ucb", {"horizon": horizon, "reading": "info-horizon", "alpha": alpha})
        for alpha in plan.alphas
        for horizon in plan.horizons
    ]
    rules.append(("printed", "cgp-ucb", {"horizon": longest}))
    return [
        replace(task, experiment="compressed/tradeoff")
        for rule, method, more in rules
        for task in plan.tasks(
            "example-function", method, more, {"rule": rule, "at": list(plan.horizons)}, plan.tradeoff_seeds
        )
    ]


def timing_list(plan: Plan) -> list[Task]:
    """For every problem, acquisition, posterior and seed, all variants one after the other."""
    return [
        Task(
            f"compressed/timing/{problem}",
            acquisition,
            {"posterior": posterior, "overrides": dict(plan.overrides.get(problem, {}))},
            seed,
        )
        for problem in plan.problems
        for acquisition in ACQUISITIONS
        for posterior in TIMED
        for seed in range(plan.timing_seeds)
    ]


def step_list(plan: Plan) -> list[Task]:
    """Time per round of UCB on the example function, dense and compressed, for every kind of posterior."""
    own = dict(plan.overrides.get("example-function", {}))
    return [
        Task(
            "compressed/steps",
            method,
            {"variant": label, "posterior": posterior, "limit": plan.step_limit}
            | {"values": {**own, **more, "horizon": plan.step_horizon}},
            0,
        )
        for posterior in POSTERIORS
        for label, method, more in (
            (DENSE, "gp-ucb", {}),
            ("info-horizon", "cgp-ucb", {"reading": "info-horizon"}),
            ("info-printed", "cgp-ucb", {}),
        )
    ]


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
        for name in _TASKS
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


_TASKS = {
    "runs": run_list,
    "growth": growth_list,
    "tradeoff": tradeoff_list,
    "timings": timing_list,
    "steps": step_list,
}
_ROWS = {
    "runs": _run_rows,
    "growth": _run_rows,
    "tradeoff": _tradeoff_rows,
    "timings": _timing_rows,
    "steps": _step_rows,
}
