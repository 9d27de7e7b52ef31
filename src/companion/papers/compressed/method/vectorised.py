"""Algorithm 1 at many seeds at once: the rule of :mod:`companion.papers.compressed.method.policy`, each row a seed.

A seed whose point is rejected sits out the step, so dictionaries differ in size, and a step costs what the seeds that keep
their point cost. Tests hold the choices against those of :class:`~companion.papers.compressed.method.policy.CompressedBandit`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from companion.core.arrays import Flags, Floats, Indices
from companion.gp import ties
from companion.gp.replicates import ReplicatePosterior
from companion.papers.compressed.method.admission import Admission
from companion.papers.compressed.method.policy import VARIANCE_FLOOR, scores
from companion.policies.widths import Width, scheduled
from companion.simulate.tensors import DOUBT, argmaxes, log_expected_improvement, lowest_argmaxes
from companion.simulate.vectorised import Played

Tensor = Any

#: ``observe(index, n)``: values (R,) of a candidate a seed, as evaluation n (from 0) sees them.
Observe = Callable[[Indices, int], Floats]


def choose(acquisition: str, mean: Tensor, variance: Tensor, width: float, incumbent: Tensor) -> tuple[Tensor, Tensor]:
    """Choice of :func:`companion.papers.compressed.method.policy.choose` in every row, and whether rounding decides it.

    Parameters
    ----------
    acquisition, width : as there
    mean, variance : (R, N)
    incumbent : (R,)
    """
    sd = torch.sqrt(torch.clamp(variance, min=VARIANCE_FLOOR))
    if acquisition == "ucb":
        return lowest_argmaxes(scores(acquisition, mean, sd, width, 0.0))
    best = mean.amax(dim=1, keepdim=True) if acquisition == "mpi" else incumbent[:, None]
    return argmaxes(log_expected_improvement(mean, sd, best))


class Seeds:
    """R runs of Algorithm 1.

    Parameters
    ----------
    posterior : of R replicates, without observations
    acquisition, admission, width : as for :class:`~companion.papers.compressed.method.policy.CompressedBandit`
    initial : (R, n_0) indices of the initial points
    horizon : rounds T after them
    observe : values
    """

    def __init__(
        self,
        posterior: ReplicatePosterior,
        acquisition: str,
        admission: Admission,
        width: Width,
        initial: Indices,
        horizon: int,
        observe: Observe,
    ) -> None:
        self._posterior, self._acquisition, self._admission = posterior, acquisition, admission
        self._width, self._observe = scheduled(width), observe
        self._first, self._horizon = initial.shape[1], horizon
        shape = (posterior.replicates, self._first + horizon)
        self._query: Indices = np.zeros(shape, dtype=np.intp)
        self._query[:, : self._first] = initial
        self._value, self._variance = np.zeros(shape), np.zeros(shape)
        self._kept: Flags = np.zeros(shape, dtype=bool)
        self._kept[:, : self._first] = True
        self._doubtful: Flags = np.zeros(posterior.replicates, dtype=bool)

    def play(self) -> list[Played]:
        """The choices of all rounds."""
        for n in range(self._first):
            self._value[:, n] = self._observe(self._query[:, n], n)
            self._posterior.observe(self._query[:, n], self._value[:, n])
        best = self._value[:, : self._first].max(axis=1, initial=-math.inf)
        for n in range(self._first, self._query.shape[1]):
            self._choose(n, best)
            kept, value = self._kept[:, n] & ~self._doubtful, self._value[:, n]  # what is run alone is not gone on with
            if self._doubtful.all():
                break
            if not kept.any() and self._acquisition != "ucb":
                self._settle(n)  # nothing changes any more
                break
            self._posterior.observe(self._query[:, n], value, kept)
            best = np.where(kept, np.maximum(best, value), best)
        gain = self._posterior.gain
        return [self._played(seed, float(gain[seed])) for seed in range(len(gain))]

    def _choose(self, n: int, best: Floats) -> None:
        """Round t = n - n_0 + 1: choice, the variance there, whether it is kept, and its value."""
        posterior = self._posterior
        width = self._width(n - self._first + 1, 0.0) if self._acquisition == "ucb" else 0.0
        incumbent = torch.as_tensor(best, device=posterior.mean.device)
        chosen, doubtful = choose(self._acquisition, posterior.mean, posterior.variance, width, incumbent)
        there = torch.gather(posterior.variance, 1, chosen[:, None])[:, 0].cpu().numpy()
        self._query[:, n], self._variance[:, n] = chosen.cpu().numpy(), there
        self._kept[:, n] = self._admission.admits(there)
        near = abs(there - self._admission.threshold) <= DOUBT * ties.TOLERANCE * posterior.scale
        self._doubtful |= doubtful.cpu().numpy() | near
        self._value[:, n] = self._observe(self._query[:, n], n)

    def _settle(self, n: int) -> None:
        for later in range(n + 1, self._query.shape[1]):
            self._query[:, later], self._variance[:, later] = self._query[:, n], self._variance[:, n]
            self._value[:, later] = self._observe(self._query[:, n], later)

    def _played(self, seed: int, gain: float) -> Played:
        query, value, kept = self._query[seed], self._value[seed], self._kept[seed]
        later, first = kept[self._first :], self._first
        rejected = np.flatnonzero(~later) + 1
        diagnostics = {
            "kept_rounds": (np.flatnonzero(later) + 1).tolist(),
            "first_rejection": int(rejected[0]) if rejected.size else None,
            "evaluations": int(kept.sum()),
            "variance": self._variance[seed, first:].tolist(),
            "gain": gain,
            "reading": self._admission.reading,
            "threshold": self._admission.threshold,
        }
        orders = np.cumsum(kept)[max(first - 1, 0) :] if first else np.cumsum(kept)
        sizes = [first] * bool(first) + [1] * self._horizon
        recommended = int(query[np.argmax(np.where(kept, value, -np.inf))]) if kept.any() else 0
        doubtful = bool(self._doubtful[seed])
        return Played(sizes, query, value, orders.tolist(), recommended, diagnostics, doubtful)
