"""Optima of paper 5's problems against other people's values, searches and brackets, and brackets against defects."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import qmc
from tolerances import (
    EXPECTATION_ATOL,
    FIVE_DECIMALS,
    FOUR_DECIMALS,
    GRADIENT_RTOL,
    SEARCH_ATOL,
)

from companion.core.errors import CompanionError
from companion.core.randomness import stream
from companion.papers.wdrbo.problems import certificates, synthetic
from companion.papers.wdrbo.problems.catalogue import READINGS, chapter_problem
from companion.papers.wdrbo.problems.certificates import (
    BRANIN_CURVATURE,
    WIDTH,
    bracket_branin,
    bracket_hartmann,
    certify,
)
from companion.papers.wdrbo.problems.context import ContextProblem
from companion.papers.wdrbo.problems.laws import ClippedNormal
from companion.problems import benchmarks

SYNTHETIC = ("ackley", "hartmann", "branin", "camel", "newsvendor")
CASES = [("general", "text"), *((name, reading) for name in SYNTHETIC for reading in READINGS)]
WITH_PORTFOLIO = [*CASES, ("portfolio-normal", "text"), ("portfolio-uniform", "text")]

#: Optimum and optimiser, computed by others with quasi-Monte Carlo and quadrature, by problem and reading.
KNOWN = {
    ("ackley", "text"): (-13.85393, (0.5,)),
    ("ackley", "code"): (-12.53144, (0.5, 0.5)),
    ("hartmann", "text"): (2.316917, (0.1983, 0.1517, 0.4850, 0.2733, 0.3129)),
    ("branin", "text"): (-16.06426, (0.18524, 0.20119)),
    ("camel", "text"): (-1 / 3, (0.5,)),
    ("camel", "code"): (-0.156410, (0.5,)),
    ("newsvendor", "text"): (0.463943, (0.187790,)),
}


def made(name: str, reading: str = "text") -> ContextProblem:
    return chapter_problem(name, reading, data="stand-in")


# --- optima -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "reading"), list(KNOWN))
def test_optima_are_those_that_others_computed(name: str, reading: str) -> None:
    problem, (optimum, optimiser) = made(name, reading), KNOWN[name, reading]
    assert problem.optimum == pytest.approx(optimum, abs=FIVE_DECIMALS)
    assert problem.optimiser == pytest.approx(optimiser, abs=FOUR_DECIMALS)


@pytest.mark.parametrize(("name", "reading"), WITH_PORTFOLIO)
def test_no_decision_is_better_than_the_optimiser(name: str, reading: str) -> None:
    problem = made(name, reading)
    assert problem.expected(problem.optimiser[None, :])[0] == problem.optimum
    assert problem.regret(problem.optimiser[None, :])[0] == 0.0
    assert problem.expected(problem.uniform(stream(0, "x"), 2000)).max() <= problem.optimum + problem.optimum_error
    bracket = certify(problem)
    assert bracket.upper - problem.optimum <= problem.optimum_error * (1 + 1e-6)
    assert bracket.lower >= problem.optimum - problem.optimum_error
    assert bracket.argument
    assert (bracket.cells == 0) is problem.certified.startswith("proof")


@pytest.mark.parametrize(("name", "reading"), WITH_PORTFOLIO)
def test_searches_end_at_the_optimum(name: str, reading: str) -> None:
    problem = made(name, reading)
    if problem.dim == 1:
        starts = np.linspace(0, 1, 2**14 + 1)[:, None]
    else:
        starts = qmc.Sobol(problem.dim, rng=stream(0, "sobol", name)).random(2**11)
    values = problem.expected(starts)
    best = -math.inf
    for start in starts[np.argsort(-values)[:5]]:
        found = minimize(
            lambda x: -problem.expected(np.clip(x, 0, 1)[None, :])[0],
            start,
            method="Nelder-Mead",
            bounds=[(0, 1)] * problem.dim,
            options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000},
        )
        best = max(best, -found.fun)
    assert best <= problem.optimum + problem.optimum_error + EXPECTATION_ATOL
    if (name, reading) != ("ackley", "code"):  # 65 x 65 peaks
        assert best >= problem.optimum - SEARCH_ATOL


@pytest.mark.parametrize("name", ["general", "branin", "hartmann", "portfolio-normal", "portfolio-uniform"])
def test_a_wrong_optimiser_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "PORTFOLIO_WIDTH", 0.1)
    problem = made(name)
    shifted = np.clip(problem.optimiser + np.where(problem.optimiser > 0.5, -0.01, 0.01), 0, 1)
    wrong = dataclasses.replace(problem, optimiser=shifted, optimum=float(problem.expected(shifted[None, :])[0]))
    with pytest.raises(CompanionError):
        certify(wrong)


def test_the_brackets_find_the_maximum_by_themselves() -> None:
    hartmann, branin_problem = made("hartmann"), made("branin")
    found = bracket_hartmann(hartmann.objective, 0.0)
    assert found.lower - WIDTH <= hartmann.optimum <= found.upper
    found = bracket_branin(branin_problem.objective, np.array([0.9, 0.9]))
    assert found.lower - WIDTH <= branin_problem.optimum <= found.upper


def test_branins_upper_end_takes_the_least_of_both_factors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "WIDTH", 1.0)
    problem = made("branin")
    first, second = (problem.objective.factor(i, problem.optimiser[i : i + 1])[0][0] for i in (0, 1))
    bracket = bracket_branin(problem.objective, problem.optimiser)
    assert bracket.upper == pytest.approx(-(first - 0.01) * (second - 0.01), abs=EXPECTATION_ATOL)


def test_hartmanns_bracket_repeats_the_one_without_context() -> None:
    """With the context fixed at the six-dimensional optimiser's, the sum of bumps has the same maximum."""
    sixth = benchmarks.HARTMANN_OPTIMISER[5]

    class Fixed(synthetic.Hartmann):
        @property
        def weights(self) -> np.ndarray:
            gap = sixth - benchmarks.HARTMANN_CENTRES[:, 5]
            return benchmarks.HARTMANN_WEIGHTS * np.exp(-benchmarks.HARTMANN_RATES[:, 5] * gap**2)

    found = bracket_hartmann(Fixed(ClippedNormal(0.5, 0.2)), 0.0)
    assert found.lower - WIDTH <= benchmarks.hartmann().optimum <= found.upper


def slopes(value_and_slope: Callable, x: np.ndarray) -> tuple[np.ndarray, float]:
    """Error of the derivative at x against central differences, and the largest second difference quotient."""
    step = 1e-6
    up, down = value_and_slope(x + step), value_and_slope(x - step)
    error = np.abs((up[0] - down[0]) / (2 * step) - value_and_slope(x)[1])
    return error, float(np.abs(up[1] - down[1]).max() / (2 * step))


@pytest.mark.parametrize("index", [0, 1])
def test_slopes_and_curvature_of_branins_factors(index: int) -> None:
    reward_ = made("branin").objective
    error, bend = slopes(lambda x: reward_.factor(index, x), np.linspace(0.001, 0.999, 997))
    assert error.max() < 100 * GRADIENT_RTOL
    assert 0.03 * BRANIN_CURVATURE[index] < bend <= BRANIN_CURVATURE[index]


def test_curvature_of_branins_integrand() -> None:
    """The bound holds for every context, at a point law."""
    u, v = np.meshgrid(np.linspace(-5, 10, 601), np.linspace(0, 15, 601))
    q, r, _, _ = synthetic.branin_parts(u)
    root = np.sqrt((v - q) ** 2 + r)
    for axis, index in ((1, 0), (0, 1)):
        bend = np.abs(np.diff(root, 2, axis=axis)).max() / 0.025**2 * 225
        assert 0.25 * BRANIN_CURVATURE[index] < bend <= BRANIN_CURVATURE[index]


def test_slopes_and_curvature_of_figure_1() -> None:
    example = made("general").objective

    def flat(r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = example.by_modulus(r[:, None])
        return value, slope[:, 0]

    error, bend = slopes(flat, np.linspace(0.001, 0.999, 997))
    assert error.max() < GRADIENT_RTOL
    assert 0.3 * example.curvature < bend <= example.curvature
