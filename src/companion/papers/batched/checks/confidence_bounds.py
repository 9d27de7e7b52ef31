"""Statements: the confidence bounds themselves, Lemma 3, its extension in footnote 3, and Propositions 1 and 6."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from scipy import optimize, stats

from companion.bounds.confidence import normal_width
from companion.checks.cases import Case, at_most, probability
from companion.checks.instance import Instance
from companion.checks.statement import Teeth, fix, need, statement
from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.gp import FinitePosterior, grid, kernel_by_name
from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.papers.batched.theory.runs import OfKernel
from companion.papers.batched.theory.valid_runs import ValiditySetting, scattered, seeded_runs

# -- Lemma 3: one point, a design that does not see the noise ----------------------------------------------------------

DESIGNS = ("random", "maximum variance", "one point repeated")


class FixedDesign(OfKernel, Instance):
    """A design of ``count`` points on a grid, chosen without looking at any observation unless it is ``"adaptive"``.

    ``regulariser`` is lambda / sigma^2. ``simulated`` runs are judged in addition to the exact probabilities, at
    delta = 0.1 and norm 1.
    """

    words = "{self.title}, d = {self.dim}, noise {self.noise_sd:g}, {self.count} points, {self.design}"

    kernel: str
    dim: int
    noise_sd: float
    design: str
    count: int
    simulated: int = 0
    regulariser: float = 1.0

    def covariance(self) -> Floats:
        """Covariance of the candidates, a grid of [0, 1]^d with about thirty points."""
        points = grid(30 if self.dim == 1 else 6, self.dim)
        return np.asarray(kernel_by_name(self.kernel, 0.2)(points))

    def chosen(self, covariance: Floats) -> Indices:
        """Indices of the design, in order."""
        if self.design == "one point repeated":
            return np.full(self.count, len(covariance) // 3)
        if self.design == "random":
            generator = stream(0, "batched", "statements", "design", self.kernel, self.dim)
            return generator.integers(len(covariance), size=self.count)
        posterior = FinitePosterior(covariance, self.regulariser * self.noise_sd**2, capacity=self.count)
        return np.asarray(posterior.select_max_variance(self.count)[0])


@dataclass(frozen=True, eq=False)
class _Errors:
    """f(x) - mu(x) at every candidate is Gaussian: ``bias`` times Psi at most, and standard deviation ``spread``."""

    sd: Floats
    spread: Floats
    bias: Floats
    weights: Floats


def _errors(covariance: Floats, query: Indices, noise_sd: float, regulariser: float) -> _Errors:
    r"""Law of the error for the worst function of norm 1.

    With :math:`w=(K+\lambda I)^{-1}k(x)`, the noise contributes :math:`\sigma\|w\|`, and the function at most the RKHS
    norm of :math:`k(x,\cdot)-\sum_iw_ik(x_i,\cdot)`, which the function in that direction attains.
    """
    cross, gram = covariance[query], covariance[np.ix_(query, query)]
    weights = np.linalg.solve(gram + regulariser * noise_sd**2 * np.eye(len(query)), cross)
    prior = covariance.diagonal()
    variance = prior - np.sum(weights * cross, axis=0)
    squared = prior - 2.0 * np.sum(weights * cross, axis=0) + np.sum(weights * (gram @ weights), axis=0)
    spread: Floats = noise_sd * np.sqrt(np.sum(weights**2, axis=0))
    return _Errors(np.sqrt(np.maximum(variance, 0.0)), spread, np.sqrt(np.maximum(squared, 0.0)), np.asarray(weights))


def _simulated(design: FixedDesign, covariance: Floats, query: Indices, errors: _Errors, width: float) -> Case:
    """Share of noise draws in which the package's posterior misses the worst function, delta = 0.1 and norm 1."""
    reach = (width * errors.sd - errors.bias) / errors.spread
    at, runs = int(np.argmin(reach)), design.simulated
    values = (covariance[at] - errors.weights[:, at] @ covariance[query]) / errors.bias[at]
    generator = stream(0, "batched", "statements", "lemma-3", design.kernel, design.dim)
    noise = design.noise_sd * generator.standard_normal((runs, len(query)))
    variance = design.regulariser * design.noise_sd**2
    posterior = FinitePosterior(covariance, variance, replicates=runs, capacity=len(query))
    for place, index in enumerate(query):
        posterior.observe(int(index), values[index] + noise[:, place])
    missed = np.abs(values[at] - posterior.mean[:, at]) > width * posterior.sd[:, at]
    return probability(int(missed.sum()), runs, 0.1, f"{design.where}, norm 1, delta 0.1, {runs} simulated runs")


def lemma_3_designs() -> list[FixedDesign]:
    """Four kernels, two dimensions, four noise levels and three kinds of design."""
    shapes = [
        FixedDesign(kernel, dim, noise, design, count)
        for kernel, dim in product(KERNEL_TITLES, (1, 2))
        for noise, count in ((0.03, 15), (0.3, 40), (3.0, 10))
        for design in DESIGNS
    ]
    single = [FixedDesign("se", 1, 1.0, "one point repeated", count) for count in (1, 10, 1000)]
    simulated = [
        FixedDesign(kernel, dim, noise, "random", 20, simulated=1000)
        for kernel, dim, noise in (("se", 1, 0.3), ("matern12", 2, 1.0), ("matern52", 1, 3.0))
    ]
    return single + simulated + shapes


@statement(
    "lemma-3",
    "probability",
    lemma_3_designs,
    need(
        "the points are chosen without looking at the observations",
        lambda design: design.design != "adaptive",
        FixedDesign("se", 1, 1.0, "adaptive", 5),
    ),
    need(
        r"the regulariser is the noise variance, $\lambda=\sigma^2$",
        lambda design: design.regulariser == 1.0,
        FixedDesign("se", 1, 1.0, "random", 5, regulariser=0.1),
    ),
    teeth={"without the norm": {"norm_share": 0.0}, "log(1/delta) in place of 2 log(1/delta)": {"log_factor": 1.0}},
)
def lemma_3(design: FixedDesign, *, norm_share: float = 1.0, log_factor: float = 2.0) -> Iterator[Case]:
    r"""If the points are chosen independently of the samples, then for any fixed $x$, with probability at least
    $1-\delta$: $|f(x)-\mu_t(x)|\le\big(\Psi+\sqrt{2\log\tfrac1\delta}\big)\,\sigma_t(x)$

    The probability is exact, by the normal law of the error, for the worst function of norm Psi, at every candidate;
    and counted in simulations where the design asks for them.
    """
    covariance = design.covariance()
    query = design.chosen(covariance)
    errors = _errors(covariance, query, design.noise_sd, design.regulariser)
    for norm, delta in product((0.1, 1.0, 5.0), (0.5, 0.1, 0.01)):
        width = norm_share * norm + math.sqrt(log_factor * math.log(1.0 / delta))
        reach, bias = width * errors.sd, norm * errors.bias
        failure = stats.norm.sf((reach - bias) / errors.spread) + stats.norm.sf((reach + bias) / errors.spread)
        yield at_most(float(failure.max()), delta, f"{design.where}, norm {norm:g}, delta {delta:g}, exact")
    if design.simulated:
        width = norm_share + math.sqrt(log_factor * math.log(10.0))
        yield _simulated(design, covariance, query, errors, width)


# -- Footnote 3: sub-Gaussian noise ------------------------------------------------------------------------------------


class ThreePointNoise(OfKernel, Instance):
    """Noise sigma Z with Z = -v, 0 or v, observed at ``count`` scattered points of a domain of ``count`` points.

    ``share`` scales the probability of |Z| = v, whose largest value that keeps Z sub-Gaussian (with proxy 1) is
    :func:`largest_tail`. ``level`` is delta over the probability of the tail.
    """

    words = (
        "noise on -{self.v:g}, 0, {self.v:g}, {self.title}, d = {self.dim}, {self.count} points, "
        "noise {self.noise_sd:g}, norm {self.norm:g}"
    )

    kernel: str
    dim: int
    v: float
    count: int
    noise_sd: float = 0.01
    norm: float = 1e-3
    share: float = 1.0
    level: float = 0.99

    @property
    def tail(self) -> float:
        """P(|Z| = v)."""
        return self.share * largest_tail(self.v)

    @property
    def delta(self) -> float:
        """Level at which the bound is tested."""
        return self.level * self.tail


def largest_tail(v: float) -> float:
    r"""The largest P(|Z| = v) of a symmetric Z on -v, 0, v with :math:`E e^{\theta Z}\le e^{\theta^2/2}` for all theta.

    :math:`1-p+p\cosh\theta v\le e^{\theta^2/2}` bounds p by the least :math:`(e^{\theta^2/2}-1)/(\cosh\theta v-1)`.
    """
    if v <= 1.0:
        return 1.0  # a variance of p v^2 and no heavier tail than the Rademacher law

    def allowed(theta: float) -> float:
        return math.expm1(theta**2 / 2) / (2.0 * math.sinh(theta * v / 2) ** 2)

    found = optimize.minimize_scalar(allowed, bounds=(1e-2, 2 * v), method="bounded", options={"xatol": 1e-10})
    return min(1.0, float(found.fun))


def is_subgaussian(noise: ThreePointNoise) -> bool:
    r"""Whether :math:`E e^{\theta Z}\le e^{\theta^2/2}` on a fine grid of theta, up to rounding."""
    theta = np.linspace(0.0, 4.0 * noise.v, 4001)
    generating = 1.0 + noise.tail * (np.cosh(theta * noise.v) - 1.0)
    return bool(np.all(generating <= np.exp(theta**2 / 2) * (1.0 + 1e-9)))


def footnote_3_noises() -> list[ThreePointNoise]:
    """Heavy and light three-point laws, three kernels, two dimensions, several noise levels."""
    heavy = [
        ThreePointNoise(kernel, dim, v, count, level=level)
        for v, level in ((3.0, 0.99), (3.0, 0.55), (2.5, 0.7), (3.5, 0.55))
        for kernel, dim in product(("se", "matern12", "matern52"), (1, 2))
        for count in (1, 4)
    ]
    light = [
        ThreePointNoise(kernel, dim, v, 5, noise_sd=noise, norm=norm)
        for kernel, dim in (("matern32", 1), ("se", 2))
        for v, noise, norm in ((1.0, 0.3, 1.0), (1.5, 1.0, 5.0), (2.5, 1.0, 5.0))
    ]
    return heavy + light


@statement(
    "footnote-3",
    "inequality",
    footnote_3_noises,
    need(r"the noise is $\sigma$-sub-Gaussian", is_subgaussian, ThreePointNoise("se", 1, 3.0, 1, share=1.5)),
    teeth={"log(1.9/delta) in place of log(2/delta)": {"sides": 1.9}, "without the norm": {"norm_share": 0.0}},
    depends="lemma-3",
    corrected=fix(
        r"with $\log(2/\delta)$ for $\log(1/\delta)$, that is $\log(2|\mathcal X|B/\delta)$ in $\beta$; no rate changes",
        sides=2.0,
    ),
)
def footnote_3(noise: ThreePointNoise, *, sides: float = 1.0, norm_share: float = 1.0) -> Case:
    r"""The upper bounds extend to i.i.d. $\sigma$-sub-Gaussian noise; what that needs with the printed $\beta$ is ours: Lemma 3,
    $P\big(|f(x)-\mu_t(x)|>(\Psi+\sqrt{2\log\tfrac1\delta})\,\sigma_t(x)\big)\le\delta$, for such noise

    The probability is exact, by enumeration of all :math:`3^t` outcomes of the noise, for the worst function of norm Psi
    at the first point of the design.
    """
    _, covariance = scattered(noise.kernel, noise.dim, 1, noise.count)
    errors = _errors(covariance, np.arange(noise.count), noise.noise_sd, 1.0)
    width = norm_share * noise.norm + normal_width(sides, noise.delta)
    outcomes = np.array(list(product((-noise.v, 0.0, noise.v), repeat=noise.count)))
    chances = np.prod(np.where(outcomes == 0.0, 1.0 - noise.tail, noise.tail / 2.0), axis=1)
    error = noise.norm * errors.bias[0] - noise.noise_sd * outcomes @ errors.weights[:, 0]
    failure = float(chances[np.abs(error) > width * errors.sd[0]].sum())
    return at_most(failure, noise.delta, f"{noise.where}, delta {noise.delta:.4g}")


# -- Propositions 1 and 6: all points, all batches ---------------------------------------------------------------------

#: BPE: four kernels, two dimensions, five noise levels, structured and random functions.
STANDARD_SETTINGS = (
    ValiditySetting("se", 1, 0.1, 5.0, "bump", lengthscale=0.02, delta=0.2, seeds=120),
    ValiditySetting("matern52", 1, 0.3, 0.3, "expansion", lengthscale=0.02, delta=0.2, seeds=120),
    ValiditySetting("se", 1, 0.1, 1.0, "expansion"),
    ValiditySetting("matern12", 2, 0.3, 2.0, "bump", per_axis=7, delta=0.2, seeds=120),
    ValiditySetting("matern32", 2, 0.03, 1.0, "eigen", per_axis=6, delta=0.2, seeds=120),
    ValiditySetting("se", 2, 1.0, 1.0, "sphere", per_axis=6, lengthscale=0.15, delta=0.2, seeds=120),
    ValiditySetting("matern52", 1, 3.0, 10.0, "expansion", delta=0.2, seeds=120),
)

#: Robust-BPE: the same kinds with xi > 0.
ROBUST_SETTINGS = (
    ValiditySetting("se", 1, 0.1, 5.0, "bump", lengthscale=0.02, radius=0.03, delta=0.2, seeds=120),
    ValiditySetting("matern52", 1, 0.3, 0.3, "expansion", lengthscale=0.02, delta=0.2, seeds=120, radius=0.06),
    ValiditySetting("se", 1, 0.1, 1.0, "expansion", radius=0.06, delta=0.2, seeds=120),
    ValiditySetting("matern12", 2, 0.3, 2.0, "bump", per_axis=6, radius=0.21, delta=0.2, seeds=120),
    ValiditySetting("matern32", 2, 0.03, 1.0, "eigen", per_axis=6, radius=0.21, delta=0.2, seeds=120),
)


def _every_point_and_batch(setting: ValiditySetting) -> int:
    return setting.candidates * len(setting.sizes)


def _coverage(
    setting: ValiditySetting,
    *,
    scale: float = 1.0,
    norm_share: float = 1.0,
    events: Callable[[ValiditySetting], int] = _every_point_and_batch,
) -> Case:
    r"""A run fails if :math:`|f(x)-\mu^i(x)|>\sqrt\beta\,\sigma^i(x)` for any x, eliminated or not, in any batch i."""
    width = scale * (norm_share * setting.norm + normal_width(events(setting), setting.delta))
    runs = seeded_runs(setting, width).runs
    return probability(sum(not run.valid for run in runs), len(runs), setting.delta, setting.where)


_MODEL = (
    need(
        r"$\|f\|_k\le\Psi$",
        lambda setting: setting.share <= 1.0,
        replace(STANDARD_SETTINGS[0], share=2.0),
    ),
    need(
        r"the regulariser is the noise variance, $\lambda=\sigma^2$",
        lambda setting: setting.regulariser == 1.0,
        replace(STANDARD_SETTINGS[0], regulariser=0.1),
    ),
)

_COVERAGE_TEETH: Teeth = {
    "half the width": {"scale": 0.5},
    "without the norm": {"norm_share": 0.0},
    "without the union over points and batches": {"events": lambda setting: 1},
}


@statement(
    "prop-1",
    "probability",
    lambda: STANDARD_SETTINGS,
    *_MODEL,
    teeth=_COVERAGE_TEETH,
    depends="lemma-3 algorithm-2",
)
def prop_1(setting: ValiditySetting, **constants: Any) -> Case:
    r"""With $\sqrt\beta=\Psi+\sqrt{2\log(|\mathcal X|B/\delta)}$, BPE has, with probability at least $1-\delta$,
    $|f(x)-\mu^i(x)|\le\sqrt\beta\,\sigma^i(x)$ for all $x\in\mathcal X$ and $i\in[B]$
    """
    return _coverage(setting, **constants)


@statement(
    "prop-6",
    "probability",
    lambda: ROBUST_SETTINGS,
    *_MODEL,
    teeth=_COVERAGE_TEETH,
    depends="lemma-3 algorithm-1",
)
def prop_6(setting: ValiditySetting, **constants: Any) -> Case:
    r"""With $\sqrt\beta=\Psi+\sqrt{2\log(|\mathcal X|B/\delta)}$, robust-BPE has, with probability at least $1-\delta$,
    $|f(x)-\mu^i(x)|\le\sqrt\beta\,\sigma^i(x)$ for all $x\in\mathcal X$ and $i\in[B]$
    """
    return _coverage(setting, **constants)
