"""Number of batches: Proposition 3, Remarks 2, 3 and 5, and the geometric sum that removes the factor B.

The counts of eq. (6) are compared with both bounds of Prop. 3. Whether a real logarithm is an integer decides a count,
so doubtful cases are settled in integers or with 80 decimal digits and more. For horizons beyond any integer arithmetic
(T = 2^L with L up to 1e64) everything is done with L = log2 T.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from companion.bounds.checks import real
from companion.core.errors import AssumptionError, whole_number
from companion.papers.batched.method.sizes import MAX_BATCHES, eta, iter_power_sizes, original_sizes, power_ratio

#: Integer L up to here: batches are counted with the exact integer sizes.
EXACT_LOG2_LIMIT = 1000
#: Up to here 2**L is rounded to the integer horizon that was meant.
ROUNDING_LOG2_LIMIT = 50
#: Relative distance from an integer below which a rounded logarithm is not trusted.
DOUBT = 1e-9
#: For doubtful logarithms, on top of those that tell T from T + 1.
DIGITS = 80


def original_count_upper(horizon: int) -> int:
    """Sec. 3.1: eq. (5) needs at most ⌈log2 log2 T⌉ + 1 batches. Exact for every integer T ≥ 2."""
    bits = (whole_number("horizon", horizon, 2) - 1).bit_length()  # log2 T <= 2^k exactly if bits <= 2^k
    return (bits - 1).bit_length() + 1 if bits > 1 else 1


def original_batch_count(horizon: int) -> int:
    """B of eq. (5)."""
    return len(original_sizes(horizon))


def power_batch_count(horizon: int, a: Any) -> int:
    """B of eq. (6), counted without storing the sizes. Errors as :func:`~.sizes.power_sizes`."""
    return sum(1 for _ in iter_power_sizes(horizon, a))


def power_count_upper(horizon: int, a: Any) -> int:
    """Eq. (19), Prop. 3: B ≤ ⌈log_{1/a} log2 T⌉ + 1 for every T ≥ 2.

    Parameters
    ----------
    horizon : T, an integer of at least 2
    a : strictly between 0 and 1
    """
    horizon, ratio = whole_number("horizon", horizon, 2), power_ratio(a)
    estimate = math.log(math.log2(horizon)) / -math.log(float(ratio))
    steps = _decided(estimate, lambda k: _at_most_two(horizon, ratio, k), math.ceil)
    return max(steps, 0) + 1


def _at_most_two(horizon: int, ratio: Fraction, steps: int) -> bool:
    """Whether T^{a^k} ≤ 2, that is log_{1/a} log2 T ≤ k."""
    if horizon & (horizon - 1) == 0:  # only then is log2 T rational, and the two sides can be equal
        return (horizon.bit_length() - 1) * ratio**steps <= 1
    with localcontext(_context(horizon)):
        log2_t = Decimal(horizon).ln() / Decimal(2).ln()
        return _decimal(ratio) ** steps * log2_t <= 1


def _context(horizon: int) -> Context:
    """Digits enough to tell log T from log(T+1), and 80 more."""
    return Context(prec=DIGITS + horizon.bit_length() // 3)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _decided(estimate: float, at_most: Callable[[int], bool], rounding: Callable[[float], int]) -> int:
    """Round a logarithm, asking ``at_most(k)`` (is it ≤ k?) when the estimate is too close to the integer k."""
    nearest = round(estimate)
    if abs(estimate - nearest) > DOUBT * (1.0 + abs(estimate)):
        return rounding(estimate)
    below = at_most(nearest)
    return nearest + (not below) if rounding is math.ceil else nearest - below


def power_count_lower(horizon: int, a: Any) -> int:
    """Eq. (20), Prop. 3: B_0 = ⌊log_{1/a}(log T / log log T)⌋, the claimed lower bound on B.

    It is a bound on B only under the proviso of :func:`lower_proviso`; the paper prints it without one, and it fails
    for some small T.

    Parameters
    ----------
    horizon : T, an integer of at least 3 (log log 2 is negative)
    a : strictly between 0 and 1
    """
    horizon, ratio = whole_number("horizon", horizon, 3), power_ratio(a)
    log_t = math.log(horizon)
    estimate = math.log(log_t / math.log(log_t)) / -math.log(float(ratio))

    def below(k: int) -> bool:
        with localcontext(_context(horizon)):
            exact_log = Decimal(horizon).ln()
            return _decimal(ratio) ** k * exact_log < exact_log.ln()

    return _decided(estimate, below, math.floor)


def lower_proviso(horizon: int, a: Any) -> bool:
    """Whether a^{B_0} log T ≥ log(2 B_0), line (23): what the proof of eq. (20) really uses.

    It makes 2 B_0 T^{1-a^{B_0}} ≤ T, hence the first B_0 sizes of eq. (6) fit into the horizon and B ≥ B_0. For
    B_0 = 0 there is nothing to show and the proviso counts as satisfied.
    """
    lower, ratio = power_count_lower(horizon, a), float(power_ratio(a))
    return lower == 0 or ratio**lower * math.log(horizon) >= math.log(2.0 * lower)


def power_batch_count_log2(log2_horizon: float, a: Any) -> int:
    """B of eq. (6) for T = 2^L, with L up to 1e300.

    The exact sizes are counted for integer L ≤ 1000, and for L ≤ 50 at the integer T nearest to 2^L. Otherwise
    B = min{n : Σ_{i≤n} 2^{-L a^i} ≥ 1}: the ceilings are dropped, which changes the sum by less than B/T.

    Raises
    ------
    ParameterError
        unless L ≥ 1 is finite and 0 < a < 1
    """
    log2_t, ratio = real("log2_horizon", log2_horizon, 1.0), power_ratio(a)
    if log2_t == int(log2_t) and log2_t <= EXACT_LOG2_LIMIT:
        return power_batch_count(1 << int(log2_t), ratio)
    if log2_t <= ROUNDING_LOG2_LIMIT:
        return power_batch_count(round(2.0**log2_t), ratio)
    step, filled, count = float(ratio), 0.0, 0
    while filled < 1.0:
        count += 1
        filled += 2.0 ** (-log2_t * step**count)
    return count


def first_log2_above(a: Any, count: float) -> int:
    """Least whole log2 T at which eq. (6) makes more than ``count`` batches; B does not decrease with T."""
    low, high = 2, 2
    while power_batch_count_log2(high, a) <= count:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_batch_count_log2(middle, a) > count else (middle, high)
    return high


def geometric_rate(a: float, exponent: float = 0.5) -> float:
    """b = (1-a)(a-η) of Theorem 1's proof (eq. 34); η = 1/2 in Case 1.

    Raises
    ------
    ParameterError
        unless 0 < η ≤ 1/2 and 0 < a < 1
    AssumptionError
        unless a > η, without which the batch bounds do not grow geometrically
    """
    eta_value = real("exponent", exponent, 0.0, 0.5, open_ends="low")
    a_value = real("a", a, 0.0, 1.0, open_ends="both")
    if a_value <= eta_value:
        raise AssumptionError(f"a = {a_value:g} must be above eta = {eta_value:g} (Theorem 1)")
    return (1.0 - a_value) * (a_value - eta_value)


def geometric_constant(a: float, exponent: float = 0.5) -> float:
    """2^b/(2^b - 1) of eq. (35), with b from :func:`geometric_rate`: the bound on Σ U_i / U_B, free of B."""
    return -1.0 / math.expm1(-geometric_rate(a, exponent) * math.log(2.0))


def geometric_terms(log2_horizon: float, a: float, exponent: float = 0.5, batches: int | None = None) -> np.ndarray:
    """U_1..U_B with U_i = T^{a^{i-1}(η-a)} (eqs. 34 and 46), as a float array of shape (B,).

    Parameters
    ----------
    log2_horizon : L = log2 T
    a, exponent : a and η, with a > η
    batches : B; counted from eq. (6) when left out
    """
    geometric_rate(a, exponent)
    log2_t = real("log2_horizon", log2_horizon, 1.0)
    count = power_batch_count_log2(log2_t, a) if batches is None else whole_number("batches", batches, 1, MAX_BATCHES)
    powers = a ** np.arange(count)
    return np.exp2(log2_t * powers * (exponent - a))


def geometric_ratio(log2_horizon: float, a: float, exponent: float = 0.5, first: int = 1) -> float:
    """Σ_{i=first}^B U_i / U_B, the exact counterpart of the constant 2^b/(2^b-1) in eq. (35).

    Computed from exponents relative to the last term, so neither end over- or underflows for L up to 1e300.

    Parameters
    ----------
    log2_horizon : L = log2 T
    a, exponent : a and η, with a > η
    first : 1 in Case 1, 2 in Case 2 (whose first batch is bounded separately, eq. 48)
    """
    geometric_rate(a, exponent)
    count = power_batch_count_log2(log2_horizon, a)
    first = whole_number("first", first, 1, count)
    powers = a ** np.arange(first - 1, count)
    return float(np.exp2(-float(log2_horizon) * (powers - powers[-1]) * (a - exponent)).sum())


def optimal_batches(log2_horizon: float, nu: float, dim: int) -> float:
    """log_{1/η} log2 T, the number of batches that is necessary and sufficient up to 1+o(1) (Remarks 3 and 5).

    It increases with ν/d: the rougher the function, the fewer batches.
    """
    return math.log(real("log2_horizon", log2_horizon, 1.0)) / -math.log(eta(nu, dim))


def remark5_excess(log2_horizon: float, exponent: float, fraction: float = 1.0) -> dict[str, float]:
    """Remark 5, eqs. (9)-(14): how far T^{(1-η)/(1-η^B)} exceeds T^{1-η} at B = ⌈c' log_{1/η} log2 T⌉.

    Parameters
    ----------
    log2_horizon : L = log2 T, above 1
    exponent : η in (0, 1/2]
    fraction : c' in (0, 1]

    Returns
    -------
    ``batches``, ``log2_excess`` (base-2 logarithm of the quotient), ``log2_lower`` = (1-η)ηL/(L^{c'}-η) and
    ``log2_upper`` = (1-η)L/(L^{c'}-1), which enclose it, and ``growth`` = log2_excess / log2 log T, which tends to 0
    for c' = 1 and to infinity for c' < 1: the excess is then more than any power of log T
    """
    log2_t = real("log2_horizon", log2_horizon, 1.0, open_ends="low")
    eta_value = real("exponent", exponent, 0.0, 0.5, open_ends="low")
    share = real("fraction", fraction, 0.0, 1.0, open_ends="low")
    batches = max(1, math.ceil(share * math.log(log2_t) / -math.log(eta_value) - 1e-12))
    last = eta_value**batches
    excess = log2_t * (1.0 - eta_value) * last / (1.0 - last)
    reach = log2_t**share
    return {
        "batches": float(batches),
        "log2_excess": excess,
        "log2_lower": (1.0 - eta_value) * eta_value * log2_t / (reach - eta_value),
        "log2_upper": (1.0 - eta_value) * log2_t / (reach - 1.0),
        "growth": excess / math.log2(log2_t * math.log(2.0)) if log2_t > 1.5 else math.nan,
    }


def batch_count_table(horizons: Iterable[int], ratios: Iterable[float]) -> list[dict[str, Any]]:
    """Batches of eqs. (5) and (6) against both bounds of Prop. 3, one row per horizon and rule.

    Parameters
    ----------
    horizons : integers of at least 3
    ratios : values of a for eq. (6)

    Returns
    -------
    rows with ``horizon``, ``rule`` (``original`` or ``power``), ``a`` (``None`` for ``original``), ``batches``,
    ``upper`` (eq. 19, or ⌈log2 log2 T⌉+1), ``lower`` (eq. 20) and ``proviso`` (line 23; both ``None`` for ``original``)
    """
    rows: list[dict[str, Any]] = []
    ratios = tuple(ratios)
    for value in horizons:
        horizon = whole_number("horizons", value, 3)
        original = {"batches": original_batch_count(horizon), "upper": original_count_upper(horizon)}
        rows.append({"horizon": horizon, "rule": "original", "a": None, **original, "lower": None, "proviso": None})
        for a in ratios:
            counted = {"batches": power_batch_count(horizon, a), "upper": power_count_upper(horizon, a)}
            promise = {"lower": power_count_lower(horizon, a), "proviso": lower_proviso(horizon, a)}
            rows.append({"horizon": horizon, "rule": "power", "a": a, **counted, **promise})
    return rows


def geometric_sum_table(log2_horizons: Iterable[float], cases: Iterable[tuple[float, float]]) -> list[dict[str, Any]]:
    """Σ U_i / U_B against B and 2^b/(2^b-1) (eq. 35, Case 1; eq. 48, Case 2), one row per horizon and case.

    Parameters
    ----------
    log2_horizons : L = log2 T, from 1 to 1e300
    cases : pairs (a, η) with a > η; sums start at i = 1 for η = 1/2 (Case 1) and at i = 2 otherwise (Case 2)

    Returns
    -------
    rows with ``log2_horizon``, ``a``, ``eta``, ``batches``, ``ratio``, ``constant``
    """
    lengths = tuple(log2_horizons)
    return [
        {
            "log2_horizon": float(length),
            "a": a,
            "eta": exponent,
            "batches": power_batch_count_log2(length, a),
            "ratio": geometric_ratio(length, a, exponent, 1 if exponent == 0.5 else 2),
            "constant": geometric_constant(a, exponent),
        }
        for a, exponent in cases
        for length in lengths
    ]
