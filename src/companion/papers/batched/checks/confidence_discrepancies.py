"""Suspected errors: Appendix A and the elimination steps."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from scipy import stats

from companion.bounds.confidence import UnionBoundWidth
from companion.checks.suspected_error import Finding, suspected_error
from companion.core.randomness import stream
from companion.papers.batched.checks.confidence import NOISES, survivor_pairs
from companion.papers.batched.checks.confidence_bounds import (
    ThreePointNoise,
    footnote_3,
    footnote_3_noises,
    largest_tail,
)
from companion.papers.batched.problems.catalogue import KERNEL_TITLES, three_arms
from companion.papers.batched.theory.bounds import ROBUST_PRINTED, per_round_bounds
from companion.papers.batched.theory.chain import coverage
from companion.papers.batched.theory.runs import direct_posterior, play
from companion.papers.batched.theory.three_arms import ARMS
from companion.papers.batched.theory.valid_runs import searched_runs

#: Sizes of three batches after which one of three arms is alive, and only its neighbours are evaluated.
_SIZES, _DELTA = (120, 60_000, 1_200), 0.5


@suspected_error("E2", teeth={"the active point is charged": {"charged": "charged"}})
def literal_reading(*, charged: str = "query") -> Finding:
    r"""line 7 names the sampled point of $\mathcal X_{\xi,i}$ $x_t$, and Section 2.2 charges $r_\xi(x_t)$

    Three independent arms on a path; regret of the last batch, charged as printed and as intended.

    The reading decides which point is charged, not which is evaluated, so one run of robust-BPE serves both.
    """
    modelled = three_arms(*ARMS, path=True)
    problem, width = modelled.problem, UnionBoundWidth(modelled.known_norm, 3, len(_SIZES), _DELTA).width()
    noise = stream(0, "batched", "three-arms", "noise").standard_normal(sum(_SIZES))
    history, regret = play(modelled, 1.0, _SIZES, width, noise).history, problem.robust_regret
    last = history[-1]
    outside = float((~last.active[last.query]).mean())
    literal, intended = float(regret[getattr(last, charged)].mean()), float(regret[last.charged].mean())
    gains = [record.gain for record in history]
    allowed = float(per_round_bounds(_SIZES, gains, width, 1.0, elimination=ROBUST_PRINTED)[-1])
    valid = bool(coverage(history, problem.values)["valid"])
    return Finding(
        valid and literal > allowed >= intended,
        {"outside": outside, "literal": literal, "intended": intended, "allowed": allowed, "valid": valid},
        arms=ARMS,
        active=int(last.active.sum()),
        all_held="yes" if valid else "no",
    )


@suspected_error("E3", teeth={"six widths, as printed": {"widths": 6.0}, "three widths": {"widths": 3.0}})
def four_widths(*, widths: float = 4.0) -> Finding:
    r"""a survivor has $r_\xi(x)\le6\sqrt{C\beta\gamma_{N_i}/N_i}$

    How much regret a survivor can have, in units of the root in Lemma 10, over free searches with valid bounds.
    """
    ratios: list[float] = []
    extreme: list[float] = []
    batches, noises = 0, (*NOISES, 100.0)
    for kernel, dim, noise in product(KERNEL_TITLES, (1, 2), noises):
        found = searched_runs(kernel, dim, noise, robust=True, count=12)
        for place, run in enumerate(found.runs):
            ratio = max(left / right for left, right in survivor_pairs(run, noise, 1.0))
            (ratios if place else extreme).append(ratio)
            batches += len(run.views)
    random, largest = max(ratios), max(extreme)
    return Finding(
        max(random, largest) <= widths and largest > widths - 0.1,
        {"batches": batches, "random": random, "extreme": largest},
        largest_noise=max(noises),
        largest_ratio=max(random, largest),
    )


@suspected_error("E11", teeth={"three widths": {"factor": 3.0}})
def first_batch_step(*, factor: float = 2.0) -> Finding:
    r"""valid bounds give $UCB_1\le\mu_0+\sqrt\beta\,\sigma_0$ and $LCB_1\ge\mu_0-\sqrt\beta\,\sigma_0$

    Two independent arms worth :math:`\pm\Psi/\sqrt2`, Psi = 100, evaluated once each, lambda = 1.

    Without noise, and with the normal noise of 1000 runs: how often the bounds hold and
    :math:`UCB_1(x^*)-LCB_1(x)>2\sqrt\beta`.
    """
    norm, covariance, query = 100.0, np.eye(2), np.array([0, 1])
    values = norm / math.sqrt(2.0) * np.array([-1.0, 1.0])
    width = UnionBoundWidth(norm, 2, 2, 0.1).width()
    noise = stream(0, "batched", "discrepancies", "first batch").standard_normal((1000, 2))

    def gap(errors: np.ndarray) -> tuple[float, bool]:
        mean, sd = direct_posterior(covariance, 1.0, query, values + errors)
        valid = bool(np.all(np.abs(values - mean) <= width * sd))
        return float((mean[1] + width * sd[1]) - (mean[0] - width * sd[0])), valid

    quiet, valid = gap(np.zeros(2))
    outcomes = [gap(errors) for errors in noise]
    broken = sum(ok and wide > 2 * width for wide, ok in outcomes)
    regret = float(values[1] - values[0])
    free = searched_runs("matern52", 1, 10.0, robust=False, count=12).runs[0]
    widths = float(free.problem.regret[free.views[0].active].max()) / free.width
    return Finding(
        valid and quiet > factor * width,
        {"widths": widths, "gap": quiet, "limit": 2 * width, "broken": broken, "runs": len(outcomes), "regret": regret},
        values=values,
    )


@suspected_error(
    "E18", teeth={"the union over both sides, as repaired": {"sides": 2.0}, "no repair": {"repaired_sides": 1.0}}
)
def subgaussian_tail(*, sides: float = 1.0, repaired_sides: float = 2.0) -> Finding:
    r"""the upper bounds extend trivially to $\sigma$-sub-Gaussian noise

    Lemma 3 for the heaviest symmetric noise on three points that is 1-sub-Gaussian, by enumeration.
    """
    single = ThreePointNoise("se", 1, 3.0, 1, level=0.55)
    case, repaired = footnote_3(single, sides=sides), footnote_3(single, sides=repaired_sides)
    everywhere = footnote_3_noises()
    printed = sum(not footnote_3(noise).holds for noise in everywhere)
    corrected = sum(not footnote_3(noise, sides=2.0).holds for noise in everywhere)
    limit = math.exp(-(single.v**2) / 2.0)
    return Finding(
        not case.holds and repaired.holds and corrected == 0,
        {
            "tail": single.tail,
            "limit": limit,
            "delta": single.delta,
            "failure": case.lhs,
            "printed failures": printed,
            "corrected failures": corrected,
            "instances": len(everywhere),
        },
        single=single,
        largest_tail=largest_tail(single.v),
    )


@suspected_error("U1", teeth={"log in place of 2 log": {"factor": 1.0}})
def two_sided_bound(*, factor: float = 2.0) -> Finding:
    r"""$|f(x)-\mu_t(x)|\le(\Psi+\sqrt{2\log\tfrac1\delta})\,\sigma_t(x)$ with probability at least $1-\delta$

    The worst probability in Lemma 3 over delta, for Gaussian noise.

    An error of at most :math:`\Psi\sqrt{1-u^2}+u|Z|` standard deviations, :math:`0<u\le1`, fails with probability
    :math:`Q\big((s-b)/u\big)+Q\big((s+b)/u\big)`, with the width :math:`s=\Psi+\sqrt{2\log(1/\delta)}` and the bias
    :math:`b=\Psi\sqrt{1-u^2}`. The maximum is taken over a grid of u, Psi and delta.
    """
    u = np.sin(np.linspace(0.0, np.pi / 2, 801)[1:])[:, None]
    norm = np.concatenate([[0.0], np.logspace(-3, 2, 51)])[None, :]
    worst = {}
    for delta in (1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.9, 0.99):
        width, bias = norm + math.sqrt(factor * math.log(1.0 / delta)), norm * np.sqrt(1.0 - u**2)
        failure = stats.norm.sf((width - bias) / u) + stats.norm.sf((width + bias) / u)
        worst[delta] = float(failure.max()) / delta
    usual = max(ratio for delta, ratio in worst.items() if delta <= 0.5)
    return Finding(
        max(worst.values()) > 1.0,
        {f"delta {delta:g}": ratio for delta, ratio in worst.items()},
        usual=usual,
        at_one_tenth=worst[0.1],
        largest=max(worst.values()),
    )
