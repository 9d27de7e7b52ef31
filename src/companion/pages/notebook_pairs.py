"""A page's two files hold the same cells: the notebook is written again from its source and its own outputs."""

from __future__ import annotations

import copy

from nbformat import NotebookNode

from companion.core.files import write_atomic
from companion.pages.document import Chapter, NotebookError, code_cells, read_notebook, read_source, to_bytes


def check_cells(chapter: Chapter) -> None:
    """Refuse a notebook whose code cells are not those of its source.

    Raises
    ------
    NotebookError
        naming the first cell that is another, and the command that makes its outputs
    """
    mend = f"run: make settle ACCEPT=pages/{chapter.stem}"
    if not chapter.notebook.is_file():
        raise NotebookError(f"{chapter.notebook.name} has not been made yet; {mend}")
    ours, its = (code_cells(notebook) for notebook in (read_notebook(chapter.notebook), read_source(chapter.source)))
    pairs = zip(ours, its, strict=False)
    other = next((index for (index, cell), (_, source) in pairs if _ran(cell) != _ran(source)), None)
    if other is None and len(ours) != len(its):
        other = (ours if len(ours) > len(its) else its)[min(len(ours), len(its))][0]
    if other is not None:
        raise NotebookError(
            f"{chapter.notebook.name} cell {other}: its code is not that of {chapter.source.name}; {mend}"
        )


def _ran(cell: NotebookNode) -> str:
    return str(cell.source).strip()


def rewrite(chapter: Chapter) -> bool:
    """Write the notebook again from its source and its own outputs; was there anything to write?

    Only for a notebook whose outputs belong to the source's code cells: they are paired in order.
    """
    source, stored = read_source(chapter.source), read_notebook(chapter.notebook)
    content = to_bytes(with_outputs(source, stored))
    if content == chapter.notebook.read_bytes():
        return False
    write_atomic(chapter.notebook, content)
    return True


def with_outputs(source: NotebookNode, stored: NotebookNode) -> NotebookNode:
    """The cells of ``source`` with the outputs of ``stored``, code cell by code cell, and nothing else of these."""
    made = copy.deepcopy(source)
    for (_, cell), (_, executed) in zip(code_cells(made), code_cells(stored), strict=True):
        cell.outputs, cell.execution_count = executed.outputs, executed.execution_count
    return made
