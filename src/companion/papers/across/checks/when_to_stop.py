"""Statements of chapter 6 on stopping: posterior probability and a band that holds throughout keep delta at any stopping time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.checks.cases import Case, at_most, probability
from companion.checks.instance import Instance
from companion.checks.statement import statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.policies import stopping

#: Five functions on three candidates: an evaluation is a success with this probability.
FUNCTIONS = np.array([[0.9, 0.5, 0.2], [0.3, 0.8, 0.2], [0.4, 0.5, 0.9], [0.5, 0.5, 0.45], [0.2, 0.6, 0.5]])
PRIOR = np.array([0.3, 0.3, 0.1, 0.1, 0.2])


class Tree(
    Instance, words="five functions on three candidates, epsilon {epsilon:g}, delta {delta:g}, {rounds} evaluations"
):
    """A finite prior, every sequence of outcomes of which is gone through."""

    epsilon: float
    delta: float
    rounds: int


class Three(Instance, words="three values, correlation {correlation:g}, the lead {lead:g}"):
    """A Gaussian posterior of three candidates; the first leads."""

    correlation: float
    lead: float


def by_hand() -> Iterator[Tree | Three]:
    """Small enough for exact probabilities."""
    for epsilon, delta in ((0.1, 0.1), (0.1, 0.3), (0.25, 0.2)):
        yield Tree(epsilon, delta, 8)
    for correlation, lead in product((-0.45, 0.0, 0.6), (0.0, 0.5, 2.0)):
        yield Three(correlation, lead)


#: Probability of stopping at a look, of the posterior probability q that the point is bad, delta, and the number of the look.
Stops = Callable[[float, float, int], float]


def exactly(q: float, delta: float, look: int) -> float:
    """Stopping decision where the probability itself is known."""
    return float(q <= delta)


def by_draws(q: float, delta: float, look: int, draws: int = 400) -> float:
    """By the exact limit of a share of so many draws."""
    limit = delta * (1.0 - stopping.ERROR_SHARE)
    allowed = stopping.most_allowed(draws, limit, stopping.level_of_look(delta, look))
    return float(stats.binom.cdf(allowed, draws, q))


def by_estimate(q: float, delta: float, look: int) -> float:
    """By the share itself, of three draws: at most delta where none of them is bad."""
    return (1.0 - q) ** 3


def broken(tree: Tree, stops: Stops, believed: Floats) -> float:
    """Probability that the rule stops with a point that loses more than epsilon."""
    worse = FUNCTIONS.max(axis=1, keepdims=True) - FUNCTIONS > tree.epsilon

    def onwards(weights: Floats, beliefs: Floats, look: int) -> float:
        # weights: joint probability of each function and of this history, without having stopped.
        share = beliefs / beliefs.sum()
        best = int(np.argmin(share @ worse))
        now = stops(float(share @ worse[:, best]), tree.delta, look)
        lost = now * float(weights @ worse[:, best])
        if now == 1.0 or look > tree.rounds:
            return lost
        # The choice of the candidate depends on all outcomes so far: the one whose value is known least.
        mean = share @ FUNCTIONS
        asked = int(np.argmax(share @ FUNCTIONS**2 - mean**2))
        chance = FUNCTIONS[:, asked]
        for each in (chance, 1.0 - chance):
            lost += onwards((1.0 - now) * weights * each, beliefs * each, look + 1)
        return lost

    return onwards(PRIOR, believed, 1)


@statement(
    "stop-by-probability",
    "inequality",
    by_hand,
    teeth={
        "the share of three draws in place of its limit": {"ways": (by_estimate,)},
        "another prior than the one that f is drawn from": {"believed": PRIOR[[2, 3, 0, 1, 4]]},
        "the variance of differences without the covariance": {"covaries": 0.0},
    },
)
def keeps_delta(
    tree: Tree, *, ways: tuple[Stops, ...] = (exactly, by_draws), believed: Floats = PRIOR
) -> Iterator[Case]:
    r"""Let f be drawn from the prior, and at each look t let $r_t$ be a point that the data $F_t$ determine and
    $q_t=\Pr(\max_xf(x)-f(r_t)>\varepsilon\mid F_t)$. Whatever chooses the evaluations, who stops at a stopping time $\tau$ with
    $q_\tau\le\delta$ has $\Pr(\tau<\infty,\ f(r_\tau)<\max f-\varepsilon)=\mathbb{E}\,q_\tau1_{\tau<\infty}\le\delta$: sum
    $\Pr(\tau=t,\text{bad})=\mathbb{E}\,1_{\tau=t}q_t$ over t. With exact limits of levels $\alpha_j$ from draws in place
    of $q_t$, and $\delta-\sum_j\alpha_j$ in place of $\delta$, it is at most $\delta$ as well. For a Gaussian process $q_t$ is at
    most the sum over x of $\Phi(-(\mu(r)+\varepsilon-\mu(x))/\mathrm{sd}(f(x)-f(r)))$. (Stopping by $q_t$: Wilson, 2024.)"""
    for way in ways:
        yield at_most(broken(tree, way, believed), tree.delta, f"{tree.where}, {way.__name__.replace('_', ' ')}")


@keeps_delta.on(Three)
def union_bound(three: Three, *, covaries: float = 1.0) -> Case:
    """The sum against the integral over the orthant."""
    variances = np.array([0.5, 1.0, 2.0])
    root = np.sqrt(variances)
    covariance = np.outer(root, root) * (three.correlation + (1.0 - three.correlation) * np.eye(3))
    gap, turn = np.array([0.0, three.lead, three.lead + 0.1]), np.array([[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    epsilon = 0.4
    inside = stats.multivariate_normal(np.zeros(2), turn @ covariance @ turn.T).cdf(gap[1:] + epsilon)
    sd = stopping.difference_sd(variances, covaries * covariance[0] + (1.0 - covaries) * np.array([0.5, 0.25, 0.25]), 0)
    return at_most(1.0 - float(inside), stopping.Contest(0, gap, sd).union(epsilon), three.where)


class Pulled(Instance, words="{arms} arms drawn, noise {noise:g}, {runs} runs"):
    """Independent arms under GP-UCB, which stops by its own width."""

    arms: int
    noise: float
    runs: int = 400
    epsilon: float = 0.3
    delta: float = 0.1


class Ends(Instance, words="{seed}: random band"):
    """A band of a hundred candidates, and the worst function within it."""

    seed: int


def played() -> Iterator[Pulled | Ends]:
    """Arms, on which errors are independent, and bands by themselves."""
    yield Pulled(50, 0.3)
    yield Pulled(20, 0.5)
    yield from (Ends(seed) for seed in range(20))


def throughout(t: int, arms: int, delta: float) -> float:
    """Width for all candidates and rounds."""
    return SrinivasDrawsWidth(arms, delta).width(t)


def pointwise(t: int, arms: int, delta: float) -> float:
    """Width for one candidate in one round."""
    return float(stats.norm.isf(delta / 2.0))


@statement(
    "stop-by-width",
    "probability",
    played,
    teeth={
        "a width for one candidate in one round": {"width": pointwise},
        "the point of largest mean": {"at_mean": True},
    },
)
def safe(pulled: Pulled, *, width: Callable[[int, int, float], float] = throughout) -> Case:
    r"""Let $|f-\mu_t|\le w_t\sigma_t$ on all candidates in all rounds with probability $1-\delta$, and let $r_t$ have the
    largest $\mu_t-w_t\sigma_t$. Where that holds, $f(x)-f(r_t)\le(\mu_t+w_t\sigma_t)(x)-(\mu_t-w_t\sigma_t)(r_t)$ for every
    $x\ne r_t$ and every t, so also at a stopping time: who stops where the right side is at most $\varepsilon$ for all
    $x\ne r_t$ names a point that loses more than $\varepsilon$ with probability at most $\delta$."""
    generator, lam = stream(7, "stop", str(pulled.arms)), pulled.noise**2
    f = generator.standard_normal((pulled.runs, pulled.arms))
    sums, pulls, lanes = np.zeros_like(f), np.zeros_like(f), np.arange(pulled.runs)
    going, lost = np.ones(pulled.runs, dtype=bool), np.zeros(pulled.runs)
    for t in range(1, 401):
        mean, margin = sums / (pulls + lam), width(t, pulled.arms, pulled.delta) * np.sqrt(lam / (pulls + lam))
        lower, upper = mean - margin, mean + margin
        best = lower.argmax(axis=1)
        rival = np.where(np.arange(pulled.arms) == best[:, None], -np.inf, upper).max(axis=1)
        now = going & (rival - lower[lanes, best] <= pulled.epsilon)
        lost[now], going = (f.max(axis=1) - f[lanes, best])[now], going & ~now
        arm = upper.argmax(axis=1)
        sums[lanes, arm] += f[lanes, arm] + pulled.noise * generator.standard_normal(pulled.runs)
        pulls[lanes, arm] += 1.0
    return probability(int((lost > pulled.epsilon).sum()), pulled.runs, pulled.delta, pulled.where)


@safe.on(Ends)
def ends(band: Ends, *, at_mean: bool = False) -> Case:
    """The package's bound against the worst function: the recommended point at its lower end, every other at its upper end."""
    generator: Any = stream(band.seed, "stop", "band")
    mean, sd = generator.standard_normal(100), generator.uniform(0.1, 1.0, 100)
    best, excess = stopping.band(mean, sd, 2.0)
    named = int(mean.argmax()) if at_mean else int(best)
    worst = mean + 2.0 * sd
    worst[named] = mean[named] - 2.0 * sd[named]
    return at_most(float(worst.max() - worst[named]), float(stopping.regret_of(excess)), band.where)
