"""What several checks of the proof share: errors of means, and the worst of many instances."""

from __future__ import annotations

import math

import numpy as np

from companion.arrays import Floats
from companion.checks.cases import ROUNDING, Case

TITLES = {"se": "SE", "matern12": "Matérn 1/2", "matern32": "Matérn 3/2", "matern52": "Matérn 5/2"}

ERRORS = 4.0
"""Means of the same expectation differ by more standard errors with probability 6e-5."""


def standard_error(sample: Floats) -> float:
    """Of the mean of independent draws (n,)."""
    return float(np.std(sample, ddof=1) / math.sqrt(len(sample)))


def worst(lhs: Floats, rhs: Floats, where: str, tolerance: float = ROUNDING) -> Case:
    """``lhs <= rhs`` entry by entry: the sides with the largest excess, and how many entries violate it.

    Both have the same shape; ``tolerance`` is relative to the larger magnitude of the two.
    """
    left, right = (np.ravel(side) for side in np.broadcast_arrays(lhs, rhs))
    excess = left - right
    failures = int(np.sum(excess > tolerance * np.maximum(np.abs(left), np.abs(right))))
    at = int(np.argmax(excess))
    text = f"{where}, worst of {len(left)}"
    return Case(text, float(left[at]), float(right[at]), failures == 0, trials=len(left), failures=failures)
