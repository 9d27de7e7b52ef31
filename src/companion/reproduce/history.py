"""The history that records point into: a result is looked up, and made again, at the commit that its record names."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Stored records that name no commit of the history, or one with changes: since when that is known, and why. An entry goes when
#: its record is made again.
EXCUSED: Mapping[str, str] = {
    "data/results/wdrbo/tables.record.json": "25 November 2026: the call that added eight runs was made at a commit that was "
    "rewritten before it was published; the commits of the other calls are here",
}


@dataclass(frozen=True)
class History:
    """The commits that the present one rests on; none of them, and ``missing`` says why, where they cannot be looked up."""

    commits: frozenset[str] = frozenset()
    missing: str = ""

    def faults(self, record: Mapping[str, Any]) -> Iterator[str]:
        """What is wrong with every state of the code that a record names, those inside it included."""
        for made in _made(record):
            commit = str(made["commit"])
            if not self.missing and commit not in self.commits:
                yield f"names commit {commit[:10]}, which is not in the history of this checkout"
            elif made.get("dirty"):
                yield f"was made at commit {commit[:10]} with uncommitted changes"


def _made(record: Any) -> Iterator[Mapping[str, Any]]:
    """The record, and what it holds of other calls, wherever a commit is named."""
    if isinstance(record, Mapping):
        if "commit" in record:
            yield record
        for inside in record.values():
            yield from _made(inside)
    elif isinstance(record, list | tuple):
        for inside in record:
            yield from _made(inside)


def records(root: Path) -> list[Path]:
    """Records of pages and of stored tables, and what was noted when these were compared."""
    stored = root / "data" / "results"
    found = (root / "notebooks").glob("*.record.json"), stored.glob("*/*.record.json"), stored.glob("*/verified.json")
    return sorted(path for paths in found for path in paths)


def history(root: Path) -> History:
    """The history of the checkout at ``root``, as far as it is there.

    Where it holds no commit at all that a record names, the files came here without theirs.
    """
    try:
        if _git(root, "rev-parse", "--is-shallow-repository") == "true":
            return History(missing="this clone is shallow; git fetch --unshallow brings the rest")
        commits = frozenset(_git(root, "rev-list", "HEAD").split())
    except (OSError, subprocess.SubprocessError):
        return History(missing="there is no git, or no checkout")
    named = {str(made["commit"]) for path in records(root) for made in _made(_read(path))}
    return History(commits) if commits & named else History(missing="this checkout has a history of its own")


def _read(path: Path) -> Any:
    """What a record holds; nothing of a damaged one, which is refused elsewhere."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def unchanged(path: Path) -> bool:
    """Whether a file is committed as it stands."""
    try:
        return not _git(path.parent, "status", "--porcelain", "--", path.name)
    except (OSError, subprocess.SubprocessError):
        return True


def _git(place: Path, *words: str) -> str:
    run = subprocess.run(["git", "-C", str(place), *words], capture_output=True, text=True, timeout=20, check=True)
    return run.stdout.strip()
