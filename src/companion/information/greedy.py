"""Greedy maximum-variance selection and its improvement by exchanges: achieved, hence lower, information gains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from companion.core.arrays import Floats, Integers
from companion.core.errors import positive_number, whole_number
from companion.gp.posterior import FinitePosterior
from companion.information.gain import check_covariance, check_indices

#: An exchange must raise the variance by this share, so that rounding cannot cycle.
_IMPROVEMENT = 1e-9
#: Least noise-to-prior variance ratio at which removing a pick is accurate in float64.
_RESOLUTION = 1e-7


@dataclass(frozen=True)
class GreedyGain:
    """Path of the greedy rule.

    Attributes
    ----------
    indices : (T,) picks, repeats possible
    gains : (T,) information gain F(S_1), ..., F(S_T) of the growing sets, in nats
    max_variance : (T+1,) largest posterior variance over the candidates before pick 1 and after each pick
    """

    indices: Integers
    gains: Floats
    max_variance: Floats


def greedy_gain(covariance: ArrayLike, horizon: int, noise_variance: float) -> GreedyGain:
    """Pick the candidate of largest posterior variance, condition on it, repeat; lowest index on ties.

    A pick at x adds ``1/2 log(1 + sigma_k^2(x) / sigma^2)`` to the gain, so the rule is the greedy one for F, and
    F(S_T) >= (1 - 1/e) gamma_T (Nemhauser, Wolsey and Fisher 1978; Srinivas et al. 2010). A picked
    point stays a candidate. The picks are those of :meth:`FinitePosterior.select_max_variance`, its tie tolerance
    included. O(T^2 N) time, O(T N) memory.

    Parameters
    ----------
    covariance : (N, N) prior covariance of the candidates
    horizon : number of picks T, may exceed N
    noise_variance : sigma^2

    Raises
    ------
    ParameterError
        for a covariance, horizon or noise variance out of range
    ConditioningError
        when the noise variance is too small beside the prior variance for float64

    Examples
    --------
    >>> import companion as cp
    >>> from companion.information import greedy_gain
    >>> path = greedy_gain(cp.Matern(2.5, 0.3)(cp.grid(5, dim=1)), horizon=3, noise_variance=0.01)
    >>> path.indices, path.gains.round(2), path.max_variance.round(2)
    (array([0, 4, 2]), array([2.31, 4.62, 6.87]), array([1.  , 1.  , 0.9 , 0.37]))
    """
    matrix = check_covariance(covariance)
    steps = whole_number("horizon", horizon)
    noise = positive_number("noise_variance", noise_variance)
    # Without its value raised: a bound computed at another noise variance would not be one for this problem.
    posterior = FinitePosterior(matrix, noise, capacity=steps, jitter="refuse")
    indices = posterior.select_max_variance(steps)[0]
    variance = np.diagonal(matrix).copy()
    peaks, added = np.empty(steps + 1), np.empty(steps)
    for t, row in enumerate(posterior.factor[0]):
        peaks[t] = variance.max()
        added[t] = 0.5 * np.log1p(variance[indices[t]] / noise)
        variance = np.maximum(variance - row**2, 0.0)
    peaks[steps] = variance.max()
    return GreedyGain(indices, np.cumsum(added), peaks)


def exchange(covariance: ArrayLike, indices: ArrayLike, noise_variance: float, passes: int = 2) -> Integers:
    """Improve a multiset by single exchanges: take a pick out, put the then most uncertain candidate in.

    Each accepted exchange raises F, because with the pick removed the gain of adding x is
    ``1/2 log(1 + sigma^2(x | rest) / sigma^2)`` (Fedorov's exchange rule for D-optimal designs). Stops after a pass
    without exchange or after ``passes`` passes; O(N^2) an exchange. The input is returned unchanged where the
    noise variance is below 1e-7 of the prior variance, since a pick cannot be removed accurately there.

    Parameters
    ----------
    covariance, noise_variance : as in :func:`greedy_gain`
    indices : (T,) picks to start from
    passes : largest number of sweeps over the picks, 0 for none

    Returns
    -------
    (T,) picks; their gain should be taken from :func:`companion.information.gain.information_gain`

    Examples
    --------
    >>> import companion as cp
    >>> from companion.information import exchange
    >>> covariance = cp.Matern(2.5, 0.3)(cp.grid(9, dim=1))
    >>> better = exchange(covariance, [0, 1, 2], noise_variance=0.01)
    >>> [f"{cp.information_gain(covariance, picks, 0.01):.1f} nats" for picks in ([0, 1, 2], better)]
    ['5.4 nats', '6.9 nats']
    """
    matrix = check_covariance(covariance)
    noise = positive_number("noise_variance", noise_variance)
    picks = check_indices(indices, len(matrix)).copy()
    whole_number("passes", passes, 0)
    if not len(picks) or noise < _RESOLUTION * float(np.diagonal(matrix).max()):
        return picks
    for _ in range(passes):
        if not _sweep(matrix, picks, noise):
            break
    return picks


def _sweep(matrix: Floats, picks: Integers, noise: float) -> int:
    """One pass of exchanges on ``picks`` in place; returns how many were made."""
    block = matrix[np.ix_(picks, picks)] + noise * np.eye(len(picks))
    half = linalg.solve_triangular(linalg.cholesky(block, lower=True), matrix[picks], lower=True)
    posterior = matrix - half.T @ half
    changes = 0
    for j, old in enumerate(picks):
        column = posterior[old].copy()
        if noise - column[old] <= 0:  # rounding: this pick's removal is not resolved
            continue
        posterior += np.outer(column, column / (noise - column[old]))
        variance = np.diagonal(posterior)
        new = int(np.argmax(variance))
        if variance[new] <= (1 + _IMPROVEMENT) * variance[old]:
            new = int(old)
        changes += new != old
        picks[j] = new
        column = posterior[new].copy()
        posterior -= np.outer(column, column / (noise + column[new]))
    return changes
