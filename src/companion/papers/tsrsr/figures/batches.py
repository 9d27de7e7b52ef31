"""Figures on what a batch costs, the initial design and repeated points; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.papers.tsrsr.claims.printed import NAME_OF
from companion.papers.tsrsr.studies.batches import (
    DESIGN_BATCH,
    NOISES,
    BatchStudy,
    DesignStudy,
    ResamplingStudy,
    free_up_to,
)
from companion.papers.tsrsr.studies.duplicates import NOISES as DUPLICATE_NOISES
from companion.papers.tsrsr.studies.duplicates import DuplicateStudy, along_means, common_rows
from companion.report import Figure, Palette, Table, where_of
from companion.report.figures import DASHES, MARKERS


def batch_cost(study: BatchStudy) -> Figure:
    """Regret at a fixed number of evaluations against the batch size, with the bounds."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2)
        for k, noise in enumerate(NOISES):
            part = study.rows[study.rows.noise == noise]
            color = palette.series[k]
            bars = [part.regret - part.low, part.high - part.regret]
            left.errorbar(
                part.m,
                part.regret,
                yerr=bars,
                fmt=MARKERS[k],
                ls=DASHES[k],
                color=color,
                capsize=2,
                label=f"noise {noise:g}",
            )
            left.axvline(free_up_to(study, noise), color=color, lw=0.9, ls=":")
            base = part.regret.iloc[0]
            right.plot(
                part.m, part.regret / base, MARKERS[k], ls=DASHES[k], color=color, label=f"measured, noise {noise:g}"
            )
            for name, dashes in (("theorem 1", "--"), ("sharper form", "-.")):
                ratio = part[name] / part[name].iloc[0]
                right.plot(
                    part.m,
                    ratio,
                    color=palette.accent if k == 0 else palette.muted,
                    ls=dashes,
                    lw=1.2,
                    label=f"{name}, noise {noise:g}",
                )
        for axes in (left, right):
            axes.set(xscale="log", yscale="log", xlabel="batch size m")
            axes.set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
        left.set(ylabel="cumulative regret", title=f"{study.evaluations} evaluations in all")
        right.set(ylabel="times the value at m = 1", title="What m costs, measured and promised")
        left.legend()
        right.legend(fontsize=7.5)

    growth = [float(part.regret.iloc[-1] / part.regret.iloc[0]) for _, part in study.rows.groupby("noise", sort=False)]
    return Figure(
        draw,
        alt="Left: regret against batch size on logarithmic axes for two noise levels, flat at first and then rising ever "
        "more steeply. Right: the same relative to sequential play, with the growth of the two bounds; at the "
        f"largest batch the measured factors are {growth[0]:.1f} and {growth[1]:.1f}.",
        caption=f"What a batch costs: {study.evaluations} evaluations cut into batches of m, mean over {study.runs} functions, "
        "the same for every m, with 95 % intervals. Dotted lines: largest batch up to which no rise "
        "above the regret of single points shows in the paired intervals. Right: regret and bounds, each over its own value "
        "for single points.",
        size=(8.8, 3.7),
        where=where_of(study),
    )


def design(study: DesignStudy) -> Figure:
    """rho after the maximum-variance phase, and regret with phases of different length."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2)
        ratios = study.ratios
        left.plot(ratios.initial, ratios.exact, color=palette.series[0], ls="-", label="exact")
        left.plot(ratios.initial, ratios.sharper, color=palette.series[2], ls="-.", label="sharper form")
        left.plot(ratios.initial, ratios["lemma 11"], color=palette.accent, ls="--", label="Lemma 11")
        left.axhline(np.e, color=palette.muted, ls=":", lw=1)
        left.text(ratios.initial.max(), np.e * 1.04, "e", color=palette.muted, ha="right")
        left.axvline(study.needed, color=palette.muted, ls=":", lw=1)
        left.set(
            ylim=(1, 8),
            xlabel=r"maximum-variance points $T_0$",
            ylabel=r"$\rho_m$",
            title=f"The factor, m = {DESIGN_BATCH}",
        )
        left.legend()
        table = study.regret
        place = np.arange(len(table))
        right.bar(
            place,
            table.design,
            0.62,
            color=palette.series[1],
            hatch="//",
            edgecolor=palette.paper,
            lw=0,
            label="of the phase",
        )
        right.bar(
            place, table.batches, 0.62, bottom=table.design, color=palette.series[0], label="of the batches after it"
        )
        bars = [table.total - table.low, table.high - table.total]
        right.errorbar(place, table.total, yerr=bars, fmt="none", ecolor=palette.ink, capsize=3)
        right.set_xticks(place, [str(int(initial)) for initial in table.initial])
        right.set(
            xlabel=r"maximum-variance points $T_0$",
            ylabel="cumulative regret",
            title=f"{study.evaluations} evaluations in all",
        )
        right.grid(visible=False, axis="x")
        right.legend()

    table = study.regret
    return Figure(
        draw,
        alt="Left: the factor rho falls with the length of the phase; the exact curve is lowest, Lemma 11 far above it at short "
        f"phases. Right: stacked bars of regret, from {table.total.iloc[0]:.0f} without a phase to {table.total.iloc[-1]:.0f} "
        "with the longest; the part of the phase grows faster than the part of the batches shrinks.",
        caption="The initial design of Appendix B. Left: the factor it is there to shrink, exactly and as bounded; the dotted "
        "lines mark e and the length that Corollary 1 asks for. Right: what it costs, at the same number of evaluations in "
        "all and on the same functions.",
        size=(8.6, 3.5),
        where=where_of(study),
    )


def duplicates(study: DuplicateStudy) -> Figure:
    """Distinct points of a batch on common posteriors, and along runs of TS and TS-RSR."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = canvas.subplots(1, 2, width_ratios=(1, 1.25))
        rows = common_rows(study).iloc[::-1].reset_index(drop=True)
        colors = [palette.accent if name == NAME_OF["ts-rsr"] else palette.series[0] for name in rows.rule]
        left.barh(rows.index, rows.distinct, 0.62, color=colors, xerr=rows["distinct ±"], ecolor=palette.ink, capsize=2)
        left.set_yticks(rows.index, list(rows.rule))
        left.set(xlabel="share of distinct points", title="One posterior, all rules", xlim=(0, 1.05))
        left.grid(visible=False, axis="y")
        for k, ((noise, rule), part) in enumerate(along_means(study).groupby(["noise", "rule"], sort=False)):
            right.plot(
                part.batch, part.distinct, color=palette.series[k % 2], ls=DASHES[k // 2], marker=MARKERS[k],
                label=f"{NAME_OF[rule]}, noise {noise:g}",
            )  # fmt: skip
        right.set(xlabel="batch", ylabel="share of distinct points", ylim=(0, 1.05), title="Along each rule's own runs")
        right.legend(ncols=2)

    rows = common_rows(study).set_index("rule").distinct
    return Figure(
        draw,
        alt="Left: bars of the share of distinct points for seven rules on the same posteriors, "
        + ", ".join(f"{name} {share:.2f}" for name, share in rows.items())
        + ". Right: the share along runs falls from one within a few batches, for TS-RSR at high noise sooner than for TS.",
        caption="Repeated points in a batch of ten. Left: all rules choose from the same posteriors, so that only the rule "
        "differs. Right: Thompson sampling and TS-RSR, each on the data that it gathered; what looks like redundancy at "
        f"noise {DUPLICATE_NOISES[0]:g} is mostly a method that has found the maximum.",
        size=(8.8, 3.5),
        where=where_of(study),
    )


def resampling(study: ResamplingStudy) -> Table:
    """Regret with and without resampling."""
    return Table(
        study.rows.rename(columns={"low": "95 % from", "high": "to"}),
        caption="TS-RSR as the theory has it (without) and with the resampling of Appendix C: cumulative regret on the same "
        "functions, the paired difference with its interval, the share of draws accepted, and by how much the sampled regret "
        "exceeds the true one, which Lemma 1 would have equal.",
        where=where_of(study),
        digits=3,
        formats={"noise": "{:g}".format},
    )
