r"""Exact posterior when there are far more observations than candidates.

:class:`~companion.gp.posterior.FinitePosterior` keeps one row per observation, which costs O(t^2 N) for t observations
and O(t^2) memory. With t much larger than N the posterior covariance itself is smaller than those rows. A step is the
rank-one downdate

.. math:: \Sigma_j=\Sigma_{j-1}-\frac{c_jc_j^\top}{\Sigma_{j-1}(x_j,x_j)+\lambda},\qquad c_j=\Sigma_{j-1}(x_j,\cdot),

at O(N^2), and the n_s values observed at candidate s enter the mean only through their average:

.. math:: \mu=K_{\cdot S}\,\big(K_{SS}+\lambda\,\mathrm{diag}(1/n_s)\big)^{-1}\bar y_S .

Both are equations (15)-(16) of Ma, Chen and Scarlett (2026) with repeated points pooled.
"""

from __future__ import annotations

import math
from copy import copy

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from companion.core.arrays import Floats
from companion.core.errors import ConditioningError, ParameterError, positive_number, whole_number
from companion.gp.posterior import FinitePosterior
from companion.gp.ties import lowest_argmax

#: Smallest ratio of noise variance to the largest prior variance: below it, thousands of downdates leave too few
#: digits of a variance that has shrunk to the noise.
POOLED_FLOOR = 1e-9


class PooledPosterior:
    """Posterior of a zero-mean Gaussian process on N candidates from a multiset of points; one replicate, NumPy.

    Attributes and methods have the meaning and the shapes (with R = 1) of :class:`~companion.gp.FinitePosterior`:
    ``size``, ``count``, ``mean`` (1, N), ``variance`` (1, N), ``sd`` (1, N), ``gain`` (1,), ``indices`` (1, t).

    Parameters
    ----------
    covariance : (N, N) prior covariance of the candidates
    noise_variance : lambda, at least ``POOLED_FLOOR`` times the largest prior variance

    Raises
    ------
    ParameterError
        as FinitePosterior
    ConditioningError
        for a smaller noise variance
    """

    notes: tuple[str, ...] = ()

    def __init__(self, covariance: Floats, noise_variance: float) -> None:
        prior = np.asarray(covariance)
        FinitePosterior(prior, noise_variance, capacity=1)  # its checks
        self.noise_variance = positive_number("noise_variance", noise_variance)
        scale = float(prior.diagonal().max())
        if self.noise_variance < POOLED_FLOOR * scale:
            raise ConditioningError(
                f"noise_variance: {noise_variance:.3g} is below {POOLED_FLOOR:.0e} of the largest prior variance "
                f"{scale:.3g}; use FinitePosterior, which keeps every observation"
            )
        self._prior = prior
        self.size = prior.shape[0]
        self._covariance = prior.copy(order="C")  # whose diagonal has a view
        self._chosen: list[int] = []
        self._told = 0
        self._counts = np.zeros(self.size, dtype=np.int64)
        self._sums = np.zeros(self.size)
        self._gain = 0.0
        self.mean = np.zeros((1, self.size))

    @property
    def count(self) -> int:
        """Number of points conditioned on."""
        return len(self._chosen)

    @property
    def indices(self) -> NDArray[np.int64]:
        """Candidates conditioned on so far, in order, shape (1, t)."""
        return np.asarray(self._chosen, dtype=np.int64)[None, :]

    @property
    def _variances(self) -> Floats:
        # A view of the diagonal that can be written to; kept, it would be a copy in a restored object.
        return self._covariance.reshape(-1)[:: self.size + 1]

    @property
    def variance(self) -> Floats:
        """Posterior variance of f, shape (1, N)."""
        return self._variances[None, :].copy()

    @property
    def sd(self) -> Floats:
        """Posterior standard deviation of f, shape (1, N)."""
        return np.sqrt(self.variance)

    @property
    def gain(self) -> Floats:
        """Realised information gain in nats, shape (1,)."""
        return np.array([self._gain])

    def condition(self, index: int) -> None:
        """Condition on observing candidate ``index`` without its value yet; see :meth:`tell`."""
        self._condition(whole_number("index", index, 0, self.size - 1))

    def select_max_variance(self, count: int, candidates: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Greedy maximum-variance design, as :meth:`FinitePosterior.select_max_variance`; returns (1, count) indices.

        Parameters
        ----------
        count : number of picks
        candidates : (N,) bool, the candidates allowed; all by default
        """
        whole_number("count", count, 0)
        if candidates is None:
            forbidden = None
        else:
            mask = np.asarray(candidates)
            if mask.dtype != np.bool_ or mask.shape != (self.size,) or not mask.any():
                raise ParameterError("candidates", "is not such a mask", f"({self.size},) booleans, at least one true")
            forbidden = None if mask.all() else ~mask
        start = self.count
        variances = self._variances
        for _ in range(count):
            allowed = variances if forbidden is None else np.where(forbidden, -1.0, variances)
            self._condition(lowest_argmax(allowed))
        return self.indices[:, start:]

    def tell(self, values: ArrayLike) -> None:
        """Values (1, pending) of the points conditioned on since the last call, in their order."""
        array = np.asarray(values, dtype=np.float64)
        pending = np.asarray(self._chosen[self._told :], dtype=np.int64)
        if array.shape != (1, pending.size):
            raise ParameterError("values", f"has shape {array.shape}", f"(1, {pending.size})")
        if not np.isfinite(array).all():
            raise ParameterError("values", "contains NaN or infinity", "finite observations")
        if pending.size == 0:
            return
        np.add.at(self._counts, pending, 1)
        np.add.at(self._sums, pending, array[0])
        self._told = self.count
        seen = np.flatnonzero(self._counts)
        pulls = self._counts[seen]
        gram = self._prior[np.ix_(seen, seen)] + np.diag(self.noise_variance / pulls)
        weights = linalg.cho_solve(linalg.cho_factor(gram, lower=True), self._sums[seen] / pulls)
        self.mean = (weights @ self._prior[seen])[None, :]

    def untold_copy(self) -> PooledPosterior:
        """The same posterior, to be told values that this one does not learn. Points cannot be added to both."""
        other = copy(self)
        other._counts, other._sums = self._counts.copy(), self._sums.copy()
        return other

    def _condition(self, index: int) -> None:
        row = self._covariance[index]
        total = float(row[index]) + self.noise_variance
        variances = self._variances
        # A variance falls to no less than its own multiple lambda/total; rounding must not take it further.
        floor = variances * (self.noise_variance / total)
        scaled = row / math.sqrt(total)  # scaled on both sides alike, so that the matrix stays symmetric to the bit
        self._covariance -= scaled[:, None] * scaled
        np.maximum(variances, floor, out=variances)
        self._gain += 0.5 * math.log(total / self.noise_variance)
        self._chosen.append(index)
