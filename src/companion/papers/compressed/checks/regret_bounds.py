"""Statements on the sum of regrets of UCB: Theorem 3.2, Corollary 3.3, Lemmas 8.3 and 8.4."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter

import numpy as np

from companion.checks.cases import Case, equal, none_of
from companion.checks.samples import frequency, on_event, worst
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.information.gain import gain_by_determinant
from companion.papers.compressed.checks.regret_confidence import beta_agrees
from companion.papers.compressed.checks.regret_games import (
    CUBES,
    DIFFERENTIABLE,
    FEW,
    FINITE,
    FINITE_SET,
    FLAT,
    POSITIVE_BUDGET,
    SEPARATE,
    SMALL_VARIANCE,
    UPPER_BOUND,
)
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.instances import A, Game, gain_upper, played, prior
from companion.papers.compressed.theory.runs import TheoryRuns

# -- Theorem 3.2(i) ----------------------------------------------------------------------------------------------------


@statement(
    "theorem-3.2-i",
    "probability",
    lambda: FINITE,
    SMALL_VARIANCE,
    FINITE_SET,
    UPPER_BOUND,
    POSITIVE_BUDGET,
    teeth={
        "without what rejected rounds cost": {"parts": "retained"},
        "without what retained rounds cost": {"parts": "rejected"},
        "1/2 in place of 8": {"constant": 0.5},
        "without beta": {"explored": False, "constant": 1.0},
    },
    depends="lemma-8.1 lemma-8.2 lemma-8.3 lemma-8.4",
)
def theorem_3_2_i(game: Game, *, constant: float = 8.0, explored: bool = True, parts: str = "both") -> Iterator[Case]:
    r"""Let $\beta_t=2\log(Xt^2\pi^2/(6\delta))$, $\epsilon=\frac12\log(1+T^{-\alpha})$, $\alpha\in(0,1/p)$,
    $C_1=8/\log(1+\sigma^{-2})$. With probability at least $1-\delta$:
    $\mathrm{Reg}_T\le\sqrt{C_1T\beta_T\gamma_{M_T(\epsilon)}}+T\sqrt{\log(1+T^{-\alpha})}\sqrt{C_1\beta_T}$

    The gain is the certified upper end.
    """
    runs = played(game)
    beta = constant / 8.0 * (float(runs.beta[-1]) if explored else 1.0)
    bound = _theorem(game, beta, gain_upper(game), parts)
    yield frequency(runs.regret, bound, game.delta, game.where)
    yield from on_event(runs.regret, bound, runs.confident(), game.where)


def _theorem(game: Game, beta: float, gain: Floats, parts: str, compact: bool = False) -> Floats:
    if math.isinf(game.alpha):
        return bounds.root_bound(game.horizon, beta, game.noise_variance, gain, 0.0)
    return bounds.theorem_32(game.horizon, beta, game.noise_variance, gain, game.alpha, compact=compact, parts=parts)


# -- Theorem 3.2(ii) ---------------------------------------------------------------------------------------------------


@statement(
    "theorem-3.2-ii",
    "probability",
    lambda: (*CUBES, *FLAT),
    SMALL_VARIANCE,
    DIFFERENTIABLE,
    UPPER_BOUND,
    teeth={
        "without what rejected rounds cost": {"parts": "retained"},
        "without what retained rounds cost": {"parts": "rejected"},
        "a grid size that need not be whole": {"form": "theorem"},
    },
    depends="assumption-3.3 lemma-8.4 lemma-8.5 lemma-8.7 lemma-8.8",
    corrected=fix(
        r"$\beta_t=2\log(2t^2\pi^2/(3\delta))+2d\log\lceil t^2dbr\sqrt{\log(4da/\delta)}\rceil$: 2 in place of $X$, "
        r"which is infinite, and a whole number of grid points",
        candidates=2.0,
        form="grid",
    ),
)
def theorem_3_2_ii(
    game: Game, *, candidates: float = math.inf, form: str = "theorem", parts: str = "both"
) -> Iterator[Case]:
    r"""Let $\mathcal X\subset[0,r]^d$ with the tails (3.3) and
    $\beta_t=2\log(Xt^2\pi^2/(3\delta))+2d\log(t^2dbr\sqrt{\log(4da/\delta)})$. With probability at least $1-\delta$:
    $\mathrm{Reg}_T\le\sqrt{C_1T\beta_T\gamma_{M_T(\epsilon)}}+T\sqrt{\log(1+T^{-\alpha})}\sqrt{C_1\beta_T}+\pi^2/6$

    On a continuum X is infinite, and then
    every action has an infinite upper bound.
    """
    beta = bounds.compact_beta(game.rounds, game.dim, 1.0, *game.tails, game.delta, form=form, unchecked=True)
    yield beta_agrees(game, beta, 4, form)
    if math.isinf(candidates):
        yield none_of(game.horizon, game.horizon, f"rounds with an infinite exploration parameter, {game.where}")
        return
    beta = beta + 2.0 * math.log(candidates / 2.0)
    where = f"{game.where}, length-scale {game.lengthscale:g}"
    yield none_of(int(np.sum(beta < 0)), game.horizon, f"rounds with a negative exploration parameter, {where}")
    if np.all(beta >= 0):
        runs = played(replace(game, form=form))
        gain = gain_upper(replace(game, form=form))
        bound = _theorem(game, float(beta[-1]), gain, parts, compact=True)
        yield frequency(runs.regret, bound, game.delta, where)


# -- Corollary 3.3 -----------------------------------------------------------------------------------------------------

ONE_DIMENSION = need(
    r"$p=1$ and $\alpha=\frac12$; the latter stands in the proof only",
    lambda game: bool(game.dim == 1 and game.alpha == 0.5),
    Game("se", 2, 0.5, 3, 0.5, 10, size=9),
)


def _line_games() -> tuple[Game, ...]:
    return (
        A,
        replace(A, horizon=400),
        Game("matern12", 1, 0.3, 100, 0.5),
        Game("matern52", 1, 0.1, 100, 0.5, variance=0.5),
        replace(FEW, alpha=0.5),
        SEPARATE,
        Game("independent", 1, math.sqrt(0.9), 100, 0.5, size=2),
        Game("independent", 1, math.sqrt(10.5), 100, 0.5, size=3),
        Game("independent", 1, math.sqrt(50.5), 2500, 0.5, size=25),
    )


@statement(
    "corollary-3.3",
    "probability",
    _line_games,
    SMALL_VARIANCE,
    FINITE_SET,
    UPPER_BOUND,
    ONE_DIMENSION,
    teeth={
        "without Z_1": {"with_z": False},
        "T to the power 1/2": {"power": 0.5},
        "0.95 of the dictionary's limit": {"copies": 0.95},
    },
    depends="theorem-3.2-i theorem-3.1 eq-8.58 eq-8.60",
)
def corollary_3_3(game: Game, *, with_z: bool = True, power: float = 0.75, copies: float = 1.0) -> Iterator[Case]:
    r"""Let $p=1$ and $\mathcal X$ finite ($\alpha=\frac12$ in the proof). With probability at least $1-\delta$:
    $\mathrm{Reg}_T\le\sqrt{C_1\beta_T}\max\{\sqrt{Z_1},1\}\,T^{3/4}$, $Z_1=\sum_i\lambda_i/(\sigma^2(1-e^{-1}))$; and
    $M_T(\epsilon)\le O(\sqrt T)$

    The dictionary has an explicit limit on a finite set, :math:`M_T\le X\lceil\sqrt T-\sigma^2\rceil`, which is
    :math:`O(\sqrt T)`; with it the companion's form of the bound is checked as well.
    """
    runs, beta = played(game), float(played(game).beta[-1])
    covariance = prior(game)
    trace = float(covariance.sum() if covariance.ndim == 1 else np.trace(covariance))
    if not with_z:
        trace = game.noise_variance * bounds.GREEDY
    for form in ("printed", "explicit"):
        bound = bounds.corollary_33(game.horizon, beta, game.noise_variance, game.size, trace, form)
        bound *= game.horizon ** (power - 0.75)
        yield frequency(runs.regret, np.full(game.runs, bound), game.delta, f"{game.where}, {form} constants")
    limit = copies * bounds.model_order_limits(game.horizon, 0.5, game.noise_variance, game.size)[1]
    yield worst(runs.order, np.full(game.runs, limit), f"{game.where}, dictionary")


# -- Lemma 8.3 ---------------------------------------------------------------------------------------------------------


@statement(
    "lemma-8.3",
    "identity",
    lambda: (*FINITE, *CUBES[1:4]),
    UPPER_BOUND,
    teeth={
        "the sum over all rounds": {"counted": lambda runs: runs.information.sum(axis=1)},
        "without the 1/2": {"half": 1.0},
    },
    depends="eq-2.3",
)
def lemma_8_3(
    game: Game, *, counted: Callable[[TheoryRuns], Floats] = attrgetter("gain"), half: float = 0.5
) -> Iterator[Case]:
    r"""$I(y_T;f_T)=\frac12\sum_{t\in\mathcal M_T(\epsilon)}\log(1+\sigma^{-2}\sigma_{t-1}^2(x_t))$

    The left side is :math:`\frac12\log\det(I+\sigma^{-2}K_{DD})`.
    """
    runs, covariance = played(game), prior(game)
    information = 2.0 * half * counted(runs)
    for run in range(0, game.runs, 20):
        kept = runs.chosen[run][runs.kept[run]]
        if covariance.ndim == 1:
            gram = covariance[kept][:, None] * (kept[:, None] == kept[None, :])
        else:
            gram = covariance[np.ix_(kept, kept)]
        direct = float(gain_by_determinant(gram, game.noise_variance))
        yield equal(direct, float(information[run]), f"{game.where}, run {run}")


# -- Lemma 8.4 ---------------------------------------------------------------------------------------------------------


@statement(
    "lemma-8.4",
    "probability",
    lambda: FINITE,
    SMALL_VARIANCE,
    FINITE_SET,
    UPPER_BOUND,
    POSITIVE_BUDGET,
    teeth={
        "1 in place of 8": {"constant": 1.0},
        "without the rejected rounds": {"rejected": 0.0},
        "without the retained rounds": {"retained": 0.0},
    },
    depends="assumption-norm lemma-8.1 lemma-8.2 lemma-8.3",
)
def lemma_8_4(game: Game, *, constant: float = 8.0, retained: float = 1.0, rejected: float = 1.0) -> Iterator[Case]:
    r"""With probability at least $1-\delta$: $\sum_{t\le T}r_t^2\le\beta_TC_1[\gamma_{M_T(\epsilon)}+\epsilon|\mathcal
    M_T^C(\epsilon)|]$, $C_1=8/\log(1+\sigma^{-2})$

    On the event of Lemma 8.1 also its sharper line (8.26), with what the run itself learned and left.
    """
    runs = played(game)
    beta = constant / 8.0 * float(runs.beta[-1])
    squares = (runs.instantaneous**2).sum(axis=1)
    gain, budget = retained * gain_upper(game), rejected * runs.rejected_budget
    printed = bounds.squared_regret_bound(beta, game.noise_variance, gain, budget)
    yield frequency(squares, printed, game.delta, game.where)
    gain, left = retained * runs.gain, rejected * runs.rejected_gain
    sharper = bounds.squared_regret_bound(beta, game.noise_variance, gain, left)
    yield from on_event(squares, sharper, runs.confident(), f"{game.where}, (8.26)")
