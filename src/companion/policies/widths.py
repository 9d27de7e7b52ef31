"""Widths in every form: what multiplies the posterior standard deviation, whichever way it is written down.

A width may be

* a number, the same in every round;
* a schedule of :mod:`companion.bounds.confidence`, an object with a method ``width(t, gain)``;
* a function ``width(t, gain)`` of the evaluation's number (from 1) and of the realised information gain of the
  evaluations before it, in nats.

Every policy of this package and of the batched paper takes all three. :func:`scheduled` turns any of them into the last.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from companion.bounds.confidence import ConfidenceSchedule, ConstantWidth
from companion.core.errors import ParameterError

#: What multiplies the posterior standard deviation: a number, a schedule of :mod:`companion.bounds.confidence`, or a function
#: ``width(t, gain)`` of the evaluation's number (from 1) and of the realised information gain before it, in nats.
Width = float | ConfidenceSchedule | Callable[[int, float], float]

FORMS = "a number, a schedule of companion.bounds.confidence, or a function width(t, gain)"


def scheduled(width: Width) -> Callable[[int, float], float]:
    """``width`` as a function of the evaluation's number t (from 1) and of the realised gain before it, in nats.

    Raises
    ------
    ParameterError
        for a negative or non-finite number, and for what is none of the three forms; a width of another protocol (of a batch
        and the number of candidates, or of the round alone) is refused, not called with the wrong meaning

    Examples
    --------
    >>> from companion.bounds.confidence import SelfNormalizedWidth
    >>> round(scheduled(SelfNormalizedWidth(norm=1.0, delta=0.1))(t=5, gain=2.0), 4)
    3.9335
    """
    if isinstance(width, int | float | np.number):
        return ConstantWidth(math.nan if isinstance(width, bool) else float(width)).width
    function: Any = getattr(width, "width", width)
    if callable(function):
        names = _arguments(function)
        if names is not None and (len(names) != 2 or names[1] == "candidates"):
            raise ParameterError("width", f"is a function of ({', '.join(names)})", FORMS)
        return function
    raise ParameterError("width", f"got {width!r}", FORMS)


def without_gain(width: Any, policy: str) -> float:
    """A width that is the same in every round, as a number; for methods that know no realised gain.

    Raises
    ------
    ParameterError
        for a width that depends on the gain or on the round
    """
    try:
        found = {float(scheduled(width)(t, gain)) for t in (1, 2, 9) for gain in (0.0, 1.0, 7.0)}
    except ParameterError as refused:
        raise ParameterError("width", str(refused).removeprefix("width: ")) from refused
    if len(found) > 1:
        got = f"{width!r} depends on the round or on the realised gain, of which {policy} keeps no account"
        raise ParameterError("width", got, "a number, or a schedule that is the same in every round")
    return found.pop()


def _arguments(function: Any) -> list[str] | None:
    """Names of the positional arguments that have to be given; ``None`` where they cannot be read."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [p.name for p in positional if p.default is p.empty or len(positional) == 2]
