r"""Certified gain of many candidates, up to a million: no matrix of their covariance is formed.

The upper end is the bound of :mod:`companion.information.design` at features that need the covariance of few points only. Let S
be r of the candidates, :math:`LL^T=K_{SS}+\varepsilon I`, and

.. math:: \phi_x=\sigma^{-1}L^{-1}k_S(x),\qquad t_x=\sigma^{-2}k(x,x)-|\phi_x|^2 .

What :math:`\Phi\Phi^T` leaves of :math:`K/\sigma^2` is positive semi-definite for every S and every :math:`\varepsilon>0`, as a
Schur complement of :math:`K+\varepsilon I_S`. So every shrinkage of these features certifies a bound, whichever candidates S has.
The design is optimised on a *core* of few candidates; then the score of **every** candidate is computed, chunk by chunk, and
those that exceed the core's largest join the core. Only scoring all of them makes a bound valid: rounds that look at a sketch of
them alone fill the core, and certify nothing.

The lower end is the gain of picks among the core. Rounding: each :math:`\phi_x` is the solution of a triangular system, off by
at most :math:`\eta=4r\,\epsilon\sqrt{rk_0/\varepsilon}` of its length (:math:`k_0` the largest prior variance, :math:`\epsilon`
that of float64), which moves a score by at most :math:`4\eta k_0/\sigma^2`; that is added to every tail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.linalg import lapack
from scipy.spatial.distance import cdist

from companion.core.arrays import Floats, Indices, Integers
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.core.randomness import stream
from companion.gp.kernels import Kernel
from companion.gp.matrix import KernelMatrix
from companion.information.design import Certificate, Features, bound, charge, loads_and_axes, relax_on, shrinkage
from companion.information.gain import EPS, gain_from_below, gain_of_copies, log_pivots
from companion.information.gain_bounds import MAX_HORIZON, GainBracket, apportion
from companion.information.greedy import GreedyGain, exchange, greedy_gain
from companion.information.upper import submodular_bound

MAX_CANDIDATES = 1_000_000
#: Candidates of the core at first, those that may join it after a round, and those that a sketch looks at.
CORE, MORE, SKETCH = 2_000, 600, 20_000
#: Rounds in all, and candidates scored in them: the last rounds look at all candidates, those before at a sketch.
TURNS, PASSES = 6, 1_000_000
_CHUNK, _RANK, _PATH, _NEAR = 1_024, 1_000, 1_500, 1_000
#: Epsilon over the noise variance: costs half of it times T in nats.
_SHIFT = 1e-6
_TAIL_SHARE = 1e-3
_ANCHOR_RATIO = 4.0


def gain_bracket_of_many(kernel: Kernel, points: Floats, horizon: int, noise_variance: float) -> GainBracket:
    """Two-sided bound on the maximum information gain of T picks among up to a million candidates.

    Parameters
    ----------
    kernel : of the prior
    points : (N, d) candidates
    horizon : T
    noise_variance : sigma^2

    Returns
    -------
    ``ends`` has ``submodular`` (for T up to 1,200) and ``factorization``

    Raises
    ------
    ParameterError
        for an argument out of range

    Examples
    --------
    >>> import companion as cp
    >>> from companion.information.large_sets import gain_bracket_of_many
    >>> bracket = gain_bracket_of_many(cp.SquaredExponential(0.3), cp.grid(9_000, dim=1), 10, noise_variance=0.01)
    >>> print(f"{bracket.lower:.1f} to {bracket.upper:.1f} nats")
    11.5 to 11.6 nats
    """
    matrix, noise = _checked(kernel, points, noise_variance)
    return _settled(matrix, whole_number("horizon", horizon, 1, MAX_HORIZON), noise).bracket


def gain_curve_of_many(
    kernel: Kernel, points: Floats, horizons: Sequence[int], noise_variance: float
) -> tuple[GainBracket, ...]:
    """:func:`gain_bracket_of_many` for the largest of several horizons, and what its core tells of the others.

    Designs at a few anchor horizons on that core share one pass over all candidates, which scores each design at every
    horizon; the lower ends of the others are greedy. Arguments and errors as there; the result follows the order of ``horizons``.
    """
    matrix, noise = _checked(kernel, points, noise_variance)
    steps = np.array([whole_number("horizons", each, 1, MAX_HORIZON) for each in horizons])
    settled = _settled(matrix, int(steps.max()), noise)
    others = np.unique(steps[steps < steps.max()])
    found = {settled.bracket.horizon: settled.bracket}
    found |= {each.horizon: each for each in settled.earlier(others)} if len(others) else {}
    return tuple(found[int(each)] for each in steps)


def _checked(kernel: Kernel, points: Floats, noise_variance: float) -> tuple[KernelMatrix, float]:
    matrix = KernelMatrix(kernel, points)
    if (size := len(matrix.points)) > MAX_CANDIDATES:
        raise ParameterError("points", f"are {size:,}", f"at most {MAX_CANDIDATES:,}")
    return matrix, positive_number("noise_variance", noise_variance)


@dataclass(frozen=True, eq=False)
class _Settled:
    """A bracket, and what it rests on: core, greedy path on it, with the variances of all candidates, features, design."""

    bracket: GainBracket
    core: Indices
    path: GreedyGain
    whole: GreedyGain
    pivots: Pivots
    features: Features
    weights: Floats

    def earlier(self, horizons: Integers) -> Iterator[GainBracket]:
        """Brackets of smaller horizons."""
        top, noise = self.bracket.horizon, self.pivots.noise
        weights, anchor = self.weights, float(top)
        designs: list[Certificate] = []
        while not designs or anchor > horizons.min():
            anchor = max(anchor / _ANCHOR_RATIO, 1.0)
            designs.append(relax_on(self.features, round(anchor), weights, 15, 5e-3))
            weights = designs[-1].weights
        uppers = self.pivots.certify_all(designs, self.features, horizons)
        uppers = np.minimum.accumulate(np.append(uppers, self.bracket.upper)[::-1])[::-1][
            :-1
        ]  # more picks gain no less
        for t, upper in zip(horizons.tolist(), uppers.tolist(), strict=True):
            core, copies = _copies(self.core, self.path, t)
            used = np.flatnonzero(copies)
            among = self.pivots.matrix.rows(core[used], core[used])
            lower = gain_from_below(among, np.arange(len(used)), copies[used], noise)
            ends = {"submodular": submodular_bound(self.whole, t, noise), "factorization": upper}
            name = min(ends, key=ends.__getitem__)
            yield GainBracket(t, noise, lower, ends[name], name, "greedy", ends, core[used], copies[used])


def _settled(matrix: KernelMatrix, steps: int, noise: float) -> _Settled:
    size, generator = len(matrix.points), stream(0, "many")
    core = np.sort(generator.choice(size, min(size, CORE), replace=False))
    first = core
    path = greedy_gain(matrix.rows(core, core), min(steps + steps // 4 + 16, _PATH), noise)
    whole = _path_of_all(matrix, core[path.indices], noise)
    ends = {"submodular": submodular_bound(whole, steps, noise)} if steps <= _PATH * 0.8 else {}
    lower, best = _Lower(matrix, noise, steps), np.inf
    lower.offer(*_copies(core, path, steps), "greedy")
    weights: Floats | None = None
    whole_turns = min(max(PASSES // size, 2), TURNS - 1)
    for turn in range(TURNS):
        among = matrix.rows(core, core)
        pivots = Pivots.of(matrix, core, among, noise, 2.0 * _TAIL_SHARE * lower.gain / steps, 2 * steps + 200)
        features = pivots.features(core)
        found = relax_on(features, steps, weights, 12 if turn else 20, 3e-3)
        weights = found.weights
        lower.offer(core, apportion(weights, steps), "rounding")
        sketch = turn < TURNS - whole_turns and size > SKETCH
        looked = generator.choice(size, SKETCH, replace=False) if sketch else np.arange(size)
        upper, scores, at_core = pivots.certify(found, features, steps, looked)
        if not sketch:
            best = min(best, upper)
            if scores.max() <= 1.001 * at_core:
                break
        worst = np.argpartition(scores, -min(MORE, len(looked)))[-MORE:]
        joined = np.setdiff1d(looked[worst[scores[worst] > at_core]], core)
        if turn < TURNS - 1:
            core = np.concatenate([core, joined])
    assert weights is not None
    if steps <= _PATH:
        lower.improve(core[np.argsort(-weights)[:_NEAR]])
    ends["factorization"] = best
    name = min(ends, key=ends.__getitem__)
    points, copies = lower.picks
    least = gain_from_below(matrix.rows(points, points), np.arange(len(points)), copies, noise)
    bracket = GainBracket(steps, noise, least, ends[name], name, lower.source, ends, points, copies)
    return _Settled(bracket, first, path, whole, pivots, features, weights)


class _Lower:
    """The best picks so far."""

    def __init__(self, matrix: KernelMatrix, noise: float, horizon: int) -> None:
        self.matrix, self.noise, self.horizon = matrix, noise, horizon
        self.gain, self.source = 0.0, ""
        self.picks: tuple[Indices, Indices] = (np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))

    def offer(self, among: Indices, copies: Indices, source: str) -> None:
        """Picks: ``copies`` of each of the candidates ``among``."""
        used = np.flatnonzero(copies)
        points, copies = among[used], copies[used]
        gain = gain_of_copies(self.matrix.rows(points, points), np.arange(len(points)), copies, self.noise)
        if gain > self.gain:
            self.gain, self.source, self.picks = gain, source, (points, copies)

    def improve(self, others: Indices) -> None:
        """By exchanges of the picks for each other and for ``others``."""
        points, copies = self.picks
        among = np.union1d(points, others)
        picks = exchange(
            self.matrix.rows(among, among), np.repeat(np.searchsorted(among, points), copies), self.noise, 2
        )
        self.offer(among, np.bincount(picks, minlength=len(among)), "exchange")


def _copies(core: Indices, path: GreedyGain, horizon: int) -> tuple[Indices, Indices]:
    counts = np.bincount(path.indices[:horizon], minlength=len(core))
    return core, counts if horizon <= len(path.indices) else apportion(counts / counts.sum(), horizon)


def _chunks(size: int) -> Iterator[slice]:
    yield from (slice(begin, min(begin + _CHUNK, size)) for begin in range(0, size, _CHUNK))


def _path_of_all(matrix: KernelMatrix, picks: Indices, noise: float) -> GreedyGain:
    """A path that was found on the core, with the largest variances of all candidates."""
    among = matrix.rows(picks, picks)
    root = linalg.cholesky(among + noise * np.eye(len(picks)), lower=True)
    peaks, diagonal = np.zeros(len(picks) + 1), matrix.diagonal()
    for part in _chunks(len(matrix.points)):
        half = linalg.solve_triangular(root, matrix.kernel(matrix.points[picks], matrix.points[part]), lower=True)
        left = diagonal[part] - np.vstack([np.zeros(half.shape[1]), np.cumsum(half**2, axis=0)])
        peaks = np.maximum(peaks, left.max(axis=1))
    return GreedyGain(picks, 0.5 * np.cumsum(log_pivots(among / noise)), peaks)


@dataclass(frozen=True, eq=False)
class Pivots:
    """The points S, and the root of their shifted covariance."""

    matrix: KernelMatrix
    noise: float
    chosen: Indices
    root: Floats
    slack: float

    @classmethod
    def of(
        cls, matrix: KernelMatrix, core: Indices, among: Floats, noise: float, allowance: float, limit: int
    ) -> Pivots:
        """Pivots of a Cholesky factorisation of the core's covariance, until the noise variance times what is allowed is left."""
        _, order, rank, _ = lapack.dpstrf(np.asfortranarray(among), tol=allowance * noise, lower=1)
        chosen = core[order[: min(rank, _RANK, limit)] - 1]
        shift, largest = _SHIFT * noise, float(matrix.diagonal().max())
        root = linalg.cholesky(matrix.rows(chosen, chosen) + shift * np.eye(len(chosen)), lower=True)
        eta = 4.0 * len(chosen) * EPS * np.sqrt(len(chosen) * largest / shift)
        return cls(matrix, noise, chosen, root, 4.0 * eta * largest / noise)

    def features(self, at: Indices | slice) -> Features:
        """Of some candidates."""
        return self.features_of(self.matrix.points[at])

    def features_of(self, points: Floats) -> Features:
        """Of points (n, d) that need not be candidates."""
        kernel, scales = self.matrix.kernel, np.asarray(self.matrix.kernel.lengthscale)
        across = kernel.radial(cdist(self.matrix.points[self.chosen] / scales, points / scales, "sqeuclidean"))
        phi = linalg.solve_triangular(self.root, across, lower=True, check_finite=False).T / np.sqrt(self.noise)
        left = np.asarray(self.matrix.kernel.diagonal(points)) / self.noise - (phi**2).sum(axis=1)
        return Features(phi, np.maximum(left, 0.0) + self.slack)

    def certify(self, found: Certificate, core: Features, horizon: int, looked: Indices) -> tuple[float, Floats, float]:
        """The bound that a design on the core certifies for the candidates looked at, their scores, and the core's largest."""
        times, scores, longest = np.array([float(horizon)]), np.empty(len(looked)), 0.0
        design = _Shrunk.of(found, core, times, len(self.matrix.points))
        for part in _chunks(len(looked)):
            own = self.features(looked[part])
            scores[part] = design.scores(own)[:, 0]
            longest = max(longest, float((own.phi**2).sum(axis=1).max()))
        upper = bound(times, np.array([scores.max()]), design.charged, len(self.chosen), float(np.sqrt(longest)))
        return float(upper[0]), scores, float(design.scores(core).max())

    def certify_all(self, designs: Sequence[Certificate], core: Features, horizons: Integers) -> Floats:
        """(H,) the smallest bound that one of the designs certifies for all candidates, at each horizon."""
        size, times = len(self.matrix.points), horizons.astype(float)
        kept = [_Shrunk.of(found, core, times, size) for found in designs]
        tops, longest = np.zeros((len(designs), len(horizons))), 0.0
        for part in _chunks(size):
            own = self.features(part)
            longest = max(longest, float((own.phi**2).sum(axis=1).max()))
            tops = np.maximum(tops, [each.scores(own).max(axis=0) for each in kept])
        rank, length = len(self.chosen), float(np.sqrt(longest))
        uppers = [bound(times, top, each.charged, rank, length) for top, each in zip(tops, kept, strict=True)]
        return np.asarray(np.min(uppers, axis=0))


@dataclass(frozen=True, eq=False)
class _Shrunk:
    """A design's shrinkage at H horizons.

    Parameters
    ----------
    axes, less : (r, m) directions that it shrinks more than the rest at some horizon, and (m, H) theta_0 less their theta
    floor, charged : (H,) theta_0, and what the bound counts for the eigenvalues
    """

    axes: Floats
    less: Floats
    floor: Floats
    charged: Floats

    @classmethod
    def of(cls, found: Certificate, core: Features, times: Floats, size: int) -> _Shrunk:
        """That of a design on the core, among ``size`` candidates."""
        loads, axes = loads_and_axes(found.weights, core)
        tail, slots = float(found.weights @ found.tail), [min(int(t), size) for t in times]
        each = [shrinkage(loads[:, None] * t, np.array([t * tail]), s) for t, s in zip(times, slots, strict=True)]
        theta, floor = np.concatenate([e[0] for e in each], axis=1), np.concatenate([e[1] for e in each])
        charged = np.array([charge(*e, s)[0] for e, s in zip(each, slots, strict=True)])
        used = (theta != floor).any(
            axis=1
        )  # in the other directions the score is theta_0 times the length, which is known
        return cls(axes[:, used], (floor - theta)[used], floor, charged)

    def scores(self, own: Features) -> Floats:
        """(n, H) scores of candidates."""
        whole = (own.phi**2).sum(axis=1) + own.tail
        return np.asarray(whole[:, None] * self.floor - (own.phi @ self.axes) ** 2 @ self.less)
