"""Checks of Appendix D: a constant number of batches, in the standard and in the robust setting."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal, localcontext

import numpy as np

from companion.checks.cases import Case, at_most, equal
from companion.checks.cases import exponent as growth
from companion.papers.batched.method.sizes import end_times, eta, older_constant_sizes
from companion.papers.batched.parameters import KERNEL_TITLES, SMOOTHNESS
from companion.papers.batched.statements.robust_runs import Setting, mean_regret, run_cases
from companion.papers.batched.theory.rates import regret_exponents
from companion.reproduce.intervals import slope_interval

# -- the rates, where ceilings do not matter ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Rate:
    """The sum of the batches' bounds as T grows: kernel, dimension and number of batches."""

    kernel: str
    dim: int
    batches: int

    @property
    def nu(self) -> float:
        """Smoothness; infinite for SE."""
        return SMOOTHNESS[self.kernel]

    @property
    def eta(self) -> float:
        """1/2 (SE) or nu/(2 nu + d)."""
        return eta(self.nu, self.dim)

    @property
    def where(self) -> str:
        """In words."""
        return f"{KERNEL_TITLES[self.kernel]}, d={self.dim}, B={self.batches}"

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


#: What log log T in N_i and gamma may still add to a slope fitted from T = exp(1000) on.
_ALLOWANCE = 0.01


def _rate(instance: Rate, claimed: float, power: float, ends: bool) -> Case:
    low, high = instance.slope(power, ends)
    return growth(
        low, high, claimed, f"{instance.where}, log T from 1e3 to 1e10: exponent of log T", allowance=_ALLOWANCE
    )


@dataclass(frozen=True)
class Measured:
    """Measured regret of a setting as T grows over two decades."""

    setting: Setting

    def slope(self, log_exponent: float) -> tuple[float, float]:
        """Interval of the exponent of T in the mean regret, after division by (log T)^log_exponent."""
        horizons = np.array([200, 630, 2_000, 6_300, 20_000])
        regret = [mean_regret(replace(self.setting, horizon=int(horizon))) for horizon in horizons]
        fitted = slope_interval(np.log(horizons), np.log(regret) - log_exponent * np.log(np.log(horizons)))
        return fitted.low, fitted.high


def _measured(instance: Measured, extra_batches: int) -> Case:
    setting = instance.setting
    assert setting.batches is not None  # the rule is App. D.1.2
    time, logs = regret_exponents(12, setting.batches + extra_batches, setting.nu, setting.dim)
    low, high = instance.slope(logs)
    where = replace(setting, horizon=20_000).where
    return growth(low, high, time, f"{where}, T from 200: exponent of the measured regret")


def lemma_11(
    instance: Setting | Rate,
    *,
    first: float = 2.0,
    elimination: float = 4.0,
    norm: float = 1.0,
    extra: float = 1.0,
) -> Iterator[Case]:
    r"""Lemma 11 with its constants: regret of BPE with the sizes of App. D.1.1, whose last batch takes the rest.

    With probability at least :math:`1-\delta`, :math:`R_T\le2N_1\sqrt\beta+\sum_{i\ge2}4\sqrt{C\beta}N_i
    \sqrt{I_{i-1}/N_{i-1}}`; with eqs. (1) and (2) the sum grows like :math:`T^{(1-\eta)/(1-\eta^B)}` times
    :math:`(\log T)^{d(\eta-\eta^B)/(1-\eta^B)+\eta}` (SE) or :math:`(\log T)^\eta` (Matérn) at most.

    Parameters
    ----------
    instance : a setting to play, or a kernel whose rate is fitted
    first, elimination : the constants 2 and 4 (that is 2 sqrt(C_1) / sqrt(C)) of Prop. 2
    norm : factor of :math:`\Psi` in :math:`\sqrt\beta`
    extra : factor of the term :math:`\eta` in the exponent of log T
    """
    if isinstance(instance, Setting):
        yield from run_cases(instance, "base", first, elimination, norm)
        return
    claimed = regret_exponents(11, instance.batches, instance.nu, instance.dim)[1] - (1 - extra) * instance.eta
    yield _rate(instance, claimed, instance.dim if math.isinf(instance.nu) else 0.0, ends=False)


def lemma_12(
    instance: Setting | Measured | Rate,
    *,
    first: float = 2.0,
    elimination: float = 4.0,
    norm: float = 1.0,
    schedule: float = 1.0,
    extra_batches: int = 0,
) -> Iterator[Case]:
    r"""Lemma 12 with its constants: regret of BPE with the end points of App. D.1.2.

    With probability at least :math:`1-\delta`, :math:`R_T\le2t_1\sqrt\beta+\sum_{i\ge2}4\sqrt{C\beta}(t_i-t_{i-1})
    \sqrt{I_{i-1}/N_{i-1}}`; with eqs. (1) and (2) the sum grows like :math:`T^{(1-\eta)/(1-\eta^B)}` times
    :math:`(\log T)^{(d+1)(\eta-\eta^B)/(1-\eta^B)}` (SE) or :math:`(\log T)^{(\eta-\eta^B)/(1-\eta^B)}` (Matérn) at
    most, which is no larger an exponent than Lemma 11's; and so does the measured regret.

    Parameters
    ----------
    instance : a setting to play, runs along T, or a kernel whose rate is fitted
    first, elimination, norm : as in :func:`lemma_11`
    schedule : the 1 that the exponents of log T in the end points, d + 1 and 1, have in addition to Lemma 11's
    extra_batches : added to B in the rate that the measured regret is compared with
    """
    if isinstance(instance, Setting):
        yield from run_cases(instance, "base", first, elimination, norm)
    elif isinstance(instance, Measured):
        yield _measured(instance, extra_batches)
    else:
        yield from _end_point_rate(instance, schedule)


def _end_point_rate(instance: Rate, schedule: float) -> Iterator[Case]:
    claimed = regret_exponents(12, instance.batches, instance.nu, instance.dim)[1]
    power = (instance.dim if math.isinf(instance.nu) else 0.0) + schedule
    yield _rate(instance, claimed, power, ends=True)
    older = regret_exponents(11, instance.batches, instance.nu, instance.dim)[1]
    yield at_most(claimed, older, f"{instance.where}: exponent of log T against Lemma 11's")


def lemma_13(
    instance: Setting | Measured | Rate,
    *,
    charge: str = "base",
    first: float = 2.0,
    elimination: float = 6.0,
    norm: float = 1.0,
    schedule: float = 1.0,
    extra_batches: int = 0,
) -> Iterator[Case]:
    r"""Lemma 13 with its constants: robust regret of robust-BPE with the end points of App. D.1.2.

    With probability at least :math:`1-\delta`, :math:`R_{\xi,T}\le2t_1\sqrt\beta+\sum_{i\ge2}6\sqrt{C\beta}N_i
    \sqrt{I_{i-1}/N_{i-1}}`, which is of the order of Lemma 12.

    Parameters
    ----------
    instance : a setting to play, runs along T, or a kernel whose rate is fitted
    charge : ``"base"`` or ``"query"``, see :func:`~companion.papers.batched.statements.robust.theorem_3`
    first, elimination : the constants 2 and 6
    norm, schedule, extra_batches : as in :func:`lemma_12`
    """
    if isinstance(instance, Setting):
        yield from run_cases(instance, charge, first, elimination, norm)
    elif isinstance(instance, Measured):
        yield _measured(instance, extra_batches)
    else:
        yield from _end_point_rate(instance, schedule)


# -- footnote 10 and Proposition 7 -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    """The numbers of footnote 10 (SE kernel)."""

    horizon: int = 1000
    batches: int = 4
    last: int = -604


def footnote_10(instance: Example, *, dim: int = 2, rounding: str = ROUND_CEILING) -> Iterator[Case]:
    r"""Footnote 10: with :math:`T=1000`, :math:`d=2`, :math:`B=4` the rule of App. D.1.1 ends with :math:`N_4=-604`.

    Recomputed in 50-digit decimals, and compared with :func:`companion.papers.batched.method.sizes.older_constant_sizes`.

    Parameters
    ----------
    instance : horizon, number of batches and the printed last size
    dim : dimension d
    rounding : of the sizes, upwards in the paper
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


@dataclass(frozen=True)
class Ends:
    """End points of App. D.1.2 for the SE kernel."""

    decades: int
    batches: int
    dim: int

    @property
    def horizon(self) -> int:
        """T."""
        return 10**self.decades

    @property
    def where(self) -> str:
        """In words."""
        return f"SE, d={self.dim}, T=1e{self.decades}, B={self.batches}"


def prop_7(instance: Ends, *, overlap: float = 2.0, log_dim: float = 1.0, limit: float = 1.0) -> Iterator[Case]:
    r"""Proposition 7 (SE) with its constants; :math:`\eta=1/2`, q = d + 1.

    Item 1: :math:`t_{i-1}/t_i\le2((\log T)^q/T)^{(\eta^{i-1}-\eta^i)/(1-\eta^B)}`, so that :math:`N_i=\Theta(t_i)`.
    Item 2: :math:`\log N_i/\log T` differs from :math:`(1-\eta^i)/(1-\eta^B)` by at most
    :math:`(q\log\log T+\log(1/(1-t_{i-1}/t_i))+1)/\log T`. Item 3: :math:`t_it_{i-1}^{-\eta}(\log T)^{q\eta}` is between
    :math:`2^{-\eta}` and 2 times :math:`T^{(1-\eta)/(1-\eta^B)}(\log T)^{q(\eta-\eta^B)/(1-\eta^B)}`.

    Parameters
    ----------
    instance : horizon, batches and dimension
    overlap : the factor 2 in (1), from rounding up
    log_dim : the 1 in the exponent (d + 1) eta of log T in (3)
    limit : factor of the limit in (2)
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


def plain(rule: str) -> tuple[Setting, ...]:
    """Settings for BPE: random functions, then a single high arm with little and with much noise."""
    return (
        Setting("se", 1, 0.1, 500, rule, batches=3, robust=False),
        Setting("se", 2, 0.3, 1_000, rule, batches=2, robust=False),
        Setting("matern12", 2, 0.5, 300, rule, batches=2, robust=False),
        Setting("matern32", 2, 1.0, 500, rule, batches=3, robust=False),
        Setting("matern52", 1, 0.05, 500, rule, batches=3, robust=False),
        Setting("matern52", 1, 0.1, 2_000, rule, batches=3, robust=False, problem="peak", height=1e3),
        Setting("se", 2, 1e3, 1_000, rule, batches=2, robust=False, problem="peak", height=1e3),
    )


ROBUST = (
    Setting("se", 1, 0.1, 500, "constant", batches=3),
    Setting("se", 2, 0.3, 300, "constant", batches=3),
    Setting("matern12", 2, 0.5, 300, "constant", batches=3),
    Setting("matern52", 1, 0.05, 500, "constant", batches=4),
    Setting("se", 1, 0.1, 20_000, "constant", batches=3, problem="path"),
    Setting("matern32", 1, 0.05, 20_000, "constant", batches=4, problem="path"),
    Setting("matern32", 2, 20.0, 300, "constant", batches=3, problem="star"),
)
MEASURED = (
    Measured(Setting("se", 1, 0.1, rule="constant", batches=2, robust=False)),
    Measured(Setting("matern32", 2, 0.5, rule="constant", batches=3, robust=False)),
)
MEASURED_ROBUST = (Measured(Setting("matern52", 1, 0.1, rule="constant", batches=2)),)
ENDS = tuple(
    Ends(decades, batches, dim)
    for decades, dims in ((3, (1, 2)), (6, (1, 2, 4)), (12, (1, 3, 5)), (30, (2, 4)), (100, (1, 5)), (300, (3,)))
    for dim in dims
    for batches in (2, 3, 4, 6)
)
