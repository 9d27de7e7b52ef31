"""The function that runs through the lessons: one draw of a Gaussian process on the unit interval, and one that has a norm."""

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


#: Every so many candidates one is a centre of the interpolant.
APART = 10


def running_interpolant() -> tuple[Floats, Floats, Floats, float]:
    r"""Points x (N,), covariance K (N, N), values f (N,) and norm of the function of smallest norm through every tenth value.

    :math:`f=\sum_jc_jk(x_{10j},\cdot)` agrees with the running function at these points, and has exactly the norm
    :math:`\sqrt{c^\top K_{SS}c}` in the kernel's space, where S are the points' indices. The draw itself has none: on denser
    points the norm of its restriction grows without end.
    """
    x, covariance, drawn = running_function()
    centres = np.arange(0, POINTS, APART)
    gram = covariance[np.ix_(centres, centres)]
    weights = np.linalg.solve(gram, drawn[centres])
    return x, covariance, covariance[:, centres] @ weights, float(np.sqrt(weights @ gram @ weights))
