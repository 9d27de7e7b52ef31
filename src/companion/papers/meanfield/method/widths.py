r"""Widths of MF-GP-UCB: the theorem's and the experiments' are different objects.

``width(t)`` multiplies the posterior standard deviation in round t. The paper writes :math:`U_t=\mu_{t-1}+\beta_t\sigma_{t-1}`,
so its width is :math:`\beta_t` itself; the usual convention, in which its proof's exponent is exact, has :math:`\sqrt{\beta_t}`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from companion.core.errors import AssumptionError, ParameterError, positive_number, whole_number


class Width(Protocol):
    """A schedule of widths."""

    def __call__(self, number: int) -> float:
        """Width of round ``number``, from 1."""
        ...

    def describe(self) -> dict[str, object]:
        """JSON record that tells a theorem's width from an experiment's."""
        ...


@dataclass(frozen=True)
class PracticeWidth:
    """A constant multiplier: what an experiment can use. The paper does not print its own.

    Parameters
    ----------
    multiplier : at least 0
    """

    multiplier: float = 3.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.multiplier) and self.multiplier >= 0):
            raise ParameterError("multiplier", f"got {self.multiplier!r}", "a finite number of at least 0")

    def __call__(self, number: int) -> float:
        """The multiplier, in every round."""
        return self.multiplier

    def describe(self) -> dict[str, object]:
        """Kind and multiplier."""
        return {"kind": "practice", "multiplier": self.multiplier}


@dataclass(frozen=True)
class TheoryWidth:
    r"""The width of Theorem 4.1, or of its corrected form.

    .. math:: \beta_t=2\log\frac{n\,\tau_t^{\,n}\,t^2}{\sqrt{2\pi}},\qquad n=|A||C|

    As printed :math:`\tau_t=nt^2\,b(\log(an)+\sqrt\pi/2)` and the width is :math:`\beta_t`. Corrected,
    :math:`\tau_t=\max\{2,\lceil nt^2L^\ast\rceil\}` with :math:`L^\ast=\sqrt b(\sqrt{\log(an)}+\sqrt\pi/2)`, the points of the
    discretisation are distributions, and the width is :math:`\sqrt{\beta_t}`. No number of agents occurs.

    Parameters
    ----------
    actions, contexts : |A| and |C|
    a, b : constants of Assumption 3.1
    reading : ``"printed"`` or ``"corrected"``

    Raises
    ------
    AssumptionError
        if a |A||C| < 1, where the logarithm under the root would be negative
    """

    actions: int
    contexts: int
    a: float
    b: float
    reading: str = "printed"

    def __post_init__(self) -> None:
        whole_number("actions", self.actions)
        whole_number("contexts", self.contexts)
        positive_number("a", self.a)
        positive_number("b", self.b)
        if self.reading not in ("printed", "corrected"):
            raise ParameterError("reading", f"got {self.reading!r}", "'printed' or 'corrected'")
        if self.a * self.size < 1:
            raise AssumptionError(f"a |A||C| = {self.a * self.size:.3g} is below 1, which Theorem 4.1 needs")

    @property
    def size(self) -> int:
        """n = |A||C|."""
        return self.actions * self.contexts

    def cuts(self, number: int) -> float:
        """tau_t: parts into which every coordinate is cut in round t (an integer in the corrected form)."""
        whole_number("number", number)
        if self.reading == "printed":
            return self.size * number**2 * self.b * (math.log(self.a * self.size) + math.sqrt(math.pi) / 2.0)
        slope = math.sqrt(self.b) * (math.sqrt(math.log(self.a * self.size)) + math.sqrt(math.pi) / 2.0)
        return float(max(2, math.ceil(self.size * number**2 * slope)))

    def beta(self, number: int) -> float:
        """beta_t; :class:`AssumptionError` if it is negative, as happens for tau_t well below 1."""
        logarithm = math.log(self.size) + self.size * math.log(self.cuts(number)) + 2.0 * math.log(number)
        value = 2.0 * (logarithm - 0.5 * math.log(2.0 * math.pi))
        if value < 0:
            raise AssumptionError(f"beta_{number} = {value:.3g} is negative; the discretisation is too coarse")
        return value

    def __call__(self, number: int) -> float:
        """beta_t as printed, its root in the corrected form."""
        return self.beta(number) if self.reading == "printed" else math.sqrt(self.beta(number))

    def describe(self) -> dict[str, object]:
        """Kind and constants."""
        constants = {"actions": self.actions, "contexts": self.contexts, "a": self.a, "b": self.b}
        return {"kind": "theory", "reading": self.reading, **constants}


@dataclass(frozen=True)
class JointActionWidth:
    r"""Width of naive GP-UCB on the :math:`|A|^M` joint actions: :math:`\beta_t=2\log(|A|^Mt^2/\sqrt{2\pi})`.

    The same Bayesian argument on a finite set without discretisation; the width is its root, and grows with M.

    Parameters
    ----------
    actions, agents : |A| and M
    """

    actions: int
    agents: int

    def beta(self, number: int) -> float:
        """beta_t, at least 0."""
        whole_number("number", number)
        value = self.agents * math.log(self.actions) + 2.0 * math.log(number) - 0.5 * math.log(2.0 * math.pi)
        return max(0.0, 2.0 * value)

    def __call__(self, number: int) -> float:
        """Square root of beta_t."""
        return math.sqrt(self.beta(number))

    def describe(self) -> dict[str, object]:
        """Kind and constants."""
        return {"kind": "theory", "reading": "joint actions", "actions": self.actions, "agents": self.agents}
