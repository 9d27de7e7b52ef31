"""Every assignment of notebooks/assignments, found by itself: its reference, its empty copy, its wrong answers."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from companion.classroom import source
from companion.classroom.marking import Marked, Trusted, mark, reference_cells, shown_numbers
from companion.classroom.source import Assignment, without_solution

FOLDER = Path(__file__).resolve().parents[2] / "notebooks" / "assignments"
NAMES = sorted(path.stem for path in FOLDER.glob("ch*.py"))
STUDENTS = ("ada", "student-2")
HIDDEN, SHOWN = b"hidden key of the tests", b"shown key of the tests"

FEWEST_QUESTIONS, FEWEST_WRONG = 3, 6
#: Of a question's wrong answers: so many pass the public checks, and so many ways of failing the hidden ones there are.
PASS_PUBLIC, WAYS_OF_FAILING = 2, 2


@functools.cache
def assignment(name: str) -> Assignment:
    return source.load(FOLDER / f"{name}.py")


@functools.cache
def own_numbers(name: str, student: str) -> dict[str, dict[str, object]]:
    chosen = assignment(name)
    return {question: shown_numbers(chosen, question, SHOWN, student) for question in chosen.questions}


def ran(chosen: Assignment, student: str, replaced: Mapping[str, str]) -> Trusted:
    """The solution with other answers in the place of some, executed."""
    return Trusted(reference_cells(chosen, replaced), own_numbers(chosen.name, student))


@functools.cache
def reference(name: str, student: str) -> Trusted:
    return ran(assignment(name), student, {})


@functools.cache
def empty(name: str) -> Trusted:
    """What a student starts with."""
    chosen = assignment(name)
    answers = {
        question: without_solution(chosen.text("answer", question), chosen.key[question].value)
        for question in chosen.questions
    }
    return ran(chosen, STUDENTS[0], answers)


def up_to(chosen: Assignment, question: str) -> Assignment:
    """Without the cells after the answer to a question: most of the time is theirs."""
    return replace(chosen, cells=chosen.cells[: chosen.cells.index(chosen.cell("answer", question)) + 1])


def marked(name: str, question: str, student: str, runner: Trusted) -> list[Marked]:
    return mark(assignment(name), question, runner, HIDDEN, SHOWN, student)


def earned(marks: Sequence[Marked]) -> int:
    return sum(one.earned for one in marks)


def public_fault(name: str, question: str, student: str, runner: Trusted) -> str:
    """What the public checks say of an answer; empty if they pass."""
    chosen = assignment(name)
    given = [own_numbers(name, student)[question]] if chosen.cell("numbers", question) else []
    try:
        chosen.public(question)(runner.space[chosen.key[question].answer], *given)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@functools.cache
def wrong_answer(name: str, question: str, number: int, student: str) -> tuple[tuple[Marked, ...], str]:
    """What a wrong answer gets, and what the public checks say of it; three tests look at the same ones."""
    chosen = assignment(name)
    answer = chosen.key[question].wrong[number].applied(chosen.text("answer", question))
    runner = ran(up_to(chosen, question), student, {question: answer})
    return tuple(marked(name, question, student, runner)), public_fault(name, question, student, runner)


QUESTIONS = [(name, question) for name in NAMES for question in assignment(name).questions]
WRONG = [
    pytest.param(name, question, number, id=f"{name}-{question}-{wrong.name}")
    for name, question in QUESTIONS
    for number, wrong in enumerate(assignment(name).key[question].wrong)
]


def test_there_are_assignments() -> None:
    assert NAMES


@pytest.mark.parametrize("name", NAMES)
def test_an_assignment_has_enough_questions_and_loads_without_torch(name: str) -> None:
    chosen = assignment(name)
    assert len(chosen.questions) >= FEWEST_QUESTIONS
    assert name.startswith(f"ch{chosen.chapter}_"), "the file's name begins with its chapter"
    assert chosen.title, chosen.goal
    assert chosen.minutes >= 10
    for cell in chosen.cells:
        if cell.role in ("setup", "answer", "public", "numbers"):
            for node in ast.walk(ast.parse(cell.text)):
                modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                heads = {module.split(".")[0] for module in modules}
                assert heads <= {"numpy", "scipy", "selfcheck"} | set(sys.stdlib_module_names), (cell.line, heads)


@pytest.mark.parametrize("student", STUDENTS)
@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_the_reference_gets_full_marks_and_passes_the_public_checks(name: str, question: str, student: str) -> None:
    runner = reference(name, student)
    assert not runner.errors
    marks = marked(name, question, student, runner)
    assert earned(marks) == assignment(name).key[question].points, marks
    assert public_fault(name, question, student, runner) == ""


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_what_the_student_starts_with_gets_nothing(name: str, question: str) -> None:
    runner = empty(name)
    assert earned(marked(name, question, STUDENTS[0], runner)) == 0
    assert public_fault(name, question, STUDENTS[0], runner)


@pytest.mark.parametrize(("name", "question", "number"), WRONG)
def test_a_wrong_answer_gets_exactly_its_score(name: str, question: str, number: int) -> None:
    chosen = assignment(name)
    wrong = chosen.key[question].wrong[number]
    assert wrong.score < chosen.key[question].points
    for student in STUDENTS:
        marks, _ = wrong_answer(name, question, number, student)
        assert earned(marks) == wrong.score, (student, marks)


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_wrong_answers_are_wrong_for_different_reasons(name: str, question: str) -> None:
    key = assignment(name).key[question]
    assert len(key.wrong) >= FEWEST_WRONG
    assert len({wrong.name for wrong in key.wrong}) == len(key.wrong)
    assert len({check.name for check in key.checks}) == len(key.checks)
    answers = [wrong_answer(name, question, number, STUDENTS[0]) for number in range(len(key.wrong))]
    passing = sum(fault == "" for _, fault in answers)
    assert passing >= PASS_PUBLIC, "the public checks catch nearly all wrong answers"
    failures = [tuple((one.name, one.message) for one in marks if not one.earned) for marks, _ in answers]
    assert len(set(failures)) >= WAYS_OF_FAILING, failures


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_every_check_is_failed_by_some_wrong_answer(name: str, question: str) -> None:
    key = assignment(name).key[question]
    failed = set()
    for number in range(len(key.wrong)):
        marks, _ = wrong_answer(name, question, number, STUDENTS[0])
        failed |= {one.name for one in marks if not one.earned}
    assert failed == {check.name for check in key.checks}


@pytest.mark.parametrize("name", NAMES)
def test_own_numbers_differ_between_students(name: str) -> None:
    chosen = assignment(name)
    for question in chosen.questions:
        if chosen.cell("numbers", question):
            drawn = {repr(sorted(shown_numbers(chosen, question, SHOWN, f"student {n}").items())) for n in range(30)}
            assert len(drawn) >= 20
