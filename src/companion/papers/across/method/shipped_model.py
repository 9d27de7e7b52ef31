r"""BoTorch's ``SingleTaskGP`` as it is shipped, in closed form: its priors, its standardisation, its largest posterior density.

Inputs are in the unit cube, outcomes are standardised (standard deviation with n - 1), the mean is constant and the variance 1.
The fit maximises

.. math:: \log p(y\mid m,\ell,\lambda)+\sum_a\log p(\ell_a)+\log p(\lambda)

with :math:`\ell_a\sim\mathrm{LogNormal}(\sqrt2+\tfrac12\log d,\sqrt3)` (Hvarfner, Hellsten and Nardi, 2024), at least 0.025, and
noise variance :math:`\lambda\sim\mathrm{LogNormal}(-4,1)`, at least 1e-4. Where the density has several maxima, which one is
found depends on the search: it starts at the modes of the priors, and goes by SciPy's L-BFGS-B in the same parameters as there.
``tests/papers/across/method/test_shipped_model.py`` holds it against the library's own fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtrs

from companion.core.arrays import Floats
from companion.gp import kernel_by_name
from companion.gp.optimise import descended

#: Location and scale of log length-scale (before the dimension's part) and of log noise variance; their least values.
LENGTH, NOISE = (math.sqrt(2.0), math.sqrt(3.0)), (-4.0, 1.0)
LEAST_LENGTH, LEAST_NOISE = 0.025, 1e-4
KERNELS = ("se", "matern52", "matern32")
#: As functions of squared distances in length-scales.
CORRELATIONS = {name: kernel_by_name(name, 1.0) for name in KERNELS}


@dataclass(frozen=True, eq=False)
class ShippedModel:
    """The posterior after data, in units of the values.

    Attributes
    ----------
    kernel : of :data:`KERNELS`
    points, values : (n, d) and (n,), what was told
    lengthscales : (d,)
    noise, mean : noise variance and mean of the standardised values
    told : whether the model was not fitted; values are not standardised then
    """

    kernel: str
    points: Floats
    values: Floats
    lengthscales: Floats
    noise: float
    mean: float = 0.0
    told: bool = False

    @cached_property
    def centre(self) -> float:
        """Average of the values."""
        return 0.0 if self.told else float(self.values.mean())

    @cached_property
    def spread(self) -> float:
        """Their standard deviation, with n - 1."""
        return 1.0 if self.told else spread_of(self.values)

    @cached_property
    def _scaled(self) -> Floats:
        return self.points / self.lengthscales

    @cached_property
    def root(self) -> Floats:
        """(n, n) lower Cholesky factor of K + noise."""
        matrix = CORRELATIONS[self.kernel].radial(squared_distances(self._scaled, self._scaled))
        matrix[np.diag_indices_from(matrix)] += self.noise
        return np.asarray(dpotrf(matrix, lower=1, clean=1)[0])

    @cached_property
    def weights(self) -> Floats:
        """(n,) of the posterior mean."""
        y = (self.values - self.centre) / self.spread
        return np.asarray(dpotrs(self.root, y - self.mean, lower=1)[0])

    def row(self, x: Floats) -> Floats:
        """(m, n) prior covariance of points (m, d) with the data, of standardised values."""
        return CORRELATIONS[self.kernel].radial(squared_distances(x / self.lengthscales, self._scaled))

    def moments(self, x: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and standard deviation (m,) of f at points (m, d)."""
        rows = self.row(x)
        solved = dtrtrs(self.root, rows.T, lower=1)[0]
        variance = np.maximum(1.0 - np.einsum("nm,nm->m", solved, solved), 1e-14)
        return self.centre + self.spread * (self.mean + rows @ self.weights), self.spread * np.sqrt(variance)


def spread_of(values: Floats) -> float:
    """Standard deviation with n - 1; 1 where all values are the same."""
    found = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return found if found > 1e-8 else 1.0


def squared_distances(x: Floats, z: Floats, squares: Floats | None = None) -> Floats:
    """(m, n) of rows; ``squares`` (n,) of the lengths of those of z where they are known."""
    squares = (z * z).sum(axis=1) if squares is None else squares
    found = (x * x).sum(axis=1)[:, None] + squares - 2.0 * (x @ z.T)
    return np.maximum(found, 0.0, out=found)


def modes(dim: int) -> tuple[float, float]:
    """Length-scale and noise variance at the modes of the priors, where the search begins.

    Examples
    --------
    >>> [round(each, 4) for each in modes(2)]
    [0.2896, 0.0067]
    """
    return math.exp(LENGTH[0] + 0.5 * math.log(dim) - LENGTH[1] ** 2), math.exp(NOISE[0] - NOISE[1] ** 2)


def fit(points: Floats, values: Floats, kernel: str = "se", ard: bool = True) -> ShippedModel:
    """The model of data in the unit cube.

    Parameters
    ----------
    points, values : (n, d) and (n,)
    kernel : of :data:`KERNELS`; the library's own is the squared exponential
    ard : whether every coordinate has its length-scale

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0.0, 1.0, 9)[:, None]
    >>> found = fit(x, np.sin(6.0 * x[:, 0]))
    >>> found.lengthscales.round(2), [float(each.round(2)[0]) for each in found.moments(np.array([[0.3]]))]
    (array([0.27]), [0.98, 0.03])
    """
    dim = points.shape[1]
    (length, noise), count = modes(dim), dim if ard else 1
    start, low = [noise, 0.0, *[length] * count], [LEAST_NOISE, -np.inf, *[LEAST_LENGTH] * count]
    found = descended(loss_of(points, values, kernel, ard), np.array(start), low, np.inf)
    return ShippedModel(kernel, points, values, np.broadcast_to(found[2:], (dim,)), float(found[0]), float(found[1]))


def loss_of(points: Floats, values: Floats, kernel: str, ard: bool) -> Callable[[Floats], tuple[float, Floats]]:
    """Minus the log posterior density over n, and its gradient, as a function of noise variance, mean and length-scales."""
    n, dim = points.shape
    y = (values - values.mean()) / spread_of(values)
    below, across = np.tril_indices(n, -1)  # pairs; a point's distance to itself is 0 and moves nothing
    places = below * n + across
    gaps = (points[below] - points[across]) ** 2
    if not ard:
        gaps = gaps.sum(axis=1, keepdims=True)
    # A matrix that every call fills again, below the diagonal and on it.
    diagonal, matrix = np.arange(n) * (n + 1), np.zeros(n * n)
    kept = np.array([0, *range(2, 2 + gaps.shape[1])])  # parameters with a prior
    middle = np.where(kept == 0, NOISE[0], LENGTH[0] + 0.5 * math.log(dim))
    square = np.where(kept == 0, NOISE[1] ** 2, LENGTH[1] ** 2)
    constant = 0.5 * np.array([math.log(2 * math.pi * each) for each in square])

    def loss(found: Floats) -> tuple[float, Floats]:
        value, slope = CORRELATIONS[kernel].radial_and_derivative(gaps @ found[2:] ** -2)
        matrix[places], matrix[diagonal] = value, 1.0 + found[0]
        # LAPACK reads columns, so that what is below the diagonal in rows is above it there.
        root, failed = dpotrf(matrix.reshape(n, n).T, lower=0, clean=0, overwrite_a=1)
        if failed:
            return 1e6, np.zeros_like(found)
        left = y - found[1]
        alpha = dpotrs(root, left, lower=0)[0]
        whole = 0.5 * float(alpha @ left) + float(np.log(root.diagonal()).sum()) + 0.5 * n * math.log(2 * math.pi)
        inner = dpotri(root, lower=0, overwrite_c=1)[0].T.reshape(-1)
        pull = alpha[below] * alpha[across] - inner[places]
        gradient = np.empty_like(found)
        gradient[0], gradient[1] = -0.5 * (alpha @ alpha - inner[diagonal].sum()), -alpha.sum()
        gradient[2:] = 2.0 * ((pull * slope()) @ gaps) * found[2:] ** -3
        own = found[kept]
        log = np.log(own)
        away = (log - middle) / square
        terms = log + 0.5 * (log - middle) * away + constant
        gradient[kept] += (1.0 + away) / own
        return (whole + float(terms[0]) + float(terms[1:].sum())) / n, gradient / n

    return loss
