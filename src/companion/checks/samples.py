"""Cases from arrays, one entry a run or a place: the worst of them, frequencies, and means of samples."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from companion.checks.cases import ROUNDING, Case, probability
from companion.core.arrays import Flags, Floats

#: An expectation is refuted when its estimate is off by more standard errors: chance 0.0013 for a true one.
STANDARD_ERRORS = 3.0


def worst(lhs: ArrayLike, rhs: ArrayLike, where: str, tolerance: float = ROUNDING) -> Case:
    """``lhs <= rhs`` everywhere: sides of the place with the largest excess, violations counted over all.

    The tolerance is relative to the larger magnitude of the two.
    """
    left, right = (np.ravel(side) for side in np.broadcast_arrays(np.asarray(lhs, float), np.asarray(rhs, float)))
    excess = left - right
    failures = int(np.sum(excess > tolerance * np.maximum(np.abs(left), np.abs(right))))
    at = int(np.argmax(excess))
    return Case(where, float(left[at]), float(right[at]), failures == 0, trials=len(left), failures=failures)


def on_event(lhs: ArrayLike, rhs: ArrayLike, inside: Flags, where: str) -> Iterator[Case]:
    """:func:`worst` over the runs of an event; nothing if there is none."""
    left, right = np.broadcast_arrays(np.asarray(lhs, float), np.asarray(rhs, float))
    if inside.any():
        yield worst(left[inside], right[inside], f"{where}, on the event")


def frequency(lhs: ArrayLike, rhs: ArrayLike, delta: float, where: str) -> Case:
    """``P(lhs <= rhs) >= 1 - delta``, from one pair a run."""
    failed = np.asarray(lhs, float) > np.asarray(rhs, float) * (1 + ROUNDING)
    return probability(int(np.sum(failed)), len(failed), delta, where)


def standard_error(sample: Floats) -> float:
    """Of the mean of independent numbers."""
    return float(np.std(sample, ddof=1) / math.sqrt(len(sample)))


def expectation(sample: Floats, rhs: float, where: str) -> Case:
    """``E sample <= rhs``, refuted when the mean exceeds it by more than :data:`STANDARD_ERRORS`; the left side is the mean."""
    mean, error = float(np.mean(sample)), standard_error(sample)
    holds = mean - STANDARD_ERRORS * error <= rhs
    return Case(f"{where}, standard error {error:.2g}", mean, float(rhs), holds, failures=int(not holds))
