"""Swarm motion (Section 5.2.1): agents on [0, 2 pi] seek the maximum of a reward at pi/2 and avoid crowds.

The printed reward is sum_m phi(x_m) - sigma sum_x log(1 + P_x), phi(x) = 2 pi^2 (sin x - cos^2 x) + 2 sin x, P_x the share
of action x. Its penalty is largest when all actions are used equally, so that it favours crowds, against what the text
says of it. The corrected reading charges each agent sigma log(1 + P_x) for its own action and averages over agents:

    g(p) = sum_x p_x phi(x) - sigma sum_x p_x log(1 + p_x).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest, positive_number, whole_number
from companion.papers.meanfield.problems.certificates import solve_crowding
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem

READINGS = ("ours", "text")
#: Congestion factor of Sections 5.2.1 and 5.2.2.
SIGMA = 10.0

NO_DATA: dict[str, Any] = {"data": "none", "label": "closed form", "stand_in": False, "remark": ""}
SOURCE = "Section 5.2.1, Figure 2(a)"


def known_reading(reading: str) -> str:
    """``reading`` if it is one of :data:`READINGS`, else :class:`ParameterError`."""
    if reading not in READINGS:
        raise ParameterError("reading", f"got {reading!r}", "'ours' or 'text'", nearest(str(reading), READINGS))
    return reading


def swarm_reward(x: Floats) -> Floats:
    """phi(x) = 2 pi^2 (sin x - cos^2 x) + 2 sin x, the reward of one agent at angle ``x`` without crowding."""
    return np.asarray(2.0 * math.pi**2 * (np.sin(x) - np.cos(x) ** 2) + 2.0 * np.sin(x))


def swarm(
    agents: int = 50, actions: int = 30, sigma: float = SIGMA, reading: str = "ours", noise_sd: float = 0.0
) -> MeanFieldProblem:
    """Swarm motion.

    Parameters
    ----------
    agents : M
    actions : A, equally spaced over [0, 2 pi] with both ends (the paper does not say whether they both count)
    sigma : congestion factor
    reading : ``"ours"``, the corrected penalty and a mean over agents; ``"text"``, as printed, a sum over agents
    noise_sd : of one observation; the paper adds none

    Raises
    ------
    ParameterError
        for an unknown reading, fewer than two actions, or numbers out of range
    """
    known_reading(reading)
    count, strength = whole_number("actions", actions, 2), positive_number("sigma", sigma)
    whole_number("agents", agents)
    angles = np.linspace(0.0, 2.0 * math.pi, count)
    phi = swarm_reward(angles)
    if reading == "ours":
        found = solve_crowding(phi[None], strength)
        optimal, upper = found.law, float(max(found.upper[0], found.value[0]))
        certified = "strictly concave; bound from the dual"
        mean_field, payoffs = _weighted(phi, strength)
    else:
        # Linear plus convex, so that the maximum is at a corner: all agents in one action.
        corners = agents * phi - strength * math.log(2.0)
        optimal, upper = np.eye(count)[[int(corners.argmax())]], float(corners.max())
        certified = "convex; enumeration of the corners"
        mean_field, payoffs = _printed(phi, strength, agents)
    return MeanFieldProblem(
        name="swarm",
        agents=agents,
        action_features=angles[:, None] / (2.0 * math.pi),
        context_features=np.zeros((1, 1)),
        context_weights=np.ones(1),
        mean_field=mean_field,
        payoffs=payoffs,
        of_counts=lambda counts: mean_field(counts / agents),
        optimal=optimal,
        upper_bound=upper,
        certified=certified,
        source=SOURCE,
        noise_sd=noise_sd,
        exact_contexts=True,
        meta={"reading": reading, "sigma": strength, **NO_DATA},
    )


Maps = tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]


def _weighted(phi: Floats, sigma: float) -> Maps:
    def payoffs(p: Floats) -> Floats:
        return phi - sigma * np.log1p(p)

    def mean_field(p: Floats) -> Floats:
        return (p * payoffs(p)).sum(axis=(1, 2))

    return mean_field, payoffs


def _printed(phi: Floats, sigma: float, agents: int) -> Maps:
    # The printed penalty belongs to the population, not to an action: every agent carries the same part of it.
    def penalty(p: Floats) -> Floats:
        return sigma * np.log1p(p).sum(axis=(1, 2))

    def mean_field(p: Floats) -> Floats:
        return agents * (p * phi).sum(axis=(1, 2)) - penalty(p)

    def payoffs(p: Floats) -> Floats:
        return np.broadcast_to(agents * phi, p.shape) - penalty(p)[:, None, None]

    return mean_field, payoffs
