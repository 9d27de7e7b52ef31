"""Instances and runs that the statements on the lower bounds share: families of bumps, and players against them.

A player against one class knows the class (not the function), because the lower bounds hold for such a player too and
are closest to it. All players look at cell centres only, where the functions differ most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from companion.checks.instance import Instance
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp.kernels import Kernel, Matern, SquaredExponential
from companion.papers.batched.problems.hard_class import BumpFamily, HardClass
from companion.papers.batched.theory.lower import RegretLowerBound, regret_lower_bound

KERNELS: tuple[tuple[str, Kernel], ...] = (
    ("SE", SquaredExponential(0.1)),
    ("Matérn 1/2", Matern(0.5, 1.0)),
    ("Matérn 3/2", Matern(1.5, 0.2)),
    ("Matérn 5/2", Matern(2.5, 0.3)),
)
KERNEL = dict(KERNELS)
#: Functions in a class that is played with all of its members.
LARGEST_PLAY = 600

#: Standard errors granted to a simulated mean: a true inequality with no slack at all would then be rejected in 3 of
#: 100,000 comparisons, and a few hundred are made.
ERRORS = 4.0


def kernel_name(nu: float) -> str:
    """The kernel of that smoothness, as cases name it."""
    return "SE" if math.isinf(nu) else f"Matérn {nu:g}"


@lru_cache(maxsize=32)
def family(kernel: str, dim: int, norm: float = 1.0) -> BumpFamily:
    """The bumps of norm at most Ψ for one of :data:`KERNELS`."""
    return BumpFamily(KERNEL[kernel], dim, norm)


@lru_cache(maxsize=512)
def built(kernel: str, dim: int, epsilon: float, norm: float = 1.0) -> HardClass:
    """The class of height 2ε, built once (finding its width takes milliseconds)."""
    return family(kernel, dim, norm).build(epsilon)


@lru_cache(maxsize=256)
def explicit_bound(kernel: str, dim: int, horizon: int, batches: int, noise: float) -> RegretLowerBound:
    """Theorem 2 evaluated at Ψ = 1."""
    return regret_lower_bound(family(kernel, dim), horizon, batches, noise)


class ClassPoint(Instance, words="{self.kernel}, d={self.dim}, Ψ={self.norm:g}, ε={self.epsilon:g}"):
    """One class: kernel, dimension and ε."""

    kernel: str
    dim: int
    epsilon: float
    norm: float = 1.0

    def build_limit(self) -> float:
        """The largest ε with two cells."""
        cells = math.ceil(2.0 ** (1.0 / self.dim))
        return math.exp(family(self.kernel, self.dim, self.norm).log_epsilon_for_cells(cells))

    def build(self, width: float = 1.0) -> HardClass:
        """The class; ``width`` multiplies the bumps' width while the cells stay."""
        hard = built(self.kernel, self.dim, self.epsilon, self.norm)
        return HardClass(hard.family, hard.epsilon, hard.width * width, hard.cells)

    def grid(self) -> Floats:
        """Regular grid with all peaks, 40 to 1,500 points."""
        cells = self.build().cells
        target = 300 if self.dim == 1 else 24
        return self.build().grid(max(3, 2 * (target // cells // 2) + 1))


def class_points() -> Iterator[ClassPoint]:
    """All kernels in one and two dimensions, two heights each and one other norm."""
    for kernel, _ in KERNELS:
        yield ClassPoint(kernel, 1, 0.1)
        yield ClassPoint(kernel, 1, 0.05)
        yield ClassPoint(kernel, 2, 0.2 if kernel != "Matérn 1/2" else 0.15)
    yield ClassPoint("Matérn 3/2", 1, 0.2, 2.0)
    yield ClassPoint("SE", 2, 0.1, 0.5)


# -- players who know the class ----------------------------------------------------------------------------------------

PLAYERS = ("commit", "halving", "uniform", "stubborn")


class Play(Instance):
    """A player with fixed batches, of which the ``number``-th is bad: it ends its batch i-1 one round too early.

    Parameters
    ----------
    kernel, dim, noise : family of bumps and noise standard deviation
    horizon, batches : T and B
    number : i, the class that is played
    player : ``commit`` explores all cells evenly before T_{i-1} and then stays at the best sample mean; ``halving``
        plays the better half of the cells during the bad batch and then commits; ``uniform`` plays all cells evenly to
        the end; ``stubborn`` stays in the first cell
    epsilon : ε, or ``None`` for the class of :func:`explicit_bound`
    """

    words = (
        "{self.kernel}, d={self.dim}, noise {self.noise:g}, T={self.horizon}, B={self.batches}, "
        "class {self.number}, player '{self.player}'"
    )

    kernel: str
    dim: int
    noise: float
    horizon: int
    batches: int
    number: int
    player: str
    epsilon: float | None = None

    @property
    def range(self) -> tuple[int, int]:
        """T_{i-1} and T_i."""
        chosen = explicit_bound(self.kernel, self.dim, self.horizon, self.batches, self.noise).classes[self.number - 1]
        return chosen.start, chosen.end

    @property
    def hard(self) -> HardClass:
        """The class that is played."""
        bound = explicit_bound(self.kernel, self.dim, self.horizon, self.batches, self.noise)
        epsilon = bound.classes[self.number - 1].epsilon if self.epsilon is None else self.epsilon
        return built(self.kernel, self.dim, epsilon)


@dataclass(frozen=True, eq=False)
class Played:
    """Regret of every function (M) in every run (R).

    Attributes
    ----------
    total : R_T, shape (R, M)
    inside : regret of the rounds T_{i-1} < t ≤ T_i, shape (R, M)
    """

    total: Floats
    inside: Floats


def runs_for(size: int) -> int:
    """Number of runs of each of ``size`` functions, so that all plays take about equally long."""
    return int(np.clip(1_000_000 // size**2, 8, 400))


def spread(rounds: int, cells: int) -> NDArray[np.int64]:
    """Visits of each of ``cells`` when ``rounds`` are dealt out in turn."""
    return rounds // cells + (np.arange(cells) < rounds % cells)


@lru_cache(maxsize=256)
def play(plan: Play, runs: int) -> Played:
    """Play every function of the class ``runs`` times, with independent Gaussian noise.

    Only sums of observations per cell matter, so a run needs two normal numbers per cell and function.
    """
    hard, (start, end) = plan.hard, plan.range
    values = hard.values(hard.centres())  # (M, cells)
    gap = 2.0 * hard.epsilon - values
    size = hard.size
    generator = stream(0, "batched", "lower", plan.where)
    before = max(start - 1, 0)  # rounds whose values are known when the bad batch begins
    seen = spread(before, size)
    scale = plan.noise / np.sqrt(np.maximum(seen, 1))
    noise = generator.standard_normal((runs, size, size))
    means = np.where(seen > 0, values + scale * noise, 0.0)  # (R, M, cells); nothing is known of an unseen cell
    explored = gap @ seen  # (M,)
    rest, reference = plan.horizon - before, end - start
    if plan.player in ("uniform", "stubborn"):
        visits = (spread if plan.player == "uniform" else _stay)(reference, size)
        everywhere = (spread if plan.player == "uniform" else _stay)(plan.horizon, size)
        shape = (runs, size)
        return Played(np.broadcast_to(gap @ everywhere, shape), np.broadcast_to(gap @ visits, shape))
    if plan.player == "commit":
        per_round = _at(gap, means.argmax(axis=2))
        return Played(explored + rest * per_round, reference * per_round)
    # halving: until T_i the better half in turn, then the best of them by the values of that batch
    half = max(1, size // 2)
    order = np.argsort(-means, axis=2, kind="stable")[:, :, :half]
    visits = spread(end - before, half)  # the round T_{i-1} is one of these, so the share of the others counts below
    inside = np.take_along_axis(np.broadcast_to(gap, (runs, size, size)), order, axis=2) @ visits
    fresh = generator.standard_normal((runs, size, half)) * plan.noise / np.sqrt(np.maximum(visits, 1))
    again = np.take_along_axis(np.broadcast_to(values, (runs, size, size)), order, axis=2) + fresh
    best = np.take_along_axis(order, np.where(visits > 0, again, -np.inf).argmax(axis=2)[..., None], axis=2)[..., 0]
    return Played(explored + inside + (plan.horizon - end) * _at(gap, best), inside * reference / (end - before))


def _stay(rounds: int, cells: int) -> NDArray[np.int64]:
    return np.where(np.arange(cells) == 0, rounds, 0)


def _at(gap: Floats, chosen: NDArray[np.intp]) -> Floats:
    """gap[m, chosen[r, m]], shape (R, M)."""
    return gap[np.arange(gap.shape[0])[None, :], chosen]


def plays(players: tuple[str, ...] = PLAYERS) -> Iterator[Play]:
    """Four kernels in one dimension with three noise levels, three in two; every class that is small enough."""
    settings = [
        ("SE", 1, 1.0, 10_000, 3),
        ("SE", 1, 0.3, 1_000, 2),
        ("Matérn 3/2", 1, 1.0, 2_000, 3),
        ("Matérn 3/2", 1, 0.3, 20_000, 2),
        ("Matérn 5/2", 1, 1.0, 2_000, 3),
        ("Matérn 5/2", 1, 3.0, 100_000, 4),
        ("Matérn 1/2", 1, 1.0, 2_000, 2),
        ("SE", 2, 1.0, 10_000, 3),
        ("Matérn 5/2", 2, 1.0, 2_000, 3),
        ("Matérn 3/2", 2, 1.0, 1_000, 2),
    ]
    for kernel, dim, noise, horizon, batches in settings:
        for number, chosen in enumerate(explicit_bound(kernel, dim, horizon, batches, noise).classes, 1):
            if chosen.size <= LARGEST_PLAY:
                for player in players:
                    yield Play(kernel, dim, noise, horizon, batches, number, player)


# -- how well data tell a function of the class from zero --------------------------------------------------------------


@lru_cache(maxsize=32)
def adaptive_variation(point: ClassPoint, rounds: int, noise: float, runs: int = 1500) -> tuple[float, float]:
    """(1/M) Σ_m TV(P_0, P_m) for a player who goes where the data point, with its standard error.

    The player visits the centre with the largest upper confidence bound on the bump's value, sequentially, which is
    more than a batched player may do. TV(P_0, P_m) = E_0[(1 - dP_m/dP_0)_+] is averaged over runs under P_0.
    """
    hard = point.build()
    values = hard.values(hard.centres())  # (M, cells)
    generator = stream(0, "batched", "lower", "adaptive", point.where, str(rounds), f"{noise:g}")
    size = hard.size
    sums, counts, log_ratio = np.zeros((runs, size)), np.zeros((runs, size)), np.zeros((runs, size))
    rows = np.arange(runs)
    for _ in range(rounds):
        bonus = 2.0 * noise / np.sqrt(np.maximum(counts, 0.5))
        chosen = np.argmax(sums / np.maximum(counts, 1.0) + bonus + 1e-3 * generator.random((runs, size)), axis=1)
        observed = noise * generator.standard_normal(runs)
        shift = values[:, chosen].T  # (R, M)
        log_ratio += (shift * observed[:, None] - 0.5 * shift**2) / noise**2
        sums[rows, chosen] += observed
        counts[rows, chosen] += 1.0
    per_run = np.maximum(0.0, -np.expm1(log_ratio)).mean(axis=1)
    return float(per_run.mean()), float(per_run.std(ddof=1) / math.sqrt(runs))
