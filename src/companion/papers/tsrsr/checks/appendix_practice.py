"""Statements: the two remarks of Appendix C on sampled maxima below the largest posterior mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from companion.checks.cases import Case, at_most, none_of
from companion.checks.instance import Instance
from companion.checks.samples import standard_error
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.gp import gp_draw, grid, kernel_by_name, ties
from companion.papers.tsrsr.checks.appendix_plays import (
    ERRORS,
    Play,
    cumulative_regret,
    distinct_per_batch,
    played,
    simple_regret,
)
from companion.papers.tsrsr.checks.appendix_settings import KERNELS, conditioned
from companion.papers.tsrsr.method.round import DenseRound, Pending, WatchedRound
from companion.papers.tsrsr.method.rules import TSRSR, sampled_maxima
from companion.papers.tsrsr.theory.runs import TheoryRuns

# -- a sampled maximum below the largest mean --------------------------------------------------------------------------


@dataclass(frozen=True)
class Batches:
    """Batches of TS-RSR after random observations of draws of a kernel.

    Parameters
    ----------
    kernel, dim, per_axis, lengthscale : candidates on a grid of [0, 1]^dim
    noise_sd : sigma_n
    observed : number of random points observed before
    batch, repeats : m, and the number of batches
    resample : App. C's resampling, under which no maximum stays below the largest mean
    """

    kernel: str
    dim: int
    per_axis: int
    noise_sd: float
    observed: int
    batch: int
    repeats: int = 40
    lengthscale: float = 0.3
    resample: bool = False

    @property
    def where(self) -> str:
        """The batches in words."""
        return (
            f"{KERNELS[self.kernel]}, d = {self.dim}, noise {self.noise_sd:g}, {self.repeats} batches of {self.batch} "
            f"after {self.observed} points"
        )


class TwoArms(Instance, words="two points, means {mean}, sds {sd}, sampled maximum {maximum:g}"):
    """Two independent points with given posterior, and a given sampled maximum."""

    mean: tuple[float, float]
    sd: tuple[float, float]
    maximum: float
    resample: bool = False


@dataclass(frozen=True, eq=False)
class Pick:
    """One choice with a sampled maximum below the largest mean."""

    mean: Floats
    sd: Floats
    maximum: float
    chosen: int


def _chosen(current: DenseRound, maxima: Floats, generator: np.random.Generator) -> Indices:
    """Choices of the rule for given maxima: those of constant draws."""
    constant = np.repeat(maxima[:, None], len(current.mean), axis=1)
    return TSRSR(resample=False).choose(WatchedRound(current, given=constant), len(maxima), generator)


def two_arms_pick(state: TwoArms) -> Pick:
    """Choice of the rule between two independent points."""
    current = DenseRound(0, np.array(state.mean), np.diag(np.array(state.sd) ** 2), 1.0)
    (chosen,) = _chosen(current, np.array([state.maximum]), stream(0, "unused"))
    return Pick(current.mean, np.array(state.sd), state.maximum, int(chosen))


@lru_cache(maxsize=64)
def low_picks(batches: Batches) -> tuple[Pick, ...]:
    """Every choice of the batches whose sampled maximum lies below the largest mean."""
    points = grid(batches.per_axis, batches.dim)
    kernel = kernel_by_name(batches.kernel, batches.lengthscale)
    prior, noise = kernel(points), batches.noise_sd**2
    generator = stream(0, "tsrsr", "statements", "low maxima", batches.kernel, batches.dim)
    found = []
    for number in range(batches.repeats):
        seen = generator.integers(len(points), size=batches.observed)
        values = np.asarray(gp_draw(kernel, points, generator))[seen]
        observed = values + batches.noise_sd * generator.standard_normal(batches.observed)
        gram = prior[np.ix_(seen, seen)] + noise * np.eye(batches.observed)
        mean = prior[:, seen] @ np.linalg.solve(gram, observed)
        covariance = conditioned(prior, tuple(int(index) for index in seen), noise)
        covariance = (covariance + covariance.T) / 2.0
        current = DenseRound(number, mean, covariance, noise)
        drawn = sampled_maxima(current, batches.batch, generator, resample=batches.resample)
        pending = Pending(current)
        for maximum, index in zip(drawn, _chosen(current, drawn, generator), strict=True):
            if maximum < mean.max():
                found.append(Pick(mean, pending.sd, float(maximum), int(index)))
            pending.condition(int(index))
    return tuple(found)


def above_by_most(pick: Pick) -> bool:
    """Whether the chosen point's mean exceeds the maximum, by more standard deviations than that of any other point."""
    excess = (pick.mean - pick.maximum) / pick.sd
    return bool(excess[pick.chosen] > 0 and excess[pick.chosen] >= excess.max() * (1.0 - ties.TOLERANCE))


def highest_mean(pick: Pick) -> bool:
    """Whether the chosen point has the highest mean."""
    return bool(pick.mean[pick.chosen] >= pick.mean.max())


def low_states() -> list[Batches | TwoArms]:
    """Two points with equal and unequal sds; batches with four kernels, two dimensions and four noise levels."""
    return [
        TwoArms((1.0, 0.9), (1.0, 0.01), 0.5),
        TwoArms((1.0, 0.9), (0.5, 0.5), 0.5),
        TwoArms((1.0, 0.2), (0.3, 0.1), 0.5),
        Batches("se", 1, 25, 0.1, 8, 5),
        Batches("matern12", 1, 25, 0.3, 10, 4),
        Batches("matern32", 2, 6, 0.001, 15, 5),
        Batches("matern52", 2, 6, 1.0, 30, 10),
        Batches("matern52", 1, 25, 0.001, 6, 5, repeats=80),
    ]


@statement(
    "appC-neg",
    "construction",
    low_states,
    need(
        "the draws are not resampled", lambda state: not state.resample, Batches("se", 1, 25, 0.1, 8, 5, resample=True)
    ),
    teeth={
        "the highest mean, as printed": {"claim": highest_mean},
        "the smallest standard deviation of all": {"claim": lambda pick: pick.sd[pick.chosen] <= pick.sd.min()},
        "the smallest standard deviation of the points above the maximum": {
            "claim": lambda pick: pick.sd[pick.chosen] <= pick.sd[pick.mean > pick.maximum].min()
        },
    },
    depends="eq-4",
    corrected=fix(
        "it picks a point whose mean exceeds the sampled maximum, the one by most standard deviations; with equal standard "
        "deviations that is the highest mean",
        other=True,
        claim=above_by_most,
    ),
)
def appendix_c_low(state: Batches | TwoArms, *, claim: Callable[[Pick], bool] = highest_mean) -> Case:
    r"""If $\tilde f^*_{t,i}<\mu_t(x)$ for some $x$, the algorithm picks the action with the highest $\mu_t(x)$

    Counted among the rule's choices with such a maximum, in batches after random observations and in states of two points.
    """
    picks = low_picks(state) if isinstance(state, Batches) else (two_arms_pick(state),)
    broken = sum(not claim(pick) for pick in picks)
    return none_of(broken, len(picks), state.where)


# -- resampling --------------------------------------------------------------------------------------------------------


def resampling_plays() -> list[Play]:
    """Batches of 3 to 20 points: independent arms, four kernels, two dimensions, five noise levels."""
    return [
        Play("independent", 1, 20, 0.1, 5, 5, 800),
        Play("se", 1, 25, 0.001, 10, 5, 800),
        Play("se", 1, 25, 1.0, 10, 5, 1600),
        Play("se", 1, 25, 0.3, 3, 20, 800, lengthscale=0.1),
        Play("matern12", 2, 5, 0.3, 8, 4, 800, lengthscale=0.3),
        Play("matern32", 1, 25, 0.001, 10, 5, 800, lengthscale=0.1),
        Play("matern32", 2, 5, 0.5, 5, 10, 800, lengthscale=0.3),
        Play("matern52", 2, 6, 0.001, 10, 5, 600),
    ]


@statement(
    "appC-resample",
    "inequality",
    resampling_plays,
    need("batches of at least two points", lambda play: play.batch >= 2, Play("independent", 1, 9, 0.1, 9, 1, 400)),
    teeth={
        "a tenth more different points": {"factor": 1.1},
        "cumulative regret does not rise either": {"measure": cumulative_regret},
    },
    depends="our-D",
)
def appendix_c_resample(
    play: Play, *, factor: float = 1.0, measure: Callable[[TheoryRuns], Floats] = simple_regret
) -> Iterator[Case]:
    r"""Resampling $\tilde f^*_{t,i}$ until $\tilde f^*_{t,i}>\max_x\mu_t(x)$ encourages diversity, for better empirical
    performance; that a sampled maximum is at times below $\max_x\mu_t(x)$ does not affect the theoretical convergence

    An experiment on finite sets with draws of the prior, not a proof. Measured on the same functions with and without: the
    mean number of different points in a batch does not fall, and regret does not rise by more than four standard errors
    of the paired difference.
    """
    plain, redrawn = played(play), played(replace(play, resample=True))
    before, after = distinct_per_batch(plain), distinct_per_batch(redrawn)
    yield at_most(factor * float(before.mean()), float(after.mean()), f"{play.where}: different points in a batch")
    gap = measure(redrawn) - measure(plain)
    allowed = float(measure(plain).mean()) + ERRORS * standard_error(gap)
    yield at_most(float(measure(redrawn).mean()), allowed, f"{play.where}: {measure.__name__.replace('_', ' ')}")
