"""Upper bounds on regret with every constant: Prop. 2, Lemma 1, Theorems 1 and 3, Remark 9, Lemmas 12 and 13.

Pure functions of batch sizes, information gains and parameters; no policy is known here. Common conventions:

- ``width`` is √β, the multiplier of the posterior standard deviation (:class:`companion.bounds.confidence`). All bounds
  hold whenever the confidence bounds hold in every batch, and need k(x, x) ≤ 1 and the regulariser λ = σ².
- ``gains`` are information gains in nats. Both the realised gains I_i of the batches and any upper bound on γ_{N_i}
  may be used: every proof goes through with I_i, which gives the stronger statement.
- ``elimination`` is the constant c in "a point that survives batch i has regret at most c √(C β γ_{N_i}/N_i)":
  :data:`STANDARD` 4 (Prop. 2, where it is written 2√C_1, and Lemma 10 with a shorter argument) or
  :data:`ROBUST_PRINTED` 6 (Lemma 10 as printed).

Regret is in the units of f.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.bounds.checks import assumed, real
from companion.bounds.ranges import norm_range
from companion.core.arrays import Floats
from companion.core.errors import AssumptionError, ParameterError, whole_number
from companion.papers.batched.method.sizes import power_ratio
from companion.papers.batched.theory.counts import (
    geometric_constant,
    geometric_terms,
    original_batch_count,
    power_batch_count,
)

#: Above, T itself leaves the range of float64.
LARGEST_HORIZON = 10**300

STANDARD = 4.0
ROBUST_PRINTED = 6.0


def variance_sum_constant(noise_sd: float) -> float:
    """C = 2/log(1+σ^{-2}): Σ_j σ_{j-1}(x_j)² ≤ C I for the points of one batch (Lemma 9).

    Raises
    ------
    ParameterError
        unless σ > 0
    """
    sd = real("noise_sd", noise_sd, 0.0, open_ends="low")
    # log(1 + 1/s²) = log(1+s²) - 2 log s without overflow for small s and without cancellation for large s
    return 2.0 / (math.log1p(sd * sd) - 2.0 * math.log(sd) if sd < 1.0 else math.log1p(1.0 / (sd * sd)))


def elimination_constant(noise_sd: float) -> float:
    """C_1 = 8/log(1+σ^{-2}) = 4C (Prop. 2)."""
    return 4.0 * variance_sum_constant(noise_sd)


def trivial_bound(horizon: int, norm: float, covariance: Floats) -> float:
    """T Ψ times the largest distance between points in the kernel's norm, at most √2 ΨT where k ≥ 0: nobody can lose more.

    The line is :func:`companion.bounds.ranges.norm_range`.
    """
    line = real("norm", norm, 0.0, open_ends="low") * norm_range(covariance)
    return line * whole_number("horizon", horizon, 1, LARGEST_HORIZON)


def _sizes(sizes: Sequence[int]) -> np.ndarray:
    checked = [whole_number("sizes", size, 1) for size in sizes]
    if not checked:
        raise ParameterError("sizes", "is empty", "at least one batch size")
    return np.asarray(checked, dtype=np.float64)


def _gains(gains: Any, needed: int) -> np.ndarray:
    values = np.atleast_1d(np.asarray(gains, dtype=np.float64)) if needed or np.size(gains) else np.empty(0)
    if values.ndim != 1 or values.size < needed:
        raise ParameterError("gains", f"has shape {values.shape}", f"one gain for each of the first {needed} batches")
    values = values[:needed]
    if not np.all(np.isfinite(values)) or np.any(values < 0.0):
        raise ParameterError("gains", "contains a negative or non-finite value", "information gains of at least 0")
    return values


def per_round_bounds(
    sizes: Sequence[int],
    gains: Any,
    width: float,
    noise_sd: float,
    *,
    elimination: float = STANDARD,
    capped: bool = False,
) -> np.ndarray:
    """Bound on the regret of a single round of each batch, shape (B,).

    2√β in batch 1; c √(C β γ_{N_{i-1}}/N_{i-1}) in batch i ≥ 2 (Prop. 2; Lemma 10 and eqs. 162-163).

    Parameters
    ----------
    sizes : N_1..N_B
    gains : I_i or an upper bound on γ_{N_i} for i = 1..B-1 (a B-th value is ignored)
    width : √β
    noise_sd : σ
    elimination : c, see the module's text
    capped : take the minimum with 2√β, which every round satisfies

    Raises
    ------
    ParameterError
        for arguments out of range or too few gains
    """
    counts = _sizes(sizes)
    root_beta = real("width", width, 0.0, open_ends="low")
    factor = real("elimination", elimination, 0.0, open_ends="low") * root_beta
    gain_values = _gains(gains, counts.size - 1)
    survivors = factor * np.sqrt(variance_sum_constant(noise_sd) * gain_values / counts[:-1])
    bounds = np.concatenate(([2.0 * root_beta], survivors))
    return np.minimum(bounds, 2.0 * root_beta) if capped else bounds


def batch_bounds(
    sizes: Sequence[int],
    gains: Any,
    width: float,
    noise_sd: float,
    *,
    elimination: float = STANDARD,
    first: float = 2.0,
) -> np.ndarray:
    """Prop. 2 (and eqs. 162-163): bound on the regret R^i of every batch, shape (B,); the sum is bound T1a.

    R^1 ≤ 2 N_1 √β and R^i ≤ c √(Cβ) N_i √(γ_{N_{i-1}}/N_{i-1}). Arguments and errors as :func:`per_round_bounds`;
    ``first`` stands for the 2, which the ledger changes to see that a smaller one is noticed.
    """
    bounds = _sizes(sizes) * per_round_bounds(sizes, gains, width, noise_sd, elimination=elimination)
    bounds[0] *= first / 2.0
    return bounds


def lemma1_bound(horizon: int, gain: float, width: float, noise_sd: float, batches: int | None = None) -> float:
    """Lemma 1 with its constants: R_T ≤ 4√(βT) + 4(B-1)√(C_1 β T γ_T) for the sizes of eq. (5).

    It follows from Prop. 2 and N_i ≤ 2√(T N_{i-1}).

    Parameters
    ----------
    horizon : T
    gain : an upper bound on γ_T
    width, noise_sd : √β and σ
    batches : B; counted from eq. (5) when left out

    Raises
    ------
    AssumptionError
        for fewer batches than eq. (5) makes
    """
    horizon = whole_number("horizon", horizon, 2, LARGEST_HORIZON)
    least = original_batch_count(horizon)
    count = least if batches is None else whole_number("batches", batches, 1)
    assumed(count >= least, f"the sizes of eq. (5) make {least} batches of T = {horizon}; batches is {count}")
    root_beta = real("width", width, 0.0, open_ends="low")
    gamma = real("gain", gain, 0.0)
    growth = math.sqrt(elimination_constant(noise_sd) * gamma)
    return 4.0 * root_beta * math.sqrt(horizon) * (1.0 + (count - 1) * growth)


@dataclass(frozen=True)
class GainEnvelope:
    """γ̄_t = c' t^{1-2η} α_t with α_t = (log t)^p, p ≥ 0: the well-behaved bound on γ_t of Theorem 1 and Definition 1.

    Parameters
    ----------
    scale : c' > 0
    exponent : η in (0, 1/2]
    log_power : p ≥ 0, so that α is non-decreasing; eq. (2) has p = 2ν/(2ν+d) = 2η

    Raises
    ------
    ParameterError
        for arguments out of range
    """

    scale: float
    exponent: float
    log_power: float = 0.0

    def __post_init__(self) -> None:
        real("scale", self.scale, 0.0, open_ends="low")
        real("exponent", self.exponent, 0.0, 0.5, open_ends="low")
        real("log_power", self.log_power, 0.0)

    def at(self, count: float) -> float:
        """γ̄_t at t = ``count`` ≥ 1."""
        t = real("count", count, 1.0)
        return self.scale * t ** (1.0 - 2.0 * self.exponent) * math.log(t) ** self.log_power

    @classmethod
    def fitted(cls, counts: Sequence[int], gains: Any, exponent: float, log_power: float = 0.0) -> GainEnvelope:
        """The smallest envelope of this shape above ``gains`` (upper bounds on γ) at ``counts`` (each at least 2).

        Theorem 1 needs γ̄ ≥ γ only at the sizes of the batches before the last one.
        """
        points = [whole_number("counts", count, 2) for count in counts]
        unit = cls(1.0, exponent, log_power)
        values = _gains(gains, len(points))
        return cls(max(float(g) / unit.at(t) for t, g in zip(points, values, strict=True)), exponent, log_power)


def _theorem1_arguments(horizon: int, a: float, exponent: float) -> tuple[int, float]:
    horizon = whole_number("horizon", horizon, 2, LARGEST_HORIZON)
    if horizon < 3:
        raise AssumptionError("Theorem 1 is stated for T of at least 3")
    ratio = float(power_ratio(a))
    if exponent == 0.5:
        if ratio <= 0.5:
            raise AssumptionError(f"a = {ratio:g}: Case 1 of Theorem 1 needs 1/2 < a < 1; Case 2 covers eta < a <= 1/2")
    elif not exponent < ratio <= 0.5:
        raise AssumptionError(f"a = {ratio:g}: Case 2 of Theorem 1 needs {exponent:g} = eta < a <= 1/2")
    return horizon, ratio


def theorem1_summed(
    horizon: int,
    a: float,
    gain: float | GainEnvelope,
    width: float,
    noise_sd: float,
    *,
    elimination: float = STANDARD,
    batches: int | None = None,
) -> float:
    """T1b: the bounds of all batches in terms of T, eqs. (29), (32) and (42)-(46); Theorem 3 with another constant.

    4√β T^{1-a} + 2c √(C β T γ) Σ_{i=2}^B T^{a^{i-1}(η-a)}, with c = 4 in Theorem 1, where 2c√C = 4√C_1.

    Parameters
    ----------
    horizon, a : T ≥ 3 and the parameter of eq. (6)
    gain : an upper bound on γ_T (Case 1, η = 1/2, 1/2 < a < 1) or a :class:`GainEnvelope` (Case 2, η < a ≤ 1/2)
    width, noise_sd : √β and σ
    elimination : c, see the module's text
    batches : B; counted from eq. (6) when left out

    Raises
    ------
    AssumptionError
        if a is outside the range of the case
    ParameterError
        for arguments out of range
    """
    exponent, gamma = (0.5, gain) if not isinstance(gain, GainEnvelope) else (gain.exponent, gain.at(horizon))
    horizon, ratio = _theorem1_arguments(horizon, a, exponent)
    count = power_batch_count(horizon, a) if batches is None else batches
    terms = geometric_terms(math.log2(horizon), ratio, exponent, count)
    first = 4.0 * real("width", width, 0.0, open_ends="low") * horizon ** (1.0 - ratio)
    return first + _scale(horizon, gamma, width, noise_sd, elimination) * float(terms[1:].sum())


def theorem1_closed(
    horizon: int,
    a: float,
    gain: float | GainEnvelope,
    width: float,
    noise_sd: float,
    *,
    elimination: float = STANDARD,
) -> float:
    """T1c: the bound without B, eqs. (35) and (48), G = 2^b/(2^b-1), b = (1-a)(a-η).

    Case 1 (a number as ``gain``): max{4 γ_T^{-1/2}, 2c√C} G √(β T γ_T).
    Case 2 (an envelope as ``gain``): 4√β T^{1-a} + 2c G √(C β T γ̄_T).

    Arguments and errors as :func:`theorem1_summed`.
    """
    exponent, gamma = (0.5, gain) if not isinstance(gain, GainEnvelope) else (gain.exponent, gain.at(horizon))
    horizon, ratio = _theorem1_arguments(horizon, a, exponent)
    constant = geometric_constant(ratio, exponent)
    root_beta = real("width", width, 0.0, open_ends="low")
    later = _scale(horizon, gamma, width, noise_sd, elimination)
    if exponent == 0.5:
        return constant * max(4.0 * root_beta * math.sqrt(horizon), later)
    return 4.0 * root_beta * horizon ** (1.0 - ratio) + constant * later


def _scale(horizon: int, gamma: Any, width: float, noise_sd: float, elimination: float) -> float:
    """2c √(C β T γ): the unit in which Theorem 1 adds up the batches."""
    value = real("gain", gamma, 0.0)
    factor = 2.0 * real("elimination", elimination, 0.0, open_ends="low") * width
    return factor * math.sqrt(variance_sum_constant(noise_sd) * horizon * value)


def simple_regret_bounds(
    sizes: Sequence[int], gains: Any, width: float, noise_sd: float, *, elimination: float = ROBUST_PRINTED
) -> tuple[float, float]:
    """Remark 9 in its correct form: bounds on the (robust) regret of the last point x_T.

    Returns
    -------
    ``last`` = min{2√β, c √(Cβγ_{N_{B-1}}/N_{B-1})}, which bounds r(x_T), and ``average``, the mean over all T rounds of
    the capped per-round bounds. ``last ≤ average`` because γ_N/N does not increase with N; what Remark 9 prints,
    r(x_T) ≤ R_T/T, compares regrets instead of bounds and is false.

    Raises
    ------
    ParameterError
        as :func:`per_round_bounds`
    AssumptionError
        if the gains per point increase from one batch to the next, so that the second inequality has no reason to
        hold (realised gains may do this; upper bounds on γ_N at increasing N do not)
    """
    rounds = per_round_bounds(sizes, gains, width, noise_sd, elimination=elimination, capped=True)
    if np.any(np.diff(rounds) > 1e-12 * rounds[0]):
        raise AssumptionError("the per-round bounds increase with the batch: gains/sizes must not increase (Remark 9)")
    return float(rounds[-1]), float(np.average(rounds, weights=_sizes(sizes)))
