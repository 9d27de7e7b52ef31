"""Sphinx extension: one short page of the API for each paper, ``book/api/papers/<chapter>.md``.

It names what people call, each with its first sentence and a link to its code: the rules, the bounds, the experiments, the
studies of the chapter, and what the chapter's listings import besides. The pages are written when the book is built and are
not under version control; what stands on them is found, not listed.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import companion_source
from sphinx.application import Sphinx

from companion import registry
from companion.checks.statement import Statement
from companion.checks.suspected_error import SuspectedError
from companion.pages.document import Chapter, lessons, read_source

_PAGE = """# Chapter {number}: {paper}

What {pages} uses, each name with a link to its code. The rooms of the package
`companion.papers.{paper}` are those of every paper ({{doc}}`../../layout`).

%paper {paper}
"""


def write_pages(root: Path) -> None:
    """A page for every chapter's paper; those of papers that are gone are removed."""
    folder = root / "book" / "api" / "papers"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {
        folder / f"{chapter.stem}.md": _PAGE.format(
            number=chapter.number,
            paper=chapter.paper,
            pages=" with ".join(f"{{doc}}`../../../notebooks/{page.stem}`" for page in chapter.pages),
        )
        for chapter in lessons(root)
        if chapter.paper is not None and chapter.paper not in registry.CROSS_PAPER  # those have pages by hand
    }
    for path in folder.glob("*.md"):
        if path not in wanted:
            path.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def modules(name: str) -> Iterator[ModuleType]:
    """A module and all below it; none when there is no such module."""
    try:
        whole = importlib.import_module(name)
    except ModuleNotFoundError:
        return
    yield whole
    for found in pkgutil.walk_packages(getattr(whole, "__path__", []), f"{name}."):
        yield importlib.import_module(found.name)


def own(name: str) -> dict[str, Any]:
    """Public functions and classes that are defined in a module or below it, by dotted name."""
    return {
        f"{module.__name__}.{key}": value
        for module in modules(name)
        for key, value in vars(module).items()
        if not key.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == module.__name__
    }


def listed(chapter: Chapter) -> list[str]:
    """Names of the paper that the visible code of a chapter's pages imports."""
    found = []
    for cell in (cell for page in chapter.pages for cell in read_source(page.source).cells):
        if cell.cell_type == "code" and "remove-input" not in cell.metadata.get("tags", []):
            for item in ast.walk(ast.parse(cell.source)):
                if isinstance(item, ast.ImportFrom) and item.module:
                    found += [f"{item.module}.{alias.name}" for alias in item.names]
    return [name for name in dict.fromkeys(found) if name.startswith(f"companion.papers.{chapter.paper}.")]


def sentence(value: Any) -> str:
    """The first sentence of what an object says of itself, on one line; of a statement, which it is."""
    if isinstance(value, Statement | SuspectedError):
        return f"The check of {value.id.replace('-', ' ')}, to be called with other numbers."
    first = (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")
    found = re.match(r".*?(?<!\bApp)(?<!\bAlg)(?<!\bSec)(?<!\beq)(?<!\beqs)(?<!\bEq)\.(?=\s+[A-Z:`(]|\s*$)", first)
    text = (found[0] if found else first).strip()
    # A role for a name of another module is no link here, and a bar is one of a formula.
    text = re.sub(r":(?:class|func|meth|mod|data|attr):`~?(?:[\w.]*\.)?(\w+)`", r"``\1``", text)
    return "``".join(piece.replace("|", "\\|") if k % 2 == 0 else piece for k, piece in enumerate(text.split("``")))


def part(title: str, found: dict[str, Any]) -> str:
    """A list of names with what they are; nothing without names."""
    items = [f":src:`{name.rpartition('.')[2]} <{name}>`\n   {sentence(value)}\n\n" for name, value in found.items()]
    return f"## {title}\n\n```{{eval-rst}}\n{''.join(items)}```\n\n" if items else ""


def experiments(paper: str) -> str:
    """What can be run, and how one run is made."""
    found = list(registry.experiments(paper).values())
    if not found:
        return ""
    command = f"companion trial {paper} {found[0].name} {found[0].methods[0].name} --seed 0"
    items = [
        f"``{experiment.name}``\n   {experiment.summary} Methods: "
        f"{', '.join(f'``{method.name}``' for method in experiment.methods)}.\n\n"
        for experiment in found
    ]
    return (
        f"## Experiments\n\nOne run of one method: `{command}`. Parameters are listed by `companion list {paper}`.\n\n"
        f"```{{eval-rst}}\n{''.join(items)}```\n\n"
    )


def value_of(name: str) -> Any:
    """The object or module that a dotted name stands for."""
    place, _, key = name.rpartition(".")
    found = getattr(importlib.import_module(place), key, None)
    return importlib.import_module(name) if found is None else found


def bounds_of(package: str) -> str:
    """The module that has a paper's bounds: that of the room ``theory``, or the room where it is one module."""
    room = f"{package}.theory"
    return f"{room}.bounds" if hasattr(importlib.import_module(room), "__path__") else room


def contents(chapter: Chapter) -> str:
    """What people call of a chapter's paper: one part for each kind of thing."""
    package = f"companion.papers.{chapter.paper}"
    code = chapter.text
    rules = {name: value for name, value in own(f"{package}.method").items() if hasattr(value, "ask")}
    bounds = {name: value for name, value in own(bounds_of(package)).items() if inspect.isfunction(value)}
    studies = {
        name: value
        for room in ("theory", "experiments", "page")
        for name, value in own(f"{package}.{room}").items()
        if hasattr(value, "stated")
        and ".page.exercises." not in name
        and re.search(rf"\b{name.rpartition('.')[2]}\(", code)
    }
    besides = {name: value_of(name) for name in listed(chapter) if name not in rules | bounds | studies}
    return (
        part("Rules, to be asked and told", rules)
        + part("Bounds", bounds)
        + experiments(str(chapter.paper))
        + part("What the chapter's listings use besides", besides)
        + part("Studies, which compute what the chapter shows", studies)
    )


def expand(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write the contents of a paper's page in place of its line."""
    if not docname.startswith("book/api/papers/"):
        return
    for chapter in lessons(Path(app.srcdir)):
        if f"%paper {chapter.paper}" in source[0].splitlines():
            package = companion_source.path_of(f"companion.papers.{chapter.paper}")
            for path in (*(page.source for page in chapter.pages), *(package.parent.rglob("*.py") if package else ())):
                app.env.note_dependency(str(path))
            source[0] = source[0].replace(f"%paper {chapter.paper}", contents(chapter))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    write_pages(Path(app.srcdir))
    app.connect("source-read", expand)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
