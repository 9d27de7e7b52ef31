r"""The trivial line: the most that an evaluation can cost, known without any run. A bound says something where it is below.

Every page, table and command that compares a bound with it takes it from here. What f is decides about it:

- f is a draw of the prior: :func:`prior_range`, the mean of :math:`\max f-\min f`;
- f has norm at most :math:`\Psi`: :math:`\Psi` times :func:`norm_range`;
- a law is played, and the payoff averaged under it, as in a mean-field game: :func:`prior_range` of the averages;
- f is known, as in a simulation: its own :math:`\max f-\min f`, whose mean over draws is :func:`prior_range`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit
from scipy.stats import qmc

from companion.bounds.ranges import any_prior_range as any_prior_range
from companion.bounds.ranges import norm_range as norm_range
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp.kernels import Kernel
from companion.gp.matrix import KernelMatrix
from companion.gp.ties import lowest_argmax

SCRAMBLES, POINTS = 8, 2**12
"""Independent scramblings of a Sobol sequence, and points of each; fewer for many candidates, so that it takes seconds."""
_WORK = 2e10
_NEGLIGIBLE = 1e-10
"""Prior variance, as a share of the largest, that changes no digit of a range."""


@dataclass(frozen=True)
class Line:
    """A mean range with its interval of level 95 %, by Student's t over the scramblings; in units of f."""

    estimate: float
    low: float
    high: float


def prior_range(covariance: Floats, seed: int = 0) -> Line:
    r""":math:`\mathbb E[\max f-\min f]` over the candidates for a draw f of the prior, to about three digits.

    No rule can lose more in expectation. Scrambled Sobol points take the place of random numbers, which needs some hundred times
    fewer of them. At most :math:`\sqrt{8\log N}` for unit variances, whatever the kernel (:func:`any_prior_range`).

    Parameters
    ----------
    covariance : (N, N)
    seed : of the scramblings

    Examples
    --------
    >>> found = prior_range(np.eye(2))  # two arms: 2 / sqrt(pi)
    >>> f"{found.estimate:.3f}"
    '1.128'
    """
    matrix = np.ascontiguousarray(covariance, dtype=np.float64)
    return _prior_range(matrix.tobytes(), len(matrix), seed)


def lines(covariance: Floats, norm: float | None = None) -> dict[str, float]:
    """The line an evaluation by what f is: ``prior`` draws, or functions of the ``norm``; NaN where the norm is not known."""
    of_norm = math.nan if norm is None else norm * norm_range(covariance)
    return {"prior": prior_range(covariance).estimate, "norm": of_norm}


def lines_of_many(matrix: KernelMatrix, norm: float | None = None) -> dict[str, float]:
    r""":func:`lines` from above and in closed form, for more candidates than a matrix is formed of.

    For draws :func:`any_prior_range` times the prior's standard deviation; for a norm the distance in the kernel of two corners
    of the box that the candidates fill.
    """
    low, high = matrix.points.min(axis=0)[None], matrix.points.max(axis=0)[None]
    corners = math.nan if norm is None else norm * norm_range(matrix.kernel(np.concatenate([low, high])))
    return {"prior": math.sqrt(float(matrix.diagonal().max())) * any_prior_range(len(matrix.points)), "norm": corners}


def lines_of_box(kernel: Kernel, dim: int, norm: float | None = None) -> dict[str, float]:
    r""":func:`lines` for all points of [0,1]^d, in closed form.

    For a norm exactly: it is the distance in the kernel of two opposite corners. For draws an upper end by chaining. Cells of side
    :math:`2^{-j}` have :math:`2^{jd}` centres, and :math:`s_j` is the distance in the kernel of one of them and that of the cell
    around it. Paths are continuous, and the mean of the largest of n Gaussian variables is at most their largest standard
    deviation times :math:`\sqrt{2\log n}`, so that

    .. math:: \mathbb E[\max f-\min f]\le\sigma_0\sqrt{8\log2^{id}}+\sum_{j>i}s_j\sqrt{8\log2^{jd}}

    for every i, of which the best is taken; :math:`\sigma_0^2=k(x,x)`.
    """
    ends, steps = np.array([np.zeros(dim), np.ones(dim)]), list[float]()
    while not steps or steps[-1] > 1e-7 * sum(steps):
        steps.append(norm_range(kernel(ends / 2.0 ** (len(steps) + 2))) * _range_at(len(steps) + 1, dim))
    # Each level left out is at most 0.73 of the one before: the root of one half, for the roughest kernel, and the factor of j.
    finer = np.append(np.cumsum(steps[::-1])[::-1], 0.0) + 4.0 * steps[-1]
    sd = math.sqrt(float(kernel.variance))
    prior = min(sd * _range_at(level, dim) + float(rest) for level, rest in enumerate(finer))
    return {"prior": prior, "norm": math.nan if norm is None else norm * norm_range(kernel(ends))}


def _range_at(level: int, dim: int) -> float:
    return math.sqrt(8.0 * level * dim * math.log(2.0))


@lru_cache(maxsize=64)
def _prior_range(content: bytes, size: int, seed: int) -> Line:
    columns = _root(np.frombuffer(content).reshape(size, size))
    if not len(columns):
        return Line(0.0, 0.0, 0.0)
    affordable = _WORK / SCRAMBLES / columns.size
    count = min(POINTS, 2 ** max(7, int(math.log2(affordable))))
    means = []
    for part in range(SCRAMBLES):
        sobol = qmc.Sobol(len(columns), rng=stream(seed, "trivial line", part))
        # A point on the edge of the cube would be an infinite draw.
        normal = ndtri(np.clip(sobol.random(count), 1e-12, 1.0 - 1e-12))
        functions = normal @ columns
        means.append(float((functions.max(axis=1) - functions.min(axis=1)).mean()))
    mean = float(np.mean(means))
    half = float(stdtrit(SCRAMBLES - 1, 0.975)) * float(np.std(means, ddof=1)) / math.sqrt(SCRAMBLES)
    return Line(mean, mean - half, mean + half)


def _root(covariance: Floats) -> Floats:
    """(R, N) rows whose products add up to the covariance, the weightiest first: Cholesky's, pivoting on the largest variance.

    Ties go to the lowest index, where an eigendecomposition would leave the choice to the linear-algebra library.
    """
    left = np.array(np.diagonal(covariance))
    least, rows = _NEGLIGIBLE * float(left.max(initial=0.0)), np.empty((len(left), len(left)))
    for k in range(len(left)):
        at = lowest_argmax(left)
        if left[at] <= least:
            return rows[:k]
        rows[k] = (covariance[at] - rows[:k, at] @ rows[:k]) / math.sqrt(left[at])
        left = np.maximum(left - rows[k] ** 2, 0.0)
        left[at] = 0.0
    return rows


def horizon(values: ArrayLike, level: float, tried: Sequence[int]) -> float:
    """The first horizon from which on a bound stays below a level; infinite where there is none among those tried.

    Parameters
    ----------
    values : the bound, or the bound an evaluation, at every horizon; NaN, where it is not stated, is not below
    level : same unit
    tried : the horizons, increasing
    """
    above = np.flatnonzero(~(np.asarray(values) < level))
    first = int(above[-1]) + 1 if above.size else 0
    return float(tried[first]) if first < len(tried) else math.inf
