"""The ball of the picture in detail: how its worst law is made, and the same reference in two other balls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from companion.core.arrays import Floats
from companion.gp import SquaredExponential
from companion.pages import Numbers, recorded
from companion.papers.wdrbo.method.discrepancy_ball import DiscrepancyBall
from companion.papers.wdrbo.method.inner import WorstCase, total_variation, wasserstein
from companion.papers.wdrbo.method.methods import Settings, discrepancy_radius
from companion.papers.wdrbo.page.picture import LENGTHSCALE, Picture

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
    """What the worst laws have in common and what not, and whether the methods' own balls hold every law."""
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
