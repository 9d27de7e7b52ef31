"""Statements: Appendix D, a constant number of batches in the standard and in the robust setting."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

import numpy as np

from companion.checks.cases import Case, at_most, equal, exponent
from companion.checks.instance import Instance
from companion.checks.statement import Teeth, need, statement
from companion.judge.intervals import slope_interval
from companion.papers.batched.checks.robust import BASE, CHARGE_TEETH, SMALL_VARIANCE, Charge, run_cases
from companion.papers.batched.method.sizes import end_times, older_constant_sizes
from companion.papers.batched.theory.rates import regret_exponents
from companion.papers.batched.theory.robust_runs import RobustSetting, end_points_increase, mean_regret
from companion.papers.batched.theory.runs import OfKernel

POSITIVE = need(
    "every batch size is positive",
    end_points_increase,
    RobustSetting("se", 2, 0.1, 1_000, "older", batches=4, robust=False),
)
INCREASING = need(
    "$t_1<\\dots<t_B=T$, which for SE needs $T>(\\log T)^{d+1}$",
    end_points_increase,
    RobustSetting("se", 3, 0.1, 1_000, "constant", batches=4, robust=False),
)
CONSTANT_TEETH: Teeth = {
    "first batch with $0.9$ in place of $2$": {"first": 0.9},
    "later batches with $0.5$ in place of $2\\sqrt{C_1}/\\sqrt C=4$": {"elimination": 0.5},
    "leaves the norm out of $\\sqrt\\beta$": {"norm": 0.0},
}
RATE_TEETH: Teeth = {
    "end points with the logarithms of Appendix D.1.1": {"schedule": 0.0},
    "the exponents of one batch more": {"extra_batches": 1},
}

# -- the rates, where ceilings do not matter ---------------------------------------------------------------------------


class Rate(OfKernel, Instance, words="{self.title}, d={self.dim}, B={self.batches}"):
    """The sum of the batches' bounds as T grows: kernel, dimension and number of batches."""

    kernel: str
    dim: int
    batches: int

    def slope(self, power: float, ends: bool) -> tuple[float, float]:
        """Interval of the exponent of log T in the sum of batch bounds, after division by T^((1-eta)/(1-eta^B)).

        At T = exp(10^3), ..., exp(10^10), in logarithms. ``power`` is p in (log T)^(p (eta^i - eta^B)/(1 - eta^B));
        ``ends`` says whether the formula gives end points (App. D.1.2) or sizes (App. D.1.1).
        """
        log_t = 10.0 ** np.arange(3, 11)
        sums = [self._log_sum(value, power, ends) for value in log_t]
        scale = (1 - self.eta) / (1 - self.eta**self.batches)
        fitted = slope_interval(np.log(log_t), np.array(sums) - scale * log_t)
        return fitted.low, fitted.high

    def _log_sum(self, log_t: float, power: float, ends: bool) -> float:
        """log(N_1 + sum_{i>=2} N_i sqrt(gamma_{N_{i-1}}/N_{i-1})), with gamma of eqs. (1) and (2)."""
        scale = 1 - self.eta**self.batches
        steps = self.eta ** np.arange(1, self.batches + 1)
        logs = ((1 - steps) * log_t + power * (steps - steps[-1]) * math.log(log_t)) / scale
        if ends:
            logs[1:] += np.log1p(-np.exp(logs[:-1] - logs[1:]))
        else:
            logs[-1] = log_t + np.log1p(-np.exp(logs[:-1] - log_t).sum())
        gain_logs = self.dim + 1.0 if math.isinf(self.nu) else 2 * self.eta
        roots = 0.5 * (-2 * self.eta * logs[:-1] + gain_logs * np.log(logs[:-1]))
        return float(np.logaddexp.reduce(np.concatenate((logs[:1], logs[1:] + roots))))


class Measured(RobustSetting):
    """A setting of which the measured regret is looked at, as T grows over two decades."""

    def slope(self, log_exponent: float) -> tuple[float, float]:
        """Interval of the exponent of T in the mean regret, after division by (log T)^log_exponent."""
        horizons = np.array([200, 630, 2_000, 6_300, 20_000])
        regret = [mean_regret(replace(self, horizon=int(horizon))) for horizon in horizons]
        fitted = slope_interval(np.log(horizons), np.log(regret) - log_exponent * np.log(np.log(horizons)))
        return fitted.low, fitted.high


# -- instances ---------------------------------------------------------------------------------------------------------

RATES = (
    Rate("se", 1, 2),
    Rate("se", 2, 3),
    Rate("se", 3, 4),
    Rate("matern12", 1, 3),
    Rate("matern32", 2, 2),
    Rate("matern52", 1, 4),
    Rate("matern52", 3, 3),
)


def plain(rule: str) -> tuple[RobustSetting, ...]:
    """Settings for BPE: random functions, then a single high arm with little and with much noise."""
    return (
        RobustSetting("se", 1, 0.1, 500, rule, batches=3, robust=False),
        RobustSetting("se", 2, 0.3, 1_000, rule, batches=2, robust=False),
        RobustSetting("matern12", 2, 0.5, 300, rule, batches=2, robust=False),
        RobustSetting("matern32", 2, 1.0, 500, rule, batches=3, robust=False),
        RobustSetting("matern52", 1, 0.05, 500, rule, batches=3, robust=False),
        RobustSetting("matern52", 1, 0.1, 2_000, rule, batches=3, robust=False, problem="peak", height=1e3),
        RobustSetting("se", 2, 1e3, 1_000, rule, batches=2, robust=False, problem="peak", height=1e3),
    )


ROBUST = (
    RobustSetting("se", 1, 0.1, 500, "constant", batches=3),
    RobustSetting("se", 2, 0.3, 300, "constant", batches=3),
    RobustSetting("matern12", 2, 0.5, 300, "constant", batches=3),
    RobustSetting("matern52", 1, 0.05, 500, "constant", batches=4),
    RobustSetting("se", 1, 0.1, 20_000, "constant", batches=3, problem="path"),
    RobustSetting("matern32", 1, 0.05, 20_000, "constant", batches=4, problem="path"),
    RobustSetting("matern32", 2, 20.0, 300, "constant", batches=3, problem="star"),
)
MEASURED = (
    Measured("se", 1, 0.1, rule="constant", batches=2, robust=False),
    Measured("matern32", 2, 0.5, rule="constant", batches=3, robust=False),
)
MEASURED_ROBUST = (Measured("matern52", 1, 0.1, rule="constant", batches=2),)

# -- Lemmas 11 to 13 ---------------------------------------------------------------------------------------------------

#: What log log T in N_i and gamma may still add to a slope fitted from T = exp(1000) on.
_ALLOWANCE = 0.01


def _rate(instance: Rate, claimed: float, power: float, ends: bool) -> Case:
    low, high = instance.slope(power, ends)
    return exponent(
        low, high, claimed, f"{instance.where}, log T from 1e3 to 1e10: exponent of log T", allowance=_ALLOWANCE
    )


@statement(
    "lemma-11",
    "probability",
    lambda: (*plain("older"), *RATES),
    SMALL_VARIANCE,
    POSITIVE,
    teeth={**CONSTANT_TEETH, "leaves the $+\\eta$ out of the exponent of $\\log T$": {"extra": 0.0}},
    depends="prop-2 eq-1 eq-2",
)
def lemma_11(
    setting: RobustSetting, *, first: float = 2.0, elimination: float = 4.0, norm: float = 1.0
) -> Iterator[Case]:
    r"""With $N_i=\lceil T^{\frac{1-\eta^i}{1-\eta^B}}(\log T)^{\frac{d(\eta^i-\eta^B)}{1-\eta^B}}\rceil$ (SE; Matérn
    without the logarithm) for $i<B$ and $N_B=T-\sum_{j<B}N_j$, with probability at least $1-\delta$,
    $R_T\le2N_1\sqrt\beta+\sum_{i=2}^B2\sqrt{C_1\beta}\,N_i\sqrt{\gamma_{N_{i-1}}/N_{i-1}}=O\bigl(B(\Lambda+\sqrt{\log
    B})T^{\frac{1-\eta}{1-\eta^B}}(\log T)^{\frac{d(\eta-\eta^B)}{1-\eta^B}+\eta}\bigr)$, for Matérn kernels with
    $(\log T)^\eta$

    On runs with realised gains, 4 sqrt(C) for 2 sqrt(C_1); ``norm`` multiplies the Psi in sqrt(beta).
    """
    yield from run_cases(setting, BASE, first, elimination, norm)


@lemma_11.on(Rate)
def _size_rate(instance: Rate, *, extra: float = 1.0) -> Case:
    """The sum with eqs. (1) and (2) grows as claimed; ``extra`` is the factor of the term eta in the exponent of log T."""
    claimed = regret_exponents(11, instance.batches, instance.nu, instance.dim)[1] - (1 - extra) * instance.eta
    return _rate(instance, claimed, instance.dim if math.isinf(instance.nu) else 0.0, ends=False)


@statement(
    "lemma-12",
    "probability",
    lambda: (*plain("constant"), *MEASURED, *RATES),
    SMALL_VARIANCE,
    INCREASING,
    teeth={**CONSTANT_TEETH, **RATE_TEETH},
    depends="prop-2 prop-7",
)
def lemma_12(
    setting: RobustSetting, *, first: float = 2.0, elimination: float = 4.0, norm: float = 1.0
) -> Iterator[Case]:
    r"""With $t_i=\lceil T^{\frac{1-\eta^i}{1-\eta^B}}(\log T)^{\frac{(d+1)(\eta^i-\eta^B)}{1-\eta^B}}\rceil$ (SE;
    Matérn with $1$ for $d+1$), with probability at least $1-\delta$,
    $R_T\le2t_1\sqrt\beta+\sum_{i=2}^B2\sqrt{C_1\beta}(t_i-t_{i-1})\sqrt{\gamma_{N_{i-1}}/N_{i-1}}=O\bigl(B(\Lambda+\sqrt{\log
    B})T^{\frac{1-\eta}{1-\eta^B}}(\log T)^{\frac{(d+1)(\eta-\eta^B)}{1-\eta^B}}\bigr)$, for Matérn kernels with $(\log
    T)^{\frac{\eta-\eta^B}{1-\eta^B}}$

    On runs as in :func:`lemma_11`. Besides, the exponent of log T is no larger than Lemma 11's.
    """
    yield from run_cases(setting, BASE, first, elimination, norm)


@statement(
    "lemma-13",
    "probability",
    lambda: (*ROBUST, *MEASURED_ROBUST, *RATES),
    SMALL_VARIANCE,
    INCREASING,
    teeth={**CHARGE_TEETH, **RATE_TEETH},
    depends="theorem-3 prop-7",
)
def lemma_13(
    setting: RobustSetting, *, charged: Charge = BASE, first: float = 2.0, elimination: float = 6.0
) -> Iterator[Case]:
    r"""With the end points of Lemma 12, robust-BPE has, with probability at least $1-\delta$,
    $R_{\xi,T}\le2t_1\sqrt\beta+\sum_{i=2}^B6\sqrt{C\beta}\,N_i\sqrt{\gamma_{N_{i-1}}/N_{i-1}}$, of the order of Lemma
    12"""
    yield from run_cases(setting, charged, first, elimination)


@lemma_12.on(Measured)
@lemma_13.on(Measured)
def _measured(setting: Measured, *, extra_batches: int = 0) -> Case:
    """The measured regret grows no faster than the rate; ``extra_batches`` is added to the B in it."""
    assert setting.batches is not None  # the rule is App. D.1.2
    time, logs = regret_exponents(12, setting.batches + extra_batches, setting.nu, setting.dim)
    low, high = setting.slope(logs)
    where = replace(setting, horizon=20_000).where
    return exponent(low, high, time, f"{where}, T from 200: exponent of the measured regret")


@lemma_12.on(Rate)
@lemma_13.on(Rate)
def _end_point_rate(instance: Rate, *, schedule: float = 1.0) -> Iterator[Case]:
    """``schedule`` is what the exponents of log T in the end points, d + 1 and 1, have in addition to Lemma 11's."""
    claimed = regret_exponents(12, instance.batches, instance.nu, instance.dim)[1]
    power = (instance.dim if math.isinf(instance.nu) else 0.0) + schedule
    yield _rate(instance, claimed, power, ends=True)
    older = regret_exponents(11, instance.batches, instance.nu, instance.dim)[1]
    yield at_most(claimed, older, f"{instance.where}: exponent of log T against Lemma 11's")


# -- footnote 10 and Proposition 7 -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    """The numbers of footnote 10 (SE kernel)."""

    horizon: int = 1000
    batches: int = 4
    last: int = -604


@statement(
    "footnote-10",
    "identity",
    lambda: (Example(),),
    teeth={"$d=1$ in place of $d=2$": {"dim": 1}, "sizes rounded down in place of up": {"rounding": ROUND_FLOOR}},
    depends="lemma-11",
)
def footnote_10(instance: Example, *, dim: int = 2, rounding: str = ROUND_CEILING) -> Iterator[Case]:
    r"""SE kernel, $T=1000$, $d=2$, $B=4$: $N_B=-604$ in Appendix D.1.1

    Recomputed in 50-digit decimals, and compared with :func:`companion.papers.batched.method.sizes.older_constant_sizes`.
    """
    with localcontext() as context:
        context.prec = 50
        log_t, half = Decimal(instance.horizon).ln(), Decimal(1) / 2
        scale = 1 - half**instance.batches
        sizes = [
            int(
                (((1 - half**i) * log_t + dim * (half**i - half**instance.batches) * log_t.ln()) / scale)
                .exp()
                .to_integral_value(rounding)
            )
            for i in range(1, instance.batches)
        ]
    where = f"SE, d={dim}, T={instance.horizon}, B={instance.batches}"
    yield equal(instance.horizon - sum(sizes), instance.last, f"{where}: last size")
    ours = older_constant_sizes(instance.horizon, instance.batches, math.inf, dim, allow_invalid=True)
    yield equal(sum(a != b for a, b in zip(sizes, ours, strict=False)), 0, f"{where}: sizes in two arithmetics")


class Ends(Instance, words="SE, d={self.dim}, T=1e{self.decades}, B={self.batches}"):
    """End points of App. D.1.2 for the SE kernel."""

    decades: int
    batches: int
    dim: int

    @property
    def horizon(self) -> int:
        """T."""
        return 10**self.decades


ENDS = tuple(
    Ends(decades, batches, dim)
    for decades, dims in ((3, (1, 2)), (6, (1, 2, 4)), (12, (1, 3, 5)), (30, (2, 4)), (100, (1, 5)), (300, (3,)))
    for dim in dims
    for batches in (2, 3, 4, 6)
)


@statement(
    "prop-7",
    "inequality",
    lambda: ENDS,
    need("$T>(\\log T)^{d+1}$", lambda ends: ends.horizon > math.log(ends.horizon) ** (ends.dim + 1), Ends(3, 4, 3)),
    teeth={
        "$d\\eta$ in place of $(d+1)\\eta$": {"log_dim": 0.0},
        "$1$ in place of the $2$ that rounding costs": {"overlap": 1.0},
        "$\\log N_i$ half as large": {"limit": 0.5},
    },
)
def prop_7(instance: Ends, *, overlap: float = 2.0, log_dim: float = 1.0, limit: float = 1.0) -> Iterator[Case]:
    r"""SE, constant $B$: $N_i=\Theta(t_i)$; $\log N_i=\Theta(\log T)$; for $i\ge2$, $t_it_{i-1}^{-\eta}(\log
    T)^{(d+1)\eta}=\Theta\bigl(T^{\frac{1-\eta}{1-\eta^B}}(\log T)^{\frac{(d+1)(\eta-\eta^B)}{1-\eta^B}}\bigr)$

    With constants, q = d + 1. Item 1: :math:`t_{i-1}/t_i\le2((\log T)^q/T)^{(\eta^{i-1}-\eta^i)/(1-\eta^B)}`.
    Item 2: :math:`\log N_i/\log T` differs from :math:`(1-\eta^i)/(1-\eta^B)` by at most
    :math:`(q\log\log T+\log(1/(1-t_{i-1}/t_i))+1)/\log T`. Item 3: between :math:`2^{-\eta}` and 2 times the right side.
    """
    half, count, q = 0.5, instance.batches, instance.dim + 1
    log_t = instance.decades * math.log(10.0)
    loglog, scale = math.log(log_t), 1 - 0.5**count
    times = (0, *end_times(instance.horizon, count, math.inf, instance.dim))
    target = ((1 - half) * log_t + q * (half - half**count) * loglog) / scale
    for i in range(1, count + 1):
        where, size = f"{instance.where}, batch {i}", times[i] - times[i - 1]
        share = times[i - 1] / times[i]
        slow = (q * loglog - math.log1p(-share) + 1.0) / log_t
        exact = limit * (1 - half**i) / scale
        yield at_most(abs(math.log(size) / log_t - exact), slow, f"{where}: log N against log T")
        if i == 1:
            continue
        allowed = overlap * math.exp((q * loglog - log_t) * (half ** (i - 1) - half**i) / scale)
        yield at_most(share, allowed, f"{where}: overlap")
        left = math.log(times[i]) - half * math.log(times[i - 1]) + (instance.dim + log_dim) * half * loglog
        yield at_most(abs(left - target - 0.25 * math.log(2)), 0.75 * math.log(2), f"{where}: balance")
