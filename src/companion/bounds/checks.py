"""Argument checks shared by the modules that evaluate bounds: each returns the clean value or raises a diagnosis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from companion.errors import ParameterError


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
