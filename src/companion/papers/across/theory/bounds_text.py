"""A table of bounds as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from companion.bounds.trivial import two_digits
from companion.papers.across.problems.common import FARTHEST

if TYPE_CHECKING:
    from companion.papers.across.theory.bounds_table import BoundsTable, Row


#: What f is, for a column of a table.
MODELS = {"prior": "draws", "norm": "norm", "game": "game"}


#: For whom a width is the shortest, see :meth:`~companion.papers.across.theory.bounds_table.BoundsTable.shortest`.
WHOM = {
    "prior": "draws, whatever chose the points",
    "norm": "norm, whatever chose the points",
    "batches": "norm, batches that ignore their values",
}


#: Where there is no line: of draws on a box with rough kernels or several dimensions, of a norm among very many candidates.
UNKNOWN = "–"


def text_of(found: BoundsTable) -> str:
    """Setting, gain, bounds, widths, what does not apply and why, and what is taken on trust."""
    from companion.papers.across.theory.bounds_table import taken_on_trust

    regret, widths = found.of("regret"), found.of("width")
    missing = [*found.of("regret", False), *found.of("width", False)]
    parts = [_setting(found), "", _regret(found, regret), "", _widths(found, widths)]
    if short := found.shortest():
        lines = [(f"  {WHOM[whom]}", _named(row), f"{row.value:.4g}") for whom, row in short.items()]
        parts += ["", aligned(("shortest proved here", "", "at T"), lines, right=(2,))]
    if missing:
        parts += ["", "not applicable here"]
        parts += [f"  {reason}\n    {', '.join(names)}" for reason, names in _reasons(missing).items()]
    parts += ["", "taken on trust"]
    parts += [f"  {text}" for text in taken_on_trust([*regret, *widths])]
    return "\n".join(parts)


def _reasons(rows: Sequence[Row]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row.reason, []).append(row.form.id)
    return found


def _setting(found: BoundsTable) -> str:
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
    if found.gains["regulariser"].noise_variance != bracket.noise_variance:
        other = found.gains["regulariser"]
        lines.append(f"at the regulariser {values['regulariser']:g}: {other.lower:.5g} to {other.upper:.5g}")
    words = {"prior": "for a draw of the prior", "norm": "for a function of the norm", "game": "in the game"}
    known = [f"{found.ranges[m]:.4g} {text}" for m, text in words.items() if math.isfinite(found.ranges[m])]
    lines.append(f"no choices lose more, an evaluation, than {', '.join(known)}")
    blind = [f"{found.blind[m]:.4g} {text}" for m, text in words.items() if math.isfinite(found.blind[m])]
    if blind:
        lines.append(
            f"blind choices lose, on average and at most, {', '.join(blind)}: a bound above is informative in name only"
        )
    return "\n".join(lines)


def _scales(scales: float | list[float]) -> str:
    return ", ".join(f"{s:g}" for s in scales) if isinstance(scales, list) else f"{scales:g}"


def _regret(found: BoundsTable, rows: Sequence[Row]) -> str:
    header = (
        "regret of",
        "from",
        "constants",
        "f",
        "in",
        "at T",
        "/ trivial",
        "/ blind",
        "informative",
        "beats blind choices",
    )
    total = found.conditions.values["horizon"]
    lines = [
        (
            row.form.rule,
            row.form.place,
            row.form.constants,
            MODELS[row.form.model],
            row.form.held(found.conditions.values["delta"]),
            f"{row.value:.4g}",
            _ratio(row.over_trivial),
            _ratio(row.over_blind),
            _from(row.says_from, found.conditions.values["farthest"]),
            _from(row.beats_blind_from, found.conditions.values["farthest"]),
        )
        for row in rows
    ]
    if not lines:
        return f"no regret bound applies at T = {total}"
    near = found.conditions.values["farthest"] == total and any(math.isinf(row.says_from) for row in rows)
    later = f"\nwhether they say something later: --farthest {10**FARTHEST}" if near else ""
    return aligned(header, lines, right=(5, 6, 7)) + later


def _widths(found: BoundsTable, rows: Sequence[Row]) -> str:
    header = ("width of", "from", "constants", "f", "with", "at T", "in the paper")
    shown = {row.form.id for row in rows}
    rows = [row for row in rows if row.form.restates not in shown]  # the same formula by the same object
    lines = [
        (
            row.form.rule,
            row.form.place,
            row.form.constants,
            MODELS[row.form.model],
            row.form.held(found.conditions.values["delta"]),
            f"{row.value:.4g}",
            ", ".join(f"{name} = {value:.4g}" for name, value in list(row.symbols.items())[:1]),
        )
        for row in rows
    ]
    return aligned(header, lines, right=(5,))


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


def aligned(header: Sequence[str], lines: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Columns of text, those of ``right`` to the right."""
    cells = [tuple(header), *[tuple(line) for line in lines]]
    widths = [max(len(line[column]) for line in cells) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )
