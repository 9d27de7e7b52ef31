"""Pictures of outputs become files beside the page; a chapter's picture may stand on another page."""

from __future__ import annotations

import base64
import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from docutils.core import publish_doctree
from docutils.utils import SystemMessage
from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_ext"))
import companion_pictures


def png(color: str) -> str:
    buffer = io.BytesIO()
    Image.new("RGB", (30, 15), color).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def figure(color: str) -> str:
    modes = zip(("only-light", "only-dark"), (color, "black"), strict=True)
    return "".join(
        f'<img class="{m}" alt="A &quot;line&quot;." src="data:image/png;base64,{png(c)}">' for m, c in modes
    )


def written(tmp_path: Path, body: str) -> str:
    app: Any = SimpleNamespace(outdir=str(tmp_path))
    context = {"body": body, "pathto": lambda name, resource: f"../{name}"}
    companion_pictures.write_files(app, "notebooks/ch1", "page.html", context, None)  # type: ignore[arg-type]
    return str(context["body"])


def test_pictures_are_written_once_each_and_referred_to(tmp_path: Path) -> None:
    body = written(tmp_path, f"<p>{figure('red')}{figure('red')}{figure('blue')}</p>")
    assert "base64" not in body
    assert body.count("<img") == body.count('loading="lazy"') == 6
    assert 'width="20" height="10"' in body
    assert 'alt="A &quot;line&quot;."' in body
    files = sorted((tmp_path / "_images").iterdir())
    assert len(files) == 3, "red, blue, and the dark one that both share"
    assert all(f'src="../_images/{path.name}"' in body and f'href="../_images/{path.name}"' in body for path in files)
    assert {Image.open(path).getpixel((0, 0)) for path in files} == {(255, 0, 0), (0, 0, 255), (0, 0, 0)}


def test_a_page_without_pictures_is_left_alone(tmp_path: Path) -> None:
    assert written(tmp_path, "<p>x</p>") == "<p>x</p>"
    assert not (tmp_path / "_images").exists()


def test_a_download_has_the_light_pictures_only(tmp_path: Path) -> None:
    folder = tmp_path / "_sources" / "notebooks"
    folder.mkdir(parents=True)
    output = nbformat.v4.new_output("display_data", {"text/html": f"<p>{figure('red')}</p>"})
    cell = nbformat.v4.new_code_cell("draw()", outputs=[output])
    path = folder / "ch1.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    app: Any = SimpleNamespace(outdir=str(tmp_path), builder=SimpleNamespace(format="html"))
    companion_pictures.lighten_downloads(app, None)
    (kept,) = nbformat.read(path, as_version=4).cells[0].outputs
    assert kept.data["text/html"].count("<img") == kept.data["text/html"].count("only-light") == 1
    assert png("red") in kept.data["text/html"]


@pytest.fixture
def chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A chapter with a figure from each of two cells; the value shows a picture of it."""
    cells = []
    for name, color in (("theory.one(", "red"), ("theory.two(", "blue")):
        cell = nbformat.v4.new_code_cell(f"{name}x)")
        cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": f"<figure>{figure(color)}</figure>"})]
        cells.append(cell)
    (tmp_path / "notebooks").mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "notebooks" / "ch1_one.ipynb")
    env = SimpleNamespace(srcdir=str(tmp_path), note_dependency=lambda path: None)
    monkeypatch.setattr(companion_pictures.ChapterPicture, "env", env)
    from docutils.parsers.rst import directives

    monkeypatch.setitem(directives._directives, "chapter-picture", companion_pictures.ChapterPicture)

    def show(cell: str) -> str:
        text = f'.. chapter-picture:: ch1_one\n   :cell: {cell}\n   :alt: A "picture"\n'
        return publish_doctree(text, settings_overrides={"halt_level": 3, "report_level": 5}).astext()

    return show


def test_a_chapters_picture_stands_elsewhere_with_words_of_its_own(chapter: Any) -> None:
    shown = chapter("theory.two(")
    assert shown.count("<img") == 2
    assert png("blue") in shown
    assert png("red") not in shown
    assert 'alt="A &quot;picture&quot;"' in shown


@pytest.mark.parametrize(("cell", "count"), [("theory.three(", 0), ("theory.", 2)])
def test_exactly_one_figure_is_meant(chapter: Any, cell: str, count: int) -> None:
    with pytest.raises(SystemMessage, match=f"{count} figures of ch1_one.ipynb"):
        chapter(cell)


def drawing(*panels: tuple[int, int, int], width: int = 1000) -> bytes:
    """A picture of panels (left edge, axis, right edge); what is left of an axis are names."""
    picture = Image.new("RGB", (width, 300), "white")
    draw = ImageDraw.Draw(picture)
    for left, axis, right in panels:
        draw.rectangle((left, 100, max(left, axis - 10), 120), "black")
        draw.rectangle((axis, 20, axis, 280), "black")
        draw.rectangle((axis, 279, right, 280), "black")
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("panels", "shown"),
    [
        (((0, 60, 999),), ""),
        (((0, 60, 440), (520, 580, 999)), "0-0.48 0.48-1"),
        # Without names of its own.
        (((0, 60, 440), (520, 520, 999)), "0-0.48 0-0.06+0.48-1"),
    ],
)
def test_panels_are_where_nothing_is_drawn_between(panels: tuple[tuple[int, int, int], ...], shown: str) -> None:
    assert companion_pictures.panels(drawing(*panels)) == shown


def test_names_of_rows_stand_before_each_panel() -> None:
    names = Image.open(io.BytesIO(drawing((200, 200, 560), (620, 620, 999))))
    ImageDraw.Draw(names).rectangle((0, 100, 180, 120), "black")
    buffer = io.BytesIO()
    names.save(buffer, "PNG")
    assert companion_pictures.panels(buffer.getvalue()) == "0-0.19+0.19-0.59 0-0.19+0.59-1"


def test_what_fits_a_telephone_is_not_taken_apart() -> None:
    assert companion_pictures.panels(drawing((0, 60, 240), (320, 380, 560), width=600)) == ""
