"""Candidates for choosing a batch on a box: the same for every method.

A box is not a finite set, and the paper does not say how its acquisition functions are optimised. As in
the authors' published code, each round draws uniform candidates and adds the end points of ascents on the posterior
mean. The regret that can be reached is decided by this step, so every method gets it alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from companion.core.arrays import Floats
from companion.core.errors import positive_number, whole_number
from companion.gp import DataPosterior
from companion.gp.optimise import Adam
from companion.papers.tsrsr.method.single import SinglePosterior

_CHUNK = 8


@dataclass(frozen=True)
class CandidateSearch:
    """Uniform candidates with ascents on the posterior mean.

    1. ``uniform`` independent points of the box.
    2. An ascent (rate ``rate_best``) from the candidate with the largest mean.
    3. An ascent (rate ``rate_data``) from every data point whose mean exceeds that largest mean, unless a candidate lies
       within ``apart`` of it; data points are taken in order of observation, and end points count as candidates.

    Ascents are ``steps`` steps of Adam. A step that leaves the box is clamped, and goes on afresh with rate
    ``rate_clamped``. Rates and ``apart`` are in units of the coordinates, as in the published code.

    Parameters
    ----------
    uniform, steps : numbers of points and steps
    rate_best, rate_data, rate_clamped, apart : see above
    """

    uniform: int = 1000
    steps: int = 200
    rate_best: float = 1e-3
    rate_data: float = 1e-2
    rate_clamped: float = 1e-4
    apart: float = 0.1

    def __post_init__(self) -> None:
        whole_number("uniform", self.uniform)
        whole_number("steps", self.steps, 0)
        for name in ("rate_best", "rate_data", "rate_clamped", "apart"):
            positive_number(name, getattr(self, name))

    def __call__(
        self, posterior: DataPosterior | SinglePosterior, low: Floats, high: Floats, generator: np.random.Generator
    ) -> Floats:
        """Candidates (N, d) for the box from ``low`` to ``high``, the uniform ones first.

        The posterior's precision is that of the ascents.
        """
        found = generator.uniform(low, high, size=(self.uniform, len(low)))
        if self.steps == 0 or len(posterior.points) == 0:
            return found
        means = posterior.mean(found)
        best = found[[int(np.argmax(means))]]
        found = np.vstack([found, self._ascend(posterior, best, self.rate_best, low, high)])
        own = posterior.points
        waiting = list(np.flatnonzero(_each(posterior, own) > means.max()))
        waiting = [i for i, gap in zip(waiting, _gaps(own[waiting], found), strict=True) if gap > self.apart]
        # Ascents do not depend on one another, so several go at once; only which of them are kept is decided in turn.
        while waiting:
            chunk, waiting = waiting[:_CHUNK], waiting[_CHUNK:]
            ends = self._ascend(posterior, own[chunk], self.rate_data, low, high)
            for start, end in zip(own[chunk], ends, strict=True):
                if _gaps(start[None, :], found)[0] > self.apart:
                    found = np.vstack([found, end])
            waiting = [i for i, gap in zip(waiting, _gaps(own[waiting], found), strict=True) if gap > self.apart]
        return found

    def _ascend(
        self, posterior: DataPosterior | SinglePosterior, starts: Any, rate: float, low: Floats, high: Floats
    ) -> Floats:
        starts = np.asarray(starts, dtype=posterior.points.dtype)
        return adam(lambda x: posterior.mean_and_gradient(x)[1], starts, rate, self.rate_clamped, self.steps, low, high)


def _each(posterior: DataPosterior | SinglePosterior, points: Any) -> Any:
    """The mean at every point on its own, which in single precision is not the mean at all of them at once."""
    if isinstance(posterior, SinglePosterior):
        return posterior.mean_and_gradient(points)[0]
    return posterior.mean(points)


def _gaps(points: Any, others: Floats) -> Floats:
    """Distance of every point to the nearest of the others, (n,)."""
    return cdist(points, others).min(axis=1) if len(points) else np.zeros(0)


def adam(
    gradient: Callable[[Any], Any],
    starts: Any,
    rate: float,
    rate_clamped: float,
    steps: int,
    low: Floats,
    high: Floats,
) -> Floats:
    """Maximise by :class:`~companion.gp.optimise.Adam` from several starts at once, within a box.

    Where a step leaves the box, it is clamped, the moments start afresh, and the rate is ``rate_clamped`` from then on.

    Parameters
    ----------
    gradient : maps (k, d) points to (k, d) gradients of the objective
    starts : (k, d); their precision is that of the points on the way
    rate, rate_clamped : step sizes, in units of the coordinates
    steps : number of steps
    low, high : (d,) corners

    Returns
    -------
    (k, d) end points
    """
    x, moments = starts.copy(), Adam(starts, each=True)
    pace = np.full((len(x), 1), rate)
    for _ in range(steps):
        x = (x + moments.step(gradient(x), pace)).astype(starts.dtype, copy=False)
        inside = np.clip(x, low, high)
        left = (inside != x).any(axis=1)
        if left.any():
            x = inside.astype(starts.dtype, copy=False)
            moments.forget(left)
            pace[left] = rate_clamped
    return x
