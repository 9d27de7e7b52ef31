"""Mean-field optimisation with a population of your own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats, Indices
from companion.core.calls import one_line
from companion.core.errors import ParameterError, whole_number
from companion.core.randomness import stream
from companion.papers.meanfield.method.agents import draw_contexts, empirical_law, play_law, representative
from companion.papers.meanfield.method.policy import MeanFieldGPUCB, ModelSettings, RandomLaws
from companion.papers.meanfield.method.simplex import LOCAL_SEARCH, Search
from companion.papers.meanfield.method.widths import JointActionWidth, PracticeWidth, TheoryWidth
from companion.papers.meanfield.method.widths import Width as LawWidth
from companion.policies import Optimiser
from companion.policies.optimisers import checked_horizon
from companion.policies.widths import without_gain

SEARCHES = ("exact", "local")


@dataclass(frozen=True, eq=False)
class LawPlay:
    """One play of a law; made by :meth:`ManyAgents.play` or :meth:`ManyAgents.played`.

    Parameters
    ----------
    action, context : indices of the representative agent's action and context
    law : (C, A) the population's frequencies
    actions, contexts : (M,) of all agents, for evaluating the play; not kept in files
    """

    action: int
    context: int
    law: Floats
    actions: Indices | None = field(default=None, metadata={"saved": False})
    contexts: Indices | None = field(default=None, metadata={"saved": False})


@dataclass(frozen=True, eq=False)
class ManyAgents:
    """M agents who each choose an action in their context; the value is that of the whole population, larger is better.

    Parameters
    ----------
    agents : M
    action_features : (A, d_A) coordinates of the actions, in which near actions are alike; (A,) for points on a line
    context_features : (C, d_C) the same of the contexts; by default there is a single context
    context_weights : (C,) probabilities of the contexts; by default all alike

    Raises
    ------
    ParameterError
        for arrays that do not fit

    Examples
    --------
    >>> problem = ManyAgents(agents=10, action_features=[0.0, 0.5, 1.0])
    >>> play = problem.play([[1.0, 0.0, 0.0]], np.random.default_rng(0))
    >>> play.actions.sum(), play.law
    (np.int64(0), array([[1., 0., 0.]]))
    """

    agents: int
    action_features: Floats
    context_features: Floats = field(default_factory=lambda: np.zeros((1, 1)))
    context_weights: Floats | None = None

    __repr__ = one_line

    def __post_init__(self) -> None:
        whole_number("agents", self.agents)
        for name in ("action_features", "context_features"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array = array[:, None] if array.ndim == 1 else array
            if array.ndim != 2 or not len(array) or not np.isfinite(array).all():
                raise ParameterError(name, f"have shape {array.shape}", "(n, d) finite numbers, one row each")
            object.__setattr__(self, name, array)
        contexts = len(self.context_features)
        given = np.full(contexts, 1.0 / contexts) if self.context_weights is None else self.context_weights
        weights = np.array(given, dtype=np.float64)
        fits = weights.shape == (contexts,) and (weights >= 0).all() and abs(float(weights.sum()) - 1.0) < 1e-9
        if not fits:
            raise ParameterError("context_weights", f"are {weights}", f"{contexts} probabilities of sum 1")
        object.__setattr__(self, "context_weights", weights)

    @property
    def shape(self) -> tuple[int, int]:
        """(C, A), the shape of a law."""
        return len(self.context_features), len(self.action_features)

    def play(self, law: ArrayLike, generator: np.random.Generator) -> LawPlay:
        """Let every agent draw a context and then an action from the law (C, A), or from an asked one (1, C, A)."""
        asked = np.asarray(law, dtype=np.float64)
        asked = asked[0] if asked.ndim == 3 and len(asked) == 1 else asked
        if asked.shape != self.shape:
            raise ParameterError("law", f"has shape {asked.shape}", f"{self.shape}, contexts and actions")
        assert self.context_weights is not None
        contexts = draw_contexts(self.context_weights, self.agents, generator)
        actions = play_law(asked, contexts, generator)
        action, context = representative(actions, contexts, generator)
        return LawPlay(action, context, empirical_law(actions, contexts, self.shape, asked), actions, contexts)

    def played(self, actions: ArrayLike, contexts: ArrayLike, agent: int = 0) -> LawPlay:
        """Actions (M,) and contexts (M,) of your own agents, and the index of the representative one."""
        did, where = np.asarray(actions), np.asarray(contexts)
        for name, array, count in (("actions", did, self.shape[1]), ("contexts", where, self.shape[0])):
            whole = array.shape == (self.agents,) and array.dtype.kind in "iu"
            if not whole or array.min() < 0 or array.max() >= count:
                got = f"have shape {array.shape} and type {array.dtype}"
                raise ParameterError(name, got, f"({self.agents},) indices from 0 to {count - 1}")
        whole_number("agent", agent, 0, self.agents - 1)
        law = empirical_law(did, where, self.shape)
        return LawPlay(int(did[agent]), int(where[agent]), law, did, where)


class LawPlayer:
    """A policy over laws.

    Parameters
    ----------
    policy : fresh
    empirical : whether the policy is told the population's frequencies in the place of the law it asked for
    """

    play_type: type | None = LawPlay

    def __init__(self, policy: MeanFieldGPUCB | RandomLaws, empirical: bool = False) -> None:
        self.policy, self._empirical = policy, empirical

    def ask(self, remaining: int) -> Floats:
        """The next law, (1, C, A)."""
        return self.policy.ask()[None]

    def tell(self, values: Floats, plays: Sequence[Any]) -> None:
        """The value (1,) and how the law asked last was played."""
        play = plays[0]
        self.policy.tell(play.action, play.context, float(values[0]), play.law if self._empirical else None)

    def add(self, points: Floats, values: Floats, plays: Sequence[Any]) -> None:
        """Condition on laws (n, C, A) that were played before."""
        laws = [play.law for play in plays] if self._empirical else points
        self.policy.add((p.action, p.context, float(v), law) for p, v, law in zip(plays, values, laws, strict=True))

    def recommend(self) -> Floats:
        """A law (C, A)."""
        return self.policy.recommend()

    def diagnostics(self) -> dict[str, Any]:
        """The policy's."""
        return self.policy.diagnostics()


@dataclass(frozen=True)
class MeanFieldOptimiser(Optimiser):
    """MF-GP-UCB, Algorithm 1; :class:`~companion.papers.meanfield.method.policy.MeanFieldGPUCB`.

    A law is asked, the population plays it, and its value is told with the play::

        play = problem.play(session.ask(), generator)
        session.tell(value_of(play.actions, play.contexts), play)

    Parameters
    ----------
    width : multiplier of the posterior standard deviation: a number, a schedule that is the same in every round, or a width of
        :mod:`companion.papers.meanfield.method.widths`
    initial : random laws before the first fit
    model : settings of the Gaussian process; by default its hyperparameters are fitted
    search : ``"exact"``, which looks everywhere, or ``"local"``, from laws already played, which is quicker
    empirical : whether the population's frequencies are modelled in the place of the law that was asked
    horizon : evaluations in all; ``None`` for no end

    Examples
    --------
    >>> problem = ManyAgents(agents=10, action_features=[0.0, 0.5, 1.0])
    >>> session = MeanFieldOptimiser().for_problem(problem, seed=0)
    >>> session.ask().shape
    (1, 1, 3)
    """

    width: Any = 3.0
    initial: int = 10
    model: ModelSettings = field(default_factory=ModelSettings)
    search: str = "exact"
    empirical: bool = False
    horizon: int | None = None
    name: ClassVar[str] = "mf-gp-ucb"
    problem_type: ClassVar[tuple[type, ...]] = (ManyAgents,)

    def __post_init__(self) -> None:
        whole_number("initial", self.initial)
        checked_horizon(self.horizon)
        if self.search not in SEARCHES:
            raise ParameterError("search", f"got {self.search!r}", f"one of {', '.join(SEARCHES)}")
        self.law_width()

    def law_width(self) -> LawWidth:
        """The width as this policy takes it, a function of the round."""
        if isinstance(self.width, PracticeWidth | TheoryWidth | JointActionWidth):
            return self.width
        return PracticeWidth(without_gain(self.width, "MF-GP-UCB"))

    def player(self, problem: Any, seed: int) -> LawPlayer:
        """The policy, with the stream ``policy`` of the seed."""
        search: Search | None = None if self.search == "exact" else LOCAL_SEARCH
        policy = MeanFieldGPUCB(
            problem.action_features,
            problem.context_features,
            problem.context_weights,
            stream(seed, "policy"),
            self.law_width(),
            self.model,
            search,
            self.initial,
            self.horizon or 256,
        )
        return LawPlayer(policy, self.empirical)


@dataclass(frozen=True)
class RandomLawOptimiser(Optimiser):
    """The random baseline over laws; :class:`~companion.papers.meanfield.method.policy.RandomLaws`.

    Parameters
    ----------
    kind : ``"softmax"``, the paper's, or ``"dirichlet"``, which covers the simplex
    horizon : evaluations in all; ``None`` for no end

    Examples
    --------
    >>> problem = ManyAgents(agents=10, action_features=[0.0, 0.5, 1.0])
    >>> RandomLawOptimiser().for_problem(problem, seed=0).ask().shape
    (1, 1, 3)
    """

    kind: str = "softmax"
    horizon: int | None = None
    name: ClassVar[str] = "random-laws"
    problem_type: ClassVar[tuple[type, ...]] = (ManyAgents,)

    def __post_init__(self) -> None:
        checked_horizon(self.horizon)
        RandomLaws((1, 1), np.random.default_rng(0), self.kind)

    def player(self, problem: Any, seed: int) -> LawPlayer:
        """The policy, with the stream ``policy`` of the seed."""
        return LawPlayer(RandomLaws(problem.shape, stream(seed, "policy"), self.kind))


OPTIMISERS: tuple[type[Optimiser], ...] = (MeanFieldOptimiser, RandomLawOptimiser)
