"""A run of a rule is that of the study at its seed; streams serve one purpose each; settings without effect are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from streams import watched

from companion import registry
from companion.core.errors import ParameterError
from companion.papers.across.experiments import policies
from companion.papers.across.experiments.definitions import experiment
from companion.papers.across.experiments.parameters import Methods
from companion.papers.across.experiments.study_play import play
from companion.papers.across.method.rules import ENTRIES, PLAIN, Entry
from companion.papers.across.problems.functions import function
from companion.papers.compressed.method.admission import dense
from companion.papers.compressed.method.policy import CompressedBandit
from companion.simulate import run_policy

NAME = "draw-matern15-2d"
SMALL = {"horizon": 12, "decisions": 6, "contexts": 5, "agents": 3}


@pytest.mark.parametrize(
    "entry",
    [Entry("ucb", 1, "1"), Entry("ucb", 10, "3"), Entry("ucb-pe", 5, "2"), Entry("ts", 1, "0.5"), Entry("ts-rsr", 10, "0.5"),
     Entry("ei", 1, PLAIN), Entry("ei-mean", 5, PLAIN), Entry("compressed-ucb", 1, "1"), Entry("bpe", 0, "2"),
     Entry("random", 1, PLAIN)],
    ids=lambda entry: f"{entry.rule} {entry.batch} {entry.setting}",
)  # fmt: skip
def test_a_trial_is_the_run_of_the_study(entry: Entry) -> None:
    found = play(function(NAME), 0.1, entry, seeds=2)
    values: dict[str, object] = {"problem": NAME, "batch_size": entry.batch or 1}
    values |= {} if entry.setting == PLAIN else {"multiplier": float(entry.setting)}
    for seed in range(2):
        run = experiment("methods").run(entry.rule, seed, values)
        assert run.query.tolist() == found.query[seed].tolist()
        here = ~np.isnan(found.observed[seed])
        assert np.array_equal(run.observation[here], found.observed[seed][here])


def test_every_rule_of_the_study_is_a_method_and_has_its_default() -> None:
    named = [method.name for method in policies.METHODS]
    assert set(named) == {entry.rule for entry in ENTRIES}
    assert set(policies.WIDTHS) == {entry.rule for entry in ENTRIES if entry.setting != PLAIN}
    common = {"problem": NAME, "horizon": 30}
    one, other = (experiment("methods").run("ts", 3, common | more) for more in ({}, {"multiplier": 1.0}))
    assert np.array_equal(one.query, other.query)


def test_the_mean_as_incumbent_is_the_compressed_papers_rule() -> None:
    """One at a time it is chapter 2's ``mpi`` without compression."""
    values = {"problem": NAME, "horizon": 40}
    asked = experiment("methods")
    setup, run = asked.ready("ei-mean", 5, values), asked.run("ei-mean", 5, values)
    variance = setup.problem.noise_sd**2
    covariance = np.asarray(function(NAME).kernel(setup.problem.points))
    theirs = CompressedBandit(covariance, variance, "mpi", dense(), 0.0, run.query[:10], capacity=40)
    assert np.array_equal(run_policy(theirs, setup.problem, 40, setup.noise).query, run.query)
    assert not np.array_equal(asked.run("ei", 5, values).query, run.query)


def test_a_budget_is_that_of_the_horizon_unless_it_is_given() -> None:
    """Theorem 3.1 at exponent one half is half the log of 1 + 1 / sqrt(T): kept is a variance of sigma^2 / 10 and more."""
    of_horizon, given, none = (policies.admission_of(Methods(budget=budget), 0.01) for budget in (None, 0.2, 0.0))
    assert of_horizon.threshold == pytest.approx(0.001, rel=1e-9)
    assert given.threshold == pytest.approx(0.01 * math.expm1(0.4), rel=1e-9)
    assert none.threshold <= 0.0


@pytest.mark.parametrize(
    ("method", "values", "named"),
    [
        ("compressed-ucb", {"batch_size": 5}, "batch_size"),
        ("bpe", {"batch_size": 5}, "batch_size"),
        ("ei", {"multiplier": 2.0}, "multiplier"),
        ("ucb", {"budget": 0.1}, "budget"),
        ("ucb", {"horizon": 5, "initial": 5}, "horizon"),
        ("ucb", {"problem": "ackley-9d"}, "problem"),
    ],
)
def test_a_setting_without_effect_is_refused(method: str, values: dict[str, object], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        experiment("methods").ready(method, 41, values)


@pytest.mark.parametrize("name", [name for _, name in registry.experiments("across")])
def test_streams_of_a_run_have_its_seed_and_none_serves_twice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, opened = experiment(name), watched(monkeypatch)
    if name == "methods":
        _ = function("norm-matern25-2d").values  # made once, of seed 0, the same for all runs
    for method in asked.method_names:
        opened.clear()
        values = {key: value for key, value in SMALL.items() if key in asked.parameters.names}
        asked.run(method, 41, values)
        assert opened.seeds("problems") == {41}, method
        assert opened.twice(41) == [], method
