"""The exponent of regret over the horizon, measured and as the certified bound allows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from companion.gp import kernel_by_name
from companion.information import gain_bracket_curve
from companion.judge.intervals import Interval, mean_interval, slope_interval
from companion.pages import Numbers, Rows, cells, frame, recorded
from companion.papers.batched.experiments import one_run
from companion.papers.batched.experiments.definitions import experiment
from companion.papers.batched.experiments.runs import rule_label
from companion.papers.batched.problems.catalogue import grid_covariance
from companion.simulate import by_seed

KERNELS = ("se", "matern52")
#: Batch-size rules: ``None`` is rule (5), a number the ``a`` of rule (6).
RULES: tuple[float | None, ...] = (None, 0.6, 0.75)
FIRST_HORIZON, POINTS, LENGTHSCALE = 250, one_run.POINTS, one_run.LENGTHSCALE
#: Largest exponent of sqrt(T gamma_T) that counts as agreement with the theory; fixed before the runs.
LARGEST_SLOPE = 0.7


@dataclass(frozen=True, eq=False)
class RateStudy:
    """Regret by kernel, rule, horizon and seed; certified gain by kernel and horizon; slopes with intervals.

    ``slopes`` has one row per kernel and rule: mean over functions of the log-log slope, its interval, and the slope of
    the bound sqrt(T gamma_T) with the certified upper end of gamma.
    """

    runs: pd.DataFrame
    gains: pd.DataFrame
    slopes: pd.DataFrame


@recorded(first="seed", count="functions")
def rate_study(seed: int, largest: int, functions: int, norm: float, noise: float, delta: float) -> RateStudy:
    """BPE with the theory width on ``functions`` functions, horizons from 250 to ``largest`` in factors of two."""
    horizons = [FIRST_HORIZON * 2**k for k in range(1 + int(np.log2(max(largest, 4 * FIRST_HORIZON) / FIRST_HORIZON)))]
    runs = []
    shared = {"norm": norm, "noise": noise, "delta": delta}
    for kernel in KERNELS:
        for a in RULES:
            for horizon in horizons:
                task = partial(_regret, kernel=kernel, a=a, horizon=horizon, shared=shared)
                label = {"kernel": kernel, "rule": rule_label(a), "horizon": horizon}
                runs += [label | {"seed": at, "regret": regret} for at, regret in by_seed(task, seed, functions)]
    frame = pd.DataFrame(runs)
    gains = pd.DataFrame(
        [
            {"kernel": kernel, "horizon": bracket.horizon, "lower": bracket.lower, "upper": bracket.upper}
            for kernel in KERNELS
            for bracket in gain_bracket_curve(_covariance(kernel), horizons, noise**2)
        ]
    )
    return RateStudy(frame, gains, _slopes(frame, gains))


def _covariance(kernel: str) -> np.ndarray:
    return grid_covariance(kernel_by_name(kernel, LENGTHSCALE), POINTS, 1)


def _regret(seed: int, kernel: str, a: float | None, horizon: int, shared: dict[str, float]) -> float:
    rule = {"schedule": "original"} if a is None else {"schedule": "power", "a": a}
    sizes = {"points_per_axis": POINTS, "lengthscale": LENGTHSCALE, "horizon": horizon}
    run = experiment("known-norm").run("bpe", seed, {"kernel": kernel, **rule, **sizes, **shared})
    return float(run.cumulative_regret[-1])


@frame
def _slopes(frame: pd.DataFrame, gains: pd.DataFrame) -> Rows:
    for (kernel, rule), part in frame.groupby(["kernel", "rule"], sort=False):
        per_function = [
            slope_interval(np.log(one.horizon), np.log(one.regret)).estimate
            for _, one in part.groupby("seed", sort=False)
        ]
        mean = mean_interval(per_function) if len(per_function) > 1 else Interval(per_function[0], -np.inf, np.inf, 1)
        certified = gains[gains.kernel == kernel]
        bound = np.log(np.sqrt(certified.horizon * certified.upper))
        allowed = slope_interval(np.log(certified.horizon), bound).estimate
        yield {
            "kernel": kernel,
            "rule": rule,
            **mean.columns("slope"),
            "bound": allowed,
        }


def rate_numbers(study: RateStudy) -> Numbers:
    """Range of the measured exponents and of those that the bound allows, and by how much one exceeds what is agreed."""
    slopes = study.slopes
    return Numbers(
        study,
        low=float(slopes.slope.min()),
        high=float(slopes.slope.max()),
        bound_low=float(slopes.bound.min()),
        bound_high=float(slopes.bound.max()),
        functions=int(study.runs.seed.nunique()),
        longest=int(study.runs.horizon.max()),
        points=POINTS,
        lengthscale=LENGTHSCALE,
        above_bound=float((slopes.slope - slopes.bound).max()),
        reach=float((slopes.high - slopes.bound).max()),
        above_agreed=float((slopes.slope - np.maximum(LARGEST_SLOPE, slopes.bound)).max()),
        **cells(slopes, "{kernel} {rule}: {}", {"slope": "slope", "bound": "slope of the bound"}),
    )
