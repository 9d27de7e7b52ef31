"""Links between evidence, chapters and code, made when every page is known, so that none leads nowhere.

A link names a page and an anchor, or a function. When the pages are written it becomes an ordinary reference; where its
target is not there the build warns, naming the entry that asked for it.
"""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import NoUri
from sphinx.ext.viewcode import OUTPUT_DIRNAME
from sphinx.pycode import ModuleAnalyzer, PycodeError
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)


class EvidenceLink(nodes.Inline, nodes.TextElement):
    """A link to be made. Attributes: ``page``, ``anchor``, ``query`` or ``module``, ``name``; and ``asker``."""


def to_page(text: str, page: str, anchor: str = "", query: str = "", asker: str = "") -> EvidenceLink:
    """A link to a place on a page; plain text when the book has no such page."""
    return EvidenceLink(text, text, page=page, anchor=anchor, query=query, asker=asker)


def to_code(text: str, module: str, name: str, asker: str = "") -> EvidenceLink:
    """A link to a function's source."""
    return EvidenceLink(text, text, module=module, name=name, asker=asker)


def locate(module: str, name: str) -> str | None:
    """The part of ``name`` that has a place in the module's source: a function defined inside another has its outer's.

    Returns
    -------
    dotted name of a function or class at module or class level; ``None`` when there is no such module or function
    """
    try:
        tags = ModuleAnalyzer.for_module(module).find_tags()
    except PycodeError:
        return None
    parts = name.replace(".<locals>", "").split(".")
    for end in range(len(parts), 0, -1):
        if ".".join(parts[:end]) in tags:
            return ".".join(parts[:end])
    return None


def wanted_code(env: BuildEnvironment) -> dict[str, set[tuple[str, str]]]:
    """Functions (module, name) that the evidence pages link to, by page; kept from build to build."""
    if not hasattr(env, "companion_evidence_code"):
        env.companion_evidence_code = {}  # type: ignore[attr-defined]
    return env.companion_evidence_code  # type: ignore[attr-defined]


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """Remember which functions a page links to."""
    code = {(node["module"], node["name"]) for node in doctree.findall(EvidenceLink) if "module" in node}
    if code:
        wanted_code(app.env)[app.env.docname] = code


def purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget a page that is read again or gone."""
    wanted_code(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: list[str], other: BuildEnvironment) -> None:
    """Take over what another process has read."""
    wanted_code(env).update({name: code for name, code in wanted_code(other).items() if name in docnames})


def register(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Have viewcode show every function that is linked to, also those that no API page documents."""
    modules: dict[str, Any] | None = getattr(env, "_viewcode_modules", None)
    if modules is None:
        modules = env._viewcode_modules = {}  # type: ignore[attr-defined]
    for docname, functions in sorted(wanted_code(env).items()):
        for module, name in sorted(functions):
            tag = locate(module, name)
            if tag is None:
                continue
            if not modules.get(module):
                analyzer = ModuleAnalyzer.for_module(module)
                modules[module] = (analyzer.code, analyzer.find_tags(), {}, module)
            used = modules[module][2]
            if tag not in used:
                used[tag] = docname
                # viewcode leaves a page alone that is newer than its module; this one has to get another anchor.
                (Path(app.outdir) / OUTPUT_DIRNAME / f"{module.replace('.', '/')}.html").unlink(missing_ok=True)
    return []


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Turn every link into a reference, or into its text."""
    known: dict[str, set[str]] = {}
    for node in list(doctree.findall(EvidenceLink)):
        address = _code_address(app, node, docname) if "module" in node else _page_address(app, node, docname, known)
        if address is None:
            node.replace_self(nodes.inline("", "", *node.children))
        else:
            node.replace_self(nodes.reference("", "", *node.children, internal=True, refuri=address))


def _code_address(app: Sphinx, node: EvidenceLink, docname: str) -> str | None:
    tag = locate(node["module"], node["name"])
    if tag is None:
        _LOGGER.warning("%s: there is no function %s.%s", node["asker"], node["module"], node["name"])
        return None
    address = _relative(app, docname, posixpath.join(OUTPUT_DIRNAME, node["module"].replace(".", "/")))
    return None if address is None else f"{address}#{tag}"


def _page_address(app: Sphinx, node: EvidenceLink, docname: str, known: dict[str, set[str]]) -> str | None:
    page, anchor = node["page"], node["anchor"]
    if page not in app.env.found_docs:
        return None
    if page not in known:
        tree = app.env.get_doctree(page)
        known[page] = {identifier for element in tree.findall(nodes.Element) for identifier in element.get("ids", ())}
    if anchor and anchor not in known[page]:
        _LOGGER.warning("%s: %s has no place called %r", node["asker"], page, anchor)
        return None
    address = _relative(app, docname, page)
    return None if address is None else f"{address}{node['query']}" + (f"#{anchor}" if anchor else "")


def _relative(app: Sphinx, docname: str, target: str) -> str | None:
    if app.builder.format != "html":
        return None
    try:
        return app.builder.get_relative_uri(docname, target)
    except NoUri:
        return None
