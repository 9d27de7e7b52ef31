"""The committed notebook: each way in which it can be wrong is reported, and a right one passes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output

from companion.pages.__main__ import main
from companion.pages.document import Chapter, chapters, read_source
from companion.pages.notebook_checks import check

ROOT = Path(__file__).resolve().parents[2]


def edit(chapter: Chapter, change: Callable[[nbformat.NotebookNode], object]) -> None:
    notebook = nbformat.read(chapter.notebook, as_version=4)
    change(notebook)
    nbformat.write(notebook, chapter.notebook)


def printed(text: str, name: str = "stdout") -> Callable[[nbformat.NotebookNode], object]:
    return lambda notebook: notebook.cells[2].outputs.append(new_output("stream", name=name, text=text))


def displayed(**data: str) -> Callable[[nbformat.NotebookNode], object]:
    bundle = {kind.replace("_", "/"): text for kind, text in data.items()}
    return lambda notebook: notebook.cells[2].outputs.append(new_output("display_data", data=bundle))


def test_an_executed_chapter_passes(chapter: Chapter) -> None:
    assert check(chapter) == []


def test_no_formula_of_several_lines_has_a_tag() -> None:
    """Sphinx wraps these in an environment in which a tag is an error, which shows as yellow source on the page."""
    displays = re.compile(r"\$\$(.*?)\$\$", flags=re.DOTALL)
    pages = [*(ROOT / "notebooks").rglob("*.py"), *(ROOT / "book").glob("*.md")]
    found = [(page, each) for page in pages for each in displays.findall(page.read_text(encoding="utf-8"))]
    assert len(found) > 50
    assert not [page.name for page, each in found if r"\\" in each and r"\tag" in each]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda n: n.cells[2].__setitem__("execution_count", None), "was not executed"),
        (lambda n: n.cells[2].__setitem__("execution_count", 7), "executed as number 7, not 2"),
        (
            lambda n: n.cells[2].outputs.append(new_output("execute_result", execution_count=1)),
            "its output says otherwise",
        ),
        (lambda n: n.cells[2].__setitem__("source", "values = 1"), "cell 2: its code is not that of ch3_batched.py"),
        (lambda n: n.cells[2].metadata.tags.append("nbval-skip"), "would not be compared"),
        (lambda n: n.cells.pop(), "cell 3: its code is not that of ch3_batched.py"),
        (lambda n: n.cells.append(new_code_cell("")), "cell 4: its code is not that of ch3_batched.py"),
        (lambda n: n.cells[2].outputs.append(new_output("error", ename="E", evalue="v")), "ended in E: v"),
        (printed("oops", "stderr"), "wrote to standard error: 'oops'"),
        (printed("read /home/somebody/file.csv"), "an absolute path"),
        (printed("saved to C:\\data"), "an absolute path"),
        (printed("<object at 0x7f45650655d0>"), "a memory address"),
        (printed(" 40%|####      | 4/10"), "a progress bar"),
        (printed("Wall time: 3 s"), "a timing"),
        (printed("fit took 3.21 s"), "a timing"),
        (displayed(text_html="<p>see /tmp/x.png</p>"), "an absolute path"),
    ],
)
def test_each_fault_is_reported(change: Callable, said: str, chapter: Chapter) -> None:
    edit(chapter, change)
    assert any(said in str(problem) for problem in check(chapter)), check(chapter)


@pytest.mark.parametrize(
    "change",
    [
        printed("regret / horizon = 0.31, 40 % of 0x12, T = 100 s"),
        printed("see https://example.org/home/page and data/results/batched/table.csv"),
        displayed(text_html='<img alt="a" src="data:image/png;base64,AAAA/home/usr/tmp/0x7f45650655d0">'),
    ],
)
def test_harmless_outputs_are_not_reported(change: Callable, chapter: Chapter) -> None:
    edit(chapter, change)
    assert check(chapter) == []


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# # A tiny chapter", "# # A small chapter\n#\n# It has more text."),
        ("# %%\nimport", "# %% [markdown]\n# Between.\n\n# %%\nimport"),
        ("# %%\nimport", '# %% tags=["hide-input"]\nimport'),
    ],
)
def test_text_is_brought_over_without_a_kernel(
    old: str, new: str, chapter: Chapter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(chapter.root)
    outputs = [cell.outputs for cell in nbformat.read(chapter.notebook, as_version=4).cells if "outputs" in cell]
    replace(chapter.source, old, new)
    assert main(["check"]) == 0
    assert "text brought over from ch3_batched.py" in capsys.readouterr().out
    written = nbformat.read(chapter.notebook, as_version=4)
    assert [cell.source for cell in written.cells] == [cell.source for cell in read_source(chapter.source).cells]
    assert [cell.outputs for cell in written.cells if "outputs" in cell] == outputs
    assert main(["check", "3"]) == 0
    assert capsys.readouterr().out == ""


def test_other_code_and_a_missing_notebook_stop_the_book_and_nothing_is_written(chapter, monkeypatch, capsys) -> None:
    monkeypatch.chdir(chapter.root)
    before = chapter.notebook.read_bytes()
    replace(chapter.source, ".4g", ".3g")
    assert main(["check"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("ch3_batched.ipynb cell 3: ")
    assert said.endswith("make settle ACCEPT=pages/ch3_batched\n")
    assert chapter.notebook.read_bytes() == before
    chapter.notebook.unlink()
    assert main(["check"]) == 1
    assert main(["check", "33"]) == 2


@pytest.mark.parametrize("page", chapters(ROOT), ids=lambda page: page.stem)
def test_the_committed_pages_are_as_they_should_be(page: Chapter) -> None:
    assert check(page) == []
