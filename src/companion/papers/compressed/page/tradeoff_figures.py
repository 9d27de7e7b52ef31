"""Figures and tables of the dictionary's size, of the trade-off with regret and time, and of the three arms.

All data come from the studies beside it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.pages import Palette, Table, charts, figure, table, where_of
from companion.pages.figures import MARKERS
from companion.pages.tables import significant
from companion.papers.compressed.experiments.runs import DENSE, PAPER
from companion.papers.compressed.experiments.theory_claims import THREE_VALUES
from companion.papers.compressed.page.arms import ArmRounds, first_rows
from companion.papers.compressed.page.order import (
    ARM_ROUNDS,
    FROZEN_ROUNDS,
    MARKS,
    EndStudy,
    LimitStudy,
    arm_rows,
)
from companion.papers.compressed.page.stored_runs import Evidence
from companion.papers.compressed.page.tradeoff import (
    POSTERIORS,
    VARIANTS,
    bought_rows,
    covering_rows,
    cumulative,
    exponent_rows,
    frontier_rows,
    means,
    rules,
    step_part,
    step_rows,
)

# -- how large a dictionary gets ---------------------------------------------------------------------------------------


@figure(size=(8.8, 4.0))
def exploration(canvas: Canvas, palette: Palette, sizes: pd.DataFrame) -> None:
    """Model order against 1/u, and over the printed rate."""
    groups = list(sizes.groupby("title", sort=False))
    left, right = charts.row_of(canvas, 2, sharey=False)
    for k, (title, part) in enumerate(groups):
        across = 1.0 / part.u
        style = charts.marked(palette, k, label=title)
        left.plot(across, part.order, **style)
        rate = across ** part.p.iloc[0]
        right.plot(across, part.order / rate / (part.order.iloc[0] / rate.iloc[0]), **style)
    whole = groups[-1][1]
    left.plot(1.0 / whole.u, whole.least, color=palette.muted, ls=":", label="no rule with fewer: 1/u − σ²")
    charts.name_axes(left, "1/u", "model order", "Points kept by pure exploration", log="xy")
    left.legend(loc="upper left")
    left.set_ylim(top=float(sizes.order.max()) * 30)
    right.axhline(1.0, color=palette.ink, lw=1)
    right.text(1.0 / sizes.u.min(), 1.1, "printed rate", ha="right", va="bottom", fontsize=8.5)
    charts.name_axes(right, "1/u", title="The same over the printed rate, first value 1", log="xy")
    for axes in (left, right):
        charts.name_ticks(axes.xaxis, sorted({1.0 / u for u in sizes.u}))


@figure(size=(8.8, 3.8))
def ends(canvas: Canvas, palette: Palette, study: EndStudy) -> None:
    """The certificate on the circle, and UCB on the line until its end."""
    circle, line = study.circle, study.line
    left, right = charts.row_of(canvas, 2, sharey=False)
    printed: charts.Style = {"color": palette.accent, "ls": "--", "label": "printed rate"}
    across = 1.0 / circle.u
    left.plot(across, circle.greedy, "o", color=palette.series[0], ms=7, label="pure exploration")
    left.plot(across, circle.floor, color=palette.ink, ls="-", marker="_", label="any dictionary, at least")
    left.plot(across, circle.floor.iloc[0] * across / across.iloc[0], **printed)
    charts.name_axes(left, "1/u", "model order", "Exponential kernel on a circle", log="xy")
    for k, name in enumerate((*(f"{mark:g}" for mark in MARKS), "end")):
        power = len(f"{float(name):.0f}") - 1 if name != "end" else 0
        label = "in the end" if name == "end" else rf"$T=10^{power}$"
        right.plot(1.0 / line.u, line[name], label=label, **charts.marked(palette, k))
    start = float(line[f"{MARKS[0]:g}"].iloc[0])
    right.plot(1.0 / line.u, start * line.u.iloc[0] / line.u, **printed)
    charts.name_axes(right, "1/u", title="Compressed UCB on an interval", log="xy")
    charts.name_ticks(right.yaxis, (20, 50, 100, 200))
    for axes, rows in ((left, circle), (right, line)):
        charts.name_ticks(axes.xaxis, sorted({1.0 / u for u in rows.u}))
        axes.legend()


covering = table(covering_rows)


# -- regret, points and time -------------------------------------------------------------------------------------------


@figure(size=(8.8, 6.6))
def horizons(canvas: Canvas, palette: Palette, evidence: Evidence) -> None:
    """Cumulative regret and model order over the horizon, with the theory's exponents."""
    panels = canvas.subplots(2, 2, sharex=True)
    for row, kind in zip(panels, ("alpha", "u"), strict=True):
        shown = [rule for rule in rules(evidence) if rule.startswith(f"{kind}=")]
        for axes, column in zip(row, ("regret", "order"), strict=True):
            dense = _values(evidence, DENSE, column)
            axes.plot(dense.index, dense, label="dense", **charts.look(palette, charts.PLAIN, lw=2.2))
            for k, rule in enumerate(shown):
                values = _values(evidence, rule, column)
                value = float(rule.partition("=")[2])
                label = f"{'α' if kind == 'alpha' else 'u'} = {value:g}"
                axes.plot(values.index, values, label=label, **charts.marked(palette, k))
                if kind == "alpha":
                    power = 1 - value / 2 if column == "regret" else value
                    guide = float(values.iloc[0]) * (values.index / values.index[0]) ** power
                    axes.plot(values.index, guide, color=palette.series[k], ls="-", lw=0.8, alpha=0.7)
            axes.set(xscale="log", yscale="log")
        row[0].set_ylabel("cumulative regret")
        row[1].set_ylabel("model order")
        row[1].legend(loc="upper left", ncols=2)
    for axes in panels[1]:
        axes.set_xlabel("horizon T")
    titles = (
        r"Budget of the horizon, $u=T^{-\alpha}$: regret",
        "model order",
        "Fixed budget: regret",
        "model order",
    )
    for axes, title in zip(panels.ravel(), titles, strict=True):
        axes.set_title(title)


def _values(evidence: Evidence, rule: str, column: str) -> pd.Series:
    """Means over seeds by horizon of cumulative regret or of the model order."""
    return cumulative(evidence, rule).mean(axis=1) if column == "regret" else means(evidence, rule, "model_order")


exponents = table(exponent_rows, digits=3)


@figure(size=(7.8, 3.8))
def frontier(canvas: Canvas, palette: Palette, evidence: Evidence) -> None:
    """Average regret against model order at the longest horizon."""
    rows = frontier_rows(evidence)
    kinds = {
        "u": "fixed budget",
        "alpha": "budget of the horizon",
        "printed": "printed constants",
        "dense": "dense, and α = 1",
    }
    axes = canvas.subplots()
    for k, (kind, label) in enumerate(kinds.items()):
        part = rows[(rows.rule != "α = 1") & (rows.kind == kind)]
        style: charts.Style = {
            "color": palette.ink if kind == "dense" else palette.series[k],
            "marker": MARKERS[k],
            "ms": 8,
            "lw": 1.1,
        }
        ends = part.rename(columns={"least": "low", "largest": "high"})
        axes.errorbar(part.order, part.regret, charts.bars(ends, "regret"), ls="none", label=label, **style)
        if kind in ("u", "alpha"):
            for row in part.itertuples():
                # To the left of a mark that has another close on its right.
                left = ((rows.order > row.order) & (rows.order < 2 * row.order) & (rows.kind != row.kind)).any()
                place: charts.Style = {"textcoords": "offset points", "fontsize": 8.5}
                place |= {"xytext": (-7, 4), "ha": "right"} if left else {"xytext": (7, 4)}
                axes.annotate(row.rule, (row.order, row.regret), **place)
    charts.name_axes(axes, "model order", "average regret", log="xy")
    charts.name_ticks(axes.yaxis, (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2))
    axes.legend()


bought = table(bought_rows, digits=3)


@figure(size=(9.0, 3.7))
def steps(canvas: Canvas, palette: Palette, evidence: Evidence) -> None:
    """Time of a round against the round, for every kind of posterior."""
    panels = charts.row_of(canvas, len(POSTERIORS), sharex=True)
    for axes, (posterior, title) in zip(panels, POSTERIORS.items(), strict=True):
        for k, (variant, label) in enumerate(VARIANTS.items()):
            part = step_part(evidence, posterior, variant)
            style = charts.look(palette, k) | ({"color": palette.ink} if variant == DENSE else {})
            axes.plot(part["round"], 1e6 * part.median_seconds, label=label, **style)
            last = part.iloc[-1]
            if last.total_seconds >= PAPER.step_limit:
                axes.plot(last["round"], 1e6 * last.median_seconds, "X", color=style["color"], ms=9, zorder=4)
        charts.name_axes(axes, "round t", title=title, log="xy")
    panels[0].set_ylabel("time of a round, µs")
    panels[-1].plot([], [], "X", color=palette.muted, ms=9, ls="none", label="out of time")
    charts.legend_above(canvas, panels[-1], 4)


def step_table(evidence: Evidence) -> Table:
    """How far every run got, and the time of its rounds."""
    return Table(step_rows(evidence).drop(columns="grown by"), where=evidence.where, digits=3)


# -- three arms --------------------------------------------------------------------------------------------------------


def arm_table() -> Table:
    """The three arms in numbers."""
    rows = arm_rows()
    return Table(rows, where=where_of(rows))


first_rounds = table(first_rows, digits=3)


@figure(size=(8.4, 3.4))
def arm_bounds(canvas: Canvas, palette: Palette, study: ArmRounds) -> None:
    """Why the worst arm is played for ever: its variance beside the threshold, and the upper bounds."""
    rounds, few = np.arange(1, len(study.width) + 1), slice(0, 5)
    left, right = charts.row_of(canvas, 2, sharey=False)
    for arm, value in enumerate(THREE_VALUES):
        style = charts.marked(palette, arm)
        left.plot(
            rounds[few], study.variance[few, arm], **style, label=f"arm {arm + 1}, pays {value:g}".replace("-", "−")
        )
        right.plot(rounds, study.upper[:, arm], **charts.look(palette, arm))
        first = rounds[(study.played == arm)][:3]
        right.plot(first, study.upper[first - 1, arm], MARKERS[arm], color=palette.series[arm], ms=7)
        place: charts.Style = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "fontsize": 8.5}
        right.annotate(f"arm {arm + 1}", (rounds[-1], study.upper[-1, arm]), **place, color=palette.series[arm])
    left.axhline(study.threshold, color=palette.ink, ls="--", lw=1.2)
    place = {"xytext": (0, 4), "textcoords": "offset points", "ha": "right", "fontsize": 8.5}
    left.annotate("threshold", (5, study.threshold), **place)
    charts.name_axes(left, "round t", "variance", "Variance of every arm")
    left.set(ylim=(0.4, 1.05), xticks=rounds[few])
    charts.name_axes(right, "round t", "upper confidence bound", "Largest: played (marks)", log="x")
    right.margins(x=0.12)
    charts.legend_above(canvas, left, 3)


@figure(size=(7.6, 3.4))
def arms(canvas: Canvas, palette: Palette, rows: pd.DataFrame) -> None:
    """Average regret against the budget on three arms."""
    axes = canvas.subplots()
    for k, rounds in enumerate(ARM_ROUNDS):
        label = f"after {significant(rounds)} rounds"
        axes.plot(rows.epsilon, rows[f"{rounds}"], label=label, **charts.marked(palette, k))
    axes.plot(rows.epsilon, rows.epsilon, color=palette.accent, ls=":", label="ε itself")
    charts.name_axes(axes, "budget ε, nats", "average regret", log="y")
    charts.legend_above(canvas, axes, 4)


def limits(study: LimitStudy) -> Table:
    """Average regret on the three arms as the budget falls."""
    words = {"noise variance": "noise variance of the model"} | {
        f"{rounds}": f"average regret, {significant(rounds)} rounds" for rounds in FROZEN_ROUNDS
    }
    return Table(study.arms.rename(columns=words), where=where_of(study), digits=4)
