"""The chapter's summary and what the stored evidence says; every number is computed or read from stored results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from companion.gp import gp_draw, grid, kernel_by_name
from companion.papers.batched.appendix_e import RULES
from companion.papers.batched.counts import geometric_constant
from companion.papers.batched.studies.bound import bound_study
from companion.papers.batched.studies.paper import Evidence
from companion.randomness import stream
from companion.report import recorded, say, where_of
from companion.report.evidence import Checked
from companion.report.evidence import load_checked as evidence_of
from companion.report.text import Sentence


@dataclass(frozen=True, eq=False)
class Draws:
    """A drawn surface per kernel on the 50 x 50 grid."""

    points: np.ndarray
    values: dict[str, np.ndarray]
    seed: int


@recorded(first="seed")
def draws(seed: int) -> Draws:
    """The functions that seed ``seed`` of the experiment ``appendix-e`` optimises, one per kernel."""
    points = grid(50, 2, -5.0, 5.0)
    values = {
        kernel: gp_draw(kernel_by_name(kernel, 2.0), points, stream(seed, "batched", "appendix-e", "function"))
        for kernel in RULES
    }
    return Draws(points, values, seed)


def say_findings(evidence: Evidence) -> Sentence:
    """The chapter in five sentences; the first thing a reader sees."""
    judged = evidence.judged
    outcome = {(row.claim.kernel, row.claim.rule): row for _, row in judged.iterrows()}
    fewer = [outcome[("matern32", "a=0.4")], outcome[("matern52", "a=0.36")], outcome[("matern52", "a=0.4")]]
    worse = sum(row.outcome == "contradicted" for row in fewer)
    run = bound_study(0, 1000, 1.0, 0.1, 0.1)
    # Proposition 2 summed over batches, with the certified gain, over 2 Psi T: the smaller of the two kernels' ratios.
    totals = run.batches.groupby("kernel")[["certified", "trivial"]].sum()
    return say(
        "1. The bounds hold wherever they were checked, and say nothing yet at practical horizons: at $T=1000$ "
        "{{prf:ref}}`ch3-prop-2`, summed over batches, is {vacuous:.1f} times the trivial bound $2\\Psi T$. Removing the "
        "factor $B$ is right, but its price is a constant of at least {constant}, which exceeds any $B$ in use.\n"
        "2. The number of batches is as claimed; the printed lower bound on it needs a proviso at small $T$.\n"
        "3. The lower bound for adaptive batches holds and has the claimed exponents; one property it uses is missing from "
        "the list and true of our explicit construction.\n"
        "4. Robust-BPE works, with four confidence widths in place of six. Its refinement in Appendix C does not work as "
        "printed: a three-point example breaks it, and restricting two minima repairs it.\n"
        "5. The experiments' headline, fewer batches *and* less regret for Matérn kernels, does not survive {count} functions: "
        "in {worse} of {cases} cases the regret is clearly larger ({low:.0%} to {high:.0%}).",
        vacuous=float((totals.certified / totals.trivial).min()),
        constant=geometric_constant(0.75, 0.5),
        count=int(evidence.frame.seed.nunique()),
        worse=worse,
        cases=len(fewer),
        low=min(row.relative for row in fewer),
        high=max(row.relative for row in fewer),
        where=where_of(evidence) + where_of(run),
    )


def load_checked(root: Path | None = None) -> Checked:
<<<<<<< HEAD
    """The stored evidence on this paper; see :func:`companion.report.evidence.load_checked`."""
    return evidence_of("batched", "make evidence CH=3", root)
=======
    """Read the stored evidence on this paper.

    Raises
    ------
    ResultError
        if a file is missing or damaged; the message names the command that makes it
    """
    makers: dict[str, tuple[Callable[..., Any], str]] = {
        "ledger": (Statement, "Statement.judge()"),
        "verdicts": (claim_entry, ""),
        "discrepancies": (Lead, "Lead.investigate()"),
    }
    found = {name: load_entries(results_folder("batched", root), name, "make evidence CH=3") for name in makers}
    where = Where()
    for name, (maker, call) in makers.items():
        where += stored(found[name].record.to_dict(), maker, call)
    entries = {name: kept.entries for name, kept in found.items()}
    return Checked(entries["ledger"], entries["verdicts"], entries["discrepancies"], where)


def say_checked(checked: Checked) -> Sentence:
    """How many statements hold, which do not, and how the printed numbers fared."""
    by_status = {status: [e for e in checked.ledger if e["status"] == status] for status in STATUSES}
    cells = [entry for entry in checked.verdicts if entry["kind"] == "cell"]
    claims = Counter(entry["verdict"] for entry in checked.verdicts if entry["kind"] == "claim")
    confirmed = sum(entry["confirmed"] for entry in checked.discrepancies)
    return say(
        "Of the {all} entries of the {{doc}}`ledger <../book/ledger>`, {holds} hold as printed. {corrected} hold with a "
        "corrected constant or range: {which_corrected}. {fails} fail as printed: {which_fail}; each has a repaired form that "
        "passes its check. Every check has perturbations that it must catch, {teeth} in all, and catches them.\n\n"
        "Of the {claims} claims about the experiments, {hold} hold, {contradicted} are contradicted, {undecided} undecided "
        "and {untestable} not testable ({{doc}}`verdicts <../book/verdicts>`, with all {cells} printed cells beside ours). "
        "Of {leads} suspected errors, {confirmed} were confirmed ({{doc}}`discrepancies <../book/discrepancies>`); those of "
        "consequence follow.",
        all=len(checked.ledger),
        holds=len(by_status["holds"]),
        corrected=len(by_status["holds-with-corrected-constant"]),
        which_corrected=_listed(by_status["holds-with-corrected-constant"]),
        fails=len(by_status["fails"]),
        which_fail=_listed(by_status["fails"]),
        teeth=sum(len(entry["teeth"]) for entry in checked.ledger),
        claims=claims.total(),
        hold=claims["holds"],
        contradicted=claims["contradicted"],
        undecided=claims["undecided"],
        untestable=claims["not-testable"],
        cells=len(cells),
        leads=len(checked.discrepancies),
        confirmed=confirmed,
        where=checked.where,
    )


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
    """Key numbers: statuses, verdicts and confirmed leads."""
    numbers = {f"statements, {key}": n for key, n in Counter(e["status"] for e in checked.ledger).items()}
    for kind in ("cell", "claim"):
        counts = Counter(e["verdict"] for e in checked.verdicts if e["kind"] == kind)
        numbers |= {f"{kind}s, {key}": n for key, n in counts.items()}
    numbers["suspected errors"] = len(checked.discrepancies)
    numbers["confirmed"] = sum(entry["confirmed"] for entry in checked.discrepancies)
    key_numbers(numbers, checked.where)
>>>>>>> main
