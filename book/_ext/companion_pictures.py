"""Sphinx extension: pictures are files beside the page, and a chapter's picture may stand on another page.

A notebook keeps the pictures of its outputs inside itself, once for light and once for dark pages. Written into the page
they would be loaded all at once, in both modes; as files the browser fetches what comes into sight in the mode that is on.
A click on a picture opens the file, at its full size. A picture says where its panels are, so that a telephone shows them one
below the other, each beside the names of its rows. The notebook offered for download keeps the light ones only: outside the
book nothing chooses between the two.

``{chapter-picture}`` shows a picture of a chapter's output elsewhere::

    ```{chapter-picture} ch2_compressed
    :cell: theory.one_run(
    :alt: what a reader who cannot see it needs to know
    ```

``cell`` is a piece of the code of the one cell whose figure is meant.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import itertools
import re
import struct
from pathlib import Path
from typing import Any, ClassVar

import nbformat
import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from companion.pages.document import read_notebook
from companion.pages.figures import DPI

_PICTURE = re.compile(
    r'<img class="(?P<mode>[\w-]+)" alt="(?P<alt>[^"]*)" src="data:image/png;base64,(?P<data>[A-Za-z0-9+/=]+)">'
)
#: Dots per inch of the pictures over those of a page.
SCALE = DPI / 96
_LOGGER = logging.getLogger(__name__)


#: Shares of a picture's width: the narrowest panel, and the room that names of rows take; of its height: the shortest axis.
_PANEL, _NAMES, _AXIS = 0.15, 0.02, 0.25
#: Pixels of a gap between panels, and of what a page of a telephone shows at once.
_GAP, _NARROW = 4, 420


def panels(data: bytes) -> str:
    """Stretches across a picture, from 0 to 1, that show one panel each, as ``0-0.2+0.6-1``; nothing where it has no panels.

    Between panels nothing is drawn, top to bottom. One that begins with its axis shares the names of its rows with the first
    and has them in front.
    """
    grey = np.asarray(Image.open(io.BytesIO(data)).convert("L"))
    drawn = grey != grey[0, 0]
    height, width = drawn.shape
    ends = np.flatnonzero(np.diff(np.r_[False, drawn.any(axis=0), False].astype(int))).reshape(-1, 2)
    pieces = [(int(begin), int(end)) for begin, end in ends]
    while len(pieces) > 1:
        gaps = [after[0] - before[1] for before, after in itertools.pairwise(pieces)]
        small = [place for place, (begin, end) in enumerate(pieces) if end - begin < _PANEL * width]
        beside = [place for place in range(len(gaps)) if {place, place + 1} & set(small[:1]) or gaps[place] < _GAP]
        if not beside:
            break
        closest = min(beside, key=lambda place: gaps[place])
        pieces[closest : closest + 2] = [(pieces[closest][0], pieces[closest + 1][1])]
    if len(pieces) < 2 or width / SCALE < _NARROW:
        return ""
    # The longest stroke upwards of each column.
    stroke = longest = np.zeros(width, dtype=int)
    for row in drawn:
        stroke = (stroke + 1) * row
        longest = np.maximum(longest, stroke)
    axes = [next((x for x in range(*piece) if longest[x] > _AXIS * height), -1) for piece in pieces]
    bare = [0 <= axis < piece[0] + _NAMES * width for axis, piece in zip(axes, pieces, strict=True)]
    cuts = [0, *((before[1] + after[0]) // 2 for before, after in itertools.pairwise(pieces)), width]
    names = cuts[1] if axes[0] < 0 else axes[0]
    shown = [
        ([(0, names)] if bare[place] and place else []) + [(cuts[place], cuts[place + 1])]
        for place in range(int(any(bare[1:]) and axes[0] < 0), len(pieces))
    ]
    return " ".join("+".join(f"{a / width:.3g}-{b / width:.3g}" for a, b in panel) for panel in shown if len(shown) > 1)


def write_files(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document
) -> None:
    """Write the pictures inside a page's HTML as files, and refer to them."""
    if "data:image/png;base64," not in context.get("body", ""):
        return
    folder = Path(app.outdir) / "_images"
    folder.mkdir(exist_ok=True)

    def refer(found: re.Match[str]) -> str:
        data = base64.b64decode(found["data"])
        name = f"{hashlib.sha256(data).hexdigest()[:20]}.png"
        (folder / name).write_bytes(data)
        across, down = (round(side / SCALE) for side in struct.unpack(">II", data[16:24]))
        address = context["pathto"](f"_images/{name}", resource=True)
        picture = (
            f'<img class="{found["mode"]}" alt="{found["alt"]}" src="{address}" width="{across}" height="{down}" '
            f'loading="lazy"{f" data-panels={chr(34)}{shown}{chr(34)}" if (shown := panels(data)) else ""}>'
        )
        return f'<a class="companion-enlarge {found["mode"]}" href="{address}" title="Open at full size">{picture}</a>'

    context["body"] = _PICTURE.sub(refer, context["body"])


def lighten_downloads(app: Sphinx, error: Exception | None) -> None:
    """Take the pictures for dark pages out of the notebooks that the pages offer for download."""
    if error is not None or app.builder.format != "html":
        return
    for path in (Path(app.outdir) / "_sources").rglob("*.ipynb*"):
        notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
        for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
            shown = output.get("data", {})
            if "text/html" in shown:
                shown["text/html"] = without_dark(shown["text/html"])
        nbformat.write(notebook, path)


def without_dark(text: str) -> str:
    """A figure with its light picture alone."""
    return _PICTURE.sub(lambda found: "" if found["mode"] == "only-dark" else found[0], text)


class ChapterPicture(SphinxDirective):
    """A picture from the outputs of a chapter."""

    required_arguments = 1
    option_spec: ClassVar = {"cell": directives.unchanged_required, "alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Find the one figure, in both page modes."""
        path = Path(self.env.srcdir) / "notebooks" / f"{self.arguments[0]}.ipynb"
        self.env.note_dependency(str(path))
        wanted = self.options["cell"]
        pictures = [
            _PICTURE.findall(output.get("data", {}).get("text/html", ""))
            for cell in read_notebook(path).cells
            if cell.cell_type == "code" and wanted in cell.source
            for output in cell.outputs
        ]
        shown = [found for found in pictures if found]
        if len(shown) != 1:
            raise self.error(f"{len(shown)} figures of {path.name} come from a cell with {wanted!r}; one is meant")
        alt = html.escape(self.options["alt"], quote=True)
        images = "".join(
            f'<img class="{mode}" alt="{alt}" src="data:image/png;base64,{data}">' for mode, _, data in shown[0]
        )
        return [nodes.raw("", f'<div class="companion-figure companion-card-picture">{images}</div>', format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.add_directive("chapter-picture", ChapterPicture)
    # After the records are filled in: the body is then as it will be written.
    app.connect("html-page-context", write_files, priority=600)
    app.connect("build-finished", lighten_downloads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
