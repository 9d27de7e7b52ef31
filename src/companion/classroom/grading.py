"""Grading a folder of notebooks: one result a student, resumed where it stopped, the same bytes when done again."""

from __future__ import annotations

import functools
import hashlib
import json
import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from companion import __version__
from companion.classroom import handed_in, source
from companion.classroom.draws import derive
from companion.classroom.handed_in import Student, UnreadableError
from companion.classroom.keys import Keys
from companion.classroom.marking import Marked, clean, mark, shown_numbers
from companion.classroom.sandbox import Limits, Sandbox, described, open_to_others
from companion.classroom.session import Session
from companion.classroom.showing import afresh
from companion.core.errors import ParameterError
from companion.core.files import strict_json, write_atomic

Result = dict[str, Any]
GRADED, MISSING, UNREADABLE, FAILED = "graded", "nothing handed in", "unreadable", "grader failed"


@dataclass(frozen=True)
class Setting:
    """What is the same for all submissions of one grading."""

    source: Path
    keys: Keys
    sandbox: Sandbox
    limits: Limits

    @functools.cached_property
    def fingerprint(self) -> str:
        """Changes with the assignment, the secret, the limits, the rung and the grader: whatever may change a result."""
        code = sorted(Path(__file__).resolve().parent.glob("*.py"))
        parts = [self.source.read_bytes(), *(path.read_bytes() for path in code)]
        parts += [derive(self.keys.hidden, "fingerprint"), strict_json(described(self.limits)).encode()]
        parts += [self.sandbox.rung.encode(), __version__.encode()]
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@functools.lru_cache(maxsize=8)
def _assignment(path: Path) -> source.Assignment:
    return source.load(path)


def grade(setting: Setting, student: str, content: bytes) -> Result:
    """Grade one notebook.

    Parameters
    ----------
    setting : assignment, keys, sandbox, limits
    student : id in the roster
    content : the notebook's bytes

    Returns
    -------
    a plain object: ``score`` and ``points``, ``status``, ``notes`` on cells that failed, ``questions`` with their checks,
    the rung and the limits. It has no times and no dates, so that grading again gives the same
    """
    assignment = _assignment(setting.source)
    result = _blank(setting, student, hashlib.sha256(content).hexdigest())
    try:
        cells = handed_in.code_cells(content)
    except UnreadableError as error:
        return result | {"status": UNREADABLE, "notes": [str(error)]}
    shown, hidden = setting.keys.shown, setting.keys.hidden
    numbers = {question: shown_numbers(assignment, question, shown, student) for question in assignment.questions}
    outcomes: dict[str, list[Marked]] = {}
    shares: dict[str, float] = {}
    with Session(setting.sandbox, cells, numbers, setting.limits) as session:
        for question in assignment.questions:
            outcomes[question] = mark(assignment, question, session, hidden, shown, student, shares)
            shares[question] = _earned(outcomes[question]) / assignment.key[question].points
        notes = [f"code cell {number + 1}: {error}" for number, error in sorted(session.errors.items())]
    # What is shown comes from a fresh process, which no hidden input has reached.
    brief = replace(setting.limits, total=setting.limits.total / 3)
    with Session(setting.sandbox, cells, numbers, brief) as session:
        outcomes = afresh(assignment, outcomes, session, hidden, shown, student)
    marked: list[dict[str, Any]] = [
        {
            "id": question,
            "score": _earned(checks),
            "points": assignment.key[question].points,
            "checks": [asdict(check) for check in checks],
        }
        for question, checks in outcomes.items()
    ]
    return result | {"status": GRADED, "questions": marked, "score": sum(m["score"] for m in marked), "notes": notes}


def _earned(checks: list[Marked]) -> int:
    return sum(check.earned for check in checks)


def _blank(setting: Setting, student: str, submission: str) -> Result:
    assignment = _assignment(setting.source)
    return {
        "assignment": assignment.name,
        "student": student,
        "status": MISSING,
        "score": 0,
        "points": assignment.points,
        "questions": [],
        "notes": [],
        "sandbox": setting.sandbox.rung,
        "limits": described(setting.limits),
        "submission": submission,
        "fingerprint": setting.fingerprint,
    }


def _grade_file(setting: Setting, student: str, paths: list[Path]) -> tuple[Result, float]:
    """Result of one student, and the seconds it took; whatever goes wrong with this one is told in its result."""
    began = time.monotonic()
    try:
        content = handed_in.read_file(paths[0])
        result = grade(setting, student, content)
    except UnreadableError as error:
        result = _blank(setting, student, "") | {"status": UNREADABLE, "notes": [str(error)]}
    except (
        Exception
    ) as error:  # a defect of the grader or of the assignment: the other students are graded all the same
        told = f"{type(error).__name__}: {clean(error)}"
        result = _blank(setting, student, "") | {"status": FAILED, "score": None, "notes": [told]}
    if len(paths) > 1:
        others = ", ".join(path.name for path in paths[1:])
        result["notes"] = [
            f"several notebooks were handed in; {paths[0].name} is graded, not {others}",
            *result["notes"],
        ]
    return result, time.monotonic() - began


def grade_folder(
    folder: Path,
    students: list[Student],
    setting: Setting,
    out: Path,
    jobs: int = 1,
    again: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[list[Result], list[Path]]:
    """Grade everything in a folder and write ``out/results/<id>.json`` as soon as each is known.

    Parameters
    ----------
    folder : submissions, see :func:`companion.classroom.handed_in.collect`
    students : the roster
    setting : assignment, keys, sandbox, limits
    out : results go here
    jobs : submissions graded at the same time
    again : also those that have a result already, of the same notebook by the same grader
    tell : is given a line of progress after each

    Returns
    -------
    one result a student, in the roster's order, and the notebooks that are nobody's

    Raises
    ------
    ParameterError
        if the folder is none, or lies open to the other user that student code runs as
    """
    if not folder.is_dir():
        raise ParameterError("FOLDER", f"{folder} is no folder", "the folder with the submissions")
    if setting.sandbox.rung == "user" and open_to_others(folder):
        raise ParameterError(
            "FOLDER", f"{folder} can be read by other users, as which student code runs here", "", "chmod 700"
        )
    found, nobody = handed_in.collect(folder, students)
    results: dict[str, Result] = {}
    waiting = []
    for student in students:
        paths = found[student.id]
        if not paths:
            results[student.id] = _blank(setting, student.id, "")
            _store(out, results[student.id])
        elif (kept := None if again else _kept(out, student.id, paths, setting)) is not None:
            results[student.id] = kept
        else:
            waiting.append((student.id, paths))
    reused = sum(result["status"] != MISSING for result in results.values())
    if reused:
        tell(f"{reused} of {reused + len(waiting)} are graded already")
    for done, (result, seconds) in enumerate(_all(setting, waiting, jobs), 1):
        results[result["student"]] = result
        _store(out, result)
        score = "-" if result["score"] is None else result["score"]
        tell(
            f"{done}/{len(waiting)} {result['student']}: {score}/{result['points']}, {result['status']}, {seconds:.1f} s"
        )
    return [results[student.id] for student in students], nobody


def _all(setting: Setting, waiting: list[tuple[str, list[Path]]], jobs: int) -> Iterator[tuple[Result, float]]:
    if jobs == 1 or len(waiting) < 2:
        for student, paths in waiting:
            yield _grade_file(setting, student, paths)
        return
    # Fresh processes: a forked one would inherit whatever threads the caller has.
    pool = ProcessPoolExecutor(min(jobs, len(waiting)), mp_context=multiprocessing.get_context("spawn"))
    try:
        work = [pool.submit(_grade_file, setting, *one) for one in waiting]
        for future in as_completed(work):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _store(out: Path, result: Result) -> None:
    write_atomic(result_path(out, result["student"]), (strict_json(result, indent=1) + "\n").encode())


def result_path(out: Path, student: str) -> Path:
    """Where a student's result is."""
    return out / "results" / f"{student}.json"


def _kept(out: Path, student: str, paths: list[Path], setting: Setting) -> Result | None:
    """The result there is, if it is of the same file by the same grader."""
    try:
        result = json.loads(result_path(out, student).read_text(encoding="utf-8"))
        same = result["fingerprint"] == setting.fingerprint and result["status"] == GRADED and len(paths) == 1
        content = handed_in.read_file(paths[0])
    except (OSError, ValueError, KeyError, UnreadableError):
        return None
    return result if same and result["submission"] == hashlib.sha256(content).hexdigest() else None
