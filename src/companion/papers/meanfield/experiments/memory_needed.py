"""Memory needed by a run."""

from __future__ import annotations

from companion.core.memory import FLOAT
from companion.papers.meanfield.experiments.definitions import OVER_LAWS
from companion.papers.meanfield.experiments.parameters import Crowd
from companion.papers.meanfield.method.naive import SCORED
from companion.papers.meanfield.problems.catalogue import SETTINGS


def need(experiment: str, method: str, p: Crowd) -> dict[str, int]:
    """Bytes; factors as measured."""
    chosen, horizon, agents = SETTINGS[experiment], p.horizon, p.agents
    actions = chosen.actions if p.actions is None else p.actions
    found = {
        "agents": 8 * FLOAT * agents,
        "horizon actions": 2 * FLOAT * horizon * chosen.contexts * actions,
    }
    if method == "mf-gp-ucb":
        return {**found, "horizon": (chosen.contexts + 3) * FLOAT * horizon**2}
    if method in OVER_LAWS:
        return found
    if p.contexts == "redrawn":
        found["horizon agents"] = 2 * FLOAT * horizon * agents
    if method.startswith("ga"):
        found["agents"] = 50 * FLOAT * agents
    elif method in ("turbo", "gp-ucb"):
        # The joint actions and their copy or comparison; rounds with rounds.
        found["horizon agents"] = found.get("horizon agents", 0) + 8 * horizon * agents
        found["horizon"] = 4 * FLOAT * horizon**2
    if method == "turbo":
        found["candidates horizon"] = p.candidates * (4 * FLOAT * horizon + 600)
    if method == "gp-ucb":
        found["horizon actions"] += 5 * FLOAT * horizon * max(SCORED, actions)
    return found
