"""Common problems of "which method?": 400 candidates each, a known model, one noise for all.

Three are random and new at every seed: functions of norm 3, and draws of two priors. Five come from the papers: three test
functions of the TS-RSR paper, the example function of the compressed paper, and the random surfaces of the BPE paper's
Appendix E, whose model has a shorter length-scale than the draw. The test functions are standardised over their grid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest
from companion.core.randomness import stream
from companion.gp import Matern, PriorDraws, SquaredExponential, gp_draw, grid, rkhs_expansion
from companion.gp.kernels import Kernel
from companion.problems import BoxProblem, FiniteProblem
from companion.problems.benchmarks import ackley, bird, rosenbrock

PER_AXIS = 20
SIZE = PER_AXIS**2
NOISE_SD = 0.1
NORM = 3.0
LENGTHSCALE = 0.2
MATERN = Matern(2.5, LENGTHSCALE)

LIKELY = {"ackley-2d": 0.1, "rosenbrock-2d": 0.3, "bird-2d": 0.2}
"""Length-scale of a test function's model, in sides of its box: of 0.05, 0.1, 0.2, 0.3 and 0.5 the one under which the
values on the grid are most likely (Matérn 5/2, noise as below)."""


@dataclass(frozen=True, eq=False)
class Common:
    """A problem with the model that all methods have of it.

    Parameters
    ----------
    problem : on 400 candidates
    covariance : (N, N) of the model, variance one
    prior : draws of the model, for the methods that need them
    """

    problem: FiniteProblem
    covariance: Floats
    prior: PriorDraws


@dataclass(frozen=True)
class Kind:
    """How a problem is made.

    Parameters
    ----------
    title, source : for pages: a few words, and whose it is
    fresh : whether every seed has a function of its own
    points : (N, d)
    kernel : of the model, on these points
    values : from a generator, (N,)
    """

    title: str
    source: str
    fresh: bool
    points: Callable[[], Floats]
    kernel: Kernel
    values: Callable[[np.random.Generator], Floats]


def square() -> Floats:
    """The grid of the unit square."""
    return grid(PER_AXIS, 2)


def line() -> Floats:
    """As many points on the example function's interval."""
    return grid(SIZE, 1, -10.0, 10.0)


def wide() -> Floats:
    """The grid of [-5, 5]^2."""
    return grid(PER_AXIS, 2, -5.0, 5.0)


def of_norm(generator: np.random.Generator) -> Floats:
    """A combination of five kernel translates of norm :data:`NORM`."""
    return rkhs_expansion(MATERN, square(), generator, norm=NORM).values


def drawn(kernel: Kernel, points: Callable[[], Floats], generator: np.random.Generator) -> Floats:
    """A draw of a prior."""
    return gp_draw(kernel, points(), generator)


def standardised(make: Callable[[], BoxProblem], generator: np.random.Generator) -> Floats:
    """A test function on the grid of its box, with mean 0 and standard deviation 1 there; nothing is drawn."""
    box = make()
    values = box.evaluate(box.low + (box.high - box.low) * square())
    return (values - values.mean()) / values.std()


def example(generator: np.random.Generator) -> Floats:
    """sin x + cos x + 0.1 x; nothing is drawn."""
    x = line()[:, 0]
    return np.sin(x) + np.cos(x) + 0.1 * x


def _test_function(name: str, title: str, make: Callable[[], BoxProblem]) -> Kind:
    kernel = Matern(2.5, LIKELY[name])
    return Kind(title, "TS-RSR, Table 2", False, square, kernel, partial(standardised, make))


_SE, _ROUGH, _WIDE = SquaredExponential(LENGTHSCALE), Matern(1.5, LENGTHSCALE), Matern(1.5, 2.0)
KINDS: dict[str, Kind] = {
    "norm": Kind("functions of norm 3", "Matérn 5/2", True, square, MATERN, of_norm),
    "draw-se": Kind("draws, SE", "the model's prior", True, square, _SE, partial(drawn, _SE, square)),
    "draw-matern32": Kind(
        "draws, Matérn 3/2", "the model's prior", True, square, _ROUGH, partial(drawn, _ROUGH, square)
    ),
    "ackley-2d": _test_function("ackley-2d", "Ackley", ackley),
    "rosenbrock-2d": _test_function("rosenbrock-2d", "Rosenbrock", rosenbrock),
    "bird-2d": _test_function("bird-2d", "Bird", bird),
    "example": Kind("sin x + cos x + x/10", "compressed, Figure 1", False, line, SquaredExponential(1.0), example),
    "appendix-e": Kind(
        "surfaces of Appendix E", "BPE, Appendix E", True, wide, Matern(1.5, 0.5), partial(drawn, _WIDE, wide)
    ),
}
PROBLEMS = tuple(KINDS)


@lru_cache(maxsize=len(KINDS))
def model(name: str) -> tuple[Floats, PriorDraws]:
    """Covariance of a problem's candidates, and draws of that prior."""
    kind = KINDS[name]
    points = kind.points()
    covariance = np.asarray(kind.kernel(points))
    covariance.flags.writeable = False
    return covariance, PriorDraws.on_points(kind.kernel, points)


def common_problem(name: str, seed: int) -> Common:
    """A problem; the seed draws the function where there is something to draw.

    Raises
    ------
    ParameterError
        for an unknown name
    """
    if name not in KINDS:
        raise ParameterError("problem", f"got {name!r}", ", ".join(KINDS), nearest(name, KINDS))
    kind = KINDS[name]
    values = kind.values(stream(seed, "across", name, "function"))
    covariance, prior = model(name)
    return Common(FiniteProblem(name, kind.points(), values, NOISE_SD, kind.source), covariance, prior)
