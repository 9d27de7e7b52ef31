"""Argument checks shared by the modules that evaluate bounds: each returns the clean value or raises a diagnosis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from companion.core.errors import AssumptionError, ParameterError


def real(name: str, value: Any, low: float = -math.inf, high: float = math.inf, *, open_ends: str = "") -> float:
    """``value`` as a finite ``float`` inside the interval.

    Parameters
    ----------
    name, value : the argument
    low, high : ends of the allowed interval
    open_ends : which finite ends are excluded: ``""``, ``"low"``, ``"high"`` or ``"both"``

    Raises
    ------
    ParameterError
        if it is not a finite real number of the interval
    """
    left, right = open_ends in ("low", "both"), open_ends in ("high", "both")
    brackets = ("(" if left or low == -math.inf else "[", ")" if right or high == math.inf else "]")
    expected = f"a finite number in {brackets[0]}{low:g}, {high:g}{brackets[1]}"
    try:
        if isinstance(value, bool | np.bool_ | str):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise ParameterError(name, f"got {value!r}", expected) from None
    inside = math.isfinite(number) and low <= number <= high
    if not inside or (left and number == low) or (right and number == high):
        raise ParameterError(name, f"got {number!r}", expected)
    return number


def smoothness(value: Any) -> float:
    """A Matérn smoothness ν > 0, or ``inf`` for the squared-exponential kernel.

    Raises
    ------
    ParameterError
        if it is neither
    """
    if isinstance(value, float | np.floating) and value == math.inf:
        return math.inf
    try:
        return real("smoothness", value, 0.0, open_ends="low")
    except ParameterError as refused:
        raise ParameterError(
            "smoothness", f"got {value!r}", "a Matérn smoothness above 0, or inf for the squared-exponential kernel"
        ) from refused


def assumed(holds: Any, says: str) -> None:
    """Refuse to evaluate a bound whose assumption does not hold for the arguments given.

    Parameters
    ----------
    holds : truth value, or an array of them
    says : the assumption, and what violates it

    Raises
    ------
    AssumptionError
        unless ``holds`` everywhere; a comparison with NaN does not hold
    """
    if not np.all(holds):
        raise AssumptionError(says)


def at_least(low: float, **values: Any) -> None:
    """Every value, a number or an array, is at least ``low``: gains, radii and the like, on which a proof takes roots.

    Raises
    ------
    AssumptionError
        naming the first that is not
    """
    for name, value in values.items():
        # Writing a long array down takes longer than the comparison, so only a refusal does it.
        if not np.all(np.asarray(value, dtype=np.float64) >= low):
            raise AssumptionError(f"{name} has to be at least {low:g}; got {value!r}")
