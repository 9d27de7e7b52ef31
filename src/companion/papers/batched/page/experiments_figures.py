"""Figures and tables of the section "The paper's experiments again"; all data come from the studies beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import PercentFormatter

from companion.core.arrays import Floats
from companion.pages import Figure, Palette, Table, charts, where_of
from companion.pages.tables import smallest
from companion.papers.batched.page.cards import Gallery
from companion.papers.batched.page.robust import PROBLEM_TITLES
from companion.papers.batched.page.stored_runs import NO_CLAIM, Evidence, beside, comparison_rows
from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.problems import FiniteProblem


def problems(shown: Gallery) -> Figure:
    """One of every kind of problem: surfaces, functions of known norm, two with displacement, a hard class, three arms."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(2, 4).ravel()
        limit = max(float(np.abs(v).max()) for v in shown.surfaces.values())
        for axes, (kernel, values) in zip(panels, shown.surfaces.items(), strict=False):
            name = f"App. E, {KERNEL_TITLES[kernel]}"
            _surface(axes, shown.points, values, palette, name, (-limit, limit))
            axes.plot(*shown.points[int(values.argmax())], "*", color="#ff4d7a", ms=11, mec="#ffffff", mew=0.7)
        peak = shown.robust["peak-2d"]
        _surface(panels[3], peak.points, peak.values, palette, PROBLEM_TITLES["peak-2d"], (-1, 1))
        _two_optima(panels[3], peak, "#ffffff", "#ff4d7a")
        _curves(panels[4:], shown, palette)
        for axes in panels:
            axes.tick_params(labelsize=8)
            axes.grid(visible=False)

    return Figure(draw, size=(9.2, 4.9), where=where_of(shown))


def _surface(
    axes: Axes, points: Floats, values: Floats, palette: Palette, title: str, limits: tuple[float, float]
) -> None:
    side = round(len(values) ** 0.5)
    low, high = float(points.min()), float(points.max())
    scale: charts.Style = {"origin": "lower", "extent": (low, high, low, high), "vmin": limits[0], "vmax": limits[1]}
    axes.imshow(values.reshape(side, side).T, cmap=palette.map, **scale)
    axes.set(aspect="equal")
    axes.set_title(title, fontsize=9.5)


def _two_optima(axes: Axes, problem: FiniteProblem, plain: str, safe: str) -> None:
    """Circle and star: ordinary and robust maximiser."""
    for index, marker, color in ((problem.optimum_index, "o", plain), (problem.robust_optimum_index, "*", safe)):
        # On a line the height is the value.
        place = (
            problem.points[index] if problem.points.shape[1] > 1 else (*problem.points[index], problem.values[index])
        )
        axes.plot(*place, marker, color=color, ms=10, mfc="none" if marker == "o" else color)


def _curves(panels: Sequence[Axes], shown: Gallery, palette: Palette) -> None:
    for k, problem in enumerate(shown.known):
        panels[0].plot(problem.points[:, 0], problem.values, lw=1.3, **charts.look(palette, k))
        best = problem.optimum_index
        panels[0].plot(problem.points[best, 0], problem.values[best], "*", color=palette.accent, ms=9)
    toy = shown.robust["toy-1d"]
    panels[1].plot(toy.points[:, 0], toy.values, color=palette.series[0], ls="-")
    panels[1].plot(toy.points[:, 0], toy.robust_values, color=palette.series[1], ls="--", lw=1.2)
    _two_optima(panels[1], toy, palette.ink, palette.accent)
    x = np.linspace(0, 1, 601)[:, None]
    for k, one in enumerate(shown.hard.classes[:2]):
        values = shown.family.build(one.epsilon).values(x)[one.size // 2]
        panels[2].plot(x[:, 0], values, label=f"class {k + 1}", **charts.look(palette, k))
    panels[2].legend(loc="upper left")
    arms = range(shown.arms.size)
    panels[3].bar(arms, shown.arms.values, color=palette.series[: len(arms)], width=0.6)
    panels[3].axhline(0, color=palette.muted, lw=0.8)
    panels[3].set_xticks(list(arms), [f"arm {k}" for k in arms])
    titles = ("known norm", PROBLEM_TITLES["toy-1d"], "Theorem 2", "three arms")
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(title, fontsize=9.5)


def reported_beside_ours(evidence: Evidence, kernel: str) -> Table:
    """A table of the paper beside ours: bold the smallest, marked where ours is on the other side of orig than printed."""
    rows = beside(evidence, kernel)
    values = rows.filter(like="t = ")
    above = values - values.where(rows.sizes == "orig").groupby(rows["from"]).transform("max")
    printed = above.where(rows["from"] == "printed").groupby(rows.sizes).transform("max")
    turned = (printed * above < 0) & (rows["from"] == "ours").to_numpy()[:, None]
    return Table(rows, where=evidence.where, best=smallest(values, by=rows["from"]), turned=turned)


def comparisons(evidence: Evidence) -> Figure:
    """Each rule against the original sizes: all functions, what means of ten would give, and what is printed."""
    rows = comparison_rows(evidence)

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        axes.axvline(0.0, color=palette.ink, lw=1)
        axes.hlines(
            rows.index, rows["few low"], rows["few high"], color=palette.faint, lw=9, label="means of ten functions"
        )
        axes.plot(rows.printed, rows.index, "X", color=palette.ink, ms=8, ls="none", label="printed")
        shown = {
            "holds": ("confirmed", "o"),
            "contradicted": ("reversed", "s"),
            "undecided": ("open", "D"),
            NO_CLAIM: (NO_CLAIM, "."),
        }
        for (outcome, (words, marker)), color in zip(shown.items(), (*palette.series[:3], palette.muted), strict=True):
            part = rows[rows.outcome == outcome]
            axes.hlines(part.index, part.low, part.high, color=color, lw=1.8)
            axes.plot(part.lead, part.index, marker, color=color, ms=7, label=words)
        for row in rows.itertuples():
            axes.text(1.02, row.Index, row.says, transform=axes.get_yaxis_transform(), va="center", fontsize=9)
        axes.text(1.02, 1.02, "the paper says", transform=axes.transAxes, fontsize=9, color=palette.muted)
        axes.set_yticks(rows.index, rows.comparison)
        axes.invert_yaxis()
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
        charts.name_axes(axes, "regret at t = 1000, difference to the original sizes")
        axes.grid(visible=False, axis="y")
        charts.legend_above(canvas, axes, 6)

    return Figure(draw, size=(9.0, 3.7), where=evidence.where)


def conclusions(evidence: Evidence) -> Table:
    """The appendix's conclusions, one row each, and the two rows of one method, from which it draws none."""
    rows = [
        {
            "conclusion": f"{KERNEL_TITLES[row.claim.kernel]}, {row.claim.rule} {row.claim.says}",
            "difference": row.difference,
            "95 % int.": f"[{row.low:.3g}, {row.high:.3g}]",
            "of orig": row.relative,
            "below orig": row.share_negative,
            "ten agree": row.ten_agree,
            "outcome": row.outcome,
        }
        for _, row in evidence.judged.iterrows()
    ]
    shares = dict.fromkeys(("below orig", "ten agree"), "{:.0%}".format)
    frame = pd.DataFrame(rows)
    return Table(
        frame,
        where=evidence.where,
        turned=frame[["outcome"]] == "contradicted",
        formats={"difference": "{:+.3g}".format, "of orig": "{:+.1%}".format} | shares,
    )
