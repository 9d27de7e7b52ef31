"""Tables as people have them, given to ``gain``, ``bounds`` and ``stop``: the right gain, or one line that says why not."""

from __future__ import annotations

import json

import numpy as np
import pytest

LINE = np.linspace(0, 1, 50)
GAIN = ["gain", "--kernel", "se", "--lengthscale", "0.2", "--noise", "0.1", "--horizon", "30"]
BOUNDS = ["bounds", "--kernel", "se", "--lengthscale", "0.2", "--noise", "0.3", "--horizon", "20", "--norm", "1"]
STOP = ["stop", "--kernel", "se", "--lengthscale", "0.3", "--noise", "0.1", "--eps", "0.5"]


def rows(form: str, values: np.ndarray = LINE, comma: bool = False) -> str:
    lines = [form.format(k, value, k + 1) for k, value in enumerate(values.tolist())]
    return "".join(f"{line.replace('.', ',') if comma else line}\n" for line in lines)


#: Tables of the same 50 points, whose gain is 18.564 to 18.623; as independent points they would have one of 69.2268.
SAME = {
    "plain": "x\n" + rows("{1!r}"),
    "row numbers": ",x\n" + rows("{0},{1!r}"),
    "row numbers read back": "Unnamed: 0,x\n" + rows("{0},{1!r}"),
    "row numbers from 1": '"","x"\n' + rows('"{2}",{1!r}'),
    "row numbers saved twice": ",Unnamed: 0,x\n" + rows("{0},{0},{1!r}"),
    "row numbers and a trailing comma": ",x,\n" + rows("{0},{1!r},"),
    "decimal commas in quotes": "x\n" + rows('"{1!r}"', comma=True),
    "decimal commas beside semicolons": ";x\n" + rows("{0};{1!r}", comma=True),
    "decimal commas beside tabs": "\tx\n" + rows("{0}\t{1!r}", comma=True),
    "sep=": "sep=;\nx;\n" + rows("{1!r};", comma=True),
}
COMMAS = {
    "one column": "x\n" + rows("{1:.4f}", comma=True),
    "two columns": "x,y\n" + rows("{1:.4f},0.5", comma=True),
    "row numbers": ",x\n" + rows("{0},{1:.4f}", comma=True),
    "a trailing comma": "x,\n" + rows("{1:.4f},", comma=True),
    "no heading": rows("{1:.4f}", comma=True),
}


@pytest.fixture
def table(tmp_path):
    def written(content: str | bytes, name: str = "points.csv") -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return written


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_gain_is_that_of_the_numbers(command, table, encoding: str) -> None:
    for trouble, content in SAME.items():
        code, out, err = command(*GAIN, "--candidates", table(content.encode(encoding)), "--json")
        assert (code, err) == (0, ""), trouble
        written = json.loads(out)
        assert 18.56 < written["lower"] <= written["upper"] < 18.63, trouble
        assert written["meta"]["coordinates"] == ["x"], trouble


@pytest.mark.parametrize("trouble", COMMAS)
def test_decimal_commas_between_commas_are_asked_about(command, table, trouble: str) -> None:
    path = table(COMMAS[trouble])
    for words in ([*GAIN, "--candidates", path], [*BOUNDS, "--candidates", path], [*STOP, path, "--points", "9"]):
        code, out, err = command(*words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "decimal commas, as in" in err


def test_answers_name_the_coordinates_and_what_was_left_out(command, table) -> None:
    path = table(",alloy,heat °C,time\n0,A,0.1,1\n1,B,0.2,2\n2,C,0.4,3\n".encode("cp1252"))
    code, out, _ = command(*GAIN, "--candidates", path)
    assert (code, out.splitlines()[-1]) == (
        0,
        "coordinates: heat °C, time; row numbers are left out; alloy names the rows",
    )
    assert json.loads(command(*GAIN, "--candidates", path, "--columns", "time", "--json")[1])["meta"][
        "coordinates"
    ] == ["time"]
    code, out, _ = command(*BOUNDS, "--candidates", path)
    assert (code, out.splitlines()[1]) == (0, "coordinates: heat °C, time")
    assert json.loads(command(*BOUNDS, "--candidates", path, "--json")[1])["meta"]["coordinates"] == ["heat °C", "time"]
    plain = table("0.1,1\n0.2,2\n")
    assert json.loads(command(*GAIN, "--candidates", plain, "--json")[1])["meta"]["coordinates"] is None
    assert "coordinates" not in command(*GAIN, "--candidates", plain)[1]


def test_a_covariance_saved_with_its_names_is_one(command, table) -> None:
    words = ["bounds", "--noise", "0.3", "--horizon", "20", "--norm", "1", "--csv"]
    plain = command(*words, "--covariance", table("1,0.5\n0.5,1\n"))
    assert plain[0] == 0
    for content in (",a,b\na,1,0.5\nb,0.5,1\n", ",0,1\n0,1,0.5\n1,0.5,1\n", ";a;b\na;1;0,5\nb;0,5;1\n"):
        assert command(*words, "--covariance", table(content)) == plain


def test_runs_and_candidates_of_stop_are_read_by_the_same_rules(command, table) -> None:
    runs = "x;y\n0,0;0,1\n0,5;1,2\n1,0;0,2\n"
    plain = command(*STOP, table(runs.replace(",", ".").replace(";", ","), "runs.csv"), "--points", "11")
    assert plain[0] == 0
    grid = "\tx\n" + rows("{0}\t{1!r}", np.linspace(0, 1, 11), comma=True)
    for content in (runs, runs.encode("utf-16"), ",x,y\n0,0.0,0.1\n1,0.5,1.2\n2,1.0,0.2\n"):
        words = [*STOP, table(content, "runs.csv")]
        assert command(*words, "--points", "11") == plain
        assert command(*words, "--candidates", table(grid)) == plain


def test_what_is_no_table_is_refused_by_name(command, table) -> None:
    for content, words in (
        (b"PK\x03\x04" + bytes(range(256)), "is a workbook (xlsx, ods) or another zip archive"),
        (b"x,cat\n1,left\n2,right\n", "line 2, column 'cat' has words, as 'left'"),
        (b"x,y\n1,2\n3,5 %\n", "line 3, column 'y': '5 %' has a percent sign"),
        (b"x,y\n1,2\n3\n", "line 3 has 1 cells, and the heading 2"),
    ):
        path = table(content)
        given = ([*GAIN, "--candidates", path], [*BOUNDS, "--candidates", path], [*STOP, path, "--points", "9"])
        for call in (*given, ["bounds", "--noise", "1", "--horizon", "9", "--covariance", path]):
            code, out, err = command(*call)
            assert (code, out, err.count("\n")) == (2, "", 1)
            assert words in err
