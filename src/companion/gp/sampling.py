"""Random functions on a candidate set: Gaussian-process draws, and members of the RKHS with an exactly known norm.

A GP draw and an RKHS function are different objects. The squared norm of a draw on N candidates under its own kernel
is chi-squared with N degrees of freedom, so it leaves every ball as the grid is refined; bounds that assume
``norm <= Psi`` are therefore tested on the constructions below, whose norm is known.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from companion.core.errors import ConditioningError, ParameterError, positive_number, whole_number
from companion.gp.factor import first_factor
from companion.gp.kernels import Kernel

#: Diagonal shifts tried in turn when the covariance of a draw is numerically singular, relative to its largest
#: diagonal entry. The shift adds independent noise of that variance to the draw (sd 3e-5 for the second entry).
DRAW_JITTERS = (0.0, 1e-9, 1e-7)


def grid(points_per_axis: int, dim: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Regular grid on [low, high]^dim with both end points, shape (points_per_axis**dim, dim).

    The last coordinate runs fastest.

    Examples
    --------
    >>> import companion as cp
    >>> cp.grid(2, dim=2).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    whole_number("points_per_axis", points_per_axis, 2)
    whole_number("dim", dim)
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ParameterError("low, high", f"got {low!r}, {high!r}", "finite numbers with low < high")
    axis = np.linspace(low, high, points_per_axis)
    return np.stack(np.meshgrid(*([axis] * dim), indexing="ij"), axis=-1).reshape(-1, dim)


@dataclass(frozen=True)
class DrawFactor:
    """Lower Cholesky factor L of a covariance, and the relative diagonal shift (``jitter``) that it needed."""

    lower: np.ndarray
    jitter: float


def draw_factor(kernel: Kernel, points: np.ndarray) -> DrawFactor:
    """Factor for GP draws f = L z on ``points`` (N, d); cached, since the paper-scale runs draw from few covariances.

    The Cholesky factor in the given order is used because it is a continuous function of the covariance: eigenvectors
    of symmetric grids are only determined up to rotation, so draws built on them would change with the linear-algebra
    library.

    Raises
    ------
    ConditioningError
        if the covariance is not positive definite even with the largest of ``DRAW_JITTERS``

    Examples
    --------
    >>> import numpy as np
    >>> import companion as cp
    >>> from companion.gp import draw_factor
    >>> kernel, points = cp.Matern(2.5, 0.2), cp.grid(20, dim=1)
    >>> lower = draw_factor(kernel, points).lower
    >>> np.allclose(lower @ lower.T, kernel(points), atol=1e-6)
    True
    """
    points = np.ascontiguousarray(points, dtype=float)
    return _cached_factor(kernel, points.tobytes(), points.shape)


@functools.lru_cache(maxsize=8)
def _cached_factor(kernel: Kernel, data: bytes, shape: tuple[int, int]) -> DrawFactor:
    points = np.frombuffer(data, dtype=float).reshape(shape)
    covariance = kernel(points)
    scale = float(covariance.diagonal().max())
    failure = (
        f"points: the covariance of {kernel} on {shape[0]} points is not positive definite even with a relative shift "
        f"of {DRAW_JITTERS[-1]:.0e}; use fewer points or a shorter length-scale"
    )
    lower, place = first_factor(covariance, [jitter * scale for jitter in DRAW_JITTERS], failure)
    lower.setflags(write=False)
    return DrawFactor(lower, DRAW_JITTERS[place])


def gp_draw(kernel: Kernel, points: np.ndarray, generator: np.random.Generator, count: int | None = None) -> np.ndarray:
    """Zero-mean Gaussian-process draw(s) at ``points`` (N, d).

    Returns
    -------
    shape (N,), or (count, N) when ``count`` is given; draw i does not depend on ``count``

    Examples
    --------
    >>> import companion as cp
    >>> cp.gp_draw(cp.Matern(2.5, 0.2), cp.grid(50, dim=1), cp.stream(0, "f"), count=3).shape
    (3, 50)
    """
    if count is not None:
        whole_number("count", count)
    lower = draw_factor(kernel, points).lower
    normal = generator.standard_normal((1 if count is None else count, len(points)))
    draws = normal @ lower.T
    return draws[0] if count is None else draws


@dataclass(frozen=True)
class RKHSFunction:
    r"""Values of a function on the candidates, with its norm.

    Attributes
    ----------
    values : f at the candidates, shape (N,)
    norm : :math:`\|f\|_k` in the RKHS of the kernel restricted to the candidates, :math:`\sqrt{f^\top K^{-1}f}`;
        no extension of f to a larger domain has a smaller norm
    construction : how it was made, for captions and records

    Examples
    --------
    >>> from companion.gp import rkhs_expansion
    >>> import companion as cp
    >>> f = rkhs_expansion(cp.Matern(2.5, 0.2), cp.grid(20, dim=1), cp.stream(0, "f"), norm=3.0)
    >>> round(f.norm, 9), f.construction
    (3.0, 'expansion over 5 centres')
    """

    values: np.ndarray
    norm: float
    construction: str


def rkhs_expansion(
    kernel: Kernel, points: np.ndarray, generator: np.random.Generator, norm: float = 1.0, centres: int = 5
) -> RKHSFunction:
    r"""Kernel expansion :math:`f=\sum_j\alpha_j k(c_j,\cdot)` with random centres among ``points``, scaled to ``norm``.

    :math:`\|f\|_k^2=\alpha^\top K_{cc}\alpha` exactly. Distinct centres, standard normal weights.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.gp import rkhs_expansion
    >>> f = rkhs_expansion(cp.SquaredExponential(0.2), cp.grid(20, dim=1), cp.stream(0, "f"), norm=2.0)
    >>> f.values.shape, round(f.norm, 9), bool(abs(f.values).max() <= 2.0)  # no value exceeds the norm
    ((20,), 2.0, True)
    """
    positive_number("norm", norm)
    whole_number("centres", centres, 1, len(points))
    chosen = generator.choice(len(points), size=centres, replace=False)
    weights = generator.standard_normal(centres)
    return expansion(kernel, points, chosen, weights, norm)


def expansion(
    kernel: Kernel, points: np.ndarray, centres: np.ndarray, weights: np.ndarray, norm: float | None = None
) -> RKHSFunction:
    """Kernel expansion with given centres (indices into ``points``) and weights, scaled to ``norm`` unless None.

    Examples
    --------
    >>> import numpy as np
    >>> import companion as cp
    >>> from companion.gp import expansion
    >>> points = cp.grid(3, dim=1)
    >>> f = expansion(cp.SquaredExponential(0.2), points, np.array([1]), np.array([2.0]))
    >>> f.norm, f.values.round(3)  # 2 k(1/2, x)
    (2.0, array([0.088, 2.   , 0.088]))
    """
    anchor = points[np.asarray(centres)]
    weights = np.asarray(weights, dtype=float)
    length = float(np.sqrt(weights @ kernel(anchor) @ weights))
    if not length > 0:
        raise ParameterError("weights", "give the zero function", "weights with a non-zero expansion")
    factor = 1.0 if norm is None else norm / length
    values = kernel(points, anchor) @ (weights * factor)
    return RKHSFunction(values, length * factor, f"expansion over {len(weights)} centres")


def rkhs_eigen(
    kernel: Kernel, points: np.ndarray, generator: np.random.Generator, norm: float = 1.0, leading: int = 10
) -> RKHSFunction:
    r"""Combination of leading eigenvectors, :math:`f=\sum_{j\le J}c_j\sqrt{\lambda_j}v_j`, :math:`\|c\|` = ``norm``.

    Smooth functions of visible height; the norm is exactly ``norm``. Eigenvector signs are fixed (largest entry
    positive), but within a degenerate eigenvalue the basis is the library's choice.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.gp import rkhs_eigen
    >>> f = rkhs_eigen(cp.SquaredExponential(0.3), cp.grid(20, dim=1), cp.stream(0, "f"), norm=2.0, leading=4)
    >>> f.norm, f.construction
    (2.0, '4 leading eigenvectors')
    """
    positive_number("norm", norm)
    whole_number("leading", leading, 1, len(points))
    size = len(points)
    values, vectors = linalg.eigh(kernel(points), subset_by_index=(size - leading, size - 1))
    if values.min() <= 1e-12 * values.max():
        raise ConditioningError(
            f"leading: eigenvalue {leading} is zero to rounding; ask for fewer leading eigenvectors"
        )
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(leading)])
    coefficients = _on_sphere(generator, leading, norm)
    return RKHSFunction(vectors @ (coefficients * np.sqrt(values)), norm, f"{leading} leading eigenvectors")


def rkhs_sphere(kernel: Kernel, points: np.ndarray, generator: np.random.Generator, norm: float = 1.0) -> RKHSFunction:
    r"""Uniform draw from the sphere of the RKHS ball: :math:`f=\Psi L u`, :math:`K=LL^\top`, u on the unit sphere.

    The norm is exact (up to the jitter of :func:`draw_factor`); the height is only about ``norm / sqrt(N)``, which
    makes it a stress test on nearly flat functions.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.gp import rkhs_sphere
    >>> rkhs_sphere(cp.Matern(0.5, 0.3), cp.grid(20, dim=1), cp.stream(0, "f"), norm=2.0).norm
    2.0
    """
    positive_number("norm", norm)
    lower = draw_factor(kernel, points).lower
    return RKHSFunction(lower @ _on_sphere(generator, len(points), norm), norm, "uniform on the RKHS sphere")


def _on_sphere(generator: np.random.Generator, dim: int, radius: float) -> np.ndarray:
    direction = generator.standard_normal(dim)
    return radius * direction / np.linalg.norm(direction)
