"""Statements on the expected improvement itself: Lemmas 9.1, 9.3, 9.6 and Corollaries 9.2, 9.4."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from companion.checks.cases import Case, at_most, equal
from companion.checks.instance import Instance
from companion.checks.samples import frequency, on_event, worst
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import grid, kernel_by_name
from companion.gp.factor import draw_root
from companion.papers.compressed.checks.regret_games import FINITE_SET, IMPROVING, OBSERVED, UNLIMITED
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.compressed.theory.instances import TITLES, E, Game, played
from companion.policies.acquisition import expected_improvement

#: Error allowed to 200 Gauss-Legendre nodes on a smooth integrand, relative to the largest value of the comparison.
QUADRATURE = 1e-9


def improvement_by_quadrature(mean: Floats, sd: Floats, incumbent: float) -> Floats:
    r""":math:`\E\max(0,g-\xi)` for :math:`g\sim N(\mu,\sigma^2)`, by Gauss-Legendre nodes above the incumbent."""
    z = (np.asarray(mean, float) - incumbent) / sd
    low, high = np.maximum(-z, -12.0), np.maximum(-z, 0.0) + 12.0  # beyond 12 the density is below 1e-31
    nodes, weights = np.polynomial.legendre.leggauss(200)
    u = low[..., None] + (nodes + 1.0) / 2.0 * (high - low)[..., None]
    inside = (z[..., None] + u) * np.exp(-0.5 * u**2) / math.sqrt(2.0 * math.pi)
    return np.asarray(sd * (inside @ weights) * (high - low) / 2.0)


def tau(z: Floats, density: bool = True) -> Floats:
    r""":math:`\tau(z)=z\Phi(z)+\phi(z)`; without the density only its first part."""
    first = z * ndtr(z)  # independent check: the package takes the logarithm
    return np.asarray(first + np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi) if density else first)


# -- Lemma 9.1, Corollary 9.2 ------------------------------------------------------------------------------------------


class Scores(Instance, words="means of sd {spread:g}, sd up to {largest:g}, incumbent {incumbent:g}"):
    """Random posteriors (mean, standard deviation) at ``count`` points, with standard deviations up to ``largest``."""

    largest: float
    spread: float
    incumbent: float
    count: int = 200

    def draw(self) -> tuple[Floats, Floats]:
        """(count,) means and standard deviations."""
        generator = stream(0, "compressed", "scores", f"{self.largest:g}", f"{self.spread:g}", f"{self.incumbent:g}")
        sd = self.largest * np.exp(-4.0 * generator.uniform(size=self.count))
        return self.incumbent + self.spread * generator.standard_normal(self.count), sd


SEVERAL_POINTS = need("positive standard deviations", lambda scores: bool(scores.largest > 0), Scores(0.0, 1.0, 0.0))


@statement(
    "lemma-9.1",
    "identity",
    lambda: (Scores(1.0, 1.0, 0.0), Scores(0.1, 0.3, 2.0), Scores(5.0, 2.0, -1.0), Scores(1.0, 5.0, 3.0)),
    SEVERAL_POINTS,
    teeth={
        "without the density": {"density": False},
        "the second part for all standard deviations": {"limit": math.inf},
    },
)
def lemma_9_1(scores: Scores, *, density: bool = True, limit: float = 1.0) -> Iterator[Case]:
    r"""$\alpha^{EI}_t(x)=\sigma_{t-1}(x)\,\tau(z_{t-1}(x))$, $\tau(z)=z\Phi(z)+\phi(z)$; and
    $\alpha^{EI}_t(x)\le\tau(z_{t-1}(x))$ for $\sigma_{t-1}(x)\le1$

    With :math:`z=(\mu-\xi)/\sigma`. The expectation by quadrature; the package's own expected improvement is compared as well.
    """
    mean, sd = scores.draw()
    z = (mean - scores.incumbent) / sd
    exact = improvement_by_quadrature(mean, sd, scores.incumbent)
    scale = QUADRATURE * float(exact.max())
    for name, value in (
        ("sigma tau(z)", sd * tau(z, density)),
        ("package", expected_improvement(mean, sd, scores.incumbent)),
    ):
        yield worst(np.abs(exact - value), scale, f"{scores.where}, {name}")
    small = sd <= limit
    yield worst(exact[small], tau(z, density)[small] + scale, f"{scores.where}, at most tau(z)")


@dataclass(frozen=True)
class Bandit:
    """One run of compressed expected improvement as the package's policy, in every round against a dense solve."""

    kernel: str
    dim: int
    noise_sd: float
    rounds: int
    alpha: float
    acquisition: str = "ei"

    @property
    def where(self) -> str:
        """The instance in words."""
        return f"{TITLES[self.kernel]}, d = {self.dim}, 25 points, noise {self.noise_sd:g}, T = {self.rounds}"


class State(NamedTuple):
    """Before a round: (N,) mean and sd, the largest kept observation and the largest mean, and the choice."""

    mean: Floats
    sd: Floats
    kept: float
    largest: float
    choice: int


@cache
def states_of(bandit: Bandit) -> tuple[State, ...]:
    """The states before every round, by dense solves."""
    generator = stream(0, "compressed", "bandit", bandit.kernel, str(bandit.dim), f"{bandit.noise_sd:g}")
    points = grid(25 if bandit.dim == 1 else 5, bandit.dim)
    matrix = np.asarray(kernel_by_name(bandit.kernel, 0.2 * bandit.dim)(points))
    noise = bandit.noise_sd**2
    f = draw_root(matrix) @ generator.standard_normal(25)
    rule = admission.information(admission.horizon_budget(bandit.rounds, bandit.alpha), noise)
    policy = CompressedBandit(matrix, noise, "ei", rule, 1.0, [int(generator.integers(25))])
    seen: list[tuple[int, float]] = []
    states = []
    for remaining in range(bandit.rounds + 1, 0, -1):
        before = policy.model_order
        choice = int(policy.ask(remaining).query[0])
        if seen:
            at, y = np.array([index for index, _ in seen]), np.array([value for _, value in seen])
            weights = np.linalg.solve(matrix[np.ix_(at, at)] + noise * np.eye(len(at)), matrix[at])
            sd = np.sqrt(matrix.diagonal() - np.sum(matrix[at] * weights, axis=0))
            mean = weights.T @ y
            states.append(State(mean, sd, float(y.max()), float(mean.max()), choice))
        value = float(f[choice] + bandit.noise_sd * generator.standard_normal())
        policy.tell(np.array([value]))
        if policy.model_order > before:
            seen.append((choice, value))
    return tuple(states)


@statement(
    "cor-9.2",
    "identity",
    lambda: (
        Bandit("se", 1, 0.3, 25, 0.5),
        Bandit("matern12", 1, 1.0, 25, 0.3),
        Bandit("matern52", 2, 0.1, 25, 0.4),
        Bandit("matern32", 2, 0.5, 25, 0.2),
    ),
    need("positive noise", lambda bandit: bool(bandit.noise_sd > 0), Bandit("se", 1, 0.0, 5, 0.5)),
    teeth={
        "without the density": {"density": False},
        "the largest mean as incumbent": {"incumbent": attrgetter("largest")},
    },
    depends="lemma-9.1",
)
def cor_9_2(
    bandit: Bandit, *, density: bool = True, incumbent: Callable[[State], float] = attrgetter("kept")
) -> Iterator[Case]:
    r"""With $y^{\max}_{t-1}$ over the retained rounds: $\alpha^{EI}_t(x)=\sigma_{t-1}(x)\,\tau(z_{t-1}(x))$, and
    $\alpha^{EI}_t(x)\le\tau(z_{t-1}(x))$ for $\sigma_{t-1}(x)\le1$

    In every round the policy's choice attains the largest improvement, computed by quadrature from a dense solve.
    """
    for number, state in enumerate(states_of(bandit), start=1):
        mean, sd, best, _, choice = state
        exact = improvement_by_quadrature(mean, sd, best)
        value = float(sd[choice] * tau((mean[choice] - incumbent(state)) / sd[choice], density))
        if exact.max() > 1e-12:  # below, a dense solve does not resolve the score
            where = f"{bandit.where}, round {number}"
            yield equal(value, float(exact.max()), where, 1e-6)
            yield at_most(value, float(tau((mean[choice] - best) / sd[choice])), f"{where}, at most tau(z)", 1e-6)


# -- Lemma 9.3, Corollary 9.4 ------------------------------------------------------------------------------------------


@statement(
    "lemma-9.3",
    "inequality",
    lambda: UNLIMITED,
    FINITE_SET,
    OBSERVED,
    teeth={"without the standard deviation": {"factor": 0.0}, "a tenth of beta": {"factor": 0.1}},
    depends="lemma-8.1 lemma-9.1",
)
def lemma_9_3(game: Game, *, factor: float = 1.0) -> Iterator[Case]:
    r"""$I_t(x)-\sqrt{\beta_t}\,\sigma_{t-1}(x)\le\alpha_t^{EI}(x)$, $I_t(x)=\max\{0,f(x)-y^{\max}_{t-1}\}$

    For all x and t on the event of Lemma 8.1, and so with probability at least :math:`1-\delta`.
    """
    runs = played(game)
    width = np.sqrt(factor * runs.beta)
    if game.runs >= 200:
        excess = (runs.shortfall - width).max(axis=1)
        yield frequency(excess > 1e-9, np.zeros(game.runs), game.delta, game.where)
    yield from on_event(runs.shortfall, width, runs.confident(), game.where)


COR_9_4 = replace(
    lemma_9_3,
    id="cor-9.4",
    latex=r"With the compressed posterior and $y^{\max}_{t-1}$ over the retained rounds: "
    r"$I_t(x)-\sqrt{\beta_t}\,\sigma_{t-1}(x)\le\alpha_t^{EI}(x)$",
    instances=lambda: (*IMPROVING, E),
    depends=("lemma-8.1", "cor-9.2", "lemma-9.3"),
)

# -- Lemma 9.6 ---------------------------------------------------------------------------------------------------------

#: The instance of Lemma 9.6 that is not a run: z-scores from -8 to 8.
LINE = "line"


@statement(
    "lemma-9.6",
    "inequality",
    lambda: (LINE, *IMPROVING, *UNLIMITED, E),
    need(
        OBSERVED.text,
        lambda game: game == LINE or (isinstance(game, Game) and OBSERVED.holds(game)),
        OBSERVED.violated_by,
    ),
    teeth={"R alone": {"one": 0.0}, "0.39 in place of 1": {"one": 0.39}},
)
def lemma_9_6(game: Game | str, *, one: float = 1.0) -> Iterator[Case]:
    r"""$\tau(-z_{t-1}(x_t))\le1+R$, $R=\sup_{t\ge0}\sup_x|\mu_{t-1}(x)-y^{\max}|/\sigma_{t-1}(x)$

    On a line of z-scores, with :math:`\tau` by quadrature, and on runs.
    """
    if isinstance(game, str):
        z = np.linspace(-8.0, 8.0, 321)
        yield worst(improvement_by_quadrature(-z, np.ones_like(z), 0.0), one + np.abs(z), "z from -8 to 8")
        return
    runs = played(game)
    yield worst(tau(-runs.z_chosen), one + runs.largest_score[:, None], game.where)
