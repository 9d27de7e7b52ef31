"""Sphinx extension: the book without its solutions, for a course that sets the exercises.

``make book SOLUTIONS=no`` sets ``COMPANION_SOLUTIONS=no``. Then worded solutions, and cells tagged ``exercise-solution`` with
their outputs, stand neither on the pages nor in the search nor in the notebooks that the pages offer for download.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

#: The environment variable, and the tag of cells that hold an answer.
VARIABLE, TAG = "COMPANION_SOLUTIONS", "exercise-solution"
#: What the variable may say.
CHOICES = {"": True, "yes": True, "no": False}

# A fence is closed by one of its own length; a solution may hold shorter ones.
_SOLUTION = re.compile(r"^(?P<fence>`{3,}|:{3,})\{solution\}.*?^(?P=fence)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def wanted() -> bool:
    """Whether the book has solutions.

    Raises
    ------
    ValueError
        for a value that is neither yes nor no, which would leave the solutions in
    """
    said = os.environ.get(VARIABLE, "").strip().lower()
    if said not in CHOICES:
        raise ValueError(f"SOLUTIONS={said}: yes or no is meant")
    return CHOICES[said]


def without(text: str) -> str:
    """Markdown without its worded solutions."""
    return _SOLUTION.sub("", text)


def choose(app: Sphinx, config: Any) -> None:
    """Have sphinx-exercise leave out the worded solutions; with another choice than last time every page is read again."""
    config.hide_solutions = not config.companion_solutions


def drop_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Take cells with an answer off a page."""
    if app.config.companion_solutions:
        return
    for node in list(doctree.findall(nodes.container)):
        if f"tag_{TAG}" in node["classes"]:
            node.parent.remove(node)


def clean(notebook: nbformat.NotebookNode) -> None:
    """Take answers out of a notebook: the cells that hold one, also those that fill its words with numbers."""
    notebook.cells = [
        cell
        for cell in notebook.cells
        if TAG not in cell.metadata.get("tags", []) and not (cell.cell_type == "code" and _SOLUTION.search(cell.source))
    ]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = without(cell.source)


def clean_downloads(app: Sphinx, error: Exception | None) -> None:
    """Take solutions out of the sources that the pages offer for download."""
    if error is not None or app.config.companion_solutions or app.builder.format != "html":
        return
    for path in (Path(app.outdir) / "_sources").rglob("*"):
        # Sphinx may put another ending behind that of the file.
        if ".ipynb" in path.suffixes:
            notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
            clean(notebook)
            nbformat.write(notebook, path)
        elif ".md" in path.suffixes:
            path.write_text(without(path.read_text(encoding="utf-8")), encoding="utf-8")


class BlankBeforeLink(SphinxPostTransform):
    """Titles such as *Solution to Exercise 2.1*: sphinx-exercise begins the link with the blank, which is underlined then."""

    default_priority = 22  # once sphinx-exercise has made the titles, at 21

    def run(self, **kwargs: Any) -> None:
        """Move the blank before the link."""
        for title in self.document.findall(nodes.title):
            for link in title.findall(nodes.reference):
                words = link.children[0]
                if isinstance(words, nodes.Text) and words.startswith(" "):
                    link.replace(words, nodes.Text(words.lstrip()))
                    title.insert(title.index(link), nodes.Text(" "))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_config_value("companion_solutions", wanted(), "env", bool)
    app.connect("config-inited", choose)
    # Before anything is numbered.
    app.connect("doctree-read", drop_cells, priority=400)
    app.add_post_transform(BlankBeforeLink)
    app.connect("build-finished", clean_downloads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
