"""The baselines that several chapters share, ready to be started on candidates of your own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from companion.core.errors import ParameterError, whole_number
from companion.core.randomness import stream
from companion.policies.players import IndexPlayer
from companion.policies.random import UniformRandom
from companion.policies.session import Optimiser
from companion.policies.stableopt import StableOpt
from companion.policies.ucb import GPUCB
from companion.policies.widths import Width, scheduled
from companion.problems import Candidates


@dataclass(frozen=True)
class _ByWidth(Optimiser):
    """Settings of a method on candidates with a confidence width."""

    width: Width = 2.0
    horizon: int | None = None
    problem_type: ClassVar[tuple[type, ...]] = (Candidates,)

    def __post_init__(self) -> None:
        scheduled(self.width)
        checked_horizon(self.horizon)


@dataclass(frozen=True)
class GPUCBOptimiser(_ByWidth):
    """GP-UCB on candidates, one at a time: :class:`~companion.policies.GPUCB`.

    Parameters
    ----------
    width : multiplier of the posterior standard deviation, in any form of :mod:`companion.policies.widths`
    horizon : evaluations in all; ``None`` for no end

    Examples
    --------
    >>> import numpy as np
    >>> from companion.gp import Matern
    >>> problem = Candidates(np.linspace(0, 1, 5), Matern(2.5, 0.3), noise_sd=0.1)
    >>> GPUCBOptimiser(width=2.0).for_problem(problem, seed=0).ask()
    array([0])
    """

    name: ClassVar[str] = "gp-ucb"

    def player(self, problem: Any, seed: int) -> IndexPlayer:
        """The policy; it draws nothing."""
        return IndexPlayer(GPUCB(problem.covariance, problem.noise_sd**2, self.width, self.horizon or 64))


@dataclass(frozen=True)
class StableOptOptimiser(_ByWidth):
    """StableOpt on candidates that may be displaced: :class:`~companion.policies.StableOpt`.

    What is asked is the adversary's point, what is recommended the point that is best against it.

    Parameters
    ----------
    width : multiplier of the posterior standard deviation, in any form of :mod:`companion.policies.widths`
    horizon : evaluations in all; ``None`` for no end

    Examples
    --------
    >>> import numpy as np
    >>> from companion.gp import Matern
    >>> from companion.problems import ball_neighbours
    >>> points = np.linspace(0, 1, 5)[:, None]
    >>> problem = Candidates(points, Matern(2.5, 0.3), noise_sd=0.1, neighbours=ball_neighbours(points, 0.25))
    >>> StableOptOptimiser(width=2.0).for_problem(problem, seed=0).ask()
    array([0])
    """

    name: ClassVar[str] = "stableopt"
    robust: ClassVar[bool] = True

    def player(self, problem: Any, seed: int) -> IndexPlayer:
        """The policy; it draws nothing."""
        policy = StableOpt(problem.covariance, problem.noise_sd**2, self.width, displaced(problem), self.horizon or 64)
        return IndexPlayer(policy)


@dataclass(frozen=True)
class RandomOptimiser(Optimiser):
    """Candidates drawn uniformly: :class:`~companion.policies.UniformRandom`.

    Parameters
    ----------
    batch_size : candidates asked at once
    horizon : evaluations in all; ``None`` for no end

    Examples
    --------
    >>> import numpy as np
    >>> from companion.gp import Matern
    >>> problem = Candidates(np.linspace(0, 1, 5), Matern(2.5, 0.3), noise_sd=0.1)
    >>> len(RandomOptimiser(batch_size=3).for_problem(problem, seed=0).ask())
    3
    """

    batch_size: int = 1
    horizon: int | None = None
    name: ClassVar[str] = "random"
    problem_type: ClassVar[tuple[type, ...]] = (Candidates,)

    def __post_init__(self) -> None:
        whole_number("batch_size", self.batch_size)
        checked_horizon(self.horizon)

    def player(self, problem: Any, seed: int) -> IndexPlayer:
        """The policy, with the stream ``policy`` of the seed."""
        return IndexPlayer(UniformRandom(problem.size, stream(seed, "policy"), self.batch_size))


def checked_horizon(horizon: int | None) -> None:
    """ParameterError unless the horizon is ``None`` or a positive integer."""
    if horizon is not None:
        whole_number("horizon", horizon)


def displaced(problem: Candidates) -> Any:
    """The neighbours (N, N) of a problem; ParameterError where it has none."""
    if problem.neighbours is None:
        expected = "Candidates(..., neighbours=...), rows that mark where a point may be displaced to"
        raise ParameterError("neighbours", "are missing in the problem", expected)
    return problem.neighbours


OPTIMISERS: tuple[type[Optimiser], ...] = (GPUCBOptimiser, StableOptOptimiser, RandomOptimiser)
