"""``companion audit``: verdicts on anybody's table, by margins from a file."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.cli.show import give, number, table
from companion.reproduce import multiple_testing
from companion.reproduce.audit import Audit, audit


def execute(options: argparse.Namespace) -> int:
    """Judge the table and print it as text, JSON or CSV."""
    found = audit(Path(options.reported), Path(options.reproduced), Path(options.margins))
    rows = (dict(zip(COLUMNS, _row(cell), strict=True)) for cell in found.cells)
    return give(options, found.to_dict(), lambda: _text(found), rows)


def _text(found: Audit) -> str:
    header = ("problem", "method", "metric", "reported", "reproduced", "difference", "interval", "margin", "verdict")
    rows = [
        (
            *(cell[name] for name in header[:3]),
            number(cell["reported"]["mean"]),
            number(cell["reproduced"]["mean"]),
            number(cell["difference"]["mean"]),
            " to ".join(map(number, cell["difference"]["interval"] or ())) or "-",
            number(cell["margin"]),
            cell["verdict"] + (", yet different" if cell["also_different"] else ""),
        )
        for cell in found.cells
    ]
    content = found.to_dict()
    lines = [table(header, rows), ", ".join(f"{count} {word}" for word, count in content["verdicts"].items())]
    tests = content["several"]
    if tests["tests"]:
        plain, by_rate, by_holm = (tests[way] for way in multiple_testing.WAYS)
        lines.append(
            f"of {tests['tests']} tested {plain} differ at 5 % each by itself, {by_rate} corrected after Benjamini and "
            f"Hochberg, {by_holm} after Holm"
        )
    if found.missing:
        lines.append(f"reported and not reproduced: {'; '.join(', '.join(key) for key in found.missing)}")
    shown = (
        "margins older than the runs: " if found.order.shown else "not shown that the margins are older than the runs: "
    )
    return "\n".join([*lines, shown + found.order.reason])


#: Of the table that ``--csv`` prints.
COLUMNS = (
    *("problem", "method", "metric", "unit"),
    *("reported_mean", "reported_spread", "spread_kind", "reported_n"),
    *("reproduced_mean", "reproduced_sd", "reproduced_n"),
    *("difference", "low", "high", "margin", "smallest_margin", "p_value", "p_holm"),
    *("verdict", "also_different", "reason"),
)


def _row(cell: Mapping[str, Any]) -> list[Any]:
    printed, ours = cell["reported"], cell["reproduced"]
    return [
        *(cell[name] for name in COLUMNS[:4]),
        *(printed[name] for name in ("mean", "spread", "spread_kind", "n")),
        *(ours[name] for name in ("mean", "sd", "n")),
        cell["difference"]["mean"],
        *(cell["difference"]["interval"] or (None, None)),
        *(cell[name] for name in ("margin", "smallest_margin", "p_value")),
        cell.get("several", {}).get("p_holm"),
        *(cell[name] for name in ("verdict", "also_different", "reason")),
    ]
