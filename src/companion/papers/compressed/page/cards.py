"""Data for rebuilding the experiments' problems and methods: values, optima, and a picture's data."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from companion.core.arrays import Floats
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded
from companion.papers.compressed.experiments.definitions import chapter_problem
from companion.papers.compressed.experiments.parameters import ALPHA, BUDGET, Common, Example, Logistic, Rosenbrock
from companion.papers.compressed.experiments.runs import SKETCHES
from companion.papers.compressed.method import admission
from companion.papers.compressed.problems.catalogue import ChapterProblem
from companion.papers.compressed.problems.images import DIGITS_TRAINING, MNIST_TRAINING
from companion.papers.compressed.problems.training import EPOCHS, HIGH, LEVELS, LOW
from companion.papers.compressed.problems.tuning_table import SEEDS

EXPERIMENTS = ("example-function", "rosenbrock", "logistic")
#: Their defaults, in names of numbers.
DEFAULTS: dict[str, Common] = {"line": Example(), "valley": Rosenbrock(), "tuning": Logistic()}


@dataclass(frozen=True, eq=False)
class Problems:
    """The three problems at their defaults, by experiment."""

    of: dict[str, ChapterProblem]


@recorded(random=False)
def problem_study() -> Problems:
    """The problems of the paper's experiments as they are run here."""
    return Problems({name: chapter_problem(p) for name, p in zip(EXPERIMENTS, DEFAULTS.values(), strict=True)})


def best_point(chapter: ChapterProblem) -> Floats:
    """The candidate with the largest value, in the problem's coordinates."""
    return np.asarray(chapter.problem.points[int(np.argmax(chapter.problem.values))])


def tuned(point: Floats) -> Floats:
    """Hyper-parameters of a point of the unit cube, on their axes."""
    return np.asarray(LOW) + point * (np.asarray(HIGH) - np.asarray(LOW))


def problem_numbers(study: Problems) -> Numbers:
    """Sizes, domains, optima and noise of the problems."""
    valley, tuning = (study.of[name] for name in EXPERIMENTS[1:])
    numbers: dict[str, object] = {}
    for name, (title, p) in zip(EXPERIMENTS, DEFAULTS.items(), strict=True):
        chapter = study.of[name]
        numbers |= {
            f"{title}_size": chapter.problem.size,
            f"{title}_initial": chapter.initial,
            f"{title}_rounds": p.horizon,
            f"{title}_best": float(chapter.problem.values.max()),
            f"{title}_least": float(chapter.problem.values.min()),
            f"{title}_at": [float(value) for value in best_point(chapter)],
            f"{title}_ends": [float(value) for value in (chapter.problem.points.min(), chapter.problem.points.max())],
        }
    rate, batch, dropout, penalty = tuned(best_point(tuning))
    return Numbers(
        study,
        **numbers,
        axis=Rosenbrock().points_per_axis,
        valley_scale=valley.scale,
        valley_raw=float(
            (1 - best_point(valley)[0]) ** 2 + 10 * (best_point(valley)[1] - best_point(valley)[0] ** 2) ** 2
        ),
        noise=Example().noise_variance,
        lengthscale=Example().lengthscale,
        seeds=SEEDS,
        epochs=EPOCHS,
        levels=LEVELS,
        real=tuning.meta["data"] == "mnist",
        training=MNIST_TRAINING if tuning.meta["data"] == "mnist" else DIGITS_TRAINING,
        accuracy=float(tuning.meta["best_accuracy"]),
        tuning_scale=tuning.scale,
        tuning_noise=float(tuning.meta["noise_variance_found"]),
        rate=10.0**rate,
        batch=2 ** round(float(batch)),
        dropout=float(dropout),
        penalty=10.0**penalty,
        low=list(LOW),
        high=list(HIGH),
    )


@recorded(random=False)
def method_numbers() -> Numbers:
    """Threshold of the variance under every reading at the settings run here, and the constants the methods share."""
    noise = Example().noise_variance
    horizons = {
        title: power_of_ten(admission.information(admission.horizon_budget(p.horizon, ALPHA), noise).threshold)
        for title, p in DEFAULTS.items()
    }
    return Numbers(
        **horizons,
        printed=power_of_ten(admission.information(BUDGET, noise).threshold),
        unit=power_of_ten(admission.unit_noise(BUDGET).threshold),
        raw=f"{admission.raw_entropy(BUDGET, noise).threshold:.3g}",
        budget=power_of_ten(BUDGET),
        noise=power_of_ten(noise),
        delta=Example().delta,
        oversampling=[float(SKETCHES[name]["oversampling"]) for name in ("bkb-5", "bkb-1")],
    )


def power_of_ten(value: float) -> str:
    """Three significant digits and a power of ten, as TeX; a plain power where the digits are one."""
    digits, _, exponent = f"{value:.2e}".partition("e")
    base, power = 10, int(exponent)
    front = "" if float(digits) == 1.0 else rf"{float(digits):g}\cdot"
    return f"{front}{base}^{{{power}}}"


@figure(size=(9.0, 3.1))
def problems(canvas: Canvas, palette: Palette, study: Problems) -> None:
    """The three objectives with their best candidate."""
    line, valley, tuning = (study.of[name] for name in EXPERIMENTS)
    panels = charts.row_of(canvas, 3, sharey=False)
    star: charts.Style = {"marker": "*", "ms": 13, "color": palette.accent, "mec": palette.paper, "ls": "none"}
    panels[0].plot(line.problem.points[:, 0], line.problem.values, color=palette.series[0], ls="-")
    panels[0].plot(*best_point(line), line.problem.values.max(), **star)
    charts.name_axes(panels[0], "x", "f", "Example function")
    side = math.isqrt(valley.problem.size)
    x, y, f = (part.reshape(side, side) for part in (*valley.problem.points.T, valley.problem.values))
    ranks = f.ravel().argsort().argsort().reshape(f.shape) / f.size
    panels[1].contourf(x, y, ranks, np.linspace(0, 1, 11), cmap=palette.map)
    panels[1].plot(*best_point(valley), **star)
    charts.name_axes(panels[1], "x", "y", "Rosenbrock, brighter is better")
    rate, sizes = tuned(tuning.problem.points)[:, :2].T
    panels[2].scatter(10.0**rate, tuning.problem.values, s=9, c=sizes, cmap=palette.map)
    best = tuned(best_point(tuning))
    panels[2].plot(10.0 ** best[0], tuning.problem.values.max(), **star)
    charts.name_axes(panels[2], "learning rate", "f", "Tuning, brighter: larger batch", log="x")
    for axes in panels[1:]:
        axes.grid(visible=False)
