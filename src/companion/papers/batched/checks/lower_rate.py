"""Statements on the rate: Theorem 2 for adaptive batches and Lemma 2 for fixed ones, with constants."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from companion.checks.cases import Case, at_most, exponent, probability
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.gp.kernels import KERNEL_TITLES
from companion.judge.intervals import slope_interval
from companion.papers.batched.checks.lower_batches import bad_batches
from companion.papers.batched.experiments.definitions import HARD_METHODS, experiment
from companion.papers.batched.method.sizes import eta
from companion.papers.batched.problems.hard_class import leakage_constant
from companion.papers.batched.theory.lower import (
    average_total_variation_bound,
    class_regret_bound,
    hidden_epsilon,
    lower_bound_exponents,
)
from companion.papers.batched.theory.players import (
    ERRORS,
    KERNELS,
    Play,
    built,
    explicit_bound,
    family,
    play,
    plays,
    runs_for,
)
from companion.simulate import Trajectory

# -- Theorem 2 ---------------------------------------------------------------------------------------------------------

HORIZONS = np.array([10**k for k in range(3, 9)])
#: A class has whole numbers of cells; one cell of ten more or less per axis, in two dimensions, over the five decades of
#: T, is 2 log(1.1)/log(1e5) = 0.017 in the slope.
RATE_ALLOWANCE = 0.02

#: What a growing number of batches may cost against two batches, beyond the powers of B and T: the relative length of
#: the shortest reference batch, which is at least a quarter (Proposition 5).
FLOOR = 0.25


class Curve(Instance, words="{self.kernel}, d={self.dim}, B={self.batches}, T=1e3..1e8"):
    """The explicit bound over five decades of T."""

    kernel: str
    dim: int
    batches: int


@dataclass(frozen=True)
class Growing:
    """The explicit bound when B grows with T as fast as it may."""

    kernel: str
    dim: int


@dataclass(frozen=True)
class Domain:
    """A player on the whole domain who does not know the class: one of the methods of the experiment ``hard-class``."""

    method: str
    kernel: str
    dim: int
    lengthscale: float
    noise: float
    horizon: int = 600
    members: int = 3


def _curves() -> Iterator[Curve]:
    return (Curve(kernel, dim, batches) for kernel, _ in KERNELS for dim, batches in ((1, 2), (1, 3), (2, 2)))


def _theorem_2_instances() -> Iterator[Curve | Growing | Play | Domain]:
    yield from _curves()
    yield from (Growing(kernel, 1) for kernel, _ in KERNELS)
    yield from plays()
    for method in (m.name for m in HARD_METHODS):
        yield Domain(method, "se", 1, 0.1, 1.0)
        yield Domain(method, "matern32", 1, 0.2, 0.5)
        yield Domain(method, "matern52", 2, 0.3, 1.0)


def _slope(instance: Curve, values: list[float], fewer: int, what: str) -> Case:
    """The growth in T of values at :data:`HORIZONS`, without the theorem's power of log T, against its power of T."""
    nu = family(instance.kernel, instance.dim).smoothness
    step = eta(nu, instance.dim)
    _, log_power = lower_bound_exponents(instance.batches, nu, instance.dim)
    slope = slope_interval(np.log(HORIZONS), np.log(values) - log_power * np.log(np.log(HORIZONS)))
    power = (1.0 - step) / (1.0 - step ** (instance.batches - fewer))
    where = f"{instance.where}: {what} (whole cells: {RATE_ALLOWANCE:g})"
    return exponent(slope.low, slope.high, power, where, "at least", RATE_ALLOWANCE)


def sequential_value(kernel: str, dim: int, horizon: int) -> float:
    """Lower bound εT/2 on max_f E[R_T] for every algorithm, however many batches, at unit noise and norm.

    One class with M ≥ 4 and √C_F ε √(T/M) ≤ 1/2: Lemmas 5 and 6 give E[R_T] ≥ εT ((M-1)/M - 1/4) on average.
    """
    return 0.5 * hidden_epsilon(family(kernel, dim), horizon, 1, 1.0) * horizon


@lru_cache(maxsize=16)
def _domain(item: Domain) -> tuple[Floats, list[float], float, Floats]:
    """P_0(A_i), mean regret per class over members spread evenly, and the bound in total and per class."""
    base = {
        "kernel": item.kernel,
        "dim": item.dim,
        "lengthscale": item.lengthscale,
        "noise": item.noise,
        "horizon": item.horizon,
        "batches": 3,
        "width": "fixed",
        "multiplier": 1.0,
    }
    name = KERNEL_TITLES[item.kernel]
    bound = explicit_bound(name, item.dim, item.horizon, 3, item.noise)
    reference = [chosen.end for chosen in bound.classes]
    occurred = np.zeros(3)
    zero_runs = 5 if item.method == "bpe-adaptive" else 1  # only adaptive batches depend on the noise
    for seed in range(zero_runs):
        batch = _run(item.method, seed, base | {"class_number": 1, "member": -1}).batch
        ends = (np.flatnonzero(np.diff(batch, append=batch[-1] + 1)) + 1).tolist()
        count = min(3, len(ends))
        occurred[:count] += bad_batches(ends[:count], reference[:count])
    chances = occurred / zero_runs
    regrets = []
    for number, chosen in enumerate(bound.classes, 1):
        members = np.unique(np.linspace(0, chosen.size - 1, item.members).round().astype(int))
        runs = [_run(item.method, 0, base | {"class_number": number, "member": int(m)}) for m in members]
        regrets.append(float(np.mean([run.cumulative_regret[-1] for run in runs])))
    return chances, regrets, bound.value, bound.class_bounds(list(chances), item.noise, item.dim)


def _run(method: str, seed: int, values: dict[str, Any]) -> Trajectory:
    return experiment("hard-class").ready(method, seed, values).run()


def _hidden(item: Play) -> bool:
    """M_i ≥ 4 and a hidden class; where ε is that of the explicit bound, evaluating it refuses what violates them."""
    if item.epsilon is None:
        return True
    start, _ = item.range
    hard = item.hard
    visible = math.sqrt(leakage_constant(item.dim) * start / hard.size) * hard.epsilon
    return hard.size >= 4 and visible <= item.noise / (2 * item.batches)


@statement(
    "theorem-2",
    "rate",
    _theorem_2_instances,
    need(
        r"$M_i\ge4$ and classes hidden at $T_{i-1}$: $\sqrt{C_F}\,\epsilon_i\sqrt{T_{i-1}/M_i}\le\sigma/(2B)$",
        _hidden,
        Play("Matérn 3/2", 1, 1.0, 2000, 3, 3, "commit", epsilon=0.2),
    ),
    teeth={
        "regret of 3 ε a round in (96)": {"height": 3.0},
        "a player who is told the function": {"paid": 0.0},
        "exponent of one batch less": {"fewer": 1},
        "no power of B": {"batch_power": 0.0},
    },
    depends="prop-4 prop-5 lemma-4 lemma-5 lemma-6 lemma-7",
)
def theorem_2(instance: Play, *, height: float = 1.0, paid: float = 1.0) -> Case:
    r"""$\max_f\E[R_T]\ge\frac3{8B}\min_i\epsilon_i(T_i-T_{i-1})$, which is $\Omega(B^{-2}T^{\frac{1-\eta}{1-\eta^B}}(\log
    T)^{\frac{d\eta(\eta-\eta^B)}{1-\eta^B}})$ (SE) and $\Omega(B^{-(2\eta+1)}T^{\frac{1-\eta}{1-\eta^B}})$ (Matérn)

    Here eq. (96), on average over one class, for a player who knows the class. ``height`` multiplies ε_i in it, ``paid`` the
    regret: a player who is told the function pays nothing.
    """
    (start, end), hard = instance.range, instance.hard
    inside = play(instance, runs_for(hard.size)).inside
    bound = class_regret_bound(hard.epsilon, hard.size, start, end, instance.noise, 1.0, instance.dim)
    error = inside.mean(axis=1).std(ddof=1) / math.sqrt(len(inside))
    return at_most(height * bound, paid * float(inside.mean() + ERRORS * error), f"{instance.where}: eq. (96)")


@theorem_2.on(Domain)
def _on_the_domain(instance: Domain, *, height: float = 1.0, paid: float = 1.0) -> Iterator[Case]:
    """The bound, and eq. (96) for every class, for a player who does not know the class."""
    chances, regrets, value, bounds = _domain(instance)
    where = f"{instance.kernel}, d={instance.dim}, noise {instance.noise:g}, T={instance.horizon}, {instance.method}"
    yield at_most(value, paid * max(regrets), f"{where}: worst class mean")
    for number, (bound, regret) in enumerate(zip(bounds, regrets, strict=True), 1):
        at = f"{where}: eq. (96), class {number}, P(A)={chances[number - 1]:g}"
        yield at_most(max(0.0, height * bound), paid * regret, at)


@theorem_2.on(Curve)
def _growth(instance: Curve, *, fewer: int = 0) -> Case:
    """The growth of the bound in T at fixed B; ``fewer`` is how many batches less its exponent is taken for."""
    kernel, dim, batches = instance.kernel, instance.dim, instance.batches
    values = [explicit_bound(kernel, dim, int(t), batches, 1.0).value for t in HORIZONS]
    return _slope(instance, values, fewer, "slope of the explicit bound")


@theorem_2.on(Growing)
def _growing(instance: Growing, *, batch_power: float = 1.0) -> Iterator[Case]:
    """The bound over its rate for B = ⌈c log_{1/η} log2 T⌉ does not fall below a quarter of that at B = 2.

    For c = 1 with the theorem's own constants, beyond that with those of the bound for sequential algorithms.
    """
    nu = family(instance.kernel, instance.dim).smoothness
    step = eta(nu, instance.dim)

    def rate(horizon: int, batches: int) -> float:
        power, log_power = lower_bound_exponents(batches, nu, instance.dim)
        return batches ** (-batch_power * (2 * step + 1)) * horizon**power * math.log(horizon) ** log_power

    reference = explicit_bound(instance.kernel, instance.dim, 10**3, 2, 1.0).value / rate(10**3, 2)
    for horizon in (10**4, 10**6, 10**8):
        count = math.log(math.log2(horizon)) / -math.log(step)
        for share in (1, 2, 4):
            batches = max(2, math.ceil(share * count))
            value = (
                explicit_bound(instance.kernel, instance.dim, horizon, batches, 1.0).value
                if share == 1
                else sequential_value(instance.kernel, instance.dim, horizon)
            )
            where = f"{instance.kernel}, d={instance.dim}, T={horizon:.0e}, B={batches}: bound over its rate"
            yield at_most(FLOOR * reference, value / rate(horizon, batches), where)


# -- Lemma 2 -----------------------------------------------------------------------------------------------------------

#: A class of at least ten functions with an average total variation of at most 1/40 leaves a chance of at most
#: 2 (1/10 + 1/40) = 1/4 to spend half of the bad batch in the right cell.
LEAST_CLASS, SHADE = 10, 10


@lru_cache(maxsize=512)
def _lemma_2_epsilon(kernel: str, dim: int, start: int, noise: float) -> float:
    bumps = family(kernel, dim)
    cells = math.ceil(LEAST_CLASS ** (1.0 / dim) - 1e-9)
    return min(hidden_epsilon(bumps, start, SHADE, noise), (1 - 1e-9) * math.exp(bumps.log_epsilon_for_cells(cells)))


def _lemma_2_instances() -> Iterator[Curve | Play]:
    yield from _curves()
    for plan in plays(("commit", "halving", "uniform")):
        start, _ = plan.range
        epsilon = _lemma_2_epsilon(plan.kernel, plan.dim, start, plan.noise)
        if built(plan.kernel, plan.dim, epsilon).size <= 250:
            yield replace(plan, epsilon=epsilon)


@lru_cache(maxsize=256)
def _lemma_2_value(kernel: str, dim: int, horizon: int, batches: int) -> float:
    """min_i ε_i (T_i - T_{i-1})/2 at unit noise and norm."""
    classes = explicit_bound(kernel, dim, horizon, batches, 1.0).classes
    return min(0.5 * _lemma_2_epsilon(kernel, dim, c.start, 1.0) * (c.end - c.start) for c in classes)


def _hidden_enough(item: Play) -> bool:
    start, _ = item.range
    hard = item.hard
    variation = average_total_variation_bound(hard.epsilon, hard.size, start, item.noise, item.dim)
    return hard.size >= LEAST_CLASS and variation <= 1 / 40 + 1e-9


@statement(
    "lemma-2",
    "probability",
    _lemma_2_instances,
    need(
        r"$M\ge10$ and an average total variation of at most $1/40$ at $T_{i-1}$",
        _hidden_enough,
        Play("Matérn 3/2", 1, 1.0, 2000, 3, 3, "commit", epsilon=0.2),
    ),
    teeth={"with probability 0.98": {"failing": 0.02}, "exponent of one batch less": {"fewer": 1}},
    depends="prop-4 lemma-6",
)
def lemma_2(instance: Play, *, failing: float = 0.25) -> Case:
    r"""for fixed batches and constant $B$ there is an $f$ with, with probability at least $\tfrac34$,
    $R_T=\Omega(T^{\frac{1-\eta}{1-\eta^B}}(\log T)^{\frac{d(\eta-\eta^B)}{2(1-\eta^B)}})$ (SE),
    $\Omega(T^{\frac{1-\eta}{1-\eta^B}})$ (Matérn)

    Batch i is bad, the class has at least ten functions and an average total variation of at most 1/40 at T_{i-1}. Then,
    on average over the class, the chance of spending half of the rounds T_{i-1} < t ≤ T_i in the cell of the bump is at
    most 2 (1/M + TV) ≤ 1/4.
    """
    (start, end), epsilon = instance.range, instance.hard.epsilon
    total = play(instance, runs_for(instance.hard.size)).total
    little = int((total < 0.5 * epsilon * (end - start)).sum())
    return probability(little, total.size, failing, instance.where)


@lemma_2.on(Curve)
def _growth_for_fixed_batches(instance: Curve, *, fewer: int = 0) -> Case:
    """The growth of min_i ε_i (T_i - T_{i-1})/2 in T is that of Theorem 2 at constant B."""
    values = [_lemma_2_value(instance.kernel, instance.dim, int(t), instance.batches) for t in HORIZONS]
    return _slope(instance, values, fewer, "slope for fixed batches")
