"""The record beside a committed notebook: what its outputs may not say because it differs on every execution.

``notebooks/<stem>.record.json`` holds the execution's :class:`~companion.stored.record.Record` and, for every study
that ran, its seconds under the key by which the outputs name it. The book fills them in where the outputs say "where
from", with the commit of the notebook (:mod:`companion.current.origin`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from companion.core.errors import ResultError
from companion.pages.document import Chapter, NotebookError
from companion.pages.parameter_cell import parameters
from companion.pages.provenance import BOOK
from companion.stored.record import Record


def page_record(chapter: Chapter, times: Path, seconds: float) -> bytes:
    """Content of the record of an execution that ended just now.

    Parameters
    ----------
    chapter : what was executed
    times : file to which the studies appended a JSON line per call: key, study, call, seconds
    seconds : wall-clock time of the whole execution
    """
    try:
        entry = parameters(chapter.source).get("seed")
    except NotebookError:  # a page without parameters
        entry = None
    seeds = [entry.default] if entry is not None and isinstance(entry.default, int) else []
    record = Record.now(chapter.mend, profile=BOOK, seeds=seeds, seconds=seconds)
    content = {"record": record.to_dict(), "studies": _studies(times)}
    return (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()


def _studies(times: Path) -> dict[str, dict[str, Any]]:
    """Study, call and seconds by key; the seconds of repeated calls add up. Without seconds: the whole execution."""
    found: dict[str, dict[str, Any]] = {}
    lines = times.read_text(encoding="utf-8").splitlines() if times.is_file() else []
    for line in map(json.loads, lines):
        entry = found.setdefault(line["key"], {"study": line["study"], "call": line["call"], "seconds": None})
        if line["seconds"] is not None:
            entry["seconds"] = round((entry["seconds"] or 0.0) + line["seconds"], 3)
    return found


def read_page_record(path: Path) -> dict[str, Any]:
    """The record beside a notebook: ``record`` and ``studies``.

    Raises
    ------
    ResultError
        when the file is missing or not such a record
    """
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        Record.from_dict(content["record"])
        if "studies" not in content:
            raise KeyError("studies")
    except FileNotFoundError:
        raise ResultError(f"{path.name} is missing") from None
    except (ValueError, KeyError, TypeError) as error:
        raise ResultError(f"{path.name} is damaged ({error})") from None
    return content
