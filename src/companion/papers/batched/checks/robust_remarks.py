"""Statements: Remarks 8 to 10, on the order of the robust regret and on the last point."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from companion.bounds.confidence import UnionBoundWidth
from companion.checks.cases import Case, agrees, at_most, equal, exponent, none_of, probability
from companion.checks.instance import Instance
from companion.checks.statement import fix, statement
from companion.core.arrays import Floats
from companion.gp import grid, kernel_by_name
from companion.information.upper import spectral_bound, spectrum
from companion.judge.intervals import slope_interval
from companion.papers.batched.checks.robust import RANDOM, SMALL_VARIANCE, certified, totals
from companion.papers.batched.method.sizes import power_sizes
from companion.papers.batched.theory.bounds import (
    batch_bounds,
    simple_regret_bounds,
    variance_sum_constant,
)
from companion.papers.batched.theory.counts import geometric_constant
from companion.papers.batched.theory.rates import simple_regret_exponents
from companion.papers.batched.theory.robust_runs import (
    AXIS,
    DELTA,
    LENGTHSCALE,
    NORM,
    RobustSetting,
    gain_upper,
    mean_regret,
    one_run,
    runs,
)
from companion.papers.batched.theory.runs import OfKernel

# -- Remark 8 ----------------------------------------------------------------------------------------------------------


class Growth(OfKernel, Instance, words="{self.title}, d={self.dim}, noise {self.noise_sd:g}, a={self.a:g}"):
    """Bounds along a sequence of horizons, with gains of the shape of eqs. (1) and (2)."""

    kernel: str
    dim: int
    noise_sd: float
    a: float

    @property
    def setting(self) -> RobustSetting:
        """A short run of the same kernel, with random functions."""
        return RobustSetting(self.kernel, self.dim, self.noise_sd, 100, a=self.a)

    def gain(self, count: float) -> float:
        """(log n)^(d+1) for SE, n^(1 - 2 eta) (log n)^(2 eta) for Matérn."""
        power = self.dim + 1.0 if math.isinf(self.nu) else 2 * self.eta
        return float(count) ** (1 - 2 * self.eta) * math.log(count) ** power


GROWTHS = (
    Growth("se", 1, 0.1, 0.6),
    Growth("se", 2, 0.5, 0.75),
    Growth("matern12", 1, 0.2, 0.4),
    Growth("matern32", 2, 1.0, 0.45),
    Growth("matern52", 1, 0.05, 0.6),
    Growth("matern52", 3, 0.3, 0.4),
)

#: Horizons at which the robust regret is measured.
LENGTHS = (100, 300, 1000, 3000)

#: Noise so small that batches after the first one eliminate points at these horizons; with more noise regret is still
#: nearly linear in T there, and a rate says nothing.
GROWING = (
    RobustSetting("se", 1, 0.1, LENGTHS[-1], a=0.6),
    RobustSetting("matern12", 1, 0.05, LENGTHS[-1], a=0.6),
    RobustSetting("matern32", 2, 0.05, LENGTHS[-1], a=0.45),
)


@statement(
    "remark-8",
    "rate",
    lambda: (*GROWTHS, *GROWING),
    teeth={
        "$\\gamma$ in place of $\\sqrt\\gamma$, as in earlier work": {"gain_power": 1.0},
        "$8$ in place of the $6$ of Lemma 10": {"elimination": 8.0},
        "regret grows as the 0.3rd power": {"exponent_of_t": 0.3},
    },
    depends="theorem-1 theorem-3",
)
def remark_8(instance: Growth, *, gain_power: float = 0.5, elimination: float = 6.0) -> Iterator[Case]:
    r"""Theorem 3 has the order of Theorem 1, so that the robust setting has a similar minimax regret

    The ratio of the two explicit sums of batch bounds is at most 3/2, which is arithmetic: their constants are 6 and 4. With
    :math:`\xi=0` the two algorithms make the same choices, so that no lower bound is lost. ``gain_power`` is the power with
    which gamma_N / N enters Theorem 3's bound.
    """
    width, horizons = 5.0, [10**k for k in range(3, 13)]
    root = math.sqrt(variance_sum_constant(instance.noise_sd))
    ratios = []
    for horizon in horizons:
        sizes = power_sizes(horizon, instance.a)
        gains = [instance.gain(n) for n in sizes[:-1]]
        robust = 2 * width * sizes[0] + sum(
            elimination * width * root * n * gain**gain_power / math.sqrt(before)
            for n, before, gain in zip(sizes[1:], sizes, gains, strict=False)
        )
        ratios.append(robust / float(batch_bounds(sizes, gains, width, instance.noise_sd).sum()))
    yield at_most(max(ratios), 1.5, f"{instance.where}: largest ratio of the bounds")
    yield none_of(*_differences_without_displacement(instance.setting), f"{instance.where}: rounds at xi = 0")


@remark_8.on(RobustSetting)
def _measured_growth(setting: RobustSetting, *, exponent_of_t: float = 0.5) -> Case:
    r"""Mean :math:`R_{\xi,T}` over :math:`\sqrt{\beta\gamma_T}`, gamma certified, grows at most as :math:`\sqrt T`."""
    scaled = []
    for horizon in LENGTHS:
        at = replace(setting, horizon=horizon)
        width = UnionBoundWidth(NORM, AXIS[at.dim] ** at.dim, len(at.sizes), DELTA).width()
        scaled.append(mean_regret(at) / (width * math.sqrt(gain_upper(at)[horizon])))
    fit = slope_interval(np.log(LENGTHS), np.log(scaled))
    return exponent(fit.low, fit.high, exponent_of_t, f"{setting.where}: growth of R / sqrt(beta gamma_T) from T=100")


@lru_cache(maxsize=16)
def _differences_without_displacement(setting: RobustSetting) -> tuple[int, int]:
    """Rounds in which robust-BPE with nb[x] = {x} and BPE evaluate or charge different points, of how many."""
    plain, alone = one_run(replace(setting, robust=False), 0), one_run(replace(setting, radius=0.0), 0)
    pairs = list(zip(plain.history, alone.history, strict=True))
    wrong = sum(int(np.sum((p.query != r.query) | (p.charged != r.charged))) for p, r in pairs)
    return wrong, sum(p.size for p, _ in pairs)


# -- Remarks 9 and 10 --------------------------------------------------------------------------------------------------

LAST = (
    RobustSetting("matern52", 2, 20.0, 150, a=0.6, problem="star"),
    RobustSetting("se", 1, 0.1, 2_000, a=0.6, problem="path"),
)


@statement(
    "remark-9",
    "probability",
    lambda: tuple(replace(setting, horizon=100) for setting in RANDOM) + LAST,
    SMALL_VARIANCE,
    teeth={
        "compares the regrets themselves, as printed": {"literal": True},
        "$1$ in place of $6$": {"elimination": 1.0},
        "leaves out the minimum with $2\\sqrt\\beta$": {"capped": False},
    },
    depends="lemma-10 theorem-3",
    corrected=fix(
        "the same about the upper bounds, of which the remark's own reason speaks: $r_\\xi(x_T)\\le\\min\\{2\\sqrt\\beta,"
        "6\\sqrt{C\\beta\\gamma_{N_{B-1}}/N_{B-1}}\\}$, "
        "which is at most the mean of the same bounds over all rounds, and that is at most the bound of Theorem 3 over "
        "$T$; the rate follows",
        other=True,
        literal=False,
    ),
)
def remark_9(
    setting: RobustSetting, *, literal: bool = True, elimination: float = 6.0, capped: bool = True
) -> Iterator[Case]:
    r"""$r_\xi(x^{(T)})\le R_{\xi,T}/T$ for $x^{(T)}=x_T$, with probability at least $1-\delta$; hence
    $r_\xi(x^{(T)})=O^*(\sqrt{\gamma_T/T})$

    ``literal`` compares the regrets themselves, as printed; else their bounds, which without the minimum (``capped``) need
    not decrease from batch 1 to 2.
    """
    found = runs(setting)
    if literal:
        if not setting.structured:
            above = sum(run.last_base > run.base.sum() / sum(run.sizes) for run in found)
            yield probability(above, len(found), DELTA, f"{setting.where}: regret of the last point above the mean")
        return
    pairs = [(run.last_base, run.last_bound(elimination, capped)) for run in found]
    if setting.structured:
        regret, bound = max(pairs, key=lambda pair: pair[0] / pair[1])
        yield at_most(regret, bound, f"{setting.where}: regret of the last point")
    else:
        failures = sum(regret > bound for regret, bound in pairs)
        yield probability(failures, len(pairs), DELTA, f"{setting.where}: regret of the last point")
    last, average = _simple_bounds(setting, elimination, capped)
    yield at_most(last, average, f"{setting.where}: last bound against their mean")
    if not setting.structured:
        closed = totals(setting, elimination)[2]
        yield at_most(average, closed / setting.horizon, f"{setting.where}: mean of the bounds against Theorem 3 / T")


def _simple_bounds(setting: RobustSetting, elimination: float, capped: bool) -> tuple[float, float]:
    """Bound on the last round and mean bound of all rounds, with certified gains that make gamma_n/n non-increasing."""
    run = runs(setting)[0]
    arguments = run.sizes, certified(setting), run.width, setting.noise_sd
    if capped:
        return simple_regret_bounds(*arguments, elimination=elimination)
    bounds = batch_bounds(*arguments, elimination=elimination)
    return float(bounds[-1] / run.sizes[-1]), float(bounds.sum() / sum(run.sizes))


@statement(
    "remark-10",
    "rate",
    lambda: GROWTHS,
    teeth={
        "$T^{-2\\eta}$ in place of $T^{-\\eta}$": {"time_factor": 2.0},
        "$d$ in place of $d+1$, or no logarithm": {"log_shift": -0.5},
        "lower bound $T^{-\\eta/2}$": {"lower_factor": 0.5},
    },
    depends="remark-9 eq-1 eq-2",
)
def remark_10(
    instance: Growth, *, time_factor: float = 1.0, log_shift: float = 0.0, lower_factor: float = 1.0
) -> Iterator[Case]:
    r"""$r_\xi(x^{(T)})=O^*(\sqrt{(\log T)^{d+1}/T})$ (SE), $O^*(T^{-\eta}(\log T)^\eta)$ (Matérn); cited:
    $\Omega(\sqrt{(\log T)^{d/2}/T})$, $\Omega(T^{-\eta})$

    The exponents are typed here from the remark, and the package's are compared. They are :math:`\sqrt{\gamma_T/T}` with
    eqs. (1) and (2); and the mean of Theorem 3's bounds over the rounds, in units of :math:`6\sqrt{C\beta}`, is at most
    :math:`2\cdot2^b/(2^b-1)` times that, at horizons up to :math:`10^{100}`. With gains of the kernel itself, certified, the
    mean bound falls at least as fast as the rate, fitted on :math:`10^3\le T\le10^6`.
    """
    nu, dim = instance.nu, instance.dim
    smooth = math.isinf(nu)
    time, logs = (-0.5, (dim + 1) / 2.0) if smooth else (-nu / (2 * nu + dim), nu / (2 * nu + dim))
    low_time, low_logs = (-0.5, dim / 4.0) if smooth else (-nu / (2 * nu + dim), 0.0)
    known = simple_regret_exponents(nu, dim)
    given = zip((*known["upper"], *known["lower"]), (time, logs, low_time, low_logs), strict=True)
    for (package, typed), what in zip(given, ("T", "log T", "T, lower", "log T, lower"), strict=True):
        yield agrees(package, typed, f"{instance.where}: exponent of {what}")
    time, logs, low_time = time * time_factor, logs + log_shift, low_time * lower_factor
    fit = slope_interval(np.log(DECADES), np.log(_mean_bounds(instance)) - logs * np.log(np.log(DECADES)))
    yield exponent(fit.low, fit.high, time, f"{instance.where}: mean bound with certified gains, exponent of T")
    closed = 2 * geometric_constant(instance.a, instance.eta if instance.a <= 0.5 else 0.5)
    for decades in (6, 12, 25, 50, 100):
        horizon, log_t = 10**decades, decades * math.log(10)
        rate = math.exp(time * log_t + logs * math.log(log_t))
        where = f"{instance.where}, T=1e{decades}"
        yield equal(math.sqrt(instance.gain(horizon) / horizon), rate, f"{where}: root of gain over T")
        sizes = power_sizes(horizon, instance.a)
        mean = sum(
            n / horizon * math.sqrt(instance.gain(before) / before) for n, before in zip(sizes[1:], sizes, strict=False)
        )
        yield at_most(mean, closed * rate, f"{where}: mean bound of the rounds")
        lower = math.exp(low_time * log_t + low_logs * math.log(log_t))
        gap = (dim + 1) / 2 if smooth else instance.eta
        yield at_most(lower, rate, f"{where}: lower rate against upper")
        yield at_most(rate, lower * log_t**gap, f"{where}: upper rate against lower times (log T)^{gap:g}")


DECADES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
#: Points per axis of the grid whose certified gains enter Remark 10.
PER_AXIS = {1: 200, 2: 16, 3: 7}


@lru_cache(maxsize=16)
def _mean_bounds(instance: Growth) -> Floats:
    r"""Mean over the rounds of :math:`\min\{1,\sqrt{\gamma_{N_{i-1}}/N_{i-1}}\}` with certified gains, 1 in the first batch."""
    kernel = kernel_by_name(instance.kernel, LENGTHSCALE)
    eigenvalues = spectrum(kernel(grid(PER_AXIS[instance.dim], instance.dim)))
    found = []
    for horizon in DECADES:
        sizes = power_sizes(horizon, instance.a)
        gains = [spectral_bound(eigenvalues, n, instance.noise_sd**2) for n in sizes[:-1]]
        later = [n * min(1.0, math.sqrt(g / before)) for n, before, g in zip(sizes[1:], sizes, gains, strict=False)]
        found.append((sizes[0] + sum(later)) / horizon)
    return np.array(found)
