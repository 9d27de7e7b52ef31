"""The course secret: a file, from which every key of every assignment comes, and which goes into no archive."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from companion.classroom.draws import derive
from companion.core.errors import ParameterError

FILE = "course.secret"
SHORTEST = 32


@dataclass(frozen=True)
class Keys:
    """Keys of one assignment in one course: ``shown`` draws the numbers that students see, ``hidden`` the others."""

    shown: bytes
    hidden: bytes


def keys(path: Path, assignment: str) -> Keys:
    """Keys from the secret in a file.

    Raises
    ------
    ParameterError
        if there is no such file, or it is too short for a secret
    """
    try:
        secret = path.read_bytes().strip()
    except OSError as error:
        expected = (
            "the file that 'companion assignment make' wrote when the assignment was made; a new one grades nothing"
        )
        raise ParameterError("--secret", f"{path} cannot be read ({error.strerror})", expected) from None
    if len(secret) < SHORTEST:
        raise ParameterError("--secret", f"{path} has {len(secret)} characters", f"at least {SHORTEST}")
    return Keys(derive(secret, "shown", assignment), derive(secret, "hidden", assignment))


def series(shown: bytes) -> str:
    """A mark of the shown key for the notebooks made with it: it tells two courses apart and gives nothing away."""
    return derive(shown, "series").hex()[:12]


def create(path: Path) -> bool:
    """Make a secret that only its owner can read, unless there is one; says whether it was made."""
    if path.exists():
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32) + "\n")
    return True
