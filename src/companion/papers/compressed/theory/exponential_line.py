"""The exponential kernel on an interval, where the printed rate of the model order is too small: one instance for all.

The chapter and the lead on the rate look at the same runs, so that a number has one value wherever it is shown.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from companion.core.randomness import stream
from companion.gp import Matern, grid
from companion.gp.factor import draw_root
from companion.papers.compressed.theory.order import FrozenRun, ucb_to_the_end

#: Length-scale, and noise variance.
LINE_SCALE, LINE_NOISE = 0.25, 0.25
LINE_KERNEL = Matern(0.5, LINE_SCALE)
#: Candidates of pure exploration, and of UCB.
EXPLORED_POINTS, LINE_POINTS = 801, 300
#: Failure probability delta in the widths of UCB.
CONFIDENCE = 0.1


@cache
def _line() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(300, 300) covariance of the candidates, and its Cholesky root."""
    covariance = np.asarray(LINE_KERNEL(grid(LINE_POINTS, 1)))
    return covariance, draw_root(covariance)


def ucb_on_a_line(u: float, seed: int) -> FrozenRun:
    """Compressed UCB with the fixed budget u, until nothing can be kept any more, on the draw of the prior with that seed."""
    covariance, root = _line()
    generator = stream(seed, "compressed", "ends", f"{u:g}")
    values = root @ generator.standard_normal(LINE_POINTS)
    noise = math.sqrt(LINE_NOISE) * generator.standard_normal(2000)
    return ucb_to_the_end(covariance, LINE_NOISE, u * LINE_NOISE, values, noise, CONFIDENCE)
