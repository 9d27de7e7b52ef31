"""Gaussian-process bandits: regret bounds with explicit constants, beside measured regret.

``import companion as cp`` gives what one needs at hand: kernels, the certified information gain, bounds, policies, the papers'
experiments, runs and sweeps, stored results. Each name is loaded when it is first used, so that importing the package costs
nothing; what is behind them is a module each, ``cp.gp``, ``cp.registry`` and so on.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

#: Where each name is defined. ``__init__.pyi`` says the same to type checkers and editors.
_HOMES = {
    # kernels and candidates
    "Matern": "gp",
    "SquaredExponential": "gp",
    "kernel": "api.inputs",
    "fit": "gp.fitting",
    "Fitted": "gp",
    "read_candidates": "api.inputs",
    "grid": "gp",
    "gp_draw": "gp",
    "FinitePosterior": "gp",
    # information gain and bounds
    "certified_gain": "api.inputs",
    "information_gain": "information",
    "UnionBoundWidth": "bounds.confidence",
    "SelfNormalizedWidth": "bounds.confidence",
    "OneRootWidth": "bounds.confidence",
    "ChowdhuryGopalanWidth": "bounds.confidence",
    "SrinivasNormWidth": "bounds.confidence",
    "SrinivasDrawsWidth": "bounds.confidence",
    "HorizonDrawsWidth": "bounds.confidence",
    "bounds_table": "api.bounds",
    # a black box of one's own, and the methods on it
    "Candidates": "problems",
    "Box": "problems",
    "ManyAgents": "papers.meanfield.method.optimiser",
    "ContextBox": "papers.wdrbo.method.optimiser",
    "for_problem": "registry",
    "optimisers": "registry",
    "restore": "policies",
    "certificate": "policies.stopping_certificate",
    "ModelSet": "policies.model_set",
    # functions whose values are known, and policies on them
    "FiniteProblem": "problems",
    "BoxProblem": "problems",
    "GPUCB": "policies",
    "Batch": "policies",
    "run_policy": "api.trajectory",
    # experiments, runs, sweeps
    "experiments": "api.experiments",
    "experiment": "api.experiments",
    "Experiment": "api.experiments",
    "problem_experiment": "api.problem_experiments",
    "Trajectory": "api.trajectory",
    "Runs": "api.runs",
    "sweep": "api.experiments",
    "stream": "core.randomness",
    # results
    "results": "api.results",
    "verdicts": "api.results",
    "ledger": "api.results",
    "discrepancies": "api.results",
    "write_page": "api.page",
}

#: Modules that are loaded when they are first used, too: the rooms, and of what lies deeper those that have names at hand.
_MODULES = {
    place.rpartition(".")[2]: place
    for place in (
        *("api", "bounds", "checks", "core", "core.errors", "core.parameters", "gp", "information", "pages", "papers"),
        *("policies", "problems", "registry", "stored", "current", "judge", "judge.evidence", "exports", "simulate"),
    )
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    """The object behind a name of :data:`_HOMES`, or a module; kept, so that this is asked once for each."""
    if name in _MODULES:
        found = importlib.import_module(f"companion.{_MODULES[name]}")
    elif name in _HOMES:
        answering = importlib.import_module("companion.core.calls").answering
        found = getattr(importlib.import_module(f"companion.{_HOMES[name]}"), name)
        if isinstance(found, type):
            if "__init__" in vars(found):
                found.__init__ = answering(found.__init__, name)  # type: ignore[misc]
        else:
            found = answering(found, name)
            found.__module__, found.__qualname__ = __name__, name  # where workers find it
    else:
        raise AttributeError(importlib.import_module("companion.core.calls").lacking(name, _HOMES))
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
