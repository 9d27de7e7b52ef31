"""The trivial and the blind lines at common settings, computed once and stored: a page that compares a bound draws nothing.

``python -m companion.papers.across.experiments lines`` makes them, in half a minute on one core.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import product

from companion.bounds import trivial
from companion.gp.kernels import KERNEL_NAMES
from companion.papers.across.problems.common import GAME, NORM, POINTS, stored_set
from companion.papers.across.theory.gains import GAMES, covariance_of
from companion.papers.meanfield.theory.unlearned import unlearned

STORED = stored_set("lines", whole=True)
load = cache(STORED.load)
#: Kernel, or that it is a game, and dimension; no line depends on the noise.
SETTINGS = (*product((*KERNEL_NAMES, GAME), POINTS),)
DIGITS = 5


def line_rows(kernel: str, dim: int) -> list[dict[str, object]]:
    """Largest cost of an evaluation, and cost of a blind one: for draws and functions of the norm, or in the game."""
    if kernel == GAME:
        levels, of_norm = {"game": unlearned(GAMES[dim]).range.estimate}, math.nan
    else:
        covariance = covariance_of(kernel, dim)
        levels, of_norm = trivial.lines(covariance, NORM), NORM * trivial.blind_norm_range(covariance)
    blind = trivial.blind_lines(levels, of_norm)
    return [
        {"kernel": kernel, "dim": dim, "model": model, "line": _short(level), "blind": _short(blind[model])}
        for model, level in levels.items()
    ]


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


@cache
def lines() -> dict[tuple[str, int, str], float]:
    """The lines, by kernel, dimension and kind of f."""
    return {(str(r.kernel), int(r.dim), str(r.model)): float(r.line) for r in load().tables["lines"].itertuples()}


@cache
def blind() -> dict[tuple[str, int, str], float]:
    """The blind lines, likewise."""
    return {(str(r.kernel), int(r.dim), str(r.model)): float(r.blind) for r in load().tables["lines"].itertuples()}
