"""Common problems and rules of "which method?": who shares what, and that every rule is the paper's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.core.errors import ParameterError
from companion.gp import Matern
from companion.papers.across.experiments.definitions import experiment
from companion.papers.across.experiments.parameters import HORIZON, INITIAL
from companion.papers.across.experiments.problems import KINDS, LIKELY, NOISE_SD, PROBLEMS, SIZE, common_problem, square
from companion.papers.across.experiments.rules import METHODS, SEQUENTIAL
from companion.papers.across.experiments.runs import COMPRESSED, ENTRIES, ONE_WIDTH, OWN_WIDTH, PAPER, Plan
from companion.papers.across.experiments.store import EARLY, ROUNDS, RUNS, compute, summary_of
from companion.papers.batched.method.policy import BPE
from companion.papers.compressed.method.admission import dense
from companion.papers.compressed.method.policy import CompressedBandit
from companion.policies import GPUCB
from companion.simulate import run_policy

#: Of tests only; the stored runs have seeds from 0 on, the pilot runs from 9000 on.
SEED = 9100
ENTRIES_OF_TEST = ("gp-ucb", "bpe", "ts-10", "stableopt", "wdrbo", "random")


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_seed_draws_the_function_where_there_is_one_to_draw(name: str) -> None:
    first, again, other = (common_problem(name, seed) for seed in (SEED, SEED, SEED + 1))
    assert first.problem.size == SIZE == first.prior.size == len(first.covariance)
    assert np.array_equal(first.problem.values, again.problem.values)
    assert np.array_equal(first.problem.values, other.problem.values) != KINDS[name].fresh
    assert np.allclose(np.diag(first.covariance), 1.0)


@pytest.mark.parametrize("name", LIKELY)
def test_the_test_functions_have_the_likeliest_of_five_length_scales(name: str) -> None:
    values = common_problem(name, 0).problem.values
    assert values.mean() == pytest.approx(0.0, abs=1e-12)
    assert values.std() == pytest.approx(1.0)

    def likelihood(lengthscale: float) -> float:
        covariance = Matern(2.5, lengthscale)(square()) + NOISE_SD**2 * np.eye(SIZE)
        _, volume = np.linalg.slogdet(covariance)
        return float(-values @ np.linalg.solve(covariance, values) - volume)

    assert max((0.05, 0.1, 0.2, 0.3, 0.5), key=likelihood) == LIKELY[name]


def test_all_methods_share_design_and_noise() -> None:
    asked, values = experiment("methods"), {"problem": "norm", "horizon": 25}
    first = asked.run("ucb", SEED, values)
    for method in (m.name for m in METHODS if m.name != "bpe"):
        own = {"width": "own"} if method in ("mf-gp-ucb", "wdrbo") else {}
        run = asked.run(method, SEED, values | own)
        assert np.array_equal(run.query[:INITIAL], first.query[:INITIAL]), method
        truth = common_problem("norm", SEED).problem.values[run.query]
        noise = first.observation - common_problem("norm", SEED).problem.values[first.query]
        assert run.observation - truth == pytest.approx(noise, abs=1e-12), method
        assert len(run) == 25


def test_the_rules_are_those_of_the_house() -> None:
    """GP-UCB by the batch rule, by the compressed paper's policy without compression, and by the shared baseline."""
    asked, values = experiment("methods"), {"problem": "draw-se", "horizon": 40}
    by_rule = asked.run("ucb", SEED, values)
    dense = asked.run("compressed-ucb", SEED, values | {"budget": 0.0})
    assert np.array_equal(by_rule.query, dense.query)
    common, setup = common_problem("draw-se", SEED), asked.ready("ucb", SEED, values)

    class After(GPUCB):
        """The baseline after the common design."""

        def ask(self, remaining):  # type: ignore[no-untyped-def]
            batch = super().ask(remaining)
            if self.model_order < INITIAL:
                self._asked = int(by_rule.query[self.model_order])
                return type(batch).plain(self._asked)
            return batch

    plain = run_policy(After(common.covariance, NOISE_SD**2, 2.0), common.problem, 40, setup.noise)
    assert np.array_equal(plain.query, by_rule.query)
    kept = asked.run("compressed-ucb", SEED, values)
    assert kept.model_order[-1] < dense.model_order[-1] == 40


def test_the_mean_as_incumbent_is_the_compressed_papers_rule() -> None:
    """One at a time it is chapter 2's ``mpi`` without compression; in a batch the first point is that of the rule alone."""
    asked, values = experiment("methods"), {"problem": "bird-2d", "horizon": 30}
    setup, run = asked.ready("ei-mean", SEED, values), asked.run("ei-mean", SEED, values)
    common = common_problem("bird-2d", SEED)
    theirs = CompressedBandit(
        common.covariance, NOISE_SD**2, "mpi", dense(), lambda t: 0.0, run.query[:INITIAL], capacity=30
    )
    assert np.array_equal(run_policy(theirs, common.problem, 30, setup.noise).query, run.query)
    assert not np.array_equal(asked.run("ei", SEED, values).query, run.query)
    five = asked.run("ei-mean", SEED, values | {"batch_size": 5})
    assert five.query[INITIAL] == run.query[INITIAL]


def test_widths_of_their_own_differ_from_the_common_one_and_from_each_other() -> None:
    asked, found = experiment("methods"), set()
    for method in ("ucb", "mf-gp-ucb", "wdrbo"):
        found.add(asked.run(method, SEED, {"width": "own", "horizon": 60}).query.tobytes())
    found.add(asked.run("ucb", SEED, {"horizon": 60}).query.tobytes())
    assert len(found) == 4
    widths = [asked.ready("bpe", SEED, {"width": width}).policy._width for width in ("common", "own")]
    assert widths[0] == 2.0
    assert isinstance(asked.ready("bpe", SEED).policy, BPE)
    assert widths[1].width(0.0) == pytest.approx(2**0.5)


@pytest.mark.parametrize("method", SEQUENTIAL)
def test_a_setting_without_effect_is_refused(method: str) -> None:
    with pytest.raises(ParameterError, match="batch_size"):
        experiment("methods").ready(method, SEED, {"batch_size": 5, "width": "own"})
    with pytest.raises(ParameterError, match="budget"):
        experiment("methods").ready("ucb", SEED, {"budget": 0.1})
    with pytest.raises(ParameterError, match="width"):
        experiment("methods").ready("wdrbo", SEED)


def test_rounds_are_counted_as_feedback_comes() -> None:
    asked = experiment("methods")
    alone, five, ten = (asked.run("ts-rsr", SEED, {"batch_size": size}) for size in (1, 5, 10))
    assert [summary_of(run)["rounds"] for run in (alone, five, ten)] == [121, 25, 13]
    for run, at in ((alone, INITIAL + ROUNDS - 1), (five, INITIAL * ROUNDS), (ten, HORIZON)):
        told = replace(run, simple_regret=1.0 / np.arange(1, len(run) + 1))  # another one after every evaluation
        assert summary_of(told)["by_rounds"] == 1.0 / at
        assert summary_of(told)["early"] == 1.0 / EARLY
        curves = summary_of(run)["cumulative_curves"]
        assert curves["evaluations"][-1] == run.cumulative_regret[-1]
        assert curves["rounds"][0] == run.cumulative_regret[INITIAL - 1]


def test_displacement_is_judged_with_and_without_on_one_run() -> None:
    setup = experiment("displacement").ready("stableopt", SEED, {"horizon": 20})
    run = setup.run()
    assert np.array_equal(run.instantaneous_regret, setup.problem.robust_regret[run.charged])
    assert np.array_equal(run.diagnostics["undisplaced"], setup.problem.regret[run.charged])
    assert not np.array_equal(setup.problem.regret, setup.problem.robust_regret)


def test_contexts_shift_only_where_they_are_said_to() -> None:
    asked = experiment("contexts")
    short = {"horizon": 12, "decisions": 6, "contexts": 5}
    calm = [asked.run(method, SEED, short | {"radius": 0.3}) for method in asked.method_names]
    worst = [asked.run(method, SEED, short | {"radius": 0.3, "shift": "worst"}) for method in asked.method_names]
    for one, other in zip(calm, worst, strict=True):
        assert one.query[0] // 5 == other.query[0] // 5  # the first decision, of which the law is then the worst
        assert one.instantaneous_regret[0] < other.instantaneous_regret[0]
    # Without a shift the radius is nothing to a rule that has no ball, and something to the others.
    again = [asked.run(method, SEED, short | {"radius": 0.1}) for method in asked.method_names]
    same = [np.array_equal(one.query, other.query) for one, other in zip(calm, again, strict=True)]
    assert same == [True, False, False]


def test_the_plan_has_every_entry_once_and_no_pilot_seed() -> None:
    items = RUNS.of(PAPER).items
    keys = [(task.experiment, task.method, str(task.parameters), task.seed) for _, task in items]
    assert len(set(keys)) == len(keys)
    assert max(task.seed for _, task in items) == PAPER.seeds - 1 < 9000
    assert {task.parameters["entry"] for block, task in items if block.part == "methods"} == set(ENTRIES)
    assert not set(ONE_WIDTH) & set(OWN_WIDTH)
    assert set(COMPRESSED) <= set(ENTRIES)
    for entry in ENTRIES.values():
        assert entry.method in {m.name for m in METHODS}


@pytest.mark.slow
def test_tables_of_a_small_plan() -> None:
    plan = Plan(problems=("norm",), seeds=1, long_problems=(), agent_seeds=1, radii=(0.1,), crowd=3)
    items = [item for item in RUNS.of(plan).items if item[1].parameters.get("entry", item[1].method) in ENTRIES_OF_TEST]
    results = [compute(task) for _, task in items]
    runs = RUNS.of(plan)
    made = runs.frames(items, results)
    assert set(made) == set(runs.tables)
    for name, key in runs.keys.items():
        assert not made[name].duplicated(list(key)).any(), name
        assert "seconds" not in made[name]
    assert set(made["method_curves"].entry) == {"gp-ucb", "bpe", "random"}  # only what is ranked
    again = [compute(task) for _, task in items[:1]]
    kept = [name for name in again[0] if name not in ("seconds", "axes", "cumulative_curves", "simple_curves")]
    assert all(again[0][name] == results[0][name] for name in kept)
