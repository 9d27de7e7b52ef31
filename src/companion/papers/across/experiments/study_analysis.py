"""Ranking of rules by measure: rules at their best settings, with the functions as the sample; and the cost of errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from companion.core.arrays import Floats
from companion.judge.intervals import Interval, mean_interval
from companion.judge.method_comparison import Contrast, contrasts
from companion.judge.reported import Margins, load_margins
from companion.papers.across.experiments import study
from companion.papers.across.experiments.study import ERROR_ENTRIES, ERROR_NOISE, NOISES, RIGHT
from companion.papers.across.experiments.study_play import CHECKPOINTS, SEEDS
from companion.papers.across.method.rules import BATCHES, ENTRIES, PLAIN, Entry, sizes

#: Every play counts; the best point counts after 30, 50 and 100 plays, and after ten rounds. All are to be small.
MEASURES = ("cumulative", "early", "half", "final", "rounds")

#: Rules of a ranking, by points a round. BPE, with batches of its own, stands with those that choose one by one.
RULES = {
    1: tuple(dict.fromkeys(entry.rule for entry in ENTRIES if entry.batch < 2)),
    **{size: tuple(dict.fromkeys(entry.rule for entry in ENTRIES if entry.batch == size)) for size in BATCHES},
}


def taking_part(measure: str, batch: int) -> tuple[str, ...]:
    """Rules of a ranking; by rounds only those that never ask for more than ``batch`` points a round after the first.

    This was added after the runs: BPE plays all hundred in four rounds, of up to 57.
    """
    longest = {rule: max(sizes(Entry(rule, 0 if rule == "bpe" else batch, PLAIN))[1:]) for rule in RULES[batch]}
    return tuple(rule for rule, size in longest.items() if measure != "rounds" or size <= batch)


@dataclass(frozen=True, eq=False)
class Judged:
    """Rules at their best settings by one measure, best first.

    Attributes
    ----------
    measure, batch, noises : of the ranking
    order : rules from the lowest mean
    values : by rule (functions,) in units of the gap
    means, ranks : by rule, with intervals over functions that are not corrected
    settings : by rule, the setting that most functions are judged at
    pairs : every two rules in the order of ``order``, Holm-corrected
    groups : runs of neighbours of which no two are told apart
    friedman : p-value of Friedman's test
    """

    measure: str
    batch: int
    noises: tuple[float, ...]
    order: tuple[str, ...]
    values: Mapping[str, Floats]
    means: Mapping[str, Interval]
    ranks: Mapping[str, Interval]
    settings: Mapping[str, str]
    pairs: Mapping[tuple[str, str], Contrast]
    groups: tuple[tuple[str, ...], ...]
    friedman: float

    def with_best(self, significance: float) -> tuple[str, ...]:
        """The best rule, and those that are not shown to be worse."""
        first = self.order[0]
        return tuple(name for name in self.order if name == first or not self.pairs[first, name].shown(significance))


@dataclass(frozen=True, eq=False)
class Study:
    """The stored study.

    Parameters
    ----------
    table : of the runs
    margins : of chapter 6
    """

    table: pd.DataFrame
    margins: Margins

    @classmethod
    def read(cls, root: Path | None = None) -> Study:
        """Tables and margins; errors as of :meth:`companion.stored.runs.PaperRuns.load`."""
        return cls(study.load(root).tables["study"], load_margins("across", root))

    @cached_property
    def _cells(self) -> dict[tuple[Any, ...], pd.DataFrame]:
        of = self.table.groupby(["model", "noise", "batch", "method", "setting"])
        return {tuple(key): part.set_index("problem") for key, part in of}

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Functions, in order."""
        return tuple(dict.fromkeys(self.table.problem))

    def settings(self, rule: str, batch: int) -> tuple[str, ...]:
        """All that a rule was played with."""
        of = {0, 1} if batch == 1 else {batch}
        return tuple(entry.setting for entry in ENTRIES if entry.rule == rule and entry.batch in of)

    def values(
        self,
        measure: str,
        rule: str,
        setting: str,
        batch: int = 1,
        noises: Sequence[float] = NOISES,
        problems: Sequence[str] = (),
        model: str = RIGHT,
    ) -> Floats:
        """(functions,) a column, averaged over the noises."""
        size = 0 if rule == "bpe" else batch
        chosen = list(problems or self.problems)
        columns = [
            self._cells[model, noise, size, rule, setting][measure].loc[chosen].to_numpy(dtype=np.float64)
            for noise in noises
        ]
        return np.asarray(np.mean(columns, axis=0))

    def tuned(
        self, measure: str, rule: str, batch: int = 1, noises: Sequence[float] = NOISES
    ) -> tuple[Floats, tuple[str, ...]]:
        """A rule at the setting that is best on average on the other functions: (functions,) values, and the settings."""
        names = self.settings(rule, batch)
        found = np.array([self.values(measure, rule, name, batch, noises) for name in names])
        others = found.sum(axis=1, keepdims=True) - found
        best = others.argmin(axis=0)
        return found[best, np.arange(found.shape[1])], tuple(names[place] for place in best)

    def judged(self, measure: str, batch: int = 1, noises: Sequence[float] = NOISES) -> Judged:
        """The ranking of all rules by a measure, of those that :func:`take part <taking_part>`."""
        tuned = {rule: self.tuned(measure, rule, batch, noises) for rule in taking_part(measure, batch)}
        values = {rule: found for rule, (found, _) in tuned.items()}
        level = self.margins.confidence
        means = {rule: mean_interval(found, level) for rule, found in values.items()}
        order = tuple(sorted(values, key=lambda rule: (means[rule].estimate, rule)))
        places = np.asarray(stats.rankdata([values[rule] for rule in order], axis=0))
        named = {f"{one} {two}": (one, two) for one, two in combinations(order, 2)}
        tests = contrasts({key: (values[one], values[two]) for key, (one, two) in named.items()}, level)
        pairs = {named[test.where]: test for test in tests}
        apart = {pair for pair, test in pairs.items() if test.shown(self.margins.significance)}
        return Judged(
            measure,
            batch,
            tuple(noises),
            order,
            values,
            means,
            {rule: mean_interval(row, level) for rule, row in zip(order, places, strict=True)},
            {rule: max(set(chosen), key=chosen.count) for rule, (_, chosen) in tuned.items()},
            pairs,
            neighbours(order, apart),
            float(stats.friedmanchisquare(*places).pvalue),
        )

    def profile(
        self, tolerance: str, rule: str, batch: int = 1, noises: Sequence[float] = NOISES
    ) -> tuple[Floats, Interval]:
        """Share of runs that are solved after each checkpoint, and at the end with an interval over functions.

        The setting is the one by which most functions are judged for the final regret.
        """
        _, chosen = self.tuned("final", rule, batch, noises)
        setting = max(set(chosen), key=chosen.count)
        shares = [self.values(f"{tolerance}_{plays}", rule, setting, batch, noises) / SEEDS for plays in CHECKPOINTS]
        return np.array([float(each.mean()) for each in shares]), mean_interval(shares[-1], self.margins.confidence)

    def batch_cost(
        self, measure: str, pairs: Mapping[tuple[str, str], int], noises: Sequence[float] = NOISES
    ) -> list[Contrast]:
        """A rule in batches minus its sequential form, both at their best settings, corrected together."""
        asked = {
            f"{rule} {batch}": (self.tuned(measure, rule, batch, noises)[0], self.tuned(measure, alone, 1, noises)[0])
            for (rule, alone), batch in pairs.items()
        }
        return contrasts(asked, self.margins.confidence)

    # -- the wrong model -----------------------------------------------------------------------------------------------

    def harmed(self, error: str) -> tuple[str, ...]:
        """Functions on which a model with this error was played."""
        return tuple(name for name in self.problems if error in study.errors_of(name))

    def errors(self, measure: str) -> dict[tuple[str, str, str], Contrast]:
        """Increase of a rule's regret by an error, by (rule, setting, error), corrected together."""
        keys = {
            " ".join((entry.rule, entry.setting, error)): (entry.rule, entry.setting, error)
            for entry in ERROR_ENTRIES
            for error in study.ERRORS
        }
        pairs = {}
        for key, (rule, setting, error) in keys.items():
            where = (measure, rule, setting, 1, (ERROR_NOISE,), self.harmed(error))
            pairs[key] = (self.values(*where, error), self.values(*where))
        return {keys[test.where]: test for test in contrasts(pairs, self.margins.confidence)}


# -- pieces


def neighbours(order: Sequence[str], apart: set[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Longest runs of an order in which no pair is ``apart``, of two or more."""
    runs: list[tuple[int, int]] = []
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and not any((order[k], order[last + 1]) in apart for k in range(first, last + 1)):
            last += 1
        if last > first and not any(start <= first and last <= end for start, end in runs):
            runs.append((first, last))
    return tuple(tuple(order[first : last + 1]) for first, last in runs)


def seconds(root: Path | None = None) -> dict[tuple[str, int], float]:
    """Median processor seconds of a run, by rule and batch, of all seeds at once."""
    table = study.load(root).tables["study_seconds"]
    return {(str(row.method), int(row.batch)): float(row.seconds) for row in table.itertuples()}


def relative(values: Floats, reference: Floats) -> Interval:
    """Geometric mean of the ratio of two rules over functions, with its interval; where both are positive."""
    ratio = np.log(values) - np.log(reference)
    gap = mean_interval(ratio)
    return Interval(math.exp(gap.estimate), math.exp(gap.low), math.exp(gap.high), gap.count)
