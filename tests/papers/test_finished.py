"""What every chapter must have: all that one lacks in one list, which a draft is told and a finished chapter is held to."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from exercises import ANSWER, CHECK, statements, tagged
from pages.reading import LEAST, LIMIT, main_line, texts_shown
from pages.test_listings import listings
from pybtex.database import parse_file

from companion import papers
from companion.core.errors import CompanionError
from companion.core.files import repository_root
from companion.pages.document import Chapter, chapters, read_notebook, read_source
from companion.pages.parameter_cell import parameters
from companion.pages.prose import typed_in_templates, typed_results
from companion.reproduce.reported import load_margins, load_tables

ROOT = repository_root()
sys.path.insert(0, str(ROOT / "book" / "_ext"))

from companion_chapters import head  # noqa: E402

CHAPTERS = {chapter.paper: chapter for chapter in chapters(ROOT) if chapter.paper}
LEVEL = re.compile(r"\*Level [1-3] of 3, about \d+ minutes(?P<code>, with code)?\.\*")
EXERCISES, CODED = 7, 3
#: Lines of code that a page shows beside its parameters.
FEWEST, MOST = 35, 60
_INCLUDED = re.compile(r"```\{literalinclude\} (?P<path>\S+)\n(?P<options>(?::.*\n)*)```")
PARTS = ("parameters", "experiments", "need", "stored_runs", "statements")


def length(chapter: Chapter) -> Iterator[str]:
    executed = read_notebook(chapter.notebook).cells if chapter.notebook.is_file() else []
    count = sum(words for _, words in main_line(read_source(chapter.source).cells, texts_shown(executed)))
    if not LEAST < count <= LIMIT:
        yield f"the main line has {count} words, not {LEAST} to {LIMIT}"


def exercises(chapter: Chapter) -> Iterator[str]:
    first = statements(chapter.stem)
    levels = {label: LEVEL.fullmatch(line) for label, line in first.items()}
    coded = sum(bool(level and level["code"]) for level in levels.values())
    if len(first) < EXERCISES or coded < CODED:
        yield f"{len(first)} exercises, {coded} of them with code; at least {EXERCISES} and {CODED}"
    for label, level in levels.items():
        if level is None:
            yield f"exercise {label} does not begin with '*Level 2 of 3, about 15 minutes[, with code].*'"
    for tag in (CHECK, ANSWER):
        if (found := len(tagged(chapter.stem, tag))) != coded:
            yield f"{found} cells tagged {tag}, and {coded} exercises with code"


def included(chapter: Chapter) -> list[tuple[Path, str]]:
    """(module, function) of the package's own code that the page shows."""
    text = "\n".join(cell.source for cell in read_source(chapter.source).cells if cell.cell_type == "markdown")
    found = []
    for match in _INCLUDED.finditer(text):
        name = re.search(r":pyobject: (\S+)", match["options"])
        assert name, match[0]
        found.append(((chapter.source.parent / match["path"]).resolve(), name[1]))
    return found


def code_lines(path: Path, name: str) -> int:
    """Lines of a function or method without its docstring."""
    scope: ast.AST = ast.parse(path.read_text(encoding="utf-8"))
    for part in name.split("."):
        scope = next(node for node in ast.iter_child_nodes(scope) if getattr(node, "name", None) == part)
    assert isinstance(scope, ast.FunctionDef | ast.ClassDef)
    text = scope.body[0] if ast.get_docstring(scope) is not None else None
    assert scope.end_lineno is not None
    said = text.end_lineno - text.lineno + 1 if text is not None and text.end_lineno is not None else 0
    return scope.end_lineno - scope.lineno + 1 - said


def shown_code(chapter: Chapter) -> Iterator[str]:
    own = listings(chapter)
    lines = sum(code_lines(path, name) for path, name in included(chapter))
    lines += sum(len([line for line in text.splitlines() if line.strip()]) for text in own)
    if not FEWEST <= lines <= MOST:
        yield f"{lines} lines of code are shown, not {FEWEST} to {MOST}"
    if not own:
        yield "no code cell is shown that a reader can copy"


def typed_numbers(chapter: Chapter) -> Iterator[str]:
    settings = list(parameters(chapter.source))
    for number, cell in enumerate(read_source(chapter.source).cells):
        if cell.cell_type == "markdown":
            for piece in typed_results(cell.source, settings):
                yield f"cell {number}: a number typed by hand: {piece!r}"
    for path in (chapter.source, *page_modules(str(chapter.paper))):
        for line, piece in typed_in_templates(path, settings):
            yield f"{path.name}, line {line}: a number typed by hand: {piece!r}"


def page_modules(paper: str) -> list[Path]:
    """Modules whose strings are shown on pages; a room is a module or a package."""
    folder = ROOT / "src/companion/papers" / paper
    return sorted((*folder.glob("page.py"), *folder.glob("page/*.py")))


def words_about_it(chapter: Chapter) -> Iterator[str]:
    text = chapter.source.read_text(encoding="utf-8")
    cited = head._CITED.search(text)
    if cited is None or cited["key"] not in parse_file(str(ROOT / "book" / "references.bib")).entries:
        yield "no work is cited, or the first one is not in book/references.bib"


def declared(chapter: Chapter) -> Iterator[str]:
    paper = papers.of(str(chapter.paper))
    if lacking := [name for name in PARTS if getattr(paper, name) is None]:
        yield f"PAPER names no {', '.join(lacking)}"


def margins(chapter: Chapter) -> Iterator[str]:
    if papers.declares(str(chapter.paper), "verdicts") and chapter.paper not in papers.ABOVE:
        try:
            frozen = load_margins(str(chapter.paper), ROOT)
            for cell in load_tables(str(chapter.paper), ROOT):
                frozen.margin(cell)
        except CompanionError as error:
            yield str(error)


def lacking(chapter: Chapter) -> list[str]:
    """Everything that a chapter lacks, in words."""
    parts: Any = (declared, margins, length, exercises, shown_code, typed_numbers, words_about_it)
    return [fault for part in parts for fault in part(chapter)]


@pytest.mark.parametrize("paper", CHAPTERS)
def test_a_finished_chapter_has_what_every_chapter_must_have(paper: str) -> None:
    found = lacking(CHAPTERS[paper])
    if papers.of(paper).draft:
        pytest.skip("\n  ".join([f"{paper} is a draft; before the mark is taken out it needs:", *found]))
    assert not found, "\n".join(found)
