r"""Number of points in the dictionary of Algorithm 1: bounds from both sides, and runs to their end.

Notation: noise variance :math:`\sigma^2`, :math:`u=e^{2\epsilon}-1`, variance threshold :math:`\bar\tau=\sigma^2u`,
kernels with :math:`\kappa(x,x)=1`. Theorem 3.1 gives a rate with an unnamed constant; the bounds here have their
constants, and are ours (own-1 to own-5 in the ledger).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from companion.bounds.checks import assumed, at_least
from companion.bounds.confidence import union_bound_log
from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.gp import FinitePosterior, Kernel
from companion.papers.compressed.method.admission import Admission
from companion.papers.compressed.method.policy import VARIANCE_FLOOR, choose

#: Rounds up to e^25 (7e10) are whole numbers in :func:`ucb_to_the_end`. Beyond, one round moves the width by less than
#: 1e-12, so that only the logarithm of the round is kept and a change of the choice is taken at its crossing.
EXACT_LOG_ROUND = 25.0

#: Posterior deviations within this share of each other are equal.
PARALLEL = 1e-12

_CHUNK = 64

# -- bounds ------------------------------------------------------------------------------------------------------------


def copies_kept(u: float, noise_variance: float) -> int:
    r"""Number of times one point, chosen for ever, is kept: :math:`\max(0,\lceil1/u-\sigma^2\rceil)`.

    The smallest n with :math:`\sigma^2/(n+\sigma^2)\le\sigma^2u`. No rule can reject before that many points are kept.
    """
    # A ratio that is whole in exact arithmetic must not be rounded up because 1 / u is a last digit too large.
    ratio = 1.0 / positive_number("u", u) - positive_number("noise_variance", noise_variance)
    return max(0, math.ceil(ratio - 1e-12 * (1.0 / u)))


def order_sandwich(u: float, noise_variance: float, size: int, horizon: int) -> tuple[int, int]:
    r"""own-2: :math:`\min(T,n)\le M_T\le Xn` with :math:`n=\max(0,\lceil1/u-\sigma^2\rceil)`, on X candidates."""
    copies = copies_kept(u, noise_variance)
    return min(whole_number("horizon", horizon), copies), whole_number("size", size) * copies


def feature_radius(kernel: Kernel, squared: float, dim: int = 1) -> float:
    r"""The distance up to which :math:`\|\kappa(x,\cdot)-\kappa(x',\cdot)\|^2=2(\kappa(0)-\kappa(r))\le` ``squared``.

    Infinite where the kernel's features are never farther apart.
    """
    target = positive_number("squared", squared)
    origin, axis = np.zeros((1, dim)), np.eye(dim)[:1]

    def excess(distance: float) -> float:
        return 2.0 * float(kernel(origin)[0, 0] - kernel(origin, distance * axis)[0, 0]) - target

    # 60 doublings of 1e-6: a kernel that has not moved by then never does.
    high = next((1e-6 * 2.0**k for k in range(60) if excess(1e-6 * 2.0**k) > 0), None)
    return math.inf if high is None else float(optimize.brentq(excess, 0.0, high, xtol=1e-15))


def covering_number(kernel: Kernel, dim: int, squared: float, side: float = 1.0) -> int:
    r"""Number of cubes that cover :math:`[0,\text{side}]^p` and have squared diameter at most ``squared`` in feature space.

    :math:`\lceil \text{side}\sqrt p/\rho\rceil^p` with :math:`\rho` of :func:`feature_radius`.
    """
    radius = feature_radius(kernel, squared, dim)
    return max(1, math.ceil(side * math.sqrt(dim) / radius)) ** dim


def covering_order(kernel: Kernel, dim: int, u: float, noise_variance: float, side: float = 1.0) -> int:
    r"""own-3: :math:`M_T\le N\lceil2/u\rceil`, N sets of squared feature diameter :math:`\bar\tau/2` covering the domain.

    With n points in the set of x, equal weights in Lemma 7.1 leave at most :math:`\bar\tau/2+\sigma^2/n` there.
    """
    cells = covering_number(kernel, dim, 0.5 * positive_number("noise_variance", noise_variance) * u, side)
    return cells * math.ceil(2.0 / u * (1 - 1e-12))


def mean_variance_floor(eigenvalues: ArrayLike, order: float, noise_variance: float) -> float:
    r"""own-5: what M observations leave at least, on average over N points, under a circulant kernel.

    .. math:: \frac1N\sum_x\sigma_D^2(x)\ge\frac1N\sum_i\frac{\lambda_i}{1+M\lambda_i/(N\sigma^2)}

    In the Fourier basis the posterior precision has the diagonal :math:`1/\lambda_i+M/(N\sigma^2)`, wherever the points
    are, and :math:`(A^{-1})_{ii}\ge1/A_{ii}`.

    Parameters
    ----------
    eigenvalues : (N,) of the covariance, which sum to N
    order : M, at least 0
    noise_variance : sigma^2
    """
    values = np.asarray(eigenvalues, dtype=float)
    at_least(0.0, eigenvalues=values, order=order)
    total = float(values.sum()) / len(values)
    assumed(abs(total - 1.0) <= 1e-6, f"the eigenvalues of a unit variance sum to N; they sum to {total:.6g} N")
    return float(np.mean(values / (1.0 + order * values / (len(values) * noise_variance))))


def circulant_least_order(eigenvalues: ArrayLike, noise_variance: float, threshold: float) -> int:
    """own-5: the least number of points with which no variance exceeds ``threshold``; from :func:`mean_variance_floor`."""
    values = np.asarray(eigenvalues, dtype=float)
    noise = positive_number("noise_variance", noise_variance)
    return _first(lambda m: mean_variance_floor(values, m, noise) <= threshold, positive_number("threshold", threshold))


def circle_variance_floor(order: float, lengthscale: float, noise_variance: float) -> float:
    r""":func:`mean_variance_floor` for the exponential kernel on the whole circle of circumference 1, in closed form.

    The kernel :math:`\cosh((\frac12-h)/\ell)/\cosh(1/(2\ell))` has Fourier coefficients :math:`A/(1+(2\pi k\ell)^2)`,
    :math:`A=2\ell\tanh(1/(2\ell))`, and with :math:`c^2=1+MA/\sigma^2`

    .. math:: \sum_k\frac{A}{c^2+(2\pi k\ell)^2}=\frac{A\coth(c/(2\ell))}{2\ell c}.
    """
    at_least(0.0, order=order)
    amplitude = 2.0 * lengthscale * math.tanh(0.5 / lengthscale)
    c = math.sqrt(1.0 + order * amplitude / noise_variance)
    return amplitude / (2.0 * lengthscale * c * math.tanh(0.5 * c / lengthscale))


def circle_least_order(lengthscale: float, noise_variance: float, threshold: float) -> int:
    r"""own-5 on the circle with the exponential kernel; of order :math:`u^{-2}` for small u, whatever the dictionary."""
    scale, noise = positive_number("lengthscale", lengthscale), positive_number("noise_variance", noise_variance)
    return _first(
        lambda m: circle_variance_floor(m, scale, noise) <= threshold, positive_number("threshold", threshold)
    )


def _first(holds: Callable[[int], bool], threshold: float) -> int:
    """Smallest whole number at which a condition that stays true from some number on is true."""
    if holds(0):
        return 0
    high = 1
    while not holds(high):
        high *= 2
        if high > 1 << 62:
            raise ParameterError("threshold", f"{threshold:g} is out of reach of 2^62 points", "a larger threshold")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


# -- kernels on circles and tori ---------------------------------------------------------------------------------------


def torus_row(kernel: Kernel, points_per_axis: int, dim: int = 1) -> Floats:
    r"""Covariances (n, ..., n) of the origin with n^p equispaced points of the torus :math:`[0,1)^p`.

    The kernel is summed over shifts by whole numbers and scaled to 1 at distance 0; for the exponential kernel and p = 1
    that is :math:`\cosh((\frac12-h)/\ell)/\cosh(1/(2\ell))`. For length-scales up to 0.25: with shifts up to 6, what is
    left out is below 1e-9.
    """
    n = whole_number("points_per_axis", points_per_axis, 2)
    axes = np.meshgrid(*([np.arange(n) / n] * dim), indexing="ij")
    places = np.stack([axis.ravel() for axis in axes], axis=1)
    shifts = np.stack([s.ravel() for s in np.meshgrid(*([np.arange(-6.0, 7.0)] * dim), indexing="ij")], axis=1)
    row = np.sum([kernel(np.zeros((1, dim)), places + shift)[0] for shift in shifts], axis=0)
    return np.asarray(row / row[0]).reshape((n,) * dim)


def torus_eigenvalues(kernel: Kernel, points_per_axis: int, dim: int = 1) -> Floats:
    """Eigenvalues (N,), N = n^p, of the covariance of :func:`torus_covariance`, by Fourier transform; they sum to N."""
    values = np.maximum(np.fft.fftn(torus_row(kernel, points_per_axis, dim)).real.ravel(), 0.0)
    return np.asarray(values * (len(values) / values.sum()))


def torus_covariance(kernel: Kernel, points_per_axis: int, dim: int = 1) -> Floats:
    """Covariance (N, N) of the n^p equispaced points, from :func:`torus_row`."""
    row, n = torus_row(kernel, points_per_axis, dim), points_per_axis
    index = np.stack(np.unravel_index(np.arange(n**dim), (n,) * dim), axis=1)
    apart = (index[:, None, :] - index[None, :, :]) % n
    covariance = row[tuple(np.moveaxis(apart, 2, 0))]
    return np.ascontiguousarray(0.5 * (covariance + covariance.T))


# -- pure exploration --------------------------------------------------------------------------------------------------


def exploration_peaks(
    covariance: ArrayLike, noise_variance: float, threshold: float, limit: int = 20000
) -> tuple[Indices, Floats]:
    """Rule (2.4): keep the candidate of largest variance until none exceeds ``threshold``.

    Returns
    -------
    (M,) points, and (M + 1,) the largest variance after 0, ..., M of them; the last is the first at most ``threshold``

    Raises
    ------
    ParameterError
        if ``limit`` points do not suffice
    """
    matrix = np.asarray(covariance, dtype=float)
    posterior = FinitePosterior(matrix, noise_variance, capacity=4 * _CHUNK)
    variance = np.diagonal(matrix).copy()
    peaks = [float(variance.max())]
    while peaks[-1] > threshold:
        if posterior.count >= limit:
            raise ParameterError("threshold", f"{threshold:g} is not reached with {limit} points", "a larger one")
        done = posterior.count
        posterior.select_max_variance(_CHUNK)
        for row in posterior.factor[0][done:]:
            variance = np.maximum(variance - row**2, 0.0)
            peaks.append(float(variance.max()))
    order = order_at(np.array(peaks), threshold)
    return posterior.indices[0, :order].astype(np.intp), np.array(peaks[: order + 1])


def order_at(peaks: Floats, threshold: float) -> int:
    """Number of points kept by :func:`exploration_peaks` for a threshold at least that of the run."""
    return int(np.argmax(peaks <= threshold))


# -- UCB to the end ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FrozenRun:
    """A run of compressed UCB in which stretches of equal choices are skipped.

    Attributes
    ----------
    indices : (M,) candidates kept, in order
    log_rounds : (M,) natural logarithm of the rounds at which they were kept
    starts : (S,) natural logarithm of the first round of every stretch of equal choices
    arms : (S,) the choice in that stretch
    settled : whether nothing will ever be kept again, which is when no candidate's variance exceeds the threshold
    covered : whether the event of Lemma 8.1 holds: the function lies within the confidence bounds in every round. While a
        posterior stays the bounds widen, so that its first round decides
    mean, variance : (N,) at the end
    """

    indices: Indices
    log_rounds: Floats
    starts: Floats
    arms: Indices
    settled: bool
    covered: bool
    mean: Floats
    variance: Floats

    @property
    def order(self) -> int:
        """M at the end of the run."""
        return len(self.indices)

    def order_after(self, horizon: float) -> int:
        """M_T after ``horizon`` rounds."""
        return int(np.sum(self.log_rounds <= math.log(horizon) + 1e-12))

    def cumulative_regret(self, regret: Floats, horizon: int) -> float:
        """Regret of rounds 1, ..., T, kept or not; ``regret`` (N,) of the candidates, T up to e^25."""
        first = np.round(np.exp(self.starts[self.starts < EXACT_LOG_ROUND]))
        edges = np.minimum(np.append(first, np.inf), horizon + 1.0)
        return float(np.sum(np.diff(edges) * regret[self.arms[: len(first)]]))


def ucb_to_the_end(
    covariance: ArrayLike,
    noise_variance: float,
    threshold: float,
    values: ArrayLike,
    noise: ArrayLike,
    delta: float,
    log_limit: float = math.inf,
) -> FrozenRun:
    r"""Algorithm 1 under UCB with :math:`\beta_t=2\log(Xt^2\pi^2/(6\delta))`, without computing rejected rounds.

    While the choice i is rejected nothing but :math:`b=\sqrt{\beta_t}` changes. The next choice is the j with
    :math:`\sigma_j>\sigma_i` whose line :math:`\mu_j+b\sigma_j` crosses first, at
    :math:`b=(\mu_i-\mu_j)/(\sigma_j-\sigma_i)`, in the round with
    :math:`\log t=\frac14(b^2-2\log(X\pi^2/(6\delta)))`. With no such j the run has settled for good: i has the largest
    variance, which is at most the threshold.

    Parameters
    ----------
    covariance : (N, N) prior covariance
    noise_variance : sigma^2
    threshold : a point is kept if its variance exceeds this
    values : (N,) the function
    noise : (m,) noise of the observations, in the order in which points are kept; recycled when used up
    delta : failure level in beta_t
    log_limit : stop before the round whose natural logarithm exceeds this
    """
    f, errors = np.asarray(values, dtype=float), np.asarray(noise, dtype=float)
    posterior = FinitePosterior(np.asarray(covariance, dtype=float), noise_variance)
    rule = Admission("info", threshold)
    # beta_t of finite_beta from log t, as t itself may be larger than any float.
    constant = 2.0 * union_bound_log(1, len(f), delta)
    log_round, number, settled, covered, checked = 0.0, 1, False, True, -1
    forced = following = -1
    kept: list[tuple[int, float]] = []
    stretches: list[tuple[float, int]] = []
    while True:
        mean, sd = posterior.mean[0], np.sqrt(np.maximum(posterior.variance[0], VARIANCE_FLOOR))
        width = math.sqrt(constant + 4.0 * log_round)
        if checked < posterior.count:
            checked = posterior.count
            covered = covered and bool(np.all(np.abs(f - mean) <= width * sd))
        arm = forced
        if forced < 0:
            chosen = choose("ucb", mean, posterior.variance[0], width, -math.inf)
            arm = _in_front(chosen, following, mean + width * sd, sd)
        forced = following = -1
        if not stretches or stretches[-1][1] != arm:
            stretches.append((log_round, arm))
        if rule.admits(float(posterior.variance[0, arm])):
            posterior.observe(arm, float(f[arm] + errors[len(kept) % len(errors)]))
            kept.append((arm, log_round))
            crossing = log_round
        else:
            following, crossed = _next_choice(mean, sd, arm)
            if settled := following < 0:
                break
            crossing = max(log_round, (crossed**2 - constant) / 4.0)
            forced = following if crossing >= EXACT_LOG_ROUND else -1
        if crossing < EXACT_LOG_ROUND:
            number = max(number + 1, math.ceil(math.exp(crossing)))
            log_round = math.log(number)
        else:
            log_round = crossing
        if log_round > log_limit:
            break
    indices, rounds = (np.array(column) for column in zip(*kept, strict=True)) if kept else (np.zeros(0), np.zeros(0))
    starts, arms = (np.array(column) for column in zip(*stretches, strict=True))
    return FrozenRun(
        indices.astype(np.intp),
        rounds.astype(float),
        starts,
        arms.astype(np.intp),
        settled,
        covered,
        posterior.mean[0].copy(),
        posterior.variance[0].copy(),
    )


def _in_front(arm: int, following: int, score: Floats, sd: Floats) -> int:
    """The choice; ``following`` if that is ahead of it by its deviation, and behind only by rounding.

    Of two candidates whose deviations differ by 1e-10, the score cannot tell for millions of rounds which is ahead.
    """
    near = following >= 0 and score[arm] - score[following] <= 1e-12 * (1.0 + abs(score[arm]))
    return following if near and sd[following] > sd[arm] else arm


def _next_choice(mean: Floats, sd: Floats, arm: int) -> tuple[int, float]:
    """The candidate that overtakes ``arm`` first as the width grows, and the width; (-1, inf) where none ever does."""
    # Deviations that symmetry makes equal differ by rounding; lines as parallel as that never cross.
    wider = np.flatnonzero(sd > sd[arm] * (1.0 + PARALLEL))
    if not wider.size:
        return -1, math.inf
    widths = (mean[arm] - mean[wider]) / (sd[wider] - sd[arm])
    # Of several that cross together, the one with the largest deviation is in front afterwards.
    best = np.lexsort((-sd[wider], widths))[0]
    return int(wider[best]), float(widths[best])
