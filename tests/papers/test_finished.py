"""What every chapter must have: all that one lacks in one list, which a draft is told and a finished chapter is held to."""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from exercises import ANSWER, CHECK, hinted, statements, tagged
from pages.reading import (
    LEAST,
    LESSON_LIMIT,
    LIMIT,
    NUMBERS,
    before_exercises,
    main_line,
    numbers,
    running_text,
    texts_shown,
)
from pages.test_listings import listings
from pybtex.database import parse_file

from companion import papers
from companion.core.errors import CompanionError
from companion.core.files import repository_root
from companion.pages.document import RECORD, Chapter, lessons, read_notebook, read_source
from companion.pages.parameter_cell import parameters
from companion.pages.prose import typed_in_templates, typed_results
from companion.reproduce.reported import load_margins, load_tables

ROOT = repository_root()
sys.path.insert(0, str(ROOT / "book" / "_ext"))

from companion_chapters import captions, head  # noqa: E402

CHAPTERS = {chapter.paper: chapter for chapter in lessons(ROOT) if chapter.paper}
LEVEL = re.compile(r"\*Level [1-3] of 3, about \d+ minutes(?P<code>, with code)?\.\*")
EXERCISES, CODED = 7, 3
#: Lines of code that a page shows beside its parameters, and columns of a lesson's.
FEWEST, MOST, COLUMNS = 35, 60, 76
#: Sections of a lesson behind its question, and of a record, which may have others between them.
LESSON_HEADINGS = (
    *("The method", "Parameters", "The bound, step by step", "Bound against measurement"),
    *("The experiment that decides", "Summary", "Exercises"),
)
#: Of the lesson that sets the papers side by side, which asks practitioners' questions.
GUIDE_HEADINGS = (
    *("Which width?", "Which method?", "When may I stop?", "What if the model is wrong?", "Parameters"),
    *("When is a bound informative?", "Summary", "Exercises"),
)
RECORD_HEADINGS = ("Parameters", "The experiments again", "Settings", "Where we differ", "Run record")
#: Most that a lesson shows.
SHOWN = {"figure": 6, "table": 3}
_RULED = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$", flags=re.MULTILINE)
_INCLUDED = re.compile(r"```\{literalinclude\} (?P<path>\S+)\n(?P<options>(?::.*\n)*)```")
PARTS = ("parameters", "experiments", "need", "stored_runs", "statements")


def executed(chapter: Chapter) -> list[Any]:
    """Cells with what they show; none where the page was not executed yet."""
    return list(read_notebook(chapter.notebook).cells) if chapter.notebook.is_file() else []


def main_words(chapter: Chapter) -> int:
    return sum(words for _, words in main_line(read_source(chapter.source).cells, texts_shown(executed(chapter))))


def length(chapter: Chapter) -> Iterator[str]:
    if not LEAST < (count := main_words(chapter)) <= LIMIT:
        yield f"the main line has {count} words, not {LEAST} to {LIMIT}"


def headings(page: Chapter) -> list[str]:
    cells = [cell.source for cell in read_source(page.source).cells if cell.cell_type == "markdown"]
    return re.findall(r"^## (.+)$", "\n".join(cells), flags=re.MULTILINE)


def easy_to_read(lesson: Chapter) -> Iterator[str]:
    question, *rest = headings(lesson) or [""]
    asked = GUIDE_HEADINGS if lesson.paper in papers.ABOVE else LESSON_HEADINGS
    if not question.endswith("?") or tuple(rest) != asked:
        yield f"its sections are not a question, then {', '.join(asked)}: {', '.join([question, *rest])}"
    if (count := main_words(lesson)) > LESSON_LIMIT:
        yield f"the main line has {count} words, more than {LESSON_LIMIT}"
    if (found := numbers(running_text(executed(lesson)))) > NUMBERS * count / 100:
        yield f"its sentences have {found} numbers in {count} words, more than {NUMBERS} in a hundred"
    main = list(before_exercises(executed(lesson)))
    kinds = [kind for kind, _ in captions.outputs(main, set())]
    kinds += ["table" for cell in main if cell.cell_type == "markdown" for _ in _RULED.findall(cell.source)]
    for kind, most in SHOWN.items():
        if kinds.count(kind) > most:
            yield f"{kinds.count(kind)} {kind}s before the exercises, more than {most}"
    for number, cell in enumerate(executed(lesson)):
        drawn = any(kind == "figure" for kind, _ in captions.outputs([cell], set()))
        if drawn and "remove-input" not in cell.metadata.get("tags", []):
            yield f"cell {number}: shows a figure, and is not tagged remove-input"
    shown = [*listings(lesson), *(text_of(path, name) for path, name in included(lesson))]
    for line in (line for text in shown for line in text.splitlines() if len(line) > COLUMNS):
        yield f"a line of {len(line)} columns, more than {COLUMNS}: {line.strip()}"
    for label in (label for label, has_hint in hinted(lesson.stem).items() if not has_hint):
        yield f"exercise {label} has code, and no hint before its check"


def complete(record: Chapter) -> Iterator[str]:
    found = headings(record)
    own = [title for title in found if title in RECORD_HEADINGS]
    if tuple(own) != RECORD_HEADINGS or (found[0], found[-1]) != (own[0], own[-1]):
        yield f"the record's sections are not {', '.join(RECORD_HEADINGS)}, with others between: {', '.join(found)}"
    if statements(record.stem) or tagged(record.stem, CHECK) or tagged(record.stem, ANSWER):
        yield "the record has exercises"


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


def definition(path: Path, name: str) -> ast.FunctionDef | ast.ClassDef:
    scope: ast.AST = ast.parse(path.read_text(encoding="utf-8"))
    for part in name.split("."):
        scope = next(node for node in ast.iter_child_nodes(scope) if getattr(node, "name", None) == part)
    assert isinstance(scope, ast.FunctionDef | ast.ClassDef)
    return scope


def text_of(path: Path, name: str) -> str:
    """A function, method or class as a page shows it."""
    scope = definition(path, name)
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(lines[min(node.lineno for node in (scope, *scope.decorator_list)) - 1 : scope.end_lineno])


def code_lines(path: Path, name: str) -> int:
    """Lines of a function or method without its docstring."""
    scope = definition(path, name)
    text = scope.body[0] if ast.get_docstring(scope) is not None else None
    assert scope.end_lineno is not None
    said = text.end_lineno - text.lineno + 1 if text is not None and text.end_lineno is not None else 0
    return scope.end_lineno - scope.lineno + 1 - said


def shown_code(chapter: Chapter, fewest: int = FEWEST) -> Iterator[str]:
    own = listings(chapter)
    lines = sum(code_lines(path, name) for path, name in included(chapter))
    lines += sum(len([line for line in text.splitlines() if line.strip()]) for text in own)
    if not fewest <= lines <= MOST:
        yield f"{lines} lines of code are shown, not {fewest} to {MOST}"
    if not own:
        yield "no code cell is shown that a reader can copy"


def typed_numbers(chapter: Chapter) -> Iterator[str]:
    settings = [name for page in chapter.pages for name in parameters(page.source)]
    for page in chapter.pages:
        for number, cell in enumerate(read_source(page.source).cells):
            if cell.cell_type == "markdown":
                for piece in typed_results(cell.source, settings):
                    yield f"{page.stem}, cell {number}: a number typed by hand: {piece!r}"
    for path in (*(page.source for page in chapter.pages), *page_modules(str(chapter.paper))):
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


#: Tables that are the companion's own, and no copies that have to stay as they are.
OWN = {"errors", "inventory", "leads", "text_and_code", "code_and_ours"}
_DIGEST = re.compile(r"^\| `([^`]+\.csv)` \|.*\| `([0-9a-f]{64})` \|$", flags=re.MULTILINE)


def copies(chapter: Chapter) -> Iterator[str]:
    """A digest of every copied table stands in the README of the paper's folder, or in the one above that has the first five."""
    reported = ROOT / "data" / "reported"
    own = reported / str(chapter.paper) / "README.md"
    place = own if own.is_file() else reported / "README.md"
    listed = {reported / name: found for name, found in _DIGEST.findall(place.read_text(encoding="utf-8"))}
    listed = {path: found for path, found in listed.items() if path.parent == own.parent}
    there = {
        path: hashlib.sha256(path.read_bytes()).hexdigest() for path in own.parent.glob("*.csv") if path.stem not in OWN
    }
    for path in sorted({*listed, *there}):
        if listed.get(path) != (now := there.get(path, "no such file")):
            name = path.relative_to(reported).as_posix()
            yield f"{own.relative_to(ROOT).as_posix()} has no row '| `{name}` | where it is from | `{now}` |'"


def paired(chapter: Chapter) -> Iterator[str]:
    """What lesson and record lack; a chapter that is one page yet is held to the rules of before."""
    if not chapter.split:
        yield from length(chapter)
        yield from shown_code(chapter)
        return
    yield from easy_to_read(chapter)
    yield from shown_code(chapter, fewest=0)
    yield from (fault for page in chapter.pages if page.part == RECORD for fault in complete(page))


def lacking(chapter: Chapter) -> list[str]:
    """Everything that a chapter lacks, in words."""
    parts: Any = (declared, margins, copies, paired, exercises, typed_numbers, words_about_it)
    return [fault for part in parts for fault in part(chapter)]


@pytest.mark.parametrize("paper", CHAPTERS)
def test_a_finished_chapter_has_what_every_chapter_must_have(paper: str) -> None:
    found = lacking(CHAPTERS[paper])
    if papers.of(paper).draft:
        pytest.skip("\n  ".join([f"{paper} is a draft; before the mark is taken out it needs:", *found]))
    assert not found, "\n".join(found)
