"""Tables of stored results with their record: written so that a reader can tell whole from damaged, and own from foreign.

A set of tables is stored as ``<name>*.csv`` beside ``<name>.record.json``. The record is written last and carries the
SHA-256 of every table, so an interrupted write, a flipped byte or an edited number is noticed when the tables are read.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from companion.errors import ResultError
from companion.files import write_atomic
from companion.reproduce.record import Record

CHECKSUMS = "sha256"
"""Name of the record's setting that maps file names to checksums."""


@dataclass(frozen=True, eq=False)
class StoredTables:
    """Tables by name, and their record."""

    tables: Mapping[str, pd.DataFrame]
    record: Record


def store_tables(folder: Path, name: str, tables: Mapping[str, pd.DataFrame], record: Record) -> Path:
    """Write ``<table>.csv`` for every table and then ``<name>.record.json``.

    Where the same code has stored the same tables before, nothing is written: the record then still says when, and in
    how many seconds, they were computed.

    Parameters
    ----------
    folder : made when missing
    name : of the set
    tables : by name; floats are written with as many digits as it takes to read the same number back
    record : of the run that computed them; checksums are added to its settings

    Returns
    -------
    path of the record
    """
    contents = {f"{key}.csv": frame.to_csv(index=False, lineterminator="\n").encode() for key, frame in tables.items()}
    checksums = {file: hashlib.sha256(content).hexdigest() for file, content in contents.items()}
    path = folder / f"{name}.record.json"
    if not _same(folder, name, tuple(tables), checksums, record.package):
        for file, content in contents.items():
            write_atomic(folder / file, content)
        full = replace(record, settings={**record.settings, CHECKSUMS: checksums})
        write_atomic(path, (json.dumps(full.to_dict(), indent=1, sort_keys=True) + "\n").encode())
    return path


def load_tables(folder: Path, name: str, names: tuple[str, ...], command: str) -> StoredTables:
    """Read tables that :func:`store_tables` wrote, after comparing their checksums.

    Parameters
    ----------
    folder, name : as stored
    names : tables to read
    command : makes the tables; named in messages

    Raises
    ------
    ResultError
        if a table or the record is missing, or a table is not the one the record is about
    """
    path = folder / f"{name}.record.json"
    try:
        contents = {key: (folder / f"{key}.csv").read_bytes() for key in names}
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ResultError(f"{error.filename} is missing; make it with: {command}") from None
    except ValueError:
        raise ResultError(f"{path} is damaged; make it again with: {command}") from None
    record = Record.from_dict(stored)
    checksums = record.settings.get(CHECKSUMS, {})
    for key, content in contents.items():
        if checksums.get(f"{key}.csv") != hashlib.sha256(content).hexdigest():
            raise ResultError(
                f"{folder / key}.csv is not the table that {path.name} describes: it was damaged, edited, or left by an "
                f"interrupted call; make it again with: {command}"
            )
    frames = {key: pd.read_csv(io.BytesIO(content)) for key, content in contents.items()}
    return StoredTables(frames, record)


def _same(folder: Path, name: str, names: tuple[str, ...], checksums: Mapping[str, str], package: str) -> bool:
    """Whether the folder holds these very tables, whole, from the same code."""
    try:
        stored = load_tables(folder, name, names, "")
    except ResultError:
        return False
    return stored.record.package == package and dict(stored.record.settings[CHECKSUMS]) == dict(checksums)
