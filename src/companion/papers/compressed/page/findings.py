"""The chapter's summary; every number is computed or read from stored results."""

from __future__ import annotations

import math

import pandas as pd

from companion.pages import Numbers, recorded
from companion.papers.compressed.experiments.parameters import BUDGET
from companion.papers.compressed.page import improvement, order, regret, tradeoff
from companion.papers.compressed.page.stored_runs import Evidence, printed_is_dense
from companion.papers.compressed.problems.catalogue import NOISE_VARIANCE
from companion.papers.compressed.theory.order import copies_kept

#: The summary's own studies: those of the chapter at its default parameters, which change what follows, not the summary.
HORIZON, NOISE, ALPHA, RUNS, IMPROVEMENT_RUNS = 200, 0.1, 0.5, 100, 10


def needed(epsilon: float = BUDGET, noise_variance: float = NOISE_VARIANCE) -> int:
    """Points that must be kept before the rule can reject one, with the printed constants by default."""
    return copies_kept(math.expm1(2.0 * epsilon), noise_variance)


@recorded(random=False)
def rejection_study() -> pd.DataFrame:
    """Points that must be kept before the rule with the printed constants can reject one (column ``needed``)."""
    return pd.DataFrame({"needed": [needed()]})


def finding_numbers(evidence: Evidence) -> Numbers:
    """The numbers of the chapter's summary, from its own studies and the stored runs."""
    measured = regret.bound_study(0, HORIZON, NOISE, ALPHA, RUNS, brief=True)
    settled, limits, first = order.end_study(0, 1, 3), order.limit_study(), rejection_study()
    improved = improvement.improvement_study(0, HORIZON, ALPHA, IMPROVEMENT_RUNS)
    row, bought, ei = (
        measured.rows.iloc[0],
        tradeoff.frontier_numbers(evidence),
        improvement.improvement_numbers(improved),
    )
    arms, small = order.arm_numbers(order.arm_study()), order.limit_numbers(limits)
    return Numbers(
        evidence,
        measured,
        settled,
        improved,
        arms,
        limits,
        first,
        power=order.floor_exponent(settled),
        above=float(row.above),
        loose=float(row["Theorem 3.2"] / row.regret),
        vacuous=float(row["Theorem 3.2"] / row.trivial),
        broken=ei.left > ei.right,
        above_ei=ei.above,
        share=ei.share,
        delta=ei.delta,
        regret=small.regret,
        worst=arms.worst,
        epsilon=small.least,
        longest=small.rounds,
        rule=bought.rule,
        part=bought.part,
        needed=int(first.needed.iloc[0]),
        rejects=not printed_is_dense(evidence),
    )


def rejection_numbers() -> Numbers:
    """Points that must be kept before the rule with the printed constants can reject one.

    ``share``: of the noise's standard deviation; a prior with this one is rejected before anything is observed.
    """
    study = rejection_study()
    return Numbers(
        study,
        needed=int(study.needed.iloc[0]),
        epsilon=BUDGET,
        noise_variance=NOISE_VARIANCE,
        share=math.sqrt(math.expm1(2.0 * BUDGET)),
    )
