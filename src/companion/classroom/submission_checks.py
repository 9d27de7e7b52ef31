"""A look at what was handed in, before it is graded: what a notebook says of itself.

Bytes of students are parsed in processes of their own, one for each student, which know no key, can open these files and
nothing else, and have a budget of time and memory for all of them together. What ends such a process ends the look at this
student's files.
"""

from __future__ import annotations

import ast
import codecs
import contextlib
import functools
import hashlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import companion
from companion.classroom import similarity, submitted_files
from companion.classroom.submitted_files import Piece, UnreadableError

COMMON = {"selfcheck.py", "readme.txt", "requirements.txt", ".ds_store", "thumbs.db", "desktop.ini"}
#: Of processor time, of bytes, of notebooks: for all that one student handed in.
SECONDS, MEMORY, MOST_NOTEBOOKS = 20, 1 << 30, 50
#: The wall may take so many times the processor time, on a busy machine.
WAITING = 6
ENDED = "it cannot be looked at: reading it took too long or too much memory"
OTHER = "is no notebook, and is not graded"
MANY = f"is not looked at: one of more than {MOST_NOTEBOOKS} notebooks"
#: Bytes of one answer.
MOST_SAID = 16 << 20


@dataclass(frozen=True)
class Look:
    """Kind of one file, or of one notebook in an archive.

    Parameters
    ----------
    inner, names : where in the archive it is, by number and by name; empty for a file
    when : time of its last change, seconds since 1970, as the file system or the archive says
    problem : why it is no notebook, or empty
    digest : SHA-256 of its bytes
    assignment, series : what it was made from: the assignment, and the mark of the course secret; empty where it says nothing
    typed : the id typed into it; ``None`` where the cell is gone
    answered : names that are given another value than None, or a body
    prints : see :mod:`companion.classroom.similarity`
    """

    inner: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    when: float = 0.0
    problem: str = ""
    digest: str = ""
    assignment: str = ""
    series: str = ""
    typed: str | None = None
    answered: list[str] = field(default_factory=list)
    prints: list[int] = field(default_factory=list)


def look(students: Sequence[Sequence[tuple[Piece, str]]]) -> list[list[list[Look]]]:
    """Contents of each file of each student: one for a notebook, any number for an archive.

    Parameters
    ----------
    students : the files of each student, every one with its name
    """
    asked = [[(str(piece.path), piece.inner, name) for piece, name in files] for files in students]
    found = []
    for files, (ended, said) in zip(students, _asked(asked), strict=True):
        looks: list[list[Look]] = [[] for _ in files]
        reached = 0
        for place, *shown in said:
            reached = place
            looks[place] += [
                Look(**{**one, "inner": tuple(one["inner"]), "names": tuple(one["names"])}) for one in shown
            ]
        for place in range(reached, len(files)) if ended else ():
            looks[place].append(Look(files[place][0].inner, problem=ENDED))
        found.append(looks)
    return found


def members(path: Path) -> list[tuple[int, str, tuple[int, ...]]]:
    """Number, name and date of every member of an archive; UnreadableError if it is none."""
    ((ended, said),) = _asked([str(path)])
    if ended or isinstance(said[0], str):
        raise UnreadableError(ENDED if ended else said[0])
    return [(number, name, tuple(date)) for number, name, date in said[0]]


def _asked(requests: Sequence[Any]) -> list[tuple[bool, list[Any]]]:
    """Whether each was ended before it was done, and what it said until then."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    # -P: a module of a student's in the current folder is not imported.
    command = [sys.executable, "-P", "-m", __name__]
    home = str(Path(companion.__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))}
    done = subprocess.run(
        command, input=lines.encode(), env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    )
    return [
        (ended, [json.loads(one) for one in said.splitlines()])
        for ended, said in map(json.loads, done.stdout.splitlines())
    ]


def main() -> None:
    """Answer every request on standard input by a process of its own."""
    # Nothing can be loaded any more where a file is read: the encodings of names and notebooks, the time zone.
    for name in ("cp437", "utf-8-sig"):
        codecs.lookup(name)
    time.localtime()
    for line in sys.stdin:
        request, (reading, writing) = json.loads(line), os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                with os.fdopen(writing, "w") as out:
                    _answer(request, functools.partial(_say, out))
                os._exit(0)
            finally:  # whatever happened, here is no second reader of requests
                os._exit(1)
        os.close(writing)
        with os.fdopen(reading, "rb") as answers:
            said = answers.read(MOST_SAID)
        ended = os.waitpid(child, 0)[1] != 0
        # Of an answer that was cut off, whole lines are kept.
        whole = said.decode("utf-8", "replace").rpartition("\n")[0]
        _say(sys.stdout, [ended or len(said) == MOST_SAID, whole])


def _say(out: IO[str], said: Any) -> None:
    out.write(json.dumps(said) + "\n")
    out.flush()


def _answer(request: Any, tell: Callable[[Any], None]) -> None:
    """Members of an archive, or looks at what a student handed in, within a budget and confined to these files."""
    import resource  # these three are not everywhere where assignments are made
    import signal

    from companion.classroom import confine

    paths = {request} if isinstance(request, str) else {path for path, *_ in request}
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    signal.alarm(WAITING * SECONDS)
    with contextlib.suppress(OSError):  # where one cannot be had, the other and the limits remain
        confine.confine_files(sorted(paths), (), os.devnull)
    with contextlib.suppress(OSError):
        confine.deny_calls()
    if isinstance(request, str):
        try:
            tell(submitted_files.listed(Path(request)))
        except UnreadableError as error:
            tell(str(error))
        return
    left = MOST_NOTEBOOKS
    for place, (path, inner, name) in enumerate(request):
        tell([place])
        for one in _looks(Piece(Path(path), tuple(inner)), name):
            left -= one.problem != OTHER
            tell([place, asdict(one if left >= 0 else replace(one, problem=MANY, prints=[]))])


def _looks(piece: Piece, name: str) -> Iterator[Look]:
    """Looks at a file, or at an archive's notebooks; other members of it are told, but for those of archives in it."""
    empty = name.lower().endswith(".zip")
    for found in submitted_files.contents(piece, name, lambda inside: _wanted(inside) and not hidden(inside)):
        when = seconds(found.date) if found.date else os.stat(piece.path).st_mtime
        called = found.names[-1] if found.names else name
        if found.names and hidden(called):
            continue
        if isinstance(found.content, UnreadableError):
            yield Look(found.inner, found.names, when, problem=str(found.content))
            empty = False
        elif _wanted(called):
            yield _notebook(found.content, found.inner, found.names, when)
            empty = False
        elif len(found.names) == 1:
            yield Look(found.inner, found.names, problem=OTHER)
    if empty:
        yield Look(piece.inner, problem="the archive holds no notebook")


def _wanted(name: str) -> bool:
    return name.lower().endswith((".ipynb", ".zip"))


def hidden(name: str) -> bool:
    """Whether a file comes with an assignment or from the system: there is nothing to tell about it."""
    *folders, last = name.lower().split("/")
    unseen = {".ipynb_checkpoints", "__macosx", "__pycache__"} & set(folders)
    return bool(unseen) or last.startswith(("._", ".~")) or last in COMMON


def seconds(date: tuple[int, ...]) -> float:
    """Seconds since 1970 of a date in an archive, which has no time zone."""
    try:
        return time.mktime((*date, 0, 0, -1))  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return 1.0


def _notebook(content: bytes, inner: tuple[int, ...], names: tuple[str, ...], when: float) -> Look:
    digest = hashlib.sha256(content).hexdigest()
    try:
        cells, noted = submitted_files.notebook(content)
    except UnreadableError as error:
        return Look(inner, names, when, str(error), digest)
    assignment, series = (str(noted.get(name) or "")[:80] for name in ("assignment", "series"))
    return Look(
        inner, names, when, "", digest, assignment, series, *_said(cells), sorted(similarity.fingerprints(cells))
    )


def _said(cells: list[str]) -> tuple[str | None, list[str]]:
    """The id typed, and the names that something was done about; read from the syntax tree, as data."""
    typed, done = None, Counter[str]()
    for node in (node for tree in similarity.parsed(cells) for node in ast.walk(tree)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "student":
            typed = next((str(given.value)[:80] for given in node.args if isinstance(given, ast.Constant)), typed)
        elif isinstance(node, ast.FunctionDef):
            done[node.name] += not isinstance(node.body[-1], ast.Raise | ast.Pass) or len(node.body) > 2
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            done[node.id] += 1
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None:
            done.subtract(name.id for name in node.targets if isinstance(name, ast.Name))
    return typed, sorted(name for name, times in done.items() if times > 0)[:1000]


if __name__ == "__main__":
    main()
