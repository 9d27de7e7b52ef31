"""Reference values for regret where no optimum is known: the best settings that a long search found.

The values travel with the package, in ``reference_optima.json``; :func:`store` computes them again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from companion.core import instruction_set
from companion.core.arrays import Floats
from companion.core.errors import ResultError
from companion.core.randomness import stream
from companion.papers.tsrsr.problems.network import CODE, TEXT, NetworkObjective, split
from companion.papers.tsrsr.problems.robot import GOALS, PushObjective, corners
from companion.problems.datasets import RegressionData, regression_data
from companion.simulate.replicate import Workers, parallel_map, workers
from companion.stored.record import Record
from companion.stored.results import load_entries, store_entries

Entry = dict[str, Any]

FOLDER = Path(__file__).parent
NAME = "reference_optima"
COMMAND = "python -m companion.papers.tsrsr.problems.reference"
SEED = 0
#: Uniform points of a search; those of a robot serve all goals, as the simulation does not depend on the goal.
ROBOT_POINTS, NETWORK_POINTS = 20_000, 10_000
#: Pieces that a search is cut into for the workers; their number changes no result.
PARTS = 32
#: Best points from which the simplex method starts, and its evaluations from each.
ROBOT_STARTS, NETWORK_STARTS, LOCAL_EVALUATIONS = 30, 10, 300


def _spread(function: Callable[[Any], Any], items: Sequence[Any], how: Workers | None) -> list[Any]:
    names = [str(number) for number in range(len(items))]
    return parallel_map(function, items, names, workers(1) if how is None else how, "searches")


@lru_cache(maxsize=1)
def _stored(folder: Path) -> tuple[Entry, ...]:
    return tuple(load_entries(folder, NAME, COMMAND).entries)


def reference(problem: str, folder: Path = FOLDER) -> Entry:
    """Result of the search: problem, value (the largest f), point, evaluations.

    Raises
    ------
    ResultError
        if the file is damaged or lacks the problem
    """
    for entry in _stored(folder):
        if entry["problem"] == problem:
            return entry
    raise ResultError(f"no reference value is stored for {problem}; make it with: {COMMAND}")


def refine(
    objective: Callable[[Floats], Floats], points: Floats, values: Floats, low: Floats, high: Floats, starts: int
) -> Entry:
    """Simplex search inside the box from the best ``starts`` of ``points`` (n, d) with ``values`` (n,); the best of all."""
    order = np.argsort(-values, kind="stable")[:starts]
    best, at, evaluations = float(values[order[0]]), points[order[0]], len(values)
    span = high - low

    def loss(unit: Floats) -> float:
        return -float(objective((low + np.clip(unit, 0.0, 1.0) * span)[None, :])[0])

    for index in order:
        start = (points[index] - low) / span
        # A simplex of a fiftieth of the box: the default scales with the coordinates and collapses near zero.
        corners_of = np.vstack([start, start + np.where(start < 0.5, 0.02, -0.02) * np.eye(len(start))])
        options = {"maxfev": LOCAL_EVALUATIONS, "initial_simplex": corners_of, "xatol": 1e-9, "fatol": 1e-12}
        found = minimize(loss, start, method="Nelder-Mead", options=options)
        evaluations += int(found.nfev)
        if -float(found.fun) > best:
            best, at = -float(found.fun), low + np.clip(found.x, 0.0, 1.0) * span
    return {"value": best, "point": [float(x) for x in at], "evaluations": evaluations}


def _ends(dim: int, points: Floats) -> Floats:
    objective = PushObjective((0.0, 0.0))
    return np.array([objective.end(point) for point in points]).reshape(-1, 2)


def _robot_goal(task: tuple[int, int, Floats, Floats]) -> Entry:
    dim, goal, points, ends = task
    objective = PushObjective(GOALS[dim][goal])
    values = -np.hypot(ends[:, 0] - objective.goal[0], ends[:, 1] - objective.goal[1])
    return {"problem": f"robot-{dim}d/{goal}", **refine(objective, points, values, *corners(dim, "text"), ROBOT_STARTS)}


def search_robot(
    dim: int, how: Workers | None = None, count: int = ROBOT_POINTS, goals: tuple[int, ...] = tuple(range(10))
) -> list[Entry]:
    """The best push known for each goal, in the text's box, without noise on the velocity."""
    low, high = corners(dim, "text")
    points = stream(SEED, "reference", "robot", dim).uniform(low, high, size=(count, dim))
    ends = np.concatenate(_spread(partial(_ends, dim), np.array_split(points, PARTS), how))
    return _spread(_robot_goal, [(dim, goal, points, ends) for goal in goals], how)


def search_network(
    data: RegressionData, reading: str, how: Workers | None = None, count: int = NETWORK_POINTS
) -> Entry:
    """The smallest validation loss known, as a value of f.

    In the code's reading the objective is random, and the smallest of ``count`` evaluations is taken without refinement.
    """
    protocol = TEXT if reading == "text" else CODE
    generator = stream(SEED, "reference", "network", data.name, reading)
    low, high = np.array(protocol.low), np.array(protocol.high)
    points = generator.uniform(low, high, size=(count, len(low)))
    rows = split(data, reading)
    name = f"network-{data.name}/{reading}"
    if not protocol.fixed:
        values = NetworkObjective(rows, protocol, data.name, generator)(points)
        index = int(np.argmax(values))
        at = [float(x) for x in points[index]]
        return {"problem": name, "value": float(values[index]), "point": at, "evaluations": count}
    objective = NetworkObjective(rows, protocol, data.name)
    values = np.concatenate(_spread(objective, np.array_split(points, PARTS), how))
    return {"problem": name, **refine(objective, points, values, low, high, NETWORK_STARTS)}


def store(folder: Path = FOLDER, jobs: int | None = None) -> Path:
    """Run all searches and write the file; needs Box2D and Boston housing.

    Raises
    ------
    DataError
        where either is missing
    """
    how = workers(jobs)
    started = time.perf_counter()
    entries = [entry for dim in GOALS for entry in search_robot(dim, how)]
    for name in ("boston", "diabetes"):
        data = regression_data(name)
        entries += [search_network(data, reading, how) for reading in ("text", "code")]
    seconds = time.perf_counter() - started
    settings = {
        "robot_points": ROBOT_POINTS,
        "network_points": NETWORK_POINTS,
        "robot_starts": ROBOT_STARTS,
        "network_starts": NETWORK_STARTS,
        "local_evaluations": LOCAL_EVALUATIONS,
    }
    record = Record.now(COMMAND, profile="paper", seeds=[SEED], seconds=seconds, settings=settings)
    return store_entries(folder, NAME, entries, record)


if __name__ == "__main__":
    instruction_set.restart()
    store()
