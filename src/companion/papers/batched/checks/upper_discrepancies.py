"""Suspected errors: batch sizes, their number, information gain and the upper bounds of Section 3."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from companion.bounds.confidence import UnionBoundWidth
from companion.checks.suspected_error import Finding, suspected_error
from companion.gp import kernel_by_name
from companion.information import gain_bracket_curve, information_gain
from companion.judge.reported import load_tables
from companion.papers.batched.checks.upper_counts import RATIOS
from companion.papers.batched.experiments.printed import PAPER, printed_frame
from companion.papers.batched.method.sizes import eta, iter_power_sizes, original_sizes, power_sizes
from companion.papers.batched.problems.catalogue import grid_covariance
from companion.papers.batched.theory.bounds import (
    batch_bounds,
    elimination_constant,
    trivial_bound,
    variance_sum_constant,
)
from companion.papers.batched.theory.counts import (
    first_log2_above,
    geometric_constant,
    geometric_ratio,
    geometric_terms,
    lower_proviso,
    optimal_batches,
    original_batch_count,
    original_count_upper,
    power_batch_count,
    power_batch_count_log2,
    power_count_lower,
    power_count_upper,
)
from companion.papers.batched.theory.rates import first_batch_exponent

#: More rounds than anybody will ever evaluate: one per nanosecond for thirty years.
LARGEST_PRACTICAL = 10**18


@suspected_error("E9", teeth={"for large T": {"start": 1000}})
def lower_bound_on_batches(*, start: int = 3) -> Finding:
    r"""$B\ge\lfloor\log_{1/a}(\log T/\log\log T)\rfloor$ for all $T$; line (23) is satisfied for $T\ge3$ when $a$ is near
    1/2

    Eq. (20) without "for large T", and the remark that line (23) holds from T = 3 for a near 1/2.
    """
    ratios, horizons = (0.5, 0.8, 0.9, 0.95), range(start, 2001)
    broken = {a: [t for t in horizons if power_batch_count(t, a) < power_count_lower(t, a)] for a in ratios}
    unmet = {a: [t for t in range(start, 101) if not lower_proviso(t, a)] for a in (0.5, 0.51, 0.52)}
    behind = sum(lower_proviso(t, a) for a, hit in broken.items() for t in hit)
    listed = "; ".join(f"$a={a:g}$ at {len(hit)} of them, the last $T={max(hit)}$" for a, hit in broken.items() if hit)
    near = ", ".join(f"$a={a:g}$ up to $T={max(hit)}$" for a, hit in unmet.items() if hit)
    values = {"failures": {str(a): len(hit) for a, hit in broken.items()}, "failures where line (23) holds": behind}
    values["line (23) unmet"] = {str(a): hit for a, hit in unmet.items()}
    return Finding(
        any(broken.values()) or any(unmet.values()),
        values,
        first_horizon=min(horizons),
        last_horizon=max(horizons),
        listed=listed,
        near=near,
    )


@suspected_error("E10", teeth={"horizons at which nothing is rounded": {"horizons": (16, 256, 65_536)}})
def half_is_not_the_original_rule(*, horizons: Sequence[int] = range(4, 10_001)) -> Finding:
    """choosing $a=1/2$ in (6) is equivalent to (5)

    Rule (6) with a = 1/2 against rule (5).
    """
    pairs = [(t, original_sizes(t), power_sizes(t, 0.5)) for t in horizons]
    differing = [t for t, old, new in pairs if old != new]
    counts = [(t, old, new) for t, old, new in pairs if len(old) != len(new)]
    example = ""
    if counts:
        t, old, new = counts[-1] if len(counts) < 2 else counts[0]
        example = f", first at $T={t}$ ({' '.join(map(str, old))} against {' '.join(map(str, new))})"
    return Finding(
        bool(differing),
        {"sizes differ": len(differing), "batches differ": len(counts)},
        pairs=len(pairs),
        first_horizon=horizons[0],
        last_horizon=horizons[-1],
        example=example,
    )


@suspected_error("E13", teeth={"at a horizon of 2^1100": {"horizon": 2**1100}})
def removing_the_factor(*, horizon: int = LARGEST_PRACTICAL) -> Finding:
    """the sum over batches is at most a constant times its last term, which removes a factor $B$

    2^b/(2^b-1) of eq. (35) against the factor B that it replaces.
    """
    grid = np.round(np.arange(0.505, 0.996, 0.005), 3)
    constants = {float(a): geometric_constant(float(a)) for a in grid}
    best = min(constants, key=lambda a: constants[a])
    most = max(power_batch_count(horizon, a) for a in (0.5, best))
    crossing = first_log2_above(best, constants[best])
    sums = {length: geometric_ratio(length, 0.6) for length in (10.0, 20.0, 40.0, 100.0, 1e16, 1e64)}
    at_1000 = float(geometric_terms(math.log2(1000), 0.6).sum())
    batches = power_batch_count(1000, 0.5)
    vacuous = min(map(_sum_over_trivial, ("se", "matern52")))
    values = {
        "least constant": constants[best],
        "best a": best,
        "log2 of first T": crossing,
        "B at 1e18": most,
        "sum at 1000": at_1000,
        "over trivial": vacuous,
    }
    return Finding(
        constants[best] > most,
        values,
        near_half=constants[0.52],
        at_six_tenths=constants[0.6],
        least_sum=min(sums.values()),
        largest_sum=max(sums.values()),
        batches=batches,
    )


def _sum_over_trivial(kernel: str) -> float:
    """Proposition 2, added up for a = 0.6 at T = 1000, over the trivial bound: norm 1, noise 0.1, 50 points of a line."""
    covariance, sizes = grid_covariance(kernel_by_name(kernel, 0.2), 50, 1), power_sizes(1000, 0.6)
    upper = {
        bracket.horizon: bracket.upper for bracket in gain_bracket_curve(covariance, sorted({*sizes, 1000}), 0.1**2)
    }
    width = UnionBoundWidth(1.0, 50, len(sizes), 0.1).width()
    total = batch_bounds(sizes, [upper[size] for size in sizes], width, 0.1).sum()
    return float(total) / trivial_bound(1000, 1.0, covariance)


@suspected_error("E14", teeth={"a = η": {"ratio": min}})
def optimal_count(*, ratio: Callable[[float, float], float] = max) -> Finding:
    """the upper bound on $B$ has a matching lower bound, including the constant

    Batches of Theorem 1 at a fixed a > η over the number that is necessary, log_{1/η} log2 T.
    """
    cases = (("SE", math.inf, 2, 0.52), ("Matérn 3/2, d=2", 1.5, 2, 0.31), ("Matérn 3/2, d=2", 1.5, 2, 0.4))
    shown, limits, reached = [], [], []
    for name, nu, dim, above in cases:
        a = ratio(above, eta(nu, dim))
        limits.append(math.log(1.0 / eta(nu, dim)) / math.log(1.0 / a))
        reached.append(power_batch_count_log2(1e240, a) / optimal_batches(1e240, nu, dim))
        shown.append(f"{reached[-1]:.3f} for {name}, $a={a:g}$ (limit {limits[-1]:.3f})")
    at_eta = power_batch_count_log2(1e240, 0.3) / optimal_batches(1e240, 1.5, 2)
    resolution = 3.0 / optimal_batches(1e240, 1.5, 2)  # a count is within three batches of its logarithm
    confirmed = min(limits) > 1.0 and min(reached) > 1.0 + resolution > at_eta
    return Finding(confirmed, {"limits": limits, "reached": reached, "at eta": at_eta}, shown=shown)


@suspected_error("E17", teeth={"no more rounds than points": {"rounds": 4}})
def gain_over_multisets(*, rounds: int = 10) -> Finding:
    r"""$\gamma_t$ is a maximum over sets $A\subseteq\X$ of $t$ points, and a batch is the set of its points

    Four uncorrelated points, noise variance 0.01, ten rounds.
    """
    covariance, noise = np.eye(4), 0.01
    spread = information_gain(covariance, np.arange(rounds) % 4, noise)
    once = information_gain(covariance, np.arange(4), noise)
    return Finding(spread > once, {"rounds": spread, "largest set": once}, noise=noise, batch=rounds)


@suspected_error("E20", teeth={"for all batches but the last": {"batches": slice(-1)}})
def last_batch_of_definition_1(*, batches: slice = slice(None)) -> Finding:
    r"""$\alpha_{N_i}=O(\alpha_T)$ for all $i\in[B]$, with $\alpha_t=(\log t)^{c}$, $c<0$, as an example

    Sizes of rule (6) whose last batch is one round, where (log t)^c is not defined for c < 0.
    """
    horizons, a, power = range(20, 2001), 0.5, -1.0
    single = [t for t in horizons if 1 in power_sizes(t, a)[batches]]
    drift = max(((math.log(n) / math.log(t)) ** power for t in single for n in power_sizes(t, a)[:-1]), default=0.0)
    sizes = " ".join(map(str, power_sizes(100, a)))
    return Finding(
        bool(single),
        {"horizons": len(single), "largest quotient": drift},
        first_horizon=horizons[0],
        last_horizon=horizons[-1],
        sizes=sizes,
    )


@suspected_error("E22", teeth={"by a factor of two": {"factor": 2.0}})
def reading_of_table_1(*, factor: float = 1.0) -> Finding:
    r"""larger values of $a$ improve regret at the expense of more batches; $a=0.31$ and $a=0.4$ are close to $\eta=0.3$

    What Table 1's text says against its numbers, and which values of a are close to η.
    """
    printed = printed_frame(load_tables(PAPER))
    table = printed[printed.kernel == "se"].pivot(index="rule", columns="t", values="value")
    times = sorted(t for t in table.columns if t > 0)
    above = [
        (t, rule) for rule in ("a=0.6", "a=0.65") for t in times if table.loc[rule, t] > factor * table.loc["orig", t]
    ]
    back = [t for t in times if table.loc["a=0.65", t] > factor * table.loc["a=0.6", t]]
    share = (0.4 - eta(1.5, 2)) / (0.5 - eta(1.5, 2))
    told = "; ".join(
        f"{rule} has {table.loc[rule, t]:.2f} at t={t}, Orig {table.loc['orig', t]:.2f}" for t, rule in above
    )
    turned = "; ".join(
        f"at t={t} a=0.65 has {table.loc['a=0.65', t]:.2f}, a=0.6 {table.loc['a=0.6', t]:.2f}" for t in back
    )
    return Finding(
        bool(above or back),
        {"above Orig": len(above), "not monotone": len(back), "share": share},
        above=told or "no entry above Orig",
        turned=turned or "at no time",
    )


@suspected_error("E23", teeth={"above e^e": {"first": 16}})
def triple_logarithm(*, first: int = 3) -> Finding:
    r"""rates with $\sqrt{\log\log\log T}$

    The least T at which √(log log log T) is a number.
    """
    negative = [t for t in range(first, 101) if math.log(math.log(t)) < 1.0]
    last, least = max(negative, default=0), math.exp(math.e)
    at_million = math.sqrt(math.log(math.log(math.log(10**6))))
    return Finding(bool(negative), {"largest T": last, "e^e": least, "at 1e6": at_million})


@suspected_error("U2", teeth={"one batch fewer": {"fewer": 1}})
def upper_bound_on_batches(*, fewer: int = 0) -> Finding:
    r"""$B\le\lceil\log_{1/a}\log_2T\rceil+1$ for every $T$

    Eq. (19), and the count of rule (5), at every horizon up to 3000 and on to 10^18.
    """
    horizons = (*range(2, 3001), *(m * 10**k for k in range(3, 19) for m in (1, 3, 7)), *(2**2**k for k in range(1, 7)))
    pairs = [(t, a) for t in horizons for a in RATIOS]
    broken = sum(power_batch_count(t, a) > power_count_upper(t, a) - fewer for t, a in pairs)
    attained = sum(power_batch_count(t, a) == power_count_upper(t, a) for t, a in pairs)
    original = sum(original_batch_count(t) > original_count_upper(t) for t in horizons)
    return Finding(
        broken + original > 0,
        {"pairs": len(pairs), "violations": broken, "rule (5)": original},
        attained=attained,
        horizons=len(horizons),
    )


@suspected_error("U3", teeth={"C in place of its square root": {"power": 1.0}})
def two_constants(*, power: float = 0.5) -> Finding:
    r"""$C_1=8/\log(1+\sigma^{-2})$ in one place, $C=2/\log(1+\sigma^{-2})$ in the other

    2√C_1 of Proposition 2 against 4√C, over noise levels.
    """
    levels = np.logspace(-4, 3, 141)
    gaps = [abs(2 * elimination_constant(s) ** power / (4 * variance_sum_constant(s) ** power) - 1) for s in levels]
    direct = [abs(elimination_constant(s) * math.log1p(s**-2) / 8 - 1) for s in levels]
    worst = max(*gaps, *direct)
    return Finding(
        worst > 1e-9,
        {"largest relative difference": worst},
        levels=len(levels),
        least_level=levels[0],
        largest_level=levels[-1],
    )


@suspected_error("U4", teeth={"half the power of log T": {"share": 0.5}})
def domination_on_finite_domains(*, share: float = 1.0) -> Finding:
    r"""$\alpha_T=\Omega((\log T)^{-c})$ from Remark 11, which needs a continuous domain

    Whether Definition 1 alone keeps α_T above a power of 1/log T, as (47) needs.

    α_{N_1} ≤ K α_T with N_1 = ⌈T^{1-a}⌉, applied until the horizon is at most T_0, loses one factor K for each step. With
    k steps from log T to log T_0, α_T is at least K^{-k}, and k is about log(log T/log T_0)/log(1/(1-a)): the power
    c = log K/log(1/(1-a)) of log T. The sizes are those of rule (6), the steps are counted.
    """
    margins, slopes = [], []
    horizons = [10**k for k in (2, 4, 8, 16, 32, 64, 128, 256)]
    for a, exponent in ((0.31, 0.3), (0.4, 0.3), (0.5, 0.3), (0.45, 5 / 14)):
        for factor in (1.5, 3.0, 10.0):
            log_alpha = np.array([-_steps(t, a) * math.log(factor) for t in horizons])
            log_t = np.array([math.log(t) for t in horizons])
            power = share * math.log(factor) / -math.log(1 - a)
            margins.append(float((log_alpha + power * np.log(log_t / math.log(10))).min() / math.log(factor)))
            quotient = first_batch_exponent(a, exponent) * log_t + 0.5 * log_alpha  # logarithm of eq. (47)
            slopes.append(float((quotient[-1] - quotient[-2]) / (log_t[-1] - log_t[-2])))
    # One step more or less is the rounding of the number of steps, a constant factor.
    return Finding(
        min(margins) < -1.0 or min(slopes) <= 0.0,
        {"factors": min(margins), "power": min(slopes)},
        sequences=len(margins),
        behind=max(-min(margins), 0.0),
    )


@suspected_error("E26", teeth={"once differentiable functions": {"roughest": "matern32"}})
def rough_functions(*, roughest: str = "matern12") -> Finding:
    r"""functions of bounded RKHS norm are Lipschitz, so a grid of spacing $T^{-1/2}$ costs $O(\sqrt T)$; the setting
    allows every $\nu>0$

    The exponent of the largest difference over a distance h, fitted, and what a grid of spacing 1/sqrt(T) costs.
    """
    spacings = np.geomspace(1e-6, 1e-3, 7)
    fitted = {}
    for name in ("matern12", "matern32", "matern52", "se"):
        kernel = kernel_by_name(name, 0.3)
        pairs = (np.array([[0.5], [0.5 + h]]) for h in spacings)
        worst = [math.sqrt(max(2.0 - 2.0 * float(kernel(pair)[0, 1]), 0.0)) for pair in pairs]
        fitted[name] = float(np.polyfit(np.log(spacings), np.log(worst), 1)[0])
    rough, smooth = fitted[roughest], min(value for name, value in fitted.items() if name != "matern12")
    return Finding(rough < 0.9 < smooth, {"exponents": fitted}, rough=rough, smooth=smooth, cost=1 - rough / 2)


def _steps(horizon: int, a: float, smallest: int = 10) -> int:
    """Number of steps T → N_1 from the horizon to at most ``smallest``."""
    steps = 0
    while horizon > smallest:
        horizon = next(iter_power_sizes(horizon, a))
        steps += 1
    return steps
