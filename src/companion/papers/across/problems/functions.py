r"""The functions of "which method?": 36 on 400 candidates of the unit cube each, with the model that all rules have of them.

Eleven have norm 3 in the space of the model's kernel, eleven are draws of the model's prior, and fourteen are test functions,
of the papers and of the usual collections. Dimensions go from one to six: the points are a line, a square grid, and from three
dimensions on the first points of Sobol's sequence. Test functions and surfaces are standardised over their candidates. Values
are maximised.

The model's kernel is that of the construction, of length-scale :math:`0.15\sqrt d`. A test function has none: its model is Matérn
5/2 with the length-scale of :data:`LIKELY` under which its values are most likely. The prior variance is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np
from scipy.linalg import cho_solve, cholesky

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest
from companion.core.randomness import stream
from companion.gp import Matern, SquaredExponential, gp_draw, grid, rkhs_expansion
from companion.gp.kernels import Kernel
from companion.problems.benchmarks import ackley, bird, griewank, hartmann, michalewicz, rosenbrock
from companion.problems.box import BoxProblem

SIZE = 400
#: Plays of a run, and how many of them are random at first.
HORIZON, INITIAL = 100, 10
NORM = 3.0
#: Length-scales among which a test function's is chosen, times the root of the dimension.
LIKELY = (0.05, 0.1, 0.2, 0.3, 0.5)
GROUPS = ("norm", "draw", "test")


def lengthscale(dim: int) -> float:
    """Of norms and draws: as the distance of two points of the cube grows."""
    return 0.15 * math.sqrt(dim)


@lru_cache(maxsize=6)
def candidates(dim: int) -> Floats:
    """(400, d) points of the unit cube."""
    if dim <= 2:
        return grid(SIZE if dim == 1 else 20, dim)
    from scipy.stats import qmc  # takes half a second

    return np.asarray(qmc.Sobol(dim, scramble=False).random_base2(9)[1 : SIZE + 1])  # the first is a corner


@dataclass(frozen=True)
class Function:
    """A function and its model.

    Parameters
    ----------
    name, dim : as tables call it, and d
    group : of :data:`GROUPS`
    source : whose it is
    make : (400,) values from the candidates and a generator
    known : kernel of the model, ``None`` for the one under which the values are most likely
    """

    name: str
    dim: int
    group: str
    source: str
    make: Callable[[Floats, np.random.Generator], Floats]
    known: Kernel | None = None

    @cached_property
    def values(self) -> Floats:
        """(400,) f at the candidates."""
        return self.make(candidates(self.dim), stream(0, "study", self.name, "function"))

    @cached_property
    def kernel(self) -> Kernel:
        """Of the model."""
        return self.known or likely_kernel(candidates(self.dim), self.values)

    @property
    def gap(self) -> float:
        """Regret of a candidate chosen at random, on average: the unit of all regrets of the study."""
        return float(self.values.max() - self.values.mean())

    @property
    def spread(self) -> float:
        """Range of the values, of which the noise is a share."""
        return float(np.ptp(self.values))


def likely_kernel(points: Floats, values: Floats) -> Kernel:
    """Matérn 5/2 of unit variance with the most likely length-scale of :data:`LIKELY`, the noise a tenth of the range."""
    noise = (0.1 * np.ptp(values)) ** 2 * np.eye(len(points))

    def loss(scale: float) -> float:
        factor = cholesky(Matern(2.5, scale)(points) + noise, lower=True)
        return float(values @ cho_solve((factor, True), values)) + 2.0 * float(np.log(factor.diagonal()).sum())

    scales = [each * math.sqrt(points.shape[1]) for each in LIKELY]
    return Matern(2.5, min(scales, key=loss))


def standardised(values: Floats) -> Floats:
    """Mean 0 and standard deviation 1 over the candidates."""
    return np.asarray((values - values.mean()) / values.std())


# -- what is drawn -----------------------------------------------------------------------------------------------------


def _of_norm(kernel: Kernel, points: Floats, generator: np.random.Generator) -> Floats:
    return rkhs_expansion(kernel, points, generator, norm=NORM).values


def _drawn(kernel: Kernel, points: Floats, generator: np.random.Generator) -> Floats:
    return gp_draw(kernel, points, generator)


def _surface(points: Floats, generator: np.random.Generator) -> Floats:
    """Of the BPE paper's Appendix E, whose model has a quarter of the draw's length-scale; in sides of its square."""
    return standardised(gp_draw(Matern(1.5, 0.2), points, generator))


# -- test functions ----------------------------------------------------------------------------------------------------


def _on_box(problem: Callable[[], BoxProblem], points: Floats, _: np.random.Generator) -> Floats:
    box = problem()
    return standardised(box.evaluate(box.low + (box.high - box.low) * points))


def _test(
    formula: Callable[[Floats], Floats], low: float, high: float, points: Floats, _: np.random.Generator
) -> Floats:
    return standardised(formula(low + (high - low) * points))


def example(x: Floats) -> Floats:
    """sin x + cos x + x / 10, of the compressed paper's Figure 1."""
    return np.asarray((np.sin(x) + np.cos(x) + 0.1 * x)[:, 0])


def forrester(x: Floats) -> Floats:
    """Minus (6x - 2)^2 sin(12x - 4)."""
    return np.asarray(-((6 * x - 2) ** 2 * np.sin(12 * x - 4))[:, 0])


def gramacy_lee(x: Floats) -> Floats:
    """Minus sin(10 pi x) / (2x) + (x - 1)^4."""
    return np.asarray(-(np.sin(10 * math.pi * x) / (2 * x) + (x - 1) ** 4)[:, 0])


def branin(u: Floats) -> Floats:
    """Minus Branin's function; [-5, 10] x [0, 15] from the unit square."""
    x, y = 15 * u[:, 0] - 5, 15 * u[:, 1]
    valley = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return np.asarray(-(valley**2 + 10 * (1 - 1 / (8 * math.pi)) * np.cos(x) + 10))


def camel(u: Floats) -> Floats:
    """Minus the six-hump camel; [-2, 2] x [-1, 1] from the unit square."""
    x, y = 4 * u[:, 0] - 2, 2 * u[:, 1] - 1
    return np.asarray(-((4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2))


HARTMANN3_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
HARTMANN3_RATES = np.array([[3.0, 10, 30], [0.1, 10, 35], [3.0, 10, 30], [0.1, 10, 35]])
HARTMANN3_CENTRES = 1e-4 * np.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]])


def hartmann3(x: Floats) -> Floats:
    """Minus Hartmann's function of three coordinates."""
    squares = (x[:, None, :] - HARTMANN3_CENTRES) ** 2
    return np.asarray(np.exp(-(HARTMANN3_RATES * squares).sum(axis=2)) @ HARTMANN3_WEIGHTS)


def levy(x: Floats) -> Floats:
    """Minus Levy's function."""
    w = 1 + (x - 1) / 4
    inner = (w[:, :-1] - 1) ** 2 * (1 + 10 * np.sin(math.pi * w[:, :-1] + 1) ** 2)
    last = (w[:, -1] - 1) ** 2 * (1 + np.sin(2 * math.pi * w[:, -1]) ** 2)
    return np.asarray(-(np.sin(math.pi * w[:, 0]) ** 2 + inner.sum(axis=1) + last))


def _listed() -> list[Function]:
    found = []
    for group, make, rough, most in (("norm", _of_norm, 2.5, 6), ("draw", _drawn, 1.5, 6)):
        for dim in range(1, most + 1):
            kernels: dict[str, Kernel] = {f"matern{rough * 10:.0f}": Matern(rough, lengthscale(dim))}
            if dim < most:
                kernels["se"] = SquaredExponential(lengthscale(dim))
            for name, kernel in kernels.items():
                title = f"{group}-{name}-{dim}d"
                found.append(Function(title, dim, group, "the model", partial(make, kernel), kernel))
    collection = "Surjanovic and Bingham"
    tests: list[tuple[str, int, str, Callable[[Floats, np.random.Generator], Floats]]] = [
        ("example-1d", 1, "compressed, Figure 1", partial(_test, example, -10.0, 10.0)),
        ("forrester-1d", 1, collection, partial(_test, forrester, 0.0, 1.0)),
        ("gramacy-lee-1d", 1, collection, partial(_test, gramacy_lee, 0.5, 2.5)),
        ("ackley-2d", 2, "TS-RSR, Table 2", partial(_on_box, ackley)),
        ("rosenbrock-2d", 2, "TS-RSR, Table 2", partial(_on_box, rosenbrock)),
        ("bird-2d", 2, "TS-RSR, Table 2", partial(_on_box, bird)),
        ("branin-2d", 2, collection, partial(_test, branin, 0.0, 1.0)),
        ("camel-2d", 2, collection, partial(_test, camel, 0.0, 1.0)),
        ("hartmann-3d", 3, collection, partial(_test, hartmann3, 0.0, 1.0)),
        ("levy-4d", 4, collection, partial(_test, levy, -10.0, 10.0)),
        ("michalewicz-5d", 5, "TS-RSR, Table 2, in five of ten", partial(_on_box, partial(michalewicz, 5))),
        ("hartmann-6d", 6, "TS-RSR, Table 2", partial(_on_box, hartmann)),
        ("griewank-6d", 6, "TS-RSR, Table 2, in six of eight", partial(_on_box, partial(griewank, "root", 6))),
    ]
    found += [Function(name, dim, "test", source, make) for name, dim, source, make in tests]
    found.append(Function("surface-2d", 2, "test", "BPE, Appendix E", _surface, Matern(1.5, 0.05)))
    return found


FUNCTIONS = {each.name: each for each in _listed()}


def function(name: str) -> Function:
    """One of :data:`FUNCTIONS`.

    Raises
    ------
    ParameterError
        for an unknown name
    """
    if name not in FUNCTIONS:
        raise ParameterError("problem", f"got {name!r}", ", ".join(FUNCTIONS), nearest(name, FUNCTIONS))
    return FUNCTIONS[name]
