"""Searches over the joint actions of M agents: simulated annealing and a genetic algorithm.

The settings are those of the framework from which the paper took its benchmarks (MCBO); the scaled variants are controls
of the companion, because some of those settings suit rewards of order one only.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number, whole_number

Joint = NDArray[np.integer[Any]]


class ActionSearch:
    """Base of the searches: one joint action per round, and the best one observed so far.

    Parameters
    ----------
    agents, actions : M and |A|, the latter at least 2
    generator : of all draws
    """

    def __init__(self, agents: int, actions: int, generator: np.random.Generator) -> None:
        self.agents, self.actions = whole_number("agents", agents), whole_number("actions", actions, 2)
        self.generator = generator
        self.evaluations = 0
        self.best_value = -math.inf
        self._best: Joint | None = None
        self._asked: Joint | None = None

    def ask(self) -> NDArray[np.intp]:
        """Joint action (M,) of the next round."""
        if self._asked is not None:
            raise ParameterError("ask", "the joint action asked last has not been told", "a call of tell() first")
        self._asked = np.asarray(self._next())
        return self._asked.astype(np.intp)

    def tell(self, value: float) -> None:
        """Reward of the joint action asked last."""
        if self._asked is None or not math.isfinite(value):
            raise ParameterError("value", f"got {value!r}", "a finite number, once for every ask()")
        asked, self._asked = self._asked, None
        improved = value > self.best_value
        self._seen(asked, float(value), improved)
        self.evaluations += 1
        if improved:
            self.best_value, self._best = float(value), asked

    def recommend(self) -> NDArray[np.intp]:
        """The joint action with the largest reward, the earliest on ties."""
        return np.zeros(self.agents, dtype=np.intp) if self._best is None else self._best.astype(np.intp)

    def diagnostics(self) -> dict[str, Any]:
        """Evaluations made."""
        return {"evaluations": self.evaluations}

    def uniform(self) -> Joint:
        """A uniform joint action (M,)."""
        return self.generator.integers(self.actions, size=self.agents)

    def changed(self, joint: Joint, count: int = 1) -> Joint:
        """``joint`` with ``count`` agents, chosen at random, switched to other actions than their own."""
        result = joint.copy()
        who = self.generator.choice(self.agents, size=min(count, self.agents), replace=False)
        result[who] = (result[who] + self.generator.integers(1, self.actions, size=len(who))) % self.actions
        return result

    def _next(self) -> Joint:
        raise NotImplementedError

    def _seen(self, joint: Joint, value: float, improved: bool) -> None:
        raise NotImplementedError


class SimulatedAnnealing(ActionSearch):
    """One agent changes its action per round; worse rewards are accepted with a falling probability.

    A joint action better than all before is accepted, another with probability
    max(1e-5, exp(max(-12, (r' - r) / temperature))).

    Parameters
    ----------
    agents, actions, generator : as for :class:`ActionSearch`
    temperature : the first one, in units of the reward; 100 in the framework
    cooling : factor per evaluation; .8 in the framework
    flips : agents changed per round
    """

    def __init__(
        self,
        agents: int,
        actions: int,
        generator: np.random.Generator,
        temperature: float = 100.0,
        cooling: float = 0.8,
        flips: int = 1,
    ) -> None:
        super().__init__(agents, actions, generator)
        self.temperature = positive_number("temperature", temperature)
        self.cooling = positive_number("cooling", cooling)
        self._flips = whole_number("flips", flips)
        self._state: Joint | None = None
        self._value = -math.inf

    def _next(self) -> Joint:
        return self.uniform() if self._state is None else self.changed(self._state, self._flips)

    def _seen(self, joint: Joint, value: float, improved: bool) -> None:
        if improved or self.generator.random() < self.acceptance(value):
            self._state, self._value = joint, value
        self.temperature *= self.cooling

    def acceptance(self, value: float) -> float:
        """Probability with which a reward that is not the best so far replaces the present one."""
        exponent = min(0.0, max(-12.0, (value - self._value) / max(self.temperature, 1e-300)))
        return max(1e-5, math.exp(exponent))


class ScaledAnnealing(SimulatedAnnealing):
    """Simulated annealing that suits its temperature to the rewards; a control.

    The first ``probes`` joint actions are uniform. The temperature starts at the standard deviation of their rewards and
    falls to ``final`` times that at the horizon; max(1, M // 100) agents change per round.

    Parameters
    ----------
    agents, actions, generator : as for :class:`ActionSearch`
    horizon : evaluations in all
    probes : uniform joint actions at the start
    final : last temperature over first
    """

    def __init__(
        self,
        agents: int,
        actions: int,
        generator: np.random.Generator,
        horizon: int,
        probes: int = 10,
        final: float = 1e-3,
    ) -> None:
        super().__init__(agents, actions, generator, flips=max(1, agents // 100))
        self._probes = whole_number("probes", probes, 2)
        rounds = max(1, whole_number("horizon", horizon) - probes)
        self._rate = positive_number("final", final) ** (1.0 / rounds)
        self._seen_values: list[float] = []

    def _next(self) -> Joint:
        return self.uniform() if self.evaluations < self._probes else super()._next()

    def _seen(self, joint: Joint, value: float, improved: bool) -> None:
        if self.evaluations >= self._probes:
            super()._seen(joint, value, improved)
            return
        self._seen_values.append(value)
        if improved:
            self._state, self._value = joint, value
        if self.evaluations == self._probes - 1:
            self.temperature = max(float(np.std(self._seen_values)), 1e-12)
            self.cooling = self._rate


class GeneticAlgorithm(ActionSearch):
    """A population of 40 joint actions, evaluated one by one, with elites, one-point crossover and one mutated gene.

    The parents of the next generation are the ``elites`` best joint actions ever seen and as many of the last generation,
    drawn with probability proportional to r - min r + offset. Twenty times, two parents chosen uniformly give two
    children; each child has one agent switched, and none repeats a joint action already made.

    Parameters
    ----------
    agents, actions, generator : as for :class:`ActionSearch`
    population : size of a generation, even
    elites : best joint actions kept as parents
    offset : 1 in the framework, which makes the draw almost uniform where rewards span less than 1; ``None`` divides the
        rewards by their span first and adds a tenth, a control
    """

    def __init__(
        self,
        agents: int,
        actions: int,
        generator: np.random.Generator,
        population: int = 40,
        elites: int = 10,
        offset: float | None = 1.0,
    ) -> None:
        super().__init__(agents, actions, generator)
        self._size = whole_number("population", population, 4)
        self._elites = whole_number("elites", elites, 1, population)
        if population % 2:
            raise ParameterError("population", f"got {population}", "an even number")
        self._offset = offset if offset is None else positive_number("offset", offset)
        self._made: set[bytes] = set()
        self._waiting: list[Joint] = []
        self._generation: list[tuple[float, Joint]] = []
        self._elite: list[tuple[float, Joint]] = []
        self.generations = 0

    def _next(self) -> Joint:
        if not self._waiting:
            self._waiting = (
                self._children() if self._generation else [self._fresh(self.uniform()) for _ in range(self._size)]
            )
            self._generation = []
            self.generations += 1
        return self._waiting.pop(0)

    def _seen(self, joint: Joint, value: float, improved: bool) -> None:
        self._generation.append((value, joint))
        self._elite = sorted([*self._elite, (value, joint)], key=lambda pair: -pair[0])[: self._elites]

    def shares(self, values: Floats) -> Floats:
        """Probabilities (n,) with which members of a generation with these rewards become parents."""
        above = values - values.min()
        if self._offset is None:
            above = above / above.max() + 0.1 if above.max() > 0 else np.ones(len(values))
        else:
            above = above + self._offset
        return np.asarray(above / above.sum())

    def _children(self) -> list[Joint]:
        values = np.array([value for value, _ in self._generation])
        drawn = self.generator.choice(len(values), size=min(self._elites, len(values)), p=self.shares(values))
        parents = [joint for _, joint in self._elite] + [self._generation[i][1] for i in drawn]
        children = []
        for _ in range(self._size // 2):
            one, two = (parents[i] for i in self.generator.integers(len(parents), size=2))
            cut = int(self.generator.integers(1, max(2, self.agents - 1)))
            for head, tail in ((one, two), (two, one)):
                children.append(self._fresh(self.changed(np.concatenate([head[:cut], tail[cut:]]))))
        return children

    def _fresh(self, joint: Joint) -> Joint:
        """``joint`` as small integers, mutated further while it repeats one already made (a few tries at most)."""
        small = joint.astype(np.int32)
        for _ in range(20):
            if small.tobytes() not in self._made:
                break
            small = self.changed(small).astype(np.int32)
        self._made.add(small.tobytes())
        return small

    def diagnostics(self) -> dict[str, Any]:
        """Evaluations and generations begun."""
        return {**super().diagnostics(), "generations": self.generations}
