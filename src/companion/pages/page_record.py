"""The record beside a committed notebook: what its outputs may not say because it differs on every execution.

``notebooks/<stem>.record.json`` holds the execution's :class:`~companion.reproduce.record.Record` and, for every study
that ran, its seconds under the key by which the outputs name it. The book fills it in where the outputs say "where
from". It is no input of the notebook, so it takes no part in the content hashes; it names those it belongs to. It also
holds the digests of :mod:`companion.pages.seal`, by which a page that was typed over is noticed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from companion.core.errors import ResultError
from companion.pages.document import Chapter, NotebookError
from companion.pages.parameter_cell import parameters
from companion.pages.seal import OUTPUTS, is_sealed, output_digests, sealed, typed_over
from companion.pages.where import BOOK
from companion.reproduce.provenance import git_commit
from companion.reproduce.record import Record

#: What a chapter's outputs depend on, as git's path patterns below the repository.
INPUTS = (
    "src",
    "data",
    "notebooks",
    ":(exclude)data/results",  # these name the commit at which they were made themselves, and the page's hashes cover them
    ":(exclude,glob)notebooks/**/*.ipynb",
    ":(exclude,glob)notebooks/*.record.json",
)

_KEY = re.compile(r'data-key="([0-9a-f]+)"')


def page_record(
    chapter: Chapter, hashes: Mapping[str, str], notebook: NotebookNode, times: Path, seconds: float
) -> bytes:
    """Content of the record of an execution that ended just now.

    Parameters
    ----------
    chapter, hashes : what was executed, and the hashes of what it depends on
    notebook : the executed notebook
    times : file to which the studies appended a JSON line per call: key, study, call, seconds
    seconds : wall-clock time of the whole execution
    """
    try:
        entry = parameters(chapter.source).get("seed")
    except NotebookError:  # a page without parameters
        entry = None
    record = Record.now(
        chapter.mend,
        profile=BOOK,
        seeds=[entry.default] if entry is not None and isinstance(entry.default, int) else [],
        seconds=seconds,
        paper=chapter.paper,
    )
    # Outputs of other chapters, and results, made a moment ago and not committed yet: one commit may hold them all.
    commit, dirty = git_commit(chapter.root, INPUTS)
    record = replace(record, commit=commit, dirty=dirty)
    content = {
        "hashes": dict(hashes),
        "record": record.to_dict(),
        "studies": _studies(times),
        OUTPUTS: output_digests(notebook),
    }
    return (json.dumps(sealed(content), indent=1, sort_keys=True) + "\n").encode()


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
    """The record beside a notebook: ``hashes``, ``record`` and ``studies``.

    Raises
    ------
    ResultError
        when the file is missing or not such a record
    """
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        Record.from_dict(content["record"])
        if not {"hashes", "studies"} <= set(content):
            raise KeyError("hashes or studies")
    except FileNotFoundError:
        raise ResultError(f"{path.name} is missing") from None
    except (ValueError, KeyError, TypeError) as error:
        raise ResultError(f"{path.name} is damaged ({error})") from None
    return content


def record_faults(chapter: Chapter, notebook: NotebookNode) -> Iterator[tuple[int | None, str]]:
    """(cell, fault) for every way in which the record beside ``notebook`` is not the record of its outputs."""
    name = chapter.record.name
    try:
        content = read_page_record(chapter.record)
    except ResultError as error:
        yield None, f"has lost its record: {error}"
        return
    if not is_sealed(content):
        yield None, f"has lost its record: a field of {name} was changed after execution wrote it"
        return
    if content["hashes"] != dict(notebook.metadata.get("companion", {})):
        yield None, f"has lost its record: {name} belongs to another execution"
        return
    faults = list(typed_over(notebook, content.get(OUTPUTS, [])))
    yield from faults
    missing = {key for key, _ in live_keys(notebook)} - set(content["studies"])
    if missing and not faults:
        yield None, f"has lost its record: {name} lacks {len(missing)} of the studies that the outputs name"


def live_keys(notebook: NotebookNode) -> Iterator[tuple[str, int]]:
    """(key, index of the cell) of every study of the execution itself that an output names."""
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            for kind in ("text/html", "text/markdown"):
                for key in _KEY.findall(str(output.get("data", {}).get(kind, ""))):
                    yield key, index
