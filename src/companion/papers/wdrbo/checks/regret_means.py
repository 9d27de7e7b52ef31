"""Statements: from expected squared widths to the information gain, (59) step by step, and our conditional-mean bound."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import qmc

from companion.checks.cases import Case, at_most, probability
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import Kernel, Matern, SquaredExponential
from companion.information.gain import gain_by_determinant
from companion.papers.wdrbo.theory.bounds import CONDITIONAL_MEAN

#: Failure probability of the checks that count failures.
LEVEL = 0.1


# -- the concentration of conditional means ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Sequence:
    r"""Paths of a sequence :math:`0\le S_t\le b` with known conditional means.

    Parameters
    ----------
    kind : ``rare`` (b with probability ``chance``, else 0), ``uniform`` (on [0, b]), ``adaptive`` (rare, with a chance
        that doubles after every miss and restarts after a hit) or ``contexts`` (squared widths of a learner who never
        plays an arm twice: in the rare context arms have nothing in common, in the other they are all alike)
    bound : b; for squared widths 1 / lambda
    chance : probability of the rare value or context
    length, paths, seed : T, number of paths, seed
    """

    kind: str
    bound: float
    chance: float
    length: int
    paths: int
    seed: int

    @property
    def where(self) -> str:
        """In words."""
        chance = "" if self.kind == "uniform" else f", chance {self.chance:g}"
        return f"{self.kind} sequence, bound {self.bound:g}{chance}, T up to {self.length}, seed {self.seed}"


#: Numbers held at once while paths are drawn.
_HELD = 2_000_000


@lru_cache(maxsize=32)
def worst_excess(sequence: Sequence, factor: float) -> Floats:
    r""":math:`\max_{T}\sum_{t\le T}(m_t-cS_t)` of every path, shape (paths,), :math:`m_t=\E[S_t\mid\mathcal F_{t-1}]`.

    Parameters
    ----------
    sequence : the law
    factor : c
    """
    generator = stream(sequence.seed, "wdrbo", "conditional means", sequence.kind)
    step, found = max(1, _HELD // sequence.length), []
    for start in range(0, sequence.paths, step):
        count = min(step, sequence.paths - start)
        means, values = _paths(sequence, generator.random((count, sequence.length)))
        found.append(np.cumsum(means - factor * values, axis=1).max(axis=1))
    return np.concatenate(found)


def _paths(sequence: Sequence, uniform: Floats) -> tuple[Floats, Floats]:
    """Conditional means and values, both (count, T), from independent uniform numbers."""
    b, p = sequence.bound, sequence.chance
    if sequence.kind == "uniform":
        return np.full_like(uniform, b / 2), b * uniform
    if sequence.kind == "rare":
        return np.full_like(uniform, b * p), np.where(uniform < p, b, 0.0)
    if sequence.kind == "adaptive":
        means, chance = np.empty_like(uniform), np.full(len(uniform), p)
        for t in range(uniform.shape[1]):
            means[:, t] = b * chance
            hit = uniform[:, t] < chance
            chance = np.where(hit, p, np.minimum(2.0 * chance, 0.5))
        return means, np.where(uniform < means / b, b, 0.0)
    rare = uniform < p
    seen = np.cumsum(~rare, axis=1, dtype=np.float64) - ~rare
    common: Floats = 1.0 / (
        seen + 1.0 / b
    )  # (1 - n / (n + lambda)) / lambda after n observations of the common context
    return p * b + (1.0 - p) * common, np.where(rare, b, common)


def _sequences() -> tuple[Sequence, ...]:
    return (
        Sequence("rare", 1.0, 0.01, 3_000, 2_000, 0),
        Sequence("rare", 1.0, 0.5, 20_000, 220, 1),
        Sequence("uniform", 1.0, 1.0, 2_000, 220, 2),
        Sequence("adaptive", 1.0, 0.001, 500, 1_000, 3),
        Sequence("contexts", 1.0, 0.02, 1_000, 1_000, 4),
        Sequence("contexts", 0.5, 0.02, 1_000, 1_000, 5),
    )


def _wide_sequences() -> tuple[Sequence, ...]:
    return (
        *_sequences(),
        Sequence("contexts", 100.0, 0.01, 200, 1_000, 6),
        Sequence("contexts", 1_000.0, 0.002, 1_000, 1_000, 7),
        Sequence("rare", 0.1, 0.02, 2_000, 4_000, 8),
    )


# -- from squares to logarithms ----------------------------------------------------------------------------------------


@statement(
    "thm-16-ii",
    "inequality",
    lambda: (0.05, 0.1, 0.3, 0.6, 0.65, 1.0, 2.5, 10.0, 1_000.0),
    need(r"$a>0$", lambda bound: bound > 0, -1.0),
    teeth={"one per cent less than the sharp factor": {"factor": 0.99}},
    corrected=fix(r"with the sharp factor $a/\log(1+a)$ for $2a$", sharp=True),
)
def theorem_16_step_ii(bound: float, *, sharp: bool = False, factor: float = 1.0) -> Case:
    r"""$x\le2a\log(1+x)$ for all $x\in[0,a]$.

    Compared are the largest :math:`x/\log(1+x)` on a grid of [0, a] and :math:`2a`.
    """
    x = bound * np.linspace(0.0, 1.0, 1_001)[1:]
    largest = float((x / np.log1p(x)).max())
    right = bound / math.log1p(bound) if sharp else 2.0 * bound
    return at_most(largest, factor * right, f"a = {bound:g}: largest x / log(1 + x) on (0, a]")


# -- the information gain ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SmallGrid:
    """Points whose designs can be enumerated; without a kernel, ``size`` points with nothing in common."""

    kernel: Kernel | None
    dim: int
    size: int
    rounds: int
    regulariser: float
    delta: float

    @property
    def where(self) -> str:
        """In words."""
        name = "orthonormal arms" if self.kernel is None else f"{self.kernel}, d={self.dim}, {self.size} points"
        return f"{name}, lambda={self.regulariser:g}, delta={self.delta:g}, T={self.rounds}"


@lru_cache(maxsize=64)
def largest_gain(grid: SmallGrid, rounds: int) -> float:
    r""":math:`\Gamma_n=\sup\log\det(I+\lambda^{-1}K_n)` over all multisets of n points, by enumeration."""
    if rounds == 0:
        return 0.0
    if grid.kernel is None:
        if rounds > grid.size:
            raise ValueError(f"{rounds} rounds on {grid.size} orthonormal arms")
        return rounds * math.log1p(1.0 / grid.regulariser)
    points = qmc.Halton(grid.dim, scramble=False).random(grid.size)
    covariance = grid.kernel(points)
    found = 0.0
    for chosen in itertools.combinations_with_replacement(range(grid.size), rounds):
        found = max(found, 2.0 * float(gain_by_determinant(covariance[np.ix_(chosen, chosen)], grid.regulariser)))
    return found


def _small_grids() -> Iterator[SmallGrid]:
    for kernel in (SquaredExponential(0.3), Matern(1.5, 0.3), Matern(2.5, 0.3), Matern(0.5, 0.3)):
        for dim, rounds in ((1, 1), (1, 4), (2, 3)):
            for regulariser in (1e-3, 0.1, 1.0):
                yield SmallGrid(kernel, dim, 6, rounds, regulariser, 0.1)
    for rounds in (1, 10, 50):
        for regulariser, delta in ((1e-3, 0.5), (1e-3, 0.1), (1e-2, 0.5), (1.0, 0.5)):
            yield SmallGrid(None, 1, 50, rounds, regulariser, delta)


_INSIDE = need(
    r"$0\le S_t\le b$, and the conditional means are known",
    lambda sequence: sequence.bound > 0 and 0 < sequence.chance <= 1,
    Sequence("rare", 1.0, 1.5, 10, 10, 0),
)


def _valid(grid: SmallGrid) -> bool:
    bounded = grid.kernel is None or float(grid.kernel.diagonal(np.zeros((1, grid.dim)))[0]) <= 1.0
    return bounded and grid.regulariser > 0 and 0 < grid.delta < 1 and grid.rounds >= 1


_POSITIVE = need(r"$\lambda>0$, $\delta\in(0,1)$ and $k(z,z')\le1$", _valid, SmallGrid(None, 1, 5, 2, 1.0, 1.0))


@statement(
    "thm-16-i",
    "probability",
    _wide_sequences,
    _INSIDE,
    teeth={"without the factor 2": {"factor": 1.0}, "without the logarithm": {"coefficient": 0.0}},
    depends="ours-cm",
    corrected=fix(
        r"with the logarithm multiplied by the bound $1/\lambda$ on $\sigma^2$ (the printed form needs widths of a "
        r"few units at most)",
        scaled=True,
    ),
)
def theorem_16_step_i(
    sequence: Sequence, *, factor: float = 2.0, coefficient: float = 8.0, inside: float = 6.0, scaled: bool = False
) -> Case:
    r"""With probability at least $1-\delta$, for all $T$: $\sum_{t\le T}\E\sigma_{t-1}^2(x_t,c)\le2\sum_{t\le
    T}\sigma_{t-1}^2(x_t,c_t)+8\log\frac6\delta$.

    Cited by the paper; only :math:`\sigma^2\le1/\lambda` is known of the widths.
    """
    allowed = coefficient * math.log(inside / LEVEL) * (sequence.bound if scaled else 1.0)
    failures = int((worst_excess(sequence, factor) > allowed).sum())
    return probability(failures, sequence.paths, LEVEL, sequence.where)


@statement(
    "thm-16-iii",
    "inequality",
    _small_grids,
    _POSITIVE,
    teeth={"half of the information gain": {"gain": 2.0}, "without the logarithm on the right": {"logarithm": 0.0}},
    depends="def-gamma",
    corrected=fix(r"with $\gamma_{T+1}$, the gain of $T$ observations, for $\gamma_T$", shift=0),
)
def theorem_16_step_iii(
    grid: SmallGrid, *, shift: int = 1, gain: float = 4.0, logarithm: float = 16.0, inside: float = 6.0
) -> Case:
    r"""$2\sum_{t\le T}2\log(1+\sigma_{t-1}^2(x_t,c_t))+8\log\frac6\delta\le4\gamma_T+16\log\frac6\delta$, with
    $\gamma_T=\sup\log\det(I+\lambda^{-1}K_{T-1})$.

    The sum of logarithms of a design is :math:`\log\det(I+\lambda^{-1}K_T)`, at most :math:`\Gamma_T`; the paper's
    :math:`\gamma_T` is :math:`\Gamma_{T-1}`. Evaluated at the design with the largest sum.
    """
    sum_of_logs = largest_gain(grid, grid.rounds)
    left = 4.0 * sum_of_logs + 8.0 * math.log(6.0 / grid.delta)
    right = gain * largest_gain(grid, grid.rounds - shift) + logarithm * math.log(inside / grid.delta)
    return at_most(left, right, grid.where)


@statement(
    "ours-cm",
    "probability",
    _wide_sequences,
    _INSIDE,
    teeth={
        "without the logarithm": {"coefficient": 0.0},
        "half of the logarithm": {"coefficient": CONDITIONAL_MEAN / 2.0},
        "without the factor 2": {"factor": 1.0},
    },
)
def ours_cm(sequence: Sequence, *, factor: float = 2.0, coefficient: float = CONDITIONAL_MEAN) -> Case:
    r"""If $0\le S_t\le b$ and $m_t=\E[S_t\mid\mathcal F_{t-1}]$, then with probability at least $1-\delta$, for all $T$:
    $\sum_{t\le T}m_t\le2\sum_{t\le T}S_t+1.2551\,b\log\frac1\delta$.

    :math:`e^{-us}\le1-(1-e^{-ub})s/b` on [0, b] makes :math:`\exp((1-e^{-ub})\sum m_t/b-u\sum S_t)` a supermartingale, and
    Ville's inequality bounds its largest value. The companion's replacement of the lemma cited in (59) (i).
    """
    allowed = coefficient * sequence.bound * math.log(1.0 / LEVEL)
    failures = int((worst_excess(sequence, factor) > allowed).sum())
    return probability(failures, sequence.paths, LEVEL, sequence.where)
