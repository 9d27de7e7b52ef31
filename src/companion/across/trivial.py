"""What no rule can lose more than, an evaluation: the trivial bound, as small as it can be had without learning."""

from __future__ import annotations

import math

import numpy as np

from companion.arrays import Floats
from companion.randomness import stream
from companion.reproduce.intervals import Interval, mean_interval

DRAWS = 20_000
"""Functions behind a mean range; fewer for many candidates, so that it stays a matter of seconds."""
_AT_ONCE, _WORK = 2_000, 2e10


def norm_range(covariance: Floats) -> float:
    r""":math:`\max_{x,y}\sqrt{k(x,x)+k(y,y)-2k(x,y)}`: times the norm, the largest range of a function of that norm.

    For a function in the kernel's space :math:`f(x)-f(y)=\langle f,k_x-k_y\rangle\le\|f\|\,\|k_x-k_y\|`, with equality for the
    difference of the two itself, scaled. At most 2 for unit variances, and the root of 2 where k is not negative.
    """
    variances = np.diagonal(covariance)
    squares = variances[:, None] + variances[None, :] - 2.0 * covariance
    return math.sqrt(max(0.0, float(squares.max())))


def prior_range(covariance: Floats, draws: int | None = None, seed: int = 0) -> Interval:
    r""":math:`\mathbb E[\max f-\min f]` over the candidates for a draw f of the prior, simulated, with its interval.

    No rule can lose more in expectation; the standard error is half a per cent or so.

    Parameters
    ----------
    covariance : (N, N)
    draws : by default 20,000, fewer where there are many candidates
    seed : of the draws
    """
    size = len(covariance)
    count = draws or int(np.clip(_WORK / size**2, 1000, DRAWS))
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    # Directions without variance to speak of cost time and change nothing.
    root = root[:, values > 1e-12 * values.max()]
    generator, ranges = stream(seed, "across", "range"), []
    for start in range(0, count, _AT_ONCE):
        normal = generator.standard_normal((min(_AT_ONCE, count - start), root.shape[1]))
        functions = normal @ root.T
        ranges.append(functions.max(axis=1) - functions.min(axis=1))
    return mean_interval(np.concatenate(ranges))
