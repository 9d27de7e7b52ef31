"""The ask/tell protocol between a policy and the simulation loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.calls import one_line
from companion.core.errors import ParameterError

#: ``width(t, gain)``: the number that multiplies the posterior standard deviation when evaluation t (from 1) is chosen,
#: given the realised information gain I_{t-1} = 1/2 logdet(I + K/noise_variance) of the t - 1 points before it (nats).
WidthSchedule = Callable[[int, float], float]


@dataclass(frozen=True, eq=False)
class Batch:
    """Points to evaluate before anything is told back.

    Parameters
    ----------
    query : (n,) indices of the points to evaluate, in order
    charged : (n,) indices of the points whose regret is accounted; equal to ``query`` unless the setting is robust,
        where the policy commits to a point and evaluates a displaced one

    Raises
    ------
    ParameterError
        if the two are not equally long, one-dimensional arrays of non-negative integers

    Examples
    --------
    >>> import companion as cp
    >>> len(cp.Batch.plain([3, 0]))
    2
    """

    query: NDArray[np.intp]
    charged: NDArray[np.intp]

    __repr__ = one_line

    def __post_init__(self) -> None:
        for name in ("query", "charged"):
            array = np.asarray(getattr(self, name))
            if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer) or (array < 0).any():
                got = f"has shape {array.shape} and type {array.dtype}"
                raise ParameterError(name, got, "a one-dimensional array of non-negative integers")
            object.__setattr__(self, name, array.astype(np.intp))
        if self.query.size != self.charged.size:
            raise ParameterError("charged", f"has {self.charged.size} points", f"{self.query.size}, as in query")

    @classmethod
    def plain(cls, query: ArrayLike) -> Batch:
        """A batch that charges the points it evaluates."""
        indices = np.atleast_1d(np.asarray(query))
        return cls(indices, indices)

    def __len__(self) -> int:
        return self.query.size


Asked = TypeVar("Asked", bound=NDArray[Any])


def answered(asked: Asked | None, observations: NDArray[np.float64]) -> Asked:
    """What was asked last; ParameterError unless the observations are as many."""
    if asked is None or len(observations) != len(asked):
        expected = "nothing" if asked is None else f"{len(asked)}"
        raise ParameterError("observations", f"has {len(observations)} values", f"{expected}, as asked")
    return asked


@runtime_checkable
class Policy(Protocol):
    """A bandit policy.

    A policy may also have an attribute ``model_order`` (int): how many points its model keeps at the moment. The loop
    records it after every batch; without it, the number of observations told so far is recorded.
    """

    def ask(self, remaining: int) -> Batch:
        """Between 1 and ``remaining`` points to evaluate next, ``remaining`` being what is left of the horizon."""
        ...

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Noisy values (n,) of the batch asked last, in its order."""
        ...

    def recommend(self) -> int:
        """Index of the point reported as the best."""
        ...

    def diagnostics(self) -> dict[str, Any]:
        """Diagnostics of the policy (widths, survivors per batch, ...): JSON types only."""
        ...


@runtime_checkable
class BoxPolicy(Protocol):
    """A bandit policy whose points are coordinates in a box; otherwise as :class:`Policy`."""

    def ask(self, remaining: int) -> NDArray[np.float64]:
        """Between 1 and ``remaining`` points to evaluate next, shape (n, d)."""
        ...

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Noisy values (n,) of the batch asked last, in its order."""
        ...

    def recommend(self) -> NDArray[np.float64]:
        """The point (d,) reported as the best."""
        ...

    def diagnostics(self) -> dict[str, Any]:
        """Diagnostics of the policy: JSON types only."""
        ...
