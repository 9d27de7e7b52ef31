"""Chapter 1 in two sentences, for the first page of the book; every number is read from the stored evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Entries = Sequence[Mapping[str, Any]]
METHOD = "ts-rsr"


def headline(ledger: Entries, verdicts: Entries, leads: Entries) -> str:
    """What the bound is worth at the paper's noise level, and on how many problems TS-RSR has the lowest mean."""
    ranks = [entry["rank"] for entry in verdicts if entry["kind"] == "cell" and entry["method"] == METHOD]
    first = {name: sum(rank.get(name) == 1 for rank in ranks) for name in ("printed", "code", "text")}
    least = next(entry for entry in leads if entry["id"] == "E5")["values"]["least"]
    return (
        f"In each of the paper's experiments the regret bound is at least {least:.0f} times the trivial one. "
        f"Of {len(ranks)} problems TS-RSR has the lowest mean on {first['printed']} in print, on {first['code']} in "
        f"experiments run as the published code has them, and on {first['text']} run as the text has them."
    )
