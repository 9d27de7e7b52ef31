"""Sphinx extension: what makes a chapter easy to find one's way in.

Figures and tables are numbered by chapter, through both of its pages, and can be linked to, sources of numbers stand once a
section, the paper is a click away, old addresses lead on, the foot says how to cite, and "doubt this number" prepares what to
write to the authors of the book. All of it is made from the outputs as the package gives them; nothing in a notebook has to know.

``companion_repository`` in ``_config.yml`` is the address of the repository; empty, whatever would need it is left out, buttons
that open a chapter elsewhere too.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import companion_solutions
from docutils import nodes
from sphinx.application import Sphinx

from companion.pages.document import Chapter, read_notebook
from companion_chapters import captions, chapter_links, cite, head, launch, moved, sources

#: Above the pages of the API, whatever they hold, stands every page that was written to be read.
SCORER = "search_scorer.js"

# Inside a tag: code on a page has its quotes escaped.
_AFTER = re.compile(r"[.,;:!?)\]]+")
_ID = re.compile(r'(?<=[\w"]) id="(?P<id>[^"]+)"(?=[^<>]*>)')


def mark_up(app: Sphinx, doctree: nodes.document) -> None:
    """Number what a chapter shows, gather where it is from, and link its paper."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    page = Chapter(path.with_suffix(".py"), Path(app.srcdir))
    cells = read_notebook(path).cells
    before = [other for other in page.pages[:1] if other != page]
    for lesson in before:
        app.env.note_dependency(str(lesson.notebook))
    earlier = [cell for lesson in before for cell in read_notebook(lesson.notebook).cells]
    told = captions.outputs(earlier, set() if app.config.companion_solutions else {companion_solutions.TAG})
    sources.gather(doctree, captions.number(app, doctree, [cell.source for cell in cells], told))
    texts = "\n".join(cell.source for cell in (*earlier, *cells) if cell.cell_type == "markdown")
    head.add_links(app, doctree, texts, [other for other in page.pages if other != page])


def bind_punctuation(app: Sphinx, doctree: nodes.document) -> None:
    """A browser may break a line between a formula and what follows it; no line begins with a full stop."""
    for formula in list(doctree.findall(nodes.math)):
        parent, place = formula.parent, formula.parent.index(formula)
        after = parent[place + 1] if place + 1 < len(parent) else None
        if isinstance(after, nodes.Text) and (mark := _AFTER.match(after)):
            bound = nodes.inline("", "", formula.deepcopy(), nodes.Text(mark[0]), classes=["companion-bound"])
            parent[place : place + 2] = [bound, nodes.Text(after[mark.end() :])]


def tell_repository(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Let the page's script know where issues go."""
    address = app.config.companion_repository
    if address:
        told = f'<meta name="companion-repository" content="{html.escape(address, quote=True)}">\n'
        context["metatags"] = context.get("metatags", "") + told


def each_id_once(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Boxes and exercises come with ids that every one of them has, or that stand on a box and its title: the first is kept."""
    seen = set[str]()

    def once(found: re.Match[str]) -> str:
        if found["id"] in seen:
            return ""
        seen.add(found["id"])
        return found[0]

    if "body" in context:
        context["body"] = _ID.sub(once, context["body"])


def find_scorer(app: Sphinx, config: Any) -> None:
    """Sphinx reads the file from the current folder, wherever the book lies."""
    config.html_search_scorer = str(Path(__file__).with_name(SCORER))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.add_config_value("companion_repository", "", "html", str)
    app.setup_extension("companion_solutions")
    moved.setup(app)
    chapter_links.setup(app)
    app.add_css_file("chapters.css")
    app.add_js_file("doubt.js", loading_method="defer")
    app.add_directive("how-to-cite", cite.HowToCite)
    app.connect("config-inited", find_scorer)
    app.connect("config-inited", launch.choose)
    app.connect("doctree-read", mark_up)
    app.connect("doctree-read", bind_punctuation)
    app.connect("doctree-read", cite.end_chapter, priority=900)
    app.connect("html-page-context", tell_repository)
    app.connect("html-page-context", launch.add_codespaces, priority=600)
    app.connect("html-page-context", each_id_once, priority=700)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
