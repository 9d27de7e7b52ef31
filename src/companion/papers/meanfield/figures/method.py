"""The picture of one acquisition over the simplex of three actions, from ``studies.picture``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator
from matplotlib.tri import Triangulation

from companion.arrays import Floats
from companion.papers.meanfield.studies.picture import DEMAND, WIDTH, Picture
from companion.report import Figure, Palette, Table, where_of

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
NAMES = ("station 1", "station 2", "station 3")


def plane(laws: Floats) -> Floats:
    """Places (n, 2) of laws (n, 3) in an equilateral triangle."""
    return laws @ CORNERS


def one_acquisition(picture: Picture) -> Figure:
    """True payoff, posterior mean, and acquisition on the triangle, with the laws played, chosen and best."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, 3)
        places = plane(picture.laws)
        triangles = Triangulation(places[:, 0], places[:, 1])
        shown = (
            ("True average payoff", picture.truth),
            ("Posterior mean", picture.mean),
            (f"Acquisition: mean + {WIDTH:g} sd", picture.mean + picture.bonus),
        )
        for axes, (title, values) in zip(panels, shown, strict=True):
            filled = axes.tricontourf(triangles, values, levels=14, cmap=palette.map)
            bar = canvas.colorbar(filled, ax=axes, orientation="horizontal", shrink=0.85, pad=0.04)
            bar.set_label("reward")
            bar.locator = MaxNLocator(4)
            bar.update_ticks()
            _marks(axes, picture, palette)
            axes.set_title(title, pad=14)
        canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)

    chosen = ", ".join(f"{share:.2f}" for share in picture.chosen)
    return Figure(
        draw,
        alt="Three triangles, one corner a station, coloured by the true average payoff, by its posterior mean and by "
        "the "
        f"acquisition. White marks: {len(picture.played)} laws played, the law asked for next at ({chosen}), and a "
        f"star at the best law, ({', '.join(f'{share:.2f}' for share in picture.optimal)}), near the first station.",
        caption="One acquisition. Every point of a triangle is a law over three stations, a corner sends all bicycles "
        "to one of them. The method has seen the rewards of the laws marked by dots, and asks next for the law where "
        "the right-hand surface is highest (cross); every panel has a scale of its own, in units of the reward, and the "
        "true payoff is not known to the method. The star marks the demand, "
        f"({', '.join(f'{share:g}' for share in DEMAND)}), which is the best law and unknown to it. The number of "
        f"bicycles "
        "is nowhere in these pictures.",
        size=(9.2, 4.0),
        where=where_of(picture),
    )


def settings(rows: pd.DataFrame) -> Table:
    """The settings of every method."""
    return Table(
        rows,
        caption="Settings of the methods in the stored runs, read from the defaults of the code, and whose they are: the "
        "paper's, those of the framework that it names for the other methods (MCBO), or ours where neither says. The "
        "last row of each method has those options of companion trial that only some methods read; given to another method they "
        "have no effect, whether or not the command says so. Methods over laws also read play, observation and told_law.",
        where=where_of(rows),
    )


def _marks(axes: Axes, picture: Picture, palette: Palette) -> None:
    edge = np.vstack([CORNERS, CORNERS[:1]])
    axes.plot(edge[:, 0], edge[:, 1], color=palette.muted, lw=1, ls="-")
    for points, marker, size, name in (
        (picture.played, "o", 5.5, "played"),
        (picture.optimal[None], "*", 15, "best law"),
        (picture.chosen[None], "X", 10, "asked for next"),
    ):
        at = plane(points)
        axes.plot(
            at[:, 0], at[:, 1], marker, ls="", ms=size, mfc="#ffffff", mec="#14181e", mew=1.2, label=name, clip_on=False
        )
    for corner, name, shift in zip(CORNERS, NAMES, ((0.0, -0.1), (0.0, -0.1), (0.0, 0.04)), strict=True):
        axes.text(corner[0] + shift[0], corner[1] + shift[1], name, ha="center", fontsize=8, color=palette.muted)
    axes.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.14, 0.98))
    axes.axis("off")
