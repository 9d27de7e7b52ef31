"""From what the grader found to what is entered: other points, dropped questions, changes by hand, days late.

Results stay as they are. Points are scaled first, then come changes of a question, then those of the whole, then days late.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.classroom.grading import ENTERED, FAILED, GRADED, MISSING, UNGRADED, Result
from companion.classroom.source import Assignment
from companion.classroom.submitted_files import Student, read_table
from companion.core.errors import ParameterError

FILE = "overrides.csv"


@dataclass(frozen=True)
class Change:
    """A line of ``overrides.csv``: ``points`` replace those of the question, or of all if it is empty, or are added."""

    place: str
    question: str
    points: float | None
    added: bool
    comment: str
    late_days: float

    @property
    def sets(self) -> bool:
        """Whether the points are in the place of those before."""
        return self.points is not None and not self.added


@dataclass(frozen=True)
class Policy:
    """Form in which scores are entered.

    Parameters
    ----------
    points : points of each question; 0 drops it
    per_day : part of all points that a day late costs
    grace : days that cost nothing
    changes : by student
    """

    points: Mapping[str, float]
    per_day: float = 0.0
    grace: float = 0.0
    changes: Mapping[str, Sequence[Change]] = field(default_factory=dict)

    @property
    def forgotten(self) -> str:
        """A warning where days late are entered, and cost nothing."""
        late = any(change.late_days for changes in self.changes.values() for change in changes)
        return f"{FILE} has days late, which cost nothing without --late" if late and not self.per_day else ""

    @property
    def total(self) -> float:
        """Points of all questions."""
        return tidy(math.fsum(self.points.values()))


def _some(number: float, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def tidy(value: float) -> float:
    """Rounded to a hundredth, an integer where it is one."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def policy(
    assignment: Assignment,
    students: Sequence[Student],
    points: str | None,
    late: str | None,
    grace: str | None,
    file: Path,
) -> Policy:
    """From the options of the command, and ``overrides.csv`` where there is one.

    Parameters
    ----------
    assignment, students : what is graded, and whose
    points : as "q1=5,q2=0"
    late : as "10%/day", of all points
    grace : days
    file : where ``overrides.csv`` would be

    Raises
    ------
    ParameterError
        for a question or student that there is not, more points than there are, points given twice, or what cannot be read
    """
    worth: dict[str, float] = {question: assignment.key[question].points for question in assignment.questions}
    parts = list(filter(None, (points or "").replace(" ", "").split(",")))
    named = [part.partition("=")[0] for part in parts]
    for part in parts:
        question, _, given = part.partition("=")
        if named.count(question) > 1:
            raise ParameterError("--points", f"{question} is given twice", "each question at most once")
        if question not in worth:
            raise ParameterError("--points", f"got {part!r}", f"one of {', '.join(worth)}, as in q1=5,q2=0")
        worth[question] = _number("--points", given, 0)
    if not math.fsum(worth.values()):
        raise ParameterError("--points", "drops all questions", "one that counts")
    rate = re.fullmatch(r"([0-9.]+)\s*%(?:/day)?", late or "0%")
    if not rate:
        raise ParameterError("--late", f"got {late!r}", "a part of all points, as 10%/day")
    per_day = _number("--late", rate[1], 0, 100) / 100
    changes: dict[str, list[Change]] = {student.id: [] for student in students}
    for line, row in read_table(FILE, file) if file.exists() else ():
        place = f"{file}, line {line}"
        known = [student for student in changes if student.casefold() == row["id"].casefold()]
        if not known:
            raise ParameterError(place, f"the id is {row['id']!r}", "one on the roster")
        change = _change(place, row, worth)
        for before in changes[known[0]]:
            if before.question == change.question and before.points != change.points and before.sets and change.sets:
                problem = f"{change.points} points for {change.question or 'all'} of {known[0]}"
                raise ParameterError(place, f"{problem}, but {before.points} at {before.place}", "one of the two lines")
        changes[known[0]].append(change)
    return Policy(worth, per_day, _number("--grace", grace or "0", 0), changes)


def _change(place: str, row: Mapping[str, str], worth: Mapping[str, float]) -> Change:
    question, given = row.get("question", ""), row.get("points", "")
    if question and question not in worth:
        raise ParameterError(place, f"the question is {question!r}", f"one of {', '.join(worth)}, or nothing for all")
    added = given.startswith(("+", "-"))
    most = tidy(worth[question] if question else math.fsum(worth.values()))
    points = _number(place, given, -most if added else 0, most) if given else None
    late = _number(place, row.get("late_days") or "0", 0)
    return Change(place, question, points, added, row.get("comment", ""), late)


def _number(name: str, text: str, low: float, high: float = 1e6) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise ParameterError(name, f"got {text!r}", f"a number from {tidy(low)} to {tidy(high)}")
    return tidy(value)


def adjusted(assignment: Assignment, result: Result, policy: Policy) -> Result:
    """A copy of a result as it is entered, with ``changes``: a sentence for everything that was changed.

    Raises
    ------
    ParameterError
        for a change after which there would be less than nothing, or more points than there are
    """
    told: list[str] = []
    questions = [_scaled(question, policy.points[question["id"]], told) for question in result["questions"]]
    changes = policy.changes.get(result["student"], ())
    # Who has no result can still be given points by hand.
    if any(change.points is not None for change in changes) and not questions:
        questions = [{"id": name, "score": 0, "points": worth, "checks": []} for name, worth in policy.points.items()]
    for question in questions:
        for change in (change for change in changes if change.question == question["id"]):
            question["score"] = _changed(change, question["score"], question["points"], told)
            question["entered"] = question.get("entered", False) or change.points is not None
    score = tidy(math.fsum(question["score"] for question in questions))
    by_hand = [change for change in changes if change.points is not None]
    for change in (change for change in changes if not change.question):
        score = _changed(change, score, policy.total, told)
    days = max([change.late_days for change in changes], default=0.0)
    if days and not any(change.sets and not change.question for change in changes):
        lost = min(score, tidy(max(0, math.ceil(days - policy.grace)) * policy.per_day * policy.total))
        told.append(f"{_some(tidy(days), 'day')} late: {_some(tidy(lost), 'point')} less")
        score = tidy(score - lost)
    status = ENTERED if by_hand and result["status"] != GRADED else result["status"]
    nothing = result["status"] in (FAILED, UNGRADED) and not by_hand
    return result | {
        "questions": questions,
        "score": None if nothing else 0 if status == MISSING else score,
        "points": policy.total,
        "status": status,
        "changes": told,
    }


def _scaled(question: Mapping[str, Any], worth: float, told: list[str]) -> dict[str, Any]:
    before = question["points"]
    if worth == before:
        return dict(question)
    told.append(
        f"{question['id']} does not count"
        if not worth
        else f"{question['id']} counts {_some(worth, 'point')}, not {before}"
    )
    checks = [
        check | {name: tidy(check[name] * worth / (before or 1)) for name in ("earned", "points")}
        for check in question["checks"]
    ]
    return {**question, "score": tidy(question["score"] * worth / (before or 1)), "points": worth, "checks": checks}


def _changed(change: Change, score: float, most: float, told: list[str]) -> float:
    what = change.question or "all"
    if change.points is None:
        told += (
            [f"{change.question}: {change.comment}" if change.question else change.comment] if change.comment else []
        )
        return score
    after = tidy(score + change.points if change.added else change.points)
    if not 0 <= after <= most:
        raise ParameterError(change.place, f"{what}: {score} become {after} points", f"0 to {most}")
    told.append(f"{what}: {_some(after, 'point')} instead of {score}" + (change.comment and f": {change.comment}"))
    return after
