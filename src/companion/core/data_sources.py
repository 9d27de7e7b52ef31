"""Real data sets: what ``data/sources.toml`` lists, what of it is there, and fetching the rest with its checksum.

Files lie in ``<folder>/<set>/<file>``, where the folder is ``$COMPANION_DATA``, or a cache while the variable is not set.
Readers look at ``$COMPANION_DATA`` only, so that what a chapter ran on never depends on what happens to be in a cache.
"""

from __future__ import annotations

import gzip
import hashlib
import http.client
import os
import re
import urllib.error
import urllib.request
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.core.errors import DataError, known_as
from companion.core.files import read_toml, repository_root, write_atomic

VARIABLE = "COMPANION_DATA"
#: Seconds without an answer after which a download is given up.
TIMEOUT = 60.0

#: Longest file that is downloaded, and longest content of a compressed one.
MOST_BYTES = 300_000_000
_TEXTS, _TABLES = (
    ("title", "publisher", "licence", "address", "note", "by_hand"),
    ("files", "urls", "instead", "decompressed"),
)
#: Names of sets and files: nothing that leads out of the folder.
_PLAIN = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"

#: States of a file: right, not there, another content, not there but another file serves; of a set: some files only.
OK, ABSENT, DAMAGED, REPLACED, PARTIAL = "ok", "absent", "damaged", "replaced", "partial"


@dataclass(frozen=True)
class DataSet:
    """One entry of ``data/sources.toml``.

    Parameters
    ----------
    name, title, publisher, licence, address, note : as listed; an empty licence means that none is stated
    files : SHA-256 of each file
    urls : where a file can be fetched
    instead : another file with the same content, for files that have one
    decompressed : SHA-256 of the content of a gzip file whose compression may differ
    by_hand : how to come by the files without an address
    """

    name: str
    title: str
    publisher: str
    licence: str
    address: str
    note: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    urls: Mapping[str, str] = field(default_factory=dict)
    instead: Mapping[str, str] = field(default_factory=dict)
    decompressed: Mapping[str, str] = field(default_factory=dict)
    by_hand: str = ""


@dataclass(frozen=True)
class SetState:
    """State of a data set, of each of its files, and the folder searched."""

    state: str
    files: Mapping[str, str]
    folder: Path


def data_sets(root: Path | None = None) -> dict[str, DataSet]:
    """All listed sets by name, in the file's order.

    Raises
    ------
    DataError
        if ``data/sources.toml`` is missing, is no TOML, or names a file in one table that ``files`` does not list

    Examples
    --------
    >>> from companion.core.data_sources import data_sets
    >>> data_sets()["boston"].licence != ""
    True
    """
    path = (repository_root() if root is None else root) / "data" / "sources.toml"
    try:
        content = read_toml(path)
    except FileNotFoundError:
        raise DataError(f"{path} is missing, so no data set is known") from None
    known = DataSet.__dataclass_fields__
    found = {}
    for name, entry in content.items():
        if fault := _fault(name, entry):
            raise DataError(f"{path}, [{name[:60]}]: {fault}")
        chosen = DataSet(name=name, **{key: value for key, value in entry.items() if key in known})
        tables = (chosen.urls, chosen.decompressed, chosen.instead, dict.fromkeys(chosen.instead.values()))
        unlisted = sorted({file for table in tables for file in table} - set(chosen.files))
        if unlisted or not chosen.files:
            raise DataError(f"{path}, [{name}]: {', '.join(unlisted) or 'no file'} listed under files")
        found[name] = chosen
    return found


def _fault(name: str, entry: object) -> str:
    """Faults of an entry: a field of another type, a name that leaves the folder, an invalid address."""
    if not isinstance(entry, dict):
        return "is no table"
    if lacking := [part for part in _TEXTS[:4] if part not in entry]:
        return f"lacks {', '.join(lacking)}"
    if wrong := [part for part in _TEXTS if not isinstance(entry.get(part, ""), str)]:
        return f"{wrong[0]} is no text"
    for part in _TABLES:
        table = entry.get(part, {})
        if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
            return f"{part} is no table of texts"
    if odd := [one for one in (name, *entry.get("files", {})) if not re.fullmatch(_PLAIN, one)]:
        return f"{odd[0][:60]!r} is no plain name of letters, digits, '.', '_' and '-'"
    urls = entry.get("urls", {}).values()
    if odd := [one for one in urls if not re.fullmatch(r"https?://[^\s/]+\S*", one)]:
        return f"{odd[0][:60]!r} is no address that begins with http:// or https://"
    return ""


def data_set(name: str, root: Path | None = None) -> DataSet:
    """One set; :class:`ParameterError` with the nearest known name when there is none."""
    known = data_sets(root)
    return known[known_as("NAME", name, known)]


def data_folder() -> Path:
    """``$COMPANION_DATA``; where it is not set, ``companion/data`` in ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    folder = os.environ.get(VARIABLE)
    if folder:
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "companion" / "data"


def examine(chosen: DataSet, folder: Path | None = None) -> SetState:
    """Compare what lies in ``folder`` (by default :func:`data_folder`) with the listed checksums; nothing is changed."""
    place = (data_folder() if folder is None else folder) / chosen.name
    files = {file: _file_state(chosen, file, place / file) for file in chosen.files}
    for file, state in files.items():
        if state == ABSENT and files.get(chosen.instead.get(file, "")) == OK:
            files[file] = REPLACED
    states = set(files.values())
    if DAMAGED in states:
        summary = DAMAGED
    elif states <= {OK, REPLACED}:
        summary = OK
    else:
        summary = PARTIAL if OK in states else ABSENT
    return SetState(summary, files, place)


def fetch(chosen: DataSet, folder: Path | None = None) -> tuple[list[str], SetState]:
    """Download what is absent or damaged and has an address; a file is written only if its checksum is right.

    A file that another one replaces is not fetched.

    Returns
    -------
    The names of the files fetched, and the state afterwards.

    Raises
    ------
    DataError
        if nothing of what is needed has an address, a download fails or brings another content, or the folder cannot be
        written to, which is looked at before anything is asked of an address; files fetched before stay
    """
    before = examine(chosen, folder)
    needed = [file for file, state in before.files.items() if state in (ABSENT, DAMAGED)]
    ready = [file for file in needed if file in chosen.urls]
    if needed and not ready:
        how = chosen.by_hand or f"see {chosen.address}"
        raise DataError(f"{', '.join(needed)} of {chosen.name} cannot be fetched ({how}); put it into {before.folder}")
    above = next(path for path in (before.folder, *before.folder.parents) if os.path.exists(path))
    if ready and not (above.is_dir() and os.access(above, os.W_OK)):
        raise _unwritable(before.folder, f"{above} is no folder that can be written")
    for file in ready:
        content = _download(chosen.urls[file])
        found = hashlib.sha256(content).hexdigest()
        if found != chosen.files[file]:
            raise DataError(
                f"{chosen.urls[file]} has SHA-256 {found[:12]}..., data/sources.toml says {chosen.files[file][:12]}...; "
                "nothing was written"
            )
        try:
            write_atomic(before.folder / file, content)
        except OSError as error:
            raise _unwritable(before.folder / file, error.strerror) from None
    return ready, examine(chosen, folder)


def _unwritable(path: Path, why: str | None) -> DataError:
    return DataError(f"{path} cannot be written ({why}); set {VARIABLE} to a folder of your own")


def _file_state(chosen: DataSet, file: str, path: Path) -> str:
    if not path.is_file():
        return ABSENT
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() == chosen.files[file]:
        return OK
    expected = chosen.decompressed.get(file)
    if expected is None:
        return DAMAGED
    try:
        with gzip.open(path) as packed:
            inner = packed.read(MOST_BYTES + 1)  # a few bytes can stand for more than the memory holds
    except (OSError, EOFError, zlib.error):
        return DAMAGED
    return OK if hashlib.sha256(inner).hexdigest() == expected else DAMAGED


def _download(address: str) -> bytes:
    try:
        request = urllib.request.Request(address, headers={"User-Agent": "companion"})
        with _opener().open(request, timeout=TIMEOUT) as answer:
            content = bytes(answer.read(MOST_BYTES + 1))
        if len(content) > MOST_BYTES:
            raise ValueError(f"it is longer than {MOST_BYTES:,} bytes")
        return content
    except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise DataError(f"{address} could not be fetched: {reason}") from None


def _opener() -> urllib.request.OpenerDirector:
    """Knows http and https only, so that no redirection leads to a file or to FTP."""
    found = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.UnknownHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        _Redirect,
        urllib.request.HTTPErrorProcessor,
    ):
        found.add_handler(handler())
    return found


class _Redirect(urllib.request.HTTPRedirectHandler):
    """Follows to http and https only."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        if not newurl.startswith(("http://", "https://")):
            raise urllib.error.URLError(f"it leads to {newurl[:60]!r}, which is neither http nor https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
