"""Statements: the regret of one round and of all of them, in the general setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from companion.checks.cases import Case, none_of
from companion.checks.statement import Check, Statement, fix, statement
from companion.papers.wdrbo.checks.regret_arms import TwoArms
from companion.papers.wdrbo.checks.regret_runs import (
    AT_OPTIMUM,
    EXACT,
    IN_BALL,
    MAXIMISES,
    NORM,
    ROUNDING,
    SMALL,
    TINY,
    Steep,
    compared,
    cumulative_sides,
    games,
    new_arms,
    one_round_sides,
    with_arms,
)
from companion.papers.wdrbo.theory.runs import Game, play

#: Rounds after which the penalty of the two arms outweighs our first term, whose logarithm grows like the root of T.
LONG = 1_600


@statement(
    "thm-4",
    "probability",
    lambda: with_arms(TwoArms()),
    IN_BALL,
    NORM,
    MAXIMISES,
    teeth={
        "once the radius instead of twice": {"factor": 1.0},
        "without the widths": {"width": 0.0},
        "the Lipschitz constant at the chosen decision": {"steep": attrgetter("at_chosen")},
    },
    depends="lemma-1 lemma-2 alg-1",
)
def theorem_4(instance: Game | TwoArms, *, factor: float = 2.0, width: float = 2.0, steep: Steep = AT_OPTIMUM) -> Case:
    r"""With probability at least $1-\delta$, for all $t$:
    $r_t\le\E_{c\sim\mathcal P^*_t}[2\beta_t\sigma_{t-1}(x_t,c)]+2\varepsilon_tL_t(x^*_t)$.

    The true law is the one of the ball for which the choice has the largest regret (exact transport); :math:`L_t(x)` is
    the Lipschitz constant of the upper confidence bound on the set of contexts. Runs in which any round fails are counted.
    """
    left, right = one_round_sides(instance, factor, width, steep)
    return compared(instance, left, right, instance.delta)


OURS_EXACT_W1 = replace(
    theorem_4,
    id="ours-exact-W1",
    latex=r"If $x_t$ maximises the exact worst case (8) instead of (13), Theorem 4's bound holds as well: two laws of the ball "
    r"are at most $2\varepsilon_t$ apart.",
    instances=lambda: (*games("exact")[:1], *games("exact")[2:], TwoArms(rule="exact")),
    assumptions=(IN_BALL, NORM, EXACT),
    depends=("thm-4", "lemma-1", "lemma-2"),
    teeth=theorem_4.teeth[:2],
)


@statement(
    "thm-16-a",
    "inequality",
    games,
    NORM,
    teeth={"without T under the root": {"rounds_inside": False}, "half of the squares": {"square": 0.5}},
)
def theorem_16_step_a(game: Game, *, rounds_inside: bool = True, square: float = 1.0) -> Case:
    r"""$\sum_{t\le T}\E[2\beta_t\sigma_{t-1}(x_t,c)]\le2\beta_T\sqrt{T\sum_{t\le T}\E\sigma_{t-1}^2(x_t,c)}$."""
    runs = play(game)
    left = np.cumsum(2.0 * runs.beta * runs.mean_width, axis=1)
    steps = np.arange(1, game.horizon + 1) if rounds_inside else 1.0
    right = 2.0 * runs.beta * np.sqrt(steps * square * np.cumsum(runs.mean_square, axis=1))
    wrong = left > right * (1.0 + ROUNDING)
    return none_of(int(wrong.sum()), wrong.size, game.where)


def cumulative_instances() -> Iterator[Game | TwoArms]:
    """Games, orthonormal arms from large to tiny regularisers, and the two arms for long."""
    yield from with_arms(TwoArms(radius=0.4, horizon=LONG))
    for lam in (4.0, 1.0, 0.1, SMALL, TINY):
        yield new_arms(lam)
    yield new_arms(TINY, 400)


_REPAIR = fix(
    r"with $2\beta_T\sqrt{T(2C_\lambda\gamma_{T+1}+\frac{1.2551}\lambda\log\frac1\delta)}$ as first term, "
    r"$C_\lambda=\frac{1/\lambda}{\log(1+1/\lambda)}$ (ours-thm5); the form (57) follows from it for $\lambda\ge0.4$",
    reading="ours",
)
_STEPS = "thm-4 thm-16-a thm-16-i thm-16-ii thm-16-iii def-gamma"


def _sum_of_rounds(identifier: str, **more: Any) -> Callable[[Check], Statement]:
    """Terms common to the two printed forms and ours."""
    return statement(
        identifier,
        "probability",
        cumulative_instances,
        IN_BALL,
        NORM,
        MAXIMISES,
        teeth={
            "a third of the first term": {"factor": 1.0 / 3.0},
            r"$C_\lambda$ replaced by 1": {"small_width": False},
            "without the sum over the radii": {"penalty": 0.0},
        },
        **more,
    )


@_sum_of_rounds(
    "thm-5",
    depends=_STEPS,
    corrected=_REPAIR,
)
def theorem_5(
    instance: Game | TwoArms,
    *,
    reading: str = "main",
    factor: float = 1.0,
    penalty: float = 1.0,
    small_width: bool = True,
) -> Case:
    r"""With probability at least $1-2\delta$: $R_T\le4\beta_T\sqrt{T\gamma_T+4\log\frac6\delta}+\sum_{t\le
    T}2\varepsilon_tL_t(x^*_t)$.

    The realised log determinant stands for :math:`\gamma_T`, which makes the check stricter; on orthonormal arms they are
    equal. ``reading``: ``main`` for (15), ``appendix`` for (57), ``ours`` for ours-thm5, whose :math:`C_\lambda` is
    ``small_width``.
    """
    left, right = cumulative_sides(instance, reading, factor=factor, penalty=penalty, small_width=small_width)
    return compared(instance, left, right, 2.0 * instance.delta)


@_sum_of_rounds(
    "thm-16",
    depends=_STEPS,
    corrected=_REPAIR,
)
def theorem_16(instance: Game | TwoArms, *, reading: str = "appendix", **changes: Any) -> Case:
    r"""With probability at least $1-2\delta$: $R_T\le4\beta_T\sqrt{T(\gamma_T+4\log\frac6\delta)}+\sum_{t\le
    T}2\varepsilon_tL_t(x^*_t)$."""
    return theorem_5(instance, reading=reading, **changes)


@_sum_of_rounds(
    "ours-thm5",
    depends="thm-4 thm-16-a ours-cm def-gamma",
)
def ours_theorem_5(instance: Game | TwoArms, *, reading: str = "ours", **changes: Any) -> Case:
    r"""With $C_\lambda=\frac{1/\lambda}{\log(1+1/\lambda)}$, with probability at least $1-2\delta$, for all $T$:
    $R_T\le2\beta_T\sqrt{T\big(2C_\lambda\log\det(I+\lambda^{-1}K_T)+\frac{1.2551}\lambda\log\frac1\delta\big)}+\sum_{t\le
    T}2\varepsilon_tL_t(x^*_t)$.

    For every :math:`\lambda>0`, with the realised log determinant.
    """
    return theorem_5(instance, reading=reading, **changes)
