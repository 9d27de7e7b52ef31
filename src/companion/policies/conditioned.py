"""A fresh policy that is given all data at once: earlier ones, those told in any order, and points that are still open.

The value of an open point is not known. It is believed to be the posterior mean, which leaves the mean as it is and shrinks the
variance: the hallucination of GP-BUCB (Desautels, Krause and Burdick, 2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from companion.core.arrays import Floats, Indices
from companion.core.errors import ExhaustedError
from companion.policies.candidate_model import standardised
from companion.problems import Candidates


class FittedModel(NamedTuple):
    """Numbers of a fit, on candidates in units of the values and on a box of the standardised ones, and to how many."""

    kernel: Any
    mean: float
    noise_sd: float
    values: int


def modelled(optimiser: Any, problem: Any, fit: FittedModel | None, values: Floats | None) -> tuple[Any, Any]:
    """Method and problem with a fitted model, or with mean and variance of two distinct ``values`` at least, if given."""
    if fit is not None and isinstance(problem, Candidates):
        return optimiser, replace(problem, kernel=fit.kernel, noise_sd=fit.noise_sd, prior_mean=fit.mean)
    if fit is not None:
        noise = {"noise_sd": fit.noise_sd} if hasattr(optimiser, "noise_sd") else {}
        return replace(optimiser, **noise), replace(problem, kernel=fit.kernel)
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

    def __init__(self, optimiser: Any, problem: Any, seed: int, aside: Sequence[int], believing: bool) -> None:
        self._kept: Indices | None = None
        if aside:
            out = np.array(aside, dtype=np.intp)
            self._kept = np.setdiff1d(np.arange(problem.size), out)
            if not self._kept.size:
                raise ExhaustedError("every candidate was left aside: there is nothing left to ask")
            whole, problem = problem.covariance, problem.subset(self._kept)
            if believing:
                cross, own = whole[np.ix_(out, self._kept)], whole[np.ix_(out, out)]
                known = np.linalg.solve(own + problem.noise_sd**2 * np.eye(len(out)), cross)
                reduced = problem.covariance - cross.T @ known
                problem = replace(problem, kernel=(reduced + reduced.T) / 2.0)
        self._player = optimiser.player(problem, seed)

    def __getattr__(self, name: str) -> Any:
        if name == "_player":
            raise AttributeError(name)
        return getattr(self._player, name)

    def add(self, points: Any, values: Floats | None, plays: Sequence[Any] = ()) -> None:
        """Condition on values (n,) at points (n, ...), or on points whose values are believed."""
        if self._kept is not None:
            inside = np.isin(points, self._kept)
            points = np.searchsorted(self._kept, points[inside])
            values = None if values is None else values[inside]
        if len(points):
            self._player.add(points, self._player.believed(points) if values is None else values, plays)

    def ask(self, remaining: int) -> Any:
        """As of every player."""
        asked = self._player.ask(remaining)
        return asked if self._kept is None else self._kept[asked]

    def recommend(self) -> Any:
        """As of every player."""
        found = self._player.recommend()
        return found if self._kept is None else int(self._kept[found])

    def posterior_mean(self, recommended: Any) -> float | None:
        """Of what is recommended; ``None`` for a policy without a model of the values."""
        mean = getattr(self._player, "posterior_mean", lambda found: None)
        return mean(recommended if self._kept is None else int(np.searchsorted(self._kept, recommended)))
