r"""The posterior in single precision, with the arithmetic of the library that the published code calls (reading ``code``).

Four things separate it from :class:`companion.gp.DataPosterior`, and on smooth problems all four are larger than the
model's noise variance of 1e-6:

1. Numbers have 24 bits.
2. Squared distances come from the expansion :math:`|x|^2+|y|^2-2x^\top y` about the first set's mean, whose rounding errors
   grow with the width of the domain: about 1e-5 squared length-scales on a box 18 length-scales wide.
3. Where the Cholesky factorisation fails, 1e-6, 1e-5 and 1e-4 are added to the diagonal in turn; then it gives up.
4. Variances below 1e-6 are raised to 1e-6.

Checked against GPyTorch 1.15 in ``tests/papers/tsrsr/method/test_single.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from companion.core.errors import ConditioningError, ParameterError
from companion.gp import Matern, SquaredExponential
from companion.gp.data import cholesky
from companion.gp.factor import first_factor
from companion.gp.kernels import Kernel

Singles = NDArray[np.float32]

#: Added to the diagonal in turn, in units of the targets' variance; the library's own for single precision.
JITTERS = (0.0, 1e-6, 1e-5, 1e-4)

#: Least variance that the library reports in single precision.
VARIANCE_FLOOR = np.float32(1e-6)

#: Distances between two sets of at most so many points are computed from differences, all others by the expansion.
_DIRECT = 25

#: Kernel values worked on at once.
_CHUNK = 30_000


class SinglePosterior:
    """Posterior of a zero-mean Gaussian process given n observations, all in single precision.

    Parameters
    ----------
    kernel : Matern with nu = 3/2 or 5/2, or squared exponential
    points : (n, d) with n > 0
    values : (n,)
    noise_variance : lambda, positive

    Raises
    ------
    ConditioningError
        if the covariance cannot be factorised with the largest jitter either
    ParameterError
        for shapes that do not fit or another kernel
    """

    def __init__(self, kernel: Kernel, points: ArrayLike, values: ArrayLike, noise_variance: float) -> None:
        self.kernel, self.noise_variance = kernel, float(noise_variance)
        self.points = np.ascontiguousarray(points, dtype=np.float32)
        targets = np.asarray(values, dtype=np.float32)
        if self.points.ndim != 2 or targets.shape != (len(self.points),):
            raise ParameterError(
                "values", f"has shape {targets.shape}", f"one value for each of {len(self.points)} points"
            )
        covariance = single_kernel(kernel, self.points)
        covariance[np.diag_indices(len(covariance))] += np.float32(noise_variance)
        lower, self.jitter = factor(covariance)
        self.weights = linalg.cho_solve((lower, True), targets, check_finite=False)
        # The library inverts the factor once and multiplies by it.
        self._inverse = linalg.solve_triangular(lower, np.eye(len(lower), dtype=np.float32), lower=True)

    def mean(self, x: ArrayLike) -> Singles:
        """Posterior mean (N,) of a set of points (N, d) at once: rounding depends on the set."""
        return np.asarray(single_kernel(self.kernel, _single(x), self.points) @ self.weights)

    def mean_and_variance(self, x: ArrayLike) -> tuple[Singles, Singles]:
        """Posterior mean and variance of f, each (N,), variances not below the floor."""
        cross = single_kernel(self.kernel, _single(x), self.points)
        half = cross @ self._inverse.T
        variance = np.float32(self.kernel.variance) - np.einsum("ij,ij->i", half, half)
        return cross @ self.weights, np.maximum(variance, VARIANCE_FLOOR)

    def mean_and_covariance(self, x: ArrayLike) -> tuple[Singles, Singles]:
        """Posterior mean (N,) and covariance (N, N) of f; rounding may leave the latter indefinite."""
        points = _single(x)
        cross = single_kernel(self.kernel, points, self.points)
        half = cross @ self._inverse.T
        covariance = single_kernel(self.kernel, points)
        covariance -= half @ half.T
        return cross @ self.weights, covariance

    def mean_and_gradient(self, x: ArrayLike) -> tuple[Singles, Singles]:
        """Posterior mean (k,) and gradient (k, d), each point on its own."""
        value, gradient = kernel_and_gradient(self.kernel, _single(x), self.points)
        return value @ self.weights, np.einsum("kjd,j->kd", gradient, self.weights)

    def pending_variance(self, x: Singles, batch: Singles) -> tuple[np.float32, Singles]:
        r"""Variance of f at one point (d,) given also ``batch`` (b, d), and its gradient (d,).

        .. math:: c(x,x)-c(x,B)(c(B,B)+10^{-6}I)^{-1}c(B,x),\qquad c\text{ the posterior covariance}

        It is not floored, and rounding makes it negative at times.
        """
        together = np.vstack([batch, x[None, :]])
        half = single_kernel(self.kernel, together, self.points) @ self._inverse.T
        # Where a gradient is wanted, the library leaves the rounding in a point's distance from itself.
        covariance = single_kernel(self.kernel, together, exact_diagonal=False) - half @ half.T
        among = covariance[:-1, :-1] + np.float32(1e-6) * np.eye(len(batch), dtype=np.float32)
        try:
            inverse = np.linalg.inv(among)
        except np.linalg.LinAlgError as error:
            raise ConditioningError(f"covariance of the batch: {error}") from None
        weight = covariance[-1, :-1] @ inverse
        variance = covariance[-1, -1] - weight @ covariance[-1, :-1]
        own = -2.0 * (half[-1] - weight @ half[:-1]) @ self._inverse
        _, gradient = kernel_and_gradient(self.kernel, x[None, :], np.vstack([self.points, batch]))
        coefficients = np.concatenate([own, -2.0 * weight]).astype(np.float32)
        return variance, coefficients @ gradient[0]


def _single(x: ArrayLike) -> Singles:
    return np.ascontiguousarray(x, dtype=np.float32)


def single_kernel(
    kernel: Kernel, first: Singles, second: Singles | None = None, exact_diagonal: bool = True
) -> Singles:
    """Covariance (n, m) of two sets of points in single precision; ``second`` defaults to ``first``."""
    scale = np.asarray(kernel.lengthscale, dtype=np.float32)
    centre = first.mean(axis=0, dtype=np.float32)
    one = (first - centre) / scale
    two = one if second is None else (second - centre) / scale
    direct = second is not None and max(len(one), len(two)) <= _DIRECT and isinstance(kernel, Matern)
    squared = _differences(one, two) if direct else _expansion(one, two)
    if second is None and exact_diagonal:
        squared[np.diag_indices(len(squared))] = 0.0
    return _values(kernel, squared)


def _expansion(one: Singles, two: Singles) -> Singles:
    """Squared distances by one matrix product, as the library has them."""
    left = np.concatenate([-2.0 * one, np.sum(one**2, axis=1, keepdims=True), np.ones((len(one), 1))], axis=1)
    right = np.concatenate([two, np.ones((len(two), 1)), np.sum(two**2, axis=1, keepdims=True)], axis=1)
    product = left.astype(np.float32) @ right.astype(np.float32).T
    return np.maximum(product, np.float32(0.0), out=product)


def _differences(one: Singles, two: Singles) -> Singles:
    return np.sum((one[:, None, :] - two[None, :, :]) ** 2, axis=2)


def _values(kernel: Kernel, squared: Singles) -> Singles:
    # Some rows at a time, which stay in the cache.
    step = max(1, _CHUNK // max(1, squared.shape[1]))
    for part in (squared[start : start + step] for start in range(0, len(squared), step)):
        if isinstance(kernel, SquaredExponential):
            part[:] = np.exp(np.float32(-0.5) * part)
        else:
            polynomial, decay = _matern(kernel, np.sqrt(np.maximum(part, np.float32(1e-30))))
            np.multiply(polynomial, decay, out=part)
        part *= np.float32(kernel.variance)
    return squared


def _matern(kernel: Any, distance: Singles) -> tuple[Singles, Singles]:
    """Polynomial and exponential of a Matern kernel at distances in length-scales."""
    if not isinstance(kernel, Matern) or kernel.nu not in (1.5, 2.5):
        raise ParameterError("kernel", f"got {kernel!r}", "Matern with nu = 1.5 or 2.5, or the squared exponential")
    scaled = np.float32(math.sqrt(2.0 * kernel.nu)) * distance
    polynomial = 1.0 + scaled
    if kernel.nu == 2.5:
        polynomial += np.float32(5.0 / 3.0) * distance**2
    return polynomial, np.exp(np.negative(scaled, out=scaled), out=scaled)


def kernel_and_gradient(kernel: Kernel, x: Singles, points: Singles) -> tuple[Singles, Singles]:
    """k(x_i, p_j) and its gradient in x_i, (k, n) and (k, n, d): as from differentiating the library's operations.

    Every x_i is taken on its own: the library centres both sets at the first one's mean, so with one point the
    expansion of the squared distance is exact up to one rounding.
    """
    scale = np.asarray(kernel.lengthscale, dtype=np.float32)
    # Hundreds of calls a round: no array is made that one at hand can hold.
    difference = x[:, None, :] - points
    difference /= scale
    squared = np.add.reduce(difference**2, axis=2)
    variance = np.float32(kernel.variance)
    if isinstance(kernel, SquaredExponential):
        value = variance * np.exp(np.float32(-0.5) * squared)
        return value, -value[:, :, None] * difference / scale
    distance = np.sqrt(np.maximum(squared, np.float32(1e-30)))
    polynomial, decay = _matern(kernel, distance)
    root = np.float32(math.sqrt(2.0 * kernel.nu))
    slope = root + np.float32(10.0 / 3.0) * distance if kernel.nu == 2.5 else root
    ratio = variance * ((slope - root * polynomial) * decay) / distance
    ratio[squared <= 0] = 0.0
    difference *= ratio[:, :, None]
    difference /= scale
    polynomial *= decay
    polynomial *= variance
    return polynomial, difference


def factor(covariance: Singles) -> tuple[Singles, float]:
    """Lower Cholesky factor, and the first of :data:`JITTERS` with which it exists.

    Raises
    ------
    ConditioningError
        if none does
    """
    failure = f"covariance: not positive definite in single precision with {JITTERS[-1]:.0e} added"
    lower, place = first_factor(covariance, JITTERS, failure)
    return lower, JITTERS[place]


def spectral_root(covariance: Singles) -> NDArray[np.float64]:
    r"""Lower triangular R (N, N) with :math:`RR^\top=|C|`, the law of draws by a singular value decomposition.

    The published code hands the covariance C to a routine that factorises it in double precision and takes singular
    values for eigenvalues: what rounding made negative is added as noise instead of being left out,
    :math:`|C|=C+2\sum_{\lambda_k<0}|\lambda_k|v_kv_k^\top`. Here C is made symmetric first.
    """
    double = covariance.astype(np.float64)
    double = double + double.T
    double /= 2.0
    try:
        # In many rounds rounding made nothing negative, and a factor is found in a sixth of the time.
        return np.asarray(linalg.cholesky(double, lower=True, check_finite=False))
    except linalg.LinAlgError:
        values, vectors = linalg.eigh(double, subset_by_value=(-np.inf, 0.0), driver="evr", check_finite=False)
    return cholesky(double + 2.0 * (vectors * np.abs(values)) @ vectors.T)
