"""The inner problem on a ball in maximum mean discrepancy: a certified interior-point method, many rows at once.

min q.u over the simplex with (q - p)' K (q - p) <= r^2, K positive semidefinite and numerically singular. K is replaced
by F'F from a pivoted Cholesky factorisation whose residual is positive semidefinite, so that the ball only grows: every
dual value of the enlarged problem is a lower bound of the original one. The returned distribution is pulled back into
the ball of the full K, so its value is an upper bound. Both hold whatever the iteration did.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.arrays import Floats
from companion.core.errors import CompanionError, ParameterError
from companion.papers.wdrbo.method.inner import WorstCase, _checked

#: Iterations after which the method has stalled; 14 to 25 are usual.
_MOST_ITERATIONS = 80
#: A row without progress is given up only where its gap is at most this many times the tolerance.
_STALLED = 1e3
#: Share of the distance to the boundary that a step takes.
_STEP = 0.98


def pivoted_factor(kernel: ArrayLike, tolerance: float) -> Floats:
    """F (rho, m) with K - F'F positive semidefinite and diagonal residuals of at most ``tolerance``.

    Pivoted Cholesky: the largest remaining diagonal entry is eliminated until none exceeds ``tolerance``.
    """
    k = np.asarray(kernel, dtype=np.float64)
    left = np.array(np.diag(k))
    rows: list[Floats] = []
    while len(rows) < len(k):
        pivot = int(left.argmax())
        if left[pivot] <= tolerance:
            break
        row = k[pivot] - sum((f[pivot] * f for f in rows), np.zeros(len(k)))
        row /= np.sqrt(left[pivot])
        left = left - row**2
        left[pivot] = 0.0
        rows.append(row)
    return np.array(rows).reshape(len(rows), len(k))


@dataclass(frozen=True, eq=False)
class DiscrepancyBall:
    """All q in the simplex with (q - p)' K (q - p) <= r^2.

    Parameters
    ----------
    kernel : (m, m) matrix K, positive semidefinite
    centre : (m,) weights p
    radius : r >= 0
    tolerance : certified gap to reach, relative to the range of u
    factor : (rho, m) F with F'F <= K, computed
    vertex_distance : (m,) distance of the point mass at every support point from the centre, computed
    """

    kernel: Floats
    centre: Floats
    radius: float
    tolerance: float = 1e-7
    factor: Floats = field(init=False, repr=False)
    vertex_distance: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        kernel = np.asarray(self.kernel, dtype=np.float64)
        size = len(np.atleast_1d(self.centre))
        if kernel.shape != (size, size) or not np.isfinite(kernel).all():
            raise ParameterError("kernel", f"has shape {kernel.shape}", f"({size}, {size}) finite numbers")
        _checked(np.zeros((1, size)), self.centre, self.radius)
        object.__setattr__(self, "kernel", kernel)
        object.__setattr__(self, "centre", np.asarray(self.centre, dtype=np.float64))
        # A residual of the factor changes squared distances by at most 4 times its size, and the value by that over
        # 2 r^2, relative to the range of u; an eighth of the tolerance is left to it.
        residual = max(1e-15, self.tolerance * self.radius**2 / 16)
        object.__setattr__(self, "factor", pivoted_factor(kernel, residual))
        kp = kernel @ self.centre
        squared = np.diag(kernel) - 2.0 * kp + self.centre @ kp
        object.__setattr__(self, "vertex_distance", np.sqrt(np.maximum(squared, 0.0)))

    def lower_bound(self, values: Floats, vectors: Floats) -> Floats:
        """min_i (u_i + h_i) - p.h - r |v| with h = F'v, shape (B,): a lower bound for any v (B, rho)."""
        h = vectors @ self.factor
        return (values + h).min(axis=1) - h @ self.centre - self.radius * np.linalg.norm(vectors, axis=1)

    def pulled_back(self, weights: Floats) -> Floats:
        """``weights`` (B, m) moved towards the centre until they lie in the ball of the full K."""
        shift = weights - self.centre
        length = np.sqrt(np.maximum(np.sum((shift @ self.kernel) * shift, axis=1), 0.0))
        share = np.minimum(1.0, self.radius / np.maximum(length, 1e-300))
        return self.centre + share[:, None] * shift

    def worst(self, values: ArrayLike) -> WorstCase:
        """Solve for every row of ``values`` (B, m).

        Where the point mass at the smallest value lies in the ball, it is the solution.

        Raises
        ------
        CompanionError
            if the iteration stalls far above ``tolerance`` (a defect)
        """
        u, p, _ = _checked(values, self.centre, self.radius)
        rows = len(u)
        weights = np.tile(p, (rows, 1))
        value = u @ p
        lower = value.copy()
        least = u.argmin(axis=1)
        vertex = self.vertex_distance[least] <= self.radius
        weights[vertex] = np.eye(u.shape[1])[least[vertex]]
        value[vertex] = lower[vertex] = u[vertex, least[vertex]]
        spread = np.ptp(u, axis=1)
        hard = np.flatnonzero(~vertex & (spread > 0) & (self.radius > 0))
        if hard.size:
            low, width = u[hard, least[hard]], spread[hard]
            q, bound = _interior_point((u[hard] - low[:, None]) / width[:, None], self)
            weights[hard], value[hard], lower[hard] = q, np.sum(q * u[hard], axis=1), low + width * bound
        return WorstCase(value, weights, lower, np.zeros(rows))


@dataclass(eq=False)
class _Iterate:
    """Primal q, z = F (q - p); dual w, kappa, y, nu; one row per problem still open."""

    u: Floats
    q: Floats
    z: Floats
    w: Floats
    kappa: Floats
    y: Floats

    def keep(self, rows: NDArray[np.bool_]) -> _Iterate:
        return _Iterate(self.u[rows], self.q[rows], self.z[rows], self.w[rows], self.kappa[rows], self.y[rows])


def _interior_point(u: Floats, ball: DiscrepancyBall) -> tuple[Floats, Floats]:
    """Weights (B, m) in the ball and lower bounds (B,) for values scaled to [0, 1].

    Primal-dual method with Nesterov-Todd scaling of the second-order cone and Mehrotra's corrector; dual equality
    w = u + nu - F'y is kept, and the Newton system is reduced to dy directly, because eliminating it last subtracts
    large inverses.
    """
    f, p, r = ball.factor, ball.centre, ball.radius
    m = u.shape[1]
    even = np.full(m, 1.0 / m)
    theta = min(0.5, r / (2.0 * max(float(np.linalg.norm(f @ (even - p))), 1e-300)))
    q0 = (1 - theta) * p + theta * even
    rows = len(u)
    it = _Iterate(
        u,
        np.tile(q0, (rows, 1)),
        np.tile(f @ (q0 - p), (rows, 1)),
        u + 1.0,
        np.full(rows, 1.0 / r),
        np.zeros((rows, len(f))),
    )
    best_q, best_upper, best_lower = np.tile(p, (rows, 1)), u @ p, np.full(rows, -np.inf)
    open_ = np.arange(rows)
    stalled = np.zeros(rows, dtype=int)
    for _ in range(_MOST_ITERATIONS):
        q = ball.pulled_back(it.q)
        upper, lower = np.sum(q * it.u, axis=1), ball.lower_bound(it.u, -it.y)
        better = upper < best_upper[open_]
        best_q[open_[better]], best_upper[open_[better]] = q[better], upper[better]
        risen = lower > best_lower[open_]
        stalled[open_] = np.where(better | risen, 0, stalled[open_] + 1)
        best_lower[open_] = np.maximum(best_lower[open_], lower)
        gap = best_upper[open_] - best_lower[open_]
        # The bounds of the first iterates may be worse than what was known before: from far off, that is no stall.
        going = (gap > ball.tolerance) & ((stalled[open_] < 4) | (gap > _STALLED * ball.tolerance))
        if not going.any():
            break
        if not going.all():
            it, open_ = it.keep(going), open_[going]
        _advance(it, f, r)
    if float(np.max(best_upper - best_lower)) > _STALLED * ball.tolerance:
        raise CompanionError(
            f"the discrepancy ball was left with a gap of {np.max(best_upper - best_lower):.2g}: a defect"
        )
    return best_q, best_lower


def _advance(it: _Iterate, f: Floats, r: float) -> None:
    """One predictor-corrector step, in place."""
    m = it.u.shape[1]
    gap = np.sum(it.q * it.w, axis=1) + r * it.kappa + np.sum(it.z * it.y, axis=1)
    mu = gap / (m + 1)
    cone = _Scaling.of(r, it.z, it.kappa, it.y)
    ratio = it.q / it.w
    matrix = np.matmul(f[None] * ratio[:, None, :], f.T) + cone.inverse_block()
    scale = 1.0 / np.sqrt(np.einsum("brr->br", matrix))
    matrix *= scale[:, :, None] * scale[:, None, :]
    fq = ratio @ f.T

    def right(over: Floats, t0: Floats, t1: Floats) -> Floats:
        return t1 - (2.0 * cone.head * t0 / cone.double)[:, None] * cone.tail - over @ f.T

    def newton(over: Floats, t0: Floats, a: Floats) -> tuple[Floats, ...]:
        dnu = (over.sum(axis=1) + np.sum(fq * a, axis=1)) / denominator
        dy = a + dnu[:, None] * solved
        dw = dnu[:, None] - dy @ f
        dq = over - ratio * dw
        dkappa = (t0 / cone.size - 2.0 * cone.head * np.sum(cone.tail * dy, axis=1)) / cone.double
        return dq, dw, dkappa, dy

    def longest(dq: Floats, dw: Floats, dkappa: Floats, dy: Floats) -> Floats:
        steps = [_orthant_step(it.q, dq), _orthant_step(it.w, dw)]
        dz = dq @ f.T
        steps.append(_cone_step(np.full(len(gap), r), it.z, np.zeros(len(gap)), dz))
        steps.append(_cone_step(it.kappa, it.y, dkappa, dy))
        return np.minimum(1.0, np.min(steps, axis=0))

    t0 = np.full(len(gap), -r)
    both = np.stack([fq, right(-it.q, t0, -it.z)], axis=2)
    solutions = scale[:, :, None] * np.linalg.solve(matrix, scale[:, :, None] * both)
    solved = solutions[:, :, 0]
    denominator = ratio.sum(axis=1) - np.sum(fq * solved, axis=1)
    affine = newton(-it.q, t0, solutions[:, :, 1])
    sigma = (1.0 - longest(*affine)) ** 3
    target = sigma * mu
    t0, t1 = cone.corrected(target, affine[0] @ f.T, affine[2], affine[3])
    over = (target[:, None] - affine[0] * affine[1]) / it.w - it.q
    step = newton(over, t0, scale * _solve(matrix, scale * right(over, t0, t1)))
    length = np.minimum(1.0, _STEP * longest(*step))
    move = length[:, None]
    it.q, it.w, it.y = it.q + move * step[0], it.w + move * step[1], it.y + move * step[3]
    it.z = it.z + move * (step[0] @ f.T)
    it.kappa = it.kappa + length * step[2]


@dataclass(frozen=True, eq=False)
class _Scaling:
    """Nesterov-Todd scaling W = omega (hyperbolic Householder of w) of the cone pair ((r, z), (kappa, y))."""

    head: Floats  # w_0
    tail: Floats  # w_1
    size: Floats  # omega squared
    double: Floats  # 2 w_0^2 - 1
    lam0: Floats  # W (kappa, y)
    lam1: Floats

    @classmethod
    def of(cls, r: float, z: Floats, kappa: Floats, y: Floats) -> _Scaling:
        norm_z, norm_y = np.linalg.norm(z, axis=1), np.linalg.norm(y, axis=1)
        primal = np.sqrt((r - norm_z) * (r + norm_z))
        dual = np.sqrt((kappa - norm_y) * (kappa + norm_y))
        s0, s1 = r / primal, z / primal[:, None]
        d0, d1 = kappa / dual, y / dual[:, None]
        gamma = np.sqrt((1.0 + s0 * d0 + np.sum(s1 * d1, axis=1)) / 2.0)
        tail = (s1 - d1) / (2.0 * gamma)[:, None]
        squared = np.sum(tail**2, axis=1)
        head, size = np.sqrt(1.0 + squared), primal / dual
        lam0, lam1 = _householder(head, tail, kappa, y)
        omega = np.sqrt(size)
        return cls(head, tail, size, 1.0 + 2.0 * squared, omega * lam0, omega[:, None] * lam1)

    def inverse_block(self) -> Floats:
        """omega^2 (I - 2 w_1 w_1' / (1 + 2 |w_1|^2)), shape (B, rho, rho)."""
        outer = self.tail[:, :, None] * self.tail[:, None, :] * (-2.0 / self.double)[:, None, None]
        return self.size[:, None, None] * (np.eye(self.tail.shape[1]) + outer)

    def corrected(self, target: Floats, dz: Floats, dkappa: Floats, dy: Floats) -> tuple[Floats, Floats]:
        """W (Lambda^{-1} residual) with the residual target e - lambda o lambda - (W^{-1} ds) o (W dd)."""
        omega = np.sqrt(self.size)
        a0, a1 = _householder(self.head, -self.tail, np.zeros(len(dkappa)), dz)
        a0, a1 = a0 / omega, a1 / omega[:, None]
        b0, b1 = _householder(self.head, self.tail, dkappa, dy)
        b0, b1 = b0 * omega, b1 * omega[:, None]
        r0 = target - self.lam0**2 - np.sum(self.lam1**2, axis=1) - a0 * b0 - np.sum(a1 * b1, axis=1)
        r1 = -2.0 * self.lam0[:, None] * self.lam1 - a0[:, None] * b1 - b0[:, None] * a1
        norm = np.linalg.norm(self.lam1, axis=1)
        x0 = (self.lam0 * r0 - np.sum(self.lam1 * r1, axis=1)) / ((self.lam0 - norm) * (self.lam0 + norm))
        x1 = (r1 - x0[:, None] * self.lam1) / self.lam0[:, None]
        t0, t1 = _householder(self.head, self.tail, x0, x1)
        return omega * t0, omega[:, None] * t1


def _householder(head: Floats, tail: Floats, x0: Floats, x1: Floats) -> tuple[Floats, Floats]:
    """[w_0, w_1'; w_1, I + w_1 w_1' / (1 + w_0)] (x_0, x_1)."""
    inner = np.sum(tail * x1, axis=1)
    return head * x0 + inner, x1 + (x0 + inner / (1.0 + head))[:, None] * tail


def _solve(matrix: Floats, right: Floats) -> Floats:
    return np.asarray(np.linalg.solve(matrix, right[:, :, None])[:, :, 0], dtype=np.float64)


def _orthant_step(x: Floats, dx: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        limits = np.where(dx < 0, -x / np.where(dx < 0, dx, -1.0), np.inf)
    return limits.min(axis=1)


def _cone_step(x0: Floats, x1: Floats, d0: Floats, d1: Floats) -> Floats:
    """Largest step a with |x_1 + a d_1| <= x_0 + a d_0, from the quadratic c + 2 b a + e a^2 >= 0."""
    norm = np.linalg.norm(x1, axis=1)
    c = (x0 - norm) * (x0 + norm)
    b = x0 * d0 - np.sum(x1 * d1, axis=1)
    e = d0**2 - np.sum(d1**2, axis=1)
    root = np.sqrt(np.maximum(b * b - c * e, 0.0))
    hits = (b < 0) | (e < 0)
    # The smallest positive root, in the form that does not cancel.
    below = np.where(b < 0, -b + root, root - b)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(b < 0, c / below, np.where(e < 0, (b + root) / -e, np.inf))
    real = b * b - c * e >= 0
    return np.where(hits & real & (first > 0), first, np.inf)


@dataclass(frozen=True, eq=False)
class Minmax:
    """The minmax approximation of the discrepancy ball (Tay et al. 2022).

    With m_0 = p.u, w = min u, S = sqrt(sum u^2 - (sum u)^2 / m), e* the distance of the point mass at the smallest value
    and e_l = (m_0 - w) / S:

        r <= e_l        m_0 + r/2 (-S + (w - m_0) / e*)
        e_l < r < e*    (m_0 + r (w - m_0) / e* + w) / 2
        r >= e*         w

    ``reading="code"`` is the published program: m_0 is the unweighted mean of u, the first case never occurs, and when
    any row is of the second case, rows of the third have value 0.

    Parameters
    ----------
    centre : (m,) weights p
    vertex_distance : (m,) distances of the point masses from p
    radius : r
    reading : ``text`` or ``code``
    """

    centre: Floats
    vertex_distance: Floats
    radius: float
    reading: str = "text"

    def __call__(self, u: Floats) -> tuple[Floats, Floats]:
        """Values (B,) for ``u`` (B, m), and their derivatives (B, m) in u."""
        r, (rows, m) = self.radius, u.shape
        text = self.reading == "text"
        base = self.centre if text else np.full(m, 1.0 / m)
        every, least = np.arange(rows), u.argmin(axis=1)
        mean, low = u @ base, u[every, least]
        away = self.vertex_distance[least]
        centred = u - u.mean(axis=1, keepdims=True)
        sensitivity = np.sqrt(np.einsum("bm,bm->b", centred, centred))
        safe_s = np.maximum(sensitivity, 1e-300)
        third = (r >= away) | (sensitivity == 0)
        first = ~third & (r <= (mean - low) / safe_s) if text else np.zeros(rows, dtype=bool)
        share = np.where(third, 0.0, r / np.maximum(away, 1e-300))
        value = np.where(
            first, mean + r / 2 * (-sensitivity) + share / 2 * (low - mean), (mean + share * (low - mean) + low) / 2
        )
        value = np.where(third, low, value)
        on_mean = np.where(third, 0.0, np.where(first, 1.0 - share / 2, (1.0 - share) / 2))
        slope = on_mean[:, None] * base
        slope[every, least] += 1.0 - on_mean
        if first.any():
            slope -= np.where(first, r / 2 / safe_s, 0.0)[:, None] * centred
        if not text and not third.all():
            value, slope = np.where(third, 0.0, value), np.where(third[:, None], 0.0, slope)
        return value, slope

    def bound(self, mean: Floats, some: Floats) -> Floats:
        """Upper bounds (B,) of the values in the text's reading, from bounds ``mean`` (B,) of p.u and ``some`` (B, h) of u.

        Where the smallest value sits is not known: its distance is at most the largest one, which bounds the share of
        the mean in every case; S is at least what the h values alone give.
        """
        low = np.minimum(some.min(axis=1), mean)
        gap = mean - low
        farthest = float(self.vertex_distance.max())
        if self.radius >= farthest:
            return low
        share = self.radius / farthest
        centred = some - some.mean(axis=1, keepdims=True)
        sensitivity = np.sqrt(np.einsum("bh,bh->b", centred, centred))
        first = mean - self.radius / 2 * sensitivity - share / 2 * gap
        return np.maximum(first, mean - (1.0 + share) / 2 * gap)
