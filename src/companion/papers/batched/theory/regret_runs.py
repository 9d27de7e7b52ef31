"""Runs of BPE behind the regret bounds of Section 3, one set per configuration, shared by statements and teeth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from companion.bounds.confidence import UnionBoundWidth
from companion.checks.instance import Instance
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import Kernel, grid, kernel_by_name, rkhs_expansion
from companion.information import gain_bracket_curve
from companion.papers.batched.method.sizes import original_sizes, power_sizes
from companion.papers.batched.problems.catalogue import ModelledProblem, grid_covariance, known_norm_problem
from companion.papers.batched.theory.bounds import batch_bounds
from companion.papers.batched.theory.runs import OfKernel, Played, play
from companion.problems import FiniteProblem

#: Construction: one good point among equally bad ones.
ARMS = "arms"
#: Construction: the kernel at a random centre, the highest function of its norm.
CENTRE = "centre"


class RegretSetting(OfKernel, Instance):
    """One configuration of problem and policy, as in Section 2.1.

    Parameters
    ----------
    kernel, lengthscale, dim, axis : kernel and grid of [0, 1]^dim with ``axis`` points per axis
    noise_sd : sigma
    horizon : T
    a : of rule (6); ``None`` is rule (5)
    norm : Psi, what the policy assumes
    height : RKHS norm of the function over Psi; above 1 violates the assumption
    construction : of the function, see :func:`~companion.papers.batched.problems.catalogue.known_norm_problem`, ``ARMS`` or
        ``CENTRE``
    regulariser : lambda over sigma^2; 1 in the paper
    variance : k(x, x); at most 1 in the paper
    delta, runs : failure probability, and how many seeds it is tested on
    """

    kernel: str
    lengthscale: float
    dim: int
    axis: int
    noise_sd: float
    horizon: int
    a: float | None = None
    norm: float = 1.0
    height: float = 1.0
    construction: str = "expansion"
    regulariser: float = 1.0
    variance: float = 1.0
    delta: float = 0.3
    runs: int = 42

    @property
    def where(self) -> str:
        """The configuration in words."""
        rule = "rule (5)" if self.a is None else f"a={self.a:g}"
        return (
            f"{self.title}, d={self.dim}, {self.axis**self.dim} points, {self.construction}, "
            f"noise {self.noise_sd:g}, norm {self.norm:g}, T={self.horizon}, {rule}"
        )

    @property
    def model(self) -> Kernel:
        """The kernel."""
        return kernel_by_name(self.kernel, self.lengthscale, self.variance)

    @property
    def covariance(self) -> Floats:
        """Its covariance on the grid, read-only."""
        return grid_covariance(self.model, self.axis, self.dim)

    @property
    def sizes(self) -> tuple[int, ...]:
        """N_1..N_B of the rule."""
        return original_sizes(self.horizon) if self.a is None else power_sizes(self.horizon, self.a)

    @property
    def width(self) -> float:
        """The square root of beta of Proposition 1."""
        return UnionBoundWidth(self.norm, self.axis**self.dim, len(self.sizes), self.delta).width()


def problem_of(setting: RegretSetting, seed: int) -> ModelledProblem:
    """The function of that seed, of RKHS norm ``height * norm``."""
    generator = stream(seed, "batched", "ledger", "upper", "function")
    norm = setting.height * setting.norm
    if setting.construction == CENTRE:
        points = grid(setting.axis, setting.dim)
        function = rkhs_expansion(setting.model, points, generator, norm=norm, centres=1)
        return ModelledProblem(
            FiniteProblem("centre", points, function.values, setting.noise_sd, "companion"), setting.covariance, norm
        )
    if setting.construction != ARMS:
        return known_norm_problem(
            setting.model,
            generator,
            points_per_axis=setting.axis,
            dim=setting.dim,
            norm=norm,
            noise_sd=setting.noise_sd,
            construction=setting.construction,
        )
    covariance = setting.covariance
    values = np.full(len(covariance), -1.0 / (len(covariance) - 1))
    values[generator.integers(len(covariance))] = 1.0
    # The largest gap that the norm allows between the best point and all others, for uncorrelated points.
    values *= norm / np.sqrt(values @ np.linalg.solve(covariance, values))
    points = np.arange(float(len(covariance)))[:, None]
    return ModelledProblem(FiniteProblem("arms", points, values, setting.noise_sd, "companion"), covariance, norm)


def one_run(setting: RegretSetting, seed: int) -> Played:
    """One run of BPE with the width of Proposition 1."""
    noise = setting.noise_sd * stream(seed, "batched", "ledger", "upper", "noise").standard_normal(setting.horizon)
    variance = setting.regulariser * setting.noise_sd**2
    return play(problem_of(setting, seed), variance, setting.sizes, setting.width, noise)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Regret of every run, shape (runs,), and its realised gains, shape (runs, B)."""

    regret: Floats
    gains: Floats


@lru_cache(maxsize=64)
def outcomes(setting: RegretSetting) -> Outcomes:
    """All runs of a configuration, seeds 0 to ``runs`` - 1; cached."""
    found = [one_run(setting, seed) for seed in range(setting.runs)]
    gains = [[record.gain for record in run.history] for run in found]
    return Outcomes(np.array([run.regret for run in found]), np.array(gains))


def realised_bounds(setting: RegretSetting, *, first: float = 2.0, elimination: float = 4.0) -> Floats:
    """Bound T1a of every run, with the realised gains of its batches, shape (runs,).

    ``first`` N_1 √β + Σ_{i≥2} ``elimination`` √(Cβ) N_i √(I_{i-1}/N_{i-1}), where 4√C = 2√C_1.
    """
    factors = {"elimination": elimination, "first": first}
    fixed = (setting.width, setting.noise_sd)
    return np.array([batch_bounds(setting.sizes, g[:-1], *fixed, **factors).sum() for g in outcomes(setting).gains])


@lru_cache(maxsize=64)
def gain_ends(kernel: Kernel, axis: int, dim: int, noise_sd: float, counts: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Certified lower and upper bounds on gamma_n at every n of ``counts``, in nats; cached."""
    distinct = sorted(set(counts))
    brackets = gain_bracket_curve(grid_covariance(kernel, axis, dim), distinct, noise_sd**2, rounds=8, gap=2e-2)
    found = {bracket.horizon: (bracket.lower, bracket.upper) for bracket in brackets}
    lower, upper = zip(*(found[count] for count in counts), strict=True)
    return np.array(lower), np.array(upper)


def certified_gains(setting: RegretSetting, counts: tuple[int, ...]) -> list[float]:
    """Certified upper bounds on gamma_n at every n of ``counts``, in nats."""
    upper = gain_ends(setting.model, setting.axis, setting.dim, setting.noise_sd, counts)[1]
    return [float(value) for value in upper]


def mean_regrets(setting: RegretSetting, horizons: Sequence[int]) -> Floats:
    """Mean cumulative regret over the setting's seeds at every horizon."""
    return np.array([outcomes(replace(setting, horizon=horizon)).regret.mean() for horizon in horizons])
