"""Every experiment and method of chapter 1 runs, is repeatable, and shares what compared methods have to share."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from companion import registry
from companion.core.errors import DataError, ParameterError
from companion.papers.tsrsr.experiments.definitions import METHODS, width_of
from companion.papers.tsrsr.method import rules
from companion.papers.tsrsr.problems import network
from companion.papers.tsrsr.problems.catalogue import SETTINGS

SMALL = {"batch_size": 3, "batches": 2}
NAMES = [*SETTINGS, "theory"]


def small(name, method, seed=0, **values):
    experiment = registry.experiment("tsrsr", name)
    quick = (
        {}
        if name in ("theory", "gp-2d", "gp-3d") and values.get("reading") != "code"
        else {"candidates": 40, "ascent_steps": 5}
    )
    try:
        return experiment.run(method, seed, SMALL | quick | values)
    except DataError as missing:
        pytest.skip(str(missing))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_method_runs_on_every_problem(name, monkeypatch):
    # Networks trained for a twentieth of their epochs: how well they learn is not asked here.
    monkeypatch.setitem(network.PROTOCOLS, "text", replace(network.TEXT, epochs=2))
    experiment = registry.experiment("tsrsr", name)
    initial = 0 if name == "theory" else 15
    for method in experiment.method_names:
        run = small(name, method)
        assert len(run) == initial + 6
        assert run.batch.tolist() == [1] * initial + [b + bool(initial) for b in (1, 1, 1, 2, 2, 2)]
        assert (run.instantaneous_regret >= -1e-8).all()
        json.dumps(run.to_json(), allow_nan=False)


@pytest.mark.parametrize("name", ["ackley-2d", "hartmann-6d", "gp-2d", "gp-3d"])
@pytest.mark.parametrize("method", ["ts-rsr", "qei", "bucb"])
def test_the_code_reading_runs_without_observation_noise(name, method):
    run = small(name, method, reading="code")
    assert run.meta["reading"] == "code"
    np.testing.assert_allclose(
        run.instantaneous_regret + run.observation, (run.instantaneous_regret + run.observation)[0]
    )


@pytest.mark.parametrize("name", ["ackley-2d", "gp-3d", "michalewicz-10d", "robot-3d"])
def test_methods_at_one_seed_share_design_and_noise(name):
    runs = [small(name, method.name, seed=4) for method in METHODS]
    others = small(name, "ts-rsr", seed=5)
    first = runs[0]
    optimum = first.observation + first.instantaneous_regret  # the optimum plus the noise
    for run in runs[1:]:
        where, same = ("points", first.points) if first.points is not None else ("query", first.query)
        np.testing.assert_array_equal(getattr(run, where)[:15], same[:15])
        np.testing.assert_allclose(run.observation + run.instantaneous_regret, optimum, atol=1e-9)
    assert not np.allclose(others.observation[:15], first.observation[:15])


def test_methods_choose_from_the_same_uniform_candidates():
    """Random search takes the first candidates of a round; with as many points as candidates it shows the whole list."""
    chosen = {"batches": 1, "batch_size": 10, "candidates": 10, "ascent_steps": 0}
    runs = {m.name: small("ackley-2d", m.name, **chosen).points[15:] for m in METHODS}
    candidates = {tuple(point) for point in runs.pop("random")}
    assert len(candidates) == 10
    for points in runs.values():
        assert {tuple(point) for point in points} <= candidates


def test_runs_are_repeatable_and_differ_between_seeds():
    first, again, other = (small("ackley-2d", "ts-rsr", seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.points, again.points)
    assert not np.array_equal(first.points, other.points)


def test_functions_go_in_turn_unless_one_is_named():
    assert small("gp-2d", "random", seed=13).meta["function"] == 3
    assert small("gp-2d", "random", seed=13, function=7).meta["function"] == 7


@pytest.mark.parametrize("method", ["bucb", "ucbpe"])
def test_the_codes_first_batch_of_the_ucb_methods_knows_no_width(method):
    """There the width of the first batch is minus infinity, so that the first candidate wins; the text's is finite."""
    first = {r: small("ackley-2d", method, seed=2, reading=r, batches=1).points[15] for r in ("text", "code")}
    random = small("ackley-2d", "random", seed=2, batches=1).points[15]  # the first of the round's candidates
    np.testing.assert_array_equal(first["code"], random)
    assert not np.array_equal(first["text"], random)


@pytest.mark.parametrize(
    ("chosen", "formula"),
    [
        ({"reading": "code"}, lambda t, n: 0.2 * math.log(n * t**2 * math.pi**2 / 0.06) if t else -math.inf),
        ({}, lambda t, n: 0.2 * math.log(n * (t + 1) ** 2 * math.pi**2 / 0.06)),
        ({"width": "theory", "delta": 0.2}, lambda t, n: math.sqrt(2 * math.log(n * (t + 1) ** 2 * math.pi**2 / 1.2))),
        ({"width": "constant", "multiplier": 3.5}, lambda t, n: 3.5),
    ],
)
def test_widths_are_those_of_the_reading_and_of_the_choice(chosen, formula):
    width = width_of(registry.experiment("tsrsr", "bird-2d").parameters.typed(chosen))
    for t, n in ((0, 1000), (1, 1000), (7, 30)):
        assert rules.width_of(width, t, n) == pytest.approx(formula(t, n), rel=1e-13)


def test_a_multiplier_without_effect_is_refused():
    with pytest.raises(ParameterError, match="multiplier"):
        small("ackley-2d", "bucb", multiplier=4.0)


def test_warm_up_points_come_first_and_are_the_most_uncertain():
    run = small("theory", "ts-rsr", warm_up=5)
    assert run.batch.tolist() == [1] * 5 + [2] * 3 + [3] * 3
    assert len(set(run.query[:5].tolist())) == 5


@pytest.mark.parametrize(("dim", "points_per_axis"), [(2, 90), (1, 8001), (3, 21)])
def test_more_than_eight_thousand_points_are_refused_before_any_work(dim, points_per_axis):
    with pytest.raises(ParameterError, match="points_per_axis"):
        registry.experiment("tsrsr", "theory").ready("ts-rsr", 0, {"dim": dim, "points_per_axis": points_per_axis})
