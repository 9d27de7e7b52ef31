r"""Certified gain of the box [0,1]^d: the upper end holds for every choice of T points of the continuum.

A design of few points certifies a bound with the largest score in it (:mod:`companion.information.large_sets` has the features,
:mod:`companion.information.design` the proof). On the box that maximum is bounded by :mod:`companion.information.cover`. Scans
and the cover add the places of high scores to the core, as long as there are some.

Where no upper end is near the lower one, the box is cut into M equal parts. The gain is submodular and 0 of no points, so that
of points A is at most the sum of those of :math:`A_j=A\cap` part j. A shrinkage certifies for a part, scaled to the box,
:math:`\gamma_t\le U(t)`, t/2 times the largest score and half the sum of the t largest :math:`h(\theta)`: concave in t, and 0 at
0. With :math:`t_1+\dots+t_M=T`

.. math:: \gamma_T\le\max\sum_jU(t_j)\le M\,U(T/M)\le M\,U(\lceil T/M\rceil).

The squared exponential kernel has another upper end, by :mod:`companion.information.product`.

The lower end is the gain of points that were found: picks of a design on a core of points, then moved uphill.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from scipy import linalg
from scipy.stats import qmc

from companion.core.arrays import Floats, Integers
from companion.core.calls import one_line
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.core.randomness import stream
from companion.gp.kernels import Kernel, Matern, SquaredExponential
from companion.gp.matrix import KernelMatrix
from companion.gp.optimise import climbed, descended
from companion.information.cover import Score, cover, interpolation
from companion.information.design import relax_on
from companion.information.gain import EPS, gain_from_below, gain_of_copies
from companion.information.gain_bounds import MAX_HORIZON, GainBracket, apportion
from companion.information.greedy import exchange, greedy_gain
from companion.information.large_sets import Pivots
from companion.information.product import product_bound

MAX_DIM = 20
#: Of a curve over horizons one in so many is certified by itself.
ANCHORS = 4
#: Points that a scan looks at, those of them that are moved uphill, and scans at most.
SCAN, BEST, TURNS = 20_000, 300, 4
#: Longest greedy path; dimensions of bounds by products; upper over lower end above which the box is cut.
PATH, PRODUCT_DIM, WIDE = 1_500, 6, 1.05
#: Share of the gain that what features leave out may add, of the box and of its parts; points looked at; of the first core.
LEFT, LOOKED, FIRST = (0.05, 0.065), 1_000, 2**10
_TAIL_SHARE, _POLISHED, _STEPS = 1e-3, 500, 40


@dataclass(frozen=True)
class UnitBox:
    """All points of [0,1]^d and a kernel on them, where others have a covariance of candidates."""

    kernel: Kernel
    dim: int

    def diagonal(self) -> Floats:
        """k(x, x) of one point, and so of all."""
        return np.array([float(self.kernel.variance)])


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

    __repr__ = one_line


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
    ``ends`` has ``one point`` (T times the gain of a single point) and, where they were found, ``factorization`` (of the box),
    ``parts`` (of its parts) and ``product``

    Raises
    ------
    ParameterError
        for an argument out of range

    Examples
    --------
    >>> import companion as cp
    >>> from companion.information.box import gain_bracket_of_box
    >>> bracket = gain_bracket_of_box(cp.SquaredExponential(0.3), 1, horizon=10, noise_variance=0.01)
    >>> print(f"{bracket.lower:.1f} to {bracket.upper:.1f} nats")
    11.5 to 11.6 nats
    """
    dim, steps = whole_number("dim", dim, 1, MAX_DIM), whole_number("horizon", horizon, 1, MAX_HORIZON)
    noise, scales = positive_number("noise_variance", noise_variance), _scales(kernel, dim)
    error, lower = interpolation(kernel), _Lower(kernel, noise, steps)
    one = 0.5 * steps * np.log1p(float(kernel.variance) / noise)
    ends = {"one point": float(one * (1 + 16 * EPS))}
    if isinstance(kernel, SquaredExponential) and dim <= PRODUCT_DIM:
        ends["product"] = product_bound(kernel, scales, steps, noise)
    found = _certified(scales, lower, error, min(ends.values()), LEFT[0])
    if found is None:  # no two points tell of each other
        return _bracket(lower, ends, 1, False)
    best, cells, spent, pool, weights = found
    ends["factorization"] = best
    if steps > FIRST // 2:
        lower.more(dim)
    lower.polish(pool, weights)
    cuts = np.ones(dim, dtype=np.int64)
    while min(ends.values()) > WIDE * lower.gain and 4 * cuts.prod() <= steps:
        least = 3 * cuts.prod()
        while cuts.prod() < least:
            cuts[np.argmin(cuts * scales)] += 1
        count, known = int(cuts.prod()), min(ends.values())
        part = replace(kernel, lengthscale=tuple(scales * cuts))
        found = _certified(scales * cuts, _Lower(part, noise, -(-steps // count)), error, known / count, LEFT[1])
        if found is None or (found[0] * count >= known and not found[2]):
            break
        if found[0] * count < known:
            ends["parts"], cells, spent = found[0] * count, *found[1:3]
        elif found[0] < np.inf:
            break
    return _bracket(lower, ends, cells, spent)


def _bracket(lower: _Lower, ends: dict[str, float], cells: int, spent: bool) -> BoxBracket:
    name = min(ends, key=ends.__getitem__)
    where, copies = lower.picks
    picks = np.arange(len(where))
    least = gain_from_below(lower.kernel(where), picks, copies, lower.noise)
    ends = {name: end for name, end in ends.items() if end < np.inf}
    return BoxBracket(
        lower.horizon, lower.noise, least, ends[name], name, lower.source, ends, picks, copies, where, cells, spent
    )


def _certified(
    scales: Floats, lower: _Lower, error: Callable[[float], float], known: float, share: float
) -> tuple[float, int, bool, Floats, Floats] | None:
    """Upper end of a design on a core of points, cells and whether the work was spent, core and design, where there is one.

    Infinite where what the features leave out would add more than a ``share`` of the gain, or the design promises no less than
    ``known``, an upper end.
    """
    kernel, noise, steps, dim = lower.kernel, lower.noise, lower.horizon, len(scales)
    one = 0.5 * steps * np.log1p(float(kernel.variance) / noise)
    pool, weights, best, cells, spent = _first(dim), None, np.inf, 0, False
    generator = stream(0, "box")
    for turn in range(TURNS + 1):
        matrix, everywhere = KernelMatrix(kernel, pool), np.arange(len(pool))
        among = matrix.rows(everywhere, everywhere)
        if not turn:
            lower.greedy(pool, among)
        pivots = Pivots.of(matrix, everywhere, among, noise, 2.0 * _TAIL_SHARE * lower.gain / steps, 2 * steps + 200)
        left = pivots.features_of(generator.uniform(size=(LOOKED, dim))).tail.mean()
        if not turn and 0.5 * steps * left * np.exp(-2.0 * lower.gain / steps) > share * lower.gain:
            return np.inf, 0, True, pool, np.ones(len(pool))
        features = pivots.features(everywhere)
        found = relax_on(features, steps, weights, 25 if turn else 40, 2e-3)
        weights = found.weights
        lower.offer(pool, apportion(weights, steps), "rounding")
        if one <= 1.005 * lower.gain:
            return None
        score = Score.of(pivots, found, features, steps)
        at_core = float(score(pool).max())
        if score.bound(at_core) >= known:
            break
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
    assert weights is not None
    return best, cells, spent, pool[: len(weights)], weights


def gain_curve_of_box(
    box: UnitBox, horizons: Sequence[int], noise_variance: float, total: int
) -> tuple[BoxBracket, ...]:
    r"""Brackets at several horizons: certified at ``total`` and at anchors, a factor of four apart, from which the others follow.

    .. math:: \gamma_s\le\gamma_t\le\frac ts\gamma_s,\qquad s\le t

    The gain is submodular: of t picks, s chosen at random have in the mean at least s/t of the gain of all (Han, 1978).

    Parameters
    ----------
    horizons : in any order
    total : an anchor, whose bracket is that of :func:`gain_bracket_of_box`; no bracket below twice as many picks depends on
        which horizons are asked for

    Returns
    -------
    In the order of ``horizons``. Between anchors ``ends`` has ``fewer picks`` and ``more picks``, and the points of the
    lower end are those of the anchor below, fewer than the horizon.
    """

    def certified(picks: int) -> BoxBracket:
        return gain_bracket_of_box(box.kernel, box.dim, picks, noise_variance)

    found = [certified(total)]
    while found[0].horizon > 1:
        found.insert(0, certified(-(-found[0].horizon // ANCHORS)))
    near, farthest = tuple(found), max(horizons)
    while farthest >= 2 * total and found[-1].horizon < farthest:
        found.append(certified(min(ANCHORS * found[-1].horizon, farthest)))
    return tuple(_between(near if picks < 2 * total else found, picks) for picks in horizons)


def _between(anchors: Sequence[BoxBracket], picks: int) -> BoxBracket:
    """Bracket implied by the brackets of other numbers of picks."""
    below = [each for each in anchors if each.horizon <= picks]
    if below[-1].horizon == picks:
        return below[-1]
    ends = {"fewer picks": min(each.upper * (picks / each.horizon) for each in below) * (1 + 4 * EPS)}
    ends |= {"more picks": min(more)} if (more := [each.upper for each in anchors if each.horizon > picks]) else {}
    name = min(ends, key=ends.__getitem__)
    return replace(below[-1], horizon=picks, upper=ends[name], source=name, ends=ends)


def _scales(kernel: Kernel, dim: int) -> Floats:
    scales = np.atleast_1d(np.asarray(kernel.lengthscale, dtype=float))
    if len(scales) not in (1, dim):
        raise ParameterError("lengthscale", f"has {len(scales)} entries", f"one number or {dim}, one per dimension")
    return np.broadcast_to(scales, (dim,))


def _first(dim: int, count: int = FIRST) -> Floats:
    """Sobol points of a box somewhat larger, put back onto this one's faces, where designs like to be, and its corners."""
    sobol = qmc.Sobol(dim, rng=stream(0, "box", "sobol")).random(count)
    spread = np.clip((sobol - 0.5) * (1.0 + 0.5 / dim) + 0.5, 0.0, 1.0)
    corners = np.array(list(product((0.0, 1.0), repeat=dim))) if dim <= 9 else np.round(sobol[:500])
    return np.unique(np.concatenate([spread, corners]), axis=0)


def _scan(score: Score, starts: Floats, dim: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """High places of the score: the best of many points and of the design, moved uphill along the axes."""
    looked = generator.uniform(-0.1, 1.1, size=(SCAN, dim)).clip(0.0, 1.0)
    best = np.argpartition(score(looked), -BEST)[-BEST:]
    return climbed(score, np.concatenate([looked[best], starts]))


# -- the lower end -----------------------------------------------------------------------------------------------------


class _Lower:
    """The best points so far."""

    def __init__(self, kernel: Kernel, noise: float, horizon: int) -> None:
        self.kernel, self.noise, self.horizon = kernel, noise, horizon
        self.gain, self.source = 0.0, ""
        self.picks: tuple[Floats, Integers] = (np.zeros((0, 1)), np.zeros(0, dtype=np.int64))

    def greedy(self, pool: Floats, among: Floats) -> None:
        """Greedy picks; beyond a path's end they are repeated in proportion."""
        path = greedy_gain(among, min(self.horizon, PATH), self.noise)
        counts = np.bincount(path.indices, minlength=len(pool))
        whole = self.horizon == len(path.indices)
        self.offer(pool, counts if whole else apportion(counts / counts.sum(), self.horizon), "greedy")

    def more(self, dim: int) -> None:
        """Greedy picks among more points; beyond a path's end also all of these points alike."""
        pool = _first(dim, 4 * FIRST)
        self.greedy(pool, self.kernel(pool))
        if self.horizon > PATH:
            self.offer(pool, apportion(np.full(len(pool), 1.0 / len(pool)), self.horizon), "even")

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
        moved = descended(lambda flat: self._downhill(flat, copies), points.ravel(), 0.0, 1.0, _STEPS)
        self.offer(np.clip(moved.reshape(points.shape), 0.0, 1.0), copies, "moved")

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
