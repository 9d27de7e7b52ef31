"""The problems of paper 5: rewards, expectations against quadrature and simulation, optima against searches."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import qmc
from tolerances import (
    CHECK_VALUE_ATOL,
    EXPECTATION_ATOL,
    FIVE_DECIMALS,
    FOUR_DECIMALS,
    FOUR_ERRORS,
    GRADIENT_RTOL,
    OBJECTIVE_RTOL,
    PRINTED_3_DIGITS,
    SEARCH_ATOL,
)

from companion.errors import CompanionError, ParameterError
from companion.papers.wdrbo import synthetic
from companion.papers.wdrbo.certificates import BRANIN_CURVATURE, WIDTH, bracket_branin, bracket_hartmann, certify
from companion.papers.wdrbo.context import ContextProblem, Settings
from companion.papers.wdrbo.differences import DIFFERENCES, differences
from companion.papers.wdrbo.general import GeneralExample
from companion.papers.wdrbo.laws import ClippedNormal
from companion.papers.wdrbo.problems import DATA_DRIVEN, NAMES, READINGS, chapter_problem, general
from companion.problems import benchmarks
from companion.randomness import stream

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


# --- rewards and expectations in 25 digits, written down a second time --------------------------------------------------


def branin(u: mpmath.mpf, v: mpmath.mpf) -> mpmath.mpf:
    pi = mpmath.pi
    return (
        (v - mpmath.mpf("5.1") / (4 * pi**2) * u**2 + 5 / pi * u - 6) ** 2
        + 10 * (1 - 1 / (8 * pi)) * mpmath.cos(u)
        + 10
    )


def reward(name: str, x: list, c: list) -> mpmath.mpf:
    """f(x, c) from the papers' formulas."""
    mp = mpmath
    if name == "general":
        y = abs(2 * x[0] - 1)
        return 1 - abs(c[0] - mp.mpf("0.5")) / (y + mp.mpf("0.2")) - mp.sqrt(y + mp.mpf("0.05"))
    if name == "ackley":
        z = [mp.mpf("65.536") * t - mp.mpf("32.768") for t in (*x, *c)]
        root = mp.sqrt(sum(t**2 for t in z) / len(z))
        waves = sum(mp.cos(2 * mp.pi * t) for t in z) / len(z)
        return -(-20 * mp.exp(-mp.mpf("0.2") * root) - mp.exp(waves) + 20 + mp.e)
    if name == "hartmann":
        total, z = mp.mpf(0), (*x, *c)
        for a, rates, centres in zip((1, 1.2, 3, 3.2), HARTMANN_A, HARTMANN_P, strict=True):
            total += a * mp.exp(
                -sum(r * (t - mp.mpf(p) / 10000) ** 2 for r, t, p in zip(rates, z, centres, strict=True))
            )
        return total
    if name == "branin":
        return -mp.sqrt(branin(15 * x[0] - 5, 15 * c[0]) * branin(15 * c[1] - 5, 15 * x[1]))
    if name == "camel":
        a, b = 2 * x[0] - 1, 2 * c[0] - 1
        return -(2 * a**2 - mp.mpf("1.05") * a**4 + a**6 / 6 + a * b + b**2)
    return 9 * min(c[0], x[0]) - 5 * x[0] + max(0, x[0] - c[0])


HARTMANN_A = (
    (10, 3, 17, 3.5, 1.7, 8),
    (0.05, 10, 17, 0.1, 8, 14),
    (3, 3.5, 1.7, 10, 17, 8),
    (17, 8, 0.05, 10, 0.1, 14),
)
HARTMANN_P = (
    (1312, 1696, 5569, 124, 8283, 5886),
    (2329, 4135, 8307, 3736, 1004, 9991),
    (2348, 1451, 3522, 2883, 3047, 6650),
    (4047, 8828, 8732, 5743, 1091, 381),
)


def mean_over(name: str, reading: str, h: Callable, cuts: list) -> mpmath.mpf:
    """E h(c) for one context coordinate of the problem's law, the interval cut at the given points."""
    mp = mpmath
    if name == "newsvendor":
        density = lambda t: 40 * t * (1 + t**2) ** -21  # noqa: E731
        return mp.quad(lambda t: h(t) * density(t), sorted({0, 0.1, 0.3, 1, *cuts})) + h(mp.mpf(1)) * mp.mpf(2) ** -20
    ends = sorted({mp.mpf(0), mp.mpf(1), *(mp.mpf(cut) for cut in cuts), *(mp.mpf(k) / 10 for k in range(1, 10))})
    if (name, reading) == ("camel", "text"):
        return mp.quad(h, ends)
    mean, sd = (mp.mpf("0.6") if name == "general" else mp.mpf("0.5")), mp.mpf("0.2")
    atoms = mp.ncdf(-mean / sd) * h(mp.mpf(0)) + mp.ncdf((mean - 1) / sd) * h(mp.mpf(1))
    return mp.quad(lambda t: h(t) * mp.npdf(t, mean, sd), ends) + atoms


def expected(name: str, reading: str, x: np.ndarray) -> float:
    """E f(x, c) in 25 digits."""
    with mpmath.workdps(25):
        at = [mpmath.mpf(float(t)) for t in x]
        if name == "branin":
            first = mean_over(name, reading, lambda t: mpmath.sqrt(branin(15 * at[0] - 5, 15 * t)), [])
            second = mean_over(name, reading, lambda t: mpmath.sqrt(branin(15 * t - 5, 15 * at[1])), [])
            return float(-first * second)
        cuts: list = [0.5]
        if name == "ackley":  # one cut a period, and cuts closing in on the middle, where the root bends
            cuts += [0.5 + s * k / 65.536 for s in (-1, 1) for k in range(1, 33)]
            cuts += [0.5 + s * 4.0**-k for s in (-1, 1) for k in range(4, 14)]
        if name == "newsvendor":
            cuts = [float(x[0])]
        return float(mean_over(name, reading, lambda t: reward(name, at, [t]), cuts))


def decisions(problem: ContextProblem, count: int) -> np.ndarray:
    """The optimiser, a neighbour of it, and random decisions."""
    near = np.clip(problem.optimiser + 3e-4, problem.low, problem.high)
    return np.concatenate([[problem.optimiser, near], problem.uniform(stream(1, "x", problem.name), count)])


@pytest.mark.parametrize(("name", "reading"), CASES)
def test_rewards_are_the_papers_formulas(name: str, reading: str) -> None:
    problem = made(name, reading)
    x = decisions(problem, 6)
    c = stream(2, "c", name).uniform(0, 1, (len(x), problem.context_dim))
    with mpmath.workdps(25):
        exact = [
            float(reward(name, list(map(mpmath.mpf, a)), list(map(mpmath.mpf, b)))) for a, b in zip(x, c, strict=True)
        ]
    np.testing.assert_allclose(problem.evaluate(x, c), exact, rtol=OBJECTIVE_RTOL, atol=10 * EXPECTATION_ATOL)


@pytest.mark.parametrize(("name", "reading"), CASES)
def test_expectations_agree_with_quadrature(name: str, reading: str) -> None:
    problem = made(name, reading)
    assert problem.expected_error == EXPECTATION_ATOL
    for x in decisions(problem, 2 if name == "ackley" else 4):
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
    for x in decisions(problem, 3):
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
    for start in starts[np.argsort(-values)[:12]]:
        found = minimize(
            lambda x: -problem.expected(np.clip(x, 0, 1)[None, :])[0],
            start,
            method="Nelder-Mead",
            bounds=[(0, 1)] * problem.dim,
            options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000},
        )
        best = max(best, -found.fun)
    assert best <= problem.optimum + problem.optimum_error
    if (name, reading) != ("ackley", "code"):  # 65 x 65 peaks
        assert best >= problem.optimum - SEARCH_ATOL


@pytest.mark.parametrize("name", ["general", "branin", "hartmann", "portfolio-normal", "portfolio-uniform"])
def test_a_wrong_optimiser_is_noticed(name: str) -> None:
    problem = made(name)
    shifted = np.clip(problem.optimiser + np.where(problem.optimiser > 0.5, -0.01, 0.01), 0, 1)
    wrong = dataclasses.replace(problem, optimiser=shifted, optimum=float(problem.expected(shifted[None, :])[0]))
    with pytest.raises(CompanionError, match=f"{name}: .* is attained"):
        certify(wrong)


def test_the_brackets_find_the_maximum_by_themselves() -> None:
    hartmann, branin_problem = made("hartmann"), made("branin")
    found = bracket_hartmann(hartmann.objective, 0.0)
    assert found.lower - WIDTH <= hartmann.optimum <= found.upper
    found = bracket_branin(branin_problem.objective, np.array([0.9, 0.9]))
    assert found.lower - WIDTH <= branin_problem.optimum <= found.upper


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
    assert 0.05 * BRANIN_CURVATURE[index] < bend <= BRANIN_CURVATURE[index]


def test_curvature_of_branins_integrand() -> None:
    """The bound holds for every context, at a point law."""
    u, v = np.meshgrid(np.linspace(-5, 10, 601), np.linspace(0, 15, 601))
    q, r, _, _ = synthetic.branin_parts(u)
    root = np.sqrt((v - q) ** 2 + r)
    for axis, index in ((1, 0), (0, 1)):
        bend = np.abs(np.diff(root, 2, axis=axis)).max() / 0.025**2 * 225
        assert 0.3 * BRANIN_CURVATURE[index] < bend <= BRANIN_CURVATURE[index]


def test_slopes_and_curvature_of_figure_1() -> None:
    example = made("general").objective

    def flat(r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = example.by_modulus(r[:, None])
        return value, slope[:, 0]

    error, bend = slopes(flat, np.linspace(0.001, 0.999, 997))
    assert error.max() < GRADIENT_RTOL
    assert 0.3 * example.curvature < bend <= example.curvature


# --- Figure 1, readings, settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spread", "clipped", "told", "true", "loss"),
    [
        ("sd", False, (0.0, 0.3775), (0.239, 0.0544), 0.1736),
        ("sd", True, (0.0, None), (0.235, 0.0585), 0.1688),
        ("variance", False, (0.373, None), (0.554, None), 0.0265),
    ],
)
def test_figure_1_in_its_readings(spread: str, clipped: bool, told: tuple, true: tuple, loss: float) -> None:
    problem = general(spread, clipped)
    centre = problem.reference.marginals[0]
    believed = GeneralExample(centre.distance(0.5))
    for modulus, value, (known_modulus, known_value) in (
        (believed.optimiser, believed.expected(np.array([[(1 + believed.optimiser) / 2]]))[0], told),
        (2 * problem.optimiser[0] - 1, problem.optimum, true),
    ):
        assert modulus == pytest.approx(known_modulus, abs=PRINTED_3_DIGITS)
        if known_value is not None:
            assert value == pytest.approx(known_value, abs=FOUR_DECIMALS)
    regret = problem.regret(np.array([[(1 + believed.optimiser) / 2], [1 - problem.optimiser[0]]]))
    assert regret[0] == pytest.approx(loss, abs=FOUR_DECIMALS)
    assert regret[1] == pytest.approx(0.0, abs=EXPECTATION_ATOL)
    assert certify(problem).upper <= problem.optimum + 1.01 * WIDTH
    assert (problem.context_low[0], problem.context_high[0]) == (
        (0.0, 1.0) if clipped else pytest.approx((0.6 - 8 * centre_sd(spread), 0.6 + 8 * centre_sd(spread)))
    )


def centre_sd(spread: str) -> float:
    return 0.2 if spread == "sd" else math.sqrt(0.2)


@pytest.mark.parametrize("distance", [0.001, 0.02, 0.05, 0.0777, 0.12, 0.3, 0.6, 1.5])
def test_figure_1s_optimiser_for_any_law(distance: float) -> None:
    example = GeneralExample(distance)
    r = np.linspace(0, 1, 100_001)
    values = example.by_modulus(r[:, None])[0]
    assert example.optimiser == pytest.approx(r[values.argmax()], abs=1.01e-5)


def test_the_general_settings_centre_is_not_the_true_law() -> None:
    problem = made("general")
    assert (problem.law.marginals[0].mean, problem.law.marginals[0].sd) == (0.6, 0.2)
    assert (problem.reference.marginals[0].mean, problem.reference.marginals[0].sd) == (0.5, 0.1)
    assert [problem.settings.radius(n) for n in (1, 100)] == [0.1, 0.1]
    assert all(made(name).reference is None for name in DATA_DRIVEN)


def test_the_readings_differ_as_listed() -> None:
    shapes = {name: (made(name).dim, made(name).context_dim) for name in NAMES}
    assert shapes == {
        "general": (1, 1), "ackley": (1, 1), "hartmann": (5, 1), "branin": (2, 2), "camel": (1, 1), "newsvendor": (1, 1),
        "portfolio-normal": (3, 2), "portfolio-uniform": (3, 2),
    }  # fmt: skip
    assert made("ackley", "code").dim == 2
    draws = {reading: made("camel", reading).sample_contexts(stream(0, "c"), 10_000) for reading in READINGS}
    assert draws["text"].std() == pytest.approx(1 / math.sqrt(12), rel=0.03)
    assert draws["code"].std() == pytest.approx(0.198, rel=0.03)
    assert made("newsvendor").law.marginals[0].high == 1.0
    assert made("newsvendor", "code").law.marginals[0].high == math.inf


def test_published_constants_are_recorded_and_not_used() -> None:
    bias = {name: made(name).published_optimum - made(name).optimum for name in SYNTHETIC}
    assert bias["ackley"] == pytest.approx(1.074, abs=PRINTED_3_DIGITS)
    assert made("ackley", "code").published_optimum - made("ackley", "code").optimum == pytest.approx(-0.249, abs=6e-4)
    assert all(0 < abs(bias[name]) < 7e-4 for name in ("hartmann", "branin", "newsvendor"))
    assert made("camel", "code").published_optimum == pytest.approx(
        made("camel", "code").optimum, abs=FIVE_DECIMALS * 2
    )
    assert made("general").published_optimum is None
    assert made("portfolio-normal").published_optimum is None


def test_the_differences_name_known_problems_and_true_gaps() -> None:
    assert {row.problem for row in DIFFERENCES} <= {"all", *NAMES}
    assert len({(row.problem, row.item) for row in DIFFERENCES}) == len(DIFFERENCES)
    assert all(row.text and row.code and row.text != row.code for row in DIFFERENCES)
    assert {row.problem for row in differences("camel")} == {"all", "camel"}
    assert {row.problem for row in differences("general")} == {"general"}
    for row in DIFFERENCES:
        if row.item == "optimum" and row.problem in SYNTHETIC:
            ours, theirs = re.findall(r"-?\d+\.\d+", row.text), re.findall(r"-?\d+\.\d+", row.code)
            for reading, number in zip(READINGS, ours, strict=False):
                digits = len(number.split(".")[1])
                assert round(made(row.problem, reading).optimum, digits) == float(number)
            assert float(theirs[0]) == made(row.problem).published_optimum


def test_the_settings_are_the_papers_and_the_codes() -> None:
    settings = Settings()
    assert (settings.width, settings.iterations, settings.runs, settings.design) == (1.5, 100, 15, 5)
    assert settings.radius(1) == 0.3
    assert settings.radius(100) == pytest.approx(0.03)
    for dim, mode in ((1, 0.205), (2, 0.290), (3, 0.355), (4, 0.410), (5, 0.458), (6, 0.502)):
        assert settings.prior_mode(dim) == pytest.approx(mode, abs=PRINTED_3_DIGITS)


# --- the object ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_problem_says_what_it_is(name: str) -> None:
    problem = chapter_problem(name, noise_sd=0.3, data="stand-in")
    assert problem.noise_sd == 0.3
    assert made(name).noise_sd == 0.0
    assert problem.name == name
    assert problem.source.startswith("Micheli et al. (2025)")
    assert problem.certified
    assert problem.meta["reading"] == "text"
    assert (problem.low == 0).all()
    assert (problem.high == 1).all()
    with pytest.raises(ValueError, match="read-only"):
        problem.optimiser[0] = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.optimum = 1.0


def test_uniform_decisions_come_from_the_generator() -> None:
    problem = made("branin")
    np.testing.assert_array_equal(problem.uniform(stream(0, "x"), 3), stream(0, "x").uniform(0, 1, (3, 2)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"low": [1.0]}, "low, high"),
        ({"context_high": [math.inf]}, "context_low, context_high"),
        ({"context_low": [0.0, 0.0], "context_high": [1.0, 1.0]}, "law"),
        ({"optimum": math.nan}, "optimum"),
        ({"noise_sd": -0.1}, "noise_sd"),
        ({"expected_error": math.inf}, "expected_error"),
        ({"optimiser": [1.2]}, "optimiser"),
        ({"optimiser": [0.2, 0.2]}, "optimiser"),
    ],
)
def test_a_problem_that_makes_no_sense_is_refused(change: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{message}"):
        dataclasses.replace(made("camel"), **change)


def test_points_outside_and_broken_functions_are_refused() -> None:
    problem, one = made("camel"), np.array([[0.5]])
    for x in ([[1.1]], [0.5], [[0.5, 0.5]], [[math.nan]]):
        with pytest.raises(ParameterError, match="^x"):
            problem.evaluate(x, one)
        with pytest.raises(ParameterError, match="^x"):
            problem.expected(x)
    for c in ([0.5], [[0.5], [0.5]], [[math.nan]]):
        with pytest.raises(ParameterError, match="^c"):
            problem.evaluate(one, c)
    with pytest.raises(CompanionError, match="camel: the objective returned"):
        dataclasses.replace(problem, objective=lambda x, c: x).evaluate(one, one)
    with pytest.raises(CompanionError, match="camel: the expectation returned"):
        dataclasses.replace(problem, expectation=lambda x: x[:, 0] * math.nan).expected(one)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("camels",), "problem: 'camels' is not known.*Did you mean 'camel'"),
        (("camel", "txt"), "reading.*"),
        (("general", "code"), "reading: .* no code of Figure 1"),
        (("camel", "text", -1.0), "noise_sd"),
        (("portfolio-normal", "text", 0.0, "standin"), "data: .*Did you mean 'stand-in'"),
    ],
)
def test_bad_input_is_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{message}"):
        chapter_problem(*arguments)


def test_a_spread_that_is_neither_is_refused() -> None:
    with pytest.raises(ParameterError, match="^spread"):
        general("width")


def test_check_value_of_the_newsvendor() -> None:
    """One order by hand: x = 0.3, c = 0.1 sells 0.1 at 9, pays 1.5, and salvages 0.2."""
    value = made("newsvendor").evaluate(np.array([[0.3], [0.3]]), np.array([[0.1], [0.5]]))
    assert value == pytest.approx([0.9 - 1.5 + 0.2, 2.7 - 1.5], abs=CHECK_VALUE_ATOL)
