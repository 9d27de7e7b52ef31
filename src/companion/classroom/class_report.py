"""Report on a class: scores, pass rate of each check, typical errors, empty answers, similar code."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import statistics
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.classroom import reports, similarity
from companion.classroom.author_checks import Trusted, reference_cells
from companion.classroom.grading import COUNTED, GRADED, Result
from companion.classroom.marking import FOLLOWS, mark, shown_numbers, state_of
from companion.classroom.notebook_text import notebook as read_notebook
from companion.classroom.reports import _text
from companion.classroom.source import Assignment
from companion.classroom.student_copies import notebook
from companion.classroom.submissions import File
from companion.core.errors import ParameterError
from companion.core.files import strict_json, write_atomic

HAND_INS, SIMILAR, PAGE = "hand-ins.json", "similar.csv", "report.html"
SOLUTION = "(published solution)"
#: Similarities that are listed; those at which code is as good as equal; and how many are shown on the screen.
LEAST, ALIKE, SHOWN = 0.15, 0.9, 20
#: Students below which a correlation is mostly chance.
FEWEST = 10
DISCRIMINATION = (
    "In brackets, discrimination: the correlation of passing a check with the points of all others. Below 0.2, it asks for "
    f"something else than they do; below 0, look for an error in it. From {FEWEST} graded students on, if some pass and some not."
)
CAUTION = "A list of what to read, never a verdict: short tasks have few good answers, and the solution is public."


def remember(out: Path, files: Mapping[str, Sequence[File]], seconds: Mapping[str, float]) -> None:
    """Keep beside the results what a report needs of the files themselves; times of earlier gradings stay."""
    try:
        before = json.loads((out / HAND_INS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = {}
    kept = {
        student: {
            "file": found[0].name,
            "answered": found[0].look.answered,
            "prints": found[0].look.prints,
            "seconds": round(seconds[student], 1) if student in seconds else before.get(student, {}).get("seconds"),
        }
        for student, found in files.items()
        if found and not found[0].look.problem
    }
    write_atomic(out / HAND_INS, (strict_json(kept) + "\n").encode())


def read(folder: Path) -> tuple[Path, list[Result], dict[str, Any], list[dict[str, str]]]:
    """Folder, results, hand-ins and the table of a grading, or of the only one below a folder.

    Raises
    ------
    ParameterError
        if there is none, or are several
    """
    found = [one for one in (folder, *sorted(folder.glob("*"))) if (one / "grades.csv").is_file()]
    if not found or (len(found) > 1 and found[0] != folder):
        names = ", ".join(one.name for one in found)
        raise ParameterError("FOLDER", f"{folder} holds {names or 'no grading'}", "the folder that 'grade' wrote")
    try:
        results = [json.loads(one.read_text(encoding="utf-8")) for one in sorted((found[0] / "results").glob("*.json"))]
        hand_ins = json.loads((found[0] / HAND_INS).read_text(encoding="utf-8"))
        table = list(csv.DictReader(io.StringIO((found[0] / "grades.csv").read_text(encoding="utf-8"))))
    except (OSError, ValueError) as error:
        raise ParameterError("FOLDER", f"{found[0]} cannot be read ({error})", "", "Grade once more") from None
    return found[0], results, hand_ins, table


def gather(
    assignment: Assignment, results: Sequence[Result], hand_ins: Mapping[str, Any], table: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """The report as data; names of students stand under ``similar`` alone."""
    graded = [result for result in results if result["status"] == GRADED]
    scores = sorted(float(row["score"]) for row in table if row["status"] in COUNTED)
    points = float(table[0]["points"]) if table else float(assignment.points)
    times = [one["seconds"] for one in hand_ins.values() if one["seconds"] is not None]
    return {
        "assignment": assignment.name,
        "title": assignment.title,
        "students": len(table),
        "statuses": dict(Counter(row["status"] for row in table)),
        "scores": scores,
        "points": points,
        "distribution": _distribution(scores, points),
        "checks": _checks(assignment, graded),
        "wrong": _wrong(assignment, graded),
        "unanswered": {
            question: sum(assignment.key[question].answer not in one["answered"] for one in hand_ins.values())
            for question in assignment.questions
        },
        "seconds": {"median": statistics.median(times), "longest": max(times)} if times else {},
        "similar": _similar(assignment, hand_ins),
    }


def _distribution(scores: Sequence[float], points: float) -> list[dict[str, Any]]:
    """A class for every point up to twenty of them, else ten; the last includes its upper end."""
    number = int(points) if points <= 20 and points == int(points) else 10
    width = points / number
    counted = Counter(min(int(score / width + 1e-9), number) for score in scores)
    return [{"from": round(width * place, 2), "students": counted[place]} for place in range(number + 1)]


def _checks(assignment: Assignment, graded: Sequence[Result]) -> list[dict[str, Any]]:
    """Pass rate of each check; marks by hand stand in ``overrides.csv`` alone."""
    found: dict[tuple[str, str], list[tuple[str, bool, float]]] = {}
    for result in graded:
        for question in (one for one in result["questions"] if not assignment.key[one["id"]].rubric):
            for check in question["checks"]:
                right, others = check["earned"] == check["points"], result["score"] - check["earned"]
                found.setdefault((question["id"], check["name"]), []).append((state_of(check), right, others))
    return [
        {
            "question": question,
            "check": name,
            "passed": sum(right for _, right, _ in all_),
            "of": len(graded),
            "followed": sum(state == FOLLOWS for state, *_ in all_),
            "discrimination": _discrimination([right for _, right, _ in all_], [others for *_, others in all_]),
        }
        for (question, name), all_ in found.items()
    ]


def _discrimination(right: Sequence[bool], others: Sequence[float]) -> float | None:
    """Corrected item-total correlation, which is point-biserial: of passing a check, and the points of all other checks."""
    try:
        return round(statistics.correlation(right, others), 2) if len(right) >= FEWEST else None
    except statistics.StatisticsError:  # all passed, or none, or the others are the same for all
        return None


def patterns(assignment: Assignment, question: str) -> dict[str, tuple[str, ...]]:
    """Names of the checks that each declared wrong answer fails; they are run here, as the author's code."""
    text = assignment.text("answer", question)
    numbers = {one: shown_numbers(assignment, one, b"report", "report") for one in assignment.questions}
    key = assignment.key[question]
    found = {}
    assignment.key[question] = dataclasses.replace(key, seconds=min(key.seconds, 1.0))
    try:
        for wrong in key.wrong:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                runner = Trusted(reference_cells(assignment, {question: wrong.applied(text)}), numbers, 2.0)
                marked = mark(assignment, question, runner, b"report", b"report", "report")
            found[wrong.name] = tuple(one.name for one in marked if one.earned < one.points)
    finally:
        assignment.key[question] = key
    return found


def _wrong(assignment: Assignment, graded: Sequence[Result]) -> list[dict[str, Any]]:
    """Typical errors whose checks are just those that students fail. Who fails all of them may have done anything."""
    failed = Counter(
        (question["id"], fails)
        for result in graded
        for question in result["questions"]
        if (fails := tuple(check["name"] for check in question["checks"] if check["earned"] < check["points"]))
        and len(fails) < len(question["checks"])
    )
    found = []
    for asked in assignment.questions:
        mine = [(fails, students) for (question, fails), students in failed.most_common() if question == asked]
        known = patterns(assignment, asked) if mine else {}
        for fails, students in mine:
            wrong = [name for name, pattern in known.items() if pattern == fails]
            found.append({"question": asked, "failed": list(fails), "students": students, "as": wrong})
    return found


def _similar(assignment: Assignment, hand_ins: Mapping[str, Any]) -> list[dict[str, Any]]:
    given, solved = (
        similarity.fingerprints(read_notebook(notebook(assignment, solution, b""))[0]) for solution in (False, True)
    )
    prints = {student: frozenset(one["prints"]) for student, one in hand_ins.items()}
    listed = [
        {"similarity": share, "first": first, "second": second, "shared": shared}
        for share, first, second, shared in similarity.pairs(prints | {SOLUTION: solved}, given)
        if share >= LEAST
    ]
    empty = [student for student, found in prints.items() if not found - given]
    return [*listed, *({"similarity": 1.0, "first": one, "second": "(as handed out)", "shared": 0} for one in empty)]


def table(report: Mapping[str, Any]) -> bytes:
    """``similar.csv``."""
    columns = ("similarity", "first", "second", "shared")
    return reports.csv_text([columns, *([one[column] for column in columns] for one in report["similar"])]).encode()


def _summary(report: Mapping[str, Any]) -> str:
    scores = report["scores"]
    told = ", ".join(f"{count} {status}" for status, count in report["statuses"].items())
    middle = f"; mean {statistics.mean(scores):.2f}, median {statistics.median(scores):g}" if scores else ""
    return f"{report['students']} students: {told}{middle} of {report['points']:g} points"


def _lines(report: Mapping[str, Any]) -> dict[str, list[tuple[str, str, int, int]]]:
    """Sections that can be shown in class: (question, text, students, of)."""
    most = max([one["students"] for one in report["distribution"]], default=1) or 1
    handed = report["checks"][0]["of"] if report["checks"] else 0
    return {
        "Scores": [("", f"{one['from']:g}", one["students"], most) for one in report["distribution"]],
        "Checks passed": [
            (one["question"], one["check"] + _discriminates(one), one["passed"], one["of"]) for one in report["checks"]
        ],
        "Right only by an earlier answer of one’s own": [
            (one["question"], one["check"], one["followed"], one["of"]) for one in report["checks"] if one["followed"]
        ],
        "Failed in the same way": [
            (one["question"], _as(one["as"]) or f"fails {'; '.join(one['failed'])}", one["students"], handed)
            for one in report["wrong"]
        ],
        "Not answered": [("", question, count, handed) for question, count in report["unanswered"].items()],
    }


def _headed(report: Mapping[str, Any], heading: str) -> list[str]:
    known = any(one["discrimination"] is not None for one in report["checks"])
    return [heading, *[DISCRIMINATION] * (known and heading == "Checks passed")]


def _discriminates(check: Mapping[str, Any]) -> str:
    return "" if check["discrimination"] is None else f" [{check['discrimination']:.2f}]"


def _as(names: Sequence[str]) -> str:
    more = f" or {len(names) - 2} more" if len(names) > 2 else ""
    return " or ".join(names[:2]) + more


def text(report: Mapping[str, Any]) -> str:
    """The report for a terminal, similarity included."""
    lines = [report["title"], _summary(report)]
    for heading, rows in _lines(report).items():
        lines += ["", *_headed(report, heading)] if rows else []
        width = min(60, max([len(f"{question} {told}") for question, told, *_ in rows], default=0))
        for question, told, count, of in rows:
            bar = "#" * round(24 * count / max(of, 1))
            lines.append(f"  {f'{question} {told}'.strip():{width}}  {count:3}  {bar}".rstrip())
    if report["seconds"]:
        lines += ["", "Grading took {median:g} s in the middle, {longest:g} s at most".format(**report["seconds"])]
    lines += ["", f"Similar code. {CAUTION}"]
    # Who is like the published solution is like all others who are.
    public = {one["second"] for one in report["similar"] if one["first"] == SOLUTION and one["similarity"] >= ALIKE}
    found = [one for one in report["similar"] if not {one["first"], one["second"]} <= public]
    lines += [f"  {one['similarity']:.2f}  {one['first']}  {one['second']}" for one in found[:SHOWN]] or ["  none"]
    left = len(report["similar"]) - len(found[:SHOWN])
    lines += [f"  and {left} more in {SIMILAR}"] if left else []
    return "\n".join(lines)


def page(report: Mapping[str, Any]) -> str:
    """The part of the report that names nobody, as a page to be shown in class."""
    parts = [f"<h1>{_text(report['title'])}</h1>", f"<p>{_text(_summary(report))}</p>"]
    for heading, rows in _lines(report).items():
        cells = [
            f'<tr><th scope="row">{_text(f"{question} {told}".strip())}</th><td><div class="bar" style="width:'
            f'{100 * count / max(of, 1):.0f}%"></div></td><td class="n">{count}</td></tr>'
            for question, told, count, of in rows
        ]
        head = "<thead><tr><th>What</th><th>Share</th><th class='n'>Students</th></tr></thead>"
        told = "".join(f"<p>{line}</p>" for line in _headed(report, heading)[1:])
        table = f'<h2>{heading}</h2>{told}<table class="bars">{head}<tbody>{"".join(cells)}</tbody></table>'
        parts += [table] if rows else []
    return reports.page(report["title"], parts)
