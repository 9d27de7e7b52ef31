"""What a lesson and a record are held to: pages made up here, right but for one fault each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import exercises
import pytest
from nbformat.v4 import new_output
from papers import test_finished as rules

from companion.pages.document import Chapter, read_source, to_bytes

FIGURE = '<figure class="companion-figure"><img><figcaption>Of 1, 2 and 3.</figcaption></figure>'
TABLE = '<figure class="companion-table"><figcaption>All.</figcaption></figure>'
QUESTION = "## How large is the regret?\n\nIt is small. " + "word " * 100
CODED = """## Exercises

```{exercise} One
:label: ex-one

*Level 1 of 3, about 5 minutes, with code.*
```

:::{dropdown} Hint
:class-container: exercise-hint

First.
:::
"""


def markdown(text: str) -> str:
    return "# %% [markdown]\n" + "\n".join(f"# {line}".rstrip() for line in text.splitlines()) + "\n\n"


def code(text: str, *tags: str) -> str:
    return f"# %% tags=[{', '.join(f'{tag!r}' for tag in tags)}]\n{text}\n\n".replace("'", '"')


LESSON = [
    markdown(QUESTION),
    *(markdown(f"## {title}") for title in rules.LESSON_HEADINGS[:-1]),
    code("show(figure)", "remove-input"),
    code("x = 1"),
    markdown(CODED),
    code("def check_one(function): ...", "exercise-check"),
]
RECORD = [markdown(f"## {title}") for title in rules.RECORD_HEADINGS]


def made(folder: Path, stem: str, cells: list[str]) -> Chapter:
    """A page with what its cells show: a call of ``show(figure)`` a figure, of ``show(table)`` a table."""
    page = Chapter(folder / f"{stem}.py", folder)
    page.source.write_text("".join(cells), encoding="utf-8")
    notebook = read_source(page.source)
    for cell in notebook.cells:
        shown = FIGURE if "figure)" in cell.source else TABLE if "table)" in cell.source else None
        if cell.cell_type == "code" and shown:
            cell.outputs = [new_output("display_data", {"text/html": shown})]
    page.notebook.write_bytes(to_bytes(notebook))
    return page


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[list[str]], list[str]]:
    """Faults of a lesson of these cells."""
    monkeypatch.setattr(exercises, "_cells", lambda stem: read_source(tmp_path / f"{stem}.py").cells)
    return lambda cells: list(rules.easy_to_read(made(tmp_path, "ch3_one", cells)))


def test_a_lesson_as_it_should_be(lesson: Callable[[list[str]], list[str]]) -> None:
    assert lesson(LESSON) == []


def in_place_of(old: str, new: str) -> list[str]:
    assert any(old in cell for cell in LESSON)
    return [cell.replace(old, new) for cell in LESSON]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (in_place_of("regret?", "regret"), "its sections are not a question"),
        (in_place_of("## Summary", "## In short"), "its sections are not a question"),
        (in_place_of("It is small.", "word " * 2500), "words, more than 2500"),
        (in_place_of("It is small.", "It is 3, 4, 5 and 6."), "its sentences have 4 numbers in"),
        ([*LESSON[:2], *6 * [code("show(figure)", "remove-input")], *LESSON[2:]], "7 figures before the exercises"),
        ([LESSON[0], *4 * [code("show(table)")], *LESSON[1:]], "4 tables before the exercises"),
        (in_place_of("It is small.", 4 * "\n# | a |\n# |---|\n# | b |\n#\n"), "4 tables before the exercises"),
        (in_place_of('"remove-input"', '"hide-input"'), "shows a figure, and is not tagged remove-input"),
        (in_place_of("x = 1", f"x = {'1' * 73}"), "a line of 77 columns, more than 76"),
        (in_place_of("exercise-hint", "other"), "exercise ex-one has code, and no hint before its check"),
    ],
)
def test_a_fault_of_a_lesson_is_told(lesson: Callable[[list[str]], list[str]], cells: list[str], said: str) -> None:
    (fault,) = lesson(cells)
    assert said in fault


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (RECORD, ""),
        ([*RECORD[:1], markdown("## The problems"), *RECORD[1:]], ""),
        (RECORD[::-1], "the record's sections are not"),
        (RECORD[1:], "the record's sections are not"),
        ([markdown("## Before"), *RECORD], "the record's sections are not"),
        ([*RECORD, markdown("## After")], "the record's sections are not"),
        ([*RECORD[:1], code("def check(): ...", "exercise-check"), *RECORD[1:]], "the record has exercises"),
    ],
)
def test_a_record_has_its_sections_and_no_exercises(
    cells: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exercises, "_cells", lambda stem: read_source(tmp_path / f"{stem}.py").cells)
    found = list(rules.complete(made(tmp_path, "ch3_one_record", cells)))
    assert bool(found) == bool(said)
    assert all(said in fault for fault in found)
