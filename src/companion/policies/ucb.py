"""GP-UCB on a finite candidate set (Srinivas, Krause, Kakade, Seeger, 2010), with any width schedule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError, whole_number
from companion.gp import FinitePosterior
from companion.gp.ties import lowest_argmax
from companion.policies.band import ConfidenceBand
from companion.policies.base import Batch
from companion.policies.widths import Width


class GPUCB:
    r"""Evaluates the candidate with the largest upper confidence bound, one at a time.

    .. math:: x_t = \arg\max_x \mu_{t-1}(x) + w_t\,\sigma_{t-1}(x)

    Recommends the candidate with the largest posterior mean. Ties go to the lowest index. A rule of your own is a subclass
    with another :meth:`choose`.

    Parameters
    ----------
    covariance : (N, N) prior covariance of the candidates
    noise_variance : of the model, positive, in squared units of the observations
    width : w_t: a number, a schedule of :mod:`companion.bounds.confidence`, or a function ``width(t, gain)``
    capacity : number of observations to reserve memory for; the horizon is a good choice

    Examples
    --------
    >>> import companion as cp
    >>> policy = cp.GPUCB(cp.Matern(2.5, 0.3)(cp.grid(5, dim=1)), noise_variance=0.01, width=2.0)
    >>> for _ in range(3):
    ...     chosen = policy.ask(1).query[0]
    ...     policy.tell([0.0 if chosen < 4 else 1.0])
    >>> policy.recommend()
    4
    >>> class ProbabilityOfImprovement(cp.GPUCB):
    ...     def choose(self):
    ...         mean, sd = self.posterior.mean[0], self.posterior.sd[0]
    ...         return int(np.argmax((mean - mean.max() - 0.01) / sd))
    >>> own = ProbabilityOfImprovement(cp.Matern(2.5, 0.3)(cp.grid(5, dim=1)), noise_variance=0.01, width=2.0)
    >>> for _ in range(3):
    ...     chosen = own.ask(1).query[0]
    ...     own.tell([0.0 if chosen < 4 else 1.0])
    >>> [round(variance, 2) for variance in own.diagnostics()["variance"]]
    [1.0, 1.0, 0.01]
    """

    def __init__(
        self, covariance: NDArray[np.float64], noise_variance: float, width: Width, capacity: int = 64
    ) -> None:
        self._band = ConfidenceBand(covariance, noise_variance, width, capacity)
        self._asked = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} after {self.model_order} observations, on {self.posterior!r}>"

    @property
    def model_order(self) -> int:
        """Observations in the model: all of them."""
        return self._band.count

    @property
    def posterior(self) -> FinitePosterior:
        """The model; to be read, not changed."""
        return self._band.posterior

    def choose(self) -> int:
        """The candidate of the largest upper confidence bound."""
        return lowest_argmax(self._band.bounds()[1])

    def ask(self, remaining: int) -> Batch:
        """One candidate."""
        self._asked = self.choose()
        return Batch.plain(self._asked)

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Condition the model on the value of the candidate asked last."""
        if len(observations) != 1:
            raise ParameterError("observations", f"has {len(observations)} values", "1")
        self._band.observe(self._asked, float(observations[0]))

    def add(self, points: Indices, values: Floats) -> None:
        """Condition the model on values (n,) of candidates (n,) that this policy did not ask for."""
        for index, value in zip(points, values, strict=True):
            self._band.observe(int(index), float(value))

    def recommend(self) -> int:
        """The candidate with the largest posterior mean."""
        return lowest_argmax(self._band.mean)

    def diagnostics(self) -> dict[str, Any]:
        """Width and variance of every evaluation, before it, realised information gain, notes of the posterior."""
        band = self._band
        return {"width": band.widths, "variance": band.variances, "gain": band.gain, "notes": band.notes}


class BatchUCB(GPUCB):
    r"""GP-UCB in batches that keeps all values: GP-BUCB, with hallucinated observations (Desautels, Krause, Burdick, 2014).

    .. math:: x_{i,j}=\arg\max_x\mu_{i-1}(x)+w\,\sigma_{i,j-1}(x)

    Within batch i the mean is that of the batches before, while the standard deviation knows the batch's own points.

    Parameters
    ----------
    covariance, noise_variance, width : as :class:`GPUCB`
    sizes : N_1..N_B, positive integers; their sum is the horizon

    Attributes
    ----------
    shrunk : for each batch by how much it shrinks a standard deviation at most, sigma before over sigma after. A valid width
        times this factor is valid within the batch.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.policies.ucb import BatchUCB
    >>> policy = BatchUCB(cp.Matern(2.5, 0.3)(cp.grid(5, dim=1)), noise_variance=0.01, width=2.0, sizes=(2, 1))
    >>> policy.ask(3).query
    array([0, 4])
    >>> policy.tell([0.0, 1.0])
    >>> policy.ask(1).query
    array([3])
    """

    def __init__(
        self, covariance: NDArray[np.float64], noise_variance: float, width: Width, sizes: Sequence[int]
    ) -> None:
        self._left = [whole_number("sizes", size) for size in sizes]
        super().__init__(covariance, noise_variance, width, capacity=sum(sizes))
        self.shrunk: list[float] = []

    def ask(self, remaining: int) -> Batch:
        """As many candidates as the next batch has, chosen without their values."""
        before, chosen = self.posterior.sd[0].copy(), []
        for _ in range(self._left.pop(0)):
            chosen.append(self.choose())
            self.posterior.condition(chosen[-1])
        self.shrunk.append(float((before / self.posterior.sd[0]).max()))
        return Batch.plain(chosen)

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Values of the batch asked last, in its order."""
        self.posterior.tell(np.asarray(observations, dtype=np.float64)[None, :])
