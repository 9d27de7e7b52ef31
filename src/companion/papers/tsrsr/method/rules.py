r"""Rules for choosing a batch of m points: TS-RSR and its competitors, each on the same view of the posterior.

A rule has a ``choose(round, size, generator)`` that returns ``size`` candidate indices. It changes nothing outside, so
one rule object serves many runs. All rules use the same candidates, the same posterior and draws of the same kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.bounds.confidence import SrinivasDrawsWidth, union_bound_log
from companion.core.arrays import Floats, Indices
from companion.core.errors import CompanionError, ParameterError, whole_number
from companion.gp.ties import lowest_argmax, lowest_argmins
from companion.papers.tsrsr.method.round import Conditioned, Round
from companion.policies.acquisition import expected_improvement, log_expected_improvement

#: Multiplier of the standard deviation: a number, or ``width(t, N)`` in batch t (from 0) with N candidates.
Width = float | Callable[[int, int], float]

#: A sampled maximum exceeds the largest mean with probability at least 1/2, so this many failures mean a broken model.
MAXIMUM_REDRAWS = 10_000


class Rule(Protocol):
    """Chooses a batch."""

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """``size`` candidates, in order; repeats are possible."""
        ...


def one_by_one(current: Round, size: int, score: Callable[[Conditioned], Floats]) -> Indices:
    """``size`` candidates, each of the largest score given those before it; the first on ties."""
    pending, chosen = current.pending(), []
    for _ in range(size):
        chosen.append(lowest_argmax(score(pending)))
        pending.condition(chosen[-1])
    return np.array(chosen, dtype=np.intp)


@dataclass(frozen=True)
class TSRSR:
    r"""Thompson sampling with the regret-to-sigma ratio (Ren, Li, Algorithm 1, eqs. (3), (4)).

    .. math:: x_{t+1,i}=\arg\min_x\Psi_{t,i}(x),\qquad \Psi_{t,i}(x)=\frac{\tilde f^*_{t,i}-\mu_t(x)}{\sigma_{t,i}(x)}

    with one independent posterior draw for each i, whose maximum is :math:`\tilde f^*_{t,i}`.

    Parameters
    ----------
    resample : draw again until the sampled maximum exceeds the largest mean (App. C); the theory does without
    """

    resample: bool = True

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """One candidate for each sampled maximum."""
        maxima = sampled_maxima(current, size, generator, self.resample)
        pending, chosen = current.pending(), []
        for maximum in maxima:
            index = int(least_ratio(maximum, current.mean, pending.sd))
            pending.condition(index)
            chosen.append(index)
        return np.array(chosen, dtype=np.intp)


def regret_to_sigma(maximum: float | Floats, mean: Floats, sd: Floats) -> Floats:
    """(..., N) the ratio Psi of (3), of sampled maxima (..., 1)."""
    return np.asarray((maximum - mean) / sd)


def least_ratio(maximum: float | Floats, mean: Floats, sd: Floats) -> Indices:
    """(...) choice by (4): the candidate of the smallest ratio, the first on ties."""
    return lowest_argmins(regret_to_sigma(maximum, mean, sd))


def sampled_maxima(current: Round, count: int, generator: np.random.Generator, resample: bool) -> Floats:
    """``count`` independent draws of max f given the data; with ``resample`` given also that max f > max mu.

    Raises
    ------
    CompanionError
        if ``MAXIMUM_REDRAWS`` draws were not enough, which has probability below 2^-9000
    """
    maxima = current.draws(generator, count).max(axis=1)
    if not resample:
        return maxima
    bar = float(current.mean.max())
    for _ in range(MAXIMUM_REDRAWS):
        low = np.flatnonzero(maxima <= bar)
        if low.size == 0:
            return maxima
        maxima[low] = current.draws(generator, low.size).max(axis=1)
    raise CompanionError("no posterior draw exceeds the largest mean: the posterior covariance is not valid")


@dataclass(frozen=True)
class BatchTS:
    """Independent Thompson samples (Kandasamy, Krishnamurthy, Schneider, Póczos, 2018): the maximiser of each of m draws."""

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """The maximiser of every draw; repeats are possible."""
        return np.argmax(current.draws(generator, size), axis=1).astype(np.intp)


@dataclass(frozen=True)
class BUCB:
    r"""Batch UCB with hallucinated observations (Desautels, Krause, Burdick, 2014).

    .. math:: x_{t+1,i}=\arg\max_x\mu_t(x)+w_t\,\sigma_{t,i}(x)

    With m = 1 it is GP-UCB.

    Parameters
    ----------
    width : w_t
    """

    width: Width

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """Upper confidence bounds whose width shrinks within the batch."""
        width = width_of(self.width, current.number, len(current.mean))
        return one_by_one(current, size, lambda pending: current.mean + width * pending.sd)


@dataclass(frozen=True)
class UCBPE:
    r"""GP-UCB, then pure exploration (Contal, Buffoni, Robicquet, Vayatis, 2013).

    The first point maximises :math:`\mu_t+w_t\sigma_t`, the others the standard deviation given the batch so far,
    within the relevant region :math:`\{x:\mu_t+w_t\sigma_t\ge\max(\mu_t-w_t\sigma_t)\}`.

    Parameters
    ----------
    width : w_t
    region : whether the exploration keeps to the relevant region
    """

    width: Width
    region: bool = True

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """One greedy point and ``size - 1`` exploring ones."""
        pending = current.pending()
        margin = width_of(self.width, current.number, len(current.mean)) * pending.sd
        upper = current.mean + margin
        inside = upper >= (current.mean - margin).max() if self.region else np.ones(len(upper), dtype=bool)
        chosen = [lowest_argmax(upper)]
        pending.condition(chosen[0])
        for _ in range(size - 1):
            chosen.append(lowest_argmax(np.where(inside, pending.sd, -1.0)))
            pending.condition(chosen[-1])
        return np.array(chosen, dtype=np.intp)


@dataclass(frozen=True)
class StochasticPolicy:
    r"""Boltzmann policy over an acquisition function (Garcia-Barcos, Martinez-Cantin, 2019).

    .. math:: p(x)\propto\exp\Big(\frac{3\log(t+n_0+1)}{C}\,a(x)\Big),\qquad C=\max a-\min a

    and m independent draws from p; uniform where :math:`C\le0.01`. The acquisition a is the posterior mean, as in the
    published code of TS-RSR, or expected improvement, as in the reference.

    Parameters
    ----------
    acquisition : ``mean`` or ``ei``
    initial : n_0, the number of points of the initial design
    """

    acquisition: str = "mean"
    initial: int = 15

    def __post_init__(self) -> None:
        if self.acquisition not in ("mean", "ei"):
            raise ParameterError("acquisition", f"got {self.acquisition!r}", "'mean' or 'ei'")

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """Independent draws, with replacement."""
        score = current.mean
        if self.acquisition == "ei":
            score = expected_improvement(current.mean, np.sqrt(current.variance), _known(current))
        spread = float(score.max() - score.min())
        if spread <= 0.01:
            return generator.integers(len(score), size=size).astype(np.intp)
        inverse = 3.0 * math.log(current.number + self.initial + 1) / spread
        weight = np.exp(inverse * (score - score.max()))
        return generator.choice(len(score), size=size, p=weight / weight.sum()).astype(np.intp)


@dataclass(frozen=True)
class BelieverEI:
    r"""Sequential expected improvement with believed values (kriging believer; Ginsbourger, Le Riche, Carraro, 2010).

    Believing :math:`\mu_t(x)` at a chosen x leaves the mean as it is, so only the standard deviation is conditioned:

    .. math:: x_{t+1,i}=\arg\max_x\E\,(g(x)-b)^+,\qquad g\sim N(\mu_t,\sigma_{t,i}^2),\quad b=\text{incumbent}.
    """

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """Expected improvement over the incumbent, which stays the same within the batch."""
        best = _known(current)
        return one_by_one(current, size, lambda pending: log_expected_improvement(current.mean, pending.sd, best))


@dataclass(frozen=True)
class MeanEI:
    r"""Expected improvement whose incumbent is :math:`\max_x\mu_t(x)`, in batches as :class:`BelieverEI`.

    The largest of many noisy observations lies above the maximum of f, so that over it nothing is likely to improve.
    """

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """The batch of expected improvement; the incumbent stays within it, as believed values leave the mean."""
        seen = copy(current)
        seen.incumbent = float(current.mean.max())
        return BelieverEI().choose(seen, size, generator)


@dataclass(frozen=True)
class DPPTS:
    r"""Determinantal Thompson sampling by a Markov chain (Nava, Mutny, Krause, 2022).

    The chain starts at a Thompson batch. A step proposes a fresh Thompson sample for a random place of the batch B and
    accepts it with probability :math:`\min(1,L(B')/L(B))`, :math:`L(B)=\det(I+\sigma_n^{-2}\Sigma_B)`. Its stationary
    law is :math:`L(B)\prod_bp(x_b)`, p the law of a Thompson sample.

    Parameters
    ----------
    steps : length of the chain; the published code of TS-RSR takes 2
    """

    steps: int = 2

    def __post_init__(self) -> None:
        whole_number("steps", self.steps, 0)

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """The state of the chain after ``steps`` steps."""
        batch = BatchTS().choose(current, size, generator)
        sign, volume = self._log_volume(current, batch)
        for _ in range(self.steps):
            proposal = batch.copy()
            proposal[generator.integers(size)] = BatchTS().choose(current, 1, generator)[0]
            own, proposed = self._log_volume(current, proposal)
            # In exact arithmetic volumes are positive. Of single precision's the ratio decides, if it is positive.
            if math.log(1.0 - generator.random()) <= proposed - volume and own * sign > 0:
                batch, sign, volume = proposal, own, proposed
        return batch

    @staticmethod
    def _log_volume(current: Round, batch: NDArray[np.intp]) -> tuple[float, float]:
        among = current.among(batch)
        sign, value = np.linalg.slogdet(np.eye(len(batch)) + (among + among.T) / (2.0 * current.noise_variance))
        return float(sign), float(value)


@dataclass(frozen=True)
class MaximumVariance:
    """Greedy maximum-variance design (App. B.1): ignores the observations; ties go to the lowest index."""

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """The most uncertain candidate, given those before it, ``size`` times."""
        return one_by_one(current, size, lambda pending: pending.variance)


@dataclass(frozen=True)
class RandomSearch:
    """Uniform candidates, the floor that every method should beat."""

    def choose(self, current: Round, size: int, generator: np.random.Generator) -> Indices:
        """Independent draws, with replacement."""
        return generator.integers(len(current.mean), size=size).astype(np.intp)


# -- widths and acquisition functions ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PublishedWidth:
    r"""Width in the published code of TS-RSR, without a square root.

    .. math:: w_t=0.2\log\frac{N(t+s)^2\pi^2}{6\delta}

    Parameters
    ----------
    delta : 0.01 there
    shift : s; the code has 0, so that w_0 is minus infinity and the first batch repeats candidate 0. With 1 it is not.
    """

    delta: float = 0.01
    shift: int = 1

    def __call__(self, number: int, candidates: int) -> float:
        """w_t for batch t (from 0) and N candidates."""
        count = number + self.shift
        return -math.inf if count == 0 else 0.2 * union_bound_log(count, candidates, self.delta)


def draws_width(number: int, candidates: int, delta: float = 0.01) -> float:
    """:class:`~companion.bounds.confidence.SrinivasDrawsWidth` of batch ``number`` (from 0) and N candidates."""
    return SrinivasDrawsWidth(candidates, delta).width(number + 1)


def width_of(width: Width, number: int, candidates: int) -> float:
    """The multiplier in batch ``number`` (from 0) with N candidates."""
    return width(number, candidates) if callable(width) else float(width)


def _known(current: Round) -> float:
    if not math.isfinite(current.incumbent):
        raise ParameterError(
            "incumbent", "there is no observation yet", "an initial design before expected improvement"
        )
    return current.incumbent
