"""The problems of chapter 3: the paper's random surfaces, functions of known norm, robust problems, counterexamples.

Covariances of regular grids are cached, read-only: a sweep over seeds and batch sizes computes each of them once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, whole_number
from companion.gp import Kernel, Matern, expansion, gp_draw, grid, rkhs_eigen, rkhs_expansion, rkhs_sphere
from companion.gp.kernels import KERNEL_TITLES as KERNEL_TITLES
from companion.problems import FiniteProblem, ball_neighbours

#: Smoothness nu of the kernels.
SMOOTHNESS = {"se": math.inf, "matern12": 0.5, "matern32": 1.5, "matern52": 2.5}

CONSTRUCTIONS = ("expansion", "eigen", "sphere")
#: Candidates of the largest domain offered; their covariance takes 200 MB.
LARGEST_DOMAIN = 5000


@dataclass(frozen=True, eq=False)
class ModelledProblem:
    """A problem, what the policy may assume about it, and the model it uses.

    Parameters
    ----------
    problem : function values, noise and neighbourhoods
    covariance : (N, N) prior covariance of the model, read-only
    norm : exact RKHS norm of the function on the candidates, for this covariance; ``None`` where it is not known to be
        bounded (draws of a Gaussian process)
    """

    problem: FiniteProblem
    covariance: Floats
    norm: float | None

    @property
    def known_norm(self) -> float:
        """The norm where it is known; :class:`ParameterError` elsewhere."""
        if self.norm is None:
            raise ParameterError("norm", f"is not known for {self.problem.name}", "a function of known RKHS norm")
        return self.norm


@lru_cache(maxsize=8)
def _grid_points(points_per_axis: int, dim: int, low: float, high: float) -> Floats:
    points = grid(points_per_axis, dim, low, high)
    points.flags.writeable = False
    return points


@lru_cache(maxsize=8)
def grid_covariance(kernel: Kernel, points_per_axis: int, dim: int, low: float = 0.0, high: float = 1.0) -> Floats:
    """Covariance of ``kernel`` on the regular grid of [low, high]^dim, shape (N, N); cached and read-only.

    Raises
    ------
    ParameterError
        for more than ``LARGEST_DOMAIN`` points
    """
    check_domain(points_per_axis, dim)
    covariance = kernel(_grid_points(points_per_axis, dim, low, high))
    covariance.flags.writeable = False
    return covariance


def check_domain(points_per_axis: int, dim: int) -> int:
    """Number of grid points, or :class:`ParameterError` naming ``points_per_axis`` when there are too many."""
    size = whole_number("points_per_axis", points_per_axis, 2) ** whole_number("dim", dim)
    if size > LARGEST_DOMAIN:
        problem = f"{points_per_axis} points on each of {dim} axes make {size} candidates"
        raise ParameterError("points_per_axis", problem, f"at most {LARGEST_DOMAIN} candidates")
    return size


def appendix_e_problem(
    draw: Kernel, model: Kernel, generator: np.random.Generator, points_per_axis: int = 50, noise_sd: float = 0.02
) -> ModelledProblem:
    """A random surface of Appendix E: a GP draw on the regular grid of [-5, 5]^2, end points included.

    Parameters
    ----------
    draw, model : kernels of the draw (length-scale 2.0 in the paper) and of the model (0.5)
    generator : draws the function
    points_per_axis : 50 in the paper, so N = 2500
    noise_sd : standard deviation of the observations, 0.02 in the paper
    """
    check_domain(points_per_axis, 2)
    points = _grid_points(points_per_axis, 2, -5.0, 5.0)
    values = gp_draw(draw, points, generator)
    source = f"draw of {draw} on a {points_per_axis} x {points_per_axis} grid of [-5, 5]^2 (App. E)"
    problem = FiniteProblem("appendix-e", points, values, noise_sd, source)
    return ModelledProblem(problem, grid_covariance(model, points_per_axis, 2, -5.0, 5.0), None)


def relabelled(modelled: ModelledProblem, order: NDArray[np.intp]) -> ModelledProblem:
    """The same problem with its candidates in another order; breaking ties by lowest index then breaks them by ``order``."""
    problem = modelled.problem
    moved = FiniteProblem(
        problem.name, problem.points[order], problem.values[order], problem.noise_sd, f"{problem.source}, relabelled"
    )
    return ModelledProblem(moved, modelled.covariance[np.ix_(order, order)], modelled.norm)


def known_norm_problem(
    kernel: Kernel,
    generator: np.random.Generator,
    *,
    points_per_axis: int = 60,
    dim: int = 1,
    norm: float = 1.0,
    noise_sd: float = 0.1,
    construction: str = "expansion",
) -> ModelledProblem:
    """A random function on a grid of [0, 1]^dim whose RKHS norm is exactly ``norm``; the model uses the same kernel.

    Parameters
    ----------
    construction : ``"expansion"`` over 5 random centres, ``"eigen"`` from the 10 leading eigenvectors (both smooth and
        visible), or ``"sphere"``, uniform on the RKHS sphere (nearly flat); see :mod:`companion.gp.sampling`
    """
    makers = {"expansion": rkhs_expansion, "eigen": rkhs_eigen, "sphere": rkhs_sphere}
    if construction not in makers:
        raise ParameterError("construction", f"got {construction!r}", f"one of {', '.join(CONSTRUCTIONS)}")
    check_domain(points_per_axis, dim)
    points = _grid_points(points_per_axis, dim, 0.0, 1.0)
    function = makers[construction](kernel, points, generator, norm=norm)
    source = f"{function.construction} of {kernel}, norm {norm:g}"
    problem = FiniteProblem("known-norm", points, function.values, noise_sd, source)
    return ModelledProblem(problem, grid_covariance(kernel, points_per_axis, dim), function.norm)


# -- robust problems: kernel expansions with |f| at most 1 -------------------------------------------------------------

ROBUST_PROBLEMS = ("toy-1d", "peak-2d")
ROBUST_RADIUS = {"toy-1d": 0.06, "peak-2d": 0.15}


def robust_problem(name: str, noise_sd: float = 0.1, radius: float | None = None) -> ModelledProblem:
    """A fixed function whose ordinary and robust optima differ, scaled to max |f| = 1, with its exact norm.

    ``toy-1d``: a narrow peak (index 23) next to nothing, a plateau (around index 92) and a dip between them, on 120
    points of [0, 1]; Matérn 5/2 with length-scale 0.1, norm 1.64, radius 0.06.

    ``peak-2d``: on a 21 x 21 grid of [0, 1]^2, a peak that drops steeply towards the middle of the square, and a hill
    opposite that is nearly as high and flat on top; Matérn 5/2 with length-scale 0.2, norm 2.18, radius 0.15. Displaced,
    the peak is worth less than a third of the hill.

    Parameters
    ----------
    name : one of ``ROBUST_PROBLEMS``
    noise_sd : standard deviation of the observations
    radius : xi, Euclidean, in the units of the domain; the values above when None
    """
    if name not in ROBUST_PROBLEMS:
        raise ParameterError("problem", f"got {name!r}", f"one of {', '.join(ROBUST_PROBLEMS)}")
    axis, dim, kernel = (120, 1, Matern(2.5, 0.1)) if name == "toy-1d" else (21, 2, Matern(2.5, 0.2))
    centres, weights = toy_1d() if name == "toy-1d" else peak_2d(axis)
    points = _grid_points(axis, dim, 0.0, 1.0)
    raw = expansion(kernel, points, centres, weights)
    height = float(np.abs(raw.values).max())
    reach = ROBUST_RADIUS[name] if radius is None else radius
    source = f"{raw.construction} of {kernel}, displaced by up to {reach:g} (companion)"
    neighbours = ball_neighbours(points, reach)
    problem = FiniteProblem(name, points, raw.values / height, noise_sd, source, neighbours)
    return ModelledProblem(problem, grid_covariance(kernel, axis, dim), raw.norm / height)


def toy_1d() -> tuple[NDArray[np.intp], Floats]:
    """Indices of the centres on the grid of ``toy-1d``, and their weights before scaling."""
    return np.array([24, 80, 86, 92, 98, 104, 50]), np.array([1.0, 0.25, 0.2, 0.25, 0.2, 0.25, -0.8])


def peak_2d(axis: int) -> tuple[NDArray[np.intp], Floats]:
    """The same of ``peak-2d`` on a grid of ``axis`` points an axis."""
    peak = [(4, 16, 1.0), (8, 16, -0.6), (4, 12, -0.6)]
    hill = [(19, 5, 0.22), (11, 5, 0.22), (15, 9, 0.22), (15, 1, 0.22)]
    return np.array([i * axis + j for i, j, _ in peak + hill]), np.array([w for _, _, w in peak + hill])


# -- counterexamples: three independent arms ---------------------------------------------------------------------------


def three_arms(low: float = 0.0, high: float = 2.0, bad: float = -1.0, *, path: bool = False) -> ModelledProblem:
    """Three independent arms f = (low, high, bad) with K = I and noise sd 1, norm |f|_2.

    With ``path=False``, nb = {0,1}, {0,1}, {2}: shows that App. C as printed loses Lemma 10. After the first batch
    arm 1 cannot be anybody's worst neighbour and is dropped from sampling; unsampled, its lower bound is the lowest of
    all and decides the elimination, so that arm 2, which is bad, stays however long the batch is.

    With ``path=True``, nb = {0,1}, {0,1,2}, {1,2}: shows what the literal reading of Algorithm 1 charges. Only arm 0
    survives, its neighbour 1 is sampled half of the time, and 1 itself is worth ``bad``.
    """
    values = np.array([low, high, bad])
    relation = [[1, 1, 0], [1, 1, 1], [0, 1, 1]] if path else [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    name = "three-arms-path" if path else "three-arms"
    problem = FiniteProblem(
        name, np.arange(3.0)[:, None], values, 1.0, "counterexample (companion)", np.array(relation, dtype=bool)
    )
    return ModelledProblem(problem, np.eye(3), float(np.linalg.norm(values)))


def cached_covariance(kernel: Kernel, points: Floats) -> Floats:
    """The (N, N) covariance of points, computed once for every kernel and set of points; read-only."""
    return _covariance_of_bytes(kernel, points.tobytes(), points.shape)


@lru_cache(maxsize=4)
def _covariance_of_bytes(kernel: Kernel, data: bytes, shape: tuple[int, int]) -> Floats:
    covariance = kernel(np.frombuffer(data, dtype=np.float64).reshape(shape))
    covariance.flags.writeable = False
    return covariance
