"""A notebook that ``otter assign`` takes, for courses that run Otter already. An export, and a weaker one.

Otter runs its tests inside the student's process and gives all students the same numbers. So what is exported are the
public checks, and of the hidden ones those that compare with an expected answer, with fixed inputs and the answer typed
in. Properties stay behind, since their code would be a key; :func:`left_out` names them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from companion.classroom.draws import Draw
from companion.classroom.feedback_examples import call_of, typed
from companion.classroom.keys import Keys
from companion.classroom.marking import cases_of, shown_numbers
from companion.classroom.source import Assignment
from companion.classroom.student_copies import asked_for, selfcheck, written

CONFIG = """# ASSIGNMENT CONFIG
name: {name}
requirements: requirements.txt
files:
  - selfcheck.py
generate: true
export_cell: false"""
#: The id whose numbers all students get.
EVERYBODY = "everybody"
_SAME = '''
def same(answer, expected, rel, tol):
    """Equal, or within tolerance: lists entry by entry."""
    answer = answer.tolist() if hasattr(answer, "tolist") else answer
    if isinstance(expected, list):
        return len(answer) == len(expected) and all(same(a, e, rel, tol) for a, e in zip(answer, expected))
    return answer == expected or (rel is not None and abs(answer - expected) <= tol + rel * abs(expected))
'''


def left_out(assignment: Assignment) -> list[str]:
    """Checks that the export has not, as "q1: name"."""
    return [
        f"{question}: {check.name}"
        for question, key in assignment.key.items()
        for check in key.checks
        if check.holds is not None
    ]


def notebook(assignment: Assignment, keys: Keys) -> bytes:
    """The master notebook, in the format of ``otter assign`` (raw cells as marks; Otter 4 and newer)."""
    cells = [("raw", CONFIG.format(name=assignment.name))]
    beginning = [("code", f'import selfcheck\n\nselfcheck.student("{EVERYBODY}")')]
    for cell in assignment.cells:
        if cell.role == "text":
            cells += [("markdown", cell.text), *beginning]
            beginning = []
        elif cell.role == "setup":
            cells.append(("code", cell.text.strip("\n")))
        elif cell.role == "question":
            points = assignment.key[cell.question].points
            cells.append(("raw", f"# BEGIN QUESTION\nname: {cell.question}\npoints: {points}"))
            cells.append(("markdown", asked_for(assignment, cell)))
        elif cell.role == "answer":
            cells += [("raw", "# BEGIN SOLUTION"), ("code", cell.text.strip("\n")), ("raw", "# END SOLUTION")]
            tests = _tests(assignment, keys, cell.question)
            cells += [("raw", "# BEGIN TESTS"), *(("code", test) for test in tests), ("raw", "# END TESTS")]
            cells.append(("raw", "# END QUESTION"))
    return written(cells, {})


def files(assignment: Assignment, keys: Keys) -> dict[str, bytes]:
    """The notebook and what it needs beside it."""
    return {
        f"{assignment.name}.ipynb": notebook(assignment, keys),
        "selfcheck.py": selfcheck(assignment, keys.shown).encode(),
        "requirements.txt": b"numpy\nscipy\n",
    }


def _tests(assignment: Assignment, keys: Keys, question: str) -> list[str]:
    # Otter takes what a test prints for its outcome, and expects nothing.
    if assignment.key[question].rubric:
        return []  # marked by hand
    silent = "import contextlib, io\n\nsaid = io.StringIO()\nwith contextlib.redirect_stdout(said):\n    passed"
    tests = [f'{silent} = selfcheck.passed("{question}")\nassert passed, said.getvalue()']
    key = assignment.key[question]
    mine = shown_numbers(assignment, question, keys.shown, EVERYBODY)
    for check in key.checks:
        if check.holds is not None:
            continue
        # Numbers are written as Python shows them, which says inf and nan.
        lines = ["# HIDDEN", "from math import inf, nan", "import numpy as np", _SAME.strip("\n"), ""]
        draw = Draw(keys.hidden, assignment.name, EVERYBODY, question, check.name)
        for case in cases_of(check, draw, mine):
            oracle = check.equals or check.close
            assert oracle is not None
            asked = call_of(key.function, case) if key.function else key.value
            tolerances = "None, 0.0" if check.equals else f"{check.rel_tol!r}, {check.abs_tol!r}"
            lines.append(f"assert same({asked}, {typed(_listed(oracle(*case)))}, {tolerances})")
        tests.append("\n".join(lines))
    return tests


def _listed(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value
