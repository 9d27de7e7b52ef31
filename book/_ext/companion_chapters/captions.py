"""Figures and tables of a chapter get the chapter's number and their own, and an address that outlives the number."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.std import StandardDomain

from companion_chapters.identity import name_of, of_section

#: Words and prefixes of addresses, by the class that the package gives its output.
KINDS = {"figure": ("Figure", "fig"), "table": ("Table", "tab")}

_CHAPTER = re.compile(r"^notebooks/ch(?P<number>\d+)_")
#: A cell with one of these tags shows nothing.
_HIDDEN = frozenset({"remove-cell", "remove-output"})
_OPENING = re.compile(r'<figure class="companion-(?P<kind>figure|table)">')


@dataclass(frozen=True)
class Shown:
    """A figure or table: the words that name it, and its address on the page."""

    label: str
    identifier: str


def chapter_number(page: str) -> int | None:
    """The number in the name of a chapter's page, whatever place the page has in the table of contents."""
    found = _CHAPTER.match(page)
    return int(found["number"]) if found else None


def outputs(cells: Iterable[Any], absent: Set[str]) -> list[tuple[str, str]]:
    """(class, name) of the figures and tables that the cells of a notebook show, in their order.

    Parameters
    ----------
    cells : of an executed notebook
    absent : tags of cells that the book leaves out besides
    """
    shown = [cell for cell in cells if not _HIDDEN.union(absent).intersection(cell.metadata.get("tags", []))]
    return [
        (opening["kind"], name_of(cell.source))
        for cell in shown
        for output in cell.get("outputs", [])
        if (opening := _OPENING.search(output.get("data", {}).get("text/html", "")))
    ]


def number(
    app: Sphinx, doctree: nodes.document, sources: Sequence[str], before: Sequence[tuple[str, str]] = ()
) -> dict[nodes.raw, Shown]:
    """Write numbers and addresses into the figures and tables of one page, in their order.

    Parameters
    ----------
    app : Sphinx
    doctree : the page
    sources : the code of its cells, by their place in the notebook
    before : :func:`outputs` of the page of the chapter whose numbers this one continues

    Returns
    -------
    what was numbered, by the node that holds it. References by ``ch3-fig-one-run`` work from any page.
    """
    page = app.env.docname
    chapter = chapter_number(page)
    found = dict[nodes.raw, Shown]()
    counts = Counter(KINDS[kind][0] for kind, _ in before)
    names = Counter(f"{KINDS[kind][1]}-{name}" for kind, name in before)
    for node in list(doctree.findall(nodes.raw)):
        opening = _OPENING.search(node.astext()) if node.get("format") == "html" else None
        if opening is None:
            continue
        word, prefix = KINDS[opening["kind"]]
        counts[word] += 1
        name = f"{prefix}-{_name(node, sources)}"
        names[name] += 1
        shown = Shown(
            f"{word} {counts[word]}" if chapter is None else f"{word} {chapter}.{counts[word]}",
            name if names[name] == 1 else f"{name}-{names[name]}",
        )
        write(node, opening, shown)
        register(app, page, f"ch{chapter}-{shown.identifier}" if chapter is not None else shown.identifier, shown)
        found[node] = shown
    return found


def write(node: nodes.raw, opening: re.Match[str], shown: Shown) -> None:
    """Put the address on the figure, and its number, which is a link to it, at the head of the caption."""
    text = node.astext()
    head = opening[0].replace(">", f' id="{shown.identifier}">')
    link = (
        f'<a class="companion-number" href="#{shown.identifier}" title="Link to this {shown.label.split()[0].lower()}">'
        f"{html.escape(shown.label)}</a> "
    )
    replace_text(node, text.replace(opening[0], head, 1).replace("<figcaption>", f"<figcaption>{link}", 1))


def replace_text(node: nodes.raw, text: str) -> None:
    """Give a raw node another text."""
    node.children = [nodes.Text(text)]
    node.children[0].parent = node
    node.rawsource = text


def register(app: Sphinx, page: str, label: str, shown: Shown) -> None:
    """Let other pages refer to it: ``{ref}`` shows its number."""
    domain = cast(StandardDomain, app.env.get_domain("std"))
    domain.labels[label] = (page, shown.identifier, shown.label)
    domain.anonlabels[label] = (page, shown.identifier)


def _name(node: nodes.raw, sources: Sequence[str]) -> str:
    """What the cell's code calls it; without a cell that says so, its section."""
    ancestor: Any = node.parent
    section = ""
    while ancestor is not None:
        index = ancestor.get("cell_index") if isinstance(ancestor, nodes.container) else None
        if index is not None and index < len(sources) and (name := name_of(sources[index])):
            return name
        if isinstance(ancestor, nodes.section) and not section:
            section = of_section(ancestor)
        ancestor = ancestor.parent
    return section or "shown"
