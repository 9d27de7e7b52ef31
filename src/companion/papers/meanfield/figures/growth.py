"""Figures of the headline, regret against the number of agents, actions and contexts; all data come from ``studies``."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.meanfield.claims.printed import NAME_OF, OURS
from companion.papers.meanfield.studies.growth import (
    AGENTS,
    SIZES,
    TITLES,
    exponent_rows,
    growth_rows,
    size_rows,
)
from companion.papers.meanfield.studies.live import live_rows
from companion.papers.meanfield.studies.paper import Evidence
from companion.report import Figure, Palette, Table, charts, where_of
from companion.report.figures import MARKERS

#: Factor in M by which the marks of two methods are set apart.
ASIDE = 1.06


def agents(evidence: Evidence) -> Figure:
    """Regret per evaluation and final simple regret against M."""
    rows = growth_rows(evidence)
    groups = {
        (problem, method): rows[(rows.problem == problem) & (rows.method == method)] for problem, _, method in AGENTS
    }

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = charts.row_of(canvas, 2, sharey=False)
        for k, ((problem, method), group) in enumerate(groups.items()):
            if group.empty:
                continue
            series, width = charts.PLAIN if method == "random" else k, 2.2 if method == OURS else 1.2
            style = charts.marked(palette, series, marker=MARKERS[k], lw=width)
            # A little to the side of each other: where methods are no better than the uniform law, marks coincide.
            across = group.M * ASIDE ** (k - len(AGENTS) // 2)
            name = f"{NAME_OF[method]}, {TITLES[problem]}"
            left.errorbar(across, group.share, _bars(group), capsize=2, label=name, **style)
            right.plot(across, group.simple, **style)
        for axes in (left, right):
            axes.axhline(1.0, color=palette.muted, lw=0.9)
            axes.set(xscale="log", xlabel="agents M", ylabel="share of the uniform law's regret")
        left.set(title="Regret per evaluation", ylim=(0, None))
        right.set(yscale="log", title="Least regret of a law played")
        charts.legend_above(canvas, left, 3, fontsize=8)

    return Figure(
        draw,
        size=(9.0, 4.4),
        where=evidence.where,
    )


def _bars(group: pd.DataFrame) -> list[pd.Series]:
    """Lengths of the error bars of a share, which do not reach below zero."""
    return [(group.share - group.low).clip(upper=group.share), group.high - group.share]


def sizes(evidence: Evidence) -> Figure:
    """Regret of MF-GP-UCB, in shares of the uniform law's, against the number of actions and of contexts."""
    rows = size_rows(evidence)

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = charts.row_of(canvas, len(SIZES), sharey=False)
        for k, (axes, (what, _, problem)) in enumerate(zip(panels, SIZES, strict=True)):
            group = rows[rows.what == what]
            axes.axhline(1.0, color=palette.muted, lw=0.9)
            axes.errorbar(group["size"], group.share, _bars(group), capsize=2, **charts.marked(palette, k))
            symbol = "|A|" if what == "actions" else "|C|"
            charts.name_axes(axes, f"{what} {symbol}", title=TITLES[problem], log="x")
            axes.set_ylim(0, None)
            axes.set_xticks(list(group["size"]), [str(size) for size in group["size"]])
        panels[0].set_ylabel("share of the uniform law's regret")

    return Figure(
        draw,
        size=(8.4, 3.4),
        where=evidence.where,
    )


def exponents(evidence: Evidence) -> Table:
    """Fitted exponents of regret."""
    rows = exponent_rows(evidence)
    return Table(
        rows,
        where=evidence.where,
        digits=2,
    )


def live(runs: pd.DataFrame) -> Table:
    """Runs made now beside the stored ones."""
    return Table(
        live_rows(runs),
        where=where_of(runs),
    )
