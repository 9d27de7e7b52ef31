"""What every chapter must have: all that one lacks in one list, which a draft is told and a finished chapter is held to."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pybtex.database import parse_file
from pybtex.exceptions import PybtexError

from companion import registry
from companion.core.errors import CompanionError
from companion.core.files import repository_root
from companion.judge.reported import load_margins, load_tables
from companion.pages.document import Chapter, lessons, read_source
from companion.pages.parameter_cell import parameters
from companion.pages.typed_numbers import typed_in_templates, typed_results

ROOT = repository_root()
sys.path.insert(0, str(ROOT / "book" / "_ext"))

from companion_chapters import head  # noqa: E402

CHAPTERS = {chapter.paper: chapter for chapter in lessons(ROOT) if chapter.paper}
PARTS = ("parameters", "experiments", "need", "stored_runs", "statements")


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
    try:
        known = parse_file(str(ROOT / "book" / "references.bib")).entries
    except PybtexError as error:
        yield f"book/references.bib: {error}"
        return
    if cited is None or cited["key"] not in known:
        yield "no work is cited, or the first one is not in book/references.bib"


def declared(chapter: Chapter) -> Iterator[str]:
    paper = registry.get(str(chapter.paper))
    if lacking := [name for name in PARTS if getattr(paper, name) is None]:
        yield f"PAPER names no {', '.join(lacking)}"


def margins(chapter: Chapter) -> Iterator[str]:
    if registry.declares(str(chapter.paper), "verdicts") and chapter.paper not in registry.CROSS_PAPER:
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


def lacking(chapter: Chapter) -> list[str]:
    """Everything that a chapter lacks, in words."""
    parts: Any = (declared, margins, copies, typed_numbers, words_about_it)
    return [fault for part in parts for fault in part(chapter)]


@pytest.mark.parametrize("paper", CHAPTERS)
def test_a_finished_chapter_has_what_every_chapter_must_have(paper: str) -> None:
    found = lacking(CHAPTERS[paper])
    if registry.get(paper).draft:
        pytest.skip("\n  ".join([f"{paper} is a draft; before the mark is taken out it needs:", *found]))
    assert not found, "\n".join(found)
