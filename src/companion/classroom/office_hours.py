"""For talking with students: the rubric before they hand in, and one student's numbers and expected values afterwards."""

from __future__ import annotations

from typing import Any

from companion.classroom.draws import Draw
from companion.classroom.keys import Keys
from companion.classroom.marking import cases_of, clean, shown_numbers
from companion.classroom.source import Assignment

LONGEST = 200
#: Columns of the rubrics that Canvas imports; the last three once for every rating.
CANVAS_COLUMNS = ("Rubric Name", "Criteria Name", "Criteria Description", "Criteria Enable Range")
CANVAS_RATING = ("Rating Name", "Rating Description", "Rating Points")


def rubric(assignment: Assignment) -> list[dict[str, Any]]:
    """Every check with its points, and every line of what is marked by hand: what is looked at, and no expected value."""
    return [
        {"question": question, "title": _heading(assignment, question), "check": name, "points": points}
        for question, key in assignment.key.items()
        for name, points in [*((check.name, check.points) for check in key.checks), *key.rubric]
    ]


def _heading(assignment: Assignment, question: str) -> str:
    return assignment.text("question", question).partition("\n")[0].lstrip("# ")


def rubric_text(assignment: Assignment) -> str:
    """The rubric in Markdown."""
    lines = [f"# {assignment.title}: {assignment.points} points", "", "Each check gives all of its points or none."]
    for question, key in assignment.key.items():
        by_hand = ["Marked by hand.", ""] if key.rubric else []
        lines += ["", f"## {_heading(assignment, question)} ({key.points})", "", *by_hand]
        lines += [f"- {one['check']} ({one['points']})" for one in rubric(assignment) if one["question"] == question]
    return "\n".join(lines)


def canvas_rubric(assignment: Assignment) -> list[tuple[Any, ...]]:
    """Rows of the CSV file that a course at Canvas imports under "Rubrics": a criterion a check, with two ratings."""
    rows: list[tuple[Any, ...]] = [(*CANVAS_COLUMNS, *CANVAS_RATING, *CANVAS_RATING)]
    for one in rubric(assignment):
        criterion = (assignment.title, f"{one['question']}: {one['check']}", one["title"], "false")
        rows.append((*criterion, "passed", "", one["points"], "not passed", "", 0))
    return rows


def key(assignment: Assignment, keys: Keys, student: str) -> list[dict[str, Any]]:
    """One student's own numbers, and of every check the first input with the value expected for it, as text.

    A property has no expected value; what it asks for is the check's name. The id is taken as it stands in the roster.
    """
    found = []
    for question in assignment.questions:
        asked, mine = assignment.key[question], shown_numbers(assignment, question, keys.shown, student)
        checks = []
        for check in asked.checks:
            drawn = cases_of(check, Draw(keys.hidden, assignment.name, student, question, check.name), mine)
            oracle = check.equals or check.close
            first = ", ".join(map(_told, drawn[0])) if drawn and asked.function else ""
            expected = _told(oracle(*drawn[0])) if oracle and drawn else None
            checks.append({"check": check.name, "points": check.points, "first": first, "expected": expected})
        own = {name: _told(value) for name, value in mine.items()}
        found.append({"question": question, "answer": asked.answer, "mine": own, "checks": checks})
    return found


def _told(value: object) -> str:
    return clean(ValueError(repr(value)))[:LONGEST]


def key_text(found: list[dict[str, Any]]) -> str:
    """The same for a terminal."""
    lines = []
    for one in found:
        mine = ", ".join(f"{name} = {value}" for name, value in one["mine"].items())
        lines += [f"{one['question']}: {one['answer']}" + (mine and f"; own numbers: {mine}")]
        for check in one["checks"]:
            asked = f"{one['answer']}({check['first']})" if check["first"] else one["answer"]
            told = "a property, not a value" if check["expected"] is None else f"{asked} is {check['expected']}"
            lines.append(f"  {check['check']} ({check['points']}): {told}")
    return "\n".join(lines)
