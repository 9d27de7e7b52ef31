"""A width or a bound on regret as an object: value, assumptions, what it bounds, its place; and the setting it is evaluated in.

The convention of all: noise by its standard deviation; a width multiplies the posterior standard deviation; gains in nats, with
the factor one half; regret summed over T evaluations. Papers declare theirs beside the formulas, as ``bounds``
of their ``PAPER``; :data:`companion.papers.across.theory.bounds.BOUNDS` has those that chapter 6 compares.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal

from companion.bounds.assumption import AssumptionState, Premise
from companion.core.errors import AssumptionError, ParameterError

#: Upper end of the maximum information gain of so many points, nats.
Gain = Callable[[float], float]
Quantity = Literal["width", "regret"]
Reading = Literal["printed", "repaired", "sharper", "experiment"]
#: Whose constants they are: printed with the theorem (``explicit``); of its proof, taken by this book where the theorem prints an
#: order, :math:`O(\cdot)` (``order``); of a repair; of a sharper form; or of experiments, which no theorem covers.
Constants = Literal["explicit", "order", "repaired", "sharper", "experiment"]
#: Whether a theorem, or the one that a width is for, is on the mean or on every run but a share; experiments have neither.
Holds = Literal["in expectation", "with probability", "unproved"]
#: What f is: a draw of the prior, a function of known norm, or the payoff of a mean-field game, which is a draw as well.
Model = Literal["prior", "norm", "game"]


@dataclass(frozen=True)
class KernelUsed:
    """A stationary kernel on points, where the setting has one: it matters to bounds that use more than a covariance.

    Parameters
    ----------
    name : ``se``, ``matern12``, ``matern32`` or ``matern52``
    smoothness : nu, infinite for the squared exponential
    lengthscale : the shortest of them
    dim : coordinates of a point
    side : the longest side of the box that the points fill
    """

    name: str
    smoothness: float
    lengthscale: float
    dim: int
    side: float = 1.0


@dataclass(frozen=True, eq=False)
class GameUsed:
    """The mean-field game of a setting: constants of Theorem 4.1, gain, mean range of the payoff, and the rounding's cost.

    Parameters
    ----------
    pieces : constants, :class:`~companion.papers.meanfield.theory.bounds.Pieces`
    gain : upper ends for the game's own covariance
    range : the most that an evaluation can cost in expectation
    rounding : R^A of the repaired theorem, by T
    agents : M, which only the naive rival's width contains
    where : the game in words
    """

    pieces: Any
    gain: Gain
    range: float
    rounding: Callable[[int], float]
    agents: int | None = None
    where: str = ""


@dataclass(frozen=True, eq=False)
class BoundSetting:
    """Everything that a bound can take.

    Parameters
    ----------
    horizon : T, evaluations
    candidates : N; None for all points of a box, see :attr:`size`
    noise : standard deviation
    delta : failure probability
    gain, regularised : upper ends of the gain at the noise variance, and at the regulariser of chapter 5
    regulariser : lambda
    variance, trace : largest and summed prior variance of the candidates
    norm : Psi, where f is a function of known norm
    batch : evaluations in a batch of TS-RSR
    batches : B of a fixed number of batches
    initial : maximum-variance evaluations before TS-RSR
    alpha : exponent of the compressed budget
    ratio : a of the batch sizes (6)
    radius, lipschitz : of the ball of laws, and of UCB in the context; without a radius the regret is the usual one
    kernel, game : where there is one
    realised : gain of the points that were in fact chosen, for widths that may take it

    Examples
    --------
    >>> from companion.bounds.bound import BoundSetting
    >>> from companion.core.errors import AssumptionError
    >>> flat = lambda points: 10.0
    >>> setting = BoundSetting(100, 50, 0.1, 0.1, gain=flat, regularised=flat, regulariser=1.0)
    >>> setting.size, setting.psi
    (50, 'a known number')
    >>> try:
    ...     setting.known("norm")
    ... except AssumptionError as error:
    ...     print(error)
    norm is not given
    """

    horizon: int
    candidates: int | None
    noise: float
    delta: float
    gain: Gain
    regularised: Gain
    regulariser: float
    variance: float = 1.0
    trace: float | None = None
    norm: float | None = None
    batch: int = 1
    batches: int | None = None
    initial: int = 0
    alpha: float = 0.5
    ratio: float = 0.6
    radius: float = 0.0
    lipschitz: float | None = None
    kernel: KernelUsed | None = None
    game: GameUsed | None = None
    realised: float | None = None

    def known(self, name: str) -> Any:
        """A field that need not be given: ``norm``, ``kernel``, ``game`` and so on.

        Raises
        ------
        AssumptionError
            if it is not
        """
        if (value := getattr(self, name)) is None:
            raise AssumptionError(f"{name} is not given")
        return value

    @property
    def size(self) -> int:
        """N, for whatever uses it.

        Raises
        ------
        AssumptionError
            on a box
        """
        if self.candidates is None:
            raise AssumptionError("the box has infinitely many candidates, and this uses their number")
        return self.candidates

    @property
    def psi(self) -> str:
        """The norm in words."""
        return "a known number" if self.norm is None else f"{self.norm:g}"

    @property
    def realised_gain(self) -> float:
        """Gain of the points chosen where it is known, else the largest of T points."""
        return self.gain(self.horizon) if self.realised is None else self.realised


@dataclass(frozen=True)
class Bound:
    """A width or a bound on regret.

    Parameters
    ----------
    name : entry of the paper's ledger, if one has it, and which form of it
    place : in the paper
    title : in words
    value : the width, or the bound on the regret of T evaluations
    paper : slug, empty for what none of the papers states
    rule : which algorithm's regret or width
    model, quantity, reading : see the types
    order : whether the paper's theorem prints an order only, see :attr:`constants`
    assumes : besides those of the model
    misses : failure probability in units of delta; 0 for a bound on the expectation, and for what no theorem covers
    symbols : the paper's own symbols and their values there
    regret : which regret, where it is not the usual one
    entry : id of the entry in the paper's ledger that has the statement, by default as in the name; empty where none has
    restates : id of the bound that this one repeats, with its value from the same object; text shows that one alone

    Examples
    --------
    >>> import math
    >>> from companion.bounds.bound import Bound, BoundSetting
    >>> union = Bound(
    ...     "union",
    ...     "Lemma 1",
    ...     "a union bound over candidates",
    ...     lambda setting: math.sqrt(2 * math.log(setting.size / setting.delta)),
    ...     paper="",
    ...     rule="any",
    ...     model="prior",
    ...     quantity="width",
    ...     misses=1,
    ... )
    >>> flat = lambda points: 10.0
    >>> setting = BoundSetting(100, 50, 0.1, 0.1, gain=flat, regularised=flat, regulariser=1.0)
    >>> print(f"{union.at(setting, horizon=100):.2f}")
    3.53
    >>> union.holds, union.probability(delta=0.1), union.held(delta=0.1)
    ('with probability', 0.9, 'prob. 0.9')
    >>> [each.state for each in union.checked(setting)]
    ['trusted', 'holds']
    """

    name: str
    place: str
    title: str
    value: Callable[[BoundSetting], float]
    _: KW_ONLY
    paper: str
    rule: str
    model: Model
    quantity: Quantity = "regret"
    reading: Reading = "printed"
    order: bool = False
    assumes: tuple[Premise, ...] = ()
    misses: int = 0
    symbols: Callable[[BoundSetting], Mapping[str, float]] = lambda setting: {}
    regret: str = ""
    entry: str | None = None
    restates: str = ""

    @property
    def id(self) -> str:
        """Paper and name."""
        return f"{self.paper}/{self.name}" if self.paper else self.name

    @property
    def ledger(self) -> str:
        """Id of the entry in the paper's ledger, see ``entry``."""
        if self.entry is not None or not self.paper:
            return self.entry or ""
        return self.name.rpartition("/")[0]

    @property
    def constants(self) -> Constants:
        """See :data:`Constants`."""
        if self.reading == "printed":
            return "order" if self.order else "explicit"
        return self.reading

    @property
    def holds(self) -> Holds:
        """See :data:`Holds`."""
        if self.misses:
            return "with probability"
        return "unproved" if self.reading == "experiment" else "in expectation"

    def probability(self, delta: float) -> float:
        """With which it holds; NaN for a bound on an expectation, and for what no theorem covers."""
        return 1.0 - self.misses * delta if self.misses else math.nan

    def held(self, delta: float) -> str:
        """In a word or two, for a column of a table."""
        words = {"in expectation": "mean", "with probability": f"prob. {self.probability(delta):.3g}", "unproved": "–"}
        return words[self.holds]

    def checked(self, setting: BoundSetting) -> tuple[AssumptionState, ...]:
        """Every assumption at a setting, those of the model first, and alone where one of them fails."""
        of_model = tuple(each.at(setting) for each in MODELS[self.model])
        if any(each.state == "fails" for each in of_model):
            return of_model
        return (*of_model, *(each.at(setting) for each in self.assumes))

    def at(self, setting: BoundSetting, horizon: int) -> float:
        """The value at another horizon; NaN where it does not apply."""
        there = replace(setting, horizon=horizon)
        if any(each.state == "fails" for each in self.checked(there)):
            return math.nan
        try:
            return self.value(there)
        except (AssumptionError, ParameterError):
            return math.nan


def never(reason: str) -> Callable[[BoundSetting], float]:
    """The value of a bound that no setting makes applicable.

    Examples
    --------
    >>> from companion.bounds.bound import never
    >>> from companion.core.errors import AssumptionError
    >>> try:
    ...     never("the theorem prints no constant")(None)
    ... except AssumptionError as error:
    ...     print(error)
    the theorem prints no constant
    """

    def value(setting: BoundSetting) -> float:
        raise AssumptionError(reason)

    return value


# -- assumptions that several papers share -----------------------------------------------------------------------------


def _variance_seen(setting: BoundSetting) -> str:
    largest = setting.variance
    if _unit(setting):
        return f"largest {largest:.4g}"
    advice = f"divide the covariance by {largest:.4g} and the noise by {math.sqrt(largest):.4g}; the norm stays"
    return f"largest {largest:.4g}; {advice}, and multiply the bound by {math.sqrt(largest):.4g}"


def _unit(setting: BoundSetting) -> bool:
    return setting.variance <= 1.0 + 1e-9


UNIT_VARIANCE = Premise("the prior variance k(x, x) is at most 1", _unit, seen=_variance_seen)
GAUSSIAN_NOISE = Premise("the noise is Gaussian, independent, with standard deviation {0.noise:g}")
SUBGAUSSIAN_NOISE = Premise("the noise is {0.noise:g}-sub-Gaussian given the past")
BLIND = Premise("points of a batch ignore its observations")
SEVERAL = Premise(
    "at least two candidates",
    lambda s: s.candidates is None or s.candidates >= 2,
    seen=lambda s: "all points of a box" if s.candidates is None else f"{s.candidates:,}",
)

#: What every bound for such an f assumes.
MODELS: Mapping[Model, tuple[Premise, ...]] = {
    "prior": (Premise("f is a draw of the Gaussian process with this covariance"), UNIT_VARIANCE),
    "norm": (
        Premise(
            "the norm of f is at most {0.psi}",
            lambda s: False if s.norm is None else None,
            seen=lambda s: "none is given: norm" if s.norm is None else "",
        ),
        UNIT_VARIANCE,
    ),
    "game": (
        Premise(
            "the payoff is that of a mean-field game, a draw of its prior",
            lambda s: False if s.game is None else None,
            seen=lambda s: "the setting has no game: actions" if s.game is None else s.game.where,
        ),
    ),
}
