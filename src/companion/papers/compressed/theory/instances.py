r"""Instances for the regret statements: seeded runs of Algorithm 1, and their certified information gain.

Instances named in the ledger: A (SE, 50 points), B (50 independent arms, each played once), C (an interval or a square as
a fine grid, with derivative tails), E (2000 independent arms under expected improvement, few of them ever sampled).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.linalg import solve_triangular

from companion.core.arrays import Floats
from companion.core.errors import whole_number
from companion.core.randomness import stream
from companion.gp import Matern, SquaredExponential, grid
from companion.gp.kernels import KERNEL_TITLES
from companion.information import gain_bracket_curve
from companion.papers.compressed.method.admission import horizon_budget
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.runs import TheoryRuns, play

SMOOTHNESS = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5, "matern72": 3.5, "se": math.inf}
TITLES = {
    **KERNEL_TITLES,
    "matern72": "Matérn 7/2",
    "independent": "independent arms",
    "additive": "sum of two SE processes",
}


@dataclass(frozen=True)
class Game:
    r"""``runs`` runs of Algorithm 1 for draws of the prior, with :math:`\epsilon=\frac12\log(1+T^{-\alpha})`.

    Candidates are a grid of [0, 1]^dim with ``size`` points, or ``size`` independent arms. ``alpha`` may be infinite:
    nothing is rejected. ``compact``: the grid stands for the whole cube, with the exploration of Theorem 3.2(ii) in the
    ``form`` of :func:`~companion.papers.compressed.theory.bounds.compact_beta`.
    """

    kernel: str
    dim: int
    noise_sd: float
    horizon: int
    alpha: float
    runs: int = 220
    size: int = 50
    acquisition: str = "ucb"
    variance: float = 1.0
    lengthscale: float = 0.2
    delta: float = 0.1
    compact: bool = False
    form: str = "grid"
    seed: int = 0

    @property
    def where(self) -> str:
        """The configuration in words."""
        place = "" if self.kernel == "independent" else f", d = {self.dim}"
        scale = "" if self.variance == 1.0 else f", variance {self.variance:g}"
        rule = {"ucb": "UCB", "ei": "EI"}[self.acquisition]
        return (
            f"{rule}, {TITLES[self.kernel]}{place}, {self.size} points{scale}, noise {self.noise_sd:g}, "
            f"T = {self.horizon}, alpha = {self.alpha:g}, {self.runs} runs"
        )

    @property
    def noise_variance(self) -> float:
        """sigma^2."""
        return self.noise_sd**2

    @property
    def epsilon(self) -> float:
        """The budget."""
        return 0.0 if math.isinf(self.alpha) else horizon_budget(self.horizon, self.alpha)

    @property
    def rounds(self) -> Floats:
        """(T,) 1..T."""
        return np.arange(1.0, self.horizon + 1.0)

    @property
    def tails(self) -> tuple[float, float]:
        """(a, b) of the derivative tails; for the sum of two processes, each of variance 1/2."""
        base = "se" if self.kernel == "additive" else self.kernel
        a, b = bounds.derivative_tail(self.lengthscale, smoothness=SMOOTHNESS[base])
        return a, b / math.sqrt(2.0) if self.kernel == "additive" else b

    def beta(self) -> Floats:
        """(T,) the exploration parameters of Theorem 3.2, of part (ii) for a compact game."""
        if not self.compact:
            return bounds.finite_beta(self.rounds, self.size, self.delta)
        return bounds.compact_beta(self.rounds, self.dim, 1.0, *self.tails, self.delta, form=self.form, unchecked=True)


A = Game("se", 1, math.sqrt(0.1), 200, 0.5)
B = Game("independent", 1, math.sqrt(0.1), 50, 0.5, runs=300)
C = Game("se", 1, math.sqrt(0.1), 60, 0.5, size=401, compact=True)
E = Game("independent", 1, 0.1, 1000, 0.1, runs=5, size=2000, acquisition="ei")


def points(game: Game) -> Floats:
    """(N, d) the candidates."""
    return np.asarray(grid(round(game.size ** (1.0 / game.dim)), game.dim))


def kernel_between(game: Game, x: Floats, y: Floats) -> Floats:
    """(n, m) prior covariance between points."""
    if game.kernel == "additive":
        one = SquaredExponential(game.lengthscale)
        return np.asarray(sum(one(x[:, [j]], y[:, [j]]) for j in range(game.dim)) * (game.variance / game.dim))
    smoothness = SMOOTHNESS[game.kernel]
    if math.isinf(smoothness):
        return np.asarray(SquaredExponential(game.lengthscale, game.variance)(x, y))
    return np.asarray(Matern(smoothness, game.lengthscale, game.variance)(x, y))


@cache
def prior(game: Game) -> Floats:
    """(N, N) covariance of the candidates, or (N,) for independent arms."""
    if game.kernel == "independent":
        return game.variance * np.ones(game.size)
    return kernel_between(game, points(game), points(game))


@cache
def played(game: Game) -> TheoryRuns:
    """The game's runs; the same ones on every call."""
    names = [f"{value}" for value in (game.kernel, game.dim, game.size, game.horizon, game.acquisition)]
    numbers = [f"{value:g}" for value in (game.noise_sd, game.alpha, game.variance, game.lengthscale)]
    generator = stream(game.seed, "compressed", "theory", *names, *numbers)
    return play(
        prior(game),
        game.beta(),
        game.noise_variance,
        game.epsilon,
        game.runs,
        generator,
        acquisition=game.acquisition,
        initial=1 if game.acquisition == "ei" else 0,
    )


@cache
def _gains(game: Game, orders: tuple[int, ...]) -> dict[int, float]:
    if game.kernel == "independent":
        return {order: even_gain(order, game.size, game.variance / game.noise_variance) for order in orders}
    positive = [order for order in orders if order > 0]
    found = gain_bracket_curve(prior(game), positive, game.noise_variance, rounds=8, gap=2e-2) if positive else ()
    return {0: 0.0, **{bracket.horizon: bracket.upper for bracket in found}}


def even_gain(order: int, arms: int, ratio: float) -> float:
    """Maximum information gain of ``order`` observations of independent arms of variance ``ratio`` times the noise's."""
    full, rest = divmod(whole_number("order", order, 0), whole_number("arms", arms))
    return 0.5 * (rest * math.log1p((full + 1) * ratio) + (arms - rest) * math.log1p(full * ratio))


def gain_upper(game: Game) -> Floats:
    r"""(R,) upper end of :math:`\gamma_{M_T}`; exact for independent arms."""
    orders = played(game).order
    anonymous = replace(
        game, runs=1, seed=0, alpha=1.0, horizon=2, acquisition="ucb", compact=False, delta=0.1, form="grid"
    )
    gains = _gains(anonymous, tuple(int(order) for order in np.unique(orders)))
    return np.array([gains[int(order)] for order in orders])


@dataclass(frozen=True)
class NearOptimum:
    """Posterior at the grid points next to the maximiser: (R, T) mean and standard deviation, before every round."""

    mean: Floats
    sd: Floats


def near_optimum(game: Game, per_axis: Floats) -> NearOptimum:
    r"""Posterior at :math:`[x^*]_t`, the point next to x* of a grid with :math:`\lceil\tau_t\rceil` cells per axis.

    Computed from a run's dictionary by one Cholesky factor: its leading rows are the factors of the earlier dictionaries.

    Parameters
    ----------
    per_axis : (T,) tau_t
    """
    runs, x = played(game), points(game)
    cells = np.ceil(per_axis)[:, None]
    mean, sd = np.zeros_like(runs.mean), np.zeros_like(runs.mean)
    for run, star in enumerate(runs.optimum):
        near = (np.minimum(np.floor(x[star] * cells), cells - 1) + 0.5) / cells
        kept = runs.kept[run]
        stored, values = x[runs.chosen[run][kept]], runs.observed[run][kept]
        lower = np.linalg.cholesky(kernel_between(game, stored, stored) + game.noise_variance * np.eye(len(stored)))
        rows = solve_triangular(lower, kernel_between(game, stored, near), lower=True)
        weights = solve_triangular(lower, values, lower=True)
        known = np.arange(len(stored))[:, None] < np.cumsum(kept) - kept
        mean[run] = np.where(known, rows * weights[:, None], 0.0).sum(axis=0)
        sd[run] = np.sqrt(np.maximum(game.variance - np.where(known, rows**2, 0.0).sum(axis=0), 0.0))
    return NearOptimum(mean, sd)
