"""The chapter's summary; every number is computed or read from stored results."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd

from companion.papers.compressed.parameters import BUDGET
from companion.papers.compressed.plan.runs import DENSE, PAPER
from companion.papers.compressed.problems.catalogue import NOISE_VARIANCE
from companion.papers.compressed.studies import improvement, order, regret, tradeoff
from companion.papers.compressed.studies.paper import (
    Evidence,
    frozen_rows,
    held_by_eye,
    part_rows,
    parts_held,
    readings_of_figures,
)
from companion.papers.compressed.theory.freeze import MILLION
from companion.papers.compressed.theory.order import copies_kept
from companion.report import recorded, say, where_of
from companion.report.evidence import Checked
from companion.report.evidence import load_checked as evidence_of
from companion.report.text import Sentence

#: The summary's own studies: those of the chapter at its default parameters, which change what follows, not the summary.
HORIZON, NOISE, ALPHA, RUNS, IMPROVEMENT_RUNS = 200, 0.1, 0.5, 100, 10


def load_checked(root: Path | None = None) -> Checked:
    """The stored evidence on this paper; see :func:`companion.report.evidence.load_checked`."""
    return evidence_of("compressed", "make evidence CH=2", root)


def needed(epsilon: float = BUDGET, noise_variance: float = NOISE_VARIANCE) -> int:
    """Points that must be kept before the rule can reject one, with the printed constants by default."""
    return copies_kept(math.expm1(2.0 * epsilon), noise_variance)


@recorded(random=False)
def rejection_study() -> pd.DataFrame:
    """Points that must be kept before the rule with the printed constants can reject one (column ``needed``)."""
    return pd.DataFrame({"needed": [needed()]})


def say_findings(evidence: Evidence) -> Sentence:
    """The chapter in six sentences; the first thing a reader sees."""
    measured = regret.bound_study(0, HORIZON, NOISE, ALPHA, RUNS, brief=True)
    row = measured.rows.iloc[0]
    settled = order.end_study(0, 1, 3)
    ei = improvement.improvement_study(0, HORIZON, ALPHA, IMPROVEMENT_RUNS)
    arms = order.arm_study()[f"{order.ARM_ROUNDS[-1]}"]
    limits = order.limit_study().arms.iloc[-1]
    first = rejection_study()
    return say(
        "1. **The dictionary is finite, but the rate is wrong.** A point already stored can be stored again, so the "
        "packing argument does not apply. For the exponential kernel in one dimension every dictionary that leaves "
        "nothing to keep needs a number of points that grows with exponent {power:.2f} in $1/u$, not {printed}. UCB gets there "
        "only after a number of rounds with more than $10^{{{long}}}$ digits; at horizons anyone runs the "
        "printed rate looks right. For "
        "the squared exponential kernel it is right up to logarithms in one dimension and loose beyond. The model order is "
        "not the covering number.\n"
        "2. **Regret under UCB: true, and loose.** No measured run exceeds {{prf:ref}}`Theorem 3.2 "
        "<ch2-theorem-3-2>`; on a small instance the bound is {loose:.0f} times the regret and {vacuous:.1f} times "
        "the trivial bound.\n"
        "3. **Regret under EI: unproved, and false as printed.** A lemma about chosen points is applied to the "
        "maximiser: on independent arms the two sides of eq. (9.26) are {left:.0f} and {right:.0f}. A root is lost on "
        "the way. With little noise and very many arms the printed bound is exceeded in {share:.2%} of runs, where {delta:.2%} "
        "are allowed; if $R$ stops at the $T$ rounds, which is all that the proof uses, a thousand arms are enough for "
        "{quiet:.0%}, where {allowed:.0%} are allowed. On instances of the usual size no run exceeds it, but there $R$, about "
        "{score:.0f}, leaves it above the trivial bound.\n"
        "4. **A fixed budget** does not leave $O(\\epsilon)$: on three arms the average regret goes from {good:.2g} "
        "to {bad:.2f} between two neighbouring budgets, and with more noise it is as large at budgets down to "
        "$\\epsilon$ = {epsilon:.1g}, {over:.0f} times $\\epsilon$.\n"
        "5. **The idea works.** With $\\alpha=\\frac12$ the model order grows with exponent {order:.2f}, and regret "
        "with {regret:.2f} over all horizons and {bend:.2f} at the end. After {rounds} rounds {small} points ({rule}) have the "
        "dense method's regret within {close:.0%}. Rejected rounds are nearly free: with updates, $u=T^{{-1/2}}$ ({few} points, "
        "{few_ratio:.1f} times the regret) needs {seconds:.1f} s for all rounds; dense updates over all points reach "
        "round {stop} "
        "in our limit of {limit:.0f} s, and dense updates with the engine's short cut need {engine:.1f} s for all.\n"
        "6. **The figures are not those of the printed rule.** With the printed constants nothing can be rejected "
        "before {needed} points are kept. Of four readings {verdict} has all claims of the three figures; by "
        "the strict test the nearest, {nearest}, has {held} of {parts} parts, and {by_eye} if an order counts as settled where "
        "its mean looks level. Under EI and MPI {freeze}: a level model order means that "
        "the method has stopped.",
        power=order.floor_exponent(settled),
        printed=1,
        loose=float(row["Theorem 3.2"] / row.regret),
        vacuous=float(row["Theorem 3.2"] / row.trivial),
        **_from_improvement(ei),
        long=order.digits_of_last_round(settled),
        epsilon=float(limits["ε"]),
        over=float(limits["over ε"]),
        good=float(arms.min()),
        bad=float(arms.max()),
        needed=int(first.needed.iloc[0]),
        **_from_stored_runs(evidence),
        where=where_of(evidence)
        + where_of(measured)
        + where_of(settled)
        + where_of(ei)
        + where_of(order.arm_study())
        + where_of(order.limit_study())
        + where_of(first),
    )


def _from_improvement(study: improvement.ImprovementStudy) -> dict[str, Any]:
    """What the summary says of expected improvement."""
    last = study.arms.iloc[-1]
    return {
        "left": float(last.maximiser),
        "right": float(last.allowed),
        "share": study.million["printed"],
        "delta": MILLION.delta,
        "quiet": float(study.quiet.printed.max()),
        "allowed": float(study.quiet.allowed.iloc[0]),
        "score": float(study.rows.R.median()),
    }


def _from_stored_runs(evidence: Evidence) -> dict[str, Any]:
    """What the summary says of the trade-off and of the experiments."""
    exponents = tradeoff.exponent_rows(evidence).set_index("α").loc[ALPHA]
    frontier = tradeoff.frontier_rows(evidence)
    small = frontier[frontier["regret ratio"] <= tradeoff.CLOSE].iloc[0]
    steps = tradeoff.step_rows(evidence).set_index(["posterior", "method"])
    dense, engine = ((tradeoff.POSTERIORS[name], tradeoff.VARIANTS[DENSE]) for name in ("update", "engine"))
    compressed = (tradeoff.POSTERIORS["update"], tradeoff.VARIANTS["info-horizon"])
    ratios = frontier.set_index("rule")["regret ratio"]
    frozen = frozen_rows(evidence)
    later = frozen[frozen.rule != "UCB"]["kept later"].max()
    whole, parts = readings_of_figures(evidence), part_rows(evidence)
    all_three = [name for name in whole["Figure 1"] if all(name in names for names in whole.values())]
    held = parts_held(parts)
    nearest = max(held, key=held.__getitem__)
    return {
        "order": float(exponents["model order, fitted"]),
        "regret": float(exponents["regret, fitted"]),
        "bend": float(exponents["last two horizons"]),
        "rounds": tradeoff.longest(evidence),
        "small": round(small.order),
        "rule": small.rule,
        "close": tradeoff.CLOSE - 1.0,
        "few": int(steps.loc[compressed, "model order"]),
        "few_ratio": float(ratios[tradeoff.rule_in_words(f"alpha={ALPHA:g}")]),
        "seconds": float(steps.loc[compressed, "seconds in all"]),
        "stop": int(steps.loc[dense, "rounds reached"]),
        "limit": PAPER.step_limit,
        "engine": float(steps.loc[engine, "seconds in all"]),
        "verdict": " and ".join(all_three) if all_three else "none",
        "nearest": nearest,
        "held": held[nearest],
        "by_eye": held_by_eye(evidence, parts, nearest),
        "parts": len(parts),
        "freeze": "the first rejection is final in every run" if not later else "**some runs go on after a rejection**",
    }
