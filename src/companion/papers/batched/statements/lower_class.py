"""Statements on what the lower bounds are built from: the bumps (Prop. 4, Lemma 5), reference times and bad batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np

from companion.bounds.statement import Assumption, Case, Correction, Statement, Tooth, at_most, exponent, none_of
from companion.gp import grid
from companion.papers.batched.hard_class import class_properties
from companion.papers.batched.policy import AdaptivePlayer
from companion.papers.batched.sizes import eta, reference_times
from companion.papers.batched.statements.lower_runs import KERNEL, KERNELS, ClassPoint, Floats, class_points, family
from companion.randomness import stream
from companion.reproduce.intervals import slope_interval

ANCHOR = "nobody-does-much-better-the-lower-bound"

# -- Proposition 4 -----------------------------------------------------------------------------------------------------

LAW_ALLOWANCE = 0.02
"""Whole numbers of cells per axis, and next to a power of the logarithm the logarithm of that power, move a slope per
dimension by this much over the heights used."""


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


def prop_4(
    instance: ClassPoint | SizeLaw, *, height: float = 2.0, width: float = 1.0, owners: int = 1, law: float = 1.0
) -> Iterator[Case]:
    r"""Prop. 4, the class of hard functions, measured on a grid that contains all peaks.

    Every value lies in [-2ε, 2ε]; ‖f_m‖ ≤ Ψ, seen from √(f^T K^{-1} f) of the restriction to the grid, which the norm is
    never below; a point is ε-optimal for at most one function; f_m peaks at the centre of its cell; eqs. (53) and (54):
    M grows like (log Ψ/ε)^{d/2} (SE) or (Ψ/ε)^{d/ν} (Matérn).

    Parameters
    ----------
    instance : a class, or the growth law of one kernel and dimension
    height : 2 in the range
    width : factor on the width of the bumps, which the norm Ψ fixes
    owners : largest number of functions for which one point is ε-optimal
    law : factor on the exponent of the growth law
    """
    if isinstance(instance, SizeLaw):
        nu = family(instance.kernel, instance.dim).smoothness
        claimed = instance.dim * (0.5 if math.isinf(nu) else 1.0 / nu)
        slope = slope_interval(*instance.sizes())
        where = f"{instance.kernel}, d={instance.dim}: growth of M"
        yield exponent(slope.low, slope.high, law * claimed, where, "equal", LAW_ALLOWANCE * instance.dim)
        return
    found = class_properties(instance.build(width), instance.grid())
    yield at_most(max(found.highest, -found.lowest), height, f"{instance.where}: range over ε")
    yield at_most(found.restricted_norms[1], 1.0, f"{instance.where}: norm of the restriction over Ψ", 1e-6)
    yield at_most(found.norm, 1.0, f"{instance.where}: norm over Ψ")
    yield at_most(found.multiplicity, owners, f"{instance.where}: owners of one point")
    yield none_of(int(not found.peaks_at_centres), 1, f"{instance.where}: peaks at the centres")


PROP_4 = Statement(
    id="prop-4",
    title="A class of functions that are hard to tell apart",
    location="Appendix B.2.1, Proposition 4, eqs. (53), (54)",
    kind="construction",
    latex=(
        r"$f_m\in[-2\epsilon,2\epsilon]$, $\norm{f_m}_k\le\Psi$; every $x$ is $\epsilon$-optimal for at most one $m$; "
        r"equal cells $\mathcal R_m$ with $f_m$ largest at the centre of $\mathcal R_m$; "
        r"$M=\Theta((\log\frac\Psi\epsilon)^{d/2})$ (SE), $\Theta((\frac\Psi\epsilon)^{d/\nu})$ (Matérn)"
    ),
    instances=lambda: (*class_points(), *(SizeLaw(kernel, dim) for kernel, _ in KERNELS for dim in (1, 2))),
    evaluate=prop_4,
    assumptions=(
        Assumption(
            r"$\epsilon/\Psi$ so small that $M\ge2$",
            lambda item: isinstance(item, SizeLaw) or item.epsilon <= item.build_limit(),
            ClassPoint("SE", 1, 0.6),
        ),
    ),
    teeth=(
        Tooth("bumps of half the width", {"width": 0.5}),
        Tooth("bumps wider by one half in the same cells", {"width": 1.5}),
        Tooth("M grows with twice the exponent", {"law": 2.0}),
        Tooth("values of at most 1.9 ε", {"height": 1.9}),
    ),
    note="The paper takes the class from elsewhere; what is checked is a closed form of it, bumps that are squared sincs",
    anchor=ANCHOR,
)

# -- Proposition 5 -----------------------------------------------------------------------------------------------------

LEAST_LENGTH = 0.25
"""Below 1 - 2^{-1/2} = 0.29, the limit of the last reference batch's relative length at η = 1/2 and B = ⌈log log T⌉,
by as much as the logarithmic factors of the SE times take away at T = 1e20."""


@dataclass(frozen=True)
class Times:
    """Reference times for a fixed number of batches."""

    nu: float
    dim: int
    horizon: int
    batches: int

    @property
    def where(self) -> str:
        """In words."""
        return f"{_name(self.nu)}, d={self.dim}, T={self.horizon:.0e}, B={self.batches}"

    @property
    def log_power(self) -> float:
        """dη, the paper's exponent of log T before its own fraction; 0 for Matérn."""
        return self.dim * eta(self.nu, self.dim) if math.isinf(self.nu) else 0.0


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


def _name(nu: float) -> str:
    return "SE" if math.isinf(nu) else f"Matérn {nu:g}"


def _prop_5_instances() -> Iterator[Times | Growth]:
    for nu in (math.inf, 0.5, 1.5, 2.5):
        for dim in (1, 2, 3):
            for batches in (2, 3, 4, 5):
                for power in (4, 6, 9, 12):
                    item = Times(nu, dim, 10**power, batches)
                    if _increasing(item):
                        yield item
            yield Growth(nu, dim)


def _increasing(item: Times | Growth) -> bool:
    if isinstance(item, Growth):
        return True
    times = reference_times(item.horizon, item.batches, item.nu, item.dim, allow_invalid=True)
    return all(start < end for start, end in pairwise((0, *times)))


def prop_5(
    instance: Times | Growth,
    *,
    shares: Sequence[float] = (0.5, 1.0, 2.0),
    ceiling: float = 2.0,
    power: float = 2.0,
) -> Iterator[Case]:
    r"""Prop. 5, the reference times T_i.

    (1) T_i - T_{i-1} = Θ(T_i): for B that grows with T the relative length is at least a constant, and eq. (55):
    T_{i-1}/T_i ≤ 2 ((log T)^d/T)^{(η^{i-1}-η^i)/(1-η^B)}. (2) (1-η) log T ≤ log T_i ≤ log T. (3), (4)
    T_i T_{i-1}^{-η} (log T)^{dη²}, without the logarithm for Matérn, is within [2^{-η}, 2] times
    T^{(1-η)/(1-η^B)} (log T)^{dη(η-η^B)/(1-η^B)}.

    Parameters
    ----------
    instance : fixed or growing number of batches
    shares : c in B = ⌈c log_{1/η} log2 T⌉; as printed B may grow without a limit
    ceiling : 2, by which a ceiling may exceed its argument
    power : 2, the exponent of η in (log T)^{dη²}
    """
    step = eta(instance.nu, instance.dim)
    if isinstance(instance, Growth):
        for share in shares:
            for digits in (20, 60, 120, 200):
                batches, length = instance.least_length(10**digits, share)
                where = f"{_name(instance.nu)}, d={instance.dim}, T=1e{digits}, B={batches}: shortest relative length"
                yield at_most(LEAST_LENGTH, length, where)
        return
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


PROP_5 = Statement(
    id="prop-5",
    title="Reference times: every batch after the first costs the same",
    location="Appendix B.2.1, Proposition 5, eqs. (55)-(61)",
    kind="inequality",
    latex=(
        r"$T_i=\lceil T^{\frac{1-\eta^i}{1-\eta^B}}(\log T)^{\frac{d\eta(\eta^i-\eta^B)}{1-\eta^B}}\rceil$ (no logarithm "
        r"for Matérn): $T_i-T_{i-1}=\Theta(T_i)$, $\log T_i=\Theta(\log T)$, and for $i\ge2$ "
        r"$T_iT_{i-1}^{-\eta}(\log T)^{d\eta^2}$ is within $[2^{-\eta},2]$ of "
        r"$T^{\frac{1-\eta}{1-\eta^B}}(\log T)^{\frac{d\eta(\eta-\eta^B)}{1-\eta^B}}$"
    ),
    instances=_prop_5_instances,
    evaluate=prop_5,
    assumptions=(
        Assumption(
            r"$0<T_1<\dots<T_B=T$, which for SE needs $T$ well above $(\log T)^{d/2}$",
            _increasing,
            Times(math.inf, 1, 20, 12),
        ),
    ),
    correction=Correction(
        r"the number of batches is constant, or grows no faster than $\lceil\log_{1/\eta}\log_2T\rceil$; beyond that the "
        r"relative length of the last reference batches tends to zero and property 1 is lost",
        {"shares": (0.5, 1.0)},
    ),
    teeth=(
        Tooth("dη in place of dη² in the exponent of log T", {"power": 1.0}),
        Tooth("ceilings that cost nothing", {"ceiling": 1.0}),
        Tooth("B grows twice as fast", {"shares": (2.0,)}),
    ),
    anchor=ANCHOR,
)

# -- bad events and Lemma 4 --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Schedules:
    """All schedules of B batches up to T against one vector of reference times, or against all of them."""

    horizon: int
    reference: tuple[int, ...] | None
    batches: int


def bad_batches(ends: Sequence[int], reference: Sequence[int]) -> list[bool]:
    """Eqs. (62), (63): whether A_1 = {t_1 ≥ T_1} and A_i = {t_{i-1} < T_{i-1}, t_i ≥ T_i} occurred."""
    first = ends[0] >= reference[0]
    later = [s < rs and e >= re for (s, e), (rs, re) in zip(pairwise(ends), pairwise(reference), strict=True)]
    return [first, *later]


def schedules(horizon: int, batches: int) -> Iterator[tuple[int, ...]]:
    """All 0 < t_1 < … < t_B = T."""
    for inner in combinations(range(1, horizon), batches - 1):
        yield (*inner, horizon)


def bad_events(instance: Schedules, *, least: int = 1, most: float = math.inf) -> Case:
    """Eqs. (62), (63): at least one A_i occurs, hence Σ_i P_0(A_i) ≥ 1, by enumeration of all schedules.

    Parameters
    ----------
    instance : horizon, number of batches, and the reference times (all of them if ``None``)
    least, most : how many of the events have to occur
    """
    references = [instance.reference] if instance.reference else list(schedules(instance.horizon, instance.batches))
    checked = broken = 0
    for ends in schedules(instance.horizon, instance.batches):
        for reference in references:
            checked += 1
            broken += not least <= sum(bad_batches(ends, reference)) <= most
    return none_of(broken, checked, f"T={instance.horizon}, B={instance.batches}, {checked} pairs of schedules")


BAD_EVENTS = Statement(
    id="bad-events",
    title="Whatever the batches, one of them is bad",
    location="Appendix B.2.1, eqs. (62), (63)",
    kind="identity",
    latex=(
        r"$A_1=\{t_1\ge T_1\}$, $A_i=\{t_{i-1}<T_{i-1},\,t_i\ge T_i\}$: at least one of $A_1,\dots,A_B$ occurs, hence "
        r"$\sum_i\P_0(A_i)\ge1$"
    ),
    instances=lambda: (
        *(Schedules(t, None, b) for t, b in ((6, 2), (8, 3), (9, 4), (8, 5))),
        Schedules(8, (2, 4, 8), 3),
        Schedules(30, (3, 10, 30), 3),
        Schedules(24, (2, 6, 14, 24), 4),
    ),
    evaluate=bad_events,
    assumptions=(
        Assumption(
            "$B\\le T$, so that a schedule exists", lambda item: item.batches <= item.horizon, Schedules(3, None, 4)
        ),
    ),
    teeth=(
        Tooth("exactly one occurs", {"most": 1}),
        Tooth("at least two occur", {"least": 2}),
    ),
    note="The events cover all schedules; they do not partition them, as the text says, but only the sum is used",
    anchor=ANCHOR,
)

Rule = Callable[[int, int, Floats], int]
"""From the number of batches told, the rounds played and the values known to the size of the next batch."""


@dataclass(frozen=True)
class AdaptiveRule:
    """An algorithm with adaptive batches under the zero function.

    ``kernel`` is ``"mean"``, ``"sign"`` or ``"count"`` for rules that look at the values only, else one of the kernels:
    then batches are those of the adaptive player of :mod:`companion.papers.batched.policy`, begun two rounds early.
    """

    kernel: str
    dim: int
    noise: float
    reference: tuple[int, ...]
    runs: int = 60

    @property
    def where(self) -> str:
        """In words."""
        return f"{self.kernel}, d={self.dim}, noise {self.noise:g}, reference times {self.reference}"

    def ends(self, values: Floats) -> list[int]:
        """t_1..t_B for the observations y_1..y_T."""
        if self.kernel in KERNEL:
            return _player_ends(self, values)
        horizon, known, ends = self.reference[-1], self.reference[0] - 2, []
        for number in range(1, len(self.reference)):
            ends.append(known)
            past = values[:known]
            state = {
                "mean": float(past.mean()),
                "sign": float(past[-1]),
                "count": float((past > 0).mean()) - 0.5,
            }[self.kernel]
            # two rounds before the next reference time, or one after it, as the values say
            target = self.reference[number] - 2 if state < 0 else self.reference[number] + 1
            known = min(max(target, known + 1), horizon - len(self.reference) + number + 1)
        return [*ends, horizon]


@lru_cache(maxsize=16)
def _domain(kernel: str, dim: int) -> Floats:
    return KERNEL[kernel](grid(30 if dim == 1 else 6, dim))


def _player_ends(rule: AdaptiveRule, values: Floats) -> list[int]:
    """Batch ends of the adaptive player, whose batch is halved once less than half of the domain is alive."""
    times = (rule.reference[0] - 2, *rule.reference[1:])
    policy = AdaptivePlayer(_domain(rule.kernel, rule.dim), rule.noise**2, times, 0.6)
    done, ends = 0, []
    while done < len(values):
        size = len(policy.ask(len(values) - done).query)
        policy.tell(values[done : done + size])
        done += size
        ends.append(done)
    # A batch that reaches the horizon leaves nothing for the later ones.
    return [*ends, *[done] * (len(times) - len(ends))]


@lru_cache(maxsize=64)
def _coupled(rule: AdaptiveRule, number: int, known: int) -> tuple[int, int]:
    """In how many runs A_i occurs, and in how many it changes when the values after the first ``known`` change."""
    generator = stream(0, "batched", "lemma-4", rule.where, str(number))
    occurred = changed = 0
    for _ in range(rule.runs):
        values = rule.noise * generator.standard_normal(rule.reference[-1])
        other = rule.noise * generator.standard_normal(rule.reference[-1])
        other[:known] = values[:known]
        first = bad_batches(rule.ends(values), rule.reference)[number - 1]
        second = bad_batches(rule.ends(other), rule.reference)[number - 1]
        occurred, changed = occurred + first, changed + (first != second)
    return occurred, changed


def lemma_4(instance: AdaptiveRule, *, lag: int = 0) -> Iterator[Case]:
    """Lemma 4: P_0^t(A_i) = P_0(A_i) for t ≥ T_{i-1}, since A_i is decided by what is known when round T_{i-1} begins.

    Two runs with the same values in rounds 1..T_{i-1}-1 and independent ones afterwards agree on A_i.

    Parameters
    ----------
    instance : an algorithm with adaptive batches
    lag : by how many rounds earlier A_i is claimed to be decided
    """
    for number in range(2, len(instance.reference) + 1):
        known = max(0, instance.reference[number - 2] - 1 - lag)
        _, changed = _coupled(instance, number, known)
        yield none_of(changed, instance.runs, f"{instance.where}: A_{number} changed by later values")


def _lemma_4_instances() -> Iterable[AdaptiveRule]:
    for kind, noise in (("mean", 1.0), ("sign", 0.3), ("count", 3.0)):
        yield AdaptiveRule(kind, 1, noise, (10, 40, 100), 200)
        yield AdaptiveRule(kind, 1, noise, (12, 30, 70, 150), 200)
    for kernel, dim, noise in (("SE", 1, 0.3), ("Matérn 3/2", 1, 1.0), ("Matérn 5/2", 2, 0.3), ("Matérn 1/2", 1, 1.0)):
        yield AdaptiveRule(kernel, dim, noise, reference_times(120, 3, family(kernel, dim).smoothness, dim), 40)


LEMMA_4 = Statement(
    id="lemma-4",
    title="A bad batch is decided when its reference batch begins",
    location="Appendix B.2.1, Lemma 4",
    kind="identity",
    latex=r"for $t\ge T_{i-1}$: $\P_0^t(A_i)=\P_0(A_i)$",
    instances=_lemma_4_instances,
    evaluate=lemma_4,
    assumptions=(
        Assumption(
            "the reference times increase and leave two rounds before the first",
            lambda item: item.reference[0] > 2 and all(s < e for s, e in pairwise(item.reference)),
            AdaptiveRule("mean", 1, 1.0, (10, 10, 100)),
        ),
    ),
    depends=("bad-events",),
    teeth=(Tooth("decided five rounds earlier", {"lag": 5}),),
    anchor=ANCHOR,
)

# -- Lemma 5 -----------------------------------------------------------------------------------------------------------


def lemma_5(instance: ClassPoint, *, share: float = 1.0, listed_only: bool = False) -> Case:
    r"""Lemma 5: E_m[r_t] ≥ ε P_m(x_t ∉ R_m), because outside R_m the regret of f_m is at least ε at every point.

    The least regret over all functions, points of a grid outside their cell and 2,000 random points, over ε.

    Parameters
    ----------
    instance : the class
    share : 1, regret per round outside the cell in units of ε
    listed_only : take a class that has nothing but the properties that Prop. 4 lists: f_1 has a second, lower bump
        where f_2 is below ε
    """
    hard = instance.build()
    random = stream(0, "batched", "lemma-5", instance.where).uniform(size=(2000, instance.dim))
    points = np.concatenate([instance.grid(), random])
    values = hard.values(points)
    own = hard.cell_of(points)[None, :] == np.arange(hard.size)[:, None]
    if listed_only:
        free = int(np.flatnonzero(~own[0] & (values < hard.epsilon).all(axis=0))[0])
        values[0, free] = 1.5 * hard.epsilon
    least = float((2.0 * hard.epsilon - np.where(own, -np.inf, values)).min()) / hard.epsilon
    return at_most(share, least, f"{instance.where}: least regret outside the cell over ε")


LEMMA_5 = Statement(
    id="lemma-5",
    title="A round outside the cell of the bump costs at least ε",
    location="Appendix B.2.1, Lemma 5",
    kind="inequality",
    latex=r"$\E_m^t[r_t]\ge\epsilon_i\,\P_m^t(x_t\notin\mathcal R_m)$",
    instances=class_points,
    evaluate=lemma_5,
    assumptions=(
        Assumption(r"a class with $M\ge2$", lambda item: item.epsilon <= item.build_limit(), ClassPoint("SE", 1, 0.6)),
    ),
    depends=("prop-4",),
    teeth=(
        Tooth("2.1 ε a round", {"share": 2.1}),
        Tooth("only the properties that are listed", {"listed_only": True}),
    ),
    note="It needs that outside its cell no function is within ε of its maximum. That is not among the properties listed "
    "in Proposition 4; the construction has it",
    anchor=ANCHOR,
)

STATEMENTS = (PROP_4, PROP_5, BAD_EVENTS, LEMMA_4, LEMMA_5)
