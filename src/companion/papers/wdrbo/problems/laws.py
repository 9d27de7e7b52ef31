r"""Laws of contexts: sampling by inversion, distribution functions, and the expectations that have a closed form.

A context has independent coordinates. Every coordinate is drawn as :math:`F^{-1}(U)` with U uniform on [0, 1), so that a
run's contexts depend on its context stream alone and n draws at once are n draws one after another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erf, ndtr, ndtri

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number, whole_number

#: Gauss-Legendre nodes on a panel.
ORDER = 16
#: Panels that a rule without breaks of its own divides the interval into.
PANELS = 128


class Marginal(Protocol):
    """Law of one coordinate on [low, high]."""

    @property
    def low(self) -> float:
        """Left end of the support."""

    @property
    def high(self) -> float:
        """Right end of the support."""

    def quantile(self, u: ArrayLike) -> Floats:
        """Smallest c with F(c) >= u, for u in [0, 1)."""

    def distribution(self, c: ArrayLike) -> Floats:
        """F(c), the probability of at most c."""


class SmoothMarginal(Marginal, Protocol):
    """Law with a density on [low, high] and at most two atoms, at the ends."""

    def bump(self, rate: ArrayLike, centre: ArrayLike) -> Floats:
        """E exp(-rate (c - centre)^2)."""

    def square(self, point: float) -> float:
        """E (c - point)^2."""

    def distance(self, point: float) -> float:
        """E |c - point|, for a point of [low, high]."""

    def rule(self, breaks: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Nodes and weights with sum w_i h(c_i) close to E h(c)."""


def panel_rule(breaks: ArrayLike) -> tuple[Floats, Floats]:
    """Nodes and weights (16 m,) of the 16-point Gauss-Legendre rule on each of the m panels between the ``breaks``."""
    ends = np.asarray(breaks, dtype=np.float64)
    node, weight = np.polynomial.legendre.leggauss(ORDER)
    half = np.diff(ends)[:, None] / 2
    return ((ends[:-1, None] + half) + half * node).ravel(), (half * weight).ravel()


def _breaks(breaks: ArrayLike | None, low: float, high: float) -> Floats:
    if breaks is None:
        return np.linspace(low, high, PANELS + 1)
    ends = np.asarray(breaks, dtype=np.float64)
    if ends.ndim != 1 or len(ends) < 2 or (np.diff(ends) <= 0).any() or ends[0] != low or ends[-1] != high:
        raise ParameterError("breaks", "do not divide the interval", f"increasing, from {low} to {high}")
    return ends


def _density(z: ArrayLike) -> Floats:
    return np.exp(-np.square(z) / 2) / math.sqrt(2 * math.pi)


def integral_of_cdf(z: ArrayLike) -> Floats:
    r""":math:`z\Phi(z)+\phi(z)`, whose derivative is :math:`\Phi`."""
    return np.asarray(np.asarray(z) * ndtr(z) + _density(z))


@dataclass(frozen=True)
class ClippedNormal:
    r"""The law of :math:`\min(high,\max(low,\mu+s\xi))` with :math:`\xi` standard normal: two atoms, a density between.

    Parameters
    ----------
    mean, sd : mu and s > 0 of the normal before clipping
    low, high : where it is clipped

    Raises
    ------
    ParameterError
        unless sd > 0 and low < high
    """

    mean: float
    sd: float
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        positive_number("sd", self.sd)
        if not (math.isfinite(self.mean) and self.low < self.high):
            raise ParameterError("mean, low, high", f"got {self.mean}, {self.low}, {self.high}", "finite, low < high")

    @property
    def _ends(self) -> tuple[float, float]:
        return (self.low - self.mean) / self.sd, (self.high - self.mean) / self.sd

    @property
    def atoms(self) -> tuple[float, float]:
        """Probabilities of ``low`` and of ``high``."""
        a, b = self._ends
        return float(ndtr(a)), float(ndtr(-b))

    def quantile(self, u: ArrayLike) -> Floats:
        """F^{-1}(u) = clip(mu + s Phi^{-1}(u))."""
        return np.clip(self.mean + self.sd * ndtri(np.asarray(u, dtype=np.float64)), self.low, self.high)

    def distribution(self, c: ArrayLike) -> Floats:
        """F(c) = Phi((c - mu) / s) on [low, high), 0 below and 1 from high on."""
        at = np.asarray(c, dtype=np.float64)
        inside = ndtr((at - self.mean) / self.sd)
        return np.where(at < self.low, 0.0, np.where(at >= self.high, 1.0, inside))

    def bump(self, rate: ArrayLike, centre: ArrayLike) -> Floats:
        r"""E exp(-rate (c - centre)^2).

        A Gaussian times a Gaussian is one: with :math:`v=(2r+1/s^2)^{-1}` and :math:`m=v(2rp+\mu/s^2)`, the part with a
        density is :math:`e^{-r(p-\mu)^2/(1+2rs^2)}\sqrt v\,s^{-1}[\Phi((h-m)/\sqrt v)-\Phi((l-m)/\sqrt v)]`.
        """
        r, p = np.asarray(rate, dtype=np.float64), np.asarray(centre, dtype=np.float64)
        v = 1.0 / (2 * r + self.sd**-2)
        m, root = v * (2 * r * p + self.mean / self.sd**2), np.sqrt(v)
        height = np.exp(-r * (p - self.mean) ** 2 / (1 + 2 * r * self.sd**2)) * root / self.sd
        inner = height * (ndtr((self.high - m) / root) - ndtr((self.low - m) / root))
        below, above = self.atoms
        return inner + below * np.exp(-r * (self.low - p) ** 2) + above * np.exp(-r * (self.high - p) ** 2)

    def square(self, point: float) -> float:
        """E (c - point)^2, from the moments of the normal between the ends and the two atoms."""
        a, b = self._ends
        shift, (below, above) = self.mean - point, self.atoms
        mass = float(ndtr(b) - ndtr(a))
        first = float(_density(a) - _density(b))
        second = mass - float(b * _density(b) - a * _density(a))
        inner = self.sd**2 * second + 2 * self.sd * shift * first + shift**2 * mass
        return inner + below * (self.low - point) ** 2 + above * (self.high - point) ** 2

    def distance(self, point: float) -> float:
        """E |c - point|, the integral of F below the point and of 1 - F above it; (z Phi + phi)' = Phi."""
        if not self.low <= point <= self.high:
            raise ParameterError("point", f"got {point!r}", f"a number from {self.low} to {self.high}")

        (a, b), z = self._ends, (point - self.mean) / self.sd
        return self.sd * float(integral_of_cdf(z) - integral_of_cdf(a) + integral_of_cdf(-z) - integral_of_cdf(-b))

    def rule(self, breaks: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Both atoms, and 16 Gauss-Legendre nodes weighted by the density on every panel between the ``breaks``."""
        nodes, weights = panel_rule(_breaks(breaks, self.low, self.high))
        weights = weights * _density((nodes - self.mean) / self.sd) / self.sd
        below, above = self.atoms
        return np.concatenate([[self.low], nodes, [self.high]]), np.concatenate([[below], weights, [above]])


@dataclass(frozen=True)
class Uniform:
    """The uniform law on [low, high], low < high."""

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ParameterError("low, high", f"got {self.low}, {self.high}", "low < high")

    def quantile(self, u: ArrayLike) -> Floats:
        """low + (high - low) u."""
        return self.low + (self.high - self.low) * np.asarray(u, dtype=np.float64)

    def distribution(self, c: ArrayLike) -> Floats:
        """(c - low) / (high - low), clipped to [0, 1]."""
        return np.clip((np.asarray(c, dtype=np.float64) - self.low) / (self.high - self.low), 0.0, 1.0)

    def bump(self, rate: ArrayLike, centre: ArrayLike) -> Floats:
        """E exp(-rate (c - centre)^2), a difference of two error functions; 1 where the rate is 0."""
        r, p = np.asarray(rate, dtype=np.float64), np.asarray(centre, dtype=np.float64)
        root = np.sqrt(np.where(r > 0, r, 1.0))
        spread = erf(root * (self.high - p)) - erf(root * (self.low - p))
        return np.where(r > 0, math.sqrt(math.pi) / (2 * root * (self.high - self.low)) * spread, 1.0)

    def square(self, point: float) -> float:
        """E (c - point)^2."""
        return ((self.high - point) ** 3 - (self.low - point) ** 3) / (3 * (self.high - self.low))

    def distance(self, point: float) -> float:
        """E |c - point|."""
        if not self.low <= point <= self.high:
            raise ParameterError("point", f"got {point!r}", f"a number from {self.low} to {self.high}")
        return ((self.high - point) ** 2 + (point - self.low) ** 2) / (2 * (self.high - self.low))

    def rule(self, breaks: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """16 Gauss-Legendre nodes on every panel between the ``breaks``."""
        nodes, weights = panel_rule(_breaks(breaks, self.low, self.high))
        return nodes, weights / (self.high - self.low)


@dataclass(frozen=True)
class BurrXII:
    """The Burr XII law :math:`P(c>t)=(1+t^a)^{-b}`, t > 0, clipped at ``high``.

    Parameters
    ----------
    a, b : shapes, both positive
    high : where it is clipped; infinite for the law itself
    """

    a: float = 2.0
    b: float = 20.0
    high: float = 1.0

    def __post_init__(self) -> None:
        positive_number("a", self.a)
        positive_number("b", self.b)
        if not self.high > 0:
            raise ParameterError("high", f"got {self.high!r}", "a positive number, or infinity")

    @property
    def low(self) -> float:
        """0."""
        return 0.0

    def quantile(self, u: ArrayLike) -> Floats:
        """((1 - u)^{-1/b} - 1)^{1/a}, clipped; written with log1p and expm1, which keep small u exact."""
        exact = np.expm1(-np.log1p(-np.asarray(u, dtype=np.float64)) / self.b) ** (1.0 / self.a)
        return np.minimum(exact, self.high)

    def distribution(self, c: ArrayLike) -> Floats:
        """1 - (1 + c^a)^{-b} on [0, high), 0 below and 1 from high on."""
        at = np.asarray(c, dtype=np.float64)
        inside = -np.expm1(-self.b * np.log1p(np.maximum(at, 0.0) ** self.a))
        return np.where(at >= self.high, 1.0, inside)


@dataclass(frozen=True)
class ContextLaw:
    """A law of contexts with independent coordinates.

    Parameters
    ----------
    marginals : law of every coordinate, d_c of them
    """

    marginals: tuple[Marginal, ...]

    def __post_init__(self) -> None:
        if not self.marginals:
            raise ParameterError("marginals", "are empty", "at least one law of a coordinate")

    @property
    def dim(self) -> int:
        """Number of coordinates d_c."""
        return len(self.marginals)

    def sample(self, generator: np.random.Generator, count: int) -> Floats:
        """``count`` independent contexts, shape (count, d_c), one uniform number for every coordinate."""
        whole_number("count", count, 0)
        return self.quantile(generator.random((count, self.dim)))

    def quantile(self, u: ArrayLike) -> Floats:
        """Coordinatewise quantiles at ``u`` (n, d_c) in [0, 1), shape (n, d_c)."""
        array = np.asarray(u, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != self.dim or not ((array >= 0) & (array < 1)).all():
            raise ParameterError("u", f"has shape {array.shape} or leaves [0, 1)", f"(n, {self.dim}) in [0, 1)")
        return np.stack([law.quantile(column) for law, column in zip(self.marginals, array.T, strict=True)], axis=1)

    def quantile_nodes(self, count: int) -> Floats:
        """The quantiles at (i + 1/2) / count: equally weighted nodes (count, 1) that stand for a law of one coordinate.

        Raises
        ------
        ParameterError
            if the law has more than one coordinate
        """
        whole_number("count", count)
        if self.dim != 1:
            raise ParameterError("law", f"has {self.dim} coordinates", "one")
        return self.quantile(((np.arange(count) + 0.5) / count)[:, None])
