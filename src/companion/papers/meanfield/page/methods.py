"""Settings of the methods as they are run, read from the defaults of the code, and the fit of one of them by GPyTorch."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.core.randomness import stream
from companion.pages import Numbers, recorded
from companion.papers.meanfield.experiments.definitions import experiment
from companion.papers.meanfield.experiments.parameters import Crowd
from companion.papers.meanfield.experiments.printed import OURS
from companion.papers.meanfield.method.baselines import GeneticAlgorithm, ScaledAnnealing, SimulatedAnnealing
from companion.papers.meanfield.method.evolution_strategy import GROWTH
from companion.papers.meanfield.method.model import FitSchedule
from companion.papers.meanfield.method.naive import SCORED, NaiveGPUCB
from companion.papers.meanfield.method.policy import MeanFieldGPUCB
from companion.papers.meanfield.method.regression import Fit, LogNormal
from companion.papers.meanfield.method.simplex import MANY, PAPER_SEARCH, SHARES, exact_search
from companion.papers.meanfield.method.turbo import CHANGES, NOISES, RATES, HammingTuRBO

#: Options of ``companion trial meanfield PROBLEM`` that only some methods read. Every method over laws, random search
#: included, also reads ``play``, ``observation`` and ``told_law``.
OPTIONS = {
    "mf-gp-ucb": ("width", "beta", "a", "b", "search", "kernel", "initial"),
    "gp-ucb": ("width", "beta", "a", "b", "initial"),
    "turbo": ("candidates", "restart"),
    "sa": (),
    "ga": (),
    "random": (),
}


def defaults(made: Callable[..., Any]) -> dict[str, Any]:
    """Default values of a function's or class's arguments, by name."""
    found = inspect.signature(made).parameters.values()
    return {each.name: each.default for each in found if each.default is not inspect.Parameter.empty}


def radius_factors() -> tuple[float, float]:
    """By what TuRBO's radius is divided when it shrinks, and multiplied when it grows: from a search of four rounds."""
    policy = HammingTuRBO(900, 2, stream(0, "meanfield", "radius"), 2, candidates=10, successes=1, failures=1)
    radii = []
    for value in (1.0, 0.0, -1.0, 2.0):
        policy.ask()
        policy.tell(value)
        radii.append(policy.radius)
    return radii[1] / radii[2], radii[3] / radii[2]


@recorded(first=0)
def card_numbers() -> Numbers:
    """The settings that a reader needs to write every method, by name, read from the code."""
    fit, own = FitSchedule(), Crowd
    turbo, annealing, genetic, naive = (
        defaults(made) for made in (HammingTuRBO, SimulatedAnnealing, GeneticAlgorithm, NaiveGPUCB)
    )
    scaled = defaults(ScaledAnnealing)
    shrink, grow = radius_factors()
    law, action = fit.law, fit.action
    values: dict[str, Any] = {
        "width": own.beta,
        "design": own.initial,
        "until": fit.every_until,
        "every": fit.then_every,
        "iterations": fit.iterations,
        "own_scale": _prior(action.scale),
        "own_length": _prior(action.lengthscale),
        "law_scale": _prior(law.scale),
        "law_length": _prior(law.lengthscale),
        "noise": _prior(fit.noise),
        "near": PAPER_SEARCH.perturbed,
        "spread": PAPER_SEARCH.spread,
        "adam_steps": PAPER_SEARCH.steps,
        "rate": PAPER_SEARCH.rate,
        "steps": exact_search(1, 30).steps,
        "steps_of_several": exact_search(2, 30).steps,
        "apart": exact_search(1, 30).apart,
        "far": exact_search(1, 30).far,
        "screen": exact_search(1, 30).screen,
        "shares": ", ".join(f"{share:g}" for share in SHARES),
        "screen_of_many": exact_search(1, MANY).screen,
        "radius": HammingTuRBO(1000, 2, stream(0, "meanfield", "radius")).radius / 1000,
        "grow": grow,
        "shrink": shrink,
        "successes": turbo["successes"],
        "failures": turbo["failures"],
        "starts": turbo["initial"],
        "candidates": turbo["candidates"],
        "changes": CHANGES,
        "rates": len(RATES),
        "least_rate": float(RATES[0]),
        "most_rate": float(RATES[-1]),
        "noises": list(NOISES),
        "temperature": annealing["temperature"],
        "cooling": annealing["cooling"],
        "probes": scaled["probes"],
        "last": scaled["final"],
        "generation": genetic["population"],
        "elites": genetic["elites"],
        "offset": genetic["offset"],
        "growth": GROWTH,
        "naive_steps": naive["steps"],
        "block": naive["block"],
        "scored": SCORED,
    }
    options = {f"options_{name.replace('-', '_')}": ", ".join(found) for name, found in OPTIONS.items()}
    return Numbers(**values, **options)


def _prior(found: LogNormal) -> str:
    return f"({found.mean:g}, {found.sd:g})"


@dataclass(frozen=True)
class TwoFits:
    """Hyperparameters at the maximum of one posterior, by two programs.

    Parameters
    ----------
    rounds : rewards that are fitted
    own, library : by our closed form, and by GPyTorch
    """

    rounds: int
    own: Fit
    library: Fit


@recorded(first="seed")
def two_fits(seed: int, rounds: int = 25) -> TwoFits:
    """Fit MF-GP-UCB's model to the rewards of random laws on Arena, which has a length-scale for each part of Eq. (1)."""
    from companion.papers.meanfield.method.gpytorch_kernel import fit_by_gpytorch  # needs torch

    run = experiment("arena").ready(OURS, seed, {"initial": rounds})
    run = replace(run, noise=run.noise[:rounds])
    run.run()
    assert isinstance(run.policy, MeanFieldGPUCB)
    model, schedule = run.policy.model, FitSchedule(iterations=200)  # both to the end, and from the priors' medians
    model.fit(schedule)
    assert model.last_fit is not None
    return TwoFits(rounds, model.last_fit, fit_by_gpytorch(model, schedule))


def fit_numbers(fits: TwoFits) -> Numbers:
    """Distance of the two maxima."""
    return Numbers(
        fits,
        rounds=fits.rounds,
        length=fits.own.lengthscales[-1],
        noise=fits.own.noise_variance,
        numbers=len(fits.own.logs()),
        apart=float(np.expm1(np.abs(fits.own.logs() - fits.library.logs()).max())),
        nats=abs(fits.own.objective - fits.library.objective),
    )
