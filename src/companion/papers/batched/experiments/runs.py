"""Stored runs of chapter 3: Appendix E, the same with ties broken at random, and trials on common functions.

A row of the result table is one run: kernel, batch-size rule, seed. The seed draws the function and the noise, so rules
are compared in pairs. The paper shows means over ten trials; the first ten seeds give a table of that size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.papers.batched.experiments.definitions import experiment
from companion.stored.blocks import Block

#: Batch-size rules of Tables 1-3: ``None`` is the original rule (5), a number the ``a`` of rule (6).
RULES: dict[str, tuple[float | None, ...]] = {
    "se": (None, 0.52, 0.6, 0.65),
    "matern32": (None, 0.31, 0.4, 0.5),
    "matern52": (None, 0.36, 0.4, 0.5),
}
SEEDS = tuple(range(200))
REPEAT_FUNCTIONS, REPEAT_TRIALS = tuple(range(20)), 10
MAIN, TIES, REPEATS = "appendix_e", "appendix_e_ties", "appendix_e_repeats"
#: Rounds at which the tables report the cumulative regret.
CHECKPOINTS = (200, 400, 600, 800, 1000)


def rule_label(a: float | None) -> str:
    """``orig`` or ``a=0.4``."""
    return "orig" if a is None else f"a={a:g}"


def rule_blocks(
    part: str, seeds: Sequence[int], kernels: Sequence[str] = tuple(RULES), **overrides: Any
) -> list[Block]:
    """A block for each kernel and rule; ``overrides`` are parameters of the experiment ``appendix-e``."""
    appendix, found = experiment("appendix-e"), []
    for kernel in kernels:
        for a in RULES[kernel]:
            chosen = {"schedule": "original"} if a is None else {"schedule": "power", "a": a}
            values = {"kernel": kernel, **chosen, **overrides}
            found.append(Block.of(part, appendix, ["bpe"], seeds, values, rule=rule_label(a)))
    return found


def repeat_blocks(function: int) -> list[Block]:
    """Trials that share a function: the seed (from 1000 on, so that none is also a function's) draws the noise only."""
    seeds = range(1000 + REPEAT_TRIALS * function, 1000 + REPEAT_TRIALS * (function + 1))
    found, original = rule_blocks(REPEATS, seeds, function_seed=function), rule_label(None)
    return [Block(REPEATS, block.tasks, {"function": function}) for block in found if block.key["rule"] == original]


def blocks(plan: None = None) -> list[Block]:
    """All runs."""
    found = rule_blocks(MAIN, SEEDS) + rule_blocks(TIES, SEEDS, ties="random")
    return found + [block for function in REPEAT_FUNCTIONS for block in repeat_blocks(function)]
