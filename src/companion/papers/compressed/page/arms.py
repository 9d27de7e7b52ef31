"""The three arms by hand: posterior before each of the first rounds, and the later course of the upper bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.core.arrays import Floats
from companion.core.templates import significant
from companion.gp import FinitePosterior
from companion.pages import Canvas, Numbers, Palette, Rows, Table, charts, figure, frame, provenance_of, recorded, table
from companion.pages.figures import MARKERS
from companion.papers.compressed.experiments.theory_claims import DELTA, THREE_ARMS, THREE_VALUES
from companion.papers.compressed.method.admission import Admission
from companion.papers.compressed.method.policy import choose
from companion.papers.compressed.page.order import ARM_NOISE, ARM_ROUNDS, FROZEN_ROUNDS, LimitStudy, arm_rows

#: Thresholds of the variance on both sides of that of the worst arm, 7/8.
SIDES = 0.87, 0.88


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
    width_of, seen = SrinivasDrawsWidth(len(THREE_VALUES), DELTA).width, []
    for number in range(1, rounds + 1):
        now, spread, factor = posterior.mean[0].copy(), posterior.variance[0].copy(), width_of(number)
        arm = choose("ucb", now, spread, factor, -math.inf)
        keeps = bool(rule.admits(spread[arm]))
        seen.append((now, spread, now + factor * np.sqrt(spread), arm, keeps, factor))
        if keeps:
            posterior.observe(arm, float(THREE_VALUES[arm]))
    mean, variance, upper, played, kept, width = (np.array(column) for column in zip(*seen, strict=True))
    return ArmRounds(mean, variance, upper, played, kept, width, rule.threshold)


@frame
def first_rows(study: ArmRounds, rounds: int = 3) -> Rows:
    """One row a round and arm: posterior before the round, and its consequences."""
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


@recorded(random=False)
def jump(rounds: int) -> Numbers:
    """How often the worst arm is played below the threshold at which it is kept, and from which round on above it."""
    below, above = (arm_rounds(threshold / ARM_NOISE, rounds) for threshold in SIDES)
    worst, last = int(THREE_VALUES.argmin()), round_numbers(above)
    low, high = SIDES
    return Numbers(
        low=low,
        high=high,
        rounds=rounds,
        times=int((below.played == worst).sum()),
        since=last.since,
        ever=bool(last.worst and last.rejected),
        variance=last.variance,
    )


arm_table = table(arm_rows)


first_rounds = table(first_rows, digits=3)


@figure(size=(8.4, 3.4))
def arm_bounds(canvas: Canvas, palette: Palette, study: ArmRounds) -> None:
    """Why the worst arm is played for ever: its variance beside the threshold, and the upper bounds."""
    rounds, few = np.arange(1, len(study.width) + 1), slice(0, 5)
    left, right = charts.row_of(canvas, 2, sharey=False)
    for arm, value in enumerate(THREE_VALUES):
        style = charts.marked(palette, arm)
        left.plot(
            rounds[few], study.variance[few, arm], **style, label=f"arm {arm + 1}, pays {value:g}".replace("-", "−")
        )
        right.plot(rounds, study.upper[:, arm], **charts.look(palette, arm))
        first = rounds[(study.played == arm)][:3]
        right.plot(first, study.upper[first - 1, arm], MARKERS[arm], color=palette.series[arm], ms=7)
        place: charts.Style = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "fontsize": 8.5}
        right.annotate(f"arm {arm + 1}", (rounds[-1], study.upper[-1, arm]), **place, color=palette.series[arm])
    left.axhline(study.threshold, color=palette.ink, ls="--", lw=1.2)
    place = {"xytext": (0, 4), "textcoords": "offset points", "ha": "right", "fontsize": 8.5}
    left.annotate("threshold", (5, study.threshold), **place)
    charts.name_axes(left, "round t", "variance", "Variance of every arm")
    left.set(ylim=(0.4, 1.05), xticks=rounds[few])
    charts.name_axes(right, "round t", "upper confidence bound", "Largest: played (marks)", log="x")
    right.margins(x=0.12)
    charts.legend_above(canvas, left, 3)


@figure(size=(7.6, 3.4))
def arms(canvas: Canvas, palette: Palette, rows: pd.DataFrame) -> None:
    """Average regret against the budget on three arms."""
    axes = canvas.subplots()
    for k, rounds in enumerate(ARM_ROUNDS):
        label = f"after {significant(rounds)} rounds"
        axes.plot(rows.epsilon, rows[f"{rounds}"], label=label, **charts.marked(palette, k))
    axes.plot(rows.epsilon, rows.epsilon, color=palette.accent, ls=":", label="ε itself")
    charts.name_axes(axes, "budget ε, nats", "average regret", log="y")
    charts.legend_above(canvas, axes, 4)


def limits(study: LimitStudy) -> Table:
    """Average regret on the three arms as the budget falls."""
    words = {"noise variance": "noise variance of the model"} | {
        f"{rounds}": f"average regret, {significant(rounds)} rounds" for rounds in FROZEN_ROUNDS
    }
    return Table(study.arms.rename(columns=words), where=provenance_of(study), digits=4)
