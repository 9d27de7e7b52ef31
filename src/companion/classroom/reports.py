"""Reports of a grading: tables for a course's web site, and a page for every student."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.classroom.course_tables import COLUMNS, MARKS, Policy, tidy
from companion.classroom.grading import GRADED, MISSING, Result
from companion.classroom.marking import BY_HAND, RIGHT, USED_UP, state_of
from companion.classroom.source import Assignment
from companion.classroom.student_copies import archive
from companion.classroom.submissions import CANVAS, MOODLE, File
from companion.classroom.submitted_files import Student, shown
from companion.core.files import write_atomic

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; }
.score { font-size: 1.3rem; margin: .3rem 0 1.5rem; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .35rem .6rem; vertical-align: top; }
th:first-child { width: 1.2rem; }
tr { border-top: 1px solid #8886; } .n { text-align: right; white-space: nowrap; } thead tr { border: 0; }
.hint { opacity: .8; } li, code { overflow-wrap: anywhere; }
pre { margin: 0; white-space: pre-wrap; } blockquote { white-space: pre-line; }
footer { margin-top: 2.5rem; font-size: .85rem; opacity: .75; }
.said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.bar { background: #48c; height: 1.1rem; } .bars th { width: auto; font-weight: normal; } .bars th + td { width: 40%; }
"""


SIGNS = {
    right: f'<span aria-hidden="true">{sign}</span><span class="said">{word}</span>'
    for right, sign, word in ((True, "✓", "passed"), (False, "✗", "not passed"))
}


def write(
    assignment: Assignment,
    students: Sequence[Student],
    results: Sequence[Result],
    out: Path,
    title: str = "",
    files: Mapping[str, Sequence[File]] | None = None,
    policy: Policy | None = None,
) -> list[Path]:
    """Write the tables, a page for each student, and archives of the pages; the same bytes for the same results.

    Parameters
    ----------
    assignment, students : what was graded, and whose
    results : one a student, as :func:`companion.classroom.adjustments.adjusted` gives them
    out : ``grades.csv``, ``canvas.csv``, ``moodle.csv``, ``feedback/<id>.html`` go here
    title : of the columns; the assignment's by default
    files : what was handed in, by student. Where names are those of Canvas or Moodle, ``feedback_canvas.zip`` and
        ``feedback_moodle.zip`` are written, which these take back
    policy : of which ``to_mark.csv`` keeps the marks that there are, and ``texts.html`` shows the bank of comments

    Returns
    -------
    the files written
    """
    title = title or assignment.title
    points = results[0]["points"] if results else assignment.points
    written = {
        "grades.csv": csv_text(_grades(assignment, students, results)).encode(),
        "canvas.csv": csv_text(_canvas(title, points, students, results)).encode(),
        "moodle.csv": csv_text(_moodle(title, students, results)).encode(),
    }
    pages = {
        student.id: feedback(assignment, student, result).encode()
        for student, result in zip(students, results, strict=True)
    }
    for site, named in (("canvas", _canvas_name), ("moodle", _moodle_name)):
        name = f"feedback_{site}.zip"
        back = {
            inside: pages[student]
            for student, found in (files or {}).items()
            if found and (inside := named(found[0].label, assignment.name))
        }
        if back:
            written[name] = archive(back)
        else:
            (out / name).unlink(missing_ok=True)
    texts = sorted(
        (question for result in results for question in result["questions"] if by_hand(question)),
        key=lambda question: (question["id"], question["text"]),
    )
    if texts:
        policy = policy or Policy({})
        written["texts.html"] = _texts(assignment, texts, policy.comments).encode()
        written[MARKS] = csv_text([COLUMNS[MARKS], *_to_mark(texts, policy)]).encode()
    written |= {f"feedback/{student}.html": page for student, page in pages.items()}
    for name, content in written.items():
        write_atomic(out / name, content)
    return [out / name for name in written]


def _canvas_name(label: str, assignment: str) -> str:
    """Canvas looks for the numbers of the student and of the file handed in, and wants no more of the name."""
    match = CANVAS.match(label)
    return f"{_packable(match['stem'])}{assignment}.html" if match else ""


def _moodle_name(label: str, assignment: str) -> str:
    """Moodle looks for the participant's number in the folder's name, or in the file's where there is no folder."""
    match = MOODLE.match(label)
    if not match:
        return ""
    head = _packable(match[0].rstrip("_"))
    flat = match.end() < len(label)
    return f"{head}_feedback_{assignment}.html" if flat else f"{head}/feedback_{assignment}.html"


def _packable(name: str) -> str:
    return shown(name).replace("?", "-").replace("/", "-")


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV; text that a spreadsheet would run as a formula begins with an apostrophe."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([_inert(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def _inert(cell: object) -> object:
    # As OWASP advises. One sign alone is no formula, and "-" is how Moodle takes no grade.
    return f"'{cell}" if isinstance(cell, str) and len(cell) > 1 and cell[0] in "=+-@" else cell


def _score(result: Result) -> object:
    """Empty where there is nothing to enter: a zero is for something that was handed in."""
    return "" if result["status"] == MISSING or result["score"] is None else result["score"]


def _grades(
    assignment: Assignment, students: Sequence[Student], results: Sequence[Result]
) -> Iterable[Sequence[object]]:
    yield ("id", "name", "score", "points", *assignment.questions, "status", "sandbox", "notes")
    for student, result in zip(students, results, strict=True):
        scores = {question["id"]: "" if waits(question) else question["score"] for question in result["questions"]}
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
    title: str, points: float, students: Sequence[Student], results: Sequence[Result]
) -> Iterable[Sequence[object]]:
    """As the gradebook's import reads it: five columns that say who, then the assignment; a second line with its points.

    It takes a blank for a score to be removed, so who has nothing to enter has no line.
    """
    yield ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", title)
    yield ("    Points Possible", "", "", "", "", points)
    for student, result in zip(students, results, strict=True):
        if _score(result) != "":
            yield (student.name or student.id, student.canvas_id, student.id, student.email, "", _score(result))


def _moodle(title: str, students: Sequence[Student], results: Sequence[Result]) -> Iterable[Sequence[object]]:
    """As the import of the grader report reads it, which takes "-" for no grade; columns are assigned there by hand."""
    yield ("ID number", "Full name", "Email address", title, "Feedback comments")
    for student, result in zip(students, results, strict=True):
        parts = [
            f"{question['id']}: {BY_HAND if waits(question) else str(question['score']) + '/' + str(question['points'])}"
            for question in result["questions"]
        ]
        told = ", ".join([*parts, *result.get("changes", [])])
        score = _score(result)
        yield (student.id, student.name, student.email, "-" if score == "" else score, told)


def feedback(assignment: Assignment, student: Student, result: Result) -> str:
    """A page that needs nothing from elsewhere and runs nothing: what a student's code said stands there as text."""
    score = "-" if result["score"] is None else result["score"]
    open_points = sum(question["points"] for question in result["questions"] if waits(question))
    so_far = f" so far; {open_points} more are {BY_HAND}" if open_points else ""
    requests = [
        f"{one['question'] or 'all'}: “{one['request']}” {one['answer'] or 'It is being looked at.'}"
        for one in result.get("requests", ())
    ]
    parts = [
        f"<h1>{_text(assignment.title)}</h1>",
        f"<p>{_text(student.name)} {_text(student.id)}</p>",
        f'<p class="score">{score} of {tidy(result["points"] - open_points)} points{so_far}</p>',
    ]
    if result["status"] != GRADED:
        parts.append(f"<p><strong>{_text(result['status'])}</strong></p>")
    for heading, lines, tag in (
        ("Changed by your instructor", result.get("changes"), "span"),
        ("What you asked", requests, "span"),
        ("About the file", result.get("warnings"), "span"),
        ("While your notebook ran" if result["status"] == GRADED else "Why", result["notes"], "code"),
    ):
        if lines:
            items = "".join(f"<li><{tag}>{_text(line)}</{tag}></li>" for line in lines)
            parts.append(f"<h2>{heading}</h2><ul>{items}</ul>")
    parts += [_question(assignment, question) for question in result["questions"]]
    if result["submission"]:
        parts.append(
            f"<footer>Notebook {result['submission'][:12]}, graded in the sandbox {result['sandbox']}.</footer>"
        )
    return page(f"{assignment.title}: {student.id}", parts)


def page(title: str, parts: Iterable[str]) -> str:
    """A page of these parts that needs nothing from elsewhere, and in which nothing runs."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body><main>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def _question(assignment: Assignment, question: dict[str, Any]) -> str:
    heading = assignment.text("question", question["id"]).partition("\n")[0].lstrip("# ")
    if not question["points"]:
        return f"<h2>{_text(heading)}: does not count</h2>"
    if by_hand(question):
        return _by_hand(f"{heading}: {_state(question)}", question)
    rows = []
    for check in question["checks"]:
        right = check["earned"] == check["points"]
        hint = f'<div class="hint">{_text(check["hint"])}</div>' if check["hint"] and not right else ""
        said = "" if state_of(check) == RIGHT else f"<div><code>{_text(check['message'])}</code></div>"
        said += f"<div>For example:<pre><code>{_text(check['shown'])}</code></pre></div>" if check["shown"] else ""
        rows.append(
            f"<tr><td>{SIGNS[right]}</td><td>{_text(check['name'])}{said}{hint}</td>"
            f'<td class="n">{check["earned"]} / {check["points"]}</td></tr>'
        )
    head = '<thead><tr><th><span class="said">Passed</span></th><th>Check</th><th class="n">Points</th></tr></thead>'
    return (
        f"<h2>{_text(heading)}: {_state(question)}</h2>{_instead(question)}"
        f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"
    )


def by_hand(question: Mapping[str, Any]) -> bool:
    """Whether it is a text that somebody reads and marks."""
    return any(state_of(check) == BY_HAND for check in question["checks"])


def waits(question: Mapping[str, Any]) -> bool:
    """Whether somebody still has to read and mark a text."""
    return not question.get("entered") and by_hand(question)


def _texts(assignment: Assignment, texts: Sequence[Mapping[str, Any]], bank: Mapping[str, str]) -> str:
    """All texts that are marked by hand, a question after the other, in an order and under numbers that say nothing."""
    left = sum(map(waits, texts))
    parts = [f"<h1>{_text(assignment.title)}: texts</h1>", f"<p>{left} of {len(texts)} are {BY_HAND}.</p>"]
    if bank:
        items = "".join(
            f"<dt><code>#{_text(key)}</code></dt><dd>{_text(comment)}</dd>" for key, comment in bank.items()
        )
        parts.append(f"<h2>Comments</h2><dl>{items}</dl>")
    for name in dict.fromkeys(question["id"] for question in texts):
        mine = [question for question in texts if question["id"] == name]
        parts += [f"<h2>{_text(name)}</h2>", *(_by_hand(f"{one['text']}: {_state(one)}", one) for one in mine)]
    return page(assignment.title, parts)


def _to_mark(texts: Sequence[Mapping[str, Any]], policy: Policy) -> Iterable[Sequence[object]]:
    """A line for each line of a rubric of each text, as it was filled in; then what was filled in for other versions."""
    marks = {(mark.text, mark.line): mark for all_ in policy.marks.values() for mark in all_}
    for question in texts:
        for line, check in enumerate(question["checks"], 1):
            mark = marks.pop((question["text"], line), None)
            given = mark.given if mark else ("", "")
            yield question["text"], question["id"], line, check["points"], *given, check["name"]
    for mark in marks.values():
        yield mark.text, "", mark.line, "", *mark.given, "of an earlier hand-in"


def ran_out(result: Result) -> bool:
    """Whether the time of the whole submission was used up before all was asked."""
    return any(state_of(check) == USED_UP for question in result["questions"] for check in question["checks"])


def _by_hand(heading: str, question: Mapping[str, Any]) -> str:
    """A question whose points are entered, or are still to be: what was written, and what is looked for in it."""
    written = "".join(
        f"<blockquote>{_text(check['shown'])}</blockquote>" for check in question["checks"] if check["shown"]
    )
    lines, changed = "", _instead(question) if "comment" in question["checks"][0] else ""
    for check in question["checks"]:
        points = f"{check['earned']} of {check['points']}" if "comment" in check else check["points"]
        comment = f'<div class="hint">{_text(check["comment"])}</div>' if check.get("comment") else ""
        lines += f"<li>{_text(check['name'])} ({points}){comment}</li>"
    return f"<h2>{_text(heading)}</h2>{changed}{written}<ul>{lines}</ul>"


def _state(question: Mapping[str, Any]) -> str:
    return BY_HAND if waits(question) else f"{question['score']} of {question['points']}"


def _instead(question: Mapping[str, Any]) -> str:
    """Why the points of a question are not the sum of what stands below."""
    found = question.get("found", question["score"])
    return f"<p>Your instructor has changed the points, from {found}.</p>" if found != question["score"] else ""


def _text(value: object) -> str:
    return html.escape(str(value))
