"""Widths of the rules in "which method?", by numbers worked out here, and streams that serve one purpose each."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from streams import watched
from tolerances import FORMULA_RTOL

from companion import papers
from companion.core.errors import ParameterError
from companion.papers.across.experiments import rules
from companion.papers.across.experiments.definitions import experiment
from companion.papers.across.experiments.parameters import Methods
from companion.papers.across.experiments.problems import NOISE_SD, SIZE

P = Methods(width="own", horizon=100)
SMALL = {"horizon": 12, "decisions": 6, "contexts": 5, "agents": 3}


def count(delta: float, t: int) -> float:
    """log(N t^2 pi^2 / (6 delta)) in round t, from 1, of 400 candidates."""
    return math.log(400 / delta) + 2 * math.log(t) + math.log(math.pi**2 / 6)


@pytest.mark.parametrize("t", [1, 7])
@pytest.mark.parametrize("method", ["ucb", "ucb-pe"])
def test_one_point_a_time_has_the_width_of_a_theorem_and_batches_that_of_the_published_code(
    method: str, t: int
) -> None:
    """Srinivas et al. (2010), Theorem 1, at delta = 0.1: a root. The code: a fifth of the logarithm, at 0.01."""
    assert SIZE == 400
    alone, batch = (rules.width_of(method, replace(P, batch_size=size)) for size in (1, 5))
    assert alone(t - 1, 400) == pytest.approx(math.sqrt(2 * count(0.1, t)), rel=FORMULA_RTOL)
    assert batch(t - 1, 400) == pytest.approx(0.2 * count(0.01, t), rel=FORMULA_RTOL)


@pytest.mark.parametrize(("method", "own"), [("mf-gp-ucb", 3.0), ("wdrbo", 1.5)])
def test_constant_widths_are_those_of_their_experiments(method: str, own: float) -> None:
    assert [rules.width_of(method, P)(t, 400) for t in (0, 50)] == [own, own]
    assert rules.width_of("ucb", replace(P, width="common"))(3, 400) == 2.0
    assert rules.width_of("ucb", replace(P, width="common", multiplier=0.5, batch_size=5))(3, 400) == 0.5


def test_a_budget_is_that_of_the_horizon_unless_it_is_given() -> None:
    """Theorem 3.1 at exponent one half is half the log of 1 + 1 / sqrt(T): kept is a variance of sigma^2 / 10 and more."""
    of_horizon, given, none = (rules.admission_of(replace(P, budget=budget)) for budget in (None, 0.2, 0.0))
    assert of_horizon.threshold == pytest.approx(NOISE_SD**2 / 10, rel=1e-9)
    assert given.threshold == pytest.approx(NOISE_SD**2 * math.expm1(0.4), rel=1e-9)
    assert none.threshold <= 0.0


def test_a_horizon_has_to_leave_a_point_after_the_first_ones() -> None:
    for horizon in (4, 5):
        with pytest.raises(ParameterError, match="horizon"):
            experiment("methods").ready("ucb", 41, {"horizon": horizon, "initial": 5})
    assert len(experiment("methods").run("ucb", 41, {"horizon": 6, "initial": 5})) == 6


@pytest.mark.parametrize("name", [name for _, name in papers.experiments("across")])
def test_streams_of_a_run_have_its_seed_and_none_serves_twice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, opened = experiment(name), watched(monkeypatch)
    for method in asked.method_names:
        opened.clear()
        values = {key: value for key, value in SMALL.items() if key in asked.parameters.names}
        own = {"width": "own"} if name == "methods" and method in ("mf-gp-ucb", "wdrbo") else {}
        asked.run(method, 41, values | own)
        assert opened.seeds("problems") == {41}, method
        assert opened.twice(41) == [], method


def test_function_noise_design_and_rule_are_four_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = watched(monkeypatch)
    experiment("methods").run("ts", 41, {"problem": "draw-se", "horizon": 12})
    assert {names[-1] for _, seed, names in opened if seed == 41} >= {"design", "noise", "rule"}
    assert len({names for _, _, names in opened}) == len(opened) >= 4
