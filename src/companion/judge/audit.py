"""Verdicts on anybody's table: printed numbers beside those of a rerun, by margins that stand in a file.

:func:`audit` gives every number the verdict that this book's own pages would give it, by
:func:`companion.judge.verdict.cell_verdict`; ``book/audit.md`` explains the files and the words.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.core.errors import DataError, ParameterError, nearest
from companion.judge.audit_files import (
    NAME,
    Key,
    Reproduced,
    Rules,
    read_reported,
    read_reproduced,
    read_rules,
    short,
)
from companion.judge.equivalence import Summary, welch
from companion.judge.intervals import Interval, paired_interval
from companion.judge.multiple_testing import corrected, counts
from companion.judge.ordering import Ordering, same_ordering
from companion.judge.preregistration import Order, order
from companion.judge.reported import ReportedCell
from companion.judge.verdict import CELL_VERDICTS, NOT_TESTABLE, Judgement, cell_fields, cell_verdict, exact_verdict

#: Longest file that is read.
MOST_BYTES = 50_000_000


@dataclass(frozen=True)
class Audit:
    """Result of :func:`audit`.

    Attributes
    ----------
    cells : an object for every number that is in both tables, in the order of the reported one
    missing : numbers that are reported and not reproduced
    rules : the margins
    order : whether a version history shows that these are older than the runs
    files : by argument, name and SHA-256
    """

    cells: Sequence[Mapping[str, Any]]
    missing: Sequence[Key]
    rules: Rules
    order: Order
    files: Mapping[str, Mapping[str, str]]

    def to_dict(self) -> dict[str, Any]:
        """JSON types."""
        words = [cell["verdict"] for cell in self.cells]
        return {
            "files": {name: dict(of) for name, of in self.files.items()},
            "significance": self.rules.significance,
            "confidence": self.rules.confidence,
            "margins_first": {"shown": self.order.shown, "reason": self.order.reason},
            "cells": [dict(cell) for cell in self.cells],
            "not_reproduced": [dict(zip(NAME, key, strict=True)) for key in self.missing],
            "verdicts": {word: words.count(word) for word in CELL_VERDICTS if word in words},
            "several": counts(self.cells),
        }


def audit(reported: Path, reproduced: Path, margins: Path) -> Audit:
    """Judge every number of a reported table that a rerun has, by margins from a file.

    Methods of one problem and metric are a column: the order of two of them is confirmed by the paired interval of their
    difference where both were run at the same seeds, and by Welch's otherwise; one that was not rerun leaves its pairs open.

    Raises
    ------
    ParameterError
        naming ``REPORTED``, ``REPRODUCED`` or ``MARGINS``, with the place in the file; or ``MARGINS``, where a version history
        shows that they are younger than the runs
    """
    files, content = {}, {}
    for name, path in (("REPORTED", reported), ("REPRODUCED", reproduced), ("MARGINS", margins)):
        with _naming(name):
            content[name] = _bytes(path)
        files[name.lower()] = {"name": path.name, "sha256": hashlib.sha256(content[name]).hexdigest()}
    with _naming("REPORTED"):
        printed = read_reported(content["REPORTED"], reported.name)
    with _naming("REPRODUCED"):
        ours = read_reproduced(content["REPRODUCED"], reproduced.name)
        _known(ours, printed, reproduced.name)
    with _naming("MARGINS"):
        rules = read_rules(content["MARGINS"], margins.name)
        for metric in dict.fromkeys(key[2] for key in printed):
            rules.of(metric)
    judged = [_judged(key, printed, ours, rules) for key in printed if key in ours]
    first = order(margins, reproduced, lambda older: _change(older, rules, [key[2] for key in printed]))
    missing = [key for key in printed if key not in ours]
    return Audit(corrected(judged), missing, rules, first, files)


def _change(older: bytes, rules: Rules, metrics: Sequence[str]) -> str:
    try:
        return rules.change(read_rules(older, "the older version"), list(dict.fromkeys(metrics)))
    except DataError:
        return "it could not be read"


@contextmanager
def _naming(argument: str) -> Iterator[None]:
    try:
        yield
    except DataError as error:
        raise ParameterError(argument, str(error)) from None


def _bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise DataError(f"{path} is {'no file' if path.exists() else 'not there'}; expected a file")
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path} has {path.stat().st_size:,} bytes; expected at most {MOST_BYTES:,}")
        return path.read_bytes()
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        raise DataError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _known(ours: Mapping[Key, Reproduced], printed: Mapping[Key, ReportedCell], name: str) -> None:
    """Refuse numbers that nobody reported: most are a name that is written otherwise."""
    for key in ours:
        if key not in printed:
            alike = {", ".join(known): known for known in printed}
            hint = nearest(", ".join(key), alike)
            raise DataError(
                f"{name} has {short(', '.join(key))}, which is not among the reported numbers. {hint}".strip()
            )


def _judged(
    key: Key, printed: Mapping[Key, ReportedCell], ours: Mapping[Key, Reproduced], rules: Rules
) -> dict[str, Any]:
    cell, found, rule = printed[key], ours[key], rules.of(key[2])
    if rule.exact:
        if found.sd:
            raise ParameterError(
                "MARGINS", f"the runs of {', '.join(key)} vary", "exact = true for numbers that do not"
            )
        judgement = exact_verdict(cell.mean, found.mean)
    else:
        if found.summary is None:
            raise ParameterError(
                "REPRODUCED", f"{', '.join(key)} has fewer than two runs, or no sd", "sd and n of two or more"
            )
        judgement = _tested(
            cell, found.summary, rule.width(cell), _ordering(key, printed, ours, rules.confidence), rules
        )
    between, as_printed = judgement.difference, cell.as_printed()
    return {
        **dict(zip(NAME, key, strict=True)),
        "unit": cell.unit,
        "reported": as_printed,
        "reproduced": {"mean": found.mean, "sd": found.sd, "n": found.n},
        "difference": {
            "mean": found.mean - cell.mean,
            "interval": None if between is None else between.ends,
        },
        "margin": judgement.margin,
        "smallest_margin": judgement.limit,
        "verdict": judgement.verdict,
        "reason": judgement.reason,
        **cell_fields(judgement, as_printed),
        "note": cell.note,
    }


def _tested(cell: ReportedCell, ours: Summary, margin: float, ordering: Ordering, rules: Rules) -> Judgement:
    reported = cell.summary
    if reported is not None and margin == 0.0:
        why = "the margin is 0: the reported number that it is a multiple of is printed as 0, or not at all"
        return Judgement(NOT_TESTABLE, why, None, margin)
    if reported is not None and reported.sd == ours.sd == 0.0:
        return Judgement(
            NOT_TESTABLE, "no run varies on either side; exact = true would compare such numbers", None, margin
        )
    lacking = cell.lacking or "one run is reported, and a spread needs two"
    levels = {"significance": rules.significance, "confidence": rules.confidence}
    return cell_verdict(reported, ours, margin, ordering if ordering.printed else None, lacking=lacking, **levels)


def _ordering(
    key: Key, printed: Mapping[Key, ReportedCell], ours: Mapping[Key, Reproduced], confidence: float
) -> Ordering:
    """The method against every other one of its problem and metric."""
    others = [other for other in printed if (other[0], other[2]) == (key[0], key[2]) and other != key]
    return same_ordering(
        (printed[key].mean - printed[other].mean, _difference(ours[key], ours.get(other), confidence))
        for other in others
    )


def _difference(one: Reproduced, other: Reproduced | None, confidence: float) -> Interval:
    if other is None or one.summary is None or other.summary is None:
        return Interval(0.0, -math.inf, math.inf, 0)
    if one.runs and one.runs.keys() == other.runs.keys():
        values = [[of.runs[seed] for seed in one.runs] for of in (one, other)]
        return paired_interval(values[0], values[1], confidence)
    if one.summary.sd == other.summary.sd == 0.0:
        gap = one.mean - other.mean
        return Interval(gap, gap, gap, one.summary.n)
    return welch(other.summary, one.summary, confidence)
