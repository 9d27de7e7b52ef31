"""Cholesky factors of covariances that rounding may have made singular."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import linalg

from companion.core.arrays import Floats
from companion.core.errors import ConditioningError

#: Added to a covariance before the root of a draw: independent noise of sd 1e-5, without which draws would depend on rounding.
DRAW_JITTER = 1e-10


def draw_root(covariance: Any) -> Floats:
    """Lower triangular roots (..., N, N) of covariances of size about one, to draw from them; :data:`DRAW_JITTER` is added.

    A Cholesky factor, unlike eigenvectors, is the same on every machine up to rounding.
    """
    return np.asarray(np.linalg.cholesky(covariance + DRAW_JITTER * np.eye(covariance.shape[-1])))


def first_factor(covariance: Any, shifts: Sequence[float], failure: str) -> tuple[Any, int]:
    """Lower Cholesky factor of covariance + shift I with the first shift that makes it exist, and the shift's place.

    Parameters
    ----------
    covariance : (n, n), in double or in single precision, which the factor keeps
    shifts : to be tried in turn
    failure : message of the error

    Raises
    ------
    ConditioningError
        if none does
    """
    for place, shift in enumerate(shifts):
        shifted = covariance.copy()
        shifted[np.diag_indices(len(shifted))] += shift
        try:
            return np.asarray(linalg.cholesky(shifted, lower=True, check_finite=False)), place
        except linalg.LinAlgError:
            continue
    raise ConditioningError(failure)


def inverse_from(lower: Floats) -> Floats:
    """Inverse (n, n), symmetric to the last bit, of the matrix with this Cholesky factor."""
    inverse, _ = linalg.lapack.dpotri(lower, lower=1)
    return np.asarray(np.tril(inverse) + np.tril(inverse, -1).T)
