"""The compressed bandit on candidates of your own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.core.arrays import Indices
from companion.core.errors import ExhaustedError, ParameterError, whole_number
from companion.core.randomness import stream
from companion.papers.compressed.method.admission import Admission, by_reading
from companion.papers.compressed.method.policy import ACQUISITIONS, CompressedBandit
from companion.policies import Optimiser, Width, scheduled
from companion.policies.optimisers import checked_horizon
from companion.policies.players import IndexPlayer
from companion.problems import Candidates

#: Rounds in a row without a point that is informative enough before the method is said to be at its end.
MOST_REJECTIONS = 100_000


class CompressedPlayer(IndexPlayer):
    """The policy without its rejected rounds: points with too little information are skipped and never asked.

    Parameters
    ----------
    policy : fresh
    admission : the policy's own rule
    most : rounds in a row without an informative point after which there is none
    """

    policy: CompressedBandit

    def __init__(self, policy: CompressedBandit, admission: Admission, most: int) -> None:
        super().__init__(policy)
        self._admission, self._begun, self._most = admission, False, most

    def add(self, points: Any, values: Any, plays: Sequence[Any]) -> None:
        """Keep earlier values, untested as the initial ones."""
        self._begun = self.policy.add(points, values) == 0

    def ask(self, remaining: int) -> Indices:
        """The initial points (n,), then one candidate at a time."""
        for _ in range(self._most):
            asked = self.policy.ask(remaining).query
            first, self._begun = not self._begun, True  # the initial points are kept untested
            if first or self._admission.admits(float(self.policy.posterior.variance[0, asked[0]])):
                return asked
            self.policy.tell(np.zeros(1))  # the value of a rejected point is ignored
        raise ExhaustedError(
            "no candidate is informative enough any more: the model stays as it is, and recommend() is final"
        )


@dataclass(frozen=True)
class CompressedOptimiser(Optimiser):
    """Algorithm 1: UCB, EI or MPI on a model of informative points only.

    :class:`~companion.papers.compressed.method.policy.CompressedBandit` without its rejected rounds.

    A point that is not informative enough is passed over: it is never asked, and does not count against the horizon.

    Parameters
    ----------
    epsilon : information in nats that an observation has to bring, at least 0
    acquisition : ``ucb``, ``ei`` or ``mpi``
    width : multiplier of the posterior standard deviation under ``ucb``, in any form of :mod:`companion.policies.widths`; by
        default sqrt(beta_t) of Lemma 8.1 with the failure probability ``delta``
    delta : in (0, 1)
    initial : points drawn uniformly without replacement, asked first and together, and kept untested
    reading : ``info``, the paper's rule (2.12), or another of :data:`~companion.papers.compressed.method.admission.READINGS`
    horizon : evaluations in all; ``None`` for no end

    Examples
    --------
    >>> import numpy as np
    >>> from companion.gp import Matern
    >>> problem = Candidates(np.linspace(0, 1, 5), Matern(2.5, 0.3), noise_sd=0.1)
    >>> session = CompressedOptimiser(epsilon=0.1, initial=2).for_problem(problem, seed=0)
    >>> len(session.ask())
    2
    """

    epsilon: float = 0.01
    acquisition: str = "ucb"
    width: Width | None = None
    delta: float = 0.1
    initial: int = 5
    reading: str = "info"
    horizon: int | None = None
    name: ClassVar[str] = "compressed"
    problem_type: ClassVar[tuple[type, ...]] = (Candidates,)

    def __post_init__(self) -> None:
        checked_horizon(self.horizon)
        whole_number("initial", self.initial, 1)
        if self.acquisition not in ACQUISITIONS:
            raise ParameterError("acquisition", f"got {self.acquisition!r}", f"one of {', '.join(ACQUISITIONS)}")
        if self.width is not None:
            scheduled(self.width)
        by_reading(self.reading, self.epsilon, 1.0)
        SrinivasDrawsWidth(1, self.delta)

    def player(self, problem: Any, seed: int) -> CompressedPlayer:
        """The policy; the stream ``design`` of the seed draws the initial points."""
        if self.initial > problem.size:
            raise ParameterError("initial", f"is {self.initial}", f"at most the number of candidates, {problem.size}")
        design = stream(seed, "design").choice(problem.size, self.initial, replace=False)
        variance = problem.noise_sd**2
        admission = by_reading(self.reading, self.epsilon, variance)
        policy = CompressedBandit(
            problem.covariance,
            variance,
            self.acquisition,
            admission,
            SrinivasDrawsWidth(problem.size, self.delta) if self.width is None else self.width,
            design,
            self.horizon or 64,
        )
        # Under ei and mpi a rejection changes nothing, and the same point is rejected for ever.
        return CompressedPlayer(policy, admission, MOST_REJECTIONS if self.acquisition == "ucb" else 1)


OPTIMISERS: tuple[type[Optimiser], ...] = (CompressedOptimiser,)
