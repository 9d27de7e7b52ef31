"""Submitted files, and the roster that says whose they are. No byte of a student is parsed here."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from companion.classroom.notebook_text import UnreadableError as UnreadableError

LARGEST_FILE = 10 << 20


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
