"""Memory that a run needs."""

from __future__ import annotations

from companion.core.memory import FLOAT
from companion.papers.wdrbo.experiments.parameters import DataDriven, Rivals, Run

SAMPLED = {"sbo-kde": "samples", "drbo-kde": "robust_samples"}
#: Contexts of the published code besides its draws, and decisions at which its search begins.
FLOOR = STARTS = 1024


def need(experiment: str, method: str, p: Run) -> dict[str, int]:
    """Bytes; factors as measured."""
    rows = p.initial + p.horizon
    found = {"horizon": FLOAT * (6000 * rows + (64 if method == "wdrbo-exact" else 10) * rows**2)}
    if not isinstance(p, Rivals):
        return found
    published = isinstance(p, DataDriven) and p.reading == "code"
    if method in SAMPLED:
        name = f"{SAMPLED[method]} horizon"
        draws = getattr(p, SAMPLED[method])
        found[name] = 9 * FLOAT * draws * rows
        if published or method == "drbo-kde":
            found[name] += _table(draws + FLOOR * (method == "drbo-kde"), published)
    if method == "stableopt" and published:
        found["horizon"] += _table(FLOOR, published)
    if method == "drbo-mmd":
        found["discrepancy_nodes"] = FLOAT * (3 * p.discrepancy_nodes + 1600) * p.discrepancy_nodes
    if method == "drbo-mmd-minmax":
        found["minmax_nodes horizon"] = FLOAT * (10 * rows + 60) * p.minmax_nodes
    return found


def _table(contexts: int, published: bool) -> int:
    """Bytes of a table of contexts, which some hundred of them interpolate, and of U at all starts of the published search."""
    return FLOAT * contexts * (3 * 300 + STARTS * published)
