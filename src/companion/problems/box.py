"""A problem on a box: maximise a function of continuous coordinates from noisy values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.arrays import Floats
from companion.core.calls import one_line
from companion.core.errors import CompanionError, ParameterError, non_negative


@dataclass(frozen=True, eq=False)
class BoxProblem:
    """Maximise f over a box from noisy values f(x) + noise.

    Parameters
    ----------
    name : short name for tables
    low, high : (d,) corners, low < high in every coordinate
    objective : maps (n, d) points to (n,) values of f, without noise, in double precision
    optimum : max f, or the value regret is measured against
    noise_sd : standard deviation of the observation noise, in units of f
    source : where the problem comes from
    optimiser : (d,) a point where the optimum is attained, where one is known
    certified : how the optimum is known, in a few words

    Raises
    ------
    ParameterError
        for corners that do not make a box, an optimum that is not finite, a negative ``noise_sd``, or an optimiser
        outside the box

    Examples
    --------
    >>> import companion as cp
    >>> bowl = lambda x: -(x**2).sum(axis=1)
    >>> problem = cp.BoxProblem("bowl", [-1, -1], [1, 1], bowl, optimum=0.0, noise_sd=0.1, source="mine")
    >>> problem.evaluate([[0.5, 0.0]])
    array([-0.25])
    """

    name: str
    low: Floats
    high: Floats
    objective: Callable[[Floats], Floats]
    optimum: float
    noise_sd: float
    source: str
    optimiser: Floats | None = None
    certified: str = ""

    __repr__ = one_line

    def __post_init__(self) -> None:
        for corner in ("low", "high"):
            array = np.array(getattr(self, corner), dtype=np.float64)
            array.flags.writeable = False
            object.__setattr__(self, corner, array)
        if self.low.ndim != 1 or self.low.shape != self.high.shape or not (self.low < self.high).all():
            raise ParameterError("low, high", f"got {self.low}, {self.high}", "equally long, low < high everywhere")
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all() and math.isfinite(self.optimum)):
            raise ParameterError("low, high, optimum", "contain NaN or infinity", "finite numbers")
        non_negative("noise_sd", self.noise_sd)
        if self.optimiser is not None:
            point = np.array(self.optimiser, dtype=np.float64)
            point.flags.writeable = False
            object.__setattr__(self, "optimiser", point)
            if point.shape != self.low.shape or not self.contains(point[None, :])[0]:
                raise ParameterError("optimiser", f"got {point}", f"a point of the box {self.low} to {self.high}")

    @property
    def dim(self) -> int:
        """Number of coordinates d."""
        return len(self.low)

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Mask (n,) of the ``points`` (n, d) that lie in the box.

        Examples
        --------
        >>> import companion as cp
        >>> bowl = cp.BoxProblem("bowl", [-1], [1], lambda x: -(x**2).sum(axis=1), optimum=0.0, noise_sd=0.1, source="mine")
        >>> bowl.contains([[0.5], [2.0]])
        array([ True, False])
        """
        array = np.asarray(points, dtype=np.float64)
        return np.asarray(((array >= self.low) & (array <= self.high)).all(axis=1))

    def uniform(self, generator: np.random.Generator, count: int) -> Floats:
        """``count`` independent uniform points of the box, shape (count, d).

        Examples
        --------
        >>> import companion as cp
        >>> bowl = cp.BoxProblem("bowl", [-1], [1], lambda x: -(x**2).sum(axis=1), optimum=0.0, noise_sd=0.1, source="mine")
        >>> bool(bowl.contains(bowl.uniform(cp.stream(0, "design"), 20)).all())
        True
        """
        return generator.uniform(self.low, self.high, size=(count, self.dim))

    def evaluate(self, points: ArrayLike) -> Floats:
        """f at ``points`` (n, d), shape (n,).

        Raises
        ------
        ParameterError
            if a point lies outside the box
        CompanionError
            if the objective returns something other than n finite numbers
        """
        array = np.asarray(points, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != self.dim or not self.contains(array).all():
            raise ParameterError("points", f"have shape {array.shape} or leave the box", f"(n, {self.dim}) in the box")
        values = np.asarray(self.objective(array), dtype=np.float64)
        if values.shape != (len(array),) or not np.isfinite(values).all():
            raise CompanionError(f"{self.name}: the objective returned {values!r} for {len(array)} points")
        return values
