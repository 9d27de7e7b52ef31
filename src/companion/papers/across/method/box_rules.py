r"""The rules of "which rule, fitted, on a box?": each maximises its acquisition over the unit cube, by a pool and then uphill.

All see the same :class:`~.shipped_model.ShippedModel`. Points that are chosen and not yet evaluated are *pending*: they make the
standard deviation smaller, and leave the mean. With the posterior mean and standard deviation :math:`\mu,\sigma` at x, in
standardised units:

- ``ucb``: :math:`\mu+w\sigma`, in a round B-UCB (Desautels et al., 2014);
- ``ei-mean``, ``ei``: log of expected improvement over the largest mean at the evaluated points, or over the largest observation;
- ``nei``: noisy expected improvement, what BoTorch's qLogNEI estimates: the expected improvement over the best of the values
  without noise at the points evaluated and pending, which are drawn; the new value is integrated exactly (Letham et al., 2019);
- ``ts``: a posterior draw, by pathwise conditioning of random features (Wilson et al., 2020);
- ``ts-rsr``: :math:`(\mu-g^*)/\sigma` with the largest value :math:`g^*` of a draw;
- ``bpe``: largest :math:`\sigma` among the points that may be best, by its own batches; on a fixed pool;
- ``random``, ``sobol``: without a model.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs
from scipy.special import log_ndtr

from companion.core.arrays import Floats, Indices
from companion.gp.optimise import descended
from companion.papers.across.method.shipped_model import CORRELATIONS, ShippedModel, squared_distances
from companion.policies.acquisition import log_expected_improvement

#: Points looked at, those of them near the best that were evaluated, and how far from these; those moved uphill, and steps.
POOL, NEAR, AWAY, MOVED, STEPS = 512, 128, 0.05, 8, 40
#: Of draws: random features; and draws of the values at the evaluated points.
FEATURES, SAMPLES = 512, 64
_JITTER, _LOG_ROOT = 1e-6, 0.5 * math.log(2.0 * math.pi)

#: Values (m,) at points (m, d), and what gives the gradients (m, d) there.
Slope = Callable[[], Floats]
Slopes = Callable[[], tuple[Floats, Floats]]
Acquisition = Callable[[Floats], tuple[Floats, Slope]]


@dataclass(frozen=True, eq=False)
class Conditioned:
    """The standardised model, with pending points (k, d) besides its data."""

    model: ShippedModel
    pending: Floats

    @cached_property
    def points(self) -> Floats:
        """(n + k, d) in length-scales."""
        return np.vstack([self.model.points, self.pending]) / self.model.lengthscales

    @cached_property
    def squares(self) -> Floats:
        """(n + k,) of their lengths."""
        return np.asarray((self.points * self.points).sum(axis=1))

    @cached_property
    def weights(self) -> Floats:
        """(n + k,) of the posterior mean, none of which is a pending point's."""
        return np.concatenate([self.model.weights, np.zeros(len(self.pending))])

    @cached_property
    def prior(self) -> Floats:
        """(n + k, n + k) without noise."""
        return CORRELATIONS[self.model.kernel].radial(squared_distances(self.points, self.points))

    @cached_property
    def root(self) -> Floats:
        """Lower Cholesky factor with noise."""
        if not len(self.pending):
            return self.model.root
        matrix = self.prior.copy()
        matrix[np.diag_indices_from(matrix)] += self.model.noise
        return np.asarray(dpotrf(matrix, lower=1, clean=1)[0])

    def rows(self, x: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        """(m, n + k) covariances with points, and what turns weights of the rows' entries into a gradient (m, d)."""
        scaled = x / self.model.lengthscales
        squared = squared_distances(scaled, self.points, self.squares)
        rows, slope = CORRELATIONS[self.model.kernel].radial_and_derivative(squared)

        def gradient(weights: Floats) -> Floats:
            pull = 2.0 * slope() * weights
            return (pull.sum(axis=1)[:, None] * scaled - pull @ self.points) / self.model.lengthscales

        return rows, gradient

    def moments(self, x: Floats) -> tuple[Floats, Floats, Callable[[Floats, Floats], Floats]]:
        """Mean and standard deviation (m,), and the gradient (m, d) of what has these slopes (m,) in them."""
        rows, gradient = self.rows(x)
        solved = dpotrs(self.root, rows.T, lower=1)[0].T
        sd = np.sqrt(np.maximum(1.0 - (rows * solved).sum(axis=1), 1e-12))
        return (
            self.model.mean + rows @ self.weights,
            sd,
            lambda by_mean, by_sd: gradient(by_mean[:, None] * self.weights - (by_sd / sd)[:, None] * solved),
        )

    def best_mean(self) -> float:
        """Largest posterior mean at the evaluated points."""
        told = len(self.model.values)
        return float(self.model.mean + (self.prior[:told, :told] @ self.model.weights).max())


def by_moments(now: Conditioned, score: Callable[[Floats, Floats], tuple[Floats, Slopes]]) -> Acquisition:
    """From a function of mean and standard deviation that gives its value, and what gives both slopes."""

    def found(x: Floats) -> tuple[Floats, Slope]:
        mean, sd, gradient = now.moments(x)
        value, slopes = score(mean, sd)
        return value, lambda: gradient(*slopes())

    return found


def upper(now: Conditioned, width: float) -> Acquisition:
    """GP-UCB."""
    return by_moments(now, lambda mean, sd: (mean + width * sd, lambda: (np.ones_like(mean), np.full_like(sd, width))))


def improvement(now: Conditioned, incumbent: float) -> Acquisition:
    """Logarithm of expected improvement."""
    return by_moments(now, lambda mean, sd: _log_improvement(mean, sd, incumbent))


def _log_improvement(mean: Floats, sd: Floats, incumbent: float | Floats) -> tuple[Floats, Slopes]:
    """With its slopes: d log EI / d mean = Phi(z) / EI and d log EI / d sd = phi(z) / EI."""
    value = log_expected_improvement(mean, sd, incumbent)

    def slopes() -> tuple[Floats, Floats]:
        z = (mean - incumbent) / sd
        return np.exp(log_ndtr(z) - value), np.exp(-0.5 * z**2 - _LOG_ROOT - value)

    return value, slopes


def _log_sum(terms: Floats) -> Floats:
    """(m,) SciPy's ``logsumexp`` of finite terms (m, k), to the last bit; that one sees to signs and infinities, slowly."""
    top = terms.max(axis=1)
    at_top, rest = terms == top[:, None], np.exp(terms - top[:, None])
    rest[at_top] = 0.0
    count = np.count_nonzero(at_top, axis=1)
    return np.log1p(rest.sum(axis=1) / count) + np.log(count) + top


def noisy_improvement(now: Conditioned, generator: np.random.Generator) -> Acquisition:
    """Logarithm of noisy expected improvement."""
    told, count = len(now.model.values), len(now.points)
    cross = now.prior
    solved = dtrtrs(now.root[:told, :told], cross[:told], lower=1)[0]
    covariance = cross - solved.T @ solved
    weights = now.model.weights
    mean = cross[:, :told] @ weights
    covariance[np.diag_indices(count)] += _JITTER
    draws = mean + generator.standard_normal((SAMPLES, count)) @ _factor(covariance).T
    exact = cross.copy()
    exact[np.diag_indices(count)] += _JITTER
    root = _factor(exact)
    pulls = dpotrs(root, draws.T, lower=1)[0]
    best = draws.max(axis=1)

    def found(x: Floats) -> tuple[Floats, Slope]:
        rows, gradient = now.rows(x)
        back = dpotrs(root, rows.T, lower=1)[0].T
        sd = np.sqrt(np.maximum(1.0 - (rows * back).sum(axis=1), 1e-10))
        each, slopes = _log_improvement(rows @ pulls, sd[:, None], best)
        value = _log_sum(each) - math.log(SAMPLES)

        def slope() -> Floats:
            by_mean, by_sd = slopes()
            share = np.exp(each - value[:, None]) / SAMPLES
            return gradient((share * by_mean) @ pulls.T - ((share * by_sd).sum(axis=1) / sd)[:, None] * back)

        return value, slope

    return found


def _factor(matrix: Floats) -> Floats:
    """Lower Cholesky factor, the diagonal raised until there is one."""
    shift = 0.0
    while True:
        root, failed = dpotrf(matrix + shift * np.eye(len(matrix)), lower=1, clean=1)
        if not failed:
            return np.asarray(root)
        shift = max(10.0 * shift, 1e-8)


def draw(model: ShippedModel, generator: np.random.Generator) -> Acquisition:
    """A posterior draw: random features of the prior, corrected at the data."""
    now = Conditioned(model, np.zeros((0, model.points.shape[1])))
    frequencies = generator.standard_normal((model.points.shape[1], FEATURES))
    if model.kernel != "se":
        twice = {"matern52": 5.0, "matern32": 3.0}[model.kernel]
        frequencies *= np.sqrt(twice / generator.chisquare(twice, FEATURES))
    frequencies /= model.lengthscales[:, None]
    phases = generator.uniform(0.0, 2.0 * math.pi, FEATURES)
    weights = generator.standard_normal(FEATURES) * math.sqrt(2.0 / FEATURES)
    prior = np.cos(model.points @ frequencies + phases) @ weights
    noise = math.sqrt(model.noise) * generator.standard_normal(len(model.values))
    pull = model.weights - dpotrs(model.root, prior + noise, lower=1)[0]

    def found(x: Floats) -> tuple[Floats, Slope]:
        angles, (rows, gradient) = x @ frequencies, now.rows(x)
        angles += phases  # in place, as those of a pool fill megabytes
        value = model.mean + np.cos(angles, out=angles) @ weights + rows @ pull
        return value, lambda: gradient(pull) - (np.sin(x @ frequencies + phases) * weights) @ frequencies.T

    return found


def maximise(acquisition: Acquisition, around: Floats, generator: np.random.Generator) -> tuple[Floats, float]:
    """The best point (d,) found, and its value.

    Half of the starts are the best of a uniform pool, half the best of points near ``around`` (k, d). They are moved together.
    """
    dim = around.shape[1]
    near = around[generator.integers(len(around), size=NEAR)] + AWAY * generator.standard_normal((NEAR, dim))
    pool = np.vstack([generator.random((POOL, dim)), near.clip(0.0, 1.0), around])
    values = acquisition(pool)[0]
    half, split = MOVED // 2, POOL
    first = np.argsort(-values[:split])[:half]
    starts = np.concatenate([first, split + np.argsort(-values[split:])[:half]])

    def loss(flat: Floats) -> tuple[float, Floats]:
        value, slope = acquisition(flat.reshape(-1, dim))
        return -float(value.sum()), -slope().ravel()

    moved = descended(loss, pool[starts].ravel(), 0.0, 1.0, STEPS).reshape(-1, dim)
    ends = np.vstack([moved, pool[starts]])
    found = acquisition(ends)[0]
    best = int(np.argmax(found))
    return ends[best], float(found[best])


def leading(model: ShippedModel, count: int = 5) -> Floats:
    """The evaluated points (count, d) of the largest posterior mean."""
    mean = model.mean + model.row(model.points) @ model.weights
    return model.points[np.argsort(-mean)[:count]]


def choose(rule: str, setting: str, model: ShippedModel, size: int, generator: np.random.Generator) -> Floats:
    """(size, d) points of a round, one after the other.

    Parameters
    ----------
    rule, setting : as above, and the width of ``ucb``
    """
    around, pending = leading(model), np.zeros((0, model.points.shape[1]))
    for _ in range(size):
        now = Conditioned(model, pending)
        point, _ = maximise(_acquisition(rule, setting, now, around, generator), around, generator)
        pending = np.vstack([pending, point])
    return pending


def _acquisition(
    rule: str, setting: str, now: Conditioned, around: Floats, generator: np.random.Generator
) -> Acquisition:
    if rule == "ucb":
        return upper(now, float(setting))
    if rule == "ei-mean":
        return improvement(now, now.best_mean())
    if rule == "ei":
        return improvement(now, float((now.model.values.max() - now.model.centre) / now.model.spread))
    if rule == "nei":
        return noisy_improvement(now, generator)
    path = draw(now.model, generator)
    if rule == "ts":
        return path
    _, top = maximise(path, around, generator)

    def ratio(mean: Floats, sd: Floats) -> tuple[Floats, Slopes]:
        return (mean - top) / sd, lambda: (1.0 / sd, (top - mean) / sd**2)

    return by_moments(now, ratio)


def named(model: ShippedModel, generator: np.random.Generator) -> Floats:
    """(d,) the point of the largest posterior mean on the box."""
    now = Conditioned(model, np.zeros((0, model.points.shape[1])))

    def mean(x: Floats) -> tuple[Floats, Slope]:
        rows, gradient = now.rows(x)
        return model.mean + rows @ model.weights, lambda: gradient(model.weights)

    return maximise(mean, leading(model), generator)[0]


def most_uncertain(pool: Floats, active: NDArray[np.bool_], lengths: Floats, noise: float, size: int) -> Indices:
    """(size,) active points of the pool (N, d), each of the largest standard deviation given those before it."""
    scaled = pool / lengths
    variance, rows = np.ones(len(pool)), np.zeros((size, len(pool)))
    chosen = np.zeros(size, dtype=np.intp)
    for step in range(size):
        at = chosen[step] = int(np.argmax(np.where(active, variance, -np.inf)))
        covariance = CORRELATIONS["se"].radial(squared_distances(scaled[at : at + 1], scaled))[0]
        row = covariance - rows[:step, at] @ rows[:step]
        rows[step] = row / math.sqrt(variance[at] + noise)
        variance = np.maximum(variance - rows[step] ** 2, 0.0)
    return chosen
