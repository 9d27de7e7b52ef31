"""Questions that the figures leave mixed: does the bound's condition hold, do the methods rank so, does robustness pay.

Each is an entry of its own, put together from tested parts; none is a claim of the paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.judge.claim_tests import ruled
from companion.judge.claims import Parts, Test, absent
from companion.judge.method_comparison import Contrast, contrasts
from companion.judge.verdict import Judgement, Part, decided
from companion.papers.wdrbo.experiments import figures_claims as claims_figures
from companion.papers.wdrbo.experiments.coverage import LAWS, counts
from companion.papers.wdrbo.experiments.figures_claims import HORIZON, by_lot, paces, rank_first, rows, trend
from companion.papers.wdrbo.experiments.general_claims import EXPLICIT, prescribed_radius, true_law_in_ball
from companion.papers.wdrbo.experiments.general_claims import coverage_rows as coverage_rows
from companion.papers.wdrbo.experiments.printed import TITLE_OF, WDRBOResults, aligned, label
from companion.papers.wdrbo.experiments.ranking_claims import against_wdrbo, growth, on_problems
from companion.papers.wdrbo.experiments.runs import PAPER, SEVEN
from companion.papers.wdrbo.experiments.store import marks
from companion.papers.wdrbo.method.methods import READINGS

#: Probability with which the ball has to hold the true law.
WANTED = 1.0 - EXPLICIT["delta"]


def bound(results: WDRBOResults) -> Parts:
    """Whether the ball of the experiments holds the true law with probability 0.9, as the bounds suppose.

    Lemma 7 asks for less than that the law lies in the ball, and its radius is far larger; see ``question-radius``. The
    bounds themselves are evaluated in the ledger.
    """
    parts, found = [], coverage_rows(results)
    for law in LAWS:
        row = next(r for r in found if (r["law"], r["count"]) == (law, counts(law)[-1]))
        low, high = row["ci95"]
        reason = (
            f"held in {row['covered']:.1%} of {row['draws']} samples of {row['count']}, interval {low:.1%} to {high:.1%}; "
            f"mean distance {row['mean']:.3g}, radius {row['radius']:.3g}"
        )
        parts.append(ruled(f"{law}: the radius of the experiments", low >= WANTED, high < WANTED, reason))
    return parts, {"coverage": found}


def premise(results: WDRBOResults) -> Parts:
    """Whether the true law of Figure 1's example lies in the ball, as Theorem 4 requires; the paper does not say that it does."""
    return true_law_in_ball(results)


def slowing(results: WDRBOResults) -> Parts:
    """Whether WDRBO's regret a round still falls over the second half of the data-driven runs, and its level at the end.

    The paper claims a sublinear regret of the theorem's schedule, which these runs do not follow. A part holds if the regret
    a round is shown to fall, is contradicted if it is shown not to fall by more than the margin, and is undecided otherwise.
    """
    parts, extra, allowance = [], {}, results.margins.claims["steady"]
    for problem, found in paces(results, "wdrbo").items():
        verdict = decided(found.falls(), found.ratio.low > 1.0 - allowance)
        judged = replace(trend(found, allowance, by_lot(results, problem, "wdrbo")), verdict=verdict)
        slope = growth(results.marks(problem, "wdrbo"), marks(HORIZON), results.margins.confidence)
        extra[problem] = found.to_dict() | {"exponent": [slope.estimate, *slope.ends]}
        parts.append(Part(TITLE_OF[problem], judged))
    return parts or [absent("WDRBO")], {"paces": extra}


def ranking(results: WDRBOResults) -> Parts:
    """Whether the three methods that the text praises rank first, and the three that it leaves out last, in both readings.

    Besides, every method against WDRBO on every problem.
    """
    named = (("rank first", rank_first(results)[0]), ("not competitive", claims_figures.not_competitive(results)[0]))
    differences = {
        f"{reading}, {when}": rows(against_wdrbo(results, column, reading))
        for reading in READINGS
        for when, column in (("all rounds", "total"), ("the last 20 rounds", "late"))
    }
    parts = [Part(f"{name}, {part.what}", part.judgement) for name, listed in named for part in listed]
    return parts, {"differences": differences}


def robustness(results: WDRBOResults) -> Parts:
    """WDRBO against ERBO, its own special case of radius zero, without a shift of the law and with one.

    A part holds if the robust method is shown to be better there, is contradicted if it is shown to be worse, and is
    undecided otherwise. Corrected within each family of tests.
    """
    parts: list[Part] = []
    extra: dict[str, Any] = {}
    tally: dict[str, dict[str, int]] = {}
    columns = {"all rounds": "total", "the first 20 rounds": "early", "the last 20 rounds": "late"}
    for when, column in columns.items():
        found = on_problems(results, "wdrbo", "erbo", column)
        extra[f"data-driven, {when}"] = rows(found)
        tally[f"data-driven, {when}"] = outcomes(results, found)
        if column == "total":
            parts += [_better(results, one, f"data-driven, {TITLE_OF[one.where]}") for one in found]
    for method in ("wdrbo", "wdrbo-exact"):
        found = shifted(results, method)
        if not found:
            parts.append(absent(f"known shift, {label(method)}"))
            continue
        parts += [_better(results, one, f"{label(method)}, {one.where}") for one in found]
        extra[f"shift, {method}"] = rows(found)
        still = [one for one in found if one.where.endswith("shift 0")]
        tally[f"{method}, no shift"] = outcomes(results, still)
        tally[f"{method}, shifted"] = outcomes(results, [one for one in found if one not in still])
    readings = by_reading(results)
    extra["data-driven, the code's reading"] = rows(on_problems(results, "wdrbo", "erbo", reading="code"))
    extra["data-driven, exact form"] = rows(on_problems(results, "wdrbo-exact", "erbo"))
    if results.has("ackley-2d", "erbo", block="ackley-2d"):
        pair = results.pair("ackley-2d", "wdrbo", "erbo", block="ackley-2d")
        extra["data-driven, two decisions"] = rows(contrasts({"ackley-2d": pair}, results.margins.confidence))
    extra["radius"] = by_variant(results, "radius")
    extra["region"] = by_variant(results, "region")
    return parts, {"families": extra, "outcomes": tally, "readings": readings}


def by_reading(results: WDRBOResults) -> dict[str, dict[str, int]]:
    """WDRBO against ERBO over all rounds in each reading that was run: outcomes, on how many problems WDRBO has the lower
    mean, problems, and seeds (the fewest of any problem). Corrected for the problems of the reading; ``worse, all`` is the
    number where WDRBO is worse when corrected for all methods besides, as in the paired differences.
    """
    found = {}
    for reading in READINGS:
        listed = on_problems(results, "wdrbo", "erbo", reading=reading)
        if listed:
            strict = [one for one in against_wdrbo(results, reading=reading) if one.where.endswith(", erbo")]
            found[reading] = outcomes(results, listed) | {
                "worse, all": sum(one.shown(results.margins.significance) < 0 for one in strict),
                "lower mean": sum(one.means[0] < one.means[1] for one in listed),
                "problems": len(listed),
                "seeds": min(one.difference.count for one in listed),
            }
    return found


def outcomes(results: WDRBOResults, found: Sequence[Contrast]) -> dict[str, int]:
    """Number of times the robust method is shown to be better, to be worse, and neither."""
    signs = [one.shown(results.margins.significance) for one in found]
    return {"better": signs.count(-1), "worse": signs.count(1), "not told apart": signs.count(0)}


def shifted(results: WDRBOResults, method: str) -> list[Contrast]:
    """``method`` minus ERBO for every reward and shift of the general setting."""
    pairs = {}
    for problem in PAPER.shift_problems:
        for variant, other in results.variants(problem, "shift"):
            if other == method and results.has(problem, "erbo", variant=variant, block="shift"):
                where = f"{TITLE_OF[problem]}, {variant.replace('=', ' ')}"
                pairs[where] = results.pair(problem, method, "erbo", variant=variant, block="shift")
    return contrasts(pairs, results.margins.confidence) if pairs else []


def by_variant(results: WDRBOResults, block: str) -> list[dict[str, Any]]:
    """WDRBO with another radius, or another region of its Lipschitz constant, minus ERBO, on the same seeds."""
    pairs = {}
    for problem in SEVEN:
        for variant, method in results.variants(problem, block):
            if results.has(problem, "erbo"):
                one, two = results.of(problem, method, variant=variant, block=block), results.of(problem, "erbo")
                pairs[f"{problem}, {variant}"] = aligned(one.total, two.total)
    return rows(contrasts(pairs, results.margins.confidence)) if pairs else []


def _better(results: WDRBOResults, one: Contrast, what: str) -> Part:
    gap, sign = one.difference, one.shown(results.margins.significance)
    reason = (
        f"regret {one.means[0]:.4g} against {one.means[1]:.4g} without robustness; difference {gap.estimate:+.4g}, "
        f"interval {gap.low:+.4g} to {gap.high:+.4g}, corrected p {one.adjusted:.2g}"
    )
    return Part(what, Judgement(decided(sign < 0, sign > 0), reason, gap))


#: Question and its parts, by id.
QUESTIONS: Mapping[str, tuple[str, Test[WDRBOResults]]] = {
    "question-bound": ("Does the ball of the experiments hold the true law, as the bounds suppose?", bound),
    "question-premise": ("Does the true law of Figure 1's example lie in the ball, as Theorem 4 requires?", premise),
    "question-radius": (
        "Is the radius that Lemma 7 prescribes shorter than the set of contexts at the experiments' horizon?",
        prescribed_radius,
    ),
    "question-growth": ("Does WDRBO's regret a round still fall late in the data-driven runs?", slowing),
    "question-ranking": (
        "Do WDRBO, ERBO and SBO-KDE rank first of Figure 2's methods, and Figure 3's three methods last?",
        ranking,
    ),
    "question-robustness": ("Does robustness pay, without a shift of the contexts' law and with one?", robustness),
}
