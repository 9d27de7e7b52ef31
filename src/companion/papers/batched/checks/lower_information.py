"""Statements on what data can tell: the total variation between a bump and zero (Lemmas 6 and 7)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from companion.checks.cases import Case, at_most
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.randomness import stream
from companion.papers.batched.problems.hard_class import class_properties, leakage_constant
from companion.papers.batched.theory.lower import (
    average_total_variation_bound,
    design_total_variations,
)
from companion.papers.batched.theory.players import (
    ERRORS,
    ClassPoint,
    adaptive_variation,
    class_points,
    spread,
)

# -- Lemma 6 -----------------------------------------------------------------------------------------------------------

DESIGNS = ("uniform", "one cell", "centres", "adaptive")


class Observed(Instance, words="{self.point.where}, {self.design} design, t={self.rounds}, noise {self.noise:g}"):
    """A class, and t rounds of a design with Gaussian noise."""

    point: ClassPoint
    design: str
    rounds: int
    noise: float

    def average_variation(self) -> float:
        """(1/M) Σ_m TV(P_0, P_m): exact for a fixed design, the lower end of an interval for an adaptive one."""
        if self.design == "adaptive":
            mean, error = adaptive_variation(self.point, self.rounds, self.noise)
            return mean - ERRORS * error
        hard = self.point.build()
        if self.design == "uniform":
            points = stream(0, "batched", "lemma-6", self.where).uniform(size=(self.rounds, self.point.dim))
        elif self.design == "one cell":
            points = np.tile(hard.centres()[hard.size // 2], (self.rounds, 1))
        else:
            points = hard.centres()[np.arange(self.rounds) % hard.size]
        return float(design_total_variations(hard, points, self.noise).mean())


def _lemma_6_instances() -> Iterator[Observed]:
    for point in class_points():
        for design in DESIGNS[:3]:
            for rounds, noise in ((10, 1.0), (100, 0.3), (1000, 1.0), (1000, 3.0)):
                if rounds * point.build().size <= 600_000:
                    yield Observed(point, design, rounds, noise)
    for kernel, dim, noise in (("SE", 1, 1.0), ("SE", 2, 0.5), ("Matérn 3/2", 1, 0.3), ("Matérn 5/2", 1, 1.0)):
        yield Observed(ClassPoint(kernel, dim, 0.1), "adaptive", 80, noise)


@statement(
    "lemma-6",
    "inequality",
    _lemma_6_instances,
    need(
        r"a class with $M\ge2$",
        lambda item: item.point.epsilon <= item.point.build_limit(),
        Observed(ClassPoint("SE", 1, 0.6), "uniform", 10, 1.0),
    ),
    teeth={"M outside of the square root": {"size_power": 1.0}, "half of the constant": {"constant": 0.5}},
    depends="prop-4",
)
def lemma_6(instance: Observed, *, constant: float = 1.0, size_power: float = 0.5) -> Iterator[Case]:
    r"""$\frac1M\sum_m\mathrm{TV}(\P_0^t,\P_m^t)\le\frac{\sqrt{C_F}\,\epsilon}{2\sigma}\sqrt{\frac tM}$ for every
    algorithm, where $\sum_m(\max_{\mathcal R_j}\abs{f_m})^2\le C_F\epsilon^2$

    C_F is the constant in Σ_m (max_{R_j} |f_m|)² ≤ C_F ε², which is checked on a grid as well. For a fixed design the
    total variation of the two normal laws is exact; for an adaptive one it is simulated.
    """
    hard = instance.point.build()
    bound = average_total_variation_bound(hard.epsilon, hard.size, instance.rounds, instance.noise, instance.point.dim)
    wrong = constant * hard.size ** (0.5 - size_power)
    yield at_most(instance.average_variation(), wrong * bound, instance.where)
    if instance.design == "centres" and instance.rounds == 10:
        leakage = class_properties(hard, instance.point.grid()).leakage
        where = f"{instance.point.where}: leakage into a cell"
        yield at_most(leakage, constant**2 * leakage_constant(instance.point.dim), where)


# -- Lemma 7 -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Discrete:
    """Random pairs of laws on a few atoms with two events; ``kind`` says how the events are chosen."""

    kind: str
    atoms: int
    draws: int
    late: ClassVar[bool] = False  # no rounds are played

    def sides(self, coefficient: float) -> tuple[float, float, str]:
        """P_0(A), and the sum that is to be at least as large, at the draw where they are closest."""
        generator = stream(0, "batched", "lemma-7", self.kind, str(self.atoms))
        shape = 0.2 if self.kind == "sparse" else 1.0
        p = generator.dirichlet(np.full(self.atoms, shape), self.draws)
        q = generator.dirichlet(np.full(self.atoms, shape), self.draws)
        bad = generator.random((self.draws, self.atoms)) < 0.6
        inside = generator.random((self.draws, self.atoms)) < 0.5
        if self.kind == "worst":
            bad |= q > p
            inside = p >= q
        variation = 0.5 * np.abs(p - q).sum(axis=1)
        left = (p * (bad & ~inside)).sum(axis=1)
        left += coefficient * variation + (q * (bad & inside)).sum(axis=1)
        right = (q * bad).sum(axis=1)
        worst = int(np.argmin(left - right))
        return float(right[worst]), float(left[worst]), f"{self.kind} laws on {self.atoms} atoms, {self.draws} draws"


class TwoBatches(Instance, words="{self.point.where}, noise {self.noise:g}, t_1={self.rounds}"):
    """An explorer whose second batch is bad if the values of the first look like nothing, and stays at the best cell.

    ``late`` asks for x_t after the bad batch has been revealed (t > T_i), when it has told much more about f.
    """

    point: ClassPoint
    rounds: int
    noise: float
    runs: int = 4000
    late: bool = False

    def sides(self, coefficient: float) -> tuple[float, float, str]:
        """P_0(A), and the sum that is to be at least as large with its error granted, for the closest function."""
        hard = self.point.build()
        values = hard.values(hard.centres())
        seen = spread(self.rounds, hard.size)
        scale = self.noise / np.sqrt(np.maximum(seen, 1))
        generator = stream(0, "batched", "lemma-7", self.where)
        noise = scale * generator.standard_normal((self.runs, hard.size)) * (seen > 0)
        # the second batch is long (event A) unless some mean stands out; the level is what zero exceeds half the time
        level = float(np.median(noise.max(axis=1)))
        quiet, chosen = noise.max(axis=1) <= level, noise.argmax(axis=1)
        variations = design_total_variations(hard, np.repeat(hard.centres(), seen, axis=0), self.noise)
        found = []
        for m in range(hard.size):
            means = values[m] * (seen > 0) + noise
            played = np.full(self.runs, values[m].argmax()) if self.late else means.argmax(axis=1)
            left = float(((played != m) & (means.max(axis=1) <= level)).mean())
            left += coefficient * float(variations[m]) + float((quiet & (chosen == m)).mean())
            # two frequencies, each with a variance of at most 1/4 per run
            found.append((float(quiet.mean()), left + ERRORS / math.sqrt(2 * self.runs), f"{self.where}, m={m}"))
        return min(found, key=lambda sides: sides[1] - sides[0])


@statement(
    "lemma-7",
    "inequality",
    lambda: (
        *(Discrete(kind, atoms, 20_000) for kind in ("random", "sparse", "worst") for atoms in (2, 3, 8)),
        TwoBatches(ClassPoint("SE", 1, 0.1), 100, 0.3),
        TwoBatches(ClassPoint("Matérn 3/2", 1, 0.1), 200, 1.0),
        TwoBatches(ClassPoint("Matérn 5/2", 1, 0.05), 400, 0.3),
        TwoBatches(ClassPoint("SE", 2, 0.2), 300, 1.0),
    ),
    need(
        "$t\\le T_i$: the values of the bad batch are not known yet",
        lambda item: not item.late,
        TwoBatches(ClassPoint("SE", 1, 0.1), 100, 3.0, late=True),
    ),
    teeth={"coefficient 0.9": {"coefficient": 0.9}, "no total variation": {"coefficient": 0.0}},
    depends="lemma-4",
)
def lemma_7(instance: Discrete | TwoBatches, *, coefficient: float = 1.5) -> Case:
    r"""for $t\in(T_{i-1},T_i]$: $\P_m^t(x_t\notin\mathcal
    R_m,A_i)\ge\P_0(A_i)-\tfrac32\mathrm{TV}(\P_m^{T_{i-1}},\P_0^{T_{i-1}})-\P_0^t(x_t\in\mathcal R_m,A_i)$

    A change of measure, so random pairs of discrete laws with two events test it, and a player against each function.
    """
    return at_most(*instance.sides(coefficient), tolerance=1e-9)
