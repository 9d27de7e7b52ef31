"""Submitted files: the roster, files and members of archives, and the code in them. Read as data; nothing is executed."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from companion.core.errors import Mistakes, ParameterError
from companion.core.tables import rows_of

LARGEST_FILE, LARGEST_CODE, MOST_CELLS = 10 << 20, 1 << 20, 500
#: Members of an archive, archives in archives, and how many bytes one of a member may stand for.
MOST_MEMBERS, DEEPEST, MOST_RATIO = 5000, 2, 500
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")


class UnreadableError(Exception):
    """A file that is no notebook, or a larger one than is read; the message is for the student."""


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


def read_file(piece: Path | Piece) -> bytes:
    """Content of an ordinary file, or of a member of an archive, of bounded size.

    Raises
    ------
    UnreadableError
        for a link, a device, a pipe, a larger file, or an archive that is none
    """
    path, inner = (piece.path, piece.inner) if isinstance(piece, Piece) else (piece, ())
    with _opened(path) as file:
        return _member(file, inner) if inner else _read(file)


@dataclass(frozen=True)
class Found:
    """A file, or one in an archive: where, under which names, its date where an archive says it, and its bytes or why not."""

    inner: tuple[int, ...]
    names: tuple[str, ...]
    date: tuple[int, ...] | None
    content: bytes | UnreadableError


def contents(piece: Piece, name: str, wanted: Callable[[str], bool]) -> Iterator[Found]:
    """A file, or all in an archive and in the archives in it. Each is opened once, and nothing is unpacked to a disk.

    Parameters
    ----------
    piece : a file, or a member of an archive
    name : its own, which says whether it is an archive
    wanted : whether a member of this name is read; others are given with no bytes
    """
    try:
        with _opened(piece.path) as file:
            content = _member(file, piece.inner) if piece.inner else _read(file)
    except UnreadableError as error:
        yield Found(piece.inner, (), None, error)
        return
    yield from _within(content, name, Found(piece.inner, (), None, content), wanted)


def listed(path: Path) -> list[tuple[int, str, tuple[int, ...]]]:
    """Number, name and date of every member of an archive; UnreadableError if it is none."""
    with _opened(path) as file, _archive(file) as archive:
        entries = archive.infolist()
        return [(number, one.filename, one.date_time) for number, one in enumerate(entries) if not one.is_dir()]


def _within(content: bytes, name: str, around: Found, wanted: Callable[[str], bool]) -> Iterator[Found]:
    if not name.lower().endswith(".zip"):
        yield replace(around, content=content)
        return
    try:
        if len(around.inner) >= DEEPEST:
            raise UnreadableError("it is an archive in an archive in an archive")
        with _archive(io.BytesIO(content)) as archive:
            for number, entry in enumerate(archive.infolist()):
                if entry.is_dir():
                    continue
                found = Found((*around.inner, number), (*around.names, entry.filename), entry.date_time, b"")
                try:
                    inside = _unpacked(archive, entry) if wanted(entry.filename) else None
                except UnreadableError as error:
                    yield replace(found, content=error)
                    continue
                yield from [found] if inside is None else _within(inside, entry.filename, found, wanted)
    except UnreadableError as error:
        yield replace(around, content=error)


def _opened(path: Path) -> IO[bytes]:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        raise UnreadableError("the file cannot be opened, or is a link") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableError("it is no ordinary file")
    return open(descriptor, "rb")


def _read(file: IO[bytes]) -> bytes:
    content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise UnreadableError(f"the file has more than {LARGEST_FILE >> 20} MB; clear the outputs and hand it in again")
    return content


def _archive(file: IO[bytes]) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise UnreadableError("it is no zip archive, or a damaged one") from None
    if len(archive.infolist()) > MOST_MEMBERS:
        raise UnreadableError(f"the archive has more than {MOST_MEMBERS} members")
    return archive


def _member(file: IO[bytes], inner: tuple[int, ...]) -> bytes:
    if len(inner) > DEEPEST:
        raise UnreadableError("it is an archive in an archive in an archive")
    with _archive(file) as archive:
        entries = archive.infolist()
        if not 0 <= inner[0] < len(entries):
            raise UnreadableError("the archive is damaged")
        content = _unpacked(archive, entries[inner[0]])
    return _member(io.BytesIO(content), inner[1:]) if len(inner) > 1 else content


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    try:
        if entry.file_size > MOST_RATIO * max(entry.compress_size, 1 << 12):
            raise UnreadableError("it is packed more tightly than a notebook can be")
        with archive.open(entry) as opened:
            return _read(opened)
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError, IndexError):
        raise UnreadableError("the archive is damaged, or has a password") from None
    except zlib.error:
        raise UnreadableError("the archive is damaged") from None


def code_cells(content: bytes) -> list[str]:
    """Text of a notebook's code cells.

    Raises
    ------
    UnreadableError
        if it is no notebook of format 4
    """
    return notebook(content)[0]


def notebook(content: bytes) -> tuple[list[str], dict[str, Any]]:
    """Text of a notebook's code cells, and what is noted in it under ``metadata.companion``.

    Raises
    ------
    UnreadableError
        if it is no notebook of format 4
    """
    try:
        notebook: Any = json.loads(content.decode("utf-8-sig"))
        metadata = notebook.get("metadata")
        noted = metadata.get("companion") if isinstance(metadata, dict) else None
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        sources = [cell["source"] for cell in cells]
        texts: list[Any] = ["".join(source) if isinstance(source, list) else source for source in sources]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a cell's source is no text")
        size = sum(len(text.encode("utf-8")) for text in texts)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UnreadableError("the file is no Jupyter notebook: save it again, and hand in the .ipynb") from None
    if len(texts) > MOST_CELLS or size > LARGEST_CODE:
        raise UnreadableError(f"it has more than {MOST_CELLS} code cells or {LARGEST_CODE >> 20} MB of code")
    return texts, noted if isinstance(noted, dict) else {}
