"""Figures of the sections "The bound, step by step" and "Bound against measurement"; all data come from the studies beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from companion.bounds.trivial import two_digits
from companion.pages import Palette, Table, charts, figure, where_of
from companion.pages.figures import DASHES, MARKERS
from companion.pages.tables import significant
from companion.papers.batched.experiments.one_run import BoundStudy
from companion.papers.batched.page import bound
from companion.papers.batched.page.bound import FormStudy
from companion.papers.batched.page.confidence import EXPERIMENT_WIDTH, CoverageStudy, ErrorCurves, shown
from companion.papers.batched.page.counting import HardClassView
from companion.papers.batched.page.lower import LowerBoundStudy
from companion.papers.batched.page.rate import RateStudy
from companion.papers.batched.page.robust import METHOD_TITLES, METHODS, PROBLEM_TITLES, RobustStudy
from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.problems import FiniteProblem

# -- batch sizes and the lower-bound class -----------------------------------------------------------------------------


@figure()
def batch_counts(canvas: Canvas, palette: Palette, counts: pd.DataFrame) -> None:
    """Number of batches against the horizon for each rule, and one rule between the bounds of Proposition 3."""
    left, right = charts.row_of(canvas, 2)
    for k, (a, part) in enumerate(counts.groupby(counts.a.fillna(0.0))):
        label = "orig, rule (5)" if a == 0 else f"a = {a:g}"
        # A small vertical shift keeps lines that coincide visible.
        left.step(part.horizon, part.batches + 0.06 * (k - 2), where="post", label=label, ls=DASHES[k])
    left.legend(ncols=2, loc="upper left")
    part = counts[counts.a == 0.6]
    upper, lower = part.upper, part.lower.astype(float).where(part.proviso.astype(bool))
    bound: charts.Style = {"color": palette.accent, "where": "post"}
    right.fill_between(part.horizon, lower, upper, step="post", color=palette.accent, alpha=0.2)
    right.step(part.horizon, upper, ls="--", label="upper bound (19)", **bound)
    right.step(part.horizon, lower, ls=":", label="lower bound (20)", **bound)
    right.step(part.horizon, part.batches, label="B, counted", where="post", **charts.look(palette, 0))
    right.legend(loc="upper left")
    charts.name_axes(left, "horizon T", "number of batches B", "Rules (5) and (6)", log="x")
    charts.name_axes(right, "horizon T", title="Rule (6) with a = 0.6 between its bounds", log="x")
    left.set_ylim(0, 16)


@figure(size=(8.6, 3.3))
def hard_class(canvas: Canvas, palette: Palette, view: HardClassView) -> None:
    """The lower-bound class in one and in two dimensions."""
    left, right = charts.row_of(canvas, 2, width_ratios=(1.7, 1), sharey=False)
    x = np.linspace(0, 1, 1401)[:, None]
    bumps, plane = view.line, view.plane
    for m, values in enumerate(bumps.values(x)):
        left.plot(x[:, 0], values / bumps.epsilon, lw=1.2, **charts.look(palette, m % 3))
    left.axhline(1, color=palette.accent, lw=1, ls="--")
    for edge in np.arange(bumps.cells + 1) / bumps.cells:
        left.axvline(edge, color=palette.muted, lw=0.5)
    charts.name_axes(left, "x", "f / ε", f"Matérn 3/2, d = 1: {bumps.size} functions")
    left.set(xlim=(0, 1), ylim=(0, 2.15))
    side = np.linspace(0, 1, 141)
    points = np.stack(np.meshgrid(side, side, indexing="ij"), -1).reshape(-1, 2)
    middle = plane.cells * (plane.cells // 2) + plane.cells // 2
    surface = plane.values(points)[middle].reshape(141, 141).T / plane.epsilon
    image = right.imshow(surface, origin="lower", extent=(0, 1, 0, 1), cmap=palette.map, vmin=0, vmax=2)
    right.contour(side, side, surface, levels=[1.0], colors=[palette.accent], linewidths=1.4)
    for edge in np.arange(plane.cells + 1) / plane.cells:
        right.axvline(edge, color="#ffffff", lw=0.4, alpha=0.6)
        right.axhline(edge, color="#ffffff", lw=0.4, alpha=0.6)
    charts.name_axes(right, r"$x_1$", r"$x_2$", f"d = 2: one of {plane.size}")
    right.set_aspect("equal")
    for axes in (left, right):
        axes.grid(visible=False)
    canvas.colorbar(image, ax=right, label="f / ε", shrink=0.85)


# -- bounds beside measurements ----------------------------------------------------------------------------------------


@figure(size=(8.6, 3.6))
def coverage(canvas: Canvas, palette: Palette, study: CoverageStudy, curves: ErrorCurves) -> None:
    """Errors over the domain in a few runs, and the distribution of the width that a run needed."""
    part = shown(study)
    left, right = charts.row_of(canvas, 2, sharey=False)
    for k, errors in enumerate(curves.errors):
        left.plot(curves.points, errors, lw=1.1, **charts.look(palette, k % 3, ls="-"))
    for width, words, color, dashes in (
        (curves.width, "theory's width", palette.accent, "--"),
        (EXPERIMENT_WIDTH, "√2", palette.ink, ":"),
    ):
        for end in (width, -width):
            left.axhline(end, color=color, ls=dashes, lw=1.4)
        left.text(0.99, width + 0.1, words, color=color, fontsize=9, ha="right")
    reach = 1.2 * max(curves.width, float(np.abs(curves.errors).max()))
    left.set(xlim=(0, 1), ylim=(-reach, reach))
    charts.name_axes(left, "x", "(f−μ)/σ", "first batch")
    for k, (case, rows) in enumerate(part.groupby("case", sort=False)):
        above = 1 - np.arange(len(rows)) / len(rows)
        right.step(np.sort(rows.needed), above, label=case, **charts.look(palette, k))
    width = part.width.min()
    right.axvline(width, color=palette.accent, ls="--")
    right.axvline(EXPERIMENT_WIDTH, color=palette.ink, ls=":")
    right.text(width - 0.05, 0.5, "theory's", color=palette.accent, rotation=90, ha="right")
    right.text(EXPERIMENT_WIDTH - 0.05, 0.3, "√2", rotation=90, ha="right")
    charts.name_axes(right, "width w", "share of runs that need more than w", "all batches")
    right.set_xlim(1, None)
    right.legend(loc="upper center", bbox_to_anchor=(0.62, 1.0))


@figure(size=(9.0, 4.0))
def waterfall(canvas: Canvas, palette: Palette, study: BoundStudy, words: Sequence[str]) -> None:
    """What each inequality of the proof gives away, with the values at both ends and the trivial bound.

    Parameters
    ----------
    study : with its chains
    words : what each step does, in the order of the chain
    """
    chains = {
        KERNEL_TITLES[kernel]: replace(
            chain,
            steps=tuple(replace(step, name=name, statement="") for step, name in zip(chain, words, strict=True)),
        )
        for kernel, chain in study.chains.items()
    }
    steps = charts.waterfall(chains)
    steps(canvas, palette)
    for axes, (title, chain) in zip(canvas.axes, chains.items(), strict=True):
        first, last = (significant(int(float(f"{chain.steps[k].value:.4g}"))) for k in (0, -1))
        axes.set_title(f"{title}: from {first} to {last}\n")
    charts.clear_factors(canvas)


def break_even(forms: FormStudy) -> Table:
    """The horizons from which the forms of Theorem 1 are informative."""
    names = {"T1a": "the sum over batches", "T1c": "Theorem 1"}
    none = f"none up to {significant(bound.FARTHEST)}"
    formats = dict.fromkeys(names.values(), lambda t: significant(two_digits(t)) if np.isfinite(t) else none)
    rows = forms.first.drop(columns="T1b").rename(columns=names)
    return Table(rows, formats={**formats, "a": "{:g}".format}, where=where_of(forms))


@figure(size=(9.0, 3.6))
def bounds_over_time(canvas: Canvas, palette: Palette, study: RateStudy, forms: FormStudy, a: float = 0.6) -> None:
    """Regret against the horizon on logarithmic axes, with both ends of the proof's last part and the trivial bound."""
    values = forms.rows
    kernels = list(study.runs.kernel.unique())
    panels = charts.row_of(canvas, len(kernels))
    for axes, kernel in zip(panels, kernels, strict=True):
        part = values[(values.kernel == kernel) & (values.a == a) & (values.horizon >= study.runs.horizon.min())]
        axes.plot(part.horizon, part.T1c, color=palette.accent, label="Theorem 1")
        axes.plot(part.horizon, part.T1a, color=palette.series[3], ls="--", label="the sum over batches")
        axes.plot(part.horizon, part.trivial, color=palette.muted, ls=":", label="trivial bound")
        runs, slopes = (rows[rows.kernel == kernel] for rows in (study.runs, study.slopes))
        for k, (rule, rows) in enumerate(runs.groupby("rule", sort=False)):
            axes.plot(rows.horizon * 1.03 ** (k - 1), rows.regret, MARKERS[k], color=palette.series[k], ms=3, alpha=0.5)
            mean = rows.groupby("horizon").regret.mean()
            slope = slopes[slopes.rule == rule].slope.iloc[0]
            axes.plot(mean.index, mean, label=f"BPE, {rule}", **charts.look(palette, k))
            axes.text(
                mean.index[-1] * 1.4,
                mean.iloc[-1] * 0.5**k,
                f"slope {slope:.2f}",
                color=palette.series[k],
                fontsize=9,
            )
        charts.name_axes(axes, "horizon T", title=KERNEL_TITLES[kernel], log="xy")
    panels[0].set_ylabel("cumulative regret")
    charts.legend_above(canvas, panels[0], 6)


@figure(size=(6.0, 3.4))
def lower_bound(canvas: Canvas, palette: Palette, study: LowerBoundStudy) -> None:
    """The explicit bound over the horizon."""
    axes = canvas.subplots()
    for k, (label, part) in enumerate(study.curve.groupby("curve", sort=False)):
        slope = study.slopes[study.slopes.curve == label].iloc[0]
        text = f"{label}: {slope.slope:.2f} ({slope.exponent:.2f})"
        axes.plot(part.horizon, part.value, label=text, **charts.look(palette, k))
    charts.name_axes(axes, "horizon T", "explicit lower bound", log="xy")
    axes.legend(title="slope (exponent of the theorem)", title_fontsize=8.5)


@figure(size=(9.2, 5.6))
def robust(canvas: Canvas, palette: Palette, study: RobustStudy) -> None:
    """The two problems, and cumulative robust regret of the methods."""
    axes = canvas.subplots(2, 3)
    for row, (name, problem) in zip(axes, study.problems.items(), strict=True):
        _draw_problem(row[0], name, problem, palette, canvas)
        for panel, width in zip(row[1:], ("theory", "fixed"), strict=True):
            part = study.curves[(study.curves.problem == name) & (study.curves.width == width)]
            for k, method in enumerate(METHODS):
                wide = part[part.method == method].pivot(index="t", columns="seed", values="regret")
                charts.band(panel, wide.index, wide.min(axis=1), wide.max(axis=1), palette.series[k], 0.18)
                panel.plot(wide.index, wide.mean(axis=1), label=METHOD_TITLES[method], **charts.look(palette, k))
            title = "theory width" if width == "theory" else "width 2"
            charts.name_axes(panel, "evaluations t", title=f"{PROBLEM_TITLES[name]}, {title}")
        row[1].set_ylabel("cumulative robust regret")
    charts.legend_above(canvas, axes[0, 1], 4)


def _draw_problem(axes: Axes, name: str, problem: FiniteProblem, palette: Palette, canvas: Canvas) -> None:
    plain, safe = problem.optimum_index, problem.robust_optimum_index
    if problem.points.shape[1] == 1:
        x = problem.points[:, 0]
        axes.plot(x, problem.values, color=palette.series[0], ls="-")
        axes.plot(x, problem.robust_values, color=palette.series[1], ls="--")
        lowest = int(problem.values.argmin())
        axes.text(x[lowest], problem.values[lowest] + 0.6, "f", color=palette.series[0], ha="center")
        under: charts.Style = {"color": palette.series[1], "ha": "center", "va": "top", "fontsize": 8.5}
        axes.text(x[lowest], problem.values[lowest] - 0.05, "worst neighbour", **under)
        axes.plot(x[plain], problem.values[plain], "o", color=palette.ink, ms=7, mfc="none")
        axes.plot(x[safe], problem.values[safe], "*", color=palette.accent, ms=10)
        axes.set(title=PROBLEM_TITLES[name], xlabel="x", ylim=(problem.values[lowest] - 0.3, None))
        return
    side = round(len(problem.values) ** 0.5)
    image = axes.imshow(problem.values.reshape(side, side).T, origin="lower", extent=(0, 1, 0, 1), cmap=palette.map)
    for index, marker, color in ((plain, "o", "#ffffff"), (safe, "*", "#ff4d7a")):
        axes.plot(*problem.points[index], marker, color=color, ms=10, mfc="none" if marker == "o" else color)
    axes.set(title=PROBLEM_TITLES[name], xlabel=r"$x_1$", ylabel=r"$x_2$", aspect="equal")
    axes.grid(visible=False)
    canvas.colorbar(image, ax=axes, shrink=0.8)
