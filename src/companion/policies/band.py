"""Confidence band of a Gaussian-process model that is updated after every evaluation."""

from __future__ import annotations

import math

from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.gp import FinitePosterior
from companion.policies.widths import Width, scheduled


class ConfidenceBand:
    """mu_{t-1}(x) +- width_t sigma_{t-1}(x) on all candidates, from all observations so far.

    Parameters
    ----------
    covariance : (N, N) prior covariance of the candidates
    noise_variance : lambda of the model, positive
    width : the multiplier in any form of :mod:`companion.policies.widths`
    capacity : number of observations to reserve memory for

    Examples
    --------
    >>> import companion as cp
    >>> from companion.policies import ConfidenceBand
    >>> band = ConfidenceBand(cp.Matern(2.5, 0.3)(cp.grid(5, dim=1)), noise_variance=0.01, width=2.0)
    >>> band.observe(2, 1.0)
    >>> lower, upper = band.bounds()
    >>> print(lower.round(2), upper.round(2))
    [-1.73 -0.95  0.79 -0.95 -1.73] [2.17 2.19 1.19 2.19 2.17]
    """

    def __init__(self, covariance: Floats, noise_variance: float, width: Width, capacity: int = 64) -> None:
        self._posterior = FinitePosterior(covariance, noise_variance, capacity=capacity)
        self._schedule = scheduled(width)
        self._widths: list[float] = []
        self._variances: list[float] = []

    @property
    def size(self) -> int:
        """Number of candidates N."""
        return self._posterior.size

    @property
    def count(self) -> int:
        """Number of observations so far."""
        return self._posterior.count

    @property
    def posterior(self) -> FinitePosterior:
        """The model; to be read, not changed."""
        return self._posterior

    @property
    def variances(self) -> list[float]:
        """Posterior variance of every evaluated candidate, before its evaluation."""
        return list(self._variances)

    @property
    def mean(self) -> Floats:
        """Posterior mean (N,)."""
        return self._posterior.mean[0]

    @property
    def gain(self) -> float:
        """Realised information gain of the observations, in nats."""
        return float(self._posterior.gain[0])

    @property
    def widths(self) -> list[float]:
        """Multipliers used for the evaluations so far."""
        return list(self._widths)

    @property
    def notes(self) -> list[str]:
        """Result of the posterior's jitter policy."""
        return list(self._posterior.notes)

    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper ends (N,), (N,) for choosing the next evaluation; records the width.

        Raises
        ------
        ParameterError
            if the schedule returns a negative or non-finite width
        """
        width = float(self._schedule(self.count + 1, self.gain))
        if not (math.isfinite(width) and width >= 0):
            raise ParameterError("width", f"the schedule returned {width!r}", "a finite number of at least 0")
        del self._widths[self.count :]
        self._widths.append(width)
        margin = width * self._posterior.sd[0]
        return self.mean - margin, self.mean + margin

    def observe(self, index: int, value: float) -> None:
        """Condition on one observation."""
        self._variances.append(float(self._posterior.variance[0, index]))
        self._posterior.observe(index, value)
