"""The ball in maximum mean discrepancy one row at a time: exact faces of the simplex, started where the last rows ended.

min q.u over the simplex with (q - p)' K (q - p) <= r^2 is a mean-variance problem: with a multiplier lam of the ball it
minimises q.u + lam/2 (q - p)' K (q - p). Where the points S that carry mass are known, so is the solution:

    q_S = q0 + d / lam,   K_SS q0 = (K p)_S + nu_0 1,   K_SS d = nu_d 1 - u_S,   sum q0 = 1,   sum d = 0,

and lam follows from the radius, because d is orthogonal to q0 - p. The first row of a ball follows Markowitz's critical
line from the smallest value, where lam = 0, until the ball is reached. Any later row starts from the best distribution
found so far for the same ball, and exchanges points, most often none or one. Both end with the certificate of
:mod:`~companion.papers.wdrbo.method.discrepancy_ball`; a row that misses it goes to the interior-point method there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lapack

from companion.core.arrays import Floats
from companion.papers.wdrbo.method.discrepancy_ball import DiscrepancyBall
from companion.papers.wdrbo.method.inner import WorstCase, _checked

#: Added to the kernel's diagonal while points are exchanged: neighbouring nodes are nearly equal, and it keeps every face
#: well-posed. Certificates are those of the kernel itself.
_RIDGE = 1e-12
#: A point enters where its reduced cost is below minus this, in units of the range of u.
_ENTER = 1e-10
#: Exchanges after which a row is left to the interior-point method. None to five are usual, twenty on the critical line,
#: and hundreds there where the nodes are so close that mass slides from one to the next.
_MOST_EXCHANGES = 2000
#: Distributions remembered as starts.
_KNOWN = 24


@dataclass(frozen=True, eq=False)
class _Face:
    """Solutions q0 + d / lam on the points S, and their multipliers nu_0 and nu_d."""

    fixed: Floats
    moving: Floats
    level: float
    slope: float
    room: float  # r^2 less the squared distance of q0 from the centre
    length: float  # d' K d

    @property
    def multiplier(self) -> float:
        """lam where the ball is reached; infinite where q0 lies outside."""
        return math.sqrt(self.length / self.room) if self.room > 0 else math.inf


@dataclass(eq=False)
class CriticalLineBall:
    """All q in the simplex with (q - p)' K (q - p) <= r^2; rows are solved in turn.

    Parameters
    ----------
    kernel, centre, radius, tolerance : as for :class:`~companion.papers.wdrbo.method.discrepancy_ball.DiscrepancyBall`
    vertex_distance : (m,) distance of the point mass at every support point from the centre
    fallbacks : rows so far that the interior-point method had to solve
    """

    kernel: Floats
    centre: Floats
    radius: float
    tolerance: float = 1e-7
    fallbacks: int = 0
    vertex_distance: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._image = self.kernel @ self.centre
        self._norm = float(self.centre @ self._image)
        squared = np.diag(self.kernel) - 2.0 * self._image + self._norm
        self.vertex_distance = np.sqrt(np.maximum(squared, 0.0))
        self._shifted_image = self._image + _RIDGE * self.centre
        self._shifted_norm = self._norm + _RIDGE * float(self.centre @ self.centre)
        self._known = np.empty((0, len(self.centre)))
        self._oldest = 0
        self._interior: DiscrepancyBall | None = None

    def worst(self, values: ArrayLike) -> WorstCase:
        """Solve for every row of ``values`` (B, m); see :meth:`DiscrepancyBall.worst`."""
        u, p, _ = _checked(values, self.centre, self.radius)
        rows = np.arange(len(u))
        weights = np.tile(p, (len(u), 1))
        value = u @ p
        lower = value.copy()
        least = u.argmin(axis=1)
        low, width = u[rows, least], np.ptp(u, axis=1)
        vertex = self.vertex_distance[least] <= self.radius
        weights[vertex] = 0.0
        weights[rows[vertex], least[vertex]] = 1.0
        value[vertex] = lower[vertex] = low[vertex]
        if self.radius > 0:
            for row in np.flatnonzero(~vertex & (width > 0)):
                q, bound = self._row((u[row] - low[row]) / width[row], int(least[row]))
                weights[row], value[row] = q, float(q @ u[row])
                lower[row] = low[row] + width[row] * bound
        return WorstCase(value, weights, lower, np.zeros(len(u)))

    def _row(self, u: Floats, least: int) -> tuple[Floats, float]:
        """Weights (m,) in the ball and a lower bound, for values with minimum 0 and maximum 1."""
        found = self._exchanged(u) if len(self._known) else None
        if found is None:
            found = self._along_line(u, least)
        if found is not None:
            q, bound = self._certified(u, *found)
            if q @ u - bound <= self.tolerance:
                self._remember(q, found[1])
                return q, bound
        self.fallbacks += 1
        if self._interior is None:
            self._interior = DiscrepancyBall(self.kernel, self.centre, self.radius, self.tolerance)
        solved = self._interior.worst(u)
        return solved.weights[0], float(solved.lower[0])

    def _remember(self, q: Floats, points: NDArray[np.intp]) -> None:
        known = np.zeros(len(q))
        known[points] = q[points]
        if len(self._known) < _KNOWN:
            self._known = np.concatenate([self._known, known[None, :]])
        else:
            self._known[self._oldest] = known
            self._oldest = (self._oldest + 1) % _KNOWN

    def _face(self, u: Floats, points: NDArray[np.intp]) -> _Face | None:
        """Solutions with mass on ``points`` alone; none where the kernel on them has no Cholesky factor."""
        block = self.kernel[points[:, None], points]
        block.ravel()[:: len(points) + 1] += _RIDGE
        values, image = u[points], self._shifted_image[points]
        right = np.empty((len(points), 3))
        right[:, 0], right[:, 1], right[:, 2] = image, 1.0, values
        _, solved, fault = lapack.dposv(block, right)
        if fault:
            return None
        total = solved.sum(axis=0)
        level, slope = (1.0 - total[0]) / total[1], total[2] / total[1]
        fixed = solved[:, 0] + level * solved[:, 1]
        moving = slope * solved[:, 1] - solved[:, 2]
        # K_SS q0 = (K p)_S + nu_0 1 and the sum of q0 is 1.
        outside = level - float(fixed @ image) + self._shifted_norm
        return _Face(fixed, moving, level, slope, self.radius**2 - outside, -float(moving @ values))

    def _exchanged(self, u: Floats) -> tuple[Floats, NDArray[np.intp], float] | None:
        """From the best distribution known: to the minimum of its face as far as masses stay positive, then a new point."""
        known = self._known[int((self._known @ u).argmin())]
        points = np.flatnonzero(known > 0)
        q = known[points]
        for _ in range(_MOST_EXCHANGES):
            face = self._face(u, points)
            if face is None or not (face.length > 0 and face.room > 0):
                return None
            multiplier = face.multiplier
            aim = face.fixed + face.moving / multiplier
            if aim.min() <= 0:
                falling = np.flatnonzero(aim <= 0)
                shares = q[falling] / (q[falling] - aim[falling])
                first = int(shares.argmin())
                q = q + shares[first] * (aim - q)
                keep = np.arange(len(points)) != falling[first]
                points, q = points[keep], np.maximum(q[keep], 0.0)
                continue
            pull = multiplier * (aim @ self.kernel[points] - self._shifted_image)
            cost = u + pull - (face.slope + multiplier * face.level)
            cost[points] = 0.0
            entering = int(cost.argmin())
            if cost[entering] >= -_ENTER:
                return aim, points, multiplier
            points, q = np.append(points, entering), np.append(aim, 0.0)
        return None

    def _along_line(self, u: Floats, least: int) -> tuple[Floats, NDArray[np.intp], float] | None:
        """From the point mass at the smallest value, event by event: a point enters or leaves, or the ball is reached."""
        points, multiplier = np.array([least]), 0.0
        for _ in range(_MOST_EXCHANGES):
            face = self._face(u, points)
            if face is None:
                return None
            rows = self.kernel[points]
            # Reduced cost of every point: at + lam * rate.
            at = u + face.moving @ rows - face.slope
            rate = face.fixed @ rows - self._shifted_image - face.level
            at[points] = rate[points] = 0.0
            with np.errstate(divide="ignore", invalid="ignore"):
                entry = np.where(rate < 0, -at / rate, np.inf)
                exit_ = np.where(face.fixed < 0, -face.moving / face.fixed, np.inf)
            entry, exit_ = np.maximum(entry, multiplier), np.where(exit_ > multiplier, exit_, np.inf)
            comes, goes = int(entry.argmin()), int(exit_.argmin())
            following = min(float(entry[comes]), float(exit_[goes]))
            if face.multiplier <= following:
                if face.multiplier <= 0:
                    return None
                return face.fixed + face.moving / face.multiplier, points, face.multiplier
            if not math.isfinite(following):
                return None
            multiplier = following
            points = np.delete(points, goes) if exit_[goes] <= entry[comes] else np.append(points, comes)
        return None

    def _certified(self, u: Floats, mass: Floats, points: NDArray[np.intp], multiplier: float) -> tuple[Floats, float]:
        """The distribution, drawn into the ball of the kernel without ridge, and the lower bound of its multiplier.

        For h = lam K (q - p) and any lam >= 0, the Cauchy-Schwarz inequality gives u.q' >= min (u + h) - p.h - lam r
        sqrt((q - p)' K (q - p)) on the whole ball.
        """
        q = np.zeros(len(u))
        q[points] = np.maximum(mass, 0.0)
        q /= q.sum()
        image = q @ self.kernel - self._image
        shift = q - self.centre
        length = math.sqrt(max(float(shift @ image), 0.0))
        pull = multiplier * image
        bound = float((u + pull).min() - self.centre @ pull) - multiplier * self.radius * length
        if length > self.radius:
            q = self.centre + self.radius / length * shift
        return q, bound
