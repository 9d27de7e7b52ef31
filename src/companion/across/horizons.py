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
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from companion.across import gains
from companion.across.gains import HORIZONS, candidates, curves, gain_at
from companion.arrays import Floats
from companion.bounds.confidence import UnionBoundWidth
from companion.papers.batched.method.sizes import power_sizes
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


def _tsrsr(s: Setting, t: int, curve: Floats) -> tuple[float, float]:
    rounds = t // s.batch
    if not rounds:
        return math.nan, math.nan
    # The gain of a few more points is an upper end for whole batches as well.
    given = (candidates(s.dim), rounds, s.batch, s.noise**2, gain_at(curve, t))
    spent = rounds * s.batch
    return tsrsr.theorem1(*given) / spent, tsrsr.theorem1_sharp(*given) / spent


def _compressed(s: Setting, t: int, curve: Floats) -> tuple[float, float]:
    beta, gain = float(compressed.finite_beta(t, candidates(s.dim), DELTA)), gain_at(curve, t)
    budget = 0.5 * math.log1p(t**-ALPHA)
    printed = compressed.theorem_32(t, beta, s.noise**2, gain, ALPHA)
    return float(printed) / t, float(compressed.root_bound(t, beta, s.noise**2, gain, t * budget)) / t


def _batched(s: Setting, t: int, curve: Floats) -> tuple[float, float]:
    if t < 3:
        return math.nan, math.nan
    sizes = power_sizes(t, RATIO)
    width = UnionBoundWidth(NORM, candidates(s.dim), len(sizes), DELTA).width()
    summed = batched.batch_bounds(sizes, [gain_at(curve, size) for size in sizes], width, s.noise).sum()
    return batched.theorem1_closed(t, RATIO, gain_at(curve, t), width, s.noise) / t, float(summed) / t


def _meanfield(s: Setting, t: int, curve: Floats) -> tuple[float, float]:
    game, gain = games()[s.dim], gain_at(curve, t)
    pieces = meanfield.Pieces(game["actions"], 1, game["a"], game["b"])
    # corrected_bound, whose sum over all rounds is stored: it does not depend on the noise.
    explored = math.sqrt(pieces.beta(t, "corrected") * t * meanfield.gain_factor(1.0, s.noise**2) * gain)
    corrected = meanfield.Bound(game["rounding"][HORIZONS.index(t)], math.pi**2 / 6.0, explored)
    return meanfield.printed_bound(pieces, t, s.noise**2, gain).total / t, corrected.total / t


def _wdrbo(s: Setting, t: int, curve: Floats) -> tuple[float, float]:
    log_det, paid = 2.0 * gain_at(curve, t), 2.0 * RADIUS * LIPSCHITZ * t
    beta = float(wdrbo.width(log_det, s.noise, NORM, REGULARISER, DELTA))
    printed, ours = (
        wdrbo.cumulative(beta, t, log_det, REGULARISER, DELTA, paid, form) for form in ("appendix", "ours")
    )
    return float(printed) / t, float(ours) / t


_BOUNDS = {"tsrsr": _tsrsr, "compressed": _compressed, "batched": _batched, "meanfield": _meanfield, "wdrbo": _wdrbo}


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
    printed, better = np.transpose([_BOUNDS[paper](setting, t, curve) for t in HORIZONS])
    return Averages(printed, better, trivial(paper, setting.dim))


def horizon(values: Floats, level: float) -> float:
    """The first horizon from which on a bound stays below a level; infinite where there is none among those tried."""
    above = np.flatnonzero(~(values < level))
    first = int(above[-1]) + 1 if above.size else 0
    return float(HORIZONS[first]) if first < len(HORIZONS) else math.inf


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
