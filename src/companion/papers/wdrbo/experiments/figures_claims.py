"""Tests of the conclusions drawn from Figures 2-4, on the stored runs.

Every test takes the printed numbers beside our runs and returns the tested parts of the claim, and further fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from companion.judge.claim_tests import paired, ruled
from companion.judge.claims import Parts, Test, absent
from companion.judge.method_comparison import Contrast, contrasts
from companion.judge.verdict import UNDECIDED, Judgement, Part, combined, decided, paired_claim
from companion.papers.wdrbo.experiments.inner_values_claims import compared_values
from companion.papers.wdrbo.experiments.inner_values_claims import worst_context_regret as ideal_regret
from companion.papers.wdrbo.experiments.parameters import Run
from companion.papers.wdrbo.experiments.printed import TITLE_OF, WDRBOResults, aligned, label
from companion.papers.wdrbo.experiments.ranking_claims import Pace, beside_best, group_claim, on_problems, pace
from companion.papers.wdrbo.experiments.runs import LINES
from companion.papers.wdrbo.experiments.store import marks
from companion.papers.wdrbo.method.methods import READINGS

FIGURE_2 = ("wdrbo", "erbo", "gp-ucb", "sbo-kde", "drbo-kde")
LEADING = ("wdrbo", "erbo", "sbo-kde")
TRAILING = ("drbo-mmd", "drbo-mmd-minmax", "stableopt")
HORIZON = 100
#: Regret of the best decision for the worst context up to which it counts as the best in expectation too: the accuracy of
#: the grid on which it is found.
COINCIDE = 1e-6


def rows(found: Sequence[Contrast]) -> list[dict[str, Any]]:
    """Contrasts in JSON types."""
    return [one.to_dict() for one in found]


def counted(results: WDRBOResults, signs: Mapping[str, int], holds: int, words: tuple[str, str]) -> Judgement:
    """ "On more than ``most`` of the problems", from what is shown on each of them.

    Holds if the sign ``holds`` is shown on more than that share, contradicted if the opposite sign is; undecided otherwise,
    as not to show a difference is not to show that there is none.

    Parameters
    ----------
    signs : by problem, -1, 0 or 1, corrected for their number
    words : what the sign ``holds`` means, and its opposite
    """
    if not signs:
        return absent(words[0]).judgement
    listed = [[name for name, sign in signs.items() if sign == wanted] for wanted in (holds, -holds)]
    least = results.margins.claims["most"] * len(signs)
    shown = "; ".join(
        f"{what} on {len(names)} of {len(signs)} problems{_named(names)}"
        for what, names in zip(words, listed, strict=True)
    )
    verdict = decided(len(listed[0]) > least, len(listed[1]) > least)
    return Judgement(verdict, f"{shown}; corrected for {len(signs)} tests")


def _named(problems: Sequence[str]) -> str:
    return f" ({', '.join(TITLE_OF.get(name, name) for name in problems)})" if problems else ""


def on_most(
    results: WDRBOResults, what: str, found: Sequence[Contrast], holds: int, words: tuple[str, str], **more: Any
) -> Part:
    """:func:`counted` of contrasts, one a problem."""
    return Part(what, counted(results, signs_of(results, found), holds, words), **more)


def signs_of(results: WDRBOResults, found: Sequence[Contrast]) -> dict[str, int]:
    """Sign shown in each place."""
    return {one.where: one.shown(results.margins.significance) for one in found}


def perform_well(results: WDRBOResults) -> Parts:
    """WDRBO, ERBO and SBO-KDE near the best of Figure 2's five methods, and better than GP-UCB, on most problems each."""
    parts, margin = [], results.margins.claims["worthwhile"]
    extra: dict[str, Any] = {}
    for reading in READINGS:
        run = set(FIGURE_2) <= set(results.methods(reading))
        for method in LEADING:
            what = f"{label(method)}, {reading}'s reading"
            if not run:
                parts.append(absent(what))
                continue
            near = beside_best(results, method, FIGURE_2, reading, margin)
            better = signs_of(results, on_problems(results, method, "gp-ucb", reading=reading))
            extra[f"{reading}, {method}"] = {"near_best": near, "against_gp_ucb": better}
            verdicts = [counted(results, signs, -1, ("", "")).verdict for signs in (near, better)]
            (close, far), (less, more) = ([list(s.values()).count(k) for k in (-1, 1)] for s in (near, better))
            reason = (
                f"shown to be within {margin:.0%} of the best on {close} and farther behind on {far}, to have less regret than "
                f"GP-UCB on {less} and more on {more} of {len(results.problems)} problems, corrected for their number"
            )
            parts.append(Part(what, Judgement(combined(verdicts), reason)))
    return parts, {"places": extra}


def rank_first(results: WDRBOResults) -> Parts:
    """WDRBO, ERBO and SBO-KDE before GP-UCB and DRBO-KDE, which the paper does not say."""
    return _group(results, FIGURE_2, LEADING)


def not_competitive(results: WDRBOResults) -> Parts:
    """DRBO-MMD, its minmax form and StableOpt behind the five others."""
    methods = results.methods(published=True)
    return _group(results, methods, [name for name in methods if name not in TRAILING])


def _group(results: WDRBOResults, methods: Sequence[str], leading: Sequence[str]) -> Parts:
    parts = []
    for reading in READINGS:
        if not set(methods) <= set(results.methods(reading)) or not set(leading) < set(methods):
            parts.append(absent(f"{reading}'s reading"))
            continue
        values = results.matrix(tuple(methods), reading=reading)
        judged = group_claim(values, methods, leading, results.margins.significance)
        parts.append(Part(f"{reading}'s reading", judged))
    return parts, {}


def kde_not_worth_it(results: WDRBOResults) -> Parts:
    """DRBO-KDE's regret is not lower than WDRBO's by the share that would be worth it on most problems."""
    share = results.margins.claims["worthwhile"]
    found = on_problems(results, "drbo-kde", "wdrbo", factor=1.0 - share)
    words = (f"shown to be less than {share:.0%} below WDRBO's, or above it", "shown to be lower by more")
    parts = [on_most(results, "regret", found, 1, words)]
    # DRBO-KDE's inner problem is solved by sorting here, so that its time decides nothing on the paper's.
    times = {
        problem: {
            "printed": results.printed(problem, "drbo-kde") / results.printed(problem, "wdrbo"),
            "ours": float(results.ratios(problem, "drbo-kde", "wdrbo").mean()),
        }
        for problem in ("ackley", "branin")
        if results.timed(problem, "drbo-kde")
    }
    return parts, {"problems": rows(on_problems(results, "drbo-kde", "wdrbo")), "times_over_wdrbo": times}


def nonrobust_strong(results: WDRBOResults) -> Parts:
    """ERBO and SBO-KDE are not worse than WDRBO by more than a share that matters, on most problems."""
    parts, extra, margin = [], {}, results.margins.claims["worthwhile"]
    for method in ("erbo", "sbo-kde"):
        near = on_problems(results, method, "wdrbo", factor=1.0 + margin)
        words = (f"shown to be at most {margin:.0%} above WDRBO's", "shown to be higher by more")
        found = on_problems(results, method, "wdrbo")
        signs = list(signs_of(results, found).values())
        more = {"shown_to_be_better": signs.count(-1), "shown_to_be_worse": signs.count(1), "problems": rows(found)}
        parts.append(on_most(results, label(method), near, -1, words, extra=more))
        extra[f"{method}_code"] = rows(on_problems(results, method, "wdrbo", reading="code"))
    return parts, extra


def mmd_grid(results: WDRBOResults) -> Parts:
    """Four times the contexts lower the regret by at least the frozen share; a quarter of them stands beside.

    Decided on complete runs only. With two contexts, where a grid of 100 has ten points a coordinate and the paper's
    complaint weighs most, no finer grid was run.
    """
    parts, limited = [], results.margins.claims["limited"]
    for problem in LINES:
        grids = {
            size: results.of(problem, "drbo-mmd", variant=f"discrepancy_nodes={size}", block="grid").total
            for size in (25, 400)
            if results.has(problem, "drbo-mmd", variant=f"discrepancy_nodes={size}", block="grid")
        }
        if 400 not in grids or not results.has(problem, "drbo-mmd"):
            continue
        base = results.of(problem, "drbo-mmd").total
        fine, usual = aligned(grids[400], base)
        what = f"{TITLE_OF[problem]}: 400 contexts lower the regret of 100 by {limited:.0%}"
        part = paired(results, what, fine, usual, "smaller", 1.0 - limited)
        judged, lost = part.judgement, results.paper_runs - len(fine)
        lacking = ""
        if lost > 0:
            # Breakdowns may depend on the quantity compared, so that the others decide nothing.
            judged = replace(judged, verdict=UNDECIDED)
            lacking = f"; {lost} of {results.paper_runs} pairs broke down, so that the others decide nothing"
        reason = f"{judged.reason}{lacking}; tried with one decision and one context only"
        means = {"100": float(base.mean())} | {str(size): float(total.mean()) for size, total in grids.items()}
        parts.append(replace(part, judgement=replace(judged, reason=reason), extra={"means": means}))
    return parts or [absent("finer grids")], {}


def paces(results: WDRBOResults, method: str) -> dict[str, Pace]:
    """Change of a method's regret a round late in the run, by problem; see :func:`.ranking.pace`."""
    return {problem: pace_of(results, problem, method) for problem in results.problems if results.has(problem, method)}


def pace_of(results: WDRBOResults, problem: str, method: str, **where: str) -> Pace:
    """The same of one cell; ``where`` as in :meth:`companion.judge.stored_runs.StoredRuns.of`."""
    return pace(results.marks(problem, method, **where), marks(HORIZON), results.margins.confidence)


def by_lot(results: WDRBOResults, problem: str, method: str, **where: str) -> float:
    """Mean regret of a decision drawn by lot: of the design's, which are spread evenly."""
    return float(results.of(problem, method, **where).design.mean()) / Run.initial


def trend(found: Pace, allowance: float, lot: float) -> Judgement:
    """ "The cumulative regret grows linearly": each late round costs as much as each round a while before, and something.

    Holds if the ratio's interval lies within ``allowance`` of one and the regret a round above zero; contradicted if the
    interval lies outside.
    """
    verdict = decided(found.steady(allowance), found.changes(allowance))
    reason = f"{found.words()}; the last is {found.late.estimate / lot:.1%} of what a decision by lot costs"
    return Judgement(verdict, reason, found.ratio, allowance)


def minmax_linear(results: WDRBOResults) -> Parts:
    """The approximation is off, the regret goes on linearly, and is above that of the exact inner problem.

    The paper speaks of a linear term in the bound, which no run can show; these are its consequences if it counts.
    """
    error, least = compared_values(), results.margins.claims["limited"]
    share = error["error"] / error["range"]
    reason = (
        f"mean error {error['error']:.3g}, {share:.1%} of the range of U over the contexts (against {least:.0%}); the minmax "
        f"value is the lower one at {error['below']:.0%} of the decisions"
    )
    parts = [ruled("inner value off", share >= least, share < least, reason)]
    found, allowance = paces(results, "drbo-mmd-minmax"), results.margins.claims["steady"]
    signs = {name: 1 if one.steady(allowance) else -1 if one.changes(allowance) else 0 for name, one in found.items()}
    words = (f"regret a round shown to stay within {allowance:.0%} of itself", "shown to change by more")
    parts.append(Part("linear regret", counted(results, signs, 1, words)))
    worse = on_problems(results, "drbo-mmd-minmax", "drbo-mmd")
    words = ("regret shown to be above DRBO-MMD's", "below it")
    parts.append(on_most(results, "worse than exact", worse, 1, words))
    return parts, {"paces": {name: one.to_dict() for name, one in found.items()}, "problems": rows(worse)}


def stableopt_robust(results: WDRBOResults) -> Parts:
    """StableOpt's late regret is that of the decision it is after, best for the worst context, and above ERBO's.

    Where that decision is also the best in expectation, solving the robust problem costs nothing, and the claim has no
    content: such problems are named and not judged.
    """
    parts, share = [], results.margins.claims["share"]
    beside: dict[str, Any] = {}
    for problem in LINES:
        if not (results.has(problem, "stableopt") and results.has(problem, "erbo")):
            continue
        ideal, title = ideal_regret(problem), TITLE_OF[problem]
        found = contrasts({problem: results.pair(problem, "stableopt", "erbo", "late")}, results.margins.confidence)[0]
        beside[problem] = {"ideal_regret": ideal, **found.to_dict()}
        if ideal <= COINCIDE:
            continue
        late = results.mean(results.of(problem, "stableopt").late)
        low, high = share * ideal, ideal / share
        inside, outside = low <= late.low and late.high <= high, late.high < low or late.low > high
        reason = (
            f"late regret {late.estimate:.4g}, interval {late.low:.4g} to {late.high:.4g}; the ideal decision for the worst "
            f"context loses {ideal:.4g}, allowed are {low:.4g} to {high:.4g}"
        )
        parts.append(ruled(f"{title}: loses what the robust problem's decision loses", inside, outside, reason))
        parts.append(Part(f"{title}: more than ERBO in the last fifth", paired_claim(found.difference, "larger")))
    idle = ", ".join(TITLE_OF[name] for name, row in beside.items() if row["ideal_regret"] <= COINCIDE)
    if idle and not parts:
        parts = [absent("robust and expected optimum", f"they coincide on {idle}, and no other problem was run")]
    return parts or [absent("StableOpt")], {"problems": beside, "not_testable": idle}


def asymptotic_regret(results: WDRBOResults) -> Parts:
    """Number of pairs of the eight methods that differ in the regret of the last rounds; the paper gives no such number."""
    methods = results.methods(published=True)
    shown = total = 0
    levels: dict[str, Any] = {}
    for problem in results.problems:
        pairs = {f"{a} - {b}": results.pair(problem, a, b, "late") for a, b in combinations(methods, 2)}
        found = contrasts(pairs, results.margins.confidence) if pairs else []
        here = sum(one.shown(results.margins.significance) != 0 for one in found)
        means = {name: results.mean(results.of(problem, name).late) for name in methods}
        levels[problem] = {"apart": here, "pairs": len(found)} | {
            name: [m.estimate, *m.ends] for name, m in means.items()
        }
        shown, total = shown + here, total + len(found)
    reason = (
        f"an invitation to compare, no statement; {shown} of {total} pairs of methods are told apart over the last 20 rounds, "
        f"corrected within each problem"
    )
    return [absent("pairs told apart", reason)], {"levels": levels}


TESTS: Mapping[str, Test[WDRBOResults]] = {
    "perform-well": perform_well,
    "kde-not-worth-it": kde_not_worth_it,
    "nonrobust-strong": nonrobust_strong,
    "not-competitive": not_competitive,
    "mmd-grid": mmd_grid,
    "minmax-linear": minmax_linear,
    "stableopt-robust": stableopt_robust,
    "asymptotic-regret": asymptotic_regret,
}
