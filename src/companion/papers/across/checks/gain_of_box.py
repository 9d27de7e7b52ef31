"""The certified gain of a box, which bounds for a continuum take: no score and no points exceed it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from companion.checks.cases import Case, at_most
from companion.checks.instance import Instance
from companion.checks.statement import statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp.kernels import Kernel, kernel_by_name
from companion.gp.matrix import KernelMatrix
from companion.information.cover import Score, cover, interpolation
from companion.information.design import Features, diagonalise
from companion.information.gain import gain_by_determinant
from companion.information.large_sets import Pivots

#: Points that are tried in each box, and those of a design.
TRIED, SUPPORT = 4_000, 24


class Gap(Instance, words="{name}, length-scale {scale:g}, d = {dim}, noise {noise:g}, T = {horizon}"):
    """A design of points that leave out a slab of the box, off its middle: the largest score lies inside."""

    name: str
    scale: float
    dim: int
    noise: float
    horizon: int

    @property
    def kernel(self) -> Kernel:
        """Of unit variance."""
        return kernel_by_name(self.name, self.scale)

    def support(self) -> Floats:
        """Points with the first coordinate up to 0.5, and from 0.85."""
        points = stream(self.dim, "gap", self.name).uniform(size=(SUPPORT, self.dim))
        points[:, 0] = np.where(points[:, 0] < 0.7, points[:, 0] / 1.4, 0.5 + points[:, 0] / 2)
        return points

    def tried(self) -> Floats:
        """Points of the whole box, and as many of the slab."""
        anywhere = stream(self.dim, "gap", "tried").uniform(size=(TRIED, self.dim))
        anywhere[TRIED // 2 :, 0] = 0.5 + 0.35 * anywhere[TRIED // 2 :, 0]
        return anywhere


def gaps() -> Iterator[Gap]:
    """Each kernel on the line and in the square."""
    for dim, scale in ((1, 0.15), (2, 0.3)):
        for name in ("se", "matern52", "matern32", "matern12"):
            yield Gap(name, scale, dim, 0.3, 40)


class WithoutTail(Pivots):
    """Takes the features for all of the covariance."""

    def features_of(self, points: Floats) -> Features:
        """Without what they leave out."""
        found = super().features_of(points)
        return Features(found.phi, 0.0 * found.tail)


class WithHole(Score):
    """Half of the box is never looked at."""

    def __call__(self, points: Floats) -> Floats:
        """The score, of a point with the first coordinate halved."""
        return super().__call__(self._halved(points))

    def near(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Likewise."""
        return super().near(self._halved(points))

    def _halved(self, points: Floats) -> Floats:
        return points * np.array([0.5] + [1.0] * (points.shape[1] - 1))


class AtCentre(Score):
    """Takes the score at a cell's centre for the largest in the cell."""

    def near(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Nothing is added to the scores."""
        scores, losing, gaining = super().near(points)
        return scores, 0.0 * losing, 0.0 * gaining


def nothing(kernel: Kernel) -> Callable[[float], float]:
    """An interpolation without error."""
    return lambda t: 0.0


@statement(
    "gain-of-box",
    "inequality",
    gaps,
    teeth={
        "interpolation without its error": {"error": nothing},
        "a cover with a hole": {"form": WithHole},
        "cells by their centres": {"form": AtCentre},
        "without the variance that features leave out": {"pivots": WithoutTail},
    },
)
def gain_of_box(
    gap: Gap,
    *,
    error: Callable[[Kernel], Callable[[float], float]] = interpolation,
    form: type[Score] = Score,
    pivots: type[Pivots] = Pivots,
) -> Iterator[Case]:
    r"""For every design, $\gamma_T\le\frac T2\max_{x\in[0,1]^d}s(x)+\frac12\sum_{i\le T}(\theta_i-1-\log\theta_i)$ over all
    choices of $T$ points of the box, and a cover by cells bounds the largest score: by its corners,
    $\max_v\sqrt{s(v)}+\sigma^{-1}\sqrt{\theta_0}\sum_ae(w_a/\ell_a)$, for smoothness ½ by its centre."""
    matrix, everywhere = KernelMatrix(gap.kernel, gap.support()), np.arange(SUPPORT)
    of = [
        each.of(matrix, everywhere, matrix.rows(everywhere, everywhere), gap.noise**2, 1e-6, SUPPORT)
        for each in (Pivots, pivots)
    ]
    weights = np.full(SUPPORT, 1.0 / SUPPORT)
    cores = [each.features(everywhere) for each in of]
    true = Score.of(of[0], diagonalise(weights, cores[0]), cores[0], gap.horizon)
    used = form.of(of[1], diagonalise(weights, cores[1]), cores[1], gap.horizon)
    top = cover(used, np.full(gap.dim, gap.scale), float(used(matrix.points).max()), error(gap.kernel))[0]
    tried = gap.tried()
    yield at_most(float(true(tried).max()), top, f"{gap.where}: score")
    picks = tried[:: TRIED // gap.horizon]
    gain = gain_by_determinant(gap.kernel(picks), gap.noise**2)
    yield at_most(float(gain), used.bound(top), f"{gap.where}: gain of {len(picks)} points")
