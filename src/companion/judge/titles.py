"""Titles of entries on the pages, and of the columns of stored arrays.

``data/reported/titles.toml`` has, for a paper, ``[paper.statements]`` and ``[paper.leads]`` with titles that can be understood
alone, by id, ``[paper.columns]`` with the names of an array's columns, by ``id/value``, and ``[paper.blunt]`` with the statements
that no instance could contradict as printed, by id, and why. It lies beside the papers' folders
and not in them, since it changes no result.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.core.errors import DataError
from companion.core.files import read_toml

NAMES = {"ledger": "statements", "discrepancies": "leads"}


@functools.lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> Mapping[str, Any]:
    return read_toml(path)


def load(root: Path, paper: str) -> Mapping[str, Any]:
    """A paper's part of the file; empty without one."""
    path = root / "data" / "reported" / "titles.toml"
    found = _read(path, path.stat().st_mtime_ns).get(paper, {}) if path.is_file() else {}
    if not isinstance(found, dict) or not all(isinstance(part, dict) for part in found.values()):
        raise DataError(f"{path}: {paper} and its parts have to be tables")
    return found


def retitled(root: Path, paper: str, name: str, entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The entries of a stored file with the titles of the pages, the columns of their arrays as ``columns``, and ``blunt``."""
    table = load(root, paper)
    blunt = table.get("blunt", {}) if name == "ledger" else {}
    titles, columns = table.get(NAMES.get(name, ""), {}), table.get("columns", {})
    return [
        {
            **entry,
            **({"title": titles[entry["id"]]} if entry.get("id") in titles else {}),
            **({"blunt": blunt[entry["id"]]} if entry.get("id") in blunt else {}),
            "columns": {
                key.partition("/")[2]: named
                for key, named in columns.items()
                if key.partition("/")[0] == entry.get("id")
            },
        }
        for entry in entries
    ]


def unknown(root: Path, paper: str, name: str, entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Ids in the file that no entry has: a title that nobody sees."""
    known = {entry["id"] for entry in entries}
    table = load(root, paper)
    blunt = table.get("blunt", {}) if name == "ledger" else {}
    return sorted({*table.get(NAMES.get(name, ""), {}), *blunt} - known)
