"""Sphinx extension: complete the "where from" lines of a chapter when its page is written.

The outputs of a notebook name what is the same on every run: command, profile, seeds and study. The record beside the
notebook (``notebooks/<stem>.record.json``) knows what is not, date and seconds, and version control the commit. Here these are
put together, commands lead to the page about running things again, and studies to their code.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import companion_source
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from companion.core.errors import ResultError
from companion.current.origin import origin
from companion.pages.page_record import read_page_record
from companion.pages.provenance import seconds_in_words

#: The page about commands, and its sections on ``make`` and on ``companion``.
RERUN, MAKE, COMPANION = "book/rerun", "one-command-each", "the-companion-command"

_WHERE = re.compile(r'<details class="companion-where">.*?</details>', flags=re.DOTALL)
_COMMAND = re.compile(r'<code class="command">(?P<text>.*?)</code>')
_CALL = re.compile(r'<code class="call" data-study="(?P<study>[\w.]+)">(?P<text>.*?)</code>')
_MADE = re.compile(r'<span class="run" data-made="(?P<made>[^"]+)">')
_RUN = re.compile(r'<span class="run" data-key="(?P<key>[0-9a-f]+)"></span>')
_LOGGER = logging.getLogger(__name__)


def record_path(app: Sphinx, page: str) -> Path:
    """The record beside the notebook of a page, whether or not there is one."""
    return Path(app.srcdir) / f"{page}.record.json"


def depend_on_record(app: Sphinx, doctree: nodes.document) -> None:
    """Write a page anew when the record beside its notebook has changed."""
    path = record_path(app, app.env.docname)
    if path.is_file():
        app.env.note_dependency(str(path))


def fill(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document) -> None:
    """Complete every line on one page; what cannot be completed is a warning, and warnings end the build."""
    if "companion-where" not in context.get("body", ""):
        return
    content: dict[str, Any] = {}
    if _RUN.search(context["body"]):
        try:
            content = read_page_record(record_path(app, pagename))
        except ResultError as error:
            _LOGGER.warning("%s: where its numbers come from is not known: %s", pagename, error)
            return

    def complete(where: re.Match[str]) -> str:
        text = _RUN.sub(lambda match: _run(app, pagename, match["key"], content), where[0])
        text = _MADE.sub(lambda match: f'<span class="run">{_commit(app, _stored(app).get(match["made"]))}', text)
        text = _COMMAND.sub(lambda match: _link(_rerun(app, pagename, match["text"]), match[0]), text)
        return _CALL.sub(lambda match: _link(_code(app, pagename, match["study"]), match[0]), text)

    context["body"] = _WHERE.sub(complete, context["body"])


def _stored(app: Sphinx) -> dict[str, str]:
    """The record of a stored result, below the repository, by the time at which it was made."""
    root = Path(app.srcdir)
    if not hasattr(app, "companion_stored"):
        found = {}
        for path in (root / "data" / "results").glob("*/*.json"):
            content = json.loads(path.read_text(encoding="utf-8"))
            record = content.get("record", content)
            found[record["date"]] = path.relative_to(root).as_posix()
        app.companion_stored = found  # type: ignore[attr-defined]
    return app.companion_stored  # type: ignore[attr-defined,no-any-return]


def _commit(app: Sphinx, path: str | None) -> str:
    """``commit 0c52d4698f · `` of a file; nothing where there is no history."""
    known = origin(Path(app.srcdir), path) if path else None
    return f"commit {known.commit[:10]} · " if known and known.commit else ""


def _run(app: Sphinx, page: str, key: str, content: dict[str, Any]) -> str:
    """Commit, date and seconds of one study."""
    study, record = content["studies"].get(key), content["record"]
    if study is None:
        _LOGGER.warning("%s: the record beside the notebook has no study %s", page, key)
        return ""
    parts = [
        record["date"][:10],
        seconds_in_words(record["seconds"]) + " in all"
        if study["seconds"] is None
        else seconds_in_words(study["seconds"]),
    ]
    commit = _commit(app, f"{page}.ipynb")
    return f' · <span class="run">{commit}{html.escape(" · ".join(parts))}</span>'


def _rerun(app: Sphinx, page: str, command: str) -> str:
    """Address of the section that explains a command."""
    section = MAKE if command.startswith("make ") else COMPANION
    return f"{app.builder.get_relative_uri(page, RERUN)}#{section}"


def _code(app: Sphinx, page: str, study: str) -> str:
    """Address of a study's code among the listings."""
    found = companion_source.address(app, page, *companion_source.split(study))
    if found is None:
        _LOGGER.warning("%s: the book has no code of %s", page, study)
    return found or ""


def _link(address: str, text: str) -> str:
    return f'<a href="{html.escape(address)}">{text}</a>' if address else text


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("doctree-read", depend_on_record)
    app.connect("html-page-context", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
