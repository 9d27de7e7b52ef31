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
        slug = registry.slug_of(lesson.stem)
        declared = registry.chapter_parameters(slug)
        config.run_in_page_ranges[f"notebooks/{lesson.stem}"] = {
            name: [declared[name].low, declared[name].high, declared[name].range] for name in declared.names
        }
        config.run_in_page_commands[f"notebooks/{lesson.stem}"] = f"companion run {slug}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.setup_extension("run_in_page")
    app.connect("config-inited", tell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
