"""What is worth a look is named, and nothing else: pages and errata made up here, usual but for one thing each."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbformat.v4 import new_output

from companion.pages import advice
from companion.pages.document import Chapter, read_source, to_bytes

FIGURE = '<figure class="companion-figure"><img><figcaption>101 points, length-scale 0.12.</figcaption></figure>'
OTHER = FIGURE.replace("101 points, length-scale 0.12", "25 points of the line, at length-scale 0.2")
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
    *(markdown(f"## {title}") for title in advice.LESSON_HEADINGS[:-2]),
    code("show(figure)", "remove-input"),
    code("x = 1"),
    code("axes = figure.subplots()"),
    *(
        part
        for number in range(advice.EXERCISES)
        for part in (
            markdown(
                CODED.replace("ex-one", f"ex-{number}").replace("## Exercises", "## Exercises" if number == 0 else "")
            ),
            code("def check_one(function): ...", "exercise-check", "hide-input"),
            code("def one(): ...", "exercise-solution", "hide-input"),
        )
    ),
    markdown("## Parameters"),
]
RECORD = [markdown(f"## {title}") for title in advice.RECORD_HEADINGS]


def made(folder: Path, stem: str, cells: list[str]) -> Chapter:
    """A page with what its cells show: a call of ``show(figure)`` a figure, of ``show(table)`` a table."""
    page = Chapter(folder / f"{stem}.py", folder)
    page.source.write_text("".join(cells), encoding="utf-8")
    notebook = read_source(page.source)
    for cell in notebook.cells:
        shown = (
            OTHER
            if "other" in cell.source
            else FIGURE
            if "figure)" in cell.source
            else TABLE
            if "table)" in cell.source
            else None
        )
        if cell.cell_type == "code" and shown:
            cell.outputs = [new_output("display_data", {"text/html": shown})]
    page.notebook.write_bytes(to_bytes(notebook))
    return page


def of_lesson(folder: Path, cells: list[str]) -> list[str]:
    return [str(one) for one in advice.of_lesson(made(folder, "ch3_one", cells))]


def test_a_usual_lesson_is_not_worth_a_look(tmp_path: Path) -> None:
    assert of_lesson(tmp_path, LESSON) == []


def in_place_of(old: str, new: str) -> list[str]:
    assert any(old in cell for cell in LESSON)
    return [cell.replace(old, new, 1) for cell in LESSON]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (in_place_of("regret?", "regret"), "usual is a question, then"),
        (in_place_of("## Summary", "## In short"), "usual is a question, then"),
        (in_place_of("It is small.", "word " * 2500), "words before the exercises; usual is at most 2500"),
        (in_place_of("It is small.", "It is 3, 4, 5 and 6."), "4 numbers in"),
        ([*LESSON[:2], *6 * [code("show(figure)", "remove-input")], *LESSON[2:]], "7 figures before the exercises"),
        ([LESSON[0], *4 * [code("show(table)", "remove-input")], *LESSON[1:]], "4 tables before the exercises"),
        (in_place_of("It is small.", 4 * "\n# | a |\n# |---|\n# | b |\n#\n"), "4 tables before the exercises"),
        (in_place_of('"remove-input"', '"hide-input"'), "shows a figure and its code"),
        (in_place_of("x = 1", f"x = {'1' * 73}"), "a line of 77 columns"),
        (in_place_of("x = 1", "\n".join(f"x = {n}" for n in range(70))), "71 lines of code are shown"),
        ([cell for cell in LESSON if "x = 1" not in cell and "subplots" not in cell], "no code cell is shown"),
        (in_place_of("figure.subplots()", "1"), "no picture is drawn by code that is shown"),
        (in_place_of("axes =", 15 * "x = 2\n" + "axes ="), "a picture is drawn by 16 lines"),
        (in_place_of("It is small.", "The norm is small, and a *norm* is one."), "used before given: norm"),
        (in_place_of("It is small.", "It is above the trivial line."), "says trivial line; usual is trivial bound"),
        (
            [*LESSON[:2], code("show(other_figure)", "remove-input"), *LESSON[2:]],
            "; 25 points, length-scale 0.2; usual is one",
        ),
        (
            [cell.replace("exercise-hint", "other") if "ex-3" in cell else cell for cell in LESSON],
            "ex-3 has code and no hint",
        ),
        ([cell.replace("Level 1", "Level 4") if "ex-3" in cell else cell for cell in LESSON], "ex-3 says no level"),
        ([*LESSON[:-4], LESSON[-1]], "6 exercises, 6 of them with code"),
        ([*LESSON[:-2], LESSON[-1]], "6 cells tagged exercise-solution"),
    ],
)
def test_what_is_unusual_in_a_lesson_is_named(cells: list[str], said: str, tmp_path: Path) -> None:
    assert said in "\n".join(of_lesson(tmp_path, cells))


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (RECORD, ""),
        ([*RECORD[:1], markdown("## The problems"), *RECORD[1:]], ""),
        (RECORD[::-1], "with others between"),
        (RECORD[1:], "with others between"),
        ([markdown("## Before"), *RECORD], "with others between"),
        ([*RECORD[:1], code("def check(): ...", "exercise-check"), *RECORD[1:]], "has exercises"),
    ],
)
def test_what_is_unusual_in_a_record_is_named(cells: list[str], said: str, tmp_path: Path) -> None:
    found = list(advice.of_record(made(tmp_path, "ch3_one_record", cells)))
    assert bool(found) == bool(said)
    assert all(said in str(one) for one in found)


ERRATUM = '''r"""Section 1.

Printed: So.

Wrong: It is not.

Repair: Otherwise.
"""

import math

assert math.pi > 3
'''


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "", []),
        ("It is not.", "It is not so. " * 20, ["E1.py: wrong has 80 words; usual is at most 70"]),
        ("assert", "a = 1\n" * 15 + "assert", ["E1.py: its program has 16 lines; usual is at most 15"]),
        ("> 3", f"> 3  # {'x' * 80}", ["E1.py:12: 102 columns; usual is at most 88"]),
    ],
)
def test_what_is_unusual_in_an_erratum_is_named_with_its_line(old: str, new: str, said: list[str]) -> None:
    assert [str(one) for one in advice.of_erratum("E1.py", ERRATUM.replace(old, new, 1))] == said


def test_long_modules_functions_and_programs_are_named(tmp_path: Path) -> None:
    module, page = tmp_path / "m.py", tmp_path / "p.md"
    text = 'def f():\n    """' + "A.\n" * 80 + '    """\n' + "    x = 1\n" * 59
    module.write_text(text, encoding="utf-8")
    assert list(advice.of_module(module, "m.py")) == []
    module.write_text(f"{text}    x = 1\n" + "y = 1\n" * 300, encoding="utf-8")
    assert [str(one) for one in advice.of_module(module, "m.py")] == [
        "m.py: 442 lines; usual is at most 420",
        "m.py:1: f has 61 lines; usual is at most 60",
    ]
    front = "---\nmyst:\n  html_meta:\n    description: Short.\n---\n"
    program = "x = 1\n" * 21 + "# " + "x" * 80
    page.write_text(f"{front}\n```python\n{program}\n```\n", encoding="utf-8")
    assert [one.what for one in advice.of_prose(page)] == [
        "a program of 22 lines",
        "82 columns",
        "a description of 6 characters",
    ]


def test_the_list_is_printed_and_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert advice.main(["3"]) == 0
    assert capsys.readouterr().out
    assert advice.main(["nowhere"]) != 0
    assert "batched" in capsys.readouterr().err
