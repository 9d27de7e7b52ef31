"""Basis of the checks of Section 5: many runs of one configuration, its certified gain, both readings.

The paper defines the gain and the ratio over *sets* of points, while the algorithm may query a point again. Read as
printed (:data:`OVER_SETS`), both are bounded however many points there are, and what is claimed with them fails; read
with repeats, the definitions fit the proof: :data:`WITH_REPEATS`. This is one slip of notation. It is charged to Theorem 1,
where the definitions stand; the lemmas that use them are read with repeats, as their notes say, and have the sets as a tooth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from companion.checks.cases import Case
from companion.checks.samples import worst
from companion.checks.statement import fix, need
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import grid, kernel_by_name
from companion.gp.kernels import KERNEL_TITLES
from companion.information import gain_bracket, greedy_gain, information_gain
from companion.papers.tsrsr.theory import bounds
from companion.papers.tsrsr.theory.runs import TheoryRuns, play

TITLES = {
    **KERNEL_TITLES,
    "random": "random covariance",
    "independent": "independent arms",
}


@dataclass(frozen=True)
class Game:
    """``runs`` runs of TS-RSR, each of ``rounds`` batches of ``batch`` points, for draws of the prior.

    Candidates are the 25 points of a grid of [0, 1]^dim, or ``size`` points of the structured kinds. ``design``: number of
    maximum-variance points before the first round. ``resample``: with the resampling of App. C.
    """

    kernel: str
    dim: int
    noise_sd: float
    rounds: int
    batch: int
    runs: int
    size: int = 25
    variance: float = 1.0
    resample: bool = False
    design: int = 0
    seed: int = 0

    @property
    def where(self) -> str:
        """The configuration in words."""
        place = "" if self.kernel in ("independent", "random") else f", d = {self.dim}"
        scale = "" if self.variance == 1.0 else f", variance {self.variance:g}"
        more = f", {self.design} points before" if self.design else ""
        return (
            f"{TITLES[self.kernel]}{place}, N = {self.size}{scale}, noise {self.noise_sd:g}, T = {self.rounds}, "
            f"m = {self.batch}{more}, {self.runs} runs"
        )

    @property
    def evaluations(self) -> int:
        """Tm."""
        return self.rounds * self.batch

    @property
    def noise_variance(self) -> float:
        """sigma_n^2."""
        return self.noise_sd**2


@cache
def covariance(kernel: str, dim: int, size: int, variance: float = 1.0) -> Floats:
    """Prior of a :class:`Game`: length-scale 0.2 on a line, 0.4 on a square; size/2 random features for ``"random"``."""
    if kernel == "independent":
        return variance * np.eye(size)
    if kernel == "random":
        root = stream(size, "tsrsr", "statements", "covariance").standard_normal((size, size // 2))
        matrix = root @ root.T + 0.1 * np.eye(size)
        scale = np.sqrt(np.diagonal(matrix))
        return np.asarray(variance * matrix / np.outer(scale, scale))
    per_axis = round(size ** (1.0 / dim))
    return np.asarray(kernel_by_name(kernel, 0.2 * dim, variance=variance)(grid(per_axis, dim)))


def prior(game: Game) -> Floats:
    """(N, N) covariance of the game's candidates."""
    return covariance(game.kernel, game.dim, game.size, game.variance)


@cache
def played(game: Game) -> TheoryRuns:
    """The game's runs; the same ones on every call."""
    numbers = (game.dim, game.size, game.rounds, game.batch, f"{game.noise_sd:g}", f"{game.variance:g}")
    generator = stream(game.seed, "tsrsr", "statements", "play", game.kernel, *numbers)
    points = greedy_gain(prior(game), game.design, game.noise_variance).indices if game.design else ()
    return play(
        prior(game),
        game.rounds,
        game.batch,
        game.noise_variance,
        game.runs,
        generator,
        resample=game.resample,
        design=points,
    )


@cache
def _gains(game: Game) -> tuple[float, float]:
    upper = gain_bracket(prior(game), game.evaluations, game.noise_variance).upper
    everything = information_gain(prior(game), range(game.size), game.noise_variance)
    return upper, min(upper, everything)


def gain(game: Game) -> float:
    r"""Certified upper end of :math:`\gamma_{Tm}`, with repeats."""
    return _gains(_anonymous(game))[0]


def gain_of_sets(game: Game) -> float:
    r"""The same over sets: at most the gain of every candidate observed once."""
    return _gains(_anonymous(game))[1]


def _anonymous(game: Game) -> Game:
    return replace(game, runs=1, resample=False, design=0, seed=0)


def ratio(game: Game) -> float:
    r""":math:`\rho_m` with repeats, in closed form."""
    return bounds.variance_ratio(game.batch, game.noise_variance, game.variance)


def ratio_of_sets(game: Game) -> float:
    """An upper bound on it over sets: no more than N points count, and of independent arms only the point itself."""
    distinct = 1 if game.kernel == "independent" else min(game.batch, game.size)
    return bounds.variance_ratio(distinct, game.noise_variance, game.variance)


def no_ratio(_: Game) -> float:
    """One, as if a batch cost nothing."""
    return 1.0


Measure = Callable[[Game], float]
OVER_SETS = {"gain": gain_of_sets, "ratio": ratio_of_sets}

#: What makes Theorem 1 true, which is false with maxima over sets of points, as the paper defines them.
WITH_REPEATS = fix(
    "gain and ratio are maxima over collections with repeats, and the ratio over all histories", gain=gain, ratio=ratio
)


def worst_run(lhs: Floats, rhs: Floats | float, where: str) -> Case:
    """``lhs <= rhs`` in every run, (R,): the sides of the run with the largest excess."""
    return worst(lhs, rhs, f"{where}, worst run")


# -- games and assumptions ---------------------------------------------------------------------------------------------

#: Four kernels in one and two dimensions, four noise levels.
SMOOTH = (
    Game("se", 1, 0.5, 10, 4, 1500),
    Game("matern12", 1, 0.1, 6, 5, 600),
    Game("matern32", 2, 1.0, 10, 3, 600),
    Game("matern52", 2, 0.3, 20, 1, 600, variance=0.4),
    Game("se", 2, 0.05, 5, 4, 600),
)

#: Where the statements could fail: few independent arms, which a batch queries again and again.
STRUCTURED = (
    Game("random", 1, 0.3, 6, 4, 1000, size=12),
    Game("independent", 1, 0.1, 9, 1, 4000, size=9),
    Game("independent", 1, 0.1, 1, 2, 20_000, size=2),
    Game("independent", 1, 10.0, 1, 2, 20_000, size=2),
    Game("independent", 1, 1.0, 1, 20, 4000, size=2),
    Game("independent", 1, 10.0, 2, 20, 1000, size=2),
    Game("independent", 1, 1.0, 1, 1, 400, size=50),
)

#: Two arms and one enormous batch: the regret is linear in m, whatever is observed.
CROWDED = (
    Game("independent", 1, 1.0, 1, 4000, 400, size=2),
    Game("independent", 1, 10.0, 1, 4000, 400, size=2),
)


SMALL_VARIANCE = need(
    r"$k(x,x)\le1$", lambda game: bool(game.variance <= 1.0), Game("se", 1, 0.5, 3, 2, 10, variance=4.0)
)
EXACT_DRAWS = need(
    "exact posterior draws, without resampling",
    lambda game: not game.resample,
    Game("se", 1, 0.5, 3, 2, 10, resample=True),
)
SEVERAL_CANDIDATES = need(
    "at least two candidates", lambda game: bool(game.size >= 2), Game("independent", 1, 0.5, 3, 2, 10, size=1)
)


def all_games() -> tuple[Game, ...]:
    """Every configuration except the enormous batches."""
    return (*SMOOTH, *STRUCTURED)


def every_game() -> tuple[Game, ...]:
    """Every configuration."""
    return (*all_games(), *CROWDED)
