"""The record on the first page: a line of counts for every paper, from its stored evidence, each leading to what it counts."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from companion.judge.consequence import ERRORS, told
from companion.judge.ownership import CLAIM, PREMISE, Count, count
from companion_evidence import common, data

#: Columns: what is counted, as the statuses of statements, the verdicts on claims and the amounts of errors have it.
STATEMENTS = {
    "holds": "Statements hold",
    "holds-with-corrected-constant": "corrected",
    "fails": "fail",
    "not-checkable": "not checkable",
}
PREMISES = "Defined or assumed"
CLAIMS = {
    "holds": "Claims hold",
    "contradicted": "contradicted",
    "undecided": "undecided",
    "not-testable": "not testable",
}
CAUSES = dict(zip(ERRORS, ("Errors of substance", "of constants", "misprints"), strict=True))


def lines(root: Path) -> common.Made:
    """The table, and what is wrong; a chapter without evidence says how to make it."""
    rows, faults = list[dict[str, Any]](), list[str]()
    counted, suspicions = list[Count](), list[Any]()
    for chapter in (known for known in data.chapters(root) if not known.above):
        files = {name: data.load(root, chapter, name) for name in data.NAMES}
        leads = files["discrepancies"].entries
        judged, wrong = common.amounts(root, chapter, files)
        faults += wrong if all(file.record for file in files.values()) else []
        statements = count(files["ledger"].entries)
        claims = Counter(entry["verdict"] for entry in common.of_kind(files["verdicts"].entries, "claim"))
        ledger, verdicts, errors = (common.page_of(name, chapter) for name in data.NAMES)
        counted.append(statements)
        suspicions += leads
        asked = f"?whose=paper&role={CLAIM}&status="
        cells = [(statements.claims[status], ledger, f"{asked}{status}") for status in STATEMENTS]
        cells.append((statements.premises.total(), ledger, f"?whose=paper&role={PREMISE}"))
        cells += [(claims[verdict], verdicts, f"?kind=claim&verdict={verdict}") for verdict in CLAIMS]
        if judged is not None:
            causes = common.amounting(judged, leads, "causes")
            cells += [(causes.get(name, 0), errors, "") for name in CAUSES]
        confirmed = sum(entry["confirmed"] for entry in leads)
        rows.append({"chapter": chapter, "files": files, "cells": cells, "confirmed": confirmed, "errors": errors})
    header = ("Chapter", *STATEMENTS.values(), PREMISES, *CLAIMS.values(), *CAUSES.values())
    whole = all(file.record for row in rows for file in row["files"].values())
    said = [str(reduce(add, counted)), told(suspicions)] if rows and whole else []
    return common.render("summary", rows=rows, header=header, said=said), faults
