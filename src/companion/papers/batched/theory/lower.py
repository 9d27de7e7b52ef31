"""Lower bounds on expected regret with every constant: Theorem 2, its building blocks, and Corollary 1.

For the reference times T_1 < … < T_B = T of Prop. 5 there is one class of M_i bumps of height 2ε_i for each i. Batch i
is bad (event A_i) if it starts before T_{i-1} and ends at T_i or later; whatever the batches, one of them is. A bad
batch has to be played without telling the functions of class i apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import special

from companion.bounds.checks import real
from companion.core.errors import AssumptionError, ParameterError, positive_number, whole_number
from companion.papers.batched.method.sizes import eta, reference_times
from companion.papers.batched.problems.catalogue import LARGEST_DOMAIN, ModelledProblem, cached_covariance
from companion.papers.batched.problems.hard_class import BumpFamily, HardClass, leakage_constant
from companion.problems import FiniteProblem

#: (M-1)/M >= 3/4 in line (100).
LEAST_SIZE = 4
#: Keeps rounding in w(ε) from losing the last cell.
SHRINK = 1.0 - 1e-9


def average_total_variation_bound(epsilon: float, size: int, rounds: float, noise_sd: float, dim: int) -> float:
    """Lemma 6: (1/M) Σ_m TV(P_0^t, P_m^t) ≤ (√C_F ε / 2σ) √(t/M), for every algorithm.

    Parameters
    ----------
    epsilon, size : ε and M of the class
    rounds : t
    noise_sd : σ
    dim : d, which fixes C_F for the bumps of :mod:`.hard_class`
    """
    eps = real("epsilon", epsilon, 0.0, open_ends="low")
    sd = real("noise_sd", noise_sd, 0.0, open_ends="low")
    ratio = real("rounds", rounds, 0.0) / whole_number("size", size, 1)
    return math.sqrt(leakage_constant(dim) * ratio) * eps / (2.0 * sd)


def design_total_variations(hard: HardClass, design: Any, noise_sd: float) -> np.ndarray:
    """TV(P_0, P_m) after observing a fixed design, exactly: 2Φ(‖f_m(x_{1:t})‖/2σ) - 1, shape (M,).

    Parameters
    ----------
    hard : the class
    design : x_1..x_t, shape (t, d), chosen without looking at observations
    noise_sd : σ
    """
    distance = np.linalg.norm(hard.values(design), axis=1) / real("noise_sd", noise_sd, 0.0, open_ends="low")
    return special.erf(distance / (2.0 * math.sqrt(2.0)))


def class_regret_bound(
    epsilon: float, size: int, start: float, end: float, noise_sd: float, probability: float, dim: int
) -> float:
    """Eq. (96): bound on the expected regret averaged over one class.

    (1/M) Σ_m E_m[R_T] ≥ ε (T_i - T_{i-1}) ((M-1)/M · P_0(A_i) - (3√C_F ε / 4σ) √(T_{i-1}/M)).

    Parameters
    ----------
    epsilon, size : ε_i and M_i
    start, end : T_{i-1} and T_i
    noise_sd : σ
    probability : P_0(A_i), probability of a bad batch i when the function is zero
    dim : d

    Returns
    -------
    the right-hand side; regret is not negative, so a negative value says nothing
    """
    chance = real("probability", probability, 0.0, 1.0)
    if not 0.0 <= start < end:
        raise ParameterError("start", f"got start = {start!r}, end = {end!r}", "0 <= start < end")
    variation = average_total_variation_bound(epsilon, size, start, noise_sd, dim)
    return epsilon * (end - start) * ((size - 1) / size * chance - 1.5 * variation)


@dataclass(frozen=True)
class ReferenceClass:
    """The class used for batch i: height ε, number of functions M = cells^d, and the rounds T_{i-1} to T_i."""

    epsilon: float
    cells: int
    size: int
    start: int
    end: int


@dataclass(frozen=True)
class RegretLowerBound:
    """Theorem 2 evaluated.

    Attributes
    ----------
    value : (3/(8B)) min_i ε_i (T_i - T_{i-1}), which max_f E[R_T] cannot go below
    classes : the class of every i
    """

    value: float
    classes: tuple[ReferenceClass, ...]

    @property
    def batches(self) -> int:
        """B."""
        return len(self.classes)

    def class_bounds(self, probabilities: Sequence[float], noise_sd: float, dim: int) -> np.ndarray:
        """Eq. (96) for every class, given P_0(A_1)..P_0(A_B) of an algorithm, shape (B,)."""
        if len(probabilities) != self.batches:
            raise ParameterError("probabilities", f"has {len(probabilities)} entries", f"{self.batches} of them")
        return np.array(
            [
                class_regret_bound(c.epsilon, c.size, c.start, c.end, noise_sd, p, dim)
                for c, p in zip(self.classes, probabilities, strict=True)
            ]
        )


def theorem2_value(classes: Sequence[ReferenceClass], noise_sd: float, dim: int) -> float:
    """Theorem 2 with its constants, for given classes: (3/(8B)) min_i ε_i (T_i - T_{i-1}).

    Raises
    ------
    AssumptionError
        unless T_0 = 0 and the times increase without gaps, every M_i ≥ 4, and every class is still hidden at T_{i-1}:
        √C_F ε_i √(T_{i-1}/M_i) ≤ σ/(2B)
    """
    count = len(classes)
    sd = real("noise_sd", noise_sd, 0.0, open_ends="low")
    if not classes or classes[0].start != 0 or any(before.end != after.start for before, after in pairwise(classes)):
        raise AssumptionError("Theorem 2 needs consecutive reference times that start at 0")
    for number, item in enumerate(classes, 1):
        if item.start >= item.end:
            raise AssumptionError(f"Theorem 2 needs increasing times; class {number} has {item.start} to {item.end}")
        if item.size < LEAST_SIZE:
            raise AssumptionError(f"Theorem 2 needs M of at least {LEAST_SIZE}; class {number} has {item.size}")
        visible = math.sqrt(leakage_constant(dim) * item.start / item.size) * item.epsilon
        if visible > sd / (2 * count) * (1.0 + 1e-12):
            raise AssumptionError(
                f"class {number} is not hidden: {visible:.4g} exceeds sigma/(2B) = {sd / (2 * count):.4g}"
            )
    return 3.0 / (8.0 * count) * min(item.epsilon * (item.end - item.start) for item in classes)


def hidden_epsilon(family: BumpFamily, start: int, batches: int, noise_sd: float) -> float:
    """The largest ε with M(ε) ≥ 4 and, for T_{i-1} > 0, √C_F ε √(T_{i-1}/M(ε)) ≤ σ/(2B) (to a relative 1e-9).

    Let ε_m be the largest ε with m cells per axis, and κ = σ/(2B√(C_F T_{i-1})). A class with at least m cells per axis
    may have ε up to min{ε_m, κ m^{d/2}}; the first decreases and the second increases with m, so the best m is where
    they cross.

    Parameters
    ----------
    family : kernel, dimension and norm bound
    start : T_{i-1}
    batches : B
    noise_sd : σ
    """
    least = 1
    while least**family.dim < LEAST_SIZE:
        least += 1
    begin = whole_number("start", start, 0)
    if begin == 0:
        return math.exp(family.log_epsilon_for_cells(least)) * SHRINK
    sd = real("noise_sd", noise_sd, 0.0, open_ends="low")
    log_kappa = math.log(sd / (2.0 * whole_number("batches", batches, 1)))
    log_kappa -= 0.5 * math.log(leakage_constant(family.dim) * begin)

    def allowed(cells: int) -> float:
        return log_kappa + 0.5 * family.dim * math.log(cells)

    def has_room(cells: int) -> bool:
        return family.log_epsilon_for_cells(cells) >= allowed(cells)

    if not has_room(least):
        return math.exp(family.log_epsilon_for_cells(least)) * SHRINK
    low, high = least, 2 * least
    while has_room(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if has_room(middle) else (low, middle)
    return math.exp(max(allowed(low), family.log_epsilon_for_cells(high))) * SHRINK


def regret_lower_bound(family: BumpFamily, horizon: int, batches: int, noise_sd: float) -> RegretLowerBound:
    """Theorem 2 at the reference times of Prop. 5, with the largest admissible ε_i.

    For every algorithm with at most B adaptively chosen batches, some function of norm at most Ψ has
    E[R_T] ≥ ``value``.

    Parameters
    ----------
    family : kernel, dimension and norm bound
    horizon, batches : T and B
    noise_sd : σ

    Raises
    ------
    ParameterError
        for arguments out of range, or reference times that do not increase
    """
    times = reference_times(horizon, batches, family.smoothness, family.dim)
    classes = []
    for start, end in pairwise((0, *times)):
        epsilon = hidden_epsilon(family, start, batches, noise_sd)
        hard = family.build(epsilon)
        classes.append(ReferenceClass(epsilon, hard.cells, hard.size, start, end))
    return RegretLowerBound(theorem2_value(classes, noise_sd, family.dim), tuple(classes))


def lower_bound_exponents(batches: int, nu: float, dim: int) -> tuple[float, float]:
    """Exponents of T and log T in Theorem 2 at fixed B: ((1-η)/(1-η^B), dη(η-η^B)/(1-η^B) for SE, 0 for Matérn)."""
    exponent, count = eta(nu, dim), whole_number("batches", batches, 2)
    scale = 1.0 - exponent**count
    log_exponent = dim * exponent * (exponent - exponent**count) / scale if math.isinf(nu) else 0.0
    return (1.0 - exponent) / scale, log_exponent


def reverse_markov(share: float, ratio: float) -> float:
    """P(R ≥ cL) ≥ (1-c)/(r-c) for 0 ≤ R ≤ rL with E[R] ≥ L (eqs. 117-120, with r = 4).

    Parameters
    ----------
    share : c in (0, 1)
    ratio : r ≥ 1, how far the largest possible value exceeds the mean's bound
    """
    c = real("share", share, 0.0, 1.0, open_ends="both")
    return (1.0 - c) / (real("ratio", ratio, 1.0) - c)


def corollary1_probability(share: float, batches: int) -> float:
    """Corollary 1, eq. (125): P(R_T ≥ c · 3ε_i(T_i - T_{i-1})/(8B)) ≥ (1-c)/(32B/3 - c) for some class i.

    Parameters
    ----------
    share : c in (0, 1)
    batches : B
    """
    return reverse_markov(share, 32.0 * whole_number("batches", batches, 1) / 3.0)


def hard_class_problem(
    family: BumpFamily,
    bound: RegretLowerBound,
    number: int,
    member: int | None,
    *,
    points_per_cell: int = 3,
    noise_sd: float = 1.0,
) -> ModelledProblem:
    """One bump of class ``number`` of Theorem 2, or the zero function that all classes are compared with.

    The domain is the union of the grids of all B classes, so that it does not give the class away.

    Parameters
    ----------
    family, bound : the class and the evaluated theorem (:func:`regret_lower_bound`)
    number : i, from 1 to B
    member : m, from 0 to M_i - 1; ``None`` is the zero function
    points_per_cell : odd number of grid points per cell and axis
    noise_sd : sigma
    """
    positive_number("noise_sd", noise_sd)
    chosen = bound.classes[whole_number("number", number, 1, bound.batches) - 1]
    total = sum(c.size for c in bound.classes) * points_per_cell**family.dim
    if total > LARGEST_DOMAIN:
        raise ParameterError("points_per_cell", f"makes {total} candidates", f"at most {LARGEST_DOMAIN} candidates")
    grids = [family.build(c.epsilon).grid(points_per_cell) for c in bound.classes]
    points = np.unique(np.concatenate(grids), axis=0)
    if member is None:
        values, what = np.zeros(len(points)), "zero function"
    else:
        whole_number("member", member, 0, chosen.size - 1)
        values, what = family.build(chosen.epsilon).values(points)[member], f"bump {member} of {chosen.size}"
    source = f"{what}, class {number} of {bound.batches}, height {2 * chosen.epsilon:.4g} (Prop. 4, Theorem 2)"
    return ModelledProblem(
        FiniteProblem("hard-class", points, values, noise_sd, source),
        cached_covariance(family.kernel, points),
        family.norm,
    )
