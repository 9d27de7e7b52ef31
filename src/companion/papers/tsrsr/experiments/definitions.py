"""The experiments of chapter 1 that the command line and the notebook run.

A seed decides about the design, the noise and the candidates of every round; the method's own draws come from a stream of
their own. All methods at one seed therefore start from the same points, see the same noise, and choose from the same
uniform candidates. The number of the function decides which function or goal is optimised.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.errors import ParameterError
from companion.core.parameters import ParameterSet
from companion.core.randomness import stream
from companion.gp import Matern, PriorDraws, grid, kernel_by_name
from companion.papers.tsrsr.experiments.parameters import ON_A_BOX, Column, Theory, for_column
from companion.papers.tsrsr.method.candidates import CandidateSearch
from companion.papers.tsrsr.method.policy import (
    BoxPolicy,
    BoxPolicyByRule,
    FinitePolicy,
    FreeRule,
    SurrogateModel,
    UniformOnBox,
)
from companion.papers.tsrsr.method.published import PublishedEI, PublishedTSRSR
from companion.papers.tsrsr.method.rules import (
    BUCB,
    DPPTS,
    TSRSR,
    UCBPE,
    BatchTS,
    BelieverEI,
    PublishedWidth,
    RandomSearch,
    Rule,
    StochasticPolicy,
    Width,
    draws_width,
)
from companion.papers.tsrsr.problems.catalogue import (
    DESIGN_POINTS,
    SETTINGS,
    ChapterProblem,
    chapter_problem,
    default_noise,
)
from companion.problems import BoxProblem, FiniteProblem
from companion.problems.datasets import DataUsed, regression_data_used
from companion.simulate import Experiment, Method, PlainSetup, run_box_policy

METHODS = (
    Method("ts-rsr", "TS-RSR, Algorithm 1 with the resampling of App. C"),
    Method("bucb", "batch UCB with hallucinated observations (Desautels et al., 2014)"),
    Method("ucbpe", "GP-UCB with pure exploration (Contal et al., 2013)"),
    Method("ts", "batch Thompson sampling (Kandasamy et al., 2018)"),
    Method("sp", "stochastic policy, Boltzmann over the posterior mean (Garcia-Barcos, Martinez-Cantin, 2019)"),
    Method("qei", "sequential expected improvement, kriging believer (Ginsbourger et al., 2010)"),
    Method("dpp-ts", "determinantal Thompson sampling by a Markov chain (Nava et al., 2022)"),
    Method("random", "uniform random search"),
)
#: Without a design there is no incumbent for expected improvement, and the stochastic policy is the experiments' own.
THEORY_METHODS = tuple(method for method in METHODS if method.name not in ("qei", "sp"))


def rule_of(method: str, p: Column | Theory) -> Rule:
    """The rule of a method, which chooses among candidates: under the parameters ``reading``, ``width``, ``shift``,
    ``multiplier``, ``resample``, ``steps`` and ``region``.
    """
    width = width_of(p)
    rules: dict[str, Rule] = {
        "ts-rsr": TSRSR(resample=p.resample),
        "bucb": BUCB(width),
        "ucbpe": UCBPE(width, region=p.region and p.reading != "code"),
        "ts": BatchTS(),
        "sp": StochasticPolicy(initial=DESIGN_POINTS),
        "qei": BelieverEI(),
        "dpp-ts": DPPTS(steps=p.steps),
        "random": RandomSearch(),
    }
    return rules[method]


def rule_on_box(method: str, p: Column) -> Rule | FreeRule:
    """The rule of a method on a box, where the published ones leave the candidates: also under ``refine`` and ``precision``."""
    if method == "ts-rsr" and (refine_of(p) > 0 or is_single(p)):
        return PublishedTSRSR(refine_of(p), resample=p.resample)
    if method == "qei" and p.reading == "code":
        return PublishedEI()
    return rule_of(method, p)


def width_of(p: Column | Theory) -> Width:
    """The width of the two UCB methods: as published, of the theory for a finite set, or constant."""
    code = p.reading == "code"
    if code and p.width == "published" and p.shift is None:
        return PublishedWidth(shift=0)
    choices: dict[str, Width] = {
        "published": PublishedWidth(shift=1 if p.shift is None else p.shift),
        "theory": partial(draws_width, delta=p.delta),
        "constant": p.multiplier,
    }
    return choices[p.width]


def refine_of(p: Column) -> int:
    """Adam steps of TS-RSR from the second point of a batch on: none in the text, ten in the code."""
    if p.refine is None:
        return 10 if p.reading == "code" else 0
    return p.refine


def is_single(p: Column) -> bool:
    """Whether the model computes in single precision, as in the code."""
    return p.reading == "code" if p.precision is None else p.precision == "single"


def model_of(made: ChapterProblem, p: Column) -> SurrogateModel:
    """The model on a box: the reading's, with what ``smoothness``, ``prior_variance``, ``lengthscale``, ``redraw`` and
    ``precision`` say instead.
    """
    code = p.reading == "code"
    asked = {"nu": p.smoothness, "variance": p.prior_variance, "lengthscale": p.lengthscale}
    changes: dict[str, Any] = {field: value for field, value in asked.items() if value is not None}
    if "nu" in changes and not isinstance(made.kernel, Matern):
        raise ParameterError(
            "smoothness", "has no effect: the kernel is squared exponential", "nothing", "Leave it out"
        )
    kernel = replace(made.kernel, **changes) if changes else made.kernel
    redraw = code if p.redraw is None else p.redraw
    return SurrogateModel(kernel, p.model_noise, redraw_noise=redraw, single=is_single(p))


def horizon_of(p: Column | Theory) -> int:
    """Number of evaluations: the design and T batches of m."""
    return DESIGN_POINTS + p.batches * p.batch_size


def noise_of(name: str, seed: int, horizon: int, noise_sd: float) -> NDArray[np.float64]:
    """Gaussian noise (horizon,); the first values do not depend on the horizon."""
    return noise_sd * stream(seed, "tsrsr", name, "noise").standard_normal(horizon)


def setup_problem(name: str, method: str, seed: int, p: Column) -> PlainSetup:
    """A column of Tables 1 to 4.

    ``seed`` numbers the run: with ``function`` left out, runs 0, 1, ... go through the paper's functions or goals in turn.
    """
    _check(p)
    chosen = SETTINGS[name]
    function = seed % chosen.functions if p.function is None else p.function
    noise_sd = default_noise(p.reading) if p.noise is None else p.noise
    made = chapter_problem(name, p.reading, function, 0, noise_sd, p.data)
    noise = noise_of(name, seed, horizon_of(p), noise_sd)
    facts = {**made.meta, "initial": DESIGN_POINTS, "noise_sd": noise_sd}
    if isinstance(made.problem, FiniteProblem):
        for field in ON_A_BOX:
            if getattr(p, field) is not None:
                raise ParameterError(field, "has no effect on a finite set", "nothing", "Leave it out")
        return PlainSetup(made.problem, _finite_policy(name, method, made, seed, p), noise, facts)
    return PlainSetup(made.problem, _box_policy(name, method, made, seed, p), noise, facts, run_box_policy)


def _finite_policy(name: str, method: str, made: ChapterProblem, seed: int, p: Column) -> FinitePolicy:
    assert made.covariance is not None
    assert made.prior is not None
    design = stream(seed, "tsrsr", name, "design").integers(made.prior.size, size=DESIGN_POINTS)
    generator = stream(seed, "tsrsr", name, "rule", method)
    return FinitePolicy(
        rule_of(method, p),
        made.covariance,
        made.prior,
        p.model_noise**2,
        p.batch_size,
        generator,
        design,
        warm_up=p.warm_up,
        capacity=horizon_of(p) + p.warm_up,
    )


def _box_policy(name: str, method: str, made: ChapterProblem, seed: int, p: Column) -> BoxPolicy:
    assert isinstance(made.problem, BoxProblem)

    def streams(use: str, number: int) -> np.random.Generator:
        own = () if use == "candidates" else (method,)
        return stream(seed, "tsrsr", name, use, *own, number)

    design = made.problem.uniform(stream(seed, "tsrsr", name, "design"), DESIGN_POINTS)
    place = (made.problem.low, made.problem.high, p.batch_size, design, streams)
    if method == "random":
        return UniformOnBox(*place)
    search = CandidateSearch(uniform=p.candidates, steps=p.ascent_steps)
    return BoxPolicyByRule(rule_on_box(method, p), model_of(made, p), *place, search)


#: Most points of the theory's setting, whose prior is drawn from its whole covariance: half a gigabyte a matrix.
MOST_POINTS = 8_000


def setup_theory(method: str, seed: int, p: Theory) -> PlainSetup:
    """The theory's setting: a draw of the prior on few points, exact posterior, exact minimisation, no design."""
    total = p.points_per_axis**p.dim
    if total > MOST_POINTS:
        raise ParameterError(
            "points_per_axis",
            f"{p.points_per_axis} in dimension {p.dim} are {total:,} points",
            f"at most {MOST_POINTS:,} in all, {int((MOST_POINTS + 0.5) ** (1 / p.dim))} per axis",
        )
    points = grid(p.points_per_axis, p.dim)
    kernel = kernel_by_name(p.kernel, p.lengthscale)
    prior = PriorDraws.on_points(kernel, points)
    values = prior.draw(stream(seed, "tsrsr", "theory", "function"), 1)[0]
    problem = FiniteProblem("theory", points, values, p.noise, "a draw of the prior on a grid of the unit cube")
    rounds = p.batches * p.batch_size + p.warm_up
    policy = FinitePolicy(
        rule_of(method, p),
        kernel(points),
        prior,
        p.noise**2,
        p.batch_size,
        stream(seed, "tsrsr", "theory", "rule", method),
        warm_up=p.warm_up,
        capacity=rounds,
    )
    noise = noise_of("theory", seed, rounds, p.noise)
    facts = {"initial": 0, "optimum": "the largest of the finitely many values"}
    return PlainSetup(problem, policy, noise, facts)


def _check(p: Column) -> None:
    """Refuse a setting without effect: it is more often a slip than a wish."""
    if p.width != "constant" and p.multiplier != Column.multiplier:
        raise ParameterError(
            "multiplier", f"has no effect with width={p.width}", "width=constant", "Set width=constant"
        )


def _boston_data(p: Column) -> DataUsed:
    return regression_data_used(p.data)


#: Version of the results in each reading; a step means that stored numbers of the reading are no longer this package's.
#: Code 2: single precision, the rate after a clamp, expected improvements below 1e-100, rounds that fail. Code 1 was in
#: double precision, which leaves TS-RSR on Bird-2D at six times the printed regret.
VERSIONS = {"text": 1, "code": 2}


def version_of(method: str, p: Column) -> int:
    """Version of a run's result: that of its reading, for every method, so that a reading's runs are of one kind."""
    return VERSIONS[p.reading]


EXPERIMENTS = (
    *(
        Experiment(
            "tsrsr",
            column.name,
            f"{column.title}: simple regret after {column.batches} batches of {column.batch_size}, as in Table {column.table}.",
            METHODS,
            for_column(column),
            partial(setup_problem, column.name),
            f"Sec. 6, Table {column.table}",
            _boston_data if column.name == "boston-4d" else None,
            version_of,
        )
        for column in SETTINGS.values()
    ),
    Experiment(
        "tsrsr",
        "theory",
        "Cumulative regret in the setting of Theorem 1, on a draw of the prior on a small grid.",
        THEORY_METHODS,
        ParameterSet.of(Theory),
        setup_theory,
        "Sec. 4 and 5; the experiment is the companion's",
    ),
)


def experiment(name: str) -> Experiment[Any]:
    """One of :data:`EXPERIMENTS`."""
    return next(entry for entry in EXPERIMENTS if entry.name == name)
