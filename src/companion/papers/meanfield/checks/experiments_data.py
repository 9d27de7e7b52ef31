"""Statements behind the experiments: divergences, ports and run times (Sections 5 and 5.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from scipy import optimize

from companion.checks.cases import Case, at_most, equal
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.judge.reported import ReportedCell, load_tables
from companion.papers.meanfield.checks.agent_rewards import divergence
from companion.papers.meanfield.method.agents import largest_remainder
from companion.papers.meanfield.problems.divergence import jensen_shannon
from companion.papers.meanfield.problems.ports import best_collection, made_up_ports


class Pairs(Instance, words="|A| = {actions}, Dirichlet({concentration:g})"):
    """Three hundred pairs of laws over ``actions`` places; some with disjoint supports, some nearly equal."""

    actions: int
    concentration: float = 0.5

    def laws(self) -> tuple[Floats, Floats]:
        """Both laws of each pair, (300, A)."""
        generator = stream(0, "pairs", self.actions, str(self.concentration))
        p, q = generator.dirichlet(np.full(self.actions, self.concentration), (2, 300))
        half = self.actions // 2
        p[:20, half:], q[:20, :half] = 0.0, 0.0
        p[:20], q[:20] = (law[:20] / law[:20].sum(axis=1, keepdims=True) for law in (p, q))
        near = 10.0 ** -generator.uniform(1.0, 5.0, (50, 1))
        q[20:70] = (1.0 - near) * p[20:70] + near * q[20:70]
        return p, q


@statement(
    "exp-jsd",
    "identity",
    lambda: (Pairs(2), Pairs(3, 2.0), Pairs(41), Pairs(8, 5.0)),
    need("at least two places", lambda pairs: pairs.actions >= 2, Pairs(1)),
    teeth={"a logarithm to base two": {"base": 2.0}, "a gradient without the half": {"slope": 1.0}},
)
def exp_jsd(pairs: Pairs, *, base: float = math.e, slope: float = 0.5) -> Iterator[Case]:
    r"""$D_{JS}(P\|Q)=\frac12D_{KL}(P\|H)+\frac12D_{KL}(Q\|H)$ with $H=\frac12(P+Q)$: 0 for identical laws; ours: at most
    $\log2$, symmetric and convex

    :math:`\partial(-D)/\partial P_x=-\frac12\log(P_x/H_x)`, against central differences where both laws are positive. The
    package's divergence, times :math:`1/\log(\text{base})`, against a sum term by term in nats; the paper names no base.
    """
    p, q = pairs.laws()
    found = np.array([jensen_shannon(one, other) for one, other in zip(p, q, strict=True)]) / math.log(base)
    by_hand = [divergence(one.tolist(), other.tolist()) for one, other in zip(p, q, strict=True)]
    yield at_most(float(np.abs(found - by_hand).max()), 1e-13, f"{pairs.where}: summed term by term")
    yield at_most(float(found.max()), math.log(2.0), f"{pairs.where}: largest", tolerance=1e-12)
    swapped = np.array([jensen_shannon(other, one) for one, other in zip(p, q, strict=True)]) / math.log(base)
    yield at_most(float(np.abs(found - swapped).max()), 1e-13, f"{pairs.where}: symmetry")
    yield at_most(float(np.abs(jensen_shannon(p, p)).max()), 1e-15, f"{pairs.where}: equal laws")
    # Pinsker on both halves: D >= |p - q|_1^2 / 8.
    least = (np.abs(p - q).sum(axis=1) ** 2 / 8.0 - found).max()
    yield at_most(max(float(least), 0.0), 1e-14, f"{pairs.where}: squared distance over 8, less the divergence")
    middle = jensen_shannon(0.5 * (p[:-1] + p[1:]), 0.5 * (q[:-1] + q[1:])) / math.log(base)
    bend = float((middle - 0.5 * (found[:-1] + found[1:])).max())
    yield at_most(max(bend, 0.0), 1e-13, f"{pairs.where}: convexity")
    inside = np.flatnonzero((np.minimum(p, q) > 1e-3).all(axis=1))[:5]
    for i in inside:
        steps = 1e-6 * np.eye(pairs.actions)
        rise = np.array([_unnormalised(p[i] + step, q[i]) - _unnormalised(p[i] - step, q[i]) for step in steps]) / 2e-6
        exact = -slope * np.log(p[i] / (0.5 * (p[i] + q[i])))
        yield at_most(float(np.abs(-rise - exact).max()), 1e-6, f"{pairs.where}: gradient at pair {i}")


def _unnormalised(p: Floats, q: Floats) -> float:
    """The divergence's formula where p need not add up to one."""
    half = 0.5 * (p + q)
    return 0.5 * math.fsum(p * np.log(p / half)) + 0.5 * math.fsum(q * np.log(q / half))


class Independent(Instance, words="|A| = {actions}, M = {agents}, {demand} demand"):
    """M agents who draw their actions independently from the demand itself."""

    actions: int
    agents: int
    demand: str
    draws: int = 4000

    def law(self) -> Floats:
        """The demand (A,)."""
        if self.demand == "even":
            return np.full(self.actions, 1.0 / self.actions)
        return stream(0, "floor", self.actions).dirichlet(np.full(self.actions, 3.0))


def by_draws(play: Independent) -> Floats:
    """Agents at every place (draws, A), each drawing its own."""
    return np.asarray(stream(1, "floor", play.where).multinomial(play.agents, play.law(), size=play.draws))


def by_quota(play: Independent) -> Floats:
    """The same where the agents share themselves out by largest remainders."""
    return np.broadcast_to(largest_remainder(play.law(), play.agents), (play.draws, play.actions))


@statement(
    "exp-jsd-floor",
    "rate",
    lambda: (
        Independent(41, 300, "even"),
        Independent(41, 3000, "random"),
        Independent(8, 300, "random"),
        Independent(160, 20_000, "random", 1000),
    ),
    need("more agents than actions", lambda play: play.agents > play.actions, Independent(41, 20, "even")),
    teeth={
        "2 in place of 8": {"eighth": 2.0},
        "7 in place of 8": {"eighth": 7.0},
        "agents shared out by quota": {"shared": by_quota},
    },
    depends="exp-jsd",
)
def exp_jsd_floor(
    play: Independent, *, eighth: float = 8.0, shared: Callable[[Independent], Floats] = by_draws
) -> Case:
    r"""If $M$ agents draw their actions independently from $Q$, $\E D_{JS}(\hat P\|Q)\approx(\abs{A}-1)/(8M)$

    A second-order expansion gives :math:`D\approx\frac18\sum_x(\hat P_x-Q_x)^2/Q_x`. The tolerance is four standard errors
    and :math:`\frac12\sum_x1/(M^2Q_x)` for the next order.
    """
    demand = play.law()
    found = np.array(jensen_shannon(shared(play) / play.agents, demand))
    floor = (play.actions - 1) / (eighth * play.agents)
    allowed = 4.0 * float(found.std()) / math.sqrt(play.draws) + 0.5 * float((1.0 / demand).sum()) / play.agents**2
    return at_most(abs(float(found.mean()) - floor), allowed, play.where)


class Harbours(Instance, words="{ports} ports in {regions} regions, seed {seed}"):
    """Synthetic ports in regions, vessels of every region in equal number."""

    ports: int
    regions: int
    seed: int


@lru_cache(maxsize=32)
def harbour_values(harbours: Harbours, total: Callable[[Floats], float]) -> tuple[float, float, float]:
    """Reward of the collection by region masses, of SLSQP's, and of vessels spread like capacity, each in their region first.

    Capacities are divided by the ``total`` of all.
    """
    sample = made_up_ports(harbours.ports, harbours.regions, harbours.seed)
    capacity = sample.calls / total(sample.calls)
    weights = np.full(harbours.regions, 1.0 / harbours.regions)
    home = (sample.region[None] == np.arange(harbours.regions)[:, None]).astype(np.float64)

    def reward(collection: Floats) -> float:
        share = weights @ collection
        staying = float((weights[:, None] * collection * home).sum())
        return -0.5 - float((share**2 / capacity).sum()) + staying

    found = reward(best_collection(capacity, sample.region, weights))
    shape = home.shape

    def loss(flat: Floats) -> tuple[float, Floats]:
        collection = flat.reshape(shape)
        slope = weights[:, None] * (home - 2.0 * (weights @ collection) / capacity)
        return -reward(collection), -slope.ravel()

    rows = np.kron(np.eye(harbours.regions), np.ones((1, harbours.ports)))
    one = {"type": "eq", "fun": lambda flat: rows @ flat - 1.0, "jac": lambda flat: rows}
    start = (0.5 * home / home.sum(axis=1, keepdims=True) + 0.5 / harbours.ports).ravel()
    free = optimize.minimize(
        loss,
        start,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(start),
        constraints=[one],
        options={"ftol": 1e-12, "maxiter": 400},
    )
    spread = np.broadcast_to(capacity / capacity.sum(), shape)
    return found, -float(free.fun), reward(spread)


@statement(
    "exp-maritime-bound",
    "inequality",
    lambda: (
        *(Harbours(12, 3, seed) for seed in range(3)),
        Harbours(6, 2, 0),
        Harbours(30, 5, 0),
        Harbours(5, 1, 0),
    ),
    need("a port in every region", lambda harbours: harbours.ports >= harbours.regions, Harbours(2, 3, 0)),
    teeth={"capacities divided by their largest": {"total": np.max}, "-0.51 in place of -0.5": {"limit": -0.51}},
    depends="def-payoff",
)
def exp_maritime_bound(
    harbours: Harbours, *, total: Callable[[Floats], float] = np.sum, limit: float = -0.5
) -> Iterator[Case]:
    r"""If $\sum_xV_x=1$, then $r\le-\frac12$, with equality only for $P=V$ and every vessel in its region

    The cases have costs, rewards with the other sign. And the optimum found from the masses of the regions is that of a
    general solver.
    """
    found, free, spread = harbour_values(harbours, total)
    yield at_most(-limit, -max(found, free, spread), f"{harbours.where}: least cost")
    yield equal(found, free, f"{harbours.where}: two solvers", tolerance=1e-6)


@lru_cache(maxsize=1)
def run_times() -> tuple[ReportedCell, ...]:
    """The cells of Table 2: minutes of one run."""
    return tuple(cell for cell in load_tables("meanfield") if "runtime" in cell.metric)


class Total(Instance, words="{method}: {printed:g}"):
    """Statement of the text on one method's share, or on the days in all."""

    method: str
    printed: float
    within: float


def totals() -> tuple[Total, ...]:
    """About 100 days; 93 and about 2 percent, to half a percent."""
    others = ("Genetic Algorithm", "Simulated Annealing", "MF-GP-UCB")
    return (Total("days", 100.0, 1.0), Total("TuRBO", 93.0, 0.5), *(Total(name, 2.0, 0.5) for name in others))


@statement(
    "exp-runtime-share",
    "identity",
    totals,
    need(
        "a method of Table 2",
        lambda total: total.method == "days" or any(cell.method == total.method for cell in run_times()),
        Total("Random", 0.0, 0.5),
    ),
    teeth={"without the second taxi grid": {"without": "NYC (b)"}, "nine seeds": {"seeds": 9}},
)
def exp_runtime_share(total: Total, *, seeds: int = 10, without: str = "") -> Case:
    """About 100 days of CPU time in all, 93 % of it for TuRBO and about 2 % for each other method"""
    cells = [cell for cell in run_times() if cell.problem != without]
    minutes = math.fsum(cell.mean for cell in cells)
    if total.method == "days":
        found = seeds * minutes / (24.0 * 60.0)
    else:
        found = 100.0 * math.fsum(cell.mean for cell in cells if cell.method == total.method) / minutes
    return at_most(abs(found - total.printed), total.within, total.where)
