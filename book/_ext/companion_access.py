"""Sphinx extension: what the theme and its extensions leave out for readers without a mouse or without sight.

Folds, buttons and the list of references get names and roles that fit what they show; see :data:`MENDED`. The script
``reading.js`` does what depends on the width of the window. ``tests/book/test_browser.py`` looks at the outcome.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

from sphinx.application import Sphinx


def _named(link: re.Match[str]) -> str:
    name = html.escape(html.unescape(re.sub(r"<[^>]*>", "", link["title"])).strip(), quote=True)
    return f'{link["start"]}<summary aria-label="Pages of {name}">'


#: Patterns in a page, and what stands there instead.
MENDED: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    # A fold is called what it shows, not "Toggle hidden content", the same on the whole page.
    (re.compile(r'<summary aria-label="Toggle hidden content">'), "<summary>"),
    # The fold of pages below a page shows a picture only.
    (re.compile(r'(?P<start><a class="[^"]*" href="[^"]*">(?P<title>[^\n]*?)</a><details[^>]*>)<summary>'), _named),
    # What is seen on a button has to be part of its name: somebody who speaks to the computer reads it out.
    (
        re.compile(r'(<button class="btn search-button-field[^>]*?) title="Search" aria-label="Search"'),
        r"\1",
    ),
    (re.compile(r'(<i class="theme-switch [^"]*" data-mode="\w+")\s+title="[^"]*"'), r'\1 aria-hidden="true"'),
    # Entries of a list are called so; the role that they had is deprecated.
    (re.compile(r'role="doc-biblioentry"'), 'role="listitem"'),
)


def mend(page: str) -> str:
    """A page with all of :data:`MENDED`."""
    for pattern, instead in MENDED:
        page = pattern.sub(instead, page)
    return page


def begin(app: Sphinx) -> None:
    """Mend every page as its template has made it."""
    templates = getattr(app.builder, "templates", None)
    if templates is None:
        return
    render = templates.render

    def mended(template: str, context: dict[str, Any]) -> str:
        page = str(render(template, context))
        return mend(page) if template.endswith(".html") else page

    templates.render = mended


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("builder-inited", begin)
    app.add_js_file("reading.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
