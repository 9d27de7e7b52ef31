"""A chapter's two files hold the same cells; where only text differs, the notebook is written again without a kernel."""

from __future__ import annotations

from collections.abc import Iterator

from nbformat import NotebookNode

from companion.files import write_atomic
from companion.notebook.document import Chapter, Problem, read_notebook, read_source, to_bytes

#: The command that brings over text. Outputs that still belong to the code are kept.
REWRITE = "make notebooks"


def unpaired(chapter: Chapter, notebook: NotebookNode) -> Iterator[Problem]:
    """The first place where the notebook is not what the source and its own outputs determine."""
    source = read_source(chapter.source)
    ours, stored = _determined(source), _determined(notebook)
    for index, (left, right) in enumerate(zip(ours, stored, strict=False)):
        if left != right:
            yield Problem(chapter.notebook, index, f"differs from {chapter.source.name}; run: {REWRITE}")
            return
    if len(ours) != len(stored):
        text = f"has {len(stored)} cells, {chapter.source.name} has {len(ours)}; run: {REWRITE}"
        yield Problem(chapter.notebook, None, text)
    elif to_bytes(with_outputs(source, notebook)) != chapter.notebook.read_bytes():
        text = "holds something besides its cells, their outputs and the hashes of what they depend on"
        yield Problem(chapter.notebook, None, f"{text}; run: {REWRITE}")


def rewrite(chapter: Chapter) -> bool:
    """Write the notebook again from its source and its own outputs; was there anything to write?

    Only for outputs that belong to the source's code cells: :func:`companion.notebook.checking.check_fresh` says so.
    """
    content = to_bytes(with_outputs(read_source(chapter.source), read_notebook(chapter.notebook)))
    if content == chapter.notebook.read_bytes():
        return False
    write_atomic(chapter.notebook, content)
    return True


def with_outputs(source: NotebookNode, stored: NotebookNode) -> NotebookNode:
    """The cells of ``source`` with the outputs of ``stored``, code cell by code cell; ``source`` is changed."""
    pairs = zip(code_cells(source), code_cells(stored), strict=True)
    for (_, cell), (_, executed) in pairs:
        cell.outputs, cell.execution_count = executed.outputs, executed.execution_count
    source.metadata["companion"] = stored.metadata.get("companion", NotebookNode())
    return source


def code_cells(notebook: NotebookNode) -> list[tuple[int, NotebookNode]]:
    """(index among all cells, cell) of the code cells."""
    return [(index, cell) for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]


def _determined(notebook: NotebookNode) -> list[tuple[str, str, dict[str, object]]]:
    """What a source determines of each cell: kind, text, metadata."""
    return [(cell.cell_type, cell.source.strip("\n"), dict(cell.metadata)) for cell in notebook.cells]
