r"""The radius of the theory beside the one that is used and the one that would have been enough.

Lemma 7 asks for a radius of order :math:`n^{-1/2}` after n contexts, times the root of the logarithm of a covering number of
all acquisition functions; the experiments take :math:`0.3/\sqrt n`. What simulated runs need is a measurement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.core.errors import ParameterError, whole_number
from companion.papers.wdrbo.theory import bounds, covering
from companion.papers.wdrbo.theory.runs import Game, play

#: a of the published experiments: epsilon = 0.3 / sqrt(n).
PRACTICE = 0.3
#: True laws that are pooled where it is measured what was needed.
TRUTHS = 8


@dataclass(frozen=True)
class RadiusRow:
    """Radii after ``contexts`` contexts, in units of the context's coordinates.

    Parameters
    ----------
    theory : (16) with the explicit covering number; ``halved``: what ours-l18 proves to be enough
    least : (16) with a lower bound on its covering number, so no more than (16) gives
    single : (16) with a covering number of one, as for a single function
    needed : what was enough in 90 % of simulated runs under eight true laws
    practice : 0.3 / sqrt(n)
    diameter : of the set of contexts; a radius of that size allows every law
    """

    contexts: int
    theory: float
    halved: float
    least: float
    single: float
    needed: float
    practice: float
    diameter: float


def empirical_constant(game: Game, share: float = 0.9, truths: int = TRUTHS) -> float:
    r"""Smallest a that would have done in place of the theory, in ``share`` of the runs.

    .. math:: |\E_{\mathcal P^*}\mathrm{UCB}_t(x,c)-\E_{\hat{\mathcal P}_t}\mathrm{UCB}_t(x,c)|\le\frac{aL_t(x)}{\sqrt{t-1}}

    for all decisions and all rounds from the second on. It depends on the true law, so several are pooled.

    Parameters
    ----------
    game : of the data-driven setting
    share : in (0, 1]
    truths : number of true laws and sets of runs: seeds from the game's on

    Raises
    ------
    ParameterError
        for another setting or share
    """
    if game.setting != "data":
        raise ParameterError("game", f"has the {game.setting} setting", "setting='data'")
    if not 0.0 < share <= 1.0:
        raise ParameterError("share", f"got {share!r}", "a number in (0, 1]")
    contexts = np.arange(1, game.horizon)
    games = [replace(game, seed=game.seed + more) for more in range(whole_number("truths", truths))]
    needed = [(play(other).deviation[:, 1:] * np.sqrt(contexts)).max(axis=1) for other in games]
    return float(np.quantile(np.concatenate(needed), share, method="inverted_cdf"))


def radii(game: Game, contexts: Sequence[int]) -> list[RadiusRow]:
    """The table of radii for a game with the SE kernel, in the data-driven setting.

    Raises
    ------
    ParameterError
        for another kernel, whose covering number is not explicit here, or another setting
    """
    if game.kernel != "se":
        raise ParameterError("game", f"has the kernel {game.kernel!r}", "'se', whose covering numbers are explicit")
    constant = empirical_constant(game)
    law = (game.lam, game.noise, game.norm, game.delta, game.lengthscale, game.decision_dim, game.context_dim)
    rows = []
    for n in contexts:
        actions = bounds.covering_points(math.sqrt(game.decision_dim), 1.0 / n, game.decision_dim)
        rows.append(
            RadiusRow(
                n,
                covering.theory_radius(n, *law),
                covering.theory_radius(n, *law, scale=0.5),
                covering.least_radius(n, game.norm, game.delta, *law[4:]),
                bounds.radius(n, game.context_diameter, game.delta, actions),
                constant / math.sqrt(n),
                PRACTICE / math.sqrt(n),
                game.context_diameter,
            )
        )
    return rows
