"""StableOpt on a finite candidate set (Bogunovic, Scarlett, Jegelka, Cevher, 2018, Algorithm 1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError
from companion.gp.ties import lowest_argmax
from companion.policies.band import ConfidenceBand
from companion.policies.base import Batch
from companion.policies.widths import Width
from companion.problems import Neighbourhood


class StableOpt:
    r"""Robust optimisation under displacement, one evaluation at a time.

    With L, U the ends of the confidence band from all data so far and nb[x] the points x may be displaced to,

    .. math:: x_t = \arg\max_x \min_{x' \in nb[x]} U_{t-1}(x'), \qquad
              z_t = \arg\min_{x' \in nb[x_t]} L_{t-1}(x').

    The simulated adversary's point z_t is evaluated; regret is charged to x_t. The recommendation is x_{t*} with
    t* = argmax_t min over nb[x_t] of L_{t-1}. Ties go to the lowest index, and to the earliest round.

    Parameters
    ----------
    covariance : (N, N) prior covariance of the candidates
    noise_variance : of the model, positive, in squared units of the observations
    width : b_t: a number, a schedule of :mod:`companion.bounds.confidence`, or a function ``width(t, gain)``
    neighbours : (N, N) bool, row x marks nb[x]
    capacity : number of observations to reserve memory for; the horizon is a good choice

    Examples
    --------
    >>> import numpy as np
    >>> import companion as cp
    >>> from companion.policies import StableOpt
    >>> points = cp.grid(5, dim=1)
    >>> near = np.abs(points - points.T) <= 0.26  # a point may be displaced to its neighbours
    >>> policy = StableOpt(cp.Matern(2.5, 0.3)(points), noise_variance=0.01, width=2.0, neighbours=near)
    >>> batch = policy.ask(remaining=10)
    >>> policy.tell([0.3])
    >>> int(batch.charged[0]), int(batch.query[0]), int(policy.recommend()), sorted(policy.diagnostics())[:1]
    (0, 0, 0, ['gain'])
    """

    def __init__(
        self,
        covariance: NDArray[np.float64],
        noise_variance: float,
        width: Width,
        neighbours: NDArray[np.bool_],
        capacity: int = 64,
    ) -> None:
        self._band = ConfidenceBand(covariance, noise_variance, width, capacity)
        self._neighbourhood = Neighbourhood(neighbours)
        if self._neighbourhood.size != self._band.size:
            got = f"has {self._neighbourhood.size} rows"
            raise ParameterError("neighbours", got, f"{self._band.size}, one per candidate")
        self._chosen: list[int] = []
        self._displaced: list[int] = []
        self._guaranteed: list[float] = []  # min over nb[x_t] of L_{t-1}, at the time x_t was chosen

    @property
    def model_order(self) -> int:
        """Observations in the model: all of them."""
        return self._band.count

    def ask(self, remaining: int) -> Batch:
        """The adversary's point to evaluate, charged to the chosen one."""
        told = self._band.count
        del self._chosen[told:], self._displaced[told:], self._guaranteed[told:]
        lower, upper = self._band.bounds()
        chosen = lowest_argmax(self._neighbourhood.minimum(upper))
        members = self._neighbourhood.members(chosen)
        displaced = int(members[lowest_argmax(-lower[members])])
        self._chosen.append(chosen)
        self._displaced.append(displaced)
        self._guaranteed.append(float(lower[members].min()))
        return Batch(query=np.array([displaced]), charged=np.array([chosen]))

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Condition the model on the value of the point asked last."""
        if len(observations) != 1:
            raise ParameterError("observations", f"has {len(observations)} values", "1")
        self._band.observe(self._displaced[self._band.count], float(observations[0]))

    def add(self, points: Indices, values: Floats) -> None:
        """Condition on values that this policy did not ask for; each counts as a round whose x_t has the best guarantee."""
        for index, value in zip(points, values, strict=True):
            guaranteed = self._neighbourhood.minimum(self._band.bounds()[0])
            self._chosen.append(lowest_argmax(guaranteed))
            self._displaced.append(int(index))
            self._guaranteed.append(float(guaranteed.max()))
            self._band.observe(int(index), float(value))

    def recommend(self) -> int:
        """x_{t*}; before any evaluation, the candidate that would be chosen first."""
        told = self._band.count
        if told == 0:
            return int(self.ask(1).charged[0])
        return self._chosen[lowest_argmax(self._guaranteed[:told])]

    def diagnostics(self) -> dict[str, Any]:
        """Width and guaranteed robust value of every evaluation, realised information gain, notes of the posterior."""
        return {
            "width": self._band.widths,
            "guaranteed": self._guaranteed[: self._band.count],
            "gain": self._band.gain,
            "notes": self._band.notes,
        }
