"""Suspected errors in Appendices A.2 and A.3: what the acquisition promises, and what exploration costs."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from companion.checks.samples import standard_error
from companion.checks.suspected_error import Finding, suspected_error
from companion.papers.meanfield.checks.proof_cases import ERRORS
from companion.papers.meanfield.checks.proof_constants import PAPER_SIZES
from companion.papers.meanfield.checks.proof_gaussian import Conditioned, Normal, conditioned
from companion.papers.meanfield.checks.proof_payoffs import Payoff, average_payoff, payoff_values
from companion.papers.meanfield.checks.proof_runs import GAMES, variances_and_information
from companion.papers.meanfield.theory.bounds import gain_factor
from companion.papers.meanfield.theory.chain import regret_chain, sums
from companion.papers.meanfield.theory.runs import STANDARD_GAMES, theory_runs


@suspected_error("E11", teeth={"a negative mean": {"mean": -1.0}})
def positive_part_and_mean(*, mean: float = 1.0) -> Finding:
    r"""$\E[Z^+]\le\frac s{\sqrt{2\pi}}e^{-m^2/(2s^2)}$ for every mean; $f-U_t$ has mean $-\beta_t\sigma^2$; exponent
    $\beta_t/2$

    The lemma for positive means, the mean of f - U, the printed route, negative bonuses, and both conventions.
    """
    sample = Normal(mean, 1.0)
    lemma = math.exp(-0.5 * mean**2) / math.sqrt(2.0 * math.pi)
    grid = np.linspace(0.0, 20.0, 200_001)
    height = 1.0 / math.sqrt(2.0 * math.pi)
    exact = height * np.exp(-(grid**2) / 2.0) - grid * special.ndtr(-grid)
    slack = float((height * np.exp(-grid / 2.0) - exact).min())
    route = math.exp(-0.125), math.exp(-0.25)
    # As many games as the chapter plays, so that its numbers are these.
    root, beta = (
        regret_chain(theory_runs(runs=STANDARD_GAMES, reading=reading, multiplier=multiplier), reading)
        for reading, multiplier in (("corrected", "root"), ("printed", "beta"))
    )
    negative = 2.0 * math.log(2.0 / math.sqrt(2.0 * math.pi))
    place = Conditioned("se", 1, 0.1, 4.0)
    error, sd = conditioned(place.kernel, place.dim, place.noise_sd, place.draws)
    means = float((error - place.beta * sd).mean()), -place.beta * sd, -place.beta * sd**2
    regrets, limits = zip(*((chain.steps[0].value, chain.steps[-1].value) for chain in (root, beta)), strict=True)
    values = {
        "positive part": sample.positive_part,
        "means": means,
        "lemma": lemma,
        "slack": slack,
        "route": route,
        "regret": regrets,
        "bound": limits,
        "negative beta": negative,
    }
    return Finding(
        sample.positive_part > lemma
        and abs(means[0] - means[1]) < ERRORS * standard_error(error) < abs(means[0] - means[2])
        and slack >= 0.0
        and route[0] > route[1],
        values,
        instance=place,
    )


@suspected_error("E23", teeth={"an at least 1": {"a": 1.0}})
def small_slips(*, a: float = 0.2) -> Finding:
    """no condition on $an$, no value for $D$, an inequality that is an equality, a linear dependence on $M$

    Those of the small slips that can be computed.
    """
    n = 1
    slope = math.log(a * n) + math.sqrt(math.pi) / 2.0
    constants = {noise: gain_factor(1.0, noise**2) for noise in (0.01, 0.1, 1.0)}
    payoff = Payoff("matern52", 3, 2, 20)
    laws, points = payoff.laws, payoff.partners
    exact, coarse = payoff_values(payoff, laws), payoff_values(payoff, points)
    written_out = (laws.reshape(len(laws), -1) * exact - points.reshape(len(laws), -1) * coarse).sum(axis=1) / 2.0
    gap = float(np.abs(written_out - (average_payoff(exact, laws) - average_payoff(coarse, points))).max())
    agents = (10, 1000)
    growth = math.sqrt(agents[1] / agents[0])
    return Finding(
        slope < 0.0 and gap < 1e-12,
        {"slope": slope, "constants": {str(k): v for k, v in constants.items()}, "gap": gap, "growth": growth},
        by_noise=", ".join(f"{value:.3f} at $R={noise:g}$" for noise, value in constants.items()),
        agents=agents,
    )


@suspected_error("U1", teeth={"1/t in place of its square": {"power": 1.0}})
def pieces_fit_together(*, power: float = 2.0) -> Finding:
    r"""$\tau_t$, $|\Xi_t|$, $\beta_t$ and the distance $1/(t^2\mathcal G)$ are given separately

    Number of points, number of parts, distance and beta agree.
    """
    worst = 0.0
    for pieces in PAPER_SIZES:
        for t in (1, 10, 250):
            distance = pieces.size / pieces.cuts(t) * t**2 * pieces.printed_slope
            left = math.log(pieces.size) + pieces.log_count(t) - pieces.beta(t) / 2.0 - 0.5 * math.log(2.0 * math.pi)
            worst = max(worst, abs(distance - 1.0), abs(math.exp(left + power * math.log(t)) - 1.0))
    return Finding(worst > 1e-9, {"largest error": worst})


@suspected_error("U3", teeth={"four times the exponent": {"rate": 2.0}})
def beta_in_place_of_its_root(*, rate: float = 0.5) -> Finding:
    r"""$e^{-\beta_t/2}$ beside $U_t=\mu_{t-1}+\beta_t\sigma_{t-1}$

    The positive part under the paper's multiplier against its bound.
    """
    beta = np.linspace(0.0, 100.0, 1_000_001)
    height = 1.0 / math.sqrt(2.0 * math.pi)
    left = height * np.exp(-(beta**2) / 2.0) - beta * special.ndtr(-beta)
    failures = int(np.sum(left > height * np.exp(-rate * beta) * (1.0 + 1e-12)))
    return Finding(failures > 0, {"failures": failures}, holding=len(beta) - failures, all_values=len(beta))


@suspected_error("U4", teeth={"half the width": {"share": 0.5}})
def third_term_of_the_proof(*, share: float = 1.0) -> Finding:
    """the law played is independent of the payoff given the data; Cauchy-Schwarz; Lemma 5.4 of Srinivas et al.

    The replacement of the payoff by the posterior mean, Cauchy-Schwarz and the gain lemma, on runs.
    """
    rows = {}
    for instance in GAMES:
        runs = instance.play()
        difference = sums(runs)["exploration"] - share * (runs.sd @ runs.width)
        rows[instance.where] = (float(difference.mean()), standard_error(difference))
    off = [where for where, (mean, error) in rows.items() if abs(mean) > ERRORS * error]
    lemma = sum(case.failures for case in variances_and_information.all_cases())
    mean, error = rows[GAMES[0].where]
    return Finding(
        bool(off) or lemma > 0,
        {"rows": {key: list(value) for key, value in rows.items()}, "off": off, "lemma": lemma},
        mean=mean,
        error=error,
        off_games=len(off),
        games=len(rows),
    )
