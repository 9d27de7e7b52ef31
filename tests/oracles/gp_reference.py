"""Gaussian-process posteriors computed in ways that share nothing with the engine: 50 digits, or a fresh Cholesky."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import mpmath as mp
import numpy as np
from scipy import linalg

DIGITS = 50


@dataclass(frozen=True)
class Posterior:
    """Mean and variance at the candidates, shapes (N,)."""

    mean: np.ndarray
    variance: np.ndarray


@dataclass(frozen=True)
class ExactPosterior(Posterior):
    """A posterior in 50 digits, with what a rounding analysis needs.

    ``weight_sum`` (N,): sum_i |w_i(x)|, w(x) = (K_SS + lambda I)^-1 k_S(x), the influence of the observations on x;
    ``dual_sum``: sum_i |alpha_i|, alpha = (K_SS + lambda I)^-1 y.
    """

    weight_sum: np.ndarray
    dual_sum: float


def exact_posterior(
    covariance: np.ndarray, noise_variance: float, indices: np.ndarray, values: np.ndarray
) -> ExactPosterior:
    """Posterior in 50 digits, taking the float64 covariance entries as exact.

    n observations of one point with noise variance lambda are equivalent to one observation of their mean with noise
    variance lambda / n; so 1,000 repeats cost no more than one, and repeats go through no repeated arithmetic.
    """
    distinct, position, numbers = np.unique(indices, return_inverse=True, return_counts=True)
    counts = numbers.tolist()
    weights, variance, weight_sum = _exact_weights(
        tuple(map(tuple, covariance.tolist())), float(noise_variance), tuple(distinct.tolist()), tuple(counts)
    )
    with mp.workdps(DIGITS):
        lam = mp.mpf(float(noise_variance))
        at_point = [[mp.mpf(value) for value in values[position == i].tolist()] for i in range(len(distinct))]
        averages = [mp.fsum(told) / n for told, n in zip(at_point, counts, strict=True)]
        mean = [mp.fdot(row, averages) for row in weights]
        # alpha of a single observation is (y - mean at its point) / lambda, also when the point is repeated.
        dual = mp.fsum(
            abs(value - mean[point]) for point, told in zip(distinct, at_point, strict=True) for value in told
        )
        return ExactPosterior(np.array(mean, dtype=float), variance, weight_sum, float(dual / lam))


@functools.lru_cache(maxsize=2)
def _exact_weights(
    covariance: tuple[tuple[float, ...], ...], noise_variance: float, distinct: tuple[int, ...], counts: tuple[int, ...]
) -> tuple[list[list[mp.mpf]], np.ndarray, np.ndarray]:
    """What does not depend on the values, kept for the next ones: weights of the averages, variance, sums of weights."""
    with mp.workdps(DIGITS):
        gram = mp.matrix([[mp.mpf(covariance[a][b]) for b in distinct] for a in distinct])
        for i, count in enumerate(counts):
            gram[i, i] += mp.mpf(noise_variance) / count
        inverse = gram**-1
        cross = mp.matrix([[mp.mpf(entry) for entry in covariance[a]] for a in distinct])
        weights = (inverse * cross).T.tolist()
        variance = [float(mp.mpf(covariance[x][x]) - mp.fdot(row, cross[:, x])) for x, row in enumerate(weights)]
        weight_sum = [float(mp.fsum(row, absolute=True)) for row in weights]
    return weights, np.array(variance), np.array(weight_sum)


def exact_gain(covariance: np.ndarray, noise_variance: float, indices: np.ndarray) -> float:
    """1/2 logdet(I + K_SS / lambda) of the multiset ``indices`` in 50 digits, in nats."""
    distinct, counts = np.unique(indices, return_counts=True)
    with mp.workdps(DIGITS):
        lam = mp.mpf(float(noise_variance))
        scaled = mp.matrix([[mp.mpf(float(covariance[a, b])) * int(n) / lam + int(a == b) for b in distinct]
                            for a, n in zip(distinct, counts, strict=True)])  # fmt: skip
        return float(mp.log(mp.det(scaled)) / 2)


def cholesky_posterior(
    covariance: np.ndarray, noise_variance: float, indices: np.ndarray, values: np.ndarray
) -> Posterior:
    """The textbook formulas with one fresh Cholesky factorisation of K_SS + lambda I."""
    gram = covariance[np.ix_(indices, indices)] + noise_variance * np.eye(len(indices))
    cross = covariance[indices, :]
    factor = linalg.cho_factor(gram, lower=True)
    mean = cross.T @ linalg.cho_solve(factor, values)
    half = linalg.solve_triangular(factor[0], cross, lower=True)
    return Posterior(mean, covariance.diagonal() - np.sum(half**2, axis=0))


def log_determinant_gain(covariance: np.ndarray, noise_variance: float, indices: np.ndarray) -> float:
    """1/2 logdet(I + K_SS / lambda) of the multiset ``indices``, in nats."""
    gram = covariance[np.ix_(indices, indices)] / noise_variance + np.eye(len(indices))
    return float(np.linalg.slogdet(gram)[1] / 2)


def greedy_by_cholesky(
    covariance: np.ndarray, noise_variance: float, count: int, allowed: np.ndarray, tie_tolerance: float
) -> np.ndarray:
    """Greedy maximum-variance picks, each from a fresh Cholesky factorisation; the lowest index within the tolerance."""
    picks: list[int] = []
    for _ in range(count):
        variance = cholesky_posterior(covariance, noise_variance, np.array(picks, dtype=int), np.zeros(len(picks)))
        masked = np.where(allowed, variance.variance if picks else covariance.diagonal(), -np.inf)
        picks.append(int(np.flatnonzero(masked >= masked.max() * (1 - tie_tolerance))[0]))
    return np.array(picks)


def greedy_by_rows(
    covariance: np.ndarray, noise_variance: float, count: int, allowed: np.ndarray, tie_tolerance: float
) -> np.ndarray:
    """Greedy picks by downdating the whole posterior covariance, C <- C - c c^T / (c_j + lambda); O(N^2) a pick."""
    current, picks = covariance.copy(), []
    for _ in range(count):
        masked = np.where(allowed, current.diagonal(), -np.inf)
        pick = int(np.flatnonzero(masked >= masked.max() * (1 - tie_tolerance))[0])
        column = current[:, pick].copy()
        current -= np.outer(column, column) / (column[pick] + noise_variance)
        picks.append(pick)
    return np.array(picks)
