"""Sphinx extension: the list of assignments, with goals, levels and times, read from their sources, and the sandbox's promises.

A page holds the directive ``assignment-list``; a new source appears in the book by being there. ``promise-list`` shows what
the tests of the sandbox measure. The exercises of a lesson begin with the assignments on its chapter: a line that the source
of the lesson does not hold, so that no page gets stale.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.classroom import sandbox_policy, source

HEADER = ("Assignment, and what it trains", "Level", "Minutes", "Points")
_LESSON = re.compile(r"notebooks/ch(\d+)_(?!.*_record$)")


def rows() -> list[tuple[str, ...]]:
    """A line of the table for each assignment, in the order of the chapters."""
    found = []
    for path in source.assignments().values():
        chosen = source.load(path)
        what = f"**{chosen.title}** (`{chosen.name}`)<br>{chosen.goal}"
        found.append((what, chosen.level, str(chosen.minutes), str(chosen.points)))
    return found


def bridge(app: Sphinx, doctree: nodes.document) -> None:
    """Name the assignments on a chapter where its exercises begin."""
    lesson = _LESSON.match(app.env.docname)
    exercises = next((s for s in doctree.findall(nodes.section) if s[0].astext() == "Exercises"), None)
    if lesson is None or exercises is None:
        return
    chosen = [source.load(path) for name, path in source.assignments().items() if name.startswith(f"ch{lesson[1]}_")]
    line = nodes.paragraph("", "", nodes.strong("", "To hand in: "), classes=["companion-assignments"])
    for number, one in enumerate(chosen):
        app.env.note_dependency(str(one.path))
        line += [
            nodes.Text(", " if number else ""),
            nodes.emphasis("", one.title),
            nodes.Text(f" ({one.minutes} minutes)"),
        ]
    link = addnodes.pending_xref(
        "", refdomain="std", reftype="doc", reftarget="/book/instructors", refexplicit=True, refwarn=True
    )
    link += nodes.inline("", "how assignments are made and graded")
    line += [nodes.Text(". Your instructor hands them out; see "), link, nodes.Text(".")]
    if chosen:
        exercises.insert(1, line)


class AssignmentList(SphinxDirective):
    """A table of all assignments."""

    def run(self) -> list[nodes.Node]:
        """Parse the table as Markdown, so that goals may hold formulas."""
        for path in source.assignments().values():
            self.env.note_dependency(str(path))
        return _table(self, HEADER, rows())


class PromiseList(SphinxDirective):
    """A table of what each rung of the sandbox promises."""

    def run(self) -> list[nodes.Node]:
        """One line a promise, one column a rung."""
        self.env.note_dependency(str(sandbox_policy.__file__))
        lines = [
            (name, *(cell.replace("*", "\\*") for cell in cells)) for name, cells in sandbox_policy.PROMISES.items()
        ]
        return _table(self, ("", *(f"`{rung}`" for rung in sandbox_policy.RUNGS)), lines)


def _table(directive: SphinxDirective, header: tuple[str, ...], found: list[tuple[str, ...]]) -> list[nodes.Node]:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in found]
    holder = nodes.container()
    directive.state.nested_parse(StringList(lines, source="table"), directive.content_offset, holder)
    return holder.children


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("assignment-list", AssignmentList)
    app.add_directive("promise-list", PromiseList)
    app.connect("doctree-read", bridge)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
