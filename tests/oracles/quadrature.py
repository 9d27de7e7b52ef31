"""Integrals by Gauss and Legendre, to the digits of float64 and in one call for all nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

#: The longest number that NumPy has; on some machines float64, which the tolerances allow.
Real = np.longdouble
NODES, WEIGHTS = np.polynomial.legendre.leggauss(48)


def integral(
    h: Callable[[np.ndarray], np.ndarray], cuts: Iterable[float], low: float = 0.0, high: float = 1.0
) -> float:
    """Integral of ``h`` from ``low`` to ``high`` by 48 nodes in every piece; ``h`` is analytic between the cuts."""
    ends = np.array(sorted({low, high, *(cut for cut in cuts if low < cut < high)}), dtype=Real)
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    return float((half[:, None] * WEIGHTS * h(middle[:, None] + half[:, None] * NODES)).sum())
