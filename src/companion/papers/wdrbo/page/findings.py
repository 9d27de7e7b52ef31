"""Differences of paper and companion, and of text and code; every number is read from stored results."""

from __future__ import annotations

import pandas as pd

from companion.judge.reported import load_differences
from companion.pages import Numbers, recorded, table
from companion.pages.evidence import Checked
from companion.papers.wdrbo.experiments.printed import TITLE_OF

#: Entries of the ledger that suppose a posterior variance, divided by lambda, of at most one.
WIDE = ("thm-5", "thm-9", "thm-16", "thm-16-i", "thm-16-ii")
#: Holds in a form that is not the printed one.
LOOSE = "lemma-7"


def repair_numbers(checked: Checked) -> Numbers:
    """Number of entries of the ledger that need a repair, that need it for one reason, and that state a probability."""
    entries = {entry["id"]: entry for entry in checked.ledger}
    mended = [name for name, entry in entries.items() if entry["status"] not in ("holds", "not-checkable")]
    likely = [e for e in entries.values() if e["kind"] == "probability" and e["status"] == "holds"]
    loose = entries.get(LOOSE, {})
    return Numbers(
        checked.where,
        mended=len(mended),
        wide=sum(name in mended for name in WIDE),
        likely=len(likely),
        lemma_7=loose.get("status") == "holds" and bool(loose.get("reason")),
    )


@recorded(random=False)
def difference_rows() -> pd.DataFrame:
    """Differences between the text and the published code, item by item."""
    rows = load_differences("wdrbo", ("text", "code"))
    return rows.assign(problem=rows.problem.replace(TITLE_OF))


differences = table(difference_rows)
