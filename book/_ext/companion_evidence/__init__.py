"""Sphinx extension: pages of evidence, made from the stored files of every chapter.

Directives: ``evidence-ledger``, ``evidence-verdicts`` and ``evidence-discrepancies``, with a paper's slug all of its entries and
without one the counts of every chapter; ``evidence-status``; ``evidence-summary`` for the record on the first page; and
``evidence-runs`` for how many runs a paper would need; ``evidence-slips`` for the slips by kind, or those of one kind; and
``evidence-changed-tests`` for tests that were changed after a first look. The
pages of chapters are written by :mod:`~companion_evidence.pages`: a new chapter appears in all of them by being there.
The roles of :mod:`~companion_evidence.numbers` put numbers from these files into sentences of any page. A file that is
damaged, or an entry that lacks what a page needs, is a warning that names it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from companion.core.errors import CompanionError, ResultError
from companion_evidence import (
    data,
    discrepancies,
    ledger,
    links,
    markup,
    numbers,
    pages,
    repeats,
    slips,
    status,
    summary,
    verdicts,
)

Build = Callable[..., tuple[nodes.section, list[str]]]

_LOGGER = logging.getLogger(__name__)


class Filters(nodes.General, nodes.Element):
    """Where a script puts the filters; without it, nothing."""


def visit_filters(writer: Any, node: nodes.Element) -> None:
    """Write the empty place."""
    writer.body.append(writer.starttag(node, "div", CLASS="evidence-filters", **{"data-facets": node["facets"]}))
    writer.body.append("</div>\n")


class Moved(nodes.General, nodes.Element):
    """Where a script finds the pages to which entries have moved; without it, nothing."""


def visit_moved(writer: Any, node: nodes.Element) -> None:
    """Write the empty place."""
    attributes = {"data-kind": node["kind"], "data-pages": json.dumps(node["pages"])}
    writer.body.append(writer.starttag(node, "div", CLASS="evidence-moved", **attributes))
    writer.body.append("</div>\n")


class Evidence(SphinxDirective):
    """Evidence of one chapter, or what was counted in all of them."""

    optional_arguments = 1
    #: Makes the chapter's section, whole or counts only, and says what is wrong with texts in the files.
    build: ClassVar[Build]
    #: The stored file that the page shows and whose faults it reports; none for a page that shows records only.
    shows: ClassVar[str] = ""
    #: Facets that the page can be filtered by; none for a page without filters.
    facets: ClassVar[str] = ""

    def run(self) -> list[nodes.Node]:
        """Build the sections, warn of what is wrong."""
        root = Path(self.env.app.srcdir)
        pages_with_evidence(self.env).add(self.env.docname)
        chapters = [chapter for chapter in data.chapters(root) if not self.shows or self.shows in chapter.names]
        if self.arguments:
            return self.whole(root, next(chapter for chapter in chapters if chapter.paper == self.arguments[0]))
        found: list[nodes.Node] = []
        if self.shows:
            place = Moved()
            place["kind"] = self.shows
            place["pages"] = {chapter.paper: f"{self.shows}/{chapter.stem}.html" for chapter in chapters}
            found.append(place)
        return [*found, *(self.section(root, chapter, whole=not self.shows) for chapter in chapters)]

    def whole(self, root: Path, chapter: data.Chapter) -> list[nodes.Node]:
        """All entries of one chapter; what is its section on the page of all is the page itself here."""
        section = self.section(root, chapter, whole=True)
        found: list[nodes.Node] = [nodes.target("", "", ids=section["ids"])]
        if self.facets:
            place = Filters()
            place["facets"] = self.facets
            found.append(place)
        return [*found, *section.children[1:]]

    def section(self, root: Path, chapter: data.Chapter, *, whole: bool) -> nodes.section:
        """A chapter's section; what is wrong is said once, where all entries are shown."""
        files = {name: data.load(root, chapter, name) for name in data.NAMES}
        section, faults = type(self).build(root, chapter, files, whole=whole)
        own = files[self.shows].faults if self.shows else []
        for fault in dict.fromkeys([*own, *faults]) if whole else ():
            _LOGGER.warning(fault, location=self.get_location())
        return section


class Ledger(Evidence):
    """Every numbered statement."""

    build = staticmethod(ledger.build)
    shows = "ledger"
    facets = "whose kind status"


class Verdicts(Evidence):
    """Every reported number and claim."""

    build = staticmethod(verdicts.build)
    shows = "verdicts"
    facets = "kind verdict assumed"


class Discrepancies(Evidence):
    """Every suspected error."""

    build = staticmethod(discrepancies.build)
    shows = "discrepancies"


class Status(Evidence):
    """Every stored result, and a line for every chapter above them."""

    build = staticmethod(status.build)

    def run(self) -> list[nodes.Node]:
        """The table first."""
        root = Path(self.env.app.srcdir)
        rows = [status.overview(root, chapter) for chapter in data.chapters(root)]
        return [markup.table(status.OVERVIEW, rows), *super().run()]


class Record(SphinxDirective):
    """What was counted, one line for every paper."""

    def run(self) -> list[nodes.Node]:
        """Build the table, warn of what is wrong."""
        root = Path(self.env.app.srcdir)
        pages_with_evidence(self.env).add(self.env.docname)
        rows = []
        for chapter in (known for known in data.chapters(root) if not known.above):
            line, faults = summary.row(root, chapter, {name: data.load(root, chapter, name) for name in data.NAMES})
            for fault in faults:
                _LOGGER.warning(fault, location=self.get_location())
            rows.append(line)
        return [markup.table(summary.HEADER, rows, ("evidence-summary",))]


class Runs(SphinxDirective):
    """How surely a paper's number of runs shows the order of its two best methods, a line for every problem."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build the table."""
        pages_with_evidence(self.env).add(self.env.docname)
        return repeats.lines(self.arguments[0], Path(self.env.app.srcdir))


class ChangedTests(SphinxDirective):
    """Tests of claims that were changed after a first look at their verdicts."""

    def run(self) -> list[nodes.Node]:
        """Build the table."""
        root = Path(self.env.app.srcdir)
        pages_with_evidence(self.env).add(self.env.docname)
        return [verdicts.changed_tests(root, data.chapters(root))]


class Slips(SphinxDirective):
    """Slips by kind: counts of all kinds, or the places of one."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build them; a warning where the table of kinds does not fit the evidence."""
        root = Path(self.env.app.srcdir)
        pages_with_evidence(self.env).add(self.env.docname)
        try:
            return slips.places(root, self.arguments[0]) if self.arguments else [slips.overview(root)]
        except CompanionError as error:
            _LOGGER.warning(str(error), location=self.get_location())
            return []


class Entry(SphinxRole):
    """Words that lead to an entry of the ledger, or to a confirmed suspicion."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The link; its words with a warning where there is no such entry."""
        pages_with_evidence(self.env).add(self.env.docname)
        try:
            return [slips.entry(Path(self.env.app.srcdir), self.text)], []
        except ResultError as error:
            _LOGGER.warning(str(error), location=self.get_location())
            return [nodes.Text(self.text)], []


class Number(SphinxRole):
    """A number of the stored evidence."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Its text; a warning where there is none."""
        pages_with_evidence(self.env).add(self.env.docname)
        try:
            return [nodes.Text(numbers.number(Path(self.env.app.srcdir), self.text))], []
        except ResultError as error:
            _LOGGER.warning(str(error), location=self.get_location())
            return [nodes.Text("?")], []


class TrueIf(SphinxRole):
    """What the sentence beside it supposes."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Nothing; a warning where it does not hold."""
        pages_with_evidence(self.env).add(self.env.docname)
        try:
            if not numbers.holds(Path(self.env.app.srcdir), self.text):
                _LOGGER.warning(f"no longer true: {self.text}; write the sentence anew", location=self.get_location())
        except ResultError as error:
            _LOGGER.warning(str(error), location=self.get_location())
        return [], []


DIRECTIVES: dict[str, type[SphinxDirective]] = {
    "evidence-ledger": Ledger,
    "evidence-verdicts": Verdicts,
    "evidence-discrepancies": Discrepancies,
    "evidence-status": Status,
    "evidence-summary": Record,
    "evidence-runs": Runs,
    "evidence-slips": Slips,
    "evidence-changed-tests": ChangedTests,
}


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
    suffixes = {".json", ".csv", ".toml", ".py"}
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
    quiet = (markup.open_silently, markup.open_silently)
    app.add_node(markup.Disclosure, html=(markup.visit_disclosure, markup.depart_disclosure), latex=quiet, text=quiet)
    app.add_node(markup.Summary, html=(markup.visit_summary, markup.depart_summary), latex=quiet, text=quiet)
    app.add_node(Filters, html=(visit_filters, markup.open_silently), latex=quiet, text=quiet)
    app.add_node(Moved, html=(visit_moved, markup.open_silently), latex=quiet, text=quiet)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.add_role("number", Number())
    app.add_role("entry", Entry())
    app.add_role("true-if", TrueIf())
    app.connect("doctree-read", pages.lead_on)
    app.connect("doctree-read", links.note_places)
    app.connect("env-updated", linked_again)
    app.connect("env-merge-info", merge)
    app.connect("env-get-outdated", outdated)
    app.connect("doctree-resolved", links.resolve)
    app.connect("html-page-context", assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
