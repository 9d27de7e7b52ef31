"""Figures and tables of the section "The paper's experiments again"; all data come from the studies beside it."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from companion.pages import Canvas, Figure, Palette, Table, charts, figure, provenance_of, table
from companion.pages.figures import DASHES, MARKERS
from companion.papers.wdrbo.experiments.figures_claims import FIGURE_2
from companion.papers.wdrbo.experiments.printed import TITLE_OF, Curve, WDRBOResults, label
from companion.papers.wdrbo.experiments.runs import METHOD_NAMES
from companion.papers.wdrbo.page.example import MODULI, Example, figure_1_curves
from companion.papers.wdrbo.page.stored_runs import (
    grid_rows,
    level_rows,
    lowest_level,
    rank_rows,
    tally_rows,
    time_rows,
)

#: Before it a ratio of cumulative regrets says nothing.
FROM_ROUND = 5
#: Panels in a row where each problem has one.
COLUMNS = 4


def style(method: str, palette: Palette) -> dict[str, object]:
    """Colour and dashes of a method, the same in every figure: WDRBO first, thick; our exact form in ink."""
    if method == "wdrbo-exact":
        return {"color": palette.ink, "ls": ":", "lw": 1.3}
    k = [name for name in METHOD_NAMES if name != "wdrbo-exact"].index(method)
    return {"color": palette.series[k], "ls": DASHES[k], "lw": 2.2 if method == "wdrbo" else 1.3}


def grid_of(canvas: Canvas, evidence: WDRBOResults) -> tuple[list[Axes], list[Axes]]:
    """A panel for every problem, and the rest of the last row, its axes switched off."""
    problems = evidence.problems
    rows = math.ceil(len(problems) / COLUMNS)
    panels = list(canvas.subplots(rows, COLUMNS, squeeze=False).ravel())
    for axes in panels[len(problems) :]:
        axes.axis("off")
    return panels[: len(problems)], panels[len(problems) :]


def height_of(evidence: WDRBOResults) -> float:
    """Inches of such a figure."""
    return 0.6 + 2.2 * math.ceil(len(evidence.problems) / COLUMNS)


# -- Figure 1 ----------------------------------------------------------------------------------------------------------


@figure(size=(8.8, 3.6))
def figure_1(canvas: Canvas, palette: Palette, example: Example, evidence: WDRBOResults) -> None:
    """Figure 1 again: expected reward under both distributions, and cumulative regret."""
    curves = figure_1_curves(evidence)
    left, right = charts.row_of(canvas, 2, sharey=False)
    for k, (values, name) in enumerate(((example.told, "reference"), (example.true, "true distribution"))):
        best = int(values.argmax())
        left.plot(MODULI, values, label=name, **charts.look(palette, k))
        left.plot(MODULI[best], values[best], MARKERS[k], color=palette.series[k], ms=8, mec=palette.paper)
    charts.name_axes(left, "|y|", "expected reward", "(a) The optimum moves")
    left.legend()
    for method, curve in curves.items():
        _band(right, curve, style(method, palette), label(method))
    charts.name_axes(right, "round", "cumulative expected regret", "(b) The reference is wrong")
    if curves:
        right.legend()


def _band(axes: Axes, curve: Curve, look: dict[str, object], name: str, alpha: float = 0.18) -> None:
    across = np.arange(1, len(curve.mean) + 1)
    charts.band(axes, across, curve.mean - curve.error, curve.mean + curve.error, str(look["color"]), alpha)
    axes.plot(across, curve.mean, label=name, **look)  # type: ignore[arg-type]


# -- Figures 2 and 3 ----------------------------------------------------------------------------------------------------


def curves(evidence: WDRBOResults, reading: str = "text") -> Figure:
    """Figure 2: cumulative regret of its methods."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels, spare = grid_of(canvas, evidence)
        for axes, problem in zip(panels, evidence.problems, strict=True):
            for method in FIGURE_2:
                curve = evidence.curve("cumulative", problem, method, reading)
                if curve is not None:
                    _band(axes, curve, style(method, palette), label(method))
            axes.set_title(TITLE_OF[problem], fontsize=9.5)
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        handles = {
            name: handle for axes in panels for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        if spare:
            spare[0].legend(handles.values(), handles.keys(), loc="center", fontsize=8)
        else:
            canvas.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=5)
        canvas.supxlabel("round", fontsize=9.5)
        canvas.supylabel("cumulative expected regret", fontsize=9.5)

    return Figure(draw, size=(8.8, height_of(evidence)), where=provenance_of(evidence))


@figure(size=(8.6, 4.6))
def rivals(canvas: Canvas, palette: Palette, evidence: WDRBOResults, reading: str = "text") -> None:
    """A panel for every other method: its cumulative regret over WDRBO's, a line for each problem, and their mean."""
    others = [name for name in METHOD_NAMES if name != "wdrbo"]
    panels = canvas.subplots(2, COLUMNS, sharex=True, sharey=True).ravel()
    for axes, method in zip(panels, others, strict=True):
        logs = []
        for problem in evidence.problems:
            one, base = (evidence.curve("cumulative", problem, name, reading) for name in (method, "wdrbo"))
            if one is not None and base is not None:
                logs.append(np.log(one.mean[FROM_ROUND - 1 :] / base.mean[FROM_ROUND - 1 :]))
                across = np.arange(FROM_ROUND, len(one.mean) + 1)
                axes.plot(across, np.exp(logs[-1]), color=palette.muted, lw=0.9, ls="-")
        if logs:
            axes.plot(across, np.exp(np.mean(logs, axis=0)), color=palette.series[1], lw=2.6, ls="-")
        axes.axhline(1, color=palette.series[0], lw=1.6)
        axes.set_title(label(method), fontsize=9.5)
        axes.set_yscale("log")
    charts.narrow_ticks(panels[0])
    canvas.supxlabel("round", fontsize=9.5)
    canvas.supylabel("regret over WDRBO's", fontsize=9.5)


def levels(evidence: WDRBOResults, reading: str = "text") -> Table:
    """Cumulative regret of all methods on all problems."""
    return Table(level_rows(evidence, reading), where=provenance_of(evidence), best=lowest_level(evidence, reading))


def differences_grid(evidence: WDRBOResults, reading: str = "text", column: str = "total") -> Table:
    """Every method against WDRBO, problem by problem; in bold what stands after correction."""
    grid, shown = grid_rows(evidence, reading, column)
    return Table(grid, where=provenance_of(evidence), best=shown)


tally = table(tally_rows)


@figure(size=(7.6, 3.4))
def ranks(canvas: Canvas, palette: Palette, evidence: WDRBOResults) -> None:
    """Average ranks with bootstrap intervals."""
    rows = rank_rows(evidence)
    groups = dict(list(rows.groupby("reading", sort=False))) if len(rows) else {}
    axes = canvas.subplots()
    listed = list(dict.fromkeys(rows.method)) if len(rows) else []
    for k, (reading, part) in enumerate(groups.items()):
        at = np.array([listed.index(name) for name in part.method]) + (k - 0.5) * 0.24
        look = charts.marked(palette, k, ls="none", capsize=2, label=f"{reading}'s reading")
        axes.errorbar(part["rank"], at, xerr=charts.bars(part, "rank"), **look)
    axes.set_yticks(range(len(listed)), [label(name) for name in listed])
    axes.invert_yaxis()
    axes.set(xlabel="average rank over the problems (1 is best)")
    if listed:
        axes.legend()


times = table(time_rows, digits=3)
