"""Statement: the compact case as a discretisation (Remark 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from companion.checks.cases import Case, exponent
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import gp_draw, grid, kernel_by_name
from companion.judge.intervals import slope_interval
from companion.papers.tsrsr.checks.setting_models import KERNEL_TITLES
from companion.papers.tsrsr.theory.bounds import theorem1

SMOOTHNESS = {"se": np.inf, "matern12": 0.5, "matern32": 1.5, "matern52": 2.5}

#: For the terms of Theorem 1 that do not grow with d: at the dimensions used they make up 1 % to 10 % of its logarithm.
GROWTH_ALLOWANCE = 0.05


@dataclass(frozen=True)
class Discretised:
    """Draws on a fine grid of [0, 1]^d, and coarser ones inside it: every ``steps``-th point."""

    kernel: str
    dim: int
    lengthscale: float
    fine: int
    steps: tuple[int, ...]

    @property
    def where(self) -> str:
        """The draws in words."""
        return f"{KERNEL_TITLES[self.kernel]}, d = {self.dim}, length-scale {self.lengthscale:g}"

    @property
    def spacings(self) -> Floats:
        """epsilon of the coarser grids."""
        return np.array(self.steps) / self.fine


class Growth(Instance, words="r / epsilon = {per_axis}, noise {noise_sd:g}, m = {batch}, gain {gain:g}"):
    """Theorem 1 on [0, r]^d with spacing epsilon: N = (r / epsilon)^d for several d, all else fixed."""

    per_axis: int
    noise_sd: float
    batch: int
    gain: float
    dims: tuple[int, ...] = (15, 30, 45, 60, 75)


def compact_instances() -> Iterator[Discretised | Growth]:
    """Four kernels in two dimensions, and Theorem 1 at four settings."""
    for kernel in KERNEL_TITLES:
        yield Discretised(kernel, 1, 0.2, 1024, (128, 64, 32, 16, 8))
        yield Discretised(kernel, 2, 0.5, 36, (12, 6, 4, 3, 2))
    for (noise, batch), gain in product(((1.0, 1), (0.1, 5)), (5.0, 200.0)):
        yield Growth(10_000, noise, batch, gain)


@lru_cache(maxsize=16)
def _losses(found: Discretised) -> Floats:
    """Mean of max f on the fine grid minus max f on each coarser one, over 400 draws."""
    kernel = kernel_by_name(found.kernel, found.lengthscale)
    generator = stream(0, "tsrsr", "statements", "remark-1", found.kernel, found.dim)
    draws = gp_draw(kernel, grid(found.fine + 1, found.dim), generator, 400)
    cube = draws.reshape(len(draws), *(found.fine + 1,) * found.dim)
    losses = []
    for step in found.steps:
        coarse = cube[(slice(None), *(slice(None, None, step),) * found.dim)].reshape(len(draws), -1)
        losses.append(float((draws.max(axis=1) - coarse.max(axis=1)).mean()))
    return np.array(losses)


@statement(
    "remark-1",
    "rate",
    compact_instances,
    need(
        "a bounded set, at least one interval an axis",
        lambda found: isinstance(found, Discretised) or found.per_axis >= 2,
        Growth(1, 1.0, 1, 5.0),
    ),
    teeth={
        "growth like d": {"power": 1.0},
        "smoothness 1/2 is enough": {"least": 0.5},
        "a loss of order epsilon cubed": {"rounding": 3.0},
    },
    depends="theorem-1",
)
def remark_1(
    found: Discretised | Growth, *, power: float = 0.5, rounding: float = 1.0, least: float = 1.5
) -> Iterator[Case]:
    r"""For kernels with differentiable paths (squared exponential; Matérn, $\nu\ge1.5$) a compact $\mathcal X\subset\R^d$
    can be replaced by $O(\epsilon^{-d})$ points, which gives regret $\tilde O(\rho_m\sqrt{d\,\gamma_{Tm}Tm})$

    Where sample paths are differentiable, the best point of a grid of spacing :math:`\epsilon` is worse than the maximum
    by :math:`O(\epsilon)`: the exponent in :math:`\epsilon` is at least 1. And with :math:`N=(r/\epsilon)^d` candidates
    Theorem 1 grows like :math:`\sqrt d`, the gain and :math:`\rho_m` being fixed.
    """
    if isinstance(found, Growth):
        bound = [theorem1(found.per_axis**d, 20, found.batch, found.noise_sd**2, found.gain) for d in found.dims]
        fit = slope_interval(np.log(found.dims), np.log(bound))
        yield exponent(fit.low, fit.high, power, f"{found.where}: exponent in d", "equal", GROWTH_ALLOWANCE)
    elif SMOOTHNESS[found.kernel] >= least:
        fit = slope_interval(np.log(found.spacings), np.log(_losses(found)))
        yield exponent(fit.low, fit.high, rounding, f"{found.where}: exponent in epsilon", "at least")
