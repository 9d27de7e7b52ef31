"""Tests of the conclusions drawn from Figures 2-4, on the stored runs.

Every test takes the printed numbers beside our runs and returns the tested parts of the claim, and further fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from companion.papers.wdrbo.inner_values import compared_values
from companion.papers.wdrbo.inner_values import worst_context_regret as ideal_regret
from companion.papers.wdrbo.paper_scale import marks
from companion.papers.wdrbo.plan import LINES
from companion.papers.wdrbo.printed import TITLE_OF, SideBySide, label
from companion.papers.wdrbo.ranking import Contrast, contrasts, group_claim, growth, on_problems
from companion.reproduce.intervals import mean_interval, paired_interval
from companion.reproduce.verdict import (
    CONTRADICTED,
    HOLDS,
    NOT_TESTABLE,
    UNDECIDED,
    Judgement,
    Part,
    exponent_claim,
    paired_claim,
)

Parts = tuple[Sequence[Part], Mapping[str, Any]]
Test = Callable[[SideBySide], Parts]
FIGURE_2 = ("wdrbo", "erbo", "gp-ucb", "sbo-kde", "drbo-kde")
LEADING = ("wdrbo", "erbo", "sbo-kde")
TRAILING = ("drbo-mmd", "drbo-mmd-minmax", "stableopt")
HORIZON = 100
READINGS = ("text", "code")


def not_run(what: str) -> Part:
    """The part of a claim about something that the stored runs do not hold."""
    return Part(what, Judgement(NOT_TESTABLE, "not among the stored runs"))


def rows(found: Sequence[Contrast]) -> list[dict[str, Any]]:
    """Contrasts in JSON types."""
    return [one.to_dict() for one in found]


def counted(both: SideBySide, found: Sequence[Contrast], sign: int, what: str) -> Judgement:
    """ "Not ``what`` on more than ``most`` of the problems", ``sign`` being the side that counts against it."""
    if not found:
        return not_run(what).judgement
    shown = [one.where for one in found if one.shown(both.margins.significance) == sign]
    share, most = len(shown) / len(found), both.margins.claims["most"]
    names = ", ".join(TITLE_OF.get(name, name) for name in shown) or "none"
    reason = f"{what} on {len(shown)} of {len(found)} problems ({names}), corrected for {len(found)} tests"
    return Judgement(HOLDS if share <= most else CONTRADICTED, reason)


def leading_group(both: SideBySide) -> Parts:
    """WDRBO, ERBO and SBO-KDE before GP-UCB and DRBO-KDE."""
    return _group(both, FIGURE_2, LEADING)


def not_competitive(both: SideBySide) -> Parts:
    """DRBO-MMD, its minmax form and StableOpt behind the five others."""
    methods = both.methods(published=True)
    return _group(both, methods, [name for name in methods if name not in TRAILING])


def _group(both: SideBySide, methods: Sequence[str], leading: Sequence[str]) -> Parts:
    parts = []
    for reading in READINGS:
        if not set(methods) <= set(both.methods(reading)) or not set(leading) < set(methods):
            parts.append(not_run(f"{reading}'s reading"))
            continue
        values = both.matrix(tuple(methods), reading=reading)
        judged = group_claim(values, methods, leading, both.margins.significance)
        parts.append(Part(f"{reading}'s reading", judged))
    return parts, {}


def kde_not_worth_it(both: SideBySide) -> Parts:
    """DRBO-KDE's regret is seldom lower than WDRBO's by the share that would be worth it, and it costs more."""
    share = both.margins.claims["worthwhile"]
    found = on_problems(both, "drbo-kde", "wdrbo", factor=1.0 - share)
    parts = [Part(f"regret lower by {share:.0%}", counted(both, found, -1, f"shown to be lower by {share:.0%}"))]
    for problem in ("ackley", "branin"):
        what = f"{TITLE_OF[problem]}: takes more time than WDRBO"
        if not both.timed(problem, "drbo-kde"):
            parts.append(not_run(what))
            continue
        ratios = both.ratios(problem, "drbo-kde", "wdrbo")
        judged = paired_claim(mean_interval(np.log(ratios), both.margins.confidence), "larger")
        printed = both.printed(problem, "drbo-kde") / both.printed(problem, "wdrbo")
        parts.append(Part(what, judged, printed, float(ratios.mean())))
    return parts, {"problems": rows(on_problems(both, "drbo-kde", "wdrbo"))}


def nonrobust_strong(both: SideBySide) -> Parts:
    """ERBO and SBO-KDE are seldom shown to be worse than WDRBO."""
    parts, extra = [], {}
    for method in ("erbo", "sbo-kde"):
        found = on_problems(both, method, "wdrbo")
        judged = counted(both, found, 1, "shown to be worse than WDRBO")
        better = sum(one.shown(both.margins.significance) == -1 for one in found)
        parts.append(Part(label(method), judged, extra={"shown_to_be_better": better, "problems": rows(found)}))
        if both.has(both.problems[0], method, "code"):
            extra[f"{method}_code"] = rows(on_problems(both, method, "wdrbo", reading="code"))
    return parts, extra


def mmd_grid(both: SideBySide) -> Parts:
    """Four times the contexts lower the regret by at least the frozen share, and a quarter of them raises it."""
    parts, limited = [], both.margins.claims["limited"]
    for problem in LINES:
        fine = f"discrepancy_nodes={400}"
        if not both.has(problem, "drbo-mmd", variant=fine, block="grid"):
            continue
        base = both.part(problem, "drbo-mmd").total
        extra: dict[str, Any] = {"100": float(base.mean())}
        judged = None
        for size in (25, 400):
            other = both.part(problem, "drbo-mmd", variant=f"discrepancy_nodes={size}", block="grid").total
            extra[str(size)] = float(other.mean())
            shared = base.index.intersection(other.index)
            if size == 400:
                one, two = other.loc[shared].to_numpy(), base.loc[shared].to_numpy()
                interval = paired_interval(one, (1.0 - limited) * two, both.margins.confidence)
                judged = paired_claim(interval, "smaller")
        assert judged is not None
        what = f"{TITLE_OF[problem]}: 400 contexts lower the regret of 100 by {limited:.0%}"
        parts.append(Part(what, judged, extra={"means": extra}))
    return parts or [not_run("finer grids")], {}


def minmax_linear(both: SideBySide) -> Parts:
    """The approximation is off, the regret grows linearly, and is above that of the exact inner problem."""
    error = compared_values()
    reason = "minmax value {below:.0%} of the time below the exact one; mean error {error:.3g} of a range {range:.3g}"
    off = Judgement(HOLDS if error["error"] > error["gap"] else CONTRADICTED, reason.format(**error))
    slopes = {name: growth(*_marks(both, name, "drbo-mmd-minmax"), both.margins.confidence) for name in both.problems}
    allowance = both.margins.claims["exponent"]
    linear = [name for name, slope in slopes.items() if exponent_claim(slope, 1.0, allowance).verdict == HOLDS]
    bent = [name for name, slope in slopes.items() if slope.high < 1.0 - allowance]
    most, number = both.margins.claims["most"], len(slopes)
    verdict = HOLDS if len(linear) > most * number else CONTRADICTED if len(bent) > most * number else UNDECIDED
    grows = Judgement(
        verdict, f"slope within {allowance:g} of one on {len(linear)} of {number} problems, below on {len(bent)}"
    )
    found = on_problems(both, "drbo-mmd-minmax", "drbo-mmd")
    signs = [one.shown(both.margins.significance) for one in found]
    above, below = signs.count(1), signs.count(-1)
    verdict = HOLDS if above > most * number else CONTRADICTED if below > most * number else UNDECIDED
    worse = Judgement(verdict, f"regret shown to be above DRBO-MMD's on {above} of {number} problems, below on {below}")
    extra = {"slopes": {name: [s.estimate, s.low, s.high] for name, s in slopes.items()}, "problems": rows(found)}
    return [Part("inner value off", off), Part("linear regret", grows), Part("worse than exact", worse)], extra


def _marks(both: SideBySide, problem: str, method: str) -> tuple[np.ndarray, np.ndarray]:
    return both.marks(problem, method), marks(HORIZON)


def stableopt_robust(both: SideBySide) -> Parts:
    """What the best decision for the worst context of the interval loses, beside StableOpt's regret in the last rounds."""
    parts, least = [], both.margins.claims["share"]
    for problem in LINES:
        if not both.has(problem, "stableopt"):
            continue
        ideal = ideal_regret(problem)
        late = both.part(problem, "stableopt").late.to_numpy()
        # "At least this share": late regret is at most the ideal decision's over the share.
        interval = mean_interval(late - ideal / least, both.margins.confidence)
        extra = {"ideal_regret": ideal, "late_regret": float(late.mean())}
        parts.append(Part(f"{TITLE_OF[problem]}: at least {least:.0%}", paired_claim(interval, "smaller"), extra=extra))
    return parts or [not_run("StableOpt")], {}


def asymptotic_regret(both: SideBySide) -> Parts:
    """How many pairs of the eight methods differ in the regret of the last rounds."""
    wanted, methods = both.margins.claims["separated"], both.methods(published=True)
    shown = total = 0
    levels: dict[str, Any] = {}
    for problem in both.problems:
        pairs = {f"{a} - {b}": both.pair(problem, a, b, "late") for a, b in combinations(methods, 2)}
        found = contrasts(pairs, both.margins.confidence)
        here = sum(one.shown(both.margins.significance) != 0 for one in found)
        means = {name: mean_interval(both.part(problem, name).late, both.margins.confidence) for name in methods}
        levels[problem] = {"apart": here, "pairs": len(found)} | {
            name: [m.estimate, m.low, m.high] for name, m in means.items()
        }
        shown, total = shown + here, total + len(found)
    reason = f"{shown} of {total} pairs of methods differ over the last 20 rounds, corrected within each problem"
    verdict = HOLDS if shown >= wanted * total else CONTRADICTED
    return [Part("pairs told apart", Judgement(verdict, reason))], {"levels": levels}


def sublinear(both: SideBySide) -> Parts:
    """The slope of log regret against log t lies below one, problem by problem."""
    parts = []
    for problem in both.problems:
        slope = growth(*_marks(both, problem, "wdrbo"), both.margins.confidence)
        verdict = HOLDS if slope.high < 1.0 else CONTRADICTED if slope.low >= 1.0 else UNDECIDED
        reason = f"slope {slope.estimate:.3f}, interval {slope.low:.3f} to {slope.high:.3f} over t = 50..100"
        parts.append(Part(TITLE_OF[problem], Judgement(verdict, reason, slope)))
    return parts, {}


TESTS: Mapping[str, Test] = {
    "leading-group": leading_group,
    "kde-not-worth-it": kde_not_worth_it,
    "nonrobust-strong": nonrobust_strong,
    "not-competitive": not_competitive,
    "mmd-grid": mmd_grid,
    "minmax-linear": minmax_linear,
    "stableopt-robust": stableopt_robust,
    "asymptotic-regret": asymptotic_regret,
    "sublinear": sublinear,
}
