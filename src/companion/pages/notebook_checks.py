"""Checks of a committed notebook: made from its source, executed, no volatile text, numbers with their sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from companion import registry
from companion.core.templates import FIELD
from companion.pages.document import Chapter, NotebookError, Problem, read_notebook
from companion.pages.execution import first_line
from companion.pages.notebook_pairs import check_cells
from companion.pages.parameter_cell import parameters
from companion.pages.typed_numbers import typed_in_templates, typed_results

#: Text that changes from one machine or run to the next and so has no place in a committed output.
PASSING = {
    "an absolute path": re.compile(
        r"(?<![\w.:/])/(?:home|root|tmp|usr|opt|var|mnt|work|Users|private)/\w|\b[A-Za-z]:\\\\?\w"
    ),
    "a memory address": re.compile(r"\b0x[0-9a-fA-F]{6,}\b"),
    "a progress bar": re.compile(r"\d+%\|"),
    "a timing": re.compile(
        r"\b(?:CPU times|Wall time|per loop)\b|\d(?:it/s|s/it)\b"
        r"|\b(?:took|elapsed:?|finished in)\s+[\d.]+\s?(?:ms|s|sec|seconds|min)\b"
    ),
}

#: Tags, and comments in a cell, by which nbval would not execute the cell or not compare what it shows.
_PASSED_OVER = re.compile(r"\b(?:nbval|pytest_validate)[-_](?:skip|ignore[-_]output)\b", flags=re.IGNORECASE)
_TEXT_TYPES = ("text/plain", "text/html", "text/markdown", "text/latex", "image/svg+xml")
TYPED = "a number typed by hand, insert it from a result"
_WHERE = '<details class="companion-where">'
_EMBEDDED = re.compile(r"data:[a-z]+/[a-z0-9.+-]+;base64,[A-Za-z0-9+/=\s]+")


def check(chapter: Chapter) -> list[Problem]:
    """Everything wrong with the committed notebook of ``chapter``; an empty list when it is as it should be."""
    try:
        check_cells(chapter)
    except NotebookError as error:
        return [Problem(chapter.notebook, None, str(error))]
    notebook = read_notebook(chapter.notebook)
    return [
        *_execution(chapter.notebook, notebook),
        *_outputs(chapter.notebook, notebook),
        *_prose(chapter, notebook),
        *_sources(chapter.notebook, notebook),
    ]


def _execution(path: Path, notebook: NotebookNode) -> Iterator[Problem]:
    """Every code cell ran, once, in order, and none is kept from nbval, which passes over a cell without a count."""
    expected = 0
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        expected += 1
        if not cell.source.strip():
            yield Problem(path, index, "an empty code cell; remove it")
        elif cell.execution_count is None:
            yield Problem(path, index, f"was not executed ({first_line(cell)})")
        elif cell.execution_count != expected:
            yield Problem(path, index, f"was executed as number {cell.execution_count}, not {expected}")
        if found := _PASSED_OVER.search(f"{cell.metadata.get('tags')}\n{cell.source}"):
            yield Problem(path, index, f"would not be compared when executed again, by {found[0]}")
        for output in cell.outputs:
            if output.get("execution_count", cell.execution_count) != cell.execution_count:
                yield Problem(path, index, f"was executed as number {cell.execution_count}, its output says otherwise")


def _outputs(path: Path, notebook: NotebookNode) -> Iterator[Problem]:
    """No errors, no standard error stream, nothing that changes from run to run."""
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                yield Problem(path, index, f"ended in {output.ename}: {output.evalue}")
            elif output.output_type == "stream" and output.name == "stderr":
                yield Problem(path, index, f"wrote to standard error: {output.text.strip().splitlines()[0]!r}")
            for what, pattern in PASSING.items():
                found = pattern.search(_text(output))
                if found:
                    yield Problem(path, index, f"shows {what}: {found.group(0)!r}")


def _prose(chapter: Chapter, notebook: NotebookNode) -> Iterator[Problem]:
    """Numbers in text, sentences and captions are inserted from results; a draft may still have some typed."""
    if registry.is_draft(chapter.paper):
        return
    try:
        settings = list(parameters(chapter.source))
    except NotebookError:  # said elsewhere, where it matters
        settings = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            for piece in typed_results(cell.source, settings):
                yield Problem(chapter.notebook, index, f"{TYPED}: {piece!r}")
    for line, piece in typed_in_templates(chapter.source, settings):
        yield Problem(chapter.source, None, f"line {line}: {TYPED}: {piece!r}")


def without_numbers(code: str) -> bool:
    """Whether a cell is a sentence into which no number is inserted, so that there is nothing whose source could be told."""
    return re.search(r"^say\($", code, flags=re.MULTILINE) is not None and FIELD.search(code) is None


def _sources(path: Path, notebook: NotebookNode) -> Iterator[Problem]:
    """Every figure, table and sentence with numbers says where it comes from."""
    for index, cell in enumerate(notebook.cells):
        if without_numbers(cell.source):
            continue
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            shown = str(data.get("text/markdown", data.get("text/html", "")))
            if ("text/markdown" in data or "<figure" in shown or "<table" in shown) and _WHERE not in shown:
                yield Problem(path, index, f"shows something without saying where it is from ({first_line(cell)})")


def _text(output: NotebookNode) -> str:
    """The readable text of an output, without embedded images."""
    if output.output_type == "stream":
        return str(output.text)
    data = output.get("data", {})
    return _EMBEDDED.sub("", "\n".join(str(data[kind]) for kind in _TEXT_TYPES if kind in data))
