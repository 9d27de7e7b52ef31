"""What the built book is without: icons that no page shows, and a second form of outputs in notebooks for download."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat

sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_ext"))
import companion_downloads

ICON = '{name}:[512,512,[{other}],"f000","M0 0z"]'


def test_icons_that_no_page_names_are_left_out(tmp_path: Path) -> None:
    script = tmp_path / "_static" / "scripts" / "fontawesome.js"
    script.parent.mkdir(parents=True)
    icons = (
        ("bars", '"navicon"'),
        ('"magnifying-glass"', '128269,"search"'),
        ("bee", ""),
        ('"file-pdf"', ""),
        ("zebra", ""),
    )
    drawn = [ICON.format(name=name, other=other) for name, other in icons]
    script.write_text("a={" + ",".join(drawn) + "};run(a)", encoding="utf-8")
    (tmp_path / "page.html").write_text(
        '<i class="fas fa-search"></i><i class="fa-solid fa-bars"></i>', encoding="utf-8"
    )
    (tmp_path / "_static" / "more.js").write_text('icon.classList.add("fa-file-pdf")', encoding="utf-8")
    companion_downloads.drop_icons(tmp_path)
    assert script.read_text(encoding="utf-8") == f"a={{{drawn[0]},{drawn[1]},{drawn[3]},}};run(a)"


def test_outputs_of_a_download_have_one_form(tmp_path: Path) -> None:
    shown = {"text/html": "<b>x</b>", "text/plain": "x"}
    outputs = [nbformat.v4.new_output("display_data", data) for data in (shown, {"text/plain": "alone"})]
    outputs.append(nbformat.v4.new_output("stream", text="said"))
    path = tmp_path / "_sources" / "ch1.ipynb"
    path.parent.mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x", outputs=outputs)]), path)
    app: Any = SimpleNamespace(outdir=str(tmp_path))
    companion_downloads.drop_unread(app, None)
    first, second, third = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["outputs"]
    assert (list(first["data"]), list(second["data"]), third["text"]) == (["text/html"], ["text/plain"], ["said"])
