r"""The paper's widths, radii and regret bounds with every constant, as printed and as they can be proved.

Notation: :math:`\sigma^2` is the paper's, the posterior variance divided by :math:`\lambda`, so that
:math:`\sigma\le\lambda^{-1/2}`. ``log_det`` is :math:`\log\det(I+\lambda^{-1}K)` without the usual factor one half: twice
the package's information gain, realised or maximal (then pass the certified upper end). The norm of f is at most B
(``norm``), the noise R-sub-Gaussian (``noise``), and :math:`k\le1`. Arrays are allowed wherever one number per round or per
run makes sense. Outside its assumptions a function raises :class:`~companion.core.errors.AssumptionError`; where a printed
form is to be seen failing, ``unchecked=True`` evaluates it all the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from companion.bounds.checks import assumed, at_least
from companion.bounds.confidence import normal_width, self_normalised_root
from companion.core.errors import ParameterError, positive_number, whole_number

#: Of the cumulative bound: (57), (15), and what can be proved for every lambda.
READINGS = ("appendix", "main", "ours")


def width(log_det: ArrayLike, noise: float, norm: float, lam: float, delta: float) -> Any:
    r"""Equation (7): :math:`\beta_t=R\sqrt{\log\det(I+\lambda^{-1}K_{t-1})+2\log\frac1\delta}+\sqrt\lambda B`.

    Multiplies the paper's :math:`\sigma_{t-1}`.

    Parameters
    ----------
    log_det : of the t - 1 points before the round
    noise, norm : R >= 0 and B >= 0
    lam : regulariser lambda > 0
    delta : failure probability in (0, 1)
    """
    at_least(0.0, log_det=log_det, noise=noise, norm=norm)
    root = self_normalised_root(0.5 * np.asarray(log_det, dtype=np.float64), _probability(delta))
    return noise * root + math.sqrt(positive_number("lam", lam)) * norm


def mean_norm(log_det: ArrayLike, noise: float, norm: float, lam: float, delta: float) -> Any:
    r"""Lemma 3: :math:`\bar B_t=\beta_t/\sqrt\lambda`, which bounds the norm of the posterior mean :math:`\mu_{t-1}`."""
    return width(log_det, noise, norm, lam, delta) / math.sqrt(lam)


def mean_norm_printed(
    gain: ArrayLike, noise: float, norm: float, lam: float, delta: float, *, unchecked: bool = False
) -> Any:
    r"""Lemma 3, right side of (28): :math:`\lambda^{-1/2}(R\sqrt{2\log\frac1\delta}+R\sqrt{2\gamma_t}+B)`.

    Printed for every :math:`\lambda`; too small for :math:`\lambda>1`, where B must stand outside the bracket.

    Raises
    ------
    AssumptionError
        for :math:`\lambda>1`, unless ``unchecked``
    """
    at_least(0.0, gain=gain, noise=noise, norm=norm)
    assumed(unchecked or lam <= 1.0, f"(28) as printed is too small for lambda above 1; lambda is {lam:g}")
    root = normal_width(1, _probability(delta))
    return (noise * (root + np.sqrt(2.0 * np.asarray(gain, dtype=np.float64))) + norm) / math.sqrt(lam)


def mean_norm_simple(gain: ArrayLike, noise: float, norm: float, lam: float, delta: float) -> Any:
    r"""Corrected (28): :math:`\lambda^{-1/2}R(\sqrt{2\log\frac1\delta}+\sqrt{\gamma_t})+B`, for every lambda."""
    at_least(0.0, gain=gain, noise=noise, norm=norm)
    root = normal_width(1, _probability(delta))
    return noise * (root + np.sqrt(np.asarray(gain, dtype=np.float64))) / math.sqrt(positive_number("lam", lam)) + norm


def one_round(beta: ArrayLike, mean_width: ArrayLike, radius: ArrayLike, lipschitz: ArrayLike) -> Any:
    r"""Theorem 4: :math:`r_t\le\E_{\mathcal P^*_t}[2\beta_t\sigma_{t-1}(x_t,c)]+2\varepsilon_tL_t(x_t^*)`.

    Parameters
    ----------
    beta, mean_width : the width and :math:`\E_{\mathcal P^*_t}\sigma_{t-1}(x_t,c)`
    radius, lipschitz : of the ball, and of :math:`\mathrm{UCB}_t(x^*_t,\cdot)` at the benchmark, not at the chosen point
    """
    at_least(0.0, beta=beta, mean_width=mean_width, radius=radius, lipschitz=lipschitz)
    return 2.0 * np.asarray(beta) * np.asarray(mean_width) + 2.0 * np.asarray(radius) * np.asarray(lipschitz)


def one_round_data(
    beta: ArrayLike, mean_width: ArrayLike, radius: ArrayLike, lipschitz: ArrayLike, slack: ArrayLike
) -> Any:
    r"""Theorem 8: Theorem 4's bound with the radius (16), plus :math:`2\rho_t` (:func:`covering_slack`)."""
    at_least(0.0, slack=slack)
    return one_round(beta, mean_width, radius, lipschitz) + 2.0 * np.asarray(slack)


def small_width_factor(lam: float) -> float:
    r""":math:`C_\lambda=\frac{1/\lambda}{\log(1+1/\lambda)}`: :math:`\sigma^2\le C_\lambda\log(1+\sigma^2)` up to 1/lambda."""
    largest = 1.0 / positive_number("lam", lam)
    return largest / math.log1p(largest)


def _conditional_mean_constant() -> float:
    eta = 1.6
    for _ in range(80):
        eta = -2.0 * math.expm1(-eta)
    return -1.0 / math.expm1(-eta)


#: The constant of the logarithm in :func:`conditional_mean`: :math:`1/(1-e^{-\eta})` where :math:`\eta=2(1-e^{-\eta})`.
CONDITIONAL_MEAN = _conditional_mean_constant()


def conditional_mean(observed: ArrayLike, largest: float, delta: float) -> Any:
    r"""For :math:`0\le S_t\le b`, all T at once: :math:`\sum\E[S_t\mid\text{past}]\le2\sum S_t+1.2551\,b\log\frac1\delta`.

    By convexity :math:`\E e^{-\eta S/b}\le e^{-(1-e^{-\eta})m/b}`, so that :math:`e^{\sum((1-e^{-\eta})m_t-\eta S_t)/b}` is a
    supermartingale, and Ville's inequality.

    Parameters
    ----------
    observed : sum of the S_t
    largest : b
    """
    at_least(0.0, observed=observed)
    logarithm = math.log(1.0 / _probability(delta))
    return 2.0 * np.asarray(observed, dtype=np.float64) + CONDITIONAL_MEAN * positive_number("b", largest) * logarithm


def conditional_mean_cited(observed: ArrayLike, delta: float) -> Any:
    r"""The form the paper cites, for :math:`0\le S_t\le1`: :math:`2\sum S_t+8\log\frac6\delta`."""
    at_least(0.0, observed=observed)
    return 2.0 * np.asarray(observed, dtype=np.float64) + 8.0 * math.log(6.0 / _probability(delta))


def cumulative(
    beta: ArrayLike,
    rounds: int,
    log_det: ArrayLike,
    lam: float,
    delta: float,
    penalty: ArrayLike = 0.0,
    reading: str = "appendix",
    *,
    unchecked: bool = False,
) -> Any:
    r"""Right side of Theorem 5 (with ``penalty`` extended by :math:`2\rho_t`, of Theorem 9) for the first T rounds.

    ========== ====================================================================================================
    appendix   (57): :math:`4\beta_T\sqrt{T(\gamma_T+4\log\frac6\delta)}+\sum_t2\varepsilon_tL_t(x_t^*)`
    main       (15): :math:`4\beta_T\sqrt{T\gamma_T+4\log\frac6\delta}+\dots`, which the proof does not give
    ours       :math:`2\beta_T\sqrt{T(2C_\lambda\log\det(I+\lambda^{-1}K_T)+\frac{1.2551}\lambda\log\frac1\delta)}+\dots`
    ========== ====================================================================================================

    All are stated with probability :math:`1-2\delta`. The first two fail for small lambda; (57) follows where
    :math:`C_\lambda\le2`, that is for :math:`\lambda\ge0.3980`, and (15) from no proof.

    Parameters
    ----------
    beta : :math:`\beta_T`
    rounds : T
    log_det : printed forms: :math:`\gamma_T`, of T - 1 points; ours: of the T points, realised or maximal
    penalty : the sum behind the plus sign
    unchecked : evaluate the printed forms where nothing proves them

    Raises
    ------
    AssumptionError
        for a printed form where it does not follow, unless ``unchecked``
    """
    at_least(0.0, beta=beta, log_det=log_det, penalty=penalty)
    steps, gain = whole_number("rounds", rounds), np.asarray(log_det, dtype=np.float64)
    if reading == "ours":
        logarithm = CONDITIONAL_MEAN / positive_number("lam", lam) * math.log(1.0 / _probability(delta))
        root = np.sqrt(steps * (2.0 * small_width_factor(lam) * gain + logarithm))
        return 2.0 * np.asarray(beta) * root + np.asarray(penalty)
    if reading not in READINGS:
        raise ParameterError("reading", f"got {reading!r}", f"one of {', '.join(READINGS)}")
    assumed(unchecked or reading != "main", "(15) does not follow from the proof, whatever lambda")
    assumed(
        unchecked or small_width_factor(lam) <= 2.0,
        f"(57) is proved where (1/lambda) / log(1 + 1/lambda) <= 2, for lambda of at least 0.3980; lambda is {lam:g}",
    )
    logarithm = 4.0 * math.log(6.0 / _probability(delta))
    inside = steps * gain + logarithm if reading == "main" else steps * (gain + logarithm)
    return 4.0 * np.asarray(beta) * np.sqrt(inside) + np.asarray(penalty)


def corollary_6(
    gains: ArrayLike, radii: ArrayLike, noise: float, norm: float, lam: float, delta: float, lipschitz: float
) -> tuple[float, float]:
    r"""The two terms of Corollary 6 with the constants its proof gives, (28) corrected.

    .. math:: 4\big(R\sqrt{2\log\tfrac1\delta}+R\sqrt{\gamma_T}+\sqrt\lambda B\big)\sqrt{T(\gamma_T+4\log\tfrac6\delta)}
              +4L\sum_{t\le T}\varepsilon_t\big(\lambda^{-1/2}R(\sqrt{2\log\tfrac1\delta}+\sqrt{\gamma_t})+B\big)

    Parameters
    ----------
    gains : (T,) gamma_1, ..., gamma_T, the first of which is 0
    radii : (T,) epsilon_t
    lipschitz : L of Assumption 1

    Raises
    ------
    AssumptionError
        where (57) does not follow, see :func:`cumulative`; for gains that fall, or a negative radius
    """
    at_least(0.0, radii=radii, lipschitz=lipschitz, gains=gains)
    assumed(np.diff(np.atleast_1d(gains)) >= -1e-9, "maximal gains do not fall with the number of points")
    gamma, steps = np.asarray(gains, dtype=np.float64), len(np.atleast_1d(gains))
    norms = mean_norm_simple(gamma, noise, norm, lam, delta)
    first = cumulative(math.sqrt(lam) * norms[-1], steps, gamma[-1], lam, delta)
    return float(first), float(4.0 * lipschitz * np.sum(np.asarray(radii) * norms))


# -- data-driven setting -----------------------------------------------------------------------------------------------


def covering_points(diameter: float, rho: float, dim: int) -> float:
    r"""Logarithm of :math:`(1+2D_{\mathcal X}/\rho)^{d_x}`, which bounds the covering number of the decisions."""
    at_least(0.0, diameter=diameter)
    return dim * math.log1p(2.0 * diameter / positive_number("rho", rho))


def radius(
    contexts: int,
    diameter: float,
    delta: float,
    log_actions: float = 0.0,
    log_class: float = 0.0,
    scale: float = 2.0,
    *,
    unchecked: bool = False,
) -> float:
    r"""Radius of Lemma 18 and (16).

    .. math:: \varepsilon_t^2=2D_{\mathcal C}^2\,\frac{\log\frac1\delta+\log|\mathcal X_\rho|+\log\mathcal N_\infty}t

    Parameters
    ----------
    contexts : number of contexts the centre is made of. Printed: t; known when round t begins: t - 1
    diameter : of the set of contexts
    log_actions, log_class : logarithms of the covering numbers
    scale : 2 as printed; one half suffices (ours-l18: half the radius)
    unchecked : evaluate it for a smaller scale all the same

    Raises
    ------
    AssumptionError
        for a scale below one half, for which nothing is proved, unless ``unchecked``; for a negative logarithm
    """
    at_least(0.0, diameter=diameter, log_actions=log_actions, log_class=log_class)
    assumed(unchecked or scale >= 0.5, f"Lemma 18 is proved for a scale of at least one half; scale is {scale:g}")
    exponent = math.log(1.0 / _probability(delta)) + log_actions + log_class
    return diameter * math.sqrt(scale * exponent / whole_number("contexts", contexts))


def covering_slack(contexts: int, lipschitz: float, norm_bound: ArrayLike, copies: float = 1.0) -> Any:
    r"""Lemma 7: :math:`\rho_t=(1+2L\bar B_t)/t`; the proof gives ``copies`` = 2 of it."""
    at_least(0.0, copies=copies, lipschitz=lipschitz, norm_bound=norm_bound)
    return copies * (1.0 + 2.0 * lipschitz * np.asarray(norm_bound)) / whole_number("contexts", contexts)


def union_delta(delta: float, rounds: int) -> float:
    r""":math:`6\delta/(\pi^2t^2)`, which sums to :math:`\delta` over the rounds: what (16) needs to hold in all of them."""
    return 6.0 * _probability(delta) / (math.pi * whole_number("t", rounds)) ** 2


def _probability(delta: float) -> float:
    if not (isinstance(delta, int | float) and 0.0 < delta < 1.0):  # type: ignore[redundant-expr] # callers need not be typed
        raise ParameterError("delta", f"got {delta!r}", "a number in (0, 1)")
    return float(delta)


def crossing(lam: float) -> float:
    r""":math:`16\lambda\log(1+1/\lambda)`: below 1, (57) is too small on orthonormal arms once T is large."""
    return 16.0 * lam * math.log1p(1.0 / lam)
