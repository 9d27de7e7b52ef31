"""Submitted files, and the roster that says whose they are. No byte of a student is parsed here."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from companion.classroom.notebook_text import UnreadableError as UnreadableError
from companion.core.errors import Mistakes, ParameterError
from companion.core.tables import rows_of

LARGEST_FILE = 10 << 20
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")


@dataclass(frozen=True)
class Student:
    """A line of the roster. ``id`` is what the student types into the notebook; the others may be empty."""

    id: str
    name: str = ""
    email: str = ""
    canvas_id: str = ""


@dataclass(frozen=True)
class Piece:
    """A file, or a member of an archive: ``inner`` are numbers of members, one for each archive around it."""

    path: Path
    inner: tuple[int, ...] = ()


def shown(name: str | Path, length: int = 120) -> str:
    """A file's name for people: of bounded length, without bytes that are no text or characters that act in a terminal."""
    return "".join(char if char.isprintable() else "?" for char in str(name))[-length:]


def read_roster(path: Path, mistakes: Mistakes | None = None) -> list[Student]:
    """The students of a course: CSV with a header; column ``id``, and where known ``name``, ``email``, ``canvas_id``.

    Parameters
    ----------
    path : the file
    mistakes : notes what is wrong with single lines; without it they are refused together

    Raises
    ------
    ParameterError
        if there is no such file, column or student; an id, e-mail address or number of Canvas is used twice; or an id could
        not be the name of a file
    """
    noted = Mistakes() if mistakes is None else mistakes
    students: list[Student] = []
    used: dict[tuple[str, str], int] = {}
    for line, row in read_table("--students", path, "id", noted):
        values = {name: row.get(name, "") for name in ("id", "name", "email", "canvas_id")}
        with noted.noted():
            if not _ID.fullmatch(values["id"]):
                problem = f"{path}, line {line}: the id is {values['id']!r}"
                raise ParameterError(
                    "--students", problem, "up to 64 letters, digits and . _ @ + -, a letter or digit first"
                )
            for column in filter(values.get, ("id", "email", "canvas_id")):
                before = used.setdefault((column, values[column].casefold()), line)
                if before != line:
                    problem = f"{path}, line {line}: the {column} {values[column]!r} is that of line {before}, too"
                    raise ParameterError("--students", problem, f"every {column} once")
            students.append(Student(**values))
    if not students and not noted.found:
        raise ParameterError("--students", f"{path}: no student listed", "a line for each")
    if mistakes is None:
        noted.refuse()
    return students


def read_table(argument: str, path: Path, needed: str, mistakes: Mistakes) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a CSV file with a needed column, with their line; empty ones are left out.

    Files are read as :func:`companion.core.tables.rows_of` says.

    Raises
    ------
    ParameterError
        naming the argument, if there is no such file or column, two columns have one name, or a row is wider than the
        heading, which ``mistakes`` notes
    """
    try:
        rows = rows_of(path.read_bytes(), argument, str(path))
    except OSError as error:
        raise ParameterError(argument, f"{path} cannot be read ({error})", "a CSV file in UTF-8") from None
    columns = [column.lower().replace(" ", "_") for column in rows[0][1]] if rows else []
    if needed not in columns:
        raise ParameterError(argument, f"{path} has the columns {', '.join(columns) or 'none'}", f"a column {needed}")
    if twice := sorted({column for column in filter(None, columns) if columns.count(column) > 1}):
        raise ParameterError(argument, f"{path} has the column {twice[0]} twice", "one column of a name")
    for line, row in rows[1:]:
        if any(row[len(columns) :]):
            with mistakes.noted():
                problem = f"{path}, line {line} has {len(row)} cells, and the heading {len(columns)}"
                raise ParameterError(argument, problem, "no more. Numbers have a decimal point, or stand in quotes")
        elif any(row):
            yield line, dict(zip(columns, row, strict=False))


def read_file(path: Path) -> bytes:
    """Content of an ordinary file, of bounded size.

    Raises
    ------
    UnreadableError
        for a link, a device, a pipe, or a larger file
    """
    with opened(path) as file:
        return read_bounded(file)


def opened(path: Path) -> IO[bytes]:
    """An ordinary file, for reading; a link is not followed, a pipe not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        raise UnreadableError("the file cannot be opened, or is a link") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableError("it is no ordinary file")
    return open(descriptor, "rb")


def read_bounded(file: IO[bytes]) -> bytes:
    """All that is in it; UnreadableError for more than a notebook may have."""
    content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise UnreadableError(f"the file has more than {LARGEST_FILE >> 20} MB; clear the outputs and hand it in again")
    return content
