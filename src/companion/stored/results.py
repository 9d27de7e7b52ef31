"""Stored results with their record: written so that a reader can tell whole from damaged, and own from foreign.

A set of tables is stored as ``<name>*.csv`` beside ``<name>.record.json``. The record is written last and carries the
SHA-256 of every table, so an interrupted write, a flipped byte or an edited number is noticed when the tables are read.
A list of JSON objects (a ledger, say) is one file ``<name>.json`` with the record, its checksum and the entries.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from companion.core.arrays import Floats
from companion.core.calls import one_line
from companion.core.errors import ResultError
from companion.core.files import results_folder, strict_json, write_atomic
from companion.stored.record import Record

if TYPE_CHECKING:
    import pandas as pd

#: A table as columns of equal length: pandas is not everywhere.
Columns = Mapping[str, Sequence[Any]]

#: Name of the record's setting that maps file names to checksums.
CHECKSUMS = "sha256"


@dataclass(frozen=True, eq=False)
class StoredTables:
    """Tables by name, and their record."""

    tables: Mapping[str, pd.DataFrame]
    record: Record

    __repr__ = one_line


@dataclass(frozen=True, eq=False)
class StoredEntries:
    """A list of JSON objects, and its record."""

    entries: list[dict[str, Any]]
    record: Record


def csv_bytes(table: pd.DataFrame | Columns) -> bytes:
    """A table as CSV, the same bytes from a frame and from its columns; None and NaN are blanks.

    Floats are written with as many digits as it takes to read the same number back.
    """
    if not isinstance(table, Mapping):
        text: str = table.to_csv(index=False, lineterminator="\n")
        return text.encode()
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(table)
    for row in zip(*table.values(), strict=True):
        writer.writerow(["" if value is None or value != value else value for value in row])
    return lines.getvalue().encode()


def store_tables(
    folder: Path,
    name: str,
    tables: Mapping[str, pd.DataFrame] | Mapping[str, Columns],
    record: Record,
    anew: bool = False,
) -> Path:
    """Write ``<table>.csv`` for every table and then ``<name>.record.json``.

    Where the same tables are stored already, nothing is written: the record then still says when they were computed, and
    what that took.

    Parameters
    ----------
    folder : made when missing
    name : of the set
    tables : by name; see :func:`csv_bytes`
    record : of the run that computed them; checksums are added to its settings
    anew : write the record even so: it says more than before of the same tables

    Returns
    -------
    path of the record
    """
    contents = {f"{key}.csv": csv_bytes(table) for key, table in tables.items()}
    checksums = {file: hashlib.sha256(content).hexdigest() for file, content in contents.items()}
    path = folder / f"{name}.record.json"
    if anew or not _same(folder, name, tuple(tables), checksums):
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
    import pandas as pd  # entries, which are JSON, do without

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


@dataclass(frozen=True, eq=False)
class StoredSet:
    """A set of stored tables: where they lie and how they are made again. Who only reads them knows of no run.

    Parameters
    ----------
    paper : the folder
    module : that declares the runs behind the tables
    command : makes them
    tables : their names
    name : of the set, see :func:`store_tables`
    whole : whether every call makes all of it anew, as it takes little and rests on other tables; its record then says what
        all of it takes
    """

    paper: str
    module: str
    command: str
    tables: tuple[str, ...]
    name: str = "tables"
    whole: bool = False

    def load(self, root: Path | None = None) -> StoredTables:
        """The stored tables and their record; :class:`~companion.core.errors.ResultError` if they are missing or damaged."""
        return load_tables(results_folder(self.paper, root), self.name, self.tables, self.command)


def unjoined(text: object) -> Floats:
    """Numbers of a stored list: a curve or a law, which a table holds as words with blanks between them."""
    return np.array([float(word) for word in str(text).split()])


def store_entries(folder: Path, name: str, entries: list[dict[str, Any]], record: Record) -> Path:
    """Write ``<name>.json`` with the record and the entries; numbers that JSON lacks become null.

    Returns
    -------
    path of the file
    """
    digest = _digest_of_entries(entries)
    full = replace(record, settings={**record.settings, CHECKSUMS: {"entries": digest}})
    path = folder / f"{name}.json"
    write_atomic(path, (strict_json({"record": full.to_dict(), "entries": entries}, indent=1) + "\n").encode())
    return path


def load_entries(folder: Path, name: str, command: str) -> StoredEntries:
    """Read what :func:`store_entries` wrote, after comparing its checksum.

    Raises
    ------
    ResultError
        if the file is missing or damaged, naming ``command``, which makes it
    """
    path = folder / f"{name}.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        record, entries = Record.from_dict(content["record"]), content["entries"]
    except FileNotFoundError:
        raise ResultError(f"{path} is missing; make it with: {command}") from None
    except (ValueError, KeyError, TypeError):
        raise ResultError(f"{path} is damaged; make it again with: {command}") from None
    if record.settings.get(CHECKSUMS) != {"entries": _digest_of_entries(entries)}:
        raise ResultError(f"{path} was damaged or edited; make it again with: {command}")
    return StoredEntries(entries, record)


def _digest_of_entries(entries: list[dict[str, Any]]) -> str:
    return hashlib.sha256(strict_json(entries).encode()).hexdigest()


def _same(folder: Path, name: str, names: tuple[str, ...], checksums: Mapping[str, str]) -> bool:
    """Whether the folder holds these very tables, whole."""
    try:
        stored = json.loads((folder / f"{name}.record.json").read_bytes())
        found = {f"{key}.csv": hashlib.sha256((folder / f"{key}.csv").read_bytes()).hexdigest() for key in names}
        return dict(Record.from_dict(stored).settings[CHECKSUMS]) == found == dict(checksums)
    except (FileNotFoundError, ValueError, KeyError, ResultError):
        return False
