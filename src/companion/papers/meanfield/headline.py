"""Chapter 4 in three sentences, for the first page of the book; every number is read from the stored evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.reproduce.verdict import CONTRADICTED, HOLDS

Entries = Sequence[Mapping[str, Any]]
WORDS = {HOLDS: "is borne out", CONTRADICTED: "is contradicted", "undecided": "stays undecided"}


def headline(ledger: Entries, verdicts: Entries, leads: Entries) -> str:
    """Whether the repaired bound holds and what it is worth, the growth of regret with M, and who earns most."""
    claims = {entry["cell"]: entry for entry in verdicts if entry["kind"] == "claim"}
    repaired = next(entry["status"] for entry in ledger if entry["id"] == "thm-4.1-corrected")
    small = next(entry["values"] for entry in leads if entry["id"] == "U11")
    growth = claims["rate-without-agents"]["regret_by_agents"].get("swarm")
    measured = ""
    if growth:
        counts = [int(count) for count in growth["mean_share"]]
        measured = (
            f" Measured from {min(counts)} to {max(counts)} agents, regret grows like the number of agents to the power "
            f"{growth['exponent'][0]:.2f}."
        )
    best = claims["higher-reward"]["verdict"]
    return (
        f"The regret bound contains no number of agents and, once repaired, {'holds' if repaired == 'holds' else 'fails'}; "
        f"on a small game it is {small['bound'] / small['regret']:.0f} times the regret.{measured} That MF-GP-UCB earns "
        f"most on all problems of Figure 2 {WORDS.get(best, 'cannot be tested')}."
    )
