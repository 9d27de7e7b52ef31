r"""What a named point may lose to the best of all points of a box, from above and from below, by a mesh.

The posterior is that of a stationary kernel with :math:`k(x,x)=k_0`, on the box scaled to [0,1]^d. :math:`I_jf` is the
multilinear interpolation of f from the corners of the cells of grid j, and grid j+1 halves one axis of it: the one on which
cells are widest in length-scales, so that the sequence is known before any value. Over t length-scales linear interpolation of
a function of norm 1 is off by at most :math:`\sqrt{k_0}\,e(t)` (:func:`companion.information.cover.interpolation`).

**Widths.** One for functions of norm at most Psi covers every linear functional of f at all times, hence all points of the
box: f(x) - f(r) is at most :math:`U(x)=\mu(x)-\mu(r)+w\,\mathrm{sd}(f(x)-f(r))`, or by bands
:math:`U(x)=(\mu+w\sigma)(x)-(\mu-w\sigma)(r)`. On a cell with widths :math:`h_a` (in length-scales) the posterior mean is at
most its interpolation plus :math:`\lVert\mu\rVert\sqrt{k_0}\sum_ae(h_a)`, with a norm that the data give. sd is a seminorm of
:math:`k_x` below that of the RKHS, so it is at most its interpolation plus :math:`\sqrt{k_0}\sum_ae(h_a)`. An interpolation is
largest at a corner:

.. math:: \max_{x\in\text{cell}}U(x)\le\max_{\text{corners }v}U(v)+(\lVert\mu\rVert+w)\sqrt{k_0}\sum_ae(h_a).

Cells whose bound is above what is allowed are halved. From below, U at any point is what the same rule says of candidates. A
width given as a number proves nothing of f, and the same bounds hold for its U.

**Draws.** Let :math:`s_i` be the prior standard deviation of f in the middle of an edge that grid i+1 halves, less the mean of
both ends: :math:`s_i^2=\tfrac32k_0+\tfrac12k(h)-2k(h/2)\le k_0e(h)^2`. Grid i+1 has :math:`n_i` such points. As
:math:`I_{i+1}f-I_if` is multilinear on its cells and 0 at the corners of grid i, no value of it exceeds the largest at one of
them, and 0. Let :math:`\Phi(-z_i)=\delta_i/n_i` with :math:`\sum_i\delta_i\le\delta_2`, i from the first grid that is used. With
probability :math:`1-\delta_2` no such difference on any grid exceeds :math:`s_iz_i`. That is an event of the prior, which does
not know of data or times, and as paths are continuous it follows on every cell of every grid j that

.. math:: f\le\max_{\text{corners }v}f(v)+\Delta_j,\qquad\Delta_j=\sum_{i\ge j}s_iz_i.

(From widths of :math:`2^{-60}` on, the sum over a round of halvings is at most :math:`2^{-1/2}` times that of the round before,
but for :math:`z_i`, which grows by less than a hundredth: five times the first bounds them all.) At a stopping time
:math:`\tau` let the data choose r, and cells that cover the box, of any of the grids. Given the data f is Gaussian, so

.. math:: \Pr\Big(\max_xf(x)-f(r)>\varepsilon\Big)\le\delta_2
          +\E\Pr\Big(\max_vf(v)+\Delta(v)-f(r)>\varepsilon\,\Big|\,F_\tau\Big),

v over all corners, each with the largest :math:`\Delta` of the cells that have it. The inner probability is bounded by a sum
over v, or by draws with an exact limit, as among candidates (:mod:`companion.policies.stopping`): who stops where it is at most
:math:`\delta-\delta_2` keeps :math:`\delta`. From below: where one point alone gains epsilon with probability :math:`\delta`, no
rule can promise less.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist
from scipy.stats import norm, qmc

from companion.core.arrays import Flags, Floats, Integers
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.gp._validation import NOISE_FLOOR
from companion.gp.candidates import points_of
from companion.gp.kernels import Kernel
from companion.gp.optimise import climbed
from companion.information.cover import interpolation
from companion.information.gain import EPS
from companion.policies import stopping
from companion.policies.candidate_model import Model
from companion.problems import Box

#: Most coordinates of a box.
MAX_DIM = 6
#: Of delta, what lies between grid points takes, and the most that corners take which are bounded one by one, and not sampled.
BETWEEN, NEGLECTED = 0.1, 0.02
#: Multiplications, and corners of cells, that a mesh may take; cells that it starts with at most; corners drawn together.
WORK, MOST_CORNERS, FIRST, MOST_DRAWN = 1.5e10, 3_200_000, 4_096, 3_000
#: A bracket of a width is narrow enough at this ratio.
NARROW = 1.02
#: A mesh is fine enough where Delta is this share of what is asked: for draws, and where a sum grows with the corners.
FINE, COARSE = 0.03, 0.15
#: Where corners are too many to be drawn, draws answer for an epsilon that is raised by this factor, and again, until they are
#: not; the mesh is refined no more where that comes to so many times what an earlier one had, Delta included.
RAISED, PAST = 1.15, 2.0
#: Share of what may be neglected that the cells add which a grid settles.
SETTLED = 1 / 32
#: Points among which the search for a high place begins, and those that it climbs from.
LOOKED, CLIMBED, ROUNDS = 2_048, 12, 40
_CHUNK = 8_192
#: Of a model, r against the others and a limit: what the rule ``probability`` takes from draws.
Sampler = Callable[[Model, stopping.Contest, float], tuple[float, float]]


class Bound(NamedTuple):
    """What r may lose on the box: at least ``lower`` has to be allowed, and ``upper`` can be promised.

    ``point`` is r and ``rival`` the worst point found; ``probability`` the upper limit of that of losing more than epsilon,
    where the rule has one, with delta_2.
    """

    point: Floats
    rival: Floats
    lower: float
    upper: float
    width: float | None
    probability: float | None


class Posterior:
    """Of f at any points of the unit box.

    Parameters
    ----------
    kernel : with length-scales of the unit box
    where, residual : (t, d), and (t,) the values less the prior mean
    noise_variance, prior_mean : as told
    """

    def __init__(
        self, kernel: Kernel, where: Floats, residual: Floats, noise_variance: float, prior_mean: float = 0.0
    ) -> None:
        self.kernel, self.where, self.prior_mean = kernel, where, prior_mean
        self.scales = np.broadcast_to(np.asarray(kernel.lengthscale, dtype=np.float64), where.shape[1:])
        noise = max(noise_variance, NOISE_FLOOR * float(kernel.variance))
        self.root = linalg.cholesky(self.prior(where, where) + noise * np.eye(len(where)), lower=True)
        self.solved = linalg.solve_triangular(self.root, residual, lower=True)
        weights = linalg.solve_triangular(self.root, self.solved, lower=True, trans=1)
        #: Realised information gain in nats, and the norm of the posterior mean, less the prior mean, in the RKHS.
        self.gain = float(np.log(np.diagonal(self.root) / math.sqrt(noise)).sum())
        self.norm = math.sqrt(max(float(self.solved @ self.solved - noise * weights @ weights), 0.0))
        #: Multiplications for a point.
        self.work = len(where) * (len(where) + 60.0)

    def prior(self, x: Floats, y: Floats) -> Floats:
        """(n, m) covariances."""
        return np.asarray(self.kernel.radial(cdist(x / self.scales, y / self.scales, "sqeuclidean")))

    def features(self, points: Floats) -> Floats:
        """(t, n): what the data take from a covariance is the product of two columns."""
        return linalg.solve_triangular(self.root, self.prior(self.where, points), lower=True, check_finite=False)

    def among(self, points: Floats) -> Floats:
        """(n, n) covariance."""
        phi = self.features(points)
        return self.prior(points, points) - phi.T @ phi

    def mean_and_sd(self, points: Floats) -> Floats:
        """(2, n)."""
        phi = self.features(points)
        left = float(self.kernel.variance) - (phi**2).sum(axis=0)
        return np.array([self.solved @ phi + self.prior_mean, np.sqrt(np.maximum(left, 0.0))])

    def lead_and_sd(self, r: Floats) -> Callable[[Floats], Floats]:
        """A function of points (n, d): (2, n), mean and standard deviation of f(x) - f(r)."""
        own, k0 = self.features(r[None]), float(self.kernel.variance)

        def see(points: Floats) -> Floats:
            phi = self.features(points) - own
            left = 2.0 * (k0 - self.prior(points, r[None])[:, 0]) - (phi**2).sum(axis=0)
            return np.array([self.solved @ phi, np.sqrt(np.maximum(left, 0.0))])

        return see


class Grids:
    """The sequence of grids of [0,1]^d, and for each what f may exceed its interpolation by.

    ``counts`` (J, d) cells an axis, ``far`` (J,) for a function of norm 1 and ``slack`` (J,) but with probability ``share`` for a
    draw; ``first`` is where a mesh begins, and ``last`` the finest grid that has a number for each of its points.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.policies.box_certificate import Grids
    >>> grids = Grids(cp.kernel("se", (0.2, 0.4)), share=0.01)
    >>> grids.counts[:5].astype(int).tolist()
    [[1, 1], [2, 1], [4, 1], [4, 2], [8, 2]]
    >>> grids.slack[[6, 8, 10]].round(3)
    array([0.572, 0.166, 0.046])
    """

    def __init__(self, kernel: Kernel, share: float, error: Callable[[float], float] | None = None) -> None:
        error, k0 = error or interpolation(kernel), float(kernel.variance)
        widths = 1.0 / np.atleast_1d(np.asarray(kernel.lengthscale, dtype=np.float64))
        count, dim = np.ones(len(widths)), len(widths)
        counts: list[Floats] = []
        far, sds, numbers = [], [], []
        while widths.max() > 2.0**-60 or not counts:
            axis = int(np.argmax(widths))
            t = float(widths[axis])
            ends, middle = kernel.radial(np.array([t, t / 2.0]) ** 2)
            square = float(1.5 * k0 + 0.5 * ends - 2.0 * middle)
            counts.append(count.copy())
            far.append(math.sqrt(k0) * float(np.sum([error(float(each)) for each in widths])))
            sds.append(min(math.sqrt(k0) * error(t), math.sqrt(max(square, 0.0) + 8.0 * EPS * k0)))
            numbers.append(math.exp(np.log(count + 1.0).sum() + math.log(count[axis] / (count[axis] + 1.0))))
            count[axis], widths[axis] = 2.0 * count[axis], widths[axis] / 2.0
        self.counts, self.far = np.array(counts), np.array(far)
        sizes = np.log2(self.counts + 1.0).sum(axis=1)
        self.last = int(np.flatnonzero(sizes < 62.0)[-1])
        whole = self.counts * np.asarray(kernel.lengthscale) >= 1.0
        enough = whole.all(axis=1) | (self.counts.prod(axis=1) >= FIRST)
        self.first = min(int(np.argmax(enough)) if enough.any() else 0, self.last)
        # What comes before the first grid needs no share.
        sd, rest = np.array(sds), 5.0 * math.sqrt(k0) * dim * error(float(widths.max()))
        of_each = share * sd / (sd[self.first :].sum() + rest)
        steps = sd * norm.isf(np.minimum(of_each / np.array(numbers), 0.5))
        rest *= steps[-1] / sd[-1]
        self.slack = np.cumsum(steps[::-1])[::-1] + rest


class Mesh:
    """Cells of one of the grids, which are halved together, and what is known at the corners of all that there were.

    ``keys`` (n,) numbers of the corners, sorted; ``seen`` (2, n) what ``see`` says of them, ``kept`` (n,) the largest slack of a
    cell that is no longer halved; ``places`` (m, 2^d) the corners of the cells among them.
    """

    def __init__(self, grids: Grids, see: Callable[[Floats], Floats], work: float) -> None:
        self.grids, self.see, self.work, self.level = grids, see, work, grids.first
        self.finest = grids.counts[grids.last].astype(np.int64)
        self.strides = np.append(np.cumprod((self.finest + 1)[::-1])[::-1][1:], 1)
        shape = grids.counts[self.level].astype(np.int64)
        self.lowest = np.stack(np.unravel_index(np.arange(shape.prod()), tuple(shape)), axis=1)
        self.offsets = np.array(list(product((0, 1), repeat=len(shape))))
        self.keys, self.seen, self.kept = np.zeros(0, dtype=np.int64), np.zeros((2, 0)), np.zeros(0)
        self._look()

    def points(self, keys: Integers) -> Floats:
        """(n, d) coordinates."""
        return np.asarray(keys[:, None] // self.strides % (self.finest + 1) / self.finest)

    def _look(self) -> None:
        apart = self.finest // self.grids.counts[self.level].astype(np.int64) * self.strides
        corners = (self.lowest @ apart)[:, None] + self.offsets @ apart
        fresh = np.setdiff1d(corners, self.keys)
        parts = [self.see(self.points(fresh[i : i + _CHUNK])) for i in range(0, len(fresh), _CHUNK)]
        keys = np.concatenate([self.keys, fresh])
        order = np.argsort(keys, kind="stable")
        self.keys, self.seen = keys[order], np.concatenate([self.seen, *parts], axis=1)[:, order]
        self.kept = np.concatenate([self.kept, np.full(len(fresh), -math.inf)])[order]
        self.places = np.searchsorted(self.keys, corners)

    def best(self, scores: Floats) -> tuple[Floats, float]:
        """The corner with the largest of the scores (n,), and this."""
        place = int(np.argmax(scores))
        return self.points(self.keys[[place]])[0], float(scores[place])

    def can_halve(self, cells: int) -> bool:
        """Whether the work allowed, and the numbers of points, let so many cells be halved."""
        fresh = cells * len(self.offsets)
        return (
            self.work * (len(self.keys) + fresh / 2.0) <= WORK
            and 2 * fresh <= MOST_CORNERS
            and self.level < self.grids.last
        )

    def halve(self, chosen: Flags) -> None:
        """Halve these of the cells (m,), and keep the others as they are."""
        left = self.places[~chosen]
        self.kept[left] = np.maximum(self.kept[left], self.grids.slack[self.level])
        counts = self.grids.counts
        axis = int(np.argmax(counts[self.level + 1] > counts[self.level]))
        self.level += 1
        lowest = self.lowest[chosen]
        lowest[:, axis] *= 2
        upper = lowest.copy()
        upper[:, axis] += 1
        self.lowest = np.concatenate([lowest, upper])
        self._look()

    def slack(self) -> Floats:
        """(n,) the largest slack of a cell at each corner; minus infinity for what is a corner no more."""
        found = self.kept.copy()
        found[self.places] = np.maximum(found[self.places], self.grids.slack[self.level])
        return found


def highest(score: Callable[[Floats], Floats], starts: Floats, rounds: int = ROUNDS) -> tuple[Floats, float]:
    """The best place (d,) of [0,1]^d that a search finds, and its score."""
    dim = starts.shape[1]
    looked = np.concatenate([starts, qmc.Sobol(dim, rng=stream(0, "stopping", "box")).random(LOOKED)])
    best = np.argsort(-score(looked), kind="stable")[:CLIMBED]
    places, scores = climbed(score, looked[best], rounds)
    return places[int(np.argmax(scores))], float(scores.max())


def by_width(posterior: Posterior, width: float, differences: bool, epsilon: float, grids: Grids) -> Bound:
    """By the width w, of differences or of a band, for a mesh that is refined until it allows epsilon or can not."""
    back = 0.0 if differences else width
    r, base = highest(lambda x: np.array([1.0, -back]) @ posterior.mean_and_sd(x), posterior.where)
    see = posterior.mean_and_sd if back else posterior.lead_and_sd(r)
    base = base if back else 0.0

    def excess(x: Floats) -> Floats:
        return np.array([1.0, width]) @ see(x) - base

    rival, lower = highest(excess, posterior.where)
    longest = posterior.norm + width
    mesh, upper = Mesh(grids, see, posterior.work), 0.0
    while True:
        scores = np.array([1.0, width]) @ mesh.seen - base
        rival, lower = max((rival, lower), mesh.best(scores), key=itemgetter(1))
        tops = scores[mesh.places].max(axis=1) + longest * grids.far[mesh.level]
        above = tops > max(epsilon, NARROW * lower)
        if not above.any() or not mesh.can_halve(int(above.sum())):
            return Bound(r, rival, max(lower, 0.0), max(upper, float(tops.max())), width, None)
        upper = max(upper, float(tops[~above].max(initial=0.0)))
        mesh.halve(above)


def by_probability(posterior: Posterior, epsilon: float, delta: float, grids: Grids, sample: Sampler | None) -> Bound:
    """By the posterior probability: from a sum over corners and, with a sampler, from draws as well."""
    r = highest(lambda x: posterior.mean_and_sd(x)[0], posterior.where)[0]
    see, z = posterior.lead_and_sd(r), max(float(norm.isf(delta)), 0.0)
    limit = delta * (1.0 - BETWEEN - (stopping.ERROR_SHARE if sample else 0.0))
    lower = highest(lambda x: np.array([1.0, z]) @ see(x), posterior.where)[1]
    mesh, upper, likely, tightest, target = Mesh(grids, see, posterior.work), math.inf, 1.0, math.inf, epsilon
    drawn: tuple[Floats, stopping.Contest, float, float] | None = None
    while True:
        lower = max(lower, float(np.max(np.array([1.0, z]) @ mesh.seen)))
        target, slack = max(target, lower), float(grids.slack[mesh.level])
        rivals = _contest(-(mesh.seen[0] + mesh.slack()), mesh.seen[1])
        likely = min(likely, rivals.union(epsilon))
        if rivals.union(upper) < limit:
            upper = rivals.union_regret(limit)
        if upper <= epsilon:
            break
        if sample:
            floor, (matter, left) = target, rivals.contenders(target, NEGLECTED * delta)
            while len(matter) > MOST_DRAWN and floor < upper:
                floor *= RAISED
                matter, left = rivals.contenders(floor, NEGLECTED * delta)
            if floor > PAST * tightest:
                break
            if len(matter) <= MOST_DRAWN and floor + slack < tightest:
                tightest = floor + slack
                contest = _contest(rivals.gap[matter], rivals.sd[matter])
                drawn = mesh.points(mesh.keys[matter - 1]), contest, left, floor
        each = stopping.better_by(-mesh.seen[0] - slack, mesh.seen[1], target)[mesh.places].sum(axis=1)
        cheap = np.argsort(each)
        chosen = np.ones(len(each), dtype=bool)
        chosen[cheap[np.cumsum(each[cheap]) <= len(mesh.offsets) * SETTLED * NEGLECTED * delta]] = False
        enough = slack <= (FINE if sample else COARSE) * target
        if enough or not chosen.any() or not mesh.can_halve(int(chosen.sum())):
            break
        mesh.halve(chosen)
    if upper > epsilon and sample and drawn:
        points, contest, left, floor = drawn
        joint = posterior.among(np.vstack([r, points]))
        model = Model(
            *(-contest.gap, np.diagonal(joint), joint.__getitem__, lambda a: joint[np.ix_(a, a)], len(posterior.where))
        )
        chance, loses = sample(model, contest, limit - left)
        upper = min(upper, max(loses, floor))
        likely = min(likely, chance + left) if floor <= epsilon else likely
    # What weighs most where the upper end is promised; the lower end may be near r.
    rival = mesh.best((mesh.seen[0] - upper) / np.maximum(mesh.seen[1], 1e-300))[0]
    return Bound(r, rival, max(lower, 0.0), max(upper, lower, 0.0), None, min(likely + BETWEEN * delta, 1.0))


def _contest(gap: Floats, sd: Floats) -> stopping.Contest:
    """r, which is no corner, against corners."""
    return stopping.Contest(0, np.append(0.0, gap), np.append(0.0, sd))


def places_in(domain: Any, evaluated: Any, count: int) -> tuple[Floats, Floats, Floats]:
    """The evaluated points (t, d), and both corners of the box."""
    given = np.asarray(evaluated)
    if given.size == 0 or (given.ndim == 1 and given.dtype.kind in "iu"):
        problem = "are indices" if given.size else "are none"
        raise ParameterError("evaluated", problem, "coordinates (t, d) of at least one point of the box")
    where = points_of(given[:, None] if given.ndim == 1 else given, "evaluated")
    if isinstance(domain, Box):
        low, high = domain.low, domain.high
    elif domain == "box":
        low, high = np.zeros(where.shape[1]), np.ones(where.shape[1])
    else:
        raise ParameterError("domain", f"got {domain!r}", "'box' for all points of [0,1]^d, or cp.Box(low, high)")
    if len(low) > MAX_DIM:
        raise ParameterError("domain", f"has {len(low)} coordinates", f"at most {MAX_DIM}, or candidates")
    if where.shape[1] != len(low):
        raise ParameterError("evaluated", f"have {where.shape[1]} coordinates", f"{len(low)}, as the box")
    if len(where) != count:
        raise ParameterError("values", f"are {count}", f"{len(where)}, one for each of the evaluated")
    outside = ((where < low) | (where > high)).any(axis=1)
    if outside.any():
        problem = f"has {tuple(where[outside][0].tolist())}, which lies outside of the box"
        raise ParameterError("evaluated", problem, "points of the box", "domain=cp.Box(low, high) gives other corners")
    return where, low, high
