"""Figures of the section "The bound, step by step"; all data come from ``studies.counting``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.batched.problems.hard_class import HALF_HEIGHT
from companion.papers.batched.studies.counting import SUM_CASES, HardClassView
from companion.report import Figure, Palette, Table, where_of
from companion.report.figures import DASHES


def batch_counts(counts: pd.DataFrame) -> Figure:
    """Number of batches against the horizon for each rule, and one rule between the bounds of Proposition 3."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2, sharey=True)
        for k, (a, part) in enumerate(counts.groupby(counts.a.fillna(0.0))):
            label = "orig, rule (5)" if a == 0 else f"a = {a:g}"
            # A small vertical shift keeps lines that coincide visible.
            left.step(part.horizon, part.batches + 0.06 * (k - 2), where="post", label=label, ls=DASHES[k])
        left.set_title("Rules (5) and (6)")
        left.legend(ncols=2, loc="upper left")
        part = counts[counts.a == 0.6]
        holds = part.proviso.astype(bool)
        right.fill_between(
            part.horizon,
            part.lower.astype(float).where(holds),
            part.upper,
            step="post",
            color=palette.accent,
            alpha=0.2,
        )
        right.step(part.horizon, part.upper, where="post", color=palette.accent, ls="--", label="upper bound (19)")
        right.step(
            part.horizon, part.lower.where(holds), where="post", color=palette.accent, ls=":", label="lower bound (20)"
        )
        right.step(part.horizon, part.batches, where="post", color=palette.series[0], ls="-", label="B, counted")
        right.set_title("Rule (6) with a = 0.6 between its bounds")
        right.legend(loc="upper left")
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_xlabel("horizon T")
        left.set_ylabel("number of batches B")
        left.set_ylim(0, 16)

    return Figure(
        draw,
        alt="Step plots of the number of batches against the horizon from 10 to 10^12. Left: six batch-size rules, all "
        "growing by only a few batches over eleven decades, smaller a lower. Right: the count for a = 0.6 stays between "
        "the lower and upper bound of Proposition 3.",
        caption="Number of batches, counted from the rules with exact ceilings. Left: over eleven decades of T every rule "
        "gains a handful of batches; a smaller <i>a</i> needs fewer. Lines are shifted slightly where they coincide. "
        "Right: one rule between the two bounds of Proposition 3; the lower one is drawn where its proviso holds.",
        where=where_of(counts),
    )


def geometric_sums(sums: pd.DataFrame) -> Figure:
    """The exact sum of the U_i against B and the closed-form constant, per case."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, len(SUM_CASES), sharey=True)
        for axes, (a, eta) in zip(panels, SUM_CASES, strict=True):
            part = sums[(sums.a == a) & (sums.eta == eta)]
            axes.plot(part.log2_horizon, part.batches, color=palette.series[1], ls="--", label="B")
            axes.plot(part.log2_horizon, part.ratio, color=palette.series[0], ls="-", label="exact sum")
            axes.axhline(part.constant.iloc[0], color=palette.accent, ls=":", label=r"$2^b/(2^b-1)$")
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlim(10, 1e64)
            axes.set_xticks([1e10, 1e30, 1e50])
            axes.set_title(f"a = {a:g}, η = {eta:g}")
            axes.set_xlabel(r"$\log_2 T$")
        panels[0].set_ylabel("multiple of the last term")
        canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)

    return Figure(
        draw,
        alt="Four panels against log2 T from 10 to 10^64. In each, the exact sum of the terms U_i levels off, at no more "
        f"than {sums.ratio.max():.1f}, the number of batches B grows like a line on the logarithmic axis, and the "
        f"closed-form constant is a horizontal line, between {sums.constant.min():.0f} and {sums.constant.max():.0f}.",
        caption="What replaces the factor B. The exact sum of the terms (solid) is bounded, as the theorem says, and far "
        "below the closed-form constant (dotted) that the proof uses. The factor B (dashed) exceeds that constant only "
        "at astronomical horizons: note that the axis shows log<sub>2</sub> T, itself on a logarithmic scale.",
        size=(8.6, 3.2),
        where=where_of(sums),
    )


def hard_class(view: HardClassView) -> Figure:
    """The lower-bound class in one and in two dimensions."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2, width_ratios=(1.7, 1))
        x = np.linspace(0, 1, 1401)[:, None]
        bumps = view.line
        for m, values in enumerate(bumps.values(x)):
            left.plot(x[:, 0], values / bumps.epsilon, color=palette.series[m % 3], ls=DASHES[m % 3], lw=1.2)
        left.axhline(1, color=palette.accent, lw=1, ls="--")
        for edge in np.arange(bumps.cells + 1) / bumps.cells:
            left.axvline(edge, color=palette.muted, lw=0.5)
        left.set(
            xlabel="x", ylabel="f / ε", title=f"Matérn 3/2, d = 1: {bumps.size} functions", xlim=(0, 1), ylim=(0, 2.15)
        )
        left.grid(visible=False)
        plane = view.plane
        side = np.linspace(0, 1, 141)
        points = np.stack(np.meshgrid(side, side, indexing="ij"), -1).reshape(-1, 2)
        middle = plane.cells * (plane.cells // 2) + plane.cells // 2
        surface = plane.values(points)[middle].reshape(141, 141).T / plane.epsilon
        image = right.imshow(surface, origin="lower", extent=(0, 1, 0, 1), cmap=palette.map, vmin=0, vmax=2)
        right.contour(side, side, surface, levels=[1.0], colors=[palette.accent], linewidths=1.4)
        for edge in np.arange(plane.cells + 1) / plane.cells:
            right.axvline(edge, color="#ffffff", lw=0.4, alpha=0.6)
            right.axhline(edge, color="#ffffff", lw=0.4, alpha=0.6)
        right.set(xlabel=r"$x_1$", ylabel=r"$x_2$", title=f"d = 2: one of {plane.size}", aspect="equal")
        right.grid(visible=False)
        canvas.colorbar(image, ax=right, label="f / ε", shrink=0.85)

    return Figure(
        draw,
        alt=f"Left: {view.line.size} bump functions on the unit interval, one per cell, each above the epsilon line only "
        "inside its own cell. Right: one bump in the unit square as a colour map with the grid of cells; the contour of "
        "epsilon-optimal points lies inside one cell.",
        caption="The functions behind the lower bound, in units of ε. Each exceeds ε (dashed line) only inside its own "
        f"cell (vertical lines), because cells are at least 2ζ = {2 * HALF_HEIGHT:.3f} bump widths wide; outside it is "
        "small but not zero, the leakage that Lemma 6 has to account for. Right: the contour marks the ε-optimal points.",
        size=(8.6, 3.3),
        where=where_of(view),
    )


def hard_class_table(view: HardClassView) -> Table:
    """Measured properties of the classes."""
    return Table(
        view.rows,
        caption="Properties of the class, measured on grids that contain all peaks. The norm on a finite grid is a lower "
        "bound of the norm and may not exceed Ψ; regret outside the own cell must be at least ε; the leakage must stay "
        "below its bound.",
        where=where_of(view),
    )
