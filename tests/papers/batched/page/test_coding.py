"""The checks of the coding exercises let the right functions pass and stop plausible wrong ones."""

import numpy as np
import pytest
from exercises import check_of

STEM = "ch3_batched"


def sampled(covariance, noise, size, alive, *, seen=True, twice=True, added=None):
    """Maximum-variance sampling with its mistakes."""
    left, picks, noise = covariance.copy(), [], noise if added is None else added
    for _ in range(size):
        variance = np.where(alive, np.diag(left), -np.inf)
        if not twice and len(set(picks)) < alive.sum():
            variance[picks] = -np.inf
        picks.append(int(np.argmax(variance)))
        if seen:
            column = left[:, picks[-1]]
            left = left - np.outer(column, column) / (column[picks[-1]] + noise)
    return picks


def test_one_batch():
    check = check_of(STEM, "check_one_batch")
    check(sampled)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda c, noise, size, alive: sampled(c, noise, size, np.ones_like(alive)),
        lambda c, noise, size, alive: sampled(c, noise, size, alive, seen=False),
        lambda c, noise, size, alive: sampled(c, noise, size, alive, twice=False),
        lambda c, noise, size, alive: sampled(c, noise, size, alive, added=1e-9),
        lambda c, noise, size, alive: sampled(c, noise, size, alive, added=noise**0.5),
        lambda c, noise, size, alive: sampled(c, noise, size, alive)[:-1],
    ],
    ids=["all points", "no update", "none twice", "no noise", "noise as standard deviation", "one too few"],
)
def test_a_wrong_batch_is_caught(wrong):
    with pytest.raises(AssertionError):
        check_of(STEM, "check_one_batch")(wrong)


def test_survivors():
    check_of(STEM, "check_survivors")(lambda m, s, w, alive: alive & (m + w * s >= (m - w * s)[alive].max()))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda m, s, w, alive: alive & (m + w * s >= (m - w * s).max()),
        lambda m, s, w, alive: alive & (m + w * s > (m - w * s)[alive].max()),
        lambda m, s, w, alive: m + w * s >= (m - w * s)[alive].max(),
        lambda m, s, w, alive: alive & (m + w * s >= m[alive].max()),
        lambda m, s, w, alive: alive & (m + w * s >= (m + w * s)[alive].max()),
        lambda m, s, w, alive: np.flatnonzero(alive & (m + w * s >= (m - w * s)[alive].max())),
    ],
    ids=["the dead decide", "ties eliminated", "the dead return", "one width", "upper for lower", "indices"],
)
def test_a_wrong_elimination_is_caught(wrong):
    with pytest.raises(AssertionError):
        check_of(STEM, "check_survivors")(wrong)


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
