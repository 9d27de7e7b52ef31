"""Memory that a run needs."""

from __future__ import annotations

from companion.core.memory import FLOAT
from companion.papers.across.experiments.parameters import Agents, Contexts, Displacement, Methods
from companion.papers.across.problems.functions import SIZE


def need(experiment: str, method: str, p: Methods | Displacement | Contexts | Agents) -> dict[str, int]:
    """Bytes: the covariance of all candidates, and rows for all observations, which are doubled where they do not suffice."""
    horizon = p.horizon
    if isinstance(p, Contexts):
        pairs = p.decisions * p.contexts
        return {"decisions contexts": FLOAT * pairs**2, "horizon decisions contexts": 2 * FLOAT * horizon * pairs}
    if isinstance(p, Agents):
        return {"horizon agents": 2 * FLOAT * horizon * p.agents, "horizon": 4 * FLOAT * horizon**2}
    # TS-RSR draws functions at all candidates from the same rows.
    rows = (8 if method == "ts-rsr" else 2) * horizon
    return {"horizon": FLOAT * (rows + SIZE) * SIZE}
