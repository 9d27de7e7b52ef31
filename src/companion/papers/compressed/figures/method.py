"""The picture of one run being compressed, from ``studies.picture``."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.papers.compressed.problems.catalogue import NOISE_VARIANCE
from companion.papers.compressed.studies.picture import Picture, first_rejection
from companion.report import Figure, Palette, where_of


def one_run(picture: Picture) -> Figure:
    """Posterior with the dictionary, variance at every chosen point against the threshold, and the model order."""
    rounds = np.arange(1, len(picture.kept) + 1)
    initial = int(picture.copies.sum()) - int(picture.kept.sum())

    def draw(canvas: Canvas, palette: Palette) -> None:
        top, bottom = canvas.subplots(2, 1, height_ratios=(1.1, 1))
        x, mean, sd = picture.x, picture.mean, picture.sd
        top.fill_between(x, mean - 2 * sd, mean + 2 * sd, color=palette.muted, alpha=0.25, lw=0)
        top.plot(x, picture.values, color=palette.series[1], ls="--", label="f, unknown")
        top.plot(x, mean, color=palette.ink, ls="-", label="posterior mean, ± 2 sd")
        stored = np.flatnonzero(picture.copies)
        sizes = 14.0 + 9.0 * picture.copies[stored]
        low = float((mean - 2 * sd).min())
        top.scatter(x[stored], np.full(len(stored), low), s=sizes, color=palette.series[0], marker="|", lw=1.6)
        top.plot([], [], "|", ms=9, mew=1.6, color=palette.series[0], label="dictionary, longer where repeated")
        top.set(xlabel="x", ylabel="f", xlim=(x[0], x[-1]))
        top.legend(loc="upper left", ncols=3)
        kept = picture.kept
        bottom.plot(
            rounds[kept], picture.variance[kept], "o", color=palette.series[0], label="variance at the choice, kept"
        )
        bottom.plot(
            rounds[~kept],
            picture.variance[~kept],
            "x",
            ms=5,
            color=palette.accent,
            label="variance at the choice, rejected",
        )
        bottom.axhline(picture.threshold, color=palette.muted, ls="--", lw=1.2, label="threshold")
        bottom.set(yscale="log", xlabel="round t", ylabel="variance")
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
        alt="Top: the example function with a posterior band and marks below it where the dictionary has points; they "
        "crowd at the highest peak. Bottom: the variance at each chosen point on a logarithmic axis; kept points lie "
        "above the dashed "
        f"threshold, rejected ones below, the first in round {first_rejection(picture)}. The number of points kept "
        f"leaves the "
        "diagonal of the dense method there.",
        caption=f"One run being compressed: UCB with u = T^(−1/2), T = {len(picture.kept)}, noise variance {NOISE_VARIANCE:g}, "
        f"threshold {picture.threshold:.2g}; {initial} initial points come before the first round. Top: the posterior after the "
        "last round; the marks at the bottom are the "
        "dictionary, longer where a candidate is stored several times. Bottom: the variance at the chosen point "
        "decides, before anything is evaluated, whether a round is kept. The solid line counts the points kept, "
        "against the dense method's dotted one.",
        size=(8.4, 6.2),
        where=where_of(picture),
    )
