"""The standing setting of Section 2.1, checked on runs and by enumeration."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from companion.arrays import Floats
from companion.checks.cases import Case, at_most, equal
from companion.checks.statement import Correction, statement
from companion.gp import grid, kernel_by_name
from companion.information import gain_bracket
from companion.papers.batched.parameters import KERNEL_TITLES
from companion.papers.batched.statements.upper_cases import worst_of
from companion.papers.batched.statements.upper_regret import setup_assumptions
from companion.papers.batched.statements.upper_runs import ARMS, CENTRE, Setting, play
from companion.papers.batched.theory.bounds import elimination_constant, variance_sum_constant

POSTERIOR_TOLERANCE = 1e-7
"""Posterior of the engine against a dense solve: noise variances from 0.01 of the prior, condition numbers up to 1e4."""


@dataclass(frozen=True)
class SmallDomain:
    """A few points, so that the maximum information gain can be found by enumeration."""

    kernel: str
    dim: int
    lengthscale: float
    noise_sd: float
    axis: int
    count: int


def _dense_posterior(
    covariance: Floats, points: NDArray[np.intp], values: Floats, regulariser: float
) -> tuple[Floats, Floats]:
    """Eqs. (15) and (16) by one dense solve."""
    cross = covariance[:, points]
    gram = covariance[np.ix_(points, points)] + regulariser * np.eye(len(points))
    solved = np.linalg.solve(gram, np.column_stack([values, cross.T]))
    return cross @ solved[:, 0], covariance.diagonal() - np.einsum("nt,tn->n", cross, solved[:, 1:])


def _enumerated_gain(instance: SmallDomain, repeats: bool) -> Iterator[Case]:
    points = grid(instance.axis, instance.dim)
    covariance = kernel_by_name(instance.kernel, instance.lengthscale)(points)
    choose = combinations_with_replacement if repeats else combinations
    noise = instance.noise_sd**2
    gains = (_log_det_gain(covariance, chosen, noise) for chosen in choose(range(len(points)), instance.count))
    best = max(gains, default=0.0)  # nothing to choose from where a set would need more points than there are
    bracket = gain_bracket(covariance, instance.count, noise)
    where = f"{KERNEL_TITLES[instance.kernel]}, d={instance.dim}, {len(points)} points, noise {instance.noise_sd:g}, "
    yield at_most(bracket.lower, best, f"{where}gain that was found for t={instance.count}")
    yield at_most(best, bracket.upper, f"{where}largest gain for t={instance.count}")


def _log_det_gain(covariance: Floats, chosen: tuple[int, ...], noise_variance: float) -> float:
    """½ log det(I + K_A/σ²)."""
    matrix = np.eye(len(chosen)) + covariance[np.ix_(chosen, chosen)] / noise_variance
    return 0.5 * float(np.linalg.slogdet(matrix)[1])


def _setup_instances() -> Iterator[Setting | SmallDomain]:
    yield Setting("se", 0.2, 1, 30, 0.1, 120, a=0.6)
    yield Setting("matern12", 0.3, 2, 6, 1.0, 150, norm=3.0, construction="eigen")
    yield Setting("matern52", 0.4, 2, 6, 0.3, 150, a=0.4, norm=2.0, construction="sphere")
    yield Setting("matern12", 0.005, 1, 8, 1.0, 60, norm=5.0, construction=ARMS)
    yield Setting("matern32", 0.2, 1, 30, 0.5, 100, a=0.75, construction=CENTRE)
    for kernel in ("se", "matern12", "matern52"):
        yield SmallDomain(kernel, 1, 0.5, 0.3, 6, 5)
        yield SmallDomain(kernel, 2, 1.0, 1.0, 2, 6)


@statement(
    "setup",
    "identity",
    _setup_instances,
    teeth={
        "values at most 0.95 times the norm": {"norm_share": 0.95},
        "regulariser 1.1 times the noise variance": {"regulariser": 1.1},
        "posterior keeps earlier batches": {"fresh": False},
        "C_1 = 2C": {"ratio": 2.0},
    },
    assumes=setup_assumptions(),
    corrected=Correction(
        r"$\gamma_t$ is the maximum over multisets of $t$ points: rounds may repeat a point, and then gain more than any "
        "set of as many points; beyond the number of points there is no such set at all",
        {"repeats": True},
    ),
    anchor="the-claim",
)
def setup(
    instance: Setting | SmallDomain,
    *,
    norm_share: float = 1.0,
    regulariser: float = 1.0,
    fresh: bool = True,
    repeats: bool = False,
    ratio: float = 4.0,
) -> Iterator[Case]:
    r"""$y_t=f(x_t)+z_t$, $z_t\sim N(0,\sigma^2)$; $\norm{f}_k\le\Psi$, $k(x,x)\le1$, hence $\abs{f}\le\Psi$; batches of
    sizes $N_i\ge1$ that add up to $T$; $\mu^i=k^\top(K+\lambda I)^{-1}y$ and $(\sigma^i)^2=k(x,x)-k^\top(K+\lambda
    I)^{-1}k$ from batch $i$ alone, $\lambda=\sigma^2$;
    $\gamma_t=\max_{A\subseteq\X,\abs{A}=t}\frac12\log\det(I+\sigma^{-2}K_A)$; $C=2/\log(1+\sigma^{-2})$, $C_1=4C$

    * |f| ≤ ``norm_share`` Ψ everywhere, as ‖f‖ ≤ Ψ and k(x, x) ≤ 1;
    * B batches of at least one round, N_1 + … + N_B = T;
    * mean and variance after batch i are k'(K + λI)^{-1}y and k(x, x) - k'(K + λI)^{-1}k of that batch's points alone
      (``fresh``), λ = ``regulariser`` σ², here by a dense solve;
    * the gain of any t rounds is at most γ_t, printed as a maximum over sets of t points, with ``repeats`` over
      multisets; here by enumeration, against the rounds that the certificate of γ_t found;
    * C_1 = ``ratio`` C, with C = 2/log(1+σ^{-2}).
    """
    if isinstance(instance, SmallDomain):
        yield from _enumerated_gain(instance, repeats)
        return
    modelled, history, observations, _ = play(instance, 0)
    height = float(np.abs(modelled.problem.values).max())
    yield at_most(height, norm_share * instance.norm, f"largest |f|, {instance.text}")
    sizes = [record.size for record in history]
    yield equal(sum(sizes), instance.horizon, f"sum of the batch sizes, {instance.text}", tolerance=0.0)
    yield worst_of((1.0, size, f"size of a batch, {instance.text}") for size in sizes)
    yield equal(
        elimination_constant(instance.noise_sd),
        ratio * 2.0 / math.log(1.0 + instance.noise_sd**-2),
        f"C_1, {instance.text}",
    )
    yield equal(variance_sum_constant(instance.noise_sd), 2.0 / math.log(1.0 + instance.noise_sd**-2), "C")
    start = 0
    for record in history:
        first = start if fresh else 0
        points = np.concatenate([r.query for r in history])[first : start + record.size]
        mean, variance = _dense_posterior(
            modelled.covariance, points, observations[first : start + record.size], regulariser * instance.noise_sd**2
        )
        start += record.size
        where = f"batch {record.number}, {instance.text}"
        error = float(np.abs(record.mean - mean[record.modelled]).max())
        yield at_most(error, POSTERIOR_TOLERANCE * instance.norm, f"posterior mean, {where}")
        error = float(np.abs(record.sd**2 - variance[record.modelled]).max())
        yield at_most(error, POSTERIOR_TOLERANCE, f"posterior variance, {where}")
