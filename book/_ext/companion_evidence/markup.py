"""From stored values to document nodes, by the templates beside this file.

A template writes a small HTML, the elements of ``_NODES``: ``m`` is a formula and ``mm`` one on its own line, and ``a``
leads to a place of the book, see :mod:`~companion_evidence.links`, or with ``href`` on its own page or elsewhere; ``pre`` is a
program, or what it prints. A line break of a
template means nothing beside a tag, and a space between words. What is put into a template is data: nothing in it is
read as markup, save by :func:`inline` and :func:`blocks`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from jinja2 import Environment, FileSystemLoader
from jinja2.ext import Extension
from markupsafe import Markup, escape

from companion_evidence.links import EvidenceLink

_INLINE = re.compile(r"\\\$|\$(?P<m>[^$]+)\$|`(?P<code>[^`]+)`")
_DISPLAY = re.compile(r"\$\$(.+?)\$\$", flags=re.DOTALL)
_BREAK = re.compile(r"(?:(?<=>)|(?<=[%#]\}))\s*\n\s*|\s*\n\s*(?=<|\{[%#]|\Z)|(?<=\}\})\s*\n\s*(?=\{\{)")
_MINUS = "\N{MINUS SIGN}"


def inline(text: str) -> Markup:
    r"""Text in which ``$...$`` is a formula, ```...``` a name in the code, and ``\$`` a dollar sign.

    Raises
    ------
    ValueError
        when a dollar sign has no partner
    """
    if "$" in _INLINE.sub("", text):
        raise ValueError(f"a dollar sign without its partner in {text!r}")
    return Markup(_INLINE.sub(_tagged, escape(text)))


def _tagged(found: re.Match[str]) -> str:
    tag = found.lastgroup
    return "$" if tag is None else f"<{tag}>{found[tag]}</{tag}>"


def blocks(text: str) -> Markup:
    """Paragraphs, and formulas on their own lines between ``$$``; see :func:`inline`."""
    found = Markup()
    for place, piece in enumerate(_DISPLAY.split(text)):
        if place % 2:
            found += Markup("<mm>{}</mm>").format(piece.strip())
        else:
            parts = [part.strip() for part in re.split(r"\n\s*\n", piece)]
            found += Markup().join(Markup("<p>{}</p>").format(inline(part)) for part in parts if part)
    return found


def words(token: str) -> str:
    """A token as a reader's words: ``holds-with-corrected-constant`` without its hyphens."""
    return str(token).replace("-", " ").replace("_", " ")


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
        return "; ".join(f"{words(key)}: {describe(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(describe(item) for item in value) or "none"
    return str(value)


class Joined(Extension):
    """Takes the line breaks of a template away, so that it can be indented as it is read."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The template without breaks beside tags; Markdown, whose lines mean something, as it is."""
        return source if str(name).endswith(".md.jinja") else re.sub(r"\s*\n\s*", " ", _BREAK.sub("", source))


TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=lambda name: not str(name).endswith(".md.jinja"),
    extensions=[Joined],
    trim_blocks=True,
    keep_trailing_newline=True,
)


class Block(nodes.General, nodes.Element):
    """An HTML element that docutils has no node for: what unfolds, or an empty place with data for a script."""


class Line(nodes.Part, nodes.TextElement):
    """The like with text: what shows of a block while it is folded."""


_NODES: Mapping[str, type[nodes.Element]] = {
    "p": nodes.paragraph,
    "span": nodes.inline,
    "code": nodes.literal,
    "pre": nodes.literal_block,
    "m": nodes.math,
    "mm": nodes.math_block,
    "a": EvidenceLink,
    "ul": nodes.bullet_list,
    "li": nodes.list_item,
    "dl": nodes.definition_list,
    "dt": nodes.term,
    "dd": nodes.definition,
    "table": nodes.table,
    "tr": nodes.row,
    "th": nodes.entry,
    "td": nodes.entry,
    "section": nodes.section,
    "h": nodes.title,
    "details": Block,
    "div": Block,
    "summary": Line,
}


def document(source: str) -> list[nodes.Node]:
    """Nodes of a template's HTML; a list without items is left out, and so is a term without content."""
    return _content(ElementTree.fromstring(f"<body>{source}</body>"))


def _content(element: ElementTree.Element) -> list[nodes.Node]:
    found: list[nodes.Node] = [nodes.Text(element.text)] if element.text else []
    for child in element:
        found += _node(child)
        found += [nodes.Text(child.tail)] if child.tail else []
    return found


def _node(element: ElementTree.Element) -> list[nodes.Node]:
    content, tag = _content(element), element.tag
    attributes: dict[str, Any] = dict(element.attrib)
    made = _NODES[tag]("", classes=attributes.pop("class", "").split(), ids=attributes.pop("id", "").split())
    if isinstance(made, Block | Line):
        made["tag"] = tag
    elif tag == "pre":
        made.rawsource = str(element.text)  # else Sphinx takes it for text with markup, and does not highlight it
    elif tag in ("li", "dd", "th", "td"):
        content = _paragraphs(content)
    elif tag == "dl":
        pairs = zip(content[::2], content[1::2], strict=True)
        content = [nodes.definition_list_item("", *pair) for pair in pairs if pair[1].children]
    elif tag == "table":
        columns = len(content[0].children)
        body = nodes.thead("", content[0]), nodes.tbody("", *content[1:])
        content = [nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in range(columns)), *body, cols=columns)]
    elif tag == "mm":
        made.attributes |= {"nowrap": False, "number": None, "label": None}
    elif tag == "a" and "href" in attributes:
        inside = attributes["href"].startswith("#")
        made = nodes.reference("", refuri=attributes["href"], internal=inside, classes=made["classes"])
        attributes = {"reftitle": attributes["title"]} if "title" in attributes else {}
    elif tag == "a" and "page" in attributes:
        attributes = {"anchor": "", "query": "", "asker": ""} | attributes
    if "colspan" in attributes:
        attributes["morecols"] = int(attributes.pop("colspan")) - 1
    made.attributes |= attributes
    made += content
    return [made] if content or tag not in ("ul", "dl") else []


def _paragraphs(content: list[nodes.Node]) -> list[nodes.Node]:
    """What stands between blocks, each run of it as a paragraph."""
    found: list[nodes.Node] = []
    for inside, run in groupby(content, lambda node: isinstance(node, nodes.Text | nodes.Inline)):
        together = list(run)
        found += [nodes.paragraph("", "", *together)] if inside else together
    return found
