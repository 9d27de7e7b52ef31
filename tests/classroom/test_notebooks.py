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

from companion.classroom import student_copies
from companion.classroom.grading import grade
from companion.classroom.marking import AnswerError, mark
from companion.classroom.sandbox import Sandbox
from companion.classroom.source import Assignment
from companion.classroom.value_encoding import pack, unpack

#: The cells of an answer, in which RIGHT stands for the right one, indented as there.
ANSWERS = r'''
=== a question
RIGHT
math.isqrt?
=== two questions, and one in front
?math
RIGHT
math.isqrt??  # what was it
=== a question with arguments after it
RIGHT
original_sizes(10)?
=== magics
%matplotlib inline
%load_ext autoreload
%autoreload 2
%config InlineBackend.figure_format = 'svg'
RIGHT
%precision 4
%who
=== time of a line
RIGHT
%time original_sizes(10)
%timeit -n 1 -r 1 original_sizes(10)
=== time of a cell
%%time
RIGHT
=== a cell that is captured
%%capture out
RIGHT
=== a name set by a magic
where = %pwd
RIGHT
=== the shell
!ls -la
files = !ls
RIGHT
=== a program that is installed
!pip --version
%pip --version
RIGHT
=== a shell line in a block
if True:
    !true
RIGHT
=== another language
%%bash
echo no Python at all {
---
RIGHT
=== a page of HTML
%%html
<b>not Python</b>
---
RIGHT
=== a file written by a cell
%%writefile notes.txt
not Python at all
---
RIGHT
=== the answer written to a file, and run
RIGHT
---
%%writefile more.py
x = 1
---
%run more.py
=== await at the top
import asyncio
await asyncio.sleep(0)
RIGHT
=== an asynchronous loop at the top
async def steps():
    for n in range(3):
        yield n
total = [n async for n in steps()]
RIGHT
=== a library for pictures that is not everywhere
import matplotlib.pyplot as plt
RIGHT
plt.plot(original_sizes(100))
plt.show()
=== pictures in one statement
RIGHT
import matplotlib.pyplot as plt; fig, ax = plt.subplots(); ax.plot([1]); plt.close()
=== a library that is nowhere, in a cell of its own
import no_such_library_anywhere
---
RIGHT
=== tables
import pandas as pd
RIGHT
pd.DataFrame({'size': original_sizes(100)})
=== display
from IPython.display import Markdown, display
display(Markdown('text'))
RIGHT
display(original_sizes(9))
=== widgets
try:
    import ipywidgets
except ImportError:
    ipywidgets = None
RIGHT
=== the shell asked by name
get_ipython().run_line_magic('matplotlib', 'inline')
RIGHT
=== input
answer = input('T? ')
---
RIGHT
=== types
from typing import Optional
RIGHT
def typed(T: int, more: Optional[list[int]] = None) -> "list[int]":
    return original_sizes(T)
=== a decorator
import functools
RIGHT
original_sizes = functools.lru_cache(maxsize=None)(original_sizes)
=== a class that is called
RIGHT
class Sizes:
    rule = staticmethod(original_sizes)
    def __call__(self, T):
        return self.rule(T)
original_sizes = Sizes()
=== global state
calls = 0
RIGHT
inner = original_sizes
def original_sizes(T):
    global calls
    calls += 1
    return inner(T)
=== defined twice, the right one last
def original_sizes(T):
    return [T]
RIGHT
=== defined twice, the wrong one last
RIGHT
def original_sizes(T):
    return [T]
=== a cell that fails, and the right one
x = 1 / 0
---
RIGHT
=== a cell that fails after the right answer
RIGHT
x = undefined_name
=== a syntax error in a cell of its own
def broken(:
---
RIGHT
=== an assertion that fails
RIGHT
assert original_sizes(4) == []
=== prompts from a manual
>>> 2 + 2
>>> 3 + 3
---
RIGHT
=== a cell that is indented
    spread = 1
    more = 2
---
RIGHT
=== tabs
if True:
	pass
RIGHT
=== text that looks like magic
RIGHT
text = """
%time
!ls
is it?
"""
=== a comment that asks
RIGHT
# is this right?
=== semicolons and underscores
_ = 2;
RIGHT
_ = original_sizes(3);
original_sizes(5);
=== names of the checks taken
check = hint = numbers_of = None
RIGHT
=== warnings are errors
import warnings
warnings.filterwarnings('error')
RIGHT
=== a seed, and a thread
import random, threading
random.seed(0)
threading.Thread(target=print).start()
RIGHT
=== the end of a session
RIGHT
---
%reset_selective -f nothing
=== exit
RIGHT
---
exit
=== letters of other alphabets
größe = "Größe — ½ 𝒯"
RIGHT
=== a path that is not there
import os
os.path.exists('data.csv')
RIGHT
=== lambda in place of a function
RIGHT
same = original_sizes
original_sizes = lambda T: same(T)
=== walrus, match, and a star
RIGHT
match (n := 3):
    case 3:
        first, *rest = original_sizes(10)
'''
ANSWERED = dict(block.split("\n", 1) for block in ANSWERS.split("\n=== ")[1:])


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
