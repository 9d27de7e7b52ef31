"""Statements of Section 5, with the main theorem's proof.

Here stand those on the regret itself: Lemmas 1, 2 and 9, and Theorem 1 with all its constants.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter

import numpy as np

from companion.checks.cases import Case, at_most, exponent
from companion.checks.samples import STANDARD_ERRORS, expectation, standard_error
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.information import gain_bracket_curve
from companion.papers.tsrsr.checks.proof_runs import (
    CROWDED,
    EXACT_DRAWS,
    OVER_SETS,
    SEVERAL_CANDIDATES,
    SMALL_VARIANCE,
    WITH_REPEATS,
    Game,
    Measure,
    all_games,
    every_game,
    gain_of_sets,
    played,
    prior,
    ratio_of_sets,
    worst_run,
)
from companion.papers.tsrsr.theory import bounds

# -- Lemma 1 -----------------------------------------------------------------------------------------------------------


@statement(
    "lemma-1",
    "inequality",
    lambda: (
        Game("se", 1, 1.0, 5, 5, 3000),
        *all_games(),
    ),
    EXACT_DRAWS,
    teeth={"draws resampled as in App. C": {"resample": True}, "the probability in place of its root": {"power": 1.0}},
)
def lemma_1(game: Game, *, resample: bool = False, power: float = 0.5) -> Iterator[Case]:
    r"""For every event $\mathcal G$: $\E R_{T,m}=\E\tilde R_{T,m}\le\E[\tilde R_{T,m}1_{\mathcal G}]+\sqrt{\E[\tilde
    R_{T,m}^2]\,P(\mathcal G^c)}$

    The equality by the mean of the paired difference, which must be within :data:`STANDARD_ERRORS`. The inequality holds on
    the runs themselves, with equal weights, for every event; tested are those that cut off the runs with the largest
    sampled regret.
    """
    runs = played(replace(game, resample=resample))
    gap = runs.sampled_regret - runs.regret
    yield at_most(
        abs(float(gap.mean())), STANDARD_ERRORS * standard_error(gap), f"{game.where}: difference of the means"
    )
    sampled = runs.sampled_regret
    root = math.sqrt(float(np.mean(sampled**2)))
    for share in (0.01, 0.1, 0.5):
        outside = sampled > np.quantile(sampled, 1.0 - share)
        right = float(np.mean(np.where(outside, 0.0, sampled))) + root * float(outside.mean()) ** power
        yield at_most(float(sampled.mean()), right, f"{game.where}: without the largest {share:.0%}")


# -- Lemma 2 -----------------------------------------------------------------------------------------------------------


@statement(
    "lemma-2",
    "inequality",
    all_games,
    need("positive noise variance", lambda game: game.noise_sd > 0.0, Game("se", 1, 0.0, 2, 2, 10)),
    teeth={
        "T in place of Tm": {"count": attrgetter("rounds")},
        "the mean of the ratios": {"largest": np.mean},
        "without the positive part": {"least": -math.inf},
    },
    corrected=fix(
        r"with the positive part $\max(\bar\Psi,0)$; a negative ratio turns Cauchy-Schwarz around",
        other=True,
        least=0.0,
    ),
)
def lemma_2(
    game: Game,
    *,
    least: float = -math.inf,
    count: Callable[[Game], int] = attrgetter("evaluations"),
    largest: Callable[..., Floats] = np.max,
) -> Case:
    r"""Always $\tilde R_{T,m}\le\sum_{t,i}(\mu_t-f)(x_{t+1,i})+\bar\Psi\sqrt{Tm\sum_{t,i}\sigma_{t,i}^2(x_{t+1,i})}$ with
    $\bar\Psi=\max_{t,i}\frac{\tilde f^*_{t,i}-\mu_t(x_{t+1,i})}{\sigma_{t,i}(x_{t+1,i})}$

    In every run; ``least`` bounds :math:`\bar\Psi` from below.
    """
    runs = played(game)
    psi = np.maximum(largest(runs.ratio, axis=(1, 2)), least)
    return worst_run(runs.sampled_regret, runs.bias + psi * np.sqrt(count(game) * runs.variance_sum), game.where)


# -- Lemma 9 -----------------------------------------------------------------------------------------------------------


@statement(
    "lemma-9",
    "inequality",
    lambda: (*every_game(), Game("se", 1, 100.0, 20, 5, 400)),
    SMALL_VARIANCE,
    SEVERAL_CANDIDATES,
    EXACT_DRAWS,
    teeth={"log N in place of 24 log N": {"step": 1.0}, "the first power of Tm": {"power": 1.0}},
    depends="lemma-8",
)
def lemma_9(game: Game, *, step: float = 24.0, power: float = 3.0) -> Iterator[Case]:
    r"""$\E\big(\tilde f^*_{t,i}-f(x_{t+1,i})\big)^2\le24\log N$, hence $\E\tilde R_{T,m}^2\le24\log N\,(Tm)^3$

    The first for the round and place with the largest mean, the second as printed; and in every run the step between them,
    :math:`\tilde R^2\le(Tm)^{p-1}\sum_{t,i}(\tilde f^*_{t,i}-f(x_{t+1,i}))^2` with p = 3 as printed.
    """
    runs, n = played(game), game.evaluations
    squares = (runs.sampled_maximum - runs.at_chosen) ** 2
    each = squares.reshape(len(squares), -1)
    largest = each[:, int(np.argmax(each.mean(axis=0)))]
    limit = step * math.log(game.size)
    yield expectation(largest, limit, f"{game.where}: largest single term")
    total = runs.sampled_regret**2
    if n > 1:
        yield worst_run(total, n ** (power - 1.0) * each.sum(axis=1), f"{game.where}: Cauchy-Schwarz")
    yield expectation(total, limit * n**power, f"{game.where}: sum")


# -- Theorem 1 ---------------------------------------------------------------------------------------------------------

#: Rounds at which the growth of the regret is measured.
HORIZONS = (10, 20, 50, 100, 200, 500, 1000)

#: Long runs, for the growth of the regret.
LONG = (
    Game("se", 1, 1.0, HORIZONS[-1], 1, 100),
    Game("matern32", 2, 1.0, HORIZONS[-1], 1, 100),
    Game("matern12", 1, 0.5, HORIZONS[-1], 2, 60),
)


def by_the_rule(game: Game) -> Floats:
    """(R, Tm) f at every query of TS-RSR, in order."""
    return played(game).at_chosen.reshape(game.runs, -1)


def at_random(game: Game) -> Floats:
    """(R, Tm) f at as many queries at random."""
    picks = np.random.default_rng(game.seed).integers(game.size, size=(game.runs, game.evaluations))
    return np.take_along_axis(played(game).values, picks, axis=1)


@statement(
    "theorem-1",
    "inequality",
    lambda: (*all_games(), CROWDED[1], *LONG),
    SMALL_VARIANCE,
    SEVERAL_CANDIDATES,
    EXACT_DRAWS,
    teeth={
        "ratio and gain over sets of points, as printed": OVER_SETS,
        "the second term alone": {"first": 0.0},
        "queries at random, whose regret is linear": {"reached": at_random},
        "a constant rate: T to the power 0": {"rate": 0.0},
    },
    depends="lemma-1 lemma-2 lemma-4 lemma-5 lemma-6 lemma-9 thm1-step",
    corrected=WITH_REPEATS,
)
def theorem_1(
    game: Game,
    *,
    first: float = 1.0,
    gain: Measure = gain_of_sets,
    ratio: Measure = ratio_of_sets,
    reached: Callable[[Game], Floats] = by_the_rule,
    rate: float = 0.5,
) -> Iterator[Case]:
    r"""$\E R_{T,m}=O\big(\rho_m\sqrt{Tm\,\gamma_{Tm}}\sqrt{\log(N(Tm)^3)}\big)$; with the proof's constants $\E
    R_{T,m}\le2\sqrt{2\log(4N(Tm)^3)}\,\rho_m\sqrt{Tm\,\sigma_n^2C_1\gamma_{Tm}}+\sqrt{24\,Tm\log N}$, and $\E
    S_{T,m}$ at most the same over $Tm$

    With the certified upper end of the gain. In long runs, also the growth
    of the regret against that of :math:`\sqrt{T\gamma_T\log(NT^3)}`.
    """
    settings = (game.size, game.rounds, game.batch, game.noise_variance, gain(game))
    whole = bounds.theorem1(*settings, ratio=ratio(game))
    second = math.sqrt(24.0 * game.evaluations * math.log(game.size))
    bound = first * (whole - second) + second
    regret = played(game).values.max(axis=1, keepdims=True) - reached(game)
    yield expectation(regret.sum(axis=1), bound, f"{game.where}: cumulative")
    yield expectation(regret.min(axis=1), bound / game.evaluations, f"{game.where}: simple")
    if game.rounds >= HORIZONS[-1]:
        yield _growth(game, regret, rate)


def _growth(game: Game, regret: Floats, rate: float) -> Case:
    r"""Slope of :math:`\log\E R_T` on :math:`\log T`, with its error by the delta method over independent runs.

    The least-squares slope is a weighted sum of :math:`\log\bar R_{T_j}`, so that a run contributes
    :math:`\sum_jw_jR_{T_j}/\bar R_{T_j}`. The allowance is the slope of
    :math:`\sqrt{\gamma_{Tm}\log(N(Tm)^3)}` on the same horizons.
    """
    counts = game.batch * np.array(HORIZONS)
    logs = np.log(counts) - np.log(counts).mean()
    weights = logs / float(np.sum(logs**2))
    totals = regret.cumsum(axis=1)[:, counts - 1]
    slope = float(weights @ np.log(totals.mean(axis=0)))
    margin = STANDARD_ERRORS * standard_error((totals / totals.mean(axis=0)) @ weights)
    gains = np.array([bracket.upper for bracket in gain_bracket_curve(prior(game), counts, game.noise_variance)])
    allowance = float(weights @ (0.5 * np.log(gains * np.log(game.size * counts**3.0))))
    where = (
        f"{game.where}: exponent for T = {HORIZONS[0]}..{HORIZONS[-1]}, {allowance:.2f} of it for gain and logarithm"
    )
    case = exponent(slope - margin, slope + margin, rate + allowance, where)
    return replace(case, lhs=slope, rhs=rate + allowance)
