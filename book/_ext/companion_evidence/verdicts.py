"""What the verdicts' page shows: reported beside reproduced numbers, then the claims that a paper makes in words."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes

from companion.core.files import read_rows
from companion.judge import multiple_testing
from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS, FAR, far_apart
from companion.papers.across.page import repeat_runs
from companion_evidence import common, markup
from companion_evidence.data import Chapter, Stored, chapters

Entry = Mapping[str, Any]
#: Fields that have their own place; a further one is shown under its name.
PLACED = {
    *("paper", "source", "cell", "metric", "kind", "reported", "reproduced", "difference", "margin", "verdict"),
    *("what", "reason", "record", "unit", "note", "parts", "claim", "how_to_test", "assumption", "if_spread_as_ours"),
    *("smallest_margin", "smallest_margin_in_sd", "power", "power_limit", "whose", "also_different", "p_value"),
    *(
        "several",
        "ordering",
        "one_outcome",
        "one_outcome_reason",
        "never_equivalent",
        "interval_of",
        "opponent",
        "repeats",
    ),
}


def changed_tests(root: Path) -> common.Made:
    """Tests that were changed after a first look at their verdicts, each leading to the claim as it stands now."""
    rows = [row for _, row in read_rows(root / "data" / "reported" / "changed_tests.csv")[1]]
    return common.render("changed", rows=rows, chapters={chapter.paper: chapter for chapter in chapters(root)}), []


def runs(root: Path, paper: str) -> common.Made:
    """How surely a paper's number of runs shows the order of its two best methods, and where that is from."""
    rows = repeat_runs.table(paper, root).to_dict("records")
    where = nodes.raw("", repeat_runs.provenance(paper, root).html(), format="html")
    return [*common.render("repeats", rows=rows, most=repeat_runs.MOST), where], []


def shown(root: Path, chapter: Chapter, files: Mapping[str, Stored]) -> dict[str, Any]:
    """What the template asks for."""
    entries = files["verdicts"].entries
    cells = common.of_kind(entries, "cell")  # each printed number once
    conditional = [assumed(entry) for entry in cells if assumed(entry)]
    limits = [limit(entry) for entry in [*cells, *conditional]]
    return {
        "cells": cells,
        "rows": [entry for entry in entries if entry["kind"] == "cell"],
        "far": far_apart(cells),
        "FAR": FAR,
        "conditional": conditional,
        "claims": {kind: common.of_kind(entries, kind) for kind in ("claim", "question")},
        "said": {field: {str(entry[field]) for entry in cells if entry.get(field)} for field in SAID},
        "fixed": sum(bool(entry.get("one_outcome")) for entry in cells),
        "never": sum(bool(entry.get("never_equivalent")) for entry in cells),
        "smallest": min((value for value in limits if value is not None), default=None),
        "several": multiple_testing.counts,
        "CELL_VERDICTS": CELL_VERDICTS,
        "CLAIM_VERDICTS": CLAIM_VERDICTS,
        "WAYS": multiple_testing.WAYS,
        **{used.__name__: used for used in _USED},
    }


#: Fields that are said once, above the numbers, where all of them say the same.
SAID = ("assumption", "power_limit", "power")


def assumed(entry: Entry) -> Entry:
    """The verdict under an assumption about the spread that the paper does not print; empty where there is none."""
    found = entry.get("if_spread_as_ours")
    return found if isinstance(found, Mapping) else {}


def limit(entry: Entry) -> float | None:
    """Smallest margin, in standard deviations, within which these runs could show an equivalence."""
    value = entry.get("smallest_margin_in_sd")
    return float(value) if isinstance(value, int | float) else None


def unit_of(entry: Entry) -> str:
    """The unit that both numbers are in: ``s``, or ``× 0.01`` where a table is printed in hundredths."""
    unit = str(entry.get("unit") or "")
    try:
        scale = float(unit)
    except ValueError:
        return unit
    return "" if scale == 1 else f"× {unit}"


def interval(difference: Entry | None) -> str:
    """Both ends; one end that a file holds as null is infinite."""
    ends = (difference or {}).get("ci95")
    if not ends or ends == [None, None]:
        return markup.number(None)
    low = markup.number(ends[0], 4, absent="\N{MINUS SIGN}\N{INFINITY}")
    high = markup.number(ends[1], 4, absent="\N{INFINITY}")
    return f"[{low}, {high}]"


def quantity(entry: Entry) -> str:
    """What the interval of a claim is of; empty where that is the number under *Ours*, or nothing more is known."""
    ends = (entry["difference"] or {}).get("ci95")
    if not ends or ends == [None, None]:
        return ""
    if entry.get("interval_of"):
        return str(entry["interval_of"])
    ours = (entry["reproduced"] or {}).get("mean")
    low, high = -math.inf if ends[0] is None else ends[0], math.inf if ends[1] is None else ends[1]
    within = ours is not None and low <= ours <= high
    return "of the test named beside it" if deciding(entry) and not within else ""


def further(entry: Entry) -> dict[str, Any]:
    """Fields of an entry, or of a part of one, that have no place of their own."""
    return {name: value for name, value in entry.items() if name not in PLACED and value not in (None, "", {}, [])}


def deciding(entry: Entry) -> str:
    """The test of a claim whose numbers stand in its row: of several, the first that came out like the claim."""
    return next((str(part["what"]) for part in entry.get("parts", ()) if part["verdict"] == entry["verdict"]), "")


def titled(cell: str) -> str:
    """The cell of a table in words: ``example_1d, UCB/compressed`` without what is meant for programs."""
    return common.sentence(cell.replace("_", " ").replace("/", ", ")) if "_" in cell or "/" in cell else cell


def anchor(entry: Entry) -> str:
    """A claim by its name; a cell by six digits that stand for table, cell and quantity: short, and the same in any order."""
    if entry["kind"] == "claim":
        return common.place(entry["cell"])
    told = f"{entry['source']} {entry['cell']} {entry['metric']}"
    return f"n-{hashlib.sha256(told.encode()).hexdigest()[:6]}"


def apart(entry: Entry) -> str:
    """By how many standard errors a number that cannot be tested is away under the assumption; empty where that is not far."""
    return f"{abs(assumed(entry)['standard_errors']):.1f} standard errors apart" if far_apart([entry]) else ""


_USED = (apart, assumed, limit, unit_of, interval, quantity, deciding, further, titled, anchor)
