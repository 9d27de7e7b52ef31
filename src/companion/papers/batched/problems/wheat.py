"""The function of the lesson: two hills and a valley between them, a finite sum of kernel functions."""

from __future__ import annotations

import numpy as np

from companion.gp import SquaredExponential, grid
from companion.papers.batched.problems.catalogue import ModelledProblem
from companion.problems import FiniteProblem
from companion.problems.running_example import LENGTHSCALE, NOISE, POINTS

#: Indices of the centres among the candidates, and their weights.
CENTRES, WEIGHTS = (25, 50, 75), (2.0, -1.0, 2.1)


def wheat(noise: float = NOISE) -> ModelledProblem:
    r"""Yields of mixtures of two parents, in tonnes a hectare above the usual wheat.

    .. math:: f=2k(\tfrac14,\cdot)-k(\tfrac12,\cdot)+2.1k(\tfrac34,\cdot)

    k is the squared exponential of the running example, on its points. A sum :math:`\sum_jc_jk(x_j,\cdot)` has exactly the norm
    :math:`\sqrt{c^\top K_{SS}c}` in the kernel's space, S being the centres. A draw of the process has none: on denser points
    the norm of its restriction grows without end.

    Parameters
    ----------
    noise : standard deviation of an evaluation
    """
    kernel, points = SquaredExponential(LENGTHSCALE), grid(POINTS, 1)
    covariance, centres, weights = kernel(points), list(CENTRES), np.array(WEIGHTS)
    norm = float(np.sqrt(weights @ covariance[np.ix_(centres, centres)] @ weights))
    values = covariance[:, centres] @ weights
    return ModelledProblem(FiniteProblem("wheat", points, values, noise, "two hills, of known norm"), covariance, norm)
