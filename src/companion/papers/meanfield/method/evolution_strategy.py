"""A (1+1) evolution strategy on the logits of the laws: a control of the companion.

It has what MF-GP-UCB has, |A||C| numbers to choose instead of M actions, and no model. What it reaches is due to the choice of
the numbers; what MF-GP-UCB reaches beyond it is due to the Gaussian process.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number

#: Growth of the step after a success; after a failure it shrinks by the fourth root, so that one success in five keeps it.
GROWTH = 1.5


class EvolutionStrategy:
    """Normal steps on the logits from the best law so far; the step's size follows the 1/5 rule (Rechenberg, 1973).

    The first law is one of the random baseline: a softmax of uniform numbers.

    Parameters
    ----------
    shape : (C, A)
    generator : of all draws
    step : standard deviation of a logit's first steps
    """

    def __init__(self, shape: tuple[int, int], generator: np.random.Generator, step: float = 0.5) -> None:
        self._shape, self._generator = shape, generator
        self.step = positive_number("step", step)
        self._best = generator.uniform(size=shape)
        self._value = -math.inf
        self._asked: Floats | None = None
        self.successes = 0

    def ask(self) -> Floats:
        """The law (C, A) of the next round."""
        if self._asked is not None:
            raise ParameterError("ask", "the law asked last has not been told", "a call of tell() first")
        first = self._value == -math.inf
        moved = 0.0 if first else self.step * self._generator.standard_normal(self._shape)
        self._asked = self._best + moved
        return np.asarray(special.softmax(self._asked, axis=-1))

    def tell(self, action: int, context: int, value: float, law: ArrayLike | None = None) -> None:
        """Keep the law asked last if its value is the largest so far."""
        if self._asked is None:
            raise ParameterError("tell", "no law has been asked", "a call of ask() first")
        better, first = value > self._value, self._value == -math.inf
        if better:
            self._best, self._value = self._asked, float(value)
        if not first:
            self.successes += int(better)
            self.step *= GROWTH if better else GROWTH**-0.25
        self._asked = None

    def recommend(self) -> Floats:
        """The law with the largest value."""
        return np.asarray(special.softmax(self._best, axis=-1))

    def diagnostics(self) -> dict[str, Any]:
        """Successful steps, and the size of a step at the end."""
        return {"successes": self.successes, "step": self.step}
