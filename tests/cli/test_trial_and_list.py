"""``companion trial`` and ``companion list`` on a paper made for the test."""

import json

import numpy as np
import pytest
from tolerances import PRINTED_RTOL, ROUNDED_SUM_ATOL

from companion import papers, registry
from companion.core.errors import CompanionError
from companion.simulate import replicate
from companion.simulate.regret import cumulative_regret, simple_regret

TRIAL = ("trial", "toy", "line", "ucb", "--seed", "3")


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def test_trial_json_has_the_contract_s_shape(toy, command):
    code, out, err = command(*TRIAL, "--set", "horizon=25", "--set", "kernel=matern32", "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    regret = np.array(record["instantaneous_regret"])
    assert regret.shape == (25,)
    np.testing.assert_array_equal(record["cumulative_regret"], cumulative_regret(regret))
    np.testing.assert_array_equal(record["simple_regret"], simple_regret(regret))
    assert record["batch"] == list(range(1, 26))
    assert record["seconds"] > 0
    meta = record["meta"]
    assert (meta["paper"], meta["experiment"], meta["method"], meta["seed"]) == ("toy", "line", "ucb", 3)
    assert meta["parameters"]["horizon"] == 25
    assert meta["parameters"]["kernel"] == "matern32"
    assert meta["parameters"]["batches"] is None
    assert meta["data"] == "synthetic"


def without_time(out):
    return {key: value for key, value in json.loads(out).items() if key != "seconds"}


def test_trial_is_the_same_on_every_call_and_for_any_worker_count(toy, command):
    once = without_time(command(*TRIAL, "--json")[1])
    assert without_time(command(*TRIAL, "--json")[1]) == once
    assert without_time(command(*TRIAL[:-1], 4, "--json")[1]) != once
    experiment = registry.experiment("toy", "line")
    for jobs in (1, 2, 4):
        runs = replicate(lambda seed: experiment.run("ucb", seed), range(5), jobs=jobs, backend="threading")
        assert {**runs[3].to_json(), "seconds": None} == {**once, "seconds": None}


def test_methods_share_function_and_noise_at_one_seed(toy, command):
    first = json.loads(command("trial", "toy", "line", "ucb", "--seed", 1, "--json")[1])
    second = json.loads(command("trial", "toy", "line", "random", "--seed", 1, "--json")[1])
    assert first["query"] != second["query"]
    # observation_t + regret_t = optimum + noise_t, whatever was queried.
    common = [np.add(record["observation"], record["instantaneous_regret"]) for record in (first, second)]
    np.testing.assert_allclose(common[0], common[1], atol=ROUNDED_SUM_ATOL)


def test_trial_prints_a_table_for_people(toy, command):
    code, out, _ = command("trial", "toy", "line", "random", "--seed", 0, "--set", "horizon=6")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "toy line random, seed 0"
    header = next(place for place, line in enumerate(lines) if "cumulative" in line)
    rows = [line.split() for line in lines[header + 1 : header + 7]]
    assert [row[0] for row in rows] == list("123456")
    assert [row[1] for row in rows] == list("111122")
    assert [row[5] for row in rows] == list("000000")
    assert float(rows[-1][3]) == pytest.approx(sum(float(row[2]) for row in rows), rel=PRINTED_RTOL)
    assert lines[-1].startswith("regret of the recommended point, in units of f: ")
    assert lines[-2].startswith("time spent in the policy: ")


WRONG = [
    ("--set horizn=10", "horizn", "horizon"),
    ("--set horizon=ten", "horizon", "[1, 100000]"),
    ("--set horizon=-100", "horizon", "[1, 100000]"),
    ("--set horizon=0", "horizon", "[1, 100000]"),
    ("--set horizon=1e3", "horizon", "integer"),
    ("--set horizon=", "horizon", "integer"),
    ("--set a=1", "a", "(0, 1)"),
    ("--set a=0", "a", "(0, 1)"),
    ("--set a=nan", "a", "not finite"),
    ("--set a=inf", "a", "not finite"),
    ("--set a=half", "a", "number"),
    ("--set kernel=matern23", "kernel", "'matern32'"),
    ("--set kernel=", "kernel", "'se'"),
    ("--set noise=0", "noise", "(0, inf)"),
    ("--set exponents=", "exponents", "empty"),
    ("--set exponents=[]", "exponents", "empty"),
    ("--set exponents=0.4,1", "exponents", "position 1"),
    ("--set exponents=0.4,nan", "exponents", "position 1"),
    ("--set adaptive=1", "adaptive", "true or false"),
    ("--set batches=2.5", "batches", "integer"),
    ("--set horizon", "horizon", "name=value"),
    ("--set horizon=3 --set horizon=4", "horizon", "twice"),
    ("--sett horizon=3", "--sett", "--set"),
    ("--set", "--set", "expected one after it"),
    ("--seed=-1", "seed", "[0, "),
    ("--seed=1.5", "seed", "integer"),
    ("surplus", "method", "got 'surplus'; expected one of ucb, random"),
]


@pytest.mark.parametrize(("text", "name", "hint"), WRONG)
def test_wrong_input_ends_with_code_2_and_one_line_that_names_it(toy, command, tmp_path, text, name, hint):
    before = files(tmp_path)
    code, out, err = command("trial", "toy", "line", "ucb", "--seed", 0, "--json", *text.split())
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("companion")
    assert f"{name}: " in err
    assert hint in err
    assert toy.CALLS == []
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "name", "hint"),
    [
        (("toi", "line", "ucb"), "paper", "'toy'"),
        (("toy", "lime", "ucb"), "experiment", "'line'"),
        (("toy", "line", "ubc"), "method", "'ucb'"),
    ],
)
def test_unknown_names_are_answered_with_the_nearest_known_one(toy, command, arguments, name, hint):
    code, out, err = command("trial", *arguments, "--seed", 0)
    assert (code, out) == (2, "")
    assert f"{name}: got" in err
    assert f"Did you mean {hint}?" in err


def test_missing_arguments_are_named(command):
    code, _, err = command("trial", "toy", "line")
    assert code == 2
    assert "METHOD: not given" in err


def test_one_of_seed_and_seeds_is_needed(toy, command):
    code, _, err = command("trial", "toy", "line", "ucb")
    assert (code, err.startswith("companion trial: --seed:")) == (2, True)
    code, _, err = command("trial", "toy", "line", "ucb", "--seed", 1, "--seeds", "0-3")
    assert code == 2
    assert "--seed:" in err


def test_an_error_in_the_trial_is_not_hidden(toy, command, monkeypatch):
    experiment = registry.experiment("toy", "line")
    object.__setattr__(experiment, "setup", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        command(*TRIAL)

    def fails(*_):
        raise CompanionError("the matrix\nis singular")

    object.__setattr__(experiment, "setup", fails)
    assert command(*TRIAL) == (1, "", "companion trial: the matrix is singular\n")


def test_list_json(toy, command):
    code, out, _ = command("list", "toy", "--json")
    assert code == 0
    records = json.loads(out)
    assert [(record["paper"], record["experiment"]) for record in records] == [("toy", "line"), ("toy", "plane")]
    assert records[0]["methods"] == ["ucb", "random"]
    parameters = {parameter["name"]: parameter for parameter in records[0]["parameters"]}
    assert {"name", "type", "default", "range", "source"} <= set(parameters["a"])
    assert (parameters["a"]["type"], parameters["a"]["default"], parameters["a"]["range"]) == ("float", 0.5, "(0, 1)")
    assert parameters["exponents"]["default"] == [0.4, 0.5]


def test_list_for_people_shows_everything_adjustable(toy, command):
    code, out, _ = command("list", "toy")
    assert code == 0
    for word in ("toy line", "toy plane", "random", *toy.PARAMETERS.names, "(0, 1)", "'matern32'", "Section 9"):
        assert word in out
    assert command("list", "toy", "line")[1] == out[: out.index("\n\ntoy plane")] + "\n"


def test_list_of_everything_is_short_and_in_json_whole(command):
    experiments = registry.experiments()
    code, out, _ = command("list")
    lines = out.splitlines()
    assert (code, len(lines) < 60, max(map(len, lines)) <= 132) == (0, True, True)
    assert [tuple(line.split()[:2]) for line in lines[1 : len(experiments) + 1]] == list(experiments)
    whole = json.loads(command("list", "--json")[1])
    assert sum(len(one["parameters"]) for one in whole) == sum(len(e.parameters.names) for e in experiments.values())
    assert [
        len(command("list", *words)[1].splitlines()) for words in (["3", "--names"], ["ch3", "robust", "--names"])
    ] == [
        7,
        4,
    ]


def test_list_of_an_unknown_experiment_is_refused(toy, command):
    code, out, err = command("list", "toy", "lime")
    assert (code, out) == (2, "")
    assert "experiment:" in err


def test_list_of_an_unknown_paper_is_refused(toy, command):
    code, out, err = command("list", "tpy")
    assert (code, out) == (2, "")
    assert "toy" in err


def test_list_without_papers(command, monkeypatch, tmp_path):
    monkeypatch.setattr(papers, "__path__", [str(tmp_path)])
    assert command("list", "--json") == (0, "[]\n", "")
    assert command("list") == (0, "no experiments\n", "")
    code, _, err = command("trial", "a", "b", "c", "--seed", 0)
    assert (code, err.startswith("companion trial: paper:")) == (2, True)


def test_what_a_new_paper_leaves_out_is_not_there_yet(toy, command):
    parts = {"discrepancies": "leads", "verdicts": "verdicts", "ledger": "statements", "verify": "stored_runs"}
    for name, part in parts.items():
        assert command(name, "toy")[::2] == (2, f"companion {name}: paper: got 'toy', but no paper declares {part}\n")


def test_a_paper_that_declares_an_experiment_wrongly_is_reported(toy):
    toy.EXPERIMENTS.append(toy.EXPERIMENTS[0])
    with pytest.raises(CompanionError, match="toy/line"):
        registry.experiments()
