"""``companion stop``: the certificate of a table of evaluations, as text and as JSON; whether to stop is no error."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import companion as cp
from companion.exports.schema import schema

ROWS = np.array([[0.0, 0.1], [0.5, 1.2], [0.7, 1.4], [1.0, 0.2], [0.63, 1.5]])
HERE = {"kernel": "se", "lengthscale": "0.3", "noise": "0.1", "eps": "0.5", "points": "21"}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "runs.csv"
    np.savetxt(path, ROWS, delimiter=",", header="x,y", comments="", fmt="%.17g")
    return path


def words(table, *more, **options):
    return ["stop", str(table), *[f"--{n}={v}" for n, v in {**HERE, **options}.items() if v is not None], *more]


def expected(rows=ROWS, variance=1.0, **more):
    kernel = cp.kernel("se", 0.3, variance)
    return cp.certificate(cp.grid(21, 1), kernel, 0.1, rows[:, :1], rows[:, 1], **{"epsilon": 0.5, **more})


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ({}, {}),
        ({"norm": "2"}, {"norm": 2.0}),
        ({"rule": "srinivas", "delta": "0.2"}, {"rule": "srinivas", "delta": 0.2}),
    ],
)
def test_json_is_the_certificate(command, table, options, more):
    jsonschema = pytest.importorskip("jsonschema")
    code, out, err = command(*words(table, "--json", **options))
    assert (code, err) == (0, "")
    written, found = json.loads(out), expected(**more)
    jsonschema.validate(written, schema("stop"))
    for name in ("stop", "recommended", "regret", "why", "in_the_way", "rule", "width", "probability", "proved"):
        assert written[name] == getattr(found, name), name
    assert (tuple(written["point"]), written["meta"]["candidates"]) == (found.point, 21)


def test_text_says_both_answers_with_code_0(command, table):
    code, out, _ = command(*words(table))
    assert (code, out.partition(":")[0]) == (0, "stop")
    assert f"loses       at most {expected().regret:.4g}" in out
    code, out, _ = command(*words(table, norm="5", eps="0.05"))
    assert (code, out.partition(":")[0]) == (0, "go on")
    assert "in the way" in out
    code, out, _ = command(*words(table, rule="1.96"))
    assert "proved by nothing" in out


def test_units_mean_and_direction_are_taken_into_account(command, table, tmp_path):
    path = tmp_path / "small.csv"
    np.savetxt(path, np.column_stack([ROWS[:, 0], 7.0 - ROWS[:, 1]]), delimiter=",", fmt="%.17g")
    code, out, _ = command(*words(path, "--json", "--minimise", mean="7", variance="2.5"))
    found = expected(variance=2.5)
    assert (code, json.loads(out)["recommended"]) == (0, found.recommended)
    assert json.loads(out)["regret"] == pytest.approx(found.regret, rel=1e-6)
    assert command(*words(path, "--json", mean="7"))[1] != out


def test_candidates_from_a_file(command, table, tmp_path):
    points = np.array([0.2, 0.6, 0.65])
    np.savetxt(tmp_path / "c.csv", points, fmt="%.17g")
    code, out, _ = command(*words(table, "--json", candidates=str(tmp_path / "c.csv"), points=None))
    found = cp.certificate(points, cp.kernel("se", 0.3), 0.1, ROWS[:, :1], ROWS[:, 1], epsilon=0.5)
    assert (code, json.loads(out)["recommended"]) == (0, found.recommended)
    assert json.loads(out)["regret"] == pytest.approx(found.regret)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"points": None}, "--candidates: not given"),
        ({"candidates": "c.csv"}, "--candidates: is given beside --points"),
        ({"eps": "0"}, "eps: got"),
        ({"delta": "1"}, "delta: got"),
        ({"rule": "lemma-6"}, "horizon: is missing"),
        ({"rule": "one-root"}, "rule: 'one-root' is for a norm"),
        ({"rule": "srinvas"}, "Did you mean 'srinivas'?"),
        ({"lengthscale": "0.3,0.2"}, "lengthscale: has 2 entries"),
        ({"points": "1000001"}, "points: got"),
    ],
)
def test_bad_input_is_one_line_that_names_the_argument(command, table, options, name):
    code, out, err = command(*words(table, **options))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert name in err


def test_a_table_that_is_none_is_refused(command, table, tmp_path):
    (tmp_path / "one.csv").write_text("1\n2\n")
    for path, problem in ((tmp_path / "one.csv", "RUNS: "), (tmp_path / "no.csv", "is not a file")):
        code, out, err = command(*words(path))
        assert (code, out) == (2, "")
        assert problem in err


def raw(tmp_path):
    """Strengths of 680 to 1260 at two temperatures, and the temperatures among which one is chosen."""
    runs, among = tmp_path / "raw.csv", tmp_path / "among.csv"
    runs.write_text("temperature,strength\n20,740\n20,680\n140,1260\n140,1200\n")
    among.write_text("temperature\n" + "\n".join(map(str, range(0, 201, 10))))
    told = {"kernel": "matern32", "lengthscale": "60", "noise": "30", "eps": "50", "points": None}
    return runs, told | {"candidates": str(among)}


@pytest.mark.parametrize("more", [{}, {"norm": "1"}, {"rule": "srinivas"}, {"rule": "1.96"}, {"rule": "plateau-10"}])
def test_values_that_the_model_cannot_have_stop_nothing(command, tmp_path, more):
    jsonschema = pytest.importorskip("jsonschema")
    runs, told = raw(tmp_path)
    code, out, _ = command(*words(runs, **told, **more))
    assert (code, out.splitlines()[0].partition(": the 4 values ")[0]) == (0, "go on")
    assert "nothing is promised" in out
    written = json.loads(command(*words(runs, "--json", **told, **more))[1])
    jsonschema.validate(written, schema("stop"))
    assert (written["stop"], written["proved"], written["regret"]) == (False, False, None)
    assert written["contradicted"] == written["why"]


def test_the_right_mean_and_variance_are_promised_something(command, tmp_path):
    runs, told = raw(tmp_path)
    code, out, _ = command(*words(runs, **told, mean="970", variance="90000"))
    assert code == 0
    assert "at most 331" in out
    assert "rests on    the told length-scale" in out


def test_standardised_values_answer_in_their_own_units(command, tmp_path):
    runs, told = raw(tmp_path)
    code, out, _ = command(*words(runs, "--standardise", **told))
    assert code == 0
    assert "nothing is promised" in out
    assert "mean and variance are those of the 4 values" in out
    assert re.search(
        r"measured    of \d+ runs a setting with BoTorch's model fitted anew each time, up to [\d.]+ % broke", out
    )
    assert json.loads(command(*words(runs, "--standardise", "--json", **told))[1])["evidence"] in out
    assert "measured" not in command(*words(runs, **told))[1]
    code, _, err = command(*words(runs, "--standardise", **told, mean="970"))
    assert (code, "--standardise: is given beside" in err) == (2, True)


def test_a_mean_is_that_of_the_values_as_they_stand_where_small_ones_are_better(command, tmp_path):
    runs, told = raw(tmp_path)
    code, out, _ = command(*words(runs, "--minimise", **told, mean="970", variance="90000"))
    assert code == 0
    assert "take        temperature 20" in out
    assert "the 4 values" not in out


def test_candidates_with_names_in_another_order_are_read_by_their_columns(command, tmp_path):
    runs, among = tmp_path / "runs.csv", tmp_path / "among.csv"
    runs.write_text("run;heat;time;yield\na;300,5;1,0;69,0\nb;310,0;2,0;71,0\nc;305,0;1,5;70,0\n", encoding="utf-16")
    among.write_text("alloy,time,heat\nA,1.0,300.5\nB,2.0,310\nC,1.5,305\n")
    told = {
        "kernel": "se",
        "lengthscale": "10,1",
        "noise": "0.1",
        "mean": "70",
        "points": None,
        "candidates": str(among),
    }
    code, out, err = command(*words(runs, **told))
    assert (code, err) == (0, "")
    assert "take        B (heat 310, time 2)" in out
    swapped = told | {"columns": "time,heat,yield", "lengthscale": "1,10"}
    assert "take        B (time 2, heat 310)" in command(*words(runs, **swapped))[1]
    written = json.loads(command(*words(runs, "--json", **told))[1])
    assert written["meta"]["coordinates"] == ["heat", "time"]
    among.write_text("time\n1.0\n2.0\n")
    assert "2, as the evaluations: heat, time" in command(*words(runs, **told))[2]


def boxed(table, *more, **options):
    return words(table, "--domain=box", *more, **{"points": None, **options})


@pytest.mark.parametrize(
    ("options", "more"), [({}, {}), ({"norm": "2"}, {"norm": 2.0}), ({"rule": "2"}, {"rule": 2.0})]
)
def test_a_box_has_the_same_fields(command, table, options, more):
    jsonschema = pytest.importorskip("jsonschema")
    code, out, err = command(*boxed(table, "--json", **options))
    assert (code, err) == (0, "")
    written, kernel = json.loads(out), cp.kernel("se", 0.3)
    found = cp.certificate(None, kernel, 0.1, ROWS[:, :1], ROWS[:, 1], epsilon=0.5, domain="box", **more)
    jsonschema.validate(written, schema("stop"))
    for name in ("stop", "recommended", "regret", "why", "rule", "width", "probability", "decided", "proved"):
        assert written[name] == getattr(found, name), name
    assert (tuple(written["point"]), tuple(written["bracket"])) == (found.point, found.bracket)
    assert (written["meta"]["candidates"], written["meta"]["domain"]) == (None, "box")


def test_a_box_in_own_units_and_small_values(command, table, tmp_path):
    path, own = tmp_path / "own.csv", tmp_path / "runs.csv"
    np.savetxt(own, ROWS, delimiter=",", header="heat,y", comments="")
    np.savetxt(path, np.column_stack([20 + 60 * ROWS[:, 0], -ROWS[:, 1]]), delimiter=",", header="heat,y", comments="")
    _, one, _ = command(*boxed(own, eps="0.2"))
    _, other, _ = command(*boxed(path, "--minimise", lengthscale="18", low="20", high="80", eps="0.2"))
    assert one.splitlines()[0].startswith("stop: no point of the box is better than (0.6")
    assert other.splitlines()[0].startswith("stop: no point of the box is better than (58.")
    assert other.splitlines()[1].startswith("take        heat 58.")
    assert "to the best point of the box, with probability 0.9 or more" in one
    assert one.splitlines()[2] == other.splitlines()[2]


def test_what_cannot_be_decided_on_a_box_stands_in_the_first_line(command, table):
    code, out, _ = command(*boxed(table, low="-1", high="2", eps="0.2"))
    assert (code, out.startswith("go on: the rule cannot decide on 0.2: what can be promised lies between")) == (
        0,
        True,
    )
    assert "to decide   evaluate next x " in out


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"points": "5"}, "--points: is given beside --domain box"),
        ({"low": "0"}, "--high: is missing beside the other corner"),
        ({"low": "0,0", "high": "1,1"}, "--low: has 2 numbers; expected 1"),
        ({"low": "0.2", "high": "1"}, "evaluated: has (0.0,), which lies outside of the box"),
        ({"low": "1", "high": "0"}, "low, high: got"),
        ({"rule": "srinivas"}, "one of probability, union, differences"),
        ({"domain": "cube"}, "domain: got 'cube'; expected one of 'grid', 'box'"),
        ({"domain": "grid", "low": "0", "points": "5"}, "--low: is given beside a grid"),
    ],
)
def test_what_a_box_does_not_take_is_one_line(command, table, options, name):
    code, out, err = command(*words(table, **{"points": None, "domain": "box", **options}))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert name in err
