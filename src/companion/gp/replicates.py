r"""The posterior of :mod:`companion.gp.posterior` on torch tensors, where replicates may sit out a step or a GPU computes.

R posteriors share the prior and are kept side by side, the replicate axis first, so that one step is one product of
(R, 1, t) and (R, t, N) tensors, O(RtN), on the processor or on an accelerator. Unlike
:class:`~companion.gp.FinitePosterior`, whose replicates all take a point at every step, a replicate may sit out a step: a
compressed model keeps a point at one seed and rejects it at another.

This module needs torch, and so is not imported by ``companion.gp``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from companion.core.arrays import Flags, Floats, Indices
from companion.core.errors import ParameterError, whole_number
from companion.gp._validation import check_rounding, noise_with_floor
from companion.gp.matrix import KernelMatrix

Tensor = Any

#: (R, N) tensors that are in use at a time beside the factor: mean, variance, and what a step computes.
EXTRA_ROWS = 8


def bytes_needed(size: int, replicates: int, observations: int, *, stored: bool = True) -> int:
    """Bytes that R posteriors on N candidates take with so many observations each.

    Parameters
    ----------
    size, replicates, observations : N, R and t
    stored : whether the (N, N) covariance is kept as well

    Examples
    --------
    >>> round(bytes_needed(1000, 50, 300) / 2**20)  # MiB
    125
    """
    return 8 * (replicates * (observations + EXTRA_ROWS) * (size + 2) + (size * size if stored else 0))


class ReplicatePosterior:
    r"""R posteriors of a zero-mean Gaussian process on N candidates; formulas as in :mod:`companion.gp.posterior`.

    Parameters
    ----------
    covariance : (N, N) prior covariance shared by all replicates, float64, or a
        :class:`~companion.gp.KernelMatrix`, whose rows are then computed on the processor
    noise_variance : lambda, positive, in squared units of the observations; raised as by FinitePosterior if tiny
    replicates : R
    capacity : number of observations to reserve memory for; it grows when needed
    device : where the tensors are, as torch names it
    check : called with the bytes that are needed before memory is taken; raises if they are too many

    Attributes
    ----------
    mean : (R, N) posterior mean, a float64 tensor
    variance : (R, N) posterior variance of f
    counts : (R,) observations of each replicate, a NumPy array
    scale : largest prior variance
    notes : what was done to the noise variance

    Examples
    --------
    >>> import numpy as np
    >>> from companion.gp import Matern, grid
    >>> posterior = ReplicatePosterior(Matern(2.5, 0.2)(grid(50, 1)), 0.01, replicates=2)
    >>> posterior.observe(np.array([0, 25]), np.array([1.0, -1.0]))  # another point in each
    >>> posterior.observe(np.array([10, 10]), np.array([0.5, 0.5]), np.array([True, False]))  # the second sits out
    >>> posterior.counts.tolist(), [round(float(sd), 3) for sd in posterior.variance[:, 10].sqrt()]
    ([2, 1], [0.099, 0.963])
    """

    def __init__(
        self,
        covariance: Floats | KernelMatrix,
        noise_variance: float,
        replicates: int,
        capacity: int = 64,
        device: str = "cpu",
        check: Callable[[int], None] = lambda need: None,
    ) -> None:
        self.replicates, self.size = whole_number("replicates", replicates), int(covariance.shape[0])
        self._device, self._check = torch.device(device), check
        self._matrix = covariance if isinstance(covariance, KernelMatrix) else None
        diagonal = np.asarray(covariance.diagonal(), dtype=np.float64)
        self.scale = float(diagonal.max())
        self.noise_variance, self.notes = noise_with_floor(noise_variance, self.scale, "auto")
        self._check(self._bytes(whole_number("capacity", capacity)))
        self._prior = None if self._matrix is not None else self.tensor(np.ascontiguousarray(covariance))
        self.counts: NDArray[np.int64] = np.zeros(self.replicates, dtype=np.int64)
        self._factor = self._zeros(self.replicates, capacity, self.size)
        self._pivots = self._zeros(self.replicates, capacity)  # s_j
        self._indices = np.full((self.replicates, capacity), -1, dtype=np.int64)
        self.mean = self._zeros(self.replicates, self.size)
        self.variance = self._zeros(self.replicates, self.size) + self.tensor(diagonal)

    @property
    def sd(self) -> Tensor:
        """(R, N) posterior standard deviation of f."""
        return torch.sqrt(self.variance)

    @property
    def gain(self) -> Floats:
        """(R,) realised information gain in nats, a NumPy array."""
        pivots = self._pivots[:, : self._most].cpu().numpy()
        taken = np.arange(self._most) < self.counts[:, None]
        return np.where(taken, np.log(np.where(taken, pivots, 1.0) ** 2 / self.noise_variance), 0.0).sum(axis=1) / 2

    def tensor(self, array: NDArray[Any]) -> Tensor:
        """A NumPy array where the posterior is."""
        # torch shares memory with NumPy, and warns where that is read-only.
        return torch.as_tensor(array if array.flags.writeable else array.copy(), device=self._device)

    def observe(self, index: Indices, value: Floats, kept: Flags | None = None) -> None:
        """Condition each replicate on the value at a candidate of its own.

        Parameters
        ----------
        index, value : (R,) candidates and values
        kept : (R,) which replicates take the observation; all by default
        """
        for name, array in (("index", index), ("value", value)):
            if np.shape(array) != (self.replicates,):
                raise ParameterError(name, f"has shape {np.shape(array)}", f"({self.replicates},), one a replicate")
        if not np.isfinite(value).all():
            raise ParameterError("value", "contains NaN or infinity", "finite observations")
        lanes = np.arange(self.replicates) if kept is None else np.flatnonzero(kept)
        if not lanes.size:
            return
        self._reserve(int(self.counts[lanes].max()) + 1)
        # Without a copy where every replicate takes part.
        where = slice(None) if lanes.size == self.replicates else self.tensor(lanes)
        at, own = self.tensor(index[lanes]), self.tensor(np.arange(lanes.size))
        row, before = self._covariance(lanes, index[lanes]), self.variance[where]
        chosen = before[own, at]
        # The rounding guards of FinitePosterior: Cauchy-Schwarz, and a variance falls to no less than lambda/s^2 of itself.
        limit = torch.sqrt(chosen[:, None] * before)
        check_rounding(float((row.abs() - limit).max()), self.scale)
        row = torch.maximum(torch.minimum(row, limit), -limit)
        row[own, at] = chosen
        pivot = torch.sqrt(chosen + self.noise_variance)
        row /= pivot[:, None]
        floor = before * (self.noise_variance / pivot**2)[:, None]
        after = torch.maximum(before - row**2, floor)
        after[own, at] = floor[own, at]
        mean = self.mean[where]
        scaled = (self.tensor(value[lanes]) - mean[own, at]) / pivot
        self.mean[where] = mean + scaled[:, None] * row
        self.variance[where] = after
        self._store(lanes, index[lanes], row, pivot)

    def covariance_with(self, index: Indices) -> Tensor:
        """(R, N) posterior covariance of each replicate's candidate ``index`` (R,) with all candidates."""
        return self._covariance(np.arange(self.replicates), index)

    def pathwise(self, draws: Floats, noise: Floats) -> Tensor:
        """(R, S, N) exact posterior draws, see :meth:`companion.gp.FinitePosterior.pathwise`.

        Parameters
        ----------
        draws : (R, S, N) draws of the prior
        noise : (R, S, t) standard normal numbers; all replicates have t observations
        """
        t = self._most
        if (self.counts != t).any():
            raise ParameterError("draws", "the replicates have different numbers of observations", "equal ones")
        prior = self.tensor(draws)
        if t == 0:
            return prior + self.mean[:, None, :]
        rows, points = self._factor[:, :t], self.tensor(self._indices[:, :t])
        at = points[:, None, :]
        # lower[r, i, m] = v_m(x_i): the factor of the observed points, with the pivots on its diagonal.
        lower = torch.gather(rows, 2, at.expand(-1, t, -1)).transpose(1, 2).tril(-1)
        lower = lower + torch.diag_embed(self._pivots[:, :t])
        seen = torch.gather(prior, 2, at.expand(-1, prior.shape[1], -1))
        seen = seen + math.sqrt(self.noise_variance) * self.tensor(noise)
        weights = torch.linalg.solve_triangular(lower, seen.transpose(1, 2), upper=False)
        return self.mean[:, None, :] + prior - torch.bmm(weights.transpose(1, 2), rows)

    # -- internals -------------------------------------------------------------------------------------------------

    @property
    def _most(self) -> int:
        return int(self.counts.max())

    def _covariance(self, lanes: Indices, index: Indices) -> Tensor:
        """(r, N) c(x) of ``index`` in the replicates ``lanes``; starts at the last visit, as FinitePosterior does."""
        t, at, own = int(self.counts[lanes].max()), self.tensor(index), self.tensor(np.arange(lanes.size))
        base = self._prior[at] if self._prior is not None else self._rows(index)
        visits = self._indices[lanes, :t] == index[:, None]
        since = np.where(visits.any(axis=1), t - np.argmax(visits[:, ::-1], axis=1), 0) if t else np.zeros_like(index)
        if since.any():  # m + 1 where the candidate was observed before, m its last row
            seen = np.flatnonzero(since)
            last = (self.tensor(lanes[seen]), self.tensor(since[seen] - 1))
            base[self.tensor(seen)] = self._factor[last] * (self.noise_variance / self._pivots[last])[:, None]
        first = int(since.min())
        if first >= t:
            return base
        # The history of a few replicates is copied; that of many is read in place, those that sit out with weights of zero.
        whole = 4 * lanes.size > self.replicates
        history = self._factor[:, first:t] if whole else self._factor[self.tensor(lanes), first:t]
        place = self.tensor(lanes) if whole else own
        # Rows that a replicate does not have are zero, and so are their weights.
        weights = history[place, :, at]
        if first < since.max():
            weights = torch.where(self.tensor(np.arange(first, t) >= since[:, None]), weights, 0.0)
        if len(weights) == len(history):
            return base - torch.bmm(weights[:, None, :], history)[:, 0]
        full = self._zeros(self.replicates, t - first)
        full[place] = weights
        return base - torch.bmm(full[:, None, :], history)[:, 0][place]

    def _rows(self, index: Indices) -> Tensor:
        assert self._matrix is not None
        return self.tensor(self._matrix.rows(index))

    def _store(self, lanes: Indices, index: Indices, row: Tensor, pivot: Tensor) -> None:
        slot = self.counts[lanes]
        place = (self.tensor(lanes), self.tensor(slot))
        self._factor[place], self._pivots[place] = row, pivot
        self._indices[lanes, slot] = index
        self.counts[lanes] += 1

    def _reserve(self, needed: int) -> None:
        have = self._factor.shape[1]
        if needed <= have:
            return
        self._check(self._bytes(have + 2 * have))  # the new factor and its empty half, for a moment
        self._factor = torch.cat([self._factor, self._zeros(self.replicates, have, self.size)], dim=1)
        self._pivots = torch.cat([self._pivots, self._zeros(self.replicates, have)], dim=1)
        self._indices = np.concatenate([self._indices, np.full_like(self._indices, -1)], axis=1)

    def _bytes(self, capacity: int) -> int:
        return bytes_needed(self.size, self.replicates, capacity, stored=self._matrix is None)

    def _zeros(self, *shape: int) -> Tensor:
        return torch.zeros(shape, dtype=torch.float64, device=self._device)
