"""Products of a source: notebooks for students and instructors, the self-check, archives. The same bytes every time."""

from __future__ import annotations

import ast
import functools
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.classroom.author_checks import Trusted, reference_cells, with_solution
from companion.classroom.feedback_examples import to_digits
from companion.classroom.keys import Keys, series
from companion.classroom.marking import plain
from companion.classroom.source import Assignment, Cell, without_solution
from companion.core.files import write_atomic

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
#: Date of every file in an archive: the time at which it was made would make each a different one.
LONG_AGO = (1980, 1, 1, 0, 0, 0)
REQUIREMENTS = "numpy>=2.0\nscipy>=1.13\n"
_WHO = """# Write your student id between the quotes, as it stands in the list of your course. Then run this cell.
import selfcheck

selfcheck.student("{student}")"""
#: Where there is a module already, of the grader or of selfcheck.py itself, that one stays.
_BROUGHT = """# @title Your own numbers and the checks: run this cell, and leave it as it is.
import sys
import types

if "selfcheck" not in sys.modules:
    sys.modules["selfcheck"] = types.ModuleType("selfcheck")
    exec(compile(r'''{text}''', "selfcheck.py", "exec"), sys.modules["selfcheck"].__dict__)"""
#: Metadata of a cell whose input JupyterLab, Jupyter Book and Colab show folded.
FOLDED = {"jupyter": {"source_hidden": True}, "tags": ["hide-input"], "cellView": "form"}
_CHECKS = """
After every question there is a cell with `selfcheck.check`. It compares your answer with the example, where there is one,
and with what was asked for in form; it knows no expected number."""
_HINTS = """ When you are stuck, `selfcheck.hint("q1")` in a cell of
your own gives the first hint for question 1, and called again the next one."""
_EXAM = "*This is an exam: there are no hints and no examples.*"


def for_exam(assignment: Assignment) -> Assignment:
    """An assignment as it is handed out for an exam: without hints and examples, and the page says so."""
    cells = [cell for cell in assignment.cells if cell.role != "hint"]
    first = next(place for place, cell in enumerate(cells) if cell.role == "text")
    cells[first] = replace(cells[first], text=f"{cells[first].text}\n\n{_EXAM}")
    made = replace(assignment, cells=tuple(cells))
    # In the place of what the hidden cells say.
    made.__dict__["key"] = {
        question: replace(key, example="", hard="", worked={}) for question, key in assignment.key.items()
    }
    return made


def notebook(assignment: Assignment, solution: bool, shown: bytes) -> bytes:
    """The student's notebook, or the solution. It needs no other file: checks and own numbers travel in its first code cell.

    It carries a mark of the key from which own numbers are drawn.

    In the student's there is of the answer cells only what stands outside the markers, and nothing of the hidden cells.

    Parameters
    ----------
    assignment : what is asked
    solution : with the reference answers
    shown : the key from which own numbers are drawn
    """
    brought = _BROUGHT.format(text=selfcheck(assignment, shown))
    beginning = [
        ("markdown", introduction(assignment)),
        ("code", brought),
        ("code", _WHO.format(student="solution" if solution else "")),
    ]
    cells: list[tuple[str, str]] = []
    for cell in assignment.cells:
        cells += _shown(assignment, cell, solution)
        if cell.role == "text":
            cells += beginning
            beginning = []
    noted = {"companion": {"assignment": assignment.name, "series": series(shown)}}
    return written(cells, noted, folded=brought)


def written(cells: Sequence[tuple[str, str]], noted: Mapping[str, Any], folded: str = "") -> bytes:
    """A notebook of these cells, each a kind and a text; the same bytes every time.

    Parameters
    ----------
    cells : "markdown", "code" or "raw", and the text
    noted : metadata of the notebook
    folded : text of a cell that is shown folded
    """
    made: list[dict[str, Any]] = []
    for place, (kind, text) in enumerate(cells):
        name = hashlib.sha256(f"{place}\n{kind}\n{text}".encode()).hexdigest()[:12]
        code: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
        metadata = FOLDED if text == folded else {}
        made.append(
            {"cell_type": kind, "id": name, "metadata": metadata, "source": text.splitlines(keepends=True), **code}
        )
    about = {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}, **noted}
    content = {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _shown(assignment: Assignment, cell: Cell, solution: bool) -> list[tuple[str, str]]:
    """Cells of the notebook, as (kind, text), that come from one cell of the source."""
    if cell.role == "text" or (cell.role == "solution" and solution):
        return [("markdown", cell.text)]
    if cell.role == "question":
        points = assignment.key[cell.question].points
        first, _, rest = asked_for(assignment, cell).partition("\n")
        return [("markdown", f"{first} ({points} point{'s' * (points != 1)})\n{rest}".strip("\n"))]
    if cell.role == "setup":
        return [("code", cell.text)]
    if cell.role == "answer":
        value = assignment.key[cell.question].value
        answer = with_solution(cell.text) if solution else without_solution(cell.text, value)
        return [("code", answer.strip("\n")), ("code", f'selfcheck.check("{cell.question}")')]
    return []


def introduction(assignment: Assignment) -> str:
    """Introduction for students: the lesson to read, how to check, how to get a hint."""
    from companion import registry

    found = next((p for p in map(registry.get, registry.chapters()) if p.number == assignment.chapter), None)
    lesson = f"`notebooks/ch{found.number}_{found.notebook or found.slug}.html`" if found else ""
    read = (
        f"Read the lesson of chapter {assignment.chapter} first, {lesson} of the book; your instructor has its address."
        if found
        else ""
    )
    hints = _HINTS if any(map(assignment.hints, assignment.questions)) else ""
    return (
        f"{read} {assignment.minutes} minutes without the lesson, {assignment.points} points.\n{_CHECKS}{hints}".strip()
    )


@functools.lru_cache(maxsize=32)
def examples(assignment: Assignment) -> dict[str, list[tuple[str, Any]]]:
    """The calls that each question declares, as text, and what the reference returns; or own numbers, and the value."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for question, key in assignment.key.items():
        needed = {q for q, other in assignment.key.items() if other.function} | {question}
        cells = [cell for cell in assignment.cells if cell.role == "setup" or cell.question in needed]
        if calls := [call for call in (key.example, key.hard) if call] or [key.value] * bool(key.worked):
            run = Trusted(reference_cells(replace(assignment, cells=tuple(cells))), {question: key.worked})
            found[question] = [(call, to_digits(plain(eval(call, run.space)), 10)) for call in calls]
    return found


def told(assignment: Assignment, question: str) -> str:
    """The examples of a question, for its text; empty where it has none."""
    key, shown = assignment.key[question], examples(assignment).get(question, [])
    if key.worked:
        said = [f"for `{dict(key.worked)}` it would be `{value!r}`" for _, value in shown]
    elif key.several:
        said = [f"`{call}` may return `{value!r}`, among other right answers" for call, value in shown]
    else:
        said = [f"`{call}` is `{value!r}`" for call, value in shown]
    return "".join(f"\n\n*Example:* {one}." for one in said)


def asked_for(assignment: Assignment, cell: Cell) -> str:
    """The text of a question, with its example and with the rubric of what is marked by hand."""
    key, text = assignment.key[cell.question], cell.text
    text += told(assignment, cell.question)
    if key.after:
        earlier = assignment.key[key.after].function
        text += f"\n\nYou may use your `{earlier}`: an error in it is paid for once, if it gets a third of its points."
    if key.rubric:
        lines = [f"- {name} ({points} point{'s' * (points != 1)})" for name, points in key.rubric]
        text += "\n\nThis is read and marked by hand:\n\n" + "\n".join(lines)
    return text


def selfcheck(assignment: Assignment, shown: bytes) -> str:
    """The students' module: numbers of their own and the public checks, and of NumPy no more than these import."""
    here = Path(__file__).resolve().parent
    draws = (here / "draws.py").read_text(encoding="utf-8")
    draws = re.sub(r'\A""".*?"""\n', "", draws, count=1, flags=re.DOTALL).replace(
        "from __future__ import annotations\n", ""
    )
    pieces = [draws.strip("\n")]
    for cell in assignment.cells:
        if cell.role in ("numbers", "public"):
            pieces.append(cell.text.strip("\n"))
    answers = {question: assignment.key[question].answer for question in assignment.questions}
    worked = {
        q: [(*one, not assignment.key[q].several) for one in calls]
        for q, calls in examples(assignment).items()
        if assignment.key[q].function
    }
    hints = {question: assignment.hints(question) for question in assignment.questions}
    # Magics mean the same here and in the grader.
    worker = (here / "worker.py").read_text(encoding="utf-8")
    plain = [ast.get_source_segment(worker, node) or "" for node in ast.parse(worker).body if _is_of_magics(node)]
    text = (here / "selfcheck.py.txt").read_text(encoding="utf-8")
    for mark, line in (
        ("ANSWERS = {}  # @@ANSWERS@@", f"ANSWERS = {answers!r}"),
        ("EXAMPLES = {}  # @@EXAMPLES@@", f"EXAMPLES = {worked!r}"),
        ("HINTS = {}  # @@HINTS@@", f"HINTS = {hints!r}"),
        ("TYPED = []  # @@TYPED@@", f"TYPED = {[q for q, key in assignment.key.items() if key.typed]!r}"),
        ("# @@PLAIN@@", "\n\n\n".join(plain)),
        ('KEY = bytes.fromhex("")  # @@KEY@@', f'KEY = bytes.fromhex("{shown.hex()}")'),
        ("@@ASSIGNMENT@@", assignment.name),
        ("# @@CODE@@", "\n\n\n".join(pieces)),
    ):
        text = text.replace(mark, line)
    return text


def _is_of_magics(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Name) and node.targets[0].id == "KEPT"
    return isinstance(node, ast.FunctionDef) and node.name in ("plain_python", "without_notation")


def instructions(assignment: Assignment) -> str:
    """README of the students' archive."""
    return f"""{assignment.title}
{"=" * len(assignment.title)}

{assignment.goal}
About {assignment.minutes} minutes, {assignment.points} points.

1. Install what is needed: python -m pip install -r requirements.txt notebook
2. Open {assignment.name}.ipynb, write your student id where its first cells ask for it, and answer the questions.
   The notebook needs no other file, so that it runs on Colab and the like, too.
   Keep the names of functions and values as they are. NumPy, SciPy and Python's own library are there when it is graded.
3. python selfcheck.py {assignment.name}.ipynb says whether your answers have the form asked for
   and whether examples come out, where there are some; the notebook's own checks say the same.
4. Hand in {assignment.name}.ipynb.

Your numbers are drawn from your id; they are graded with the id under which you hand in.
"""


def archive(files: dict[str, bytes], executable: tuple[str, ...] = ()) -> bytes:
    """A zip file with sorted names, one date, and the rights of files that are programs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, wherever it is made
            file.writestr(entry, files[name])
    return buffer.getvalue()


def student_files(assignment: Assignment, keys: Keys) -> dict[str, bytes]:
    """Everything that a student gets."""
    return {
        f"{assignment.name}.ipynb": notebook(assignment, solution=False, shown=keys.shown),
        "selfcheck.py": selfcheck(assignment, keys.shown).encode(),
        "README.txt": instructions(assignment).encode(),
        "requirements.txt": REQUIREMENTS.encode(),
    }


def make(assignment: Assignment, keys: Keys, out: Path) -> list[Path]:
    """Write ``student/``, ``student.zip`` and ``solution.ipynb``, with what it needs, into a folder.

    Returns
    -------
    the files written
    """
    given = student_files(assignment, keys)
    files = {f"student/{name}": content for name, content in given.items()}
    files["student.zip"] = archive({f"{assignment.name}/{name}": content for name, content in given.items()})
    files["solution.ipynb"] = notebook(assignment, solution=True, shown=keys.shown)
    files["selfcheck.py"] = given["selfcheck.py"]  # beside the solution, which imports it
    for name, content in files.items():
        write_atomic(out / name, content)
    return [out / name for name in files]
