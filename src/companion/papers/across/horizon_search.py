"""Numbers of evaluations at which bounds are compared with the trivial line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.core.arrays import Floats

FARTHEST, PER_DECADE = 6, 8
HORIZONS = tuple(sorted({round(10 ** (k / PER_DECADE)) for k in range(FARTHEST * PER_DECADE + 1)}))
"""Eight a decade, up to a million."""


def gain_at(curve: Floats, points: float, tried: Sequence[int] = HORIZONS) -> float:
    """An upper end for so many points: that of the next horizon, since the gain does not fall with the number of points."""
    return float(curve[np.searchsorted(tried, points)])
