"""The stored runs of paper 5: the right ones, the same in any process."""

import json
import tomllib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from companion import registry
from companion.core.errors import ConditioningError, DataError, ParameterError
from companion.core.files import reported_folder
from companion.papers.wdrbo.experiments import store as paper_scale
from companion.papers.wdrbo.experiments.runs import PAPER, PUBLISHED, SEVEN, WDRBOPlan, runs
from companion.papers.wdrbo.experiments.store import load, marks, store
from companion.stored.results import unjoined

QUICK = {"horizon": 4, "initial": 3, "samples": 16, "robust_samples": 16, "discrepancy_nodes": 9, "minmax_nodes": 16}
SMALL = WDRBOPlan(
    problems=("newsvendor",),
    methods=("wdrbo", "wdrbo-exact", "erbo", "drbo-mmd"),
    runs=2,
    more=3,
    code_runs=1,
    spreads=("sd",),
    radii=(1.0,),
    radius_problems=("newsvendor",),
    region_problems=("newsvendor",),
    grids=(5,),
    grid_problems=("newsvendor",),
    shifts=(-0.1, 0.0),
    shift_problems=("newsvendor",),
    two_decisions=False,
    timed=("newsvendor",),
    timed_code=("erbo",),
    timing_seeds=2,
    ball_sizes=(5, 9),
    draws=3,
    plane_draws=1,
    overrides=QUICK,
)
#: Figure 1: five curves, two unclipped of fewer seeds; figures: four methods, of more seeds; code; radius; region;
#: grid; shifts.
RUNS = 5 * 3 + 2 * 2 + 4 * 3 + 3 + 3 + 2 + 2 + 2 * 3 * 2
TASKS = RUNS + 5 * 4 + 2 * 2 + 2


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Made by processes of their own; runs made here have to give the same numbers."""
    root = tmp_path_factory.mktemp("whole")
    store(root, jobs=2, plan=SMALL)
    return root


def test_the_record_counts_the_runs(stored):
    settings = load(stored).record.settings
    assert (settings["runs"], settings["computed"]) == (TASKS, TASKS)


def test_stored_numbers_are_those_of_single_trials(stored):
    tables = load(stored).tables
    for reading, method, seed in (("text", "wdrbo", 2), ("text", "drbo-mmd", 1), ("code", "erbo", 0)):
        run = registry.experiment("wdrbo", "newsvendor").run(method, seed, {**QUICK, "reading": reading})
        key = f"block == 'figures' and reading == '{reading}' and method == '{method}' and seed == {seed}"
        (row,) = tables["runs"].query(key).itertuples()
        regret = run.instantaneous_regret
        # By hand: four rounds, so that a fifth is one round and the marks are all rounds.
        assert row.total == pytest.approx(sum(regret), rel=1e-8)
        assert (row.early, row.late) == (pytest.approx(regret[0], rel=1e-8), pytest.approx(regret[3], rel=1e-8))
        np.testing.assert_allclose(unjoined(row.cumulative), [sum(regret[:t]) for t in (1, 2, 3, 4)], rtol=1e-4)
        assert row.design == pytest.approx(sum(run.diagnostics["design_regret"]), rel=1e-8)


def test_curves_are_means_over_the_papers_seeds(stored):
    (curve,) = (
        load(stored)
        .tables["curves"]
        .query("block == 'figures' and reading == 'text' and method == 'erbo'")
        .itertuples()
    )
    own = [registry.experiment("wdrbo", "newsvendor").run("erbo", seed, QUICK).instantaneous_regret for seed in (0, 1)]
    assert curve.runs == 2
    np.testing.assert_allclose(unjoined(curve.instantaneous), np.mean(own, axis=0), rtol=1e-4)
    np.testing.assert_allclose(unjoined(curve.cumulative), np.cumsum(np.mean(own, axis=0)), rtol=1e-4)
    # The standard error of two numbers is half their distance.
    np.testing.assert_allclose(unjoined(curve.instantaneous_se), np.abs(own[0] - own[1]) / 2, rtol=1e-4)


def test_a_run_that_breaks_down_is_named_and_left_out(stored, tmp_path, monkeypatch):
    """One of the runs fails; the tables lose its row and nothing else, and the record says which and why."""
    real = paper_scale.experiment

    class Failing:
        def run(self, method, seed, values):
            if (method, seed, values.reading, values.radius) == ("wdrbo", 2, "text", 0.3):
                raise ConditioningError("singular")
            return real("newsvendor").run(method, seed, values)

    monkeypatch.setattr(paper_scale, "experiment", lambda name: Failing() if name == "newsvendor" else real(name))
    store(tmp_path, jobs=1, plan=replace(SMALL, spreads=(), shift_problems=(), region_problems=()))
    tables, whole = load(tmp_path), load(stored).tables["runs"]
    (name,) = tables.record.settings["failures"]
    assert "wdrbo seed 2" in name
    assert "singular" in tables.record.settings["failures"][name]
    lost = "block == 'figures' and method == 'wdrbo' and seed == 2"
    assert len(tables.tables["runs"].query(lost)) == 0
    kept = whole[whole.block.isin(["figures", "radius", "grid"])].drop(whole.query(lost).index)
    assert tables.tables["runs"].to_csv(index=False) == kept.to_csv(index=False)


def test_variants_differ_from_what_they_vary(stored):
    rows = load(stored).tables["runs"]
    assert set(rows[rows.block == "shift"].variant) == {"shift=-0.1", "shift=0"}
    base = rows.query("block == 'figures' and reading == 'text'").set_index(["method", "seed"]).total
    for block, method in (("radius", "wdrbo"), ("region", "wdrbo"), ("grid", "drbo-mmd")):
        for row in rows[rows.block == block].itertuples():
            assert row.total != base[method, row.seed]
    figure = rows[rows.block == "figure-1"]
    first, unclipped = "spread=sd radius=0.1", "spread=sd radius=0.1 clipped=False"
    assert set(figure.variant) == {first, "spread=sd radius=0.1167", unclipped}
    clipped = figure[(figure.seed == 0) & (figure.variant != unclipped)]
    assert sorted(clipped.method) == ["erbo", "wdrbo", "wdrbo", "wdrbo-exact", "wdrbo-exact"]
    assert sorted(figure[(figure.seed == 0) & (figure.variant == unclipped)].method) == ["erbo", "wdrbo"]


def test_times_and_coverage_are_of_the_plan(stored):
    tables = load(stored).tables
    times = tables["timings"]
    assert set(map(tuple, times[["reading", "method"]].to_numpy())) == {
        *[("text", method) for method in SMALL.methods],
        ("code", "erbo"),
    }
    assert (times.total > times[["fit", "prepare", "inner", "lipschitz"]].sum(axis=1)).all()
    assert set(times[times.lipschitz > 0].method) == {"wdrbo"}
    assert set(tables["balls"]["size"]) == {5, 9}
    coverage = tables["coverage"]
    assert (coverage.draws == coverage.law.map(lambda law: 4 if "twice" in law else 12)).all()
    assert (coverage.covered <= coverage.draws).all()


def test_the_plan_keeps_the_frozen_seeds(root):
    margins = tomllib.loads((reported_folder("wdrbo", root).parent / "margins.toml").read_text(encoding="utf-8"))
    assert margins["wdrbo"]["seeds"] == {"first": 0, "runs": PAPER.runs, "more": PAPER.more}


def test_the_plan_has_the_papers_runs():
    cells = pd.DataFrame(
        [
            block.told(task, ("block", "problem", "reading", "method", "seed"))
            for block in runs(PAPER)
            for task in block.tasks
        ]
    )
    counts = cells[cells.block == "figures"].groupby(["reading", "problem", "method"]).seed.agg(["size", "nunique"])
    for problem in SEVEN:
        for method in (*PUBLISHED, "wdrbo-exact"):
            assert tuple(counts.loc["text", problem, method]) == (50, 50)
        assert {m for _, p, m in counts.loc[["code"]].index if p == problem} == set(PUBLISHED)
    for values in (task.parameters for block in runs(PAPER) for task in block.tasks):
        assert (values["horizon"], values["initial"], values["width"], values["noise"]) == (100, 5, 1.5, 0.0)
        assert values.get("data", "evaluations") == "evaluations"  # never a stand-in under the name of the problem


def test_tasks_are_distinct_and_runs_keep_no_time():
    every = [task for _, task in paper_scale.RUNS.of().items]
    assert len({json.dumps(task.to_json(), sort_keys=True) for task in every}) == len(every)
    assert "seconds" not in paper_scale.compute(runs(SMALL)[0].tasks[0])


def test_marks_are_tenths_of_the_horizon():
    assert marks(100).tolist() == [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
    assert marks(3).tolist() == [1, 2, 3]


def test_a_run_whose_data_are_absent_is_no_breakdown(monkeypatch):
    def absent(name):
        raise DataError(f"the data of {name} are not there")

    monkeypatch.setattr(paper_scale, "experiment", absent)
    with pytest.raises(DataError, match="not there"):
        paper_scale.compute(runs(SMALL)[0].tasks[0])


def test_missing_evaluations_are_said_before_any_work(tmp_path, monkeypatch):
    monkeypatch.delenv("COMPANION_DATA", raising=False)
    monkeypatch.setattr(
        paper_scale, "portfolio_data", lambda name: (_ for _ in ()).throw(DataError("portfolio is not there"))
    )
    with pytest.raises(DataError):
        store(tmp_path)
    assert not (tmp_path / "data").exists()
    with pytest.raises(ParameterError, match="newsvendor"):
        store(tmp_path, without=["newsvender"])
