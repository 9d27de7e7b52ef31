"""``companion bounds``: every width and regret bound of the papers at one setting."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from companion.cli.show import say, say_json
from companion.core.errors import ParameterError
from companion.core.profiles import Parameter

NUMBERS = ("noise", "delta", "norm", "alpha", "ratio", "regulariser", "radius", "lipschitz", "realised_gain")
COUNTS = (
    *("dim", "points", "horizon", "batch", "batches", "initial"),
    *("actions", "contexts", "parts", "agents", "farthest"),
)
LENGTHSCALE = Parameter(
    "lengthscale", "list[float]", None, "one number, or one a coordinate", "-", low=0, low_open=True
)


def execute(options: argparse.Namespace) -> int:
    """Check everything, compute, print as text, JSON or CSV."""
    arguments = arguments_of(options)
    from companion.library.bounds import bounds_table

    found = bounds_table(**arguments)
    if options.json:
        say_json(found.to_json())
    elif options.csv:
        say(found.to_csv().rstrip("\n"))
    else:
        say(str(found))
    return 0


def arguments_of(options: argparse.Namespace) -> dict[str, Any]:
    """What was given, as :func:`companion.papers.across.theory.bounds_table.bounds_table` takes it."""
    found: dict[str, Any] = {"kernel": options.kernel, "domain": options.domain}
    for name in (*NUMBERS, *COUNTS):
        text = getattr(options, name)
        if text is not None:
            kind = "float" if name in NUMBERS else "int"
            found[name] = Parameter(name, kind, None, "-", "-").parse(text)
    if options.lengthscale is not None:
        found["lengthscale"] = LENGTHSCALE.parse(options.lengthscale)
    for name in ("candidates", "covariance"):
        if getattr(options, name) is not None:
            found[name] = getattr(options, name)
    columns = columns_of(options)
    if Path(options.candidates or "").is_file():  # what is no file is refused with the other arguments
        from companion.library.inputs import read_candidates

        found["candidates"] = read_candidates(options.candidates, columns)
    return found


def columns_of(options: argparse.Namespace) -> list[str] | None:
    """Names given by ``--columns``, which a file of candidates has to stand beside."""
    if options.columns is not None and options.candidates is None:
        raise ParameterError("--columns", "is given", "a file of candidates beside it: --candidates FILE")
    return None if options.columns is None else [name.strip() for name in options.columns.split(",")]
