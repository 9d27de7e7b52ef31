"""Sphinx extension: the list of assignments, with goals, levels and times, read from their sources.

A page holds the directive ``assignment-list``; a new source appears in the book by being there.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.classroom import source

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
        lines = ["| " + " | ".join(HEADER) + " |", "|" + "---|" * len(HEADER)]
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows()]
        holder = nodes.container()
        self.state.nested_parse(StringList(lines, source="assignments"), self.content_offset, holder)
        return holder.children


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("assignment-list", AssignmentList)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
