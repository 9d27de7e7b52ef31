"""Figures and tables of one acquisition and of the sections on the bounds; all data come from the studies beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator
from matplotlib.tri import Triangulation

from companion.core.arrays import Floats
from companion.pages import Palette, Table, charts, figure, where_of
from companion.pages.tables import significant
from companion.papers.meanfield.page.bound import READINGS, BoundStudy, at
from companion.papers.meanfield.page.picture import WIDTH, Picture
from companion.papers.meanfield.page.rates import IDLE, KERNELS, GainStudy, part

# -- one acquisition over the simplex of three actions -----------------------------------------------------------------

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
NAMES = ("station 1", "station 2", "station 3")


def plane(laws: Floats) -> Floats:
    """Places (n, 2) of laws (n, 3) in an equilateral triangle."""
    return laws @ CORNERS


@figure(size=(9.2, 3.1))
def one_acquisition(canvas: Canvas, palette: Palette, picture: Picture) -> None:
    """True payoff, posterior mean, and acquisition on the triangle, with the laws played, chosen and best."""
    panels = charts.row_of(canvas, 3, sharey=False)
    places = plane(picture.laws)
    triangles = Triangulation(places[:, 0], places[:, 1])
    shown = {
        "True average payoff": picture.truth,
        "Posterior mean": picture.mean,
        f"Acquisition: mean + {WIDTH:g} sd": picture.mean + picture.bonus,
    }
    for axes, (title, values) in zip(panels, shown.items(), strict=True):
        filled = axes.tricontourf(triangles, values, levels=14, cmap=palette.map)
        bar = canvas.colorbar(filled, ax=axes, orientation="horizontal", shrink=0.85, pad=0.04)
        bar.set_label("reward")
        bar.locator = MaxNLocator(4)
        bar.update_ticks()
        _marks(axes, picture, palette)
        axes.set_title(title, pad=14)
    charts.legend_above(canvas, panels[0], 3)


def _marks(axes: Axes, picture: Picture, palette: Palette) -> None:
    edge = np.vstack([CORNERS, CORNERS[:1]])
    axes.plot(edge[:, 0], edge[:, 1], color=palette.muted, lw=1, ls="-")
    for points, marker, size, name in (
        (picture.played, "o", 5.5, "played"),
        (picture.optimal[None], "*", 15, "best law"),
        (picture.chosen[None], "X", 10, "announced next"),
    ):
        style: charts.Style = {"ls": "", "ms": size, "mfc": "#ffffff", "mec": "#14181e", "mew": 1.2, "clip_on": False}
        axes.plot(*plane(points).T, marker, label=name, **style)
    for corner, name, shift in zip(CORNERS, NAMES, ((0.0, -0.1), (0.0, -0.1), (0.0, 0.04)), strict=True):
        axes.text(corner[0] + shift[0], corner[1] + shift[1], name, ha="center", fontsize=8, color=palette.muted)
    axes.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.14, 0.98))
    axes.axis("off")


# -- the bounds --------------------------------------------------------------------------------------------------------

#: First horizon at which the lines of the bounds are drawn.
FROM = 8


@figure(size=(8.8, 2.9))
def bound(canvas: Canvas, palette: Palette, study: BoundStudy) -> None:
    """Measured regret and bound of both readings, and what is lost without learning, over the number of rounds."""
    noises = list(dict.fromkeys(study.rows.noise))
    panels = charts.row_of(canvas, len(noises))
    for axes, noise in zip(panels, noises, strict=True):
        curve = study.curves[noise]
        shown = curve.rounds >= min(FROM, study.rows["T"].min())
        across = curve.rounds[shown]
        for k, reading in enumerate(READINGS):
            rows = study.rows[(study.rows.noise == noise) & (study.rows.reading == reading)]
            charts.band(axes, rows["T"], rows.low, rows.high, palette.series[k])
            words = "repaired" if reading == "corrected" else reading
            axes.plot(rows["T"], rows.regret, label=f"measured, {words} width", **charts.marked(palette, k))
            height = (curve.corrected if reading == "corrected" else curve.printed)[shown]
            style = charts.look(palette, k, color=palette.accent, lw=1.4)
            axes.plot(across, height, label=f"bound, {words}", **style)
        for level, dashes, label in (
            (study.idle.range, ":", "range of the payoff, T times"),
            (study.idle.fixed, "-.", "one law for ever"),
        ):
            axes.plot(across, level.estimate * across, color=palette.muted, ls=dashes, lw=1.6, label=label)
        charts.name_axes(axes, "rounds T", title=f"noise {noise:g}", log="xy")
    panels[0].set_ylabel("cumulative regret")
    charts.legend_above(canvas, panels[0], 3)


#: The steps in words, by their names in the chain.
WORDS = {
    "measured": "measured regret",
    "three terms": "without the term\nthat is never positive",
    "optimism bounded": "optimism: only where\nit fails",
    "rounding bounded": "rounding: its bound",
    "Cauchy-Schwarz": "Cauchy–Schwarz",
    "realised gain": "variances to\ninformation gained",
    "certified gain": "the most that can\nbe gained: Theorem 4.1",
}


@figure(size=(9.2, 3.4))
def waterfall(canvas: Canvas, palette: Palette, study: BoundStudy) -> None:
    """What each inequality of the corrected proof gives away, from the regret to the bound; beside it what any play can lose."""
    chains = {}
    for noise, chain in ((noise, study.chains[noise, "corrected"]) for noise in study.curves):
        steps = tuple(replace(step, name=WORDS[step.name], statement="") for step in chain)
        ends = " to ".join(significant(step.value, 3) for step in (chain.steps[0], chain.steps[-1]))
        row = at(study, noise, "printed")
        beside = {"range": float(row["range"]), "printed": float(row.bound)}
        chains[f"noise {noise:g}, {ends}"] = replace(chain, steps=steps, side=beside)
    lines: tuple[charts.Beside, ...] = (("range", "any play", ":", "muted"), ("printed", "printed", "--", "accent"))
    plain, top = charts.waterfall(chains, lines, repaired=True), max(chain.side["printed"] for chain in chains.values())
    plain(canvas, palette)
    canvas.axes[0].set_xlim(right=2.5 * top)
    charts.clear_factors(canvas)


def terms_table(study: BoundStudy) -> Table:
    """The regret at the first noise and the four terms of its decomposition, measured and bounded."""
    names = {
        "regret": "regret",
        "discretisation": "rounding the best law",
        "optimism": "optimism: payoff of the rounded best law minus its acquisition",
        "argmax": "left out: its acquisition minus the largest one",
        "exploration": "exploration: acquisition minus payoff of the law announced",
    }
    rows = [
        {"term": names[term.name], "measured": term.mean, "± standard error": term.standard_error, "bound": term.bound}
        for term in study.terms[next(iter(study.curves)), "corrected"]
    ]
    return Table(pd.DataFrame(rows), where=where_of(study), digits=3)


def constants(rows: pd.DataFrame) -> Table:
    """The constants of the theorem for three of the paper's problems."""
    return Table(
        rows,
    )


@figure(size=(7.0, 3.8))
def gains(canvas: Canvas, palette: Palette, study: GainStudy) -> None:
    """Certified information gain against the number of agents for the kernels of Table 1."""
    axes = canvas.subplots()
    for k, (kernel, name) in enumerate(KERNELS.items()):
        rows = part(study, kernel)
        charts.band(axes, rows.index, rows.lower, rows.upper, palette.series[k], 0.3)
        axes.plot(rows.index, rows.upper, label=name, **charts.marked(palette, k))
    axes.axhline(study.ceiling, color=palette.accent, ls=":", lw=1.4, label="ceiling where k(z, z) ≤ 1")
    charts.name_axes(axes, "agents M", "information gain, nats", log="xy")
    charts.name_ticks(axes.xaxis, (1, 2, 3, 5, 8, 20, 60, 240))
    axes.legend(loc="lower right")


def hidden(rows: pd.DataFrame) -> Table:
    """Powers of log T and widths on the paper's problems."""
    return Table(
        rows.rename(columns={IDLE: "log₁₀ T, additive"}),
        where=where_of(rows),
        digits=3,
    )
