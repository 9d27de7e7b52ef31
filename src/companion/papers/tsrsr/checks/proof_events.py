"""Statements about the good events of Section 5: Lemma 4, Lemma 6, and their combination, equation (16)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from companion.checks.cases import REJECTION_POWER, Case, equal, probability, rejection_power
from companion.checks.statement import fix, statement
from companion.core.arrays import Flags, Floats
from companion.papers.tsrsr.checks.proof_runs import (
    EXACT_DRAWS,
    OVER_SETS,
    SMALL_VARIANCE,
    Game,
    Measure,
    all_games,
    every_game,
    gain,
    no_ratio,
    played,
    ratio,
    ratio_of_sets,
    worst_run,
)
from companion.papers.tsrsr.theory import bounds

#: Failure probabilities delta.
LEVELS = (0.1, 0.3)


def _width(count: float, delta: float, log_factor: float) -> float:
    """Root of ``log_factor`` times log(count / delta)."""
    return math.sqrt(log_factor * math.log(count / delta))


def draws_inside(game: Game, delta: float, event: Callable[..., Flags] = np.all, log_factor: float = 2.0) -> Flags:
    r"""(R,) whether the runs are in :math:`\mathcal G^{(1)}(\delta)`: draws within the width of the mean.

    ``event`` is over rounds and places in the batch: ``np.all``, the intersection, or ``np.any``, the union.
    """
    width = _width(2 * game.size * game.evaluations, delta, log_factor)
    return np.asarray(event(played(game).sampled_deviation <= width, axis=(1, 2)))


def function_inside(game: Game, delta: float, log_factor: float = 2.0) -> Flags:
    r"""(R,) whether the runs are in :math:`\mathcal G^{(2)}(\delta)`: f within the width of all posterior means."""
    width = _width(2 * game.size * game.rounds, delta, log_factor)
    return np.asarray((played(game).deviation <= width).all(axis=1))


def _on_event(lhs: Floats, rhs: float, inside: Flags, where: str) -> Iterator[Case]:
    if inside.any():
        yield worst_run(lhs[inside], rhs, f"{where}, on the event")


# -- Lemma 4 -----------------------------------------------------------------------------------------------------------


@statement(
    "lemma-4",
    "probability",
    all_games,
    EXACT_DRAWS,
    teeth={
        "the ratio over sets of points, as printed": {"ratio": ratio_of_sets},
        "without the ratio": {"ratio": no_ratio},
        "the union of the events, as printed": {"event": np.any},
        "log in place of 2 log": {"log_factor": 1.0},
    },
    depends="lemma-3",
    corrected=fix(
        "the event is the intersection over all rounds and places in the batch, as the closing union bound over t and i needs",
        other=True,
        event=np.all,
    ),
)
def lemma_4(
    game: Game, *, event: Callable[..., Flags] = np.any, log_factor: float = 2.0, ratio: Measure = ratio
) -> Iterator[Case]:
    r"""Let $\mathcal G^{(1)}_{t,i}(\delta)=\{\forall x:|\tilde
    f_{t,i}(x)-\mu_t(x)|\le\sigma_t(x)\sqrt{2\log(2NTm/\delta)}\}$ and $\mathcal G^{(1)}(\delta)=\bigcup_{t,i}\mathcal
    G^{(1)}_{t,i}(\delta)$. Then $P(\mathcal G^{(1)})\ge1-\delta$, and on it
    $\bar\Psi\le\rho_m\sqrt{2\log(2NTm/\delta)}$
    """
    runs, rho = played(game), ratio(game)
    for delta in LEVELS:
        where = f"{game.where}, delta {delta:g}"
        inside = draws_inside(game, delta, event, log_factor)
        yield probability(int(np.sum(~inside)), game.runs, delta, where)
        allowed = rho * _width(2 * game.size * game.evaluations, delta, log_factor)
        yield from _on_event(runs.largest_ratio, allowed, inside, where)


# -- Lemma 6 -----------------------------------------------------------------------------------------------------------


@statement(
    "lemma-6",
    "probability",
    every_game,
    SMALL_VARIANCE,
    teeth={
        "log in place of 2 log": {"log_factor": 1.0},
        "ratio and gain over sets of points, as printed": OVER_SETS,
        "without the ratio": {"ratio": no_ratio},
    },
    depends="lemma-3 lemma-5",
)
def lemma_6(game: Game, *, log_factor: float = 2.0, gain: Measure = gain, ratio: Measure = ratio) -> Iterator[Case]:
    r"""Let $\mathcal G^{(2)}(\delta)=\{\forall t,x:|\mu_t(x)-f(x)|\le\sqrt{2\log(2NT/\delta)}\,\sigma_t(x)\}$. Then
    $P(\mathcal G^{(2)})\ge1-\delta$, and on it
    $\sum_{t,i}(\mu_t-f)(x_{t+1,i})\le\sqrt{2\log(2NT/\delta)}\,\rho_m\sqrt{Tm\,\sigma_n^2C_1\gamma_{Tm}}$

    With the certified upper end of the gain.
    """
    runs, rho = played(game), ratio(game)
    spread = math.sqrt(game.evaluations * bounds.variance_sum_bound(game.noise_variance, gain(game)))
    for delta in LEVELS:
        where = f"{game.where}, delta {delta:g}"
        inside = function_inside(game, delta, log_factor)
        yield probability(int(np.sum(~inside)), game.runs, delta, where)
        allowed = _width(2 * game.size * game.rounds, delta, log_factor) * rho * spread
        yield from _on_event(runs.bias, allowed, inside, where)


# -- equation (16) -----------------------------------------------------------------------------------------------------


@statement(
    "thm1-step",
    "probability",
    every_game,
    SMALL_VARIANCE,
    EXACT_DRAWS,
    teeth={
        "ratio and gain over sets of points, as printed": OVER_SETS,
        "without the ratio": {"ratio": no_ratio},
        "4N(Tm)^2 in the logarithm": {"argument": 2},
        "failure probability 3 delta": {"budget": 3},
    },
    depends="lemma-2 lemma-4 lemma-5 lemma-6 lemma-9",
)
def thm1_step(
    game: Game,
    *,
    gain: Measure = gain,
    ratio: Measure = ratio,
    argument: int = 3,
    budget: int = 2,
) -> Iterator[Case]:
    r"""On $\mathcal G(\delta)=\mathcal G^{(1)}\cap\mathcal G^{(2)}$, which has $P\ge1-2\delta$: $\tilde
    R_{T,m}\le2\sqrt{2\log(2NTm/\delta)}\,\rho_m\sqrt{Tm\,\sigma_n^2C_1\gamma_{Tm}}$. With
    $\delta_0=\frac12(Tm)^{-2}$: $P(\mathcal G^c)\le(Tm)^{-2}$, the logarithm is of $4N(Tm)^3$, and $\sqrt{\E\tilde
    R_{T,m}^2\,P(\mathcal G^c)}\le\sqrt{24\,Tm\log N}$

    What :math:`\delta_0` makes of the bound is compared in exact fractions; :math:`\sqrt{24\,Tm\log N}` is the root of
    Lemma 9's bound times :math:`(Tm)^{-2}`.
    """
    runs, where = played(game), f"{game.where}, delta {LEVELS[0]:g}"
    inside = draws_inside(game, LEVELS[0]) & function_inside(game, LEVELS[0])
    yield probability(int(np.sum(~inside)), game.runs, budget * LEVELS[0], where)
    settings = (game.size, game.rounds, game.batch, game.noise_variance, gain(game), LEVELS[0], ratio(game))
    yield from _on_event(runs.sampled_regret, bounds.good_event_bound(*settings), inside, where)
    yield from _chosen_level(game, argument, budget)


def _chosen_level(game: Game, argument: int, budget: int) -> Iterator[Case]:
    r"""Bound at :math:`\delta_0=\frac12(Tm)^{-2}`; the failure rate where the runs can tell."""
    n = game.evaluations
    level = Fraction(1, 2 * n**2)
    where = f"N = {game.size}, Tm = {n}, delta = (Tm)^-2 / 2"
    yield equal(
        float(2 * game.size * n / level), float(4 * game.size * n**argument), f"{where}: argument of the logarithm"
    )
    yield equal(float(budget * level), float(Fraction(1, n**2)), f"{where}: failure probability")
    yield equal(float(24 * n**3 * Fraction(1, n**2)), 24.0 * n, f"{where}: square of the second term over log N")
    allowed = float(budget * level)
    if allowed < 0.5 and rejection_power(game.runs, allowed) >= REJECTION_POWER:
        inside = draws_inside(game, float(level)) & function_inside(game, float(level))
        yield probability(int(np.sum(~inside)), game.runs, allowed, f"{game.where}, delta = (Tm)^-2 / 2")
