"""How to cite the book, as ``CITATION.cff`` describes it, and the papers, as the bibliography has them.

A chapter is about the work that it cites first; one above the papers is about those of all chapters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from pybtex.database import Entry
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion import registry
from companion.pages.document import Chapter, lessons
from companion_chapters.captions import chapter_number
from companion_chapters.head import cited_work

_CITATION = "CITATION.cff"


def works(app: Sphinx, page: str = "") -> dict[str, Entry]:
    """The papers that a page of a chapter is about, by their keys in the bibliography; without a page, those of all chapters."""
    root = Path(app.srcdir)
    about = [one for one in lessons(root) if one.paper not in registry.CROSS_PAPER]
    if page and (chapter := Chapter(root / f"{page}.py", root)).paper not in registry.CROSS_PAPER:
        about = [chapter] if chapter_number(page) is not None else []
    return dict(work for one in about if (work := cited_work(app, one.text)))


def citation(app: Sphinx) -> dict[str, Any]:
    """The content of ``CITATION.cff``."""
    found: dict[str, Any] = yaml.safe_load(Path(app.srcdir, _CITATION).read_text(encoding="utf-8"))
    return found


def authors(cff: dict[str, Any]) -> list[dict[str, str]]:
    """Its authors, people or groups, in schema.org's terms."""
    people = ("Person", "{given-names} {family-names}"), ("Organization", "{name}")
    told = [(*people["name" in one], one) for one in cff["authors"]]
    return [{"@type": kind, "name": name.format(**one)} for kind, name, one in told]


def bibtex(app: Sphinx, keys: Iterable[str]) -> Iterator[str]:
    """What to put into a bibliography: this book, as ``CITATION.cff`` describes it, and works as the book's own has them."""
    cff = citation(app)
    fields = {
        "author": " and ".join(
            one["name"] if one["@type"] == "Person" else f"{{{one['name']}}}" for one in authors(cff)
        ),
        "title": f"{{{cff['title']}}}",
        "howpublished": f"Jupyter Book and Python package, version {cff['version']}",
        "url": app.config.html_baseurl or app.config.companion_repository,
        "year": str(cff.get("date-released", ""))[:4],
    }
    lines = ",\n".join(f"  {field} = {{{value}}}" for field, value in fields.items() if value)
    yield f"@misc{{gp_bandit_companion,\n{lines}\n}}"
    known = "\n".join(Path(app.srcdir, file).read_text(encoding="utf-8") for file in app.config.bibtex_bibfiles)
    for key in keys:
        yield from re.findall(rf"(?ms)^@\w+\{{{re.escape(key)},.*?^\}}", known)


def how_to_cite(app: Sphinx, keys: Iterable[str]) -> list[nodes.Node]:
    """What ``CITATION.cff`` asks for, and the entries."""
    app.env.note_dependency(str(Path(app.srcdir, _CITATION)))
    entries = "\n\n".join(bibtex(app, keys))
    return [nodes.paragraph("", citation(app)["message"]), nodes.literal_block(entries, entries, language="none")]


class HowToCite(SphinxDirective):
    """How to cite the book and all of its papers."""

    def run(self) -> list[nodes.Node]:
        """The same entries as at the feet of the chapters."""
        return how_to_cite(self.env.app, works(self.env.app))


def end_chapter(app: Sphinx, doctree: nodes.document) -> None:
    """A fold at the foot of a chapter's page."""
    if chapter_number(app.env.docname) is not None:
        fold = '<details class="companion-where companion-cite"><summary>How to cite this chapter</summary>'
        doctree += nodes.raw("", fold, format="html")
        doctree += [*how_to_cite(app, works(app, app.env.docname)), nodes.raw("", "</details>", format="html")]
