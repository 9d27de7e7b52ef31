"""Agreement of recomputed numbers with stored ones, and of cells of runs.

With the kernels that made a row its digits have to be equal. Other kernels add the same numbers in another order, which is
1e-16 of a sum; :data:`RELATIVE` is what that may grow to. A run that takes the larger of two nearly equal values may go
another way altogether. How far kernels move the runs of a cell is seen, not supposed: they are made once more with a second
set, and what is farther than :data:`TIMES` that is no matter of kernels. The cell is then judged by its numbers, the mean of
the runs made again beside the spread of the stored seeds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from companion.core.arrays import Floats

#: Rows by their key columns, in words.
Rows = dict[str, dict[str, str]]

#: Largest relative difference that rounding accounts for: 1e-16 in a sum, times the condition of a covariance matrix, which
#: noise and jitter keep below 1e10. What is smaller than this part of its column's largest number is itself rounding beside
#: it, a slope of 1e-18 say, and its difference is taken relative to that part.
RELATIVE = 1e-6

#: How much farther from what is stored a run may be than a second set of kernels moves runs of its cell: of a few runs, which
#: the second set moves now more, now less.
TIMES = 10.0

#: Probability that one of all numbers judged by their cells is refused though nothing but the kernels is another: each is
#: tested at this level divided by their count.
LEVEL = 0.01

#: Further seeds of a cell that are made again before it is refused, and cells of which that many are made: where more are in
#: doubt it is not for chance.
MORE, TRIED = 5, 8

_WHOLE = re.compile(r"[-+]?[0-9]+(\.0)?")


@dataclass(frozen=True)
class Difference:
    """A stored number that came out otherwise: table, row, column, stored and present text."""

    table: str
    row: str
    column: str
    stored: str
    now: str


@dataclass(frozen=True)
class Judged:
    """A column of a cell, judged by its runs.

    Parameters
    ----------
    table, cell, column : which; the cell by the columns that name its rows, without the seed
    runs, now : how many were made again, and the mean of their numbers; a list counts with its mean
    stored, low, high : seeds stored, and the interval in which such a mean falls (prediction interval by Student's t)
    moves : whether kernels move runs of the cell so far, see :data:`TIMES`
    agrees : whether they do, and the mean lies in the interval
    """

    table: str
    cell: str
    column: str
    runs: int
    now: float
    stored: int
    low: float
    high: float
    moves: bool = False
    agrees: bool = False

    @property
    def inside(self) -> bool:
        """Whether the mean lies in the interval."""
        return self.low <= self.now <= self.high


def same_text(stored: str, now: str) -> bool:
    """Same text; a column of whole numbers may have ``.0`` throughout, since one entry lacks."""
    return stored.removesuffix(".0") == now.removesuffix(".0")


def numbers(text: str) -> Floats | None:
    """The numbers of a cell, one or a list with blanks between; ``None`` for words."""
    try:
        return np.array([float(word) for word in text.split()])
    except ValueError:
        return None


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a stored table, for what a difference in it amounts to."""

    texts: Sequence[str]

    @cached_property
    def _words(self) -> list[str]:
        return [word for text in self.texts if numbers(text) is not None for word in text.split()]

    @cached_property
    def largest(self) -> float:
        """Largest finite number, without sign; 0 where there is none."""
        found = np.abs([float(word) for word in self._words])
        return float(found[np.isfinite(found)].max(initial=0.0))

    @cached_property
    def whole(self) -> bool:
        """Whether all are whole numbers, which no rounding changes."""
        return all(_WHOLE.fullmatch(word) for word in self._words)

    @cached_property
    def digits(self) -> int:
        """Significant digits that are written."""
        mantissas = (re.split("[eE]", word)[0].replace(".", "").strip("+-").strip("0") for word in self._words)
        return max((len(digits) for digits in mantissas), default=17)

    def apart(self, stored: str, now: str) -> float:
        """Relative difference, of a list the largest; 1 between words and between lists of other length.

        A unit of the last digit that is written counts as none beyond :data:`RELATIVE`: it is the rounding of the table. Whole
        numbers, which nothing rounds, differ by more.
        """
        if same_text(stored, now):
            return 0.0
        before, after = numbers(stored), numbers(now)
        if before is None or after is None or len(before) != len(after):
            return 1.0
        both = np.isfinite(before) & np.isfinite(after)
        gap, size = np.abs(before - after)[both], np.maximum(np.abs(before), np.abs(after))[both]
        found = np.divide(gap, np.maximum(size, RELATIVE * self.largest), out=np.zeros(len(gap)), where=gap > 0)
        if self.whole:
            found = np.maximum(found, 2 * RELATIVE * (gap > 0))
        else:
            unit = 10.0 ** (np.floor(np.log10(np.maximum(size, np.finfo(float).tiny))) - self.digits + 1)
            # The factor is for the unit, which is no binary fraction.
            found = np.where(gap <= 1.001 * unit, np.minimum(found, RELATIVE), found)
        others = any(str(one) != str(other) for one, other in zip(before[~both], after[~both], strict=True))
        return 1.0 if others else float(found.max(initial=0.0))


class Columns(dict[str, Column]):
    """Columns of a stored table by name, each looked at when it is asked for."""

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, name: str) -> Column:
        found = self[name] = Column([row.get(name, "") for row in self._rows.values()])
        return found


def row_apart(columns: Columns, stored: Mapping[str, str], now: Mapping[str, str]) -> dict[str, float]:
    """Relative differences of the columns whose texts differ."""
    texts = {name: (stored.get(name, ""), value) for name, value in now.items()}
    return {name: columns[name].apart(*pair) for name, pair in texts.items() if not same_text(*pair)}


def group_of(row: Mapping[str, str], key: Sequence[str]) -> str:
    """The columns that name a row, without the seed."""
    return ", ".join(f"{name}={row[name]}" for name in key if name != "seed")


def judge(place: tuple[str, str, str], stored: Iterable[str], now: Iterable[str], level: float) -> Judged:
    """Whether the mean of the runs made again lies where the stored seeds let it be expected.

    The interval is mean +- t s sqrt(1/n + 1/m) of n stored numbers with standard deviation s, for a mean of m.

    Parameters
    ----------
    place : table, cell and column
    stored, now : texts of the column in the stored rows of the cell, and in those made again
    level : of the test
    """
    from scipy.stats import t

    before, after = _means(stored), _means(now)
    n, m = len(before), len(after)
    if n < 2 or not m or not np.all(np.isfinite([*before, *after])):
        return Judged(*place, m, np.nan, n, np.nan, np.nan)
    mean, half = before.mean(), t.ppf(1 - level / 2, n - 1) * before.std(ddof=1) * np.sqrt(1 / n + 1 / m)
    half = max(half, RELATIVE * abs(mean))
    return Judged(*place, m, float(after.mean()), n, float(mean - half), float(mean + half))


def _means(texts: Iterable[str]) -> Floats:
    """One number for each text, that of words being none."""
    found = [numbers(text) for text in texts]
    return np.array([np.nan if one is None or not len(one) else one.mean() for one in found])
