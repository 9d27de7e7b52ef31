"""A look at what was handed in, before it is graded: what a notebook says of itself.

Bytes of students are parsed in processes of their own, one for each student, which know no key, can open these files and
nothing else, and have a budget of time and memory for all of them together. What ends such a process ends the look at this
student's files.
"""

from __future__ import annotations

import base64
import json
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.classroom.interpreter import ours
from companion.classroom.submitted_files import Piece, UnreadableError, read_file

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
    found = []
    for files, (ended, said) in zip(students, _asked("look", students), strict=True):
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
    return [(number, name, tuple(date)) for number, name, date in _alone("list", Piece(path))]


def content(piece: Piece) -> bytes:
    """Bytes of a file, or of a member of an archive; UnreadableError without any."""
    return base64.b64decode(_alone("read", piece)["content"]) if piece.inner else read_file(piece.path)


def _alone(verb: str, piece: Piece) -> Any:
    ((ended, said),) = _asked(verb, [[(piece, "")]])
    if ended or not said or "problem" in said[0]:
        raise UnreadableError(ENDED if ended or not said else said[0]["problem"])
    return said[0]


def _asked(verb: str, students: Sequence[Sequence[tuple[Piece, str]]]) -> list[tuple[bool, list[Any]]]:
    """Whether each was ended before it was done, and what it said until then."""
    asked = [[verb, [(str(piece.path), piece.inner, name) for piece, name in files]] for files in students]
    lines = "".join(json.dumps(request) + "\n" for request in asked)
    look = ours("companion.classroom.confined_look")
    done = subprocess.run(**look, input=lines.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return [
        (ended, [json.loads(one) for one in said.splitlines()])
        for ended, said in map(json.loads, done.stdout.splitlines())
    ]


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
