"""Sweeps: shards have no run in common, and processes on one folder share the work."""

import collections
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sweeping
from sweeping import EXPERIMENT, PLAN

from companion.core.errors import DataError, ParameterError, ResultError
from companion.problems.datasets import DataUsed
from companion.simulate import Experiment
from companion.simulate.plan import Plan, RunRequest, parse_seeds, read_plan
from companion.simulate.sweep import TASKS, Shard, progress, run_sweep, run_trial, same_runs
from companion.simulate.task_store import Task, result_path
from companion.stored import tables
from companion.stored.results import csv_bytes

SOURCE = Path(__file__).resolve().parents[2] / "src"


def run_at_once(folder, log, seconds, *shards):
    command = [sys.executable, sweeping.__file__, str(folder), str(log), str(seconds), *shards]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def merged(folder, plan=PLAN):
    tables.merge(plan, folder, "companion sweep")
    return [(folder / f"{name}.csv").read_bytes() for name in (tables.EVALUATIONS, tables.TRIALS)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The tables of one process that nothing disturbs."""
    folder = tmp_path_factory.mktemp("whole")
    assert run_sweep(PLAN, folder).computed == len(PLAN.tasks) == 48
    return merged(folder)


@pytest.mark.parametrize("n", [1, 3, 7])
def test_shards_started_at_once_make_each_run_once_and_the_same_tables(tmp_path, whole, n):
    run_at_once(tmp_path / "sweep", tmp_path / "log", 0.002, *(f"{number}/{n}" for number in range(1, n + 1)))
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == len(set(lines)) == 48
    assert merged(tmp_path / "sweep") == whole


def test_processes_without_shards_share_the_work(tmp_path, whole):
    run_at_once(tmp_path / "sweep", tmp_path / "log", 0.02, "1/1", "1/1", "1/1")
    times = collections.Counter((tmp_path / "log").read_text().splitlines())
    assert len(times) == 48
    # Three processes that knew nothing of each other would make 144 runs.
    assert sum(times.values()) < 48 + 24
    assert merged(tmp_path / "sweep") == whole


def test_a_shard_does_its_part_and_what_is_there_is_not_made_again(tmp_path, whole):
    counts = [run_sweep(PLAN, tmp_path, Shard(number, 3)).computed for number in (1, 2, 3)]
    assert sum(counts) == 48
    assert min(counts) > 4
    assert run_sweep(PLAN, tmp_path).reused == 48
    path = result_path(PLAN.tasks[7], tmp_path / TASKS)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ResultError):
        tables.merge(PLAN, tmp_path, "")
    assert (run_sweep(PLAN, tmp_path).computed, merged(tmp_path)) == (1, whole)


def test_a_wider_plan_goes_on_with_what_is_there(tmp_path):
    run_sweep(PLAN, tmp_path)
    wider = Plan.of([RunRequest(EXPERIMENT, ("two", "one"), tuple(range(14)), ({"noise": 0.5}, {"noise": 0.1}))])
    assert run_sweep(wider, tmp_path).computed == 2 * 2 * 2
    assert same_runs(PLAN.tasks) == same_runs(PLAN.tasks[::-1]) != same_runs(wider.tasks)


def test_progress_counts_by_method_and_names_what_failed(tmp_path, monkeypatch):
    real = sweeping.begun

    def fails(line):
        if line == "two 3 0.5":
            raise ZeroDivisionError("nothing left")
        real(line)

    cells, _ = progress(PLAN, tmp_path)
    assert [(cell.method, cell.done, cell.missing) for cell in cells] == [("one", 0, 24), ("two", 0, 24)]
    monkeypatch.setattr(sweeping, "begun", fails)
    assert run_sweep(PLAN, tmp_path, Shard(1, 2)).failed + run_sweep(PLAN, tmp_path, Shard(2, 2)).failed == 1
    cells, failures = progress(PLAN, tmp_path)
    assert [(cell.method, cell.done, cell.missing, cell.failed) for cell in cells] == [
        ("one", 24, 0, 0),
        ("two", 23, 0, 1),
    ]
    (failure,) = failures
    assert "toy/small two seed 3 (horizon=5, noise=0.5)" in failure.task
    assert (failure.error, failure.where[:19]) == ("ZeroDivisionError: nothing left", "test_sweep.py, line")
    monkeypatch.setattr(sweeping, "begun", real)
    assert run_sweep(PLAN, tmp_path).computed == 1
    assert progress(PLAN, tmp_path)[1] == []


def test_a_worker_with_other_data_computes_nothing():
    used = [DataUsed("file", "real ones", True, "ab" * 32), DataUsed("stand-in", "made up", False)]
    experiment = Experiment("toy", "small", "", EXPERIMENT.methods, EXPERIMENT.parameters, None, "", lambda _: used[0])
    (task,) = experiment.tasks(["one"], [0])
    del used[0]
    with pytest.raises(DataError):
        run_trial(task, {"toy/small": experiment})


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3", "1/2/3", ""])
def test_a_shard_that_is_none_is_refused(text):
    with pytest.raises(ParameterError, match="--shard"):
        Shard.parse(text)


def test_every_run_is_in_one_shard():
    for n in (1, 2, 7, 100):
        shards = [Shard.parse(f"{number}/{n}") for number in range(1, n + 1)]
        assert all(sum(shard.holds(task) for shard in shards) == 1 for task in PLAN.tasks)


# -- plans -----------------------------------------------------------------------------------------------------------


def find(paper, name):
    if (paper, name) != ("toy", "small"):
        raise ParameterError("experiment", f"got {name!r}")
    return EXPERIMENT


def plan_of(tmp_path, text):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    return read_plan(path, find)


def test_a_plan_is_a_product(tmp_path):
    plan = plan_of(
        tmp_path,
        """
        seeds = "0-2"
        [[runs]]
        experiment = "toy/small"
        settings = {noise = [0.5, 0.1], horizon = 7}
        [[runs]]
        experiment = "toy/small"
        methods = ["two"]
        seeds = [8, "10-11"]
        [[runs]]
        experiment = "toy/small"
        methods = ["two"]
        seeds = 8
        """,
    )
    found = [(task.parameters["noise"], task.parameters["horizon"], task.method, task.seed) for task in plan.tasks]
    assert found == [
        *((noise, 7, method, seed) for noise in (0.5, 0.1) for method in ("one", "two") for seed in range(3)),
        *((0.1, 5, "two", seed) for seed in (8, 10, 11)),
    ]
    assert plan.varied == ("noise", "horizon")
    again = plan_of(tmp_path, (tmp_path / "plan.toml").read_text())
    assert [task.key() for task in plan.tasks] == [task.key() for task in again.tasks]


def test_settings_may_be_listed_one_by_one(tmp_path):
    plan = plan_of(
        tmp_path,
        """
        [[runs]]
        experiment = "toy/small"
        methods = ["one"]
        seeds = 0
        settings = [{noise = 0.5, horizon = 7}, {noise = 0.1}]
        """,
    )
    assert [(task.parameters["noise"], task.parameters["horizon"]) for task in plan.tasks] == [(0.5, 7), (0.1, 5)]


BLOCK = '[[runs]]\nexperiment = "toy/small"\n'
WRONG = [
    ("", "asks for no runs; expected at least one block"),
    ("seeds = \n", "is not valid TOML: Invalid value (at line 1"),
    ("seed = 3\n" + BLOCK, "has 'seed'; expected only seeds, runs. Did you mean 'seeds'?"),
    (BLOCK, "block 1: seeds: not given"),
    ("seeds = 1\n[[runs]]\nmethods = ['one']", "block 1: experiment: not given; expected PAPER/EXPERIMENT"),
    ("seeds = 1\n[[runs]]\nexperiment = 'toy/smal'", "block 1: experiment: got 'smal'"),
    ("seeds = 1\n" + BLOCK + BLOCK + "method = 'one'", "block 2: runs: has 'method'"),
    ("seeds = 1\n" + BLOCK + "methods = ['won']", "block 1: method: got 'won'; expected one of one, two"),
    ("seeds = 1\n" + BLOCK + "methods = []", "block 1: methods: got []"),
    ("seeds = 1\n" + BLOCK + "settings = {noise = -1}", "block 1: noise: got -1"),
    ("seeds = 1\n" + BLOCK + "settings = {nois = 1}", "block 1: nois: "),
    ("seeds = 1\n" + BLOCK + "settings = {noise = []}", "block 1: noise: is an empty list"),
    ("seeds = 1\n" + BLOCK + "settings = 3", "block 1: settings: got 3"),
    ("seeds = '4-2'\n" + BLOCK, "block 1: seeds: '4-2' runs backwards"),
    ("seeds = true\n" + BLOCK, "block 1: seeds: got 'True'"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_plan_that_is_wrong_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(ParameterError) as caught:
        plan_of(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'plan.toml'}")
    assert message in str(caught.value)


def test_a_plan_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(ParameterError):
        read_plan(tmp_path / "no.toml", find)
    with pytest.raises(ParameterError, match="cannot be read"):
        read_plan(tmp_path, find)


def test_ranges_of_seeds():
    assert parse_seeds("0-3") == (0, 1, 2, 3)
    assert parse_seeds(" 7, 2 - 4 ,0") == (7, 2, 3, 4, 0)


def test_columns_of_several_experiments_keep_their_types():
    other = Experiment("toy", "other", "", EXPERIMENT.methods, EXPERIMENT.parameters, None, "")
    plan = Plan(
        (*PLAN.tasks[:1], Task("toy/other", "one", {"round": 3}, 1)), {"toy/other": other}, ("horizon", "round")
    )
    run = {"batch": [1, 1], "instantaneous_regret": [1.0, 0.5], "cumulative_regret": [1.0, 1.5], "model_order": [0, 0],
           "simple_regret": [1.0, None], "recommended_regret": 0.25}  # fmt: skip
    text = tables.evaluations(plan, [run, run]).to_csv(index=False)
    assert csv_bytes(tables.evaluation_columns(plan, [run, run])).decode() == text
    assert text.splitlines()[1:] == [
        "toy,small,one,0,5,,1,1,1.0,1.0,1.0,0,0.25",
        "toy,small,one,0,5,,2,1,0.5,1.5,,0,0.25",
        "toy,other,one,1,,3,1,1,1.0,1.0,1.0,0,0.25",
        "toy,other,one,1,,3,2,1,0.5,1.5,,0,0.25",
    ]
    assert "horizon,parameter_round,evaluation,round" in text
