"""The record on the first page: a line of counts for every paper, from its stored evidence, each leading to what it counts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from companion.reproduce.consequence import ERRORS
from companion.reproduce.ownership import of_paper
from companion_evidence import common, data

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


def lines(root: Path) -> common.Made:
    """The table, and what is wrong; a chapter without evidence says how to make it."""
    rows, faults = [], list[str]()
    for chapter in (known for known in data.chapters(root) if not known.above):
        files = {name: data.load(root, chapter, name) for name in data.NAMES}
        leads = files["discrepancies"].entries
        judged, wrong = common.amounts(root, chapter, files)
        faults += wrong if all(file.record for file in files.values()) else []
        statements = Counter(entry["status"] for entry in of_paper(files["ledger"].entries))
        claims = Counter(entry["verdict"] for entry in common.of_kind(files["verdicts"].entries, "claim"))
        ledger, verdicts, errors = (common.page_of(name, chapter) for name in data.NAMES)
        cells = [(statements[status], ledger, f"?whose=paper&status={status}") for status in STATEMENTS]
        cells += [(claims[verdict], verdicts, f"?kind=claim&verdict={verdict}") for verdict in CLAIMS]
        if judged is not None:
            causes = common.amounting(judged, leads, "causes")
            cells += [(causes.get(name, 0), errors, "") for name in CAUSES]
        confirmed = sum(entry["confirmed"] for entry in leads)
        rows.append({"chapter": chapter, "files": files, "cells": cells, "confirmed": confirmed, "errors": errors})
    header = ("Chapter", *STATEMENTS.values(), *CLAIMS.values(), *CAUSES.values())
    return common.render("summary", rows=rows, header=header), faults
