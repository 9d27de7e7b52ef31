"""The stored runs of paper 4: the right ones, with the numbers of single trials, and never on other data than they say."""

import dataclasses
import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from companion import registry
from companion.core.errors import ParameterError, ResultError
from companion.papers.meanfield.experiments import runs as planned
from companion.papers.meanfield.experiments import store as paper_scale
from companion.papers.meanfield.experiments.runs import PAPER, PARTS, MeanFieldPlan, asked, data_used
from companion.papers.meanfield.experiments.store import store
from companion.papers.meanfield.problems.catalogue import SETTINGS, meanfield_problem
from companion.stored.results import unjoined

QUICK = {"candidates": 20, "restart": 4}
SMALL = MeanFieldPlan(
    problems=("swarm", "arena", "ports", "taxi-a"),
    runs=2,
    few=1,
    many=2,
    agents=(10, 40),
    actions=(5, 10),
    contexts=(1, 2),
    betas=(1.0,),
    horizon=13,
    overrides=QUICK,
)
DATA = {"bikes": "synthetic", "ports": "synthetic", "taxi-a": "synthetic"}


def made(plan, data=DATA):
    return asked(dataclasses.replace(plan, data=data))


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Made by processes of their own; runs made here have to give the same numbers."""
    root = tmp_path_factory.mktemp("whole")
    store(root, jobs=2, plan=SMALL, data="synthetic")
    return root


def test_every_run_of_the_plan_is_made_once(stored, tmp_path):
    settings = paper_scale.load(stored).record.settings
    assert settings["runs"] == settings["computed"] == sum(len(block.tasks) for block in made(SMALL))
    with pytest.raises(ResultError, match="make paper CH=4"):
        paper_scale.load(tmp_path)


def test_stored_numbers_are_those_of_single_trials(stored):
    tables = paper_scale.load(stored).tables
    for problem, method, values in (("arena", "mf-gp-ucb", {}), ("taxi-a", "turbo", {"data": "synthetic"})):
        run = registry.experiment("meanfield", problem).run(method, 1, {**QUICK, "horizon": 13, **values})
        chosen = f"part == 'figures' and problem == '{problem}' and method == '{method}' and seed == 1"
        (row,) = tables["final"].query(chosen).itertuples()
        (curve,) = tables["curves"].query(chosen).itertuples()
        reward, limit = np.asarray(run.diagnostics["reward"]), np.asarray(run.diagnostics["mean_field_reward"])
        best = int(np.argmax(reward))
        assert row.best == pytest.approx(reward[best], rel=1e-8)
        assert row.law_reward == pytest.approx(limit[best], rel=1e-8)
        assert row.last_rise == best + 1
        assert row.recommended == pytest.approx(run.recommended_regret, rel=1e-8)
        np.testing.assert_allclose(
            unjoined(row.cumulative), np.cumsum(run.meta["best_value"] - limit)[[9, 12]], rtol=1e-5
        )
        np.testing.assert_allclose(unjoined(row.simple), [run.simple_regret[9], run.simple_regret[12]], rtol=1e-5)
        # By hand: the best so far at every round, from the steps.
        steps, values_ = unjoined(curve.steps).astype(int), unjoined(curve.best)
        running = [values_[np.flatnonzero(steps <= t)[-1]] for t in range(1, 14)]
        np.testing.assert_allclose(running, [reward[: t + 1].max() for t in range(13)], rtol=1e-5)
        (law,) = tables["laws"].query(chosen).itertuples()
        shape = meanfield_problem(problem, **({"data": "synthetic"} if values else {})).optimal.shape
        np.testing.assert_allclose(unjoined(law.law).reshape(shape), run.diagnostics["best_law"], atol=1e-4)
        distance = 0.5 * np.abs(np.asarray(run.diagnostics["best_law"]) - _problem(problem).optimal).sum(axis=1).mean()
        assert row.apart == pytest.approx(distance, rel=1e-4)


def _problem(name):
    return meanfield_problem(name, data="synthetic" if name in DATA else "auto")


def test_every_row_says_its_data_and_the_record_too(stored):
    tables = paper_scale.load(stored)
    assert tables.record.settings["data"] == {"ports": "synthetic", "taxi-a": "synthetic"}
    labels = tables.tables["final"].groupby("problem").label.unique()
    assert {name: list(found) for name, found in labels.items()} == {
        "swarm": ["closed form"],
        "arena": ["closed form"],
        "ports": ["synthetic"],
        "taxi-a": ["synthetic"],
    }


def test_real_and_synthetic_runs_have_different_keys():
    """No task is left with data=auto: what it stands for depends on the machine."""
    real = DATA | {"taxi-a": "working-days"}
    assert not [task for block in made(SMALL, real) for task in block.tasks if task.parameters.get("data") == "auto"]
    one, two = (made(SMALL, data) for data in (DATA, real))
    tasks = [[task for block in part for task in block.tasks] for part in (one, two)]
    keys = [{task.key() for task in part if task.experiment == "meanfield/taxi-a"} for part in tasks]
    assert not keys[0] & keys[1]
    assert data_used(tuple(SETTINGS), "synthetic") == dict.fromkeys(
        ("bikes", "ports", "taxi-a", "taxi-b", "taxi-c"), "synthetic"
    )


def test_the_plan_has_the_papers_runs():
    tasks = [
        task
        for block in made(PAPER, data_used(tuple(SETTINGS), "synthetic"))
        if block.part == "figures"
        for task in block.tasks
    ]
    counts = Counter((task.experiment, task.method) for task in tasks)
    five = ("mf-gp-ucb", "turbo", "sa", "ga", "random")
    assert counts == {(f"meanfield/{name}", method): 10 for name in SETTINGS for method in five}
    for task in tasks:
        paper = SETTINGS[task.experiment.removeprefix("meanfield/")]
        assert (task.parameters["horizon"], task.parameters["agents"]) == (250, paper.agents)
        assert task.parameters.get("penalty", "weighted") == "weighted"
    assert {min(PAPER.agents), max(PAPER.agents)} == {10, 100_000}


def test_runs_are_computed_part_by_part_and_seed_by_seed():
    order = [task for _, task in paper_scale.RUNS.of(dataclasses.replace(SMALL, data=DATA)).items]
    figures = order[: 4 * 5 * 2]
    assert [task.seed for task in figures] == [0] * 20 + [1] * 20
    assert len({(task.experiment, task.method) for task in figures[:20]}) == 20
    assert len(order) == sum(len(block.tasks) for block in made(SMALL))


def test_every_block_differs_in_what_it_says():
    plan = MeanFieldPlan(few=1, runs=1, many=1)
    for block in made(plan, data_used(tuple(SETTINGS), "synthetic")):
        name, _, value = block.key["variant"].partition("=")
        for task in block.tasks:
            assert block.key["variant"] == "paper" or str(task.parameters[name]) in (value, f"{value}.0")


def test_parts_are_left_out_only_when_asked(tmp_path):
    plan = MeanFieldPlan(problems=("swarm",), runs=1, horizon=12, overrides=QUICK, parts=("figures", "quota"))
    store(tmp_path, jobs=1, without=["figures"], plan=plan)
    final = pd.read_csv(tmp_path / "data" / "results" / "meanfield" / "final.csv")
    assert set(final.part) == {"quota"}
    record = json.loads(
        (tmp_path / "data" / "results" / "meanfield" / "tables.record.json").read_text(encoding="utf-8")
    )
    assert record["settings"]["left_out"] == ["figures"]
    with pytest.raises(ParameterError, match="figures"):
        store(tmp_path, without=["figure"], plan=plan)
    with pytest.raises(ParameterError, match="nothing"):
        store(tmp_path, without=["figures", "quota"], plan=plan)
    with pytest.raises(ParameterError, match="data"):
        store(tmp_path, data="real", plan=plan)


def test_all_parts_are_known():
    assert PARTS[0] == "figures"
    assert {block.part for block in asked(PAPER)} == set(PARTS) - {"sizes"} | {"actions", "contexts"}
    assert planned.PAPER is PAPER
