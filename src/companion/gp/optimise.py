r"""Climbing: the moments of Adam (Kingma, Ba, 2015), with which the papers' published searches climb; without a gradient; and
down, by L-BFGS-B."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import Bounds, minimize

from companion.core.arrays import Floats

DECAY, EPSILON = (0.9, 0.999), 1e-8


class Adam:
    r"""Running moments of a gradient g, and the step they give.

    .. math:: m\leftarrow d_1m+w_1g,\qquad v\leftarrow d_2v+w_2g^2,\qquad
              \eta\,\frac{m}{1-d_1^a}\Big/\Big(\sqrt{\frac{v}{1-d_2^a}}+10^{-8}\Big),\qquad a\leftarrow a+1

    A gradient in single precision keeps its precision, and so does the step, unless the rate is an array.

    Parameters
    ----------
    like : (k, ...) what moves; its shape and precision are those of the moments
    each : every row has its own age a, and may start afresh by itself
    fresh : the weights (w_1, w_2). In floating-point numbers 1 - d differs from what is usually written in its place, and
        stored digits show which of the two a program has
    """

    def __init__(self, like: Any, each: bool = False, fresh: tuple[float, float] = (0.1, 0.001)) -> None:
        self.first, self.second, self.fresh = np.zeros_like(like), np.zeros_like(like), fresh
        self.age: Any = np.zeros((len(like), 1)) if each else 0

    def step(self, slope: Any, rate: Any) -> Any:
        """Take in the gradient ``slope`` and return the step, of length about ``rate``: to be added to climb."""
        d1, d2 = DECAY
        self.age = self.age + 1
        self.first = d1 * self.first + self.fresh[0] * slope
        self.second = d2 * self.second + self.fresh[1] * slope**2
        return rate * (self.first / (1 - d1**self.age)) / (np.sqrt(self.second / (1 - d2**self.age)) + EPSILON)

    def forget(self, rows: Any) -> None:
        """Start afresh at some rows; with an age for each."""
        self.first[rows], self.second[rows], self.age[rows] = 0.0, 0.0, 0.0


def climbed(score: Callable[[Floats], Floats], places: Floats, rounds: int = 12) -> tuple[Floats, Floats]:
    """Places (n, d) of [0,1]^d moved uphill along the axes, by steps that are halved where none helps, and their scores (n,).

    Examples
    --------
    >>> import numpy as np
    >>> from companion.gp.optimise import climbed
    >>> places, scores = climbed(lambda x: -((x - 0.3) ** 2).sum(axis=1), np.array([[0.5, 0.2]]), rounds=20)
    >>> places.round(3)
    array([[0.3, 0.3]])
    """
    places, values, step = places.copy(), score(places), np.full(len(places), 0.05)
    for _ in range(rounds):
        moved = np.zeros(len(places), dtype=bool)
        for axis in range(places.shape[1]):
            for sign in (-1.0, 1.0):
                tried = places.copy()
                tried[:, axis] = np.clip(tried[:, axis] + sign * step, 0.0, 1.0)
                there = score(tried)
                better = there > values
                places[better], values[better] = tried[better], there[better]
                moved |= better
        step[~moved] *= 0.5
    return places, values


def descended(
    loss: Callable[[Floats], tuple[float, Floats]], start: Floats, low: Any, high: Any, steps: int = 15000
) -> Floats:
    """Where L-BFGS-B (Byrd, Lu, Nocedal, Zhu, 1995) ends, from ``start`` (n,) between bounds; infinite ones are none.

    ``loss`` gives value and gradient (n,).

    >>> import numpy as np
    >>> from companion.gp.optimise import descended
    >>> descended(lambda x: (float(((x - 2.0) ** 2).sum()), 2.0 * (x - 2.0)), np.zeros(2), -np.inf, [1.0, 3.0]).round(3)
    array([1., 2.])
    """
    ends = Bounds(*(np.broadcast_to(np.asarray(end, dtype=np.float64), len(start)) for end in (low, high)))
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=ends, options={"maxiter": steps}).x)
