r"""Algorithm 1 on a grid, many runs at once: the simulator behind the statements about bands and regret.

Decisions and contexts are finite grids, so that everything the theory speaks of is computed exactly: the posterior by
rank-one updates, the realised log determinant, the width (7), the Lipschitz constant of the acquisition in the context
(the set of contexts *is* the grid), a law of the ball that makes the regret of the chosen decision largest, and all
expectations. The paper's :math:`\sigma` is the posterior standard deviation divided by :math:`\sqrt\lambda`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats, Indices
from companion.gp import FinitePosterior
from companion.papers.wdrbo.method.acquisitions import penalised
from companion.papers.wdrbo.method.inner import lipschitz_constant, wasserstein
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.games import (
    SAMPLED_PAIRS,
    Game,
    bump_laws,
    check,
    contexts_of,
    covariance_of,
    decisions_of,
    functions_of,
    kernel_lipschitz,
    laws_of,
    noise_of,
    points_of,
    stream_of,
)

__all__ = [
    "Game",
    "Runs",
    "bump_laws",
    "contexts_of",
    "covariance_of",
    "decisions_of",
    "functions_of",
    "kernel_lipschitz",
    "laws_of",
    "mean_norms",
    "play",
    "points_of",
    "replay",
    "stream_of",
    "worst_law",
]


@dataclass(frozen=True, eq=False)
class Runs:
    """Record of every run and round; arrays are (runs, T) unless said otherwise. Round t stands at t - 1.

    Parameters
    ----------
    values : (runs, X, C) the functions
    chosen, optimal, context : indices of x_t, x*_t and c_t
    observation : y_t
    regret : r_t under the true law
    log_det : before the round, log det(I + K_{t-1} / lambda); ``final_log_det`` (runs,) after the last
    beta : width (7)
    mean_width, mean_square : expectations of sigma_{t-1}(x_t, c) and of its square under the true law
    seen_square : sigma^2_{t-1}(x_t, c_t)
    radius : (T,) epsilon_t
    at_optimum, at_chosen : Lipschitz constants L_t(x*_t) and L_t(x_t) of the acquisition in the context
    used_at_optimum, used_at_chosen : those that the rule used
    band : max over z of |mu_{t-1}(z) - f(z)| / (beta_t sigma_{t-1}(z)); the band holds where it is at most 1
    deviation : max over x of |E_P* UCB_t - E_centre UCB_t| / L_t(x)
    score, gap : what the rule maximises, at x_t, and how far it is below the maximum
    """

    game: Game
    values: Floats
    chosen: Indices
    optimal: Indices
    context: Indices
    observation: Floats
    regret: Floats
    log_det: Floats
    final_log_det: Floats
    beta: Floats
    mean_width: Floats
    mean_square: Floats
    seen_square: Floats
    radius: Floats
    at_optimum: Floats
    at_chosen: Floats
    used_at_optimum: Floats
    used_at_chosen: Floats
    band: Floats
    deviation: Floats
    score: Floats
    gap: Floats

    @property
    def points(self) -> Indices:
        """(runs, T) indices of the observed pairs z_t, with the context running fastest."""
        return self.chosen * self.values.shape[2] + self.context

    @property
    def event(self) -> NDArray[np.bool_]:
        """(runs,) whether Lemma 1's band held in all rounds."""
        return np.asarray((self.band <= 1.0 + 1e-9).all(axis=1))

    def penalty(self, factor: float = 2.0) -> Floats:
        """Sum over the rounds of factor epsilon_t L_t(x*_t), (runs, T)."""
        return np.cumsum(factor * self.radius * self.at_optimum, axis=1)


def worst_law(values: Floats, chosen: Indices, centre: Floats, support: Floats, radius: float) -> Floats:
    """(R, C) a law of the ball around the common ``centre`` for which the chosen decision has the largest regret.

    The regret is a maximum over decisions x' of linear functions of the law, so each x' is solved by itself.

    Parameters
    ----------
    values : (R, X, C)
    chosen : (R,) decisions
    """
    runs, decisions, contexts = values.shape
    margin = values[np.arange(runs), chosen][:, None, :] - values
    found = wasserstein(margin.reshape(-1, contexts), support, centre, radius)
    best = found.value.reshape(runs, decisions).argmin(axis=1)
    weights = found.weights.reshape(runs, decisions, contexts)[np.arange(runs), best]
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@dataclass(eq=False)
class Round:
    """State known when a decision is due, of R runs with X decisions and C contexts."""

    t: int
    mean: Floats  # (R, X, C)
    sd: Floats
    beta: Floats  # (R,)
    centre: Floats  # (R, C) or (C,)
    radius: float
    lipschitz: Floats = field(init=False)  # (R, X)
    used: Floats = field(init=False)
    acquisition: Floats = field(init=False)

    def decide(self, rule: str, support: Floats, generator: np.random.Generator) -> Indices:
        """x_t by one of :data:`~companion.papers.wdrbo.theory.games.RULES`; fills ``lipschitz``, ``used``, ``acquisition``.

        The first of the largest scores; the generator draws the pairs of contexts of the sampled rules.
        """
        ucb = self.upper
        runs, decisions, contexts = ucb.shape
        flat = ucb.reshape(-1, contexts)
        self.lipschitz = lipschitz_constant(flat, support).reshape(runs, decisions)
        self.used = self.lipschitz
        nominal = expected(ucb, self.centre)
        if rule == "exact":
            self.acquisition = self._worst(flat, support).reshape(runs, decisions)
            return np.asarray(self.acquisition.argmax(axis=1))
        if rule in ("sampled", "rough"):
            pairs = np.stack([generator.choice(contexts, 2, replace=False) for _ in range(SAMPLED_PAIRS)])
            gaps = np.linalg.norm(support[pairs[:, 0]] - support[pairs[:, 1]], axis=1)
            self.used = np.max(np.abs(ucb[:, :, pairs[:, 0]] - ucb[:, :, pairs[:, 1]]) / gaps, axis=2)
        elif rule == "nominal":
            self.used = np.zeros_like(self.lipschitz)
        self.acquisition = penalised(nominal, self.radius, self.used)
        if rule == "rough":
            return np.asarray(np.argsort(-self.acquisition, axis=1, kind="stable")[:, min(2, decisions - 1)])
        return np.asarray(self.acquisition.argmax(axis=1))

    def _worst(self, flat: Floats, support: Floats) -> Floats:
        if self.centre.ndim == 1:
            return wasserstein(flat, support, self.centre, self.radius).value
        rows = flat.reshape(len(self.centre), -1, flat.shape[1])
        parts = [wasserstein(u, support, p, self.radius).value for u, p in zip(rows, self.centre, strict=True)]
        return np.concatenate(parts)

    @property
    def upper(self) -> Floats:
        """UCB_t, (R, X, C)."""
        return self.mean + self.beta[:, None, None] * self.sd


def expected(values: Floats, law: Floats) -> Floats:
    """(R, X) expectations of values (R, X, C) under one law (C,) or one for each run (R, C)."""
    return values @ law if law.ndim == 1 else np.einsum("rxc,rc->rx", values, law)


@cache
def play(game: Game) -> Runs:
    """The runs of a configuration; the same ones on every call.

    Raises
    ------
    ParameterError
        for a setting, truth, rule, function or law that does not exist
    """
    check(game)
    runs, decisions, support = game.runs, len(decisions_of(game)), contexts_of(game)
    contexts, lanes = len(support), np.arange(game.runs)
    values = functions_of(game).reshape(runs, decisions, contexts)
    laws, fixed = laws_of(game)
    uniform = stream_of(game, "contexts").random((runs, game.horizon))
    noise = noise_of(game)
    sampling, counts = stream_of(game, "pairs"), np.zeros((runs, contexts))
    posterior = FinitePosterior(covariance_of(game), game.lam, replicates=runs, capacity=game.horizon)
    log: dict[str, list[Any]] = {}
    for t in range(1, game.horizon + 1):
        centre = laws[t - 1]
        if game.setting == "data":
            centre = counts / (t - 1) if t > 1 else np.full((runs, contexts), 1.0 / contexts)
        state = _state(game, posterior, t, centre, values.shape)
        chosen = state.decide(game.rule, support, sampling)
        truth = np.broadcast_to(centre if fixed is None else fixed, (runs, contexts))
        if game.setting == "general" and game.truth == "worst":
            truth = worst_law(values, chosen, centre, support, state.radius)
        cumulative = np.cumsum(truth, axis=1)
        context = np.minimum((cumulative < uniform[:, [t - 1]]).sum(axis=1), contexts - 1)
        observation = values[lanes, chosen, context] + noise[:, t - 1]
        for name, entry in _measured(state, values, truth, chosen, context).items():
            log.setdefault(name, []).append(entry)
        log.setdefault("observation", []).append(observation)
        log.setdefault("log_det", []).append(2.0 * posterior.gain)
        posterior.observe(chosen * contexts + context, observation)
        counts[lanes, context] += 1.0
    radius = np.array([game.radius_at(t) for t in range(1, game.horizon + 1)])
    arrays: dict[str, Any] = {name: np.stack(rows, axis=1) for name, rows in log.items()}
    return Runs(game=game, values=values, radius=radius, final_log_det=2.0 * posterior.gain, **arrays)


def _state(game: Game, posterior: FinitePosterior, t: int, centre: Floats, shape: tuple[int, ...]) -> Round:
    beta = bounds.width(2.0 * posterior.gain, game.noise, game.norm, game.lam, game.delta)
    sd = (posterior.sd / math.sqrt(game.lam)).reshape(shape)
    return Round(t, posterior.mean.reshape(shape), sd, beta, centre, game.radius_at(t))


def _measured(state: Round, values: Floats, truth: Floats, chosen: Indices, context: Indices) -> dict[str, Floats]:
    lanes = np.arange(len(chosen))
    reward = expected(values, truth)
    optimal = reward.argmax(axis=1)
    sd = state.sd[lanes, chosen]
    miss = np.abs(state.mean - values) / (state.beta[:, None, None] * state.sd)
    shift = np.abs(expected(state.upper, truth) - expected(state.upper, state.centre))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(shift > 0, shift / state.lipschitz, 0.0)
    return {
        "chosen": chosen,
        "optimal": optimal,
        "context": context,
        "regret": reward[lanes, optimal] - reward[lanes, chosen],
        "beta": state.beta,
        "mean_width": np.sum(truth * sd, axis=1),
        "mean_square": np.sum(truth * sd**2, axis=1),
        "seen_square": sd[lanes, context] ** 2,
        "at_optimum": state.lipschitz[lanes, optimal],
        "at_chosen": state.lipschitz[lanes, chosen],
        "used_at_optimum": state.used[lanes, optimal],
        "used_at_chosen": state.used[lanes, chosen],
        "band": miss.max(axis=(1, 2)),
        "deviation": share.max(axis=1),
        "score": state.acquisition[lanes, chosen],
        "gap": state.acquisition.max(axis=1) - state.acquisition[lanes, chosen],
    }


def replay(found: Runs, rounds: tuple[int, ...]) -> Iterator[tuple[int, Floats, Floats]]:
    """(t, mu_{t-1}, sigma_{t-1}) of the chosen rounds, both (runs, N), from the observations of ``found``."""
    game, points = found.game, found.points
    posterior = FinitePosterior(covariance_of(game), game.lam, replicates=game.runs, capacity=game.horizon)
    for t in range(1, max(rounds) + 1):
        if t in rounds:
            yield t, posterior.mean, posterior.sd / math.sqrt(game.lam)
        if t <= game.horizon:
            posterior.observe(points[:, t - 1], found.observation[:, t - 1])


@cache
def mean_norms(found: Runs, t: int) -> Floats:
    r"""(runs,) norms :math:`\|\mu_{t-1}\|_k=\sqrt{\alpha^\top K\alpha}`, :math:`\alpha=(K_{t-1}+\lambda I)^{-1}y`."""
    if t == 1:
        return np.zeros(found.game.runs)
    covariance, points = covariance_of(found.game), found.points[:, : t - 1]
    gram = covariance[points[:, :, None], points[:, None, :]]
    weights = np.linalg.solve(gram + found.game.lam * np.eye(t - 1), found.observation[:, : t - 1, None])
    return np.sqrt(np.maximum(np.sum(weights * (gram @ weights), axis=(1, 2)), 0.0))
