"""Statements: worst means over a Wasserstein ball (Section 1, Lemmas 2, 12 and 13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from companion.checks.cases import Case, at_most
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import SquaredExponential, rkhs_expansion
from companion.papers.wdrbo.method.inner import WorstCase, lipschitz_constant, wasserstein

#: Decisions of a ball: each has its own function of the context.
ROWS = 6

#: Of a mean of at most 60 values of size one, with a solver that stops at a certified gap of 1e-12.
ROUNDING = 1e-9


class Ball(Instance, words="{kind} functions, {size} contexts, d = {dim}, radius {radius:g}, seed {seed}"):
    """A ball of laws on ``size`` contexts in [0, 1]^dim, and the functions of six decisions.

    Parameters
    ----------
    kind : of the functions: ``"rough"`` independent values, ``"smooth"`` members of an RKHS, ``"kinked"`` distances from a
        point, ``"linear"``; the centre of a linear one is a single atom in the middle, with room to move on either side
    radius : epsilon
    """

    kind: str
    dim: int
    size: int
    radius: float
    seed: int

    @cached_property
    def support(self) -> Floats:
        """(m, dim) contexts; those of linear functions lie on a line."""
        if self.kind == "linear":
            return np.linspace(0.0, 1.0, self.size)[:, None] * np.full(self.dim, 1.0 / np.sqrt(self.dim))
        return self._stream("support").random((self.size, self.dim))

    @cached_property
    def centre(self) -> Floats:
        """(m,) weights: few atoms, many, or one."""
        if self.kind == "linear":
            return np.eye(self.size)[self.size // 2]
        weights = self._stream("centre").dirichlet(np.full(self.size, 0.2))
        weights[weights < 1e-6] = 0.0
        return np.asarray(weights / weights.sum())

    @cached_property
    def values(self) -> Floats:
        """(6, m) values of the functions."""
        generator = self._stream("values")
        if self.kind == "rough":
            return generator.standard_normal((ROWS, self.size))
        if self.kind == "smooth":
            kernel = SquaredExponential(0.3)
            rows = [rkhs_expansion(kernel, self.support, generator, 1.0, 3).values for _ in range(ROWS)]
            return np.stack(rows)
        slopes = np.arange(1.0, ROWS + 1.0)[:, None]
        if self.kind == "linear":
            return slopes * np.linalg.norm(self.support, axis=1)
        kinks = generator.random((ROWS, 1, self.dim))
        return -slopes * np.linalg.norm(self.support - kinks, axis=2)

    @cached_property
    def distances(self) -> Floats:
        """(m, m) between contexts."""
        return np.asarray(np.linalg.norm(self.support[:, None, :] - self.support, axis=2))

    @cached_property
    def constants(self) -> Floats:
        """(6,) smallest Lipschitz constants on the support."""
        return lipschitz_constant(self.values, self.support)

    def lowest(self, share: float = 1.0) -> WorstCase:
        """The smallest means over the ball of ``share`` times the radius."""
        return wasserstein(self.values, self.support, self.centre, share * self.radius)

    def highest(self) -> Floats:
        """(6,) the largest means over the ball."""
        return -wasserstein(-self.values, self.support, self.centre, self.radius).value

    def members(self, share: float = 1.0, count: int = 20) -> Floats:
        """(count, m) laws reached from the centre by random transport plans of cost ``share`` times the radius."""
        generator = self._stream("members")
        found = []
        for _ in range(count):
            plan = generator.dirichlet(np.full(self.size, 0.1), size=self.size)
            cost = float(self.centre @ np.sum(plan * self.distances, axis=1))
            part = min(1.0, share * self.radius / cost)
            found.append((1 - part) * self.centre + part * (self.centre @ plan))
        return np.stack(found)

    def _stream(self, name: str) -> np.random.Generator:
        return stream(self.seed, "wdrbo", "statements", "ball", self.kind, self.dim, self.size, name)


def balls() -> Iterator[Ball]:
    """200 balls: four kinds, three dimensions, 2 to 40 contexts, five radii."""
    radii = (0.0, 0.01, 0.05, 0.2, 1.0)
    for number in range(200):
        kind = ("rough", "smooth", "kinked", "linear")[number % 4]
        size = (2, 5, 12, 40)[number // 4 % 4] + (1 if kind == "linear" else 4 if kind == "smooth" else 0)
        yield Ball(kind, 1 + number // 16 % 3, size, radii[number // 3 % 5], number)


# -- the value of a robust decision ------------------------------------------------------------------------------------


INSIDE = need("a radius of at least 0", lambda ball: ball.radius >= 0, Ball("rough", 1, 5, -0.1, 0))


@statement(
    "rem-robust-value",
    "inequality",
    balls,
    INSIDE,
    teeth={"a truth at 1.5 radii": {"distance": 1.5}},
)
def rem_robust_value(ball: Ball, *, distance: float = 1.0) -> Iterator[Case]:
    r"""If $\mathcal P\in\mathcal B^\varepsilon(\hat{\mathcal P})$, then $\inf_{\mathcal Q\in\mathcal
    B^\varepsilon(\hat{\mathcal P})}\E_{\mathcal Q}f(x,c)\le\E_{\mathcal P}f(x,c)$ for every $x$

    Members of the ball: 20 that random transport plans reach, and for every decision the worst one. The case is the
    tightest pair of decision and member.
    """
    # Both sides are counted from the least value, so that they are not negative and their quotient says something.
    floor, least = ball.lowest().value, ball.values.min(axis=1)
    gaps = np.min(ball.values @ ball.members(distance).T, axis=1)
    rounding = ROUNDING * float(np.abs(ball.values).max())
    for name, means in (("random plans", gaps), ("worst member", ball.lowest(distance).value)):
        at = int(np.argmin(means - floor))
        sides = max(0.0, float(floor[at] - least[at])), float(means[at] - least[at]) + rounding
        yield at_most(*sides, f"{ball.where}: {name}")


# -- Lemma 12 ----------------------------------------------------------------------------------------------------------


@statement(
    "lemma-12",
    "inequality",
    balls,
    INSIDE,
    teeth={"0.95 of the Lipschitz constant": {"share": 0.95}},
)
def lemma_12(ball: Ball, *, share: float = 1.0) -> Iterator[Case]:
    r"""$g$ $L^g$-Lipschitz: $\sup_{\mathcal Q\in\mathcal B^\varepsilon(\hat{\mathcal P})}\E_{\mathcal
    Q}g\le\E_{\hat{\mathcal P}}g+\varepsilon L^g$ and $\inf\ge\E_{\hat{\mathcal P}}g-\varepsilon L^g$

    Left are the exact largest and smallest means, less the mean under the centre. The second bound is also the objective
    of the dual, :math:`\sum_jp_j\min_i(g_i+L|s_i-s_j|)-L\varepsilon`, at the multiplier :math:`L^g`.
    """
    mean, steep = ball.values @ ball.centre, share * ball.constants
    for name, change in (("largest", ball.highest() - mean), ("smallest", mean - ball.lowest().value)):
        # A change of less than rounding says nothing: both sides are zero then.
        at = int(np.argmax(change - ball.radius * steep))
        bound = float(ball.radius * steep[at])
        yield at_most(float(change[at]), bound + ROUNDING * float(np.abs(ball.values).max()), f"{ball.where}: {name}")
    moved = np.min(ball.values[:, None, :] + steep[:, None, None] * ball.distances, axis=2) @ ball.centre
    gap = float(np.max(np.abs(moved - mean)))
    yield at_most(gap, ROUNDING * float(np.abs(ball.values).max()), f"{ball.where}: dual at the constant")


# -- Lemma 2 -----------------------------------------------------------------------------------------------------------


@statement(
    "lemma-2",
    "inequality",
    balls,
    INSIDE,
    teeth={
        "0.95 of the right side": {"share": 0.95},
        "one Lipschitz constant, the mean over decisions": {"constant": np.mean},
    },
    depends="lemma-12",
)
def lemma_2(ball: Ball, *, share: float = 1.0, constant: Callable[[Floats], Floats] = np.asarray) -> Iterator[Case]:
    r"""For every $x$ and $\tilde{\mathcal P}\in\mathcal B^\varepsilon(\hat{\mathcal P})$: $\abs{\E_{\tilde{\mathcal
    P}}f(x,c)-\E_{\hat{\mathcal P}}f(x,c)}\le\varepsilon L_c^f(x)$

    Left is the largest deviation over the exact extreme members and over 20 random ones, at the tightest decision.
    """
    mean = ball.values @ ball.centre
    bound = share * ball.radius * np.broadcast_to(constant(ball.constants), ROWS)
    scale = ROUNDING * float(np.abs(ball.values).max())
    random = np.abs(ball.values @ ball.members().T - mean[:, None]).max(axis=1)
    extreme = np.maximum(ball.highest() - mean, mean - ball.lowest().value)
    for name, deviation in (("random members", random), ("extreme members", extreme)):
        at = int(np.argmax(deviation - bound))
        yield at_most(float(deviation[at]), float(bound[at]) + scale, f"{ball.where}: {name}")
