"""Settings of the methods as they are run, read from the defaults of the code."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pandas as pd

from companion.papers.meanfield import parameters
from companion.papers.meanfield.claims.printed import NAME_OF
from companion.papers.meanfield.method.baselines import GeneticAlgorithm, ScaledAnnealing, SimulatedAnnealing
from companion.papers.meanfield.method.evolution import GROWTH
from companion.papers.meanfield.method.model import FitSchedule
from companion.papers.meanfield.method.naive import SCORED, NaiveGPUCB
from companion.papers.meanfield.method.regression import LogNormal
from companion.papers.meanfield.method.simplex import LOCAL_SEARCH, PAPER_SEARCH, exact_search
from companion.papers.meanfield.method.turbo import CHANGES, NOISES, RATES, HammingTuRBO
from companion.papers.meanfield.problems.catalogue import SETTINGS
from companion.randomness import stream
from companion.report import Numbers, recorded

PAPER, FRAMEWORK, OURS = "paper", "MCBO", "ours"
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

Rows = list[tuple[str, str, str]]


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
def method_rows() -> pd.DataFrame:
    """One row a setting: method, what is set, to what, and whose choice that is; then the options that change the method."""
    found = {
        "mf-gp-ucb": _mean_field(),
        "turbo": _turbo(),
        "sa": _annealing(),
        "ga": _genetic(),
        "random": [("laws", "a softmax of uniform numbers in every context", PAPER)],
        "gp-ucb": _naive(),
    }
    rows = []
    for method, parts in found.items():
        options = ("options of companion trial", ", ".join(OPTIONS[method]) or "none", "")
        for number, (setting, value, source) in enumerate((*parts, options)):
            name = NAME_OF[method] if number == 0 else ""
            rows.append({"method": name, "setting": setting, "value": value, "source": source})
    return pd.DataFrame(rows)


@recorded(first=0)
def card_numbers() -> Numbers:
    """The settings that a reader needs to write every method, by name, read from the code."""
    fit, own = FitSchedule(), parameters.for_problem(SETTINGS["swarm"]).resolve({})
    turbo, annealing, genetic, naive = (
        defaults(made) for made in (HammingTuRBO, SimulatedAnnealing, GeneticAlgorithm, NaiveGPUCB)
    )
    scaled = defaults(ScaledAnnealing)
    shrink, grow = radius_factors()
    law, action = fit.law, fit.action
    values: dict[str, Any] = {
        "width": own["beta"],
        "design": own["initial"],
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
        "apart": exact_search(1, 30).apart,
        "far": exact_search(1, 30).far,
        "screen": exact_search(1, 30).screen,
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
    return Numbers(**values)


def _mean_field() -> Rows:
    fit, own = FitSchedule(), parameters.for_problem(SETTINGS["swarm"]).resolve({})
    searches = [exact_search(each.contexts, each.actions) for each in SETTINGS.values()]
    far, screened = ([getattr(search, name) for search in searches] for name in ("far", "screen"))
    adam = f"{PAPER_SEARCH.steps} steps from the two best laws played, {PAPER_SEARCH.perturbed} perturbations and a new one"
    return [
        ("width", f"{own['beta']:g} standard deviations in every round", OURS),
        ("design", f"{own['initial']} laws of random search", OURS),
        (
            "fits",
            f"maximum a posteriori: in every round up to {fit.every_until} observations, then in one of {fit.then_every}; "
            f"{fit.iterations} iterations of L-BFGS-B; targets standardised",
            OURS,
        ),
        (
            "priors",
            f"mean and sd of the logarithm: scale {_prior(fit.action.scale)} for action and context, {_prior(fit.law.scale)} for "
            f"laws; length-scale {_prior(fit.action.lengthscale)}, and {_prior(fit.law.lengthscale)} in units of the laws' "
            f"median distance; noise variance {_prior(fit.noise)}",
            OURS,
        ),
        (
            "maximisation, search=exact",
            f"projected gradient, {searches[0].steps} steps, from near the best laws played and from the best {min(far)} "
            f"to {max(far)} of {min(screened)} to {max(screened)} random laws",
            OURS,
        ),
        (
            "maximisation, search=paper",
            f"Adam at rate {PAPER_SEARCH.rate:g}; {adam}",
            f"rate: {PAPER}; the rest: {OURS}",
        ),
        ("maximisation, search=local", f"Adam at rate {LOCAL_SEARCH.rate:g}; the same otherwise", OURS),
    ]


def _prior(found: LogNormal) -> str:
    return f"({found.mean:g}, {found.sd:g})"


def _turbo() -> Rows:
    found = defaults(HammingTuRBO)
    start = HammingTuRBO(1000, 2, stream(0, "meanfield", "radius")).radius / 1000
    shrink, grow = radius_factors()
    return [
        (
            "model",
            f"Hamming distance with one decay rate for all agents, of {len(RATES)} from {RATES[0]:g} to {RATES[-1]:g}; noise "
            f"one of {', '.join(f'{noise:g}' for noise in NOISES)} of the scale; by likelihood",
            f"{OURS}; {FRAMEWORK} has one length-scale per agent",
        ),
        (
            "trust region",
            f"radius {start:g} M at first, times {grow:g} after {found['successes']} successes in a row, divided by "
            f"{shrink:g} after {found['failures']} failures, a new start below one agent",
            FRAMEWORK,
        ),
        ("starts", f"{found['initial']} uniform joint actions", OURS),
        (
            "candidates",
            f"{found['candidates']:,}, with {CHANGES} agents drawn anew on average; one by Thompson sampling",
            "Eriksson et al. (2019)",
        ),
    ]


def _annealing() -> Rows:
    found = defaults(SimulatedAnnealing)
    value = (
        f"{found['temperature']:g} at first, times {found['cooling']:g} after every evaluation; {found['flips']} agent"
    )
    return [("temperature, moves", f"{value} changes its action", FRAMEWORK)]


def _genetic() -> Rows:
    found = defaults(GeneticAlgorithm)
    return [
        (
            "generations",
            f"{found['population']} joint actions, {found['elites']} elites and {found['elites']} drawn in proportion to "
            f"r - min r + {found['offset']:g} as parents; one-point crossover, one agent switched",
            FRAMEWORK,
        )
    ]


def _naive() -> Rows:
    found, own = defaults(NaiveGPUCB), parameters.for_problem(SETTINGS["swarm"]).resolve({})
    return [
        ("width, design", f"{own['beta']:g} standard deviations; {own['initial']} uniform joint actions", OURS),
        (
            "maximisation",
            f"at most {found['steps']} steps, one agent each, from the best joint action played and a uniform one; every "
            f"step scores up to {SCORED:,} changes of at most {found['block']} agents",
            OURS,
        ),
    ]
