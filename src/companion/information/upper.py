"""Two classical upper bounds on the maximum information gain: submodular (data-dependent) and spectral.

Both are evaluated for a covariance that dominates the given one by a rounding allowance. F is monotone in K, so the
bound for the larger covariance is a bound for the given one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.information.gain import EPS
from companion.information.greedy import GreedyGain

#: Relative to the largest eigenvalue; float64 kernel matrices stay above -1e-12.
_INDEFINITE = 1e-8
_BISECTIONS = 80


@dataclass(frozen=True)
class Spectrum:
    """Eigendecomposition of a covariance, with its rounding allowance.

    Attributes
    ----------
    values : (N,) eigenvalues, descending, clipped at 0
    vectors : (N, N) eigenvectors in columns, same order
    variance : (N,) prior variances, the covariance's diagonal
    slack : eta such that K is at most ``vectors diag(values) vectors' + eta I`` in the positive semi-definite order.
        The symmetric eigensolver is backward stable (error of norm p(N) eps ||K||, p a modest function;
        LAPACK Users' Guide, Section 4.7); eta takes p(N) = 4N. Clipping at 0 only raises eigenvalues.
    """

    values: Floats
    vectors: Floats
    variance: Floats
    slack: float


def spectrum(covariance: Floats) -> Spectrum:
    """Eigendecomposition in descending order; refuses a covariance with a clearly negative eigenvalue.

    Raises
    ------
    ParameterError
        when an eigenvalue is below -1e-8 times the largest one
    """
    values, vectors = linalg.eigh(covariance, check_finite=False)
    top = float(np.abs(values).max())
    if values[0] < -_INDEFINITE * top:
        raise ParameterError(
            "covariance", f"has the eigenvalue {values[0]:.3g} beside {top:.3g}", "a positive semi-definite matrix"
        )
    slack = 4 * len(values) * EPS * top
    return Spectrum(np.maximum(values[::-1], 0.0), vectors[:, ::-1], np.diagonal(covariance).copy(), slack)


def submodular_bound(path: GreedyGain, horizon: int, noise_variance: float) -> float:
    """Data-dependent submodular bound, the best over all prefixes S_k of a greedy path (k may exceed the horizon T).

    ``gamma_T <= min_k F(S_k) + T/2 log(1 + max_x sigma_k^2(x) / sigma^2)``.

    Proof: F is monotone and submodular, so F(A) <= F(S_k u A) <= F(S_k) + sum_{x in A} [F(S_k u x) - F(S_k)], and
    the gain of one more observation at x is 1/2 log(1 + sigma_k^2(x)/sigma^2). (Nemhauser, Wolsey and Fisher 1978,
    with the gain written in posterior variances as in Srinivas et al. 2010, Lemma 5.3.) k = 0 is the trivial bound.

    Rounding: step k's variances carry an error of order k eps times the prior variance; eight times that is added
    to the variance in every term, the k terms of F(S_k) included, and four units to the last sum.
    """
    prior = float(path.max_variance[0])
    steps = np.arange(len(path.max_variance))
    error = 8 * (steps + 1) * EPS * prior / noise_variance
    gains = np.concatenate([[0.0], path.gains]) * (1 + 8 * EPS * len(steps)) + 0.5 * steps * error
    ends = gains + 0.5 * horizon * np.log1p(path.max_variance / noise_variance + error)
    return float(ends.min() * (1 + 4 * EPS))


def spectral_bound(spec: Spectrum, horizon: int, noise_variance: float) -> float:
    """Water-filling over the eigenvalues of the candidates' covariance.

    ``gamma_T <= max 1/2 sum_i log(1 + m_i lambda_i / sigma^2)`` over ``0 <= m_i <= T max_x u_i(x)^2, sum m_i = T``.

    Proof: with the eigenvectors U of K, F(A) = 1/2 log det(I + sum_{x in A} Lambda^(1/2) u(x) u(x)' Lambda^(1/2) /
    sigma^2), u(x) the x-th row of U. Hadamard's inequality bounds the determinant by the product of the diagonal,
    whose entries are 1 + m_i lambda_i / sigma^2 with m_i = sum_{x in A} u_i(x)^2; the rows of U have unit length,
    hence sum m_i = T. (The eigenvalue argument of Srinivas et al. 2012, Lemma 7.6, for the best instead of
    the greedy picks.)

    The maximum is evaluated through its Lagrangian dual at the water level found by bisection: any level gives an
    upper bound, so an inexact level costs tightness, never validity. Eigenvalues are raised by the spectrum's slack.
    """
    ratio = (spec.values + spec.slack) / noise_variance
    caps = horizon * (spec.vectors**2).max(axis=0)
    ratio, caps = ratio[ratio > 0], caps[ratio > 0]
    if not len(ratio):
        return 0.0
    low, high = np.log(1 / ratio.max()), np.log(1 / ratio.min() + 2.0 * horizon)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        filled = np.clip(np.exp(middle) - 1 / ratio, 0.0, caps).sum()
        low, high = (middle, high) if filled < horizon else (low, middle)
    level = np.exp(0.5 * (low + high))
    mass = np.clip(level - 1 / ratio, 0.0, caps)
    dual = 0.5 * np.log1p(mass * ratio).sum() + 0.5 * (horizon - mass.sum()) / level
    return float(dual * (1 + 16 * EPS * len(ratio)))
