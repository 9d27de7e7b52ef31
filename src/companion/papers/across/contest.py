"""Who is ahead in "which method?", and what each setting costs where it is not needed and gains where it is.

All methods at one seed share function, initial points and noise, so that everything is a paired difference over seeds, by
:func:`companion.reproduce.compare.contrasts` with Holm's correction. The seeds are the sample, and the eight problems are what
is spoken of: with eight problems as the sample, Nemenyi's critical difference would be half of the whole scale. It is
given as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from companion.core.arrays import Floats
from companion.papers.across.experiments import store as plan
from companion.papers.across.experiments.parameters import HORIZON
from companion.papers.across.experiments.problems import PROBLEMS
from companion.papers.across.experiments.runs import ONE_WIDTH, OWN_WIDTH
from companion.reproduce.compare import Contrast, contrasts
from companion.reproduce.intervals import Interval, mean_interval
from companion.reproduce.reported import Margins, load_margins
from companion.reproduce.stored import StoredTables

METRICS = ("cumulative", "recommended", "simple", "early", "by_rounds")
"""Of the rankings: cumulative regret; regret of the point that the method names at the end, and simple regret, of the best point
that it evaluated, which it does not know; and the latter after 50 evaluations and after 13 rounds."""
ROUNDING = 1e-12
"""Regrets below it are zero: values are of order one."""
REFERENCE = "gp-ucb"
BATCHED = {"ts-rsr": "ts-rsr", "bucb": "gp-ucb", "ts": "ts", "ei": "ei", "ei-mean": "ei-mean"}
"""Rules that were run in batches of 5 and of 10, and their entries with one point at a time."""
SIZES = (5, 10)
COSTS, GAINS, SAME, OPEN = "costs", "gains", "no difference to speak of", "open"


@dataclass(frozen=True, eq=False)
class Contest:
    """The stored runs of "which method?", with the margins committed before them.

    Parameters
    ----------
    stored : tables and record
    margins : the part ``across``
    """

    stored: StoredTables
    margins: Margins

    @classmethod
    def read(cls, root: Path | None = None) -> Contest:
        """Tables and margins; errors as of :meth:`companion.reproduce.runs.PaperRuns.load`."""
        return cls(plan.load(root), load_margins("across", root))

    @cached_property
    def _runs(self) -> dict[tuple[str, str, int], pd.DataFrame]:
        table = self.stored.tables["methods"].sort_values("seed", kind="stable")
        return {
            (str(problem), str(entry), int(horizon)): part
            for (problem, entry, horizon), part in table.groupby(["problem", "entry", "horizon"], sort=False)
        }

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Those that were run, in the order of the plan."""
        return tuple(name for name in PROBLEMS if (name, REFERENCE, HORIZON) in self._runs)

    def values(self, problem: str, entry: str, metric: str = "cumulative", horizon: int = HORIZON) -> Floats:
        """(seeds,) a number of every run; what is rounding only, as between the equal optima of a symmetric grid, is zero."""
        found = self._runs[problem, entry, horizon][metric].to_numpy(dtype=np.float64)
        return np.where(found < ROUNDING, 0.0, found)

    def solved(self, entry: str, metric: str, problems: Sequence[str] = ()) -> float:
        """Share of runs in which a regret of one point is zero, mean over the problems: that point is an optimum."""
        return float(np.mean([self.values(name, entry, metric) == 0.0 for name in problems or self.problems]))

    def seconds(self, entry: str, horizon: int = HORIZON) -> dict[str, float]:
        """Median CPU seconds of a run, by problem."""
        table = self.stored.tables["method_seconds"]
        chosen = table[(table.entry == entry) & (table.horizon == horizon)]
        return dict(zip(chosen.problem, chosen.seconds, strict=True))

    def of_level(
        self,
        entry: str,
        reference: str,
        metric: str = "cumulative",
        horizon: int = HORIZON,
        problems: Sequence[str] = (),
    ) -> Floats:
        """(seeds,) a number in units of the reference's mean on each problem, averaged over the problems.

        A problem on which the reference has nothing left to lose has no such unit and is left out. The rule was added when the
        runs showed such a problem: after 13 rounds GP-UCB has found the best candidate of Ackley's function at every seed.
        """
        asked = problems or self.problems
        level = {name: float(self.values(name, reference, metric, horizon).mean()) for name in asked}
        named = [name for name in asked if level[name] > 0.0]
        return np.mean([self.values(name, entry, metric, horizon) / level[name] for name in named], axis=0)

    def losses(self, setting: str, problem: str, condition: str, method: str) -> Floats:
        """(seeds,) loss per round of a run of another setting."""
        table = self.stored.tables["settings"]
        where = (table.setting == setting) & (table.problem == problem)
        chosen = table[where & (table.condition == condition) & (table.method == method)]
        return chosen.sort_values("seed").loss.to_numpy(dtype=np.float64)


# -- the ranking -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ranking:
    """Average ranks of entries over problems, best first, and which pairs are told apart.

    Attributes
    ----------
    metric : of :data:`METRICS`
    entries : from the lowest average rank
    ranks : by entry, with 95 % intervals over seeds that are not corrected
    pairs : every two entries, Holm-corrected; keys in the order of ``entries``
    groups : runs of neighbours of which no two are told apart, two or more, none inside another
    critical : Nemenyi's critical difference with the problems as the sample
    friedman : p-value of Friedman's test over the problems' mean ranks
    """

    metric: str
    entries: tuple[str, ...]
    ranks: Mapping[str, Interval]
    pairs: Mapping[tuple[str, str], Contrast]
    groups: tuple[tuple[str, ...], ...]
    critical: float
    friedman: float

    def against(self, name: str, other: str, significance: float) -> int:
        """1 if ``name`` is shown to rank behind ``other``, -1 if ahead of it, 0 if neither."""
        turned = (name, other) not in self.pairs
        return (-1 if turned else 1) * self.pairs[(other, name) if turned else (name, other)].shown(significance)


def seed_ranks(contest: Contest, entries: Sequence[str], metric: str) -> Floats:
    """(problems, seeds, entries) ranks within each problem and seed, from 1; equal values share the mean of their ranks."""
    values = np.array([[contest.values(name, entry, metric) for entry in entries] for name in contest.problems])
    return np.asarray(stats.rankdata(values, axis=1)).transpose(0, 2, 1)


def ranking(contest: Contest, metric: str = "cumulative", entries: Sequence[str] = tuple(ONE_WIDTH)) -> Ranking:
    """The ranking by one metric; the smaller, the better."""
    found = seed_ranks(contest, entries, metric)
    by_seed = dict(zip(entries, found.mean(axis=0).T, strict=True))
    margins = contest.margins
    ranks = {name: mean_interval(by_seed[name], margins.confidence) for name in entries}
    order = tuple(sorted(entries, key=lambda name: (ranks[name].estimate, name)))
    named = {f"{one} {two}": (one, two) for one, two in combinations(order, 2)}
    tests = contrasts({key: (by_seed[one], by_seed[two]) for key, (one, two) in named.items()}, margins.confidence)
    pairs = {named[test.where]: test for test in tests}
    apart = {pair for pair, test in pairs.items() if test.shown(margins.significance)}
    friedman = stats.friedmanchisquare(*found.mean(axis=1).T) if len(found) > 1 else None
    return Ranking(
        metric,
        order,
        ranks,
        pairs,
        neighbours(order, apart),
        nemenyi(len(entries), len(found), margins.significance),
        float(friedman.pvalue) if friedman else math.nan,
    )


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


def nemenyi(methods: int, problems: int, significance: float = 0.05) -> float:
    r"""Critical difference of average ranks, :math:`q\sqrt{k(k+1)/(6N)}`, q the studentised range over :math:`\sqrt2`."""
    quantile = float(stats.studentized_range.ppf(1.0 - significance, methods, np.inf)) / math.sqrt(2.0)
    return quantile * math.sqrt(methods * (methods + 1) / (6.0 * problems))


# -- differences -------------------------------------------------------------------------------------------------------


def from_reference(contest: Contest, metric: str = "cumulative") -> dict[tuple[str, str], Contrast]:
    """Every other entry minus GP-UCB on every problem, by (entry, problem), corrected together."""
    keys = {f"{entry} {name}": (entry, name) for entry in ONE_WIDTH if entry != REFERENCE for name in contest.problems}
    pairs = {
        key: (contest.values(name, entry, metric), contest.values(name, REFERENCE, metric))
        for key, (entry, name) in keys.items()
    }
    return {keys[test.where]: test for test in contrasts(pairs, contest.margins.confidence)}


def own_widths(contest: Contest) -> dict[str, Contrast]:
    """Cumulative regret with a method's own width minus that with the common one, in units of the latter's mean.

    MF-GP-UCB and WDRBO are GP-UCB with another width here.
    """
    rival = {name: name.removesuffix("/own") for name in OWN_WIDTH}
    rival = {name: other if other in ONE_WIDTH else REFERENCE for name, other in rival.items()}
    pairs = {name: (contest.of_level(name, other), contest.of_level(other, other)) for name, other in rival.items()}
    return {test.where: test for test in contrasts(pairs, contest.margins.confidence)}


# -- settings ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Priced:
    """A setting's paired difference to the plain method, on a problem without a need for it or with one.

    Attributes
    ----------
    setting, problem, method : what is compared, in words of the tables
    needed : whether the problem has the need
    test : with the setting minus without, corrected within the setting
    level : mean of the plain method, of which a share is spoken; NaN where zero means nothing
    verdict : one of :data:`COSTS`, :data:`GAINS`, :data:`SAME`, :data:`OPEN`
    """

    setting: str
    problem: str
    method: str
    needed: bool
    test: Contrast
    level: float
    verdict: str

    @property
    def share(self) -> float:
        """The difference as a share of the level."""
        return self.test.difference.estimate / self.level


Pair = tuple[Floats, Floats]
Asked = Mapping[tuple[str, str, bool], Pair]
"""By (problem, method, whether needed): losses with the setting and without."""


def priced(contest: Contest, setting: str, asked: Asked, shares: bool = True) -> list[Priced]:
    """The family of one setting, judged by the frozen margins.

    Parameters
    ----------
    shares : whether the plain method's mean is a level, so that a share of it can be small
    """
    keys = {" ".join(map(str, key)): key for key in asked}
    margins = contest.margins
    tests = contrasts({words: asked[key] for words, key in keys.items()}, margins.confidence)
    found = []
    for test in tests:
        problem, method, needed = keys[test.where]
        level = test.means[1] if shares else math.nan
        near = margins.claims["comparable"] * level
        shown, gap = test.shown(margins.significance), test.difference
        small = shares and -near < gap.low and gap.high < near
        verdict = SAME if small else {1: COSTS, -1: GAINS, 0: OPEN}[shown]
        found.append(Priced(setting, problem, method, needed, test, level, verdict))
    return found


def batches(contest: Contest) -> list[Priced]:
    """Batches: cumulative regret of as many evaluations, and simple regret after as many rounds, over all problems."""
    asked: dict[tuple[str, str, bool], Pair] = {}
    for needed, metric, words in ((False, "cumulative", "evaluations"), (True, "by_rounds", "rounds")):
        for rule, alone in BATCHED.items():
            for size in SIZES:
                pair = (contest.of_level(f"{rule}-{size}", alone, metric), contest.of_level(alone, alone, metric))
                asked[words, f"{rule}-{size}", needed] = pair
    return priced(contest, "batches", asked)


def compression(contest: Contest) -> list[Priced]:
    """Compression: cumulative regret at the common horizon, and at the long one, where the model is what costs."""
    asked: dict[tuple[str, str, bool], Pair] = {}
    horizons = sorted({horizon for _, entry, horizon in contest._runs if entry == "compressed"})
    for horizon in horizons:
        problems = [name for name in contest.problems if (name, REFERENCE, horizon) in contest._runs]
        for entry in ("compressed", "compressed-large"):
            pair = tuple(
                contest.of_level(each, REFERENCE, horizon=horizon, problems=problems) for each in (entry, REFERENCE)
            )
            asked[f"T = {horizon}", entry, horizon > HORIZON] = (pair[0], pair[1])
    return priced(contest, "compression", asked)


def displacement(contest: Contest) -> list[Priced]:
    """Robust rules against plain ones, with and without displacement."""
    rivals = {"stableopt": "gp-ucb", "robust-bpe": "bpe"}
    return _conditions(contest, "displacement", rivals, {"none": False, "displaced": True})


def agents(contest: Contest) -> list[Priced]:
    """Laws against joint actions, with one agent and with a crowd; the loss is minus a reward, which has no level."""
    table = contest.stored.tables["settings"]
    named = table[table.setting == "agents"].condition.unique()
    return _conditions(
        contest, "agents", {"mf-gp-ucb": "joint"}, {str(name): name != "one agent" for name in named}, shares=False
    )


def _conditions(
    contest: Contest, setting: str, rivals: Mapping[str, str], needed: Mapping[str, bool], shares: bool = True
) -> list[Priced]:
    table = contest.stored.tables["settings"]
    problems = table[table.setting == setting].problem.unique()
    asked = {
        (str(problem), method, need): (
            contest.losses(setting, problem, condition, method),
            contest.losses(setting, problem, condition, plain),
        )
        for problem in problems
        for method, plain in rivals.items()
        for condition, need in needed.items()
    }
    return priced(contest, setting, asked, shares)


SETTINGS: Mapping[str, Callable[[Contest], list[Priced]]] = {
    "batches": batches,
    "compression": compression,
    "displacement": displacement,
    "agents": agents,
}
