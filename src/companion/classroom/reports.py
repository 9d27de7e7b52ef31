"""What comes out of a grading besides the results: tables for a course's web site, and a page for every student."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from companion.classroom.grading import MISSING, Result
from companion.classroom.handed_in import Student
from companion.classroom.source import Assignment
from companion.core.files import write_atomic

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; }
.score { font-size: 1.3rem; margin: .3rem 0 1.5rem; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .35rem .6rem; vertical-align: top; }
th:first-child { width: 1.2rem; }
tr { border-top: 1px solid #8886; } .n { text-align: right; white-space: nowrap; } thead tr { border: 0; }
.hint { opacity: .8; } code { overflow-wrap: anywhere; } footer { margin-top: 2.5rem; font-size: .85rem; opacity: .75; }
"""


def write(assignment: Assignment, students: Sequence[Student], results: Sequence[Result], out: Path) -> list[Path]:
    """Write ``grades.csv``, ``canvas.csv``, ``moodle.csv`` and ``feedback/<id>.html``; the same bytes for the same results.

    Returns
    -------
    the files written
    """
    files = {
        "grades.csv": _table(_grades(assignment, students, results)),
        "canvas.csv": _table(_canvas(assignment, students, results)),
        "moodle.csv": _table(_moodle(assignment, students, results)),
    }
    for student, result in zip(students, results, strict=True):
        files[f"feedback/{student.id}.html"] = feedback(assignment, student, result).encode()
    for name, content in files.items():
        write_atomic(out / name, content)
    return [out / name for name in files]


def _table(rows: Iterable[Sequence[object]]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue().encode()


def _score(result: Result) -> object:
    """Empty where there is nothing to enter: a zero is for something that was handed in."""
    return "" if result["status"] == MISSING or result["score"] is None else result["score"]


def _grades(
    assignment: Assignment, students: Sequence[Student], results: Sequence[Result]
) -> Iterable[Sequence[object]]:
    yield ("id", "name", "score", "points", *assignment.questions, "status", "sandbox", "notes")
    for student, result in zip(students, results, strict=True):
        scores = {question["id"]: question["score"] for question in result["questions"]}
        yield (
            student.id,
            student.name,
            _score(result),
            result["points"],
            *(scores.get(question, "") for question in assignment.questions),
            result["status"],
            result["sandbox"],
            len(result["notes"]),
        )


def _canvas(
    assignment: Assignment, students: Sequence[Student], results: Sequence[Result]
) -> Iterable[Sequence[object]]:
    """As the gradebook's import reads it: five columns that say who, then the assignment; a second line with its points."""
    yield ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment.title)
    yield ("    Points Possible", "", "", "", "", assignment.points)
    for student, result in zip(students, results, strict=True):
        yield (student.name or student.id, student.canvas_id, student.id, student.email, "", _score(result))


def _moodle(
    assignment: Assignment, students: Sequence[Student], results: Sequence[Result]
) -> Iterable[Sequence[object]]:
    """As the import of the grader report reads it; the columns are assigned there by hand, by these names."""
    yield ("ID number", "Full name", "Email address", assignment.title, "Feedback comments")
    for student, result in zip(students, results, strict=True):
        parts = [f"{question['id']}: {question['score']}/{question['points']}" for question in result["questions"]]
        yield (student.id, student.name, student.email, _score(result), ", ".join(parts))


def feedback(assignment: Assignment, student: Student, result: Result) -> str:
    """A page that needs nothing from elsewhere and runs nothing: what a student's code said stands there as text."""
    score = "-" if result["score"] is None else result["score"]
    parts = [
        f"<h1>{_text(assignment.title)}</h1>",
        f"<p>{_text(student.name)} {_text(student.id)}</p>",
        f'<p class="score">{score} of {result["points"]} points</p>',
    ]
    if result["status"] != "graded":
        parts.append(f"<p><strong>{_text(result['status'])}</strong></p>")
    if result["notes"]:
        items = "".join(f"<li><code>{_text(note)}</code></li>" for note in result["notes"])
        parts.append(f"<h2>While your notebook ran</h2><ul>{items}</ul>")
    parts += [_question(assignment, question) for question in result["questions"]]
    if result["submission"]:
        parts.append(
            f"<footer>Notebook {result['submission'][:12]}, graded in the sandbox {result['sandbox']}.</footer>"
        )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(assignment.title)}: {_text(student.id)}</title><style>{_STYLE}</style></head><body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _question(assignment: Assignment, question: dict[str, Any]) -> str:
    heading = assignment.text("question", question["id"]).partition("\n")[0].lstrip("# ")
    rows = []
    for check in question["checks"]:
        right = check["earned"] == check["points"]
        hint = f'<div class="hint">{_text(check["hint"])}</div>' if check["hint"] and not right else ""
        said = "" if right else f"<div><code>{_text(check['message'])}</code></div>"
        said += f"<div>For example: <code>{_text(check['shown'])}</code></div>" if check["shown"] else ""
        rows.append(
            f"<tr><td>{'✓' if right else '✗'}</td><td>{_text(check['name'])}{said}{hint}</td>"
            f'<td class="n">{check["earned"]} / {check["points"]}</td></tr>'
        )
    head = '<thead><tr><th></th><th>Check</th><th class="n">Points</th></tr></thead>'
    return (
        f"<h2>{_text(heading)}: {question['score']} of {question['points']}</h2>"
        f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"
    )


def _text(value: object) -> str:
    return html.escape(str(value))
