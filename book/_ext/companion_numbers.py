"""Sphinx extension: tells ``run_in_page`` what runs a lesson's studies with other numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from companion import registry
from companion.pages.document import lessons


def tell(app: Sphinx, config: Any) -> None:
    """The command of each lesson."""
    for lesson in lessons(Path(app.srcdir)):
        config.run_in_page_commands[f"notebooks/{lesson.stem}"] = f"companion run {registry.slug_of(lesson.stem)}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.setup_extension("run_in_page")
    app.connect("config-inited", tell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
