"""The committed notebook: each way in which it can be wrong is reported, and a right one passes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from pages.conftest import reseal

import companion
from companion.core.errors import StaleOutputError
from companion.pages.__main__ import main
from companion.pages.checking import check, check_fresh
from companion.pages.document import Chapter, NotebookError, read_source, to_bytes
from companion.pages.pairing import with_outputs


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
        (
            lambda n: n.cells[2].outputs.append(new_output("execute_result", execution_count=1)),
            "its output says otherwise",
        ),
        (lambda n: n.cells[2].__setitem__("source", "values = 1"), "differs from ch3_batched.py"),
        (lambda n: n.cells[2].metadata.tags.append("nbval-skip"), "would not be compared"),
        (lambda n: n.cells[2].__setitem__("source", "# NBVAL_IGNORE_OUTPUT"), "would not be compared"),
        (lambda n: n.cells[1].metadata.__setitem__("tags", []), "cell 1: differs from ch3_batched.py"),
        (lambda n: n.cells.pop(), "a code cell was added or is missing: 2 are here, 3 were executed"),
        (
            lambda n: n.cells.append(new_code_cell("")),
            "cell 4: a code cell was added or is missing: 4 are here, 3 were exec",
        ),
        (lambda n: n.cells.append(new_markdown_cell("x")), "cell 4: differs from ch3_batched.py"),
        (lambda n: n.cells[2].__setitem__("id", "another"), "holds something besides its cells"),
        (lambda n: n.metadata.__setitem__("authors", []), "holds something besides its cells"),
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
    reseal(chapter)
    assert check(chapter) == []


EXTRA = '''"""A module that a page uses."""

factor = 2


def shown(x):
    return f"{x} tripled".replace('tripled', str(factor))


def double(x: float):
    """Times two."""
    if x != x:
        raise ValueError("no number")
    return shown(factor * x)  # a comment
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package's sources that a test may change."""
    copy = tmp_path / "companion"
    shutil.copytree(Path(companion.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for paper in ("batched", "tsrsr"):
        (copy / "papers" / paper).mkdir(parents=True, exist_ok=True)
        (copy / "papers" / paper / "extra.py").write_text("x = 1\n", encoding="utf-8")
    (copy / "gp" / "extra.py").write_text(EXTRA, encoding="utf-8")
    return copy


def append(path: Path) -> None:
    """One byte more."""
    with path.open("ab") as stream:
        stream.write(b"\n")


def stamp(chapter: Chapter, package: Path | None = None) -> None:
    """Make the notebook and its record those of the inputs as they are."""
    hashes = chapter.hashes(package)
    edit(chapter, lambda notebook: notebook.metadata.__setitem__("companion", hashes))
    reseal(chapter, hashes=hashes)


@pytest.fixture
def using(chapter: Chapter, package: Path) -> Chapter:
    """A chapter whose cells use a module of the copied package, and whose outputs belong to it."""
    replace(chapter.source, "import numpy as np", "import numpy as np\nfrom companion.gp.extra import double")
    replace(chapter.source, "print(label,", "print(label, double(1.0),")
    stamp(chapter, package)
    notebook = with_outputs(read_source(chapter.source), nbformat.read(chapter.notebook, as_version=4))
    chapter.notebook.write_bytes(to_bytes(notebook))
    check_fresh(chapter, package)
    return chapter


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "fresh"),
    [
        # Code: the constant, the string that is shown, the order of statements.
        ("factor = 2", "factor = 3", False),
        ("'tripled'", "'thrice'", False),
        ("return shown(factor * x)", "return shown(x * factor)", False),
        # Text.
        ("Times two.", "Twice as much.", True),
        ("# a comment", "# another", True),
        ("x: float", "x: int", True),
        ("no number", "not a number", True),
    ],
)
def test_the_meaning_of_the_code_counts_and_its_text_does_not(
    old: str, new: str, fresh: bool, using: Chapter, package: Path
) -> None:
    check_fresh(using, package)
    replace(package / "gp" / "extra.py", old, new)
    if fresh:
        check_fresh(using, package)
        assert check(using, package) == []
    else:
        with pytest.raises(StaleOutputError, match=r"the package's code changed .* run: make notebooks CH=3"):
            check_fresh(using, package)


def test_a_function_that_moves_to_another_module_does_not_count(using: Chapter, package: Path) -> None:
    text = (package / "gp" / "extra.py").read_text(encoding="utf-8")
    (package / "gp" / "moved.py").write_text(text, encoding="utf-8")
    (package / "gp" / "extra.py").write_text("from companion.gp.moved import double\n", encoding="utf-8")
    check_fresh(using, package)


@pytest.mark.parametrize("part", ["papers/tsrsr/extra.py", "papers/batched/extra.py", "pages/checking.py"])
def test_code_that_a_page_does_not_reach_does_not_count(part: str, using: Chapter, package: Path) -> None:
    with (package / part).open("a", encoding="utf-8") as stream:
        stream.write("\nELSEWHERE = 1\n")
    check_fresh(using, package)


@pytest.mark.parametrize("what", ["result", "reported", "margins"])
def test_one_byte_in_the_data_makes_outputs_stale(what: str, chapter: Chapter) -> None:
    data = chapter.root / "data"
    paths = {
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
    with pytest.raises(StaleOutputError, match=r"the data it loads changed .* run: make notebooks CH=3"):
        check_fresh(chapter)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rounds = 4", "rounds = 5"),
        (".4g", ".3g"),
        ("normal(size=rounds)\n", "normal(size=rounds);\n"),
        ("# %%\nimport", '# %% tags=["skip-execution"]\nimport'),
        ("# %%\nimport numpy as np\n", "# %%\nimport numpy as np\n\n# %%\n"),
    ],
)
def test_a_changed_code_cell_makes_outputs_stale(old: str, new: str, chapter: Chapter) -> None:
    replace(chapter.source, old, new)
    with pytest.raises(StaleOutputError, match=r"a code cell .*changed .* run: make notebooks CH=3"):
        check_fresh(chapter)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# # A tiny chapter", "# # A small chapter\n#\n# It has more text."),
        ("# %%\nimport", "# %% [markdown]\n# Between.\n\n# %%\nimport"),
        ("# %%\nimport", '# %% tags=["hide-input"]\n# a comment\nimport'),
        ("length of the run, rounds", "how long it runs, rounds"),
    ],
)
def test_text_is_brought_over_without_a_kernel(
    old: str, new: str, chapter: Chapter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(chapter.root)
    monkeypatch.setattr("companion.pages.__main__.execute", None)
    outputs = [cell.outputs for cell in nbformat.read(chapter.notebook, as_version=4).cells if "outputs" in cell]
    record = chapter.record.read_bytes()
    replace(chapter.source, old, new)
    check_fresh(chapter)
    (problem,) = check(chapter)
    assert problem.text.endswith("; run: make notebooks")
    assert main(["execute"]) == 0
    assert "ch3_batched.ipynb has its text anew" in capsys.readouterr().out
    assert check(chapter) == []
    written = nbformat.read(chapter.notebook, as_version=4)
    assert [cell.source for cell in written.cells] == [cell.source for cell in read_source(chapter.source).cells]
    assert [cell.outputs for cell in written.cells if "outputs" in cell] == outputs
    assert chapter.record.read_bytes() == record


def test_bringing_over_text_does_not_take_over_what_was_typed(chapter: Chapter, monkeypatch) -> None:
    monkeypatch.chdir(chapter.root)
    before = chapter.notebook.read_bytes()
    edit(chapter, lambda notebook: notebook.cells[3].outputs[0].__setitem__("text", "a 4 0.1234\n"))
    replace(chapter.source, "# # A tiny chapter", "# # A tiny  chapter")
    assert main(["execute"]) == 0
    replace(chapter.source, "# # A tiny  chapter", "# # A tiny chapter")
    assert main(["execute"]) == 0
    assert chapter.notebook.read_bytes() == before


def test_a_cell_that_is_no_python_is_named(chapter: Chapter, monkeypatch, capsys) -> None:
    monkeypatch.chdir(chapter.root)
    replace(chapter.source, "print(label,", "print((label,")
    assert main(["check"]) == NotebookError.exit_code
    assert "ch3_batched.py: cell 3 is not plain Python: '(' was never closed" in capsys.readouterr().err


def test_a_profile_is_no_input(chapter: Chapter) -> None:
    append(chapter.profiles / "smoke.yaml")
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
    assert "cell 3: differs from ch3_batched.py; run: make notebooks\n" in capsys.readouterr().out
    assert main(["check", "33"]) == 2
    assert "ch3_batched" in capsys.readouterr().err


def test_the_command_line_copes_with_no_notebooks(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert [main([action]) for action in ("execute", "check")] == [0, 0]


def test_the_command_line_says_in_one_line_that_nothing_can_be_written(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    words = f"{sys.executable} -m companion.pages check"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    for where, said in ((">/dev/full", "No space left on device"), (">&-", "standard output is closed")):
        done = subprocess.run(f"{words} {where}", shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (1, f"{said}\n")
