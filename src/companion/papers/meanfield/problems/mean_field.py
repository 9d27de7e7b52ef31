"""A mean-field problem: many identical agents, few actions, few contexts, and one reward of the whole system.

A *collection* p holds one law over the actions for each context, p[c, x] = xi(x | c); it is what a policy chooses. With
context weights w the population takes action x in the share P_x = sum_c w_c p[c, x], and the mean-field reward is

    g(p) = sum_c w_c sum_x p[c, x] f(x, c, p),

where f is the payoff of one agent (paper, Section 3). M agents earn what their counts N[c, x] give, and this tends to
g(p) when they act independently and M grows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats, Integers
from companion.core.errors import CompanionError, ParameterError, whole_number

#: How far a law may be from summing to one: the rounding of a softmax over some hundred actions, with room to spare.
LAW_ATOL = 1e-8


@dataclass(frozen=True, eq=False)
class MeanFieldProblem:
    """Maximise g over collections of laws, or the reward of M agents over their actions.

    Parameters
    ----------
    name : short name for tables
    agents : M
    action_features : (A, d) coordinates of the actions, for kernels
    context_features : (C, e) coordinates of the contexts, for kernels
    context_weights : (C,) share of each context in the population, positive, adding up to one
    mean_field : maps collections (n, C, A) to g, shape (n,), without noise
    payoffs : maps collections (n, C, A) to the payoff f of one agent for each context and action, shape (n, C, A)
    of_counts : maps counts (n, C, A) of agents to the reward of the finite system, shape (n,), without noise
    optimal : (C, A) the best collection known
    upper_bound : a number that g does not exceed
    certified : how that is known, in a few words
    noise_sd : standard deviation of the noise of one observation, in units of g
    exact_contexts : whether the contexts of the M agents have the shares ``context_weights`` exactly, or are drawn
    source : where the problem comes from
    meta : what was used: the data and whether they are real (``data``, ``label``, ``stand_in``), the reading, ...; JSON
        types only
    details : arrays behind the problem, for maps and tables: demand, places, capacities

    Raises
    ------
    ParameterError
        for weights, features or an optimal collection that do not fit together, numbers that are not finite, an upper
        bound below the best value known, or exact shares that M agents cannot have
    """

    name: str
    agents: int
    action_features: Floats
    context_features: Floats
    context_weights: Floats
    mean_field: Callable[[Floats], Floats]
    payoffs: Callable[[Floats], Floats]
    of_counts: Callable[[Integers], Floats]
    optimal: Floats
    upper_bound: float
    certified: str
    source: str
    noise_sd: float = 0.0
    exact_contexts: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("action_features", "context_features", "context_weights", "optimal"):
            array = np.array(getattr(self, name), dtype=np.float64)
            if not np.isfinite(array).all():
                raise ParameterError(name, "contains NaN or infinity", "finite numbers")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        whole_number("agents", self.agents)
        weights = self.context_weights
        if weights.ndim != 1 or not (weights > 0).all() or abs(weights.sum() - 1.0) > LAW_ATOL:
            raise ParameterError("context_weights", f"got {weights}", "positive shares that add up to one")
        if self.action_features.ndim != 2 or self.context_features.ndim != 2:
            raise ParameterError("action_features, context_features", "are no matrices", "one row each")
        if len(self.context_features) != len(weights):
            raise ParameterError("context_features", f"have {len(self.context_features)} rows", f"{len(weights)}")
        if not (math.isfinite(self.noise_sd) and self.noise_sd >= 0):
            raise ParameterError("noise_sd", f"got {self.noise_sd!r}", "a finite number of at least 0")
        if self.exact_contexts and not np.allclose(self._shares(), np.rint(self._shares()), atol=1e-6):
            raise ParameterError("agents", f"got {self.agents}", f"a number that the shares {weights} divide")
        best = float(self.reward(self.optimal[None])[0])
        if not (math.isfinite(self.upper_bound) and best <= self.upper_bound + 1e-9 * (1 + abs(best))):
            raise ParameterError("upper_bound", f"got {self.upper_bound!r}", f"at least {best}, which is attained")

    @property
    def actions(self) -> int:
        """A, the number of actions."""
        return len(self.action_features)

    @property
    def contexts(self) -> int:
        """C, the number of contexts."""
        return len(self.context_weights)

    @property
    def optimum(self) -> float:
        """g at the best collection known; at most ``upper_bound``."""
        return float(self.reward(self.optimal[None])[0])

    def reward(self, p: ArrayLike) -> Floats:
        """Mean-field reward g of collections ``p`` (n, C, A), shape (n,), without noise.

        Raises
        ------
        ParameterError
            if a row is no law
        CompanionError
            if the problem returns something other than n finite numbers
        """
        laws = self.checked(p)
        values = np.asarray(self.mean_field(laws), dtype=np.float64)
        if values.shape != (len(laws),) or not np.isfinite(values).all():
            raise CompanionError(f"{self.name}: the reward of {len(laws)} collections came out as {values!r}")
        return values

    def payoff(self, p: ArrayLike) -> Floats:
        """Payoff f(x, c, p) of one agent, shape (n, C, A); its average under ``p`` and the weights is :meth:`reward`.

        Raises
        ------
        ParameterError
            if a row of ``p`` (n, C, A) is no law
        """
        return np.asarray(self.payoffs(self.checked(p)), dtype=np.float64)

    def regret(self, p: ArrayLike) -> Floats:
        """``upper_bound`` minus g of collections ``p`` (n, C, A), shape (n,); never below the true regret."""
        return self.upper_bound - self.reward(p)

    def agent_reward(self, actions: ArrayLike, contexts: ArrayLike) -> float:
        """Reward of the finite system, without noise.

        Parameters
        ----------
        actions, contexts : (M,) number of the action and of the context of each agent

        Raises
        ------
        ParameterError
            unless there are M of each, within range
        """
        chosen, given = np.asarray(actions), np.asarray(contexts)
        for name, array, count in (("actions", chosen, self.actions), ("contexts", given, self.contexts)):
            if array.shape != (self.agents,) or array.dtype.kind not in "iu":
                raise ParameterError(name, f"have shape {array.shape}, type {array.dtype}", f"{self.agents} integers")
            if array.min() < 0 or array.max() >= count:
                raise ParameterError(name, f"lie in [{array.min()}, {array.max()}]", f"0 to {count - 1}")
        counts = np.bincount(given.astype(np.int64) * self.actions + chosen, minlength=self.contexts * self.actions)
        return float(self.of_counts(counts.reshape(1, self.contexts, self.actions))[0])

    def count_reward(self, counts: ArrayLike) -> Floats:
        """Reward of finite systems given by how many agents of context c take action x.

        Parameters
        ----------
        counts : (n, C, A) whole numbers, adding up to M for each system

        Raises
        ------
        ParameterError
            for another shape, negative counts, or systems of another size
        """
        array = np.asarray(counts)
        if array.ndim != 3 or array.shape[1:] != (self.contexts, self.actions) or array.dtype.kind not in "iu":
            expected = f"whole numbers, (n, {self.contexts}, {self.actions})"
            raise ParameterError("counts", f"have shape {array.shape}, type {array.dtype}", expected)
        if (array < 0).any() or (array.sum(axis=(1, 2)) != self.agents).any():
            raise ParameterError("counts", "are negative or have another total", f"a total of {self.agents}")
        return np.asarray(self.of_counts(array.astype(np.int64)), dtype=np.float64)

    def draw_contexts(self, generator: np.random.Generator) -> Integers:
        """Contexts of the M agents, shape (M,): exact shares in random order, or independent draws."""
        if self.exact_contexts:
            shares = np.rint(self._shares()).astype(np.int64)
            return generator.permutation(np.repeat(np.arange(self.contexts, dtype=np.int64), shares))
        return generator.choice(self.contexts, size=self.agents, p=self.context_weights).astype(np.int64)

    def uniform(self) -> Floats:
        """The collection that takes every action equally often in every context, shape (C, A)."""
        return np.full((self.contexts, self.actions), 1.0 / self.actions)

    def checked(self, p: ArrayLike) -> Floats:
        """``p`` as float64 (n, C, A) if every row is a law; :class:`ParameterError` otherwise."""
        laws = np.asarray(p, dtype=np.float64)
        if laws.ndim != 3 or laws.shape[1:] != (self.contexts, self.actions):
            raise ParameterError("p", f"has shape {laws.shape}", f"(n, {self.contexts}, {self.actions})")
        if not (laws >= 0).all() or not (np.abs(laws.sum(axis=2) - 1.0) <= LAW_ATOL).all():
            raise ParameterError("p", "has a row that is no law", "non-negative rows that add up to one")
        return laws

    def _shares(self) -> Floats:
        return self.agents * self.context_weights
