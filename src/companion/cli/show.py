"""Output of the commands: plain tables for people, strict JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any


def say(text: str = "") -> None:
    """One line on standard output."""
    sys.stdout.write(f"{text}\n")


def say_json(content: object) -> None:
    """``content`` as one JSON document; NaN and infinities, which JSON lacks, become null."""
    say(json.dumps(_strict(content), allow_nan=False))


def table(header: Sequence[str], rows: Iterable[Sequence[object]], numeric: bool = False) -> str:
    """Aligned columns: text to the left, numbers (``numeric``) to the right."""
    cells = [list(header), *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = []
    for row in cells:
        padded = [cell.rjust(width) if numeric else cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
