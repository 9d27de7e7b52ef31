"""The class of hard-to-distinguish bump functions behind the lower bounds (Prop. 4), with an exact RKHS norm.

The paper takes the class from Scarlett, Bogunovic and Cevher (2017) without writing it down. Here it is in closed form:

    φ(x) = Π_j sinc²(x_j),   sinc(s) = sin(πs)/(πs),   f_m(x) = 2ε φ((x - c_m)/w),   m = 1..M on [0,1]^d.

The Fourier transform of φ is Π_j (1-|u_j|)_+. Its support is bounded, so the RKHS norm of f_m is finite even for the
squared-exponential kernel, and one integral gives it (S is the kernel's spectral density, in cycles per unit length):

    ‖f_m‖² = 4ε² w^d ∫_{[-1,1]^d} Π_j (1-|u_j|)² / S(u/w) du.

The width w(ε) is the smallest one with ‖f_m‖ ≤ Ψ. With sinc²(ζ) = 1/2 a bump exceeds ε at most within ζw of its centre
(in the maximum norm), so M = ⌊1/(2ζw)⌋^d equal cells with the bumps at their centres keep the ε-optimal points apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy import linalg, optimize, special

from companion.bounds.checks import real
from companion.core.errors import ParameterError, whole_number
from companion.gp.kernels import Kernel, Matern

#: ζ = 0.4429465, where sinc² falls to one half (and below which it stays).
HALF_HEIGHT = float(optimize.brentq(lambda s: np.sinc(s) ** 2 - 0.5, 0.1, 0.9, xtol=1e-15))

#: Gauss-Legendre nodes per axis; relative error of the norm below 1e-12 where tested.
NODES = {1: 400, 2: 128}
#: Entries of a (M, N) table of values: one gibibyte in float64.
LARGEST_TABLE = 2**27
#: The norm's minimiser lies within exp(±12) length-scales.
BRACKET = 12.0


def leakage_constant(dim: int) -> float:
    """C_F = 4 S^d with Σ_m (max_{R_j} |f_m|)² ≤ C_F ε² for every cell R_j: 6.031 (d = 1), 9.094 (d = 2).

    S = 1 + 2 Σ_{k≥1} min{1/2, (π(2k-1)ζ)^{-2}}²: k cells away from its centre a bump is below both one half (of its
    height, per axis) and the envelope 1/(πs)² of sinc²(s). The cut at one half matters for k = 1 only.
    """
    envelope = (math.pi * HALF_HEIGHT) ** -4
    total = 0.25 + envelope * (math.pi**4 / 96.0 - 1.0)  # Σ_{k≥1} (2k-1)^{-4} = π⁴/96
    return 4.0 * (1.0 + 2.0 * total) ** whole_number("dim", dim, 1)


@lru_cache(maxsize=4)
def _quadrature(dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes u (n, d) of [0,1]^d and log(weight · Π_j (1-u_j)²) (n,)."""
    nodes, weights = special.roots_legendre(NODES[dim])
    axis, log_weight = (nodes + 1.0) / 2.0, np.log(weights / 2.0) + 2.0 * np.log1p(-(nodes + 1.0) / 2.0)
    points = np.stack([part.ravel() for part in np.meshgrid(*[axis] * dim, indexing="ij")], axis=1)
    logs = sum(part.ravel() for part in np.meshgrid(*[log_weight] * dim, indexing="ij"))
    return points, np.asarray(logs)


@lru_cache(maxsize=1 << 14)
def _log_unit_norm(kernel: Kernel, dim: int, width: float) -> float:
    """See :meth:`BumpFamily.log_unit_norm`; cached, as the same widths are searched over and over by every member's run."""
    nodes, logs = _quadrature(dim)
    # Both signs of every coordinate contribute alike, hence 2^d.
    integral = special.logsumexp(logs - kernel.log_spectral_density(nodes / width))
    return 0.5 * (math.log(4.0) + dim * math.log(2.0 * width) + float(integral))


@dataclass(frozen=True)
class BumpFamily:
    """All bumps of norm at most Ψ for one kernel; fixes how width and number of cells depend on the height 2ε.

    Parameters
    ----------
    kernel : squared exponential or Matérn, with k(x, x) ≤ 1
    dim : d, 1 or 2
    norm : Ψ > 0

    Raises
    ------
    ParameterError
        for arguments out of range
    """

    kernel: Kernel
    dim: int
    norm: float = 1.0

    def __post_init__(self) -> None:
        whole_number("dim", self.dim, 1, max(NODES))
        real("norm", self.norm, 0.0, open_ends="low")
        if self.kernel.variance > 1.0:
            raise ParameterError("kernel", f"has variance {self.kernel.variance}", "k(x, x) of at most 1")
        scales = self.kernel.lengthscale
        if isinstance(scales, tuple) and len(scales) != self.dim:
            raise ParameterError("kernel", f"has {len(scales)} length-scales", f"one, or {self.dim} of them")

    @property
    def smoothness(self) -> float:
        """ν of a Matérn kernel, ``inf`` for the squared exponential."""
        return float(self.kernel.nu) if isinstance(self.kernel, Matern) else math.inf

    def log_unit_norm(self, width: float) -> float:
        """log(‖f_m‖/ε) for bumps f_m = 2ε φ((x - c_m)/w), from the spectral density."""
        return _log_unit_norm(self.kernel, self.dim, real("width", width, 0.0, open_ends="low"))

    @cached_property
    def best_width(self) -> float:
        """w*, where a bump of given height has the smallest norm (the norm is log-convex in log w)."""
        scale = math.log(float(np.min(self.kernel.lengthscale)))
        bounds = (scale - BRACKET, math.log(float(np.max(self.kernel.lengthscale))) + BRACKET)
        found = optimize.minimize_scalar(
            lambda s: self.log_unit_norm(math.exp(s)), bounds=bounds, method="bounded", options={"xatol": 1e-9}
        )
        return math.exp(found.x)

    @cached_property
    def largest_epsilon(self) -> float:
        """The largest ε for which some bump of height 2ε has norm at most Ψ."""
        return math.exp(math.log(self.norm) - self.log_unit_norm(self.best_width))

    def width(self, epsilon: float) -> float:
        """w(ε): the smallest width with ‖f_m‖ ≤ Ψ.

        Raises
        ------
        ParameterError
            unless 0 < ε ≤ :attr:`largest_epsilon`
        """
        eps = real("epsilon", epsilon, 0.0, self.largest_epsilon, open_ends="low")
        target = math.log(self.norm) - math.log(eps)
        high = math.log(self.best_width)
        if self.log_unit_norm(self.best_width) >= target:  # ε is the largest possible one, up to rounding
            return self.best_width
        step = 0.5
        while self.log_unit_norm(math.exp(high - step)) < target:
            step *= 2.0
        root = optimize.brentq(lambda s: self.log_unit_norm(math.exp(s)) - target, high - step, high, xtol=1e-14)
        return math.exp(root)

    def log_epsilon_for_cells(self, cells: int) -> float:
        """log of the largest ε whose class still has ``cells`` cells per axis, that is w(ε) ≤ 1/(2ζ·cells)."""
        widest = 1.0 / (2.0 * HALF_HEIGHT * whole_number("cells", cells, 1))
        return math.log(self.norm) - self.log_unit_norm(min(widest, self.best_width))

    def build(self, epsilon: float) -> HardClass:
        """The class of height 2ε: width w(ε) and as many cells as fit.

        Raises
        ------
        ParameterError
            if ε is out of range or so large that not even one cell fits
        """
        width = self.width(epsilon)
        cells = math.floor(1.0 / (2.0 * HALF_HEIGHT * width))
        if cells < 1:
            limit = math.exp(self.log_epsilon_for_cells(1))
            raise ParameterError("epsilon", f"got {epsilon!r}: one bump is wider than the domain", f"at most {limit:g}")
        return HardClass(self, float(epsilon), width, cells)


@dataclass(frozen=True)
class HardClass:
    """M bump functions on [0,1]^d, one at the centre of each of M = cells^d equal cells.

    Built by :meth:`BumpFamily.build`; the constructor accepts any width and number of cells, so that the properties of
    Prop. 4 can be seen to fail.

    Parameters
    ----------
    family : kernel, dimension and norm bound
    epsilon : ε, half of the bumps' height
    width : w
    cells : cells per axis
    """

    family: BumpFamily
    epsilon: float
    width: float
    cells: int

    @property
    def size(self) -> int:
        """M, the number of functions."""
        return self.cells**self.family.dim

    @property
    def norm(self) -> float:
        """‖f_m‖ in the RKHS on the whole of R^d, the same for all m."""
        return self.epsilon * math.exp(self.family.log_unit_norm(self.width))

    def _axis_centres(self) -> np.ndarray:
        return (np.arange(self.cells) + 0.5) / self.cells

    def centres(self) -> np.ndarray:
        """Peaks c_1..c_M, shape (M, d); the last coordinate runs fastest."""
        axes = np.meshgrid(*[self._axis_centres()] * self.family.dim, indexing="ij")
        return np.stack([axis.ravel() for axis in axes], axis=1)

    def grid(self, points_per_cell: int) -> np.ndarray:
        """Regular grid whose points per cell and axis are odd in number, so that it contains all peaks: (N, d).

        Raises
        ------
        ParameterError
            for an even or non-positive number
        """
        count = whole_number("points_per_cell", points_per_cell, 1)
        if count % 2 == 0:
            raise ParameterError("points_per_cell", f"got {count}", "an odd number")
        axis = (np.arange(self.cells * count) + 0.5) / (self.cells * count)
        # Peaks are recomputed from the cells, so that they agree with `centres` to the last bit.
        axis[count // 2 :: count] = self._axis_centres()
        axes = np.meshgrid(*[axis] * self.family.dim, indexing="ij")
        return np.stack([part.ravel() for part in axes], axis=1)

    def cell_of(self, points: Any) -> np.ndarray:
        """Index m of the cell R_m that contains each point, shape (N,); shared faces belong to the upper cell."""
        x = self._points(points)
        index = np.minimum((x * self.cells).astype(np.int64), self.cells - 1)
        return np.ravel_multi_index(tuple(index.T), (self.cells,) * self.family.dim)

    def values(self, points: Any) -> np.ndarray:
        """f_m(x_n) for all functions and points, shape (M, N).

        Raises
        ------
        ParameterError
            for points outside [0,1]^d or of another dimension, and for tables beyond one gibibyte
        """
        x = self._points(points)
        if self.size * len(x) > LARGEST_TABLE:
            raise ParameterError("points", f"{self.size} functions at {len(x)} points", "at most 2**27 values")
        table = np.ones((1, len(x)))
        for axis in range(self.family.dim):
            profile = np.sinc((x[:, axis] - self._axis_centres()[:, None]) / self.width) ** 2
            table = (table[:, None, :] * profile[None, :, :]).reshape(-1, len(x))
        return 2.0 * self.epsilon * table

    def _points(self, points: Any) -> np.ndarray:
        x = np.asarray(points, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != self.family.dim:
            raise ParameterError("points", f"have shape {x.shape}", f"(n, {self.family.dim})")
        if not np.all((x >= 0.0) & (x <= 1.0)):
            raise ParameterError("points", "leave the unit cube or are not numbers", "coordinates from 0 to 1")
        return x


@dataclass(frozen=True)
class ClassProperties:
    """Properties listed in Prop. 4, and the two that its users need, measured on a finite set of points.

    Attributes
    ----------
    lowest, highest : range of all values divided by ε; Prop. 4 allows -2 to 2
    norm : RKHS norm divided by Ψ, from the spectral density; at most 1
    restricted_norms : (smallest, largest) norm of the restrictions to the points, divided by Ψ; at most 1
    multiplicity : largest number of functions for which one point is ε-optimal; at most 1
    outside_regret : smallest regret outside a function's own cell divided by ε; at least 1 (used by Lemma 5)
    leakage : max_j Σ_m (max_{R_j} |f_m|)² / ε²; at most :func:`leakage_constant` (used by Lemma 6)
    peaks_at_centres : whether every function is largest, over the points, at the centre of its own cell
    """

    lowest: float
    highest: float
    norm: float
    restricted_norms: tuple[float, float]
    multiplicity: int
    outside_regret: float
    leakage: float
    peaks_at_centres: bool


def restricted_norms(values: Any, covariance: Any) -> np.ndarray:
    """√(f^T K^{-1} f) of functions on a finite set, shape (M,): the norm of the restriction, never above the full one.

    Where K is singular in float64, a multiple of the identity is added (as small as a Cholesky factor needs). That can
    only lower the result, so a value above Ψ still disproves ‖f‖ ≤ Ψ.

    Parameters
    ----------
    values : (M, N)
    covariance : K, (N, N)

    Raises
    ------
    ParameterError
        for shapes that do not fit
    """
    f, k = np.asarray(values, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
    if f.ndim != 2 or k.shape != (f.shape[1], f.shape[1]):
        raise ParameterError("covariance", f"has shape {k.shape}", f"({f.shape[-1]}, {f.shape[-1]})")
    for exponent in range(-16, -5):
        jitter = 10.0**exponent if exponent > -16 else 0.0
        try:
            factor = linalg.cholesky(k + jitter * np.eye(len(k)), lower=True)
        except linalg.LinAlgError:
            continue
        return np.linalg.norm(linalg.solve_triangular(factor, f.T, lower=True), axis=0)
    raise ParameterError("covariance", "has no Cholesky factor even with 1e-6 added", "a positive definite matrix")


def class_properties(hard: HardClass, points: Any) -> ClassProperties:
    """Measure the properties of Prop. 4 (and those behind Lemmas 5 and 6) on ``points``.

    Parameters
    ----------
    hard : the class
    points : (N, d) in [0,1]^d, best from :meth:`HardClass.grid`; the peaks must be among them
    """
    x = np.asarray(points, dtype=np.float64)
    scaled = hard.values(x) / hard.epsilon
    own = hard.cell_of(x)
    inside = own[None, :] == np.arange(hard.size)[:, None]
    per_cell = np.stack([np.abs(scaled[:, own == j]).max(axis=1) for j in np.unique(own)], axis=1)
    norms = restricted_norms(hard.values(x), hard.family.kernel(x)) / hard.family.norm
    outside = np.where(inside, -np.inf, scaled).max() if hard.size > 1 else -math.inf
    at_peak = np.array_equal(x[np.argmax(scaled, axis=1)], hard.centres())
    return ClassProperties(
        lowest=float(scaled.min()),
        highest=float(scaled.max()),
        norm=hard.norm / hard.family.norm,
        restricted_norms=(float(norms.min()), float(norms.max())),
        multiplicity=int((scaled >= 1.0).sum(axis=0).max()),
        outside_regret=2.0 - float(outside),
        leakage=float((per_cell**2).sum(axis=0).max()),
        peaks_at_centres=bool(at_peak),
    )
