"""The runs of the settings, stored in ``data/results/across/settings.csv``: loss per round with and without displacement, under
shifted contexts, and with one agent or a crowd, with and without a need for a method of its own; a few minutes on one core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.papers.across.experiments.definitions import experiment, rewards
from companion.papers.batched.problems.catalogue import ROBUST_PROBLEMS
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, Result, RunTable
from companion.stored.results import StoredSet
from companion.stored.runs import PaperRuns

DIGITS = 8


@dataclass(frozen=True)
class SettingsPlan:
    """Numbers of seeds and agents, and radii.

    Parameters
    ----------
    seeds : of displacement and contexts
    radii : of the balls of laws
    crowd, agent_seeds : agents besides one, and seeds of these runs, which cost most
    """

    seeds: int = 50
    radii: tuple[float, ...] = (0.1, 0.3)
    crowd: int = 50
    agent_seeds: int = 30


PAPER = SettingsPlan()


def blocks(plan: SettingsPlan = PAPER) -> list[Block]:
    """All runs."""
    asked: list[tuple[str, str, int, dict[str, Any]]] = [
        ("displacement", problem, plan.seeds, {"problem": problem}) for problem in ROBUST_PROBLEMS
    ]
    asked += [
        ("contexts", f"radius {radius:g}", plan.seeds, {"shift": shift, "radius": radius})
        for shift in ("none", "worst")
        for radius in plan.radii
    ]
    asked += [("agents", "swarm", plan.agent_seeds, {"agents": count}) for count in (1, plan.crowd)]
    found = []
    for name, problem, seeds, values in asked:
        chosen = experiment(name)
        tasks = chosen.tasks(chosen.method_names, range(seeds), values)
        found.append(Block("settings", tasks, {"setting": name, "problem": problem}))
    return found


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
