"""Runs for the statements about confidence bounds and elimination: seeded runs, free searches, extreme cases.

Every posterior here comes from one dense solve of equations (15) and (16), at all candidates and from the batch's own
points; the policies keep theirs by recursive updates, and only at the candidates they need.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import linalg

from companion.bounds.confidence import UnionBoundWidth
from companion.checks.instance import Instance
from companion.core.arrays import Flags, Floats, Indices
from companion.core.randomness import stream
from companion.gp import FinitePosterior, expansion, kernel_by_name
from companion.information import information_gain
from companion.papers.batched.method.policy import BPE, BatchRecord, RobustBPE
from companion.papers.batched.method.sizes import power_sizes
from companion.papers.batched.problems.catalogue import (
    KERNEL_TITLES,
    ModelledProblem,
    grid_covariance,
    known_norm_problem,
)
from companion.papers.batched.theory.runs import OfKernel, Played, direct_posterior, play
from companion.problems import FiniteProblem, ball_neighbours

#: By how much extreme cases stay inside what is allowed, so that rounding does not decide which side they are on.
SHRINK = 1e-6


@dataclass(frozen=True, eq=False)
class View:
    """A batch as the statements see it: N candidates, everything recomputed from the points and values of the batch.

    ``mean`` and ``sd`` are the posterior at all candidates, ``gain`` is the realised information gain I_i.
    """

    query: Indices
    active: Flags
    survivors: Flags
    mean: Floats
    sd: Floats
    gain: float


@dataclass(frozen=True, eq=False)
class Run:
    """The true values, the width in use, and the batches."""

    problem: FiniteProblem
    width: float
    views: tuple[View, ...]

    @property
    def valid(self) -> bool:
        """Whether every candidate is within the width in every batch (the event of Propositions 1 and 6)."""
        return all(bool(np.all(np.abs(self.problem.values - v.mean) <= self.width * v.sd)) for v in self.views)


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of one configuration; ``noise_sd`` is sigma, ``largest_prior`` the largest k(x, x)."""

    where: str
    noise_sd: float
    largest_prior: float
    runs: tuple[Run, ...]


def seen(played: Played) -> Run:
    """The run with every batch's posterior and gain recomputed."""
    covariance, variance = played.modelled.covariance, played.variance
    views = (
        _view(record, covariance, variance, values)
        for record, values in zip(played.history, played.observed, strict=True)
    )
    return Run(played.problem, played.history[0].width, tuple(views))


def _view(record: BatchRecord, covariance: Floats, variance: float, values: Floats) -> View:
    mean, sd = direct_posterior(covariance, variance, record.query, values)
    gain = information_gain(covariance, record.query, variance)
    return View(record.query, record.active, record.survivors, mean, sd, gain)


# -- seeded runs -------------------------------------------------------------------------------------------------------


class ValiditySetting(OfKernel, Instance):
    """A configuration of seeded runs: functions of norm Psi on a grid of [0, 1]^d, batch sizes of eq. (6).

    ``construction`` is one of those of :func:`~companion.papers.batched.problems.catalogue.known_norm_problem`, or ``"bump"``:
    the function that is largest where the first batch leaves the largest uncertainty. ``radius`` is xi; 0 is the standard
    setting. ``regulariser`` is lambda / sigma^2, and ``share`` the norm of the functions divided by Psi.
    """

    kernel: str
    dim: int
    noise_sd: float
    norm: float
    construction: str
    per_axis: int = 40
    lengthscale: float = 0.2
    horizon: int = 120
    a: float = 0.6
    delta: float = 0.1
    seeds: int = 240
    radius: float = 0.0
    regulariser: float = 1.0
    share: float = 1.0

    @property
    def sizes(self) -> tuple[int, ...]:
        """N_1..N_B of eq. (6)."""
        return power_sizes(self.horizon, self.a)

    @property
    def candidates(self) -> int:
        """Size of the domain."""
        return self.per_axis**self.dim

    @property
    def where(self) -> str:
        """The configuration in words."""
        robust = f", xi = {self.radius:g}" if self.radius else ""
        return (
            f"{self.title}, d = {self.dim}, noise {self.noise_sd:g}, norm {self.norm:g} "
            f"({self.construction}){robust}, {self.candidates} points, T = {self.horizon}, "
            f"delta {self.delta:g}, {self.seeds} seeds"
        )

    def theory_width(self) -> float:
        """The width of Propositions 1 and 6."""
        return UnionBoundWidth(self.norm, self.candidates, len(self.sizes), self.delta).width()


@lru_cache(maxsize=64)
def seeded_runs(setting: ValiditySetting, width: float) -> Runs:
    """Runs of a configuration with the given width; cached, since several statements look at the same ones."""
    runs, variance = [], setting.regulariser * setting.noise_sd**2
    for seed in range(setting.seeds):
        modelled = _problem(setting, seed)
        noise = setting.noise_sd * stream(seed, "batched", "statements", "noise").standard_normal(setting.horizon)
        runs.append(seen(play(modelled, variance, setting.sizes, width, noise)))
    return Runs(setting.where, setting.noise_sd, 1.0, tuple(runs))


def _problem(setting: ValiditySetting, seed: int) -> ModelledProblem:
    kernel = kernel_by_name(setting.kernel, setting.lengthscale)
    covariance = grid_covariance(kernel, setting.per_axis, setting.dim)
    modelled = known_norm_problem(
        kernel,
        stream(seed, "batched", "statements", "function"),
        points_per_axis=setting.per_axis,
        dim=setting.dim,
        norm=setting.share * setting.norm,
        noise_sd=setting.noise_sd,
        construction="expansion" if setting.construction == "bump" else setting.construction,
    )
    problem, values = modelled.problem, modelled.problem.values
    if setting.construction == "bump":
        posterior = FinitePosterior(covariance, setting.noise_sd**2, capacity=setting.sizes[0])
        posterior.select_max_variance(setting.sizes[0])
        centre = np.array([int(np.argmax(posterior.variance[0]))])
        values = expansion(kernel, problem.points, centre, np.ones(1), modelled.known_norm).values
    neighbours = ball_neighbours(problem.points, setting.radius) if setting.radius else None
    moved = FiniteProblem(problem.name, problem.points, values, setting.noise_sd, problem.source, neighbours)
    return ModelledProblem(moved, covariance, modelled.norm)


def valid_only(found: Runs) -> Runs:
    """The runs in which all confidence bounds hold: what the deterministic statements speak about."""
    return Runs(found.where, found.noise_sd, found.largest_prior, tuple(run for run in found.runs if run.valid))


# -- free search: any function and any posterior mean within the width -------------------------------------------------


def scattered(kernel: str, dim: int, seed: int, count: int, stretch: float = 1.0) -> tuple[Floats, Floats]:
    """``count`` random points of [0, 1]^dim that are not too close, and their covariance, which is well conditioned.

    The length-scale is ``stretch`` times 0.05 in one dimension, and 0.15 in more.
    """
    generator = stream(seed, "batched", "statements", "points", kernel, dim)
    pool = generator.random((400, dim))
    chosen = [0]
    while len(chosen) < count:  # farthest-point order keeps the covariance well conditioned
        distance = np.linalg.norm(pool[:, None, :] - pool[chosen][None, :, :], axis=2).min(axis=1)
        chosen.append(int(np.argmax(distance)))
    points = pool[chosen]
    return points, np.asarray(kernel_by_name(kernel, stretch * (0.05 if dim == 1 else 0.15))(points))


def scripted_run(
    points: Floats, covariance: Floats, noise_sd: float, width: float, shape: Floats, push: Floats, nb: Flags | None
) -> Run:
    """Two batches of equal size whose noise makes the first posterior mean ``shape * width * sd``.

    The deterministic statements assume nothing about the noise but valid bounds, so this is an instance of them where the
    bounds hold. The true function is the mean plus ``push * width * sd``. When the second batch repeats the points of the
    first, it also repeats the observations; otherwise it sees the true values.

    Parameters
    ----------
    points, covariance : the N candidates
    noise_sd, width : sigma and sqrt(beta)
    shape, push : (N,) see above; ``push`` in [-1, 1]
    nb : (N, N) neighbourhoods, or ``None`` for BPE
    """
    variance, sizes = noise_sd**2, (3 * len(points), 3 * len(points))
    policy = (
        BPE(covariance, variance, sizes, width) if nb is None else RobustBPE(covariance, variance, sizes, width, nb)
    )
    query = policy.ask(sum(sizes)).query
    sampled, places, repeats = np.unique(query, return_inverse=True, return_counts=True)
    sd = direct_posterior(covariance, variance, query, np.zeros(len(query)))[1]
    wanted = shape * width * sd
    part = covariance[np.ix_(sampled, sampled)]
    averages = wanted[sampled] + (variance / repeats) * linalg.solve(part, wanted[sampled], assume_a="pos")
    observed = averages[places]
    mean, _ = direct_posterior(covariance, variance, query, observed)  # equals ``wanted`` where everything was sampled
    values = mean + (1.0 - SHRINK) * push * width * sd
    problem = FiniteProblem("scripted", points, values, noise_sd, "free search (companion)", nb)
    policy.tell(observed)
    views = [_view(policy.history[-1], covariance, variance, observed)]
    later = policy.ask(sizes[1]).query
    seen = observed if np.array_equal(later, query) else values[later]
    policy.tell(seen)
    views.append(_view(policy.history[-1], covariance, variance, seen))
    return Run(problem, width, tuple(views))


@lru_cache(maxsize=256)
def searched_runs(
    kernel: str, dim: int, noise_sd: float, *, robust: bool, count: int, stretch: float = 1.0, width: float = 3.0
) -> Runs:
    """The extreme case and up to ``count`` random ones on twelve scattered points, all with valid confidence bounds.

    In the extreme case the bounds of a good point and of bad ones just overlap, while all are as far off as allowed: the
    true values then differ by two widths at either point. In the robust setting the same at their neighbourhoods.
    """
    size = 12
    points, covariance = scattered(kernel, dim, 0, size, stretch)
    generator = stream(0, "batched", "statements", "search", kernel, dim, int(robust))
    runs = []
    for trial in range(count + 1):
        shape, push = 0.5 * generator.standard_normal(size), generator.uniform(-1.0, 1.0, size)
        relation = np.eye(size, dtype=bool) | (generator.random((size, size)) < 0.15)
        if trial == 0:
            relation = np.eye(size, dtype=bool)
            relation[-1, -2] = relation[0, 1] = relation[4, 0] = relation[5, -1] = True
            shape = np.full(size, -(1.0 - SHRINK))
            shape[-2:] *= -1.0  # the last two are good
            push = np.sign(shape)
        run = scripted_run(points, covariance, noise_sd, width, shape, push, relation if robust else None)
        if run.valid:
            runs.append(run)
    title = f"free search, {KERNEL_TITLES[kernel]}, d = {dim}, length-scale x {stretch:g}, noise {noise_sd:g}, {len(runs)} runs"
    return Runs(title, noise_sd, float(covariance.diagonal().max()), tuple(runs))


def broken_runs() -> Runs:
    """Two candidates of which one is three widths off: what statements with valid confidence bounds must refuse."""
    one, both = np.zeros(1, dtype=np.intp), np.ones(2, dtype=bool)
    problem = FiniteProblem("broken", np.arange(2.0)[:, None], np.array([0.0, 3.0]), 1.0, "companion")
    view = View(one, both, both, np.zeros(2), np.ones(2), 0.5 * float(np.log(2.0)))
    return Runs("bounds that fail", 1.0, 1.0, (Run(problem, 1.0, (view,)),))


def anticorrelated_run(norm: float, delta: float) -> Runs:
    """Two candidates with k(x, x') = -1, the worse one first: in batch 1 BPE evaluates nothing else.

    Its regret is 2 Psi a round, as large as the norm allows; with a large norm Psi is most of the width. No noise.
    """
    sizes, values = (4, 2), np.array([-norm, norm])
    problem = FiniteProblem("anticorrelated", np.arange(2.0)[:, None], values, 1.0, "two opposite points (companion)")
    modelled = ModelledProblem(problem, np.array([[1.0, -1.0], [-1.0, 1.0]]), norm)
    width = UnionBoundWidth(norm, 2, len(sizes), delta).width()
    run = seen(play(modelled, 1.0, sizes, width, np.zeros(sum(sizes))))
    return Runs(f"two opposite points, norm {norm:g}, noise 1", 1.0, 1.0, (run,))
