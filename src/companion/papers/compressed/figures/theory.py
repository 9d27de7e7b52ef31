"""Figures and tables of one run and of the sections on the bounds; all data come from ``studies``."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.papers.compressed.studies.improvement import FORMS as IMPROVEMENT_FORMS
from companion.papers.compressed.studies.improvement import ImprovementStudy, exceeded_rows
from companion.papers.compressed.studies.parts import CHARGED, WHAT, PartStudy, beside_least
from companion.papers.compressed.studies.picture import Picture
from companion.papers.compressed.studies.regret import BEFORE, FORMS, BoundStudy
from companion.report import Figure, Palette, Table, charts, where_of
from companion.report.figures import DASHES, MARKERS


def one_run(picture: Picture) -> Figure:
    """Posterior with the dictionary, variance at every chosen point against the threshold, and the model order."""
    kept = picture.kept
    rounds = np.arange(1, len(kept) + 1)

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

    return Figure(draw, size=(8.4, 6.2), where=where_of(picture))


# -- the bounds --------------------------------------------------------------------------------------------------------


def constants(rows: pd.DataFrame) -> Table:
    """Every explicit constant of the theorems."""
    return Table(rows)


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

    return Figure(draw, size=(8.8, 3.8), where=where_of(study))


def waterfall(study: BoundStudy) -> Figure:
    """What each inequality of the proof gives away, with the rejected rounds' part of the first steps."""
    added = len(next(iter(study.chains.values()))) - BEFORE
    return Figure(charts.waterfall(study.chains, last=added), size=(8.8, 4.2), where=where_of(study))


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
    return Table(pd.concat([charts.chain_rows(study.chains), apart], ignore_index=True), where=where_of(study))


def parts(study: PartStudy) -> Figure:
    """Shares of the rejected rounds, and what the theorem charges for them."""
    rows = study.rows

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

    return Figure(draw, size=(8.8, 4.3), where=where_of(study))


def least_table(study: PartStudy) -> Table:
    """Mean regret by exponent beside the least."""
    return Table(beside_least(study), where=where_of(study), digits=3)


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

    return Figure(draw, size=(9.2, 3.6), where=where_of(study))


def improvement_table(study: ImprovementStudy) -> Table:
    """The sound chain of the proof, and the broken one at the maximiser."""
    chains = {"compressed EI": study.chain, "independent arms": study.broken}
    rows = [charts.chain_rows({"value": chain}).assign(chain=name) for name, chain in chains.items()]
    return Table(
        pd.concat(rows, ignore_index=True)[["chain", "step", "why", "statement", "value"]], where=where_of(study)
    )


def exceeded(study: ImprovementStudy) -> Table:
    """Where the printed bound of EI is exceeded, and for which R."""
    shares = dict.fromkeys(("allowed", "above (3.6)", "above (9.27)"), "{:.2%}".format)
    return Table(exceeded_rows(study), where=where_of(study), formats=shares)
