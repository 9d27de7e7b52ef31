"""Whose a statement, claim or question is: the paper's, or the companion's. Counts never mix the two.

One rule for all papers. A claim of ``claims.csv`` says it in the column ``whose``; a claim that is in no such file is a
question of the companion's; a statement of the ledger is the companion's where its location says so. Stored entries carry
the answer in the field ``whose``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

PAPER, COMPANION = "paper", "companion"
WHOSE = (PAPER, COMPANION)
#: How the location of a statement begins, in lower case, that is the companion's and not the paper's.
OWN = ("ours", "the companion's")


def of_location(location: str) -> str:
    """Whose a statement of the ledger is, by where it stands."""
    return COMPANION if location.lower().startswith(OWN) else PAPER


def whose(entry: Mapping[str, Any]) -> str:
    """Whose a stored statement, cell or claim is; entries older than the field are told by location or source."""
    said = entry.get("whose")
    if said in WHOSE:
        return str(said)
    if "location" in entry:
        return of_location(str(entry["location"]))
    return COMPANION if entry.get("source") == COMPANION else PAPER


def of_paper(entries: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Only what is the paper's, in its order."""
    return [entry for entry in entries if whose(entry) == PAPER]


def of_companion(entries: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Only what is the companion's own, in its order."""
    return [entry for entry in entries if whose(entry) == COMPANION]
