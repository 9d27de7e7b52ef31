"""Grading a folder: the same bytes again, resumed where it stopped, tables, pages, and the command."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from classroom.conftest import QUICK, answered, everything, setting

from companion import cli
from companion.classroom import course_tables, grading, isolation, keys, reports, sandbox_policy, source
from companion.classroom.grading import FAILED, GradingSetting, grade_folder
from companion.classroom.interpreter import Interpreter
from companion.classroom.sandbox import Sandbox, SandboxError
from companion.classroom.source import Assignment
from companion.classroom.submitted_files import Student
from companion.core.errors import ParameterError

STUDENTS = [
    Student("ada", "Lovelace, Ada", "ada@example.edu", "17"),
    Student("bob", "Bob <b>", "bob@example.edu", "18"),
    Student("cid", "Cid", "cid@example.edu", "19"),
]


@pytest.fixture
def submissions(tmp_path: Path, quick: Assignment) -> Path:
    folder = tmp_path / "submissions"
    folder.mkdir()
    (folder / "ada.ipynb").write_bytes(answered(quick))
    (folder / "bob.ipynb").write_bytes(answered(quick, {"q1": "def original_sizes(T):\n    return '<script>'"}))
    return folder


@pytest.mark.slow
def test_grading_again_gives_the_same_bytes_whatever_the_number_of_workers(
    confined: Sandbox, quick: Assignment, submissions: Path, tmp_path: Path
) -> None:
    chosen = setting(quick, confined)
    seen = []
    for place, jobs in (("a", 1), ("b", 2)):
        results, _ = grade_folder(submissions, STUDENTS, chosen, tmp_path / place, jobs)
        reports.write(quick, STUDENTS, results, tmp_path / place)
        seen.append(everything(tmp_path / place))
    grade_folder(submissions, STUDENTS, chosen, tmp_path / "a", again=True)
    assert seen[0] == seen[1] == everything(tmp_path / "a")
    assert {"grades.csv", "canvas.csv", "moodle.csv", "feedback/cid.html", "results/cid.json"} <= set(seen[0])


@pytest.mark.slow
def test_an_interrupted_grading_goes_on_where_it_stopped(
    confined: Sandbox, quick: Assignment, submissions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, out = setting(quick, confined), tmp_path / "out"
    graded: list[str] = []
    stops = ["bob"]
    whole = grading.grade

    def counted(current: GradingSetting, student: str, content: bytes) -> grading.Result:
        if student in stops:
            stops.remove(student)
            raise KeyboardInterrupt
        graded.append(student)
        return whole(current, student, content)

    monkeypatch.setattr(grading, "grade", counted)
    with pytest.raises(KeyboardInterrupt):
        grade_folder(submissions, STUDENTS, chosen, out)
    told: list[str] = []
    results, _ = grade_folder(submissions, STUDENTS, chosen, out, tell=told.append)
    assert graded == ["ada", "bob"]
    assert [result["score"] for result in results] == [12, 7, 0]
    assert told[0] == "1 of 2 are graded already"
    assert told[1].startswith("1/1 bob: 7/12, graded")

    graded.clear()
    (submissions / "ada.ipynb").write_bytes(answered(quick, {"q3": "smallest_horizon = None"}))
    results, _ = grade_folder(submissions, STUDENTS, chosen, out)
    assert graded == ["ada"], "a changed notebook is graded again, and no other"
    assert results[0]["score"] == 9
    other = GradingSetting(quick.path, keys.Keys(b"shown", b"another hidden key"), confined, QUICK)
    grade_folder(submissions, STUDENTS, other, out)
    assert graded == ["ada", "ada", "bob"], "with another secret everything is graded again"


def rows(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode())))


def test_no_name_is_a_formula_to_a_spreadsheet() -> None:
    cells = ["=cmd|'/C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "Ada", "-", "", 12, -3.5, "a=b"]
    (row,) = rows(reports.csv_text([cells]).encode())
    assert row == [*(f"'{cell}" for cell in cells[:4]), "Ada", "-", "", "12", "-3.5", "a=b"]


@pytest.mark.slow
def test_tables_and_pages(confined: Sandbox, quick: Assignment, submissions: Path, tmp_path: Path) -> None:
    results, _ = grade_folder(submissions, STUDENTS, setting(quick, confined), tmp_path / "out")
    reports.write(quick, STUDENTS, results, tmp_path / "out")
    files = everything(tmp_path / "out")
    grades = rows(files["grades.csv"])
    assert grades[0] == ["id", "name", "score", "points", "q1", "q2", "q3", "status", "sandbox", "notes"]
    assert grades[1] == ["ada", "Lovelace, Ada", "12", "12", "5", "4", "3", "graded", confined.rung, "0"]
    assert grades[3][:8] == ["cid", "Cid", "", "12", "", "", "", "nothing handed in"]
    canvas = rows(files["canvas.csv"])
    assert canvas[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", quick.title]
    assert canvas[1][0].strip() == "Points Possible"
    assert canvas[2] == ["Lovelace, Ada", "17", "ada", "ada@example.edu", "", "12"]
    assert [row[2] for row in canvas[2:]] == ["ada", "bob"], "Canvas takes a blank for a score to be removed"
    moodle = rows(files["moodle.csv"])
    assert moodle[0] == ["ID number", "Full name", "Email address", quick.title, "Feedback comments"]
    assert moodle[2] == ["bob", "Bob <b>", "bob@example.edu", "7", "q1: 0/5, q2: 4/4, q3: 3/3"]
    assert moodle[3][3] == "-", "which Moodle takes for no grade"
    page = files["feedback/bob.html"].decode()
    assert page.count("<main>") == 1
    assert "<th></th>" not in page
    assert page.count('<span class="said">not passed</span>') == 4
    assert "7 of 12 points" in page
    assert "Bob &lt;b&gt;" in page
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert "default-src 'none'" in page
    result = json.loads(files["results/bob.json"])
    assert result["sandbox"] == confined.rung
    assert result["limits"]["memory"] == QUICK.memory


def test_another_user_may_not_read_the_submissions(quick: Assignment, tmp_path: Path) -> None:
    interpreter = Interpreter("python", "/", str(tmp_path), (), {})
    chosen = setting(quick, Sandbox("container", interpreter, tmp_path / "kit"))
    tmp_path.chmod(0o700)
    assert not isolation.open_to_others(tmp_path)
    assert isolation.open_to_others(Path("/usr"))
    with pytest.raises(ParameterError, match="chmod 700"):
        grade_folder(Path("/usr"), STUDENTS, chosen, tmp_path / "out")


# The sandbox's choice ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_without_a_sandbox_nothing_is_run_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "_missing", lambda rung: "" if rung == "none" else "taken away")
    with pytest.raises(SandboxError, match="--no-sandbox"), isolation.opened():
        pass
    with isolation.opened(no_sandbox=True) as box:
        assert box.rung == "none"
        assert set(box.weaker) == set(sandbox_policy.RUNGS[:-1])


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_elsewhere_than_on_linux_every_rung_says_why_not(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation.sys, "platform", system)
    told = f"none: needs Linux, this is {system}"
    with pytest.raises(SandboxError, match=told), isolation.opened(no_sandbox=True):
        pass


def test_the_commands_load_where_there_is_no_c_library_to_ask() -> None:
    """As on Windows, where assignments are made, if not graded."""
    code = """
import ctypes
library = ctypes.CDLL
def elsewhere(name, *given, **named):
    if name is None:
        raise TypeError("there is no library without a name")
    return library(name, *given, **named)
ctypes.CDLL = elsewhere
import companion.cli.assignment_command
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_next_rung_is_taken_when_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def failing(box: Sandbox) -> tuple[str, dict[str, str]]:
        tried.append(box.rung)
        return "" if box.rung == "container" else "does not work here", {}

    monkeypatch.setattr(isolation, "_missing", lambda rung: "")
    monkeypatch.setattr(isolation, "_tried", failing)
    with isolation.opened() as box:
        assert box.rung == "container"
    assert tried == ["bubblewrap", "container"]


def test_an_unknown_rung_and_a_python_that_is_none_are_refused(tmp_path: Path) -> None:
    for rung in ("docker", "namespaces", "user"):
        with pytest.raises(ParameterError, match="--rung"), isolation.opened(rung):
            pass
    with pytest.raises(ParameterError, match="--python"), isolation.opened(python=str(tmp_path / "python")):
        pass


# The command ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_make_three_submissions_grade_as_an_instructor(
    confined: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["assignment", "make", "ch3_sizes"]) == 0
    assert "course.secret" in capsys.readouterr().out
    made = tmp_path / "build" / "assignments" / "ch3_sizes"
    os.mkdir("handed-in")
    Path("handed-in/ada.ipynb").write_bytes((made / "solution.ipynb").read_bytes())
    Path("handed-in/bob.ipynb").write_bytes((made / "student" / "ch3_sizes.ipynb").read_bytes())
    Path("handed-in/stranger.ipynb").write_bytes(b"{}")
    Path("roster.csv").write_text("id,name\nada,Ada\nbob,Bob\n", encoding="utf-8")
    grade = ["assignment", "grade", "handed-in", "--assignment", "ch3_sizes", "--students", "roster.csv", "--jobs", "1"]
    assert cli.main(grade) == 1, "a notebook is nobody's"
    said = capsys.readouterr()
    assert "nobody's, and not graded: handed-in/stranger.ipynb" in said.err
    assert "sandbox: " in said.err
    assert "2/2" in said.err
    assert [row[2] for row in rows(Path("grades/ch3_sizes/grades.csv").read_bytes())] == ["score", "12", "0"]
    os.remove("handed-in/stranger.ipynb")
    assert cli.main([*grade, "--json"]) == 0
    graded = json.loads(capsys.readouterr().out)
    assert [one["score"] for one in graded["results"]] == [12, 0]
    assert len(graded["warnings"]) == 2
    assert "has the id 'solution' typed in, and is graded with the numbers of 'ada'" in graded["warnings"][0]
    assert "has no id typed in" in graded["warnings"][1]

    assert cli.main([*grade, "--only", "bob", "--only", "ada", "--points", "q1=10", "--title", "Homework (7)"]) == 0
    told = capsys.readouterr()
    assert "2/2 " in told.err
    assert "mean 8.50 of 17" in told.out
    assert rows(Path("grades/ch3_sizes/canvas.csv").read_bytes())[0][5] == "Homework (7)"
    assert cli.main(["assignment", "key", "ada", "--assignment", "ch3_sizes", "--students", "roster.csv"]) == 0
    assert "smallest_horizon is " in capsys.readouterr().out
    assert cli.main(["assignment", "key", "adda", "--assignment", "ch3_sizes", "--students", "roster.csv"]) == 2
    assert "Did you mean 'ada'" in capsys.readouterr().err
    assert cli.main(["assignment", "rubric", "ch3_sizes", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("Rubric Name,Criteria Name,")

    Path("student").mkdir()
    for name in ("solution.ipynb", "student/selfcheck.py"):
        (Path("student") / Path(name).name).write_bytes((made / name).read_bytes())
    assert cli.main(["assignment", "check", "student/solution.ipynb"]) == 0
    assert capsys.readouterr().out.count("form asked for") == 3
    planted = Path("student/selfcheck.py").read_text() + "\nopen('planted', 'w').close()\nimport sys\nsys.exit(1)\n"
    Path("student/selfcheck.py").write_text(planted)
    assert cli.main(["assignment", "check", "student/solution.ipynb"]) == 0
    assert not list(Path().rglob("planted")), "a file of a student's is read, and not run"
    capsys.readouterr()
    assert cli.main(["assignment", "export", "ch3_sizes", "--format", "otter"]) == 0
    assert "would be a key" in capsys.readouterr().out


def test_list_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["assignment", "--json", "list"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in listed] == list(source.assignments())
    assert all(one["minutes"] > 0 and one["level"] in source.LEVELS and one["goal"] for one in listed)


GIVEN = ["assignment", "grade", "x", "--assignment", "ch3_sizes", "--students", "roster.csv"]
BAD = {
    "ACTION": ["assignment", "mark"],
    "ASSIGNMENT": ["assignment", "make", "ch3_size"],
    "NOTEBOOK": ["assignment", "check", "nothing.ipynb"],
    "FOLDER, --assignment, --students": ["assignment", "grade"],
    "--assignment, --students": ["assignment", "grade", "x"],
    "--students": ["assignment", "grade", "x", "--assignment", "ch3_sizes"],
    "--format": ["assignment", "export", "ch3_sizes", "--format", "moodle"],
    "ID, --assignment": ["assignment", "key"],
    "NAME": ["assignment", "rubric"],
    "--overrides": [*GIVEN, "--overrides", "nothing.csv"],
    "--late": [*GIVEN, "--late", "soon"],
    "--points": [*GIVEN, "--points", "q9=1"],
    "--overrides of another action": ["assignment", "make", "--overrides", "x"],
    "--tim": ["assignment", "grade", "x", "--tim", "3"],
}


@pytest.mark.parametrize("argument", BAD)
def test_bad_input_is_named_in_one_line(
    argument: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written = {"roster.csv": "id\nada\n", "course.secret": "0123456789abcdef" * 4}
    for name, text in written.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("x").mkdir()
    assert cli.main(BAD[argument]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f": {argument.partition(' of')[0]}: " in said
    assert {path.name for path in tmp_path.iterdir()} == {*written, "x"}, "nothing is written"


def test_a_roster_has_to_have_ids(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("\ufeffID , Name\nada,Ada\n", encoding="utf-8")
    assert course_tables.read_roster(path) == [Student("ada", "Ada")]
    for text, problem in (("name\nAda\n", "columns"), ("id\nada\nADA\n", "ADA"), ("id\n", "no student")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ParameterError, match=problem):
            course_tables.read_roster(path)


def test_an_endless_loop_costs_its_own_question(confined: Sandbox, quick: Assignment) -> None:
    loop = answered(quick, {"q1": "def original_sizes(T):\n    while True:\n        pass"})
    marked = grading.grade(setting(quick, confined), "ada", loop)["questions"]
    assert [question["score"] for question in marked] == [0, 4, 3]
    messages = [check["message"] for check in marked[0]["checks"]]
    assert messages == ["no answer within 1 s"] * 2 + ["not called: 2 calls before it gave no answer"] * 2


def test_a_folder_with_results_of_another_assignment_is_left_alone(
    confined: Sandbox, quick: Assignment, submissions: Path, tmp_path: Path
) -> None:
    (tmp_path / "out" / "results").mkdir(parents=True)
    other = tmp_path / "out" / "results" / "zoe.json"
    other.write_text('{"assignment": "ch1_batch"}', encoding="utf-8")
    with pytest.raises(ParameterError):
        grade_folder(submissions, STUDENTS, setting(quick, confined), tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").rglob("*.*")] == ["zoe.json"]


def test_whose_time_was_used_up_is_known_by_the_grader_s_words_alone(confined: Sandbox, quick: Assignment) -> None:
    short = replace(QUICK, total=1.5)
    slow = "import time\ndef {}(*_):\n    time.sleep(99)"
    names = {"q1": "original_sizes", "q2": "power_sizes"}
    code = {question: slow.format(name) for question, name in names.items()}
    assert reports.ran_out(grading.grade(setting(quick, confined, short), "ada", answered(quick, code)))
    says = {"q3": "smallest_horizon = 'the 40 s for the whole submission are used up'"}
    assert not reports.ran_out(grading.grade(setting(quick, confined), "ada", answered(quick, says)))


# A sandbox that fails after its trial -------------------------------------------------------------------------------------


def test_a_sandbox_that_stops_working_is_the_grader_s_failure(
    confined: Sandbox, quick: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody gets a score for what was never run, and after three the others are not tried."""
    fake = tmp_path / "path" / "bwrap"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho 'bwrap: no permissions to create a new namespace' >&2\nexit 1\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    if confined.rung != "bubblewrap":
        pytest.skip("bwrap is not installed")
    folder = tmp_path / "in"
    folder.mkdir()
    students = [Student(f"s{number}") for number in range(5)]
    for student in students:
        (folder / f"{student.id}.ipynb").write_bytes(answered(quick))
    with pytest.raises(SandboxError, match=r"stopped after 3 .*no permissions to create"):
        grade_folder(folder, students, setting(quick, confined), tmp_path / "out")
    stored = [json.loads(path.read_text()) for path in (tmp_path / "out" / "results").glob("*.json")]
    assert [(one["status"], one["score"]) for one in stored] == 3 * [(FAILED, None)]


def test_what_student_code_can_read_is_no_place_for_the_course(
    confined: Sandbox, quick: Assignment, tmp_path: Path
) -> None:
    inside = Path(confined.interpreter.libraries["numpy"]) / "course.secret"
    with pytest.raises(ParameterError, match=r"--secret: .*lies among them"):
        isolation.refuse_what_is_shown(confined, {"FOLDER": tmp_path, "--secret": inside})
    isolation.refuse_what_is_shown(confined, {"FOLDER": tmp_path, "--assignment": quick.path})


@pytest.mark.parametrize(
    ("odd", "left_out"),
    [("math.isqrt?\n", ""), ("import matplotlib.pyplot as plt\n", "left out: No module named 'matplotlib'")],
)
def test_a_line_that_does_not_run_here_costs_no_points(
    odd: str, left_out: str, confined: Sandbox, quick: Assignment
) -> None:
    answer = odd + quick.text("answer", "q1")
    result = grading.grade(setting(quick, confined), "ada", answered(quick, {"q1": answer}))
    assert result["score"] == 12
    assert [left_out in note for note in result["notes"]] == [True] * bool(left_out)
