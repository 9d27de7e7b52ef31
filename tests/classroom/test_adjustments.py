"""From results to what is entered: other points, changes by hand, days late; what goes back to students."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from classroom.conftest import KEYS, answered, everything, setting

from companion import cli
from companion.classroom import (
    adjustments,
    gradescope,
    grading,
    isolation,
    keys,
    office_hours,
    otter,
    reports,
    source,
    student_copies,
    submissions,
)
from companion.classroom import course_tables as tables
from companion.classroom.grading import Result, grade_folder
from companion.classroom.marking import BY_HAND
from companion.classroom.questions import Question
from companion.classroom.sandbox import Sandbox
from companion.classroom.source import Assignment
from companion.classroom.submission_checks import Look
from companion.classroom.submissions import File
from companion.classroom.submitted_files import Piece, Student
from companion.core.errors import Mistakes, ParameterError

STUDENTS = [Student("ada", "Ada"), Student("bob", "Bob"), Student("cid", "Cid")]
SIZES = source.find("ch3_sizes")


def result(student: str = "ada", status: str = grading.GRADED) -> Result:
    """q1: 3 of 5, q2: 4 of 4, q3: 1 of 3."""
    earned = {"q1": (1, 0, 0, 2), "q2": (1, 1, 2), "q3": (1, 0)}
    questions: list[dict[str, Any]] = []
    for question, points in earned.items() if status == grading.GRADED else ():
        checks = [
            {"name": check.name, "points": check.points, "earned": one, "message": "", "hint": "", "shown": ""}
            for check, one in zip(SIZES.key[question].checks, points, strict=True)
        ]
        questions.append({"id": question, "score": sum(points), "points": SIZES.key[question].points, "checks": checks})
    score = None if status == grading.FAILED else 8 if questions else 0
    named = {"assignment": "ch3_sizes", "student": student, "status": status, "score": score, "points": 12}
    return {**named, "questions": questions, "notes": [], "warnings": [], "sandbox": "user", "submission": "ab"}


def policy(folder: Path, overrides: str = "", **options: str | None) -> tables.Policy:
    path = folder / tables.OVERRIDES
    path.unlink(missing_ok=True)
    if overrides:
        path.write_text("id;question;points;comment;late days\n" + overrides, encoding="utf-8")
    return read({tables.OVERRIDES: path}, **options)


def read(files: dict[str, Path], late: str | None = None, **given: str | None) -> tables.Policy:
    mistakes = Mistakes()
    found = tables.read(SIZES, STUDENTS, given.get("points"), late, given.get("grace"), files, KEYS.hidden, mistakes)
    mistakes.refuse()
    return found


def test_without_a_policy_a_result_is_entered_as_it_is(tmp_path: Path) -> None:
    before = result()
    after = adjustments.adjusted(before, policy(tmp_path))
    assert after == before | {"changes": [], "requests": [], "late_days": 0}
    assert all(type(after[name]) is int for name in ("score", "points"))


def test_points_are_scaled_check_by_check(tmp_path: Path) -> None:
    before = result()
    after = adjustments.adjusted(before, policy(tmp_path, points="q1=10, q3=0"))
    assert (after["score"], after["points"]) == (10, 14)
    assert [check["earned"] for check in after["questions"][0]["checks"]] == [2, 0, 0, 4]
    assert [(question["score"], question["points"]) for question in after["questions"]] == [(6, 10), (4, 4), (0, 0)]
    assert after["changes"] == ["q1 counts 10 points, not 5", "q3 does not count"]
    assert before == result(), "results stay as they are"
    page = reports.feedback(SIZES, STUDENTS[0], after)
    assert "q1 counts 10 points, not 5" in page
    assert "does not count</h2>" in page


#: Lines of overrides.csv for ada, options, the score that is entered, and the sentence that tells.
CHANGES = {
    "a question": ("ada;q1;4;read by hand;", {}, 9, "q1: 4 points instead of 3: read by hand"),
    "more for a question": ("ada;q3;+1,5;;", {}, 9.5, "q3: 2.5 points instead of 1"),
    "less for all": ("ADA;;-2;copied;", {}, 6, "all: 6 points instead of 8: copied"),
    "all": ("ada;;11;;", {}, 11, "all: 11 points instead of 8"),
    "a question, then all": ("ada;q1;5;;\nada;;+1;;", {}, 11, "all: 11 points instead of 10"),
    "the same twice": ("ada;q1;4;;\nada;q1;4;again;", {}, 9, "q1: 4 points instead of 4: again"),
    "a number, then more": ("ada;q1;4;;\nada;q1;+1;;", {}, 10, "q1: 5 points instead of 4"),
    "a comment": ("ada;q2;;well done;", {}, 8, "q2: well done"),
    "late": ("ada;;;;2", {"late": "10%/day"}, 5.6, "2 days late: 2.4 points less"),
    "late by a part of a day": ("ada;;;;1.2", {"late": "10%"}, 5.6, "1.2 days late: 2.4 points less"),
    "late within the grace": ("ada;;;;1", {"late": "10%/day", "grace": "1"}, 8, "1 day late: 0 points less"),
    "late beyond the grace": ("ada;;;;3", {"late": "10%/day", "grace": "1"}, 5.6, "3 days late: 2.4 points less"),
    "late without a policy": ("ada;;;;9", {}, 8, "9 days late: 0 points less"),
    "very late": ("ada;;;;20", {"late": "10%/day"}, 0, "20 days late: 8 points less"),
    "late, but the score is given": ("ada;;7;;2", {"late": "10%/day"}, 7, "all: 7 points instead of 8"),
    "late, and more": ("ada;;+1;;1", {"late": "50%"}, 3, "1 day late: 6 points less"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_by_hand(name: str, tmp_path: Path) -> None:
    text, options, score, told = CHANGES[name]
    chosen = policy(tmp_path, text, **options)
    after = adjustments.adjusted(result(), chosen)
    assert after["score"] == score
    assert after["changes"][-1] == told
    assert told in reports.feedback(SIZES, STUDENTS[0], after)
    assert adjustments.adjusted(result("bob"), chosen)["score"] == 8, "it is ada's alone"


def with_text(text: str, student: str = "ada") -> Result:
    """As :func:`result`, with a text of two lines of a rubric in the place of q3."""
    found = result(student)
    checks = [
        {"name": name, "points": points, "earned": 0, "message": BY_HAND, "hint": "", "shown": shown}
        for name, points, shown in (("Says why", 2, text), ("Says how", 1, ""))
    ]
    found["questions"][2] = {"id": "q3", "score": 0, "points": 3, "checks": checks}
    return found


def test_texts_are_marked_by_line_of_a_rubric_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No zero is entered for them, and nothing on the student's page says that they failed."""
    rubric = Question(value="why", rubric=[("Says why", 2), ("Says how", 1)])
    marks, texts, bank = (tmp_path / name for name in (tables.MARKS, "texts.html", tables.COMMENTS))
    bank.write_text("key;comment\nunits;Mind the <units>.\n", encoding="utf-8")

    def entered(first: str) -> tuple[str, list[list[str]], str]:
        files = {one: tmp_path / one for one in tables.COLUMNS}
        with monkeypatch.context() as patched:
            patched.setitem(SIZES.key, "q3", rubric)
            chosen = read(files)
        found = [with_text(first), with_text("so it is", "bob"), result("cid", grading.MISSING)]
        reports.write(SIZES, STUDENTS, [adjustments.adjusted(one, chosen) for one in found], tmp_path, policy=chosen)
        page = (tmp_path / "feedback" / "ada.html").read_text(encoding="utf-8")
        grades = (tmp_path / "grades.csv").read_text(encoding="utf-8")
        return page, list(csv.reader(io.StringIO(marks.read_text(encoding="utf-8")))), grades

    page, (heading, *rows), grades = entered("<b>because")
    assert "7 of 9 points so far; 3 more are to be marked by hand" in page
    assert "ada,Ada,7,12,3,4,,graded" in grades
    shown = texts.read_text(encoding="utf-8")
    assert shown.count("&lt;b&gt;because") == 1
    assert "<code>#units</code></dt><dd>Mind the &lt;units&gt;." in shown
    assert not any(one.id in shown or one.name in shown for one in STUDENTS), "marked without a name"
    assert heading == list(tables.COLUMNS[tables.MARKS])
    assert [row[1:5] for row in rows] == 2 * [["q3", "1", "2", ""], ["q3", "2", "1", ""]]
    ada = f"{tables.text_number(KEYS.hidden, 'ada', 'q3')}-"
    assert sum(row[0].startswith(ada) for row in rows) == 2

    def filled(text: str, points: list[str]) -> None:
        rows = list(csv.reader(io.StringIO(text)))
        for row, given in zip([row for row in rows if row[0].startswith(ada)], points, strict=True):
            row[4:6] = given, "#units Twice." if given == "1.5" else ""
        marks.write_text(reports.csv_text(rows), encoding="utf-8")

    before = marks.read_text(encoding="utf-8")
    filled(before, ["1.5", ""])
    assert "3 more are to be marked by hand" in entered("<b>because")[0], "half a mark is none"
    filled(before, ["1.5", "0"])
    page, rows, grades = entered("<b>because")
    assert "8.5 of 12 points</p>" in page
    assert "Says why (1.5 of 2)" in page
    assert "Mind the &lt;units&gt;. Twice." in page
    assert "ada,Ada,8.5,12,3,4,1.5,graded" in grades
    assert entered("<b>because")[1] == rows, "what was filled in stays"
    assert [row[5] for row in rows if row[5]] == ["comment", "#units Twice."]
    page, rows, _ = entered("another text")
    assert "3 more are to be marked by hand" in page, "another text was not marked"
    assert [row[6] for row in rows[-2:]] == 2 * ["of an earlier hand-in"], "and no mark is lost"
    assert "8.5 of 12 points" in entered("<b>because")[0]


def test_requests_are_answered_on_the_page(tmp_path: Path) -> None:
    path = tmp_path / tables.REQUESTS
    path.write_text("Time,id,question,request,answer\n1,ADA,q1,Why?,\n2,ada,,Sum?,It <is> right.\n", encoding="utf-8")
    chosen = read({tables.REQUESTS: path})
    page = reports.feedback(SIZES, STUDENTS[0], adjustments.adjusted(result(), chosen))
    assert "q1: “Why?” It is being looked at." in page
    assert "all: “Sum?” It &lt;is&gt; right." in page
    assert "What you asked" not in reports.feedback(SIZES, STUDENTS[1], adjustments.adjusted(result("bob"), chosen))


def test_a_page_says_why_points_are_not_the_sum_of_checks(tmp_path: Path) -> None:
    after = adjustments.adjusted(result(), policy(tmp_path, "ada;q1;5;;"))
    page = reports.feedback(SIZES, STUDENTS[0], after)
    assert ": 5 of 5</h2><p>Your instructor has changed the points, from 3.</p>" in page
    assert page.count("has changed the points") == 1


def test_the_time_of_a_hand_in_is_what_the_site_says(tmp_path: Path) -> None:
    students = [*STUDENTS[:2], Student("cid", "Cid", "", "19")]
    content, inner, path = answered(SIZES), io.BytesIO(), tmp_path / "submissions.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr(zipfile.ZipInfo("hw.ipynb", (2020, 1, 1, 0, 0, 0)), content)
    for days, known in (((5, 6, 7), ["2026-10-05T12:00", "2026-10-06T12:00", ""]), ((5, 5, 5), ["", "", ""])):
        given = (
            ("Ada_1_assignsubmission_file_/hw.ipynb", content),
            ("bob.zip", inner.getvalue()),
            ("cid_19_5_hw.ipynb", content),
        )
        with zipfile.ZipFile(path, "w") as archive:
            for day, (name, one) in zip(days, given, strict=True):
                archive.writestr(zipfile.ZipInfo(name, (2026, 10, day, 12, 0, 0)), one)
        found = submissions.collect(path, students).files
        assert [found[one.id][0].handed_in[:16] for one in students] == known
    assert [found[one.id][0].in_time for one in students] == [False, False, True]


#: Time of the hand-in, line of overrides.csv for ada, and days late; it is due on the 5th at 18:00, for bob on the 7th.
TIMES = {
    "in time": ("2026-10-05 18:00", "", 0),
    "late by a minute": ("2026-10-05 18:01", "", 1),
    "late by a day and a minute": ("2026-10-06 18:01", "", 2),
    "entered by hand": ("", "ada;;;;;2026-10-06 10:00", 1),
    "entered days count more": ("2026-10-09", "ada;;;;0;", 0),
    "not known": ("", "", 0),
}


@pytest.mark.parametrize("name", TIMES)
def test_days_late_are_counted_from_the_due_date(name: str, tmp_path: Path) -> None:
    handed_in, line, days = TIMES[name]
    texts = {
        tables.DUE: "assignment,id,due\nch3_sizes,,2026-10-05 18:00\nch3_sizes,bob,2026-10-07\nch4_kernel,,2026-11-01\n",
        tables.OVERRIDES: f"id;question;points;comment;late_days;handed_in\n{line}\n",
    }
    for file, text in texts.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    chosen = read({file: tmp_path / file for file in texts}, late="10%")
    after = adjustments.adjusted(result() | {"handed_in": handed_in}, chosen)
    assert after["score"] == round(8 - 1.2 * days, 2)
    assert (days == 0) == (after["changes"] == [])
    bob = adjustments.adjusted(result("bob") | {"handed_in": "2026-10-07 23:59"}, chosen)
    assert bob["score"] == 8, "who has an extension, of the whole day"


#: Options that cannot be, and what is said.
REFUSED = {
    "points of a question that is none": ({"points": "q9=1"}, "--points: got 'q9=1'"),
    "points of one question twice": ({"points": "q1=3,q1=2"}, "--points: q1 is given twice"),
    "points that are none": ({"points": "q1=x"}, "--points: got 'x'"),
    "nothing left": ({"points": "q1=0,q2=0,q3=0"}, "drops all questions"),
    "a rate that is none": ({"late": "10"}, "--late: got '10'"),
    "a rate above all": ({"late": "200%"}, "--late: got '200'"),
    "no days": ({"grace": "soon"}, "--grace: got 'soon'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_options_that_cannot_be_are_refused(name: str, tmp_path: Path) -> None:
    options, problem = REFUSED[name]
    with pytest.raises(ParameterError) as error:
        policy(tmp_path, **options)
    assert problem in str(error.value)


#: Tables with mistakes: each line, and what is said of it; an empty sentence where nothing is wrong with it.
PLANTED = {
    "roster.csv": [
        ("id,name,email,canvas_id", ""),
        ("ada,Ada,ada@example.edu,17", ""),
        ("bob,Bob,bob@example.edu,18", ""),
        ("no/name,Eve,,", "the id is 'no/name'; expected up to 64 letters"),
        ("ADA,Ada,,", "the id 'ADA' is that of line 2, too; expected every id once"),
        ("cid,Cid,BOB@example.edu,", "the email 'BOB@example.edu' is that of line 3, too"),
        ("dan,Dan,,17", "the canvas_id '17' is that of line 2, too"),
        ("eve,Eve,,,,", ""),
        ("fay,Fay,,,,9", "has 6 cells, and the heading 4"),
    ],
    "due.csv": [
        ("assignment,id,due", ""),
        ("ch4_kernel,,2026-10-05", "no line for ch4_gain without an id"),
        ("ch4_gain,,tomorrow", "the time is 'tomorrow'; expected a date and a time, as 2026-10-05 23:59"),
        ("ch4_gain,eva,2026-10-07", "the id is 'eva'; expected one on the roster. Did you mean 'eve'?"),
        ("ch4_kernel,,2026-10-06", "a second due date of ch4_kernel"),
    ],
    "comments.csv": [
        ("key,comment", ""),
        ("units,Mind the units.", ""),
        ("units,Again.", "the key is 'units', as before"),
    ],
    "grades/overrides.csv": [
        ("id,question,points,comment,late_days", ""),
        ("ava,,1,,", "the id is 'ava'; expected one on the roster"),
        ("ada,q9,1,,", "the question is 'q9'; expected one of q1, q2, q3, q4, q5"),
        ("ada,q1,600,,", "got '600'; expected a number from 0 to"),
        ("ada,,1000,,", "got '1000'; expected a number from 0 to"),
        ("ada,q1,1,,", ""),
        ("ADA,q1,2,,", "2 points for q1 of ada, but 1 at"),
        ("ada,q2,many,,", "got 'many'"),
        ("ada,,,,soon", "got 'soon'"),
        ("ada,,,,-1", "got '-1'"),
    ],
    "grades/to_mark.csv": [
        ("text,question,line,of,points,comment,criterion", ""),
        ("nobody-abc,q5,1,2,1,,", "the text is 'nobody-abc'; expected a number that stands in texts.html"),
        ("TEXT-abc,q5,9,2,1,,", "got '9'; expected a number from 1 to"),
        ("TEXT-abc,q5,1,2,99,,", "got '99'; expected a number from 0 to"),
        ("TEXT-abc,q5,1,2,1,#unit,", "the comment is #unit; expected one of units"),
        ("TEXT-abc,q5,1,2,1,,", ""),
        ("TEXT-abc,q5,1,2,0,,", "line 1 of text TEXT-abc is marked twice"),
    ],
    "grades/requests.csv": [
        ("id,question,request,answer", ""),
        ("zoe,q1,Why?,", "the id is 'zoe'"),
        ("ada,q0,Why?,", "the question is 'q0'"),
    ],
}


@pytest.mark.parametrize("dry", [["--dry-run"], []])
def test_all_mistakes_are_told_at_once_before_the_first_worker_starts(
    dry: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(isolation, "opened", lambda *_: pytest.fail("a sandbox was opened"))
    for folder in ("grades", "in"):
        Path(folder).mkdir()
    Path("course.secret").write_text("0123456789abcdef" * 4)
    number = tables.text_number(keys.keys(Path("course.secret"), "ch3_gain").hidden, "ada", "q5")
    for file, lines in PLANTED.items():
        text = "\n".join(line for line, _ in lines).replace("TEXT", number).replace("ch4_gain", "ch3_gain")
        Path(file).write_text(text + "\n", encoding="utf-8")
    Path("in/adda.ipynb").write_bytes(b"{}")
    (tmp_path / "in" / "ada.txt").write_bytes(b"")
    before = everything(tmp_path)
    grade = ["assignment", "grade", "in", "--assignment", "ch3_gain", "--students", "roster.csv", "--out", "grades"]
    assert cli.main([*grade, "--only", "zoe", "--points", "q7=1", *dry]) == 2
    said = capsys.readouterr().err
    assert "nobody's, and not graded: in/adda.ipynb: Did you mean 'ada'?" in said
    wrong = [line for line in said.splitlines() if line.startswith("mistake: ")]
    for file, lines in PLANTED.items():
        for place, (_, problem) in enumerate(lines, 1):
            where = file if "no line for" in problem else f"{file}, line {place}"
            told = problem.replace("TEXT", number).replace("ch4_gain", "ch3_gain")
            assert not problem or any(where in line and told in line for line in wrong), (file, place)
    planted = sum(bool(problem) for lines in PLANTED.values() for _, problem in lines)
    assert len(wrong) == planted + 2, "--only and --points, too"
    assert f"{len(wrong)} mistakes: are told above. Nothing was graded" in said
    assert everything(tmp_path) == before, "nothing is written"


def test_a_dry_run_without_mistakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(isolation, "opened", lambda *_: pytest.fail("a sandbox was opened"))
    Path("in").mkdir()
    Path("in/ada.ipynb").write_bytes(answered(SIZES))
    Path("course.secret").write_text("0123456789abcdef" * 4)
    Path("roster.csv").write_text("id\nada\nbob\n")
    Path("due.csv").write_text("assignment,due\nch3_sizes,2026-10-05\n")
    grade = ["assignment", "grade", "in", "--assignment", "ch3_sizes", "--students", "roster.csv", "--dry-run"]
    assert cli.main(grade) == 0
    said = capsys.readouterr()
    assert "1 of 2 have handed in; nothing of bob. Nothing was graded" in said.out
    assert "days late cost nothing without --late" in said.err
    Path("in/eve.ipynb").write_bytes(b"{}")
    assert cli.main([*grade, "--json"]) == 1, "a file is nobody's"
    assert json.loads(capsys.readouterr().out)["nobody"] == ["in/eve.ipynb"]
    assert not Path("grades").exists()


BEYOND = {"ada;q1;+3;;": (10, 5), "ada;q3;-2;;": (7, 0), "ada;;+5;;": (12, 12), "ada;;-9;;": (0, 0)}


@pytest.mark.parametrize("text", BEYOND)
def test_a_sum_beyond_what_there_is_goes_as_far_as_there_is_and_is_told(text: str, tmp_path: Path) -> None:
    """It is known only after the grading, which is not to be in vain."""
    chosen = policy(tmp_path, text)
    score, entered = BEYOND[text]
    assert adjustments.adjusted(result(), chosen)["score"] == score
    (told,) = chosen.beyond
    assert "line 2: " in told
    assert told.endswith(f"points; entered are {entered}")


@pytest.mark.parametrize("status", [grading.MISSING, grading.UNREADABLE, grading.FAILED, grading.UNGRADED])
def test_who_has_no_result_can_be_given_points(status: str, tmp_path: Path) -> None:
    chosen = policy(tmp_path, "ada;q2;4;on paper;")
    after = adjustments.adjusted(result(status=status), chosen)
    assert (after["score"], after["status"]) == (4, "entered by hand")
    assert [question["points"] for question in after["questions"]] == [5, 4, 3]
    untouched = adjustments.adjusted(result("bob", status), chosen)
    assert untouched["status"] == status
    reports.write(SIZES, STUDENTS[:2], [after, untouched], tmp_path)
    entered = [line.split(",")[-1] for line in (tmp_path / "canvas.csv").read_text().splitlines()[2:]]
    assert entered == ["4", "0"][: 1 + (status == grading.UNREADABLE)]


def file(label: str) -> File:
    return File(Piece(Path(label)), label, label, Look())


#: The name that says whose a notebook is, and the name under which the page goes back.
RETURNED = {
    "lovelaceada_4711_99_hw-2.ipynb": ("canvas", "lovelaceada_4711_99_ch3_sizes.html"),
    "lovelaceada_LATE_4711_99_my_hw.zip": ("canvas", "lovelaceada_LATE_4711_99_ch3_sizes.html"),
    "Ada Lovelace_7_assignsubmission_file_": ("moodle", "Ada Lovelace_7_assignsubmission_file/feedback_ch3_sizes.html"),
    "Ada Lovelace_7_assignsubmission_file": ("moodle", "Ada Lovelace_7_assignsubmission_file/feedback_ch3_sizes.html"),
    "Jos\udce9 L_7_assignsubmission_file_hw_1.ipynb": (
        "moodle",
        "Jos- L_7_assignsubmission_file_feedback_ch3_sizes.html",
    ),
}


@pytest.mark.parametrize("label", RETURNED)
def test_pages_go_back_under_the_names_that_came(label: str, tmp_path: Path) -> None:
    site, name = RETURNED[label]
    other = "moodle" if site == "canvas" else "canvas"
    (tmp_path / f"feedback_{other}.zip").write_bytes(b"of an earlier grading")
    files = {"ada": [file(label), file("ada.ipynb")], "bob": [file("bob.ipynb")], "cid": []}
    results = [adjustments.adjusted(result(one.id), policy(tmp_path)) for one in STUDENTS]
    written = reports.write(SIZES, STUDENTS, results, tmp_path, "Homework 3 (4711)", files)
    with zipfile.ZipFile(tmp_path / f"feedback_{site}.zip") as archive:
        assert archive.namelist() == [name]
        assert archive.read(name) == (tmp_path / "feedback" / "ada.html").read_bytes()
    assert tmp_path / f"feedback_{site}.zip" in written
    assert not (tmp_path / f"feedback_{other}.zip").exists()
    assert "Homework 3 (4711)" in (tmp_path / "canvas.csv").read_text().splitlines()[0]
    assert "Homework 3 (4711)" in (tmp_path / "moodle.csv").read_text().splitlines()[0]


def test_a_file_that_is_no_notebook_did_not_run(tmp_path: Path) -> None:
    unreadable = result(status=grading.UNREADABLE) | {"notes": ["it is no notebook"], "warnings": ["a.ipynb: <odd>"]}
    page = reports.feedback(SIZES, STUDENTS[0], unreadable)
    assert "While your notebook ran" not in page
    assert "<h2>Why</h2>" in page
    assert "a.ipynb: &lt;odd&gt;" in page
    assert "While your notebook ran" in reports.feedback(SIZES, STUDENTS[0], result() | {"notes": ["code cell 1: ?"]})


# Grading some, and results changed by hand ---------------------------------------------------------------------------


@pytest.fixture
def handed_in(tmp_path: Path, brief: Assignment) -> Path:
    folder = tmp_path / "submissions"
    folder.mkdir()
    for name in ("ada", "bob"):
        (folder / f"{name}.ipynb").write_bytes(answered(brief, {"q1": "pass"}))
    return folder


@pytest.mark.slow
def test_one_is_graded_again_and_the_others_stay(
    confined: Sandbox, brief: Assignment, handed_in: Path, tmp_path: Path
) -> None:
    chosen, out, told = setting(brief, confined), tmp_path / "out", []
    first, _ = grade_folder(handed_in, STUDENTS, chosen, out, only=["ada"])
    assert [one["status"] for one in first] == [grading.GRADED, grading.UNGRADED, grading.UNGRADED]
    assert not grading.result_path(out, "bob").exists()
    grade_folder(handed_in, STUDENTS, chosen, out)
    (handed_in / "bob.ipynb").write_bytes(answered(brief, {"q1": "pass", "q3": "pass"}))
    again, _ = grade_folder(handed_in, STUDENTS, chosen, out, tell=told.append, only=["ada"])
    assert [one["score"] for one in again] == [7, 7, 0]
    assert any(line.startswith("1/1 ada: ") for line in told), "it is graded again, though nothing has changed"
    assert "kept as they are, and not graded now: bob" in told
    assert [one["score"] for one in grade_folder(handed_in, STUDENTS, chosen, out)[0]] == [7, 4, 0]
    (handed_in / "ada.ipynb").rename(handed_in / "bob.ipynb")
    kept, _ = grade_folder(handed_in, STUDENTS, chosen, out, tell=told.append, again=True)
    assert [one["score"] for one in kept] == [7, 7, 0], "a result is not lost with its file"
    assert f"kept from an earlier grading, no file of theirs is in {handed_in}: ada" in told
    with pytest.raises(ParameterError, match="--only: got 'eve'"):
        grade_folder(handed_in, STUDENTS, chosen, out, only=["eve"])


@pytest.mark.slow
@pytest.mark.parametrize("change", ["score", "questions", "warnings"])
def test_a_result_changed_by_hand_does_not_count(
    change: str, confined: Sandbox, brief: Assignment, handed_in: Path, tmp_path: Path
) -> None:
    chosen, out, told = setting(brief, confined), tmp_path / "out", []
    whole, _ = grade_folder(handed_in, STUDENTS[:1], chosen, out)
    path = grading.result_path(out, "ada")
    written = path.read_bytes()
    content = json.loads(written)
    content[change] = {"score": 12, "questions": [], "warnings": ["well done"]}[change]
    path.write_text(json.dumps(content), encoding="utf-8")
    results, _ = grade_folder(handed_in, STUDENTS[:1], chosen, out, tell=told.append)
    assert results == whole
    assert path.read_bytes() == written
    assert f"{path} was changed by hand, and does not count; changes belong in overrides.csv" in told


# Before and after ----------------------------------------------------------------------------------------------------


def test_a_rubric_says_every_check_and_no_expected_value() -> None:
    for name in source.assignments():
        chosen = source.find(name)
        text = office_hours.rubric_text(chosen)
        checks = [check for question in chosen.key.values() for check in question.checks]
        assert all(f"- {check.name} ({check.points})" in text for check in checks)
        assert not any(check.hint and check.hint in text for check in checks)
        header, *rows = office_hours.canvas_rubric(chosen)
        assert header[:7] == (*office_hours.CANVAS_COLUMNS, *office_hours.CANVAS_RATING)
        assert all(len(row) == len(header) == 10 for row in rows)
        assert sum(row[6] for row in rows) == chosen.points
        assert {row[9] for row in rows} == {0}


def test_the_key_of_a_student_is_what_the_grader_expects() -> None:
    found = office_hours.key(SIZES, KEYS, "ada")
    assert [one["answer"] for one in found] == ["original_sizes", "power_sizes", "smallest_horizon"]
    assert found[0]["checks"][0]["expected"] is None, "a property has no expected value"
    horizon = int(found[0]["checks"][1]["first"])
    from companion.papers.batched.method.sizes import original_sizes

    assert found[0]["checks"][1]["expected"] == repr(list(original_sizes(horizon)))[:200].rstrip()
    assert set(found[2]["mine"]) == {"a", "batches"}
    assert int(found[2]["checks"][1]["expected"]) > 5
    assert office_hours.key(SIZES, KEYS, "bob")[2]["mine"]["a"] != found[2]["mine"]["a"]
    text = office_hours.key_text(found)
    assert f"smallest_horizon is {found[2]['checks'][1]['expected']}" in text
    assert "a property, not a value" in text
    for name in source.assignments():
        assert len(office_hours.key(source.find(name), KEYS, "ada")) == len(source.find(name).questions)


@pytest.mark.parametrize("name", source.assignments())
def test_an_exam_has_no_hints_and_no_examples_and_says_so(name: str) -> None:
    usual, exam = source.find(name), student_copies.for_exam(source.find(name))
    hints = [hint for question in usual.questions for hint in usual.hints(question)]
    for chosen, there in ((usual, True), (exam, False)):
        given = student_copies.student_files(chosen, KEYS)
        cells = json.loads(given[f"{name}.ipynb"])["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells)
        assert ("This is an exam" in text) != there
        assert any(student_copies.told(chosen, question) for question in chosen.questions) == there
        assert ("*Example:*" in text) == there
        assert [hint for hint in hints if repr(hint)[1:-1] in given["selfcheck.py"].decode()] == (
            hints if there else []
        )
        assert ('selfcheck.hint("q1")' in "".join(cells[0]["source"]) + "".join(cells[1]["source"])) == there
        assert ("*Example:*" in otter.notebook(chosen, KEYS).decode()) == there
    assert exam.points == usual.points


def test_gradescope_tells_points_alone_in_an_exam() -> None:
    failed = result() | {"lacks": [], "limits": {}, "fingerprint": ""}
    failed["questions"][0]["checks"][1] |= {"message": "wrong", "hint": "Look again."}
    said = [[one["output"] for one in gradescope.as_results(failed, exam)["tests"]] for exam in (False, True)]
    assert "wrong Look again." in said[0]
    assert set(said[1]) == {""}


def test_archives_of_pages_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    files = {"ada": [file("lovelaceada_4711_99_hw.ipynb")]}
    results = [adjustments.adjusted(result("ada"), policy(tmp_path))]
    seen = set()
    for _ in range(2):
        reports.write(SIZES, STUDENTS[:1], results, tmp_path, files=files)
        seen.add((tmp_path / "feedback_canvas.zip").read_bytes())
    assert len(seen) == 1
    with zipfile.ZipFile(io.BytesIO(seen.pop())) as archive:
        assert archive.testzip() is None
