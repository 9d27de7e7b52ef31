"""The chapter's summary and where text and experiments part; every number is computed or read from stored results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from companion.papers.meanfield.claims.figures import SHOWN_REWARD
from companion.papers.meanfield.claims.printed import TITLE_OF
from companion.papers.meanfield.studies import bound, problems, rates, standings
from companion.papers.meanfield.studies.paper import Evidence
from companion.papers.meanfield.theory.runs import STANDARD_GAMES, STANDARD_HORIZON
from companion.report import recorded, say, where_of
from companion.report.evidence import Checked
from companion.report.evidence import load_checked as evidence_of
from companion.report.text import Sentence
from companion.reproduce.reported import load_differences
from companion.reproduce.whose import COMPANION, whose

#: The summary's own studies: those of the chapter at its default parameters, which change what follows, not the summary.
ROUNDS, RUNS, NOISE = STANDARD_HORIZON, STANDARD_GAMES, 0.1


def load_checked(root: Path | None = None) -> Checked:
    """The stored evidence on this paper; see :func:`companion.report.evidence.load_checked`."""
    return evidence_of("meanfield", "make evidence CH=4", root)


def say_findings(evidence: Evidence, checked: Checked) -> Sentence:
    """The chapter in seven findings; the first thing a reader sees."""
    measured = bound.bound_study(0, ROUNDS, NOISE, RUNS, brief=True)
    ours, printed = (bound.at(measured, NOISE, reading) for reading in bound.READINGS)
    under, farthest = bound.passages(measured, NOISE)["range"], measured.curves[NOISE].rounds[-1]
    penalties = problems.penalty_study()
    swarm = penalties.rows.iloc[1]
    hidden = rates.hidden()
    steps = [entry for entry in checked.ledger if is_step(entry)]
    fails, corrected = (
        [entry for entry in steps if entry["status"] == status] for status in ("fails", "holds-with-corrected-constant")
    )
    return say(
        "1. **The bound does not contain the number of agents, and that is right. The printed proof is not**: of the "
        "{all} steps of its appendix in the ledger {false} are false as printed, {fails} of them by more than a constant "
        "or a range. We repair it; the corrected bound {repaired}.\n"
        "2. **With constants the corrected bound {worth} on a small game**: at $T={rounds}$ it is {bound:.0f}, and no play can "
        "lose more than {most:.0f} in expectation. It passes under that {under}. Measured regret is {regret:.0f}. With the "
        "printed width, $\\beta_t$ in place of its root, it is {wasted:.0f}, where one law played for ever loses {fixed:.0f}.\n"
        "3. **On the paper's own problems the rates say nothing**: they need $T$ above $10^{{{rate:.0f}}}$ at the "
        "least, the experiments have $T=250$.\n"
        "4. **Measured**: {headline}\n"
        "5. **The printed congestion penalty favours crowds**: under it the best law of Swarm has {crowd:.0%} of the "
        "agents in one action. {reading}\n"
        "6. **The experiments again**: {again}\n"
        "7. **What is proved and what is run are two methods**: {two}",
        fails=len(fails),
        repaired="holds on every instance we play"
        if any(entry.get("id") == "thm-4.1-corrected" and entry["status"] == "holds" for entry in checked.ledger)
        else "**is not confirmed by the ledger**",
        all=len(steps),
        false=len(fails) + len(corrected),
        worth="says nothing yet" if ours.bound >= ours["range"] else "says something",
        rounds=ROUNDS,
        bound=float(ours.bound),
        most=float(ours["range"]),
        fixed=float(ours["fixed law"]),
        under=bound.between(under, farthest),
        regret=float(ours.regret),
        wasted=float(printed.regret),
        rate=float(hidden["log₁₀ T from which (log T)^power < T"].min()),
        headline=standings.grown(evidence),
        crowd=float(swarm["largest share"]),
        reading=_reading(checked),
        again=standings.again(evidence),
        two=standings.two_methods(evidence),
        where=evidence.where
        + checked.where
        + where_of(measured)
        + where_of(penalties)
        + where_of(hidden)
        + where_of(problems.reading_rows()),
    )


def is_step(entry: Mapping[str, Any]) -> bool:
    """Whether an entry of the ledger is a step of the proof in Appendix A."""
    return re.match(r"A[-123]", str(entry.get("id", ""))) is not None


def _reading(checked: Checked) -> str:
    """Which penalty was run, as far as the suspected error E12 was confirmed."""
    confirmed = any(entry["id"] == "E12" and entry["confirmed"] for entry in checked.discrepancies)
    if not confirmed:
        return "Which penalty was run stays open."
    return (
        f"What was run was most likely weighted by the shares, as we run it: of {len(problems.reading_rows())} "
        f"readings, listed in *Which way the penalty points*, only this one allows the {SHOWN_REWARD:g} of Figure 3."
    )


def _own(part: Mapping[str, Any]) -> float:
    """Our mean of a part, or of one way of playing in it."""
    ours = part["mean"] if "mean" in part else part["reproduced"]["mean"]
    return float("nan") if ours is None else float(ours)


@recorded(random=False)
def difference_rows() -> pd.DataFrame:
    """What the text says, what was most likely run, and what is done here, item by item."""
    rows = load_differences("meanfield", ("text", "inferred", "ours"))
    rows = rows.assign(problem=rows.problem.map({"all": "all", **TITLE_OF}), inferred=rows.inferred.replace("", "–"))
    return rows.rename(columns={"inferred": "most likely run", "ours": "here"})


def claim_rows(checked: Checked) -> pd.DataFrame:
    """Every claim about the experiments with its tested parts and verdicts, as stored."""
    rows = []
    claims = [entry for entry in checked.verdicts if entry["kind"] == "claim"]
    for entry in sorted(claims, key=lambda entry: whose(entry) == COMPANION):
        words = f"Our question. {entry['claim']}" if whose(entry) == COMPANION else entry["claim"]
        for number, part in enumerate(entry["parts"]):
            first = {"claim": words, "verdict": entry["verdict"]} if number == 0 else {"claim": "", "verdict": ""}
            rows.append(first | {"tested": part["what"], "ours": _own(part), "of this part": part["verdict"]})
            rows += [
                {
                    "claim": "",
                    "verdict": "",
                    "tested": f"… with {way['what']}",
                    "ours": _own(way),
                    "of this part": f"({way['verdict']})",
                }
                for way in part.get("readings", ())
            ]
    return pd.DataFrame(rows)


def say_vessels(checked: Checked) -> Sentence:
    """Where Maritime's vessels go, which the paper states as an aim only; as stored with the claim on Maritime."""
    found = next((e for e in checked.verdicts if e["cell"] == "maritime-best" and "own_region" in e), None)
    if found is None:
        return say("Where the vessels go is not stored.", where=checked.where)
    return say(
        "Of Maritime the text says what one would like: that vessels stay in their region and spread over the ports. That is "
        "no claim about results, so it is measured and not judged: MF-GP-UCB's best laws keep {own:.0%} of the vessels in "
        "their region, the best law known {best:.0%}.",
        own=found["own_region"],
        best=found["own_region_at_optimum"],
        where=checked.where,
    )
