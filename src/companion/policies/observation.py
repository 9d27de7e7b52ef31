"""One batch of observations, checked before a policy sees it; random streams of a policy on a box."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Flags, Floats
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.policies.candidate_model import places_among
from companion.problems import Candidates

#: What the value of a :class:`Best` is.
MEAN, LARGEST, SMALLEST = "posterior mean", "largest value told", "smallest value told"
#: Relative difference up to which two points are the same: another machine rounds differently.
SAME = 1e-9


@dataclass(frozen=True)
class Streams:
    """Generators by name and round from one seed, as a policy on a box takes them.

    Parameters
    ----------
    seed : non-negative integer
    path : names before the use and the round
    """

    seed: int
    path: tuple[str, ...]

    def __call__(self, use: str, number: int) -> np.random.Generator:
        """The generator for ``use`` in round ``number``."""
        return stream(self.seed, *self.path, use, number)


@dataclass(eq=False)
class Observation:
    """One batch that was told.

    Parameters
    ----------
    asked : (n, ...) what was to be evaluated
    values : (n,)
    plays : n of them, or none where a point is all there is to say
    counted : (n,) whether a value is no observation, but what a failed evaluation counts as
    """

    asked: NDArray[Any]
    values: Floats
    plays: list[Any] = field(default_factory=list)
    counted: Flags = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __post_init__(self) -> None:
        self.counted = self.counted if len(self.counted) else np.zeros(len(self.values), dtype=bool)

    def part(self, places: Any, plays: bool = True) -> Observation:
        """A copy of those in some places (n,), or a slice; with their plays."""
        which = np.arange(len(self.values))[places]
        kept = [self.plays[place] for place in which] if plays else []
        return Observation(self.asked[which], self.values[which], kept, self.counted[which])

    @classmethod
    def joined(cls, parts: Sequence[Observation]) -> Observation:
        """All of several in one; of none an empty one."""
        if not parts:
            return cls(np.empty(0), np.empty(0))
        columns = (np.concatenate([getattr(part, name) for part in parts]) for name in ("asked", "values", "counted"))
        asked, values, counted = columns
        return cls(asked, values, [play for part in parts for play in part.plays], counted)


@dataclass(frozen=True, eq=False)
class Best:
    """Recommendation of a session, and its posterior.

    Parameters
    ----------
    point : coordinates (d,) of a candidate or in a box, or a law (C, A)
    value : what ``what`` says
    what : ``posterior mean``, of the point; where the policy has none, ``largest value told`` (or smallest), of all points
    index : of the candidate, ``None`` where there are none
    name, coordinates : of the candidate and of its coordinates, where the candidates have names
    model : what of the model was learnt from the values, "" where it is as told
    """

    point: NDArray[Any]
    value: float
    what: str
    index: int | None = None
    name: str | None = None
    coordinates: tuple[str, ...] | None = None
    model: str = ""

    def __repr__(self) -> str:
        where = np.array2string(self.point, precision=4, separator=", ").replace("\n", "")
        if self.coordinates is not None:
            where = ", ".join(f"{label} {each:.4g}" for label, each in zip(self.coordinates, self.point, strict=True))
        where = where if self.name is None else f"{self.name} ({where})"
        model = f" ({self.model})" if self.model else ""
        if self.what == MEAN:
            return f"{self.what} {self.value:.4g} at {where}{model}"
        return f"{where}; {self.what}: {self.value:.4g}{model}"


def checked_points(problem: Any, name: str, given: Any) -> NDArray[Any]:
    """Indices (n,) of candidates, from indices or coordinates, or points (n, ...) of another problem; else ParameterError."""
    candidates = isinstance(problem, Candidates)
    one = (problem.points.shape[1],) if candidates else getattr(problem, "shape", None) or (problem.dim,)
    expected = f"finite numbers of shape (n, {', '.join(map(str, one))}){', or indices' if candidates else ''}"
    try:
        array = np.asarray(given)
        array = array if array.dtype.kind in "iu" else array.astype(np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, f"got {type(given).__name__}", expected) from None
    if candidates and array.dtype.kind in "iu" and array.ndim <= 1:
        if array.size and not 0 <= array.min() <= array.max() < problem.size:
            raise ParameterError(name, f"has {array.min()} to {array.max()}", f"indices from 0 to {problem.size - 1}")
        return np.atleast_1d(array).astype(np.intp)
    if array.ndim <= len(one):
        array = array.reshape(-1, 1) if one == (1,) else array[None]
    if array.shape[1:] != one or not np.isfinite(array).all():
        raise ParameterError(name, f"have shape {np.shape(given)}", expected)
    if not candidates:
        low, high = getattr(problem, "low", -np.inf), getattr(problem, "high", np.inf)
        if not ((array >= low) & (array <= high)).all():
            raise ParameterError(name, "leave the box", f"coordinates in {low} to {high}")
        return array.astype(np.float64)
    index, _ = places_among(problem.points, array)
    for row in array[index >= problem.size]:
        scale = np.maximum(np.ptp(problem.points, axis=0), 1e-300)
        nearest = problem.points[np.argmin((np.abs(problem.points - row) / scale).max(axis=1))]
        expected = f"candidates, by index or by coordinates; the nearest is {nearest}"
        raise ParameterError(name, f"have {row}, which is no candidate", expected)
    return index.astype(np.intp)


def checked_values(values: Any, count: int, points: str = "point") -> Floats:
    """Told values as (count,) floats with NaN for ``None``; ParameterError for anything else than that many finite numbers."""
    expected = f"({count},), one number for each {points}"
    try:
        array = np.array(values, dtype=object)
    except ValueError:
        raise ParameterError("values", "are not a row of numbers", expected) from None
    array = array[None] if array.ndim == 0 else array
    if array.shape != (count,):
        raise ParameterError("values", f"have shape {array.shape}", expected)
    found = np.empty(count)
    for place, value in enumerate(array):
        if value is None:
            found[place] = math.nan
            continue
        if isinstance(value, bool | np.bool_) or not (isinstance(value, Real) or hasattr(value, "__float__")):
            raise ParameterError("values", f"entry {place} is {value!r}", "a number, or None if the evaluation failed")
        found[place] = float(value)
        if not math.isfinite(found[place]):
            raise ParameterError(
                "values", f"entry {place} is {found[place]}", "a finite number, or None if the evaluation failed"
            )
    return found
