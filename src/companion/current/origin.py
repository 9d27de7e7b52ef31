"""Commit of a file of the repository: read from version control when it is shown, and stored in no result."""

from __future__ import annotations

import functools
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: Written by ``make release`` for archives, which have no history: commit and date by path.
FILE = "data/origins.json"
#: Folders whose files are asked for.
FOLDERS = ("notebooks", "data")


@dataclass(frozen=True)
class Origin:
    """The commit that last changed a file, and its date, ISO 8601; both empty for a file that is not committed."""

    commit: str = ""
    date: str = ""

    def __str__(self) -> str:
        return f"commit {self.commit[:10]} · {self.date[:10]}" if self.commit else "not committed yet"


def origin(root: Path, path: str) -> Origin | None:
    """Origin of a file by its path below the repository; ``None`` where there is neither a history nor :data:`FILE`."""
    known = origins(root)
    return None if known is None else known.get(path, Origin())


@functools.cache
def origins(root: Path) -> Mapping[str, Origin] | None:
    """Origins of all committed files of :data:`FOLDERS`; files with uncommitted changes are left out."""
    try:
        if _git(root, "rev-parse", "--show-toplevel", "--is-shallow-repository").split() != [
            str(root.resolve()),
            "false",
        ]:
            return _listed(root)
        log = _git(root, "log", "--format=%x00%H %cI", "--name-only", "--no-renames", "HEAD", "--", *FOLDERS)
        changed = _git(root, "status", "--porcelain", "--no-renames", "--", *FOLDERS)
    except (OSError, subprocess.SubprocessError):
        return _listed(root)
    found: dict[str, Origin] = {}
    for entry in log.split("\0")[1:]:
        first, *paths = entry.split("\n")
        made = Origin(*first.split(" "))
        for path in paths:
            if path:
                found.setdefault(path, made)
    edited = {line[3:] for line in changed.splitlines()}
    return {path: made for path, made in found.items() if path not in edited}


def _listed(root: Path) -> Mapping[str, Origin] | None:
    try:
        content = json.loads((root / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return {path: Origin(*made) for path, made in content.items()}


def listing(root: Path) -> bytes:
    """Content of :data:`FILE` for a release."""
    known = {path: [made.commit, made.date] for path, made in sorted((origins(root) or {}).items())}
    return (json.dumps(known, indent=0) + "\n").encode()


def _git(root: Path, *words: str) -> str:
    run = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, timeout=60, check=True)
    return run.stdout
