"""Old addresses: what stood on a chapter's page before its record had one of its own, and may be called otherwise now.

``{moved}`` stands at the end of a lesson, with a line for every id that the older page had and the lesson has not, and what it is
now where that is another name: a label of either page, or the id of a section::

    :::{moved}
    resampling
    fig-levels
    text-and-code | ch1-text-and-code
    the-claim | the-method
    :::

What is on the record is linked in a fold, where the links have the old ids: whoever follows an old address lands on the link that
leads on, and the fold opens. A section of the lesson itself gets its old id besides its own.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from companion.registry import RECORD
from companion_chapters.captions import chapter_number

TITLE = "Sections that are in the record now"

_LOGGER = logging.getLogger(__name__)


class MovedPlaces(nodes.General, nodes.Element):
    """What is linked when every page is known: pairs of an old id and what it is now, in ``places``."""


class Moved(SphinxDirective):
    """Where the sections of an older page are."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Keep what is said until all pages are read."""
        found = MovedPlaces(places=list(pairs("\n".join(self.content))))
        self.set_source_info(found)
        return [found]


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """(old id, what it is now) of every line."""
    for line in filter(str.strip, text.splitlines()):
        old, _, now = (part.strip() for part in line.partition("|"))
        yield old, now or old


def place(app: Sphinx, lesson: str, now: str) -> tuple[str, str, str] | None:
    """(page, id, words) of a place of a chapter: a label, figure or table, or a section of record or lesson; or ``None``."""
    labels, record = cast(StandardDomain, app.env.get_domain("std")).labels, f"{lesson}{RECORD}"
    for label in (now, f"ch{chapter_number(lesson)}-{now}"):
        if label in labels and labels[label][0] in (lesson, record):
            return labels[label]
    for page in (record, lesson):
        for title in app.env.tocs.get(page, nodes.bullet_list()).findall(nodes.reference):
            if title.get("anchorname") == f"#{now}":
                return page, now, title.astext()
    return None


def lead_on(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Make the links; a line that leads nowhere is a warning."""
    for node in list(doctree.findall(MovedPlaces)):
        links = []
        for old, now in node["places"]:
            page, identifier, words = place(app, docname, now) or ("", "", "")
            here = [element for element in doctree.findall(nodes.Element) if identifier in element.get("ids", ())]
            if page == docname and here:
                here[0]["ids"].append(old)
            elif not page or page == docname:
                _LOGGER.warning("neither page of the chapter has a place called %r", now, location=node)
            elif app.builder.format == "html":
                address = html.escape(f"{app.builder.get_relative_uri(docname, page)}#{identifier}")
                links.append(f'<li><a id="{html.escape(old)}" href="{address}">{html.escape(words)}</a></li>')
        fold = f'<details class="companion-moved"><summary>{TITLE}</summary><ul>{"".join(links)}</ul></details>'
        node.replace_self(nodes.raw("", fold, format="html") if links else [])


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_node(MovedPlaces)
    app.add_directive("moved", Moved)
    app.connect("doctree-resolved", lead_on)
