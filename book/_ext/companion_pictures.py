"""Sphinx extension: pictures are files beside the page, and a chapter's picture may stand on another page.

A notebook keeps the pictures of its outputs inside itself, once for light and once for dark pages. Written into the page
they would be loaded all at once, in both modes; as files the browser fetches what comes into sight in the mode that is on.
A click on a picture opens the file, at its full size. The notebook offered for download keeps the light ones only: outside the
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
import re
import struct
from pathlib import Path
from typing import Any, ClassVar

import nbformat
from docutils import nodes
from docutils.parsers.rst import directives
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
            'loading="lazy">'
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
