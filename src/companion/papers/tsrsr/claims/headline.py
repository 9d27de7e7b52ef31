"""Chapter 1 in two sentences, for the first page of the book; every number is read from the stored evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Entries = Sequence[Mapping[str, Any]]
METHOD = "ts-rsr"


def headline(ledger: Entries, verdicts: Entries, leads: Entries) -> str:
    """What the bound is worth at the paper's noise level, and on how many problems TS-RSR has the lowest mean."""
    ranks = [entry["rank"] for entry in verdicts if entry["kind"] == "cell" and entry["method"] == METHOD]
    printed = sum(rank.get("printed") == 1 for rank in ranks)
    found = next(entry for entry in verdicts if entry["cell"] == "first-in-eleven").get("firsts", {})
    least = next(entry for entry in leads if entry["id"] == "E5")["values"]["least"]
    told = {reading: _firsts(found[reading]) for reading in ("text", "code") if reading in found}
    parts = [f"on {printed} in print"]
    if "text" in told:
        parts.append(f"on {told['text']} when the experiments are run as the text has them")
    if "code" in told:
        parts.append(f"on {told['code']} when they are run as the published code has them")
    return (
        f"In each of the paper's experiments the regret bound is at least {least:.0f} times the trivial one. "
        f"Of {len(ranks)} problems TS-RSR has the lowest mean {_listed(parts)}."
    )


def _firsts(found: Mapping[str, Any]) -> str:
    """A number of first places, its interval, and how many of them are beyond doubt."""
    return f"{found['count']} (95 % interval {found['low']} to {found['high']}; {found['beyond']} beyond doubt)"


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + (", and " if len(parts) > 1 else "") + parts[-1]
