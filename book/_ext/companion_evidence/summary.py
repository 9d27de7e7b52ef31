"""What was found, on one screen: a line for every paper, from its stored evidence."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from docutils import nodes

from companion import papers
from companion.bounds.statement import STATUSES
from companion.reproduce.verdict import CLAIM_VERDICTS
from companion_evidence import common, links, markup
from companion_evidence.data import NAMES, Chapter, Stored

HEADER = ("Chapter", "What was found", "Statements", "Claims", "Errors found")
#: Of several, where the value itself speaks of one.
SEVERAL = {"holds": "hold", "holds-with-corrected-constant": "hold when corrected", "fails": "fail as printed"}


def row(root: Path, chapter: Chapter, files: Mapping[str, Stored]) -> tuple[nodes.row, list[str]]:
    """One chapter's line, and what is wrong with its text; a chapter without evidence says how to make it."""
    name = markup.cell(f"{chapter.number}. ", links.to_page(chapter.title, chapter.page))
    missing = next((found for found in (common.absent(chapter, files[kind]) for kind in NAMES) if found), None)
    if missing is not None:
        return markup.row([name, markup.cell(missing, columns=len(HEADER) - 1)]), []
    entries = [files[kind].entries for kind in NAMES]
    faults: list[str] = []
    told = papers.module(chapter.paper, "headline") if chapter.paper in papers.having("headline") else None
    found = [] if told is None else common.text(told.headline(*entries), files["ledger"], "headline", faults)
    confirmed = sum(entry["confirmed"] for entry in files["discrepancies"].entries)
    errors = links.to_page(str(confirmed), common.DISCREPANCIES, f"discrepancies-{chapter.paper}")
    claims = common.of_kind(files["verdicts"].entries, "claim")
    statements = common.counted(files["ledger"].entries, "status", STATUSES)
    return markup.row(
        [
            name,
            markup.cell(*found),
            _counts(statements, common.LEDGER, f"?paper={chapter.paper}&status="),
            _counts(
                common.counted(claims, "verdict", CLAIM_VERDICTS),
                common.VERDICTS,
                f"?paper={chapter.paper}&kind=claim&verdict=",
            ),
            markup.cell(errors, classes=("number",)),
        ]
    ), faults


def _counts(counts: Mapping[str, int], page: str, query: str) -> nodes.entry:
    """Counts, each a link to what it counts."""
    parts: list[str | nodes.Node] = []
    for value, count in counts.items():
        parts += [", "] if parts else []
        parts += [
            links.to_page(
                f"{count}\N{NO-BREAK SPACE}{SEVERAL.get(value, markup.words(value))}", page, query=query + value
            )
        ]
    return markup.cell(*parts)
