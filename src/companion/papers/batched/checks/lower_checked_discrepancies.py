"""A step of the lower bounds that fails as written, and suspicions about them that a check does not confirm."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy import optimize

from companion.checks.suspected_error import Finding, suspected_error
from companion.judge.intervals import slope_interval
from companion.papers.batched.checks.lower_class import SizeLaw
from companion.papers.batched.checks.lower_rate import HORIZONS, RATE_ALLOWANCE
from companion.papers.batched.checks.lower_remarks import SMOOTHNESSES, Long
from companion.papers.batched.method.sizes import end_times, eta
from companion.papers.batched.problems.hard_class import class_properties
from companion.papers.batched.theory.lower import lower_bound_exponents
from companion.papers.batched.theory.players import class_points, explicit_bound, family
from companion.papers.batched.theory.rates import balance_ratios, regret_exponents


@suspected_error(
    "U5", teeth={"only where the bracket is not negative": {"least": 0.5}, "nothing is lowered": {"lowered": 1.0}}
)
def negative_bracket(*, least: float = 0.0, lowered: float = 0.9) -> Finding:
    r"""factors are lowered before a bracket that is negative when $\P_0(A_i)<1/(2B)$

    (105)-(109) with values of P_0(A_i) from ``least`` over B on, the prefactors as in the proof, at unit constants.
    """
    flips = violations = checked = 0
    for batches in (2, 3, 5):
        for log_t in (10.0, 20.0, 50.0):
            for chance in (k / 40 for k in range(41) if k / 40 >= least / batches):
                bracket = chance - 1 / (2 * batches)
                # log(B² T_{i-1}) is a fixed part of log T, so that the prefactor of (107) is smaller
                before = lowered * log_t
                first, second = log_t**0.25 * bracket, before**0.25 * bracket
                flips += second > first
                # what the regret is known to reach: it is not negative, and at least the right side of (105)
                violations += second > max(0.0, first)
                checked += 1
    return Finding(flips > 0, {"checked": checked, "flips": flips, "violations": violations})


@suspected_error(
    "U6",
    teeth={"half the rounds in place of 3/8": {"share": Fraction(1, 2)}, "Lemma 12 with one batch more": {"more": 1}},
)
def exponents(*, share: Fraction = Fraction(3, 8), more: int = 0) -> Finding:
    r"""exponents of $T$ and $\log T$, the choice of $\epsilon_i$, and the factor 32/3

    Balance of Props. 5 and 7, Lemma 12, (102), (113), (125) and Remark 5, each against its own definition.
    """
    ratios = [
        ratio
        for rule in ("reference", "constant")
        for nu, dim in ((math.inf, 1), (math.inf, 2), (0.5, 1), (1.5, 1), (2.5, 2))
        for batches in (2, 3, 4, 5)
        for power in (6, 9, 12)
        for ratio in balance_ratios(rule, 10**power, batches, nu, dim)
    ]
    first = max(_lemma_12(nu, dim, batches, more) for nu, dim in SMOOTHNESSES for batches in (2, 3, 4))
    rough = max(_eq_113(nu, dim) for nu, dim in ((0.5, 1), (1.5, 1), (2.5, 3)))
    smooth = max(_eq_102(dim) for dim in (1, 2, 3))
    excess = max(_eq_10(nu, dim, 10**digits) for nu, dim in SMOOTHNESSES for digits in (1, 3, 6))
    scale = Fraction(4) / share
    wrong = [
        max(abs(math.log(r)) for r in ratios) > math.log(2.0),
        max(first, rough, smooth, excess) > 1e-6,
        scale != Fraction(32, 3),
    ]
    return Finding(
        any(wrong),
        {
            "low": float(min(ratios)),
            "high": float(max(ratios)),
            "lemma12": first,
            "eq113": rough,
            "eq102": smooth,
            "eq10": excess,
        },
        scale=scale,
    )


def _lemma_12(nu: float, dim: int, batches: int, more: int) -> float:
    """Relative gap between t_1 of App. D.1.2 and the rate of Lemma 12 at T = 10^30, where a ceiling is nothing."""
    horizon = 10**30
    power, log_power = regret_exponents(12, batches + more, nu, dim)
    claimed = power * math.log(horizon) + log_power * math.log(math.log(horizon))
    return abs(math.log(end_times(horizon, batches, nu, dim)[0]) - claimed) / claimed


def _eq_113(nu: float, dim: int) -> float:
    """Root of ε = C √(M/(B²T)), M = (Ψ/ε)^{d/ν}, against C^{2η} Ψ^{1-2η} (B²T)^{-η}, relative."""
    constant, norm, rounds, step = 0.7, 1.8, 9e5, eta(nu, dim)

    def gap(log_epsilon: float) -> float:
        log_size = dim / nu * (math.log(norm) - log_epsilon)
        return log_epsilon - math.log(constant) - 0.5 * (log_size - math.log(rounds))

    found = optimize.brentq(gap, -60.0, 5.0, xtol=1e-13)
    claimed = 2 * step * math.log(constant) + (1 - 2 * step) * math.log(norm) - step * math.log(rounds)
    return abs(found - claimed)


def _eq_102(dim: int) -> float:
    """Residual of (102) at the root of (101)."""
    constant, norm, rounds = 0.7, 1.8, 9e12

    def gap(log_ratio: float) -> float:  # log(Ψ/ε) from (101)
        log_epsilon = math.log(constant) + 0.5 * (dim / 2 * math.log(log_ratio) - math.log(rounds))
        return log_ratio - (math.log(norm) - log_epsilon)

    root = optimize.brentq(gap, 1.0, 200.0, xtol=1e-13)
    right = -math.log(constant) + 0.5 * math.log(norm**2 * rounds) - dim / 4 * math.log(root)
    return abs(root - right)


def _eq_10(nu: float, dim: int, length: int) -> float:
    """Relative gap between (10) and the exact excess over T^{1-η}."""
    item, step = Long(nu, dim, length), eta(nu, dim)
    batches = item.batches(Fraction(1))
    rest = batches - math.log(length) / -math.log(step)
    claimed = (1 - step) * step**rest / (length - step**rest) * length
    return abs(claimed / float(item.excess(batches)) - 1.0)


@suspected_error("U7", teeth={"twice the power": {"factor": 2.0}})
def explicit_class(*, factor: float = 1.0) -> Finding:
    """properties of a class that is not written down, for both kernels

    The properties of Prop. 4 for an explicit class, and the growth of M.
    """
    found = [class_properties(item.build(), item.grid()) for item in class_points()]
    worst_norm = max(p.restricted_norms[1] for p in found)
    owners = max(p.multiplicity for p in found)
    range_ = max(max(p.highest, -p.lowest) for p in found)
    laws = [("Matérn 3/2", 1, 1.5), ("Matérn 5/2", 1, 2.5), ("Matérn 3/2", 2, 1.5)]
    slopes = [slope_interval(*SizeLaw(kernel, dim).sizes()).estimate for kernel, dim, _ in laws]
    claims = [factor * dim / nu for _, dim, nu in laws]
    gaps = max(abs(s - c) for s, c in zip(slopes, claims, strict=True))
    smooth = slope_interval(*SizeLaw("SE", 1).sizes()).estimate
    broken = worst_norm > 1 + 1e-6 or owners > 1 or range_ > 2 + 1e-9 or gaps > 0.04 or abs(smooth - 0.5) > 0.04
    broken = broken or not all(p.peaks_at_centres for p in found)
    return Finding(
        broken,
        {"norm": worst_norm, "owners": owners, "range": range_, "slopes": slopes, "claims": claims, "se": smooth},
        found=len(found),
    )


@suspected_error("U8", teeth={"a quarter more": {"factor": 1.25}})
def growth_of_the_bound(*, factor: float = 1.0) -> Finding:
    r"""$T^{\frac{1-\eta}{1-\eta^B}}$ with powers of $B$ and $\log T$

    Slope in T of the explicit bound, 10^3 to 10^8.
    """
    settings = [("Matérn 3/2", 2), ("Matérn 3/2", 3), ("SE", 2), ("SE", 3)]
    slopes, claims, below = [], [], 0
    for kernel, batches in settings:
        values = [explicit_bound(kernel, 1, int(t), batches, 1.0).value for t in HORIZONS]
        slope = slope_interval(np.log(HORIZONS), np.log(values))
        slopes.append(slope.estimate)
        claims.append(lower_bound_exponents(batches, family(kernel, 1).smoothness, 1)[0])
        below += slope.high < factor * claims[-1] - RATE_ALLOWANCE
    return Finding(
        below > 0,
        {"slopes": slopes, "exponents": claims, "below": below},
        listed=", ".join(
            (
                f"{s:.3f} (theorem {c:.3f}; {kernel}, $B={batches}$)"
                for s, c, (kernel, batches) in zip(slopes, claims, settings, strict=True)
            )
        ),
    )
