"""The comparison by re-execution: what may differ does, and a changed number in anything shown is seen."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from notebook.conftest import SOURCE, repository

from companion.notebook import Chapter, execute
from companion.notebook.__main__ import main
from companion.notebook.comparison import compare, differences, different, due
from companion.reproduce import provenance

SHOWING = (
    SOURCE
    + """
# %%
import pandas as pd

from companion.report import Figure, Numbers, Table, here, say

caption = f"It ends at {values[0]:.3f}."
Figure(lambda canvas, palette: canvas.subplots().plot(values), alt="A line", caption=caption, where=here(Figure))

# %%
Table(pd.DataFrame({"value": values}), caption="All values.", where=here(Table))

# %%
say("The mean is [[mean]] of [[n]] values.", Numbers(here(say), mean=values.mean(), n=len(values)))
"""
)


def picture(width: int, height: int, rest: bytes = b"") -> str:
    """The head of a PNG file of this size, as a page holds it."""
    head = b"\x89PNG\r\n\x1a\n" + (13).to_bytes(4) + b"IHDR" + width.to_bytes(4) + height.to_bytes(4) + rest
    return f'<img src="data:image/png;base64,{base64.b64encode(head).decode()}">'


def twins(light: tuple[int, int], dark: tuple[int, int], alts: tuple[str, str] = ("a", "a")) -> str:
    """A figure as a page holds it: drawn for light and for dark pages."""
    drawn = zip(("light", "dark"), alts, (picture(*light), picture(*dark, b"dark")), strict=True)
    return "".join(image.replace("<img", f'<img class="only-{mode}" alt="{alt}"') for mode, alt, image in drawn)


def draft(width: int, height: int) -> str:
    """The same figure, drawn once."""
    return picture(width, height).replace("<img", '<img class="both-modes" alt="a"')


@pytest.mark.parametrize(
    ("stored", "made"),
    [
        ("mean 0.371 of 12", "mean 0.372 of 12"),
        ("1.5e-07", "1.6e-07"),
        ("<td>2.50</td><td>10.00</td>", "<td>2.49</td><td>9.99</td>"),
        ("a    0.5\nb  10.25", "a   0.5\nb 10.25"),
        (picture(640, 480, b"pixels"), picture(640, 480, b"others, and more of them")),
        (twins((640, 480), (640, 480)), draft(640, 480)),
    ],
)
def test_what_another_processor_may_change_passes(stored: str, made: str) -> None:
    assert different(stored, made) is None


@pytest.mark.parametrize(
    ("stored", "made"),
    [
        ("mean 0.371 of 12", "mean 0.373 of 12"),
        ("mean 0.371 of 12", "mean 0.371 of 13"),
        ("mean 0.371 of 12", "mean 0.37 of 12"),
        ("mean 0.371 of 12", "mean -0.371 of 12"),
        ("1.5e-07", "1.5e-06"),
        ("1.5e-07", "1.7e-07"),
        ("0.371", "0.371 "),
        ("smaller, 0.371", "larger, 0.371"),
        ("0.371 and 0.42", "0.371"),
        ("version 1.2.3", "version 1.2.4"),
        ("seed 3", "seed 4"),
        (picture(640, 480), picture(640, 481)),
        (picture(640, 480), "<img>"),
        (twins((640, 480), (640, 481)), draft(640, 480)),
        (twins((640, 481), (640, 480)), draft(640, 480)),
        (twins((640, 480), (640, 480)), draft(640, 481)),
        (twins((640, 480), (640, 480), ("a", "b")), draft(640, 480)),
        ("<p>x</p>", "<p>x</p><script>y</script>"),
    ],
)
def test_anything_else_is_seen_from_both_sides(stored: str, made: str) -> None:
    same = " ".join(stored.split()) == " ".join(made.split())
    assert (different(stored, made) is None) == same
    assert (different(made, stored) is None) == same


def test_key_numbers_get_no_allowance() -> None:
    assert different("regret = 0.3711", "regret = 0.3712", exact=True) == ("regret = 0.3711", "regret = 0.3712")
    assert different("regret = 0.3711", "regret = 0.3711", exact=True) is None


def page(*outputs: NotebookNode) -> NotebookNode:
    return new_notebook(cells=[new_code_cell("show()", outputs=list(outputs))])


def shown(**data: str) -> NotebookNode:
    return new_output("display_data", data={kind.replace("_", "/"): text for kind, text in data.items()})


@pytest.mark.parametrize(
    ("stored", "made", "said"),
    [
        (page(shown(text_plain="a")), page(), "has 1 outputs, 0 when executed again"),
        (page(shown(text_plain="a")), page(shown(text_html="a")), "holds text/plain; executed again, text/html"),
        (page(shown(text_html="a 0.1")), page(shown(text_html="a 0.3")), "holds 'a 0.1'; executed again, 'a 0.3'"),
        (page(new_output("stream", text="a")), page(new_output("stream", text="b")), "holds 'a'; executed again, 'b'"),
        (page(), new_notebook(), "has 1 code cells, its source 0"),
    ],
)
def test_what_differs_is_named(stored: NotebookNode, made: NotebookNode, said: str) -> None:
    ((_, text),) = differences(stored, made)
    assert said in text


def test_only_the_run_record_may_name_other_versions() -> None:
    here, elsewhere = (
        '<code data-study="x.{}">run</code> numpy {}'.format(*pair) for pair in (("study", 1), ("study", 2))
    )
    assert list(differences(page(shown(text_html=here)), page(shown(text_html=elsewhere))))
    record = '<code data-study="x.chapter.run_record">run_record()</code> python {}, 5 runs'
    old, new = (page(shown(text_html=record.format(version))) for version in ("3.11.7", "3.13.0rc1"))
    assert not list(differences(old, new))
    other = page(shown(text_html=record.format("3.11.7").replace("5 runs", "6 runs")))
    assert list(differences(old, other))


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    chapter = repository(tmp_path_factory.mktemp("comparison"), SHOWING)
    execute(chapter)
    return chapter


def swap(index: int, kind: str, pattern: str, new: str) -> Callable[[NotebookNode], None]:
    """A change of one cell's output; the pattern has to be there."""

    def change(notebook: NotebookNode) -> None:
        data = notebook.cells[index].outputs[0].data
        data[kind], count = re.subn(pattern, new, data[kind], count=1)
        assert count == 1

    return change


@pytest.mark.slow
def test_compare_runs_the_notebook_and_sees_each_changed_number(executed: Chapter, monkeypatch, capsys) -> None:
    monkeypatch.chdir(executed.root)
    kept = executed.notebook.read_bytes()
    assert main(["compare"]) == 0
    assert executed.notebook.read_bytes() == kept
    notebook = nbformat.read(executed.notebook, as_version=4)
    notebook.cells[3].outputs[0]["text"] = "a 4 0.1234\n"
    swap(4, "text/html", r"(It ends at \d)\.\d+", r"\1.999")(notebook)
    swap(5, "text/html", r"(<td[^>]*>-?\d+\.)\d(\d*</td>)", r"\g<1>x\2")(notebook)
    swap(6, "text/markdown", "of 4 values", "of 5 values")(notebook)
    nbformat.write(notebook, executed.notebook)
    assert main(["compare"]) == 1
    said = capsys.readouterr().out
    assert re.findall(r"ch3_batched\.ipynb: cell (\d):.*; run: make notebooks CH=3", said) == ["3", "4", "5", "6"]
    assert "1 executed again, 4 cells differ" in said
    executed.notebook.write_bytes(kept)


def made_with(folder: Path, stem: str, **versions: str) -> Chapter:
    chapter = Chapter(source=folder / "notebooks" / f"{stem}.py", root=folder)
    chapter.record.parent.mkdir(exist_ok=True)
    chapter.record.write_text(json.dumps({"record": {"versions": {**provenance.versions(), **versions}}}))
    return chapter


def test_a_commit_draws_a_page_that_is_executed_again(tmp_path: Path) -> None:
    pages = [made_with(tmp_path, f"ch{n}_toy", another="2.0") for n in range(1, 7)]
    drawn = [due(pages, f"{commit:040x}") for commit in range(60)]
    assert {len(one) for one in drawn} == {1}
    assert [sum(page in one for one in drawn) for page in pages] == [10] * 6
    assert due(pages, "unknown") == pages
    assert due([], "0" * 40) == []


@pytest.mark.parametrize("spoil", ["numpy", "python", "record", "no record"])
def test_a_page_made_elsewhere_or_without_a_record_is_executed_again(spoil: str, tmp_path: Path) -> None:
    pages = [made_with(tmp_path, f"ch{n}_toy") for n in range(1, 4)]
    assert due(pages, "0" * 40) == pages[:1]
    if spoil == "no record":
        pages[2].record.unlink()
    elif spoil == "record":
        pages[2].record.write_text("[]")
    else:
        made_with(tmp_path, "ch3_toy", **{spoil: "0.1"})
    assert due(pages, "0" * 40) == [pages[0], pages[2]]


def test_the_turn_is_named(executed: Chapter, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(executed.root)
    monkeypatch.setattr("companion.notebook.__main__._compare", lambda chosen, workers: len(chosen))
    assert main(["compare", "--due"]) == 1
    assert "the turn is with ch3_batched" in capsys.readouterr().out


def test_a_cell_that_fails_is_a_difference(tmp_path: Path) -> None:
    chapter = repository(tmp_path)
    execute(chapter)
    chapter.source.write_text(f"{SOURCE}\n# %%\n1 / 0\n", encoding="utf-8")
    (problem,) = compare(chapter)
    assert "cannot be executed again: ch3_batched.py: cell 4 (1 / 0) raised ZeroDivisionError" in str(problem)
