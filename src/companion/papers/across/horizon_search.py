"""Numbers of evaluations at which bounds are compared with the trivial line."""

from __future__ import annotations

FARTHEST, PER_DECADE = 6, 8
#: Eight a decade, up to a million.
HORIZONS = tuple(sorted({round(10 ** (k / PER_DECADE)) for k in range(FARTHEST * PER_DECADE + 1)}))
