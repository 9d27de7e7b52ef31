"""From results to what is entered: other points, changes by hand, days late; what goes back to students."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from classroom.conftest import KEYS, answered, setting

from companion.classroom import adjustments, grading, office_hours, reports, source
from companion.classroom.grading import Result, grade_folder
from companion.classroom.marking import BY_HAND
from companion.classroom.sandbox import Sandbox
from companion.classroom.source import Assignment
from companion.classroom.submission_checks import Look
from companion.classroom.submissions import File
from companion.classroom.submitted_files import Piece, Student
from companion.core.errors import ParameterError

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


def policy(folder: Path, overrides: str = "", **options: str | None) -> adjustments.Policy:
    path = folder / adjustments.FILE
    path.unlink(missing_ok=True)
    if overrides:
        path.write_text("id;question;points;comment;late days\n" + overrides, encoding="utf-8")
    given = {"points": None, "late": None, "grace": None} | options
    return adjustments.policy(SIZES, STUDENTS, given["points"], given["late"], given["grace"], path)


def test_without_a_policy_a_result_is_entered_as_it_is(tmp_path: Path) -> None:
    before = result()
    after = adjustments.adjusted(SIZES, before, policy(tmp_path))
    assert after == before | {"changes": []}
    assert all(type(after[name]) is int for name in ("score", "points"))


def test_a_decimal_comma_between_commas_is_not_cut_off(tmp_path: Path) -> None:
    path = tmp_path / adjustments.FILE
    path.write_text("id,question,points\nada,q1,1,5\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="line 2 has 4 cells, and the heading 3"):
        adjustments.policy(SIZES, STUDENTS, None, None, None, path)
    path.write_text('id,question,points\nada,q1,"1,5"\n', encoding="utf-8")
    assert adjustments.policy(SIZES, STUDENTS, None, None, None, path).changes["ada"][0].points == 1.5


def test_points_are_scaled_check_by_check(tmp_path: Path) -> None:
    before = result()
    after = adjustments.adjusted(SIZES, before, policy(tmp_path, points="q1=10, q3=0"))
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
    after = adjustments.adjusted(SIZES, result(), chosen)
    assert after["score"] == score
    assert after["changes"][-1] == told
    assert told in reports.feedback(SIZES, STUDENTS[0], after)
    assert adjustments.adjusted(SIZES, result("bob"), chosen)["score"] == 8, "it is ada's alone"


def test_days_late_that_cost_nothing_are_told(tmp_path: Path) -> None:
    assert "days late" in policy(tmp_path, "ada;;;;2").forgotten
    assert not policy(tmp_path, "ada;;;;2", late="10%/day").forgotten
    assert not policy(tmp_path, "ada;;+1;;").forgotten


def test_texts_that_wait_stand_on_one_page_until_they_are_marked(tmp_path: Path) -> None:
    """No zero is entered for them, and nothing on the student's page says that they failed."""
    before = result()
    lines = [("Says why", 2, "<b>because</b>"), ("Says how", 1, "")]
    texts = [
        {"name": n, "points": p, "earned": 0, "message": BY_HAND, "hint": "", "shown": text} for n, p, text in lines
    ]
    before["questions"][2] = {"id": "q3", "score": 0, "points": 3, "checks": texts}
    entered = [
        adjustments.adjusted(SIZES, before, policy(tmp_path)),
        *(result(s, grading.MISSING) for s in ("bob", "cid")),
    ]
    reports.write(SIZES, STUDENTS, entered, tmp_path)
    page = (tmp_path / "feedback" / "ada.html").read_text(encoding="utf-8")
    assert "7 of 9 points so far; 3 more are to be marked by hand" in page
    assert (tmp_path / "texts.html").read_text(encoding="utf-8").count("&lt;b&gt;because") == 1
    assert (tmp_path / "to_mark.csv").read_text(encoding="utf-8").splitlines()[1:] == ["ada,q3,,,"]
    assert "ada,Ada,7,12,3,4,,graded" in (tmp_path / "grades.csv").read_text(encoding="utf-8")
    marked = adjustments.adjusted(SIZES, before, policy(tmp_path, "ada;q3;2;well said;"))
    reports.write(SIZES, STUDENTS, [marked, *entered[1:]], tmp_path)
    page = (tmp_path / "feedback" / "ada.html").read_text(encoding="utf-8")
    assert "9 of 12 points</p>" in page
    assert ": 2 of 3</h2>" in page
    assert (tmp_path / "to_mark.csv").read_text(encoding="utf-8").splitlines()[1:] == []


REFUSED = {
    "a stranger": ("eve;;1;;", {}, "line 2: the id is 'eve'"),
    "a question that is none": ("ada;q4;1;;", {}, "line 2: the question is 'q4'"),
    "more than a question has": ("bob;;1;;\nada;q1;6;;", {}, "line 3: got '6'; expected a number from 0 to 5"),
    "more than all have": ("ada;;13;;", {}, "from 0 to 12"),
    "more than a question counts": ("ada;q1;3;;", {"points": "q1=2"}, "from 0 to 2"),
    "no number": ("ada;;many;;", {}, "got 'many'"),
    "less than nothing": ("ada;;-13;;", {}, "got '-13'"),
    "a negative day": ("ada;;;;-1", {}, "got '-1'"),
    "points of a question that is none": ("", {"points": "q9=1"}, "--points: got 'q9=1'"),
    "points of one question twice": ("", {"points": "q1=3,q1=2"}, "--points: q1 is given twice"),
    "two numbers for a question": (
        "ada;q1;3;;\nbob;q1;2;;\nADA;q1;4;;",
        {},
        "line 4: 4 points for q1 of ada, but 3 at",
    ),
    "two numbers for all": ("ada;;3;;\nada;;4;;", {}, "line 3: 4 points for all of ada, but 3 at"),
    "points that are none": ("", {"points": "q1=x"}, "--points: got 'x'"),
    "nothing left": ("", {"points": "q1=0,q2=0,q3=0"}, "drops all questions"),
    "a rate that is none": ("", {"late": "10"}, "--late: got '10'"),
    "a rate above all": ("", {"late": "200%"}, "--late: got '200'"),
    "no days": ("", {"grace": "soon"}, "--grace: got 'soon'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_changes_that_cannot_be_are_refused(name: str, tmp_path: Path) -> None:
    text, options, problem = REFUSED[name]
    with pytest.raises(ParameterError) as error:
        policy(tmp_path, text, **options)
    assert problem in str(error.value)


@pytest.mark.parametrize("text", ["ada;q1;+3;;", "ada;q3;-2;;", "ada;;+5;;", "ada;;-9;;"])
def test_a_sum_beyond_what_there_is_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError):
        adjustments.adjusted(SIZES, result(), policy(tmp_path, text))


@pytest.mark.parametrize("status", [grading.MISSING, grading.UNREADABLE, grading.FAILED, grading.UNGRADED])
def test_who_has_no_result_can_be_given_points(status: str, tmp_path: Path) -> None:
    chosen = policy(tmp_path, "ada;q2;4;on paper;")
    after = adjustments.adjusted(SIZES, result(status=status), chosen)
    assert (after["score"], after["status"]) == (4, "entered by hand")
    assert [question["points"] for question in after["questions"]] == [5, 4, 3]
    untouched = adjustments.adjusted(SIZES, result("bob", status), chosen)
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
    results = [adjustments.adjusted(SIZES, result(one.id), policy(tmp_path)) for one in STUDENTS]
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
def submissions(tmp_path: Path, brief: Assignment) -> Path:
    folder = tmp_path / "submissions"
    folder.mkdir()
    for name in ("ada", "bob"):
        (folder / f"{name}.ipynb").write_bytes(answered(brief, {"q1": "pass"}))
    return folder


@pytest.mark.slow
def test_one_is_graded_again_and_the_others_stay(
    confined: Sandbox, brief: Assignment, submissions: Path, tmp_path: Path
) -> None:
    chosen, out, told = setting(brief, confined), tmp_path / "out", []
    first, _ = grade_folder(submissions, STUDENTS, chosen, out, only=["ada"])
    assert [one["status"] for one in first] == [grading.GRADED, grading.UNGRADED, grading.UNGRADED]
    assert not grading.result_path(out, "bob").exists()
    grade_folder(submissions, STUDENTS, chosen, out)
    (submissions / "bob.ipynb").write_bytes(answered(brief, {"q1": "pass", "q3": "pass"}))
    again, _ = grade_folder(submissions, STUDENTS, chosen, out, tell=told.append, only=["ada"])
    assert [one["score"] for one in again] == [7, 7, 0]
    assert any(line.startswith("1/1 ada: ") for line in told), "it is graded again, though nothing has changed"
    assert "kept as they are, and not graded now: bob" in told
    assert [one["score"] for one in grade_folder(submissions, STUDENTS, chosen, out)[0]] == [7, 4, 0]
    (submissions / "ada.ipynb").rename(submissions / "bob.ipynb")
    kept, _ = grade_folder(submissions, STUDENTS, chosen, out, tell=told.append, again=True)
    assert [one["score"] for one in kept] == [7, 7, 0], "a result is not lost with its file"
    assert f"kept from an earlier grading, no file of theirs is in {submissions}: ada" in told
    with pytest.raises(ParameterError, match="--only: got 'eve'"):
        grade_folder(submissions, STUDENTS, chosen, out, only=["eve"])


@pytest.mark.slow
@pytest.mark.parametrize("change", ["score", "questions", "warnings"])
def test_a_result_changed_by_hand_does_not_count(
    change: str, confined: Sandbox, brief: Assignment, submissions: Path, tmp_path: Path
) -> None:
    chosen, out, told = setting(brief, confined), tmp_path / "out", []
    whole, _ = grade_folder(submissions, STUDENTS[:1], chosen, out)
    path = grading.result_path(out, "ada")
    written = path.read_bytes()
    content = json.loads(written)
    content[change] = {"score": 12, "questions": [], "warnings": ["well done"]}[change]
    path.write_text(json.dumps(content), encoding="utf-8")
    results, _ = grade_folder(submissions, STUDENTS[:1], chosen, out, tell=told.append)
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


def test_archives_of_pages_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    files = {"ada": [file("lovelaceada_4711_99_hw.ipynb")]}
    results = [adjustments.adjusted(SIZES, result("ada"), policy(tmp_path))]
    seen = set()
    for _ in range(2):
        reports.write(SIZES, STUDENTS[:1], results, tmp_path, files=files)
        seen.add((tmp_path / "feedback_canvas.zip").read_bytes())
    assert len(seen) == 1
    with zipfile.ZipFile(io.BytesIO(seen.pop())) as archive:
        assert archive.testzip() is None
