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

EXERCISES, AFTER, TEMPLATE = "exercises", ("book/decide", "My setting"), "companion-chapter-links.html"


def links(app: Sphinx, pagename: str) -> list[tuple[str, str, str]]:
    """Of a page of a chapter: page, place on it, and words of every link; of other pages nothing."""
    if chapter_number(pagename) is None or (root := Path(app.srcdir)) not in Path(app.env.doc2path(pagename)).parents:
        return []
    page, folder = Chapter(root / f"{pagename}.py", root), pagename.rpartition("/")[0]
    lesson, *_ = page.pages
    made = [chapter for chapter in lessons(root) if f"{folder}/{chapter.stem}" in app.env.found_docs]
    chapters = sorted((chapter.number, chapter.stem) for chapter in made if chapter.number is not None)
    found = [(f"{folder}/{stem}", "", f"‹ Lesson {number}") for number, stem in chapters if number < lesson.number][-1:]
    places = app.env.tocs[f"{folder}/{lesson.stem}"].findall(nodes.reference)
    if any(each.get("anchorname") == f"#{EXERCISES}" for each in places):
        found.append((f"{folder}/{lesson.stem}", EXERCISES, "Exercises"))
    for other in page.pages:
        if other != page:
            found.append((f"{folder}/{other.stem}", "", "Record" if other.part == RECORD else "Lesson"))
    later = [(f"{folder}/{stem}", f"Lesson {number}") for number, stem in chapters if number > lesson.number]
    target, words = [*later, AFTER][0]
    return found + [(target, "", f"{words} ›")] * (target in app.env.found_docs)


def write_links(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Hand the links to the bar's template."""
    found = []
    for page, place, words in links(app, pagename) if doctree is not None else []:
        address = f"{'' if page == pagename else context['pathto'](page)}{f'#{place}' if place else ''}"
        # A telephone shows the last word alone, the number of a lesson.
        shown = re.sub(r"(Lesson|My) (?=\S)", r"<span>\1 </span>", words)
        found.append(f'<a href="{html.escape(address)}">{shown}</a>')
    context["companion_chapter_links"] = "\n".join(found)


def extend_bar(app: Sphinx, config: Any) -> None:
    """Put them beside the button that opens the list of all pages, in the theme that has one."""
    if config.html_theme != "sphinx_book_theme":
        return
    config.templates_path = [*config.templates_path, str(Path(__file__).with_name("templates"))]
    start = ["toggle-primary-sidebar.html", TEMPLATE]
    config.html_theme_options = {"article_header_start": start, **config.html_theme_options}


def setup(app: Sphinx) -> None:
    """Connect to Sphinx."""
    app.connect("config-inited", extend_bar)
    app.connect("html-page-context", write_links)
