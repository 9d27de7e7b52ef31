"""From stored text and numbers to document nodes. Text is data: nothing in it is read as markup, save mathematics.

``$...$`` is a formula, ``$$...$$`` one on its own line, and ```...``` a name in the code; everything else, ``<`` and
``_`` and ``{`` included, stands as written, because it becomes a text node and is escaped by the writer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from docutils import nodes

_INLINE = re.compile(r"\\\$|\$(?P<math>[^$]+)\$|`(?P<code>[^`]+)`")
_DISPLAY = re.compile(r"\$\$(.+?)\$\$", flags=re.DOTALL)
_MINUS = "\N{MINUS SIGN}"


class Disclosure(nodes.General, nodes.Element):
    """A summary line with content to unfold; the first child is the :class:`Summary`."""


class Summary(nodes.Part, nodes.TextElement):
    """What shows while a :class:`Disclosure` is folded."""


def visit_disclosure(writer: Any, node: nodes.Element) -> None:
    """Open the HTML element."""
    writer.body.append(writer.starttag(node, "details", CLASS="evidence-details"))


def depart_disclosure(writer: Any, node: nodes.Element) -> None:
    """Close the HTML element."""
    writer.body.append("</details>\n")


def visit_summary(writer: Any, node: nodes.Element) -> None:
    """Open the HTML element."""
    writer.body.append(writer.starttag(node, "summary", ""))


def depart_summary(writer: Any, node: nodes.Element) -> None:
    """Close the HTML element."""
    writer.body.append("</summary>\n")


def open_silently(writer: Any, node: nodes.Element) -> None:
    """Other formats show the content, unfolded."""


def inline(text: str) -> list[nodes.Node]:
    """Text with ``$formulas$`` and ```code``` as nodes.

    Raises
    ------
    ValueError
        when a dollar sign has no partner
    """
    found: list[nodes.Node] = []
    position = 0
    plain = ""

    def flush() -> None:
        nonlocal plain
        if "$" in plain.replace("\\$", ""):
            raise ValueError(f"a dollar sign without its partner in {text!r}")
        if plain:
            found.append(nodes.Text(plain.replace("\\$", "$")))
        plain = ""

    for match in _INLINE.finditer(text):
        plain += text[position : match.start()]
        position = match.end()
        if match["math"] is not None:
            flush()
            found.append(nodes.math(match["math"], match["math"]))
        elif match["code"] is not None:
            flush()
            found.append(nodes.literal(match["code"], match["code"]))
        else:
            plain += match[0]
    plain += text[position:]
    flush()
    return found


def blocks(text: str) -> list[nodes.Node]:
    """Paragraphs and displayed formulas; see :func:`inline`."""
    found: list[nodes.Node] = []
    for index, piece in enumerate(_DISPLAY.split(text)):
        if index % 2:
            found.append(nodes.math_block(piece, piece.strip(), nowrap=False, number=None, label=None))
        else:
            parts = [part.strip() for part in re.split(r"\n\s*\n", piece)]
            found += [paragraph(*inline(part)) for part in parts if part]
    return found


def paragraph(*content: str | nodes.Node, classes: Sequence[str] = ()) -> nodes.paragraph:
    """A paragraph of texts and nodes."""
    return _filled(nodes.paragraph(classes=list(classes)), content)


def span(*content: str | nodes.Node, classes: Sequence[str] = ()) -> nodes.inline:
    """A part of a line with a class of its own."""
    return _filled(nodes.inline(classes=list(classes)), content)


def code(text: str) -> nodes.literal:
    """A command or a name."""
    return nodes.literal(text, text)


def words(token: str) -> str:
    """A token as a reader's words: ``holds-with-corrected-constant`` without its hyphens."""
    return token.replace("-", " ").replace("_", " ")


def badge(token: str, tone: str) -> nodes.inline:
    """A status or verdict: words in a tinted box. ``tone`` is good, fair, bad or quiet."""
    return span(words(token), classes=("evidence-badge", f"tone-{tone}"))


def number(value: float | None, digits: int = 4, absent: str = "\N{EN DASH}") -> str:
    """``value`` to so many significant digits, with a true minus sign."""
    if value is None:
        return absent
    if math.isinf(value):
        return "\N{INFINITY}" if value > 0 else f"{_MINUS}\N{INFINITY}"
    return f"{value:.{digits}g}".replace("-", _MINUS)


def describe(value: Any) -> str:
    """Any stored value in one line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", _MINUS)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return "; ".join(f"{words(str(key))}: {describe(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(describe(item) for item in value) or "none"
    return str(value)


def outline(value: Any) -> list[nodes.Node]:
    """Any stored value: one line where it is flat, a list of lists where it is nested."""
    if not isinstance(value, Mapping) or not any(isinstance(item, Mapping) for item in value.values()):
        return [paragraph(describe(value))]
    found = nodes.bullet_list()
    for key, item in value.items():
        first, *rest = outline(item)
        name = f"{words(str(key))}: "
        if isinstance(first, nodes.paragraph):
            first.insert(0, nodes.Text(name))
            found += nodes.list_item("", first, *rest)
        else:
            found += nodes.list_item("", paragraph(name), first, *rest)
    return [found]


def facts(pairs: Iterable[tuple[str, Sequence[nodes.Node]]]) -> nodes.definition_list:
    """Terms with their content; a pair without content is left out."""
    found = nodes.definition_list(classes=["evidence-facts"])
    for term, content in pairs:
        if content:
            body = nodes.definition("", *[_block(node) for node in content])
            found += nodes.definition_list_item("", nodes.term(term, term), body)
    return found


def bullets(items: Iterable[Sequence[str | nodes.Node]]) -> nodes.bullet_list:
    """A list with one paragraph an item."""
    return nodes.bullet_list("", *[nodes.list_item("", paragraph(*item)) for item in items])


def disclosure(summary: Sequence[str | nodes.Node], content: Sequence[nodes.Node]) -> Disclosure:
    """Content to unfold below a summary line."""
    return Disclosure("", _filled(Summary(), summary), *content)


def cell(*content: str | nodes.Node, classes: Sequence[str] = (), columns: int = 1) -> nodes.entry:
    """A table cell; ``columns`` says how many it spans."""
    found = nodes.entry(classes=list(classes))
    if columns > 1:
        found["morecols"] = columns - 1
    group: list[str | nodes.Node] = []
    for part in (*content, None):
        if part is None or (isinstance(part, nodes.Body) and not isinstance(part, nodes.Inline)):
            if group:
                found += paragraph(*group)
            group = []
            if part is not None:
                found += part
        else:
            group.append(part)
    return found


def row(cells: Iterable[nodes.entry], classes: Sequence[str] = (), identifier: str = "") -> nodes.row:
    """A table row; ``identifier`` is what links lead to."""
    found = nodes.row("", *cells, classes=list(classes))
    if identifier:
        found["ids"].append(identifier)
    return found


def table(header: Sequence[str], rows: Iterable[nodes.row], classes: Sequence[str] = ()) -> nodes.table:
    """A table with one header row."""
    group = nodes.tgroup(cols=len(header))
    group += [nodes.colspec(colwidth=1) for _ in header]
    group += nodes.thead("", nodes.row("", *[cell(title) for title in header]))
    group += nodes.tbody("", *rows)
    return nodes.table("", group, classes=["evidence-table", *classes])


def section(title: str, identifier: str, classes: Sequence[str] = ()) -> nodes.section:
    """A section with a heading that links can lead to."""
    return nodes.section(
        "", nodes.title("", "", *inline(title)), ids=[nodes.make_id(identifier)], classes=list(classes)
    )


def _block(node: nodes.Node) -> nodes.Node:
    return paragraph(node) if isinstance(node, nodes.Text | nodes.Inline) else node


def _filled(parent: Any, content: Iterable[str | nodes.Node]) -> Any:
    for part in content:
        parent += nodes.Text(part) if isinstance(part, str) else part
    return parent
