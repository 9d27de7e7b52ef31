r"""The proof of Theorem 4.1 on runs: what the regret consists of, and what each term is replaced by.

In every run, with :math:`[\xi^\star]_t` the rounded best law,

.. math:: R_T=\underbrace{\sum_tg(\xi^\star)-g([\xi^\star]_t)}_{R^A}
          +\underbrace{\sum_tg([\xi^\star]_t)-\alpha_t([\xi^\star]_t)}_{R^C}
          +\underbrace{\sum_t\alpha_t([\xi^\star]_t)-\alpha_t(\xi_t)}_{\le0}+\underbrace{\sum_t\alpha_t(\xi_t)-g(\xi_t)}_{R^D}

The chain leaves out the third term and replaces the others one after the other, R^C, R^A, then R^D in three steps, up to
the bound of the theorem. Its numbers are means over runs, so that the steps which hold in expectation only are subject to
the error of a mean; :func:`terms` gives these errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from companion.checks.chain import Chain, Step
from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number
from companion.papers.meanfield.theory.bounds import Bound, Pieces, corrected_bound, gain_factor, printed_bound
from companion.papers.meanfield.theory.runs import GameRuns

#: What multiplies the posterior standard deviation: beta_t as the paper prints, its root in the corrected reading.
MULTIPLIERS = {"printed": "beta", "corrected": "root"}


@dataclass(frozen=True)
class Term:
    r"""One term of the decomposition.

    Parameters
    ----------
    name : ``regret``, ``discretisation`` (R^A), ``optimism`` (R^C), ``argmax`` (the one left out) or ``exploration`` (R^D)
    latex : its formula, without dollar signs
    mean, standard_error : over the runs, of the sum over rounds
    bound : what the theorem replaces it by; the whole bound for the regret
    """

    name: str
    latex: str
    mean: float
    standard_error: float
    bound: float


LATEX = {
    "regret": r"R_T=\sum_tg(\xi^\star)-g(\xi_t)",
    "discretisation": r"R^A_T=\sum_tg(\xi^\star)-g([\xi^\star]_t)",
    "optimism": r"R^C_T=\sum_tg([\xi^\star]_t)-\alpha_t([\xi^\star]_t)",
    "argmax": r"\sum_t\alpha_t([\xi^\star]_t)-\alpha_t(\xi_t)",
    "exploration": r"R^D_T=\sum_t\alpha_t(\xi_t)-g(\xi_t)",
}


def sums(runs: GameRuns) -> dict[str, Floats]:
    """The regret and its four terms, summed over rounds, each (R,); the regret equals the sum of the others."""
    rounds = {
        "regret": runs.instantaneous,
        "discretisation": runs.discretisation,
        "optimism": runs.optimism,
        "argmax": runs.remainder,
        "exploration": runs.exploration,
    }
    return {name: np.asarray(values.sum(axis=1)) for name, values in rounds.items()}


def theorem(
    runs: GameRuns, reading: str = "corrected", pieces: Pieces | None = None, gain: float | None = None
) -> Bound:
    """The theorem's bound for a set of runs, term by term.

    Parameters
    ----------
    runs : gives game and horizon
    reading : ``"printed"`` or ``"corrected"``
    pieces : constants; by default those of the game
    gain : gamma_T or an upper bound of it; by default the game's certified upper end
    """
    horizon, game = len(runs.width), runs.game
    constants = pieces or game.pieces()
    nats = game.gain(horizon).upper if gain is None else positive_number("gain", gain)
    if reading not in MULTIPLIERS:
        raise ParameterError("reading", f"got {reading!r}", "'printed' or 'corrected'")
    if reading == "printed":
        return printed_bound(constants, horizon, game.noise_variance, nats, unchecked=True)
    return corrected_bound(constants, horizon, game.noise_variance, nats)


def terms(runs: GameRuns, bound: Bound) -> tuple[Term, ...]:
    """The regret and its terms with their standard errors, beside what the theorem has for each.

    Parameters
    ----------
    runs : at least two
    bound : see :func:`theorem`
    """
    found = sums(runs)
    if len(runs.best) < 2:
        raise ParameterError("runs", "there is only one", "at least two, for a standard error")
    limits = {
        "regret": bound.total,
        "discretisation": bound.discretisation,
        "optimism": bound.optimism,
        "argmax": 0.0,
        "exploration": bound.exploration,
    }
    return tuple(
        Term(
            name,
            LATEX[name],
            float(values.mean()),
            float(values.std(ddof=1) / math.sqrt(len(values))),
            float(limits[name]),
        )
        for name, values in found.items()
    )


def regret_chain(
    runs: GameRuns, reading: str = "corrected", pieces: Pieces | None = None, gain: float | None = None
) -> Chain:
    r"""From the measured mean regret to the bound of Theorem 4.1.

    Parameters
    ----------
    runs : played with the width of that reading
    reading : ``"corrected"``; or ``"printed"``, the appendix as it stands, with :math:`\kappa=1` and multiplier beta_t
    pieces, gain : see :func:`theorem`

    Returns
    -------
    Chain
        whose ``side`` has the means of the four terms, some of them negative
    """
    bound = theorem(runs, reading, pieces, gain)
    means = {name: float(values.mean()) for name, values in sums(runs).items()}
    horizon, noise = len(runs.width), runs.game.noise_variance
    last = float(runs.width[-1])
    variance = 1.0 if reading == "printed" else runs.game.variance
    squares = (runs.sd**2).sum(axis=1)
    realised = 0.5 * np.log1p(runs.sd**2 / noise).sum(axis=1)
    cauchy = last * float(np.sqrt(horizon * squares).mean())
    gained = last * float(np.sqrt(horizon * gain_factor(variance, noise) * realised).mean())
    fixed = bound.discretisation + bound.optimism
    multiplier = r"\beta_T" if MULTIPLIERS[reading] == "beta" else r"\sqrt{\beta_T}"
    kappa = "" if reading == "printed" else r"\kappa"
    front = rf"\bar R^A+{kappa}\tfrac{{\pi^2}}6+{multiplier}"
    three = means["discretisation"] + means["optimism"] + means["exploration"]
    steps = (
        Step("measured", means["regret"], r"\E R_T", "mean regret of the runs"),
        Step("three terms", three, "R^A+R^C+R^D", "the law played maximises the acquisition", "A-decomp"),
        Step(
            "optimism bounded",
            means["discretisation"] + bound.optimism + means["exploration"],
            rf"R^A+{kappa}\tfrac{{\pi^2}}6+R^D",
            "positive parts over the whole discretisation",
            "A2-RC",
        ),
        Step(
            "rounding bounded",
            fixed + means["exploration"],
            rf"\bar R^A+{kappa}\tfrac{{\pi^2}}6+R^D",
            "slopes and heights of the prior's paths",
            "A1-total",
        ),
        Step(
            "Cauchy-Schwarz",
            fixed + cauchy,
            rf"{front}\,\E\sqrt{{T\sum_t\sigma_{{t-1}}^2}}",
            "the payoff's mean is that of the posterior, and widths do not fall",
            "A3-cauchy",
        ),
        Step(
            "realised gain",
            fixed + gained,
            rf"{front}\,\E\sqrt{{TDI_T}}",
            "variances against information",
            "A3-infogain",
        ),
        Step("certified gain", bound.total, rf"{front}\sqrt{{TD\gamma_T}}", "no design gains more", "A3-RD"),
    )
    side = {name: mean for name, mean in means.items() if name != "regret"}
    return Chain(f"expected regret, {reading}", steps, side)
