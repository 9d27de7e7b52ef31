"""What the ledger's page shows: one statement a row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.checks.statement import STATUSES
from companion.judge.ownership import WORDS, count, of_companion, of_paper, of_part, part
from companion_evidence import markup
from companion_evidence.data import Chapter, Stored

#: What the two sides are, where they are not the sides of a formula.
SIDES = {"probability": ("rate of failure", "allowed rate"), "rate": ("exponent", "exponent")}


def shown(root: Path, chapter: Chapter, files: Mapping[str, Stored]) -> dict[str, Any]:
    """What the template asks for; statements link to the discrepancies that are about them."""
    entries = files["ledger"].entries
    return {
        "owners": {
            **{f"{words}, the paper's": of_part(of_paper(entries), name) for name, words in WORDS.items()},
            "the companion's own statements": of_companion(entries),
        },
        "unnumbered": count(entries).unnumbered,
        "part": part,
        "caught": [tooth["caught"] for entry in entries for tooth in entry["teeth"]],
        "blunt": sum("blunt" in entry for entry in entries),
        "titles": {entry["id"]: str(entry["title"]) for entry in entries},
        "leads": files["discrepancies"].entries,
        "slack": slack,
        "SIDES": SIDES,
        "STATUSES": STATUSES,
    }


def slack(entry: Mapping[str, Any]) -> str:
    """Right side over left side; files hold null for an infinite one, which needs a left side of zero.

    Where the left side is negative the ratio says nothing, and none is shown.
    """
    if entry["lhs"] is not None and entry["lhs"] < 0:
        return markup.number(None)
    if entry["slack"] is None and entry["lhs"] == 0 and entry["rhs"]:
        return markup.number(math.copysign(math.inf, entry["rhs"]))
    return markup.number(entry["slack"], 3)
