"""Tests of the conclusions drawn from Tables 1-4 and Figures 1-4, on the stored runs, and of the order in every column.

Every test takes the printed numbers beside our runs and returns the tested parts of the claim, and further fields. A
comparison of methods is paired; see :mod:`companion.papers.tsrsr.experiments.ranking_claims`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

from companion.judge.claim_tests import every, needs, paired, ruled
from companion.judge.claims import Parts, Test, absent
from companion.judge.reported import ReportedClaim
from companion.judge.verdict import (
    CONTRADICTED,
    HOLDS,
    NOT_TESTABLE,
    UNDECIDED,
    Judgement,
    Part,
    paired_claim,
)
from companion.papers.tsrsr.experiments.printed import NAME_OF, OURS, RIVALS, TITLE_OF, TSRSRResults, last_place
from companion.papers.tsrsr.experiments.ranking_claims import (
    NOT_APART,
    REVERSED,
    average_ranks,
    firsts,
    lowest,
    pair,
    ranks,
)
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.stored.results import unjoined

GP, TWO_DIM = ("gp-2d", "gp-3d"), ("ackley-2d", "rosenbrock-2d", "ackley-3d")
HIGH, REAL = ("hartmann-6d", "griewank-8d", "michalewicz-10d"), ("boston-4d", "robot-3d", "robot-4d")
MULTIPLE = "regret of TS-RSR minus the named multiple of the rival's, table's unit; the means are ratios or percentages"
#: Runs behind Figure 1 according to its caption.
CAPTION_RUNS = 10


def lowest_part(results: TSRSRResults, problem: str) -> Part:
    """Whether TS-RSR has the lowest mean of the paper's methods, and the effect of each competitor on that."""
    if not results.has(problem):
        return absent(TITLE_OF[problem])
    judgement, below = _lowest(results, problem)
    extra: dict[str, Any] = {"share_of_resamples_in_which_lower": below, "ranks": ranks(results, problem)}
    if results.has(problem, reading="code"):
        again, _ = _lowest(results, problem, "code")
        extra["code"] = {"verdict": again.verdict, "reason": again.reason, "ranks": ranks(results, problem, "code")}
    return Part(
        TITLE_OF[problem],
        judgement,
        results.printed(problem, OURS),
        results.summary(problem, OURS),
        extra,
    )


def _lowest(results: TSRSRResults, problem: str, reading: str = "text") -> tuple[Judgement, dict[str, float]]:
    values = {method: results.units(problem, method, reading) for method in (OURS, *RIVALS)}
    return lowest(values, OURS, results.margins.significance)


def _all_lowest(problems: Sequence[str], *, beside_random: bool = False) -> Test[TSRSRResults]:
    def test(results: TSRSRResults) -> Parts:
        parts = [lowest_part(results, problem) for problem in problems]
        for problem in problems if beside_random and "random" in results.methods else ():
            if results.has(problem):
                interval = results.against(problem, OURS, "random")
                parts.append(Part(f"{TITLE_OF[problem]}: below random search", paired_claim(interval, "smaller")))
        return parts, {}

    return test


def multiple(results: TSRSRResults, what: str, problem: str, other: str, factor: float, says: str, **more: Any) -> Part:
    """Mean regret of TS-RSR against ``factor`` times that of another method, on common seeds, functions or goals."""
    ours, theirs = (results.units(problem, name) for name in (OURS, other))
    return paired(results, what, ours, theirs, says, factor, **more)


@needs(TITLE_OF["bird-2d"], "bird-2d")
def bird(results: TSRSRResults) -> Parts:
    """Slightly worse than TS and DPPTS: the ratio of the means is above 1 and below the frozen factor."""
    problem, most = "bird-2d", results.margins.claims["slightly"]
    parts = []
    for other in ("ts", "dpp-ts"):
        ratio = results.printed(problem, OURS) / results.printed(problem, other)
        for factor, says in ((1.0, "larger"), (most, "smaller")):
            what = f"regret {says} than {factor:g} times that of {NAME_OF[other]}"
            of = f"regret of TS-RSR minus {factor:g} times that of {NAME_OF[other]}, table's unit"
            shown = {"reported": ratio, "reproduced": _ratio(results, problem, other), "interval_of": of}
            parts.append(multiple(results, what, problem, other, factor, says, **shown))
    return parts, {"ranks": ranks(results, problem), "interval_of": MULTIPLE}


def _ratio(results: TSRSRResults, problem: str, other: str) -> float | None:
    below = float(results.runs(problem, other).mean())
    return float(results.runs(problem, OURS).mean()) / below if below > 0 else None


def improvement(problem: str, percent: float) -> Test[TSRSRResults]:
    """Better than BUCB, the closest competitor, by ``percent``: the printed arithmetic, and our runs."""

    def test(results: TSRSRResults) -> Parts:
        ours, theirs = results.cell(problem, OURS), results.cell(problem, "bucb")
        exact = 100.0 * (1.0 - ours.mean / theirs.mean)
        half = last_place(ours) / 2.0
        low = 100.0 * (1.0 - (ours.mean + half) / (theirs.mean - half))
        high = 100.0 * (1.0 - (ours.mean - half) / (theirs.mean + half))
        what = f"{percent:g} % from {ours.mean:g} and {theirs.mean:g}, which give {exact:.2f}, rounded {low:.1f} to {high:.1f}"
        printed = ranks(results, problem, None)
        parts = [
            every("printed means", low <= percent <= high, what, reported=percent, reproduced=exact),
            every("closest as printed", printed["bucb"] == 2, "BUCB is second in the printed means"),
        ]
        if not results.has(problem):
            return [*parts, absent(TITLE_OF[problem])], {}
        allowed = results.margins.claims["improvement"]
        found = _ratio(results, problem, "bucb")
        share = None if found is None else 100.0 * (1.0 - found)
        for factor, says in ((1.0 - percent / 100.0 + allowed, "smaller"), (1.0 - percent / 100.0 - allowed, "larger")):
            rival = f"{factor:.3f} times that of BUCB"
            what, of = f"our regret {says} than {rival}", f"regret of TS-RSR minus {rival}, table's unit"
            shown = {"reported": percent, "reproduced": share, "interval_of": of}
            parts.append(multiple(results, what, problem, "bucb", factor, says, **shown))
        extra = {"ranks": ranks(results, problem), "exact_percent": exact, "our_percent": share}
        return parts, extra | {"interval_of": MULTIPLE}

    return test


def first_in_eleven(results: TSRSRResults) -> Parts:
    """Ranks recomputed from the printed means, and number of first places that our runs confirm or refute."""
    printed = {problem: ranks(results, problem, None) for problem in SETTINGS}
    right = [printed[problem][OURS] == (3 if problem == "bird-2d" else 1) for problem in SETTINGS]
    parts = [every("printed means", right, "rank of TS-RSR in a column")]
    outcomes = {problem: lowest_part(results, problem).judgement.verdict for problem in SETTINGS}
    holds, fails = (sum(word == outcome for outcome in outcomes.values()) for word in (HOLDS, CONTRADICTED))
    reason = f"lowest in {holds} of {len(outcomes)} columns, not the lowest in {fails}, undecided in the others"
    untested = [problem for problem, outcome in outcomes.items() if outcome == NOT_TESTABLE]
    verdict = CONTRADICTED if fails > 1 else HOLDS if holds >= 11 else NOT_TESTABLE if untested else UNDECIDED
    parts.append(Part("our runs", Judgement(verdict, reason), 11.0, float(holds)))
    extra = {
        "misranked_in_print": misranked(results),
        "lowest_by_problem": outcomes,
        "rank_correlation": {problem: rank_correlations(results, problem) for problem in results.problems},
        "firsts": {
            reading: firsts(results, reading).to_json()
            for reading in ("text", "code")
            if any(results.has(problem, reading=reading) for problem in results.problems)
        },
    }
    return parts, extra


def misranked(results: TSRSRResults) -> list[dict[str, str]]:
    """Pairs of a column whose printed ranks contradict their printed means."""
    found = []
    for problem in SETTINGS:
        for first, second in combinations((OURS, *RIVALS), 2):
            by_mean = results.printed(problem, first) - results.printed(problem, second)
            if by_mean * (results.ranks[problem, first] - results.ranks[problem, second]) < 0:
                found.append({"problem": problem, "first": first, "second": second})
    return found


def rank_correlations(results: TSRSRResults, problem: str) -> dict[str, float | None]:
    """Kendall's tau-b between the orders of the seven means: printed, text, code."""
    orders = {"printed": [results.printed(problem, name) for name in (OURS, *RIVALS)]}
    for reading in ("text", "code"):
        if results.has(problem, reading=reading):
            orders[reading] = [float(results.runs(problem, name, reading).mean()) for name in (OURS, *RIVALS)]
    found: dict[str, float | None] = {}
    for one, two in combinations(orders, 2):
        tau = float(stats.kendalltau(orders[one], orders[two]).statistic)
        found[f"{one}/{two}"] = None if np.isnan(tau) else tau
    return found


def state_of_the_art(results: TSRSRResults) -> Parts:
    """Average rank over the columns: Friedman's test, and TS-RSR against each competitor over the columns."""
    by_method = average_ranks(results, (OURS, *RIVALS))
    test = stats.friedmanchisquare(*by_method.values())
    shown = bool(test.pvalue < results.margins.significance)
    averages = {name: float(values.mean()) for name, values in by_method.items()}
    reason = f"Friedman's statistic {test.statistic:.4g}, p = {test.pvalue:.2g}, {len(results.problems)} problems"
    parts = [ruled("the methods differ", shown, False, reason)]
    for other in RIVALS:
        what, of = (
            f"average rank below that of {NAME_OF[other]}",
            f"average rank of TS-RSR minus that of {NAME_OF[other]}",
        )
        ours, theirs = by_method[OURS], by_method[other]
        parts.append(paired(results, what, ours, theirs, "smaller", reproduced=averages[OURS], interval_of=of))
    readings = {"text": averages}
    if any(results.has(problem, reading="code") for problem in results.problems):
        code = average_ranks(results, (OURS, *RIVALS), "code")
        readings["code"] = {name: float(values.mean()) for name, values in code.items()}
    printed = {name: float(np.mean([ranks(results, problem, None)[name] for problem in SETTINGS])) for name in averages}
    gap = "average rank of TS-RSR minus a rival's; the mean is that of TS-RSR"
    return parts, {"average_ranks": {"printed": printed, **readings}, "interval_of": gap}


def figure_curves(results: TSRSRResults) -> Parts:
    """Figure 1: mean curves that do not increase, and number of runs they average."""
    curves = results.tables["curves"]
    parts = []
    for problem in (name for name in GP if results.has(name)):
        rows = curves[(curves.problem == problem) & (curves.reading == "text")]
        means = [np.mean([unjoined(text) for text in part.regret], axis=0) for _, part in rows.groupby("method")]
        steps = np.concatenate([np.diff(mean) for mean in means])
        parts.append(every(TITLE_OF[problem], steps <= 0, f"steps of {len(means)} mean curves that do not rise"))
    counts = [results.paper_runs(problem) for problem in GP]
    told = f"caption: {CAPTION_RUNS} runs; text: {counts[0]} and {counts[1]}; panels where both agree"
    return [*parts, every("number of runs", [count == CAPTION_RUNS for count in counts], told)], {}


def evaluations(results: TSRSRResults) -> Parts:
    """400 and 250 evaluations besides the design, as m times T."""
    parts = []
    for problem, printed in zip(GP, (400, 250), strict=True):
        column = SETTINGS[problem]
        product = column.batch_size * column.batches
        told, shown = f"{column.batch_size} times {column.batches} is {product}", {"reproduced": float(product)}
        parts.append(every(TITLE_OF[problem], product == printed, told, reported=printed, **shown))
    return parts, {}


def same_start(results: TSRSRResults) -> Parts:
    """The regret of the design, which every stored curve begins with, is the same for all methods of a run."""
    curves = results.tables["curves"]
    parts = []
    for problem in results.problems:
        rows = curves[(curves.problem == problem) & (curves.reading == "text")]
        starts = rows.assign(start=[text.partition(" ")[0] for text in rows.regret]).groupby("seed").start.nunique()
        parts.append(every(TITLE_OF[problem], starts == 1, "runs whose methods start from the same regret"))
    return parts, {}


# -- the order in every column -----------------------------------------------------------------------------------------


def order_claim(problem: str) -> ReportedClaim:
    """The printed order of a column as a claim; it is not in ``claims.csv``, as no sentence of the paper says it."""
    column = SETTINGS[problem]
    return ReportedClaim(
        id=f"order-{problem}",
        source=f"Table {column.table}",
        claim=f"{TITLE_OF[problem]}: TS-RSR stands to each other method as the printed means say",
        how_to_test="paired differences over common seeds, functions or goals as blocks, for all pairs of methods; whether "
        "the paper's number of runs can tell a pair apart, by the power of the paired t-test",
    )


def order(problem: str) -> Test[TSRSRResults]:
    """TS-RSR against every other method, and all pairs with the differences that ten runs could have shown."""

    @needs(TITLE_OF[problem], problem)
    def test(results: TSRSRResults) -> Parts:
        pairs = [pair(results, problem, *names) for names in combinations((OURS, *RIVALS), 2)]
        parts = []
        for found in pairs:
            if found.first == OURS:
                says = "smaller" if found.printed < 0 else "larger"
                what = f"TS-RSR {says} than {NAME_OF[found.second]}"
                parts.append(Part(what, paired_claim(found.all_runs, says), found.printed, found.all_runs.estimate))
        extra: dict[str, Any] = {
            "pairs": [found.to_json() for found in pairs],
            "paper_runs": results.paper_runs(problem),
            "not_told_apart_at_paper_runs": sum(found.outcome(few=True) == NOT_APART for found in pairs),
            "not_to_be_told_apart_at_paper_runs": sum(not found.can_tell for found in pairs),
            "not_told_apart_by_all_runs": sum(found.outcome() == NOT_APART for found in pairs),
            "reversed": [f"{found.first}/{found.second}" for found in pairs if found.outcome() == REVERSED],
            "ranks": {"printed": ranks(results, problem, None), "text": ranks(results, problem)},
            "rank_correlation": rank_correlations(results, problem),
        }
        if results.has(problem, reading="code"):
            extra["ranks"]["code"] = ranks(results, problem, "code")
            extra["code"] = [pair(results, problem, OURS, other, "code").to_json() for other in RIVALS]
        return parts, extra

    return test


TESTS: dict[str, Test[TSRSRResults]] = {
    "gp-lowest-mean": _all_lowest(GP),
    "same-initial-points": same_start,
    "evaluations": evaluations,
    "figure-1-curves": figure_curves,
    "ackley-rosenbrock-lowest": _all_lowest(TWO_DIM),
    "bird-slightly-worse": bird,
    "high-dim-lowest": _all_lowest(HIGH, beside_random=True),
    "realistic-lowest": _all_lowest(REAL),
    "boston-improvement": improvement("boston-4d", 25.7),
    "robot-3d-improvement": improvement("robot-3d", 35.7),
    "robot-4d-improvement": improvement("robot-4d", 25.7),
    "first-in-eleven": first_in_eleven,
    "state-of-the-art": state_of_the_art,
}
ORDERS: dict[str, Test[TSRSRResults]] = {problem: order(problem) for problem in SETTINGS}
