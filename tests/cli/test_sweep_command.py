"""``companion sweep``: run, status and merge from a plan's file."""

import json

import pandas as pd
import pytest

from companion import registry
from companion.problems.datasets import DataUsed

PLAN = """
seeds = "0-2"

[[runs]]
experiment = "toy/line"
settings = {horizon = 4, kernel = ["se", "matern32"]}

[[runs]]
experiment = "toy/plane"
settings = {horizon = 3}
"""


@pytest.fixture
def plan(toy, tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_JOBS", "1")  # other processes would not know this test's paper
    path = tmp_path / "many.toml"
    path.write_text(PLAN)
    return path


def test_from_plan_to_tables(plan, command, tmp_path):
    folder = tmp_path / "many"
    code, out, err = command("sweep", plan, "--shard", "1/2")
    assert (code, err) == (0, "")
    assert out.startswith(f"{folder}, shard 1/2: ")
    status = json.loads(command("sweep", plan, "status", "--json")[1])
    assert 0 < status["missing"] < 15
    code, _, err = command("sweep", plan, "merge")
    assert (code, err.split(" runs are not there yet")[0]) == (1, f"companion sweep: {status['missing']} of 15")
    assert not list(folder.glob("*.csv"))
    assert command("sweep", "run", plan)[1] == (
        f"{folder}: 15 runs, {status['missing']} computed now, {status['done']} already there\n"
    )
    lines = command("sweep", "status", plan)[1].splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["toy/line", "ucb", "6", "0", "0"],
        ["toy/line", "random", "6", "0", "0"],
        ["toy/plane", "ucb", "3", "0", "0"],
        ["all", "15", "0", "0"],
    ]
    code, out, _ = command("sweep", plan, "merge")
    assert code == 0
    trials = pd.read_csv(folder / "trials.csv")
    assert trials.groupby(["experiment", "method"]).size().to_dict() == {
        ("line", "ucb"): 6, ("line", "random"): 6, ("plane", "ucb"): 3,
    }  # fmt: skip
    assert len(pd.read_csv(folder / "evaluations.csv")) == 12 * 4 + 3 * 3
    one = json.loads(command("trial", "toy", "line", "random", "--seed", 1, "--set", "horizon=4",
                             "--set", "kernel=matern32", "--json")[1])  # fmt: skip
    (row,) = trials.query(
        "experiment == 'line' and method == 'random' and seed == 1 and kernel == 'matern32'"
    ).itertuples()
    assert (row.cumulative_regret, row.recommended_regret) == (one["cumulative_regret"][-1], one["recommended_regret"])


def test_a_run_that_fails_is_counted_and_the_others_are_made(plan, command, tmp_path):
    experiment = registry.experiment("toy", "line")
    real = experiment.setup

    def fails(method, seed, parameters):
        if seed == 1 and method == "random":
            raise ZeroDivisionError("nothing left")
        return real(method, seed, parameters)

    object.__setattr__(experiment, "setup", fails)
    code, out, _ = command("sweep", plan, "--out", tmp_path / "here")
    assert code == 1
    assert "15 runs, 13 computed now" in out
    assert out.count("ZeroDivisionError: nothing left") == 2
    code, out, _ = command("sweep", plan, "status", "--out", tmp_path / "here")
    assert code == 0
    assert out.splitlines()[2].split() == ["toy/line", "random", "4", "0", "2"]
    assert out.endswith("The next call tries them again.\n")


def test_a_sweep_says_that_its_data_are_a_stand_in(plan, command):
    experiment = registry.experiment("toy", "plane")
    object.__setattr__(experiment, "data", lambda parameters: DataUsed("made-up", "drawn numbers", False))
    for action in ("run", "status"):
        out = command("sweep", plan, action)[1]
        assert out.count("data: made-up (drawn numbers); for the real data see 'companion data status'") == 1
    command("sweep", plan, "merge")
    trials = pd.read_csv(plan.with_suffix("") / "trials.csv")
    assert trials.groupby("experiment")["data_used"].unique().map(list).to_dict()["plane"] == ["made-up"]
    assert trials.query("experiment == 'line'")["data_used"].isna().all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no.toml",), "PLAN: there is no file no.toml"),
        (("many.toml", "stats"), "stats: is nothing that 'companion sweep' does"),
        (("status",), "PLAN: got 'status'"),
        (("many.toml", "status", "merge"), "PLAN: got"),
        (("many.toml", "--shard", "3/2"), "--shard: got '3/2'"),
        (("many.toml", "merge", "--shard", "1/2"), "--shard: is given. All shards are merged at once."),
        (("many.toml", "--out", "many.toml"), "--out: many.toml is a file"),
        (("many.toml", "--backend", "lokky"), "backend: got 'lokky'"),
        (("many.toml", "--jobs", "0"), "jobs: got 0"),
    ],
)
def test_wrong_input_is_one_line_and_nothing_is_run(plan, command, toy, tmp_path, words, message):
    code, out, err = command("sweep", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"companion sweep: {message}")
    assert toy.CALLS == []
    assert not (tmp_path / "many").exists()


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_is_not_there_is_refused_before_anything_starts(plan, command, toy, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("companion.simulate.cluster.CONNECT_SECONDS", 0.3)
    code, out, err = command("sweep", plan, "--scheduler", "tcp://127.0.0.1:1")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("companion sweep: scheduler:")
    assert toy.CALLS == []
    assert not (tmp_path / "many").exists()
