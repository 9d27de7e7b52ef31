"""Further own results: a floor under every dictionary on circles (own-5), and runs that freeze (own-6)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

import numpy as np

from companion.checks.cases import Case, at_most, equal, exponent, none_of
from companion.checks.statement import need, statement
from companion.core.arrays import Flags, Floats, Indices
from companion.core.randomness import stream
from companion.gp import kernel_by_name
from companion.judge.intervals import slope_interval
from companion.papers.compressed.checks.order_models import (
    DELTA,
    KERNEL_TITLES,
    Model,
    Play,
    bayes_posterior,
    models,
    positive_noise,
    printed_improvement,
    recorded,
)
from companion.papers.compressed.theory.order import (
    circle_least_order,
    circle_variance_floor,
    exploration_peaks,
    mean_variance_floor,
    order_at,
    torus_covariance,
    torus_eigenvalues,
    ucb_to_the_end,
)

# -- own-5 -------------------------------------------------------------------------------------------------------------

THRESHOLDS = (0.8, 0.4, 0.2, 0.1)


@dataclass(frozen=True)
class Circulant:
    """Equispaced points of a circle or torus of side 1."""

    kernel: str
    dim: int
    noise_variance: float
    lengthscale: float = 0.25
    points_per_axis: int = 0

    @property
    def where(self) -> str:
        """The prior in words."""
        place = "circle" if self.dim == 1 else "torus"
        return f"{KERNEL_TITLES[self.kernel]} on the {place}, noise variance {self.noise_variance:g}"

    @property
    def per_axis(self) -> int:
        """Points per axis: 100, or 10 by 10."""
        return self.points_per_axis or (100 if self.dim == 1 else 10)

    def covariance(self) -> Floats:
        """(N, N)."""
        return _covariance(self.kernel, self.lengthscale, self.per_axis, self.dim)

    def eigenvalues(self) -> Floats:
        """(N,)."""
        return torus_eigenvalues(kernel_by_name(self.kernel, self.lengthscale), self.per_axis, self.dim)


@lru_cache(maxsize=32)
def _covariance(kernel: str, lengthscale: float, per_axis: int, dim: int) -> Floats:
    return torus_covariance(kernel_by_name(kernel, lengthscale), per_axis, dim)


@lru_cache(maxsize=64)
def dictionaries(circle: Circulant) -> tuple[tuple[str, int, float], ...]:
    """Name, size and mean variance left, of dictionaries of several shapes; by Bayes' rule."""
    covariance, generator = circle.covariance(), stream(0, "compressed", "order", "dictionaries", circle.where)
    size = len(covariance)
    shapes = {
        "each point once": np.arange(size),
        "each point three times": np.repeat(np.arange(size), 3),
        "every fifth point": np.arange(0, size, 5),
        "one point eight times": np.zeros(8, dtype=np.intp),
        "half of the points": np.arange(size // 2),
        "random points": generator.integers(size, size=2 * size),
        "few random points": generator.integers(size, size=size // 8),
    }
    found = []
    for name, seen in shapes.items():
        variance = bayes_posterior(covariance, seen.astype(np.intp), np.zeros(len(seen)), circle.noise_variance)[1]
        found.append((name, len(seen), float(variance.mean())))
    return tuple(found)


@lru_cache(maxsize=64)
def finished(circle: Circulant) -> tuple[tuple[str, float, int], ...]:
    """Rule, u and order at the end of runs: rule (2.4) at every u, and UCB at the two largest."""
    covariance, noise = circle.covariance(), circle.noise_variance
    _, peaks = exploration_peaks(covariance, noise, THRESHOLDS[-1] * noise)
    found = [("rule (2.4)", u, order_at(peaks, u * noise)) for u in THRESHOLDS]
    generator = stream(0, "compressed", "order", "circle", circle.where)
    eigenvalues, vectors = np.linalg.eigh(covariance)
    values = vectors @ (np.sqrt(np.maximum(eigenvalues, 0.0)) * generator.standard_normal(len(covariance)))
    for u in THRESHOLDS[:2]:
        errors = math.sqrt(noise) * generator.standard_normal(400)
        found.append(("UCB", u, ucb_to_the_end(covariance, noise, u * noise, values, errors, DELTA).order))
    return tuple(found)


def circles() -> Iterator[Circulant]:
    """Four kernels, circle and torus, two noise levels."""
    for noise, (kernel, dim) in product((0.05, 0.25), product(KERNEL_TITLES, (1, 2))):
        yield Circulant(kernel, dim, noise)


@statement(
    "own-5",
    "inequality",
    circles,
    positive_noise(Circulant("se", 1, 0.0)),
    need(
        "length-scales up to 0.25, so that the kernel on the circle is the one it is compared with",
        lambda circle: circle.lengthscale <= 0.25,
        Circulant("se", 1, 0.1, lengthscale=0.5),
    ),
    teeth={"nine tenths of the points": {"share": 0.9}, "growth like 1/u": {"growth": 1.0}},
    depends="eq-2.7",
)
def own_5(circle: Circulant, *, share: float = 1.0, growth: float = 2.0) -> Iterator[Case]:
    r"""Circulant kernel with eigenvalues $\lambda_i$, $\sum\lambda_i=N$: a dictionary with $\sup_x\sigma_D^2\le\bar\tau$
    has $\frac1N\sum_i\frac{\lambda_i}{1+M\lambda_i/(N\sigma^2)}\le\bar\tau$; for the exponential kernel, $p=1$, that
    forces $M\ge c\,u^{-2}$

    So nothing is left to keep only if the right side is at most :math:`\bar\tau`. Dictionaries of seven shapes by Bayes'
    rule; runs to their end; for the exponential kernel on the whole circle, the closed form against a Fourier transform
    and the growth of the least M over four decades.
    """
    values, noise = circle.eigenvalues(), circle.noise_variance
    for name, count, left in dictionaries(circle):
        yield at_most(mean_variance_floor(values, share * count, noise), left, f"{circle.where}: {name}")
    for rule, u, order in finished(circle):
        floor = mean_variance_floor(values, share * order, noise)
        yield at_most(floor, u * noise, f"{circle.where}: {rule} to the end, u = {u:g}, M = {order}")
    if (circle.kernel, circle.dim) == ("matern12", 1):
        fine = torus_eigenvalues(kernel_by_name("matern12", circle.lengthscale), 40_000)
        for order in (0, 10, 1000):
            closed = circle_variance_floor(share * order, circle.lengthscale, noise)
            yield equal(
                mean_variance_floor(fine, order, noise), closed, f"{circle.where}: closed form, M = {order}", 1e-2
            )
        thresholds = np.geomspace(0.1, 1e-5, 9)
        least = [circle_least_order(circle.lengthscale, noise, float(u) * noise) for u in thresholds]
        found = slope_interval(-np.log(thresholds), np.log(least))
        yield exponent(found.low, found.high, growth, f"{circle.where}: growth of M", side="equal", allowance=0.01)


# -- own-6 -------------------------------------------------------------------------------------------------------------


def freezing() -> Iterator[Play]:
    """Expected improvement, MPI, and UCB with a constant width, on every model."""
    for model, acquisition in product(models((0.05, 0.5)), ("ei", "mpi", "ucb")):
        yield Play(model, acquisition, 0.5, 150, growing=False)


@lru_cache(maxsize=256)
def replayed(play: Play) -> tuple[Indices, Flags]:
    """Choices and whether they were kept, from the printed formulas, evaluated anew in every round without short cuts."""
    model, noise = play.model, play.noise()
    covariance, values = model.covariance, model.function()
    seen, told = list(play.initial), list((values[play.initial] + noise[: len(play.initial)]).tolist())
    chosen, kept = [], []
    mean, variance = bayes_posterior(covariance, np.array(seen, dtype=np.intp), np.array(told), model.noise_variance)
    for number in range(play.horizon):
        sd = np.sqrt(variance)
        if play.acquisition == "ucb":
            score = mean + play.width(number + 1) * sd
        else:
            incumbent = max(told) if play.acquisition == "ei" else float(mean.max())
            score = printed_improvement(sd, mean - incumbent)
        arm = int(np.argmax(score))
        chosen.append(arm)
        kept.append(bool(0.5 * math.log1p(variance[arm] / model.noise_variance) > play.epsilon))
        if kept[-1]:
            seen.append(arm)
            told.append(float(values[arm] + noise[len(play.initial) + number]))
            mean, variance = bayes_posterior(
                covariance, np.array(seen, dtype=np.intp), np.array(told), model.noise_variance
            )
    return np.array(chosen, dtype=np.intp), np.array(kept, dtype=bool)


@statement(
    "own-6",
    "construction",
    freezing,
    positive_noise(Play(Model("se", 1, 0.0), "ei", 0.5)),
    teeth={"UCB with a growing width": {"growing": True}},
    depends="alg-1",
)
def own_6(play: Play, *, growing: bool = False) -> Iterator[Case]:
    r"""With expected improvement, MPI or UCB with constant $\beta$: if round $t_0$ is rejected, then $x_t=x_{t_0}$ and
    $D_t=D_{t_0}$ for all $t\ge t_0$, and regret grows by $r_{t_0}$ a round

    Two runs: of the printed formulas by Bayes' rule, evaluated anew in every round, and of the package's policy. Counted:
    rounds after the first rejection whose choice is another, or that are kept.
    """
    played = replace(play, growing=growing)
    record = recorded(played)
    for name, (chosen, kept) in (("formulas", replayed(played)), ("package", (record.chosen, record.kept))):
        rejected = np.flatnonzero(~kept)
        if not rejected.size:  # nothing was rejected within the horizon: nothing is claimed
            continue
        first = int(rejected[0])
        wrong = int(np.sum((chosen[first:] != chosen[first]) | kept[first:]))
        yield none_of(wrong, play.horizon - first, f"{play.where}: {name}, rounds from the first rejection on")
