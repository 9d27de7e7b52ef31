"""Figures and tables of the section "The paper's experiments again"; all data come from the studies beside it."""

from __future__ import annotations

import pandas as pd
from matplotlib.ticker import PercentFormatter

from companion.pages import Canvas, Palette, Table, charts, figure, provenance_of
from companion.pages.tables import smallest
from companion.papers.batched.experiments.conclusions_claims import at_the_end
from companion.papers.batched.experiments.printed import BatchedResults
from companion.papers.batched.page.stored_runs import NO_CLAIM, beside, comparison_rows
from companion.papers.batched.problems.catalogue import KERNEL_TITLES


def reported_beside_ours(evidence: BatchedResults, kernel: str) -> Table:
    """A table of the paper beside ours: bold the smallest, marked where ours is on the other side of orig than printed."""
    rows = beside(evidence, kernel)
    values = rows.filter(like="t = ")
    above = values - values.where(rows.sizes == "orig").groupby(rows["from"]).transform("max")
    printed = above.where(rows["from"] == "printed").groupby(rows.sizes).transform("max")
    turned = (printed * above < 0) & (rows["from"] == "ours").to_numpy()[:, None]
    return Table(rows, where=provenance_of(evidence), best=smallest(values, by=rows["from"]), turned=turned)


@figure(size=(4.8, 4.2))
def comparisons(canvas: Canvas, palette: Palette, evidence: BatchedResults) -> None:
    """Cumulative regret of each rule against the original sizes."""
    rows, axes = comparison_rows(evidence), canvas.subplots()
    shown = {
        "holds": ("confirmed", "o"),
        "contradicted": ("reversed", "s"),
        "undecided": ("open", "D"),
        NO_CLAIM: (NO_CLAIM, "."),
    }
    axes.axvline(0.0, color=palette.ink, lw=1)
    axes.hlines(rows.index, rows["few low"], rows["few high"], color=palette.faint, lw=9, label="means of ten")
    axes.plot(rows.printed, rows.index, "X", color=palette.ink, ms=8, ls="none", label="printed")
    for (outcome, (words, marker)), color in zip(shown.items(), (*palette.series[:3], palette.muted), strict=True):
        part = rows[rows.outcome == outcome]
        axes.hlines(part.index, part.low, part.high, color=color, lw=1.8)
        axes.plot(part["lead"], part.index, marker, color=color, ms=7, label=words)
    for row in rows.itertuples():
        axes.text(1.02, row.Index, row.says, transform=axes.get_yaxis_transform(), va="center", fontsize=9)
    axes.text(1.02, 1.02, "the paper says", transform=axes.transAxes, fontsize=9, color=palette.muted)
    axes.set_yticks(rows.index, rows.comparison)
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    charts.name_axes(axes, "cumulative regret at t = 1000, difference to the original sizes")
    axes.grid(visible=False, axis="y")
    charts.legend_above(canvas, axes, 3)


def last_points(evidence: BatchedResults) -> Table:
    """Every rule at the end: batches, whether the maximiser survives, and the recommended point against the original sizes."""
    rows = at_the_end(evidence.frame)
    paired = rows.rule != "orig"
    frame = pd.DataFrame(
        {
            "kernel": rows.kernel.map(KERNEL_TITLES),
            "sizes": rows.rule,
            "B": rows.batches,
            "maximiser kept": rows["kept"].map("{:.1%}".format),
            "its 95 % int.": [
                f"[{low:.0%}, {high:.0%}]" for low, high in zip(rows["kept low"], rows["kept high"], strict=True)
            ],
            "regret at the end": rows.regret.map("{:.4f}".format),
            "difference": (rows.difference.round(4) + 0.0).map("{:+.4f}".format).where(paired, ""),
            "95 % int.": [
                f"[{low:.3f}, {high:.3f}]" if ours else ""
                for ours, low, high in zip(paired, rows.low, rows.high, strict=True)
            ],
        }
    )
    return Table(frame, where=provenance_of(evidence))


def conclusions(evidence: BatchedResults) -> Table:
    """The appendix's conclusions, one row each, and the two rows of one method, from which it draws none."""
    rows = [
        {
            "conclusion": f"{KERNEL_TITLES[row.claim.kernel]}, {row.claim.rule} {row.claim.says}",
            "difference": row.difference,
            "95 % int.": f"[{row.low:.3g}, {row.high:.3g}]",
            "of orig": row.relative,
            "below orig": row.share_negative,
            "ten agree": row.ten_agree,
            "outcome": row.outcome,
        }
        for _, row in evidence.judged.iterrows()
    ]
    shares = dict.fromkeys(("below orig", "ten agree"), "{:.0%}".format)
    frame = pd.DataFrame(rows)
    return Table(
        frame,
        where=provenance_of(evidence),
        turned=frame[["outcome"]] == "contradicted",
        formats={"difference": "{:+.3g}".format, "of orig": "{:+.1%}".format} | shares,
    )
