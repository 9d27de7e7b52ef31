"""A page of each kind of evidence for every chapter, written here and not under version control.

One page for all papers took a browser seconds to typeset. What every chapter's page of a kind shares, the meaning of columns
and words, stands on the page of that kind, which also leads old addresses to where their entries are now.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from companion_evidence import data

#: By the name of the stored file: the title behind the chapter's number, and what the page holds.
KINDS = {
    "ledger": (
        "statements",
        "Every numbered statement of the paper, evaluated by a program or with the reason why not.",
    ),
    "verdicts": (
        "numbers and claims",
        "Every number in the paper's tables beside ours, and its conclusions in words, tested.",
    ),
    "discrepancies": ("suspected errors", "Places of the paper that looked wrong, and what a computation found."),
}

_PAGE = """---
html_theme.sidebar_secondary.remove: true
---

# Chapter {number}: {title}

*{paper}.* {what} {{doc}}`What the columns and the words mean <../{name}>`.

```{{evidence-{name}}} {slug}
```
"""


def write(root: Path) -> None:
    """Write the pages; those of chapters that are gone are removed, and one that is right already is left alone."""
    chapters = data.chapters(root)
    for name, (title, what) in KINDS.items():
        folder = root / "book" / name
        folder.mkdir(parents=True, exist_ok=True)
        wanted = {
            folder / f"{chapter.stem}.md": _PAGE.format(
                number=chapter.number, title=title, paper=chapter.title, what=what, name=name, slug=chapter.paper
            )
            for chapter in chapters
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
