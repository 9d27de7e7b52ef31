"""Pictures of the idea: three batches, and what a displacement does. All data come from the studies beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.core.arrays import Flags, Floats
from companion.pages import Palette, charts, figure
from companion.papers.batched.method.policy import BatchRecord
from companion.papers.batched.page.example import Batches, Played
from companion.papers.batched.page.robust import RobustView


@figure(size=(9.0, 4.9))
def three_batches(canvas: Canvas, palette: Palette, study: Batches) -> None:
    """Every batch of two runs: band, points, the line that decides, who is eliminated, and what was forgotten."""
    panels = canvas.subplots(2, len(study.fixed.history), sharex=True, sharey=True)
    for row, played in zip(panels, (study.fixed, study.theory), strict=True):
        for batch, axes in enumerate(row):
            _draw_batch(axes, played, batch, palette)
    words = ("width", "theory's width")
    for axes, played, name in zip(panels[:, 0], (study.fixed, study.theory), words, strict=True):
        axes.set_ylabel(f"{name} {played.history[0].width:.3g}", fontsize=10.5)
    low, high = study.fixed.problem.values.min(), study.fixed.problem.values.max()
    reach = high - low
    panels[0, 0].set(xlim=(0, 1), ylim=(low - 0.55 * reach, high + 0.35 * reach))
    _name_parts(panels[0], study.fixed, palette)
    for axes in panels[1]:
        axes.set_xlabel("x")


def _draw_batch(axes: Axes, played: Played, batch: int, palette: Palette) -> None:
    record, problem = played.history[batch], played.problem
    x, (lower, upper) = problem.points[:, 0], played.bounds(batch)
    step = x[1] - x[0]
    charts.band(axes, x, lower, upper, palette.series[0], 0.3)
    axes.plot(x, problem.values, color=palette.ink, lw=1.2, ls="-")
    for before in range(batch):
        axes.plot(
            x[played.history[before].query],
            played.observed[before],
            "o",
            color=palette.muted,
            ms=3,
            mfc="none",
            mew=0.5,
            alpha=0.55,
        )
    axes.plot(x[record.query], played.observed[batch], "o", color=palette.series[0], ms=3.4, mew=0)
    bar = float(np.nanmax(np.where(record.active, lower, np.nan)))
    axes.axhline(bar, color=palette.accent, ls="--", lw=1.3)
    _shade(axes, x, record, palette)
    for first, last in _runs(record.survivors):
        axes.axvspan(x[first] - step / 2, x[last] + step / 2, ymax=0.035, color=palette.series[2], lw=0)
    best = problem.optimum_index
    axes.plot(x[best], problem.values[best], "*", color=palette.accent, ms=9, mec=palette.paper, mew=0.6)
    title = f"Batch {record.number}: {record.size} points, {int(record.survivors.sum())} survive"
    axes.set_title(title, fontsize=9.8)
    axes.grid(visible=False)


def _name_parts(panels: Sequence[Axes], played: Played, palette: Palette) -> None:
    """Words beside what they name, in the first two panels."""
    first, second = panels[:2]
    x, problem = played.problem.points[:, 0], played.problem
    record = played.history[0]
    plate: charts.Style = {"fontsize": 8.5, "va": "center", "transform": first.get_xaxis_transform()}
    gone = max(_runs(~record.survivors), key=lambda run: run[1] - run[0])
    first.text(0.02, 0.95, "eliminated now", color=palette.ink, **plate)
    alive = max(_runs(record.survivors), key=lambda run: run[1] - run[0])
    first.text(x[sum(alive) // 2], 0.075, "alive", ha="center", color=palette.series[2], **plate)
    bar = float(played.bounds(0)[0][record.active].max())
    first.text(0.01, bar, "best lower bound", color=palette.accent, fontsize=8.5, va="bottom")
    worst = int(problem.values.argmin())
    first.annotate(
        "f", (x[worst], problem.values[worst]), xytext=(0, -11), textcoords="offset points", fontsize=10, ha="center"
    )
    place = {**plate, "transform": second.get_xaxis_transform()}
    second.text(0.02, 0.95, "eliminated", color=palette.ink, **place)
    second.text(0.02, 0.88, "before", color=palette.ink, **place)
    old = record.query[int(np.argmin(np.abs(x[record.query] - x[sum(gone) // 2])))]
    seen = played.observed[0][record.query.tolist().index(old)]
    where = (x[old], seen)
    arrow = {"arrowstyle": "-", "color": palette.ink, "lw": 0.6}
    away: charts.Style = {"xytext": (4, -38), "textcoords": "offset points", "fontsize": 8.5, "arrowprops": arrow}
    second.annotate("forgotten", where, color=palette.ink, **away)


def _shade(axes: Axes, x: Floats, record: BatchRecord, palette: Palette) -> None:
    """Plain where candidates are eliminated now, hatched where they were before."""
    step = x[1] - x[0]
    for which, hatch in ((~record.active, "////"), (record.active & ~record.survivors, "")):
        for first, last in _runs(which):
            place = (x[first] - step / 2, x[last] + step / 2)
            axes.axvspan(*place, lw=0, fc=(palette.muted, 0.2), ec=(palette.muted, 0.5), hatch=hatch)


def _runs(which: Flags) -> list[tuple[int, int]]:
    """First and last index of every stretch of marked points."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], which.astype(int), [0]])))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


#: Boxes of the picture of dependence: place, words, and index of their colour in the palette; none for what is drawn in ink.
_BOXES: dict[str, tuple[tuple[float, float], str, int | None]] = {
    "points 1": ((0.09, 0.72), "points\nof batch 1", 0),
    "noise 1": ((0.09, 0.2), "noise\nof batch 1", 1),
    "values 1": ((0.29, 0.46), "values\nof batch 1", None),
    "survivors": ((0.48, 0.72), "survivors", 2),
    "points 2": ((0.67, 0.72), "points\nof batch 2", 0),
    "noise 2": ((0.67, 0.2), "noise\nof batch 2", 1),
    "posterior 2": ((0.88, 0.46), "posterior\nof batch 2", None),
}
#: The way of the first batch's noise to the next points, and the other arrows.
_WAY = (("noise 1", "values 1"), ("values 1", "survivors"), ("survivors", "points 2"))
_OTHERS = (("points 1", "values 1"), ("points 2", "posterior 2"), ("noise 2", "posterior 2"))


@figure(size=(8.6, 2.6))
def dependence(canvas: Canvas, palette: Palette) -> None:
    """What depends on what from one batch to the next, and the arrow that forgetting cuts."""
    axes = canvas.subplots()
    axes.set(xlim=(0, 1), ylim=(0.08, 0.84))
    axes.axis("off")
    boxes = {}
    for name, (place, words, color) in _BOXES.items():
        edge = palette.ink if color is None else palette.series[color]
        box: charts.Style = {"boxstyle": "round,pad=0.5", "facecolor": palette.paper, "edgecolor": edge, "lw": 1.6}
        boxes[name] = axes.text(*place, words, ha="center", va="center", fontsize=10, color=palette.ink, bbox=box)
    arrow: charts.Style = {"arrowstyle": "-|>", "color": palette.ink, "lw": 1.3, "shrinkA": 0, "shrinkB": 2}
    way, cut = (arrow | {"color": color, "lw": 2} for color in (palette.series[1], palette.accent))
    kinds = ((_WAY, way), (_OTHERS, arrow), ((("values 1", "posterior 2"),), cut | {"ls": "--"}))
    for start, end, style in ((*pair, style) for pairs, style in kinds for pair in pairs):
        ends = {"patchA": boxes[start].get_bbox_patch(), "patchB": boxes[end].get_bbox_patch()}
        axes.annotate("", _BOXES[end][0], _BOXES[start][0], arrowprops=style | ends)
    axes.plot(0.48, 0.46, "X", color=palette.accent, ms=15, mec=palette.paper)
    axes.text(
        0.48, 0.34, "BPE cuts this arrow:\nold data are forgotten", ha="center", va="center", color=palette.accent
    )


@figure(size=(9.0, 4.0))
def neighbourhood(canvas: Canvas, palette: Palette, study: RobustView) -> None:
    """Ordinary and robust maximiser with what may be reached from them, and one elimination of a run."""
    left, right = charts.row_of(canvas, 2, width_ratios=(1, 1.15))
    _draw_reach(left, study, palette)
    _draw_robust_batch(right, study, palette)
    left.set_ylabel("value")
    for axes in (left, right):
        axes.set(xlim=(0, 1), xlabel="x")
        axes.grid(visible=False)


def _draw_reach(axes: Axes, study: RobustView, palette: Palette) -> None:
    problem, x = study.played.problem, study.played.problem.points[:, 0]
    axes.plot(x, problem.values, color=palette.ink, ls="-", lw=1.4)
    axes.plot(x, problem.robust_values, color=palette.series[1], ls="--", lw=1.4)
    places = (
        (problem.optimum_index, "o", "ordinary\nmaximiser"),
        (problem.robust_optimum_index, "*", "robust\nmaximiser"),
    )
    for index, marker, words in places:
        members = problem.neighbourhood.members(index)
        axes.axvspan(x[members[0]], x[members[-1]], color=palette.series[0], alpha=0.2, lw=0)
        worst = problem.robust_values[index]
        style: charts.Style = {"color": palette.accent, "ms": 11 if marker == "*" else 8, "ls": "none"}
        axes.plot(x[index], problem.values[index], marker, **style)
        axes.plot(x[index], worst, "_", color=palette.accent, ms=16, mew=2.2)
        axes.annotate(
            "",
            (x[index], worst),
            (x[index], problem.values[index]),
            arrowprops={"arrowstyle": "->", "color": palette.accent},
        )
        axes.text(x[index], 1.06, words, ha="center", va="bottom", fontsize=9, color=palette.ink)
        axes.text(x[members[-1]] + 0.012, worst, f"{worst:.2f}", va="center", fontsize=9, color=palette.accent)
    lowest = int(problem.values.argmin())
    axes.text(x[lowest] + 0.03, problem.values[lowest] + 0.3, "f", fontsize=11, ha="left")
    label: charts.Style = {"color": palette.series[1], "fontsize": 9, "ha": "center", "va": "top"}
    axes.text(x[lowest], problem.robust_values[lowest] - 0.05, "worst value within reach", **label)
    axes.set_ylim(problem.values[lowest] - 0.25, 1.3)


def _draw_robust_batch(axes: Axes, study: RobustView, palette: Palette) -> None:
    played, batch = study.played, study.batch
    record, problem, x = played.history[batch], played.problem, played.problem.points[:, 0]
    lower, upper = played.bounds(batch)
    charts.band(axes, x, lower, upper, palette.series[0], 0.25)
    axes.plot(x, problem.values, color=palette.ink, lw=1.1, ls="-")
    axes.plot(x[record.query], played.observed[batch], "o", color=palette.series[0], ms=2.2, mew=0, alpha=0.5)
    alive = record.active
    worst_upper, worst_lower = (
        np.where(alive, problem.neighbourhood.minimum(np.nan_to_num(end, nan=np.inf)), np.nan) for end in (upper, lower)
    )
    axes.plot(x, worst_upper, color=palette.series[1], ls="--", lw=1.8)
    axes.plot(x, worst_lower, color=palette.series[3], ls=":", lw=1.8)
    bar = float(np.nanmax(worst_lower))
    axes.axhline(bar, color=palette.accent, ls="--", lw=1.2)
    _shade(axes, x, record, palette)
    step = x[1] - x[0]
    for first, last in _runs(record.survivors):
        axes.axvspan(x[first] - step / 2, x[last] + step / 2, ymax=0.03, color=palette.series[2], lw=0)
    edge = _runs(alive)[0][1]
    for end, color, words in ((worst_upper, 1, "worst upper bound"), (worst_lower, 3, "worst lower bound")):
        axes.text(x[edge] + 0.065, end[edge], words, color=palette.series[color], fontsize=8.5, va="center")
    axes.text(x[edge] + 0.065, bar + 0.03, "the best", color=palette.accent, fontsize=9)
    safe = problem.robust_optimum_index
    axes.plot(x[safe], problem.values[safe], "*", color=palette.accent, ms=11)
    axes.set_title(f"Batch {record.number}: {record.size} points, {int(record.survivors.sum())} survive")
