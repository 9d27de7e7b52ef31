"""Chapter 3 in two sentences, for the first page of the book; every number is read from the stored evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Entries = Sequence[Mapping[str, Any]]


def headline(ledger: Entries, verdicts: Entries, leads: Entries) -> str:
    """How the theory stands, and what becomes of the claim that fewer batches have less regret."""
    values = next(entry for entry in leads if entry["id"] == "E5")["values"]
    found = list(values["outcomes"].values())
    failing = sum(entry["status"] == "fails" for entry in ledger)
    gap = values["gaps"]["matern32"]["1000"]
    return (
        f"Upper and lower bounds hold up to constants; of {len(ledger)} statements {failing} need another repair. Tables 2 "
        f"and 3 show less regret with fewer batches: of these {len(found)} comparisons {found.count('holds')} hold and "
        f"{found.count('contradicted')} are contradicted, and in Table 2 two rows of the same method differ by {gap:.0f}."
    )
