"""Statements on the regret of expected improvement: Theorem 3.4, Lemma 9.5, (9.20), (9.21), (9.26)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from operator import attrgetter

import numpy as np

from companion.checks.cases import Case, at_most
from companion.checks.instance import Instance
from companion.checks.samples import frequency, on_event, worst
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.papers.compressed.checks.improvement_acquisition import tau
from companion.papers.compressed.checks.regret_games import (
    FINITE,
    FINITE_SET,
    IMPROVING,
    OBSERVED,
    POSITIVE_BUDGET,
    SMALL_VARIANCE,
)
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.freeze import MILLION, FirstArm, allowed, first_arm
from companion.papers.compressed.theory.instances import E, Game, gain_upper, played
from companion.papers.compressed.theory.runs import TheoryRuns

# -- one round, two tied arms -----------------------------------------------------------------------------------------


class Tie(Instance, words="two tied arms of {arms}, delta {delta:g}, noise {noise_sd:g}"):
    """Arms of which one was observed, with value zero; two others are tied, with values at the ends of their intervals."""

    arms: int
    delta: float
    noise_sd: float
    acquisition: str = "ei"
    variance: float = 1.0
    compact: bool = False


def _tied(tie: Tie) -> tuple[float, float, float]:
    """Regret, L and U of (9.20) in the first round after the observation, by the package's policy."""
    beta = float(bounds.finite_beta(1, tie.arms, tie.delta))
    values = np.zeros(tie.arms)
    values[1], values[2] = -math.sqrt(beta), math.sqrt(beta)
    policy = CompressedBandit(
        np.eye(tie.arms), tie.noise_sd**2, "ei", admission.dense(), math.sqrt(beta), np.array([0])
    )
    policy.tell(np.array([0.0]) if policy.ask(2).query.size == 1 else np.zeros(0))
    mean, sd = policy.posterior.mean[0], np.sqrt(policy.posterior.variance[0])
    choice, score = int(policy.ask(1).query[0]), float(np.abs(mean / sd).max())
    root = math.sqrt(beta)
    return float(values.max() - values[choice]), float(sd[choice] * (root + 1.0 + score)), float(root * sd[2])


TIES = (Tie(3, 0.1, 0.3), Tie(3, 1e-4, 1.0), Tie(2000, 0.1, 0.1))

#: One round after the first observation, on many arms and with little noise.
QUIET = tuple(
    Game("independent", 1, noise, 1, 0.5, runs=300, size=1000, acquisition="ei") for noise in (1e-2, 1e-3, 1e-4)
)

# -- Theorem 3.4 -------------------------------------------------------------------------------------------------------


@statement(
    "theorem-3.4",
    "probability",
    lambda: (MILLION, *IMPROVING, E, *QUIET, *TIES),
    SMALL_VARIANCE,
    FINITE_SET,
    OBSERVED,
    teeth={
        "without the maximiser's part": {"star": False},
        "without the information": {"learned": False},
        "as printed": {"established": False},
    },
    depends="lemma-8.1 cor-9.2 cor-9.4 lemma-9.5 lemma-9.6 eq-9.20 eq-9.21 eq-9.26",
    corrected=fix(
        r"on the event of Lemma 8.1, $\mathrm{Reg}_T\le(\sqrt{\beta_T}+1+R)\sqrt{2T(I_T+S_T)/\log(1+\sigma^{-2})}+"
        r"\sqrt{\beta_T}\sum_t\sigma_{t-1}(x^*)$, where $I_T$ and $S_T$ are the information of retained and of "
        r"rejected rounds",
        other=True,
        established=True,
    ),
)
def theorem_3_4(
    instance: Game | Tie | FirstArm,
    *,
    established: bool = False,
    power: float = 1.0,
    star: bool = True,
    learned: bool = True,
    rounds: bool = False,
) -> Iterator[Case]:
    r"""Finite set, expected improvement. With probability at least $1-\delta$:
    $\mathrm{Reg}_T\le\frac{\sqrt{3(\beta_T+1+R^2)}+\sqrt{\beta_T}}{\log(1+\sigma^{-2})}\big(\sqrt{2T\gamma_{M_T(\epsilon)}}+T\sqrt{\log(1+T^{-\alpha})}\big)$,
    $R=\sup_{t\ge0}\sup_x|\mu_{t-1}(x)-y^{\max}|/\sigma_{t-1}(x)$

    Also on the event of Lemma 8.1. ``established`` is :func:`~companion.papers.compressed.theory.bounds.improvement_bound`.
    In what is printed, ``power`` is that of the logarithm below, a half in (9.27); with ``rounds`` R stops at the states
    before the T rounds.
    """
    if isinstance(instance, Tie):
        regret, left, right = _tied(instance)
        if established:  # one round: T = 1 and I_T is the information of the choice
            yield at_most(regret, learned * left + star * right, instance.where)
        return
    if isinstance(instance, FirstArm):
        frozen = first_arm(instance)
        if established:
            arguments = (instance.horizon, instance.beta, instance.noise_variance)
            known = (learned * frozen.gain, learned * frozen.rejected)
            limit = bounds.improvement_bound(*arguments, *known, frozen.score, star * float(instance.horizon))
        else:
            limit = allowed(instance, power)
        yield frequency(frozen.regret, limit, instance.delta, instance.where)
        return
    runs = played(instance)
    bound = _established(instance, star, learned) if established else _printed(instance, power, rounds)
    if instance.runs >= 200:
        yield frequency(runs.regret, bound, instance.delta, instance.where)
    yield from on_event(runs.regret, bound, runs.confident(), instance.where)


def _established(game: Game, star: bool, learned: bool) -> Floats:
    runs = played(game)
    optimum = star * np.sqrt(runs.optimum_variance).sum(axis=1)
    known = (learned * runs.gain, learned * runs.rejected_gain)
    beta = float(runs.beta[-1])
    return bounds.improvement_bound(game.horizon, beta, game.noise_variance, *known, runs.largest_score, optimum)


def _printed(game: Game, power: float, rounds: bool) -> Floats:
    runs = played(game)
    score = runs.largest_score if rounds else runs.supremum_score
    beta = float(runs.beta[-1])
    return bounds.theorem_34(game.horizon, beta, game.noise_variance, gain_upper(game), game.alpha, score, power)


# -- Lemma 9.5 ---------------------------------------------------------------------------------------------------------


@statement(
    "lemma-9.5",
    "inequality",
    lambda: (*FINITE, *IMPROVING, E),
    SMALL_VARIANCE,
    POSITIVE_BUDGET,
    teeth={"1.99 in place of 2": {"constant": 1.99}, "without the rejected rounds": {"rejected": False}},
    depends="assumption-norm lemma-8.3",
)
def lemma_9_5(game: Game, *, constant: float = 2.0, rejected: bool = True) -> Iterator[Case]:
    r"""$\sum_{t=1}^T\sigma_{t-1}^2(x_t)\le\frac2{\log(1+\sigma^{-2})}[\gamma_{M_T(\epsilon)}+\epsilon|\mathcal
    M_T^C(\epsilon)|]$

    In every run, whatever the acquisition.
    """
    runs = played(game)
    bound = bounds.variance_sum_bound(game.noise_variance, gain_upper(game), rejected * runs.rejected_budget)
    yield worst(runs.variance.sum(axis=1), constant / 2.0 * bound, game.where)


# -- (9.20) ------------------------------------------------------------------------------------------------------------


@statement(
    "eq-9.20",
    "inequality",
    lambda: (*IMPROVING, E),
    FINITE_SET,
    OBSERVED,
    teeth={
        "without the maximiser's part": {"star": False},
        "without the width at the choice and at the maximiser": {"star": False, "width": 0.0},
    },
    depends="lemma-8.1 cor-9.2 cor-9.4 lemma-9.6",
)
def eq_9_20(game: Game, *, star: bool = True, width: float = 1.0) -> Iterator[Case]:
    r"""$r_t\le\sigma_{t-1}(x_t)[\sqrt{\beta_t}+\tau(-z_{t-1}(x_t))]+\sqrt{\beta_t}\,\sigma_{t-1}(x^*)\le\sigma_{t-1}(x_t)[\sqrt{\beta_t}+1+R]+\sqrt{\beta_t}\,\sigma_{t-1}(x^*)$

    Then also with 1 + R for :math:`\tau`.
    """
    runs = played(game)
    root, sd = np.sqrt(runs.beta), np.sqrt(runs.variance)
    rest = star * root * np.sqrt(runs.optimum_variance)
    first = sd * (width * root + tau(-runs.z_chosen)) + rest
    yield from on_event(runs.instantaneous, first, runs.confident(), game.where)
    second = sd * (width * root + 1.0 + runs.largest_score[:, None]) + rest
    yield from on_event(runs.instantaneous, second, runs.confident(), f"{game.where}, with R")


# -- (9.21) ------------------------------------------------------------------------------------------------------------


@statement(
    "eq-9.21",
    "construction",
    lambda: (*TIES, *IMPROVING),
    need(
        "expected improvement, with at least one observation",
        lambda instance: instance.acquisition == "ei",
        Game("se", 1, 0.5, 3, 0.5, 10),
    ),
    teeth={"1.3 in place of 2": {"factor": 1.3}, "as printed": {"factor": 1.0}},
    depends="eq-9.20",
    corrected=fix(r"$r_t^2\le2(L_t^2+U_t^2)$", factor=2.0),
)
def eq_9_21(instance: Tie | Game, *, factor: float = 1.0) -> Iterator[Case]:
    r"""$r_t^2\le L_t^2+U_t^2$ with $L_t=\sigma_{t-1}(x_t)[\sqrt{\beta_t}+1+R]$, $U_t=\sqrt{\beta_t}\,\sigma_{t-1}(x^*)$"""
    if isinstance(instance, Tie):
        regret, left, right = _tied(instance)
        yield at_most(regret**2, factor * (left**2 + right**2), instance.where, 1e-12)
        return
    runs = played(instance)
    first = runs.variance * (np.sqrt(runs.beta) + 1.0 + runs.largest_score[:, None]) ** 2
    total = first + runs.beta * runs.optimum_variance
    yield from on_event(runs.instantaneous**2, factor * total, runs.confident(), instance.where)


# -- (9.26) ------------------------------------------------------------------------------------------------------------


@statement(
    "eq-9.26",
    "inequality",
    lambda: (*IMPROVING, E),
    SMALL_VARIANCE,
    FINITE_SET,
    OBSERVED,
    POSITIVE_BUDGET,
    teeth={
        "1.9 in place of 2": {"constant": 1.9},
        "at the maximiser, as printed": {"variances": attrgetter("optimum_variance")},
    },
    depends="lemma-9.5",
    corrected=fix(
        "Lemma 9.5 bounds the variances at the chosen points; there is no such bound at the maximiser, which may never "
        "be sampled",
        other=True,
        variances=attrgetter("variance"),
    ),
)
def eq_9_26(
    game: Game,
    *,
    variances: Callable[[TheoryRuns], Floats] = attrgetter("optimum_variance"),
    constant: float = 2.0,
) -> Iterator[Case]:
    r"""$\beta_T\sum_{t=1}^T\sigma_{t-1}^2(x^*)\le\frac{2\beta_T}{\log(1+\sigma^{-2})}[\gamma_{M_T(\epsilon)}+\epsilon|\mathcal
    M_T^C(\epsilon)|]$

    On the event of Lemma 8.1.
    """
    runs = played(game)
    bound = bounds.variance_sum_bound(game.noise_variance, gain_upper(game), runs.rejected_budget)
    yield from on_event(variances(runs).sum(axis=1), constant / 2.0 * bound, runs.confident(), game.where)
