"""The bar above a chapter stays in sight: one click leads to the exercises, the chapter's other page, and the chapters beside it.

Behind the last chapter comes the page that answers for a setting of one's own.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from companion.pages.document import RECORD, Chapter, lessons
from companion_chapters.captions import chapter_number

EXERCISES, AFTER, TEMPLATE = "exercises", ("book/decide", "My setting"), "companion-ways.html"


def ways(app: Sphinx, pagename: str) -> list[tuple[str, str, str]]:
    """Of a page of a chapter: page, place on it, and words of every link; of other pages nothing."""
    if chapter_number(pagename) is None or (root := Path(app.srcdir)) not in Path(app.env.doc2path(pagename)).parents:
        return []
    chapters = [chapter for chapter in lessons(root) if chapter.number is not None]
    page = Chapter(root / f"{pagename}.py", root)
    lesson, folder = page.pages[0], pagename.rpartition("/")[0]
    places = app.env.tocs[f"{folder}/{lesson.stem}"].findall(nodes.reference)
    found = [(f"{folder}/{lesson.stem}", EXERCISES, "Exercises")] * any(
        place.get("anchorname") == f"#{EXERCISES}" for place in places
    )
    found += [
        (f"{folder}/{other.stem}", "", "Record" if other.part == RECORD else "Lesson")
        for other in page.pages
        if other != page
    ]
    earlier = [chapter for chapter in chapters if (chapter.number or 0) < (page.number or 0)]
    if earlier:
        found.insert(0, (f"{folder}/{earlier[-1].stem}", "", f"‹ Lesson {earlier[-1].number}"))
    later = [chapter for chapter in chapters if (chapter.number or 0) > (page.number or 0)]
    onwards = (f"{folder}/{later[0].stem}", f"Lesson {later[0].number}") if later else AFTER
    return found + [(onwards[0], "", f"{onwards[1]} ›")] * (onwards[0] in app.env.found_docs)


def lead(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Hand the links to the bar's template."""
    links = []
    for page, place, words in ways(app, pagename) if doctree is not None else []:
        address = f"{'' if page == pagename else context['pathto'](page)}{f'#{place}' if place else ''}"
        # A telephone shows the last word alone, the number of a lesson.
        shown = re.sub(r"(Lesson|My) (?=\S)", r"<span>\1 </span>", words)
        links.append(f'<a href="{html.escape(address)}">{shown}</a>')
    context["companion_ways"] = "\n".join(links)


def place(app: Sphinx, config: Any) -> None:
    """Put them beside the button that opens the list of all pages, in the theme that has one."""
    if config.html_theme != "sphinx_book_theme":
        return
    config.templates_path = [*config.templates_path, str(Path(__file__).with_name("templates"))]
    start = ["toggle-primary-sidebar.html", TEMPLATE]
    config.html_theme_options = {"article_header_start": start, **config.html_theme_options}


def setup(app: Sphinx) -> None:
    """Connect to Sphinx."""
    app.connect("config-inited", place)
    app.connect("html-page-context", lead)
