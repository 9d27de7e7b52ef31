"""Runs of TS-RSR on finite sets that the statements of the appendices are measured on, each made once a process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import FinitePosterior, grid, kernel_by_name
from companion.information import gain_bracket
from companion.papers.tsrsr.checks.appendix_settings import ARMS, KERNELS
from companion.papers.tsrsr.theory.runs import TheoryRuns, play

#: Standard errors that separate a mean from a claimed value: about a hundred means are compared, one in 16,000 is off by
#: as much.
ERRORS = 4.0


@dataclass(frozen=True)
class Play:
    """``runs`` runs of ``rounds`` batches of ``batch`` points.

    Parameters
    ----------
    prior, dim, per_axis : a kernel on a regular grid of [0, 1]^dim, or a name of ``ARMS`` with per_axis arms
    noise_sd : sigma_n
    lengthscale, variance : of the kernel
    resample : App. C's resampling
    designed : whether the shortest maximum-variance design with T_0 >= m gamma comes first (App. B)
    """

    prior: str
    dim: int
    per_axis: int
    noise_sd: float
    rounds: int
    batch: int
    runs: int
    lengthscale: float = 0.2
    variance: float = 1.0
    resample: bool = False
    designed: bool = False
    seed: int = 0

    @property
    def size(self) -> int:
        """N."""
        return int(self.per_axis**self.dim)

    @property
    def where(self) -> str:
        """The setting in words."""
        name = (
            f"{self.size} {ARMS[self.prior]}" if self.prior in ARMS else f"{KERNELS[self.prior]} on {self.size} points"
        )
        place = "" if self.prior in ARMS else f", d = {self.dim}"
        return (
            f"{name}{place}, noise {self.noise_sd:g}, T = {self.rounds}, m = {self.batch}, {self.runs} runs, "
            f"seed {self.seed}{', resampled' if self.resample else ''}{', after a design' if self.designed else ''}"
        )

    def covariance(self) -> Floats:
        """Prior covariance, (N, N)."""
        if self.prior == "independent":
            return self.variance * np.eye(self.size)
        if self.prior == "opposite":
            return self.variance * np.kron(np.eye(self.size // 2), np.array([[1.0, -1.0], [-1.0, 1.0]]))
        return np.asarray(kernel_by_name(self.prior, self.lengthscale, self.variance)(grid(self.per_axis, self.dim)))


@lru_cache(maxsize=256)
def played(setting: Play) -> TheoryRuns:
    """The runs; functions are the same with and without resampling."""
    generator = stream(setting.seed, "tsrsr", "statements", "plays", setting.prior, setting.dim)
    return play(
        setting.covariance(),
        setting.rounds,
        setting.batch,
        setting.noise_sd**2,
        setting.runs,
        generator,
        resample=setting.resample,
        design=design_indices(setting),
    )


@lru_cache(maxsize=256)
def gain_of(setting: Play, points: int) -> float:
    """Certified upper end of the maximum information gain of ``points`` points."""
    return gain_bracket(setting.covariance(), points, setting.noise_sd**2).upper


def gain_after(setting: Play, points: int) -> float:
    """:func:`gain_of`, cached for everything that differs in the runs only."""
    return gain_of(replace(setting, rounds=1, batch=1, runs=1, resample=False, designed=False, seed=0), points)


@lru_cache(maxsize=64)
def design_length(setting: Play) -> int:
    """The least T_0 found by doubling and halving with m gamma <= T_0, gamma at its certified upper end; 0 without one."""
    if not setting.designed:
        return 0

    def enough(points: int) -> bool:
        return setting.batch * gain_after(setting, points) <= points

    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


@lru_cache(maxsize=64)
def design_indices(setting: Play) -> tuple[int, ...]:
    """The design's points, each of largest posterior variance."""
    length = design_length(setting)
    if length == 0:
        return ()
    posterior = FinitePosterior(setting.covariance(), setting.noise_sd**2, capacity=length)
    return tuple(int(index) for index in posterior.select_max_variance(length)[0])


def distinct_per_batch(runs: TheoryRuns) -> Floats:
    """(R,) mean number of different points in a batch."""
    ordered = np.sort(runs.chosen, axis=2)
    return np.asarray(1.0 + (np.diff(ordered, axis=2) > 0).sum(axis=2).mean(axis=1))


def cumulative_regret(runs: TheoryRuns) -> Floats:
    """(R,) regret of all evaluations together."""
    return runs.regret


def simple_regret(runs: TheoryRuns) -> Floats:
    """(R,) regret of the best point that was evaluated."""
    best = runs.at_chosen.reshape(len(runs.chosen), -1).max(axis=1)
    return np.asarray(runs.values.max(axis=1) - best)


#: Plain runs: independent and opposite arms, four kernels, two dimensions, six noise levels including the paper's.
PLAIN = (
    Play("independent", 1, 9, 0.1, 9, 1, 400),
    Play("independent", 1, 2, 1.0, 1, 4000, 300),
    Play("independent", 1, 2, 10.0, 1, 50, 600),
    Play("opposite", 1, 10, 0.5, 10, 3, 600),
    Play("se", 1, 25, 1.0, 20, 5, 600),
    Play("se", 1, 25, 0.1, 20, 5, 600),
    Play("matern12", 2, 5, 0.3, 20, 1, 600, lengthscale=0.3),
    Play("matern32", 2, 5, 0.5, 10, 10, 600, lengthscale=0.3),
    Play("matern52", 1, 25, 0.001, 10, 4, 600),
    Play("se", 2, 5, 3.0, 40, 3, 400, lengthscale=0.3),
)
