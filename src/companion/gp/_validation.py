"""Validation of the posterior's input: covariance, noise variance, values and masks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from companion.core.arrays import Flags, Floats
from companion.core.errors import ConditioningError, ParameterError, positive_number

#: Smallest ratio of noise variance to prior variance the engine works with; below it float64 has no digits left.
NOISE_FLOOR = 1e-13
#: What rounding may put a covariance above the geometric mean of its variances, in units of the largest prior variance.
_ROUNDING = 1e-6


def check_rounding(excess: float, scale: float) -> float:
    """The most that posterior covariances are above their limit (Cauchy-Schwarz); refused if it is more than rounding.

    Then the prior covariance was indefinite.
    A full test of the prior would cost O(N^3); this one looks at what the observations make visible.
    """
    if excess > _ROUNDING * scale:
        raise indefinite(f"gives two candidates a covariance {excess:.3g} above the geometric mean of their variances")
    return excess


def indefinite(problem: str) -> ParameterError:
    """Error for a matrix that is not a covariance."""
    return ParameterError("covariance", problem, "a positive semi-definite matrix")


def numbers(values: Any) -> Floats:
    """``values`` as a float64 array."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        raise ParameterError("values", f"got {values!r}", "numbers") from None


def allowed_mask(candidates: Flags | None, shape: tuple[int, ...]) -> Flags:
    """The candidates allowed to each replicate, ``shape`` (R, N)."""
    if candidates is None:
        return np.ones(shape, dtype=np.bool_)
    mask = np.asarray(candidates)
    if mask.dtype != np.bool_ or mask.shape not in (shape, shape[1:]):
        raise ParameterError(
            "candidates",
            f"has dtype {mask.dtype} and shape {mask.shape}",
            f"a boolean mask of shape {shape[1:]} or {shape}",
        )
    mask = np.broadcast_to(mask, shape)
    if not mask.any(axis=1).all():
        raise ParameterError("candidates", "allows no candidate at all", "at least one True per replicate")
    return mask


def check_covariance(covariance: Any) -> None:
    """Refuse what is not a finite symmetric float64 matrix with a non-negative diagonal."""
    if not isinstance(covariance, np.ndarray) or isinstance(covariance, np.matrix):
        raise ParameterError("covariance", f"is a {type(covariance).__name__}", "a NumPy array")
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1] or covariance.shape[0] == 0:
        raise ParameterError("covariance", f"has shape {covariance.shape}", "a square (N, N) matrix, N >= 1")
    if covariance.dtype != np.float64:
        raise ParameterError(
            "covariance", f"has dtype {covariance.dtype}", "float64, the precision all results are stated in"
        )
    asymmetry = _asymmetry(covariance)
    if not math.isfinite(asymmetry):
        raise ParameterError("covariance", "contains NaN or infinity", "finite entries")
    diagonal = covariance.diagonal()
    scale = float(diagonal.max())
    if scale <= 0 or float(diagonal.min()) < 0:
        raise ParameterError(
            "covariance", "has a negative or an all-zero diagonal", "prior variances >= 0, not all zero"
        )
    if asymmetry > 1e-10 * scale:
        raise ParameterError("covariance", f"is asymmetric by {asymmetry:.2g}", "a symmetric matrix")


def _asymmetry(matrix: Floats, tile: int = 128) -> float:
    """Largest absolute difference between a matrix and its transpose; NaN or infinite when an entry is.

    Tile by tile, because a transposed read of a large matrix misses the cache at every entry. One pass answers both
    questions: infinity minus infinity is NaN, and the maximum lets NaN through.
    """
    size, largest = matrix.shape[0], []
    with np.errstate(invalid="ignore"):
        for i in range(0, size, tile):
            for j in range(i, size, tile):
                upper, lower = matrix[i : i + tile, j : j + tile], matrix[j : j + tile, i : i + tile]
                largest.append(np.abs(upper - lower.T).max())
    return float(np.max(largest))


def noise_with_floor(noise_variance: float, scale: float, jitter: str) -> tuple[float, tuple[str, ...]]:
    """The noise variance to work with, and what was done to it."""
    positive_number("noise_variance", noise_variance)
    if jitter not in ("auto", "refuse"):
        raise ParameterError("jitter", f"got {jitter!r}", "'auto' or 'refuse'")
    floor = NOISE_FLOOR * scale
    if noise_variance >= floor:
        return float(noise_variance), ()
    problem = (
        f"noise variance {noise_variance:.3g} is below {NOISE_FLOOR:.0e} of the largest prior variance {scale:.3g}"
    )
    if jitter == "refuse":
        raise ConditioningError(
            f"noise_variance: {problem}; a float64 posterior would have no correct digit. "
            "Use jitter='auto' to work with the smallest usable value, or rescale the problem."
        )
    return floor, (f"{problem}: raised to {floor:.3g}",)
