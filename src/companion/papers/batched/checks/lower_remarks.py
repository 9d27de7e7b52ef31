"""Statements on what the lower bound means: how many batches are needed, and probabilities instead of means."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from companion.checks.cases import Case, at_most
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.judge.intervals import proportion_interval
from companion.papers.batched.method.sizes import eta_fraction
from companion.papers.batched.theory.counts import remark5_excess
from companion.papers.batched.theory.lower import corollary1_probability, reverse_markov
from companion.papers.batched.theory.players import Play, kernel_name, play, plays, runs_for

# -- Remarks 5 and 6 ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Long:
    """A horizon T = 2^L for one smoothness and dimension, with B = ⌈c' log_{1/η} L⌉ batches."""

    nu: float
    dim: int
    log2_horizon: int
    share: Fraction = Fraction(1)

    @property
    def step(self) -> Fraction:
        """η."""
        return eta_fraction(self.nu, self.dim)

    def where(self, share: Fraction) -> str:
        """In words."""
        return f"{kernel_name(self.nu)}, d={self.dim}, T=2^{self.log2_horizon:.3g}, c'={share}"

    def batches(self, share: Fraction) -> int:
        """The least B with η^{-B} ≥ L^{c'}, in integers."""
        count, target = 1, self.log2_horizon**share.numerator
        while (1 / self.step) ** (count * share.denominator) < target:
            count += 1
        return count

    def excess(self, batches: int) -> Fraction:
        """log2 of T^{(1-η)/(1-η^B)} over T^{1-η}, exactly."""
        last = self.step**batches
        return self.log2_horizon * (1 - self.step) * last / (1 - last)


SMOOTHNESSES = ((math.inf, 1), (0.5, 1), (0.5, 2), (1.5, 1), (2.5, 3))


@statement(
    "remark-5",
    "inequality",
    lambda: (
        Long(nu, dim, 10**digits, share)
        for nu, dim in SMOOTHNESSES
        for digits, share in (
            *((k, Fraction(1)) for k in (1, 2, 3, 5, 8, 13)),
            *((k, c) for c in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)) for k in (5, 9, 15)),
        )
    ),
    need(
        "$T>2$ and $0<c'\\le1$",
        lambda item: item.log2_horizon > 1 and 0 < item.share <= 1,
        Long(math.inf, 1, 100, Fraction(3, 2)),
    ),
    teeth={
        "growth claimed for as many batches as suffice": {"share": Fraction(1)},
        "no factor η in the lower bound": {"least": 0},
    },
    depends="theorem-2",
)
def remark_5(instance: Long, *, least: int = 1, share: Fraction | None = None) -> Iterator[Case]:
    r"""with $L=\log_2T$ and $B=\lceil\log_{1/\eta}L\rceil$: $2^{\frac{(1-\eta)\eta
    L}{L-\eta}}<T^{\frac{1-\eta}{1-\eta^B}-(1-\eta)}\le2^{\frac{(1-\eta)L}{L-1}}$; with $B=\lceil
    c'\log_{1/\eta}L\rceil$, $c'<1$, the same quantity exceeds $2^{\frac{(1-\eta)\eta L}{L^{c'}-\eta}}=(\log
    T)^{\omega(1)}$

    (log T)^{ω(1)} and T^{o(1)} for c' < 1: as L becomes L^4, the exponent of log T more than doubles and that of T falls to
    less than half. The power of log T changes by 2^{o(1)} only. ``least`` is the power of η in the lower bounds; ``share``
    replaces c' where it is below 1.
    """
    used = instance.share if share is None or instance.share == 1 else share
    where, length, step = instance.where(used), float(instance.log2_horizon), float(instance.step)
    batches = instance.batches(used)
    excess, reach = float(instance.excess(batches)), length ** float(used)
    printed = remark5_excess(length, step, float(used))
    lead = step**least
    yield at_most((1 - step) * lead * length / (reach - lead), excess, f"{where}: (11), (14)")
    yield at_most(excess, printed["log2_upper"], f"{where}: upper end")
    loglog = math.log2(length * math.log(2.0))
    lost = instance.dim / 2 * (step - (step - step**batches) / (1 - step**batches)) * loglog
    yield at_most(lost, instance.dim / 2 * (1 - step) * loglog / (reach - 1), f"{where}: power of log T")
    if instance.share < 1:
        later = Long(instance.nu, instance.dim, instance.log2_horizon**4)
        beyond = float(later.excess(later.batches(used)))
        far = math.log2(length**4 * math.log(2.0))
        yield at_most(2 * excess / loglog, beyond / far, f"{where}: power of log T grows")
        yield at_most(2 * beyond / length**4, excess / length, f"{where}: power of T vanishes")


@statement(
    "remark-6",
    "inequality",
    lambda: (Long(nu, dim, 10**digits) for nu, dim in SMOOTHNESSES for digits in (1, 2, 4, 8, 16)),
    need("$T>2$", lambda item: item.log2_horizon > 1, Long(math.inf, 1, 1)),
    teeth={
        "from half as many batches on": {"share": Fraction(1, 2)},
        "a quarter of the power of log log T": {"power": 0.25},
    },
    depends="theorem-2 prop-5",
)
def remark_6(instance: Long, *, share: Fraction = Fraction(1), power: float = 1.0) -> Iterator[Case]:
    r"""for $B\ge\lceil\log_{1/\eta}\log_2T\rceil$: $T^{\frac{1-\eta}{1-\eta^B}}\le2^{\frac{(1-\eta)L}{L-1}}T^{1-\eta}$,
    the rate of the bound for sequential algorithms; up to there $B^{2\eta+1}\le(1+\log_2\log_2T)^2$. The formulas are
    ours, the remark has words

    The rate of the bound for sequential algorithms is T^{1-η} (log T)^{dη²}, which takes over from ``share`` times
    log_{1/η} log2 T on.
    """
    step, length = instance.step, float(instance.log2_horizon)
    first = instance.batches(share)
    for batches in (first, first + 1, 2 * first, 10 * first):
        where = f"{instance.where(share)}, B={batches}"
        bound = (1 - float(step)) * length / (length - 1)
        yield at_most(float(instance.excess(batches)), bound, f"{where}: log2 of the rate over the sequential one")
        log_power = float(step * (step - step**batches) / (1 - step**batches))
        yield at_most(log_power, float(step**2), f"{where}: power of log T over d")
    impact = (2 * float(step) + 1) * math.log(instance.batches(Fraction(1)))
    yield at_most(impact, 2 * power * math.log1p(math.log2(length)), f"{instance.where(share)}: log of the impact of B")


# -- reverse Markov ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Law:
    """A law of regret in units of its mean's bound L: atoms in [0, r] with weights.

    ``kind`` is ``"two-point"`` (mass just below cL and at rL, mean L), ``"random"``, ``"low"`` (mean below L), or a
    :class:`~companion.papers.batched.theory.players.Play`, whose simulated total regret is taken over Tε.
    """

    kind: str | Play
    share: float = 0.5
    ratio: float = 4.0
    seed: int = 0

    @property
    def where(self) -> str:
        """In words."""
        name = self.kind.where if isinstance(self.kind, Play) else f"{self.kind} law, seed {self.seed}"
        return f"{name}, c={self.share:.3g}"

    def atoms(self) -> tuple[Floats, Floats]:
        """Values and weights, each (n,)."""
        if isinstance(self.kind, Play):
            hard = self.kind.hard
            regret = play(self.kind, runs_for(hard.size)).total.ravel() / (self.kind.horizon * hard.epsilon)
            return regret, np.full(regret.size, 1.0 / regret.size)
        if self.kind == "two-point":
            low = np.nextafter(self.share, 0.0)
            weight = (1.0 - low) / (self.ratio - low)
            return np.array([low, self.ratio]), np.array([1.0 - weight, weight])
        generator = stream(self.seed, "batched", "reverse-markov")
        values, weights = generator.uniform(0.0, self.ratio, 6), generator.dirichlet(np.full(6, 0.5))
        mean = float(values @ weights)
        if self.kind == "low":
            return values * 0.9 / mean, weights
        # mass moved to the top until the mean is L
        moved = max(0.0, (1.0 - mean) / (self.ratio - mean))
        return np.append(values, self.ratio), np.append((1.0 - moved) * weights, moved)

    def valid(self) -> bool:
        """Whether 0 ≤ R ≤ rL and E[R] ≥ L."""
        values, weights = self.atoms()
        in_range = bool(np.all((values >= 0) & (values <= self.ratio * (1 + 1e-12))))
        return in_range and float(values @ weights) >= 1.0 - 1e-12

    def chance(self) -> float:
        """P(R ≥ cL)."""
        values, weights = self.atoms()
        return float(weights[values >= self.share].sum())


def _laws() -> Iterator[Law]:
    for share in (0.01, 0.2, 0.5, 0.9):
        yield Law("two-point", share)
        for seed in range(100):
            yield Law("random", share, seed=seed)
        for plan in plays(("commit", "halving")):
            if plan.number > 1:
                yield Law(plan, share)


@statement(
    "seq-reverse-markov",
    "inequality",
    _laws,
    need(r"$0\le R_T\le4T\epsilon$ and $\E R_T\ge T\epsilon$", Law.valid, Law("low")),
    teeth={"3 in place of 4": {"ratio": 3.0}},
)
def seq_reverse_markov(instance: Law, *, ratio: float = 4.0) -> Case:
    r"""$\E R_T\ge T\epsilon$ and $0\le R_T\le4T\epsilon$ imply $\P(R_T\ge cT\epsilon)\ge\frac{1-c}{4-c}$, $c\in(0,1)$

    Exact for discrete laws, among them the law of simulated regret; attained by two points.
    """
    return at_most((1.0 - instance.share) / (ratio - instance.share), instance.chance(), instance.where)


# -- Corollary 1 and Remark 7 ------------------------------------------------------------------------------------------


class Count(Instance, words="B={self.batches}, c={self.share:.3g}"):
    """A number of batches and c."""

    batches: int
    share: float

    def law(self) -> Law:
        """The extreme law of the bad batch's regret: just below cL_i or 4ε_i(T_i - T_{i-1}), with mean L_i."""
        return Law("two-point", self.share, 4.0 / (3.0 / (8.0 * self.batches)))


#: The c with which every δ below 1/(11B) is reached.
CHOICE = 1.0 / 33.0


def _counts() -> Iterator[Count]:
    for batches in (2, 3, 5, 8, 20, 100):
        for share in (0.001, CHOICE, 0.5, 0.9):
            yield Count(batches, share)


@statement(
    "corollary-1",
    "inequality",
    lambda: (*_counts(), *plays(("commit", "halving", "stubborn"))),
    need("$c\\in(0,1)$", lambda item: 0 < item.share < 1, Count(3, 1.0)),
    teeth={"16/3 in place of 32/3": {"ratio": 16.0 / 3.0}, "every δ below 1/(10B)": {"reach": 10.0}},
    depends="theorem-2 seq-reverse-markov",
)
def corollary_1(instance: Count, *, ratio: float = 32.0 / 3.0, reach: float = 11.0) -> Iterator[Case]:
    r"""for some $i$ and $f\in\mathcal F_i$: $\P\big(R_T\ge
    c\,\tfrac{3\epsilon_i(T_i-T_{i-1})}{8B}\big)\ge\frac{1-c}{\frac{32}3B-c}>\frac{1-c}{11B-c}$ for all $c\in(0,1)$;
    $c=\frac1{33}$ covers every $\delta<\frac1{11B}$

    For a law with mean L_i and values up to 4ε_i(T_i - T_{i-1}) the first bound is attained. ``reach`` is the 11 in the
    range of δ.
    """
    chance, share, batches = instance.law().chance(), instance.share, instance.batches
    yield at_most((1.0 - share) / (ratio * batches - share), chance, f"{instance.where}: two-point law")
    yield at_most((1.0 - share) / (11.0 * batches - share), corollary1_probability(share, batches), instance.where)
    covered = Count(batches, CHOICE).law().chance()
    yield at_most(1.0 / (reach * batches), covered, f"B={batches}: c=1/33 covers the range of δ")


@corollary_1.on(Play)
def _frequencies(instance: Play, *, ratio: float = 32.0 / 3.0) -> Iterator[Case]:
    """Frequency of R_T ≥ c L_i, for a player whose batch i is bad for certain."""
    (start, end), epsilon = instance.range, instance.hard.epsilon
    inside = play(instance, runs_for(instance.hard.size)).inside
    for share in (CHOICE, 0.5, 0.97):
        level = share * 3.0 * epsilon * (end - start) / (8.0 * instance.batches)
        seen = proportion_interval(int((inside >= level).sum()), inside.size, 0.9999)
        bound = (1.0 - share) / (ratio * instance.batches - share)
        yield at_most(bound, seen.high, f"{instance.where}: frequency of c L_i, c={share:.3g}")


@statement(
    "remark-7",
    "construction",
    _counts,
    need("$c\\in(0,1)$", lambda item: 0 < item.share < 1, Count(3, 1.0)),
    teeth={"a probability that does not depend on B": {"power": 0.0}, "a limit of 1/11": {"limit": 1.0 / 11.0}},
    depends="corollary-1",
)
def remark_7(instance: Count, *, power: float = 1.0, limit: float = 3.0 / 32.0) -> Iterator[Case]:
    r"""the corollary covers $\delta<\frac1{11B}$ only; and ours: a regret with the mean and the range that its proof uses may
    reach $c\,L_i$ with probability less than $\frac3{32B}$ for every $c\in(0,1)$

    Mean and range alone allow a regret that stays below cL_i with probability 1 - (1-c)/(32B/3 - c); so no δ of 3/(32B)
    or more can follow from them, while 1/(11B) does.
    """
    yield at_most(
        1.0 / (11.0 * instance.batches**power),
        reverse_markov(CHOICE, 32.0 * instance.batches / 3.0),
        f"B={instance.batches}: what the argument gives with c=1/33",
    )
    yield at_most(instance.law().chance(), limit / instance.batches, f"{instance.where}: what mean and range allow")
