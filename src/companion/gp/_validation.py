"""What the finite-candidate engine accepts: its covariance, noise variance, values and masks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device

from companion.core.errors import ConditioningError, ParameterError, positive_number

Array = Any

#: Smallest ratio of noise variance to prior variance the engine works with; below it float64 has no digits left.
NOISE_FLOOR = 1e-13
#: What rounding may put a covariance above the geometric mean of its variances, in units of the largest prior variance.
_ROUNDING = 1e-6


def library_of(name: str, array: Any) -> Any:
    """The array library of ``array``; ParameterError for a list or another object without one."""
    try:
        return array_namespace(array)
    except TypeError:
        raise ParameterError(name, f"is a {type(array).__name__}", "a NumPy array or a torch tensor") from None


def check_rounding(xp: Any, row: Array, limit: Array, scale: float) -> float:
    """The most that posterior covariances ``row`` are above ``limit`` (Cauchy-Schwarz); refused if it is more than rounding.

    Then the prior covariance was indefinite.
    A full test of the prior would cost O(N^3); this one looks at what the observations make visible.
    """
    excess = float(xp.max(xp.abs(row) - limit))
    if excess > _ROUNDING * scale:
        raise indefinite(f"gives two candidates a covariance {excess:.3g} above the geometric mean of their variances")
    return excess


def indefinite(problem: str) -> ParameterError:
    """What is raised for a prior covariance that is found not to be one."""
    return ParameterError("covariance", problem, "a positive semi-definite matrix")


def numbers(xp: Any, values: Any, like: Array) -> Array:
    """``values`` as an array of the kind and at the place of ``like``."""
    try:
        return xp.asarray(values, dtype=like.dtype, device=device(like))
    except (TypeError, ValueError, RuntimeError):
        raise ParameterError("values", f"got {values!r}", "numbers") from None


def allowed_mask(xp: Any, candidates: Array | None, like: Array) -> Array:
    """The candidates allowed to each replicate, shape (R, N) as that of ``like``."""
    if candidates is None:
        return xp.ones(like.shape, dtype=xp.bool, device=device(like))
    mask = xp.asarray(candidates, device=device(like))
    if mask.dtype != xp.bool or tuple(mask.shape) not in (tuple(like.shape), (like.shape[1],)):
        raise ParameterError(
            "candidates",
            f"has dtype {mask.dtype} and shape {tuple(mask.shape)}",
            f"a boolean mask of shape ({like.shape[1]},) or {tuple(like.shape)}",
        )
    mask = xp.broadcast_to(mask, tuple(like.shape))
    if not bool(xp.all(xp.any(mask, axis=1))):
        raise ParameterError("candidates", "allows no candidate at all", "at least one True per replicate")
    return mask


def check_covariance(xp: Any, covariance: Array) -> None:
    """Refuse what is not a finite symmetric float64 matrix with a non-negative diagonal."""
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1] or covariance.shape[0] == 0:
        raise ParameterError("covariance", f"has shape {tuple(covariance.shape)}", "a square (N, N) matrix, N >= 1")
    if covariance.dtype != xp.float64:
        raise ParameterError(
            "covariance", f"has dtype {covariance.dtype}", "float64, the precision all results are stated in"
        )
    asymmetry = _asymmetry(xp, covariance)
    if not math.isfinite(asymmetry):
        raise ParameterError("covariance", "contains NaN or infinity", "finite entries")
    diagonal = xp.linalg.diagonal(covariance)
    scale = float(xp.max(diagonal))
    if scale <= 0 or float(xp.min(diagonal)) < 0:
        raise ParameterError(
            "covariance", "has a negative or an all-zero diagonal", "prior variances >= 0, not all zero"
        )
    if asymmetry > 1e-10 * scale:
        raise ParameterError("covariance", f"is asymmetric by {asymmetry:.2g}", "a symmetric matrix")


def _asymmetry(xp: Any, matrix: Array, tile: int = 128) -> float:
    """Largest absolute difference between a matrix and its transpose; NaN or infinite when an entry is.

    Tile by tile, because a transposed read of a large matrix misses the cache at every entry. One pass answers both
    questions: infinity minus infinity is NaN, and the maximum of either library lets NaN through.
    """
    size, largest = matrix.shape[0], []
    with np.errstate(invalid="ignore"):
        for i in range(0, size, tile):
            for j in range(i, size, tile):
                upper, lower = matrix[i : i + tile, j : j + tile], matrix[j : j + tile, i : i + tile]
                largest.append(xp.max(xp.abs(upper - xp.matrix_transpose(lower))))
    return float(xp.max(xp.stack(largest)))


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
