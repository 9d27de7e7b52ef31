"""Links between evidence, chapters and code, made when every page is known, so that none leads nowhere.

A link names a page and an anchor, or a function. When the pages are written it becomes an ordinary reference; where its
target is not there the build warns, naming the entry that asked for it. What a lesson does not have may stand on its record.
"""

from __future__ import annotations

import companion_source
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import NoUri
from sphinx.util import logging

from companion.registry import RECORD

_LOGGER = logging.getLogger(__name__)


class EvidenceLink(nodes.Inline, nodes.TextElement):
    """A link to be made. Attributes: ``page``, ``anchor``, ``query`` or ``module``, ``name``; and ``asker``."""


def to_page(text: str, page: str, anchor: str = "", query: str = "", asker: str = "") -> EvidenceLink:
    """A link to a place on a page; plain text when the book has no such page."""
    return EvidenceLink(text, text, page=page, anchor=anchor, query=query, asker=asker)


def places(env: BuildEnvironment) -> dict[str, set[str]]:
    """Ids on every page; kept from build to build."""
    if not hasattr(env, "companion_places"):
        env.companion_places = {}  # type: ignore[attr-defined]
    return env.companion_places  # type: ignore[attr-defined]


def note_places(app: Sphinx, doctree: nodes.document) -> None:
    """Remember a page's ids: to open a long page again only to look for one takes a second."""
    found = {identifier for element in doctree.findall(nodes.Element) for identifier in element.get("ids", ())}
    places(app.env)[app.env.docname] = found


def moved(env: BuildEnvironment) -> bool:
    """Whether a place on some page has come or gone since the build before."""
    now = {page: found for page, found in places(env).items() if page in env.found_docs}
    before = getattr(env, "companion_places_before", {})
    env.companion_places_before = {page: set(found) for page, found in now.items()}  # type: ignore[attr-defined]
    return now != before


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Turn every link into a reference, or into its text."""
    for node in list(doctree.findall(EvidenceLink)):
        address = _code_address(app, node, docname) if "module" in node else _page_address(app, node, docname)
        if address is None:
            node.replace_self(nodes.inline("", "", *node.children))
        else:
            node.replace_self(nodes.reference("", "", *node.children, internal=True, refuri=address))


def _code_address(app: Sphinx, node: EvidenceLink, docname: str) -> str | None:
    if companion_source.locate(node["module"], node["name"]) is None:
        _LOGGER.warning("%s: there is no function %s.%s", node["asker"], node["module"], node["name"])
        return None
    return companion_source.address(app, docname, node["module"], node["name"])


def _page_address(app: Sphinx, node: EvidenceLink, docname: str) -> str | None:
    page, anchor = node["page"], node["anchor"]
    if page not in app.env.found_docs:
        return None
    holders = [holder for holder in (page, f"{page}{RECORD}") if anchor in places(app.env).get(holder, ())]
    if anchor and not holders:
        _LOGGER.warning("%s: %s has no place called %r", node["asker"], page, anchor)
        return None
    address = _relative(app, docname, holders[0] if anchor else page)
    return None if address is None else f"{address}{node['query']}" + (f"#{anchor}" if anchor else "")


def _relative(app: Sphinx, docname: str, target: str) -> str | None:
    if app.builder.format != "html":
        return None
    try:
        return app.builder.get_relative_uri(docname, target)
    except NoUri:
        return None
