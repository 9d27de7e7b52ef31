"""Statements on the regret of BPE: Lemma 1 and Theorem 1."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from companion.checks.cases import Case, at_most, exponent, probability, worst_of
from companion.checks.instance import Instance
from companion.checks.statement import Assumption, need, statement
from companion.judge.intervals import slope_interval
from companion.papers.batched.method.sizes import original_sizes, power_sizes
from companion.papers.batched.theory.bounds import (
    GainEnvelope,
    batch_bounds,
    lemma1_bound,
    theorem1_closed,
    theorem1_summed,
)
from companion.papers.batched.theory.counts import geometric_rate, geometric_terms, power_batch_count_log2
from companion.papers.batched.theory.regret_runs import (
    ARMS,
    RegretSetting,
    certified_gains,
    mean_regrets,
    outcomes,
    realised_bounds,
)

#: Random and structured functions, kernels, dimensions and noise. The last one makes the bound as tight as it gets:
#: uncorrelated points and a norm far above the noise, so that every round but one in 16 costs nearly the largest gap.
SETTINGS = (
    RegretSetting("se", 0.2, 1, 40, 0.1, 150),
    RegretSetting("matern12", 0.3, 1, 40, 1.0, 150, norm=3.0),
    RegretSetting("matern32", 0.3, 2, 6, 0.1, 150, construction="sphere"),
    RegretSetting("matern52", 0.3, 2, 6, 0.3, 150, norm=2.0, construction="eigen"),
    RegretSetting("matern12", 0.005, 1, 16, 1.0, 30, norm=100.0, construction=ARMS),
)
#: What violates an assumption need not be large.
SMALL = RegretSetting("se", 0.2, 1, 5, 0.1, 20, runs=3)


def setup_assumptions(a: float | None = None) -> tuple[Assumption, ...]:
    """Assumptions of Section 2.1 on a setting, tested wherever regret is bounded."""
    small = replace(SMALL, a=a)
    return (
        need(r"$\norm{f}_k\le\Psi$", lambda s: s.height <= 1.0, replace(small, height=1.5)),
        need(r"$k(x,x)\le1$", lambda s: s.variance <= 1.0, replace(small, variance=2.0)),
        need(r"$\lambda=\sigma^2$", lambda s: s.regulariser == 1.0, replace(small, regulariser=3.0)),
    )


# -- Lemma 1 -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rounding:
    """Horizons at which the sizes of rule (5) are compared with the roots that they round up."""

    horizons: tuple[int, ...]


@statement(
    "lemma-1",
    "probability",
    lambda: (*SETTINGS, Rounding((*range(3, 400), 10**5, 10**9, 10**15))),
    *setup_assumptions(),
    need("sizes of eq. (5)", lambda s: s.a is None, replace(SMALL, a=0.6)),
    teeth={
        "the coefficient 1 in place of 4": {"coefficient": 1.0},
        "a size at most 1.3 times the root": {"growth": 1.3},
    },
    depends="setup eq-5 prop-1 prop-2",
)
def lemma_1(setting: RegretSetting, *, coefficient: float = 4.0) -> Iterator[Case]:
    r"""With probability at least $1-\delta$, $R_T=O((\log\log T)(\Lambda+\sqrt{\log\log\log T})\sqrt{T\gamma_T})$ with
    $\Lambda=\Psi+\sqrt{\log(|\X|/\delta)}$; with constants, which are ours:
    $R_T\le4\sqrt{\beta T}+4(B-1)\sqrt{C_1\beta T\gamma_T}$

    ``coefficient`` is the 4 of both terms, γ_T the upper end of its certificate.
    """
    gamma = certified_gains(setting, (setting.horizon,))[0]
    scale = coefficient / 4.0
    bound = scale * lemma1_bound(setting.horizon, gamma, setting.width, setting.noise_sd)
    failures = int((outcomes(setting).regret > bound).sum())
    yield probability(failures, setting.runs, setting.delta, f"R_T above the bound, {setting.where}")
    gains = [gamma] * (len(setting.sizes) - 1)
    summed = float(batch_bounds(setting.sizes, gains, setting.width, setting.noise_sd).sum())
    yield at_most(summed, bound, f"sum of Proposition 2, {setting.where}")


@lemma_1.on(Rounding)
def _rounding(instance: Rounding, *, growth: float = 2.0) -> Case:
    """The coefficient comes from Proposition 2 and N_i ≤ 2 √(T N_{i-1})."""
    pairs = ((t, pair) for t in instance.horizons for pair in pairwise((1, *original_sizes(t))))
    return worst_of((size, growth * math.sqrt(t * before), f"N_i, T={t}") for t, (before, size) in pairs)


# -- Theorem 1 ---------------------------------------------------------------------------------------------------------


class Series(Instance, words="a={self.a:g}, eta={self.eta:.3g}"):
    """The proof's use of the sizes of rule (6), for one a and η: at integer T, and at T = 2^L for huge L."""

    a: float
    eta: float = 0.5
    horizons: tuple[int, ...] = (*range(3, 120), 10**4, 10**6, 10**9, 10**12)
    lengths: tuple[float, ...] = tuple(10.0 ** (k / 4) for k in range(4, 257, 3))


class Growth(RegretSetting):
    """A setting of which the mean regret over its seeds is looked at, at growing horizons."""

    horizons: tuple[int, ...] = (100, 300, 1000, 3000, 10_000)


def _theorem_1_instances() -> Iterator[RegretSetting | Series]:
    for a in (0.51, 0.52, 0.6, 0.75, 0.9):
        yield Series(a)
    yield Series(0.99, horizons=tuple(range(3, 40)), lengths=(10.0, 100.0, 1000.0))
    for a, exponent_value in ((0.26, 0.25), (0.31, 0.3), (0.4, 0.3), (0.5, 0.3), (0.45, 2.5 / 7.0)):
        yield Series(a, exponent_value)
    for setting in SETTINGS:
        yield replace(setting, a=0.6)
        yield replace(setting, a=0.75)
    case_2 = ((SETTINGS[1], 0.4), (SETTINGS[2], 0.4), (SETTINGS[3], 0.45), (SETTINGS[3], 0.5), (SETTINGS[4], 0.3))
    for setting, a in case_2:
        yield replace(setting, a=a)
    for kernel in ("se", "matern12", "matern52"):
        yield Growth(kernel, 0.2, 1, 30, 0.3, 100, a=0.6, runs=3)


def _in_range(setting: RegretSetting) -> bool:
    return setting.a is not None and (0.5 if setting.a > 0.5 else setting.eta) < setting.a < 1


@statement(
    "theorem-1",
    "probability",
    _theorem_1_instances,
    *setup_assumptions(0.6),
    need(r"$a\in(\frac12,1)$, or a Matérn kernel and $a\in(\eta,\frac12]$", _in_range, replace(SMALL, a=0.45)),
    need("$T\\ge3$", lambda s: s.horizon >= 3, replace(SMALL, a=0.6, horizon=2)),
    teeth={
        "a fifth of the sum of Proposition 2": {"first": 0.4, "elimination": 0.8},
        "a size at most 1.9 times its power": {"growth": 1.9},
        "b 1.6 times as large": {"b_factor": 1.6},
        "regret grows as the 0.3rd power": {"exponent_of_t": 0.3},
        "the rate without its logloglog T": {"triple": 0.0},
    },
    depends="setup eq-6 prop-1 prop-2 prop-3 definition-1 eq-47",
)
def theorem_1(setting: RegretSetting, *, first: float = 2.0, elimination: float = 4.0) -> Iterator[Case]:
    r"""With probability at least $1-\delta$: for $a\in(\frac12,1)$, $R_T=O\big((\Lambda+\sqrt{\log\log\log
    T})\sqrt{T\gamma_T}\big)$ with $\Lambda=\Psi+\sqrt{\log(|\X|/\delta)}$; for a Matérn kernel and
    $a\in(\eta,\frac12]$ the same with $\bar\gamma_T$; with constants, which are ours where the proof has orders,
    $R_T\le2N_1\sqrt\beta+\sum_{i\ge2}2\sqrt{C_1\beta}\,N_i\sqrt{\gamma_{N_{i-1}}/N_{i-1}}\le4\max\{\gamma_T^{-1/2},\sqrt{C_1}\}\frac{2^b}{2^b-1}\sqrt{\beta
    T\gamma_T}$ with $b=(1-a)(a-\frac12)$; and for $a\in(\eta,\frac12]$, $R_T\le4\sqrt\beta\,T^{1-a}+4\sqrt{C_1\beta
    T\bar\gamma_T}\,\frac{2^b}{2^b-1}$ with $b=(1-a)(a-\eta)$

    R_T is compared with both bounds, the first with the realised gains; and the lines of the proof between them in order.
    """
    assert setting.a is not None  # an assumption of the statement
    regret, where = outcomes(setting).regret, setting.where
    failures = int((regret > realised_bounds(setting, first=first, elimination=elimination)).sum())
    yield probability(failures, setting.runs, setting.delta, f"R_T above T1a, {where}")
    counts = setting.sizes[:-1]
    *before, last = certified_gains(setting, (*counts, setting.horizon))
    gain: float | GainEnvelope = last
    if setting.a <= 0.5:
        gain = GainEnvelope.fitted(counts, before, setting.eta, log_power=2 * setting.eta)
    arguments = (setting.horizon, setting.a, gain, setting.width, setting.noise_sd)
    closed = theorem1_closed(*arguments, elimination=elimination)
    summed = theorem1_summed(*arguments, elimination=elimination)
    yield probability(int((regret > closed).sum()), setting.runs, setting.delta, f"R_T above T1c, {where}")
    certified = batch_bounds(setting.sizes, before, setting.width, setting.noise_sd, elimination=elimination)
    yield at_most(float(certified.sum()), summed, f"T1a against T1b, {where}")
    yield at_most(summed, closed, f"T1b against T1c, {where}")
    scale = setting.norm + math.sqrt(math.log(setting.axis**setting.dim / setting.delta))  # Λ of eq. (37)
    beta_root = math.sqrt(2.0) * (scale + math.sqrt(math.log(len(setting.sizes))))
    yield at_most(setting.width, beta_root, f"eq. (37), {where}")


@theorem_1.on(Series)
def _on_sizes(series: Series, *, growth: float = 2.0, b_factor: float = 1.0, triple: float = 1.0) -> Iterator[Case]:
    """T^{1-a^i} ≤ N_i ≤ 2 T^{1-a^i}; U_i ≥ 2^b U_{i-1} and Σ U_i ≤ 2^b/(2^b-1) U_B for U_i = T^{a^{i-1}(η-a)}; U_B ≤ 1.

    ``growth`` is the 2, ``b_factor`` multiplies b = (1-a)(a-η).
    """
    a, where = series.a, series.where
    above, below = [], []
    for horizon in series.horizons:
        sizes = power_sizes(horizon, a)
        powers = [float(horizon) ** (1.0 - a**i) for i in range(1, len(sizes) + 1)]
        above += [(n, growth * p, f"N_i, {where}, T={horizon}") for n, p in zip(sizes, powers, strict=True)]
        below += [(p, float(n), f"T^(1-a^i), {where}, T={horizon}") for n, p in zip(sizes[:-1], powers, strict=False)]
    yield worst_of(above)
    yield worst_of(below)
    b = b_factor * geometric_rate(a, series.eta)
    lengths = (*(math.log2(t) for t in series.horizons), *series.lengths)
    steps, sums, ends = [], [], []
    for length in lengths:
        terms = np.log2(geometric_terms(length, a, series.eta)) if length < 500 else _log2_terms(length, series)
        at = f"{where}, log2 T={length:.4g}"
        steps += [(b, float(step), f"log2 U_i/U_(i-1), {at}") for step in np.diff(terms)]
        sums.append(
            (float(np.exp2(terms - terms[-1]).sum()), -1.0 / math.expm1(-b * math.log(2.0)), f"sum U_i/U_B, {at}")
        )
        ends.append(
            (2.0 ** float(terms[-1]), 2.0 ** ((0.5 - a) / length) if a > 0.5 else 1.0, f"T^(a^(B-1)(eta-a)), {at}")
        )
    yield worst_of(steps)
    yield worst_of(sums)
    yield worst_of(ends)
    yield from _batches_in_the_rate(series, triple)


def _batches_in_the_rate(series: Series, triple: float) -> Iterator[Case]:
    """√(log B) ≤ √(log log log T) + √(log(1.37/log(1/a) + 2)) for T ≥ e^e, which makes √β of the order Λ + √(log log log T).

    Eq. (7) has B ≤ log_{1/a} log2 T + 2, and log log T ≥ 1.
    """
    constant = math.sqrt(math.log((1.0 - math.log(math.log(2.0))) / -math.log(series.a) + 2.0))
    lengths = (*(math.log2(t) for t in series.horizons if t >= math.exp(math.e)), *series.lengths)
    pairs = []
    for length in lengths:
        thrice = math.log(math.log(length * math.log(2.0)))
        count = power_batch_count_log2(length, series.a)
        pairs.append(
            (
                math.sqrt(math.log(count)),
                triple * math.sqrt(max(thrice, 0.0)) + constant,
                f"root of log B against the rate's, {series.where}, log2 T={length:.4g}",
            )
        )
    if pairs:
        yield worst_of(pairs)


def _log2_terms(length: float, series: Series) -> np.ndarray:
    """log2 U_i at T = 2^L, where U_1 itself would underflow."""
    count = power_batch_count_log2(length, series.a)
    return np.asarray(length * series.a ** np.arange(count) * (series.eta - series.a))


@theorem_1.on(Growth)
def _growth(setting: Growth, *, exponent_of_t: float = 0.5) -> Case:
    """Mean R_T grows at most as T^{1/2} √(βγ_T)."""
    regret = mean_regrets(setting, setting.horizons)
    widths = [replace(setting, horizon=t).width for t in setting.horizons]
    gains = certified_gains(setting, setting.horizons)
    fit = slope_interval(np.log(setting.horizons), np.log(regret) - np.log(widths) - 0.5 * np.log(gains))
    span = replace(setting, horizon=setting.horizons[-1]).where
    where = f"growth of R_T / sqrt(beta gamma_T) from T={setting.horizons[0]}, {span}"
    return exponent(fit.low, fit.high, exponent_of_t, where)
