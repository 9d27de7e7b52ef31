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


def left_over(problem: Candidates, kept: Indices, aside: Sequence[int], believing: bool) -> Candidates:
    """The candidates that are kept; ``believing`` those aside to have the prior mean, so that none close to them is chosen."""
    whole, problem, out = problem.covariance, problem.subset(kept), np.array(aside, dtype=np.intp)
    if not believing:
        return problem
    cross, own = whole[np.ix_(out, kept)], whole[np.ix_(out, out)] + problem.noise_sd**2 * np.eye(len(out))
    reduced = problem.covariance - cross.T @ np.linalg.solve(own, cross)
    return replace(problem, kernel=(reduced + reduced.T) / 2.0)
