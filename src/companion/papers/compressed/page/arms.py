"""The three arms by hand: what the model believes before each of the first rounds, and how the upper bounds go on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from companion.core.arrays import Floats
from companion.gp import FinitePosterior
from companion.pages import Numbers, Rows, frame, recorded
from companion.papers.compressed.experiments.theory_claims import DELTA, THREE_ARMS, THREE_VALUES
from companion.papers.compressed.method.admission import Admission
from companion.papers.compressed.method.policy import choose, finite_set_beta
from companion.papers.compressed.page.order import ARM_NOISE


@dataclass(frozen=True, eq=False)
class ArmRounds:
    """Compressed UCB on the three arms round by round.

    Parameters
    ----------
    mean, variance, upper : (T, 3) posterior before every round, and the upper confidence bounds
    played, kept : (T,) arm of every round, from 0, and whether the observation is kept
    width : (T,) root of beta_t
    threshold : of the variance
    """

    mean: Floats
    variance: Floats
    upper: Floats
    played: Floats
    kept: Floats
    width: Floats
    threshold: float


@recorded(random=False)
def arm_rounds(u: float, rounds: int) -> ArmRounds:
    """Play the budget ``u``; an observation is the value of its arm, without noise."""
    posterior, rule = FinitePosterior(THREE_ARMS, ARM_NOISE), Admission("info", ARM_NOISE * u)
    beta, seen = finite_set_beta(len(THREE_VALUES), DELTA), []
    for number in range(1, rounds + 1):
        now, spread, factor = posterior.mean[0].copy(), posterior.variance[0].copy(), math.sqrt(beta(number))
        arm = choose("ucb", now, spread, factor, -math.inf)
        keeps = bool(rule.admits(spread[arm]))
        seen.append((now, spread, now + factor * np.sqrt(spread), arm, keeps, factor))
        if keeps:
            posterior.observe(arm, float(THREE_VALUES[arm]))
    mean, variance, upper, played, kept, width = (np.array(column) for column in zip(*seen, strict=True))
    return ArmRounds(mean, variance, upper, played, kept, width, rule.threshold)


@frame
def first_rows(study: ArmRounds, rounds: int = 3) -> Rows:
    """One row a round and arm: what is believed before the round, and what follows."""
    for number in range(rounds):
        for arm in range(len(THREE_VALUES)):
            there = arm == study.played[number]
            yield {
                "round": number + 1,
                "arm": arm + 1,
                "mean": float(study.mean[number, arm]),
                "variance": float(study.variance[number, arm]),
                "√β": float(study.width[number]),
                "upper bound": float(study.upper[number, arm]),
                "then": ("played, kept" if study.kept[number] else "played, rejected") if there else "",
            }


def round_numbers(study: ArmRounds) -> Numbers:
    """From which round on the last arm is played for ever, its variance, and the thresholds on either side."""
    last = study.played[-1]
    since = len(study.played) - int(np.argmax(study.played[::-1] != last))
    correlation = THREE_ARMS[0, 2]
    return Numbers(
        study,
        since=since + 1,
        rounds=len(study.played),
        worst=int(last) == int(np.argmin(THREE_VALUES)),
        rejected=not study.kept[since:].any(),
        variance=float(study.variance[-1, 2]),
        by_hand=1.0 - correlation**2 / (1.0 + ARM_NOISE),
        threshold=study.threshold,
        noise_variance=ARM_NOISE,
        delta=DELTA,
    )
