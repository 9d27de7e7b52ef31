"""DRBO-MMD minmax over many contexts: their values where they matter, and bounds where they do not.

The formula needs U at the contexts that carry mass and at the one where U is smallest. Which one that is follows from
the mean, which costs little, and from a bound of the standard deviation: it is the distance of a kernel function from
a subspace, so between two decisions x, x' at one context it changes by at most sqrt(2 - 2 k_x(x, x')). All contexts
are evaluated at one decision of an ascent; at the next ones only those that this bound cannot rule out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.papers.wdrbo.method.acquisitions import ContextualAcquisition, best_rows
from companion.papers.wdrbo.method.context_table import SPREAD, ContextTable
from companion.papers.wdrbo.method.discrepancy_ball import Minmax
from companion.papers.wdrbo.method.model import Surrogate

#: Contexts whose values bound the minimum over all of them, while the best rows are searched for: the more, the fewer
#: rows are left.
_STAGES = (8, 24, 96)
#: All contexts are evaluated afresh where the bound leaves more than this share of them.
_AFRESH = 0.25
#: Rounding that the bound of a standard deviation is lowered by.
_SLACK = 1e-9
#: Variances below this are rounding.
_LEAST_VARIANCE = 1e-14


@dataclass(eq=False)
class _Reference:
    """A decision at which all contexts were evaluated, and the contexts that mattered since, those with mass first."""

    x: Floats
    sd: Floats
    points: NDArray[np.intp]
    along: Floats

    def bound(self, x: Floats, scale: Floats) -> Floats:
        """Lower bound (C,) of the standard deviations at ``x`` (d_x,)."""
        away = (x - self.x) / scale
        apart = math.sqrt(2.0 - 2.0 * math.exp(-0.5 * float(away @ away)))
        found = self.sd - (apart + _SLACK)
        return np.maximum(found, 0.0, out=found)


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
        self.table = ContextTable(surrogate, support, width, len(surrogate.points) + SPREAD if text else None)
        self.selects = text and self.table.coefficients is None
        self._masses = minmax.centre[self.atoms]
        self._scale = surrogate.lengthscale[: self.table.dim]
        self._most = len(self.atoms) + int(_AFRESH * len(support))
        self._references: dict[int, _Reference] = {}

    def __call__(self, x: Floats) -> Floats:
        """Values (B,)."""
        return self.rule(self.table.upper(x))[0]

    def with_gradient(self, x: Floats) -> tuple[Floats, Floats]:
        """Values (B,) and gradients (B, d_x)."""
        if not self.selects:
            return self.table.with_gradient(x, self.rule)
        table, alpha = self.table, self.surrogate.alpha
        kx = table.decision_kernel(x)
        means = self.surrogate.hyperparameters.mean + (kx * alpha) @ table.along.T
        values, slopes = np.empty(len(x)), np.empty_like(kx)
        for number, (at, k, mean) in enumerate(zip(x, kx, means, strict=True)):
            near = self._references.get(number)
            found = None if near is None else self._near(near, at, k, mean)
            values[number], slopes[number] = self._everywhere(number, at, k, mean) if found is None else found
        return values, table.folded(x, kx * slopes)

    def _everywhere(self, number: int, x: Floats, kx: Floats, mean: Floats) -> tuple[float, Floats]:
        """Value and its derivative (n,) in k_x from all contexts, which the next decisions of this row refer to."""
        along = self.table.along
        sd, images = self.table.deviations(kx[None, :], along)
        upper = mean + self.width * sd[0]
        points = np.append(self.atoms, upper.argmin())
        self._references[number] = _Reference(x.copy(), sd[0], points, along[points])
        value, weights = self.minmax(upper[None, :])
        turned = (weights[0] * (self.width / sd[0])) @ (images[0] * along)
        return float(value[0]), self.surrogate.alpha * (weights[0] @ along) - turned

    def _near(self, near: _Reference, x: Floats, kx: Floats, mean: Floats) -> tuple[float, Floats] | None:
        """The same from the contexts that can matter; none where these are many, or the first case cannot be ruled out."""
        table, width, r = self.table, self.width, self.minmax.radius
        inverse, masses = self.surrogate.inverse, self._masses
        least = mean + width * near.bound(x, self._scale)
        while True:
            k = near.along * kx
            images = k @ inverse
            sd = np.sqrt(np.maximum(1.0 - np.einsum("hn,hn->h", k, images), _LEAST_VARIANCE))
            upper = mean[near.points] + width * sd
            at = int(upper.argmin())
            wanted = least < upper[at]
            wanted[near.points] = False
            fresh = wanted.nonzero()[0]
            if len(near.points) + len(fresh) > self._most:
                return None
            if not len(fresh):
                break
            near.points = np.concatenate([near.points, fresh])
            near.along = np.concatenate([near.along, table.along[fresh]])
        low, held, away = float(upper[at]), len(masses), float(self.minmax.vertex_distance[near.points[at]])
        # A context with mass may stand in the list twice, which changes nothing here.
        pull = (width / sd[at]) * images[at] * near.along[at]
        lowest = self.surrogate.alpha * near.along[at] - pull
        if r >= away:
            return low, lowest
        average = float(masses @ upper[:held])
        # The spread of some values is at most that of all, and rules the first case out where it is large enough.
        centred = upper[:held] - upper[:held].mean()
        if r * math.sqrt(float(centred @ centred)) <= average - low:
            return None
        share = r / away
        on_mean = (1.0 - share) / 2.0
        pulls = (masses * (width / sd[:held])) @ (images[:held] * near.along[:held])
        averaged = self.surrogate.alpha * (masses @ near.along[:held]) - pulls
        return on_mean * average + (1.0 - on_mean) * low, on_mean * averaged + (1.0 - on_mean) * lowest

    def screen(self, x: Floats, count: int) -> Floats:
        """Values of the ``count`` best rows, upper bounds elsewhere: U at few contexts bounds the smallest value.

        In the code's reading, where rows depend on each other, all values.
        """
        if self.minmax.reading == "code":
            return self(x)
        mean = self.table.mean_bound(x, self.centre)
        some = self.table.spread(x, slice(0, _STAGES[0]))
        bounds = self.minmax.bound(mean, some)
        least = self(x[np.argsort(-bounds, kind="stable")[:count]]).min()
        # More contexts for the rows that the best of these values leave open.
        left = np.arange(len(x))
        for start, stop in pairwise(_STAGES):
            kept = bounds[left] >= least
            left, some = left[kept], some[kept]
            if start < len(self.table.points):
                some = np.concatenate([some, self.table.spread(x[left], slice(start, stop))], axis=1)
                bounds[left] = self.minmax.bound(mean[left], some)
        return best_rows(bounds, lambda rows: (self(x[rows]), None), count, count)
