r"""The newsvendor: order x before the demand c is known.

Unsold items return a salvage value. With price 9, cost 5 and salvage value 1, the reward is
:math:`f(x,c)=9\min(c,x)-5x+\max(0,x-c)=8\min(c,x)-4x`. The demand follows a Burr XII law with
:math:`P(c>t)=(1+t^2)^{-20}`, of which one in a million exceeds 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import beta, betainc

from companion.core.arrays import Floats

PRICE, COST, SALVAGE = 9.0, 5.0, 1.0
#: Second shape of the demand's law; the first is 2.
SHAPE = 20.0


@dataclass(frozen=True)
class Newsvendor:
    """Reward and expected reward; a demand above 1 counts as 1, which no order in [0, 1] notices."""

    def __call__(self, x: Floats, c: Floats) -> Floats:
        """f(x, c), shape (n,), for x (n, 1) and c (n, 1)."""
        order, demand = x[:, 0], np.clip(c[:, 0], 0.0, 1.0)
        return PRICE * np.minimum(demand, order) - COST * order + SALVAGE * np.maximum(0.0, order - demand)

    def expected(self, x: Floats) -> Floats:
        r"""E f(x, c), shape (n,).

        :math:`\mathbb E\min(c,x)=\int_0^x(1+t^2)^{-20}dt`, which with :math:`s=t^2/(1+t^2)` is half an incomplete beta
        function, :math:`\tfrac12B(\tfrac{x^2}{1+x^2};\tfrac12,\tfrac{39}2)`.
        """
        order = x[:, 0]
        sold = 0.5 * beta(0.5, SHAPE - 0.5) * betainc(0.5, SHAPE - 0.5, order**2 / (1 + order**2))
        return (PRICE - SALVAGE) * sold - (COST - SALVAGE) * order

    @property
    def optimiser(self) -> float:
        """The demand's quantile at (price - cost) / (price - salvage) = 1/2, sqrt(2^{1/20} - 1)."""
        unsold = (COST - SALVAGE) / (PRICE - SALVAGE)
        return math.sqrt(unsold ** (-1.0 / SHAPE) - 1.0)
