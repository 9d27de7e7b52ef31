"""Statement: Lemma 3, the norm of the posterior mean and the Lipschitz constants of mean, width and acquisition."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from companion.checks.cases import Case, at_most, probability
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.gp import kernel_by_name
from companion.papers.wdrbo.checks.setting_band import band_games
from companion.papers.wdrbo.method.inner import lipschitz_constant
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.games import TITLES, kernel_lipschitz
from companion.papers.wdrbo.theory.runs import Game, mean_norms, play, points_of, replay

#: Rounds in which norms and slopes are computed.
CHECKED = (1, 2, 5, 15, 40)


@dataclass(frozen=True)
class OneDatum:
    """f = -B k(z_0, .) observed once at z_0 with hardly any noise: where the slopes come close to their bounds.

    Slopes are taken between points on a fine line through z_0.
    """

    kernel: str
    lengthscale: float
    lam: float
    dim: int = 1
    noise: float = 1e-9
    norm: float = 1.0
    delta: float = 0.1

    @property
    def where(self) -> str:
        """The datum in words."""
        scale = f"length-scale {self.lengthscale:g}"
        return f"{TITLES[self.kernel]}, d = {self.dim}, {scale}, one datum, lambda = {self.lam:g}"


@dataclass(frozen=True, eq=False)
class Sides:
    """Quantities of Lemma 3, per run and checked round, (runs, rounds).

    Parameters
    ----------
    log_det : log det(I + K_{t-1} / lambda)
    norms : of the posterior mean
    mean_slope, width_slope, upper_slope : largest slopes of mu, of sigma, and of mu + beta sigma
    """

    log_det: Floats
    norms: Floats
    mean_slope: Floats
    width_slope: Floats
    upper_slope: Floats


def _slopes(mean: Floats, sd: Floats, beta: Floats, points: Floats) -> tuple[Floats, Floats, Floats]:
    return (
        lipschitz_constant(mean, points),
        lipschitz_constant(sd, points),
        lipschitz_constant(mean + beta[:, None] * sd, points),
    )


@cache
def _sides(band: OneDatum | Game) -> Sides:
    if isinstance(band, OneDatum):
        return _one_datum(band)
    found, points = play(band), points_of(band)
    rounds = tuple(t for t in CHECKED if t <= band.horizon)
    slopes = [_slopes(mean, sd, found.beta[:, t - 1], points) for t, mean, sd in replay(found, rounds)]
    norms = np.stack([mean_norms(found, t) for t in rounds], axis=1)
    stacked = [np.stack(part, axis=1) for part in zip(*slopes, strict=True)]
    return Sides(found.log_det[:, [t - 1 for t in rounds]], norms, *stacked)


def _one_datum(datum: OneDatum) -> Sides:
    # Steps of a thirtieth of the length-scale from z_0 along the diagonal.
    line = np.linspace(0.0, datum.lengthscale, 31)[:, None] * np.full(datum.dim, 1.0 / math.sqrt(datum.dim))
    covariance = kernel_by_name(datum.kernel, datum.lengthscale)(line, line[:1])[:, 0]
    shrink = 1.0 / (1.0 + datum.lam)
    mean = -datum.norm * shrink * covariance
    sd = np.sqrt((1.0 - shrink * covariance**2) / datum.lam)
    log_det = np.array([math.log1p(1.0 / datum.lam)])
    beta = bounds.width(log_det, datum.noise, datum.norm, datum.lam, datum.delta)
    slopes = [part[:, None] for part in _slopes(mean[None], sd[None], beta, line)]
    return Sides(log_det[:, None], np.array([[datum.norm * shrink]]), *slopes)


def lipschitz_bands() -> Iterator[OneDatum | Game]:
    """One datum of three kernels at small regularisers, and the runs of Algorithm 1 with kernels that qualify."""
    for kernel in ("se", "matern32", "matern52"):
        for lam, dim in ((1e-4, 1), (0.01, 2), (4.0, 1)):
            yield OneDatum(kernel, 0.3, lam, dim)
    yield from (game for game in band_games() if math.isfinite(game.lipschitz))


printed_simple = partial(bounds.mean_norm_printed, unchecked=True)


@statement(
    "lemma-3",
    "inequality",
    lipschitz_bands,
    need(
        "Assumption 1",
        lambda band: math.isfinite(kernel_lipschitz(band.kernel, band.lengthscale)),
        OneDatum("matern12", 0.3, 0.01),
    ),
    need(r"$\lambda>0$", lambda band: band.lam > 0, OneDatum("se", 0.3, 0.0)),
    teeth={
        "(b) as printed, B inside the bracket": {"simple": printed_simple},
        "(ii) without the root of lambda": {"scaled": False},
        "(iii) without the factor 2": {"doubled": 1.0},
        "0.9 B": {"bias": 0.9},
        "without the part for the noise": {"noise": 0.0},
    },
    depends="lemma-1 assump-1",
    corrected=fix(
        r"(b) reads $\bar B_t\le\lambda^{-1/2}R(\sqrt{2\log\frac1\delta}+\sqrt{\gamma_t})+B$; as printed it is too "
        r"small for $\lambda>1$",
        simple=bounds.mean_norm_simple,
    ),
)
def lemma_3(
    band: OneDatum | Game,
    *,
    simple: Callable[..., Floats] = printed_simple,
    bias: float = 1.0,
    noise: float = 1.0,
    scaled: bool = True,
    doubled: float = 2.0,
) -> Iterator[Case]:
    r"""With probability $1-\delta$, for all $t$: (a) $\norm{\mu_{t-1}}_k\le\bar B_t$, (b) $\bar
    B_t\le\lambda^{-1/2}(R\sqrt{2\log\frac1\delta}+R\sqrt{2\gamma_t}+B)$, (i) $\mu_{t-1}$ is $\bar B_tL$-Lipschitz,
    (ii) $\beta_t\sigma_{t-1}$ is $\beta_t\lambda^{-1/2}L$-Lipschitz, (iii) $\mathrm{UCB}_t$ is $2\bar B_tL$-Lipschitz

    With :math:`\bar B_t=\lambda^{-1/2}R\sqrt{\log\det(I+\lambda^{-1}K_{t-1})+2\log\frac1\delta}+B`; (a), (i) and (iii) on one
    event of probability :math:`1-\delta`, (b) and (ii) surely.
    In (b) the realised log determinant stands for the gain, which is at least as large.
    """
    sides, steep = _sides(band), kernel_lipschitz(band.kernel, band.lengthscale)
    law = (band.noise, band.norm, band.lam, band.delta)
    yield _tightest(bounds.mean_norm(sides.log_det, *law), simple(sides.log_det, *law), f"{band.where}: (b)")
    norm = bounds.mean_norm(sides.log_det, noise * band.noise, bias * band.norm, band.lam, band.delta)
    slope = steep / (math.sqrt(band.lam) if scaled else 1.0)
    yield _tightest(sides.width_slope, np.full_like(sides.width_slope, slope), f"{band.where}: (ii)")
    parts = {
        "(a)": (sides.norms, norm),
        "(i)": (sides.mean_slope, steep * norm),
        "(iii)": (sides.upper_slope, doubled * steep * norm),
    }
    for name, (left, right) in parts.items():
        where = f"{band.where}: {name}"
        if isinstance(band, OneDatum):
            yield _tightest(left, right, where)
        else:
            failures = int((left > right * (1.0 + 1e-9)).any(axis=1).sum())
            yield probability(failures, band.runs, band.delta, where)


def _tightest(left: Floats, right: Floats, where: str) -> Case:
    """left <= right at the entry where their quotient is largest."""
    at = np.unravel_index(int(np.argmax(left / right)), left.shape)
    return at_most(float(left[at]), float(right[at]), where)
