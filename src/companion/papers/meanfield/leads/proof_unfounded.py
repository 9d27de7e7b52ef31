"""Suspicions about the proof of Theorem 4.1 that the numbers do not confirm."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from companion.checks.lead import Finding, lead
from companion.papers.meanfield.statements.proof_cases import ERRORS, standard_error
from companion.papers.meanfield.statements.proof_constants import PAPER_SIZES
from companion.papers.meanfield.statements.proof_gaussian import largest_gaussian
from companion.papers.meanfield.statements.proof_runs import GAMES, variances_and_information
from companion.papers.meanfield.theory.chain import sums


@lead(
    "U1",
    "minor",
    statement="A2-RC",
    consequence="They agree",
)
def pieces_fit_together() -> Finding:
    r"""$\tau_t$, $|\Xi_t|$, $\beta_t$ and the distance $1/(t^2\mathcal G)$ are given separately

    Number of points, number of parts, distance and beta agree.
    """
    worst = 0.0
    for pieces in PAPER_SIZES:
        for t in (1, 10, 250):
            distance = pieces.size / pieces.cuts(t) * t**2 * pieces.printed_slope
            left = math.log(pieces.size) + pieces.log_count(t) - pieces.beta(t) / 2.0 - 0.5 * math.log(2.0 * math.pi)
            worst = max(worst, abs(distance - 1.0), abs(math.exp(left + 2.0 * math.log(t)) - 1.0))
    return Finding(
        worst > 1e-9,
        "$n/\\tau_t=1/(t^2\\mathcal G)$ and $n|\\Xi_t|e^{-\\beta_t/2}/\\sqrt{2\\pi}=1/t^2$ at five sizes and "
        f"three rounds, to a relative {worst:.0e}",
        {"largest error": worst},
    )


@lead(
    "U2",
    "minor",
    statement="A1-sqrtlog",
    consequence="It is, for whole rounds",
)
def roots_of_whole_rounds() -> Finding:
    r"""$\sqrt{2\log t}\le2\log t$

    The inequality for a million rounds.
    """
    logs = np.log(np.arange(1, 10**6 + 1))
    failures = int(np.sum(np.sqrt(2.0 * logs) > 2.0 * logs * (1.0 + 1e-12)))
    between = math.sqrt(2.0 * math.log(1.2)), 2.0 * math.log(1.2)
    return Finding(
        failures > 0,
        f"$\\sqrt{{2\\log t}}\\le2\\log t$ holds in {10**6 - failures} of the first million rounds. It would fail "
        f"between the first two, at $t=1.2$: {between[0]:.3f} against {between[1]:.3f}",
        {"failures": failures, "at 1.2": between},
    )


@lead(
    "U3",
    "minor",
    statement="A2-law",
    consequence="The inequality is true, though not for the reason given",
)
def beta_in_place_of_its_root() -> Finding:
    r"""$e^{-\beta_t/2}$ beside $U_t=\mu_{t-1}+\beta_t\sigma_{t-1}$

    The positive part under the paper's multiplier against its bound.
    """
    beta = np.linspace(0.0, 100.0, 1_000_001)
    height = 1.0 / math.sqrt(2.0 * math.pi)
    left = height * np.exp(-(beta**2) / 2.0) - beta * special.ndtr(-beta)
    failures = int(np.sum(left > height * np.exp(-beta / 2.0) * (1.0 + 1e-12)))
    return Finding(
        failures > 0,
        f"$\\varphi(\\beta)-\\beta\\Phi(-\\beta)\\le\\varphi(0)e^{{-\\beta/2}}$ holds at {len(beta) - failures} of "
        f"{len(beta)} values of $\\beta$ from 0 to 100, so that the bound on $R^C$ is true for the printed "
        "multiplier as well",
        {"failures": failures},
    )


@lead(
    "U4",
    "minor",
    statement="A3-independence",
    consequence="It is, given an exact and deterministic argmax",
)
def third_term_of_the_proof() -> Finding:
    """the law played is independent of the payoff given the data; Cauchy-Schwarz; Lemma 5.4 of Srinivas et al.

    The replacement of the payoff by the posterior mean, Cauchy-Schwarz and the gain lemma, on runs.
    """
    rows = {}
    for instance in GAMES:
        runs = instance.play()
        difference = sums(runs)["exploration"] - runs.sd @ runs.width
        rows[instance.where] = (float(difference.mean()), standard_error(difference))
    off = [where for where, (mean, error) in rows.items() if abs(mean) > ERRORS * error]
    lemma = sum(case.failures for case in variances_and_information.all_cases())
    mean, error = rows[GAMES[0].where]
    return Finding(
        bool(off) or lemma > 0,
        f"On the standard instance $R^D$ less the widths at the agent's place has mean {mean:.2f} with standard "
        f"error {error:.2f}; in {len(off)} of {len(rows)} games it is off by more than four errors. The gain lemma "
        f"with $D=2\\kappa^2/\\log(1+\\kappa^2/R^2)$ fails in {lemma} places",
        {"rows": {key: list(value) for key, value in rows.items()}, "off": off, "lemma": lemma},
    )


@lead(
    "U5",
    "minor",
    statement="A1-maxgauss",
    consequence="It does not",
)
def maximum_of_dependent_values() -> Finding:
    r"""$\E\max_{i\le N}X_i\le\sigma\sqrt{2\log N}$ for dependent values

    The mean of the largest of N equally correlated values against the bound for any dependence.
    """
    rows = []
    for count in (2, 10, 1000):
        for correlation in (0.0, 0.5, 0.99):
            mean = math.sqrt(1.0 - correlation) * largest_gaussian(math.log(count))
            rows.append((count, correlation, mean, math.sqrt(2.0 * math.log(count))))
    failures = sum(mean > bound for _, _, mean, bound in rows)
    return Finding(
        failures > 0,
        f"The lemma holds for all of {len(rows)} pairs of a number of values and a correlation; it is closest for "
        f"independent ones, {rows[6][2]:.3f} against {rows[6][3]:.3f} for a thousand",
        {"rows": rows, "failures": failures},
    )
