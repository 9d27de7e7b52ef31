r"""The three problems of Section 4 on finite candidate sets.

The paper prints the functions, the length-scale 1, the noise variance 0.001 and the number of initial points, 2^d. Domains,
candidate sets, scaling and, for the tuning of logistic regression, everything but the names of the four hyper-parameters
are the companion's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest, whole_number
from companion.gp import SquaredExponential, grid
from companion.papers.compressed.problems import tuning_table
from companion.problems import FiniteProblem
from companion.problems.datasets import DataUsed

NOISE_VARIANCE = 1e-3
LENGTHSCALE = 1.0
#: The constants of Rosenbrock's function in Section 4.2.
A, B = 1.0, 10.0
TABLES = ("auto", "digits", "mnist")


@dataclass(frozen=True, eq=False)
class ChapterProblem:
    """A problem with the assumptions of its model.

    Parameters
    ----------
    problem : maximised, in the model's units
    covariance : (N, N) prior covariance, squared exponential of variance one
    scale : one model unit in the problem's own units
    residuals : (N, k) deviations of stored runs from their mean, model units; ``None`` where noise is added
    seconds : (N, k) CPU seconds of the stored runs; ``None`` where an evaluation costs nothing
    meta : identification of the problem
    """

    problem: FiniteProblem
    covariance: Floats
    scale: float = 1.0
    residuals: Floats | None = None
    seconds: Floats | None = None
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def initial(self) -> int:
        """2^d, the number of initial points."""
        return 2 ** self.problem.points.shape[1]


def example(
    points: int = 1000,
    low: float = -10.0,
    high: float = 10.0,
    noise_variance: float = NOISE_VARIANCE,
    lengthscale: float = LENGTHSCALE,
) -> ChapterProblem:
    r"""Section 4.1: :math:`f(x)=\sin x+\cos x+0.1x` on a grid of an interval, without scaling.

    Parameters
    ----------
    points : N
    low, high : ends of the interval, which the paper does not name
    noise_variance : of an evaluation
    lengthscale : of the model
    """
    if not low < high:
        raise ParameterError("low", f"is {low:g}", f"a number below high={high:g}")
    at = grid(points, 1, low, high)
    values = np.sin(at[:, 0]) + np.cos(at[:, 0]) + 0.1 * at[:, 0]
    problem = FiniteProblem("example-function", at, values, noise_variance**0.5, "Section 4.1")
    return ChapterProblem(problem, SquaredExponential(lengthscale)(at), meta={"unit": "of f"})


def rosenbrock(
    points_per_axis: int = 40,
    low: float = -2.0,
    high: float = 2.0,
    noise_variance: float = NOISE_VARIANCE,
    lengthscale: float = LENGTHSCALE,
) -> ChapterProblem:
    r"""Section 4.2: minus :math:`(a-x)^2+b(y-x^2)^2`, a = 1, b = 10, standardised over a square grid.

    The paper prints the function to be minimised and speaks of maximising; the sign is turned. The optimum is the best of
    the grid, of which (1, 1) need not be a node.

    Parameters
    ----------
    points_per_axis : of the grid
    low, high : of both coordinates
    noise_variance : of an evaluation, standardised units
    lengthscale : of the model, units of the coordinates
    """
    if not low < high:
        raise ParameterError("low", f"is {low:g}", f"a number below high={high:g}")
    at = grid(points_per_axis, 2, low, high)
    raw = -((A - at[:, 0]) ** 2 + B * (at[:, 1] - at[:, 0] ** 2) ** 2)
    scale = float(raw.std())
    problem = FiniteProblem("rosenbrock", at, (raw - raw.mean()) / scale, noise_variance**0.5, "Section 4.2")
    return ChapterProblem(
        problem, SquaredExponential(lengthscale)(at), scale, meta={"unit": "standard deviations of f"}
    )


def trainings_used(data: str) -> DataUsed:
    """Table of trainings used by a run of the tuning problem."""
    name = tuning_table.best_available() if data == "auto" else data
    title = "trainings on MNIST" if name == "mnist" else "trainings on scikit-learn's digits, a stand-in for MNIST"
    return DataUsed(name, title, name == "mnist", tuning_table.digest(name))


def logistic(data: str = "auto", configurations: int = 512, lengthscale: float = LENGTHSCALE) -> ChapterProblem:
    """Section 4.3 by look-up: validation accuracy of logistic regression over 512 stored configurations.

    f is the mean accuracy of a configuration's stored trainings, standardised over the configurations; an observation is
    one of the trainings, so the noise is the real one, and the model's noise variance is only an assumption.

    Parameters
    ----------
    data : ``digits``, ``mnist``, or ``auto`` for MNIST where its table is stored and the digits otherwise
    configurations : the first of the Sobol sequence
    lengthscale : of the model, units of the unit cube

    Raises
    ------
    ParameterError
        for other data, or more configurations than are stored
    ResultError
        where the table is missing or damaged
    """
    if data not in TABLES:
        raise ParameterError("data", f"got {data!r}", ", ".join(TABLES), nearest(str(data), TABLES))
    table = tuning_table.load(tuning_table.best_available() if data == "auto" else data)
    whole_number("configurations", configurations, 2, len(table.points))
    points, accuracy = table.points[:configurations], table.accuracy[:configurations]
    mean = accuracy.mean(axis=1)
    scale = float(mean.std())
    residuals = (accuracy - mean[:, None]) / scale
    runs = accuracy.shape[1]
    found = float((residuals**2).sum() / (len(residuals) * (runs - 1)))
    problem = FiniteProblem("logistic", points, (mean - mean.mean()) / scale, found**0.5, "Section 4.3")
    meta = {
        "unit": "standard deviations of accuracy over the configurations",
        "data": table.name,
        "noise_variance_found": found,
        "best_accuracy": float(mean.max()),
        "table": table.record.date,
    }
    covariance = SquaredExponential(lengthscale)(points)
    return ChapterProblem(problem, covariance, scale, residuals, table.seconds[:configurations], meta)
