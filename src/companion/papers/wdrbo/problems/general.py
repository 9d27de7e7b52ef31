r"""The example of Figure 1: a law of contexts that is not the one the learner is told.

The reward is :math:`f(y,c)=1-\frac{|c-0.5|}{|y|+0.2}-\sqrt{|y|+0.05}`, the learner is told
:math:`\hat{\mathcal P}=N(0.5,0.1)`, and contexts follow :math:`\mathcal P^*=N(0.6,0.2)`. The paper leaves open whether
the second parameter is a standard deviation or a variance, the domain of the decision, and whether contexts are cut
off; no code is published. Here they are standard deviations (with variances, the decision that is best for the told law
loses next to nothing under the true one, and the example would show nothing), :math:`y=2x-1` with x in [0, 1], and
contexts clipped to [0, 1], as the data-driven bounds need a set of finite diameter. The other choices can be asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest
from companion.papers.wdrbo.problems.laws import ClippedNormal

CENTRE, SOFTENING, OFFSET = 0.5, 0.2, 0.05
#: Parameters of the two normal laws.
TOLD, TRUE = (0.5, 0.1), (0.6, 0.2)
RADIUS = 0.1
SPREADS = ("sd", "variance")
#: Standard deviations after which a law that is not clipped to [0, 1] ends; 1e-15 of its mass lies beyond.
FAR = 8.0


def laws(spread: str = "sd", clipped: bool = True) -> tuple[ClippedNormal, ClippedNormal]:
    """The told and the true law, on one interval.

    Parameters
    ----------
    spread : ``"sd"`` or ``"variance"``: what the second parameter of the normal laws is
    clipped : whether contexts are clipped to [0, 1]; otherwise the interval reaches eight standard deviations of the
        true law to either side of its mean, which changes nothing in double precision

    Raises
    ------
    ParameterError
        for another ``spread``
    """
    if spread not in SPREADS:
        raise ParameterError("spread", f"got {spread!r}", "'sd' or 'variance'", nearest(str(spread), SPREADS))
    (told, told_sd), (true, true_sd) = TOLD, TRUE
    if spread == "variance":
        told_sd, true_sd = math.sqrt(told_sd), math.sqrt(true_sd)
    low, high = (0.0, 1.0) if clipped else (true - FAR * true_sd, true + FAR * true_sd)
    return ClippedNormal(told, told_sd, low, high), ClippedNormal(true, true_sd, low, high)


@dataclass(frozen=True)
class GeneralExample:
    """Reward and expected reward of Figure 1.

    Parameters
    ----------
    distance : E |c - 0.5| under the law of the contexts
    """

    distance: float

    def __call__(self, x: Floats, c: Floats) -> Floats:
        """f(2 x - 1, c), shape (n,), for x (n, 1) and c (n, 1)."""
        return self._value(np.abs(2 * x[:, 0] - 1), np.abs(c[:, 0] - CENTRE))

    def expected(self, x: Floats) -> Floats:
        """E f(2 x - 1, c), shape (n,)."""
        return self._value(np.abs(2 * x[:, 0] - 1), self.distance)

    @staticmethod
    def _value(r: Floats, distance: Floats | float) -> Floats:
        return 1.0 - distance / (r + SOFTENING) - np.sqrt(r + OFFSET)

    def by_modulus(self, r: Floats) -> tuple[Floats, Floats]:
        """Expected reward (n,) and its derivative (n, 1) as a function of r = |y| (n, 1)."""
        at = r[:, 0]
        slope = self.distance / (at + SOFTENING) ** 2 - 0.5 / np.sqrt(at + OFFSET)
        return self._value(at, self.distance), slope[:, None]

    @property
    def curvature(self) -> float:
        r"""Bound on the absolute second derivative in r on [0, 1], :math:`2m/0.2^3+\tfrac14\,0.05^{-3/2}`."""
        return 2 * self.distance / SOFTENING**3 + 0.25 / OFFSET**1.5

    @property
    def optimiser(self) -> float:
        r"""The r in [0, 1] with the largest expected reward.

        :math:`h'(r)` has the sign of :math:`2m\sqrt{r+0.05}-(r+0.2)^2`, a concave function minus a convex one: it is
        positive between at most two roots. So the maximum is at 0 or at the larger root (or at 1).
        """

        def sign(r: float) -> float:
            return 2 * self.distance * math.sqrt(r + OFFSET) - (r + SOFTENING) ** 2

        grid = np.linspace(0.0, 1.0, 10_001)
        rising = [r for r in grid if sign(float(r)) > 0]
        if not rising:
            return 0.0
        last = float(rising[-1])
        root = 1.0 if last == 1.0 else float(brentq(sign, last, 1.0, xtol=1e-15, rtol=1e-15))
        at_zero, at_root = self._value(np.array([0.0, root]), self.distance)
        return root if at_root > at_zero else 0.0
