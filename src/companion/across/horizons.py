r"""When a bound says something: the main regret bound of every paper at common settings, beside what no rule can lose more than.

A bound on the regret of T evaluations says something where it lies below the trivial bound, T times the most that one evaluation
can cost. Each is taken with the constants of its chapter and with the certified upper end of the maximum information gain:

======== ================================= ============================================= ===========================
paper    printed                           sharper or repaired                           trivial, an evaluation
======== ================================= ============================================= ===========================
tsrsr    Theorem 1                         the companion's form                          :math:`\sqrt{8\log N}`
compressed Theorem 3.2(i), alpha 1/2       (8.29) with at most T rejected rounds         2, for values in [-1, 1]
batched  Theorem 1 in closed form, a = 0.6 Proposition 2 summed over the batches         2 Psi
meanfield Theorem 4.1                      Theorem 4.1 repaired                          mean range of the payoff
wdrbo    Theorem 5, (57)                   Theorem 5 repaired                            2 B
======== ================================= ============================================= ===========================
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from companion.across import gains
from companion.across.forms.every import FORMS
from companion.across.forms.form import Case, Gain, GameUsed
from companion.across.gains import candidates, curves
from companion.across.tried import HORIZONS, gain_at, horizon
from companion.arrays import Floats
from companion.papers.batched.theory import bounds as batched
from companion.papers.compressed.theory import bounds as compressed
from companion.papers.meanfield.theory import bounds as meanfield
from companion.papers.tsrsr.theory import bounds as tsrsr
from companion.papers.wdrbo.theory import bounds as wdrbo
from companion.report.where import Where, stored

PAPERS = ("tsrsr", "compressed", "batched", "meanfield", "wdrbo")
DELTA = 0.1
"""Failure probability, in every bound that has one."""
ALPHA, RATIO, NORM = 0.5, 0.6, 1.0
"""Exponent of the compressed budget; a of the batch sizes (6); Psi and B."""
REGULARISER, RADIUS, LIPSCHITZ = 1.0, 0.1, 1.5
"""lambda, epsilon and the L_t of chapter 5's own numbers."""


@dataclass(frozen=True)
class Setting:
    """A common setting: kernel and dimension of the candidates, noise (standard deviation), batch size of TS-RSR."""

    kernel: str = "se"
    dim: int = 1
    noise: float = 0.1
    batch: int = 5


class Averages(NamedTuple):
    """Bounds on the regret divided by the number of evaluations, at every horizon; NaN where a bound is not stated."""

    printed: Floats
    better: Floats
    trivial: float


FORMS_OF = {
    "tsrsr": ("tsrsr/theorem-1/printed", "tsrsr/our-C/sharper"),
    "compressed": ("compressed/theorem-3.2-i/printed", "compressed/lemma-8.4/sharper"),
    "batched": ("batched/theorem-1/printed", "batched/prop-2/printed"),
    "meanfield": ("meanfield/thm-4.1/printed", "meanfield/thm-4.1/repaired"),
    "wdrbo": ("wdrbo/thm-16/printed", "wdrbo/ours-thm5/repaired"),
}
"""The printed and the better form of every paper, by their ids among :data:`companion.across.forms.every.FORMS`."""


def _case(s: Setting, t: int, curve: Floats, spent: int) -> Case:
    """The setting at the horizon t, of which whole batches fill ``spent``."""
    # The gain of a few more points than were spent is an upper end for them as well.
    gain = partial(_gain, curve, t) if spent < t else partial(gain_at, curve)
    return Case(
        horizon=spent,
        candidates=candidates(s.dim),
        noise=s.noise,
        delta=DELTA,
        gain=gain,
        regularised=gain,
        norm=NORM,
        batch=s.batch,
        alpha=ALPHA,
        ratio=RATIO,
        regulariser=REGULARISER,
        radius=RADIUS,
        lipschitz=LIPSCHITZ,
        game=_game(s.dim, gain),
    )


def _gain(curve: Floats, t: int, points: float) -> float:
    return gain_at(curve, max(points, t))


def _game(dim: int, gain: Gain) -> GameUsed:
    game = games()[dim]
    pieces = meanfield.Pieces(game["actions"], 1, game["a"], game["b"])
    return GameUsed(pieces, gain, game["range"], lambda t: float(game["rounding"][HORIZONS.index(t)]))


def _averages(paper: str, s: Setting, t: int, curve: Floats) -> tuple[float, float]:
    """Both forms divided by the number of evaluations; NaN where they are not stated."""
    spent = t // s.batch * s.batch if paper == "tsrsr" else t
    if not spent or (paper == "batched" and t < 3):
        return math.nan, math.nan
    case = _case(s, t, curve, spent)
    printed, better = (FORMS[name].value(case) / spent for name in FORMS_OF[paper])
    return printed, better


def trivial(paper: str, dim: int) -> float:
    """The most that an evaluation can cost, as the chapter has it."""
    if paper == "tsrsr":
        return tsrsr.trivial_bound(candidates(dim), 1)
    if paper == "compressed":
        return float(compressed.trivial_bound([-1.0, 1.0], 1))
    return float(games()[dim]["range"]) if paper == "meanfield" else batched.trivial_bound(1, NORM)


def averages(paper: str, setting: Setting) -> Averages:
    """Both forms of a paper's bound, over T, at :data:`~companion.across.gains.HORIZONS`.

    Parameters
    ----------
    paper : one of :data:`PAPERS`
    setting : the kernel plays no part in the mean-field game, whose own is squared exponential; the batch size is TS-RSR's
    """
    # Chapter 5 takes the information gain at its regulariser, whatever the noise.
    noise = math.sqrt(REGULARISER) if paper == "wdrbo" else setting.noise
    curve = curves()["game" if paper == "meanfield" else setting.kernel, setting.dim, noise]
    printed, better = np.transpose([_averages(paper, setting, t, curve) for t in HORIZONS])
    return Averages(printed, better, trivial(paper, setting.dim))


def horizons(paper: str, setting: Setting) -> tuple[float, float]:
    """From which horizon on the printed and the better form say something."""
    found = averages(paper, setting)
    return horizon(found.printed, found.trivial), horizon(found.better, found.trivial)


@lru_cache(maxsize=1)
def games() -> dict[int, dict[str, Any]]:
    """Constants of the mean-field games by dimension; ``rounding`` is a list over the horizons."""
    rows = gains.load().tables["games"]
    return {
        int(dim): {
            "actions": int(part.actions.iloc[0]),
            **{name: float(part[name].iloc[0]) for name in ("a", "b", "range")},
            "rounding": part.rounding.tolist(),
        }
        for dim, part in rows.groupby("dim")
    }


def where() -> Where:
    """Where the gains and the games' constants come from."""
    return stored(gains.load().record.to_dict(), gains.store, whole=True)


def record() -> tuple[dict[str, Any], Where]:
    """For the figure to drag: the gains, and what else the bounds need that a page does not compute."""
    data = {
        "horizons": HORIZONS,
        "candidates": {dim: candidates(dim) for dim in gains.POINTS},
        "games": games(),
        "gains": {f"{kernel} {dim} {noise:g}": curve.tolist() for (kernel, dim, noise), curve in curves().items()},
        "logarithm": wdrbo.CONDITIONAL_MEAN,
    }
    return data, where()
