"""The problems of paper 5: readings, settings, Figure 1, and what is refused."""

from __future__ import annotations

import dataclasses
import math
import re

import numpy as np
import pytest
from tolerances import (
    CHECK_VALUE_ATOL,
    EXPECTATION_ATOL,
    FIVE_DECIMALS,
    FOUR_DECIMALS,
    PRINTED_3_DIGITS,
)

from companion.core.errors import CompanionError, ParameterError
from companion.core.randomness import stream
from companion.judge.reported import load_differences
from companion.papers.wdrbo.problems.catalogue import DATA_DRIVEN, NAMES, READINGS, chapter_problem, general
from companion.papers.wdrbo.problems.certificates import WIDTH, certify
from companion.papers.wdrbo.problems.context import ContextProblem, Settings
from companion.papers.wdrbo.problems.general import GeneralExample

SYNTHETIC = ("ackley", "hartmann", "branin", "camel", "newsvendor")
CASES = [("general", "text"), *((name, reading) for name in SYNTHETIC for reading in READINGS)]
WITH_PORTFOLIO = [*CASES, ("portfolio-normal", "text"), ("portfolio-uniform", "text")]


def made(name: str, reading: str = "text") -> ContextProblem:
    return chapter_problem(name, reading, data="stand-in")


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
    rows = load_differences("wdrbo", ("text", "code"))
    assert set(rows.problem) <= {"all", *NAMES}
    assert ((rows.text != "") & (rows.code != "") & (rows.text != rows.code)).all()
    for row in rows.itertuples():
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
        with pytest.raises(ParameterError, match=r"^x: "):
            problem.evaluate(x, one)
        with pytest.raises(ParameterError, match=r"^x: "):
            problem.expected(x)
    for c in ([0.5], [[0.5], [0.5]], [[math.nan]]):
        with pytest.raises(ParameterError, match=r"^c: "):
            problem.evaluate(one, c)
    with pytest.raises(CompanionError, match=r"^camel:"):
        dataclasses.replace(problem, objective=lambda x, c: x).evaluate(one, one)
    with pytest.raises(CompanionError, match=r"^camel:"):
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
    with pytest.raises(ParameterError, match=r"^spread: "):
        general("width")


def test_check_value_of_the_newsvendor() -> None:
    """One order by hand: x = 0.3, c = 0.1 sells 0.1 at 9, pays 1.5, and salvages 0.2."""
    value = made("newsvendor").evaluate(np.array([[0.3], [0.3]]), np.array([[0.1], [0.5]]))
    assert value == pytest.approx([0.9 - 1.5 + 0.2, 2.7 - 1.5], abs=CHECK_VALUE_ATOL)
