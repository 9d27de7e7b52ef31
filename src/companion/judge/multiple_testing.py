"""Several comparisons: which of a paper's cells are shown to differ once it counts how many were looked at.

Of 84 cells without any difference, four or five have a 95 % interval that leaves out zero. Two textbook corrections of the
p-values p_(1) <= ... <= p_(n) of Welch's test stand beside the plain count; none of the three changes a verdict.

Holm (1979) keeps the probability of a single false "differs" below the level:
    p̃_(i) = max_{j <= i} min(1, (n - j + 1) p_(j)).
Benjamini and Hochberg (1995) keep the expected share of false ones among all "differs" below it:
    p̃_(i) = min_{j >= i} min(1, n p_(j) / j).

Added after the verdicts were known, and named as added: the margins and the verdicts are as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from companion.core.errors import ParameterError

#: A difference counts as shown below this; the 95 % intervals beside the differences have the same level.
LEVEL = 0.05
#: Fields of a cell's ``several`` that say whether it is shown to differ: without a correction, and with either.
WAYS = ("differs", "differs_benjamini_hochberg", "differs_holm")


def holm(p_values: ArrayLike) -> np.ndarray:
    """Holm's adjusted p-values, shape (n,), in the order given; formula at the top of the module."""
    values = _checked(p_values)
    order = np.argsort(values, kind="stable")
    steps = np.minimum(1.0, values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> np.ndarray:
    """Benjamini's and Hochberg's adjusted p-values, shape (n,), in the order given, by SciPy."""
    values = _checked(p_values)
    return np.asarray(stats.false_discovery_control(values)) if values.size else values


def corrected(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The verdicts of one paper, with ``several`` added to every cell that was tested.

    ``several`` has ``tests`` (how many cells were), ``p_holm``, ``p_benjamini_hochberg``, and :data:`WAYS`. Verdicts under an
    assumption (``if_spread_as_ours``) are corrected among themselves, in the same way. Entries that were not tested are
    as they were.

    Parameters
    ----------
    entries : cells and claims of one paper; a tested cell has a ``p_value``
    """
    found = [dict(entry) for entry in entries]
    _correct([entry for entry in found if _tested(entry)])
    assumed = [entry for entry in found if _tested(entry.get("if_spread_as_ours"))]
    for entry in assumed:
        entry["if_spread_as_ours"] = dict(entry["if_spread_as_ours"])
    _correct([entry["if_spread_as_ours"] for entry in assumed])
    return found


def counts(cells: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """``tests``, and how many cells are shown to differ by each of :data:`WAYS`; all zero where nothing was tested."""
    judged = [cell["several"] for cell in cells if cell.get("several")]
    return {"tests": len(judged)} | {way: sum(found[way] for found in judged) for way in WAYS}


def _tested(entry: Any) -> bool:
    return isinstance(entry, Mapping) and entry.get("p_value") is not None


def _correct(entries: list[dict[str, Any]]) -> None:
    plain = np.array([entry["p_value"] for entry in entries])
    for entry, by_holm, by_rate in zip(entries, holm(plain), benjamini_hochberg(plain), strict=True):
        entry["several"] = {
            "tests": len(entries),
            "p_benjamini_hochberg": float(by_rate),
            "p_holm": float(by_holm),
            "differs": bool(entry["p_value"] < LEVEL),
            "differs_benjamini_hochberg": bool(by_rate < LEVEL),
            "differs_holm": bool(by_holm < LEVEL),
        }


def _checked(p_values: ArrayLike) -> np.ndarray:
    values = np.asarray(p_values, dtype=float)
    if values.ndim != 1 or not np.all((values >= 0.0) & (values <= 1.0)):
        raise ParameterError("p_values", "are not all between 0 and 1", "one probability a test, shape (n,)")
    return values
