"""Figures and tables of the three questions; all data come from the studies beside it."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure as Canvas

from companion.pages import Palette, Table, Where, charts, figure, table
from companion.papers.wdrbo.experiments.printed import TITLE_OF
from companion.papers.wdrbo.experiments.questions_claims import WANTED
from companion.papers.wdrbo.page.robustness import (
    LAW_NAMES,
    claim_rows,
    coverage_rows,
    praise_rows,
    radius_rows,
    region_rows,
)
from companion.papers.wdrbo.page.stored_runs import Evidence


@figure(size=(8.8, 3.6))
def coverage(canvas: Canvas, palette: Palette, evidence: Evidence) -> None:
    """How often the ball holds the true law, and distance over radius, against the number of contexts."""
    rows = coverage_rows(evidence)
    groups = {LAW_NAMES.get(str(law), str(law)): part for law, part in rows.groupby("law", sort=False)}
    top = float((rows["mean"] / rows.radius).max())
    left, right = charts.row_of(canvas, 2, sharey=False)
    for k, (name, part) in enumerate(groups.items()):
        look = charts.marked(palette, k)
        left.errorbar(part["count"], part.covered, charts.bars(part, "covered"), capsize=2, **look)
        right.plot(part["count"], part["mean"] / part.radius, label=name, **look)
    for axes, level in ((left, WANTED), (right, 1)):
        axes.axhline(level, color=palette.accent, lw=1, ls=":")
        charts.name_axes(axes, "contexts n", log="x")
        charts.name_ticks(axes.xaxis, (5, 10, 20, 50, 100))
    left.set(ylabel="share of samples", ylim=(-0.03, 1.03), title="The ball holds the true law")
    right.set(ylabel="mean distance over radius", ylim=(0, 1.45 * top), title=r"Distance over $0.3/\sqrt{n}$")
    right.legend(fontsize=8, loc="upper left", ncols=2)


def claims(entries: list[dict[str, Any]], where: Where) -> Table:
    """Every claim about the experiments with its verdict."""
    return Table(claim_rows(entries), where=where)


praise = table(praise_rows)


@figure(size=(7.6, 3.6))
def radius(canvas: Canvas, palette: Palette, evidence: Evidence) -> None:
    """WDRBO's regret against the constant of its radius."""
    rows = radius_rows(evidence)
    groups = {TITLE_OF[str(problem)]: part for problem, part in rows.groupby("problem", sort=False)}
    axes = canvas.subplots()
    for k, (name, part) in enumerate(groups.items()):
        charts.shown_marks(axes, part.constant * (1.0 + 0.05 * (k - 1)), part, "ratio", palette, k, label=name)
    axes.axhline(1, color=palette.muted, lw=0.9)
    charts.name_axes(axes, r"a, radius $a/\sqrt{n}$", "regret over ERBO's", log="xy")
    charts.name_ticks(axes.xaxis, sorted(set(rows.constant)))
    charts.name_ticks(axes.yaxis, (0.5, 1.0, 2.0, 5.0, 10.0))
    axes.legend()


region = table(region_rows, digits=3)
