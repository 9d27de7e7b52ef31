"""From what the grader found to what is entered: other points, dropped questions, changes by hand, days late.

Results stay as they are. Points are scaled first, then come changes of a question, then those of the whole, then days late.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from companion.classroom.course_tables import Change, Policy, text_number, tidy
from companion.classroom.grading import ENTERED, FAILED, GRADED, MISSING, UNGRADED, Result
from companion.classroom.marking import BY_HAND, state_of


def _some(number: float, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def adjusted(result: Result, policy: Policy) -> Result:
    """A copy of a result as it is entered, with ``changes``: a sentence for everything that was changed."""
    told: list[str] = []
    student, changes = result["student"], policy.changes.get(result["student"], ())
    questions = [
        _scaled(_marked(student, question, policy), policy.points[question["id"]], told)
        for question in result["questions"]
    ]
    # Who has no result can still be given points by hand.
    if any(change.points is not None for change in changes) and not questions:
        questions = [{"id": name, "score": 0, "points": worth, "checks": []} for name, worth in policy.points.items()]
    for question in questions:
        for change in (change for change in changes if change.question == question["id"]):
            score = _changed(change, question["score"], question["points"], told, policy)
            if change.points is not None:
                question |= {"score": score, "entered": True, "found": question.get("found", question["score"])}
    score = tidy(math.fsum(question["score"] for question in questions))
    by_hand = [change for change in changes if change.points is not None]
    for change in (change for change in changes if not change.question):
        score = _changed(change, score, policy.total, told, policy)
    days, why = _days_late(result, changes, policy)
    if days and not any(change.sets and not change.question for change in changes):
        lost = min(score, tidy(max(0, math.ceil(days - policy.grace)) * policy.per_day * policy.total))
        told.append(f"{_some(tidy(days), 'day')} late{why}: {_some(tidy(lost), 'point')} less")
        score = tidy(score - lost)
    status = ENTERED if by_hand and result["status"] != GRADED else result["status"]
    nothing = result["status"] in (FAILED, UNGRADED) and not by_hand
    return result | {
        "questions": questions,
        "score": None if nothing else 0 if status == MISSING else score,
        "points": policy.total,
        "status": status,
        "changes": told,
        "requests": list(policy.requests.get(student, ())),
        "late_days": tidy(days),
    }


def _days_late(result: Result, changes: Sequence[Change], policy: Policy) -> tuple[float, str]:
    """Days late, and where they come from if nobody has entered them."""
    if given := [change.late_days for change in changes if change.late_days is not None]:
        return max(given), ""
    due, said = policy.due.get(result["student"]), result.get("handed_in")
    entered = [change.handed_in for change in changes if change.handed_in]
    handed = entered[-1] if entered else datetime.fromisoformat(said).astimezone() if said else None
    if not due or not handed or handed <= due:
        return 0.0, ""
    times = [f"{moment.astimezone():%Y-%m-%d %H:%M}" for moment in (handed, due)]
    return (handed - due).total_seconds() / 86400, f" (handed in {times[0]}, due {times[1]})"


def _marked(student: str, question: Mapping[str, Any], policy: Policy) -> dict[str, Any]:
    """A question with the marks of its text, if it is one; marks of another version of the text do not count."""
    checks = question["checks"]
    if not any(state_of(check) == BY_HAND for check in checks):
        return dict(question)
    number = text_number(policy.hidden, student, question["id"])
    written = "".join(check["shown"] for check in checks)
    text = f"{number}-{text_number(b'version', written)[:4]}"
    marks = {mark.line: mark for mark in policy.marks.get(number, ()) if mark.text == text}
    found = [
        check | ({"earned": mark.points, "comment": mark.comment} if (mark := marks.get(line)) else {})
        for line, check in enumerate(checks, 1)
    ]
    if all(mark and mark.points is not None for mark in map(marks.get, range(1, len(checks) + 1))):
        score = tidy(math.fsum(check["earned"] for check in found))
        return {**question, "text": text, "checks": found, "score": score, "entered": True}
    return {**question, "text": text}


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


def _changed(change: Change, score: float, most: float, told: list[str], policy: Policy) -> float:
    what = change.question or "all"
    if change.points is None:
        told += (
            [f"{change.question}: {change.comment}" if change.question else change.comment] if change.comment else []
        )
        return score
    wanted = tidy(change.points if change.sets else score + change.points)
    after = min(max(wanted, 0), most)
    if after != wanted:
        policy.beyond.append(f"{change.place}: {what}: {score} would become {wanted} points; entered are {after}")
    told.append(f"{what}: {_some(after, 'point')} instead of {score}" + (change.comment and f": {change.comment}"))
    return after
