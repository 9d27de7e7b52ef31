"""The experiments of chapter 5 that the command line and the notebook run.

A seed decides about the design, and about the context and the noise of every evaluation; the points from which searches
start and the draws from density estimates depend on seed, problem and round. So all methods at one seed start from the
same decisions and see the same contexts and the same noise.

``reading=text`` follows the paper's description, with exact inner solvers and searches; where it leaves a number open, the
published code's stands. ``reading=code`` follows the published code, its slips included. There is no third reading: what
we propose instead is a method (``wdrbo-exact``) or a parameter (``lipschitz_region=atoms``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.core.parameters import ParameterSet
from companion.core.randomness import stream
from companion.papers.wdrbo.experiments import parameters
from companion.papers.wdrbo.experiments.parameters import DataDriven, General, GivenLaw, Rivals, Run, Shift
from companion.papers.wdrbo.method.loop import Conditions, conditions, run_context_policy
from companion.papers.wdrbo.method.methods import METHODS as ALL_METHODS
from companion.papers.wdrbo.method.methods import ContextMethod, Settings
from companion.papers.wdrbo.method.model import Regression
from companion.papers.wdrbo.method.policy import AcquisitionPolicy
from companion.papers.wdrbo.problems.catalogue import chapter_problem, general
from companion.papers.wdrbo.problems.context import ContextProblem
from companion.papers.wdrbo.problems.portfolio import portfolio_data_used
from companion.papers.wdrbo.problems.shifted import shifted_problem
from companion.papers.wdrbo.problems.transport import law_distance
from companion.problems.datasets import DataUsed
from companion.simulate import Experiment, Method, Trajectory

METHODS = tuple(Method(method.name, method.summary) for method in ALL_METHODS.values())
#: Methods that learn about the law of the contexts from the ball's centre alone.
TOLD_METHODS = tuple(method for method in METHODS if method.name in ("wdrbo", "wdrbo-exact", "erbo"))

TITLES = {
    "ackley": "Ackley, one decision and one context (two decisions in the code)",
    "ackley-2d": "Ackley, two decisions and one context, as the published code runs it",
    "hartmann": "Hartmann, five decisions and one context",
    "branin": "modified Branin, two decisions and two contexts",
    "camel": "three-hump camel, one decision and one context",
    "newsvendor": "newsvendor, one order and a Burr demand",
    "portfolio-normal": "portfolio with normal contexts, three decisions and two contexts",
    "portfolio-uniform": "portfolio with uniform contexts, three decisions and two contexts",
}
#: The data-driven problems: the seven of Figures 2 to 4, and Ackley with two decisions.
DATA_DRIVEN = tuple(TITLES)


@dataclass(frozen=True, eq=False)
class WDRBOSetup:
    """One run, ready to start: problem, fresh policy, shared conditions, and the run's other identifiers."""

    problem: ContextProblem
    policy: AcquisitionPolicy
    shared: Conditions
    horizon: int
    facts: dict[str, Any]

    def run(self) -> Trajectory:
        """Run the policy."""
        return run_context_policy(self.policy, self.problem, self.horizon, self.shared, self.facts)


def problem_of(name: str, p: Run) -> ContextProblem:
    """The problem of an experiment under its parameters."""
    if isinstance(p, General):
        return general(p.spread, p.clipped, p.noise)
    if isinstance(p, Shift):
        return shifted_problem(p.problem, p.shift, p.noise)
    assert isinstance(p, DataDriven)
    if name == "ackley-2d":
        # The dimension is what separates the readings of Ackley's problem; here it is given.
        made = chapter_problem("ackley", "code", p.noise)
        return replace(made, name=name, meta={**made.meta, "reading": p.reading})
    return chapter_problem(name, p.reading, p.noise, p.data)


def settings_of(p: Run, context_width: float = 1.0) -> Settings:
    """Settings of the methods from the parameters; they see contexts divided by the width of their box, and the radius too."""
    sizes = ("samples", "robust_samples", "discrepancy_nodes", "minmax_nodes", "confidence")
    return Settings(
        width=p.width,
        radius=p.radius / context_width,
        fixed_radius=p.schedule == "constant",
        lipschitz_region=p.lipschitz_region,
        reading=p.reading if isinstance(p, DataDriven) else "text",
        **{name: getattr(p, name) for name in sizes if isinstance(p, Rivals)},
    )


def setup(
    name: str, method: str | ContextMethod, seed: int, p: Run, regression: Regression | None = None
) -> WDRBOSetup:
    """A run of the experiment ``name``; the model is fitted unless ``regression`` is given."""
    problem = problem_of(name, p)
    # One number for all coordinates: the only box that is not the unit box has a single one.
    width = float(np.max(problem.context_high - problem.context_low))
    chosen = settings_of(p, width)
    centre: Floats | None = None
    facts: dict[str, Any] = {**problem.meta, "optimum": problem.optimum, "initial": p.initial}
    if isinstance(p, GivenLaw):
        assert problem.reference is not None
        centre = problem.reference.quantile_nodes(p.told_nodes)
        facts["distance"] = law_distance(problem.reference.marginals[0], problem.law.marginals[0])
    shared = conditions(problem, seed, p.horizon, p.initial)
    # A demand above 1 acts as 1: the published code hands it on as drawn, once in a million draws.
    shared = replace(shared, contexts=np.clip(shared.contexts, problem.context_low, problem.context_high))
    facts |= {
        "radius": [width * chosen.radius_at(n) for n in (p.initial, p.initial + p.horizon - 1)],
        "published_optimum": problem.published_optimum,
        "noise_sd": problem.noise_sd,
    }
    policy = AcquisitionPolicy(
        method,
        problem.low,
        problem.high,
        problem.context_low,
        problem.context_high,
        lambda use, number: stream(seed, "wdrbo", name, use, number),
        chosen,
        regression,
        centre=centre,
    )
    return WDRBOSetup(problem, policy, shared, p.horizon, facts)


def _experiment(
    name: str, summary: str, source: str, parameters: ParameterSet, methods: tuple[Method, ...] = METHODS
) -> Experiment[WDRBOSetup]:
    data = _evaluations if "data" in parameters.names else None
    return Experiment("wdrbo", name, summary, methods, parameters, partial(setup, name), source, data, _version)


def _version(method: str, p: Run) -> int:
    """Of the numbers; 2: the discrepancy ball is solved to rounding, and U is interpolated between contexts of the grid."""
    return 2 if method in ("drbo-mmd", "drbo-mmd-minmax") else 1


def _evaluations(p: DataDriven) -> DataUsed:
    return portfolio_data_used(p.data)


EXPERIMENTS = (
    *(
        _experiment(
            name,
            f"Expected regret on {title}; contexts from their own past.",
            "Sec. 5 and App. 9, Figures 2-4",
            parameters.data_driven(name),
        )
        for name, title in TITLES.items()
    ),
    _experiment(
        "general",
        "Expected regret in Figure 1's example: the learner is told another law than the contexts follow. The methods "
        "without a ball see the contexts alone.",
        "Sec. 5, Figure 1",
        parameters.GENERAL,
    ),
    _experiment(
        "shift",
        "Expected regret where the true law of the contexts is the told one, moved by a known shift.",
        "Sec. 4.1; the experiment is the companion's",
        parameters.SHIFT,
        TOLD_METHODS,
    ),
)


def experiment(name: str) -> Experiment[WDRBOSetup]:
    """One of :data:`EXPERIMENTS`."""
    return next(entry for entry in EXPERIMENTS if entry.name == name)
