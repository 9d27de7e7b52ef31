"""Which method has the lower regret, over common seeds: paired tests with Holm's correction, ranks, and slopes.

All methods at one seed see the same design, contexts and noise, so differences are taken seed by seed; the seeds are what
is resampled, the same for all methods and problems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from companion.errors import ParameterError
from companion.papers.wdrbo.plan import METHOD_NAMES
from companion.papers.wdrbo.printed import Floats, SideBySide, label
from companion.randomness import stream
from companion.reproduce.intervals import Interval, paired_interval
from companion.reproduce.verdict import CONTRADICTED, HOLDS, UNDECIDED, Judgement

REPETITIONS = 10_000


def holm(values: ArrayLike) -> Floats:
    """Holm's adjusted p-values (m,): the k-th smallest times m - k + 1, made increasing, at most 1."""
    p = np.asarray(values, dtype=float)
    order = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


@dataclass(frozen=True)
class Contrast:
    """A paired difference in one place, with its p-value corrected for the whole family.

    Attributes
    ----------
    where : problem, pair or shift
    difference : first minus second, with an interval that is not corrected
    p, adjusted : two-sided t-test, and Holm's correction
    means : of both sides
    """

    where: str
    difference: Interval
    p: float
    adjusted: float
    means: tuple[float, float]

    def shown(self, significance: float) -> int:
        """1 if the first is shown to be larger, -1 if smaller, 0 if neither."""
        return int(np.sign(self.difference.estimate)) if self.adjusted < significance else 0

    def to_dict(self) -> dict[str, Any]:
        """JSON types."""
        gap = self.difference
        return {
            "where": self.where,
            "difference": gap.estimate,
            "ci95": [gap.low, gap.high],
            "n": gap.count,
            "p": self.p,
            "adjusted_p": self.adjusted,
            "means": list(self.means),
        }


def contrasts(pairs: Mapping[str, tuple[Floats, Floats]], confidence: float, factor: float = 1.0) -> list[Contrast]:
    """First minus ``factor`` times second for every entry, corrected for their number.

    Raises
    ------
    ParameterError
        without entries
    """
    if not pairs:
        raise ParameterError("pairs", "are empty", "at least one")
    intervals, p = [], []
    for one, two in pairs.values():
        intervals.append(paired_interval(one, factor * two, confidence))
        p.append(_p_value(one - factor * two))
    return [
        Contrast(
            where, interval, value, float(adjusted), (float(pairs[where][0].mean()), float(pairs[where][1].mean()))
        )
        for where, interval, value, adjusted in zip(pairs, intervals, p, holm(p), strict=True)
    ]


def _p_value(difference: Floats) -> float:
    if np.ptp(difference) == 0.0:
        return 1.0 if difference[0] == 0.0 else 0.0
    return float(stats.ttest_1samp(difference, 0.0).pvalue)


def on_problems(
    both: SideBySide, first: str, second: str, column: str = "total", reading: str = "text", factor: float = 1.0
) -> list[Contrast]:
    """Two methods on every problem that both were run on; empty if there is none."""
    pairs = {
        problem: both.pair(problem, first, second, column, reading=reading)
        for problem in both.problems
        if both.has(problem, first, reading) and both.has(problem, second, reading)
    }
    return contrasts(pairs, both.margins.confidence, factor) if pairs else []


def against_wdrbo(both: SideBySide, column: str = "total", reading: str = "text") -> list[Contrast]:
    """Every other method minus WDRBO on every problem, corrected for all of them together."""
    pairs = {
        f"{problem}, {method}": both.pair(problem, method, "wdrbo", column, reading=reading)
        for problem in both.problems
        for method in METHOD_NAMES
        if method != "wdrbo" and both.has(problem, method, reading) and both.has(problem, "wdrbo", reading)
    }
    return contrasts(pairs, both.margins.confidence) if pairs else []


def resampled(seeds: int, name: str) -> Floats:
    """Weights (10,000, seeds) of a bootstrap over seeds, from a fixed stream."""
    drawn = stream(0, "wdrbo", "bootstrap", name).multinomial(seeds, np.full(seeds, 1.0 / seeds), REPETITIONS)
    return drawn / seeds


def average_ranks(values: Floats) -> tuple[Floats, Floats]:
    """Ranks of the mean regret, averaged over problems: (methods,) of all seeds, and (10,000, methods) of resamples.

    Parameters
    ----------
    values : (seeds, problems, methods)
    """
    means = np.tensordot(resampled(len(values), "ranks"), values, axes=1)
    return stats.rankdata(values.mean(axis=0), axis=-1).mean(axis=0), stats.rankdata(means, axis=-1).mean(axis=1)


def group_claim(values: Floats, methods: Sequence[str], leading: Sequence[str], significance: float) -> Judgement:
    """ "These methods have the best average ranks": by a bootstrap over seeds.

    Holds if all of them rank before all others in at least 1 - significance of the resamples; contradicted if one of the
    others ranks before one of them in at least 1 - significance/(number of pairs) of them.
    """
    own, resamples = average_ranks(values)
    first = [i for i, name in enumerate(methods) if name in leading]
    rest = [i for i, name in enumerate(methods) if name not in leading]
    share = float((resamples[:, first].max(axis=1) < resamples[:, rest].min(axis=1)).mean())
    reversed_ = {(i, j): float((resamples[:, i] > resamples[:, j]).mean()) for i in first for j in rest}
    worst = max(reversed_, key=lambda pair: reversed_[pair])
    shown = ", ".join(f"{label(methods[i])} {own[i]:.2f}" for i in np.argsort(own, kind="stable"))
    reason = f"average ranks over {values.shape[1]} problems: {shown}; the group leads in {share:.1%} of {REPETITIONS} resamples"
    reason += f" of {len(values)} seeds"
    if share >= 1.0 - significance:
        return Judgement(HOLDS, reason)
    reason += f"; {label(methods[worst[1]])} before {label(methods[worst[0]])} in {reversed_[worst]:.1%}"
    beaten = reversed_[worst] >= 1.0 - significance / len(reversed_)
    return Judgement(CONTRADICTED if beaten else UNDECIDED, reason)


def growth(cumulative: Floats, rounds: Floats, confidence: float) -> Interval:
    """Log-log slope of the mean cumulative regret over the second half of the run, by a bootstrap over seeds.

    Parameters
    ----------
    cumulative : (seeds, marks), at ``rounds`` (marks,)
    confidence : level of the interval, between quantiles of the resampled slopes
    """
    late = rounds >= rounds[-1] / 2
    across = np.log(rounds[late]) - np.log(rounds[late]).mean()

    def slope(means: Floats) -> Floats:
        return np.asarray(np.log(np.maximum(means[..., late], 1e-300)) @ across / (across @ across))

    drawn = slope(resampled(len(cumulative), "growth") @ cumulative)
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(slope(cumulative.mean(axis=0))), float(low), float(high), len(cumulative))
