"""``companion trial --seeds``: the same runs as one by one, as one tidy table that is whole or not there."""

import io
import itertools
import json
import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from companion import papers, registry
from companion.core.errors import ResultError
from companion.stored import tables

SOURCE = Path(__file__).resolve().parents[2] / "src"
MANY = ("trial", "toy", "line", "ucb,random", "--seeds", "0-4", "--set", "horizon=6")


def test_the_table_has_the_numbers_of_each_run_alone(toy, command, tmp_path):
    path = tmp_path / "runs.csv"
    code, out, err = command(*MANY, "--out", path)
    assert (code, err) == (0, "")
    assert f"{path}: 10 runs, 60 rows; record {tmp_path / 'runs.record.json'}" in out
    frame = pd.read_csv(path)
    assert len(frame) == 60
    assert set(frame["paper"] + "/" + frame["experiment"]) == {"toy/line"}
    assert set(frame["horizon"]) == {6}
    assert [tuple(pair) for pair in frame[["method", "seed"]].drop_duplicates().to_numpy()] == [
        *itertools.product(("ucb", "random"), range(5))
    ]
    for (method, seed), rows in frame.groupby(["method", "seed"]):
        run = json.loads(command("trial", "toy", "line", method, "--seed", seed, "--set", "horizon=6", "--json")[1])
        assert rows["evaluation"].tolist() == list(range(1, 7))
        assert rows["round"].tolist() == run["batch"]
        for name in ("instantaneous_regret", "cumulative_regret", "simple_regret", "model_order"):
            assert rows[name].tolist() == run[name]
        assert set(rows["recommended_regret"]) == {run["recommended_regret"]}


def test_the_record_says_everything_that_was_set(toy, command, tmp_path):
    command(*MANY, "--out", tmp_path / "runs.csv")
    record = json.loads((tmp_path / "runs.record.json").read_text())
    assert record["command"].startswith("companion trial toy line ucb,random --seeds 0-4 --set horizon=6 --out ")
    assert record["seeds"] == [0, 1, 2, 3, 4]
    (of,) = record["settings"]["of"]
    assert (of["experiment"], of["methods"]) == ("toy/line", ["ucb", "random"])
    assert of["parameters"] == registry.experiment("toy", "line").parameters.resolve({"horizon": 6})


def test_the_same_bytes_for_any_worker_count_and_again(toy, command, tmp_path, monkeypatch):
    command(*MANY, "--out", tmp_path / "one.csv")
    whole = (tmp_path / "one.csv").read_bytes()
    monkeypatch.setenv("COMPANION_BACKEND", "threading")  # processes would not know this test's paper
    assert command(*MANY, "--out", tmp_path / "two.csv", "--jobs", 3)[0] == 0
    assert (tmp_path / "two.csv").read_bytes() == whole
    assert command(*MANY, "--out", tmp_path / "one.csv")[0] == 0
    assert (tmp_path / "one.csv").read_bytes() == whole


def test_methods_are_given_apart_or_with_commas(toy, command, tmp_path):
    command("trial", "toy", "line", "ucb", "random", "--seeds", "0-1", "--out", tmp_path / "apart.csv")
    command("trial", "toy", "line", "ucb,random", "--seeds", "0,1", "--out", tmp_path / "commas.csv")
    assert (tmp_path / "apart.csv").read_bytes() == (tmp_path / "commas.csv").read_bytes()


def test_without_a_file_there_is_a_line_for_each_run(toy, command):
    code, out, _ = command(*MANY)
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines()[1:]] == [
        [method, str(seed), "6"] for method in ("ucb", "random") for seed in range(5)
    ]
    runs = json.loads(command(*MANY, "--json")[1])
    assert [(run["meta"]["method"], run["meta"]["seed"]) for run in runs] == [
        *itertools.product(("ucb", "random"), range(5))
    ]


WRONG = [
    (("--seeds", "0-x"), "seeds: got '0-x'; expected numbers and ranges"),
    (("--seeds", ""), "seeds: got ''; expected"),
    (("--seeds", "0,,3"), "seeds: got '' in '0,,3'"),
    (("--seeds=-3",), "seeds: got '-3'"),
    (("--seeds", "1.5"), "seeds: got '1.5'"),
    (("--seeds", "9-3"), "seeds: '9-3' runs backwards; expected 3-9"),
    (("--seeds", "0-4,3"), "seeds: 3 occurs twice"),
    (("--seeds", "0-99999999999"), "seeds: '0-99999999999' asks for more than 1000000 seeds"),
    (("--seeds", "9999999999999999999"), "seeds: got 9999999999999999999; expected at most"),
    (("--seeds", "0-3", "--out", "runs.txt"), "--out: got 'runs.txt'; expected a name that ends with .csv or .parquet"),
    (("--seeds", "0-3", "--out", "."), "--out: got '.'"),
    (("--seeds", "0-3", "--set", "horizn=3"), "horizn: "),
    (("--seeds", "0-3", "--jobs", "0"), "jobs: got 0"),
]


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_wrong_input_is_one_line_and_nothing_is_run(toy, command, words, message):
    code, out, err = command("trial", "toy", "line", "ucb", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"companion trial: {message}")
    assert toy.CALLS == []


def test_unknown_and_repeated_methods_are_refused(toy, command):
    assert "method: got 'ubc'" in command("trial", "toy", "line", "random,ubc", "--seeds", "0-3")[2]
    assert "method: 'ucb' is given twice" in command("trial", "toy", "line", "ucb", "ucb", "--seeds", "0-3")[2]
    assert toy.CALLS == []


def test_a_file_with_something_else_is_left_alone_unless_forced(toy, command, tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("mine\n")
    code, _, err = command(*MANY, "--out", path)
    assert (code, path.read_text()) == (2, "mine\n")
    assert "--force" in err
    assert toy.CALLS == []
    assert command(*MANY, "--out", path, "--force")[0] == 0
    whole = path.read_bytes()
    code, _, err = command(*MANY[:-1], "horizon=7", "--out", path)
    assert (code, path.read_bytes()) == (2, whole)
    assert "holds other runs" in err


def test_parquet_without_its_library_is_one_line(toy, command, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "PARQUET", ("no_such_library",))
    code, _, err = command(*MANY, "--out", tmp_path / "runs.parquet")
    assert (code, toy.CALLS) == (2, [])
    assert (err.count("\n"), err.partition(": ")[2][:6]) == (1, "--out:")


def test_parquet_has_the_same_table(toy, command, tmp_path):
    pytest.importorskip("pyarrow")
    command(*MANY, "--out", tmp_path / "runs.csv")
    command(*MANY, "--out", tmp_path / "other.parquet")
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "other.parquet"), pd.read_csv(tmp_path / "runs.csv"), check_dtype=False
    )


@pytest.mark.parametrize("moment", range(2))
def test_an_interruption_leaves_no_table_in_part(toy, command, tmp_path, monkeypatch, moment):
    path, real, calls = tmp_path / "runs.csv", os.replace, []

    def replaces(*arguments):
        calls.append(arguments)
        if len(calls) > moment:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(os, "replace", replaces)
    assert command(*MANY, "--out", path)[0] == 130
    assert not path.exists()
    assert not list(tmp_path.glob(".*.tmp"))
    monkeypatch.setattr(os, "replace", real)
    assert command(*MANY, "--out", path)[0] == 0
    assert len(pd.read_csv(path)) == 60


def test_a_run_that_fails_leaves_nothing(toy, command, tmp_path):
    experiment = registry.experiment("toy", "line")

    def fails(method, seed, parameters):
        raise ResultError(f"no luck with {seed}")

    object.__setattr__(experiment, "setup", fails)
    code, _, err = command(*MANY, "--out", tmp_path / "runs.csv")
    assert code == 1
    assert "no luck" in err
    assert not list(tmp_path.glob("runs*"))


def test_a_paper_is_called_by_its_chapter_as_well(toy, command):
    papers.toy.PAPER = replace(papers.toy.PAPER, number=9)
    for name in ("toy", "9", "ch9", "ch9_toy"):
        assert command("trial", name, "line", "ucb", "--seed", 0, "--json")[0] == 0
    assert command("list", "ch9")[0] == 0
    for name in ("8", "ch8", "ch9_toi", "ch"):
        assert "paper: got" in command("trial", name, "line", "ucb", "--seed", 0)[2]


def test_lists_and_blanks_in_a_table(toy, command, tmp_path):
    command("trial", "toy", "line", "ucb", "--seed", 2, "--set", "exponents=0.1,0.2", "--set", "adaptive=true",
            "--out", tmp_path / "runs.csv")  # fmt: skip
    first = (tmp_path / "runs.csv").read_text().splitlines()[1]
    assert first.startswith('toy,line,ucb,2,"[0.1, 0.2]",True,1,1,')


def test_numbers_that_json_lacks_are_blanks(toy, command, tmp_path):
    real = toy.setup

    class Broken:
        def __init__(self, setup):
            self.setup, self.policy = setup, setup.policy

        def run(self):
            run = self.setup.run()
            object.__setattr__(run, "recommended_regret", float("nan"))
            return run

    experiment = registry.experiment("toy", "line")
    object.__setattr__(experiment, "setup", lambda *arguments: Broken(real(*arguments)))
    assert command(*MANY, "--out", tmp_path / "runs.csv")[0] == 0
    frame = pd.read_csv(io.BytesIO((tmp_path / "runs.csv").read_bytes()))
    assert frame["recommended_regret"].isna().all()


def test_two_methods_and_five_seeds_cost_less_than_three_seconds(tmp_path):
    """Of processor time, start of Python and imports included: how long one waits depends on what else runs."""
    words = ["trial", "tsrsr", "theory", "ts-rsr,random", "--seeds", "0-4", "--set", "batches=10", "--out", "runs.csv"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    subprocess.run(
        [sys.executable, "-m", "companion", *words], env=environment, cwd=tmp_path, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 3
    assert len(pd.read_csv(tmp_path / "runs.csv")) == 10 * 50


FEW = ("--seeds", "0-2", "--set", "horizon=8", "--set", "points=40", "--set", "low=-3", "--set", "high=3")


def test_seeds_at_once_give_the_table_of_seeds_one_by_one(command, tmp_path):
    words = ("trial", "compressed", "example-function", "cgp-ucb,bkb-ucb", *FEW)
    assert command(*words, "--out", tmp_path / "one.csv")[0] == 0
    code, out, err = command(*words, "--out", tmp_path / "two.csv", "--device", "cpu")
    assert (code, err) == (0, "")
    assert (tmp_path / "two.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()
    ways = [
        "cgp-ucb: 3 seeds at once on cpu",
        "bkb-ucb: 3 seeds one by one on the processor, because every round draws a new dictionary and factorises it",
    ]
    assert out.splitlines()[:2] == ways
    assert json.loads((tmp_path / "two.record.json").read_text())["settings"]["together"] == ways


def test_a_chapter_without_such_rules_goes_one_by_one(toy, command):
    code, out, _ = command(*MANY, "--device", "cpu")
    assert code == 0
    assert out.startswith("ucb: 5 seeds one by one on the processor, because the rules of this chapter take one seed")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seeds", "0-2", "--device", "gpu"), "--device: got 'gpu'"),
        (("--seed", "0", "--device", "cpu"), "--device: is for many seeds at once"),
    ],
)
def test_a_wrong_device_is_refused_before_any_work(toy, command, words, message):
    code, out, err = command("trial", "toy", "line", "ucb", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"companion trial: {message}")
    assert toy.CALLS == []
