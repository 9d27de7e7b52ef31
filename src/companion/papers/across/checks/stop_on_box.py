"""A statement of chapter 6 on stopping: what a mesh of corners promises holds at all points of a box."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from companion.checks.cases import Case, at_most, probability
from companion.checks.instance import Instance
from companion.checks.statement import statement
from companion.core.arrays import Flags, Floats
from companion.core.randomness import stream
from companion.gp.factor import draw_root
from companion.gp.kernels import Kernel, SquaredExponential, kernel_by_name
from companion.gp.sampling import grid
from companion.information.cover import interpolation
from companion.policies.box_certificate import Grids, Mesh, Posterior, by_width


class _OnBox(Instance):
    """A kernel on [0,1]^d."""

    name: str
    scale: float
    dim: int

    @property
    def kernel(self) -> Kernel:
        """Of unit variance."""
        return kernel_by_name(self.name, (self.scale,) * self.dim)


class Paths(_OnBox, words="{name}, length-scale {scale:g}, d = {dim}, {runs} draws"):
    """Draws on the points of a grid that those of the sequence divide."""

    points: int
    runs: int = 300
    share: float = 0.2


class Halved(_OnBox, words="{name}, length-scale {scale:g}, d = {dim}, cells halved at random"):
    """A mesh whose cells are halved or kept at random."""

    rounds: int = 6


class Posed(_OnBox, words="{name}, length-scale {scale:g}, d = {dim}, {count} evaluations"):
    """A function of norm 2, evaluated at random."""

    count: int
    tried: int = 20_000


def boxes() -> Iterator[Paths | Halved | Posed]:
    """Each kernel on the line and in the square."""
    for dim, scale, points in ((1, 0.3, 65), (2, 0.6, 17)):
        for name in ("se", "matern52", "matern32"):
            yield Paths(name, scale, dim, points)
            yield Halved(name, scale, dim)
            yield Posed(name, scale, dim, 6)


def one_forgotten(kernel: Kernel, share: float) -> Grids:
    """Without the difference to the next grid."""
    found = Grids(kernel, share)
    found.slack = np.append(found.slack[1:], 0.0)
    return found


def half_deviation(kernel: Kernel, share: float) -> Grids:
    """With half of the prior standard deviation."""
    found = Grids(kernel, share)
    found.slack = found.slack / 2.0
    return found


def too_smooth(kernel: Kernel, share: float) -> Grids:
    """With what interpolation misses of smoother functions."""
    return Grids(kernel, share, interpolation(SquaredExponential(kernel.lengthscale)))


def nothing_between(kernel: Kernel, share: float) -> Grids:
    """An interpolation without error."""
    found = Grids(kernel, share)
    found.far = 0.0 * found.far
    return found


class FinestCounts(Mesh):
    """A corner has the slack of the finest of its cells."""

    def slack(self) -> Floats:
        """Of the cells that are still halved, where there are some."""
        found = super().slack()
        found[self.places] = self.grids.slack[self.level]
        return found


class Dropped(Mesh):
    """Cells that are kept count no more."""

    def halve(self, chosen: Flags) -> None:
        """Forget the others."""
        before = self.kept.copy(), self.keys
        super().halve(chosen)
        self.kept[:] = -np.inf
        self.kept[np.searchsorted(self.keys, before[1])] = before[0]


def _between(fine: int, coarse: int) -> Floats:
    """(fine + 1, coarse + 1) linear interpolation from the ends of ``coarse`` cells of [0,1]."""
    return np.array(
        [np.interp(np.linspace(0, 1, fine + 1), np.linspace(0, 1, coarse + 1), one) for one in np.eye(coarse + 1)]
    ).T


@statement(
    "stop-on-box",
    "probability",
    boxes,
    teeth={
        "the difference to the next grid is forgotten": {"form": one_forgotten},
        "half of the prior standard deviation": {"form": half_deviation},
        "the interpolation of a smoother kernel": {"form": too_smooth},
        "interpolation without its error": {"form": nothing_between},
        "a corner counts with the smaller slack": {"mesh": FinestCounts},
        "cells that are not halved are dropped": {"mesh": Dropped},
    },
)
def paths(run: Paths, *, form: Callable[[Kernel, float], Grids] = Grids, mesh: type[Mesh] = Mesh) -> Case:
    r"""On $[0,1]^d$ let grid i+1 halve one axis of grid i, let $s_i$ be the prior standard deviation of f in the middle of an
    edge that is halved, less the mean of its ends, and $\Phi(-z_i)=\delta_i/n_i$ for the $n_i$ of them. With probability
    $1-\sum_i\delta_i$ a draw f is on every cell of every grid j at most $\max_vf(v)+\sum_{i\ge j}s_iz_i$, v its corners. So
    corners of cells that cover the box, each with the largest sum of its cells, bound $\max f$, whatever chose the cells. For a
    posterior mean $\mu$ and standard deviation $\sigma$, $\mu+w\sigma$ is on a cell of widths $h_a$ at most its largest value
    at a corner plus $(m+w)\sqrt{k_0}\sum_ae(h_a)$, m the norm of $\mu$."""
    grids, axis, dim = form(run.kernel, run.share), run.points - 1, run.dim
    root = draw_root(run.kernel(grid(run.points, dim)))
    values = stream(dim, "stop-on-box", run.name).standard_normal((run.runs, len(root))) @ root.T
    cube, failed = values.reshape(run.runs, *[run.points] * dim), np.zeros(run.runs, dtype=bool)
    for counts, slack in zip(grids.counts[grids.first :].astype(int), grids.slack[grids.first :], strict=True):
        if counts.max() > axis:
            break
        corners = cube[(slice(None), *(slice(None, None, axis // each) for each in counts))].reshape(run.runs, -1)
        matrix: Floats = np.ones((1, 1))
        for each in counts:
            matrix = np.asarray(np.kron(matrix, _between(axis, each)))
        failed |= (values - corners @ matrix.T > slack).any(axis=1)
    return probability(int(failed.sum()), run.runs, run.share, run.where)


@paths.on(Halved)
def halved(cut: Halved, *, form: Callable[[Kernel, float], Grids] = Grids, mesh: type[Mesh] = Mesh) -> Case:
    """Each cell's slack against the smallest that one of its corners counts with."""
    generator, grids = stream(cut.dim, "stop-on-box", "halved"), form(cut.kernel, 0.01)
    made = mesh(grids, lambda points: np.zeros((2, len(points))), 1.0)
    cells: list[tuple[float, Floats]] = []
    for _ in range(cut.rounds):
        chosen = generator.uniform(size=len(made.lowest)) < 0.7
        chosen[0] = True
        cells += [(float(grids.slack[made.level]), made.keys[corners]) for corners in made.places[~chosen]]
        made.halve(chosen)
    cells += [(float(grids.slack[made.level]), made.keys[corners]) for corners in made.places]
    counted = np.maximum(made.slack(), 0.0)
    return at_most(max(own - counted[np.searchsorted(made.keys, keys)].min() for own, keys in cells), 0.0, cut.where)


@paths.on(Posed)
def posed(told: Posed, *, form: Callable[[Kernel, float], Grids] = Grids, mesh: type[Mesh] = Mesh) -> Iterator[Case]:
    """Both scores at many points against the upper end of the mesh."""
    generator = stream(told.dim, "stop-on-box", "posed", told.name)
    where, weights = generator.uniform(size=(told.count, told.dim)), generator.standard_normal(told.count)
    covariance = told.kernel(where)
    values = 2.0 * covariance @ weights / np.sqrt(weights @ covariance @ weights)
    posterior, points = Posterior(told.kernel, where, values, 0.01), generator.uniform(size=(told.tried, told.dim))
    for differences in (True, False):
        found = by_width(posterior, 3.0, differences, 1e-6, Grids(told.kernel, 0.01))
        lead, sd = (posterior.lead_and_sd(found.point) if differences else posterior.mean_and_sd)(points)
        mean, own = posterior.mean_and_sd(found.point[None])[:, 0]
        top = float((lead + 3.0 * sd).max()) - (0.0 if differences else float(mean - 3.0 * own))
        # Where the largest score is allowed, and no more, a mesh ends with the coarsest cells that do.
        used = by_width(posterior, 3.0, differences, top, form(told.kernel, 0.01))
        yield at_most(top, used.upper, f"{told.where}, {'differences' if differences else 'a band'}")
