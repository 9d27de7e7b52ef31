r"""The largest score of a design on the box [0,1]^d, from above, by a cover of cells.

A design of few points certifies a bound with the largest score in it, :math:`s(x)=\sigma^{-2}\langle k_x,Ck_x\rangle`, where
:math:`0\preceq C\preceq\theta_0` (:mod:`companion.information.large_sets` has the features,
:mod:`companion.information.design` the proof). On the box that maximum is bounded on a cover by cells, each with widths
:math:`w_a`.

``corners``. Multilinear interpolation of :math:`x\mapsto k_x` from the corners of a cell is off by at most
:math:`\sqrt{k_0}\sum_ae(w_a/\ell_a)` in the norm of the RKHS, and :math:`\sqrt{s}` is a norm of :math:`k_x`. Hence

.. math:: \sqrt{s(x)}\le\max_{\text{corners }v}\sqrt{s(v)}+\sigma^{-1}\sqrt{\theta_0k_0}\,\sum_ae(w_a/\ell_a).

Along an axis the error is the largest of an interpolated function of norm 1, which has

- two derivatives in the mean square, :math:`|f''|\le\sqrt{k''''(0)}`, so :math:`e(t)=\tfrac18\sqrt{k''''(0)}\,t^2`: with
  :math:`k''''(0)=3` for the squared exponential, and :math:`3\nu^2/((\nu-1)(\nu-2))` for a Matérn kernel with :math:`\nu>2`;
- for :math:`\nu=3/2` a second derivative with :math:`\int f''^2\le4\cdot3^{3/2}`: :math:`e(t)=(\sqrt3t)^{3/2}/\sqrt{12}`;
- for :math:`\nu=1/2` a derivative with :math:`\int f'^2\le2`: :math:`e(t)=\sqrt{t/2}`.

``centre``, for :math:`\nu=1/2`. With :math:`s(x)=\sigma^{-2}(\theta_0k_0-k_Z(x)^TMk_Z(x))`, M positive semi-definite, and
:math:`\alpha=Mk_Z(c)` at the centre c, :math:`s(x)\le s(c)-2\sigma^{-2}\sum_i\alpha_i(k(x,z_i)-k(c,z_i))`, and within distance
:math:`\rho` (in length-scales) :math:`e^{-\rho}\le k(x,z_i)/k(c,z_i)\le e^\rho`.

Cells whose bound is above the target are halved, along the axis where that helps most, until none is left or the work allowed is
done. Whatever is left then counts with its bound: the answer is an upper end all the same, and wider.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import linalg

from companion.core.arrays import Floats, Indices, Integers
from companion.core.errors import ParameterError
from companion.gp.kernels import Kernel, Matern, SquaredExponential
from companion.information.design import Certificate, Features, bound, charge, loads_and_axes, shrinkage
from companion.information.gain import EPS
from companion.information.large_sets import Pivots

#: Multiplications that the cover may take.
WORK = 1e11
#: Share of the bound that the cover may add before it is refined.
TOLERANCE = 1e-2
#: Most places of a generation that are told for the core.
NAMED = 300
_CHUNK = 8_192


def shrunk(loads: Floats, tail_load: float, horizon: int) -> tuple[Floats, float, float]:
    """theta (r,), theta_0 and what the bound counts for the eigenvalues, for T points with these descending loads."""
    theta, levels = shrinkage(loads[:, None], np.array([tail_load]), horizon)
    near = min(horizon, len(theta))
    beyond = (horizon - near) * float(levels[0] - 1 - np.log(levels[0]))
    return theta[:, 0], float(max(levels[0], theta.max())), float(charge(theta, levels, near)[0]) + beyond


def interpolation(kernel: Kernel) -> Callable[[float], float]:
    """e(t): what linear interpolation over t length-scales may miss of a function of norm 1, per prior standard deviation.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.information.cover import interpolation
    >>> print(f"{interpolation(cp.SquaredExponential(0.2))(0.1):.5f}, {interpolation(cp.Matern(0.5, 0.2))(0.1):.3f}")
    0.00217, 0.224
    """
    if isinstance(kernel, SquaredExponential):
        return lambda t: 0.125 * np.sqrt(3.0) * t**2
    nu = kernel.nu
    if nu > 2:
        return lambda t: 0.125 * nu * np.sqrt(3.0 / ((nu - 1) * (nu - 2))) * t**2
    if nu == 1.5:
        return lambda t: (np.sqrt(3.0) * t) ** 1.5 / np.sqrt(12.0)
    if nu == 0.5:
        return lambda t: np.sqrt(t / 2)
    raise ParameterError("nu", f"got {nu!r}", "1/2, 3/2, or above 2, for the gain of a box")


@dataclass(frozen=True, eq=False)
class Score:
    """s of a design, at any points of the box.

    Parameters
    ----------
    pivots : the points Z
    axes, kept : (r, m) directions that the design shrinks more than the rest, and theta_0 less their theta
    floor : theta_0
    charged : what the bound counts for the eigenvalues
    horizon : T
    """

    pivots: Pivots
    axes: Floats
    kept: Floats
    floor: float
    charged: float
    horizon: int

    @classmethod
    def of(cls, pivots: Pivots, found: Certificate, core: Features, horizon: int) -> Score:
        """That of a design on the core."""
        loads, axes = loads_and_axes(found.weights, core)
        tail = horizon * float(found.weights @ found.tail)
        theta, floor, charged = shrunk(loads * horizon, tail, horizon)
        less = floor - theta
        used = less > 0
        return cls(pivots, axes[:, used], less[used], floor, charged, horizon)

    @property
    def prior(self) -> float:
        """Largest possible score."""
        return self.floor * (float(self.pivots.matrix.kernel.variance) / self.pivots.noise + self.pivots.slack)

    @property
    def work(self) -> float:
        """Multiplications for a point."""
        rank = len(self.pivots.chosen)
        return rank * (rank + 2.0 * len(self.kept) + 60.0)

    def __call__(self, points: Floats) -> Floats:
        """Scores (n,) of points (n, d)."""
        return np.concatenate([self._of(points[i : i + _CHUNK])[0] for i in range(0, len(points), _CHUNK)])

    def _of(self, points: Floats) -> tuple[Floats, Floats]:
        own = self.pivots.features_of(points)
        along = own.phi @ self.axes
        whole = (own.phi**2).sum(axis=1) + own.tail
        return np.maximum(self.floor * whole - (along**2) @ self.kept, 0.0), along

    def near(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Scores of points, and what the weights alpha of each add up to with k(x, z): the positive ones, and the negative."""
        scores, losing, gaining = np.empty((3, len(points)))
        chosen, root = self.pivots.matrix.points[self.pivots.chosen], self.pivots.root
        for i in range(0, len(points), _CHUNK):
            at = slice(i, i + _CHUNK)
            scores[at], along = self._of(points[at])
            beta = (along * self.kept) @ self.axes.T
            alpha = linalg.solve_triangular(root, beta.T, lower=True, trans=1, check_finite=False)
            alpha *= self.pivots.matrix.kernel(chosen, points[at]) / np.sqrt(self.pivots.noise)
            losing[at] = np.maximum(alpha, 0.0).sum(axis=0)
            gaining[at] = losing[at] - alpha.sum(axis=0)
        return scores, losing, gaining

    def bound(self, top: float) -> float:
        """The upper end where no score on the box exceeds ``top``."""
        rank, longest = len(self.pivots.chosen), float(np.sqrt(self.prior / self.floor))
        times = np.array([float(self.horizon)])
        return float(bound(times, np.array([top]), np.array([self.charged]), rank, longest)[0])


def cover(
    score: Score, scales: Floats, known: float, error: Callable[[float], float]
) -> tuple[float, int, bool, Floats]:
    """The largest score on the box, from above.

    Parameters
    ----------
    score, scales : of the design, and the length-scales (d,)
    known : a score that is reached somewhere
    error : :func:`interpolation` of the kernel

    Returns
    -------
    bound, number of cells, whether the work was spent before the target was reached, and (n, d) places with a score that
    exceeds ``known`` by more than the target
    """
    kernel, dim = score.pivots.matrix.kernel, len(scales)
    rough = isinstance(kernel, Matern) and kernel.nu == 0.5
    allowed = 2.0 * TOLERANCE * score.bound(known) / score.horizon
    amplitude = np.sqrt(score.prior)
    found, done, cells, target, work = known, 0.0, 0, known + allowed, 0.0
    corners = np.array(list(product((0, 1), repeat=dim))) if not rough and dim <= 16 else np.zeros((0, dim), dtype=int)
    lowest, counts = np.zeros((1, dim), dtype=np.int64), np.ones(dim, dtype=np.int64)
    seen, values, tops = np.zeros((0, dim), dtype=np.int64), np.zeros(0), np.array([score.prior])
    places: list[Floats] = []
    while len(lowest):
        widths = 1.0 / (counts * scales)
        if rough:
            points = (lowest + 0.5) / counts
        else:
            fresh, seen, values = _corners(lowest, corners, counts, seen, values)
            points = seen[fresh] / counts
        work += len(points) * score.work * (1.6 if rough else 1.0)
        if work > WORK or not (rough or len(corners)) or np.log2(counts + 1.0).sum() > 62:
            return min(max(done, float(tops.max())), score.prior), cells + len(lowest), True, _few(places, dim)
        if rough:
            scores, losing, gaining = score.near(points)
            radius = 0.5 * np.sqrt((widths**2).sum())
            tops = scores - 2 * np.expm1(-radius) * losing + 2 * np.expm1(radius) * gaining
            tops += 3 * score.floor * score.pivots.slack
        else:
            scores = values[fresh] = score(points)
            far = amplitude * sum(error(float(width)) for width in widths)
            tops = (np.sqrt(values[_places_of(lowest, corners, counts, seen)].max(axis=1)) + far) ** 2
        tops = np.minimum(tops, score.prior) * (1 + 16 * EPS)
        if scores.size and scores.max() > found:
            best = np.argsort(-scores)[:NAMED]
            places.append(points[best[scores[best] > known + 0.5 * allowed]])
            found = float(scores.max())
            target = max(target, found + 0.5 * allowed)
        above = tops > target
        cells += int((~above).sum())
        done = max(done, float(tops[~above].max(initial=0.0)))
        lowest, tops = lowest[above], tops[above]
        axis = int(np.argmax([error(float(width)) for width in widths]))
        lowest, seen, counts = lowest.copy(), seen.copy(), counts.copy()
        for each in (lowest, seen, counts):
            each[..., axis] *= 2
        upper = lowest.copy()
        upper[:, axis] += 1
        lowest, tops = np.concatenate([lowest, upper]), np.concatenate([tops, tops])
    return done, cells, False, _few(places, dim)


def _few(places: list[Floats], dim: int) -> Floats:
    return np.unique(np.concatenate([np.zeros((0, dim)), *places]), axis=0)


def _keys(at: Integers, counts: Integers) -> Integers:
    """One number for each corner of the cells."""
    return np.ravel_multi_index(tuple(at.T), tuple(counts + 1))


def _corners(
    lowest: Integers, offsets: Integers, counts: Integers, seen: Integers, values: Floats
) -> tuple[Indices, Integers, Floats]:
    """Corners of the cells, sorted by key, with the values that are known, and the places of those that are not."""
    keys = (
        np.unique(np.concatenate([_keys(lowest + offset, counts) for offset in offsets]))
        if len(offsets)
        else np.zeros(0, dtype=np.int64)
    )
    at = np.stack(np.unravel_index(keys, tuple(counts + 1)), axis=1)
    old = _keys(seen, counts)
    order = np.argsort(old)
    place = np.searchsorted(old, keys, sorter=order) if len(old) else np.zeros(len(keys), dtype=np.intp)
    place = order[np.minimum(place, len(old) - 1)] if len(old) else place
    known = old[place] == keys if len(old) else np.zeros(len(keys), dtype=bool)
    now = np.full(len(keys), np.nan)
    now[known] = values[place[known]]
    return np.flatnonzero(~known), at, now


def _places_of(lowest: Integers, offsets: Integers, counts: Integers, seen: Integers) -> Indices:
    """(n, 2^d) places in the sorted list of corners."""
    keys = _keys(seen, counts)
    return np.stack([np.searchsorted(keys, _keys(lowest + offset, counts)) for offset in offsets], axis=1)
