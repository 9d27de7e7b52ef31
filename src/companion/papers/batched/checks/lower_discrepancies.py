"""Suspected errors: Section 4 and Appendix B.2, the lower bounds."""

from __future__ import annotations

import math

import numpy as np

from companion.checks.suspected_error import Finding, suspected_error
from companion.papers.batched.checks.lower_batches import bad_batches, schedules
from companion.papers.batched.checks.lower_class import LEAST_LENGTH, Growth
from companion.papers.batched.checks.lower_information import Discrete
from companion.papers.batched.problems.hard_class import HardClass, class_properties, restricted_norms
from companion.papers.batched.theory.counts import power_batch_count_log2
from companion.papers.batched.theory.players import ClassPoint, class_points, family
from companion.papers.batched.theory.rates import least_relative_length


@suspected_error(
    "E7",
    teeth={"as many batches as the theorem needs": {"factor": 1.0}, "twice as many in the repair": {"repair": 2.0}},
)
def growing_batches(*, factor: float = 2.0, repair: float = 1.0) -> Finding:
    r"""$T_i-T_{i-1}=\Theta(T_i)$ for every $i$, in a setting where $B$ is constant or grows with $T$

    The shortest relative length of a reference batch, as B grows at fixed T and with T.
    """
    counts = (4, 5, 6, 8, 11, 16)
    smooth = [least_relative_length(10**6, b, math.inf, 2) for b in counts]
    rough = [least_relative_length(10**6, b, 1.5, 1) for b in counts]
    digits = (20, 60, 200)
    doubled = [Growth(math.inf, 2).least_length(10**k, factor)[1] for k in digits]
    matched = [Growth(math.inf, 2).least_length(10**k, repair)[1] for k in digits]
    confirmed = smooth[-1] < 0.01 and rough[-1] < 0.01 and doubled == sorted(doubled, reverse=True)
    confirmed = confirmed and doubled[-1] < 0.01 and min(matched) >= LEAST_LENGTH
    return Finding(
        confirmed,
        {"counts": counts, "se": smooth, "matern32": rough, "doubled": doubled, "matched": matched},
        first_count=counts[0],
        last_count=counts[-1],
        first_smooth=smooth[0],
        last_smooth=smooth[-1],
        first_rough=rough[0],
        last_rough=rough[-1],
        least_matched=min(matched),
    )


@suspected_error("E8", teeth={"only the first of several": {"most": 1}})
def not_a_partition(*, most: int = 3) -> Finding:
    """the bad events partition the probability space

    Schedules for which two bad events occur.
    """
    horizon, reference = 8, (2, 4, 8)
    every = [(ends, min(most, sum(bad_batches(ends, reference)))) for ends in schedules(horizon, 3)]
    several = [ends for ends, count in every if count > 1]
    none = sum(count == 0 for _, count in every)
    first = several[0] if several else ()
    which = [i for i, bad in enumerate(bad_batches(first, reference), 1) if bad] if several else []
    return Finding(
        bool(several) and none == 0,
        {"schedules": len(every), "overlapping": len(several), "uncovered": none},
        reference=reference,
        first=first,
        which=which,
    )


@suspected_error(
    "E15", teeth={"coefficient 0.9 as well": {"coefficient": 0.9}, "a larger coefficient than needed": {"smaller": 1.1}}
)
def sharper_change_of_measure(*, coefficient: float = 1.0, smaller: float = 0.9) -> Finding:
    """coefficient 3/2 before the total variation

    The coefficient of the total variation in Lemma 7.
    """
    slack, draws, failures = [], 0, 0
    for kind in ("random", "sparse", "worst"):
        for atoms in (2, 3, 5, 8):
            item = Discrete(kind, atoms, 20_000)
            right, left, _ = item.sides(coefficient)
            slack.append(left - right)
            lower_right, lower_left, _ = item.sides(smaller)
            failures += lower_left < lower_right
            draws += item.draws
    least = min(slack)
    return Finding(
        least >= -1e-12 and failures > 0,
        {"draws": draws, "least_slack": least, "families": len(slack), "failing_at_0.9": failures},
        least=max(least, 0.0),
        failures=failures,
    )


@suspected_error("E16", teeth={"one bump each": {"height": 0.0}})
def unlisted_property(*, height: float = 1.5) -> Finding:
    r"""outside $\mathcal R_m$ all points have regret of at least $\epsilon$, by Proposition 4

    Four functions on [0, 1] with all listed properties, each of which has little regret in another cell.

    f_m(x) = 2ε sinc²((x-c_m)/w) + 1.5ε sinc²((x-s_m)/v): a second, narrow bump stands near the edge of a neighbouring
    cell, where that cell's own function is small. |s_m - c_m| = 8v, a double zero of the second bump, so that value and
    place of the maximum do not change. The triangle inequality bounds the norm, and ε is the largest with ‖f_m‖ ≤ 1.
    """
    cells, width, narrow, points = 4, 0.05, 0.02, 251
    bumps = family("Matérn 3/2", 1)
    epsilon = 1.0 / (math.exp(bumps.log_unit_norm(width)) + height / 2 * math.exp(bumps.log_unit_norm(narrow)))
    hard = HardClass(bumps, epsilon, width, cells)
    x, centres = hard.grid(points), hard.centres()[:, 0]
    places = centres + 8 * narrow * np.array([1, 1, 1, -1])
    values = hard.values(x) + height * epsilon * np.sinc((x[:, 0] - places[:, None]) / narrow) ** 2
    scaled, own = values / epsilon, hard.cell_of(x)[None, :] == np.arange(cells)[:, None]
    owners = int((scaled >= 1.0).sum(axis=0).max())
    at_centres = bool(np.array_equal(x[np.argmax(values, axis=1), 0], centres))
    norm = float(restricted_norms(values, bumps.kernel(x)).max())
    listed = owners == 1 and at_centres and float(np.abs(scaled).max()) <= 2.0 + 1e-9 and norm <= 1.0
    gap = 2.0 - float(np.where(own, -np.inf, scaled).max())
    points_of = [item for item in class_points() if item.norm == 1.0]
    ours = min(class_properties(item.build(), item.grid()).outside_regret for item in points_of)
    return Finding(
        listed and gap < 1.0 <= ours,
        {"gap": gap, "owners": owners, "norm": norm, "explicit": ours},
        largest_value=np.abs(scaled).max(),
        points=len(x),
        classes=len(points_of),
    )


@suspected_error("E24", teeth={"a mixture of one player": {"players": 1}})
def randomised(*, players: int | None = None) -> Finding:
    """deterministic algorithms suffice, because the mean over the internal randomness is at least the minimum over it

    A randomised player against a class of bumps, compared with the deterministic players it mixes.

    The players stay in one cell each. Whichever it is, some f has them pay in every round; the mixture pays less
    against every f.
    """
    hard = ClassPoint("Matérn 3/2", 1, 0.1).build()
    gap = 2.0 * hard.epsilon - hard.values(hard.centres())  # (f, player), regret per round
    worst_fixed = gap.max(axis=0).min()
    worst_mixed = gap[:, :players].mean(axis=1).max()
    average_fixed, average_mixed = gap.mean(axis=0).min(), gap.mean(axis=0).mean()
    return Finding(
        bool(worst_mixed < worst_fixed and average_mixed >= average_fixed),
        {"worst_fixed": float(worst_fixed), "worst_mixed": float(worst_mixed), "functions": hard.size},
        fixed=worst_fixed / hard.epsilon,
        mixed=worst_mixed / hard.epsilon,
        mixed_on_average=average_mixed / hard.epsilon,
        fixed_on_average=average_fixed / hard.epsilon,
    )


@suspected_error("E25", teeth={"1 - a in place of 1/2 - a": {"exponent": 1.0}})
def detours(*, exponent: float = 0.5) -> Finding:
    """a bound on the number of batches to bound a factor; a factor $1/B$ for the first batch

    The exponent in (36), and the factor that (127) gives away.
    """
    factors = [
        2.0 ** (length * a ** (power_batch_count_log2(length, a) - 1) * (exponent - a))
        for a in (0.51, 0.6, 0.75, 0.9, 0.99)
        for length in (10.0, 100.0, 1e4)
    ]
    lost = []
    for batches in (2, 3, 5, 10):
        # A_1 = {t_1 >= T_1} with t_1 fixed in advance: for every t_1 the event is certain or impossible
        chances = {float(bad_batches((t, 20 + batches), (6, 20 + batches))[0]) for t in range(1, 20)}
        lost.append(0.75 * min(c for c in chances if c > 0) / (3.0 / (8.0 * batches)))
    direct = max(factors) <= 1.0
    return Finding(
        direct and lost == sorted(lost) and lost[0] > 1.0,
        {"largest_factor": max(factors), "lost": lost},
        pairs=len(factors),
        first_lost=lost[0],
        last_lost=lost[-1],
    )
