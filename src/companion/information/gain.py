r"""Information gain of a multiset of candidate points, and the checks every information routine makes on its input.

**Rounding.** With :math:`M=N^{1/2}KN^{1/2}/\sigma^2` and :math:`I+M=LL^T` the gain is :math:`\tfrac12\sum_j\log(1+d_j)`, where
:math:`d_j=M_{jj}-\sum_{k<j}L_{jk}^2` has no 1 in it: where signals are weak a pivot :math:`L_{jj}^2=1+d_j` keeps few digits of
:math:`d_j`. The computed factor is the exact one of :math:`I+M+E` (Higham 2002, Theorem 10.3), and since log det is concave

.. math:: \log\det(I+M)\ge\log\det(I+M+E)-\operatorname{tr}\big((I+M)^{-1}E\big),
          \qquad|\operatorname{tr}(\cdot)|\le\|(I+M)^{-1}\|_F\|E\|_F\le\sqrt n\,\|E\|_F

for positive semi-definite M of size n. In general :math:`|E_{jk}|\le\gamma\sqrt{(1+M_{jj})(1+M_{kk})}`; where all
:math:`M_{jj}<1`, :math:`|L_{jk}|L_{kk}\le2\sqrt{M_{jj}M_{kk}}`, and with pivots :math:`1+d_j` in the place of :math:`L_{jj}^2`,
which differ by :math:`\gamma(1+4M_{jj})`, :math:`|E_{jk}|\le8\gamma\sqrt{M_{jj}M_{kk}}`. Here :math:`\gamma` is
:math:`(n+4)\epsilon/2`: :math:`\|E\|_F` is at most :math:`\gamma` times the trace of I + M, or :math:`8\gamma` times M's.
:func:`rounding` adds the errors of the entries of M (a few :math:`\epsilon` each), of the pivots that :math:`1+d_j` stands for
(:math:`\gamma(1+2M_{jj})` each), and of the sum of logarithms.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from companion.core.arrays import Floats, Integers
from companion.core.errors import ConditioningError, ParameterError, positive_number

EPS = float(np.finfo(np.float64).eps)
#: Relative; covariances assembled in float64 are symmetric to about 1e-16.
_ASYMMETRY = 1e-10


def check_covariance(covariance: ArrayLike) -> Floats:
    """The covariance as a float64 array, after checking shape, finiteness, symmetry and a non-negative diagonal.

    Raises
    ------
    ParameterError
        naming ``covariance`` and what is wrong with it
    """
    try:
        matrix = np.asarray(covariance, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("covariance", "does not convert to numbers", "a square matrix of floats") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise ParameterError("covariance", f"has shape {matrix.shape}", "a square matrix (N, N) with N >= 1")
    if not np.isfinite(matrix).all():
        raise ParameterError("covariance", "contains NaN or infinite entries", "finite numbers")
    if np.diagonal(matrix).min() < 0 or np.diagonal(matrix).max() <= 0:
        raise ParameterError("covariance", "has a negative or an all-zero diagonal", "variances >= 0, not all zero")
    asymmetry = float(np.abs(matrix - matrix.T).max())
    if asymmetry > _ASYMMETRY * float(np.abs(matrix).max()):
        raise ParameterError(
            "covariance", f"is not symmetric (entries differ by {asymmetry:.3g})", "a symmetric matrix"
        )
    return matrix


def check_indices(indices: ArrayLike, size: int) -> Integers:
    """A multiset of candidates as an int64 vector, after checking that every entry lies in 0..size-1."""
    array = np.asarray(indices)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise ParameterError("indices", f"has shape {array.shape} and type {array.dtype}", "a vector of integers")
    if array.min() < 0 or array.max() >= size:
        raise ParameterError("indices", f"run from {array.min()} to {array.max()}", f"entries from 0 to {size - 1}")
    return array.astype(np.int64)


def _factor(matrix: Floats) -> Floats:
    try:
        return linalg.cholesky(matrix, lower=True, check_finite=False)
    except linalg.LinAlgError:
        raise ConditioningError(
            "I + K/sigma^2 is not positive definite in float64: the covariance is indefinite or the noise variance "
            "is below rounding level of the prior variance. Raise noise_variance, or add jitter to the covariance."
        ) from None


def information_gain(covariance: ArrayLike, indices: ArrayLike, noise_variance: float) -> float:
    """Mutual information between the function and noisy values at a multiset A of candidates.

    ``F(A) = 1/2 log det(I + K_AA / sigma^2)``  (nats; Srinivas et al. 2010).

    Repeats are merged before factorising: with n_u copies of the distinct point u, Sylvester's identity gives
    ``det(I + K_AA / sigma^2) = det(I + N^(1/2) K_UU N^(1/2) / sigma^2)``, N = diag(n_u), so a set with a million
    repeats costs no more than its distinct points.

    Parameters
    ----------
    covariance : (N, N) prior covariance K of the candidates
    indices : (T,) picks, repeats allowed; an empty set has gain 0
    noise_variance : sigma^2, variance of one observation's noise

    Raises
    ------
    ParameterError
        for a covariance, index or noise variance out of range
    ConditioningError
        when I + K/sigma^2 cannot be factorised in float64

    Examples
    --------
    >>> import companion as cp
    >>> covariance = cp.SquaredExponential(0.2)(cp.grid(10, dim=1))
    >>> print(f"{cp.information_gain(covariance, [0, 0, 9], noise_variance=0.01):.2f} nats")
    4.96 nats
    """
    matrix = check_covariance(covariance)
    noise = positive_number("noise_variance", noise_variance)
    distinct, copies = np.unique(check_indices(indices, len(matrix)), return_counts=True)
    return gain_of_copies(matrix, distinct, copies, noise)


def gain_by_determinant(gram: ArrayLike, noise_variance: float) -> Floats:
    r"""(...) :math:`\tfrac12\log\det(I+K_A/\sigma^2)` of covariances K_A (..., n, n), each by one determinant.

    The definition as it stands, for enumerations, and for checks of what adds up gains or factorises: it shares no line with
    :func:`information_gain`. Minus infinity where rounding has left no positive determinant.

    Examples
    --------
    >>> print(f"{gain_by_determinant([[1.0, 0.5], [0.5, 1.0]], 0.01):.3f}")
    4.475
    """
    among = np.asarray(gram, dtype=np.float64)
    sign, logarithm = np.linalg.slogdet(np.eye(among.shape[-1]) + among / noise_variance)
    return np.asarray(np.where(sign > 0, 0.5 * logarithm, -np.inf))


def variance_sum_factor(noise_variance: float, variance: float = 1.0) -> float:
    r""":math:`2\kappa/\log(1+\kappa/\sigma^2)`: times the gain, no less than the sum of the variances at the points chosen.

    Srinivas et al. (2010), Lemma 5.4, for prior variances up to :math:`\kappa`.
    """
    prior, noise = positive_number("variance", variance), positive_number("noise_variance", noise_variance)
    return 2.0 * prior / math.log1p(prior / noise)


def gain_of_copies(covariance: Floats, distinct: Integers, copies: Integers, noise_variance: float) -> float:
    """Information gain of ``copies[u]`` observations of each ``distinct[u]``; arguments are not checked."""
    if not len(distinct):
        return 0.0
    root = np.sqrt(copies / noise_variance)
    return 0.5 * float(log_pivots(covariance[np.ix_(distinct, distinct)] * np.outer(root, root)).sum())


def gain_from_below(covariance: Floats, distinct: Integers, copies: Integers, noise_variance: float) -> float:
    """:func:`gain_of_copies` less :func:`rounding`: no more than the exact gain, where the covariance is semi-definite."""
    loads = np.diagonal(covariance)[distinct] * copies / noise_variance
    return max(gain_of_copies(covariance, distinct, copies, noise_variance) - rounding(loads), 0.0)


def rounding(loads: Floats) -> float:
    """Allowance for rounding in the gain of points with these ``loads`` (n,), the diagonal of M; see above."""
    size, whole, root = len(loads), float(loads.sum()), float(np.sqrt(len(loads)))
    if loads.max(initial=0.0) < 1.0:
        return EPS * (size + 8) * 3.0 * root * whole
    return EPS * (size + 8) * (root / 4.0 + 1.0) * (whole + size)


def log_pivots(matrix: Floats) -> Floats:
    """Logarithms (n,) of the pivots of I + M, those of prefixes adding up to their log-determinants; M is overwritten.

    Raises
    ------
    ConditioningError
        when I + M cannot be factorised in float64
    """
    loads = np.diagonal(matrix).copy()
    matrix[np.diag_indices_from(matrix)] += 1.0
    factor = _factor(matrix)
    logs = 2.0 * np.log(np.diagonal(factor))
    factor[np.diag_indices_from(factor)] = 0.0
    less = loads - np.einsum("jk,jk->j", factor, factor)  # the pivots less 1, which they do not have to lose again
    near = np.abs(less) < 1.0
    logs[near] = np.log1p(less[near])
    return logs


def cumulative_information_gain(covariance: ArrayLike, indices: ArrayLike, noise_variance: float) -> Floats:
    """Information gain of every prefix: entry t-1 is F of the first t picks, from one T x T Cholesky factor.

    The leading blocks of a Cholesky factor are the factors of the leading blocks, so the cumulative sum of the
    logarithms of its pivots lists all T gains. Arguments and errors as in :func:`information_gain`.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.information import cumulative_information_gain
    >>> cumulative_information_gain(cp.Matern(2.5, 0.3)(cp.grid(5, dim=1)), [0, 4, 0], noise_variance=0.01).round(2)
    array([2.31, 4.62, 4.96])
    """
    matrix = check_covariance(covariance)
    noise = positive_number("noise_variance", noise_variance)
    picks = check_indices(indices, len(matrix))
    if not len(picks):
        return np.zeros(0)
    return 0.5 * np.cumsum(log_pivots(matrix[np.ix_(picks, picks)] / noise))
