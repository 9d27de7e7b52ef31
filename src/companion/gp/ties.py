"""One rule for ties: the lowest index wins among values that differ by rounding only.

Values that are equal in exact arithmetic, as on a symmetric grid, differ by rounding, and an exact comparison would make
designs and runs depend on the linear-algebra library. Values count as equal to the best one when they differ from it by at
most :data:`TOLERANCE` of its magnitude: of the best, since a ratio to a tiny standard deviation may be as large as it likes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

TOLERANCE = 1e-9


def lowest_argmax(values: ArrayLike) -> int:
    """Lowest index whose value is the largest, up to :data:`TOLERANCE`."""
    array = np.asarray(values, dtype=np.float64)
    best = float(array.max())
    return int(np.argmax(array >= best - (TOLERANCE * abs(best) if math.isfinite(best) else 0.0)))


def lowest_argmin(values: ArrayLike) -> int:
    """Lowest index whose value is the smallest, up to :data:`TOLERANCE`."""
    return lowest_argmax(-np.asarray(values, dtype=np.float64))
