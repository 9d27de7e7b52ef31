"""What was found, on one screen: a line for every paper, from its stored evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from docutils import nodes

from companion.checks.statement import STATUSES
from companion.reproduce.consequence import ERRORS
from companion.reproduce.verdict import CLAIM_VERDICTS
from companion.reproduce.whose import of_paper
from companion_evidence import common, links, markup
from companion_evidence.data import NAMES, Chapter, Stored

HEADER = ("Chapter", "What was found", "The paper's statements", "The paper's claims", "Causes of errors")
#: Of several, where the value itself speaks of one.
SEVERAL = {"holds": "hold", "holds-with-corrected-constant": "hold when corrected", "fails": "fail as printed"}


def row(
    root: Path, chapter: Chapter, files: Mapping[str, Stored], told: Sequence[nodes.Node]
) -> tuple[nodes.row, list[str]]:
    """One chapter's line with what is ``told`` of it, and what is wrong; a chapter without evidence says how to make it."""
    name = markup.cell(f"{chapter.number}. ", links.to_page(chapter.title, chapter.page))
    missing = next((found for found in (common.absent(chapter, files[kind]) for kind in NAMES) if found), None)
    if missing is not None:
        return markup.row([name, markup.cell(missing, columns=len(HEADER) - 1)]), []
    errors, faults = _errors(root, chapter, files)
    claims = common.of_kind(files["verdicts"].entries, "claim")
    statements = common.counted(of_paper(files["ledger"].entries), "status", STATUSES)
    return markup.row(
        [
            name,
            markup.cell(*told),
            _counts(statements, common.LEDGER, f"?paper={chapter.paper}&whose=paper&status="),
            _counts(
                common.counted(claims, "verdict", CLAIM_VERDICTS),
                common.VERDICTS,
                f"?paper={chapter.paper}&kind=claim&verdict=",
            ),
            errors,
        ]
    ), faults


def _errors(root: Path, chapter: Chapter, files: Mapping[str, Stored]) -> tuple[nodes.entry, list[str]]:
    """Causes of confirmed errors by what they amount to; only how many were confirmed, where nobody has judged them."""
    leads = files["discrepancies"].entries
    place = f"discrepancies-{chapter.paper}"
    rows, faults = common.amounts(root, chapter, files)
    if rows is None:
        confirmed = sum(entry["confirmed"] for entry in leads)
        return markup.cell(links.to_page(f"{confirmed} confirmed", common.DISCREPANCIES, place)), faults
    counts = common.amounting(rows, leads, "causes")
    parts: list[str | nodes.Node] = []
    for name in ERRORS:
        if counts.get(name):
            words = (common.AMOUNTS if counts[name] == 1 else common.SEVERAL_AMOUNTS)[name]
            parts += [", "] if parts else []
            parts.append(links.to_page(f"{counts[name]}\N{NO-BREAK SPACE}{words}", common.DISCREPANCIES, place))
    return markup.cell(*(parts or ["none"])), faults


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
