"""Feedback besides marks: an example for each function, and a call on which the answer is wrong."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from companion.classroom.draws import Draw
from companion.classroom.marking import (
    LONGEST_MESSAGE,
    LONGEST_TEXT,
    UNANSWERED,
    AnswerError,
    Marked,
    Runner,
    StudentError,
    Trusted,
    cases_of,
    clean,
    judge,
    plain,
    printable,
    reference_cells,
    shown_numbers,
)
from companion.classroom.questions import Check, Question
from companion.classroom.source import Assignment
from companion.classroom.value_encoding import pack, unpack

#: So many calls are tried for one that can be shown, and so long each may take.
MOST_SHOWN, SECONDS_OF_SHOWN = 8, 2.0


@functools.lru_cache(maxsize=32)
def examples(assignment: Assignment) -> dict[str, tuple[str, Any]]:
    """A call for each question that declares one, as text, and what the reference returns."""
    asked = {question: key.example for question, key in assignment.key.items() if key.example}
    functions = {question for question, key in assignment.key.items() if key.function}
    cells = [cell for cell in assignment.cells if cell.role == "setup" or cell.question in functions]
    space = Trusted(reference_cells(replace(assignment, cells=tuple(cells))), {}).space
    return {question: (call, _rounded(plain(eval(call, space)))) for question, call in asked.items()}


def _rounded(value: Any) -> Any:
    """Ten digits, which are enough to compare with and to read."""
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


def afresh(
    assignment: Assignment,
    marks: Mapping[str, Sequence[Marked]],
    runner: Runner,
    hidden_key: bytes,
    shown_key: bytes,
    student: str,
) -> dict[str, list[Marked]]:
    """The same outcomes, with a call for each failed check of a function on which the answer is wrong too.

    Its inputs are drawn for that purpose, in the same way as the hidden ones; none of these is among them. What comes back
    is shown as it is. So the runner has to be one that has seen no hidden input.
    """
    found = {}
    for question, outcomes in marks.items():
        key = assignment.key[question]
        if not key.function or all(one.earned for one in outcomes):
            found[question] = list(outcomes)
            continue
        mine = shown_numbers(assignment, question, shown_key, student)
        labels = (assignment.name, student, question)
        hidden = [case for c in key.checks for case in cases_of(c, Draw(hidden_key, *labels, c.name), mine)]
        kept = {call_of(key.function, case) for case in hidden}
        found[question] = []
        for check, one in zip(key.checks, outcomes, strict=True):
            if not one.earned and one.message != UNANSWERED and callable(check.inputs):
                cases = cases_of(check, Draw(hidden_key, *labels, check.name, "shown"), mine)
                one = replace(one, shown=_fails(check, key, runner, cases, kept))
            found[question].append(one)
    return found


def _fails(check: Check, key: Question, runner: Runner, cases: Sequence[tuple[Any, ...]], kept: set[str]) -> str:
    """The first of some cases on which the answer is wrong, and the answer; empty if there is none, or no answer at all."""
    calls = sorted(((call_of(key.function, case), case) for case in cases), key=lambda one: len(one[0]))
    for call, case in calls[:MOST_SHOWN]:
        given = tuple(unpack(pack(value)) for value in case)
        if call in kept or len(call) > LONGEST_TEXT:
            continue
        try:
            answer = runner.call(key.function, case, min(key.seconds, SECONDS_OF_SHOWN))
        except StudentError as error:
            return "" if str(error) == UNANSWERED else f"{call} raised {clean(error)}"
        except AnswerError:
            return ""
        try:
            judge(check, answer, given)
        except AnswerError:
            return f"{call} returned {printable(typed(answer))[:LONGEST_MESSAGE]}"
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
