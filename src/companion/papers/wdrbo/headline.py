"""Chapter 5 in two or three sentences, for the first page of the book; every number is read from the stored evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.reproduce.verdict import CONTRADICTED, HOLDS, NOT_TESTABLE, UNDECIDED

Entries = Sequence[Mapping[str, Any]]
OUTCOMES = {
    HOLDS: "holds",
    CONTRADICTED: "is contradicted",
    UNDECIDED: "stays undecided",
    NOT_TESTABLE: "was not run",
}
"""How the verdict on a claim about runs reads in a sentence."""


def headline(ledger: Entries, verdicts: Entries, leads: Entries) -> str:
    """Where the regret bound and its radius stand, and whether a ball around the told law pays; without what is lacking."""
    values = {entry["id"]: entry["values"] for entry in leads}
    found = {entry["cell"]: entry for entry in verdicts if entry["kind"] == "claim"}
    below, least = values.get("E2", {}).get("violated_below"), values.get("E20", {}).get("least")
    theory = [
        "" if below is None else f"the printed regret bound is exceeded for regularisers below {below:.4f}",
        ""
        if least is None
        else f"its radius after a hundred contexts of an instance of ours is at least {least:.2f} diameters of their set",
    ]
    claim = found.get("robust-beats-nonrobust", {}).get("verdict")
    tallies = found.get("question-robustness", {}).get("outcomes", {})
    paid = [
        f"better on {told['better']} and worse on {told['worse']} of {sum(told.values())} {places}"
        for key, places in (
            ("data-driven, all rounds", "data-driven problems"),
            ("wdrbo, shifted", "with a shift"),
        )
        if sum((told := tallies.get(key, {})).values())
    ]
    sentences = [
        ", and ".join(part for part in theory if part),
        f"that WDRBO beats ERBO, which has no ball, in the paper's example {OUTCOMES[claim]}"
        if claim in OUTCOMES
        else "",
        f"elsewhere WDRBO is shown to be {', and '.join(paid)}" if paid else "",
    ]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences if text)
