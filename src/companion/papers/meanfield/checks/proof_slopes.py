"""Statements of Appendix A.1 on slopes: the mean of the largest one, and what the payoff changes by rounding."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from operator import attrgetter

import numpy as np
from scipy import special

from companion.checks.cases import Case, at_most
from companion.checks.instance import Instance
from companion.checks.statement import fix, need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.papers.meanfield.checks.proof_gaussian import largest_gaussian
from companion.papers.meanfield.theory.bounds import Pieces
from companion.papers.meanfield.theory.runs import STANDARD, Game
from companion.papers.meanfield.theory.smoothness import TailConstants, check_tail

# -- paths -------------------------------------------------------------------------------------------------------------


class Linear(Instance):
    r"""The path :math:`f(\xi)=\sqrt s\,W^\top\xi` with n independent standard normal slopes W.

    Assumption 3.1 holds with a and b = 2s for a = 1 and a = 2: a slope exceeds L with probability
    :math:`\operatorname{erfc}(L/\sqrt{2s})\le e^{-L^2/(2s)}`.
    """

    actions: int
    contexts: int
    scale: float
    a: float = 2.0
    b_factor: float = 2.0

    words = "linear path, |A| = {actions}, |C| = {contexts}, variance of a slope {scale:g}, a = {a:g}"

    @property
    def pieces(self) -> Pieces:
        """Constants of the theorem for this path."""
        return Pieces(self.actions, self.contexts, self.a, self.b_factor * self.scale)

    @property
    def mean_slope(self) -> float:
        r"""E L_max = :math:`\sqrt s\,\E\max_i|W_i|`."""
        return math.sqrt(self.scale) * largest_gaussian(math.log(self.actions * self.contexts), absolute=True)

    @property
    def has_the_tail(self) -> bool:
        """Whether the tail of a slope is below a exp(-L^2/b), at 400 levels."""
        level = np.linspace(0.0, 8.0, 400) * math.sqrt(self.scale)
        tail = special.erfc(level / math.sqrt(2.0 * self.scale))
        return bool(np.all(tail <= self.a * np.exp(-(level**2) / (self.b_factor * self.scale))))


class Smooth(Instance, words="{game.where}, scaled to variance {scale:g}"):
    """Paths of a game's prior, scaled to another variance, with the constants of Assumption 3.1 from simulated slopes."""

    game: Game
    scale: float

    @property
    def pieces(self) -> Pieces:
        """Constants of the theorem for these paths; b grows with the variance."""
        found = self.game.pieces()
        return Pieces(found.actions, found.contexts, found.a, self.scale * found.b)

    @property
    def suprema(self) -> Floats:
        """Largest slopes of the unscaled paths in one coordinate, (4000,); not the paths that gave the constants."""
        return _suprema(self.game)

    @property
    def mean_slope(self) -> float:
        """Mean of the largest slope in one coordinate, which is at most E L_max."""
        return math.sqrt(self.scale) * float(self.suprema.mean())

    @property
    def has_the_tail(self) -> bool:
        """Whether the tail of the simulated slopes is below a exp(-L^2/b), at 50 levels."""
        found = self.game.pieces()
        return check_tail(self.suprema, TailConstants(found.a, found.b)).ratio <= 1.0


@cache
def _suprema(game: Game) -> Floats:
    return game.derivative_suprema(stream(1, "meanfield", "statements", "suprema", game.where), 4000)


def slopes() -> Iterator[Linear | Smooth]:
    """Linear paths from one coordinate to two hundred, nearly flat to steep; smooth ones of three games."""
    sizes = ((1, 1), (2, 1), (3, 2), (30, 1), (30, 2), (41, 5))
    for (actions, contexts), scale in product(sizes, (1e-3, 0.01, 1.0, 25.0)):
        yield Linear(actions, contexts, scale)
        yield Linear(actions, contexts, scale, a=1.0)
    rough, additive = Game(2, 1, 60, law_lengthscale=0.15), Game(2, 2, 6, law_lengthscale=0.5, coupling="additive")
    for game, scale in product((STANDARD, rough, additive), (1e-4, 1.0)):
        yield Smooth(game, scale)


TAIL = need("Assumption 3.1 with the given a and b", lambda path: path.has_the_tail, Linear(2, 1, 1.0, b_factor=0.5))


@statement(
    "A1-lmax",
    "inequality",
    slopes,
    TAIL,
    teeth={
        "the printed bound": {"bound": attrgetter("printed_slope")},
        "without the constant": {"bound": lambda pieces: math.sqrt(pieces.b * math.log(pieces.a * pieces.size))},
        "half of it": {"factor": 0.5},
    },
    depends="assumption-3.1",
    corrected=fix(r"$\E L_{\max}\le\sqrt b\,(\sqrt{\log(an)}+\sqrt\pi/2)$ for $an\ge1$", bound=attrgetter("slope")),
)
def mean_largest_slope(
    path: Linear | Smooth, *, bound: Callable[[Pieces], float] = attrgetter("printed_slope"), factor: float = 1.0
) -> Case:
    r"""Under Assumption 3.1: $\E L_{\max}\le b(\log(a|A||C|)+\sqrt\pi/2)$

    Corrected, from :math:`\E L_{\max}=\int_0^\infty P(L_{\max}>L)\,dL` and a union bound over n coordinates:
    :math:`\sqrt b(\sqrt{\log(an)}+\sqrt\pi/2)`.
    """
    return at_most(path.mean_slope, factor * bound(path.pieces), path.where)


#: From the rounds to the sum that multiplies the slope, its bound, and bounds on the slope for which it holds as well.
SlopeSum = Callable[[Pieces, Floats], tuple[float, ...]]


def printed_sum(pieces: Pieces, rounds: Floats) -> tuple[float, ...]:
    r""":math:`\sum_t1/(t^2\mathcal G)`."""
    return float((1.0 / (rounds**2 * pieces.printed_slope)).sum()), math.pi**2 / 6.0


def corrected_sum(pieces: Pieces, rounds: Floats) -> tuple[float, ...]:
    r""":math:`\sum_tn/(2\tau_t)`."""
    parts = np.maximum(2.0, np.ceil(pieces.size * rounds**2 * pieces.slope))
    return float((pieces.size / (2.0 * parts)).sum()), math.pi**2 / 12.0, pieces.slope


@statement(
    "A1-lip-sum",
    "inequality",
    slopes,
    TAIL,
    teeth={
        "the printed slope": {"sides": printed_sum},
        "half the sum": {"share": 0.5},
        "nine tenths of it": {"share": 0.9},
    },
    depends="A1-lmax A-discretisation A1-lipschitz",
    corrected=fix(
        r"$\sum_{t\le T}\E[L_{\max}]\frac n{2\tau_t}\le\frac{\pi^2}{12}$ with "
        r"$\tau_t=\max\{2,\lceil nt^2L^\ast\rceil\}$",
        sides=corrected_sum,
    ),
)
def lipschitz_sum(
    path: Linear | Smooth, *, sides: SlopeSum = printed_sum, share: float = 1.0, horizon: int = 10_000
) -> Iterator[Case]:
    r"""$\sum_{t\le T}\E[L_{\max}]\frac1{t^2\mathcal G}\le\sum_{t\le T}\frac1{t^2}\le\frac{\pi^2}6$

    Printed :math:`\sum_t\E[L_{\max}]/(t^2\mathcal G)`. Corrected :math:`\sum_tL\,n/(2\tau_t)\le\pi^2/12`, with the true
    :math:`\E L_{\max}` and with its bound :math:`L^\ast` for L.
    """
    total, bound, *slopes = sides(path.pieces, np.arange(1, horizon + 1, dtype=np.float64))
    yield at_most(path.mean_slope * total, share * bound, path.where)
    for slope in slopes:
        yield at_most(slope * total, share * bound, f"{path.where}, with the bound on the slope")
