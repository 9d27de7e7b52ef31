"""The committed notebook: each way in which it can be wrong is reported, and a right one passes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output

import companion
from companion.errors import StaleOutputError
from companion.notebook import Chapter, check, check_fresh
from companion.notebook.__main__ import main


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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda n: n.cells[2].__setitem__("execution_count", None), "was not executed"),
        (lambda n: n.cells[2].__setitem__("execution_count", 7), "executed as number 7, not 2"),
        (lambda n: n.cells[2].__setitem__("source", "values = 1"), "differs from ch3_batched.py"),
        (lambda n: n.cells[1].metadata.__setitem__("tags", []), "differs from ch3_batched.py"),
        (lambda n: n.cells.pop(), "has 3 cells, ch3_batched.py has 4"),
        (lambda n: n.cells.append(new_code_cell("")), "has 5 cells, ch3_batched.py has 4"),
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


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package's sources that a test may change."""
    copy = tmp_path / "companion"
    shutil.copytree(Path(companion.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for paper in ("batched", "tsrsr"):
        (copy / "papers" / paper).mkdir(parents=True, exist_ok=True)
        (copy / "papers" / paper / "extra.py").write_text("x = 1\n", encoding="utf-8")
    return copy


def append(path: Path) -> None:
    """One byte more."""
    with path.open("ab") as stream:
        stream.write(b"\n")


def stamp(chapter: Chapter, package: Path | None = None) -> None:
    """Make the notebook and its record those of the inputs as they are."""
    hashes = chapter.hashes(package)
    edit(chapter, lambda notebook: notebook.metadata.__setitem__("companion", hashes))
    content = json.loads(chapter.record.read_text(encoding="utf-8"))
    chapter.record.write_text(json.dumps(content | {"hashes": hashes}), encoding="utf-8")


@pytest.fixture
def fresh(chapter: Chapter, package: Path) -> Chapter:
    """A chapter whose outputs belong to the copied package."""
    stamp(chapter, package)
    check_fresh(chapter, package)
    return chapter


@pytest.mark.parametrize("part", ["errors.py", "randomness.py", "papers/batched/extra.py", "reproduce/record.py"])
def test_one_byte_in_the_code_makes_outputs_stale(part: str, fresh: Chapter, package: Path) -> None:
    append(package / part)
    with pytest.raises(StaleOutputError, match=r"the package's code changed .* run: make notebooks CH=3"):
        check_fresh(fresh, package)


@pytest.mark.parametrize("part", ["papers/tsrsr/extra.py", "notebook/checking.py"])
def test_code_that_cannot_change_the_numbers_does_not(part: str, fresh: Chapter, package: Path) -> None:
    append(package / part)
    check_fresh(fresh, package)


@pytest.mark.parametrize("what", ["source", "profile", "result", "reported", "margins"])
def test_one_byte_in_an_input_makes_outputs_stale(what: str, chapter: Chapter) -> None:
    data = chapter.root / "data"
    paths = {
        "source": chapter.source,
        "profile": chapter.profiles / "smoke.yaml",
        "result": data / "results" / "batched" / "run.csv",
        "reported": data / "reported" / "batched" / "table1.csv",
        "margins": data / "reported" / "margins.toml",
    }
    for name in ("result", "reported"):
        paths[name].parent.mkdir(parents=True)
        paths[name].write_text("a\n1\n", encoding="utf-8")
    paths["margins"].write_text("[batched]\ntable1 = 0.1\n[tsrsr]\ntable1 = 0.2\n", encoding="utf-8")
    stamp(chapter)
    check_fresh(chapter)
    if what == "margins":
        # Another paper's margin is no input of this chapter; its own is.
        paths[what].write_text("[batched]\ntable1 = 0.1\n[tsrsr]\ntable1 = 0.3\n", encoding="utf-8")
        check_fresh(chapter)
        paths[what].write_text("[batched]\ntable1 = 0.2\n[tsrsr]\ntable1 = 0.3\n", encoding="utf-8")
    else:
        append(paths[what])
    with pytest.raises(StaleOutputError, match="run: make notebooks CH=3"):
        check_fresh(chapter)


def test_another_papers_results_are_no_input(chapter: Chapter) -> None:
    other = chapter.root / "data" / "results" / "tsrsr"
    other.mkdir(parents=True)
    (other / "run.csv").write_text("1\n", encoding="utf-8")
    check_fresh(chapter)


def test_a_missing_notebook_is_stale(chapter: Chapter) -> None:
    chapter.notebook.unlink()
    with pytest.raises(StaleOutputError, match="make notebooks CH=3"):
        check_fresh(chapter)
    assert len(check(chapter)) == 1


def test_the_command_line_fails_on_problems(chapter: Chapter, monkeypatch, capsys) -> None:
    monkeypatch.chdir(chapter.root)
    assert main(["check"]) == 0
    append(chapter.source)
    assert main(["check", "3"]) == 1
    assert "run: make notebooks CH=3" in capsys.readouterr().out
    assert main(["check", "33"]) == 2
    assert "ch3_batched" in capsys.readouterr().err


def test_the_command_line_copes_with_no_notebooks(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert [main([action]) for action in ("execute", "check", "compare")] == [0, 0, 0]


@pytest.mark.slow
def test_compare_runs_the_notebook_and_sees_a_changed_number(chapter: Chapter, monkeypatch) -> None:
    monkeypatch.chdir(chapter.root)
    assert main(["compare"]) == 0
    edit(chapter, lambda notebook: notebook.cells[3].outputs[0].__setitem__("text", "a 4 0.1234\n"))
    assert main(["compare"]) == 1
