"""A bound with its assumptions, and the setting that it is evaluated in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from companion.core.errors import AssumptionError
from companion.papers.across import common
from companion.papers.meanfield.theory.bounds import Pieces

Gain = Callable[[float], float]
"""Upper end of the maximum information gain of so many points, nats."""
State = Literal["holds", "trusted", "fails"]
Quantity = Literal["width", "regret"]
Reading = Literal["printed", "repaired", "sharper", "experiment"]
Holds = Literal["in expectation", "with probability", "unproved"]
"""Whether a theorem, or the one that a width is for, is on the mean or on every run but a share; experiments have neither."""
Model = Literal["prior", "norm", "game"]
"""What f is: a draw of the prior, a function of known norm, or the payoff of a mean-field game, which is a draw as well."""


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
    pieces : constants
    gain : upper ends for the game's own covariance
    range : the most that an evaluation can cost in expectation
    rounding : R^A of the repaired theorem, by T
    agents : M, which only the naive rival's width contains
    where : the game in words
    """

    pieces: Pieces
    gain: Gain
    range: float
    rounding: Callable[[int], float]
    agents: int | None = None
    where: str = ""


@dataclass(frozen=True, eq=False)
class Case:
    """Everything that a bound of the five papers can take.

    Parameters
    ----------
    horizon : T, evaluations
    candidates : N
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
    radius, lipschitz : of the ball of laws, and of UCB in the context
    kernel, game : where there is one
    realised : gain of the points that were in fact chosen, for widths that may take it
    """

    horizon: int
    candidates: int
    noise: float
    delta: float
    gain: Gain
    regularised: Gain
    regulariser: float
    variance: float = 1.0
    trace: float | None = None
    norm: float | None = None
    batch: int = common.BATCH
    batches: int | None = None
    initial: int = 0
    alpha: float = common.ALPHA
    ratio: float = common.RATIO
    radius: float = common.RADIUS
    lipschitz: float | None = None
    kernel: KernelUsed | None = None
    game: GameUsed | None = None
    realised: float | None = None

    def known_norm(self) -> float:
        """Psi.

        Raises
        ------
        AssumptionError
            if none is given
        """
        if self.norm is None:
            raise AssumptionError("no norm is given")
        return self.norm

    def known_game(self) -> GameUsed:
        """The game.

        Raises
        ------
        AssumptionError
            if there is none
        """
        if self.game is None:
            raise AssumptionError("the setting has no game")
        return self.game


@dataclass(frozen=True)
class Checked:
    """One assumption at one setting: the words, whether it holds, is taken on trust or fails, and what was seen."""

    text: str
    state: State
    detail: str = ""


Assumption = Callable[[Case], Checked]


@dataclass(frozen=True)
class Form:
    """A width or a bound on regret.

    Parameters
    ----------
    id : paper, number and reading
    paper : slug
    ledger : id of the entry in the paper's ledger that has the statement
    place : in the paper
    title : in words
    rule : which algorithm's regret or width
    quantity, reading, model : see the types
    value : the width, or the bound on the regret of T evaluations
    assumes : besides those of the model
    misses : failure probability in units of delta; 0 for a bound on the expectation, and for what no theorem covers
    symbols : the paper's own symbols and their values there
    regret : which regret, where it is not the usual one
    """

    id: str
    paper: str
    ledger: str
    place: str
    title: str
    rule: str
    quantity: Quantity
    reading: Reading
    model: Model
    value: Callable[[Case], float]
    assumes: tuple[Assumption, ...] = ()
    misses: int = 0
    symbols: Callable[[Case], Mapping[str, float]] = lambda case: {}
    regret: str = ""

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

    def checked(self, case: Case) -> tuple[Checked, ...]:
        """Every assumption at a setting, those of the model first, and alone where one of them fails."""
        of_model = tuple(check(case) for check in _MODELS[self.model])
        if any(each.state == "fails" for each in of_model):
            return of_model
        return (*of_model, *(check(case) for check in self.assumes))


# -- assumptions that several papers share -----------------------------------------------------------------------------


def fact(text: str, holds: bool, seen: str = "") -> Checked:
    """An assumption that the setting decides."""
    return Checked(text, "holds" if holds else "fails", seen)


def trusted(text: str) -> Assumption:
    """An assumption that no setting can decide."""
    return lambda case: Checked(text, "trusted")


def prior_draw(case: Case) -> Checked:
    """f is a draw of the prior."""
    return Checked("f is a draw of the Gaussian process with this covariance", "trusted")


def norm_bound(case: Case) -> Checked:
    """The norm of f is at most Psi."""
    if case.norm is None:
        return Checked("the norm of f is at most a known number", "fails", "none is given: norm")
    return Checked(f"the norm of f is at most {case.norm:g}", "trusted")


def unit_variance(case: Case) -> Checked:
    """k(x, x) is at most 1."""
    text, largest = "the prior variance k(x, x) is at most 1", case.variance
    if largest <= 1.0 + 1e-9:
        return fact(text, True, f"largest {largest:.4g}")
    advice = f"divide the covariance by {largest:.4g} and the noise by {math.sqrt(largest):.4g}; the norm stays"
    return fact(text, False, f"largest {largest:.4g}; {advice}, and multiply the bound by {math.sqrt(largest):.4g}")


def gaussian_noise(case: Case) -> Checked:
    """Independent Gaussian noise of the given standard deviation."""
    return Checked(f"the noise is Gaussian, independent, with standard deviation {case.noise:g}", "trusted")


def subgaussian_noise(case: Case) -> Checked:
    """Noise that is sub-Gaussian with the given constant."""
    return Checked(f"the noise is {case.noise:g}-sub-Gaussian given the past", "trusted")


def has_game(case: Case) -> Checked:
    """The setting has a mean-field game."""
    text = "the payoff is that of a mean-field game, a draw of its prior"
    if case.game is None:
        return Checked(text, "fails", "the setting has no game: actions")
    return Checked(text, "trusted", case.game.where)


def several(case: Case) -> Checked:
    """At least two candidates."""
    return fact("at least two candidates", case.candidates >= 2, f"{case.candidates:,}")


_MODELS: dict[Model, tuple[Assumption, ...]] = {
    "prior": (prior_draw, unit_variance),
    "norm": (norm_bound, unit_variance),
    "game": (has_game,),
}


def never(reason: str) -> Callable[[Case], float]:
    """The value of a bound that no setting makes applicable."""

    def value(case: Case) -> Any:
        raise AssumptionError(reason)

    return value
