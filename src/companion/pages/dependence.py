"""What the outputs of a page depend on: its code cells, the code of the package that these reach, the data it loads.

Text is no part of it. A comment in a cell, a Markdown cell, the tags that fold a cell, and in the package docstrings,
comments, annotations and messages can change no number that a page shows, and so make no page stale.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import io
import tokenize
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from companion.reproduce.meaning import meaning_of_source

#: Tags by which a kernel's client passes over a cell or accepts its failure.
EXECUTION_TAGS = ("raises-exception", "skip-execution")

#: Empty fields are left out too: which of them exist differs between versions of Python.
_NO_MEANING = ("ctx", "kind", "type_comment")


def cells_hash(notebook: NotebookNode) -> str:
    """SHA-256 of the code cells, in order: their syntax trees, and what else decides whether a cell runs and shows.

    A semicolon at the end of a cell hides its value; the syntax tree does not hold it.

    Raises
    ------
    SyntaxError
        for a cell that is not plain Python, a magic for instance; its ``filename`` names the cell
    """
    parts = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            tags = [tag for tag in EXECUTION_TAGS if tag in cell.metadata.get("tags", [])]
            parts.append([_plain(ast.parse(cell.source, f"cell {index}")), _quiet(cell.source), tags])
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def code_meaning(source: str, package: Path | None = None) -> str:
    """Hash of the package's code that a piece of Python reaches, :func:`companion.reproduce.meaning.meaning_of_source`.

    Parameters
    ----------
    source : the code cells of a page, joined
    package : folder of the package; the imported one by default, which does not change while the process runs
    """
    return _imported_meaning(source) if package is None else meaning_of_source(source, package=package).digest


@functools.cache
def _imported_meaning(source: str) -> str:
    return meaning_of_source(source).digest


def joined(cells: Sequence[NotebookNode]) -> str:
    """Source text of the code cells, one after the other."""
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "code")


def _plain(node: Any) -> Any:
    """A syntax tree as nested lists, the same in every version of Python."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = ((name, value) for name, value in ast.iter_fields(node) if name not in _NO_MEANING)
    return [type(node).__name__, *([name, _plain(value)] for name, value in fields if value not in (None, []))]


def _quiet(source: str) -> bool:
    """Does the cell end in a semicolon?"""
    passed_over = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string for token in tokens if token.type not in passed_over][-1:] == [";"]
