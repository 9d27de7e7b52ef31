r"""What the regret statements are checked on: seeded runs of Algorithm 1, their certified gain, and both proofs as chains.

Instances named in the ledger: A (SE, 50 points), B (50 independent arms, each played once), C (an interval or a square as
a fine grid, with derivative tails), E (2000 independent arms under expected improvement, few of them ever sampled).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from companion.bounds.chain import Chain, Step
from companion.errors import ParameterError, whole_number
from companion.gp import Matern, SquaredExponential, grid
from companion.information import gain_bracket_curve
from companion.papers.compressed import bounds
from companion.papers.compressed.admission import horizon_budget
from companion.papers.compressed.play import Floats, TheoryRuns, play
from companion.policies.acquisition import expected_improvement
from companion.randomness import stream

SMOOTHNESS = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5, "matern72": 3.5, "se": math.inf}
TITLES = {
    "se": "SE",
    "matern12": "Matérn 1/2",
    "matern32": "Matérn 3/2",
    "matern52": "Matérn 5/2",
    "matern72": "Matérn 7/2",
    "independent": "independent arms",
    "additive": "sum of two SE processes",
}


@dataclass(frozen=True)
class Game:
    r"""``runs`` runs of Algorithm 1 for draws of the prior, with :math:`\epsilon=\frac12\log(1+T^{-\alpha})`.

    Candidates are a grid of [0, 1]^dim with ``size`` points, or ``size`` independent arms. ``alpha`` may be infinite:
    nothing is rejected. ``compact``: the grid stands for the whole cube, with the exploration of Theorem 3.2(ii) in the
    ``form`` of :func:`~companion.papers.compressed.bounds.compact_beta`.
    """

    kernel: str
    dim: int
    noise_sd: float
    horizon: int
    alpha: float
    runs: int = 220
    size: int = 50
    acquisition: str = "ucb"
    variance: float = 1.0
    lengthscale: float = 0.2
    delta: float = 0.1
    compact: bool = False
    form: str = "grid"
    seed: int = 0

    @property
    def where(self) -> str:
        """The configuration in words."""
        place = "" if self.kernel == "independent" else f", d = {self.dim}"
        scale = "" if self.variance == 1.0 else f", variance {self.variance:g}"
        rule = {"ucb": "UCB", "ei": "EI"}[self.acquisition]
        return (
            f"{rule}, {TITLES[self.kernel]}{place}, {self.size} points{scale}, noise {self.noise_sd:g}, "
            f"T = {self.horizon}, alpha = {self.alpha:g}, {self.runs} runs"
        )

    @property
    def noise_variance(self) -> float:
        """sigma^2."""
        return self.noise_sd**2

    @property
    def epsilon(self) -> float:
        """The budget."""
        return 0.0 if math.isinf(self.alpha) else horizon_budget(self.horizon, self.alpha)

    @property
    def rounds(self) -> Floats:
        """(T,) 1..T."""
        return np.arange(1.0, self.horizon + 1.0)

    @property
    def tails(self) -> tuple[float, float]:
        """(a, b) of the derivative tails; for the sum of two processes, each of variance 1/2."""
        base = "se" if self.kernel == "additive" else self.kernel
        a, b = bounds.derivative_tail(self.lengthscale, smoothness=SMOOTHNESS[base])
        return a, b / math.sqrt(2.0) if self.kernel == "additive" else b

    def beta(self) -> Floats:
        """(T,) the exploration parameters of Theorem 3.2, of part (ii) for a compact game."""
        if not self.compact:
            return bounds.finite_beta(self.rounds, self.size, self.delta)
        return bounds.compact_beta(self.rounds, self.dim, 1.0, *self.tails, self.delta, form=self.form)


A = Game("se", 1, math.sqrt(0.1), 200, 0.5)
B = Game("independent", 1, math.sqrt(0.1), 50, 0.5, runs=300)
C = Game("se", 1, math.sqrt(0.1), 60, 0.5, size=401, compact=True)
E = Game("independent", 1, 0.1, 1000, 0.1, runs=5, size=2000, acquisition="ei")


def points(game: Game) -> Floats:
    """(N, d) the candidates."""
    return np.asarray(grid(round(game.size ** (1.0 / game.dim)), game.dim))


def kernel_between(game: Game, x: Floats, y: Floats) -> Floats:
    """(n, m) prior covariance between points."""
    if game.kernel == "additive":
        one = SquaredExponential(game.lengthscale)
        return np.asarray(sum(one(x[:, [j]], y[:, [j]]) for j in range(game.dim)) * (game.variance / game.dim))
    smoothness = SMOOTHNESS[game.kernel]
    if math.isinf(smoothness):
        return np.asarray(SquaredExponential(game.lengthscale, game.variance)(x, y))
    return np.asarray(Matern(smoothness, game.lengthscale, game.variance)(x, y))


@cache
def prior(game: Game) -> Floats:
    """(N, N) covariance of the candidates, or (N,) for independent arms."""
    if game.kernel == "independent":
        return game.variance * np.ones(game.size)
    return kernel_between(game, points(game), points(game))


@cache
def played(game: Game) -> TheoryRuns:
    """The game's runs; the same ones on every call."""
    names = [f"{value}" for value in (game.kernel, game.dim, game.size, game.horizon, game.acquisition)]
    numbers = [f"{value:g}" for value in (game.noise_sd, game.alpha, game.variance, game.lengthscale)]
    generator = stream(game.seed, "compressed", "theory", *names, *numbers)
    return play(
        prior(game),
        game.beta(),
        game.noise_variance,
        game.epsilon,
        game.runs,
        generator,
        acquisition=game.acquisition,
        initial=1 if game.acquisition == "ei" else 0,
    )


@cache
def _gains(game: Game, orders: tuple[int, ...]) -> dict[int, float]:
    if game.kernel == "independent":
        return {order: even_gain(order, game.size, game.variance / game.noise_variance) for order in orders}
    positive = [order for order in orders if order > 0]
    found = gain_bracket_curve(prior(game), positive, game.noise_variance, rounds=8, gap=2e-2) if positive else ()
    return {0: 0.0, **{bracket.horizon: bracket.upper for bracket in found}}


def even_gain(order: int, arms: int, ratio: float) -> float:
    """Maximum information gain of ``order`` observations of independent arms of variance ``ratio`` times the noise's."""
    full, rest = divmod(whole_number("order", order, 0), whole_number("arms", arms))
    return 0.5 * (rest * math.log1p((full + 1) * ratio) + (arms - rest) * math.log1p(full * ratio))


def gain_upper(game: Game) -> Floats:
    r"""(R,) upper end of :math:`\gamma_{M_T}`; exact for independent arms."""
    orders = played(game).order
    anonymous = replace(
        game, runs=1, seed=0, alpha=1.0, horizon=2, acquisition="ucb", compact=False, delta=0.1, form="grid"
    )
    gains = _gains(anonymous, tuple(int(order) for order in np.unique(orders)))
    return np.array([gains[int(order)] for order in orders])


@dataclass(frozen=True)
class NearOptimum:
    """Posterior at the grid points next to the maximiser: (R, T) mean and standard deviation, before every round."""

    mean: Floats
    sd: Floats


def near_optimum(game: Game, per_axis: Floats) -> NearOptimum:
    r"""Posterior at :math:`[x^*]_t`, the point next to x* of a grid with :math:`\lceil\tau_t\rceil` cells per axis.

    Computed from a run's dictionary by one Cholesky factor: its leading rows are the factors of the earlier dictionaries.

    Parameters
    ----------
    per_axis : (T,) tau_t
    """
    runs, x = played(game), points(game)
    cells = np.ceil(per_axis)[:, None]
    mean, sd = np.zeros_like(runs.mean), np.zeros_like(runs.mean)
    for run, star in enumerate(runs.optimum):
        near = (np.minimum(np.floor(x[star] * cells), cells - 1) + 0.5) / cells
        kept = runs.kept[run]
        stored, values = x[runs.chosen[run][kept]], runs.observed[run][kept]
        lower = np.linalg.cholesky(kernel_between(game, stored, stored) + game.noise_variance * np.eye(len(stored)))
        rows = solve_triangular(lower, kernel_between(game, stored, near), lower=True)
        weights = solve_triangular(lower, values, lower=True)
        known = np.arange(len(stored))[:, None] < np.cumsum(kept) - kept
        mean[run] = np.where(known, rows * weights[:, None], 0.0).sum(axis=0)
        sd[run] = np.sqrt(np.maximum(game.variance - np.where(known, rows**2, 0.0).sum(axis=0), 0.0))
    return NearOptimum(mean, sd)


# -- the proofs as chains ----------------------------------------------------------------------------------------------


def standard_improvement(z: Floats) -> Floats:
    r""":math:`\tau(z)=z\Phi(z)+\phi(z)`: expected improvement of a standard normal number shifted by z."""
    return expected_improvement(np.asarray(z, dtype=np.float64), np.ones_like(z), 0.0)


def split(runs: TheoryRuns, run: int) -> dict[str, float]:
    r"""One run's totals apart for retained and rejected rounds: how many, regret, widths, variances, information.

    Widths are :math:`2\sqrt{\beta_t}\sigma_{t-1}(x_t)`.
    """
    totals = {}
    for name, chosen in (("retained", runs.kept[run]), ("rejected", ~runs.kept[run])):
        widths = 2.0 * np.sqrt(runs.beta * runs.variance[run])
        totals[f"{name} rounds"] = float(chosen.sum())
        totals[f"{name} regret"] = float(runs.instantaneous[run][chosen].sum())
        totals[f"{name} widths"] = float(widths[chosen].sum())
        totals[f"{name} variance"] = float(runs.variance[run][chosen].sum())
        totals[f"{name} information"] = float(runs.information[run][chosen].sum())
    return totals


def regret_chain(game: Game, run: int = 0) -> Chain:
    """The proof of Theorem 3.2(i) on one run of UCB: regret of retained and rejected rounds, up to the theorem.

    The parts of :func:`split` are side values, and so is the trivial bound.

    Raises
    ------
    ParameterError
        for a run under expected improvement or on a compact set
    """
    if game.acquisition != "ucb" or game.compact:
        raise ParameterError("game", f"is {game.where}", "UCB on a finite set")
    runs, gain = played(game), float(gain_upper(game)[_checked(game, run)])
    beta, horizon, noise = float(runs.beta[-1]), game.horizon, game.noise_variance
    parts, budget = split(runs, run), float(runs.rejected_budget[run])
    total = parts["retained variance"] + parts["rejected variance"]
    c1 = bounds.gain_constant(noise)

    def root(inside: float, rest: float) -> float:
        return float(bounds.root_bound(horizon, beta, noise, inside, rest))

    front = r"C_1T\beta_T"
    steps = (
        Step(
            "measured", float(runs.regret[run]), r"\sum_{t\in\mathcal M}r_t+\sum_{t\notin\mathcal M}r_t", "every round"
        ),
        Step(
            "widths",
            parts["retained widths"] + parts["rejected widths"],
            r"\sum_t2\sqrt{\beta_t}\,\sigma_{t-1}(x_t)",
            "the upper bound overshoots the maximum",
            "lemma-8.2",
        ),
        Step(
            "Cauchy-Schwarz",
            math.sqrt(4.0 * horizon * beta * total),
            r"\sqrt{4T\beta_T\sum_t\sigma_{t-1}^2(x_t)}",
            "the largest parameter is the last",
        ),
        Step(
            "information",
            root(float(runs.gain[run]), float(runs.rejected_gain[run])),
            rf"\sqrt{{{front}(I_T+S_T)}}",
            "a variance is at most a multiple of its logarithm",
            "lemma-8.4",
        ),
        Step(
            "budget",
            root(float(runs.gain[run]), budget),
            rf"\sqrt{{{front}(I_T+\epsilon|\mathcal M^c|)}}",
            "a rejected round carries at most epsilon",
            "lemma-8.4",
        ),
        Step(
            "certified gain",
            root(gain, budget),
            rf"\sqrt{{{front}(\gamma_{{M_T}}+\epsilon|\mathcal M^c|)}}",
            "upper end of the maximum information gain",
            "lemma-8.3",
        ),
        Step(
            "two roots",
            root(gain, 0.0) + root(0.0, budget),
            rf"\sqrt{{{front}\gamma_{{M_T}}}}+\sqrt{{{front}\epsilon|\mathcal M^c|}}",
            "root of a sum",
        ),
        Step(
            "all rounds rejected",
            float(bounds.split_bound(horizon, beta, noise, gain, game.epsilon)),
            rf"\sqrt{{{front}\gamma_{{M_T}}}}+T\sqrt{{C_1\beta_T\epsilon}}",
            "at most T rounds are rejected",
        ),
        Step(
            "Theorem 3.2",
            root(gain, 0.0) + horizon * math.sqrt(2.0 * game.epsilon * c1 * beta),
            rf"\sqrt{{{front}\gamma_{{M_T}}}}+T\sqrt{{\log(1+T^{{-\alpha}})}}\sqrt{{C_1\beta_T}}",
            "2 epsilon for epsilon",
            "theorem-3.2-i",
        ),
    )
    trivial = float(bounds.trivial_bound(runs.values[run], horizon))
    return Chain("regret of compressed UCB", steps, {**parts, "trivial": trivial})


def improvement_chain(game: Game, run: int = 0, printed: bool = False) -> Chain:
    r"""The proof of Theorem 3.4 on one run of expected improvement.

    As far as it is sound, to :func:`~companion.papers.compressed.bounds.improvement_bound`; with ``printed``, its treatment
    of the maximiser, :math:`\sum_t\sqrt{\beta_t}\sigma_{t-1}(x^*)` up to (9.26), where Lemma 9.5 is applied to a point that
    may never be sampled: on instance E that chain breaks.
    """
    if game.acquisition != "ei":
        raise ParameterError("game", f"is {game.where}", "expected improvement")
    runs, gain = played(game), float(gain_upper(game)[_checked(game, run)])
    beta, horizon, noise = float(runs.beta[-1]), game.horizon, game.noise_variance
    roots, star = np.sqrt(runs.beta), np.sqrt(runs.optimum_variance[run])
    if printed:
        return _optimum_chain(runs, run, gain)
    sd, score = np.sqrt(runs.variance[run]), float(runs.largest_score[run])
    tau = standard_improvement(-runs.z_chosen[run])
    inside = (float(runs.gain[run]), float(runs.rejected_gain[run]))
    last = bounds.improvement_bound(horizon, beta, noise, *inside, score, float(star.sum()))
    steps = (
        Step("measured", float(runs.regret[run]), r"\sum_tr_t", "every round after the first observation"),
        Step(
            "two parts",
            float((sd * (roots + tau) + roots * star).sum()),
            r"\sum_t\sigma_{t-1}(x_t)(\sqrt{\beta_t}+\tau(-z_{t-1}(x_t)))+\sqrt{\beta_t}\,\sigma_{t-1}(x^*)",
            "distance of the maximum and of the choice from the incumbent",
            "eq-9.20",
        ),
        Step(
            "largest z-score",
            float((sd * (roots + 1.0 + score) + roots * star).sum()),
            r"\sum_t\sigma_{t-1}(x_t)(\sqrt{\beta_t}+1+R)+\sqrt{\beta_t}\,\sigma_{t-1}(x^*)",
            "R is the largest over candidates and rounds",
            "lemma-9.6",
        ),
        Step(
            "information",
            float(last),
            r"(\sqrt{\beta_T}+1+R)\sqrt{2T(I_T+S_T)/\log(1+\sigma^{-2})}+\sqrt{\beta_T}\sum_t\sigma_{t-1}(x^*)",
            "Cauchy-Schwarz for the choices only",
            "lemma-9.5",
        ),
    )
    side = {
        **split(runs, run),
        "trivial": float(bounds.trivial_bound(runs.values[run], horizon)),
        "printed (3.6)": float(bounds.theorem_34(horizon, beta, noise, gain, game.alpha, score)),
        "line (9.27)": float(bounds.theorem_34(horizon, beta, noise, gain, game.alpha, score, power=0.5)),
        "R": score,
    }
    return Chain("regret of compressed expected improvement", steps, side)


def _optimum_chain(runs: TheoryRuns, run: int, gain: float) -> Chain:
    beta, horizon, variances = float(runs.beta[-1]), runs.horizon, runs.optimum_variance[run]
    allowed = float(bounds.variance_sum_bound(runs.noise_variance, gain, runs.rejected_budget[run]))
    steps = (
        Step(
            "at the maximiser",
            float(np.sqrt(runs.beta * variances).sum()),
            r"\sum_t\sqrt{\beta_t}\,\sigma_{t-1}(x^*)",
            "second part of (9.20)",
        ),
        Step(
            "Cauchy-Schwarz",
            math.sqrt(horizon * beta * float(variances.sum())),
            r"\sqrt{T\beta_T\sum_t\sigma_{t-1}^2(x^*)}",
            "the largest parameter is the last",
        ),
        Step(
            "Lemma 9.5 at the maximiser",
            math.sqrt(horizon * beta * allowed),
            r"\sqrt{2T\beta_T(\gamma_{M_T}+\epsilon|\mathcal M^c|)/\log(1+\sigma^{-2})}",
            "printed; the lemma is about the points that were chosen",
            "eq-9.26",
        ),
    )
    return Chain("the maximiser's part of (9.20)", steps)


def _checked(game: Game, run: int) -> int:
    return whole_number("run", run, 0, game.runs - 1)


def on_event(game: Game) -> NDArray[np.bool_]:
    """(R,) whether the event of Lemma 8.1 holds in a run, with the game's own exploration parameters."""
    return played(game).confident()
