"""The conclusions about computing time: ratios of processor times within one process.

A claim gets a verdict only where no time rests on an inner problem that the paper hands to a generic solver and we solve
with one of our own, or on our grid for the Lipschitz constant: the time of a closed form or of a plain average. For all
others our ratios and shares stand beside the claim, as our times stand beside the printed ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.judge.claim_tests import beyond, log_slope
from companion.judge.claims import Parts, Test, absent
from companion.judge.method_comparison import resampled
from companion.judge.verdict import NOT_TESTABLE, Part, paired_claim
from companion.papers.wdrbo.experiments.printed import BASE, PROBLEM_OF, TITLE_OF, WDRBOResults, label
from companion.papers.wdrbo.experiments.runs import PUBLISHED

ROBUST = ("drbo-kde", "drbo-mmd", "drbo-mmd-minmax", "stableopt")
INNER = ("drbo-mmd", "drbo-kde")


def _timed(results: WDRBOResults, *methods: str) -> list[tuple[str, str]]:
    """Problems with each of the methods whose times were taken there."""
    problems = [problem for problem in PROBLEM_OF.values() if results.timed(problem)]
    return [(problem, method) for problem in problems for method in methods if results.timed(problem, method)]


def _over(results: WDRBOResults, problem: str, method: str, other: str = "wdrbo") -> float:
    return results.printed(problem, method) / results.printed(problem, other)


#: Said of a part whose numbers are ratios, and whose interval is that of their logarithm.
LOGARITHM = "logarithm of our ratio, which is zero where both take the same time"
OWN = "rests on our own solvers and grid, where the paper uses others; ours"
SOLVERS = "what a part of the work costs is a property of the code, and ours is not the paper's; ours"


def ratio_of_means(part: Floats, whole: Floats, confidence: float) -> dict[str, Any]:
    """Mean part over mean whole, with an interval by a bootstrap over seeds, none where the whole's holds zero.

    Seed by seed the quotient would be no share where the whole is a small difference of two times.

    Parameters
    ----------
    part, whole : (seeds,) seconds
    """
    count = len(part)
    drawn = resampled(stream(0, "wdrbo", "bootstrap", "times"), count)
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    base = [float(value) for value in np.quantile(drawn @ whole, ends)]
    found: dict[str, Any] = {"part": float(part.mean()), "whole": float(whole.mean()), "whole_ci95": base, "n": count}
    if base[0] <= 0.0:
        return found | {"ratio": None, "ci95": None}
    low, high = np.quantile((drawn @ part) / (drawn @ whole), ends)
    return found | {"ratio": float(part.mean() / whole.mean()), "ci95": [float(low), float(high)]}


def _told(found: Mapping[str, Any]) -> str:
    seconds = f"{found['part']:.3g} s of {found['whole']:.3g} s"
    if found["ratio"] is None:
        return f"{seconds}, where the latter cannot be told from nothing"
    low, high = found["ci95"]
    return f"{seconds}, a share of {found['ratio']:.2f}, interval {low:.2f} to {high:.2f}"


def ucb_fastest(results: WDRBOResults) -> Parts:
    """GP-UCB's time below that of whichever other method is the quickest."""
    parts = []
    for problem, _ in _timed(results, BASE):
        timed = [name for name in PUBLISHED if results.timed(problem, name)]
        means = {name: float(results.seconds(problem, name).mean()) for name in timed if name != "gp-ucb"}
        if "gp-ucb" not in timed or not means:
            continue
        quickest = min(means, key=lambda name: means[name])
        ratio = results.log_ratios((problem, "gp-ucb"), (problem, quickest))
        what = f"{TITLE_OF[problem]}: time over that of {label(quickest)}"
        printed = _over(results, problem, "gp-ucb", quickest)
        ours, gap = float(np.exp(ratio.mean())), results.mean(ratio)
        parts.append(beyond(what, gap, 0.0, "smaller", reported=printed, reproduced=ours, interval_of=LOGARITHM))
    return parts or [absent("times")], {}


def wdrbo_overhead(results: WDRBOResults) -> Parts:
    """The other robust methods' times over WDRBO's, and WDRBO's extra over ERBO's, all of our code; no verdict."""
    parts, added = [], {}
    for problem, _ in _timed(results, BASE):
        extra = results.seconds(problem, "wdrbo") - results.seconds(problem, BASE)
        added[problem] = {
            "added_seconds": float(extra.mean()),
            "erbo_seconds": float(results.seconds(problem, BASE).mean()),
            "ratio": float(results.ratios(problem, "wdrbo").mean()),
            "printed_ratio": _over(results, problem, "wdrbo", BASE),
        }
    for problem, method in _timed(results, *ROBUST):
        found, printed = results.mean(results.ratios(problem, method, "wdrbo")), _over(results, problem, method)
        reason = (
            f"{OWN}: {found.estimate:.3g} times WDRBO's time, interval {found.low:.3g} to {found.high:.3g}, "
            f"printed {printed:.3g}; WDRBO adds {added[problem]['added_seconds']:+.3g} s to ERBO's "
            f"{added[problem]['erbo_seconds']:.3g} s"
        )
        part = absent(f"{TITLE_OF[problem]}: {label(method)} slower than WDRBO", reason, {"ratio_ci95": found.ends})
        parts.append(replace(part, reported=printed, reproduced=found.estimate))
    return parts or [absent("times")], {"overheads": added}


def _share_of_extra(results: WDRBOResults, method: str, part: str, besides: str) -> Parts:
    """Share of a method's time beyond ERBO's that is spent on one part of our code; no verdict on the paper's."""
    parts = []
    for problem, _ in _timed(results, method):
        whole = results.seconds(problem, method) - results.seconds(problem, BASE)
        found = ratio_of_means(results.seconds(problem, method, part), whole, results.margins.confidence)
        what = f"{TITLE_OF[problem]}: share of the time beyond ERBO's"
        parts.append(absent(what, f"{SOLVERS}: {_told(found)}{besides}", {"share": found}))
    return parts or [absent("times")], {}


def lipschitz_cost(results: WDRBOResults) -> Parts:
    """The Lipschitz constant's share of WDRBO's time beyond ERBO's."""
    return _share_of_extra(results, "wdrbo", "lipschitz", "")


def kde_cost(results: WDRBOResults) -> Parts:
    """The density estimate's share, draws and all; what it causes further on, evaluating U at its draws, was not timed."""
    return _share_of_extra(
        results, "sbo-kde", "prepare", "; without evaluating U at the draws, which the estimate causes as well"
    )


def inner_minimisation_cost(results: WDRBOResults) -> Parts:
    """The inner minimisation's share of the time, with our exact inner solvers; no verdict on the paper's."""
    parts, extra = [], {}
    for problem, method in _timed(results, *INNER):
        inner, whole = results.seconds(problem, method, "inner"), results.seconds(problem, method)
        found = ratio_of_means(inner, whole, results.margins.confidence)
        what = f"{TITLE_OF[problem]}: share of {label(method)}'s time"
        parts.append(absent(what, f"{SOLVERS}: {_told(found)}", {"share": found}))
        ours = float(results.ratios(problem, method, "wdrbo").mean())
        extra[f"{problem}, {method}"] = {"printed_over_wdrbo": _over(results, problem, method), "our_over_wdrbo": ours}
    return parts or [absent("times")], {"ratios": extra}


def mmd_cubic(results: WDRBOResults) -> Parts:
    """Log-log slope of our inner solver's time in the number of contexts, from the medians over seeds; no verdict.

    The cube is that of a cone solver's linear algebra. Ours solves on the few contexts that keep mass, and prices all others
    with one product; at these sizes calls cost more than arithmetic.
    """
    parts = []
    for kernel, rows in results.tables["balls"].groupby("kernel"):
        medians = rows.groupby("size").seconds.median()
        if len(medians) < 3:
            continue
        slope = log_slope(results, medians.index.to_numpy(dtype=float), medians.to_numpy())
        reason = (
            f"a cone solver's cost, and ours is none: slope {slope.estimate:.2f}, interval {slope.low:.2f} to {slope.high:.2f}, "
            f"over {medians.index.min()} to {medians.index.max()} contexts"
        )
        parts.append(absent(f"{kernel} kernel", reason, {"slope": [slope.estimate, *slope.ends]}))
    return parts or [absent("times of the inner problem")], {}


def branin_cheaper(results: WDRBOResults) -> Parts:
    """Branin's time over Ackley's in the code's reading, whose grid is a diagonal; with the full grid beside it.

    The minmax form is a closed form in both programs and gets a verdict; DRBO-MMD's inner problem is solved by ours.
    """
    parts, full = [], {}
    for method in ("drbo-mmd", "drbo-mmd-minmax"):
        what = f"{label(method)}: Branin's time over Ackley's"
        if not (results.timed("ackley", method, "code") and results.timed("branin", method, "code")):
            parts.append(absent(what))
            continue
        ratio = results.seconds("branin", method, reading="code") / results.seconds("ackley", method, reading="code")
        logarithm = results.log_ratios(("branin", method), ("ackley", method), "code")
        judged = paired_claim(results.mean(logarithm), "smaller")
        printed = results.printed("branin", method) / results.printed("ackley", method)
        if method in INNER:
            judged = replace(judged, verdict=NOT_TESTABLE, reason=f"{OWN}: log of the ratio, {judged.reason}")
        parts.append(Part(what, judged, printed, float(np.exp(logarithm.mean())), interval_of=LOGARITHM))
        text = results.seconds("branin", method) / results.seconds("ackley", method)
        full[method] = {"full_grid": float(text.mean()), "diagonal": float(ratio.mean()), "printed": printed}
    return parts, {
        "ratios": full,
        "contexts": {"ackley": [100, 1024], "branin_diagonal": [10, 32], "branin": [100, 1024]},
    }


TESTS: Mapping[str, Test[WDRBOResults]] = {
    "ucb-fastest": ucb_fastest,
    "wdrbo-overhead": wdrbo_overhead,
    "lipschitz-cost": lipschitz_cost,
    "kde-cost": kde_cost,
    "inner-minimisation-cost": inner_minimisation_cost,
    "mmd-cubic": mmd_cubic,
    "branin-cheaper": branin_cheaper,
}
