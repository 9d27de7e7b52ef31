"""Upper bounds on the maximum information gain from relaxed designs: D-optimal, and limited to the horizon's rank.

Notation. Choose any features Phi (rows phi_x, r columns) and tails with ``K / sigma^2 <= Phi Phi' + R``, R positive
semi-definite with diagonal ``tail``; here Phi comes from the r leading eigenvectors of K. A *shrinkage* is a matrix
Theta = Q diag(theta) Q' on the features, 0 < theta_i <= 1, and a number theta_0 in (0, 1] on everything R needs.
With h(theta) = theta - 1 - log theta, every shrinkage certifies

    gamma_T <= T/2 max_x [phi_x' Theta phi_x + theta_0 tail_x] + 1/2 sum_{i<=s} h(theta_(i)),

the sum over the s smallest eigenvalues of Theta, theta_0 counted as often as needed (see below for s).

Proof. For a multiset A of T picks let B = sum_{x in A} phi_x phi_x' (a root of R as further coordinates), and P the
projector on an s-dimensional space that contains the range of B. F(A) is at most 1/2 log det(I + B) on that space.
For positive definite X, Y of size s, log det X + log det Y <= tr XY - s. With X = I + B and Y = P Theta P this gives
``log det(I + B) <= tr(B Theta) + tr(P Theta P) - s - log det(P Theta P) = tr(B Theta) + sum_i h(eigenvalue_i(P Theta
P))``; tr(B Theta) is at most T times the largest score, h decreases on (0, 1], and the i-th smallest eigenvalue of a
compression is at least the i-th smallest of Theta (Cauchy interlacing). B has rank at most min(T, N).

* ``design``: s = all of the feature space, theta_0 = 1. The optimum is the D-optimal relaxation
  max_w 1/2 log det(I + sum_x w_x phi_x phi_x'), and the bound at Theta = (I + sum w phi phi')^-1 is its value at w
  plus the duality gap T max_x grad_x - <w, grad> (Kiefer and Wolfowitz 1960).
* ``factorization``: s = min(T, N). T picks cannot load more than T directions, which is what makes it tight when T
  is small: it contains the trivial bound (Theta = theta_0 I) as well as the D-optimal one. It is the augmented
  factorization bound for maximum-entropy sampling (Li 2024, arXiv:2410.10078, after Nikolov 2015) on the candidates
  with unlimited copies.

The optimisation over designs w below only makes the bound tight. Its validity rests on the shrinkage alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from companion.core.arrays import Floats
from companion.information.gain import EPS
from companion.information.upper import Spectrum

#: Exponent of the multiplicative update; 1 is the classical monotone one, 1.5 needs about half the rounds.
_STEP = 1.5


@dataclass(frozen=True)
class Features:
    """Leading eigenfeatures of the candidates, in units of the noise: ``K / sigma^2 <= phi phi' + R``.

    Attributes
    ----------
    phi : (N, r) features
    tail : (N,) diagonal of R, rounding slack of the spectrum included
    """

    phi: Floats
    tail: Floats


@dataclass(frozen=True)
class Certificate:
    """A relaxed design, diagonalised, from which the bound at any horizon is one matrix product away.

    Attributes
    ----------
    weights : (N,) the design, summing to 1
    loads : (r,) eigenvalues of ``sum_x weights_x phi_x phi_x'``, descending
    squares : (N, r) squared coordinates of the features in its eigenvectors
    tail : (N,) left-out variance of the features
    """

    weights: Floats
    loads: Floats
    squares: Floats
    tail: Floats


def features(spec: Spectrum, noise_variance: float, rank: int) -> Features:
    """The ``rank`` leading eigenfeatures and the variance they leave out."""
    phi = spec.vectors[:, :rank] * np.sqrt(spec.values[:rank] / noise_variance)
    left = np.maximum(spec.variance / noise_variance - (phi**2).sum(axis=1), 0.0)
    return Features(phi, left + (spec.slack + 4 * EPS * rank * spec.variance) / noise_variance)


def choose_rank(
    spec: Spectrum, horizon: int, noise_variance: float, allowance: float, limit: int, kind: str = "factorization"
) -> int:
    """Number of features for a horizon: enough that the tail adds at most ``allowance`` to the bound.

    The tail's cost is T/2 theta_0 max tail. For ``design`` theta_0 = 1; for ``factorization`` it is guessed from the
    uniform design, and since directions beyond twice the horizon are rarely loaded, the rank is capped. Any rank gives
    a valid bound; ``limit`` bounds the cost.
    """
    size = len(spec.values)
    tails = np.maximum(spec.variance[:, None] - np.cumsum(spec.values * spec.vectors**2, axis=1), 0.0).max(axis=0)
    cost = 0.5 * horizon * tails / noise_variance
    if kind == "factorization":
        loads = horizon * spec.values / (size * noise_variance)
        cost = cost / (1 + float(fill(loads[:, None], np.zeros(1), min(horizon, size))[1][0]))
        limit = min(limit, 2 * horizon + 200)
    enough = np.flatnonzero(cost <= allowance)
    return max(1, min(int(enough[0]) + 1 if len(enough) else size, limit))


def fill(loads: Floats, tail_load: Floats, slots: int) -> tuple[np.ndarray, Floats]:
    """Spread the small loads of a design over the slots that T picks leave free.

    Maximises ``sum_i log(1 + mu_i)`` over vectors mu of ``slots`` entries that keep the largest k loads and share the
    rest evenly: k is the least number with ``rest / (slots - k) >= next load`` (Nikolov 2015, Lemma 14, at 1 + load).

    Parameters
    ----------
    loads : (r, H) descending loads, one column per horizon
    tail_load : (H,) load outside the features
    slots : s >= 1

    Returns
    -------
    kept (H,) numbers k of loads kept, level (H,) the common value of the others (0 when no slot is left)
    """
    count = min(slots, len(loads))
    rest = loads.sum(axis=0) + tail_load - np.vstack([np.zeros(loads.shape[1]), np.cumsum(loads, axis=0)])
    options = min(slots - 1, len(loads))
    level = np.maximum(rest[: options + 1], 0.0) / (slots - np.arange(options + 1))[:, None]
    following = np.vstack([loads, np.zeros(loads.shape[1])])[: options + 1]
    accepted = level >= following
    kept = np.where(accepted.any(axis=0), accepted.argmax(axis=0), count)
    chosen = np.take_along_axis(level, np.minimum(kept, options)[None], axis=0)[0]
    return kept, np.where(kept <= options, chosen, 0.0)


def shrinkage(loads: Floats, tail_load: Floats, slots: int | None) -> tuple[Floats, Floats]:
    """theta (r, H) and theta_0 (H,) that are optimal for designs with these loads; ``slots=None`` is the D-optimal one.

    Kept directions get 1/(1 + load), the others and the tail get 1/(1 + level).
    """
    theta = 1 / (1 + loads)
    if slots is None:
        return theta, np.ones(loads.shape[1])
    kept, level = fill(loads, tail_load, slots)
    floor = 1 / (1 + level)
    beyond = np.arange(len(loads))[:, None] >= kept[None, :]
    return np.where(beyond, floor[None, :], theta), floor


def charge(theta: Floats, floor: Floats, slots: int | None) -> Floats:
    """Sum of h(theta) = theta - 1 - log theta over the ``slots`` smallest of theta (r, H) and copies of floor (H,)."""
    if slots is None:
        return (theta - 1 - np.log(theta)).sum(axis=0)
    padding = np.repeat(floor[None, :], slots, axis=0)  # the tail has as many directions as needed
    smallest = np.sort(np.vstack([theta, padding]), axis=0)[:slots]
    return (smallest - 1 - np.log(smallest)).sum(axis=0)


def bound(horizon: Floats, score: Floats, charged: Floats, rank: int, largest: float) -> Floats:
    """``T/2 max score + 1/2 charge`` with an allowance for rounding.

    The computed eigenvectors are orthonormal to about 8 r eps, so the eigenvalues of Theta are off by that relative
    amount (Ostrowski), which moves each of the at most T + r charges by as much; a coordinate of a feature of length
    ``largest`` is off by r eps times that length, which moves a score d by 4 r^(3/2) eps largest sqrt(d) at most.
    """
    value = 0.5 * horizon * score + 0.5 * charged
    unit = 8 * EPS * (rank + 4)
    return value * (1 + unit) + unit * rank + 2 * horizon * EPS * rank**1.5 * largest * np.sqrt(score)


def evaluate(certificate: Certificate, horizons: np.ndarray, kind: str) -> Floats:
    """The bounds that a design certifies at many horizons, the design scaled to each; kind 'design'|'factorization'.

    One (N, r) x (r, H) product a call; the bound at each horizon is valid whatever horizon the design was found for.
    """
    size, rank = certificate.squares.shape
    lengths = certificate.squares.sum(axis=1)
    largest = float(np.sqrt(lengths.max()))
    times = horizons.astype(float)
    loads = certificate.loads[:, None] * times
    tail_load = times * float(certificate.weights @ certificate.tail)
    theta, floor, charged = np.empty_like(loads), np.empty_like(times), np.empty_like(times)
    for h, horizon in enumerate(horizons):
        slots = None if kind == "design" else min(int(horizon), size)
        at = slice(h, h + 1)
        theta[:, at], floor[at] = shrinkage(loads[:, at], tail_load[at], slots)
        charged[at] = charge(theta[:, at], floor[at], slots)
    score = (certificate.squares @ theta + certificate.tail[:, None] * floor).max(axis=0)
    return bound(times, score, charged, rank, largest)


def loads_and_axes(weights: Floats, feats: Features, driver: str = "evr") -> tuple[Floats, Floats]:
    """Eigenvalues (r,), descending and at least 0, and eigenvectors (r, r) in columns of ``sum_x weights_x phi_x phi_x'``."""
    loads, axes = linalg.eigh(feats.phi.T @ (weights[:, None] * feats.phi), driver=driver, check_finite=False)
    return np.maximum(loads[::-1], 0.0), axes[:, ::-1]


def diagonalise(weights: Floats, feats: Features) -> Certificate:
    """The certificate of a design: one r x r eigendecomposition and one (N, r) x (r, r) product."""
    loads, axes = loads_and_axes(weights, feats, "evd")
    return Certificate(weights, loads, (feats.phi @ axes) ** 2, feats.tail)


def loads_all(feats: Features, horizon: int) -> bool:
    """Whether T picks can load every feature; then both relaxations agree up to the tail."""
    return min(horizon, len(feats.tail)) >= feats.phi.shape[1]


def relax(
    feats: Features, horizon: int, start: Floats, rounds: int, gap: float, kind: str = "factorization"
) -> Certificate:
    """A nearly optimal relaxed design for a horizon, by the multiplicative algorithm, and its certificate.

    Each round multiplies the weights by the scores to the power 1.5 and renormalises (Silvey, Titterington and Torsney
    1978; Yu 2010 proves ascent for the power 1). Where T picks can load every feature the scores come from a Cholesky
    factor, otherwise from an eigendecomposition. Stops at a relative duality gap below ``gap`` or after ``rounds``.

    Parameters
    ----------
    feats : features of the candidates
    horizon : T
    start : (N,) positive weights summing to 1
    rounds, gap : stopping rule
    kind : which of the two bounds to make small

    Returns
    -------
    the certificate of the best design met, best meaning the smallest upper bound
    """
    full = kind == "design" or loads_all(feats, horizon)
    weights, best, best_upper = start, start, np.inf
    for _ in range(max(rounds, 1)):
        scores, upper, value = (_full_step if full else _limited_step)(feats, horizon, weights)
        if upper < best_upper:
            best, best_upper = weights, upper
        if best_upper - value <= gap * best_upper:
            break
        weights = weights * (scores / scores.max()) ** _STEP
        weights = weights / weights.sum()
    return diagonalise(best, feats)


def relax_on(feats: Features, horizon: int, weights: Floats | None, rounds: int, gap: float) -> Certificate:
    """:func:`relax` from a design on the first of the candidates, to which others have come; without one from the even design."""
    start = np.full(len(feats.tail), 1.0 / len(feats.tail))
    if weights is not None:
        start[: len(weights)] = 0.9 * weights + 0.1 * start[: len(weights)]
    return relax(feats, horizon, start / start.sum(), rounds, gap)


def _full_step(feats: Features, horizon: int, weights: Floats) -> tuple[Floats, float, float]:
    """Scores, bound and relaxed value of the D-optimal problem at a design; no eigenvalues needed."""
    matrix = horizon * (feats.phi.T @ (weights[:, None] * feats.phi))
    matrix[np.diag_indices_from(matrix)] += 1.0
    factor = linalg.cholesky(matrix, lower=True, check_finite=False)
    half = linalg.solve_triangular(factor, feats.phi.T, lower=True, check_finite=False)
    scores = (half**2).sum(axis=0) + feats.tail
    value = float(np.log(np.diagonal(factor)).sum() + 0.5 * horizon * (weights @ feats.tail))
    # Kiefer-Wolfowitz gap: T/2 (max score - mean score).
    return scores, value + 0.5 * horizon * float(scores.max() - weights @ scores), value


def _limited_step(feats: Features, horizon: int, weights: Floats) -> tuple[Floats, float, float]:
    """Scores, bound and relaxed value of the rank-limited problem at a design."""
    slots = min(horizon, len(weights))
    here = diagonalise(weights, feats)
    loads, tail_load = horizon * here.loads[:, None], np.array([horizon * float(weights @ feats.tail)])
    theta, floor = shrinkage(loads, tail_load, slots)
    scores = here.squares @ theta[:, 0] + floor[0] * feats.tail
    charged = float(charge(theta, floor, slots)[0])
    upper = 0.5 * horizon * float(scores.max()) + 0.5 * charged
    # At its own shrinkage the relaxed value is the bound with the mean score in place of the largest.
    return scores, upper, 0.5 * horizon * float(weights @ scores) + 0.5 * charged
