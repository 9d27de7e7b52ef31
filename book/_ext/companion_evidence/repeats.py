"""How surely a number of runs shows which of two methods is better: a line for every problem of a paper."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes

from companion.papers.across import repeat_runs
from companion_evidence import markup

HEADER = ("Problem", "Order", "Runs", "Probability, common seeds", "Probability, seeds of their own", "Runs for 90 %")


def lines(paper: str, root: Path) -> list[nodes.Node]:
    """The table, and where its numbers come from."""
    rows = []
    for found in repeat_runs.table(paper, root).to_dict("records"):
        enough = f"about {found['needed']:.0f}" if found["needed"] > 0 else f"over {repeat_runs.MOST}, or never"
        cells = (
            markup.cell(found["problem"]),
            markup.cell(f"{found['better']} ahead of {found['worse']}"),
            *(
                markup.cell(text, classes=("number",))
                for text in (
                    f"{found['runs']}",
                    *(f"{100 * found[name]:.0f} %" for name in ("together", "apart")),
                    enough,
                )
            ),
        )
        rows.append(markup.row(cells))
    return [markup.table(HEADER, rows), nodes.raw("", repeat_runs.where(paper, root).html(), format="html")]
