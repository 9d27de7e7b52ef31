"""Which runs of the settings are stored: displacement, contexts and agents, with and without a need for a method of its own.

The runs of all rules on the functions are those of :mod:`companion.papers.across.experiments.study`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.papers.across.experiments.definitions import experiment
from companion.papers.batched.problems.catalogue import ROBUST_PROBLEMS
from companion.reproduce.blocks import Block


@dataclass(frozen=True)
class Plan:
    """How many of what.

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


PAPER = Plan()


def blocks(plan: Plan = PAPER) -> list[Block]:
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
