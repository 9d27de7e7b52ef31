"""Stored runs of chapter 2: every variant on every problem, BKB over many rounds, the trade-off, and times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from companion.papers.compressed.experiments.definitions import experiment
from companion.papers.compressed.experiments.parameters import READINGS
from companion.papers.compressed.method.policy import ACQUISITIONS, POSTERIORS
from companion.simulate.task_store import Task
from companion.stored.blocks import Block

#: Experiment and parameters behind every name in the tables.
PROBLEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "example-function": ("example-function", {}),
    "rosenbrock": ("rosenbrock", {}),
    "logistic-digits": ("logistic", {"data": "digits"}),
    "logistic-mnist": ("logistic", {"data": "mnist"}),
}
DENSE, ZERO, DIGITS = "dense", "budget-zero", 9
SKETCHES: dict[str, dict[str, Any]] = {
    "bkb-5": {"oversampling": 5.0},
    "bkb-1": {"oversampling": 1.0},
    "bkb-5-own": {"oversampling": 5.0, "bkb_width": "own"},
    "bkb-1-own": {"oversampling": 1.0, "bkb_width": "own"},
}
#: Posteriors under which whole runs are timed: that of a plain program, and that of this one.
TIMED = ("refit", "engine")


@dataclass(frozen=True)
class CompressedPlan:
    """Runs to make; the default is the plan of the stored tables.

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

    def block(
        self,
        part: str,
        problem: str,
        method: str,
        more: Mapping[str, Any],
        labels: Mapping[str, Any],
        seeds: int,
        place: str = "",
    ) -> Block:
        """Runs on ``problem``, under its name in the tables, or that of a place."""
        name, own = PROBLEMS[problem]
        values = {**own, **self.overrides.get(problem, {}), **more}
        listed = experiment(name).tasks([method], range(seeds), values, labels)
        return Block(part, [replace(task, experiment=f"compressed/{place or problem}") for task in listed])


PAPER = CompressedPlan()


def variants(acquisition: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Label, method and parameters of everything run under an acquisition; the dense method is the first."""
    listed: list[tuple[str, str, dict[str, Any]]] = [(DENSE, f"gp-{acquisition}", {})]
    listed += [(reading, f"cgp-{acquisition}", {"reading": reading}) for reading in READINGS]
    listed.append((ZERO, f"cgp-{acquisition}", {"reading": "info-printed", "epsilon": 0.0}))
    sketches = {name: own for name, own in SKETCHES.items() if acquisition == "ucb" or not name.endswith("own")}
    return listed + [(name, f"bkb-{acquisition}", own) for name, own in sketches.items()]


def every_variant(plan: CompressedPlan) -> list[Block]:
    """Every variant on every problem and seed."""
    return [
        plan.block("runs", problem, method, more, {"variant": label}, plan.seeds)
        for problem in plan.problems
        for acquisition in ACQUISITIONS
        for label, method, more in variants(acquisition)
    ]


def growth(plan: CompressedPlan) -> list[Block]:
    """BKB over many rounds on the example function."""
    long = {"horizon": plan.growth_horizon}
    return [
        plan.block(
            "growth",
            "example-function",
            f"bkb-{acquisition}",
            {**SKETCHES[label], **long},
            {"variant": label},
            plan.seeds,
        )
        for acquisition in ACQUISITIONS
        for label in ("bkb-5", "bkb-1")
    ]


def tradeoff(plan: CompressedPlan) -> list[Block]:
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
    at, seeds, part = list(plan.horizons), plan.tradeoff_seeds, "tradeoff"
    return [
        plan.block(part, "example-function", method, more, {"rule": rule, "at": at}, seeds, part)
        for rule, method, more in rules
    ]


def timings(plan: CompressedPlan) -> list[Block]:
    """For every problem, acquisition, posterior and seed, all variants one after the other."""
    found = []
    for problem in plan.problems:
        own = dict(plan.overrides.get(problem, {}))
        tasks = [
            Task(f"compressed/timing/{problem}", acquisition, {"posterior": posterior, "overrides": own}, seed)
            for acquisition in ACQUISITIONS
            for posterior in TIMED
            for seed in range(plan.timing_seeds)
        ]
        found.append(Block("timings", tasks, {"problem": problem}))
    return found


def steps(plan: CompressedPlan) -> list[Block]:
    """Time per round of UCB on the example function, dense and compressed, for every kind of posterior."""
    own = dict(plan.overrides.get("example-function", {}))
    tasks = [
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
    return [Block("steps", tasks)]


def blocks(plan: CompressedPlan = PAPER) -> list[Block]:
    """All runs of a plan."""
    return [*every_variant(plan), *growth(plan), *tradeoff(plan), *timings(plan), *steps(plan)]
