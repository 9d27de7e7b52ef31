"""A table of bounds as text, JSON, flat records, CSV and data frame."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from companion.bounds.trivial import two_digits
from companion.core.terminal import aligned
from companion.papers.across.problems.common import FARTHEST
from companion.papers.across.theory.bounds_rows import BoundsRows, Row, taken_on_trust
from companion.stored.results import csv_bytes

if TYPE_CHECKING:
    import pandas as pd

#: Kind of f, for a column of a table.
MODELS = {"prior": "draws", "norm": "norm", "game": "game"}


#: For whom a width is the shortest, see :meth:`~companion.papers.across.theory.bounds_rows.BoundsRows.shortest`.
WHOM = {
    "prior": "draws, whatever chose the points",
    "norm": "norm, whatever chose the points",
    "batches": "norm, batches that ignore their values",
}


#: Where there is no line: of draws on a box with rough kernels or several dimensions, of a norm among very many candidates.
UNKNOWN = "–"


def text_of(found: BoundsRows, width: int | None = None) -> str:
    """Setting, gain, bounds, widths, inapplicable bounds with reasons, and unchecked assumptions; in lines of ``width``."""

    def folded(line: str) -> str:
        dent = " " * (len(line) - len(line.lstrip()) + 4)
        return line if width is None else textwrap.fill(line, width, subsequent_indent=dent, break_long_words=False)

    regret, widths = found.of("regret"), found.of("width")
    missing = [*found.of("regret", False), *found.of("width", False)]
    parts = [*map(folded, _setting(found)), "", _regret(found, regret, width), "", _widths(found, widths, width)]
    if short := found.shortest():
        lines = [(f"  {WHOM[whom]}", _named(row), f"{row.value:.4g}") for whom, row in short.items()]
        parts += ["", aligned([("shortest proved here", "", "at T"), *lines], (2,), width)]
    if missing:
        parts += ["", "not applicable here"]
        for reason, names in _reasons(missing).items():
            parts += [folded(f"  {reason}"), folded(f"    {', '.join(names)}")]
    parts += ["", "taken on trust"]
    parts += [folded(f"  {text}") for text in taken_on_trust([*regret, *widths])]
    return "\n".join(parts)


def _reasons(rows: Sequence[Row]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row.reason, []).append(row.form.id)
    return found


def _setting(found: BoundsRows) -> list[str]:
    values, place = found.conditions.values, found.conditions.place
    size, bracket = found.conditions.size, found.gains["noise"]
    among = f"all points of the box [0,1]^{place['dim']}" if size is None else f"{size:,} candidates"
    named = (
        f"kernel {place['kernel']}, length-scale {_scales(place['lengthscale'])}" if "kernel" in place else "covariance"
    )
    lines = [
        f"{among}, {named}; noise {values['noise']:g} (standard deviation); "
        f"T = {values['horizon']:,} evaluations; delta = {values['delta']:g}",
        f"gain of T evaluations, nats: {bracket.lower:.5g} to {bracket.upper:.5g}; the bounds take the upper end",
    ]
    if "coordinates" in place:
        lines.insert(1, f"coordinates: {', '.join(place['coordinates'])}")
    if found.gains["regulariser"].noise_variance != bracket.noise_variance:
        other = found.gains["regulariser"]
        lines.append(f"at the regulariser {values['regulariser']:g}: {other.lower:.5g} to {other.upper:.5g}")
    words = {"prior": "for a draw of the prior", "norm": "for a function of the norm", "game": "in the game"}
    known = [f"{found.ranges[m]:.4g} {text}" for m, text in words.items() if math.isfinite(found.ranges[m])]
    lines.append(f"no choices lose more, an evaluation, than {', '.join(known)}")
    blind = [f"{found.blind[m]:.4g} {text}" for m, text in words.items() if math.isfinite(found.blind[m])]
    if blind:
        lines.append(
            f"random choice costs, on average and at most, {', '.join(blind)}: a bound above is informative in name only"
        )
    return lines


def _scales(scales: float | list[float]) -> str:
    return ", ".join(f"{s:g}" for s in scales) if isinstance(scales, list) else f"{scales:g}"


def _regret(found: BoundsRows, rows: Sequence[Row], width: int | None) -> str:
    total, farthest = (found.conditions.values[name] for name in ("horizon", "farthest"))
    if not rows:
        return f"no regret bound applies at T = {total}"
    columns: dict[str, Callable[[Row], str]] = {
        "/ trivial": lambda row: _ratio(row.over_trivial),
        "/ random": lambda row: _ratio(row.over_blind),
        "informative": lambda row: _from(row.says_from, farthest),
        "below random choice": lambda row: _from(row.beats_blind_from, farthest),
    }
    near = farthest == total and any(math.isinf(row.says_from) for row in rows)
    later = f"\nwhether they are informative later: --farthest {10**FARTHEST}" if near else ""
    return _columns(found, rows, ("regret of", "in"), columns, (5, 6, 7), width) + later


def _widths(found: BoundsRows, rows: Sequence[Row], width: int | None) -> str:
    def in_the_paper(row: Row) -> str:
        return ", ".join(f"{name} = {value:.4g}" for name, value in list(row.symbols.items())[:1])

    return _columns(found, rows, ("width of", "with"), {"in the paper": in_the_paper}, (5,), width)


def _columns(
    found: BoundsRows,
    rows: Sequence[Row],
    words: tuple[str, str],
    more: Mapping[str, Callable[[Row], str]],
    right: Sequence[int],
    width: int | None,
) -> str:
    """The columns that bounds and widths have in common, under two words of their own, and more."""
    delta, shown = found.conditions.values["delta"], {row.form.id for row in rows}
    rows = [row for row in rows if row.form.restates not in shown]  # the same formula by the same object
    columns: dict[str, Callable[[Row], str]] = {
        words[0]: lambda row: row.form.rule,
        "from": lambda row: row.form.place,
        "constants": lambda row: row.form.constants,
        "f": lambda row: MODELS[row.form.model],
        words[1]: lambda row: row.form.held(delta),
        "at T": lambda row: f"{row.value:.4g}",
        **more,
    }
    return aligned([list(columns), *([cell(row) for cell in columns.values()] for row in rows)], right, width)


def _named(row: Row) -> str:
    """The width's rule and place."""
    form = row.form
    return form.place if form.rule == "any" else f"{form.rule}, {form.place}"


def _ratio(value: float) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:.3g}"


def _from(first: float, farthest: int) -> str:
    if math.isnan(first):
        return UNKNOWN
    return f"from T = {two_digits(first):,}" if math.isfinite(first) else f"at no T up to {farthest:,}"


# -- for programs --------------------------------------------------------------------------------------------------------

_OF_FORM = ("id", "paper", "ledger", "place", "title", "rule", "quantity", "reading", "model", "holds", "regret")
_OF_ROW = ("applies", "reason", "value", "probability", "trivial", "over_trivial", "says_from")
_BLIND = ("blind", "over_blind", "beats_blind_from")


def _rows(found: BoundsRows) -> list[dict[str, Any]]:
    """JSON types, row by row; numbers that are not there are NaN or infinite, and become null."""
    short = {row.form.id for row in found.shortest().values()}
    return [
        {
            **{name: getattr(row.form, name) for name in _OF_FORM},
            **{name: getattr(row, name) for name in _OF_ROW},
            "symbols": dict(row.symbols),
            "assumptions": [{"text": c.text, "state": c.state, "detail": c.detail} for c in row.assumptions],
            "constants": row.form.constants,
            "restates": row.form.restates,
            **{name: getattr(row, name) for name in _BLIND},
            "shortest": row.form.id in short,
        }
        for row in found.rows
    ]


def json_of(found: BoundsRows) -> dict[str, Any]:
    """JSON types, as ``companion bounds --json`` prints them; ``shortest`` marks the rows of :meth:`.BoundsRows.shortest`."""
    gains = {
        name: {"lower": each.lower, "upper": each.upper, "noise": math.sqrt(each.noise_variance)}
        for name, each in found.gains.items()
    }
    lines = {"trivial": dict(found.ranges), "blind": dict(found.blind)}
    return {"meta": found.conditions.meta(), "gain": gains, **lines, "rows": _rows(found)}


def records_of(found: BoundsRows) -> list[dict[str, Any]]:
    """One flat record a row: assumptions and symbols as text."""
    flat = []
    for record in _rows(found):
        record["symbols"] = "; ".join(f"{name} = {value:.6g}" for name, value in record["symbols"].items())
        assumptions = record.pop("assumptions")
        for state in ("holds", "trusted", "fails"):
            record[state] = "; ".join(each["text"] for each in assumptions if each["state"] == state)
        for name in ("shortest", "constants", *_BLIND, "restates"):
            record[name] = record.pop(name)  # new columns come last
        flat.append(record)
    return flat


def csv_of(found: BoundsRows) -> str:
    """The records as CSV; numbers that are not there are empty, infinite ones ``inf``."""
    records = records_of(found)
    return csv_bytes({name: [record[name] for record in records] for name in records[0]}).decode()


def frame_of(found: BoundsRows) -> pd.DataFrame:
    """The records as a data frame."""
    import pandas as pd

    return pd.DataFrame(records_of(found))
