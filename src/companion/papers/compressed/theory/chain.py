r"""Both proofs on a run, inequality by inequality: regret of retained and of rejected rounds up to the theorems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from companion.checks.chain import Chain, Step
from companion.core.arrays import Floats
from companion.core.errors import ParameterError, whole_number
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.instances import Game, gain_upper, played
from companion.papers.compressed.theory.runs import TheoryRuns
from companion.policies.acquisition import expected_improvement


def standard_improvement(z: Floats) -> Floats:
    r""":math:`\tau(z)=z\Phi(z)+\phi(z)`: expected improvement of a standard normal number shifted by z."""
    return expected_improvement(np.asarray(z, dtype=np.float64), np.ones_like(z), 0.0)


def split(runs: TheoryRuns, run: int) -> dict[str, float]:
    r"""One run's totals apart for retained and rejected rounds: number, regret, widths, variances, information.

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
    parts = split(runs, run)
    steps = (*_measured_steps(runs, run, parts), *_information_steps(runs, run), *_bound_steps(game, runs, run, gain))
    trivial = float(bounds.trivial_bound(runs.values[run], game.horizon))
    return Chain("regret of compressed UCB", steps, {**parts, "trivial": trivial})


_FRONT = r"C_1T\beta_T"


def _root(runs: TheoryRuns, gain: float, rejected: float) -> float:
    return float(bounds.root_bound(runs.horizon, float(runs.beta[-1]), runs.noise_variance, gain, rejected))


def _measured_steps(runs: TheoryRuns, run: int, parts: dict[str, float]) -> tuple[Step, ...]:
    total = parts["retained variance"] + parts["rejected variance"]
    return (
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
            math.sqrt(4.0 * runs.horizon * float(runs.beta[-1]) * total),
            r"\sqrt{4T\beta_T\sum_t\sigma_{t-1}^2(x_t)}",
            "the largest parameter is the last",
        ),
    )


def _information_steps(runs: TheoryRuns, run: int) -> tuple[Step, ...]:
    learned = float(runs.gain[run])
    return (
        Step(
            "information",
            _root(runs, learned, float(runs.rejected_gain[run])),
            rf"\sqrt{{{_FRONT}(I_T+S_T)}}",
            "a variance is at most a multiple of its logarithm",
            "lemma-8.4",
        ),
        Step(
            "budget",
            _root(runs, learned, float(runs.rejected_budget[run])),
            rf"\sqrt{{{_FRONT}(I_T+\epsilon|\mathcal M^c|)}}",
            "a rejected round carries at most epsilon",
            "lemma-8.4",
        ),
    )


def _bound_steps(game: Game, runs: TheoryRuns, run: int, gain: float) -> tuple[Step, ...]:
    beta, budget = float(runs.beta[-1]), float(runs.rejected_budget[run])
    twice = game.horizon * math.sqrt(2.0 * game.epsilon * bounds.gain_constant(game.noise_variance) * beta)
    return (
        Step(
            "certified gain",
            _root(runs, gain, budget),
            rf"\sqrt{{{_FRONT}(\gamma_{{M_T}}+\epsilon|\mathcal M^c|)}}",
            "upper end of the maximum information gain",
            "lemma-8.3",
        ),
        Step(
            "two roots",
            _root(runs, gain, 0.0) + _root(runs, 0.0, budget),
            rf"\sqrt{{{_FRONT}\gamma_{{M_T}}}}+\sqrt{{{_FRONT}\epsilon|\mathcal M^c|}}",
            "root of a sum",
        ),
        Step(
            "all rounds rejected",
            float(bounds.split_bound(game.horizon, beta, game.noise_variance, gain, game.epsilon)),
            rf"\sqrt{{{_FRONT}\gamma_{{M_T}}}}+T\sqrt{{C_1\beta_T\epsilon}}",
            "at most T rounds are rejected",
        ),
        Step(
            "Theorem 3.2",
            _root(runs, gain, 0.0) + twice,
            rf"\sqrt{{{_FRONT}\gamma_{{M_T}}}}+T\sqrt{{\log(1+T^{{-\alpha}})}}\sqrt{{C_1\beta_T}}",
            "2 epsilon for epsilon",
            "theorem-3.2-i",
        ),
    )


def improvement_chain(game: Game, run: int = 0, printed: bool = False) -> Chain:
    r"""The proof of Theorem 3.4 on one run of expected improvement.

    As far as it is sound, to :func:`~companion.papers.compressed.theory.bounds.improvement_bound`; with ``printed``, its
    treatment of the maximiser, :math:`\sum_t\sqrt{\beta_t}\sigma_{t-1}(x^*)` up to (9.26), where Lemma 9.5 is applied to a point
    that may never be sampled: on instance E that chain breaks.
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
            "R is the largest over candidates and rounds; the states before the T rounds are enough",
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
    whole = float(runs.supremum_score[run])  # what is printed does not stop at the rounds
    side = {
        **split(runs, run),
        "trivial": float(bounds.trivial_bound(runs.values[run], horizon)),
        "printed (3.6)": float(bounds.theorem_34(horizon, beta, noise, gain, game.alpha, whole)),
        "line (9.27)": float(bounds.theorem_34(horizon, beta, noise, gain, game.alpha, whole, power=0.5)),
        "R": whole,
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


def mean_chain(chains: Sequence[Chain]) -> Chain:
    """Means over runs, step by step: an inequality between steps that holds on every run survives averaging."""
    first = chains[0]
    values = np.mean([[step.value for step in chain] for chain in chains], axis=0)
    steps = tuple(replace(step, value=float(value)) for step, value in zip(first, values, strict=True))
    side = {name: float(np.mean([chain.side[name] for chain in chains])) for name in first.side}
    return Chain(first.title, steps, side)


def _checked(game: Game, run: int) -> int:
    return whole_number("run", run, 0, game.runs - 1)
