"""Executing a chapter: the same bytes each time, warnings as errors, nothing stored after a failure."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from pages.conftest import SOURCE, repository

from companion.core.errors import ResultError
from companion.pages import execution
from companion.pages.chapter_runs import run
from companion.pages.document import Chapter, NotebookError
from companion.pages.execution import execute
from companion.pages.notebook_checks import check
from companion.pages.page_record import read_page_record
from companion.stored.record import Record

STUDY = (
    SOURCE
    + """
# %%
from dataclasses import dataclass

from companion.pages import Numbers, recorded, say


@dataclass(frozen=True)
class Result:
    mean: float


@recorded(first="seed")
def mean_of(seed, rounds):
    return Result(values.mean())


result = mean_of(seed, rounds)
say("The mean is [[mean]].", Numbers(result, mean=result.mean))
"""
)


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


def test_a_picture_is_the_same_bytes_too_and_is_there_once(tmp_path: Path) -> None:
    """A shown cell that draws with Matplotlib is silent; the house shows what its function draws."""
    drawn = "def draw(figure):\n    figure.subplots().plot(values)\n\n\ndraw(plt.figure())"
    shown = 'show(Figure(lambda canvas, _: draw(canvas)), "Values.", Numbers(result), alt="A line.")'
    cells = (f"import matplotlib.pyplot as plt\n\n{drawn}", f"from companion.pages import Figure, show\n\n{shown}")
    source = STUDY + "".join(f"\n# %%\n{cell}\n" for cell in cells)
    chapter = repository(tmp_path, source)
    first = execute(chapter).read_bytes()
    assert b'"image/png"' not in first
    assert first.count(b"data:image/png;base64") in (1, 2)  # a draft, or one for light and one for dark pages
    assert execute(chapter).read_bytes() == first
    assert check(chapter) == []


def test_nothing_of_this_machine_is_stored(chapter: Chapter) -> None:
    stored = json.loads(chapter.notebook.read_text(encoding="utf-8"))
    assert set(stored["metadata"]) == {"kernelspec"}
    assert stored["metadata"]["kernelspec"]["name"] == "python3"
    assert all("execution" not in cell["metadata"] for cell in stored["cells"])
    assert [cell["execution_count"] for cell in stored["cells"] if cell["cell_type"] == "code"] == [1, 2, 3]
    assert str(chapter.root) not in chapter.notebook.read_text(encoding="utf-8")


def test_a_record_has_the_seconds_of_every_study_and_the_command_and_the_page_has_neither(tmp_path: Path) -> None:
    chapter = repository(tmp_path, STUDY)
    text = execute(chapter).read_text(encoding="utf-8")
    content = read_page_record(chapter.record)
    record = Record.from_dict(content["record"])
    assert (record.command, record.profile, record.seeds) == ("make notebooks CH=3", "book", (3,))
    ((key, study),) = content["studies"].items()
    assert study["call"] == "mean_of(seed=3, rounds=4)"
    assert f'data-key=\\"{key}\\"' in text
    assert record.date[:10] not in text
    assert check(chapter) == []
    result = run(chapter, "smoke", {"seed": 8}, output_dir=tmp_path / "runs", root=tmp_path)
    shown = nbformat.read(result.notebook, as_version=4).cells[-1].outputs[0].data["text/markdown"]
    command = "companion run ch3_batched --profile smoke -p seed=8"
    assert f'<code class="command">{command}</code> · profile smoke · seed 8 · ' in shown
    assert json.loads(result.record.read_text(encoding="utf-8"))["command"] == command
    chapter.record.write_text("[]", encoding="utf-8")
    with pytest.raises(ResultError, match="damaged"):
        read_page_record(chapter.record)


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
