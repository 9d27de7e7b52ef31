"""What a run needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.simulate.needs import FLOAT

SAMPLED = {"sbo-kde": "samples", "drbo-kde": "robust_samples"}


def need(experiment: str, method: str, p: Mapping[str, Any]) -> dict[str, int]:
    """Bytes; factors as measured."""
    rows = p["initial"] + p["horizon"]
    found = {"horizon": FLOAT * (6000 * rows + (64 if method == "wdrbo-exact" else 10) * rows**2)}
    if method in SAMPLED:
        found[f"{SAMPLED[method]} horizon"] = 9 * FLOAT * p[SAMPLED[method]] * rows
    if method == "drbo-mmd":
        found["discrepancy_nodes"] = FLOAT * (3 * p["discrepancy_nodes"] + 1600) * p["discrepancy_nodes"]
    if method == "drbo-mmd-minmax":
        found["minmax_nodes horizon"] = FLOAT * (10 * rows + 60) * p["minmax_nodes"]
    return found
