"""DRBO-MMD minmax over many contexts: their values where they matter, and bounds where they do not.

The formula needs U at the contexts that carry mass and at the one where U is smallest. Which one that is follows from
the mean, which costs little, and from a bound of the standard deviation: it is the distance of a kernel function from
a subspace, so between two decisions x, x' at one context it changes by at most sqrt(2 - 2 k_x(x, x')). All contexts
are evaluated at one decision of an ascent; at the next ones only those that this bound cannot rule out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.arrays import Floats
from companion.papers.wdrbo.method.acquisitions import ContextualAcquisition, best_rows
from companion.papers.wdrbo.method.context_table import SCREENED, SPREAD, ContextTable
from companion.papers.wdrbo.method.discrepancy_ball import Minmax
from companion.papers.wdrbo.method.model import Surrogate

#: Contexts whose values bound the minimum over all of them at first, while the best rows are searched for.
_FEW = 8
#: All contexts are evaluated afresh where the bound leaves more than this share of them.
_AFRESH = 0.12
#: Rounding that the bound of a standard deviation is lowered by.
_SLACK = 1e-9


@dataclass(eq=False)
class _Reference:
    """A decision at which all contexts were evaluated, and the contexts that mattered last."""

    x: Floats
    sd: Floats
    points: NDArray[np.intp]


class MinmaxAcquisition(ContextualAcquisition):
    """The minmax approximation of the worst case over a grid of contexts.

    Parameters
    ----------
    surrogate, width : U = mean + width * sd
    support : (C, d_c) contexts
    minmax : the formula
    """

    def __init__(self, surrogate: Surrogate, support: Floats, width: float, minmax: Minmax) -> None:
        super().__init__(surrogate, support, width, minmax, minmax.centre)
        self.minmax, self.atoms = minmax, np.flatnonzero(minmax.centre)
        # From more contexts than there are data, interpolating costs more than what is done here.
        text = minmax.reading == "text"
        self.table = ContextTable(surrogate, support, width, len(surrogate.points) if text else None)
        self.selects = text and self.table.coefficients is None
        self._references: dict[int, _Reference] = {}

    def __call__(self, x: Floats) -> Floats:
        """Values (B,)."""
        return self.rule(self.table.upper(x))[0]

    def with_gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Values (B,) and gradients (B, d_x)."""
        if not self.selects:
            return self.table.with_gradient(x, self.rule)
        found = [self._selected(number, x[number : number + 1]) for number in range(len(x))]
        return np.concatenate([value for value, _ in found]), np.concatenate([slope for _, slope in found])

    def _selected(self, number: int, x: Floats) -> tuple[Floats, Floats]:
        """Value (1,) and gradient (1, d_x) at ``x`` (1, d_x), the given row of an ascent."""
        table, model = self.table, self.surrogate
        kx = table.decision_kernel(x)
        mean = model.hyperparameters.mean + ((kx * model.alpha) @ table.along.T)[0]
        near = self._references.get(number)
        chosen = None if near is None else self._near(near, x, kx, mean)
        if chosen is None:
            every = np.arange(len(mean))
            sd, images = table.deviations(kx, table.along)
            upper = mean + self.width * sd[0]
            self._references[number] = _Reference(x[0], sd[0], np.union1d(self.atoms, upper.argmin()))
            chosen = every, upper, sd, images
        points, upper, sd, images = chosen
        minmax = Minmax(self.centre[points], self.minmax.vertex_distance[points], self.minmax.radius)
        value, weights = minmax(upper[None, :])
        along = table.along[points]
        turned = ((weights * (self.width / sd))[0] @ (images[0] * along))[None, :]
        return value, table.folded(x, kx * (model.alpha * (weights @ along) - turned))

    def _near(
        self, near: _Reference, x: Floats, kx: Floats, mean: Floats
    ) -> tuple[NDArray[np.intp], Floats, Floats, Floats] | None:
        """Contexts that hold all mass and the minimum, with U, sd and images; none where too many would be needed."""
        table, scale = self.table, self.surrogate.lengthscale[: self.table.dim]
        apart = math.sqrt(2.0 - 2.0 * math.exp(-0.5 * float(np.sum(np.square((x[0] - near.x) / scale)))))
        least = mean + self.width * np.maximum(near.sd - (apart + _SLACK), 0.0)
        points = near.points
        sd, images = table.deviations(kx, table.along[points])
        upper = mean[points] + self.width * sd[0]
        open_ = np.flatnonzero(least < upper.min())
        if len(open_) > _AFRESH * len(mean):
            return None
        near.points = np.union1d(self.atoms, open_)
        fresh = np.setdiff1d(open_, points, assume_unique=True)
        if len(fresh):
            further = table.deviations(kx, table.along[fresh])
            points, sd = np.concatenate([points, fresh]), np.concatenate([sd, further[0]], axis=1)
            images = np.concatenate([images, further[1]], axis=1)
            upper = mean[points] + self.width * sd[0]
        # The first case needs the spread of all values; that of some is smaller, and rules it out where it is enough.
        at = int(upper.argmin())
        gap = float(self.centre[points] @ upper - upper[at])
        enough = self.minmax.radius * float(np.linalg.norm(upper - upper.mean())) > gap
        return (
            (points, upper, sd, images)
            if enough or self.minmax.vertex_distance[points[at]] <= self.minmax.radius
            else None
        )

    def screen(self, x: Floats, count: int) -> Floats:
        """Values of the ``count`` best rows, upper bounds elsewhere: U at few contexts bounds the smallest value.

        In the code's reading, where rows depend on each other, all values.
        """
        if self.minmax.reading == "code":
            return self(x)
        mean, few = self.table.mean_bound(x, self.centre), slice(0, _FEW)
        some = self.table.spread(x, few)
        bounds = self.minmax.bound(mean, some)
        # More contexts for the rows that the best of these values leave open.
        first = np.argsort(-bounds, kind="stable")[: max(count, SCREENED)]
        least = np.sort(self(x[first]))[-min(count, len(first))]
        left = np.flatnonzero(bounds >= least)
        more = self.table.spread(x[left], slice(_FEW, SPREAD))
        bounds[left] = self.minmax.bound(mean[left], np.concatenate([some[left], more], axis=1))
        return best_rows(bounds, lambda rows: (self(x[rows]), None), count, SCREENED)
