"""Owner of a statement, claim or question, the paper or the companion, and the statements that can fail: counted apart.

One rule for all papers. A claim of ``claims.csv`` says it in the column ``whose``; a claim that is in no such file is a
question of the companion's; a statement of the ledger is the companion's where its location says so. Stored entries carry
the answer in the field ``whose``.

A statement that says something, so that it could be false, is a *claim*; a definition, an assumption or an algorithm is a
*premise*: what a check finds there is a slip, never a refutation. Which is which says ``role`` of the paper's inventory. All
pages, commands and exports count by :func:`count`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.checks.statement import FAILS, ROLES, STATUSES

PAPER, COMPANION = "paper", "companion"
WHOSE = (PAPER, COMPANION)
#: How the location of a statement begins, in lower case, that is the companion's and not the paper's.
OWN = ("ours", "the companion's")


def of_location(location: str) -> str:
    """Owner of a statement of the ledger, by its place."""
    return COMPANION if location.lower().startswith(OWN) else PAPER


def whose(entry: Mapping[str, Any]) -> str:
    """Owner of a stored statement, cell or claim; of older entries by location or source."""
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


#: Parts of a ledger; the words are those of the pages.
CLAIM, PREMISE = PARTS = (ROLES[0], "premise")
WORDS = {CLAIM: "statements that could be false", PREMISE: "definitions, assumptions and algorithms"}


def part(entry: Mapping[str, Any]) -> str:
    """:data:`CLAIM` or :data:`PREMISE`, by the entry's ``role``; entries older than the field are claims."""
    return CLAIM if entry.get("role", CLAIM) == CLAIM else PREMISE


def of_part(entries: Iterable[Mapping[str, Any]], wanted: str) -> list[Any]:
    """Only the claims, or only the premises, in their order."""
    return [entry for entry in entries if part(entry) == wanted]


@dataclass(frozen=True)
class Count:
    """Outcomes of a ledger's statements.

    Parameters
    ----------
    claims, premises : how many have which status
    unnumbered : of the claims that fail, those to which the paper gives no number
    """

    claims: Counter[str]
    premises: Counter[str]
    unnumbered: int

    @property
    def total(self) -> int:
        """All of them: every entry is in one of the two parts."""
        return self.claims.total() + self.premises.total()

    def __add__(self, other: Count) -> Count:
        """Of two papers together."""
        return Count(self.claims + other.claims, self.premises + other.premises, self.unnumbered + other.unnumbered)

    def __str__(self) -> str:
        """In sentences, the same wherever the count is told."""
        holding, mended, failing, rest = (self.claims[status] for status in STATUSES)
        return (
            f"Of {self.total} statements, numbered or not, {self.claims.total()} say something that could be false. {holding} "
            f"of them hold as printed, {mended} with another constant or condition, {failing} fail, and {rest} are not "
            f"checkable. Of those that fail, {self.unnumbered} have no number in the paper. The other "
            f"{self.premises.total()} are definitions, assumptions and algorithms."
        )


def count(entries: Iterable[Mapping[str, Any]]) -> Count:
    """The paper's own statements, counted; those of the companion are left out."""
    own = of_paper(entries)
    claims, premises = (Counter(str(entry["status"]) for entry in of_part(own, name)) for name in PARTS)
    failing = [entry for entry in of_part(own, CLAIM) if entry["status"] == FAILS]
    return Count(claims, premises, sum(not entry.get("numbered") for entry in failing))
