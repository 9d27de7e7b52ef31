"""Sphinx extension: the code that a page names, on one plain page for each module, made when it is first asked for.

``{src}`companion.gp.posterior.FinitePosterior``` links to a definition; other extensions ask for :func:`address`. These pages
carry no table of contents, no script of the theme and no index: all modules of all papers in the theme's clothes cost more
time and room than the rest of the book.
"""

from __future__ import annotations

import ast
import functools
import gc
import html
import os
import posixpath
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

import companion

#: Folder of the listings in the built book.
FOLDER = "_modules"
_ROOT = Path(companion.__file__).resolve().parent
_LOGGER = logging.getLogger(__name__)
_PAGE = """<!doctype html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="description" content="Source code of {module}, a module of the package behind “{title}”.">
<title>{module}, source code</title>
<script>
let mode = "auto";
try {{ mode = localStorage.getItem("theme") || localStorage.getItem("mode") || mode; }} catch {{ /* no storage */ }}
const dark = mode === "dark" || (mode === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset.theme = dark ? "dark" : "light";
</script>
<link rel="stylesheet" href="{up}_static/pygments.css">
<link rel="stylesheet" href="{up}_static/listing.css">
</head>
<body>
<header><a href="{up}{home}">{title}</a></header>
<main>
<h1>{module}</h1>
<div class="highlight"><pre tabindex="0" aria-label="Source code of {module}">{code}</pre></div>
</main>
</body>
</html>
"""


def path_of(module: str) -> Path | None:
    """The file of a module of this package."""
    first, *rest = module.split(".")
    place = _ROOT.joinpath(*rest)
    found = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return found if first == "companion" and found.is_file() else None


def places(path: Path) -> dict[str, int]:
    """Line of every definition at module or class level, by its dotted name."""
    return _places(path, path.stat().st_mtime_ns)


@functools.cache
def _places(path: Path, changed: int) -> dict[str, int]:
    found: dict[str, int] = {}

    def enter(body: list[ast.stmt], prefix: str) -> None:
        for item in body:
            match item:
                case ast.FunctionDef() | ast.ClassDef():
                    # A second definition of a name, an overload or a property's setter, is no other place.
                    found.setdefault(prefix + item.name, min([item.lineno, *(d.lineno for d in item.decorator_list)]))
                    if isinstance(item, ast.ClassDef):
                        enter(item.body, f"{prefix}{item.name}.")
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    found.setdefault(prefix + name, item.lineno)
                case ast.Assign(targets=[ast.Tuple(elts=names)]):
                    found.update({prefix + one.id: item.lineno for one in names if isinstance(one, ast.Name)})

    enter(ast.parse(path.read_text(encoding="utf-8")).body, "")
    return found


def locate(module: str, name: str) -> str | None:
    """The part of ``name`` that has a place in the module's source: a function defined inside another has its outer's.

    Returns
    -------
    dotted name of a definition at module or class level; ``None`` when there is no such module or definition
    """
    path = path_of(module)
    known = places(path) if path else {}
    parts = name.replace(".<locals>", "").split(".")
    return next((tag for end in range(len(parts), 0, -1) if (tag := ".".join(parts[:end])) in known), None)


def listing(module: str) -> str:
    """Where the page of a module lies in the built book, without suffix."""
    return posixpath.join(FOLDER, module.replace(".", "/"))


def address(app: Sphinx, page: str, module: str, name: str) -> str | None:
    """Address of the code of a definition, or of a module without ``name``, seen from ``page``; ``None`` when there is none.

    The page of the module is made.
    """
    tag = locate(module, name) if name else ""
    if tag is None or path_of(module) is None or getattr(app.builder, "format", "") != "html":
        return None
    _write(app, module)
    return app.builder.get_relative_uri(page, listing(module)) + (f"#{tag}" if tag else "")


def _write(app: Sphinx, module: str) -> None:
    """Make the page of a module, unless it is newer than the module."""
    path, target = path_of(module), Path(app.outdir) / f"{listing(module)}.html"
    if path is None or (target.exists() and target.stat().st_mtime_ns > path.stat().st_mtime_ns):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    up = "../" * listing(module).count("/")
    page = _PAGE.format(
        module=module,
        up=up,
        home=app.builder.get_target_uri(app.config.root_doc),
        title=html.escape(app.config.html_title or app.config.project),
        code=_code(path),
    )
    target.write_text(page, encoding="utf-8")


#: Names, punctuation and blanks have the colour of the text around them; marked as such they would be half of a page. Operators
#: go with them, and so do names of modules and the marks within strings: their colour tells nothing, and weighs a megabyte.
_PLAIN = re.compile(r'<span class="(?:n|nn|p|w|o|sa|si)">([^<]*)</span>')
#: A hundred thousand of these, whose quotes HTML does without.
_QUOTED = re.compile(r'<span class="(\w+)">')


def _code(path: Path) -> str:
    """The highlighted text, with an anchor on the line of each definition."""
    text = PygmentsBridge("html").highlight_block(path.read_text(encoding="utf-8"), "python")
    lines = re.sub(r"^.*?<pre>|</pre>.*\Z", "", text, flags=re.DOTALL).removeprefix("<span></span>").split("\n")
    lines = [_PLAIN.sub(r"\1", line) for line in lines]
    for name, line in places(path).items():
        lines[line - 1] = f'<span class="place" id="{name}">{lines[line - 1]}</span>'
    return _QUOTED.sub(r"<span class=\1>", "\n".join(lines))


def refresh(app: Sphinx, error: Exception | None) -> None:
    """Make listings anew whose modules have changed since; remove those of modules that are gone."""
    folder = Path(app.outdir) / FOLDER
    for page in folder.rglob("*.html") if error is None and folder.is_dir() else ():
        module = page.relative_to(folder).with_suffix("").as_posix().replace("/", ".")
        if path_of(module) is None:
            page.unlink()
        else:
            _write(app, module)


class Src(SphinxRole):
    """The name of a definition, linked to its code; ``text <dotted.name>`` shows another text."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """A place to be linked when the page is written."""
        found = re.fullmatch(r"(?P<shown>.*?) *<(?P<name>[\w.]+)>", self.text)
        name, shown = (found["name"], found["shown"]) if found else (self.text, self.text.rpartition(".")[2])
        return [SrcLink("", "", nodes.literal("", shown), target=name)], []


class SrcLink(nodes.Inline, nodes.TextElement):
    """A link to be made. Attribute: ``target``, the dotted name of a definition."""


def split(name: str) -> tuple[str, str]:
    """Module and name inside it of a dotted name."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        if path_of(".".join(parts[:cut])):
            return ".".join(parts[:cut]), ".".join(parts[cut:])
    return name, ""


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Turn every link into a reference; a warning where there is no such definition."""
    for node in list(doctree.findall(SrcLink)):
        module, name = split(node["target"])
        found = address(app, docname, module, name)
        if found is None and app.builder.format == "html":
            _LOGGER.warning("there is no %s in the package", node["target"], location=docname)
        node.replace_self(nodes.reference("", "", *node.children, internal=True, refuri=found) if found else node[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect to Sphinx."""
    # Before anything loads NumPy: for its small matrices threads that wait for each other take a minute of processor time.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # Pages are trees of a million nodes that are all kept: looking through them for garbage took a third of the build, in steps
    # of 200,000 a sixth; in steps of three million it is a twentieth, for 0.3 GB more.
    gc.set_threshold(3_000_000, 50, 100)
    app.add_role("src", Src())
    app.connect("doctree-resolved", resolve)
    app.connect("build-finished", refresh)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
