"""Stored numbers to be read: single ones in a list, arrays as small tables with names over their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion_evidence import markup

#: More columns than these do not fit beside the name of what they are.
WIDEST = 9
#: More rows than these are folded.
LONGEST = 12
#: What the numbers in a list of these names are.
INTERVAL = ("from", "to")
NAMED = {"ci95": INTERVAL, "ratio_ci95": INTERVAL, "whole_ci95": INTERVAL}

Columns = Mapping[str, Sequence[str]]


def sorted_out(found: Mapping[str, Any], columns: Columns) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The numbers behind an entry, as lists that are rows of one table, single ones, and arrays.

    Parameters
    ----------
    found : by name; names may hold formulas
    columns : names of the columns of arrays that do not name them, by the array's name; under ``*``, those of all lists, which
        then are the rows of one table
    """
    listed = {name: value for name, value in found.items() if isinstance(value, list) and "*" in columns}
    single = {name: value for name, value in found.items() if not _is_array(value) and name not in listed}
    return listed, single, {name: value for name, value in found.items() if name not in listed and name not in single}


def named(name: str) -> str:
    """The name of a number, in words unless it holds a formula."""
    return markup.inline(name) if "$" in name else markup.words(name)


def rectangle(value: Any, columns: Sequence[str] = ()) -> tuple[list[str], list[list[Any]]]:
    """Header and rows; no rows where the value has another shape."""
    if isinstance(value, Mapping):
        lines = _flattened(value)
        if all(isinstance(item, Mapping) for item in lines.values()):
            names = list(dict.fromkeys(str(key) for item in lines.values() for key in item))
            if len(names) <= WIDEST and all(_flat(part) for item in lines.values() for part in item.values()):
                strings = [{str(key): part for key, part in item.items()} for item in lines.values()]
                return ["", *names], [
                    [key, *(item.get(name) for name in names)] for key, item in zip(lines, strings, strict=True)
                ]
        if all(isinstance(item, list) and all(_flat(part) for part in item) for item in lines.values()):
            width = max(map(len, lines.values()), default=0)
            if width <= WIDEST:
                return ["", *_header(width, columns)], [[key, *_filled(item, width)] for key, item in lines.items()]
        if all(_flat(item) for item in lines.values()) and len(lines) > 2:
            if len(lines) <= WIDEST:
                return list(lines), [list(lines.values())]
            return ["of", "value"], [[key, item] for key, item in lines.items()]
    if isinstance(value, list) and value:
        if all(isinstance(item, Mapping) for item in value):
            names = list(dict.fromkeys(str(key) for item in value for key in item))
            if len(names) <= WIDEST and all(_flat(part) for item in value for part in item.values()):
                return names, [[item.get(name) for name in names] for item in value]
        elif all(isinstance(item, list) and all(map(_flat, item)) for item in value):
            width = max(map(len, value))
            if width <= WIDEST:
                return _header(width, columns), [_filled(item, width) for item in value]
        elif all(map(_flat, value)) and len(columns) == len(value):
            return list(columns), [list(value)]
    return [], []


def _flattened(value: Mapping[Any, Any]) -> dict[str, Any]:
    """Mappings three deep as two deep, the two outer names in one: a table has rows and columns, no more."""
    lines = {str(key): item for key, item in value.items()}
    inner = [part for item in lines.values() if isinstance(item, Mapping) for part in item.values()]
    if not inner or not all(isinstance(item, Mapping) for item in [*lines.values(), *inner]):
        return lines
    return {
        f"{markup.words(outer)}, {markup.words(str(key))}": part
        for outer, item in lines.items()
        for key, part in item.items()
    }


def _header(width: int, columns: Sequence[str]) -> list[str]:
    return list(columns) if len(columns) == width else [str(place) for place in range(1, width + 1)]


def _filled(item: Sequence[Any], width: int) -> list[Any]:
    return [*item, *[""] * (width - len(item))]


def _flat(value: Any) -> bool:
    """Whether a value fits into one cell: a number, a word, or the two ends of an interval."""
    if isinstance(value, list):
        return len(value) <= 3 and not any(isinstance(item, list | Mapping) for item in value)
    return not isinstance(value, Mapping)


def _is_array(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(item, list | Mapping) for item in value)
    )
