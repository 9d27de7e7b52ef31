r"""Regret without learning: the two lines that a bound has to pass under before it says anything.

With g a draw of the prior's average payoff on the laws of a game,

.. math:: \rho=\mathbb E\big[\max_\xi g(\xi)-\min_\xi g(\xi)\big],\qquad\nu=\mathbb E\big[\max_\xi g(\xi)\big].

No play at all has an expected regret above :math:`T\rho`. And :math:`T\nu` is what **one law** costs that is chosen without
looking and played for ever. Which law does not matter, because :math:`\mathbb Eg(\xi)=0` for every law; so the best choice in
expectation needs no search, which would flatter it. As g and -g are equally likely, :math:`\nu=\rho/2`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from companion.bounds.trivial import Line, horizon_of_curve, prior_range
from companion.core.arrays import Floats
from companion.information import gain_bracket_curve
from companion.papers.meanfield.theory.bounds import corrected_bound, printed_bound
from companion.papers.meanfield.theory.runs import Game

#: Rounds up to which a horizon is looked for from which on a bound says something.
FARTHEST = 2**13
#: Horizons at which the bounds are computed for each factor of two.
PER_OCTAVE = 8


@dataclass(frozen=True)
class Unlearned:
    r"""Regret a round without learning, each with its interval.

    Parameters
    ----------
    range : :math:`\rho`, the most that any play can cost in expectation
    fixed : :math:`\nu`, of one law for ever
    """

    range: Line
    fixed: Line


def unlearned(game: Game) -> Unlearned:
    r""":math:`\rho`, the mean range of the averages, whose covariance is the payoff's averaged twice, and half of it."""
    laws, size = game.weights.shape
    payoffs = game.covariance.reshape(laws, size, laws, size)
    found = prior_range(np.einsum("ln,lnkm,km->lk", game.weights, payoffs, game.weights))
    return Unlearned(found, Line(found.estimate / 2.0, found.low / 2.0, found.high / 2.0))


@dataclass(frozen=True, eq=False)
class BoundCurve:
    """Both forms of Theorem 4.1 on a geometric grid of horizons, with the gain's certified upper end.

    Parameters
    ----------
    rounds : (n,) T, rising
    corrected, printed : (n,) the bounds
    """

    rounds: Floats
    corrected: Floats
    printed: Floats


@lru_cache(maxsize=8)
def bound_curve(game: Game, farthest: int = FARTHEST) -> BoundCurve:
    """Both bounds at :data:`PER_OCTAVE` horizons for each factor of two, from 1 to ``farthest``."""
    steps = 1 + round(PER_OCTAVE * math.log2(farthest))
    rounds = sorted({round(2 ** (k / PER_OCTAVE)) for k in range(steps)})
    brackets = gain_bracket_curve(game.covariance, rounds, game.noise_variance)
    found = [
        [
            bound(game.pieces(), t, game.noise_variance, bracket.upper).total
            for bound in (corrected_bound, partial(printed_bound, unchecked=True))
        ]
        for t, bracket in zip(rounds, brackets, strict=True)
    ]
    return BoundCurve(np.array(rounds, dtype=np.float64), *np.array(found).T)


def informative_from(rounds: Floats, bound: Floats, level: Line) -> float:
    """From which horizon on a bound, known on a fine grid of horizons, is below a line; infinite where it is not at the last.

    Parameters
    ----------
    rounds, bound : (n,) the grid, rising, and the bound on it
    level : height of the line divided by T
    """
    return horizon_of_curve(rounds.astype(int).tolist(), (bound / (level.estimate * rounds)).tolist())
