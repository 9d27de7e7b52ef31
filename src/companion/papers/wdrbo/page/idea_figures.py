"""Pictures of the idea: a ball and its worst law, the same law in other balls, one round, and the problems."""

from __future__ import annotations

from functools import partial

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.figure import Figure as Canvas

from companion.core.arrays import Floats
from companion.pages import Palette, Table, charts, figure, where_of
from companion.pages.figures import DASHES, MARKERS
from companion.papers.wdrbo.experiments.printed import TITLE_OF, label
from companion.papers.wdrbo.page.balls import Balls
from companion.papers.wdrbo.page.cards import Maps
from companion.papers.wdrbo.page.one_round import CONTEXTS, DECISIONS, RULES, Round
from companion.papers.wdrbo.page.picture import NAMES, RADII

#: Shorter ways are not labelled.
MOVED = 0.02
#: Labels are at least so far from one another.
CLOSE = 0.085
#: Colours of a map; more of them make large files, and show no more.
SHADES = 20
#: Names of rules where there is little room.
SHORT = {"wdrbo-exact": "exact"}


@figure(size=(8.6, 4.8))
def transport(canvas: Canvas, palette: Palette, balls: Balls) -> None:
    """Rewards, how the worst law is made at three radii, and what both decisions are worth over the ball."""
    picture = balls.picture
    grid = canvas.add_gridspec(4, 2, height_ratios=(1.7, 1, 1, 1), width_ratios=(1.55, 1))
    top = canvas.add_subplot(grid[0, 0])
    strips = [canvas.add_subplot(grid[row, 0], sharex=top) for row in (1, 2, 3)]
    right = canvas.add_subplot(grid[:, 1])
    for k, name in enumerate(NAMES):
        top.plot(picture.contexts, picture.values[k], **charts.look(palette, k))
        right.plot(RADII, picture.exact[k], color=palette.series[k], ls="-", label=f"{name}, worst")
        right.plot(RADII, picture.penalised[k], color=palette.series[k], ls=":", label=f"{name}, penalised")
        place: charts.Style = {"textcoords": "offset points", "fontsize": 8.5}
        top.annotate(name, (picture.contexts[0], picture.values[k, 0]), (0, (16, -13)[k]), **place)
    top.set(ylabel="reward")
    top.margins(y=0.16)
    top.tick_params(labelbottom=False)
    for axes, radius, plan in zip(strips, balls.radii, balls.plans, strict=True):
        _ways(axes, plan, palette)
        axes.set_ylabel(f"radius\n{radius:g}", rotation=0, ha="right", va="center")
        axes.tick_params(labelbottom=axes is strips[-1])
    strips[-1].set_xlabel("context c")
    right.plot(balls.radii, balls.means, MARKERS[0], color=palette.series[0], ms=6)
    _three_means(right, balls, palette)
    right.set(xlabel=r"radius $\varepsilon$", ylabel="mean reward")
    right.legend(fontsize=8, loc="lower left")


def _three_means(axes: Axes, balls: Balls, palette: Palette) -> None:
    """At the chapter's radius: the steep decision's mean, its worst mean, and the penalised mean."""
    picture = balls.picture
    values = {"mean": float(picture.means[0]), "worst": float(balls.means[list(balls.radii).index(picture.radius)])}
    values["penalised"] = values["mean"] - picture.radius * float(picture.lipschitz[0])
    axes.plot(RADII[[0, -1]], [values["mean"]] * 2, color=palette.series[0], ls="--", lw=1)
    axes.axvline(picture.radius, color=palette.muted, lw=0.9)
    plate: charts.Style = {"facecolor": palette.paper, "edgecolor": "none", "pad": 0.8}
    for words, value in values.items():
        axes.plot(picture.radius, value, MARKERS[0], color=palette.series[0], ms=6)
        spot = (picture.radius, value)
        text = f"{words} {value:.2f}".replace("-", "−")
        axes.annotate(
            text, spot, (7, -12 if words == "penalised" else 5), textcoords="offset points", fontsize=8.5, bbox=plate
        )


def _ways(axes: Axes, plan: Floats, palette: Palette) -> None:
    """Told masses above, the worst law's below, and an arrow with its length for all that is moved."""
    _masses(axes, plan[:, 0], plan[:, 2], 1.0, palette.ink)
    _masses(axes, plan[:, 1], plan[:, 2], 0.0, palette.accent)
    moved = plan[np.abs(plan[:, 1] - plan[:, 0]) >= MOVED]
    labels = _apart(moved[:, 0])
    for place, (start, end, _) in zip(labels, moved, strict=True):
        axes.plot([start, place], [1.15, 1.4], color=palette.muted, lw=0.7, ls="-")
        axes.text(place, 1.45, f"{abs(end - start):.2f}", fontsize=8, ha="center", va="bottom")
    for start, end, mass in plan:
        width = 0.6 + 8.0 * mass
        if abs(end - start) < MOVED:
            axes.plot([start, end], [0.9, 0.1], color=palette.muted, lw=width, ls="-")
            continue
        arrow: charts.Style = {"arrowstyle": "-|>", "color": palette.accent, "lw": width, "shrinkA": 3, "shrinkB": 3}
        axes.annotate("", (end, 0.0), (start, 1.0), arrowprops=arrow)
    axes.set_ylim(-0.35, 2.3)
    axes.set_yticks([0.0, 1.0], ["worst", "reference"], fontsize=9)
    axes.grid(visible=False)


def _apart(at: Floats) -> Floats:
    """Places of labels in rising order, moved to the left and to the right until they are apart."""
    steps = CLOSE * np.arange(len(at))
    right = np.maximum.accumulate(at - steps) + steps
    left = np.minimum.accumulate((at - steps)[::-1])[::-1] + steps
    return np.asarray((left + right) / 2)


def _masses(axes: Axes, at: Floats, mass: Floats, height: float, color: str) -> None:
    """A mark for every place, its area in proportion to the mass there."""
    places, where = np.unique(at, return_inverse=True)
    axes.scatter(places, np.full(len(places), height), s=260 * np.bincount(where, mass), color=color, zorder=3)


@figure(size=(8.6, 3.8))
def rivals(canvas: Canvas, palette: Palette, balls: Balls) -> None:
    """The worst laws of three balls that lower the mean alike."""
    picture = balls.picture
    grid = canvas.add_gridspec(2, len(balls.rivals), height_ratios=(1, 1.5))
    least, shared = 0.0, None
    for k, (kind, law) in enumerate(balls.rivals.items()):
        top = canvas.add_subplot(grid[0, k])
        axes = canvas.add_subplot(grid[1, k], sharex=top, sharey=shared)
        shared = axes
        top.plot(picture.contexts, picture.values[0], **charts.look(palette, 0))
        top.set_title(f"{kind} ball")
        top.tick_params(labelbottom=False, labelleft=k == 0)
        for weights, sign, color in ((picture.told, 1, palette.ink), (law, -1, palette.accent)):
            at = np.flatnonzero(weights > 1e-6)
            axes.vlines(picture.contexts[at], 0, sign * weights[at], color=color, lw=2.5)
        least = min(least, -float(law.max()))
        axes.axhline(0, color=palette.muted, lw=0.8)
        axes.tick_params(labelleft=k == 0)
        axes.set_xlabel("context c")
        if k == 0:
            top.set_ylabel("reward")
            axes.set_ylabel("worst    reference", fontsize=8.5)
            axes.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    if shared is not None:
        shared.set_ylim(1.15 * least, 1.6 * float(picture.told.max()))


def distances(balls: Balls) -> Table:
    """How far the three worst laws are from the reference, in each of the three distances."""
    return Table(balls.rows, where=where_of(balls), digits=3)


def own_radii(balls: Balls) -> Table:
    """The radii of the experiments, and worst means with them."""
    return Table(balls.own, where=where_of(balls), digits=3)


@figure(size=(8.0, 5.0))
def one_round(canvas: Canvas, palette: Palette, shown: Round) -> None:
    """The upper confidence surface, what three rules maximise, and the Lipschitz constant, over the decision."""
    panels = list(canvas.subplots(3, 1, sharex=True, height_ratios=(1.5, 1.3, 0.8)))
    surface, rules, steep = panels
    image = surface.pcolormesh(DECISIONS, CONTEXTS, shown.upper.T, cmap=_shades(palette), rasterized=True)
    surface.plot(*shown.seen.T, "o", color="white", mec="black", ms=5)
    surface.plot(np.full(len(shown.told), 1.012), shown.told, "_", color=palette.ink, ms=7, clip_on=False)
    canvas.colorbar(image, ax=surface, label="UCB", pad=0.03)
    surface.set(ylabel="context c", title="UCB")
    for k, name in enumerate(RULES):
        words = SHORT.get(name, label(name))
        rules.plot(DECISIONS, shown.acquisition[name], label=words, **charts.look(palette, k))
        top = float(shown.acquisition[name].max())
        rules.plot(shown.choice[name], top, MARKERS[k], color=palette.series[k], ms=8, mec=palette.paper, zorder=4)
        for axes in panels:
            axes.axvline(shown.choice[name], color=_seen(axes, surface, palette, k), ls=DASHES[k], lw=1.2)
    rules.set(ylabel="acquisition")
    rules.legend(loc="upper right", ncols=3)
    low, high = rules.get_ylim()
    rules.set_ylim(low, high + 0.25 * (high - low))
    steep.plot(DECISIONS, shown.lipschitz, color=palette.ink, ls="-")
    steep.set(ylabel="L(x)", xlabel="decision x", xlim=(0, 1), ylim=(0, None))


def _seen(axes: Axes, surface: Axes, palette: Palette, k: int) -> str:
    """The colour of a rule, or white on the surface, where its own would not be seen."""
    return "white" if axes is surface else palette.series[k]


def _shades(palette: Palette) -> Colormap:
    return colormaps[palette.map].resampled(SHADES)


@figure(size=(8.6, 5.0))
def problems(canvas: Canvas, palette: Palette, maps: Maps) -> None:
    """Every problem that can be drawn: the reward, or its mean where there are more than two coordinates."""
    panels = list(canvas.subplots(2, 3).ravel())
    for axes, (name, one) in zip(panels, maps.items(), strict=True):
        image = axes.pcolormesh(maps.axis, maps.axis, one.values.T, cmap=_shades(palette), rasterized=True)
        canvas.colorbar(image, ax=axes, pad=0.04).ax.tick_params(labelsize=7.5)
        axes.set_title(TITLE_OF[name], fontsize=10)
        axes.set(xlabel=one.across, ylabel=one.up, xlim=(0, 1))
        axes.grid(visible=False)
        mark = partial(axes.plot, color="white", mec="black")
        if one.best_up is None:
            axes.axvline(one.best, color="white", lw=1.4)
            axes.plot(np.full(len(one.law), 1.015), one.law, "_", color=palette.ink, ms=6, clip_on=False)
        else:
            mark(one.best, one.best_up, marker="*", ms=13, ls="none")
