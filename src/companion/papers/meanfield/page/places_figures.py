"""The seven problems as pictures, and Manhattan over the rounds."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.core.arrays import Floats
from companion.pages import Palette, charts, figure
from companion.papers.meanfield.experiments.printed import TITLE_OF
from companion.papers.meanfield.page.followed import BLOCK, MapRounds
from companion.papers.meanfield.page.problems import Gallery
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.problems.swarm import swarm_reward
from companion.papers.meanfield.problems.taxi import GRIDS

#: Height over width of a block of the coarsest grid.
ASPECT = 0.94


@figure(size=(9.2, 5.6))
def gallery(canvas: Canvas, palette: Palette, study: Gallery) -> None:
    """What the actions of every problem are, and its best law."""
    panels = canvas.subplots(2, 4).ravel()
    made = study.problems
    _swarm(panels[0], made["swarm"], palette)
    _arena(panels[1], made["arena"], palette)
    _stations(panels[2], made["bikes"], palette)
    _ports(panels[3], made["ports"], palette)
    for axes, grid in zip(panels[4:], GRIDS, strict=False):
        problem = made[f"taxi-{grid}"]
        across, along = GRIDS[grid]
        field = np.full(across * along, np.nan)
        field[problem.details["blocks"]] = problem.optimal[0]
        axes.imshow(np.sqrt(field.reshape(across, along).T), origin="lower", aspect=ASPECT * 12 / 20 * along / across)
        axes.set_title(f"{TITLE_OF[problem.name]}: demand")
        _bare(axes)
    _key(panels[7], palette)


def _bare(axes: Axes) -> None:
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def _swarm(axes: Axes, problem: MeanFieldProblem, palette: Palette) -> None:
    angles = np.linspace(0.0, 2.0 * np.pi, 200)
    axes.plot(angles, swarm_reward(angles), color=palette.ink, lw=1.3)
    place = np.linspace(0.0, 2.0 * np.pi, problem.actions)
    share = problem.optimal[0]
    axes.scatter(place[share > 0], swarm_reward(place[share > 0]), 300 * share[share > 0], color=palette.series[0])
    axes.set_xticks([0, np.pi, 2 * np.pi], ["0", "π", "2π"])
    charts.name_axes(axes, "angle", title=f"{TITLE_OF['swarm']}: one agent")


def _arena(axes: Axes, problem: MeanFieldProblem, palette: Palette) -> None:
    angles = 2.0 * np.pi * np.arange(problem.actions) / problem.actions
    axes.plot(np.cos(angles), np.sin(angles), ".", ms=3, color=palette.muted)
    for k, law in enumerate(problem.optimal):
        axes.scatter(np.cos(angles), np.sin(angles), 500 * law, color=palette.series[k], marker="os"[k])
    axes.set(aspect="equal", xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))
    axes.set_title(f"{TITLE_OF['arena']}: two teams")
    _bare(axes)


def _stations(axes: Axes, problem: MeanFieldProblem, palette: Palette) -> None:
    places = problem.details["places"]
    axes.scatter(places[:, 0], places[:, 1], 900 * problem.optimal[0], color=palette.series[0], alpha=0.75, lw=0)
    axes.set(aspect="equal")
    axes.margins(0.12)
    scale_bar(axes, 1.0, "1 km", palette)
    axes.set_title(f"{TITLE_OF['bikes']}: demand")
    _bare(axes)


def scale_bar(axes: Axes, length: float, words: str, palette: Palette, unit: float = 1.0) -> None:
    """A bar of this length in the lower left corner; ``unit`` is what one unit of the axis measures."""
    x, y = axes.get_xlim()[0], axes.get_ylim()[0]
    height = abs(np.diff(axes.get_ylim())[0])
    axes.plot([x, x + length / unit], [y - 0.03 * height] * 2, color=palette.ink, lw=2, clip_on=False)
    axes.text(x, y - 0.05 * height, words, fontsize=8, va="top")


def _ports(axes: Axes, problem: MeanFieldProblem, palette: Palette) -> None:
    degrees, region = problem.details["degrees"], problem.details["region"]
    for k in range(problem.contexts):
        own = region == k
        size = 900 * problem.details["capacity"][own]
        axes.scatter(
            degrees[own, 1], degrees[own, 0], size, color=palette.series[k], marker="os^Dv"[k], alpha=0.8, lw=0
        )
    axes.set_title(f"{TITLE_OF['ports']}: ports")
    axes.margins(0.1)
    _bare(axes)


def _key(axes: Axes, palette: Palette) -> None:
    axes.axis("off")
    lines = (
        "area of a mark:",
        "share of the best law;",
        "Maritime: capacity,",
        "colour: region",
        "",
        "colour of a block:",
        "√ of its demand",
    )
    axes.text(0.0, 0.9, "\n".join(lines), va="top", fontsize=9, linespacing=1.5, color=palette.ink)


# -- Manhattan over the rounds -----------------------------------------------------------------------------------------


@figure(size=(9.4, 4.2))
def map_rounds(canvas: Canvas, palette: Palette, study: MapRounds) -> None:
    """The uniform law, the laws of some rounds and the demand, on one colour scale."""
    panels = charts.row_of(canvas, len(study.maps))
    top = 1.5 * float(np.nanmax(study.maps["demand"]))
    for axes, (title, field) in zip(panels, study.maps.items(), strict=True):
        image = axes.imshow(np.sqrt(field.T), origin="lower", aspect=ASPECT, vmin=0.0, vmax=np.sqrt(top))
        below = f"\ndivergence {study.apart[title]:.3f}"
        axes.set_title(title + below, fontsize=9.5)
        _bare(axes)
        axes.set(xlim=(-0.5, field.shape[0] - 0.5), ylim=(-0.5, field.shape[1] - 0.5))
    scale_bar(panels[0], 2.0, "2 km", palette, BLOCK[0])
    park(panels[-1], palette)
    bar = canvas.colorbar(image, ax=panels, orientation="horizontal", shrink=0.5, aspect=40, extend="max")
    ticks = top * np.array([0.0, 0.1, 0.3, 0.6, 1.0])
    bar.set_ticks(list(np.sqrt(ticks)), labels=[f"{100 * value:.1f} %" for value in ticks])
    bar.set_label("share of the taxis")


#: Corners of Central Park in blocks of the coarsest grid, from its longitudes and latitudes.
PARK = ((-73.9819, 40.7681), (-73.9730, 40.7643), (-73.9493, 40.7969), (-73.9582, 40.8006))


def park(axes: Axes, palette: Palette) -> None:
    """A landmark."""
    west, east, south, north = -74.02, -73.95, 40.70, 40.80
    corners: Floats = np.array(PARK)
    x = (corners[:, 0] - west) / (east - west) * 12 - 0.5
    y = (corners[:, 1] - south) / (north - south) * 20 - 0.5
    axes.plot([*x, x[0]], [*y, y[0]], color=palette.series[1], lw=1.6, ls="-", clip_on=False)
    axes.annotate("Central Park", (x[0], y[0]), (-0.5, 18.0), fontsize=8, color=palette.series[1])
