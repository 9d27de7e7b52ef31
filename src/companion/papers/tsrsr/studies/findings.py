"""The chapter's summary and where text and code part; every number is computed or read from stored results."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from companion.papers.tsrsr import ranking
from companion.papers.tsrsr.differences import DIFFERENCES
from companion.papers.tsrsr.printed import OURS, TITLE_OF
from companion.papers.tsrsr.studies import batches, bound, multisets
from companion.papers.tsrsr.studies.paper import Evidence, outcomes, reading_rows
from companion.report import recorded, say, where_of
from companion.report.evidence import Checked
from companion.report.evidence import load_checked as evidence_of
from companion.report.text import Sentence
from companion.reproduce.verdict import CONTRADICTED, HOLDS

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
    table = outcomes(evidence)
    own = table[table["first"] == OURS]
    verdicts = [judged.verdict for judged in evidence.lowest.values()]
    readings = reading_rows(evidence)
    return say(
        "1. Theorem 1 is true once $\\gamma$ and $\\rho$ are read as maxima over *multisets*. Read as printed, with sets, the "
        "proof fails after {lemma} evaluations of two arms, and so does the theorem for large batches.\n"
        "2. With constants it is loose: {loose:.0f} times the measured regret on a small instance with noise 1, {vacuous:.1f} "
        "times the trivial bound. A shorter proof gives a bound {sharp:.1f} times smaller, without the second term. At the noise "
        "level of the paper's experiments $\\rho_5={rho:.0f}$, and the theorem is at least {least:.0f} times the trivial bound "
        "in every one of them.\n"
        "3. Batches are nearly free in fact: up to {free} points at a time cost less than {share:.0%} on that instance. The "
        "initial design that the theory adds for their sake raises the regret of {evaluations} evaluations from {plain:.0f} to "
        "{long:.0f} when it has {initial} points, about as many as Corollary 1 asks for.\n"
        "4. The tables name TS-RSR first on all problems but Bird. Over all our runs that holds on {holds} of {problems}, is "
        "contradicted on {contradicted}, and stays undecided on the others. Of its comparisons with single rivals "
        "{as_printed} of {pairs} hold and {reversed} are reversed; {tell} are large enough for the paper's number of runs "
        "to see.\n"
        "5. The lowest mean is TS-RSR's on {first_print} of {problems} problems in the tables, on {first_code} of {rerun} when "
        "we run the experiments as the published code has them, and on {first_text} when we run them as the text has them. The "
        "two readings differ in {differences} places; between them the order of the methods has an average rank correlation "
        "of {tau:.2f}.",
        lemma=lemma,
        loose=float(row["theorem 1"] / row.regret),
        vacuous=float(row["theorem 1"] / row.trivial),
        sharp=float(row["theorem 1"] / row["sharper form"]),
        rho=bound.paper_ratio(),
        least=float(least.min()),
        free=batches.free_up_to(costs, 1.0),
        share=batches.FREE,
        evaluations=EVALUATIONS,
        plain=float(phase.regret.total.iloc[0]),
        long=float(longest.total),
        initial=int(longest.initial),
        holds=verdicts.count(HOLDS),
        problems=len(verdicts),
        contradicted=verdicts.count(CONTRADICTED),
        as_printed=int((own["all"] == ranking.AS_PRINTED).sum()),
        pairs=len(own),
        reversed=int((own["all"] == ranking.REVERSED).sum()),
        tell=int(own["can tell"].sum()),
        **{f"first_{name}": count for name, count in first_places(evidence).items()},
        rerun=sum(evidence.both.has(problem, "code") for problem in evidence.both.problems),
        differences=len(DIFFERENCES),
        tau=float(readings["τ text–code"].mean()) if len(readings) else float("nan"),
        where=where_of(evidence) + where_of(measured) + where_of(costs) + where_of(phase),
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
