"""The source of an assignment: one file, ``notebooks/assignments/<chapter>_<name>.py``, in py:percent format.

From it come the student's notebook, the solution, the self-check and the grader. ``notebooks/assignments/ch3_sizes.py`` is
the model. A file is a list of cells; a cell's first tag says what it is, the second to which question it belongs::

    # %% tags=["assignment"]             TITLE, CHAPTER (1 to 6), GOAL (one sentence), LEVEL (introductory, intermediate
                                         or advanced), MINUTES: literals only, read without running anything
    # %% [markdown]                      text for the student
    # %% [markdown] tags=["solution"]    text for the solution only
    # %% tags=["setup"]                  imports and definitions that the answers may use; the student gets it as it is.
                                         Standard library, NumPy, SciPy, and: from selfcheck import numbers
    # %% [markdown] tags=["question", "q1"]   the question; begins with a heading, to which its points are added
    # %% tags=["numbers", "q1"]          optional: def numbers_q1(draw): the student's own numbers, a dict of plain values
    # %% tags=["answer", "q1"]           the reference answer. What stands between the lines "# BEGIN SOLUTION" and
                                         "# END SOLUTION" (same indentation) is taken out for students: inside a function
                                         "raise NotImplementedError" takes its place, else "<value> = None"
    # %% tags=["public", "q1"]           def public_q1(answer), or (answer, mine) where there are own numbers: asserts on
                                         shapes, types and cases that say no expected number. Students run it
    # %% [markdown] tags=["hint", "q1"]  hints in steps, a paragraph each; selfcheck.hint("q1") prints the next one
    # %% tags=["hidden"]                 imports and oracles for the grader only; any number of such cells, anywhere
    # %% tags=["hidden", "q1"]           q1 = Question(function="power_sizes", checks=[...], wrong=[...])

Questions are called q1, q2, ... in the order of their answer cells; at least three. A question asks for a function or for
a value, both under a declared name; a value may be a text that is marked by hand, with a rubric. An answer may use what
earlier answer cells define. Own numbers are read in the answer cell, outside the markers: ``mine = numbers("q3")``.

Rules for authors
-----------------
- *Hidden numbers are computed, not typed*: by the package, imported inside the function that needs it (the file has to load
  fast, and without torch), or by a property of the answer. Hidden cells do not see the reference answers: an oracle that
  is the reference would agree with its errors. Their namespace is that of the hidden, setup and numbers cells.
- *Answers arrive as plain data.* Tuples come as lists, NumPy numbers as numbers, NumPy arrays as NumPy arrays (bool,
  int64, float64). An ``equals`` for a list ignores which of list, tuple and array was returned, but 100.0 is not 100 and
  True is not 1. ``holds`` has to expect anything (a string, None, NaN, a huge list): whatever it raises is a failed check.
  It must be fast for every answer, so bound what the student chooses.
- *State ties and roundings* in the question, or draw inputs without ties. Draw hidden inputs from ``draw``, so that copied
  tables are worth nothing, and fixed ones where the error hides; a check passes only if all its inputs do.
- *Show a value.* A question about a function has an ``example``, with which a misread formula is noticed at once, and a
  ``hard`` one where there is a place that is easily got wrong. A public check says full sentences, and names what was called.
- *An answer is one's own*: own numbers of a question about a value are drawn so widely that no answer is right for more
  than one student in ten. A million gets no point: who is not right is given some for being near, not for being large.
- *One run of one's own a sheet* (``own_run``): a prediction, from which the random numbers of the run follow, and numbers
  of the run, typed. Who has only read the sheet has neither.
- *Own numbers and public checks stand alone*: those cells go to the student as a file of their own, so each imports what
  it needs, inside its function. Own numbers use ``draw.integer``, ``decimal``, ``choice``, ``uniform``, ``shuffled``,
  never ``draw.generator()``, whose streams depend on the version of NumPy.
- *Wrong answers*: at least six a question, each with the score it must get for every student. Most of them run and give
  values that are wrong for different reasons, so that different checks catch them; two at least pass the public checks.
  Where the draw decides whether one is caught, a check names it in ``apart``, and inputs are drawn until it is.
- *What is shown can be read*: inputs that are shown are made small, ``draw.size(7, 3)``, and rounded to three digits.
- *Graded code needs NumPy and SciPy only*; the sandbox has no ``companion``.
- The answers of a student who leaves everything as it is must get nothing.

``companion assignment try FILE.py`` holds a file against all of this; the tests of the house do the same with its own.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from companion.classroom.questions import Question, SourceError
from companion.core.errors import ParameterError, nearest

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
LEVELS = ("introductory", "intermediate", "advanced")
FACTS = {"TITLE": str, "CHAPTER": int, "GOAL": str, "LEVEL": str, "MINUTES": int}
#: What a cell may be: with a question (True), without one (False), or either (None).
ROLES: dict[str, bool | None] = {
    "assignment": False,
    "setup": False,
    "text": False,
    "solution": None,
    "question": True,
    "hint": True,
    "numbers": True,
    "answer": True,
    "public": True,
    "hidden": None,
}
_MARKER = re.compile(r"^# %%(?P<rest>.*)$")
_TAGS = re.compile(r"tags=(\[[^\]]*\])")
_QUESTION = re.compile(r"q[1-9][0-9]?")


@dataclass(frozen=True)
class Cell:
    """One cell: ``role`` is a key of :data:`ROLES`, ``question`` its id or empty, ``line`` the line of its marker."""

    role: str
    question: str
    markdown: bool
    text: str
    line: int


@dataclass(frozen=True)
class Assignment:
    """An assignment as its source has it; nothing of it has been executed until :attr:`key` is asked for."""

    name: str
    path: Path
    title: str
    chapter: int
    goal: str
    level: str
    minutes: int
    cells: tuple[Cell, ...]

    @property
    def questions(self) -> tuple[str, ...]:
        """Ids of the questions, in order."""
        return tuple(cell.question for cell in self.cells if cell.role == "answer")

    def cell(self, role: str, question: str) -> Cell | None:
        """The cell of this role and question, if there is one."""
        return next((cell for cell in self.cells if (cell.role, cell.question) == (role, question)), None)

    def text(self, role: str, question: str = "") -> str:
        """Text of all cells of this role and question, joined by an empty line."""
        return "\n\n".join(cell.text for cell in self.cells if (cell.role, cell.question) == (role, question))

    def hints(self, question: str) -> list[str]:
        """The hints of a question, in the order in which they are given."""
        return [" ".join(step.split()) for step in self.text("hint", question).split("\n\n") if step.strip()]

    @cached_property
    def _namespace(self) -> dict[str, Any]:
        space: dict[str, Any] = {"__name__": f"assignment_{self.name}"}
        for cell in self.cells:
            if not cell.markdown and cell.role in ("setup", "numbers", "public", "hidden"):
                # Empty lines before it give every error the line of the file; the import of selfcheck is the student's.
                exec(compile("\n" * cell.line + without_selfcheck(cell.text), str(self.path), "exec"), space)
        return space

    @cached_property
    def key(self) -> dict[str, Question]:
        """Checks and wrong answers by question, with all hidden cells executed.

        Raises
        ------
        SourceError
            if a question has no key
        """
        found = {question: self._namespace.get(question) for question in self.questions}
        for question, declared in found.items():
            if not isinstance(declared, Question):
                raise SourceError(f"{self.path.name}: no hidden cell assigns {question} = Question(...)")
        return {question: self._told_apart(question, found) for question in self.questions}

    def _told_apart(self, question: str, keys: Mapping[str, Any]) -> Question:
        """The key, with the functions of the wrong answers that its checks name in ``apart``."""
        key: Question = keys[question]
        wrong, before = {one.name: one for one in key.wrong}, dict(self._namespace)
        for earlier in self.questions[: self.questions.index(question)]:
            if keys[earlier].function and any(check.apart for check in key.checks):
                exec(self.text("answer", earlier), before)

        def rival(name: str) -> Any:
            if name not in wrong:
                raise SourceError(f"{self.path.name}, {question}: no wrong answer is called {name!r}")
            exec(wrong[name].applied(self.text("answer", question)), space := dict(before))
            return space[key.function]

        return replace(key, checks=[replace(check, rivals=[*map(rival, check.apart)]) for check in key.checks])

    def numbers(self, question: str, draw: Any) -> dict[str, Any]:
        """The student's own numbers of a question: plain values by name; empty where it has none."""
        function = self._namespace.get(f"numbers_{question}")
        return dict(function(draw)) if function else {}

    def public(self, question: str) -> Any:
        """The function of public checks, ``f(answer)`` or ``f(answer, mine)``."""
        return self._namespace[f"public_{question}"]

    @property
    def points(self) -> int:
        """Points of all questions."""
        return sum(question.points for question in self.key.values())


def load(path: Path) -> Assignment:
    """Read a source.

    Raises
    ------
    SourceError
        if the file is missing or breaks the format
    """
    if not path.is_file():
        raise SourceError(f"{path} does not exist")
    cells = tuple(_cells(path))
    facts = _facts(path, cells)
    assignment = Assignment(path.stem, path, cells=cells, **{name.lower(): facts[name] for name in FACTS})
    _validate(assignment)
    return assignment


def _cells(path: Path) -> list[Cell]:
    cells: list[Cell] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if _MARKER.match(line)]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        rest = lines[start].removeprefix("# %%")
        markdown, tags = "[markdown]" in rest, _TAGS.search(rest)
        words: list[str] = json.loads(tags[1]) if tags else ["text"]
        role, question, *more = [*words, "", ""]
        place = f"{path.name}, line {start + 1}"
        if role not in ROLES or any(more):
            raise SourceError(
                f"{place}: the first tag is {role!r}; expected one of {', '.join(ROLES)}, then the question"
            )
        if bool(question) not in {None: (False, True), True: (True,), False: (False,)}[ROLES[role]]:
            raise SourceError(f"{place}: a cell {role!r} {'needs a' if ROLES[role] else 'belongs to no'} question")
        if question and not _QUESTION.fullmatch(question):
            raise SourceError(f"{place}: a question is called q1, q2, ..., not {question!r}")
        if markdown != (role in ("text", "question", "hint", "solution")):
            raise SourceError(f"{place}: a cell {role!r} is {'code' if markdown else 'markdown'}")
        body = lines[start + 1 : stop]
        if markdown:
            body = [line.removeprefix("#").removeprefix(" ") for line in body]
        cells.append(Cell(role, question, markdown, "\n".join(body).strip("\n"), start + 1))
    return cells


def _facts(path: Path, cells: tuple[Cell, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for node in ast.parse("\n".join(cell.text for cell in cells if cell.role == "assignment")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.literal_eval(node.value)
    for name, kind in FACTS.items():
        if not isinstance(found.get(name), kind):
            raise SourceError(f"{path.name}: the cell 'assignment' sets no {name}; expected a {kind.__name__}")
    if found["LEVEL"] not in LEVELS:
        raise SourceError(f"{path.name}: LEVEL is {found['LEVEL']!r}; expected one of {', '.join(LEVELS)}")
    return found


def _validate(assignment: Assignment) -> None:
    name, asked = assignment.path.name, assignment.questions
    if asked != tuple(f"q{number}" for number in range(1, len(asked) + 1)) or not asked:
        raise SourceError(f"{name}: the answer cells are {', '.join(asked) or 'none'}; expected q1, q2, ... in order")
    for question in asked:
        for role in ("question", "answer", "public", "hidden"):
            if sum((cell.role, cell.question) == (role, question) for cell in assignment.cells) != 1:
                raise SourceError(f"{name}: {question} needs exactly one cell {role!r}")
        without_solution(assignment.text("answer", question), "value", f"{name}, {question}")


def without_solution(text: str, value: str, place: str = "") -> str:
    """An answer cell as the student gets it.

    Parameters
    ----------
    text : the reference answer with its markers
    value : name of the value asked for, which stands there as ``None`` where the markers are not inside a function
    place : where it stands, for the message

    Raises
    ------
    SourceError
        unless every begin has its end, with the same indentation, and there is at least one pair
    """
    kept: list[str] = []
    open_at: str | None = None
    pairs = 0
    for line in text.splitlines():
        bare, indent = line.strip(), line[: len(line) - len(line.lstrip())]
        if bare not in (BEGIN, END):
            if open_at is None:
                kept.append(line)
            continue
        if (bare == BEGIN) != (open_at is None) or (bare == END and indent != open_at):
            raise SourceError(f"{place}: {bare!r} without its partner at the same indentation")
        if bare == BEGIN:
            kept.append(
                f"{indent}raise NotImplementedError  # your answer" if indent else f"{value} = None  # your answer"
            )
            pairs += 1
        open_at = indent if bare == BEGIN else None
    if open_at is not None or not pairs:
        raise SourceError(f"{place}: the answer needs {BEGIN!r} and {END!r}")
    return "\n".join(kept)


def without_selfcheck(text: str) -> str:
    """A cell without its import of the students' module, which is not there where the author's code runs."""
    return re.sub(r"(?m)^from selfcheck import .*$", "", text)


def folder() -> Path:
    """Folder of the sources: ``notebooks/assignments`` of the checkout that the package runs from, else inside the package.

    A wheel carries them as ``companion/classroom/assignments``; see ``pyproject.toml``. The environment variable
    ``COMPANION_ASSIGNMENTS`` names another folder.
    """
    chosen = os.environ.get("COMPANION_ASSIGNMENTS")
    if chosen:
        return Path(chosen)
    here = Path(__file__).resolve()
    checkout = here.parents[3] / "notebooks" / "assignments"
    return checkout if checkout.is_dir() else here.parent / "assignments"


def assignments() -> Mapping[str, Path]:
    """Sources by name, sorted.

    Examples
    --------
    >>> from companion.classroom.source import assignments
    >>> "ch3_sizes" in assignments()
    True
    """
    return {path.stem: path for path in sorted(folder().glob("ch*.py"))}


def find(name: str) -> Assignment:
    """An assignment by name, or by the path of its source.

    Raises
    ------
    ParameterError
        if there is none, with the nearest known name

    Examples
    --------
    >>> from companion.classroom.source import find
    >>> find("ch3_sizes").title
    'Batch sizes, exactly'
    """
    if name.endswith(".py") and Path(name).is_file():
        return load(Path(name).resolve())
    known = assignments()
    if name not in known:
        raise ParameterError(
            "ASSIGNMENT", f"got {name!r}", f"one of {', '.join(known)}, or a file", nearest(name, known)
        )
    return load(known[name])
