"""The problems of the chapter's experiments: one of each to draw, with sizes and optima as the package's objects have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import Matern, gp_draw, grid, kernel_by_name
from companion.pages import Canvas, Numbers, Palette, charts, figure, provenance_of, recorded
from companion.papers.batched.experiments.definitions import experiment
from companion.papers.batched.experiments.parameters import AppendixE, KnownNorm, Robust
from companion.papers.batched.experiments.runs import RULES
from companion.papers.batched.page import confidence, lower, rate
from companion.papers.batched.page.robust import PROBLEM_TITLES
from companion.papers.batched.problems import catalogue
from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.papers.batched.problems.hard_class import BumpFamily
from companion.papers.batched.problems.wheat import wheat
from companion.papers.batched.theory import three_arms
from companion.papers.batched.theory.lower import RegretLowerBound, regret_lower_bound
from companion.problems import FiniteProblem, running_example

#: How many functions of known norm are drawn into one panel.
LINES = 3


@dataclass(frozen=True, eq=False)
class Gallery:
    """Surfaces of Appendix E, by kernel at ``points``; functions of known norm, robust problems, classes of Theorem 2."""

    points: Floats
    surfaces: dict[str, Floats]
    known: tuple[FiniteProblem, ...]
    robust: dict[str, FiniteProblem]
    hard: RegretLowerBound
    family: BumpFamily
    arms: FiniteProblem


@recorded(first="seed", count=LINES)
def gallery(seed: int, norm: float, horizon: int) -> Gallery:
    """One problem of every kind; the classes of Theorem 2 are those of ``horizon`` evaluations."""
    setting = {
        "kernel": "matern52",
        "lengthscale": confidence.LENGTHSCALE,
        "points_per_axis": confidence.CASES[1][2],
        "norm": norm,
    }
    setups = [experiment("known-norm").ready("bpe", at, setting) for at in range(seed, seed + LINES)]
    family = BumpFamily(Matern(1.5, 0.2), 1, 1.0)
    points, names = grid(50, 2, -5.0, 5.0), (seed, "batched", "appendix-e", "function")
    return Gallery(
        points,
        {kernel: gp_draw(kernel_by_name(kernel, 2.0), points, stream(*names)) for kernel in RULES},
        tuple(setup.modelled.problem for setup in setups),
        {name: catalogue.robust_problem(name).problem for name in catalogue.ROBUST_PROBLEMS},
        regret_lower_bound(family, horizon, lower.BATCHES, lower.NOISE),
        family,
        catalogue.three_arms(*three_arms.ARMS).problem,
    )


def problem_numbers(shown: Gallery) -> Numbers:
    """Sizes, settings and optima for the cards."""
    printed = AppendixE()
    tops = [float(values.max()) for values in shown.surfaces.values()]
    known = KnownNorm()
    classes = shown.hard.classes
    return Numbers(
        shown,
        axis=printed.points_per_axis,
        candidates=len(shown.points),
        draw=printed.draw_lengthscale,
        model=printed.model_lengthscale,
        noise_e=printed.noise,
        horizon_e=printed.horizon,
        tops=tops,
        known_tops=[problem.optimum for problem in shown.known],
        known_sizes=[case[2] ** case[1] for case in confidence.CASES],
        wheat_points=wheat().problem.size,
        wheat_norm=wheat().known_norm,
        wheat_noise=wheat().problem.noise_sd,
        wheat_ell=running_example.LENGTHSCALE,
        rate_first=rate.FIRST_HORIZON,
        confidence_horizon=confidence.HORIZON,
        ell=known.lengthscale,
        height=2 * classes[0].epsilon,
        heights=[2 * one.epsilon for one in classes],
        members=[one.size for one in classes],
        times=[one.end for one in classes],
        hard_horizon=classes[-1].end,
        hard_batches=len(classes),
        hard_noise=lower.NOISE,
        hard_ell=0.2,
        arms=list(three_arms.ARMS),
        arm_noise=three_arms.NOISE,
        arm_sizes=list(three_arms.SIZES),
        arm_delta=three_arms.DELTA,
    )


def robust_problem_numbers(shown: Gallery) -> Numbers:
    """The two robust problems: how they are made, radius, norm, and both maximisers."""
    numbers: dict[str, object] = {}
    sources = {"toy": ("toy-1d", catalogue.toy_1d()), "peak": ("peak-2d", catalogue.peak_2d(21))}
    for short, (name, (centres, weights)) in sources.items():
        modelled, problem = catalogue.robust_problem(name), shown.robust[name]
        plain, safe = problem.optimum_index, problem.robust_optimum_index
        side = round(problem.size ** (1 / problem.points.shape[1]))
        places = [
            str(tuple(int(i) for i in np.unravel_index(c, (side, side)))) if short == "peak" else int(c)
            for c in centres
        ]
        numbers |= {
            f"{short}_centres": places,
            f"{short}_weights": [float(w) for w in weights],
            f"{short}_size": problem.size,
            f"{short}_side": side,
            f"{short}_radius": catalogue.ROBUST_RADIUS[name],
            f"{short}_norm": modelled.known_norm,
            f"{short}_plain": _place(problem, plain),
            f"{short}_safe": _place(problem, safe),
            f"{short}_value": float(problem.values[safe]),
            f"{short}_worst": float(problem.robust_values[safe]),
            f"{short}_plain_worst": float(problem.robust_values[plain]),
        }
    return Numbers(provenance_of(shown), robust_noise=Robust().noise, robust_ratio=Robust().a, **numbers)


def _place(problem: FiniteProblem, index: int) -> str:
    """Coordinates of a candidate, in brackets if there are two."""
    listed = ", ".join(f"{value:.3g}" for value in problem.points[index])
    return f"({listed})" if problem.points.shape[1] > 1 else listed


@figure(size=(9.2, 4.9))
def problems(canvas: Canvas, palette: Palette, shown: Gallery) -> None:
    """One of every kind of problem: surfaces, functions of known norm, two with displacement, a hard class, three arms."""
    panels = canvas.subplots(2, 4).ravel()
    limit = max(float(np.abs(v).max()) for v in shown.surfaces.values())
    for axes, (kernel, values) in zip(panels, shown.surfaces.items(), strict=False):
        name = f"App. E, {KERNEL_TITLES[kernel]}"
        _surface(axes, shown.points, values, palette, name, (-limit, limit))
        axes.plot(*shown.points[int(values.argmax())], "*", color="#ff4d7a", ms=11, mec="#ffffff", mew=0.7)
    peak = shown.robust["peak-2d"]
    _surface(panels[3], peak.points, peak.values, palette, PROBLEM_TITLES["peak-2d"], (-1, 1))
    _two_optima(panels[3], peak, "#ffffff", "#ff4d7a")
    _curves(panels[4:], shown, palette)
    for axes in panels:
        axes.tick_params(labelsize=8)
        axes.grid(visible=False)


def _surface(
    axes: Axes, points: Floats, values: Floats, palette: Palette, title: str, limits: tuple[float, float]
) -> None:
    side = round(len(values) ** 0.5)
    low, high = float(points.min()), float(points.max())
    scale: charts.Style = {"origin": "lower", "extent": (low, high, low, high), "vmin": limits[0], "vmax": limits[1]}
    axes.imshow(values.reshape(side, side).T, cmap=palette.map, **scale)
    axes.set(aspect="equal")
    axes.set_title(title, fontsize=9.5)


def _two_optima(axes: Axes, problem: FiniteProblem, plain: str, safe: str) -> None:
    """Circle and star: ordinary and robust maximiser."""
    for index, marker, color in ((problem.optimum_index, "o", plain), (problem.robust_optimum_index, "*", safe)):
        # On a line the height is the value.
        place = (
            problem.points[index] if problem.points.shape[1] > 1 else (*problem.points[index], problem.values[index])
        )
        axes.plot(*place, marker, color=color, ms=10, mfc="none" if marker == "o" else color)


def _curves(panels: Sequence[Axes], shown: Gallery, palette: Palette) -> None:
    for k, problem in enumerate(shown.known):
        panels[0].plot(problem.points[:, 0], problem.values, lw=1.3, **charts.look(palette, k))
        best = problem.optimum_index
        panels[0].plot(problem.points[best, 0], problem.values[best], "*", color=palette.accent, ms=9)
    toy = shown.robust["toy-1d"]
    panels[1].plot(toy.points[:, 0], toy.values, color=palette.series[0], ls="-")
    panels[1].plot(toy.points[:, 0], toy.robust_values, color=palette.series[1], ls="--", lw=1.2)
    _two_optima(panels[1], toy, palette.ink, palette.accent)
    x = np.linspace(0, 1, 601)[:, None]
    for k, one in enumerate(shown.hard.classes[:2]):
        values = shown.family.build(one.epsilon).values(x)[one.size // 2]
        panels[2].plot(x[:, 0], values, label=f"class {k + 1}", **charts.look(palette, k))
    panels[2].legend(loc="upper left")
    arms = range(shown.arms.size)
    panels[3].bar(arms, shown.arms.values, color=palette.series[: len(arms)], width=0.6)
    panels[3].axhline(0, color=palette.muted, lw=0.8)
    panels[3].set_xticks(list(arms), [f"arm {k}" for k in arms])
    titles = ("known norm", PROBLEM_TITLES["toy-1d"], "Theorem 2", "three arms")
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(title, fontsize=9.5)
