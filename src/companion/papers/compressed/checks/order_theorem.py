"""Statements: the model order, Theorem 3.1, and the two results its proof rests on (Appendix 7)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from operator import attrgetter

import numpy as np

from companion.checks.cases import Case, at_most, equal, exponent, none_of
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import FinitePosterior, kernel_by_name
from companion.judge.intervals import slope_interval
from companion.papers.compressed.checks.order_models import (
    KERNEL_TITLES,
    ONE,
    Model,
    bayes_posterior,
    explored,
    frozen,
    models,
)
from companion.papers.compressed.checks.setting_rules import Sample
from companion.papers.compressed.theory.order import (
    circle_least_order,
    circulant_least_order,
    covering_number,
    covering_order,
    exploration_peaks,
    order_at,
    torus_eigenvalues,
)

SMOOTHNESS = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5, "se": math.inf}

# -- Theorem 3.1 -------------------------------------------------------------------------------------------------------

THRESHOLDS = (0.8, 0.4, 0.2, 0.1, 0.05)
#: What logarithms of 1 / u add to an exponent fitted between u = 0.4 and 0.001: half the dimension over log(1 / u).
LOGARITHMS = 0.15

ALPHA = 0.4


@dataclass(frozen=True)
class Ends:
    """Dictionaries at the end of a run, for several u: of pure ``"exploration"`` (2.4), or of ``"ucb"``."""

    model: Model
    rule: str = "exploration"

    @property
    def where(self) -> str:
        """The runs in words."""
        name = "rule (2.4)" if self.rule == "exploration" else "UCB"
        return f"{name}, {self.model.where}"

    def orders(self) -> tuple[tuple[float, ...], tuple[int, ...]]:
        """Thresholds u, and the number of points kept for each when nothing is kept any more."""
        noise = self.model.noise_variance
        if self.rule == "exploration":
            _, peaks = explored(self.model, THRESHOLDS[-1])
            return THRESHOLDS, tuple(order_at(peaks, noise * u) for u in THRESHOLDS)
        return THRESHOLDS[:4], tuple(frozen(self.model, u).order for u in THRESHOLDS[:4])


@dataclass(frozen=True)
class Torus:
    """A prior on the circle or torus of side 1, where own-5 bounds every dictionary that leaves nothing to keep."""

    kernel: str
    dim: int
    noise_variance: float
    lengthscale: float = 0.25

    @property
    def where(self) -> str:
        """The prior in words."""
        place = "circle" if self.dim == 1 else "torus"
        return f"every dictionary, {KERNEL_TITLES[self.kernel]} on the {place}, noise variance {self.noise_variance:g}"

    @property
    def variance(self) -> float:
        """k(x, x)."""
        return 1.0

    def least_order(self, u: float) -> int:
        """own-5: the whole circle for the exponential kernel; 16,384 points, or 160 by 160, otherwise."""
        if self.kernel == "matern12" and self.dim == 1:
            return circle_least_order(self.lengthscale, self.noise_variance, u * self.noise_variance)
        values = _eigenvalues(self.kernel, self.lengthscale, 16_384 if self.dim == 1 else 160, self.dim)
        return circulant_least_order(values, self.noise_variance, u * self.noise_variance)


@lru_cache(maxsize=32)
def _eigenvalues(kernel: str, lengthscale: float, points_per_axis: int, dim: int) -> Floats:
    return torus_eigenvalues(kernel_by_name(kernel, lengthscale), points_per_axis, dim)


#: From kernel and dimension to the exponent of :math:`(e^{2\epsilon}-1)^{-1}` in the order.
Rate = Callable[[str, int], float]


def printed_rate(_: str, dim: int) -> float:
    """The p of the theorem."""
    return float(dim)


def rate_of_gain(kernel: str, dim: int) -> float:
    r""":math:`1+p/(2\nu)` for Matérn kernels and 1 for the squared exponential one, up to logarithms.

    From own-4 and the growth of the information gain, :math:`\gamma_M=\tilde O(M^{p/(2\nu+p)})`.
    """
    return 1.0 + dim / (2.0 * SMOOTHNESS[kernel])


def _certified(torus: Torus, power: float) -> Iterator[Case]:
    """Growth of the least order in 1/u and, for the exponential kernel on the circle, of rule (2.4)'s order in T."""
    # On the torus the exponential kernel's spectrum ends too late for smaller thresholds on 160 by 160 points.
    rough = (torus.kernel, torus.dim) == ("matern12", 2)
    thresholds = np.geomspace(0.8, 0.1, 5) if rough else np.geomspace(1e-1, 1e-3, 7)
    orders = [torus.least_order(float(u)) for u in thresholds]
    found = slope_interval(-np.log(thresholds), np.log(orders))
    logarithms = LOGARITHMS if torus.kernel == "se" else 0.05
    yield exponent(found.low, found.high, power, f"{torus.where}: exponent in 1/u", allowance=logarithms)
    span = float(thresholds[0] / thresholds[-1])
    name = f"{torus.where}: growth of the order for a u divided by {span:g}"
    yield at_most(orders[-1] / orders[0], span ** (power + logarithms), name)
    if (torus.kernel, torus.dim) == ("matern12", 1):
        horizons = np.geomspace(1e10, 1e14, 7)
        kept = [min(t, torus.least_order(float(t) ** -ALPHA)) for t in horizons]
        found = slope_interval(np.log(horizons), np.log(kept))
        name = f"{torus.where}: exponent in T under rule (2.4), alpha = {ALPHA}"
        yield exponent(found.low, found.high, ALPHA * power, name, allowance=0.02)


def _finished(instance: Ends, u: float, order: int) -> Case:
    """Candidates above the threshold, given the dictionary at the end of the run."""
    model = instance.model
    indices = explored(model, THRESHOLDS[-1])[0] if instance.rule == "exploration" else frozen(model, u).indices
    seen = indices[:order]
    variance = bayes_posterior(model.covariance, seen, np.zeros(len(seen)), model.noise_variance)[1]
    above = int(np.sum(variance > u * model.noise_variance * (1.0 + 1e-6)))
    return none_of(above, len(variance), f"{instance.where}, u = {u:g}: left to be kept")


def ends() -> Iterator[Ends | Torus]:
    """Runs under four kernels in two dimensions and at two noise levels, UCB, and circles and tori."""
    for noise in (0.05, 0.25):
        for kernel in KERNEL_TITLES:
            yield Ends(Model(kernel, 1, noise, 0.25 if kernel == "matern12" else 0.1, 150))
            yield Ends(Model(kernel, 2, noise, 0.4, 12))
    for kernel, dim in (("matern12", 1), ("matern32", 1), ("se", 1), ("matern52", 2)):
        yield Ends(Model(kernel, dim, 0.25, 0.25, 120 if dim == 1 else 10), "ucb")
    for kernel, dim in product(KERNEL_TITLES, (1, 2)):
        yield Torus(kernel, dim, 0.25)
    yield Torus("matern12", 1, 0.05)


@statement(
    "theorem-3.1",
    "rate",
    ends,
    need(
        r"$\sigma^2>0$", lambda e: (e.model if isinstance(e, Ends) else e).noise_variance > 0, Ends(Model("se", 1, 0.0))
    ),
    need(
        r"$\kappa(x,x)=1$",
        lambda e: (e.model if isinstance(e, Ends) else e).variance == 1,
        Ends(Model("se", 1, 0.1, variance=4.0)),
    ),
    teeth={
        "the printed exponent": {"rate": printed_rate},
        "an exponent of 1 for every kernel": {"rate": lambda kernel, dim: 1.0},
        "every location kept once": {"copies": False},
    },
    depends="lemma-7.1 eq-7.11",
    corrected=fix(
        r"finite, with $M_T\le N\lceil2/u\rceil$, $u=e^{2\epsilon}-1$, for $N$ sets of squared feature diameter "
        r"$\sigma^2u/2$ that cover $\X$; and $M_T=\tilde O(u^{-(1+p/(2\nu))})$ for Matérn kernels, $\tilde O(1/u)$ for "
        r"the squared exponential one",
        other=True,
        rate=rate_of_gain,
    ),
)
def theorem_3_1(instance: Ends | Torus, *, rate: Rate = printed_rate, copies: bool = True) -> Iterator[Case]:
    r"""For constant $\epsilon>0$: $M_T\le M_\infty<\infty$ for all $T$, and $M_T\le O\big((e^{2\epsilon}-1)^{-p}\big)$;
    for $\epsilon=\frac12\log(1+T^{-\alpha})$, $\alpha\in(0,1/p)$: $M_T\le O(T^{\alpha p})$

    Runs to their end: no candidate is above the threshold then, by Bayes' rule; the order is at most the bound own-3, and
    its growth exponent in 1/u is at most the claimed one. Circles and tori: the same for the least order with which
    nothing is left to keep (own-5), over two decades of u; UCB with growing width and rule (2.4) both get there. With
    :math:`u=T^{-\alpha}` rule (2.4) keeps :math:`\min(T,M)` points; checked on the circle with the exponential kernel.
    """
    if isinstance(instance, Torus):
        yield from _certified(instance, rate(instance.kernel, instance.dim))
        return
    model, (thresholds, orders) = instance.model, instance.orders()
    for u, order in zip(thresholds, orders, strict=True):
        yield _finished(instance, u, order)
        limit = covering_order(model.prior, model.dim, u, model.noise_variance)
        if not copies:
            limit //= math.ceil(2.0 / u * (1 - 1e-12))
        yield at_most(order, limit, f"{instance.where}, u = {u:g}: order")
    # Rule (2.4) needs the first threshold to get going; UCB has only four.
    first = 1 if instance.rule == "exploration" else 0
    found = slope_interval(-np.log(thresholds[first:]), np.log(orders[first:]))
    power = rate(model.kernel, model.dim)
    yield exponent(found.low, found.high, power, f"{instance.where}: exponent in 1/u", allowance=LOGARITHMS)


# -- Lemma 7.1 ---------------------------------------------------------------------------------------------------------

LEMMA_DIGITS = 1e-10


def distances() -> Iterator[Sample]:
    """Dictionaries of 1, 5 and 30 points, with repeats, of every model."""
    for model in models((0.05, 0.3, 3.0)):
        for count in (1, 5, 30):
            yield Sample(model, count)


@statement(
    "lemma-7.1",
    "identity",
    distances,
    need(r"$\lambda>0$", lambda sample: sample.model.noise_variance > 0, Sample(Model("se", 1, 0.0), 5)),
    teeth={
        "half the penalty, as printed": {"share": 0.5},
        "twice the penalty": {"share": 2.0},
        "nearly no penalty: the distance to the span": {"share": 1e-6},
    },
    depends="eq-2.7",
    corrected=fix(r"$\lambda\norm{v}^2$ in place of $\frac\lambda2\norm{v}^2$", share=1.0),
)
def lemma_7_1(sample: Sample, *, share: float = 0.5) -> Iterator[Case]:
    r"""$\min_v\big[\norm{\kappa(x,\cdot)-v^\top k_D(\cdot)}_{\mathcal
    H}^2+\frac\lambda2\norm{v}^2\big]=\kappa(x,x)-k_D(x)^\top(K_{DD}+\lambda I)^{-1}k_D(x)$

    Left: :math:`\min_v\|\kappa(x,\cdot)-v^\top k_D(\cdot)\|^2+s\lambda\|v\|^2` by least squares in coordinates of the
    feature space. Right: the package's posterior variance, and the printed closed form by a dense solve. At every fourth
    candidate, to ten digits.
    """
    covariance, noise = sample.model.covariance, sample.model.noise_variance
    seen, _ = sample.data()
    eigenvalues, vectors = np.linalg.eigh(covariance)
    features = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    at = np.arange(0, len(covariance), 4)
    rows = np.vstack([features[seen].T, math.sqrt(share * noise) * np.eye(len(seen))])
    sides = np.vstack([features[at].T, np.zeros((len(seen), len(at)))])
    weights = np.linalg.lstsq(rows, sides, rcond=None)[0]
    least = np.sum((sides - rows @ weights) ** 2, axis=0)
    posterior = FinitePosterior(covariance, noise)
    for index in seen:
        posterior.condition(int(index))
    cross = covariance[seen]
    solved = np.linalg.solve(cross[:, seen] + noise * np.eye(len(seen)), cross)
    closed = covariance.diagonal() - np.sum(cross * solved, axis=0)
    for name, variance in (("posterior variance", posterior.variance[0]), ("closed form", closed)):
        worst = int(np.argmax(np.abs(least - variance[at])))
        yield equal(1.0 + least[worst], 1.0 + variance[at][worst], f"{sample.where}: {name}", LEMMA_DIGITS)


# -- (7.11) ------------------------------------------------------------------------------------------------------------

#: Noise variance that stands for none: the residual at a point of the dictionary is this, not 0.
NUGGET = 1e-10

DISTANCES = (0.8, 0.4, 0.2, 0.1)


class Packing(Instance, words="{model.where}, points in {order} order"):
    """Points admitted one after the other, if their squared distance to the span of those before is large enough."""

    model: Model
    order: str


@lru_cache(maxsize=128)
def packed(packing: Packing, noise: float) -> tuple[int, ...]:
    """Numbers of points admitted at every one of :data:`DISTANCES`.

    Farthest point first, or a random sequence in which every candidate occurs three times. The distance is regularised
    with ``noise``; with :data:`NUGGET` it is that to the span.
    """
    covariance = packing.model.covariance
    if packing.order == "farthest":
        _, peaks = exploration_peaks(covariance, noise, DISTANCES[-1])
        return tuple(order_at(peaks, limit) for limit in DISTANCES)
    generator = stream(0, "compressed", "order", "packing", packing.model.where)
    sequence = generator.permutation(np.repeat(np.arange(len(covariance)), 3 if len(covariance) > 1 else 40))
    found = []
    for limit in DISTANCES:
        posterior = FinitePosterior(covariance, noise)
        for index in sequence:
            if float(posterior.variance[0, index]) > limit:
                posterior.condition(int(index))
        found.append(posterior.count)
    return tuple(found)


def packings() -> Iterator[Packing]:
    """Four kernels in two dimensions, in two orders; and a single point offered forty times."""
    for kernel, order in product(KERNEL_TITLES, ("farthest", "random")):
        yield Packing(Model(kernel, 1, 0.25, 0.1, 200), order)
        yield Packing(Model(kernel, 2, 0.25, 0.5, 14), order)
    yield Packing(Model(ONE, 1, 0.025), "random")


@statement(
    "eq-7.11",
    "rate",
    packings,
    need(r"$\kappa(x,x)=1$", lambda p: p.model.variance == 1, Packing(Model("se", 1, 0.1, variance=4.0), "random")),
    teeth={
        "the regularised distance of Algorithm 1": {"noise": attrgetter("noise_variance")},
        "the distance in place of its square": {"power": 0.5},
    },
)
def eq_7_11(
    packing: Packing, *, noise: Callable[[Model], float] = lambda model: NUGGET, power: float = 1.0
) -> Iterator[Case]:
    r"""For a Lipschitz Mercer kernel on a compact set, $M\le Y\nu^{-p}$ for points admitted one by one at squared
    distance above $\nu$ from the span of those before

    With a constant: no two points of a set of squared feature diameter :math:`\nu` are admitted, so that M is at most the
    number of such cubes; and the growth exponent in :math:`1/\nu`.
    """
    orders, model = packed(packing, noise(packing.model)), packing.model
    for limit, order in zip(DISTANCES, orders, strict=True):
        cells = 1 if model.kernel == ONE else covering_number(model.prior, model.dim, limit)
        yield at_most(order, cells, f"{packing.where}, squared distance {limit:g}: points")
    if min(orders) == max(orders):  # no growth, and no interval for it
        return
    found = slope_interval(np.log(1.0 / np.array(DISTANCES)), np.log(orders))
    yield exponent(max(found.low, 0.0), max(found.high, 0.0), power * model.dim, f"{packing.where}: exponent")
