"""Runs a student's cells in a process of their own, and answers questions about what they define.

Started as ``python -s -P -S worker.py LIBRARIES`` with requests on file descriptor 3 and answers on 4, one line of JSON
each; not with ``-I``, which would drop the seed of hashes and with it the order of sets. It has NumPy and SciPy, and knows
no check, no expected value and no key: only arguments arrive here, so that a forged answer would have to be the right one.
The notebook arrives as it was handed in, and is parsed here, with all rights given up. Copied beside ``value_encoding``,
``notebook_text`` and ``confine``; imports nothing else.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path[:0] = [sys.argv[1]]

import ast
import base64
import contextlib
import ctypes
import difflib
import importlib
import importlib.util
import inspect
import json
import os
import re
import resource
import signal
import textwrap
import types
from collections.abc import Callable
from typing import Any, BinaryIO

if __name__ == "__main__":
    # In the process of its own, both lie beside this file; elsewhere only the functions below are looked at.
    import confine  # type: ignore[import-not-found]
    from notebook_text import UnreadableError, notebook  # type: ignore[import-not-found]
    from value_encoding import line, pack, unpack  # type: ignore[import-not-found]
else:
    from companion.classroom import confine
    from companion.classroom.notebook_text import UnreadableError, notebook
    from companion.classroom.value_encoding import line, pack, unpack

REQUESTS, ANSWERS = 3, 4
NO_NEW_PRIVILEGES, END_WITH_PARENT = 38, 1
#: Cell magics whose cell is Python; of any other, nothing is executed.
KEPT = ("%%time", "%%timeit", "%%capture", "%%prun")


#: A cell may take so many times its processor time by the clock on the wall: a busy machine is no fault of the student.
WAITING = 3

#: A name that is not there is taken for one so like it: a function that was renamed by a letter.
CLOSE = 0.85


class TookTooLongError(Exception):
    """A cell ran longer than it may."""


def plain_python(cell: str) -> str:
    """The cell as plain Python: without magics, shell lines, questions and prompts, if it is none as it stands."""
    text = cell.lstrip("\n")
    if text.lstrip().startswith("%%"):
        first, _, rest = text.lstrip().partition("\n")
        return plain_python(rest) if first.split()[0] in KEPT else ""
    lines = textwrap.dedent(cell).splitlines()
    for _ in range(len(lines) + 1):
        try:
            compile("\n".join(lines), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            break
        except SyntaxError as error:  # one line after the other, so that no line of a text is taken for one
            at = min(error.lineno or 1, len(lines)) - 1
        except Exception:
            break
        if at < 0 or (other := without_notation(lines[at])) == lines[at]:
            break
        lines[at] = other
    return "\n".join(lines)


def without_notation(line: str) -> str:
    """A line without what a notebook understands and Python does not: prompts, magics, shell lines, questions."""
    bare = re.sub(r"^\s*(?:>{3} ?|\.{3}:? )", "", line)
    if bare != line:
        return bare
    indent, assigned = re.match(r"\s*", line)[0], line.partition("=")[2].lstrip()  # type: ignore[index]
    if bare.lstrip()[:1] in ("%", "!", "?") or assigned[:1] in ("%", "!") or re.search(r"\?\s*(?:#.*)?$", line):
        return f"{indent}pass"
    return line


def limit(limits: dict[str, Any]) -> None:
    """Limits of this process and its children: seconds of processor time, bytes of memory and files, processes."""
    kinds = {
        resource.RLIMIT_CPU: int(limits["total"]) + 1,
        resource.RLIMIT_AS: limits["memory"],
        resource.RLIMIT_FSIZE: limits["file"],
        resource.RLIMIT_NPROC: limits["processes"],
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CORE: 0,
    }
    for kind, value in kinds.items():
        resource.setrlimit(kind, (value, value))


def step_down(user: int | None) -> None:
    """Become another user where asked to, and give up ever gaining rights again."""
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(END_WITH_PARENT, signal.SIGKILL, 0, 0, 0)  # which becoming another user has cleared
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs could not be set")


def give_up(files: dict[str, Any] | None) -> dict[str, str]:
    """Give up what :mod:`companion.classroom.confine` takes away; what could not be had here, and why."""
    lacks = {}
    for name, take in (
        ("landlock", lambda: confine.confine_files(**files) if files is not None else None),
        ("seccomp", confine.deny_calls),
    ):
        try:
            take()
        except OSError as error:
            lacks[name] = error.strerror or str(error)
    return lacks


def student_module(numbers: dict[str, Any]) -> types.ModuleType:
    """The module behind ``import selfcheck``: the numbers that the grader sent, and checks without output."""
    module = types.ModuleType("selfcheck")
    module.numbers = lambda question: unpack(numbers[question])  # type: ignore[attr-defined]
    module.check = module.hint = lambda question: None  # type: ignore[attr-defined]
    module.student = lambda name: None  # type: ignore[attr-defined]
    return module


def describe(error: BaseException) -> str:
    """One line about an error that student code raised: whatever its own ``__str__`` does."""
    if type(error) is NotImplementedError and not error.args:  # what the student's notebook has in an answer's place
        return "not answered"
    try:
        return f"{type(error).__name__}: {error}"[:300]
    except BaseException:
        return "an error whose text cannot be had"


def set_clocks(seconds: float, waiting: float = WAITING) -> None:
    """Start the clocks of a cell or a call, or with 0 stop them."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, waiting * seconds)


def imported(node: ast.AST) -> list[str]:
    """Names of the modules that an import statement asks for."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []


def load_imports(cells: list[str], seconds: float) -> None:
    """Import what the cells name of NumPy and SciPy, from a disk that may be slow, before the clock of the whole runs."""
    for cell in cells:
        ring_after(seconds)
        with contextlib.suppress(BaseException):  # some modules are programs, and some cells take for ever to be read
            for name in (name for node in ast.walk(ast.parse(plain_python(cell))) for name in imported(node)):
                if name.partition(".")[0] in ("numpy", "scipy"):
                    importlib.import_module(name)
        set_clocks(0)


class Notebook:
    """The name space of a notebook's cells, and the names that are missing since a module is not there."""

    def __init__(self) -> None:
        self.space: dict[str, Any] = {"__name__": "__main__", "display": nothing, "get_ipython": lambda: Quiet()}
        self.missing: set[str] = set()

    def run(self, text: str, name: str) -> str:
        """Execute a cell; where modules are missing, statement by statement, without those that cannot do without them.

        Returns
        -------
        what was left out, for the student; empty where all was executed
        """
        tree = ast.parse(plain_python(text), name)
        if not self.missing and all(map(there, tree.body)):
            self._execute(tree.body, name)
            return ""
        left: list[str] = []
        for node in tree.body:
            try:
                self._execute([node], name)
            except ImportError as error:
                if not isinstance(node, ast.Import | ast.ImportFrom):
                    raise
                self.missing |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
                left.append(str(error))
            except NameError as error:
                if error.name not in self.missing:
                    raise
                self.missing |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - set(self.space)
                left.append(f"line {node.lineno} needs {error.name}")
        return f"left out: {'; '.join(left)}" if left else ""

    def _execute(self, body: list[ast.stmt], name: str) -> None:
        code = compile(ast.Module(body, []), name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if code.co_flags & inspect.CO_COROUTINE:
            loops().run(eval(code, self.space))
        else:
            exec(code, self.space)

    def value(self, name: str) -> Any:
        """What stands under a name, or under the one that is nearest to it."""
        if name not in self.space:
            theirs = [one for one, it in self.space.items() if not isinstance(it, types.ModuleType)]
            near = difflib.get_close_matches(name, theirs, 1, CLOSE)
            if not near:
                raise NameError(f"{name} is not defined")
            name = near[0]
        return self.space[name]


def loops() -> Any:
    """The module asyncio, whose loops have no pair of sockets by which other threads would wake them: none can be had here."""
    import asyncio

    asyncio.SelectorEventLoop._make_self_pipe = asyncio.SelectorEventLoop._close_self_pipe = nothing  # type: ignore[attr-defined]
    return asyncio


def there(node: ast.stmt) -> bool:
    """Whether all is here that a statement imports."""
    try:
        for module in imported(node):
            names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            from_here = importlib.import_module(module) if names else None
            if from_here is None and module not in sys.modules and importlib.util.find_spec(module) is None:
                return False
            for name in (one for one in names if one != "*" and not hasattr(from_here, one)):
                importlib.import_module(f"{module}.{name}")
        return True
    except (ImportError, ValueError):
        return False


def nothing(*_: Any, **__: Any) -> None:
    """What showing something comes to where nobody looks."""


class Quiet:
    """The notebook's own shell, of which exported notebooks ask this and that: all of it comes to nothing."""

    def __getattr__(self, name: str) -> Any:
        return nothing


def ring_after(seconds: float) -> None:
    """Have the clocks raise an error, and start them for what may take so long."""

    def ring(*_: Any) -> None:
        raise TookTooLongError(f"longer than {seconds:g} s")

    signal.signal(signal.SIGALRM, ring)
    signal.signal(signal.SIGPROF, ring)
    set_clocks(seconds)


def run_cells(
    cells: list[str], skip: list[int], seconds: float, notebook: Notebook, tell: Callable[[Any], None]
) -> None:
    """Execute the cells in order; one that raises or takes too long does not stop the others."""
    for number, cell in enumerate(cells):
        if number in skip:
            continue
        tell({"cell": number})
        ring_after(seconds)
        try:
            left = notebook.run(cell, f"<cell {number + 1}>")
            set_clocks(0)
            if left:
                tell({"cell": number, "error": left})
        except BaseException as error:
            set_clocks(0)
            tell({"cell": number, "error": describe(error)})
        finally:
            set_clocks(0)


def answer(request: dict[str, Any], notebook: Notebook) -> dict[str, Any]:
    """Answer one request, under its number: the value of a name, or what a function returns."""
    number = request["id"]
    try:
        name = request["name"]
        value = notebook.value(name)
        set_clocks(request["seconds"], request["waiting"])
        if "inputs" in request:
            value = value(*unpack(request["inputs"]))
        return {"id": number, "is": pack(value)}
    except BaseException as error:
        return {"id": number, "error": describe(error)}
    finally:
        set_clocks(0)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Read the setting, run the cells, answer until the other side leaves."""
    write, flush, dumps = answers.write, answers.flush, line  # kept before any code of the student runs

    def tell(message: Any) -> None:
        write(dumps(message))
        flush()

    setting = json.loads(requests.readline())
    os.dup2(1, 2)  # nothing is said to the grader from here on but by the answers
    step_down(setting["user"])
    limit(setting["limits"])
    lacks = give_up(setting["files"])
    sys.modules["selfcheck"] = student_module(setting["numbers"])
    tell({"ready": True, "lacks": lacks})
    try:
        cells = setting["cells"] if setting["book"] is None else notebook(base64.b64decode(setting["book"]))[0]
    except UnreadableError as error:
        return tell({"unreadable": str(error)})
    if setting["loads"]:
        load_imports(cells, setting["limits"]["cell"])
    if any("asyncio" in cell for cell in cells):
        loops()
    tell({"loaded": len(cells)})
    run = Notebook()
    run_cells(cells, setting["skip"], setting["limits"]["cell"], run, tell)
    tell({"ran": True})
    for request in requests:
        asked = json.loads(request)
        try:
            tell(answer(asked, run))
        except (TypeError, ValueError, RecursionError, MemoryError) as error:
            tell({"id": asked["id"], "error": describe(error)})


if __name__ == "__main__":
    with open(REQUESTS, "rb") as incoming, open(ANSWERS, "wb") as outgoing:
        serve(incoming, outgoing)
