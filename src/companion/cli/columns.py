"""Aligned columns of text, folded where they are wider than the page."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Sequence
from itertools import zip_longest

Rows = Sequence[Sequence[str]]


def aligned(
    rows: Rows, right: Collection[int] = (), width: int | None = None, shown: Callable[[str], str] = str
) -> str:
    """Rows of cells with their columns below each other, those of ``right`` aligned to the right.

    Of lines longer than ``width`` the widest columns are made narrower, but no word is broken. ``shown`` adds to a cell what
    takes no room, such as a colour.
    """
    widths = _fitting(list(zip(*rows, strict=True)), width)
    lines = []
    for row in rows:
        for line in zip_longest(*map(_wrapped, row, widths), fillvalue=""):
            pads = [" " * (room - len(cell)) for cell, room in zip(line, widths, strict=True)]
            pairs = enumerate(zip(pads, map(shown, line), strict=True))
            lines.append("  ".join(pad + cell if at in right else cell + pad for at, (pad, cell) in pairs).rstrip())
    return "\n".join(lines)


def _wrapped(cell: str, width: int) -> list[str]:
    return [cell] if len(cell) <= width else textwrap.wrap(cell, width, break_on_hyphens=False)


def _fitting(table: Rows, room: int | None) -> list[int]:
    widths = [max(map(len, column)) for column in table]
    least = [max(len(word) for cell in column for word in cell.split() or [""]) for column in table]
    while room is not None and sum(widths) + 2 * (len(widths) - 1) > room:
        wide = [place for place, width in enumerate(widths) if width > least[place]]
        if not wide:
            break
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths
