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

STATIC = Path(__file__).with_name("_static")
FOLDER = "run-in-page"


def offered(page: str, patterns: list[str]) -> bool:
    """Whether the code of a page may be run: the last pattern that matches it decides, and one that begins with ! says no."""
    said = [pattern for pattern in patterns if fnmatch.fnmatch(page, pattern.removeprefix("!"))]
    return bool(said) and not said[-1].startswith("!")


def load(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Let pages with code load the script, and tell it what holds for them."""
    config = app.config
    if doctree is None or not offered(pagename, config.run_in_page_pages):
        return
    given = {
        "programs": config.run_in_page_programs.get(pagename),
        "needs": config.run_in_page_needs,
        "ranges": config.run_in_page_ranges.get(pagename),
        "command": config.run_in_page_commands.get(pagename),
    }
    app.add_css_file(f"{FOLDER}/page.css")
    app.add_js_file(f"{FOLDER}/files.js", loading_method="defer")
    app.add_js_file(f"{FOLDER}/page.js", loading_method="defer", **{"data-given": json.dumps(given)})


def ship(app: Sphinx, failed: Exception | None) -> None:
    """Say that no interpreter is there, and take an older one away, which would weigh on a plain book."""
    if failed is not None or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / FOLDER
    for path in [*target.glob("*-*-*.js"), *target.glob("licences.zip")]:
        path.unlink()
    (target / "files.js").write_text("window.runInPage = { files: null };\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_config_value("run_in_page_pages", ["*"], "html", [list])
    app.add_config_value("run_in_page_programs", {}, "html", [dict])
    app.add_config_value("run_in_page_needs", [], "html", [list])
    app.add_config_value("run_in_page_ranges", {}, "html", [dict])
    app.add_config_value("run_in_page_commands", {}, "html", [dict])
    app.connect("config-inited", lambda app, config: config.html_static_path.append(str(STATIC)))
    app.connect("html-page-context", load)
    app.connect("build-finished", ship)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
