"""Memory needed by a run."""

from __future__ import annotations

from companion.core.memory import FLOAT
from companion.papers.tsrsr.experiments.definitions import MOST_POINTS, horizon_of
from companion.papers.tsrsr.experiments.parameters import Column, Theory
from companion.papers.tsrsr.problems.gp_functions import DOMAINS

GRIDS = {"gp-2d": DOMAINS[2], "gp-3d": DOMAINS[3]}
#: Square matrices over a round's candidates, in the readings of text and code.
SQUARES = {"ucbpe": (2, 0), "bucb": (2, 0)}


def need(experiment: str, method: str, p: Column | Theory) -> dict[str, int]:
    """Bytes; factors as measured."""
    rows, batch = horizon_of(p) + p.warm_up, p.batch_size
    if isinstance(p, Theory):
        size = min(p.points_per_axis**p.dim, MOST_POINTS)  # more are refused
        return {
            "points_per_axis": 3 * FLOAT * size**2,
            "batches batch_size points_per_axis": FLOAT * (rows + 3 * batch) * size,
        }
    if experiment in GRIDS and p.reading == "text":
        size = GRIDS[experiment].per_axis ** GRIDS[experiment].dim
        return {"batches batch_size": FLOAT * (rows + 3 * batch) * size}
    if method == "random":
        return {"batches batch_size": 8 * FLOAT * rows}
    count, squares = p.candidates, SQUARES.get(method, (3, 6))[p.reading == "code"]
    return {
        "candidates": squares * FLOAT * count**2,
        "candidates batches batch_size": 2 * FLOAT * rows * count,
        "batches batch_size": 3 * FLOAT * rows**2,
    }
