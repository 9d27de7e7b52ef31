"""The ball of the picture in detail: how its worst law is made, and the same reference in two other balls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.optimize import brentq

from companion.core.arrays import Floats
from companion.gp import SquaredExponential
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded, table
from companion.pages.figures import MARKERS
from companion.papers.wdrbo.method.discrepancy_ball import DiscrepancyBall
from companion.papers.wdrbo.method.inner import WorstCase, total_variation, wasserstein
from companion.papers.wdrbo.method.methods import Settings, discrepancy_radius
from companion.papers.wdrbo.page.picture import LENGTHSCALE, RADII, Picture

KINDS = ("Wasserstein", "total variation", "MMD")
#: Radii of the pictures, in units of the chapter's.
SHARES = (0.5, 1.0, 2.0)
#: Contexts after which the methods' own radii are looked at again.
LATER = 100
#: Masses below it are rounding.
TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Balls:
    """Worst laws of the picture's steep decision.

    Parameters
    ----------
    picture : rewards and reference
    radii : (3,) of Wasserstein balls, with ``worst`` (3, C), the worst law in each, and ``means`` (3,)
    plans : for each of them rows from, to, mass: the cheapest way to make the worst law from the reference
    rivals : by kind, the worst law (C,) of the ball that lowers the mean as much as the Wasserstein ball of the chapter
    rows : by kind, radius of that ball, and how far its worst law is from the reference in each of the three distances
    own : by kind, the radius that the methods of the experiments take after 8 and after 100 contexts, and the worst mean
        over the ball of that size around the reference
    """

    picture: Picture
    radii: Floats
    worst: Floats
    means: Floats
    plans: tuple[Floats, ...]
    rivals: dict[str, Floats]
    rows: pd.DataFrame
    own: pd.DataFrame


def transport_plan(points: Floats, start: Floats, end: Floats) -> Floats:
    """Rows from, to, mass of the cheapest transport on a line: the k-th unit of mass from the left becomes the k-th.

    Parameters
    ----------
    points : (C,) increasing
    start, end : (C,) weights of the same sum
    """
    filled = [np.cumsum(start), np.cumsum(end)]
    cuts = np.unique(np.round(np.concatenate(filled), 12))
    cuts = np.concatenate([[0.0], cuts[cuts > 0]])
    middle = (cuts[1:] + cuts[:-1]) / 2
    ends = [points[np.minimum(np.searchsorted(each, middle), len(points) - 1)] for each in filled]
    plan = np.stack([*ends, np.diff(cuts)], axis=1)
    return plan[plan[:, 2] > TINY]


def kernel_of(points: Floats) -> Floats:
    """Matrix (C, C) of the kernel of the contexts: that of the rewards."""
    return np.asarray(SquaredExponential(LENGTHSCALE)(points[:, None], points[:, None]))


@recorded(random=False)
def three_balls(picture: Picture) -> Balls:
    """Worst laws over Wasserstein balls of three radii, and over the two other balls of the same worst mean."""
    at, told, values = picture.contexts, picture.told, picture.values[:1]
    radii = picture.radius * np.array(SHARES)
    found = [wasserstein(values, at, told, float(radius)) for radius in radii]
    kernel = kernel_of(at)
    solvers: dict[str, Callable[[float], WorstCase]] = {
        "Wasserstein": lambda radius: wasserstein(values, at, told, radius),
        "total variation": lambda radius: total_variation(values, told, radius),
        "MMD": lambda radius: DiscrepancyBall(kernel, told, radius).worst(values),
    }
    target = float(wasserstein(values, at, told, picture.radius).value[0])
    rivals, rows = {}, []
    for kind, solve in solvers.items():
        radius = picture.radius if kind == KINDS[0] else _radius_for(solve, target)
        law = solve(radius).weights[0]
        rivals[kind] = law
        gap = law - told
        rows.append(
            {
                "ball": kind,
                "mass moved": float(np.abs(gap).sum() / 2),
                "way of the mass": float(np.abs(np.cumsum(gap))[:-1] @ np.diff(at)),
                "MMD": float(np.sqrt(max(gap @ kernel @ gap, 0.0))),
                "worst mean": float(values[0] @ law),
            }
        )
    return Balls(
        picture,
        radii,
        np.stack([each.weights[0] for each in found]),
        np.array([float(each.value[0]) for each in found]),
        tuple(transport_plan(at, told, each.weights[0]) for each in found),
        rivals,
        pd.DataFrame(rows),
        pd.DataFrame(_own(solvers, int((told > 0).sum()))),
    )


def variation_radius(count: int, dim: int) -> float:
    """Of DRBO-KDE, in the distance |q - p|_1, after ``count`` contexts of ``dim`` coordinates."""
    return float(count ** (-2.0 / (4 + dim)))


def _radius_for(solve: Callable[[float], WorstCase], target: float) -> float:
    """The radius at which the worst mean has come down to ``target``; two is the diameter of both families of balls."""
    return float(brentq(lambda radius: float(solve(radius).value[0]) - target, 1e-6, 2.0, xtol=1e-7))


def _own(solvers: dict[str, Callable[[float], WorstCase]], few: int) -> list[dict[str, object]]:
    """Radii of the methods in the experiments, and worst means."""
    settings = Settings()
    sizes: dict[str, Callable[[int], float]] = {
        "Wasserstein": settings.radius_at,
        "total variation": lambda n: variation_radius(n, 1),
        "MMD": lambda n: discrepancy_radius(n, settings.confidence),
    }
    rows = []
    for kind, solve in solvers.items():
        row: dict[str, object] = {"ball": kind}
        for n in (few, LATER):
            radius = sizes[kind](n)
            row |= {f"radius, n = {n}": radius, f"worst mean, n = {n}": float(solve(radius).value[0])}
        rows.append(row)
    return rows


def balls_numbers(balls: Balls) -> Numbers:
    """Common properties of the worst laws and their differences, and whether the methods' own balls contain every law."""
    picture, rows, own = balls.picture, balls.rows.set_index("ball"), balls.own.set_index("ball")
    few = int((picture.told > 0).sum())
    columns = dict(zip(KINDS, ("way of the mass", "mass moved", "MMD"), strict=True))
    lowest = float(picture.values[0].min())
    later = own[f"worst mean, n = {LATER}"]
    return Numbers(
        balls,
        radius=picture.radius,
        radii=[f"{radius:g}" for radius in balls.radii],
        few=few,
        later=LATER,
        mean=float(picture.means[0]),
        worst=float(rows["worst mean"].iloc[0]),
        moved={kind: float(rows["mass moved"][kind]) for kind in KINDS},
        way={kind: float(rows["way of the mass"][kind]) for kind in KINDS},
        moved_most=float(rows["mass moved"].max()),
        moved_variation=float(rows["mass moved"]["total variation"]),
        way_variation=float(rows["way of the mass"]["total variation"]),
        alike=bool(np.ptp(rows["worst mean"]) < 1e-4),
        own_least=all(rows[column].idxmin() == kind for kind, column in columns.items()),
        costs=[float(plan[:, 2] @ np.abs(plan[:, 1] - plan[:, 0])) for plan in balls.plans],
        everything=bool(own.loc["MMD", f"worst mean, n = {few}"] <= lowest + 1e-6),
        others_less=bool(own.drop(index="MMD")[f"worst mean, n = {few}"].min() > lowest + 1e-3),
        lowest=lowest,
        later_wasserstein=float(later["Wasserstein"]),
        later_mmd=float(later["MMD"]),
    )


#: Shorter ways have no arrow.
MOVED = 0.02


@figure(size=(7.4, 3.6))
def transport(canvas: Canvas, palette: Palette, balls: Balls) -> None:
    """Upper confidence bounds, construction of the worst law, and values of both decisions over the ball."""
    picture = balls.picture
    grid = canvas.add_gridspec(2, 2, height_ratios=(1.5, 1), width_ratios=(1.2, 1))
    top = canvas.add_subplot(grid[0, 0])
    strip = canvas.add_subplot(grid[1, 0], sharex=top)
    right = canvas.add_subplot(grid[:, 1])
    for k, name in enumerate(picture.names):
        top.plot(picture.contexts, picture.values[k], label=name, **charts.look(palette, k))
        right.plot(RADII, picture.exact[k], color=palette.series[k], ls="-", label=f"{name}, worst")
        right.plot(RADII, picture.penalised[k], color=palette.series[k], ls=":", label=f"{name}, penalised")
    top.set(ylabel="upper bound")
    top.legend(fontsize=9, loc="lower left")
    top.tick_params(labelbottom=False)
    _ways(strip, balls.plans[SHARES.index(1.0)], palette)
    strip.set_xlabel("traffic c")
    _three_means(right, balls, palette)
    right.set(xlabel=r"radius $\varepsilon$", ylabel="mean of the upper bound")
    right.legend(fontsize=9, loc="lower left")


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
    """Told masses above, the worst law's below, and an arrow for all that is moved."""
    _masses(axes, plan[:, 0], plan[:, 2], 1.0, palette.ink)
    _masses(axes, plan[:, 1], plan[:, 2], 0.0, palette.accent)
    for start, end, mass in plan:
        width = 0.6 + 8.0 * mass
        if abs(end - start) < MOVED:
            axes.plot([start, end], [0.9, 0.1], color=palette.muted, lw=width, ls="-")
            continue
        arrow: charts.Style = {"arrowstyle": "-|>", "color": palette.accent, "lw": width, "shrinkA": 3, "shrinkB": 3}
        axes.annotate("", (end, 0.0), (start, 1.0), arrowprops=arrow)
    axes.set_ylim(-0.5, 1.5)
    axes.set_yticks([0.0, 1.0], ["worst", "reference"], fontsize=9)
    axes.grid(visible=False)


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


distances = table(attrgetter("rows"), digits=3)


own_radii = table(attrgetter("own"), digits=3)
