"""One rule for ties: the lowest index wins among values that differ by rounding only.

Values that are equal in exact arithmetic, as on a symmetric grid, differ by rounding, and an exact comparison would make
designs and runs depend on the linear-algebra library. Values count as equal to the best one when they differ from it by at
most :data:`TOLERANCE` of its magnitude: of the best, since a ratio to a tiny standard deviation may be as large as it likes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Indices

TOLERANCE = 1e-9


def lowest_argmax(values: ArrayLike) -> int:
    """Lowest index whose value is the largest, up to :data:`TOLERANCE`."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        return int(lowest_argmaxes(array))
    # The usual case, called at every pick of every run: plain numbers cost a third of what arrays of one number do.
    best = array.max()
    margin = TOLERANCE * abs(best) if math.isfinite(best) else 0.0
    return int((array >= best - margin).argmax())


def lowest_argmin(values: ArrayLike) -> int:
    """Lowest index whose value is the smallest, up to :data:`TOLERANCE`."""
    return lowest_argmax(-np.asarray(values, dtype=np.float64))


def lowest_argmaxes(values: ArrayLike) -> Indices:
    """(...) the same of every row of ``values`` (..., N)."""
    array = np.asarray(values, dtype=np.float64)
    best = array.max(axis=-1, keepdims=True)
    return np.asarray(np.argmax(array >= best - np.where(np.isfinite(best), TOLERANCE * np.abs(best), 0.0), axis=-1))


def lowest_argmins(values: ArrayLike) -> Indices:
    """(...) the same of every row of ``values`` (..., N)."""
    return lowest_argmaxes(-np.asarray(values, dtype=np.float64))
