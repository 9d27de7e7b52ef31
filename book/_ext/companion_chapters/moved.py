"""Old addresses: what stood on a chapter's page before its record had one of its own.

``{moved}`` stands at the end of a lesson, with a line for every place that is on the record now: its old id, and a label where
the record calls it otherwise::

    :::{moved}
    resampling
    text-and-code | ch1-text-and-code
    fig-levels
    :::

It is a fold with a link each. The links have the old ids, so that whoever follows an old address lands on the one that leads on,
and the fold opens. Without a label the id is that of a section, figure or table of the record.
"""

from __future__ import annotations

import html
from typing import cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from companion.papers import RECORD
from companion_chapters.captions import chapter_number

TITLE = "Sections that are in the record now"

_LOGGER = logging.getLogger(__name__)


class MovedPlaces(nodes.General, nodes.Element):
    """Links to be made when every page is known: pairs of an old id and a label, or nothing, in ``places``."""


class Moved(SphinxDirective):
    """Where the sections of an older page are."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Keep what is said until all pages are read."""
        lines = [[part.strip() for part in line.partition("|")[::2]] for line in self.content if line.strip()]
        found = MovedPlaces(places=lines)
        self.set_source_info(found)
        return [found]


def place(app: Sphinx, record: str, old: str, label: str) -> tuple[str, str] | None:
    """(id, words) of a place on the record, or ``None`` where there is none.

    Parameters
    ----------
    app : Sphinx
    record : name of the page
    old : id that the place had on the lesson
    label : what the record calls it; empty for its old id
    """
    labels = cast(StandardDomain, app.env.get_domain("std")).labels
    known = label or f"ch{chapter_number(record)}-{old}"
    if known in labels and labels[known][0] == record:
        return labels[known][1], labels[known][2]
    if label or record not in app.env.tocs:
        return None
    titles = app.env.tocs[record].findall(nodes.reference)
    return next(((old, title.astext()) for title in titles if title.get("anchorname") == f"#{old}"), None)


def lead_on(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Make the links; a line that leads nowhere is a warning."""
    record = f"{docname}{RECORD}"
    for node in list(doctree.findall(MovedPlaces)):
        links = []
        for old, label in node["places"]:
            found = place(app, record, old, label)
            if found is None:
                _LOGGER.warning("%s has no place called %r", record, label or old, location=node)
            elif app.builder.format == "html":
                address = html.escape(f"{app.builder.get_relative_uri(docname, record)}#{found[0]}")
                links.append(f'<li><a id="{html.escape(old)}" href="{address}">{html.escape(found[1])}</a></li>')
        fold = f'<details class="companion-moved"><summary>{TITLE}</summary><ul>{"".join(links)}</ul></details>'
        node.replace_self(nodes.raw("", fold, format="html"))


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_node(MovedPlaces)
    app.add_directive("moved", Moved)
    app.connect("doctree-resolved", lead_on)
