r"""Random functions of Section 6.1: exact draws on grids (text), and the functions that the authors' code uses instead.

The text draws functions from Gaussian processes with squared-exponential kernels and says no more. Here that means an
exact draw on a grid, which is then the whole domain. The code has other functions: cosines with uniform weights in two
dimensions, and a draw of rank 100 in three.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import linalg, optimize

from companion.core.arrays import Floats
from companion.core.errors import CompanionError, whole_number
from companion.core.randomness import stream
from companion.gp import KernelMatrix, PriorDraws, SquaredExponential, grid
from companion.problems import BoxProblem, FiniteProblem, MaximumBracket, branch_and_bound


@dataclass(frozen=True)
class GridDomain:
    """A regular grid as the whole domain.

    Parameters
    ----------
    dim : number of coordinates
    low, high : of every coordinate
    per_axis : points on each axis
    lengthscale : of the squared exponential
    """

    dim: int
    low: float
    high: float
    per_axis: int
    lengthscale: float


PLANE = GridDomain(2, -5.0, 5.0, 100, 0.25)
CUBE = GridDomain(3, 0.0, 1.0, 26, 0.15)
DOMAINS = {2: PLANE, 3: CUBE}

FEATURES = 256
RANK = 100
#: Prior variance of the code's draws in three dimensions.
CUBE_VARIANCE = 10.0


@lru_cache(maxsize=4)
def grid_model(domain: GridDomain) -> tuple[KernelMatrix, PriorDraws]:
    """Covariance rows and exact prior draws, variance one, on the grid."""
    kernel = SquaredExponential(domain.lengthscale)
    points = grid(domain.per_axis, domain.dim, domain.low, domain.high)
    axis = np.linspace(domain.low, domain.high, domain.per_axis)
    return KernelMatrix(kernel, points), PriorDraws.on_grid(kernel, (axis,) * domain.dim)


def grid_draw(dim: int, function: int, seed: int, noise_sd: float) -> FiniteProblem:
    """Draw number ``function`` from the unit-variance prior on the grid of :data:`DOMAINS`; its optimum is exact.

    Parameters
    ----------
    dim : 2 for [-5, 5]^2 with 100 points an axis, 3 for [0, 1]^3 with 26
    function, seed : address of the draw
    noise_sd : of the observations
    """
    covariance, prior = grid_model(DOMAINS[dim])
    values = prior.draw(stream(seed, "gp", dim, "function", whole_number("function", function, 0)), 1)[0]
    domain = DOMAINS[dim]
    source = f"exact draw on {domain.per_axis}^{dim} points, squared exponential, length-scale {domain.lengthscale}"
    return FiniteProblem(f"gp-{dim}d", covariance.points, values, noise_sd, source)


@dataclass(frozen=True, eq=False)
class RandomFeatures:
    r"""The code's function in two dimensions, :math:`f(x)=-\sum_j\theta_j\sqrt{2/J}\cos(w_j^\top x+b_j)`.

    Frequencies are those of the squared exponential, but the weights are uniform on (0, 1) where a Gaussian process has
    standard normal ones: the variance is about 1/3.

    Parameters
    ----------
    weights : theta, (J,)
    frequencies : w, (J, d)
    phases : b, (J,)
    """

    weights: Floats
    frequencies: Floats
    phases: Floats

    def __call__(self, points: Floats) -> Floats:
        """f at ``points`` (n, d), shape (n,)."""
        return -(np.cos(points @ self.frequencies.T + self.phases) @ self._scaled)

    def with_gradient(self, points: Floats) -> tuple[Floats, Floats]:
        """Values (n,) and gradients (n, d)."""
        angles = points @ self.frequencies.T + self.phases
        gradient = (np.sin(angles) * self._scaled) @ self.frequencies
        return -(np.cos(angles) @ self._scaled), gradient

    @property
    def curvature(self) -> Floats:
        """(d, d) bounds on the absolute second derivatives."""
        size = np.abs(self.frequencies)
        return (size.T * np.abs(self._scaled)) @ size

    @property
    def _scaled(self) -> Floats:
        return self.weights * math.sqrt(2.0 / len(self.weights))

    @classmethod
    def published(cls, seed: int, lengthscale: float = PLANE.lengthscale, dim: int = 2) -> RandomFeatures:
        """The code's function number ``seed``, from the legacy generator it uses: phases, frequencies, weights."""
        legacy = np.random.RandomState(whole_number("seed", seed, 0))
        phases = legacy.uniform(0.0, 2.0 * math.pi, FEATURES)
        frequencies = legacy.normal(0.0, 1.0 / lengthscale, (FEATURES, dim))
        return cls(legacy.uniform(0.0, 1.0, FEATURES), frequencies, phases)


@lru_cache(maxsize=16)
def feature_optimum(function: int) -> tuple[tuple[float, ...], MaximumBracket]:
    """Maximiser of the published function on [-5, 5]^2, and the bracket that certifies its value to 1e-9.

    Raises
    ------
    CompanionError
        if branch and bound finds a better value than the local searches
    """
    objective, domain = RandomFeatures.published(function), PLANE
    starts = grid(200, 2, domain.low, domain.high)
    best = starts[np.argsort(-objective(starts), kind="stable")[:20]]
    low, high = np.full(2, domain.low), np.full(2, domain.high)

    def loss(point: Floats) -> tuple[float, Floats]:
        value, gradient = objective.with_gradient(point[None, :])
        return -float(value[0]), -gradient[0]

    bounds = optimize.Bounds(low, high)
    found = [optimize.minimize(loss, at, jac=True, bounds=bounds, method="L-BFGS-B", tol=1e-14) for at in best]
    top = min(found, key=lambda result: float(result.fun))
    value = float(objective(top.x[None, :])[0])
    bracket = branch_and_bound(objective.with_gradient, objective.curvature, low, high, value)
    if bracket.lower > value + 1e-9:
        raise CompanionError(
            f"function {function}: the local searches stop {bracket.lower - value:.1e} below the maximum"
        )
    return tuple(float(x) for x in top.x), bracket


def feature_problem(function: int, noise_sd: float) -> BoxProblem:
    """The code's two-dimensional function number ``function`` (0 to 9 are the published ones) on [-5, 5]^2."""
    at, bracket = feature_optimum(function)
    objective = RandomFeatures.published(function)
    source = "256 random cosine features with uniform weights, as in the authors' code"
    corner = np.ones(2)
    value = float(objective(np.array([at]))[0])
    why = f"{bracket.argument}, to 1e-09"
    return BoxProblem("gp-2d", -5.0 * corner, 5.0 * corner, objective, value, noise_sd, source, np.array(at), why)


@dataclass(frozen=True, eq=False)
class NearestPoint:
    """The value at the nearest point of a regular grid on [0, 1]^d; piecewise constant.

    Parameters
    ----------
    values : (n, ..., n), one axis for each coordinate
    """

    values: Floats

    def __call__(self, points: Floats) -> Floats:
        """Values (n,) at ``points`` (n, d)."""
        steps = len(self.values) - 1
        return self.values[tuple(np.rint(points.T * steps).astype(np.intp))]


@lru_cache(maxsize=1)
def leading_functions() -> tuple[Floats, Floats]:
    """The 100 leading eigenvalues (100,), unit variance, and eigenvectors (17576, 100) of the cube's covariance.

    The covariance is a Kronecker product, so these are products of one-dimensional eigenvectors, whose signs are fixed
    by a positive first entry. The largest products are taken; ties, which the symmetry of the cube makes, in the order
    of their indices.
    """
    axis = np.linspace(CUBE.low, CUBE.high, CUBE.per_axis)[:, None]
    values, vectors = linalg.eigh(SquaredExponential(CUBE.lengthscale)(axis))
    values, vectors = values[::-1], vectors[:, ::-1] * np.sign(vectors[0, ::-1])
    values = np.maximum(values, 0.0)
    products = np.einsum("i,j,k->ijk", values, values, values).ravel()
    # Rounded, so that products which are equal by symmetry tie.
    chosen = np.argsort(-np.round(products, 9), kind="stable")[:RANK]
    i, j, k = np.unravel_index(chosen, (CUBE.per_axis,) * 3)
    functions = np.einsum("ar,br,cr->abcr", vectors[:, i], vectors[:, j], vectors[:, k])
    return products[chosen], functions.reshape(-1, RANK)


def low_rank_problem(function: int, seed: int, noise_sd: float) -> BoxProblem:
    """A draw of rank 100 with prior variance 10 on the cube's grid, looked up at the nearest grid point.

    The published draws come from a Lanczos root of at most 100 columns that a library computes in single precision
    from its own seeded start, and their files are not published; they depend on that library's version. Here the rank
    is cut at the 100 leading eigenfunctions instead: the best approximation of that rank, 86 % of the variance, and the
    same law up to what the Lanczos root misses of it. The functions are of the same kind, not the same functions.
    """
    values, functions = leading_functions()
    normal = stream(seed, "gp", 3, "rank 100", whole_number("function", function, 0)).standard_normal(RANK)
    draw = math.sqrt(CUBE_VARIANCE) * (functions @ (np.sqrt(values) * normal))
    table = draw.reshape((CUBE.per_axis,) * 3)
    at = np.array(np.unravel_index(int(np.argmax(draw)), table.shape)) / (CUBE.per_axis - 1)
    source = "draw of rank 100 on 26^3 points, prior variance 10, looked up at the nearest point"
    why = "the largest of the finitely many values"
    objective = NearestPoint(table)
    return BoxProblem("gp-3d", np.zeros(3), np.ones(3), objective, float(draw.max()), noise_sd, source, at, why)
