"""Texts of the cards of problems and methods: sizes, optima and settings, read from the objects that are run."""

from __future__ import annotations

from collections.abc import ItemsView
from dataclasses import dataclass
from functools import partial

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Colormap

from companion.core.arrays import Floats
from companion.pages import Canvas, Numbers, Palette, figure, recorded
from companion.papers.wdrbo.experiments.parameters import General
from companion.papers.wdrbo.experiments.printed import TITLE_OF
from companion.papers.wdrbo.method.maximiser import GridAndAscent
from companion.papers.wdrbo.method.methods import Settings, discrepancy_radius
from companion.papers.wdrbo.method.model import LENGTHSCALE_FLOOR, NOISE_FLOOR
from companion.papers.wdrbo.page.findings import difference_rows
from companion.papers.wdrbo.problems.catalogue import DATA_DRIVEN, NAMES, PUBLISHED_OPTIMA, chapter_problem
from companion.papers.wdrbo.problems.context import ContextProblem
from companion.papers.wdrbo.problems.newsvendor import COST, PRICE, SALVAGE
from companion.papers.wdrbo.problems.portfolio import (
    CONSTANT_MEAN,
    FILE,
    LENGTHSCALES,
    NOISE_VARIANCE,
    STAND_IN_POINTS,
)
from companion.papers.wdrbo.problems.shifted import SHIFTED, TOLD

PORTFOLIOS = tuple(name for name in NAMES if name.startswith("portfolio"))
#: The portfolios' rewards rest on evaluations that are not part of the companion.
DRAWN = tuple(name for name in NAMES if name not in PORTFOLIOS)
#: On a side: four in each of Ackley's waves.
PIXELS = 263
#: Colours of a map; more of them make large files, and show no more.
SHADES = 20
#: Of the law of the contexts, beside the picture.
QUANTILES = 20


@dataclass(frozen=True, eq=False)
class Map:
    """A reward over two coordinates.

    Parameters
    ----------
    values : (263, 263), the coordinate ``across`` first
    across, up : names of the coordinates
    best, best_up : the best decision's; the second is none where ``up`` is the context
    law : quantiles of the context's law, where ``up`` is the context
    """

    values: Floats
    across: str
    up: str
    best: float
    best_up: float | None
    law: Floats


@dataclass(frozen=True, eq=False)
class Maps:
    """The problems' maps by name; ``axis`` (263,) has the coordinates of both sides."""

    axis: Floats
    found: dict[str, Map]

    def items(self) -> ItemsView[str, Map]:
        """Names and maps."""
        return self.found.items()


def map_numbers(maps: Maps) -> Numbers:
    """The best decision of every problem, as far as its map shows it."""
    best = {TITLE_OF[name]: [x for x in (one.best, one.best_up) if x is not None] for name, one in maps.items()}
    return Numbers(maps, **best)


@recorded(random=False)
def problem_maps() -> Maps:
    """Reward over decision and context, or expected reward over the first two decisions, the others being the best."""
    axis = np.linspace(0.0, 1.0, PIXELS)
    first, second = (each.ravel() for each in np.meshgrid(axis, axis, indexing="ij"))
    found = {}
    for name in DRAWN:
        problem = chapter_problem(name)
        at = problem.optimiser
        if problem.dim == problem.context_dim == 1:
            values = problem.evaluate(first[:, None], second[:, None])
            law = problem.law.quantile_nodes(QUANTILES)[:, 0]
            one = Map(values, "decision x", "context c", float(at[0]), None, law)
        else:
            x = np.tile(at, (len(first), 1))
            x[:, 0], x[:, 1] = first, second
            one = Map(problem.expected(x), "decision x₁", "decision x₂", float(at[0]), float(at[1]), np.zeros(0))
        found[name] = Map(one.values.reshape(PIXELS, PIXELS), one.across, one.up, one.best, one.best_up, one.law)
    return Maps(axis, found)


def _facts(key: str, problem: ContextProblem) -> dict[str, object]:
    listed = [f"{v:.4g}" for v in problem.optimiser]
    return {
        f"{key}_dx": problem.dim,
        f"{key}_dc": problem.context_dim,
        f"{key}_best": problem.optimum,
        f"{key}_at": listed[0] if len(listed) == 1 else f"({', '.join(listed)})",
    }


@recorded(random=False)
def problem_numbers() -> Numbers:
    """Sizes and optima of all problems in the text's reading, and the constants of the portfolios' regression."""
    values: dict[str, object] = {}
    for name in DRAWN:
        values |= _facts(name, chapter_problem(name))
    for name in PORTFOLIOS:
        # The values of the simulator's evaluations stand among the differences of text and code; the stand-in's is computed.
        values |= _facts(name.replace("-", "_"), chapter_problem(name, data="stand-in"))
    values |= {f"{name.replace('-', '_')}_code": PUBLISHED_OPTIMA[name] for name in DATA_DRIVEN}
    values["ackley_two"] = chapter_problem("ackley", "code").optimum
    rows = difference_rows()
    for name in PORTFOLIOS:
        row = rows[(rows["problem"] == TITLE_OF[name]) & (rows["item"] == "optimum")]
        values[f"{name.replace('-', '_')}_real"] = str(row["text"].iloc[0]).rsplit(" ", 1)[-1]
    told = {f"told_{name}": f"N({TOLD[name].mean:g}, {TOLD[name].sd:g}²)" for name in SHIFTED}
    return Numbers(
        evaluations=int("".join(filter(str.isdigit, FILE))),
        price=PRICE,
        cost=COST,
        salvage=SALVAGE,
        told_nodes=General.told_nodes,
        scales=[f"{v:.4g}" for v in LENGTHSCALES],
        noise=NOISE_VARIANCE,
        constant=CONSTANT_MEAN,
        stand_in=STAND_IN_POINTS,
        **told,
        **values,
    )


@recorded(random=False)
def method_numbers() -> Numbers:
    """Settings of the methods as they are run in the text's reading."""
    s, search = Settings(), GridAndAscent()
    return Numbers(
        width=s.width,
        radius=s.radius,
        nodes=s.lipschitz_nodes[0],
        nodes_two=s.lipschitz_nodes[1],
        support=s.support_nodes[0],
        support_two=s.support_nodes[1],
        floor=s.floor_nodes[0],
        floor_two=s.floor_nodes[1],
        box=s.stable_nodes[0],
        box_two=s.stable_nodes[1],
        grid=s.discrepancy_nodes,
        grid_minmax=s.minmax_nodes,
        samples=s.samples,
        robust_samples=s.robust_samples,
        delta=1.0 - s.confidence,
        discrepancy=discrepancy_radius(1, s.confidence),
        line=search.line,
        raw=search.raw,
        starts=search.starts,
        floor_scale=LENGTHSCALE_FLOOR,
        floor_noise=NOISE_FLOOR,
    )


def shades(palette: Palette) -> Colormap:
    """Colours of a map of two coordinates."""
    return colormaps[palette.map].resampled(SHADES)


@figure(size=(8.6, 5.0))
def problems(canvas: Canvas, palette: Palette, maps: Maps) -> None:
    """Every problem that can be drawn: the reward, or its mean where there are more than two coordinates."""
    panels = list(canvas.subplots(2, 3).ravel())
    for axes, (name, one) in zip(panels, maps.items(), strict=True):
        image = axes.pcolormesh(maps.axis, maps.axis, one.values.T, cmap=shades(palette), rasterized=True)
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
