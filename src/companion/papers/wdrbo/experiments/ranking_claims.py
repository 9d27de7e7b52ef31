"""Ranking of methods by regret, over common seeds: paired tests with Holm's correction, ranks, and growth of regret.

All methods at one seed see the same design, contexts and noise, so differences are taken seed by seed; the seeds are what
is resampled, the same for all methods and problems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.judge.intervals import Interval
from companion.judge.method_comparison import (
    REPETITIONS,
    Contrast,
    between,
    by_resamples,
    contrasts,
    p_value,
    resampled,
)
from companion.judge.multiple_testing import holm
from companion.judge.stored_runs import once
from companion.judge.verdict import Judgement
from companion.papers.wdrbo.experiments.printed import WDRBOResults, label
from companion.papers.wdrbo.experiments.runs import METHOD_NAMES


def _weights(count: int, name: str) -> Floats:
    return resampled(stream(0, "wdrbo", "bootstrap", name), count)


def on_problems(
    results: WDRBOResults,
    first: str,
    second: str,
    column: str = "total",
    reading: str = "text",
    factor: float = 1.0,
    count: int | None = None,
) -> list[Contrast]:
    """Two methods on every problem that both were run on, over their common seeds or the first ``count``; or none."""
    pairs = {
        problem: results.pair(problem, first, second, column, count, reading=reading)
        for problem in results.problems
        if results.has(problem, first, reading=reading) and results.has(problem, second, reading=reading)
    }
    return contrasts(pairs, results.margins.confidence, factor) if pairs else []


@once
def against_wdrbo(
    results: WDRBOResults, column: str = "total", reading: str = "text", count: int | None = None
) -> list[Contrast]:
    """Every other method minus WDRBO on every problem, over common seeds, corrected for all of them together."""
    pairs = {
        f"{problem}, {method}": results.pair(problem, method, "wdrbo", column, count, reading=reading)
        for problem in results.problems
        for method in METHOD_NAMES
        if method != "wdrbo"
        and results.has(problem, method, reading=reading)
        and results.has(problem, "wdrbo", reading=reading)
    }
    return contrasts(pairs, results.margins.confidence) if pairs else []


def beside_best(
    results: WDRBOResults, method: str, methods: Sequence[str], reading: str, margin: float
) -> dict[str, int]:
    """Whether a method's regret is within the share ``margin`` of the least of all ``methods``, problem by problem.

    -1 where it is shown to be below 1 + margin times that of every other method (each at the full level, as all have to be
    shown), 1 where it is shown to be above that of at least one (corrected for their number), 0 where neither is; corrected
    for the problems besides.
    """
    others = [name for name in methods if name != method]
    near, behind = [], []
    for problem in results.problems:
        gaps = []
        for other in others:
            one, two = results.pair(problem, method, other, reading=reading)
            gaps.append(one - (1.0 + margin) * two)
        below = [p_value(gap) if gap.mean() < 0 else 1.0 for gap in gaps]
        above = [p_value(gap) if gap.mean() > 0 else 1.0 for gap in gaps]
        near.append(max(below))
        behind.append(min(1.0, len(others) * min(above)))
    level = results.margins.significance
    return {
        problem: -1 if a < level else 1 if b < level else 0
        for problem, a, b in zip(results.problems, holm(near), holm(behind), strict=True)
    }


def average_ranks(values: Floats) -> tuple[Floats, Floats]:
    """Ranks of the mean regret, averaged over problems: (methods,) of all seeds, and (10,000, methods) of resamples.

    Parameters
    ----------
    values : (seeds, problems, methods)
    """
    means = np.tensordot(_weights(len(values), "ranks"), values, axes=1)
    return stats.rankdata(values.mean(axis=0), axis=-1).mean(axis=0), stats.rankdata(means, axis=-1).mean(axis=1)


def group_claim(values: Floats, methods: Sequence[str], leading: Sequence[str], significance: float) -> Judgement:
    """ "These methods have the best average ranks": by a bootstrap over seeds.

    Holds if all of them rank before all others in at least 1 - significance of the resamples; contradicted if one of the
    others ranks before one of them in at least 1 - significance/(number of pairs) of them.
    """
    own, resamples = average_ranks(values)
    first = [i for i, name in enumerate(methods) if name in leading]
    rest = [i for i, name in enumerate(methods) if name not in leading]
    leads = resamples[:, first].max(axis=1) < resamples[:, rest].min(axis=1)
    turned = {(i, j): resamples[:, i] > resamples[:, j] for i in first for j in rest}
    shown = ", ".join(f"{label(methods[i])} {own[i]:.2f}" for i in np.argsort(own, kind="stable"))
    reason = (
        f"average ranks among {len(methods)} methods over {values.shape[1]} problems: {shown}; the group leads in {{share}} "
        f"of {REPETITIONS} resamples of the {len(values)} seeds that all these cells have"
    )

    def words(pair: tuple[int, int]) -> str:
        return f"{label(methods[pair[1]])} before {label(methods[pair[0]])} in"

    return by_resamples(leads, turned, reason, words, significance)


@dataclass(frozen=True)
class Pace:
    """Mean regret a round late in a run beside that a while before; intervals by a bootstrap over seeds.

    Attributes
    ----------
    early, late : mean regret a round, between 50 % and 70 % of the rounds, and between 80 % and 100 %
    ratio : late over early; one for a regret that goes on growing linearly, whatever its first rounds cost
    spans : first and last round of both
    """

    early: float
    late: Interval
    ratio: Interval
    spans: tuple[tuple[int, int], ...]

    def falls(self) -> bool:
        """Whether the regret a round is shown to fall."""
        return self.ratio.high < 1.0

    def steady(self, allowance: float) -> bool:
        """Whether it is shown to go on, changed by less than the share ``allowance``."""
        return self.late.low > 0.0 and self.ratio.low > 1.0 - allowance and self.ratio.high < 1.0 + allowance

    def changes(self, allowance: float) -> bool:
        """Whether it is shown to have changed by more than the share ``allowance``."""
        return self.ratio.high < 1.0 - allowance or self.ratio.low > 1.0 + allowance

    def words(self) -> str:
        """Both means and their ratio."""
        (a, b), (c, d) = self.spans
        ratio = self.ratio
        return (
            f"{self.late.estimate:.3g} a round in rounds {c} to {d} against {self.early:.3g} in rounds {a} to {b}: ratio "
            f"{ratio.estimate:.3f}, interval {ratio.low:.3f} to {ratio.high:.3f}"
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON types."""
        named = {"late": self.late, "ratio": self.ratio}
        return {"early": self.early} | {name: [v.estimate, *v.ends] for name, v in named.items()}


def pace(cumulative: Floats, rounds: Floats, confidence: float) -> Pace:
    """Change of the regret a round over the second half of a run.

    A log-log slope of the cumulative regret does not tell: it lies below one as soon as the first rounds cost more than
    the later ones, even where every later round costs the same.

    Parameters
    ----------
    cumulative : (seeds, 10), at ``rounds`` (10,), equally spaced up to the last, as stored: with five digits
    confidence : level of the intervals, between quantiles of the resampled values
    """
    spans = ((4, 6), (7, 9))
    rates = np.stack([(cumulative[:, b] - cumulative[:, a]) / (rounds[b] - rounds[a]) for a, b in spans], axis=1)
    drawn = _weights(len(rates), "pace") @ rates

    def ratio(values: Floats) -> Floats:
        # A regret that has stopped has the ratio zero.
        return np.asarray(np.maximum(values[..., 1], 0.0) / np.maximum(values[..., 0], 1e-300))

    means = rates.mean(axis=0)
    return Pace(
        float(means[0]),
        between(means[1], drawn[:, 1], confidence, len(rates)),
        between(float(ratio(means)), ratio(drawn), confidence, len(rates)),
        tuple((int(rounds[a]) + 1, int(rounds[b])) for a, b in spans),
    )


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

    drawn = slope(_weights(len(cumulative), "growth") @ cumulative)
    return between(float(slope(cumulative.mean(axis=0))), drawn, confidence, len(cumulative))
