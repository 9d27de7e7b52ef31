"""``companion gain``: certified two-sided bound on the maximum information gain of a grid, or of points from a file."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from companion.cli.bounds_command import columns_of
from companion.cli.show import give
from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.core.profiles import Parameter, ParameterSet

MOST_POINTS, MANY = 8_000, 1_000_000
"""Most candidates where a matrix of their covariance is formed, half a gigabyte, and for a gain, which needs none."""

PARAMETERS = ParameterSet(
    (
        Parameter(
            "kernel", "str", "se", "covariance function", "-", choices=("se", "matern12", "matern32", "matern52")
        ),
        Parameter("lengthscale", "list[float]", (0.2,), "one number, or one a coordinate", "-", low=1e-6, high=1e6),
        Parameter("dim", "int", 1, "dimension of the cube", "-", low=1, high=20),
        Parameter("points", "int", 30, "grid points per axis", "-", low=2, high=MANY),
        # Beyond, its square is lost in the rounding of the prior's variance of 1, or the other way round.
        Parameter("noise", "float", 0.1, "standard deviation of the noise", "-", low=1e-6, high=1e6),
        Parameter("horizon", "int", 50, "number of picks", "-", low=1, high=10_000_000),
    )
)


def execute(options: argparse.Namespace) -> int:
    """Check everything, compute, print both ends."""
    given = {name: text for name in PARAMETERS.names if (text := getattr(options, name)) is not None}
    values: dict[str, Any] = PARAMETERS.parse([f"{name}={text}" for name, text in given.items()])
    columns = columns_of(options)
    points = _of_file(options.candidates, columns, given) if options.candidates is not None else _of_grid(values, given)
    from companion.gp.candidates import scales_for
    from companion.gp.kernels import kernel_by_name
    from companion.library.inputs import certified_gain

    scales = scales_for(values["lengthscale"], points.shape[1])
    kernel = kernel_by_name(values["kernel"], scales)
    bracket = certified_gain(kernel, values["horizon"], values["noise"], points)
    record = {name: getattr(bracket, name) for name in ("lower", "upper", "source", "lower_source", "ends")}
    meta = {**values, "lengthscale": list(scales) if isinstance(scales, tuple) else scales}
    if options.candidates is not None:
        meta |= {"dim": points.shape[1], "points": len(points), "candidates": options.candidates}
    lines = (
        f"maximum information gain of {values['horizon']} picks among {len(points)} points, in nats",
        f"lower  {bracket.lower:.10g}  ({bracket.lower_source})",
        f"upper  {bracket.upper:.10g}  ({bracket.source})",
    )
    return give(options, {**record, "meta": meta}, lambda: "\n".join(lines))


def _of_grid(values: Mapping[str, Any], given: Mapping[str, str]) -> Floats:
    for name in ("dim", "points"):
        if name not in given:
            raise ParameterError(f"--{name}", "not given", remedy="--dim and --points, or --candidates FILE")
    return grid_of(values["points"], values["dim"], MANY)


def grid_of(points: int, dim: int, most: int = MOST_POINTS) -> Floats:
    """The grid with so many points an axis, if they are at most so many in all."""
    if points**dim > most:
        per_axis = int((most + 0.5) ** (1 / dim))
        problem = f"{points} per axis in dimension {dim} are {points**dim:,} grid points"
        raise ParameterError("points", problem, f"at most {most:,} in all, {per_axis} per axis")
    from companion.gp.sampling import grid

    return grid(points, dim)


def _of_file(path: str, columns: list[str] | None, given: Mapping[str, str]) -> Floats:
    for name in ("dim", "points"):
        if name in given:
            raise ParameterError(f"--{name}", "is given beside --candidates", "one of the two: the file has the points")
    return points_in(path, columns, MANY)


def points_in(path: str, columns: list[str] | None = None, most: int = MOST_POINTS) -> Floats:
    """Candidates of a file, if they are at most so many."""
    from companion.library.inputs import read_candidates

    points = read_candidates(path, columns)
    if len(points) > most:
        raise ParameterError("candidates", f"are {len(points):,} points", f"at most {most:,}")
    return points
