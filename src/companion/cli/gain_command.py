"""``companion gain``: certified two-sided bound on the maximum information gain of a grid, of points from a file, or of a box."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from companion.cli.arguments import Columns, Kernel, Noise, Scales, columns_of, text, value
from companion.cli.show import TEXT, Output
from companion.core.errors import ParameterError

if TYPE_CHECKING:
    from companion.core.arrays import Floats
    from companion.core.tables import Table

#: Most candidates; no matrix of their covariance is formed where they are more than 8,000.
MANY = 1_000_000
MOST_PICKS = 10_000_000
WIDE = 1.1


def execute(
    *,
    kernel: Kernel,
    lengthscale: Scales,
    noise: Noise,
    horizon: Annotated[int, value("T", "number of picks, repetition allowed", low=1, high=MOST_PICKS)],
    dim: Annotated[int | None, value("D", "dimension of the cube [0,1]^D", low=1, high=20)] = None,
    points: Annotated[int | None, value("N", "grid points per axis", low=2, high=MANY)] = None,
    candidates: Annotated[str | None, text("FILE", "CSV file, one row a point, in place of --dim and --points")] = None,
    domain: Annotated[
        str, value("NAME", "grid, or box: all points of [0,1]^D, in place of --points", choices=("grid", "box"))
    ] = "grid",
    columns: Columns = None,
    output: Output = TEXT,
) -> int:
    """Certified two-sided bound on the maximum information gain of a grid, of given points, or of a box.

    The standard deviation of the prior is 1.

    Example: companion gain --kernel se --lengthscale 0.2 --dim 1 --points 30 --noise 0.1 --horizon 50
    """
    names = columns_of(columns, candidates)
    chosen: Floats | None = None
    table: Table | None = None
    if domain == "box":
        refuse_beside("--domain box", "a box is all its points", points=points, candidates=candidates)
        if dim is None and len(lengthscale) == 1:
            raise ParameterError("--dim", "not given", "the number of coordinates of the box")
    elif candidates is not None:
        refuse_beside("--candidates", "the file has the points", dim=dim, points=points)
        table = table_in(candidates, names)
        chosen = table.numbers
    elif dim is None or points is None:
        lacking = "--dim" if dim is None else "--points"
        raise ParameterError(lacking, "not given", "both --dim and --points, or --candidates FILE, or --domain box")
    else:
        chosen = grid_of(points, dim)
    size = (dim or len(lengthscale)) if chosen is None else chosen.shape[1]
    from companion.api.inputs import certified_gain
    from companion.gp.candidates import scales_for
    from companion.gp.kernels import kernel_by_name

    scales = scales_for(lengthscale, size)
    where: dict[str, Any] = {"domain": "box", "dim": size} if chosen is None else {"candidates": chosen}
    bracket = certified_gain(kernel_by_name(kernel, scales), horizon, noise, **where)
    record = {name: getattr(bracket, name) for name in ("lower", "upper", "source", "lower_source", "ends")}
    shown = list(scales) if isinstance(scales, tuple) else scales
    meta: dict[str, Any] = {"kernel": kernel, "lengthscale": shown, "dim": size, "points": points}
    meta |= {"noise": noise, "horizon": horizon}
    among = f"points of [0,1]^{size}" if chosen is None else f"{len(chosen)} points"
    if chosen is None:
        record |= {name: getattr(bracket, name) for name in ("cells", "spent")}
        meta |= {"domain": "box"}
    elif table is not None:
        meta |= {"points": len(chosen), "candidates": candidates, "coordinates": table.coordinates}
    lines = [
        f"maximum information gain of {horizon} picks among {among}, in nats",
        f"lower  {bracket.lower:.10g}  ({bracket.lower_source})",
        f"upper  {bracket.upper:.10g}  ({bracket.source})",
    ]
    lines += [table.told] if table and table.told else []
    if chosen is None and bracket.ratio > WIDE:
        lines.append(f"wide: the ends are a factor {bracket.ratio:.3g} apart{_why(record)}")
    return output.give({**record, "meta": meta}, lambda: "\n".join(lines))


def _why(record: Mapping[str, Any]) -> str:
    cells = f"; {record['cells']:,} cells are too few to find the largest score in so rough or so large a box"
    return cells if record["spent"] else ""


def refuse_beside(option: str, reason: str, **others: object) -> None:
    """Refuse options that say otherwise what ``option`` says."""
    for name, given in others.items():
        if given is not None:
            raise ParameterError(f"--{name}", f"is given beside {option}", f"one of the two: {reason}")


def grid_of(points: int, dim: int) -> Floats:
    """The grid with so many points an axis, if they are at most :data:`MANY` in all."""
    if points**dim > MANY:
        per_axis = int((MANY + 0.5) ** (1 / dim))
        problem = f"{points} per axis in dimension {dim} are {points**dim:,} grid points"
        raise ParameterError("points", problem, f"at most {MANY:,} in all, {per_axis} per axis")
    from companion.gp.sampling import grid

    return grid(points, dim)


def table_in(path: str, columns: list[str] | None = None) -> Table:
    """Candidates of a file, if they are at most :data:`MANY`, with their names and those of the coordinates."""
    from companion.core.tables import read_table
    from companion.gp.candidates import points_of

    table = read_table(path, "candidates", columns)
    if len(points_of(table.numbers)) > MANY:
        raise ParameterError("candidates", f"are {len(table.numbers):,} points", f"at most {MANY:,}")
    return table
