"""Suspected errors in Appendix A.1: laws, slopes and series."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import optimize

from companion.checks.suspected_error import Finding, suspected_error
from companion.core.arrays import Floats
from companion.papers.meanfield.checks.proof_constants import PAPER_SIZES, logarithmic_sum
from companion.papers.meanfield.checks.proof_gaussian import largest_gaussian
from companion.papers.meanfield.checks.proof_laws import (
    Rounding,
    hoelder,
    midpoints,
    multiples,
    not_laws,
    random_collections,
    remainders,
)
from companion.papers.meanfield.checks.proof_payoffs import Payoff, average_payoff, payoff_values
from companion.papers.meanfield.checks.proof_slopes import Linear
from companion.papers.meanfield.method.widths import TheoryWidth
from companion.papers.meanfield.theory.bounds import (
    ZETA_PRIME_2,
    Pieces,
    corrected_discretisation,
    own_display,
    printed_discretisation,
)

BASEL = math.pi**2 / 6.0


@suspected_error("E3", teeth={"the corrected slope": {"slope": "slope"}})
def mean_largest_slope(*, slope: str = "printed_slope") -> Finding:
    r"""$\E L_{\max}\le b(\log(a|A||C|)+\sqrt\pi/2)$

    Linear paths, for which the mean is known, against the printed and the corrected bound.
    """
    rows = []
    for n, scale in ((1, 1.0), (1, 0.05), (1, 0.01), (30, 0.01), (60, 0.001)):
        path = Linear(n, 1, scale)
        rows.append((n, scale, path.mean_slope, getattr(path.pieces, slope), path.pieces.slope))
    threshold = float(
        optimize.brentq(lambda s: Linear(1, 1, s).mean_slope - Linear(1, 1, s).pieces.printed_slope, 1e-4, 1.0)
    )
    violated = [row for row in rows if row[2] > row[3]]
    text = "; ".join(
        f"$n={n}$, variance {s:g}: {mean:.3g}, printed {printed:.3g}, corrected {fixed:.3g}"
        for n, s, mean, printed, fixed in rows
    )
    return Finding(
        bool(violated) and all(row[2] <= row[4] for row in rows),
        {"rows": rows, "violated": len(violated), "threshold": threshold},
        text=text,
        settings=len(rows),
    )


@cache
def _rounded_draws(count: int = 4000) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Laws over 30 actions and their roundings with 100 parts by every rule."""
    laws = random_collections(Rounding(30, 1, 100, count=count))
    return laws, {rule.__name__: rule(laws, 100) for rule in (multiples, midpoints, remainders)}


@suspected_error("E4", teeth={"by largest remainders": {"rule": "remainders"}})
def discretisation_leaves_the_simplex(*, rule: str = "multiples") -> Finding:
    r"""each coordinate of a law is cut into equal parts, and the nearest point is called a distribution

    How many rounded laws are laws; what the acquisition and the slopes say about those that are not.

    In the first round :math:`\alpha_1(\xi)` is proportional to the total of the entries, 1 for a law. The payoff
    :math:`(\sum_x\xi(x)-1)^2` has no slope at any law, and differs at points that are none.
    """
    laws, points = _rounded_draws()
    outside = {name: float(not_laws(found).mean()) for name, found in points.items()}
    totals = points["multiples"].sum(axis=(1, 2))
    above = float((totals > 1.0 + 1e-9).mean())
    jump = float(((totals - 1.0) ** 2).max())
    reached = float((2.0 * 100 / 30 * np.abs(points["remainders"] - laws).sum(axis=(1, 2))).max())
    cuts = TheoryWidth(30, 1, 2.0, 2.0).cuts(1)
    return Finding(
        outside[rule] > 0.0 and outside["midpoints"] > 0.0 and outside["remainders"] == 0.0,
        {"outside": outside, "above one": above, "jump": jump, "distance over bound": reached, "tau": cuts},
        laws=len(laws),
    )


@suspected_error("E5", teeth={"the bracket turned round": {"sign": -1.0}})
def sign_of_the_last_bracket(*, sign: float = 1.0) -> Finding:
    r"""the second term has the bracket $[\xi^\star]_t-\xi^\star$

    Both sides on one random payoff.
    """
    payoff = Payoff("se", 4, 1, 3)
    laws, points = payoff.laws, payoff.partners
    exact, coarse = payoff_values(payoff, laws), payoff_values(payoff, points)
    left = average_payoff(exact, laws) - average_payoff(coarse, points)
    first = (laws[:, 0] * (exact - coarse)).sum(axis=1)
    second = (coarse * (points - laws)[:, 0]).sum(axis=1)
    at = int(np.argmax(np.abs(second)))
    printed, corrected = float(first[at] + sign * second[at]), float(first[at] - second[at])
    error = float(np.abs(left - first + second).max())
    return Finding(
        error < 1e-12 < abs(printed - float(left[at])),
        {"left": float(left[at]), "printed": printed, "corrected": corrected},
    )


@suspected_error("E6", teeth={"with absolute values": {"total": lambda payoff: np.abs(payoff).sum()}})
def missing_absolute_value(*, total: Callable[[Floats], float] = np.sum) -> Finding:
    r"""$\sum_xf_x\delta_x\le\max\|\delta\|_1\sum_xf_x$

    The smallest example, and how often the printed inequality fails.
    """
    payoff, change = np.array([1.0, -1.0]), np.array([0.1, -0.1])
    left, printed = float(payoff @ change), float(np.abs(change).sum() * total(payoff))
    corrected = float(np.abs(change).sum() * np.abs(payoff).max())
    cases = list(hoelder.all_cases())
    failing, checked = sum(case.failures for case in cases), sum(case.trials for case in cases)
    assert hoelder.correction is not None
    repaired = sum(case.failures for case in hoelder.all_cases(**hoelder.correction.change))
    return Finding(
        left > printed and left <= corrected and repaired == 0,
        {"left": left, "printed": printed, "corrected": corrected, "share": failing / checked, "repaired": repaired},
        checked=checked,
    )


@suspected_error("E7", teeth={"a slope of 1": {"slope": 1.0}})
def at_least_one_part(*, slope: float = 0.01) -> Finding:
    r"""$\max\{t^2\mathcal G,1/n\}$ is replaced by the larger $t^2\max\{\mathcal G,1/n\}$ in a denominator

    Both sides for two coordinates and a slope of 0.01, and where they turn round.
    """
    n = 2
    rows = {
        t: (1.0 / max(t**2 * slope, 1.0 / n), 1.0 / (t**2 * max(slope, 1.0 / n)), 1.0 / (t**2 * slope))
        for t in (1, 2, 5)
    }
    wrong = [t for t, (left, right, _) in rows.items() if left > right * (1.0 + 1e-12)]
    text = "; ".join(f"$t={t}$: {left:g} against {right:g}" for t, (left, right, _) in rows.items())
    return Finding(
        bool(wrong) and all(left <= last for left, _, last in rows.values()),
        {"rows": {str(t): row for t, row in rows.items()}, "fails": wrong},
        n=n,
        slope=slope,
        text=text,
        least=min(p.size * p.printed_slope for p in PAPER_SIZES),
    )


@suspected_error("E8", teeth={"one coordinate": {"n": 1}})
def lost_log_n(*, n: int = 30) -> Finding:
    r"""$\log\tau_t=2\log t+\log\mathcal G$

    Log tau_t against the printed sum.
    """
    slope, t = 2.0, 1
    left, right = math.log(n * t**2 * slope), 2.0 * math.log(t) + math.log(slope)
    return Finding(left > right, {"left": left, "printed": right}, n=n, slope=slope, t=t, difference=left - right)


@suspected_error("E9", teeth={"minus the derivative": {"zeta": -ZETA_PRIME_2}})
def zeta_step(*, zeta: float = ZETA_PRIME_2) -> Finding:
    r"""$\sum_tt^{-2}\log t=\zeta'(2)$, and a sum of two terms is bounded by the larger, without $\sqrt{\mathcal G}$

    The series, the bound that replaces a sum by a maximum, and what it means for R^A at the paper's sizes.
    """
    total = logarithmic_sum(10**6)
    printed = max(2.0 * ZETA_PRIME_2, BASEL)
    sides = {slope: 2.0 * total + math.sqrt(slope) * BASEL for slope in (0.1, 1.0, 10.0)}
    rows = [
        (
            p.actions,
            p.contexts,
            printed_discretisation(p),
            own_display(p, 2000, unchecked=True),
            corrected_discretisation(p, 2000),
        )
        for p in PAPER_SIZES
    ]
    text = "; ".join(f"$|A|={a}$, $|C|={c}$: {last:.1f}, {own:.0f}, {fixed:.2f}" for a, c, last, own, fixed in rows)
    return Finding(
        total > 0.0 > zeta and all(side > printed for side in sides.values()) and rows[0][3] > rows[0][2],
        {"sum": total, "zeta prime": ZETA_PRIME_2, "sides": {str(k): v for k, v in sides.items()}, "rows": rows},
        printed=printed,
        limits=list(sides.values()),
        text=text,
    )


@suspected_error("X1", teeth={"steeper paths": {"scales": (2.0,)}})
def root_of_a_negative_logarithm(*, scales: tuple[float, ...] = (0.5, 0.1, 0.01)) -> Finding:
    r"""$\sqrt{2\log t+\log\mathcal G}\le\sqrt{2\log t}+\sqrt{\log\mathcal G}$

    The step that splits the root needs a slope of at least one.
    """
    rows = [(b, Pieces(30, 1, 2.0, b).printed_slope) for b in scales]
    pieces = Pieces(2, 1, 2.0, 0.05)
    parts = pieces.cuts(1)
    text = ", ".join(f"{slope:.2f} at $b={b:g}$" for b, slope in rows)
    return Finding(
        any(slope < 1.0 for _, slope in rows) and parts < 1.0, {"rows": rows, "tau": parts}, text=text, pieces=pieces
    )


@suspected_error("U2", teeth={"log t in place of 2 log t": {"factor": 1.0}})
def roots_of_whole_rounds(*, factor: float = 2.0) -> Finding:
    r"""$\sqrt{2\log t}\le2\log t$

    The inequality for a million rounds.
    """
    logs = np.log(np.arange(1, 10**6 + 1))
    failures = int(np.sum(np.sqrt(2.0 * logs) > factor * logs * (1.0 + 1e-12)))
    between = math.sqrt(2.0 * math.log(1.2)), 2.0 * math.log(1.2)
    return Finding(failures > 0, {"failures": failures, "at 1.2": between}, holding=10**6 - failures, between=between)


@suspected_error("U5", teeth={"log N in place of 2 log N": {"factor": 1.0}})
def maximum_of_dependent_values(*, factor: float = 2.0) -> Finding:
    r"""$\E\max_{i\le N}X_i\le\sigma\sqrt{2\log N}$ for dependent values

    The mean of the largest of N equally correlated values against the bound for any dependence.
    """
    rows = []
    for count in (2, 10, 1000):
        for correlation in (0.0, 0.5, 0.99):
            mean = math.sqrt(1.0 - correlation) * largest_gaussian(math.log(count))
            rows.append((count, correlation, mean, math.sqrt(factor * math.log(count))))
    failures = sum(mean > bound for _, _, mean, bound in rows)
    return Finding(failures > 0, {"rows": rows, "failures": failures}, pairs=len(rows))
