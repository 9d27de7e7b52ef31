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
        self._asked = np.zeros(0, dtype=np.intp)
        self._best = (-np.inf, 0)

    def ask(self, remaining: int) -> Batch:
        """The next draws."""
        self._asked = self._generator.integers(self._size, size=min(self._batch_size, remaining))
        return Batch.plain(self._asked)

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Remember the largest observation; the earliest one on ties."""
        if len(observations) != len(self._asked):
            raise ParameterError("observations", f"has {len(observations)} values", f"{len(self._asked)}")
        for index, value in zip(self._asked, observations, strict=True):
            if value > self._best[0]:
                self._best = (float(value), int(index))

    def recommend(self) -> int:
        """The candidate with the largest observation; candidate 0 before any."""
        return self._best[1]

    def diagnostics(self) -> dict[str, Any]:
        """Nothing to report."""
        return {}
