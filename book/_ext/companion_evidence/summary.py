"""The record on the first page: a line of counts for every paper, from its stored evidence, each leading to what it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from docutils import nodes

from companion.reproduce.consequence import ERRORS
from companion.reproduce.ownership import of_paper
from companion_evidence import common, links, markup
from companion_evidence.data import NAMES, Chapter, Stored

#: Columns: what is counted, as the statuses of statements, the verdicts on claims and the amounts of errors have it.
STATEMENTS = {
    "holds": "Statements hold",
    "holds-with-corrected-constant": "corrected",
    "fails": "fail",
    "not-checkable": "not checkable",
}
CLAIMS = {
    "holds": "Claims hold",
    "contradicted": "contradicted",
    "undecided": "undecided",
    "not-testable": "not testable",
}
CAUSES = dict(zip(ERRORS, ("Errors of substance", "of constants", "misprints"), strict=True))
HEADER = ("Chapter", *STATEMENTS.values(), *CLAIMS.values(), *CAUSES.values())


def row(root: Path, chapter: Chapter, files: Mapping[str, Stored]) -> tuple[nodes.row, list[str]]:
    """One chapter's line, and what is wrong; a chapter without evidence says how to make it."""
    # What stands after the colon explains the method; here its name is enough.
    name = markup.cell(f"{chapter.number}. ", links.to_page(chapter.title.split(":")[0], chapter.page))
    missing = next((found for found in (common.absent(chapter, files[kind]) for kind in NAMES) if found), None)
    if missing is not None:
        return markup.row([name, markup.cell(missing, columns=len(HEADER) - 1)]), []
    statements = Counter(entry["status"] for entry in of_paper(files["ledger"].entries))
    claims = Counter(entry["verdict"] for entry in common.of_kind(files["verdicts"].entries, "claim"))
    ledger, verdicts = (common.page_of(name, chapter) for name in ("ledger", "verdicts"))
    cells = [_count(statements[s], ledger, query=f"?whose=paper&status={s}") for s in STATEMENTS]
    cells += [_count(claims[v], verdicts, query=f"?kind=claim&verdict={v}") for v in CLAIMS]
    errors, faults = _errors(root, chapter, files)
    return markup.row([name, *cells, *errors]), faults


def _errors(root: Path, chapter: Chapter, files: Mapping[str, Stored]) -> tuple[list[nodes.entry], list[str]]:
    """Causes of confirmed errors by what they amount to; only how many were confirmed, where nobody has judged them."""
    leads, page = files["discrepancies"].entries, common.page_of("discrepancies", chapter)
    rows, faults = common.amounts(root, chapter, files)
    if rows is None:
        confirmed = sum(entry["confirmed"] for entry in leads)
        told = links.to_page(f"{confirmed} confirmed", page)
        return [markup.cell(told, columns=len(CAUSES))], faults
    counts = common.amounting(rows, leads, "causes")
    return [_count(counts.get(name, 0), page) for name in CAUSES], faults


def _count(count: int, page: str, *, query: str = "") -> nodes.entry:
    """A number that leads to what it counts; none leads nowhere."""
    shown: str | nodes.Node = links.to_page(str(count), page, query=query) if count else "0"
    return markup.cell(shown, classes=("number",))
