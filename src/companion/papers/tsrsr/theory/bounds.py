r"""The paper's bounds with every constant, and the sharper forms its proofs allow.

Notation: N candidates, T batches of m points, noise variance :math:`\sigma_n^2`, gain :math:`\gamma` the maximum
information gain of Tm points (repeats allowed; pass the certified upper end), :math:`c=2/\log(1+\sigma_n^{-2})`, so that
:math:`c=\sigma_n^2C_1` with the paper's :math:`C_1`, and :math:`\rho_m` the largest factor by which m more points can
lower a posterior standard deviation. Regret is summed over the Tm points; its expectation is over f, noise and draws.
All bounds assume k(x, x) <= 1.
"""

from __future__ import annotations

import math

from companion.bounds.checks import assumed, at_least
from companion.bounds.confidence import normal_width as normal_width
from companion.bounds.ranges import any_prior_range
from companion.core.errors import AssumptionError, positive_number, whole_number
from companion.information.gain import variance_sum_factor


def gain_factor(noise_variance: float) -> float:
    r""":math:`c=2/\log(1+\sigma_n^{-2})`, from Lemma 5: :math:`\sigma^2\le\frac c2\log(1+\sigma^2/\sigma_n^2)` up to 1."""
    return variance_sum_factor(noise_variance)


def variance_ratio(extra: int, noise_variance: float, largest_variance: float = 1.0) -> float:
    r""":math:`\rho_m=\sqrt{1+m\,\sigma_n^{-2}\max_x\sigma^2(x)}`, in closed form.

    The paper defines :math:`\rho_m` as a maximum over points, histories and sets of m further points. With repeats
    allowed it is attained by m observations of the point itself: the precision that :math:`f_A=b\,f(x)+r` adds is at
    most :math:`|b|^2/\sigma_n^2`, and :math:`b_z^2\sigma^2(x)\le\sigma^2(z)`.

    Parameters
    ----------
    extra : m, at least 0
    noise_variance : sigma_n^2
    largest_variance : the largest variance at the start: of the prior, or given the initial design (App. B)
    """
    whole_number("extra", extra, 0)
    positive_number("largest_variance", largest_variance)
    return math.sqrt(1.0 + extra * largest_variance / positive_number("noise_variance", noise_variance))


def theorem1(
    candidates: int, rounds: int, batch: int, noise_variance: float, gain: float, ratio: float | None = None
) -> float:
    r"""Theorem 1 with its constants: the last display of Section 5.5.

    .. math:: \E R_{T,m}\le2\sqrt{2\log(4N(Tm)^3)}\,\rho_m\sqrt{Tm\,c\,\gamma}+\sqrt{24\,Tm\log N}

    Parameters
    ----------
    candidates, rounds, batch : N, T, m
    noise_variance, gain : sigma_n^2 and the maximum information gain of Tm points, nats
    ratio : rho_m; that of the prior (:func:`variance_ratio`) by default

    Returns
    -------
    bound on the expected cumulative regret; divided by Tm it bounds the expected simple regret
    """
    n = _count(candidates, rounds, batch)
    rho = _ratio(batch, noise_variance, ratio, gain)
    first = 2.0 * math.sqrt(2.0 * math.log(4.0 * candidates * n**3)) * rho
    return first * math.sqrt(n * gain_factor(noise_variance) * gain) + math.sqrt(24.0 * n * math.log(candidates))


def theorem1_one_term(
    candidates: int,
    rounds: int,
    batch: int,
    noise_variance: float,
    gain: float,
    ratio: float | None = None,
    *,
    unchecked: bool = False,
) -> float:
    r"""Theorem 1 as one term, where max k(x, x) = 1.

    .. math:: 2\sqrt6(1+\sqrt3)\sqrt c\,\rho_m\sqrt{Tm\,\gamma\log(N(Tm)^3)}

    The O(.) of the paper hides this constant; absorbing the second term needs :math:`c\gamma\ge1`.

    Parameters
    ----------
    candidates, rounds, batch, noise_variance, gain, ratio : see :func:`theorem1`
    unchecked : also where c gamma is less, to show what the form would say there

    Raises
    ------
    AssumptionError
        if c gamma is less than one
    """
    factor = gain_factor(noise_variance) * gain
    assumed(unchecked or factor >= 1.0 - 1e-12, f"one term is enough where c gamma >= 1; it is {factor:.3g}")
    n = _count(candidates, rounds, batch)
    rho = _ratio(batch, noise_variance, ratio, gain)
    constant = 2.0 * math.sqrt(6.0) * (1.0 + math.sqrt(3.0)) * math.sqrt(gain_factor(noise_variance))
    return constant * rho * math.sqrt(n * gain * math.log(candidates * n**3))


def mean_ratio(batch: int, noise_variance: float, largest_variance: float = 1.0) -> float:
    r""":math:`\bar\rho_m=\sqrt{\frac1m\sum_{i<m}\rho_i^2}=\sqrt{1+\frac{m-1}2\sigma_n^{-2}\max_x\sigma^2(x)}`.

    The i-th place of a batch has i - 1 pending points. Arguments as for :func:`variance_ratio`; one for single points.
    """
    whole_number("batch", batch)
    positive_number("largest_variance", largest_variance)
    return math.sqrt(1.0 + 0.5 * (batch - 1) * largest_variance / positive_number("noise_variance", noise_variance))


def theorem1_sharp(
    candidates: int,
    rounds: int,
    batch: int,
    noise_variance: float,
    gain: float,
    ratio: float | None = None,
    resampled: bool = False,
) -> float:
    r"""The bound without good events and with a width that does not grow with T, from the companion's proof.

    .. math:: \E R_{T,m}\le\bar\rho_m\sqrt{2+2\log\tfrac N2}\,\sqrt{Tm\,c\,\gamma}

    Given the data and the draws, f at a chosen point has mean :math:`\mu_t` there, so the sum that Lemma 6 bounds has
    mean zero. Cauchy-Schwarz over all evaluations, in expectation, asks for the mean *square* of the ratios' positive
    parts in place of the largest ratio of a run. A ratio at the i-th place of a batch is at most :math:`\rho_{i-1}` times
    the maximum of N standard normal numbers, and the square of its positive part has a mean of at most
    :math:`\int_0^\infty\min(1,\tfrac N2e^{-s/2})\,ds=2+2\log\tfrac N2`. Lemma 5 holds on every path. For single points
    the argument is that of Takeno et al. (2024).

    Parameters
    ----------
    ratio : the root of the mean square of rho_0 to rho_{m-1}; that of the prior (:func:`mean_ratio`) by default
    resampled : with the resampling of App. C, the logarithm is of N: a draw is accepted with probability >= 1/2
    """
    n = _count(candidates, rounds, batch)
    rho = _ratio(batch, noise_variance, mean_ratio(batch, noise_variance) if ratio is None else ratio, gain)
    squares = 2.0 + 2.0 * math.log(candidates / (1.0 if resampled else 2.0))
    return rho * math.sqrt(squares) * math.sqrt(n * gain_factor(noise_variance) * gain)


def trivial_bound(candidates: int, evaluations: int) -> float:
    r""":math:`Tm\sqrt{8\log N}`: the most that the trivial bound can be, as :math:`\E(\max f-\min f)\le\sqrt{8\log N}`.

    For every kernel with k(x, x) at most 1, and generous: the line of a given instance is
    :func:`companion.bounds.trivial.prior_range`.
    """
    whole_number("candidates", candidates, 2)
    return whole_number("evaluations", evaluations) * any_prior_range(candidates)


def good_event_bound(
    candidates: int,
    rounds: int,
    batch: int,
    noise_variance: float,
    gain: float,
    delta: float,
    ratio: float | None = None,
) -> float:
    r"""Equation (16): with probability at least 1 - 2 delta the *sampled* regret is at most this.

    .. math:: \tilde R_{T,m}\le2\sqrt{2\log(2NTm/\delta)}\,\rho_m\sqrt{Tm\,c\,\gamma}
    """
    n = _count(candidates, rounds, batch)
    rho = _ratio(batch, noise_variance, ratio, gain)
    width = normal_width(2 * candidates * n, delta)
    return 2.0 * width * rho * math.sqrt(n * gain_factor(noise_variance) * gain)


def variance_sum_bound(noise_variance: float, gain: float) -> float:
    r"""Lemma 5: :math:`\sum_{t,i}\sigma_{t,i}^2(x_{t+1,i})\le c\,\gamma` for every sequence of points."""
    at_least(0.0, gain=gain)
    return gain_factor(noise_variance) * gain


def initial_ratio_bound(batch: int, initial: int, gain: float) -> float:
    r"""Lemma 11: :math:`\rho_m\le\exp(m\,\gamma_{T_0}/T_0)` after :math:`T_0` maximum-variance points."""
    at_least(0.0, gain=gain)
    return math.exp(whole_number("batch", batch) * gain / whole_number("initial", initial))


def initial_ratio_sharp(batch: int, initial: int, gain: float) -> float:
    r"""The companion's form of Lemma 11: :math:`\rho_m^2\le1+m\,(e^{2\gamma_{T_0}/T_0}-1)`."""
    at_least(0.0, gain=gain)
    return math.sqrt(1.0 + whole_number("batch", batch) * math.expm1(2.0 * gain / whole_number("initial", initial)))


def corollary1(
    candidates: int, rounds: int, batch: int, noise_variance: float, gain: float, initial: int, initial_gain: float
) -> float:
    r"""Corollary 1 with constants: regret of the maximum-variance points and of the TS-RSR batches after them.

    .. math:: \E(R_{T_0}+R_{T,m})\le T_0\sqrt{2\log N}+\text{(Theorem 1 with }\rho_m\le e)

    The first term is exact up to :math:`\E\max f\le\sqrt{2\log N}`, as the design ignores what is observed.

    Raises
    ------
    AssumptionError
        if T_0 < m gamma_{T_0}: then Lemma 11 does not give rho_m <= e
    """
    at_least(0.0, initial_gain=initial_gain)
    if batch * initial_gain > initial:
        raise AssumptionError(f"corollary-1 needs T_0 >= m gamma = {batch * initial_gain:.4g}; T_0 is {initial}")
    first = initial * math.sqrt(2.0 * math.log(candidates))
    return first + theorem1(candidates, rounds, batch, noise_variance, gain, ratio=math.e)


def linear_gain_bound(dim: int, points: int, noise_variance: float) -> float:
    r"""Lemma 12 (a) with constants: :math:`\gamma_n\le\frac d2\log(1+\frac n{d\sigma_n^2})` for k(x,y) = x.y, |x| <= 1."""
    whole_number("dim", dim)
    return (
        dim
        / 2.0
        * math.log1p(whole_number("points", points) / (dim * positive_number("noise_variance", noise_variance)))
    )


def _ratio(extra: int, noise_variance: float, ratio: float | None, gain: float) -> float:
    """rho_m: the one given, which no definition makes smaller than 1, or that of the prior; the gain is checked besides."""
    at_least(0.0, gain=gain)
    at_least(1.0, ratio=1.0 if ratio is None else ratio)
    return variance_ratio(extra, noise_variance) if ratio is None else ratio


def _count(candidates: int, rounds: int, batch: int) -> int:
    whole_number("candidates", candidates, 2)
    return whole_number("rounds", rounds) * whole_number("batch", batch)
