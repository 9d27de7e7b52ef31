"""``companion gain``: certified two-sided bound on the maximum information gain of a grid."""

from __future__ import annotations

import argparse
from typing import Any

from companion.cli.show import say, say_json
from companion.errors import ParameterError
from companion.profiles import Parameter, ParameterSet

MOST_POINTS = 8_000
"""Largest grid accepted: the spectral bound needs the eigenvalues of its covariance, half a gigabyte a matrix."""

PARAMETERS = ParameterSet(
    (
        Parameter(
            "kernel", "str", "se", "covariance function", "-", choices=("se", "matern12", "matern32", "matern52")
        ),
        Parameter("lengthscale", "float", 0.2, "in units of the cube's side", "-", low=1e-6, high=1e6),
        Parameter("dim", "int", 1, "dimension of the cube", "-", low=1, high=20),
        Parameter("points", "int", 30, "grid points per axis", "-", low=2, high=MOST_POINTS),
        # Beyond, its square is lost in the rounding of the prior's variance of 1, or the other way round.
        Parameter("noise", "float", 0.1, "standard deviation of the noise", "-", low=1e-6, high=1e6),
        Parameter("horizon", "int", 50, "number of picks", "-", low=1, high=10_000_000),
    )
)


def execute(options: argparse.Namespace) -> int:
    """Check everything, compute, print both ends."""
    values: dict[str, Any] = PARAMETERS.parse([f"{name}={getattr(options, name)}" for name in PARAMETERS.names])
    total = values["points"] ** values["dim"]
    if total > MOST_POINTS:
        per_axis = int((MOST_POINTS + 0.5) ** (1 / values["dim"]))
        raise ParameterError(
            "points",
            f"{values['points']} per axis in dimension {values['dim']} are {total:,} grid points",
            f"at most {MOST_POINTS:,} in all, {per_axis} per axis",
        )
    from companion.information import maximum_gain_of_grid

    bracket = maximum_gain_of_grid(
        values["kernel"], values["lengthscale"], values["dim"], values["points"], values["noise"], values["horizon"]
    )
    if options.json:
        record = {name: getattr(bracket, name) for name in ("lower", "upper", "source", "lower_source", "ends")}
        say_json({**record, "meta": values})
        return 0
    say(f"maximum information gain of {values['horizon']} picks among {total} points, in nats")
    say(f"lower  {bracket.lower:.10g}  ({bracket.lower_source})")
    say(f"upper  {bracket.upper:.10g}  ({bracket.source})")
    return 0
