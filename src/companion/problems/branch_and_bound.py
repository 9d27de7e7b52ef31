"""Proofs by computation that nothing on a box is larger than a given value: branch and bound with second-order bounds.

On a cell with centre c and half-widths r, Taylor's theorem gives

    f(x) <= f(c) + sum_j |d_j f(c)| r_j + 1/2 sum_jk M_jk r_j r_k,

where M bounds the absolute second derivatives. A cell is dropped when this is at most the best value known plus the
tolerance, and halved along every axis otherwise. When no cell is left, the maximum is bracketed. Near a maximum the
gradient vanishes, so that the number of cells grows with the logarithm of the tolerance only.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats
from companion.core.errors import CompanionError, ParameterError, positive_number, whole_number

#: Cells after which a search is given up: about a minute for a cheap function.
MOST_CELLS = 4_000_000


@dataclass(frozen=True)
class MaximumBracket:
    """``lower <= max f <= upper``.

    Parameters
    ----------
    lower : a value that f attains
    upper : a value that f does not exceed
    cells : cells that were bounded; 0 for a proof on paper
    argument : how the upper end is known
    """

    lower: float
    upper: float
    cells: int
    argument: str


def branch_and_bound(
    value_and_gradient: Callable[[Floats], tuple[Floats, Floats]],
    curvature: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    incumbent: float,
    tolerance: float = 1e-9,
    rounding: float = 1e-11,
    most_cells: int = MOST_CELLS,
) -> MaximumBracket:
    """Bracket the maximum of a twice differentiable function on a box.

    Parameters
    ----------
    value_and_gradient : maps (n, d) points to values (n,) and gradients (n, d)
    curvature : (d, d) bounds on the absolute second derivatives over the box
    low, high : (d,) corners
    incumbent : a value that f attains in the box
    tolerance : width of the bracket, in units of f
    rounding : allowance for the rounding errors of one evaluation, in units of f; every bound is raised by it
    most_cells : cells after which the search is given up

    Raises
    ------
    CompanionError
        if ``most_cells`` do not suffice

    Examples
    --------
    >>> import numpy as np
    >>> from companion.problems import branch_and_bound
    >>> hill = lambda x: (-((x[:, 0] - 0.3) ** 2), -2.0 * (x - 0.3))
    >>> found = branch_and_bound(hill, [[2.0]], [0.0], [1.0], incumbent=-1.0, tolerance=1e-6)
    >>> found.lower <= 0.0 <= found.upper, round(found.upper, 5)
    (True, 0.0)
    """
    positive_number("tolerance", tolerance)
    whole_number("most_cells", most_cells)
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    bound = np.asarray(curvature, dtype=np.float64)
    if low.ndim != 1 or low.shape != high.shape or bound.shape != (len(low), len(low)):
        got = f"have shapes {low.shape}, {high.shape}, {bound.shape}"
        raise ParameterError("low, high, curvature", got, "(d,), (d,) and (d, d)")
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=len(low))))
    centres = ((low + high) / 2)[None, :]
    radius = (high - low) / 2
    best = float(incumbent)
    cells = 0
    while len(centres):
        cells += len(centres)
        if cells > most_cells:
            raise CompanionError(f"{most_cells} cells do not bracket the maximum to {tolerance:g}")
        value, gradient = value_and_gradient(centres)
        best = max(best, float(value.max()))
        upper = value + np.abs(gradient) @ radius + 0.5 * float(radius @ bound @ radius) + rounding
        open_cells = centres[upper > best + tolerance]
        centres = (open_cells[:, None, :] + signs[None] * radius).reshape(-1, len(low))
        radius = radius / 2
    return MaximumBracket(best, best + tolerance, cells, "branch and bound with second-order bounds")
