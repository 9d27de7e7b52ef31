"""The head of a chapter: where its paper, the authors' code and the page's source are to be had."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

from docutils import nodes
from pybtex.database import Entry, parse_file
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from companion.pages.document import Chapter
from companion_chapters.captions import chapter_number

_CITED = re.compile(r"\{cite(?::\w+)?\}`(?P<key>[\w:-]+)`")
_ADDRESS = re.compile(r"https?://[^\s}]+")


def links(entry: Entry, source: str) -> list[tuple[str, str, str]]:
    """What a reader may want to open: what it is, its name and address; only what the bibliography states.

    Parameters
    ----------
    entry : of the chapter's paper
    source : address of the chapter's source, or empty
    """
    fields, found = entry.fields, list[tuple[str, str, str]]()
    if "doi" in fields:
        found.append(("The paper: ", f"doi:{fields['doi']}", f"https://doi.org/{fields['doi']}"))
    if "eprint" in fields:
        found.append(("The paper: ", f"arXiv:{fields['eprint']}", f"https://arxiv.org/abs/{fields['eprint']}"))
    code = _ADDRESS.search(fields.get("note", ""))
    if code:
        found.append(("its authors’ code: " if found else "The authors’ code: ", code[0].split("://")[1], code[0]))
    if source:
        found.append(("", "source of this page", source))
    return found


def cited_work(app: Sphinx, text: str) -> tuple[str, Entry] | None:
    """The work that a text cites first, and its key in the bibliography; ``None`` where it cites none."""
    cited = _CITED.search(text)
    if cited is None:
        return None
    works: dict[str, Entry] = {}
    for name in app.config.bibtex_bibfiles:
        works |= _read(path := Path(app.srcdir) / name, path.stat().st_mtime_ns)
    if cited["key"] not in works:
        raise ExtensionError(f"{app.env.docname}: no bibliography has {cited['key']!r}")
    return cited["key"], works[cited["key"]]


@functools.cache
def _read(path: Path, changed: int) -> dict[str, Entry]:
    return dict(parse_file(str(path)).entries.items())


def add_links(app: Sphinx, doctree: nodes.document, text: str, others: Sequence[Chapter] = ()) -> None:
    """Put a line below the title of a chapter: its paper is the first work that it cites, and its other page stands beside."""
    title = next(iter(doctree.findall(nodes.title)), None)
    if chapter_number(app.env.docname) is None or title is None or (work := cited_work(app, text)) is None:
        return
    for name in app.config.bibtex_bibfiles:
        app.env.note_dependency(str(Path(app.srcdir) / name))
    repository = app.config.companion_repository.rstrip("/")
    source = f"{repository}/blob/main/{app.env.docname}.py" if repository else ""
    found = links(work[1], source)
    if not found and not others:
        return
    line = nodes.paragraph(classes=["companion-paper"])
    for what, words, address in found:
        line += nodes.Text(f" · {what}" if len(line) else what)
        line += nodes.reference("", words, refuri=address, internal=False)
    for other in others:
        if len(line):
            line += nodes.Text(" · ")
        words = nodes.inline(
            "", f"the {other.part} of this chapter" if len(line) else f"The {other.part} of this chapter"
        )
        known = {"refdomain": "std", "reftype": "doc", "refexplicit": True, "refwarn": True, "refdoc": app.env.docname}
        line += addnodes.pending_xref("", words, reftarget=f"/notebooks/{other.stem}", **known)
    title.parent.insert(title.parent.index(title) + 1, line)
