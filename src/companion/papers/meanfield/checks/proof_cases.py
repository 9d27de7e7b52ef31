"""Helpers of several checks of the proof: names of kernels, errors of means, and the worst of many instances."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from companion.checks import samples
from companion.checks.cases import Case

TITLES = {"se": "SE", "matern12": "Matérn 1/2", "matern32": "Matérn 3/2", "matern52": "Matérn 5/2"}

#: Means of the same expectation differ by more standard errors with probability 6e-5.
ERRORS = 4.0


def worst(lhs: ArrayLike, rhs: ArrayLike, where: str) -> Case:
    """As :func:`companion.checks.samples.worst`, of whose entries the case names the number."""
    return samples.worst(lhs, rhs, f"{where}, worst of {np.broadcast(lhs, rhs).size}")
