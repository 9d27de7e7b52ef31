"""All applicable bounds at common settings, beside the trivial bound: computed once and stored.

Three kernels, two dimensions, three noise levels, with the candidates of
:mod:`companion.papers.across.problems.common`. For every width and bound of
:data:`companion.papers.across.theory.bounds.BOUNDS` that applies: the horizon from which on it is below the trivial bound,
and below the blind line, and what it is over the trivial bound at powers of ten.
``python -m companion.papers.across.experiments sayings`` makes them, in about a minute on one core.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from companion.papers.across.problems.common import (
    AGENTS,
    BATCHES,
    FARTHEST,
    KERNELS,
    LENGTHSCALE,
    NORM,
    POINTS,
    stored_set,
)
from companion.papers.across.problems.common import GAME as GAME
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.bounds_setting import Conditions
from companion.papers.across.theory.bounds_table import BoundsTable, in_one, says_something_from, table_at

if TYPE_CHECKING:
    import pandas as pd

STORED = stored_set("sayings", whole=True)
load = cache(STORED.load)

#: Of the game whose laws have so many dimensions.
ACTIONS = {1: 2, 2: 3}
#: Horizons at which values are kept.
SHOWN = tuple(10**k for k in range(2, FARTHEST + 1))
DIGITS = 4


def table_of(kernel: str, dim: int, noise: float, farthest: int = 10**FARTHEST) -> BoundsTable:
    """All bounds at one of the settings; those on a game go with the first kernel."""
    game = {"actions": ACTIONS[dim], "agents": AGENTS} if kernel == KERNELS[0] else {}
    place = {"kernel": kernel, "lengthscale": LENGTHSCALE, "dim": dim, "points": POINTS[dim]}
    setting = {**place, "noise": noise, "horizon": SHOWN[0], "norm": NORM, "farthest": farthest, **game}
    return table_at(Conditions.of(setting), in_one)


def setting_rows(kernel: str, dim: int, noise: float, farthest: int = 10**FARTHEST) -> Iterator[dict[str, Any]]:
    """The rows of :func:`rows_of`, with the setting."""
    for row in rows_of(table_of(kernel, dim, noise, farthest), farthest):
        of_game = BOUNDS[row["id"]].model == "game"
        yield {"kernel": GAME if of_game else kernel, "dim": dim, "noise": noise, **row}


def rows_of(found: BoundsTable, farthest: int = 10**FARTHEST) -> Iterator[dict[str, Any]]:
    """A row for every bound and width that applies at some horizon shown, and for every batch size that it depends on."""
    for row in found.rows:
        form = row.form
        regret = form.quantity == "regret"
        level, blind = (found.ranges[form.model], found.blind[form.model]) if regret else (1.0, math.nan)
        for batch in BATCHES if form.paper == "tsrsr" else BATCHES[:1]:
            case = replace(found.case, batch=batch)
            at = {t: form.at(case, t) / (t * level if regret else 1.0) for t in SHOWN if t <= farthest}
            if all(map(math.isnan, at.values())):
                continue
            first = says_something_from(form, case, level, farthest) if regret else math.nan
            beats = says_something_from(form, case, blind, farthest) if regret else math.nan
            values = {f"T={t}": _short(value) for t, value in at.items()}
            yield {
                "id": form.id,
                "quantity": form.quantity,
                "batch": batch,
                "says_from": first,
                "trivial": level,
                **values,
                "blind": blind,
                "beats_blind_from": beats,
            }


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def rows(quantity: str) -> pd.DataFrame:
    """The stored rows of all settings, with paper, reading and model of each."""
    found = load().tables["sayings"]
    found = found[found.quantity == quantity]
    named = {name: [getattr(BOUNDS[each], name) for each in found.id] for name in ("paper", "reading", "model")}
    return found.assign(**named)
