"""Policies of the loops as sessions see them: on candidates and on boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError, whole_number
from companion.policies.base import BoxPolicy, Policy
from companion.policies.session import Session
from companion.problems import Box, Candidates


class IndexPlayer:
    """A :class:`~companion.policies.Policy` on candidates; what it evaluates is asked, not what it charges."""

    play_type: type | None = None

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def ask(self, remaining: int) -> Indices:
        """Indices (n,) of candidates."""
        return self.policy.ask(remaining).query

    def tell(self, values: Floats, plays: Sequence[Any]) -> None:
        """Values (n,)."""
        self.policy.tell(values)

    def add(self, points: Indices, values: Floats, plays: Sequence[Any]) -> None:
        """Condition on values (n,) that the policy did not ask for; the policies of Optimiser.from_data can."""
        self.policy.add(points, values)  # type: ignore[attr-defined]

    def believed(self, points: Indices) -> Floats:
        """Posterior mean (n,) of candidates; 0 for a policy without a model."""
        model = getattr(self.policy, "posterior", getattr(self.policy, "_band", None))
        return np.zeros(len(points)) if model is None else np.atleast_2d(model.mean)[0, points]

    def recommend(self) -> int:
        """Index of a candidate."""
        return int(self.policy.recommend())

    def posterior_mean(self, recommended: int) -> float | None:
        """Of a candidate; ``None`` for a policy without a ``posterior`` of all of them."""
        model = getattr(self.policy, "posterior", getattr(self.policy, "_band", None))
        return None if model is None else float(np.atleast_2d(model.mean)[0, recommended])

    def diagnostics(self) -> dict[str, Any]:
        """The policy's."""
        return self.policy.diagnostics()


class PointPlayer:
    """A :class:`~companion.policies.BoxPolicy` that works on [0, 1]^d, on the box from ``low`` to ``high``.

    Parameters
    ----------
    policy : on the unit cube
    low, high : (d,) corners
    """

    play_type: type | None = None

    def __init__(self, policy: BoxPolicy, low: Floats, high: Floats) -> None:
        self.policy, self._low, self._high = policy, low, high

    def ask(self, remaining: int) -> Floats:
        """Points (n, d) of the box."""
        return self._outside(np.asarray(self.policy.ask(remaining), dtype=np.float64))

    def tell(self, values: Floats, plays: Sequence[Any]) -> None:
        """Values (n,)."""
        self.policy.tell(values)

    def add(self, points: Floats, values: Floats, plays: Sequence[Any]) -> None:
        """Condition on values (n,) at points (n, d) of the box that the policy did not ask for."""
        self.policy.add(self._inside(points), values)  # type: ignore[attr-defined]

    def believed(self, points: Floats) -> Floats:
        """Posterior mean (n,) at points (n, d) of the box; 0 for a policy without a model."""
        mean = getattr(self.policy, "believed", lambda inside: np.zeros(len(inside)))
        return np.asarray(mean(self._inside(points)))

    def _inside(self, points: Floats) -> Floats:
        return (points - self._low) / (self._high - self._low)

    def recommend(self) -> Floats:
        """A point (d,) of the box."""
        return self._outside(np.asarray(self.policy.recommend(), dtype=np.float64))

    def diagnostics(self) -> dict[str, Any]:
        """The policy's."""
        return self.policy.diagnostics()

    def _outside(self, points: Floats) -> Floats:
        return np.clip(self._low + (self._high - self._low) * points, self._low, self._high)


def session_of(policy: Policy | BoxPolicy, problem: Candidates | Box, horizon: int | None = None) -> Session:
    """A policy of your own at work, with the checks and the bookkeeping of every session.

    Parameters
    ----------
    policy : fresh; on candidates its ``ask(remaining)`` returns a :class:`~companion.policies.Batch`, on a box points (n, d)
        of that box
    problem : what it works on
    horizon : evaluations in all; ``None`` for no end

    Raises
    ------
    ParameterError
        for a problem of another kind

    Notes
    -----
    Such a session is pickled, not saved: how your policy is made is not known here.

    Examples
    --------
    >>> import companion as cp
    >>> from companion.policies import UniformRandom, session_of
    >>> line = cp.Candidates(cp.grid(5, dim=1), cp.Matern(2.5, 0.3), noise_sd=0.1)
    >>> session = session_of(UniformRandom(5, cp.stream(0, "policy")), line, horizon=10)
    >>> session.tell([0.2] * len(session.ask()))
    >>> session
    a policy of your own on 5 candidates: 1 told, 9 left
    """
    if horizon is not None:
        whole_number("horizon", horizon)
    player: IndexPlayer | PointPlayer
    if isinstance(problem, Candidates):
        player = IndexPlayer(policy)  # type: ignore[arg-type]
    elif isinstance(problem, Box):
        player = PointPlayer(policy, np.zeros(problem.dim), np.ones(problem.dim))  # type: ignore[arg-type]
    else:
        raise ParameterError("problem", f"is of type {type(problem).__name__}", "Candidates or Box")
    return Session(None, problem, 0, player, horizon)
