"""Figures of the section "Bound against measurement"; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator

from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.papers.batched.studies.bound import BoundStudy
from companion.papers.batched.studies.confidence import EXPERIMENT_WIDTH, CoverageStudy, shown
from companion.papers.batched.studies.lower import LowerBoundStudy, class_means
from companion.papers.batched.studies.rate import RateStudy
from companion.papers.batched.studies.robust import ARMS, METHODS, NOISE, AppendixCStudy, RobustStudy, robust_rows
from companion.problems import FiniteProblem
from companion.report import Figure, Palette, Table, where_of
from companion.report.figures import DASHES, MARKERS


def coverage(study: CoverageStudy) -> Figure:
    """Failure share against delta, and the distribution of the width a run needed."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2)
        deltas = np.sort(study.failures.delta.unique())
        left.plot(deltas, deltas, color=palette.accent, ls="--", label="allowed: δ")
        for k, (case, part) in enumerate(study.failures.groupby("case", sort=False)):
            share = part.failures / part.runs
            shifted = part.delta * 1.05 ** (k - 1.5)
            bars = [share - part.low, part.high - share]
            left.errorbar(shifted, share, yerr=bars, fmt=MARKERS[k], color=palette.series[k], capsize=2, label=case)
        left.set(xscale="log", xlabel="δ", ylabel="share of runs with a failure", title="Failures of Proposition 1")
        left.set_xticks(deltas, [f"{d:g}" for d in deltas])
        left.set_ylim(bottom=-0.01)
        left.legend()
        for k, (case, part) in enumerate(shown(study).groupby("case", sort=False)):
            ordered = np.sort(part.needed)
            above = 1 - np.arange(len(ordered)) / len(ordered)
            right.step(ordered, above, color=palette.series[k], ls=DASHES[k], label=case)
        right.axvline(shown(study).width.min(), color=palette.accent, ls="--")
        right.axvline(EXPERIMENT_WIDTH, color=palette.muted, ls=":")
        right.text(
            shown(study).width.min() - 0.05, 0.5, "theory, δ = 0.1", color=palette.accent, rotation=90, ha="right"
        )
        right.text(EXPERIMENT_WIDTH + 0.05, 0.3, "experiments: √2", color=palette.muted, rotation=90)
        right.set(
            xlabel="width w", ylabel="share of runs that need more than w", title="Width a run needs", xlim=(1, None)
        )

    part, share = shown(study), float((study.failures.failures / study.failures.runs).max())
    return Figure(
        draw,
        alt=f"Left: share of runs with a failed confidence bound, at most {share:.1%} at any delta, against the diagonal of "
        f"what is allowed. Right: survival curves of the width a run needs, falling from one at {part.needed.min():.2f} to "
        f"zero at {part.needed.max():.2f}; lines mark the theory's width at {part.width.min():.2f} and that of the "
        f"experiments at {EXPERIMENT_WIDTH:.2f}.",
        caption="Confidence bounds on random functions of known norm. Left: failures with exact 95 % intervals against the "
        "allowed share. Right: how many runs would need more than a given width. A width is safe when hardly any run needs "
        "more: compare the theory's (dashed) with the fixed one of the paper's experiments (dotted).",
        size=(8.6, 3.4),
        where=where_of(study),
    )


def per_batch(study: BoundStudy) -> Figure:
    """Measured regret of each batch beside Proposition 2 and the trivial bound."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, len(study.chains), sharey=True)
        for axes, (kernel, rows) in zip(panels, study.batches.groupby("kernel", sort=False), strict=True):
            place = np.arange(len(rows))
            series = (
                ("measured", "measured regret", palette.series[0], ""),
                ("trivial", "trivial bound 2ΨN", palette.muted, "//"),
                ("realised", "Prop. 2, realised gain", palette.series[1], ".."),
                ("certified", "Prop. 2, certified γ", palette.accent, "xx"),
            )
            for k, (column, label, color, hatch) in enumerate(series):
                axes.bar(
                    place + 0.2 * (k - 1.5),
                    rows[column],
                    0.19,
                    color=color,
                    hatch=hatch,
                    edgecolor=palette.paper,
                    label=label,
                    lw=0,
                )
            axes.set_yscale("log")
            axes.set_xticks(place, [f"{b}\nN = {n}" for b, n in zip(rows.batch, rows["size"], strict=True)])
            axes.set(title=KERNEL_TITLES[kernel], xlabel="batch")
            axes.grid(visible=False, axis="x")
        panels[0].set_ylabel("regret of the batch")
        canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)

    times, trivial = (study.batches[column] / study.batches.measured for column in ("realised", "trivial"))
    return Figure(
        draw,
        alt="Grouped bars on a logarithmic axis for every batch and two kernels: the bound of Proposition 2 is "
        f"{times.min():.0f} to {times.max():.0f} times the measured regret, the trivial bound {trivial.min():.1f} to "
        f"{trivial.max():.1f} times.",
        caption=f"One run at T = {study.horizon} with the theory width, batch by batch. {_proposition_2(study)}",
        size=(8.6, 3.6),
        where=where_of(study),
    )


def _proposition_2(study: BoundStudy) -> str:
    """Whether the bound held in every batch, and whether it said more than the trivial one in any."""
    rows = study.batches
    holds = "holds in every batch" if bool((rows.measured <= rows.realised).all()) else "fails in at least one batch"
    if bool((rows.realised > rows.trivial).all()):
        return (
            f"Proposition 2 {holds}, and lies above the trivial bound: at this horizon it says less than |f| ≤ Ψ does."
        )
    return f"Proposition 2 {holds}; where it lies below the trivial bound, it says more than |f| ≤ Ψ does."


def waterfall(study: BoundStudy) -> Figure:
    """What each inequality of the proof gives away."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, len(study.chains), sharex=True, sharey=True)
        for axes, (kernel, chain) in zip(panels, study.chains.items(), strict=True):
            values = np.array([step.value for step in chain])
            for k, (step, value) in enumerate(zip(chain, values, strict=True)):
                start = values[k - 1] if k else 1.0
                color = palette.series[0] if k == 0 else palette.series[1] if k < len(values) - 1 else palette.accent
                axes.barh(k, value - start, left=start, color=color, height=0.62)
                text = f"{value:.3g}" if k == 0 else f"× {value / values[k - 1]:.1f}"
                axes.text(value * 1.15, k, text, va="center", fontsize=8.5)
                if step.statement:
                    axes.text(
                        start * 0.9, k, step.statement, va="center", ha="right", fontsize=7.5, color=palette.muted
                    )
            axes.axvline(chain.side["trivial"], color=palette.muted, ls=":", lw=1.3)
            axes.text(chain.side["trivial"] * 1.1, 0, "2ΨT", color=palette.muted, va="center", fontsize=8.5)
            axes.set(
                xscale="log",
                title=f"{KERNEL_TITLES[kernel]}: {chain.slack:,.0f} times in all".replace(",", " "),
                xlabel="regret",
            )
            axes.set_xlim(30, values.max() * 6)
            axes.grid(visible=False, axis="y")
        panels[0].set_yticks(range(len(values)), [step.name for step in chain])
        panels[0].invert_yaxis()

    return Figure(
        draw,
        alt="Waterfall charts for two kernels on a logarithmic axis, from the measured regret down to the closed form of "
        "Theorem 1. The largest factors are the information-gain step and the two last steps that express the sum in "
        "closed form.",
        caption="The proof of Theorem 1 evaluated on one run, inequality by inequality: each bar starts where the previous "
        "value ended, the number is the factor it gives away, and small labels name the statement. The dotted line is the "
        "trivial bound.",
        size=(8.8, 3.8),
        where=where_of(study),
    )


def rate(study: RateStudy) -> Figure:
    """Regret against the horizon on logarithmic axes, with the bound's slope."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        kernels = list(study.runs.kernel.unique())
        panels = canvas.subplots(1, len(kernels), sharey=True)
        for axes, kernel in zip(panels, kernels, strict=True):
            for k, (rule, part) in enumerate(study.runs[study.runs.kernel == kernel].groupby("rule", sort=False)):
                axes.plot(
                    part.horizon * 1.02 ** (k - 1), part.regret, MARKERS[k], color=palette.series[k], ms=3, alpha=0.5
                )
                mean = part.groupby("horizon").regret.mean()
                slope = study.slopes[(study.slopes.kernel == kernel) & (study.slopes.rule == rule)].iloc[0]
                label = f"{rule}: slope {slope.slope:.2f}"
                axes.plot(mean.index, mean, color=palette.series[k], ls=DASHES[k], marker=MARKERS[k], label=label)
            certified = study.gains[study.gains.kernel == kernel]
            shape = np.sqrt(certified.horizon * certified.upper)
            anchor = study.runs[study.runs.kernel == kernel].groupby("horizon").regret.max().iloc[0] / shape.iloc[0]
            label = f"√(Tγ), rescaled: slope {study.slopes[study.slopes.kernel == kernel].bound.iloc[0]:.2f}"
            axes.plot(certified.horizon, 1.6 * anchor * shape, color=palette.accent, ls=":", label=label)
            axes.set(xscale="log", yscale="log", xlabel="horizon T", title=KERNEL_TITLES[kernel])
            _plain_ticks(axes, sorted(study.runs.horizon.unique()))
            axes.legend()
        panels[0].set_ylabel("cumulative regret")

    return Figure(
        draw,
        alt="Log-log plots of cumulative regret against the horizon for two kernels and three batch-size rules; the lines "
        "are nearly straight and nearly parallel to the rescaled bound.",
        caption="Regret exponent. Points are single functions, lines their means; the dotted line has the shape of "
        "√(Tγ<sub>T</sub>) with the certified upper end of γ, moved to the data: lines that run parallel to it, or "
        "flatter, agree with the theory.",
        size=(8.6, 3.7),
        where=where_of(study),
    )


def _plain_ticks(axes: Axes, horizons: list[int]) -> None:
    """Ticks at the horizons, and at 1, 2 and 5 times powers of ten of the regret, written out."""
    axes.set_xticks(horizons, [str(h) for h in horizons])
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")


def lower_bound(study: LowerBoundStudy) -> Figure:
    """The explicit bound over the horizon, and measured class means."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2)
        for k, (label, part) in enumerate(study.curve.groupby("curve", sort=False)):
            slope = study.slopes[study.slopes.curve == label].iloc[0]
            text = f"{label}: {slope.slope:.2f} ({slope.exponent:.2f})"
            left.plot(part.horizon, part.value, color=palette.series[k], ls=DASHES[k], label=text)
        left.set(
            xscale="log",
            yscale="log",
            xlabel="horizon T",
            ylabel="explicit lower bound",
            title="Theorem 2 with its constants",
        )
        left.legend(title="slope (exponent of the theorem)", title_fontsize=8.5)
        means = class_means(study)
        for k, (method, row) in enumerate(means.iterrows()):
            right.plot(
                row.index + 0.05 * (k - 1),
                row,
                color=palette.series[k],
                ls=DASHES[k],
                marker=MARKERS[k],
                label=str(method),
            )
        right.axhline(study.value, color=palette.accent, ls="--", label="explicit bound on the worst")
        right.set(
            yscale="log",
            xlabel="class i",
            ylabel="mean regret over the class",
            title=f"Three players at T = {study.horizon}",
        )
        right.set_xticks(list(means.columns))
        right.legend()

    return Figure(
        draw,
        alt="Left: four straight lines on logarithmic axes, the explicit lower bound for two kernels and two or three batches. "
        "Right: mean regret of three players on each of three classes, all far above the horizontal line of the bound.",
        caption="Lower bound. Left: explicit value of Theorem 2; its slopes agree with the theorem's exponents up to "
        "logarithms. Right: the largest class mean of every player must lie above the bound, "
        "that of the player with adaptive batches included.",
        size=(8.6, 3.6),
        where=where_of(study),
    )


_METHOD_LABELS = {
    "robust-bpe": "robust-BPE",
    "robust-bpe-refined": "robust-BPE, refined (repaired)",
    "stableopt": "StableOpt",
    "bpe": "BPE",
}


def robust(study: RobustStudy) -> Figure:
    """The two problems, and cumulative robust regret of the methods."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots(2, 3)
        for row, (name, problem) in zip(axes, study.problems.items(), strict=True):
            _draw_problem(row[0], name, problem, palette, canvas)
            for panel, width in zip(row[1:], ("theory", "fixed"), strict=True):
                part = study.curves[(study.curves.problem == name) & (study.curves.width == width)]
                for k, method in enumerate(METHODS):
                    wide = part[part.method == method].pivot(index="t", columns="seed", values="regret")
                    panel.fill_between(
                        wide.index, wide.min(axis=1), wide.max(axis=1), color=palette.series[k], alpha=0.18, lw=0
                    )
                    panel.plot(
                        wide.index,
                        wide.mean(axis=1),
                        color=palette.series[k],
                        ls=DASHES[k],
                        label=_METHOD_LABELS[method],
                    )
                panel.set(
                    title=f"{name}, " + ("theory width" if width == "theory" else "width 2"), xlabel="evaluations t"
                )
            row[1].set_ylabel("cumulative robust regret")
        canvas.legend(*axes[0, 1].get_legend_handles_labels(), loc="outside upper center", ncols=4)

    return Figure(
        draw,
        alt="Two rows: a function in one dimension and one in two dimensions with ordinary and robust optimum marked apart, and "
        "beside each two panels of cumulative robust regret. Plain BPE keeps growing, robust-BPE flattens with the narrower "
        "width, StableOpt is lowest throughout.",
        caption="Robust regret. Left: the problems, with the ordinary optimum (circle) and the robust one (star). Right: "
        "cumulative robust regret, mean and range over seeds. Robust-BPE flattens once its bounds are narrow enough to "
        "eliminate; plain BPE settles on a point that an adversary can spoil; StableOpt, which is sequential, learns fastest.",
        size=(9.2, 5.6),
        where=where_of(study),
    )


def _draw_problem(axes: Axes, name: str, problem: FiniteProblem, palette: Palette, canvas: Canvas) -> None:
    plain, safe = problem.optimum_index, problem.robust_optimum_index
    if problem.points.shape[1] == 1:
        x = problem.points[:, 0]
        axes.plot(x, problem.values, color=palette.series[0], ls="-", label="f")
        axes.plot(x, problem.robust_values, color=palette.series[1], ls="--", label="worst neighbour")
        axes.plot(x[plain], problem.values[plain], "o", color=palette.ink, ms=7, mfc="none")
        axes.plot(x[safe], problem.values[safe], "*", color=palette.accent, ms=10)
        axes.set(title=name, xlabel="x")
        axes.legend(loc="lower left")
        return
    side = round(len(problem.values) ** 0.5)
    image = axes.imshow(problem.values.reshape(side, side).T, origin="lower", extent=(0, 1, 0, 1), cmap=palette.map)
    for index, marker, color in ((plain, "o", "#ffffff"), (safe, "*", "#ff4d7a")):
        axes.plot(*problem.points[index], marker, color=color, ms=10, mfc="none" if marker == "o" else color)
    axes.set(title=name, xlabel=r"$x_1$", ylabel=r"$x_2$", aspect="equal")
    axes.grid(visible=False)
    canvas.colorbar(image, ax=axes, shrink=0.8)


def robust_table(study: RobustStudy) -> Table:
    """Means at the end of the runs."""
    return Table(
        robust_rows(study),
        caption=f"Robust regret at T = {study.horizon}, means over seeds: summed over all evaluations (cumulative), and of the "
        "point that the method recommends at the end (final); with the width of each method's theory, and with a fixed width "
        "of 2.",
        where=where_of(study),
    )


def appendix_c(study: AppendixCStudy) -> Table:
    """The counterexample, batch by batch, for the first seed."""
    counts = "; ".join(f"{row.iloc[0]}: {row.iloc[2]} of {row.iloc[1]} runs" for _, row in study.violations.iterrows())
    return Table(
        study.batches,
        caption="Three independent arms with values {:g}, {:g} and {:g}, where the first two are each other's neighbours and "
        "noise has standard deviation {:g}. With the refinement as printed, the second batch never samples arm 1, and arm 2, the "
        "worst, survives although Lemma 10 allows less regret than it has. ".format(*ARMS, NOISE)
        + f" Runs with valid confidence bounds in which Lemma 10 was violated: {counts}.",
        where=where_of(study),
    )
