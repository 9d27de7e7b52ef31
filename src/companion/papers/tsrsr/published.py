"""Rules as the authors' published code runs them, where that differs from the paper's text (reading ``code``).

Described from the behaviour of the code, not taken from it. Two things are not imitated because they have no defined
behaviour: the sampled maxima are also maximised with uninitialised memory, and any exception falls back to uniform
random points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from companion.gp import DataPosterior
from companion.papers.tsrsr.candidates import Floats
from companion.papers.tsrsr.round import VARIANCE_FLOOR, DenseRound, lowest_argmin
from companion.papers.tsrsr.rules import sampled_maxima
from companion.policies.acquisition import expected_improvement, log_expected_improvement


@dataclass(frozen=True, eq=False)
class BoxView:
    """What a rule sees that leaves the candidates.

    Parameters
    ----------
    current : posterior on the candidates
    posterior : the same posterior anywhere
    candidates : (N, d)
    observed : (n,) the observations in their own units; the posterior's are standardised
    low, high : (d,) corners of the box
    """

    current: DenseRound
    posterior: DataPosterior
    candidates: Floats
    observed: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class PublishedTSRSR:
    """TS-RSR as published: from the second point of a batch on, a few Adam steps on the ratio leave the candidates.

    The step's point is kept when the ratio *before* the step was positive and the smallest so far, as in the code.

    Parameters
    ----------
    steps, rate, rate_clamped : of these steps
    """

    steps: int = 10
    rate: float = 1e-2
    rate_clamped: float = 1e-4

    def choose_points(self, view: BoxView, size: int, generator: np.random.Generator) -> Floats:
        """A batch (size, d)."""
        maxima = sampled_maxima(view.current, size, generator, resample=True)
        chosen: list[Floats] = []
        for number, maximum in enumerate(maxima):
            ratio = (maximum - view.current.mean) / np.sqrt(conditioned(view, chosen))
            start = lowest_argmin(ratio)
            best, point = float(ratio[start]), view.candidates[start]
            chosen.append(point if number == 0 else self._refined(view, chosen, float(maximum), point, best))
        return np.array(chosen)

    def _refined(self, view: BoxView, chosen: list[Floats], maximum: float, start: Floats, best: float) -> Floats:
        seen = np.vstack([view.posterior.points, *chosen])
        given = DataPosterior(view.posterior.kernel, seen, np.zeros(len(seen)), view.posterior.noise_variance)
        point, kept, pace = start.copy(), start, self.rate
        first, second, age = np.zeros_like(point), np.zeros_like(point), 0
        for _ in range(self.steps):
            mean, of_mean = view.posterior.mean_and_gradient(point[None, :])
            variance, of_variance = given.variance_and_gradient(point[None, :])
            sd = np.sqrt(max(float(variance[0]), VARIANCE_FLOOR))
            loss = (maximum - float(mean[0])) / sd
            slope = -of_mean[0] / sd - loss * of_variance[0] / (2.0 * sd**2)
            age += 1
            first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
            point = point - pace * (first / (1 - 0.9**age)) / (np.sqrt(second / (1 - 0.999**age)) + 1e-8)
            inside = np.clip(point, view.low, view.high)
            if (inside != point).any():
                point, pace = inside, self.rate_clamped
                first, second, age = np.zeros_like(point), np.zeros_like(point), 0
            elif 0 < loss < best:
                best, kept = loss, point.copy()
        return kept


def conditioned(view: BoxView, chosen: list[Floats]) -> Floats:
    """Variance (N,) of the candidates given the chosen points, which need not be candidates."""
    variance = view.current.variance
    floor = VARIANCE_FLOOR * float(variance.max())
    if chosen:
        points = np.array(chosen)
        rows = np.stack([view.posterior.covariance_from(point, view.candidates) for point in chosen])
        among = np.stack([view.posterior.covariance_from(point, points) for point in chosen])
        among = (among + among.T) / 2 + view.posterior.noise_variance * np.eye(len(points))
        variance = variance - np.sum(rows * linalg.solve(among, rows, assume_a="pos"), axis=0)
    return np.maximum(variance, floor)


@dataclass(frozen=True)
class PublishedEI:
    """The published kriging believer, which mixes units from the second point of a batch on.

    The first point maximises expected improvement on the standardised targets. Then the model is conditioned on the
    observations in their own units with the believed values appended, the first of which is standardised, while the
    incumbent stays standardised. Where expected improvement underflows everywhere, candidate 0 is taken.
    """

    def choose_points(self, view: BoxView, size: int, generator: np.random.Generator) -> Floats:
        """A batch (size, d)."""
        incumbent = view.current.incumbent
        sd = np.sqrt(np.maximum(view.current.variance, VARIANCE_FLOOR))
        index = int(np.argmax(log_expected_improvement(view.current.mean, sd, incumbent)))
        chosen, believed = [view.candidates[index]], [float(view.current.mean[index])]
        for _ in range(size - 1):
            points = np.vstack([view.posterior.points, *chosen])
            mixed = DataPosterior(
                view.posterior.kernel,
                points,
                np.concatenate([view.observed, believed]),
                view.posterior.noise_variance,
            )
            mean, variance = mixed.mean_and_variance(view.candidates)
            score = expected_improvement(mean, np.sqrt(np.maximum(variance, VARIANCE_FLOOR)), incumbent)
            index = int(np.argmax(score))
            chosen.append(view.candidates[index])
            believed.append(float(mean[index]))
        return np.array(chosen)
