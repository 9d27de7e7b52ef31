"""Prior knowledge of a black box: its candidates or domain, and the covariance of its values.

A :class:`~companion.problems.FiniteProblem` knows its values and so can say what regret is; these do not. They are what a
method is started on where the objective is an experiment of your own, see :meth:`companion.policies.Optimiser.for_problem`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Flags, Floats, Indices
from companion.core.calls import one_line
from companion.core.errors import ParameterError, floats_of, positive_number
from companion.core.tables import read_table
from companion.gp import Fitted, Kernel, Matern, SquaredExponential
from companion.problems.finite import Neighbourhood

KERNELS = (SquaredExponential, Matern)


@dataclass(frozen=True, eq=False)
class Candidates:
    """N candidate points, of which one or several are evaluated at a time; larger values are better.

    Parameters
    ----------
    points : (N, d) coordinates, in the units of the kernel's length-scale; (N,) for points on a line; or a CSV file (its path
        or its bytes) or a data frame of them, see :mod:`companion.core.tables`
    kernel : prior covariance of the values: a kernel of :mod:`companion.gp`, any function of two arrays (n, d), (m, d)
        that returns (n, m), or the matrix (N, N) itself; or what :func:`companion.fit` found, with its noise and its mean
    noise_sd : standard deviation of the noise of one evaluation, positive, in units of the values; by default a fitted model's
    neighbours : (N, N) bool, row x marks the points that x may be displaced to; for the robust methods only
    names, coordinates : of the N points and of the d columns; by default those of the file or the frame, if it has any
    prior_mean : of the values, in their units
    fitted : what a fitted model rests on, in words; empty where the model was told

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
    >>> alloys = Candidates(b"alloy;heat\\nA;300\\nB;310,5\\n", Matern(2.5, 10.0), noise_sd=0.1)
    >>> alloys.at([1]), alloys.names, alloys.coordinates
    (array([[310.5]]), ('A', 'B'), ('heat',))
    """

    points: Floats
    kernel: Any
    noise_sd: float = None  # type: ignore[assignment] # a number once it is made
    neighbours: Flags | None = None
    names: tuple[str, ...] | None = None
    coordinates: tuple[str, ...] | None = None
    prior_mean: float = 0.0
    fitted: str = ""

    __repr__ = one_line

    def __post_init__(self) -> None:
        if isinstance(self.kernel, Fitted):
            model, told = self.kernel, {} if (noise := cast(Any, self.noise_sd)) is None else {"noise_sd": noise}
            taken = {
                "kernel": model.kernel,
                "noise_sd": model.noise_sd,
                "prior_mean": model.mean,
                "fitted": model.words,
            }
            for name, value in (taken | told).items():
                object.__setattr__(self, name, value)
        object.__setattr__(self, "prior_mean", float(_finite("prior_mean", self.prior_mean).reshape(())))
        table = read_table(self.points, "points")
        points = _finite("points", table.numbers)
        points = points[:, None] if points.ndim == 1 else points
        if points.ndim != 2 or not len(points):
            raise ParameterError("points", f"have shape {points.shape}", "(N, d) with N at least 1")
        object.__setattr__(self, "points", points)
        for field_name, count in (("names", len(points)), ("coordinates", points.shape[1])):
            given = getattr(self, field_name)
            texts = getattr(table, field_name) if given is None else tuple(map(str, given))
            known = count if texts is None else len(texts if field_name == "names" else set(texts))
            if known != count:
                raise ParameterError(field_name, f"are {known}", f"{count}, as the points have")
            object.__setattr__(self, field_name, texts)
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
        kernel of smoothness 5/2 with a length-scale of a fifth of every side. Of a fitted model its length-scales are taken
    fitted : what a fitted model rests on, in words; empty where the model was told

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
    fitted: str = ""

    __repr__ = one_line

    def __post_init__(self) -> None:
        if isinstance(self.kernel, Fitted):
            object.__setattr__(self, "fitted", self.kernel.words)
            object.__setattr__(self, "kernel", replace(self.kernel.kernel, variance=1.0))
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
    array = floats_of(name, values)
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
