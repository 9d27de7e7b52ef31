"""Candidates from a table of numbers, and the covariance that a kernel gives them."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest


def read_numbers(path: str | Path, name: str = "candidates", columns: Sequence[str] | None = None) -> Floats:
    """A CSV file of numbers, shape (rows, columns); a first line without any number is a heading and is left out.

    Parameters
    ----------
    path : of the file, or of an ``.npy`` array
    name : of the argument, for messages
    columns : names in the heading, of the columns to take; the others may hold words

    Raises
    ------
    ParameterError
        if there is no such file or column, a name stands for two, a line has another length than the first, or a cell is no
        finite number

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from companion.gp.candidates import read_numbers
    >>> path = pathlib.Path(tempfile.mkdtemp(), "points.csv")
    >>> _ = path.write_text("heat,time\\n300,1.0\\n310,2.5\\n")
    >>> read_numbers(path, columns=["time"])
    array([[1. ],
           [2.5]])
    """
    file = Path(path)
    if not file.is_file():
        raise ParameterError(name, f"{file} is not a file", "a CSV file of numbers, one row a point")
    if file.suffix == ".npy":
        if columns is not None:
            raise ParameterError("columns", f"are named, and {file} has no names", "a CSV file with a heading")
        return points_of(np.load(file, allow_pickle=False), name)
    with file.open(encoding="utf-8-sig", newline="") as stream:
        lines = [(number, row) for number, row in enumerate(csv.reader(stream), start=1) if any(map(str.strip, row))]
    heading: list[str] = []
    if lines and not any(_number(cell) is not None for cell in lines[0][1]):
        heading, lines = [cell.strip() for cell in lines[0][1]], lines[1:]
    if not lines:
        raise ParameterError(name, f"{file} has no numbers", "one row a point")
    width = len(lines[0][1])
    taken = places_of(columns, heading) if columns is not None else list(range(width))
    rows = []
    for number, row in lines:
        if len(row) != width:
            raise ParameterError(name, f"{file}, line {number} has {len(row)} cells", f"{width}, as the first one")
        values = [_number(row[column]) for column in taken]
        for column, value in zip(taken, values, strict=True):
            if value is None or not math.isfinite(value):
                raise ParameterError(name, f"{file}, line {number}: {row[column]!r} is no finite number")
        rows.append(values)
    return np.array(rows, dtype=np.float64)


def places_of(columns: Sequence[str], heading: Sequence[str]) -> list[int]:
    """Positions of the named columns; ParameterError for a repeated one, and, with the nearest name, for an unknown one.

    Examples
    --------
    >>> from companion.gp.candidates import places_of
    >>> places_of(["heat", "time"], ["name", "time", "heat"])
    [2, 1]
    """
    for column in columns:
        if list(heading).count(column) > 1:
            raise ParameterError("columns", f"{column!r} is the name of two", "one column of a name")
        if column not in heading:
            known = f"some of {', '.join(heading)}" if heading else "a file whose first line names its columns"
            raise ParameterError("columns", f"got {column!r}", known, nearest(column, heading))
    if not columns:
        raise ParameterError("columns", "are none", "at least one name")
    return [list(heading).index(column) for column in columns]


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def points_of(candidates: ArrayLike, name: str = "candidates") -> Floats:
    """Points as a float64 array of shape (N, d).

    Raises
    ------
    ParameterError
        for another shape, or entries that are no finite numbers; for a covariance in the place of points

    Examples
    --------
    >>> from companion.core.errors import ParameterError
    >>> from companion.gp.candidates import points_of
    >>> points_of([[0, 1], [2, 3]]).shape
    (2, 2)
    >>> try:
    ...     points_of([0.0, 1.0])
    ... except ParameterError as error:
    ...     print(error)
    candidates: have shape (2,); expected (N, d). On a line that is (2, 1)
    """
    try:
        points = np.asarray(candidates, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, "do not convert to numbers", "an array (N, d)") from None
    if points.ndim == 1:
        raise ParameterError(name, f"have shape {points.shape}", "(N, d)", f"On a line that is ({len(points)}, 1)")
    if points.ndim != 2 or 0 in points.shape:
        raise ParameterError(name, f"have shape {points.shape}", "(N, d) with at least one point")
    if not np.isfinite(points).all():
        raise ParameterError(name, "contain NaN or infinite entries", "finite numbers")
    return points


def looks_like_covariance(points: Floats) -> bool:
    """Whether points (N, d) are a symmetric matrix with a positive diagonal that no entry exceeds, of at least 3 rows.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.gp.candidates import looks_like_covariance
    >>> points = cp.grid(4, dim=1)
    >>> looks_like_covariance(points), looks_like_covariance(cp.Matern(2.5, 0.2)(points))
    (False, True)
    """
    if points.shape[0] != points.shape[1] or len(points) < 3:
        return False
    diagonal = np.diagonal(points)
    return bool(np.array_equal(points, points.T) and diagonal.min() > 0 and np.abs(points).max() <= diagonal.max())


def scales_for(lengthscale: float | Sequence[float], dim: int) -> float | tuple[float, ...]:
    """The length-scale in the form that kernels take: one number for all coordinates, or a tuple with one for each.

    Raises
    ------
    ParameterError
        if it has another length than the points have coordinates, or is not positive

    Examples
    --------
    >>> from companion.gp.candidates import scales_for
    >>> scales_for(0.2, dim=3), scales_for([0.2, 0.5], dim=2)
    (0.2, (0.2, 0.5))
    """
    try:
        scales = np.atleast_1d(np.asarray(lengthscale, dtype=np.float64))
    except (TypeError, ValueError):
        raise ParameterError("lengthscale", f"got {lengthscale!r}", "positive numbers") from None
    if scales.ndim != 1 or len(scales) not in (1, dim):
        expected = "one number" if dim == 1 else f"one number, or {dim}, one for each coordinate"
        raise ParameterError("lengthscale", f"has {scales.size} entries, and points have {dim} coordinates", expected)
    if not (np.isfinite(scales).all() and scales.min() > 0):
        raise ParameterError("lengthscale", f"got {lengthscale!r}", "positive numbers")
    return float(scales[0]) if len(scales) == 1 else tuple(float(scale) for scale in scales)
