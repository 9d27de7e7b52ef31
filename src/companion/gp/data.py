r"""Exact posterior from data at arbitrary points of :math:`\R^d`, evaluated wherever it is asked for.

.. math:: \mu(x)=k_X(x)^\top(K_{XX}+\lambda I)^{-1}y,\qquad
          \Sigma(x,x')=k(x,x')-k_X(x)^\top(K_{XX}+\lambda I)^{-1}k_X(x')

:class:`~companion.gp.FinitePosterior` is the engine where the candidates stay the same; this one serves a continuous
domain, where they change from round to round. It agrees with scikit-learn's and GPyTorch's exact regression.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number
from companion.gp.factor import first_factor
from companion.gp.kernels import Kernel, check_distances

#: Diagonal shifts tried in turn when a covariance is numerically singular, relative to its largest entry.
JITTERS = (0.0, 1e-12, 1e-10, 1e-8, 1e-6)


class DataPosterior:
    """Posterior of a zero-mean Gaussian process given n observations.

    Parameters
    ----------
    kernel : of the model
    points : (n, d) where was observed; n may be 0
    values : (n,) what was observed
    noise_variance : lambda, positive, in squared units of the values

    Raises
    ------
    ParameterError
        for shapes that do not fit or entries that are not finite

    Examples
    --------
    >>> import numpy as np
    >>> import companion as cp
    >>> from companion.gp import DataPosterior
    >>> posterior = DataPosterior(cp.Matern(2.5, 0.3), [[0.2], [0.8]], [1.0, -1.0], noise_variance=0.01)
    >>> x = np.array([[0.2], [0.5]])
    >>> posterior.mean(x).round(2)
    array([0.99, 0.  ])
    >>> mean, variance = posterior.mean_and_variance(x)
    >>> variance.round(2)
    array([0.01, 0.52])
    >>> mean, covariance = posterior.mean_and_covariance(x)
    >>> bool(np.allclose(np.diagonal(covariance), variance))
    True
    >>> mean, slope = posterior.mean_and_gradient(x)
    >>> slope.round(1)
    array([[-0.8],
           [-4.4]])
    """

    def __init__(self, kernel: Kernel, points: ArrayLike, values: ArrayLike, noise_variance: float) -> None:
        self.kernel = kernel
        self.points = np.ascontiguousarray(points, dtype=np.float64)
        values = np.asarray(values, dtype=np.float64)
        if self.points.ndim != 2 or values.shape != (len(self.points),):
            raise ParameterError(
                "values", f"has shape {values.shape}", f"one value for each of {len(self.points)} points"
            )
        if not (np.isfinite(self.points).all() and np.isfinite(values).all()):
            raise ParameterError("points, values", "contain NaN or infinity", "finite numbers")
        self.noise_variance = positive_number("noise_variance", noise_variance)
        covariance = kernel(self.points)
        covariance[np.diag_indices(len(covariance))] += self.noise_variance
        self._lower = cholesky(covariance) if len(covariance) else covariance
        self.weights = linalg.cho_solve((self._lower, True), values, check_finite=False) if len(values) else values
        self._scales = np.ones(self.points.shape[1]) * np.asarray(kernel.lengthscale)
        self._own = self.points / self._scales
        self._squares = np.sum(self._own**2, axis=1)

    def mean(self, x: Floats) -> Floats:
        """Posterior mean at ``x`` (N, d), shape (N,)."""
        return np.asarray(self.kernel(x, self.points) @ self.weights)

    def mean_and_variance(self, x: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and variance of f at ``x`` (N, d), each (N,). Costs O(n^2 N)."""
        cross = self.kernel(self.points, x)
        half = linalg.solve_triangular(self._lower, cross, lower=True, check_finite=False) if len(cross) else cross
        variance = self.kernel.diagonal(x) - np.einsum("ij,ij->j", half, half)
        return self.weights @ cross, np.maximum(variance, 0.0)

    def mean_and_covariance(self, x: Floats) -> tuple[Floats, Floats]:
        """Posterior mean (N,) and covariance (N, N) of f at ``x``. Costs O(n N^2 + n^2 N)."""
        cross = self.kernel(self.points, x)
        half = linalg.solve_triangular(self._lower, cross, lower=True, check_finite=False) if len(cross) else cross
        covariance = self.kernel(x)
        covariance -= half.T @ half
        return self.weights @ cross, covariance

    def mean_and_gradient(self, x: Floats) -> tuple[Floats, Floats]:
        r"""Posterior mean (k,) and its gradient (k, d) at ``x`` (k, d).

        .. math:: \nabla\mu(x)=\sum_j\alpha_j\nabla_xk(x,x_j)=\frac{2}{l^2}\sum_j\alpha_jk'(r_j^2)(x-x_j)

        with alpha the weights and k' the derivative of the kernel with respect to the squared distance.
        """
        scaled, own = x / self._scales, self._own
        squared = np.sum(scaled**2, axis=1)[:, None] + self._squares - 2.0 * scaled @ own.T
        squared = np.maximum(squared, 0.0)
        check_distances(squared)
        values, derivative = self.kernel.radial_and_derivative(squared)
        slope = 2.0 * derivative() * self.weights
        gradient = (scaled * slope.sum(axis=1)[:, None] - slope @ own) / self._scales
        return values @ self.weights, gradient

    def covariance_from(self, point: Floats, x: Floats) -> Floats:
        """Posterior covariance of f at one ``point`` (d,) with f at ``x`` (N, d), shape (N,). Costs O(n^2 + nN)."""
        own = self.kernel(point[None, :], x)[0]
        if not len(self.points):
            return np.asarray(own)
        cross = self.kernel(self.points, point[None, :])[:, 0]
        solved = linalg.cho_solve((self._lower, True), cross, check_finite=False)
        return np.asarray(own - solved @ self.kernel(self.points, x))

    def variance_and_gradient(self, x: Floats) -> tuple[Floats, Floats]:
        r"""Posterior variance (k,) and its gradient (k, d) at ``x`` (k, d); the data's values do not matter.

        .. math:: \nabla\sigma^2(x)=-2\sum_j\beta_j(x)\nabla_xk(x,x_j),\qquad \beta(x)=(K_{XX}+\lambda I)^{-1}k_X(x)
        """
        scaled, own = x / self._scales, self._own
        squared = np.sum((scaled[:, None, :] - own[None, :, :]) ** 2, axis=2)
        check_distances(squared)
        cross, derivative = self.kernel.radial_and_derivative(squared)
        solved = linalg.cho_solve((self._lower, True), cross.T, check_finite=False).T
        slope = -4.0 * derivative() * solved
        gradient = (scaled * slope.sum(axis=1)[:, None] - slope @ own) / self._scales
        return self.kernel.diagonal(x) - np.sum(cross * solved, axis=1), gradient


def cholesky(covariance: Floats) -> Floats:
    """Lower Cholesky factor, with the smallest of :data:`JITTERS` that makes it exist.

    Raises
    ------
    ConditioningError
        if none does
    """
    scale = float(covariance.diagonal().max())
    failure = f"covariance: not positive definite even with a relative shift of {JITTERS[-1]:.0e}"
    return np.asarray(first_factor(covariance, [jitter * scale for jitter in JITTERS], failure)[0])
