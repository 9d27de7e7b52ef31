"""Sphinx extension: the list of assignments, with goals, levels and times, read from their sources, and the sandbox's promises.

A page holds the directive ``assignment-list``; a new source appears in the book by being there. ``promise-list`` shows what
the tests of the sandbox measure.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.classroom import sandbox, source

HEADER = ("Assignment", "What it trains", "Level", "Minutes", "Questions", "Points")


def rows() -> list[tuple[str, ...]]:
    """A line of the table for each assignment, in the order of the chapters."""
    found = []
    for path in source.assignments().values():
        chosen = source.load(path)
        facts = (str(chosen.minutes), str(len(chosen.questions)), str(chosen.points))
        found.append((f"{chosen.title} (`{chosen.name}`)", chosen.goal, chosen.level, *facts))
    return found


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
        self.env.note_dependency(str(sandbox.__file__))
        promises = [(name, *(cell.replace("*", "\\*") for cell in cells)) for name, cells in sandbox.PROMISES.items()]
        return _table(self, ("", *(f"`{rung}`" for rung in sandbox.RUNGS)), promises)


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
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
