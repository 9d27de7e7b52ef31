"""The exercises of a chapter, as they stand in its source."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from companion.core.files import repository_root
from companion.pages.document import chapters, read_source

#: Tags of a cell that checks a reader's function, and of one with an answer to it.
CHECK, ANSWER = "exercise-check", "exercise-solution"
_EXERCISE = re.compile(r"```+\{exercise\} (?P<title>.+)\n:label: (?P<label>\S+)\n\n(?P<first>.+)")


def _cells(stem: str) -> list[Any]:
    chapter = next(chapter for chapter in chapters(repository_root()) if chapter.stem == stem)
    return list(read_source(chapter.source).cells)


def statements(stem: str) -> dict[str, str]:
    """Label of every exercise of the chapter, and the first line of its text."""
    text = "\n\n".join(cell.source for cell in _cells(stem) if cell.cell_type == "markdown")
    return {match["label"]: match["first"] for match in _EXERCISE.finditer(text)}


def tagged(stem: str, tag: str) -> list[str]:
    """Sources of the code cells with a tag, in their order."""
    return [cell.source for cell in _cells(stem) if cell.cell_type == "code" and tag in cell.metadata.get("tags", [])]


def check_of(stem: str, name: str) -> Callable[..., Any]:
    """The check of this name, made from its cell alone: a reader copies it without the rest of the page."""
    for source in tagged(stem, CHECK):
        if f"def {name}(" in source:
            namespace: dict[str, Any] = {}
            exec(compile(source, name, "exec"), namespace)
            return namespace[name]  # type: ignore[no-any-return]
    raise LookupError(name)
