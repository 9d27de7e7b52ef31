"""Every experiment and method of chapter 4 runs, is repeatable, says its data, and shares what compared methods must share."""

import json
import os

import numpy as np
import pytest

from companion import registry
from companion.cli import main
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.papers.meanfield.experiments.definitions import METHODS, OVER_LAWS, PAPERS
from companion.papers.meanfield.method.evolution_strategy import GROWTH, EvolutionStrategy
from companion.papers.meanfield.problems.catalogue import SETTINGS, meanfield_problem

SMALL = {"horizon": 14, "candidates": 20, "restart": 4}
SYNTHETIC = ("bikes", "ports", "taxi-a", "taxi-b", "taxi-c")
OVER_ACTIONS = tuple(method.name for method in METHODS if method.name not in OVER_LAWS)


def experiment(name):
    return registry.experiment("meanfield", name)


def small(name, method, seed=0, **values):
    data = {"data": "synthetic"} if name in SYNTHETIC else {}
    return experiment(name).run(method, seed, SMALL | data | values)


def rewards(run):
    return np.asarray(run.diagnostics["reward"])


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SETTINGS))
def test_every_method_runs_on_every_problem(name):
    for method in experiment(name).method_names:
        run = small(name, method)
        assert len(run) == 14
        assert run.batch.tolist() == list(range(1, 15))
        assert (run.instantaneous_regret >= -1e-9).all()
        found = json.loads(json.dumps(run.to_json(), allow_nan=False))
        assert {len(found[key]) for key in ("instantaneous_regret", "cumulative_regret", "simple_regret", "batch")} == {
            14
        }
        meta = found["meta"]
        assert meta["label"] in ("closed form", "synthetic")
        assert meta["stand_in"] == (name in SYNTHETIC)
        assert meta["parameters"]["horizon"] == 14
        assert (meta["method"], meta["seed"], meta["over"]) == (
            method,
            0,
            "laws" if method in OVER_LAWS else "joint actions",
        )


@pytest.mark.skipif(not os.environ.get("COMPANION_DATA"), reason="COMPANION_DATA is not set")
@pytest.mark.parametrize(
    ("name", "label"),
    [("bikes", "semi-synthetic"), ("ports", "full"), ("taxi-a", "real-sample"), ("taxi-c", "real-sample")],
)
def test_a_run_on_real_data_says_so(name, label):
    real = experiment(name).run("random", 0, {"horizon": 3})
    assert real.meta["label"] == label
    assert real.meta["stand_in"] == (name == "bikes")
    assert real.meta["data"]
    assert real.meta["remark"]
    assert rewards(real)[0] != rewards(small(name, "random", horizon=3))[0]


@pytest.mark.slow
def test_the_command_line_runs_a_trial(capsys):
    main(
        [
            "trial",
            "meanfield",
            "arena",
            "mf-gp-ucb",
            "--seed",
            "2",
            "--set",
            "horizon=12",
            "--set",
            "play=quota",
            "--json",
        ]
    )
    found = json.loads(capsys.readouterr().out)
    assert len(found["instantaneous_regret"]) == 12
    assert found["meta"]["parameters"]["play"] == "quota"
    expected = small("arena", "mf-gp-ucb", seed=2, horizon=12, play="quota")
    np.testing.assert_allclose(found["cumulative_regret"], expected.cumulative_regret)


@pytest.mark.parametrize("name", ["swarm", "arena", "ports"])
def test_methods_over_laws_share_the_first_laws_and_how_they_are_played(name):
    runs = {method: small(name, method, seed=3) for method in ("mf-gp-ucb", "random", "es")}
    first = rewards(runs["random"])
    np.testing.assert_array_equal(rewards(runs["mf-gp-ucb"])[:10], first[:10])
    assert (rewards(runs["mf-gp-ucb"])[10:] != first[10:]).all()
    assert rewards(runs["es"])[0] == first[0]
    assert (rewards(small(name, "random", seed=4)) != first).all()


@pytest.mark.parametrize("name", ["swarm", "arena", "ports"])
def test_methods_over_joint_actions_share_the_first_one(name):
    firsts = {rewards(small(name, method, seed=3))[0] for method in OVER_ACTIONS}
    assert len(firsts) == 1
    assert rewards(small(name, "sa", seed=4))[0] not in firsts


def test_noise_is_shared_by_all_methods():
    for method in ("mf-gp-ucb", "random", "turbo", "ga"):
        loud, quiet = small("swarm", method, noise=2.0), small("swarm", method)
        expected = 2.0 * stream(0, "meanfield", "swarm", "noise").standard_normal(14)
        np.testing.assert_allclose(loud.observation - rewards(loud), expected, atol=1e-12)
        np.testing.assert_array_equal(quiet.observation, rewards(quiet))


@pytest.mark.slow
def test_runs_are_repeatable():
    for method in ("mf-gp-ucb", "turbo", "es"):
        one, two = small("arena", method, seed=1), small("arena", method, seed=1)
        np.testing.assert_array_equal(one.observation, two.observation)
        np.testing.assert_array_equal(one.instantaneous_regret, two.instantaneous_regret)


def test_contexts_are_redrawn_for_laws_and_fixed_for_joint_actions_unless_asked_otherwise():
    sizes = {"horizon": 3, "agents": 51}
    chosen, p = experiment("arena"), SMALL | sizes
    assert chosen.ready("random", 0, p).population.redraw
    fixed = chosen.ready("sa", 0, p).contexts
    assert np.bincount(fixed).tolist() in ([25, 26], [26, 25])
    drawn = chosen.ready("sa", 0, p | {"contexts": "redrawn"}).contexts
    assert drawn.shape == (3, 51)
    assert not np.array_equal(drawn[0], drawn[1])
    assert not chosen.ready("random", 0, p | {"contexts": "fixed"}).population.redraw


def test_redrawn_contexts_reach_the_reward():
    ready = experiment("arena").ready("sa", 0, SMALL | {"contexts": "redrawn"})
    asked, ask = [], ready.policy.ask

    def watched():
        asked.append(ask())
        return asked[-1]

    ready.policy.ask = watched
    run = ready.run()
    by_hand = [ready.problem.agent_reward(a, c) for a, c in zip(asked, ready.contexts, strict=True)]
    np.testing.assert_array_equal(rewards(run), by_hand)


@pytest.mark.slow
def test_settings_reach_what_they_set():
    assert not np.array_equal(rewards(small("swarm", "random", play="quota")), rewards(small("swarm", "random")))
    told = small("swarm", "random", observation="agent")
    np.testing.assert_array_equal(rewards(told), rewards(small("swarm", "random")))
    assert not np.array_equal(told.observation, rewards(told))
    wide = small("swarm", "mf-gp-ucb", beta=50.0)
    assert wide.diagnostics["width"] == {"kind": "practice", "multiplier": 50.0}
    theory = small("swarm", "mf-gp-ucb", width="corrected", b=0.5).diagnostics["width"]
    assert (theory["kind"], theory["reading"], theory["b"]) == ("theory", "corrected", 0.5)
    assert small("swarm", "mf-gp-ucb", initial=5).diagnostics["acquisition"]["round"][0] == 6
    searches = {
        s: small("swarm", "mf-gp-ucb", search=s).diagnostics["acquisition"]["evaluations"] for s in ("exact", "paper")
    }
    assert set(searches["paper"]) == {101}
    assert set(searches["exact"]) != {101}
    printed = small("swarm", "random", penalty="printed")
    assert printed.meta["best_value"] == meanfield_problem("swarm", reading="text").upper_bound
    many = small("ports", "random", regions=3, agents=30)
    assert many.meta["best_value"] != small("ports", "random", agents=30).meta["best_value"]
    joint, additive = (small("arena", "mf-gp-ucb", kernel=k).diagnostics["acquisition"] for k in ("joint", "additive"))
    assert not np.allclose(joint["acquisition"], additive["acquisition"])


@pytest.mark.parametrize(
    ("name", "method", "values", "word"),
    [
        ("swarm", "mf-gp-ucb", {"penalty": "weighed"}, "penalty.*weighted"),
        ("bikes", "mf-gp-ucb", {"penalty": "printed"}, "penalty"),
        ("swarm", "mf-gp-ucb", {"data": "synthetic"}, "data"),
        ("taxi-a", "mf-gp-ucb", {"data": "friday"}, "data.*fridays"),
        ("swarm", "mf-gp-ucb", {"play": "greedy"}, "play.*quota"),
        ("swarm", "mf-gp-ucb", {"horizon": 0}, "horizon"),
        ("swarm", "mf-gp-ucb", {"beta": float("nan")}, "beta"),
        ("swarm", "mf-gp-ucb", {"beta": 2.0, "width": "printed"}, "beta.*width=printed"),
        ("swarm", "mf-gp-ucb", {"a": 3.0}, "'?a'?.*width"),
        ("swarm", "sa", {"play": "quota"}, "play.*sa"),
        ("swarm", "turbo", {"observation": "agent"}, "observation.*turbo"),
        ("swarm", "mf-gp-ucb", {"initial": 14}, "initial.*14 evaluations"),
        ("arena", "random", {"actions": 31}, "actions.*even"),
        ("ports", "random", {"agents": 31}, "agents"),
        ("ports", "random", {"actions": 4}, "actions"),
        ("swarm", "mfgpucb", {}, "method.*mf-gp-ucb"),
    ],
)
def test_bad_input_is_refused_by_name(name, method, values, word):
    data = {"data": "synthetic"} if name in SYNTHETIC else {}
    with pytest.raises(ParameterError, match=f"(?s){word}"):
        experiment(name).run(method, 0, SMALL | data | values)


def test_the_papers_five_methods_come_first():
    assert PAPERS == ("mf-gp-ucb", "turbo", "sa", "ga", "random")
    assert [method.name for method in METHODS][:5] == list(PAPERS)


def test_the_evolution_strategy_keeps_the_best_and_follows_the_fifth_rule():
    policy = EvolutionStrategy((1, 3), stream(0, "es"), step=0.4)
    values = [1.0, 0.5, 2.0, 1.5, 1.9, 1.2]
    laws = []
    for value in values:
        laws.append(policy.ask())
        np.testing.assert_allclose(laws[-1].sum(axis=-1), 1.0)
        policy.tell(0, 0, value)
    np.testing.assert_allclose(policy.recommend(), laws[2])
    # One success and four failures after the first law: the step is what it was.
    assert policy.step == pytest.approx(0.4 * GROWTH * GROWTH**-1.0)
    assert policy.diagnostics()["successes"] == 1


def test_a_success_makes_the_evolution_strategys_steps_half_as_long_again():
    """And a failure takes the fourth root of that back, whatever the constants in the package are called."""
    policy = EvolutionStrategy((1, 3), stream(0, "es"), step=0.4)
    for value, step in ((1.0, 0.4), (2.0, 0.6), (3.0, 0.9), (0.0, 0.9 * 1.5**-0.25)):
        policy.ask()
        policy.tell(0, 0, value)
        assert policy.step == pytest.approx(step, rel=1e-12)


def test_the_evolution_strategy_climbs():
    policy, target = EvolutionStrategy((1, 4), stream(1, "es")), np.array([0.7, 0.1, 0.1, 0.1])
    distances = []
    for _ in range(400):
        law = policy.ask()[0]
        distances.append(np.abs(law - target).sum())
        policy.tell(0, 0, -distances[-1])
    assert min(distances) < 0.05 * distances[0]
