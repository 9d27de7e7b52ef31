"""Coverage of widths against their promise, the factor by which they could be shorter, and the resulting regret."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import stats

from companion.core.arrays import Floats
from companion.judge.intervals import Interval, mean_interval, paired_interval, proportion_interval
from companion.papers.across.experiments import width_arms, width_grid_runs
from companion.papers.across.experiments.width_rules import EXPERIMENTS, PROPOSED, Rule, library_rules, theorem_rules
from companion.papers.across.problems.common import DELTA

#: Of the blocks of :data:`~companion.papers.across.widths.grid_runs.BLOCK` runs: 1,000 in all.
SEEDS = tuple(range(10))
#: Factors of every width when it is judged; the points chosen stay those of the full width.
FACTORS = (1.0, 0.8, 0.5)
#: Instance, width and factor: where what is too short has to be caught. Fixed before the runs.
MUST_FAIL = (
    ("one arm", "sharper/mixture", 0.8),
    ("one arm", "batched/self-normalised", 0.5),
    ("one arm", "classical/chowdhury-gopalan", 0.5),
    ("50 arms", "batched/prop-1/printed", 0.5),
    ("50 arms, drawn", "compressed/lemma-8.1/printed", 0.5),
    ("50 arms, drawn", "tsrsr/lemma-6/printed", 0.5),
    ("one arm, norm 4", "library/bayesian-optimization", 1.0),
)

GRID: Mapping[str, width_grid_runs.Kind] = {"random functions": "norm", "draws": "prior"}
#: The width whose regret the others' is compared with, run by run.
REFERENCE = {"random functions": "batched/self-normalised", "draws": "compressed/lemma-8.1/printed"}

#: Values of all runs, block after block, by instance, width, and how the points were chosen.
Runs = Mapping[tuple[str, str, str], Floats]


def rules(stored: Any, horizon: int) -> tuple[Rule, ...]:
    """All widths that run; the defaults of libraries come from the stored rows."""
    proposed = library_rules(stored, width_grid_runs.DIM, PROPOSED, "proposed")
    return (*theorem_rules(horizon), *EXPERIMENTS, *library_rules(stored, width_grid_runs.DIM), *proposed)


def kept(rule: Rule, kind: str) -> bool:
    """Whether the width promises to cover for such functions."""
    return rule.promise == kind or (rule.promise == "batches" and kind == "norm")


def ways(libraries: Any) -> Iterator[tuple[str, str, Rule]]:
    """Instance, choice of the points, and width, of all runs: on the grid and on instances made to need a large width.

    On the grid a width that is for batches runs in its batches, and in GP-UCB as well. Optuna's is stored for the rounds of the
    grid only.
    """
    for place, kind in GRID.items():
        for rule in rules(libraries, width_grid_runs.HORIZON):
            if rule.promise != "batches":
                yield place, "GP-UCB", rule
            elif kind != "prior":
                yield place, "batches", rule
                yield place, "GP-UCB", width_grid_runs.without_promise(rule)
    for arms in width_arms.INSTANCES:
        for rule in rules(libraries, arms.horizon):
            if rule.id != "library/optuna" and not (rule.promise == "batches" and arms.kind == "prior"):
                yield arms.name, "batches" if rule.promise == "batches" else "in turn", rule


def block(place: str, rule: Rule, seed: int) -> width_grid_runs.Played:
    """A block of runs on an instance; on arms, which are pulled in turn whatever the width, without their regret."""
    if place in GRID:
        return width_grid_runs.block(rule, GRID[place], seed)
    (arms,) = (each for each in width_arms.INSTANCES if each.name == place)
    return width_grid_runs.Played(width_arms.block(rule, arms, seed, _path(rule, arms)), np.empty(0))


@lru_cache(maxsize=64)
def _path(rule: Rule, arms: width_arms.Arms) -> Floats:
    """A width round by round, the same in all blocks."""
    return width_arms.path(rule, arms)


def coverage_rows(ratios: Runs) -> Iterator[dict[str, Any]]:
    """Share of runs in which a width, or a part of it, exceeds every error, with exact intervals of level 95 %."""
    kinds = {**GRID, **{each.name: each.kind for each in width_arms.INSTANCES}}
    by_id = {rule.id: rule for rule in rules(None, width_grid_runs.HORIZON)}
    for (place, name, way), found in ratios.items():
        promised = kept(by_id[name], kinds[place]) and (by_id[name].promise != "batches" or way == "batches")
        enough = quantile(found, 1.0 - DELTA)
        for factor in FACTORS:
            share = proportion_interval(int((found <= factor).sum()), len(found))
            row = {"instance": place, "id": name, "points": way, "promised": promised, "factor": factor}
            row |= {"runs": len(found), "covered": share.estimate, "low": share.low, "high": share.high}
            yield row | {"enough": enough.estimate, "enough_low": enough.low, "enough_high": enough.high}


def quantile(values: Floats, share: float, level: float = 0.95) -> Interval:
    """The quantile with its interval from order statistics: the part of a width that would cover with this probability."""
    ordered, count = np.sort(values), len(values)
    tail = (1.0 - level) / 2.0
    # Between the l-th and the h-th smallest value lies the quantile if from l to h - 1 values are below it.
    low = max(int(stats.binom.ppf(tail, count, share)), 1)
    high = min(int(stats.binom.ppf(1.0 - tail, count, share)) + 1, count)
    place = math.ceil(share * count - 1e-9)
    return Interval(float(ordered[place - 1]), float(ordered[low - 1]), float(ordered[high - 1]), count)


def regret_rows(regrets: Runs) -> Iterator[dict[str, Any]]:
    """Mean cumulative regret, its 95 % quantile, and the difference to the width of reference, paired by function and noise."""
    for (place, name, way), found in regrets.items():
        mean, reference = mean_interval(found), regrets[place, REFERENCE[place], "GP-UCB"]
        over = paired_interval(found, reference)
        row = {"instance": place, "id": name, "points": way, "runs": len(found), "horizon": width_grid_runs.HORIZON}
        row |= {"regret": mean.estimate, "low": mean.low, "high": mean.high, "q95": float(np.quantile(found, 0.95))}
        yield row | {"over": over.estimate, "over_low": over.low, "over_high": over.high}
