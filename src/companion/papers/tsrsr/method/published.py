"""Rules as the authors' published code runs them, where that differs from the paper's text (reading ``code``).

Described from the behaviour of the code, not taken from it. What is not imitated stands in
``data/reported/tsrsr/code_and_ours.csv``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from companion.core.arrays import Floats, Indices
from companion.core.errors import ConditioningError
from companion.gp import DataPosterior
from companion.gp.optimise import Adam
from companion.gp.ties import lowest_argmin
from companion.papers.tsrsr.method.round import VARIANCE_FLOOR, Conditioned, DenseRound
from companion.papers.tsrsr.method.rules import regret_to_sigma, sampled_maxima
from companion.papers.tsrsr.method.single import SinglePosterior, spectral_root
from companion.policies.acquisition import expected_improvement

#: Expected improvements below this count as zero.
LEAST_IMPROVEMENT = 1e-100


class SingleRound:
    """A round in single precision, see :mod:`~companion.papers.tsrsr.method.single`; a :class:`~.round.Round`.

    Parameters
    ----------
    number, incumbent : see :class:`~companion.papers.tsrsr.method.round.Round`
    posterior : of the data
    candidates : (N, d)
    """

    def __init__(self, number: int, posterior: SinglePosterior, candidates: Floats, incumbent: float) -> None:
        self.number, self.incumbent, self.noise_variance = number, incumbent, posterior.noise_variance
        self.posterior, self.candidates = posterior, candidates
        mean, variance = posterior.mean_and_variance(candidates)
        self.mean, self.variance = mean.astype(np.float64), variance.astype(np.float64)
        self._root: Floats | None = None

    def draws(self, generator: np.random.Generator, count: int) -> Floats:
        """Joint draws in double precision, from the covariance in single precision."""
        if self._root is None:
            self._root = spectral_root(self.posterior.mean_and_covariance(self.candidates)[1])
        normal = generator.standard_normal((count, len(self.mean)))
        return self.mean + np.asarray(linalg.blas.dtrmm(1.0, self._root, normal.T, lower=True)).T

    def row(self, index: int) -> Floats:
        """Posterior covariance of candidate ``index`` with all candidates, (N,)."""
        return np.asarray(self.posterior.mean_and_covariance(self.candidates)[1][index], dtype=np.float64)

    def among(self, batch: Indices) -> Floats:
        """Posterior covariance of the chosen candidates, computed for these alone."""
        return self.posterior.mean_and_covariance(self.candidates[batch])[1].astype(np.float64)

    def pending(self) -> SinglePending:
        """Conditioned by fitting the model anew."""
        return SinglePending(self)


class SinglePending(Conditioned):
    """Standard deviations given the points chosen so far, by a new factorisation for each of them."""

    def __init__(self, current: SingleRound) -> None:
        self._round, self._chosen = current, np.zeros((0, current.candidates.shape[1]))
        self.variance = current.variance

    def condition(self, index: int) -> None:
        """Condition on a candidate; :class:`ConditioningError` where the factorisation fails."""
        self._chosen = np.vstack([self._chosen, self._round.candidates[[index]]])
        self.variance = variance_given(self._round.posterior, self._chosen, self._round.candidates)


def variance_given(posterior: SinglePosterior, chosen: Floats, x: Floats) -> Floats:
    """Variance (N,) at ``x`` given also the chosen points, floored; :class:`ConditioningError` where this fails."""
    points = np.vstack([posterior.points, chosen])
    given = SinglePosterior(posterior.kernel, points, np.zeros(len(points)), posterior.noise_variance)
    return given.mean_and_variance(x)[1].astype(np.float64)


@dataclass(frozen=True, eq=False)
class BoxView:
    """View of a round for a rule that leaves the candidates.

    Parameters
    ----------
    current : posterior on the candidates
    posterior : the same posterior anywhere
    candidates : (N, d)
    observed : (n,) the observations in their own units; the posterior's are standardised
    low, high : (d,) corners of the box
    """

    current: DenseRound | SingleRound
    posterior: DataPosterior | SinglePosterior
    candidates: Floats
    observed: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class PublishedTSRSR:
    """TS-RSR as published: from the second point of a batch on, a few Adam steps on the ratio leave the candidates.

    The step's point is kept when the ratio *before* the step was positive and the smallest so far, as in the code. Where
    a step leaves the box, it is clamped, and Adam starts afresh at the same rate.

    Parameters
    ----------
    steps, rate : of these steps
    resample : draw again until the sampled maximum exceeds the largest mean
    """

    steps: int = 10
    rate: float = 1e-2
    resample: bool = True

    def choose_points(self, view: BoxView, size: int, generator: np.random.Generator) -> Floats:
        """A batch (size, d)."""
        maxima = sampled_maxima(view.current, size, generator, self.resample)
        chosen: list[Floats] = []
        variance = view.current.variance
        for number, maximum in enumerate(maxima):
            variance = conditioned(view, chosen, variance)
            ratio = regret_to_sigma(maximum, view.current.mean, np.sqrt(variance))
            start = lowest_argmin(ratio)
            best, point = float(ratio[start]), view.candidates[start]
            chosen.append(point if number == 0 else self._refined(view, chosen, float(maximum), point, best))
        return np.array(chosen)

    def _refined(self, view: BoxView, chosen: list[Floats], maximum: float, start: Floats, best: float) -> Floats:
        dtype: Any = view.posterior.points.dtype
        batch = np.array(chosen, dtype=dtype)
        point, kept = start.astype(dtype), start
        moments = Adam(point)
        for _ in range(self.steps):
            mean, of_mean = view.posterior.mean_and_gradient(point[None, :])
            variance, of_variance = _pending_variance(view.posterior, point, batch)
            if not variance > 0.0:
                break  # the published loss is then not a number, nor is any later point
            sd = np.sqrt(variance)
            loss = (maximum - float(mean[0])) / float(sd)
            slope = -of_mean[0] / sd - loss * of_variance / (2.0 * variance)
            point = (point - moments.step(slope, self.rate)).astype(dtype)
            inside = np.clip(point, view.low, view.high)
            if (inside != point).any():
                point, moments = inside.astype(dtype), Adam(point)
            elif 0 < loss < best:
                best, kept = loss, point.astype(np.float64)
        return kept


def _pending_variance(posterior: DataPosterior | SinglePosterior, point: Any, batch: Any) -> tuple[Any, Any]:
    """Variance of f at ``point`` given also the batch, and its gradient; positive in double precision."""
    if isinstance(posterior, SinglePosterior):
        return posterior.pending_variance(point, batch)
    seen = np.vstack([posterior.points, batch])
    given = DataPosterior(posterior.kernel, seen, np.zeros(len(seen)), posterior.noise_variance)
    variance, gradient = given.variance_and_gradient(point[None, :])
    return max(float(variance[0]), VARIANCE_FLOOR), gradient[0]


def conditioned(view: BoxView, chosen: list[Floats], before: Floats | None = None) -> Floats:
    """Variance (N,) of the candidates given the chosen points, which need not be candidates.

    In single precision the factorisation may fail; the variance ``before`` the last point was chosen is then kept.
    """
    if not chosen:
        return np.maximum(view.current.variance, VARIANCE_FLOOR * float(view.current.variance.max()))
    points = np.array(chosen)
    if isinstance(view.posterior, SinglePosterior):
        try:
            return variance_given(view.posterior, points, view.candidates)
        except ConditioningError:
            return view.current.variance if before is None else before
    variance = view.current.variance
    rows = np.stack([view.posterior.covariance_from(point, view.candidates) for point in chosen])
    among = np.stack([view.posterior.covariance_from(point, points) for point in chosen])
    among = (among + among.T) / 2 + view.posterior.noise_variance * np.eye(len(points))
    gain = np.sum(rows * linalg.solve(among, rows, assume_a="pos"), axis=0)
    return np.maximum(variance - gain, VARIANCE_FLOOR * float(variance.max()))


@dataclass(frozen=True)
class PublishedEI:
    """The published kriging believer, which mixes units from the second point of a batch on.

    The first point maximises expected improvement on the standardised targets. Then the model is conditioned on the
    observations in their own units with the believed values appended, the first of which is standardised, while the
    incumbent stays standardised. Where expected improvement is below 1e-100 everywhere, candidate 0 is taken.
    """

    def choose_points(self, view: BoxView, size: int, generator: np.random.Generator) -> Floats:
        """A batch (size, d)."""
        mean: Any = view.current.mean
        variance: Any = view.current.variance
        chosen: list[Floats] = []
        believed: list[float] = []
        for _ in range(size):
            if chosen:
                mixed = type(view.posterior)(
                    view.posterior.kernel,
                    np.vstack([view.posterior.points, *chosen]),
                    np.concatenate([view.observed, believed]),
                    view.posterior.noise_variance,
                )
                mean, variance = mixed.mean_and_variance(view.candidates)
            sd = np.sqrt(np.maximum(np.asarray(variance, dtype=np.float64), VARIANCE_FLOOR))
            score = expected_improvement(np.asarray(mean, dtype=np.float64), sd, view.current.incumbent)
            index = int(np.argmax(np.where(score < LEAST_IMPROVEMENT, 0.0, score)))
            chosen.append(view.candidates[index])
            believed.append(float(mean[index]))
        return np.array(chosen)
