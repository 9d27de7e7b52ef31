"""Wasserstein distances of laws on a line, and of samples from the law that they come from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from companion.core.errors import ParameterError
from companion.papers.wdrbo.problems.laws import ContextLaw, Marginal

#: Points of the trapezoidal rule for |F - G|, whose error is of the order of the squared spacing.
FINE = 200_001
#: Midpoints within each of a sample's n cells of probability 1 / n.
CELLS = 64
#: Low-discrepancy points that stand for a law of several coordinates.
REFERENCE = 512


def law_distance(first: Marginal, second: Marginal) -> float:
    r""":math:`W_1(P,Q)=\int|F-G|`, for laws on bounded intervals."""
    grid = np.linspace(min(first.low, second.low), max(first.high, second.high), FINE)
    return float(np.trapezoid(np.abs(first.distribution(grid) - second.distribution(grid)), grid))


def sample_distance(sample: ArrayLike, law: Marginal) -> float:
    r""":math:`W_1(\hat P_n,P)=\sum_i\int_{(i-1)/n}^{i/n}|c_{(i)}-F^{-1}(u)|du` of a sample (n,) of one coordinate."""
    ordered = np.sort(np.asarray(sample, dtype=np.float64))
    u = (np.arange(CELLS * len(ordered)) + 0.5) / (CELLS * len(ordered))
    return float(np.abs(np.repeat(ordered, CELLS) - law.quantile(u)).mean())


def sample_distance_in_space(sample: ArrayLike, law: ContextLaw) -> float:
    """W_1 of a sample (n, d_c), n a divisor of 512, from 512 low-discrepancy quantiles of its law; exact assignment.

    Raises
    ------
    ParameterError
        for another n
    """
    points = np.asarray(sample, dtype=np.float64)
    if points.ndim != 2 or REFERENCE % len(points):
        raise ParameterError("sample", f"has shape {points.shape}", f"(n, d_c) with n a divisor of {REFERENCE}")
    from scipy.stats import qmc  # a third of a second, which naming what can be run need not cost

    # Scrambling would draw; the shift by half a cell keeps the points inside and their discrepancy low.
    u = qmc.Sobol(law.dim, scramble=False).random(REFERENCE) + 0.5 / REFERENCE
    cost = cdist(np.repeat(points, REFERENCE // len(points), axis=0), law.quantile(u))
    rows, columns = linear_sum_assignment(cost)
    return float(cost[rows, columns].mean())
