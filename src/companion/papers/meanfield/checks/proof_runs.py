"""Statements of Appendix A on runs of exact MF-GP-UCB in games whose payoffs are draws of the prior."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from operator import attrgetter, itemgetter

import numpy as np

from companion.checks.cases import Case, at_most, equal, none_of
from companion.checks.samples import standard_error
from companion.checks.statement import need, statement
from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.gp import FinitePosterior, grid, kernel_by_name
from companion.information import gain_bracket
from companion.papers.meanfield.checks.proof_cases import ERRORS, TITLES, worst
from companion.papers.meanfield.checks.proof_laws import midpoints
from companion.papers.meanfield.checks.theorem import LOUD, upper_limit
from companion.papers.meanfield.theory.bounds import gain_factor
from companion.papers.meanfield.theory.chain import sums
from companion.papers.meanfield.theory.runs import (
    STANDARD,
    STANDARD_HORIZON,
    Game,
    GameRuns,
    best_law,
    second_law,
    theory_runs,
)

#: How much a sum over rounds may be off by rounding, in units of the acquisition's largest value.
STEP_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Played:
    """Runs of one game with the theorem's width, the multiplier of the posterior standard deviation being a choice."""

    game: Game = STANDARD
    horizon: int = STANDARD_HORIZON
    runs: int = 200
    multiplier: str = "root"

    @property
    def where(self) -> str:
        """In words."""
        name = {"root": "root of beta", "beta": "beta"}[self.multiplier]
        return f"{self.game.where}, T = {self.horizon}, width {name}"

    @property
    def reading(self) -> str:
        """Of tau_t: printed beside the printed multiplier."""
        return "printed" if self.multiplier == "beta" else "corrected"

    def play(self, bonus: float = 1.0, choice: Callable[[Floats], Indices] = best_law) -> GameRuns:
        """The runs; the same ones on every call."""
        asked = self.game, self.horizon, self.runs, self.reading, self.multiplier
        return theory_runs(*asked, bonus=bonus, choice=choice)

    def met(self) -> tuple[Floats, float]:
        """Variances (R, T) met before each observation, and a certified upper bound of the information gain."""
        return self.play().sd ** 2, self.game.gain(self.horizon).upper

    @property
    def noise_sd(self) -> float:
        """R."""
        return self.game.noise_sd

    @property
    def variance(self) -> float:
        """kappa^2, the largest prior variance."""
        return self.game.variance

    @property
    def kappa(self) -> float:
        """Largest prior standard deviation."""
        return math.sqrt(self.variance)


#: The standard instance under both multipliers, three actions, Eq. (1) with two contexts, and a rough payoff with noise.
GAMES = (
    Played(),
    Played(multiplier="beta"),
    Played(Game(3, 1, 12, law_lengthscale=0.4, noise_sd=0.3), 40),
    Played(Game(2, 2, 6, law_lengthscale=0.5, noise_sd=0.1, coupling="additive"), 40),
    Played(Game(2, 1, 60, action_lengthscale=2.0, law_lengthscale=0.15, noise_sd=1.0), 40),
)


def games() -> tuple[Played, ...]:
    """All of them."""
    return GAMES


def rounded_laws(instance: Played, runs: GameRuns) -> Floats:
    """Laws (R, C, A) next to the best ones in the first round."""
    return instance.game.laws[runs.rounded[:, 0]]


def printed_points(instance: Played, runs: GameRuns) -> Floats:
    """The midpoints next to the best laws, coordinate by coordinate."""
    return midpoints(instance.game.laws[runs.best], max(2, round(instance.game.pieces().cuts(1))))


@statement(
    "A-decomp",
    "inequality",
    games,
    teeth={
        "the second best law is played": {"choice": second_law},
        "rounded to midpoints, coordinate by coordinate, as printed": {"points": printed_points},
    },
    depends="A-discretisation alg-1",
)
def decomposition(
    instance: Played,
    *,
    choice: Callable[[Floats], Indices] = best_law,
    points: Callable[[Played, GameRuns], Floats] = rounded_laws,
) -> Iterator[Case]:
    r"""$\E R_T\le R_T^A+R_T^C+R_T^D$ with $R^A=\sum_t\E[g(\xi^\star)-g([\xi^\star]_t)]$,
    $R^C=\sum_t\E[g([\xi^\star]_t)-\alpha_t([\xi^\star]_t)]$, $R^D=\sum_t\E[\alpha_t(\xi_t)-g(\xi_t)]$

    Also that regret is the sum of the four terms. The last case asks the same of the first round by hand: then
    :math:`\alpha_1(\xi)=w_1\kappa\sum_{c,x}p(c)\xi(x|c)`, which is the same for all laws, but not for points that are no laws.
    """
    runs = instance.play(choice=choice)
    found = sums(runs)
    four = found["discretisation"] + found["optimism"] + found["argmax"] + found["exploration"]
    scale = STEP_TOLERANCE * float(np.abs(runs.acquisition).sum(axis=1).max())
    yield at_most(float(np.abs(four - found["regret"]).max()), scale, f"{instance.where}: the four terms add up")
    above = runs.remainder > STEP_TOLERANCE * np.abs(runs.acquisition).max()
    yield none_of(int(above.sum()), above.size, f"{instance.where}: rounds in which the rounded law was better")
    three = found["discretisation"] + found["optimism"] + found["exploration"]
    yield worst(found["regret"], three + scale, f"{instance.where}: regret of a run")
    prior = runs.width[0] * instance.kappa * points(instance, runs).sum(axis=(1, 2)) / instance.game.contexts
    yield worst(prior, runs.acquisition[:, 0], f"{instance.where}: first round")


@statement(
    "A2-RC",
    "inequality",
    games,
    teeth={"no bonus": {"bonus": 0.0}, "half of it": {"share": 0.5}, "beta without the square of t": {"power": 0.0}},
    depends="A2-positive-part A2-law",
)
def optimism_bound(instance: Played, *, bonus: float = 1.0, share: float = 1.0, power: float = 2.0) -> Iterator[Case]:
    r"""$R^C_T\le\sum_tn|\Xi_t|\frac\kappa{\sqrt{2\pi}}e^{-\beta_t/2}=\kappa\sum_t\frac1{t^2}\le\kappa\frac{\pi^2}6$,
    printed with $\kappa=1$

    The identity for beta_t round by round in logarithms, the series over 1000 rounds, and the upper 99 % limit of the
    mean of R^C over runs.
    """
    pieces, reading = instance.game.pieces(), instance.reading
    for t in (1, 2, instance.horizon, 1000):
        beta = pieces.beta(t, reading) + 2.0 * (power - 2.0) * math.log(t)
        left = math.log(pieces.size) + pieces.log_count(t, reading) - beta / 2.0 - 0.5 * math.log(2.0 * math.pi)
        yield equal(math.exp(left) * t**2, 1.0, f"{instance.where}: t = {t}", tolerance=1e-8)
    limit = share * instance.kappa * math.pi**2 / 6.0
    yield at_most(instance.kappa * sum(t**-power for t in range(1, 1001)), limit, f"{instance.where}: 1000 rounds")
    measured = max(0.0, upper_limit(sums(instance.play(bonus))["optimism"]))
    yield at_most(measured, limit, f"{instance.where}: positive part of R^C")


@statement(
    "A3-independence",
    "identity",
    games,
    teeth={"actions and contexts alike in place of the law": {"average": attrgetter("uniform_sd")}},
    depends="eq-posterior assumption-hidden",
)
def payoff_of_the_law_played(
    instance: Played, *, average: Callable[[GameRuns], Floats] = attrgetter("average_sd")
) -> Iterator[Case]:
    r"""$\E[f(z)\mid\mathcal D_{t-1},\xi_t]=\mu_{t-1}(z)$, hence $R^D_T=\sum_t\E[\beta_t\sigma_{t-1}(x_t,c_t,\xi_t)]$

    Two differences of paired sums have mean zero: R^D less the widths averaged under :math:`p\,\xi_t`, and these less the
    widths at the representative agent's place.
    """
    runs = instance.play()
    averaged = average(runs) @ runs.width
    pairs = {
        "R^D and the widths under the law": sums(runs)["exploration"] - averaged,
        "widths of the agent and under the law": runs.sd @ runs.width - averaged,
    }
    for name, difference in pairs.items():
        yield at_most(
            abs(float(difference.mean())), ERRORS * standard_error(difference), f"{instance.where}: {name}, four errors"
        )


@dataclass(frozen=True, eq=False)
class Widths:
    """Widths (T,) and posterior standard deviations (R, T)."""

    where: str
    widths: Floats
    sd: Floats


def sequences() -> Iterator[Widths]:
    """Runs of the games, random sequences with growing widths, and the constant one, which attains the bound."""
    for instance in GAMES:
        yield Widths(instance.where, instance.play().width, instance.play().sd)
    generator = stream(0, "meanfield", "statements", "sequences")
    for horizon in (1, 2, 50, 1000):
        sd = generator.random((200, horizon)) ** 3
        yield Widths(f"random, T = {horizon}", np.sort(generator.exponential(size=horizon)), sd)
    yield Widths("constant, T = 40", np.ones(40), np.ones((1, 40)))


@statement(
    "A3-cauchy",
    "inequality",
    sequences,
    need(
        "widths do not fall",
        lambda instance: bool((np.diff(instance.widths) >= 0).all()),
        Widths("falling", np.array([2.0, 1.0]), np.ones((1, 2))),
    ),
    teeth={"half of it": {"factor": 0.5}, "nine tenths of it": {"factor": 0.9}, "the mean width": {"width": np.mean}},
)
def cauchy_schwarz(instance: Widths, *, factor: float = 1.0, width: Callable[[Floats], float] = itemgetter(-1)) -> Case:
    r"""$\sum_t\beta_t\sigma_{t-1}\le\beta_T\sum_t\sigma_{t-1}\le\beta_T\sqrt{T\sum_t\sigma_{t-1}^2}$"""
    right = factor * width(instance.widths) * np.sqrt(instance.sd.shape[1] * (instance.sd**2).sum(axis=1))
    return worst(instance.sd @ instance.widths, right, instance.where)


@dataclass(frozen=True)
class Design:
    """Points chosen one after the other, for a prior on a grid of [0, 1]^dim with 49 points.

    ``rule``: ``"greedy"`` the largest variance, ``"repeated"`` one point always, or ``"random"``.
    """

    kernel: str
    dim: int
    noise_sd: float
    variance: float
    rule: str
    horizon: int

    @property
    def where(self) -> str:
        """In words."""
        place = f"{TITLES[self.kernel]}, d = {self.dim}, variance {self.variance:g}, noise {self.noise_sd:g}"
        return f"{place}, {self.rule} points, T = {self.horizon}"

    def met(self) -> tuple[Floats, float]:
        """As for runs, of one run."""
        return _design(self)


@cache
def _design(design: Design) -> tuple[Floats, float]:
    points = grid(49 if design.dim == 1 else 7, design.dim)
    prior = np.asarray(kernel_by_name(design.kernel, 0.2 * design.dim, variance=design.variance)(points))
    posterior = FinitePosterior(prior, design.noise_sd**2, capacity=design.horizon)
    generator = stream(0, "meanfield", "statements", "design", design.where)
    met = np.empty(design.horizon)
    for t in range(design.horizon):
        index = {"greedy": int(posterior.variance[0].argmax()), "repeated": 0, "random": int(generator.integers(49))}
        met[t] = posterior.variance[0, index[design.rule]]
        posterior.condition(index[design.rule])
    return met[None], gain_bracket(prior, design.horizon, design.noise_sd**2).upper


def variance_sums() -> Iterator[Played | Design]:
    """The games, and designs for three kernels in one and two dimensions, prior variances below and above one."""
    yield from GAMES
    places = product((("se", 1), ("matern12", 2), ("matern52", 1)), ((0.1, 1.0), (1.0, 0.25), (0.3, 3.0)))
    for ((kernel, dim), (noise, variance)), rule in product(places, ("greedy", "repeated", "random")):
        for horizon in (1, 30):
            yield Design(kernel, dim, noise, variance, rule, horizon)


@statement(
    "A3-infogain",
    "inequality",
    variance_sums,
    teeth={
        "D without its 2": {"factor": 0.5},
        "prior variance one in D": {"power": 0.0},
        "nine tenths of D": {"factor": 0.9},
    },
)
def variances_and_information(instance: Played | Design, *, factor: float = 1.0, power: float = 1.0) -> Iterator[Case]:
    r"""$\sum_t\sigma_{t-1}^2(z_t)\le D\cdot\frac12\sum_t\log(1+R^{-2}\sigma_{t-1}^2(z_t))\le D\gamma_T$ with
    $D=2\kappa^2/\log(1+\kappa^2R^{-2})$; the paper leaves $D$ open

    With :math:`D=2\kappa^2/\log(1+\kappa^2/R^2)`, on the variances that every run met, and the certified upper end for gamma.
    """
    squares, gain = instance.met()
    constant = factor * gain_factor(instance.variance**power, instance.noise_sd**2)
    realised = 0.5 * np.log1p(squares / instance.noise_sd**2).sum(axis=1)
    total = squares.sum(axis=1)
    yield worst(total, constant * realised, f"{instance.where}: realised gain")
    yield worst(total, np.full(len(total), constant * gain), f"{instance.where}: certified gain")


@statement(
    "A3-RD",
    "inequality",
    lambda: (*games(), Played(LOUD, 2, 400)),
    teeth={"0.7 of D": {"factor": 0.7}, "without T": {"rounds": 0.0}, "the root of the width": {"power": 0.5}},
    depends="A3-independence A3-cauchy A3-infogain",
)
def exploration_bound(instance: Played, *, factor: float = 1.0, power: float = 1.0, rounds: float = 1.0) -> Case:
    r"""$R^D_T\le\beta_T\sqrt{TD\gamma_T}$ for $U_t=\mu_{t-1}+\beta_t\sigma_{t-1}$, and $R^D_T\le\sqrt{\beta_TTD\gamma_T}$
    for $U_t=\mu_{t-1}+\sqrt{\beta_t}\,\sigma_{t-1}$

    Left is the upper 99 % limit of the mean. ``power`` and ``rounds`` are exponents of the last width and of T.
    """
    runs, game = instance.play(), instance.game
    constant = factor * gain_factor(game.variance, game.noise_variance)
    bound = float(runs.width[-1]) ** power * math.sqrt(
        instance.horizon**rounds * constant * game.gain(instance.horizon).upper
    )
    return at_most(upper_limit(sums(runs)["exploration"]), bound, instance.where)
