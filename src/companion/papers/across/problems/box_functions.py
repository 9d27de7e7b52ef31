r"""The functions of "which rule, fitted, on a box?": 48 on the unit cube, twelve in each of the dimensions 1, 2, 4 and 6.

Ten of each dimension are draws of a Gaussian process of variance 1 with separate length-scales: four of the squared exponential
kernel, three of Matérn 5/2, three of Matérn 3/2. A length-scale is :math:`0.2\sqrt d\,2^u` with u uniform in [-1, 1]. A draw is
a sum of :data:`FEATURES` random cosines (Rahimi and Recht, 2008), so that it has a value everywhere. Two of each dimension are
standard test functions, mapped to the unit cube. Values are maximised, and stay in their own units.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from scipy.optimize import minimize

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest
from companion.core.randomness import stream
from companion.papers.across.problems.functions import branin, camel, forrester, gramacy_lee, levy
from companion.problems.benchmarks import ackley, griewank, hartmann
from companion.problems.box import BoxProblem

DIMS = (1, 2, 4, 6)
FEATURES = 2048
#: Draws of each kernel in each dimension, and twice its smoothness.
DRAWN = {"se": (4, math.inf), "matern52": (3, 5.0), "matern32": (3, 3.0)}
SIDE, SPREAD = 0.2, 1.0
#: Points of the cube by which a function is known, and those from which its largest value is sought.
LOOKED, STARTS = 2**14, 40
_CHUNK = 2048


@dataclass(frozen=True, eq=False)
class BoxFunction:
    """A function on the unit cube.

    Parameters
    ----------
    name, dim : as tables call it, and d
    kernel : of the draw, empty for a test function
    formula : (n,) values of points (n, d), for a test function
    best : (d,) where its maximum is known to be
    """

    name: str
    dim: int
    kernel: str = ""
    formula: Callable[[Floats], Floats] | None = None
    best: tuple[float, ...] | None = field(default=None)

    @cached_property
    def lengthscales(self) -> Floats:
        """(d,) of a draw."""
        powers = stream(0, "box", self.name, "lengthscales").uniform(-SPREAD, SPREAD, self.dim)
        return np.asarray(SIDE * math.sqrt(self.dim) * 2.0**powers)

    @cached_property
    def _features(self) -> tuple[Floats, Floats, Floats]:
        """(d, M) frequencies, (M,) phases and weights."""
        generator, twice = stream(0, "box", self.name, "function"), DRAWN[self.kernel][1]
        frequencies = generator.standard_normal((self.dim, FEATURES)) / self.lengthscales[:, None]
        if math.isfinite(
            twice
        ):  # of a Matern kernel: Student's distribution with twice its smoothness degrees of freedom
            frequencies *= np.sqrt(twice / generator.chisquare(twice, FEATURES))
        phases = generator.uniform(0.0, 2.0 * math.pi, FEATURES)
        return frequencies, phases, generator.standard_normal(FEATURES) * math.sqrt(2.0 / FEATURES)

    def __call__(self, points: Floats) -> Floats:
        """(n,) values at points (n, d)."""
        if self.formula is not None:
            return self.formula(points)
        frequencies, phases, weights = self._features
        parts = range(0, len(points), _CHUNK)
        return np.concatenate([np.cos(points[i : i + _CHUNK] @ frequencies + phases) @ weights for i in parts])

    def _downhill(self, x: Floats) -> tuple[float, Floats]:
        """Less the value of a draw at a point, and the gradient."""
        frequencies, phases, weights = self._features
        angles = x @ frequencies + phases
        return -float(np.cos(angles) @ weights), frequencies @ (np.sin(angles) * weights)

    @cached_property
    def _known(self) -> tuple[float, float, float]:
        """Maximum, mean and range."""
        from scipy.stats import qmc  # takes half a second

        points = qmc.Sobol(self.dim, scramble=False).random_base2(LOOKED.bit_length() - 1)
        values = self(points)
        starts = points[np.argsort(-values)[:STARTS]]
        if self.best is not None:
            starts = np.vstack([self.best, starts[:9]])
        found = [
            minimize(
                self._downhill if self.formula is None else lambda x: -float(self(x[None])[0]),
                start,
                jac=self.formula is None,
                method="L-BFGS-B",
                bounds=[(0.0, 1.0)] * self.dim,
            )
            for start in starts
        ]
        top = max(
            float(values.max()), *(-float(one.fun) for one in found), *self(np.atleast_2d(self.best or starts[:1]))
        )
        return top, float(values.mean()), top - float(values.min())

    @property
    def optimum(self) -> float:
        """Largest value on the cube, as far as it was found."""
        return self._known[0]

    @property
    def gap(self) -> float:
        """Regret of a point chosen at random, on average: the unit of all regrets of the study."""
        return self._known[0] - self._known[1]

    @property
    def spread(self) -> float:
        """Range of the values, of which the noise is a share."""
        return self._known[2]


def _scaled(formula: Callable[[Floats], Floats], low: float, high: float, points: Floats) -> Floats:
    return formula(low + (high - low) * points)


def _listed() -> list[BoxFunction]:
    found = []
    for dim in DIMS:
        for kernel, (count, _) in DRAWN.items():
            found += [BoxFunction(f"box-{kernel}-{dim}d-{place}", dim, kernel) for place in range(1, count + 1)]
    standard = {box.name: box for box in (ackley(4), hartmann(), griewank("root", 6))}
    tests: list[tuple[str, int, Callable[[Floats], Floats], tuple[float, ...] | None]] = [
        ("forrester-1d", 1, forrester, None),
        ("gramacy-lee-1d", 1, partial(_scaled, gramacy_lee, 0.5, 2.5), None),
        ("branin-2d", 2, branin, None),
        ("camel-2d", 2, camel, None),
        ("levy-4d", 4, partial(_scaled, levy, -10.0, 10.0), (0.55,) * 4),
        *((name, len(box.low), partial(_on_cube, box), _best(box)) for name, box in standard.items()),
    ]
    return found + [BoxFunction(name, dim, "", formula, best) for name, dim, formula, best in tests]


def _on_cube(box: BoxProblem, points: Floats) -> Floats:
    return box.evaluate(box.low + (box.high - box.low) * points)


def _best(box: BoxProblem) -> tuple[float, ...]:
    assert box.optimiser is not None
    return tuple(((box.optimiser - box.low) / (box.high - box.low)).tolist())


BOX_FUNCTIONS = {each.name: each for each in _listed()}


def box_function(name: str) -> BoxFunction:
    """One of :data:`BOX_FUNCTIONS`.

    Raises
    ------
    ParameterError
        for an unknown name
    """
    if name not in BOX_FUNCTIONS:
        raise ParameterError("problem", f"got {name!r}", "a name of BOX_FUNCTIONS", nearest(name, BOX_FUNCTIONS))
    return BOX_FUNCTIONS[name]
