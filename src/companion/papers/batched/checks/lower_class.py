"""Statements on what the lower bounds are built from: the bumps (Prop. 4, Lemma 5) and the reference times (Prop. 5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from companion.checks.cases import Case, at_most, exponent, none_of
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Flags, Floats
from companion.core.randomness import stream
from companion.judge.intervals import slope_interval
from companion.papers.batched.method.sizes import eta, reference_times
from companion.papers.batched.problems.hard_class import HardClass, class_properties
from companion.papers.batched.theory.players import KERNELS, ClassPoint, class_points, family, kernel_name

# -- Proposition 4 -----------------------------------------------------------------------------------------------------

#: Whole numbers of cells per axis, and next to a power of the logarithm the logarithm of that power, move a slope per
#: dimension by this much over the heights used.
LAW_ALLOWANCE = 0.02


@dataclass(frozen=True)
class SizeLaw:
    """The growth of M with Ψ/ε for one kernel and dimension."""

    kernel: str
    dim: int

    def sizes(self) -> tuple[Floats, Floats]:
        """Logarithm of what M is a power of (Ψ/ε for Matérn, log(Ψ/ε) for SE), and log M."""
        smooth = math.isinf(family(self.kernel, self.dim).smoothness)
        epsilons = np.logspace(-60, -300, 25) if smooth else np.logspace(-3, -7, 25)
        ratio = -np.log(epsilons)
        cells = [family(self.kernel, self.dim).build(e).cells for e in epsilons]
        return (np.log(ratio) if smooth else ratio), self.dim * np.log(cells)


@statement(
    "prop-4",
    "construction",
    lambda: (*class_points(), *(SizeLaw(kernel, dim) for kernel, _ in KERNELS for dim in (1, 2))),
    need(
        r"$\epsilon/\Psi$ so small that $M\ge2$",
        lambda item: item.epsilon <= item.build_limit(),
        ClassPoint("SE", 1, 0.6),
    ),
    teeth={
        "bumps of half the width": {"width": 0.5},
        "bumps wider by one half in the same cells": {"width": 1.5},
        "M grows with twice the exponent": {"law": 2.0},
        "values of at most 1.9 ε": {"height": 1.9},
    },
)
def prop_4(instance: ClassPoint, *, height: float = 2.0, width: float = 1.0, owners: int = 1) -> Iterator[Case]:
    r"""$f_m\in[-2\epsilon,2\epsilon]$, $\norm{f_m}_k\le\Psi$; every $x$ is $\epsilon$-optimal for at most one $m$; equal
    cells $\mathcal R_m$ with $f_m$ largest at the centre of $\mathcal R_m$; $M=\Theta((\log\frac\Psi\epsilon)^{d/2})$
    (SE), $\Theta((\frac\Psi\epsilon)^{d/\nu})$ (Matérn)

    ‖f_m‖ ≤ Ψ is also seen from √(f^T K^{-1} f) of the restriction to the grid, which the norm is never below. ``width``
    multiplies the width of the bumps, which the norm Ψ fixes.
    """
    found = class_properties(instance.build(width), instance.grid())
    yield at_most(max(found.highest, -found.lowest), height, f"{instance.where}: range over ε")
    yield at_most(found.restricted_norms[1], 1.0, f"{instance.where}: norm of the restriction over Ψ", 1e-6)
    yield at_most(found.norm, 1.0, f"{instance.where}: norm over Ψ")
    yield at_most(found.multiplicity, owners, f"{instance.where}: owners of one point")
    yield none_of(int(not found.peaks_at_centres), 1, f"{instance.where}: peaks at the centres")


@prop_4.on(SizeLaw)
def _growth_of_m(instance: SizeLaw, *, law: float = 1.0) -> Case:
    """Eqs. (53) and (54); ``law`` multiplies the exponent."""
    nu = family(instance.kernel, instance.dim).smoothness
    claimed = instance.dim * (0.5 if math.isinf(nu) else 1.0 / nu)
    slope = slope_interval(*instance.sizes())
    where = f"{instance.kernel}, d={instance.dim}: growth of M"
    return exponent(slope.low, slope.high, law * claimed, where, "equal", LAW_ALLOWANCE * instance.dim)


# -- Proposition 5 -----------------------------------------------------------------------------------------------------

#: Below 1 - 2^{-1/2} = 0.29, the limit of the last reference batch's relative length at η = 1/2 and B = ⌈log log T⌉,
#: by as much as the logarithmic factors of the SE times take away at T = 1e20.
LEAST_LENGTH = 0.25


class Times(Instance, words="{self.kernel}, d={self.dim}, T={self.horizon:.0e}, B={self.batches}"):
    """Reference times for a fixed number of batches."""

    nu: float
    dim: int
    horizon: int
    batches: int

    @property
    def kernel(self) -> str:
        """Its name."""
        return kernel_name(self.nu)


@dataclass(frozen=True)
class Growth:
    """Reference times for a number of batches that grows with T."""

    nu: float
    dim: int

    def least_length(self, horizon: int, share: float) -> tuple[int, float]:
        """B = ⌈c log_{1/η} log2 T⌉ and min_i (T_i - T_{i-1})/T_i."""
        count = math.log(math.log2(horizon)) / -math.log(eta(self.nu, self.dim))
        batches = max(2, math.ceil(share * count))
        times = (0, *reference_times(horizon, batches, self.nu, self.dim, allow_invalid=True))
        return batches, min((end - start) / end for start, end in pairwise(times))


def _prop_5_instances() -> Iterator[Times | Growth]:
    for nu in (math.inf, 0.5, 1.5, 2.5):
        for dim in (1, 2, 3):
            for batches in (2, 3, 4, 5):
                for power in (4, 6, 9, 12):
                    item = Times(nu, dim, 10**power, batches)
                    if _increasing(item):
                        yield item
            yield Growth(nu, dim)


def _increasing(item: Times) -> bool:
    times = reference_times(item.horizon, item.batches, item.nu, item.dim, allow_invalid=True)
    return all(start < end for start, end in pairwise((0, *times)))


@statement(
    "prop-5",
    "inequality",
    _prop_5_instances,
    need(
        r"$0<T_1<\dots<T_B=T$, which for SE needs $T$ well above $(\log T)^{d/2}$",
        _increasing,
        Times(math.inf, 1, 20, 12),
    ),
    teeth={
        "dη in place of dη² in the exponent of log T": {"power": 1.0},
        "ceilings that cost nothing": {"ceiling": 1.0},
        "B grows twice as fast": {"shares": (2.0,)},
    },
    corrected=fix(
        r"the number of batches is constant, or grows no faster than $\lceil\log_{1/\eta}\log_2T\rceil$; beyond that the "
        r"relative length of the last reference batches tends to zero and property 1 is lost",
        shares=(0.5, 1.0),
    ),
)
def prop_5(instance: Times, *, ceiling: float = 2.0, power: float = 2.0) -> Iterator[Case]:
    r"""$T_i=\lceil T^{\frac{1-\eta^i}{1-\eta^B}}(\log T)^{\frac{d\eta(\eta^i-\eta^B)}{1-\eta^B}}\rceil$ (no logarithm for
    Matérn): $T_i-T_{i-1}=\Theta(T_i)$, $\log T_i=\Theta(\log T)$, and for $i\ge2$ $T_iT_{i-1}^{-\eta}(\log
    T)^{d\eta^2}$ is within $[2^{-\eta},2]$ of $T^{\frac{1-\eta}{1-\eta^B}}(\log
    T)^{\frac{d\eta(\eta-\eta^B)}{1-\eta^B}}$

    (1) Eq. (55): T_{i-1}/T_i ≤ 2 ((log T)^d/T)^{(η^{i-1}-η^i)/(1-η^B)}. (2) (1-η) log T ≤ log T_i ≤ log T. (3), (4) for
    Matérn kernels without the logarithm. ``ceiling`` is the 2, by which a ceiling may exceed its argument.
    """
    step = eta(instance.nu, instance.dim)
    times = reference_times(instance.horizon, instance.batches, instance.nu, instance.dim)
    log_t, loglog = math.log(instance.horizon), math.log(math.log(instance.horizon))
    scale, dim = 1.0 - step**instance.batches, instance.dim if math.isinf(instance.nu) else 0
    target = ((1.0 - step) * log_t + dim * step * (step - step**instance.batches) * loglog) / scale
    for time in times:
        yield at_most((1.0 - step) * log_t, math.log(time), f"{instance.where}: (2) below")
        yield at_most(math.log(time), log_t, f"{instance.where}: (2) above")
    for i, (start, end) in enumerate(pairwise(times), 2):
        bound = ceiling * math.exp((dim * loglog - log_t) * (step ** (i - 1) - step**i) / scale)
        yield at_most(start / end, bound, f"{instance.where}, i={i}: eq. (55)")
        balance = math.log(end) - step * math.log(start) + dim * step**power * loglog - target
        yield at_most(math.exp(balance), ceiling, f"{instance.where}, i={i}: (3), (4) above")
        yield at_most(ceiling**-step, math.exp(balance), f"{instance.where}, i={i}: (3), (4) below")


@prop_5.on(Growth)
def _relative_length(instance: Growth, *, shares: Sequence[float] = (0.5, 1.0, 2.0)) -> Iterator[Case]:
    """(1) for B = ⌈c log_{1/η} log2 T⌉, c in ``shares``: as printed B may grow without a limit."""
    for share in shares:
        for digits in (20, 60, 120, 200):
            batches, length = instance.least_length(10**digits, share)
            where = f"{kernel_name(instance.nu)}, d={instance.dim}, T=1e{digits}, B={batches}: shortest relative length"
            yield at_most(LEAST_LENGTH, length, where)


# -- Lemma 5 -----------------------------------------------------------------------------------------------------------


def _own_cell(hard: HardClass, points: Floats) -> Flags:
    """Whether point n lies in the cell of function m, (M, n)."""
    return np.asarray(hard.cell_of(points)[None, :] == np.arange(hard.size)[:, None])


def _with_a_second_bump(hard: HardClass, points: Floats) -> Floats:
    """A class with nothing but the properties that Prop. 4 lists: f_1 has a second, lower bump where f_2 is below ε."""
    values, own = hard.values(points), _own_cell(hard, points)
    free = int(np.flatnonzero(~own[0] & (values < hard.epsilon).all(axis=0))[0])
    values[0, free] = 1.5 * hard.epsilon
    return values


@statement(
    "lemma-5",
    "inequality",
    class_points,
    need(r"a class with $M\ge2$", lambda item: item.epsilon <= item.build_limit(), ClassPoint("SE", 1, 0.6)),
    teeth={"2.1 ε a round": {"share": 2.1}, "only the properties that are listed": {"values_of": _with_a_second_bump}},
    depends="prop-4",
)
def lemma_5(
    instance: ClassPoint, *, share: float = 1.0, values_of: Callable[[HardClass, Floats], Floats] = HardClass.values
) -> Case:
    r"""$\E_m^t[r_t]\ge\epsilon_i\,\P_m^t(x_t\notin\mathcal R_m)$

    The least regret over all functions, points of a grid outside their cell and 2,000 random points, over ε.
    """
    hard = instance.build()
    random = stream(0, "batched", "lemma-5", instance.where).uniform(size=(2000, instance.dim))
    points = np.concatenate([instance.grid(), random])
    values, own = values_of(hard, points), _own_cell(hard, points)
    least = float((2.0 * hard.epsilon - np.where(own, -np.inf, values)).min()) / hard.epsilon
    return at_most(share, least, f"{instance.where}: least regret outside the cell over ε")
