"""Methods compared over common seeds: paired tests corrected for their number, resamples of the seeds, and power.

All methods at one seed share the design, the noise and the candidates or contexts, so that differences are taken seed by seed,
and a bootstrap resamples the seeds, the same for all methods. Its stream is handed in, and fixed by who asks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.judge.intervals import Interval, paired_interval
from companion.judge.multiple_testing import holm
from companion.judge.verdict import CONTRADICTED, HOLDS, UNDECIDED, Judgement

#: Resamples of a bootstrap.
REPETITIONS = 10_000
MOST_RUNS = 10_000
Pair = TypeVar("Pair", bound=Hashable)


# -- resamples ---------------------------------------------------------------------------------------------------------


def resampled(generator: np.random.Generator, count: int) -> Floats:
    """Weights (10,000, count) of a bootstrap: how often each of ``count`` values is drawn, over their number.

    The means of all resamples are then one matrix product.
    """
    return generator.multinomial(count, np.full(count, 1.0 / count), REPETITIONS) / count


def resampled_means(generator: np.random.Generator, columns: Sequence[Floats]) -> Floats:
    """Means (10,000, k) of k columns under resampling of their common rows."""
    data = np.stack(columns, axis=1)
    return np.asarray(resampled(generator, len(data)) @ data)


def between(estimate: float, drawn: Floats, confidence: float, count: int) -> Interval:
    """An estimate from ``count`` values with the quantiles of its resampled values."""
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(estimate), float(low), float(high), count)


def by_resamples(
    holds: np.ndarray,
    reversed_: Mapping[Pair, np.ndarray],
    reason: str,
    words: Callable[[Pair], str],
    significance: float = 0.05,
) -> Judgement:
    """A claim of order, from the resamples in which it holds, and in which single pairs stand the other way.

    Holds if it does in at least 1 - significance of the resamples; contradicted if some pair is reversed in at least
    1 - significance/(number of pairs) of them; otherwise undecided.

    Parameters
    ----------
    holds : (10,000,) truth values
    reversed_ : the same for every claimed pair
    reason : with ``{share}`` where the share of resamples stands in which the claim holds
    words : of a reversed pair; its share follows
    """
    first, turned = float(holds.mean()), {pair: float(found.mean()) for pair, found in reversed_.items()}
    worst = max(turned, key=lambda pair: turned[pair])
    told = reason.format(share=f"{first:.1%}")
    if first >= 1.0 - significance:
        return Judgement(HOLDS, told)
    contradicted = turned[worst] >= 1.0 - significance / len(turned)
    told += f"; {words(worst)} {turned[worst]:.1%}"
    return Judgement(CONTRADICTED if contradicted else UNDECIDED, told)


def lowest(
    values: Mapping[str, Floats],
    name: str,
    generator: np.random.Generator,
    named: Mapping[str, str],
    significance: float = 0.05,
) -> tuple[Judgement, dict[str, float]]:
    """Whether ``name`` has the lowest mean, by a bootstrap that resamples seeds, the same for all methods.

    See :func:`by_resamples`; a pair is ``name`` with one of the others.

    Parameters
    ----------
    values : by method (seeds,)
    named : how methods are called in the reason

    Returns
    -------
    the judgement, and for each other method the share of resamples in which its mean is the lower one
    """
    others = [other for other in values if other != name]
    means = resampled_means(generator, [values[name], *(values[other] for other in others)])
    below = {other: means[:, k] < means[:, 0] for k, other in enumerate(others, start=1)}
    reason = f"{named[name]} lowest in {{share}} of {REPETITIONS} resamples of {len(values[name])}"
    first = np.all(means[:, 1:] > means[:, :1], axis=1)
    judged = by_resamples(first, below, reason, lambda other: f"{named[other]} lower in", significance)
    return judged, {other: float(found.mean()) for other, found in below.items()}


def ranking_claim(
    values: Mapping[str, ArrayLike], order: Sequence[str], *, repetitions: int = 10_000, significance: float = 0.05
) -> Judgement:
    """ "A < B < C" by a bootstrap that resamples seeds, the same for all methods (common random numbers stay together).

    Holds if the means stand in the claimed order in at least 1 - significance of the resamples; contradicted if some
    claimed pair stands the other way in at least 1 - significance/(number of pairs) of them; otherwise undecided.

    Parameters
    ----------
    values : per method one value a seed, seeds in the same order
    order : methods from smallest to largest
    repetitions : resamples, drawn from a fixed stream

    Raises
    ------
    ParameterError
        for fewer than two methods or seeds, unknown methods, or columns of unequal length
    """
    lacking = [name for name in order if name not in values]
    if len(order) < 2 or lacking or len(set(order)) < len(order):
        raise ParameterError("order", f"got {list(order)!r}", f"two or more of {', '.join(values)}, each once")
    columns = [np.asarray(values[name], dtype=float) for name in order]
    if len({column.shape for column in columns}) > 1 or columns[0].ndim != 1 or len(columns[0]) < 2:
        raise ParameterError("values", "have unequal lengths or fewer than two seeds", "one value a seed and method")
    data = np.stack(columns, axis=1)
    picks = stream(0, "ranking").integers(len(data), size=(repetitions, len(data)))
    # Counts of each seed in each resample turn 10,000 means into one matrix product.
    means = np.apply_along_axis(np.bincount, 1, picks, minlength=len(data)) / len(data) @ data
    in_order = np.all(np.diff(means, axis=1) > 0, axis=1)
    turned = {(i, j): means[:, i] > means[:, j] for i, j in combinations(range(len(order)), 2)}
    reason = f"{' < '.join(order)} in {{share}} of {repetitions} resamples of {len(data)} seeds"
    return by_resamples(in_order, turned, reason, lambda pair: f"{order[pair[0]]} > {order[pair[1]]} in", significance)


# -- paired tests ------------------------------------------------------------------------------------------------------


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
            "ci95": gap.ends,
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
        intervals.append(paired_interval(one, two, confidence, factor))
        p.append(p_value(one - factor * two))
    return [
        Contrast(
            where, interval, value, float(adjusted), (float(pairs[where][0].mean()), float(pairs[where][1].mean()))
        )
        for where, interval, value, adjusted in zip(pairs, intervals, p, holm(p), strict=True)
    ]


def p_value(difference: Floats) -> float:
    """Of the two-sided paired t-test; 1 or 0 where the differences do not vary, as they are zero or not."""
    if np.ptp(difference) == 0.0:
        return 1.0 if difference[0] == 0.0 else 0.0
    return float(stats.ttest_1samp(difference, 0.0).pvalue)


# -- power -------------------------------------------------------------------------------------------------------------


def power(effect: float, runs: int, significance: float = 0.05, groups: int = 1) -> float:
    """Probability that a paired t-test of ``runs`` runs sees a mean difference of ``effect`` standard deviations.

    1 - F(c) + F(-c) with F the noncentral t distribution of g (runs - 1) degrees of freedom and noncentrality
    effect √(runs/g), c the quantile of Student's t. ``groups`` is g: 1 for pairs, 2 for two groups of ``runs`` each.
    """
    degrees = groups * (runs - 1)
    limit = float(special.stdtrit(degrees, 1.0 - significance / 2.0))
    shift = abs(effect) * math.sqrt(runs / groups)
    upper = float(stats.nct.sf(limit, degrees, shift))
    lower = float(stats.nct.cdf(-limit, degrees, shift))
    # Far out in the tails the library gives up; there the test cannot fail.
    return min(1.0, upper + lower) if math.isfinite(upper) and math.isfinite(lower) else 1.0


def runs_needed(effect: float, wanted: float, significance: float = 0.05, groups: int = 1) -> int | None:
    """Fewest runs, of each group, with :func:`power` of at least ``wanted``; ``None`` above 10,000."""
    if power(effect, MOST_RUNS, significance, groups) < wanted:
        return None
    low, high = 2, MOST_RUNS
    # The normal law's answer is a few runs off; looked at first, it leaves little to halve.
    guess = math.ceil(groups * ((special.ndtri(1.0 - significance / 2.0) + special.ndtri(wanted)) / effect) ** 2)
    near = [guess + 1, guess + 4, guess - 2]
    while low < high:
        middle = near.pop(0) if near else (low + high) // 2
        if not low <= middle < high:
            continue
        low, high = (low, middle) if power(effect, middle, significance, groups) >= wanted else (middle + 1, high)
    return low
