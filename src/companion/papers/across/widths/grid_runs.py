"""GP-UCB with every width on common functions, designs and noise: regret, and by how much the width was exceeded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from companion.bounds.bound import BoundSetting
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import FinitePosterior, gp_draw, grid, kernel_by_name
from companion.gp.sampling import rkhs_expansion
from companion.gp.ties import lowest_argmaxes
from companion.papers.across.common import LENGTHSCALE, POINTS
from companion.papers.across.horizons import case_of
from companion.papers.across.widths.rules import Rule
from companion.papers.batched.method.sizes import power_sizes

KERNEL, DIM, NOISE, NORM = "se", 1, 0.1, 1.0
"""The setting of all runs on the grid: 50 points of [0, 1]; noise by its standard deviation; norm of f, where it is known."""
HORIZON = 100
BLOCK = 100
"""Runs that share a seed and are computed together."""

Kind = Literal["norm", "prior"]
"""f is an expansion over five random points, scaled to the norm; or f is a draw of the prior."""


@dataclass(frozen=True, eq=False)
class Played:
    """Of each run: largest error over width times standard deviation, and the cumulative regret."""

    ratio: Floats
    regret: Floats


def case(horizon: int = HORIZON) -> BoundSetting:
    """The setting with its certified gains."""
    return case_of(KERNEL, DIM, NOISE, horizon, NORM)


def functions(kind: Kind, seed: int, runs: int = BLOCK) -> Floats:
    """(R, N) common functions of a block."""
    kernel, points, generator = (
        kernel_by_name(KERNEL, LENGTHSCALE),
        grid(POINTS[DIM], DIM),
        stream(seed, "widths", kind),
    )
    if kind == "prior":
        return gp_draw(kernel, points, generator, count=runs)
    return np.array([rkhs_expansion(kernel, points, generator, NORM).values for _ in range(runs)])


def noise(seed: int, runs: int = BLOCK, horizon: int = HORIZON) -> Floats:
    """(R, T) common noise of a block."""
    return NOISE * stream(seed, "widths", "noise").standard_normal((runs, horizon))


def covariance() -> Floats:
    """(N, N)."""
    return np.asarray(kernel_by_name(KERNEL, LENGTHSCALE)(grid(POINTS[DIM], DIM)))


def gp_ucb(rule: Rule, values: Floats, errors: Floats) -> Played:
    """GP-UCB with this width.

    Parameters
    ----------
    values : (R, N)
    errors : (R, T) noise
    """
    runs, horizon = errors.shape
    width = rule.widths(case(horizon))
    variance = NOISE**2 * rule.inflation(horizon)
    posterior = FinitePosterior(covariance(), variance, replicates=runs, capacity=horizon)
    lanes, ratio, regret = np.arange(runs), np.zeros(runs), np.zeros(runs)
    for t in range(1, horizon + 1):
        margin = width(t, posterior.gain)[:, None] * posterior.sd
        ratio = np.maximum(ratio, np.max(np.abs(values - posterior.mean) / margin, axis=1))
        chosen = lowest_argmaxes(posterior.mean + margin)
        found = values[lanes, chosen]
        regret += values.max(axis=1) - found
        posterior.observe(chosen, found + errors[:, t - 1])
    return Played(ratio, regret)


def elimination(rule: Rule, values: Floats, errors: Floats, ratio: float) -> Played:
    """Batched elimination with this width, sizes (6): the runs that the width of Proposition 1 is for.

    Each batch forgets the earlier ones, explores what is left by maximum variance, and leaves what its band does not rule out.
    """
    runs, horizon = errors.shape
    width = float(rule.widths(case(horizon))(horizon, np.zeros(1))[0])
    worst, regret = np.zeros(runs), np.zeros(runs)
    left, start = np.ones(values.shape, dtype=bool), 0
    for size in power_sizes(horizon, ratio):
        posterior = FinitePosterior(covariance(), NOISE**2, replicates=runs, capacity=size)
        chosen = posterior.select_max_variance(size, left)
        found = np.take_along_axis(values, chosen, axis=1)
        posterior.tell(found + errors[:, start : start + size])
        margin = width * posterior.sd
        worst = np.maximum(worst, np.max(np.abs(values - posterior.mean) / margin, axis=1))
        lower = np.where(left, posterior.mean - margin, -np.inf).max(axis=1)
        left &= posterior.mean + margin >= lower[:, None]
        regret += (values.max(axis=1)[:, None] - found).sum(axis=1)
        start += size
    return Played(worst, regret)


def block(rule: Rule, kind: Kind, seed: int, runs: int = BLOCK, horizon: int = HORIZON) -> Played:
    """The first runs of a block, as :func:`gp_ucb` plays them, or :func:`elimination` where the promise is for batches."""
    values, errors = functions(kind, seed, runs), noise(seed, BLOCK)[:runs, :horizon]
    if rule.promise == "batches":
        return elimination(rule, values, errors, case().ratio)
    return gp_ucb(rule, values, errors)


def without_promise(rule: Rule) -> Rule:
    """The same width where its theorem does not apply."""
    return replace(rule, promise="")
