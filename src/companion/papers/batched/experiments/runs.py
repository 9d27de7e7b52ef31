"""Which runs of chapter 3 are stored: Appendix E, the same with ties broken at random, and trials on common functions.

A row of the result table is one run: kernel, batch-size rule, seed. The seed draws the function and the noise, so rules
are compared in pairs. The paper shows means over ten trials; the first ten seeds give a table of that size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.papers.batched.experiments.definitions import EXPERIMENTS
from companion.reproduce.runs import Item
from companion.simulate.store import Task

#: Batch-size rules of Tables 1-3: ``None`` is the original rule (5), a number the ``a`` of rule (6).
RULES: dict[str, tuple[float | None, ...]] = {
    "se": (None, 0.52, 0.6, 0.65),
    "matern32": (None, 0.31, 0.4, 0.5),
    "matern52": (None, 0.36, 0.4, 0.5),
}
SEEDS = tuple(range(200))
REPEAT_FUNCTIONS, REPEAT_TRIALS = tuple(range(20)), 10
TABLES = ("appendix_e", "appendix_e_ties", "appendix_e_repeats")
#: Rounds at which the tables report the cumulative regret.
CHECKPOINTS = (200, 400, 600, 800, 1000)


def rule_label(a: float | None) -> str:
    """``orig`` or ``a=0.4``."""
    return "orig" if a is None else f"a={a:g}"


def tasks(seeds: Sequence[int], kernels: Sequence[str] = tuple(RULES), **overrides: Any) -> list[Task]:
    """One task per kernel, rule and seed; ``overrides`` are parameters of the experiment ``appendix-e``."""
    experiment = next(e for e in EXPERIMENTS if e.name == "appendix-e")
    found = []
    for kernel in kernels:
        for a in RULES[kernel]:
            chosen = {"schedule": "original"} if a is None else {"schedule": "power", "a": a}
            found += experiment.tasks(["bpe"], seeds, {"kernel": kernel, **chosen, **overrides})
    return found


def repeat_tasks() -> list[Task]:
    """Trials that share a function: the seed (from 1000 on, so that none is also a function's) draws the noise only."""
    found = []
    for function in REPEAT_FUNCTIONS:
        seeds = [1000 + REPEAT_TRIALS * function + trial for trial in range(REPEAT_TRIALS)]
        found += [task for task in tasks(seeds, function_seed=function) if task.parameters["schedule"] == "original"]
    return found


def every_run() -> tuple[Item, ...]:
    """All runs, each with the table it is made for."""
    parts = zip(TABLES, (tasks(SEEDS), tasks(SEEDS, ties="random"), repeat_tasks()), strict=True)
    return tuple((table, task) for table, part in parts for task in part)
