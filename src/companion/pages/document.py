"""Chapters on disk: where they are, how a source becomes a notebook, and how a notebook is written.

Everything that could differ between two executions of the same source is fixed here: cell ids come from the cells
themselves, the kernel's description is the same everywhere, and the language's version is left out.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from companion import registry
from companion.core.errors import CompanionError, ParameterError, nearest

#: Kernel description of every notebook: the Python of the environment at hand.
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}

#: Tag of every code cell of a notebook: nbval compares its outputs when it executes the notebook again.
COMPARED = "nbval-check-output"

#: Parts of a chapter, a page each: what everybody reads, and what a doubter wants.
LESSON, RECORD = "lesson", "record"

_STEM = re.compile(rf"ch(?P<number>\d+)_(?P<paper>[a-z0-9_]+?)(?P<record>{registry.RECORD})?")


class NotebookError(CompanionError):
    """A chapter cannot be read or a cell of it failed; the message names the cell and what to do."""


@dataclass(frozen=True)
class Chapter:
    """One page of a chapter, and the ``.ipynb`` beside it: ``notebooks/ch<number>_<paper>.py``, the lesson, or its record,
    ``ch<number>_<paper>_record.py``.

    A page that belongs to no paper has ``number`` and ``paper`` equal to ``None``.
    """

    source: Path
    root: Path

    @property
    def stem(self) -> str:
        """File name without suffix, e.g. ``ch3_batched`` or ``ch3_batched_record``."""
        return self.source.stem

    @property
    def number(self) -> int | None:
        """Number of the chapter, read from the file's name."""
        match = _STEM.fullmatch(self.stem)
        return int(match["number"]) if match else None

    @property
    def paper(self) -> str | None:
        """Slug of the chapter's paper, the folder's name under ``companion.papers``, or of what stands above the papers."""
        match = _STEM.fullmatch(self.stem)
        return registry.slug_of_page(match["paper"]) if match else None

    @property
    def part(self) -> str:
        """Kind of page, :data:`LESSON` or :data:`RECORD`."""
        match = _STEM.fullmatch(self.stem)
        return RECORD if match and match["record"] else LESSON

    @property
    def pages(self) -> tuple[Chapter, ...]:
        """All pages of the chapter, the lesson first."""
        lesson = self.stem.removesuffix(registry.RECORD) if self.part == RECORD else self.stem
        found = (self.source.with_name(f"{stem}.py") for stem in (lesson, f"{lesson}{registry.RECORD}"))
        return tuple(Chapter(path, self.root) for path in found if path == self.source or path.is_file())

    @property
    def text(self) -> str:
        """The sources of all pages of the chapter, one after the other."""
        return "\n".join(page.source.read_text(encoding="utf-8") for page in self.pages)

    @property
    def split(self) -> bool:
        """Whether the chapter has a record page; one that has none yet is a single page."""
        return self.pages[-1].part == RECORD

    @property
    def notebook(self) -> Path:
        """The generated notebook, outputs included."""
        return self.source.with_suffix(".ipynb")

    @property
    def record(self) -> Path:
        """Facts that change from one execution of the notebook to the next: date, versions, machine, seconds of each study."""
        return self.source.with_suffix(".record.json")

    @property
    def profiles(self) -> Path:
        """Folder of the chapter's parameter profiles, which all of its pages share."""
        return self.source.parent / "profiles" / self.pages[0].stem

    @property
    def mend(self) -> str:
        """The command that brings the chapter's notebooks up to date."""
        return f"make notebooks CH={self.stem if self.number is None else self.number}"


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a notebook; ``cell`` is the index from 0, or ``None`` for the notebook as a whole."""

    notebook: Path
    cell: int | None
    text: str

    def __str__(self) -> str:
        place = "" if self.cell is None else f" cell {self.cell}:"
        return f"{self.notebook.name}:{place} {self.text}"


def chapters(root: Path) -> list[Chapter]:
    """All pages of all chapters of a repository, in the order of their names: a record follows its lesson."""
    return [Chapter(path, root) for path in sorted((root / "notebooks").glob("ch*.py"))]


def lessons(root: Path) -> list[Chapter]:
    """The first page of every chapter of a repository."""
    return [page for page in chapters(root) if page.part == LESSON]


def find_chapter(root: Path, name: str | int) -> Chapter:
    """The first page of :func:`find_pages`: the lesson, where a chapter is meant."""
    return find_pages(root, name)[0]


def find_pages(root: Path, name: str | int) -> tuple[Chapter, ...]:
    """All pages of a chapter by its number (``3``, ``ch3``) or slug (``batched``); one page by stem (``ch3_batched``) or path.

    Raises
    ------
    ParameterError
        when no chapter answers to ``name``; the message lists the pages and the nearest one
    """
    wanted = str(name)
    path = Path(wanted)
    known = chapters(root)
    for page in known:
        if wanted in (str(page.number), f"ch{page.number}", page.paper):
            return page.pages
        named = path.suffix in (".py", ".ipynb") and path.resolve().with_suffix(".py") == page.source.resolve()
        if named or wanted == page.stem:
            return (page,)
    if path.suffix in (".py", ".ipynb") and path.with_suffix(".py").is_file():
        found = Chapter(path.with_suffix(".py").resolve(), root)
        if found.paper is not None and not found.source.is_relative_to(root.resolve()):
            # It would be compared and stored as a page of this repository, which it is not.
            raise ParameterError("chapter", f"{path} lies outside {root}", "a file of this repository")
        return (found,)
    with contextlib.suppress(ParameterError):
        if (slug := registry.slug_of(wanted)) != wanted:
            return find_pages(root, slug)
    names = [label for page in known for label in (page.stem, page.paper or "", str(page.number))]
    listing = ", ".join(page.stem for page in known) or "none yet"
    raise ParameterError("chapter", f"no chapter is called {wanted!r}", f"one of: {listing}", nearest(wanted, names))


def assign_ids(notebook: NotebookNode) -> None:
    """Give every cell an id made from its own text, so that editing one cell leaves the others' ids alone."""
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", str(cell.metadata.get("name", ""))).strip("-")
        base = name[:48] or hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
        seen[base] = seen.get(base, 0) + 1
        cell["id"] = base if seen[base] == 1 else f"{base}-{seen[base]}"


def read_source(source: Path) -> NotebookNode:
    """The notebook a py:percent source describes: no outputs, stable ids, the common kernel, code cells tagged for nbval.

    Raises
    ------
    NotebookError
        when there is no such file or no cell marker in it
    """
    if not source.is_file():
        raise NotebookError(f"{source} does not exist")
    text = source.read_text(encoding="utf-8")
    if not re.search(r"^# %%", text, flags=re.MULTILINE):
        raise NotebookError(f"{source} has no cell marker '# %%': it is not in jupytext's py:percent format")
    return copy.deepcopy(_notebook_of(text))


@lru_cache(maxsize=16)  # a check reads a chapter several times, and reading takes a quarter of a second
def _notebook_of(text: str) -> NotebookNode:
    notebook = jupytext.reads(text, fmt="py:percent")
    notebook.metadata = NotebookNode(kernelspec=NotebookNode(KERNELSPEC))
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.metadata["tags"] = list(dict.fromkeys([*cell.metadata.get("tags", []), COMPARED]))
    assign_ids(notebook)
    return notebook


def read_notebook(path: Path) -> NotebookNode:
    """A stored notebook, in the current notebook format.

    Raises
    ------
    NotebookError
        when the file is absent or not a notebook
    """
    try:
        return nbformat.read(path, as_version=4)
    except FileNotFoundError as error:
        raise NotebookError(f"{path} does not exist") from error
    except (nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        raise NotebookError(f"{path} is not a readable notebook: {error}") from error


def code_cells(notebook: NotebookNode) -> list[tuple[int, NotebookNode]]:
    """(index among all cells, cell) of the code cells."""
    return [(index, cell) for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]


def joined(notebook: NotebookNode) -> str:
    """Source text of the code cells, one after the other."""
    return "\n\n".join(cell.source for _, cell in code_cells(notebook))


def to_bytes(notebook: NotebookNode) -> bytes:
    """Canonical file content: sorted keys, one space of indentation, final newline; language version left out."""
    notebook.metadata.pop("language_info", None)
    notebook.metadata["kernelspec"] = NotebookNode(KERNELSPEC)
    nbformat.validate(notebook)
    return (nbformat.writes(notebook, version=4).rstrip("\n") + "\n").encode()
