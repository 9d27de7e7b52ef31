"""Confidence schedules: by how many posterior standard deviations a function may differ from the posterior mean.

Every schedule is a frozen object with a ``formula``, a ``source``, a ``kind`` and one method ``width``. The width is
the number that multiplies the posterior standard deviation. ``kind`` keeps theory and practice apart: ``"theory"`` is
what a theorem proves, ``"experiment"`` is a constant somebody ran with. All theory widths here assume observations
y = f(x) + z with noise standard deviation σ, the regulariser λ = σ² in the posterior, and RKHS norm ‖f‖ ≤ Ψ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from companion.bounds.checks import real
from companion.core.errors import ParameterError, whole_number

Kind = Literal["theory", "experiment"]


class ConfidenceSchedule(Protocol):
    """What every schedule offers: where it comes from, and the width."""

    formula: ClassVar[str]
    source: ClassVar[str]
    kind: ClassVar[Kind]

    def width(self, gain: Any = None) -> Any:
        """Multiplier of the posterior standard deviation; ``gain`` is the realised information gain in nats."""
        ...


@dataclass(frozen=True)
class UnionBoundWidth:
    """Ψ + √(2 log(|X| B / δ)): valid for all candidates and batches at once, for designs that ignore the noise.

    With probability at least 1-δ, |f(x) - μ^i(x)| ≤ width · σ^i(x) for every candidate x and every batch i, when the
    points of each batch are chosen without looking at that batch's observations. ``candidates = batches = 1`` is the
    statement for one fixed point.

    Parameters
    ----------
    norm : Ψ > 0, bound on the RKHS norm
    candidates : |X| ≥ 1, size of the finite domain
    batches : B ≥ 1
    delta : δ in (0, 1), failure probability
    noise : ``"gaussian"``, or ``"subgaussian"`` for noise that is only σ-sub-Gaussian. The printed width is two-sided
        at level δ because a Gaussian has 2 P(Z > s) ≤ exp(-s²/2); without that, log(2|X|B/δ) is needed

    Raises
    ------
    ParameterError
        for arguments out of range

    Examples
    --------
    >>> import companion as cp
    >>> print(f"{cp.UnionBoundWidth(norm=1.0, candidates=400, batches=4, delta=0.1).width():.2f}")
    5.40
    """

    norm: float
    candidates: int
    batches: int
    delta: float
    noise: str = "gaussian"

    formula: ClassVar[str] = r"\Psi + \sqrt{2 \log(|\mathcal{X}| B / \delta)}"
    source: ClassVar[str] = "Ma, Chen and Scarlett (2026), App. A, Lemma 3 and Propositions 1 and 6"
    kind: ClassVar[Kind] = "theory"

    def __post_init__(self) -> None:
        real("norm", self.norm, 0.0, open_ends="low")
        whole_number("candidates", self.candidates, 1)
        whole_number("batches", self.batches, 1)
        real("delta", self.delta, 0.0, 1.0, open_ends="both")
        if self.noise not in ("gaussian", "subgaussian"):
            raise ParameterError("noise", f"got {self.noise!r}", "'gaussian' or 'subgaussian'")

    def width(self, gain: Any = None) -> float:
        """The width; the same after any number of rounds, so ``gain`` is ignored."""
        events = float(self.candidates) * self.batches * (2 if self.noise == "subgaussian" else 1)
        return self.norm + math.sqrt(2.0 * (math.log(events) - math.log(self.delta)))


@dataclass(frozen=True)
class SelfNormalizedWidth:
    """Ψ + √(2 (I + log(1/δ))): valid for all candidates and all rounds, whatever rule chose the points.

    I is the realised information gain ½ log det(I + σ^{-2} K) of the points observed so far. With probability at least
    1-δ, |f(x) - μ_t(x)| ≤ width_t · σ_t(x) for every x and every t ≥ 0.

    Parameters
    ----------
    norm : Ψ > 0, bound on the RKHS norm
    delta : δ in (0, 1), failure probability

    Raises
    ------
    ParameterError
        for arguments out of range

    Examples
    --------
    >>> import companion as cp
    >>> print(f"{cp.SelfNormalizedWidth(norm=1.0, delta=0.1).width(gain=20.0):.2f}")
    7.68
    """

    norm: float
    delta: float

    formula: ClassVar[str] = r"\Psi + \sqrt{2 (I_t + \log(1/\delta))}"
    source: ClassVar[str] = (
        "self-normalised bound of Abbasi-Yadkori (2012), in the form used by Bogunovic, Scarlett, Jegelka and Cevher "
        "(2018) with the realised gain in place of its maximum"
    )
    kind: ClassVar[Kind] = "theory"

    def __post_init__(self) -> None:
        real("norm", self.norm, 0.0, open_ends="low")
        real("delta", self.delta, 0.0, 1.0, open_ends="both")

    def width(self, gain: Any = None) -> Any:
        """The width after observing points of realised gain ``gain``.

        Parameters
        ----------
        gain : information gain in nats, scalar or array, at least 0

        Returns
        -------
        float, or an array of the shape of ``gain``

        Raises
        ------
        ParameterError
            if the gain is missing, negative or not finite
        """
        if gain is None:
            raise ParameterError("gain", "is missing", "the realised information gain in nats")
        values = np.asarray(gain, dtype=np.float64)
        if not np.all(np.isfinite(values)) or np.any(values < 0.0):
            raise ParameterError("gain", f"got {gain!r}", "finite information gains of at least 0")
        widths = self.norm + np.sqrt(2.0 * (values - math.log(self.delta)))
        return float(widths) if widths.ndim == 0 else widths


@dataclass(frozen=True)
class FixedBeta:
    """√β with a β set by hand: what experiments run with, covered by no theorem.

    Parameters
    ----------
    beta : β > 0; the batched paper's experiments use 2, so that the posterior standard deviation is multiplied by √2

    Raises
    ------
    ParameterError
        unless β is positive and finite
    """

    beta: float = 2.0

    formula: ClassVar[str] = r"\sqrt{\beta}"
    source: ClassVar[str] = "Ma, Chen and Scarlett (2026), App. E (beta = 2), after Li and Scarlett (2022)"
    kind: ClassVar[Kind] = "experiment"

    def __post_init__(self) -> None:
        real("beta", self.beta, 0.0, open_ends="low")

    def width(self, gain: Any = None) -> float:
        """√β; ``gain`` is ignored."""
        return math.sqrt(self.beta)
