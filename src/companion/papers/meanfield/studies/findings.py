"""The chapter's summary and where text and experiments part; every number is computed or read from stored results."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from companion.papers.meanfield.differences import DIFFERENCES
from companion.papers.meanfield.printed import NAME_OF, OURS, TITLE_OF
from companion.papers.meanfield.studies import bound, growth, paper, problems, rates
from companion.papers.meanfield.studies.paper import Evidence
from companion.report import recorded, say, where_of
from companion.report.evidence import Checked
from companion.report.evidence import load_checked as evidence_of
from companion.report.text import Sentence

#: The summary's own studies: those of the chapter at its default parameters, which change what follows, not the summary.
ROUNDS, RUNS, NOISE, MOST = 60, 100, 0.1, 8


def load_checked(root: Path | None = None) -> Checked:
    """The stored evidence on this paper; see :func:`companion.report.evidence.load_checked`."""
    return evidence_of("meanfield", "make evidence CH=4", root)


def say_findings(evidence: Evidence, checked: Checked) -> Sentence:
    """The chapter in six sentences; the first thing a reader sees."""
    measured = bound.bound_study(0, ROUNDS, NOISE, RUNS, brief=True)
    ours, printed = (bound.at(measured, NOISE, reading) for reading in bound.READINGS)
    penalties = problems.penalty_study()
    swarm = penalties.rows.iloc[1]
    draws = problems.draw_study(0, 200)
    bikes = draws[draws.M == 300].iloc[0]
    hidden = rates.hidden()
    fails = [entry for entry in checked.ledger if entry["status"] == "fails"]
    return say(
        "1. **The bound does not contain the number of agents, and that is right. The printed proof is not**: {fails} "
        "of {all} statements in the ledger fail as printed, steps of the appendix among them. We repair it; the "
        "corrected bound {repaired}.\n"
        "2. **With constants it is loose but not empty on a small game**: {loose:.0f} times the measured regret and "
        "{share:.0%} of the trivial bound. As printed, with $\\beta_t$ in place of its root, it is {worse:.0f} times "
        "the corrected one, and the method that follows it has {regret:.1f} times the regret.\n"
        "3. **On the paper's own problems the rates say nothing**: they need $T$ above $10^{{{rate:.0f}}}$ at the "
        "least, the experiments have $T=250$.\n"
        "4. **Measured**: {headline}\n"
        "5. **The printed congestion penalty favours crowds**: under it the best law of Swarm has {crowd:.0%} of the "
        "agents in one action. What was run must have been weighted by the shares; that is what we run.\n"
        "6. **The experiments again**: {again} And on the bicycles a *perfect* law played by independent draws loses "
        "{noise:.0%} of what the uniform law loses.",
        fails=len(fails),
        repaired="holds on every instance we play"
        if any(entry.get("id") == "thm-4.1-corrected" and entry["status"] == "holds" for entry in checked.ledger)
        else "**is not confirmed by the ledger**",
        all=len(checked.ledger),
        loose=float(ours.bound / ours.regret),
        share=float(ours.bound / ours.trivial),
        worse=float(printed.bound / ours.bound),
        regret=float(printed.regret / ours.regret),
        rate=float(hidden["log₁₀ T from which (log T)^power < T"].min()),
        headline=headline(evidence),
        crowd=float(swarm["largest share"]),
        again=again(evidence),
        noise=float(bikes["independent draws"] / bikes["uniform law"]),
        where=evidence.where
        + checked.where
        + where_of(measured)
        + where_of(penalties)
        + where_of(hidden)
        + where_of(draws),
    )


def headline(evidence: Evidence) -> str:
    """The growth of regret with the number of agents, in one sentence."""
    ours = growth.exponent(evidence, "swarm", "agents", OURS, "agents")
    naive = growth.exponent(evidence, "swarm", "rivals", growth.NAIVE, "agents")
    if ours is None:
        return "no runs at different numbers of agents are stored."
    rows = growth.growth_rows(evidence)
    swarm = rows[(rows.problem == "swarm") & (rows.method == OURS)]
    other = (
        ""
        if naive is None
        else f"; that of naive GP-UCB has exponent {naive.estimate:+.2f} ({naive.low:+.2f} to {naive.high:+.2f})"
    )
    verdict = "does not grow" if ours.low <= 0 else "**grows**"
    return (
        f"from {swarm.M.min()} to {swarm.M.max()} agents on Swarm the regret of MF-GP-UCB {verdict}, exponent "
        f"{ours.estimate:+.2f} ({ours.low:+.2f} to {ours.high:+.2f}){other}."
    )


def again(evidence: Evidence) -> str:
    """On how many problems MF-GP-UCB has the largest best reward, and where not."""
    groups: dict[str, list[str]] = {}
    for name in evidence.problems:
        other, interval = paper.leads(evidence, name)
        groups.setdefault(paper.outcome(interval), []).append(f"{TITLE_OF[name]} ({NAME_OF[other]})")
    first = groups.pop("above", [])
    text = f"MF-GP-UCB has the largest best reward on {len(first)} of {len(evidence.problems)} problems"
    for verdict, names in groups.items():
        words = (
            "stays below the best other method" if verdict == "below" else "cannot be told apart from the best other"
        )
        text += f"; it {words} on {', '.join(names)}"
    return f"{text}."


@recorded()
def difference_rows() -> pd.DataFrame:
    """What the text says, what must have been run, and what is done here, item by item."""
    titles = {"all": "all", **TITLE_OF}
    return pd.DataFrame(
        [
            {
                "problem": titles[row.problem],
                "item": row.item,
                "text": row.text,
                "must have been run": row.inferred or "–",
                "here": row.ours,
            }
            for row in DIFFERENCES
        ]
    )


def claim_rows(checked: Checked) -> pd.DataFrame:
    """Every claim about the experiments with its tested parts and verdicts, as stored."""
    rows = []
    for entry in checked.verdicts:
        if entry["kind"] != "claim":
            continue
        for number, part in enumerate(entry["parts"]):
            ours = part["reproduced"]["mean"]
            rows.append(
                {
                    "claim": entry["claim"] if number == 0 else "",
                    "verdict": entry["verdict"] if number == 0 else "",
                    "tested": part["what"],
                    "ours": float("nan") if ours is None else float(ours),
                    "of this part": part["verdict"],
                }
            )
    return pd.DataFrame(rows)
