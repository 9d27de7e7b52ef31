"""The exponent of regret over the horizon, measured and as the certified bound allows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from companion.information import gain_bracket_curve
from companion.judge.intervals import Interval, mean_interval, slope_interval
from companion.pages import Numbers, Rows, frame, recorded
from companion.papers.batched.experiments.one_run import RATIO, regret_of, theory_bpe
from companion.papers.batched.experiments.runs import rule_label
from companion.papers.batched.method.sizes import original_sizes, power_sizes
from companion.papers.batched.problems.wheat import wheat
from companion.simulate import by_seed

#: Batch-size rules: ``None`` is rule (5), a number the ``a`` of rule (6).
RULES: tuple[float | None, ...] = (None, RATIO, 0.75)
FIRST_HORIZON = 250
#: Largest exponent of sqrt(T gamma_T) that counts as agreement with the theory; fixed before the runs.
LARGEST_SLOPE = 0.7


@dataclass(frozen=True, eq=False)
class RateStudy:
    """Regret by rule, horizon and noise seed; slopes with intervals.

    ``slopes`` has one row per rule: mean over noise of the log-log slope and its interval; ``bound`` is the slope of
    sqrt(T gamma_T) with the certified upper end of gamma.
    """

    runs: pd.DataFrame
    slopes: pd.DataFrame
    bound: float


@recorded(first="seed", count="runs")
def rate_study(seed: int, largest: int, runs: int, noise: float, delta: float) -> RateStudy:
    """BPE with the theory's width on the lesson's function, horizons from 250 to ``largest`` in factors of two."""
    horizons = [FIRST_HORIZON * 2**k for k in range(1 + int(np.log2(max(largest, 4 * FIRST_HORIZON) / FIRST_HORIZON)))]
    rows = []
    for a in RULES:
        for horizon in horizons:
            task = partial(_regret, a=a, horizon=horizon, noise=noise, delta=delta)
            label = {"rule": rule_label(a), "horizon": horizon}
            rows += [label | {"seed": at, "regret": regret} for at, regret in by_seed(task, seed, runs)]
    gains = [bracket.upper for bracket in gain_bracket_curve(wheat().covariance, horizons, noise**2)]
    bound = slope_interval(np.log(horizons), 0.5 * np.log(np.multiply(horizons, gains))).estimate
    return RateStudy(pd.DataFrame(rows), _slopes(pd.DataFrame(rows)), bound)


def _regret(seed: int, a: float | None, horizon: int, noise: float, delta: float) -> float:
    modelled, sizes = wheat(noise), original_sizes(horizon) if a is None else power_sizes(horizon, a)
    return regret_of(theory_bpe(modelled, sizes, delta), modelled, horizon, seed)


@frame
def _slopes(frame: pd.DataFrame) -> Rows:
    for rule, part in frame.groupby("rule", sort=False):
        each = [
            slope_interval(np.log(one.horizon), np.log(one.regret)).estimate
            for _, one in part.groupby("seed", sort=False)
        ]
        mean = mean_interval(each) if len(each) > 1 else Interval(each[0], -np.inf, np.inf, 1)
        yield {"rule": rule, **mean.columns("slope")}


def rate_numbers(study: RateStudy) -> Numbers:
    """Range of the measured exponents, that which the bound allows, and by how much one exceeds what is agreed."""
    slopes, allowed = study.slopes, study.bound
    return Numbers(
        study,
        low=float(slopes.slope.min()),
        high=float(slopes.slope.max()),
        allowed=allowed,
        repeats=int(study.runs.seed.nunique()),
        longest=int(study.runs.horizon.max()),
        reach=float((slopes.high - allowed).max()),
        above_agreed=float(slopes.slope.max() - max(LARGEST_SLOPE, allowed)),
        **{f"{row.rule}: slope": row.slope for row in slopes.itertuples()},
    )
