"""Figures and tables of one acquisition and of the sections on the bounds; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator
from matplotlib.tri import Triangulation

from companion.arrays import Floats
from companion.checks.chain import Chain
from companion.papers.meanfield.problems.catalogue import HORIZON
from companion.papers.meanfield.studies.bound import (
    READINGS,
    TAIL,
    BoundStudy,
    between,
    passages,
    worth_rows,
)
from companion.papers.meanfield.studies.picture import DEMAND, WIDTH, Picture
from companion.papers.meanfield.studies.rates import IDLE, KERNELS, GainStudy, part
from companion.report import Figure, Palette, Table, charts, where_of
from companion.reproduce.intervals import Interval

# -- one acquisition over the simplex of three actions -----------------------------------------------------------------

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
NAMES = ("station 1", "station 2", "station 3")


def plane(laws: Floats) -> Floats:
    """Places (n, 2) of laws (n, 3) in an equilateral triangle."""
    return laws @ CORNERS


def one_acquisition(picture: Picture) -> Figure:
    """True payoff, posterior mean, and acquisition on the triangle, with the laws played, chosen and best."""

    def draw(canvas: Canvas, palette: Palette) -> None:
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

    chosen = ", ".join(f"{share:.2f}" for share in picture.chosen)
    return Figure(
        draw,
        alt="Three triangles, one corner a station, coloured by the true average payoff, by its posterior mean and by the "
        f"acquisition. White marks: {len(picture.played)} laws played, the law asked for next at ({chosen}), and a star at "
        f"the best law, ({', '.join(f'{share:.2f}' for share in picture.optimal)}), near the first station.",
        caption="One acquisition. Every point of a triangle is a law over three stations, a corner sends all bicycles to one "
        "of them. The method has seen the rewards of the laws marked by dots, and asks next for the law where the right-hand "
        "surface is highest (cross); every panel has a scale of its own, in units of the reward, and the true payoff is not "
        f"known to the method. The star marks the demand, ({', '.join(f'{share:g}' for share in DEMAND)}), which is the best "
        "law and unknown to it. The number of bicycles is nowhere in these pictures.",
        size=(9.2, 4.0),
        where=where_of(picture),
    )


def _marks(axes: Axes, picture: Picture, palette: Palette) -> None:
    edge = np.vstack([CORNERS, CORNERS[:1]])
    axes.plot(edge[:, 0], edge[:, 1], color=palette.muted, lw=1, ls="-")
    for points, marker, size, name in (
        (picture.played, "o", 5.5, "played"),
        (picture.optimal[None], "*", 15, "best law"),
        (picture.chosen[None], "X", 10, "asked for next"),
    ):
        style: charts.Style = {"ls": "", "ms": size, "mfc": "#ffffff", "mec": "#14181e", "mew": 1.2, "clip_on": False}
        axes.plot(*plane(points).T, marker, label=name, **style)
    for corner, name, shift in zip(CORNERS, NAMES, ((0.0, -0.1), (0.0, -0.1), (0.0, 0.04)), strict=True):
        axes.text(corner[0] + shift[0], corner[1] + shift[1], name, ha="center", fontsize=8, color=palette.muted)
    axes.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.14, 0.98))
    axes.axis("off")


def settings(rows: pd.DataFrame) -> Table:
    """The settings of every method."""
    return Table(
        rows,
        caption="Settings of the methods in the stored runs, read from the defaults of the code, and whose they are: the "
        "paper's, those of the framework that it names for the other methods (MCBO), or ours where neither says. The last "
        "row of each method has those options of companion trial that only some methods read; given to another method they "
        "have no effect, whether or not the command says so. Methods over laws also read play, observation and told_law.",
        where=where_of(rows),
    )


# -- the bounds --------------------------------------------------------------------------------------------------------

GAME = "two actions, one context, 201 laws, product kernel with length-scales 0.5 and 0.3"
#: First horizon at which the lines of the bounds are drawn.
FROM = 8


def bound(study: BoundStudy) -> Figure:
    """Measured regret and bound of both readings, and what is lost without learning, over the number of rounds."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        noises = list(dict.fromkeys(study.rows.noise))
        panels = charts.row_of(canvas, len(noises))
        for axes, noise in zip(panels, noises, strict=True):
            curve = study.curves[noise]
            shown = curve.rounds >= min(FROM, study.rows["T"].min())
            across = curve.rounds[shown]
            for k, reading in enumerate(READINGS):
                rows = study.rows[(study.rows.noise == noise) & (study.rows.reading == reading)]
                charts.band(axes, rows["T"], rows.low, rows.high, palette.series[k])
                axes.plot(rows["T"], rows.regret, label=f"measured, {reading} width", **charts.marked(palette, k))
                height = (curve.corrected if reading == "corrected" else curve.printed)[shown]
                style = charts.look(palette, k, color=palette.accent, lw=1.4)
                axes.plot(across, height, label=f"bound, {reading}", **style)
            for level, dashes, label in (
                (study.idle.range, ":", "range of the payoff, T times"),
                (study.idle.fixed, "-.", "one law for ever"),
            ):
                axes.plot(across, level.estimate * across, color=palette.muted, ls=dashes, lw=1.6, label=label)
            charts.name_axes(axes, "rounds T", title=f"noise {noise:g}", log="xy")
        panels[0].set_ylabel("cumulative regret")
        charts.legend_above(canvas, panels[0], 3)

    corrected = study.rows[study.rows.reading == "corrected"]
    times = corrected.bound / corrected.regret
    passes = "; ".join(
        f"with noise {noise:g} {between(passages(study, noise)['range'], curve.rounds[-1])}"
        for noise, curve in study.curves.items()
    )
    return Figure(
        draw,
        alt="Panels on logarithmic axes for two noise levels. Two parallel lines of slope one are what is lost without "
        "learning. Measured regret with the corrected width is lowest and flattens; the corrected bound starts above both "
        f"lines, {times.min():.0f} to {times.max():.0f} times the measured regret, and passes under the upper one {passes}. "
        "Measured regret with the printed width keeps close below the lower line at first, and its bound is far above "
        "everything.",
        caption=f"Expected regret of exact MF-GP-UCB on the standard game ({GAME}), mean over {study.runs} games with its 95 "
        "% interval, and Theorem 4.1 with all constants, as printed and corrected. The information gain is the upper end of "
        "a certificate. The two grey lines are what is lost without learning. Upper one: the range of the payoff in every "
        "round, which no play can exceed. Lower one: one law, chosen without looking and kept. Both are measured on "
        f"{study.idle.range.count:,} games of their own. A bound above the upper line says nothing. The corrected one passes "
        f"under it {passes}.",
        size=(8.8, 4.0),
        where=where_of(study),
    )


def worth(study: BoundStudy) -> Table:
    """Regret, both bounds and what is lost without learning, at the study's number of rounds."""
    return Table(
        worth_rows(study),
        caption=f"What the bounds are worth at T = {study.rounds}: measured regret, what is lost without learning, and the "
        "two bounds; then between which two T the corrected bound passes under the lines of the figure. The lines' 95 % "
        f"intervals are within {_relative(study.idle.range):.1%} and {_relative(study.idle.fixed):.1%} of them.",
        where=where_of(study),
    )


def _relative(level: Interval) -> float:
    return (level.high - level.estimate) / level.estimate


def _corrected(study: BoundStudy) -> dict[str, Chain]:
    """The chains of the corrected proof, by noise."""
    return {f"noise {noise:g}": chain for (noise, reading), chain in study.chains.items() if reading == "corrected"}


def waterfall(study: BoundStudy) -> Figure:
    """What each inequality of the corrected proof gives away."""
    chains = _corrected(study)
    return Figure(
        charts.waterfall(chains, ()),
        alt="Waterfall charts for two noise levels on a logarithmic axis, from the measured regret down to the corrected "
        "theorem. "
        + ". ".join(
            f"With {title} the last bar ends at {chain.slack:.0f} times the first" for title, chain in chains.items()
        )
        + ".",
        caption=f"The decomposition of Appendix A as a chain, T = {study.rounds}: each bar starts where the previous one "
        "ends, its label says how much the inequality gives away, and the grey word names the ledger's entry. The step from "
        "the measured regret to three terms leaves out the fourth, which is not positive because the law played maximises "
        "the acquisition.",
        size=(8.8, 3.9),
        where=where_of(study),
    )


def chain_table(study: BoundStudy) -> Table:
    """The steps of the corrected chain with their reasons."""
    return Table(
        charts.chain_rows(_corrected(study)),
        caption="The same numbers with the reason of each step. The first is measured, the last promised.",
        where=where_of(study),
    )


def terms_table(study: BoundStudy) -> Table:
    """The four terms of the decomposition, measured and bounded."""
    names = {
        "regret": "regret",
        "discretisation": "Rᴬ, rounding",
        "optimism": "Rᶜ, optimism that fails",
        "argmax": "left out: not the best acquisition",
        "exploration": "Rᴰ, exploration",
    }
    rows = []
    for (noise, reading), found in study.terms.items():
        if reading == "corrected":
            rows += [
                {
                    "noise": noise,
                    "term": names[term.name],
                    "measured": term.mean,
                    "± standard error": term.standard_error,
                    "bound": term.bound,
                }
                for term in found
            ]
    return Table(
        pd.DataFrame(rows),
        caption="The regret and its four terms, measured on the same runs, beside what the corrected theorem has for each. "
        "Negative terms help.",
        where=where_of(study),
        digits=3,
        formats={"noise": "{:g}".format},
    )


def constants(rows: pd.DataFrame) -> Table:
    """The constants of the theorem for three of the paper's problems."""
    return Table(
        rows,
        caption=f"The constants for three problems of the paper with a = {TAIL[0]:g} and b = {TAIL[1]:g} in Assumption 3.1; "
        "the corrected ones have the prior variance κ² of equation (1), which the printed proof takes for one: the mean of "
        "the largest slope, three versions of the term that does not grow, and the width. Discrepancy E9 has the corrected "
        "term without this factor, which is smaller.",
    )


def gains(study: GainStudy) -> Figure:
    """Certified information gain against the number of agents for the kernels of Table 1."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        for k, (kernel, name) in enumerate(KERNELS.items()):
            rows = part(study, kernel)
            charts.band(axes, rows.index, rows.lower, rows.upper, palette.series[k], 0.3)
            axes.plot(rows.index, rows.upper, label=name, **charts.marked(palette, k))
        axes.axhline(study.ceiling, color=palette.accent, ls=":", lw=1.4, label="ceiling where k(z, z) ≤ 1")
        charts.name_axes(axes, "agents M", "information gain, nats", log="xy")
        charts.name_ticks(axes.xaxis, (1, 2, 3, 5, 8, 20, 60, 240))
        axes.legend(loc="lower right")

    law = part(study, "law")
    naive = part(study, "naive")
    return Figure(
        draw,
        alt="Information gain against the number of agents on logarithmic axes. The kernel on all actions rises "
        f"exponentially to the ceiling within {naive.index.max()} agents; the sum over agents rises in proportion; the "
        f"mean-field kernel levels off at {law.upper.iloc[-1]:.0f} nats and stays there up to {law.index.max()} agents.",
        caption="Table 1, the part that can be computed: the maximum information gain, both certified ends (they nearly "
        f"coincide), for agents with two actions each ({study.crowd.where}).",
        size=(7.0, 3.8),
        where=where_of(study),
    )


def hidden(rows: pd.DataFrame) -> Table:
    """Powers of log T and widths on the paper's problems."""
    return Table(
        rows.rename(columns={IDLE: "log₁₀ T, additive"}),
        caption="Table 1 on the seven problems (printed sizes, one feature of actions, and of contexts where there are "
        "several): the power of log T under the root, for MF-GP-UCB with one kernel on everything and with the additive "
        "kernel that is run; the T beyond which such a power, with the factor |C| in the additive row, is below T; and the "
        f"two widths at T = {HORIZON}.",
        where=where_of(rows),
        digits=3,
    )
