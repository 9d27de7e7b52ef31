"""The certificate on three instances that differ in what they ask of it: which upper bound is the smallest, and how close."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from companion.core.arrays import Floats
from companion.gp.kernels import Matern, SquaredExponential
from companion.gp.sampling import grid
from companion.information.gain_bounds import GainBracket, gain_bracket

#: Numbers of evaluations at which the ends are computed.
HORIZONS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 400, 1000)


@dataclass(frozen=True, eq=False)
class Instance:
    """Candidates with their prior, and the certified ends at :data:`HORIZONS`.

    Attributes
    ----------
    name : of the kernel and the candidates
    covariance : (N, N) prior covariance, with unit variances
    noise : standard deviation of the observation noise
    brackets : one a horizon
    """

    name: str
    covariance: Floats
    noise: float
    brackets: tuple[GainBracket, ...]


@lru_cache(maxsize=1)
def instances() -> tuple[Instance, ...]:
    """A smooth kernel on a line, a rough one on a square, and arms that say nothing about each other."""
    cases = (
        ("squared exponential, line", SquaredExponential(0.2)(grid(50, 1)), 1.0),
        ("Matérn 3/2, square", Matern(1.5, 0.2)(grid(10, 2)), 0.1),
        ("independent arms", np.eye(40), 1.0),
    )
    return tuple(
        Instance(name, covariance, noise, tuple(gain_bracket(covariance, t, noise**2) for t in HORIZONS))
        for name, covariance, noise in cases
    )
