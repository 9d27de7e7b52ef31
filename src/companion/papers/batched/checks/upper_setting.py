"""The standing setting of Section 2.1, checked on runs and by enumeration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations, combinations_with_replacement

import numpy as np

from companion.checks.cases import Case, at_most, equal, worst_of
from companion.checks.instance import Instance
from companion.checks.statement import fix, statement
from companion.gp import grid, kernel_by_name
from companion.information import gain_bracket
from companion.information.gain import gain_by_determinant
from companion.papers.batched.checks.upper_regret import setup_assumptions
from companion.papers.batched.theory.bounds import elimination_constant, variance_sum_constant
from companion.papers.batched.theory.regret_runs import ARMS, CENTRE, RegretSetting, one_run
from companion.papers.batched.theory.runs import OfKernel, direct_posterior

#: Posterior of the engine against a dense solve: noise variances from 0.01 of the prior, condition numbers up to 1e4.
POSTERIOR_TOLERANCE = 1e-7


class SmallDomain(OfKernel, Instance):
    """A few points, so that the maximum information gain can be found by enumeration."""

    kernel: str
    dim: int
    lengthscale: float
    noise_sd: float
    axis: int
    count: int


def _setup_instances() -> Iterator[RegretSetting | SmallDomain]:
    yield RegretSetting("se", 0.2, 1, 30, 0.1, 120, a=0.6)
    yield RegretSetting("matern12", 0.3, 2, 6, 1.0, 150, norm=3.0, construction="eigen")
    yield RegretSetting("matern52", 0.4, 2, 6, 0.3, 150, a=0.4, norm=2.0, construction="sphere")
    yield RegretSetting("matern12", 0.005, 1, 8, 1.0, 60, norm=5.0, construction=ARMS)
    yield RegretSetting("matern32", 0.2, 1, 30, 0.5, 100, a=0.75, construction=CENTRE)
    for kernel in ("se", "matern12", "matern52"):
        yield SmallDomain(kernel, 1, 0.5, 0.3, 6, 5)
        yield SmallDomain(kernel, 2, 1.0, 1.0, 2, 6)


@statement(
    "setup",
    "identity",
    _setup_instances,
    *setup_assumptions(),
    teeth={
        "values at most 0.95 times the norm": {"norm_share": 0.95},
        "regulariser 1.1 times the noise variance": {"regulariser": 1.1},
        "posterior keeps earlier batches": {"first": lambda start: 0},
        "C_1 = 2C": {"ratio": 2.0},
    },
    corrected=fix(
        r"$\gamma_t$ is the maximum over multisets of $t$ points: rounds may repeat a point, and then gain more than any "
        "set of as many points; beyond the number of points there is no such set at all",
        chosen_from=combinations_with_replacement,
    ),
)
def setup(
    setting: RegretSetting,
    *,
    norm_share: float = 1.0,
    regulariser: float = 1.0,
    first: Callable[[int], int] = int,
    ratio: float = 4.0,
) -> Iterator[Case]:
    r"""$y_t=f(x_t)+z_t$, $z_t\sim N(0,\sigma^2)$; $\norm{f}_k\le\Psi$, $k(x,x)\le1$, hence $\abs{f}\le\Psi$; batches of
    sizes $N_i\ge1$ that add up to $T$; $\mu^i=k^\top(K+\lambda I)^{-1}y$ and $(\sigma^i)^2=k(x,x)-k^\top(K+\lambda
    I)^{-1}k$ from batch $i$ alone, $\lambda=\sigma^2$;
    $\gamma_t=\max_{A\subseteq\X,\abs{A}=t}\frac12\log\det(I+\sigma^{-2}K_A)$; $C=2/\log(1+\sigma^{-2})$, $C_1=4C$

    ``norm_share`` multiplies Ψ in |f| ≤ Ψ, ``regulariser`` the λ of the posteriors, which are recomputed by dense solves from
    the rounds after ``first(rounds of earlier batches)``; ``ratio`` is C_1 over C.
    """
    run = one_run(setting, 0)
    height = float(np.abs(run.problem.values).max())
    yield at_most(height, norm_share * setting.norm, f"largest |f|, {setting.where}")
    sizes = [record.size for record in run.history]
    yield equal(sum(sizes), setting.horizon, f"sum of the batch sizes, {setting.where}", tolerance=0.0)
    yield worst_of((1.0, size, f"size of a batch, {setting.where}") for size in sizes)
    constant = 2.0 / math.log(1.0 + setting.noise_sd**-2)
    yield equal(elimination_constant(setting.noise_sd), ratio * constant, f"C_1, {setting.where}")
    yield equal(variance_sum_constant(setting.noise_sd), constant, "C")
    queries = np.concatenate([record.query for record in run.history])
    observations = np.concatenate(run.observed)
    start = 0
    for record in run.history:
        known = slice(first(start), start + record.size)
        mean, sd = direct_posterior(
            run.modelled.covariance, regulariser * setting.noise_sd**2, queries[known], observations[known]
        )
        start += record.size
        where = f"batch {record.number}, {setting.where}"
        error = float(np.abs(record.mean - mean[record.modelled]).max())
        yield at_most(error, POSTERIOR_TOLERANCE * setting.norm, f"posterior mean, {where}")
        error = float(np.abs(record.sd**2 - sd[record.modelled] ** 2).max())
        yield at_most(error, POSTERIOR_TOLERANCE, f"posterior variance, {where}")


@setup.on(SmallDomain)
def _enumerated_gain(
    instance: SmallDomain, *, chosen_from: Callable[..., Iterator[tuple[int, ...]]] = combinations
) -> Iterator[Case]:
    """The gain of any t rounds is at most γ_t, here by enumeration, against the rounds that its certificate found."""
    points = grid(instance.axis, instance.dim)
    covariance = kernel_by_name(instance.kernel, instance.lengthscale)(points)
    noise = instance.noise_sd**2
    gains = (
        float(gain_by_determinant(covariance[np.ix_(chosen, chosen)], noise))
        for chosen in chosen_from(range(len(points)), instance.count)
    )
    best = max(gains, default=0.0)  # nothing to choose from where a set would need more points than there are
    bracket = gain_bracket(covariance, instance.count, noise)
    where = f"{instance.title}, d={instance.dim}, {len(points)} points, noise {instance.noise_sd:g}, "
    yield at_most(bracket.lower, best, f"{where}gain that was found for t={instance.count}")
    yield at_most(best, bracket.upper, f"{where}largest gain for t={instance.count}")
