"""Statements: Appendix A and the elimination steps (both algorithms, Lemmas 3 and 8 to 10, Propositions 1, 2 and 6).

Here stand the deterministic ones, which assume valid confidence bounds: what is eliminated, how uncertain a batch leaves
the points that it sampled, and how bad a survivor may be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from scipy import linalg

from companion.checks.cases import Case, at_most, none_of
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.arrays import Flags, Floats, Indices
from companion.core.randomness import stream
from companion.gp import FinitePosterior, grid, kernel_by_name
from companion.information import information_gain
from companion.papers.batched.checks.confidence_bounds import ROBUST_SETTINGS, STANDARD_SETTINGS
from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.papers.batched.theory.bounds import variance_sum_constant
from companion.papers.batched.theory.runs import OfKernel, direct_posterior
from companion.papers.batched.theory.valid_runs import (
    Run,
    Runs,
    anticorrelated_run,
    broken_runs,
    searched_runs,
    seeded_runs,
    valid_only,
)
from companion.problems import Neighbourhood, ball_neighbours

NOISES = (0.1, 1.0, 10.0)

#: For variances found as differences: at noise sd 0.03 they lose three of their digits, and their roots half as many.
DIFFERENCE_RTOL = 1e-6


def _valid(found: Runs) -> bool:
    return all(run.valid for run in found.runs)


VALID_BOUNDS = need("all confidence bounds hold, in all batches", _valid, broken_runs())

SMALL_PRIOR = need(
    r"$k(x,x)\le1$",
    lambda found: found.largest_prior <= 1.0 + 1e-12,
    replace(broken_runs(), largest_prior=4.0, runs=()),
)


def _searched(robust: bool) -> Iterator[Runs]:
    for stretch, kernel, dim, noise in product((1.0, 2.0), KERNEL_TITLES, (1, 2), reversed(NOISES)):
        yield searched_runs(kernel, dim, noise, robust=robust, count=12, stretch=stretch)


def standard_instances() -> Iterator[Runs]:
    """Runs of BPE with valid bounds: free search first, then an extreme first batch, then seeded runs."""
    yield from _searched(robust=False)
    yield anticorrelated_run(100.0, 0.1)
    for setting in STANDARD_SETTINGS[:5]:
        yield valid_only(seeded_runs(setting, setting.theory_width()))


def robust_instances() -> Iterator[Runs]:
    """Runs of robust-BPE with valid bounds: free search, then seeded runs."""
    yield from _searched(robust=True)
    for setting in ROBUST_SETTINGS:
        yield valid_only(seeded_runs(setting, setting.theory_width()))


# -- Proposition 2 -----------------------------------------------------------------------------------------------------


def _worst(pairs: list[tuple[float, float]], where: str) -> Case:
    """The pair (left, right) with the largest ratio as a case; a right side of zero counts as the largest."""
    left, right = max(pairs, key=lambda pair: pair[0] / pair[1] if pair[1] > 0 else np.inf)
    return at_most(left, right, f"{where}, worst of {len(pairs)}")


@statement(
    "prop-2",
    "inequality",
    standard_instances,
    VALID_BOUNDS,
    SMALL_PRIOR,
    teeth={
        "3.5 in place of the 4 in 2 sqrt(C_1) = 4 sqrt(C)": {"later": 1.75},
        "1.9 N_1 sqrt(beta) for the first batch": {"first": 1.9},
        "C in place of C_1": {"numerator": 2.0},
    },
    depends="prop-1 lemma-9 algorithm-2",
)
def prop_2(found: Runs, *, first: float = 2.0, later: float = 2.0, numerator: float = 8.0) -> Iterator[Case]:
    r"""If all confidence bounds hold, then $R^1\le2N_1\sqrt\beta$, and for $2\le i\le B$:
    $R^i\le2\sqrt{C_1\beta}\,N_i\sqrt{\gamma_{N_{i-1}}/N_{i-1}}$ with $C_1=8/\log(1+\sigma^{-2})$

    With the realised gain :math:`I_{i-1}\le\gamma_{N_{i-1}}`. The proof gives the same for the regret of a single active
    point, which is tested as well. Part 1 also needs :math:`|f|\le\sqrt\beta`, as :math:`\|f\|_k\le\Psi` gives, so it is
    tested where that is so.
    """
    constant = numerator / np.log1p(found.noise_sd**-2)
    opening, sums, points = [], [], []
    for run in found.runs:
        regret = run.problem.regret
        if np.abs(run.problem.values).max() <= run.width:
            start = run.views[0].query
            opening.append((float(regret[start].sum()), first * len(start) * run.width))
        for before, view in zip(run.views, run.views[1:], strict=False):
            allowed = later * run.width * float(np.sqrt(constant * before.gain / len(before.query)))
            sums.append((float(regret[view.query].sum()), len(view.query) * allowed))
            points.append((float(regret[view.active].max()), allowed))
    if opening:
        yield _worst(opening, f"{found.where}: batch 1")
    yield _worst(sums, f"{found.where}: later batches")
    yield _worst(points, f"{found.where}: active points")


# -- Lemma 8 -----------------------------------------------------------------------------------------------------------


@statement(
    "lemma-8",
    "inequality",
    robust_instances,
    VALID_BOUNDS,
    teeth={
        "a twentieth of the width": {"share": 0.05},
        "half the width": {"share": 0.5},
        "the best neighbour's LCB in the threshold": {"worst": max},
    },
    depends="prop-6 algorithm-1",
)
def lemma_8(found: Runs, *, share: float = 1.0, worst: Callable[[Floats], float] = min) -> Case:
    r"""If all confidence bounds hold and $x\in\mathcal X_i$ has
    $\min_{\delta\in\Delta_\xi(x)}UCB_i(x+\delta)<\max_{x'\in\mathcal
    X_i}\min_{\delta\in\Delta_\xi(x')}LCB_i(x'+\delta)$, then $x$ is not $\xi$-optimal

    The rule is applied point by point to the batch's posterior; counted are eliminated points with robust regret zero.
    """
    lost, checked = 0, 0
    for run in found.runs:
        relation, regret = run.problem.neighbourhood.relation, run.problem.robust_regret
        for view in run.views:
            reach = share * run.width * view.sd
            upper, lower = view.mean + reach, view.mean - reach
            alive = np.flatnonzero(view.active)
            bar = max(worst(lower[relation[x]]) for x in alive)
            out = [x for x in alive if min(upper[relation[x]]) < bar]
            lost += sum(regret[x] <= 0.0 for x in out)
            checked += len(alive)
    return none_of(lost, checked, f"{found.where}: optimal points eliminated")


# -- Lemma 9 -----------------------------------------------------------------------------------------------------------


class SampledBatch(OfKernel, Instance):
    """A batch of ``count`` points for a random set of active candidates of a grid, with neighbours within ``radius``.

    ``variance`` is k(x, x).
    """

    words = "{self.title}, d = {self.dim}, noise {self.noise_sd:g}, N = {self.count}, seed {self.seed}"

    kernel: str
    dim: int
    noise_sd: float
    count: int
    seed: int
    radius: float = 0.1
    variance: float = 1.0


#: From the prior, the active points and those in their neighbourhoods to the points of a batch of that size.
Sampler = Callable[[FinitePosterior, Flags, Flags, int, np.random.Generator], Indices]


def _neighbourhoods(
    prior: FinitePosterior, active: Flags, reached: Flags, count: int, random: np.random.Generator
) -> Indices:
    return np.asarray(prior.select_max_variance(count, reached)[0])


def _active_only(
    prior: FinitePosterior, active: Flags, reached: Flags, count: int, random: np.random.Generator
) -> Indices:
    return np.asarray(prior.select_max_variance(count, active)[0])


def _at_random(
    prior: FinitePosterior, active: Flags, reached: Flags, count: int, random: np.random.Generator
) -> Indices:
    return random.choice(np.flatnonzero(reached), size=count)


def lemma_9_batches() -> list[SampledBatch]:
    """Four kernels, two dimensions, four noise levels, batches of 1 to 150 points."""
    return [
        SampledBatch(kernel, dim, noise, count, seed)
        for seed, (noise, count) in enumerate(((0.3, 1), (0.03, 12), (0.1, 60), (1.0, 40), (10.0, 1), (10.0, 150)))
        for kernel, dim in product(KERNEL_TITLES, (1, 2))
    ]


@statement(
    "lemma-9",
    "inequality",
    lemma_9_batches,
    need(r"$k(x,x)\le1$", lambda batch: batch.variance <= 1.0, SampledBatch("se", 1, 0.1, 5, 0, variance=4.0)),
    teeth={
        "1.9 in place of the 2 in C": {"numerator": 1.9},
        "sampling the active points only, not their neighbours": {"sampler": _active_only},
        "sampling at random": {"sampler": _at_random},
        "each point counted once, as in a set": {"counted": np.unique},
    },
    depends="algorithm-1",
)
def lemma_9(
    batch: SampledBatch,
    *,
    numerator: float = 2.0,
    sampler: Sampler = _neighbourhoods,
    counted: Callable[[Indices], Indices] = np.asarray,
) -> Iterator[Case]:
    r"""For every $z\in\mathcal X_{\xi,i}$: $\sigma^i(z)\le\sqrt{C\gamma_{N_i}/N_i}$ with $C=2/\log(1+\sigma^{-2})$; its
    proof: $\sum_j\sigma^i_{j-1}(x_j)^2\le C\,I_i$ and $\sigma^i(z)\le\sigma^i_{N_i-1}(x_{N_i})$

    With the realised gain, of the points as ``counted``. The variances along the design are the pivots of one Cholesky factor,
    :math:`L_{jj}^2=\lambda+\sigma_{j-1}(x_j)^2`.
    """
    points = grid(50 if batch.dim == 1 else 8, batch.dim)
    covariance = np.asarray(kernel_by_name(batch.kernel, 0.15, variance=batch.variance)(points))
    generator = stream(batch.seed, "batched", "statements", "lemma-9", batch.kernel, batch.dim)
    active = generator.random(len(points)) < 0.3
    active[int(generator.integers(len(points)))] = True
    reached = Neighbourhood(ball_neighbours(points, batch.radius)).union(active)
    variance, where = batch.noise_sd**2, batch.where
    prior = FinitePosterior(covariance, variance, capacity=batch.count)
    query = sampler(prior, active, reached, batch.count, generator)
    factor = linalg.cholesky(covariance[np.ix_(query, query)] + variance * np.eye(batch.count), lower=True)
    along = np.maximum(factor.diagonal() ** 2 - variance, 0.0)
    gain = information_gain(covariance, counted(query), variance)
    constant = numerator / np.log1p(1.0 / variance)
    left = direct_posterior(covariance, variance, query, np.zeros(batch.count))[1][reached].max()
    yield at_most(float(along.sum()), constant * gain, f"{where}: sum of variances", DIFFERENCE_RTOL)
    yield at_most(float(left), float(np.sqrt(along[-1])), f"{where}: last variance", DIFFERENCE_RTOL)
    yield at_most(float(left), float(np.sqrt(constant * gain / batch.count)), f"{where}: bound", DIFFERENCE_RTOL)


# -- Lemma 10 ----------------------------------------------------------------------------------------------------------


@statement(
    "lemma-10",
    "inequality",
    robust_instances,
    VALID_BOUNDS,
    SMALL_PRIOR,
    teeth={"3.9 in place of 6": {"widths": 3.9}, "3.5 in place of 6": {"widths": 3.5}},
    depends="lemma-8 lemma-9",
)
def lemma_10(found: Runs, *, widths: float = 6.0) -> Case:
    r"""If all confidence bounds hold, every $x\in\mathcal X_{i+1}$ has $r_\xi(x)\le6\sqrt{C\beta\gamma_{N_i}/N_i}$ with
    $C=2/\log(1+\sigma^{-2})$

    With the realised gain :math:`I_i\le\gamma_{N_i}`, which is the stronger claim.
    """
    return _worst([pair for run in found.runs for pair in survivor_pairs(run, found.noise_sd, widths)], found.where)


def survivor_pairs(run: Run, noise_sd: float, widths: float) -> list[tuple[float, float]]:
    r"""Per batch, the largest robust regret of a survivor and :math:`c\sqrt{C\beta I_i/N_i}` with c = ``widths``."""
    factor, regret = variance_sum_constant(noise_sd), run.problem.robust_regret
    return [
        (float(regret[v.survivors].max()), widths * (run.width * float(np.sqrt(factor * v.gain / len(v.query)))))
        for v in run.views
    ]
