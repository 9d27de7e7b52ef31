"""A page of each kind of evidence for every chapter, written here and not under version control.

One page for all papers took a browser seconds to typeset. What every chapter's page of a kind shares, the meaning of columns
and words, stands on the page of that kind, which also leads old addresses to where their entries are now.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from companion.papers.across import repeat_runs
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

#: What the page of a chapter above the papers holds.
_ABOVE = {"ledger": "Everything that this companion itself states there, evaluated by a program."}

_PAGE = """---
html_theme.sidebar_secondary.remove: true
---

# Chapter {number}: {title}

*{paper}.* {what} {{doc}}`What the columns and the words mean <../{name}>`.

```{{evidence-{name}}} {slug}
```
"""

_RUNS = """
(runs-{slug})=
## Runs needed to show an order

An order of two means may be chance. Here our stored results are drawn again, with replacement, as many as the paper has runs, or
as we have where it does not say. The probability of an order is the share of draws that show it. {order} Methods that run with
one seed share what is random about the problem, so seeds are drawn for both methods at once, or for each of its own. Equal means
count for neither. Where a paper's text and its published code differ, the runs are those of the text.
The table has the first method and the next one whose results are not the same.

```{{evidence-runs}} {slug}
```

:::{{figure-to-drag}} runs
:still: runs-{slug}
:record: companion.papers.across.repeat_runs.record_{slug}

With enough runs an order that our runs share is shown nearly every time, and one that they contradict hardly ever.

Choose two methods, and add runs until the order is shown nine times in ten, the level that is dashed. Where the curve falls
instead, our runs have the two the other way round.
:::
"""

#: Whose order is asked for.
_ORDERS = {
    True: "The order asked for is that of the printed means.",
    False: "The paper prints no means of these, so the order asked for is that of our means over all runs.",
}


def runs(slug: str) -> str:
    """The part of a page on verdicts that asks for the number of runs; empty for a paper that is not among those compared."""
    return _RUNS.format(slug=slug, order=_ORDERS[slug in repeat_runs.PRINTED]) if slug in repeat_runs.SOURCES else ""


def write(root: Path) -> None:
    """Write the pages; those of chapters that are gone are removed, and one that is right already is left alone."""
    chapters = data.chapters(root)
    for name, (title, what) in KINDS.items():
        folder = root / "book" / name
        folder.mkdir(parents=True, exist_ok=True)
        wanted = {
            folder / f"{chapter.stem}.md": _PAGE.format(
                number=chapter.number,
                title=title,
                paper=chapter.title,
                what=_ABOVE.get(name, what) if chapter.above else what,
                name=name,
                slug=chapter.paper,
            )
            + (runs(chapter.paper) if name == "verdicts" else "")
            for chapter in chapters
            if name in chapter.names
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
