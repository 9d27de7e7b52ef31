r"""The paper's regret bounds with every constant, in the forms its proofs pass through, and the companion's sharper ones.

Notation: X candidates, T rounds, noise variance :math:`\sigma^2`, budget :math:`\epsilon`; :math:`M_T` rounds are retained
and the other ones rejected; :math:`C_1=8/\log(1+\sigma^{-2})`; ``gain`` is the maximum information gain of as many points
as were retained (pass the certified upper end). All bounds need :math:`\kappa(x,x)\le1`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from companion.bounds.checks import assumed, at_least
from companion.bounds.confidence import union_bound_log
from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.information.gain import variance_sum_factor

#: :math:`\sum_t t^{-2}`.
BASEL = math.pi**2 / 6.0

#: Share of the maximum gain that greedy selection reaches (2.5).
GREEDY = 1.0 - math.exp(-1.0)


# -- exploration parameters --------------------------------------------------------------------------------------------


def union_terms(rounds: ArrayLike) -> Floats:
    r""":math:`\pi_t=\pi^2t^2/6`, whose reciprocals add up to 1."""
    at_least(1.0, rounds=rounds)
    return BASEL * np.asarray(rounds, dtype=np.float64) ** 2


def finite_beta(rounds: ArrayLike, size: float, delta: float) -> Floats:
    r""":math:`\beta_t=2\log(X\pi_t/\delta)`: Lemma 8.1 for X candidates, Lemma 8.6 for X points, Lemma 8.5 for X = 1.

    Parameters
    ----------
    rounds : t, from 1
    size : X
    delta : failure probability
    """
    at_least(1.0, rounds=rounds)
    return np.asarray(2.0 * union_bound_log(rounds, positive_number("size", size), _level(delta)))


def grid_per_axis(rounds: ArrayLike, dim: int, side: float, a: float, b: float, delta: float, union: int = 2) -> Floats:
    r""":math:`\tau_t=t^2rdb\sqrt{\log(u\,da/\delta)}` points per axis, with u = 2 in Lemma 8.7 and 4 in Lemma 8.8."""
    at_least(1.0, rounds=rounds)
    return np.asarray(rounds, dtype=np.float64) ** 2 * _lipschitz(dim, side, a, b, delta, union)


def compact_beta(
    rounds: ArrayLike,
    dim: int,
    side: float,
    a: float,
    b: float,
    delta: float,
    union: int = 4,
    form: str = "grid",
    *,
    unchecked: bool = False,
) -> Floats:
    r"""Lemmas 8.7 and 8.8: :math:`\beta_t=2\log(u\pi_t/\delta)+\dots` for a convex subset of :math:`[0,r]^d`.

    Parameters
    ----------
    rounds : t, from 1
    dim, side : d and r
    a, b : of the derivative tails (3.3)
    delta : failure probability
    union : u, 2 in Lemma 8.7 and 4 in Lemma 8.8 and Theorem 3.2(ii)
    form : term added. ``"grid"``: :math:`2d\log\lceil\tau_t\rceil`, which the union over the grid needs; ``"theorem"``:
        :math:`2d\log\tau_t`, as in Theorem 3.2(ii); ``"lemma"``: :math:`4d\log(dtbr\sqrt{\log(u\,da/\delta)})`, as in the lemmas.
        On a small cube the last two may be negative
    unchecked : evaluate the last two on a small cube all the same

    Raises
    ------
    AssumptionError
        for a printed form where :math:`\tau_t<1`, which is not a number of points, unless ``unchecked``
    """
    t = np.asarray(rounds, dtype=np.float64)
    scale = _lipschitz(dim, side, a, b, delta, union)
    spread = {
        "grid": 2.0 * dim * np.log(np.ceil(t**2 * scale)),
        "theorem": 2.0 * dim * np.log(t**2 * scale),
        "lemma": 4.0 * dim * np.log(t * scale),
    }
    if form not in spread:
        raise ParameterError("form", f"got {form!r}", f"one of {', '.join(spread)}")
    assumed(
        unchecked or form == "grid" or t**2 * scale >= 1.0,
        f"tau_t has to be at least 1; {scale:.3g} in round 1: the cube is too small",
    )
    return finite_beta(t, union, delta) + spread[form]


def _lipschitz(dim: int, side: float, a: float, b: float, delta: float, union: int) -> float:
    r""":math:`rdb\sqrt{\log(u\,da/\delta)}`: the largest change of f along the cube, with probability."""
    level = math.log(union * whole_number("dim", dim) * positive_number("a", a) / _level(delta))
    if level <= 0:
        raise ParameterError("a", f"makes the logarithm {level:.3g}", f"a > delta / ({union} d)")
    return positive_number("side", side) * dim * positive_number("b", b) * math.sqrt(level)


def derivative_tail(lengthscale: float, side: float = 1.0, smoothness: float = math.inf) -> tuple[float, float]:
    r"""(a, b) of (3.3) for a stationary process on an interval of length r, from Rice's formula; not in the paper.

    With spectral moments :math:`\lambda_2,\lambda_4` the derivative exceeds L somewhere with probability at most
    :math:`(1+\frac r\pi\sqrt{\lambda_4/\lambda_2})\,e^{-L^2/(2\lambda_2)}`: at the left end, or by crossing upwards; both signs.

    Parameters
    ----------
    lengthscale : l
    side : r
    smoothness : nu > 2 of a Matérn kernel, infinite for the squared exponential
    """
    scale = positive_number("lengthscale", lengthscale)
    if math.isinf(smoothness):
        second, fourth = 1.0, 3.0
    elif smoothness > 2:
        second = smoothness / (smoothness - 1.0)
        fourth = 3.0 * smoothness**2 / ((smoothness - 1.0) * (smoothness - 2.0))
    else:
        raise ParameterError("smoothness", f"got {smoothness!r}", "above 2: the derivative has to be differentiable")
    return 1.0 + side / (math.pi * scale) * math.sqrt(fourth / second), math.sqrt(2.0 * second) / scale


def _level(delta: float) -> float:
    if not (positive_number("delta", delta) < 1):
        raise ParameterError("delta", f"got {delta!r}", "a number in (0, 1)")
    return delta


# -- UCB ---------------------------------------------------------------------------------------------------------------


def gain_constant(noise_variance: float) -> float:
    r""":math:`C_1=8/\log(1+\sigma^{-2})`."""
    return 4.0 * variance_sum_factor(noise_variance)


def squared_regret_bound(beta: float, noise_variance: float, gain: ArrayLike, rejected: ArrayLike) -> Floats:
    r"""Lemma 8.4: :math:`\sum_tr_t^2\le C_1\beta_T(\gamma_{M_T}+\epsilon|\mathcal M_T^c|)` (8.29).

    Parameters
    ----------
    beta : beta_T
    noise_variance : sigma^2
    gain : gamma, or for (8.26) the information I_T of the retained rounds
    rejected : epsilon times the number of rejected rounds, or for (8.26) their sum S_T of logarithms
    """
    at_least(0.0, beta=beta, gain=gain, rejected=rejected)
    return gain_constant(noise_variance) * beta * (np.asarray(gain, float) + np.asarray(rejected, float))


def root_bound(horizon: int, beta: float, noise_variance: float, gain: ArrayLike, rejected: ArrayLike) -> Floats:
    r""":math:`\sqrt{C_1T\beta_T(I_T+S_T)}` (8.26), or (8.29); arguments as for :func:`squared_regret_bound`."""
    return np.sqrt(whole_number("horizon", horizon) * squared_regret_bound(beta, noise_variance, gain, rejected))


def split_bound(horizon: int, beta: float, noise_variance: float, gain: ArrayLike, epsilon: float) -> Floats:
    r"""(8.31): :math:`\sqrt{C_1T\beta_T\gamma_{M_T}}+T\sqrt{C_1\beta_T\epsilon}`, for every :math:`\epsilon\ge0`."""
    at_least(0.0, epsilon=epsilon)
    retained = root_bound(horizon, beta, noise_variance, gain, 0.0)
    return retained + horizon * math.sqrt(gain_constant(noise_variance) * beta * epsilon)


def theorem_32(
    horizon: int,
    beta: float,
    noise_variance: float,
    gain: ArrayLike,
    alpha: float,
    *,
    compact: bool = False,
    parts: str = "both",
) -> Floats:
    r"""Theorem 3.2 as printed, (3.2) and, for compact sets, (3.4).

    .. math:: \sqrt{C_1T\beta_T\gamma_{M_T}}+T\sqrt{\log(1+T^{-\alpha})}\sqrt{C_1\beta_T}\;(+\pi^2/6)

    Parameters
    ----------
    horizon, noise_variance, alpha : T, sigma^2 and the exponent of the budget
    beta : beta_T of the part
    gain : upper end of the maximum information gain of M_T points
    compact : part (ii)
    parts : ``"both"`` terms, or one of ``"retained"`` and ``"rejected"``
    """
    retained = root_bound(horizon, beta, noise_variance, gain, 0.0)
    rejected = second_term(horizon, alpha) * math.sqrt(gain_constant(noise_variance) * beta)
    total = {"both": retained + rejected, "retained": retained, "rejected": 0.0 * retained + rejected}[parts]
    return total + (BASEL if compact else 0.0)


def second_term(horizon: float, alpha: float) -> float:
    r""":math:`T\sqrt{\log(1+T^{-\alpha})}`, of order :math:`T^{1-\alpha/2}`; times :math:`\sqrt{C_1\beta_T}` in the theorem."""
    at_least(0.0, alpha=alpha)
    at_least(1.0, horizon=horizon)
    return horizon * math.sqrt(math.log1p(horizon**-alpha))


def corollary_33(
    horizon: int, beta: float, noise_variance: float, size: int, trace: float | None = None, form: str = "printed"
) -> float:
    r"""Corollary 3.3 (p = 1, :math:`\alpha=\frac12`), printed and with the constants that the proof gives.

    Printed (3.5): :math:`\sqrt{C_1\beta_T}\max\{\sqrt{Z_1},1\}\,T^{3/4}`, :math:`Z_1=\sum_i\lambda_i/(\sigma^2(1-e^{-1}))`.
    Explicit: :math:`\sqrt{C_1\beta_T}\big(\sqrt{XT\lceil\sqrt T\rceil/(2\sigma^2)}+T\sqrt{\tfrac12\log(1+T^{-1/2})}\big)`, from
    (8.31), :math:`M_T\le X\lceil\sqrt T\rceil` and :math:`\gamma_M\le M/(2\sigma^2)`.

    Parameters
    ----------
    size : X
    trace : sum of the kernel matrix' eigenvalues, X for unit variance
    form : ``"printed"`` or ``"explicit"``
    """
    at_least(0.0, beta=beta)
    root = math.sqrt(gain_constant(noise_variance) * beta)
    if form == "explicit":
        order = size * math.ceil(math.sqrt(horizon))
        return root * (math.sqrt(horizon * order / (2.0 * noise_variance)) + second_term(horizon, 0.5) / math.sqrt(2.0))
    if form != "printed":
        raise ParameterError("form", f"got {form!r}", "'printed' or 'explicit'")
    return root * max(math.sqrt(z_one(noise_variance, size if trace is None else trace)), 1.0) * horizon**0.75


def z_one(noise_variance: float, trace: float) -> float:
    r""":math:`Z_1=\sum_i\lambda_i/(\sigma^2(1-e^{-1}))` of Corollary 3.3."""
    return positive_number("trace", trace) / (positive_number("noise_variance", noise_variance) * GREEDY)


def model_order_limits(horizon: int, alpha: float, noise_variance: float, size: int) -> tuple[int, int]:
    r""":math:`\min(T,\lceil T^\alpha-\sigma^2\rceil)` and :math:`X\lceil T^\alpha-\sigma^2\rceil`: least and largest dictionary.

    For unit variance and X candidates; not in the paper. n observations leave a variance of at least
    :math:`\sigma^2/(n+\sigma^2)` anywhere, and n of one candidate leave at most :math:`\sigma^2/n` there. The lower limit
    counts initial points.
    """
    at_least(0.0, alpha=alpha, noise_variance=noise_variance)
    copies = max(0, math.ceil(horizon**alpha - noise_variance))
    return min(horizon, copies), size * copies


# -- expected improvement ----------------------------------------------------------------------------------------------


def variance_sum_bound(noise_variance: float, gain: ArrayLike, rejected: ArrayLike) -> Floats:
    r"""Lemma 9.5: :math:`\sum_t\sigma_{t-1}^2(x_t)\le\frac2{\log(1+\sigma^{-2})}(\gamma_{M_T}+\epsilon|\mathcal M_T^c|)`."""
    at_least(0.0, gain=gain, rejected=rejected)
    return gain_constant(noise_variance) / 4.0 * (np.asarray(gain, float) + np.asarray(rejected, float))


def theorem_34(
    horizon: int,
    beta: float,
    noise_variance: float,
    gain: ArrayLike,
    alpha: float,
    score: ArrayLike,
    power: float = 1.0,
) -> Floats:
    r"""Theorem 3.4, (3.6), and with ``power`` 1/2 the form of its proof's line (9.27).

    .. math:: \frac{\sqrt{3(\beta_T+1+R^2)}+\sqrt{\beta_T}}{\log(1+\sigma^{-2})^q}
              \Big(\sqrt{2T\gamma_{M_T}}+T\sqrt{\log(1+T^{-\alpha})}\Big)

    Parameters
    ----------
    score : R, the largest standardised distance of a mean from the incumbent
    power : q, 1 as printed
    """
    at_least(0.0, beta=beta, gain=gain, score=score)
    front = np.sqrt(3.0 * (beta + 1.0 + np.asarray(score, float) ** 2)) + math.sqrt(beta)
    tail = np.sqrt(2.0 * horizon * np.asarray(gain, float)) + second_term(horizon, alpha)
    return front / math.log1p(1.0 / positive_number("noise_variance", noise_variance)) ** power * tail


def improvement_bound(
    horizon: int,
    beta: float,
    noise_variance: float,
    gain: ArrayLike,
    rejected: ArrayLike,
    score: ArrayLike,
    optimum_sd: ArrayLike,
) -> Floats:
    r"""Bound established by the proof of Theorem 3.4, for the rounds after the first observation.

    .. math:: (\sqrt{\beta_T}+1+R)\sqrt{\frac{2T(I_T+S_T)}{\log(1+\sigma^{-2})}}+\sqrt{\beta_T}\sum_t\sigma_{t-1}(x^*)

    Parameters
    ----------
    gain, rejected : I_T and S_T
    score : R
    optimum_sd : the sum of the standard deviations at the maximiser
    """
    at_least(0.0, beta=beta, score=score, optimum_sd=optimum_sd)
    spread = np.sqrt(horizon * variance_sum_bound(noise_variance, gain, rejected))
    return (math.sqrt(beta) + 1.0 + np.asarray(score, float)) * spread + math.sqrt(beta) * np.asarray(optimum_sd, float)


def trivial_bound(values: ArrayLike, horizon: int) -> Floats:
    r""":math:`T(\max f-\min f)`, last axis over the candidates."""
    f = np.asarray(values, dtype=np.float64)
    return whole_number("horizon", horizon) * (f.max(axis=-1) - f.min(axis=-1))


# -- Table 1 -----------------------------------------------------------------------------------------------------------

#: Columns of Table 1: alpha times the dimension p.
COLUMNS = {"a": 1.0, "b": 0.5, "c": 0.0}


def table_exponent(row: str, column: str, dim: int, printed: bool = True) -> float:
    r"""Exponent of T in the second term of Table 1, as printed or :math:`1-\alpha/2`, which Theorem 3.2 gives.

    Parameters
    ----------
    row : ``"ucb1"``, ``"ucb2"`` or ``"ei"``
    column : ``"a"`` (:math:`\alpha=1/p`), ``"b"`` (:math:`1/(2p)`) or ``"c"`` (0)
    dim : p
    """
    if not printed:
        return 1.0 - COLUMNS[column] / (2.0 * dim)
    quarter, half = 1.0 - 1.0 / (4.0 * dim), 1.0 - 1.0 / (2.0 * dim)
    return {"a": quarter, "b": quarter if row == "ei" else half, "c": 1.0}[column]


def table_order(column: str) -> float:
    r"""Exponent of T in the model order of Table 1: :math:`\alpha p`, since the table takes :math:`u^{-p}`."""
    return COLUMNS[column]
