"""Statements: remarks on the number of agents, on other methods, and on fixed contexts (Sections 2, 4 and 5.1)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from types import ModuleType
from typing import cast

import numpy as np
from scipy import stats

from companion.checks.cases import Case, at_most, none_of
from companion.checks.instance import Instance
from companion.checks.statement import Statement, need, statement
from companion.core.randomness import stream
from companion.papers.meanfield.method import naive, widths
from companion.papers.meanfield.method.agents import draw_contexts
from companion.papers.meanfield.method.baselines import ActionSearch, GeneticAlgorithm, SimulatedAnnealing
from companion.papers.meanfield.method.loop import ActionPolicy, Population, run_action_policy, run_law_policy
from companion.papers.meanfield.method.model import FitSchedule
from companion.papers.meanfield.method.policy import MeanFieldGPUCB, ModelSettings
from companion.papers.meanfield.method.simplex import Search
from companion.papers.meanfield.method.widths import JointActionWidth
from companion.papers.meanfield.problems.catalogue import SETTINGS, meanfield_problem
from companion.papers.meanfield.theory import bounds
from companion.papers.meanfield.theory.bounds import Pieces


class Scaled(Instance, words="{name}, |A| = {actions}, M = {few} and {many}, {seeds} seeds"):
    """One problem with few and with many agents, the same seeds for both."""

    name: str
    actions: int
    few: int = 20
    many: int = 20_000
    rounds: int = 50
    seeds: int = 5


def annealing_gap(run: Scaled, agents: int, seed: int) -> float:
    """Smallest mean-field regret of ``run.rounds`` rounds of simulated annealing, which moves agents one by one."""
    problem = meanfield_problem(run.name, agents=agents, actions=run.actions, data="synthetic")
    contexts = draw_contexts(problem.context_weights, agents, stream(seed, "contexts"))
    # Its actions are of any integer type, which the loop converts.
    rule = cast(ActionPolicy, SimulatedAnnealing(agents, run.actions, stream(seed, "annealing")))
    return float(run_action_policy(rule, problem, contexts, run.rounds, np.zeros(run.rounds)).simple_regret[-1])


@lru_cache(maxsize=64)
def law_gap(run: Scaled, agents: int, seed: int) -> float:
    """Smallest mean-field regret of ``run.rounds`` rounds of MF-GP-UCB, with iid play."""
    problem = meanfield_problem(run.name, agents=agents, actions=run.actions, data="synthetic")
    policy = MeanFieldGPUCB(
        problem.action_features,
        problem.context_features,
        problem.context_weights,
        stream(seed, "policy"),
        model=ModelSettings(fit=FitSchedule(every_until=0, then_every=10)),
        search=Search("projected", steps=20, perturbed=1, far=3, screen=128),
    )
    population = Population(agents)
    quiet = np.zeros(run.rounds)
    found = run_law_policy(policy, problem, population, run.rounds, quiet, lambda name, t: stream(seed, name, t))
    return float(found.simple_regret[-1])


#: Names under which a function could be told the number of agents.
AGENT_NAMES = frozenset({"agents", "m", "population", "count"})


def told_agents(modules: tuple[ModuleType, ...]) -> tuple[int, int]:
    """Number of public callables of ``modules`` that take a number of agents, and of all."""
    callables = [
        item
        for module in modules
        for name, item in vars(module).items()
        if not name.startswith("_") and getattr(item, "__module__", "") == module.__name__ and callable(item)
    ]
    named = [set(map(str.lower, inspect.signature(item).parameters)) & AGENT_NAMES for item in callables]
    return sum(map(bool, named)), len(callables)


@statement(
    "remark-independence",
    "construction",
    lambda: (Scaled("bikes", 6), Scaled("swarm", 10)),
    need("a few seeds at least", lambda run: run.seeds >= 3, Scaled("bikes", 6, seeds=2)),
    teeth={
        "simulated annealing, agent by agent": {"gap": annealing_gap},
        "the width of the naive method": {"modules": (naive, widths)},
    },
    depends="thm-4.1-corrected",
)
def remark_independence(
    run: Scaled,
    *,
    gap: Callable[[Scaled, int, int], float] = law_gap,
    modules: tuple[ModuleType, ...] = (bounds,),
) -> Iterator[Case]:
    """No term of the bound depends on $M$

    Left of the second is the lower 99 % limit of the mean difference, many agents less few, paired by seed; zero if negative.
    """
    yield none_of(*told_agents(modules), f"functions of {', '.join(m.__name__ for m in modules)} that take M")
    gaps = [gap(run, run.many, seed) - gap(run, run.few, seed) for seed in range(run.seeds)]
    error = float(np.std(gaps, ddof=1)) / math.sqrt(run.seeds)
    limit = float(np.mean(gaps)) - float(stats.t.ppf(0.99, run.seeds - 1)) * error
    yield at_most(max(limit, 0.0), 0.0, f"{run.where}: growth of the regret")


@dataclass(frozen=True)
class Sizes:
    """M, |A|, |C| and the dimensions of actions and contexts."""

    agents: int
    actions: int
    contexts: int
    action_dim: int = 1
    context_dim: int = 1
    name: str = ""

    @property
    def where(self) -> str:
        """The sizes in words."""
        dims = f"d_A = {self.action_dim}, d_C = {self.context_dim}"
        return f"{self.name or 'sizes'}: M = {self.agents}, |A| = {self.actions}, |C| = {self.contexts}, {dims}"


def sizes() -> Iterator[Sizes]:
    """The seven problems, and sizes on both sides of the rule's border."""
    for name, found in SETTINGS.items():
        yield Sizes(found.agents, found.actions, found.contexts, name=name)
    for actions, contexts, d_a, d_c in ((3, 1, 1, 1), (4, 2, 2, 1), (5, 3, 2, 3)):
        border = math.ceil(1 + actions * contexts / d_a)
        for agents in (border - 1, border, border + 1):
            yield Sizes(agents, actions, contexts, d_a, d_c)


def log_widths(found: Sizes, horizon: int = 250) -> tuple[float, float]:
    """log beta_T of MF-GP-UCB with a = b = 2, and of naive GP-UCB on the joint actions."""
    law = Pieces(found.actions, found.contexts, 2.0, 2.0).beta(horizon)
    return math.log(law), math.log(JointActionWidth(found.actions, found.agents).beta(horizon))


@statement(
    "remark-crossover",
    "identity",
    sizes,
    need("at least one agent", lambda found: found.agents >= 1, Sizes(0, 3, 1)),
    teeth={
        "M in place of M d_A": {"per_agent": False},
        "each row with its own width": {"widths": True},
        "every agent's context in the naive row": {"contexts": attrgetter("agents")},
    },
    depends="rate-gp-ucb rate-mf",
)
def remark_crossover(
    found: Sizes,
    *,
    per_agent: bool = True,
    widths: bool = False,
    contexts: Callable[[Sizes], int] = lambda found: 1,
    horizon: int = 250,
) -> Case:
    r"""MF-GP-UCB's bound improves on that of naive GP-UCB as long as $d_A+\abs{A}\abs{C}\le Md_A$

    The rows are compared by the logarithms of their expressions at T = 250, ``contexts`` counting those of the
    naive row. A case fails where the rule and the rows disagree.
    """
    size, d_a, d_c = found.actions * found.contexts, found.action_dim, found.context_dim
    rule = d_a + size <= found.agents * (d_a if per_agent else 1)
    iota = math.log(math.log(horizon))
    own, naive_width = log_widths(found, horizon) if widths else (0.0, 0.0)
    mean_field = own + 0.5 * (d_a + d_c + size) * iota
    joint = naive_width + 0.5 * (found.agents * d_a + d_c * contexts(found)) * iota
    better = mean_field <= joint + 1e-9
    return none_of(int(rule != better), 1, f"{found.where}: rule says {rule}, rows say {better}")


# -- remark-brown ------------------------------------------------------------------------------------------------------

REMARK_BROWN = Statement(
    id="remark-brown",
    kind="not-checkable",
    latex=r"Permutation invariance would give $O\big(\beta_T\sqrt{T\log T^M}/M!\big)$, which still depends on $M$",
    reason="A result of another paper, quoted without the constants that depend on M. Taken as it stands, for fixed T it tends "
    "to zero as M grows, as no regret does; so it cannot be uniform in M, and that it depends on M proves no disadvantage",
)


class Benchmark(Instance, words="arena, M = 50, {method}, {evaluations} evaluations, {seeds} seeds"):
    """One benchmark on the arena with its 50 agents, best reward of 250 evaluations, paired by seed."""

    method: str
    seeds: int = 12
    evaluations: int = 250


SEARCHES: dict[str, type[ActionSearch]] = {"annealing": SimulatedAnnealing, "genetic": GeneticAlgorithm}


@lru_cache(maxsize=128)
def best_reward(benchmark: Benchmark, seed: int, redrawn: bool) -> float:
    """Largest reward seen, contexts drawn once or before every evaluation."""
    problem = meanfield_problem("arena")
    rule = SEARCHES[benchmark.method](problem.agents, problem.actions, stream(seed, benchmark.method))
    contexts = problem.draw_contexts(stream(seed, "contexts"))
    best = -math.inf
    for t in range(benchmark.evaluations):
        if redrawn:
            contexts = problem.draw_contexts(stream(seed, "contexts", t))
        value = problem.agent_reward(rule.ask(), contexts)
        rule.tell(value)
        best = max(best, value)
    return best


@statement(
    "remark-fixed-context",
    "inequality",
    lambda: (Benchmark("annealing"), Benchmark("genetic")),
    need("a few seeds at least", lambda benchmark: benchmark.seeds >= 3, Benchmark("annealing", 2)),
    teeth={"redrawn contexts as the better ones": {"sign": -1.0}},
    depends="def-payoff",
)
def remark_fixed_context(benchmark: Benchmark, *, sign: float = 1.0) -> Case:
    """Benchmarks that control all actions do better with contexts that stay fixed than with contexts drawn in every
    round"""
    gaps = [best_reward(benchmark, seed, False) - best_reward(benchmark, seed, True) for seed in range(benchmark.seeds)]
    error = float(np.std(gaps, ddof=1)) / math.sqrt(benchmark.seeds)
    limit = sign * float(np.mean(gaps)) - float(stats.t.ppf(0.99, benchmark.seeds - 1)) * error
    return at_most(0.0, limit, benchmark.where)
