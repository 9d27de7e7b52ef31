"""Statements on the confidence bounds and on the regret of one round: Lemmas 8.1, 8.2 and 8.5 to 8.8."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from companion.checks.cases import Case, agrees, at_most, none_of
from companion.checks.instance import Instance
from companion.checks.samples import frequency, on_event
from companion.checks.statement import fix, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.papers.compressed.checks.regret_games import (
    CUBES,
    DIFFERENTIABLE,
    FINITE,
    FINITE_SET,
    FLAT,
    IMPROVING,
    POSITIVE_BUDGET,
    UPPER_BOUND,
)
from companion.papers.compressed.checks.regret_rough import Rough, first_rounds
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.instances import Game, near_optimum, played
from companion.papers.compressed.theory.runs import TheoryRuns, play

#: Failure probabilities delta.
LEVELS = (0.1, 0.3)


class Pair(Instance):
    """Two independent arms with values at the ends of the first round's confidence interval; UCB tries the worse first."""

    words = "two arms at the ends of their intervals, noise {noise_sd:g}, T = {rounds}, delta {delta:g}"
    rounds: int
    noise_sd: float
    delta: float = 0.1
    variance: float = 1.0
    alpha: float = 0.5
    acquisition: str = "ucb"
    compact: bool = False


@cache
def runs_of(game: Game | Pair) -> TheoryRuns:
    """The runs of a configuration."""
    if isinstance(game, Game):
        return played(game)
    beta = bounds.finite_beta(np.arange(1, game.rounds + 1), 2, game.delta)
    height = float(np.sqrt(beta[0])) * (1 - 1e-9)
    generator = stream(0, "compressed", "pair", f"{game.noise_sd:g}")
    return play(np.ones(2), beta, game.noise_sd**2, 0.0, 1, generator, values=[-height, height])


def one(_: Game) -> float:
    """No union over the candidates."""
    return 1.0


def at_chosen(runs: TheoryRuns) -> Floats:
    """(R, T) deviation of f from the mean at the chosen points, in standard deviations."""
    chosen = np.take_along_axis(runs.values, runs.chosen, axis=1)
    return np.asarray(np.abs(chosen - runs.mean) / np.sqrt(runs.variance))


# -- Lemma 8.1 ---------------------------------------------------------------------------------------------------------


@statement(
    "lemma-8.1",
    "probability",
    lambda: (*FINITE, *IMPROVING),
    FINITE_SET,
    POSITIVE_BUDGET,
    teeth={"a quarter of beta": {"factor": 0.25}, "without the union over the candidates": {"union": one}},
)
def lemma_8_1(
    game: Game, *, union: Callable[[Game], float] = attrgetter("size"), factor: float = 1.0
) -> Iterator[Case]:
    r"""Let $\beta_t=2\log(X\pi_t/\delta)$ with $\sum_t\pi_t^{-1}=1$. With probability at least $1-\delta$:
    $|f(x)-\mu_{t-1}(x)|\le\sqrt{\beta_t}\,\sigma_{t-1}(x)$ for all $x$ and $t$

    With :math:`\pi_t=\pi^2t^2/6`; f is a draw of the prior, all x and t of a run count.
    """
    deviation = played(game).deviation
    for delta in LEVELS:
        width = np.sqrt(factor * bounds.finite_beta(game.rounds, union(game), delta))
        yield frequency((deviation / width).max(axis=1), np.ones(game.runs), delta, f"{game.where}, delta {delta:g}")


# -- Lemma 8.2 ---------------------------------------------------------------------------------------------------------


@statement(
    "lemma-8.2",
    "inequality",
    lambda: (*FINITE, Pair(1, 0.3), Pair(3, 1.0, delta=0.3)),
    FINITE_SET,
    UPPER_BOUND,
    teeth={"1.9 in place of 2": {"factor": 1.9}, "the standard deviation after the round": {"lag": 1}},
    depends="lemma-8.1",
)
def lemma_8_2(game: Game | Pair, *, factor: float = 2.0, lag: int = 0) -> Iterator[Case]:
    r"""If $|f(x)-\mu_{t-1}(x)|\le\sqrt{\beta_t}\,\sigma_{t-1}(x)$ for all $x$, then
    $r_t\le2\sqrt{\beta_t}\,\sigma_{t-1}(x_t)$ for $t\in\mathcal M_T(\epsilon)$
    """
    runs = runs_of(game)
    variance = runs.variance
    if lag:
        after = variance * runs.noise_variance / (variance + runs.noise_variance)
        variance = np.where(runs.kept, after, variance)
    bound = factor * np.sqrt(runs.beta * variance)
    yield from on_event(runs.instantaneous, bound, runs.confident(), game.where)


# -- Lemma 8.5 ---------------------------------------------------------------------------------------------------------


@statement(
    "lemma-8.5",
    "probability",
    lambda: (*CUBES, *FINITE, *IMPROVING[:3]),
    POSITIVE_BUDGET,
    teeth={
        "a quarter of beta": {"factor": 0.25},
        "at all points, not only the chosen ones": {"deviation": attrgetter("deviation")},
    },
)
def lemma_8_5(
    game: Game, *, factor: float = 1.0, deviation: Callable[[TheoryRuns], Floats] = at_chosen
) -> Iterator[Case]:
    r"""Let $\beta_t=2\log(\pi_t/\delta)$. With probability at least $1-\delta$:
    $|f(x_t)-\mu_{t-1}(x_t)|\le\sqrt{\beta_t}\,\sigma_{t-1}(x_t)$ for all $t$
    """
    off = deviation(played(game))
    for delta in LEVELS:
        width = np.sqrt(factor * bounds.finite_beta(game.rounds, 1, delta))
        yield frequency((off / width).max(axis=1), np.ones(game.runs), delta, f"{game.where}, delta {delta:g}")


# -- Lemma 8.6 ---------------------------------------------------------------------------------------------------------


@statement(
    "lemma-8.6",
    "probability",
    lambda: CUBES,
    POSITIVE_BUDGET,
    teeth={"a quarter of beta": {"factor": 0.25}, "without the size of the grid": {"union": one}},
    depends="lemma-8.1",
)
def lemma_8_6(game: Game, **constants: Any) -> Iterator[Case]:
    r"""Let $\mathcal X_t\subset\mathcal X$ be finite and $\beta_t=2\log(|\mathcal X_t|\pi_t/\delta)$. With probability at
    least $1-\delta$: $|f(x)-\mu_{t-1}(x)|\le\sqrt{\beta_t}\,\sigma_{t-1}(x)$ for all $x\in\mathcal X_t$ and $t$

    The sets are the whole grid that stands for the cube, in every round.
    """
    yield from lemma_8_1(game, **constants)


# -- Lemmas 8.7 and 8.8 ------------------------------------------------------------------------------------------------


def _schedule(game: Game | Rough, union: int, form: str) -> Floats:
    """(T,) the exploration parameters of a lemma; may be negative where the cube is small."""
    return bounds.compact_beta(
        game.rounds, game.dim, 1.0, *game.tails, game.delta, union=union, form=form, unchecked=True
    )


#: Functions so rough that the parameter of Lemma 8.7 is hardly larger than it has to be.
ROUGH = Rough(1e-5)


def typed_beta(game: Game | Rough, union: int, form: str) -> Floats:
    r"""(T,) :math:`2\log(u\pi_t/\delta)` and what ``form`` adds, typed from the paper for r = 1 and :math:`\pi_t=\pi^2t^2/6`.

    Independent check: of the package's parameters, below.
    """
    t, d, (a, b) = game.rounds, game.dim, game.tails
    root = d * b * math.sqrt(math.log(union * d * a / game.delta))
    first = 2.0 * np.log(union * math.pi**2 * t**2 / (6.0 * game.delta))
    added = {
        "lemma": 4.0 * d * np.log(t * root),
        "theorem": 2.0 * d * np.log(t**2 * root),
        "grid": 2.0 * d * np.log(np.ceil(t**2 * root)),
    }
    return np.asarray(first + added[form])


def beta_agrees(game: Game | Rough, beta: Floats, union: int, form: str) -> Case:
    """The package's exploration parameters against those typed here, in the round where they differ most."""
    typed = typed_beta(game, union, form)
    at = int(np.argmax(np.abs(beta - typed)))
    return agrees(float(beta[at]), float(typed[at]), f"beta_t, {game.where}, length-scale {game.lengthscale:g}")


def _defined(beta: Floats, game: Game | Rough) -> Case:
    where = f"rounds with a negative exploration parameter, {game.where}, length-scale {game.lengthscale:g}"
    return none_of(int(np.sum(beta < 0)), len(beta), where)


def _next_to_optimum(game: Game | Rough) -> tuple[Floats, Floats, Floats]:
    """(R, 1) f(x*), and (R, T) posterior mean and standard deviation at [x*]_t."""
    if isinstance(game, Rough):
        first = first_rounds(game)
        return first.top[:, None], first.near_mean, first.near_sd
    near = near_optimum(game, bounds.grid_per_axis(game.rounds, game.dim, 1.0, *game.tails, game.delta, union=2))
    return played(game).values.max(axis=1, keepdims=True), near.mean, near.sd


_GRID = fix(
    r"$\beta_t=2\log(u\pi_t/\delta)+2d\log\lceil\tau_t\rceil$, $u$ = 2 or 4: what the union over the grid needs. The "
    r"printed form is at least as large only if $dbr\sqrt{\log(u\,da/\delta)}\ge1$",
    form="grid",
)


@statement(
    "lemma-8.7",
    "probability",
    lambda: (*CUBES, *FLAT, ROUGH),
    DIFFERENTIABLE,
    teeth={
        "0.45 of beta": {"factor": 0.45},
        "half of beta, without the discretisation error": {"factor": 0.5, "offset": 0.0},
    },
    depends="assumption-3.3 lemma-8.6",
    corrected=_GRID,
)
def lemma_8_7(game: Game | Rough, *, form: str = "lemma", factor: float = 1.0, offset: float = 1.0) -> Iterator[Case]:
    r"""Let $\beta_t=2\log(2\pi_t/\delta)+4d\log(dtbr\sqrt{\log(2da/\delta)})$ and $\tau_t=t^2rdb\sqrt{\log(2da/\delta)}$.
    With probability at least $1-\delta$: $|f(x^*)-\mu_{t-1}([x^*]_t)|\le
    t^{-2}+\sqrt{\beta_t}\,\sigma_{t-1}([x^*]_t)$ for all $t$

    :math:`[x^*]_t` is next to x* on a grid with :math:`\tau_t` points per axis, rounded up.
    """
    beta = _schedule(game, 2, form)
    yield beta_agrees(game, beta, 2, form)
    yield _defined(beta, game)
    if np.all(beta >= 0):
        top, mean, sd = _next_to_optimum(game)
        excess = np.abs(top - mean) - offset * game.rounds**-2.0 - np.sqrt(factor * beta) * sd
        where = f"{game.where}, length-scale {game.lengthscale:g}, delta {game.delta:g}"
        yield frequency((excess > 1e-9).any(axis=1), np.zeros(game.runs), game.delta, where)


@statement(
    "lemma-8.8",
    "probability",
    lambda: (*CUBES, *FLAT),
    DIFFERENTIABLE,
    UPPER_BOUND,
    teeth={"a sixth of beta": {"factor": 1.0 / 6.0}, "log(da/delta) in tau_t": {"printed_union": 1.0}},
    depends="lemma-8.5 lemma-8.7",
    corrected=_GRID,
)
def lemma_8_8(game: Game, *, form: str = "lemma", factor: float = 1.0, printed_union: float = 2.0) -> Iterator[Case]:
    r"""Let $\beta_t=2\log(4\pi_t/\delta)+4d\log(dtbr\sqrt{\log(4da/\delta)})$ and $\tau_t=t^2rdb\sqrt{\log(2da/\delta)}$.
    With probability at least $1-\delta$: $r_t\le2\sqrt{\beta_t}\,\sigma_{t-1}(x_t)+t^{-2}$ for all $t$

    UCB explores with the :math:`\beta_t` of the bound. Besides, that the printed :math:`\tau_t` is enough for the proof: the
    derivative exceeds its bound with probability at most :math:`\delta/2`, and the union over that grid and over the chosen
    points, added up over the rounds, leaves at most :math:`\delta/2` as well.
    """
    beta = _schedule(game, 4, form)
    yield beta_agrees(game, beta, 4, form)
    yield _defined(beta, game)
    if np.all(beta >= 0):
        yield _printed_grid(game, beta, printed_union)
        runs = played(replace(game, form=form))
        bound = 2.0 * np.sqrt(factor * beta * runs.variance) + game.rounds**-2.0
        where = f"{game.where}, length-scale {game.lengthscale:g}, delta {game.delta:g}"
        yield frequency((runs.instantaneous > bound).any(axis=1), np.zeros(game.runs), game.delta, where)


def _printed_grid(game: Game, beta: Floats, union: float) -> Case:
    r"""Failure probabilities of the proof: derivatives, the grid of :math:`\lceil\tau_t\rceil^d` points, and the choices."""
    (a, b), d = game.tails, game.dim
    root = math.sqrt(max(math.log(union * d * a / game.delta), 0.0))
    cells = np.ceil(game.rounds**2 * d * b * root)
    steep = d * a * math.exp(-(root**2))
    outside = float(np.sum((cells**d + 1.0) * np.exp(-beta / 2.0)))
    where = f"printed tau_t: failure probabilities of the proof, {game.where}, length-scale {game.lengthscale:g}"
    return at_most(steep + outside, game.delta, where)
