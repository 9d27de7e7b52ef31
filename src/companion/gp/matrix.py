"""Covariance matrices that are too large to store: rows on demand, and exact prior draws on grids."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, whole_number
from companion.gp.factor import first_factor
from companion.gp.kernels import Kernel, SquaredExponential
from companion.gp.sampling import DRAW_JITTERS, draw_factor


@dataclass(frozen=True, eq=False)
class KernelMatrix:
    """k(x_i, x_j) of N points, whose rows are computed when they are asked for.

    :class:`~companion.gp.FinitePosterior` takes it in place of an (N, N) array. A step then costs O(tN + Nd) time and
    the memory is the factor's, O(tN), so that grids of tens of thousands of points fit.

    Parameters
    ----------
    kernel : any kernel of :mod:`companion.gp.kernels`
    points : (N, d)

    Examples
    --------
    >>> import companion as cp
    >>> from companion.gp import KernelMatrix
    >>> matrix = KernelMatrix(cp.SquaredExponential(0.2), cp.grid(300, dim=2))  # 90,000 points: 65 GB as an array
    >>> matrix.shape, matrix.rows(0).shape, float(matrix.diagonal().max())
    ((90000, 90000), (90000,), 1.0)
    """

    kernel: Kernel
    points: Floats

    def __post_init__(self) -> None:
        points = np.ascontiguousarray(self.points, dtype=np.float64)
        if points.ndim != 2 or len(points) == 0:
            raise ParameterError("points", f"has shape {points.shape}", "(N, d) finite numbers with N at least 1")
        self.kernel(points.min(axis=0)[None], points.max(axis=0)[None])  # refuses NaN and distances that overflow
        object.__setattr__(self, "points", points)

    dtype = np.dtype(np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """(N, N)."""
        return len(self.points), len(self.points)

    def diagonal(self) -> Floats:
        """k(x_i, x_i), shape (N,)."""
        return np.asarray(self.kernel.diagonal(self.points))

    def rows(self, index: NDArray[np.integer[Any]] | int, columns: NDArray[np.integer[Any]] | None = None) -> Floats:
        """Rows ``index`` at ``columns`` (all by default), shape (len(index), len(columns)); one row, without the axis."""
        try:
            left, right = self.points[np.atleast_1d(index)], self.points if columns is None else self.points[columns]
            # NumPy would count from the end.
            if np.any(np.less(index, 0)) or (columns is not None and np.any(np.less(columns, 0))):
                raise IndexError
        except IndexError:
            allowed = f"places from 0 to {len(self.points) - 1}"
            raise ParameterError("index, columns", f"got {index!r}, {columns!r}", allowed) from None
        matrix = self.kernel(left, right)
        return matrix[0] if np.ndim(index) == 0 else matrix

    def __getitem__(self, key: tuple[Any, slice]) -> Floats:
        return self.rows(key[0])


@dataclass(frozen=True, eq=False)
class PriorDraws:
    """Draws of the zero-mean process on a fixed set of points; build with :meth:`on_points` or :meth:`on_grid`.

    Parameters
    ----------
    factors : square roots; the covariance is the Kronecker product of their squares L L^T
    jitter : largest relative shift of the diagonal that a factor needed

    Examples
    --------
    >>> import companion as cp
    >>> from companion.gp import PriorDraws
    >>> line = cp.grid(30, dim=1)[:, 0]
    >>> draws = PriorDraws.on_grid(cp.SquaredExponential(0.2), (line, line))
    >>> draws.size, draws.draw(cp.stream(0, "f"), count=3).shape
    (900, (3, 900))
    """

    factors: tuple[Floats, ...]
    jitter: float

    @classmethod
    def on_points(cls, kernel: Kernel, points: Floats) -> PriorDraws:
        """Dense Cholesky root of the covariance on ``points`` (N, d); for N up to a few thousand.

        Examples
        --------
        >>> import companion as cp
        >>> from companion.gp import PriorDraws
        >>> draws = PriorDraws.on_points(cp.Matern(2.5, 0.2), cp.grid(20, dim=1))
        >>> draws.draw(cp.stream(0, "f"), count=3).shape
        (3, 20)
        """
        root = draw_factor(kernel, points)
        return cls((root.lower,), root.jitter)

    @classmethod
    def on_grid(cls, kernel: SquaredExponential, axes: tuple[Floats, ...]) -> PriorDraws:
        r"""Kronecker root on the grid with the given axes, the last coordinate fastest.

        The squared exponential is a product over coordinates, so :math:`K=s\bigotimes_jK_j` and the root of K is the
        product of the roots: exact, at O(N sum n_j) a draw.

        Raises
        ------
        ParameterError
            for another kernel, which does not factorise
        ConditioningError
            if the covariance of an axis is not positive definite even with the largest of ``DRAW_JITTERS``
        """
        if not isinstance(kernel, SquaredExponential):
            raise ParameterError("kernel", f"got {kernel}", "a squared exponential, which factorises over coordinates")
        scales = kernel.lengthscale if isinstance(kernel.lengthscale, tuple) else (kernel.lengthscale,) * len(axes)
        failure = f"axes: the covariance of an axis needs a relative shift above {DRAW_JITTERS[-1]:.0e}"
        roots, used = [], 0.0
        for axis, scale in zip(axes, scales, strict=True):
            covariance = SquaredExponential(scale)(np.asarray(axis, dtype=np.float64)[:, None])
            root, place = first_factor(covariance, DRAW_JITTERS, failure)
            roots.append(root)
            used = max(used, DRAW_JITTERS[place])
        roots[0] = roots[0] * math.sqrt(kernel.variance)
        return cls(tuple(roots), used)

    @cached_property
    def size(self) -> int:
        """Number of points N."""
        return math.prod(len(factor) for factor in self.factors)

    def draw(self, generator: np.random.Generator, count: int) -> Floats:
        """``count`` independent draws, shape (count, N)."""
        whole_number("count", count)
        shape = tuple(len(factor) for factor in self.factors)
        values = generator.standard_normal((count, *shape))
        for axis, factor in enumerate(self.factors, 1):
            values = np.moveaxis(np.tensordot(values, factor, axes=(axis, 1)), -1, axis)
        return np.ascontiguousarray(values).reshape(count, -1)
