r"""Exact Gaussian-process posterior on a finite candidate set, one factor row per observation, in NumPy.

Write :math:`x_1,\dots,x_t` for the chosen points (a multiset), :math:`\lambda` for the noise variance and
:math:`c_{j}(x)=\mathrm{cov}(f(x_j),f(x)\mid x_1,\dots,x_{j-1})`. The engine keeps the rows

.. math:: v_j(x)=\frac{c_j(x)}{s_j},\qquad
          c_j(x)=k(x_j,x)-\sum_{m<j}v_m(x_j)\,v_m(x),\qquad s_j^2=\sigma_{j-1}^2(x_j)+\lambda,

which are the rows of the Cholesky factor of the joint covariance, extended to all candidates. From them

.. math:: \sigma_j^2=\sigma_{j-1}^2-v_j^2,\qquad \mu_j=\mu_{j-1}+v_j\,\frac{y_j-\mu_{j-1}(x_j)}{s_j},\qquad
          I_t=\tfrac12\sum_{j\le t}\log\frac{s_j^2}{\lambda}.

A step costs O(tN). It is equations (15)-(16) of Ma, Chen, Scarlett (2026). R replicates take a point each at every step; where
a replicate may sit out, or a GPU is to compute, :mod:`companion.gp.replicates` has the same posterior on tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from companion.core.arrays import Flags, Floats
from companion.core.errors import ParameterError, whole_number
from companion.gp import ties
from companion.gp._validation import (
    allowed_mask,
    check_covariance,
    check_rounding,
    indefinite,
    noise_with_floor,
    numbers,
)
from companion.gp.matrix import KernelMatrix

#: Below this ratio the greedy selection keeps to the one-row-at-a-time path, whose rounding guard is tighter.
_BLOCK_FLOOR = 1e-9
_BLOCK_CANDIDATES = 96
_BLOCK_PICKS = 48


class FinitePosterior:
    """Posterior of a zero-mean Gaussian process on N candidates, for R replicates at once.

    Parameters
    ----------
    covariance : prior covariance of the candidates, shape (N, N), float64; shared by all replicates.
        A :class:`~companion.gp.matrix.KernelMatrix` stands for one that is too large to store
    noise_variance : lambda, the variance of the observation noise, positive (in squared units of the observations)
    replicates, capacity : R posteriors that share the prior; observations to reserve memory for, which grows when needed
    jitter : ``"auto"`` raises a noise variance below 1e-13 times the largest prior variance to that value and says so in
        ``notes``; ``"refuse"`` raises :class:`ConditioningError` instead

    Raises
    ------
    ParameterError
        for arrays of the wrong shape, non-finite entries, asymmetry, or a noise variance that is not positive

    >>> import companion as cp
    >>> posterior = cp.FinitePosterior(cp.Matern(2.5, 0.2)(cp.grid(9, dim=1)), noise_variance=0.01)
    >>> posterior.observe(4, 1.0)
    >>> print(f"{posterior.mean[0, 4]:.3f}")
    0.990
    """

    def __init__(
        self,
        covariance: Floats | KernelMatrix,
        noise_variance: float,
        *,
        replicates: int = 1,
        capacity: int = 64,
        jitter: str = "auto",
    ) -> None:
        if not isinstance(covariance, KernelMatrix):
            check_covariance(covariance)
        whole_number("replicates", replicates)
        whole_number("capacity", capacity)
        self._prior = covariance
        self.size, self.replicates = int(covariance.shape[0]), int(replicates)
        self._lanes = np.arange(self.replicates)
        diagonal = covariance.diagonal()
        self._scale = float(diagonal.max())
        self.noise_variance, self.notes = noise_with_floor(noise_variance, self._scale, jitter)
        self.count = 0
        self._told = 0
        self._factor = np.zeros((self.replicates, min(int(capacity), 1 << 20), self.size))
        self._indices = np.zeros((self.replicates, self._factor.shape[1]), dtype=np.int64)
        self._pivots = np.zeros(self._indices.shape)  # s_j
        self._since = np.zeros(
            (self.replicates, self.size), dtype=np.int64
        )  # m + 1 for the last row x_m of a candidate
        self.mean = np.zeros((self.replicates, self.size))
        self.variance = np.zeros((self.replicates, self.size)) + diagonal

    def __repr__(self) -> str:
        several = f", {self.replicates} replicates" if self.replicates > 1 else ""
        known = f"{self.count} observed, noise variance {self.noise_variance:.4g}"
        return f"<FinitePosterior of {self.size} points, {known}{several}>"

    # -- what is known ---------------------------------------------------------------------------------------------

    @property
    def sd(self) -> Floats:
        """Posterior standard deviation of f (not of an observation), shape (R, N)."""
        return np.sqrt(self.variance)

    @property
    def indices(self) -> np.ndarray:
        """Candidates conditioned on so far, in order, shape (R, t)."""
        return self._indices[:, : self.count]

    @property
    def factor(self) -> Floats:
        """The rows v_j, shape (R, t, N)."""
        return self._factor[:, : self.count, :]

    @property
    def gain(self) -> Floats:
        r"""Realised information gain :math:`\frac12\log\det(I+\lambda^{-1}K_S)` in nats, shape (R,)."""
        if self.count == 0:
            return np.zeros(self.replicates)
        return np.sum(np.log(self._pivots[:, : self.count] ** 2 / self.noise_variance), axis=1) / 2

    # -- conditioning ----------------------------------------------------------------------------------------------

    def condition(self, index: int | np.ndarray) -> None:
        """Condition on observing ``index`` (one candidate, or R of them) without its value yet; see :meth:`tell`."""
        self._append(self._checked_index(index))

    def observe(self, index: int | np.ndarray, value: float | Floats) -> None:
        """Condition on the value(s) observed at ``index``: scalars, or one per replicate."""
        if self._told != self.count:
            raise ParameterError("index", "earlier points still wait for their values", "a call of tell() first")
        checked = self._checked_index(index)
        values = numbers(value)
        if values.shape not in ((), (self.replicates,)):
            raise ParameterError("values", f"has shape {values.shape}", f"a number or shape ({self.replicates},)")
        values = self._checked_values(np.full((self.replicates, 1), values.reshape(-1, 1)), 1)
        self._append(checked)
        self._absorb(values)

    def tell(self, values: Floats) -> None:
        """Supply the values of the points conditioned on since the last call, in their order, shape (R, pending)."""
        values = self._checked_values(values, self.count - self._told)
        if self._told < self.count:
            self._absorb(values)

    def select_max_variance(self, count: int, candidates: Flags | None = None) -> np.ndarray:
        """Greedy maximum-variance design: ``count`` times, condition on the candidate of largest posterior variance.

        Greedy variance is greedy information gain. Ties go to the lowest index, see :mod:`companion.gp.ties`. Needs no
        observed values; supply them later with :meth:`tell`.

        Parameters
        ----------
        count : number of picks, non-negative; a candidate may be picked repeatedly
        candidates : boolean mask of the candidates allowed, shape (N,) or (R, N); all by default

        Returns
        -------
        indices, shape (R, count)
        """
        whole_number("count", count, 0)
        allowed = allowed_mask(candidates, self.mean.shape)
        start, target = self.count, self.count + int(count)
        self._reserve(target)
        blocks = self.replicates == 1 and self.noise_variance >= _BLOCK_FLOOR * self._scale
        while self.count < target:
            if blocks and self.count - start >= 8 and self._append_block(allowed, target - self.count):
                continue
            for _ in range(min(8, target - self.count)):
                self._append(self._largest(self.variance, allowed))
        return self._indices[:, start:target].copy()

    def covariance_with(self, index: int) -> Floats:
        """Posterior covariance of candidate ``index`` with all candidates, one replicate, shape (N,)."""
        if self.replicates != 1:
            raise ParameterError("replicates", f"is {self.replicates}", "1")
        return self._covariance_with(self._checked_index(index))[0]

    def pathwise(self, draws: Floats, noise: Floats) -> Floats:
        r"""Exact posterior draws from prior draws (Matheron's rule), for one replicate.

        .. math:: g=\mu_t+f-V^\top L^{-1}(f(X)+\varepsilon),\qquad LL^\top=K_{XX}+\lambda I,\quad V=L^{-1}K_{X\cdot}

        With f a draw of the prior and :math:`\varepsilon\sim N(0,\lambda I)`, g has the posterior's law on all
        candidates together (Wilson et al., 2021, Sec. 3). No decomposition of an (N, N) matrix: O(t^2 + tN) a draw.

        Parameters
        ----------
        draws : (S, N) draws of the prior on the candidates
        noise : (S, t) standard normal numbers, one for each observation

        Returns
        -------
        (S, N)
        """
        t = self.count
        wanted = (draws.shape[0], t)
        if self.replicates != 1 or self._told != t:
            raise ParameterError(
                "replicates",
                f"are {self.replicates}, with {t - self._told} points not told",
                "one replicate, and tell() before draws",
            )
        if draws.shape != (wanted[0], self.size) or noise.shape != wanted:
            raise ParameterError("draws, noise", f"have shapes {draws.shape}, {noise.shape}", "(S, N), (S, t)")
        if t == 0:
            return draws + self.mean
        rows, points = self._factor[0, :t, :], self._indices[0, :t]
        lower = np.tril(rows[:, points].T, k=-1) + np.diag(self._pivots[0, :t])
        seen = draws[:, points] + math.sqrt(self.noise_variance) * noise
        weights = np.linalg.solve(lower, seen.T)
        return self.mean + draws - np.matmul(weights.T, rows)

    # -- internals -------------------------------------------------------------------------------------------------

    def _absorb(self, values: Floats) -> None:
        """Update the mean with the values (R, p) of the p points that wait for them."""
        rows = self._factor[:, self._told : self.count, :]
        points = self._indices[:, self._told : self.count]
        pivots = self._pivots[:, self._told : self.count]
        if points.shape[1] == 1:
            at = self._at(points[:, 0])
            self.mean = self.mean + (values[at[0], 0] - self.mean[at]) / pivots[at[0], 0] * rows[:, 0, :]
        else:
            scaled = values - self.mean[self._lanes[:, None], points]
            # lower[r, i, m] = v_m(x_i): the factor of these points, with the pivots s_i on the diagonal.
            lower = np.tril(rows[self._lanes[:, None], :, points], k=-1)
            solved = np.linalg.solve(lower + _diagonal_matrix(pivots), scaled[:, :, None])[:, None, :, 0]
            self.mean = self.mean + np.matmul(solved, rows)[:, 0, :]
        self._told = self.count

    def _append(self, index: np.ndarray) -> None:
        """One factor row per replicate; the only place where the posterior changes one observation at a time."""
        t = self.count
        self._reserve(t + 1)
        row = self._covariance_with(index)
        at = self._at(index)
        chosen = self.variance[at]
        # Rounding guard. A covariance cannot exceed the geometric mean of its variances (Cauchy-Schwarz); at tiny noise
        # a computed one can. Clipping keeps variance >= variance * lambda / s^2 > 0.
        limit = np.sqrt(chosen * self.variance)
        size = np.abs(row)
        if np.count_nonzero(size > limit) and check_rounding(float((size - limit).max()), self._scale) > 0:
            row = np.maximum(np.minimum(row, limit), -limit)
        row[at] = chosen
        pivot = np.sqrt(chosen + self.noise_variance)
        # Squared as arrays are: the power of a number rounds otherwise.
        row, left = np.divide(row, pivot, out=self._factor[:, t, :]), self.noise_variance / np.square(pivot)
        self.variance = np.maximum(self.variance - row**2, self.variance * left)
        self.variance[at] = chosen * left  # exact here, where the difference cancels
        self._since[at] = t + 1
        self._store(pivot, index[:, None])

    def _at(self, index: np.ndarray) -> tuple[Any, Any]:
        """Where (R, N) arrays have each replicate's candidate: of one a number, which costs half of what an array does."""
        return (0, index[0]) if self.replicates == 1 else (self._lanes[:, None], index[:, None])

    def _covariance_with(self, index: np.ndarray) -> Floats:
        """Posterior covariance c(x) of each replicate's candidate ``index`` with all candidates, shape (R, N).

        Conditioning on x_m multiplies the covariances with x_m by lambda / s_m^2, so those of a candidate that was
        observed before follow from its own last row v_m = c_m / s_m and the rows after it:
        c = v_m lambda / s_m - sum_{j > m} v_j(x_m) v_j. The sum over all rows is equal in exact arithmetic, but with
        small noise it is the small difference of large numbers, and every repetition would lose digits again.
        """
        t, lanes = self.count, self._lanes
        base = self._prior[index, :]
        if t == 0:
            return base
        since = self._since[lanes, index]  # the first row that still counts
        ends = since.tolist()
        first, repeated = min(ends), max(ends) > 0
        if repeated:
            last = np.maximum(since - 1, 0)
            shrunk = self._factor[lanes, last, :] * (self.noise_variance / self._pivots[lanes, last])[:, None]
            base = np.where(since[:, None] > 0, shrunk, base)
        history = self._factor[:, first:t, :]
        weights = history[lanes, :, index]
        if repeated and self.replicates > 1:
            weights = np.where(np.arange(first, t) >= since[:, None], weights, 0.0)
        return base - np.matmul(weights[:, None, :], history)[:, 0, :]

    def _append_block(self, allowed: Flags, limit: int) -> bool:
        """Several greedy picks at once, with matrix products instead of matrix-vector products; one replicate.

        Variances only fall, so today's variance of a candidate bounds its variance after any further picks. The picks
        are made exactly inside the set C of the currently largest variances; they are the true greedy picks as long as
        the largest variance in C stays above every variance outside C as it was when the block began. Returns False,
        with nothing changed, when not even one pick can be certified that way (typically ties at the start).
        """
        variance = np.where(allowed[0], self.variance[0], -1.0)
        order = np.argpartition(-variance, min(_BLOCK_CANDIDATES, self.size - 1))
        inside = np.sort(order[:_BLOCK_CANDIDATES])
        outside_max = float(variance[order[_BLOCK_CANDIDATES:]].max()) if self.size > len(inside) else -1.0
        gathered = self._factor[0, : self.count, :][:, inside]
        chosen = self._picks_inside(inside, gathered, variance, outside_max, min(limit, _BLOCK_PICKS))
        if len(chosen) < 2:
            return False
        t, picks = self.count, inside[chosen]
        past = gathered[:, chosen]
        rows = self._prior[picks, :] - np.matmul(past.T, self._factor[0, :t, :])
        within = rows[:, picks] + self.noise_variance * np.eye(len(picks))
        try:
            lower = np.linalg.cholesky(within)
        except np.linalg.LinAlgError:
            raise indefinite("leaves chosen candidates a matrix without a Cholesky factor") from None
        pivots = lower.diagonal()
        # The triangle is small and, above _BLOCK_FLOOR, well conditioned; a product beats a solve with N right sides.
        rows = np.matmul(np.linalg.inv(lower), rows)
        floor = self.variance * float(np.prod(self.noise_variance / pivots**2))
        self.variance = np.maximum(self.variance - np.sum(rows**2, axis=0)[None, :], floor)
        self._factor[0, t : t + len(picks)] = rows
        self._since[0, picks] = np.arange(t, t + len(picks)) + 1
        self._store(pivots[None, :], picks[None, :])
        return True

    def _picks_inside(
        self, inside: np.ndarray, gathered: Floats, variance: Floats, outside_max: float, limit: int
    ) -> np.ndarray:
        """Certified greedy picks as positions in ``inside``.

        ``gathered`` holds the factor's columns at ``inside``, shape (t, len(inside)).
        """
        explained = np.matmul(gathered.T, gathered)
        prior = self._prior_among(inside)
        left = variance[inside]
        rows = np.zeros((limit, len(inside)))
        picks: list[int] = []
        for step in range(limit):
            largest = left.max()
            bar = largest * (1 - ties.TOLERANCE)
            if largest <= 0 or outside_max >= bar:
                break
            j = int(np.argmax(left >= bar))
            row = rows[step]
            np.matmul(rows[:step, j], rows[:step], out=row)
            row += explained[j]
            np.subtract(prior(j), row, out=row)
            row /= math.sqrt(left[j] + self.noise_variance)
            left -= row * row  # forbidden candidates carry -1 and stay negative
            picks.append(j)
        return np.asarray(picks, dtype=np.int64)

    def _prior_among(self, inside: np.ndarray) -> Callable[[int], np.ndarray]:
        """Prior covariance of the j-th of ``inside`` with all of them, as a function of j.

        Few of the rows are ever wanted, and reading the small square out of a large matrix is all cache misses; so each
        row is read when asked for.
        """
        prior = self._prior
        if isinstance(prior, KernelMatrix):
            return lambda j: prior.rows(int(inside[j]), inside)
        return lambda j: prior[inside[j]].take(inside)

    def _largest(self, variance: Floats, allowed: Flags) -> np.ndarray:
        """Lowest index within the tie tolerance of the largest allowed variance, one per replicate."""
        masked = np.where(allowed, variance, -1.0)
        bar = masked.max(axis=1, keepdims=True) * (1 - ties.TOLERANCE)
        return np.argmax(masked >= bar, axis=1)

    def _store(self, pivots: Floats, indices: np.ndarray) -> None:
        start, self.count = self.count, self.count + indices.shape[1]
        self._pivots[:, start : self.count] = pivots
        self._indices[:, start : self.count] = indices

    def _reserve(self, needed: int) -> None:
        have = self._factor.shape[1]
        if needed <= have:
            return
        extra = max(needed, 2 * have) - have
        self._factor = np.concatenate([self._factor, np.zeros((self.replicates, extra, self.size))], axis=1)
        self._pivots = np.concatenate([self._pivots, np.zeros((self.replicates, extra))], axis=1)
        self._indices = np.concatenate([self._indices, np.zeros((self.replicates, extra), dtype=np.int64)], axis=1)

    def _checked_index(self, index: int | np.ndarray) -> np.ndarray:
        given = np.asarray(index)
        if given.dtype.kind not in "iu" or given.shape not in ((), (self.replicates,)):
            raise ParameterError(
                "index", f"got {index!r}", f"an integer or an integer array of shape ({self.replicates},)"
            )
        low, high = (given.item(),) * 2 if given.size == 1 else (given.min(), given.max())
        if low < 0 or high >= self.size:
            raise ParameterError("index", f"got {index!r}", f"candidates from 0 to {self.size - 1}")
        return np.full(self.replicates, given, dtype=np.int64)

    def _checked_values(self, values: Floats, pending: int) -> Floats:
        values = numbers(values)
        if values.shape != (self.replicates, pending):
            raise ParameterError(
                "values",
                f"has shape {values.shape}",
                f"({self.replicates}, {pending}), one value per waiting point",
            )
        if np.count_nonzero(np.isfinite(values)) < values.size:
            raise ParameterError("values", "contains NaN or infinity", "finite observations")
        return values


def _diagonal_matrix(entries: Floats) -> Floats:
    """(R, p) -> (R, p, p) with ``entries`` on the diagonals."""
    return entries[:, :, None] * np.eye(entries.shape[1])
