"""Rewards of paper 5 against formulas written down twice; expectations against quadrature and simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest
from oracles.quadrature import Real, integral
from tolerances import (
    EXPECTATION_ATOL,
    FOUR_ERRORS,
    OBJECTIVE_RTOL,
)

from companion.core.randomness import stream
from companion.papers.wdrbo.problems import synthetic
from companion.papers.wdrbo.problems.catalogue import READINGS, chapter_problem
from companion.papers.wdrbo.problems.context import ContextProblem
from companion.papers.wdrbo.problems.laws import ClippedNormal

SYNTHETIC = ("ackley", "hartmann", "branin", "camel", "newsvendor")
CASES = [("general", "text"), *((name, reading) for name in SYNTHETIC for reading in READINGS)]
WITH_PORTFOLIO = [*CASES, ("portfolio-normal", "text"), ("portfolio-uniform", "text")]


def made(name: str, reading: str = "text") -> ContextProblem:
    return chapter_problem(name, reading, data="stand-in")


# --- rewards and expectations in long double, written down a second time ------------------------------------------------

PI = Real("3.14159265358979323846264338327950288")


def branin(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    bent = (v - Real("5.1") / (4 * PI**2) * u**2 + 5 / PI * u - 6) ** 2
    return bent + 10 * (1 - 1 / (8 * PI)) * np.cos(u) + 10


def reward(name: str, x: Sequence[Any], c: Sequence[Any]) -> np.ndarray:
    """f(x, c) from the papers' formulas, by coordinates."""
    if name == "general":
        y = abs(2 * x[0] - 1)
        return 1 - abs(c[0] - Real("0.5")) / (y + Real("0.2")) - np.sqrt(y + Real("0.05"))
    if name == "ackley":
        z = [Real("65.536") * t - Real("32.768") for t in (*x, *c)]
        root = np.sqrt(sum(t**2 for t in z) / len(z))
        waves = sum(np.cos(2 * PI * t) for t in z) / len(z)
        return -(-20 * np.exp(-Real("0.2") * root) - np.exp(waves) + 20 + np.exp(Real(1)))
    if name == "hartmann":
        total, z = Real(0), (*x, *c)
        for a, rates, centres in zip(("1", "1.2", "3", "3.2"), HARTMANN_A, HARTMANN_P, strict=True):
            bent = sum(Real(r) * (t - Real(p) / 10000) ** 2 for r, t, p in zip(rates, z, centres, strict=True))
            total = total + Real(a) * np.exp(-bent)
        return total
    if name == "branin":
        return -np.sqrt(branin(15 * x[0] - 5, 15 * c[0]) * branin(15 * c[1] - 5, 15 * x[1]))
    if name == "camel":
        a, b = 2 * x[0] - 1, 2 * c[0] - 1
        return -(2 * a**2 - Real("1.05") * a**4 + a**6 / 6 + a * b + b**2)
    return 9 * np.minimum(c[0], x[0]) - 5 * x[0] + np.maximum(0, x[0] - c[0])


HARTMANN_A = (
    ("10", "3", "17", "3.5", "1.7", "8"),
    ("0.05", "10", "17", "0.1", "8", "14"),
    ("3", "3.5", "1.7", "10", "17", "8"),
    ("17", "8", "0.05", "10", "0.1", "14"),
)
HARTMANN_P = (
    (1312, 1696, 5569, 124, 8283, 5886),
    (2329, 4135, 8307, 3736, 1004, 9991),
    (2348, 1451, 3522, 2883, 3047, 6650),
    (4047, 8828, 8732, 5743, 1091, 381),
)


def mean_over(name: str, reading: str, h: Callable[[np.ndarray], np.ndarray], cuts: Iterable[float] = ()) -> float:
    """E h(c) for one context coordinate of the problem's law, the interval cut at the given points and at the tenths."""
    ends = [k / 10 for k in range(11)] + list(cuts)
    low, high = float(h(Real(0))), float(h(Real(1)))
    if name == "newsvendor":
        return integral(lambda t: h(t) * 40 * t * (1 + t**2) ** -21, ends) + high * 2.0**-20
    if (name, reading) == ("camel", "text"):
        return integral(h, ends)
    mean, below, above = ("0.6", 3, 2) if name == "general" else ("0.5", 2.5, 2.5)  # the ends, in standard deviations
    inside = integral(lambda t: h(t) * np.exp(-((5 * (t - Real(mean))) ** 2) / 2), ends) * 5 / math.sqrt(2 * math.pi)
    return inside + float(mpmath.ncdf(-below)) * low + float(mpmath.ncdf(-above)) * high


def expected(name: str, reading: str, x: np.ndarray) -> float:
    """E f(x, c), from rewards of more digits than what is compared."""
    at = [Real(t) for t in x]
    if name == "branin":
        first = mean_over(name, reading, lambda t: np.sqrt(branin(15 * at[0] - 5, 15 * t)))
        return -first * mean_over(name, reading, lambda t: np.sqrt(branin(15 * t - 5, 15 * at[1])))
    cuts: list[float] = []
    if name == "ackley":  # one cut a period, and cuts closing in on the middle, where the root bends
        cuts += [0.5 + s * k / 65.536 for s in (-1, 1) for k in range(1, 33)]
        cuts += [0.5 + s * 4.0**-k for s in (-1, 1) for k in range(4, 14)]
    if name == "newsvendor":
        cuts = [float(x[0])]
    return mean_over(name, reading, lambda t: reward(name, at, [t]), cuts)


def decisions(problem: ContextProblem, count: int) -> np.ndarray:
    """The optimiser, two neighbours of it (Ackley's root bends sharply there), and random decisions."""
    near = [np.clip(problem.optimiser + step, problem.low, problem.high) for step in (3e-4, 2e-5)]
    return np.concatenate([[problem.optimiser, *near], problem.uniform(stream(1, "x", problem.name), count)])


@pytest.mark.parametrize(("name", "reading"), CASES)
def test_rewards_are_the_papers_formulas(name: str, reading: str) -> None:
    problem = made(name, reading)
    x = decisions(problem, 6)
    c = stream(2, "c", name).uniform(0, 1, (len(x), problem.context_dim))
    exact = reward(name, list(x.T.astype(Real)), list(c.T.astype(Real)))
    np.testing.assert_allclose(
        problem.evaluate(x, c), exact.astype(float), rtol=OBJECTIVE_RTOL, atol=10 * EXPECTATION_ATOL
    )


@pytest.mark.parametrize(("name", "reading"), CASES)
def test_expectations_agree_with_quadrature(name: str, reading: str) -> None:
    problem = made(name, reading)
    assert problem.expected_error == EXPECTATION_ATOL
    for x in decisions(problem, 4):
        value = problem.expected(x[None, :])[0]
        assert value == pytest.approx(expected(name, reading, x), abs=problem.expected_error), x


@pytest.mark.parametrize(("name", "reading"), WITH_PORTFOLIO)
def test_expectations_agree_with_simulation(name: str, reading: str) -> None:
    problem = made(name, reading)
    count = 4000 if name.startswith("portfolio") else 40_000
    contexts = problem.sample_contexts(stream(4, "contexts", name, reading), count)
    assert contexts.shape == (count, problem.context_dim)
    if (name, reading) != ("newsvendor", "code"):
        assert ((contexts >= problem.context_low) & (contexts <= problem.context_high)).all()
    for x in decisions(problem, 2)[[0, 3, 4]]:
        draws = problem.evaluate(np.tile(x, (count, 1)), contexts)
        error = draws.std() / math.sqrt(count)
        assert abs(draws.mean() - problem.expected(x[None, :])[0]) < FOUR_ERRORS * error + EXPECTATION_ATOL


@pytest.mark.parametrize("name", ["ackley", "hartmann", "branin", "camel"])
def test_another_law_is_caught_by_quadrature_and_by_simulation(name: str) -> None:
    """Without its atoms, or 5 % wider, the law of the contexts changes every expectation visibly."""
    problem = made(name, "code")
    wider = ClippedNormal(0.5, 0.21)
    kinds = {
        "ackley": lambda: synthetic.Ackley(wider, problem.dim),
        "hartmann": lambda: synthetic.Hartmann(wider),
        "branin": lambda: synthetic.ModifiedBranin(wider, wider),
        "camel": lambda: synthetic.ThreeHumpCamel(wider),
    }
    x = problem.optimiser[None, :]
    wrong = kinds[name]().expected(x)[0]
    assert abs(wrong - expected(name, "code", x[0])) > 1e6 * EXPECTATION_ATOL
    contexts = problem.sample_contexts(stream(4, "contexts", name, "code"), 200_000)
    draws = problem.evaluate(np.tile(x, (len(contexts), 1)), contexts)
    assert abs(draws.mean() - wrong) > FOUR_ERRORS * draws.std() / math.sqrt(len(draws))
