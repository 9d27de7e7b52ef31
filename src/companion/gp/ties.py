"""One rule for ties: the lowest index wins among values that differ by rounding only.

Values that are equal in exact arithmetic, as on a symmetric grid, differ by rounding, and an exact comparison would make
designs and runs depend on the linear-algebra library. Values count as equal to the best one when they differ from it by at
most :data:`TOLERANCE` of its magnitude: of the best, since a ratio to a tiny standard deviation may be as large as it likes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from companion.arrays import Indices

TOLERANCE = 1e-9


def lowest_argmax(values: ArrayLike) -> int:
    """Lowest index whose value is the largest, up to :data:`TOLERANCE`."""
    return int(lowest_argmaxes(values))


def lowest_argmin(values: ArrayLike) -> int:
    """Lowest index whose value is the smallest, up to :data:`TOLERANCE`."""
    return int(lowest_argmins(values))


def lowest_argmaxes(values: ArrayLike) -> Indices:
    """(...) the same of every row of ``values`` (..., N)."""
    array = np.asarray(values, dtype=np.float64)
    best = array.max(axis=-1, keepdims=True)
    return np.asarray(np.argmax(array >= best - np.where(np.isfinite(best), TOLERANCE * np.abs(best), 0.0), axis=-1))


def lowest_argmins(values: ArrayLike) -> Indices:
    """(...) the same of every row of ``values`` (..., N)."""
    return lowest_argmaxes(-np.asarray(values, dtype=np.float64))
