"""The twelve problems of Section 6, each in two readings: as the text describes it, and as the authors' code has it.

:func:`chapter_problem` makes one; ``data/reported/tsrsr/text_and_code.csv`` lists what separates the readings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from companion.core.errors import ParameterError, nearest, whole_number
from companion.core.randomness import stream
from companion.gp import KernelMatrix, Matern, PriorDraws, SquaredExponential
from companion.gp.kernels import Kernel
from companion.papers.tsrsr.problems.gp_functions import (
    DOMAINS,
    feature_problem,
    grid_draw,
    grid_model,
    low_rank_problem,
)
from companion.papers.tsrsr.problems.network import network_problem
from companion.papers.tsrsr.problems.reference import reference
from companion.papers.tsrsr.problems.robot import robot_problem
from companion.problems import BoxProblem, FiniteProblem
from companion.problems.benchmarks import ackley, bird, griewank, hartmann, michalewicz, rosenbrock
from companion.problems.datasets import regression_data

READINGS = ("text", "code")
LN2 = math.log(2.0)
#: Validation loss that the published plots subtract for Boston housing.
PUBLISHED_BOSTON = 4.1025343


@dataclass(frozen=True)
class TableColumn:
    """One column of Tables 1 to 4.

    Parameters
    ----------
    name, title : on the command line, and as the paper calls it
    table : number of the paper's table
    unit : power of ten of the table's entries
    batch_size, batches : m and T; 15 design points come before
    functions, repeats : functions or goals drawn, and runs on each, in the text
    text, code : the model's kernel in the two readings, from Tables 5 to 7 and from the code
    """

    name: str
    title: str
    table: int
    unit: float
    batch_size: int
    batches: int
    functions: int
    repeats: int
    text: Kernel
    code: Kernel


_SCALES = (0.1, 0.005, 0.1, 0.1)
_TEXT, _CODE = Matern(1.5, LN2), Matern(2.5, LN2, LN2)

_COLUMNS = (
    ("gp-2d", "GP-RBF-prior-2D", 1, 1e-2, 20, 20, 10, 10, SquaredExponential(0.25), SquaredExponential(0.25, LN2)),
    ("gp-3d", "GP-RBF-prior-3D", 1, 1e-2, 5, 50, 10, 5, SquaredExponential(0.15), SquaredExponential(0.15, 10.0)),
    ("ackley-2d", "Ackley-2D", 2, 1e-3, 5, 50, 1, 10, _TEXT, _CODE),
    ("rosenbrock-2d", "Rosenbrock-2D", 2, 1e-3, 5, 50, 1, 10, _TEXT, _CODE),
    ("bird-2d", "Bird-2D", 2, 1e-4, 5, 50, 1, 10, _TEXT, _CODE),
    ("ackley-3d", "Ackley-3D", 2, 1e-2, 20, 15, 1, 10, _TEXT, _CODE),
    ("hartmann-6d", "Hartmann-6D", 3, 1e-2, 5, 30, 1, 10, _TEXT, Matern(2.5, 0.2, LN2)),
    ("griewank-8d", "Griewank-8D", 3, 1e-2, 10, 30, 1, 10, _TEXT, _CODE),
    ("michalewicz-10d", "Michalewicz-10D", 3, 1.0, 5, 30, 1, 10, _TEXT, _CODE),
    ("boston-4d", "Boston housing", 4, 1e-1, 5, 30, 1, 10, Matern(1.5, _SCALES), Matern(2.5, _SCALES, LN2)),
    ("robot-3d", "Robot-3D", 4, 1e-2, 5, 30, 10, 1, _TEXT, Matern(2.5, (1.0, 1.0, 0.1), 0.2)),
    ("robot-4d", "Robot-4D", 4, 1e-1, 5, 30, 10, 1, _TEXT, _CODE),
)

#: The columns of Tables 1 to 4, by name.
SETTINGS = {column[0]: TableColumn(*column) for column in _COLUMNS}

DESIGN_POINTS = 15


@dataclass(frozen=True, eq=False)
class ChapterProblem:
    """A problem with the assumptions of its model and the length of its runs.

    Parameters
    ----------
    problem : on a finite set (``gp-2d`` and ``gp-3d`` in the text's reading) or a box
    kernel : of the model, in units of the coordinates
    covariance, prior : rows and draws of the prior, for a finite set; ``None`` on a box
    setting : batch size, batches, repeats, table
    reading : ``"text"`` or ``"code"``
    meta : reading, function, source, how the optimum is known; ``data`` where data are used, ``engine`` where a
        simulator is
    """

    problem: BoxProblem | FiniteProblem
    kernel: Kernel
    covariance: KernelMatrix | None
    prior: PriorDraws | None
    setting: TableColumn
    reading: str
    meta: dict[str, Any]


def setting(name: str) -> TableColumn:
    """One of :data:`SETTINGS`; :class:`ParameterError` with the nearest name otherwise."""
    if name not in SETTINGS:
        raise ParameterError("problem", f"{name!r} is not known", ", ".join(SETTINGS), nearest(str(name), SETTINGS))
    return SETTINGS[name]


def default_noise(reading: str) -> float:
    """Standard deviation of the noise of one evaluation: 0.001 in the text; none in the code, whose model adds it."""
    return 1e-3 if reading == "text" else 0.0


def chapter_problem(
    name: str,
    reading: str = "text",
    function: int = 0,
    seed: int = 0,
    noise_sd: float | None = None,
    data: str = "auto",
) -> ChapterProblem:
    """One of the twelve problems.

    Parameters
    ----------
    name : see :data:`SETTINGS`
    reading : ``"text"`` or ``"code"``
    function : number of the drawn function (gp-2d, gp-3d) or goal (robots), from 0; other problems have one function
    seed : of the draws on grids, and of the objectives that are random in the code's reading
    noise_sd : of the observations; the reading's own by default
    data : for boston-4d, see :func:`~companion.problems.datasets.regression_data`

    Raises
    ------
    ParameterError
        for an unknown problem, reading or data set, or a function number that does not exist
    DataError
        where Box2D or a data set requested by name is missing
    """
    chosen = setting(name)
    if reading not in READINGS:
        raise ParameterError("reading", f"got {reading!r}", "'text' or 'code'", nearest(str(reading), READINGS))
    whole_number("function", function, 0, chosen.functions - 1)
    noise = default_noise(reading) if noise_sd is None else noise_sd
    order = _Order(name, reading, function, seed, noise, data)
    problem, extra = _MAKERS.get(name, _benchmark)(order)
    covariance, prior = None, None
    if isinstance(problem, FiniteProblem):
        covariance, prior = grid_model(DOMAINS[problem.points.shape[1]])
        optimum = "the largest of the finitely many values"
    else:
        optimum = problem.certified
    kernel = chosen.text if reading == "text" else chosen.code
    meta = {"reading": reading, "function": function, "source": problem.source, "optimum": optimum, **extra}
    return ChapterProblem(problem, kernel, covariance, prior, chosen, reading, meta)


class _Order(NamedTuple):
    name: str
    reading: str
    function: int
    seed: int
    noise_sd: float
    data: str

    def generator(self) -> np.random.Generator | None:
        """Of an objective that is random: in the code's reading, one stream for each problem, function and seed."""
        return stream(self.seed, self.name, "objective", self.function) if self.reading == "code" else None


_Made = tuple[BoxProblem | FiniteProblem, dict[str, Any]]


def _benchmark(order: _Order) -> _Made:
    makers: dict[str, Callable[[], BoxProblem]] = {
        "ackley-2d": lambda: ackley(2, order.noise_sd),
        "ackley-3d": lambda: ackley(3, order.noise_sd),
        "rosenbrock-2d": lambda: rosenbrock(order.noise_sd),
        "bird-2d": lambda: bird(order.noise_sd),
        "hartmann-6d": lambda: hartmann(order.noise_sd),
        "griewank-8d": lambda: griewank("root" if order.reading == "text" else "index", 8, order.noise_sd),
        "michalewicz-10d": lambda: michalewicz(10, order.noise_sd),
    }
    return makers[order.name](), {}


def _plane(order: _Order) -> _Made:
    if order.reading == "text":
        return grid_draw(2, order.function, order.seed, order.noise_sd), {}
    return feature_problem(order.function, order.noise_sd), {}


def _cube(order: _Order) -> _Made:
    if order.reading == "text":
        return grid_draw(3, order.function, order.seed, order.noise_sd), {}
    return low_rank_problem(order.function, order.seed, order.noise_sd), {}


def _boston(order: _Order) -> _Made:
    data = regression_data(order.data)
    if order.reading == "code" and data.name == "boston":
        optimum, why = -PUBLISHED_BOSTON, "the published code's constant; a random objective may exceed it"
    else:
        found = reference(f"network-{data.name}/{order.reading}")
        optimum, why = float(found["value"]), f"best of {found['evaluations']} evaluations of a search, not proved"
    problem = network_problem(data, order.reading, optimum, order.noise_sd, order.generator(), why)
    return problem, {"data": data.name, "remark": data.remark}


def _robot(order: _Order) -> _Made:
    dim = 3 if order.name == "robot-3d" else 4
    if order.reading == "code":
        optimum, why = 0.0, "0 as in the published code: no distance is negative"
    else:
        found = reference(f"{order.name}/{order.function}")
        optimum = float(found["value"])
        why = f"best of {found['evaluations']} evaluations of a search; the maximum lies between it and 0"
    problem = robot_problem(dim, order.function, order.reading, optimum, order.noise_sd, order.generator(), why)
    return problem, {"engine": "Box2D"}


_MAKERS: dict[str, Callable[[_Order], _Made]] = {
    "gp-2d": _plane,
    "gp-3d": _cube,
    "boston-4d": _boston,
    "robot-3d": _robot,
    "robot-4d": _robot,
}
