"""The picture of one batch being chosen, from ``studies.picture``."""

from __future__ import annotations

from matplotlib.figure import Figure as Canvas

from companion.papers.tsrsr.studies.picture import Picture, closest
from companion.report import Figure, Palette, where_of
from companion.report.figures import DASHES, MARKERS


def one_batch(picture: Picture) -> Figure:
    """Posterior with sampled maxima, standard deviation and ratio as the batch grows."""

    def draw(canvas: Canvas, palette: Palette) -> None:
        top, middle, bottom = canvas.subplots(3, 1, sharex=True, height_ratios=(1.5, 1, 1.2))
        x, mean, sd = picture.x, picture.mean, picture.sd[0]
        top.fill_between(x, mean - 2 * sd, mean + 2 * sd, color=palette.muted, alpha=0.25, lw=0)
        top.plot(x, picture.values, color=palette.muted, ls=":", label="f, unknown")
        top.plot(x, mean, color=palette.ink, ls="-", label="posterior mean, ± 2 sd")
        top.plot(picture.observed, picture.observations, "+", color=palette.ink, ms=9, mew=1.8, label="data")
        bottom_of_axis = float((mean - 2.2 * sd).min())
        for i, index in enumerate(picture.chosen):
            color = palette.series[i]
            top.axhline(picture.maxima[i], color=color, ls=DASHES[i], lw=1.1)
            top.plot(x[index], mean[index], MARKERS[i], color=color, ms=8, mec=palette.paper, zorder=5)
            top.plot(
                x[picture.thompson[i]],
                bottom_of_axis,
                MARKERS[i],
                color=color,
                ms=6,
                mfc="none",
                mew=1.5,
                clip_on=False,
            )
            middle.plot(x, picture.sd[i], color=color, ls=DASHES[i], label=f"before choice {i + 1}")
            middle.plot(x[index], picture.sd[i, index], MARKERS[i], color=color, ms=7, mec=palette.paper)
            bottom.plot(x, picture.ratio[i], color=color, ls=DASHES[i], label=f"choice {i + 1}")
            bottom.plot(x[index], picture.ratio[i, index], MARKERS[i], color=color, ms=8, mec=palette.paper, zorder=5)
        top.set(ylabel="f", title="Posterior, sampled maxima (lines), TS-RSR's batch (filled), Thompson's (open)")
        top.legend(loc="lower left")
        middle.set(ylabel="standard deviation", ylim=(0, None))
        middle.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.28))
        smallest = float(picture.ratio.min())
        bottom.set(yscale="log", ylim=(0.7 * smallest, 60 * smallest), ylabel="ratio Ψ", xlabel="x", xlim=(-0.01, 1.01))

    places = ", ".join(f"{picture.x[index]:.2f}" for index in picture.chosen)
    return Figure(
        draw,
        alt="Three panels above one another against x on the unit interval. Top: a posterior band around noisy data, four "
        f"horizontal lines of sampled maxima, and the chosen points at {places}. Middle: the standard deviation, dented at each "
        "point already chosen. Bottom: four ratio curves, each with its minimum marked; every curve rises steeply where a point "
        "has been chosen before.",
        caption="One batch being chosen. Each point minimises its own ratio: the gap between a sampled maximum (horizontal "
        "line) and the mean, divided by the standard deviation given the points chosen before. Follow one place that has "
        "been chosen: its standard deviation collapses (middle), so its ratio rises (bottom), and the next choice goes "
        "elsewhere, although neither the mean nor the data have changed (each curve has its own sampled maximum). The closest "
        "pair is "
        f"{closest(picture.x[picture.chosen]):.3f} apart.",
        size=(8.2, 7.2),
        where=where_of(picture),
    )
