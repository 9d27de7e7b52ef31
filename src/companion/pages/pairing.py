"""A chapter's two files hold the same cells; where only text differs, the notebook is written again without a kernel."""

from __future__ import annotations

from collections.abc import Iterator

from jupytext.compare import compare_cells
from nbformat import NotebookNode

from companion.core.files import write_atomic
from companion.pages.document import Chapter, Problem, read_notebook, read_source, to_bytes

#: The command that brings over text. Outputs that still belong to the code are kept.
REWRITE = "make notebooks"


def unpaired(chapter: Chapter, notebook: NotebookNode) -> Iterator[Problem]:
    """The first place where the notebook is not what the source and its own outputs determine."""
    source = read_source(chapter.source)
    cells, fields = compare_cells(notebook.cells, source.cells, False, compare_outputs=False, compare_ids=False)
    if cells or fields:
        pairs = enumerate(zip(notebook.cells, source.cells, strict=False))
        index = min(cells) - 1 if cells else next(n for n, (ours, its) in pairs if ours.metadata != its.metadata)
        yield Problem(chapter.notebook, index, f"differs from {chapter.source.name}; run: {REWRITE}")
    elif to_bytes(with_outputs(source, notebook)) != chapter.notebook.read_bytes():
        text = "holds something besides its cells, their outputs and the hashes of what they depend on"
        yield Problem(chapter.notebook, None, f"{text}; run: {REWRITE}")


def rewrite(chapter: Chapter) -> bool:
    """Write the notebook again from its source and its own outputs; was there anything to write?

    Only for outputs that belong to the source's code cells: :func:`companion.pages.checking.check_fresh` says so.
    """
    content = to_bytes(with_outputs(read_source(chapter.source), read_notebook(chapter.notebook)))
    if content == chapter.notebook.read_bytes():
        return False
    write_atomic(chapter.notebook, content)
    return True


def with_outputs(source: NotebookNode, stored: NotebookNode) -> NotebookNode:
    """The cells of ``source`` with the outputs of ``stored``, code cell by code cell; ``source`` is changed.

    Nothing else of ``stored`` is kept, which jupytext's own combination of the two does.
    """
    pairs = zip(code_cells(source), code_cells(stored), strict=True)
    for (_, cell), (_, executed) in pairs:
        cell.outputs, cell.execution_count = executed.outputs, executed.execution_count
    source.metadata["companion"] = stored.metadata.get("companion", NotebookNode())
    return source


def code_cells(notebook: NotebookNode) -> list[tuple[int, NotebookNode]]:
    """(index among all cells, cell) of the code cells."""
    return [(index, cell) for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
