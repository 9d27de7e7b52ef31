r"""The proofs of Theorems 4, 5, 8 and 9 evaluated inequality by inequality on runs of the simulator.

One round runs from the measured regret over optimism (i), the change of law at the benchmark (ii), the choice of
:math:`x_t` (iii) and the change back at the choice (iv) to widths plus penalty (v). The sum over rounds goes on with
Cauchy-Schwarz and Jensen (a), the concentration of conditional means (i), logarithms (ii) and the information gain
(iii). Every step is a number that the step before should not exceed, as printed or with the companion's constants; a
ratio below one names the inequality that does not hold in the run.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from companion.bounds.ranges import norm_range
from companion.checks.chain import Chain, Step
from companion.core.arrays import Floats, Indices
from companion.core.errors import AssumptionError, ParameterError, whole_number
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.runs import (
    Game,
    Runs,
    contexts_of,
    covariance_of,
    laws_of,
    replay,
    worst_law,
)

#: Of the last steps: (59) and (57), or ours-cm and ours-thm5, which hold for every lambda.
CONSTANTS = ("printed", "ours")

_LCB = r"-\E_{\mathcal P^*_t}\mathrm{LCB}_t(x_t,c)"
_TOLD, _TRUE = r"\E_{\hat{\mathcal P}_t}\mathrm{UCB}_t", r"\E_{\mathcal P^*_t}\mathrm{UCB}_t"
_PENALTY = r"2(\varepsilon_tL_t(x^*_t)+\rho_t)"

#: Steps of one round: name, formula, reason, statement.
ROUND = (
    ("measured", "r_t", "measured", ""),
    ("optimism", rf"{_TRUE}(x^*_t,c){_LCB}", "(i): the band holds at the benchmark and at the choice", "lemma-1"),
    (
        "told law at the benchmark",
        rf"{_TOLD}(x^*_t,c)+\varepsilon_tL_t(x^*_t)+\rho_t{_LCB}",
        "(ii): the laws differ by at most the radius",
        "lemma-2",
    ),
    (
        "choice",
        rf"{_TOLD}(x_t,c)-\varepsilon_tL_t(x_t)+2\varepsilon_tL_t(x^*_t)+\rho_t{_LCB}",
        "(iii): the choice maximises (13)",
        "alg-1",
    ),
    (
        "true law at the choice",
        rf"{_TRUE}(x_t,c)+{_PENALTY}{_LCB}",
        "(iv): the laws differ by at most the radius",
        "lemma-2",
    ),
    (
        "widths",
        rf"2\beta_t\E_{{\mathcal P^*_t}}\sigma_{{t-1}}(x_t,c)+{_PENALTY}",
        "(v): upper minus lower confidence bound is two widths",
        "thm-4",
    ),
)


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The six numbers of every round.

    Parameters
    ----------
    runs : where they come from
    slack : (T,) or (runs, T), rho_t of the data-driven setting; zeros in the general one
    terms : (6, runs, T) in the order of :data:`ROUND`
    """

    runs: Runs
    slack: Floats
    terms: Floats

    @property
    def penalty(self) -> Floats:
        r""":math:`2\varepsilon_tL_t(x^*_t)+2\rho_t`, (runs, T)."""
        return np.asarray(2.0 * self.runs.radius * self.runs.at_optimum + 2.0 * self.slack)

    @property
    def broken(self) -> Floats:
        """(5,) largest amount by which each inequality of a round fails anywhere; at most rounding if all hold."""
        return np.asarray(np.max(self.terms[:-1] - self.terms[1:], axis=(1, 2)))


def laws(found: Runs) -> tuple[Floats, Floats]:
    """Centres and true laws of all rounds, both (T, runs, C)."""
    game, support = found.game, contexts_of(found.game)
    runs, horizon, contexts = game.runs, game.horizon, len(support)
    told, fixed = laws_of(game)
    centre = np.broadcast_to(told[:, None, :], (horizon, runs, contexts))
    if game.setting == "data":
        seen = np.eye(contexts)[found.context].cumsum(axis=1).swapaxes(0, 1)
        first = np.full((1, runs, contexts), 1.0 / contexts)
        centre = np.concatenate([first, seen[:-1] / np.arange(1, horizon)[:, None, None]])
    if fixed is not None:
        return centre, np.broadcast_to(fixed, centre.shape)
    if game.truth == "centre":
        return centre, centre
    radius = found.radius
    truth = [worst_law(found.values, found.chosen[:, t], told[t], support, radius[t]) for t in range(horizon)]
    return centre, np.stack(truth)


def covering_slack(beta: ArrayLike, lam: float, lipschitz: float, copies: float = 1.0) -> Floats:
    r""":math:`\rho_t=(1+2L\bar B_t)/n`, (runs, T), with the :math:`n=t-1` contexts known when round t begins.

    None is known in the first round, and none is needed: there the radius is the diameter of the set of contexts.

    Parameters
    ----------
    beta : (runs, T) widths
    lam, lipschitz : lambda, and L of Assumption 1
    copies : of rho_t; the proof of Lemma 7 needs 2
    """
    norms = np.asarray(beta, dtype=np.float64) / np.sqrt(lam)
    later = [bounds.covering_slack(n, lipschitz, norms[:, n], copies) for n in range(1, norms.shape[1])]
    return np.stack([np.zeros(len(norms)), *later], axis=1)


def decompose(found: Runs, slack: ArrayLike = 0.0) -> Decomposition:
    """Steps (i) to (v) of Theorem 4 (with ``slack``, of Theorem 8) in every round of every run.

    Parameters
    ----------
    found : runs of rule (13)
    slack : rho_t, a number, (T,) or (runs, T)

    Raises
    ------
    ParameterError
        for another rule than (13), whose choice step (iii) is about
    """
    game = found.game
    if game.rule != "lipschitz":
        raise ParameterError("rule", f"got {game.rule!r}", "'lipschitz', which the proof is about")
    shape, lanes = found.values.shape, np.arange(game.runs)
    centre, truth = laws(found)
    rho = np.broadcast_to(np.asarray(slack, dtype=np.float64), found.regret.shape)
    terms = np.empty((len(ROUND), game.runs, game.horizon))
    for t, mean, sd in replay(found, tuple(range(1, game.horizon + 1))):
        i = t - 1
        width = found.beta[:, i, None, None] * sd.reshape(shape)
        upper, lower = mean.reshape(shape) + width, mean.reshape(shape) - width
        best, chosen, pay = found.optimal[:, i], found.chosen[:, i], found.radius[i]
        low = np.sum(truth[i] * lower[lanes, chosen], axis=1)
        at_best, at_chosen = pay * found.at_optimum[:, i], pay * found.at_chosen[:, i]
        told = [np.sum(centre[i] * upper[lanes, x], axis=1) for x in (best, chosen)]
        true = [np.sum(truth[i] * upper[lanes, x], axis=1) for x in (best, chosen)]
        terms[0, :, i] = found.regret[:, i]
        terms[1, :, i] = true[0] - low
        terms[2, :, i] = told[0] + at_best + rho[:, i] - low
        terms[3, :, i] = told[1] - at_chosen + 2.0 * at_best + rho[:, i] - low
        terms[4, :, i] = true[1] + 2.0 * (at_best + rho[:, i]) - low
        bound = bounds.one_round_data if rho.any() else bounds.one_round
        extra = (rho[:, i],) if rho.any() else ()
        terms[5, :, i] = bound(found.beta[:, i], found.mean_width[:, i], pay, found.at_optimum[:, i], *extra)
    return Decomposition(found, np.asarray(rho), terms)


def regret_chain(
    parts: Decomposition,
    constants: str = "printed",
    horizon: int | None = None,
    gain: float | None = None,
    run: int | None = None,
) -> Chain:
    """Theorem 5 (with slack, Theorem 9) for the first T rounds, of one run or on average over all of them.

    An average of chains is a chain; its first step is then the measured expected regret.

    Parameters
    ----------
    parts : see :func:`decompose`
    constants : see :data:`CONSTANTS`
    horizon : T, by default all rounds
    gain : maximal log det of T - 1 points (``printed``) or T points (``ours``), or an upper end of it; left out, the
        realised one of the same number of points, which makes the last step the stronger claim
    run : a run; by default the average over the runs in which the band holds in all T rounds

    Raises
    ------
    AssumptionError
        if the band does not hold in the run, or in no run
    """
    if constants not in CONSTANTS:
        raise ParameterError("constants", f"got {constants!r}", f"one of {', '.join(CONSTANTS)}")
    found = parts.runs
    rounds = whole_number("horizon", found.game.horizon if horizon is None else horizon, 1, found.game.horizon)
    valid = np.asarray((found.band[:, :rounds] <= 1.0 + 1e-9).all(axis=1))
    rows = np.flatnonzero(valid) if run is None else np.array([run])
    if not len(rows) or not valid[rows].all():
        raise AssumptionError("the band of Lemma 1 fails, so that the chain has no beginning")
    sums = parts.terms[:, rows, :rounds].sum(axis=2)
    total = [
        Step(name, float(v.mean()), "R_T" if name == "measured" else rf"\sum_t\big({latex}\big)", reason, statement)
        for (name, latex, reason, statement), v in zip(ROUND, sums, strict=True)
    ]
    more = _mean_square_steps(parts, rows, rounds) + _gain_steps(parts, rows, rounds, constants, gain)
    side = {"trivial": trivial_line(found.game) * rounds}
    return Chain(f"regret after {rounds} rounds", (*total, *more), side)


def trivial_line(game: Game) -> float:
    """B times the largest distance of two pairs (x, c) in the kernel's norm: no round costs more, whatever the laws are.

    A law averages the features of its pairs, and averages are no farther apart than what they average.
    """
    return game.norm * norm_range(covariance_of(game))


def _mean_square_steps(parts: Decomposition, rows: Indices, rounds: int) -> list[Step]:
    """Step a: the largest width, Cauchy-Schwarz and Jensen."""
    found = parts.runs
    beta, sd = found.beta[rows, rounds - 1], found.mean_width[rows, :rounds]
    square = found.mean_square[rows, :rounds].sum(axis=1)
    penalty = parts.penalty[rows, :rounds].sum(axis=1)
    tail, front = r"+\sum_t" + _PENALTY, r"2\beta_T"
    inside = r"\E_{\mathcal P^*_t}\sigma_{t-1}"
    last = (2.0 * beta * sd.sum(axis=1), 2.0 * beta * np.sqrt(rounds * (sd**2).sum(axis=1)))
    return [
        Step("last width", _mean(last[0] + penalty), rf"{front}\sum_t{inside}{tail}", "widths grow", "thm-16-a"),
        Step(
            "Cauchy-Schwarz",
            _mean(last[1] + penalty),
            rf"{front}\sqrt{{T\sum_t({inside})^2}}{tail}",
            "Cauchy-Schwarz over the rounds",
            "thm-16-a",
        ),
        Step(
            "Jensen",
            _mean(2.0 * beta * np.sqrt(rounds * square) + penalty),
            rf"{front}\sqrt{{T\sum_t{inside}^2}}{tail}",
            "Jensen within a round",
            "thm-16-a",
        ),
    ]


def _gain_steps(parts: Decomposition, rows: Indices, rounds: int, constants: str, gain: float | None) -> list[Step]:
    """Steps i to iii."""
    found, game = parts.runs, parts.runs.game
    beta, seen = found.beta[rows, rounds - 1], found.seen_square[rows, :rounds]
    penalty = parts.penalty[rows, :rounds].sum(axis=1)
    lam, delta, observed = game.lam, game.delta, seen.sum(axis=1)
    logarithms = np.log1p(seen).sum(axis=1)
    ours = constants == "ours"
    if ours:
        mean = bounds.conditional_mean(observed, 1.0 / lam, delta)
        logs = bounds.conditional_mean(bounds.small_width_factor(lam) * logarithms, 1.0 / lam, delta)
        realised = logarithms
        formulas = (
            r"2\sum\sigma_{t-1}^2+\tfrac{1.2551}\lambda\log\tfrac1\delta",
            r"2C_\lambda\sum\log(1+\sigma_{t-1}^2)+\tfrac{1.2551}\lambda\log\tfrac1\delta",
            r"2\beta_T\sqrt{T(2C_\lambda\gamma_{T+1}+\tfrac{1.2551}\lambda\log\tfrac1\delta)}",
        )
    else:
        mean = bounds.conditional_mean_cited(observed, delta)
        logs = bounds.conditional_mean_cited(2.0 * logarithms, delta)
        realised = found.log_det[rows, rounds - 1]
        formulas = (
            r"2\sum\sigma_{t-1}^2+8\log\tfrac6\delta",
            r"4\sum\log(1+\sigma_{t-1}^2)+8\log\tfrac6\delta",
            r"4\beta_T\sqrt{T(\gamma_T+4\log\tfrac6\delta)}",
        )
    top = realised if gain is None else np.full(len(rows), float(gain))
    last = bounds.cumulative(beta, rounds, top, lam, delta, penalty, "ours" if ours else "appendix", unchecked=True)
    names = ("ours-cm", "ours-thm5", "ours-thm5") if ours else ("thm-16-i", "thm-16-ii", "thm-16-iii")
    tail = r"+\sum_t" + _PENALTY
    return [
        Step(
            "contexts that came up",
            _mean(2.0 * beta * np.sqrt(rounds * mean) + penalty),
            rf"2\beta_T\sqrt{{T({formulas[0]})}}{tail}",
            "expected squares against those that came up (with probability 1 - delta)",
            names[0],
        ),
        Step(
            "logarithms",
            _mean(2.0 * beta * np.sqrt(rounds * logs) + penalty),
            rf"2\beta_T\sqrt{{T({formulas[1]})}}{tail}",
            "a square is at most a multiple of a logarithm",
            names[1],
        ),
        Step("information gain", _mean(last), formulas[2] + tail, "logarithms add up to a log determinant", names[2]),
    ]


def gaps(chain: Chain) -> dict[str, float]:
    """Loss in every inequality, value minus the value before, by name; with the first value they sum to the last."""
    steps = tuple(chain)
    return {b.name: b.value - a.value for a, b in itertools.pairwise(steps)}


def _mean(values: Floats) -> float:
    return float(np.mean(values))
