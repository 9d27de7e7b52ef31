"""Models that the statements of Sections 1 to 4 are checked on, posteriors by other routes, and cached runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from scipy import linalg

from companion.checks.statement import Assumption, need
from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.gp import grid, kernel_by_name
from companion.gp.kernels import KERNEL_TITLES as KERNEL_TITLES
from companion.papers.tsrsr.theory.runs import TheoryRuns, play

ARMS = "arms"

#: Between two routes to one posterior: rank-one updates, Cholesky factors and inverses of up to 60 points, prior variance
#: 1 and noise variance of at least 1e-2, so that condition numbers stay below 1e4.
AGREEMENT = 1e-8


@dataclass(frozen=True)
class Model:
    """A prior on the points of a grid of [0, 1]^d, and a noise level.

    ``kernel`` may be ``"arms"``: as many independent arms as the grid of that dimension has points. ``variance`` is k(x, x).
    """

    kernel: str
    dim: int
    noise_sd: float
    lengthscale: float = 0.2
    variance: float = 1.0
    seed: int = 0

    @property
    def where(self) -> str:
        """The model in words."""
        title = "independent arms" if self.kernel == ARMS else f"{KERNEL_TITLES[self.kernel]}, d = {self.dim}"
        return f"{title}, noise {self.noise_sd:g}"

    @property
    def points(self) -> Floats:
        """The candidates: 25 points."""
        return grid(25 if self.dim == 1 else 5, self.dim)

    @property
    def covariance(self) -> Floats:
        """Prior covariance of the candidates, positive definite."""
        if self.kernel == ARMS:
            return self.variance * np.eye(len(self.points))
        kernel = kernel_by_name(self.kernel, self.lengthscale, variance=self.variance)
        # 25 points within 5 length-scales: the smallest eigenvalue of the SE kernel is zero to rounding without this.
        return kernel(self.points) + 1e-9 * self.variance * np.eye(len(self.points))

    def stream(self, *path: str | int) -> np.random.Generator:
        """A generator of its own for every model and purpose."""
        return stream(self.seed, "tsrsr", "statements", self.kernel, self.dim, f"{self.noise_sd:g}", *path)


def models(noises: tuple[float, ...], arms: bool = True) -> Iterator[Model]:
    """Four kernels in two dimensions, and independent arms, at every noise level."""
    for noise in noises:
        for kernel, dim in product(KERNEL_TITLES, (1, 2)):
            yield Model(kernel, dim, noise)
        if arms:
            yield Model(ARMS, 1, noise)


def positive_noise(violated_by: Any) -> Assumption:
    """That the noise of an instance, or of its model, is positive."""
    return need(r"$\sigma_n>0$", lambda instance: getattr(instance, "model", instance).noise_sd > 0, violated_by)


@lru_cache(maxsize=128)
def runs_of(
    model: Model, rounds: int, batch: int, runs: int, resample: bool = False, design: tuple[int, ...] = ()
) -> TheoryRuns:
    """Runs of TS-RSR with exact draws and minimisation; see :func:`companion.papers.tsrsr.theory.runs.play`."""
    generator = model.stream("play", rounds, batch, runs, int(resample), len(design))
    return play(
        model.covariance, rounds, batch, model.noise_sd**2, runs, generator, resample=resample, design=np.array(design)
    )


# -- posteriors by other routes than the package's engine --------------------------------------------------------------


def updated(covariance: Floats, seen: Iterable[int], noise_variance: float) -> Floats:
    r"""Posterior covariance (N, N), one observation at a time.

    .. math:: C\leftarrow C-C_{\cdot j}C_{j\cdot}/(C_{jj}+\sigma_n^2)
    """
    posterior = covariance.copy()
    for index in seen:
        posterior -= np.outer(posterior[index], posterior[index]) / (posterior[index, index] + noise_variance)
    return posterior


def printed_posterior(
    covariance: Floats, seen: Indices, values: Floats, noise_variance: float
) -> tuple[Floats, Floats]:
    r"""Mean and variance (N,) of Section 3, as printed, by a dense solve.

    :math:`\mu_t=\mathbf k_t^\top(K_t+\sigma_n^2I)^{-1}\mathbf y_t` and
    :math:`\sigma_t^2=k-\mathbf k_t^\top(K_t+\sigma_n^2I)^{-1}\mathbf k_t`; the prior for t = 0.
    """
    if len(seen) == 0:
        return np.zeros(len(covariance)), covariance.diagonal().copy()
    cross = covariance[seen]
    gram = cross[:, seen] + noise_variance * np.eye(len(seen))
    weights = linalg.solve(gram, np.column_stack([values, cross]))
    return cross.T @ weights[:, 0], covariance.diagonal() - np.sum(cross * weights[:, 1:], axis=0)


def bayes_posterior(covariance: Floats, seen: Indices, values: Floats, noise_variance: float) -> tuple[Floats, Floats]:
    r"""Mean and variance (N,) from Bayes' rule, without the printed formula: precisions add up.

    With counts :math:`n_x` and sums :math:`s_x` of the observations at x, the posterior covariance is
    :math:`(K^{-1}+\sigma_n^{-2}\mathrm{diag}(n))^{-1}` and the mean is that times :math:`\sigma_n^{-2}s`.
    """
    counts = np.bincount(seen, minlength=len(covariance)) / noise_variance
    sums = np.bincount(seen, weights=values, minlength=len(covariance)) / noise_variance
    root = np.linalg.cholesky(covariance)
    # (K^-1 + D)^-1 = L (I + L'DL)^-1 L' avoids the inverse of a nearly singular K.
    inner = np.eye(len(root)) + root.T @ (counts[:, None] * root)
    posterior = root @ linalg.solve(inner, root.T, assume_a="pos")
    return posterior @ sums, posterior.diagonal().copy()
