"""The function that runs through the lessons: one draw of a Gaussian process on the unit interval."""

from __future__ import annotations

import numpy as np

from companion.core.arrays import Floats
from companion.gp import PriorDraws, SquaredExponential, grid

#: Candidates, length-scale of the squared exponential with prior variance one, and noise standard deviation.
POINTS, LENGTHSCALE, NOISE = 101, 0.12, 0.1


def running_function() -> tuple[Floats, Floats, Floats]:
    r"""Points x (N,) of [0, 1], their prior covariance K (N, N), and the values f (N,): :math:`f=Lz` with :math:`LL^\top=K`.

    The normal numbers z are those of ``numpy.random.default_rng(0)``.
    """
    kernel, points = SquaredExponential(LENGTHSCALE), grid(POINTS, 1)
    values = PriorDraws.on_points(kernel, points).draw(np.random.default_rng(0), 1)[0]
    return points[:, 0], kernel(points), values
