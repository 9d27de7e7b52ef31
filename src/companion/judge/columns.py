"""Numbers of stored runs that say which rows they are of, so that a verdict on them can say it too.

A selection names a ``table``, the words of its key (``where``) and a ``column``; the values are those rows in the order of
their seeds. Where they are not the column itself it has besides, in the order in which it is applied: ``above`` (less the
lowest value of these rows), ``unit`` (divided by it), ``per`` (the mean over each of its values), ``log``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats, Indices

Selection = Mapping[str, Any]


class Column(np.ndarray[Any, np.dtype[np.float64]]):
    """Values with the rows they are of (``of``); what is computed from them is a plain array, its rows named anew or not."""

    of: Selection | None = None

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """A result without a selection."""
        return array[()] if return_scalar else np.asarray(array)


def selected(values: ArrayLike, of: Selection | None) -> Floats:
    """Values of a selection; plain ones if there is none.

    Examples
    --------
    >>> from companion.judge.columns import selected, selection
    >>> values = selected([1.0, 2.0], {"table": "results/runs.csv", "column": "regret"})
    >>> selection(values)["column"], selection(values - 1.0)
    ('regret', None)
    """
    if of is None:
        return np.asarray(values, dtype=float)
    column = np.array(values, dtype=float).view(Column)
    column.of = of
    return column


def selection(values: ArrayLike) -> Selection | None:
    """The rows that values are of, if they say it."""
    return values.of if isinstance(values, Column) else None


def taken(values: Floats, places: Indices) -> Floats:
    """Values at increasing places; all of them are still the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.judge.columns import taken
    >>> taken(np.array([5.0, 6.0, 7.0]), np.array([0, 2]))
    array([5., 7.])
    """
    return values if len(places) == len(values) else values[places]


def mean_of(values: ArrayLike, minus: float) -> Selection | None:
    """Data behind a mean less a fixed number."""
    of = selection(values)
    return of if of is None or "first" in of else {"first": of, "factor": 1.0, "sign": 1, "minus": minus}


def less(of: Selection | None, by: float) -> Selection | None:
    """Data behind a mean less a fixed number; none for a pair less a number."""
    if of is None or by == 0.0:
        return of
    return None if "second" in of else {**of, "minus": of["minus"] + by}


def pair_of(first: ArrayLike, second: ArrayLike, factor: float) -> Selection | None:
    """Data behind the mean of ``first - factor * second``; common offsets cancel."""
    one, two = selection(first), selection(second)
    if one is None or two is None:
        return None
    if factor == 1.0:
        one, two = ({key: word for key, word in side.items() if key != "above"} for side in (one, two))
    return {"first": one, "second": two, "sign": 1, "minus": 0.0, "factor": round(factor, 12)}
