"""Configurations on which the regret statements are checked and could fail, and helpers for cases."""

from __future__ import annotations

import math

from companion.checks.statement import need
from companion.papers.compressed.theory.instances import SMOOTHNESS, A, B, C, Game

#: Three rounds on 1000 arms: every round costs the whole maximum, and hardly anything may be rejected.
FEW = Game("independent", 1, 0.3, 3, 4.0, runs=300, size=1000)

#: The threshold exceeds the prior variance: nothing is ever retained, and the regret is linear.
SILENT = Game("se", 1, 1.1, 60, 0.01)

#: More arms than rounds and hardly any noise: every round explores.
SEPARATE = Game("independent", 1, 0.01, 100, 0.5, size=500)

#: Five kernels in one and two dimensions, seven noise levels, budgets from none to all.
FINITE = (
    A,
    B,
    Game("matern12", 1, 1.0, 150, 0.9),
    Game("matern52", 2, 0.1, 100, 0.4, size=49, lengthscale=0.4),
    Game("matern32", 2, 0.5, 100, 0.2, size=64, variance=0.4, lengthscale=0.3),
    Game("se", 2, 0.03, 60, math.inf, size=49, lengthscale=0.4),
    FEW,
    SILENT,
)

#: A few rounds on a rough function: the regret is the cost of exploring.
SHORT = Game("se", 1, 0.1, 5, 4.0, size=401, lengthscale=0.05, compact=True)

#: As :data:`SILENT`, on an interval.
SILENT_CUBE = Game("se", 1, 1.1, 60, 0.01, size=401, compact=True)

#: Functions that hardly change along the interval: the logarithms of the grid's size are negative.
FLAT = (
    Game("se", 1, 0.3, 20, 0.5, size=51, lengthscale=13.9, compact=True),
    Game("se", 1, 0.3, 20, 0.5, size=51, lengthscale=1000.0, compact=True),
)

#: Three kernels on an interval and one on a square, each with known derivative tails.
CUBES = (
    C,
    Game("matern52", 1, 0.1, 60, 0.8, size=301, lengthscale=0.3, compact=True),
    Game("matern72", 1, 1.0, 80, 0.3, size=301, compact=True),
    Game("additive", 2, 0.3, 60, 0.4, size=441, lengthscale=0.4, compact=True),
    SHORT,
    SILENT_CUBE,
)

#: Expected improvement, one random observation before the first round.
IMPROVING = (
    Game("se", 1, math.sqrt(0.1), 100, 0.5, acquisition="ei"),
    Game("matern12", 1, 1.0, 80, 0.9, acquisition="ei"),
    Game("matern52", 2, 0.1, 100, 0.4, size=49, lengthscale=0.4, acquisition="ei"),
    Game("matern32", 2, 0.5, 80, 0.2, size=64, variance=0.4, lengthscale=0.3, acquisition="ei"),
    Game("independent", 1, math.sqrt(0.1), 50, 0.5, acquisition="ei"),
    Game("independent", 1, 0.1, 60, 0.1, size=400, acquisition="ei"),
)

#: Expected improvement that keeps everything.
UNLIMITED = (
    Game("se", 1, math.sqrt(0.1), 60, math.inf, acquisition="ei"),
    Game("matern32", 2, 0.3, 60, math.inf, size=49, lengthscale=0.4, acquisition="ei"),
    Game("matern12", 1, 1.0, 60, math.inf, acquisition="ei"),
    Game("independent", 1, 0.1, 60, math.inf, size=200, acquisition="ei"),
)

SMALL_VARIANCE = need(
    r"$\kappa(x,x)\le1$", lambda game: bool(game.variance <= 1.0), Game("se", 1, 0.5, 3, 0.5, 10, variance=4.0)
)
POSITIVE_BUDGET = need(
    r"$\epsilon\ge0$ from an exponent $\alpha\ge0$", lambda game: bool(game.alpha >= 0), Game("se", 1, 0.5, 3, -0.5, 10)
)
FINITE_SET = need(
    "a finite set of candidates", lambda game: not game.compact, Game("se", 1, 0.5, 3, 0.5, 10, compact=True)
)
DIFFERENTIABLE = need(
    "a convex compact set and sample paths with the derivative tails (3.3)",
    lambda game: bool(game.compact and (game.kernel == "additive" or SMOOTHNESS.get(game.kernel, 0.0) > 2)),
    Game("matern32", 1, 0.5, 3, 0.5, 10, compact=True),
)
UPPER_BOUND = need(
    "actions by the upper confidence bound",
    lambda game: game.acquisition == "ucb",
    Game("se", 1, 0.5, 3, 0.5, 10, acquisition="ei"),
)
OBSERVED = need(
    "expected improvement, with at least one observation",
    lambda game: game.acquisition == "ei",
    Game("se", 1, 0.5, 3, 0.5, 10),
)
