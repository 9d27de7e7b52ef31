r"""The gain of the box under the squared exponential kernel, from above: features that are products over the axes.

The kernel is :math:`k(x,y)=k_0\prod_ak_a(x_a,y_a)`. Of each axis take n points Z, :math:`LL^T=k_a(Z,Z)+\varepsilon I`, an
orthogonal U, and :math:`\psi_a(t)=U^TL^{-1}k_a(Z,t)`. What :math:`\psi_a^T\psi_a` leaves of :math:`k_a` is positive semi-definite
(:mod:`companion.information.large_sets`), and so is what the product of these leaves of k: with :math:`A\succeq B\succeq0` and
:math:`A'\succeq B'\succeq0`, :math:`A\circ A'\succeq B\circ B'` (Schur). Hence
:math:`\phi_\alpha(x)=\sigma^{-1}\sqrt{k_0}\prod_a\psi_{a,\alpha_a}(x_a)`, or some of them, are features in the sense of
:mod:`companion.information.design`, and every diagonal shrinkage certifies a bound, with the score

.. math:: s(x)=\sigma^{-2}k_0\Big(\theta_0-\sum_\alpha(\theta_0-\theta_\alpha)\prod_a\psi_{a,\alpha_a}(x_a)^2\Big),

on a grid by contractions of a tensor, and between by interpolation (:mod:`companion.information.cover`). U diagonalises a design
of one axis; the design of the box is on a grid, and counts with the diagonal of its second moments; U makes the rest small.

Rounding: each :math:`\psi_a` is off by :math:`\eta=4n^2\epsilon/\sqrt\varepsilon` of length 1 at most, by n solutions of a
triangular system of condition :math:`\sqrt{n/\varepsilon}`, and a score by :math:`4d\eta k_0/\sigma^2`, which is added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from companion.core.arrays import Floats
from companion.gp.kernels import SquaredExponential
from companion.information.cover import interpolation, shrunk
from companion.information.design import Features, bound, loads_and_axes, relax_on
from companion.information.gain import EPS

#: Shift of the covariance of an axis' points, and picks of an axis whose designs give U.
_SHIFT, _PICKS = 1e-9, (10, 30, 100)
#: Features, places of a design, and places where scores are computed, at most; most of these along an axis; rounds of a design.
_FEATURES, _PLACES, _SCORES, _ALONG, _ROUNDS = 120_000, 60_000, 2e8, 801, 40


def product_bound(kernel: SquaredExponential, scales: Floats, horizon: int, noise_variance: float) -> float:
    """Upper end of the gain of T points of the box with length-scales (d,), in nats."""
    ratio, dim, error = float(kernel.variance) / noise_variance, len(scales), interpolation(kernel)
    found = [_design([_Axis.of(float(each), ratio, picks, dim) for each in scales], horizon, ratio) for picks in _PICKS]
    _, axes, less, floor, charged = min(found, key=lambda each: each[0])
    places = np.linspace(0.0, 1.0, min(int(_SCORES ** (1 / dim)), _ALONG))
    squares = [each.squares(places) for each in axes]
    least = min(float(_along(less, [row[None], *squares[1:]]).min()) for row in squares[0])
    size = max(len(each.points) for each in axes)
    top = ratio * (max(floor - least, 0.0) + floor * 16 * dim * size**2 * EPS / np.sqrt(_SHIFT))
    far = np.sqrt(floor * ratio) * sum(error(float(places[1] / scale)) for scale in scales)
    times, top = np.array([float(horizon)]), min((np.sqrt(top) + far) ** 2, floor * ratio) * (1 + 16 * EPS)
    return float(bound(times, np.array([top]), np.array([charged]), size * dim, float(np.sqrt(ratio)))[0])


@dataclass(frozen=True, eq=False)
class _Axis:
    """Z (n,), and what maps covariances with Z to psi (n, m)."""

    kernel: SquaredExponential
    points: Floats
    mapped: Floats

    @classmethod
    def of(cls, scale: float, ratio: float, picks: int, dim: int) -> _Axis:
        """With the leading axes of a design for so many picks."""
        kernel, where = SquaredExponential(scale), np.linspace(0.0, 1.0, 81)[:, None]
        points = _towards_the_ends(int(min(12 + 2.5 / scale, 150)))
        root = linalg.cholesky(kernel(points[:, None]) + _SHIFT * np.eye(len(points)), lower=True)
        phi = linalg.solve_triangular(root, kernel(points[:, None], where), lower=True).T * np.sqrt(ratio)
        own = Features(phi, np.maximum(ratio - (phi**2).sum(axis=1), 0.0))
        design = relax_on(own, picks, None, 100, 1e-3)
        axes = loads_and_axes(design.weights, own)[1][:, : int(_FEATURES ** (1 / dim))]
        return cls(kernel, points, linalg.solve_triangular(root, axes, lower=True, trans=1))

    def squares(self, places: Floats) -> Floats:
        """psi squared, (places, m)."""
        return np.asarray((self.kernel(places[:, None], self.points[:, None]) @ self.mapped) ** 2)


_Design = tuple[float, list[_Axis], Floats, float, float]


def _design(axes: list[_Axis], horizon: int, ratio: float) -> _Design:
    """The bound on the design's grid, the axes, theta_0 less theta, theta_0, and the charge of the best design met."""
    places = _towards_the_ends(min(int(_PLACES ** (1 / len(axes))), 33))
    squares, best = [each.squares(places) for each in axes], list[_Design]()
    weights = np.full((len(places),) * len(axes), float(len(places)) ** -len(axes))
    for _ in range(_ROUNDS):
        loads = ratio * _along(weights, [each.T for each in squares])
        order, less = np.argsort(-loads, axis=None), np.empty(loads.shape)
        theta, floor, charged = shrunk(loads.ravel()[order] * horizon, horizon * max(ratio - loads.sum(), 0.0), horizon)
        less.flat[order] = floor - theta
        scores = ratio * np.maximum(floor - _along(less, squares), 0.0)
        best.append((0.5 * (horizon * float(scores.max()) + charged), axes, less, floor, charged))
        best = [min(best, key=lambda each: each[0])]
        weights = weights * (scores / scores.max()) ** 1.5
        weights /= weights.sum()
    return best[0]


def _towards_the_ends(count: int) -> Floats:
    return np.asarray(0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, count)))


def _along(tensor: Floats, maps: list[Floats]) -> Floats:
    """A tensor (m_1, ..., m_d) at (places, m_a) of each axis."""
    for each in maps:
        tensor = np.tensordot(tensor, each, axes=(0, 1))
    return tensor
