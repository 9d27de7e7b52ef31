"""Chapter 2 in two sentences, for the first page of the book; every number is read from the stored evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Entries = Sequence[Mapping[str, Any]]


def headline(ledger: Entries, verdicts: Entries, leads: Entries) -> str:
    """Whether the two main theorems stand as printed, and whether any reading of the rule makes the paper's figures."""
    values = {entry["id"]: entry["values"] for entry in leads}
    judged = [entry["readings"] for entry in verdicts if entry["kind"] == "claim" and "readings" in entry]
    readings = list(dict.fromkeys(name for found in judged for name in found))
    complete = [name for name in readings if all(found[name]["verdict"] == "holds" for found in judged)]
    status = {entry["id"]: entry["status"] for entry in ledger}
    improvement = "false as printed" if status["theorem-3.4"] == "fails" else "not refuted"
    needed = f"{values['S3']['needed']:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return (
        f"The dictionary stays finite, but for the exponential kernel in one dimension it grows like $u^{{-p}}$ with "
        f"$p={values['S6']['power']:.1f}$, not $1$; the regret bound under expected improvement is {improvement}. With the "
        f"printed constants nothing can be rejected before {needed} points are kept, and of {len(readings)} readings of the "
        f"rule {len(complete) or 'none'} {'has' if len(complete) < 2 else 'have'} all that the figures are said to show."
    )
