"""The stored runs of paper 2: the right ones, with the numbers of single trials, and times kept apart from them."""

import json

import numpy as np
import pytest

from companion import registry
from companion.core.errors import ParameterError, ResultError
from companion.papers.compressed.experiments import store as paper_scale
from companion.papers.compressed.experiments import timing
from companion.papers.compressed.experiments.definitions import average_regret, checkpoints
from companion.papers.compressed.experiments.runs import PAPER, PROBLEMS, CompressedPlan, every_variant, tradeoff
from companion.papers.compressed.experiments.store import store

OVERRIDES = {
    "example-function": {"points": 60, "horizon": 30},
    "logistic-digits": {"configurations": 40, "horizon": 12},
}
SMALL = CompressedPlan(
    problems=("example-function", "logistic-digits"),
    seeds=2,
    timing_seeds=1,
    growth_horizon=40,
    alphas=(0.5,),
    budgets=(0.1,),
    horizons=(20, 40),
    tradeoff_seeds=2,
    step_horizon=40,
    step_limit=1e9,  # no run is broken off, however slow the machine
    overrides=OVERRIDES,
)
#: With BKB's own width under UCB only.
VARIANTS = 10 + 2 * 8
TASKS = 2 * 2 * VARIANTS + 3 * 2 * 2 + 2 * (1 + 1 + 2 + 1) + 2 * 3 * 2 + 9


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Made by processes of their own; runs made here have to give the same numbers."""
    root = tmp_path_factory.mktemp("whole")
    store(root, jobs=2, plan=SMALL)
    return root


def test_every_run_of_the_plan_is_made_once(stored, tmp_path):
    settings = paper_scale.load(stored).record.settings
    assert settings["runs"] == settings["computed"] == TASKS
    with pytest.raises(ResultError, match="make paper CH=2"):
        paper_scale.load(tmp_path)


def test_stored_numbers_are_those_of_single_trials(stored):
    runs = paper_scale.load(stored).tables["runs"]
    for problem, method, variant, values in (
        ("example-function", "cgp-ucb", "info-horizon", {"reading": "info-horizon"}),
        ("example-function", "bkb-ei", "bkb-1", {"oversampling": 1.0}),
        ("logistic-digits", "cgp-mpi", "raw", {"reading": "raw"}),
    ):
        name, own = PROBLEMS[problem]
        run = registry.experiment("compressed", name).run(method, 1, {**own, **OVERRIDES[problem], **values})
        key = f"problem == '{problem}' and method == '{method}' and variant == '{variant}' and seed == 1"
        (row,) = runs.query(key).itertuples()
        first = run.meta["initial"]
        regret = run.instantaneous_regret[first:]
        assert row.average_regret == pytest.approx(np.mean(regret), rel=1e-8)
        assert row.last_regret == pytest.approx(regret[-1], rel=1e-8)
        assert row.model_order == run.model_order[-1]
        orders = run.model_order[first:]
        half = range(len(orders) // 2, len(orders))
        assert row.slope == pytest.approx(np.polyfit(half, orders[half.start :], 1)[0], abs=1e-8)
        if method.startswith("cgp"):
            kept = run.diagnostics["kept_rounds"]
            assert row.last_kept == (kept[-1] if kept else 0)
            assert row.evaluations == len(kept)
        else:
            assert np.isnan(row.last_kept)


def test_curves_are_means_over_seeds(stored):
    curves = paper_scale.load(stored).tables["curves"]
    rows = curves.query("problem == 'example-function' and method == 'gp-ucb'")
    runs = [
        registry.experiment("compressed", "example-function").run("gp-ucb", s, OVERRIDES["example-function"])
        for s in (0, 1)
    ]
    by_hand = np.mean([average_regret(run) for run in runs], axis=0)[checkpoints(30) - 1]
    np.testing.assert_allclose(rows.average_regret, by_hand, rtol=1e-5)
    np.testing.assert_array_equal(rows.model_order, checkpoints(30) + 2)
    np.testing.assert_array_equal(rows["round"], checkpoints(30))


def test_the_tradeoff_reads_one_run_at_every_horizon(stored):
    table = paper_scale.load(stored).tables["tradeoff"]
    values = {**OVERRIDES["example-function"], "horizon": 40, "epsilon": 0.5 * np.log1p(0.1)}
    run = registry.experiment("compressed", "example-function").run("cgp-ucb", 1, values)
    rows = table.query("rule == 'u=0.1' and seed == 1").set_index("horizon")
    for horizon in (20, 40):
        assert rows.average_regret[horizon] == pytest.approx(np.mean(run.instantaneous_regret[2 : 2 + horizon]))
        assert rows.model_order[horizon] == run.model_order[1 + horizon]
        assert rows.threshold[horizon] == pytest.approx(1e-4)
    alphas = table.query("rule == 'alpha=0.5' and seed == 1").set_index("horizon")
    assert alphas.threshold[20] == pytest.approx(1e-3 * 20**-0.5)
    assert alphas.threshold[40] == pytest.approx(1e-3 * 40**-0.5)  # the budget follows the horizon


def test_a_budget_of_zero_chooses_what_the_dense_model_chooses(stored):
    runs = paper_scale.load(stored).tables["runs"].set_index(["problem", "method", "variant", "seed"]).choices
    for problem in SMALL.problems:
        for acquisition in ("ucb", "ei", "mpi"):
            for seed in (0, 1):
                dense = runs[problem, f"gp-{acquisition}", "dense", seed]
                assert runs[problem, f"cgp-{acquisition}", "budget-zero", seed] == dense


def test_times_are_complete_and_positive(stored):
    tables = paper_scale.load(stored).tables
    timings, clock, steps = tables["timings"], tables["clock"], tables["steps"]
    assert len(timings) == 2 * 2 * (VARIANTS - 3)
    assert (timings.seconds > 0).all()
    trained = timings.problem == "logistic-digits"
    assert ((timings.objective_seconds > 0) == (trained & (timings.evaluations > 0))).all()
    increasing = clock.groupby(["problem", "posterior", "method", "variant"]).seconds.apply(
        lambda seconds: seconds.is_monotonic_increasing
    )
    assert increasing.all()
    assert len(increasing) == len(timings)
    assert set(zip(steps.variant, steps.posterior, strict=True)) == {
        (variant, posterior)
        for variant in ("dense", "info-horizon", "info-printed")
        for posterior in ("engine", "update", "refit")
    }
    assert steps.groupby(["variant", "posterior"])["round"].max().eq(40).all()


def test_a_run_out_of_time_keeps_its_rounds():
    seconds, orders = timing.rounds_within("example-function", "gp-ucb", 0, {"points": 50, "horizon": 500}, 0.0)
    assert len(seconds) == len(orders) == 1  # the initial points pass the limit of zero
    assert seconds[0] > 0


def test_clock_regret_is_an_area():
    run = registry.experiment("compressed", "example-function").run("gp-ucb", 0, {"points": 50, "horizon": 3})
    first, second, third = average_regret(run)
    seconds = np.array([1.0, 2.0, 4.0])
    # To time 10: the first value until 1 + 2 = 3, the second until 7, the third until the end.
    assert timing.clock_regret(run, seconds, 10.0) == pytest.approx((3 * first + 4 * second + 3 * third) / 10)
    assert timing.clock_regret(run, seconds, 2.0) == pytest.approx(first)


def test_the_plan_covers_the_paper():
    tasks = [task for block in every_variant(PAPER) for task in block.tasks]
    assert len(tasks) == 4 * 20 * VARIANTS
    horizons = {task.experiment: task.parameters["horizon"] for task in tasks}
    assert set(horizons.values()) == {300, 150, 100}
    assert {task.parameters["data"] for task in tasks if "logistic" in task.experiment} == {"digits", "mnist"}
    every = [task for _, task in paper_scale.RUNS.of().items]
    assert len({json.dumps(task.to_json(), sort_keys=True) for task in every}) == len(every)
    assert max(task.parameters["horizon"] for block in tradeoff(PAPER) for task in block.tasks) == 20_000


def test_what_is_missing_is_said_before_any_work(tmp_path, monkeypatch):
    def absent(*_):
        raise ResultError("no trainings")

    monkeypatch.setattr(paper_scale.tuning_table, "load", absent)
    with pytest.raises(ResultError, match="no trainings"):
        store(tmp_path, jobs=1, plan=SMALL)
    with pytest.raises(ParameterError, match="without"):
        store(tmp_path, jobs=1, plan=SMALL, without=["mnist"])
