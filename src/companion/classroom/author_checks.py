"""An assignment held against the rules for authors: ``companion assignment try FILE.py``, and the tests of the house's own.

Everything runs in this process: one tries what one has written oneself.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from companion.classroom.draws import Draw
from companion.classroom.feedback_examples import call_of
from companion.classroom.marking import (
    FOLLOWS,
    RIGHT,
    UNANSWERED,
    Marked,
    StudentError,
    TooLong,
    at_most,
    cases_of,
    mark,
    shown_numbers,
)
from companion.classroom.questions import Wrong
from companion.classroom.source import BEGIN, END, Assignment, without_selfcheck, without_solution
from companion.classroom.value_encoding import pack, unpack

STUDENTS = ("ada", "student-2")
CLASS = tuple(f"student {number}" for number in range(40))
HIDDEN, SHOWN = b"hidden key of a trial", b"shown key of a trial"
FEWEST_QUESTIONS, FEWEST_WRONG = 3, 6
#: Of a question's wrong answers: so many pass the public checks, and so many ways of failing the hidden ones there are.
PASS_PUBLIC, WAYS_OF_FAILING = 2, 2
#: One answer may be right for so many of the class.
MOST_ALIKE = len(CLASS) // 10
CONSTANTS: tuple[Any, ...] = (None, True, 0, 1, 2, 0.0, 0.5, 1.0, [], [0], [1], [0.0, 0.0], [1.0, 1.0], {}, "", 10**9)
LARGE = (10**6, 10**9, 1e6, [10**6] * 11, "10**6")
MODULES = {"numpy", "scipy", "selfcheck"} | set(sys.stdlib_module_names)

#: What is wrong: question, or empty, and a sentence.
Faults = Iterator[tuple[str, str]]


@dataclass(frozen=True)
class Fault:
    """A rule that is broken, and the line of the source at which to look."""

    rule: str
    line: int
    message: str


class Trusted:
    """A runner for code one trusts, in this very process: the references and wrong answers of the sources, in tests.

    Parameters
    ----------
    cells : code cells, executed in order; one that raises leaves what it defined before
    numbers : own numbers by question
    seconds : limit of each cell
    """

    def __init__(self, cells: list[str], numbers: Mapping[str, Mapping[str, Any]], seconds: float = 10.0) -> None:
        self.cells, self.numbers, self.seconds = cells, numbers, seconds
        self.renew()

    def renew(self) -> None:
        """Execute the cells in a new namespace."""
        self.space: dict[str, Any] = {"__name__": "student", "numbers": lambda question: dict(self.numbers[question])}
        self.space["check"] = lambda question: None
        self.errors: list[str] = []
        for cell in self.cells:
            try:
                with at_most(self.seconds):
                    exec(without_selfcheck(cell), self.space)
            except (Exception, TooLong) as error:
                self.errors.append(f"{type(error).__name__}: {error}")

    def call(self, name: str, inputs: tuple[Any, ...], seconds: float) -> Any:
        """Return value of the function of this name."""
        return self._ask(lambda: self.space[name](*(unpack(pack(value)) for value in inputs)), seconds)

    def value(self, name: str, seconds: float) -> Any:
        """Value of the name."""
        return self._ask(lambda: self.space[name], seconds)

    def _ask(self, question: Callable[[], Any], seconds: float) -> Any:
        try:
            with at_most(seconds):
                return unpack(pack(question()))
        except (Exception, TooLong) as error:
            if type(error) is NotImplementedError and not error.args:
                raise StudentError(UNANSWERED) from None
            raise StudentError(f"{type(error).__name__}: {error}") from None


def with_solution(text: str) -> str:
    """An answer cell without its markers, for the solution notebook."""
    return "\n".join(line for line in text.splitlines() if line.strip() not in (BEGIN, END))


def reference_cells(assignment: Assignment, replaced: Mapping[str, str] | None = None) -> list[str]:
    """Code cells of the solution, in order; ``replaced`` puts other answers in the place of some."""
    other = replaced or {}
    return [
        other.get(cell.question, with_solution(cell.text)) if cell.role == "answer" else cell.text
        for cell in assignment.cells
        if cell.role in ("setup", "answer")
    ]


def always(answer: Any) -> Any:
    """A runner whose answer is the same, whatever is asked."""
    return SimpleNamespace(call=lambda *_: unpack(pack(answer)), value=lambda *_: unpack(pack(answer)))


class Trial:
    """An assignment, with what several rules look at, and for whom wrong answers are tried: each is executed once."""

    def __init__(self, assignment: Assignment, students: Sequence[str] = CLASS) -> None:
        self.assignment, self.students = assignment, students
        self.ran = functools.cache(self._ran)
        self.wrong = functools.cache(self._wrong)

    def numbers(self, student: str) -> dict[str, dict[str, Any]]:
        """Own numbers by question."""
        return {q: shown_numbers(self.assignment, q, SHOWN, student) for q in self.assignment.questions}

    def marked(
        self, question: str, student: str, runner: Any, before: Mapping[str, float] | None = None
    ) -> list[Marked]:
        """Points of an answer."""
        return mark(self.assignment, question, runner, HIDDEN, SHOWN, student, before)

    def _ran(self, student: str, question: str = "", answer: str = "") -> Trusted:
        """The solution, with another answer to one question and without the cells after it: most of the time is theirs."""
        chosen = self.assignment
        if question:
            cell = chosen.cell("answer", question)
            assert cell is not None
            chosen = replace(chosen, cells=chosen.cells[: chosen.cells.index(cell) + 1])
        return Trusted(reference_cells(chosen, {question: answer} if question else {}), self.numbers(student))

    def public_fault(self, question: str, student: str, runner: Trusted) -> str:
        """Messages of the public checks on an answer; empty if they pass."""
        key = self.assignment.key[question]
        given = [self.numbers(student)[question]] if self.assignment.cell("numbers", question) else []
        try:
            self.assignment.public(question)(runner.space[key.answer], *given)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def _wrong(self, question: str, number: int, student: str) -> tuple[list[Marked], str]:
        key = self.assignment.key[question]
        runner = self._ran(student, question, key.wrong[number].applied(self.assignment.text("answer", question)))
        return self.marked(question, student, runner), self.public_fault(question, student, runner)


def earned(marks: Sequence[Marked]) -> int:
    """Points of all checks together."""
    return sum(one.earned for one in marks)


def form(trial: Trial) -> Faults:
    """Enough questions; students' cells import what students have; public checks say full sentences."""
    chosen = trial.assignment
    if len(chosen.questions) < FEWEST_QUESTIONS:
        yield "", f"there are {len(chosen.questions)} questions; at least {FEWEST_QUESTIONS} are wanted"
    for cell in chosen.cells:
        if cell.role not in ("setup", "answer", "public", "numbers"):
            continue
        for node in ast.walk(ast.parse(cell.text)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in {name.partition(".")[0] for name in names} - MODULES:
                yield cell.question, f"a cell {cell.role!r} imports {name}, which students do not have"
            if isinstance(node, ast.Assert) and cell.role == "public":
                said = ast.unparse(node.msg).strip("'\"") if node.msg else ""
                if len(said.split()) < 4 or not said.endswith("."):
                    yield cell.question, f"a public check says {said!r}, which is no full sentence"


def reference(trial: Trial) -> Faults:
    """The reference gets full marks and passes the public checks."""
    for student in STUDENTS:
        runner = trial.ran(student)
        for error in runner.errors:
            yield "", f"the solution raised {error}"
        for question, key in trial.assignment.key.items():
            marks = trial.marked(question, student, runner)
            if not key.rubric and earned(marks) < key.points:
                lost = "; ".join(f"{one.name}: {one.message}" for one in marks if not one.earned)
                yield question, f"the reference gets {earned(marks)} of {key.points} for {student} ({lost})"
            if fault := trial.public_fault(question, student, runner):
                yield question, f"the reference fails the public checks: {fault}"


def empty(trial: Trial) -> Faults:
    """The students' starting code earns no points and fails the public checks."""
    chosen = trial.assignment
    answers = {q: without_solution(chosen.text("answer", q), chosen.key[q].value) for q in chosen.questions}
    runner = Trusted(reference_cells(chosen, answers), trial.numbers(STUDENTS[0]))
    for question in chosen.questions:
        if points := earned(trial.marked(question, STUDENTS[0], runner)):
            yield question, f"what a student starts with gets {points} points"
        if not trial.public_fault(question, STUDENTS[0], runner):
            yield question, "what a student starts with passes the public checks"


def wrong(trial: Trial) -> Faults:
    """Every wrong answer gets exactly its score, for different reasons; every check is failed by one of them."""
    for question, key in trial.assignment.key.items():
        if key.rubric:
            continue
        if len(key.wrong) < FEWEST_WRONG:
            yield question, f"there are {len(key.wrong)} wrong answers; at least {FEWEST_WRONG} are wanted"
        for what, names in (("wrong answers", [w.name for w in key.wrong]), ("checks", [c.name for c in key.checks])):
            if len(set(names)) < len(names):
                yield question, f"two {what} have the same name"
        for number, one in enumerate(key.wrong):
            if one.score >= key.points:
                yield question, f"the wrong answer {one.name!r} is to get all points"
            got = {student: earned(trial.wrong(question, number, student)[0]) for student in trial.students}
            if other := {student: points for student, points in got.items() if points != one.score}:
                student, points = next(iter(other.items()))
                others = f" (and {len(other) - 1} of {len(got) - 1} others)" if len(other) > 1 else ""
                yield question, f"the wrong answer {one.name!r} gets {points} for {student}{others}, not {one.score}"
        answers = [trial.wrong(question, number, trial.students[0]) for number in range(len(key.wrong))]
        failed = [[(one.name, one.message) for one in marks if not one.earned] for marks, _ in answers]
        if sum(not fault for _, fault in answers) < PASS_PUBLIC:
            yield question, f"fewer than {PASS_PUBLIC} wrong answers pass the public checks"
        if len({tuple(one) for one in failed}) < WAYS_OF_FAILING:
            yield question, "all wrong answers fail in the same way"
        for name in {check.name for check in key.checks} - {name for one in failed for name, _ in one}:
            yield question, f"no wrong answer fails the check {name!r}"


def own_numbers(trial: Trial) -> Faults:
    """Own numbers differ from student to student."""
    for question in trial.assignment.questions:
        drawn = {repr(trial.numbers(student)[question]) for student in CLASS}
        if trial.assignment.cell("numbers", question) and len(drawn) < len(CLASS) * 3 // 4:
            yield question, f"of {len(CLASS)} students only {len(drawn)} have numbers of their own"


def own_answers(trial: Trial) -> Faults:
    """No answer is right for more than one in ten, neither another student's nor a constant; and a large one is worth nothing."""
    for question, key in trial.assignment.key.items():
        if key.rubric:
            continue
        for large in LARGE:
            if points := max(earned(trial.marked(question, student, always(large))) for student in STUDENTS):
                yield question, f"{large!r} gets {points} points"
        who = CLASS if key.value else STUDENTS[:1]
        answers = [*CONSTANTS, *(trial.ran(student).space[key.value] for student in STUDENTS if key.value)]
        for answer in answers:
            alike = sum(earned(trial.marked(question, student, always(answer))) == key.points for student in who)
            if alike > (MOST_ALIKE if key.value else 0):
                yield question, f"one answer gets full marks from {alike} of {len(who)}: {answer!r:.80}"


def worked(trial: Trial) -> Faults:
    """Every function has an example, which no hidden check has among its inputs."""
    for question, key in trial.assignment.key.items():
        if not key.function:
            continue
        if not key.example:
            yield question, f"there is no example of {key.function}"
            continue
        heard: list[tuple[Any, ...]] = []
        space = trial.ran(STUDENTS[0]).space | {key.function: lambda *inputs, heard=heard: heard.append(inputs)}
        for call in filter(None, (key.example, key.hard)):
            eval(call, space)
        for student in (*STUDENTS, *CLASS[:6]):
            for check in key.checks:
                draw = Draw(HIDDEN, trial.assignment.name, student, question, check.name)
                hidden = {call_of("f", case) for case in cases_of(check, draw, trial.numbers(student)[question])}
                if hidden & {call_of("f", inputs) for inputs in heard}:
                    yield question, f"the example is one of the inputs of {check.name!r}"


def follow_through(trial: Trial) -> Faults:
    """Where a question names an earlier one, some typical error in that is paid for once, and not twice."""
    chosen = trial.assignment
    for question, key in chosen.key.items():
        earlier = chosen.key.get(key.after)
        if earlier and not any(_followed(trial, question, one) for one in earlier.wrong):
            yield question, f"nothing follows from any wrong answer to {key.after}: leave out 'after'"


def _followed(trial: Trial, question: str, one: Wrong) -> bool:
    """Whether all checks that can follow are passed after a wrong answer, some of them for that reason alone."""
    chosen, key = trial.assignment, trial.assignment.key[question]
    answers = {key.after: one.applied(chosen.text("answer", key.after))}
    runner = Trusted(reference_cells(chosen, answers), trial.numbers(STUDENTS[0]))
    share = one.score / chosen.key[key.after].points
    marks = trial.marked(question, STUDENTS[0], runner, {key.after: share})
    states = [mark.state for check, mark in zip(key.checks, marks, strict=True) if check.follows]
    return FOLLOWS in states and set(states) <= {RIGHT, FOLLOWS}


RULES: dict[str, Callable[[Trial], Faults]] = {
    "form": form,
    "the reference gets full marks": reference,
    "an empty copy gets nothing": empty,
    "wrong answers get their scores": wrong,
    "own numbers differ": own_numbers,
    "no answer is right for all": own_answers,
    "functions have examples": worked,
    "an error is paid for once": follow_through,
}


def faults(trial: Trial, rule: str) -> list[Fault]:
    """Violations of :data:`RULES`."""
    found = []
    for question, message in RULES[rule](trial):
        roles = [trial.assignment.cell(role, question) for role in ("hidden", "answer", "question")] if question else []
        line = next((cell.line for cell in roles if cell), 1)
        found.append(Fault(rule, line, f"{question}: {message}" if question else message))
    return found
