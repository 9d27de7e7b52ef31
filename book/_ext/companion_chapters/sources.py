"""One quiet *where from* a section in place of one an output: every run is named once, with what was made from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from docutils import nodes

from companion_chapters.captions import Shown, replace_text
from companion_chapters.identity import of_section

_LINE = re.compile(r'<details class="companion-where"><summary>where from</summary>(?P<body>.*?)</details>', re.DOTALL)
_SOURCE = '<span class="source">'
#: What is not a figure or table.
TEXT = "the text"


@dataclass
class Gathered:
    """The runs behind one section, in the order in which they were first named, and what was made from each."""

    uses: dict[str, list[str]] = field(default_factory=dict)

    def add(self, body: str, user: str) -> None:
        """Add the sources of one output; ``user`` is a link to it, or :data:`TEXT`."""
        for source in body.split(_SOURCE)[1:]:
            users = self.uses.setdefault(source, [])
            if user not in users:
                users.append(user)

    def html(self, place: str) -> str:
        """The folded block; ``place`` is where captions lead to, inside, so that going there opens it."""
        lines = []
        for source, users in self.uses.items():
            # The text is named last: figures and tables are what a reader looks for.
            named = sorted(users, key=lambda user: user == TEXT)
            words = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
            inner = source.removesuffix("</span>")
            lines.append(f'{_SOURCE}{inner}<span class="users"> · for {words}</span></span>')
        body = "".join(lines)
        return f'<details class="companion-where"><summary>where from</summary><div id="{place}">{body}</div></details>'


def gather(doctree: nodes.document, shown: Mapping[nodes.raw, Shown]) -> None:
    """Move the sources of all outputs of one page to the ends of their sections, before any section below them.

    Parameters
    ----------
    doctree : the page
    shown : its figures and tables
    """
    sections: dict[nodes.section, Gathered] = {}
    for node in list(doctree.findall(nodes.raw)):
        line = _LINE.search(node.astext()) if node.get("format") == "html" else None
        section = _section(node)
        if line is None or section is None:
            continue
        own = shown.get(node)
        place = f"where-{of_section(section)}"
        user = TEXT if own is None else f'<a href="#{own.identifier}">{own.label}</a>'
        sections.setdefault(section, Gathered()).add(line["body"], user)
        rest = node.astext().replace(line[0], "", 1)
        if own is not None:
            rest = rest.replace(
                "</figcaption>", f' <a class="companion-from" href="#{place}">where from</a></figcaption>', 1
            )
        if rest.strip():
            replace_text(node, rest)
        else:
            node.parent.remove(node)
    for section, gathered in sections.items():
        block = nodes.raw("", gathered.html(f"where-{of_section(section)}"), format="html")
        below = next((at for at, child in enumerate(section) if isinstance(child, nodes.section)), len(section))
        section.insert(below, block)


def _section(node: nodes.Node) -> Any:
    found: Any = node.parent
    while found is not None and not isinstance(found, nodes.section):
        found = found.parent
    return found
