"""Statements: payoffs, regret, and what is assumed of the kernel, in the text and silently (Section 3, Assumption 3.1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import methodcaller

import numpy as np

from companion.checks.cases import Case, at_most, none_of
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp.data import cholesky
from companion.papers.meanfield.checks.agent_rewards import reward_by_agents
from companion.papers.meanfield.method.agents import largest_remainder
from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays
from companion.papers.meanfield.method.simplex import random_laws
from companion.papers.meanfield.problems.catalogue import SETTINGS, meanfield_problem
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.theory.bounds import Pieces
from companion.papers.meanfield.theory.runs import STANDARD, Game
from companion.papers.meanfield.theory.smoothness import TailConstants, check_tail, derivative_suprema, tail_constants

#: Difference of two sums of a few hundred terms of size up to 20 in another order.
ROUNDED = 1e-10


@dataclass(frozen=True)
class Played:
    """A problem of Section 5 on synthetic data, with its number of agents or another one."""

    name: str
    agents: int | None = None

    @property
    def where(self) -> str:
        """The problem in words."""
        return f"{self.name}, M = {self.problem().agents}"

    def problem(self) -> MeanFieldProblem:
        """The problem; made-up places where the real data would be used."""
        return _problem(self.name, self.agents)


@lru_cache(maxsize=32)
def _problem(name: str, agents: int | None) -> MeanFieldProblem:
    return meanfield_problem(name, agents=agents, data="synthetic")


def populations() -> Iterator[Played]:
    """All problems with 60 agents, two of them with 300: every share of contexts is then a whole number."""
    for name in SETTINGS:
        yield Played(name, 60)
    yield Played("arena", 300)
    yield Played("ports", 300)


def empirical_law(problem: MeanFieldProblem, counts: Floats) -> Floats:
    """The agents' own law (C, A), from how many there are of each pair of context and action."""
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


@statement(
    "def-payoff",
    "identity",
    populations,
    need(
        "as many agents of each context as $p(c)$ says",
        lambda played: bool(np.allclose((played.agents or 1) * played.problem().context_weights % 1.0, 0.0, atol=1e-9)),
        Played("arena", 61),
    ),
    teeth={
        "actions change hands, contexts stay": {"together": False},
        "the uniform law in place of the agents'": {"law": lambda problem, counts: problem.uniform()},
    },
)
def def_payoff(
    played: Played, *, together: bool = True, law: Callable[[MeanFieldProblem, Floats], Floats] = empirical_law
) -> Iterator[Case]:
    r"""$f^i(x^i,x^{-i})\approx f(x^i,c^i,\xi)$ for all agents, whose payoffs average to the reward

    Left of the first case is the largest change of the reward over 100 permutations of the agents, one side being summed
    agent by agent (pair by pair in the arena) from the printed formulas with the corrected penalty. Left of the second is
    :math:`|\frac1M\sum_if(x^i,c^i,\hat\xi)-r|`, right :math:`2/(M-1)`, which the arena's missing self-pairs can amount to
    and the others do not need.
    """
    problem, generator = played.problem(), stream(0, "payoff", played.where)
    agents = problem.agents
    contexts = np.repeat(np.arange(problem.contexts), largest_remainder(problem.context_weights, agents))
    chances = random_laws(4, (problem.contexts, problem.actions), generator)[-1]
    actions = np.array([generator.choice(problem.actions, p=chances[c]) for c in contexts])
    reward = reward_by_agents(problem, actions, contexts)
    changes = []
    for _ in range(100):
        order = generator.permutation(agents)
        shuffled = contexts[order] if together else contexts
        changes.append(abs(problem.agent_reward(actions[order], shuffled) - reward))
    yield at_most(max(changes), ROUNDED, f"{played.where}: largest change under permutations")
    counts = np.zeros((problem.contexts, problem.actions))
    np.add.at(counts, (contexts, actions), 1.0)
    average = float(problem.payoff(law(problem, counts)[None])[0][contexts, actions].mean())
    exact = 2.0 / (agents - 1) if played.name == "arena" else ROUNDED
    yield at_most(abs(average - reward), exact, f"{played.where}: payoff of the agents against the reward")


def best_value(problem: MeanFieldProblem, spread: Floats) -> float:
    """Certified; from it regret is counted."""
    return problem.upper_bound


def uniform_value(problem: MeanFieldProblem, spread: Floats) -> float:
    """Of the uniform law."""
    return float(problem.reward(problem.uniform()[None])[0])


def vertex_value(problem: MeanFieldProblem, spread: Floats) -> float:
    """Of the best among the vertices that are the same in every context and 500 of the random laws."""
    vertices = np.repeat(np.eye(problem.actions)[:, None], problem.contexts, axis=1)
    return float(problem.reward(np.concatenate([vertices, spread[:500]])).max())


@statement(
    "def-regret",
    "inequality",
    lambda: (Played(name) for name in SETTINGS),
    need(
        "an optimum that is known",
        lambda played: math.isfinite(played.problem().upper_bound) if played.name in SETTINGS else False,
        Played("unknown"),
    ),
    teeth={
        "counted from the uniform law": {"reference": uniform_value},
        "counted from the best vertex": {"reference": vertex_value},
    },
    depends="def-payoff",
)
def def_regret(
    played: Played, *, reference: Callable[[MeanFieldProblem, Floats], float] = best_value
) -> Iterator[Case]:
    r"""$R_T=\sum_{t\le T}\{g(\xi^\star)-g(\xi_t)\}$ with $g(\xi)=\E_{c\sim p,\,x\sim\xi(\cdot|c)}f(x,c,\xi)$ and
    $\xi^\star\in\argmax g$ over the product of simplices

    Laws are 2000 random ones, and mixtures of :math:`\xi^\star` with vertices and with one another's weights of 1e-4 to 0.3,
    where a wrong optimum would show first.
    """
    problem, generator = played.problem(), stream(0, "regret", played.name)
    shape = (problem.contexts, problem.actions)
    spread = random_laws(2000, shape, generator)
    share = 10.0 ** generator.uniform(-4.0, -0.5, (len(spread), 1, 1))
    near = (1.0 - share) * problem.optimal[None] + share * spread
    laws = np.concatenate([spread, near / near.sum(axis=2, keepdims=True)])
    values = problem.reward(laws)
    increments = reference(problem, spread) - values
    yield none_of(int((increments < -1e-9).sum()), len(laws), f"{played.where}: increments below zero")
    gap = problem.upper_bound - problem.optimum
    yield at_most(gap, 1e-6, f"{played.where}: certified bound over the best law's value")


@dataclass(frozen=True)
class Tail:
    """Derivatives of ``paths`` draws of a game's prior along one coordinate of the law."""

    game: Game
    paths: int = 4000

    @property
    def where(self) -> str:
        """The game in words."""
        return self.game.where

    @property
    def lengthscale(self) -> float:
        """Of the laws."""
        return self.game.law_lengthscale

    def prefactor(self) -> float:
        """a from the Borell-TIS inequality, with the mean of other paths' suprema."""
        return self.game.pieces().a

    def suprema(self, generator: np.random.Generator) -> Floats:
        """Largest absolute derivative of each path."""
        return self.game.derivative_suprema(generator, self.paths)


class Wide(Instance, words="Eq. (1), |A| = {actions}, length-scale {lengthscale:g}"):
    """Eq. (1) with as many actions as the paper's problems: suprema over some 400 random laws and the vertices."""

    actions: int
    lengthscale: float
    paths: int = 2000

    def prefactor(self) -> float:
        """a from the Borell-TIS inequality, with the mean of other paths' suprema."""
        found = self.suprema(stream(0, "derivatives", self.where))
        mean = float(found.mean() + 3.0 * found.std(ddof=1) / math.sqrt(self.paths))
        return tail_constants(mean, self.lengthscale**-2).a

    def suprema(self, generator: np.random.Generator) -> Floats:
        """Largest absolute derivative of each path."""
        laws = random_laws(500, (1, self.actions), stream(0, "laws", self.where))[:, 0]
        laws = np.concatenate([np.eye(self.actions), np.unique(laws[125:], axis=0)])
        return derivative_suprema(AdditiveKernel(law_lengthscale=self.lengthscale), laws, 0, generator, self.paths)


def tails() -> Iterator[Tail | Wide]:
    """Two and three actions, one and two contexts, both kernels, three length-scales of the laws; and the paper's sizes."""
    yield Tail(STANDARD)
    yield Tail(Game(law_lengthscale=0.15))
    yield Tail(Game(law_lengthscale=1.0))
    yield Tail(Game(actions=3, parts=20))
    yield Tail(Game(contexts=2, parts=12))
    yield Tail(Game(coupling="additive"))
    yield Tail(Game(actions=3, contexts=2, parts=20, coupling="additive"), 2000)
    yield Wide(30, 0.3)
    yield Wide(160, 0.1)


def steepest_quotients(
    form: str, lengthscale: float, generator: np.random.Generator, paths: int, step: int = 1
) -> Floats:
    """sup |f(u + h) - f(u)| / h over a grid of 600 points in [0, 1], h of ``step`` grid steps, shape (paths,)."""
    places = np.linspace(0.0, 1.0, 600)
    kernel = AdditiveKernel(law_lengthscale=lengthscale, form=form)
    covariance = kernel.law_terms_at(np.subtract.outer(places, places)[None] ** 2)[0]
    draws = cholesky(covariance) @ generator.standard_normal((len(places), paths))
    width = step * (places[1] - places[0])
    return np.asarray(np.abs(draws[step:] - draws[:-step]).max(axis=0) / width)


def smooth_suprema(tail: Tail | Wide, generator: np.random.Generator) -> Floats:
    """Largest derivatives of paths of the squared exponential."""
    return tail.suprema(generator)


def printed_suprema(tail: Tail | Wide, generator: np.random.Generator) -> Floats:
    """Largest difference quotients of paths of the kernel as printed, which have no derivatives."""
    return steepest_quotients("printed", tail.lengthscale, generator, 400)


@statement(
    "assumption-3.1",
    "probability",
    tails,
    need("enough paths to see the tail", lambda tail: tail.paths >= 1000, Tail(STANDARD, 10)),
    teeth={
        "a sixteenth of b": {"spread": 0.25},
        "a quarter of b": {"spread": 1.0},
        "a = 1": {"prefactor": lambda tail: 1.0},
        "the kernel as printed, without squares": {"suprema": printed_suprema},
    },
)
def assumption_3_1(
    tail: Tail | Wide,
    *,
    spread: float = 4.0,
    prefactor: Callable[[Tail | Wide], float] = methodcaller("prefactor"),
    suprema: Callable[[Tail | Wide, np.random.Generator], Floats] = smooth_suprema,
) -> Iterator[Case]:
    r"""There are $a,b>0$ with $P\big(\max_{x,c}\sup_\xi|\partial f/\partial\xi(x'|c')|>L\big)\le a\,e^{-L^2/b}$ for all
    $L>0$, $x'$, $c'$

    m is the mean of the largest derivative, :math:`s=1/\ell` its standard deviation at one point (Borell-TIS inequality). Left
    is the frequency at the level where it is largest against the bound, right the bound; the case fails if the paths
    refute the bound at that level, by an exact binomial test at one in a hundred over all 50 levels. b is s^2 times ``spread``.
    """
    constants = TailConstants(prefactor(tail), spread * tail.lengthscale**-2)
    generator = stream(1, "tail", tail.where)
    with np.errstate(divide="ignore", over="ignore"):  # a bound may underflow far out in a tail that refutes it
        found = check_tail(suprema(tail, generator), constants)
    bound = min(1.0, float(constants.bound(found.level)))
    frequency = found.exceedances / found.trials
    holds = found.p_value * 50 >= 0.01
    yield Case(f"{tail.where}: level {found.level:.3g}", frequency, bound, holds, found.trials, int(not holds))


@dataclass(frozen=True)
class Conditions:
    """Eq. (1) with unit scales on the sizes of one of the paper's problems, and constants of Assumption 3.1."""

    name: str
    a: float = 2.0
    b: float = 2.0

    @property
    def where(self) -> str:
        """The problem's name and sizes."""
        found = SETTINGS[self.name]
        return f"{self.name}, |A| = {found.actions}, |C| = {found.contexts}"


@statement(
    "assumption-hidden",
    "construction",
    lambda: (Conditions(name) for name in SETTINGS),
    need(
        "$an\\ge1$, or $\\mathcal G$ has no meaning",
        lambda conditions: conditions.a * SETTINGS[conditions.name].actions * SETTINGS[conditions.name].contexts >= 1,
        Conditions("swarm", a=0.01),
    ),
    teeth={"one less in the prior variance": {"own": 1.0}, "a million cuts asked for": {"least_cuts": 1e6}},
    depends="assumption-3.1",
    corrected=fix(
        r"with $\kappa^2=2+|C|$ in place of 1, which multiplies $R^A$ and $R^C$ by $\kappa$ and changes $D$",
        own=2.0,
        share=1.0,
    ),
)
def assumption_hidden(
    conditions: Conditions, *, own: float = 1.0, share: float = 0.0, least_cuts: float = 1.0
) -> Iterator[Case]:
    r"""$k(z,z)\le1$, $\tau_t\ge1$, $\beta_t\ge0$; the argmax is exact and a function of the data; the representative
    agent's action and context depend on $f$ through the data only; $k,R,p,a,b$ are known. The list is ours: the proof uses
    these, and the paper does not state them

    :math:`k(z,z)\le1` (A.1 and A.2), where the left side is the largest entry on the diagonal of Eq. (1) at random plays;
    :math:`\tau_t\ge1` and :math:`\beta_t\ge0` in every round up to 250, as many rounds fail as the left side says.
    The printed limit 1 is ``own``, the other one :math:`\kappa^2=2+|C|`.
    """
    found, generator = SETTINGS[conditions.name], stream(0, "hidden", conditions.name)
    laws = random_laws(20, (found.contexts, found.actions), generator)
    features = generator.standard_normal((2, 20, 3))
    diagonal = np.diagonal(AdditiveKernel()(Plays(features[0], features[1], laws)))
    yield at_most(float(diagonal.max()), own + share * found.contexts, f"{conditions.where}: prior variance")
    pieces = Pieces(found.actions, found.contexts, conditions.a, conditions.b)
    rounds = range(1, found.horizon + 1)
    short = sum(pieces.cuts(t) < least_cuts for t in rounds)
    negative = sum(plain_beta(pieces, t) < 0 for t in rounds)
    yield none_of(short + negative, 2 * len(rounds), f"{conditions.where}: rounds with cuts or width too small")


def plain_beta(pieces: Pieces, number: int, cuts: float | None = None) -> float:
    r""":math:`\beta_t=2\log(n\tau_t^nt^2/\sqrt{2\pi})` as printed, also where it is negative."""
    parts = pieces.cuts(number) if cuts is None else cuts
    logarithm = math.log(pieces.size) + pieces.size * math.log(parts) + 2.0 * math.log(number)
    return 2.0 * (logarithm - 0.5 * math.log(2.0 * math.pi))
