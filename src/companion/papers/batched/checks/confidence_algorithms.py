"""Statements: the two algorithms, as constructions with listed properties.

What a line of the pseudo-code says is recomputed from the run's points and values alone, with a dense solve per pick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, product
from operator import attrgetter

import numpy as np

from companion.checks.cases import Case, none_of
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Flags, Floats
from companion.core.randomness import stream
from companion.gp import grid, kernel_by_name, rkhs_expansion
from companion.papers.batched.method.policy import BatchRecord
from companion.papers.batched.problems.catalogue import KERNEL_TITLES, ModelledProblem
from companion.papers.batched.theory.runs import OfKernel, Played, direct_posterior, play
from companion.problems import FiniteProblem, Neighbourhood, ball_neighbours

#: Relative difference up to which two posterior variances count as tied: the paper does not say how ties are broken.
TIE = 1e-8

#: Between the policy's posterior and a dense solve, at prior variance 1 and noise variance of at least 1e-2.
MODEL_TOLERANCE = 1e-8


class SmallProblem(OfKernel, Instance):
    """A function of norm 2 on a small grid of [0, 1]^d, batch sizes, and a width at which points are eliminated.

    ``radius`` is xi. ``per_axis``: points per axis.
    """

    kernel: str
    dim: int
    noise_sd: float
    sizes: tuple[int, ...] = (5, 14, 20)
    width: float = 1.0
    radius: float = 0.0
    seed: int = 0

    @property
    def where(self) -> str:
        """The problem in words."""
        robust = f", xi = {self.radius:g}" if self.radius else ""
        sizes = " + ".join(map(str, self.sizes))
        return f"{self.title}, d = {self.dim}, noise {self.noise_sd:g}{robust}, batches {sizes}, seed {self.seed}"

    @property
    def points(self) -> Floats:
        """The candidates."""
        return grid(18 if self.dim == 1 else 5, self.dim)

    @property
    def covariance(self) -> Floats:
        """Prior covariance of the candidates."""
        return np.asarray(kernel_by_name(self.kernel, 0.2)(self.points))

    def values(self) -> Floats:
        """The true function."""
        generator = stream(self.seed, "batched", "statements", "small", "function")
        return rkhs_expansion(kernel_by_name(self.kernel, 0.2), self.points, generator, norm=2.0).values

    def noise(self, changed_from: int | None = None) -> Floats:
        """Noise of the run; from place ``changed_from`` on, another draw."""
        horizon = sum(self.sizes)
        drawn = stream(self.seed, "batched", "statements", "small", "noise").standard_normal(horizon)
        if changed_from is not None:
            other = stream(self.seed, "batched", "statements", "small", "other noise").standard_normal(horizon)
            drawn = np.concatenate([drawn[:changed_from], other[changed_from:]])
        return self.noise_sd * drawn


@lru_cache(maxsize=256)
def play_small(
    problem: SmallProblem, robust: bool, reading: str = "intended", changed_from: int | None = None
) -> Played:
    """Run BPE or robust-BPE on the problem."""
    neighbours = ball_neighbours(problem.points, problem.radius) if robust else None
    function = FiniteProblem("small", problem.points, problem.values(), problem.noise_sd, "companion", neighbours)
    modelled = ModelledProblem(function, problem.covariance, 2.0)
    noise = problem.noise(changed_from)
    return play(modelled, problem.noise_sd**2, problem.sizes, problem.width, noise, reading=reading)


# -- properties, each as a number of violations among a number of places -----------------------------------------------


def _partition(problem: SmallProblem, played: Played) -> Case:
    wrong = sum(len(r.query) != size for r, size in zip(played.history, problem.sizes, strict=True))
    wrong += int(not played.history[0].active.all())
    wrong += sum(not np.array_equal(a.survivors, b.active) for a, b in pairwise(played.history))
    checked = 2 * len(problem.sizes)
    return none_of(wrong, checked, f"{problem.where}: batches of the sizes given, from all candidates on")


#: Of the batches so far, those that the posterior knows.
OWN_BATCH, ALL_BATCHES = slice(-1, None), slice(None)


def _picks(problem: SmallProblem, played: Played, allowed: list[Flags], memory: slice) -> Case:
    """Every pick has the largest posterior variance over the allowed points, given the picks that are remembered."""
    wrong, checked = 0, 0
    for number, (record, mask) in enumerate(zip(played.history, allowed, strict=True), 1):
        past = [known.query for known in played.history[:number][memory]][:-1]
        for place, pick in enumerate(record.query):
            known = np.concatenate([*past, record.query[:place]])
            sd = direct_posterior(problem.covariance, problem.noise_sd**2, known, np.zeros(len(known)))[1]
            # A record says of its own which points it sampled; the property asks for the set that the line names.
            wrong += int(not mask[pick] or sd[pick] ** 2 < (1.0 - TIE) * float(sd[mask].max()) ** 2)
            checked += 1
    return none_of(wrong, checked, f"{problem.where}: picks of largest variance")


def _blindness(problem: SmallProblem, played: Played, robust: bool) -> Case:
    """With other values from batch i on, the points up to and including batch i are the same."""
    wrong, start = 0, 0
    for number, size in enumerate(problem.sizes):
        other = play_small(problem, robust, changed_from=start)
        pairs = zip(played.history[: number + 1], other.history[: number + 1], strict=True)
        wrong += sum(not np.array_equal(a.query, b.query) for a, b in pairs)
        start += size
    count = len(problem.sizes)
    return none_of(wrong, count * (count + 1) // 2, f"{problem.where}: batches chosen before their values are seen")


def _models(problem: SmallProblem, played: Played, memory: slice) -> tuple[list[tuple[Floats, Floats]], Case]:
    """Posteriors of the batches by dense solves, and whether the policy's agree."""
    found, wrong, checked = [], 0, 0
    for number, record in enumerate(played.history, 1):
        known = np.concatenate([batch.query for batch in played.history[:number][memory]])
        seen = np.concatenate(played.observed[:number][memory])
        mean, sd = direct_posterior(problem.covariance, problem.noise_sd**2, known, seen)
        found.append((mean, sd))
        off = np.maximum(np.abs(mean[record.modelled] - record.mean), np.abs(sd[record.modelled] - record.sd))
        wrong += int((off > MODEL_TOLERANCE).sum())
        checked += len(off)
    return found, none_of(wrong, checked, f"{problem.where}: posterior of the batch's own points")


#: From the mean and the width times the standard deviation to what the largest is taken of.
Bar = Callable[[Floats, Floats], Floats]


def _eliminations(
    problem: SmallProblem,
    played: Played,
    models: list[tuple[Floats, Floats]],
    neighbours: Flags,
    rule: Bar = np.subtract,
) -> Case:
    """The survivors are those that the rule names, point by point."""
    wrong, checked = 0, 0
    for record, (mean, sd) in zip(played.history, models, strict=True):
        upper, bar = mean + problem.width * sd, rule(mean, problem.width * sd)
        alive = np.flatnonzero(record.active)
        highest = max(min(bar[neighbours[x]]) for x in alive)
        kept = {int(x) for x in alive if min(upper[neighbours[x]]) >= highest}
        wrong += len(kept ^ {int(x) for x in np.flatnonzero(record.survivors)})
        checked += len(alive)
    return none_of(wrong, checked, f"{problem.where}: survivors")


def _charges(problem: SmallProblem, played: Played, neighbours: Flags) -> Case:
    """The charged point is active, and the evaluated one is among its neighbours."""
    wrong, checked = 0, 0
    for record in played.history:
        good = record.active[record.charged] & neighbours[record.charged, record.query]
        wrong += int((~good).sum())
        checked += len(good)
    return none_of(wrong, checked, f"{problem.where}: charged points that are active")


# -- Algorithm 2 -------------------------------------------------------------------------------------------------------


def _reached(neighbours: Flags, active: Flags) -> Flags:
    """The points that an active candidate can be displaced to, equation (164)."""
    return Neighbourhood(neighbours).union(active)


def _reduction(problem: SmallProblem, radius: float) -> Case:
    moved = replace(problem, radius=radius)
    robust, plain = play_small(moved, robust=True), play_small(moved, robust=False)
    pairs = list(zip(robust.history, plain.history, strict=True))
    wrong = sum(int((a.query != b.query).sum()) + int((a.survivors != b.survivors).sum()) for a, b in pairs)
    checked = sum(len(a.query) + len(a.survivors) for a, _ in pairs)
    return none_of(wrong, checked, f"{moved.where}: picks and survivors as those of BPE")


def standard_problems() -> list[SmallProblem]:
    """Four kernels, two dimensions, three noise levels."""
    return [
        SmallProblem(kernel, dim, noise, seed=seed)
        for seed, (kernel, dim) in enumerate(product(KERNEL_TITLES, (1, 2)))
        for noise in (0.1, 0.3, 1.0)
    ]


def robust_problems() -> list[SmallProblem]:
    """The same with displacements of up to the distance of neighbouring grid points."""
    return [replace(p, radius=0.12 if p.dim == 1 else 0.25) for p in standard_problems()]


_INCREASING = need(
    r"at least two batches, none empty",
    lambda problem: len(problem.sizes) >= 2 and min(problem.sizes) >= 1,
    SmallProblem("se", 1, 0.1, sizes=(5,)),
)


@statement(
    "algorithm-2",
    "construction",
    standard_problems,
    _INCREASING,
    teeth={
        "posteriors that remember earlier batches": {"memory": ALL_BATCHES},
        "sampling over all candidates": {"sampled": lambda record: np.ones_like(record.active)},
        "elimination against the largest mean": {"rule": lambda mean, _: mean},
    },
)
def algorithm_2(
    problem: SmallProblem,
    *,
    memory: slice = OWN_BATCH,
    sampled: Callable[[BatchRecord], Flags] = attrgetter("active"),
    rule: Bar = np.subtract,
) -> Iterator[Case]:
    r"""Per batch: $N_i$ times $x_t=\argmax_{\mathcal X_i}\sigma^i_{j-1}$; observe; $\mathcal X_{i+1}=\{x\in\mathcal
    X_i:UCB_i(x)\ge\max_{\mathcal X_i}LCB_i\}$; posteriors from batch $i$ only

    Batches have the sizes given and start from all candidates (line 1); picks (lines 5 to 7) are made without a look at the
    batch's values (line 9); posteriors (line 10) and survivors (line 12) are recomputed.
    """
    played = play_small(problem, robust=False)
    models, agreement = _models(problem, played, memory)
    yield _partition(problem, played)
    yield _picks(problem, played, [sampled(record) for record in played.history], memory)
    yield _blindness(problem, played, robust=False)
    yield agreement
    yield _eliminations(problem, played, models, np.eye(len(problem.points), dtype=bool), rule)


@statement(
    "algorithm-1",
    "construction",
    robust_problems,
    _INCREASING,
    teeth={
        "compared with Algorithm 2 at a positive xi": {"reduced": 0.25},
        "posteriors that remember earlier batches": {"memory": ALL_BATCHES},
        "sampling over active points only": {"sampled": lambda neighbours, active: active},
        "elimination by a point's own bounds": {"compared": lambda neighbours: np.eye(len(neighbours), dtype=bool)},
    },
    depends="algorithm-2",
    corrected=fix(
        r"line 7 chooses the evaluated point $z=x_t+\delta_t$, and $x_t$ is an active point with $z$ among its neighbours",
        other=True,
        reading="intended",
    ),
)
def algorithm_1(
    problem: SmallProblem,
    *,
    reading: str = "literal",
    memory: slice = OWN_BATCH,
    sampled: Callable[[Flags, Flags], Flags] = _reached,
    compared: Callable[[Flags], Flags] = np.asarray,
    reduced: float = 0.0,
) -> Iterator[Case]:
    r"""Per batch: $N_i$ times $x_t=\argmax_{\mathcal X_{\xi,i}}\sigma^i_{j-1}$; observe; $\mathcal X_{i+1}=\{x\in\mathcal
    X_i:\min_{\delta\in\Delta_\xi(x)}UCB_i(x+\delta)\ge\max_{x'\in\mathcal
    X_i}\min_{\delta\in\Delta_\xi(x')}LCB_i(x'+\delta)\}$; regret is charged to $x_t\in\mathcal X_i$; with $\xi=0$ it
    is Algorithm 2

    As for Algorithm 2, but picks come from :math:`\mathcal X_{\xi,i}`, the neighbourhoods of the active points (line 4),
    and bounds are compared by their minima over neighbourhoods (line 13). Besides, the regret of Section 2.2 is charged to
    an active point that can be displaced to the evaluated one, and with xi = 0 the picks are those of Algorithm 2.
    """
    neighbours = ball_neighbours(problem.points, problem.radius)
    played = play_small(problem, robust=True, reading=reading)
    allowed = [sampled(neighbours, record.active) for record in played.history]
    models, agreement = _models(problem, played, memory)
    yield _partition(problem, played)
    yield _picks(problem, played, allowed, memory)
    yield _blindness(problem, played, robust=True)
    yield agreement
    yield _eliminations(problem, played, models, compared(neighbours))
    yield _charges(problem, played, neighbours)
    yield _reduction(problem, reduced)
