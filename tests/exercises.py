"""The exercises of a chapter, as they stand in its source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.core.files import repository_root
from companion.pages import reading_length
from companion.pages.document import chapters, read_source
from companion.pages.reading_length import ANSWER, CHECK

__all__ = ["ANSWER", "CHECK", "check_of", "tagged"]


def tagged(stem: str, tag: str) -> list[str]:
    """Sources of the code cells of a page with a tag, in their order."""
    chapter = next(chapter for chapter in chapters(repository_root()) if chapter.stem == stem)
    return reading_length.tagged(read_source(chapter.source).cells, tag)


def check_of(stem: str, name: str) -> Callable[..., Any]:
    """The check of this name, made from its cell alone: a reader copies it without the rest of the page."""
    for source in tagged(stem, CHECK):
        if f"def {name}(" in source:
            namespace: dict[str, Any] = {}
            exec(compile(source, name, "exec"), namespace)
            return namespace[name]  # type: ignore[no-any-return]
    raise LookupError(name)
