"""TS-RSR and its competitors on candidates or a box of your own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from companion.core.errors import ParameterError, positive_number, whole_number
from companion.core.randomness import stream
from companion.gp import PriorDraws
from companion.gp.factor import first_factor
from companion.gp.sampling import DRAW_JITTERS
from companion.papers.tsrsr.method.candidates import CandidateSearch
from companion.papers.tsrsr.method.policy import BoxPolicyByRule, FinitePolicy, SurrogateModel
from companion.papers.tsrsr.method.rules import (
    BUCB,
    DPPTS,
    TSRSR,
    UCBPE,
    BatchTS,
    BelieverEI,
    MeanEI,
    PublishedWidth,
    RandomSearch,
    Rule,
    StochasticPolicy,
    draws_width,
)
from companion.papers.tsrsr.method.rules import Width as BatchWidth
from companion.policies import Optimiser
from companion.policies.observation import Streams
from companion.policies.optimisers import checked_horizon
from companion.policies.players import IndexPlayer, PointPlayer
from companion.policies.widths import without_gain
from companion.problems import Box, Candidates
from companion.problems.blackbox import KERNELS, scaled_kernel

RULES = ("ts-rsr", "bucb", "ucbpe", "ts", "sp", "qei", "ei-mean", "dpp-ts", "random")


@dataclass(frozen=True)
class TSRSROptimiser(Optimiser):
    """TS-RSR or another batch rule, after a uniform design.

    No value is known when the design is drawn: with ``initial`` as it is, it takes half of a horizon of 30.

    On candidates the prior is known and nothing is standardised
    (:class:`~companion.papers.tsrsr.method.policy.FinitePolicy`). On a box every round has fresh candidates, and values are
    standardised (:class:`~companion.papers.tsrsr.method.policy.BoxPolicyByRule`, on the unit cube).

    Parameters
    ----------
    batch_size : m, points asked at once after the design
    initial : points of the design, at least 1, asked first and together
    rule : one of :data:`RULES`
    width : multiplier of the posterior standard deviation for ``bucb`` and ``ucbpe``: a number, a schedule that is the same
        in every round, or ``PublishedWidth()`` or ``draws_width`` of :mod:`~companion.papers.tsrsr.method.rules`
    noise_sd : of the model on a box, in units of the standardised values; candidates have their own
    uniform : fresh candidates of a round on a box
    horizon : evaluations in all; ``None`` for no end

    Examples
    --------
    >>> session = TSRSROptimiser(batch_size=3, initial=4, uniform=50).for_problem(Box([0, 0], [1, 10]), seed=0)
    >>> session.ask().shape
    (4, 2)
    """

    batch_size: int = 5
    initial: int = 15
    rule: str = "ts-rsr"
    width: Any = 2.0
    noise_sd: float = 1e-2
    uniform: int = 1000
    horizon: int | None = None
    name: ClassVar[str] = "ts-rsr"
    problem_type: ClassVar[tuple[type, ...]] = (Candidates, Box)

    def __post_init__(self) -> None:
        for name in ("batch_size", "initial", "uniform"):
            whole_number(name, getattr(self, name))
        positive_number("noise_sd", self.noise_sd)
        checked_horizon(self.horizon)
        if self.rule not in RULES:
            raise ParameterError("rule", f"got {self.rule!r}", f"one of {', '.join(RULES)}")
        self.batch_width()

    def batch_width(self) -> BatchWidth:
        """The width as these rules take it."""
        if isinstance(self.width, PublishedWidth) or self.width is draws_width:
            return self.width
        return without_gain(self.width, "a batch rule")

    def chosen(self) -> Rule:
        """The rule."""
        rules: dict[str, Rule] = {
            "ts-rsr": TSRSR(),
            "bucb": BUCB(self.batch_width()),
            "ucbpe": UCBPE(self.batch_width()),
            "ts": BatchTS(),
            "sp": StochasticPolicy(initial=self.initial),
            "qei": BelieverEI(),
            "ei-mean": MeanEI(),
            "dpp-ts": DPPTS(),
            "random": RandomSearch(),
        }
        return rules[self.rule]

    def player(self, problem: Any, seed: int) -> IndexPlayer | PointPlayer:
        """The policy; the stream ``design`` draws the first points, ``rule`` and ``candidates`` the rest."""
        if isinstance(problem, Box):
            return self._on_box(problem, seed)
        policy = FinitePolicy(
            self.chosen(),
            problem.covariance,
            prior_draws(problem),
            problem.noise_sd**2,
            self.batch_size,
            stream(seed, "rule"),
            stream(seed, "design").integers(problem.size, size=self.initial),
            capacity=self.horizon or 64,
        )
        return IndexPlayer(policy)

    def _on_box(self, problem: Box, seed: int) -> PointPlayer:
        policy = BoxPolicyByRule(
            self.chosen(),
            SurrogateModel(scaled_kernel(problem.kernel, problem.high - problem.low), self.noise_sd),
            np.zeros(problem.dim),
            np.ones(problem.dim),
            self.batch_size,
            stream(seed, "design").uniform(size=(self.initial, problem.dim)),
            Streams(seed, ()),
            CandidateSearch(uniform=self.uniform),
        )
        return PointPlayer(policy, problem.low, problem.high)


@dataclass(frozen=True)
class BUCBOptimiser(TSRSROptimiser):
    """B-UCB: :class:`TSRSROptimiser` with the rule ``bucb``, and its other settings."""

    rule: str = "bucb"
    name: ClassVar[str] = "bucb"


@dataclass(frozen=True)
class ThompsonOptimiser(TSRSROptimiser):
    """Thompson sampling in batches: :class:`TSRSROptimiser` with the rule ``ts``, and its other settings."""

    rule: str = "ts"
    name: ClassVar[str] = "ts"


@dataclass(frozen=True)
class ImprovementOptimiser(TSRSROptimiser):
    """Expected improvement with believed values: :class:`TSRSROptimiser` with the rule ``qei``, and its other settings.

    The incumbent is the largest value observed, which noise makes too large; :class:`MeanImprovementOptimiser` does without.
    """

    rule: str = "qei"
    name: ClassVar[str] = "ei"


@dataclass(frozen=True)
class MeanImprovementOptimiser(TSRSROptimiser):
    """Expected improvement on the largest posterior mean: :class:`TSRSROptimiser` with the rule ``ei-mean``."""

    rule: str = "ei-mean"
    name: ClassVar[str] = "ei-mean"


@dataclass(frozen=True)
class ExplorationOptimiser(TSRSROptimiser):
    """UCB-PE, one optimistic point a batch and exploring ones: :class:`TSRSROptimiser` with the rule ``ucbpe``."""

    rule: str = "ucbpe"
    name: ClassVar[str] = "ucb-pe"


@dataclass(frozen=True)
class BoxUCBOptimiser(TSRSROptimiser):
    """GP-UCB on a box: B-UCB, :class:`TSRSROptimiser` with the rule ``bucb``, in batches of one.

    On candidates the same name starts :class:`~companion.policies.GPUCBOptimiser`, which needs no design.
    """

    batch_size: int = 1
    rule: str = "bucb"
    name: ClassVar[str] = "gp-ucb"
    problem_type: ClassVar[tuple[type, ...]] = (Box,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.batch_size, self.rule) != (1, "bucb"):
            got = f"got {self.batch_size} with the rule {self.rule!r}"
            raise ParameterError(
                "batch_size", got, "both left out: gp-ucb asks one point at a time", "The method 'bucb' has batches"
            )


def prior_draws(problem: Candidates) -> PriorDraws:
    """Draws of the prior on the candidates, whether a kernel or a matrix is given."""
    if isinstance(problem.kernel, KERNELS):
        return PriorDraws.on_points(problem.kernel, problem.points)
    covariance = problem.covariance
    shifts = [jitter * float(covariance.diagonal().max()) for jitter in DRAW_JITTERS]
    failure = f"kernel: the covariance of {problem.size} points is not positive definite"
    root, place = first_factor(covariance, shifts, failure)
    return PriorDraws((root,), DRAW_JITTERS[place])


OPTIMISERS: tuple[type[Optimiser], ...] = (
    TSRSROptimiser,
    BUCBOptimiser,
    ThompsonOptimiser,
    ImprovementOptimiser,
    MeanImprovementOptimiser,
    ExplorationOptimiser,
    BoxUCBOptimiser,
)
