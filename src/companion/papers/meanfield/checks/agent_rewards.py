"""The rewards of Section 5 summed agent by agent, to check those that are computed from counts."""

from __future__ import annotations

import math

import numpy as np

from companion.core.arrays import Indices
from companion.core.errors import ParameterError
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem


def reward_by_agents(problem: MeanFieldProblem, actions: Indices, contexts: Indices) -> float:
    """Reward of M agents from the formulas of Section 5, with the penalty charged to each agent.

    Parameters
    ----------
    problem : one of the seven; angles, places and capacities are taken from it
    actions, contexts : (M,)
    """
    who = [int(x) for x in actions]
    share = {x: who.count(x) / len(who) for x in set(who)}
    if problem.name == "swarm":
        angles = [2.0 * math.pi * float(problem.action_features[x, 0]) for x in who]
        seek = [2.0 * math.pi**2 * (math.sin(u) - math.cos(u) ** 2) + 2.0 * math.sin(u) for u in angles]
        crowd = [float(problem.meta["sigma"]) * math.log1p(share[x]) for x in who]
        return (math.fsum(seek) - math.fsum(crowd)) / len(who)
    if problem.name == "arena":
        return _arena(problem, who, [int(c) for c in contexts], share)
    if problem.name == "ports":
        capacity, region = problem.details["capacity"], problem.details["region"]
        terms = [-0.5 - share[x] / capacity[x] + float(region[x] == c) for x, c in zip(who, contexts, strict=True)]
        return math.fsum(float(term) for term in terms) / len(who)
    if "demand" in problem.details:
        return -divergence([share.get(x, 0.0) for x in range(problem.actions)], problem.details["demand"].tolist())
    raise ParameterError("problem", f"got {problem.name!r}", "a problem of Section 5")


def divergence(p: list[float], q: list[float]) -> float:
    """Jensen-Shannon divergence in nats, term by term."""
    terms = []
    for one, other in zip(p, q, strict=True):
        half = (one + other) / 2.0
        terms += [part / 2.0 * math.log(part / half) for part in (one, other) if part > 0.0]
    return math.fsum(terms)


def _arena(problem: MeanFieldProblem, who: list[int], contexts: list[int], share: dict[int, float]) -> float:
    """All ordered pairs, each with weight one over M(M-1)/2."""
    angles = np.arctan2(problem.action_features[who, 1], problem.action_features[who, 0])
    teams = problem.context_features[contexts, 0]
    pairs = [
        float(teams[i] * teams[j] * math.cos(angles[i] - angles[j]))
        for i in range(len(who))
        for j in range(len(who))
        if i != j
    ]
    crowd = [float(problem.meta["sigma"]) * math.log1p(share[x]) for x in who]
    return 2.0 * math.fsum(pairs) / (len(who) * (len(who) - 1)) - math.fsum(crowd) / len(who)
