"""Figures of one batch, of the bound, and of what a batch, a design and repeated points cost, from the studies beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, Palette, Table, charts, figure, where_of
from companion.pages.figures import DASHES, MARKERS
from companion.pages.tables import significant
from companion.papers.tsrsr.experiments.printed import NAME_OF
from companion.papers.tsrsr.page.batches import (
    DESIGN_BATCH,
    NOISES,
    BatchStudy,
    DesignStudy,
    ResamplingStudy,
    cheap_up_to,
)
from companion.papers.tsrsr.page.bound import BoundStudy
from companion.papers.tsrsr.page.duplicates import DuplicateStudy, along_means, common_rows
from companion.papers.tsrsr.page.multisets import MultisetStudy, failure_study
from companion.papers.tsrsr.page.picture import Picture


@figure(size=(8.2, 4.8))
def one_batch(canvas: Canvas, palette: Palette, picture: Picture) -> None:
    """Posterior with sampled maxima, and the ratio as the batch grows."""
    top, bottom = canvas.subplots(2, 1, sharex=True, height_ratios=(1.3, 1))
    x, mean, sd = picture.x, picture.mean, picture.sd[0]
    charts.band(top, x, mean - 2 * sd, mean + 2 * sd, palette.muted)
    top.plot(x, picture.values, color=palette.muted, ls=":", label="f, unknown")
    top.plot(x, mean, color=palette.ink, ls="-", label="posterior mean, ± 2 sd")
    top.plot(picture.observed, picture.observations, "+", color=palette.ink, ms=9, mew=1.8, label="data")
    lowest = float((mean - 2.2 * sd).min())
    for i, index in enumerate(picture.chosen):
        line, thompson = charts.look(palette, i), x[picture.thompson[i]]
        mark = {"marker": MARKERS[i], "color": palette.series[i], "mec": palette.paper}
        top.axhline(picture.maxima[i], lw=1.1, **line)
        top.plot(x[index], mean[index], ms=8, zorder=5, **mark)
        # To the left of a point that has a neighbour on its right.
        gaps = x[picture.chosen] - x[index]
        crowded = bool(((gaps > 0) & (gaps < 0.04)).any())
        top.annotate(
            str(i + 1),
            (x[index], mean[index]),
            (-13 if crowded else 5, -13),
            textcoords="offset points",
            weight="bold",
        )
        top.plot(thompson, lowest, **mark | {"mec": palette.series[i]}, ms=6, mfc="none", mew=1.5, clip_on=False)
        bottom.plot(x, picture.ratio[i], label=f"choice {i + 1}", **line)
        bottom.plot(x[index], picture.ratio[i, index], ms=8, zorder=5, **mark)
    top.set(ylabel="f", title="What is known")
    left = float(x[picture.thompson].min())
    top.annotate("Thompson sampling ", (left, lowest), (-8, 0), textcoords="offset points", ha="right", va="center")
    top.legend(loc="lower left")
    bottom.set_title("Gap over uncertainty")
    smallest = float(picture.ratio.min())
    bottom.set(yscale="log", ylim=(0.7 * smallest, 60 * smallest), ylabel="ratio Ψ", xlabel="x", xlim=(-0.01, 1.01))
    charts.plain_ticks(bottom.yaxis)


@figure(size=(8.2, 3.6))
def plane(canvas: Canvas, palette: Palette, picture: Picture) -> None:
    """The rule in the plane of standard deviation and mean: from the sampled maximum, the line that falls least."""
    panels = charts.row_of(canvas, 2, sharex=True)
    for i, axes in enumerate(panels):
        sd, mean, maximum, chosen = picture.sd[i], picture.mean, picture.maxima[i], picture.chosen[i]
        right = 1.06 * float(picture.sd[0].max())
        across = np.array([0.0, right])
        axes.plot(sd, mean, ".", color=palette.muted, ms=4, label="candidates")
        axes.plot(0.0, maximum, "D", color=palette.accent, ms=7, clip_on=False, label="sampled maximum")
        axes.plot(across, maximum - picture.ratio[i, chosen] * across, color=palette.series[0], label="smallest ratio")
        axes.plot(sd[chosen], mean[chosen], "o", color=palette.series[0], mec=palette.paper, ms=9, label="chosen")
        if i:
            first = picture.chosen[0]
            axes.annotate(
                "choice 1, now known better",
                (sd[first], mean[first]),
                (0.3, 0.9),
                textcoords="axes fraction",
                arrowprops={"arrowstyle": "-", "color": palette.muted},
            )
        charts.name_axes(axes, "standard deviation", title=f"Choice {i + 1}")
        axes.set_xlim(0.0, right)
    panels[0].set_ylabel("posterior mean")
    charts.legend_above(canvas, panels[0], 4)


# -- the bound ---------------------------------------------------------------------------------------------------------


def multisets(study: MultisetStudy) -> Figure:
    """rho by closed form and by enumeration; Lemma 5 and Theorem 1 on two arms in both readings."""
    arms, failures = study.arms, failure_study()

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, middle, right = charts.row_of(canvas, 3, sharey=False)
        for k, (noise, part) in enumerate(study.ratios.groupby("noise", sort=False)):
            color = palette.series[k]
            across = np.arange(1, int(part.m.max()) + 1)
            closed = [float(part[part.m == m].closed.iloc[0]) for m in across]
            left.plot(across, closed, label=f"closed form, noise {noise:g}", **charts.look(palette, k))
            left.plot(part.m - 0.06, part.multisets, MARKERS[k], color=color, ms=5, mfc="none")
            left.plot(part.m + 0.1, part.sets, "x", color=color, ms=4, alpha=0.7)
        left.plot([], [], "o", color=palette.muted, mfc="none", label="enumerated, multisets")
        left.plot([], [], "x", color=palette.muted, label="enumerated, sets")
        charts.name_axes(left, "m", r"$\rho_m$", "The factor of a batch", log="y")
        left.set_xticks(across)
        left.set_ylim(top=float(study.ratios.closed.max()) * 9)
        left.legend(loc="upper left", fontsize=7.5)
        few = arms[arms.n <= 60]
        for axes, rows, value, name, fails in (
            (middle, few, "sum", "lemma 5", failures.lemma),
            (right, arms, "regret", "theorem 1", failures.theorem),
        ):
            axes.plot(rows.n, rows[value], label="left side", **charts.look(palette, 0))
            for dashes, kind in (("--", "sets"), (":", "multisets")):
                axes.plot(rows.n, rows[f"{name}, {kind}"], color=palette.accent, ls=dashes, label=f"right side, {kind}")
            axes.axvline(fails, color=palette.muted, lw=0.8)
        charts.name_axes(middle, "evaluations n", title="Lemma 5, two arms")
        middle.set_ylim(0, 1.5 * float(few["lemma 5, multisets"].max()))
        charts.name_axes(right, "batch size m", title="Theorem 1, two arms, one batch", log="xy")
        right.set_ylim(top=3e3 * float(arms["theorem 1, multisets"].max()))
        for axes in (middle, right):
            axes.legend(loc="upper left")

    return Figure(
        draw,
        size=(9.4, 3.5),
        where=where_of(study),
    )


@figure(size=(8.6, 3.6))
def bound(canvas: Canvas, palette: Palette, study: BoundStudy) -> None:
    """Measured regret with Theorem 1, the sharper form and the trivial bound over the number of batches."""
    panels = charts.row_of(canvas, len(study.chains))
    for axes, (noise, part) in zip(panels, study.rows.groupby("noise", sort=False), strict=True):
        charts.band(axes, part.batches, part.low, part.high, palette.series[0])
        axes.plot(part.batches, part.regret, "o-", color=palette.series[0], label="measured regret")
        axes.plot(part.batches, part["sharper form"], color=palette.series[2], ls="-.", label="sharper form")
        axes.plot(part.batches, part["theorem 1"], color=palette.accent, ls="--", label="Theorem 1")
        axes.plot(part.batches, part.trivial, color=palette.muted, ls=":", label="trivial bound")
        charts.name_axes(axes, "batches T", title=f"noise {noise:g}", log="xy")
        axes.set_xticks(list(part.batches), [str(t) for t in part.batches])
    panels[0].set_ylabel("cumulative regret")
    charts.legend_above(canvas, panels[0], 4)


#: The values beside the chain: what they are called, their dashes and how high above the panel their labels stand.
_BESIDE = (("trivial", ":", 1.0), ("sharp", "-.", 1.07))


@figure(size=(8.8, 4.0))
def waterfall(canvas: Canvas, palette: Palette, study: BoundStudy, words: Mapping[str, str]) -> None:
    """What each inequality of the proof gives away, with the values at both ends and beside it.

    Parameters
    ----------
    study : with the chains
    words : what a step does, by its name, and what the values beside the chain are called, as the page says it
    """
    chains = {
        f"noise {noise:g}": replace(
            chain, steps=tuple(replace(step, name=words[step.name], statement="") for step in chain)
        )
        for noise, chain in study.chains.items()
    }
    bars = charts.waterfall(chains, ())
    bars(canvas, palette)
    for axes, (title, chain) in zip(canvas.axes, chains.items(), strict=True):
        first, last = (significant(round(chain.steps[k].value)) for k in (0, -1))
        axes.set_title(f"{title}: from {first} to {last}\n\n")
        for name, dashes, height in _BESIDE:
            value = chain.side[name]
            axes.axvline(value, color=palette.muted, ls=dashes, lw=1.3)
            place: charts.Style = {"transform": axes.get_xaxis_transform(), "va": "bottom", "ha": "center"}
            axes.text(value, height, f"{words[name]} {significant(round(value))}", fontsize=8, **place)
    charts.clear_factors(canvas)


def vacuous(rows: pd.DataFrame) -> Table:
    """The twelve columns of the paper's tables and the least that Theorem 1 can be there."""
    return Table(
        rows,
        digits=3,
    )


# -- what a batch, a design and repeated points cost -------------------------------------------------------------------


@figure(size=(9.6, 3.7))
def batch_cost(canvas: Canvas, palette: Palette, study: BatchStudy) -> None:
    """Regret at a fixed number of evaluations against the batch size, with the bounds."""
    left, *others = charts.row_of(canvas, 1 + len(NOISES), sharey=False)
    for k, (noise, right) in enumerate(zip(NOISES, others, strict=True)):
        part, style = study.rows[study.rows.noise == noise], charts.marked(palette, k, ls="-")
        left.errorbar(part.m, part.regret, charts.bars(part, "regret"), capsize=2, label=f"noise {noise:g}", **style)
        left.axvline(cheap_up_to(study, noise), color=palette.series[k], lw=0.9, ls=":")
        if k:
            right.sharey(others[0])
        right.plot(part.m, part.regret / part.regret.iloc[0], label="measured", **style)
        for name, dashes, color in (("theorem 1", "--", palette.accent), ("sharper form", "-.", palette.series[2])):
            label = name.replace("theorem", "Theorem")
            right.plot(part.m, part[name] / part[name].iloc[0], color=color, ls=dashes, label=label)
        charts.name_axes(right, "batch size m", title=f"noise {noise:g}, over single points", log="xy")
    charts.name_axes(left, "batch size m", "cumulative regret", f"{study.evaluations} evaluations in all", log="xy")
    for axes in (left, *others):
        charts.name_ticks(axes.xaxis, (1, 2, 5, 10, 20, 50, 100))
    for axes in (left, others[0]):
        axes.legend()


@figure(size=(8.6, 3.5))
def design(canvas: Canvas, palette: Palette, study: DesignStudy) -> None:
    """rho after the maximum-variance phase, and regret with phases of different length."""
    table = study.regret
    left, right = charts.row_of(canvas, 2, sharey=False)
    ratios, phase = study.ratios, r"maximum-variance points $T_0$"
    left.plot(ratios.initial, ratios.exact, color=palette.series[0], ls="-", label="exact")
    left.plot(ratios.initial, ratios.sharper, color=palette.series[2], ls="-.", label="sharper form")
    left.plot(ratios.initial, ratios["lemma 11"], color=palette.accent, ls="--", label="Lemma 11")
    left.axhline(np.e, color=palette.muted, ls=":", lw=1)
    left.text(ratios.initial.max(), np.e * 1.04, "e", color=palette.muted, ha="right")
    left.axvline(study.needed, color=palette.muted, ls=":", lw=1)
    charts.name_axes(left, phase, r"$\rho_m$", f"The factor, m = {DESIGN_BATCH}")
    left.set_ylim(1, 8)
    left.legend()
    place = np.arange(len(table))
    hatched: charts.Style = {"color": palette.series[1], "hatch": "//", "edgecolor": palette.paper, "lw": 0}
    right.bar(place, table.design, 0.62, label="of the phase", **hatched)
    after = {"bottom": table.design, "color": palette.series[0], "label": "of the batches after it"}
    right.bar(place, table.batches, 0.62, **after)
    right.errorbar(place, table.total, charts.bars(table, "total"), fmt="none", ecolor=palette.ink, capsize=3)
    right.set_xticks(place, [str(int(initial)) for initial in table.initial])
    charts.name_axes(right, phase, "cumulative regret", f"{study.evaluations} evaluations in all")
    right.grid(visible=False, axis="x")
    right.legend()


def resampling(study: ResamplingStudy) -> Table:
    """Regret with and without resampling."""
    return Table(
        study.rows.rename(columns={"low": "95 % from", "high": "to"}),
        where=where_of(study),
        digits=3,
        formats={"noise": "{:g}".format},
    )


@figure(size=(8.8, 3.5))
def duplicates(canvas: Canvas, palette: Palette, study: DuplicateStudy) -> None:
    """Distinct points of a batch on common posteriors, and along runs of TS and TS-RSR."""
    common = common_rows(study)
    left, right = charts.row_of(canvas, 2, width_ratios=(1, 1.25), sharey=False)
    rows = common.iloc[::-1].reset_index(drop=True)
    colors = [palette.accent if name == NAME_OF["ts-rsr"] else palette.series[0] for name in rows.rule]
    left.barh(rows.index, rows.distinct, 0.62, color=colors, xerr=rows["distinct ±"], ecolor=palette.ink, capsize=2)
    left.set_yticks(rows.index, list(rows.rule))
    left.set(xlabel="share of distinct points", title="One posterior, all rules", xlim=(0, 1.05))
    left.grid(visible=False, axis="y")
    for k, ((noise, rule), part) in enumerate(along_means(study).groupby(["noise", "rule"], sort=False)):
        style: charts.Style = {"color": palette.series[k % 2], "ls": DASHES[k // 2], "marker": MARKERS[k]}
        right.plot(part.batch, part.distinct, label=f"{NAME_OF[rule]}, noise {noise:g}", **style)
    right.set(xlabel="batch", ylabel="share of distinct points", ylim=(0, 1.05), title="Along each rule's own runs")
    right.legend(ncols=2)


def single(rows: pd.DataFrame) -> Table:
    """Bounds for single points over the trivial one."""
    return Table(rows, formats={"noise": "{:g}".format, "T": "{:d}".format}, where=where_of(rows))
