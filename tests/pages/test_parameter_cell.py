"""The parameters cell: what it may hold, and where a line that breaks the rule stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.pages.document import Chapter, NotebookError
from companion.pages.parameter_cell import NotebookParameter, parameters

HEAD = '# %% [markdown]\n# Words, tags=["parameters"] among them\n\n# %% tags=["parameters"]\n'


def write(folder: Path, body: str) -> Path:
    path = folder / "ch1_x.py"
    path.write_text(f"{HEAD}{body}\n\n# %%\ny = 1\n", encoding="utf-8")
    return path


@pytest.mark.slow
def test_source_and_notebook_say_the_same(chapter: Chapter) -> None:
    from_source, from_notebook = parameters(chapter.source), parameters(chapter.notebook)
    assert from_source["rounds"] == NotebookParameter("rounds", 4, "length of the run", "rounds", 6)
    assert list(from_source) == list(from_notebook) == ["seed", "rounds", "label"]
    for name, entry in from_source.items():
        found = from_notebook[name]
        assert (entry.default, entry.meaning, entry.unit) == (found.default, found.meaning, found.unit)


def test_literals_of_every_kind(tmp_path: Path) -> None:
    body = "\n".join(
        [
            "# a heading",
            "sizes = [0.5, 2.0]  # horizons, in turn, thousands of rounds",
            "kernel = 'a # b'  # family, name",
            "low = -1e-3  # lower end, metres",
            "deep = {'a': (1, None)}  # nested, none",
            "on = True  # switch, none",
        ]
    )
    found = parameters(write(tmp_path, body))
    assert [entry.default for entry in found.values()] == [[0.5, 2.0], "a # b", -1e-3, {"a": (1, None)}, True]
    assert found["sizes"].meaning == "horizons, in turn"
    assert found["sizes"].unit == "thousands of rounds"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x = 1", "lacks its comment"),
        ("x = 1  # only a meaning", "lacks its comment"),
        ("x = 1  # , unit", "lacks its comment"),
        ("x = f(1)  # call, none", "is not a literal"),
        ("x = 2 * 3  # product, none", "is not a literal"),
        ("x = y  # name, none", "is not a literal"),
        ("x = y = 1  # two, none", "not one plain assignment"),
        ("x: int = 1  # annotated, none", "not one plain assignment"),
        ("x += 1  # more, none", "not one plain assignment"),
        ("x = 1; y = 2  # two, none", "not one plain assignment"),
        ("import math  # module, none", "not one plain assignment"),
        ("x[0] = 1  # item, none", "the left side is not a name"),
        ("x = [  # open, none", "not a complete statement"),
        ("first = 2  # again, none", "first is set twice"),
    ],
)
def test_a_line_that_breaks_the_rule_is_named(line: str, said: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"first = 1  # fine, none\n{line}")
    with pytest.raises(NotebookError, match=r"ch1_x\.py, line 6: ") as caught:
        parameters(path)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["# %%\nx = 1\n", HEAD + "x = 1  # a, b\n\n" + HEAD + "y = 1  # a, b\n", HEAD])
def test_exactly_one_filled_cell(text: str, tmp_path: Path) -> None:
    path = tmp_path / "ch1_x.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(NotebookError, match=r"ch1_x\.py"):
        parameters(path)
