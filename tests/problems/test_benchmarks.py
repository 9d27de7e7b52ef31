"""The test functions: values, proofs of their optima, and that a changed constant does not go unnoticed."""

from __future__ import annotations

import dataclasses
import math

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize
from tolerances import CERTIFIED_WIDTH, CHECK_VALUE_ATOL, GRADIENT_RTOL, OBJECTIVE_RTOL

from companion.core.errors import CompanionError, ParameterError
from companion.core.randomness import stream
from companion.problems import BENCHMARKS, BoxProblem, branch_and_bound, certify
from companion.problems import benchmarks as module

#: g at low + 0.3 (high - low) in every coordinate, from the authors' code; the standard Griewank from 30 digits.
CHECK_VALUES = {
    "ackley-2d": 6.593599079,
    "ackley-3d": 6.593599079,
    "rosenbrock-2d": 22.6,
    "bird-2d": -25.570417885,
    "hartmann-6d": -1.018818056,
    "griewank-8d": 0.294495293,
    "griewank-8d-index": 0.179263449,
    "michalewicz-10d": -1.583849050,
}
#: Largest values found in tables of test functions, to the digits printed there.
KNOWN_MAXIMA = {"bird-2d": 106.764537, "hartmann-6d": 3.32237, "michalewicz-10d": 9.66015}


def exact(name: str, point: np.ndarray) -> mpmath.mpf:
    """f in 30 digits, written down a second time."""
    m, x = mpmath, [mpmath.mpf(float(v)) for v in point]
    n = len(x)
    if name.startswith("ackley"):
        mean = sum(v * v for v in x) / n
        return 20 * m.exp(-m.sqrt(mean) / 5) + m.exp(sum(m.cos(2 * m.pi * v) for v in x) / n) - 20 - m.e
    if name.startswith("rosenbrock"):
        return -((1 - x[0]) ** 2) - 100 * (x[1] - x[0] ** 2) ** 2
    if name.startswith("bird"):
        first = m.sin(x[0]) * m.exp((1 - m.cos(x[1])) ** 2)
        return -(first + m.cos(x[1]) * m.exp((1 - m.sin(x[0])) ** 2) + (x[0] - x[1]) ** 2)
    if name.startswith("griewank"):
        power = mpmath.mpf(1) if name.endswith("index") else mpmath.mpf(1) / 2
        product = m.fprod(m.cos(v / mpmath.mpf(i) ** power) for i, v in enumerate(x, 1))
        return product - 1 - sum(v * v for v in x) / 4000
    if name.startswith("michalewicz"):
        return sum(m.sin(v) * m.sin(i * v * v / m.pi) ** 20 for i, v in enumerate(x, 1))
    rows = ("10 3 17 3.5 1.7 8", ".05 10 17 .1 8 14", "3 3.5 1.7 10 17 8", "17 8 .05 10 .1 14")
    centres = (
        "1312 1696 5569 124 8283 5886",
        "2329 4135 8307 3736 1004 9991",
        "2348 1451 3522 2883 3047 6650",
        "4047 8828 8732 5743 1091 381",
    )
    total = mpmath.mpf(0)
    for weight, row, centre in zip(("1", "1.2", "3", "3.2"), rows, centres, strict=True):
        pairs = zip(row.split(), centre.split(), x, strict=True)
        total += mpmath.mpf(weight) * m.exp(-sum(mpmath.mpf(a) * (v - mpmath.mpf(p) / 10000) ** 2 for a, p, v in pairs))
    return total


def faults(problem: BoxProblem, name: str, points: int = 10_000) -> list[str]:
    """What is wrong with a problem: values, optimum, or something above it."""
    found = []
    low, high = problem.low, problem.high
    third = -problem.evaluate((low + 0.3 * (high - low))[None, :])[0]
    if abs(third - CHECK_VALUES[name]) > CHECK_VALUE_ATOL:
        found.append(f"check value {third}")
    sample = problem.uniform(stream(0, "benchmark", name), points)
    for point, value in zip(sample[:3], problem.evaluate(sample[:3]), strict=True):
        with mpmath.workdps(30):
            truth = float(exact(name, point))
        if abs(value - truth) > OBJECTIVE_RTOL * (1 + abs(truth)):
            found.append(f"value {value} at {point}, not {truth}")
    if problem.evaluate(problem.optimiser[None, :])[0] != problem.optimum:
        found.append("the optimum is not the value at the optimiser")
    values = problem.evaluate(sample)
    for start in sample[np.argsort(-values)[:5]]:
        bounds = list(zip(low, high, strict=True))
        result = minimize(lambda x: -problem.evaluate(np.clip(x, low, high)[None, :])[0], start, bounds=bounds)
        values = np.append(values, -result.fun)
    if values.max() > problem.optimum + CERTIFIED_WIDTH:
        found.append(f"{values.max()} exceeds the optimum {problem.optimum}")
    return found


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_problem_is_what_its_name_says(name: str) -> None:
    assert faults(BENCHMARKS[name](), name) == []


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_optimum_is_certified(name: str) -> None:
    problem, bracket = BENCHMARKS[name](), certify(name)
    assert bracket.lower == problem.optimum
    assert 0 <= bracket.upper - bracket.lower <= CERTIFIED_WIDTH
    assert problem.certified
    if name in KNOWN_MAXIMA:
        assert round(problem.optimum, len(str(KNOWN_MAXIMA[name]).split(".")[1])) == KNOWN_MAXIMA[name]
        assert bracket.cells > 0
    else:
        assert problem.optimum == 0.0


def _scaled(name: str, row: int, factor: float):
    def change(patch: pytest.MonkeyPatch) -> None:
        array = getattr(module, name).copy()
        array[row] *= factor
        patch.setattr(module, name, array)

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("hartmann-6d", _scaled("HARTMANN_WEIGHTS", 0, 1.001)),
        ("hartmann-6d", _scaled("HARTMANN_RATES", 3, 1.001)),
        ("hartmann-6d", _scaled("HARTMANN_CENTRES", 1, 1.001)),
        ("michalewicz-10d", lambda patch: patch.setattr(module, "STEEPNESS", 18)),
        ("griewank-8d", lambda patch: patch.setitem(BENCHMARKS, "griewank-8d", BENCHMARKS["griewank-8d-index"])),
        ("griewank-8d-index", lambda patch: patch.setitem(BENCHMARKS, "griewank-8d-index", BENCHMARKS["griewank-8d"])),
        ("bird-2d", lambda patch: patch.setattr(module, "BIRD_OPTIMISER", (4.70104, 3.15294))),
        (
            "hartmann-6d",
            lambda patch: patch.setattr(module, "HARTMANN_OPTIMISER", (0.404, 0.88, 0.84, 0.57, 0.12, 0.04)),
        ),
        ("ackley-2d", lambda patch: patch.setattr(module.math, "e", 2.7182)),
    ],
)
def test_a_changed_constant_is_caught(name: str, change, monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch)
    assert faults(BENCHMARKS[name](), name, points=2000)


@pytest.mark.parametrize("shift", [-1e-6, 1e-6])
@pytest.mark.parametrize("name", ["bird-2d", "hartmann-6d"])
def test_a_wrong_optimum_is_caught(name: str, shift: float) -> None:
    problem = BENCHMARKS[name]()
    assert faults(dataclasses.replace(problem, optimum=problem.optimum + shift), name, points=2000)


@pytest.mark.parametrize(("name", "incumbent"), [("bird-2d", 100.0), ("hartmann-6d", 3.0)])
def test_the_search_finds_the_maximum_by_itself(name: str, incumbent: float) -> None:
    problem = BENCHMARKS[name]()
    search = {"bird-2d": module.bracket_bird, "hartmann-6d": module.bracket_hartmann}[name]
    bracket = search(dataclasses.replace(problem, optimum=incumbent, optimiser=None))
    assert bracket.lower <= problem.optimum + OBJECTIVE_RTOL * problem.optimum
    assert bracket.upper >= problem.optimum


@pytest.mark.parametrize("index", range(1, 11))
def test_derivatives_and_curvature_of_michalewicz(index: int) -> None:
    term, x, step = module.MichalewiczTerm(index), np.linspace(0.01, math.pi - 0.01, 20_001), 1e-6
    slope = (term(x[:, None] + step)[0] - term(x[:, None] - step)[0]) / (2 * step)
    _, gradient = term(x[:, None])
    np.testing.assert_allclose(gradient[:, 0], slope, atol=GRADIENT_RTOL * 10)
    bend = np.abs(np.diff(gradient[:, 0])) / np.diff(x)
    assert term.curvature / 10 < bend.max() <= term.curvature


def test_derivatives_and_curvature_of_the_bird_function() -> None:
    x, step = stream(0, "bird").uniform(-2 * math.pi, 2 * math.pi, size=(20_000, 2)), 1e-6
    _, gradient = module.bird_with_gradient(x)
    largest = np.zeros((2, 2))
    for axis in range(2):
        shift = step * np.eye(2)[axis]
        (above, up), (below, down) = module.bird_with_gradient(x + shift), module.bird_with_gradient(x - shift)
        np.testing.assert_allclose(gradient[:, axis], (above - below) / (2 * step), atol=100 * GRADIENT_RTOL)
        largest[axis] = np.abs((up - down) / (2 * step)).max(axis=0)
    assert (largest <= module.BIRD_CURVATURE).all()
    assert (largest >= module.BIRD_CURVATURE / 20).all()


def _spike(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    offset = (x[:, 0] - 0.7312) / 0.01
    value = np.exp(-(offset**2)) - 0.1 * x[:, 0]
    return value, (-200 * offset * np.exp(-(offset**2)) - 0.1)[:, None]


def test_branch_and_bound_finds_a_spike_unless_the_curvature_is_understated() -> None:
    true = 1 - 0.1 * 0.7312
    found = branch_and_bound(_spike, [[2e4]], [0.0], [1.0], -1.0)
    assert found.lower <= true + 1e-4
    assert found.lower <= found.upper <= found.lower + CERTIFIED_WIDTH
    assert found.upper >= true
    assert branch_and_bound(_spike, [[1.0]], [0.0], [1.0], -1.0).upper < true - 0.5


def test_branch_and_bound_gives_up_with_a_message() -> None:
    with pytest.raises(CompanionError):
        branch_and_bound(_spike, [[2e4]], [0.0], [1.0], -1.0, most_cells=100)
    with pytest.raises(ParameterError, match="curvature"):
        branch_and_bound(_spike, [2e4], [0.0], [1.0], -1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: module.griewank("rot"), "^divisor:"),
        (lambda: module.ackley(0), "dim"),
        (lambda: module.michalewicz(11), "dim"),
        (lambda: certify("hartman-6d"), "Did you mean 'hartmann-6d'"),
    ],
)
def test_bad_input_is_refused(call, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()
