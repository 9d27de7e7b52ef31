"""Problems on a finite set of candidate points, with an optional neighbourhood relation for robust optimisation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from companion.core.arrays import Flags, Floats
from companion.core.calls import one_line
from companion.core.errors import ParameterError, floats_of, non_negative


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """A relation on N points, nb[x] = {x' : x may be displaced to x'}, with fast minima over it.

    Parameters
    ----------
    relation : (N, N) bool, row x marks the members of nb[x]; every row has at least one. The array is copied and made
        read-only.

    Raises
    ------
    ParameterError
        if the array is not a square boolean matrix or a row is empty

    Examples
    --------
    >>> import numpy as np
    >>> from companion.problems import Neighbourhood
    >>> line = np.arange(4)
    >>> near = Neighbourhood(np.abs(line[:, None] - line[None, :]) <= 1)
    >>> near.members(0), near.minimum([3.0, 1.0, 2.0, 5.0]), near.argmin(3, [3.0, 1.0, 2.0, 5.0])
    (array([0, 1]), array([1., 1., 1., 2.]), 2)
    >>> near.union(np.array([True, False, False, False]))
    array([ True,  True, False, False])
    """

    relation: Flags

    def __post_init__(self) -> None:
        relation = np.asarray(self.relation)
        if relation.ndim != 2 or relation.shape[0] != relation.shape[1] or relation.dtype != np.bool_:
            got = f"has shape {relation.shape} and type {relation.dtype}"
            raise ParameterError("neighbours", got, "a square matrix of booleans")
        empty = np.flatnonzero(~relation.any(axis=1))
        if empty.size:
            raise ParameterError("neighbours", f"point {empty[0]} has none", "at least one neighbour for every point")
        object.__setattr__(self, "relation", _frozen(relation))

    @property
    def size(self) -> int:
        """Number of points N."""
        return self.relation.shape[0]

    @cached_property
    def _rows(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        # Compressed rows: a minimum then costs the number of related pairs, not N^2.
        members = np.nonzero(self.relation)[1]
        counts = self.relation.sum(axis=1)
        return members, np.concatenate([[0], np.cumsum(counts)[:-1]])

    def minimum(self, values: ArrayLike) -> Floats:
        """min over x' in nb[x] of values[x'], for every x; shape (..., N) in and out."""
        members, starts = self._rows
        return np.minimum.reduceat(np.asarray(values, dtype=np.float64)[..., members], starts, axis=-1)

    def members(self, index: int) -> NDArray[np.intp]:
        """Indices of nb[index], increasing."""
        return np.flatnonzero(self.relation[index])

    def argmin(self, index: int, values: ArrayLike) -> int:
        """The member of nb[index] with the smallest value; the lowest index on ties."""
        members = self.members(index)
        return int(members[np.argmin(np.asarray(values)[members])])

    def union(self, candidates: Flags) -> Flags:
        """(N,) bool: points in nb[x] for at least one candidate x."""
        return self.relation[np.asarray(candidates, dtype=bool)].any(axis=0)


@dataclass(frozen=True, eq=False)
class FiniteProblem:
    """Maximise f over N candidate points from noisy values f(x) + noise.

    Parameters
    ----------
    name : short name for tables
    points : (N, d) coordinates
    values : (N,) values of f, without noise
    noise_sd : standard deviation of the observation noise, in units of f
    source : where the problem comes from
    neighbours : (N, N) bool, row x marks the points x may be displaced to; ``None`` when nothing is displaced

    All arrays are copied and read-only.

    Raises
    ------
    ParameterError
        for non-finite entries, shapes that do not fit, a negative ``noise_sd`` or a point without neighbours

    Examples
    --------
    >>> import companion as cp
    >>> problem = cp.FiniteProblem("three", [[0.0], [0.5], [1.0]], [0.2, 1.0, 0.4], noise_sd=0.1, source="mine")
    >>> problem.optimum_index, problem.regret.tolist()
    (1, [0.8, 0.0, 0.6])
    """

    name: str
    points: Floats
    values: Floats
    noise_sd: float
    source: str
    neighbours: Flags | None = None

    __repr__ = one_line

    def __post_init__(self) -> None:
        points = floats_of("points", self.points)
        values = floats_of("values", self.values)
        if points.ndim != 2 or points.shape[0] == 0:
            raise ParameterError("points", f"has shape {points.shape}", "(N, d) with N at least 1")
        if values.shape != (points.shape[0],):
            raise ParameterError("values", f"has shape {values.shape}", f"({points.shape[0]},), one value per point")
        non_negative("noise_sd", self.noise_sd)
        object.__setattr__(self, "points", _frozen(points))
        object.__setattr__(self, "values", _frozen(values))
        if self.neighbours is not None:
            neighbourhood = Neighbourhood(self.neighbours)
            if neighbourhood.size != self.size:
                got = f"has {neighbourhood.size} rows"
                raise ParameterError("neighbours", got, f"{self.size}, one per point")
            object.__setattr__(self, "neighbours", neighbourhood.relation)

    @property
    def size(self) -> int:
        """Number of candidate points N."""
        return self.points.shape[0]

    @cached_property
    def neighbourhood(self) -> Neighbourhood:
        """The relation as an object; without one, every point is its own only neighbour."""
        return Neighbourhood(np.eye(self.size, dtype=bool) if self.neighbours is None else self.neighbours)

    @property
    def optimum(self) -> float:
        """max f."""
        return float(self.values.max())

    @property
    def optimum_index(self) -> int:
        """Lowest index that attains the optimum."""
        return int(np.argmax(self.values))

    @cached_property
    def regret(self) -> Floats:
        """(N,) max f - f(x)."""
        return _frozen(self.optimum - self.values)

    @cached_property
    def robust_values(self) -> Floats:
        """(N,) min over x' in nb[x] of f(x'); equal to ``values`` without a neighbourhood relation."""
        return self.values if self.neighbours is None else _frozen(self.neighbourhood.minimum(self.values))

    @property
    def robust_optimum(self) -> float:
        """max over x of min over nb[x] of f."""
        return float(self.robust_values.max())

    @property
    def robust_optimum_index(self) -> int:
        """Lowest index that attains the robust optimum."""
        return int(np.argmax(self.robust_values))

    @cached_property
    def robust_regret(self) -> Floats:
        """(N,) robust optimum minus robust value; equal to ``regret`` without a neighbourhood relation."""
        return _frozen(self.robust_optimum - self.robust_values)


def ball_neighbours(points: ArrayLike, radius: float) -> Flags:
    """Neighbourhoods nb[x] = {x' : d(x, x') <= radius} in the Euclidean distance.

    Points at exactly ``radius`` belong to the ball, and on a grid many are. Their computed distance can exceed the
    radius by rounding, so the comparison is d <= radius + 16 sqrt(d) eps max(|coordinates|, radius): coordinates carry
    one or two units in the last place of the largest one, and the norm adds them over d axes.

    Parameters
    ----------
    points : (N, d)
    radius : at least 0, in the units of the coordinates

    Returns
    -------
    (N, N) bool, symmetric, true on the diagonal

    Examples
    --------
    >>> import companion as cp
    >>> from companion.problems import ball_neighbours
    >>> ball_neighbours(cp.grid(4, dim=1), 0.34).sum(axis=1)
    array([2, 3, 3, 2])
    """
    coordinates = floats_of("points", points)
    if coordinates.ndim != 2:
        raise ParameterError("points", f"has shape {coordinates.shape}", "(N, d)")
    non_negative("radius", radius)
    scale = max(float(np.abs(coordinates).max(initial=0.0)), radius)
    guard = 16.0 * math.sqrt(coordinates.shape[1]) * np.finfo(np.float64).eps * scale
    return cdist(coordinates, coordinates) <= radius + guard


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    copy = array.copy()
    copy.flags.writeable = False
    return copy
