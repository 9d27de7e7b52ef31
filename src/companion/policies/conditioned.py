"""A fresh policy that is given all data at once: earlier ones, those told in any order, and points that are still open.

The value of an open point is not known. It is believed to be the posterior mean, which leaves the mean as it is and shrinks the
variance: the hallucination of GP-BUCB (Desautels, Krause and Burdick, 2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.core.errors import ExhaustedError
from companion.policies.candidate_model import standardised
from companion.problems import Candidates


class FittedModel(NamedTuple):
    """What a fit gave: on candidates in units of the values, on a box of the standardised ones; and of how many values."""

    kernel: Any
    mean: float
    noise_sd: float
    count: int


def modelled(optimiser: Any, problem: Any, fit: FittedModel | None, values: Floats | None) -> tuple[Any, Any]:
    """Method and problem with a fitted model, or with mean and variance of the values where these are given.

    Two distinct values are needed; up to then the model is as told.
    """
    if fit is not None and not isinstance(problem, Candidates):
        noise = {"noise_sd": fit.noise_sd} if hasattr(optimiser, "noise_sd") else {}
        return replace(optimiser, **noise), replace(problem, kernel=fit.kernel)
    if fit is not None:
        return optimiser, replace(problem, kernel=fit.kernel, noise_sd=fit.noise_sd, prior_mean=fit.mean)
    if values is None or len(np.unique(values)) < 2:
        return optimiser, problem
    kernel, mean = standardised(problem.kernel, values)
    return optimiser, replace(problem, kernel=kernel, prior_mean=mean)


class Conditioned:
    """A player on the candidates that were not left aside, or on the whole of another problem.

    Parameters
    ----------
    optimiser, problem, seed : of the fresh policy
    aside : indices of candidates that are neither asked nor recommended; what was told of them is left out
    believing : whether they are believed to have the prior mean, so that what is chosen is not close to them either
    """

    def __init__(
        self, optimiser: Any, problem: Any, seed: int, aside: Sequence[int] = (), believing: bool = False
    ) -> None:
        self._kept: NDArray[Any] | None = None
        if aside:
            self._kept = np.setdiff1d(np.arange(problem.size), aside)
            if not self._kept.size:
                raise ExhaustedError("every candidate was left aside: there is nothing left to ask")
            whole, problem = problem.covariance, problem.subset(self._kept)
            if believing:
                cross, own = whole[np.ix_(aside, self._kept)], whole[np.ix_(aside, aside)]
                known = np.linalg.solve(own + problem.noise_sd**2 * np.eye(len(aside)), cross)
                reduced = problem.covariance - cross.T @ known
                problem = replace(problem, kernel=(reduced + reduced.T) / 2.0)
        self._player = optimiser.player(problem, seed)
        self.play_type: type | None = self._player.play_type

    def add(self, points: Any, values: Floats | None, plays: Sequence[Any]) -> None:
        """Condition on values (n,) at points (n, ...), or on points whose values are believed."""
        if self._kept is not None:
            inside = np.isin(points, self._kept)
            points = np.searchsorted(self._kept, points[inside])
            values = None if values is None else values[inside]
        if len(points):
            self._player.add(points, self._player.believed(points) if values is None else values, plays)

    def ask(self, remaining: int) -> NDArray[Any]:
        """As of every player."""
        return self._outside(self._player.ask(remaining))

    def tell(self, values: Floats, plays: Sequence[Any]) -> None:
        """As of every player."""
        self._player.tell(values, plays)

    def recommend(self) -> Any:
        """As of every player."""
        found = self._player.recommend()
        return found if self._kept is None else int(self._outside(found))

    def posterior_mean(self, recommended: Any) -> float | None:
        """Of what is recommended; ``None`` for a policy without a model of the values."""
        mean = getattr(self._player, "posterior_mean", lambda found: None)
        return mean(recommended if self._kept is None else int(np.searchsorted(self._kept, recommended)))

    def diagnostics(self) -> dict[str, Any]:
        """As of every player."""
        return self._player.diagnostics()

    def _outside(self, points: Any) -> Any:
        return points if self._kept is None else self._kept[points]
