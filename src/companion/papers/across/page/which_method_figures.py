"""Pictures of the section that asks which method."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, charts
from companion.pages.figures import Palette
from companion.papers.across.experiments.study_analysis import Judged
from companion.papers.across.experiments.study_play import CHECKPOINTS
from companion.papers.across.page.which_method import evidence, setting_title, title

PANELS = {"plays": "every play counts", "point": "the point named at the end counts"}


def forest() -> Figure:
    """Every rule at its best setting by both measures, one point a round."""
    found = evidence()

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(2, 1)
        for axes, (name, words) in zip(panels, PANELS.items(), strict=True):
            _rows(axes, found.answers[name], found.study.margins.significance, palette)
            axes.set_title(words)
        charts.name_axes(panels[-1], "regret, random choice = 1")

    numbers = {
        f"{words}, {title(rule)}": found.answers[name].means[rule].estimate
        for name, words in PANELS.items()
        for rule in found.answers[name].order
    }
    return Figure(draw, size=(5.6, 5.6), where=found.where, numbers=numbers)


def _rows(axes: Axes, asked: Judged, significance: float, palette: Palette) -> None:
    """One row a rule, best on top, with its mean; filled where it is not shown to be worse than the best."""
    first = asked.with_best(significance)
    edge = 1.02 * max(mean.high for mean in asked.means.values())
    for row, name in enumerate(asked.order):
        mean, color = asked.means[name], palette.series[0] if name in first else palette.muted
        axes.plot([mean.low, mean.high], [row, row], color=color, ls="-", lw=1.6)
        axes.plot(mean.estimate, row, "o", color=color, mfc=color if name in first else palette.paper)
        axes.text(edge, row, f"{mean.estimate:.2f}", va="center", fontsize=9.5)
    words = [
        ", ".join(filter(None, (title(name, asked.batch), setting_title(name, asked.settings[name]))))
        for name in asked.order
    ]
    axes.set_yticks(range(len(words)), labels=words, fontsize=9.5, color=palette.ink)
    axes.set_ylim(len(words) - 0.5, -0.5)
    axes.set_xlim(0.0, edge)


SHOWN = ("ucb", "ts", "ts-rsr", "ei-mean", "ei", "random")


def profiles(tolerance: str = "found") -> Figure:
    """Share of runs that are solved over the number of plays, one point a round."""
    found = evidence()
    curves = {rule: found.study.profile(tolerance, rule)[0] for rule in SHOWN}

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        for k, (rule, shares) in enumerate(curves.items()):
            look = charts.look(palette, charts.PLAIN if rule == "random" else k, label=title(rule))
            axes.plot(CHECKPOINTS, shares, **look)
        charts.name_axes(axes, "evaluations", "share of runs")
        axes.set_ylim(bottom=0.0)
        charts.legend_above(canvas, axes, 3)

    numbers = {f"{title(rule)}, after {CHECKPOINTS[-1]}": float(shares[-1]) for rule, shares in curves.items()}
    return Figure(draw, size=(6.0, 3.4), where=found.where, numbers=numbers)
