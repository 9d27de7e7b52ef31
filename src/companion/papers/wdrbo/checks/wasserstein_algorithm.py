"""Statements: Algorithm 1, and the valid part of Theorem 4 where its acquisition is computed only roughly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from companion.checks.cases import Case, at_most, none_of
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.information.gain import gain_by_determinant
from companion.papers.wdrbo.method.inner import wasserstein
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.runs import Game, bump_laws, contexts_of, covariance_of, play, stream_of

#: Rounds at which the decision is computed again.
ROUNDS = (1, 2, 5, 12, 20)


def algorithm_games() -> tuple[Game, ...]:
    """Four kernels, one and two dimensions each, both settings, radii from 0.02 to 0.5."""
    common: dict[str, Any] = {"horizon": 20, "runs": 12}
    return (
        Game(**common),
        Game(kernel="matern12", lam=0.05, radius=0.3, **common),
        Game(kernel="matern32", lam=4.0, decisions=8, contexts=4, context_dim=2, radius=0.02, **common),
        Game(kernel="matern52", lam=0.01, decisions=4, contexts=6, decision_dim=2, radius=0.5, decay=0.5, **common),
        Game(setting="data", radius=0.3, decay=0.5, **common),
    )


def _solved(game: Game, run: int, t: int) -> tuple[Floats, Floats, float]:
    """mu_{t-1} and sigma_{t-1}, (X, C), and beta_t, from the observations by one dense solve."""
    found, covariance = play(game), covariance_of(game)
    seen, values = found.points[run, : t - 1], found.observation[run, : t - 1]
    gram = covariance[np.ix_(seen, seen)] + game.lam * np.eye(t - 1)
    weights = np.linalg.solve(gram, covariance[seen]) if t > 1 else np.zeros((0, game.size))
    variance = (covariance.diagonal() - np.sum(covariance[seen] * weights, axis=0)) / game.lam
    log_det = 2.0 * float(gain_by_determinant(covariance[np.ix_(seen, seen)], game.lam))
    beta = float(bounds.width(log_det, game.noise, game.norm, game.lam, game.delta))
    shape = found.values.shape[1:]
    return (values @ weights).reshape(shape), np.sqrt(variance).reshape(shape), beta


def _steepest(rows: Floats, support: Floats) -> Floats:
    """(X,) Lipschitz constants by comparing all pairs of contexts."""
    first, second = np.triu_indices(len(support), 1)
    gaps = np.linalg.norm(support[first] - support[second], axis=1)
    return np.asarray(np.max(np.abs(rows[:, first] - rows[:, second]) / gaps, axis=1))


def _centre(game: Game, run: int, t: int) -> Floats:
    support = contexts_of(game)
    if game.setting == "general":
        return bump_laws(support, game.horizon, stream_of(game, "laws"))[t - 1]
    seen = play(game).context[run, : t - 1]
    return np.bincount(seen, minlength=len(support)) / (t - 1) if t > 1 else np.full(len(support), 1 / len(support))


@statement(
    "alg-1",
    "construction",
    algorithm_games,
    teeth={
        "lower band in place of the upper": {"sign": -1.0},
        "half of the penalty": {"radius": 0.5},
        "no penalty": {"radius": 0.0},
        "one Lipschitz constant for all decisions": {"constant": np.max},
    },
    depends="lemma-12",
)
def alg_1(
    game: Game, *, sign: float = 1.0, radius: float = 1.0, constant: Callable[[Floats], Floats] = np.asarray
) -> Iterator[Case]:
    r"""$x_t\in\argmax_x\E_{\hat{\mathcal P}_t}\mathrm{UCB}_t(x,c)-\varepsilon_tL_t(x)$, a lower bound of $\inf_{\mathcal
    Q\in\mathcal B^{\varepsilon_t}(\hat{\mathcal P}_t)}\E_{\mathcal Q}\mathrm{UCB}_t(x,c)$

    The decisions of the simulator are compared with the maximum of (13), computed again from the observations by a dense
    solve, a determinant and all pairs of contexts; and (13) is at most the exact worst case (8), which is at most the mean.
    """
    found, support = play(game), contexts_of(game)
    missed, above, below, checked, decided = 0, 0, 0, 0, 0
    for run in range(game.runs):
        for t in (t for t in ROUNDS if t <= game.horizon):
            mean, sd, beta = _solved(game, run, t)
            ucb, centre, epsilon = mean + sign * beta * sd, _centre(game, run, t), game.radius_at(t)
            penalty = constant(_steepest(ucb, support))
            nominal = ucb @ centre
            score = nominal - radius * epsilon * penalty
            missed += int(score[found.chosen[run, t - 1]] < score.max() - 1e-8)
            worst = wasserstein(ucb, support, centre, epsilon).value
            above += int((score > worst + 1e-9).sum())
            below += int((worst > nominal + 1e-9).sum())
            checked, decided = checked + len(score), decided + 1
    yield none_of(missed, decided, f"{game.where}: decisions")
    yield none_of(above, checked, f"{game.where}: (13) at most (8)")
    yield none_of(below, checked, f"{game.where}: (8) at most the mean")


# -- a rough acquisition -----------------------------------------------------------------------------------------------


class TwoArms(Instance):
    """Two decisions with known functions of one context, a centre at the point 1/2, and a truth moved by the radius.

    Parameters
    ----------
    slopes : of the two functions, which agree at the centre up to ``lead``, by which the first exceeds the second
    used : Lipschitz constants that the rule uses
    move : of the truth from the centre, in radii, -1 or 1
    inexact : whether the decision of the smaller score is taken
    """

    slopes: tuple[float, float]
    used: tuple[float, float]
    lead: float
    move: float
    inexact: bool = False
    radius: float = 0.2

    words = "two arms of slopes {slopes}, constants used {used}, lead {lead:g}, truth moved by {move:g}"


def two_arms() -> tuple[TwoArms, ...]:
    """A benchmark with a slope and exact constants; a chosen arm with a slope the rule does not see; a wrong maximiser."""
    return (
        TwoArms((1.0, 0.0), (1.0, 0.0), 0.2 - 1e-6, 1.0),
        TwoArms((1.0, 0.0), (0.0, 0.0), 1e-6, -1.0),
        TwoArms((0.0, 0.0), (0.0, 0.0), 0.3, 1.0, inexact=True),
        TwoArms((2.0, 1.0), (1.0, 1.0), 0.1, -1.0),
    )


def rough_games() -> tuple[Game, ...]:
    """Constants from three pairs of contexts, no penalty, and the third best decision."""
    common: dict[str, Any] = {"horizon": 40, "runs": 40}
    return (
        Game(rule="sampled", **common),
        Game(rule="nominal", kernel="matern12", lam=0.05, radius=0.3, **common),
        Game(rule="rough", kernel="matern32", lam=0.1, **common),
        Game(rule="rough", kernel="matern52", lam=4.0, decisions=8, contexts=4, context_dim=2, **common),
    )


def rough_rules() -> Iterator[TwoArms | Game]:
    """All of them."""
    yield from two_arms()
    yield from rough_games()


@statement(
    "ours-sampled-L",
    "inequality",
    rough_rules,
    need(
        r"$\hat L_t\le L_t$",
        lambda arms: all(u <= s for u, s in zip(arms.used, arms.slopes, strict=True)),
        TwoArms((1.0, 0.0), (2.0, 0.0), 0.1, 1.0),
    ),
    teeth={
        "without the term of the chosen decision": {"chosen": 0.0},
        "half of the benchmark's term": {"benchmark": 0.5},
        "without the gap of the maximiser": {"gap": 0.0},
    },
    depends="lemma-1 lemma-2 alg-1",
)
def ours_sampled_L(arms: TwoArms, *, benchmark: float = 1.0, chosen: float = 1.0, gap: float = 1.0) -> Case:
    r"""$\hat L_t\le L_t$, acquisition gap $g_t$: $r_t\le\E_{\mathcal
    P^*_t}[2\beta_t\sigma_{t-1}(x_t,c)]+\varepsilon_t(L_t+\hat L_t)(x_t^*)+\varepsilon_t(L_t-\hat L_t)(x_t)+g_t$

    On the event of Lemma 1. As for Theorem 4, but Lemma 2 at :math:`x_t` costs :math:`\varepsilon_tL_t(x_t)`, of which the
    acquisition returns :math:`\varepsilon_t\hat L_t(x_t)`. The case is the round with the largest excess.
    """
    scores = np.array([arms.lead, 0.0]) - arms.radius * np.array(arms.used)
    taken = int(scores.argmin() if arms.inexact else scores.argmax())
    truth = np.array([arms.lead, 0.0]) + arms.move * arms.radius * np.array(arms.slopes)
    best = int(truth.argmax())
    slopes, used = np.array(arms.slopes), np.array(arms.used)
    bound = arms.radius * (benchmark * (slopes + used)[best] + chosen * (slopes - used)[taken])
    bound += gap * float(scores.max() - scores[taken])
    return at_most(float(truth[best] - truth[taken]), float(bound), arms.where)


@ours_sampled_L.on(Game)
def rounds_of_games(game: Game, *, benchmark: float = 1.0, chosen: float = 1.0, gap: float = 1.0) -> Case:
    """In the runs in which Lemma 1's event occurred, the round with the largest excess."""
    found = play(game)
    bounds = 2.0 * found.beta * found.mean_width + found.radius * (
        benchmark * (found.at_optimum + found.used_at_optimum) + chosen * (found.at_chosen - found.used_at_chosen)
    )
    bounds += gap * found.gap
    sure = np.flatnonzero(found.event)
    at = np.unravel_index(int(np.argmax((found.regret - bounds)[sure])), (len(sure), game.horizon))
    return at_most(float(found.regret[sure][at]), float(bounds[sure][at]), f"{game.where}, worst round")
