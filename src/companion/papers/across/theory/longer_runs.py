"""Regret of every play of GP-UCB over its width, in short and in long runs: the width that loses least depends on the length.

Draws of the prior, played with the right model: the running example's line, that line with three times the noise, and a square.
``python -m companion.papers.across.experiments longer`` makes the table, in five minutes on one core.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import FinitePosterior, PriorDraws, SquaredExponential, grid
from companion.gp.ties import lowest_argmaxes
from companion.judge.intervals import mean_interval, paired_interval
from companion.papers.across.problems.common import stored_set
from companion.problems.running_example import LENGTHSCALE, NOISE, POINTS
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, RunTable, kept_rows
from companion.stored.runs import PaperRuns


class Place(NamedTuple):
    """Points an axis, dimension, length-scale and noise standard deviation; the prior variance is one."""

    points: int
    dim: int
    lengthscale: float
    noise: float


#: The first is the running example's.
PLACES = {
    "line": Place(POINTS, 1, LENGTHSCALE, NOISE),
    "noisy line": Place(POINTS, 1, LENGTHSCALE, 0.3),
    "square": Place(15, 2, 0.2, NOISE),
}
WIDTHS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
TIMES = (10, 20, 40, 70, 100, 200, 400)
#: Functions, and digits that are kept.
DRAWS, DIGITS = 500, 5


def regrets(place: Place, width: float, values: Floats, noise: Floats) -> Floats:
    """(R, T) cumulative regret of GP-UCB; ``values`` (R, N) of the functions, ``noise`` (R, T) of the evaluations."""
    runs, horizon = noise.shape
    covariance = np.asarray(SquaredExponential(place.lengthscale)(grid(place.points, place.dim)))
    posterior = FinitePosterior(covariance, place.noise**2, replicates=runs, capacity=horizon)
    lanes, lost = np.arange(runs), np.zeros((runs, horizon))
    for t in range(horizon):
        chosen = lowest_argmaxes(posterior.mean + width * posterior.sd)
        posterior.observe(chosen, values[lanes, chosen] + noise[:, t])
        lost[:, t] = values.max(axis=1) - values[lanes, chosen]
    return lost.cumsum(axis=1)


def widths_of(method: str, runs: int = DRAWS, horizon: int = TIMES[-1]) -> Iterator[dict[str, Any]]:
    """Mean regret of a run after each of :data:`TIMES`, and by how much it is behind the best width: means with 95 % intervals.

    Functions and noise are common to all widths, so that what is behind is a paired difference."""
    place, generator = PLACES[method], stream(0, "across", "longer", method)
    kernel, points = SquaredExponential(place.lengthscale), grid(place.points, place.dim)
    values = PriorDraws.on_points(kernel, points).draw(generator, runs)
    noise = place.noise * generator.standard_normal((runs, horizon))
    lost = {width: regrets(place, width, values, noise) for width in WIDTHS}
    for t in (t for t in TIMES if t <= horizon):
        after = {width: each[:, t - 1] for width, each in lost.items()}
        best = min(WIDTHS, key=lambda width: float(after[width].mean()))
        for width, each in after.items():
            mean, behind = mean_interval(each), paired_interval(each, after[best])
            found = {"regret": mean.estimate, "low": mean.low, "high": mean.high}
            found |= {"behind": behind.estimate, "behind_low": behind.low, "behind_high": behind.high}
            short = {key: float(f"{value:.{DIGITS}g}") for key, value in found.items()}
            yield {"problem": method, "evaluations": t, "width": width} | short


def blocks(plan: None = None) -> list[Block]:
    """A run is a place, with all widths."""
    return [Block("longer", [Task("across/longer", name, {}, 0) for name in PLACES])]


def compute(task: Task) -> dict[str, Any]:
    """Rows of a place."""
    return {"rows": list(widths_of(task.method))}


TABLES = {"longer": RunTable(("problem", "evaluations", "width"), kept_rows, digits=17)}
STORED = stored_set("longer", module=__name__, whole=True)
RUNS = PaperRuns(stored=STORED, blocks=blocks, compute=compute, tables=TABLES, seeds=lambda plan: (0,))
store, load = RUNS.store, cache(STORED.load)
