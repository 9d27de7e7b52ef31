"""Tables of U over decisions times a grid of contexts, from fewer contexts than the grid has.

For a decision x the posterior variance at context s is 1 - sum_ab M_ab k_c(s, c_a) k_c(s, c_b): as a function of s, a
combination of products of two context kernels, exp(-|s - m|^2 / l^2) times a constant. These are kernel functions of half
the squared length-scale, k_c(s, s')^2 on the grid, and a pivoted Cholesky factorisation of that matrix names the grid
points from which all others follow by interpolation. The mean costs little and is taken at every context.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from companion.core.arrays import Floats
from companion.papers.wdrbo.method.acquisitions import BallAcquisition, ContextualAcquisition, Rule, best_rows
from companion.papers.wdrbo.method.critical_line import CriticalLineBall
from companion.papers.wdrbo.method.model import Surrogate

#: Squared power function that interpolation may leave on the grid: an interpolated kernel function is that exact.
_RESIDUAL = 1e-11
#: Interpolation is given up where it needs more than this share of the grid: evaluating all of it costs the same.
_WORTHWHILE = 0.6
#: Kernel entries worked on at once.
_CHUNK = 60_000
#: Variances below this are rounding.
_LEAST_VARIANCE = 1e-14
#: Rows that are solved at once while the best rows are searched for.
SCREENED = 8
#: Contexts that lie far apart, known by their number even where nothing is interpolated.
SPREAD = 32


def interpolation(
    row: Callable[[int], Floats], size: int, residual: float, most: int
) -> tuple[NDArray[np.intp], Floats | None]:
    """Points P (r,) and coefficients T (m, r) with f = T f_P for kernel functions f.

    The error at point i is at most the root of the remaining diagonal entry i, which is at most ``residual``, times
    that of the function's own centre. Where ``most`` points do not suffice, these are returned without coefficients.

    Parameters
    ----------
    row : row of the positive semidefinite matrix, by its number; its diagonal is one
    size : m
    residual : largest diagonal entry that may remain
    most : largest number of points
    """
    left = np.ones(size)
    # Usually a few dozen points suffice, of thousands that may be taken.
    factor = np.empty((min(most, 32), size))
    pivots: list[int] = []
    while len(pivots) < most:
        count, pivot = len(pivots), int(left.argmax())
        if left[pivot] <= residual:
            break
        if count == len(factor):
            factor = np.concatenate([factor, np.empty((min(most - count, count), size))])
        new = row(pivot) - factor[:count, pivot] @ factor[:count]
        new /= np.sqrt(left[pivot])
        # Zero but for rounding, which the division has raised.
        new[pivots] = 0.0
        left -= new * new
        left[pivot] = 0.0
        factor[count] = new
        pivots.append(pivot)
    points, factor = np.array(pivots, dtype=np.intp), factor[: len(pivots)]
    if left.max() > residual:
        return points, None
    return points, np.ascontiguousarray(solve_triangular(factor[:, points], factor, check_finite=False).T)


def _squared_kernel(difference: Floats) -> Floats:
    """k_c(s, s')^2 for scaled differences (m, d_c)."""
    return np.asarray(np.exp(-np.einsum("ij,ij->i", difference, difference)), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Rows:
    """U for some decisions x, (b, C), with what its derivative needs."""

    upper: Floats
    sd: Floats
    kx: Floats
    images: Floats  # A k at the pivots, (b, r, n)
    spare: Floats  # as large


class ContextTable:
    """U(x_b, s_j) = mean + width * sd on a fixed grid of contexts.

    Parameters
    ----------
    surrogate, width : U = mean + width * sd
    support : (C, d_c) contexts
    most : contexts from which the others may be interpolated; by default as many as save work
    """

    def __init__(self, surrogate: Surrogate, support: Floats, width: float, most: int | None = None) -> None:
        self.surrogate, self.width = surrogate, width
        self.dim = len(surrogate.lengthscale) - support.shape[1]
        self.decisions = surrogate.points[:, : self.dim]
        self.along = surrogate.kernel(support, surrogate.points[:, self.dim :], slice(self.dim, None))
        size, n = self.along.shape
        # Evaluating r contexts costs r n^2 a decision, and interpolating the others r more for each.
        saving = int(_WORTHWHILE * size * n**2 / (n**2 + size))
        most = max(saving if most is None else min(most, saving), min(SPREAD, size))
        scaled = support / surrogate.lengthscale[self.dim :]
        self.points, self.coefficients = interpolation(
            lambda i: _squared_kernel(scaled - scaled[i]), size, _RESIDUAL, most
        )
        self.pivots = self.along if self.coefficients is None else self.along[self.points]
        self._kept: tuple[Floats, Floats] | None = None

    def decision_kernel(self, x: Floats) -> Floats:
        """Kernel (B, n) of decisions (B, d_x) with those of the data."""
        return self.surrogate.kernel(x, self.decisions, slice(0, self.dim))

    def _space(self, rows: int) -> tuple[Floats, Floats]:
        """Two arrays (rows, r, n), the same ones in every call: fresh memory of their size costs as much as the product."""
        if self._kept is None or len(self._kept[0]) < rows:
            shape = (rows, *self.pivots.shape)
            self._kept = np.empty(shape), np.empty(shape)
        first, second = self._kept
        return first[:rows], second[:rows]

    def _rows(self, x: Floats, space: tuple[Floats, Floats]) -> _Rows:
        model, n = self.surrogate, self.pivots.shape[1]
        k, images = space
        kx = self.decision_kernel(x)
        mean = model.hyperparameters.mean + (kx * model.alpha) @ self.along.T
        np.multiply(kx[:, None, :], self.pivots, out=k)
        np.matmul(k.reshape(-1, n), model.inverse, out=images.reshape(-1, n))
        explained = np.einsum("brn,brn->br", k, images)
        if self.coefficients is not None:
            explained = explained @ self.coefficients.T
        sd = np.sqrt(np.maximum(1.0 - explained, _LEAST_VARIANCE))
        return _Rows(mean + self.width * sd, sd, kx, images, k)

    def upper(self, x: Floats) -> Floats:
        """U, shape (B, C), at ``x`` (B, d_x)."""
        found = np.empty((len(x), len(self.along)))
        step = max(1, _CHUNK // max(1, self.pivots.size))
        for part in (slice(start, min(start + step, len(x))) for start in range(0, len(x), step)):
            found[part] = self._rows(x[part], self._space(part.stop - part.start)).upper
        return found

    def spread(self, x: Floats, which: slice) -> Floats:
        """U, shape (B, h), at some of the grid's points in an order in which the first ones lie far apart."""
        along = self.along[self.points[which]]
        found = np.empty((len(x), len(along)))
        step = max(1, _CHUNK // max(1, along.size))
        for part in (slice(start, start + step) for start in range(0, len(x), step)):
            kx = self.decision_kernel(x[part])
            sd = self.deviations(kx, along)[0]
            found[part] = self.surrogate.hyperparameters.mean + (kx * self.surrogate.alpha) @ along.T + self.width * sd
        return found

    def deviations(self, kx: Floats, along: Floats) -> tuple[Floats, Floats]:
        """Standard deviations (b, h) and images A k (b, h, n) for kernels (b, n) of decisions and (h, n) of contexts."""
        k = kx[:, None, :] * along
        images = (k.reshape(-1, k.shape[2]) @ self.surrogate.inverse).reshape(k.shape)
        return np.sqrt(np.maximum(1.0 - np.einsum("bhn,bhn->bh", k, images), _LEAST_VARIANCE)), images

    def with_gradient(self, x: Floats, rule: Rule) -> tuple[Floats, Floats]:
        """Values (B,) of a rule of U and their gradients (B, d_x) in the decisions."""
        rows = self._rows(x, self._space(len(x)))
        values, slopes = rule(rows.upper)
        return values, self._gradient(x, rows, slopes)

    def _gradient(self, x: Floats, rows: _Rows, weights: Floats) -> Floats:
        """sum_j weights_bj dU(x_b, s_j)/dx; dU/dk_x is alpha k_c for the mean and -(width / sd) A k o k_c for the sd."""
        pull = weights * (self.width / rows.sd)
        if self.coefficients is not None:
            pull = pull @ self.coefficients
        turned = np.matmul(pull[:, None, :], np.multiply(rows.images, self.pivots, out=rows.spare))[:, 0, :]
        return self.folded(x, rows.kx * (self.surrogate.alpha * (weights @ self.along) - turned))

    def folded(self, x: Floats, slopes: Floats) -> Floats:
        """Gradient (b, d_x) from the derivatives (b, n) in k_x, each times k_x."""
        towards = slopes @ self.decisions
        return -(x * slopes.sum(axis=1, keepdims=True) - towards) / self.surrogate.lengthscale[: self.dim] ** 2

    def mean_bound(self, x: Floats, weights: Floats) -> Floats:
        """Upper bound (B,) of sum_j weights_j U(x_b, s_j), by Jensen's inequality: see :meth:`Surrogate.mean_bound`."""
        model = self.surrogate
        kx = self.decision_kernel(x)
        used = np.flatnonzero(weights)
        along, shares = self.along[used], weights[used]
        mean = model.hyperparameters.mean + kx @ (model.alpha * (shares @ along))
        averaged = model.inverse * ((along * shares[:, None]).T @ along)
        explained = np.einsum("bn,bn->b", kx @ averaged, kx)
        return mean + self.width * np.sqrt(np.maximum(1.0 - explained, _LEAST_VARIANCE))


class TableAcquisition(ContextualAcquisition):
    """V(x) = rule(U(x, s_1), ..., U(x, s_C)) for many contexts, from a :class:`ContextTable`."""

    def __init__(self, surrogate: Surrogate, support: Floats, width: float, rule: Rule, centre: Floats) -> None:
        super().__init__(surrogate, support, width, rule, centre)
        self.table = ContextTable(surrogate, support, width)

    def __call__(self, x: Floats) -> Floats:
        """Values (B,)."""
        return self.rule(self.table.upper(x))[0]

    def with_gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Values (B,) and gradients (B, d_x)."""
        return self.table.with_gradient(x, self.rule)


class DiscrepancyAcquisition(BallAcquisition, TableAcquisition):
    """V(x) = min over q in a ball of sum_j q_j U(x, s_j) on a grid of contexts, from a :class:`ContextTable`."""

    def __init__(self, surrogate: Surrogate, support: Floats, width: float, ball: CriticalLineBall) -> None:
        super().__init__(surrogate, support, width, ball)
        self.ball: CriticalLineBall = ball

    def screen(self, x: Floats, count: int) -> Floats:
        """Values of the ``count`` best rows, upper bounds elsewhere.

        The worst distribution of the best row solved at once bounds the values of all others, by Jensen's inequality
        without their tables.
        """

        def solve(rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
            values, weights = self.rule(self.table.upper(x[rows]))
            return values, self.table.mean_bound(x, weights[int(values.argmax())])

        return best_rows(self.table.mean_bound(x, self.centre), solve, count, SCREENED)
