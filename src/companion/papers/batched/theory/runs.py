"""One run of the paper's policies in the setting of its theorems: fixed batch sizes, one width, the noise of every round given.

All runs that statements are checked on are played by :func:`play`; the configurations stand in ``valid_runs``,
``regret_runs`` and ``robust_runs``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from companion.core.arrays import Floats, Indices
from companion.papers.batched.method.policy import BPE, BatchRecord, RobustBPE
from companion.papers.batched.method.sizes import eta
from companion.papers.batched.problems.catalogue import KERNEL_TITLES, SMOOTHNESS, ModelledProblem
from companion.problems import FiniteProblem
from companion.simulate import run_policy


class OfKernel:
    """A configuration with a ``kernel`` and a dimension ``dim``: what follows from them."""

    kernel: str
    dim: int

    @property
    def title(self) -> str:
        """The kernel's name on a page."""
        return KERNEL_TITLES[self.kernel]

    @property
    def nu(self) -> float:
        """Smoothness; infinite for SE."""
        return float(SMOOTHNESS[self.kernel])

    @property
    def eta(self) -> float:
        """1/2 (SE) or nu/(2 nu + d)."""
        return eta(self.nu, self.dim)


@dataclass(frozen=True, eq=False)
class Played:
    """A run with everything: the function and its model, the policy's records, what was observed in each batch.

    ``variance`` is the regulariser lambda, ``regret`` the cumulative regret of the points that are charged.
    """

    modelled: ModelledProblem
    variance: float
    history: tuple[BatchRecord, ...]
    observed: tuple[Floats, ...]
    regret: float

    @property
    def problem(self) -> FiniteProblem:
        """The function, with its neighbourhoods."""
        return self.modelled.problem


def play(
    modelled: ModelledProblem, variance: float, sizes: Sequence[int], width: float, noise: Floats, **options: str
) -> Played:
    """Run BPE, or robust-BPE where the problem has neighbourhoods.

    Parameters
    ----------
    variance : the regulariser lambda
    sizes, width : N_1..N_B and sqrt(beta)
    noise : (T,) noise of every round
    options : of :class:`~companion.papers.batched.method.policy.RobustBPE`
    """
    problem = modelled.problem
    if problem.neighbours is None:
        policy = BPE(modelled.covariance, variance, sizes, width)
    else:
        policy = RobustBPE(modelled.covariance, variance, sizes, width, problem.neighbourhood.relation, **options)
    run = run_policy(policy, problem, sum(sizes), noise)
    observed = np.split(run.observation, np.cumsum(sizes)[:-1])
    return Played(modelled, variance, tuple(policy.history), tuple(observed), float(run.cumulative_regret[-1]))


# -- recomputed from points and values alone -----------------------------------------------------------------------------


def direct_posterior(
    covariance: Floats, noise_variance: float, query: Indices, values: Floats
) -> tuple[Floats, Floats]:
    """Posterior mean and standard deviation at all candidates, equations (15) and (16), by one dense solve.

    Values at the same point enter through their average, whose noise variance is lambda over their number.

    Parameters
    ----------
    covariance : (N, N) prior covariance
    noise_variance : lambda
    query, values : (t,) candidates and what was observed there
    """
    if len(query) == 0:
        return np.zeros(len(covariance)), np.sqrt(covariance.diagonal())
    points, places, counts = np.unique(query, return_inverse=True, return_counts=True)
    averages = np.bincount(places, weights=values) / counts
    gram = covariance[np.ix_(points, points)] + np.diag(noise_variance / counts)
    cross = covariance[points]
    solved = linalg.solve(gram, np.column_stack([averages, cross]), assume_a="pos", check_finite=False)
    variance = covariance.diagonal() - np.einsum("ij,ij->j", cross, solved[:, 1:])
    return cross.T @ solved[:, 0], np.sqrt(np.maximum(variance, 0.0))
