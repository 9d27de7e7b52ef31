r"""Assumption 3.1 for the kernels used: constants a, b of the tail of the paths' derivatives, and checks of them.

.. math:: P\Big(\max_{x,c}\sup_\xi\Big|\frac{\partial f}{\partial\xi(x'|c')}\Big|>L\Big)\le a\,e^{-L^2/b}

Under Eq. (1) the derivative with respect to :math:`\xi(x'|c')` is that of the one summand :math:`w_{c'}(\xi_{c'})`; it
depends neither on x and c nor on the other contexts' laws, so that the supremum is over one simplex.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number
from companion.gp.data import cholesky
from companion.papers.meanfield.method.kernel import AdditiveKernel, squared_distances


@dataclass(frozen=True)
class TailConstants:
    """Constants of Assumption 3.1.

    Parameters
    ----------
    a : positive, without unit
    b : positive, in squared units of the derivative
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        positive_number("a", self.a)
        positive_number("b", self.b)

    def bound(self, level: ArrayLike) -> Floats:
        """a exp(-L^2 / b), shape of ``level``."""
        return np.asarray(self.a * np.exp(-np.square(np.asarray(level, dtype=np.float64)) / self.b))


def tail_constants(mean_supremum: float, variance: float) -> TailConstants:
    r"""Usable constants :math:`a=e^{m^2/(2s^2)},\ b=4s^2` from the Borell-TIS inequality.

    That inequality gives :math:`P(\sup|\partial f|>L)\le e^{-(L-m)^2/(2s^2)}` for L above the mean m of the supremum, and
    :math:`(L-m)^2\ge L^2/2-m^2`; for smaller L the bound is at least 1.

    Parameters
    ----------
    mean_supremum : m, the mean of the supremum of the absolute derivative, or an upper bound of it
    variance : s^2, the largest variance of the derivative
    """
    positive_number("mean_supremum", mean_supremum)
    positive_number("variance", variance)
    return TailConstants(math.exp(mean_supremum**2 / (2.0 * variance)), 4.0 * variance)


def derivative_covariance(kernel: AdditiveKernel, laws: ArrayLike, coordinate: int) -> Floats:
    r"""Covariance (n, n) of :math:`\partial w_c/\partial\xi(x'|c)` at ``laws`` (n, A) of one context, x' = ``coordinate``.

    .. math:: s_\xi\,k_{RBF}(\xi,\xi')\Big(\frac1{\ell^2}-\frac{(\xi_{x'}-\xi'_{x'})^2}{\ell^4}\Big)
    """
    _plain(kernel)
    points = np.asarray(laws, dtype=np.float64)
    along = np.subtract.outer(points[:, coordinate], points[:, coordinate]) ** 2
    scale = kernel.law_lengthscale**2
    return kernel.law_terms_at(squared_distances(points, points)[None])[0] * (1.0 / scale - along / scale**2)


def derivative_suprema(
    kernel: AdditiveKernel, laws: ArrayLike, coordinate: int, generator: np.random.Generator, count: int
) -> Floats:
    """Suprema over ``laws`` (n, A) of the absolute derivative of ``count`` paths, shape (count,).

    A finite set of laws underestimates the supremum over the simplex; it is to be fine against the length-scale.
    """
    factor = cholesky(derivative_covariance(kernel, laws, coordinate))
    return np.abs(factor @ generator.standard_normal((len(factor), count))).max(axis=0)


@dataclass(frozen=True)
class TailCheck:
    """Comparison of an empirical tail with a bound.

    Parameters
    ----------
    level : where the ratio is largest
    exceedances, trials : paths whose supremum is above the level, and all paths
    ratio : empirical frequency over min(1, bound)
    p_value : probability of at least so many exceedances if the bound held with equality, the smallest of all levels'
    """

    level: float
    exceedances: int
    trials: int
    ratio: float
    p_value: float


def check_tail(suprema: ArrayLike, constants: TailConstants, levels: int = 50) -> TailCheck:
    """Compare the tail of measured suprema (count,) with Assumption 3.1, at levels from 0 to the largest of them.

    The bound is refuted when ``p_value``, multiplied by the number of levels, is below the significance asked for.
    """
    values = np.sort(np.asarray(suprema, dtype=np.float64))
    if values.ndim != 1 or not len(values):
        raise ParameterError("suprema", f"have shape {values.shape}", "(count,), at least one")
    grid = np.linspace(0.0, float(values[-1]), levels, endpoint=False)
    above = len(values) - np.searchsorted(values, grid, side="right")
    bound = np.minimum(constants.bound(grid), 1.0)
    ratio = above / len(values) / bound
    p_values = stats.binom.sf(above - 1, len(values), bound)
    worst = int(np.argmax(ratio))
    return TailCheck(float(grid[worst]), int(above[worst]), len(values), float(ratio[worst]), float(p_values.min()))


def mean_square_slope(form: str, lengthscale: float, step: ArrayLike) -> Floats:
    r""":math:`\mathbb E|f(u+h)-f(u)|^2/h^2=2(1-k(h))/h^2` at steps h, for unit scale.

    It tends to :math:`1/\ell^2` with the squares and to infinity like :math:`1/(\ell h)` as printed, so that Assumption 3.1
    fails for the kernel as printed.
    """
    kernel = AdditiveKernel(law_lengthscale=lengthscale, form=form)
    h = np.asarray(step, dtype=np.float64)
    return np.asarray(2.0 * (1.0 - kernel.law_terms_at(h**2)) / h**2)


def _plain(kernel: AdditiveKernel) -> None:
    if kernel.form == "printed":
        raise ParameterError("form", "is 'printed', whose paths have no derivative", "'squared'")
    if kernel.coupling == "joint":
        raise ParameterError("coupling", "is 'joint'", "'additive', the kernel of Eq. (1)")
