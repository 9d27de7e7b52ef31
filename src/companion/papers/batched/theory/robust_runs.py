"""Runs of BPE and robust-BPE that several statements of Section 5 and Appendices C and D are checked on.

A :class:`Setting` names a configuration; :func:`runs` plays it once per process. Random settings draw a new function
of norm Psi and new noise for every seed; structured ones keep the function and redraw the noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from companion.bounds.confidence import UnionBoundWidth
from companion.checks.instance import Instance
from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.gp import grid, kernel_by_name
from companion.information import gain_bracket_curve
from companion.papers.batched.method.sizes import batch_sizes, constant_sizes, older_constant_sizes
from companion.papers.batched.problems.catalogue import (
    CONSTRUCTIONS,
    ModelledProblem,
    grid_covariance,
    known_norm_problem,
)
from companion.papers.batched.theory.bounds import batch_bounds, per_round_bounds
from companion.papers.batched.theory.chain import coverage
from companion.papers.batched.theory.runs import OfKernel, Played, play
from companion.problems import FiniteProblem, ball_neighbours

LENGTHSCALE, NORM, DELTA = 0.2, 1.0, 0.2
RUNS, STRUCTURED_RUNS, REFINED_RUNS, SLOPE_RUNS = 100, 3, 5, 4
#: Points per axis of the random problems, and radii that reach the nearest points along every axis.
AXIS, RADIUS = {1: 30, 2: 6, 3: 4}, {1: 0.04, 2: 0.21, 3: 0.34}


class RobustSetting(OfKernel, Instance):
    """A configuration to be played.

    Parameters
    ----------
    kernel, dim, noise_sd, horizon : as everywhere; SE stands for nu = inf
    rule : ``"power"`` (eq. 6, with ``a``), ``"older"`` (App. D.1.1) or ``"constant"`` (App. D.1.2), with ``batches``, or
        ``"given"``, with ``given``; then the horizon is their sum
    robust : whether points are displaced, and robust-BPE plays
    problem : ``"random"``; ``"path"``, three arms h, h, -h in a row, each of which may be displaced to its neighbours;
        ``"star"``, twelve arms h, 0, ..., 0, -h, where all but the first may be displaced to the last; ``"peak"``, twelve
        arms, one high and the others equally low, nothing displaced; ``"dropped"``, three arms 0, h, -h/2, of which the
        first two may be displaced to each other
    height : h of the structured problems
    apart : distance of neighbouring arms; at 1000, five thousand length-scales, every kernel makes them independent
    variance : k(x, x); the statements assume at most 1
    radius : how far the points of a random problem may be displaced; ``RADIUS`` when left out
    """

    kernel: str = "se"
    dim: int = 1
    noise_sd: float = 0.1
    horizon: int = 200
    rule: str = "power"
    a: float | None = None
    batches: int | None = None
    robust: bool = True
    problem: str = "random"
    height: float = 20.0
    apart: float = 1e3
    variance: float = 1.0
    given: tuple[int, ...] = ()
    radius: float | None = None

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Batch sizes by the setting's rule."""
        if self.rule == "given":
            return self.given
        return batch_sizes(self.rule, self.horizon, a=self.a, batches=self.batches, nu=self.nu, dim=self.dim)

    @property
    def structured(self) -> bool:
        """Whether the function is a fixed one."""
        return self.problem != "random"

    @property
    def where(self) -> str:
        """The setting in words."""
        what = {
            "random": "random functions",
            "path": f"three arms in a path, height {self.height:g}",
            "star": f"twelve arms that share a bad neighbour, height {self.height:g}",
            "peak": f"twelve arms, one of them high, height {self.height:g}",
            "dropped": f"three arms, height {self.height:g}, distance {self.apart:g}",
        }[self.problem]
        rule = {"power": f"a={self.a}", "given": f"sizes {self.given}"}.get(self.rule, f"B={self.batches}")
        kernel = f"{self.title}, d={self.dim}, noise {self.noise_sd:g}"
        return f"{kernel}, T={sum(self.given) or self.horizon}, {rule}, {what}"


@dataclass(frozen=True, eq=False)
class Run:
    """Quantities of one run that the bounds need; B batches.

    Parameters
    ----------
    gains : I_1..I_B in nats
    width, norm : sqrt(beta) = Psi + sqrt(2 log(|X| B / delta)), and the Psi in it
    valid : whether all confidence bounds held
    base, query : (B,) regret of each batch, charged at the active base points and at the evaluated points
    last_base : regret of the last round, charged at the base point
    """

    sizes: tuple[int, ...]
    gains: Floats
    width: float
    norm: float
    noise_sd: float
    valid: bool
    base: Floats
    query: Floats
    last_base: float

    def bounds(self, elimination: float, first: float = 2.0, norm: float = 1.0) -> Floats:
        """(B,) bounds first N_1 sqrt(beta) and elimination sqrt(C beta) N_i sqrt(I_{i-1}/N_{i-1}).

        ``norm`` multiplies the Psi in sqrt(beta).
        """
        width = self.width - (1.0 - norm) * self.norm
        return batch_bounds(self.sizes, self.gains, width, self.noise_sd, elimination=elimination, first=first)

    def last_bound(self, elimination: float, capped: bool) -> float:
        """Bound on the regret of the last round, with realised gains; ``capped`` at 2 sqrt(beta)."""
        found = per_round_bounds(
            self.sizes, self.gains, self.width, self.noise_sd, elimination=elimination, capped=capped
        )
        return float(found[-1])


def random_problem(setting: RobustSetting, seed: int) -> ModelledProblem:
    """A function of norm Psi on a small grid; its construction changes with the seed (expansion, eigen, sphere)."""
    base = known_norm_problem(
        kernel_by_name(setting.kernel, LENGTHSCALE, setting.variance),
        stream(seed, "batched", "robust-statements", "function"),
        points_per_axis=AXIS[setting.dim],
        dim=setting.dim,
        norm=NORM,
        noise_sd=setting.noise_sd,
        construction=CONSTRUCTIONS[seed % len(CONSTRUCTIONS)],
    )
    if not setting.robust:
        return base
    radius = RADIUS[setting.dim] if setting.radius is None else setting.radius
    return replace(base, problem=replace(base.problem, neighbours=_near(setting.dim, radius)))


@lru_cache(maxsize=4)
def _near(dim: int, radius: float) -> NDArray[np.bool_]:
    return ball_neighbours(grid(AXIS[dim], dim), radius)


@lru_cache(maxsize=16)
def structured_problem(setting: RobustSetting) -> ModelledProblem:
    """The fixed functions of :class:`Setting`."""
    height = setting.height
    if setting.problem == "path":
        values = height * np.array([1.0, 1.0, -1.0])
        relation = np.abs(np.subtract.outer(np.arange(3), np.arange(3))) <= 1
    elif setting.problem == "star":
        values = height * np.concatenate(([1.0], np.zeros(10), [-1.0]))
        relation = np.eye(12, dtype=bool)
        relation[1:, -1] = True
    elif setting.problem == "dropped":
        values = height * np.array([0.0, 1.0, -0.5])
        relation = np.eye(3, dtype=bool)
        relation[:2, :2] = True
    elif setting.problem == "peak":
        values = height * np.concatenate(([1.0], np.full(11, -1.0 / 11.0)))
        relation = np.eye(12, dtype=bool)
    else:
        raise ParameterError("problem", f"got {setting.problem!r}", "path, star, peak, dropped or random")
    points = np.zeros((len(values), setting.dim))
    points[:, 0] = setting.apart * np.arange(len(values))
    covariance = kernel_by_name(setting.kernel, LENGTHSCALE, setting.variance)(points)
    norm = float(np.sqrt(values @ np.linalg.solve(covariance, values)))
    neighbours = relation if setting.robust else None
    problem = FiniteProblem(setting.problem, points, values, setting.noise_sd, "independent arms", neighbours)
    return ModelledProblem(problem, covariance, norm)


def one_run(setting: RobustSetting, seed: int, refinement: str = "none") -> Played:
    """One run with the theory width at delta = ``DELTA``; the seed draws the function (unless fixed) and the noise.

    ``refinement`` is that of :class:`~companion.papers.batched.method.policy.RobustBPE`.
    """
    modelled = structured_problem(setting) if setting.structured else random_problem(setting, seed)
    sizes = setting.sizes
    width = UnionBoundWidth(modelled.known_norm, modelled.problem.size, len(sizes), DELTA).width()
    noise = setting.noise_sd * stream(seed, "batched", "robust-statements", "noise").standard_normal(sum(sizes))
    return play(modelled, setting.noise_sd**2, sizes, width, noise, refinement=refinement)


def summary(run: Played) -> Run:
    """The numbers of a run that the bounds are compared with."""
    history, problem = run.history, run.problem
    # Of plain BPE, which has no neighbourhoods, this is the ordinary regret.
    regret = problem.robust_regret
    return Run(
        sizes=tuple(record.size for record in history),
        gains=np.array([record.gain for record in history]),
        width=history[0].width,
        norm=run.modelled.known_norm,
        noise_sd=problem.noise_sd,
        valid=bool(coverage(history, problem.values)["valid"]),
        base=np.array([regret[record.charged].sum() for record in history]),
        query=np.array([regret[record.query].sum() for record in history]),
        last_base=float(regret[history[-1].charged[-1]]),
    )


@lru_cache(maxsize=64)
def runs(setting: RobustSetting) -> tuple[Run, ...]:
    """``RUNS`` runs of a random setting, ``STRUCTURED_RUNS`` of a structured one."""
    count = STRUCTURED_RUNS if setting.structured else RUNS
    return tuple(summary(one_run(setting, seed)) for seed in range(count))


@lru_cache(maxsize=64)
def mean_regret(setting: RobustSetting) -> float:
    """Mean regret of ``SLOPE_RUNS`` runs, charged at the active points."""
    return float(np.mean([summary(one_run(setting, seed)).base.sum() for seed in range(SLOPE_RUNS)]))


@lru_cache(maxsize=64)
def refined(setting: RobustSetting, refinement: str) -> tuple[Played, ...]:
    """Runs of robust-BPE with a smaller sampling set (App. C); only those whose confidence bounds held."""
    found = (one_run(setting, seed, refinement) for seed in range(REFINED_RUNS))
    return tuple(run for run in found if coverage(run.history, run.problem.values)["valid"])


@lru_cache(maxsize=64)
def gain_upper(setting: RobustSetting) -> dict[int, float]:
    """Certified upper bounds on gamma_n at n = N_1..N_B and T, made so that gamma_n / n does not increase with n.

    gamma_n <= (n/m) gamma_m for m < n, because the information gain is submodular.
    """
    if setting.structured:
        covariance = structured_problem(setting).covariance
    else:
        kernel = kernel_by_name(setting.kernel, LENGTHSCALE, setting.variance)
        covariance = grid_covariance(kernel, AXIS[setting.dim], setting.dim)
    counts = sorted({*setting.sizes, setting.horizon})
    found: dict[int, float] = {}
    for bracket in gain_bracket_curve(covariance, counts, setting.noise_sd**2):
        n = bracket.horizon
        found[n] = min([bracket.upper, *(n / m * value for m, value in found.items())])
    return found


def end_points_increase(setting: RobustSetting) -> bool:
    """Whether the setting's fixed-B rule gives positive sizes: 0 < t_1 < ... < t_B = T, or a positive last batch."""
    assert setting.batches is not None  # only the fixed-B rules are asked
    rule = {"constant": constant_sizes, "older": older_constant_sizes}[setting.rule]
    return min(rule(setting.horizon, setting.batches, setting.nu, setting.dim, allow_invalid=True)) > 0
