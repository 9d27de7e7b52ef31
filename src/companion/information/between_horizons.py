r"""Upper ends of the maximum information gain between the numbers of picks at which they were certified.

For :math:`s\le t\le u` picks, :math:`\gamma_t` is at most :math:`\gamma_u`, and at most :math:`\frac ts\gamma_s`
(:func:`companion.information.box.gain_curve_of_box`). Sharper is the chord over :math:`\log t`. The D-optimal relaxation

.. math:: \Gamma(t)=\max_w\tfrac12\log\det\Big(I+t\sum_xw_x\phi_x\phi_x^\top\Big)\ge\gamma_t

is the maximum of functions :math:`\frac12\sum_i\log(1+t\lambda_i)`, each convex in :math:`\log t`, and so is convex in
:math:`\log t` itself. It lies below every chord between upper ends of its own: ``design`` and ``spectral``
(Hadamard's inequality holds for weights as for picks). The others bound :math:`\gamma` alone, and may lie below :math:`\Gamma`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.core.arrays import Floats

#: By how much, as a share, a chord is raised, so that its ends may exceed the smallest upper end by as much.
SLACK = 1e-4


@dataclass(frozen=True, eq=False)
class UpperEnds:
    """Upper ends of the gain as a function of the number of picks.

    Parameters
    ----------
    picks : (H,) at which they were certified, increasing
    uppers : (H,) nats
    since : from which of them on the relaxation's own upper end is at most a share :data:`SLACK` larger; infinite if never

    Examples
    --------
    >>> import companion as cp
    >>> from companion.information import gain_bracket_curve
    >>> from companion.information.between_horizons import UpperEnds
    >>> curve = gain_bracket_curve(cp.Matern(2.5, 0.3)(cp.grid(30, dim=1)), [30, 100], noise_variance=0.01)
    >>> upper = UpperEnds.of(curve)
    >>> print(f"{upper(30):.1f} <= {upper(50):.1f} <= {upper(100):.1f} nats")
    19.4 <= 22.2 <= 25.9 nats
    """

    picks: Sequence[int]
    uppers: Floats
    since: float = math.inf

    @classmethod
    def of(cls, brackets: Sequence[Any]) -> UpperEnds:
        """Of brackets with increasing horizons, of a finite set, of many candidates or of a box."""
        relaxed = [_relaxed(each) for each in brackets]
        picks = [each.horizon for each in brackets]
        return cls(picks, np.array([each.upper for each in brackets]), since(picks, relaxed))

    def __call__(self, points: float) -> float:
        """An upper end for so many picks, at most the largest number certified."""
        at = int(np.searchsorted(self.picks, points))
        upper, following = float(self.uppers[at]), self.picks[at]
        if following == points or at == 0:
            return upper
        before, below = self.picks[at - 1], float(self.uppers[at - 1])
        found = min(upper, below * points / before * (1.0 + 1e-15))
        if before < self.since:
            return found
        share = math.log(points / before) / math.log(following / before)
        return min(found, (1.0 + SLACK) * (below + share * (upper - below)))


def _relaxed(bracket: Any) -> bool:
    own = min(bracket.ends.get(name, math.inf) for name in ("design", "spectral"))
    return bool(own <= (1.0 + SLACK) * bracket.upper)


def since(picks: Sequence[int], relaxed: Sequence[bool]) -> float:
    """The first number of picks from which on a flag holds at all; infinite if it does not at the last.

    Examples
    --------
    >>> from companion.information.between_horizons import since
    >>> since([10, 100, 1000], [True, False, True]), since([10, 100], [True, False])
    (1000.0, inf)
    """
    others = np.flatnonzero(~np.asarray(relaxed, dtype=bool))
    first = int(others[-1]) + 1 if others.size else 0
    return float(picks[first]) if first < len(picks) else math.inf
