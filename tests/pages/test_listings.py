"""The code that a page shows is code that a reader can copy: it runs as it stands, alone."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from branched import Trunk, trunk

from companion.core.files import repository_root
from companion.pages.document import Chapter, chapters, read_source

CHAPTERS = chapters(repository_root(Path(__file__).parent))
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell", "parameters"}
#: Lines of code that a page shows beside its parameters.
FEWEST, MOST = 35, 60
_INCLUDED = re.compile(r"```\{literalinclude\} (?P<path>\S+)\n(?P<options>(?::.*\n)*)```")


def listings(chapter: Chapter) -> list[str]:
    """Code cells whose input is shown."""
    cells = [cell for cell in read_source(chapter.source).cells if cell.cell_type == "code"]
    return [cell.source for cell in cells if not HIDDEN & set(cell.metadata.get("tags", []))]


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


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_a_page_shows_its_method(chapter: Chapter) -> None:
    shown = sum(code_lines(path, name) for path, name in included(chapter))
    shown += sum(len([line for line in text.splitlines() if line.strip()]) for text in listings(chapter))
    assert FEWEST <= shown <= MOST, shown


@pytest.fixture(scope="module")
def fresh() -> Iterator[Trunk]:
    """Python with warnings as errors that has read other people's libraries, and nothing of ours."""
    with trunk("import matplotlib.pyplot, pandas, scipy.optimize, scipy.stats", os.environ, ("-W", "error")) as ready:
        yield ready


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_every_listing_runs_as_a_reader_copies_it(chapter: Chapter, tmp_path: Path, fresh: Trunk) -> None:
    assert listings(chapter)
    # A listing may go on from the one before, as a reader does who copies from the top.
    script = tmp_path / "copied.py"
    script.write_text("\n\n".join(listings(chapter)), encoding="utf-8")
    done = fresh.run(script)
    assert done.returncode == 0, done.stderr
