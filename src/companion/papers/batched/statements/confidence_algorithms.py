"""Statements: the two algorithms, as constructions with listed properties.

What a line of the pseudo-code says is recomputed from the run's points and values alone, with a dense solve per pick.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product

import numpy as np

from companion.arrays import Flags, Floats, Indices
from companion.checks.cases import Case, none_of
from companion.checks.statement import Assumption, Correction, statement
from companion.gp import grid, kernel_by_name, rkhs_expansion
from companion.papers.batched.method.policy import BPE, BatchRecord, RobustBPE
from companion.papers.batched.parameters import KERNEL_TITLES
from companion.papers.batched.statements.confidence_runs import direct_posterior
from companion.problems import Neighbourhood, ball_neighbours
from companion.randomness import stream

TIE = 1e-8
"""Relative difference up to which two posterior variances count as tied: the paper does not say how ties are broken."""

MODEL_TOLERANCE = 1e-8
"""Between the policy's posterior and a dense solve, at prior variance 1 and noise variance of at least 1e-2."""


@dataclass(frozen=True)
class SmallProblem:
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
        title = KERNEL_TITLES[self.kernel]
        return f"{title}, d = {self.dim}, noise {self.noise_sd:g}{robust}, batches {sizes}, seed {self.seed}"

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


@dataclass(frozen=True, eq=False)
class Played:
    """Batch records of a run, and the observations of each batch."""

    history: tuple[BatchRecord, ...]
    observed: tuple[Floats, ...]


@lru_cache(maxsize=256)
def play_small(
    problem: SmallProblem, robust: bool, reading: str = "intended", changed_from: int | None = None
) -> Played:
    """Run BPE or robust-BPE on the problem."""
    covariance, variance = problem.covariance, problem.noise_sd**2
    neighbours = ball_neighbours(problem.points, problem.radius)
    policy = (
        RobustBPE(covariance, variance, problem.sizes, problem.width, neighbours, reading=reading)
        if robust
        else BPE(covariance, variance, problem.sizes, problem.width)
    )
    values, noise, observed, start = problem.values(), problem.noise(changed_from), [], 0
    for _ in problem.sizes:
        query = policy.ask(sum(problem.sizes) - start).query
        observed.append(values[query] + noise[start : start + len(query)])
        policy.tell(observed[-1])
        start += len(query)
    return Played(tuple(policy.history), tuple(observed))


# -- properties, each as a number of violations among a number of places -----------------------------------------------


def _partition(problem: SmallProblem, played: Played) -> Case:
    wrong = sum(len(r.query) != size for r, size in zip(played.history, problem.sizes, strict=True))
    wrong += int(not played.history[0].active.all())
    wrong += sum(not np.array_equal(a.survivors, b.active) for a, b in pairwise(played.history))
    checked = 2 * len(problem.sizes)
    return none_of(wrong, checked, f"{problem.where}: batches of the sizes given, from all candidates on")


def _picks(problem: SmallProblem, played: Played, allowed: list[Flags], memory: str) -> Case:
    """Every pick has the largest posterior variance over the allowed points, given the batch's earlier picks."""
    wrong, checked, past = 0, 0, np.zeros(0, dtype=np.intp)
    for record, mask in zip(played.history, allowed, strict=True):
        for place, pick in enumerate(record.query):
            known = np.concatenate([past, record.query[:place]])
            sd = direct_posterior(problem.covariance, problem.noise_sd**2, known, np.zeros(len(known)))[1]
            # A record says of its own which points it sampled; the property asks for the set that the line names.
            wrong += int(not mask[pick] or sd[pick] ** 2 < (1.0 - TIE) * float(sd[mask].max()) ** 2)
            checked += 1
        if memory == "all":
            past = np.concatenate([past, record.query])
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


def _models(problem: SmallProblem, played: Played, memory: str) -> tuple[list[tuple[Floats, Floats]], Case]:
    """Posteriors of the batches by dense solves, and whether the policy's agree."""
    found, wrong, checked = [], 0, 0
    queries: list[Indices] = []
    values: list[Floats] = []
    for record, observed in zip(played.history, played.observed, strict=True):
        queries, values = [*queries, record.query], [*values, observed]
        last = slice(None) if memory == "all" else slice(-1, None)
        known, seen = np.concatenate(queries[last]), np.concatenate(values[last])
        mean, sd = direct_posterior(problem.covariance, problem.noise_sd**2, known, seen)
        found.append((mean, sd))
        off = np.maximum(np.abs(mean[record.modelled] - record.mean), np.abs(sd[record.modelled] - record.sd))
        wrong += int((off > MODEL_TOLERANCE).sum())
        checked += len(off)
    return found, none_of(wrong, checked, f"{problem.where}: posterior of the batch's own points")


def _eliminations(
    problem: SmallProblem, played: Played, models: list[tuple[Floats, Floats]], neighbours: Flags, rule: str
) -> Case:
    """The survivors are those that the rule names, point by point."""
    wrong, checked = 0, 0
    for record, (mean, sd) in zip(played.history, models, strict=True):
        upper, lower = mean + problem.width * sd, mean - problem.width * sd
        bar = {"lower": lower, "mean": mean, "upper": upper}[rule]
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
    moved = SmallProblem(
        problem.kernel, problem.dim, problem.noise_sd, problem.sizes, problem.width, radius, problem.seed
    )
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
    return [
        SmallProblem(p.kernel, p.dim, p.noise_sd, p.sizes, p.width, 0.12 if p.dim == 1 else 0.25, p.seed)
        for p in standard_problems()
    ]


_INCREASING = Assumption(
    r"at least two batches, none empty",
    lambda problem: len(problem.sizes) >= 2 and min(problem.sizes) >= 1,
    SmallProblem("se", 1, 0.1, sizes=(5,)),
)


@statement(
    "algorithm-2",
    "construction",
    standard_problems,
    teeth={
        "posteriors that remember earlier batches": {"memory": "all"},
        "sampling over all candidates": {"sampled": "all"},
        "elimination against the largest mean": {"rule": "mean"},
    },
    assumes=(_INCREASING,),
    note="The text leaves open how ties are broken; here the lowest index wins",
    anchor="one-batch-where-confidence-comes-from",
)
def algorithm_2(
    problem: SmallProblem, *, memory: str = "batch", sampled: str = "active", rule: str = "lower"
) -> Iterator[Case]:
    r"""Per batch: $N_i$ times $x_t=\argmax_{\mathcal X_i}\sigma^i_{j-1}$; observe; $\mathcal X_{i+1}=\{x\in\mathcal
    X_i:UCB_i(x)\ge\max_{\mathcal X_i}LCB_i\}$; posteriors from batch $i$ only

    Batches have the sizes given and start from all candidates (line 1); every pick has the largest
    :math:`\sigma^i_{j-1}` over :math:`\mathcal X_i` (lines 5 to 7), without a look at the batch's values (line 9);
    :math:`\mu^i,\sigma^i` know the batch's own points only (line 10); survivors have
    :math:`UCB_i(x)\ge\max_{\mathcal X_i}LCB_i` (line 12).

    Parameters
    ----------
    memory : posteriors of the ``"batch"``, or of ``"all"`` points so far
    sampled : over which points variances are compared: the ``"active"`` ones, or ``"all"``
    rule : what line 12 takes the maximum of: ``"lower"`` bounds, the ``"mean"`` or ``"upper"`` bounds
    """
    played = play_small(problem, robust=False)
    everything = np.ones(len(problem.points), dtype=bool)
    allowed = [r.active if sampled == "active" else everything for r in played.history]
    models, agreement = _models(problem, played, memory)
    yield _partition(problem, played)
    yield _picks(problem, played, allowed, memory)
    yield _blindness(problem, played, robust=False)
    yield agreement
    yield _eliminations(problem, played, models, np.eye(len(problem.points), dtype=bool), rule)


@statement(
    "algorithm-1",
    "construction",
    robust_problems,
    teeth={
        "compared with Algorithm 2 at a positive xi": {"reduced": 0.25},
        "posteriors that remember earlier batches": {"memory": "all"},
        "sampling over active points only": {"sampled": "active"},
        "elimination by a point's own bounds": {"displaced": False},
    },
    assumes=(_INCREASING,),
    depends=("algorithm-2",),
    corrected=Correction(
        r"line 7 chooses the evaluated point $z=x_t+\delta_t$, and $x_t$ is an active point with $z$ among its neighbours",
        {"reading": "intended"},
        constant=False,
    ),
    note="Everything but the name of the charged point is as printed",
    anchor="robust-optima",
)
def algorithm_1(
    problem: SmallProblem,
    *,
    reading: str = "literal",
    memory: str = "batch",
    sampled: str = "neighbours",
    displaced: bool = True,
    reduced: float = 0.0,
) -> Iterator[Case]:
    r"""Per batch: $N_i$ times $x_t=\argmax_{\mathcal X_{\xi,i}}\sigma^i_{j-1}$; observe; $\mathcal X_{i+1}=\{x\in\mathcal
    X_i:\min_{\delta\in\Delta_\xi(x)}UCB_i(x+\delta)\ge\max_{x'\in\mathcal
    X_i}\min_{\delta\in\Delta_\xi(x')}LCB_i(x'+\delta)\}$; regret is charged to $x_t\in\mathcal X_i$; with $\xi=0$ it
    is Algorithm 2

    As for Algorithm 2, but picks come from :math:`\mathcal X_{\xi,i}`, the neighbourhoods of the active points (line 4),
    and bounds are compared by their minima over neighbourhoods (line 13). Besides, the regret of Section 2.2 is charged to
    an active point that can be displaced to the evaluated one, and with xi = 0 the picks are those of Algorithm 2.

    Parameters
    ----------
    reading : which point is charged: ``"literal"``, the point that line 7 names; ``"intended"``, an active point near it
    memory : as in :func:`algorithm_2`
    sampled : over which points variances are compared: ``"neighbours"``, or ``"active"`` ones alone
    displaced : whether line 13 takes minima over neighbourhoods
    reduced : the xi at which the picks are compared with those of Algorithm 2
    """
    neighbours = ball_neighbours(problem.points, problem.radius)
    played = play_small(problem, robust=True, reading=reading)
    allowed = [_reached(neighbours, r.active) if sampled == "neighbours" else r.active for r in played.history]
    models, agreement = _models(problem, played, memory)
    yield _partition(problem, played)
    yield _picks(problem, played, allowed, memory)
    yield _blindness(problem, played, robust=True)
    yield agreement
    compared = neighbours if displaced else np.eye(len(problem.points), dtype=bool)
    yield _eliminations(problem, played, models, compared, "lower")
    yield _charges(problem, played, neighbours)
    yield _reduction(problem, reduced)
