"""GP-UCB with every width on common functions, designs and noise: regret, and by how much the width was exceeded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from companion.bounds.bound import BoundSetting, KernelUsed
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import FinitePosterior, gp_draw, grid, kernel_by_name
from companion.gp.sampling import rkhs_expansion
from companion.gp.ties import lowest_argmaxes
from companion.information import gain_bracket_curve
from companion.papers.across.experiments.width_rules import Rule
from companion.papers.across.problems.common import LENGTHSCALE, POINTS
from companion.papers.across.theory.bounds_setting import SMOOTHNESS
from companion.papers.across.theory.informative_horizons import case_of
from companion.papers.batched.method.sizes import power_sizes

#: The setting of all runs on the grid: 50 points of [0, 1]; noise by its standard deviation; norm of f, where it is known.
KERNEL, DIM, NOISE, NORM = "se", 1, 0.1, 1.0
HORIZON = 100
#: Runs that share a seed and are computed together.
BLOCK = 100

#: f is an expansion over five random points, scaled to the norm; or f is a draw of the prior.
Kind = Literal["norm", "prior"]


@dataclass(frozen=True, eq=False)
class Played:
    """Of each run: largest error over width times standard deviation, and the cumulative regret."""

    ratio: Floats
    regret: Floats


@dataclass(frozen=True)
class Model:
    """Kernel, length-scale, noise and norm assumed by a player."""

    kernel: str = KERNEL
    lengthscale: float = LENGTHSCALE
    noise: float = NOISE
    norm: float = NORM

    @property
    def covariance(self) -> Floats:
        """(N, N)."""
        return np.asarray(kernel_by_name(self.kernel, self.lengthscale)(grid(POINTS[DIM], DIM)))

    def case(self, horizon: int = HORIZON) -> BoundSetting:
        """The setting as the model has it, with certified gains: the stored ones where the model is a common setting."""
        if (self.lengthscale, self.noise) == (LENGTHSCALE, NOISE):
            return case_of(self.kernel, DIM, NOISE, horizon, self.norm)
        gains = _gains(self)
        usual = case_of(KERNEL, DIM, NOISE, horizon, self.norm)
        used = KernelUsed(self.kernel, SMOOTHNESS[self.kernel], self.lengthscale, DIM)
        return replace(usual, noise=self.noise, gain=lambda points: gains[int(points)], kernel=used)


@lru_cache(maxsize=32)
def _gains(model: Model) -> tuple[float, ...]:
    """Upper ends of the gain of 0, 1, ... points."""
    found = gain_bracket_curve(model.covariance, list(range(1, HORIZON + 1)), model.noise**2)
    return (0.0, *(each.upper for each in found))


#: The right one.
MODEL = Model()


def functions(kind: Kind, seed: int, runs: int = BLOCK, kernel: str = KERNEL) -> Floats:
    """(R, N) common functions of a block."""
    own, points, generator = kernel_by_name(kernel, LENGTHSCALE), grid(POINTS[DIM], DIM), stream(seed, "widths", kind)
    if kind == "prior":
        return gp_draw(own, points, generator, count=runs)
    return np.array([rkhs_expansion(own, points, generator, NORM).values for _ in range(runs)])


def noise(seed: int, runs: int = BLOCK, horizon: int = HORIZON) -> Floats:
    """(R, T) common noise of a block."""
    return NOISE * stream(seed, "widths", "noise").standard_normal((runs, horizon))


def gp_ucb(rule: Rule, values: Floats, errors: Floats, model: Model = MODEL) -> Played:
    """GP-UCB with this width.

    Parameters
    ----------
    values : (R, N)
    errors : (R, T) noise
    model : that plays, and is judged
    """
    runs, horizon = errors.shape
    width = rule.widths(model.case(horizon))
    variance = model.noise**2 * rule.inflation(horizon)
    posterior = FinitePosterior(model.covariance, variance, replicates=runs, capacity=horizon)
    lanes, ratio, regret = np.arange(runs), np.zeros(runs), np.zeros(runs)
    for t in range(1, horizon + 1):
        margin = width(t, posterior.gain)[:, None] * posterior.sd
        ratio = np.maximum(ratio, np.max(np.abs(values - posterior.mean) / margin, axis=1))
        chosen = lowest_argmaxes(posterior.mean + margin)
        found = values[lanes, chosen]
        regret += values.max(axis=1) - found
        posterior.observe(chosen, found + errors[:, t - 1])
    return Played(ratio, regret)


def elimination(rule: Rule, values: Floats, errors: Floats, model: Model = MODEL) -> Played:
    """Batched elimination with this width, sizes (6): the runs that the width of Proposition 1 is for.

    Each batch forgets the earlier ones, explores what is left by maximum variance, and leaves what its band does not rule out.
    """
    runs, horizon = errors.shape
    case = model.case(horizon)
    width = float(rule.widths(case)(horizon, np.zeros(1))[0])
    worst, regret = np.zeros(runs), np.zeros(runs)
    left, start = np.ones(values.shape, dtype=bool), 0
    for size in power_sizes(horizon, case.ratio):
        posterior = FinitePosterior(model.covariance, model.noise**2, replicates=runs, capacity=size)
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


def block(
    rule: Rule,
    kind: Kind,
    seed: int,
    runs: int = BLOCK,
    horizon: int = HORIZON,
    model: Model = MODEL,
    kernel: str = KERNEL,
) -> Played:
    """The first runs of a block, as :func:`gp_ucb` plays them, or :func:`elimination` where the promise is for batches.

    ``model`` plays; f has the kernel called ``kernel``.
    """
    values, errors = functions(kind, seed, runs, kernel), noise(seed, BLOCK)[:runs, :horizon]
    return (elimination if rule.promise == "batches" else gp_ucb)(rule, values, errors, model)


def without_promise(rule: Rule) -> Rule:
    """The same width where its theorem does not apply."""
    return replace(rule, promise="")
