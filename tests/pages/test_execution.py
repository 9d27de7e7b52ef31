"""Executing a chapter: the same bytes each time, warnings as errors, nothing stored after a failure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pages.conftest import SOURCE, repository

from companion.pages import execution
from companion.pages.checking import check
from companion.pages.document import Chapter, NotebookError
from companion.pages.execution import execute


def test_a_second_execution_gives_the_same_bytes(chapter: Chapter) -> None:
    before = chapter.notebook.read_bytes()
    chapter.notebook.unlink()
    execute(chapter)
    assert chapter.notebook.read_bytes() == before


def test_a_line_that_breaks_the_rule_costs_no_execution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chapter = repository(tmp_path, SOURCE.replace("  # length of the run, rounds", ""))
    monkeypatch.setattr(execution, "NotebookClient", None)
    with pytest.raises(NotebookError, match="rounds lacks its comment"):
        execute(chapter)


def test_a_picture_is_the_same_bytes_too(tmp_path: Path) -> None:
    source = SOURCE + "\n# %%\nimport matplotlib.pyplot as plt\n\n_ = plt.plot(values)\n"
    chapter = repository(tmp_path, source)
    first = execute(chapter).read_bytes()
    assert b"image/png" in first
    assert execute(chapter).read_bytes() == first
    assert check(chapter) == []


def test_nothing_of_this_machine_is_stored(chapter: Chapter) -> None:
    stored = json.loads(chapter.notebook.read_text(encoding="utf-8"))
    assert set(stored["metadata"]) == {"companion", "kernelspec"}
    assert set(stored["metadata"]["companion"]) == {"cells", "code", "data"}
    assert stored["metadata"]["kernelspec"]["name"] == "python3"
    assert all("execution" not in cell["metadata"] for cell in stored["cells"])
    assert [cell["execution_count"] for cell in stored["cells"] if cell["cell_type"] == "code"] == [1, 2, 3]
    assert str(chapter.root) not in chapter.notebook.read_text(encoding="utf-8")


def test_editing_one_cell_leaves_the_other_ids_alone(chapter: Chapter) -> None:
    from companion.pages.document import read_source

    before = [cell.id for cell in read_source(chapter.source).cells]
    text = chapter.source.read_text(encoding="utf-8")
    chapter.source.write_text(text.replace("# # A tiny chapter", "# # A small chapter"), encoding="utf-8")
    after = [cell.id for cell in read_source(chapter.source).cells]
    assert before[0] != after[0]
    assert before[1:] == after[1:]
    assert len(set(after)) == len(after)


def test_equal_cells_get_different_ids(tmp_path: Path) -> None:
    from companion.pages.document import read_source

    chapter = repository(tmp_path, "# %%\nx = 1\n\n# %%\nx = 1\n")
    first, second = (cell.id for cell in read_source(chapter.source).cells)
    assert first != second


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("import warnings\n\nwarnings.warn('careful')", "UserWarning: careful"),
        ("import warnings\n\nwarnings.warn('old', DeprecationWarning)", "DeprecationWarning: old"),
        ("import numpy\n\nnumpy.float64(1) / 0", "RuntimeWarning"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_failing_cell_is_named_and_nothing_is_stored(cell: str, said: str, tmp_path: Path) -> None:
    chapter = repository(tmp_path, f"{SOURCE}\n# %%\n{cell}\n")
    chapter.notebook.write_text("as before", encoding="utf-8")
    with pytest.raises(NotebookError, match=said) as caught:
        execute(chapter)
    assert "cell 4" in str(caught.value)
    assert cell.splitlines()[0] in str(caught.value)
    assert chapter.notebook.read_text(encoding="utf-8") == "as before"


def test_a_source_without_cells_is_refused(tmp_path: Path) -> None:
    chapter = repository(tmp_path, "x = 1\n")
    with pytest.raises(NotebookError, match="no cell marker"):
        execute(chapter)
