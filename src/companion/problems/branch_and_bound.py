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


def bracket_bumps(
    weights: Floats, rates: Floats, centres: Floats, incumbent: float, tolerance: float
) -> MaximumBracket:
    r"""Bracket the maximum of a sum of four Gaussian bumps, by branch and bound over the weights of a stationary point.

    All centres lie inside the box and all rates are positive, so the gradient points inward on every face: the
    maximum is a stationary point, :math:`x_j=\sum_iw_iA_{ij}P_{ij}/\sum_iw_iA_{ij}` with
    :math:`w_i=\alpha_i\exp(-\sum_jA_{ij}(x_j-P_{ij})^2)`. Only the ratios of the four weights matter: whichever is
    the largest is set to one, and the other three are searched in [0, 1]^3. On a cell, x_j is monotone in every weight,
    so the corners give its exact range; a cell is dropped when the sum is small on that range, or when the terms there
    contradict the cell's weights.

    Parameters
    ----------
    weights, rates, centres : alpha (4,), A (4, d) and P (4, d)
    incumbent, tolerance : as for :func:`branch_and_bound`

    Raises
    ------
    CompanionError
        if :data:`MOST_CELLS` do not suffice
    """
    best, cells = incumbent, 0
    for largest in range(4):
        low, high = np.zeros((1, 4)), np.ones((1, 4))
        low[:, largest] = 1.0
        others = [i for i in range(4) if i != largest]
        while len(low):
            cells += len(low)
            if cells > MOST_CELLS:
                raise CompanionError(f"{MOST_CELLS} cells do not bracket the maximum to {tolerance:g}")
            points = [
                (ratios @ (rates * centres)) / (ratios @ rates)
                for choice in itertools.product((False, True), repeat=4)
                for ratios in [np.where(choice, low, high)]
            ]
            least, most = np.min(points, axis=0), np.max(points, axis=0)
            centre, radius = (least + most) / 2, (most - least) / 2 + 1e-14
            near = np.maximum(np.abs(centre[:, None, :] - centres) - radius[:, None, :], 0.0)
            far = np.abs(centre[:, None, :] - centres) + radius[:, None, :]
            terms_high = weights * np.exp(-(rates * near**2).sum(axis=2))
            terms_low = weights * np.exp(-(rates * far**2).sum(axis=2))
            values, upper = _bumps_on_cells(weights, rates, centres, centre, radius, terms_high, far)
            best = max(best, float(values.max()))
            possible = terms_high / terms_low[:, largest, None] * (1 + 1e-12) >= low
            possible &= terms_low / terms_high[:, largest, None] * (1 - 1e-12) <= high
            keep = possible.all(axis=1) & (upper > best + tolerance)
            low, high = _halved(low[keep], high[keep], others)
    return MaximumBracket(best, best + tolerance, cells, "branch and bound over the weights of stationary points")


def _bumps_on_cells(
    weights: Floats, rates: Floats, centres: Floats, centre: Floats, radius: Floats, most: Floats, far: Floats
) -> tuple[Floats, Floats]:
    """Values at the cells' centres (n,), and upper bounds on the cells (n,): term by term, or by Taylor's theorem."""
    offset = centre[:, None, :] - centres
    terms = weights * np.exp(-(rates * offset**2).sum(axis=2))
    gradient = -2.0 * np.einsum("ni,ij,nij->nj", terms, rates, offset)
    # h'Hh = sum_i w_i ((2 sum_j A_ij d_ij h_j)^2 - 2 sum_j A_ij h_j^2), whose second part only lowers it.
    slope = 2.0 * np.einsum("ij,nij,nj->ni", rates, far, radius)
    values = terms.sum(axis=1)
    taylor = values + (np.abs(gradient) * radius).sum(axis=1) + 0.5 * (most * slope**2).sum(axis=1)
    return values, np.minimum(most.sum(axis=1), taylor) + 1e-12


def _halved(low: Floats, high: Floats, columns: list[int]) -> tuple[Floats, Floats]:
    """Every cell halved along the given columns."""
    for column in columns:
        middle = (low[:, column] + high[:, column]) / 2
        left, right = high.copy(), low.copy()
        left[:, column], right[:, column] = middle, middle
        low, high = np.concatenate([low, right]), np.concatenate([left, high])
    return low, high
