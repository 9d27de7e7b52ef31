"""Comparing two means of which only mean, standard deviation and number of runs are known, as in a printed table.

Notation: reported mean m_1, standard deviation s_1, runs n_1; reproduced m_2, s_2, n_2; v_i = s_i²/n_i. Everything rests
on Welch's statistic with its approximate degrees of freedom (B. L. Welch, 1947; F. E. Satterthwaite, 1946):

    se = √(v_1 + v_2),    df = (v_1 + v_2)² / (v_1²/(n_1 - 1) + v_2²/(n_2 - 1)).

Two means are *shown to be equivalent* by two one-sided tests (D. J. Schuirmann, 1987): both "the difference is at most
-margin" and "the difference is at least +margin" have to be rejected. Failing to see a difference is not enough, so few
runs never make two numbers equivalent; :func:`smallest_margin` says how wide a margin a number of runs can serve at all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from scipy import stats

from companion.core.errors import ParameterError, non_negative, positive_number, whole_number
from companion.judge.columns import Selection
from companion.judge.intervals import Interval


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation (n - 1 in its denominator) and number of independent runs, all in the metric's unit.

    ``of`` says which stored rows they are.

    Raises
    ------
    ParameterError
        unless the mean is finite, the standard deviation finite and not negative, and there are at least two runs

    Examples
    --------
    >>> from companion.judge.equivalence import Summary
    >>> Summary(mean=4.0, sd=2.0, n=16).variance_of_mean
    0.25
    """

    mean: float
    sd: float
    n: int
    of: Selection | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not math.isfinite(self.mean):
            raise ParameterError("mean", f"got {self.mean!r}", "a finite number")
        non_negative("sd", self.sd)
        whole_number("n", self.n, 2)

    @property
    def variance_of_mean(self) -> float:
        """v = s²/n."""
        return self.sd**2 / self.n


@dataclass(frozen=True)
class Equivalence:
    """Outcome of :func:`two_one_sided`: the larger of both p-values, and whether it is below the significance level."""

    p_value: float
    shown: bool


def standard_error(reported: Summary, reproduced: Summary) -> tuple[float, float]:
    """Welch's standard error se and degrees of freedom df; formulas at the top of the module.

    Raises
    ------
    ParameterError
        if both standard deviations are zero: constants are compared by eye, not by a test

    Examples
    --------
    >>> from companion.judge.equivalence import Summary, standard_error
    >>> error, df = standard_error(Summary(10.0, 3.0, 9), Summary(11.0, 4.0, 16))
    >>> print(f"{error:.3f} with {df:.1f} degrees of freedom")
    1.414 with 20.9 degrees of freedom
    """
    first, second = reported.variance_of_mean, reproduced.variance_of_mean
    total = first + second
    if total == 0.0:
        raise ParameterError("sd", "is 0 on both sides", "a spread on at least one side")
    # Shares of the total first: the squares of two tiny variances would underflow.
    share = first / total
    df = 1.0 / (share**2 / (reported.n - 1) + (1.0 - share) ** 2 / (reproduced.n - 1))
    return math.sqrt(total), df


def welch(reported: Summary, reproduced: Summary, level: float = 0.95) -> Interval:
    """Difference reproduced minus reported with Welch's interval: (m_2 - m_1) ± t_{df, (1+level)/2} se.

    ``count`` of the interval is the number of runs of both sides together.

    Raises
    ------
    ParameterError
        for a level outside (0, 1), or no spread on either side

    Examples
    --------
    >>> from companion.judge.equivalence import Summary, welch
    >>> found = welch(Summary(10.0, 3.0, 10), Summary(11.0, 3.0, 40))
    >>> print(f"{found.estimate:.1f}, from {found.low:.2f} to {found.high:.2f}")
    1.0, from -1.28 to 3.28
    """
    if not 0 < level < 1:
        raise ParameterError("level", f"got {level!r}", "a number between 0 and 1")
    error, df = standard_error(reported, reproduced)
    half = float(stats.t.ppf(0.5 + level / 2, df)) * error
    difference = reproduced.mean - reported.mean
    return Interval(difference, difference - half, difference + half, reported.n + reproduced.n, reproduced.of)


def welch_p_value(reported: Summary, reproduced: Summary) -> float:
    """Two-sided p-value of "both means are equal": 2 P(t_df ≥ |m_2 - m_1| / se), by SciPy.

    Examples
    --------
    >>> from companion.judge.equivalence import Summary, welch_p_value
    >>> print(f"{welch_p_value(Summary(10.0, 3.0, 10), Summary(14.0, 3.0, 40)):.4f}")
    0.0021
    """
    standard_error(reported, reproduced)
    return float(_test(reported, reproduced, 0.0, "two-sided"))


def two_one_sided(reported: Summary, reproduced: Summary, margin: float, significance: float = 0.05) -> Equivalence:
    """Whether the means are shown to differ by less than ``margin``: TOST with Welch's statistic.

    p = max{P(t_df ≥ (d + margin)/se), P(t_df ≤ (d - margin)/se)} with d = m_2 - m_1; shown when p < significance. The
    same as: the interval of level 1 - 2·significance lies inside (-margin, margin).

    Raises
    ------
    ParameterError
        unless margin > 0 and 0 < significance < 1/2

    Examples
    --------
    >>> from companion.judge.equivalence import Summary, two_one_sided
    >>> printed = Summary(10.0, 3.0, 10)
    >>> two_one_sided(printed, Summary(10.4, 3.0, 100), margin=3.0).shown
    True
    >>> two_one_sided(printed, Summary(10.4, 3.0, 100), margin=1.0).shown
    False
    """
    width = positive_number("margin", margin)
    _significance(significance)
    standard_error(reported, reproduced)
    above = _test(reported, reproduced, -width, "greater")  # rejects "d is at most -margin"
    below = _test(reported, reproduced, width, "less")  # rejects "d is at least margin"
    p_value = max(float(above), float(below))
    return Equivalence(p_value, p_value < significance)


def smallest_margin(reported: Summary, reproduced: Summary, significance: float = 0.05) -> float:
    """The power limit: t_{df, 1-significance} · se, below which no margin can be shown, even if both means coincide.

    With ten reported runs, and any number of ours with the same spread s, it is at least 1.83·s/√10 = 0.58 s, and that
    takes a lucky difference of exactly zero: nothing tighter than about half a standard deviation can be shown.

    Examples
    --------
    >>> from companion.judge.equivalence import Summary, smallest_margin
    >>> print(f"{smallest_margin(Summary(10.0, 3.0, 10), Summary(10.0, 3.0, 10_000)):.2f}")
    1.74
    """
    _significance(significance)
    error, df = standard_error(reported, reproduced)
    return float(stats.t.ppf(1.0 - significance, df)) * error


def _significance(value: float) -> None:
    if not 0 < value < 0.5:
        raise ParameterError("significance", f"got {value!r}", "a number between 0 and 0.5")


def _test(reported: Summary, reproduced: Summary, shift: float, alternative: str) -> float:
    """SciPy's Welch test of (reproduced - shift) against reported."""
    outcome = stats.ttest_ind_from_stats(
        reproduced.mean - shift,
        reproduced.sd,
        reproduced.n,
        reported.mean,
        reported.sd,
        reported.n,
        equal_var=False,
        alternative=alternative,
    )
    return float(outcome.pvalue)
