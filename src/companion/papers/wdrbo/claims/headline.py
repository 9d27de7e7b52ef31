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

PROGRAMS = {"text": "the text's reading with our search", "code": "the published program's reading"}
"""Readings of the data-driven experiments in words."""


def data_driven(reading: str, told: Mapping[str, int]) -> str:
    """WDRBO against ERBO on the data-driven problems in one reading."""
    strict = told["worse, all"]
    beside = f" ({strict} when corrected for all methods)" if strict != told["worse"] else ""
    return (
        f"on the data-driven problems, in {PROGRAMS[reading]} ({told['seeds']} seeds), WDRBO is shown to be better on "
        f"{told['better']} and worse on {told['worse']} of {told['problems']}{beside}, and has the lower mean on "
        f"{told['lower mean']}"
    )


def headline(ledger: Entries, verdicts: Entries, leads: Entries) -> str:
    """Where the regret bound and its radius stand, and whether a ball around the told law pays; without what is lacking."""
    values = {entry["id"]: entry["values"] for entry in leads}
    found = {entry["cell"]: entry for entry in verdicts if entry["kind"] == "claim"}
    below, least = values.get("E2", {}).get("violated_below"), values.get("E20", {}).get("least")
    theory = [
        ""
        if below is None
        else f"without noise the printed regret bound is exceeded for regularisers below {below:.4f}",
        ""
        if least is None
        else f"its radius after a hundred contexts of an instance of ours is at least {least:.2f} diameters of their set",
    ]
    claim = found.get("robust-beats-nonrobust", {}).get("verdict")
    asked = found.get("question-robustness", {})
    shifted, readings = asked.get("outcomes", {}).get("wdrbo, shifted", {}), asked.get("readings", {})
    paid = [
        f"better on {told['better']} and worse on {told['worse']} of {told['problems']} (lower mean on {told['lower mean']}) in "
        f"{words} ({told['seeds']} seeds)"
        for reading, words in PROGRAMS.items()
        if (told := readings.get(reading))
    ]
    sentences = [
        ", and ".join(part for part in theory if part),
        f"that WDRBO beats ERBO, which has no ball, in the paper's example {OUTCOMES[claim]}"
        if claim in OUTCOMES
        else "",
        f"with a shift of the law WDRBO is shown to be better on {shifted['better']} and worse on {shifted['worse']} of "
        f"{sum(shifted.values())} cases"
        if sum(shifted.values())
        else "",
        f"on the data-driven problems WDRBO is shown to be {', and '.join(paid)}" if paid else "",
    ]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences if text)
