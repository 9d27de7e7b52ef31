"""Sphinx extension: code that runs where it stands, in the reader's browser, without a network. See README.md.

Pages get a script that does nothing until ``make.py`` has put the files of an interpreter into the built book.
"""

from __future__ import annotations

import fnmatch
import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from run_in_page.make import FOLDER, NONE, clear

#: What pages are told: a mapping by the page's name, a list for all pages.
SETTINGS: dict[str, Any] = {"programs": {}, "ranges": {}, "commands": {}, "needs": [], "differs": []}


def load(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Let pages with code load the script. Of the patterns that match a page the last decides; one that begins with ! says no."""
    said = [one for one in app.config.run_in_page_pages if fnmatch.fnmatch(page, one.removeprefix("!"))]
    if doctree is None or not said or said[-1].startswith("!"):
        return
    told = {name: app.config[f"run_in_page_{name}"] for name in SETTINGS}
    given = {name: value.get(page) if isinstance(value, dict) else value for name, value in told.items()}
    app.add_css_file("run-in-page/page.css")
    app.add_js_file("run-in-page/files.js", loading_method="defer")
    app.add_js_file("run-in-page/page.js", loading_method="defer", **{"data-given": json.dumps(given)})


def ship(app: Sphinx, failed: Exception | None) -> None:
    """Say that no interpreter is there, and take an older one away, which would weigh on a plain book."""
    target = Path(app.outdir) / FOLDER
    if failed is None and target.is_dir():
        clear(target)
        (target / "files.js").write_text(NONE, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    for name, default in {"pages": ["*"], **SETTINGS}.items():
        app.add_config_value(f"run_in_page_{name}", default, "html", [type(default)])
    static = str(Path(__file__).with_name("_static"))
    app.connect("config-inited", lambda app, config: config.html_static_path.append(static))
    app.connect("html-page-context", load)
    app.connect("build-finished", ship)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
