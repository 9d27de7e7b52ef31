"""Statements behind the experiments: congestion, swarm and arena (Sections 5.2.1 and 5.2.2)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from companion.checks.cases import Case, at_most, equal
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.papers.meanfield.method.agents import largest_remainder
from companion.papers.meanfield.method.simplex import random_laws
from companion.papers.meanfield.problems.arena import arena
from companion.papers.meanfield.problems.certificates import solve_crowding
from companion.papers.meanfield.problems.swarm import SIGMA, swarm_reward


class Crowding(Instance, words="|A| = {actions}, sigma = {sigma:g}"):
    """A congestion penalty over ``actions`` places."""

    actions: int
    sigma: float = SIGMA


def penalty(shares: Floats, sigma: float, power: float) -> Floats:
    r""":math:`\sigma\sum_xP_x^p\log(1+P_x)` for shares (n, A), with :math:`0^0=1`; p = 0 is printed."""
    return np.asarray(sigma * (shares**power * np.log1p(shares)).sum(axis=1))


@statement(
    "exp-penalty",
    "inequality",
    lambda: (Crowding(actions, sigma) for actions, sigma in ((2, 10.0), (5, 1.0), (30, 10.0), (160, 10.0))),
    need("at least two places", lambda crowding: crowding.actions >= 2, Crowding(1)),
    teeth={
        "a twentieth power of the share as weight": {"power": 0.05},
        "a bonus in place of a penalty": {"sign": -1.0},
    },
    depends="def-payoff",
    corrected=fix(
        r"with the agents' mean in place of the places' sum, $\sum_xP_x\,\sigma\log(P_x+1)$", other=True, power=1.0
    ),
)
def exp_penalty(crowding: Crowding, *, power: float = 0.0, sign: float = 1.0) -> Iterator[Case]:
    r"""$\sum_x\sigma\log(P_x+1)$ is large where agents crowd, largest where all choose one action

    Against 2,000 random laws, laws near the even spread and near one place, and each other. A ``power`` of 1: each agent
    pays :math:`\sigma\log(1+P_x)` for its own action; so below.
    """
    generator = stream(0, "penalty", crowding.actions)
    spread = random_laws(2000, (1, crowding.actions), generator)[500:, 0]
    even = np.full((1, crowding.actions), 1.0 / crowding.actions)
    together = np.eye(crowding.actions)[:1]
    share = 10.0 ** generator.uniform(-3.0, -0.3, (len(spread), 1))
    laws = np.concatenate([spread, (1 - share) * even + share * spread, (1 - share) * together + share * spread])
    sigma = sign * crowding.sigma
    paid = penalty(laws, sigma, power)
    at_one, at_even = (float(penalty(law, sigma, power)[0]) for law in (together, even))
    yield at_most(max(float(paid.max()), at_even), at_one, f"{crowding.where}: all in one place pay most")
    yield at_most(at_even, min(float(paid.min()), at_one), f"{crowding.where}: an even spread pays least")


class Swarm(Instance, words="|A| = {actions}, sigma = {sigma:g}, M = {agents}"):
    """Swarm motion in the mean-field limit; the printed reward term is a sum over ``agents`` agents."""

    actions: int = 30
    sigma: float = SIGMA
    agents: int = 1


@statement(
    "exp-swarm-opt",
    "construction",
    lambda: (Swarm(), Swarm(17), Swarm(30, 10.0, 50)),
    need("at least two actions", lambda swarm: swarm.actions >= 2, Swarm(1)),
    teeth={"the reward term largest at pi/3": {"peak": 1.0 / 3.0}, "a hundredth of the penalty": {"strength": 0.01}},
    depends="exp-penalty",
    corrected=fix(
        "with the penalty that each agent pays for its own action, and the mean reward of the agents",
        other=True,
        power=1.0,
        summed=False,
    ),
)
def exp_swarm_opt(
    swarm: Swarm, *, power: float = 0.0, summed: bool = True, peak: float = 0.5, strength: float = 1.0
) -> Iterator[Case]:
    r"""$2\pi^2(\sin x-\cos^2x)+2\sin x$ is largest at $\pi/2$, and with the penalty all agents in one place cannot be
    optimal

    The best law is found by SLSQP from several starts on the softmax-free simplex. Dispersed means that no action has more
    than nine tenths; with the weighted penalty the law is also found from its optimality conditions, and the values agree.
    ``summed``: the reward term is summed over the agents, as printed, or averaged; ``peak`` is in units of pi.
    """
    fine = np.linspace(0.0, 2.0 * math.pi, 20_001)
    heights = swarm_reward(fine)
    yield equal(float(fine[int(heights.argmax())]) / math.pi, peak, f"{swarm.where}: where the reward term is largest")
    yield equal(float(heights.max()), 2.0 * math.pi**2 + 2.0, f"{swarm.where}: its largest value")
    phi = (swarm.agents if summed else 1) * swarm_reward(np.linspace(0.0, 2.0 * math.pi, swarm.actions))
    sigma = strength * swarm.sigma
    law, value = best_law(phi, sigma, power)
    yield at_most(float(law.max()), 0.9, f"{swarm.where}: largest share in the best law")
    if power == 1.0:
        exact = solve_crowding(phi[None], sigma)
        yield equal(value, float(exact.value[0]), f"{swarm.where}: value by two solvers", tolerance=1e-7)


def best_law(phi: Floats, sigma: float, power: float) -> tuple[Floats, float]:
    r"""Law (A,) that maximises :math:`\sum_xp_x\varphi_x-\sigma\sum_xp_x^q\log(1+p_x)` and its value; vertices are tried too."""
    count = len(phi)

    def loss(p: Floats) -> float:
        return -float(p @ phi - penalty(np.maximum(p, 0.0)[None], sigma, power)[0])

    starts = [np.full(count, 1.0 / count), *(0.6 * np.eye(count)[i] + 0.4 / count for i in np.argsort(-phi)[:2])]
    total = {"type": "eq", "fun": lambda p: p.sum() - 1.0, "jac": lambda p: np.ones(count)}
    found = [
        optimize.minimize(
            loss,
            start,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * count,
            constraints=[total],
            options={"ftol": 1e-13, "maxiter": 300},
        ).x
        for start in starts
    ]
    laws = [np.maximum(p, 0.0) / np.maximum(p, 0.0).sum() for p in found] + list(np.eye(count))
    best = min(laws, key=loss)
    return np.asarray(best), -loss(best)


TEAMS = (-1.0, 1.0)


class Ring(Instance, words="|A| = {actions}, M = {agents}"):
    """The arena with ``agents`` agents in places drawn from two random laws."""

    actions: int
    agents: int


@statement(
    "exp-arena-shift",
    "identity",
    lambda: (Ring(actions, agents) for actions, agents in ((30, 50), (12, 20), (6, 101))),
    need("an even number of places", lambda ring: ring.actions % 2 == 0, Ring(7, 20)),
    teeth={"both 0 and 2 pi are actions": {"second_end": True}, "one team alone shifts": {"shifted": (1.0,)}},
    depends="def-payoff",
)
def exp_arena_shift(ring: Ring, *, second_end: bool = False, shifted: tuple[float, ...] = TEAMS) -> Iterator[Case]:
    r"""Shifting all agents by some $\theta$ leaves the reward as it is

    Sums over pairs and shares are made here from the printed formula with the corrected penalty.
    """
    generator = stream(0, "ring", ring.actions, ring.agents)
    angles = np.linspace(0.0, 2.0 * math.pi, ring.actions, endpoint=second_end)
    teams = np.where(np.arange(ring.agents) % 2, *TEAMS[::-1])
    laws = random_laws(8, (2, ring.actions), generator)[-1]
    actions = np.array([generator.choice(ring.actions, p=laws[int(team > 0)]) for team in teams])

    def reward(where: NDArray[np.integer]) -> float:
        apart = np.cos(np.subtract.outer(angles[where], angles[where]))
        pairs = float((np.outer(teams, teams) * apart).sum()) - ring.agents
        share = np.bincount(where, minlength=ring.actions) / ring.agents
        return 2.0 * pairs / (ring.agents * (ring.agents - 1)) - SIGMA * float((share * np.log1p(share)).sum())

    moves = np.isin(teams, shifted).astype(int)
    start = reward(actions)
    changes = [abs(reward((actions + step * moves) % ring.actions) - start) for step in range(ring.actions)]
    yield at_most(max(changes), 1e-10, ring.where)
    if not second_end and shifted == TEAMS:
        package = arena(ring.agents, ring.actions).agent_reward(actions, (teams < 0).astype(int))
        yield at_most(abs(package - start), 1e-10, f"{ring.where}: the package's reward")


#: Reward in the caption of Figure 3.
SHOWN = 0.9


@dataclass(frozen=True)
class Teams:
    """The arena of Section 5.2.2 in the mean-field limit, or with ``agents`` agents."""

    agents: int | None = None
    actions: int = 30

    @property
    def where(self) -> str:
        """The arena in words."""
        return f"|A| = {self.actions}, " + ("mean-field limit" if self.agents is None else f"M = {self.agents}")


@statement(
    "exp-arena-fig3",
    "construction",
    lambda: (Teams(), Teams(50)),
    need("teams of one size", lambda teams: teams.agents is None or teams.agents % 2 == 0, Teams(51)),
    teeth={"unordered pairs": {"orders": 1}, "a reward of 1.1": {"shown": 1.1}},
    depends="exp-penalty exp-arena-shift",
    corrected=fix(
        "with the penalty that each agent pays for its own action, and with pairs counted in both orders",
        other=True,
        weighted=True,
    ),
)
def exp_arena_fig3(teams: Teams, *, weighted: bool = False, orders: int = 2, shown: float = SHOWN) -> Case:
    r"""A solution of the arena with $r(\mathbf x)\approx0.9$

    With the agents' own penalty (``weighted``; printed is a sum over actions) and pairs in both orders the right side is
    attained: by the best collection, or by M agents who share it out. Otherwise it is a bound: the mean over ordered pairs of
    :math:`2c_ic_j\cos(x_i-x_j)` is at most 2, over unordered ones 1; the penalty is at least :math:`\sigma\log2` as printed,
    and at least that of an even spread if agents pay.
    """
    if not weighted or orders < 2:
        even = np.full((1, teams.actions), 1.0 / teams.actions)
        least = float(penalty(even, SIGMA, 1.0)[0]) if weighted else SIGMA * math.log(2.0)
        return at_most(shown, orders - least, teams.where)
    found = arena(teams.agents or 50, teams.actions)
    if teams.agents is None:
        return at_most(shown, found.optimum, teams.where)
    shares = np.stack([largest_remainder(law, teams.agents // 2) for law in found.optimal])
    return at_most(shown, float(found.count_reward(shares[None])[0]), teams.where)
