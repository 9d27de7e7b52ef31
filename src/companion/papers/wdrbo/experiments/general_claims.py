"""Tests of the conclusions about Figure 1's example, and about the radius."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from companion.judge.claim_tests import needs, paired, ruled
from companion.judge.claims import Parts, Test, absent
from companion.judge.intervals import proportion_interval
from companion.judge.method_comparison import contrasts
from companion.judge.verdict import Part
from companion.papers.wdrbo.experiments.figures_claims import HORIZON, by_lot, pace_of, trend
from companion.papers.wdrbo.experiments.printed import WDRBOResults, aligned, label
from companion.papers.wdrbo.experiments.ranking_claims import growth
from companion.papers.wdrbo.experiments.store import marks
from companion.papers.wdrbo.problems.general import RADIUS, SPREADS, GeneralExample, laws
from companion.papers.wdrbo.problems.transport import law_distance
from companion.papers.wdrbo.theory import covering

BLOCK = "figure-1"
#: The reading that the companion takes: the second parameter of the laws is a standard deviation, contexts are clipped.
FIRST = f"spread=sd radius={RADIUS:g}"
#: A problem as kind to formula (16) as the chapter's: norm and regulariser one, little noise, a wide kernel.
EXPLICIT = {"lam": 1.0, "noise": 0.1, "norm": 1.0, "delta": 0.1, "lengthscale": 0.3}


def reading(spread: str, clipped: bool) -> str:
    """A reading of the laws in words."""
    return f"N(mean, {'sd' if spread == 'sd' else 'variance'}), {'clipped to [0, 1]' if clipped else 'not clipped'}"


def optimum_moves(results: WDRBOResults) -> Parts:
    """The decision that is best for the told law and the one that is best for the true law, in every reading."""
    least, parts = results.margins.claims["moved"], []
    for spread in SPREADS:
        for clipped in (True, False):
            told, true = (GeneralExample(law.distance(0.5)).optimiser for law in laws(spread, clipped))
            gap, reason = abs(told - true), f"|x| = {told:.3f} for the told law and {true:.3f} for the true one"
            parts.append(ruled(reading(spread, clipped), gap > least, gap <= least, reason, reproduced=gap))
    return parts, {}


def true_law_in_ball(results: WDRBOResults) -> Parts:
    """The Wasserstein distance of the two laws against the radius, in every reading: a premise of Theorem 4.

    The paper does not say that its example meets it.
    """
    parts = []
    for spread in SPREADS:
        for clipped in (False, True):
            distance = law_distance(*laws(spread, clipped))
            inside, reason = distance <= RADIUS, f"distance {distance:.4f}, radius {RADIUS:g}"
            shown = {"reported": RADIUS, "reproduced": distance}
            parts.append(ruled(reading(spread, clipped), inside, not inside, reason, **shown))
    return parts, {}


@needs("Figure 1", "general", "erbo", variant=FIRST, block=BLOCK)
def robust_beats_nonrobust(results: WDRBOResults) -> Parts:
    """WDRBO minus ERBO at the last round, over the paper's seeds and over all; other readings and balls beside it."""
    parts = []
    for count, what in ((results.paper_runs, "as many seeds as the paper"), (None, "all seeds")):
        pair = results.pair("general", "wdrbo", "erbo", count=count, variant=FIRST, block=BLOCK)
        parts.append(paired(results, f"{reading('sd', True)}: {what}", *pair, "smaller"))
    pairs = {}
    for variant, method in results.variants("general", BLOCK):
        spread = variant.partition(" ")[0]
        baseline = f"{spread} radius={RADIUS:g}" + (" clipped=False" if variant.endswith("clipped=False") else "")
        if method != "erbo" and results.has("general", "erbo", variant=baseline, block=BLOCK):
            one = results.of("general", method, variant=variant, block=BLOCK).total
            two = results.of("general", "erbo", variant=baseline, block=BLOCK).total
            pairs[f"{label(method)}, {variant}"] = aligned(one, two)
    return parts, {"readings": [one.to_dict() for one in contrasts(pairs, results.margins.confidence)]}


def linear_trend(results: WDRBOResults) -> Parts:
    """Whether WDRBO and ERBO go on losing the same in every round; the exponents of their cumulative regret beside it."""
    parts, extra = [], {}
    where = {"variant": FIRST, "block": BLOCK}
    for method in ("wdrbo", "erbo"):
        if not results.has("general", method, **where):
            parts.append(absent(label(method)))
            continue
        found = pace_of(results, "general", method, **where)
        slope = growth(results.marks("general", method, **where), marks(HORIZON), results.margins.confidence)
        extra[method] = found.to_dict() | {"exponent": [slope.estimate, *slope.ends]}
        lot = by_lot(results, "general", method, **where)
        parts.append(Part(label(method), trend(found, results.margins.claims["steady"], lot)))
    return parts, {"paces": extra}


def prescribed_radius(results: WDRBOResults) -> Parts:
    """Formula (16) at the horizon of the experiments, between two bounds on its covering number, against the diameter."""
    limit, parts = results.margins.claims["vacuous"], []
    used = 0.3 / math.sqrt(HORIZON)
    for dims in ((1, 1), (5, 1), (2, 2), (3, 2)):
        above = covering.theory_radius(HORIZON, **EXPLICIT, decision_dim=dims[0], context_dim=dims[1])
        norm, delta, lengthscale = (EXPLICIT[name] for name in ("norm", "delta", "lengthscale"))
        below = covering.least_radius(HORIZON, norm, delta, lengthscale, *dims)
        diameter = math.sqrt(dims[1])
        reason = (
            f"radius at least {below:.4g} after {HORIZON} contexts, {above:.4g} with an explicit covering number; diameter "
            f"{diameter:.3g}"
        )
        short, long = above < limit * diameter, below >= limit * diameter
        extra = {"explicit": above, "used": used, "diameter": diameter}
        shown = {"reported": used, "reproduced": below, "extra": extra}
        parts.append(ruled(f"d_x = {dims[0]}, d_c = {dims[1]}", short, long, reason, **shown))
    return parts, {"coverage": coverage_rows(results), "constants": EXPLICIT}


def coverage_rows(results: WDRBOResults) -> list[dict[str, Any]]:
    """Frequency at which the ball with the radius of the experiments contains the law that the sample comes from."""
    found = []
    for row in results.tables["coverage"].to_dict("records"):
        share = proportion_interval(int(row["covered"]), int(row["draws"]), results.margins.confidence)
        kept = {name: row[name] for name in ("law", "count", "draws", "mean", "radius")}
        found.append(kept | {"covered": share.estimate, "ci95": share.ends})
    return found


def radius_principled(results: WDRBOResults) -> Parts:
    """The paper gives no measure of "practical"; ``question-radius`` asks by one of ours."""
    return [
        absent("a practical tool", "the paper names no measure of practical; question-radius takes one of ours")
    ], {}


TESTS: Mapping[str, Test[WDRBOResults]] = {
    "optimum-moves": optimum_moves,
    "robust-beats-nonrobust": robust_beats_nonrobust,
    "linear-trend": linear_trend,
    "radius-principled": radius_principled,
}
