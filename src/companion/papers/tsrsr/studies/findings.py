"""The chapter's summary and where text and code part; every number is computed or read from stored results."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from companion.papers.tsrsr import ranking
from companion.papers.tsrsr.differences import DIFFERENCES
from companion.papers.tsrsr.printed import OURS, TITLE_OF
from companion.papers.tsrsr.studies import batches, bound, multisets
from companion.papers.tsrsr.studies.paper import Evidence, elsewhere, first_verdicts, outcomes, own_pairs
from companion.papers.tsrsr.studies.readings import READINGS, agreement
from companion.report import recorded, say, where_of
from companion.report.evidence import Checked
from companion.report.evidence import load_checked as evidence_of
from companion.report.text import Sentence

#: The summary's own studies: those of the chapter at its default parameters, which change what follows, not the summary.
RUNS, EVALUATIONS = 300, 120


def load_checked(root: Path | None = None) -> Checked:
    """The stored evidence on this paper; see :func:`companion.report.evidence.load_checked`."""
    return evidence_of("tsrsr", "make evidence CH=1", root)


def say_findings(evidence: Evidence) -> Sentence:
    """The chapter in five sentences; the first thing a reader sees."""
    measured = bound.bound_study(0, 5, 20, 1.0, RUNS, brief=True)
    row = measured.rows[(measured.rows.noise == 1.0) & (measured.rows.batches == 20)].iloc[0]
    least = bound.vacuous()["Theorem 1 / trivial, at least"]
    costs = batches.batch_study(0, EVALUATIONS, RUNS, brief=True)
    phase = batches.design_study(0, EVALUATIONS, RUNS, brief=True)
    longest = phase.regret.iloc[-1]
    lemma, _ = multisets.first_failures()
    own = own_pairs(outcomes(evidence))
    return say(
        "1. Theorem 1 is true once $\\gamma$ and $\\rho$ are read as maxima over *multisets*. Read as printed, with sets, its "
        "proof fails after {lemma} evaluations of two arms, and for large batches the theorem itself.\n"
        "2. With constants it is loose: {loose:.0f} times the measured regret on a small instance with noise 1, {vacuous:.1f} "
        "times the trivial bound. A shorter proof gives a bound {sharp:.1f} times smaller, without the second term. At the noise "
        "level of the paper's experiments $\\rho_5={rho:.0f}$, and the theorem is at least {least:.0f} times the trivial bound "
        "in every one of them.\n"
        "3. Small batches are nearly free in fact: the mean regret is less than {share:.0%} above that of single points "
        "{free}. Batches of {twenty} cost a factor {factors}. The initial design that the theory adds for the sake "
        "of batches raises the regret of {evaluations} evaluations from {plain:.0f} to {long:.0f} when it has {initial} points, "
        "about as many as Corollary 1 asks for.\n"
        "4. {first} Of its comparisons with single rivals {pairs}. {tell} differ by enough for an experiment of "
        "the paper's size to show it with {power:.0%} probability.\n"
        "5. {lowest} The paper's text and the published code differ in {differences}; {tau}.",
        lemma=lemma,
        loose=float(row["theorem 1"] / row.regret),
        vacuous=float(row["theorem 1"] / row.trivial),
        sharp=float(row["theorem 1"] / row["sharper form"]),
        rho=bound.paper_ratio(),
        least=float(least.min()),
        free=" and ".join(f"{batches.free_in_words(costs, noise)} with noise {noise:g}" for noise in batches.NOISES),
        share=batches.FREE,
        twenty=batches.LARGE,
        factors=" and ".join(
            f"{batches.factor(costs, noise, batches.LARGE):.1f} (noise {noise:g})" for noise in batches.NOISES
        ),
        evaluations=EVALUATIONS,
        plain=float(phase.regret.total.iloc[0]),
        long=float(longest.total),
        initial=int(longest.initial),
        first=_first_in_words(evidence),
        pairs=_pairs_in_words(evidence),
        tell=f"In the text's reading {own['can tell'].sum()} of {len(own)}",
        power=evidence.both.margins.claims["power"],
        lowest=_lowest_in_words(evidence),
        differences=_differences_in_words(),
        tau=_agreement_in_words(evidence),
        where=where_of(evidence) + where_of(measured) + where_of(costs) + where_of(phase),
    )


def _first_in_words(evidence: Evidence) -> str:
    """Where the tables have TS-RSR first, how often that holds in each reading."""
    parts = []
    for reading, name in READINGS.items():
        held, lost, left = (len(found) or "none" for found in first_verdicts(evidence, reading).values())
        if evidence.lowest(reading):
            others = elsewhere(evidence, reading)
            parts.append(
                f"In {name} our runs confirm that on {held}, contradict it on {lost} and leave {left} open{others}."
            )
    count = sum(len(found) for found in first_verdicts(evidence).values())
    return f"The tables have TS-RSR first on {count} problems. {' '.join(parts)}"


def _pairs_in_words(evidence: Evidence) -> str:
    """How TS-RSR's comparisons with single rivals came out in each reading."""
    parts = []
    for reading, name in READINGS.items():
        table = outcomes(evidence, reading)
        if len(table):
            own = own_pairs(table)["all"]
            kept, lost = (int((own == outcome).sum()) for outcome in (ranking.AS_PRINTED, ranking.REVERSED))
            parts.append(f"{kept} of {len(own)} stand as printed and {lost} are reversed in {name}")
    return ", ".join(parts)


def _lowest_in_words(evidence: Evidence) -> str:
    """On how many problems TS-RSR has the lowest mean, with or without doubt."""
    both, count = evidence.both, first_places(evidence)
    text = f"The lowest mean is TS-RSR's on {count['print']} of {len(both.problems)} problems in the tables"
    rerun = sum(both.has(problem, "code") for problem in both.problems)
    if rerun:
        text += f", on {count['code']} of {rerun} when we run the experiments as the published code has them"
    return text + f", and on {count['text']} when we run them as the text has them."


def _differences_in_words() -> str:
    """How many differences between text and code are listed, those of the methods apart."""
    methods = sum(row.item.startswith("method") for row in DIFFERENCES)
    others = f"{len(DIFFERENCES) - methods} places in the problems, models and numbers of runs alone"
    return f"{others}, and in {methods} of the methods" if methods else f"{others}, and in the methods besides"


def _agreement_in_words(evidence: Evidence) -> str:
    """The rank correlation of the readings beside that of two experiments of one reading."""
    table = agreement(evidence.both)
    if not len(table):
        return "how far the orders of the methods differ for that, too few runs say"
    return (
        f"between the two readings the order of the methods has an average rank correlation of {table.between.mean():.2f}, "
        f"where two experiments of the paper's size in one reading have {table.within.mean():.2f}"
    )


def first_places(evidence: Evidence) -> dict[str, int]:
    """On how many problems no method has a lower mean than TS-RSR: in print, and in our runs of either reading."""
    both = evidence.both
    count = {}
    for name, reading in (("print", None), ("text", "text"), ("code", "code")):
        known = [problem for problem in both.problems if reading is None or both.has(problem, reading)]
        count[name] = sum(ranking.ranks(both, problem, reading)[OURS] == 1 for problem in known)
    return count


@recorded()
def difference_rows() -> pd.DataFrame:
    """What the text says and what the published code does, item by item."""
    return pd.DataFrame(
        [
            {
                "problem": "all" if row.problem == "all" else TITLE_OF[row.problem],
                "item": row.item,
                "text": row.text,
                "code": row.code,
            }
            for row in DIFFERENCES
        ]
    )
