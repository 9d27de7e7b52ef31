"""Assumptions of Section 3: the kernel is at most 1, and partial derivatives have Gaussian tails."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from scipy import optimize, stats

from companion.checks.cases import Case, at_most, probability
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import grid
from companion.papers.compressed.checks.order_models import Model, printed_posterior
from companion.papers.compressed.checks.setting_rules import Sample, samples

# -- the kernel is at most 1 -------------------------------------------------------------------------------------------


@statement(
    "assumption-norm",
    "inequality",
    samples,
    need(r"$\kappa(x,x)\le1$", lambda sample: sample.model.variance <= 1, Sample(Model("se", 1, 0.1, variance=4.0), 6)),
    teeth={"a kernel of up to 4": {"amplitude": 4.0}, "a kernel of up to 1.05": {"amplitude": 1.05}},
)
def assumption_norm(sample: Sample, *, amplitude: float = 1.0) -> Iterator[Case]:
    r"""$\kappa(x,x')\le1$, so that $\sigma_{t-1}^2\le1$ and
    $\sigma^{-2}\sigma^2_{t-1}(x_t)\le\frac{\sigma^{-2}}{\log(1+\sigma^{-2})}\log(1+\sigma^{-2}\sigma^2_{t-1}(x_t))$

    .. math:: \frac{v/\sigma^2}{\log(1+v/\sigma^2)}\le\frac{\sigma^{-2}}{\log(1+\sigma^{-2})},

    the step that brings :math:`C_1` in. For the prior, and for the posterior given the sample.
    """
    noise, (seen, values) = sample.model.noise_variance, sample.data()
    covariance = amplitude * sample.model.covariance
    largest = 1.0 / (noise * math.log1p(1.0 / noise))
    posterior = printed_posterior(covariance, seen, values, noise)[1]
    for name, variance in (("prior", covariance.diagonal()), ("posterior", posterior)):
        scaled = variance[variance > 0] / noise
        yield at_most(float(variance.max()), 1.0, f"{sample.where}: {name} variance")
        yield at_most(
            float(np.max(scaled / np.log1p(scaled))), largest, f"{sample.where}: {name}, step to the constant"
        )


# -- derivatives -------------------------------------------------------------------------------------------------------

PATHS = 8000
CHANCES = (0.4, 0.1, 0.03)
#: In two dimensions :math:`b^2` is this times :math:`2\E f_1^2`: the expected number of excursions there has a factor L
#: before the Gaussian tail, which a slightly larger b absorbs.
PLANE = 1.25


@dataclass(frozen=True)
class Smooth:
    """A prior on the unit cube whose paths have derivatives: ``"se"``, ``"matern52"`` or ``"matern72"``."""

    kernel: str
    dim: int
    lengthscale: float
    side: float = 1.0

    @property
    def where(self) -> str:
        """The prior in words."""
        title = {"se": "SE", "matern52": "Matérn 5/2", "matern72": "Matérn 7/2"}.get(self.kernel, self.kernel)
        return f"{title}, d = {self.dim}, length-scale {self.lengthscale:g}"

    @property
    def moments(self) -> tuple[float, float]:
        r"""Variances of :math:`f'` and :math:`f''` along a line: spectral moments of order 2 and 4.

        Matérn: :math:`\frac{\nu}{(\nu-1)\ell^2}` and :math:`\frac{3\nu^2}{(\nu-1)(\nu-2)\ell^4}`; squared exponential: the
        limits.
        """
        scale = self.lengthscale
        if self.kernel == "se":
            return 1.0 / scale**2, 3.0 / scale**4
        nu = {"matern52": 2.5, "matern72": 3.5}[self.kernel]
        return nu / ((nu - 1) * scale**2), 3.0 * nu**2 / ((nu - 1) * (nu - 2) * scale**4)

    def slope_covariance(self, points: Floats) -> Floats:
        r"""Covariance (N, N) of :math:`\partial f/\partial x_1`: :math:`-k''(r)h_1^2/r^2-(k'(r)/r)(1-h_1^2/r^2)`."""
        apart = points[:, None, :] - points[None, :, :]
        r = np.linalg.norm(apart, axis=2)
        along = np.divide(apart[:, :, 0], r, out=np.ones_like(r), where=r > 0) ** 2
        if self.kernel == "se":
            z = r / self.lengthscale
            second, first = (1.0 - z**2) * np.exp(-0.5 * z**2), np.exp(-0.5 * z**2)
            scale = 1.0 / self.lengthscale**2
        elif self.kernel == "matern52":
            z = math.sqrt(5.0) * r / self.lengthscale
            second, first = (1.0 + z - z**2) * np.exp(-z) / 3.0, (1.0 + z) * np.exp(-z) / 3.0
            scale = 5.0 / self.lengthscale**2
        else:
            z = math.sqrt(7.0) * r / self.lengthscale
            second, first = (1.0 + z - z**3 / 3.0) * np.exp(-z) / 5.0, (1.0 + z + z**2 / 3.0) * np.exp(-z) / 5.0
            scale = 7.0 / self.lengthscale**2
        return np.asarray(scale * (second * along + first * (1.0 - along)))


@lru_cache(maxsize=32)
def largest_slopes(prior: Smooth) -> Floats:
    """(:data:`PATHS`,) largest absolute derivatives on a grid of 160 points, or 15 by 15; never above the true ones."""
    points = prior.side * grid(160 if prior.dim == 1 else 15, prior.dim)
    root = np.linalg.cholesky(prior.slope_covariance(points) + 1e-9 * prior.moments[0] * np.eye(len(points)))
    generator = stream(0, "compressed", "order", "slopes", prior.kernel, prior.dim, f"{prior.lengthscale:g}")
    return np.asarray(np.abs(generator.standard_normal((PATHS, len(points))) @ root.T).max(axis=1))


@lru_cache(maxsize=32)
def tail_constants(prior: Smooth) -> tuple[float, float]:
    r"""Constants (a, b) of (3.3), which the paper leaves open.

    One dimension, by Rice's formula: :math:`P(\sup|f'|>L)\le2(P(f'(0)>L)+\E\,\text{upcrossings})`, so
    :math:`b^2=2m_2` and :math:`a=1+\frac r\pi\sqrt{m_4/m_2}`; for the squared exponential kernel
    :math:`a=1+\sqrt3r/(\pi\ell)`, :math:`b=\sqrt2/\ell`. Two dimensions: twice the expected Euler characteristic of the
    excursion set above :math:`L=c\sqrt{m_2}` on the square, whose two spectral moments are :math:`m_4/m_2` and a third of
    it, with :math:`b^2=2.5m_2` and the least a that then suffices for every L.
    """
    second, fourth = prior.moments
    rate = math.sqrt(fourth / second)
    if prior.dim == 1:
        return 1.0 + prior.side * rate / math.pi, math.sqrt(2.0 * second)
    rates = (rate, rate / math.sqrt(3.0))

    def share(c: float) -> float:
        area = prior.side**2 * rates[0] * rates[1] * c / (2.0 * math.pi) ** 1.5
        edges = prior.side * sum(rates) / (2.0 * math.pi)
        euler = math.exp(-0.5 * c**2) * (area + edges) + float(stats.norm.sf(c))
        return 2.0 * euler * math.exp(c**2 / (2.0 * PLANE))

    best = optimize.minimize_scalar(lambda c: -share(c), bounds=(0.0, 10.0), method="bounded")
    return max(share(0.0), -float(best.fun)), math.sqrt(2.0 * PLANE * second)


def smooth_priors() -> Iterator[Smooth]:
    """Three kernels, two dimensions, two length-scales."""
    for kernel, dim, lengthscale in product(("se", "matern52", "matern72"), (1, 2), (0.2, 0.5)):
        yield Smooth(kernel, dim, lengthscale)


@statement(
    "assumption-3.3",
    "probability",
    smooth_priors,
    need(
        "the kernel is four times differentiable at 0, which the constants found here need",
        lambda prior: prior.kernel in ("se", "matern52", "matern72"),
        Smooth("matern12", 1, 0.2),
    ),
    teeth={"b divided by 1.5": {"shrink": 1.5}, "a tenth of a": {"factor": 0.1}},
)
def assumption_3_3(prior: Smooth, *, shrink: float = 1.0, factor: float = 1.0) -> Iterator[Case]:
    r"""$P\{\sup_{\X}\abs{\partial f/\partial x_j}>L\}\le ae^{-(L/b)^2}$ for $j=1,\dots,d$

    With the constants of :func:`tail_constants`, at the L where the right side is 0.4, 0.1 and 0.03.
    """
    (a, b), slopes = tail_constants(prior), largest_slopes(prior)
    for chance in CHANCES:
        level = b * math.sqrt(math.log(a / chance))
        allowed = factor * a * math.exp(-((level * shrink / b) ** 2))
        failures = int(np.sum(slopes > level))
        yield probability(failures, PATHS, allowed, f"{prior.where}, L = {level:.3g}")
