"""Rankings of the study on a box, curves, and effects of its factors, as :mod:`.box_study_protocol` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest
from companion.judge.intervals import Interval, mean_interval
from companion.judge.method_comparison import Contrast, contrasts
from companion.judge.reported import Margins, load_margins
from companion.papers.across.experiments import box_study
from companion.papers.across.experiments.box_study import (
    CHECKPOINTS,
    HORIZON,
    INITIAL,
    KERNELS,
    KNOWN,
    LENGTHS,
    OTHERS,
    SHIPPED,
    USUAL,
    entries,
)  # fmt: skip
from companion.papers.across.method.rules import Entry
from companion.papers.across.problems.box_functions import BOX_FUNCTIONS, DIMS

#: Columns by measure: the mean of all evaluations; the point named after 30, 50 and 100; and after ten rounds.
MEASURES = {
    "plays": f"plays_{HORIZON}",
    "early": "point_30",
    "half": "point_50",
    "final": f"point_{HORIZON}",
    "rounds": "rounds",
}
#: Of level rules, which is named first: the one that most libraries have.
COMMON = ("ei-mean", "nei", "ucb", "ts", "ei", "ts-rsr", "sobol", "random", "bpe")
#: A mean so little above the lowest is level with it.
LEVEL = 0.01
#: Models and numbers of initial points that a question compares with the usual ones, and the rules it was asked for.
QUESTIONS: dict[str, tuple[tuple[str, int, float], ...]] = {
    "initial points": tuple((SHIPPED, count, USUAL) for count in OTHERS),
    "kernel": tuple((model, INITIAL, USUAL) for model in KERNELS),
    "length-scale": tuple((model, INITIAL, USUAL) for model in LENGTHS),
    "fitting": ((KNOWN, INITIAL, USUAL),),
}
ASKED = {
    "initial points": box_study.FACTOR_ENTRIES,
    "kernel": box_study.FACTOR_ENTRIES,
    "length-scale": box_study.LENGTH_ENTRIES,
    "fitting": box_study.KNOWN_ENTRIES,
}


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rules by one measure, lowest mean first.

    Attributes
    ----------
    measure, batch, noise, dim : of the ranking; ``dim`` is ``None`` for all functions
    order : the rules
    values : (functions,) of each
    means : of each, with an interval over functions
    worse : those that are shown to be worse than the one of the lowest mean
    level : those within :data:`LEVEL` of it that are not, the one named first before the others
    """

    measure: str
    batch: int
    noise: float
    dim: int | None
    order: tuple[Entry, ...]
    values: Mapping[Entry, Floats]
    means: Mapping[Entry, Interval]
    worse: frozenset[Entry]
    level: tuple[Entry, ...]

    @property
    def first(self) -> Entry:
        """The rule to name."""
        return self.level[0]

    @property
    def open(self) -> tuple[Entry, ...]:
        """Those that are neither level nor shown to be worse."""
        return tuple(each for each in self.order if each not in self.worse and each not in self.level)


@dataclass(frozen=True, eq=False)
class BoxStudy:
    """The stored study.

    Parameters
    ----------
    table : of the runs
    margins : of chapter 6
    """

    table: pd.DataFrame
    margins: Margins

    @classmethod
    def read(cls, root: Path | None = None) -> BoxStudy:
        """Tables and margins; errors as of :meth:`companion.stored.runs.PaperRuns.load`."""
        return cls(box_study.load(root).tables["box_study"], load_margins("across", root))

    @cached_property
    def _cells(self) -> dict[tuple[Any, ...], pd.DataFrame]:
        of = self.table.groupby(["noise", "model", "initial", "method", "batch", "setting"])
        return {tuple(key): part.set_index("problem") for key, part in of}

    def values(
        self,
        column: str,
        entry: Entry,
        noise: float = USUAL,
        model: str = SHIPPED,
        initial: int = INITIAL,
        dim: int | None = None,
    ) -> Floats:
        """(functions,) a column; of one dimension or of all, as far as the runs were made."""
        part = self._cells[noise, model, initial, entry.rule, entry.batch, entry.setting]
        chosen = [name for name in self.problems(dim) if name in part.index]
        return part[column].loc[chosen].to_numpy(dtype=np.float64)

    def paired(
        self,
        column: str,
        entry: Entry,
        other: Entry,
        model: str,
        initial: int,
        noise: float = USUAL,
        dim: int | None = None,
    ) -> tuple[Floats, Floats]:
        """A column with a model and initial points, and that of another rule with the usual ones, where both were run."""
        mine = self._cells[noise, model, initial, entry.rule, entry.batch, entry.setting]
        usual = self._cells[noise, SHIPPED, INITIAL, other.rule, other.batch, other.setting]
        made = [name for name in self.problems(dim) if name in mine.index and name in usual.index]
        return mine[column].loc[made].to_numpy(np.float64), usual[column].loc[made].to_numpy(np.float64)

    def problems(self, dim: int | None = None) -> tuple[str, ...]:
        """Functions, in order."""
        known = dict.fromkeys(self.table.problem)
        return tuple(name for name, each in BOX_FUNCTIONS.items() if name in known and dim in (None, each.dim))

    def ranking(self, measure: str, batch: int = 1, noise: float = USUAL, dim: int | None = None) -> Ranking:
        """The rules that were run with so many points a round; by rounds those that never ask for more.

        Raises
        ------
        ParameterError
            for a measure that there is not
        """
        if measure not in MEASURES:
            raise ParameterError("measure", f"got {measure!r}", ", ".join(MEASURES), nearest(measure, MEASURES))
        part = [each for each in entries(batch) if measure != "rounds" or each.batch == batch]
        values = {each: self.values(MEASURES[measure], each, noise, dim=dim) for each in part}
        means = {each: mean_interval(found, self.margins.confidence) for each, found in values.items()}
        order = tuple(sorted(part, key=lambda each: (means[each].estimate, _commonness(each))))
        named = {f"{a} {b}": (order[a], order[b]) for a, b in combinations(range(len(order)), 2)}
        tests = contrasts({key: (values[a], values[b]) for key, (a, b) in named.items()}, self.margins.confidence)
        worse = {
            named[t.where][1] for t in tests if named[t.where][0] == order[0] and t.shown(self.margins.significance)
        }
        near = means[order[0]].estimate + LEVEL
        level = [each for each in order if means[each].estimate <= near and each not in worse]
        first = min(level, key=_commonness)
        level = [first, *(each for each in level if each != first)]
        return Ranking(measure, batch, noise, dim, order, values, means, frozenset(worse), tuple(level))

    def curve(self, payoff: str, entry: Entry, noise: float = USUAL, dim: int | None = None) -> Floats:
        """(10, 3) mean and ends over functions after every tenth evaluation; ``payoff`` is ``plays`` or ``point``."""
        level = self.margins.confidence
        found = [mean_interval(self.values(f"{payoff}_{t}", entry, noise, dim=dim), level) for t in CHECKPOINTS]
        return np.array([[each.estimate, *each.ends] for each in found])

    def effects(self, question: str, measure: str) -> dict[tuple[str, int, Entry, int | None], Contrast]:
        """Of a question of :data:`QUESTIONS`: regret with another model or other initial points, minus with the usual ones.

        By model, initial points, rule and dimension, each dimension alone and all together; Holm within the question and measure.
        """
        pairs, keys, column = dict[str, tuple[Floats, Floats]](), {}, MEASURES[measure]
        for (model, initial, noise), entry, dim in product(QUESTIONS[question], ASKED[question], (None, *DIMS)):
            both = self.paired(column, entry, entry, model, initial, noise, dim)
            if len(both[0]) < 2:
                continue
            name = f"{model} {initial} {entry.rule} {entry.setting} {dim}"
            keys[name], pairs[name] = (model, initial, entry, dim), both
        return {keys[test.where]: test for test in contrasts(pairs, self.margins.confidence)}


def _commonness(entry: Entry) -> tuple[int, str]:
    return COMMON.index(entry.rule), entry.setting
