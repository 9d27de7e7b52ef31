"""Certified upper ends of the maximum information gain at common settings, computed once and stored.

A page that evaluates the bounds of five papers at any of these settings needs no eigenvalues: a curve of upper ends a setting
is enough, and from where on its chords are upper ends as well (``relaxed``, see :mod:`companion.information.between_horizons`).
``python -m companion.papers.across.experiments gains`` makes them, in about three minutes on one core.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from companion.core.arrays import Floats
from companion.gp import grid, kernel_by_name
from companion.information import gain_bracket_curve
from companion.information.between_horizons import UpperEnds, since
from companion.papers.across.problems.common import GAME, HORIZONS, LENGTHSCALE, POINTS, stored_set
from companion.papers.meanfield.theory.bounds import corrected_discretisation
from companion.papers.meanfield.theory.runs import Game

STORED = stored_set("gains", "gains", "games", whole=True)
load = cache(STORED.load)

#: Standard deviations of the noise.
NOISES = (0.01, 0.03, 0.1, 0.3, 1.0)
#: Mean-field games of one context whose laws are a simplex of d dimensions; the first is the chapter's standard game.
GAMES = {1: Game(2), 2: Game(3, parts=6), 3: Game(4, parts=4)}
DIGITS = 5


def rounded_up(values: Floats) -> Floats:
    """The least numbers of :data:`DIGITS` significant digits that are not below these: an upper end stays one."""
    unit = 10.0 ** (np.floor(np.log10(values)) - DIGITS + 1)
    return np.array([float(f"{v:.{DIGITS - 1}e}") for v in np.ceil(values / unit) * unit])


def _curve(covariance: Floats, noise: float) -> list[dict[str, float]]:
    brackets = gain_bracket_curve(covariance, HORIZONS, noise**2)
    uppers = rounded_up(np.array([bracket.upper for bracket in brackets]))
    relaxed = UpperEnds.of(brackets).since
    return [
        {"noise": noise, "horizon": b.horizon, "lower": b.lower, "upper": upper, "relaxed": int(b.horizon >= relaxed)}
        for b, upper in zip(brackets, uppers, strict=True)
    ]


def gain_rows(kernel: str, dim: int) -> list[dict[str, object]]:
    """Both ends for one kernel and dimension, by noise and horizon; the kernel ``game`` is that of :data:`GAMES`."""
    covariance = GAMES[dim].covariance if kernel == GAME else covariance_of(kernel, dim)
    return [{"kernel": kernel, "dim": dim, **row} for noise in NOISES for row in _curve(covariance, noise)]


def covariance_of(kernel: str, dim: int) -> Floats:
    """(N, N) of the candidates in a common setting."""
    return np.asarray(kernel_by_name(kernel, LENGTHSCALE)(grid(POINTS[dim], dim)))


def game_rows(dim: int) -> list[dict[str, object]]:
    """Inputs of Theorem 4.1 besides the gain, none of which depends on the noise: constants, and the rounding's cost."""
    game, pieces = GAMES[dim], GAMES[dim].pieces()
    common = {"dim": dim, "actions": game.actions, "a": pieces.a, "b": pieces.b}
    return [{**common, "horizon": t, "rounding": corrected_discretisation(pieces, t)} for t in HORIZONS]


@cache
def curves() -> dict[tuple[str, int, float], UpperEnds]:
    """Upper ends by kernel, dimension and noise, known at :data:`HORIZONS` and a function of any number of points."""
    rows = load().tables["gains"]
    return {
        (str(k), int(d), float(s)): UpperEnds(HORIZONS, part.upper.to_numpy(), since(HORIZONS, part.relaxed == 1))
        for (k, d, s), part in rows.groupby(["kernel", "dim", "noise"])
    }
