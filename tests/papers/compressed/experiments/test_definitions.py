"""The experiments: everything listed runs, methods share what they should, rejected rounds cost no evaluation."""

import json
from itertools import product

import numpy as np
import pytest

from companion import registry
from companion.cli import main
from companion.core.errors import ParameterError
from companion.papers.compressed.experiments.definitions import EXPERIMENTS, average_regret, checkpoints
from companion.papers.compressed.experiments.parameters import POSTERIORS, READINGS
from companion.papers.compressed.problems import tuning_table

SMALL = {
    "example-function": {"points": 60, "horizon": 25},
    "rosenbrock": {"points_per_axis": 8, "horizon": 25},
    "logistic": {"configurations": 60, "horizon": 25, "data": "digits"},
}
METHODS = EXPERIMENTS[0].method_names


def run(name, method, seed=0, **more):
    return registry.experiment("compressed", name).run(method, seed, {**SMALL[name], **more})


def trial_of(name, method, *words):
    """Exit code of ``companion trial`` at small sizes."""
    small = [f"{key}={value}" for key, value in SMALL[name].items()]
    settings = [part for word in (*small, *words) for part in ("--set", word)]
    return main(["trial", "compressed", name, method, "--seed", "0", *settings, "--json"])


def test_what_is_listed_is_what_is_tried_here(capsys):
    assert main(["list", "compressed", "--json"]) == 0
    listed = {entry["experiment"]: entry["methods"] for entry in json.loads(capsys.readouterr().out)}
    names = {
        name: [method["name"] if isinstance(method, dict) else method for method in listed[name]] for name in listed
    }
    assert names == {name: list(METHODS) for name in SMALL}
    assert len(METHODS) == 9


@pytest.mark.parametrize(("name", "method"), list(product(SMALL, METHODS)))
def test_every_listed_combination_runs(name, method, capsys):
    assert trial_of(name, method) == 0
    shown = json.loads(capsys.readouterr().out)
    rounds = 25 + shown["meta"]["initial"]
    assert {len(shown[key]) for key in ("instantaneous_regret", "cumulative_regret", "model_order", "batch")} == {
        rounds
    }
    assert shown["meta"]["parameters"]["horizon"] == 25
    assert len(shown["diagnostics"]["evaluated"]) == rounds
    assert (np.array(shown["instantaneous_regret"]) >= 0).all()


@pytest.mark.parametrize("name", SMALL)
def test_defaults_are_the_printed_ones(name):
    values = registry.experiment("compressed", name).parameters.resolve({})
    printed = {"epsilon": 1e-4, "noise_variance": 1e-3, "lengthscale": 1.0, "reading": "info-printed"}
    assert {key: values[key] for key in printed} == printed


@pytest.mark.parametrize("name", SMALL)
def test_all_methods_start_from_the_same_points_and_see_the_same_noise(name):
    runs = [run(name, method, 5) for method in METHODS]
    first = runs[0].meta["initial"]
    assert first == {"example-function": 2, "rosenbrock": 4, "logistic": 16}[name]
    chosen = registry.experiment("compressed", name)
    problem = chosen.ready("gp-ucb", 5, SMALL[name]).chapter.problem
    disturbance: dict[tuple[int, ...], float] = {}
    for one in runs:
        assert len(np.unique(one.query[:first])) == first
        np.testing.assert_array_equal(one.query[:first], runs[0].query[:first])
        np.testing.assert_array_equal(one.observation[:first], runs[0].observation[:first])
        for number, (point, value) in enumerate(zip(one.query, one.observation, strict=True)):
            key = (number,) if name != "logistic" else (number, point)  # which stored training is seen, else the noise
            found = value - problem.values[point]
            assert disturbance.setdefault(key, found) == pytest.approx(found, abs=1e-12)
    other = run(name, "gp-ucb", 6)
    assert not np.array_equal(other.query[:first], runs[0].query[:first])


@pytest.mark.parametrize("reading", READINGS)
def test_only_kept_rounds_are_evaluated(reading):
    one = run("logistic", "cgp-ucb", 1, reading=reading, noise_variance=0.05)
    evaluated, seconds = one.diagnostics["evaluated"], one.diagnostics["objective_seconds"]
    np.testing.assert_array_equal(np.flatnonzero(evaluated[16:]) + 1, one.diagnostics["kept_rounds"])
    assert evaluated[:16].all()
    assert ((seconds > 0) == evaluated).all()
    assert one.diagnostics["evaluations"] == evaluated.sum() == one.model_order[-1]
    dense = run("logistic", "gp-ucb", 1, noise_variance=0.05)
    assert dense.diagnostics["evaluated"].all()
    assert run("example-function", "bkb-ei").diagnostics["objective_seconds"].sum() == 0


def test_listed_observations_are_what_the_policy_was_told():
    chosen = registry.experiment("compressed", "logistic")
    ready, told = chosen.ready("gp-ei", 1, SMALL["logistic"]), []
    tell = ready.policy.tell

    def listening(values):
        told.extend(values)
        tell(values)

    ready.policy.tell = listening
    one = ready.run()
    np.testing.assert_array_equal(one.observation, told)
    table = tuning_table.load("digits")
    accuracy = table.accuracy[one.query, ready.picks]
    centre = table.accuracy[:60].mean()
    np.testing.assert_allclose(one.observation * one.meta["scale"] + centre, accuracy, atol=1e-12)
    assert len(set(ready.picks)) == 3


def test_readings_keep_what_their_threshold_says():
    found = {reading: run("example-function", "cgp-ucb", 2, reading=reading, points=300) for reading in READINGS}
    thresholds = {reading: one.meta["threshold"] for reading, one in found.items()}
    assert thresholds["info-printed"] == pytest.approx(2.0002e-7, rel=1e-4)
    assert thresholds["info-horizon"] == pytest.approx(1e-3 * 25**-0.5)
    assert thresholds["unit"] == pytest.approx(2.0002e-4, rel=1e-4)
    assert thresholds["raw"] == pytest.approx(0.05756, abs=5e-6)
    for reading, one in found.items():
        variance = np.asarray(one.diagnostics["variance"])
        expected = np.flatnonzero(variance > thresholds[reading]) + 1
        np.testing.assert_array_equal(one.diagnostics["kept_rounds"], expected)
    dense = run("example-function", "gp-ucb", 2, points=300)
    np.testing.assert_array_equal(found["info-printed"].query, dense.query)  # the printed constants keep everything
    assert found["raw"].model_order[-1] < found["info-printed"].model_order[-1] == 27


@pytest.mark.parametrize(
    ("name", "method"), [("example-function", "cgp-ei"), ("rosenbrock", "gp-ucb"), ("logistic", "cgp-mpi")]
)
def test_every_kind_of_posterior_makes_the_same_run(name, method):
    usual, *others = (run(name, method, 4, posterior=word, reading="unit") for word in POSTERIORS)
    for other in others:
        np.testing.assert_array_equal(usual.query, other.query)
        np.testing.assert_array_equal(usual.observation, other.observation)


def test_average_regret_leaves_the_initial_points_out():
    one = run("rosenbrock", "gp-mpi")
    by_hand = [sum(one.instantaneous_regret[4 : 4 + t]) / t for t in range(1, 26)]
    np.testing.assert_allclose(average_regret(one), by_hand)


@pytest.mark.parametrize(("method", "rounds"), [("gp-ucb", 12), ("bkb-ucb", 1)])
def test_the_width_counts_all_candidates(method, rounds):
    """beta_t = 2 log(X t^2 pi^2 / (6 delta)): choices maximise that bound on a posterior by one dense solve.

    BKB's posterior is exact until its first dictionary is drawn. With the initial points as X, some choices would differ.
    """
    told_apart = 0
    for name, seed in product(SMALL, range(6)):
        chosen = registry.experiment("compressed", name)
        ready = chosen.ready(method, seed, SMALL[name] | {"delta": 0.9})
        one, covariance, size = ready.run(), ready.chapter.covariance, ready.chapter.problem.size
        assert size >= 60
        start = one.meta["initial"]
        for t in range(1, rounds + 1):
            seen, values = one.query[: start + t - 1], one.observation[: start + t - 1]
            weights = np.linalg.solve(covariance[np.ix_(seen, seen)] + 1e-3 * np.eye(len(seen)), covariance[seen])
            variance = np.diag(covariance) - np.sum(covariance[seen] * weights, axis=0)
            for candidates in (size, start):
                width = np.sqrt(2 * np.log(candidates * t**2 * np.pi**2 / 5.4))
                score = values @ weights + width * np.sqrt(variance)
                best = score[one.query[start + t - 1]] >= score.max() - 1e-6
                assert best or candidates == start
                told_apart += not best
    assert told_apart


def test_bkb_parameters_reach_it():
    usual, sparse = run("example-function", "bkb-ucb"), run("example-function", "bkb-ucb", oversampling=0.5)
    own = run("example-function", "bkb-ucb", bkb_width="own")
    assert sparse.model_order[-1] < usual.model_order[-1]
    assert not np.array_equal(own.query, usual.query)


def test_checkpoints_reach_from_the_first_to_the_last_round():
    assert checkpoints(5).tolist() == [1, 2, 3, 4, 5]
    assert (checkpoints(300)[0], checkpoints(300)[-1], len(checkpoints(300))) == (1, 300, 30)


def outside(parameter):
    """Words that a parameter has to refuse: other types, and numbers beyond its range."""
    if parameter.choices:
        return ["neither", "1"]
    words = ["nan", "wide", "", str(parameter.high * 2)]
    words += [str(parameter.low - 1)] + [str(parameter.low)] * parameter.low_open
    return words + ["2.5"] * (parameter.type == "int")


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_every_value_outside_a_range_is_refused_in_one_line(name, capsys):
    parameters, refused = registry.experiment("compressed", name).parameters, 0
    for parameter in parameters.parameters:
        for word in outside(parameter):
            assert trial_of(name, "cgp-ucb", f"{parameter.name}={word}") != 0, (parameter.name, word)
            out, err = capsys.readouterr()
            assert out == ""
            assert err.count("\n") == 1
            assert err.startswith(f"companion trial: {parameter.name}: ")
            refused += 1
    assert refused > 40
    for words, unknown in ((("epsilom=0.1",), "epsilom"), (("posterior",), "posterior")):
        assert trial_of(name, "cgp-ucb", *words) != 0
        message = capsys.readouterr().err
        assert unknown in message
        assert message.count("\n") == 1


@pytest.mark.parametrize(("name", "method"), [("nothing", "gp-ucb"), ("rosenbrock", "gp")])
def test_unknown_names_are_refused_in_one_line(name, method, capsys):
    assert main(["trial", "compressed", name, method, "--seed", "0", "--json"]) != 0
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"alpha": 0.25}, "alpha"),
        ({"reading": "info-horizon", "epsilon": 0.1}, "epsilon"),
        ({"reading": "text"}, "reading"),
        ({"noise_variance": 0.0}, "noise_variance"),
        ({"low": 20.0}, "low"),
    ],
)
def test_settings_without_effect_or_meaning_are_refused(values, name):
    with pytest.raises(ParameterError, match=name):
        run("example-function", "cgp-ucb", **values)
