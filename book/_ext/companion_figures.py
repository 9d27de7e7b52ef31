"""Sphinx extension: figures to drag.

``{figure-to-drag}`` puts one where its chapter needs it, below the figure that shows the same idea standing still::

    :::{figure-to-drag} batches
    :still: fig-three-batches

    One sentence on what it teaches.

    What to try.
    :::

What to try stands above the figure, what it teaches below it, where a reader who has tried can compare. ``still`` is the address
of the other figure, on the same chapter or as a label of any page. Without script, on paper and in every form of the book but its
web pages, sentence and reference are all that is there. The figure's script is the one file
``book/_static/figures/*_<name>.js``; scripts are loaded by pages that hold a figure, and by no others.

``:record: module.function`` hands stored results to the script: the function takes nothing and returns data that JSON can hold,
together with its :class:`~companion.pages.where.Where`.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from companion_chapters.captions import chapter_number
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

SCRIPTS = Path(__file__).parents[1] / "_static" / "figures"
#: What every figure needs, in the order in which it is loaded.
KIT = ("engine.js", "chart.js", "controls.js")
#: Builders whose pages may move.
MOVING = frozenset({"html", "dirhtml"})


class Stage(nodes.General, nodes.Element):
    """The place of the moving figure: empty until its script has run."""


def script_of(name: str) -> str:
    """File of a figure's own script, below ``_static``; an ``OSError`` where there is not exactly one."""
    found = [
        path.name for path in sorted(SCRIPTS.glob("*_*.js")) if path.stem.partition("_")[2] == name.replace("-", "_")
    ]
    if len(found) != 1:
        raise FileNotFoundError(f"{len(found)} files book/_static/figures/*_{name.replace('-', '_')}.js; one is meant")
    return found[0]


def shipped(text: str) -> str:
    """A script as the site has it: without indentation, and without the lines that are comments.

    Nothing else is taken away: what shortens more has to understand strings within strings.
    """
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


class FigureToDrag(SphinxDirective):
    """What to try, a place for the figure that moves, what it teaches, and where it stands still."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"still": directives.unchanged_required, "record": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Put them into one box, whose address is ``drag-<name>``."""
        name = self.arguments[0]
        if "still" not in self.options or not self.content:
            raise self.error(f"{name}: a figure that stands still (:still:) and a sentence are needed")
        try:
            script = script_of(name)
        except OSError as error:
            raise self.error(str(error)) from error
        box = nodes.container(ids=[f"drag-{name}"], classes=["companion-drag"])
        teaches, *tries = self.parse_content_to_nodes()
        if not tries or re.search(r"[.?!]\s", teaches.astext()):
            raise self.error(f"{name}: one sentence on what it teaches, then a paragraph of its own on what to try")
        teaches["classes"].append("drag-teaches")
        box += nodes.container("", *tries, classes=["drag-try"])
        box += Stage(figure=name, script=script, record=self._record())
        box += [teaches, self._still()]
        return [box]

    def _still(self) -> nodes.paragraph:
        chapter, still = chapter_number(self.env.docname), self.options["still"]
        label = f"ch{chapter}-{still}" if chapter is not None and still.startswith(("fig-", "tab-")) else still
        # A reference that leads nowhere is a warning, which stops the build of the book.
        reference = addnodes.pending_xref(
            "",
            nodes.inline("", label),
            refdomain="std",
            reftype="ref",
            reftarget=label,
            refexplicit=False,
            refwarn=True,
        )
        reference["refdoc"] = self.env.docname
        return nodes.paragraph("", "", nodes.Text("See also "), reference, nodes.Text("."), classes=["drag-still"])

    def _record(self) -> str:
        if "record" not in self.options:
            return ""
        module, _, function = self.options["record"].rpartition(".")
        self.env.note_dependency(str(import_module(module).__file__))
        data, where = getattr(import_module(module), function)()
        # Inside a script element only its end tag has a meaning.
        text = json.dumps({"from": where.text(), "data": data}, separators=(",", ":"), allow_nan=False).replace(
            "<", "\\u003c"
        )
        address = f"drag-{self.arguments[0]}-record"
        return f'<script type="application/json" id="{address}">{text}</script>{where.html()}'


def visit_stage(writer: Any, node: Stage) -> None:
    """Write the empty place, and what comes from a record."""
    writer.body.append(f'<div class="drag-stage" data-figure="{html.escape(node["figure"])}"></div>{node["record"]}\n')
    raise nodes.SkipNode


def leave_out(writer: Any, node: Stage) -> None:
    """Nothing moves here."""
    raise nodes.SkipNode


def stand_still(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Take the moving figures, and what to try in them, out of every form of the book but its web pages."""
    if app.builder.name not in MOVING:
        for stage in list(doctree.findall(Stage)):
            tries = stage.previous_sibling()
            stage.parent.remove(stage)
            tries.parent.remove(tries)


def load(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Let a page with figures load the kit and the scripts of its own figures."""
    stages = list(doctree.findall(Stage)) if doctree is not None else []
    if not stages:
        return
    app.add_css_file("figures/figures.css")
    for script in dict.fromkeys((*KIT, *(stage["script"] for stage in stages))):
        app.add_js_file(f"figures/{script}", loading_method="defer")


def ship(app: Sphinx, failed: Exception | None) -> None:
    """Copy the book's own style and scripts; those of figures as readers load them.

    Where only a style sheet changed, no page is built anew, and Sphinx would leave the old copy in place.
    """
    if failed is not None or app.builder.name not in MOVING:
        return
    place = Path(app.outdir) / "_static"
    shutil.copytree(SCRIPTS.parent, place, dirs_exist_ok=True)
    for path in sorted(SCRIPTS.glob("*.js")):
        (place / "figures" / path.name).write_text(shipped(path.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_node(
        Stage, override=True, html=(visit_stage, None), **dict.fromkeys(("latex", "text", "man"), (leave_out, None))
    )
    app.add_directive("figure-to-drag", FigureToDrag)
    app.connect("doctree-resolved", stand_still)
    app.connect("html-page-context", load)
    app.connect("build-finished", ship)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
