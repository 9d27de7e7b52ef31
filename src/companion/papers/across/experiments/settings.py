"""The runs of the settings, stored in ``data/results/across/settings.csv``: loss per round with and without displacement, under
shifted contexts, and with one agent or a crowd; a few minutes on one core."""

from __future__ import annotations

from typing import Any

import numpy as np

from companion.papers.across.experiments.definitions import experiment, rewards
from companion.papers.across.experiments.settings_runs import PAPER, blocks
from companion.reproduce.blocks import Result, RunTable
from companion.reproduce.runs import PaperRuns
from companion.reproduce.stored import StoredSet
from companion.simulate.store import Task

DIGITS = 8


def compute(task: Task) -> dict[str, Any]:
    """Loss per round of a run, by condition."""
    name, p = task.experiment.removeprefix("across/"), task.values
    run = experiment(name).run(task.method, task.seed, p)
    if name == "displacement":
        undisplaced = float(np.mean(run.diagnostics["undisplaced"]))
        return {"losses": {"none": undisplaced, "displaced": float(run.instantaneous_regret.mean())}}
    if name == "contexts":
        return {"losses": {p.shift: float(run.instantaneous_regret.mean())}}
    return {"losses": {"one agent" if p.agents == 1 else f"{p.agents} agents": -float(rewards(run).mean())}}


def losses(task: Task, result: Result) -> list[dict[str, Any]]:
    """A row a condition."""
    return [
        {"condition": condition, "method": task.method, "seed": task.seed, "loss": float(loss)}
        for condition, loss in result["losses"].items()
    ]


TABLES = {"settings": RunTable(("setting", "problem", "condition", "method", "seed"), losses, digits=DIGITS)}
STORED = StoredSet(
    paper="across",
    module=__name__,
    command="make paper CH=6",
    tables=("settings",),
    name="settings",
)
RUNS = PaperRuns(
    stored=STORED,
    plan=PAPER,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    seeds=lambda plan: range(plan.seeds),
    settings=lambda plan: {"agent_seeds": plan.agent_seeds},
)
store, load = RUNS.store, STORED.load
