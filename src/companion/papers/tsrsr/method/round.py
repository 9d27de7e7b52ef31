r"""View of a round by a batch rule: the posterior of the data so far on N candidates.

Within a batch the mean stays, and the standard deviation is conditioned on the points chosen so far, which needs no
observed values (Ren, Li, Section 3):

.. math:: \sigma_{t,i}^2(x)=\sigma_t^2(x\mid x_{t+1,1},\dots,x_{t+1,i-1}).

:class:`Pending` keeps it, one row a choice, at O((t+i)N) a step.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import linalg

from companion.core.arrays import Floats, Indices
from companion.gp import FinitePosterior, PriorDraws
from companion.gp.data import cholesky

#: Posterior variances below this fraction of the largest prior variance are raised to it before a division.
VARIANCE_FLOOR = 1e-12


class Round(Protocol):
    """The posterior a batch is chosen from.

    Attributes
    ----------
    number : t, the number of batches before this one
    mean : (N,) posterior mean mu_t
    variance : (N,) posterior variance sigma_t^2 of f
    noise_variance : sigma_n^2, in the model's units
    incumbent : largest observation so far, in the model's units; -inf without data
    """

    number: int
    mean: Floats
    variance: Floats
    noise_variance: float
    incumbent: float

    def draws(self, generator: np.random.Generator, count: int) -> Floats:
        """``count`` independent joint posterior draws of f on the candidates, (count, N)."""
        ...

    def row(self, index: int) -> Floats:
        """Posterior covariance of candidate ``index`` with all candidates, (N,)."""
        ...

    def among(self, batch: Indices) -> Floats:
        """Posterior covariance of the chosen candidates with one another, (m, m); from the rows."""
        return np.stack([self.row(int(index))[batch] for index in batch])

    def pending(self) -> Conditioned:
        """The standard deviations while a batch is put together, with nothing chosen yet; conditioned by the rows."""
        return Pending(self)


class Conditioned(Protocol):
    """sigma_{t,i} on the candidates, while a batch is put together."""

    variance: Floats

    @property
    def sd(self) -> Floats:
        """(N,) standard deviations."""
        return np.sqrt(self.variance)

    def condition(self, index: int) -> None:
        """Condition on an observation at candidate ``index``, whose value need not be known."""
        ...


class Pending(Conditioned):
    """sigma_{t,i}^2 on the candidates, while a batch is put together.

    Parameters
    ----------
    current : the round; it is not changed
    """

    def __init__(self, current: Round) -> None:
        self._round = current
        self._floor = VARIANCE_FLOOR * float(np.max(current.variance))
        self._rows: list[Floats] = []
        self.variance: Floats = np.maximum(current.variance, self._floor)

    def condition(self, index: int) -> None:
        """Condition on an observation at candidate ``index``, whose value need not be known."""
        row = self._round.row(index)
        for earlier in self._rows:
            row = row - earlier[index] * earlier
        own = max(float(row[index]), self._floor)
        row = row / math.sqrt(own + self._round.noise_variance)
        variance = self.variance - row**2
        # At the point itself the difference cancels; sigma^2 lambda / (sigma^2 + lambda) is exact.
        variance[index] = own * self._round.noise_variance / (own + self._round.noise_variance)
        self.variance = np.maximum(variance, self._floor)
        self._rows.append(row)


class DenseRound(Round):
    """A round whose posterior covariance (N, N) is stored.

    Parameters
    ----------
    number, mean, noise_variance, incumbent : see :class:`Round`
    covariance : (N, N) posterior covariance
    """

    def __init__(
        self, number: int, mean: Floats, covariance: Floats, noise_variance: float, incumbent: float = -math.inf
    ) -> None:
        self.number, self.mean, self.covariance = number, mean, covariance
        self.noise_variance, self.incumbent = noise_variance, incumbent
        self.variance = np.maximum(np.diagonal(covariance), 0.0)

    @cached_property
    def _root(self) -> Floats:
        return cholesky(self.covariance)

    def draws(self, generator: np.random.Generator, count: int) -> Floats:
        """Joint draws by the Cholesky factor, computed once a round."""
        normal = generator.standard_normal((count, len(self.mean)))
        # The factor is triangular: half of the products of a plain multiplication would be with zeros.
        return self.mean + np.asarray(linalg.blas.dtrmm(1.0, self._root, normal.T, lower=True)).T

    def row(self, index: int) -> Floats:
        """A row of the stored covariance."""
        return self.covariance[index]


class FiniteRound(Round):
    """A round of the finite-candidate engine: nothing of size (N, N) is computed.

    Parameters
    ----------
    number, incumbent : see :class:`Round`
    posterior : with one replicate, all values observed
    prior : draws of the prior on the same candidates, for exact posterior draws by Matheron's rule
    """

    def __init__(self, number: int, posterior: FinitePosterior, prior: PriorDraws, incumbent: float) -> None:
        self.number, self._posterior, self._prior, self.incumbent = number, posterior, prior, incumbent
        self.mean, self.variance = posterior.mean[0], posterior.variance[0]
        self.noise_variance = posterior.noise_variance

    def draws(self, generator: np.random.Generator, count: int) -> Floats:
        """Exact joint draws, see :meth:`companion.gp.FinitePosterior.pathwise`."""
        prior = self._prior.draw(generator, count)
        noise = generator.standard_normal((count, self._posterior.count))
        return np.asarray(self._posterior.pathwise(prior, noise))

    def row(self, index: int) -> Floats:
        """Posterior covariance with all candidates, from the engine's rows."""
        return np.asarray(self._posterior.covariance_with(index))


class WatchedRound(Round):
    """Passes a round on to a rule and records the rule's requests.

    Parameters
    ----------
    current : the round
    given : (m, N) posterior draws in place of the round's own, from the first on

    Attributes
    ----------
    asked : the draws requested, one array a call
    rows : number of covariance rows requested
    """

    def __init__(self, current: Round, given: Floats | None = None) -> None:
        self._current, self._given = current, given
        self.number, self.noise_variance, self.incumbent = current.number, current.noise_variance, current.incumbent
        self.mean, self.variance = current.mean, current.variance
        self.asked: list[Floats] = []
        self.rows = 0

    @property
    def drawn(self) -> int:
        """Number of posterior draws requested."""
        return sum(len(draws) for draws in self.asked)

    def draws(self, generator: np.random.Generator, count: int) -> Floats:
        """Those given, or those of the round."""
        self.asked.append(self._current.draws(generator, count) if self._given is None else self._given[:count])
        return self.asked[-1]

    def row(self, index: int) -> Floats:
        """That of the round, counted."""
        self.rows += 1
        return self._current.row(index)
