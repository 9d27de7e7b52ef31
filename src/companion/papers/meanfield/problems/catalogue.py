"""The seven problems of Section 5, by name, with the paper's settings.

:func:`meanfield_problem` makes one; ``data/reported/meanfield/text_and_code.csv`` lists where the printed paper, or what
could be had of its data, differs from what is computed here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

from companion.core.errors import ParameterError, nearest
from companion.papers.meanfield.problems.arena import arena
from companion.papers.meanfield.problems.bikes import bikes, bikes_data
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.problems.ports import ports, ports_data
from companion.papers.meanfield.problems.swarm import READINGS, known_reading, swarm
from companion.papers.meanfield.problems.taxi import GRIDS, PRINTED_ACTIONS, taxi, taxi_data
from companion.problems.datasets import DataUsed

__all__ = [
    "HORIZON",
    "READINGS",
    "RUNS",
    "SETTINGS",
    "MeanFieldProblem",
    "ProblemSetting",
    "meanfield_problem",
    "setting",
]

#: Evaluations of a run and runs averaged, Section 5.1.
HORIZON, RUNS = 250, 10


@dataclass(frozen=True)
class ProblemSetting:
    """Setting of one problem in the paper.

    Parameters
    ----------
    name, title : on the command line, and as the paper calls it
    figure : where its curves are
    agents, actions, contexts : M, |A| and |C|; of the two printed |A| of the bikes, the one in the text
    horizon, runs : T and the number of seeds
    """

    name: str
    title: str
    figure: str
    agents: int
    actions: int
    contexts: int
    horizon: int = HORIZON
    runs: int = RUNS


_ROWS = (
    ("swarm", "Swarm motion", "Figure 2(a)", 50, 30, 1),
    ("arena", "Arena", "Figure 2(b)", 50, 30, 2),
    ("bikes", "LouVelo bike-sharing", "Figure 2(c)", 300, 41, 1),
    ("ports", "Maritime refuelling", "Figure 2(d)", 3000, 30, 5),
    *((f"taxi-{g}", f"NYC taxi ({g})", f"Figure 5({g})", 20_000, PRINTED_ACTIONS[g], 1) for g in GRIDS),
)

#: The problems in the order of the paper's figures.
SETTINGS = {row[0]: ProblemSetting(*row) for row in _ROWS}

#: Problems whose printed formula is not taken literally by default.
WITH_READINGS = ("swarm", "arena")


#: Problems made from data.
WITH_DATA = tuple(name for name in SETTINGS if name not in WITH_READINGS)


def problem_data(name: str, data: str, regions: int) -> DataUsed:
    """Data used by one of :data:`WITH_DATA`."""
    if name == "bikes":
        return bikes_data(data)
    return ports_data(data, regions) if name == "ports" else taxi_data(data)


def setting(name: str) -> ProblemSetting:
    """One of :data:`SETTINGS`; :class:`ParameterError` with the nearest name otherwise."""
    if name not in SETTINGS:
        raise ParameterError("problem", f"{name!r} is not known", ", ".join(SETTINGS), nearest(str(name), SETTINGS))
    return SETTINGS[name]


def meanfield_problem(
    name: str,
    agents: int | None = None,
    actions: int | None = None,
    reading: str = "ours",
    data: str = "auto",
    noise_sd: float = 0.0,
) -> MeanFieldProblem:
    """One of the seven problems.

    Parameters
    ----------
    name : see :data:`SETTINGS`
    agents : M; the paper's by default
    actions : A; the paper's by default, and for taxis every block with demand in the data used
    reading : ``"ours"`` or, for swarm and arena, ``"text"``: the printed penalty
    data : ``"auto"``, ``"synthetic"``, or one of the problem's own names for real data
    noise_sd : standard deviation of the noise of one observation; the paper adds none

    Raises
    ------
    ParameterError
        for an unknown name, reading or data, or numbers that the problem cannot have
    DataError
        if real data asked for by name are absent, or a file is not the one it should be
    """
    chosen = setting(name)
    if known_reading(reading) == "text" and name not in WITH_READINGS:
        raise ParameterError("reading", "'text' is the same as 'ours' here", f"'ours' for {name}")
    if name in WITH_READINGS and data not in ("auto", "synthetic"):
        raise ParameterError("data", f"got {data!r}", f"'auto': {name} needs no data")
    size = chosen.agents if agents is None else agents
    count = chosen.actions if actions is None else actions
    makers: dict[str, Callable[[], MeanFieldProblem]] = {
        "swarm": lambda: swarm(size, count, reading=reading, noise_sd=noise_sd),
        "arena": lambda: arena(size, count, reading=reading, noise_sd=noise_sd),
        "bikes": lambda: bikes(size, count, data, noise_sd),
        "ports": lambda: ports(size, count, data=data, noise_sd=noise_sd),
    }
    grid = name.removeprefix("taxi-")
    made = makers[name]() if name in makers else taxi(grid, size, actions, data, noise_sd)
    paper = {
        "title": chosen.title,
        "figure": chosen.figure,
        "horizon": chosen.horizon,
        "runs": chosen.runs,
        "printed": {"agents": chosen.agents, "actions": chosen.actions, "contexts": chosen.contexts},
    }
    return dataclasses.replace(made, meta={"reading": reading, **made.meta, **paper})
