"""Confidence schedules: by how many posterior standard deviations a function may differ from the posterior mean.

Every schedule is a frozen object with a ``formula``, a ``source``, a ``kind`` and one method ``width(t, gain)``. The width
is the number that multiplies the posterior standard deviation. ``kind`` keeps theory and practice apart: ``"theory"`` is
what a theorem proves, ``"experiment"`` is a constant somebody ran with. All theory widths here assume observations
y = f(x) + z with noise standard deviation σ, the regulariser λ = σ² in the posterior, and RKHS norm ‖f‖ ≤ Ψ.

Policies, chapters, the table of bounds and certificates take the formulas from here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from companion.bounds.checks import at_least, real
from companion.core.arrays import Floats
from companion.core.errors import ParameterError, non_negative, positive_number, whole_number

Kind = Literal["theory", "experiment"]


class ConfidenceSchedule(Protocol):
    """Base of all schedules: the source, and the width."""

    formula: ClassVar[str]
    source: ClassVar[str]
    kind: ClassVar[Kind]

    def width(self, t: int, gain: Any) -> Any:
        """Multiplier of the posterior standard deviation for choosing evaluation t.

        Parameters
        ----------
        t : number of the evaluation, from 1
        gain : realised information gain of the evaluations before it, nats

        A schedule that uses one of the two only, or neither, may be called without the other.
        """
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

    def width(self, t: int | None = None, gain: Any = None) -> float:
        """The width, the same in every round and for every gain."""
        events = float(self.candidates) * self.batches * (2 if self.noise == "subgaussian" else 1)
        return self.norm + math.sqrt(2.0 * (math.log(events) - math.log(self.delta)))


def self_normalised_root(gain: ArrayLike, delta: float) -> Floats:
    r""":math:`\sqrt{2(I+\log(1/\delta))}`: over the noise's standard deviation, what the noise may add at a gain I in nats."""
    return np.asarray(np.sqrt(2.0 * (np.asarray(gain, dtype=np.float64) - math.log(delta))))


@dataclass(frozen=True)
class _GainWidth:
    """A width for a known norm that follows the information gain."""

    norm: float
    delta: float

    kind: ClassVar[Kind] = "theory"

    def __post_init__(self) -> None:
        real("norm", self.norm, 0.0, open_ends="low")
        real("delta", self.delta, 0.0, 1.0, open_ends="both")

    def width(self, t: int | None = None, gain: Any = None) -> Any:
        """The width after observing points of realised gain ``gain``, in any round.

        Parameters
        ----------
        t : ignored
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
        widths = self._at(values)
        return float(widths) if widths.ndim == 0 else widths

    def _at(self, gain: Floats) -> Floats:
        raise NotImplementedError


@dataclass(frozen=True)
class SelfNormalizedWidth(_GainWidth):
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

    formula: ClassVar[str] = r"\Psi + \sqrt{2 (I_t + \log(1/\delta))}"
    source: ClassVar[str] = (
        "self-normalised bound of Abbasi-Yadkori (2012), in the form used by Bogunovic, Scarlett, Jegelka and Cevher "
        "(2018) with the realised gain in place of its maximum"
    )

    def _at(self, gain: Floats) -> Floats:
        return np.asarray(self.norm + self_normalised_root(gain, self.delta))


@dataclass(frozen=True)
class OneRootWidth(_GainWidth):
    """√(Ψ² + 2 (I + log(1/δ))): one root for norm and gain, never longer than :class:`SelfNormalizedWidth`.

    It holds where that one does, for all candidates and all rounds, whatever rule chose the points;
    :mod:`companion.papers.across.theory.classical_widths` has the proof. Parameters and errors are the same.

    Examples
    --------
    >>> import companion as cp
    >>> print(f"{cp.OneRootWidth(norm=1.0, delta=0.1).width(gain=20.0):.2f}")
    6.75
    """

    formula: ClassVar[str] = r"\sqrt{\Psi^2 + 2 (I_t + \log(1/\delta))}"
    source: ClassVar[str] = "after Flynn, Reeb, Kandemir and Peters (2023)"

    def _at(self, gain: Floats) -> Floats:
        return np.asarray(np.sqrt(self.norm**2 + 2.0 * (gain - math.log(self.delta))))


@dataclass(frozen=True)
class ChowdhuryGopalanWidth(_GainWidth):
    """Ψ + √(2 (γ + 1 + log(1/δ))): for a model whose noise variance is σ² (1 + 2/T), T the number of rounds.

    γ is the largest gain of the rounds so far, or that of the points chosen, at the model's noise variance. At the noise
    variance σ² itself :class:`SelfNormalizedWidth` holds, and is shorter. Parameters and errors are the same.

    Examples
    --------
    >>> import companion as cp
    >>> print(f"{cp.ChowdhuryGopalanWidth(norm=1.0, delta=0.1).width(gain=20.0):.2f}")
    7.83
    """

    formula: ClassVar[str] = r"\Psi + \sqrt{2 (\gamma_{t-1} + 1 + \log(1/\delta))}"
    source: ClassVar[str] = "Chowdhury and Gopalan (2017), Theorem 2"

    def _at(self, gain: Floats) -> Floats:
        return np.asarray(self.norm + self_normalised_root(gain + 1.0, self.delta))


@dataclass(frozen=True)
class SrinivasNormWidth:
    """√(2 Ψ² + 300 γ log³(t/δ)) in round t: the oldest width for a known norm, and by far the longest.

    Parameters
    ----------
    norm : Ψ > 0, bound on the RKHS norm
    delta : δ in (0, 1), failure probability
    maximum_gain : γ ≥ 0, upper end of the largest gain of the rounds up to the last, nats

    Examples
    --------
    >>> import companion as cp
    >>> print(f"{cp.SrinivasNormWidth(norm=1.0, delta=0.1, maximum_gain=20.0).width(t=100):.0f}")
    1406
    """

    norm: float
    delta: float
    maximum_gain: float

    formula: ClassVar[str] = r"\sqrt{2 \Psi^2 + 300 \gamma_t \log^3(t/\delta)}"
    source: ClassVar[str] = "Srinivas, Krause, Kakade and Seeger (2010), Theorem 3, for noise bounded by σ"
    kind: ClassVar[Kind] = "theory"

    def __post_init__(self) -> None:
        real("norm", self.norm, 0.0, open_ends="low")
        real("delta", self.delta, 0.0, 1.0, open_ends="both")
        real("maximum_gain", self.maximum_gain, 0.0)

    def width(self, t: int, gain: Any = None) -> float:
        """The width in round t (from 1); the realised gain is ignored."""
        return math.sqrt(2.0 * self.norm**2 + 300.0 * self.maximum_gain * math.log(t / self.delta) ** 3)


def union_bound_log(t: Any, candidates: float, delta: float) -> Any:
    r""":math:`\log(Nt^2\pi^2/6\delta)`: what a union bound over N candidates and all rounds pays in round t.

    Parameters
    ----------
    t : from 1, a number or an array
    candidates : N
    delta : failure probability, of which round t has the share :math:`6/(\pi^2t^2)`

    Examples
    --------
    >>> print(f"{union_bound_log(1, 50, 0.1):.3f}")
    6.712
    """
    logarithms = np.log(candidates * np.asarray(t, dtype=np.float64) ** 2 * math.pi**2 / (6.0 * delta))
    return float(logarithms) if logarithms.ndim == 0 else logarithms


@dataclass(frozen=True)
class SrinivasDrawsWidth:
    """√(2 log(N t² π² / 6δ)) in round t: for a draw of the prior on N candidates, all rounds, whatever rule chose the points.

    Parameters
    ----------
    candidates : N ≥ 1
    delta : δ in (0, 1), failure probability

    Examples
    --------
    >>> import companion as cp
    >>> print(f"{cp.SrinivasDrawsWidth(candidates=50, delta=0.1).width(t=100):.2f}")
    5.64
    """

    candidates: int
    delta: float

    formula: ClassVar[str] = r"\sqrt{2 \log(N t^2 \pi^2 / 6 \delta)}"
    source: ClassVar[str] = "Srinivas, Krause, Kakade and Seeger (2010), Theorem 1"
    kind: ClassVar[Kind] = "theory"

    def __post_init__(self) -> None:
        whole_number("candidates", self.candidates, 1)
        real("delta", self.delta, 0.0, 1.0, open_ends="both")

    def width(self, t: int, gain: Any = None) -> float:
        """The width in round t (from 1); the realised gain is ignored."""
        return math.sqrt(2.0 * union_bound_log(t, self.candidates, self.delta))


@dataclass(frozen=True)
class HorizonDrawsWidth:
    """√(2 log(2 N T / δ)): as :class:`SrinivasDrawsWidth`, the same in all of T rounds, and shorter in the last of them.

    Parameters
    ----------
    candidates : N ≥ 1
    horizon : T ≥ 1, rounds in all
    delta : δ in (0, 1), failure probability

    Examples
    --------
    >>> import companion as cp
    >>> print(f"{cp.HorizonDrawsWidth(candidates=50, horizon=100, delta=0.1).width():.2f}")
    4.80
    """

    candidates: int
    horizon: int
    delta: float

    formula: ClassVar[str] = r"\sqrt{2 \log(2 N T / \delta)}"
    source: ClassVar[str] = "Ren and Li (2024), Lemma 6"
    kind: ClassVar[Kind] = "theory"

    def __post_init__(self) -> None:
        whole_number("candidates", self.candidates, 1)
        whole_number("horizon", self.horizon, 1)
        real("delta", self.delta, 0.0, 1.0, open_ends="both")

    def width(self, t: int | None = None, gain: Any = None) -> float:
        """The width, the same in every round and for every gain."""
        return normal_width(2 * self.candidates * self.horizon, self.delta)


def normal_width(count: float, delta: float) -> float:
    r""":math:`\sqrt{2\log(D/\delta)}`: D normal numbers stay within it times their sd, with probability 1 - delta (Lemma 3)."""
    if not (positive_number("delta", delta) < 1):
        raise ParameterError("delta", f"got {delta!r}", "a number in (0, 1)")
    at_least(1.0, count=count)
    return math.sqrt(2.0 * math.log(count / delta))


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

    Examples
    --------
    >>> from companion.bounds.confidence import FixedBeta
    >>> print(f"{FixedBeta(2.0).width():.3f}")
    1.414
    """

    beta: float = 2.0

    formula: ClassVar[str] = r"\sqrt{\beta}"
    source: ClassVar[str] = "Ma, Chen and Scarlett (2026), App. E (beta = 2), after Li and Scarlett (2022)"
    kind: ClassVar[Kind] = "experiment"

    def __post_init__(self) -> None:
        real("beta", self.beta, 0.0, open_ends="low")

    def width(self, t: int | None = None, gain: Any = None) -> float:
        """√β, in every round and for every gain."""
        return math.sqrt(self.beta)


@dataclass(frozen=True)
class ConstantWidth:
    """The same width in every round: an experiment's fixed setting, not a theorem's.

    Parameters
    ----------
    value : finite, at least 0

    Examples
    --------
    >>> ConstantWidth(2.0).width(t=7)
    2.0
    """

    value: float

    formula: ClassVar[str] = r"w"
    source: ClassVar[str] = "set by hand"
    kind: ClassVar[Kind] = "experiment"

    def __post_init__(self) -> None:
        non_negative("width", self.value)

    def width(self, t: int | None = None, gain: Any = None) -> float:
        """The value, in every round and for every gain."""
        return self.value
