"""``companion audit``: verdicts on anybody's table, by margins from a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from companion.cli.arguments import text
from companion.cli.show import TABLE, TableOutput, number, table
from companion.core.errors import ParameterError

if TYPE_CHECKING:
    from companion.judge.audit import Audit


def execute(
    reported: Annotated[str, text("REPORTED", "CSV file: problem, method, metric, mean; spread, n_runs")],
    reproduced: Annotated[str, text("REPRODUCED", "CSV file: one row a run, or mean, sd and n")],
    margins: Annotated[str, text("MARGINS", "TOML file: how far apart two numbers may be")],
    /,
    *,
    output: TableOutput = TABLE,
) -> int:
    """Judge the numbers of any table against a rerun's, by margins from a file.

    Example: companion audit reported.csv reproduced.csv margins.toml
    """
    for name, path in (("REPORTED", reported), ("REPRODUCED", reproduced), ("MARGINS", margins)):
        if not os.path.isfile(path):  # before a library is missed
            raise ParameterError(name, f"{path} is not there", "a file")
    from companion.judge.audit import audit

    found = audit(Path(reported), Path(reproduced), Path(margins))
    rows = (dict(zip(COLUMNS, _row(cell), strict=True)) for cell in found.cells)
    return output.give(found.to_dict(), lambda: _text(found), rows)


def _text(found: Audit) -> str:
    from companion.judge import multiple_testing

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
