"""The exercises of a chapter, as they stand in its source."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from companion.core.files import repository_root
from companion.pages.document import chapters, read_source

#: Tags of a cell that checks a reader's function, and of one with an answer to it.
CHECK, ANSWER = "exercise-check", "exercise-solution"
#: Class of a hint, a fold between an exercise and its check.
HINT = "exercise-hint"
_CELL = "\0cell "
_EXERCISE = re.compile(r"```+\{exercise\} (?P<title>.+)\n:label: (?P<label>\S+)\n\n(?P<first>.+)")


def _cells(stem: str) -> list[Any]:
    chapter = next(chapter for chapter in chapters(repository_root()) if chapter.stem == stem)
    return list(read_source(chapter.source).cells)


def statements(stem: str) -> dict[str, str]:
    """Label of every exercise of the chapter, and the first line of its text."""
    text = "\n\n".join(cell.source for cell in _cells(stem) if cell.cell_type == "markdown")
    return {match["label"]: match["first"] for match in _EXERCISE.finditer(text)}


def hinted(stem: str) -> dict[str, bool]:
    """Label of every exercise with code, and whether a hint stands between it and its check."""
    text = "\n\n".join(
        cell.source if cell.cell_type == "markdown" else f"{_CELL}{','.join(cell.metadata.get('tags', []))}"
        for cell in _cells(stem)
    )
    found = list(_EXERCISE.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    parts = {match["label"]: text[match.end() : end] for match, end in zip(found, ends, strict=True)}
    cut = {label: re.split(rf"{_CELL}\S*{CHECK}", part, maxsplit=1) for label, part in parts.items()}
    return {label: HINT in before for label, (before, *checked) in cut.items() if checked}


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
