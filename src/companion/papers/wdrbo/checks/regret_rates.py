r"""Statements: how the regret bounds grow.

Corollaries 6 and 10 are orders. What is checked is the inequality that their proofs give, with every constant: against
measured regret, and its growth in T against the claimed order. The growth is derived: the same information gains enter the
explicit bound and the order, so that it tests the constants and logarithms between them, not the regret. Slopes over finite
ranges exceed the exponent of the order by what its logarithms add, so the ratio to the claimed order is fitted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from companion.bounds.confidence import normal_width
from companion.checks.cases import Case, agrees, at_most, exponent, probability
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.gp import grid, kernel_by_name
from companion.information import greedy_gain
from companion.judge.intervals import slope_interval
from companion.papers.wdrbo.checks.regret_runs import IN_BALL, games, new_arms
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.games import TITLES, kernel_lipschitz
from companion.papers.wdrbo.theory.runs import Game, play

#: Two decades.
HORIZONS = np.unique(np.geomspace(16, 1_600, 15).astype(int))
#: From which on the printed forms of Theorem 5's first term follow.
LEAST_REGULARISER = 0.4


@dataclass(frozen=True)
class Growth:
    """A kernel on a grid of pairs, and the constants of the bound.

    Parameters
    ----------
    kernel, lengthscale, dim, per_axis : kernel by name on a grid of [0, 1]^d
    noise, lam : R and lambda; the norm is 1 and delta is 0.1
    """

    kernel: str
    lengthscale: float
    dim: int
    per_axis: int
    noise: float
    lam: float

    setting = "general"

    @property
    def where(self) -> str:
        """In words."""
        name = f"{TITLES[self.kernel]}, length-scale {self.lengthscale:g}, d = {self.dim}"
        return f"{name}, R = {self.noise:g}, lambda = {self.lam:g}, T = {HORIZONS[0]} to {HORIZONS[-1]}"


GROWTHS = (
    Growth("se", 0.3, 2, 24, 0.1, 1.0),
    Growth("se", 0.6, 2, 24, 5.0, 1.0),
    Growth("se", 0.3, 1, 300, 0.5, 1.0),
    Growth("matern52", 0.3, 2, 24, 0.1, 1.0),
    Growth("matern32", 0.5, 1, 300, 0.3, 0.5),
)


@lru_cache(maxsize=8)
def gains_of(growth: Growth) -> Floats:
    r""":math:`\gamma_1,\dots,\gamma_T` up to the last of :data:`HORIZONS` by the greedy rule, at least 1 - 1/e of them."""
    covariance = kernel_by_name(growth.kernel, growth.lengthscale)(grid(growth.per_axis, growth.dim))
    path = greedy_gain(covariance, int(HORIZONS[-1]), growth.lam)
    return np.concatenate([[0.0], 2.0 * path.gains[:-1]])


@lru_cache(maxsize=32)
def terms_of(growth: Growth, decay: float) -> tuple[Floats, Floats, Floats]:
    """The two terms of the bound and the sum of the radii 0.3 t^-decay, at every horizon."""
    gains, lipschitz = gains_of(growth), kernel_lipschitz(growth.kernel, growth.lengthscale)
    rows = []
    for horizon in HORIZONS:
        radii = 0.3 * np.arange(1.0, horizon + 1.0) ** -decay
        both = bounds.corollary_6(gains[:horizon], radii, growth.noise, 1.0, growth.lam, 0.1, lipschitz)
        rows.append((*both, float(radii.sum())))
    first, second, radii_sum = np.array(rows).T
    return first, second, radii_sum


def _ratio(values: Floats, order: Floats, where: str) -> Case:
    """The case that values / order does not grow; shown are the exponents of T of both."""
    across = np.log(HORIZONS)
    fitted = slope_interval(across, np.log(values / order))
    own = slope_interval(across, np.log(order)).estimate
    return exponent(own + fitted.low, own + fitted.high, own, where)


def _logs(values: Floats, order: Floats, power: float, where: str) -> Case:
    """The case that values / order grows at most like this power of log T."""
    fitted = slope_interval(np.log(np.log(HORIZONS)), np.log(values / order))
    return exponent(fitted.low, fitted.high, power, where)


def typed_bound(game: Game) -> Case:
    """The package's explicit bound at the horizon of the first run, against its formula typed from the proof."""
    runs, noise, lam, steps = play(game), game.noise, game.lam, game.horizon
    gamma, radii, once = runs.log_det[0], runs.radius, normal_width(1, game.delta)
    steepness = game.lipschitz
    width = noise * once + noise * math.sqrt(gamma[-1]) + math.sqrt(lam) * game.norm
    first = 4.0 * width * math.sqrt(steps * (gamma[-1] + 4.0 * math.log(6.0 / game.delta)))
    second = 4.0 * steepness * float(np.sum(radii * (noise * (once + np.sqrt(gamma)) / math.sqrt(lam) + game.norm)))
    given = bounds.corollary_6(gamma, radii, noise, game.norm, lam, game.delta, steepness)
    return agrees(sum(given), first + second, game.where)


def measured(game: Game, share: float) -> Case:
    """Frequency at which a run's regret exceeds the explicit bound at any of four horizons; realised gains for maximal ones.

    Where there is one run and no chance in it, its whole regret against the bound.
    """
    if game.runs == 1:
        runs = play(game)
        one, two = bounds.corollary_6(
            runs.log_det[0], runs.radius, game.noise, game.norm, game.lam, game.delta, game.lipschitz
        )
        return at_most(float(runs.regret.sum()), share * (one + two), f"{game.where}: regret over the bound")
    runs, failed = play(game), np.zeros(game.runs, dtype=bool)
    for horizon in {1, game.horizon // 4, game.horizon // 2, game.horizon}:
        regret = runs.regret[:, :horizon].sum(axis=1)
        for run in range(game.runs):
            gains, radii = runs.log_det[run, :horizon], runs.radius[:horizon]
            one, two = bounds.corollary_6(gains, radii, game.noise, game.norm, game.lam, game.delta, game.lipschitz)
            failed[run] |= regret[run] > share * (one + two) * (1.0 + 1e-9)
    return probability(int(failed.sum()), game.runs, 2.0 * game.delta, f"{game.where}: regret over the bound")


def _instances() -> Iterator[Growth | Game]:
    yield from GROWTHS
    yield from (game for game in games() if game.lam >= LEAST_REGULARISER)
    yield FAR_APART


#: Two hundred decisions ten length-scales apart, all of f on the last one: every round costs the norm, and the bound, which
#: grows linearly here, is less than three times the regret.
FAR_APART = replace(new_arms(LEAST_REGULARISER, 200), kernel="se", lengthscale=5e-4)

LARGE = need(
    r"$\lambda\ge0.4$, where the first term of (57) is proved",
    lambda instance: instance.lam >= LEAST_REGULARISER,
    Growth("se", 0.3, 1, 50, 0.1, 0.01),
)
LIPSCHITZ = need(
    "Assumption 1: the kernel's features are Lipschitz",
    lambda instance: math.isfinite(kernel_lipschitz(instance.kernel, instance.lengthscale)),
    Growth("matern12", 0.3, 1, 50, 0.1, 1.0),
)


@statement(
    "cor-6",
    "rate",
    _instances,
    LARGE,
    LIPSCHITZ,
    IN_BALL,
    teeth={
        r"first term $\sqrt{T\gamma_T}$": {"gain_power": 0.5},
        r"second term $\sum\varepsilon_t$ for every kernel": {"second_power": 0.0},
        "no logarithms for the squared exponential": {"with_logs": False},
        "a third of the explicit bound": {"share": 1.0 / 3.0},
    },
    depends="thm-5 thm-16 lemma-3",
)
def corollary_6(
    instance: Growth | Game,
    *,
    gain_power: float = 1.0,
    second_power: float = 0.5,
    with_logs: bool = True,
    share: float = 1.0,
) -> Iterator[Case]:
    r"""With probability at least $1-2\delta$: $R_T=\tilde O(\sqrt T\gamma_T+\sqrt{\gamma_T}\sum_{t\le T}\varepsilon_t)$,
    and for the squared exponential kernel $\tilde O\big(\sqrt T+\sum_{t\le T}\varepsilon_t\big)$.

    On a game: :func:`companion.papers.wdrbo.theory.bounds.corollary_6` against the regret, with probability :math:`1-2\delta`.
    """
    if isinstance(instance, Game):
        yield typed_bound(instance)
        yield measured(instance, share)
        return
    gains = gains_of(instance)[HORIZONS - 1]
    for decay in (0.5, 0.0):
        one, two, radii = terms_of(instance, decay)
        where = f"{instance.where}, radii t^-{decay:g}"
        yield _ratio(one, np.sqrt(HORIZONS) * gains**gain_power, f"{where}: first term over its order")
        yield _ratio(two, gains**second_power * radii, f"{where}: second term over its order")
        if instance.kernel == "se":
            power = instance.dim + 1.0 if with_logs else 0.0
            yield _logs(one + two, np.sqrt(HORIZONS) + radii, power, f"{where}: power of log T")


@statement(
    "rem-cor6",
    "rate",
    lambda: GROWTHS,
    LARGE,
    LIPSCHITZ,
    teeth={
        r"radii $t^{-0.2}$": {"decay": 0.2},
        "constant radii": {"decay": 0.0},
        r"order $\sqrt T$": {"gain_power": 0.0},
    },
    depends="cor-6",
)
def remark_corollary_6(growth: Growth, *, decay: float = 0.5, gain_power: float = 1.0) -> Iterator[Case]:
    r"""If $\varepsilon_t=O(t^{-1/2})$, then $R_T=\tilde O(\sqrt T\gamma_T)$."""
    one, two, _ = terms_of(growth, decay)
    order = np.sqrt(HORIZONS) * gains_of(growth)[HORIZONS - 1] ** gain_power
    for name, term in (("first", one), ("second", two)):
        yield _ratio(term, order, f"{growth.where}, radii t^-{decay:g}: {name} term over the order")
