"""Candidates as an array of points, and length-scales that fit them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, floats_of


def points_of(candidates: ArrayLike, name: str = "candidates") -> Floats:
    """Points as a float64 array of shape (N, d).

    Raises
    ------
    ParameterError
        for another shape, or entries that are no finite numbers; for a covariance in the place of points

    Examples
    --------
    >>> from companion.core.errors import ParameterError, floats_of
    >>> from companion.gp.candidates import points_of
    >>> points_of([[0, 1], [2, 3]]).shape
    (2, 2)
    >>> try:
    ...     points_of([0.0, 1.0])
    ... except ParameterError as error:
    ...     print(error)
    candidates: have shape (2,); expected (N, d). On a line that is (2, 1)
    """
    points = floats_of(name, candidates, "an array (N, d)")
    if points.ndim == 1:
        raise ParameterError(name, f"have shape {points.shape}", "(N, d)", f"On a line that is ({len(points)}, 1)")
    if points.ndim != 2 or 0 in points.shape:
        raise ParameterError(name, f"have shape {points.shape}", "(N, d) with at least one point")
    return points


def looks_like_covariance(points: Floats) -> bool:
    """Whether points (N, d) are a symmetric matrix with a positive diagonal that no entry exceeds, of at least 3 rows.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.gp.candidates import looks_like_covariance
    >>> points = cp.grid(4, dim=1)
    >>> looks_like_covariance(points), looks_like_covariance(cp.Matern(2.5, 0.2)(points))
    (False, True)
    """
    if points.shape[0] != points.shape[1] or len(points) < 3:
        return False
    diagonal = np.diagonal(points)
    return bool(np.array_equal(points, points.T) and diagonal.min() > 0 and np.abs(points).max() <= diagonal.max())


def scales_for(lengthscale: float | Sequence[float], dim: int) -> float | tuple[float, ...]:
    """The length-scale in the form that kernels take: one number for all coordinates, or a tuple with one for each.

    Raises
    ------
    ParameterError
        if it has another length than the points have coordinates, or is not positive

    Examples
    --------
    >>> from companion.gp.candidates import scales_for
    >>> scales_for(0.2, dim=3), scales_for([0.2, 0.5], dim=2)
    (0.2, (0.2, 0.5))
    """
    try:
        scales = np.atleast_1d(np.asarray(lengthscale, dtype=np.float64))
    except (TypeError, ValueError):
        raise ParameterError("lengthscale", f"got {lengthscale!r}", "positive numbers") from None
    if scales.ndim != 1 or len(scales) not in (1, dim):
        expected = "one number" if dim == 1 else f"one number, or {dim}, one for each coordinate"
        raise ParameterError("lengthscale", f"has {scales.size} entries, and points have {dim} coordinates", expected)
    if not (np.isfinite(scales).all() and scales.min() > 0):
        raise ParameterError("lengthscale", f"got {lengthscale!r}", "positive numbers")
    return float(scales[0]) if len(scales) == 1 else tuple(float(scale) for scale in scales)
