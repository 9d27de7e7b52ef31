"""Stationary covariance functions with the Euclidean distance, one formula above the lines that compute it.

Every kernel is a frozen object called as ``k(x, y)``. Inputs are arrays of shape (n, d) and (m, d), float64; the
result has shape (n, m). ``lengthscale`` is one number or a tuple of d numbers (automatic relevance determination, ARD).
Frequencies of spectral densities are in cycles per unit length.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest, positive_number

_TILE = 256


def _scaled_differences(x: Floats, y: Floats, lengthscale: float | tuple[float, ...]) -> Floats:
    """r^2 with r^2_ij = sum_k ((x_ik - y_jk) / l_k)^2, shape (n, m).

    The differences are formed before squaring. The expansion |x|^2 + |y|^2 - 2 x.y would be faster but loses all
    digits for points much closer than the length-scale's reciprocal, which near-singular problems are made of.
    """
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[1]:
        raise ParameterError(
            "x, y", f"have shapes {tuple(x.shape)} and {tuple(y.shape)}", "(n, d) and (m, d) with equal d"
        )
    dim = x.shape[1]
    scales = lengthscale if isinstance(lengthscale, tuple) else (lengthscale,) * dim
    if len(scales) != dim:
        raise ParameterError("lengthscale", f"has {len(scales)} entries", f"one number or {dim}, one per dimension")
    total = np.zeros((len(x), len(y)), dtype=x.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        for k, scale in enumerate(scales):
            total = total + ((x[:, None, k] - y[None, :, k]) / scale) ** 2
    check_distances(total)
    return total


def check_distances(squared: Floats) -> None:
    """Refuse squared distances of points that are not finite or so far apart that the square overflows."""
    if 0 not in squared.shape and not float(squared.max()) < math.inf:  # the maximum lets NaN through
        raise ParameterError(
            "points", "give a distance that is not finite", "finite coordinates, closer than 1e150 length-scales"
        )


def _plain(name: str, value: Any) -> Any:
    """A positive number as Python's own int or float, so that two spellings of a kernel are equal."""
    number = positive_number(name, value)
    return value if type(value) in (int, float) else number


def _lengthscale(given: Any) -> float | tuple[float, ...]:
    """One positive number, or a tuple of them for a list, a tuple or an array with one axis."""
    try:
        if np.ndim(given) == 0:
            return _plain("lengthscale", given)
        if np.ndim(given) == 1 and len(given):
            return tuple(_plain("lengthscale", value) for value in given)
    except (ParameterError, ValueError, TypeError):
        pass
    raise ParameterError("lengthscale", f"got {given!r}", "a positive number or a tuple of positive numbers")


@dataclass(frozen=True)
class _Stationary:
    """Base of all kernels: k(x, y) = variance * shape(r), r the distance in units of the length-scales."""

    def _settle(self) -> None:
        """Refuse length-scales and a variance that are not positive; numbers of NumPy become Python's."""
        object.__setattr__(self, "lengthscale", _lengthscale(self.lengthscale))  # type: ignore[attr-defined]
        object.__setattr__(self, "variance", _plain("variance", self.variance))  # type: ignore[attr-defined]

    def __call__(self, x: Floats, y: Floats | None = None) -> Floats:
        """Covariance matrix, shape (n, m); ``y`` defaults to ``x``."""
        if y is not None or x.ndim != 2 or x.shape[0] <= _TILE:
            return self._rectangle(x, x if y is None else y)
        # Symmetric: one half is computed and mirrored, in tiles that stay in the cache during the formula's passes.
        size = x.shape[0]
        matrix = np.empty((size, size), dtype=x.dtype)
        for i in range(0, size, _TILE):
            for j in range(i, size, _TILE):
                tile = self._rectangle(x[i : i + _TILE], x[j : j + _TILE])
                matrix[i : i + _TILE, j : j + _TILE] = tile
                matrix[j : j + _TILE, i : i + _TILE] = tile.T
        return matrix

    def _rectangle(self, x: Floats, y: Floats) -> Floats:
        return self.variance * self._shape(_scaled_differences(x, y, self.lengthscale))  # type: ignore[attr-defined]

    def radial(self, squared: Floats) -> Floats:
        """k as a function of the squared distance r^2 (in length-scales), any shape."""
        return self.variance * self._shape(squared)  # type: ignore[attr-defined]

    def derivative(self, squared: Floats) -> Floats:
        r"""dk / d(r^2) at squared distances r^2 (in length-scales), any shape.

        The gradient is :math:`\nabla_xk(x,y)=2\,\frac{dk}{d(r^2)}\,(x-y)/l^2`. The squared exponential and
        :math:`\nu\in\{3/2,5/2\}` have it in closed form.

        Raises
        ------
        ParameterError
            for another smoothness; paths with :math:`\nu\le1/2` have no gradient at the data
        """
        return self.radial_and_derivative(squared)[1]()

    def radial_and_derivative(self, squared: Floats) -> tuple[Floats, Callable[[], Floats]]:
        """Both, the derivative when it is called for, from what the value has computed already."""
        shape, derivative = self._shapes(squared)  # type: ignore[attr-defined]
        return self.variance * shape, lambda: self.variance * derivative()  # type: ignore[attr-defined]

    def diagonal(self, x: Floats) -> Floats:
        """k(x_i, x_i) for every row of ``x``, shape (n,)."""
        return np.full(len(x), float(self.variance), dtype=x.dtype)  # type: ignore[attr-defined]

    def _scaled_frequency(self, frequency: Floats) -> tuple[Any, float]:
        """(|l * xi|^2 of shape (...), product of the length-scales) for frequencies xi of shape (..., d)."""
        xi = np.asarray(frequency, dtype=float)
        scale = np.ones(xi.shape[-1]) * np.asarray(self.lengthscale)  # type: ignore[attr-defined]
        return np.sum((xi * scale) ** 2, axis=-1), float(np.prod(scale))


@dataclass(frozen=True)
class SquaredExponential(_Stationary):
    r"""Squared exponential (RBF) kernel.

    .. math:: k(x, y) = s\,\exp\!\Big(-\tfrac12\sum_k (x_k-y_k)^2/l_k^2\Big)

    Parameters
    ----------
    lengthscale : :math:`l`, positive, in the units of the inputs; a tuple for ARD
    variance : :math:`s=k(x,x)`, positive

    Examples
    --------
    >>> import companion as cp
    >>> kernel = cp.SquaredExponential(lengthscale=0.2)
    >>> kernel(cp.grid(3, dim=1)).shape
    (3, 3)
    """

    lengthscale: float | tuple[float, ...]
    variance: float = 1.0

    def __post_init__(self) -> None:
        self._settle()

    def _shape(self, squared: Floats) -> Floats:
        return np.exp(-0.5 * squared)

    def _shapes(self, squared: Floats) -> tuple[Floats, Callable[[], Floats]]:
        shape = self._shape(squared)
        return shape, lambda: -0.5 * shape

    def log_spectral_density(self, frequency: Floats) -> np.ndarray:
        r"""log of :math:`s\,(2\pi)^{d/2}\prod_k l_k\,\exp(-2\pi^2\sum_k l_k^2\xi_k^2)`; frequency (..., d) -> (...)."""
        squared, volume = self._scaled_frequency(frequency)
        dim = np.shape(frequency)[-1]
        return math.log(self.variance * volume) + 0.5 * dim * math.log(2 * math.pi) - 2 * math.pi**2 * squared

    def spectral_density(self, frequency: Floats) -> np.ndarray:
        """Fourier transform of the kernel at ``frequency`` (..., d), in cycles per unit length.

        Examples
        --------
        >>> import companion as cp
        >>> cp.SquaredExponential(1.0).spectral_density([[0.0]]).round(3)  # the root of 2 pi
        array([2.507])
        """
        return np.exp(self.log_spectral_density(frequency))


@dataclass(frozen=True)
class Matern(_Stationary):
    r"""Matérn kernel of smoothness :math:`\nu`.

    .. math:: k(x, y) = s\,\frac{2^{1-\nu}}{\Gamma(\nu)}\big(\sqrt{2\nu}\,r\big)^{\nu}K_\nu\big(\sqrt{2\nu}\,r\big),
              \qquad r^2=\sum_k (x_k-y_k)^2/l_k^2,

    with :math:`K_\nu` the modified Bessel function of the second kind. For :math:`\nu\in\{1/2,3/2,5/2\}` the closed
    forms are used; other values go through ``scipy.special``.

    Parameters
    ----------
    nu : smoothness, positive
    lengthscale : :math:`l`, positive; a tuple for ARD
    variance : :math:`s=k(x,x)`, positive

    Examples
    --------
    >>> import companion as cp
    >>> kernel = cp.Matern(nu=2.5, lengthscale=(0.2, 1.0))
    >>> print(f"{kernel(cp.grid(2, dim=2))[0, 3]:.4f}")
    0.0006
    """

    nu: float
    lengthscale: float | tuple[float, ...]
    variance: float = 1.0

    def __post_init__(self) -> None:
        self._settle()
        object.__setattr__(self, "nu", _plain("nu", self.nu))
        if self.nu > 100:
            raise ParameterError("nu", f"got {self.nu!r}", "a number in (0, 100]; SquaredExponential is its limit")

    def _shape(self, squared: Floats) -> Floats:
        if self.nu in (1.5, 2.5):
            return self._shapes(squared)[0]
        z = np.sqrt(2 * self.nu * squared)
        return np.exp(-z) if self.nu == 0.5 else _matern_shape(z, self.nu)

    def _shapes(self, squared: Floats) -> tuple[Floats, Callable[[], Floats]]:
        z = np.sqrt(2 * self.nu * squared)
        decay = np.exp(-z)
        if self.nu == 1.5:  # (1 + z) exp(-z), -(3/2) exp(-z)
            return (1 + z) * decay, lambda: -1.5 * decay
        if self.nu == 2.5:  # (1 + z + z^2/3) exp(-z), -(5/6) (1 + z) exp(-z)
            return (1 + z + z * z / 3) * decay, lambda: -(5 / 6) * (1 + z) * decay
        raise ParameterError("nu", f"got {self.nu!r}", "1.5 or 2.5 where a gradient is needed")

    def log_spectral_density(self, frequency: Floats) -> np.ndarray:
        r"""log spectral density; frequency (..., d) -> (...).

        .. math:: s\,\frac{2^d\pi^{d/2}\Gamma(\nu+d/2)(2\nu)^\nu}{\Gamma(\nu)}\prod_k l_k\,
                  \big(2\nu+4\pi^2\sum_k l_k^2\xi_k^2\big)^{-(\nu+d/2)}
        """
        squared, volume = self._scaled_frequency(frequency)
        dim, nu = np.shape(frequency)[-1], self.nu
        constant = dim * math.log(2) + 0.5 * dim * math.log(math.pi) + nu * math.log(2 * nu)
        constant += special.gammaln(nu + dim / 2) - special.gammaln(nu) + math.log(self.variance * volume)
        return constant - (nu + dim / 2) * np.log(2 * nu + 4 * math.pi**2 * squared)

    def spectral_density(self, frequency: Floats) -> np.ndarray:
        """Fourier transform of the kernel at ``frequency`` (..., d), in cycles per unit length.

        Examples
        --------
        >>> import companion as cp
        >>> cp.Matern(0.5, 1.0).spectral_density([[0.0], [1.0]]).round(3)  # 2 / (1 + (2 pi f)^2)
        array([2.   , 0.049])
        """
        return np.exp(self.log_spectral_density(frequency))


def _matern_shape(z: np.ndarray, nu: float) -> np.ndarray:
    """2^(1-nu)/Gamma(nu) z^nu K_nu(z), in logs: z^nu underflows and K_nu overflows long before their product does."""
    # K_nu(z) ~ Gamma(nu)/2 (2/z)^nu as z -> 0, so the limit is one; below `small` the difference is under 1e-16
    # for nu >= 1 and of order z^(2 nu) otherwise, where the bound keeps kve within range.
    small = 1e-150 if nu < 1 else 1e-9
    safe = np.maximum(z, small)
    with np.errstate(over="ignore"):
        bessel = special.kve(nu, safe)  # exp(z) K_nu(z)
    log_shape = (1 - nu) * math.log(2) - special.gammaln(nu) + nu * np.log(safe) + np.log(bessel) - safe
    # Where K_nu itself overflows (large nu, small z) the second-order expansion 1 - z^2 / (4 (nu - 1)) is exact enough.
    series = 1 - safe**2 / (4 * (nu - 1)) if nu > 1 else np.ones_like(safe)
    shape = np.where(np.isfinite(bessel), np.exp(np.minimum(log_shape, 0.0)), series)
    # scipy has no value for z beyond about 1e9, where exp(-z) has long been zero.
    return np.where(z < small, 1.0, np.where(z > 1e3, 0.0, shape))


Kernel = SquaredExponential | Matern

#: By name, what pages and cases call it.
KERNEL_TITLES = {"se": "SE", "matern12": "Matérn 1/2", "matern32": "Matérn 3/2", "matern52": "Matérn 5/2"}
KERNEL_NAMES = tuple(KERNEL_TITLES)

#: What others call them, in small letters without signs.
_OTHER_NAMES = {
    **dict.fromkeys(("rbf", "gaussian", "gauss", "squaredexponential", "exponentiatedquadratic", "eq", "sqexp"), "se"),
    "matern05": "matern12",
    "matern15": "matern32",
    "matern25": "matern52",
    "exponential": "matern12",
    "ou": "matern12",
    "laplacian": "matern12",
}


def kernel_name(given: Any) -> str:
    """The one of :data:`KERNEL_NAMES` that is meant: ``RBF`` is ``se``, ``matern-5/2`` and ``Matern 2.5`` are ``matern52``."""
    name = re.sub(r"[^a-z0-9]|kernel|nu", "", str(given).lower().replace("é", "e"))
    name = _OTHER_NAMES.get(name, name)
    if name not in KERNEL_NAMES:
        remedy = nearest(str(given), (*KERNEL_NAMES, "rbf", "gaussian"))
        raise ParameterError("kernel", f"got {given!r}", f"one of {', '.join(KERNEL_NAMES)}", remedy)
    return name


def kernel_by_name(name: str, lengthscale: float | tuple[float, ...], variance: float = 1.0) -> Kernel:
    """The kernel called ``name``, see :func:`kernel_name`: ``se``, ``matern12``, ``matern32``, ``matern52``.

    Examples
    --------
    >>> from companion.gp import kernel_by_name
    >>> kernel_by_name("matern32", 0.2)
    Matern(nu=1.5, lengthscale=0.2, variance=1.0)
    """
    name = kernel_name(name)
    if name == "se":
        return SquaredExponential(lengthscale, variance)
    return Matern(int(name[-2]) / 2, lengthscale, variance)
