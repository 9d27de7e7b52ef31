"""Sphinx extension: what search engines, previews of links and reference managers are told of a page.

Every page has a description, its first sentences of prose, unless its front matter has another one. What needs to know where
the book lies is said once ``html_baseurl`` in ``_config.yml`` is its address: ``sitemap.xml``, and for chapters schema.org's
terms and the tags that reference managers read.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from textwrap import shorten
from typing import Any
from urllib.parse import urljoin

from companion_chapters.captions import chapter_number
from companion_chapters.cite import authors, citation, works
from docutils import nodes
from pybtex.database import Entry
from sphinx.application import Sphinx

#: Characters of a description.
LEAST, MOST = 50, 160
#: The picture of pages without one.
PICTURE = "_static/readme.png"
_FORMULA = "\0"
_SHOWN = re.compile(r'<img class="only-light"[^>]* src="(?P<address>[^":]+)"')
_NEXT = re.compile(r"(?<=[.?!])\s+(?=[^a-z\s])")
_SITEMAP = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
_PROSE = (nodes.document, nodes.section, nodes.container, nodes.block_quote)


def plain(node: nodes.Node) -> str:
    """Text as one reads it, with a mark where a formula stands."""
    if isinstance(node, nodes.math | nodes.math_block):
        return _FORMULA
    if isinstance(node, nodes.raw):
        return html.unescape(re.sub(r"<details.*?</details>|<[^>]+>", "", node.astext(), flags=re.DOTALL))
    return node.astext() if isinstance(node, nodes.Text) else "".join(map(plain, node.children))


def sentences(doctree: nodes.document) -> Iterator[str]:
    """What a page says in words alone: the sentences of its paragraphs that hold no formula."""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, _PROSE) and not paragraph["classes"]:
            text = " ".join(plain(paragraph).split())
            yield from (one for one in _NEXT.split(text) if one.endswith((".", "?", "!")) and _FORMULA not in one)


def description(said: Iterable[str], title: str, book: str) -> str:
    """As many sentences as make :data:`LEAST` characters, cut between words at :data:`MOST`."""
    text = ""
    for sentence in chain(said, [f"A page of “{book}”: {title}."]):
        text = f"{text} {sentence}".lstrip()
        if len(text) >= LEAST:
            break
    return shorten(text, MOST, placeholder=" …")


def scholarly(work: Entry) -> dict[str, Any]:
    """A work of the bibliography in schema.org's terms."""
    fields, places = work.fields, {"doi": "https://doi.org/", "eprint": "https://arxiv.org/abs/"}
    names = [" ".join([*one.first_names, *one.middle_names, *one.last_names]) for one in work.persons["author"]]
    told = {
        "@type": "ScholarlyArticle",
        "name": re.sub(r"[{}]", "", fields["title"]),
        "author": [{"@type": "Person", "name": one} for one in names],
        "datePublished": fields.get("year"),
        "url": next((start + fields[field] for field, start in places.items() if field in fields), None),
    }
    return {key: value for key, value in told.items() if value}


def address(app: Sphinx, page: str) -> str:
    """Where a page of the book is; empty while nobody has said where the book is."""
    base = app.config.html_baseurl
    return urljoin(f"{base.rstrip('/')}/", app.builder.get_target_uri(page)) if base else ""


def learning_resource(app: Sphinx, page: str, title: str, told: str) -> dict[str, Any]:
    """A chapter's page in schema.org's terms."""
    cff, about = citation(app), [scholarly(work) for work in works(app, page).values()]
    book = {"@type": "Book", "name": app.config.html_title, "url": address(app, app.config.root_doc)}
    own = {"name": title, "description": told, "url": address(app, page), "inLanguage": "en", "isPartOf": book}
    terms = {"license": f"https://spdx.org/licenses/{cff['license']}", "author": authors(cff)}
    dated = {"datePublished": str(cff["date-released"])} if "date-released" in cff else {}
    kind = {"@context": "https://schema.org", "@type": "LearningResource"}
    return {**kind, **own, **terms, **dated, "about": about, "citation": about}


def citation_tags(told: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The same for reference managers."""
    yield "citation_title", told["name"]
    yield from (("citation_author", one["name"]) for one in told["author"])
    yield from [("citation_publication_date", told["datePublished"])] if "datePublished" in told else []
    yield "citation_inbook_title", told["isPartOf"]["name"]
    yield "citation_public_url", told["url"]
    for work in told["citation"]:
        authors = (f"citation_author={one['name']}" for one in work["author"])
        yield "citation_reference", "; ".join([f"citation_title={work['name']}", *authors])


def tell(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Put into the head of a page what is said of it; what its front matter says stays."""
    metas = doctree.findall(nodes.meta) if doctree else ()
    given = {str(meta.get("name", meta.get("property"))): meta["content"] for meta in metas}
    title, here = (
        html.unescape(re.sub(r"<[^>]+>", "", context.get("title") or pagename.title())),
        address(app, pagename),
    )
    told = given.get("description") or description(sentences(doctree) if doctree else (), title, app.config.html_title)
    shown = _SHOWN.search(context.get("body", ""))
    tags = [("description", told), ("og:title", title), ("og:description", told), ("og:url", here)]
    tags += [("og:type", "website" if pagename == app.config.root_doc else "article")]
    tags += [("og:image", urljoin(here, shown["address"] if shown else context["pathto"](PICTURE, resource=True)))]
    lines = []
    if here and chapter_number(pagename) is not None:
        resource = learning_resource(app, pagename, title, told)
        tags += citation_tags(resource)
        data = json.dumps(resource, ensure_ascii=False).replace("</", "<\\/")
        lines = [f'<script type="application/ld+json">{data}</script>']
    lines += [
        f'<meta {"property" if key.startswith("og:") else "name"}="{key}" content="{html.escape(value, quote=True)}">'
        for key, value in tags
        if value and key not in given
    ]
    context["metatags"] = "\n".join([context.get("metatags", ""), *lines, ""])


def write_sitemap(app: Sphinx, error: Exception | None) -> None:
    """All pages that were written to be read, once the book has an address."""
    path = Path(app.outdir, "sitemap.xml")
    path.unlink(missing_ok=True)
    if error is None and app.config.html_baseurl and app.builder.name == "html":
        pages = (html.escape(address(app, page)) for page in sorted(app.env.found_docs))
        lines = "".join(f"<url><loc>{page}</loc></url>\n" for page in pages)
        path.write_text(f"{_SITEMAP}{lines}</urlset>\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.setup_extension("companion_chapters")
    app.connect("html-page-context", tell, priority=650)  # once pictures are files
    app.connect("build-finished", write_sitemap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
