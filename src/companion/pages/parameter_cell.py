"""The parameters cell: literals only, one ``name = value  # meaning, unit`` a line.

The rule makes the cell readable by people and by programs: names, defaults, meanings and units come from the source
itself, without running it.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.pages.document import NotebookError, read_notebook

_MARKER = re.compile(r"^# %%(?P<options>.*)$")


@dataclass(frozen=True)
class NotebookParameter:
    """One line of the parameters cell; ``line`` counts from 1 in the file (``.py``) or in the cell (``.ipynb``)."""

    name: str
    default: Any
    meaning: str
    unit: str
    line: int


def parameters(path: Path) -> dict[str, NotebookParameter]:
    """Parameters of a chapter, in order, read from its ``.py`` or ``.ipynb`` without executing anything.

    Raises
    ------
    NotebookError
        when there is not exactly one cell tagged ``parameters``, or a line breaks the rule; the message names the line
    """
    blocks = _percent_blocks(path) if path.suffix == ".py" else _notebook_blocks(path)
    if len(blocks) != 1:
        raise NotebookError(f"{path.name} has {len(blocks)} cells tagged 'parameters'; a chapter has exactly one")
    offset, text = blocks[0]
    found: dict[str, NotebookParameter] = {}
    for number, line in enumerate(text.splitlines(), start=offset):
        if not line.strip() or line.startswith("#"):
            continue
        entry = _parse_line(path.name, number, line)
        if entry.name in found:
            raise NotebookError(f"{path.name}, line {number}: {entry.name} is set twice")
        found[entry.name] = entry
    if not found:
        raise NotebookError(f"{path.name}: the parameters cell is empty")
    return found


def _percent_blocks(path: Path) -> list[tuple[int, str]]:
    """(first line number, text) of every cell of a py:percent file tagged ``parameters``."""
    if not path.is_file():
        raise NotebookError(f"{path} does not exist")
    lines = path.read_text(encoding="utf-8").splitlines()
    markers = [index for index, line in enumerate(lines) if _MARKER.match(line)]
    blocks = []
    for begin, end in zip(markers, [*markers[1:], len(lines)], strict=True):
        tags = re.search(r"tags=(\[.*?\])", lines[begin])
        if tags and "[markdown]" not in lines[begin] and re.search(r"[\"']parameters[\"']", tags.group(1)):
            blocks.append((begin + 2, "\n".join(lines[begin + 1 : end])))
    return blocks


def _notebook_blocks(path: Path) -> list[tuple[int, str]]:
    """(1, text) of every code cell of a notebook tagged ``parameters``."""
    cells = read_notebook(path).cells
    return [
        (1, cell.source) for cell in cells if cell.cell_type == "code" and "parameters" in cell.metadata.get("tags", [])
    ]


def _parse_line(file: str, number: int, line: str) -> NotebookParameter:
    """One parameter from one line, or an error that shows the rule and the line."""

    def refuse(problem: str) -> NotebookError:
        return NotebookError(
            f"{file}, line {number}: {problem}; expected 'name = literal  # meaning, unit', got: {line.strip()}"
        )

    try:
        body = ast.parse(line).body
    except SyntaxError as error:
        raise refuse("not a complete statement on one line") from error
    if len(body) != 1 or not isinstance(body[0], ast.Assign) or len(body[0].targets) != 1:
        raise refuse("not one plain assignment")
    target = body[0].targets[0]
    if not isinstance(target, ast.Name):
        raise refuse("the left side is not a name")
    try:
        default = ast.literal_eval(body[0].value)
    except ValueError as error:
        raise refuse(f"the value of {target.id} is not a literal") from error
    tokens = tokenize.generate_tokens(io.StringIO(line).readline)
    comment = next((token.string.lstrip("#").strip() for token in tokens if token.type == tokenize.COMMENT), "")
    meaning, comma, unit = comment.rpartition(",")
    if not comma or not meaning.strip() or not unit.strip():
        raise refuse(f"{target.id} lacks its comment '# meaning, unit'")
    return NotebookParameter(target.id, default, meaning.strip(), unit.strip(), number)
