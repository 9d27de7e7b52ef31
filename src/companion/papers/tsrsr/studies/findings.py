"""The chapter's summary and where text and code part; every number is computed or read from stored results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from companion.papers.tsrsr.claims import ranking
from companion.papers.tsrsr.claims.printed import OURS, TITLE_OF
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.papers.tsrsr.studies import batches, bound, multisets
from companion.papers.tsrsr.studies.paper import Evidence, elsewhere, first_verdicts, outcomes, own_pairs
from companion.papers.tsrsr.studies.readings import READINGS, agreement
from companion.report import recorded, say, where_of
from companion.report.evidence import Checked
from companion.report.evidence import load_checked as evidence_of
from companion.report.text import Sentence
from companion.reproduce.reported import load_differences

#: The summary's own studies: those of the chapter at its default parameters, which change what follows, not the summary.
RUNS, EVALUATIONS = 300, 120


def load_checked(root: Path | None = None) -> Checked:
    """The stored evidence on this paper; see :func:`companion.report.evidence.load_checked`."""
    return evidence_of("tsrsr", "make evidence CH=1", root)


def say_findings(evidence: Evidence) -> Sentence:
    """The chapter in five sentences; the first thing a reader sees."""
    measured = bound.bound_study(0, 5, 20, 1.0, RUNS, brief=True)
    row = measured.rows[(measured.rows.noise == 1.0) & (measured.rows.batches == 20)].iloc[0]
    columns = bound.vacuous()
    least = columns["Theorem 1 / trivial, at least"]
    costs = batches.batch_study(0, EVALUATIONS, RUNS, brief=True)
    phase = batches.design_study(0, EVALUATIONS, RUNS, brief=True)
    longest = phase.regret.iloc[-1]
    failures = multisets.failure_study()
    own = own_pairs(outcomes(evidence))
    return say(
        "1. Theorem 1 is true once $\\gamma$ and $\\rho$ are read as maxima over *multisets*. Read as printed, with sets, its "
        "proof fails after {lemma} evaluations of two arms, and for large batches the theorem itself.\n"
        "2. With constants it is loose: {loose:.0f} times the measured regret on a small instance with noise 1, {vacuous:.1f} "
        "times the trivial bound. A shorter proof gives a bound {sharp:.1f} times smaller, without the second term. At the noise "
        "level of the paper's experiments $\\rho_5={rho:.0f}$, and the theorem is at least {least:.0f} times the trivial bound "
        "in every one of them.\n"
        "3. Small batches cost little in fact: no rise of the mean regret above that of single points shows "
        "{free}. Batches of {twenty} cost a factor {factors}. The initial design that the theory adds for the sake "
        "of batches raises the regret of {evaluations} evaluations from {plain:.0f} to {long:.0f} when it has {initial} points, "
        "about as many as Corollary 1 asks for.\n"
        "4. {first} Of its comparisons with single rivals {pairs}. {tell} differ by enough for an experiment of "
        "the paper's size to show it with {power:.0%} probability.\n"
        "5. {lowest} The paper's text and the published code differ in {differences}; {tau}.",
        lemma=failures.lemma,
        loose=float(row["theorem 1"] / row.regret),
        vacuous=float(row["theorem 1"] / row.trivial),
        sharp=float(row["theorem 1"] / row["sharper form"]),
        rho=bound.ratio_of_five(columns),
        least=float(least.min()),
        free=" and ".join(f"{batches.free_in_words(costs, noise)} with noise {noise:g}" for noise in batches.NOISES),
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
        power=evidence.margins.claims["power"],
        lowest=_lowest_in_words(evidence),
        differences=_differences_in_words(),
        tau=_agreement_in_words(evidence),
        where=where_of(evidence)
        + where_of(measured)
        + where_of(costs)
        + where_of(phase)
        + where_of(columns)
        + where_of(failures),
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
    """On how many problems TS-RSR has the lowest mean, with or without doubt, and how far that is chance."""
    printed = sum(ranking.ranks(evidence, problem, None)[OURS] == 1 for problem in evidence.problems)
    parts = [f"The lowest mean is TS-RSR's on {printed} of {len(evidence.problems)} problems in the tables"]
    for reading, name in READINGS.items():
        if evidence.lowest(reading):
            found = evidence.firsts(reading)
            parts.append(
                f"on {found.count} of {found.total} in {name} (95 % interval {found.low} to {found.high}; {found.beyond} beyond "
                "doubt)"
            )
    return ", ".join(parts[:-1]) + (", and " if len(parts) > 1 else "") + parts[-1] + "."


def _differences_in_words() -> str:
    """How many differences between text and code are listed, those of the methods apart."""
    items = load_differences("tsrsr", ("text", "code"))["item"]
    methods = int(items.str.startswith("method").sum())
    others = f"{len(items) - methods} places in the problems, models and numbers of runs alone"
    return f"{others}, and in {methods} of the methods" if methods else f"{others}, and in the methods besides"


def _agreement_in_words(evidence: Evidence) -> str:
    """The rank correlation of the readings beside that of two experiments of one reading."""
    table = agreement(evidence)
    if not len(table):
        return "how far the orders of the methods differ for that, too few runs say"
    return (
        f"between the two readings the order of the methods has an average rank correlation of {table.between.mean():.2f}, "
        f"where two experiments of the paper's size in one reading have {table.within.mean():.2f}"
    )


@recorded(random=False)
def difference_rows() -> pd.DataFrame:
    """What the text says and what the published code does, item by item."""
    rows = load_differences("tsrsr", ("text", "code"))
    return rows.assign(problem=rows.problem.map({"all": "all", **TITLE_OF}))


@recorded(random=False)
def left_rows() -> pd.DataFrame:
    """Where our reading of the code still is not the code."""
    rows = load_differences("tsrsr", ("code", "ours"), "code_and_ours")
    rows = rows.assign(problem=rows.problem.map({"all": "all", **TITLE_OF}))
    return rows.rename(columns={"code": "the code", "ours": "our reading of it"})


def say_faithful(evidence: Evidence) -> Sentence:
    """Whether the stored runs of the code's reading are what the code does, by TS-RSR on Bird-2D beside its rivals."""
    problem = "bird-2d"
    if not evidence.has(problem, reading="code"):
        return say("The code's reading of {title} was not run.", title=TITLE_OF[problem])
    ours = [evidence.runs(problem, name, "code") for name in (OURS, "ts", "dpp-ts")]
    return say(
        "On {title}, in units of {unit:g}, TS-RSR, TS and DPPTS end at {own:.2f}, {ts:.2f} and {dpp:.2f} (means of {runs} "
        "runs; standard deviation of TS-RSR {sd:.2f}), where the paper prints {printed}.{chance}",
        title=TITLE_OF[problem],
        unit=SETTINGS[problem].unit,
        own=ours[0].mean(),
        ts=ours[1].mean(),
        dpp=ours[2].mean(),
        sd=ours[0].std(),
        runs=len(ours[0]),
        printed=", ".join(f"{evidence.printed(problem, name):g}" for name in (OURS, "ts", "dpp-ts")),
        chance=_left_to_chance(random_rounds(evidence.record)),
        where=where_of(evidence),
    )


def random_rounds(record: Mapping[str, Any]) -> dict[str, int]:
    """Rounds of the code's reading that a failed factorisation left to chance, by problem; without those that had none."""
    counts: dict[str, int] = {}
    for cell, rounds in record.get("settings", {}).get("random_rounds", {}).items():
        problem = cell.partition("/")[0]
        counts[problem] = counts.get(problem, 0) + int(rounds)
    return {problem: count for problem, count in counts.items() if count}


def _left_to_chance(rounds: Mapping[str, int]) -> str:
    if not rounds:
        return ""
    listed = ", ".join(f"{count} on {TITLE_OF[problem]}" for problem, count in rounds.items())
    return (
        " Where a factorisation fails in single precision, the code draws the batch uniformly at random, and so do our runs of "
        f"it. Of all rounds of all methods that were so many: {listed}."
    )
