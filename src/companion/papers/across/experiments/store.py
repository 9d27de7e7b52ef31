"""The runs of "which method?", stored in ``data/results/across``; :func:`store` makes them in about ten minutes on one core.

Four tables: ``methods.csv`` (last numbers of every run), ``method_curves.csv`` (means over seeds, by evaluations and by rounds),
``settings.csv`` (loss per round with and without displacement, shifted contexts, other agents) and ``method_seconds.csv`` (CPU
seconds inside the policies; a second computation gives other numbers there).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.papers.across.experiments.definitions import HORIZON, INITIAL, experiment, rewards
from companion.papers.across.experiments.runs import ONE_WIDTH, PAPER, Plan, every_run
from companion.reproduce.runs import Item, StoredRuns
from companion.reproduce.runs import store as store_runs
from companion.reproduce.stored import StoredTables
from companion.simulate.loop import Trajectory
from companion.simulate.store import Task

COMMAND = "make paper CH=6"
TABLES = ("methods", "method_curves", "settings", "method_seconds")
EARLY = 50
"""Evaluations after which simple regret is kept as well."""
ROUNDS = 13
"""Rounds after which it is kept too: the initial points and 12 batches, the whole run for batches of ten."""
STEP = 5
"""Every so many evaluations a curve has a point; by rounds it has all of the first :data:`SHOWN_ROUNDS`."""
SHOWN_ROUNDS = 25
DIGITS = 8


def store(root: Path | None = None, jobs: int | None = None, *, plan: Plan = PAPER) -> Path:
    """Compute what is missing and write the tables and their record; see :func:`companion.reproduce.runs.store`."""
    return store_runs(stored_runs(plan), root, jobs)


def load(root: Path | None = None) -> StoredTables:
    """The stored tables and their record; :class:`~companion.core.errors.ResultError` if they are missing or damaged."""
    return stored_runs().load(root)


def stored_runs(plan: Plan = PAPER) -> StoredRuns:
    """The runs of a plan, and the tables made from them."""
    cell = ("problem", "entry", "horizon")
    return StoredRuns(
        paper="across",
        module=__name__,
        name="methods",
        tables=TABLES,
        command=COMMAND,
        items=every_run(plan),
        compute=compute,
        frames=frames,
        keys={
            "methods": (*cell, "seed"),
            "method_curves": (*cell, "axis", "at"),
            "settings": ("setting", "problem", "condition", "method", "seed"),
        },
        single=lambda part, task: True,
        summaries={"method_curves": lambda part, task: part == "methods" and _drawn(_cell(task))},
        seeds=range(plan.seeds),
        settings={"problems": list(plan.problems), "long_seeds": plan.long_seeds, "agent_seeds": plan.agent_seeds},
    )


def compute(task: Task) -> dict[str, Any]:
    """What is kept of a run."""
    name, p = task.experiment.removeprefix("across/"), dict(task.parameters)
    p.pop("entry", None)
    run = experiment(name).run(task.method, task.seed, p)
    if name == "methods":
        return summary_of(run)
    if name == "displacement":
        undisplaced = float(np.mean(run.diagnostics["undisplaced"]))
        return {"losses": {"none": undisplaced, "displaced": float(run.instantaneous_regret.mean())}}
    if name == "contexts":
        return {"losses": {p["shift"]: float(run.instantaneous_regret.mean())}}
    return {"losses": {_agents(p["agents"]): -float(rewards(run).mean())}}


def _agents(count: int) -> str:
    return "one agent" if count == 1 else f"{count} agents"


def summary_of(run: Trajectory) -> dict[str, Any]:
    """Numbers of one run on a common problem, and its curves by evaluations and by rounds.

    Simple regret is that of the best point evaluated so far, of the noiseless function. A run with fewer rounds than are asked
    for stays where it ended.
    """
    last = np.flatnonzero(np.append(np.diff(run.batch), 1))  # the last evaluation of every round
    by_rounds = last[np.minimum(np.arange(SHOWN_ROUNDS), len(last) - 1)]
    by_evaluations = np.arange(INITIAL, len(run) + 1, STEP) - 1
    at = {"evaluations": by_evaluations, "rounds": by_rounds}
    return {
        "cumulative": float(run.cumulative_regret[-1]),
        "simple": float(run.simple_regret[-1]),
        "early": float(run.simple_regret[min(EARLY, len(run)) - 1]),
        "by_rounds": float(run.simple_regret[by_rounds[ROUNDS - 1]]),
        "recommended": float(run.recommended_regret),
        "rounds": len(last),
        "kept": int(run.model_order[-1]),
        "seconds": float(run.diagnostics["cpu_seconds"]),
        "axes": {
            "evaluations": (by_evaluations + 1).tolist(),
            "rounds": list(range(1, SHOWN_ROUNDS + 1)),
        },
        "cumulative_curves": {name: run.cumulative_regret[places] for name, places in at.items()},
        "simple_curves": {name: run.simple_regret[places] for name, places in at.items()},
    }


# -- the tables --------------------------------------------------------------------------------------------------------

KEPT = ("cumulative", "simple", "early", "by_rounds", "recommended", "rounds", "kept")


def frames(items: Sequence[Item], results: Sequence[Mapping[str, Any]]) -> dict[str, pd.DataFrame]:
    """The tables of these tasks."""
    pairs = [(part, task, result) for (part, task), result in zip(items, results, strict=True)]
    runs = [(task, result) for part, task, result in pairs if part == "methods"]
    rows = [{**_cell(task), "seed": task.seed, **{n: _short(r[n]) for n in KEPT}} for task, r in runs]
    settings = [row for part, task, result in pairs if part == "settings" for row in _setting_rows(task, result)]
    cells: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for task, result in runs:
        cells.setdefault(tuple(_cell(task).items()), []).append(result)
    curves = [row for cell, found in cells.items() if _drawn(dict(cell)) for row in _curve_rows(dict(cell), found)]
    seconds = [
        {**dict(cell), "seconds": _short(float(np.median([r["seconds"] for r in found])), 3)}
        for cell, found in cells.items()
    ]
    made = (rows, curves, settings, seconds)
    return {name: pd.DataFrame(table) for name, table in zip(TABLES, made, strict=True)}


def _cell(task: Task) -> dict[str, Any]:
    p = task.parameters
    return {"problem": p["problem"], "entry": p["entry"], "horizon": p["horizon"]}


def _drawn(cell: Mapping[str, Any]) -> bool:
    """Whether curves are kept: of the entries that are ranked, at the common horizon."""
    return cell["entry"] in ONE_WIDTH and cell["horizon"] == HORIZON


def _setting_rows(task: Task, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    setting, p = task.experiment.removeprefix("across/"), task.parameters
    problem = f"radius {p['radius']:g}" if setting == "contexts" else p.get("problem", "swarm")
    key = {"setting": setting, "problem": problem}
    return [
        {**key, "condition": condition, "method": task.method, "seed": task.seed, "loss": _short(float(loss))}
        for condition, loss in result["losses"].items()
    ]


def _curve_rows(cell: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Means over seeds, by evaluations and by rounds."""
    rows = []
    for axis, places in found[0]["axes"].items():
        cumulative, simple = (
            _mean([result[f"{name}_curves"][axis] for result in found]) for name in ("cumulative", "simple")
        )
        for k, at in enumerate(places):
            means = {"cumulative": _short(float(cumulative[k]), 6), "simple": _short(float(simple[k]), 6)}
            rows.append({**cell, "axis": axis, "at": int(at), **means})
    return rows


def _mean(curves: Sequence[Any]) -> Floats:
    return np.asarray(np.mean(np.asarray(curves, dtype=np.float64), axis=0))


def _short(value: Any, digits: int = DIGITS) -> Any:
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value
