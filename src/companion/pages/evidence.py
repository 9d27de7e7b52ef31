"""Stored evidence in a chapter: outcomes of statements, printed numbers and suspected errors.

The evidence is what ``make evidence`` computed and stored; nothing is decided here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from companion.checks.statement import Statement
from companion.checks.suspected_error import SuspectedError
from companion.core.files import repository_root, results_folder
from companion.judge.consequence import CONSTANTS, SUBSTANCE, of_leads
from companion.judge.consequence import counts as consequences
from companion.judge.ownership import CLAIM, PREMISE, WORDS, count, of_companion, of_paper
from companion.judge.titles import retitled
from companion.judge.verdict import claim_entry
from companion.pages.provenance import Provenance, stored
from companion.pages.sentences import Numbers, Sentence, say, show
from companion.pages.tables import Table
from companion.stored.results import load_entries


@dataclass(frozen=True, eq=False)
class Checked:
    """The stored evidence: ledger, verdicts and suspected errors, as ``make evidence`` computed them.

    Parameters
    ----------
    ledger, verdicts, discrepancies : entries as stored
    where : their records
    """

    ledger: list[dict[str, Any]]
    verdicts: list[dict[str, Any]]
    discrepancies: list[dict[str, Any]]
    where: Provenance


def load_checked(paper: str, root: Path | None = None) -> Checked:
    """Read the stored evidence on a paper, under the titles of the pages.

    Parameters
    ----------
    paper : slug
    root : repository; found from the current folder by default

    Raises
    ------
    ResultError
        if a file is missing or damaged
    """
    makers: dict[str, tuple[Callable[..., Any], str]] = {
        "ledger": (Statement, "Statement.judge()"),
        "verdicts": (claim_entry, ""),
        "discrepancies": (SuspectedError, "Lead.investigate()"),
    }
    found = {name: load_entries(results_folder(paper, root), name, f"companion evidence {paper}") for name in makers}
    where = Provenance()
    for name, (maker, call) in makers.items():
        where += stored(found[name].record.to_dict(), maker, call, whole=True)
    place = repository_root() if root is None else root
    entries = {name: retitled(place, paper, name, kept.entries) for name, kept in found.items()}
    return Checked(entries["ledger"], entries["verdicts"], entries["discrepancies"], where)


def checked_table(checked: Checked) -> Table:
    """Outcomes of statements, claims and suspected errors; the companion's own are counted apart."""
    own, printed = Counter(e["status"] for e in of_companion(checked.ledger)), count(checked.ledger)
    claims, causes = Counter(e["verdict"] for e in _claims(checked)), _causes(checked.discrepancies) or {}
    asked = Counter(e["verdict"] for e in checked.verdicts if e["kind"] == "claim") - claims
    confirmed = sum(e["confirmed"] for e in checked.discrepancies)
    rows = [
        *((WORDS[CLAIM], words, printed.claims[status], own[status]) for status, words in OUTCOMES.items()),
        *((WORDS[PREMISE], words, printed.premises[status], 0) for status, words in OUTCOMES.items()),
        *(("claims in words", words, claims[verdict], asked[verdict]) for verdict, words in ANSWERS.items()),
        *(("causes of errors", words, causes[name], 0) for name, words in CAUSES.items() if name in causes),
        ("suspected errors", "confirmed", confirmed, 0),
        ("suspected errors", "not confirmed", len(checked.discrepancies) - confirmed, 0),
    ]
    frame = pd.DataFrame(rows, columns=["what", "outcome", "of the paper", "of the companion"])
    told = Numbers(
        checked.where,
        teeth=sum(len(e["teeth"]) for e in checked.ledger),
        cells=sum(e["kind"] == "cell" for e in checked.verdicts),
    )
    return show(
        Table(frame[(frame["of the paper"] > 0) | (frame["of the companion"] > 0)]),
        "How everything that was checked came out. Every check of a statement has wrong versions that it must catch, [[teeth]] "
        'in all, and catches them. One by one: <a href="../book/ledger.html">statements</a>, '
        '<a href="../book/verdicts.html">claims and the [[cells]] printed numbers</a>, '
        '<a href="../book/discrepancies.html">suspected errors</a>.',
        told,
    )


#: Outcomes of statements, of claims and of suspicions, in the words of the table.
OUTCOMES = {
    "holds": "holds as printed",
    "holds-with-corrected-constant": "holds with another constant or range",
    "fails": "fails; a repaired form holds",
    "not-checkable": "cannot be checked by a computation",
}
ANSWERS = {
    "holds": "confirmed by our runs",
    "contradicted": "contradicted by our runs",
    "undecided": "left open by our runs",
    "not-testable": "not testable",
}
CAUSES = {"substance": "of substance", "constants": "of constants", "misprint": "misprints"}


def _claims(checked: Checked) -> list[dict[str, Any]]:
    """Verdicts on claims of the paper, without the questions of the companion."""
    return of_paper(entry for entry in checked.verdicts if entry["kind"] == "claim")


def _causes(leads: list[dict[str, Any]]) -> dict[str, int] | None:
    """Causes of confirmed errors by what they amount to; ``None`` where that is not stored."""
    rows = of_leads(leads)
    return None if not rows else {name: found["causes"] for name, found in consequences(rows, leads).items()}


def say_differences(checked: Checked) -> Sentence:
    """Confirmed errors of substance, each in a sentence; the rest as counts, and folded below place by place, with repairs."""
    grave, constants, rest = list[str](), list[str](), 0
    for entry in checked.discrepancies:
        kind = (entry.get("error") or {}).get("consequence")
        if not entry["confirmed"]:
            continue
        if kind == SUBSTANCE:
            grave.append(f"- **{_linked(entry, _sentence(entry['title']))}** {_sentence(_first(entry['consequence']))}")
        elif kind == CONSTANTS:
            constants.append(f"- {_linked(entry, _sentence(entry['title']))}")
        else:
            rest += 1
    failing = [
        f"- {_linked(entry, entry['location'], 'ledger')}, {_sentence(entry['title'])}"
        + (f" *Holds so:* {_sentence(entry['correction'])}" if entry.get("correction") else "")
        for entry in of_paper(checked.ledger)
        if entry["status"] == "fails"
    ]
    folded = [
        f":::{{dropdown}} {title}\n{lines}\n:::"
        for title, lines in (
            ("Statements that fail as printed, with their repairs: [[failing]]", "\n".join(failing)),
            (
                "Constants or ranges to be repaired: [[constants]]",
                "\n".join(constants),
            ),
        )
        if lines
    ]
    parts = [
        "\n".join(grave),
        *folded,
        "Confirmed as well, but misprints or remarks: [[rest]]. Suspicions that turned out to be unfounded: [[right]]. All "
        "are on the page of {doc}`discrepancies <../book/discrepancies>`.",
    ]
    right = sum(not entry["confirmed"] for entry in checked.discrepancies)
    return say(
        "\n\n".join(filter(None, parts)),
        Numbers(checked.where, rest=rest, right=right, failing=len(failing), constants=len(constants)),
    )


def anchor(entry: Mapping[str, Any], page: str = "discrepancies") -> str:
    """Id of a lead on the page of discrepancies, or of a statement on that of the ledger."""
    return re.sub(r"[^a-z0-9]+", "-", f"{page}-{entry['paper']}-{entry['id']}".lower()).strip("-")


def _linked(entry: Mapping[str, Any], text: str, page: str = "discrepancies") -> str:
    return f'<a href="../book/{page}.html#{anchor(entry, page)}">{text}</a>'


def _first(text: str) -> str:
    """The first sentence."""
    return re.split(r"(?<=[.!?])\s+(?=[A-Z])", text)[0]


def _sentence(text: str) -> str:
    """With a capital, unless it starts with a formula, and a full stop."""
    start = text[0].upper() + text[1:]
    return start if start.endswith((".", "!", "?")) else f"{start}."
