"""One seeded run of a policy on a mean-field problem, with a finite population in between."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.arrays import Floats
from companion.core.errors import CompanionError, ParameterError, whole_number
from companion.papers.meanfield.method.agents import PLAYS, draw_contexts, empirical_law, play_law, representative
from companion.papers.meanfield.method.policy import LawPolicy
from companion.simulate import Trajectory
from companion.simulate.loop import checked_noise
from companion.simulate.regret import cumulative_regret, simple_regret

Streams = Callable[[str, int], np.random.Generator]


class MeanFieldProblem(Protocol):
    """Problem as the loop uses it. Rewards are maximised.

    Regret is measured from ``upper_bound``, a certified number no law exceeds, or from ``optimum`` where there is none.
    """

    @property
    def actions(self) -> int:
        """|A|."""
        ...

    @property
    def contexts(self) -> int:
        """|C|."""
        ...

    @property
    def context_weights(self) -> Floats:
        """p(c), (C,)."""
        ...

    def reward(self, p: Floats) -> Floats:
        """Average payoff g (n,) of laws (n, C, A) in an infinite population."""
        ...

    def agent_reward(self, actions: NDArray[np.intp], contexts: NDArray[np.intp]) -> float:
        """Reward of M agents with these actions (M,) and contexts (M,)."""
        ...


@runtime_checkable
class HasPayoff(Protocol):
    """A problem that also knows the representative agent's own payoff."""

    def payoff(self, p: Floats) -> Floats:
        """f(x, c, xi) for every (c, x) under laws (n, C, A), shape (n, C, A); its average under the law is ``reward``."""
        ...


class ActionPolicy(Protocol):
    """A policy that names the action of every agent; contexts are fixed for the run."""

    def ask(self) -> NDArray[np.intp]:
        """Actions (M,) of the next round."""
        ...

    def tell(self, value: float) -> None:
        """The reward seen."""
        ...

    def recommend(self) -> NDArray[np.intp]:
        """Actions (M,) reported as the best."""
        ...

    def diagnostics(self) -> dict[str, Any]:
        """Diagnostics of the policy: JSON types only."""
        ...


@dataclass(frozen=True)
class Population:
    """Ways of playing a law, and the observations.

    Parameters
    ----------
    agents : M
    play : ``"iid"`` or ``"quota"``, see :func:`~companion.papers.meanfield.method.agents.play_law`
    redraw : whether contexts are drawn afresh in every round, as the paper does for MF-GP-UCB, or once
    quota_contexts : whether every context has its exact share of the agents
    observation : ``"system"``, the reward of the population, which the paper's experiments report; ``"agent"``, the
        payoff f(x_t, c_t, xi_t) of the representative agent, which Algorithm 1 and the theorem have
    told_law : ``"policy"``, the law asked for; or ``"empirical"``, the population's frequencies
    """

    agents: int
    play: str = "iid"
    redraw: bool = True
    quota_contexts: bool = False
    observation: str = "system"
    told_law: str = "policy"

    def __post_init__(self) -> None:
        whole_number("agents", self.agents)
        allowed = {"play": PLAYS, "observation": ("system", "agent"), "told_law": ("policy", "empirical")}
        for name, choices in allowed.items():
            if getattr(self, name) not in choices:
                raise ParameterError(name, f"got {getattr(self, name)!r}", f"one of {', '.join(choices)}")


def best_value(problem: MeanFieldProblem) -> tuple[float, str]:
    """The value regret is measured from, and whether it is an ``upper_bound`` or the ``optimum``."""
    for name in ("upper_bound", "optimum"):
        value = getattr(problem, name, None)
        if value is not None:
            return float(value), name
    raise ParameterError(
        "problem", "has neither an optimum nor an upper bound", "one of the two, so that regret exists"
    )


def run_law_policy(
    policy: LawPolicy,
    problem: MeanFieldProblem,
    population: Population,
    horizon: int,
    noise: ArrayLike,
    streams: Streams,
    meta: dict[str, Any] | None = None,
    keep_laws: bool = False,
) -> Trajectory:
    """Let a policy over laws play ``horizon`` rounds with M agents.

    Regret of round t is the best value minus g(xi_t), the average payoff of the law in an infinite population, as in the
    paper's definition: it is free of the draws of actions, contexts and noise.

    Parameters
    ----------
    policy, problem, population : who plays, what, and with whom
    horizon : T
    noise : (T,) added to the observations, already scaled
    streams : ``streams(name, t)`` gives the generator for ``"contexts"``, ``"actions"`` and ``"representative"`` in round
        t; methods that are compared share it
    meta : stored in the trajectory
    keep_laws : whether ``points`` has the laws, T rows of |C||A| numbers

    Returns
    -------
    Trajectory
        ``diagnostics`` has ``reward`` (T,) of the finite population without noise, ``mean_field_reward`` (T,), the laws
        ``best_law`` (largest finite reward) and ``recommended_law`` beside the policy's own

    Raises
    ------
    ParameterError
        if the noise does not fit, or the problem lacks what the observation needs
    CompanionError
        if the policy asks for something that is not a law
    """
    noise = checked_noise(horizon, noise)
    if population.observation == "agent" and not isinstance(problem, HasPayoff):
        raise ParameterError("observation", "is 'agent', but the problem has no payoff()", "'system'")
    best_value(problem)
    shape = (problem.contexts, problem.actions)
    laws, rewards, seen, seconds = np.empty((horizon, *shape)), np.empty(horizon), np.empty(horizon), 0.0
    contexts = _contexts(problem, population, streams, 0)
    for t in range(horizon):
        started = time.perf_counter()
        law = np.asarray(policy.ask(), dtype=np.float64)
        seconds += time.perf_counter() - started
        if law.shape != shape:
            raise CompanionError(f"the policy asked for an array of shape {law.shape}; a law here has {shape}")
        if population.redraw and t:
            contexts = _contexts(problem, population, streams, t)
        actions = play_law(law, contexts, streams("actions", t), population.play)
        x, c = representative(actions, contexts, streams("representative", t))
        rewards[t] = problem.agent_reward(actions, contexts)
        truth = rewards[t] if population.observation == "system" else _payoff(problem, law)[c, x]
        seen[t], laws[t] = truth + noise[t], law
        told = empirical_law(actions, contexts, shape, law) if population.told_law == "empirical" else None
        started = time.perf_counter()
        policy.tell(x, c, float(seen[t]), told)
        seconds += time.perf_counter() - started
    found = {
        **policy.diagnostics(),
        "best_law": laws[int(np.argmax(rewards))],
        "recommended_law": policy.recommend(),
    }
    return _trajectory(problem, laws, rewards, seen, policy.recommend(), seconds, found, meta, keep_laws)


def run_action_policy(
    policy: ActionPolicy,
    problem: MeanFieldProblem,
    contexts: NDArray[np.intp],
    horizon: int,
    noise: ArrayLike,
    meta: dict[str, Any] | None = None,
    keep_laws: bool = False,
) -> Trajectory:
    """Let a policy over the joint actions of M agents make ``horizon`` evaluations.

    ``contexts`` (M,) are fixed, or (T, M) those of every round, which the policy does not see. Regret of round t is the best
    value minus g of the population's frequencies; a context without agents counts with the uniform law. Otherwise as
    :func:`run_law_policy`.
    """
    noise = checked_noise(horizon, noise)
    given = np.asarray(contexts, dtype=np.intp)
    if given.ndim not in (1, 2) or (given.ndim == 2 and len(given) != horizon):
        raise ParameterError("contexts", f"have shape {given.shape}", f"(M,), or ({horizon}, M)")
    every = np.broadcast_to(given, (horizon, given.shape[-1]))
    best_value(problem)
    shape = (problem.contexts, problem.actions)
    laws, rewards, seconds = np.empty((horizon, *shape)), np.empty(horizon), 0.0
    for t in range(horizon):
        started = time.perf_counter()
        actions = np.asarray(policy.ask())
        seconds += time.perf_counter() - started
        if actions.shape != every[t].shape or actions.min() < 0 or actions.max() >= problem.actions:
            raise CompanionError(f"the policy asked for actions of shape {actions.shape}; {every[t].shape} indices fit")
        rewards[t] = problem.agent_reward(actions.astype(np.intp), every[t])
        laws[t] = empirical_law(actions, every[t], shape)
        started = time.perf_counter()
        policy.tell(float(rewards[t] + noise[t]))
        seconds += time.perf_counter() - started
    recommended = empirical_law(policy.recommend(), every[-1], shape)
    found = {**policy.diagnostics(), "best_law": laws[int(np.argmax(rewards))], "recommended_law": recommended}
    return _trajectory(problem, laws, rewards, rewards + noise, recommended, seconds, found, meta, keep_laws)


def _contexts(problem: MeanFieldProblem, population: Population, streams: Streams, t: int) -> NDArray[np.intp]:
    generator = streams("contexts", t)
    return draw_contexts(problem.context_weights, population.agents, generator, population.quota_contexts)


def _payoff(problem: MeanFieldProblem, law: Floats) -> Floats:
    assert isinstance(problem, HasPayoff)
    return np.asarray(problem.payoff(law[None]))[0]


def _trajectory(
    problem: MeanFieldProblem,
    laws: Floats,
    rewards: Floats,
    seen: Floats,
    recommended: Floats,
    seconds: float,
    diagnostics: dict[str, Any],
    meta: dict[str, Any] | None,
    keep_laws: bool,
) -> Trajectory:
    best, kind = best_value(problem)
    limit = np.asarray(problem.reward(laws), dtype=np.float64)
    regret = best - limit
    number = np.arange(len(laws))
    facts = {"best_value": best, "regret_from": kind, **(meta or {})}
    return Trajectory(
        query=number,
        charged=number,
        batch=number + 1,
        observation=seen,
        instantaneous_regret=regret,
        cumulative_regret=cumulative_regret(regret),
        simple_regret=simple_regret(regret),
        recommended_regret=best - float(problem.reward(recommended[None])[0]),
        model_order=number + 1,
        seconds=seconds,
        meta=facts,
        diagnostics={"reward": rewards, "mean_field_reward": limit, **diagnostics},
        points=laws.reshape(len(laws), -1) if keep_laws else None,
    )
