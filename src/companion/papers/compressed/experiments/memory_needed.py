"""Memory needed by a run."""

from __future__ import annotations

from companion.core.memory import FLOAT
from companion.papers.compressed.experiments.parameters import Common, Rosenbrock

RESERVED = 4096


def need(experiment: str, method: str, p: Common) -> dict[str, int]:
    """Bytes; rows for all observations are reserved, then doubled."""
    name = {"example-function": "points", "rosenbrock": "points_per_axis", "logistic": "configurations"}[experiment]
    size = getattr(p, name) ** (2 if isinstance(p, Rosenbrock) else 1)
    horizon, kept = p.horizon, min(p.horizon, RESERVED)
    if method.startswith("bkb-"):
        rows = 3 * min(horizon, size)
    elif method.startswith("cgp-"):
        rows = kept
    elif p.posterior == "refit":
        rows = 2 * horizon
    else:
        rows = kept
        while rows < horizon:
            rows *= 2
        rows += rows // 2 if rows > kept else 0
    return {name: FLOAT * size**2, f"horizon {name}": FLOAT * rows * size}
