"""Confidence intervals used all over the book: means, paired differences, proportions, slopes.

The formulas are the textbook ones; SciPy supplies the distributions.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from companion.core.errors import ParameterError, whole_number
from companion.judge.columns import Selection, mean_of, pair_of, selected


@dataclass(frozen=True)
class Interval:
    """An estimate with a two-sided confidence interval from ``count`` independent values; ``runs``: of which stored rows.

    Examples
    --------
    >>> from companion.judge.intervals import Interval
    >>> found = Interval(0.4, low=0.1, high=0.7, count=20)
    >>> 0.0 in found, found.ends
    (False, [0.1, 0.7])
    """

    estimate: float
    low: float
    high: float
    count: int
    runs: Selection | None = field(default=None, compare=False, repr=False)

    @property
    def ends(self) -> list[float]:
        """[low, high]."""
        return [self.low, self.high]

    def columns(self, name: str) -> dict[str, float]:
        """Cells of a row: the estimate under ``name``, the ends under ``low`` and ``high``."""
        return {name: self.estimate, "low": self.low, "high": self.high}

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def mean_interval(values: ArrayLike, level: float = 0.95, minus: float = 0.0) -> Interval:
    """Mean of ``values - minus`` with Student's t interval; at least two independent numbers, shape (n,).

    Examples
    --------
    >>> from companion.judge.intervals import mean_interval
    >>> found = mean_interval([3.0, 4.0, 5.0])
    >>> print(f"{found.estimate:.1f}, from {found.low:.2f} to {found.high:.2f}")
    4.0, from 1.52 to 6.48
    """
    sample = _sample("values", values, 2) - minus
    _level(level)
    half = stats.t.ppf(0.5 + level / 2, len(sample) - 1) * sample.std(ddof=1) / np.sqrt(len(sample))
    mean = float(sample.mean())
    return Interval(mean, mean - float(half), mean + float(half), len(sample), mean_of(values, minus))


def paired_interval(ours: ArrayLike, theirs: ArrayLike, level: float = 0.95, factor: float = 1.0) -> Interval:
    """Mean of ``ours - factor * theirs`` over common seeds, with Student's t interval of the differences.

    Examples
    --------
    >>> from companion.judge.intervals import paired_interval
    >>> ours, theirs = [3.0, 7.0, 5.0], [4.0, 8.5, 5.5]  # at the same seeds
    >>> found = paired_interval(ours, theirs)
    >>> print(f"{found.estimate:.1f}, from {found.low:.2f} to {found.high:.2f}")
    -1.0, from -2.24 to 0.24
    """
    first, second = _sample("ours", ours, 2), _sample("theirs", theirs, 2)
    if first.shape != second.shape:
        raise ParameterError("theirs", f"has {len(second)} values", f"{len(first)}, one per seed of ours")
    return mean_interval(selected(first - factor * second, pair_of(ours, theirs, factor)), level)


def proportion_interval(successes: int, trials: int, level: float = 0.95) -> Interval:
    """Proportion with the exact (Clopper-Pearson) interval.

    Examples
    --------
    >>> from companion.judge.intervals import proportion_interval
    >>> found = proportion_interval(0, 60)
    >>> print(f"{found.estimate:.0%}, at most {found.high:.1%}")
    0%, at most 6.0%
    """
    whole_number("trials", trials, 1)
    whole_number("successes", successes, 0, trials)
    _level(level)
    exact = _exact(successes, trials, level)
    return Interval(successes / trials, float(exact.low), float(exact.high), trials)


#: Pages ask for the same shares again and again, and two roots take a millisecond.
_exact = functools.lru_cache(4096)(lambda k, n, level: stats.binomtest(k, n).proportion_ci(level, method="exact"))


def slope_interval(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Interval:
    """Least-squares slope of y on x with Student's t interval; at least three points.

    The interval covers with probability ``level`` only for independent normal errors of y. For computed values, or for
    nested horizons of the same runs, it says how far the points are from a straight line: misfit, not sampling error.

    Examples
    --------
    >>> from companion.judge.intervals import slope_interval
    >>> found = slope_interval([1, 2, 3, 4], [2.1, 3.9, 6.1, 7.9])
    >>> print(f"{found.estimate:.2f}, from {found.low:.2f} to {found.high:.2f}")
    1.96, from 1.72 to 2.20
    """
    across, up = _sample("x", x, 3), _sample("y", y, 3)
    if across.shape != up.shape:
        raise ParameterError("y", f"has {len(up)} values", f"{len(across)}, one per x")
    _level(level)
    fit = stats.linregress(across, up)
    half = float(stats.t.ppf(0.5 + level / 2, len(across) - 2) * fit.stderr)
    return Interval(float(fit.slope), float(fit.slope) - half, float(fit.slope) + half, len(across))


def _sample(name: str, values: ArrayLike, least: int) -> np.ndarray:
    sample = np.asarray(values, dtype=float)
    if sample.ndim != 1 or len(sample) < least or not np.all(np.isfinite(sample)):
        raise ParameterError(name, f"has shape {sample.shape}", f"at least {least} finite numbers in one row")
    return sample


def _level(level: float) -> None:
    if not 0 < level < 1:
        raise ParameterError("level", f"got {level!r}", "a number between 0 and 1")
