"""``companion stop``: whether a table of evaluations allows to stop, why, and what is promised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from companion.cli.arguments import Kernel, Noise, Scales, columns_of, switch, text, value
from companion.cli.gain_command import MANY, grid_of, refuse_beside, table_in
from companion.cli.show import TEXT, Output
from companion.core.errors import ParameterError

_POSITIVE: dict[str, Any] = {"low": 0, "low_open": True}


def execute(
    runs: Annotated[str, text("RUNS", "CSV file, one row an evaluation: coordinates, and the value last")],
    /,
    *,
    kernel: Kernel,
    lengthscale: Scales,
    noise: Noise,
    eps: Annotated[
        float, value("E", "what the point taken may lose to the best candidate, or point of the box", **_POSITIVE)
    ],
    delta: Annotated[
        float,
        value("P", "probability with which it may lose more (default: 0.1)", **_POSITIVE, high=1, high_open=True),
    ] = 0.1,
    candidates: Annotated[str | None, text("FILE", "CSV file of all candidates, one row a point")] = None,
    columns: Annotated[
        str | None, text("NAMES", "columns of RUNS: coordinates, and the value last: carbon,heat,yield (default: all)")
    ] = None,
    points: Annotated[
        int | None, value("N", "candidates are a grid of [0,1]^d with N points an axis", low=2, high=MANY)
    ] = None,
    domain: Annotated[
        str,
        value(
            "NAME", "grid, or box: all points of a box, [0,1]^d unless told, in place of them", choices=("grid", "box")
        ),
    ] = "grid",
    low: Annotated[list[float] | None, value("X", "lower corner of the box, one number a coordinate: 0,20")] = None,
    high: Annotated[list[float] | None, value("X", "upper corner of the box: 1,80")] = None,
    minimise: Annotated[bool, switch("small values are better (default: large)")] = False,
    norm: Annotated[
        float | None, value("B", "bound on the norm of f (default: none, f is a draw of the prior)", **_POSITIVE)
    ] = None,
    variance: Annotated[float, value("V", "prior variance k(x, x) (default: 1)", **_POSITIVE)] = 1.0,
    mean: Annotated[float, value("M", "prior mean (default: 0)")] = 0.0,
    standardise: Annotated[
        bool, switch("mean and variance are those of the values, in place of --mean and --variance; promises nothing")
    ] = False,
    rule: Annotated[str | None, text("NAME", "a rule of cp.certificate, or a width")] = None,
    horizon: Annotated[int | None, value("T", "most evaluations, for rules that have to know", low=1)] = None,
    output: Output = TEXT,
) -> int:
    """Stop or go on, and why: what a table of evaluations promises, as a certificate.

    The exit code does not say whether to stop.

    Example: companion stop runs.csv --kernel se --lengthscale 0.2 --noise 0.1 --eps 0.1 --points 50
    """
    from companion.core.tables import read_table
    from companion.gp.candidates import scales_for
    from companion.gp.kernels import kernel_by_name
    from companion.policies.stopping_certificate import certificate, checked_rule

    checked = checked_rule(_rule(rule), norm is not None)
    names = columns_of(columns, runs)
    read = read_table(runs, "RUNS", names)
    table = read.numbers
    if table.shape[1] < 2:
        raise ParameterError("RUNS", f"{runs} has one column", "coordinates, and the value last")
    if standardise and (mean != 0.0 or variance != 1.0):
        raise ParameterError("--standardise", "is given beside --mean or --variance", "one of the two")
    sign = -1.0 if minimise else 1.0
    where, values = table[:, :-1], sign * table[:, -1]
    coordinates = read.coordinates[:-1] if read.coordinates else tuple(f"x{k + 1}" for k in range(where.shape[1]))
    among: Any = None
    called: Any = None
    space: dict[str, Any] = {}
    if domain == "box":
        refuse_beside("--domain box", "a box is all its points", candidates=candidates, points=points)
        space = {"domain": _box(low, high, where.shape[1])}
    else:
        refuse_beside("a grid or a file of candidates", "corners are those of --domain box", low=low, high=high)
        among, called = _candidates(candidates, points, coordinates, names and names[:-1])
    covariance = kernel_by_name(kernel, scales_for(lengthscale, where.shape[1]), variance)
    more: dict[str, Any] = {"epsilon": eps, "delta": delta, "norm": norm, "horizon": horizon}
    more |= {"standardise": True} if standardise else {"prior_mean": sign * mean}
    found = certificate(among, covariance, noise, where, values, rule=checked, **more, **space)
    meta = {
        "coordinates": list(coordinates),
        "candidates": None if among is None else len(among),
        "domain": domain,
        "norm": norm,
        "noise": noise,
        "kernel": repr(covariance),
    }

    def _at(place: int | tuple[float, ...] | None) -> str:
        if place is None:
            return "-"
        point = among[place] if isinstance(place, int) else place
        shown = ", ".join(f"{name} {each:g}" for name, each in zip(coordinates, point, strict=True))
        return f"{called[place]} ({shown})" if called else shown

    share = f"{1 - found.delta:.4g}"
    best = "the best point of the box" if among is None else "the best candidate"
    lost = f"at most {found.regret:.4g} to {best}, with probability {share} or more"
    next_one = f"evaluate next {_at(found.evaluate)}"
    way = [f"in the way  {found.in_the_way} of {len(among)} candidates; {next_one}"] if found.in_the_way else []
    if among is None and found.evaluate:
        way = [f"to decide   {next_one}"]
    width = "" if found.width is None else f", width {found.width:.4g}"
    lines = (
        f"{'stop' if found.stop else 'go on'}: {found.why}",
        f"take        {_at(found.point if among is None else found.recommended)}",
        f"loses       {lost if found.proved else 'nothing is promised'}",
        *([f"fitted      {found.fitted}: no theorem covers it, but the rule would say {lost}"] if found.fitted else []),
        *([f"measured    {found.evidence}"] if found.evidence else []),
        *way,
        *(
            [f"rests on    the told {', '.join(found.untested)}, which these values do not test"]
            if found.untested
            else []
        ),
        f"rule        {found.rule}{width}: {found.theorem or 'proved by nothing'}",
    )
    return output.give(
        {**asdict(found), "proved": found.proved, "evidence": found.evidence, "meta": meta}, lambda: "\n".join(lines)
    )


def _rule(text: str | None) -> str | float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _box(low: list[float] | None, high: list[float] | None, dim: int) -> Any:
    """The domain that is meant, if the corners are as many numbers as there are coordinates."""
    if low is None and high is None:
        return "box"
    from companion.problems import Box

    for name, corner in (("--low", low), ("--high", high)):
        if corner is None or len(corner) != dim:
            problem = "is missing beside the other corner" if corner is None else f"has {len(corner)} numbers"
            raise ParameterError(name, problem, f"{dim}, one for each coordinate")
    return Box(low, high)  # type: ignore[arg-type]


def _candidates(file: str | None, points: int | None, known: Sequence[str], names: list[str] | None) -> tuple[Any, Any]:
    """Points, in the order of the known coordinates, and, where they have some, their names."""
    if file is None and points is not None:
        return grid_of(points, len(known)), None
    if file is None or points is not None:
        problem = "not given" if file is None else "is given beside --points"
        raise ParameterError(
            "--candidates", problem, "a file of them, --points N for a grid of [0,1]^d, or --domain box"
        )
    found = table_in(file, names)
    if found.numbers.shape[1] != len(known):
        got = f"have {found.numbers.shape[1]} coordinates"
        raise ParameterError("candidates", got, f"{len(known)}, as the evaluations: {', '.join(known)}")
    here = found.coordinates or known
    order = [here.index(name) for name in known] if set(here) == set(known) else slice(None)
    return found.numbers[:, order], found.names
