"""GP-UCB with a width of the reader's own, on functions of known norm in the reader's setting."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import FinitePosterior, grid, kernel_by_name
from companion.gp.sampling import rkhs_expansion
from companion.gp.ties import lowest_argmaxes
from companion.judge.intervals import mean_interval, proportion_interval
from companion.pages import Numbers, Provenance, recorded


@dataclass(frozen=True)
class OwnRuns:
    """Of each run: the width that would have covered throughout, and the regret."""

    needed: Floats
    regret: Floats
    where: Provenance = field(default_factory=Provenance, compare=False)


@recorded(first="seed")
def own_runs(
    seed: int,
    kernel: str,
    lengthscale: float,
    dim: int,
    points: int,
    noise: float,
    norm: float,
    horizon: int,
    width: float,
    runs: int,
) -> OwnRuns:
    """Play GP-UCB with a constant width on random functions of the norm; all runs advance together."""
    covariance_of, places = kernel_by_name(kernel, lengthscale), grid(points, dim)
    draws = stream(seed, "across", "own width")
    values = np.array([rkhs_expansion(covariance_of, places, draws, norm).values for _ in range(runs)])
    errors = noise * draws.standard_normal((runs, horizon))
    posterior = FinitePosterior(np.asarray(covariance_of(places)), noise**2, replicates=runs, capacity=horizon)
    lanes, needed, regret = np.arange(runs), np.zeros(runs), np.zeros(runs)
    for t in range(horizon):
        needed = np.maximum(needed, np.max(np.abs(values - posterior.mean) / posterior.sd, axis=1))
        chosen = lowest_argmaxes(posterior.mean + width * posterior.sd)
        found = values[lanes, chosen]
        regret += values.max(axis=1) - found
        posterior.observe(chosen, found + errors[:, t])
    return OwnRuns(needed, regret)


def numbers(found: OwnRuns, width: float, delta: float) -> Numbers:
    """Share of runs the width covers throughout with its exact interval, the part of it that would do, and the regret."""
    share = proportion_interval(int((found.needed <= width).sum()), len(found.needed))
    mean = mean_interval(found.regret)
    return Numbers(
        found,
        runs=len(found.needed),
        width=width,
        covered=share.estimate,
        low=share.low,
        high=share.high,
        enough=float(np.quantile(found.needed, 1.0 - delta)),
        promise=1.0 - delta,
        regret=mean.estimate,
        regret_low=mean.low,
        regret_high=mean.high,
    )
