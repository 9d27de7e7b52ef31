"""Figures of the sections on the bound; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.tsrsr.studies.batches import instance_in_words
from companion.papers.tsrsr.studies.bound import PER_OCTAVE, RANGE_DRAWS, BoundStudy, start_in_words
from companion.papers.tsrsr.studies.multisets import MultisetStudy, first_failures
from companion.report import Figure, Palette, Table, where_of
from companion.report.figures import DASHES, MARKERS


def multisets(study: MultisetStudy) -> Figure:
    """rho by closed form and by enumeration; Lemma 5 and Theorem 1 on two arms in both readings."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, middle, right = canvas.subplots(1, 3)
        for k, (noise, part) in enumerate(study.ratios.groupby("noise", sort=False)):
            color = palette.series[k]
            across = np.arange(1, int(part.m.max()) + 1)
            closed = [float(part[part.m == m].closed.iloc[0]) for m in across]
            left.plot(across, closed, color=color, ls=DASHES[k], label=f"closed form, noise {noise:g}")
            left.plot(part.m - 0.06, part.multisets, MARKERS[k], color=color, ms=5, mfc="none")
            left.plot(part.m + 0.1, part.sets, "x", color=color, ms=4, alpha=0.7)
        left.plot([], [], "o", color=palette.muted, mfc="none", label="enumerated, multisets")
        left.plot([], [], "x", color=palette.muted, label="enumerated, sets")
        left.set(yscale="log", xlabel="m", ylabel=r"$\rho_m$", title="The factor of a batch")
        left.set_xticks(across)
        left.set_ylim(top=float(study.ratios.closed.max()) * 9)
        left.legend(loc="upper left", fontsize=7.5)
        arms = study.arms
        for axes, value, name, cut in ((middle, "sum", "lemma 5", 60), (right, "regret", "theorem 1", None)):
            shown = arms if cut is None else arms[arms.n <= cut]
            axes.plot(shown.n, shown[value], color=palette.series[0], ls="-", label="left side")
            axes.plot(shown.n, shown[f"{name}, sets"], color=palette.accent, ls="--", label="right side, sets")
            axes.plot(shown.n, shown[f"{name}, multisets"], color=palette.accent, ls=":", label="right side, multisets")
        lemma, theorem = first_failures()
        middle.axvline(lemma, color=palette.muted, lw=0.8)
        right.axvline(theorem, color=palette.muted, lw=0.8)
        middle.set(xlabel="evaluations n", title="Lemma 5, two arms")
        middle.set_ylim(0, 1.5 * float(arms[arms.n <= 60]["lemma 5, multisets"].max()))
        middle.legend(loc="upper left")
        right.set(xscale="log", yscale="log", xlabel="batch size m", title="Theorem 1, two arms, one batch")
        right.set_ylim(top=3e3 * float(arms["theorem 1, multisets"].max()))
        right.legend(loc="upper left")

    lemma, theorem = first_failures()
    return Figure(
        draw,
        alt="Left: the factor rho against the batch size for three noise levels; open markers of the enumeration lie on the "
        "lines of the closed form, crosses for sets fall below. Middle: the sum of variances exceeds the set bound from n = "
        f"{lemma} on and stays below the multiset bound. Right: regret crosses the set bound at a batch of {theorem} and stays "
        "below the multiset bound.",
        caption="Sets against multisets. Left: the closed form of ρ is met by enumeration when a point may be repeated (open "
        "markers), and not when it may not (crosses; both are shifted sideways to be seen). Middle and right: two independent "
        "arms with unit noise variance; where the solid line is above the dashed one, the statement as printed is false. "
        "Vertical lines: the first n and the first m at which it is.",
        size=(9.4, 3.5),
        where=where_of(study),
    )


def bound(study: BoundStudy) -> Figure:
    """Measured regret with Theorem 1, the sharper form and the trivial bound over the number of batches."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, len(study.chains), sharey=True, squeeze=False)[0]
        for axes, (noise, part) in zip(panels, study.rows.groupby("noise", sort=False), strict=True):
            axes.fill_between(part.batches, part.low, part.high, color=palette.series[0], alpha=0.25, lw=0)
            axes.plot(part.batches, part.regret, "o-", color=palette.series[0], label="measured regret")
            axes.plot(part.batches, part["sharper form"], color=palette.series[2], ls="-.", label="sharper form")
            axes.plot(part.batches, part["theorem 1"], color=palette.accent, ls="--", label="Theorem 1")
            axes.plot(part.batches, part.trivial, color=palette.muted, ls=":", label="trivial bound")
            axes.set(xscale="log", yscale="log", xlabel="batches T", title=f"noise {noise:g}")
            axes.set_xticks(list(part.batches), [str(t) for t in part.batches])
        panels[0].set_ylabel("cumulative regret")
        canvas.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)

    times = study.rows["theorem 1"] / study.rows.regret
    return Figure(
        draw,
        alt="Two panels on logarithmic axes, for two noise levels: measured regret grows slowly with the number of batches; "
        f"Theorem 1 lies {times.min():.0f} to {times.max():.0f} times above it, the sharper form between the two, and the "
        "trivial bound is a straight line of slope one.",
        caption=f"Mean cumulative regret of TS-RSR over {study.runs} functions ({instance_in_words()}), batches of "
        f"{study.batch}, with its 95 % interval, beside the bounds with all their constants. A bound above the dotted line "
        "says less than: every evaluation costs at most the range of the function. The mean range is measured on "
        f"{RANGE_DRAWS:,} functions of their own.",
        size=(8.6, 3.6),
        where=where_of(study),
    )


def waterfall(study: BoundStudy) -> Figure:
    """What each inequality of the proof gives away."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, len(study.chains), sharex=True, sharey=True, squeeze=False)[0]
        top = max(chain.steps[-1].value for chain in study.chains.values())
        least = min(chain.steps[0].value for chain in study.chains.values())
        for axes, (noise, chain) in zip(panels, study.chains.items(), strict=True):
            values = [step.value for step in chain]
            for k, (step, value) in enumerate(zip(chain, values, strict=True)):
                start = values[k - 1] if k else least / 8
                color = palette.series[0] if k == 0 else palette.series[1] if k < len(values) - 1 else palette.accent
                axes.barh(k, value - start, left=start, color=color, height=0.62)
                text = f"{value:.3g}" if k == 0 else f"× {value / values[k - 1]:.2g}"
                axes.text(value * 1.15, k, text, va="center", fontsize=8.5)
                if step.statement:
                    axes.text(
                        start * 0.9, k, step.statement, va="center", ha="right", fontsize=7.5, color=palette.muted
                    )
            # The two lines may lie close together: their labels stand on either side.
            first = min(chain.side, key=lambda name: chain.side[name])
            for name, label, dashes in (("trivial", "trivial", ":"), ("sharp", "sharper form", "-.")):
                axes.axvline(chain.side[name], color=palette.muted, ls=dashes, lw=1.3)
                side = "right" if name == first else "left"
                axes.text(chain.side[name], -0.75, f" {label} ", color=palette.muted, va="center", ha=side, fontsize=8)
            axes.set(xscale="log", xlabel="regret", title=f"noise {noise:g}: {chain.slack:.0f} times in all\n")
            axes.set_xlim(least / 8, top * 6)
            axes.grid(visible=False, axis="y")
        panels[0].set_yticks(range(len(values)), [step.name for step in chain])
        panels[0].invert_yaxis()

    return Figure(
        draw,
        alt="Waterfall charts for two noise levels on a logarithmic axis, from the measured regret down to Theorem 1. "
        + ". ".join(
            f"With noise {noise:g} the last bar ends at {chain.slack:.0f} times the first"
            for noise, chain in study.chains.items()
        )
        + ".",
        caption=f"The decomposition of Section 5 as a chain, for T = {study.batches} batches of {study.batch}: each bar starts "
        "where the previous one ends, and its label says how much the inequality gives away. The vertical lines mark the "
        "trivial bound and the companion's sharper form, which does without the last two steps.",
        size=(8.8, 3.8),
        where=where_of(study),
    )


def chain_table(study: BoundStudy) -> Table:
    """The steps of the chain with their reasons."""
    rows = []
    noises = list(study.chains)
    for steps in zip(*study.chains.values(), strict=True):
        row = {"step": steps[0].name, "why": steps[0].reason, "statement": steps[0].statement or "–"}
        rows.append(row | {f"noise {noise:g}": step.value for noise, step in zip(noises, steps, strict=True)})
    return Table(
        pd.DataFrame(rows),
        caption="The same numbers with the reason of each step. The first is measured, the last promised.",
        where=where_of(study),
    )


def vacuous(rows: pd.DataFrame) -> Table:
    """The twelve columns of the paper's tables and the least that Theorem 1 can be there."""
    return Table(
        rows,
        caption="Theorem 1 and the sharper form at the noise level of the paper's experiments, as multiples of the trivial "
        "bound in its form for every kernel, which is itself generous. The values are lower ends that hold for every "
        "kernel with unit prior variance and any number of candidates.",
        where=where_of(rows),
        digits=3,
    )


def break_even(rows: pd.DataFrame) -> Table:
    """From which number of batches the bounds say something."""
    return Table(
        rows,
        caption="Where the bounds begin to say something: the number of batches from which each is below Tm times the measured "
        f"range ({instance_in_words()}). {PER_OCTAVE} horizons were tried for every doubling of Tm.",
        where=where_of(rows),
        digits=3,
        formats={name: start_in_words for name in rows.columns if name.endswith("from T")} | {"noise": "{:g}".format},
    )
