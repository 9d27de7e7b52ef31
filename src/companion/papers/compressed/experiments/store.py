"""The experiments of Section 4 and the trade-off study, stored in ``data/results/compressed``: about ten minutes on four
cores.

Seven tables are written: ``runs.csv`` (every run's last numbers), ``curves.csv`` (means over
seeds along the rounds), ``growth.csv`` (dictionaries of BKB over 1,200 rounds), ``tradeoff.csv`` (regret and model order of
UCB over budgets and horizons up to 20,000), ``timings.csv`` (CPU times of methods run one after the other in one process),
``clock.csv`` (the time passed along the rounds, means over seeds) and ``steps.csv`` (time per round). The last three hold
times, so a second computation gives other numbers there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from companion.papers.compressed.experiments.definitions import average_regret, checkpoints, experiment
from companion.papers.compressed.experiments.runs import PAPER, PROBLEMS, ZERO, CompressedPlan, blocks, variants
from companion.papers.compressed.experiments.timing import compared_times, rounds_within, step_times
from companion.papers.compressed.problems import tuning_table
from companion.simulate.loop import Trajectory
from companion.simulate.task_store import Task
from companion.stored.blocks import Result, Run, RunTable, by_key, short
from companion.stored.results import StoredSet
from companion.stored.runs import Need, PaperRuns


def compute(task: Task) -> dict[str, Any]:
    """Stored result of a task."""
    part = task.experiment.removeprefix("compressed/")
    p = task.parameters
    if part.startswith("timing/"):
        name, own = PROBLEMS[part.removeprefix("timing/")]
        chosen = [entry for entry in variants(task.method) if entry[0] != ZERO]
        common = {**own, **p["overrides"], "posterior": p["posterior"]}
        horizon = experiment(name).parameters.typed(common).horizon
        return {"horizon": horizon, "rows": compared_times(name, task.seed, common, chosen)}
    if part == "steps":
        values = {**p["values"], "posterior": p["posterior"]}
        return step_times(*rounds_within("example-function", task.method, task.seed, values, p["limit"]))
    if part == "tradeoff":
        at = [horizon for horizon in p["at"] if horizon <= p["horizon"]]
        run = experiment("example-function").run(task.method, task.seed, task.values)
        return {"rows": [_at(run, horizon) for horizon in (at if p["reading"] == "info-printed" else [p["horizon"]])]}
    return summary_of(experiment(PROBLEMS[part][0]).run(task.method, task.seed, task.values))


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

CELL, CLOCKED = ("problem", "method", "variant"), ("problem", "posterior", "method", "variant")


def last_numbers(task: Task, result: Result) -> dict[str, Any]:
    """Of a run; its first rejection is empty where nothing was rejected, and the last point kept is for BKB."""
    row = {name: value for name, value in result.items() if name not in ("rounds", "regret_curve", "order_curve")}
    return {"horizon": task.parameters["horizon"]} | {
        name: "" if value is None else value for name, value in row.items()
    }


def policy_times(task: Task, result: Result) -> list[dict[str, Any]]:
    """Of all variants that ran in one process."""
    rows = ({name: value for name, value in row.items() if name != "clock"} for row in result["rows"])
    return [{"horizon": result["horizon"], **row} for row in rows]


def curves(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """Mean and standard deviation over seeds of average regret and model order, along the rounds."""
    for cell, found in by_key(runs, CELL):
        columns = {
            "average_regret": np.array([result["regret_curve"] for result in found]).T,
            "model_order": np.array([result["order_curve"] for result in found], dtype=np.float64).T,
        }
        for place, number in enumerate(found[0]["rounds"]):
            row = {**cell, "round": int(number)}
            for name, values in columns.items():
                spread = float(values[place].std(ddof=1)) if len(found) > 1 else 0.0
                row |= {name: float(values[place].mean()), f"{name}_sd": short(spread, 4)}
            yield row


def clock(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """Mean over seeds of the seconds, objective included, that have passed along the rounds."""
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for block, task, result in runs:
        process = block.told(task, CLOCKED[:2]).values()
        for row in result["rows"]:
            groups.setdefault((*process, row["method"], row["variant"], result["horizon"]), []).append(row["clock"])
    for (*cell, horizon), clocks in groups.items():
        for number, seconds in zip(checkpoints(horizon), np.mean(clocks, axis=0), strict=True):
            yield dict(zip(CLOCKED, cell, strict=True)) | {"round": int(number), "seconds": float(seconds)}


TABLES = {
    "runs": RunTable((*CELL, "seed"), last_numbers, ("runs",)),
    "curves": RunTable((*CELL, "round"), parts=("runs",), whole=curves, digits=6),
    "growth": RunTable((*CELL, "seed"), last_numbers, ("growth",)),
    "tradeoff": RunTable(("rule", "seed", "horizon"), lambda task, result: result["rows"], ("tradeoff",)),
    "timings": RunTable(("problem", "posterior", "seed"), policy_times, ("timings",), compared=False, digits=6),
    "clock": RunTable(
        ("problem", "posterior", "method", "variant"), parts=("timings",), whole=clock, compared=False, digits=4
    ),
    "steps": RunTable(
        ("variant", "posterior"), lambda task, result: result["rows"], ("steps",), compared=False, digits=4
    ),
}


def tuned(plan: CompressedPlan) -> tuple[Need, ...]:
    """The trainings that the problems of tuning look up."""
    data = [PROBLEMS[name][1]["data"] for name in plan.problems if "data" in PROBLEMS[name][1]]
    return (Need(plan.problems, lambda: [tuning_table.load(name) for name in data]),)


STORED = StoredSet(
    paper="compressed",
    module=__name__,
    command="make paper CH=2",
    tables=("runs", "curves", "growth", "tradeoff", "timings", "clock", "steps"),
)
RUNS = PaperRuns(
    stored=STORED,
    plan=PAPER,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    seeds=lambda plan: range(plan.seeds),
    settings=lambda plan: {name: list(getattr(plan, name)) for name in ("problems", "alphas", "budgets")},
    optional=(PROBLEMS, "problems"),
    needs=tuned,
)
store, load = RUNS.store, STORED.load
