"""Tests of leads on the experiments: rewards, settings, methods and run times."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from companion.checks.suspected_error import Finding, suspected_error
from companion.core.files import reported_folder
from companion.core.randomness import stream
from companion.papers.meanfield.checks.experiments_data import exp_runtime_share, run_times, totals
from companion.papers.meanfield.checks.experiments_rewards import SHOWN, best_law, penalty
from companion.papers.meanfield.method.baselines import GeneticAlgorithm, SimulatedAnnealing
from companion.papers.meanfield.method.turbo import CHANGES, HammingTuRBO
from companion.papers.meanfield.problems import taxi
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS, meanfield_problem
from companion.papers.meanfield.problems.divergence import jensen_shannon
from companion.papers.meanfield.problems.penalty_readings import penalty_readings
from companion.papers.meanfield.problems.ports import best_collection, made_up_ports, region_masses
from companion.papers.meanfield.problems.swarm import SIGMA, swarm_reward


def reported_settings(setting: str) -> list[tuple[str, str, str]]:
    """Rows of the settings that the paper prints: source, problem and value, for one kind of setting."""
    path = reported_folder("meanfield") / "settings.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [
            (row["source"], row["problem"], row["value"]) for row in csv.DictReader(file) if row["setting"] == setting
        ]


@suspected_error("E12", teeth={"each agent pays for its own place": {"power": 1.0}})
def congestion(*, power: float = 0.0) -> Finding:
    r"""$-\sum_x\sigma\log(P_x+1)$, said to punish crowds

    Both penalties for a crowd and for an even spread, the best swarm under both, and what Figure 3 can show.
    """
    crowd, even = np.eye(30)[:1], np.full((1, 30), 1.0 / 30.0)
    pay = {own: [float(penalty(law, SIGMA, own)[0]) for law in (crowd, even)] for own in (0.0, 1.0)}
    phi = swarm_reward(np.linspace(0.0, 2.0 * math.pi, 30))
    swarm = {own: best_law(phi, SIGMA, own) for own in (0.0, 1.0)}
    used = {own: int((law > 1e-3).sum()) for own, (law, _) in swarm.items()}
    *others, run = penalty_readings()
    wrong_way = pay[power][0] < pay[power][1] and used[power] == 1
    only_one = run.largest >= SHOWN > max(reading.largest for reading in others)
    shown = "; ".join(f"{reading.name}, at most {reading.largest:.3g}" for reading in others)
    return Finding(
        wrong_way and only_one and used[1.0] > 1,
        {
            "penalties": pay,
            "values": {p: v for p, (_, v) in swarm.items()},
            "arena": {reading.name: reading.largest for reading in (*others, run)},
        },
        used_without=used[0.0],
        swarm_without=swarm[0.0][1],
        used_with=used[1.0],
        swarm_with=swarm[1.0][1],
        figure_3=SHOWN,
        runs=len(others) + 1,
        others=shown,
        run=run,
    )


@suspected_error("E16", teeth={"weights ten times as far apart": {"factor": 10.0}})
def weak_benchmarks(*, factor: float = 1.0) -> Finding:
    """random laws, and the settings of a framework for simulated annealing and the genetic algorithm

    Evenness of the random law, selection of the genetic algorithm, acceptance and reach of annealing.
    """
    generator = stream(0, "E16")
    laws = special.softmax(factor * generator.uniform(size=(400, 160)), axis=1)
    perplexity = float(np.exp(special.entr(laws).sum(axis=1)).mean() / 160.0)
    demand = meanfield_problem("taxi-a", data="synthetic").details["demand"]
    ratio = float(demand.max() / demand.min())
    genetic = GeneticAlgorithm(4, 2, stream(0, "genetic"))
    shares = genetic.shares(np.array([-0.11, -0.10, -0.09]))
    favour = float(shares.max() / shares.min() - 1.0)
    annealing = SimulatedAnnealing(4, 2, stream(0, "annealing"))
    cold = [annealing.temperature * annealing.cooling**count for count in (10, 20, 30)]
    reached = HORIZON / SETTINGS["taxi-a"].agents
    return Finding(
        perplexity > 0.9 and favour < 0.05 and cold[0] > 1.0 and reached < 0.05,
        {"perplexity": perplexity, "favour": favour, "temperatures": cold, "reached": reached, "demand_ratio": ratio},
        perplexity_percent=100 * perplexity,
        favour_percent=100 * favour,
        horizon=HORIZON,
        reached_percent=100 * reached,
    )


@suspected_error("E17", teeth={"the ports": {"problem": "Maritime"}})
def stations(*, problem: str = "LouVelo") -> Finding:
    """41 in the text, 36 in the caption

    The numbers of stations that are printed.
    """
    found = {source: int(value) for source, place, value in reported_settings("actions") if place == problem}
    shown = ", ".join(f"{value} in {source}" for source, value in found.items())
    return Finding(len(set(found.values())) > 1, {"actions": found}, shown=shown)


@suspected_error("E18", teeth={"squares of these sides": {"power": 2.0}})
def block_sizes(*, power: float = 1.0) -> Finding:
    """blocks of about 500, 400 and 300 square metres

    The grids' extent if the block sizes are areas, and if they are sides.
    """
    sides = {problem: float(value) for _, problem, value in reported_settings("block size")}
    shapes = {problem: tuple(map(int, value.split(" x "))) for _, problem, value in reported_settings("grid")}
    as_area = {name: side**power * math.prod(shapes[name]) / 1e6 for name, side in sides.items()}
    as_side = {name: tuple(side * count / 1000.0 for count in shapes[name]) for name, side in sides.items()}
    box = (
        (taxi.EAST - taxi.WEST) * 111.32 * math.cos(math.radians(40.75)),
        (taxi.NORTH - taxi.SOUTH) * 111.0,
    )
    off = max(abs(ours / theirs - 1.0) for extent in as_side.values() for ours, theirs in zip(box, extent, strict=True))
    extents = ", ".join(f"{wide:.1f} by {high:.1f} km" for wide, high in as_side.values())
    areas = ", ".join(f"{area:.2f}" for area in as_area.values())
    return Finding(
        max(as_area.values()) < 1.0 and len({round(high, 1) for _, high in as_side.values()}) > 1,
        {"areas": as_area, "extents": as_side, "box": list(box)},
        areas_in_words=areas,
        extents_in_words=extents,
        off=100 * off,
    )


@suspected_error("E19", teeth={"the ports, nearly such a sum": {"problem": "ports"}})
def outside_the_class(*, problem: str = "arena") -> Finding:
    """the experiments use a kernel that is additive over contexts

    Share of the arena's and the ports' variance that no sum over contexts has.
    """
    shares = {
        (name, concentration): interaction_share(name, concentration)
        for name in ("arena", "ports")
        for concentration in (1.0, 0.1)
    }
    arena_least = min(value for (name, _), value in shares.items() if name == problem)
    shown = ", ".join(f"{100 * v:.0f} % in {name} with Dirichlet({c:g})" for (name, c), v in shares.items())
    return Finding(arena_least > 0.2, {f"{name} {c:g}": value for (name, c), value in shares.items()}, shown=shown)


def interaction_share(name: str, concentration: float, draws: int = 20_000) -> float:
    r"""Variance outside the additive class over the variance, contexts' laws independent.

    The additive part is :math:`\sum_c\E[g|\xi_c]`; the variance of each main effect is the covariance of g at two collections
    that share one context's law only.
    """
    problem = meanfield_problem(name, data="synthetic")
    generator = stream(0, "E19", name, str(concentration))
    shape = (draws, problem.contexts, problem.actions)
    one, other = (
        generator.dirichlet(np.full(problem.actions, concentration), (draws, problem.contexts)) for _ in range(2)
    )
    assert one.shape == shape
    base = problem.mean_field(one)
    explained = 0.0
    for context in range(problem.contexts):
        mixed = other.copy()
        mixed[:, context] = one[:, context]
        explained += float(np.cov(base, problem.mean_field(mixed))[0, 1])
    return 1.0 - explained / float(base.var(ddof=1))


@suspected_error("E20", teeth={"all agents are paid alike": {"apart": 0.0}})
def what_is_observed(*, apart: float = 1.0) -> Finding:
    """the representative agent's own payoff in theory; a reward of the system in the experiments

    How much of the payoffs' spread lies between agents, which a reward of the system does not show.
    """
    shares = {}
    for name in ("swarm", "arena", "bikes", "ports"):
        problem, generator = meanfield_problem(name, data="synthetic"), stream(0, "E20", name)
        laws = generator.dirichlet(np.ones(problem.actions), (2000, problem.contexts))
        chance = laws * problem.context_weights[None, :, None]
        payoff = problem.payoff(laws)
        mean = (chance * payoff).sum(axis=(1, 2))
        within = float((chance * (apart * (payoff - mean[:, None, None])) ** 2).sum(axis=(1, 2)).mean())
        shares[name] = within / (within + float(mean.var()))
    shown = ", ".join(f"{100 * value:.0f} % in {name}" for name, value in shares.items())
    return Finding(min(shares.values()) > 0.1, {"shares": shares}, shown=shown)


@suspected_error("E21", teeth={"one round": {"rounds": 1}})
def luck_of_draws(*, rounds: int = HORIZON) -> Finding:
    """curves show the best reward so far of a population that draws its actions

    Divergence of 300 independent bicycles from the demand, on average and the best of 250 rounds, and by quota.
    """
    demand = meanfield_problem("bikes", data="synthetic").details["demand"]
    counts = stream(0, "E21").multinomial(300, demand, size=(200, HORIZON))
    found = np.array(jensen_shannon(counts / 300.0, demand))
    floor = (len(demand) - 1) / (8.0 * 300.0)
    shares = np.floor(demand * 300.0)
    order = np.argsort(-(demand * 300.0 - shares), kind="stable")[: round(300 - shares.sum())]
    shares[order] += 1.0
    quota = float(jensen_shannon(shares / 300.0, demand))
    mean, best = float(found.mean()), float(found[:, :rounds].min(axis=1).mean())
    return Finding(
        best < 0.8 * mean and quota < 0.5 * best,
        {"mean": mean, "best": best, "floor": floor, "quota": quota},
        horizon=HORIZON,
    )


@suspected_error("E24", teeth={"the sum in both": {"largest": np.sum}})
def maritime_scale(*, largest: Callable[..., Any] = np.max) -> Finding:
    """'normalised capacity', and a frequency that is normalised in one place only

    Optimum and even spread for capacities divided by their sum and by their largest, over draws of ports.
    """
    best: dict[str, list[float]] = {"sum": [], "max": []}
    even: dict[str, list[float]] = {"sum": [], "max": []}
    for seed in range(20):
        sample = made_up_ports(30, 5, seed)
        weights = np.full(5, 0.2)
        for name, total in (("sum", sample.calls.sum()), ("max", largest(sample.calls))):
            capacity = sample.calls / total
            optimal = best_collection(capacity, sample.region, weights)
            home = sample.region[None] == np.arange(5)[:, None]
            for store, collection in ((best, optimal), (even, np.full((5, 30), 1.0 / 30.0))):
                share = weights @ collection
                stay = float((weights[:, None] * collection * home).sum())
                store[name].append(-0.5 - float((share**2 / capacity).sum()) + stay)
    masses = region_masses(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    values = {name: [min(best[name]), max(best[name]), min(even[name]), max(even[name])] for name in ("sum", "max")}
    return Finding(max(best["sum"]) <= -0.5 < max(best["max"]) and bool(np.allclose(masses, 0.5)), values)


@suspected_error("U6", teeth={"at π": {"place": 1.0}})
def swarm_peak(*, place: float = 0.5) -> Finding:
    """the maximum of the reward term is at pi/2

    Where the swarm's reward term is largest, and how far the nearest actions are.
    """
    fine = np.linspace(0.0, 2.0 * math.pi, 200_001)
    heights = swarm_reward(fine)
    found, height = float(fine[int(heights.argmax())]), float(heights.max())
    apart = {
        end: float(np.abs(np.linspace(0.0, 2.0 * math.pi, 30, endpoint=end) - math.pi / 2.0).min())
        for end in (True, False)
    }
    wrong = abs(found - place * math.pi) > 1e-4 or abs(height - 2.0 * math.pi**2 - 2.0) > 1e-6
    return Finding(
        wrong,
        {"place": found, "height": height, "apart": [apart[True], apart[False]]},
        peak=found / math.pi,
        printed=2 * math.pi**2 + 2,
        with_it=apart[True],
        without=apart[False],
    )


@suspected_error("U7", teeth={"two seeds fewer": {"seeds": 8}})
def run_time_text(*, seeds: int = 10) -> Finding:
    """100 days, 93 % of them for TuRBO, about 2 % for each other method

    Days and shares from Table 2.
    """
    cases = [exp_runtime_share(total, seeds=seeds) for total in totals()]
    minutes = math.fsum(cell.mean for cell in run_times())
    shares = {
        total.method: 100.0 * math.fsum(c.mean for c in run_times() if c.method == total.method) / minutes
        for total in totals()[1:]
    }
    shown = ", ".join(f"{name} {value:.2f} %" for name, value in shares.items())
    return Finding(
        not all(case.holds for case in cases),
        {"days": 10 * minutes / 1440, "shares": shares},
        minutes=minutes,
        shown=shown,
    )


@suspected_error("U8", teeth={"half as many again": {"factor": 1.5}})
def block_numbers(*, factor: float = 1.0) -> Finding:
    """160, 235 and 394 blocks with demand

    Blocks with demand on the three grids, printed and in the synthetic stand-in.
    """
    found = {name: len(np.flatnonzero(taxi.block_demand(grid, "synthetic")[0])) for name, grid in taxi.GRIDS.items()}
    off = max(abs(factor * found[name] / taxi.PRINTED_ACTIONS[name] - 1.0) for name in found)
    shown = ", ".join(f"{count} against {taxi.PRINTED_ACTIONS[name]}" for name, count in found.items())
    return Finding(
        off > 0.15, {"blocks": found, "printed": dict(taxi.PRINTED_ACTIONS)}, taxi=taxi, shown=shown, off=100 * off
    )


@suspected_error("U9", teeth={"200 agents": {"agents": 200}})
def cost_of_turbo(*, agents: int = 20_000) -> Finding:
    """about 70 hours a run

    Entries read for the distances of one round's candidates, with sparse updates and without, at M = 20,000.
    """
    actions, count = 160, 250
    rule = HammingTuRBO(agents, actions, stream(0, "U9"), candidates=200)
    _, _, used = rule.candidates(np.zeros(agents, dtype=np.int32))
    changed = float(used.sum(axis=1).mean())
    dense, sparse = 5000.0 * agents * count, 5000.0 * changed * count
    return Finding(
        dense / sparse < 100.0,
        {"changed": changed, "dense": dense, "sparse": sparse},
        agents=agents,
        changes=CHANGES,
        count=count,
        ratio=dense / sparse,
    )
