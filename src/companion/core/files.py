"""Paths of the repository's files, and atomic replacement of a file."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import math
import os
import sys
import time
import tomllib
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import companion
from companion.core.errors import DataError, ParameterError

Result = TypeVar("Result")

#: Most characters of a profile, and most lists and tables in it.
LONGEST_YAML, MOST_LISTS = 100_000, 200

# What network file systems answer for a moment when another machine has just changed a folder, or when the answer to a
# rename was lost and the client asked again.
_PASSING = (errno.ENOENT, errno.ESTALE)
# Seconds before each further try; together they outlast a lost answer, not a server that is down.
_WAITS = (0.02, 0.1, 0.5, 2.0)


def repository_root(start: Path | None = None) -> Path:
    """The companion's checkout: the nearest folder with ``notebooks/`` above ``start`` (or above here, or the package).

    A wheel carries what chapters read, laid out as in the repository; outside a checkout the answer is the installed package
    itself. See :func:`checkout`.

    Raises
    ------
    DataError
        when the package is installed without its repository
    """
    starts = [start] if start is not None else [Path.cwd(), Path(companion.__file__).resolve().parent]
    for begin in starts:
        for folder in (begin, *begin.parents):
            if (folder / "notebooks").is_dir() and (folder / "pyproject.toml").is_file():
                return folder
    raise DataError(
        "the chapters are not here: they live in the repository, not in the installed package. "
        "Clone the repository and run the command inside it"
    )


def checkout() -> Path:
    """The repository, for what writes into it.

    Raises
    ------
    DataError
        where there is only what an installed package carries, or not even that
    """
    root = repository_root()
    if carried(root):
        raise DataError(
            "this changes the repository, and here is only the installed package. "
            "Clone the repository and run the command inside it"
        )
    return root


def carried(root: Path) -> bool:
    """Whether ``root`` is what an installed package carries, in which nothing is to be written."""
    return root == Path(companion.__file__).resolve().parent


def results_folder(paper: str, root: Path | None = None) -> Path:
    """``data/results/<paper>``: stored paper-scale results."""
    return (repository_root() if root is None else root) / "data" / "results" / paper


def reported_folder(paper: str, root: Path | None = None) -> Path:
    """``data/reported/<paper>``: the paper's own tables."""
    return (repository_root() if root is None else root) / "data" / "reported" / paper


def strict_json(content: Any, indent: int | None = None) -> str:
    """``content`` as JSON that every reader accepts: NaN and infinities, which JSON lacks, become null."""
    return json.dumps(finite(content), allow_nan=False, ensure_ascii=False, indent=indent)


def finite(value: Any) -> Any:
    """JSON types with null in the place of NaN and infinities."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def plain_yaml(path: Path) -> str:
    """Text of a YAML file of plain values, refused where reading it could take more time or memory than such values do.

    Raises
    ------
    ParameterError
        naming the file, for one that cannot be read, is long, or has aliases or many lists
    yaml.YAMLError
        for text that is no YAML
    """
    import yaml  # here, so that commands without a profile do not pay for it

    try:
        text = path.read_bytes()[: LONGEST_YAML + 1].decode("utf-8")
    except OSError as error:
        raise ParameterError(str(path), f"cannot be read: {error.strerror}") from None
    # Many open brackets take for ever, and a few lines of aliases can stand for more values than the memory holds.
    expected = f"at most {LONGEST_YAML:,} characters and {MOST_LISTS} lists"
    long = ParameterError(str(path), "is too long, or has too many lists", expected)
    if len(text) > LONGEST_YAML or text.count("[") + text.count("{") > MOST_LISTS:
        raise long
    begun = 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        # Lists without brackets: one in another, they are deeper than Python follows.
        begun += isinstance(token, yaml.BlockSequenceStartToken | yaml.BlockMappingStartToken)
        if begun > MOST_LISTS:
            raise long
        if isinstance(token, yaml.AliasToken):
            raise ParameterError(f"{path}, line {token.start_mark.line + 1}", "is an alias", "the value itself")
    return text


def read_toml(path: Path) -> dict[str, Any]:
    """Content of a TOML file of the repository.

    Raises
    ------
    DataError
        naming the file, for one that is no text, no TOML, or deeper than Python follows
    FileNotFoundError
        if there is none
    """
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{path} is no valid TOML: {error}") from None


def read_rows(path: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Header of a CSV file of the repository, and its rows with their line numbers; a row may be longer or shorter.

    Raises
    ------
    DataError
        naming the file, for one that is missing, is no text or no CSV
    """
    try:
        reader = csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline=""))
        return list(reader.fieldnames or []), [(reader.line_num, row) for row in reader]
    except FileNotFoundError:
        raise DataError(f"{path} is missing") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path.name} is no UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}"
        ) from None
    except csv.Error as error:
        raise DataError(f"{path.name}, line {reader.line_num}: {error}") from None


def write_atomic(path: Path, content: bytes) -> None:
    """Replace ``path`` by ``content`` in one step; a reader sees the old file or the whole new one, never a part.

    The temporary file lies in the same folder (a rename is atomic only within one file system) and is flushed to disk
    before the rename. Its name is used by nobody else, on any machine. Parent folders are made. What a network file system
    answers in passing is tried again from the start.
    """
    patiently(lambda: _write_once(path, content), _PASSING)


def read_patiently(path: Path) -> bytes:
    """Content of a file that another machine may be replacing at this moment.

    Raises
    ------
    FileNotFoundError
        if there is none, also after the folder was asked again
    """
    try:
        return patiently(path.read_bytes, (errno.ESTALE,))
    except FileNotFoundError:
        # Network file systems remember for up to a minute that a file was not there. Opening its folder makes them ask.
        with contextlib.suppress(OSError):
            os.listdir(path.parent)
        return patiently(path.read_bytes, (errno.ESTALE,))


def patiently(act: Callable[[], Result], passing: tuple[int, ...], waits: tuple[float, ...] = _WAITS) -> Result:
    """``act()``, tried again after each of the ``waits`` (seconds) while it fails with one of the ``passing`` error numbers."""
    for wait in waits:
        try:
            return act()
        except OSError as error:
            if error.errno not in passing:
                raise
        time.sleep(wait)
    return act()


def reason(error: OSError) -> str:
    """One line on a file system's error: the path and the reason."""
    return f"{error.filename}: {error.strerror or error}" if error.filename else str(error.strerror or error)


def leave_output() -> None:
    """Let Python close standard output without a second error, after one that it has answered."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_once(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):  # the first error says more
            temporary.unlink()
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            error.filename = str(path)  # a full disk names no file, and nobody knows the temporary one
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    # The rename itself is durable only once the folder is flushed; Windows cannot open folders.
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems flush no folders
            raise
    finally:
        os.close(descriptor)
