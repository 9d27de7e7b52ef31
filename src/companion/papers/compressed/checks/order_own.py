"""Own results on the model order: variance floor, sandwich, covering, information count (own-1 to own-4)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from companion.checks.cases import Case, at_most, exponent
from companion.checks.statement import need, statement
from companion.core.arrays import Floats, Indices
from companion.information import gain_bracket
from companion.information.gain import gain_by_determinant
from companion.judge.intervals import slope_interval
from companion.papers.compressed.checks.order_models import (
    ARMS,
    KERNEL_TITLES,
    ONE,
    Model,
    Play,
    explored,
    frozen,
    models,
    positive_noise,
    printed_posterior,
    recorded,
)
from companion.papers.compressed.method.policy import ACQUISITIONS
from companion.papers.compressed.theory.order import covering_number, order_at

UNIT = r"$\kappa(x,x)=1$"

# -- own-1 -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Placed:
    """``count`` observations: at ``"random"`` points, all at ``"one"`` point, or at the points ``"near"`` the first."""

    model: Model
    count: int
    how: str
    negative: bool = False

    @property
    def where(self) -> str:
        """The observations in words."""
        sign = ", correlations of random signs" if self.negative else ""
        return f"{self.model.where}{sign}, {self.count} observations, {self.how}"

    def covariance(self) -> Floats:
        """The model's, or correlations of random vectors, of both signs."""
        if not self.negative:
            return self.model.covariance
        vectors = self.model.stream("vectors").standard_normal((30, 4))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors @ vectors.T)

    def seen(self, size: int) -> Indices:
        """Indices of the observed points."""
        if self.how == "random":
            return self.model.stream("placed", self.count).integers(size, size=self.count).astype(np.intp)
        return (np.arange(self.count) % (1 if self.how == "one" else 3)).astype(np.intp)


def placements() -> Iterator[Placed]:
    """Every model, three numbers of observations, three ways to place them; and correlations of both signs."""
    for model in models((0.05, 0.5, 3.0)):
        for count, how in product((1, 8, 60), ("random", "one", "near")):
            yield Placed(model, count, how)
    for noise, how in product((0.05, 0.5, 3.0), ("random", "one")):
        yield Placed(Model(ARMS, 1, noise), 20, how, negative=True)


@statement(
    "own-1",
    "inequality",
    placements,
    need(UNIT, lambda p: p.model.variance == 1, Placed(Model("se", 1, 0.1, variance=0.25), 3, "one")),
    teeth={
        "one observation less": {"less": 1.0},
        "without the noise variance in the denominator": {"noise_below": False},
    },
    depends="lemma-7.1",
)
def own_1(placed: Placed, *, less: float = 0.0, noise_below: bool = True) -> Case:
    r"""Any $n$ observations leave $\sigma_D^2(x)\ge\dfrac{\sigma^2}{n+\sigma^2}$ at every $x$, with equality for $n$
    observations at $x$

    Lemma 7.1 with :math:`\|v\|^2\ge s^2/n`, :math:`s=\sum|v_i|`: the distance is at least
    :math:`\min_s(1-s)_+^2+\sigma^2s^2/n`. The variances come from the printed formula by a dense solve.
    """
    covariance, noise = placed.covariance(), placed.model.noise_variance
    seen = placed.seen(len(covariance))
    variance = printed_posterior(covariance, seen, np.zeros(len(seen)), noise)[1]
    floor = noise / (placed.count - less + (noise if noise_below else 0.0))
    return at_most(floor, float(variance.min()), placed.where)


# -- own-2 -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Order:
    """The order after a run: a :class:`Play`, or with ``play`` none, ``"exploration"`` or ``"ucb"`` to the end."""

    model: Model
    u: float
    rule: str
    play: Play | None = None

    @property
    def where(self) -> str:
        """The run in words."""
        if self.play is not None:
            return self.play.where
        name = "rule (2.4)" if self.rule == "exploration" else "UCB"
        return f"{name} to the end, {self.model.where}, u = {self.u:g}"

    @property
    def horizon(self) -> float:
        """T; infinite for a run to the end."""
        return math.inf if self.play is None else self.play.horizon

    def dictionary(self) -> Indices:
        """The points kept."""
        if self.play is not None:
            return recorded(self.play).dictionary
        if self.rule == "exploration":
            return explored(self.model, self.u)[0]
        return frozen(self.model, self.u).indices


def orders(plays: tuple[float, ...] = (0.3, 0.1)) -> Iterator[Order]:
    """Every acquisition for 100 rounds; exploration and UCB to the end; single arms."""
    for model, u in product(models((0.05, 0.5, 3.0)), plays):
        for acquisition in ACQUISITIONS:
            yield Order(model, u, acquisition, Play(model, acquisition, u, 100))
    for noise, kernel in product((0.1, 0.5), KERNEL_TITLES):
        for dim in (1, 2):
            model = Model(kernel, dim, noise, points_per_axis=24 if dim == 1 else 5)
            yield Order(model, 0.2, "exploration")
            yield Order(model, 0.2, "ucb")
    for noise in (0.25, 0.9):
        model = Model(ONE, 1, noise)
        yield Order(model, 0.1, "ucb")
        yield Order(model, 0.1, "exploration")
        yield Order(model, 0.1, "ei", Play(model, "ei", 0.1, 60))


@statement(
    "own-2",
    "inequality",
    orders,
    need(UNIT, lambda o: o.model.variance == 1, Order(Model(ONE, 1, 0.25, variance=4.0), 0.1, "ucb")),
    teeth={"twice the lower bound": {"lower": 2.0}, "an upper bound without the number of candidates": {"arms": False}},
    depends="own-1 eq-2.12",
)
def own_2(order: Order, *, lower: float = 1.0, arms: bool = True) -> Iterator[Case]:
    r"""$\min\{T,\lceil1/u-\sigma^2\rceil\}\le M_T$ for every kernel, and $M_T\le X\max(0,\lceil1/u-\sigma^2\rceil)$ on
    $X$ candidates, $u=e^{2\epsilon}-1$; for $u=T^{-\alpha}$: $T^\alpha-\sigma^2\le M_T\le X\lceil T^\alpha\rceil$,
    whatever $p$

    No point can be rejected while fewer than n are kept (own-1), and the n-th observation at a point brings its variance
    down to the threshold.
    """
    noise, kept = order.model.noise_variance, len(order.dictionary())
    least = max(0, math.ceil(lower / order.u - noise - 1e-9))
    most = max(0, math.ceil(1.0 / order.u - noise - 1e-9))
    if order.rule == "ei":  # its first point is kept untested
        most = max(1, most)
    size = len(order.model.points) if arms else 1
    yield at_most(min(order.horizon, least), kept, f"{order.where}: lower bound")
    yield at_most(kept, size * most, f"{order.where}: upper bound")


# -- own-3 -------------------------------------------------------------------------------------------------------------


def domains() -> Iterator[Order]:
    """Exploration and UCB to the end under four kernels in two dimensions, two noise levels, and single arms."""
    for noise, (kernel, dim) in product((0.1, 0.5), product(KERNEL_TITLES, (1, 2))):
        model = Model(kernel, dim, noise, 0.25, 120 if dim == 1 else 12)
        for u in (0.4, 0.1):
            yield Order(model, u, "exploration")
        yield Order(Model(kernel, dim, noise, points_per_axis=24 if dim == 1 else 5), 0.2, "ucb")
    yield Order(Model(ONE, 1, 0.25), 0.1, "exploration")


@statement(
    "own-3",
    "inequality",
    domains,
    need(UNIT, lambda o: o.model.variance == 1, Order(Model(ONE, 1, 0.25, variance=4.0), 0.1, "ucb")),
    teeth={"the covering number alone": {"copies": False}, "the multiplicity alone": {"cells": False}},
    depends="lemma-7.1 eq-2.12",
)
def own_3(order: Order, *, cells: bool = True, copies: bool = True) -> Case:
    r"""$M_T\le N\big(\sqrt{\bar\tau/2}\big)\lceil2/u\rceil$, $N(\rho)$ the number of sets of feature diameter $\rho$ that
    cover $\X$; for $\X=[0,r]^p$ the exponent in $1/u$ is $p+1$ for the exponential and $1+p/2$ for smoother kernels

    A set with :math:`\lceil2/u\rceil` points in it takes no other: with equal weights on them, Lemma 7.1 leaves at most
    :math:`\bar\tau/2+\sigma^2u/2=\bar\tau`. N counts cubes; their sizes are found from the kernel.
    """
    model = order.model
    squared = 0.5 * model.noise_variance * order.u
    count = 1 if model.kernel == ONE else covering_number(model.prior, model.dim, squared)
    limit = (count if cells else 1) * (math.ceil(2.0 / order.u - 1e-9) if copies else 1)
    return at_most(len(order.dictionary()), limit, order.where)


# -- own-4 -------------------------------------------------------------------------------------------------------------

SPREAD = (0.4, 0.2, 0.1, 0.05, 0.025)


def counts() -> Iterator[Order]:
    """Runs as for own-2 with one budget, squared exponential kernels for the rate, and twenty arms where it is tight."""
    yield from orders((0.1,))
    for noise, dim in product((0.05, 0.5), (1, 2, 3)):
        points = {1: 150, 2: 12, 3: 6}[dim]
        yield Order(Model("se", dim, noise, 0.3 if dim < 3 else 0.6, points), SPREAD[-1], "exploration")
    yield Order(Model(ARMS, 1, 0.1, points_per_axis=20), 9.9, "exploration")


@lru_cache(maxsize=512)
def gains(order: Order) -> tuple[float, float]:
    """Information gain of the dictionary by its determinant, and a certified bound on that of any as many points."""
    noise, indices, covariance = order.model.noise_variance, order.dictionary(), order.model.covariance
    if len(indices) == 0:
        return 0.0, 0.0
    gain = float(gain_by_determinant(covariance[np.ix_(indices, indices)], noise))
    # Hadamard: the determinant is at most the product of its diagonal.
    limit = 0.5 * len(indices) * math.log1p(1.0 / noise)
    if len(indices) <= 60 and len(covariance) > 1:
        limit = min(limit, gain_bracket(covariance, len(indices), noise).upper)
    return gain, limit


@statement(
    "own-4",
    "inequality",
    counts,
    positive_noise(Order(Model("se", 1, 0.0), 0.1, "exploration")),
    teeth={"1.05 epsilon": {"factor": 1.05}, "a root of 1/epsilon": {"power": 0.5}},
    depends="eq-2.12 eq-2.3",
)
def own_4(order: Order, *, factor: float = 1.0, power: float = 1.0) -> Iterator[Case]:
    r"""$\epsilon M_T<I_T\le\gamma_{M_T}$; for the squared exponential kernel $M_T=\tilde O(1/\epsilon)$ in every
    dimension

    Every point kept brings more than epsilon. Initial points, kept untested, are not counted.
    """
    epsilon, (gain, limit) = 0.5 * math.log1p(order.u), gains(order)
    untested = 1 if order.rule == "ei" else 0
    tested = max(0, len(order.dictionary()) - untested)
    yield at_most(factor * epsilon * tested, gain, f"{order.where}: count against gain")
    yield at_most(gain, limit, f"{order.where}: gain against its maximum")
    if order.u == SPREAD[-1]:
        peaks = explored(order.model, order.u)[1]
        grown = [order_at(peaks, u * order.model.noise_variance) for u in SPREAD]
        found = slope_interval(-np.log(0.5 * np.log1p(np.array(SPREAD))), np.log(grown))
        # log(1/threshold)^(p/2) directions have a variance above the threshold; its slope amid the fitted ones.
        middle = order.model.noise_variance * math.sqrt(SPREAD[0] * SPREAD[-1])
        logarithms = 0.5 * order.model.dim / math.log(1.0 / middle)
        yield exponent(found.low, found.high, power, f"{order.where}: exponent in 1/epsilon", allowance=logarithms)
