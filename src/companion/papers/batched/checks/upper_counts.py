"""Statements on the number of batches: eqs. (7) and (8), Proposition 3, Remarks 2 and 3."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from companion.checks.cases import Case, equal, exponent, none_of, worst_of
from companion.checks.statement import fix, need, statement
from companion.judge.intervals import slope_interval
from companion.papers.batched.checks.upper_sizes import DECADES, TOWERS, Horizons, double_log, plain_horizons
from companion.papers.batched.method.sizes import eta, original_sizes, power_sizes
from companion.papers.batched.theory.counts import (
    lower_proviso,
    optimal_batches,
    power_batch_count,
    power_batch_count_log2,
    power_count_lower,
    power_count_upper,
)

RATIOS = (0.2, 0.31, 0.36, 0.4, 0.45, 0.5, 0.51, 0.52, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


def _small_horizons() -> Iterator[Horizons]:
    return (Horizons("T=3..300", tuple(range(3, 301)), a) for a in RATIOS)


def _all_horizons() -> Iterator[Horizons]:
    for a in RATIOS:
        yield Horizons("T=3..3000", (*range(3, 401), *range(401, 3001, 13)), a)
        yield Horizons("T=10^3..10^18 and 2^(2^k)", DECADES + TOWERS, a)


# -- eqs. (7), (19), (20) ----------------------------------------------------------------------------------------------


#: Whether the lower bound is claimed at T, for a.
Proviso = Callable[[int, float], bool]


def _always(horizon: int, a: float) -> bool:
    return True


_RANGE = (
    need("$T\\ge3$", lambda i: min(i.values) >= 3, Horizons("T=2", (2,), 0.5)),
    need("$0<a<1$", lambda i: 0 < i.ratio < 1, Horizons("T=9", (9,), 1.5)),
)
_PROVISO = fix(
    r"the lower bound for those $T$ at which line (23) of its proof holds, $a^{B_0}\log T\ge\log(2B_0)$ with $B_0$ the "
    "bound itself",
    proviso=lower_proviso,
)


@statement(
    "eq-7",
    "inequality",
    _small_horizons,
    *_RANGE,
    teeth={"upper bound without the +1": {"extra": 0}, "lower bound plus two": {"lower_shift": 2}},
    depends="eq-6",
    corrected=_PROVISO,
)
def equation_7(
    instance: Horizons, *, extra: int = 1, lower_shift: int = 0, proviso: Proviso = _always
) -> Iterator[Case]:
    r"""$\lfloor\log_{1/a}\frac{\log T}{\log\log T}\rfloor\le B\le\lceil\log_{1/a}\log_2T\rceil+1$ for the sizes of eq.
    (6)

    B is counted from the sizes of eq. (6).
    """
    a = instance.ratio
    counted = {t: power_batch_count(t, a) for t in instance.values}
    yield worst_of(
        (b, power_count_upper(t, a) - 1 + extra, f"upper bound on B, a={a:g}, T={t}") for t, b in counted.items()
    )
    lower = [
        (power_count_lower(t, a) + lower_shift, b, f"lower bound on B, a={a:g}, T={t}")
        for t, b in counted.items()
        if proviso(t, a)
    ]
    if lower:
        yield worst_of(lower)


@statement(
    "prop-3",
    "inequality",
    _all_horizons,
    *_RANGE,
    teeth={"upper bound without the +1": {"extra": 0}, "lower bound plus one": {"lower_shift": 1}},
    depends="eq-6",
    corrected=_PROVISO,
)
def proposition_3(
    instance: Horizons, *, extra: int = 1, lower_shift: int = 0, proviso: Proviso = _always
) -> Iterator[Case]:
    r"""$B\le\lceil\log_{1/a}\log_2T\rceil+1$ (19) and $B\ge\lfloor\log_{1/a}\frac{\log T}{\log\log T}\rfloor$ (20), hence
    $B=\log_{1/a}\log T\,(1+o(1))$

    Line (21): after B̃ = ⌈log_{1/a} log2 T⌉ + ``extra`` - 1 batches one size reaches T/2. Line (23): the first B_0
    sizes together do not exceed T.
    """
    yield from equation_7(instance, extra=extra, lower_shift=lower_shift, proviso=proviso)
    a = instance.ratio
    halves, sums = [], []
    for horizon in instance.values:
        reached = power_count_upper(horizon, a) - 2 + extra
        halves.append((horizon / 2, _real_size(horizon, a, reached), f"line (21), a={a:g}, T={horizon}"))
        first = power_count_lower(horizon, a) + lower_shift
        if proviso(horizon, a):
            # Powers whose float lies a rounding above a whole number count as that number.
            total = float(sum(math.ceil(_real_size(horizon, a, i) * (1 - 1e-12)) for i in range(1, first + 1)))
            sums.append((total, float(horizon), f"line (23), a={a:g}, T={horizon}"))
    yield worst_of(halves)
    if sums:
        yield worst_of(sums)


def _real_size(horizon: int, a: float, number: int) -> float:
    """T^{1-a^i} before rounding up."""
    return float(horizon) ** (1.0 - a**number)


# -- eq. (8) -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ladder:
    """Horizons T = 2^L over many decades of L, for one a."""

    a: float
    lengths: tuple[float, ...] = tuple(10.0 ** (k / 2) for k in range(4, 129))


def _log_of_inverse(a: float) -> float:
    return -math.log(a)


@statement(
    "eq-8",
    "rate",
    lambda: tuple(Ladder(a) for a in (0.31, 0.4, 0.5, 0.6, 0.75, 0.9)),
    need("$0<a<1$", lambda i: 0 < i.a < 1, Ladder(1.0)),
    teeth={"five per cent fewer": {"constant": 0.95}, "base 2 for every a": {"log_base": lambda a: math.log(2.0)}},
    depends="prop-3",
)
def equation_8(
    instance: Ladder, *, constant: float = 1.0, log_base: Callable[[float], float] = _log_of_inverse
) -> Case:
    r"""$B=\log_{1/a}\log T\,(1+o(1))=\frac{\log_2\log_2T}{\log_2(1/a)}(1+o(1))$

    B is a whole number, so the slope is only known up to one over the range
    of the fit.
    """
    base = log_base(instance.a)
    across = [math.log(length * math.log(2.0)) / base for length in instance.lengths]
    fit = slope_interval(across, [power_batch_count_log2(length, instance.a) for length in instance.lengths])
    span = across[-1] - across[0]
    where = f"a={instance.a:g}, log2 T from {instance.lengths[0]:.0e} to {instance.lengths[-1]:.0e}"
    return exponent(fit.low, fit.high, constant, where, side="equal", allowance=1.0 / span)


# -- Remarks 2 and 3 ---------------------------------------------------------------------------------------------------


@statement(
    "remark-2",
    "inequality",
    plain_horizons,
    need("$T\\ge3$", lambda i: min(i.values) >= 3, Horizons("T=2", (2,))),
    teeth={"without the exception": {"exception": 0}, "for a up to 3/4": {"largest_a": 0.75}},
    depends="eq-5 eq-6 prop-3",
    corrected=fix("rule (5) is rule (6) with $a=1/2$ before sizes are rounded up", rounded=False),
)
def remark_2(instance: Horizons, *, rounded: bool = True, exception: int = 1, largest_a: float = 0.5) -> Iterator[Case]:
    r"""Rule (5) is rule (6) with $a=\frac12$; as $a\downarrow\frac12$ the bound on $B$ is $\lceil\log_2\log_2T\rceil+1$,
    plus one if $\log_2\log_2T$ is an integer; for $a\in(\eta,\frac12]$ (Matérn)
    $B\le\lceil\log_{1/a}\log_2T\rceil+1\le\lceil\log_2\log_2T\rceil+1$

    1. Rule (6) at a = 1/2 has the sizes of rule (5), with ceilings (``rounded``) or before rounding.
    2. For a just above 1/2, B and its bound are at most ⌈log2 log2 T⌉ + 1, plus one if log2 log2 T is an integer
       (``exception``).
    3. ⌈log_{1/a} log2 T⌉ + 1 ≤ ⌈log2 log2 T⌉ + 1, and B is at most that, for a up to ``largest_a``.
    """
    horizons = instance.values
    if rounded:
        differing = sum(original_sizes(t) != power_sizes(t, 0.5) for t in horizons)
        yield none_of(differing, len(horizons), f"sizes of (5) and of (6) at a=1/2, {instance.name}")
    else:
        yield from _unrounded(horizons)
    barely = Fraction(1, 2) + Fraction(1, 10**40)
    base = {t: double_log(t) + 1 for t in horizons}
    allowed = {t: b + exception * (t == 1 << (1 << (b - 1))) for t, b in base.items()}
    yield worst_of(
        (power_count_upper(t, barely), allowed[t], f"bound on B as a decreases to 1/2, T={t}") for t in horizons
    )
    yield worst_of((power_batch_count(t, barely), allowed[t], f"B as a decreases to 1/2, T={t}") for t in horizons)
    for a in {0.3, 0.4, 0.45, largest_a}:
        bounds = {t: power_count_upper(t, a) for t in horizons}
        yield worst_of((bounds[t], base[t], f"bound on B, a={a:g}, T={t}") for t in horizons)
        yield worst_of((power_batch_count(t, a), base[t], f"B, a={a:g}, T={t}") for t in horizons)


def _unrounded(horizons: Iterable[int]) -> Iterator[Case]:
    for horizon in tuple(horizons)[::50]:
        size = 1.0
        for number in range(1, 7):
            size = math.sqrt(horizon * size)
            yield equal(size, _real_size(horizon, 0.5, number), f"size {number} before rounding, T={horizon}")


@dataclass(frozen=True)
class Smoothness:
    """Matérn kernels of increasing ν/d, as (ν, d), at one horizon."""

    horizon: int
    kernels: tuple[tuple[float, int], ...] = (
        (0.5, 3),
        (0.5, 2),
        (0.5, 1),
        (1.5, 2),
        (2.5, 3),
        (2.5, 2),
        (2.5, 1),
        (4.5, 1),
    )


@statement(
    "remark-3",
    "inequality",
    lambda: tuple(Smoothness(10**k) for k in (3, 4, 6, 9, 12, 18)),
    need(
        "$\\nu/d$ increases along the kernels",
        lambda i: all(a[0] / a[1] < b[0] / b[1] for a, b in pairwise(i.kernels)),
        Smoothness(1000, ((2.5, 1), (0.5, 1))),
    ),
    teeth={"the other way round": {"sign": -1}},
    depends="eq-8",
)
def remark_3(instance: Smoothness, *, sign: int = 1, above: float = 0.01) -> Iterator[Case]:
    r"""$\log_{1/\eta}\log_2T$ with $\eta=\frac{\nu}{2\nu+d}$ increases with $\nu/d$, and with it the number of batches at
    the smallest $a$ allowed
    """
    length = math.log2(instance.horizon)
    for easier, harder in pairwise(reversed(instance.kernels)):
        few, many = optimal_batches(length, *harder), optimal_batches(length, *easier)
        where = f"nu={harder[0]:g}, d={harder[1]} against nu={easier[0]:g}, d={easier[1]}, T={instance.horizon}"
        yield worst_of([(sign * few, sign * many, f"log_(1/eta) log2 T, {where}")])
        counts = [power_batch_count(instance.horizon, eta(*kernel) + above) for kernel in (harder, easier)]
        yield worst_of([(sign * counts[0], sign * counts[1], f"B with a = eta + {above:g}, {where}")])
