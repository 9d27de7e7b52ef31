"""Sphinx extension: a prose page shows what the package computes when the page is built.

``{computed-figure}`` shows a figure with its words, which stand on the page, filled with numbers::

    ```{computed-figure} companion.pages.gain.certified_gain
    :alt: what a reader who cannot see it needs to know
    :true-if: names of numbers, separated by blanks, which have to be true for the words to hold

    The caption, with [[name]] where a number goes.
    ```

A function may give a table in place of a figure; a table has no alt text. ``{computed-text}`` is the same for sentences: its
function gives the numbers alone.

``{computed-listing}`` shows code and, below it, what the code prints. A reader can copy it: it runs alone.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.core.errors import CompanionError
from companion.pages import say, show


class Computed(SphinxDirective):
    """What is computed by a function of the package, which the argument names."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"true-if": directives.unchanged}

    def made(self) -> Any:
        """What the function gives."""
        module, _, name = self.arguments[0].rpartition(".")
        self.env.note_dependency(str(import_module(module).__file__))
        return getattr(import_module(module), name)()

    def facts(self, numbers: Mapping[str, Any]) -> dict[str, bool]:
        """On which the words rest."""
        return {fact: bool(numbers[fact]) for fact in self.options.get("true-if", "").split()}


class ComputedFigure(Computed):
    """The figure or table that a function of the package gives together with the numbers of its words."""

    option_spec: ClassVar = {**Computed.option_spec, "alt": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Compute, and fill the words."""
        figure, numbers = self.made()
        words, alt = "\n".join(self.content), self.options.get("alt", "")
        try:
            shown = show(figure, words, numbers, alt=alt, true_if=self.facts(numbers))
        except CompanionError as error:
            raise self.error(str(error)) from error
        return [nodes.raw("", shown._repr_html_(), format="html")]


class ComputedText(Computed):
    """Sentences, in the markup of the page, with the numbers that a function of the package gives."""

    def run(self) -> list[nodes.Node]:
        """Compute, and fill the words."""
        numbers = self.made()
        try:
            told = say("\n".join(self.content), numbers, true_if=self.facts(numbers)).markdown
        except CompanionError as error:
            raise self.error(str(error)) from error
        box = nodes.Element()
        self.state.nested_parse(StringList(told.splitlines(), self.get_source_info()[0]), self.content_offset, box)
        return box.children


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
    app.add_directive("computed-text", ComputedText)
    app.add_directive("computed-listing", ComputedListing)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
