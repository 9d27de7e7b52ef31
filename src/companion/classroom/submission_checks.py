"""A look at what was handed in, before it is graded: what a notebook says of itself.

Bytes of students are parsed in a process of its own, which knows no key, with limits on memory and time. A file that ends
this process is told, and the next ones are looked at by another. It gets lines of JSON and answers with lines of JSON.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import companion
from companion.classroom import similarity, submitted_files
from companion.classroom.submitted_files import Piece, UnreadableError

COMMON = {"selfcheck.py", "readme.txt", "requirements.txt", ".ds_store", "thumbs.db", "desktop.ini"}
SECONDS, MEMORY = 20, 2 << 30
ENDED = "it cannot be looked at: reading it took too long or too much memory"
OTHER = "is no notebook, and is not graded"


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


def look(paths: Sequence[Path]) -> list[list[Look]]:
    """Contents of each file: one for a notebook, any number for an archive."""
    found: list[list[Look]] = []
    while len(found) < len(paths):
        found += _batch(paths[len(found) :])
        if len(found) < len(paths):
            found.append([Look(problem=ENDED)])
    return found


def _batch(paths: Sequence[Path]) -> list[list[Look]]:
    lines = "".join(json.dumps(str(path)) + "\n" for path in paths)
    # -P: a module of a student's in the current folder is not imported.
    command = [sys.executable, "-P", "-m", __name__]
    home = str(Path(companion.__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))}
    done = subprocess.run(
        command, input=lines.encode(), env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    whole = done.stdout.rpartition(b"\n")[0].splitlines()
    return [[_restored(one) for one in json.loads(line)] for line in whole]


def _restored(said: dict[str, Any]) -> Look:
    return Look(**{**said, "inner": tuple(said["inner"]), "names": tuple(said["names"])})


def main() -> None:
    """Answer for every path on standard input."""
    import resource
    import signal

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin:
        path = Path(json.loads(line))
        # The alarm ends the process, whatever it is doing. The archive of a whole class takes longer.
        signal.alarm(SECONDS + (path.lstat().st_size >> 19 if path.exists() else 0))
        try:
            found = list(_looks(Piece(path)))
        except MemoryError:
            found = [Look(problem=ENDED)]
        sys.stdout.write(json.dumps([asdict(one) for one in found]) + "\n")
        sys.stdout.flush()


def _looks(piece: Piece, names: tuple[str, ...] = (), when: float = 0.0) -> Iterable[Look]:
    """Looks at a file, or at an archive's notebooks and the archives in it; other members are nothing to us."""
    name = names[-1] if names else piece.path.name
    try:
        if not name.lower().endswith(".zip"):
            content = submitted_files.read_file(piece)
            yield _notebook(content, piece.inner, names, when or os.stat(piece.path).st_mtime)
            return
        members = [one for one in submitted_files.members(piece) if not hidden(one[1])]
        inside = [one for one in members if one[1].lower().endswith((".ipynb", ".zip"))]
        if not names:
            yield from (Look(one[0].inner, (one[1],), problem=OTHER) for one in members if one not in inside)
        if not inside:
            raise UnreadableError("the archive holds no notebook")
    except UnreadableError as error:
        yield Look(piece.inner, names, when, problem=str(error))
        return
    for member, inner, date in inside:
        yield from _looks(member, (*names, inner), _seconds(date))


def hidden(name: str) -> bool:
    """Whether a file comes with an assignment or from the system: there is nothing to tell about it."""
    *folders, last = name.lower().split("/")
    unseen = {".ipynb_checkpoints", "__macosx", "__pycache__"} & set(folders)
    return bool(unseen) or last.startswith(("._", ".~")) or last in COMMON


def _seconds(date: tuple[int, ...]) -> float:
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
