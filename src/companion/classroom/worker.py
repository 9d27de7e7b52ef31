"""Runs a student's cells in a process of their own, and answers questions about what they define.

Started as ``python -s -P -S worker.py LIBRARIES`` with requests on file descriptor 3 and answers on 4, one line of JSON
each; not with ``-I``, which would drop the seed of hashes and with it the order of sets. It has NumPy and SciPy, and knows
no check, no expected value and no key: only arguments arrive here, so that a forged answer would have to be the right one.
Copied beside :mod:`companion.classroom.value_encoding` and :mod:`companion.classroom.confine`; imports nothing else.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path[:0] = [sys.argv[1]]

import ast
import contextlib
import ctypes
import importlib
import json
import os
import resource
import signal
import types
from collections.abc import Callable
from typing import Any, BinaryIO

if __name__ == "__main__":
    # In the process of its own, both lie beside this file; elsewhere only the functions below are looked at.
    import confine  # type: ignore[import-not-found]
    from value_encoding import line, pack, unpack  # type: ignore[import-not-found]
else:
    from companion.classroom import confine
    from companion.classroom.value_encoding import line, pack, unpack

REQUESTS, ANSWERS = 3, 4
NO_NEW_PRIVILEGES, END_WITH_PARENT = 38, 1
#: Cell magics whose cell is Python; of any other, nothing is executed.
KEPT = ("%%time", "%%timeit", "%%capture", "%%prun")


#: A cell may take so many times its processor time by the clock on the wall: a busy machine is no fault of the student.
WAITING = 3


class TookTooLongError(Exception):
    """A cell ran longer than it may."""


def plain_python(cell: str) -> str:
    """The cell without magics and shell lines; it is changed only where it is no Python as it stands."""
    try:
        compile(cell, "<cell>", "exec")
        return cell
    except Exception:
        pass
    text = cell.lstrip()
    if text.startswith("%%"):
        first, _, rest = text.partition("\n")
        return plain_python(rest) if first.split()[0] in KEPT else ""
    kept = []
    for one in cell.splitlines():
        bare = one.lstrip()
        indent = one[: len(one) - len(bare)]
        assigned = bare.partition("=")[2].lstrip()
        kept.append(f"{indent}pass" if bare[:1] in ("%", "!", "?") or assigned[:1] in ("%", "!") else one)
    return "\n".join(kept)


def limit(limits: dict[str, int]) -> None:
    """Limits of this process and its children: seconds of processor time, bytes of memory and files, processes."""
    kinds = {
        "cpu": resource.RLIMIT_CPU,
        "memory": resource.RLIMIT_AS,
        "file": resource.RLIMIT_FSIZE,
        "processes": resource.RLIMIT_NPROC,
        "files": resource.RLIMIT_NOFILE,
    }
    for name, value in limits.items():
        resource.setrlimit(kinds[name], (value, value))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


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


def load_imports(cells: list[str]) -> None:
    """Import what the cells name of NumPy and SciPy, which may have to be read from a slow disk, before any clock runs."""
    for cell in cells:
        try:
            nodes = list(ast.walk(ast.parse(plain_python(cell))))
        except Exception:
            continue
        named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        named += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
        for name in named:
            if name.partition(".")[0] in ("numpy", "scipy"):
                with contextlib.suppress(Exception):
                    importlib.import_module(name)


def run_cells(
    cells: list[str], skip: list[int], seconds: float, space: dict[str, Any], tell: Callable[[Any], None]
) -> None:
    """Execute the cells in order; one that raises or takes too long does not stop the others."""

    def ring(*_: Any) -> None:
        raise TookTooLongError(f"longer than {seconds:g} s")

    for number, cell in enumerate(cells):
        if number in skip:
            continue
        tell({"cell": number})
        signal.signal(signal.SIGALRM, ring)
        signal.signal(signal.SIGPROF, ring)
        set_clocks(seconds)
        try:
            exec(compile(plain_python(cell), f"<cell {number + 1}>", "exec"), space)
        except BaseException as error:
            set_clocks(0)
            tell({"cell": number, "error": describe(error)})
        finally:
            set_clocks(0)


def answer(request: dict[str, Any], space: dict[str, Any]) -> dict[str, Any]:
    """Answer one request, under its number: the value of a name, or what a function returns."""
    number = request["id"]
    try:
        name = request["name"]
        if name not in space:
            raise NameError(f"{name} is not defined")
        set_clocks(request["seconds"], request["waiting"])
        value = space[name](*unpack(request["inputs"])) if "inputs" in request else space[name]
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
    space: dict[str, Any] = {"__name__": "__main__", "display": lambda *_: None}
    load_imports(setting["cells"])
    tell({"ready": True, "lacks": lacks})
    run_cells(setting["cells"], setting["skip"], setting["cell_seconds"], space, tell)
    tell({"ran": True})
    for request in requests:
        asked = json.loads(request)
        try:
            tell(answer(asked, space))
        except (TypeError, ValueError, RecursionError, MemoryError) as error:
            tell({"id": asked["id"], "error": describe(error)})


if __name__ == "__main__":
    with open(REQUESTS, "rb") as incoming, open(ANSWERS, "wb") as outgoing:
        serve(incoming, outgoing)
