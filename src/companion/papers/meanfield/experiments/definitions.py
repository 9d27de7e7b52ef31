"""The experiments of chapter 4 that the command line and the notebook run.

A seed decides about the contexts of every round, about the uniform numbers from which agents draw their actions, about which
agent represents them, and about the noise. Methods over laws at one seed share all of these and start from the same random
laws; methods over joint actions share the contexts, the noise and the first joint action. What a method draws beyond that
comes from the same stream, which methods read in different ways.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.papers.meanfield.experiments.parameters import PENALTIES, Crowd, for_problem
from companion.papers.meanfield.method.agents import draw_contexts
from companion.papers.meanfield.method.baselines import (
    ActionSearch,
    GeneticAlgorithm,
    ScaledAnnealing,
    SimulatedAnnealing,
)
from companion.papers.meanfield.method.evolution_strategy import EvolutionStrategy
from companion.papers.meanfield.method.kernel import AdditiveKernel
from companion.papers.meanfield.method.loop import Population, run_action_policy, run_law_policy
from companion.papers.meanfield.method.naive import NaiveGPUCB
from companion.papers.meanfield.method.policy import LawPolicy, MeanFieldGPUCB, ModelSettings, RandomLaws
from companion.papers.meanfield.method.simplex import LOCAL_SEARCH, PAPER_SEARCH, Search
from companion.papers.meanfield.method.turbo import HammingTuRBO
from companion.papers.meanfield.method.widths import PracticeWidth, TheoryWidth, Width
from companion.papers.meanfield.problems.catalogue import SETTINGS, WITH_DATA, meanfield_problem, problem_data
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.problems.ports import ports
from companion.problems.datasets import DataUsed
from companion.simulate import Experiment, Method, Trajectory

LAW_METHODS = (
    Method("mf-gp-ucb", "MF-GP-UCB, Algorithm 1"),
    Method("random", "random search: a softmax of uniform numbers for each context, agents draw from it"),
    Method("random-dirichlet", "control: laws from a Dirichlet distribution of concentration 1/2"),
    Method("es", "control: (1+1) evolution strategy on the logits of the laws"),
)
ACTION_METHODS = (
    Method("turbo", "TuRBO-1 on the joint actions: Hamming distances, trust region, Thompson sampling"),
    Method("sa", "simulated annealing on the joint actions, settings of MCBO"),
    Method("ga", "genetic algorithm on the joint actions, settings of MCBO"),
    Method("sa-scaled", "control: simulated annealing with its temperature suited to the rewards"),
    Method("ga-scaled", "control: genetic algorithm with rewards divided by their span"),
    Method("gp-ucb", "naive GP-UCB on the joint actions, without the mean-field assumption"),
)
#: The paper's five in its order, then the companion's.
METHODS = (*LAW_METHODS[:1], *ACTION_METHODS[:3], *LAW_METHODS[1:], *ACTION_METHODS[3:])
PAPERS = tuple(method.name for method in METHODS[:5])
OVER_LAWS = tuple(method.name for method in LAW_METHODS)


@dataclass(frozen=True, eq=False)
class MeanFieldSetup:
    """One run, ready to start.

    Parameters
    ----------
    problem : with its optimum or a bound on it
    policy : fresh, over laws or over joint actions
    population : how laws are played
    contexts : (M,) or (T, M) of the agents for a policy over joint actions, else ``None``
    noise : (T,) additive noise, already scaled
    streams : of the population
    """

    problem: MeanFieldProblem
    policy: LawPolicy | ActionSearch
    population: Population
    contexts: NDArray[np.intp] | None
    noise: NDArray[np.float64]
    streams: Callable[[str, int], np.random.Generator]

    def run(self, keep_laws: bool = False) -> Trajectory:
        """Run the policy; ``keep_laws`` as in :func:`~companion.papers.meanfield.method.loop.run_law_policy`."""
        over_joint = isinstance(self.policy, ActionSearch)
        horizon, meta = len(self.noise), {**self.problem.meta, "over": "joint actions" if over_joint else "laws"}
        if isinstance(self.policy, ActionSearch):
            assert self.contexts is not None
            return run_action_policy(
                self.policy, self.problem, self.contexts, horizon, self.noise, meta, keep_laws=keep_laws
            )
        return run_law_policy(
            self.policy, self.problem, self.population, horizon, self.noise, self.streams, meta, keep_laws
        )


def problem_of(name: str, p: Crowd) -> MeanFieldProblem:
    """The problem under the parameters ``agents``, ``actions``, ``noise``, and ``penalty``, ``data``, ``regions``."""
    if p.regions != 5:
        count = SETTINGS[name].actions if p.actions is None else p.actions
        return ports(p.agents, count, p.regions, p.data, noise_sd=p.noise)
    reading = PENALTIES[p.penalty]
    return meanfield_problem(name, p.agents, p.actions, reading, p.data, p.noise)


def width_of(problem: MeanFieldProblem, p: Crowd) -> Width:
    """The width under the parameters ``width``, ``beta``, ``a`` and ``b``."""
    if p.width == "constant":
        return PracticeWidth(p.beta)
    return TheoryWidth(problem.actions, problem.contexts, p.a, p.b, p.width)


def law_policy(method: str, problem: MeanFieldProblem, generator: np.random.Generator, p: Crowd) -> LawPolicy:
    """A fresh policy over laws: one of :data:`LAW_METHODS`."""
    shape = problem.contexts, problem.actions
    if method == "es":
        return EvolutionStrategy(shape, generator)
    if method in ("random", "random-dirichlet"):
        return RandomLaws(shape, generator, "softmax" if method == "random" else "dirichlet")
    searches: dict[str, Search | None] = {"exact": None, "local": LOCAL_SEARCH, "paper": PAPER_SEARCH}
    return MeanFieldGPUCB(
        problem.action_features,
        problem.context_features,
        problem.context_weights,
        generator,
        width=width_of(problem, p),
        model=ModelSettings(AdditiveKernel(coupling=p.kernel)),
        search=searches[p.search],
        initial=p.initial,
        capacity=p.horizon,
    )


def action_policy(method: str, problem: MeanFieldProblem, generator: np.random.Generator, p: Crowd) -> ActionSearch:
    """A fresh policy over joint actions: one of :data:`ACTION_METHODS`."""
    size = problem.agents, problem.actions, generator
    makers: dict[str, Callable[[], ActionSearch]] = {
        "turbo": lambda: HammingTuRBO(*size, initial=p.restart, candidates=p.candidates),
        "sa": lambda: SimulatedAnnealing(*size),
        "ga": lambda: GeneticAlgorithm(*size),
        "sa-scaled": lambda: ScaledAnnealing(*size, horizon=p.horizon),
        "ga-scaled": lambda: GeneticAlgorithm(*size, offset=None),
        "gp-ucb": lambda: NaiveGPUCB(
            problem.action_features, problem.agents, generator, width_of(problem, p), initial=p.initial
        ),
    }
    return makers[method]()


def setup(name: str, method: str, seed: int, p: Crowd) -> MeanFieldSetup:
    """One run of a problem of Section 5."""
    _check(method, p)
    problem = problem_of(name, p)

    def streams(use: str, number: int) -> np.random.Generator:
        return stream(seed, "meanfield", name, use, number)

    over_laws, way = method in OVER_LAWS, p.contexts
    redraw = way == "redrawn" or (way == "paper" and over_laws)
    population = Population(
        problem.agents,
        play=p.play,
        redraw=redraw,
        quota_contexts=problem.exact_contexts,
        observation=p.observation,
        told_law=p.told_law,
    )
    noise = p.noise * stream(seed, "meanfield", name, "noise").standard_normal(p.horizon)
    if over_laws:
        policy = law_policy(method, problem, stream(seed, "meanfield", name, "laws"), p)
        return MeanFieldSetup(problem, policy, population, None, noise, streams)
    search = action_policy(method, problem, stream(seed, "meanfield", name, "joint actions"), p)
    # Fixed contexts have their exact shares, so that no luck of one draw decides a whole run.
    exact = problem.exact_contexts or not redraw
    rounds = [
        draw_contexts(problem.context_weights, problem.agents, streams("contexts", t), exact)
        for t in range(p.horizon if redraw else 1)
    ]
    contexts = np.stack(rounds) if redraw else rounds[0]
    return MeanFieldSetup(problem, search, population, contexts, noise, streams)


def _check(method: str, p: Crowd) -> None:
    """Refuse a setting without effect: it is more often a slip than a wish."""
    constant = p.width == "constant"
    if not constant and p.beta != Crowd.beta:
        raise ParameterError(
            "beta", f"has no effect with width={p.width}", "width=constant", "Leave one of the two out"
        )
    for name in ("a", "b"):
        if constant and getattr(p, name) != getattr(Crowd, name):
            raise ParameterError(
                name, "has no effect with width=constant", "width=printed or corrected", "Set width too"
            )
    for name in ("play", "observation", "told_law"):
        if method not in OVER_LAWS and getattr(p, name) != getattr(Crowd, name):
            raise ParameterError(
                name, f"has no effect on {method}, which names every agent's action", "a method over laws"
            )
    if p.initial >= p.horizon and method in ("mf-gp-ucb", "gp-ucb"):
        raise ParameterError(
            "initial", f"is {p.initial} of {p.horizon} evaluations", "fewer than the horizon", "Lower it"
        )


def _data(name: str, p: Crowd) -> DataUsed:
    return problem_data(name, p.data, p.regions)


def _version(method: str, p: Crowd) -> int:
    """Of the numbers; 2: fits keep the curvature of those before, and the exact search ends by L-BFGS-B."""
    return 2 if method in ("mf-gp-ucb", "gp-ucb") else 1


EXPERIMENTS = tuple(
    Experiment(
        "meanfield",
        chosen.name,
        f"{chosen.title}: {chosen.agents} agents, {chosen.actions} actions, {chosen.contexts} contexts; "
        f"reward over {chosen.horizon} evaluations, as in {chosen.figure}.",
        METHODS,
        for_problem(chosen),
        partial(setup, chosen.name),
        f"Sec. 5, {chosen.figure}",
        partial(_data, chosen.name) if chosen.name in WITH_DATA else None,
        _version,
    )
    for chosen in SETTINGS.values()
)


def experiment(name: str) -> Experiment[MeanFieldSetup]:
    """One of :data:`EXPERIMENTS`."""
    return next(entry for entry in EXPERIMENTS if entry.name == name)
