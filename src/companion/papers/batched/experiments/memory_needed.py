"""Memory needed by a run."""

from __future__ import annotations

from companion.core.memory import FLOAT
from companion.gp import kernel_by_name
from companion.papers.batched.experiments.definitions import _lower_bound
from companion.papers.batched.experiments.parameters import AppendixE, HardClass, KnownNorm, Robust
from companion.papers.batched.problems.catalogue import LARGEST_DOMAIN
from companion.papers.batched.problems.hard_class import BumpFamily

ROBUST = 441


def need(experiment: str, method: str, p: AppendixE | KnownNorm | Robust | HardClass) -> dict[str, int]:
    """Bytes; a batch's rows are at most twice its points, which are then pooled."""
    horizon = p.horizon
    if isinstance(p, Robust):
        rows = horizon if method == "stableopt" else min(horizon, 2 * ROBUST)
        return {"horizon": FLOAT * (rows + 5 * ROBUST) * ROBUST}
    if isinstance(p, HardClass):
        name = "points_per_cell"
        family = BumpFamily(kernel_by_name(p.kernel, p.lengthscale), p.dim, p.norm)
        classes = _lower_bound(family, horizon, p.batches, p.noise).classes
        size = sum(chosen.size for chosen in classes) * p.points_per_cell**p.dim
    else:
        name = "points_per_axis"
        size = p.points_per_axis ** (2 if isinstance(p, AppendixE) else p.dim)
    size = min(size, LARGEST_DOMAIN)  # more are refused
    rows = min(horizon, 2 * size)
    return {name: 5 * FLOAT * size**2, f"horizon {name}": FLOAT * rows * size}
