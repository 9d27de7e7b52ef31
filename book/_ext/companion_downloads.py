"""Sphinx extension: a chapter can be taken away and run, with what it needs beside it.

The head of a chapter offers its notebook and the package, a wheel that carries the tables which the chapters read. Both lie in
the built book, so that a copy of its folder is enough. The wheel is built from the repository as it stands, and only when
something that goes into it has changed. In a book without solutions it holds none, and no assignments.

The notebook begins with choosing the instructions that made the page: with others a close decision may fall the other way, and a
sentence that rests on it would stop the reader's run.

What the folder would carry about for nobody is left out: the maps from the theme's scripts to their sources, for its developers,
its translations, which are read while the book is built, and some two thousand icons that no page shows.
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

import companion_solutions
import jupytext
import nbformat
from companion_chapters.captions import chapter_number
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.display import progress_message

from companion.pages.document import chapters

#: Folder of the wheel in the built book.
FOLDER = "_downloads"
#: What a wheel is made from.
FILES = ("_config.yml", "pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "book/references.bib")
FOLDERS = ("src/companion", "notebooks", "data", "book/_static/mathjax")
_IGNORED = ("__pycache__", "*.ipynb", "tasks")
#: The cell that is put in front of a downloaded notebook's code, by its id.
PIN_ID = "companion-instructions"
PIN = """\
# The page was computed with instructions that most processors have. They have to be chosen before NumPy is loaded.
from companion.core import instruction_set

_ = instruction_set.pin()"""
#: The oldest time that an archive can state: the same files then give the same wheel.
_NO_TIME = "315532800"


def wheel_name(root: Path) -> str:
    """Name of the wheel's file."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return f"{project['name'].replace('-', '_')}-{project['version']}-py3-none-any.whl"


def state(root: Path, solutions: bool) -> str:
    """What tells whether a wheel is still right: the choice, and size and time of every file that may go into it."""
    files = [root / name for name in FILES]
    for folder in FOLDERS:
        found = (
            path for path in (root / folder).rglob("*") if path.is_file() and path.suffix not in {".pyc", ".ipynb"}
        )
        files += sorted(found)
    told = [(path.relative_to(root).as_posix(), path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    return hashlib.sha256(repr((solutions, told)).encode()).hexdigest()


def build_wheel(root: Path, folder: Path, solutions: bool = True) -> Path:
    """Build the wheel in ``folder``, from a copy: setuptools leaves its work behind, and takes up what it finds there."""
    with tempfile.TemporaryDirectory(prefix="companion-wheel-") as scratch:
        copy = Path(scratch)
        for name in FILES:
            (copy / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(root / name, copy / name)
        for name in FOLDERS:
            shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns(*_IGNORED))
        if not solutions:
            _hide_solutions(copy)
        done = subprocess.run(
            [sys.executable, "setup.py", "-q", "bdist_wheel"],
            cwd=copy,
            env={**os.environ, "SOURCE_DATE_EPOCH": _NO_TIME},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ExtensionError(f"the wheel cannot be built:\n{done.stderr[-2000:]}")
        folder.mkdir(parents=True, exist_ok=True)
        return _packed(copy / "dist" / wheel_name(root), folder)


def _packed(made: Path, folder: Path) -> Path:
    """The wheel in its folder, as small as it can be."""
    target = folder / made.name
    with zipfile.ZipFile(made) as wheel, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as smaller:
        for entry in wheel.infolist():
            smaller.writestr(entry, wheel.read(entry), zipfile.ZIP_DEFLATED, 9)
    return target


def _hide_solutions(root: Path) -> None:
    """Take answers out of the sources of the chapters, and the assignments away."""
    shutil.rmtree(root / "notebooks" / "assignments")
    for chapter in chapters(root):
        notebook = jupytext.read(chapter.source)
        companion_solutions.clean(notebook)
        jupytext.write(notebook, chapter.source, fmt="py:percent")


def offer(app: Sphinx, error: Exception | None) -> None:
    """Have a wheel beside the pages that fits what it is made from."""
    if error is not None or app.builder.name != "html":
        return
    root, folder = Path(app.srcdir), Path(app.outdir) / FOLDER
    stamp, wanted = Path(app.doctreedir) / "wheel", state(root, app.config.companion_solutions)
    if (folder / wheel_name(root)).is_file() and stamp.is_file() and stamp.read_text(encoding="ascii") == wanted:
        return
    with progress_message("building the package for download"):
        build_wheel(root, folder, app.config.companion_solutions)
    stamp.write_text(wanted, encoding="ascii")


def pin_downloads(app: Sphinx, error: Exception | None) -> None:
    """Have the notebooks for download choose the instructions that made the pages."""
    if error is not None or app.builder.format != "html":
        return
    for path in (Path(app.outdir) / "_sources").rglob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        if all(cell.get("id") != PIN_ID for cell in notebook.cells):
            first = next(place for place, cell in enumerate(notebook.cells) if cell.cell_type == "code")
            notebook.cells.insert(first, nbformat.v4.new_code_cell(PIN, id=PIN_ID))
            nbformat.write(notebook, path)


# In the theme's script of icons: a name, its size, other names, and how it is drawn.
_ICON = re.compile(r'(?P<names>"?[\w$-]+"?:\[\d+,\d+,\[[^\]]*)\],"[0-9a-f]+",(?:"[^"]*"|\[[^\]]*\])\],?')


def drop_icons(folder: Path) -> None:
    """Have the theme's script of icons draw those alone that a page or a script names; styles draw with fonts."""
    script = folder / "_static" / "scripts" / "fontawesome.js"
    read = (path for ending in ("html", "js") for path in folder.rglob(f"*.{ending}") if path != script)
    named = set(
        chain.from_iterable(re.findall(r"\bfa-([a-z0-9-]+)", path.read_text(encoding="utf-8")) for path in read)
    )

    def kept(icon: re.Match[str]) -> str:
        return icon[0] if named.intersection(re.findall(r"[\w-]+", icon["names"])) else ""

    if script.is_file():
        script.write_text(_ICON.sub(kept, script.read_text(encoding="utf-8")), encoding="utf-8")


def drop_unread(app: Sphinx, error: Exception | None) -> None:
    """Remove what nobody asks for: source maps, translations, icons, fonts beside their compressed form, and of notebooks
    indentation and the second form of outputs, for those who see no HTML.
    """
    if error is not None:
        return
    static = Path(app.outdir) / "_static"
    again = [path for path in static.rglob("*.ttf") if path.with_suffix(".woff2").exists()]
    again += static.rglob("fa-brands-*.woff2")  # what a page shows of them, the script of icons draws
    for path in (*static.rglob("*.map"), *again):
        path.unlink()
    shutil.rmtree(static / "locales", ignore_errors=True)
    drop_icons(Path(app.outdir))
    for path in (Path(app.outdir) / "_sources").rglob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for data in (output.get("data", {}) for cell in notebook["cells"] for output in cell.get("outputs", ())):
            if data.keys() & {"text/html", "text/markdown"}:
                data.pop("text/plain", None)
        path.write_text(json.dumps(notebook, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def add_links(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Offer the notebook and the package in the line below a chapter's title, which is made where a paper has no address."""
    title = next(iter(doctree.findall(nodes.title)), None)
    if title is None or chapter_number(docname) is None or app.builder.name != "html":
        return
    line = next((node for node in doctree.findall(nodes.paragraph) if "companion-paper" in node["classes"]), None)
    offered = nodes.inline(classes=["companion-take-away"])
    offered += nodes.Text("Take away: " if line is None else " · take away: ")
    if line is None:
        line = nodes.paragraph(classes=["companion-paper"])
        title.parent.insert(title.parent.index(title) + 1, line)
    here = posixpath.dirname(docname)
    source = posixpath.join("_sources", f"{docname}.ipynb")
    package = posixpath.join(FOLDER, wheel_name(Path(app.srcdir)))
    for words, target in (("notebook", source), ("package", package)):
        if len(offered) > 1:
            offered += nodes.Text(", ")
        offered += nodes.reference("", words, refuri=posixpath.relpath(target, here), internal=True)
    line += offered


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.setup_extension("companion_solutions")
    app.connect("doctree-resolved", add_links)
    app.connect("build-finished", offer)
    app.connect("build-finished", pin_downloads)
    app.connect("build-finished", drop_unread, priority=900)  # when notebooks are as they are offered
    return {"parallel_read_safe": True, "parallel_write_safe": True}
