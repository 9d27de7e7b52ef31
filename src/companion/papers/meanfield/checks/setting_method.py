"""Statements: posterior, acquisition and algorithm (Section 4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from companion.checks.cases import Case, at_most
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats, Integers
from companion.core.randomness import stream
from companion.papers.meanfield.method.acquisition import MeanFieldUCB
from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays
from companion.papers.meanfield.method.model import MeanFieldGP
from companion.papers.meanfield.method.policy import MeanFieldGPUCB, known_model
from companion.papers.meanfield.method.simplex import random_laws
from companion.papers.meanfield.method.widths import PracticeWidth
from companion.papers.meanfield.problems.catalogue import meanfield_problem
from companion.papers.meanfield.theory.runs import lattice

#: Two exact routes to a posterior from up to 30 observations, the worst conditioned with noise .03, in units of the prior.
AGREEMENT = 1e-8


class Record(Instance):
    """Random plays of a representative agent and their values.

    Parameters
    ----------
    actions, contexts : |A| and |C|
    count : observations
    noise_sd : R
    coupling : of the contexts' laws, see :class:`~companion.papers.meanfield.method.kernel.AdditiveKernel`
    """

    actions: int
    contexts: int
    count: int
    noise_sd: float
    coupling: str = "additive"

    words = "{coupling} kernel, |A| = {actions}, |C| = {contexts}, {count} observations, R = {noise_sd:g}"

    @property
    def kernel(self) -> AdditiveKernel:
        """Length-scales and scales that differ between the terms."""
        return AdditiveKernel(0.7, 1.3, 0.4, 0.5, 0.8, 1.2, coupling=self.coupling)

    @property
    def features(self) -> tuple[Floats, Floats]:
        """Two coordinates for each action (A, 2), one for each context (C, 1)."""
        generator = stream(0, "features", self.actions, self.contexts)
        return generator.standard_normal((self.actions, 2)), generator.standard_normal((self.contexts, 1))

    @property
    def weights(self) -> Floats:
        """p(c), not uniform."""
        share = np.arange(1.0, self.contexts + 1.0)
        return np.asarray(share / share.sum())

    def plays(self) -> tuple[Integers, Integers, Floats, Floats]:
        """Actions and contexts (t,) as indices, laws (t, C, A), values (t,)."""
        generator = stream(0, "plays", self.where)
        laws = random_laws(self.count, (self.contexts, self.actions), generator)
        action = generator.integers(self.actions, size=self.count)
        context = generator.integers(self.contexts, size=self.count)
        return action, context, laws, generator.standard_normal(self.count)

    def model(self) -> MeanFieldGP:
        """The package's model of the record."""
        found = MeanFieldGP(*self.features, self.kernel, self.noise_sd**2, standardise=False)
        for action, context, law, value in zip(*self.plays(), strict=True):
            found.add(int(action), int(context), law, float(value))
        return found

    def everywhere(self, laws: Floats) -> Plays:
        """The plays of every (c, x) under each of ``laws`` (S, C, A), S n of them."""
        n = self.actions * self.contexts
        context, action = np.divmod(np.tile(np.arange(n), len(laws)), self.actions)
        own = self.features
        return Plays(own[0][action], own[1][context], np.repeat(laws, n, axis=0))

    def dense(self, laws: Floats, power: float = 2.0) -> tuple[Floats, Floats]:
        """Mean and variance (S, n) by the formula with R to the ``power`` added to the diagonal, without the package's model."""
        action, context, played, values = self.plays()
        seen = Plays(self.features[0][action], self.features[1][context], played)
        asked = self.everywhere(laws)
        cross = self.kernel(asked, seen)
        gram = self.kernel(seen) + self.noise_sd**power * np.eye(self.count)
        mean = cross @ np.linalg.solve(gram, values)
        variance = self.kernel.variance(self.contexts) - np.sum(cross * np.linalg.solve(gram, cross.T).T, axis=1)
        shape = (len(laws), self.actions * self.contexts)
        return mean.reshape(shape), variance.reshape(shape)


def records() -> Iterator[Record]:
    """One to three contexts, two to six actions, noise from .03 to 1, both couplings."""
    yield Record(2, 1, 20, 0.1)
    yield Record(6, 1, 20, 0.03)
    yield Record(3, 2, 30, 0.3)
    yield Record(3, 2, 30, 0.3, "joint")
    yield Record(4, 3, 12, 1.0)
    yield Record(2, 3, 5, 2.0)


POSITIVE_NOISE = need("$R>0$", lambda record: record.noise_sd > 0, Record(2, 1, 5, 0.0))


@statement(
    "eq-posterior",
    "identity",
    records,
    POSITIVE_NOISE,
    teeth={
        "R in place of its square": {"power": 1.0},
        "nearly the square": {"power": 1.98},
        "no noise at all": {"power": 60.0},
    },
    depends="def-payoff",
    corrected=fix(r"with $R^2I$ in place of $R^{-1}I$", power=2.0),
)
def eq_posterior(record: Record, *, power: float = -1.0) -> Iterator[Case]:
    r"""$\mu_{t-1}(z)=\mathbf k^\top(\mathbf K+R^{-1}I)^{-1}\mathbf y$ and $\sigma^2_{t-1}(z)=k(z,z)-\mathbf
    k^\top(\mathbf K+R^{-1}I)^{-1}\mathbf k$ for noise of variance $R^2$

    The other side inverts the joint covariance: with precision :math:`\Lambda`, :math:`f|y` has variance
    :math:`\Lambda_{ff}^{-1}` and mean :math:`-\Lambda_{ff}^{-1}\Lambda_{fy}y`. Left is the largest difference.
    """
    laws = random_laws(4, (record.contexts, record.actions), stream(1, "asked", record.where))
    mean, variance = record.dense(laws, power)
    action, context, played, values = record.plays()
    seen = Plays(record.features[0][action], record.features[1][context], played)
    asked, t = record.everywhere(laws), record.count
    worst_mean = worst_variance = 0.0
    for j in range(len(asked.actions)):
        one = Plays(asked.actions[j : j + 1], asked.contexts[j : j + 1], asked.laws[j : j + 1])
        both = Plays(*(np.concatenate(pair) for pair in zip(seen, one, strict=True)))
        joint = record.kernel(both)
        joint[np.arange(t), np.arange(t)] += record.noise_sd**2
        precision = np.linalg.inv(joint)
        exact = 1.0 / precision[t, t]
        worst_variance = max(worst_variance, abs(variance.ravel()[j] - exact))
        worst_mean = max(worst_mean, abs(mean.ravel()[j] + exact * precision[t, :t] @ values))
    yield at_most(worst_variance, AGREEMENT, f"{record.where}: variance")
    yield at_most(worst_mean, AGREEMENT, f"{record.where}: mean")
    package = MeanFieldUCB(record.model(), record.weights, 0.0).posterior(laws)
    apart = max(float(np.abs(a.reshape(b.shape) - b).max()) for a, b in zip(package, (mean, variance), strict=True))
    yield at_most(apart, AGREEMENT, f"{record.where}: the package's posterior")


WIDTH = 1.7


def brute_acquisition(record: Record, law: Floats, width: float = WIDTH) -> tuple[float, Floats]:
    """MF-UCB at one law (C, A) from the dense formula, and mu + width sigma at every (c, x)."""
    mean, variance = record.dense(law[None])
    optimism = mean[0] + width * np.sqrt(variance[0])
    chance = (law * record.weights[:, None]).ravel()
    return float(chance @ optimism), optimism


@statement(
    "def-mf-ucb",
    "identity",
    records,
    POSITIVE_NOISE,
    teeth={
        "averaged under the uniform law": {"average": lambda law: np.full_like(law, 1.0 / law.shape[1])},
        "a gradient that stops at the average": {"through": False},
    },
    depends="eq-posterior",
)
def def_mf_ucb(
    record: Record, *, average: Callable[[Floats], Floats] = np.asarray, through: bool = True
) -> Iterator[Case]:
    r"""$\alpha_t(\xi)=\sum_cp(c)\sum_x\xi(x|c)\{\mu_{t-1}(x,c,\xi)+\beta_t\sigma_{t-1}(x,c,\xi)\}$

    The first right side is four standard errors. Left of the second is the largest error of the gradient, right 1e-5 of its
    largest entry; differences have step 1e-5. (x, c) are drawn from the ``average`` of the law that is chosen, itself.
    """
    generator = stream(2, "ucb", record.where)
    law = random_laws(12, (record.contexts, record.actions), generator)[-1]
    model = MeanFieldUCB(record.model(), record.weights, WIDTH)
    value, gradient = (part[0] for part in model(law[None]))
    _, optimism = brute_acquisition(record, law)
    context = generator.choice(record.contexts, size=200_000, p=record.weights)
    ends = np.cumsum(average(law), axis=1)[context]
    action = np.minimum((generator.random(200_000)[:, None] * ends[:, -1:] >= ends).sum(axis=1), record.actions - 1)
    draws = optimism[context * record.actions + action]
    error = 4.0 * draws.std() / math.sqrt(len(draws)) + 1e-12
    yield at_most(abs(float(draws.mean()) - float(value)), error, f"{record.where}: sampled average")
    if not through:
        gradient = record.weights[:, None] * optimism.reshape(law.shape)
    slopes = np.zeros_like(law)
    for c, x in np.ndindex(law.shape):
        ends_of = []
        for sign in (1.0, -1.0):
            moved = law.copy()
            moved[c, x] += sign * 1e-5
            ends_of.append(brute_acquisition(record, moved)[0])
        slopes[c, x] = (ends_of[0] - ends_of[1]) / 2e-5
    off = float(np.abs(slopes - gradient).max())
    yield at_most(off, 1e-5 * float(np.abs(slopes).max()), f"{record.where}: gradient")


@dataclass(frozen=True)
class Choices:
    """MF-GP-UCB on a small problem: in every round its law against the best of many others.

    Parameters
    ----------
    name : of the problem
    actions : |A|
    rounds : T
    parts : compare with the lattice of all laws with so many parts; 0 for 5,000 random laws
    """

    name: str
    actions: int
    rounds: int
    parts: int = 0

    @property
    def where(self) -> str:
        """The run in words."""
        against = f"lattice with {self.parts} parts" if self.parts else "5000 random laws"
        return f"{self.name}, |A| = {self.actions}, T = {self.rounds}, against {against}"


def choices() -> Iterator[Choices]:
    """Two, three and four actions against fine lattices, and the paper's sizes against random laws."""
    yield Choices("swarm", 2, 25, 1000)
    yield Choices("swarm", 3, 25, 80)
    yield Choices("arena", 4, 15, 8)
    yield Choices("bikes", 41, 20)


@lru_cache(maxsize=16)
def worst_margin(run: Choices, maximiser: str) -> tuple[float, float]:
    r"""Largest shortfall of :math:`\alpha_t(\xi_t)` behind the comparison, and the largest error of the laws on record.

    The shortfall is in units of the range of the acquisition over the laws compared, the worst over the rounds.
    """
    problem = meanfield_problem(run.name, agents=60, actions=run.actions, data="synthetic")
    generator, others = stream(0, "policy", run.where), stream(0, "others", run.where)
    kernel = AdditiveKernel(0.5, 0.5, 0.3)
    policy = MeanFieldGPUCB(
        problem.action_features,
        problem.context_features,
        problem.context_weights,
        generator,
        PracticeWidth(2.0),
        known_model(kernel, 0.01),
        initial=3,
    )
    shape = (problem.contexts, problem.actions)
    # Payoffs in units of the prior: with others the data outweigh it, and all maxima are at vertices.
    usual = problem.payoff(random_laws(200, shape, others))
    middle, scale = float(usual.mean()), float(usual.std())
    worst, kept = -math.inf, 0.0
    for t in range(run.rounds):
        acquisition = policy.acquisition(2.0) if t >= 3 else None
        law = policy.ask()
        if acquisition is not None:
            pool = lattice(run.actions, problem.contexts, run.parts) if run.parts else random_laws(5000, shape, others)
            scores = acquisition.value(pool)
            greedy = pool[int(policy.acquisition(0.0).value(pool).argmax())]
            played = {"exact": law, "mean": greedy, "random": random_laws(8, shape, others)[-1]}[maximiser]
            reached = float(acquisition.value(played[None])[0])
            worst = max(worst, (float(scores.max()) - reached) / float(np.ptp(scores)))
        chance = law * problem.context_weights[:, None]
        point = int(others.choice(chance.size, p=chance.ravel() / chance.sum()))
        context, action = divmod(point, run.actions)
        policy.tell(action, context, (float(problem.payoff(law[None])[0, context, action]) - middle) / scale)
        kept = max(kept, float(np.abs(policy.model.laws[t] - law).max()), float(policy.model.count != t + 1))
    return worst, kept


@statement(
    "alg-1",
    "construction",
    choices,
    need("rounds after the initial design", lambda run: run.rounds > 3, Choices("swarm", 2, 3, 1000)),
    teeth={
        "a random law in place of the maximiser": {"maximiser": "random"},
        "the maximiser of the posterior mean": {"maximiser": "mean"},
    },
    depends="def-mf-ucb",
)
def alg_1(run: Choices, *, maximiser: str = "exact", allowance: float = 1e-3) -> Iterator[Case]:
    r"""$\xi_t\in\argmax_{\xi\in\Delta_A^C}\alpha_t(\xi|\mathcal D_{t-1})$; the population plays $\xi_t$, the
    representative agent observes $y_t$, and $\mathcal D_t=\mathcal D_{t-1}\cup\{(x_t,\xi_t,c_t,y_t)\}$

    And line 8: after t rounds the data have t plays, with the law that was asked.
    """
    worst, kept = worst_margin(run, maximiser)
    yield at_most(worst, allowance, f"{run.where}: shortfall")
    yield at_most(kept, 0.0, f"{run.where}: data")
