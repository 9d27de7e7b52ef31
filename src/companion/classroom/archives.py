"""Archives that were handed in: each is opened once, nothing is unpacked to a disk. Read in confined processes alone."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from companion.classroom.submitted_files import Piece, UnreadableError, opened, read_bounded

#: Members of an archive, archives in archives, and how many bytes one of a member may stand for.
MOST_MEMBERS, DEEPEST, MOST_RATIO = 5000, 2, 500


@dataclass(frozen=True)
class Found:
    """A file, or one in an archive: where, under which names, its date where an archive says it, and its bytes or why not."""

    inner: tuple[int, ...]
    names: tuple[str, ...]
    date: tuple[int, ...] | None
    content: bytes | UnreadableError


def read(piece: Piece) -> bytes:
    """Content of a file, or of a member of an archive; UnreadableError without one."""
    with opened(piece.path) as file:
        return _member(file, piece.inner) if piece.inner else read_bounded(file)


def contents(piece: Piece, name: str, wanted: Callable[[str], bool]) -> Iterator[Found]:
    """A file, or all in an archive and in the archives in it. Each is opened once, and nothing is unpacked to a disk.

    Parameters
    ----------
    piece : a file, or a member of an archive
    name : its own, which says whether it is an archive
    wanted : whether a member of this name is read; others are given with no bytes
    """
    try:
        content = read(piece)
    except UnreadableError as error:
        yield Found(piece.inner, (), None, error)
        return
    yield from _within(content, name, Found(piece.inner, (), None, content), wanted)


def listed(path: Path) -> list[tuple[int, str, tuple[int, ...]]]:
    """Number, name and date of every member of an archive; UnreadableError if it is none."""
    with opened(path) as file, _archive(file) as archive:
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
            return read_bounded(opened)
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError, IndexError):
        raise UnreadableError("the archive is damaged, or has a password") from None
    except zlib.error:
        raise UnreadableError("the archive is damaged") from None
