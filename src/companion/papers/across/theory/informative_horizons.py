"""Informative horizons at a common setting: the bound over the trivial bound, from stored gains, lines and constants.

A bound on the regret of T evaluations says something where it lies below the trivial bound
(:mod:`companion.bounds.trivial`). Here every bound of :data:`companion.papers.across.theory.bounds.BOUNDS` is evaluated at
once at all horizons tried; :mod:`~companion.papers.across.theory.bounds_at_settings` stores the same for the settings that are
shown, with gains certified anew.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from companion.bounds.bound import BoundSetting, GameUsed, KernelUsed
from companion.bounds.trivial import horizon
from companion.core.arrays import Floats
from companion.papers.across.problems import common
from companion.papers.across.problems.common import BATCH, DELTA, GAME, HORIZONS, NORM, candidates
from companion.papers.across.theory import gains
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.bounds_setting import SMOOTHNESS
from companion.papers.across.theory.gains import curves
from companion.papers.across.theory.trivial_lines import blind, lines
from companion.papers.meanfield.theory import bounds as meanfield

#: For every method its theorem, and the best form that this companion could find in a proof, prove or repair.
#:
#: Where the paper prints an order, the theorem has the constants of its proof: :attr:`~companion.bounds.bound.Bound.constants`.
PAIRS = {
    "TS-RSR": ("tsrsr/theorem-1/printed", "tsrsr/our-C/sharper"),
    "GP-UCB": ("compressed/lemma-8.4/dense", "compressed/lemma-8.4/dense"),
    "compressed UCB": ("compressed/theorem-3.2-i/printed", "compressed/lemma-8.4/sharper"),
    "BPE": ("batched/theorem-1/printed", "batched/prop-2/printed"),
    "MF-GP-UCB": ("meanfield/thm-4.1/printed", "meanfield/thm-4.1/repaired"),
    "WDRBO": ("wdrbo/thm-16/printed", "wdrbo/ours-thm5/repaired"),
}


def case_of(
    kernel: str, dim: int, noise: float, horizon: int = 1, norm: float = NORM, batch: int = BATCH, delta: float = DELTA
) -> BoundSetting:
    """A setting with the stored upper ends of its gain, and the game of the dimension."""
    gain = curves()[kernel, dim, noise]
    return BoundSetting(
        horizon=horizon,
        candidates=candidates(dim),
        noise=noise,
        delta=delta,
        gain=gain,
        regularised=gain,
        norm=norm,
        batch=batch,
        regulariser=common.regulariser_of(noise),
        kernel=KernelUsed(kernel, SMOOTHNESS[kernel], common.LENGTHSCALE, dim),
        game=_game(dim, noise),
    )


def _game(dim: int, noise: float) -> GameUsed:
    game, gain = games()[dim], curves()[GAME, dim, noise]
    pieces = meanfield.Pieces(game["actions"], 1, game["a"], game["b"])
    return GameUsed(pieces, gain, game["range"], partial(_rounding, game["rounding"]), common.AGENTS)


def _rounding(costs: Sequence[float], horizon: int) -> float:
    """Cost of rounding up to a horizon; between those tried, up to the next, which is more."""
    return costs[bisect_left(HORIZONS, horizon)]


def line_of(name: str, kernel: str, dim: int) -> float:
    """The trivial bound an evaluation that a bound is compared with."""
    model = BOUNDS[name].model
    if model == "game":
        return lines()[GAME, dim, "game"]
    return lines()[kernel, dim, model]


def blind_over_line(name: str, kernel: str, dim: int) -> float:
    """The blind line over that trivial one."""
    model = BOUNDS[name].model
    place = (GAME if model == "game" else kernel, dim, model)
    return blind()[place] / lines()[place]


@lru_cache(maxsize=512)
def over_line(name: str, kernel: str, dim: int, noise: float, batch: int = BATCH) -> Floats:
    """A bound over the trivial bound at all horizons tried; NaN where it is not stated."""
    case, line = case_of(kernel, dim, noise, batch=batch), line_of(name, kernel, dim)
    return np.array([BOUNDS[name].at(case, t) / (t * line) for t in HORIZONS])


def horizon_of(name: str, kernel: str, dim: int, noise: float, batch: int = BATCH) -> float:
    """From which horizon on it says something; infinite where not at the last of those tried."""
    return _below(line_of(name, kernel, dim), name, kernel, dim, noise, batch)


def blind_horizon_of(name: str, kernel: str, dim: int, noise: float, batch: int = BATCH) -> float:
    """From which horizon on it is below what a blind choice costs."""
    line = line_of(name, kernel, dim) * blind_over_line(name, kernel, dim)
    return _below(line, name, kernel, dim, noise, batch)


def _below(line: float, name: str, kernel: str, dim: int, noise: float, batch: int) -> float:
    case, bound = case_of(kernel, dim, noise, batch=batch), BOUNDS[name]
    return horizon(lambda t: bound.at(case, t) / t, line, HORIZONS)


@lru_cache(maxsize=1)
def games() -> dict[int, dict[str, Any]]:
    """Constants of the mean-field games by dimension; ``range`` is the trivial bound, ``rounding`` a list over the horizons."""
    rows = gains.load().tables["games"]
    return {
        int(dim): {
            "actions": int(part.actions.iloc[0]),
            **{name: float(part[name].iloc[0]) for name in ("a", "b")},
            "range": lines()[GAME, int(dim), "game"],
            "rounding": part.rounding.tolist(),
        }
        for dim, part in rows.groupby("dim")
    }
