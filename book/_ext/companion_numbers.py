"""Sphinx extension: tells ``run_in_page`` the ranges of a lesson's parameters, and what runs its studies with others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from companion import registry
from companion.pages.document import lessons


def tell(app: Sphinx, config: Any) -> None:
    """As they are declared, with the whole range in words."""
    for lesson in lessons(Path(app.srcdir)):
        page, slug = f"notebooks/{lesson.stem}", registry.slug_of(lesson.stem)
        declared = registry.chapter_parameters(slug)
        config.run_in_page_ranges[page] = {
            one.name: {"low": one.low, "high": one.high, "above": one.low_open, "below": one.high_open}
            | {"whole": one.type == "int", "range": one.range}
            for one in map(declared.__getitem__, declared.names)
        }
        config.run_in_page_commands[page] = f"companion run {slug}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.setup_extension("run_in_page")
    app.connect("config-inited", tell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
