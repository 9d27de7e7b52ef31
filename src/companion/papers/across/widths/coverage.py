"""Does a width cover as often as it promises, by how much could it be shorter, and what regret does it buy?"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from companion.core.arrays import Floats
from companion.papers.across.common import DELTA
from companion.papers.across.widths import arms
from companion.papers.across.widths import grid_runs as grid_runs
from companion.papers.across.widths.rules import EXPERIMENTS, PROPOSED, Rule, library_rules, theorem_rules
from companion.reproduce.intervals import Interval, mean_interval, paired_interval, proportion_interval

#: Of the blocks of :data:`~companion.papers.across.widths.grid_runs.BLOCK` runs: 1,000 in all.
SEEDS = tuple(range(10))
#: What every width is multiplied by when it is judged; the points chosen stay those of the full width.
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

GRID: Mapping[str, grid_runs.Kind] = {"random functions": "norm", "draws": "prior"}
#: The width whose regret the others' is compared with, run by run.
REFERENCE = {"random functions": "batched/self-normalised", "draws": "compressed/lemma-8.1/printed"}

#: Values of all runs, block after block, by instance, width, and how the points were chosen.
Runs = Mapping[tuple[str, str, str], Floats]


def rules(stored: Any, horizon: int) -> tuple[Rule, ...]:
    """All widths that run; the defaults of libraries come from the stored rows."""
    proposed = library_rules(stored, grid_runs.DIM, PROPOSED, "proposed")
    return (*theorem_rules(horizon), *EXPERIMENTS, *library_rules(stored, grid_runs.DIM), *proposed)


def kept(rule: Rule, kind: str) -> bool:
    """Whether the width promises to cover for such functions."""
    return rule.promise == kind or (rule.promise == "batches" and kind == "norm")


def grid_blocks(stored: Any, seeds: Sequence[int] = SEEDS, only: Collection[str] | None = None) -> tuple[Runs, Runs]:
    """Ratios and regrets of all widths on the grid; one that is for batches runs in its batches, and in GP-UCB as well.

    With ``only``, of the widths with these ids and of the reference.
    """
    ratios, regrets = {}, {}
    for place, kind in GRID.items():
        for rule in rules(stored, grid_runs.HORIZON):
            if rule.promise == "batches" and kind == "prior":
                continue
            if only is not None and rule.id not in (*only, REFERENCE[place]):
                continue
            ways = {"GP-UCB": rule}
            if rule.promise == "batches":
                ways = {"batches": rule, "GP-UCB": grid_runs.without_promise(rule)}
            for way, played in ways.items():
                found = [grid_runs.block(played, kind, seed) for seed in seeds]
                ratios[place, rule.id, way] = np.concatenate([each.ratio for each in found])
                regrets[place, rule.id, way] = np.concatenate([each.regret for each in found])
    return ratios, regrets


def arm_blocks(stored: Any, seeds: Sequence[int] = SEEDS, only: Collection[str] | None = None) -> Runs:
    """Ratios of all widths, or ``only`` of those with these ids, on the instances made to need a large one.

    Optuna's is stored for the rounds of the grid only.
    """
    ratios = {}
    for place in arms.INSTANCES:
        judged = {
            rule: arms.path(rule, place)
            for rule in rules(stored, place.horizon)
            if (only is None or rule.id in only)
            and rule.id != "library/optuna"
            and not (rule.promise == "batches" and place.kind == "prior")
        }
        # Block by block: what a block's runs need is then computed once for all widths.
        found = [[arms.block(rule, place, seed, path) for rule, path in judged.items()] for seed in seeds]
        for rule, parts in zip(judged, zip(*found, strict=True), strict=True):
            way = "batches" if rule.promise == "batches" else "in turn"
            ratios[place.name, rule.id, way] = np.concatenate(parts)
    return ratios


def coverage_rows(ratios: Runs, stored: Any) -> Iterator[dict[str, Any]]:
    """Share of runs in which a width, or a part of it, exceeds every error, with exact intervals of level 95 %."""
    kinds = {**GRID, **{each.name: each.kind for each in arms.INSTANCES}}
    by_id = {rule.id: rule for rule in rules(stored, grid_runs.HORIZON)}
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
        row = {"instance": place, "id": name, "points": way, "runs": len(found), "horizon": grid_runs.HORIZON}
        row |= {"regret": mean.estimate, "low": mean.low, "high": mean.high, "q95": float(np.quantile(found, 0.95))}
        yield row | {"over": over.estimate, "over_low": over.low, "over_high": over.high}


def block_rows(ratios: Runs, regrets: Runs, seeds: Sequence[int] = SEEDS) -> Iterator[dict[str, Any]]:
    """What each block says by itself: largest ratio, failures and mean regret, to be computed again in seconds."""
    for key, found in ratios.items():
        place, name, way = key
        for seed, part in zip(seeds, np.split(found, len(seeds)), strict=True):
            row = {"instance": place, "id": name, "points": way, "seed": seed, "largest": float(part.max())}
            regret = float(np.split(regrets[key], len(seeds))[seeds.index(seed)].mean()) if key in regrets else np.nan
            yield row | {"failures": int((part > 1.0).sum()), "regret": regret}
