r"""Certified gain of the box [0,1]^d: the upper end holds for every choice of T points of the continuum.

A design of few points certifies a bound with the largest score in it, :math:`s(x)=\sigma^{-2}\langle k_x,Ck_x\rangle`, where
:math:`0\preceq C\preceq\theta_0` (:mod:`companion.information.many` has the features, :mod:`companion.information.design` the
proof). On the box that maximum is bounded on a cover by cells, each with widths :math:`w_a`.

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

The lower end is the gain of points that were found: picks of a design on a core of points, then moved uphill.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy import linalg
from scipy.optimize import minimize
from scipy.stats import qmc

from companion.core.arrays import Floats, Indices, Integers
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.core.randomness import stream
from companion.gp.kernels import Kernel, Matern, SquaredExponential
from companion.gp.matrix import KernelMatrix
from companion.information.certificate import MAX_HORIZON, GainBracket, apportion
from companion.information.design import Certificate, Features, bound, charge, relax, shrinkage
from companion.information.gain import EPS, gain_of_copies
from companion.information.greedy import exchange, greedy_gain
from companion.information.many import Pivots

MAX_DIM = 20
CORE, SCAN, BEST = 1_500, 20_000, 300
"""Points of the core at first, those that a scan looks at, and those of them that are moved uphill."""
TURNS = 4
WORK = 2.5e11
"""Multiplications that the cover may take."""
TOLERANCE = 1e-2
"""Share of the bound that the cover may add before it is refined."""
_CHUNK, _TAIL_SHARE, _MOST_CORNERS, _POLISHED, _STEPS = 8_192, 1e-3, 2**16, 500, 40


@dataclass(frozen=True)
class BoxBracket(GainBracket):
    """Two-sided bound on the maximum information gain of T points of the box.

    Attributes
    ----------
    points : (n, d) coordinates of ``lower_points``
    cells : of the cover, when it was finished or the work allowed was done
    spent : whether the cover was still too coarse then, so that the upper end is wider than it need be
    """

    points: Floats = field(repr=False, compare=False)
    cells: int
    spent: bool


def gain_bracket_of_box(kernel: Kernel, dim: int, horizon: int, noise_variance: float) -> BoxBracket:
    """Two-sided bound on the maximum information gain of T points of [0,1]^d, any points, repeats allowed.

    Parameters
    ----------
    kernel : of the prior, squared exponential or Matern with nu of 1/2, 3/2 or above 2; length-scales may differ
    dim : d, up to 20
    horizon : T
    noise_variance : sigma^2

    Returns
    -------
    ``ends`` has ``one point`` (T times the gain of a single point) and ``factorization``

    Raises
    ------
    ParameterError
        for an argument out of range
    """
    dim, steps = whole_number("dim", dim, 1, MAX_DIM), whole_number("horizon", horizon, 1, MAX_HORIZON)
    noise, scales = positive_number("noise_variance", noise_variance), _scales(kernel, dim)
    error = interpolation(kernel)
    pool, weights, lower = _first(dim), None, _Lower(kernel, noise, steps)
    least, best, cells, spent = 0.5 * steps * np.log1p(float(kernel.variance) / noise), np.inf, 0, False
    generator = stream(0, "box")
    for turn in range(TURNS + 1):
        matrix, everywhere = KernelMatrix(kernel, pool), np.arange(len(pool))
        among = matrix.rows(everywhere, everywhere)
        if not turn:
            lower.greedy(pool, among)
        pivots = Pivots.of(matrix, everywhere, among, noise, 2.0 * _TAIL_SHARE * lower.gain / steps, 2 * steps + 200)
        features, start = pivots.features(everywhere), np.full(len(pool), 1.0 / len(pool))
        if weights is not None:
            start[: len(weights)] = 0.9 * weights + 0.1 * start[: len(weights)]
        found = relax(features, steps, start / start.sum(), 25 if turn else 40, 2e-3)
        weights = found.weights
        lower.offer(pool, apportion(weights, steps), "rounding")
        if least <= 1.005 * lower.gain:  # no two points tell of each other
            cells = 1
            break
        score = Score.of(pivots, found, features, steps)
        at_core = float(score(pool).max())
        if turn < TURNS:
            places, scores = _scan(score, pool[np.argsort(-weights)[: BEST // 4]], dim, generator)
            new = scores > at_core * 1.001
            if new.any():
                pool = np.concatenate([pool, places[new]])
                continue
        top, cells, spent, places = cover(score, scales, at_core, error)
        best = min(best, score.bound(top))
        if turn == TURNS or spent or not len(places):
            break
        pool = np.concatenate([pool, places])
    if weights is not None and least > 1.005 * lower.gain:
        lower.polish(pool, weights)
    ends = {"one point": float(least * (1 + 16 * EPS)), "factorization": float(best)}
    name = min(ends, key=ends.__getitem__)
    where, copies = lower.picks
    picks = np.arange(len(where))
    return BoxBracket(
        steps, noise, lower.gain, ends[name], name, lower.source, ends, picks, copies, where, cells, spent
    )


def _scales(kernel: Kernel, dim: int) -> Floats:
    scales = np.atleast_1d(np.asarray(kernel.lengthscale, dtype=float))
    if len(scales) not in (1, dim):
        raise ParameterError("lengthscale", f"has {len(scales)} entries", f"one number or {dim}, one per dimension")
    return np.broadcast_to(scales, (dim,))


def _first(dim: int) -> Floats:
    """Sobol points of a box somewhat larger, put back onto this one's faces, where designs like to be, and its corners."""
    sobol = qmc.Sobol(dim, rng=stream(0, "box", "sobol")).random(2**10)
    spread = np.clip((sobol - 0.5) * (1.0 + 0.5 / dim) + 0.5, 0.0, 1.0)
    corners = np.array(list(product((0.0, 1.0), repeat=dim))) if dim <= 9 else np.round(sobol[:500])
    return np.unique(np.concatenate([spread, corners]), axis=0)


def interpolation(kernel: Kernel) -> Callable[[float], float]:
    """e(t): what linear interpolation over t length-scales may miss of a function of norm 1, per prior standard deviation."""
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
        loads, axes = linalg.eigh(core.phi.T @ (found.weights[:, None] * core.phi), check_finite=False)
        loads, axes = np.maximum(loads[::-1], 0.0)[:, None] * horizon, axes[:, ::-1]
        theta, levels = shrinkage(loads, np.array([horizon * float(found.weights @ found.tail)]), horizon)
        floor, near = float(max(levels[0], theta.max())), min(horizon, len(theta))
        charged = float(charge(theta, levels, near)[0])
        charged += (horizon - near) * float(levels[0] - 1 - np.log(levels[0]))
        less = floor - theta[:, 0]
        used = less > 0
        return cls(pivots, axes[:, used], less[used], floor, charged, horizon)

    @property
    def prior(self) -> float:
        """What no score exceeds."""
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


def _scan(score: Score, starts: Floats, dim: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """High places of the score: the best of many points and of the design, moved uphill along the axes."""
    looked = generator.uniform(-0.1, 1.1, size=(SCAN, dim)).clip(0.0, 1.0)
    best = np.argpartition(score(looked), -BEST)[-BEST:]
    places = np.concatenate([looked[best], starts])
    values, step = score(places), np.full(len(places), 0.05)
    for _ in range(12):
        moved = np.zeros(len(places), dtype=bool)
        for axis in range(dim):
            for sign in (-1.0, 1.0):
                tried = places.copy()
                tried[:, axis] = np.clip(tried[:, axis] + sign * step, 0.0, 1.0)
                there = score(tried)
                better = there > values
                places[better], values[better] = tried[better], there[better]
                moved |= better
        step[~moved] *= 0.5
    return places, values


# -- the cover ---------------------------------------------------------------------------------------------------------


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
            best = np.argsort(-scores)[:BEST]
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


# -- the lower end -----------------------------------------------------------------------------------------------------


class _Lower:
    """The best points so far."""

    def __init__(self, kernel: Kernel, noise: float, horizon: int) -> None:
        self.kernel, self.noise, self.horizon = kernel, noise, horizon
        self.gain, self.source = 0.0, ""
        self.picks: tuple[Floats, Integers] = (np.zeros((0, 1)), np.zeros(0, dtype=np.int64))

    def greedy(self, pool: Floats, among: Floats) -> None:
        """Greedy picks; beyond a path's end they are repeated in proportion."""
        path = greedy_gain(among, min(self.horizon, 1_500), self.noise)
        counts = np.bincount(path.indices, minlength=len(pool))
        whole = self.horizon == len(path.indices)
        self.offer(pool, counts if whole else apportion(counts / counts.sum(), self.horizon), "greedy")

    def offer(self, points: Floats, copies: Integers, source: str) -> None:
        """Picks: ``copies`` of each of the points (n, d)."""
        used = np.flatnonzero(copies)
        points, copies = points[used], copies[used]
        gain = gain_of_copies(self.kernel(points), np.arange(len(points)), copies, self.noise)
        if gain > self.gain:
            self.gain, self.source, self.picks = gain, source, (points, copies)

    def polish(self, pool: Floats, weights: Floats) -> None:
        """By exchanges with the points where the design has weight, then by moving all uphill at once."""
        points, copies = self.picks
        if self.horizon <= 2_000:
            points = np.unique(np.concatenate([points, pool[np.argsort(-weights)[:_POLISHED]]]), axis=0)
            where = {tuple(point): place for place, point in enumerate(points)}
            picks = np.repeat([where[tuple(point)] for point in self.picks[0]], copies)
            better = exchange(self.kernel(points), picks, self.noise, 2)
            self.offer(points, np.bincount(better, minlength=len(points)), "exchange")
        points, copies = self.picks
        if len(points) > _POLISHED or (isinstance(self.kernel, Matern) and self.kernel.nu not in (1.5, 2.5)):
            return
        moved = minimize(
            self._downhill,
            points.ravel(),
            args=copies,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, 1.0)] * points.size,
            options={"maxiter": _STEPS},
        )
        self.offer(np.clip(moved.x.reshape(points.shape), 0.0, 1.0), copies, "moved")

    def _downhill(self, flat: Floats, copies: Integers) -> tuple[float, Floats]:
        """Less the gain, and its gradient."""
        scales = np.asarray(self.kernel.lengthscale)
        points, root = flat.reshape(len(copies), -1) / scales, np.sqrt(copies / self.noise)
        squared = ((points[:, None] - points) ** 2).sum(axis=2)
        matrix = self.kernel.radial(squared) * np.outer(root, root)
        matrix[np.diag_indices_from(matrix)] += 1.0
        factor = linalg.cho_factor(matrix, lower=True, check_finite=False)
        inner = linalg.cho_solve(factor, np.eye(len(root)), check_finite=False) * np.outer(root, root)
        pull = inner * self.kernel.derivative(squared)
        gradient = 2.0 * (pull.sum(axis=1)[:, None] * points - pull @ points) / scales
        return -float(np.log(np.diagonal(factor[0])).sum()), -gradient.ravel()
