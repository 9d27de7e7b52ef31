"""Grading a folder of notebooks: one result a student, resumed where it stopped, the same bytes when done again."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import pickle
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from companion import __version__
from companion.classroom import source, submission_checks, submissions
from companion.classroom.cleanup import remove_scratch
from companion.classroom.draws import derive
from companion.classroom.feedback_examples import failing_calls
from companion.classroom.interpreter import ours
from companion.classroom.isolation import open_to_others, refuse_what_is_shown
from companion.classroom.keys import Keys, series
from companion.classroom.marking import BY_HAND, SECONDS_OF_COMPARISON, Marked, clean, mark, sent_numbers
from companion.classroom.sandbox import Sandbox, SandboxError
from companion.classroom.sandbox_policy import Limits
from companion.classroom.session import NEVER_READY, SECONDS_TO_START, Session
from companion.classroom.submissions import HandedIn
from companion.classroom.submitted_files import Piece, Student, UnreadableError
from companion.core.errors import Mistakes, ParameterError
from companion.core.files import strict_json, write_atomic

Result = dict[str, Any]
GRADED, MISSING, UNREADABLE, FAILED = "graded", "nothing handed in", "unreadable", "grader failed"
UNGRADED, ENTERED = "not graded yet", "entered by hand"
#: Whose scores are in a mean: what was not handed in, or could not be read, would be a 0 that says nothing of the questions.
COUNTED = (GRADED, ENTERED)
#: Of the time that the cells leave, the part in which calls are looked for that can be shown.
SHARE_SHOWN = 1 / 3
#: Submissions in a row whose sandbox did not start, after which no further one is tried.
MOST_NEVER_READY = 3


@dataclass(frozen=True)
class GradingSetting:
    """Common settings of all submissions of one grading."""

    source: Path
    keys: Keys
    sandbox: Sandbox
    limits: Limits

    @functools.cached_property
    def fingerprint(self) -> str:
        """Changes with the assignment, the secret, the limits, the rung and the grader: whatever may change a result."""
        code = sorted(Path(__file__).resolve().parent.glob("*.py"))
        parts = [self.source.read_bytes(), *(path.read_bytes() for path in code)]
        parts += [derive(self.keys.hidden, "fingerprint"), strict_json(asdict(self.limits)).encode()]
        parts += [self.sandbox.rung.encode(), " ".join(self.sandbox.lacks or ()).encode(), __version__.encode()]
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@functools.lru_cache(maxsize=8)
def _assignment(path: Path) -> source.Assignment:
    return source.load(path)


_running: set[subprocess.Popen[bytes]] = set()


def grade(setting: GradingSetting, student: str, content: bytes) -> Result:
    """Grade one notebook in a process of its own, see :mod:`companion.classroom.grader`.

    Arguments and result as for :func:`grade_here`. A submission that ends that process, or makes it too large or too slow,
    has the status :data:`FAILED` and costs no other anything.
    """
    # Starts of the sandbox and its total time, twice over; the last comparison may have begun just before the end.
    seconds = 2 * (3 * SECONDS_TO_START + setting.limits.total + SECONDS_OF_COMPARISON)
    with setting.sandbox.for_one() as box:
        process = subprocess.Popen(
            **ours("companion.classroom.grader"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        _running.add(process)
        try:
            sent = pickle.dumps((seconds, replace(setting, sandbox=box), student, content))
            said = json.loads(process.communicate(sent, timeout=seconds)[0])
        except (subprocess.TimeoutExpired, ValueError):  # ended by the clock, or by itself with half an answer
            said = {"failed": "the process that graded it was ended: it used more memory or time than it may"}
        finally:
            process.kill()
            process.communicate()
            _running.discard(process)
            remove_scratch(process.pid)
    if "failed" in said:
        return _blank(setting, student, "") | {"status": FAILED, "score": None, "notes": [said["failed"]]}
    return _blank(setting, student, said["submission"]) | said


def grade_here(setting: GradingSetting, student: str, content: bytes) -> Result:
    """Grade one notebook in this process.

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
    shown, hidden = setting.keys.shown, setting.keys.hidden
    numbers = sent_numbers(assignment, shown, student)
    outcomes: dict[str, list[Marked]] = {}
    shares: dict[str, float] = {}
    try:
        with Session(setting.sandbox, content, numbers, setting.limits) as public:
            public.run()
            until = public.left * (1 - SHARE_SHOWN)
            failing = failing_calls(assignment, public, hidden, shown, student, lambda: public.left > until)
            notes = [f"code cell {number + 1}: {error}" for number, error in sorted(public.errors.items())]
        with Session(setting.sandbox, content, numbers, setting.limits) as session:  # only now hidden inputs are sent
            # Texts first: they are only read, and whatever else takes too long cannot keep us from that.
            for question in sorted(assignment.questions, key=lambda one: not assignment.key[one].rubric):
                found = mark(assignment, question, session, hidden, shown, student, shares)
                shares[question] = _earned(found) / assignment.key[question].points
                for one in found:
                    keeps = one.earned or one.state == BY_HAND
                    told = one if keeps else replace(one, shown=failing.get((question, one.name), ""))
                    outcomes.setdefault(question, []).append(told)
    except UnreadableError as error:
        return result | {"status": UNREADABLE, "notes": [str(error)]}
    marked = []
    for question in assignment.questions:
        checks, points = outcomes[question], assignment.key[question].points
        listed = [asdict(check) for check in checks]
        marked.append({"id": question, "score": _earned(checks), "points": points, "checks": listed})
    score = sum(map(_earned, outcomes.values()))
    return result | {"status": GRADED, "questions": marked, "score": score, "notes": notes}


def _earned(checks: list[Marked]) -> int:
    return sum(check.earned for check in checks)


def _blank(setting: GradingSetting, student: str, submission: str) -> Result:
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
        "lacks": sorted(setting.sandbox.lacks or ()),
        "limits": asdict(setting.limits),
        "submission": submission,
        "fingerprint": setting.fingerprint,
        "warnings": [],
        "handed_in": "",
    }


def _grade_file(setting: GradingSetting, student: str, piece: Piece) -> tuple[Result, float]:
    """Result of one student, and the seconds it took; whatever goes wrong with this one is told in its result."""
    began = time.monotonic()
    try:
        result = grade(setting, student, submission_checks.content(piece))
    except UnreadableError as error:
        result = _blank(setting, student, "") | {"status": UNREADABLE, "notes": [str(error)]}
    except Exception as error:  # a defect of the grader or of the assignment: the others are graded all the same
        told = f"{type(error).__name__}: {clean(error)}"
        result = _blank(setting, student, "") | {"status": FAILED, "score": None, "notes": [told]}
    return result, time.monotonic() - began


def grade_folder(
    folder: Path,
    students: list[Student],
    setting: GradingSetting,
    out: Path,
    jobs: int = 1,
    again: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    only: Sequence[str] = (),
    anyway: bool = False,
    seconds: dict[str, float] | None = None,
    handed: HandedIn | None = None,
) -> tuple[list[Result], HandedIn]:
    """Grade everything in a folder and write ``out/results/<id>.json`` as soon as each is known.

    Parameters
    ----------
    folder : submissions, see :func:`companion.classroom.submissions.collect`
    students : the roster
    setting : assignment, keys, sandbox, limits
    out : results go here
    jobs : submissions graded at the same time
    again : also those that have a result already, of the same notebook by the same grader
    tell : is given a line for everything odd, and one of progress after each
    only : ids; these are graded again, and of all others the result stays that there is
    anyway : also where most notebooks are of another assignment, or were made with another secret
    seconds : is told how long each took
    handed : what :func:`hand_ins` found in the folder, where its warnings have been told already

    Returns
    -------
    one result a student, in the roster's order, and what was handed in

    Raises
    ------
    ParameterError
        if the folder is none, lies open to the other user that student code runs as, or holds another assignment; for an
        id that is not on the roster
    """
    if handed is None:
        handed = hand_ins(folder, students, _assignment(setting.source), setting.keys, out, only, anyway)
        for line in handed.warnings:
            tell(line)
    _check_places(folder, setting, out)
    results: dict[str, Result] = {}
    waiting, old, gone = [], [], []
    for student, files in handed.files.items():
        stays = bool(only) and student not in only
        before = _kept(out, student, setting, tell)
        kept = None if again or student in only else before
        if kept and files and _same(kept, setting, files[0].look.digest):
            results[student] = kept
        elif stays:
            results[student] = kept or _blank(setting, student, "") | {"status": UNGRADED, "score": None}
            old += [student] if kept and files else []
            continue
        elif files:
            waiting.append((student, files[0].piece))
            continue
        elif before and before["status"] == GRADED:
            results[student] = before  # somebody grades a folder of late hand-ins alone, or has moved a file
            gone.append(student)
            continue
        else:
            results[student] = _blank(setting, student, "")
        if _added(results[student], handed) or results[student] is not kept:
            _store(out, setting, results[student])
    if reused := sum(result["status"] == GRADED for result in results.values()) - len(old) - len(gone):
        tell(f"{reused} of {reused + len(waiting)} are graded already")
    if gone:
        tell(f"kept from an earlier grading, no file of theirs is in {folder}: {', '.join(gone)}")
    if old:
        tell(f"kept as they are, and not graded now: {', '.join(old)}")
    never_ready = 0
    for done, (result, taken) in enumerate(_all(setting, waiting, jobs), 1):
        _added(result, handed)
        results[result["student"]] = result
        _store(out, setting, result)
        if seconds is not None:
            seconds[result["student"]] = taken
        score = f"{'-' if result['score'] is None else result['score']}/{result['points']}"
        tell(f"{done}/{len(waiting)} {result['student']}: {score}, {result['status']}, {taken:.1f} s")
        never_ready = never_ready + 1 if any(NEVER_READY in note for note in result["notes"][:1]) else 0
        if result["status"] == FAILED and never_ready == MOST_NEVER_READY:
            raise SandboxError(f"stopped after {never_ready} submissions for which {result['notes'][0]}")
    return [results[student.id] for student in students], handed


def hand_ins(
    folder: Path,
    students: Sequence[Student],
    assignment: source.Assignment,
    keys: Keys,
    out: Path,
    only: Sequence[str] = (),
    anyway: bool = False,
    mistakes: Mistakes | None = None,
) -> HandedIn:
    """What was handed in, with a line for everything odd; nothing is graded. Arguments as for :func:`grade_folder`.

    ``mistakes`` notes what cannot be worked with; without it, it is refused together.
    """
    noted = Mistakes() if mistakes is None else mistakes
    with noted.noted():
        if unknown := sorted(set(only) - {student.id for student in students}):
            raise ParameterError("--only", f"got {unknown[0]!r}", "an id on the roster")
    with noted.noted():
        if other := _of_another(out, assignment.name):
            raise ParameterError("--out", f"{out} holds results of {other}", "a folder for each assignment")
    handed = HandedIn({})
    with noted.noted():
        if not (folder.is_dir() or (folder.is_file() and folder.suffix.lower() == ".zip")):
            raise ParameterError("FOLDER", f"{folder} is no folder", "the folder with the submissions, or their zip")
        handed = submissions.collect(folder, students, assignment.name)
        own = any(cell.role == "numbers" for cell in assignment.cells)
        submissions.examine(handed, assignment.name, series(keys.shown), own, anyway)
    if mistakes is None:
        noted.refuse()
    return handed


def _added(result: Result, handed: HandedIn) -> bool:
    """Add what the file says besides its answers, and the time at which it came; whether this is new."""
    files = handed.files[result["student"]]
    said = {
        "warnings": handed.told.get(result["student"], []),
        "handed_in": files[0].handed_in if files else result.get("handed_in", ""),
    }
    new = any(result.get(name) != told for name, told in said.items())
    result |= said
    return new


def _check_places(folder: Path, setting: GradingSetting, out: Path) -> None:
    """Refuse places that student code could read."""
    refuse_what_is_shown(setting.sandbox, {"FOLDER": folder, "--assignment": setting.source, "--out": out})
    if setting.sandbox.rung == "container" and open_to_others(folder):
        raise ParameterError(
            "FOLDER", f"{folder} can be read by other users, as which student code runs here", "", "chmod 700"
        )


def _all(setting: GradingSetting, waiting: list[tuple[str, Piece]], jobs: int) -> Iterator[tuple[Result, float]]:
    pool = ThreadPoolExecutor(jobs)  # threads wait; the work is done in processes
    try:
        work = [pool.submit(_grade_file, setting, *one) for one in waiting]
        for future in as_completed(work):
            yield future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(_running):
            process.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _of_another(out: Path, assignment: str) -> str:
    """Another assignment of which there are results, or nothing."""
    for path in sorted((out / "results").glob("*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # not ours, or damaged: it is made again
            if (found := str(json.loads(path.read_text(encoding="utf-8"))["assignment"])) != assignment:
                return found
    return ""


def _store(out: Path, setting: GradingSetting, result: Result) -> None:
    result["seal"] = _seal(setting, result)
    write_atomic(result_path(out, result["student"]), (strict_json(result, indent=1) + "\n").encode())


def _seal(setting: GradingSetting, result: Result) -> str:
    """Changes with everything in a result, so that a score edited by hand is noticed."""
    content = strict_json({name: value for name, value in sorted(result.items()) if name != "seal"})
    return derive(setting.keys.hidden, "seal", content).hex()[:32]


def result_path(out: Path, student: str) -> Path:
    """File of a student's result."""
    return out / "results" / f"{student}.json"


def _kept(out: Path, student: str, setting: GradingSetting, tell: Callable[[str], None]) -> Result | None:
    """The result there is, if it is as the grader wrote it."""
    path = result_path(out, student)
    try:
        result: Result = json.loads(path.read_text(encoding="utf-8"))
        if result["fingerprint"] == setting.fingerprint and result["seal"] != _seal(setting, result):
            tell(f"{path} was changed by hand, and does not count; changes belong in overrides.csv")
            return None
        return result if result["student"] == student else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _same(result: Result, setting: GradingSetting, digest: str) -> bool:
    """Whether a result is of the same file by the same grader."""
    known = (setting.fingerprint, GRADED, digest)
    return (result["fingerprint"], result["status"], result["submission"]) == known
