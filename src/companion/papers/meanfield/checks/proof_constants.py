"""Statements of Appendix A.1 on constants and series: the steps between the discretisation and the bound on R^A.

Each side is computed on its own: the number of parts as a product, the series term by term, the rest by its integrals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from companion.checks.cases import Case, agrees, at_most, equal, none_of
from companion.checks.statement import fix, need, statement
from companion.papers.meanfield.checks.proof_gaussian import largest_gaussian
from companion.papers.meanfield.theory.bounds import (
    ZETA_PRIME_2,
    Pieces,
    corrected_discretisation,
    own_display,
    printed_discretisation,
)

BASEL = math.pi**2 / 6.0

#: |A| and |C| of the paper's experiments, with plausible constants; it prints neither a nor b.
PAPER_SIZES = (
    Pieces(30, 1, 2.0, 2.0),
    Pieces(30, 2, 2.0, 2.0),
    Pieces(30, 5, 2.0, 2.0),
    Pieces(41, 1, 2.0, 2.0),
    Pieces(160, 1, 2.0, 2.0),
)

#: Few coordinates, with slopes from nearly constant to steep; the last with the variance of Eq. (1).
SMALL_SIZES = (
    Pieces(2, 1, 8.7, 44.4),
    Pieces(2, 1, 1.0, 0.006),
    Pieces(2, 2, 2.0, 0.05),
    Pieces(4, 2, 1.0, 1.0),
    Pieces(1, 1, 2.0, 0.02),
    Pieces(3, 1, 0.5, 3.0),
    Pieces(2, 2, 3.2, 16.0, 4.0),
)

SIZES = (*PAPER_SIZES, *SMALL_SIZES)


def words(pieces: Pieces) -> str:
    """The constants, for a case."""
    more = "" if pieces.variance == 1.0 else f", variance {pieces.variance:g}"
    return f"|A| = {pieces.actions}, |C| = {pieces.contexts}, a = {pieces.a:g}, b = {pieces.b:g}{more}"


@dataclass(frozen=True)
class Round:
    """One round of one set of constants."""

    pieces: Pieces
    number: int

    @property
    def where(self) -> str:
        """In words."""
        return f"{words(self.pieces)}, t = {self.number}"


def rounds() -> Iterator[Round]:
    """Early and late rounds of every size."""
    for pieces in SIZES:
        for number in (1, 2, 5, 60, 1000):
            yield Round(pieces, number)


@statement(
    "A1-tau",
    "inequality",
    rounds,
    teeth={"the printed maximum": {"least": 1.0}, "whole parts rounded down": {"whole": math.floor}},
    corrected=fix(
        r"without the second argument: $\frac1{\max\{nt^2\mathcal G,1\}}\le\frac1{nt^2\mathcal G}$, and likewise "
        r"$1/\tau_t\le1/(nt^2L^\ast)$ for whole numbers of parts",
        other=True,
        least=0.0,
    ),
)
def at_least_one_part(
    instance: Round, *, least: float = 1.0, whole: Callable[[float], int] = math.ceil
) -> Iterator[Case]:
    r"""$\frac1{\max\{nt^2\mathcal G,\,1\}}\le\frac1{n\,t^2\max\{\mathcal G,\,1/n\}}$

    Printed, with both sides divided by n: :math:`1/\max\{t^2\mathcal G,1/n\}\le1/(t^2\max\{\mathcal G,1/n\})`. With
    ``least=0`` the right side is :math:`1/(t^2\mathcal G)`. The whole number of parts of the corrected proof is one by
    definition: the package's is compared with :math:`\max\{2,\lceil nt^2L^\ast\rceil\}`, typed here, and the same
    property, :math:`1/\tau_t\le1/(nt^2L^\ast)`, follows from rounding up.
    """
    pieces, t = instance.pieces, instance.number
    slope, one = pieces.printed_slope, 1.0 / pieces.size
    right = 1.0 / (t**2 * max(slope, least * one))
    yield at_most(1.0 / max(t**2 * slope, one), right, f"{instance.where}, printed parts")
    slope_typed = math.sqrt(pieces.b) * (math.sqrt(math.log(pieces.a * pieces.size)) + math.sqrt(math.pi) / 2.0)
    exact = pieces.size * t**2 * slope_typed
    yield agrees(pieces.cuts(t, "corrected"), max(2, math.ceil(exact)), f"{instance.where}, whole parts")
    if exact >= 1.0:
        yield at_most(1.0 / max(2, whole(exact)), 1.0 / exact, f"{instance.where}, whole parts")


def no_factor(pieces: Pieces) -> int:
    """None beside t^2 G in tau_t, as printed."""
    return 1


@statement(
    "A1-logtau",
    "identity",
    rounds,
    teeth={
        "without log n, as printed": {"factor": no_factor},
        "log|A| in place of log n": {"factor": attrgetter("actions")},
        "log t in place of 2 log t": {"power": 1.0},
    },
    depends="A-discretisation",
    corrected=fix(r"$\log\tau_t=2\log t+\log\mathcal G+\log n$", factor=attrgetter("size")),
)
def log_parts(instance: Round, *, factor: Callable[[Pieces], int] = no_factor, power: float = 2.0) -> Case:
    r"""$\log\tau_t=2\log t+\log\mathcal G$ for $\tau_t=nt^2\mathcal G$"""
    pieces, t = instance.pieces, instance.number
    parts = pieces.b * pieces.actions * pieces.contexts * t**2
    parts *= math.log(pieces.a * pieces.actions * pieces.contexts) + math.sqrt(math.pi) / 2.0
    right = power * math.log(t) + math.log(pieces.printed_slope) + math.log(factor(pieces))
    return equal(math.log(parts), right, instance.where)


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` on: whole rounds, or slopes on a logarithmic grid."""

    kind: str
    low: float
    count: int


@statement(
    "A1-sqrtlog",
    "inequality",
    lambda: (Range("rounds", 1.0, 1_000_000), Range("slopes", 1.0, 2000)),
    need(
        r"$t\ge1$ and $\mathcal G\ge1$, so that no root is of a negative number",
        lambda span: bool(span.low >= 1.0),
        Range("slopes", 0.1, 10),
    ),
    teeth={
        "t not whole: in steps of 1/5": {"step": 0.2},
        "log t in place of 2 log t": {"factor": 1.0},
        "G/e^2 in place of G under the root": {"share": math.exp(-2.0)},
    },
)
def roots_of_logarithms(span: Range, *, step: float = 1.0, factor: float = 2.0, share: float = 1.0) -> Case:
    r"""$\sqrt{2\log t}\le2\log t$ for $t=1,2,\dots$, and $\sqrt{2\log t+\log\mathcal G}\le\sqrt{2\log
    t}+\sqrt{\log\mathcal G}\le\sqrt{2\log t}+\sqrt{\mathcal G}$

    The first for t = 1, 2, ...; the second for all pairs of a round up to 1000 and a slope, with
    :math:`\log\mathcal G\le\mathcal G` in it.
    """
    if span.kind == "rounds":
        logs = np.log(span.low + step * np.arange(span.count))
        bad, checked = np.sqrt(2.0 * logs) > factor * logs * (1.0 + 1e-12), span.count
    else:
        slopes = np.geomspace(span.low, 1e6, span.count)
        squares = 2.0 * np.log(np.arange(1, 1001))[:, None]
        left = np.sqrt(squares + np.log(slopes))
        right = np.sqrt(squares) + np.sqrt(share * slopes)
        bad, checked = left > right * (1.0 + 1e-12), left.size
    return none_of(int(np.sum(bad)), checked, f"{checked} {span.kind} from {span.low:g}")


@dataclass(frozen=True)
class Series:
    """The sums up to ``horizon``, for one value of G."""

    horizon: int
    slope: float


def series() -> Iterator[Series]:
    """From one round to a million, flat to steep."""
    for horizon in (1, 10, 250, 1_000_000):
        for slope in (0.01, 0.1, 1.0, 10.0, 1000.0):
            yield Series(horizon, slope)


def logarithmic_sum(horizon: int) -> float:
    r""":math:`\sum_{t\le T}t^{-2}\log t`, from the smallest term up."""
    t = np.arange(horizon, 0, -1, dtype=np.float64)
    return float(np.sum(np.log(t) / t**2))


@statement(
    "A1-zeta",
    "inequality",
    series,
    teeth={
        "the printed sign": {"sign": 1.0},
        "the larger of the two terms in place of their sum": {"joined": max},
        "without the root of G": {"root": 0.0},
        "zeta'(2) smaller by one part in a thousand": {"sign": -0.999},
    },
    corrected=fix(
        r"$\sum_{t\le T}\frac{\log t}{t^2}\le-\zeta'(2)$, with equality in the limit, and the sum $-2\zeta'(2)+\sqrt{\mathcal G}"
        r"\frac{\pi^2}6$ in place of the maximum",
        sign=-1.0,
        joined=sum,
        root=0.5,
    ),
)
def zeta_step(
    instance: Series, *, sign: float = 1.0, joined: Callable[[tuple[float, float]], float] = max, root: float = 0.0
) -> Iterator[Case]:
    r"""$\sum_{t\le T}\frac{\log t}{t^2}=\zeta'(2)$, and $2\sum_{t\le T}\frac{\log t}{t^2}+\sqrt{\mathcal G}\sum_{t\le
    T}\frac1{t^2}\le\max\{2\zeta'(2),\frac{\pi^2}6\}$

    Printed: :math:`2S_T+\sqrt{\mathcal G}\sum_{t\le T}t^{-2}\le\max\{2\zeta'(2),\pi^2/6\}`. Corrected:
    :math:`S_T\le-\zeta'(2)`, with equality in the limit, and :math:`-2\zeta'(2)+\sqrt{\mathcal G}\,\pi^2/6` on the right.
    The limit is checked with the integrals that enclose what is left out,
    :math:`(1+\log N)/N` for :math:`\int_N^\infty t^{-2}\log t\,dt`.
    """
    t, value = instance.horizon, sign * ZETA_PRIME_2
    partial = logarithmic_sum(t)
    where = f"T = {t}, G = {instance.slope:g}"
    yield at_most(partial, value, f"{where}: the sum of log(t)/t^2")
    if t >= 10:
        yield at_most(value, partial + (1.0 + math.log(t)) / t, f"{where}: what T rounds leave out, from above")
        yield at_most(partial + (1.0 + math.log(t + 1)) / (t + 1), value, f"{where}: from below")
    left = 2.0 * partial + math.sqrt(instance.slope) * float(np.sum(np.arange(t, 0, -1, dtype=np.float64) ** -2.0))
    right = joined((2.0 * value, BASEL * instance.slope**root))
    yield at_most(left, right, f"{where}: both sums")


@dataclass(frozen=True)
class Total:
    """R^A of one set of constants after ``horizon`` rounds."""

    pieces: Pieces
    horizon: int = 2000


Sides = Callable[[Total, float], tuple[float, float]]


def printed_sides(total: Total, doubling: float) -> tuple[float, float]:
    r"""The display :math:`\frac{\pi^2}6+\sum_t|A|^2|C|\sqrt{2n\log\tau_t}/\tau_t`, and what the appendix has in its place."""
    return own_display(total.pieces, total.horizon, unchecked=True), printed_discretisation(total.pieces)


def corrected_sides(total: Total, doubling: float) -> tuple[float, float]:
    r"""The sum of the worst case, and :func:`~companion.papers.meanfield.theory.bounds.corrected_discretisation`.

    The former is :math:`L^\ast\frac n{2\tau_t}+\frac{\kappa|A|}{2\tau_t}\E\max|X_i|` with :math:`n\tau_t^n` independent
    values; ``doubling`` is the 2 in front of the latter's logarithm.
    """
    pieces = total.pieces
    cuts = np.array([pieces.cuts(t, "corrected") for t in range(1, total.horizon + 1)])
    heights = largest_of_rounds(pieces, cuts)
    slope_part = pieces.slope * pieces.size / (2.0 * cuts)
    height_part = math.sqrt(pieces.variance) * pieces.actions / (2.0 * cuts) * heights
    first = math.pi**2 / 12.0
    bound = first + math.sqrt(doubling / 2.0) * (corrected_discretisation(pieces, total.horizon) - first)
    return float(np.sum(slope_part + height_part)), bound


@statement(
    "A1-total",
    "inequality",
    lambda: map(Total, SIZES),
    teeth={
        "the printed end": {"sides": printed_sides},
        "log in place of 2 log in the corrected sum": {"doubling": 1.0},
    },
    depends="A1-lip-sum A1-holder A1-maxgauss A1-tau A1-logtau A1-sqrtlog A1-zeta",
    corrected=fix(
        r"$R^A_T\le\frac{\pi^2}{12}+\sum_{t\le T}\frac{\kappa|A|}{2\tau_t}\sqrt{2\log(2n\tau_t^n)}$ with the corrected $\tau_t$",
        other=True,
        sides=corrected_sides,
    ),
)
def discretisation_total(instance: Total, *, sides: Sides = printed_sides, doubling: float = 2.0) -> Case:
    r"""$R^A_T\le\frac{\pi^2}6+|A|\sqrt{2n}\min\{\frac1{\mathcal G},n\}\max\{2\zeta'(2),\frac{\pi^2}6\}$, from
    $\frac{\pi^2}6+\sum_t\frac{|A|^2|C|}{\tau_t}\sqrt{2n\log\tau_t}$
    """
    return at_most(*sides(instance, doubling), f"{words(instance.pieces)}, T = {instance.horizon}")


def largest_of_rounds(pieces: Pieces, cuts: np.ndarray) -> np.ndarray:
    """Mean of the largest of n tau^n absolute standard normal values for every tau of ``cuts`` (T,), shape (T,).

    Interpolated in log tau between a few quadratures, concave in between; the grid makes the error a few parts in 1e5.
    """
    grid = np.linspace(math.log(cuts.min()), math.log(cuts.max()), 25)
    exact = [largest_gaussian(math.log(pieces.size) + pieces.size * value, absolute=True) for value in grid]
    return np.interp(np.log(cuts), grid, exact)
