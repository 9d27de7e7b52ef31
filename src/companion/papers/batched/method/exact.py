"""Exact ceilings of T^u (log T)^v.

A batch size is a ceiling, and a ceiling turns a rounding error of 1e-16 into an error of one whole round exactly where
the power is an integer: in floats ``ceil(100000 ** (1 - 0.6))`` is 101, the true value is 100. Here every ceiling is
either certain in floating point, decided in integers, or computed with as many decimal digits as it takes.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

from companion.core.errors import ParameterError

#: exp(25) < 2**37: floats below it still resolve distances of 1e-5 from an integer.
FLOAT_PATH_LIMIT = 25.0
#: Eight units in the last place for each of the operations counted in `float_ceiling`.
SAFETY = 2.0**-50


def as_fraction(name: str, value: Any) -> Fraction:
    """The rational number that was written: a float is read as the shortest decimal that prints it (0.6 is 3/5).

    Raises
    ------
    ParameterError
        if ``value`` is not a finite number
    """
    try:
        if isinstance(value, bool | str):
            raise TypeError
        return value if isinstance(value, Fraction) else Fraction(repr(float(value)))
    except (TypeError, ValueError):
        raise ParameterError(name, f"got {value!r}", "a finite number") from None


def integer_power(base: int, exponent: Fraction) -> int | None:
    """``base ** exponent`` for ``base >= 2``, ``exponent >= 0`` when that is an integer, otherwise ``None``.

    With the exponent in lowest terms p/q, the power is an integer exactly if ``base`` is a perfect q-th power.
    """
    p, q = exponent.numerator, exponent.denominator
    if q >= base.bit_length():  # the q-th root would lie strictly between 1 and 2
        return None
    root = _nearest_root(base, q)
    return root**p if root**q == base else None


def _nearest_root(base: int, q: int) -> int:
    """Largest integer whose q-th power is at most ``base`` (bisection on integers)."""
    low, high = 1, 1 << (base.bit_length() // q + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**q <= base else (low, middle)
    return low


def float_ceiling(horizon_log: float, exponent: float, relative_error: float) -> int | None:
    """⌈exp(exponent · horizon_log)⌉ when double precision settles it, otherwise ``None``.

    Parameters
    ----------
    horizon_log : log T
    exponent : the exponent of T
    relative_error : bound on the error of the exponent, in units of 2**-53
    """
    logarithm = exponent * horizon_log
    if logarithm > FLOAT_PATH_LIMIT:
        return None
    value = math.exp(logarithm)
    guard = value * SAFETY * (4.0 + (relative_error + 2.0) * horizon_log)
    low, high = math.ceil(value - guard), math.ceil(value + guard)
    return low if low == high else None


@lru_cache(4096)
def ceil_power(horizon: int, exponent: Fraction, log_exponent: Fraction = Fraction(0)) -> int:
    """⌈T^u (log T)^v⌉ exactly, for integer T ≥ 2 and rational u ≥ 0, v.

    For v = 0 an integer power is recognised in integers. Every other value is irrational (an algebraic irrational for
    v = 0, transcendental for v ≠ 0 since log T is), so enough decimal digits separate it from the integers.

    Parameters
    ----------
    horizon : T
    exponent, log_exponent : u and v
    """
    if log_exponent == 0:
        exact = integer_power(horizon, exponent)
        if exact is not None:
            return exact
    whole_digits = float(exponent) * math.log10(horizon) + abs(float(log_exponent)) * abs(math.log10(math.log(horizon)))
    digits = int(whole_digits) + 40
    while True:
        with localcontext(Context(prec=digits)):  # also for the sums below: the default context keeps 28 digits only
            value = _decimal_power(horizon, exponent, log_exponent)
            error = value.scaleb(15 - digits)
            low, high = math.floor(value - error), math.floor(value + error)
        if low == high:
            return low + 1
        digits *= 2


def _decimal_power(horizon: int, exponent: Fraction, log_exponent: Fraction) -> Decimal:
    """T^u (log T)^v in the current context, with a relative error far below 10**(15 - digits)."""
    log_t = Decimal(horizon).ln()
    total = log_t * exponent.numerator / exponent.denominator
    if log_exponent:
        total += log_t.ln() * log_exponent.numerator / log_exponent.denominator
    return total.exp()
