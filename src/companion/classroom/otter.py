"""A notebook that ``otter assign`` takes, for courses that run Otter already. An export, and a weaker one.

Otter runs its tests inside the student's process and gives all students the same numbers. So what is exported are the
public checks, and of the hidden ones those that compare with an expected answer, with fixed inputs and the answer typed
in. Properties stay behind, since their code would be a key; :func:`left_out` names them.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from companion.classroom.draws import Draw
from companion.classroom.feedback_examples import call_of, typed
from companion.classroom.keys import Keys
from companion.classroom.marking import cases_of, shown_numbers
from companion.classroom.source import Assignment
from companion.classroom.student_copies import KERNELSPEC, asked_for, selfcheck

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
    cells: list[dict[str, Any]] = [
        _raw(
            f"# ASSIGNMENT CONFIG\nname: {assignment.name}\nrequirements: requirements.txt\n"
            "files:\n  - selfcheck.py\ngenerate: true\nexport_cell: false"
        )
    ]
    asked = False
    for cell in assignment.cells:
        if cell.role == "text":
            cells.append(_markdown(cell.text))
            if not asked:
                cells.append(_code(f'import selfcheck\n\nselfcheck.student("{EVERYBODY}")'))
                asked = True
        elif cell.role == "setup":
            cells.append(_code(cell.text))
        elif cell.role == "question":
            points = assignment.key[cell.question].points
            cells += [
                _raw(f"# BEGIN QUESTION\nname: {cell.question}\npoints: {points}"),
                _markdown(asked_for(assignment, cell)),
            ]
        elif cell.role == "answer":
            cells += [_raw("# BEGIN SOLUTION"), _code(cell.text), _raw("# END SOLUTION"), _raw("# BEGIN TESTS")]
            cells += [_code(test) for test in _tests(assignment, keys, cell.question)]
            cells += [_raw("# END TESTS"), _raw("# END QUESTION")]
    content = {"cells": cells, "metadata": {"kernelspec": KERNELSPEC}, "nbformat": 4, "nbformat_minor": 4}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


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


def _raw(text: str) -> dict[str, Any]:
    return {"cell_type": "raw", "metadata": {}, "source": text.splitlines(keepends=True)}


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict[str, Any]:
    source = text.strip("\n").splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
