r"""Theorem 4.1 with its explicit pieces: the printed finite-horizon bound and a corrected one.

With n = |A||C| coordinates of a law, constants a, b of Assumption 3.1 and prior variance :math:`k(z,z)\le\kappa^2`:

.. math:: \mathcal G=b\big(\log(an)+\sqrt\pi/2\big),\qquad L^\ast=\sqrt b\big(\sqrt{\log(an)}+\sqrt\pi/2\big),\qquad
          \beta_t=2\log\frac{n\,\tau_t^{\,n}\,t^2}{\sqrt{2\pi}}

The paper cuts every coordinate into :math:`\tau_t=nt^2\mathcal G` parts, the corrected form into
:math:`\tau_t=\max\{2,\lceil nt^2L^\ast\rceil\}`. No function here has the number of agents among its arguments.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from companion.bounds.checks import assumed
from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.information.gain import variance_sum_factor
from companion.papers.meanfield.method.widths import TheoryWidth

READINGS = ("printed", "corrected")

#: zeta'(2), the derivative of the Riemann zeta function that the paper's last step names; it is negative.
ZETA_PRIME_2 = -0.9375482543158437


class Bound(NamedTuple):
    """A finite-horizon bound on the expected regret, term by term.

    Parameters
    ----------
    discretisation : of R^A, the regret lost by rounding the best law
    optimism : of R^C, how much the acquisition can fall short of the payoff
    exploration : of R^D, the widths paid for
    """

    discretisation: float
    optimism: float
    exploration: float

    @property
    def total(self) -> float:
        """Sum of the three."""
        return self.discretisation + self.optimism + self.exploration


@dataclass(frozen=True)
class Pieces:
    r"""The constants of Theorem 4.1 for one kernel and one size.

    Parameters
    ----------
    actions, contexts : |A| and |C|
    a, b : of Assumption 3.1, with a |A||C| at least 1
    variance : kappa^2, the largest prior variance; the paper's proof takes 1

    Raises
    ------
    ParameterError, AssumptionError
        see :class:`~companion.papers.meanfield.method.widths.TheoryWidth`
    """

    actions: int
    contexts: int
    a: float
    b: float
    variance: float = 1.0

    def __post_init__(self) -> None:
        positive_number("variance", self.variance)
        self.width("printed")

    @property
    def size(self) -> int:
        """n = |A||C|."""
        return self.actions * self.contexts

    @property
    def printed_slope(self) -> float:
        """The paper's bound on the mean of the largest partial derivative, written G there."""
        return self.b * (math.log(self.a * self.size) + math.sqrt(math.pi) / 2.0)

    @property
    def slope(self) -> float:
        r""":math:`L^\ast=\int_0^\infty\min(1,\,an\,e^{-L^2/b})\,dL` from above: what Assumption 3.1 gives for that mean."""
        return math.sqrt(self.b) * (math.sqrt(math.log(self.a * self.size)) + math.sqrt(math.pi) / 2.0)

    def width(self, reading: str) -> TheoryWidth:
        """The schedule of widths in one of :data:`READINGS`; it has tau_t and beta_t."""
        if reading not in READINGS:
            raise ParameterError("reading", f"got {reading!r}", "'printed' or 'corrected'")
        return TheoryWidth(self.actions, self.contexts, self.a, self.b, reading)

    def cuts(self, number: int, reading: str = "printed") -> float:
        """tau_t of round ``number``."""
        return self.width(reading).cuts(number)

    def log_count(self, number: int, reading: str = "printed") -> float:
        r""":math:`\log|\Xi_t|=n\log\tau_t`; in the corrected form the lattice has at most so many laws."""
        return self.size * math.log(self.cuts(number, reading))

    def beta(self, number: int, reading: str = "printed") -> float:
        """beta_t of round ``number``."""
        return self.width(reading).beta(number)


def gain_factor(variance: float, noise_variance: float) -> float:
    r""":math:`D=2\kappa^2/\log(1+\kappa^2/R^2)`: sums of posterior variances are at most D times the information gain."""
    return variance_sum_factor(noise_variance, variance)


def printed_prefactor(pieces: Pieces) -> float:
    r""":math:`\mathcal B=\sqrt{2|A|^3|C|}\min\{1/\mathcal G,n\}`, the term of Theorem 4.1 that does not depend on T."""
    return math.sqrt(2.0 * pieces.actions**3 * pieces.contexts) * min(1.0 / pieces.printed_slope, pieces.size)


def printed_discretisation(pieces: Pieces) -> float:
    r"""R^A as the appendix ends: :math:`\frac{\pi^2}6+\mathcal B\max\{2\zeta'(2),\frac{\pi^2}6\}`."""
    basel = math.pi**2 / 6.0
    return basel + printed_prefactor(pieces) * max(2.0 * ZETA_PRIME_2, basel)


def own_display(pieces: Pieces, horizon: int, *, unchecked: bool = False) -> float:
    r"""R^A as the appendix has it four lines before its end: :math:`\frac{\pi^2}6+\sum_t|A|^2|C|\sqrt{2n\log\tau_t}/\tau_t`.

    :math:`\tau_t` as printed.

    Raises
    ------
    AssumptionError
        for :math:`\tau_t<1`, unless ``unchecked``: then such rounds count as one part
    """
    assumed(unchecked or pieces.cuts(1) >= 1.0, f"tau_1 = {pieces.cuts(1):.3g}: a coordinate has at least one part")
    cuts = np.array([max(1.0, pieces.cuts(t)) for t in range(1, whole_number("horizon", horizon) + 1)])
    terms = np.sqrt(2.0 * pieces.size * np.log(cuts)) / cuts
    return math.pi**2 / 6.0 + pieces.actions**2 * pieces.contexts * float(terms.sum())


def printed_bound(
    pieces: Pieces, horizon: int, noise_variance: float, gain: float, *, unchecked: bool = False
) -> Bound:
    r"""The last display of Appendix A before its order: what the printed proof promises for T rounds.

    .. math:: \mathbb ER_T\le\frac{\pi^2}6+|A|\sqrt{2n}\min\{\tfrac1{\mathcal G},n\}\max\{2\zeta'(2),\tfrac{\pi^2}6\}
              +\frac{\pi^2}6+\beta_T\sqrt{TD\gamma_T}

    D is "a positive constant" in the paper; it is taken from the lemma that the paper cites, for variances of at most 1.

    Parameters
    ----------
    pieces : constants; its ``variance`` plays no part
    horizon : T
    noise_variance : R^2
    gain : gamma_T or an upper bound of it
    unchecked : evaluate it for larger prior variances all the same

    Raises
    ------
    AssumptionError
        for a prior variance above the 1 that the printed proof takes, unless ``unchecked``
    """
    assumed(unchecked or pieces.variance <= 1.0, f"the printed proof takes k <= 1; k reaches {pieces.variance:g}")
    rounds, nats = whole_number("horizon", horizon), positive_number("gain", gain)
    spread = math.sqrt(rounds * gain_factor(1.0, noise_variance) * nats)
    return Bound(printed_discretisation(pieces), math.pi**2 / 6.0, pieces.beta(rounds) * spread)


def roundings(pieces: Pieces, farthest: int) -> Floats:
    """(farthest,) :func:`corrected_discretisation` at every T, as one cumulative sum."""
    t = np.arange(1.0, whole_number("horizon", farthest) + 1.0)
    cuts = np.maximum(2.0, np.ceil(pieces.size * t**2 * pieces.slope))
    spread = np.sqrt(2.0 * (math.log(2.0 * pieces.size) + pieces.size * np.log(cuts)))
    second = math.sqrt(pieces.variance) * pieces.actions * np.cumsum(spread / (2.0 * cuts))
    return np.asarray(math.pi**2 / 12.0 + second)


def corrected_discretisation(pieces: Pieces, horizon: int) -> float:
    r"""R^A: :math:`\sum_tL^\ast\frac n{2\tau_t}+\sum_t\frac{\kappa|A|}{2\tau_t}\sqrt{2\log(2n\tau_t^n)}`, the former as pi^2/12.

    The first sum bounds what f loses between a law and its rounding, the second what averaging under the rounded law does.
    """
    return float(roundings(pieces, horizon)[-1])


def corrected_bound(
    pieces: Pieces,
    horizon: int,
    noise_variance: float,
    gain: float,
    multiplier: str = "root",
    rounding: float | None = None,
) -> Bound:
    r"""Bound of the repaired proof for T rounds of exact MF-GP-UCB.

    .. math:: \mathbb ER_T\le\frac{\pi^2}{12}+\sum_{t\le T}\frac{\kappa|A|}{2\tau_t}\sqrt{2\log(2n\tau_t^n)}
              +\frac{\kappa\pi^2}6+\sqrt{\beta_TTD\gamma_T}

    Parameters
    ----------
    pieces : constants, with kappa^2 the largest prior variance
    horizon : T
    noise_variance : R^2
    gain : gamma_T or an upper bound of it
    multiplier : ``"root"`` if the posterior standard deviation is multiplied by the root of beta_t, ``"beta"`` if by
        beta_t itself, as the paper prints; the last term then has beta_T in place of its root
    rounding : R^A where it is known already; :func:`corrected_discretisation` by default
    """
    if multiplier not in ("root", "beta"):
        raise ParameterError("multiplier", f"got {multiplier!r}", "'root' or 'beta'")
    rounds, nats = whole_number("horizon", horizon), positive_number("gain", gain)
    beta = pieces.beta(rounds, "corrected")
    width = math.sqrt(beta) if multiplier == "root" else beta
    spread = math.sqrt(rounds * gain_factor(pieces.variance, noise_variance) * nats)
    optimism = math.sqrt(pieces.variance) * math.pi**2 / 6.0
    lost = corrected_discretisation(pieces, rounds) if rounding is None else rounding
    return Bound(lost, optimism, width * spread)
