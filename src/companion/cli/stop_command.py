"""``companion stop``: whether a table of evaluations allows to stop, why, and what is promised."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from companion.cli.gain_command import MANY, grid_of, points_in
from companion.cli.show import give
from companion.core.errors import ParameterError
from companion.core.profiles import Parameter, ParameterSet

_POSITIVE: dict[str, Any] = {"low": 0, "low_open": True}
PARAMETERS = ParameterSet(
    (
        Parameter("kernel", "str", "se", "-", "-", choices=("se", "matern12", "matern32", "matern52")),
        Parameter("lengthscale", "list[float]", (0.2,), "-", "-", low=1e-6, high=1e6),
        Parameter("noise", "float", 0.1, "-", "-", low=1e-6, high=1e6),
        Parameter("eps", "float", 0.1, "-", "-", **_POSITIVE),
        Parameter("delta", "float", 0.1, "-", "-", **_POSITIVE, high=1, high_open=True),
        Parameter("norm", "float", None, "-", "-", **_POSITIVE),
        Parameter("variance", "float", 1.0, "-", "-", **_POSITIVE),
        Parameter("mean", "float", 0.0, "-", "-"),
        Parameter("points", "int", None, "-", "-", low=2, high=MANY),
        Parameter("horizon", "int", None, "-", "-", low=1),
        Parameter("rule", "str", None, "-", "-"),
    )
)


def execute(options: argparse.Namespace) -> int:
    """Check everything, compute, print; whether to stop is no matter of the exit code."""
    given = {name: text for name in PARAMETERS.names if (text := getattr(options, name)) is not None}
    asked: dict[str, Any] = PARAMETERS.resolve(PARAMETERS.parse([f"{name}={text}" for name, text in given.items()]))
    from companion.gp.candidates import read_numbers, scales_for
    from companion.gp.kernels import kernel_by_name
    from companion.policies.stopping_certificate import certificate, checked_rule

    rule = checked_rule(_rule(asked["rule"]), asked["norm"] is not None)
    table = read_numbers(options.runs, "RUNS")
    if table.shape[1] < 2:
        raise ParameterError("RUNS", f"{options.runs} has one column", "coordinates, and the value last")
    where, values = table[:, :-1], (table[:, -1] - asked["mean"]) * (-1.0 if options.minimise else 1.0)
    points = _candidates(options, asked["points"], where.shape[1])
    scales = scales_for(asked["lengthscale"], where.shape[1])
    kernel = kernel_by_name(asked["kernel"], scales, asked["variance"])
    more = {name: asked[name] for name in ("delta", "norm", "horizon")}
    found = certificate(points, kernel, asked["noise"], where, values, epsilon=asked["eps"], rule=rule, **more)
    meta = {"candidates": len(points), "norm": asked["norm"], "noise": asked["noise"], "kernel": repr(kernel)}
    lost = f"at most {found.regret:.4g}, but with probability {found.delta:g}" if found.proved else "-"
    next_one = f"{found.in_the_way} of {len(points)} candidates; evaluate next {_at(points, found.evaluate)}"
    width = "" if found.width is None else f", width {found.width:.4g}"
    lines = (
        f"{'stop' if found.stop else 'go on'}: {found.why}",
        f"take        {', '.join(f'{each:g}' for each in found.point)}",
        f"loses       {lost}",
        *([f"in the way  {next_one}"] if found.in_the_way else []),
        f"rule        {found.rule}{width}: {found.theorem or 'proved by nothing'}",
    )
    return give(options, {**asdict(found), "proved": found.proved, "meta": meta}, lambda: "\n".join(lines))


def _at(points: Any, index: int | None) -> str:
    return "-" if index is None else ", ".join(f"{each:g}" for each in points[index])


def _rule(text: str | None) -> str | float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _candidates(options: argparse.Namespace, points: int | None, dim: int) -> Any:
    if (options.candidates is None) == (points is None):
        problem = "not given" if points is None else "is given beside --points"
        raise ParameterError("--candidates", problem, "a file of them, or --points N for a grid of [0,1]^d")
    if points is not None:
        return grid_of(points, dim)
    found = points_in(options.candidates)
    if found.shape[1] != dim:
        raise ParameterError("candidates", f"have {found.shape[1]} coordinates", f"{dim}, as the evaluations")
    return found
