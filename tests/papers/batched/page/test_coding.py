"""The checks of the coding exercises let the right functions pass and stop plausible wrong ones."""

import numpy as np
import pytest
from exercises import check_of

STEM = "ch3_batched"


def left_over(covariance, noise, size, alive, *, seen=True, added=None, half=0.5, root=True, noisy=True):
    """What a batch of maximum-variance sampling leaves and what is allowed, with its mistakes."""
    left, gain, added = covariance.copy(), 0.0, noise if added is None else added
    for _ in range(size):
        x = int(np.argmax(np.where(alive, np.diag(left), -np.inf)))
        gain += half * np.log1p(left[x, x] / noise)
        if seen:
            left = left - np.outer(left[:, x], left[x]) / (left[x, x] + added)
    constant = 2 / np.log1p(1 / noise if noisy else noise)
    pair = np.diag(left)[alive].max(), constant * gain / size
    return np.sqrt(pair) if root else pair


def test_largest_left():
    check_of(STEM, "check_largest_left")(left_over)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda c, noise, size, alive: left_over(c, noise, size, np.ones_like(alive)),
        lambda c, noise, size, alive: left_over(c, noise, size, alive, seen=False),
        lambda c, noise, size, alive: left_over(c, noise, size, alive, added=1e-9),
        lambda c, noise, size, alive: left_over(c, noise, size, alive, half=1.0),
        lambda c, noise, size, alive: left_over(c, noise, size, alive, root=False),
        lambda c, noise, size, alive: left_over(c, noise, size, alive, noisy=False),
        lambda c, noise, size, alive: left_over(c, noise, size - 1, alive),
    ],
    ids=["all points", "no update", "no noise", "twice the gain", "variances", "noise for its inverse", "one too few"],
)
def test_a_wrong_leftover_is_caught(wrong):
    with pytest.raises(AssertionError):
        check_of(STEM, "check_largest_left")(wrong)


def needed(mean, sd, alive, best, *, cut=True):
    """The smallest width with which a candidate survives."""
    widths = (mean[alive] - mean[best]) / (sd[alive] + sd[best])
    return widths.max() if cut else widths[np.flatnonzero(alive) != best].max(initial=-np.inf)


def test_needed_width():
    check_of(STEM, "check_needed_width")(needed)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda m, s, alive, best: needed(m, s, np.ones_like(alive), best),
        lambda m, s, alive, best: needed(m, s, alive, best, cut=False),
        lambda m, s, alive, best: max(((m[alive] - m[best]) / s[alive]).max(), 0.0),
        lambda m, s, alive, best: max(((m[alive] - m[best]) / s[best]).max(), 0.0),
        lambda m, s, alive, best: needed(m, s, alive, best) + 0.1,
    ],
    ids=["the dead decide", "below zero", "their width only", "its own width only", "more than needed"],
)
def test_a_wrong_width_is_caught(wrong):
    with pytest.raises(AssertionError):
        check_of(STEM, "check_needed_width")(wrong)


def robust(lower, upper, points, reach, alive, *, strict=False, only_alive=False, best=None, ordinary=False):
    """Elimination by worst neighbours with its mistakes."""
    apart = np.abs(points[:, None] - points[None, :])
    near = apart < reach if strict else apart <= reach
    near = near | np.eye(len(points), dtype=bool)
    if only_alive:
        near = near & (alive[None, :] | np.eye(len(points), dtype=bool))
    worst_lower, worst_upper = (np.where(near, end, np.inf).min(axis=1) for end in (lower, upper))
    who = alive if best is None else best(alive)
    return alive & ((upper if ordinary else worst_upper) >= worst_lower[who].max())


def test_robust_survivors():
    check_of(STEM, "check_robust_survivors")(robust)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda *given: robust(*given, strict=True),
        lambda *given: robust(*given, only_alive=True),
        lambda *given: robust(*given, best=np.ones_like),
        lambda *given: robust(*given, ordinary=True),
        lambda lower, upper, points, reach, alive: robust(lower, upper, np.arange(len(points)), reach, alive),
    ],
    ids=["reach excluded", "neighbours alive only", "the dead decide", "own upper bound", "indices for coordinates"],
)
def test_a_wrong_robust_elimination_is_caught(wrong):
    with pytest.raises(AssertionError):
        check_of(STEM, "check_robust_survivors")(wrong)
