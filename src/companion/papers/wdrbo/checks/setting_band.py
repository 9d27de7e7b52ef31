"""Statements: the confidence band (Lemma 1) and the sum of the widths (the information gain of Section 3.2)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from companion.checks.cases import Case, agrees, at_most, equal, none_of, probability
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.information import gain_bracket
from companion.information.gain import gain_by_determinant
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.runs import Game, Runs, covariance_of, play, stream_of

#: Runs enough for a rate twice too high to be rejected with probability 0.9 at delta = 0.1.
ROUNDS, RUNS = 40, 220


@dataclass(frozen=True)
class OneArm:
    """f = 0 observed again and again at one point, where the band is nearly as narrow as it may be.

    Then :math:`\\mu_t=S_t/(t+\\lambda)`, :math:`\\sigma_t^2=1/(t+\\lambda)`, log determinant :math:`\\log(1+t/\\lambda)`.
    """

    lam: float
    noise: float
    law: str = "normal"
    delta: float = 0.1
    horizon: int = 3000
    runs: int = 2000
    norm: float = 1e-9

    @property
    def where(self) -> str:
        """The arm in words."""
        kind = "Gaussian" if self.law == "normal" else "random signs"
        return (
            f"one arm, f = 0, {kind}, lambda = {self.lam:g}, R = {self.noise:g}, T = {self.horizon}, {self.runs} paths"
        )


@lru_cache(maxsize=2)
def misses_of(arm: OneArm | Game) -> tuple[Floats, Floats]:
    """(runs, T) largest |mu_{t-1} - f| / sigma_{t-1} over the points; log determinants before round t, (runs or 1, T)."""
    if isinstance(arm, Game):
        found = play(arm)
        return found.band * found.beta, found.log_det
    generator = stream(0, "wdrbo", "statements", "one arm", arm.law, f"{arm.lam:g}")
    shape = (arm.runs, arm.horizon)
    noise = generator.standard_normal(shape) if arm.law == "normal" else generator.choice(np.array([-1.0, 1.0]), shape)
    total, count = arm.noise * np.cumsum(noise, axis=1), np.arange(1, arm.horizon + 1)
    return np.abs(total) / np.sqrt(count + arm.lam), np.log1p(count / arm.lam)[None, :]


def band_games() -> tuple[Game, ...]:
    """Algorithm 1 itself: four kernels, one and two context dimensions, lambda from 0.01 to 4, loud and faint noise."""
    common: dict[str, Any] = {"horizon": ROUNDS, "runs": RUNS, "truth": "centre"}
    return (
        Game(**common),
        Game(kernel="matern12", lam=0.05, noise=0.5, norm=0.2, **common),
        Game(kernel="matern32", lam=4.0, noise=1.0, norm=0.05, law="sign", **common),
        Game(kernel="matern52", lam=0.01, decisions=6, contexts=4, context_dim=2, noise=0.1, **common),
        Game(kernel="se", lam=0.25, noise=0.5, setting="data", radius=0.3, decay=0.5, horizon=ROUNDS, runs=RUNS),
    )


def bands() -> Iterator[OneArm | Game]:
    """One arm, the runs of Algorithm 1, and independent arms with hardly any noise."""
    yield OneArm(1.0, 1.0)
    yield OneArm(1.0, 0.3, "sign", 0.2)
    yield OneArm(0.01, 1.0)
    yield Game(
        kernel="independent", decisions=30, contexts=1, noise=1e-9, function="last", radius=0.0, horizon=5, runs=220
    )
    yield from band_games()


@statement(
    "lemma-1",
    "probability",
    bands,
    need(r"$\lambda>0$", lambda band: band.lam > 0, OneArm(0.0, 1.0)),
    need(r"$0<\delta<1$", lambda band: 0 < band.delta < 1, OneArm(1.0, 1.0, delta=1.0)),
    teeth={
        "0.9 of the width": {"scale": 0.9},
        "log(1/delta) once": {"logarithm": 1.0},
        "half the log determinant": {"volume": 0.5},
        "without the part for the norm": {"bias": 0.0},
    },
    depends="eq-22 eq-24",
)
def lemma_1(
    band: OneArm | Game, *, scale: float = 1.0, bias: float = 1.0, logarithm: float = 2.0, volume: float = 1.0
) -> Iterator[Case]:
    r"""With probability $1-\delta$, for all $z$ and $t\ge1$: $\abs{\mu_{t-1}(z)-f(z)}\le\beta_t\sigma_{t-1}(z)$,
    $\beta_t=R\sqrt{\log\det(I+\lambda^{-1}K_{t-1})+2\log\frac1\delta}+\sqrt\lambda B$

    A run fails if the band is left at any candidate in any round. The width is typed here, and the package's, by which
    the algorithm plays, is compared with the printed one.
    """
    misses, log_det = misses_of(band)
    largest = float(log_det.max())
    # independent check: (7) as printed
    printed = band.noise * math.sqrt(largest + 2.0 * math.log(1.0 / band.delta)) + math.sqrt(band.lam) * band.norm
    yield agrees(float(bounds.width(largest, band.noise, band.norm, band.lam, band.delta)), printed, band.where)
    root = np.sqrt(volume * log_det + logarithm * math.log(1.0 / band.delta))
    allowed = scale * (band.noise * root + bias * math.sqrt(band.lam) * band.norm)
    failures = int((misses > allowed * (1.0 + 1e-9)).any(axis=1).sum())
    yield probability(failures, band.runs, band.delta, band.where)


# -- information gain --------------------------------------------------------------------------------------------------


def gain_games() -> tuple[Game, ...]:
    """Few runs of several kernels, and one round of each."""
    common: dict[str, Any] = {"horizon": 20, "runs": 5, "truth": "centre"}
    games = [
        Game(**common),
        Game(kernel="matern12", lam=0.05, **common),
        Game(kernel="matern32", lam=4.0, decisions=6, contexts=4, context_dim=2, **common),
        Game(kernel="matern52", lam=0.01, decisions=5, contexts=5, decision_dim=2, **common),
        Game(kernel="independent", decisions=30, contexts=1, function="last", radius=0.0, lam=0.1, horizon=20, runs=5),
    ]
    return (*games, Game(horizon=1, runs=5), Game(kernel="matern32", lam=0.01, horizon=1, runs=5))


@cache
def largest_log_det(game: Game, count: int) -> float:
    r"""Certified upper end of :math:`\Gamma_n=\sup\log\det(I+\lambda^{-1}K_n)` over n points of the game's grid."""
    return 2.0 * gain_bracket(covariance_of(game), count, game.lam).upper if count else 0.0


def _sampled(game: Game) -> tuple[Runs, Floats]:
    """The runs, and the log determinants of their designs from a determinant."""
    found = play(game)
    covariance = covariance_of(game)
    grams = covariance[found.points[:, :, None], found.points[:, None, :]]
    return found, 2.0 * gain_by_determinant(grams, game.lam)


@statement(
    "def-gamma",
    "identity",
    gain_games,
    teeth={"the paper's index, one point less": {"index": -1}, "widths in place of their squares": {"square": 1.0}},
    depends="eq-24",
)
def def_gamma(game: Game, *, square: float = 2.0, index: int = 0) -> Iterator[Case]:
    r"""$\sum_{t\le
    T}\log(1+\sigma_{t-1}^2(z_t))=\log\det(I+\lambda^{-1}K_T)\le\Gamma_T:=\sup_{z_1..z_T}\log\det(I+\lambda^{-1}K_T)$,
    which is the paper's $\gamma_{T+1}$

    Left of the identity from the widths seen, right from a determinant; :math:`\Gamma_T` is the certified upper end.
    """
    found, determinants = _sampled(game)
    sums = np.log1p(found.seen_square ** (square / 2.0)).sum(axis=1)
    worst = int(np.argmax(np.abs(sums - determinants)))
    yield equal(float(sums[worst]), float(determinants[worst]), f"{game.where}: log determinant")
    most = largest_log_det(game, game.horizon + index)
    yield at_most(float(sums.max()), most, f"{game.where}: maximum")
    random = stream_of(game, "designs").integers(game.size, size=(200, game.horizon))
    grams = covariance_of(game)[random[:, :, None], random[:, None, :]]
    designs = 2.0 * gain_by_determinant(grams, game.lam)
    yield none_of(int((designs > most * (1 + 1e-9)).sum()), len(designs), f"{game.where}: 200 random designs")
