"""Figures and tables of the section "The paper's experiments again"; all data come from the studies beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.core.arrays import Floats
from companion.pages import Figure, Palette, Table, charts, where_of
from companion.pages.figures import MARKERS
from companion.pages.tables import smallest
from companion.papers.batched.experiments.conclusions_claims import paired
from companion.papers.batched.experiments.runs import RULES, rule_label
from companion.papers.batched.page.cards import Gallery
from companion.papers.batched.page.robust import PROBLEM_TITLES
from companion.papers.batched.page.stored_runs import Evidence, base_mean, beside, printed_table
from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.problems import FiniteProblem


def problems(shown: Gallery) -> Figure:
    """One of every kind of problem: surfaces, functions of known norm, two with displacement, a hard class, three arms."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(2, 4).ravel()
        surfaces = shown.surfaces
        limit = max(float(np.abs(v).max()) for v in surfaces.values.values())
        for axes, (kernel, values) in zip(panels, surfaces.values.items(), strict=False):
            name = f"App. E, {KERNEL_TITLES[kernel]}"
            _surface(axes, surfaces.points, values, palette, name, (-limit, limit))
            axes.plot(*surfaces.points[int(values.argmax())], "*", color="#ff4d7a", ms=11, mec="#ffffff", mew=0.7)
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


def paired_differences(evidence: Evidence) -> Figure:
    """Regret at t = 1000 of each rule minus that of the original sizes, function by function."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = charts.row_of(canvas, 3)
        for axes, kernel in zip(panels, RULES, strict=True):
            base, values = base_mean(evidence, kernel), printed_table(evidence, kernel)[1000]
            rules = [rule_label(a) for a in RULES[kernel][1:]]
            for k, rule in enumerate(rules):
                interval, differences = paired(evidence.frame, kernel, rule)
                relative = differences / base
                # Spread the points by their rank so that overlapping ones stay visible.
                across = k + 0.3 * (np.argsort(np.argsort(relative)) / len(relative) - 0.5)
                axes.plot(across, relative, ".", color=palette.series[k], ms=2.5, alpha=0.5)
                low, middle, high = (v / base for v in (interval.low, interval.estimate, interval.high))
                style: charts.Style = {"fmt": MARKERS[k], "color": palette.ink, "capsize": 3, "ms": 5}
                axes.errorbar(k + 0.32, middle, yerr=[[middle - low], [high - middle]], **style)
                axes.plot(k - 0.34, values[rule] / values["orig"] - 1, "x", color=palette.accent, ms=7, mew=1.8)
            axes.axhline(0, color=palette.muted, lw=1)
            axes.set_xticks(range(len(rules)), rules)
            axes.set(title=KERNEL_TITLES[kernel], ylim=(-1.1, 2.0), xlim=(-0.6, len(rules) - 0.4))
            axes.grid(visible=False, axis="x")
        panels[0].set_ylabel("difference to orig, relative")

    return Figure(draw, size=(8.8, 3.6), where=evidence.where)


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
