"""The stored runs of paper 1: the right ones, the same in any process."""

import json

import numpy as np
import pandas as pd
import pytest

from companion import registry
from companion.core.errors import DataError, ParameterError
from companion.papers.tsrsr.experiments import store as paper_scale
from companion.papers.tsrsr.experiments.runs import METHOD_NAMES, PAPER, TSRSRPlan, columns, variants
from companion.papers.tsrsr.experiments.store import store
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.stored.results import unjoined

QUICK = {"batch_size": 3, "batches": 2, "candidates": 25, "ascent_steps": 3}
SMALL = TSRSRPlan(
    problems=("gp-2d", "ackley-2d"),
    methods=("ts-rsr", "ts", "random"),
    runs=2,
    more=3,
    widths=(0.5, 4.0),
    width_problems=("ackley-2d",),
    resample_problems=("ackley-2d",),
    evaluations=4,
    batch_sizes=(1, 2),
    batching_seeds=2,
    posteriors=2,
    more_code=2,
    factor_problems=("ackley-2d",),
    factor_methods=("ts-rsr",),
    factor_seeds=1,
    overrides=QUICK,
)
TASKS = 2 * 3 * (3 + 2) + 3 * 3 + 2 * 2 + 2


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Made by processes of their own; runs made here have to give the same numbers."""
    root = tmp_path_factory.mktemp("whole")
    store(root, jobs=2, plan=SMALL)
    return root


def test_the_record_counts_the_runs(stored):
    settings = paper_scale.load(stored).record.settings
    assert (settings["runs"], settings["computed"]) == (TASKS, TASKS)


def test_stored_numbers_are_those_of_single_trials(stored):
    tables = paper_scale.load(stored).tables
    for reading, problem, method, seed in (
        ("text", "gp-2d", "ts", 2),
        ("text", "ackley-2d", "ts-rsr", 1),
        ("code", "ackley-2d", "ts-rsr", 1),
    ):
        run = registry.experiment("tsrsr", problem).run(method, seed, {**QUICK, "reading": reading})
        key = f"reading == '{reading}' and problem == '{problem}' and method == '{method}' and seed == {seed}"
        (row,) = tables["final"].query(key).itertuples()
        # By hand: the smallest regret among the design and all batches, and distinct points batch by batch.
        assert row.regret == pytest.approx(run.instantaneous_regret.min(), rel=1e-8)
        where = [tuple(np.atleast_1d(point)) for point in (run.query if run.points is None else run.points)]
        shares = [len(set(where[start : start + 3])) / 3 for start in (15, 18)]
        assert row.distinct == pytest.approx(np.mean(shares))
        if seed < SMALL.runs:
            (curve,) = tables["curves"].query(key).itertuples()
            expected = [run.instantaneous_regret[:end].min() for end in (15, 18, 21)]
            np.testing.assert_allclose(unjoined(curve.regret), expected, rtol=1e-5)
            np.testing.assert_allclose(unjoined(curve.distinct), shares, rtol=1e-5)


def test_variants_differ_from_the_rule_they_vary(stored):
    tables = paper_scale.load(stored).tables
    by_variant = tables["variants"].pivot(index="seed", columns="variant", values="regret")
    assert set(by_variant.columns) == {"width=0.5", "width=4", "resample=False"}
    assert not np.allclose(by_variant["width=0.5"], by_variant["width=4"])
    run = registry.experiment("tsrsr", "ackley-2d").run("bucb", 0, {**QUICK, "width": "constant", "multiplier": 4.0})
    assert by_variant["width=4"][0] == pytest.approx(run.simple_regret[-1], rel=1e-8)


def test_the_plan_has_the_papers_runs_in_both_readings():
    tasks = [task for block in columns(PAPER) for task in block.tasks]
    counts = pd.Series([(task.parameters["reading"], task.experiment, task.method) for task in tasks])
    counts = counts.value_counts()
    printed = {"gp-2d": 100, "gp-3d": 50}
    for name in SETTINGS:
        for method in METHOD_NAMES:
            own = printed.get(name, 10)
            assert counts["code", f"tsrsr/{name}", method] == max(own, 30)
            assert counts["text", f"tsrsr/{name}", method] == max(own, 50)
    for task in tasks:
        column = SETTINGS[task.experiment.removeprefix("tsrsr/")]
        assert (task.parameters["batch_size"], task.parameters["batches"]) == (column.batch_size, column.batches)
        assert task.parameters["function"] is None
        assert task.parameters.get("data", "boston") == "boston"  # never a stand-in under the name of the paper's table
    varied = [task for block in variants(PAPER) for task in block.tasks]
    assert {task.parameters["multiplier"] for task in varied if task.method == "bucb"} == {0.5, 1, 2, 4}


def test_runs_are_distinct_and_deterministic_tasks():
    every = [task for _, task in paper_scale.RUNS.of().items]
    keys = {json.dumps(task.to_json(), sort_keys=True) for task in every}
    assert len(keys) == len(every)
    assert "seconds" not in paper_scale.compute(every[0])


@pytest.mark.parametrize(
    ("missing", "left_out", "word"),
    [("box2d", ("robot-3d", "robot-4d"), "Box2D"), ("regression_data", ("boston-4d",), "boston_house_prices")],
)
def test_what_is_missing_is_said_before_any_work(tmp_path, monkeypatch, missing, left_out, word):
    def absent(*_):
        raise DataError(f"{word} is not there")

    monkeypatch.setattr(paper_scale, missing, absent)
    plan = TSRSRPlan(problems=(*left_out, "ackley-2d"), runs=1, overrides=QUICK)
    with pytest.raises(DataError, match=f"{word}.*without") as caught:
        store(tmp_path, plan=plan)
    assert all(name in str(caught.value) for name in left_out)
    assert not (tmp_path / "data").exists()


def test_columns_are_left_out_only_when_asked(tmp_path):
    plan = TSRSRPlan(
        problems=("robot-3d", "ackley-2d"),
        methods=("ts-rsr",),
        readings=("text",),
        runs=1,
        more=0,
        width_problems=(),
        resample_problems=("robot-3d",),
        batch_sizes=(),
        posteriors=0,
        factor_problems=(),
        overrides=QUICK,
    )
    store(tmp_path, jobs=1, without=["robot-3d", "robot-4d"], plan=plan)
    final = pd.read_csv(tmp_path / "data" / "results" / "tsrsr" / "final.csv")
    assert set(final.problem) == {"ackley-2d"}
    record = json.loads((tmp_path / "data" / "results" / "tsrsr" / "tables.record.json").read_text(encoding="utf-8"))
    assert record["settings"]["left_out"] == ["robot-3d", "robot-4d"]
    with pytest.raises(ParameterError, match="robot-3d"):
        store(tmp_path, without=["robot-3"], plan=plan)
