"""Tests of the conclusions about computing time: ratios of processor times within one process."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from companion.papers.wdrbo.claims_figures import Parts, Test, not_run
from companion.papers.wdrbo.printed import BASE, PROBLEM_OF, TITLE_OF, Floats, SideBySide, label
from companion.reproduce.intervals import Interval, mean_interval, slope_interval
from companion.reproduce.verdict import CONTRADICTED, HOLDS, UNDECIDED, Judgement, Part, exponent_claim, paired_claim

ROBUST = ("drbo-kde", "drbo-mmd", "drbo-mmd-minmax", "stableopt")
INNER = ("drbo-mmd", "drbo-kde")


def _timed(both: SideBySide) -> list[str]:
    return [problem for problem in PROBLEM_OF.values() if both.timed(problem)]


def at_least(both: SideBySide, values: Floats, least: float) -> Judgement:
    """ "At least ``least``", from the interval of the mean."""
    found = mean_interval(values, both.margins.confidence)
    verdict = HOLDS if found.low >= least else CONTRADICTED if found.high < least else UNDECIDED
    shifted = Interval(found.estimate - least, found.low - least, found.high - least, found.count)
    reason = f"{found.estimate:.3g}, interval {found.low:.3g} to {found.high:.3g}, against {least:g}"
    return Judgement(verdict, reason, shifted)


def ucb_fastest(both: SideBySide) -> Parts:
    """GP-UCB's time below that of whichever other method is the quickest."""
    parts = []
    for problem in _timed(both):
        others = [name for name in both.methods(published=True) if name != "gp-ucb"]
        means = {name: float(both.seconds(problem, name).mean()) for name in others if both.timed(problem, name)}
        quickest = min(means, key=lambda name: means[name])
        ratio = np.log(both.ratios(problem, "gp-ucb", quickest))
        judged = paired_claim(mean_interval(ratio, both.margins.confidence), "smaller")
        printed = both.printed(problem, "gp-ucb") / both.printed(problem, quickest)
        what = f"{TITLE_OF[problem]}: log of the time over that of {label(quickest)}"
        parts.append(Part(what, judged, printed, float(np.exp(ratio.mean()))))
    return parts or [not_run("times")], {}


def wdrbo_overhead(both: SideBySide) -> Parts:
    """WDRBO's time within the frozen multiple of ERBO's; the other robust methods' times above WDRBO's."""
    parts, most = [], both.margins.claims["overhead"]
    for problem in _timed(both):
        ratios = both.ratios(problem, "wdrbo")
        judged = paired_claim(mean_interval(ratios - most, both.margins.confidence), "smaller")
        printed = both.printed(problem, "wdrbo") / both.printed(problem, BASE)
        what = f"{TITLE_OF[problem]}: at most {most:g} times ERBO's"
        parts.append(Part(what, judged, printed, float(ratios.mean())))
        for method in ROBUST:
            if both.timed(problem, method):
                ratio = both.ratios(problem, method, "wdrbo")
                judged = paired_claim(mean_interval(np.log(ratio), both.margins.confidence), "larger")
                printed = both.printed(problem, method) / both.printed(problem, "wdrbo")
                what = f"{TITLE_OF[problem]}: {label(method)} slower than WDRBO"
                parts.append(Part(what, judged, printed, float(ratio.mean())))
    return parts or [not_run("times")], {}


def _share_of_extra(both: SideBySide, method: str, part: str) -> Parts:
    """How much of a method's time beyond ERBO's is spent on one part."""
    parts = []
    for problem in _timed(both):
        extra = both.seconds(problem, method) - both.seconds(problem, BASE)
        share = both.seconds(problem, method, part) / extra
        what = f"{TITLE_OF[problem]}: share of the time beyond ERBO's"
        judged = at_least(both, share, both.margins.claims["share"])
        parts.append(Part(what, judged, None, float(share.mean()), {"extra_seconds": float(extra.mean())}))
    return parts or [not_run("times")], {}


def lipschitz_cost(both: SideBySide) -> Parts:
    """The Lipschitz constant's share of WDRBO's time beyond ERBO's."""
    return _share_of_extra(both, "wdrbo", "lipschitz")


def kde_cost(both: SideBySide) -> Parts:
    """The density estimate's share, draws and all; what remains is evaluating U at 512 contexts instead of n."""
    return _share_of_extra(both, "sbo-kde", "prepare")


def inner_minimisation_cost(both: SideBySide) -> Parts:
    """The inner minimisation's share of the time, with exact inner solvers."""
    parts, extra = [], {}
    for problem in _timed(both):
        for method in INNER:
            if not both.timed(problem, method):
                continue
            share = both.seconds(problem, method, "inner") / both.seconds(problem, method)
            what = f"{TITLE_OF[problem]}: share of {label(method)}'s time"
            parts.append(Part(what, at_least(both, share, both.margins.claims["share"]), None, float(share.mean())))
            printed = both.printed(problem, method) / both.printed(problem, "wdrbo")
            ours = both.ratios(problem, method, "wdrbo")
            extra[f"{problem}, {method}"] = {"printed_over_wdrbo": printed, "our_over_wdrbo": float(ours.mean())}
    return parts or [not_run("times")], {"ratios": extra}


def mmd_cubic(both: SideBySide) -> Parts:
    """Log-log slope of the inner solver's time in the number of contexts, from the medians over seeds."""
    parts = []
    for kernel, rows in both.tables["balls"].groupby("kernel"):
        medians = rows.groupby("size").seconds.median()
        x, y = np.log(medians.index.to_numpy(dtype=float)), np.log(medians.to_numpy())
        slope = slope_interval(x, y, both.margins.confidence)
        parts.append(Part(f"{kernel} kernel", exponent_claim(slope, 3.0, both.margins.claims["cubic"])))
    return parts or [not_run("times of the inner problem")], {}


def branin_cheaper(both: SideBySide) -> Parts:
    """Branin's time over Ackley's in the code's reading, whose grid is a diagonal; with the full grid beside it."""
    parts, full = [], {}
    for method in ("drbo-mmd", "drbo-mmd-minmax"):
        what = f"{label(method)}: log of Branin's time over Ackley's"
        if not (both.timed("ackley", method, "code") and both.timed("branin", method, "code")):
            parts.append(not_run(what))
            continue
        ratio = both.seconds("branin", method, reading="code") / both.seconds("ackley", method, reading="code")
        judged = paired_claim(mean_interval(np.log(ratio), both.margins.confidence), "smaller")
        printed = both.printed("branin", method) / both.printed("ackley", method)
        parts.append(Part(what, judged, printed, float(ratio.mean())))
        text = both.seconds("branin", method) / both.seconds("ackley", method)
        full[method] = {"full_grid": float(text.mean()), "diagonal": float(ratio.mean()), "printed": printed}
    return parts, {
        "ratios": full,
        "contexts": {"ackley": [100, 1024], "branin_diagonal": [10, 32], "branin": [100, 1024]},
    }


TESTS: Mapping[str, Test] = {
    "ucb-fastest": ucb_fastest,
    "wdrbo-overhead": wdrbo_overhead,
    "lipschitz-cost": lipschitz_cost,
    "kde-cost": kde_cost,
    "inner-minimisation-cost": inner_minimisation_cost,
    "mmd-cubic": mmd_cubic,
    "branin-cheaper": branin_cheaper,
}
