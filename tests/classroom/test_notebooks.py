"""Notebooks as students write them: beside an odd line a right answer has all its points, or those of *run all* in Jupyter."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jupyter_client
import nbformat
import pytest
from classroom.conftest import KEYS, answered, setting
from classroom.hostile import blocks

from companion.classroom import student_copies
from companion.classroom.grading import grade
from companion.classroom.marking import AnswerError, mark
from companion.classroom.sandbox import Sandbox
from companion.classroom.source import Assignment
from companion.classroom.value_encoding import pack, unpack

ANSWERED = dict(blocks("odd_answers.txt"))


def _changed(content: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    book = json.loads(content)
    change(book)
    return json.dumps(book).encode()


def _third(book: dict[str, Any]) -> None:
    cells = [
        {"cell_type": "code", "language": "python", "outputs": [], "input": c["source"]} for c in book.pop("cells")
    ]
    book.update(nbformat=3, nbformat_minor=0, worksheets=[{"cells": cells, "metadata": {}}], metadata={"name": ""})


def _outputs(book: dict[str, Any]) -> None:
    for cell in book["cells"]:
        cell["outputs"] = [{"output_type": "error", "ename": "E", "evalue": "x", "traceback": ["\x1b[31m" * 99]}]


ODD_FILES: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda content: b"\xef\xbb\xbf" + content,
    "lines that end as on Windows": lambda content: content.replace(b"\\n", b"\\r\\n"),
    "sources as lists": lambda content: _changed(
        content, lambda book: [c.update(source=c["source"].splitlines(keepends=True)) for c in book["cells"]]
    ),
    "the third format": lambda content: _changed(content, _third),
    "cells without their kind of metadata": lambda content: _changed(
        content, lambda book: [cell.pop("metadata") for cell in book["cells"]]
    ),
    "ids of cells, some of them twice": lambda content: _changed(
        content, lambda book: book.update(nbformat_minor=5) or [cell.update(id="same") for cell in book["cells"]]
    ),
    "outputs with errors": lambda content: _changed(content, _outputs),
    "code in text": lambda content: _changed(
        content, lambda book: book["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "def f(:\n"})
    ),
    "a kernel of another name": lambda content: _changed(
        content, lambda book: book["metadata"].update(kernelspec={"name": "conda-x", "display_name": "x"})
    ),
}


class Kernel:
    """A runner: the kernel of Jupyter, after *run all*."""

    def __init__(self, folder: Path) -> None:
        self.manager, self.client = jupyter_client.manager.start_new_kernel(cwd=str(folder))

    def execute(self, code: str, ask: str = "None") -> str:
        """What an expression is after a cell was run."""
        said = self.client.execute(
            code, silent=False, allow_stdin=False, user_expressions={"said": ask}, stop_on_error=False
        )
        while (reply := self.client.get_shell_msg(timeout=60))["parent_header"]["msg_id"] != said:
            pass
        told = reply["content"].get("user_expressions", {}).get("said", {})
        return str(told.get("data", {}).get("text/plain", ""))

    def call(self, name: str, inputs: tuple[Any, ...], seconds: float) -> Any:
        return self._ask(f"{name}(*unpack({[pack(one) for one in inputs]!r}))")

    def value(self, name: str, seconds: float) -> Any:
        return self._ask(name)

    def renew(self) -> None:
        raise AnswerError("asked once")

    def _ask(self, expression: str) -> Any:
        self.execute("from companion.classroom.value_encoding import pack, unpack\nimport json")
        said = self.execute("", f"json.dumps(pack({expression}))")
        if not said:
            raise AnswerError("an error")
        return unpack(json.loads(ast.literal_eval(said)))


@pytest.fixture
def kernel(tmp_path: Path, quick: Assignment) -> Iterator[Callable[[], Kernel]]:
    (tmp_path / "selfcheck.py").write_text(student_copies.selfcheck(quick, KEYS.shown), encoding="utf-8")
    started = []

    def start() -> Kernel:
        started.append(Kernel(tmp_path))
        return started[-1]

    yield start
    for one in started:
        one.client.stop_channels()
        one.manager.shutdown_kernel(now=True)


def _run_all(kernel: Kernel, content: bytes, assignment: Assignment) -> int:
    """Points of a notebook after *run all*, each cell whatever became of those before it; none where Jupyter cannot read it."""
    try:
        book = nbformat.reads(content.decode(), as_version=4)
    except Exception:
        return -1
    kernel.execute("import selfcheck; selfcheck.student('ada')")
    for cell in (cell for cell in book.cells if cell.cell_type == "code"):
        kernel.execute(cell.source)
    given = (KEYS.hidden, KEYS.shown, "ada")
    return sum(one.earned for q in assignment.questions for one in mark(assignment, q, kernel, *given))  # type: ignore[arg-type]


def _cells(assignment: Assignment, block: str) -> bytes:
    book = json.loads(answered(assignment))
    (at,) = [n for n, cell in enumerate(book["cells"]) if "def original_sizes" in cell["source"]]
    parts = block.replace("RIGHT", book["cells"][at]["source"].strip("\n")).split("\n---\n")
    book["cells"][at : at + 1] = [{**book["cells"][at], "source": part} for part in parts]
    return json.dumps(book).encode()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ANSWERED, *ODD_FILES])
def test_a_right_answer_beside_an_odd_line_has_the_points_of_run_all(
    name: str, quick: Assignment, confined: Sandbox, kernel: Callable[[], Kernel]
) -> None:
    content = _cells(quick, ANSWERED[name]) if name in ANSWERED else ODD_FILES[name](answered(quick))
    result = grade(setting(quick, confined), "ada", content)
    if result["score"] != quick.points:
        assert result["score"] == _run_all(kernel(), content, quick), (result["status"], result["notes"])
