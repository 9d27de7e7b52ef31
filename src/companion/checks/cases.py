"""One instance of a check evaluated: two sides, and whether they stand in the relation that a statement claims.

:class:`Case` is made by :func:`at_most`, :func:`equal`, :func:`probability` and the like, each with its tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from scipy import stats

from companion.bounds.checks import real
from companion.core.errors import CompanionError, ParameterError, whole_number

#: Relative amount by which a left side may exceed a right side: sums of up to 1e5 rounded terms and their roots.
ROUNDING = 1e-9

#: Chance of rejecting a failure rate of exactly delta. A chapter has a few dozen such tests, so that a true statement is
#: rejected somewhere in fewer than one of three sets of seeds; the seeds are fixed, so a rejection does not come and go.
REJECTION_LEVEL = 0.01

#: Least chance with which a probability check has to reject a failure rate twice as high as allowed.
REJECTION_POWER = 0.9


@dataclass(frozen=True)
class Case:
    """One instance evaluated.

    Parameters
    ----------
    where : the instance in words: kernel, dimension, noise, seed
    lhs, rhs : both sides; for a probability, the observed failure rate and the allowed one
    holds : whether they stand in the claimed relation
    trials, failures : 1 and 0 or 1, or the counts of a probability check
    delta : allowed failure probability, or ``None``
    fitted : whether the sides are exponents, one of them the end of a fit's interval

    Examples
    --------
    >>> from companion.checks.cases import Case
    >>> Case("T = 10", lhs=2.0, rhs=6.0, holds=True).slack
    3.0
    """

    where: str
    lhs: float
    rhs: float
    holds: bool
    trials: int = 1
    failures: int = 0
    delta: float | None = None
    fitted: bool = False

    def __post_init__(self) -> None:
        if math.isnan(self.lhs) or math.isnan(self.rhs):
            raise CompanionError(f"{self.where}: a side is not a number (left {self.lhs}, right {self.rhs})")

    @property
    def slack(self) -> float:
        """Right side over left side; infinite where only the left side is zero, one where both are."""
        if self.lhs == 0:
            return 1.0 if self.rhs == 0 else math.copysign(math.inf, self.rhs)
        return self.rhs / self.lhs


def at_most(lhs: float, rhs: float, where: str, tolerance: float = ROUNDING) -> Case:
    """The case ``lhs <= rhs``, up to ``tolerance`` times the larger absolute value.

    Examples
    --------
    >>> from companion.checks.cases import at_most
    >>> case = at_most(3.0, 2.0, "seed 0")
    >>> case.holds, case.failures
    (False, 1)
    >>> at_most(1.0 + 1e-12, 1.0, "equal but for rounding").holds
    True
    """
    left, right = float(lhs), float(rhs)
    holds = _at_most(left, right, tolerance)
    return Case(where, left, right, holds, failures=int(not holds))


def _at_most(left: float, right: float, tolerance: float) -> bool:
    # An infinite side decides by itself: its multiple would cover any excess.
    near = math.isfinite(left) and math.isfinite(right)
    return left <= right or (near and left - right <= tolerance * max(abs(left), abs(right)))


def equal(lhs: float, rhs: float, where: str, tolerance: float = ROUNDING) -> Case:
    """The case ``lhs == rhs``, up to ``tolerance`` times the larger absolute value.

    Examples
    --------
    >>> from companion.checks.cases import equal
    >>> equal(0.1 + 0.2, 0.3, "a sum").holds, equal(0.3001, 0.3, "a sum").holds
    (True, False)
    """
    left, right = float(lhs), float(rhs)
    near = math.isfinite(left) and math.isfinite(right)
    holds = left == right or (near and abs(left - right) <= tolerance * max(abs(left), abs(right)))
    return Case(where, left, right, holds, failures=int(not holds))


def agrees(given: float, typed: float, where: str, tolerance: float = ROUNDING) -> Case:
    """The case that the package's function gives what the statement's formula, typed in the check, gives.

    Left is the difference and right what rounding allows, so that an agreement is never the tightest case of a statement.

    Examples
    --------
    >>> import math
    >>> from companion.checks.cases import agrees
    >>> from companion.bounds.confidence import HorizonDrawsWidth
    >>> typed = math.sqrt(2 * math.log(2 * 10 * 100 / 0.1))
    >>> agrees(HorizonDrawsWidth(10, 100, 0.1).width(), typed, "N = 10, T = 100").holds
    True
    """
    allowed = tolerance * max(abs(float(given)), abs(float(typed)))
    return at_most(abs(float(given) - float(typed)), allowed, f"{where}: the package's function")


def none_of(violations: int, checked: int, where: str) -> Case:
    """The case that a property holds everywhere: ``violations`` of ``checked`` places break it, 0 are allowed.

    Examples
    --------
    >>> from companion.checks.cases import none_of
    >>> none_of(0, 1000, "a covariance is symmetric").holds, none_of(2, 1000, "a covariance is symmetric").failures
    (True, 2)
    """
    whole_number("checked", checked, 1)
    whole_number("violations", violations, 0, checked)
    return Case(where, float(violations), 0.0, violations == 0, trials=checked, failures=violations)


def worst_of(comparisons: Iterable[tuple[float, float, str]]) -> Case:
    """The case that ``lhs <= rhs`` for every ``(lhs, rhs, where)``; it carries the sides and the name of the worst one.

    Worst is what fails, then what has the least slack. ``trials`` and ``failures`` count the comparisons.

    Examples
    --------
    >>> from companion.checks.cases import worst_of
    >>> worst = worst_of([(1.0, 2.0, "T = 10"), (3.0, 3.5, "T = 100"), (2.0, 4.0, "T = 1000")])
    >>> worst.where, worst.holds, worst.trials
    ('T = 100', True, 3)
    """
    worst: tuple[bool, float] | None = None
    case, trials, failures = None, 0, 0
    for lhs, rhs, where in comparisons:  # hundreds of thousands in places: only those that are worse are made a case
        left, right = float(lhs), float(rhs)
        key = (_at_most(left, right, ROUNDING), right - left)
        trials, failures = trials + 1, failures + (not key[0])
        if worst is None or key < worst or left != left or right != right:  # what is not a number is refused as a case
            worst, case = key, at_most(left, right, where)
    if case is None:
        raise ParameterError("comparisons", "are none", "at least one")
    return replace(case, trials=trials, failures=failures)


def rejects(failures: int, trials: int, delta: float) -> bool:
    """Whether ``failures`` of ``trials`` refute a failure probability of at most ``delta``.

    One-sided exact binomial test at :data:`REJECTION_LEVEL`.

    Examples
    --------
    >>> from companion.checks.cases import rejects
    >>> rejects(failures=15, trials=100, delta=0.1), rejects(failures=19, trials=100, delta=0.1)
    (False, True)
    """
    return bool(stats.binomtest(failures, trials, delta, alternative="greater").pvalue < REJECTION_LEVEL)


def rejection_power(trials: int, delta: float) -> float:
    """Probability that :func:`rejects` notices a failure rate of ``2 delta`` (at most 1).

    Examples
    --------
    >>> from companion.checks.cases import rejection_power
    >>> print(f"{rejection_power(trials=100, delta=0.1):.2f}, {rejection_power(trials=400, delta=0.1):.2f}")
    0.64, 1.00
    """
    # Smallest count that is rejected: the test rejects from some count on.
    critical = int(stats.binom.isf(REJECTION_LEVEL, trials, delta)) + 1
    while critical > 0 and stats.binom.sf(critical - 2, trials, delta) < REJECTION_LEVEL:
        critical -= 1
    return float(stats.binom.sf(critical - 1, trials, min(2 * delta, 1.0)))


def trials_needed(delta: float) -> int:
    """Fewest trials with which a rate twice too high is rejected with probability :data:`REJECTION_POWER`.

    171 for delta = 0.1, 73 for delta = 0.2.

    Examples
    --------
    >>> from companion.checks.cases import trials_needed
    >>> trials_needed(0.2)
    73
    """
    real("delta", delta, 0.0, 0.5, open_ends="both")
    trials = 5
    # The power is not monotone in the number of trials (counts are whole), so the answer is the first that suffices
    # together with the following ones.
    while min(rejection_power(trials + more, delta) for more in range(8)) < REJECTION_POWER:
        trials += 1
    return trials


def probability(failures: int, trials: int, delta: float, where: str) -> Case:
    """The case that an event of probability at most ``delta`` occurred in ``failures`` of ``trials`` runs.

    Raises
    ------
    ParameterError
        if nothing speaks against the statement, but there are too few trials to reject a rate twice too high with
        probability :data:`REJECTION_POWER`

    Examples
    --------
    >>> from companion.checks.cases import probability
    >>> probability(failures=18, trials=400, delta=0.1, where="a band leaves f").holds
    True
    >>> probability(failures=80, trials=400, delta=0.1, where="a band leaves f").holds
    False
    """
    allowed = real("delta", delta, 0.0, 0.5, open_ends="both")
    whole_number("trials", trials, 1)
    whole_number("failures", failures, 0, trials)
    holds = not rejects(failures, trials, allowed)
    if holds and rejection_power(trials, allowed) < REJECTION_POWER:
        raise ParameterError(
            "trials",
            f"{trials} at delta = {allowed:g} would miss a failure rate twice too high",
            f"at least {trials_needed(allowed)}",
        )
    return Case(where, failures / trials, allowed, holds, trials=trials, failures=failures, delta=allowed)


def exponent(
    low: float, high: float, claimed: float, where: str, side: str = "at most", allowance: float = 0.0
) -> Case:
    """The case that a growth exponent, known to lie in ``[low, high]``, agrees with the claimed one.

    Parameters
    ----------
    low, high : ends of the fitted exponent's interval. Where the points are computed and not drawn, or are nested runs,
        that of Student's t measures how far they are from a straight line (:data:`MISFIT`); no level belongs to it
    claimed : exponent of the statement
    side : ``"at most"`` (an upper bound on growth, refuted when ``low`` exceeds it), ``"at least"`` (a lower bound) or
        ``"equal"`` (refuted when the interval does not contain it)
    allowance : what logarithmic factors that the statement has, but the fit does not, may add; state its origin

    Examples
    --------
    >>> from companion.checks.cases import exponent
    >>> exponent(0.45, 0.52, claimed=0.5, where="regret over T").holds
    True
    >>> exponent(0.61, 0.68, claimed=0.5, where="regret over T").holds
    False
    """
    if side not in ("at most", "at least", "equal"):
        raise ParameterError("side", f"got {side!r}", "'at most', 'at least' or 'equal'")
    above, below = low > claimed + allowance, high < claimed - allowance
    refuted = {"at most": above, "at least": below, "equal": above or below}[side]
    nearest_end = {"at most": low, "at least": high, "equal": low if above else high if below else claimed}[side]
    left, right = (claimed, nearest_end) if side == "at least" else (nearest_end, claimed)
    return Case(where, left, right, not refuted, failures=int(refuted), fitted=low < high)
