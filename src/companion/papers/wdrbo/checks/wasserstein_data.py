"""Statements: the data-driven setting (Lemma 7), and the convergence rate of empirical laws of contexts (Section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from companion.checks.cases import Case, exponent, probability
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.judge.intervals import slope_interval
from companion.papers.wdrbo.method.inner import lipschitz_constant
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.runs import Game, bump_laws, contexts_of, decisions_of, play, replay, stream_of

# -- Lemma 7 -----------------------------------------------------------------------------------------------------------

#: Rounds t with t - 1 contexts in the centre.
ROUNDS = (6, 26, 151)


def data_games() -> tuple[Game, ...]:
    """The data-driven method with three kernels, few contexts and many, one and two context dimensions, lambda up to 1."""
    common: dict[str, Any] = {"setting": "data", "radius": 0.3, "decay": 0.5, "horizon": 150, "runs": 150}
    return (
        Game(decisions=8, contexts=2, seed=4, **common),  # a nearly fair choice between two contexts
        Game(decisions=6, contexts=10, **common),
        Game(decisions=6, contexts=10, seed=2, **common),
        Game(kernel="matern32", lam=0.05, noise=0.5, decisions=6, contexts=10, **common),
        Game(kernel="matern52", lam=0.5, decisions=4, contexts=4, context_dim=2, **common),
        # One decision and a fair choice between two contexts: nothing of the radius is spent on the decisions.
        Game(decisions=1, contexts=2, seed=14, delta=0.05, function="last", **(common | {"runs": 300})),
    )


@cache
def _shifts(game: Game, first: int) -> dict[int, tuple[Floats, Floats, Floats]]:
    """By round t: (runs, X) |E_P* UCB_t - E_centre UCB_t|, (runs, X) Lipschitz constants, (runs,) bound on the norm.

    The centre is made of the t - 1 contexts before the round, or of only the ``first`` ones if that is positive.
    """
    found, support = play(game), contexts_of(game)
    truth = bump_laws(support, game.horizon, stream_of(game, "laws"))[0]
    shape = found.values.shape
    result = {}
    for t, mean, sd in replay(found, ROUNDS):
        log_det = found.log_det[:, t - 1] if t <= game.horizon else found.final_log_det
        beta = bounds.width(log_det, game.noise, game.norm, game.lam, game.delta)
        upper = mean.reshape(shape) + beta[:, None, None] * sd.reshape(shape)
        seen = found.context[:, : (min(first, t - 1) if first else t - 1)]
        counts = np.stack([np.bincount(row, minlength=len(support)) for row in seen]) / seen.shape[1]
        gaps = np.abs(upper @ truth - np.einsum("rxc,rc->rx", upper, counts))
        steep = lipschitz_constant(upper.reshape(-1, len(support)), support).reshape(gaps.shape)
        result[t] = gaps, steep, beta / math.sqrt(game.lam)
    return result


@statement(
    "lemma-7",
    "probability",
    data_games,
    need(
        r"$\lambda\le1$, so that $\mathrm{UCB}_t\in\mathcal U(\bar B_t,\bar B_t,\lambda)$",
        lambda game: game.lam <= 1.0,
        Game(setting="data", lam=4.0),
    ),
    need("a truth that does not move", lambda game: game.setting == "data", Game()),
    teeth={"a centre of the first context alone": {"first": 1}, "half of the radius": {"scale": 0.5}},
    depends="lemma-19 lemma-3",
)
def lemma_7(game: Game, *, scale: float = 2.0, slack: float = 1.0, first: int = 0) -> Iterator[Case]:
    r"""With probability $1-2\delta$, for all $x$: $\abs{\E_{\mathcal P^*}\mathrm{UCB}_t(x,c)-\E_{\hat{\mathcal
    P}_t}\mathrm{UCB}_t(x,c)}\le\varepsilon_tL_t(x)+\rho_t$, $\varepsilon_t^2=\frac{2D_{\mathcal
    C}^2}t\big(\log\frac1\delta+d_x\log(1+2tD_{\mathcal X})+\log\mathcal N_\infty(\frac1t,\mathcal U(\bar B_t,\bar
    B_t,\lambda))\big)$, $\rho_t=\frac{1+2L\bar B_t}t$

    For each of three rounds, the share of runs in which some decision fails, against :math:`2\delta`. Two forms. The least that
    (16) can be, with zero for :math:`\log\mathcal N_\infty(\frac1n,\mathcal U(\bar B_t,\bar B_t,\lambda))` and with
    :math:`\rho_t=(1+2L\bar B_t)/n`. And a sharper one, which the lemma does
    not claim: a quarter of that squared radius, the logarithm of the number of decisions, and no :math:`\rho_t`. The centre
    is made of the n = t - 1 contexts before the round, or of the ``first`` ones alone where that is positive.
    """
    for t, (gaps, steep, norm) in _shifts(game, first).items():
        n = t - 1
        cover = bounds.covering_points(math.sqrt(game.decision_dim), 1.0 / n, game.decision_dim)
        printed = bounds.radius(n, game.context_diameter, game.delta, cover, 0.0, scale, unchecked=True)
        count = math.log(len(decisions_of(game)))
        sharper = bounds.radius(n, game.context_diameter, game.delta, count, 0.0, scale / 4, unchecked=True)
        rho = slack * bounds.covering_slack(n, game.lipschitz, norm)
        for name, right in (("(16) at its least", printed * steep + rho[:, None]), ("sharper", sharper * steep)):
            failures = int((gaps > right * (1 + 1e-9)).any(axis=1).sum())
            yield probability(failures, game.runs, 2 * game.delta, f"{game.where}, n = {n}: {name}")


# -- convergence of empirical laws -------------------------------------------------------------------------------------

SIZES = (4, 8, 16, 32, 64, 128, 256, 512)
#: Pairs of empirical laws for every size: about the same relative error of the mean, as distances concentrate.
PAIRS = {4: 400, 8: 200, 16: 150, 32: 100, 64: 40, 128: 20, 256: 8, 512: 3}


@dataclass(frozen=True)
class Contexts:
    """Independent coordinates, normal around 1/2 with deviation 0.2 and clipped to [0, 1]."""

    dim: int

    @property
    def where(self) -> str:
        """The law in words."""
        return f"clipped normal contexts, d_c = {self.dim}, {SIZES[0]} to {SIZES[-1]} contexts"


@cache
def _distances(contexts: Contexts) -> Floats:
    """(sizes,) mean Wasserstein distances of two independent empirical laws of n contexts."""
    generator = stream(0, "wdrbo", "statements", "curse", contexts.dim)
    found = []
    for size in SIZES:
        total = 0.0
        for _ in range(PAIRS[size] if contexts.dim > 1 else 400):
            both = np.clip(0.5 + 0.2 * generator.standard_normal((2, size, contexts.dim)), 0.0, 1.0)
            if contexts.dim == 1:
                total += float(np.abs(np.sort(both[0, :, 0]) - np.sort(both[1, :, 0])).mean())
                continue
            costs = np.linalg.norm(both[0][:, None, :] - both[1], axis=2)
            total += float(costs[linear_sum_assignment(costs)].mean())
        found.append(total / (PAIRS[size] if contexts.dim > 1 else 400))
    return np.array(found)


@statement(
    "rem-curse",
    "rate",
    lambda: (Contexts(1), Contexts(3), Contexts(4), Contexts(6)),
    need("not two dimensions, where a logarithm hides the rate", lambda c: c.dim != 2, Contexts(2)),
    teeth={"the rate of a mean in every dimension": {"rate": lambda dim: -0.5}},
)
def rem_curse(contexts: Contexts, *, rate: Callable[[int], float] = lambda dim: -1.0 / max(dim, 2)) -> Case:
    r"""A radius that contains the truth suffers from the “curse of dimensionality” with respect to $d_c$. The rate is ours, as
    the paper prints none: $\E d_W(\hat{\mathcal P}_n,\mathcal P^*)$ decays like $n^{-1/d_c}$ for $d_c\ge3$

    The fitted exponent of the mean distance of two independent empirical laws, which lies between once and twice the mean
    distance to the truth; :math:`n^{-1/2}` up to logarithms in one and two dimensions.
    """
    interval = slope_interval(np.log(SIZES), np.log(_distances(contexts)))
    return exponent(interval.low, interval.high, rate(contexts.dim), contexts.where, "equal", FINITE_SIZE)


#: Share of the exponent that small samples may cost: half the gap between the exponents of three and four dimensions.
FINITE_SIZE = 0.04
