"""Certified two-sided bounds on the maximum information gain of T picks from a finite candidate set.

``gamma_T = max over multisets A of T candidates of 1/2 log det(I + K_AA / sigma^2)``  (Srinivas et al. 2010).
Maximising exactly is NP-hard. The lower end is the gain of a multiset that was actually found; the upper end is the
smallest of four bounds, each proved where it is computed:

================= ==================================================== ==========================================
``submodular``    :func:`companion.information.upper.submodular_bound` tight for small T at high noise
``spectral``      :func:`companion.information.upper.spectral_bound`   needs no design, tight for T far above N
``design``        :mod:`companion.information.design`                  tight once T exceeds the effective dimension
``factorization`` :mod:`companion.information.design`                  tight throughout, decisive for small T
================= ==================================================== ==========================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats, Integers
from companion.core.calls import one_line
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.gp.kernels import kernel_by_name
from companion.gp.sampling import grid
from companion.information.design import Certificate, choose_rank, evaluate, features, relax
from companion.information.gain import (
    check_covariance,
    cumulative_information_gain,
    gain_from_below,
    gain_of_copies,
)
from companion.information.greedy import GreedyGain, exchange, greedy_gain
from companion.information.upper import Spectrum, spectral_bound, spectrum, submodular_bound

#: Names of the upper bounds, in the order in which ties for the smallest are resolved.
UPPER_BOUNDS = ("submodular", "spectral", "design", "factorization")
MAX_HORIZON = 10_000_000
MAX_CANDIDATES = 8_000

#: Longest greedy path; above it the lower end comes from scaled-up sets.
_PATH_LIMIT = 4_000
#: T N^2 above which exchanges would dominate the time.
_EXCHANGE_WORK = 3e8
#: No exchanges where the bracket is already this narrow.
_EXCHANGE_TARGET = 1.005
#: Share of the gain that directions left out of the features may add to a bound.
_TAIL_SHARE = 1e-3
#: Picks a point from which on every gain gets its own factor: a 64th of the work or less.
_REPEATS = 4
#: Horizons between two relaxed designs of a curve; the bound loses under 1 % in between.
_ANCHOR_RATIO = 1.5

PrefixGain = Callable[[int], float]


@dataclass(frozen=True)
class GainBracket:
    """Two-sided bound ``lower <= gamma_T <= upper``, in nats.

    Attributes
    ----------
    horizon : T
    noise_variance : sigma^2
    lower : gain of ``lower_indices``, less what rounding may have added to it
    upper : smallest of ``ends``
    source : name of the bound that gave ``upper``
    ends : every upper bound by name (:data:`UPPER_BOUNDS`)
    lower_source : ``greedy``, ``exchange`` (greedy improved by exchanges) or ``rounding`` (of a relaxed design)
    lower_points : (n,) candidates of the multiset that achieves ``lower``
    lower_copies : (n,) how often each of them is picked

    Examples
    --------
    >>> import companion as cp
    >>> bracket = cp.certified_gain(cp.kernel("se", 0.2), 20, noise_sd=0.1, candidates=cp.grid(40, dim=1))
    >>> bracket.source, len(bracket.lower_indices), bracket.ratio < 1.01
    ('design', 20, True)
    """

    horizon: int
    noise_variance: float
    lower: float
    upper: float
    source: str
    lower_source: str
    ends: dict[str, float]
    lower_points: Integers = field(repr=False, compare=False)
    lower_copies: Integers = field(repr=False, compare=False)

    __repr__ = one_line

    @property
    def lower_indices(self) -> Integers:
        """(T,) the multiset that achieves ``lower``, pick by pick; not kept, since T may be ten million."""
        return np.repeat(self.lower_points, self.lower_copies)

    @property
    def ratio(self) -> float:
        """``upper / lower``, at least 1."""
        return self.upper / self.lower


@dataclass(frozen=True)
class _Effort:
    """Effort on each relaxed design: rounds, relative duality gap to stop at, largest number of features."""

    rounds: int
    gap: float
    max_rank: int


def gain_bracket(
    covariance: ArrayLike,
    horizon: int,
    noise_variance: float,
    *,
    rounds: int = 40,
    gap: float = 2e-3,
    exchange_passes: int = 2,
    max_rank: int = 1000,
) -> GainBracket:
    """Certified two-sided bound on the maximum information gain of ``horizon`` picks, repeats allowed.

    Parameters
    ----------
    covariance : (N, N) prior covariance of the candidates, symmetric positive semi-definite
    horizon : T, from 1 to 10**7; may exceed N
    noise_variance : sigma^2
    rounds, gap : the relaxed design stops after so many rounds or at this relative duality gap
    exchange_passes : sweeps of exchanges that may improve the greedy set; 0 keeps the greedy set. Exchanges are left
        out where the bracket is already within 0.5 % or where T N^2 exceeds 3e8
    max_rank : largest number of eigenfeatures in the relaxed designs; what they leave out is accounted for

    Raises
    ------
    ParameterError
        for an argument out of range or a covariance that is not symmetric positive semi-definite
    ConditioningError
        when the noise variance is too small beside the prior variance for float64

    Examples
    --------
    >>> import companion as cp
    >>> from companion.information import gain_bracket
    >>> covariance = cp.Matern(2.5, 0.3)(cp.grid(30, dim=1))
    >>> bracket = gain_bracket(covariance, horizon=10, noise_variance=0.01)
    >>> print(f"{bracket.lower:.2f} to {bracket.upper:.2f} nats")
    14.33 to 14.52 nats
    """
    steps = whole_number("horizon", horizon, 1, MAX_HORIZON)
    effort = _effort(rounds, gap, max_rank)
    whole_number("exchange_passes", exchange_passes, 0)
    matrix, noise = check_covariance(covariance), positive_number("noise_variance", noise_variance)
    spec = spectrum(matrix)
    path, gains = _path(matrix, steps, noise)
    designs = _designs(spec, [steps], noise, gains, effort)
    if designs[0].squares.shape[1] > min(steps, len(matrix)):  # otherwise the two relaxations agree
        reached = gains(steps)
        designs.append(_optimal_design(spec, steps, noise, reached, effort))
    ends = _upper_ends(spec, path, designs, np.array([steps]), noise)[0]
    lower, source, points, copies = _lower_end(matrix, path, gains, designs, steps, noise)
    upper = min(ends.values())
    worthwhile = upper > _EXCHANGE_TARGET * lower and steps * len(matrix) ** 2 <= _EXCHANGE_WORK
    if exchange_passes and worthwhile and steps <= len(path.indices):
        improved = exchange(matrix, np.repeat(points, copies), noise, exchange_passes)
        value = gain_of_copies(matrix, *np.unique(improved, return_counts=True), noise)
        if value > lower:
            lower, source, points, copies = value, "exchange", improved, np.ones_like(improved)
    return _bracket(matrix, steps, noise, source, points, copies, ends)


def gain_bracket_curve(
    covariance: ArrayLike,
    horizons: Sequence[int] | Integers,
    noise_variance: float,
    *,
    rounds: int = 25,
    gap: float = 3e-3,
    max_rank: int = 600,
) -> tuple[GainBracket, ...]:
    """Certified two-sided bounds at many horizons, sharing one eigendecomposition and one greedy path.

    Relaxed designs are computed at a geometric grid of anchor horizons only. Scaled to another horizon a design still
    certifies a bound there (:func:`companion.information.design.evaluate`), and the smallest over all anchors is taken,
    so further horizons cost little; ``ends['design']`` is the D-optimal bound at those same designs, not at its own
    optimum. The lower ends are greedy. Arguments and errors as in :func:`gain_bracket`;
    ``horizons`` need not be sorted, and the result follows their order.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.information import gain_bracket_curve
    >>> covariance = cp.Matern(2.5, 0.3)(cp.grid(30, dim=1))
    >>> curve = gain_bracket_curve(covariance, [1, 10, 100], noise_variance=0.01)
    >>> [f"{bracket.upper:.1f}" for bracket in curve]
    ['2.3', '14.5', '25.9']
    """
    steps = _check_horizons(horizons)
    effort = _effort(rounds, gap, max_rank)
    matrix, noise = check_covariance(covariance), positive_number("noise_variance", noise_variance)
    spec = spectrum(matrix)
    path, gains = _path(matrix, int(steps.max()), noise)
    designs = _designs(spec, _anchors(int(steps.min()), int(steps.max())), noise, gains, effort)
    ends = _upper_ends(spec, path, designs, steps, noise)
    lowers = [_lower_end(matrix, path, gains, designs, int(t), noise, rounding=False) for t in steps]
    return tuple(
        _bracket(matrix, int(t), noise, *low[1:], end) for t, low, end in zip(steps, lowers, ends, strict=True)
    )


def maximum_gain_of_grid(
    kernel_name: str, lengthscale: float, dim: int, points_per_axis: int, noise_sd: float, horizon: int
) -> GainBracket:
    """:func:`gain_bracket` for a unit-variance kernel on the regular grid of [0,1]^dim.

    Parameters
    ----------
    kernel_name : one of :data:`companion.gp.kernels.KERNEL_NAMES`
    lengthscale : in units of the cube's side
    dim, points_per_axis : the grid has points_per_axis**dim points, at most 8000
    noise_sd : standard deviation sigma of the observation noise, in units of the prior standard deviation
    horizon : T

    Raises
    ------
    ParameterError
        for an unknown kernel or an argument out of range

    Examples
    --------
    >>> from companion.information import maximum_gain_of_grid
    >>> bracket = maximum_gain_of_grid("matern52", 0.2, dim=1, points_per_axis=20, noise_sd=0.1, horizon=20)
    >>> print(f"{bracket.lower:.1f} to {bracket.upper:.1f} nats")
    22.4 to 22.4 nats
    """
    whole_number("dim", dim)
    whole_number("points_per_axis", points_per_axis)
    whole_number("horizon", horizon, 1, MAX_HORIZON)
    noise = positive_number("noise_sd", noise_sd)
    kernel = kernel_by_name(kernel_name, positive_number("lengthscale", lengthscale))
    if points_per_axis > 1 and dim * np.log(points_per_axis) > np.log(MAX_CANDIDATES) + 1e-9:
        raise ParameterError(
            "points_per_axis",
            f"{points_per_axis}^{dim} candidates are too many for an eigendecomposition",
            f"at most {MAX_CANDIDATES} grid points in all",
        )
    return gain_bracket(kernel(grid(points_per_axis, dim)), horizon, noise**2)


def _effort(rounds: int, gap: float, max_rank: int) -> _Effort:
    return _Effort(whole_number("rounds", rounds), positive_number("gap", gap), whole_number("max_rank", max_rank))


def _check_horizons(horizons: Sequence[int] | Integers) -> Integers:
    listed = list(np.atleast_1d(np.asarray(horizons, dtype=object)))
    if not listed:
        raise ParameterError("horizons", "is empty", "at least one horizon")
    return np.array([whole_number("horizons", t, 1, MAX_HORIZON) for t in listed], dtype=np.int64)


def _path(matrix: Floats, horizon: int, noise: float) -> tuple[GreedyGain, PrefixGain]:
    """Greedy path somewhat beyond the horizon, for the submodular bound, and the gains of its prefixes."""
    steps = min(horizon + horizon // 4 + 16, _PATH_LIMIT)
    path = greedy_gain(matrix, steps, noise)
    return path, _prefix_gain(matrix, path.indices, noise)


def _prefix_gain(matrix: Floats, picks: Integers, noise: float) -> PrefixGain:
    """Gain of the first t of ``picks``, as a function of t; of all of them where t is larger.

    The diagonal of one factor of all picks lists it for every t. Where picks repeat few points over and over, the factor
    of the distinct ones is so much smaller that each t that is asked for gets its own.
    """
    if len(picks) < _REPEATS * len(np.unique(picks)):
        gains = cumulative_information_gain(matrix, picks, noise)
        return lambda t: float(gains[min(t, len(gains)) - 1])
    return cache(lambda t: gain_of_copies(matrix, *np.unique(picks[:t], return_counts=True), noise))


def _anchors(low: int, high: int) -> list[int]:
    count = 1 + int(np.ceil(np.log(high / low) / np.log(_ANCHOR_RATIO)))
    return sorted({round(t) for t in np.geomspace(low, high, count)})


def _designs(
    spec: Spectrum, horizons: list[int], noise: float, gains: PrefixGain, effort: _Effort
) -> list[Certificate]:
    """One rank-limited relaxed design per horizon, each started from its predecessor."""
    size = len(spec.values)
    weights, found = np.full(size, 1 / size), []
    for horizon in horizons:
        allowance = _TAIL_SHARE * gains(horizon)
        feats = features(spec, noise, choose_rank(spec, horizon, noise, allowance, effort.max_rank))
        found.append(relax(feats, horizon, weights, effort.rounds, effort.gap))
        # Uniform weight keeps every point reachable: the multiplicative update revives small weights slowly.
        weights = 0.9 * found[-1].weights + 0.1 / size
    return found


def _optimal_design(spec: Spectrum, horizon: int, noise: float, gain: float, effort: _Effort) -> Certificate:
    """The D-optimal relaxed design proper, with as many features as its own bound needs."""
    size = len(spec.values)
    rank = choose_rank(spec, horizon, noise, _TAIL_SHARE * gain, effort.max_rank, "design")
    start = np.full(size, 1 / size)
    return relax(features(spec, noise, rank), horizon, start, effort.rounds, effort.gap, "design")


def _upper_ends(
    spec: Spectrum, path: GreedyGain, designs: list[Certificate], horizons: Integers, noise: float
) -> list[dict[str, float]]:
    """All upper bounds at every horizon."""
    relaxed = {
        kind: np.min([evaluate(certificate, horizons, kind) for certificate in designs], axis=0)
        for kind in ("design", "factorization")
    }
    return [
        {
            "submodular": submodular_bound(path, int(t), noise),
            "spectral": spectral_bound(spec, int(t), noise),
            "design": float(relaxed["design"][h]),
            "factorization": float(relaxed["factorization"][h]),
        }
        for h, t in enumerate(horizons)
    ]


def _lower_end(
    matrix: Floats,
    path: GreedyGain,
    gains: PrefixGain,
    designs: list[Certificate],
    horizon: int,
    noise: float,
    rounding: bool = True,
) -> tuple[float, str, Integers, Integers]:
    """Largest gain among the sets at hand, its origin, and the set: candidates, and how often each is picked."""
    size = len(matrix)
    within = horizon <= len(path.indices)
    if within:
        picks = path.indices[:horizon]
        best = (gains(horizon), "greedy", picks, np.ones_like(picks))
        if not rounding:
            return best
    else:
        points, copies = _support(apportion(np.bincount(path.indices, minlength=size) / len(path.indices), horizon))
        best = (gain_of_copies(matrix, points, copies, noise), "rounding", points, copies)
    for certificate in designs:
        points, copies = _support(apportion(certificate.weights, horizon))
        value = gain_of_copies(matrix, points, copies, noise)
        if value > best[0]:
            best = (value, "rounding", points, copies)
    return best


def apportion(weights: Floats, total: int) -> Integers:
    """Integers of the given sum near ``total * weights``: floors, then largest remainders, lowest index on ties."""
    exact = weights / weights.sum() * total
    copies = np.floor(exact).astype(np.int64)
    missing = total - int(copies.sum())
    if missing > 0:
        copies[np.argsort(copies - exact, kind="stable")[:missing]] += 1
    elif missing < 0:  # the weights' sum rounded upwards
        copies[np.argmax(copies)] += missing
    return copies


def _support(copies: Integers) -> tuple[Integers, Integers]:
    distinct = np.flatnonzero(copies)
    return distinct, copies[distinct]


def _bracket(
    matrix: Floats,
    horizon: int,
    noise: float,
    source: str,
    points: Integers,
    copies: Integers,
    ends: dict[str, float],
) -> GainBracket:
    name = min(UPPER_BOUNDS, key=lambda bound: ends[bound])
    distinct, first = np.unique(points, return_inverse=True)
    lower = gain_from_below(matrix, distinct, np.bincount(first, weights=copies), noise)
    return GainBracket(horizon, noise, lower, ends[name], name, source, ends, points, copies)
