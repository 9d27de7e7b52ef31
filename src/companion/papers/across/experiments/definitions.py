"""The experiments behind "which method?": all rules on the functions of the study, and settings with and without a need for them.

A seed decides about function, initial points and noise of every evaluation, or about contexts and agents; all methods at one seed
share these. Regret has no noise, and initial points count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest
from companion.core.parameters import ParameterSet
from companion.core.randomness import stream
from companion.papers.across.experiments.parameters import Agents, Contexts, Displacement, Methods
from companion.papers.across.experiments.policies import METHODS, policy_of
from companion.papers.across.problems.functions import SIZE, candidates, function
from companion.papers.batched.method.policy import BPE, RobustBPE
from companion.papers.batched.method.sizes import original_sizes
from companion.papers.batched.problems.catalogue import robust_problem
from companion.papers.compressed.experiments.timing import Timed
from companion.papers.meanfield.experiments.definitions import EXPERIMENTS as MEANFIELD
from companion.papers.wdrbo.theory.runs import Game, play
from companion.policies import GPUCB, Policy, StableOpt
from companion.problems import FiniteProblem
from companion.simulate import Experiment, Method, Trajectory, run_policy
from companion.simulate.regret import cumulative_regret, simple_regret


@dataclass(frozen=True, eq=False)
class FunctionSetup:
    """One run on a finite set, ready to start.

    Parameters
    ----------
    problem : with values and, where points may be displaced, neighbours
    policy : fresh
    noise : (T,) of every evaluation
    facts : what else identifies the run
    """

    problem: FiniteProblem
    policy: Policy
    noise: NDArray[np.float64]
    facts: dict[str, Any]

    def run(self) -> Trajectory:
        """Run the policy; the diagnostics are the CPU seconds inside it, and regret (T,) as if nothing were displaced."""
        watch = Timed(self.policy)
        run = run_policy(watch, self.problem, len(self.noise), self.noise, self.facts)
        known = {"cpu_seconds": float(np.sum(watch.seconds)), "undisplaced": self.problem.regret[run.charged]}
        return replace(run, diagnostics=known)


def setup_methods(method: str, seed: int, p: Methods) -> FunctionSetup:
    """A rule on a function of the study."""
    if p.horizon <= p.initial:
        raise ParameterError("horizon", f"is {p.horizon}", f"more than the {p.initial} initial points")
    asked = function(p.problem)
    design = stream(seed, "study", asked.name, "design").choice(SIZE, p.initial, replace=False)
    sd = p.noise * asked.spread
    noise = sd * stream(seed, "study", asked.name, "noise").standard_normal(p.horizon)
    problem = FiniteProblem(asked.name, candidates(asked.dim), asked.values, sd, asked.source)
    return FunctionSetup(problem, policy_of(method, asked, design, seed, p), noise, {})


#: Of the settings below.
NOISE_SD = 0.1

# -- displacement ------------------------------------------------------------------------------------------------------

DISPLACED_METHODS = (
    Method("gp-ucb", "GP-UCB, which ignores displacement"),
    Method("stableopt", "StableOpt (Bogunovic et al., 2018)"),
    Method("bpe", "BPE, which ignores displacement"),
    Method("robust-bpe", "robust-BPE"),
)


def setup_displaced(method: str, seed: int, p: Displacement) -> FunctionSetup:
    """A rule on a problem of the BPE paper's robust chapter; regret is against displacement, and without it beside."""
    modelled = robust_problem(p.problem, NOISE_SD)
    problem, variance, width, horizon = modelled.problem, NOISE_SD**2, p.multiplier, p.horizon
    covariance, neighbours = modelled.covariance, problem.neighbourhood.relation
    makers: dict[str, Callable[[], Policy]] = {
        "gp-ucb": lambda: GPUCB(covariance, variance, width, horizon),
        "stableopt": lambda: StableOpt(covariance, variance, width, neighbours, horizon),
        "bpe": lambda: BPE(covariance, variance, original_sizes(horizon), width),
        "robust-bpe": lambda: RobustBPE(covariance, variance, original_sizes(horizon), width, neighbours),
    }
    noise = NOISE_SD * stream(seed, "across", p.problem, "noise").standard_normal(horizon)
    return FunctionSetup(problem, makers[method](), noise, {})


# -- contexts ----------------------------------------------------------------------------------------------------------

CONTEXT_METHODS = (
    Method("nominal", "no ball: the best decision under the law that is told"),
    Method("wdrbo", "WDRBO, the rule (13) with the Lipschitz constant"),
    Method("worst-case", "the exact worst case (8) over the ball"),
)
_RULES = {"nominal": "nominal", "wdrbo": "lipschitz", "worst-case": "exact"}


@dataclass(frozen=True)
class ContextSetup:
    """One run of the simulator of WDRBO's theory, ready to start; ``policy`` is its rule."""

    game: Game

    @property
    def policy(self) -> str:
        """Name of the rule."""
        return self.game.rule

    def run(self) -> Trajectory:
        """Play."""
        found = play.__wrapped__(self.game)  # the cache would keep every run
        regret, number = found.regret[0], np.arange(self.game.horizon)
        return Trajectory(
            query=found.points[0],
            charged=found.points[0],
            batch=number + 1,
            observation=found.observation[0],
            instantaneous_regret=regret,
            cumulative_regret=cumulative_regret(regret),
            simple_regret=simple_regret(regret),
            recommended_regret=float(regret[-1]),
            model_order=number + 1,
            seconds=0.0,
        )


def setup_contexts(method: str, seed: int, p: Contexts) -> ContextSetup:
    """A rule where the law of the contexts is the one that is told, or the worst one within the radius."""
    truth = "worst" if p.shift == "worst" else "centre"
    sizes: dict[str, Any] = {"decisions": p.decisions, "contexts": p.contexts, "horizon": p.horizon}
    model: dict[str, Any] = {"lam": NOISE_SD**2, "noise": NOISE_SD, "radius": p.radius}
    return ContextSetup(Game(**sizes, **model, truth=truth, rule=_RULES[method], runs=1, seed=seed))


# -- agents ------------------------------------------------------------------------------------------------------------

AGENT_METHODS = (
    Method("mf-gp-ucb", "MF-GP-UCB, over laws"),
    Method("joint", "naive GP-UCB, over the joint actions of all agents"),
    Method("random", "random laws"),
)
_SWARM = next(each for each in MEANFIELD if each.name == "swarm")
_THEIR = {"mf-gp-ucb": "mf-gp-ucb", "joint": "gp-ucb", "random": "random"}


def setup_agents(method: str, seed: int, p: Agents) -> Any:
    """Swarm of the mean-field paper, as its chapter runs it, with one agent or a crowd."""
    return _SWARM.ready(_THEIR[method], seed, {"agents": p.agents, "horizon": p.horizon})


def experiment(name: str) -> Experiment[Any]:
    """One of :data:`EXPERIMENTS`."""
    known = {entry.name: entry for entry in EXPERIMENTS}
    if name not in known:
        raise ParameterError("experiment", f"got {name!r}", ", ".join(known), nearest(name, known))
    return known[name]


def rewards(run: Trajectory) -> Floats:
    """(T,) reward of the finite population of a run with agents, without noise."""
    return np.asarray(run.diagnostics["reward"], dtype=np.float64)


_experiment = partial(Experiment, "across")
EXPERIMENTS = (
    _experiment(
        "methods",
        "The rules of the five papers, and the classical ones, on the functions of the study.",
        METHODS,
        ParameterSet.of(Methods),
        setup_methods,
        "all five papers",
    ),
    _experiment(
        "displacement",
        "Robust rules and plain ones, where points may be displaced and where they are not.",
        DISPLACED_METHODS,
        ParameterSet.of(Displacement),
        setup_displaced,
        "BPE, Sec. 5",
    ),
    _experiment(
        "contexts",
        "A ball of laws around the one that is told, where contexts shift and where they do not.",
        CONTEXT_METHODS,
        ParameterSet.of(Contexts),
        setup_contexts,
        "WDRBO, Sec. 3",
    ),
    _experiment(
        "agents",
        "Laws for a population against joint actions, with one agent and with a crowd.",
        AGENT_METHODS,
        ParameterSet.of(Agents),
        setup_agents,
        "MF-GP-UCB, Sec. 5",
    ),
)
