"""The posterior computed anew from all kept points, as a program without updates does it every round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular

from companion.errors import positive_number
from companion.gp import KernelMatrix

Floats = NDArray[np.float64]


class RefitPosterior:
    r"""Exact posterior on N candidates by one Cholesky decomposition a call of :meth:`refit`: O(M^3 + M^2 N).

    .. math:: \mu=k^\top(K_{SS}+\lambda I)^{-1}y,\qquad \sigma^2=\operatorname{diag}K-\sum_jV_j^2,\quad V=L^{-1}k

    Stands in for :class:`~companion.gp.FinitePosterior` where the time of a full refit is to be measured. ``mean`` and
    ``variance``, both (1, N), are those of the last refit.

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
