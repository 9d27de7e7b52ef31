"""The posterior without the engine's short cuts, for chapter 2's timing: anew every round, or by updates over all points.

Both stand in for :class:`~companion.gp.FinitePosterior`; the numbers are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular

from companion.core.arrays import Floats
from companion.core.errors import positive_number
from companion.gp import KernelMatrix


class RefitPosterior:
    r"""Exact posterior on N candidates by one Cholesky decomposition a call of :meth:`refit`: O(M^3 + M^2 N).

    .. math:: \mu=k^\top(K_{SS}+\lambda I)^{-1}y,\qquad \sigma^2=\operatorname{diag}K-\sum_jV_j^2,\quad V=L^{-1}k

    ``mean`` and ``variance``, both (1, N), are those of the last refit.

    Parameters
    ----------
    covariance : (N, N) prior covariance, or a :class:`~companion.gp.KernelMatrix`
    noise_variance : lambda, positive, squared units of the observations
    """

    def __init__(self, covariance: Floats | KernelMatrix, noise_variance: float) -> None:
        self.noise_variance = positive_number("noise_variance", noise_variance)
        self._prior = covariance
        diagonal = np.diagonal(covariance) if isinstance(covariance, np.ndarray) else covariance.diagonal()
        self._diagonal = np.array(diagonal, dtype=np.float64)
        self.mean, self.variance = np.zeros((1, len(self._diagonal))), self._diagonal[None, :].copy()
        self._points: list[int] = []
        self._values: list[float] = []
        self._log_pivots = np.empty(0)

    @property
    def count(self) -> int:
        """Number of points M."""
        return len(self._points)

    @property
    def indices(self) -> NDArray[np.intp]:
        """Points in the order in which they came, shape (1, M)."""
        return np.array([self._points], dtype=np.intp)

    @property
    def gain(self) -> Floats:
        """Information gain of the points of the last refit, nats, shape (1,)."""
        return np.array([np.sum(self._log_pivots) - 0.5 * len(self._log_pivots) * np.log(self.noise_variance)])

    def observe(self, index: int, value: float) -> None:
        """Add a point and its value; the next refit uses them."""
        self._points.append(int(index))
        self._values.append(float(value))

    def refit(self) -> None:
        """Compute mean and variance at all candidates from all points."""
        if not self._points:
            return
        points = np.array(self._points, dtype=np.intp)
        cross: Any = self._prior[points, :]
        root = cholesky(cross[:, points] + self.noise_variance * np.eye(len(points)), lower=True, check_finite=False)
        weights = cho_solve((root, True), np.array(self._values), check_finite=False)
        half = solve_triangular(root, cross, lower=True, check_finite=False)
        self.mean = (weights @ cross)[None, :]
        self.variance = np.maximum(self._diagonal - np.einsum("ij,ij->j", half, half), 0.0)[None, :]
        self._log_pivots = np.log(np.diagonal(root))


class UpdatedPosterior:
    r"""Exact posterior on N candidates by one update a point over all points before: O(MN) each, O(MN) numbers stored.

    .. math:: c=k(\cdot,x_i)-V^\top V_{\cdot i},\quad s=\sigma^2(x_i)+\lambda,\quad \mu\mathrel{+}=c\,(y-\mu(x_i))/s,\quad
              \sigma^2\mathrel{-}=c^2/s,

    and :math:`c/\sqrt s` becomes the next row of V. The engine's own update stops at the last visit of a candidate, so its
    cost depends on how often points are repeated; this one shows the cost that is usually stated.

    Parameters
    ----------
    covariance, noise_variance : as for :class:`RefitPosterior`
    capacity : points to reserve memory for; it doubles when needed
    """

    def __init__(self, covariance: Floats | KernelMatrix, noise_variance: float, capacity: int = 64) -> None:
        self.noise_variance = positive_number("noise_variance", noise_variance)
        self._prior = covariance
        diagonal = np.diagonal(covariance) if isinstance(covariance, np.ndarray) else covariance.diagonal()
        self.mean = np.zeros((1, len(diagonal)))
        self.variance = np.array(diagonal, dtype=np.float64)[None, :]
        self.count = 0
        self._rows = np.empty((capacity, len(diagonal)))
        self.gain = np.zeros(1)
        self._points: list[int] = []

    @property
    def indices(self) -> NDArray[np.intp]:
        """Points in the order in which they came, shape (1, M)."""
        return np.array([self._points], dtype=np.intp)

    def observe(self, index: int, value: float) -> None:
        """Add a point and its value."""
        used = self._rows[: self.count]
        prior: Any = self._prior[index : index + 1, :]
        column = prior[0] - used[:, index] @ used
        spread = float(self.variance[0, index]) + self.noise_variance
        self.mean[0] += column * ((value - float(self.mean[0, index])) / spread)
        if self.count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[self.count] = column / np.sqrt(spread)
        self.variance[0] = np.maximum(self.variance[0] - self._rows[self.count] ** 2, 0.0)
        self.gain += 0.5 * np.log(spread / self.noise_variance)
        self._points.append(int(index))
        self.count += 1
