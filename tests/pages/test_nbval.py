"""Pages executed again by nbval: what may differ does, and a changed number in anything shown is named by its cell."""

from __future__ import annotations

import base64
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbformat import NotebookNode
from nbval.plugin import get_sanitize_patterns
from pages.conftest import SOURCE, repository

from companion.core import instruction_set
from companion.current.settle import Difference
from companion.pages import Table
from companion.pages.document import COMPARED, Chapter, lessons, read_notebook
from companion.pages.execution import execute
from companion.pages.page_artefacts import Pages

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = get_sanitize_patterns((ROOT / "notebooks" / "nbval.cfg").read_text(encoding="utf-8"))

SHOWING = (
    SOURCE
    + """
# %%
import gc
import os

import pandas as pd

from companion.pages import Figure, Numbers, Table, here, say

print(gc.get_threshold(), [os.environ[name] for name in ("MPLBACKEND", "OMP_NUM_THREADS")])

# %%
caption = f"It ends at {values[0]:.3f}."
Figure(lambda canvas, palette: canvas.subplots().plot(values), alt="A line", caption=caption, where=here(Figure))

# %%
Table(pd.DataFrame({"value": values}), caption="All values.", where=here(Table))

# %%
say("The mean is [[mean]] of [[n]] values.", Numbers(here(say), mean=values.mean(), n=len(values)))

# %%
steps = len(caption)
"""
)
#: What is typed over, by the number of the code cell: kind of data, pattern, replacement.
TYPED = {
    2: ("text", r"\d$", "0"),
    4: ("text/html", r"(It ends at -?\d)\.\d+", r"\1.999"),
    5: ("text/html", r"(<td[^>]*>-?\d+\.)\d(\d*</td>)", r"\g<1>x\2"),
    6: ("text/markdown", "of 4 values", "of 5 values"),
}
#: A cell that warns where the committed one does not.
WARNS = 7


def sanitised(text: str) -> str:
    """What nbval compares of a text."""
    for regex, replacement in PATTERNS:
        text = re.sub(regex, replacement, text)
    return text


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


def run_record(version: str, stored: str = "2.4.6", steps: float = 1.5) -> str:
    """A table like a page's run record, in both of its forms."""
    rows = [("made by", "make notebooks CH=3", ""), ("numpy", version, stored), ("steps", f"{steps}", "")]
    table = Table(pd.DataFrame(rows, columns=["what", "notebook", "stored results"]), caption="Run record.")
    return f"{table._repr_html_()}\n{table!r}"


@pytest.mark.parametrize(
    ("stored", "made"),
    [
        (picture(640, 480, b"pixels"), picture(640, 480, b"others, and more of them")),
        (twins((640, 480), (640, 480)), draft(640, 480)),
        (run_record("2.4.6"), run_record("3.0.0rc1")),
    ],
)
def test_what_may_differ_passes(stored: str, made: str) -> None:
    assert stored != made
    assert sanitised(stored) == sanitised(made)


@pytest.mark.parametrize(
    ("stored", "made"),
    [
        ("mean 0.371 of 12", "mean 0.372 of 12"),
        ("version 1.2.3", "version 1.2.4"),
        ("a    0.5\nb  10.25", "a   0.5\nb 10.25"),
        (picture(640, 480), picture(640, 481)),
        (picture(640, 480), "<img>"),
        (twins((640, 480), (640, 481)), draft(640, 480)),
        (twins((640, 481), (640, 480)), draft(640, 480)),
        (twins((640, 480), (640, 480)), draft(640, 481)),
        (twins((640, 480), (640, 480), ("a", "b")), draft(640, 480)),
        (run_record("2.4.6"), run_record("2.4.6", stored="2.4.7")),
        (run_record("2.4.6"), run_record("2.4.6", steps=1.6)),
    ],
)
def test_anything_else_is_seen(stored: str, made: str) -> None:
    assert sanitised(stored) != sanitised(made)


def texts(notebook: NotebookNode) -> Iterator[str]:
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        yield from output.data.values() if "data" in output else [output.text]


@pytest.mark.parametrize("chapter", lessons(ROOT), ids=lambda chapter: chapter.stem)
def test_on_committed_pages_only_pictures_and_four_versions_may_differ(chapter: Chapter) -> None:
    """And every code cell is compared, with all that it shows."""
    notebooks = [read_notebook(page.notebook) for page in chapter.pages]
    cells = [cell for notebook in notebooks for cell in notebook.cells if cell.cell_type == "code"]
    assert all(COMPARED in cell.metadata.tags for cell in cells)
    shown = [text for notebook in notebooks for text in texts(notebook)]
    counts = []
    for regex, replacement in PATTERNS:
        found = [re.subn(regex, replacement, text) for text in shown]
        shown = [text for text, _ in found]
        counts.append(sum(count for _, count in found))
    figures = sum(text.count('<figure class="companion-figure">') for text in shown)
    assert counts == [2 * figures, figures, 4, 4]


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    """A page that was typed over."""
    chapter = repository(tmp_path_factory.mktemp("nbval"), SHOWING)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        execute(chapter)
    for name in ("pyproject.toml", "notebooks/conftest.py", "notebooks/nbval.cfg"):
        shutil.copy(ROOT / name, chapter.root / name)
    return chapter


def differences(chapter: Chapter, monkeypatch: pytest.MonkeyPatch) -> list[Difference]:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    ((_, found),) = Pages(chapter.root).compare([chapter.stem], 1)
    return found


@pytest.mark.slow
def test_a_page_is_equal_to_itself_and_each_changed_number_is_named_by_its_cell(typed, monkeypatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")  # pages are made on one thread, whatever the shell says
    assert differences(typed, monkeypatch) == []
    notebook = read_notebook(typed.notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, (kind, pattern, new) in TYPED.items():
        (output,) = cells[number].outputs
        held = output if kind == "text" else output.data
        held[kind], count = re.subn(pattern, new, held[kind], count=1, flags=re.MULTILINE)
        assert count == 1
    nbformat.write(notebook, typed.notebook)
    typed.source.write_text(SHOWING.replace("steps = len", "import warnings; warnings.warn('careful')\nsteps = len"))
    found = differences(typed, monkeypatch)
    named = {int(re.findall(r"Cell (\d+)", one.place)[0]) for one in found}
    assert named == {WARNS} | (TYPED.keys() if instruction_set.as_stored() else set()), found
    if instruction_set.as_stored():
        sentence = next(one for one in found if "Cell 6" in one.place)
        assert ("of 5 values" in sentence.old, "of 4 values" in sentence.new) == (True, True)
    typed.source.write_text(SHOWING + "\n# %%\n1\n")
    assert [(one.old, one.new) for one in differences(typed, monkeypatch)] == [("8", "9")]
