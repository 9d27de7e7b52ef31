"""Statements on batch sizes: eqs. (5) and (6)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

from companion.checks.cases import Case, none_of, worst_of
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.papers.batched.method.sizes import original_sizes, power_ratio, power_sizes
from companion.papers.batched.theory.counts import original_batch_count

#: Horizons at which log2 log2 T is an integer, and their neighbours: a count changes there.
TOWERS = tuple(t for k in range(1, 7) for t in (2**2**k - 1, 2**2**k, 2**2**k + 1) if t > 2)
DECADES = tuple(m * 10**k for k in range(3, 19) for m in (1, 2, 5))
#: Roots up to this one are compared in integers; no larger one is an integer below 2^2000.
LARGEST_INTEGER_ROOT = 2000


class Horizons(Instance):
    """A set of horizons, with the parameter ``a`` of rule (6) where one is needed."""

    name: str
    values: tuple[int, ...]
    a: float | None = None

    @property
    def ratio(self) -> float:
        """``a``, which the instances of rule (6) have."""
        assert self.a is not None
        return self.a

    @property
    def where(self) -> str:
        """The instance in words."""
        return self.name if self.a is None else f"a={self.a:g}, {self.name}"


def plain_horizons() -> tuple[Horizons, ...]:
    """Every horizon up to 3000, three per decade up to 10^18, and those at which log2 log2 T is a whole number."""
    return (
        Horizons("T=3..3000", tuple(range(3, 3001))),
        Horizons("T=10^3..10^18", DECADES),
        Horizons("T=2^(2^k) and neighbours", TOWERS),
    )


# -- eq. (5) -----------------------------------------------------------------------------------------------------------


@statement(
    "eq-5",
    "identity",
    plain_horizons,
    need("$T\\ge2$", lambda i: min(i.values) >= 2, Horizons("T=1", (1,))),
    teeth={"without the +1": {"extra": 0}, "rounded down": {"down": 1}},
)
def equation_5(instance: Horizons, *, extra: int = 1, down: int = 0) -> Iterator[Case]:
    r"""$N_0=1$, $N_i=\min\{\lceil\sqrt{TN_{i-1}}\rceil,\,T-\sum_{j<i}N_j\}$ and $B\le\lceil\log_2\log_2T\rceil+1$

    A ceiling is tested by squaring, (N-1)² < T N_{i-1} ≤ N²; ``down=1`` tests for the floor.
    """
    broken = sum(not _follows_rule_5(horizon, down) for horizon in instance.values)
    yield none_of(broken, len(instance.values), f"sizes of eq. (5), {instance.where}")
    counts = ((original_batch_count(t), double_log(t) + extra, f"B, T={t}") for t in instance.values)
    yield worst_of(counts)


def _follows_rule_5(horizon: int, down: int) -> bool:
    sizes = original_sizes(horizon)
    for before, size in pairwise((1, *sizes[:-1])):
        if not (size - 1 + down) ** 2 < horizon * before + down <= (size + down) ** 2:
            return False
    last = sizes[-1]
    fits = len(sizes) == 1 or (last - 1 + down) ** 2 < horizon * sizes[-2] + down
    return sum(sizes) == horizon and min(sizes) >= 1 and fits


def double_log(horizon: int) -> int:
    """⌈log2 log2 T⌉ as the least k with T ≤ 2^(2^k)."""
    k = 0
    while horizon > 1 << (1 << k):
        k += 1
    return k


# -- eq. (6) -----------------------------------------------------------------------------------------------------------


def _follows_rule_6(horizon: int, a: float, shift: int, down: int) -> bool:
    sizes, ratio = power_sizes(horizon, a), power_ratio(a)
    for number, size in enumerate(sizes, 1):
        power = 1 - ratio ** (number + shift)
        above = _power_at_least(size + down, horizon, power, strict=bool(down))  # T^power <= N, or < N+1
        below = not _power_at_least(size - 1 + down, horizon, power, strict=bool(down))
        if not below or not (above or number == len(sizes)):
            return False
    return sum(sizes) == horizon and min(sizes) >= 1


def _power_at_least(base: int, horizon: int, power: Fraction, *, strict: bool) -> bool:
    """Whether base ≥ T^power (``strict``: base > T^power)."""
    if base == 0:
        return False
    if power.denominator <= LARGEST_INTEGER_ROOT:
        left, right = base**power.denominator, horizon**power.numerator
        return left > right if strict else left >= right
    with localcontext() as context:  # T^power is irrational: no ties
        context.prec = 60
        return Decimal(base).ln() * power.denominator > Decimal(horizon).ln() * power.numerator


def _rule_6_horizons() -> Iterator[Horizons]:
    for a in (0.31, 0.5, 0.52, 0.6, 0.75):
        yield Horizons("T=3..120 and 10^3..10^18", (*range(3, 121), *DECADES[::3]), a)
    yield Horizons("T=10^5 and 10^10, whose roots are whole", (10**5, 10**10, 2**15, 3**20), 0.6)


@statement(
    "eq-6",
    "identity",
    _rule_6_horizons,
    need("$T\\ge2$", lambda i: min(i.values) >= 2, Horizons("T=1", (1,), 0.5)),
    need("$0<a<1$", lambda i: 0 < i.ratio < 1, Horizons("T=9", (9,), 1.0)),
    teeth={"exponent 1-a^(i-1)": {"shift": -1}, "rounded down": {"down": 1}},
)
def equation_6(instance: Horizons, *, shift: int = 0, down: int = 0) -> Iterator[Case]:
    r"""$N_i=\min\{\lceil T^{1-a^i}\rceil,\,T-\sum_{j<i}N_j\}$ with $a\in(0,1)$; $a\to0$ is one single batch

    The ceiling of T^{P/Q} is tested by (N-1)^Q < T^P ≤ N^Q in integers, for large Q by logarithms with 60 digits.
    """
    broken = sum(not _follows_rule_6(horizon, instance.ratio, shift, down) for horizon in instance.values)
    yield none_of(broken, len(instance.values), f"sizes of eq. (6), {instance.where}")
    split = sum(power_sizes(t, Fraction(1, 10**30)) != (t,) for t in instance.values)
    yield none_of(split, len(instance.values), f"one single batch as a tends to 0, {instance.name}")
