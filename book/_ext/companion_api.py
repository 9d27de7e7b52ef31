"""Sphinx extension: the pages of the API document what people call; everything else is a link to its code.

A page holds lines that are replaced, before it is parsed, by the documentation of names:

``%api companion.gp``
    what the package exports, its ``__all__``, under the names that people import
``%api companion.bounds.confidence``
    the public definitions of a module
``%api companion.checks.chain: Chain Step``
    these names of a module

A reference in a docstring to something that is documented leads there; one to any other definition of the package leads to
its code; one to nothing is a warning. Every documented name is linked to its code as well. Bars in docstrings stay bars.
The page of a paper is made by :mod:`companion_paper_api`.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import companion_source
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

PAGES = "book/api"
_LINE = re.compile(r"^%api (?P<place>companion[\w.]*)(?P<names>: [\w ]+)?$", flags=re.MULTILINE)
_BLOCK = "```{{eval-rst}}\n{directives}```\n"
_LOGGER = logging.getLogger(__name__)


def homes(package: str) -> dict[str, str]:
    """Where the names that a module has from others of this package are defined: dotted names by name."""
    path = companion_source.path_of(package)
    tree = ast.parse(path.read_text(encoding="utf-8")) if path else ast.Module([], [])
    return {
        alias.asname or alias.name: f"{item.module}.{alias.name}"
        for item in tree.body
        if isinstance(item, ast.ImportFrom) and item.module and item.module.startswith("companion")
        for alias in item.names
    }


def offered(module: ModuleType) -> list[str]:
    """What a module offers: its ``__all__``, or its public functions and classes in the order of the file."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == module.__name__
    ]


def asked(text: str) -> Iterator[tuple[str, list[str]]]:
    """(module, names) of every line of a page."""
    for found in _LINE.finditer(text):
        module = importlib.import_module(found["place"])
        yield found["place"], found["names"][2:].split() if found["names"] else offered(module)


@functools.cache
def documented(root: Path) -> dict[str, str]:
    """The name under which a definition is documented, by the name of its home; on all pages."""
    found = {}
    for page in sorted((root / PAGES).glob("*.md")):
        for place, names in asked(page.read_text(encoding="utf-8")):
            origin = homes(place)
            found |= {origin.get(name, f"{place}.{name}"): f"{place}.{name}" for name in names}
    return found


def directive(place: str, name: str) -> str:
    """What documents one name."""
    value = getattr(importlib.import_module(place), name)
    if inspect.isclass(value):
        kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
        return f".. {kind}:: {place}.{name}\n   :members:\n\n"
    if inspect.isroutine(value):
        return f".. autofunction:: {place}.{name}\n\n"
    # The comment above a constant stands where it is defined.
    value = "" if isinstance(value, tuple | str | int | float) else "   :no-value:\n"
    return f".. autodata:: {homes(place).get(name, f'{place}.{name}')}\n{value}\n"


def expand(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the ``%api`` lines of one page."""

    def sections(match: re.Match[str]) -> str:
        try:
            ((place, names),) = asked(match[0])
            return _BLOCK.format(directives="".join(directive(place, name) for name in names))
        except (ImportError, AttributeError) as error:
            _LOGGER.warning("%s: %s", docname, error)
            return ""

    if docname.startswith(f"{PAGES}/"):
        source[0] = _LINE.sub(sections, source[0])


def escape_bars(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep absolute values and norms as written: ``|x|`` is a formula in this package, never a substitution."""
    if what == "data" and lines[:1] == (inspect.getdoc(type(obj)) or "").splitlines()[:1]:
        lines.clear()  # What a tuple is, not what this one is.
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


def look_up(name: str) -> Any:
    """The object that a dotted name stands for, or ``None``."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part, None)
        return found
    return None


def home_of(target: str, value: Any) -> str:
    """Where the object that a reference names is defined."""
    if not isinstance(value, TypeVar) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    place, _, name = target.rpartition(".")
    return homes(place).get(name, target)


def resolve(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, text: nodes.TextElement
) -> nodes.Node | None:
    """Lead a reference to where its object is documented, or else to its code; a type variable is text."""
    target = str(node.get("reftarget", ""))
    if node.get("refdomain") != "py" or not target.startswith("companion."):
        return None
    found = look_up(target)
    if found is None:
        # An attribute that instances get is known to its class only in words.
        outer = look_up(target.rpartition(".")[0])
        return text if node["reftype"] == "attr" and inspect.isclass(outer) else None
    home = home_of(target, found)
    shown = documented(Path(app.srcdir))
    parts = home.split(".")
    for cut in range(len(parts), 0, -1):
        public = shown.get(".".join(parts[:cut]))
        if public is not None:
            name = ".".join([public, *parts[cut:]])
            domain = env.get_domain("py")
            there = domain.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], name, node, text)
            if there is not None:
                return there
    address = companion_source.address(app, node["refdoc"], *companion_source.split(home))
    return nodes.reference("", "", text, internal=True, refuri=address) if address else text


def link_code(app: Sphinx, doctree: nodes.document) -> None:
    """Set beside every documented function and class a link to its code."""
    for signature in doctree.findall(addnodes.desc_signature):
        if signature.get("module") and signature.parent.get("domain") == "py":
            name = f"{signature['module']}.{signature['fullname']}"
            value = look_up(name)
            home = home_of(name, inspect.unwrap(value) if callable(value) else value)
            module, inside = companion_source.split(home)
            if companion_source.locate(module, inside) is not None:
                link = companion_source.SrcLink("", "", nodes.inline("", "source"), target=home)
                signature.append(nodes.inline("", "", link, classes=["companion-source"]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.setup_extension("companion_source")
    app.setup_extension("companion_paper_api")
    app.connect("source-read", expand)
    app.connect("doctree-read", link_code)
    app.connect("missing-reference", resolve)
    app.connect("autodoc-process-docstring", escape_bars)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
