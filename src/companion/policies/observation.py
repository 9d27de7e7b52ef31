"""One batch of observations, checked before a policy sees it; random streams of a policy on a box."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.core.randomness import stream

#: What the value of a :class:`Best` is.
MEAN, LARGEST = "posterior mean", "largest value told"


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
    """

    asked: NDArray[Any]
    values: Floats
    plays: list[Any] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Best:
    """Recommendation of a session, and its posterior.

    Parameters
    ----------
    point : coordinates (d,) of a candidate or in a box, or a law (C, A)
    value : what ``what`` says
    what : ``posterior mean``, of the point; where the policy has none, ``largest value told``, of all points
    index : of the candidate, ``None`` where there are none
    name, coordinates : of the candidate and of its coordinates, where the candidates have names
    """

    point: NDArray[Any]
    value: float
    what: str
    index: int | None = None
    name: str | None = None
    coordinates: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        where = np.array2string(self.point, precision=4, separator=", ").replace("\n", "")
        if self.coordinates is not None:
            where = ", ".join(f"{label} {each:.4g}" for label, each in zip(self.coordinates, self.point, strict=True))
        where = where if self.name is None else f"{self.name} ({where})"
        return (
            f"{self.what} {self.value:.4g} at {where}"
            if self.what == MEAN
            else f"{where}; {self.what}: {self.value:.4g}"
        )


def checked_values(values: Any, count: int) -> Floats:
    """Told values as (count,) floats with NaN for ``None``; ParameterError for anything else than that many finite numbers."""
    expected = f"({count},), one number for each point that was asked"
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
