"""Prior knowledge of a black box: its candidates or domain, and the covariance of its values.

A :class:`~companion.problems.FiniteProblem` knows its values and so can say what regret is; these do not. They are what a
method is started on where the objective is an experiment of your own, see :meth:`companion.policies.Optimiser.for_problem`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Flags, Floats, Indices
from companion.core.errors import ParameterError, positive_number
from companion.gp import Kernel, Matern, SquaredExponential
from companion.problems.finite import Neighbourhood

KERNELS = (SquaredExponential, Matern)


@dataclass(frozen=True, eq=False)
class Candidates:
    """N candidate points, of which one or several are evaluated at a time; larger values are better.

    Parameters
    ----------
    points : (N, d) coordinates, in the units of the kernel's length-scale; (N,) for points on a line
    kernel : prior covariance of the values: a kernel of :mod:`companion.gp`, any function of two arrays (n, d), (m, d)
        that returns (n, m), or the matrix (N, N) itself
    noise_sd : standard deviation of the noise of one evaluation, positive, in units of the values
    neighbours : (N, N) bool, row x marks the points that x may be displaced to; for the robust methods only
    prior_mean : of the values, in their units

    Raises
    ------
    ParameterError
        for arrays of the wrong shape, entries that are not finite, or a covariance that is not symmetric

    Examples
    --------
    >>> import numpy as np
    >>> from companion.gp import Matern
    >>> problem = Candidates(np.linspace(0, 1, 5), Matern(2.5, 0.3), noise_sd=0.1)
    >>> problem.size, problem.covariance.shape
    (5, (5, 5))
    """

    points: Floats
    kernel: Any
    noise_sd: float
    neighbours: Flags | None = None
    prior_mean: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior_mean", float(_finite("prior_mean", self.prior_mean).reshape(())))
        points = _finite("points", self.points)
        points = points[:, None] if points.ndim == 1 else points
        if points.ndim != 2 or not len(points):
            raise ParameterError("points", f"have shape {points.shape}", "(N, d) with N at least 1")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "noise_sd", positive_number("noise_sd", self.noise_sd))
        if not isinstance(self.kernel, KERNELS):
            # A function of the user's cannot be written to a file, its matrix can.
            given = self.kernel(points, points) if callable(self.kernel) else self.kernel
            object.__setattr__(self, "kernel", _covariance(given, len(points)))
        if self.neighbours is not None:
            relation = Neighbourhood(self.neighbours).relation
            if len(relation) != len(points):
                raise ParameterError("neighbours", f"has {len(relation)} rows", f"{len(points)}, one for each point")
            object.__setattr__(self, "neighbours", relation)

    @property
    def size(self) -> int:
        """Number of candidates N."""
        return len(self.points)

    @cached_property
    def covariance(self) -> Floats:
        """(N, N) prior covariance of the values."""
        return self.kernel(self.points) if isinstance(self.kernel, KERNELS) else self.kernel

    def subset(self, indices: Indices) -> Candidates:
        """The problem on the candidates with these indices (n,) alone."""
        square, names = np.ix_(indices, indices), getattr(self, "names", None)
        more: Any = {"names": tuple(names[index] for index in indices)} if names else {}
        return replace(
            self,
            points=self.points[indices],
            kernel=self.kernel if isinstance(self.kernel, KERNELS) else self.kernel[square],
            neighbours=None if self.neighbours is None else self.neighbours[square],
            **more,
        )

    def at(self, indices: Indices) -> Floats:
        """Coordinates (n, d) of the candidates with these indices (n,).

        Examples
        --------
        >>> import companion as cp
        >>> line = cp.Candidates(cp.grid(5, dim=1), cp.Matern(2.5, 0.3), noise_sd=0.1)
        >>> line.at([0, 4])
        array([[0.],
               [1.]])
        """
        return self.points[indices]


@dataclass(frozen=True, eq=False)
class Box:
    """A box of coordinates; larger values are better.

    Parameters
    ----------
    low, high : (d,) corners, low < high in every coordinate; numbers for an interval
    kernel : :class:`~companion.gp.SquaredExponential` or :class:`~companion.gp.Matern` with smoothness 1.5 or 2.5, with
        length-scales in units of the coordinates and variance 1, since values are standardised; by default the Matern
        kernel of smoothness 5/2 with a length-scale of a fifth of every side

    Raises
    ------
    ParameterError
        for corners that do not make a box, or another kernel

    Examples
    --------
    >>> Box([0.0, 10.0], [1.0, 20.0]).kernel.lengthscale
    (0.2, 2.0)
    """

    low: Floats
    high: Floats
    kernel: Any = field(default=None)

    def __post_init__(self) -> None:
        low, high = corners("low, high", self.low, self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        if self.kernel is None:
            object.__setattr__(self, "kernel", Matern(2.5, tuple(float(v) for v in 0.2 * (high - low))))
        smooth = isinstance(self.kernel, SquaredExponential) or getattr(self.kernel, "nu", None) in (1.5, 2.5)
        if not (isinstance(self.kernel, KERNELS) and smooth):
            expected = "SquaredExponential(lengthscale) or Matern(1.5 or 2.5, lengthscale), whose derivatives are known"
            raise ParameterError("kernel", f"got {self.kernel!r}", expected)
        if isinstance(self.kernel.lengthscale, tuple) and len(self.kernel.lengthscale) != self.dim:
            got = f"has {len(self.kernel.lengthscale)} length-scales"
            raise ParameterError("kernel", got, f"one, or {self.dim}, one for each coordinate")

    @property
    def dim(self) -> int:
        """Number of coordinates d."""
        return len(self.low)


def corners(name: str, low: ArrayLike, high: ArrayLike) -> tuple[Floats, Floats]:
    """Both corners (d,) of a box, read-only; ParameterError unless low < high everywhere and all is finite."""
    a, b = np.atleast_1d(_finite(name, low)), np.atleast_1d(_finite(name, high))
    if a.ndim != 1 or not a.size or a.shape != b.shape or not (a < b).all():
        raise ParameterError(name, f"got {a}, {b}", "equally long, low < high everywhere")
    return a, b


def _finite(name: str, values: Any) -> Floats:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, f"got {type(values).__name__}", "an array of numbers") from None
    if not np.isfinite(array).all():
        raise ParameterError(name, "contain NaN or infinity", "finite numbers")
    array.flags.writeable = False
    return array


def _covariance(given: Any, size: int) -> Floats:
    matrix = _finite("kernel", given)
    if matrix.shape != (size, size):
        raise ParameterError("kernel", f"gives a matrix of shape {matrix.shape}", f"({size}, {size}), one row a point")
    if not np.allclose(matrix, matrix.T, rtol=1e-10, atol=1e-12 * float(np.abs(matrix).max())):
        raise ParameterError("kernel", "gives a matrix that is not symmetric", "a covariance")
    return matrix


def scaled_kernel(kernel: Kernel, width: Floats) -> Kernel:
    """The kernel in coordinates divided by ``width`` (d,)."""
    scales = np.broadcast_to(np.asarray(kernel.lengthscale, dtype=np.float64), width.shape)
    return replace(kernel, lengthscale=tuple(float(v) for v in scales / width))
