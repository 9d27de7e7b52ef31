"""House style of figures: drawn once for light and once for dark pages, with alt text and caption.

Colours are those of Okabe and Ito, which stay distinct under the common colour-vision deficiencies; every series also
differs by line style or marker, so nothing depends on colour alone.
"""

from __future__ import annotations

import base64
import functools
import html
import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine
from PIL import Image

from companion.core.errors import ParameterError, positive_number
from companion.core.files import write_atomic
from companion.core.templates import significant
from companion.pages.provenance import Provenance, provenance_of

P = ParamSpec("P")


@dataclass(frozen=True)
class Palette:
    """Colours of one page mode. ``series`` are to be used in order; ``accent`` marks bounds and theory."""

    ink: str
    muted: str
    faint: str
    paper: str
    accent: str
    series: tuple[str, ...]
    map: str


LIGHT = Palette(
    ink="#1b1f24",
    muted="#5b6570",
    faint="#d5dae0",
    paper="#ffffff",
    accent="#b3123f",
    series=("#0072b2", "#d55e00", "#009e73", "#9a5f8f", "#8a6d00", "#6b2d0e", "#555555"),
    map="viridis",
)
DARK = Palette(
    ink="#e6e9ed",
    muted="#a6b0bb",
    faint="#3a424c",
    paper="#14181e",
    accent="#ff7a9c",
    series=("#56b4e9", "#ff9d57", "#2fd0a4", "#dda0cf", "#f0e442", "#a3d95b", "#bbbbbb"),
    map="viridis",
)
#: Pixels per inch of a picture, half as fine again as a page's own.
DPI = 144
#: Environment variable that asks for drafts: one picture for both page modes, in half of the time.
DRAFT = "COMPANION_DRAFT"
#: Files that a figure is written to.
SUFFIXES = (".png", ".pdf", ".svg")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1)), (0, (1, 1)))


@dataclass(frozen=True)
class Figure:
    """A figure that a notebook cell displays.

    Parameters
    ----------
    draw : ``draw(canvas, palette)`` draws on an empty Matplotlib figure
    alt : what a reader who cannot see it needs to know, without line breaks; given on the page with the caption, by
        :func:`companion.pages.sentences.show`
    caption : what to see in it; may contain inline HTML
    size : width and height in inches
    where : its sources, folded below the caption; see :func:`figure`
    numbers : what its words are filled from and what is plotted, by name; listed below ``alt`` as plain text, where a
        number that has moved is seen although pictures are not compared
    """

    draw: Callable[[Canvas, Palette], None]
    alt: str = ""
    caption: str = ""
    size: tuple[float, float] = (8.0, 3.6)
    where: Provenance = field(default_factory=Provenance)
    numbers: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        self.listed()

    def listed(self) -> dict[str, list[Any]]:
        """Its numbers and words by name, a mapping among them part by part: each as a row, which has one value or many.

        Raises
        ------
        ParameterError
            for what is no number, word, or row or set of these
        """
        found: dict[str, list[Any]] = {}
        for name, value in self.numbers.items():
            if isinstance(value, Mapping):
                found |= {f"{name}, {_plain(part)}": _row(name, of) for part, of in value.items()}
            else:
                found[name] = _row(name, value)
        return found

    def render(self, palette: Palette) -> bytes:
        """PNG of the figure in one page mode."""
        return _png(self._drawn(palette))

    def _drawn(self, palette: Palette, like: Canvas | None = None) -> FigureCanvasAgg:
        """The figure, drawn; with its parts where they are in ``like``, the same figure in other colours."""
        with mpl.rc_context(_style(palette)):  # type: ignore[arg-type]
            canvas = Canvas(figsize=self.size, dpi=DPI, layout="constrained")
            agg = FigureCanvasAgg(canvas)
            self.draw(canvas, palette)
            for axes in canvas.axes:
                axes.minorticks_off()  # on logarithmic axes they cost half of the drawing time and help nobody read
            if like is not None:
                _take_places(canvas, like)
            agg.draw()
        return agg

    def _repr_html_(self) -> str:
        for name in ("alt", "caption"):
            if not getattr(self, name).strip():
                raise ParameterError(name, "is empty", "a description; every figure of the book has both")
        modes = (("both-modes", LIGHT),) if os.environ.get(DRAFT) else (("only-light", LIGHT), ("only-dark", DARK))
        images, first = "", None
        for mode, palette in modes:
            drawn = self._drawn(palette, first)
            first = drawn.figure
            images += (
                f'<img class="{mode}" alt="{html.escape(self.alt, quote=True)}" '
                f'src="data:image/png;base64,{base64.b64encode(_png(drawn)).decode()}">'
            )
        return f'<figure class="companion-figure">{images}<figcaption>{self.caption}</figcaption>{self.where.html()}</figure>'

    def save(self, path: str | Path, width: float | None = None) -> Path:
        """Write it, as on a light page: the same figure gives the same bytes.

        Parameters
        ----------
        path : a name that ends with ``.png``, or with ``.pdf`` or ``.svg``, whose words stay text that can be searched
        width : in inches, at the same shape; letters keep their size. Its own by default

        Raises
        ------
        ParameterError
            for another name, or a width that is not positive
        """
        path = Path(path)
        if path.suffix not in SUFFIXES:
            raise ParameterError("path", f"got {str(path)!r}", f"a name that ends with {', '.join(SUFFIXES)}")
        factor = 1.0 if width is None else positive_number("width", width) / self.size[0]
        drawn = replace(self, size=(self.size[0] * factor, self.size[1] * factor))._drawn(LIGHT)
        write_atomic(path, _png(drawn) if path.suffix == ".png" else _vector(drawn.figure, path.suffix[1:]))
        return path

    def __repr__(self) -> str:
        rows = [
            f"{name} = {', '.join(significant(one, 4) for one in row) or 'none'}" for name, row in self.listed().items()
        ]
        return "\n".join((f"Figure: {self.alt}", *rows))


def figure(
    size: tuple[float, float] = (8.0, 3.6),
) -> Callable[[Callable[Concatenate[Canvas, Palette, P], None]], Callable[P, Figure]]:
    """Decorate a function that draws: called without canvas and palette, it gives the :class:`Figure`.

    The function is called once for light and once for dark pages. Sources of the figure are those that its arguments carry.

    Parameters
    ----------
    size : width and height in inches

    Examples
    --------
    >>> @figure(size=(4, 3))
    ... def line(canvas, palette, heights):
    ...     canvas.subplots().plot(heights, color=palette.ink)
    >>> line([1.0, 4.0]).size
    (4, 3)
    """

    def decorate(function: Callable[Concatenate[Canvas, Palette, P], None]) -> Callable[P, Figure]:
        @functools.wraps(function)
        def shown(*args: P.args, **kwargs: P.kwargs) -> Figure:
            where = provenance_of(*args, *kwargs.values())
            return Figure(lambda canvas, palette: function(canvas, palette, *args, **kwargs), size=size, where=where)

        return shown

    return decorate


def _row(name: str, value: Any) -> list[Any]:
    value = _plain(value)
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)  # the order of a set differs from one process to the next
    row = [_plain(one) for one in (value if isinstance(value, list | tuple) else [value])]
    for one in row:
        if not isinstance(one, str | int | float | None):
            kind = type(one).__name__
            raise ParameterError(
                f"numbers[{name!r}]", f"has a {kind}", "numbers, words, or rows, sets, mappings of them"
            )
    return row


def _plain(value: Any) -> Any:
    """Without NumPy and pandas; a name made of several words, as problem and method, as one."""
    if isinstance(value, tuple) and all(isinstance(word, str) for word in value):
        return " ".join(value)
    return value.tolist() if hasattr(value, "tolist") else value


def _png(drawn: FigureCanvasAgg) -> bytes:
    # A palette of 256 colours looks the same and takes a third of the space, in the repository and on the page.
    colours = Image.fromarray(np.asarray(drawn.buffer_rgba()), "RGBA").convert("RGB")
    picture = io.BytesIO()
    colours.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(picture, "PNG", optimize=True)
    return picture.getvalue()


def _vector(canvas: Canvas, kind: str) -> bytes:
    picture = io.BytesIO()
    with mpl.rc_context({"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "companion"}):
        canvas.savefig(picture, format=kind, metadata={"CreationDate" if kind == "pdf" else "Date": None})
    return picture.getvalue()


def _take_places(canvas: Canvas, like: Canvas) -> None:
    """Put axes and titles where they are in ``like``, in place of a layout of its own: a quarter of the time of a drawing.

    Colours move nothing. Where the two are not alike part by part, or something else than the house's layout is at work,
    nothing is done.
    """
    pairs: list[tuple[Sequence[object], Sequence[object]]] = [(canvas.axes, like.axes), (canvas.texts, like.texts)]
    alike = all(len(mine) == len(other) for mine, other in pairs) and not canvas.subfigs and not like.subfigs
    if not alike or not all(isinstance(each.get_layout_engine(), ConstrainedLayoutEngine) for each in (canvas, like)):
        return
    canvas.set_layout_engine("none")
    for axes, known in zip(canvas.axes, like.axes, strict=True):
        axes.set_position(known.get_position(original=True))
        axes.set_anchor(known.get_anchor())
        if known.get_box_aspect() is not None:  # of a colour bar
            axes.set_box_aspect(known.get_box_aspect())
    for text, placed in zip(canvas.texts, like.texts, strict=True):
        text.set_position(placed.get_position())


def _style(palette: Palette) -> dict[str, Any]:
    return {
        "figure.facecolor": palette.paper,
        "savefig.facecolor": palette.paper,
        "axes.facecolor": palette.paper,
        "axes.edgecolor": palette.muted,
        "axes.labelcolor": palette.ink,
        "axes.titlecolor": palette.ink,
        "axes.titlesize": 10.5,
        "axes.labelsize": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.prop_cycle": cycler(color=palette.series, linestyle=DASHES),
        "grid.color": palette.faint,
        "grid.linewidth": 0.6,
        "text.color": palette.ink,
        "xtick.color": palette.muted,
        "ytick.color": palette.muted,
        "xtick.labelsize": 9,
        "ytick.labelsize": 9,
        "legend.fontsize": 8.5,
        "legend.frameon": False,
        "lines.linewidth": 1.7,
        "lines.markersize": 4.5,
        "image.cmap": palette.map,
        "font.family": "DejaVu Sans",
        "mathtext.fontset": "dejavusans",
        "svg.hashsalt": "companion",
    }
