"""``companion gain``: certified two-sided bound on the maximum information gain of a grid, of points from a file, or of a box."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from companion.cli.bounds_command import columns_of
from companion.cli.show import give
from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.core.profiles import Parameter, ParameterSet

#: Most candidates; no matrix of their covariance is formed where they are more than 8,000.
MANY = 1_000_000
#: Upper over lower end from which on a bracket is called wide.
WIDE = 1.1

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
        Parameter("domain", "str", "grid", "what is picked from", "-", choices=("grid", "box")),
    )
)


def execute(options: argparse.Namespace) -> int:
    """Check everything, compute, print both ends."""
    given = {name: text for name in PARAMETERS.names if (text := getattr(options, name)) is not None}
    values: dict[str, Any] = PARAMETERS.parse([f"{name}={text}" for name, text in given.items()])
    box = values.pop("domain") == "box"
    columns = columns_of(options)
    points = None if box else _points(options, columns, values, given)
    dim = _of_box(options, values, given) if points is None else points.shape[1]
    from companion.gp.candidates import scales_for
    from companion.gp.kernels import kernel_by_name
    from companion.library.inputs import certified_gain

    scales = scales_for(values["lengthscale"], dim)
    where: dict[str, Any] = {"candidates": points} if points is not None else {"domain": "box", "dim": dim}
    bracket = certified_gain(kernel_by_name(values["kernel"], scales), values["horizon"], values["noise"], **where)
    record = {name: getattr(bracket, name) for name in ("lower", "upper", "source", "lower_source", "ends")}
    meta = {**values, "lengthscale": list(scales) if isinstance(scales, tuple) else scales}
    among = f"points of [0,1]^{dim}" if points is None else f"{len(points)} points"
    if points is None:
        record |= {name: getattr(bracket, name) for name in ("cells", "spent")}
        meta |= {"dim": dim, "points": None, "domain": "box"}
    elif options.candidates is not None:
        meta |= {"dim": dim, "points": len(points), "candidates": options.candidates}
    lines = [
        f"maximum information gain of {values['horizon']} picks among {among}, in nats",
        f"lower  {bracket.lower:.10g}  ({bracket.lower_source})",
        f"upper  {bracket.upper:.10g}  ({bracket.source})",
    ]
    if points is None and bracket.ratio > WIDE:
        lines.append(f"wide: the ends are a factor {bracket.ratio:.3g} apart{_why(record)}")
    return give(options, {**record, "meta": meta}, lambda: "\n".join(lines))


def _why(record: Mapping[str, Any]) -> str:
    cells = f"; {record['cells']:,} cells are too few to find the largest score in so rough or so large a box"
    return cells if record["spent"] else ""


def _of_box(options: argparse.Namespace, values: Mapping[str, Any], given: Mapping[str, str]) -> int:
    for name in ("points", "candidates"):
        if name in given or getattr(options, name) is not None:
            raise ParameterError(f"--{name}", "is given beside --domain box", "one of the two: a box is all its points")
    if "dim" not in given and len(values["lengthscale"]) == 1:
        raise ParameterError("--dim", "not given", "the number of coordinates of the box")
    return int(values["dim"]) if "dim" in given else len(values["lengthscale"])


def _points(
    options: argparse.Namespace, columns: list[str] | None, values: Mapping[str, Any], given: Mapping[str, str]
) -> Floats:
    return _of_file(options.candidates, columns, given) if options.candidates is not None else _of_grid(values, given)


def _of_grid(values: Mapping[str, Any], given: Mapping[str, str]) -> Floats:
    for name in ("dim", "points"):
        if name not in given:
            raise ParameterError(
                f"--{name}", "not given", "both --dim and --points, or --candidates FILE, or --domain box"
            )
    return grid_of(values["points"], values["dim"])


def grid_of(points: int, dim: int) -> Floats:
    """The grid with so many points an axis, if they are at most :data:`MANY` in all."""
    if points**dim > MANY:
        per_axis = int((MANY + 0.5) ** (1 / dim))
        problem = f"{points} per axis in dimension {dim} are {points**dim:,} grid points"
        raise ParameterError("points", problem, f"at most {MANY:,} in all, {per_axis} per axis")
    from companion.gp.sampling import grid

    return grid(points, dim)


def _of_file(path: str, columns: list[str] | None, given: Mapping[str, str]) -> Floats:
    for name in ("dim", "points"):
        if name in given:
            raise ParameterError(f"--{name}", "is given beside --candidates", "one of the two: the file has the points")
    return points_in(path, columns)


def points_in(path: str, columns: list[str] | None = None) -> Floats:
    """Candidates of a file, if they are at most :data:`MANY`."""
    from companion.library.inputs import read_candidates

    points = read_candidates(path, columns)
    if len(points) > MANY:
        raise ParameterError("candidates", f"are {len(points):,} points", f"at most {MANY:,}")
    return points
