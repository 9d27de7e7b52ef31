"""Figures and tables of the three questions; all data come from ``studies``."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.papers.wdrbo.claims.printed import TITLE_OF, label
from companion.papers.wdrbo.claims.questions import WANTED
from companion.papers.wdrbo.figures.experiments import LINEAR, intervals, left_out, percent_axis
from companion.papers.wdrbo.problems.general import RADIUS
from companion.papers.wdrbo.studies.paper import Evidence
from companion.papers.wdrbo.studies.robustness import (
    COLUMNS,
    IN_WORDS,
    ROBUST,
    claim_rows,
    coverage_rows,
    data_driven_rows,
    radius_rows,
    region_rows,
    shift_rows,
)
from companion.papers.wdrbo.theory.radii import PRACTICE
from companion.report import Figure, Palette, Table, Where, charts, where_of
from companion.report.figures import MARKERS
from companion.report.text import Sentence


def coverage(evidence: Evidence) -> Figure:
    """How often the ball holds the true law, and distance over radius, against the number of contexts."""
    rows = coverage_rows(evidence)
    groups = {IN_WORDS.get(str(law), str(law)): part for law, part in rows.groupby("law", sort=False)}
    top = float((rows["mean"] / rows.radius).max())

    def draw(canvas: Canvas, palette: Palette) -> None:
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

    ends = "; ".join(f"{name} {part.covered.iloc[-1]:.0%}" for name, part in groups.items())
    return Figure(
        draw,
        alt="Left: share of samples whose ball holds the law they come from, against the number of contexts, for five laws; "
        f"right: mean distance over radius. At the largest number: {ends}.",
        caption="Is the condition of the bounds met? Left: how often the ball of the experiments around a sample holds the "
        f"law that the sample comes from, with 95 % intervals; the dotted line is the {WANTED:.0%} that the bounds suppose. "
        "Right: mean Wasserstein distance of a sample, in radii.",
        size=(8.8, 3.6),
        where=where_of(evidence),
    )


def claims(entries: list[dict[str, Any]], where: Where) -> Table:
    """Every claim about the experiments with its verdict."""
    return Table(
        claim_rows(entries),
        caption="Every claim about the experiments. A claim with several parts holds if all of them do; the page of verdicts "
        "gives the test behind each.",
        where=where,
    )


def _by_problem(axes: Axes, data: pd.DataFrame, problems: list[str], palette: Palette) -> None:
    """WDRBO minus ERBO where nothing shifts."""
    for k, column in enumerate(COLUMNS):
        part = data[data.column == column]
        intervals(axes, part, [problems.index(name) + (k - 1) * 0.24 for name in part.problem], palette, k)
        axes.plot([], [], MARKERS[k], color=palette.series[k], label=COLUMNS[column])
    axes.axvline(0, color=palette.muted, lw=0.9)
    percent_axis(axes, "x", (-100, -30, 0, 30, 100, 1000), 1.2)
    axes.set_yticks(range(len(problems)), [TITLE_OF[name] for name in problems], fontsize=8.5)
    axes.set_ylim(len(problems) - 0.4, -0.6)
    axes.set(xlabel="per cent of ERBO's regret", title="No shift: contexts from their past")
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.09), ncols=3, fontsize=8)


def _along(axes: Axes, part: pd.DataFrame, across: pd.Series, palette: Palette, k: int, name: str) -> None:
    """Differences with their intervals over a parameter; the mark is filled where a difference is shown."""
    look: dict[str, Any] = charts.marked(palette, k, mfc=palette.paper, capsize=2, label=name)
    axes.errorbar(across, part.percent, charts.bars(part, "percent"), **look)
    shown = part.shown != 0
    # Above the hollow marks, which error bars draw later than lines.
    axes.plot(across[shown], part.percent[shown], MARKERS[k], color=palette.series[k], zorder=3)


def _by_shift(axes: Axes, shifts: pd.DataFrame, problem: str, palette: Palette) -> None:
    """The robust rules minus ERBO against the shift, for one reward."""
    for k, method in enumerate(ROBUST):
        part = shifts[(shifts.problem == problem) & (shifts.method == method)].sort_values("shift")
        _along(axes, part, part["shift"] + (k - 0.5) * 0.012, palette, k, label(method))
    axes.axhline(0, color=palette.muted, lw=0.9)
    percent_axis(axes, "y", (-100, 0, 100, 1000), size=7.5)
    axes.set_title(f"{TITLE_OF[problem]}, known shift", fontsize=9)


def robustness(evidence: Evidence) -> Figure:
    """WDRBO against ERBO: without a shift by problem, and with a known shift."""
    data, shifts = data_driven_rows(evidence), shift_rows(evidence)
    moved = list(dict.fromkeys(shifts.problem)) if len(shifts) else []

    def draw(canvas: Canvas, palette: Palette) -> None:
        grid = canvas.add_gridspec(max(len(moved), 1), 2, width_ratios=(1.25, 1))
        _by_problem(canvas.add_subplot(grid[:, 0]), data, list(evidence.problems), palette)
        panels = [canvas.add_subplot(grid[number, 1]) for number in range(len(moved))]
        for axes, problem in zip(panels, moved, strict=True):
            _by_shift(axes, shifts, problem, palette)
        if panels:
            panels[0].legend(fontsize=7, ncols=2)
            panels[-1].set_xlabel("shift of the true law's mean")

    plain = data[data.column == "total"]
    return Figure(
        draw,
        alt="Left: difference of WDRBO to ERBO by problem, for all, the first and the last rounds. Right: differences of "
        "WDRBO and of its exact form to ERBO against the shift of the true law, for three rewards. Without a shift WDRBO is "
        f"shown to be better on {int((plain.shown == -1).sum())} and worse on {int((plain.shown == 1).sum())} of "
        f"{len(plain)} problems; in the general setting the robust rules are better in "
        f"{int((shifts.shown == -1).sum()) if len(shifts) else 0} and worse in "
        f"{int((shifts.shown == 1).sum()) if len(shifts) else 0} of {len(shifts)} cases.",
        caption="Does robustness pay? Regret of the robust rule minus ERBO's, in per cent of ERBO's, paired over seeds with "
        "95 % intervals; below zero robustness pays. Filled marks stand after Holm's correction. Left: the problems of "
        "Figures 2 to 4, text's reading. Right: the learner is told one law, and contexts follow the same law with its mean "
        f"moved by a known shift; the ball has radius {RADIUS:g} throughout. Axes are linear up to {LINEAR} per cent.",
        size=(9.2, 6.0),
        where=where_of(evidence),
    )


def radius(evidence: Evidence) -> Figure | Sentence:
    """WDRBO's regret against the constant of its radius."""
    rows = radius_rows(evidence)
    if rows.empty:
        return left_out("other radii", evidence)
    groups = {TITLE_OF[str(problem)]: part for problem, part in rows.groupby("problem", sort=False)}

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        for k, (name, part) in enumerate(groups.items()):
            _along(axes, part, part.constant * (1.0 + 0.05 * (k - 1)), palette, k, name)
        axes.axhline(0, color=palette.muted, lw=0.9)
        charts.name_axes(axes, r"a, radius $a/\sqrt{n}$", "per cent of ERBO's regret", log="x")
        charts.name_ticks(axes.xaxis, sorted(set(rows.constant)))
        percent_axis(axes, "y", (-100, -30, 0, 30, 100, 1000))
        axes.legend()

    ends = "; ".join(
        f"{name} {part.percent.iloc[0]:+.0f} and {part.percent.iloc[-1]:+.0f}" for name, part in groups.items()
    )
    return Figure(
        draw,
        alt="Difference of WDRBO to ERBO in per cent against the constant of the radius. At the smallest and the largest "
        f"constant: {ends}.",
        caption="Regret against the radius: WDRBO minus ERBO in per cent of ERBO's regret, paired over seeds with 95 % "
        f"intervals, for several constants of the radius; the published experiments take {PRACTICE:g}. Radius zero is ERBO. "
        "Filled marks stand after Holm's correction.",
        size=(7.6, 3.6),
        where=where_of(evidence),
    )


def region(evidence: Evidence) -> Table | Sentence:
    """The Lipschitz constant taken between the seen contexts."""
    rows = region_rows(evidence)
    if rows.empty:
        return left_out("the other region", evidence)
    return Table(
        rows,
        caption="WDRBO with its Lipschitz constant taken between the contexts seen so far, instead of over the whole box of "
        "contexts: cumulative regret beside ERBO's, paired over seeds. Far from all data the surrogate extrapolates, and its "
        "slopes there can rule the penalty.",
        where=where_of(evidence),
        digits=3,
    )
