"""Checks of Section 5 and Appendix C: Theorem 3, Remarks 8 to 10 and the smaller sampling set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from companion.arrays import Floats
from companion.checks.cases import Case, agrees, at_most, equal, none_of, probability
from companion.checks.cases import exponent as growth
from companion.gp import grid, kernel_by_name
from companion.information.upper import spectral_bound, spectrum
from companion.papers.batched.method.sizes import power_sizes
from companion.papers.batched.parameters import KERNEL_TITLES
from companion.papers.batched.statements.robust_runs import (
    AXIS,
    DELTA,
    LENGTHSCALE,
    NORM,
    Played,
    Setting,
    gain_upper,
    mean_regret,
    play,
    refined,
    run_cases,
    runs,
)
from companion.papers.batched.theory.bounds import (
    GainEnvelope,
    batch_bounds,
    simple_regret_bounds,
    theorem1_closed,
    theorem1_summed,
    variance_sum_constant,
)
from companion.papers.batched.theory.counts import geometric_constant
from companion.papers.batched.theory.rates import simple_regret_exponents
from companion.problems import Neighbourhood
from companion.reproduce.intervals import slope_interval

# -- Theorem 3 ---------------------------------------------------------------------------------------------------------

RANDOM = (
    Setting("se", 1, 0.1, 200, a=0.6),
    Setting("se", 2, 0.3, 200, a=0.75),
    Setting("matern12", 2, 0.5, 300, a=0.75),
    Setting("matern32", 2, 1.0, 200, a=0.4),
    Setting("matern52", 1, 0.05, 300, a=0.45),
)
STRUCTURED = (
    Setting("se", 1, 0.1, 20_000, a=0.6, problem="path"),
    Setting("matern12", 2, 0.05, 20_000, a=0.7, problem="path"),
    Setting("matern52", 2, 20.0, 200, a=0.6, problem="star"),
    Setting("matern32", 3, 2.0, 500, a=0.5, problem="star"),
)


def theorem_3(
    setting: Setting, *, charge: str = "base", first: float = 2.0, elimination: float = 6.0, norm: float = 1.0
) -> Iterator[Case]:
    r"""Theorem 3 with its constants: the robust regret of robust-BPE with the sizes of eq. (6).

    With probability at least :math:`1-\delta`, :math:`R_{\xi,T}\le 2N_1\sqrt\beta+\sum_{i\ge2}6\sqrt{C\beta}N_i
    \sqrt{I_{i-1}/N_{i-1}}` (eqs. 158 to 163, with realised gains), every batch by its own term; and, with certified
    upper bounds on :math:`\gamma`, this is at most the sums of eqs. (29) to (35), or (42) to (48) where
    :math:`a\le1/2`, with :math:`12\sqrt C` for :math:`4\sqrt{C_1}`.

    Parameters
    ----------
    setting : kernel, noise, horizon, ``a`` and kind of function
    charge : ``"base"``, regret of the active point :math:`x_t` that was displaced (Sec. 2.2); ``"query"``, of the point
        that was evaluated, as line 7 of Algorithm 1 can be read
    first, elimination : the constants 2 and 6
    norm : factor of :math:`\Psi` in :math:`\sqrt\beta`
    """
    yield from run_cases(setting, charge, first, elimination, norm)
    if setting.structured:
        return
    by_batch, summed, closed = totals(setting, elimination)
    yield at_most(by_batch, summed, f"{setting.where}: batches against their sum in terms of T")
    yield at_most(summed, closed, f"{setting.where}: the sum against its closed form")


@lru_cache(maxsize=64)
def totals(setting: Setting, elimination: float) -> tuple[float, float, float]:
    """Bounds on the regret with certified gains: added up over the batches, in terms of T, and without B."""
    width, noise_sd = runs(setting)[0].width, setting.noise_sd
    by_batch = batch_bounds(setting.sizes, _certified(setting), width, noise_sd, elimination=elimination).sum()
    assert setting.a is not None  # the rule is eq. (6)
    gain: float | GainEnvelope = gain_upper(setting)[setting.horizon]
    if setting.a <= 0.5:
        gain = GainEnvelope.fitted(setting.sizes[:-1], _certified(setting)[:-1], setting.eta, 2 * setting.eta)
    arguments = setting.horizon, setting.a, gain, width, noise_sd
    summed = theorem1_summed(*arguments, elimination=elimination)
    return float(by_batch), summed, theorem1_closed(*arguments, elimination=elimination)


def _certified(setting: Setting) -> list[float]:
    gains = gain_upper(setting)
    return [gains[n] for n in setting.sizes]


# -- Remarks 8 to 10 ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Growth:
    """Bounds along a sequence of horizons, with gains of the shape of eqs. (1) and (2)."""

    kernel: str
    dim: int
    noise_sd: float
    a: float

    @property
    def setting(self) -> Setting:
        """A short run of the same kernel, with random functions."""
        return Setting(self.kernel, self.dim, self.noise_sd, 100, a=self.a)

    @property
    def eta(self) -> float:
        """1/2 (SE) or nu/(2 nu + d)."""
        return self.setting.eta

    def gain(self, count: float) -> float:
        """(log n)^(d+1) for SE, n^(1 - 2 eta) (log n)^(2 eta) for Matérn."""
        power = self.dim + 1.0 if math.isinf(self.setting.nu) else 2 * self.eta
        return float(count) ** (1 - 2 * self.eta) * math.log(count) ** power

    @property
    def where(self) -> str:
        """In words."""
        return f"{KERNEL_TITLES[self.kernel]}, d={self.dim}, noise {self.noise_sd:g}, a={self.a:g}"


def remark_8(
    instance: Growth | Setting, *, gain_power: float = 0.5, elimination: float = 6.0, exponent_of_t: float = 0.5
) -> Iterator[Case]:
    r"""Remark 8: the bound of Theorem 3 is of the order of Theorem 1's, and the robust setting contains the other.

    On runs of robust-BPE at growing horizons, mean :math:`R_{\xi,T}` over :math:`\sqrt{\beta\gamma_T}`, gamma certified, grows
    at most as :math:`\sqrt T`, the order of Theorem 1. The ratio of the two explicit sums of batch bounds is at most 3/2, which
    is arithmetic: their constants are 6 and 4. With :math:`\xi=0` the two algorithms make the same choices, so that no lower
    bound is lost.

    Parameters
    ----------
    instance : kernel, noise and ``a``; or the configuration of runs
    gain_power : power with which gamma_N / N enters Theorem 3's bound; the part of gamma beyond 1/2 is what earlier
        work had in excess
    elimination : the constant 6 of Lemma 10
    exponent_of_t : 1/2
    """
    if isinstance(instance, Setting):
        yield _measured_growth(instance, exponent_of_t)
        return
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


LENGTHS = (100, 300, 1000, 3000)
"""Horizons at which the robust regret is measured."""

GROWING = (
    Setting("se", 1, 0.1, LENGTHS[-1], a=0.6),
    Setting("matern12", 1, 0.05, LENGTHS[-1], a=0.6),
    Setting("matern32", 2, 0.05, LENGTHS[-1], a=0.45),
)
"""Noise so small that batches after the first one eliminate points at these horizons; with more noise regret is still
nearly linear in T there, and a rate says nothing."""


def _measured_growth(setting: Setting, exponent_of_t: float) -> Case:
    scaled = []
    for horizon in LENGTHS:
        at = replace(setting, horizon=horizon)
        width = math.sqrt(2.0 * math.log(AXIS[at.dim] ** at.dim * len(at.sizes) / DELTA)) + NORM
        scaled.append(mean_regret(at) / (width * math.sqrt(gain_upper(at)[horizon])))
    fit = slope_interval(np.log(LENGTHS), np.log(scaled))
    return growth(fit.low, fit.high, exponent_of_t, f"{setting.where}: growth of R / sqrt(beta gamma_T) from T=100")


@lru_cache(maxsize=16)
def _differences_without_displacement(setting: Setting) -> tuple[int, int]:
    """Rounds in which robust-BPE with nb[x] = {x} and BPE evaluate or charge different points, of how many."""
    plain, alone = play(replace(setting, robust=False), 0), play(replace(setting, radius=0.0), 0)
    pairs = list(zip(plain.history, alone.history, strict=True))
    wrong = sum(int(np.sum((p.query != r.query) | (p.charged != r.charged))) for p, r in pairs)
    return wrong, sum(p.size for p, _ in pairs)


def remark_9(
    setting: Setting, *, literal: bool = True, elimination: float = 6.0, capped: bool = True
) -> Iterator[Case]:
    r"""Remark 9: the simple regret of :math:`x^{(T)}=x_T`, the last base point.

    Printed: :math:`r_\xi(x_T)\le R_{\xi,T}/T` with probability at least :math:`1-\delta`. What the argument shows is
    :math:`r_\xi(x_T)\le\min\{2\sqrt\beta,6\sqrt{C\beta\gamma_{N_{B-1}}/N_{B-1}}\}`, and that this is at most the mean
    over all rounds of the same bounds, which in turn is at most the bound of Theorem 3 over T.

    Parameters
    ----------
    setting : as in :func:`theorem_3`
    literal : compare the regrets themselves
    elimination : the constant 6
    capped : take the minimum with :math:`2\sqrt\beta`, without which the bounds need not decrease from batch 1 to 2
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


def _simple_bounds(setting: Setting, elimination: float, capped: bool) -> tuple[float, float]:
    """Bound on the last round and mean bound of all rounds, with certified gains that make gamma_n/n non-increasing."""
    run = runs(setting)[0]
    arguments = run.sizes, _certified(setting), run.width, setting.noise_sd
    if capped:
        return simple_regret_bounds(*arguments, elimination=elimination)
    bounds = batch_bounds(*arguments, elimination=elimination)
    return float(bounds[-1] / run.sizes[-1]), float(bounds.sum() / sum(run.sizes))


def remark_10(
    instance: Growth, *, time_factor: float = 1.0, log_shift: float = 0.0, lower_factor: float = 1.0
) -> Iterator[Case]:
    r"""Remark 10: the rates of the simple regret, and that they match the cited lower bounds up to logarithms.

    Upper: :math:`\sqrt{(\log T)^{d+1}/T}` (SE) and :math:`T^{-\eta}(\log T)^\eta` (Matérn), typed here from the remark; the
    package's exponents are compared. They are :math:`\sqrt{\gamma_T/T}` with eqs. (1) and (2); and the mean of Theorem 3's
    bounds over the rounds, in units of :math:`6\sqrt{C\beta}`, is at most :math:`2\cdot2^b/(2^b-1)` times that, at horizons up
    to :math:`10^{100}`. With gains of the kernel itself, certified, the mean bound falls at least as fast as the rate, fitted
    on :math:`10^3\le T\le10^6`.

    Parameters
    ----------
    instance : kernel and ``a``
    time_factor, lower_factor : factors of the printed exponents of T in the upper and in the lower rate
    log_shift : added to the printed exponent of log T in the upper rate
    """
    nu, dim = instance.setting.nu, instance.dim
    smooth = math.isinf(nu)
    time, logs = (-0.5, (dim + 1) / 2.0) if smooth else (-nu / (2 * nu + dim), nu / (2 * nu + dim))
    low_time, low_logs = (-0.5, dim / 4.0) if smooth else (-nu / (2 * nu + dim), 0.0)
    known = simple_regret_exponents(nu, dim)
    given = zip((*known["upper"], *known["lower"]), (time, logs, low_time, low_logs), strict=True)
    for (package, typed), what in zip(given, ("T", "log T", "T, lower", "log T, lower"), strict=True):
        yield agrees(package, typed, f"{instance.where}: exponent of {what}")
    time, logs, low_time = time * time_factor, logs + log_shift, low_time * lower_factor
    fit = slope_interval(np.log(DECADES), np.log(_mean_bounds(instance)) - logs * np.log(np.log(DECADES)))
    yield growth(fit.low, fit.high, time, f"{instance.where}: mean bound with certified gains, exponent of T")
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
PER_AXIS = {1: 200, 2: 16, 3: 7}
"""Points per axis of the grid whose certified gains enter Remark 10."""


@lru_cache(maxsize=16)
def _mean_bounds(instance: Growth) -> Floats:
    r"""Mean over the rounds of :math:`\min\{1,\sqrt{\gamma_{N_{i-1}}/N_{i-1}}\}` with certified gains, 1 in the first batch."""
    kernel = kernel_by_name(instance.kernel, LENGTHSCALE)
    eigenvalues = spectrum(np.asarray(kernel(grid(PER_AXIS[instance.dim], instance.dim))))
    found = []
    for horizon in DECADES:
        sizes = power_sizes(horizon, instance.a)
        gains = [spectral_bound(eigenvalues, n, instance.noise_sd**2) for n in sizes[:-1]]
        later = [n * min(1.0, math.sqrt(g / before)) for n, before, g in zip(sizes[1:], sizes, gains, strict=False)]
        found.append((sizes[0] + sum(later)) / horizon)
    return np.array(found)


GROWTHS = (
    Growth("se", 1, 0.1, 0.6),
    Growth("se", 2, 0.5, 0.75),
    Growth("matern12", 1, 0.2, 0.4),
    Growth("matern32", 2, 1.0, 0.45),
    Growth("matern52", 1, 0.05, 0.6),
    Growth("matern52", 3, 0.3, 0.4),
)

# -- Appendix C --------------------------------------------------------------------------------------------------------

REFINED = (
    # The first batch is long enough to drop the pair (0, 1), and too short to eliminate arm 2.
    Setting("se", 1, 1.0, rule="given", given=(30, 8_000, 100), problem="dropped"),
    Setting("matern12", 2, 0.5, rule="given", given=(8, 8_000, 100), problem="dropped", height=30.0, apart=0.8),
    Setting("matern52", 1, 1.0, rule="given", given=(30, 8_000, 100), problem="dropped", apart=0.8),
    Setting("se", 1, 0.1, 300, a=0.6),
    Setting("matern32", 2, 0.05, 300, a=0.6),
    Setting("matern52", 1, 0.3, 300, a=0.75),
)


def appendix_c(
    setting: Setting, *, refinement: str = "printed", elimination: float = 6.0, share: float = 1.0
) -> Iterator[Case]:
    r"""Appendix C: the smaller sampling set (165) keeps every true minimiser, and Lemma 10.

    In runs whose confidence bounds hold: (166), (167): for every survivor x, a neighbour at which f is smallest has
    :math:`LCB_i\le\min_{\delta'}UCB_i(x+\delta')`; Lemma 10: every survivor of batch i has
    :math:`r_\xi(x)\le6\sqrt{C\beta I_i/N_i}`.

    Parameters
    ----------
    setting : kernel, noise, sizes and kind of function
    refinement : ``"printed"``, or ``"repaired"``: both minima of line 13 are taken over the pairs that were kept
    elimination : the constant 6
    share : factor of :math:`\sqrt\beta` in (165)
    """
    found = refined(setting, refinement)
    lost, checked = np.sum([_minimisers_lost(played, share) for played in found], axis=0)
    yield none_of(int(lost), int(checked), f"{setting.where}, {len(found)} runs: true minimisers dropped")
    pairs = [pair for played in found for pair in _worst_survivors(played, elimination)]
    regret, bound = max(pairs, key=lambda pair: pair[0] / pair[1])
    yield at_most(regret, bound, f"{setting.where}, {len(found)} runs: worst survivor of a batch")


def _minimisers_lost(played: Played, share: float) -> tuple[int, int]:
    """Survivors whose true minimiser (165) drops after some batch, and how many there were."""
    values, relation = played.problem.values, played.problem.neighbourhood.relation
    lost = checked = 0
    for record in played.history[:-1]:
        lower, upper = np.full(len(values), np.inf), np.full(len(values), np.inf)
        lower[record.modelled] = record.mean - share * record.width * record.sd
        upper[record.modelled] = record.mean + share * record.width * record.sd
        for x in np.flatnonzero(record.survivors):
            near = np.flatnonzero(relation[x])
            minimiser = near[np.argmin(values[near])]
            lost += int(lower[minimiser] > upper[near].min())
            checked += 1
    return lost, checked


def _worst_survivors(played: Played, elimination: float) -> list[tuple[float, float]]:
    """Largest robust regret among the survivors of each batch, and Lemma 10's bound on it."""
    problem = played.problem
    robust = problem.robust_optimum - Neighbourhood(problem.neighbourhood.relation).minimum(problem.values)
    root = math.sqrt(variance_sum_constant(problem.noise_sd))
    return [
        (float(robust[r.survivors].max()), elimination * r.width * root * math.sqrt(r.gain / r.size))
        for r in played.history
    ]


LAST = (
    Setting("matern52", 2, 20.0, 150, a=0.6, problem="star"),
    Setting("se", 1, 0.1, 2_000, a=0.6, problem="path"),
)
