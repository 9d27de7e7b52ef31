"""Statements: Theorem 4.1, its explicit form as printed, and the corrected one, against runs of exact MF-GP-UCB."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

from scipy import stats

from companion.checks.cases import Case, at_most
from companion.checks.instance import Instance
from companion.checks.samples import standard_error
from companion.checks.statement import Statement, fix, need, statement
from companion.core.arrays import Floats
from companion.papers.meanfield.checks.setting_model import plain_beta
from companion.papers.meanfield.theory.bounds import corrected_bound, gain_factor, printed_discretisation
from companion.papers.meanfield.theory.runs import STANDARD, Game, GameRuns, play, theory_runs

#: One-sided level of the limits below; the bounds are on expectations, so a mean's upper limit has to stay under them.
LEVEL = 0.99


def upper_limit(sample: Floats) -> float:
    """Upper 99 % limit of the mean of independent runs (Student)."""
    return float(sample.mean()) + float(stats.t.ppf(LEVEL, len(sample) - 1)) * standard_error(sample)


class TheoremInstance(Instance, words="{game.where}, T = {horizon}, {runs} runs, width {multiplier}"):
    r"""Exact MF-GP-UCB on a small game with the theorem's widths.

    Parameters
    ----------
    game : prior, laws and noise
    horizon, runs : T and number of independent runs
    multiplier : of the posterior standard deviation, ``"root"`` of beta_t or ``"beta"``
    variance : the kappa^2 that the bound is told
    """

    game: Game
    horizon: int = 60
    runs: int = 60
    multiplier: str = "root"
    variance: float | None = None

    @property
    def kappa(self) -> float:
        """kappa^2."""
        return self.game.variance if self.variance is None else self.variance


ROUGH = Game(law_lengthscale=0.1)
THREE = Game(actions=3, parts=20)
TEAMS = Game(contexts=2, parts=12)
NOISY = Game(noise_sd=1.0)
ADDED = Game(coupling="additive")
ADDED_TEAMS = Game(contexts=2, parts=12, coupling="additive")

#: Noise so large that two rounds teach next to nothing: the widths stay at their largest, and the bound on R^D is nearly met.
LOUD = Game(noise_sd=10.0)

#: Two and three actions, one and two contexts, both kernels, three length-scales, noise .1 and 1.
GAMES = (STANDARD, ROUGH, THREE, TEAMS, NOISY, ADDED, ADDED_TEAMS)


def setups() -> Iterator[TheoremInstance]:
    """Every game with the root of beta_t, three with beta_t itself, the standard one for 250 rounds, and two loud ones."""
    for game in GAMES:
        yield TheoremInstance(game)
    for game in (STANDARD, NOISY, ADDED_TEAMS):
        yield TheoremInstance(game, multiplier="beta")
    yield TheoremInstance(STANDARD, 250, 30)
    yield TheoremInstance(LOUD, 2, 400)


# -- thm-4.1 -----------------------------------------------------------------------------------------------------------

THM_4_1 = Statement(
    id="thm-4.1",
    kind="not-checkable",
    latex=r"With $\beta_t=2\log(n\abs{\Xi_t}t^2/\sqrt{2\pi})$, $\abs{\Xi_t}=(nt^2\mathcal G)^n$, $\mathcal "
    r"G=b(\log(an)+\sqrt\pi/2)$ and $n=\abs{A}\abs{C}$: $\E R_T\le "
    r"O\big(\beta_T\sqrt{T\gamma_T}+\sqrt{2\abs{A}^3\abs{C}}\min\{1/\mathcal G,n\}\big)$",
    depends=("assumption-3.1", "assumption-hidden", "alg-1"),
    reason="An order without its constant: no finite run contradicts it. Its last display before the order is in "
    "thm-4.1-explicit-printed, and what the repaired proof gives in thm-4.1-corrected",
)

#: A payoff that hardly depends on the law: b is tiny, tau_t below 1 and the printed beta_t negative for a hundred rounds.
FLAT = Game(parts=4, law_lengthscale=5000.0)


@lru_cache(maxsize=16)
def printed_runs(setup: TheoremInstance, least_cuts: float) -> GameRuns:
    """Runs with the printed schedule, tau_t raised to ``least_cuts`` where it is smaller; negative widths are played as such."""
    pieces = setup.game.pieces()

    def width(t: int) -> float:
        return plain_beta(pieces, t, max(least_cuts, pieces.cuts(t)))

    return play(setup.game, setup.horizon, setup.runs, width, pieces.cuts)


@statement(
    "thm-4.1-explicit-printed",
    "inequality",
    lambda: (
        *(TheoremInstance(game, multiplier="beta") for game in (STANDARD, ROUGH, THREE, TEAMS, NOISY)),
        TheoremInstance(FLAT, 120, 200, "beta"),
    ),
    need(r"$k(z,z)\le1$", lambda setup: setup.game.variance <= 1.0, TheoremInstance(ADDED, multiplier="beta")),
    need(r"the printed multiplier $\beta_t$", lambda setup: setup.multiplier == "beta", TheoremInstance(STANDARD)),
    teeth={"without the last term": {"exploration": 0.0}, "a hundredth of the last term": {"exploration": 0.01}},
    depends="thm-4.1 A1-total A2-RC A3-RD",
    corrected=fix(
        r"where every $\tau_t$ is at least 2, so that no $\beta_t$ is negative: $b$ can always be chosen so large",
        least_cuts=2.0,
    ),
)
def thm_4_1_explicit_printed(setup: TheoremInstance, *, least_cuts: float = 0.0, exploration: float = 1.0) -> Case:
    r"""$\E R_T\le\frac{\pi^2}6+\abs{A}\sqrt{2n}\min\{\frac1{\mathcal
    G},n\}\max\{2\zeta'(2),\frac{\pi^2}6\}+\beta_T\sqrt{TD\gamma_T}+\frac{\pi^2}6$

    With :math:`D=2/\log(1+R^{-2})` and the certified upper end of :math:`\gamma_T`. Left is the upper 99 % limit of the mean.
    """
    pieces, game = setup.game.pieces(), setup.game
    beta = plain_beta(pieces, setup.horizon, max(least_cuts, pieces.cuts(setup.horizon)))
    gain = game.gain(setup.horizon).upper
    last = beta * math.sqrt(setup.horizon * gain_factor(1.0, game.noise_variance) * gain)
    right = printed_discretisation(pieces) + math.pi**2 / 6.0 + exploration * last
    return at_most(upper_limit(printed_runs(setup, least_cuts).regret), right, setup.where)


@statement(
    "thm-4.1-corrected",
    "inequality",
    setups,
    need(
        r"$k(z,z)\le\kappa^2$", lambda setup: setup.game.variance <= setup.kappa, TheoremInstance(ADDED, variance=1.0)
    ),
    teeth={
        "without the bound on R^D": {"exploration": 0.0},
        "0.7 of D": {"exploration": math.sqrt(0.7)},
        "no exploration bonus": {"bonus": 0.0},
        "a tenth of the exploration bonus": {"bonus": 0.1},
    },
    depends="assumption-3.1 assumption-hidden alg-1 A1-total A2-RC A3-RD",
)
def thm_4_1_corrected(
    setup: TheoremInstance, *, exploration: float = 1.0, optimism: float = 1.0, bonus: float = 1.0
) -> Iterator[Case]:
    r"""$\E R_T\le\frac{\pi^2}{12}+\sum_{t\le
    T}\frac{\kappa\abs{A}}{2\tau_t}\sqrt{2\log(2n\tau_t^n)}+\frac{\kappa\pi^2}6+\sqrt{\beta_TTD\gamma_T}$ with
    $\tau_t=\max\{2,\lceil nt^2L^\ast\rceil\}$, $L^\ast=\sqrt b(\sqrt{\log(an)}+\sqrt\pi/2)$,
    $D=2\kappa^2/\log(1+\kappa^2/R^2)$ and the multiplier $\sqrt{\beta_t}$

    For :math:`\mu+\sqrt{\beta_t}\sigma`, with :math:`\beta_T` under no root for :math:`\mu+\beta_t\sigma`. Left are upper 99 %
    limits of the means over runs, zero if negative; :math:`\gamma_T` is the certified upper end.
    """
    game, pieces = setup.game, setup.game.pieces()
    runs = theory_runs(game, setup.horizon, setup.runs, "corrected", setup.multiplier, 0, bonus)
    gain = game.gain(setup.horizon).upper
    bound = corrected_bound(pieces, setup.horizon, game.noise_variance, gain, setup.multiplier)
    total = bound.discretisation + optimism * bound.optimism + exploration * bound.exploration
    yield at_most(upper_limit(runs.regret), total, f"{setup.where}: regret")
    terms = (
        ("R^A", runs.discretisation, bound.discretisation),
        ("R^C", runs.optimism, optimism * bound.optimism),
        ("R^D", runs.exploration, exploration * bound.exploration),
    )
    for name, summands, right in terms:
        yield at_most(max(upper_limit(summands.sum(axis=1)), 0.0), right, f"{setup.where}: {name}")
