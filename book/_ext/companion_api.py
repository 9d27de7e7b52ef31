"""Sphinx extension: a page of the API lists packages, and every module in them is documented without being named.

A page holds lines of the form ``%api companion.gp``. Each is replaced, before the page is parsed, by one section per
module of that package (or by one section when it is a module), so a new module appears in the book by being there.
Every paper has such a page, ``book/api/papers/<slug>.md``, which is written here and is not under version control.
References to re-exported objects are led to the place of their definition, and bars in docstrings stay bars.
"""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from companion.checks.lead import Lead
from companion.checks.statement import Statement
from companion.notebook.document import chapters

_LINE = re.compile(r"^%api (?P<name>companion[\w.]*)$", flags=re.MULTILINE)
_SECTION = """## {name}

```{{eval-rst}}
.. automodule:: {name}
   :members:
   :ignore-module-all:
```
"""
_LOGGER = logging.getLogger(__name__)


def modules(name: str) -> list[str]:
    """``name`` and every module below it, in alphabetical order; an empty list when there is no such module."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations is None:
        return [name]
    below = pkgutil.walk_packages([str(Path(place)) for place in spec.submodule_search_locations], f"{name}.")
    return [name, *sorted(found.name for found in below if not found.name.endswith("__main__"))]


def write_pages(root: Path) -> None:
    """A page of the API for every chapter's paper; those of papers that are gone are removed."""
    folder = root / "book" / "api" / "papers"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {
        folder
        / f"{chapter.paper}.md": f"# Chapter {chapter.number}, {chapter.paper}\n\nProblems, method, theory, statements, "
        f"claims and leads of {{doc}}`../../../notebooks/{chapter.stem}`.\n\n%api companion.papers.{chapter.paper}\n"
        for chapter in chapters(root)
        if chapter.paper is not None
    }
    for path in folder.glob("*.md"):
        if path not in wanted:
            path.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def expand(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the ``%api`` lines of one page."""

    def sections(match: re.Match[str]) -> str:
        found = modules(match["name"])
        if not found:
            _LOGGER.warning("%s: there is no module %s", docname, match["name"])
        return "\n".join(_SECTION.format(name=name) for name in found)

    if docname.startswith("book/api/"):
        source[0] = _LINE.sub(sections, source[0])


def escape_bars(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep absolute values and norms as written: ``|x|`` is a formula in this package, never a substitution."""
    literal: int | None = None  # indentation of the line that opened a literal block
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if literal is not None and line.strip() and indent <= literal:
            literal = None
        if literal is None:
            # Even pieces lie outside ``literal`` text.
            pieces = line.split("``")
            lines[number] = "``".join(
                piece.replace("|", "\\|") if index % 2 == 0 else piece for index, piece in enumerate(pieces)
            )
            if line.rstrip().endswith("::"):
                literal = indent


def skip_entries(app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out statements and leads, whose printed values would be pages of code: they have pages of their own."""
    first = obj[0] if isinstance(obj, tuple) and obj else obj
    return True if isinstance(first, Statement | Lead) else None


def look_up(name: str) -> Any:
    """The object that a dotted name stands for, or ``None``."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            found: Any = import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part, None)
        return found
    return None


def resolve(app: Sphinx, env: BuildEnvironment, node: pending_xref, text: nodes.TextElement) -> nodes.Node | None:
    """A reference to a re-exported object leads to where it is defined; one to a constant or type variable is text."""
    target = str(node.get("reftarget", ""))
    if node.get("refdomain") != "py" or not target.startswith("companion."):
        return None
    found = look_up(target)
    if found is None:
        return None
    if isinstance(found, TypeVar) or not hasattr(found, "__qualname__"):
        return text
    home = f"{found.__module__}.{found.__qualname__}"
    if home == target:
        return None
    domain = env.get_domain("py")
    return domain.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], home, node, text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    write_pages(Path(app.srcdir))
    app.connect("source-read", expand)
    app.connect("missing-reference", resolve)
    app.connect("autodoc-process-docstring", escape_bars)
    app.connect("autodoc-skip-member", skip_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
