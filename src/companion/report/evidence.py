"""What a chapter says of its stored evidence: how the statements, printed numbers and suspected errors came out.

The evidence is what ``make evidence`` computed and stored; nothing is decided here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.checks.lead import SEVERITIES, Lead
from companion.checks.statement import STATUSES, Statement
from companion.files import results_folder
from companion.report.text import Sentence, key_numbers, say
from companion.report.where import Where, stored
from companion.reproduce.consequence import ERRORS, of_leads
from companion.reproduce.consequence import counts as consequences
from companion.reproduce.stored import load_entries
from companion.reproduce.verdict import claim_entry
from companion.reproduce.whose import COMPANION, of_companion, of_paper

#: Source of what the companion asks of the runs and no paper claims.
ASKED = COMPANION


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
    where: Where


def load_checked(paper: str, command: str, root: Path | None = None) -> Checked:
    """Read the stored evidence on a paper.

    Parameters
    ----------
    paper : slug
    command : makes the evidence; named when it is missing
    root : repository; found from the current folder by default

    Raises
    ------
    ResultError
        if a file is missing or damaged
    """
    makers: dict[str, tuple[Callable[..., Any], str]] = {
        "ledger": (Statement, "Statement.judge()"),
        "verdicts": (claim_entry, ""),
        "discrepancies": (Lead, "Lead.investigate()"),
    }
    found = {name: load_entries(results_folder(paper, root), name, command) for name in makers}
    where = Where()
    for name, (maker, call) in makers.items():
        where += stored(found[name].record.to_dict(), maker, call, whole=True)
    entries = {name: kept.entries for name, kept in found.items()}
    return Checked(entries["ledger"], entries["verdicts"], entries["discrepancies"], where)


def say_checked(checked: Checked) -> Sentence:
    """How many printed statements hold, which do not, how many are the companion's own, and how the printed numbers fared."""
    own, printed = of_companion(checked.ledger), of_paper(checked.ledger)
    by_status = {status: [e for e in printed if e["status"] == status] for status in STATUSES}
    cells = [entry for entry in checked.verdicts if entry["kind"] == "cell"]
    claims = Counter(entry["verdict"] for entry in _claims(checked))
    asked = sum(entry["kind"] == "claim" for entry in checked.verdicts) - claims.total()
    confirmed = sum(entry["confirmed"] for entry in checked.discrepancies)
    corrected, fails = by_status["holds-with-corrected-constant"], by_status["fails"]
    unchecked = by_status["not-checkable"]
    sentences = [
        f"{_starting(corrected, 'hold')} with a corrected constant or range: {_listed(corrected)}."
        if corrected
        else "",
        f"{_starting(fails, 'fail')} by more than a constant or range: {_listed(fails)}; each has a repaired form that passes "
        "its check."
        if fails
        else "",
        f"{_starting(unchecked)} cannot be checked by a computation: {_listed(unchecked)}." if unchecked else "",
    ]
    return say(
        "Of the {all} entries of the {{doc}}`ledger <../book/ledger>`{which}, {holds} as printed. {others}{own}Every check has "
        "perturbations that it must catch, {teeth} in all, and catches them.\n\n"
        "Of the {claims} claims in words, {outcomes} "
        "({{doc}}`verdicts <../book/verdicts>`, with all {cells} printed cells beside ours{asked}). "
        "Of {leads} suspected errors, {confirmed} were confirmed{amounting} "
        "({{doc}}`discrepancies <../book/discrepancies>`); those of consequence follow.",
        all=len(printed),
        which=" that are the paper's" if own else "",
        own=_own(own),
        holds=_counted(len(by_status["holds"]), "hold"),
        others="".join(f"{sentence} " for sentence in sentences if sentence),
        teeth=sum(len(entry["teeth"]) for entry in checked.ledger),
        claims=claims.total(),
        outcomes=_outcomes(claims),
        cells=len(cells),
        asked=f" and {asked} questions of the companion's own"
        if asked > 1
        else " and a question of our own"
        if asked
        else "",
        leads=len(checked.discrepancies),
        confirmed=confirmed,
        amounting=_amounting(checked.discrepancies),
        where=checked.where,
    )


def _claims(checked: Checked) -> list[dict[str, Any]]:
    """Verdicts on claims of the paper, without the questions of the companion."""
    return of_paper(entry for entry in checked.verdicts if entry["kind"] == "claim")


def _causes(leads: list[dict[str, Any]]) -> dict[str, int] | None:
    """Causes of confirmed errors by what they amount to; ``None`` where that is not stored."""
    rows = of_leads(leads)
    return None if not rows else {name: found["causes"] for name, found in consequences(rows, leads).items()}


def _amounting(leads: list[dict[str, Any]]) -> str:
    """What the confirmed errors amount to; nothing where that is not stored."""
    causes = _causes(leads)
    if causes is None:
        return ""
    total = sum(causes[name] for name in ERRORS)
    harmless = sum(row.consequence not in ERRORS for row in of_leads(leads) or ())
    whose = f"Apart from those that are no errors ({harmless}), they come" if harmless else "They come"
    return (
        f". {whose} from {_counted(total)} {'cause' if total == 1 else 'causes'}: {causes['substance']} of substance, "
        f"{causes['constants']} of constants, {causes['misprint']} of misprints"
    )


def _own(entries: list[dict[str, Any]]) -> str:
    """What the companion's own statements are worth; nothing where there are none."""
    if not entries:
        return ""
    holding = sum(entry["status"] == "holds" for entry in entries)
    verb = ("is", "holds") if len(entries) == 1 else ("are", "hold")
    outcome = f"and {verb[1]}" if holding == len(entries) else f"of which {_counted(holding, 'hold')}"
    return f"{_starting(entries)} more {verb[0]} the companion's own, {outcome}. "


_WORDS = ("None", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve")


def _counted(count: int, verb: str = "") -> str:
    """``1 holds``, ``2 hold``: the number with the verb in its form for it."""
    return f"{count} {verb}s" if verb and count == 1 else f"{count} {verb}".rstrip()


def _starting(entries: list[dict[str, Any]], verb: str = "") -> str:
    """How many entries, as the start of a sentence: in words up to twelve."""
    number, *rest = _counted(len(entries), verb).split(" ")
    return " ".join([_WORDS[len(entries)] if len(entries) < len(_WORDS) else number, *rest])


def _outcomes(claims: Counter[str]) -> str:
    """``3 hold, 1 is contradicted, 2 are undecided and 1 is not testable``, without what did not occur."""
    parts = [_counted(claims["holds"], "hold")] if claims["holds"] else []
    for verdict, text in (
        ("contradicted", "contradicted"),
        ("undecided", "undecided"),
        ("not-testable", "not testable"),
    ):
        if claims[verdict]:
            parts.append(f"{claims[verdict]} {'is' if claims[verdict] == 1 else 'are'} {text}")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts or ["none is judged"])


def _listed(entries: list[dict[str, Any]]) -> str:
    """``Prop. 3 (the number of batches), ...`` from ledger entries."""
    return ", ".join(f"{entry['location']} ({entry['title']})" for entry in entries)


def say_differences(checked: Checked) -> Sentence:
    """Confirmed errors of consequence in full, then the titles of the others and of those not confirmed."""
    confirmed = [entry for entry in checked.discrepancies if entry["confirmed"]]
    grave = [entry for severity in SEVERITIES[:2] for entry in confirmed if entry["severity"] == severity]
    items = [
        f"{number}. **{entry['title'][0].upper()}{entry['title'][1:]}** ({entry['location']}). *Printed:* "
        f"{_sentence(entry['printed'])} *Found:* {_sentence(entry['found'])} {_sentence(entry['consequence'])} "
        f"*To see it:* `{entry['command']}`"
        for number, entry in enumerate(grave, 1)
    ]
    minor = "; ".join(f"{e['title']} ({e['id']})" for e in confirmed if e["severity"] == SEVERITIES[2])
    dismissed = "; ".join(f"{e['title']} ({e['id']})" for e in checked.discrepancies if not e["confirmed"])
    text = "\n".join(items) + f"\n\nMinor: {minor}.\n\nSuspected, and not confirmed: {dismissed}."
    return say("{text}", text=text, where=checked.where)


def _sentence(text: str) -> str:
    """With a capital, unless it starts with a formula, and a full stop."""
    start = text[0].upper() + text[1:]
    return start if start.endswith((".", "!", "?")) else f"{start}."


def show_checked(checked: Checked) -> None:
    """Key numbers: statuses, verdicts and confirmed leads; what is the companion's own is counted apart."""
    statuses = Counter(entry["status"] for entry in of_paper(checked.ledger))
    numbers = {f"statements, {key}": n for key, n in statuses.items()}
    own = Counter(entry["status"] for entry in of_companion(checked.ledger))
    numbers |= {f"own statements, {key}": n for key, n in own.items()}
    listed = {"cell": [e for e in checked.verdicts if e["kind"] == "cell"], "claim": _claims(checked)}
    for kind, entries in listed.items():
        counts = Counter(e["verdict"] for e in entries)
        numbers |= {f"{kind}s, {key}": n for key, n in counts.items()}
    also = sum(bool(entry.get("also_different")) for entry in listed["cell"])
    numbers |= {"cells, equivalent yet different": also} if also else {}
    numbers["suspected errors"] = len(checked.discrepancies)
    numbers["confirmed"] = sum(entry["confirmed"] for entry in checked.discrepancies)
    numbers |= {f"causes, {name}": n for name, n in (_causes(checked.discrepancies) or {}).items()}
    key_numbers(numbers, checked.where)
