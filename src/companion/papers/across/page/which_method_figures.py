"""Pictures of the section that asks which method."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, cells, charts
from companion.pages.figures import Palette
from companion.papers.across.contest import Ranking
from companion.papers.across.experiments.problems import KINDS
from companion.papers.across.page.which_method import CLASSICAL, ENTRIES, Evidence, evidence

PANELS = {
    "cumulative": "cumulative regret",
    "recommended": "regret of the point named",
}


def critical_difference() -> Figure:
    """Average ranks with intervals; methods that a bar joins are not told apart."""
    found = evidence()

    def draw(canvas: Canvas, palette: Palette) -> None:
        for axes, (metric, title) in zip(charts.row_of(canvas, 2, sharey=False), PANELS.items(), strict=True):
            _ranks(axes, found.rankings[metric], palette)
            charts.name_axes(axes, "average rank, lower is better", title=title)

    ranks = {
        f"{title}, {ENTRIES[name].title}: rank": interval.estimate
        for metric, title in PANELS.items()
        for name, interval in found.rankings[metric].ranks.items()
    }
    return Figure(draw, size=(9.6, 4.9), where=found.where, numbers=ranks)


def _ranks(axes: Axes, ranked: Ranking, palette: Palette) -> None:
    """One row a method, best on top; at the right one bar for every group, and above Nemenyi's critical difference."""
    count = len(ranked.entries)
    for row, name in enumerate(ranked.entries):
        interval = ranked.ranks[name]
        color = palette.muted if name in CLASSICAL else palette.series[0]
        axes.plot([interval.low, interval.high], [row, row], color=color, ls="-", lw=1.6)
        axes.plot(interval.estimate, row, "o", color=color, mfc=palette.paper if name in CLASSICAL else color)
    for k, group in enumerate(ranked.groups):
        low, high = (ranked.entries.index(end) for end in (group[0], group[-1]))
        across = count + 0.9 + 0.55 * (k % 4)
        axes.plot([across, across], [low - 0.2, high + 0.2], color=palette.accent, ls="-", lw=2.6)
    axes.plot([1, 1 + ranked.critical], [-1.2, -1.2], color=palette.ink, ls="-", lw=1.0, marker="|")
    axes.text(1, -1.75, "told apart if the problems were the sample", fontsize=7.5, va="center")
    axes.set_yticks(range(count), labels=[ENTRIES[name].title for name in ranked.entries])
    axes.set_ylim(count - 0.5, -2.3)
    axes.set_xlim(0.5, count + 3.0)
    axes.set_xticks(range(1, count + 1, 2))


SHOWN = ("gp-ucb", "ts-rsr-5", "bucb-5", "ts-5", "bpe")
PROBLEMS = ("norm", "bird-2d", "appendix-e")


def curves() -> Figure:
    """Cumulative regret by evaluations above, simple regret by rounds below, on three problems."""
    found = evidence()

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(2, len(PROBLEMS), sharex="row")
        for column, problem in zip(panels.T, PROBLEMS, strict=True):
            for axes, axis, values in zip(column, ("evaluations", "rounds"), ("cumulative", "simple"), strict=True):
                for k, name in enumerate((*SHOWN, "random")):
                    _curve(axes, found, problem, name, axis, values, charts.PLAIN if name == "random" else k, palette)
            charts.name_axes(column[0], "evaluations", title=KINDS[problem].title)
            charts.name_axes(column[1], "rounds of feedback")
            column[1].set_ylim(bottom=0.0)
            column[0].set_ylim(bottom=0.0)
        charts.name_axes(panels[0, 0], y="cumulative regret")
        charts.name_axes(panels[1, 0], y="simple regret")
        charts.legend_above(canvas, panels[0, 0], 6)

    table = found.contest.stored.tables["method_curves"]
    drawn = table[table.problem.isin(PROBLEMS) & table.entry.isin((*SHOWN, "random"))].sort_values("at")
    ends = drawn.groupby(["problem", "entry", "axis"], sort=False, as_index=False).last()
    numbers = cells(ends, "{problem}, {entry}, by {axis}: {}", ["cumulative", "simple"])
    return Figure(draw, size=(9.6, 5.6), where=found.where, numbers=numbers)


def _curve(
    axes: Axes, found: Evidence, problem: str, name: str, axis: str, values: str, k: int, palette: Palette
) -> None:
    table = found.contest.stored.tables["method_curves"]
    rows = table[(table.problem == problem) & (table.entry == name) & (table.axis == axis)]
    axes.plot(rows["at"], rows[values], **charts.look(palette, k, label=ENTRIES[name].title))
