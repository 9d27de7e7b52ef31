"""Regret of a sequence of evaluations.

With nb[x] the points x may be displaced to (only x itself when the problem has no neighbourhood relation), the
instantaneous regret of charging x is

    r(x) = max_u min_{u' in nb[u]} f(u') - min_{x' in nb[x]} f(x'),

that is max f - f(x) in the ordinary setting. Regret is per evaluation, in order of evaluation, and never noisy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.problems import FiniteProblem


def instantaneous_regret(problem: FiniteProblem, charged: ArrayLike) -> Floats:
    """Regret (T,) of the charged points (T,), in the units of f; never negative.

    Raises
    ------
    ParameterError
        if an index is not a point of the problem
    """
    indices = np.asarray(charged)
    if indices.size and not (indices.min() >= 0 and indices.max() < problem.size):
        raise ParameterError("charged", f"has an index outside 0..{problem.size - 1}", "points of the problem")
    return problem.robust_regret[indices]


def cumulative_regret(instantaneous: ArrayLike) -> Floats:
    """R_t = r_1 + ... + r_t, shape (T,)."""
    return np.cumsum(np.asarray(instantaneous, dtype=np.float64))


def simple_regret(instantaneous: ArrayLike) -> Floats:
    """S_t = min over s <= t of r_s, shape (T,): the regret of the best evaluation so far, in hindsight."""
    return np.minimum.accumulate(np.asarray(instantaneous, dtype=np.float64))
