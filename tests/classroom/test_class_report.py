"""The report on a class: rates, typical errors, what stayed empty; and similar code."""

from __future__ import annotations

import ast
import json
import os
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from classroom.conftest import answered

from companion import cli
from companion.classroom import class_report, similarity, source, student_copies
from companion.classroom.author_checks import reference_cells
from companion.classroom.notebook_text import notebook
from companion.classroom.sandbox import Sandbox
from companion.classroom.submitted_files import Student
from companion.core.errors import ParameterError

SIZES = source.find("ch3_sizes")
TEMPLATE = similarity.fingerprints(notebook(student_copies.notebook(SIZES, False, b""))[0])
REFERENCE = reference_cells(SIZES)


class Renamed(ast.NodeTransformer):
    """Other names of variables and arguments, other docstrings, other numbers."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return (
            node
            if node.id in similarity.BUILTIN | {"math", "Decimal", "localcontext"}
            else ast.Name(node.id + "_x", node.ctx)
        )

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(node.arg + "_x", ast.Name("int", ast.Load()))

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(node.value + 1) if type(node.value) is int else node


def disguised(cells: list[str]) -> list[str]:
    """The same code under other names, its cells in another order, with comments and magics."""
    told = [ast.unparse(ast.fix_missing_locations(Renamed().visit(ast.parse(cell)))) for cell in cells]
    return ["%matplotlib inline\n# my own work\n" + cell for cell in reversed(told)]


#: Answers to the same two questions, written independently of the reference.
OTHER = [
    """def original_sizes(T):
    out = []
    before = 1
    while sum(out) != T:
        low, high = 1, T
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if middle * middle >= T * before else (middle + 1, high)
        before = low
        out.append(low if sum(out) + low <= T else T - sum(out))
    return out
""",
    """def power_sizes(T, a):
    from fractions import Fraction
    a = Fraction(str(a))
    def ceiling(exponent):
        root = round(T ** float(exponent))
        candidates = range(max(root - 2, 1), root + 3)
        return next(n for n in candidates if n ** exponent.denominator >= T ** exponent.numerator)
    result, i = [], 0
    for i in range(1, 10_000):
        step = ceiling(1 - a**i)
        if sum(result) + step >= T:
            return [*result, T - sum(result)]
        result += [step]
""",
]
THIRD = [
    """def original_sizes(T):
    def rec(left, last):
        if not left:
            return []
        n = int(Decimal(T * last).sqrt().to_integral_value(rounding="ROUND_CEILING"))
        n = min(n, left)
        return [n] + rec(left - n, n)
    return rec(T, 1)
""",
    """def power_sizes(T, a):
    sizes = np.array([], dtype=int)
    for k in itertools.count(1):
        new = np.ceil(np.exp((1 - a**k) * np.log(T)) - 1e-9).astype(int)
        sizes = np.append(sizes, min(new, T - sizes.sum()))
        if sizes.sum() == T:
            break
    return sizes.tolist()
""",
]


def prints(*cells: list[str]) -> dict[str, frozenset[int]]:
    return {f"s{number}": frozenset(similarity.fingerprints(one)) for number, one in enumerate(cells)}


def test_renamed_and_reordered_code_is_found_and_independent_code_is_not() -> None:
    pairs = similarity.pairs(prints(REFERENCE, OTHER, disguised(REFERENCE), THIRD), TEMPLATE)
    by_pair = {(first, second): share for share, first, second, _ in pairs}
    assert pairs[0][1:3] == ("s0", "s2")
    assert pairs[0][0] > 0.9
    del by_pair["s0", "s2"]
    assert all(share < class_report.LEAST for share in by_pair.values()), by_pair


def test_part_of_a_solution_is_found() -> None:
    mixed = [OTHER[0], *[cell for cell in REFERENCE if "def power_sizes" in cell]]
    pairs = similarity.pairs(prints(REFERENCE, mixed, THIRD), TEMPLATE)
    assert pairs[0][1:3] == ("s0", "s1")
    assert class_report.LEAST < pairs[0][0] < 0.5


def test_what_was_handed_out_and_what_all_have_count_little() -> None:
    given = notebook(student_copies.notebook(SIZES, False, b""))[0]
    assert not similarity.pairs(prints(given, given, [*given, "x = 1"]), TEMPLATE)
    common = ["def helper(a, b):\n    return [max(x - y, 0) ** 2 for x, y in zip(a, b) if x is not None and y]\n"]
    few = similarity.pairs(prints(OTHER + common, THIRD + common), TEMPLATE)[0][0]
    many = similarity.pairs(prints(OTHER + common, THIRD + common, *[common] * 30), TEMPLATE)
    share = next(one[0] for one in many if one[1:3] == ("s0", "s1"))
    assert share < few


def test_the_template_is_taken_away_and_few_fingerprints_are_not_compared() -> None:
    given, own = frozenset(range(50)), [frozenset(range(100 * n, 100 * n + 20)) for n in (1, 2)]
    assert not similarity.pairs({"a": given | own[0], "b": given | own[1]}, given)
    few = frozenset(range(similarity.FEWEST - 1))
    assert not similarity.pairs({"a": few, "b": few}, frozenset())
    assert similarity.pairs({"a": few | {99}, "b": few | {99}}, frozenset()) == [(1.0, "a", "b", similarity.FEWEST)]


def test_fingerprints_are_the_same_everywhere_and_nothing_stops_them() -> None:
    assert similarity.fingerprints(["def f(x):\n    return [x + 1, x * 2, x - 3]"]) == similarity.fingerprints(
        ["def g(y):\n    '''Text.'''\n    return [y + 9, y * 8, y - 7]"]
    )
    assert not similarity.fingerprints(["x = (", "\0", "(" * 5000, "x" + ".y" * 100_000])
    assert len(similarity.fingerprints([f"a{n} = f(b, c[{n}]) + d({n}, [1, 2, 3])" for n in range(300)])) < 20


def test_wrong_answers_fail_what_their_scores_say() -> None:
    for name in ("ch3_sizes", "ch4_rounding"):
        chosen = source.find(name)
        for question in chosen.questions:
            before, points = chosen.key[question], {check.name: check.points for check in chosen.key[question].checks}
            found = class_report.patterns(chosen, question)
            assert chosen.key[question] is before
            for wrong in before.wrong:
                assert before.points - sum(points[check] for check in found[wrong.name]) == wrong.score, wrong.name


CLASS = [Student(f"s{number}", f"Name{number}") for number in range(6)]


@pytest.mark.slow
def test_a_class_from_grading_to_report(
    confined: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {question: SIZES.text("answer", question) for question in SIZES.questions}
    wrong = {one.name: one.applied(texts["q1"]) for one in SIZES.key["q1"].wrong}
    folder = tmp_path / "in"
    folder.mkdir()
    assert cli.main(["assignment", "make", "ch3_sizes"]) == 0
    for student, content in {
        "s0": answered(SIZES),
        "s1": answered(SIZES, {"q1": wrong["root in floats"]}),
        "s2": answered(SIZES, {"q1": wrong["root in floats"], "q3": "smallest_horizon = None"}),
        "s3": answered(SIZES, {"q3": "pass"}),
        "s4": Path("build/assignments/ch3_sizes/student/ch3_sizes.ipynb").read_bytes(),
    }.items():
        (folder / f"{student}.ipynb").write_bytes(content)
    Path("roster.csv").write_text("id,name\n" + "".join(f"{s.id},{s.name}\n" for s in CLASS), encoding="utf-8")
    grade = ["assignment", "grade", "in", "--assignment", "ch3_sizes", "--students", "roster.csv", "--jobs", "2"]
    assert cli.main(grade) == 0
    capsys.readouterr()

    assert cli.main(["assignment", "report", "grades", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["scores"] == [0, 7, 9, 10, 12]
    assert [one["students"] for one in found["distribution"]] == [1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1]
    assert found["statuses"] == {"graded": 5, "nothing handed in": 1}
    rates = {(one["question"], one["check"]): (one["passed"], one["of"]) for one in found["checks"]}
    assert rates["q1", "horizons of 19 digits just above a square"] == (2, 5)
    assert rates["q2", "horizons at which a power is an integer"] == (4, 5)
    (typical,) = [one for one in found["wrong"] if one["question"] == "q1"]
    assert typical["students"] == 2
    assert typical["as"] == ["root in floats"]
    assert found["unanswered"] == {"q1": 1, "q2": 1, "q3": 3}
    assert found["seconds"]["longest"] > 0
    assert {one["second"] for one in found["similar"] if one["first"] == "s4"} == {"(as handed out)"}
    top = {
        one["second"] for one in found["similar"] if one["first"] == class_report.SOLUTION and one["similarity"] == 1
    }
    assert "s0" in top

    assert cli.main(["assignment", "report", "grades/ch3_sizes"]) == 0
    said = capsys.readouterr().out
    assert class_report.CAUTION in said
    assert "root in floats" in said
    page = Path("grades/ch3_sizes/report.html").read_text(encoding="utf-8")
    assert not any(student.id in page or student.name in page for student in CLASS), (
        "no student in what is shown in class"
    )
    assert "<script" not in page
    assert "default-src 'none'" in page
    lines = Path("grades/ch3_sizes/similar.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "similarity,first,second,shared"
    shares = [float(line.split(",")[0]) for line in lines[1:-1]]
    assert shares == sorted(shares, reverse=True)

    Path("grades/ch3_sizes/overrides.csv").write_text("id,question,points\ns4,q1,2\n", encoding="utf-8")
    Path("grades/ch3_sizes/requests.csv").write_text("id,question,request,answer\ns1,q1,Why?,\n", encoding="utf-8")
    Path("due.csv").write_text("assignment,due\nch3_sizes,2026-10-05 12:00\n", encoding="utf-8")
    for name, day in (("s0", 6), ("s1", 4), ("s2", 5)):
        handed_in = datetime(2026, 10, day, 11).timestamp()
        os.utime(folder / f"{name}.ipynb", (handed_in, handed_in))
    assert cli.main([*grade, "--points", "q3=6", "--title", "Homework (1)"]) == 0
    said = capsys.readouterr()
    assert "requests without an answer: s1 q1\n" in said.out
    assert "days late: s0 0.96, s3 " in said.out
    assert "days late cost nothing without --late" in said.err
    assert cli.main(["assignment", "report", "grades", "--json"]) == 0
    again = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert again["scores"] == [2, 7, 9, 13, 15], "what is entered, not what was found"
    assert again["points"] == 15
    assert again["seconds"] == found["seconds"], "times of an earlier grading stay"

    (folder / "s3.ipynb").write_bytes(b"{")
    cli.main([*grade, "--points", "q3=6", "--title", "Homework (1)"])
    told = re.search(r"mean (\S+)", capsys.readouterr().out)
    assert cli.main(["assignment", "report", "grades"]) == 0
    out = capsys.readouterr().out
    assert "1 unreadable" in out
    assert told is not None
    assert f"mean {told[1]}," in out, "of the same students, without the one that could not be read"


def test_discrimination_is_the_correlation_with_the_points_of_the_other_checks() -> None:
    def graded(earned: tuple[int, ...]) -> dict[str, Any]:
        checks = [
            {"name": check.name, "points": 1, "earned": one, "message": ""}
            for check, one in zip(SIZES.key["q1"].checks, earned, strict=True)
        ]
        return {"score": sum(earned), "questions": [{"id": "q1", "checks": checks}]}

    # Three say the same, the fourth the contrary.
    class_ = [graded((good, good, good, 1 - good)) for good in [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]]
    assert [one["discrimination"] for one in class_report._checks(SIZES, class_)] == [1, 1, 1, -1]
    for unknown in (class_[:9], 10 * [graded((1, 1, 1, 1))]):
        assert {one["discrimination"] for one in class_report._checks(SIZES, unknown)} == {None}


def test_a_folder_without_a_grading_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="holds no grading"):
        class_report.read(tmp_path)
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "grades.csv").write_text("id\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="holds a, b"):
        class_report.read(tmp_path)


def test_scores_beyond_twenty_points_are_put_into_ten_classes() -> None:
    assert [one["students"] for one in class_report._distribution([0, 4.9, 5, 49.9, 50], 50)] == [2, 1, *[0] * 7, 1, 1]
