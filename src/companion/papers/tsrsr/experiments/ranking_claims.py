"""Ranking of the methods, and whether ten runs could have shown it: paired comparisons over common seeds.

Two methods at one seed share the function, the design, the noise and the candidates, so their difference is taken seed by
seed; where a problem has several functions or goals, runs on the same one are averaged first, and the functions are
resampled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.judge import method_comparison
from companion.judge.intervals import Interval
from companion.judge.stored_runs import once
from companion.judge.verdict import HOLDS, Judgement
from companion.papers.tsrsr.experiments.printed import NAME_OF, OURS, RIVALS, TSRSRResults
from companion.papers.tsrsr.problems.catalogue import SETTINGS

AS_PRINTED, REVERSED, APART, NOT_APART = "as printed", "reversed", "apart, printed equal", "not told apart"
OUTCOMES = (AS_PRINTED, REVERSED, APART, NOT_APART)


def _stream(name: str) -> np.random.Generator:
    return stream(0, "tsrsr", "bootstrap", name)


def lowest(values: Mapping[str, Floats], name: str, significance: float = 0.05) -> tuple[Judgement, dict[str, float]]:
    """:func:`companion.judge.method_comparison.lowest` with the paper's names, from a fixed stream."""
    return method_comparison.lowest(values, name, _stream("lowest"), NAME_OF, significance)


@dataclass(frozen=True)
class Firsts:
    """Number of problems on which TS-RSR has the lowest mean, and the role of chance.

    Attributes
    ----------
    few, count : problems where no method's mean is lower: with the paper's number of runs, and with all runs
    total : problems run
    expected : mean over the resamples of all runs of the number of problems on which it is the lowest
    low, high : the same in the middle ``level`` of the resamples; this interval belongs to ``expected``
    beyond : problems where it is the lowest in that share of the resamples, see :func:`lowest`
    runs : fewest and most runs of a cell
    level : share, as frozen in the margins
    """

    few: int
    count: int
    total: int
    expected: float
    low: int
    high: int
    beyond: int
    runs: tuple[int, int]
    level: float

    def to_json(self) -> dict[str, Any]:
        """Fields of an entry."""
        names = ("few", "count", "total", "expected", "low", "high", "beyond")
        return {name: getattr(self, name) for name in names} | {"runs": list(self.runs)}


@once
def firsts(results: TSRSRResults, reading: str = "text") -> Firsts:
    """Number of first places of TS-RSR, by a bootstrap that resamples seeds (functions, where there are several).

    Seeds are the same for all methods of a problem, and independent between problems. A minimum is taken in every resample,
    so that close rivals change places, and the counts of the resamples do not lie about ``count``: what their interval is
    about is their mean, ``expected``.
    """
    problems = [name for name in results.problems if results.has(name, reading=reading)]
    tally, beyond, sizes = np.zeros(method_comparison.REPETITIONS, dtype=int), 0, []
    for problem in problems:
        values = {name: results.units(problem, name, reading) for name in (OURS, *RIVALS)}
        means = method_comparison.resampled_means(_stream(f"firsts {problem}"), list(values.values()))
        tally += (means[:, :1] <= means[:, 1:]).all(axis=1)
        beyond += lowest(values, OURS, results.margins.significance)[0].verdict == HOLDS
        sizes.append(len(results.runs(problem, OURS, reading)))
    half = (1.0 - results.margins.confidence) / 2.0
    low, high = (int(np.quantile(tally, share, method="inverted_cdf")) for share in (half, 1.0 - half))
    return Firsts(
        sum(ranks(results, name, reading, results.paper_runs(name))[OURS] == 1 for name in problems),
        sum(ranks(results, name, reading)[OURS] == 1 for name in problems),
        len(problems),
        float(tally.mean()),
        low,
        high,
        beyond,
        (min(sizes, default=0), max(sizes, default=0)),
        results.margins.confidence,
    )


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
        """Comparison of our interval with the printed difference."""
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


def pair(results: TSRSRResults, problem: str, first: str, second: str, reading: str = "text") -> Pair:
    """Compare two methods of the paper on one problem."""
    count = results.paper_runs(problem)
    everything = results.against(problem, first, second, reading)
    chance, needed = _power(results, problem, first, second, reading)
    wanted = results.margins.claims["power"]
    return Pair(
        first,
        second,
        results.printed(problem, first) - results.printed(problem, second),
        everything,
        results.against(problem, first, second, reading, count),
        chance,
        needed,
        chance is not None and chance >= wanted,
    )


def _power(
    results: TSRSRResults, problem: str, first: str, second: str, reading: str
) -> tuple[float | None, int | None]:
    """Power of the paper's own design: ten functions with several runs each, ten goals with one, or ten runs."""
    column = SETTINGS[problem]
    take = results.units if column.functions > 1 and column.repeats > 1 else results.runs
    difference = take(problem, first, reading) - take(problem, second, reading)
    spread = float(difference.std(ddof=1))
    if spread == 0.0:
        return None, None
    effect = float(difference.mean()) / spread
    size = min(results.paper_runs(problem), len(difference))
    return method_comparison.power(effect, size), method_comparison.runs_needed(effect, results.margins.claims["power"])


def average_ranks(
    results: TSRSRResults, methods: Sequence[str], reading: str = "text", few: bool = False
) -> dict[str, Floats]:
    """Rank of each method's mean on every problem that was run, ties averaged; one array a method.

    ``few``: with the paper's number of runs, and not with all.
    """
    problems = {
        name: results.paper_runs(name) if few else None
        for name in results.problems
        if results.has(name, reading=reading)
    }
    means = np.array(
        [[results.runs(name, method, reading, count).mean() for method in methods] for name, count in problems.items()]
    )
    ranks = stats.rankdata(means, axis=1)
    return {method: ranks[:, k] for k, method in enumerate(methods)}


@once
def ranks(
    results: TSRSRResults, problem: str, reading: str | None = "text", count: int | None = None
) -> dict[str, int]:
    """Rank of the paper's methods on one problem, 1 = lowest, ties share the lower; ``reading=None`` of printed means."""
    names = [OURS, *RIVALS]
    if reading is None:
        means = [results.printed(problem, name) for name in names]
    else:
        means = [float(results.runs(problem, name, reading, count).mean()) for name in names]
    return dict(zip(names, stats.rankdata(means, method="min").astype(int).tolist(), strict=True))


def _interval(interval: Interval) -> dict[str, Any]:
    return {"mean": interval.estimate, "ci95": interval.ends, "n": interval.count}
