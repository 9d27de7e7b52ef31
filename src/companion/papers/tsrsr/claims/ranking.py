"""Which method is better, and whether ten runs could have said so: paired comparisons over common seeds.

Two methods at one seed share the function, the design, the noise and the candidates, so their difference is taken seed by
seed; where a problem has several functions or goals, runs on the same one are averaged first, and the functions are what
is resampled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from companion.arrays import Floats
from companion.papers.tsrsr.claims.printed import NAME_OF, OURS, RIVALS, TITLE_OF, SideBySide
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.randomness import stream
from companion.reproduce.intervals import Interval, paired_interval
from companion.reproduce.verdict import CONTRADICTED, HOLDS, UNDECIDED, Judgement

REPETITIONS = 10_000
MOST_RUNS = 10_000
AS_PRINTED, REVERSED, APART, NOT_APART = "as printed", "reversed", "apart, printed equal", "not told apart"
OUTCOMES = (AS_PRINTED, REVERSED, APART, NOT_APART)


def resampled_means(columns: Sequence[Floats], name: str) -> Floats:
    """Means (10,000, k) of k columns under resampling of their common rows, from a fixed stream."""
    data = np.stack(columns, axis=1)
    size = len(data)
    # How often each row is drawn, for all resamples at once; the means are then one matrix product.
    weights = stream(0, "tsrsr", "bootstrap", name).multinomial(size, np.full(size, 1.0 / size), REPETITIONS) / size
    return np.asarray(weights @ data)


def lowest(values: Mapping[str, Floats], name: str, significance: float = 0.05) -> tuple[Judgement, dict[str, float]]:
    """Whether ``name`` has the lowest mean, by a bootstrap that resamples seeds, the same for all methods.

    Holds if its mean is below all others in at least 1 - significance of the resamples; contradicted if some other
    mean is below it in at least 1 - significance/(number of others) of them; otherwise undecided.

    Returns
    -------
    the judgement, and for each other method the share of resamples in which its mean is the lower one
    """
    others = [other for other in values if other != name]
    means = resampled_means([values[name], *(values[other] for other in others)], "lowest")
    first = float((means[:, 1:] > means[:, :1]).all(axis=1).mean())
    below = {other: float((means[:, k] < means[:, 0]).mean()) for k, other in enumerate(others, start=1)}
    worst = max(below, key=lambda other: below[other])
    reason = f"{NAME_OF[name]} lowest in {first:.1%} of {REPETITIONS} resamples of {len(values[name])}"
    if first >= 1.0 - significance:
        return Judgement(HOLDS, reason), below
    reason += f"; {NAME_OF[worst]} lower in {below[worst]:.1%}"
    contradicted = below[worst] >= 1.0 - significance / len(others)
    return Judgement(CONTRADICTED if contradicted else UNDECIDED, reason), below


@dataclass(frozen=True)
class Firsts:
    """On how many problems TS-RSR has the lowest mean, and how far that is chance.

    Attributes
    ----------
    count, total : problems where no method's mean is lower, and problems run
    low, high : in the middle ``level`` of the resamples, on how many problems it is the lowest
    beyond : problems where it is the lowest in that share of the resamples, see :func:`lowest`
    runs : fewest and most runs of a cell
    level : share, as frozen in the margins
    """

    count: int
    total: int
    low: int
    high: int
    beyond: int
    runs: tuple[int, int]
    level: float

    def to_json(self) -> dict[str, Any]:
        """Fields of an entry."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in ("count", "total", "low", "high", "beyond")}
        return fields | {"runs": list(self.runs)}


def firsts(both: SideBySide, reading: str = "text", count: int | None = None) -> Firsts:
    """Number of first places of TS-RSR, by a bootstrap that resamples seeds (functions, where there are several).

    Seeds are the same for all methods of a problem, and independent between problems. As a maximum is taken in every
    resample, the interval need not lie evenly about the count, nor hold it.
    """
    problems = [name for name in both.problems if both.has(name, reading)]
    tally, found, beyond, sizes = np.zeros(REPETITIONS, dtype=int), 0, 0, []
    for problem in problems:
        values = {name: both.units(problem, name, reading, count) for name in (OURS, *RIVALS)}
        means = resampled_means(list(values.values()), f"firsts {problem}")
        tally += (means[:, :1] <= means[:, 1:]).all(axis=1)
        found += ranks(both, problem, reading, count)[OURS] == 1
        beyond += lowest(values, OURS, both.margins.significance)[0].verdict == HOLDS
        sizes.append(len(both.runs(problem, OURS, reading, count)))
    half = (1.0 - both.margins.confidence) / 2.0
    low, high = (int(np.quantile(tally, share, method="inverted_cdf")) for share in (half, 1.0 - half))
    return Firsts(
        found, len(problems), low, high, beyond, (min(sizes, default=0), max(sizes, default=0)), both.margins.confidence
    )


def contrast(
    both: SideBySide, problem: str, first: str, second: str, factor: float, count: int | None = None
) -> Interval:
    """Paired interval of mean(first) - factor · mean(second): on which side of ``factor`` the ratio of means lies."""
    one, two = (both.units(problem, name, "text", count) for name in (first, second))
    return paired_interval(one, factor * two, both.margins.confidence)


def power(effect: float, runs: int, significance: float = 0.05) -> float:
    """Probability that a paired t-test of ``runs`` runs sees a mean difference of ``effect`` standard deviations.

    1 - F(c) + F(-c) with F the noncentral t distribution of runs - 1 degrees of freedom and noncentrality
    effect √runs, c the quantile of Student's t.
    """
    limit = float(stats.t.ppf(1.0 - significance / 2.0, runs - 1))
    shift = abs(effect) * math.sqrt(runs)
    upper = float(stats.nct.sf(limit, runs - 1, shift))
    lower = float(stats.nct.cdf(-limit, runs - 1, shift))
    # Far out in the tails the library gives up; there the test cannot fail.
    return min(1.0, upper + lower) if math.isfinite(upper) and math.isfinite(lower) else 1.0


def runs_needed(effect: float, wanted: float, significance: float = 0.05) -> int | None:
    """Fewest runs with :func:`power` of at least ``wanted``; ``None`` above 10,000."""
    if power(effect, MOST_RUNS, significance) < wanted:
        return None
    low, high = 2, MOST_RUNS
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if power(effect, middle, significance) >= wanted else (middle + 1, high)
    return low


@dataclass(frozen=True)
class Pair:
    """Two methods on one problem.

    Attributes
    ----------
    first, second : methods
    printed : difference of the printed means
    all_runs : paired interval from all our runs
    few_runs : the same from as many runs as the paper has
    power : chance that as many runs as the paper's tell them apart, were our difference the true one; ``None`` without
        variation
    needed : fewest runs (or functions) with the wanted power
    can_tell : whether that power is at least the wanted one
    """

    first: str
    second: str
    printed: float
    all_runs: Interval
    few_runs: Interval
    power: float | None
    needed: int | None
    can_tell: bool

    def outcome(self, few: bool = False) -> str:
        """How our interval stands to the printed difference."""
        interval = self.few_runs if few else self.all_runs
        if 0.0 in interval:
            return NOT_APART
        if self.printed == 0.0:
            return APART
        return AS_PRINTED if (interval.estimate > 0) == (self.printed > 0) else REVERSED

    def to_json(self) -> dict[str, Any]:
        """Fields for a verdict's entry."""
        return {
            "first": self.first,
            "second": self.second,
            "printed_difference": self.printed,
            "difference": _interval(self.all_runs),
            "difference_at_paper_runs": _interval(self.few_runs),
            "outcome": self.outcome(),
            "outcome_at_paper_runs": self.outcome(few=True),
            "power_at_paper_runs": self.power,
            "runs_needed": self.needed,
            "can_be_told_apart_at_paper_runs": self.can_tell,
        }


def pair(both: SideBySide, problem: str, first: str, second: str, reading: str = "text") -> Pair:
    """Compare two methods of the paper on one problem."""
    count = both.paper_runs(problem)
    everything = both.against(problem, first, second, reading)
    chance, needed = _power(both, problem, first, second, reading)
    wanted = both.margins.claims["power"]
    return Pair(
        first,
        second,
        both.printed(problem, first) - both.printed(problem, second),
        everything,
        both.against(problem, first, second, reading, count),
        chance,
        needed,
        chance is not None and chance >= wanted,
    )


def ranking_table(both: SideBySide, reading: str = "text") -> pd.DataFrame:
    """TS-RSR against every other method on every problem: one row a pair, with what the paper's number of runs can tell.

    Columns: problem, title, paper_runs, and those of :meth:`Pair.to_json` with the intervals' ends as ``low`` and ``high``.
    """
    rows = []
    for problem in both.problems:
        for other in RIVALS if both.has(problem, reading) else ():
            found = pair(both, problem, OURS, other, reading)
            row = {"problem": problem, "title": TITLE_OF[problem], "paper_runs": both.paper_runs(problem)}
            flat = {key: value for key, value in found.to_json().items() if not isinstance(value, dict)}
            ours = found.all_runs
            rows.append(row | flat | {"difference": ours.estimate, "low": ours.low, "high": ours.high, "n": ours.count})
    return pd.DataFrame(rows)


def _power(both: SideBySide, problem: str, first: str, second: str, reading: str) -> tuple[float | None, int | None]:
    """Power of the paper's own design: ten functions with several runs each, ten goals with one, or ten runs."""
    column = SETTINGS[problem]
    take = both.units if column.functions > 1 and column.repeats > 1 else both.runs
    difference = take(problem, first, reading) - take(problem, second, reading)
    spread = float(difference.std(ddof=1))
    if spread == 0.0:
        return None, None
    effect = float(difference.mean()) / spread
    size = min(both.paper_runs(problem), len(difference))
    return power(effect, size), runs_needed(effect, both.margins.claims["power"])


def average_ranks(both: SideBySide, methods: Sequence[str], reading: str = "text") -> dict[str, Floats]:
    """Rank of each method's mean on every problem that was run, ties averaged; one array a method."""
    problems = [name for name in both.problems if both.has(name, reading)]
    means = np.array([[both.runs(name, method, reading).mean() for method in methods] for name in problems])
    ranks = stats.rankdata(means, axis=1)
    return {method: ranks[:, k] for k, method in enumerate(methods)}


def ranks(both: SideBySide, problem: str, reading: str | None = "text", count: int | None = None) -> dict[str, int]:
    """Rank of the paper's methods on one problem, 1 = lowest, ties share the lower; ``reading=None`` of printed means."""
    names = [OURS, *RIVALS]
    if reading is None:
        means = [both.printed(problem, name) for name in names]
    else:
        means = [float(both.runs(problem, name, reading, count).mean()) for name in names]
    return dict(zip(names, stats.rankdata(means, method="min").astype(int).tolist(), strict=True))


def _interval(interval: Interval) -> dict[str, Any]:
    return {"mean": interval.estimate, "ci95": [interval.low, interval.high], "n": interval.count}
