"""The checks of the exercises with code accept right answers in any style, and no plausible mistake."""

import numpy as np
import pytest
from exercises import judge, tried
from scipy.optimize import brentq

STEM = "ch3_batched"


def left_over(
    covariance,
    noise,
    size,
    alive,
    *,
    seen=True,
    added=None,
    half=0.5,
    root=True,
    noisy=True,
    log=np.log1p,
    rank=-1,
    over=None,
):
    """What a batch of maximum-variance sampling leaves and what is allowed, with its mistakes."""
    left, gain, added = covariance.copy(), 0.0, noise if added is None else added
    for _ in range(size):
        x = int(np.argsort(np.where(alive, np.diag(left), -np.inf))[rank])
        gain += half * log(left[x, x] / noise)
        if seen:
            left = left - np.outer(left[:, x], left[x]) / (left[x, x] + added)
    constant = 2 / np.log1p(1 / noise if noisy else noise)
    pair = np.diag(left)[alive].max(), constant * gain / (over or size)
    return np.sqrt(pair) if root else pair


def left_by_precision(covariance, noise, size, alive):
    """A list, from the inverse of the covariance, to which an observation adds at its candidate."""
    precision, gain = np.linalg.inv(covariance + 1e-12 * np.eye(len(covariance))), 0.0
    for _ in range(size):
        variance = np.linalg.inv(precision).diagonal()
        x = max((x for x in range(len(variance)) if alive[x]), key=lambda x: variance[x])
        gain += 0.5 * np.log(1 + variance[x] / noise)
        precision[x, x] += 1 / noise
    largest = max(variance for variance, yes in zip(np.linalg.inv(precision).diagonal(), alive, strict=True) if yes)
    return [largest**0.5, (2 * gain / size / np.log(1 + 1 / noise)) ** 0.5]


def needed(mean, sd, alive, best, *, cut=True):
    """The smallest width with which a candidate survives."""
    widths = (mean[alive] - mean[best]) / (sd[alive] + sd[best])
    return widths.max() if cut else widths[np.flatnonzero(alive) != best].max(initial=-np.inf)


def needed_by_brent(mean, sd, alive, best):
    def ahead(w):
        return mean[best] + w * sd[best] - (mean[alive] - w * sd[alive]).max()

    return brentq(ahead, 0, 1e6) if ahead(0) < 0 else 0


def needed_one_by_one(mean, sd, alive, best):
    width = 0
    for y in range(len(mean)):
        if alive[y]:
            width = max(width, (mean[y] - mean[best]) / (sd[y] + sd[best]))
    return width


def robust(lower, upper, points, reach, alive, *, strict=False, only_alive=False, best=None, ordinary=False, tie=True):
    """Elimination by worst neighbours with its mistakes."""
    apart = np.abs(points[:, None] - points[None, :])
    near = apart < reach if strict else apart <= reach
    near = near | np.eye(len(points), dtype=bool)
    if only_alive:
        near = near & (alive[None, :] | np.eye(len(points), dtype=bool))
    worst_lower, worst_upper = (np.where(near, end, np.inf).min(axis=1) for end in (lower, upper))
    who = alive if best is None else best(alive)
    ends, bar = (upper if ordinary else worst_upper), worst_lower[who].max()
    return alive & (ends >= bar if tie else ends > bar)


def robust_one_by_one(lower, upper, points, reach, alive):
    def worst(ends, x):
        return min(end for end, point in zip(ends, points, strict=True) if abs(point - points[x]) <= reach)

    bar = max(worst(lower, x) for x in range(len(points)) if alive[x])
    return [bool(alive[x]) and worst(upper, x) >= bar for x in range(len(points))]


RIGHT = {
    "largest_left": {"another loop": left_over, "a list, by precisions": left_by_precision},
    "needed_width": {"at once": needed, "SciPy": needed_by_brent, "one by one": needed_one_by_one},
    "robust_survivors": {"a matrix": robust, "a list, one by one": robust_one_by_one},
}
WRONG = {
    "largest_left": {
        "all points": lambda c, noise, size, alive: left_over(c, noise, size, np.ones_like(alive)),
        "the dead count at the end": lambda c, noise, size, alive: (
            np.sqrt(max(np.diag(c).max() * 0.5, left_over(c, noise, size, alive)[0] ** 2)),
            left_over(c, noise, size, alive)[1],
        ),
        "no update": lambda *given: left_over(*given, seen=False),
        "no noise": lambda *given: left_over(*given, added=1e-9),
        "the noise's deviation": lambda c, noise, size, alive: left_over(c, noise, size, alive, added=noise**0.5),
        "twice the gain": lambda *given: left_over(*given, half=1.0),
        "in bits": lambda *given: left_over(*given, log=lambda ratio: np.log2(1 + ratio)),
        "variances": lambda *given: left_over(*given, root=False),
        "noise for its inverse": lambda *given: left_over(*given, noisy=False),
        "one too few": lambda c, noise, size, alive: left_over(c, noise, size - 1, alive),
        "one too many": lambda c, noise, size, alive: left_over(c, noise, size + 1, alive),
        "one too many for the gain": lambda c, noise, size, alive: left_over(c, noise, size, alive, over=size + 1),
        "the batch of the text": lambda c, noise, size, alive: left_over(c, noise, 16, alive),
        "the noise of the text": lambda c, noise, size, alive: left_over(c, 0.01, size, alive),
        "the first active": lambda *given: left_over(*given, rank=int(np.argmax(given[3]))),
        "the allowed first": lambda *given: left_over(*given)[::-1],
        "only what is left": lambda *given: left_over(*given)[0],
        "the prior's": lambda c, noise, size, alive: (
            np.diag(c)[alive].max() ** 0.5,
            left_over(c, noise, size, alive)[1],
        ),
        "a jitter that shows": lambda c, *rest: left_over(c + 1e-5 * np.eye(len(c)), *rest),
    },
    "needed_width": {
        "the dead decide": lambda m, s, alive, best: needed(m, s, np.ones_like(alive), best),
        "below zero": lambda *given: needed(*given, cut=False),
        "their width only": lambda m, s, alive, best: max(((m[alive] - m[best]) / s[alive]).max(), 0.0),
        "its own width only": lambda m, s, alive, best: max(((m[alive] - m[best]) / s[best]).max(), 0.0),
        "more than needed": lambda *given: needed(*given) + 0.1,
        "the best other only": lambda m, s, alive, best: max(
            (m[k := int(np.argmax(np.where(alive, m, -np.inf)))] - m[best]) / (s[k] + s[best]), 0
        ),
        "the first other only": lambda m, s, alive, best: max(
            (m[k := int(np.argmax(alive))] - m[best]) / (s[k] + s[best]), 0
        ),
        "the smallest": lambda m, s, alive, best: max(((m[alive] - m[best]) / (s[alive] + s[best])).min(), 0),
        "variances": lambda m, s, alive, best: needed(m, s**2, alive, best),
        "the deviation of the difference": lambda m, s, alive, best: (
            (m[alive] - m[best]) / np.hypot(s[alive], s[best])
        ).max(),
        "in size": lambda m, s, alive, best: abs((m[alive] - m[best]) / (s[alive] + s[best])).max(),
        "up to ten": lambda *given: min(needed(*given), 10.0),
        "up to a hundred": lambda *given: min(needed(*given), 100.0),
        "on a grid": lambda *given: np.ceil(100 * needed(*given)) / 100,
        "the width of the text": lambda *given: 2.0,
        "who sets it": lambda m, s, alive, best: int(np.argmax((m - m[best]) / (s + s[best]))),
        "all": lambda m, s, alive, best: (m[alive] - m[best]) / (s[alive] + s[best]),
    },
    "robust_survivors": {
        "reach excluded": lambda *given: robust(*given, strict=True),
        "neighbours alive only": lambda *given: robust(*given, only_alive=True),
        "the dead decide": lambda *given: robust(*given, best=np.ones_like),
        "own upper bound": lambda *given: robust(*given, ordinary=True),
        "a tie dies": lambda *given: robust(*given, tie=False),
        "indices for coordinates": lambda low, up, points, reach, alive: robust(
            low, up, np.arange(len(points)), reach, alive
        ),
        "no reach": lambda low, up, points, reach, alive: robust(low, up, points, 0, alive),
        "the reach of one": lambda low, up, points, reach, alive: robust(low, up, points, 1, alive),
        "twice the reach": lambda low, up, points, reach, alive: robust(low, up, points, 2 * reach, alive),
        "to the right only": lambda low, up, points, reach, alive: (
            robust_one_by_one(low, up, points, reach, alive)
            and [
                bool(alive[x])
                and min(up[(points >= points[x]) & (points <= points[x] + reach)])
                >= max(min(low[(points >= points[z]) & (points <= points[z] + reach)]) for z in np.flatnonzero(alive))
                for x in range(len(points))
            ]
        ),
        "own lower bound": lambda low, up, points, reach, alive: (
            alive & ([min(up[abs(points - point) <= reach]) for point in points] >= low[alive].max())
        ),
        "the best neighbour": lambda low, up, points, reach, alive: (
            alive
            & (
                np.array([max(up[abs(points - point) <= reach]) for point in points])
                >= max(max(low[abs(points - point) <= reach]) for point in points[alive])
            )
        ),
        "the dead come back": lambda low, up, points, reach, alive: (
            np.array([min(up[abs(points - point) <= reach]) for point in points])
            >= max(min(low[abs(points - point) <= reach]) for point in points[alive])
        ),
        "numbers": lambda *given: np.flatnonzero(robust(*given)),
        "all": lambda *given: given[-1],
        "how many": lambda *given: int(robust(*given).sum()),
    },
}


@pytest.mark.parametrize(("name", "function", "right"), tried(RIGHT, WRONG))
def test_a_check_tells_right_from_wrong(name, function, right):
    judge(STEM, name, function, right)
