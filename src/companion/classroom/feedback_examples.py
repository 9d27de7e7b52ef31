"""Feedback besides marks: for each function a call on which the answer is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from companion.classroom.draws import Draw
from companion.classroom.marking import (
    LONGEST_MESSAGE,
    UNANSWERED,
    AnswerError,
    Runner,
    StudentError,
    cases_of,
    judge,
    printable,
    quoted,
    shown_numbers,
)
from companion.classroom.questions import Check, Question
from companion.classroom.source import Assignment
from companion.classroom.value_encoding import pack, unpack

#: So many calls are tried for one that can be shown, and so long each may take.
MOST_SHOWN, SECONDS_OF_SHOWN = 8, 2.0
#: A longer call is not shown: nobody reads it.
LONGEST_CALL = 200


def to_digits(value: Any, digits: int) -> Any:
    """A plain value or an array, with floats rounded to so many digits."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.vectorize(lambda entry: float(f"{entry:.{digits}g}"), otypes=[float])(value) if value.size else value
    if isinstance(value, list | tuple):
        return [to_digits(item, digits) for item in value]
    if isinstance(value, dict):
        return {name: to_digits(item, digits) for name, item in value.items()}
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


def failing_calls(
    assignment: Assignment, runner: Runner, hidden_key: bytes, shown_key: bytes, student: str, left: Callable[[], bool]
) -> dict[tuple[str, str], str]:
    """For the checks of functions, by question and name, a call on which the answer is wrong, with what came back.

    The inputs are drawn for this purpose, in the same way as the hidden ones; none of these is among them. What comes back
    is shown as it is. So it is asked first, before the student's code has seen a hidden input.

    Parameters
    ----------
    assignment, runner : what is asked, and whom
    hidden_key, shown_key, student : as for :func:`companion.classroom.marking.mark`
    left : whether there is time for another check
    """
    found = {}
    for question, key in assignment.key.items():
        mine = shown_numbers(assignment, question, shown_key, student)
        labels = (assignment.name, student, question)
        hidden = [case for c in key.checks for case in cases_of(c, Draw(hidden_key, *labels, c.name), mine)]
        kept = {call_of(key.function, case) for case in hidden}
        try:
            for check in (check for check in key.checks if key.function and callable(check.inputs) and left()):
                cases = cases_of(check, Draw(hidden_key, *labels, check.name, "shown", for_reading=True), mine)
                cases = [tuple(to_digits(value, 3) for value in case) for case in cases]
                if shown := _fails(check, key, runner, cases, kept):
                    found[question, check.name] = shown
        except AnswerError:  # there is no answer to show; the next calls will wait in vain as well
            continue
    return found


def _fails(check: Check, key: Question, runner: Runner, cases: Sequence[tuple[Any, ...]], kept: set[str]) -> str:
    """The first of some cases on which the answer is wrong, and the answer; empty if there is none. AnswerError without one."""
    calls = sorted(((call_of(key.function, case), case) for case in cases), key=lambda one: len(one[0]))
    for call, case in calls[:MOST_SHOWN]:
        given = tuple(unpack(pack(value)) for value in case)
        if call in kept or len(call) > LONGEST_CALL:
            continue
        try:
            answer = runner.call(key.function, case, min(key.seconds, SECONDS_OF_SHOWN))
        except StudentError as error:
            if str(error) == UNANSWERED:
                raise
            return f"{call} raised {quoted(error)}"
        try:
            judge(check, answer, given)
        except AnswerError:
            return f"{call} returned {printable(typed(answer))[:LONGEST_MESSAGE]}"
        except Exception:  # an oracle that refuses what was rounded
            continue
    return ""


def call_of(function: str, inputs: Sequence[Any]) -> str:
    """A call as Python text, which can be copied into a notebook that has NumPy as ``np``."""
    return f"{function}({', '.join(typed(value) for value in inputs)})"


def typed(value: Any) -> str:
    """A plain value as Python text."""
    if isinstance(value, np.ndarray):
        dtype = "" if value.size else f", dtype={value.dtype.name!r}"  # else the entries say it
        return f"np.array({value.tolist()!r}{dtype})"
    return repr(value.item() if isinstance(value, np.generic) else value)
