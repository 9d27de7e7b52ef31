"""Every experiment and method of chapter 5 runs, is repeatable, and shares what compared methods have to share."""

import json

import numpy as np
import pytest
from tolerances import EQUAL_DECISIONS

from companion import registry
from companion.core.errors import ParameterError
from companion.papers.wdrbo.experiments import definitions
from companion.papers.wdrbo.experiments.definitions import EXPERIMENTS, METHODS, setup
from companion.papers.wdrbo.method.loop import Conditions

SMALL = {"horizon": 3, "initial": 4}
SIZES = {"samples": 16, "robust_samples": 32, "discrepancy_nodes": 16, "minmax_nodes": 25}
NAMES = [experiment.name for experiment in EXPERIMENTS]
DATA_DRIVEN = [name for name in NAMES if name not in ("general", "shift")]


def small(name, method, seed=0, **values):
    sizes = {} if name == "shift" else SIZES
    data = {"data": "stand-in"} if name.startswith("portfolio") else {}
    return registry.experiment("wdrbo", name).run(method, seed, SMALL | sizes | data | values)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_method_runs_on_every_problem(name):
    for method in registry.experiment("wdrbo", name).method_names:
        run = small(name, method)
        assert len(run) == 3
        assert (run.instantaneous_regret >= -1e-6).all()
        np.testing.assert_allclose(run.cumulative_regret, np.cumsum(run.instantaneous_regret))
        json.dumps(run.to_json(), allow_nan=False)


@pytest.mark.parametrize("name", DATA_DRIVEN)
def test_the_code_reading_runs(name):
    run = small(name, "wdrbo", reading="code", horizon=1)
    assert run.meta["reading"] == "code"
    assert run.meta["published_optimum"] is not None or name.startswith("portfolio")


@pytest.mark.slow
def test_readings_differ_in_problem_and_method():
    def of(name, **values):
        experiment = registry.experiment("wdrbo", name)
        return setup(name, "wdrbo", 0, experiment.parameters.typed(SMALL | values)).problem

    assert (of("ackley").dim, of("ackley", reading="code").dim, of("ackley-2d").dim) == (1, 2, 2)
    assert of("ackley-2d").optimum == of("ackley", reading="code").optimum
    # Uniform contexts have twice the second moment of the clipped normal ones, roughly: the optimum is -E b^2.
    assert of("camel").optimum == pytest.approx(-1 / 3)
    assert of("camel", reading="code").optimum == pytest.approx(-0.1564, abs=1e-4)
    text, code = (small("newsvendor", "stableopt", reading=reading) for reading in ("text", "code"))
    np.testing.assert_array_equal(text.diagnostics["contexts"], code.diagnostics["contexts"])
    assert not np.allclose(text.points, code.points)


@pytest.mark.parametrize("name", ["newsvendor", "branin", "ackley-2d", "portfolio-uniform", "general"])
def test_methods_at_one_seed_share_design_contexts_and_noise(name):
    experiment = registry.experiment("wdrbo", name)
    values = experiment.parameters.typed(SMALL | SIZES | {"noise": 0.5})
    ready = [setup(name, method.name, 3, values) for method in METHODS]
    for part in ("design", "contexts", "noise"):
        first, *rest = (getattr(one.shared, part) for one in ready)
        for other in rest:
            np.testing.assert_array_equal(other, first)
    assert np.abs(ready[0].shared.noise).min() > 0
    assert ready[0].shared.contexts.shape == (7, ready[0].problem.context_dim)
    another = setup(name, "erbo", 4, values).shared
    assert not np.array_equal(another.design, ready[0].shared.design)
    assert not np.array_equal(another.contexts, ready[0].shared.contexts)


def test_what_is_shared_reaches_the_runs():
    """Observed reward = f(decision, context) + noise, with the contexts and the noise of the shared conditions."""
    experiment = registry.experiment("wdrbo", "camel")
    values = experiment.parameters.typed(SMALL | SIZES | {"noise": 0.5})
    for method in ("wdrbo", "gp-ucb", "drbo-mmd"):
        ready = setup("camel", method, 3, values)
        run = ready.run()
        contexts = ready.shared.contexts[4:]
        np.testing.assert_array_equal(run.diagnostics["contexts"], contexts)
        clean = ready.problem.objective(run.points, contexts)
        np.testing.assert_allclose(run.observation - clean, ready.shared.noise[4:], atol=1e-12)
        np.testing.assert_allclose(
            run.diagnostics["design_regret"], ready.problem.regret(ready.shared.design), atol=1e-12
        )


def test_runs_are_repeatable_and_a_longer_run_begins_alike():
    first, again, longer = (small("newsvendor", "drbo-kde", 1, horizon=h) for h in (3, 3, 5))
    np.testing.assert_array_equal(first.points, again.points)
    np.testing.assert_array_equal(first.points, longer.points[:3])


def test_the_radius_follows_its_schedule():
    root = small("newsvendor", "wdrbo").meta["radius"]
    assert root == pytest.approx([0.3 / np.sqrt(4), 0.3 / np.sqrt(6)])
    assert small("newsvendor", "wdrbo", schedule="constant").meta["radius"] == [0.3, 0.3]
    assert small("general", "wdrbo").meta["radius"] == [0.1, 0.1]
    none, erbo = (
        small("newsvendor", method, **values) for method, values in (("wdrbo", {"radius": 0.0}), ("erbo", {}))
    )
    np.testing.assert_allclose(none.points, erbo.points, atol=EQUAL_DECISIONS)


def test_the_radius_is_in_units_of_the_contexts():
    """Unclipped, Figure 1's contexts have a box 3.2 wide; a ball of the same radius has to hold the same laws."""
    assert small("general", "wdrbo", clipped=False).meta["radius"] == [0.1, 0.1]
    experiment = registry.experiment("wdrbo", "general")
    policies = {}
    for clipped in (True, False):
        values = experiment.parameters.typed(SMALL | {"clipped": clipped, "radius": 0.05})
        ready = setup("general", "wdrbo-exact", 0, values)
        for x, c, y in ((0.2, 0.4, 0.0), (0.5, 0.6, 1.0), (0.9, 0.5, 0.5)):
            ready.policy.tell([x], [c], y)
        acquisition = ready.policy.method.build(ready.policy.situation())
        width = ready.problem.context_high[0] - ready.problem.context_low[0]
        atoms = acquisition.support[acquisition.ball.centre > 0] * width + ready.problem.context_low
        policies[clipped] = (atoms, acquisition.ball.radius * width)
    np.testing.assert_allclose(policies[False][1], policies[True][1])
    np.testing.assert_allclose(policies[False][0], policies[True][0], atol=EQUAL_DECISIONS)


def test_a_demand_beyond_the_box_acts_as_the_boxes_end(monkeypatch):
    """Once in a million draws of the code's demand, so that the draws are replaced here; policies refuse what is outside."""

    def far(problem, seed, horizon, initial):
        return Conditions(np.full((initial, 1), 0.3), np.linspace(-0.5, 2.0, initial + horizon)[:, None], np.zeros(7))

    monkeypatch.setattr(definitions, "conditions", far)
    values = registry.experiment("wdrbo", "newsvendor").parameters.typed(SMALL | {"reading": "code"})
    ready = setup("newsvendor", "erbo", 0, values)
    np.testing.assert_array_equal(ready.shared.contexts[:, 0], np.clip(np.linspace(-0.5, 2.0, 7), 0.0, 1.0))
    assert np.asarray(ready.run().diagnostics["contexts"]).max() == 1.0


def test_the_told_law_is_not_the_contexts_own():
    """With no shift the distance is zero; ERBO, which trusts the told law, decides by the told law alone."""
    assert small("shift", "erbo", shift=0.0).meta["distance"] == pytest.approx(0.0, abs=1e-12)
    moved = small("shift", "erbo", shift=0.2).meta
    assert moved["distance"] == pytest.approx(0.2, abs=1e-2)
    assert small("general", "erbo").meta["distance"] == pytest.approx(0.11489, abs=1e-4)
    values = registry.experiment("wdrbo", "shift").parameters.typed(SMALL | {"shift": 0.2})
    policy = setup("shift", "erbo", 0, values).policy
    policy.tell([0.5], [0.9], 1.0)
    view = policy.situation()
    assert view.atoms.mean() == pytest.approx(0.5, abs=1e-6)
    assert view.contexts.ravel().tolist() == [0.9]


@pytest.mark.parametrize(
    ("experiment", "values", "words"),
    [
        ("newsvendor", {"reading": "codex"}, ("reading", "code")),
        ("newsvendor", {"radios": 0.1}, ("radios", "radius")),
        ("newsvendor", {"radius": -0.1}, ("radius", "0")),
        ("newsvendor", {"horizon": 0}, ("horizon", "1")),
        ("newsvendor", {"initial": 2.5}, ("initial", "integer")),
        ("newsvendor", {"noise": float("nan")}, ("noise",)),
        ("newsvendor", {"data": "auto"}, ("data",)),
        ("general", {"reading": "text"}, ("reading",)),
        ("general", {"spread": "deviation"}, ("spread", "variance")),
        ("shift", {"problem": "ackley"}, ("problem", "camel")),
        ("shift", {"shift": 0.7}, ("shift", "0.5")),
    ],
)
def test_bad_input_is_refused_by_name(experiment, values, words):
    with pytest.raises(ParameterError) as caught:
        registry.experiment("wdrbo", experiment).run("wdrbo", 0, values)
    for word in words:
        assert word in str(caught.value)


def test_unknown_methods_are_refused_with_the_nearest_name():
    with pytest.raises(ParameterError, match="wdrbo-exact"):
        small("newsvendor", "wdrbo-exat")
    with pytest.raises(ParameterError):
        small("shift", "sbo-kde")


def test_runs_with_a_discrepancy_ball_are_of_the_second_version_and_no_others():
    names = [method.name for method in METHODS]
    tasks = registry.experiment("wdrbo", "branin").tasks(names, [0])
    assert {task.method for task in tasks if task.version == 2} == {"drbo-mmd", "drbo-mmd-minmax"}
    assert {task.version for task in tasks} == {1, 2}
