"""Uniform random search, the floor that every method should beat."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.errors import ParameterError, whole_number
from companion.policies.base import Batch


class UniformRandom:
    """Evaluates candidates drawn uniformly with replacement; recommends the one with the largest observation.

    Parameters
    ----------
    size : number of candidates N
    generator : source of the draws, for example ``stream(seed, "policy")``
    batch_size : candidates per batch

    Examples
    --------
    >>> import companion as cp
    >>> from companion.policies import UniformRandom
    >>> policy = UniformRandom(5, cp.stream(0, "policy"))
    >>> batch = policy.ask(remaining=10)
    >>> policy.tell([0.3])
    >>> bool(policy.recommend() == batch.query[0]), policy.diagnostics()
    (True, {})
    """

    model_order = 0

    def __init__(self, size: int, generator: np.random.Generator, batch_size: int = 1) -> None:
        self._size = whole_number("size", size)
        self._batch_size = whole_number("batch_size", batch_size)
        self._generator = generator
        self._asked: NDArray[Any] = np.zeros(0, dtype=np.intp)
        self._best: tuple[float, Any] = (-np.inf, 0)

    def ask(self, remaining: int) -> Batch:
        """The next draws."""
        self._asked = self._generator.integers(self._size, size=min(self._batch_size, remaining))
        return Batch.plain(self._asked)

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Remember the largest observation; the earliest one on ties."""
        if len(observations) != len(self._asked):
            raise ParameterError("observations", f"has {len(observations)} values", f"{len(self._asked)}")
        self.add(self._asked, observations)

    def add(self, points: NDArray[Any], values: NDArray[np.float64]) -> None:
        """The same of values that this policy did not ask for."""
        for point, value in zip(points, values, strict=True):
            if value > self._best[0]:
                self._best = (float(value), point)

    def recommend(self) -> Any:
        """The candidate with the largest observation; candidate 0 before any."""
        return int(self._best[1])

    def diagnostics(self) -> dict[str, Any]:
        """Nothing to report."""
        return {}


class UniformRandomBox(UniformRandom):
    """The same on the unit cube; ``size`` is its dimension d, and points are coordinates (d,)."""

    def ask(self, remaining: int) -> Any:
        """The next draws, (n, d)."""
        self._asked = self._generator.uniform(size=(min(self._batch_size, remaining), self._size))
        return self._asked

    def recommend(self) -> Any:
        """The point (d,) with the largest observation; the first corner before any."""
        return self._best[1] + np.zeros(self._size)
