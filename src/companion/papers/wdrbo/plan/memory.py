"""What a run needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.simulate.needs import FLOAT

SAMPLED = {"sbo-kde": "samples", "drbo-kde": "robust_samples"}
NODES = {"drbo-mmd": "discrepancy_nodes", "drbo-mmd-minmax": "minmax_nodes"}


def need(experiment: str, method: str, p: Mapping[str, Any]) -> dict[str, int]:
    """Bytes; factors as measured."""
    rows = p["initial"] + p["horizon"]
    found = {"horizon": FLOAT * (6000 * rows + (64 if method == "wdrbo-exact" else 10) * rows**2)}
    if method in SAMPLED:
        found[f"{SAMPLED[method]} horizon"] = 9 * FLOAT * p[SAMPLED[method]] * rows
    if method in NODES:
        found[NODES[method]] = FLOAT * (3 * p[NODES[method]] + 1600) * p[NODES[method]]
    return found
