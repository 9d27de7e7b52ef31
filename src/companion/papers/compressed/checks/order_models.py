"""Models and runs that the statements of Sections 2, 3 and Appendix 7 are checked on, and posteriors by another route."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from scipy import linalg, stats

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.checks.statement import Assumption, need
from companion.core.arrays import Flags, Floats, Indices
from companion.core.randomness import stream
from companion.gp import Kernel, gp_draw, grid, kernel_by_name
from companion.gp.kernels import KERNEL_TITLES as KERNEL_TITLES
from companion.papers.compressed.method.admission import information
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.compressed.theory.order import FrozenRun, exploration_peaks, ucb_to_the_end

ARMS, ONE = "arms", "one"
DELTA = 0.1

#: Between two routes to one posterior: condition numbers below 1e4, prior variance 1.
AGREEMENT = 1e-8


@dataclass(frozen=True)
class Model:
    """A prior on a grid of [0, 1]^d with k(x, x) = ``variance``, and a noise variance.

    ``kernel`` may be ``"arms"`` (independent arms, as many as the grid has points) or ``"one"`` (a single arm).
    """

    kernel: str
    dim: int
    noise_variance: float
    lengthscale: float = 0.2
    points_per_axis: int = 0
    variance: float = 1.0
    seed: int = 0

    @property
    def where(self) -> str:
        """The model in words."""
        title = {ARMS: "independent arms", ONE: "one arm"}.get(self.kernel)
        return f"{title or f'{KERNEL_TITLES[self.kernel]}, d = {self.dim}'}, noise variance {self.noise_variance:g}"

    @property
    def prior(self) -> Kernel:
        """The covariance function; of a real kernel only."""
        return kernel_by_name(self.kernel, self.lengthscale, variance=self.variance)

    @property
    def points(self) -> Floats:
        """The candidates: by default 36 in one and in two dimensions."""
        if self.kernel == ONE:
            return np.zeros((1, self.dim))
        return grid(self.points_per_axis or (36 if self.dim == 1 else 6), self.dim)

    @property
    def covariance(self) -> Floats:
        """(N, N) prior covariance of the candidates."""
        if self.kernel in (ARMS, ONE):
            return self.variance * np.eye(len(self.points))
        return np.asarray(self.prior(self.points))

    def stream(self, *path: str | int) -> np.random.Generator:
        """A generator of its own for every model and purpose."""
        return stream(
            self.seed, "compressed", "order", self.kernel, self.dim, f"{self.noise_variance:g}", str(len(path)), *path
        )

    def function(self, number: int = 0) -> Floats:
        """(N,) a draw of the prior."""
        generator = self.stream("function", number)
        if self.kernel in (ARMS, ONE):
            return math.sqrt(self.variance) * generator.standard_normal(len(self.points))
        return gp_draw(self.prior, self.points, generator)


def positive_noise(violated_by: Any) -> Assumption:
    """That the noise of an instance, or of its model, is positive."""
    return need(r"$\sigma^2>0$", lambda instance: getattr(instance, "model", instance).noise_variance > 0, violated_by)


def models(noises: tuple[float, ...] = (0.05, 0.5, 3.0), arms: bool = True) -> Iterator[Model]:
    """Four kernels in two dimensions and, if wanted, independent arms, at every noise variance."""
    for noise in noises:
        for kernel, dim in product(KERNEL_TITLES, (1, 2)):
            yield Model(kernel, dim, noise)
        if arms:
            yield Model(ARMS, 1, noise)


@dataclass(frozen=True)
class Play:
    """A run of Algorithm 1: acquisition, threshold in units of the noise variance (u), rounds, initial points."""

    model: Model
    acquisition: str
    u: float
    horizon: int = 60
    growing: bool = True

    @property
    def where(self) -> str:
        """The run in words."""
        return f"{self.acquisition.upper()}, {self.model.where}, u = {self.u:g}, T = {self.horizon}"

    @property
    def epsilon(self) -> float:
        """The budget."""
        return 0.5 * math.log1p(self.u)

    @property
    def initial(self) -> Indices:
        """Initial points: one for expected improvement, which needs an incumbent, and none otherwise."""
        return np.array([len(self.model.points) // 3] if self.acquisition == "ei" else [], dtype=np.intp)

    def width(self, number: int, gain: float = 0.0) -> float:
        """The width of Lemma 8.1, or its value at t = 1 for ever."""
        return SrinivasDrawsWidth(len(self.model.points), DELTA).width(number if self.growing else 1)

    def policy(self) -> CompressedBandit:
        """The package's policy for this run."""
        rule = information(self.epsilon, self.model.noise_variance)
        return CompressedBandit(
            self.model.covariance, self.model.noise_variance, self.acquisition, rule, self.width, self.initial
        )

    def noise(self) -> Floats:
        """(T + initial,) noise, one number for every round."""
        draws = self.model.stream("noise", self.acquisition).standard_normal(self.horizon + len(self.initial))
        return math.sqrt(self.model.noise_variance) * draws


@dataclass(frozen=True, eq=False)
class Record:
    """A run of the package's policy: choices of the T rounds, which were kept, posterior after every round, dictionary."""

    chosen: Indices
    kept: Flags
    means: Floats
    variances: Floats
    dictionary: Indices


@lru_cache(maxsize=512)
def recorded(play: Play, spoilt: bool = False) -> Record:
    """The run; with ``spoilt``, rejected rounds are given a wild value in place of the observation."""
    policy, values, noise = play.policy(), play.model.function(), play.noise()
    first = len(play.initial)
    if first:
        policy.tell(values[policy.ask(first).query] + noise[:first])
    chosen, kept, means, variances = list[int](), list[bool](), list[Floats](), list[Floats]()
    for number in range(play.horizon):
        (arm,) = policy.ask(play.horizon - number).query
        before = policy.model_order
        # Whether the round is kept shows in the size of the dictionary only afterwards, so it is looked up beforehand.
        rejected = float(policy.posterior.variance[0, arm]) <= play.u * play.model.noise_variance
        policy.tell(np.array([1e6 if spoilt and rejected else values[arm] + noise[first + number]]))
        chosen.append(int(arm))
        kept.append(policy.model_order > before)
        means.append(policy.posterior.mean[0].copy())
        variances.append(policy.posterior.variance[0].copy())
    return Record(
        np.array(chosen, dtype=np.intp),
        np.array(kept, dtype=bool),
        np.array(means),
        np.array(variances),
        policy.posterior.indices[0].astype(np.intp),
    )


@lru_cache(maxsize=256)
def frozen(model: Model, u: float, number: int = 0, log_limit: float = math.inf) -> FrozenRun:
    """Compressed UCB to the end, on a draw of the prior with fresh noise."""
    noise = math.sqrt(model.noise_variance) * model.stream("frozen", number).standard_normal(512)
    return ucb_to_the_end(
        model.covariance,
        model.noise_variance,
        u * model.noise_variance,
        model.function(number),
        noise,
        DELTA,
        log_limit,
    )


@lru_cache(maxsize=64)
def explored(model: Model, u: float) -> tuple[Indices, Floats]:
    """Pure exploration down to u: points, and the largest variance after every number of them."""
    return exploration_peaks(model.covariance, model.noise_variance, u * model.noise_variance)


# -- posteriors by other routes than the package's engine --------------------------------------------------------------


def printed_posterior(
    covariance: Floats, seen: Indices, values: Floats, noise_variance: float, ridge: float | None = None
) -> tuple[Floats, Floats]:
    r"""Mean and variance (N,) of (2.7), as printed, by a dense solve; ``ridge`` stands for :math:`\sigma^2` if given."""
    if len(seen) == 0:
        return np.zeros(len(covariance)), covariance.diagonal().copy()
    cross = covariance[seen]
    gram = cross[:, seen] + (noise_variance if ridge is None else ridge) * np.eye(len(seen))
    weights = linalg.lstsq(gram, np.column_stack([values, cross]), lapack_driver="gelsy")[0]
    return cross.T @ weights[:, 0], covariance.diagonal() - np.sum(cross * weights[:, 1:], axis=0)


def bayes_posterior(covariance: Floats, seen: Indices, values: Floats, noise_variance: float) -> tuple[Floats, Floats]:
    r"""Mean and variance (N,) from Bayes' rule, without the printed formula: precisions add up.

    With :math:`K=RR^\top`, counts n and sums s of the observations at every point, the posterior covariance is
    :math:`R(I+R^\top\mathrm{diag}(n/\sigma^2)R)^{-1}R^\top` and the mean is that times :math:`s/\sigma^2`.
    """
    if len(seen) == 0:
        return np.zeros(len(covariance)), covariance.diagonal().copy()
    counts = np.bincount(seen, minlength=len(covariance)) / noise_variance
    sums = np.bincount(seen, weights=values, minlength=len(covariance)) / noise_variance
    eigenvalues, vectors = linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    inner = np.eye(len(root)) + root.T @ (counts[:, None] * root)
    posterior = root @ linalg.solve(inner, root.T, assume_a="pos")
    return posterior @ sums, posterior.diagonal().copy()


def printed_improvement(sd: Floats, ahead: Floats) -> Floats:
    r"""(2.6): :math:`\sigma\phi(z)+(\mu-\xi)\Phi(z)`, from :math:`\sigma` and :math:`\mu-\xi`.

    Independent check: written out as printed, for comparison with the package's, which takes logarithms.
    """
    return np.asarray(sd * stats.norm.pdf(ahead / sd) + ahead * stats.norm.cdf(ahead / sd))
