"""The rules of :mod:`companion.papers.tsrsr.method.rules` on a finite set, at many seeds at once, each row a seed.

Rules that need no posterior of their own, or only its mean, are called seed by seed. Random numbers are drawn as
the rules draw them, from the seed's own generator, so that a seed sees the same draws as alone. Tests hold the choices
against those of :class:`~companion.papers.tsrsr.method.policy.FinitePolicy`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from companion.core.arrays import Flags, Floats, Indices
from companion.core.errors import CompanionError
from companion.gp import PriorDraws
from companion.papers.tsrsr.method.round import VARIANCE_FLOOR
from companion.papers.tsrsr.method.rules import (
    BUCB,
    MAXIMUM_REDRAWS,
    TSRSR,
    UCBPE,
    BatchTS,
    BelieverEI,
    MaximumVariance,
    RandomSearch,
    Rule,
    StochasticPolicy,
    width_of,
)
from companion.simulate.vectorised import Played

if TYPE_CHECKING:  # torch is loaded by whoever makes the posterior
    from companion.gp.replicates import ReplicatePosterior

Tensor = Any

#: ``observe(index, n)``: values (R, m) of a batch (R, m), as the evaluations from number n (from 0) on see them.
Observe = Callable[[Indices, int], Floats]


class SingleView(NamedTuple):
    """View of one seed for a rule that uses the mean alone; see :class:`~companion.papers.tsrsr.method.round.Round`."""

    number: int
    mean: Floats


class BatchPosteriors:
    """sigma_{t,i}^2 of R seeds while their batches are put together.

    As :class:`companion.papers.tsrsr.method.round.Pending`, each row a seed.
    """

    def __init__(self, posterior: ReplicatePosterior) -> None:
        self._posterior = posterior
        self._floor = VARIANCE_FLOOR * posterior.variance.amax(dim=1)
        self._rows: list[Tensor] = []
        self._seeds = posterior.tensor(np.arange(posterior.replicates))
        self.variance: Tensor = posterior.variance.maximum(self._floor[:, None])

    @property
    def sd(self) -> Tensor:
        """(R, N) standard deviations."""
        return self.variance.sqrt()

    def condition(self, index: Tensor) -> None:
        """Condition every seed on an observation at its candidate ``index`` (R,)."""
        noise, at = self._posterior.noise_variance, (self._seeds, index)
        row = self._posterior.covariance_with(index.cpu().numpy())
        for earlier in self._rows:
            row = row - earlier[at][:, None] * earlier
        own = row[at].maximum(self._floor)
        row = row / (own + noise).sqrt()[:, None]
        variance = self.variance - row**2
        variance[at] = own * noise / (own + noise)
        self.variance = variance.maximum(self._floor[:, None])
        self._rows.append(row)


class Rounds:
    """View of R seeds in one round, as passed to the rules.

    Parameters
    ----------
    number : t, the number of batches before this one
    posterior : of R replicates with equally many observations
    prior : draws of the prior
    generators : one a seed, of the rule's own draws
    incumbent : (R,) largest observations so far

    Attributes
    ----------
    doubtful : (R,) whether a choice in this round could rest on rounding
    """

    def __init__(
        self,
        number: int,
        posterior: ReplicatePosterior,
        prior: PriorDraws,
        generators: Sequence[np.random.Generator],
        incumbent: Floats,
    ) -> None:
        self.number, self.posterior, self.prior = number, posterior, prior
        self.generators, self.incumbent = generators, incumbent
        self.doubtful: Tensor = posterior.tensor(np.zeros(posterior.replicates, dtype=np.bool_))

    def draws(self, counts: Indices) -> Tensor:
        """(R, S, N) posterior draws, ``counts`` (R,) of each seed and S the largest; those beyond are of no use."""
        observed, most = int(self.posterior.counts[0]), int(counts.max())
        prior = np.zeros((len(counts), most, self.prior.size))
        noise = np.zeros((len(counts), most, observed))
        for seed in np.flatnonzero(counts).tolist():
            generator, count = self.generators[seed], int(counts[seed])
            prior[seed, :count] = self.prior.draw(generator, count)
            noise[seed, :count] = generator.standard_normal((count, observed))
        return self.posterior.pathwise(prior, noise)

    def maxima(self, size: int, resample: bool) -> Tensor:
        """(R, size) sampled maxima, as :func:`~companion.papers.tsrsr.method.rules.sampled_maxima` draws them."""
        found = self.draws(np.full(len(self.generators), size)).amax(dim=2)
        if not resample:
            return found
        bar = self.posterior.mean.amax(dim=1, keepdim=True)
        for _ in range(MAXIMUM_REDRAWS):
            low = (found <= bar).cpu().numpy()
            counts = low.sum(axis=1)
            if not counts.any():
                return found
            again = self.draws(counts).amax(dim=2)
            for seed in np.flatnonzero(counts):
                found[seed, self.posterior.tensor(np.flatnonzero(low[seed]))] = again[seed, : counts[seed]]
        raise CompanionError("no posterior draw exceeds the largest mean: the posterior covariance is not valid")


# -- one function a rule: (R, size) choices ----------------------------------------------------------------------------


def _greedy(current: Rounds, size: int, score: Callable[[int, BatchPosteriors], Tensor]) -> Indices:
    """The largest of ``score(i, pending)`` (R, N) for each place i of the batch, given those before it."""
    from companion.simulate.tensors import lowest_argmaxes  # needs torch

    pending, chosen = BatchPosteriors(current.posterior), []
    for place in range(size):
        index, doubtful = lowest_argmaxes(score(place, pending))
        chosen.append(index.cpu().numpy())
        current.doubtful |= doubtful
        if place + 1 < size:
            pending.condition(index)
    return np.stack(chosen, axis=1)


def _ts_rsr(rule: TSRSR, current: Rounds, size: int) -> Indices:
    maxima, mean = current.maxima(size, rule.resample), current.posterior.mean

    return _greedy(current, size, lambda i, pending: -((maxima[:, i, None] - mean) / pending.sd))  # Psi of (3)


def _bucb(rule: BUCB, current: Rounds, size: int) -> Indices:
    mean = current.posterior.mean
    width = width_of(rule.width, current.number, mean.shape[1])
    return _greedy(current, size, lambda _, pending: mean + width * pending.sd)


def _ucbpe(rule: UCBPE, current: Rounds, size: int) -> Indices:
    mean = current.posterior.mean
    margin = width_of(rule.width, current.number, mean.shape[1]) * BatchPosteriors(current.posterior).sd
    upper = mean + margin
    inside = upper >= ((mean - margin).amax(dim=1, keepdim=True) if rule.region else -math.inf)

    return _greedy(current, size, lambda i, pending: pending.sd.where(inside, -1.0) if i else upper)


def _believer(rule: BelieverEI, current: Rounds, size: int) -> Indices:
    from companion.simulate.tensors import log_expected_improvement  # needs torch

    mean = current.posterior.mean
    best = current.posterior.tensor(current.incumbent)[:, None]
    return _greedy(current, size, lambda _, pending: log_expected_improvement(mean, pending.sd, best))


def _thompson(rule: BatchTS, current: Rounds, size: int) -> Indices:
    from companion.simulate.tensors import argmaxes  # needs torch

    chosen, doubtful = argmaxes(current.draws(np.full(len(current.generators), size)))
    current.doubtful |= doubtful.any(dim=1)
    return chosen.cpu().numpy()


def _uncertain(rule: MaximumVariance, current: Rounds, size: int) -> Indices:
    return _greedy(current, size, lambda _, pending: pending.variance)


def _each(rule: Rule, current: Rounds, size: int) -> Indices:
    views = (SingleView(current.number, mean) for mean in current.posterior.mean.cpu().numpy())
    pairs = zip(views, current.generators, strict=True)
    return np.stack([rule.choose(view, size, generator) for view, generator in pairs])  # type: ignore[arg-type]


#: The rules that can be run at many seeds at once.
TOGETHER: dict[type, Callable[[Any, Rounds, int], Indices]] = {
    TSRSR: _ts_rsr,
    BUCB: _bucb,
    UCBPE: _ucbpe,
    BelieverEI: _believer,
    BatchTS: _thompson,
    MaximumVariance: _uncertain,
    StochasticPolicy: _each,
    RandomSearch: _each,
}


def choose(rule: Rule, current: Rounds, size: int) -> Indices:
    """(R, size) candidates, one row a seed."""
    return np.asarray(TOGETHER[type(rule)](rule, current, size), dtype=np.intp)


def play(
    rule: Rule,
    posterior: ReplicatePosterior,
    prior: PriorDraws,
    generators: Sequence[np.random.Generator],
    design: Indices,
    sizes: tuple[int, int, int],
    observe: Observe,
) -> list[Played]:
    """The choices of :class:`~companion.papers.tsrsr.method.policy.FinitePolicy` at every seed.

    Parameters
    ----------
    rule, prior, generators : of the policies
    posterior : of R replicates, without observations
    design : (R, n_0) indices of the initial points
    sizes : warm-up points, batch size, and the number of all evaluations
    observe : values
    """
    warm_up, batch_size, horizon = sizes
    parts: list[Indices] = []
    seen: list[Floats] = []
    done, number = 0, 0
    best, doubtful = np.full(len(generators), -np.inf), np.zeros(len(generators), dtype=bool)
    while done < horizon:
        current = Rounds(number, posterior, prior, generators, best)
        if not parts and design.shape[1]:
            chosen = design
        elif warm_up:
            chosen, warm_up = choose(MaximumVariance(), current, warm_up), 0
        else:
            chosen, number = choose(rule, current, batch_size), number + 1
        doubtful |= current.doubtful.cpu().numpy()
        parts.append(chosen[:, : horizon - done])
        seen.append(observe(parts[-1], done))
        for place in range(parts[-1].shape[1]):
            posterior.observe(parts[-1][:, place], seen[-1][:, place])
        best = np.maximum(best, seen[-1].max(axis=1))
        done += parts[-1].shape[1]
    return _played(posterior, parts, np.concatenate(seen, axis=1), doubtful)


def _played(posterior: ReplicatePosterior, parts: list[Indices], values: Floats, doubtful: Flags) -> list[Played]:
    sizes = [part.shape[1] for part in parts]
    query, gain = np.concatenate(parts, axis=1), posterior.gain
    orders = np.cumsum(sizes).tolist()
    found = []
    for seed in range(len(query)):
        distinct = [len(set(part[seed].tolist())) / size for part, size in zip(parts, sizes, strict=True)]
        diagnostics = {"gain": float(gain[seed]), "distinct": distinct, "notes": list(posterior.notes)}
        recommended = int(query[seed, np.argmax(values[seed])])
        own = (query[seed], values[seed])
        found.append(Played(sizes, *own, orders, recommended, diagnostics, bool(doubtful[seed])))
    return found
