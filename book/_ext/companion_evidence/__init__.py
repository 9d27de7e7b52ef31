"""Sphinx extension: pages of evidence, made from the stored files of every chapter.

Directives: ``evidence-ledger``, ``evidence-verdicts`` and ``evidence-discrepancies``, with a paper's slug all of its entries and
without one the counts of every chapter; ``evidence-status``; ``evidence-summary`` for the record on the first page; and
``evidence-runs`` for how many runs a paper would need; ``evidence-slips`` for the slips by kind, or those of one kind; and
``evidence-changed-tests`` for tests that were changed after a first look; and ``evidence-errata`` for a paper's authors. The
pages of chapters are written by :mod:`~companion_evidence.pages`: a new chapter appears in all of them by being there.
The roles of :mod:`~companion_evidence.numbers` put numbers from these files into sentences of any page. A file that is
damaged, or an entry that lacks what a page needs, is a warning that names it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from companion.core.errors import CompanionError, ResultError
from companion_evidence import (
    common,
    data,
    discrepancies,
    errata,
    ledger,
    links,
    markup,
    numbers,
    pages,
    slips,
    status,
    summary,
    verdicts,
)

_LOGGER = logging.getLogger(__name__)
_FILTERS = Markup('<div class="evidence-filters" data-facets="{}"/>')
_MOVED = Markup('<div class="evidence-moved" data-kind="{}" data-pages="{}"/>')


def evidence(kind: str, root: Path, paper: str = "") -> common.Made:
    """All entries of a paper; without one, what was counted in every chapter, and for a script where they are."""
    shown, facets = KINDS[kind]
    chapters = [chapter for chapter in data.chapters(root) if kind in chapter.names and paper in ("", chapter.paper)]
    found: list[nodes.Node] = []
    for chapter in chapters:
        files = {name: data.load(root, chapter, name) for name in data.NAMES}
        section, faults = common.section(kind, chapter, files, whole=bool(paper), **shown(root, chapter, files))
        if paper:  # What is its section on the page of all is the page itself here.
            filters = markup.document(_FILTERS.format(facets)) if facets else []
            return [nodes.target("", "", ids=section["ids"]), *filters, *section.children[1:]], faults
        found.append(section)
    if paper:
        raise ResultError(f"no chapter about {paper!r} has a page of the {kind}")
    addresses = {chapter.paper: f"{kind}/{chapter.stem}.html" for chapter in chapters}
    return [*markup.document(_MOVED.format(kind, json.dumps(addresses))), *found], []


def true_if(root: Path, condition: str) -> list[nodes.Node]:
    """Nothing; an error where the condition does not hold."""
    if not numbers.holds(root, condition):
        raise ResultError(f"no longer true: {condition}; write the sentence anew")
    return []


#: By the name of a stored file: what its page shows, and the facets that it can be filtered by.
KINDS: dict[str, tuple[Callable[..., dict[str, Any]], str]] = {
    "ledger": (ledger.shown, "whose role kind status"),
    "verdicts": (verdicts.shown, "kind verdict assumed"),
    "discrepancies": (discrepancies.shown, ""),
}
#: What each directive shows: of the repository and its argument, nodes and what is wrong.
DIRECTIVES: dict[str, Callable[..., common.Made]] = {
    **{f"evidence-{kind}": partial(evidence, kind) for kind in KINDS},
    "evidence-status": status.page,
    "evidence-summary": summary.lines,
    "evidence-runs": verdicts.runs,
    "evidence-slips": slips.shown,
    "evidence-changed-tests": verdicts.changed_tests,
    "evidence-errata": errata.shown,
}
#: What each role shows: of the repository and its text, nodes; and what stands for them where there is no such thing.
ROLES: dict[str, tuple[Callable[[Path, str], list[nodes.Node]], str | None]] = {
    "number": (lambda root, text: [nodes.Text(numbers.number(root, text))], "?"),
    "entry": (slips.entry, None),
    "true-if": (true_if, ""),
}


class Evidence(SphinxDirective):
    """What one of :data:`DIRECTIVES` shows; what is wrong is a warning."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Its nodes."""
        pages_with_evidence(self.env).add(self.env.docname)
        try:
            found, faults = DIRECTIVES[self.name](Path(self.env.app.srcdir), *self.arguments)
        except CompanionError as error:
            found, faults = [], [str(error)]
        for fault in dict.fromkeys(faults):
            _LOGGER.warning(fault, location=self.get_location())
        return found


class Told(SphinxRole):
    """What one of :data:`ROLES` shows; what is wrong is a warning."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Its nodes."""
        pages_with_evidence(self.env).add(self.env.docname)
        told, otherwise = ROLES[self.name]
        try:
            return told(Path(self.env.app.srcdir), self.text), []
        except ResultError as error:
            _LOGGER.warning(str(error), location=self.get_location())
            return [nodes.Text(self.text if otherwise is None else otherwise)], []


def visit(writer: Any, node: nodes.Element) -> None:
    """Open an HTML element."""
    given = {name: value for name, value in node.attributes.items() if name.startswith("data-")}
    writer.body.append(writer.starttag(node, node["tag"], "" if node["tag"] == "summary" else "\n", **given))


def depart(writer: Any, node: nodes.Element) -> None:
    """Close it."""
    writer.body.append(f"</{node['tag']}>\n")


def open_silently(writer: Any, node: nodes.Element) -> None:
    """Other formats show the content, unfolded."""


def pages_with_evidence(env: BuildEnvironment) -> set[str]:
    """Pages with evidence on them; kept from build to build."""
    if not hasattr(env, "companion_evidence_pages"):
        env.companion_evidence_pages = set()  # type: ignore[attr-defined]
    return env.companion_evidence_pages  # type: ignore[attr-defined]


def outdated(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Pages of evidence are made anew when files have come, gone or changed; the status page, which looks at code, always."""
    now = _state(Path(app.srcdir))
    before = getattr(env, "companion_evidence_state", None)
    env.companion_evidence_state = now  # type: ignore[attr-defined]
    known = pages_with_evidence(env) & env.found_docs
    return sorted((known if now != before else known & {"book/status"}) - added - changed - removed)


def linked_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Pages of evidence are written anew when a place that they may link to has come or gone on another page."""
    return sorted(pages_with_evidence(env) & env.found_docs) if links.moved(env) else []


def _state(root: Path) -> str:
    """A digest of everything that evidence is shown from, by names, sizes and times: results, tables, titles, this code."""
    places = (root / "data" / "results", root / "data" / "reported", Path(__file__).parent)
    suffixes = {".json", ".csv", ".toml", ".py", ".jinja"}
    files = sorted(path for place in places for path in place.rglob("*") if path.suffix in suffixes)
    titles = [f"{chapter.page} {chapter.heading}" for chapter in data.chapters(root)]
    told = titles + [f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in files]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def merge(app: Sphinx, env: BuildEnvironment, docnames: list[str], other: BuildEnvironment) -> None:
    """Take over what another process has read."""
    pages_with_evidence(env).update(pages_with_evidence(other))
    links.places(env).update({page: found for page, found in links.places(other).items() if page in docnames})


def assets(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Give pages of evidence their script and style; no other page loads them."""
    if pagename in pages_with_evidence(app.env):
        app.add_css_file("evidence.css")
        # In front of MathJax, which it tells to leave folded formulas for later.
        app.add_js_file("evidence.js", loading_method="defer", priority=300)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.setup_extension("companion_source")
    pages.write(Path(app.srcdir))
    quiet = (open_silently, open_silently)
    for node in (markup.Block, markup.Line):
        app.add_node(node, html=(visit, depart), latex=quiet, text=quiet)
    for name in DIRECTIVES:
        app.add_directive(name, Evidence)
    for name in ROLES:
        app.add_role(name, Told())
    app.connect("doctree-read", pages.lead_on)
    app.connect("doctree-read", links.note_places)
    app.connect("env-updated", linked_again)
    app.connect("env-merge-info", merge)
    app.connect("env-get-outdated", outdated)
    app.connect("doctree-resolved", links.resolve)
    app.connect("html-page-context", assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
