"""Exponents and balance of the fixed-B rules: Props. 5 and 7, Lemmas 11 and 12, Remark 10, Definition 1, eq. (47)."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from companion.bounds.checks import real
from companion.core.errors import ParameterError, whole_number
from companion.papers.batched.method.sizes import end_times, eta, reference_times

RULES = ("reference", "constant")


def _rule(rule: str, nu: float, dim: int) -> float:
    """p, the exponent of log T in the end points of the rule."""
    smooth = math.isinf(nu)
    if rule == "reference":
        return dim / 2.0 if smooth else 0.0
    if rule == "constant":
        return dim + 1.0 if smooth else 1.0
    raise ParameterError("rule", f"got {rule!r}", "one of " + ", ".join(RULES))


def _times(rule: str, horizon: int, batches: int, nu: float, dim: int) -> tuple[int, ...]:
    return (reference_times if rule == "reference" else end_times)(horizon, batches, nu, dim)


def balance_ratios(
    rule: str, horizon: int, batches: int, nu: float, dim: int, *, log_exponent: float | None = None
) -> np.ndarray:
    """Props. 5(3), 5(4) and 7(3): every batch after the first costs the same.

    t_i t_{i-1}^{-η} (log T)^{pη} divided by T^{(1-η)/(1-η^B)} (log T)^{p(η-η^B)/(1-η^B)}, for i = 2..B. The ceilings
    keep it within [2^{-η}, 2]; without them it is 1. p is dη (SE) or 0 (Matérn) for the reference times of Prop. 5, and
    d+1 (SE) or 1 (Matérn) for the end points of App. D.1.2.

    Parameters
    ----------
    rule : ``"reference"`` or ``"constant"``
    horizon, batches : T and B
    nu, dim : smoothness (``inf`` for SE) and dimension
    log_exponent : replaces pη on the left (to see that another exponent fails)

    Returns
    -------
    array of shape (B-1,)
    """
    power, exponent = _rule(rule, nu, dim), eta(nu, dim)
    scale = 1.0 - exponent**batches
    log_t, loglog = math.log(horizon), math.log(math.log(horizon))
    left_power = power * exponent if log_exponent is None else real("log_exponent", log_exponent)
    right = ((1.0 - exponent) * log_t + power * (exponent - exponent**batches) * loglog) / scale
    logs = [
        math.log(end) - exponent * math.log(start) + left_power * loglog - right
        for start, end in pairwise(_times(rule, horizon, batches, nu, dim))
    ]
    return np.exp(logs)


def least_relative_length(horizon: int, batches: int, nu: float, dim: int) -> float:
    """min_i (T_i - T_{i-1})/T_i over the reference times: Prop. 5(1) keeps it away from 0 only while B is constant."""
    times = (0, *reference_times(horizon, batches, nu, dim, allow_invalid=True))
    return min((end - start) / end for start, end in pairwise(times))


def regret_exponents(lemma: int, batches: int, nu: float, dim: int) -> tuple[float, float]:
    """Exponents of T and of log T in the regret rates of Lemma 11 (sizes of D.1.1) and Lemma 12 (end points of D.1.2).

    Both have T^{(1-η)/(1-η^B)}. The exponent of log T is d(η-η^B)/(1-η^B) + η (SE) or η (Matérn) in Lemma 11, and
    (d+1)(η-η^B)/(1-η^B) (SE) or (η-η^B)/(1-η^B) (Matérn) in Lemma 12, which is never larger.

    Parameters
    ----------
    lemma : 11 or 12
    batches : B
    nu, dim : smoothness (``inf`` for SE) and dimension
    """
    exponent, count = eta(nu, dim), whole_number("batches", batches, 2)
    share = (exponent - exponent**count) / (1.0 - exponent**count)
    smooth = math.isinf(nu)
    if lemma == 11:
        log_exponent = (dim * share if smooth else 0.0) + exponent
    elif lemma == 12:
        log_exponent = (dim + 1) * share if smooth else share
    else:
        raise ParameterError("lemma", f"got {lemma!r}", "11 or 12")
    return (1.0 - exponent) / (1.0 - exponent**count), log_exponent


def simple_regret_exponents(nu: float, dim: int) -> dict[str, tuple[float, float]]:
    """Remark 10: exponents of T and log T of the robust simple regret, ``upper`` (Theorem 3) and ``lower`` (cited).

    Upper: √((log T)^{d+1}/T) (SE), T^{-η}(log T)^η (Matérn). Lower: √((log T)^{d/2}/T), T^{-η}.
    """
    exponent = eta(nu, dim)
    if math.isinf(nu):
        return {"upper": (-0.5, (dim + 1) / 2.0), "lower": (-0.5, dim / 4.0)}
    return {"upper": (-exponent, exponent), "lower": (-exponent, 0.0)}


def first_batch_exponent(a: float, exponent: float) -> float:
    """Eq. (47): U_2/U_1 = T^{(a-1)(η-a)} √(c' α_T); the exponent (a-1)(η-a) is positive for η < a < 1."""
    return (real("a", a, 0.0, 1.0, open_ends="both") - 1.0) * (real("exponent", exponent, 0.0, 0.5) - a)


def envelope_drift(horizon: int, a: float, log_power: float) -> float:
    """Definition 1 for α_t = (log t)^c: the bound max{1, (1-a)^c} on α_{N_i}/α_T for all batches i < B of eq. (6).

    Negative powers are allowed: N_i ≥ T^{1-a} keeps log N_i at least (1-a) log T. The truncated last batch is exempt,
    as it may consist of a single round, for which α is not even defined.

    Parameters
    ----------
    horizon : T, at least 2
    a : strictly between 0 and 1
    log_power : c
    """
    whole_number("horizon", horizon, 2)
    return max(1.0, (1.0 - real("a", a, 0.0, 1.0, open_ends="both")) ** real("log_power", log_power))
