"""Statements: the class of acquisition functions, its size (Lemma 23), and the explicit bounds of ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from scipy import stats

from companion.checks.cases import Case, agrees, at_most, none_of, probability
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.gp import SquaredExponential, grid
from companion.information import greedy_gain
from companion.papers.wdrbo.checks.lipschitz_band import CHECKED
from companion.papers.wdrbo.checks.setting_band import band_games
from companion.papers.wdrbo.theory import covering
from companion.papers.wdrbo.theory.runs import Game, mean_norms, play, replay

# -- the class ---------------------------------------------------------------------------------------------------------


def class_games() -> tuple[Game, ...]:
    """Runs with kernels that qualify, lambda from 0.01 to 4, one of them equal to 1."""
    return tuple(game for game in band_games() if math.isfinite(game.lipschitz))


#: A multiple of b that beta may take where it has no bound from below, as printed.
UNBOUNDED = -1e6


@statement(
    "class-U",
    "construction",
    class_games,
    need("Assumption 1", lambda game: math.isfinite(game.lipschitz), Game(kernel="matern12")),
    teeth={
        "b = the bound on the norm": {"power": 1.0},
        "beta unbounded below": {"lower": UNBOUNDED},
        "beta at least 0, so that -h is missing": {"lower": 0.0},
        "half of m": {"scale": 0.5},
    },
    depends="lemma-3",
    corrected=fix(
        r"$\abs{\beta}\le b$ in the definition, and the class $\mathcal U(\bar B_t,\beta_t,\lambda)$, which contains "
        r"$\mathrm{UCB}_t$ for every $\lambda$ and consists of $2\bar B_tL$-Lipschitz functions",
        power=0.0,
        lower=-1.0,
    ),
)
def class_U(game: Game, *, power: float = 1.0, lower: float = UNBOUNDED, scale: float = 1.0) -> Iterator[Case]:
    r"""$\mathcal U(m,b,s)=\{\mu+\beta\sigma:\norm{\mu}_k\le m,\beta\le b,\sigma=\norm{\mathcal
    Mk(\cdot,z)}_k,\norm{\mathcal M}_{op}\le s^{-1/2}\}$ contains $\mathrm{UCB}_t$ for $m=b=\bar B_t$, $s=\lambda$

    Members are :math:`\mu+\beta\sigma` with :math:`\|\mu\|_k\le m`, :math:`\sigma(z)=\|\mathcal Mk(\cdot,z)\|`,
    :math:`\|\mathcal M\|\le s^{-1/2}`. Checked at five rounds: the norm of the posterior mean (except with probability
    delta), :math:`\beta_t\le b`, :math:`\sigma_{t-1}\le\lambda^{-1/2}`; that members are bounded (else no covering number is
    finite), that :math:`-h` is one with h (Lemma 19), and that all are :math:`2\bar B_tL`-Lipschitz (Lemma 7). b is
    :math:`\beta_t\lambda^{-p/2}`, which is :math:`\bar B_t` as printed for p = 1; ``lower`` is in units of b.
    """
    found, rounds = play(game), tuple(t for t in CHECKED if t <= game.horizon)
    beta = found.beta[:, [t - 1 for t in rounds]]
    norm = beta / math.sqrt(game.lam)
    largest = beta / math.sqrt(game.lam) ** power
    norms = np.stack([mean_norms(found, t) for t in rounds], axis=1)
    failures = int((norms > scale * norm * (1 + 1e-9)).any(axis=1).sum())
    yield probability(failures, game.runs, game.delta, f"{game.where}: norm of the mean")
    at = np.unravel_index(int(np.argmax(beta / largest)), beta.shape)
    yield at_most(float(beta[at]), float(largest[at]), f"{game.where}: beta")
    yield at_most(_largest_width(game, rounds), 1.0 / math.sqrt(game.lam), f"{game.where}: operator norm")
    yield at_most(max(1.0, -lower), 1.0, f"{game.where}: bounded")
    yield at_most(1.0, -lower, f"{game.where}: closed under the change of sign")
    steepest = norm + largest / math.sqrt(game.lam)
    at = np.unravel_index(int(np.argmax(steepest / norm)), norm.shape)
    yield at_most(game.lipschitz * float(steepest[at]), 2 * game.lipschitz * float(norm[at]), f"{game.where}: slope")


@cache
def _largest_width(game: Game, rounds: tuple[int, ...]) -> float:
    return max(float(sd.max()) for _, _, sd in replay(play(game), rounds))


# -- covers ------------------------------------------------------------------------------------------------------------


class Cover(Instance):
    """The class on the unit cube with the SE kernel: dimension, length-scale, s, m, b and the precision rho."""

    dim: int
    lengthscale: float
    lam: float
    mean_norm: float
    width: float
    rho: float

    words = "SE, d = {dim}, length-scale {lengthscale:g}, s = {lam:g}, m = {mean_norm:g}, b = {width:g}, rho = {rho:g}"

    @property
    def scaled(self) -> float:
        """b / sqrt(s)."""
        return self.width / math.sqrt(self.lam)

    @property
    def degree(self) -> int:
        """Degree of the features that the precision asks for."""
        return covering.degree_for(self.rho / (4 * max(self.mean_norm, self.scaled)), self.lengthscale, self.dim)

    def upper(self, degree: int | None = None) -> float:
        """The explicit bound on the logarithm of the covering number."""
        law = (self.rho, self.mean_norm, self.width, self.lam, self.lengthscale, self.dim)
        return covering.log_covering(*law, degree)

    def typed(self) -> float:
        """The same bound with its degree found by trying and everything typed from the statement."""
        squared, target = self.dim / (4.0 * self.lengthscale**2), self.rho / 4.0
        degree = next(
            n for n in range(10_000) if max(self.mean_norm, self.scaled) * stats.poisson.sf(n, squared) ** 0.5 <= target
        )
        features = math.comb(degree + self.dim, self.dim)
        linear = features * math.log(1.0 + 8.0 * self.mean_norm / self.rho)
        return math.log(2.0) + linear + features * (features + 1) / 2.0 * math.log(1.0 + 8.0 * self.scaled / self.rho)

    def left_out(self, degree: int) -> float:
        """Largest error of a member when features beyond ``degree`` are left out, measured on the grid."""
        squared = np.sum((_cube(self.dim) - 0.5) ** 2, axis=1) / self.lengthscale**2
        # e^-u sum_{n <= N} u^n / n!, summed as it stands.
        term, total = np.exp(-squared), np.zeros_like(squared)
        for n in range(degree + 1):
            total += term
            term = term * squared / (n + 1)
        rest = np.sqrt(np.maximum(1.0 - total, 0.0)).max()
        return float((self.mean_norm + self.scaled) * rest)

    def volume(self) -> float:
        r"""Lower bound on the logarithm of the covering number, from volumes and from an interval.

        Functions of norm at most m on n points, in the root mean square, fill an ellipsoid with half-axes :math:`m\sqrt{
        \lambda_j(K/n)}`, and the maximum norm is at least the root mean square: :math:`\sum_j\log^+(m\sqrt{\lambda_j}/\rho)`.
        The multiples of one width fill an interval: :math:`\log(bs^{-1/2}/\rho)`.
        """
        axes = self.mean_norm * _half_axes(self.dim, self.lengthscale) / self.rho
        return max(float(np.log(np.maximum(axes, 1.0)).sum()), math.log(self.scaled / self.rho))


def _cube(dim: int) -> Floats:
    """A grid of the unit cube, corners included."""
    return grid({1: 201, 2: 21, 3: 8}[dim], dim)


@cache
def _half_axes(dim: int, lengthscale: float) -> Floats:
    covariance = SquaredExponential(lengthscale)(_cube(dim))
    return np.asarray(np.sqrt(np.maximum(np.linalg.eigvalsh(covariance) / len(covariance), 0.0)))


@cache
def _greedy(dim: int, lengthscale: float, lam: float) -> Floats:
    """Log determinants of greedy designs of 1, 2, ..., 200 points."""
    return 2.0 * greedy_gain(SquaredExponential(lengthscale)(_cube(dim)), 200, lam).gains


def covers() -> Iterator[Cover]:
    """One to three dimensions, three length-scales, small and large classes, coarse and fine precision."""
    for dim, lengthscale in ((1, 0.1), (1, 0.3), (2, 0.3), (2, 1.0), (3, 0.6)):
        for lam, mean_norm, width in ((0.25, 1.0, 1.0), (0.9, 5.0, 20.0), (0.01, 1.0, 0.1)):
            for rho in (0.1, 0.001):
                yield Cover(dim, lengthscale, lam, mean_norm, width, rho)


# -- Lemma 23 ----------------------------------------------------------------------------------------------------------


def without_width(cover: Cover, power: int) -> Iterator[Case]:
    r"""As printed, the right side does not know b: for every constant there is a b that exceeds it.

    The multiples of one width alone need :math:`\log(bs^{-1/2}/\rho)`. Four constants up to a million, in logarithms.
    """
    right = _right(cover, 1.0, cover.rho, power)
    for constant in (1.0, 1e2, 1e4, 1e6):
        log_width = 1.01 * constant * right
        left = log_width - 0.5 * math.log(cover.lam) - math.log(cover.rho)
        yield at_most(left, constant * right, f"{cover.where}: constant {constant:g}, log b = {log_width:.3g}")


def with_width(cover: Cover, power: int) -> Iterator[Case]:
    r"""With :math:`\log\frac b\rho` in the second term a constant fitted to moderate classes covers our explicit bound.

    Also for classes that are larger, and precisions that are finer, by more than 100 orders of magnitude.
    """
    # The constant of the dimension, s and length-scale: what moderate classes need.
    scales = [(10.0**a, 10.0**-p) for a in range(4) for p in range(1, 9)]
    constant = max(_upper(cover, b, rho) / _right(cover, b, rho, power) for b, rho in scales)
    for width, rho in ((cover.width, cover.rho), (1e3, 1e-12), (1e20, 1e-30), (1e50, 1e-100), (1e100, 1e-150)):
        right = constant * _right(cover, width, rho, power)
        yield at_most(_upper(cover, width, rho), right, f"{cover.where}: b = {width:g}, rho = {rho:g}")
        yield at_most(math.log(width / math.sqrt(cover.lam) / rho), right, f"{cover.where}: interval, b = {width:g}")


def _upper(cover: Cover, width: float, rho: float) -> float:
    return covering.log_covering(rho, cover.mean_norm, width, cover.lam, cover.lengthscale, cover.dim)


def _right(cover: Cover, width: float, rho: float, power: int) -> float:
    first = (1.0 + math.log(cover.mean_norm / rho)) ** (1 + cover.dim)
    return first + (1.0 + math.log(max(1.0, width) / rho)) ** (1 + power * cover.dim)


@statement(
    "lemma-23",
    "inequality",
    covers,
    need(r"$0<s<1$", lambda cover: 0 < cover.lam < 1, Cover(1, 0.3, 1.0, 1.0, 1.0, 0.1)),
    teeth={"the second term without b": {"cases": without_width}, "exponent 1 + d in the second term": {"power": 1}},
    depends="class-U",
    corrected=fix(
        r"$\log\frac b\rho$ in the second term, and $\kappa$ may depend on $d$, $s$, the length-scale and the domain",
        cases=with_width,
    ),
)
def lemma_23(
    cover: Cover, *, cases: Callable[[Cover, int], Iterator[Case]] = without_width, power: int = 2
) -> Iterator[Case]:
    r"""There is a global $\kappa$: $\log\mathcal N_\infty(\rho,\mathcal U(m,b,s))\le\kappa(1+\log\frac
    m\rho)^{1+d}+\kappa(1+\log\frac1\rho)^{1+2d}$ for $0<s<1$

    ``power`` is the multiple of d in the second exponent.
    """
    return cases(cover, power)


# -- ours --------------------------------------------------------------------------------------------------------------


@statement(
    "ours-cover",
    "inequality",
    covers,
    teeth={
        "half of the degree": {"share": 0.5},
        "no term for what the features leave out": {"tail": False},
        "one coefficient in place of all": {"degree": 0},
    },
    depends="class-U",
)
def ours_cover(cover: Cover, *, share: float = 1.0, tail: bool = True, degree: int | None = None) -> Iterator[Case]:
    r"""$J_N=\binom{N+d}d$, $\tau_N^2=\Pr(\mathrm{Poisson}(\frac d{4\ell^2})>N)$, $\max(m,bs^{-1/2})\tau_N\le\frac\rho4$:
    $\log\mathcal N_\infty\le\log2+J_N\log(1+\frac{8m}\rho)+\frac{J_N(J_N+1)}2\log(1+\frac{8bs^{-1/2}}\rho)$, and
    $\log\det(I+\lambda^{-1}K_T)\le\min_N[J_N\log(1+\frac T{\lambda J_N})+\frac T\lambda\tau_N^2]$

    The error of the features, measured on a grid, is at most :math:`\rho/2`; a lower bound on the covering number, from
    volumes, lies below the upper one; and the log determinant of greedy designs of 1 to 200 points lies below its bound.
    """
    yield at_most(cover.left_out(int(share * cover.degree)), cover.rho / 2, f"{cover.where}: features")
    yield agrees(cover.upper(), cover.typed(), cover.where)
    yield at_most(cover.volume(), cover.upper(degree), f"{cover.where}: volume")
    gains = _greedy(cover.dim, cover.lengthscale, cover.lam)
    sizes = (1, 5, 25, 200)
    limits = np.array([covering.log_det(t, cover.lam, cover.lengthscale, cover.dim, tail) for t in sizes])
    exceeded = gains[np.array(sizes) - 1] > limits * (1 + 1e-9)
    yield none_of(int(exceeded.sum()), len(sizes), f"{cover.where}: log determinant of 1, 5, 25, 200 points")
