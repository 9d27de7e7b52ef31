"""Numbers and pictures for the cards of problems and methods, from the objects that the experiments run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.core.arrays import Floats
from companion.gp.kernels import Matern, SquaredExponential
from companion.pages import Canvas, Numbers, Palette, figure, recorded
from companion.papers.tsrsr.experiments.parameters import Column
from companion.papers.tsrsr.method.candidates import CandidateSearch
from companion.papers.tsrsr.method.rules import DPPTS, MAXIMUM_REDRAWS, PublishedWidth, StochasticPolicy
from companion.papers.tsrsr.problems import network, robot
from companion.papers.tsrsr.problems.catalogue import (
    DESIGN_POINTS,
    SETTINGS,
    chapter_problem,
    default_noise,
)
from companion.papers.tsrsr.problems.gp_functions import CUBE, PLANE
from companion.papers.tsrsr.problems.reference import reference
from companion.problems import BoxProblem, FiniteProblem
from companion.problems.benchmarks import HARTMANN_CENTRES, HARTMANN_RATES, HARTMANN_WEIGHTS

#: Problems that are drawn: those with a formula or on a grid.
DRAWN = (
    "gp-2d", "gp-3d", "ackley-2d", "rosenbrock-2d", "bird-2d", "hartmann-6d", "griewank-8d", "michalewicz-10d",
)  # fmt: skip
#: Points an axis of a slice through a box.
FINE = 101
#: Draws of a Gaussian process, and goals of a robot.
FUNCTIONS = range(10)


@dataclass(frozen=True, eq=False)
class Slice:
    """A problem over two of its coordinates, the others at its maximiser.

    Attributes
    ----------
    title : of the problem
    low, high : ends of the two axes
    values : (n, n) f, the first coordinate down
    best : where the maximum is, in the two coordinates
    dim : number of coordinates of the problem
    """

    title: str
    low: Floats
    high: Floats
    values: Floats
    best: Floats
    dim: int


@dataclass(frozen=True, eq=False)
class Slices:
    """Pictures of the problems :data:`DRAWN`."""

    shown: tuple[Slice, ...]


@recorded(first=0)
def slices() -> Slices:
    """The problems in the text's reading; of drawn functions the first."""
    return Slices(tuple(_slice(name) for name in DRAWN))


def slice_numbers(pictures: Slices) -> Numbers:
    """Optimum of every problem."""
    return Numbers(pictures, **{shown.title: shown.best for shown in pictures.shown})


def _slice(name: str) -> Slice:
    problem, title = chapter_problem(name).problem, SETTINGS[name].title
    if isinstance(problem, FiniteProblem):
        points = problem.points
        best = points[int(np.argmax(problem.values))]
        plane = (points[:, 2:] == best[2:]).all(axis=1)
        side = round(float(plane.sum()) ** 0.5)
        values = problem.values[plane].reshape(side, side)
        low, high = points.min(axis=0), points.max(axis=0)
        return Slice(title, low[:2], high[:2], values, best[:2], points.shape[1])
    assert problem.optimiser is not None
    first, second = (np.linspace(problem.low[j], problem.high[j], FINE) for j in (0, 1))
    points = np.tile(problem.optimiser, (FINE**2, 1))
    points[:, :2] = np.stack(np.meshgrid(first, second, indexing="ij"), axis=-1).reshape(-1, 2)
    values = problem.evaluate(points).reshape(FINE, FINE)
    return Slice(title, problem.low[:2], problem.high[:2], values, problem.optimiser[:2], problem.dim)


@recorded(first=0)
def problem_numbers() -> Numbers:
    """Sizes, boxes and optima of the twelve problems in the text's reading; of drawn ones the range of their optima."""
    made = {name: chapter_problem(name).problem for name in DRAWN}
    boxes = {name: problem for name, problem in made.items() if isinstance(problem, BoxProblem)}
    values: dict[str, object] = {}
    for name, chosen in SETTINGS.items():
        key = name.replace("-", "_")
        values |= {f"{key}_m": chosen.batch_size, f"{key}_rounds": chosen.batches}
    for name, problem in boxes.items():
        key = name.replace("-", "_")
        values |= {f"{key}_best": problem.optimum + 0.0, f"{key}_at": list(np.asarray(problem.optimiser))}
    for name, domain in (("gp_2d", PLANE), ("gp_3d", CUBE)):
        tops = [float(chapter_problem(name.replace("_", "-"), function=k).problem.optimum) for k in FUNCTIONS]
        facts = {"axis": domain.per_axis, "scale": domain.lengthscale, "ends": [domain.low, domain.high]}
        values |= {f"{name}_{what}": number for what, number in facts.items()} | {f"{name}_functions": len(tops)}
        values |= {f"{name}_low": min(tops), f"{name}_high": max(tops)}
    pushed = [float(reference(f"robot-{dim}d/{k}")["value"]) for dim in (3, 4) for k in FUNCTIONS]
    values |= {f"robot_{dim}d_goals": _goals(dim) for dim in (3, 4)}
    found, protocol = reference("network-boston/text"), network.TEXT
    values |= {
        "ackley_ends": _ends(boxes["ackley-2d"], 0),
        "griewank_ends": _ends(boxes["griewank-8d"], 0),
        "rosenbrock_first": _ends(boxes["rosenbrock-2d"], 0),
        "rosenbrock_second": _ends(boxes["rosenbrock-2d"], 1),
        "boston_low": list(protocol.low),
        "boston_high": list(protocol.high),
        "boston_scales": list(_lengthscales("boston-4d")),
        "boston_epochs": protocol.epochs,
        "boston_batch": network.BATCH,
        "boston_best": -float(found["value"]),
        "boston_tried": int(found["evaluations"]),
        "robot_below": -min(pushed),
        "robot_4d_high_corner": list(robot.corners(4, "text")[1]),
        "robot_tried": int(reference("robot-3d/0")["evaluations"]),
        "robot_speed": robot.SPEED,
        "robot_gain": robot.GAIN,
        "robot_step": robot.STEP,
        "robot_coasting": robot.COASTING,
        "matern_scale": _lengthscales("ackley-2d")[0],
        "hartmann_weights": list(HARTMANN_WEIGHTS),
        "hartmann_rows": ["(" + ", ".join(f"{entry:g}" for entry in row) + ")" for row in HARTMANN_RATES],
        "hartmann_places": ["(" + ", ".join(f"{entry:.4f}" for entry in row) + ")" for row in HARTMANN_CENTRES],
    }
    return Numbers(**values)


def _ends(problem: BoxProblem, axis: int) -> list[float]:
    return [float(problem.low[axis]), float(problem.high[axis])]


def _lengthscales(name: str) -> tuple[float, ...]:
    kernel = SETTINGS[name].text
    assert isinstance(kernel, Matern | SquaredExponential)
    scale = kernel.lengthscale
    return scale if isinstance(scale, tuple) else (scale,)


def _goals(dim: int) -> str:
    """The goals at four digits behind the point."""
    return ", ".join(f"({x:.4f}, {y:.4f})" for x, y in robot.GOALS[dim])


@recorded(random=False)
def method_numbers() -> Numbers:
    """Settings of the methods in the text's reading, from the rules and the defaults of the experiments."""
    search, width = CandidateSearch(), PublishedWidth()
    return Numbers(
        uniform=Column.candidates,
        steps=Column.ascent_steps,
        rate_best=search.rate_best,
        rate_data=search.rate_data,
        rate_clamped=search.rate_clamped,
        apart=search.apart,
        model_noise=Column.model_noise,
        design=DESIGN_POINTS,
        noise=default_noise("text"),
        delta=width.delta,
        first=width(0, 1000),
        tenth=width(9, 1000),
        initial=StochasticPolicy().initial,
        chain=DPPTS().steps,
        redraws=MAXIMUM_REDRAWS,
    )


#: Panels beside each other.
BESIDE = 4


@figure(size=(8.8, 4.4))
def small_multiples(canvas: Canvas, palette: Palette, pictures: Slices) -> None:
    """Every problem over its first two coordinates, by rank: steep functions would otherwise show one colour."""
    panels = canvas.subplots(-(-len(pictures.shown) // BESIDE), BESIDE)
    for axes, shown in zip(panels.flat, pictures.shown, strict=True):
        ranks = np.searchsorted(np.sort(shown.values, axis=None), shown.values) / shown.values.size
        extent = (shown.low[0], shown.high[0], shown.low[1], shown.high[1])
        axes.imshow(ranks.T, origin="lower", extent=extent, aspect="auto", cmap=palette.map)
        axes.plot(*shown.best, "*", color="#ffffff", mec="#000000", ms=11, mew=0.9, clip_on=False, zorder=5)
        axes.set_title(shown.title, fontsize=9)
        axes.tick_params(labelsize=7.5)
        axes.locator_params(nbins=4)
        axes.grid(visible=False)
