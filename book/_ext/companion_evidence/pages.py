"""A page of each kind of evidence, and one for the authors, for every chapter, written here and not under version control.

One page for all papers took a browser seconds to typeset. What every chapter's page of a kind shares, the meaning of columns
and words, stands on the page of that kind, which also leads old addresses to where their entries are now.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from companion.papers.across.page import repeat_runs
from companion_evidence import data, errata, markup


def write(root: Path) -> None:
    """Write the pages; those of chapters that are gone are removed, and one that is right already is left alone."""
    chapters, page = data.chapters(root), markup.TEMPLATES.get_template("page.md.jinja")
    for name in (*data.NAMES, errata.NAME):
        folder = root / "book" / name
        folder.mkdir(parents=True, exist_ok=True)
        wanted = {
            folder / f"{chapter.stem}.md": page.render(name=name, chapter=chapter, runs=repeat_runs)
            for chapter in chapters
            if name in chapter.names or (name == errata.NAME and not chapter.above)
        }
        for path in folder.glob("*.md"):
            if path not in wanted:
                path.unlink()
        for path, text in wanted.items():
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")


_OLD = re.compile(
    r'href="(?P<start>[^"#]*book/)(?P<name>ledger|verdicts|discrepancies)\.html#(?P<old>(?P=name)-(?P<paper>\w+)-)'
)


def lead_on(app: Sphinx, doctree: nodes.document) -> None:
    """Lead the links of a chapter's outputs to where the entries are: outputs name the page that once held all papers."""
    stems = {chapter.paper: chapter.stem for chapter in data.chapters(Path(app.srcdir))}

    def moved(link: re.Match[str]) -> str:
        stem = stems.get(link["paper"])
        return link[0] if stem is None else f'href="{link["start"]}{link["name"]}/{stem}.html#{link["old"]}'

    for node in doctree.findall(nodes.raw):
        text = node.astext()
        if node.get("format") == "html" and "#" in text and _OLD.search(text):
            node.children = [nodes.Text(_OLD.sub(moved, text))]
