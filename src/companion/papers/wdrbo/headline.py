"""Chapter 5 in two sentences, for the first page of the book; every number is read from the stored evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Entries = Sequence[Mapping[str, Any]]
SAID = {"holds": "holds", "contradicted": "is contradicted"}


def headline(ledger: Entries, verdicts: Entries, leads: Entries) -> str:
    """Where the regret bound and its radius stand, and whether a ball around the told law pays."""
    values = {entry["id"]: entry["values"] for entry in leads}
    found = {entry["cell"]: entry for entry in verdicts if entry["kind"] == "claim"}
    asked = found["question-robustness"]["outcomes"]
    said = SAID.get(found["robust-beats-nonrobust"]["verdict"], "is left open")
    return (
        f"The bound on the regret is exceeded for regularisers below {values['E2']['violated_below']:.4f}, and its radius "
        f"after a hundred contexts is {values['E20']['theory']:.0f} times the largest distance of two contexts. That WDRBO "
        f"beats the same method without a ball in the paper's example {said}; without a shift it is shown to be "
        f"{_told(asked['data-driven, all rounds'])} problems, with other shifts {_told(asked['wdrbo, shifted'])} cases."
    )


def _told(tally: Mapping[str, int]) -> str:
    """``better on 1 and worse on 2 of 7``."""
    return f"better on {tally['better']} and worse on {tally['worse']} of {sum(tally.values())}"
