"""Output of the commands: plain tables for people, strict JSON for programs."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companion.core.errors import CompanionError, ParameterError
from companion.core.files import strict_json
from companion.core.profiles import Parameter
from companion.problems.datasets import VARIABLE, DataUsed

JOBS = Parameter("jobs", "int", None, "workers; -1 for one per core", "ours", low=-1, high=1024)


def say(text: str = "") -> None:
    """One line on standard output."""
    sys.stdout.write(f"{text}\n")


def say_json(content: object) -> None:
    """``content`` as one JSON document; NaN and infinities, which JSON lacks, become null."""
    say(strict_json(content))


def require_none(faults: Sequence[str]) -> None:
    """After a command's output: end with code 1 and one line that names every fault, if there are any."""
    if faults:
        sys.stdout.flush()
        raise CompanionError("; ".join(faults))


def table(header: Sequence[str], rows: Iterable[Sequence[object]], numeric: bool = False) -> str:
    """Aligned columns: text to the left, numbers (``numeric``) to the right."""
    cells = [list(header), *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = []
    for row in cells:
        padded = [cell.rjust(width) if numeric else cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def data_line(used: DataUsed) -> str:
    """Which data ran, and how to get the real ones where these are a stand-in."""
    hint = "" if used.real else f"; for the real data see 'companion data status', then set {VARIABLE}"
    return f"data: {used.choice} ({used.title}){hint}"


def number(value: float | None) -> str:
    """Four significant digits; a dash where there is no number or it is infinite."""
    return "-" if value is None or not math.isfinite(value) else f"{value:.4g}"


def worker_count(text: str | None) -> int | None:
    """Workers asked for by ``--jobs``; by default what COMPANION_JOBS says, and one per core without it."""
    if text is None:
        return None if os.environ.get("COMPANION_JOBS") else -1
    if text.strip() == "0":
        raise ParameterError("jobs", "got 0", "a positive integer, or -1 for one worker per core")
    return JOBS.parse(text)  # type: ignore[return-value]


def teeth(entry: Mapping[str, Any]) -> list[str]:
    """A line for every wrong version of a statement or lead: whether its check caught it, and where."""
    words = {None: "not run", True: "bites", False: "DOES NOT BITE"}
    return [f"  tooth: {tooth['name']}: {words[tooth['caught']]} {tooth['where']}".rstrip() for tooth in entry["teeth"]]
