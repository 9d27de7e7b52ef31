"""Batched pure exploration on candidates of your own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from companion.bounds.confidence import FixedBeta
from companion.core.errors import ParameterError, whole_number
from companion.papers.batched.method.policy import BPE, RobustBPE
from companion.papers.batched.method.sizes import original_sizes
from companion.policies import Optimiser, Width, scheduled
from companion.policies.optimisers import displaced
from companion.policies.players import IndexPlayer
from companion.problems import Candidates


class BatchPlayer(IndexPlayer):
    """BPE or its robust form, whose posterior is that of the last batch, on the points that the batch modelled."""

    policy: BPE

    def posterior_mean(self, recommended: int) -> float | None:
        """Of a candidate after the last batch."""
        last = self.policy.history[-1]
        return float(last.mean[np.searchsorted(last.modelled, recommended)])


@dataclass(frozen=True)
class BPEOptimiser(Optimiser):
    """BPE, Algorithm 2: a few large batches, each on its own posterior.

    :class:`~companion.papers.batched.method.policy.BPE` on candidates.

    Parameters
    ----------
    horizon : T, evaluations in all, at least 2; the batch sizes need it
    sizes : N_1..N_B, whose sum is the horizon; by default the rule (5), N_i = ceil(sqrt(T N_{i-1}))
    width : multiplier of the posterior standard deviation, in any form of :mod:`companion.policies.widths`; by default the
        experiments' fixed sqrt(2)

    Examples
    --------
    >>> import numpy as np
    >>> from companion.gp import Matern
    >>> problem = Candidates(np.linspace(0, 1, 5), Matern(2.5, 0.3), noise_sd=0.1)
    >>> session = BPEOptimiser(horizon=12).for_problem(problem, seed=0)
    >>> session.ask()
    array([0, 4, 2, 1])
    """

    horizon: int
    sizes: tuple[int, ...] | None = None
    width: Width = field(default_factory=FixedBeta)
    name: ClassVar[str] = "bpe"
    problem_type: ClassVar[tuple[type, ...]] = (Candidates,)

    def __post_init__(self) -> None:
        whole_number("horizon", self.horizon, 2)
        scheduled(self.width)
        if self.sizes is not None:
            object.__setattr__(self, "sizes", tuple(whole_number("sizes", size) for size in self.sizes))
        if sum(self.batches()) != self.horizon:
            got = f"add up to {sum(self.batches())}"
            raise ParameterError("sizes", got, f"batch sizes that add up to the horizon {self.horizon}")

    def batches(self) -> tuple[int, ...]:
        """N_1..N_B."""
        return original_sizes(self.horizon) if self.sizes is None else self.sizes

    def player(self, problem: Any, seed: int) -> BatchPlayer:
        """The policy; it draws nothing."""
        return BatchPlayer(BPE(problem.covariance, problem.noise_sd**2, self.batches(), self.width))


@dataclass(frozen=True)
class RobustBPEOptimiser(BPEOptimiser):
    """Robust-BPE, Algorithm 1, on candidates that may be displaced.

    :class:`~companion.papers.batched.method.policy.RobustBPE` with its default readings.

    What is asked is the displaced point, what is recommended the point that is best against displacement.

    Parameters
    ----------
    horizon, sizes, width : as for :class:`BPEOptimiser`

    Examples
    --------
    >>> import numpy as np
    >>> from companion.gp import Matern
    >>> from companion.problems import ball_neighbours
    >>> points = np.linspace(0, 1, 5)[:, None]
    >>> problem = Candidates(points, Matern(2.5, 0.3), noise_sd=0.1, neighbours=ball_neighbours(points, 0.25))
    >>> RobustBPEOptimiser(horizon=12).for_problem(problem, seed=0).ask()
    array([0, 4, 2, 1])
    """

    name: ClassVar[str] = "robust-bpe"
    robust: ClassVar[bool] = True

    def player(self, problem: Any, seed: int) -> BatchPlayer:
        """The policy; it draws nothing."""
        neighbours = displaced(problem)
        return BatchPlayer(RobustBPE(problem.covariance, problem.noise_sd**2, self.batches(), self.width, neighbours))


OPTIMISERS: tuple[type[Optimiser], ...] = (BPEOptimiser, RobustBPEOptimiser)
