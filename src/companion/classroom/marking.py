"""Marking: asks the student's process for answers and compares them, here, with what the package or a property says.

Nothing of a submission is ever executed or imported on this side: answers arrive as plain data.
"""

from __future__ import annotations

import contextlib
import math
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from companion.classroom.draws import Draw
from companion.classroom.questions import Check, Question
from companion.classroom.source import Assignment
from companion.classroom.value_encoding import pack, unpack

LONGEST_MESSAGE, LONGEST_TEXT = 300, 2000
#: An earlier answer has to have so much of its points before a later one is judged by it.
LEAST_TO_FOLLOW = 1 / 3
RIGHT, BY_HAND, UNANSWERED = "right", "to be marked by hand", "not answered"
#: Other states of a check: what a student's code says can be none of them.
WRONG, FOLLOWS, USED_UP = "wrong", "follows", "time used up"
#: Calls of an earlier answer that are looked at again before a later one is judged by it.
MOST_WITNESSED = 40
#: Calls of a question that may give no answer. More are not waited for, so that an endless loop costs one question only.
MOST_SILENT = 2
#: Inputs are drawn again so often, until they tell an error from the right answer.
MOST_DRAWN = 200
#: A property of an answer may take so long; an answer made to be slow to look at fails.
SECONDS_OF_COMPARISON = 20.0


class AnswerError(Exception):
    """The submission gave no answer: it raised, took too long, ended its process, or returned no plain data."""


class SilentError(AnswerError):
    """A call that took too long, or ended its process."""


class UsedUpError(SilentError):
    """A call for which the time of the submission did not suffice."""


class StudentError(AnswerError):
    """Error of the student's own code, in its own words: these may hold the arguments."""


class Runner(Protocol):
    """Process of the student's code. Both methods return plain data or raise :class:`AnswerError`."""

    def call(self, name: str, inputs: tuple[Any, ...], seconds: float) -> Any:
        """Return value of the function of this name."""

    def value(self, name: str, seconds: float) -> Any:
        """Value of the name."""

    def renew(self) -> None:
        """Start over: what was called before is forgotten by the student's code."""


@dataclass(frozen=True)
class Marked:
    """Outcome of one check. ``message`` is for the student and says no expected value and no hidden input.

    ``shown`` is a call on which the answer is wrong too, with what came back; or a text that is to be marked by hand.
    ``state`` is the grader's own word: right, wrong, follows, not answered, to be marked by hand, or time used up.
    """

    name: str
    points: int
    earned: int
    message: str
    hint: str = ""
    shown: str = ""
    state: str = WRONG


def shown_numbers(assignment: Assignment, question: str, shown_key: bytes, student: str) -> dict[str, Any]:
    """The student's own numbers of a question, as its notebook draws them from the shown key."""
    return assignment.numbers(question, Draw(shown_key, assignment.name, student, question))


def sent_numbers(assignment: Assignment, shown_key: bytes, student: str) -> dict[str, dict[str, Any]]:
    """Own numbers by question, as the student's code gets them when it is graded: nobody's, where the answer is typed."""
    whose = {question: "" if key.typed else student for question, key in assignment.key.items()}
    return {question: shown_numbers(assignment, question, shown_key, who) for question, who in whose.items()}


def state_of(check: Mapping[str, Any]) -> str:
    """The state of a check in a result; one of an earlier version of the grader has its message alone."""
    return str(check.get("state", check["message"]))


def used_up(total: float) -> str:
    """Message of a check whose answer came after the submission's time limit."""
    return f"the {total:g} s for the whole submission are used up"


def mark(
    assignment: Assignment,
    question: str,
    runner: Runner,
    hidden_key: bytes,
    shown_key: bytes,
    student: str,
    before: Mapping[str, float] | None = None,
) -> list[Marked]:
    """Mark one question.

    Parameters
    ----------
    assignment, question : which
    runner : where the student's code is
    hidden_key, shown_key : see :mod:`companion.classroom.draws`
    student : id in the roster
    before : shares of their points that earlier questions have got, for follow-through

    Returns
    -------
    one outcome per check, in the key's order; of a question that is marked by hand, one per line of its rubric
    """
    key = assignment.key[question]
    if key.rubric:
        return _to_be_marked(key, runner, [one for one in assignment.key.values() if one.typed])
    mine = shown_numbers(assignment, question, shown_key, student)
    earlier = assignment.key[key.after] if LEAST_TO_FOLLOW <= (before or {}).get(key.after, 1.0) < 1.0 else None
    found: list[Marked] = []
    silent = 0
    for check in key.checks:
        message, state = RIGHT, RIGHT
        labels = (assignment.name, student, question, check.name)
        try:
            if silent >= MOST_SILENT:
                raise AnswerError(f"not called: {MOST_SILENT} calls before it gave no answer")
            _mark_check(check, key, runner, Draw(hidden_key, *labels), mine)
        except AnswerError as error:
            silent += isinstance(error, SilentError)
            message = clean(error)
            state = USED_UP if isinstance(error, UsedUpError) else UNANSWERED if message == UNANSWERED else WRONG
        if state == WRONG and earlier and check.follows:
            own = _Own(runner, earlier)
            with contextlib.suppress(AnswerError):
                _mark_check(check, key, runner, Draw(hidden_key, *labels), mine, own)
                own.witness(Draw(hidden_key, *labels, "witness"))
                message, state = f"right, if {earlier.function} is: an error is paid for once", FOLLOWS
        earned = check.points if state in (RIGHT, FOLLOWS) else 0
        found.append(Marked(check.name, check.points, earned, message, "" if earned else check.hint, state=state))
    return found


def _to_be_marked(key: Question, runner: Runner, runs: list[Question]) -> list[Marked]:
    """Nothing yet for each line of the rubric, and once the text, with the runs that it speaks of, as they were typed."""
    try:
        text = runner.value(key.value, key.seconds)
    except AnswerError:
        text = None
    written = isinstance(text, str) and bool(text.strip())
    state = BY_HAND if written else UNANSWERED
    lines = [Marked(name, points, 0, state, state=state) for name, points in key.rubric]
    if not written:
        return lines
    shown = printable(text)[:LONGEST_TEXT]
    for run in runs:
        with contextlib.suppress(AnswerError, ValueError):  # an integer of 5,000 digits cannot be written
            shown += f"\n\n{run.value} = {printable(repr(runner.value(run.value, run.seconds)))[:LONGEST_MESSAGE]}"
    return [replace(lines[0], shown=shown), *lines[1:]]


class _Own:
    """The student's own function of an earlier question, and what it said.

    It knows what a later answer asks it, and could say what makes that answer right. So it is believed only where it is
    right itself often enough, says nothing but numbers, and says the same to a process in which nothing was asked before.
    """

    def __init__(self, runner: Runner, earlier: Question) -> None:
        self.runner, self.earlier = runner, earlier
        self.said: dict[str, tuple[tuple[Any, ...], Any]] = {}

    def __call__(self, *inputs: Any) -> Any:
        answer = plain(self.runner.call(self.earlier.function, inputs, self.earlier.seconds))
        packed = [pack(value) for value in inputs]
        self.said[repr(packed)] = tuple(unpack(value) for value in packed), answer
        return answer

    def witness(self, draw: Draw) -> None:
        """AnswerError unless a third of the answers are right, all are finite, and all are given again."""
        asked = draw.shuffled(list(self.said.values()))[:MOST_WITNESSED]
        oracle = next(check for check in reversed(self.earlier.checks) if check.equals or check.close)
        right = 0
        for inputs, answer in asked:
            with contextlib.suppress(AnswerError):
                judge(oracle, answer, inputs)
                right += 1
        if right < LEAST_TO_FOLLOW * len(asked) or not all(_finite(answer) for _, answer in asked):
            raise AnswerError("the earlier answer is right too seldom where this one asks it")
        self.runner.renew()
        for inputs, answer in asked:
            again = plain(self.runner.call(self.earlier.function, inputs, self.earlier.seconds))
            if difference(again, answer, (0.0, 0.0)):
                raise AnswerError("the earlier answer is another one when it is asked again")


def _finite(value: Any) -> bool:
    if isinstance(value, list | dict):
        return all(map(_finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)


def _mark_check(
    check: Check, key: Question, runner: Runner, draw: Draw, mine: Mapping[str, Any], own: _Own | None = None
) -> None:
    for case in cases_of(check, draw, mine):
        # Copied by packing, so that a property which sorts its input in place changes nothing for the oracle.
        sent = tuple(pack(value) for value in case)
        try:
            answer = (
                runner.call(key.function, case, key.seconds) if key.function else runner.value(key.value, key.seconds)
            )
        except StudentError as error:
            # A value is asked for with nothing hidden; a function has seen an input, which its words, or the choice among
            # a hundred types of errors, would show.
            unseen = str(error) if str(error) == UNANSWERED else "the call raised an error, or gave no plain value"
            raise AnswerError(unseen if key.function else quoted(error)) from None
        judge(check, answer, tuple(unpack(value) for value in sent), own)


def judge(check: Check, answer: Any, given: tuple[Any, ...], own: _Own | None = None) -> None:
    """Raises AnswerError with the reason if the answer is not right, or is made to be slow or too large to look at."""
    try:
        with at_most(SECONDS_OF_COMPARISON):
            problem = _problem(check, answer, given, own)
    except (MemoryError, RecursionError, TooLong) as error:
        raise AnswerError(f"the answer cannot be compared ({type(error).__name__})") from None
    if problem:
        raise AnswerError(problem)


def _problem(check: Check, answer: Any, given: tuple[Any, ...], own: _Own | None) -> str:
    if check.holds is not None and own is None:
        return _property(check.holds, answer, given)
    tolerances = None if check.close is None else (check.rel_tol, check.abs_tol)
    if own is None:
        oracle = check.equals or check.close
        assert oracle is not None  # Check itself sees to it
        return difference(plain(answer), plain(oracle(*given)), tolerances)
    assert check.follows is not None
    try:
        expected = plain(check.follows(own, *given))
    except Exception:  # the student's function may return anything
        return "nothing follows from the earlier answer"
    return difference(plain(answer), expected, tolerances or ((1e-6, 1e-9) if check.holds else None))


def cases_of(check: Check, draw: Draw, mine: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The inputs of a check, as they are drawn for one student."""
    if check.inputs is None:
        return [(dict(mine),)]
    if not callable(check.inputs):
        return list(check.inputs)
    cases: list[tuple[Any, ...]] = []
    for _ in range(MOST_DRAWN):
        cases = list(check.inputs(draw, mine))
        if draw.for_reading or all(any(_is_wrong(check, rival, case) for case in cases) for rival in check.rivals):
            break
    return cases


def _is_wrong(check: Check, rival: Callable[..., Any], case: tuple[Any, ...]) -> bool:
    """Whether another answer of the author's is wrong on a case."""
    try:
        judge(check, rival(*(unpack(pack(value)) for value in case)), case)
    except Exception:
        return True
    return False


def _property(holds: Callable[..., Any], answer: Any, given: tuple[Any, ...]) -> str:
    try:
        verdict = holds(answer, *given)
    except AssertionError as error:
        return str(error) or "the property does not hold"
    except (
        Exception
    ):  # the answer is anything at all, so its property may fail in any way, of which the way says nothing
        return "the answer is not of the form asked for"
    if verdict is not None and not (isinstance(verdict, bool | np.bool_) and bool(verdict)):
        return "the property does not hold"
    return ""


class TooLong(BaseException):
    """Raised by the clock of :func:`at_most`; no ``except Exception`` in between catches it."""


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Interrupt the block after so many seconds with :class:`TooLong`, where a clock can be had: the main thread of POSIX."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, ring)
    around, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, around)  # the rest of a clock around this one
        signal.signal(signal.SIGALRM, before)


def plain(value: Any) -> Any:
    """Lists for tuples and arrays, Python's numbers for NumPy's: what an answer and its expectation are compared as."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value


def difference(answer: Any, expected: Any, tolerances: tuple[float, float] | None) -> str:
    """Why the answer is not the expected one, in words that do not give it away; empty if it is.

    Parameters
    ----------
    answer, expected : numbers, strings, booleans, None, lists, dicts
    tolerances : relative and absolute tolerance for numbers; ``None`` for exact comparison
    """
    if isinstance(expected, list):
        if not isinstance(answer, list):
            return f"expected a list, got {_kind(answer)}"
        if len(answer) != len(expected):
            return (
                "a list with another number of entries"  # not with which: that would carry out what it was called with
            )
        pairs = zip(answer, expected, strict=True)
        return next(filter(None, (difference(a, e, tolerances) for a, e in pairs)), "")
    if isinstance(expected, dict):
        if not isinstance(answer, dict) or set(answer) != set(expected):
            return f"expected a dict with the keys {', '.join(sorted(expected))}, got {_kind(answer)}"
        return next(filter(None, (difference(answer[name], expected[name], tolerances) for name in expected)), "")
    if isinstance(expected, bool) or expected is None or isinstance(expected, str):
        return "" if type(answer) is type(expected) and answer == expected else "not the right value"
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return f"expected a number, got {_kind(answer)}"
    return _number_difference(answer, expected, tolerances)


def _number_difference(answer: float, expected: float, tolerances: tuple[float, float] | None) -> str:
    if tolerances is None:
        if isinstance(expected, int) and not isinstance(answer, int):
            return "expected an integer, got a float"
        return "" if answer == expected else "not the right value"
    relative, absolute = tolerances
    try:
        near = answer == expected or (
            math.isfinite(answer)
            and math.isfinite(expected)
            and abs(answer - expected) <= absolute + relative * abs(expected)
        )
    except OverflowError:  # an integer beyond the range of floats
        near = False
    return "" if near else ("not a number" if answer != answer else "not the right value")


def _kind(value: Any) -> str:
    return "nothing (None)" if value is None else f"a {type(value).__name__}"


def quoted(words: Any) -> str:
    """Output of student code in quotation marks that it cannot close, so that it cannot pass for the grader's words."""
    return f"“{clean(Exception(words)).translate(str.maketrans('“”', chr(39) * 2))}”"


def clean(error: BaseException) -> str:
    """Message of an error, printable and of bounded length."""
    return printable(str(error))[:LONGEST_MESSAGE] or type(error).__name__


def printable(text: str) -> str:
    """One line, without characters that could act in a terminal or a page."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
