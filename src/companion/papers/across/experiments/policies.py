"""Everybody's rules on a function of the study, one run at a time: the papers' own policies, with any width or scale.

A run is that of :mod:`~companion.papers.across.experiments.study_play` at the same seed, which plays all seeds
at once. On a problem with one agent and one context MF-GP-UCB and WDRBO are GP-UCB, and what is left of them is a width. Every
rule but BPE, which designs its batches itself, starts from the same random points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.gp import PriorDraws
from companion.papers.across.experiments.parameters import Methods
from companion.papers.across.problems.functions import Function, candidates
from companion.papers.batched.method.policy import BPE
from companion.papers.batched.method.sizes import original_sizes
from companion.papers.compressed.method.admission import Admission, dense, horizon_budget, information
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.tsrsr.method.policy import FinitePolicy
from companion.papers.tsrsr.method.round import Round, WatchedRound
from companion.papers.tsrsr.method.rules import (
    BUCB,
    TSRSR,
    UCBPE,
    BatchTS,
    BelieverEI,
    MeanEI,
    RandomSearch,
    Rule,
)
from companion.policies import Policy
from companion.simulate import Method

#: Exponent of Theorem 3.1's budget, with which the compressed rule is played unless a run says otherwise.
ALPHA = 0.5

METHODS = (
    Method("ucb", "GP-UCB; in batches B-UCB, with hallucinated observations"),
    Method("ts", "Thompson sampling; in batches one draw a point"),
    Method("ei", "expected improvement over the largest observation; in batches with believed values"),
    Method("ei-mean", "expected improvement over the largest posterior mean; in batches with believed values"),
    Method("ts-rsr", "Thompson sampling with the regret-to-sigma ratio"),
    Method("ucb-pe", "GP-UCB, then pure exploration for the rest of the batch"),
    Method("compressed-ucb", "UCB on a model that keeps informative points only, Theorem 3.1's budget"),
    Method("bpe", "batched pure exploration, batch sizes of rule (5)"),
    Method("random", "uniform candidates"),
)
#: Default multiplier: a width, or the scale of draws.
WIDTHS = {"ucb": 2.0, "ucb-pe": 2.0, "compressed-ucb": 2.0, "bpe": 2.0, "ts": 1.0, "ts-rsr": 1.0}
#: Methods that choose one point at a time.
SEQUENTIAL = ("compressed-ucb",)


class ScaledRound(WatchedRound):
    """A round whose draws lie ``scale`` times as far from the mean."""

    def __init__(self, current: Round, scale: float) -> None:
        super().__init__(current)
        self.scale = scale

    def draws(self, generator: np.random.Generator, count: int) -> Floats:
        """Posterior draws, scaled around the mean."""
        return self.mean + self.scale * (super().draws(generator, count) - self.mean)


@dataclass(frozen=True)
class Scaled:
    """A rule that sees draws ``scale`` times as far from the mean as they are."""

    rule: Rule
    scale: float

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """The rule's batch."""
        return self.rule.choose(ScaledRound(current, self.scale), size, generator)


def rule_of(method: str, multiplier: float) -> Rule:
    """A rule of batches, which with one point a batch is the sequential method."""
    rules: dict[str, Callable[[], Rule]] = {
        "ucb": lambda: BUCB(multiplier),
        "ucb-pe": lambda: UCBPE(multiplier),
        "ts": lambda: Scaled(BatchTS(), multiplier),
        "ts-rsr": lambda: Scaled(TSRSR(), multiplier),
        "ei": BelieverEI,
        "ei-mean": MeanEI,
        "random": RandomSearch,
    }
    return rules[method]()


def admission_of(p: Methods, variance: float) -> Admission:
    """Admission of the compressed rule: Theorem 3.1's budget of the horizon, another one, or with 0 everything."""
    if p.budget is None:
        return information(horizon_budget(p.horizon, ALPHA), variance)
    return information(p.budget, variance) if p.budget > 0 else dense()


def policy_of(method: str, problem: Function, design: Indices, seed: int, p: Methods) -> Policy:
    """A fresh policy.

    Raises
    ------
    ParameterError
        for a batch size, a multiplier or a budget of a method that has none
    """
    _check(method, p)
    points, variance = candidates(problem.dim), (p.noise * problem.spread) ** 2
    covariance = np.asarray(problem.kernel(points))
    multiplier = WIDTHS.get(method, 1.0) if p.multiplier is None else p.multiplier
    if method == "bpe":
        return BPE(covariance, variance, original_sizes(p.horizon), multiplier)
    if method == "compressed-ucb":
        admission = admission_of(p, variance)
        return CompressedBandit(covariance, variance, "ucb", admission, multiplier, design, capacity=p.horizon)
    generator = stream(seed, "study", problem.name, "rule", method, p.batch_size)
    prior, rule = PriorDraws.on_points(problem.kernel, points), rule_of(method, multiplier)
    return FinitePolicy(rule, covariance, prior, variance, p.batch_size, generator, design, capacity=p.horizon)


def _check(method: str, p: Methods) -> None:
    """Refuse a setting without effect: it is more often a slip than a wish."""
    if p.batch_size != 1 and method in (*SEQUENTIAL, "bpe"):
        raise ParameterError("batch_size", f"got {p.batch_size}", f"1: {method} has no batches of a fixed size")
    if p.multiplier is not None and method not in WIDTHS:
        raise ParameterError("multiplier", f"has no effect with {method}", f"one of {', '.join(WIDTHS)}")
    if p.budget is not None and method not in SEQUENTIAL:
        raise ParameterError("budget", f"has no effect with {method}", "method compressed-ucb")
