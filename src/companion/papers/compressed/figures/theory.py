"""Figures and tables of one run and of the sections on the bounds; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.compressed.problems.catalogue import NOISE_VARIANCE
from companion.papers.compressed.studies.improvement import FORMS as IMPROVEMENT_FORMS
from companion.papers.compressed.studies.improvement import ImprovementStudy
from companion.papers.compressed.studies.parts import CHARGED, WHAT, PartStudy, least_regret
from companion.papers.compressed.studies.picture import Picture, first_rejection
from companion.papers.compressed.studies.regret import FORMS, SIZE, BoundStudy
from companion.report import Figure, Palette, Table, charts, where_of
from companion.report.figures import DASHES, MARKERS

#: Steps of the chain, the measured regret among them, that the proof for the dense method has too.
BEFORE_COMPRESSION = 4


def one_run(picture: Picture) -> Figure:
    """Posterior with the dictionary, variance at every chosen point against the threshold, and the model order."""
    kept = picture.kept
    rounds = np.arange(1, len(kept) + 1)
    initial = int(picture.copies.sum()) - int(kept.sum())

    def draw(canvas: Canvas, palette: Palette) -> None:
        top, bottom = canvas.subplots(2, 1, height_ratios=(1.1, 1))
        x, mean, sd = picture.x, picture.mean, picture.sd
        charts.band(top, x, mean - 2 * sd, mean + 2 * sd, palette.muted)
        top.plot(x, picture.values, label="f, unknown", **charts.look(palette, 1))
        top.plot(x, mean, color=palette.ink, ls="-", label="posterior mean, ± 2 sd")
        stored = np.flatnonzero(picture.copies)
        sizes = 14.0 + 9.0 * picture.copies[stored]
        low = np.full(len(stored), float((mean - 2 * sd).min()))
        top.scatter(x[stored], low, s=sizes, color=palette.series[0], marker="|", lw=1.6)
        top.plot([], [], "|", ms=9, mew=1.6, color=palette.series[0], label="dictionary, longer where repeated")
        top.set(xlabel="x", ylabel="f", xlim=(x[0], x[-1]))
        top.legend(loc="upper left", ncols=3)
        for shown, marker, color, outcome in (
            (kept, "o", palette.series[0], "kept"),
            (~kept, "x", palette.accent, "rejected"),
        ):
            style = {"ms": 5} if marker == "x" else {}
            label = f"variance at the choice, {outcome}"
            bottom.plot(rounds[shown], picture.variance[shown], marker, color=color, label=label, **style)
        bottom.axhline(picture.threshold, color=palette.muted, ls="--", lw=1.2, label="threshold")
        charts.name_axes(bottom, "round t", "variance", log="y")
        order = bottom.twinx()
        order.plot(rounds, np.cumsum(kept), color=palette.series[2], ls="-", label="points kept")
        order.plot(rounds, rounds, color=palette.muted, ls=":", label="points kept, dense")
        order.set(ylabel="points kept")
        order.grid(visible=False)
        handles = [
            h + o for h, o in zip(bottom.get_legend_handles_labels(), order.get_legend_handles_labels(), strict=True)
        ]
        canvas.legend(*handles, loc="outside lower center", ncols=5)

    return Figure(
        draw,
        alt="Top: the example function with a posterior band and marks below it where the dictionary has points; they crowd "
        "at the highest peak. Bottom: the variance at each chosen point on a logarithmic axis; kept points lie above the "
        f"dashed threshold, rejected ones below, the first in round {first_rejection(picture)}. The number of points kept "
        "leaves the diagonal of the dense method there.",
        caption=f"One run being compressed: UCB with u = T^(−1/2), T = {len(picture.kept)}, noise variance "
        f"{NOISE_VARIANCE:g}, threshold {picture.threshold:.2g}; {initial} initial points come before the first round. Top: "
        "the posterior after the last round; the marks at the bottom are the dictionary, longer where a candidate is stored "
        "several times. Bottom: the variance at the chosen point decides, before anything is evaluated, whether a round is "
        "kept. The solid line counts the points kept, against the dense method's dotted one.",
        size=(8.4, 6.2),
        where=where_of(picture),
    )


# -- the bounds --------------------------------------------------------------------------------------------------------


def constants(rows: pd.DataFrame) -> Table:
    """Every explicit constant of the theorems."""
    return Table(
        rows,
        caption="The constants of the theorems on one instance: squared exponential kernel on the unit interval, and the "
        "chapter's horizon, noise variance and exponent. “Ours” marks the companion's bounds on the model order; Theorem 3.1 "
        "has a constant that it does not name, so it promises no number.",
    )


def bound(study: BoundStudy) -> Figure:
    """Measured regret with the forms of the bound and the trivial one over the horizon."""
    rows = study.rows

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = charts.row_of(canvas, 2, sharey=False)
        charts.band(left, rows["T"], rows.low, rows.high, palette.series[0])
        left.plot(rows["T"], rows.regret, "o-", color=palette.series[0], label="measured regret")
        colors = [*palette.series[1 : len(FORMS)], palette.accent]
        for k, (name, color) in enumerate(zip(FORMS, colors, strict=True)):
            style: charts.Style = {"color": color, "ls": DASHES[k + 1], "label": name}
            left.plot(rows["T"], rows[name], **style)
            right.plot(rows["T"], rows[name] / rows.trivial, marker=MARKERS[k], **style)
        left.plot(rows["T"], rows.trivial, color=palette.muted, ls=":", label="trivial bound")
        charts.name_axes(left, "horizon T", "cumulative regret", "Regret and bounds", log="xy")
        left.legend()
        right.axhline(1.0, color=palette.muted, ls=":")
        charts.name_axes(right, "horizon T", "over the trivial bound", "When do they say something?", log="x")
        right.set_ylim(bottom=0)

    times = rows["Theorem 3.2"] / rows.regret
    return Figure(
        draw,
        alt="Left: on logarithmic axes the measured regret grows slowly with the horizon; the forms of the bound lie above "
        f"it, the theorem {times.min():.0f} to {times.max():.0f} times, and the trivial bound rises with slope one. Right: "
        "the forms over the trivial bound fall with the horizon; the theorem's last value is "
        f"{rows['Theorem 3.2'].iloc[-1] / rows.trivial.iloc[-1]:.2f}.",
        caption=f"Mean cumulative regret of compressed UCB over {study.runs} draws of the prior ({SIZE} points, squared "
        f"exponential kernel, α = {study.alpha:g}) with its 95 % interval, beside the forms of the bound at each run's model "
        "order. Right: a form above the dotted line says less than the range of the function.",
        size=(8.8, 3.8),
        where=where_of(study),
    )


def waterfall(study: BoundStudy) -> Figure:
    """What each inequality of the proof gives away, with the rejected rounds' part of the first steps."""
    added = len(next(iter(study.chains.values()))) - BEFORE_COMPRESSION
    return Figure(
        charts.waterfall(study.chains, last=added),
        alt="Waterfall charts for two instances on a logarithmic axis, from the measured regret down to Theorem 3.2. "
        + ". ".join(
            f"On {title} the last bar ends at {chain.slack:.0f} times the first"
            for title, chain in study.chains.items()
        )
        + ".",
        caption=f"The proof of Theorem 3.2(i) as a chain, T = {study.horizon}, α = {study.alpha:g}, means over {study.runs} "
        "runs: each bar starts where the previous one ends, and its label says how much the inequality gives away. From "
        "“budget” on the steps are those that compression adds. The dotted line is the trivial bound.",
        size=(8.8, 4.2),
        where=where_of(study),
    )


def chain_table(study: BoundStudy) -> Table:
    """The steps of the chain with their reasons."""
    parts = [
        f"{kind} {what}" for kind in ("retained", "rejected") for what in ("rounds", "regret", "widths", "information")
    ]
    apart = pd.DataFrame(
        [
            {"step": part.replace(" ", " rounds: "), "why": "part of the measured numbers", "statement": "–"}
            | {title: chain.side[part] for title, chain in study.chains.items()}
            for part in parts
        ]
    )
    return Table(
        pd.concat([charts.chain_rows(study.chains), apart], ignore_index=True),
        caption="The same numbers with the reason of each step, and the two kinds of rounds apart: how many, their regret, "
        "their confidence widths, and the information their observations bring or would have brought.",
        where=where_of(study),
    )


def parts(study: PartStudy) -> Figure:
    """Shares of the rejected rounds, and what the theorem charges for them."""
    rows, best = study.rows, least_regret(study)

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, right = charts.row_of(canvas, 2, sharey=False)
        alpha = "exponent α of the budget"
        for k, name in enumerate(WHAT.values()):
            left.plot(rows.alpha, rows[name], label=name, **charts.marked(palette, k))
        left.plot(rows.alpha, rows[CHARGED], label=CHARGED, **charts.marked(palette, 4, color=palette.accent, lw=2.2))
        charts.name_axes(left, alpha, "share", "Share of the rejected rounds")
        left.set_ylim(-0.03, 1.03)
        for k, kind in enumerate(("retained", "rejected")):
            right.plot(rows.alpha, rows[f"{kind} regret"], label=f"{kind} rounds", **charts.marked(palette, k))
        total = rows["retained regret"] + rows["rejected regret"]
        right.plot(rows.alpha, total, color=palette.ink, ls="-", marker=MARKERS[2], label="all rounds")
        charts.name_axes(right, alpha, "cumulative regret", "Where the regret comes from")
        right.set_ylim(bottom=0)
        for axes, columns in ((left, 2), (right, 3)):
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=columns)

    return Figure(
        draw,
        alt="Left: against the exponent of the budget, the share of rejected rounds among rounds, regret, widths and "
        "information; all fall to zero at exponent one. The second term's share of the theorem falls too, but stays above "
        "zero. Right: regret of retained rounds rises with the exponent, that of rejected rounds falls, and the mean of "
        f"their sum is least at exponent {best:g}, little below that at its neighbours.",
        caption=f"Retained and rejected rounds apart, T = {study.horizon}, means over {study.runs} runs. Left: the share of "
        "the rejected rounds in what is measured, and of the second term in the theorem. Right: regret of either kind.",
        size=(8.8, 4.3),
        where=where_of(study),
    )


def improvement(study: ImprovementStudy) -> Figure:
    """Regret of EI with the forms of its bound, the constant R, and the step that fails."""
    rows, arms = study.rows, study.arms

    def draw(canvas: Canvas, palette: Palette) -> None:
        left, middle, right = charts.row_of(canvas, 3, sharey=False)
        left.plot(rows["T"], rows.regret, "o-", color=palette.series[0], label="measured regret")
        colors = (palette.accent, palette.series[1], palette.series[2], palette.muted)
        for k, (name, color) in enumerate(zip(IMPROVEMENT_FORMS, colors, strict=True)):
            left.plot(rows["T"], rows[name], color=color, ls=DASHES[k + 1], label=name)
        charts.name_axes(left, "horizon T", "cumulative regret", "Bounds of EI", log="xy")
        left.set_ylim(top=float(rows[list(IMPROVEMENT_FORMS)].to_numpy().max()) * 60)
        charts.band(middle, rows["T"], rows["R low"], rows["R high"], palette.series[0])
        middle.plot(rows["T"], rows.R, "o-", color=palette.series[0])
        charts.name_axes(middle, "horizon T", title="The “constant” R", log="x")
        middle.set_ylim(bottom=0)
        right.plot(arms.t, arms.maximiser, color=palette.accent, ls="--", label="at the maximiser")
        right.plot(arms.t, arms.allowed, color=palette.ink, ls="-", label="allowed by (9.26)")
        right.plot(arms.t, arms.chosen, color=palette.series[0], ls="-.", label="at the choices")
        charts.name_axes(right, "round t", title="Summed variances, many arms")
        for axes in (left, right):
            axes.legend(loc="upper left")

    last = arms.iloc[-1]
    return Figure(
        draw,
        alt="Left: measured regret of compressed EI far below the forms of its bound, which lie above or at the trivial "
        "bound. Middle: median and quartiles of R against the horizon. Right: on many independent arms the summed variance "
        f"at the maximiser reaches {last.maximiser:.0f}, above the allowed {last.allowed:.0f}; at the choices it is "
        f"{last.chosen:.0f}.",
        caption=f"Expected improvement, medians over {study.runs} runs. Left: measured regret, the printed bound, the last "
        "line of its proof, and what the proof establishes. Middle: R with its quartiles. Right: one run on independent "
        "arms; eq. (9.26) says that the dashed line stays below the solid one.",
        size=(9.2, 3.6),
        where=where_of(study),
    )


def improvement_table(study: ImprovementStudy) -> Table:
    """The sound chain of the proof, and the broken one at the maximiser."""
    chains = {"compressed EI": study.chain, "independent arms": study.broken}
    rows = [charts.chain_rows({"value": chain}).assign(chain=name) for name, chain in chains.items()]
    falls = bool(np.any(np.diff([step.value for step in study.broken]) < 0))
    return Table(
        pd.concat(rows, ignore_index=True)[["chain", "step", "why", "statement", "value"]],
        caption=f"The proof of Theorem 3.4 step by step. First chain: as far as it is sound, T = {study.horizon}, means over "
        f"{study.runs} runs. Second chain: the paper's treatment of the maximiser on independent arms; "
        + ("its last value is below the one before, so the step is wrong." if falls else "no step falls here."),
        where=where_of(study),
    )
