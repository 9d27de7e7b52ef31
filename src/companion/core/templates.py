"""Sentences with numbers: templates that stand apart from what computes the numbers, and how a number is written."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

from companion.core.errors import ParameterError

# Where a number goes in a template; a plain comment, as a regular expression is no reading for the API page.
FIELD = re.compile(r"\[\[\s*(?P<name>[^\W\d][^\[\]:]*?)\s*(?::(?P<spec>[^\]]*))?\]\]")


def filled(template: str, numbers: Mapping[str, Any], digits: int | None = 3, place: str = "template") -> str:
    """``template`` with each ``[[name]]`` replaced by the number of that name.

    ``[[name:.1%]]`` gives it a format. ``[[name.part]]`` takes a key, a place in a list or an attribute of what has that name.
    After *at least* or before *or more* a number is rounded down, after *at most* up, where ``digits`` are given.

    Parameters
    ----------
    template : text; ``[[`` begins a number, all else means nothing here
    numbers : by name; a list is written as ``1, 2 and 3``
    digits : significant digits of numbers without a format; ``None`` for all that Python writes, and ``1, 2, 3``
    place : of the template, as an error names it

    Raises
    ------
    ParameterError
        for a name that ``numbers`` does not have

    >>> filled("In at most [[share:.1%]] of [[games.runs]] runs.", {"share": 0.1234, "games": {"runs": 40}})
    'In at most 12.4% of 40 runs.'
    """

    def put(match: re.Match[str]) -> str:
        value, spec = _number(numbers, match["name"], place), match["spec"] or ""
        text = _written(value, spec, digits)
        up = None if digits is None else _towards(template[: match.start()], template[match.end() :])
        if up is None:
            return text
        return _on_that_side(value, text, up, lambda value: _written(value, spec, digits))

    return FIELD.sub(put, template)


def names_in(template: str) -> set[str]:
    """Names of the numbers that a template takes, without their parts.

    >>> sorted(names_in("[[share:.1%]] of [[games.runs]] runs"))
    ['games', 'share']
    """
    return {match["name"].partition(".")[0] for match in FIELD.finditer(template)}


def _number(numbers: Mapping[str, Any], name: str, place: str) -> Any:
    first, *parts = name.split(".")
    try:
        value = numbers[first]
        for part in parts:
            if isinstance(value, Mapping) and part in value:
                value = value[part]
            else:
                value = value[int(part)] if part.isdigit() else getattr(value, part)
    except (LookupError, AttributeError, TypeError):
        raise ParameterError(place, f"no number is called {name!r}", f"one of: {', '.join(numbers)}") from None
    return value


def _written(value: Any, spec: str, digits: int | None) -> str:
    if isinstance(value, list | tuple | range) or getattr(value, "ndim", False):
        words = [_written(item, spec, digits) for item in value]
        return ", ".join(words) if digits is None else " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
    return format(value, spec) if spec or digits is None else significant(value, digits)


_BEFORE = re.compile(r"\b(no more than|no less than|no fewer than|at least|at most|up to)[\s×*]*$")
_AFTER = re.compile(r"(?:\s*(?:times|%))?\s+or (more|less|fewer)\b")
_PLAIN = re.compile(r"(-?[\d,]*\.?\d+(?:e[+-]?\d+)?)(%?)")
_CEILINGS = {"no more than", "at most", "up to", "less", "fewer"}
# "More than" alone does not say it: runs that exclude a rise of more than 15.6 % exclude one of more than 16 %.


def _towards(before: str, after: str) -> bool | None:
    """Whether the words around a number make it a ceiling; ``None`` where they make it neither that nor a floor."""
    found = _BEFORE.search(before[-40:]) or _AFTER.match(after)
    return None if found is None else found[1] in _CEILINGS


def _on_that_side(value: Any, text: str, up: bool, write: Callable[[float], str]) -> str:
    """The number one unit of its last place further up or down, where rounding has made what the words say false: 3.37 is not
    "at least 3.4". A relative 1e-9 counts as rounding of the computer."""
    shown = _PLAIN.fullmatch(text)
    if shown is None or not isinstance(value, Real) or not math.isfinite(value):
        return text
    number, scale = Decimal(shown[1].replace(",", "")), Decimal(100 if shown[2] else 1)
    short = (Decimal(float(value)) - number / scale) * (1 if up else -1)
    if short <= abs(Decimal(float(value))) * Decimal("1e-9"):
        return text
    unit = Decimal(1).scaleb(int(number.as_tuple().exponent))
    return write(float((number + (unit if up else -unit)) / scale))


def significant(value: Any, digits: int = 4) -> str:
    """``value`` with ``digits`` significant digits, with an exponent only where needed; text passes through."""
    if isinstance(value, bool) or (not isinstance(value, int | float) and not hasattr(value, "__float__")):
        return str(value)
    if isinstance(value, int) or hasattr(value, "__index__"):
        return f"{int(value):,}".replace(",", " ")
    number = float(value)
    if math.isnan(number):
        return "–"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    scientific = f"{number:.{digits - 1}e}"
    exponent = int(scientific.partition("e")[2])  # after rounding, so that 9.9996 counts as 10.00
    if number == 0 or -3 <= exponent < max(digits, 5):
        return f"{number:.{max(digits - 1 - exponent, 0)}f}"
    return scientific
