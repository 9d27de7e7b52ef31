"""Sphinx extension: a prose page shows what the package computes when the page is built.

``{computed-figure}`` shows a figure with its words, which stand on the page, filled with numbers::

    ```{computed-figure} companion.report.gain.certified_gain
    :alt: what a reader who cannot see it needs to know
    :true-if: names of numbers, separated by blanks, which have to be true for the words to hold

    The caption, with [[name]] where a number goes.
    ```

A function may give a table in place of a figure; a table has no alt text.

``{computed-listing}`` shows code and, below it, what the code prints. A reader can copy it: it runs alone.
"""

from __future__ import annotations

import contextlib
import io
from importlib import import_module
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.errors import CompanionError
from companion.report import show


class ComputedFigure(SphinxDirective):
    """The figure or table that a function of the package gives together with the numbers of its words."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged, "true-if": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Compute, and fill the words."""
        module, _, name = self.arguments[0].rpartition(".")
        make = getattr(import_module(module), name)
        self.env.note_dependency(str(import_module(module).__file__))
        figure, numbers = make()
        facts = {fact: bool(numbers[fact]) for fact in self.options.get("true-if", "").split()}
        try:
            shown = show(figure, "\n".join(self.content), numbers, alt=self.options.get("alt", ""), true_if=facts)
        except CompanionError as error:
            raise self.error(str(error)) from error
        return [nodes.raw("", shown._repr_html_(), format="html")]


class ComputedListing(SphinxDirective):
    """Code that runs when the page is built, and what it prints."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Run the code in a namespace of its own."""
        code, printed = "\n".join(self.content), io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"a listing of {self.env.docname}", "exec"), {"__name__": "__main__"})
        output = nodes.literal_block("", printed.getvalue().rstrip(), language="none", classes=["output"])
        return [nodes.literal_block(code, code, language="python"), output]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("computed-figure", ComputedFigure)
    app.add_directive("computed-listing", ComputedListing)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
