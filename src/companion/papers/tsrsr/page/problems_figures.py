"""Small multiples of the problems; the data come from ``studies.cards``."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.pages import Palette, figure
from companion.papers.tsrsr.page.cards import Slices

#: Panels beside each other.
BESIDE = 4


@figure(size=(8.8, 4.4))
def small_multiples(canvas: Canvas, palette: Palette, pictures: Slices) -> None:
    """Every problem over its first two coordinates, by rank: steep functions would otherwise show one colour."""
    panels = canvas.subplots(-(-len(pictures.shown) // BESIDE), BESIDE)
    for axes, shown in zip(panels.flat, pictures.shown, strict=True):
        ranks = np.searchsorted(np.sort(shown.values, axis=None), shown.values) / shown.values.size
        extent = (shown.low[0], shown.high[0], shown.low[1], shown.high[1])
        axes.imshow(ranks.T, origin="lower", extent=extent, aspect="auto", cmap=palette.map)
        axes.plot(*shown.best, "*", color="#ffffff", mec="#000000", ms=11, mew=0.9, clip_on=False, zorder=5)
        axes.set_title(shown.title, fontsize=9)
        axes.tick_params(labelsize=7.5)
        axes.locator_params(nbins=4)
        axes.grid(visible=False)
