r"""Expected improvement that never leaves its first arm, on so many independent arms that they are not simulated one by one.

All arms have prior mean 0 and variance 1. As long as only the first was played, every other one has the same expected
improvement over the incumbent, so that two numbers describe the function: the value of the first arm, and the largest of the
others, which is drawn from its own law. Once the first arm is rejected the state never changes again, and a supremum over all
times is a maximum over the few states before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from companion.checks.instance import Instance
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.order import copies_kept
from companion.policies.acquisition import log_expected_improvement


class FirstArm(Instance):
    r"""``runs`` draws of ``size`` independent arms, of which the first was observed once before round 1.

    The budget is :math:`\epsilon=\frac12\log(1+T^{-\alpha})`. The observation before round 1 counts in :math:`M_T`, and its
    regret does not: both in favour of an upper bound on regret.
    """

    words = (
        "EI, {size:,} independent arms, noise {noise_sd:g}, T = {horizon}, alpha = {alpha:g}, delta = {delta:g}, "
        "{runs:,} runs"
    )
    size: int
    noise_sd: float
    horizon: int
    alpha: float
    delta: float
    runs: int
    seed: int = 0
    acquisition: str = "ei"
    variance: float = 1.0
    compact: bool = False

    @property
    def noise_variance(self) -> float:
        r""":math:`\sigma^2`."""
        return self.noise_sd**2

    @property
    def copies(self) -> int:
        """Observations of the first arm, the one before round 1 included, after which it is rejected."""
        return copies_kept(self.horizon**-self.alpha, self.noise_variance)

    @property
    def beta(self) -> float:
        r""":math:`\beta_T`."""
        return float(bounds.finite_beta(self.horizon, self.size, self.delta))


@dataclass(frozen=True, eq=False)
class FirstArmRuns:
    r"""Outcome of each run.

    Parameters
    ----------
    stays : (R,) whether the first arm is chosen in every round, hence kept until it is rejected, and then for ever
    score : (R,) where it stays, :math:`\sup_{t\ge0}\sup_x|\mu_{t-1}-y^{\max}|/\sigma_{t-1}` over all states of the infinite run
    regret : (R,) of the T rounds where it stays, and 0 elsewhere: less than it is
    gain, rejected : information of the retained and of the rejected rounds, the same in every run that stays
    most : the maximum information gain of as many observations as the dictionary holds
    """

    stays: NDArray[np.bool_]
    score: Floats
    regret: Floats
    gain: float
    rejected: float
    most: float


def hold(values: ArrayLike, noise: ArrayLike, noise_variance: float) -> tuple[NDArray[np.bool_], Floats]:
    r"""Whether EI stays with the first arm while it is observed n times, and the largest score on the way.

    Parameters
    ----------
    values : (R,) of the first arm
    noise : (R, n) of its observations

    Returns
    -------
    (R,) whether in all n states its expected improvement exceeds that of the others; (R,) largest
    :math:`|\mu-y^{\max}|/\sigma` over candidates and states
    """
    seen = np.asarray(values, float)[:, None] + np.asarray(noise, float)
    stays, score = np.ones(len(seen), dtype=bool), np.zeros(len(seen))
    for count in range(1, seen.shape[1] + 1):
        best, total = seen[:, :count].max(axis=1), seen[:, :count].sum(axis=1)
        mean, sd = total / (count + noise_variance), math.sqrt(noise_variance / (count + noise_variance))
        own = log_expected_improvement(mean - best, np.full_like(mean, sd), 0.0)
        stays &= own > log_expected_improvement(-best, np.ones_like(mean), 0.0)
        score = np.maximum(score, np.maximum(np.abs(mean - best) / sd, np.abs(best)))
    return stays, score


@cache
def first_arm(instance: FirstArm) -> FirstArmRuns:
    """Draw the first arm, the largest of the others and the noise, and follow every run to its end."""
    generator = stream(instance.seed, "compressed", "first-arm", instance.where)
    first = generator.standard_normal(instance.runs)
    # The largest of n values lies below x with probability Phi(x)^n.
    others = stats.norm.isf(-np.expm1(np.log(generator.random(instance.runs)) / (instance.size - 1)))
    noise = instance.noise_sd * generator.standard_normal((instance.runs, instance.copies))
    stays, score = hold(first, noise, instance.noise_variance)
    gap = np.maximum(others - first, 0.0)
    counts = np.arange(1, instance.copies + 1)
    information = 0.5 * np.log1p(1.0 / (counts + instance.noise_variance))  # of one more observation after so many
    rounds = instance.horizon - (instance.copies - 1)
    return FirstArmRuns(
        stays,
        score,
        np.where(stays, instance.horizon * gap, 0.0),
        float(information[:-1].sum()),
        rounds * float(information[-1]),
        0.5 * instance.copies * math.log1p(1.0 / instance.noise_variance),
    )


def allowed(instance: FirstArm, power: float = 1.0) -> Floats:
    """(R,) the right side of (3.6), or with ``power`` 1/2 of (9.27), with the supremum over all t in R."""
    runs = first_arm(instance)
    return bounds.theorem_34(
        instance.horizon, instance.beta, instance.noise_variance, runs.most, instance.alpha, runs.score, power
    )


#: A million arms and little noise: the instance that contradicts Theorem 3.4 as it is printed.
MILLION = FirstArm(1_000_000, 0.01, 1000, 0.1, 1e-4, 300_000)
