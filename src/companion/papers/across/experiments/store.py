"""The runs of "which method?", stored in ``data/results/across``: ten minutes on one core.

Four tables: ``methods.csv`` (last numbers of every run), ``method_curves.csv`` (means over seeds, by evaluations and by rounds),
``settings.csv`` (loss per round with and without displacement, shifted contexts, other agents) and ``method_seconds.csv`` (CPU
seconds inside the policies; a second computation gives other numbers there).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from companion.papers.across.experiments.definitions import experiment, rewards
from companion.papers.across.experiments.parameters import HORIZON, INITIAL
from companion.papers.across.experiments.runs import ONE_WIDTH, PAPER, blocks
from companion.reproduce.blocks import Block, Result, Run, RunTable, by_key
from companion.reproduce.runs import PaperRuns
from companion.simulate.loop import Trajectory
from companion.simulate.store import Task

EARLY = 50
"""Evaluations after which simple regret is kept as well."""
ROUNDS = 13
"""Rounds after which it is kept too: the initial points and 12 batches, the whole run for batches of ten."""
STEP = 5
"""Every so many evaluations a curve has a point; by rounds it has all of the first :data:`SHOWN_ROUNDS`."""
SHOWN_ROUNDS = 25
DIGITS = 8


def compute(task: Task) -> dict[str, Any]:
    """What is kept of a run."""
    name, p = task.experiment.removeprefix("across/"), task.values
    run = experiment(name).run(task.method, task.seed, p)
    if name == "methods":
        return summary_of(run)
    if name == "displacement":
        undisplaced = float(np.mean(run.diagnostics["undisplaced"]))
        return {"losses": {"none": undisplaced, "displaced": float(run.instantaneous_regret.mean())}}
    if name == "contexts":
        return {"losses": {p.shift: float(run.instantaneous_regret.mean())}}
    return {"losses": {_agents(p.agents): -float(rewards(run).mean())}}


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

CELL = ("problem", "entry", "horizon")
KEPT = ("cumulative", "simple", "early", "by_rounds", "recommended", "rounds", "kept")


def losses(task: Task, result: Result) -> list[dict[str, Any]]:
    """Of a run of another setting, by condition."""
    return [
        {"condition": condition, "method": task.method, "seed": task.seed, "loss": float(loss)}
        for condition, loss in result["losses"].items()
    ]


def is_drawn(block: Block, task: Task) -> bool:
    """Whether curves are kept: of the entries that are ranked, at the common horizon."""
    return task.parameters["entry"] in ONE_WIDTH and task.parameters["horizon"] == HORIZON


def curves(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """Means over seeds, by evaluations and by rounds."""
    for cell, found in by_key(runs, CELL):
        for axis, places in found[0]["axes"].items():
            cumulative, simple = (
                np.mean(np.asarray([result[f"{name}_curves"][axis] for result in found], dtype=np.float64), axis=0)
                for name in ("cumulative", "simple")
            )
            for at, *means in zip(places, cumulative, simple, strict=True):
                yield {**cell, "axis": axis, "at": int(at), "cumulative": float(means[0]), "simple": float(means[1])}


def seconds(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """Medians over seeds."""
    for cell, found in by_key(runs, CELL):
        yield {**cell, "seconds": float(np.median([result["seconds"] for result in found]))}


TABLES = {
    "methods": RunTable(
        (*CELL, "seed"), lambda task, result: {name: result[name] for name in KEPT}, ("methods",), digits=DIGITS
    ),
    "method_curves": RunTable((*CELL, "axis", "at"), parts=("methods",), which=is_drawn, whole=curves, digits=6),
    "settings": RunTable(("setting", "problem", "condition", "method", "seed"), losses, ("settings",), digits=DIGITS),
    "method_seconds": RunTable(CELL, parts=("methods",), whole=seconds, compared=False, digits=3),
}
RUNS = PaperRuns(
    paper="across",
    module=__name__,
    command="make paper CH=6",
    plan=PAPER,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    name="methods",
    seeds=lambda plan: range(plan.seeds),
    settings=lambda plan: {
        "problems": list(plan.problems),
        "long_seeds": plan.long_seeds,
        "agent_seeds": plan.agent_seeds,
    },
)
store, load = RUNS.store, RUNS.load
