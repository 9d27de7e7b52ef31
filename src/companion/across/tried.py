"""Numbers of evaluations at which bounds are compared with the trivial one, and what is read off there."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from companion.arrays import Floats

FARTHEST, PER_DECADE = 6, 8
HORIZONS = tuple(sorted({round(10 ** (k / PER_DECADE)) for k in range(FARTHEST * PER_DECADE + 1)}))
"""Eight a decade, up to a million."""


def gain_at(curve: Floats, points: float, tried: Sequence[int] = HORIZONS) -> float:
    """An upper end for so many points: that of the next horizon, since the gain does not fall with the number of points."""
    return float(curve[np.searchsorted(tried, points)])


def horizon(values: ArrayLike, level: float, tried: Sequence[int] = HORIZONS) -> float:
    """The first horizon from which on a bound stays below a level; infinite where there is none among those tried.

    Parameters
    ----------
    values : the bound at every horizon; NaN, where it is not stated, is not below
    level : same unit
    tried : the horizons, increasing
    """
    above = np.flatnonzero(~(np.asarray(values) < level))
    first = int(above[-1]) + 1 if above.size else 0
    return float(tried[first]) if first < len(tried) else math.inf
