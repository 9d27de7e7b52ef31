"""A user's input, a file of candidates, a kernel or a matrix, in the package's form, and its certified gain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number
from companion.core.tables import read_table
from companion.core.terminal import waiting
from companion.gp import Fitted
from companion.gp.candidates import points_of
from companion.gp.kernels import Kernel, Matern, SquaredExponential, kernel_by_name
from companion.information import GainBracket, gain_bracket, gain_bracket_curve
from companion.information.gain_bounds import MAX_CANDIDATES

if TYPE_CHECKING:
    import pandas as pd


def read_candidates(
    source: str | Path | pd.DataFrame | ArrayLike, columns: Sequence[str] | None = None, *, heading: bool | None = None
) -> Floats:
    """Candidate points as an array (N, d) of finite numbers, from a CSV file, a data frame or an array.

    Files are read as spreadsheets and programs write them, by the rules of :mod:`companion.core.tables`.
    :class:`~companion.problems.Candidates` takes a file or a frame as well, and keeps the names of rows and columns.

    Parameters
    ----------
    source : a file with one candidate a row, its path or its bytes; a frame; or an array (N, d), or (N,) on a line
    columns : of a file or a frame, names of the columns to take, in this order; all by default, but for first ones that count
        the rows or name them
    heading : whether the first line of a file names the columns. By default it does where it has no number in it

    Returns
    -------
    (N, d), float64, in the units of the source

    Raises
    ------
    ParameterError
        if there is no such file or column, for what is no finite number, and for what can be read in two ways; of a file the
        message names line and column

    Examples
    --------
    >>> import companion as cp
    >>> cp.read_candidates(b"name;heat;time\\na;300;1,0\\nb;310;2,5\\n")
    array([[300. ,   1. ],
           [310. ,   2.5]])
    """
    table = read_table(source, "candidates", columns, heading=heading)
    return points_of(table.numbers[:, None] if table.numbers.ndim == 1 else table.numbers)


def kernel(name: str, lengthscale: float | ArrayLike, variance: float = 1.0) -> Kernel:
    """A kernel by its name: ``se`` (also called ``rbf``), ``matern12``, ``matern32`` or ``matern52`` (``matern-5/2``).

    Parameters
    ----------
    name : as above
    lengthscale : one number, or one for every input (ARD), as a list or an array; in the units of the inputs
    variance : prior variance k(x, x)

    Returns
    -------
    :class:`~companion.gp.SquaredExponential` or :class:`~companion.gp.Matern`; called as ``k(x)`` it gives the (N, N)
    covariance of the points x (N, d)

    Raises
    ------
    ParameterError
        for another name, or what is not positive

    Examples
    --------
    >>> import companion as cp
    >>> cp.kernel("matern52", [0.3, 2.0])
    Matern(nu=2.5, lengthscale=(0.3, 2.0), variance=1.0)
    """
    scales = np.asarray(lengthscale)
    if scales.dtype.kind not in "fiu" or scales.ndim > 1:
        raise ParameterError("lengthscale", f"got {lengthscale!r}", "a positive number, or one for every input")
    checked = float(scales) if scales.ndim == 0 else tuple(float(scale) for scale in scales)
    return kernel_by_name(name, checked, positive_number("variance", variance))


@overload
def certified_gain(
    covariance: Kernel | Fitted | ArrayLike,
    horizon: int,
    noise_sd: float | None = None,
    candidates: ArrayLike | None = None,
    *,
    domain: str | None = None,
    dim: int | None = None,
) -> GainBracket: ...
@overload
def certified_gain(
    covariance: Kernel | Fitted | ArrayLike,
    horizon: Sequence[int],
    noise_sd: float | None = None,
    candidates: ArrayLike | None = None,
    *,
    domain: str | None = None,
    dim: int | None = None,
) -> tuple[GainBracket, ...]: ...
def certified_gain(
    covariance: Kernel | Fitted | ArrayLike,
    horizon: int | Sequence[int],
    noise_sd: float | None = None,
    candidates: ArrayLike | None = None,
    *,
    domain: str | None = None,
    dim: int | None = None,
) -> GainBracket | tuple[GainBracket, ...]:
    r"""Two-sided bound on the maximum information gain of T picks, from a finite set or from a box, repeats allowed.

    .. math:: \gamma_T=\max_{x_1,\dots,x_T}\tfrac12\log\det\big(I+\sigma^{-2}K\big)

    Parameters
    ----------
    covariance : a kernel or a fitted model, with ``candidates``; or the (N, N) prior covariance, symmetric positive semi-definite
    horizon : T, or several
    noise_sd : standard deviation :math:`\sigma` of the noise, in the units of f (not its variance); by default a fitted model's
    candidates : (N, d) for a kernel, at most a million; above 8,000 by :mod:`companion.information.large_sets`, in half a
    minute for
        100,000
    domain : ``box`` for a kernel and all points of [0,1]^dim in place of candidates, by :mod:`companion.information.box`
    dim : of the box; not needed where the kernel has a length-scale a coordinate

    Returns
    -------
    :class:`~companion.information.GainBracket`, ``lower`` and ``upper`` in nats (half the log-determinant); a tuple of them
    for several horizons. Of a box a :class:`~companion.information.box.BoxBracket`, which has the points found

    Raises
    ------
    ParameterError
        for a kernel without candidates or box, candidates beside a matrix or a box, a matrix that is no covariance, a number out
        of range

    Notes
    -----
    Srinivas, Krause, Kakade and Seeger (2010) define the quantity; :mod:`companion.information.gain_bounds` proves the
    ends. :func:`~companion.information.gain_bracket` has more options, and takes the noise variance.

    Examples
    --------
    >>> import companion as cp
    >>> found = cp.certified_gain(cp.kernel("se", 0.2), 20, noise_sd=0.1, candidates=cp.grid(40, dim=1))
    >>> print(f"{found.lower:.1f} to {found.upper:.1f} nats, from {found.source}")
    17.0 to 17.1 nats, from design
    >>> found = cp.certified_gain(cp.kernel("se", 0.2), 20, noise_sd=0.1, domain="box", dim=1)
    >>> print(f"{found.lower:.1f} to {found.upper:.1f} nats, for every choice of 20 points")
    17.0 to 17.1 nats, for every choice of 20 points
    """
    if isinstance(covariance, Fitted):
        noise_sd, covariance = covariance.noise_sd if noise_sd is None else noise_sd, covariance.kernel
    noise = positive_number("noise_sd", noise_sd) ** 2
    model: Any = covariance
    bracket: Callable[[int, float], GainBracket]
    if domain is not None or dim is not None:
        from companion.information.box import gain_bracket_of_box

        bracket = partial(gain_bracket_of_box, model, _dim_of_box(model, candidates, domain, dim))
    elif not isinstance(covariance, Matern | SquaredExponential):
        if candidates is not None:
            raise ParameterError("candidates", "are given beside a covariance matrix", "one of the two")
        bracket = partial(gain_bracket, model)
    elif candidates is None:
        raise ParameterError("candidates", "are missing beside a kernel", "the points (N, d), or domain='box'")
    elif len(points := read_candidates(candidates)) <= MAX_CANDIDATES:
        model = covariance(points)
        bracket = partial(gain_bracket, model)
    else:
        from companion.information.large_sets import gain_bracket_of_many

        bracket = partial(gain_bracket_of_many, model, points)
    with waiting("certified gain"):
        if not isinstance(horizon, Iterable):
            return bracket(horizon, noise)
        if not isinstance(model, Matern | SquaredExponential):
            return gain_bracket_curve(model, list(horizon), noise)
        return tuple(bracket(each, noise) for each in horizon)


def _dim_of_box(kernel: Any, candidates: Any, domain: str | None, dim: int | None) -> int:
    """Number of coordinates of the box, which a kernel may know; refuse what does not go with a box."""
    if domain != "box":
        raise ParameterError("domain", f"got {domain!r}", "'box' beside dim, or no dim")
    if candidates is not None:
        raise ParameterError("candidates", "are given beside a box", "one of the two")
    if not isinstance(kernel, Matern | SquaredExponential):
        raise ParameterError("covariance", "is no kernel", "a kernel, for a box")
    if dim is not None:
        return dim
    if not isinstance(kernel.lengthscale, tuple):
        raise ParameterError("dim", "is missing", "the number of coordinates of the box")
    return len(kernel.lengthscale)
