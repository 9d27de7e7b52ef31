"""Figures and tables of the section "The paper's experiments again"; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.batched.claims.conclusions import paired
from companion.papers.batched.plan.runs import RULES, rule_label
from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.papers.batched.studies.findings import Draws
from companion.papers.batched.studies.paper import Evidence, base_mean, beside, printed_table
from companion.report import Figure, Palette, Table, charts, where_of
from companion.report.figures import MARKERS


def draws(surfaces: Draws) -> Figure:
    """One drawn surface per kernel, on a common colour scale."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = charts.row_of(canvas, 3, sharey=False)
        limit = max(float(np.abs(v).max()) for v in surfaces.values.values())
        scale: charts.Style = {"origin": "lower", "extent": (-5, 5, -5, 5), "vmin": -limit, "vmax": limit}
        for axes, (kernel, values) in zip(panels, surfaces.values.items(), strict=True):
            side = round(len(values) ** 0.5)
            image = axes.imshow(values.reshape(side, side).T, cmap=palette.map, **scale)
            place = surfaces.points[int(values.argmax())]
            axes.plot(*place, "*", color="#ff4d7a", ms=11, mec="#ffffff", mew=0.7)
            axes.set(title=KERNEL_TITLES[kernel], xlabel=r"$x_1$", aspect="equal")
            axes.grid(visible=False)
        panels[0].set_ylabel(r"$x_2$")
        canvas.colorbar(image, ax=panels, shrink=0.85, label="f")

    return Figure(draw, size=(8.6, 3.1), where=where_of(surfaces))


def reported_beside_ours(evidence: Evidence, kernel: str) -> Table:
    """A table of the paper beside ours."""
    return Table(beside(evidence, kernel), where=evidence.where)


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
    return Table(
        pd.DataFrame(rows),
        where=evidence.where,
        formats={"difference": "{:+.3g}".format, "of orig": "{:+.1%}".format} | shares,
    )
